// What the geometry tests share: comparison of mass properties, and of what an Error says.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "carom/geometry.h"

namespace carom::inline CAROM_PRECISION {

constexpr double kPi = 3.14159265358979323846;
// Results are computed in double and rounded once; sizes such as 0.3 are rounded before.
constexpr double kRounding = sizeof(Real) == 4 ? 1e-6 : 1e-13;

// Mass relative; centre of mass relative to the size; inertia relative to mass times size squared.
inline void expect_inertia(const Inertia& actual, const InertiaT<double>& expected, double size, double tolerance) {
  EXPECT_NEAR(actual.mass, expected.mass, tolerance * expected.mass);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(actual.com[i], expected.com[i], tolerance * size) << "com " << i;
    for (int j = 0; j < 3; ++j) {
      EXPECT_NEAR(actual.inertia[i][j], expected.inertia[i][j], tolerance * expected.mass * size * size)
          << "inertia " << i << j;
    }
  }
}

inline InertiaT<double> to_double(const Inertia& b) {
  InertiaT<double> wide = {b.mass, {b.com.x, b.com.y, b.com.z}, {}};
  for (int i = 0; i < 3; ++i) wide.inertia[i] = {b.inertia[i].x, b.inertia[i].y, b.inertia[i].z};
  return wide;
}

// The call throws an Error whose message contains all the words.
template <class Call>
void expect_error(Call call, std::initializer_list<const char*> words) {
  try {
    call();
    ADD_FAILURE() << "no Error was thrown";
  } catch (const Error& error) {
    for (const char* word : words) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << "'" << word << "' not in: " << error.what();
    }
  }
}

}  // namespace carom::inline CAROM_PRECISION
