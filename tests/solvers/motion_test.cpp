// Motion under the penalty solvers against closed forms and an integrator of high accuracy.
#include <cmath>

#include "tests/random.h"
#include "tests/solvers/penalty_scenes.h"

namespace carom {
namespace {

class PenaltyMotion : public PenaltySolvers {};

constexpr double kPi = 3.14159265358979323846, kG = 9.81;

// Free fall and a throw, while the body turns.
TEST_P(PenaltyMotion, Projectile) {
  ModelBuilder scene;
  const int body = scene.add_body({.xform = {{0, 0, 5}, {}}, .inertia = mat33_diagonal<Real>({1, 1, 1}), .mass = 2});
  const Model model = scene.finalize();
  Simulation sim(model, GetParam(), Real(0.001));
  sim.state().body_qd[body] = {{1, 2, 3}, {0, 0, 4}};
  sim.step(500);
  const double t = 0.5, h = falls_for(GetParam(), 0.001);
  const Transform X = sim.state().body_q[body];
  EXPECT_NEAR(X.p.x, t, 1e-4);
  EXPECT_NEAR(X.p.y, 2 * t, 1e-4);
  EXPECT_NEAR(X.p.z, 5 + 3 * t - kG * t * (t + h) / 2, 2e-4);  // of a semi-implicit step to rounding
  EXPECT_NEAR(sim.state().body_qd[body].linear.z, 3 - kG * t, 2e-4);
  EXPECT_NEAR(rotation_vector(X.q).z, 4 * t, 1e-3);
}

// Torque-free turning of an uneven body: energy and angular momentum over 10,000 steps.
TEST_P(PenaltyMotion, TorqueFreeTurning) {
  ModelBuilder scene;
  scene.gravity = {};
  const Vec3 I{Real(0.01), Real(0.02), Real(0.025)};
  scene.add_body({.inertia = mat33_diagonal(I), .mass = 1});
  const Model model = scene.finalize();
  Simulation sim(model, GetParam(), Real(0.0005));
  const Vec3 start{3, Real(0.1), 2};
  sim.state().body_qd[0].angular = start;
  const auto momentum = [&] {
    const Quat q = sim.state().body_q[0].q;
    const Vec3 w = rotate_inverse(q, sim.state().body_qd[0].angular);
    return rotate(q, Vec3{I.x * w.x, I.y * w.y, I.z * w.z});
  };
  const auto energy = [&] { return dot(momentum(), sim.state().body_qd[0].angular) / 2; };
  const Vec3 L = momentum();
  const Real E = energy();
  sim.step(10'000);
  const double turned = length(momentum() - L) / length(L), gained = energy() / E - 1;
  std::printf("%s: 10,000 steps change the angular momentum by %.2g, the energy by %.2g\n", GetParam().c_str(), turned,
              gained);
  EXPECT_LT(turned, 0.02);
  EXPECT_LT(std::abs(gained), 0.02);
}

// A rod on a hinge swings with the period of its energy: 4 sqrt(I / (m g l)) K(sin(angle / 2)).
TEST_P(PenaltyMotion, PendulumPeriod) {
  const double m = 1.5, l = 0.4, I = 0.02, start = 1.2;
  ModelBuilder scene;
  const int rod = scene.add_link(
      {.com = {0, 0, Real(-l)}, .inertia = mat33_diagonal<Real>({Real(I), Real(I), Real(I)}), .mass = Real(m)});
  const int hinge = scene.add_joint_revolute(-1, rod, {.axis = {0, 1, 0}});
  scene.add_articulation({hinge});
  const Real q = Real(start);
  scene.set_joint_q(hinge, std::span(&q, 1));
  const Model model = scene.finalize();
  const double h = 0.0005;
  Simulation sim(model, GetParam(), Real(h));
  // The arithmetic-geometric mean gives K.
  double a = 1, b = cos(start / 2);
  while (a - b > 1e-14) {
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b), a = mean;
  }
  const double period = 2 * kPi / a * std::sqrt((I + m * l * l) / (m * kG * l));
  double last = start, crossed = -1, periods = 0;
  for (int n = 1; n * h < 5.2 * period; ++n) {
    sim.step();
    const double now = sim.state().joint_q[0];
    if (last < 0 && now >= 0) {
      const double at = (n - now / (now - last)) * h;
      if (crossed >= 0) {
        periods += 1;
        EXPECT_NEAR(at - crossed, period, 0.01 * period);
      }
      crossed = at;
    }
    last = now;
  }
  EXPECT_GE(periods, 3);
  EXPECT_LT(length(sim.state().body_q[rod].p), 1e-4);
}

// A bob on a string swings as on a rod, and the string is slack where it is not pulled.
TEST_P(PenaltyMotion, ABobOnAString) {
  const double l = 0.5, start = 1;
  ModelBuilder scene;
  for (const double away : {l, 0.3}) {
    scene.begin_world();
    const Vec3 at{Real(away * std::sin(start)), 0, Real(-away * std::cos(start))};
    const int bob = scene.add_link({.xform = {at, {}}, .inertia = mat33_diagonal<Real>({1, 1, 1}), .mass = 2});
    scene.add_articulation({scene.add_joint_distance(-1, bob, -1, Real(l))});
    scene.end_world();
  }
  const Model model = scene.finalize();
  const double h = 0.0005;
  Simulation sim(model, GetParam(), Real(h));
  double a = 1, b = cos(start / 2);
  while (a - b > 1e-14) {
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b), a = mean;
  }
  const double quarter = kPi / 2 / a * std::sqrt(l / kG);
  const int steps = static_cast<int>(quarter / h);
  sim.step(100);
  const double t = 100 * h;  // the second one falls freely
  EXPECT_NEAR(sim.state().body_q[1].p.z, -0.3 * std::cos(start) - kG * t * (t + falls_for(GetParam(), h)) / 2, 1e-4);
  sim.step(steps - 100);
  const Vec3 bob = sim.state().body_q[0].p;
  EXPECT_NEAR(bob.x, 0, 0.01);
  EXPECT_NEAR(length(bob), l, 2 * 2 * kG * 3 / model.joint_limit_ke[0]);
  sim.step(4000);
  EXPECT_LT(length(sim.state().body_q[1].p), l + 0.01);
}

// A bead on a rod that turns steadily: what is geared to its sliding is not carried around with it, so
// (m + armature) r'' = m w^2 r.
TEST_P(PenaltyMotion, ABeadOnATurningRod) {
  const double m = 0.5, r = 0.3, w = 4;
  for (const double armature : {0.0, 0.5, 4.0}) {
    ModelBuilder scene;
    scene.gravity = {};
    const int rod = scene.add_link({.inertia = mat33_diagonal<Real>({1e4, 1e4, 1e4}), .mass = 1e3});
    const int bead =
        scene.add_link({.inertia = mat33_diagonal<Real>({Real(1e-3), Real(1e-3), Real(1e-3)}), .mass = Real(m)});
    const int turns = scene.add_joint_revolute(-1, rod, {.axis = {0, 0, 1}});
    const int slides = scene.add_joint_prismatic(rod, bead, {.axis = {1, 0, 0}, .armature = Real(armature)});
    scene.add_articulation({turns, slides});
    const Model model = scene.finalize();
    const double h = 5e-4;
    Simulation sim(model, GetParam(), Real(h));
    sim.state().joint_q[1] = Real(r), sim.state().joint_qd[0] = Real(w);
    sim.step(1000);
    const double rate = w * std::sqrt(m / (m + armature)), t = 1000 * h;
    EXPECT_NEAR(sim.state().joint_q[1], r * std::cosh(rate * t), 5e-3 * r * std::cosh(rate * t)) << armature;
    EXPECT_NEAR(sim.state().joint_qd[1], r * rate * std::sinh(rate * t), 6e-3 * r * rate * std::cosh(rate * t));
    EXPECT_NEAR(sim.state().joint_qd[0], w, 1e-3 * w);
  }
}

// Two bodies that may neither come close nor part: they turn about each other, and keep their momentum.
TEST_P(PenaltyMotion, DistancesBetweenBodies) {
  ModelBuilder scene;
  scene.gravity = {};
  const Mat33 I = mat33_diagonal<Real>({1, 1, 1});
  const int one = scene.add_body({.inertia = I, .mass = 1});
  const int two = scene.add_link({.xform = {{Real(0.4), 0, 0}, {}}, .inertia = I, .mass = 3});
  scene.add_joint_distance(one, two, Real(0.3), Real(0.5));
  const Model model = scene.finalize();
  Simulation sim(model, GetParam(), Real(0.001));
  const Array<Real>& qd = sim.state().joint_qd;  // of the second one against the first
  qd[0] = 1, qd[1] = Real(0.5), qd[6] = -1, qd[7] = Real(-0.5);
  double nearest = 1, farthest = 0;
  for (int n = 0; n < 200; ++n) {
    sim.step(10);
    const double apart = length(sim.state().body_q[two].p - sim.state().body_q[one].p);
    nearest = std::min(nearest, apart), farthest = std::max(farthest, apart);
  }
  EXPECT_NEAR(nearest, 0.3, 0.01);
  EXPECT_NEAR(farthest, 0.5, 0.01);
  const Vec3 momentum = sim.state().body_qd[one].linear + sim.state().body_qd[two].linear * Real(3);
  EXPECT_LT(length(momentum - Vec3{1, Real(0.5), 0}), 2e-3);
}

// A double pendulum for one second, against Runge and Kutta's method on its equations of motion.
TEST_P(PenaltyMotion, DoublePendulum) {
  const double m = 1, l = 0.5;  // point masses at the ends of rods
  ModelBuilder scene;
  const Mat33 tiny = mat33_diagonal<Real>({Real(1e-6), Real(1e-6), Real(1e-6)});
  int parent = -1, joints[2];
  for (int k = 0; k < 2; ++k) {
    const int link = scene.add_link({.com = {0, 0, Real(-l)}, .inertia = tiny, .mass = Real(m)});
    JointFrames frames;
    if (k == 1) frames.parent_xform.p = {0, 0, Real(-l)};
    joints[k] = scene.add_joint_revolute(parent, link, {.axis = {0, 1, 0}}, frames);
    parent = link;
  }
  scene.add_articulation({joints[0], joints[1]});
  const Real start[]{1, Real(0.5)};
  for (int k = 0; k < 2; ++k) scene.set_joint_q(joints[k], std::span(start + k, 1));
  const Model model = scene.finalize();
  const auto rates = [&](const double(&x)[4], double(&dx)[4]) {  // angles from the vertical, and their rates
    const double d = x[1] - x[0], c = std::cos(d), s = std::sin(d);
    // Equal masses and lengths: [2 c; c 1] a = b.
    const double b0 = x[3] * x[3] * s - 2 * kG / l * std::sin(x[0]), b1 = -x[2] * x[2] * s - kG / l * std::sin(x[1]);
    const double det = 2 - c * c;
    dx[0] = x[2], dx[1] = x[3], dx[2] = (b0 - c * b1) / det, dx[3] = (2 * b1 - c * b0) / det;
  };
  double x[4]{start[0], start[0] + start[1], 0, 0};
  for (int n = 0; n < 20'000; ++n) {
    const double h = 5e-5;
    double k[4][4], y[4];
    const double at[]{0, 0.5, 0.5, 1};
    for (int s = 0; s < 4; ++s) {
      for (int i = 0; i < 4; ++i) y[i] = s == 0 ? x[i] : x[i] + at[s] * h * k[s - 1][i];
      rates(y, k[s]);
    }
    for (int i = 0; i < 4; ++i) x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
  Simulation sim(model, GetParam(), Real(1e-4));
  sim.step(10'000);
  EXPECT_NEAR(sim.state().joint_q[0], x[0], 0.01);
  EXPECT_NEAR(sim.state().joint_q[1], x[1] - x[0], 0.02);
}

// Weights on hinges: a drive gives way by weight / stiffness, and a limit likewise.
TEST_P(PenaltyMotion, DrivesAndLimits) {
  const double m = 2, l = 0.3;
  ModelBuilder scene;
  for (const bool driven : {true, false}) {
    scene.begin_world();
    const int arm = scene.add_link({.com = {Real(l), 0, 0},
                                    .inertia = mat33_diagonal<Real>({Real(0.01), Real(0.01), Real(0.01)}),
                                    .mass = Real(m)});
    JointDofConfig dof{.axis = {0, -1, 0}};  // upwards
    if (driven) dof.target_ke = 200, dof.target_kd = 20, dof.target_pos = Real(0.5);
    else dof.limit_lower = Real(-0.4), dof.limit_ke = 500, dof.limit_kd = 10;
    scene.add_articulation({scene.add_joint_revolute(-1, arm, dof)});
    scene.end_world();
  }
  const Model model = scene.finalize();
  Simulation sim = run(model, Real(0.002), 3000);
  const auto hangs = [&](double stiffness, double rest) {  // stiffness (rest - q) = m g l cos q
    double q = rest;
    for (int n = 0; n < 100; ++n) q = rest - m * kG * l * std::cos(q) / stiffness;
    return q;
  };
  EXPECT_NEAR(sim.state().joint_q[0], hangs(200, 0.5), 1e-3);
  EXPECT_NEAR(sim.state().joint_q[1], hangs(500, -0.4), 1e-3);
}

// A motor with feedback, bounded by its force and by the effort of the joint.
TEST_P(PenaltyMotion, MotorsAreBounded) {
  ModelBuilder scene;
  scene.gravity = {};
  const int cart = scene.add_link({.inertia = mat33_diagonal<Real>({1, 1, 1}), .mass = 3});
  JointDofConfig dof{.axis = {1, 0, 0}};
  dof.effort_upper = 12;
  const int slide = scene.add_joint_prismatic(-1, cart, dof);
  scene.add_articulation({slide});
  scene.add_actuator(slide, {.gear = 2, .gain = 5, .ctrl_lower = -1, .ctrl_upper = 1, .force_upper = 4});
  const Model model = scene.finalize();
  Simulation sim(model, GetParam(), Real(0.001));
  sim.control().ctrl[0] = 1;  // 5, bounded to 4, times the gear: 8
  sim.step(100);
  EXPECT_NEAR(sim.state().joint_qd[0], 8.0 / 3 * 0.1, 1e-4);
  sim.control().joint_f[0] = 30;  // of the user: not bounded
  sim.step(100);
  EXPECT_NEAR(sim.state().joint_qd[0], 8.0 / 3 * 0.2 + 10 * 0.1, 1e-3);
}

// Dry friction of a slide stops a cart after m v^2 / (2 f), and holds it against less than f.
TEST_P(PenaltyMotion, DryFriction) {
  ModelBuilder scene;
  scene.gravity = {};
  const double m = 2, f = 3, v = 1;
  const int cart = scene.add_link({.inertia = mat33_diagonal<Real>({1, 1, 1}), .mass = Real(m)});
  JointDofConfig dof{.axis = {1, 0, 0}};
  dof.friction = Real(f);
  scene.add_articulation({scene.add_joint_prismatic(-1, cart, dof)});
  const Model model = scene.finalize();
  Simulation sim(model, GetParam(), Real(0.001));
  sim.state().joint_qd[0] = Real(v);
  sim.step(1500);
  EXPECT_NEAR(sim.state().joint_q[0], m * v * v / (2 * f), 0.01 * m * v * v / (2 * f));
  EXPECT_LT(std::abs(sim.state().joint_qd[0]), 1e-4);
  const Real stood = sim.state().joint_q[0];
  sim.control().joint_f[0] = Real(0.9 * f);
  sim.step(1000);
  EXPECT_NEAR(sim.state().joint_q[0], stood, 2e-4);
  sim.control().joint_f[0] = Real(1.5 * f);
  sim.step(1000);
  EXPECT_NEAR(sim.state().joint_qd[0], 0.5 * f / m, 0.02 * 0.5 * f / m);
}

// Two balls that meet keep their momentum, and push each other alike.
TEST_P(PenaltyMotion, MomentumIsKept) {
  ModelBuilder scene;
  scene.gravity = {};
  for (const Real x : {Real(-0.3), Real(0.3)}) {
    const int ball = scene.add_body({.xform = {{x, x / 10, 0}, {}}});
    scene.add_shape_sphere(ball, Real(0.2));
  }
  const Model model = scene.finalize();
  Simulation sim(model, GetParam(), Real(0.001));
  sim.state().body_qd[0] = {{1, 0, 0}, {0, 1, 0}};
  sim.state().body_qd[1] = {{-2, 0, Real(0.5)}, {}};
  const Real m = model.body_mass[0], I = model.body_inertia[0][0][0];
  const auto momentum = [&] {
    SpatialVector sum{};
    for (int b = 0; b < 2; ++b) {
      const SpatialVector V = sim.state().body_qd[b];
      sum.linear += V.linear * m;
      sum.angular += cross(sim.state().body_q[b].p, V.linear * m) + V.angular * I;
    }
    return sum;
  };
  const SpatialVector before = momentum();
  sim.step(500);
  EXPECT_GT(sim.state().body_qd[0].linear.x, -3);
  EXPECT_LT(sim.state().body_qd[0].linear.x, 0);
  EXPECT_LT(length(momentum().linear - before.linear), 1e-3 * m);
  EXPECT_LT(length(momentum().angular - before.angular), 3e-3 * m);
}

// What rests pushes with its weight, as contacts tell it: a stack of three boxes.
TEST_P(PenaltyMotion, StackWeighs) {
  ModelBuilder scene;
  const ShapeConfig cfg = hard_material(Real(0.8));
  scene.add_ground_plane(0, {.cfg = cfg});
  for (int k = 0; k < 3; ++k) {
    const int box = scene.add_body({.xform = {{0, 0, Real(0.05 + 0.0999 * k)}, {}}});
    scene.add_shape_box(box, Real(0.05), Real(0.05), Real(0.05), {.cfg = cfg});
  }
  const Model model = scene.finalize();
  Simulation sim = run(model, Real(0.002), 1500);
  const Contacts& c = sim.contacts();
  double carried[3]{};
  for (int i = 0; i < c.rigid_contact_count[0]; ++i) {
    const int upper =
        std::max(model.shape_body[c.rigid_contact_shape0[i]], model.shape_body[c.rigid_contact_shape1[i]]);
    const bool upwards = c.rigid_contact_normal[i].z > 0;
    carried[upper] += upwards ? c.rigid_contact_force[i].z : -c.rigid_contact_force[i].z;
  }
  for (int k = 0; k < 3; ++k) {
    const double weight = (3 - k) * model.body_mass[0] * kG;
    EXPECT_NEAR(carried[k], weight, 0.005 * weight) << "box " << k;
    EXPECT_LT(length(sim.state().body_qd[k].linear), 1e-3);
  }
}

// A chain of hinges about all axes that floats and tumbles gains no energy, and loses little.
TEST_P(PenaltyMotion, ATumblingChainKeepsItsEnergy) {
  ModelBuilder scene;
  scene.gravity = {};
  const Mat33 inertia = mat33_diagonal<Real>({Real(0.01), Real(0.006), Real(0.004)});
  int parent = scene.add_body({.inertia = inertia, .mass = 2});
  const Vec3 axes[]{{0, 1, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}};
  for (const Vec3 axis : axes) {
    const int link = scene.add_link({.com = {0, 0, Real(-0.15)}, .inertia = inertia, .mass = 1});
    JointFrames frames;
    frames.parent_xform.p = {Real(0.05), 0, Real(-0.3)};
    scene.add_joint_revolute(parent, link, {.axis = axis}, frames);
    parent = link;
  }
  const Model model = scene.finalize();
  Simulation sim(model, GetParam(), Real(0.001));
  SeededRandom random(3);
  for (Real& v : sim.state().joint_qd) v = Real(random.uniform(-3, 3));
  const auto energy = [&] {
    double sum = 0;
    for (int b = 0; b < model.body_count; ++b) {
      const SpatialVector V = sim.state().body_qd[b];
      const Vec3 w = rotate_inverse(sim.state().body_q[b].q, V.angular);
      sum += 0.5 * (model.body_mass[b] * dot(V.linear, V.linear) + dot(w, model.body_inertia[b] * w));
    }
    return sum;
  };
  sim.step();
  const double start = energy();
  for (int n = 0; n < 20; ++n) {
    sim.step(50);
    EXPECT_LT(energy(), 1.02 * start) << "after " << n;
  }
  EXPECT_GT(energy(), 0.9 * start);
}

// The depth at which a ball rests is its weight over ke of both materials together.
class SoftMaterial : public PenaltySolvers {};
TEST_P(SoftMaterial, BallSinksByItsWeight) {
  ModelBuilder scene;
  ShapeConfig cfg;
  cfg.ke = 3000, cfg.kd = 300;
  scene.options.combine = CombineRule::kMin;
  scene.add_ground_plane(0, {.cfg = cfg});
  const int ball = scene.add_body({.xform = {{0, 0, Real(0.1)}, {}}});
  cfg.ke = 2000;
  scene.add_shape_sphere(ball, Real(0.1), {.cfg = cfg});
  const Model model = scene.finalize();
  Simulation sim = run(model, Real(0.002), 2000);
  EXPECT_NEAR(0.1 - sim.state().body_q[0].p.z, model.body_mass[0] * kG / 2000, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(All, SoftMaterial, ::testing::Values("semi_implicit", "featherstone"),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(All, PenaltyMotion, ::testing::ValuesIn(penalty_solvers()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace carom
