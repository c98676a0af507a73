// Checks of numbers that users hand over. Each throws an Error that says whose number it is and what would be right.
#pragma once

#include <array>

#include "base/fail.h"
#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

// "body 3" or "body 3 'arm'", of what is about to be added.
inline std::string describe_new(const char* what, int index, const std::string& key) {
  return key.empty() ? text(what, " ", index) : text(what, " ", index, " '", key, "'");
}

inline void check_finite(const std::string& who, const char* what, Real value) {
  if (!is_finite(value)) fail(who, ": ", what, " is ", value, "; give a finite number");
}

inline void check_finite(const std::string& who, const char* what, Vec3 v) {
  if (!is_finite(v)) fail(who, ": ", what, " is (", v.x, ", ", v.y, ", ", v.z, "); give finite numbers");
}

template <std::size_t N>
void check_finite(const std::string& who, const char* what, const std::array<Real, N>& numbers) {
  for (std::size_t i = 0; i < N; ++i)
    if (!is_finite(numbers[i])) fail(who, ": ", what, "[", i, "] is ", numbers[i], "; give finite numbers");
}

inline void check_not_negative(const std::string& who, const char* what, Real value) {
  check_finite(who, what, value);
  if (value < 0) fail(who, ": ", what, " must not be negative, is ", value);
}

inline void check_positive(const std::string& who, const char* what, Real value) {
  check_finite(who, what, value);
  if (!(value > 0)) fail(who, ": ", what, " must be positive, is ", value);
}

inline void check_range(const std::string& who, const char* lower_name, Real lower, const char* upper_name,
                        Real upper) {
  check_finite(who, lower_name, lower);
  check_finite(who, upper_name, upper);
  if (lower > upper) fail(who, ": ", lower_name, " ", lower, " is above ", upper_name, " ", upper, "; swap them");
}

// Dimensions that a contact can have.
inline bool is_condim(int condim) { return condim == 1 || condim == 3 || condim == 4 || condim == 6; }

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
