// The solver against an independent solution of its problem: for a block with one contact and limits there are few sets
// of rows that may push, so all of them can be tried with dense matrices in double precision.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "carom/carom.h"
#include "tests/random.h"
#include "tests/sim/collide_first.h"

namespace carom {
namespace {

constexpr bool kDouble = sizeof(Real) == 8;
using Vector = std::array<double, 3>;

struct Row {
  Vector J;
  double D, a_ref;
};

double dot_product(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// A x = b by elimination with pivots.
Vector solve(std::array<Vector, 3> A, Vector b) {
  for (int k = 0; k < 3; ++k) {
    int pivot = k;
    for (int i = k + 1; i < 3; ++i)
      if (std::abs(A[i][k]) > std::abs(A[pivot][k])) pivot = i;
    std::swap(A[k], A[pivot]);
    std::swap(b[k], b[pivot]);
    for (int i = k + 1; i < 3; ++i) {
      const double factor = A[i][k] / A[k][k];
      for (int j = k; j < 3; ++j) A[i][j] -= factor * A[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (int k = 2; k >= 0; --k) {
    for (int j = k + 1; j < 3; ++j) b[k] -= A[k][j] * b[j];
    b[k] /= A[k][k];
  }
  return b;
}

struct Solution {
  Vector acceleration, force;
  unsigned pushing;  // rows, by bit
};

// min 1/2 m |a - a0|^2 + sum of 1/2 D min(J a - a_ref, 0)^2: of all sets of rows the one that is right about itself.
std::optional<Solution> by_trying_all(double mass, const Vector& a0, const std::vector<Row>& rows) {
  for (unsigned set = 0; set < 1u << rows.size(); ++set) {
    std::array<Vector, 3> H{};
    Vector b;
    for (int i = 0; i < 3; ++i) H[i][i] = mass, b[i] = mass * a0[i];
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (int i = 0; i < 3 && (set >> r & 1); ++i) {
        for (int j = 0; j < 3; ++j) H[i][j] += rows[r].D * rows[r].J[i] * rows[r].J[j];
        b[i] += rows[r].D * rows[r].J[i] * rows[r].a_ref;
      }
    Solution s{solve(H, b), {}, set};
    bool right = true;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const double x = dot_product(rows[r].J, s.acceleration) - rows[r].a_ref;
      right = right && (x < 0) == ((set >> r & 1) != 0);
      for (int i = 0; i < 3; ++i) s.force[i] -= rows[r].D * std::min(x, 0.0) * rows[r].J[i];
    }
    if (right) return s;
  }
  return std::nullopt;
}

// -- MuJoCo's formulas for K, B and the impedance, as in its manual.

struct Soft {
  RealN<2> solref;
  RealN<5> solimp;

  double impedance(double r) const {
    const double d0 = solimp[0], d1 = solimp[1], x = std::min(std::abs(r) / solimp[2], 1.0);
    const double mid = solimp[3], power = solimp[4];
    const double y = x <= mid ? std::pow(x, power) / std::pow(mid, power - 1)
                              : 1 - std::pow(1 - x, power) / std::pow(1 - mid, power - 1);
    return d0 + y * (d1 - d0);
  }
  double stiffness(double h) const {
    const double d = solimp[1];
    return solref[0] > 0 ? 1 / std::pow(d * std::max<double>(solref[0], 2 * h) * solref[1], 2) : -solref[0] / (d * d);
  }
  double damping(double h) const {
    const double d = solimp[1];
    return solref[0] > 0 ? 2 / (d * std::max<double>(solref[0], 2 * h)) : -solref[1] / d;
  }
  Row row(Vector J, const Vector& v, double r, double regularisation_per_impedance, double h) const {
    const double d = impedance(r);
    return {J, 1 / ((1 - d) / d * regularisation_per_impedance),
            -damping(h) * dot_product(J, v) - stiffness(h) * d * r};
  }
};

struct Draw {
  SeededRandom random;
  double operator()(double low, double high) { return random.uniform(low, high); }
  Real real(double low, double high) { return static_cast<Real>((*this)(low, high)); }
  Soft soft() {
    Soft s;
    s.solref = random.below(3) ? RealN<2>{real(0.001, 0.05), real(0.3, 2)} : RealN<2>{-real(100, 3000), -real(10, 100)};
    const Real powers[] = {1, 2, real(1, 4)};
    s.solimp = {real(0.1, 0.95), real(0.1, 0.99), real(0.0005, 0.01), real(0.2, 0.8), powers[random.below(3)]};
    return s;
  }
};

// A block that cannot turn, with a sphere as its foot on the ground and limits in all three directions.
struct Block {
  double h;  // [s]
  Real mass, mu;
  Soft contact, limit;
  bool frictionless;
  Vec3 gravity;

  Block(Draw& draw, int number) : h(draw(0.0005, 0.02)) {
    mass = draw.real(0.1, 10);
    mu = draw.real(0.1, 1.5);
    contact = draw.soft();
    limit = draw.soft();
    frictionless = number % 5 == 0;
    gravity = {draw.real(-5, 5), draw.real(-5, 5), draw.real(-15, 3)};
  }

  Model model() const {
    ModelBuilder builder;
    builder.gravity = gravity;
    ShapeConfig cfg;
    cfg.mu = mu, cfg.solref = contact.solref, cfg.solimp = contact.solimp, cfg.thickness = 0, cfg.density = 0;
    cfg.condim = frictionless ? 1 : 3;
    builder.add_ground_plane(0, {.cfg = cfg});
    const int block = builder.add_link({.mass = mass});
    std::vector<JointDofConfig> axes(3);
    for (int i = 0; i < 3; ++i) {
      axes[i].axis = {};
      axes[i].axis[i] = 1;
      axes[i].limit_lower = Real(-0.3), axes[i].limit_upper = Real(0.3);
      axes[i].limit_solref = limit.solref, axes[i].limit_solimp = limit.solimp;
    }
    builder.add_joint_d6(-1, block, axes, {});
    builder.add_shape_sphere(block, Real(0.1), {.cfg = cfg});
    return builder.finalize();
  }

  // The rows at positions q and velocities v: edges of the pyramid, or the normal, and limits that are passed.
  std::vector<Row> rows(const Vector& q, const Vector& v) const {
    std::vector<Row> all;
    const double distance = q[2] - 0.1, m2 = double(mu) * mu;
    if (distance < 0 && frictionless) all.push_back(contact.row({0, 0, 1}, v, distance, 1.0 / mass, h));
    if (distance < 0 && !frictionless)
      for (const Vector& edge : {Vector{0, mu, 1}, Vector{0, -mu, 1}, Vector{mu, 0, 1}, Vector{-mu, 0, 1}})
        all.push_back(contact.row(edge, v, distance, 2 * m2 * (1 + m2) / mass, h));
    for (int i = 0; i < 3; ++i)
      for (const double sign : {1.0, -1.0}) {
        const double r = 0.3 + sign * q[i];
        Vector J{};
        J[i] = sign;
        if (r < 0) all.push_back(limit.row(J, v, r, 1.0 / mass, h));
      }
    return all;
  }
};

// Proves that accelerations and forces are the minimum, in every regime of friction, with any solref and solimp, warm
// starts from anywhere, and steps that are too long for the time constants.
TEST(ContactProblem, BlockWithContactAndLimits) {
  Draw draw{SeededRandom(5)};
  std::map<unsigned, int> seen;
  for (int number = 0; number < 4500; ++number) {
    const Block block(draw, number);
    const Model model = block.model();
    SolverMuJoCo solver(model, {.tolerance = kDouble ? Real(1e-20) : Real(1e-11)});
    const State state = model.state();
    Vector q, v, g;
    for (int i = 0; i < 3; ++i) {
      state.joint_q[i] = i < 2 ? draw.real(-0.31, 0.31) : draw.real(0.09, 0.101);
      if (i < 2 && number % 2) state.joint_q[i] = 0;  // half of them away from the limits
      state.joint_qd[i] = draw.real(-0.5, 0.5);
      state.joint_qdd[i] = draw.real(-100, 100);
      q[i] = state.joint_q[i], v[i] = state.joint_qd[i], g[i] = block.gravity[i];
    }
    const std::vector<Row> rows = block.rows(q, v);
    const std::optional<Solution> expected = by_trying_all(block.mass, g, rows);
    ASSERT_TRUE(expected);
    const Forward forward = testing::CollidedForward(solver, state, model.control(), Real(block.h)).forward;
    ++seen[expected->pushing << 4 | static_cast<unsigned>(rows.size())];
    // Accelerations are sums of terms as large as the reference accelerations and gravity. Forces are m (a - g).
    double scale = std::max(1.0, std::sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]));
    for (const Row& row : rows) scale = std::max(scale, std::abs(row.a_ref));
    const double tolerance = scale * (kDouble ? 1e-10 : 1e-4);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(forward.qacc[i], expected->acceleration[i], tolerance);
      EXPECT_NEAR(forward.constraint_force[i], expected->force[i], block.mass * tolerance);
    }
    EXPECT_EQ(solver.reports().rows[0], static_cast<int>(rows.size()));
    if (HasFailure()) FAIL() << "block " << number;
  }
  EXPECT_GT(seen.size(), 40u);  // sets of rows that were the right one
}

// Proves that a solver which is not allowed to finish says so, in the worlds where it could not, and steps on.
TEST(ContactProblem, NotConvergedIsReported) {
  ModelBuilder heap, builder;
  for (int i = 0; i < 5; ++i) {
    const int ball = heap.add_body({.xform = {{Real(0.05) * Real(i), 0, Real(0.09) + Real(0.15) * Real(i)}, {}}});
    heap.add_shape_sphere(ball, Real(0.1));
    for (int k = 0; k < 3; ++k) heap.add_shape_sphere(ball, Real(0.05));
  }
  ModelBuilder lone;
  lone.add_body({.inertia = mat33_identity<Real>(), .mass = 1});
  builder.add_ground_plane();
  for (int w = 0; w < 4; ++w) builder.add_world(w % 2 ? lone : heap);
  const Model model = builder.finalize();
  const auto statuses = [&](int iterations) {
    Simulation simulation(model, SolverMuJoCo(model, {.iterations = iterations}), Real(0.002));
    std::array<std::int32_t, 4> seen{};
    for (int i = 0; i < 50; ++i) {
      simulation.step();
      for (int w = 0; w < 4; ++w) seen[w] |= simulation.status()[w];
      for (const std::int32_t taken : simulation.solver().reports().iterations) EXPECT_LE(taken, iterations);
    }
    for (const Real q : simulation.state().joint_q) EXPECT_TRUE(is_finite(q));
    return seen;
  };
  EXPECT_EQ(statuses(1), (std::array<std::int32_t, 4>{kStatusNotConverged, 0, kStatusNotConverged, 0}));
  EXPECT_EQ(statuses(100), (std::array<std::int32_t, 4>{}));
}

}  // namespace
}  // namespace carom
