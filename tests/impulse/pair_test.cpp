// Several points of one pair: closed forms, complementarity against all active sets, cones and energy.
#include "carom/impulse/pair.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "impulse/random_collision.h"

namespace carom {
namespace {

using namespace test;

constexpr Real kDigits = sizeof(Real) == 8 ? Real(1e-10) : Real(1e-4);
constexpr Real kTight = sizeof(Real) == 8 ? Real(1e-12) : Real(1e-6);

PairPoint point_at(Vec3 normal, Vec3 r1, Vec3 r2, Real e, Real mu) {
  PairPoint p{};
  p.normal = normal;
  p.r1 = r1;
  p.r2 = r2;
  p.restitution = e;
  p.friction = mu;
  p.active = true;
  return p;
}
ImpactBody fixed_body() { return {}; }

// A cube of side 1 and mass 2 on its four lower corners.
constexpr Real kCubeMass = 2, kCubeInertia = kCubeMass / 6;
ImpactBody cube(Vec3 v) {
  const Real i = 1 / kCubeInertia;
  return {v, {}, 1 / kCubeMass, mat33_diagonal(Vec3{i, i, i})};
}
std::vector<PairPoint> corners(Real e, Real mu) {
  std::vector<PairPoint> p;
  const Real h = Real(0.5);
  for (const Real x : {-h, h})
    for (const Real y : {-h, h}) p.push_back(point_at({0, 0, -1}, {x, y, -h}, {}, e, mu));
  return p;
}

// Proves that a box which lands flat bounces as from one contact below its centre, without spin, and that friction
// takes mu times the normal impulse from its sliding, against it.
TEST(Pair, BoxLandsFlat) {
  for (const Real e : {Real(0), Real(0.5), Real(1)}) {
    for (const Real mu : {Real(0), Real(0.1), Real(0.3)}) {
      ImpactBody box = cube({3, 4, -1}), ground = fixed_body();
      std::vector<PairPoint> p = corners(e, mu);
      ASSERT_TRUE(solve_pair(box, ground, p.data(), 4, {.tolerance = kTight}));
      const Real lost = mu * (1 + e);  // of a speed of 5
      EXPECT_NEAR(box.velocity.z, e, kDigits);
      EXPECT_NEAR(box.velocity.x, 3 - lost * Real(0.6), kDigits);
      EXPECT_NEAR(box.velocity.y, 4 - lost * Real(0.8), kDigits);
      EXPECT_NEAR(length(box.angular_velocity), 0, kDigits);
      Real total = 0;
      for (const PairPoint& one : p) total += one.impulse.z;
      EXPECT_NEAR(total, kCubeMass * (1 + e), kDigits);
      EXPECT_TRUE((ground.velocity == Vec3{}));
    }
  }
}

// Proves that points which separate, touch without speed, or are not active get nothing.
TEST(Pair, NothingToDo) {
  ImpactBody box = cube({0, 0, 1}), ground = fixed_body();
  std::vector<PairPoint> p = corners(1, 1);
  ASSERT_TRUE(solve_pair(box, ground, p.data(), 4));
  EXPECT_TRUE((box.velocity == Vec3{0, 0, 1}));
  box = cube({0, 0, 0});
  ASSERT_TRUE(solve_pair(box, ground, p.data(), 4));
  for (const PairPoint& one : p) EXPECT_EQ(length(one.impulse), 0);
  box = cube({0, 0, -1});
  for (PairPoint& one : p) one.active = false;
  ASSERT_TRUE(solve_pair(box, ground, p.data(), 4));
  EXPECT_TRUE((box.velocity == Vec3{0, 0, -1}));
  ImpactBody other = fixed_body();
  for (PairPoint& one : p) one.active = true;
  other.velocity = {0, 0, 1};
  ASSERT_TRUE(solve_pair(other, ground, p.data(), 4));  // neither can move
  for (const PairPoint& one : p) EXPECT_EQ(length(one.impulse), 0);
}

// Two random bodies for a pair, and their collision as impulse_by_collision() takes it.
ImpactBody pair_body(const Body& body) {
  const Mat33 R = mat33_from_euler(body.euler);
  const Vec3 inverse{Real(1 / body.moments.x), Real(1 / body.moments.y), Real(1 / body.moments.z)};
  return {Vec3{Real(body.v.x), Real(body.v.y), Real(body.v.z)}, Vec3{Real(body.w.x), Real(body.w.y), Real(body.w.z)},
          Real(1 / body.m), R * mat33_diagonal(inverse) * transpose(R)};
}

// Proves that one point gives the impulse of impulse_by_collision with an oriented normal, with friction and where the
// energy limits it.
TEST(Pair, OnePointIsACollision) {
  RandomCollisions random(41);
  for (int i = 0; i < 20000; ++i) {
    Collision c = random.next();
    c.oriented = true;
    c.friction = i % 3 ? random.number(0, 1) : Real(0);
    c.tangential_restitution = i % 4 ? Real(0) : random.number(-1, 1);
    c.restitution_threshold = i % 2 ? Real(1) : Real(0);
    const Vec3 J = impulse(c);
    const Bodies bodies = before(c);
    ImpactBody a = pair_body(bodies.self), b = pair_body(bodies.other);
    PairPoint p = point_at(normalize(c.normal), c.r1, c.r2, c.e, c.friction);
    p.tangential_restitution = c.tangential_restitution;
    ASSERT_TRUE(solve_pair(a, b, &p, 1, {.restitution_threshold = c.restitution_threshold})) << i;
    ASSERT_LT(length(p.impulse - J), 2000 * kEps * (length(J) + 1)) << i;
    const Bodies then = after(c, p.impulse);
    ASSERT_LT(test::length(Double3(a.velocity) - then.self.v), 64 * kEps * 20) << i;
    ASSERT_LT(test::length(Double3(b.angular_velocity) - then.other.w), 64 * kEps * 100) << i;
  }
}

// -- Against all active sets.

constexpr int kMost = 4;
using Matrix = std::array<std::array<double, kMost>, kMost>;
using Column = std::array<double, kMost>;

// Solves A x = b on the points of a set by elimination; false if A is singular there.
bool solve_on(const Matrix& A, const Column& b, int n, unsigned set, Column& x) {
  std::vector<int> at;
  for (int i = 0; i < n; ++i)
    if (set >> i & 1) at.push_back(i);
  const int m = static_cast<int>(at.size());
  std::vector<std::vector<double>> M(m, std::vector<double>(m + 1));
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < m; ++j) M[i][j] = A[at[i]][at[j]];
    M[i][m] = b[at[i]];
  }
  for (int k = 0; k < m; ++k) {  // positive definite: no pivoting
    if (M[k][k] < 1e-6) return false;
    for (int i = 0; i < m; ++i) {
      if (i == k) continue;
      const double f = M[i][k] / M[k][k];
      for (int j = k; j <= m; ++j) M[i][j] -= f * M[k][j];
    }
  }
  x.fill(0);
  for (int i = 0; i < m; ++i) x[at[i]] = M[i][m] / M[i][i];
  return true;
}

