// What bounces under SolverXPBD, against closed forms.
#include <cmath>

#include "carom/carom.h"
#include "tests/solvers/penalty_scenes.h"

namespace carom {
namespace {

constexpr double kG = 9.81;

Simulation bouncing(const Model& model, Real dt) {
  return Simulation(model, make_solver("xpbd", model, {{"enable_restitution", 1}}), dt);
}
ShapeConfig bouncy(Real e) {
  ShapeConfig cfg;
  cfg.restitution = e, cfg.mu = Real(0.3);
  return cfg;
}

// What falls from a height of h comes up to e^2 h: balls, and boxes that land flat.
TEST(XpbdImpacts, BouncesToTheSquareOfRestitution) {
  const double r = 0.1, height = 1, coefficients[]{0, 0.25, 0.5, 0.8, 1};
  for (const double dt : {1.0 / 240, 1.0 / 1000}) {
    ModelBuilder scene;
    for (const double e : coefficients)
      for (const bool ball : {true, false}) {
        scene.begin_world();
        scene.add_ground_plane(0, {.cfg = bouncy(Real(e))});
        const int body = scene.add_body({.xform = {{0, 0, Real(r + height)}, {}}});
        if (ball) scene.add_shape_sphere(body, Real(r), {.cfg = bouncy(Real(e))});
        else scene.add_shape_box(body, Real(r), Real(r), Real(r), {.cfg = bouncy(Real(e))});
        scene.end_world();
      }
    const Model model = scene.finalize();
    Simulation sim = bouncing(model, Real(dt));
    std::vector<double> peak(model.world_count, 0);
    std::vector<bool> left(model.world_count, false);
    const double fall = std::sqrt(2 * height / kG);
    for (int n = 0; n * dt < fall * 2.9; ++n) {
      sim.step();
      for (int w = 0; w < model.world_count; ++w) {
        const double z = sim.state().body_q[w].p.z - r;
        if (n * dt > fall * 1.02) peak[w] = std::max(peak[w], z);
      }
    }
    for (int w = 0; w < model.world_count; ++w) {
      const double e = coefficients[w / 2], expected = e * e * height;
      EXPECT_NEAR(peak[w], expected, 0.01 * expected + 1e-3)
          << (w % 2 ? "box" : "ball") << ", e = " << e << ", dt = " << dt;
    }
  }
}

// Newton's cradle: of five balls in a row as many fly off at the end as come in.
TEST(XpbdImpacts, NewtonsCradle) {
  const double r = 0.1;
  for (const int incoming : {1, 2}) {
    ModelBuilder scene;
    scene.gravity = {};
    for (int k = 0; k < 5; ++k) {
      const double gap = k < incoming ? 0.05 : 0;
      const int ball = scene.add_body({.xform = {{Real(2 * r * k - gap), 0, 0}, {}}});
      scene.add_shape_sphere(ball, Real(r), {.cfg = bouncy(1)});
    }
    const Model model = scene.finalize();
    Simulation sim = bouncing(model, Real(0.001));
    for (int k = 0; k < incoming; ++k) sim.state().body_qd[k].linear.x = 1;
    sim.step(100);
    for (int k = 0; k < 5; ++k)
      EXPECT_NEAR(sim.state().body_qd[k].linear.x, k >= 5 - incoming ? 1 : 0, 1e-2) << "ball " << k;
  }
}

// Two bodies that meet off centre keep their momentum, and lose what restitution takes.
TEST(XpbdImpacts, MomentumAndEnergy) {
  ModelBuilder scene;
  scene.gravity = {};
  const int a = scene.add_body({.xform = {{-1, 0, 0}, {}}}), b = scene.add_body({.xform = {{0, Real(0.12), 0}, {}}});
  scene.add_shape_sphere(a, Real(0.1), {.cfg = bouncy(Real(0.7))});
  scene.add_shape_box(b, Real(0.1), Real(0.2), Real(0.1), {.cfg = bouncy(Real(0.7))});
  const Model model = scene.finalize();
  Simulation sim = bouncing(model, Real(0.001));
  sim.state().body_qd[a].linear.x = 2;
  const auto momentum = [&] {
    SpatialVector sum{};
    for (int k = 0; k < 2; ++k) {
      const Transform X = sim.state().body_q[k];
      const SpatialVector V = sim.state().body_qd[k];
      const Vec3 p = V.linear * model.body_mass[k];
      sum.linear += p;
      sum.angular += cross(X.p, p) + rotate(X.q, model.body_inertia[k] * rotate_inverse(X.q, V.angular));
    }
    return sum;
  };
  const SpatialVector before = momentum();
  sim.step(1000);
  const SpatialVector after = momentum();
  EXPECT_GT(sim.state().body_qd[b].linear.x, 0.1);
  EXPECT_LT(length(after.linear - before.linear), 1e-4 * length(before.linear));
  EXPECT_LT(length(after.angular - before.angular), 2e-3 * length(before.linear));
}

// An overlap that was there from the start does not become speed.
TEST(XpbdImpacts, OverlapsLeaveSlowly) {
  ModelBuilder scene;
  scene.gravity = {};
  for (const Real x : {Real(0), Real(0.19)}) {
    const int ball = scene.add_body({.xform = {{x, 0, 0}, {}}});
    scene.add_shape_sphere(ball, Real(0.1));
  }
  const Model model = scene.finalize();
  for (const double dt : {1.0 / 60, 1.0 / 240, 1.0 / 1000}) {
    Simulation sim(model, "xpbd", Real(dt));
    sim.step(static_cast<int>(2 / dt));
    EXPECT_LT(length(sim.state().body_qd[0].linear), 0.01) << "dt " << dt;
    EXPECT_GT(sim.state().body_q[1].p.x - sim.state().body_q[0].p.x, 0.1995) << "dt " << dt;
  }
}

}  // namespace
}  // namespace carom
