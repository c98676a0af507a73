// Friction of the penalty solvers against closed forms.
#include "tests/solvers/penalty_scenes.h"

namespace carom {
namespace {

class PenaltyFriction : public PenaltySolvers {};

constexpr double kDegree = 3.14159265358979323846 / 180;

// Of 1 kg, by its half sizes.
Mat33 box_inertia(double hx, double hy, double hz) {
  const auto about = [](double a, double b) { return Real((a * a + b * b) / 3); };
  return mat33_diagonal<Real>({about(hy, hz), about(hx, hz), about(hx, hy)});
}

// A box stays on a slope if and only if its friction is larger than the tangent, and slides as Coulomb says.
TEST_P(PenaltyFriction, BoxesOnSlopes) {
  const double angles[]{3, 10, 20, 30, 40}, coefficients[]{0.1, 0.3, 0.5, 0.7, 1};
  ModelBuilder scene;
  for (const double mu : coefficients)
    for (const double angle : angles) {
      scene.begin_world("", slope_gravity(angle * kDegree));
      ShapeConfig cfg = hard_material(Real(mu));
      scene.add_ground_plane(0, {.cfg = cfg});
      const int body =
          scene.add_body({.xform = {{0, 0, Real(0.05)}, {}}, .inertia = box_inertia(0.1, 0.1, 0.05), .mass = 1});
      cfg.density = 0;
      scene.add_shape_box(body, Real(0.1), Real(0.1), Real(0.05), {.cfg = cfg});
      scene.end_world();
    }
  const Model model = scene.finalize();
  const Real dt = Real(0.004);
  Simulation sim(model, GetParam(), dt);
  sim.step(100);  // sinks in
  std::vector<Real> v0, x0;
  for (int w = 0; w < model.world_count; ++w)
    v0.push_back(sim.state().body_qd[w].linear.x), x0.push_back(sim.state().body_q[w].p.x);
  for (const int status : sim.step(250)) EXPECT_EQ(status, 0);
  int stuck = 0;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) {
      const double mu = coefficients[i], slope = angles[j] * kDegree, margin = atan(mu) - slope;
      const int w = 5 * i + j;
      SCOPED_TRACE(::testing::Message() << "mu " << mu << ", " << angles[j] << " degrees");
      ASSERT_GE(std::abs(margin), 1.2 * kDegree);
      const double moved = sim.state().body_q[w].p.x - x0[w], speed = sim.state().body_qd[w].linear.x;
      if (margin > 0) {
        EXPECT_LT(std::abs(moved), 2e-3);
        EXPECT_LT(std::abs(speed), 1e-3);
        ++stuck;
      } else {
        const double a = 9.81 * (sin(slope) - mu * cos(slope));
        EXPECT_NEAR(speed - v0[w], a * 250 * dt, 0.01 * a * 250 * dt);
      }
    }
  EXPECT_GT(stuck, 10);
}

// A sliding box stops after v^2 / (2 mu g).
TEST_P(PenaltyFriction, StoppingDistance) {
  for (const double mu : {0.2, 0.4, 0.7}) {
    ModelBuilder scene;
    const ShapeConfig ground = hard_material(Real(mu));
    scene.add_ground_plane(0, {.cfg = ground});
    const int body =
        scene.add_body({.xform = {{0, 0, Real(0.049)}, {}}, .inertia = box_inertia(0.3, 0.3, 0.05), .mass = 1});
    ShapeConfig cfg = ground;
    cfg.density = 0;
    scene.add_shape_box(body, Real(0.3), Real(0.3), Real(0.05), {.cfg = cfg});
    const Model model = scene.finalize();
    Simulation sim(model, GetParam(), Real(0.001));
    sim.step(300);
    const double x0 = sim.state().body_q[0].p.x;
    sim.state().body_qd[0].linear.x = 2;
    sim.step(static_cast<int>(1000 * (2 / (mu * 9.81) + 0.3)));
    const double expected = 2 * 2 / (2 * mu * 9.81);
    EXPECT_NEAR(sim.state().body_q[0].p.x - x0, expected, 0.01 * expected) << "mu " << mu;
    EXPECT_LT(std::abs(sim.state().body_qd[0].linear.x), 1e-3) << "mu " << mu;
  }
}

// A ball that spins on the spot is held back by torsional_friction times its weight, one that rolls by
// rolling_friction times it, so both lose speed evenly.
TEST_P(PenaltyFriction, SpinningAndRollingResistance) {
  const double torsional = 0.004, rolling = 0.002, r = 0.1;
  ModelBuilder scene;
  ShapeConfig cfg = hard_material(1);
  cfg.torsional_friction = Real(torsional), cfg.rolling_friction = Real(rolling);
  scene.add_ground_plane(0, {.cfg = cfg});
  for (const Real y : {Real(-1), Real(1)}) {
    const int body = scene.add_body({.xform = {{0, y, Real(r - 0.0001)}, {}}});
    scene.add_shape_sphere(body, Real(r), {.cfg = cfg});
  }
  const Model model = scene.finalize();
  const double m = model.body_mass[0], I = 0.4 * m * r * r, dt = 0.002;
  Simulation sim(model, GetParam(), Real(dt));
  sim.step(200);
  sim.state().body_qd[0].angular = {0, 0, 10};
  sim.state().body_qd[1] = {{1, 0, 0}, {0, Real(1 / r), 0}};
  sim.step(250);
  const double t = 250 * dt;
  const double spin = 10 - torsional * m * 9.81 / I * t;
  ASSERT_GT(spin, 1);
  EXPECT_NEAR(sim.state().body_qd[0].angular.z, spin, 0.01 * (10 - spin));
  const double slower = rolling * 9.81 / r / (1 + 0.4) * t;  // the moment acts about the point that rests
  EXPECT_NEAR(sim.state().body_qd[1].linear.x, 1 - slower, 0.02 * slower);
  EXPECT_NEAR(sim.state().body_qd[1].angular.y * r, sim.state().body_qd[1].linear.x, 2e-3);
  sim.step(1500);
  EXPECT_NEAR(sim.state().body_qd[0].angular.z, 0, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(All, PenaltyFriction, ::testing::ValuesIn(penalty_solvers()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace carom
