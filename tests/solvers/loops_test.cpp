// Loops that equality constraints close under the penalty solvers and SolverXPBD: against the equations of motion of
// what is left to move, and against SolverMuJoCo.
#include <cmath>

#include "tests/solvers/penalty_scenes.h"

namespace carom {
namespace {

class ClosedLoops : public PenaltySolvers {};

constexpr double kG = 9.81;

// The angle after t [s], from `start` and at rest, with angle'' = acceleration(angle); by Runge and Kutta's method.
template <class Acceleration>
double swung(double start, double t, Acceleration acceleration) {
  const int steps = 20'000;
  const double h = t / steps;
  double q = start, v = 0;
  for (int n = 0; n < steps; ++n) {
    const double a0 = acceleration(q), q1 = q + h / 2 * v, v1 = v + h / 2 * a0, a1 = acceleration(q1),
                 q2 = q + h / 2 * v1, v2 = v + h / 2 * a1, a2 = acceleration(q2), q3 = q + h * v2, v3 = v + h * a2;
    q += h / 6 * (v + 2 * v1 + 2 * v2 + v3);
    v += h / 6 * (a0 + 2 * a1 + 2 * a2 + acceleration(q3));
  }
  return q;
}

// A bar of length l along -z of its frame, of mass m, hinged about y at `at` of its parent.
struct Bar {
  int link, hinge;
};
Bar add_bar(ModelBuilder& scene, int parent, Vec3 at, double l, double m, double q) {
  const Real I = Real(m * l * l / 12);
  const int link =
      scene.add_link({.com = {0, 0, Real(-l / 2)}, .inertia = mat33_diagonal<Real>({I, I, I / 100}), .mass = Real(m)});
  JointFrames frames;
  frames.parent_xform.p = at;
  const int hinge = scene.add_joint_revolute(parent, link, {.axis = {0, 1, 0}}, frames);
  const Real start = Real(q);
  scene.set_joint_q(hinge, std::span(&start, 1));
  return {link, hinge};
}

// Two cranks side by side and a rod between their ends, which stays level: a pendulum with one angle.
//   (2 m l^2 / 3 + M l^2) q'' = -(m + M) g l sin q
struct FourBar {
  double l = 0.3, width = 0.5, m = 0.8, M = 1.2, start = 0.9;
  int crank, other, rod, pin;

  void add_to(ModelBuilder& scene, const EqualityArgs& args = {}) {
    const Bar left = add_bar(scene, -1, {}, l, m, start);
    // Along -z of its frame, which is turned so that this leads to the other crank.
    const Bar level = add_bar(scene, left.link, {0, 0, Real(-l)}, width, M, -kQuarter - start);
    const Bar right = add_bar(scene, -1, {Real(width), 0, 0}, l, m, start);
    scene.add_articulation({left.hinge, level.hinge});
    scene.add_articulation({right.hinge});
    crank = left.link, other = right.link, rod = level.link;
    pin = scene.add_equality_constraint_connect(rod, other, {0, 0, Real(-width)}, args, Vec3{0, 0, Real(-l)});
  }
  double angle_after(double t) const {
    return swung(start, t, [&](double q) { return -(m + M) * kG * l * std::sin(q) / (2 * m * l * l / 3 + M * l * l); });
  }
  double gap(const State& state) const {
    return length(transform_point(state.body_q[rod], Vec3{0, 0, Real(-width)}) -
                  transform_point(state.body_q[other], Vec3{0, 0, Real(-l)}));
  }

