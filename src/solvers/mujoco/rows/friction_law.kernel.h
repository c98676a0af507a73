// What the laws of friction have in common: a contact is one vector x = J a - a_ref of a normal part x_n and tangential
// parts x_i: two tangents, then, where turning is resisted, the turns about the normal and about the two tangents, of
// which a contact of condim 4 has the first. Its part of the Hessian is J^T C J with
//
//   C = | normal    c^T                |     c: coupling
//       | c         diag(own) + b c c^T|     b: across; 0 in a pyramid
#pragma once

#include "solvers/mujoco/rows/contact_jacobian.kernel.h"

namespace carom::inline CAROM_PRECISION::friction {

template <class F, bool kTurns>
using Types = rows::RowTypes<F, kTurns ? 6 : 3>;
template <class F, bool kTurns>
using Vector = typename Types<F, kTurns>::Vector;
template <class F, bool kTurns>
using Block = typename Types<F, kTurns>::Block;

// Tangential parts.
template <bool kTurns>
inline constexpr int kParts = kTurns ? 5 : 2;

// Part i of a vector or a block; 0 is the normal one.
template <class F>
CAROM_HD F& part(Vec3T<F>& x, int i) {
  return x[i];
}
template <class F>
CAROM_HD const F& part(const Vec3T<F>& x, int i) {
  return x[i];
}
template <class F>
CAROM_HD F& part(SpatialVectorT<F>& x, int i) {
  return i < 3 ? x.linear[i] : x.angular[i - 3];
}
template <class F>
CAROM_HD const F& part(const SpatialVectorT<F>& x, int i) {
  return i < 3 ? x.linear[i] : x.angular[i - 3];
}
template <class F>
CAROM_HD const Vec3T<F>& part(const Mat33T<F>& J, int i) {
  return J[i];
}
template <class F>
CAROM_HD Vec3T<F>& part(Mat33T<F>& J, int i) {
  return J[i];
}
template <class F>
CAROM_HD const Vec3T<F>& part(const rows::TurningBlock<F>& J, int i) {
  return i < 3 ? J.slide[i] : J.turn[i - 3];
}
template <class F>
CAROM_HD Vec3T<F>& part(rows::TurningBlock<F>& J, int i) {
  return i < 3 ? J.slide[i] : J.turn[i - 3];
}

// The numbers of one contact.
template <class F, bool kTurns>
struct Law;
template <class F>
struct Law<F, false> {
  F D, root_D;  // of an edge of the pyramid; of the cone's round space (elliptic.kernel.h)
  F mu;
  F slope, share;  // of the cone

  CAROM_HD void stiffen(F scale) { D = D * scale, root_D = root_D * sqrt(scale); }
  CAROM_HD F friction(int) const { return mu; }
  CAROM_HD F stiffness(int) const { return D; }
};
template <class F>
struct Law<F, true> {
  F D, root_D;
  F mu;
  F slope, share;
  F spin, roll;           // roll: of a cone 0 where rolling is free
  F D_roll, root_D_roll;  // of the pyramid; 0 where rolling is free

  CAROM_HD void stiffen(F scale) {
    const F root = sqrt(scale);
    D = D * scale, root_D = root_D * root, D_roll = D_roll * scale, root_D_roll = root_D_roll * root;
  }
  CAROM_HD F friction(int i) const { return i < 2 ? mu : i == 2 ? spin : roll; }
  CAROM_HD F stiffness(int i) const { return i < 3 ? D : D_roll; }
};

// C.
template <class F, bool kTurns>
struct Weight {
  F normal{}, coupling[kParts<kTurns>]{}, own[kParts<kTurns>]{}, across{};
};
template <class F, bool kTurns>
CAROM_HD MaskOf<F> differ(const Weight<F, kTurns>& a, const Weight<F, kTurns>& b) {
  MaskOf<F> differs = a.normal != b.normal || a.across != b.across;
  CAROM_UNROLL
  for (int i = 0; i < kParts<kTurns>; ++i) differs = differs || a.coupling[i] != b.coupling[i] || a.own[i] != b.own[i];
  return differs;
}

// C J of one block.
template <class F, bool kTurns>
CAROM_HD Block<F, kTurns> weighted(const Weight<F, kTurns>& C, const Block<F, kTurns>& J) {
  constexpr int kLast = kParts<kTurns>;
  Block<F, kTurns> CJ;
  Vec3T<F> tangential = part(J, kLast) * C.coupling[kLast - 1];
  CAROM_UNROLL
  for (int i = kLast - 1; i > 0; --i) tangential = fma(part(J, i), C.coupling[i - 1], tangential);
  part(CJ, 0) = fma(part(J, 0), C.normal, tangential);
  const Vec3T<F> coupled = fma(tangential, C.across, part(J, 0));
  CAROM_UNROLL
  for (int i = 1; i <= kLast; ++i) part(CJ, i) = fma(coupled, C.coupling[i - 1], part(J, i) * C.own[i - 1]);
  return CJ;
}

}  // namespace carom::inline CAROM_PRECISION::friction
