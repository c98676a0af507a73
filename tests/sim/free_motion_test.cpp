// Motion without contacts against closed forms: pendulums, projectiles, tumbling bodies and trees.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "carom/carom.h"

namespace carom {
namespace {

constexpr bool kDouble = sizeof(Real) == 8;
constexpr double kG = 9.81;
constexpr double kEpsilon = std::numeric_limits<Real>::epsilon();

// -- Pendulum: mass m at a distance L from a hinge, inertia I about its centre of mass.

struct Pendulum {
  double mass = 1.5, length = 0.6, inertia = 0.02;

  double about_hinge() const { return inertia + mass * length * length; }
  double torque(double q) const { return -mass * kG * length * std::sin(q); }
  double frequency() const { return std::sqrt(mass * kG * length / about_hinge()); }  // of small swings [rad/s]
  double energy(double q, double v) const { return about_hinge() * v * v / 2 + mass * kG * length * (1 - std::cos(q)); }
  // Of swings up to an angle: 4 K(sin(angle / 2)) / frequency, with K by the arithmetic-geometric mean [s].
  double period(double angle) const {
    double a = 1, b = std::cos(angle / 2);
    for (int i = 0; i < 10; ++i) {
      const double mean = (a + b) / 2;
      b = std::sqrt(a * b);
      a = mean;
    }
    return 2 * std::numbers::pi / (a * frequency());
  }