 private:
  static constexpr double kQuarter = 1.57079632679489661923;
};

TEST_P(ClosedLoops, FourBarSwingsAsAPendulum) {
  ModelBuilder scene;
  FourBar bars;
  bars.add_to(scene);
  const Model model = scene.finalize();
  Simulation sim(model, GetParam(), Real(5e-4));
  EXPECT_LT(bars.gap(sim.state()), 1e-6);
  for (int n = 1; n <= 10; ++n) {
    const auto status = sim.step(200);
    EXPECT_EQ(status[0], 0);
    const double expected = bars.angle_after(0.1 * n);
    EXPECT_NEAR(sim.state().joint_q[0], expected, 0.01) << "after " << 0.1 * n << " s";
    EXPECT_NEAR(sim.state().joint_q[2], expected, 0.01);
    EXPECT_LT(bars.gap(sim.state()), 1e-4);
  }
}

// Uneven bars, with long steps, against SolverMuJoCo with short ones.
TEST_P(ClosedLoops, UnevenBarsMoveAsUnderMuJoCo) {
  ModelBuilder scene;
  const Bar crank = add_bar(scene, -1, {}, 0.15, 0.5, 1.1);
  const Bar coupler = add_bar(scene, crank.link, {0, 0, Real(-0.15)}, 0.5, 1, -1.7);
  scene.add_articulation({crank.hinge, coupler.hinge});
  // The rocker hangs straight above the coupler's end. A bar that is turned by q leads along (-sin q, 0, -cos q).
  const Vec3 end{Real(-0.15 * std::sin(1.1) + 0.5 * std::sin(0.6)), 0,
                 Real(-0.15 * std::cos(1.1) - 0.5 * std::cos(0.6))};
  const Bar rocker = add_bar(scene, -1, {end.x, 0, end.z + Real(0.4)}, 0.4, 0.9, 0);
  scene.add_articulation({rocker.hinge});
  scene.add_equality_constraint_connect(coupler.link, rocker.link, {0, 0, Real(-0.5)},
                                        {.solref = {Real(0.002), 1}, .solimp = {Real(0.99), Real(0.999)}},
                                        Vec3{0, 0, Real(-0.4)});
  const Model model = scene.finalize();
  Simulation sim(model, GetParam(), Real(1e-3)), reference(model, "mujoco", Real(2e-4));
  for (int n = 0; n < 8; ++n) {
    sim.step(100), reference.step(500);
    for (int j = 0; j < 3; ++j)
      EXPECT_NEAR(sim.state().joint_q[j], reference.state().joint_q[j], 0.015) << "joint " << j << " after " << n;
  }
}

// A beam of two welded halves, welded to the world by its end, stays; so does one whose halves float.
TEST_P(ClosedLoops, WeldsHold) {
  ModelBuilder scene;
  const Mat33 I = mat33_diagonal<Real>({Real(0.02), Real(0.02), Real(0.02)});
  const int near = scene.add_body({.xform = {{Real(0.2), 0, 1}, {}}, .inertia = I, .mass = 1});
  const int far = scene.add_body({.xform = {{Real(0.6), 0, 1}, {}}, .inertia = I, .mass = 1});
  scene.add_equality_constraint_weld(-1, near, {Real(-0.2), 0, 0}, 1, {{Real(0.2), 0, 1}, {}});
  scene.add_equality_constraint_weld(near, far, {Real(-0.2), 0, 0}, 1, {{Real(0.4), 0, 0}, {}});
  const Model model = scene.finalize();
  Simulation sim(model, GetParam(), Real(0.002));
  sim.step(1000);
  EXPECT_LT(length(sim.state().body_q[near].p - Vec3{Real(0.2), 0, 1}), 2e-4);
  EXPECT_LT(length(sim.state().body_q[far].p - Vec3{Real(0.6), 0, 1}), 2e-4);
  EXPECT_LT(length(vector_part(sim.state().body_q[far].q)), 2e-4);
  EXPECT_LT(length(sim.state().body_qd[far].linear), 1e-3);
}

// Two bodies that are welded and thrown turn as one, and keep their momentum.
TEST_P(ClosedLoops, WeldedBodiesMoveAsOne) {
  ModelBuilder scene;
  scene.gravity = {};
  const Mat33 I = mat33_diagonal<Real>({Real(0.02), Real(0.02), Real(0.02)});
  for (const Real x : {Real(-0.3), Real(0.3)}) scene.add_body({.xform = {{x, 0, 0}, {}}, .inertia = I, .mass = 1});
  scene.add_equality_constraint_weld(0, 1, {Real(-0.3), 0, 0}, 1, {{Real(0.6), 0, 0}, {}});
  const Model model = scene.finalize();
  Simulation sim(model, GetParam(), Real(0.001));
  const double spin = 2;
  for (int b = 0; b < 2; ++b) sim.state().body_qd[b] = {{1, Real((b == 0 ? -0.3 : 0.3) * spin), 0}, {0, 0, Real(spin)}};
  sim.step(1000);
  const Transform a = sim.state().body_q[0], b = sim.state().body_q[1];
  EXPECT_NEAR(length(b.p - a.p), 0.6, 2e-4);
  EXPECT_NEAR((a.p.x + b.p.x) / 2, 1, 1e-3);
  EXPECT_NEAR((a.p.y + b.p.y) / 2, 0, 1e-3);
  EXPECT_NEAR(rotation_vector(a.q).z, spin, 0.01);
  EXPECT_NEAR(rotation_vector(conjugate(a.q) * b.q).z, 0, 1e-3);
}

// q1 = 0.3 + 2 q2: arms whose weights both pull at one angle. With q1' = 2 q2':
//   (4 I1 + I2) q2'' = 2 tau1(q1) + tau2(q2)
TEST_P(ClosedLoops, CoupledArmsSwingTogether) {
  const double l = 0.4, m1 = 0.5, m2 = 2, start = 0.4;
  ModelBuilder scene;
  const Bar driven = add_bar(scene, -1, {}, l, m1, 0.3 + 2 * start),
            driving = add_bar(scene, -1, {1, 0, 0}, l, m2, start);
  scene.add_articulation({driven.hinge});
  scene.add_articulation({driving.hinge});
  scene.add_equality_constraint_joint(driven.hinge, driving.hinge, {Real(0.3), 2, 0, 0, 0});
  const Model model = scene.finalize();
  Simulation sim(model, GetParam(), Real(5e-4));
  const auto tau = [&](double m, double q) { return -m * kG * l / 2 * std::sin(q); };
  for (int n = 1; n <= 8; ++n) {
    sim.step(200);
    const double expected = swung(start, 0.1 * n, [&](double q) {
      return (2 * tau(m1, 0.3 + 2 * q) + tau(m2, q)) / ((4 * m1 + m2) * l * l / 3);
    });
    EXPECT_NEAR(sim.state().joint_q[1], expected, 0.01) << "after " << 0.1 * n << " s";
    EXPECT_NEAR(sim.state().joint_q[0], 0.3 + 2 * sim.state().joint_q[1], 1e-3);
  }
}

// Joints of one chain, so that a link is on both sides; and a joint that is held where it is.
TEST_P(ClosedLoops, CouplingsWithinAChain) {
  ModelBuilder scene;
  const Bar upper = add_bar(scene, -1, {}, 0.3, 1, 0.5);
  const Bar middle = add_bar(scene, upper.link, {0, 0, Real(-0.3)}, 0.3, 1, -1);
  const Bar lower = add_bar(scene, middle.link, {0, 0, Real(-0.3)}, 0.3, 1, 0.7);
  scene.add_articulation({upper.hinge, middle.hinge, lower.hinge});
  scene.add_equality_constraint_joint(middle.hinge, upper.hinge, {0, -2, 0, 0, 0});
  scene.add_equality_constraint_joint(lower.hinge, -1, {Real(0.7), 0, 0, 0, 0});
  const Model model = scene.finalize();
  Simulation sim(model, GetParam(), Real(1e-3)), reference(model, "mujoco", Real(2e-4));
  for (int n = 0; n < 8; ++n) {
    sim.step(100), reference.step(500);
    EXPECT_NEAR(sim.state().joint_q[1], -2 * sim.state().joint_q[0], 2e-3);
    EXPECT_NEAR(sim.state().joint_q[2], 0.7, 2e-3);
    EXPECT_NEAR(sim.state().joint_q[0], reference.state().joint_q[0], 0.03) << "after " << n;
  }
}

// Worlds have switches and numbers of their own, which an edit changes.
TEST_P(ClosedLoops, AreSwitchedOnAndOff) {
  ModelBuilder one;
  FourBar bars;
  bars.add_to(one);
  ModelBuilder scene;
  for (int w = 0; w < 9; ++w) scene.add_world(one);
  const Model model = scene.finalize();
  model.edit([](ModelNumbers& n) { n.equality_constraint_enabled[4] = 0; });
  Simulation sim(model, GetParam(), Real(1e-3));
  sim.step(200);
  const auto gap = [&](int w) { return bars.gap(sim.state().world(w)); };
  for (int w = 0; w < 9; ++w) {
    if (w == 4) EXPECT_GT(gap(w), 0.01);
    else EXPECT_LT(gap(w), 2e-4) << "world " << w;
  }
  model.edit([](ModelNumbers& n) { n.equality_constraint_enabled[4] = 1; });
  sim.step(500);
  EXPECT_LT(gap(4), 1e-3);
}

INSTANTIATE_TEST_SUITE_P(All, ClosedLoops, ::testing::ValuesIn(penalty_solvers()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace carom
