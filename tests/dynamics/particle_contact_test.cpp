// Particles that touch shapes and each other: weight, friction, adhesion, and what bodies feel of it.
#include <gtest/gtest.h>

#include "tests/dynamics/particle_world.h"

namespace carom {
namespace {

constexpr Real kRadius = Real(0.05);

// A plane through the origin that falls along +x by `angle`.
ModelBuilder slope(Real angle, Real mu, ShapeConfig cfg = {}) {
  ModelBuilder builder;
  cfg.mu = mu;
  builder.options.soft_contact_mu = mu;
  builder.add_shape_plane(-1, 0, 0, {.xform = {{}, quat_from_axis_angle(Vec3{0, 1, 0}, angle)}, .cfg = cfg});
  return builder;
}

ShapeConfig with_mu(Real mu) {
  ShapeConfig cfg;
  cfg.mu = mu;
  return cfg;
}

// Above it by as much as it sinks in under its weight.
int add_resting(ModelBuilder& builder, Vec3 along, Real angle, Real mass, Vec3 vel, Real ke) {
  const Vec3 n{sin(angle), 0, cos(angle)};
  const Real depth = mass * Real(9.81) * cos(angle) / ke;
  return builder.add_particle(along + n * (kRadius - depth), vel, mass, kRadius);
}

const Real kDefaultKe = (ModelOptions{}.soft_contact_ke + ShapeConfig{}.ke) / 2;

// Proves that a particle comes to rest on a plane, as deep as its weight pushes it in, and that the contact's force is
// its weight, however light or heavy it is for the step.
TEST(ParticleContact, ForceAtRestIsTheWeight) {
  for (const Real mass : {Real(1e-4), Real(0.01), Real(1), Real(20)}) {
    ModelBuilder builder = slope(0, Real(0.5));
    builder.add_particle({0, 0, kRadius}, {}, mass, kRadius);
    ParticleWorld w(builder);
    w.step_in_contact(Real(1) / 240, 3000);
    EXPECT_NEAR(w.qd(0).z, 0, 1e-4) << mass;
    const Real weight = mass * Real(9.81);
    ASSERT_EQ(w.contacts.soft_contact_count[0], 1);
    EXPECT_NEAR(w.contacts.soft_contact_force[0].z, weight, Real(0.005) * weight) << mass;
    EXPECT_NEAR(kRadius - w.q(0).z, weight / kDefaultKe, Real(0.005) * weight / kDefaultKe + 1e-6) << mass;
  }
}

// Proves that light and heavy particles slide v^2 / (2 mu g) far and then stand still.
TEST(ParticleContact, StoppingDistance) {
  for (const Real mass : {Real(0.001), Real(1)})
    for (const Real mu : {Real(0.1), Real(0.2), Real(0.5), Real(1)}) {
      ModelBuilder builder = slope(0, mu);
      add_resting(builder, {}, 0, mass, {2, 0, 0}, kDefaultKe);
      ParticleWorld w(builder);
      w.step_in_contact(Real(1) / 1000, 3000);
      const double distance = 4 / (2 * double(mu) * 9.81);
      EXPECT_NEAR(w.q(0).x, distance, 0.01 * distance) << mass << " kg, mu " << mu;
      EXPECT_NEAR(w.qd(0).x, 0, 1e-4);
    }
}

// Proves Coulomb's law on slopes: below the angle of friction a particle stays, above it slides by g (sin - mu cos).
TEST(ParticleContact, SlopesAndCoefficients) {
  for (const Real angle : {Real(0.1), Real(0.2), Real(0.3), Real(0.4), Real(0.5)})
    for (const Real mu : {Real(0.05), Real(0.15), Real(0.25), Real(0.35), Real(0.6)}) {
      ModelBuilder builder = slope(angle, mu);
      const Real mass = Real(0.01), dt = Real(1) / 500;
      add_resting(builder, {}, angle, mass, {}, kDefaultKe);
      ParticleWorld w(builder);
      w.step_in_contact(dt, 500);
      const double free = 9.81 * (sin(double(angle)) - mu * cos(double(angle)));
      const double down = w.q(0).x * cos(angle) - w.q(0).z * sin(angle);
      const double expected = free > 0 ? free / 2 : 0;
      EXPECT_NEAR(down, expected, 0.01 * expected + 1e-4) << "slope " << angle << ", mu " << mu;
    }
}

// Proves that nothing pulls without adhesion, and that with it a particle hangs on the shape above it.
TEST(ParticleContact, Adhesion) {
  for (const Real ka : {Real(0), Real(0.01)}) {
    ModelBuilder builder;
    builder.add_shape_box(-1, 1, 1, 1, {.xform = {{0, 0, 1}, {}}, .cfg = ShapeConfig{.ka = ka}});
    builder.add_particle({0, 0, -kRadius}, {}, Real(0.1), kRadius);
    ParticleWorld w(builder);
    w.step_in_contact(Real(1) / 240, 480);
    if (ka == 0) EXPECT_LT(w.q(0).z, -5);
    else EXPECT_NEAR(w.q(0).z, -kRadius - Real(0.1) * Real(9.81) / kDefaultKe, 2e-5);
  }
}

// Proves that a body gets the negative of what its particles get, at the point of its surface, about its centre of
// mass.
TEST(ParticleContact, BodiesArePushed) {
  ModelBuilder builder;
  const int body = builder.add_body({.xform = {{1, 2, 0}, quat_from_axis_angle(Vec3{0, 0, 1}, Real(0.3))}});
  builder.add_shape_box(body, 1, 1, Real(0.5));
  builder.add_shape_box(body, 1, 1, Real(0.5),
                        {.xform = {{Real(0.6), 0, -3}, {}}});  // the centre of mass is not the origin
  builder.add_body({.inertia = mat33_identity<Real>(), .mass = 1});
  for (const Vec3 p : {Vec3{Real(1.4), 2, Real(0.54)}, Vec3{Real(0.5), Real(2.3), Real(0.53)}, Vec3{5, 5, 5}})
    builder.add_particle(p, {Real(0.5), 0, -1}, Real(0.2), kRadius);
  ParticleWorld w(builder);
  w.step_in_contact(Real(1) / 240);
  const Contacts& c = w.contacts;
  ASSERT_EQ(c.soft_contact_count[0], 2);
  SpatialVector sum{};
  for (int k = 0; k < 2; ++k) {
    EXPECT_GT(c.soft_contact_force[k].z, 0);
    EXPECT_LT(c.soft_contact_force[k].x, 0);
    const Vec3 p = transform_point(w.state.body_q[0], c.soft_contact_body_pos[k]);
    sum.linear -= c.soft_contact_force[k];
    const Vec3 com = transform_point(w.state.body_q[0], w.model.body_com[0]);
    sum.angular -= cross(p - com, c.soft_contact_force[k]);
  }
  EXPECT_LT(length(w.body_push[0].linear - sum.linear), 1e-4 * length(sum.linear));
  EXPECT_LT(length(w.body_push[0].angular - sum.angular), 1e-4 * length(sum.angular));
  EXPECT_EQ(w.body_push[1].linear, Vec3{});
}

// Proves that several touches together do what one would: a light particle on four boxes that lie in one another rests
// with its weight, and slides as far as on one.
TEST(ParticleContact, SeveralTouchesAtOnce) {
  ModelBuilder builder = slope(0, Real(0.4));
  for (int i = 0; i < 3; ++i)
    builder.add_shape_box(-1, 9, 9, 1, {.xform = {{0, 0, -1}, {}}, .cfg = with_mu(Real(0.4))});
  const Real mass = Real(0.002), depth = mass * Real(9.81) / (4 * kDefaultKe);
  builder.add_particle({0, 0, kRadius - depth}, {2, 0, 0}, mass, kRadius);
  ParticleWorld w(builder);
  w.step_in_contact(Real(1) / 1000, 2000);
  const double distance = 4 / (2 * 0.4 * 9.81);
  EXPECT_NEAR(w.q(0).x, distance, 0.01 * distance);
  EXPECT_NEAR(length(w.qd(0)), 0, 1e-4);
  ASSERT_EQ(w.contacts.soft_contact_count[0], 4);
  for (int c = 0; c < 4; ++c) EXPECT_NEAR(w.contacts.soft_contact_force[c].z, mass * 9.81 / 4, 1e-3 * mass * 9.81);
}

// A light plate that is free to move along z, under particles that come down on it.
struct Plate {
  ParticleWorld w;
  Real mass, speed = 0;

