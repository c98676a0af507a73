// Rays and round solids: spheres, capsules, ellipsoids, cylinders and cones.
//
// A line is inside of a ball of radius r around c where |c_perp|^2 + (t - t0)^2 <= r^2, with t0 the parameter nearest
// to the centre. From the perpendicular the root keeps its digits for rays that come from far away.
#pragma once

#include "geometry/point/surface_point.h"
#include "geometry/ray/ray_hit.h"

namespace carom::inline CAROM_PRECISION {

// Where x^2 + y^2 (+ z^2) <= radius^2 for the line x = p + t d, whose direction need not be unit.
template <class F>
CAROM_HD RaySpanT<F> span_of_ball(Vec3T<F> p, Vec3T<F> d, F radius) {
  const F dd = length_squared(d), end = F(kRayEnd);
  const auto runs = dd > F(kNoLengthSquared);
  const F inverse = F(1) / select(runs, dd, F(1)), middle = select(runs, -(dot(p, d) * inverse), F(0));
  const F inside = fma(radius, radius, -length_squared(fma(d, middle, p)));
  const F half = select(runs, sqrt(max(inside, F(0)) * inverse), end);
  return {select(inside < F(0), end, middle - half), select(inside < F(0), -end, middle + half)};
}

// The round side of a cylinder without ends.
template <class F>
CAROM_HD RaySpanT<F> span_of_tube(const RayT<F>& ray, F radius) {
  return span_of_ball<F>({ray.p.x, ray.p.y, F(0)}, {ray.d.x, ray.d.y, F(0)}, radius);
}

template <class F>
CAROM_HD F ray_sphere(Real radius, const RayT<F>& ray) {
  return first_of_span(ray, span_of_ball(ray.p, ray.d, F(radius)));
}

// In the frame in which the ellipsoid is a unit ball t keeps its meaning.
template <class F>
CAROM_HD F ray_ellipsoid(Vec3 radii, const RayT<F>& ray) {
  const Vec3T<F> s{F(Real(1) / radii.x), F(Real(1) / radii.y), F(Real(1) / radii.z)};
  return first_of_span(ray, span_of_ball<F>({ray.p.x * s.x, ray.p.y * s.y, ray.p.z * s.z},
                                            {ray.d.x * s.x, ray.d.y * s.y, ray.d.z * s.z}, F(1)));
}

template <class F>
CAROM_HD F ray_cylinder(Real radius, Real half_height, const RayT<F>& ray) {
  const F half(half_height);
  return first_of_span(
      ray, common_span(span_of_tube(ray, F(radius)), span_of_slab(ray.p.z, inverse_of(ray.d.z), -half, half)));
}

// Where the line enters the tube between the caps, it enters the capsule; where it does so beyond a cap, it enters the
// ball there, or nothing. It leaves likewise, which matters only to rays that begin inside.
template <class F>
CAROM_HD F ray_capsule(Real radius, Real half_height, const RayT<F>& ray) {
  const F r(radius), half(half_height);
  const RaySpanT<F> tube = span_of_tube(ray, r);
  const auto ball_at = [&](F z) CAROM_HD_LAMBDA {
    return span_of_ball<F>({ray.p.x, ray.p.y, ray.p.z - copysign(half, z)}, ray.d, r);
  };
  const F enter_z = fma(ray.d.z, tube.enter, ray.p.z), leave_z = fma(ray.d.z, tube.leave, ray.p.z);
  const auto misses = !(tube.enter <= tube.leave);
  RaySpanT<F> span = tube;
  const auto by_cap = !misses && abs(enter_z) > half;
  if (any(by_cap)) {
    const RaySpanT<F> ball = ball_at(enter_z);
    span.enter = select(by_cap, ball.enter, span.enter);
  }
  const auto out_by_cap = !misses && span.enter < F(0) && abs(leave_z) > half;
  if (any(out_by_cap)) span.leave = select(out_by_cap, ball_at(leave_z).leave, span.leave);
  return first_of_span(ray, span);
}

// The slope: with k = radius / (2 half_height) and w = half_height - z, x^2 + y^2 <= k^2 w^2 is a double cone about the
// apex, whose lower half counts. With t from the point of the line nearest to the cone's middle, so that rays from far
// away keep their digits, the line meets it where a t^2 + 2 b t + c = 0.
template <class F>
CAROM_HD F ray_cone(Real radius, Real half_height, const RayT<F>& ray) {
  const F half(half_height), k(radius / (half_height + half_height)), middle = -dot(ray.p, ray.d);
  F best(-1);
  const auto offer = [&](F t, auto on_cone) CAROM_HD_LAMBDA {
    best = select(on_cone && t >= F(0) && t <= ray.max_t && (best < F(0) || t < best), t, best);
  };
  const auto offer_slope = [&](F t) CAROM_HD_LAMBDA { offer(t, abs(fma(ray.d.z, t, ray.p.z)) <= half); };
  const Vec3T<F> p = ray.at(middle), d = ray.d;
  const F base_t = middle - (p.z + half) / d.z;
  const Vec3T<F> on_base = ray.at(base_t);
  offer(base_t, fma(on_base.x, on_base.x, on_base.y * on_base.y) <= F(radius * radius));
  const F a = fma(d.x, d.x, d.y * d.y) - square(k * d.z);
  const F b = fma(p.x, d.x, p.y * d.y) + square(k) * (half - p.z) * d.z;
  const F c = fma(p.x, p.x, p.y * p.y) - square(k * (half - p.z)), discriminant = fma(b, b, -(a * c));
  const F q = -(b + copysign(sqrt(discriminant), b));  // without cancellation: the roots are q / a and c / q
  offer_slope(middle + c / q);                         // no number without a root, which is in no range
  offer_slope(middle + q / a);
  return best;
}

}  // namespace carom::inline CAROM_PRECISION