// Normal impulses with lambda >= 0, A lambda + q >= 0 and one of them zero, by trying every set of active points.
bool complementary(const Matrix& A, const Column& q, int n, Column& lambda) {
  for (unsigned set = 0; set < 1u << n; ++set) {
    Column minus_q{};
    for (int i = 0; i < n; ++i) minus_q[i] = -q[i];
    if (!solve_on(A, minus_q, n, set, lambda)) continue;
    bool fits = true;
    for (int i = 0; i < n; ++i) {
      double w = q[i];
      for (int j = 0; j < n; ++j) w += A[i][j] * lambda[j];
      fits = fits && lambda[i] >= -1e-12 && w >= -1e-9;
    }
    if (fits) return true;
  }
  return false;
}

struct PairCase {
  Collision bodies;
  std::vector<PairPoint> points;
};

PairCase random_pair(RandomCollisions& random, int count, Real e, Real mu) {
  PairCase result{random.next(), {}};
  const Vec3 apart = result.bodies.r1 - result.bodies.r2;  // from the centre of body 1 to that of body 2
  const Vec3 n = normalize(random.direction());
  for (int i = 0; i < count; ++i) {
    const Vec3 r = result.bodies.r1 + random.vector(Real(0.7));
    result.points.push_back(point_at(normalize(n + random.vector(Real(0.3))), r, r - apart, e, mu));
  }
  return result;
}

double gain(const PairCase& c, const std::vector<Vec3>& impulses) {
  Bodies b = before(c.bodies);
  const double e0 = energy(b);
  for (std::size_t i = 0; i < c.points.size(); ++i) {
    b.self = b.self.pushed(Double3(c.points[i].r1), Double3(impulses[i]));
    b.other = b.other.pushed(Double3(c.points[i].r2), Double3(impulses[i]) * -1);
  }
  return energy(b) - e0;
}