  Plate(const ModelBuilder& builder) : w(builder), mass(w.model.body_mass[0]) {}
  void step(Real dt, int n) {
    for (int i = 0; i < n; ++i) {
      w.step_in_contact(dt);
      EXPECT_LT(abs(w.body_push[0].angular.x) + abs(w.body_push[0].angular.y), 1e-3);
      speed += dt * w.body_push[0].linear.z / mass;
      w.state.body_q[0].p.z += dt * speed;
      w.state.body_qd[0].linear.z = speed;
    }
  }
};

// Proves that a light body and what lands on it, one heavy particle or nine, come to one speed, which keeps the
// momentum, with steps that are a hundred times too long for their stiffness.
TEST(ParticleContact, HeavyParticlesOnALightBody) {
  for (const int side : {1, 3}) {
    ModelBuilder builder = without_gravity();
    const int body = builder.add_body();
    const ShapeConfig sticky{.density = Real(0.1), .ke = 1e5, .kd = 1e4};
    builder.add_shape_box(body, 1, 1, Real(0.1), {.cfg = sticky});
    builder.options.soft_contact_kd = 1e4;
    for (int i = 0; i < side * side; ++i) {
      const int column = i % side - side / 2, row = i / side - side / 2;
      const Real x = Real(column), y = Real(row);
      builder.add_particle({x * Real(0.5), y * Real(0.5), Real(0.1) + kRadius}, {0, 0, -1}, 2, kRadius);
    }
    Plate plate(builder);
    plate.step(Real(1) / 240, 100);
    const double mass = 2.0 * side * side;
    double momentum = plate.mass * plate.speed, energy = plate.mass * square(double(plate.speed)) / 2;
    for (int i = 0; i < side * side; ++i) {
      momentum += 2 * plate.w.qd(i).z;
      energy += square(double(plate.w.qd(i).z));
      EXPECT_LE(plate.speed, plate.w.qd(i).z + Real(1e-3)) << side;
    }
    EXPECT_NEAR(momentum, -mass, 1e-4 * mass) << side;
    EXPECT_LE(energy, mass / 2 * (1 + 1e-5)) << side;
    EXPECT_LT(plate.speed, -0.9) << side;
  }
}

// Proves that a shape whose surface moves carries a particle along, as fast as it moves, also one that is turned.
TEST(ParticleContact, ConveyorBelt) {
  ModelBuilder builder;
  ShapeConfig belt;
  belt.surface_velocity = {{Real(0.5), 0, 0}, {}};
  const Quat quarter = quat_from_axis_angle(Vec3{0, 0, 1}, Real(1.5707963267948966));
  const int body = builder.add_body({.is_kinematic = true});
  builder.add_shape_box(body, 5, 5, 1, {.xform = {{0, 0, -1}, quarter}, .cfg = belt});
  builder.add_particle({0, 0, kRadius}, {}, Real(0.01), kRadius);
  ParticleWorld w(builder);
  w.step_in_contact(Real(1) / 240, 480);
  EXPECT_NEAR(w.qd(0).x, 0, 1e-4);
  EXPECT_NEAR(w.qd(0).y, 0.5, 1e-4);
}

// Proves that a body that turns carries a particle along, as fast as its surface moves there; its centre of mass does
// not lie in its origin.
TEST(ParticleContact, TurningBody) {
  ModelBuilder builder;
  const int body = builder.add_body({.is_kinematic = true});
  builder.add_shape_box(body, 2, 2, 1, {.xform = {{Real(0.3), 0, -1}, {}}});
  builder.options.soft_contact_mu = 9;
  builder.add_particle({Real(0.8), 0, kRadius}, {}, Real(0.001), kRadius);
  ParticleWorld w(builder);
  w.state.body_qd[0] = {{1, 0, 0}, {0, 0, 2}};
  w.step_in_contact(Real(1) / 10000, 2000);
  const Vec3 arm = w.q(0) - Vec3{Real(0.3), 0, 0};
  EXPECT_NEAR(w.qd(0).x, 1 - 2 * arm.y, 2e-3);
  EXPECT_NEAR(w.qd(0).y, 2 * arm.x, 2e-3);
}

// Proves that the thickness of a shape holds particles off.
TEST(ParticleContact, Thickness) {
  ModelBuilder builder;
  builder.add_shape_box(-1, 1, 1, 1, {.cfg = ShapeConfig{.thickness = Real(0.02)}});
  builder.add_particle({0, 0, Real(1.02) + kRadius}, {}, Real(1e-3), kRadius);
  ParticleWorld w(builder);
  w.step_in_contact(Real(1) / 240, 240);
  EXPECT_NEAR(w.q(0).z, Real(1.02) + kRadius, 1e-5);
}

// Proves that materials are combined by the option: a particle without friction on a plane of mu 1.
TEST(ParticleContact, CombineRules) {
  const std::pair<CombineRule, Real> cases[] = {{CombineRule::kAverage, Real(0.5)},
                                                {CombineRule::kMax, Real(0.8)},
                                                {CombineRule::kMin, Real(0.2)},
                                                {CombineRule::kGeometricMean, Real(0.4)}};
  for (const auto& [rule, mu] : cases) {
    ModelBuilder builder;
    builder.add_shape_plane(-1, 0, 0, {.cfg = ShapeConfig{.mu = Real(0.8)}});
    builder.options.combine = rule;
    builder.options.soft_contact_mu = Real(0.2);
    builder.add_particle({0, 0, Real(0.04)}, {10, 0, 0}, 1, kRadius);
    ParticleWorld w(builder);
    w.step_in_contact(Real(1) / 1000);
    const Vec3 f = w.contacts.soft_contact_force[0];
    EXPECT_NEAR(-f.x, mu * f.z, 1e-3 * f.z) << combine_rule_name(rule);
  }
}

// Proves that particles that meet keep their momentum, and that friction between them turns no pair that does not slip.
TEST(ParticleContact, ParticlesMeet) {
  ModelBuilder builder = without_gravity();
  builder.add_particle({0, 0, 0}, {1, 0, 0}, 1, Real(0.1));
  builder.add_particle({Real(0.25), Real(0.02), 0}, {-1, 0, 0}, 3, Real(0.1));
  ParticleWorld w(builder);
  Real most = 0;
  for (int i = 0; i < 400; ++i) {
    w.step_in_contact(Real(1) / 1000);
    if (w.contacts.particle_contact_count[0] > 0) most = max(most, w.contacts.particle_contact_force[0].x);
  }
  EXPECT_GT(most, 10);
  EXPECT_LT(w.qd(0).x, w.qd(1).x);
  EXPECT_NEAR(w.qd(0).x + 3 * w.qd(1).x, -2, 1e-4);
  EXPECT_NEAR(w.qd(0).y + 3 * w.qd(1).y, 0, 1e-5);
}

// Proves that cohesion holds two particles that are apart by less than it together, and nothing does without it.
TEST(ParticleContact, Cohesion) {
  for (const Real cohesion : {Real(0), Real(0.009)}) {
    ModelBuilder builder = without_gravity();
    builder.options.particle_cohesion = cohesion;
    builder.add_particle({0, 0, 0}, {}, 1, Real(0.1));
    builder.add_particle({Real(0.205), 0, 0}, {Real(0.02), 0, 0}, 1, Real(0.1));
    ParticleWorld w(builder);
    w.step_in_contact(Real(1) / 500, 1000);
    if (cohesion > 0) EXPECT_LT(w.q(1).x - w.q(0).x, Real(0.21));
    else EXPECT_GT(w.q(1).x - w.q(0).x, Real(0.24));
  }
}

// Proves that a cloth of light particles settles on a sphere and lies still at a step of 1 / 240: friction does not
// make it chatter.
TEST(ParticleContact, ClothOnASphere) {
  ModelBuilder builder;
  builder.add_shape_sphere(-1, Real(0.4), {.cfg = ShapeConfig{.mu = 1}});
  builder.add_cloth_grid({.pos = {Real(-0.4), Real(-0.4), Real(0.45)},
                          .dim_x = 8,
                          .dim_y = 8,
                          .mass = Real(0.01),
                          .tri = TriangleConfig{.ke = 50, .ka = 50, .kd = Real(0.2)},
                          .edge = EdgeConfig{.ke = Real(0.001), .kd = Real(1e-4)},
                          .particle_radius = Real(0.02)});
  ParticleWorld w(builder);
  w.step_in_contact(Real(1) / 1000, 6000);
  EXPECT_EQ(w.status[0], 0);
  double fastest = 0, lowest = 1;
  for (int i = 0; i < w.model.particle_count; ++i) {
    fastest = max(fastest, double(length(w.qd(i))));
    EXPECT_GT(length(w.q(i)), 0.4) << i;
    lowest = min(lowest, double(w.q(i).z));
  }
  EXPECT_LT(fastest, 0.02);
  EXPECT_GT(lowest, -0.5);
  double weight = 0;
  for (int c = 0; c < w.contacts.soft_contact_count[0]; ++c) weight += w.contacts.soft_contact_force[c].z;
  EXPECT_NEAR(weight, 81 * 0.01 * 9.81, 0.02 * 81 * 0.01 * 9.81);
}

}  // namespace
}  // namespace carom
