// Contacts of particles under position-based dynamics: friction, restitution, overlaps, what bodies feel, worlds.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/alloc_counter.h"
#include "tests/dynamics/particle_scene.h"
#include "tests/solvers/projected_particles.h"

namespace carom {
namespace {

constexpr Real kBall = Real(0.05);  // radius [m]
constexpr double kG = 9.81;

ModelBuilder ground_of(Real mu, Real restitution = 0) {
  ModelBuilder scene;
  ShapeConfig cfg;
  cfg.mu = mu, cfg.restitution = restitution;
  scene.options.soft_contact_mu = mu;
  scene.options.soft_contact_restitution = restitution;
  scene.add_shape_plane(-1, 0, 0, {.cfg = cfg});
  return scene;
}

// Proves Coulomb's law: below the angle of friction a particle stays, above it slides by g (sin - mu cos).
TEST(XpbdParticleContacts, SlopesAndCoefficients) {
  for (const double angle : {0.1, 0.2, 0.3, 0.4, 0.5})
    for (const double mu : {0.05, 0.15, 0.25, 0.35, 0.6}) {
      ModelBuilder scene = ground_of(Real(mu));
      scene.gravity = Vec3{Real(kG * sin(angle)), 0, Real(-kG * cos(angle))};
      scene.add_particle({0, 0, kBall}, {}, Real(0.01), kBall);
      ProjectedParticles w(scene, {.substeps = 2});
      w.step(Real(1) / 500, 500);
      const double free = kG * (sin(angle) - mu * cos(angle)), expected = free > 0 ? free / 2 : 0;
      EXPECT_NEAR(w.q(0).x, expected, 0.01 * expected + 1e-5) << "slope " << angle << ", mu " << mu;
    }
}

// Proves that a particle that slides stops after v^2 / (2 mu g).
TEST(XpbdParticleContacts, StoppingDistance) {
  for (const double mu : {0.1, 0.2, 0.5, 1.0}) {
    ModelBuilder scene = ground_of(Real(mu));
    scene.add_particle({0, 0, kBall}, {2, 0, 0}, 1, kBall);
    ProjectedParticles w(scene);
    w.step(Real(1) / 1000, 3000);
    const double distance = 4 / (2 * mu * kG);
    EXPECT_NEAR(w.q(0).x, distance, 0.01 * distance) << mu;
    EXPECT_NEAR(w.qd(0).x, 0, 1e-6);
    EXPECT_NEAR(w.contacts.soft_contact_force[0].z, kG, 0.001 * kG);
  }
}

// Proves that a particle jumps e^2 as high as it falls, and not at all without restitution.
TEST(XpbdParticleContacts, Restitution) {
  for (const double e : {0.0, 0.5, 0.8}) {
    ModelBuilder scene = ground_of(0, Real(e));
    scene.add_particle({0, 0, kBall + 1}, {}, 1, kBall);
    ProjectedParticles w(scene, {.substeps = 4, .enable_restitution = true});
    const Real dt = Real(0.001);
    w.step(dt, 460);
    double highest = 0;
    for (int i = 0; i < 400; ++i) {
      w.step(dt);
      highest = std::max(highest, double(w.q(0).z - kBall));
    }
    EXPECT_NEAR(highest, e * e, 0.01 * e * e + 1e-5) << e;
  }
}

// Proves that what overlaps is taken apart without getting a velocity, whatever the step: shapes and particles.
TEST(XpbdParticleContacts, OverlapsDoNotBecomeVelocities) {
  for (const Real dt : {Real(1) / 60, Real(1) / 1000}) {
    ModelBuilder scene = ground_of(1);
    scene.gravity = Vec3{};
    scene.add_particle({0, 0, kBall / 2}, {}, 1, kBall);
    scene.add_particle({1, 0, 1}, {}, 1, kBall);
    scene.add_particle({1 + kBall, 0, 1}, {}, 1, kBall);
    ProjectedParticles w(scene);
    double fastest = 0;
    for (int i = 0; i < 60; ++i) {
      w.step(dt);
      for (int p = 0; p < 3; ++p) fastest = std::max(fastest, double(length(w.qd(p))));
    }
    EXPECT_LT(fastest, 1e-3) << dt;
    EXPECT_NEAR(w.q(0).z, kBall, 1e-5);
    EXPECT_NEAR(w.q(2).x - w.q(1).x, 2 * kBall, 1e-5);
  }
}

// Proves that particles carry each other: a column stands, and the forces between them are the weights above.
TEST(XpbdParticleContacts, AColumnOfParticles) {
  ModelBuilder scene = ground_of(1);
  const int n = 5;
  for (int i = 0; i < n; ++i) scene.add_particle({0, 0, kBall * Real(2 * i + 1)}, {}, Real(0.1), kBall);
  ProjectedParticles w(scene, {.substeps = 4, .iterations = 20});
  w.step(Real(0.005), 200);
  for (int i = 0; i < n; ++i) EXPECT_NEAR(w.q(i).z, kBall * (2 * i + 1), 0.01 * kBall) << i;
  const Contacts& c = w.contacts;
  ASSERT_EQ(c.particle_contact_count[0], n - 1);
  for (int k = 0; k < n - 1; ++k)
    EXPECT_NEAR(c.particle_contact_force[k].z, (n - 1 - k) * 0.1 * kG, 0.02 * n * 0.1 * kG) << k;
  EXPECT_NEAR(c.soft_contact_force[0].z, n * 0.1 * kG, 0.02 * n * 0.1 * kG);
}

// Proves that what rests on a body pushes it by its weight, about its centre of mass.
TEST(XpbdParticleContacts, BodyFeelsTheWeight) {
  ModelBuilder scene;
  const int table = scene.add_body({.xform = {{0, 0, 1}, {}}});
  scene.add_shape_box(table, 1, 1, Real(0.1));
  for (int i = 0; i < 6; ++i) scene.add_particle({Real(0.15 * i), Real(0.1), Real(1.1) + kBall}, {}, Real(0.2), kBall);
  ProjectedParticles w(scene, {.substeps = 3});
  w.step(Real(0.005), 200);
  const double weight = 6 * 0.2 * kG;
  EXPECT_NEAR(w.push(table).linear.z, -weight, 1e-3 * weight);
  EXPECT_NEAR(w.push(table).linear.x, 0, 1e-3 * weight);
  EXPECT_NEAR(w.push(table).angular.y, 0.375 * weight, 2e-3 * weight);
  EXPECT_NEAR(w.push(table).angular.x, -0.1 * weight, 2e-3 * weight);
}

// Proves that particles go along with what they lie on: a body that moves, and the surface of a belt.
TEST(XpbdParticleContacts, SurfacesCarryParticlesAlong) {
  ModelBuilder scene;
  const int table = scene.add_body({.xform = {{0, 0, 1}, {}}});
  scene.add_shape_box(table, 1, 1, Real(0.1));
  ShapeConfig belt;
  belt.surface_velocity = {{Real(0.4), 0, 0}, {}};
  scene.add_shape_box(-1, 1, 1, Real(0.1), {.xform = {{0, 5, 1}, {}}, .cfg = belt});
  scene.add_particle({0, 0, Real(1.1) + kBall}, {}, Real(0.2), kBall);
  scene.add_particle({0, 5, Real(1.1) + kBall}, {}, Real(0.2), kBall);
  ProjectedParticles w(scene, {.substeps = 3});
  for (int i = 0; i < 100; ++i) {
    w.state.body_qd[table].linear = {Real(0.3), 0, 0};
    w.state.body_q[table].p.x = Real(0.3 * 0.005) * Real(i);
    w.step(Real(0.005));
  }
  EXPECT_NEAR(w.qd(0).x, 0.3, 1e-4);
  EXPECT_NEAR(w.qd(1).x, 0.4, 1e-4);
}

// A body that particles push, and gravity, along the vertical: as its solver would move it. Returns the push [N].
double move_up_and_down(ProjectedParticles& w, int body, Real dt) {
  const Real push = w.push(body).linear.z, v = w.state.body_qd[body].linear.z;
  const Real next = v + (push / w.model.body_mass[body] - Real(kG)) * dt;
  w.state.body_qd[body] = {{0, 0, next}, {}};
  w.state.body_q[body].p.z += next * dt;
  return push;
}

int add_plate(ModelBuilder& scene, Real half_side, Real height, Real density) {
  const int plate = scene.add_body({.xform = {{0, 0, height}, {}}});
  ShapeConfig cfg;
  cfg.density = density;
  scene.add_shape_box(plate, half_side, half_side, Real(0.01), {.cfg = cfg});
  return plate;
}

// Proves that a plate on particles on the ground is carried: a body that falls on by what it is pushed comes to rest.
TEST(XpbdParticleContacts, ParticlesCarryAPlate) {
  ModelBuilder scene;
  scene.add_ground_plane();
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      scene.add_particle({Real(0.1 * i - 0.15), Real(0.1 * j - 0.15), Real(0.02)}, {}, Real(0.05), Real(0.02));
  const int plate = add_plate(scene, Real(0.2), Real(0.05), 100);
  ProjectedParticles w(scene, {.substeps = 2, .iterations = 4});
  double mean = 0;
  for (int i = 0; i < 2000; ++i) {
    w.step(Real(0.002));
    const double push = move_up_and_down(w, plate, Real(0.002));
    if (i >= 1000) mean += push / 1000;
  }
  const double weight = w.model.body_mass[plate] * kG;
  EXPECT_NEAR(mean, weight, 0.005 * weight);
  EXPECT_NEAR(w.state.body_q[plate].p.z, 0.05, 0.002);
  EXPECT_LT(length(w.state.body_qd[plate].linear), 0.05);
}

// Proves that a soft cube under a plate of its own weight yields by weight / stiffness, keeps its volume and carries
// it.
TEST(XpbdParticleContacts, ASoftCubeCarriesAPlate) {
  ModelBuilder scene = ground_of(0);
  scene.add_soft_grid({.pos = {Real(-0.2), Real(-0.2), Real(0.01)},
                       .dim_x = 4,
                       .dim_y = 4,
                       .dim_z = 4,
                       .density = 500,
                       .tet = TetrahedronConfig{.k_mu = 2e4, .k_lambda = 2e5, .k_damp = 200},
                       .particle_radius = Real(0.01)});
  const int plate = add_plate(scene, Real(0.3), Real(0.43), 4000);
  ProjectedParticles w(scene, {.substeps = 5, .iterations = 2});
  const auto volume = [&] {
    double sum = 0;
    for (int t = 0; t < w.model.tet_count; ++t) {
      const Index4 at = w.model.tet_indices[t];
      sum += dot(w.q(at[1]) - w.q(at[0]), cross(w.q(at[2]) - w.q(at[0]), w.q(at[3]) - w.q(at[0]))) / 6;
    }
    return sum;
  };
  double mean = 0;
  for (int i = 0; i < 3000; ++i) {
    w.step(Real(0.002));
    const double push = move_up_and_down(w, plate, Real(0.002));
    if (i >= 2000) mean += push / 1000;
  }
  const double weight = w.model.body_mass[plate] * kG;
  EXPECT_NEAR(mean, weight, 0.005 * weight);
  EXPECT_NEAR(volume(), 0.064, 0.05 * 0.064);
  EXPECT_LT(length(w.state.body_qd[plate].linear), 0.02);
  EXPECT_LT(w.state.body_q[plate].p.z, 0.429);
  EXPECT_GT(w.state.body_q[plate].p.z, 0.40);
}

// Proves that particles stay in a box of planes, and that worlds in the same place do not meet.
TEST(XpbdParticleContacts, ABoxOfParticles) {
  ModelBuilder box;
  const Real size = Real(0.5);
  const Real half_turn = Real(1.57079632679);
  box.add_shape_plane(-1);
  for (const Real sign : {Real(-1), Real(1)}) {
    box.add_shape_plane(-1, 0, 0,
                        {.xform = {{-sign * size, 0, 0}, quat_from_axis_angle(Vec3{0, 1, 0}, sign * half_turn)}});
    box.add_shape_plane(-1, 0, 0,
                        {.xform = {{0, sign * size, 0}, quat_from_axis_angle(Vec3{1, 0, 0}, sign * half_turn)}});
  }
  for (int i = 0; i < 150; ++i)
    box.add_particle({Real(0.12 * (i % 5) - 0.24), Real(0.12 * (i / 5 % 5) - 0.24), Real(0.1 + 0.11 * (i / 25))},
                     {Real(0.7 * (i % 3) - 0.7), Real(0.5 * (i % 4) - 0.7), 0}, Real(0.05), kBall);
  ModelBuilder scene;
  for (int i = 0; i < 2; ++i) scene.add_world(box);
  ProjectedParticles w(scene, {.substeps = 2});
  for (int i = 0; i < 300; ++i) {
    w.step(Real(1) / 240);
    for (int p = 0; p < 300; ++p) {
      const Vec3 x = w.q(p);
      ASSERT_GT(x.z, kBall - 0.02);
      ASSERT_LT(std::max(abs(x.x), abs(x.y)), size - kBall + 0.02);
    }
  }
  for (int p = 0; p < 150; ++p) ASSERT_EQ(w.q(p), w.q(p + 150));
}

// -- Worlds: the same bits however they are run.

struct Bits {
  std::vector<Vec3> q, qd, soft_force, pair_force;
  std::vector<SpatialVector> push;
  friend bool operator==(const Bits& a, const Bits& b) {
    const auto same = [](const auto& x, const auto& y) {
      return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(x[0])) == 0;
    };
    return same(a.q, b.q) && same(a.qd, b.qd) && same(a.soft_force, b.soft_force) && same(a.pair_force, b.pair_force) &&
           same(a.push, b.push);
  }
};

Bits bits_of_worlds(const ProjectedParticles& w, int first, int end) {
  Bits o;
  const Model& m = w.model;
  const auto add = [&](auto& to, const auto* from, const Array<int>& start) {
    to.insert(to.end(), from + start[first], from + start[end]);
  };
  add(o.q, w.state.particle_q.begin(), m.particle_world_start);
  add(o.qd, w.state.particle_qd.begin(), m.particle_world_start);
  const Contacts& c = w.contacts;
  add(o.soft_force, c.soft_contact_force.begin(), c.soft_contact_world_start);
  add(o.pair_force, c.particle_contact_force.begin(), c.particle_contact_world_start);
  add(o.push, reinterpret_cast<const SpatialVector*>(w.projection.body_push()), m.body_world_start);
  return o;
}

constexpr Real kStep = Real(1) / 250;
constexpr int kSteps = 100;

// Proves that threads and tiers change no bit.
TEST(XpbdParticleWorlds, SameBitsForThreadsAndTiers) {
  const Model model = worlds_of_particles(7).finalize();
  ProjectedParticles expected(model, {.substeps = 2}, Queue({}, {.threads = 1}));
  expected.step(kStep, kSteps);
  const Bits once = bits_of_worlds(expected, 0, 7);
  EXPECT_GT(once.soft_force.size(), 20u);
  EXPECT_GT(once.pair_force.size(), 20u);
  const int tier = cpu_tier();
  for (int t = 0; t < cpu_tier_count(); ++t) {
    if (!cpu_tier_supported(t)) continue;
    set_cpu_tier(t);
    for (const int threads : {1, 3}) {
      ProjectedParticles w(model, {.substeps = 2}, Queue({}, {.threads = threads}));
      w.step(kStep, kSteps);
      EXPECT_TRUE(bits_of_worlds(w, 0, 7) == once) << cpu_tier_name(t) << ", " << threads << " threads";
    }
  }
  set_cpu_tier(tier);
}

// Proves that a world moves as it does alone, whatever is beside it and in whatever order.
TEST(XpbdParticleWorlds, WorldsDoNotSeeEachOther) {
  ProjectedParticles all(worlds_of_particles(6));
  all.step(kStep, kSteps);
  ModelBuilder backwards;
  for (int i = 6; i-- > 0;) backwards.add_world(world_of_particles(i));
  ProjectedParticles other(backwards);
  other.step(kStep, kSteps);
  for (int i = 0; i < 6; ++i) {
    ProjectedParticles alone(worlds_of_particles(1, i));
    alone.step(kStep, kSteps);
    const Bits bits = bits_of_worlds(alone, 0, 1);
    EXPECT_TRUE(bits == bits_of_worlds(all, i, i + 1)) << "world " << i;
    EXPECT_TRUE(bits == bits_of_worlds(other, 5 - i, 6 - i)) << "world " << i;
  }
}

// Proves that a run that goes on from a copy of the state leads to the same bits.
TEST(XpbdParticleWorlds, RestartsExactly) {
  const Model model = worlds_of_particles(3).finalize();
  ProjectedParticles first(model);
  first.step(kStep, 50);
  ProjectedParticles second(model);
  second.state = first.state.clone();
  first.step(kStep, 50);
  second.step(kStep, 50);
  EXPECT_TRUE(bits_of_worlds(first, 0, 3) == bits_of_worlds(second, 0, 3));
}

// Proves that a world with a particle that is not finite stays as it was and says so; the others go on.
TEST(XpbdParticleWorlds, LostWorldStops) {
  ProjectedParticles good(worlds_of_particles(4)), bad(good.model);
  good.step(kStep, 30);
  bad.step(kStep, 30);
  const Bits before = bits_of_worlds(bad, 1, 2);
  bad.state.particle_f[bad.model.particle_world_start[1] + 2].y = std::numeric_limits<Real>::quiet_NaN();
  good.step(kStep, 20);
  bad.step(kStep, 20);
  const Bits after = bits_of_worlds(bad, 1, 2);
  EXPECT_EQ(before.q, after.q);
  EXPECT_EQ(before.qd, after.qd);
  for (const int world : {0, 2, 3}) {
    EXPECT_TRUE(bits_of_worlds(good, world, world + 1) == bits_of_worlds(bad, world, world + 1)) << world;
    EXPECT_EQ(bad.status[world], 0) << world;
  }
  EXPECT_EQ(bad.status[1], kStatusNotFinite);
}

// Proves that steps allocate nothing once one was made, and that models without particles have nothing to do.
TEST(XpbdParticleWorlds, WarmStepsDoNotAllocate) {
  ModelBuilder empty;
  empty.add_body();
  ProjectedParticles none(empty);
  none.step(kStep, 2);
  EXPECT_FALSE(none.projection.any());
  EXPECT_EQ(none.projection.body_push(), nullptr);
  if (!testing::counts_allocations()) GTEST_SKIP() << "allocations are not counted in this build";
  ProjectedParticles w(worlds_of_particles(4));
  w.step(kStep, 40);
  const Contacts contacts = w.contacts;
  const auto step = [&] {
    w.projection.send_forces(w.queue, w.state, w.control, &contacts, kStep, w.status);
    w.projection.send_take(w.queue, w.state, w.state, w.status);
    w.queue.finish();
  };
  step();
  EXPECT_EQ(testing::allocations_in(step), 0);
}

// Proves that global particles push those of worlds and are pushed by none of them.
TEST(XpbdParticleWorlds, GlobalsAreNotPushedByWorlds) {
  const auto scene = [](int count) {
    ModelBuilder builder;
    builder.gravity = {};
    builder.add_particle({0, 0, 0}, {1, 0, 0}, 1, Real(0.1));
    builder.add_particle({Real(0.6), 0, Real(0.1)}, {}, 1, Real(0.1));  // in its way: globals do push each other
    ModelBuilder one;
    one.gravity = {};
    one.add_particle({Real(0.3), 0, 0}, {}, 1, Real(0.1));
    one.add_particle({0, 1, 0}, {}, 1, Real(0.1));
    for (int i = 0; i < count; ++i) builder.add_world(one);
    builder.add_particle({Real(0.15), 1, 0}, {}, 1, Real(0.1));
    return builder;
  };
  ProjectedParticles none(scene(0)), two(scene(2));
  none.step(kStep, 250);
  two.step(kStep, 250);
  EXPECT_EQ(none.q(0), two.q(0));
  EXPECT_EQ(none.q(1), two.q(1));
  EXPECT_EQ(two.q(two.model.particle_count - 1), (Vec3{Real(0.15), 1, 0}));
  EXPECT_LT(two.qd(0).x, 1);
  EXPECT_GT(two.qd(2).x, Real(0.3));
  EXPECT_EQ(two.q(2), two.q(4));
}

}  // namespace
}  // namespace carom
