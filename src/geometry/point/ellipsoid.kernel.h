// Ellipsoids. The nearest point x of p has p - x = t grad, which gives x_i = e_i^2 p_i / (t + e_i^2) and one equation
// for t (D. Eberly, "Distance from a point to an ellipse, an ellipsoid, or a hyperellipsoid", 2013). By symmetry p is
// taken in the first octant. With the shortest axis e_2, r_i = (e_i / e_2)^2, z_i = p_i / e_i and u = t / e_2^2 + 1:
//
//   g(u) = sum_i q_i^2 - 1 = 0,   q_i = r_i z_i / (u + r_i - 1),   x_i = e_i q_i
//
// g falls and is convex for u > 0. Each q_i is at most 1 at the root, so u >= r_i z_i - (r_i - 1); from the greatest of
// these bounds, where g <= 2, Newton's iteration climbs to the root without overshooting. In u instead of Eberly's
// u - 1 the root keeps its digits for points near the middle plane.
#pragma once

#include "geometry/point/surface_point.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

namespace ellipsoids {

struct Equation {
  Vec3 rz;      // r_i z_i
  Vec3 r_less;  // r_i - 1

  CAROM_HD Real q(int i, Real u) const { return rz[i] > 0 ? rz[i] / (u + r_less[i]) : Real(0); }
  CAROM_HD Real value(Real u) const { return square(q(0, u)) + square(q(1, u)) + square(q(2, u)) - Real(1); }
  CAROM_HD Real half_slope(Real u) const {  // - g'(u) / 2
    Real sum = 0;
    for (int i = 0; i < 3; ++i) sum += rz[i] > 0 ? square(q(i, u)) / (u + r_less[i]) : Real(0);
    return sum;
  }
};

CAROM_HD Real root_of(const Equation& e) {
  Real u = max(e.rz.z, max(e.rz.x - e.r_less.x, e.rz.y - e.r_less.y));
  CAROM_ROLL
  for (int i = 0; i < 64; ++i) {
    const Real next = u + e.value(u) / (Real(2) * e.half_slope(u));
    if (!(next > u)) break;
    u = next;
  }
  return u;
}

// The nearest point for axes in falling order and p in the first octant.
CAROM_HD Vec3 nearest(Vec3 e, Vec3 p) {
  constexpr Real kZero = Real(1e-18);  // relative to the axis; smaller parts of p make no difference
  Equation equation;
  for (int i = 0; i < 3; ++i) {
    const Real ratio = e[i] / e.z, z = p[i] / e[i];
    equation.rz[i] = z > kZero ? ratio * ratio * z : Real(0);
    equation.r_less[i] = (e[i] - e.z) * (e[i] + e.z) / (e.z * e.z);
  }
  const bool in_middle = !(equation.rz.z > 0) && equation.value(0) < 0;
  const Real u = in_middle ? Real(0) : root_of(equation);
  const Real q0 = equation.q(0, u), q1 = equation.q(1, u);
  const Real q2 = in_middle ? sqrt(max(Real(1) - square(q0) - square(q1), Real(0))) : equation.q(2, u);
  return {e.x * q0, e.y * q1, e.z * q2};
}

CAROM_HD void sort_falling(Vec3 e, int* order) {
  order[0] = 0, order[1] = 1, order[2] = 2;
  const auto arrange = [&](int i, int j) CAROM_HD_LAMBDA {
    if (e[order[i]] >= e[order[j]]) return;
    const int held = order[i];
    order[i] = order[j], order[j] = held;
  };
  arrange(0, 1), arrange(1, 2), arrange(0, 1);
}

}  // namespace ellipsoids

// In the centre the nearest point is that on the shortest axis, on its positive side.
CAROM_HD_LARGE SurfacePoint surface_point_of_ellipsoid(Vec3 radii, Vec3 p) {
  int order[3];
  ellipsoids::sort_falling(radii, order);
  Vec3 e, y;
  for (int i = 0; i < 3; ++i) e[i] = radii[order[i]], y[i] = abs(p[order[i]]);
  const Vec3 nearest = ellipsoids::nearest(e, y);
  Vec3 point, gradient;
  for (int i = 0; i < 3; ++i) {
    point[order[i]] = nearest[i] * sign_of(p[order[i]]);
    gradient[order[i]] = point[order[i]] / e[i] * (e.z / e[i]);  // times e_2, so that sizes do not matter
  }
  const Vec3 normal = unit_or(gradient, {0, 0, 1});
  return {point, normal, dot(p - point, normal), 0};
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
