// Vectors of doubles for references that share no arithmetic with the library.
#pragma once

#include <cmath>

#include "carom/math/vec.h"

namespace carom::test {

struct Double3 {
  double x = 0, y = 0, z = 0;
  Double3() = default;
  Double3(double x, double y, double z) : x(x), y(y), z(z) {}
  explicit Double3(Vec3 v) : x(v.x), y(v.y), z(v.z) {}
};
inline Double3 operator+(Double3 a, Double3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Double3 operator-(Double3 a, Double3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Double3 operator*(Double3 a, double s) { return {a.x * s, a.y * s, a.z * s}; }
inline double dot(Double3 a, Double3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Double3 cross(Double3 a, Double3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double length(Double3 a) { return std::sqrt(dot(a, a)); }
inline Double3 unit(Double3 a) { return a * (1 / length(a)); }

}  // namespace carom::test
