// The point of a simple solid that is nearest to a given one, in the frame of the solid, for lanes as for plain
// numbers: what surface_point_of_*() says with the part of the surface.
#pragma once

#include "geometry/point/surface_point.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct NearestT {
  Vec3T<F> point;   // on the surface [m]
  Vec3T<F> normal;  // unit, outwards
  F distance;       // from the surface, negative in the solid [m]
};

CAROM_HD SurfacePoint with_feature(const NearestT<Real>& at, int feature) {
  return {at.point, at.normal, at.distance, feature};
}

template <class F>
CAROM_HD NearestT<F> nearest_of_sphere(F radius, Vec3T<F> p) {
  const F zero(Real(0)), one(Real(1));
  const Vec3T<F> normal = select(length_squared(p) > F(kNoLengthSquared), normalize(p), Vec3T<F>{one, zero, zero});
  return {normal * radius, normal, length(p) - radius};
}

template <class F>
CAROM_HD NearestT<F> nearest_of_capsule(F radius, F half_height, Vec3T<F> p) {
  const Vec3T<F> on_axis{F(Real(0)), F(Real(0)), clamp(p.z, -half_height, half_height)};
  NearestT<F> s = nearest_of_sphere(radius, p - on_axis);
  s.point += on_axis;
  return s;
}

// Without end along an axis whose scale is 0.
template <class F>
CAROM_HD NearestT<F> nearest_of_plane(Vec3T<F> scale, Vec3T<F> p) {
  const F zero(Real(0)), half_x = scale.x * F(Real(0.5)), half_y = scale.y * F(Real(0.5));
  const Vec3T<F> up{zero, zero, F(Real(1))};
  const Vec3T<F> on{select(scale.x > zero, clamp(p.x, -half_x, half_x), p.x),
                    select(scale.y > zero, clamp(p.y, -half_y, half_y), p.y), zero};
  const Vec3T<F> away = p - on;
  const auto above = on.x == p.x && on.y == p.y;
  const Vec3T<F> out = select(length_squared(away) > F(kNoLengthSquared), normalize(away), up);
  return {on, select(above, up, out), select(above, p.z, length(away))};
}

template <class F>
CAROM_HD NearestT<F> nearest_of_box(Vec3T<F> half, Vec3T<F> p) {
  const F zero(Real(0)), one(Real(1));
  const Vec3T<F> on = min(max(p, -half), half), away = p - on;
  const auto outside = length_squared(away) > F(kNoLengthSquared);
  // Within: the nearest face.
  const Vec3T<F> depth = half - abs(p);
  const auto x = depth.x <= depth.y && depth.x <= depth.z, y = !x && depth.y <= depth.z, z = !x && !y;
  const auto side = [&](F a) CAROM_HD_LAMBDA { return select(a < zero, -one, one); };
  const Vec3T<F> face{select(x, side(p.x), zero), select(y, side(p.y), zero), select(z, side(p.z), zero)};
  const Vec3T<F> on_face{select(x, half.x * face.x, p.x), select(y, half.y * face.y, p.y),
                         select(z, half.z * face.z, p.z)};
  const F deep = select(x, depth.x, select(y, depth.y, depth.z));
  return {select(outside, on, on_face), select(outside, normalize(away), face), select(outside, length(away), -deep)};
}

}  // namespace carom::inline CAROM_PRECISION
