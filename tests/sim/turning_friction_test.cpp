// Friction of spinning and rolling (condim 4 and 6) against closed forms, for balls on planes.
//
//   spinning about the normal     d omega/dt = -spin m g / I
//   rolling                       d v/dt = -roll g / (7/5 r + roll / mu)
//
// The second: the moment M = 7/5 m r a holds a rolling ball back, and in a pyramid all kinds of friction share one
// normal force, M / roll + m a / mu = m g. Both are means: a soft contact that slides pushes off and lands again.
#include <gtest/gtest.h>

#include <cmath>

#include "carom/carom.h"

namespace carom {
namespace {

constexpr Real kRadius = Real(0.1), kMass = 2, kG = Real(9.81), kMu = 1, kSpin = Real(0.02), kRoll = Real(0.01);
constexpr Real kInertia = Real(0.4) * kMass * kRadius * kRadius;
constexpr Real kDt = Real(1e-3);

// One ball in every world, each with a condim of its own. They come to rest first and get a velocity then.
class Balls {
 public:
  Balls(const std::vector<int>& condims, SpatialVector start)
      : model_(make(condims)),
        sim_(model_, SolverMuJoCo(model_, {.tolerance = sizeof(Real) == 8 ? Real(1e-18) : Real(1e-11)}), kDt) {
    sim_.step(500);
    for (int w = 0; w < model_.world_count; ++w)
      for (int i = 0; i < 3; ++i) {
        sim_.state().joint_qd[6 * w + i] = start.linear[i];
        sim_.state().joint_qd[6 * w + 3 + i] = start.angular[i];
      }
    eval_fk(model_, sim_.state().joint_q, sim_.state().joint_qd, sim_.state());
    sim_.step(50);  // until the push is that of a steady motion
  }
  SpatialVector velocity(int w) { return sim_.state().body_qd[w]; }
  // Of all balls, the mean over so many steps.
  std::vector<SpatialVector> acceleration(int steps) {
    std::vector<SpatialVector> a;
    for (int w = 0; w < model_.world_count; ++w) a.push_back(velocity(w));
    sim_.step(steps);
    for (int w = 0; w < model_.world_count; ++w) a[w] = (velocity(w) - a[w]) * (1 / (Real(steps) * kDt));
    return a;
  }
  Simulation& sim() { return sim_; }

 private:
  static Model make(const std::vector<int>& condims) {
    ModelBuilder builder;
    for (const int condim : condims) {
      builder.begin_world();
      ShapeConfig cfg;
      cfg.mu = kMu, cfg.torsional_friction = kSpin, cfg.rolling_friction = kRoll, cfg.density = 0, cfg.thickness = 0;
      cfg.condim = condim;
      cfg.solref = {Real(0.02), 1}, cfg.solimp = {Real(0.9), Real(0.9), Real(0.001), Real(0.5), 2};
      builder.add_ground_plane(0, {.cfg = cfg});
      const Transform X_WB{{0, 0, kRadius}, {}};
      const int ball = builder.add_body({.xform = X_WB, .inertia = mat33_identity<Real>() * kInertia, .mass = kMass});
      builder.add_shape_sphere(ball, kRadius, {.cfg = cfg});
      builder.end_world();
    }
    return builder.finalize();
  }

  Model model_;
  Simulation sim_;
};

// Proves that spinning is slowed down by torsional friction, to a stop, and not at all without it.
TEST(TurningFriction, SpinningBallsStop) {
  Balls balls({1, 3, 4, 6}, {{}, {0, 0, 30}});
  const std::vector<SpatialVector> a = balls.acceleration(200);
  const Real expected = -kSpin * kMass * kG / kInertia;
  EXPECT_NEAR(a[0].angular.z, 0, Real(1e-4));
  EXPECT_NEAR(a[1].angular.z, 0, Real(1e-4));
  EXPECT_NEAR(a[2].angular.z, expected, std::abs(expected) * Real(0.03));
  EXPECT_NEAR(a[3].angular.z, expected, std::abs(expected) * Real(0.03));
  balls.sim().step(1000);  // 30 / 49.05 s until they stop
  EXPECT_GT(balls.velocity(1).angular.z, 29);
  for (const int w : {2, 3}) EXPECT_NEAR(balls.velocity(w).angular.z, 0, Real(1e-3));
}

// Proves that rolling is slowed down by rolling friction alone, along the axes of the pyramid.
TEST(TurningFriction, RollingBallsStop) {
  for (const bool along_y : {false, true}) {
    const SpatialVector start = along_y ? SpatialVector{{0, 1, 0}, {-1 / kRadius, 0, 0}}  //
                                        : SpatialVector{{1, 0, 0}, {0, 1 / kRadius, 0}};
    Balls balls({3, 4, 6}, start);
    const std::vector<SpatialVector> a = balls.acceleration(400);
    const Real expected = -kRoll * kG / (Real(1.4) * kRadius + kRoll / kMu);
    const int axis = along_y ? 1 : 0;
    EXPECT_NEAR(a[0].linear[axis], 0, Real(1e-4));
    EXPECT_NEAR(a[1].linear[axis], 0, Real(1e-4));
    EXPECT_NEAR(a[2].linear[axis], expected, std::abs(expected) * Real(0.03));
    balls.sim().step(2000);
    EXPECT_GT(balls.velocity(1).linear[axis], Real(0.99));
    EXPECT_NEAR(balls.velocity(2).linear[axis], 0, Real(0.02));  // and creeps
    EXPECT_NEAR(length(balls.velocity(2).angular), 0, Real(0.2));
  }
}

// Soft friction creeps. With the share A = -x_n of an edge and S = friction x_i of those that a moment turns, all edges
// push as long as S < A; beyond, one of a pair lets go.
//
//   n edges:      f_n = n D A,             moment = 2 friction D S
//   n - 1 edges:  f_n = D ((n - 1) A + S), moment = friction D (A + S)
//
// At rest A = K d depth and S = friction B omega.
TEST(TurningFriction, MomentsCreep) {
  constexpr double kImpedance = 0.9, kTime = 0.02, kBound = sizeof(Real) == 8 ? 1e-7 : 2e-3;
  const double stiffness = 1 / std::pow(kImpedance * kTime, 2), damping = 2 / (kImpedance * kTime);
  const double D = kMass * kImpedance / (1 - kImpedance) / (2 * kMu * kMu * (1 + kMu * kMu));
  for (const double share : {0.1, 0.3, 0.6, 0.8}) {
    SCOPED_TRACE(::testing::Message() << share << " of the moment that would turn it");
    const double moment = share * kSpin * kMass * kG;
    Balls balls({4, 6}, {});
    for (int w = 0; w < 2; ++w) balls.sim().control().joint_f[6 * w + 5] = Real(moment);
    balls.sim().step(3000);
    for (int w = 0; w < 2; ++w) {
      const double edges = w == 0 ? 6 : 10, f_n = kMass * kG / D, f_s = moment / (kSpin * D);
      double A = f_n / edges, S = f_s / 2;
      if (S > A) A = (f_n - f_s) / (edges - 2), S = f_s - A;
      EXPECT_NEAR(balls.velocity(w).angular.z, S / (kSpin * damping), kBound * S / (kSpin * damping));
      const double depth = kRadius - balls.sim().state().body_q[w].p.z;
      EXPECT_NEAR(depth, A / (stiffness * kImpedance), kBound * kRadius);
    }
  }
}

}  // namespace
}  // namespace carom
