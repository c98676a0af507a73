// Reading the rows of a compiled model's fields. An index of the model that is out of range is an Error, not a crash:
// the numbers may come from a file, or from a user who changed them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/fail.h"
#include "io/doubles.h"

namespace carom::inline CAROM_PRECISION {

// The numbers of row i, with `width` of them in each.
template <class T>
const T* row(const std::vector<T>& values, int i, int width = 1) {
  const std::size_t rows = values.size() / width;
  if (i < 0 || static_cast<std::size_t>(i) >= rows)
    fail("a compiled model refers to row ", i, " of an array that has ", rows, " rows");
  return values.data() + static_cast<std::size_t>(i) * width;
}
template <class T>
T at(const std::vector<T>& values, int i) {
  return *row(values, i);
}
// `count` rows from `first` on.
template <class T>
const T* rows_from(const std::vector<T>& values, std::int64_t first, std::int64_t count, int width = 1) {
  const std::int64_t rows = static_cast<std::int64_t>(values.size()) / width;
  if (first < 0 || count < 0 || first + count > rows)
    fail("a compiled model refers to rows ", first, " to ", first + count, " of an array that has ", rows, " rows");
  return values.data() + first * width;
}

template <int N>
std::array<double, N> doubles(const std::vector<double>& values, int i) {
  const double* from = row(values, i, N);
  std::array<double, N> result;
  for (int k = 0; k < N; ++k) result[k] = from[k];
  return result;
}
inline Vec3d vec3(const double* p) { return {p[0], p[1], p[2]}; }
inline Vec3d vec3(const std::vector<double>& values, int i) { return vec3(row(values, i, 3)); }
inline Quatd quat(const double* wxyz) { return {wxyz[1], wxyz[2], wxyz[3], wxyz[0]}; }
inline Quatd quat(const std::vector<double>& values, int i) { return quat(row(values, i, 4)); }

// -- Rounded to the precision of the model

template <int N>
RealN<N> reals(const std::vector<double>& values, int i) {
  return to_real(doubles<N>(values, i));
}
inline Real real(const std::vector<double>& values, int i) { return Real(at(values, i)); }
inline void set_range(Real& lower, Real& upper, const std::vector<double>& ranges, int i) {
  const RealN<2> range = reals<2>(ranges, i);
  lower = range[0];
  upper = range[1];
}
// The coefficients of a spring or damper.
inline RealN<2> scaled(double factor, std::array<double, 2> values, std::array<double, 2> added = {}) {
  return {Real(factor * (values[0] + added[0])), Real(factor * (values[1] + added[1]))};
}

}  // namespace carom::inline CAROM_PRECISION
