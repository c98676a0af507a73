// The root G of the weights of a block of three rows, C = G^T G:
//
//       | n         |
//   G = | s1  m1    |      k: 0 in a pyramid, and for three rows that have nothing to do with each other (PairedRoot)
//       | s2  k   m2|
#pragma once

#include "carom/math/mat33.h"

namespace carom::inline CAROM_PRECISION {

// Without k.
template <class F>
struct PairedRoot {
  F n{}, s1{}, m1{}, s2{}, m2{};

  // G v
  CAROM_HD Vec3T<F> times(Vec3T<F> v) const { return {n * v.x, fma(s1, v.x, m1 * v.y), fma(s2, v.x, m2 * v.z)}; }
  // G^T v
  CAROM_HD Vec3T<F> transposed_times(Vec3T<F> v) const {
    return {fma(s2, v.z, fma(s1, v.y, n * v.x)), m1 * v.y, m2 * v.z};
  }
  CAROM_HD auto differs_from(const PairedRoot& o) const {
    return n != o.n || s1 != o.s1 || m1 != o.m1 || s2 != o.s2 || m2 != o.m2;
  }
};

template <class F>
struct RowRoot {
  F n{}, s1{}, m1{}, s2{}, m2{}, k{};

  CAROM_HD Vec3T<F> times(Vec3T<F> v) const {
    return {n * v.x, fma(s1, v.x, m1 * v.y), fma(s2, v.x, fma(k, v.y, m2 * v.z))};
  }
  CAROM_HD Vec3T<F> transposed_times(Vec3T<F> v) const {
    return {fma(s2, v.z, fma(s1, v.y, n * v.x)), fma(k, v.z, m1 * v.y), m2 * v.z};
  }
  CAROM_HD auto differs_from(const RowRoot& o) const {
    return n != o.n || s1 != o.s1 || m1 != o.m1 || s2 != o.s2 || m2 != o.m2 || k != o.k;
  }
};
template <class F>
CAROM_HD RowRoot<F> with_cross(const PairedRoot<F>& G) {
  return {G.n, G.s1, G.m1, G.s2, G.m2};
}

// Of a contact that resists turning: six rows, in two blocks. The turns are coupled with the normal row alone:
//
//   G = | slide        |
//       | tie, 0, turn |      turn: diagonal
template <class F>
struct TurningRoot {
  PairedRoot<F> slide, turn;
  Vec3T<F> tie;
};

// a A b^T
template <class F>
CAROM_HD Mat33T<F> between(const PairedRoot<F>& a, const Mat33T<F>& A, const PairedRoot<F>& b) {
  const Mat33T<F> T{b.times(A.row0), b.times(A.row1), b.times(A.row2)};
  return {T.row0 * a.n, fma(T.row0, a.s1, T.row1 * a.m1), fma(T.row0, a.s2, T.row2 * a.m2)};
}
template <class F>
CAROM_HD Mat33T<F> between(const RowRoot<F>& a, const Mat33T<F>& A, const RowRoot<F>& b) {
  const Mat33T<F> T{b.times(A.row0), b.times(A.row1), b.times(A.row2)};
  return {T.row0 * a.n, fma(T.row0, a.s1, T.row1 * a.m1), fma(T.row0, a.s2, fma(T.row1, a.k, T.row2 * a.m2))};
}

}  // namespace carom::inline CAROM_PRECISION
