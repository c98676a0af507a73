// How a body is turned, and how it resists turning: what the functions of impulses are told about a body beside its
// mass.
#pragma once

#include <limits>

#include "carom/impulse/ldl33.h"
#include "carom/math/trig.h"

namespace carom::inline CAROM_PRECISION {

// Roll, pitch and yaw [rad] of a body in the common frame: v_common = Rz(psi) Ry(theta) Rx(phi) v_body.
template <class F>
struct EulerT {
  F phi{}, theta{}, psi{};
};
using Euler = EulerT<Real>;

// sin and cos of angles that often are zero: the body's own frame is the common one.
template <class F>
CAROM_HD void sincos_of_euler(F angle, F& s, F& c) {
  s = angle;
  c = F(1);
  if (any(angle != F(0))) sincos(angle, s, c);
}

// v_common = R v_body
template <class F>
CAROM_HD Mat33T<F> mat33_from_euler(const EulerT<F>& euler) {
  F sx, cx, sy, cy, sz, cz;
  sincos_of_euler(euler.phi, sx, cx);
  sincos_of_euler(euler.theta, sy, cy);
  sincos_of_euler(euler.psi, sz, cz);
  const F ss = sx * sy, cs = cx * sy;
  return {{cz * cy, fma(cz, ss, -(sz * cx)), fma(cz, cs, sz * sx)},
          {sz * cy, fma(sz, ss, cz * cx), fma(sz, cs, -(cz * sx))},
          {-sy, cy * sx, cy * cx}};
}

// Inertia about the centre of mass in the body's own axes [kg m^2]: three principal moments, or a symmetric tensor.
// Infinite moments are fine: about such an axis nothing turns the body.
template <class F>
struct RotationalInertiaT {
  Mat33T<F> tensor;
  bool diagonal;

  CAROM_HD RotationalInertiaT(F x, F y, F z) : RotationalInertiaT(Vec3T<F>{x, y, z}) {}
  CAROM_HD RotationalInertiaT(Vec3T<F> moments) : tensor(mat33_diagonal(moments)), diagonal(true) {}
  CAROM_HD RotationalInertiaT(const Mat33T<F>& full) : tensor(full), diagonal(false) {}

  CAROM_HD Vec3T<F> moments() const { return {tensor.row0.x, tensor.row1.y, tensor.row2.z}; }
};
using RotationalInertia = RotationalInertiaT<Real>;

template <class F>
CAROM_HD MaskOf<F> all_positive(Vec3T<F> a) {
  return a.x > F(0) && a.y > F(0) && a.z > F(0);
}

// Symmetric but for rounding, and positive definite. False for numbers that are none.
template <class F>
CAROM_HD MaskOf<F> is_inertia(const RotationalInertiaT<F>& inertia) {
  if (inertia.diagonal) return all_positive(inertia.moments());
  const Mat33T<F>& a = inertia.tensor;
  const F rounding = F(8 * std::numeric_limits<Element<F>>::epsilon());
  const auto same = [&](F above, F below, F one, F other)
                        CAROM_HD_LAMBDA { return abs(above - below) <= rounding * (abs(one) + abs(other)); };
  const Vec3T<F> d = inertia.moments();
  const auto symmetric =
      same(a.row0.y, a.row1.x, d.x, d.y) && same(a.row0.z, a.row2.x, d.x, d.z) && same(a.row1.z, a.row2.y, d.y, d.z);
  return symmetric && all_positive(ldl_factor(a).pivot);
}

// R scale I^-1 R^T: the inverse inertia in the common frame, in units of 1/scale.
template <class F>
CAROM_HD Mat33T<F> inverse_inertia(const RotationalInertiaT<F>& inertia, const EulerT<F>& euler, F scale) {
  // A body that is that easy to turn takes no impulse that turns it; infinity would make 0 * inf of no impulse.
  const F largest = F(sizeof(Element<F>) == 4 ? Element<F>(1e30f) : Element<F>(1e300));
  const Mat33T<F> R = mat33_from_euler(euler);
  if (inertia.diagonal) {
    const Vec3T<F> m = inertia.moments();
    const F x = min(scale / m.x, largest), y = min(scale / m.y, largest), z = min(scale / m.z, largest);
    const auto scaled = [&](Vec3T<F> row) CAROM_HD_LAMBDA -> Vec3T<F> { return {row.x * x, row.y * y, row.z * z}; };
    return Mat33T<F>{scaled(R.row0), scaled(R.row1), scaled(R.row2)} * transpose(R);
  }
  return R * ldl_inverse(ldl_factor(inertia.tensor), scale, largest) * transpose(R);
}

}  // namespace carom::inline CAROM_PRECISION
