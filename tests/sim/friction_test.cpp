// Sliding, sticking and rolling against closed forms, for the pyramid of friction along its tangents.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "carom/carom.h"

namespace carom {
namespace {

constexpr bool kDouble = sizeof(Real) == 8;
constexpr double kG = 9.81;
constexpr Real kDt = Real(1) / 1024;

SolverMuJoCoConfig strict() { return {.tolerance = kDouble ? Real(1e-18) : Real(1e-11)}; }

constexpr double kImpedance = 0.9, kTimeConstant = 0.02;
const double kStiffness = 1 / std::pow(kImpedance * kTimeConstant, 2), kDamping = 2 / (kImpedance * kTimeConstant);

ShapeConfig material(double mu) {
  ShapeConfig cfg;
  cfg.mu = Real(mu);
  cfg.solref = {Real(kTimeConstant), 1};
  cfg.solimp = {Real(kImpedance), Real(kImpedance), Real(0.001), Real(0.5), 2};
  cfg.thickness = 0;
  cfg.density = 0;
  return cfg;
}

// A block that cannot turn, on a plane tilted about y: down the slope is +x of the plane. Its foot is a sphere.
Model block_on_slope(double slope, double mu, double mass, Vec3 start_above) {
  ModelBuilder builder;
  const Quat tilt{0, Real(std::sin(slope / 2)), 0, Real(std::cos(slope / 2))};
  builder.add_shape_plane(-1, 0, 0, {.xform = {{}, tilt}, .cfg = material(mu)});
  const int block = builder.add_link({.mass = Real(mass)});
  const JointDofConfig x{.axis = {1, 0, 0}}, y{.axis = {0, 1, 0}}, z{.axis = {0, 0, 1}};
  const int joint = builder.add_joint_d6(-1, block, {x, y, z}, {}, {.parent_xform = {{}, tilt}});
  const Real start[] = {start_above.x, start_above.y, start_above.z};
  builder.set_joint_q(joint, start);
  builder.add_shape_sphere(block, Real(0.1), {.cfg = material(mu)});
  return builder.finalize();
}

// D of an edge of the pyramid: 1 / (2 mu^2 (1 - d) / d (1 + mu^2) / m).
double edge_stiffness(double mu, double mass) {
  return mass * kImpedance / (1 - kImpedance) / (2 * mu * mu * (1 + mu * mu));
}

// Soft friction creeps. With the shares A = -x_n and S = mu x_t of the edges, the weight and the pull down the slope
// are
//   all four edges:   f_n = 4 D A,        f_t = 2 mu D S          up to a slope of mu / 2
//   three of them:    f_n = D (3 A + S),  f_t = mu D (A + S)      up to mu
// and at rest A = K d depth, S = mu B speed.
TEST(Friction, BlockSticksToASlope) {
  const double mu = 0.6, mass = 2;
  for (const double share : {0.1, 0.3, 0.45, 0.6, 0.8, 0.95}) {
    SCOPED_TRACE(::testing::Message() << "slope of " << share << " mu");
    const double slope = std::atan(share * mu), D = edge_stiffness(mu, mass);
    const double f_n = mass * kG * std::cos(slope), f_t = mass * kG * std::sin(slope);
    const double A = share < 0.5 ? f_n / (4 * D) : (f_n - f_t / mu) / (2 * D);
    const double S = share < 0.5 ? f_t / (2 * mu * D) : f_t / (mu * D) - A;
    const Model model = block_on_slope(slope, mu, mass, {0, 0, Real(0.1)});
    Simulation simulation(model, SolverMuJoCo(model, strict()), kDt);
    simulation.step(4096);
    const State& state = simulation.state();
    EXPECT_NEAR(0.1 - state.joint_q[2], A / (kStiffness * kImpedance), kDouble ? 1e-9 : 1e-6);
    EXPECT_NEAR(state.joint_qd[0], S / (mu * kDamping), kDouble ? 1e-9 : 1e-5);
    EXPECT_NEAR(state.joint_qd[1], 0, kDouble ? 1e-12 : 1e-6);
    EXPECT_LT(state.joint_qd[0], 0.02);  // it sticks, as far as anything does
    const Contacts contacts = simulation.contacts();
    ASSERT_EQ(contacts.rigid_contact_count[0], 1);
    EXPECT_NEAR(contacts.rigid_contact_force[0].z, mass * kG, kDouble ? 1e-6 : 1e-2);
    EXPECT_NEAR(contacts.rigid_contact_force[0].x, 0, kDouble ? 1e-6 : 1e-2);
  }
}

// What happened to a block while it slid: speeds, and whether every force was on the edge of the pyramid.
struct Slide {
  double along, across, normal;  // change of speed [m/s]
  double time;
  double worst;  // largest relative distance of a tangential force from mu times the normal one
  int touching = 0;
};

Slide slide(double slope, double mu, Vec3 velocity, int steps) {
  const Model model = block_on_slope(slope, mu, 2, {0, 0, Real(0.1)});
  Simulation simulation(model, SolverMuJoCo(model, strict()), kDt);
  const State& state = simulation.state();
  for (int i = 0; i < 3; ++i) state.joint_qd[i] = velocity[i];
  const Quat tilt{0, Real(std::sin(slope / 2)), 0, Real(std::cos(slope / 2))};
  Slide result{0, 0, 0, steps * double(kDt), 0, 0};
  for (int i = 0; i < steps; ++i) {
    simulation.step();
    const Contacts contacts = simulation.contacts();
    for (int c = 0; c < contacts.rigid_contact_count[0]; ++c) {
      const Vec3 f = rotate(conjugate(tilt), contacts.rigid_contact_force[c]);
      if (!(f.z > 0)) continue;
      ++result.touching;
      const double tangential = std::abs(double(f.x)) + std::abs(double(f.y));
      result.worst = std::max(result.worst, std::abs(tangential / f.z - mu) / mu);
    }
  }
  result.along = state.joint_qd[0] - velocity.x;
  result.across = state.joint_qd[1] - velocity.y;
  result.normal = state.joint_qd[2] - velocity.z;
  return result;
}

// A block that slides fast hops on the front edge of the pyramid: every force is on the edge, so the tangential impulse
// is mu times the normal one, exactly, and the normal one is what holds the weight.
TEST(Friction, SlidingBlockLosesMuG) {
  const double mu = 0.4;
  const double tolerance = kDouble ? 1e-10 : 1e-4;
  for (const Vec3 direction : {Vec3{1, 0, 0}, Vec3{-1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, -1, 0}}) {
    const Slide s = slide(0, mu, direction * Real(3), 512);
    EXPECT_GT(s.touching, 20);
    EXPECT_LT(s.worst, kDouble ? 1e-9 : 1e-5);
    const double impulse = kG * s.time + s.normal;  // over the mass
    EXPECT_NEAR(s.along, -mu * impulse * direction.x, tolerance);
    EXPECT_NEAR(s.across, -mu * impulse * direction.y, tolerance);
    // So the mean deceleration is mu g, but for the speed of the last hop.
    EXPECT_NEAR(std::hypot(s.along, s.across) / s.time, mu * kG, mu * std::abs(s.normal) / s.time + tolerance);
    EXPECT_LT(std::abs(s.normal), 0.2);
  }
}

// On a slope steeper than mu a block slides down with g (sin - mu cos).
TEST(Friction, BlockSlidesDownASlope) {
  const double mu = 0.3, slope = std::atan(0.8);
  const Slide s = slide(slope, mu, {Real(2), 0, 0}, 512);
  const double impulse = kG * std::cos(slope) * s.time + s.normal;
  EXPECT_GT(s.touching, 20);
  EXPECT_NEAR(s.along, kG * std::sin(slope) * s.time - mu * impulse, kDouble ? 1e-10 : 1e-4);
  EXPECT_NEAR(s.across, 0, kDouble ? 1e-12 : 1e-5);
}

// From rest it has to let go first: afterwards it gains what a slope of that friction leaves.
TEST(Friction, BlockLetsGo) {
  const double mu = 0.3;
  for (const double share : {1.2, 2.0}) {
    const double slope = std::atan(share * mu);
    const Model model = block_on_slope(slope, mu, 2, {0, 0, Real(0.1)});
    Simulation simulation(model, SolverMuJoCo(model, strict()), kDt);
    simulation.step(2048);
    const double speed = simulation.state().joint_qd[0];
    const double expected = 2 * kG * (std::sin(slope) - mu * std::cos(slope));
    // Until it hops, more edges than the front one carry it, and friction is less than mu: it can only be faster.
    EXPECT_GT(speed, 0.98 * expected) << share;
    EXPECT_LT(speed, 2 * kG * std::sin(slope)) << share;
  }
}

// -- Bodies that may turn.

Model body_on_plane(double mu, bool capsule) {
  ModelBuilder builder;
  builder.add_ground_plane(0, {.cfg = material(mu)});
  const Quat lying{0, sqrt(Real(0.5)), 0, sqrt(Real(0.5))};
  const double mass = 2, radius = 0.1;
  const int body = builder.add_body({.xform = {{0, 0, Real(radius)}, capsule ? lying : Quat{}},
                                     .inertia = mat33_identity<Real>() * Real(0.4 * mass * radius * radius),
                                     .mass = Real(mass)});
  if (capsule) builder.add_shape_capsule(body, Real(radius), Real(0.3), {.cfg = material(mu)});
  else builder.add_shape_sphere(body, Real(radius), {.cfg = material(mu)});
  return builder.finalize();
}

// A sphere that begins to slide ends up rolling. About the line of contact its angular momentum is kept, so
//   v = v_0 / (1 + I / (m r^2))  with r from the centre to the point of contact, between the radius and that less half
// of the largest depth.
TEST(Friction, SlidingSphereBeginsToRoll) {
  const double v0 = 1.5, radius = 0.1;
  for (const double mu : {0.1, 0.3, 1.0})
    for (const int along : {0, 1}) {
      const Model model = body_on_plane(mu, false);
      Simulation simulation(model, SolverMuJoCo(model, strict()), kDt);
      const State& state = simulation.state();
      state.joint_qd[along] = Real(v0);
      double deepest = 0;
      const double until = 2 * v0 / (7 * mu * kG);  // [s] with friction mu g all the time
      const int steps = static_cast<int>(1.5 * until / kDt) + 400;
      for (int i = 0; i < steps; ++i) {
        simulation.step();
        deepest = std::max(deepest, radius - double(state.joint_q[2]));
      }
      const auto rolling = [&](double r) { return v0 / (1 + 0.4 * radius * radius / (r * r)); };
      const double v = state.joint_qd[along], spin = along == 0 ? state.joint_qd[4] : -state.joint_qd[3];
      const double slack = kDouble ? 1e-6 : 1e-4;
      EXPECT_LE(v, rolling(radius) + slack) << "mu " << mu;
      EXPECT_GE(v, rolling(radius - deepest / 2) - slack) << "mu " << mu;
      EXPECT_NEAR(v, spin * radius, v * deepest / radius + slack) << "mu " << mu;
      EXPECT_LT(deepest, 0.002);
      // Angular momentum about a line in the plane: m v r + I w, from the start on.
      EXPECT_NEAR(v + 0.4 * radius * spin, v0, v0 * deepest / radius + slack);
    }
}

// A lying capsule that is pushed along its axis slides as a block does, on two points, and does not turn to a side.
TEST(Friction, CapsuleSlidesAlongItsAxis) {
  const double mu = 0.3, v0 = 2;
  const Model model = body_on_plane(mu, true);
  Simulation simulation(model, SolverMuJoCo(model, strict()), kDt);
  const State& state = simulation.state();
  state.joint_qd[0] = Real(v0);
  double normal = 0, tangential = 0, most = 0;
  for (int i = 0; i < 400; ++i) {
    simulation.step();
    const Contacts contacts = simulation.contacts();
    for (int c = 0; c < contacts.rigid_contact_count[0]; ++c) {
      const Vec3 f = contacts.rigid_contact_force[c];
      normal += f.z;
      tangential += f.x;
      if (f.z > 0) most = std::max(most, (std::abs(double(f.x)) + std::abs(double(f.y))) / f.z);
      EXPECT_NEAR(f.y, 0, kDouble ? 1e-9 : 1e-2);
    }
  }
  EXPECT_LE(most, mu * (1 + (kDouble ? 1e-9 : 1e-5)));
  EXPECT_NEAR(tangential / normal, -mu, kDouble ? 1e-9 : 1e-6);
  // Newton's law for the sums of the reported forces, and so for the speeds.
  const double time = 400 * double(kDt), tolerance = kDouble ? 1e-10 : 1e-4;
  EXPECT_NEAR(2 * (state.joint_qd[0] - v0), tangential * kDt, tolerance);
  EXPECT_NEAR(2 * (state.joint_qd[2] + kG * time), normal * kDt, tolerance);
  EXPECT_NEAR(state.joint_qd[0] - v0, -mu * (kG * time + state.joint_qd[2]), tolerance);
  EXPECT_LT(std::abs(state.joint_qd[2]), 0.2);
  EXPECT_NEAR(state.joint_q[1], 0, kDouble ? 1e-9 : 1e-5);
}

}  // namespace
}  // namespace carom