// Proves that without friction the sweeps find the one solution of the complementarity problem; where that would gain
// energy, they give one that does not.
TEST(Pair, FrictionlessPointsAreComplementary) {
  RandomCollisions random(42);
  int compared = 0;
  const ImpactConfig config{.max_iterations = 20000, .tolerance = kTight};
  for (int trial = 0; trial < 3000; ++trial) {
    const int n = 1 + trial % kMost;
    PairCase c = random_pair(random, n, trial % 2 ? random.number(0, 1) : Real(0), 0);
    if (trial % 4 == 3)
      for (PairPoint& p : c.points) p.restitution = trial % 8 == 7 ? Real(1) : random.number(0, 1);
    const Bodies bodies = before(c.bodies);
    Matrix A{};
    Column q{}, lambda{};
    for (int i = 0; i < n; ++i) {
      const PairPoint& p = c.points[i];
      const auto normal_velocity = [&](const Bodies& b) {
        const Double3 at = (b.self.v + cross(b.self.w, Double3(p.r1))) - (b.other.v + cross(b.other.w, Double3(p.r2)));
        return -dot(at, Double3(p.normal));
      };
      const double u = normal_velocity(bodies);
      q[i] = u - p.restitution * std::max(0.0, -u);
      for (int j = 0; j < n; ++j) {
        const PairPoint& other = c.points[j];
        const Double3 J = Double3(other.normal) * -1;
        const Bodies pushed{bodies.self.pushed(Double3(other.r1), J), bodies.other.pushed(Double3(other.r2), J * -1)};
        A[i][j] = normal_velocity(pushed) - u;
      }
    }
    if (!complementary(A, q, n, lambda)) continue;  // all but singular
    std::vector<Vec3> expected, found;
    double size = 0;
    for (int i = 0; i < n; ++i) {
      expected.push_back(c.points[i].normal * Real(-lambda[i]));
      size = std::max(size, lambda[i]);
    }
    ImpactBody a = pair_body(bodies.self), b = pair_body(bodies.other);
    ASSERT_TRUE(solve_pair(a, b, c.points.data(), n, config)) << trial;
    for (const PairPoint& p : c.points) found.push_back(p.impulse);
    if (gain(c, expected) > -1e-9 * size) {
      ASSERT_LT(gain(c, found), (kTight + 100 * kEps) * (size + 1) * 10) << trial;
      continue;
    }
    ++compared;
    for (int i = 0; i < n; ++i)  // velocities are unique where impulses may not be
      for (int j = 0; j < n; ++j) {
        double w = q[i], reference = q[i];
        for (int k = 0; k < n; ++k) {
          w += A[i][k] * -dot(Double3(found[k]), Double3(c.points[k].normal));
          reference += A[i][k] * lambda[k];
        }
        ASSERT_NEAR(w, reference, (sizeof(Real) == 8 ? 1e-8 : 2e-3) * (size + 1)) << trial;
      }
  }
  EXPECT_GT(compared, 1500);
}

// Proves with friction that impulses stay in their cones, points that are pushed get the velocity of restitution unless
// the energy forbids it, no point approaches afterwards, and energy never grows.
TEST(Pair, FrictionStaysInTheConesAndGainsNoEnergy) {
  RandomCollisions random(43);
  int converged = 0, exact = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    const int n = 1 + trial % kMost;
    const Real e = random.number(0, 1);
    PairCase c = random_pair(random, n, e, random.number(0, 1));
    const Bodies bodies = before(c.bodies);
    ImpactBody a = pair_body(bodies.self), b = pair_body(bodies.other);
    std::vector<double> bounce;
    for (const PairPoint& p : c.points)
      bounce.push_back(p.restitution * std::max(Real(0), dot(velocity_at(a, b, p), p.normal)));
    const bool done = solve_pair(a, b, c.points.data(), n, {.max_iterations = 2000, .tolerance = kTight});
    converged += done;
    std::vector<Vec3> found;
    double size = 0;
    for (const PairPoint& p : c.points) {
      found.push_back(p.impulse);
      size = std::max(size, double(length(p.impulse)));
      const double J_n = -dot(p.impulse, p.normal);
      ASSERT_LE(length(fma(p.normal, Real(J_n), p.impulse)), p.friction * J_n + 64 * kEps * (size + 1)) << trial;
    }
    const double change = gain(c, found);
    ASSERT_LT(change, (2 * kTight + 200 * kEps) * (size + 1) * 10) << trial;
    if (!done) continue;
    bool restitution = true;
    const double tolerance = (sizeof(Real) == 8 ? 1e-8 : 3e-3) * (size + 1);
    for (int i = 0; i < n; ++i) {
      const double u = -dot(velocity_at(a, b, c.points[i]), c.points[i].normal);
      ASSERT_GT(u, -tolerance) << trial;
      const bool pushed = length(c.points[i].impulse) > 1e-3;
      restitution = restitution && u > bounce[i] - tolerance && (!pushed || u < bounce[i] + tolerance);
    }
    exact += restitution;
    ASSERT_TRUE(restitution || change > -1e-3 * (size + 1) * size) << trial << " " << change;
  }
  EXPECT_GT(converged, 4500);
  EXPECT_GT(exact, 4000);
}

}  // namespace
}  // namespace carom
