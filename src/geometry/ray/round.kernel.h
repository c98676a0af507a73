// Rays and round solids: spheres, capsules, ellipsoids, cylinders and cones.
//
// A line is inside of a ball of radius r around c where |c_perp|^2 + (t - t0)^2 <= r^2, with t0 the parameter nearest
// to the centre. From the perpendicular the root keeps its digits for rays that come from far away.
#pragma once

#include "geometry/point/surface_point.h"
#include "geometry/ray/ray_hit.h"

namespace carom::inline CAROM_PRECISION {

// Where x^2 + y^2 (+ z^2) <= radius^2 for the line x = p + t d, whose direction need not be unit; empty for enter >
// leave.
CAROM_HD RaySpan span_of_ball(Vec3 p, Vec3 d, Real radius) {
  const Real dd = length_squared(d);
  if (!(dd > kNoLengthSquared)) return length(p) <= radius ? whole_line() : RaySpan{kRayEnd, -kRayEnd, {}, 0};
  const Real middle = -dot(p, d) / dd;
  const Vec3 perpendicular = fma(d, middle, p);
  const Real apart = length(perpendicular), inside = (radius - apart) * (radius + apart);
  if (inside < 0) return {kRayEnd, -kRayEnd, {}, 0};
  const Real half = sqrt(inside / dd);
  return {middle - half, middle + half, {}, 0};
}

CAROM_HD RaySpan span_of_sphere(const Ray& ray, Real radius, Vec3 center, int feature) {
  RaySpan span = span_of_ball(ray.p - center, ray.d, radius);
  span.normal = unit_or(ray.at(span.enter) - center, -ray.d);
  span.feature = feature;
  return span;
}

// The round side of a cylinder without ends.
CAROM_HD RaySpan span_of_tube(const Ray& ray, Real radius) {
  RaySpan span = span_of_ball({ray.p.x, ray.p.y, 0}, {ray.d.x, ray.d.y, 0}, radius);
  const Vec3 x = ray.at(span.enter);
  span.normal = unit_or({x.x, x.y, 0}, -ray.d);
  return span;
}

CAROM_HD RayHit ray_sphere(Real radius, const Ray& ray) { return hit_of_span(ray, span_of_sphere(ray, radius, {}, 0)); }

// In the frame in which the ellipsoid is a unit ball t keeps its meaning.
CAROM_HD RayHit ray_ellipsoid(Vec3 e, const Ray& ray) {
  RaySpan span =
      span_of_ball({ray.p.x / e.x, ray.p.y / e.y, ray.p.z / e.z}, {ray.d.x / e.x, ray.d.y / e.y, ray.d.z / e.z}, 1);
  const Vec3 x = ray.at(span.enter);
  const Real least = min(e.x, min(e.y, e.z));  // times it, so that sizes do not matter
  span.normal = unit_or({x.x / e.x * (least / e.x), x.y / e.y * (least / e.y), x.z / e.z * (least / e.z)}, -ray.d);
  return hit_of_span(ray, span);
}

CAROM_HD void cut_by_caps(RaySpan& span, const Ray& ray, Real half_height) {
  cut_span(span, ray.d, {0, 0, 1}, ray.p.z - half_height, 1);
  cut_span(span, ray.d, {0, 0, -1}, -half_height - ray.p.z, 2);
}

CAROM_HD RayHit ray_cylinder(Real radius, Real half_height, const Ray& ray) {
  RaySpan span = span_of_tube(ray, radius);
  cut_by_caps(span, ray, half_height);
  return hit_of_span(ray, span);
}

// The union of a cylinder without caps and two balls: the line is inside from where it first enters one of them.
CAROM_HD RayHit ray_capsule(Real radius, Real half_height, const Ray& ray) {
  RaySpan side = span_of_tube(ray, radius);
  cut_by_caps(side, ray, half_height);
  const RaySpan top = span_of_sphere(ray, radius, {0, 0, half_height}, 1);
  const RaySpan bottom = span_of_sphere(ray, radius, {0, 0, -half_height}, 2);
  RaySpan all = {kRayEnd, -kRayEnd, {}, -1};
  const auto join = [&](const RaySpan& part) CAROM_HD_LAMBDA {
    if (!(part.enter <= part.leave)) return;
    all.leave = max(all.leave, part.leave);
    if (part.enter >= all.enter) return;
    all.enter = part.enter;
    all.normal = part.normal;
    all.feature = part.feature;
  };
  join(top), join(bottom), join(side);
  return hit_of_span(ray, all);
}

}  // namespace carom::inline CAROM_PRECISION

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// The slope: with k = radius / (2 half_height) and w = half_height - z, x^2 + y^2 <= k^2 w^2 is a double cone about the
// apex, whose lower half counts. With t from the point of the line nearest to the cone's middle, so that rays from far
// away keep their digits, the line meets it where a t^2 + 2 b t + c = 0.
CAROM_HD_LARGE RayHit ray_cone(Real radius, Real half_height, const Ray& ray) {
  const Real k = radius / (half_height + half_height), middle = -dot(ray.p, ray.d);
  const auto beyond_slope = [&](Vec3 x)
                                CAROM_HD_LAMBDA { return fma(x.x, x.x, x.y * x.y) - square(k * (half_height - x.z)); };
  if (beyond_slope(ray.p) < 0 && abs(ray.p.z) < half_height) return hit_from_inside(ray);

  RayHit best = no_hit();
  const auto offer = [&](Real t, bool slope) CAROM_HD_LAMBDA {
    if (!(t >= 0 && t <= ray.max_t) || (best.t >= 0 && t >= best.t)) return;
    const Vec3 x = ray.at(t);
    const Vec3 normal = slope ? unit_or({x.x, x.y, k * k * (half_height - x.z)}, {0, 0, 1}) : Vec3{0, 0, -1};
    const bool on_cone = slope ? abs(x.z) <= half_height : fma(x.x, x.x, x.y * x.y) <= radius * radius;
    if (on_cone && dot(normal, ray.d) <= 0) best = {t, normal, slope ? 0 : 1};
  };
  const Vec3 p = ray.at(middle), d = ray.d;
  if (d.z > 0) offer(middle - (p.z + half_height) / d.z, false);
  const Real a = fma(d.x, d.x, d.y * d.y) - square(k * d.z);
  const Real b = fma(p.x, d.x, p.y * d.y) + square(k) * (half_height - p.z) * d.z;
  const Real c = beyond_slope(p), discriminant = fma(b, b, -(a * c));
  if (discriminant < 0) return best;
  const Real q = -(b + copysign(sqrt(discriminant), b));  // without cancellation: the roots are q / a and c / q
  if (abs(q) > 0) offer(middle + c / q, true);
  if (abs(a) > 0) offer(middle + q / a, true);
  return best;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
