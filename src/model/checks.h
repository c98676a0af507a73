// Checks of numbers that users hand over. Each throws an Error that says whose number it is and what would be right.
#pragma once

#include <array>
#include <span>

#include "base/fail.h"
#include "carom/config.h"
#include "carom/geometry.h"
#include "model/contact_options.h"

namespace carom::inline CAROM_PRECISION {

// "body 3" or "body 3 'arm'", of what is about to be added.
inline std::string describe_new(const char* what, int index, const std::string& key) {
  std::string words = std::string(what) + " " + std::to_string(index);  // for every entity: streams are slow
  return key.empty() ? words : words + " '" + key + "'";
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

// Steps whose ctrl an actuator can keep, and readings of a sensor.
inline constexpr int kMostDelaySamples = 1 << 20;

inline void check_not_negative(const std::string& who, const char* what, Real value) {
  check_finite(who, what, value);
  if (value < 0) fail(who, ": ", what, " must not be negative, is ", value);
}

inline void check_positive(const std::string& who, const char* what, Real value) {
  check_finite(who, what, value);
  if (!(value > 0)) fail(who, ": ", what, " must be positive, is ", value);
}

inline bool is_sleep_policy(int policy) { return policy >= 0 && policy < kSleepPolicies; }

inline void check_options(const ModelOptions& options) {
  check_positive("options", "timestep", options.timestep);
  check_positive("options", "impratio", options.impratio);
  if (options.noslip_iterations < 0)
    fail("options: noslip_iterations must not be negative, is ", options.noslip_iterations);
  check_not_negative("options", "noslip_tolerance", options.noslip_tolerance);
  check_not_negative("options", "sleep_tolerance", options.sleep_tolerance);
  check_not_negative("options", "contact_keep_distance", options.contact_keep_distance);
  check_not_negative("options", "density", options.density);
  check_not_negative("options", "viscosity", options.viscosity);
  check_finite("options", "wind", options.wind);
  check_finite("options", "magnetic", options.magnetic);
  if (const int rule = static_cast<int>(options.combine); rule < 0 || rule >= kCombineRules)
    fail("options: combine rule ", rule, " does not exist");
  visit_particle_material(options, [](const char* name, Real value) { check_not_negative("options", name, value); });
}

inline void check_range(const std::string& who, const char* lower_name, Real lower, const char* upper_name,
                        Real upper) {
  check_finite(who, lower_name, lower);
  check_finite(who, upper_name, upper);
  if (lower > upper) fail(who, ": ", lower_name, " ", lower, " is above ", upper_name, " ", upper, "; swap them");
}

inline void check_finite(const std::string& who, const char* what, const SpatialVector& v) {
  check_finite(who, what, v.linear);
  check_finite(who, what, v.angular);
}

// A tensor of inertia is symmetric, not negative, and no moment exceeds the sum of the other two.
inline void check_inertia(const std::string& who, const Mat33& I, Real mass) {
  if (!is_finite(I)) fail(who, ": inertia is not finite; give nine finite numbers");
  const Real size = abs(I[0][0]) + abs(I[1][1]) + abs(I[2][2]);
  const Real slack = size * Real(1e-4);
  for (int i = 0; i < 3; ++i)
    if (I[i][i] < 0) fail(who, ": inertia must not be negative, is ", I[i][i], " about axis ", i);
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    if (abs(I[i][j] - I[j][i]) > slack) fail(who, ": inertia must be symmetric; it differs at ", i, ", ", j);
    if (I[i][i] > I[j][j] + I[k][k] + slack)
      fail(who, ": inertia about axis ", i, " is larger than the sum of the other two, which no rigid body has");
  }
  if (mass == 0 && size > 0) fail(who, ": has inertia but no mass; give a mass too");
}

// Of any length but zero; returns the direction.
inline Vec3 check_axis(const std::string& who, const char* what, Vec3 axis) {
  check_finite(who, what, axis);
  const Real norm = length(axis);
  if (!(norm > 0)) fail(who, ": ", what, " is zero; give a direction");
  return axis / norm;
}

// Angular axes of one joint are turned one after the other; only mutually perpendicular ones have unique angles.
inline void check_perpendicular(const std::string& who, std::span<const Vec3> axes) {
  for (std::size_t i = 0; i < axes.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (abs(dot(axes[i], axes[j])) > Real(1e-4))
        fail(who, ": axes ", j, " and ", i, " are not perpendicular; use perpendicular axes or two joints");
}

[[noreturn]] inline void fail_kinematic_child(const std::string& who, const std::string& parent) {
  fail(who, ": is_kinematic is for root bodies, but this one hangs on ", parent, "; make that one kinematic instead");
}

// Planes and fields have no size that an ellipsoid could have.
inline bool can_be_ellipsoid(ShapeType type) {
  return type != ShapeType::kPlane && type != ShapeType::kHeightfield && type != ShapeType::kSdf;
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