  Simulation start(double angle, double h) const {
    ModelBuilder builder;
    const int bob = builder.add_link(
        {.com = {0, 0, Real(-length)}, .inertia = mat33_identity<Real>() * Real(inertia), .mass = Real(mass)});
    builder.add_joint_revolute(-1, bob, {.axis = {0, 1, 0}}, {.parent_xform = {{3, -2, 1}, {}}});
    Simulation simulation(builder.finalize(), "mujoco", Real(h));
    simulation.state().joint_q[0] = Real(angle);
    return simulation;
  }
};

// Mean period over some swings, from the zeros of the angle. The angle is straight there to the third order.
double measured_period(const Pendulum& pendulum, double angle, double h, int periods) {
  Simulation simulation = pendulum.start(angle, h);
  double first = 0, before = angle;
  for (int zeros = 0, step = 1;; ++step) {
    simulation.step();
    const double now = simulation.state().joint_q[0];
    if (before > 0 && now <= 0) {
      const double time = h * (step - 1 + before / (before - now));
      if (zeros == 0) first = time;
      if (zeros++ == periods) return (time - first) / periods;
    }
    before = now;
  }
}

// Semi-implicit Euler makes a linear oscillator exactly periodic, with sin(w' h / 2) = w h / 2; the amplitude a adds
// a^2 / 16 to first order.
TEST(Pendulum, PeriodOfSmallSwings) {
  const Pendulum pendulum;
  const double h = kDouble ? 1e-3 : 5e-3, a = 0.01;
  const double discrete = std::numbers::pi * h / std::asin(pendulum.frequency() * h / 2);
  const double expected = discrete * (1 + a * a / 16);
  // a^4, (w h a)^2 and the curvature at the zeros come next; in single precision the rounding of the angle.
  EXPECT_NEAR(measured_period(pendulum, a, h, 10) / expected, 1, kDouble ? 2e-9 : 2e-6);
}

// The error of the method is of second order in the step.
TEST(Pendulum, PeriodOfLargeSwings) {
  const Pendulum pendulum;
  for (const double angle : {0.5, 1.5, 2.5, 3.0}) {
    const double expected = pendulum.period(angle), h = kDouble ? 2e-3 : 4e-3;
    const double error = measured_period(pendulum, angle, h, 4) - expected;
    const double small = std::pow(pendulum.frequency() * h, 2);
    EXPECT_LT(std::abs(error) / expected, small) << angle;
    if (!kDouble) continue;
    const double half = measured_period(pendulum, angle, h / 2, 4) - expected;
    EXPECT_NEAR(error / half, 4, 0.1) << angle;
  }
}

// The energy of semi-implicit Euler differs from one that is conserved by h/2 v U'(q), and from nothing else of first
// order: it swings, and does not drift.
TEST(Pendulum, EnergyIsBoundedAndDoesNotDrift) {
  const Pendulum pendulum;
  const double h = 2e-3, angle = 2, start = pendulum.energy(angle, 0);
  Simulation simulation = pendulum.start(angle, h);
  const int per_window = static_cast<int>(20 * pendulum.period(angle) / h), windows = 20;
  double largest_swing = 0, largest_error = 0, first_mean = 0, last_mean = 0;
  for (int window = 0; window < windows; ++window) {
    double sum = 0;
    for (int i = 0; i < per_window; ++i) {
      simulation.step();
      const double q = simulation.state().joint_q[0], v = simulation.state().joint_qd[0];
      const double energy = pendulum.energy(q, v);
      largest_swing = std::max(largest_swing, h / 2 * std::abs(v * pendulum.torque(q)));
      largest_error = std::max(largest_error, std::abs(energy - start));
      sum += energy;
    }
    (window == 0 ? first_mean : last_mean) = sum / per_window;
  }
  EXPECT_LT(largest_error, 1.1 * largest_swing);
  EXPECT_GT(largest_error, 0.9 * largest_swing);
  EXPECT_NEAR(last_mean, first_mean, 0.02 * largest_swing);
}

// -- Free flight.

// x_n = x_0 + n h v_0 + h^2 g n (n + 1) / 2: the sum that semi-implicit Euler makes, for a centre of mass anywhere in
// the body.
TEST(FreeFlight, Projectile) {
  const double h = 1.0 / 128;  // exact, as are its multiples
  for (const Vec3 com : {Vec3{}, Vec3{Real(0.25), Real(-0.5), Real(1)}}) {
    ModelBuilder builder;
    builder.add_body({.xform = {{1, 2, 3}, {}}, .com = com, .inertia = mat33_identity<Real>(), .mass = 3});
    Simulation simulation(builder.finalize(), "mujoco", Real(h));
    const State& state = simulation.state();
    const Vec3 v0{2, -1, 4};
    for (int i = 0; i < 3; ++i) state.joint_qd[i] = v0[i];
    for (int n = 1; n <= 256; ++n) {
      simulation.step();
      // Every step rounds speeds below 16 and places below 32; a speed that is off moves the place in every later step.
      const double speed = 16 * kEpsilon * n, place = 32 * kEpsilon * n + h * n * speed;
      EXPECT_NEAR(state.joint_qd[2], v0.z - n * h * kG, speed);
      EXPECT_NEAR(state.joint_q[0], 1 + n * h * v0.x, place);
      EXPECT_NEAR(state.joint_q[1], 2 + n * h * v0.y, place);
      EXPECT_NEAR(state.joint_q[2], 3 + n * h * v0.z - h * h * kG * n * (n + 1) / 2, place);
      EXPECT_NEAR(state.joint_q[6], 1, place);
      if (HasFailure()) return;
    }
  }
}

// A body that spins about a principal axis keeps spinning, its centre of mass at rest, and turns by n h w.
TEST(FreeFlight, SpinAboutAPrincipalAxis) {
  ModelBuilder builder;
  builder.gravity = {};
  const Mat33 inertia{{1, 0, 0}, {0, 2, 0}, {0, 0, Real(2.5)}};
  builder.add_body({.inertia = inertia, .mass = 1});
  Simulation simulation(builder.finalize(), "mujoco", Real(1) / 512);
  simulation.state().joint_qd[4] = 3;
  simulation.step(512);
  const double tolerance = kDouble ? 1e-12 : 2e-5;
  EXPECT_NEAR(simulation.state().joint_qd[4], 3, tolerance);
  EXPECT_NEAR(simulation.state().joint_q[4], std::sin(1.5), tolerance);
  EXPECT_NEAR(simulation.state().joint_q[6], std::cos(1.5), tolerance);
  for (const int i : {0, 1, 2, 3, 5}) EXPECT_NEAR(simulation.state().joint_qd[i], 0, tolerance);
}

// Linear and angular momentum about the origin of all bodies, and their kinetic energy.
struct Momenta {
  double linear[3] = {}, angular[3] = {}, energy = 0;
};
Momenta momenta(const Model& model, const State& state) {
  Momenta sum;
  for (int b = 0; b < model.body_count; ++b) {
    const Vec3 c = transform_point(state.body_q[b], model.body_com[b]);
    const SpatialVector V = state.body_qd[b];
    const Vec3 P = V.linear * model.body_mass[b];
    const Mat33 R = mat33_from_quat(state.body_q[b].q);
    const Vec3 spin = R * (model.body_inertia[b] * (transpose(R) * V.angular));
    const Vec3 L = cross(c, P) + spin;
    for (int i = 0; i < 3; ++i) sum.linear[i] += P[i], sum.angular[i] += L[i];
    sum.energy += (dot(P, V.linear) + dot(spin, V.angular)) / 2;
  }
  return sum;
}
double change(const double (&a)[3], const double (&b)[3]) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

// A body with its centre of mass off the joint's frame, and a tree with hinges, a slider, a ball joint, springs and
// motors: forces inside it cannot change its momenta.
ModelBuilder tumbling_body() {
  ModelBuilder builder;
  const Mat33 inertia{{Real(0.02), Real(0.002), 0}, {Real(0.002), Real(0.03), 0}, {0, 0, Real(0.04)}};
  builder.add_body({.com = {Real(0.1), Real(0.05), Real(-0.1)}, .inertia = inertia, .mass = 2});
  return builder;
}
ModelBuilder tumbling_tree() {
  ModelBuilder builder = tumbling_body();
  const Mat33 inertia{{Real(0.01), 0, 0}, {0, Real(0.012), 0}, {0, 0, Real(0.015)}};
  const auto link = [&] {
    return builder.add_link({.com = {Real(0.2), 0, Real(0.05)}, .inertia = inertia, .mass = 1});
  };
  const JointFrames frames{.parent_xform = {{Real(0.3), 0, 0}, {}}};
  const int a = link(), b = link(), c = link(), d = link();
  const int hinge = builder.add_joint_revolute(0, a, {.axis = {0, 1, 0}, .stiffness = 5}, frames);
  builder.add_joint_ball(a, b, {}, frames);
  builder.add_joint_prismatic(0, c, {.axis = {0, 1, 1}, .stiffness = 20}, frames);
  builder.add_joint_universal(c, d, {.axis = {0, 0, 1}}, {.axis = {1, 0, 0}}, frames);
  builder.add_actuator(hinge, {.bias = {Real(0.3), 0, 0}});
  return builder;
}

// Momenta after one second of tumbling without gravity, less those at the start.
std::pair<double, double> momentum_errors(ModelBuilder builder, double h) {
  builder.gravity = {};
  const Model model = builder.finalize();
  Simulation simulation(model, "mujoco", Real(h));
  const State& state = simulation.state();
  for (int i = 0; i < model.joint_dof_count; ++i) state.joint_qd[i] = Real(0.5) + Real(0.25) * Real(i % 4);
  eval_fk(model, state.joint_q, state.joint_qd, state);
  const Momenta before = momenta(model, state);
  simulation.step(static_cast<int>(std::lround(1 / h)));
  const Momenta after = momenta(model, state);
  return {change(after.linear, before.linear), change(after.angular, before.angular)};
}

// Joint coordinates are stepped, not momenta: these are kept to the first order of the step, and halving it halves what
// is lost.
TEST(FreeFlight, MomentaOfTumblingBodiesAndTrees) {
  for (const ModelBuilder& builder : {tumbling_body(), tumbling_tree()}) {
    const double h = 1.0 / 1024;
    const auto [linear, angular] = momentum_errors(builder, h);
    EXPECT_LT(linear, 0.05);  // of about ten
    EXPECT_LT(angular, 0.05);
    if (!kDouble) continue;
    const auto [half_linear, half_angular] = momentum_errors(builder, h / 2);
    const auto [quarter_linear, quarter_angular] = momentum_errors(builder, h / 4);
    EXPECT_NEAR(half_linear / quarter_linear, 2, 0.05);
    EXPECT_NEAR(half_angular / quarter_angular, 2, 0.05);
    EXPECT_NEAR(linear / half_linear, 2, 0.1);
    EXPECT_NEAR(angular / half_angular, 2, 0.1);
  }
}

// Where no coordinate bends the motion of another, momentum is kept to rounding: sliders on a body that does not turn.
TEST(FreeFlight, LinearMomentumOfSlidersIsExact) {
  ModelBuilder builder;
  builder.gravity = {};
  const int base =
      builder.add_body({.com = {Real(0.1), 0, 0}, .inertia = mat33_identity<Real>() * Real(1e6), .mass = 2});
  for (const Vec3 axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{1, 1, 1}}) {
    const int cart = builder.add_link({.mass = 1});
    builder.add_joint_prismatic(base, cart, {.axis = axis, .damping = 1, .stiffness = 30, .spring_ref = Real(0.1)});
  }
  const Model model = builder.finalize();
  Simulation simulation(model, "mujoco", Real(1) / 512);
  const State& state = simulation.state();
  for (int i = 0; i < model.joint_dof_count; ++i) state.joint_qd[i] = i < 3 ? Real(i) : i < 6 ? Real(0) : Real(0.5);
  eval_fk(model, state.joint_q, state.joint_qd, state);
  const Momenta before = momenta(model, state);
  simulation.step(512);
  // The base turns, by the million times smaller force over its inertia: what is lost is of its square.
  EXPECT_LT(change(momenta(model, state).linear, before.linear), kDouble ? 1e-8 : 2e-5);
}

}  // namespace
}  // namespace carom
