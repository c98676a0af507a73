// 3 x 3 matrices, stored row by row.
#pragma once

#include "carom/math/vec.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct Mat33T {
  Vec3T<F> row0, row1, row2;

  CAROM_HD Vec3T<F>& operator[](int i) { return (&row0)[i]; }
  CAROM_HD const Vec3T<F>& operator[](int i) const { return (&row0)[i]; }
};

using Mat33 = Mat33T<Real>;

template <class F>
CAROM_HD Mat33T<F> mat33_diagonal(Vec3T<F> d) {
  return {{d.x, F(0), F(0)}, {F(0), d.y, F(0)}, {F(0), F(0), d.z}};
}
template <class F>
CAROM_HD Mat33T<F> mat33_identity() {
  return mat33_diagonal(Vec3T<F>{F(1), F(1), F(1)});
}
// The matrix whose columns are a, b and c.
template <class F>
CAROM_HD Mat33T<F> mat33_columns(Vec3T<F> a, Vec3T<F> b, Vec3T<F> c) {
  return {{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}};
}
// a b^T
template <class F>
CAROM_HD Mat33T<F> outer(Vec3T<F> a, Vec3T<F> b) {
  return {b * a.x, b * a.y, b * a.z};
}
// skew(a) b = a x b
template <class F>
CAROM_HD Mat33T<F> skew(Vec3T<F> a) {
  return {{F(0), -a.z, a.y}, {a.z, F(0), -a.x}, {-a.y, a.x, F(0)}};
}

template <class F>
CAROM_HD Mat33T<F> operator+(Mat33T<F> a, Mat33T<F> b) {
  return {a.row0 + b.row0, a.row1 + b.row1, a.row2 + b.row2};
}
template <class F>
CAROM_HD Mat33T<F> operator-(Mat33T<F> a, Mat33T<F> b) {
  return {a.row0 - b.row0, a.row1 - b.row1, a.row2 - b.row2};
}
template <class F>
CAROM_HD Mat33T<F> operator*(Mat33T<F> a, F s) {
  return {a.row0 * s, a.row1 * s, a.row2 * s};
}
template <class F>
CAROM_HD Vec3T<F> operator*(Mat33T<F> a, Vec3T<F> v) {
  return {dot(a.row0, v), dot(a.row1, v), dot(a.row2, v)};
}
template <class F>
CAROM_HD Mat33T<F> transpose(Mat33T<F> a) {
  return mat33_columns(a.row0, a.row1, a.row2);
}
template <class F>
CAROM_HD Mat33T<F> operator*(Mat33T<F> a, Mat33T<F> b) {
  const Mat33T<F> bt = transpose(b);
  return {bt * a.row0, bt * a.row1, bt * a.row2};
}
template <class F>
CAROM_HD F trace(Mat33T<F> a) {
  return a.row0.x + a.row1.y + a.row2.z;
}
template <class F>
CAROM_HD F determinant(Mat33T<F> a) {
  return dot(a.row0, cross(a.row1, a.row2));
}
// The inverse; a singular matrix gives zeros, which is what an immovable body needs.
template <class F>
CAROM_HD Mat33T<F> inverse(Mat33T<F> a) {
  const F det = determinant(a);
  const auto regular = abs(det) > F(0);
  const F inv = select(regular, F(1) / select(regular, det, F(1)), F(0));
  return mat33_columns(cross(a.row1, a.row2), cross(a.row2, a.row0), cross(a.row0, a.row1)) * inv;
}
template <class F>
CAROM_HD auto is_finite(Mat33T<F> a) {
  return is_finite(a.row0) && is_finite(a.row1) && is_finite(a.row2);
}

}  // namespace carom::inline CAROM_PRECISION
