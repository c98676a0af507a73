// Principal axes by Jacobi's method, with the rotation kept as a quaternion: each turn zeroes the largest element
// beside the diagonal. Which of the 24 frames comes out depends on the order of the turns, so it is MuJoCo's: turns
// smaller than 45 degrees, then quarter turns until the eigenvalues fall.
#include <algorithm>
#include <cmath>

#include "io/mjcf/compile.h"

namespace carom::inline CAROM_PRECISION {

namespace {

constexpr double kEigenTolerance = 4e-15;  // of the largest element

struct Plane {
  int row, column, axis;  // the axis about which it is turned
};

Mat33d in_frame(const Mat33d& A, const Quatd& q) {
  const Mat33d R = mat33_from_quat(q);
  return transpose(R) * A * R;
}

Plane largest_beside_diagonal(const Mat33d& D) {
  const double xy = std::abs(D[0][1]), xz = std::abs(D[0][2]), yz = std::abs(D[1][2]);
  if (xy > xz && xy > yz) return {0, 1, 2};
  return xz > yz ? Plane{0, 2, 1} : Plane{1, 2, 0};
}

// The turn in a plane that zeroes its element; false: it is too small to matter.
bool zeroing_turn(const Mat33d& D, const Plane& plane, double tolerance, Quatd& turn) {
  const double beside = D[plane.row][plane.column];
  if (std::abs(beside) <= tolerance) return false;
  const double tau = (D[plane.column][plane.column] - D[plane.row][plane.row]) / (2 * beside);
  const double sign = tau >= 0 ? 1 : -1;
  const double tangent = sign / (std::abs(tau) + std::sqrt(1 + tau * tau));
  const double cosine = 1 / std::sqrt(1 + tangent * tangent);
  const double half_cosine = std::sqrt((1 + cosine) / 2), half_sine = -tangent * cosine / (2 * half_cosine);
  turn = {0, 0, 0, half_cosine};
  turn[plane.axis] = plane.axis == 1 ? -half_sine : half_sine;
  return true;
}

}  // namespace

PrincipalFrame principal_frame(const Mat33d& symmetric, double tolerance) {
  constexpr int kMostTurns = 500;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) tolerance = std::max(tolerance, kEigenTolerance * std::abs(symmetric[i][j]));
  Quatd q{};
  for (int i = 0; i < kMostTurns; ++i) {
    const Mat33d D = in_frame(symmetric, q);
    Quatd turn;
    if (!zeroing_turn(D, largest_beside_diagonal(D), tolerance, turn)) break;
    q = normalize(q * turn);
  }
  const Mat33d D = in_frame(symmetric, q);
  Vec3d values{D[0][0], D[1][1], D[2][2]};
  for (const int first : {0, 1, 0}) {
    if (values[first] + tolerance >= values[first + 1]) continue;
    std::swap(values[first], values[first + 1]);
    Quatd quarter{0, 0, 0, std::sqrt(0.5)};
    quarter[(first + 2) % 3] = std::sqrt(0.5);
    q = normalize(q * quarter);
  }
  return {values, q};
}

}  // namespace carom::inline CAROM_PRECISION
