// Files are read in double precision: its types, and the way to that of the model.
#pragma once

#include <array>

#include "carom/config.h"
#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

using Vec3d = Vec3T<double>;
using Quatd = QuatT<double>;
using Mat33d = Mat33T<double>;
using Transformd = TransformT<double>;

template <std::size_t N>
RealN<N> to_real(const std::array<double, N>& values) {
  RealN<N> result;
  for (std::size_t k = 0; k < N; ++k) result[k] = Real(values[k]);
  return result;
}
inline Vec3 to_real(Vec3d v) { return {Real(v.x), Real(v.y), Real(v.z)}; }
inline Quat to_real(Quatd q) { return {Real(q.x), Real(q.y), Real(q.z), Real(q.w)}; }
inline Transform to_real(const Transformd& X) { return {to_real(X.p), to_real(X.q)}; }

inline Vec3d to_double(Vec3 v) { return {double(v.x), double(v.y), double(v.z)}; }
inline Quatd to_double(Quat q) { return {double(q.x), double(q.y), double(q.z), double(q.w)}; }
inline Transformd to_double(const Transform& X) { return {to_double(X.p), to_double(X.q)}; }

}  // namespace carom::inline CAROM_PRECISION
