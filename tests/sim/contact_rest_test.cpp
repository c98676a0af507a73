// Bodies, joints and tendons at rest on soft constraints: depth and force from solref and solimp.
//
// With constant impedance d a single row without friction has the acceleration (1 - d) a0 + d a_ref. At rest a0 = -g
// and a_ref = K d depth, with K = 1 / (d tc z)^2 or stiffness / d^2, so the depth is g (1 - d) (tc z)^2 or
// g (1 - d) / stiffness.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "carom/carom.h"
#include "tests/sim/collide_first.h"

namespace carom {
namespace {

constexpr bool kDouble = sizeof(Real) == 8;
constexpr double kG = 9.81;
constexpr double kTolerance = kDouble ? 1e-8 : 1e-5;  // [m]
constexpr Real kDt = Real(1) / 512;
constexpr int kSettled = 1536;  // steps: sixty time constants of the slowest case

struct SoftCase {
  RealN<2> solref;
  double impedance, depth;  // [m]
};
const SoftCase kCases[] = {
    {{Real(0.02), 1}, 0.9, 0.0003924},
    {{Real(0.02), 1}, 0.5, 0.001962},
    {{Real(0.03), Real(0.8)}, 0.9, 0.000565056},
    {{Real(0.03), Real(0.8)}, 0.5, 0.00282528},
    {{-1000, -40}, 0.9, 0.000981},
    {{-1000, -40}, 0.5, 0.004905},
};
RealN<5> constant_impedance(double d) { return {Real(d), Real(d), Real(0.001), Real(0.5), 2}; }

// A stricter solver than usual, since forces are compared: it may stop when a step would gain less than the tolerance
// times the trace of M, so accelerations are off by up to the root of it, and forces by 4 D times as much, some
// hundred.
SolverMuJoCoConfig strict() { return {.tolerance = kDouble ? Real(1e-18) : Real(1e-11)}; }

ShapeConfig soft(const SoftCase& c, int condim, double mu) {
  ShapeConfig cfg;
  cfg.solref = c.solref;
  cfg.solimp = constant_impedance(c.impedance);
  cfg.condim = condim;
  cfg.mu = Real(mu);
  cfg.thickness = 0;
  cfg.density = 0;
  return cfg;
}

// A ball on a plane in every world; the plane before it or behind.
Model balls_on_planes(const std::vector<SoftCase>& cases, int condim, double mu, Real mass, bool plane_first) {
  ModelBuilder builder;
  for (const SoftCase& c : cases) {
    builder.begin_world();
    const ShapeConfig cfg = soft(c, condim, mu);
    const int ball = builder.add_body(
        {.xform = {{0, 0, Real(0.101)}, {}}, .inertia = mat33_identity<Real>() * Real(0.01), .mass = mass});
    if (plane_first) builder.add_ground_plane(0, {.cfg = cfg});
    builder.add_shape_sphere(ball, Real(0.1), {.cfg = cfg});
    if (!plane_first) builder.add_ground_plane(0, {.cfg = cfg});
    builder.end_world();
  }
  return builder.finalize();
}

const std::vector<SoftCase> kAllCases(std::begin(kCases), std::end(kCases));

// Proves depth and force for every case, with and without friction. The four edges of a pyramid share the weight: that
// of unit friction is as stiff as one row, another one mu^2 (1 + mu^2) / 2 as deep.
TEST(ContactRest, DepthAndForceOfABall) {
  const Real mass = Real(2.5);
  struct Variant {
    int condim;
    double mu, deeper;
    bool plane_first;
  };
  const Variant variants[] = {
      {1, 1, 1, true}, {1, 1, 1, false}, {3, 1, 1, true}, {3, 1, 1, false}, {3, 0.5, 0.25 * 1.25 / 2, true}};
  for (const Variant& v : variants) {
    const Model model = balls_on_planes(kAllCases, v.condim, v.mu, mass, v.plane_first);
    Simulation simulation(model, SolverMuJoCo(model, strict()), kDt);
    simulation.step(kSettled);
    const Contacts contacts = simulation.contacts();
    ASSERT_EQ(contacts.rigid_contact_count[0], static_cast<int>(kAllCases.size()));
    for (int w = 0; w < model.world_count; ++w) {
      SCOPED_TRACE(::testing::Message() << "case " << w << ", condim " << v.condim << ", mu " << v.mu);
      const double depth = kAllCases[w].depth * v.deeper;
      EXPECT_NEAR(simulation.state().joint_q[7 * w + 2], 0.1 - depth, kTolerance);
      EXPECT_NEAR(contacts.rigid_contact_depth[w], depth, kTolerance);
      EXPECT_EQ(contacts.rigid_contact_shape0[w] % 2, 0);
      // The force is that on shape 1: on the ball it points up, on the plane down; the normal from 0 to 1 with it.
      const double up = v.plane_first ? 1 : -1;
      EXPECT_NEAR(contacts.rigid_contact_normal[w].z, up, 1e-6);
      EXPECT_NEAR(contacts.rigid_contact_force[w].z, up * mass * kG, kDouble ? 1e-6 : 5e-3);
      EXPECT_NEAR(contacts.rigid_contact_force[w].x, 0, kDouble ? 1e-6 : 5e-3);
      EXPECT_NEAR(contacts.rigid_contact_point[w].z, -depth / 2, kTolerance);
    }
  }
}

// Proves that a ball on a ball on the ground is held by two forces: the lower contact carries both.
TEST(ContactRest, StackOfBalls) {
  ModelBuilder builder;
  const ShapeConfig cfg = soft(kCases[0], 3, 1);
  builder.add_ground_plane(0, {.cfg = cfg});
  for (int i = 0; i < 2; ++i) {  // on sliders, so that they cannot roll off each other
    const int ball = builder.add_link({.inertia = mat33_identity<Real>(), .mass = Real(i + 1)});
    builder.add_joint_prismatic(-1, ball, {.axis = {0, 0, 1}}, {.parent_xform = {{0, 0, Real(0.1 + 0.2 * i)}, {}}});
    builder.add_shape_sphere(ball, Real(0.1), {.cfg = cfg});
  }
  const Model model = builder.finalize();
  Simulation simulation(model, SolverMuJoCo(model, strict()), kDt);
  simulation.step(kSettled);
  const Contacts contacts = simulation.contacts();
  ASSERT_EQ(contacts.rigid_contact_count[0], 2);
  EXPECT_NEAR(contacts.rigid_contact_force[0].z, 3 * kG, kDouble ? 1e-6 : 5e-3);
  EXPECT_NEAR(contacts.rigid_contact_force[1].z, 2 * kG, kDouble ? 1e-6 : 5e-3);
  // R f = K d depth, with R = (1 - d) / d times the inverse masses of both bodies.
  const double stiffness = 1 / (0.9 * 0.9 * 0.02 * 0.02);
  const auto depth = [&](double force, double inverse_mass) {
    return force * 0.1 / 0.9 * inverse_mass / (stiffness * 0.9);
  };
  EXPECT_NEAR(contacts.rigid_contact_depth[0], depth(3 * kG, 1.0), kTolerance);
  EXPECT_NEAR(contacts.rigid_contact_depth[1], depth(2 * kG, 1.0 + 0.5), kTolerance);
}

// Proves that the largest world there may be, 32 free balls of different weight in one row that touch each other and
// the ground, settles with every ball's weight on its contact; three of them side by side, and alone.
TEST(ContactRest, LargestWorld) {
  ModelBuilder row;
  ShapeConfig cfg = soft(kCases[0], 3, 1);
  for (int i = 0; i < 32; ++i) {
    const int ball = row.add_body({.xform = {{Real(0.2) * Real(i), 0, Real(0.1)}, {}},
                                   .inertia = mat33_identity<Real>() * Real(0.01),
                                   .mass = Real(1 + i % 5)});
    row.add_shape_sphere(ball, Real(0.1), {.cfg = cfg});
  }
  std::vector<Real> first;
  for (const int worlds : {1, 3}) {
    ModelBuilder builder;
    builder.add_ground_plane(0, {.cfg = cfg});
    builder.replicate(row, worlds);
    const Model model = builder.finalize();
    Simulation simulation(model, SolverMuJoCo(model, strict()), kDt);
    simulation.step(200);
    const Contacts contacts = simulation.contacts();
    int on_ground = 0;
    for (int c = 0; c < contacts.rigid_contact_count[0]; ++c) {
      if (contacts.rigid_contact_shape0[c] != 0) continue;
      const int ball = (contacts.rigid_contact_shape1[c] - 1) % 32;
      EXPECT_NEAR(contacts.rigid_contact_force[c].z, (1 + ball % 5) * kG, kDouble ? 1e-3 : 5e-2) << "ball " << ball;
      ++on_ground;
    }
    EXPECT_EQ(on_ground, 32 * worlds);
    const State world = simulation.state().world(worlds - 1);
    const std::vector<Real> q(world.joint_q.begin(), world.joint_q.end());
    if (worlds == 1) first = q;
    EXPECT_EQ(q, first);
  }
}

// Proves that both ends of a lying capsule carry half its weight.
TEST(ContactRest, LyingCapsule) {
  ModelBuilder builder;
  const ShapeConfig cfg = soft(kCases[0], 3, 1);
  builder.add_ground_plane(0, {.cfg = cfg});
  const Quat lying{0, sqrt(Real(0.5)), 0, sqrt(Real(0.5))};
  const int rod = builder.add_body(
      {.xform = {{0, 0, Real(0.1)}, lying}, .inertia = mat33_identity<Real>() * Real(0.02), .mass = 4});
  builder.add_shape_capsule(rod, Real(0.1), Real(0.2), {.cfg = cfg});
  const Model model = builder.finalize();
  Simulation simulation(model, SolverMuJoCo(model, strict()), kDt);
  simulation.step(kSettled);
  const Contacts contacts = simulation.contacts();
  ASSERT_EQ(contacts.rigid_contact_count[0], 2);
  for (int c = 0; c < 2; ++c) {
    EXPECT_NEAR(contacts.rigid_contact_force[c].z, 2 * kG, kDouble ? 1e-6 : 5e-3);
    EXPECT_NEAR(contacts.rigid_contact_depth[c], kCases[0].depth / 2, kTolerance);
  }
}

// Proves that contacts are listed from the margin on, and push from the margin less the gap on.
TEST(ContactRest, MarginAndGap) {
  SoftCase c = kCases[0];
  ShapeConfig cfg = soft(c, 1, 1);
  cfg.contact_margin = Real(0.01);  // of each of the two
  cfg.gap = Real(0.004);
  ModelBuilder builder;
  builder.add_ground_plane(0, {.cfg = cfg});
  const int ball = builder.add_body({.xform = {{0, 0, Real(0.13)}, {}}, .inertia = mat33_identity<Real>(), .mass = 1});
  builder.add_shape_sphere(ball, Real(0.1), {.cfg = cfg});
  const Model model = builder.finalize();
  SolverMuJoCo solver(model, strict());
  const State state = model.state();
  const auto contact_at = [&](double height) {
    state.joint_q[2] = Real(0.1 + height);
    const auto [contacts, forward] = testing::CollidedForward(solver, state, model.control(), kDt);
    if (contacts.rigid_contact_count[0] == 0) return -1.0;
    return double(contacts.rigid_contact_force[0].z);
  };
  EXPECT_EQ(contact_at(0.0201), -1);
  EXPECT_EQ(contact_at(0.0199), 0);
  EXPECT_EQ(contact_at(0.0121), 0);
  EXPECT_GT(contact_at(0.0119), 0);
  Simulation simulation(model, SolverMuJoCo(model, strict()), kDt);
  simulation.step(kSettled);
  EXPECT_NEAR(simulation.state().joint_q[2], 0.1 + 0.012 - c.depth, kTolerance);
}

// -- Limits.

// Proves where a slider rests on its lower and on its upper limit, with and without a margin.
TEST(LimitRest, Slider) {
  for (const bool upper : {false, true})
    for (const double margin : {0.0, 0.01}) {
      ModelBuilder builder;
      for (const SoftCase& c : kCases) {
        builder.begin_world("", Vec3{0, 0, Real(upper ? kG : -kG)});
        const int cart = builder.add_link({.mass = 3});
        JointDofConfig dof{.axis = {0, 0, 1},
                           .limit_lower = Real(-0.25),
                           .limit_upper = Real(0.5),
                           .limit_margin = Real(margin),
                           .limit_solref = c.solref,
                           .limit_solimp = constant_impedance(c.impedance)};
        const int joint = builder.add_joint_prismatic(-1, cart, dof);
        const Real start = upper ? Real(0.5 - margin) : Real(-0.25 + margin);
        builder.set_joint_q(joint, std::span(&start, 1));
        builder.end_world();
      }
      const Model model = builder.finalize();
      Simulation simulation(model, SolverMuJoCo(model, strict()), kDt);
      simulation.step(kSettled);
      for (int w = 0; w < model.world_count; ++w)
        EXPECT_NEAR(simulation.state().joint_q[w],
                    upper ? 0.5 - margin + kCases[w].depth : -0.25 + margin - kCases[w].depth, kTolerance)
            << "case " << w << ", margin " << margin;
    }
}

// Proves where an arm rests: the depth is the angular acceleration that gravity alone would give, times as much.
TEST(LimitRest, Hinge) {
  const double mass = 2, arm = 0.4, inertia = 0.05, armature = 0.1, limit = 0.3;
  for (const SoftCase& c : kCases) {
    ModelBuilder builder;
    const int link = builder.add_link(
        {.com = {Real(arm), 0, 0}, .inertia = mat33_identity<Real>() * Real(inertia), .mass = Real(mass)});
    builder.add_joint_revolute(-1, link,
                               {.axis = {0, -1, 0},
                                .limit_lower = Real(limit),
                                .armature = Real(armature),
                                .limit_solref = c.solref,
                                .limit_solimp = constant_impedance(c.impedance)});
    const Model model = builder.finalize();
    Simulation simulation(model, SolverMuJoCo(model, strict()), kDt);
    simulation.state().joint_q[0] = Real(limit);
    simulation.step(kSettled);
    double q = limit;
    const double acceleration = mass * kG * arm / (inertia + mass * arm * arm + armature);
    for (int i = 0; i < 50; ++i) q = limit - acceleration * std::cos(q) * c.depth / kG;
    EXPECT_NEAR(simulation.state().joint_q[0], q, kTolerance);
  }
}

// Two masses on sliders along gravity, tied by a tendon over both: Atwood's machine.
struct Atwood {
  double m0 = 3, m1 = 1, c0 = 1, c1 = 2;
  Model model;

