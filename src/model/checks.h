// Checks of numbers that users hand over. Each throws an Error that says whose number it is and what would be right.
#pragma once

#include "base/fail.h"
#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

inline void check_finite(const std::string& who, const char* what, Real value) {
  if (!is_finite(value)) fail(who, ": ", what, " is ", value, "; give a finite number");
}

inline void check_finite(const std::string& who, const char* what, Vec3 v) {
  if (!is_finite(v)) fail(who, ": ", what, " is (", v.x, ", ", v.y, ", ", v.z, "); give finite numbers");
}

inline void check_not_negative(const std::string& who, const char* what, Real value) {
  check_finite(who, what, value);
  if (value < 0) fail(who, ": ", what, " must not be negative, is ", value);
}

inline void check_positive(const std::string& who, const char* what, Real value) {
  check_finite(who, what, value);
  if (!(value > 0)) fail(who, ": ", what, " must be positive, is ", value);
}

// A rotation must come as a unit quaternion; what single-precision arithmetic leaves of one is near enough and is
// normalised.
inline Quat check_unit(const std::string& who, const char* what, Quat q) {
  const Real norm = sqrt(dot(q, q));
  if (!is_finite(norm) || abs(norm - Real(1)) > Real(1e-3))
    fail(who, ": ", what, " has the quaternion (", q.x, ", ", q.y, ", ", q.z, ", ", q.w, ") of length ", norm,
         "; normalise it (order x, y, z, w)");
  return normalize(q);
}

inline Transform check_transform(const std::string& who, const char* what, Transform X) {
  check_finite(who, what, X.p);
  return {X.p, check_unit(who, what, X.q)};
}

}  // namespace carom::inline CAROM_PRECISION