  explicit Atwood(const SoftCase& c) {
    ModelBuilder builder;
    std::vector<int> joints;
    for (const double m : {m0, m1}) {
      const int cart = builder.add_link({.mass = Real(m)});
      joints.push_back(builder.add_joint_prismatic(-1, cart, {.axis = {0, 0, -1}}));
    }
    builder.add_tendon_fixed(
        {{joints[0], Real(c0)}, {joints[1], Real(c1)}},
        {.limit_upper = Real(0.25), .limit_solref = c.solref, .limit_solimp = constant_impedance(c.impedance)});
    model = builder.finalize();
  }
  double inverse_mass() const { return c0 * c0 / m0 + c1 * c1 / m1; }
  // c0 a0 + c1 a1 = 0 with a = g - c T / m
  double tension() const { return (c0 + c1) * kG / inverse_mass(); }
};

// Proves that a tendon pulls at both its joints, in one step and when its length has come to rest.
TEST(LimitRest, TendonCouplesJoints) {
  for (const SoftCase& c : kCases) {
    const Atwood machine(c);
    SolverMuJoCo solver(machine.model, strict());
    const State state = machine.model.state();
    const double q0 = 0.15, q1 = 0.0505, v0 = 0.3, v1 = -0.1, d = c.impedance;
    state.joint_q[0] = Real(q0), state.joint_q[1] = Real(q1);
    state.joint_qd[0] = Real(v0), state.joint_qd[1] = Real(v1);
    // f = -x0 / (A + R), x0 = J a0 - a_ref, R = (1 - d) / d A, with J = -(c0, c1)
    const double r = 0.25 - (machine.c0 * q0 + machine.c1 * q1), speed = -(machine.c0 * v0 + machine.c1 * v1);
    const bool direct = c.solref[0] < 0;
    const double K = direct ? -c.solref[0] / (d * d) : 1 / std::pow(d * c.solref[0] * c.solref[1], 2);
    const double B = direct ? -c.solref[1] / d : 2 / (d * c.solref[0]);
    const double a_ref = -B * speed - K * d * r;
    const double tension = (a_ref + (machine.c0 + machine.c1) * kG) * d / machine.inverse_mass();
    const Forward forward = testing::CollidedForward(solver, state, machine.model.control(), kDt).forward;
    const double tolerance = (kDouble ? 1e-10 : 1e-4) * (1 + std::abs(tension));
    EXPECT_NEAR(forward.constraint_force[0], -machine.c0 * tension, tolerance);
    EXPECT_NEAR(forward.constraint_force[1], -machine.c1 * tension, tolerance);
    EXPECT_NEAR(forward.qacc[0], kG - machine.c0 * tension / machine.m0, tolerance);
    EXPECT_NEAR(forward.qacc[1], kG - machine.c1 * tension / machine.m1, tolerance);

    Simulation simulation(machine.model, SolverMuJoCo(machine.model, strict()), kDt);
    simulation.state().joint_q[0] = Real(0.25);
    simulation.step(kSettled / 4);  // they go on moving, so they cannot go on for long
    simulation.step(kSettled / 4);
    const double before = simulation.state().joint_qd[0];
    simulation.step();
    const double acceleration = kG - machine.c0 * machine.tension() / machine.m0;
    EXPECT_NEAR((simulation.state().joint_qd[0] - before) / kDt, acceleration, kDouble ? 1e-6 : 2e-2);
    const double length = machine.c0 * simulation.state().joint_q[0] + machine.c1 * simulation.state().joint_q[1];
    // What gravity would stretch the tendon by, in the place of g.
    const double depth = c.depth / kG * (machine.c0 + machine.c1) * kG;
    EXPECT_NEAR(length, 0.25 + depth, kDouble ? 1e-8 : 2e-5);
  }
}

}  // namespace
}  // namespace carom
