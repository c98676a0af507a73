// Particles by position-based dynamics: what is known in closed form, materials, contacts, momentum.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/dynamics/particle_world.h"
#include "tests/solvers/projected_particles.h"

namespace carom {
namespace {

constexpr double kGravity = 9.81;

// Without gravity, and with particles so small that they do not touch.
ModelBuilder weightless_scene() {
  ModelBuilder builder;
  builder.default_particle_radius = Real(0.01);
  builder.gravity = {};
  return builder;
}

// Proves that particles fall by g t^2 / 2, but for the half sub-step that symplectic Euler is ahead, far from the
// origin as well as near it, and that velocities lose nothing to the size of the coordinates.
TEST(XpbdParticles, FallFreely) {
  ModelBuilder scene;
  scene.add_particle({0, 0, 0}, {1, 0, 0}, 1, Real(0.01));
  scene.add_particle({1000, 0, 1000}, {0, 0, 3}, Real(0.001), Real(0.01));
  ProjectedParticles w(scene, {.substeps = 4});
  w.step(Real(0.01), 100);
  EXPECT_NEAR(w.q(0).z, -kGravity / 2 * (1 + 0.01 / 4), 2e-5);
  EXPECT_NEAR(w.q(0).x, 1, 1e-5);
  EXPECT_NEAR(w.qd(0).z, -kGravity, 1e-4);
  EXPECT_NEAR(w.qd(1).z, 3 - kGravity, 1e-4);
}

// Proves that a mass on a spring hangs m g / k below its rest length and swings with 2 pi sqrt(m / k).
TEST(XpbdParticles, SpringHangsAndSwings) {
  const Real mass = Real(0.5), ke = 200;
  for (const Real kd : {Real(0), Real(2)}) {
    ModelBuilder scene;
    scene.add_particle({0, 0, 0}, {}, 0, Real(0.01));
    scene.add_particle({0, 0, -1}, {}, mass, Real(0.01));
    scene.add_spring(0, 1, SpringConfig{.ke = ke, .kd = kd});
    ProjectedParticles w(scene, {.substeps = 10, .iterations = 1});
    const double stretch = mass * kGravity / ke;
    if (kd > 0) {
      w.step(Real(0.01), 1000);
      EXPECT_NEAR(w.q(1).z, -1 - stretch, 1e-4);
      EXPECT_NEAR(w.qd(1).z, 0, 1e-4);
      continue;
    }
    int crossings = 0;  // of the middle, upwards
    double first = 0, last = 0;
    const Real dt = Real(0.001);
    for (int i = 0; i < 3000; ++i) {
      const Real before = w.q(1).z;
      w.step(dt);
      if (before < -1 - stretch && w.q(1).z >= -1 - stretch) {
        last = i;
        if (crossings++ == 0) first = i;
      }
    }
    const double period = 2 * 3.14159265 * std::sqrt(mass / ke);
    ASSERT_GT(crossings, 5);
    EXPECT_NEAR((last - first) * dt / (crossings - 1), period, 0.01 * period);
  }
}

// Proves that damping is that of the spring: half of the critical one leaves what the closed form says of a swing.
TEST(XpbdParticles, SpringIsDamped) {
  const double mass = 1, ke = 100, kd = 2;
  ModelBuilder scene = weightless_scene();
  scene.add_particle({0, 0, 0}, {}, 0, Real(0.01));
  scene.add_particle({1, 0, 0}, {1, 0, 0}, Real(mass), Real(0.01));
  scene.add_spring(0, 1, SpringConfig{.ke = Real(ke), .kd = Real(kd)});
  ProjectedParticles w(scene, {.substeps = 50, .iterations = 1});
  w.step(Real(0.01), 50);
  const double decay = kd / (2 * mass), omega = std::sqrt(ke / mass - decay * decay), t = 0.5;
  EXPECT_NEAR(w.q(1).x - 1, std::exp(-decay * t) * std::sin(omega * t) / omega, 1e-3);
}

// Proves that what is at rest stays at rest, whatever it is made of and however it lies.
TEST(XpbdParticles, RestShapesStay) {
  ModelBuilder scene = weightless_scene();
  const Quat turned = quat_from_axis_angle(normalize(Vec3{1, 2, 3}), Real(0.7));
  scene.add_cloth_grid({.pos = {1, 2, 3},
                        .rot = turned,
                        .dim_x = 5,
                        .dim_y = 4,
                        .tri = TriangleConfig{.ke = 1000, .ka = 1000, .kd = 1},
                        .edge = EdgeConfig{.ke = 10},
                        .add_springs = true});
  scene.add_soft_grid({.pos = {-1, 0, 1},
                       .rot = turned,
                       .dim_x = 2,
                       .dim_y = 2,
                       .dim_z = 2,
                       .density = 1000,
                       .tet = TetrahedronConfig{.k_mu = 1e5, .k_lambda = 1e6, .k_damp = 1}});
  ProjectedParticles w(scene, {.substeps = 5});
  w.step(Real(0.01), 100);
  for (int i = 0; i < w.model.particle_count; ++i) {
    EXPECT_LT(length(w.q(i) - w.model.particle_q[i]), 1e-5) << i;
    EXPECT_LT(length(w.qd(i)), sizeof(Real) == 4 ? 1e-3 : 1e-9) << i;
  }
}

// Proves that no stiffness is too large for a step: cloth and a soft cube out of shape come to rest again.
TEST(XpbdParticles, NoStiffnessIsTooLarge) {
  for (const Real k : {Real(1e2), Real(1e5), Real(1e9)}) {
    ModelBuilder scene = weightless_scene();
    scene.default_particle_radius = Real(0.001);
    scene.add_cloth_grid({.pos = {0, 0, 3},
                          .dim_x = 8,
                          .dim_y = 8,
                          .mass = Real(0.01),
                          .tri = TriangleConfig{.ke = k, .ka = k, .kd = 0},
                          .edge = EdgeConfig{.ke = Real(0.001) * k},
                          .add_springs = true,
                          .spring = SpringConfig{.ke = k}});
    scene.add_soft_grid({.dim_x = 3, .dim_y = 3, .dim_z = 3, .density = 1000, .tet = {.k_mu = k, .k_lambda = 10 * k}});
    ProjectedParticles w(scene, {.substeps = 1, .iterations = 2});
    for (int i = 0; i < w.model.particle_count; ++i)
      w.state.particle_q[i] += Vec3{Real(i * 7 % 11 - 5), Real(i * 5 % 13 - 6), Real(i * 3 % 7 - 3)} * Real(0.008);
    w.step(Real(1) / 60, 300);
    EXPECT_EQ(w.status[0], 0);
    for (int i = 0; i < w.model.particle_count; ++i) {
      EXPECT_LT(length(w.qd(i)), 0.5) << k;  // it may turn and drift
      EXPECT_LT(length(w.q(i) - w.model.particle_q[i]), 1) << k;
    }
  }
}

// A square of cloth of unit side that is held at one side and pulled at the other one by a force: how far.
double pull_triangles(Vec3 force, const TriangleConfig& tri) {
  ModelBuilder scene = weightless_scene();
  scene.add_cloth_grid({.dim_x = 8,
                        .dim_y = 8,
                        .cell_x = Real(0.125),
                        .cell_y = Real(0.125),
                        .mass = Real(0.01),
                        .fix = {.left = true},
                        .tri = tri,
                        .edge = EdgeConfig{.ke = 0}});
  ProjectedParticles w(scene, {.substeps = 10, .iterations = 4});
  double moved = 0;
  for (int i = 0; i < w.model.particle_count; ++i)
    if (w.model.particle_q[i].x > Real(0.99)) w.state.particle_f[i] = force * Real(i == 8 || i == 80 ? 0.0625 : 0.125);
  w.step(Real(0.02), 400);
  int n = 0;
  for (int i = 0; i < w.model.particle_count; ++i)
    if (w.model.particle_q[i].x > Real(0.99)) moved += dot(w.q(i) - w.model.particle_q[i], normalize(force)), ++n;
  return moved / n;
}

// Proves that cloth has the stiffness of its material for small strains: pulled along one side it yields by
// force / (4 ke ka / (ke + ka)), which is that of a plane membrane with shear modulus ke and area modulus ka, but for
// the side that is held, which cannot narrow.
TEST(XpbdParticles, StiffnessOfTriangles) {
  const double ke = 500, ka = 300, force = 2;
  const double free = force / (4 * ke * ka / (ke + ka)), held = force / (ke + ka);
  const double x = pull_triangles({Real(force), 0, 0}, {.ke = Real(ke), .ka = Real(ka), .kd = Real(0.5)});
  EXPECT_LT(x, free * 1.01);
  EXPECT_GT(x, held);
  EXPECT_NEAR(x, free, 0.08 * free);
}

// Proves that damping by triangles takes the swing out of cloth and hinders no turn.
TEST(XpbdParticles, MomentumIsKept) {
  ModelBuilder scene = weightless_scene();
  scene.add_cloth_grid({.rot = quat_from_axis_angle(Vec3{0, 1, 0}, Real(0.3)),
                        .vel = {Real(0.1), 0, Real(0.2)},
                        .dim_x = 6,
                        .dim_y = 5,
                        .tri = TriangleConfig{.ke = 50, .ka = 30, .kd = Real(0.1)},
                        .edge = EdgeConfig{.ke = Real(0.5), .kd = Real(0.01)},
                        .add_springs = true});
  scene.add_soft_grid(
      {.pos = {2, 0, 0}, .dim_x = 2, .density = 500, .tet = {.k_mu = 1e4, .k_lambda = 2e4, .k_damp = 5}});
  for (int i = 0; i < 8; ++i)
    scene.add_particle({Real(-2 + 0.09 * i), Real(0.01 * (i % 3)), 0}, {Real(0.1 * (i % 2)), 0, 0}, Real(0.1 + 0.1 * i),
                       Real(0.05));
  ProjectedParticles w(scene, {.substeps = 2});
  const auto momentum = [&](bool angular) {
    Vec3T<double> sum{};
    for (int i = 0; i < w.model.particle_count; ++i) {
      const Vec3 x = w.q(i), v = w.qd(i);
      const Vec3T<double> p{v.x * double(w.model.particle_mass[i]), v.y * double(w.model.particle_mass[i]),
                            v.z * double(w.model.particle_mass[i])};
      sum += angular ? cross(Vec3T<double>{x.x, x.y, x.z}, p) : p;
    }
    return sum;
  };
  for (int i = 0; i < w.model.particle_count; ++i)
    w.state.particle_qd[i] += cross(Vec3{0, 1, 2}, w.q(i)) + Vec3{Real(0.3 * (i % 4)), Real(0.2 * (i % 3)), 0};
  const Vec3T<double> linear = momentum(false), angular = momentum(true);
  w.step(Real(0.01), 200);
  const double tolerance = sizeof(Real) == 4 ? 2e-4 : 1e-10;
  EXPECT_LT(length(momentum(false) - linear), tolerance * length(linear));
  // What a projection that stops half-way gets wrong is of the second order in the turning of a sub-step.
  EXPECT_LT(length(momentum(true) - angular), 0.02 * length(angular));
}

// Proves that hanging cloth stretches as its material says and no more.
TEST(XpbdParticles, ClothHangs) {
  ModelBuilder scene;
  scene.default_particle_radius = Real(0.01);
  scene.add_cloth_grid({.pos = {0, 0, 2},
                        .rot = quat_from_axis_angle(Vec3{1, 0, 0}, Real(-1.5707963)),
                        .dim_x = 10,
                        .dim_y = 10,
                        .mass = Real(0.01),
                        .fix = {.bottom = true},
                        .tri = TriangleConfig{.ke = 2000, .ka = 2000, .kd = Real(0.5)},
                        .edge = EdgeConfig{.ke = Real(0.01), .kd = Real(0.001)}});
  ProjectedParticles w(scene, {.substeps = 10, .iterations = 2});
  w.step(Real(1) / 60, 600);
  double area = 0;
  for (int t = 0; t < w.model.tri_count; ++t) {
    const Index3 at = w.model.tri_indices[t];
    area += length(cross(w.q(at[1]) - w.q(at[0]), w.q(at[2]) - w.q(at[0]))) / 2;
  }
  EXPECT_NEAR(area, 1, 0.01);
  for (int x = 0; x <= 10; ++x) EXPECT_NEAR(w.q(110 + x).z, 1, 0.01);
  for (int i = 0; i < w.model.particle_count; ++i) EXPECT_LT(length(w.qd(i)), 0.02);
}

// Proves that cloth falls over a sphere, comes to rest on it and gets nowhere through.
TEST(XpbdParticles, ClothOverASphere) {
  ModelBuilder scene;
  ShapeConfig cfg;
  cfg.mu = 1;
  scene.options.soft_contact_mu = 1;
  scene.add_shape_sphere(-1, Real(0.4), {.xform = {{0, 0, Real(0.5)}, {}}, .cfg = cfg});
  scene.add_shape_plane(-1, 0, 0, {.cfg = cfg});
  const int n = 24;
  scene.add_cloth_grid({.pos = {Real(-0.6), Real(-0.6), Real(0.95)},
                        .dim_x = n,
                        .dim_y = n,
                        .cell_x = Real(1.2) / n,
                        .cell_y = Real(1.2) / n,
                        .mass = Real(0.001),
                        .tri = TriangleConfig{.ke = 200, .ka = 200, .kd = Real(0.05)},
                        .edge = EdgeConfig{.ke = Real(0.001), .kd = Real(0.0001)},
                        .particle_radius = Real(0.01)});
  ProjectedParticles w(scene, {.substeps = 4, .iterations = 2});
  w.soft_contact_margin = Real(0.05);  // farther than it falls in a step
  double deepest = 0;
  for (int i = 0; i < 240; ++i) {
    w.step(Real(1) / 120);
    for (int p = 0; p < w.model.particle_count; ++p) {
      const Vec3 to = w.q(p) - Vec3{0, 0, Real(0.5)};
      deepest = std::max({deepest, 0.41 - double(length(to)), 0.01 - double(w.q(p).z)});
    }
  }
  EXPECT_LT(deepest, 0.004);
  w.step(Real(1) / 120, 600);
  double fastest = 0;
  for (int p = 0; p < w.model.particle_count; ++p) fastest = std::max(fastest, double(length(w.qd(p))));
  EXPECT_LT(fastest, 0.1);
  EXPECT_GT(w.q((n + 1) * (n / 2) + n / 2).z, 0.9);
  double weight = 0;
  for (int c = 0; c < w.contacts.soft_contact_count[0]; ++c) weight += w.contacts.soft_contact_force[c].z;
  EXPECT_NEAR(weight, w.model.particle_count * 0.001 * kGravity, 0.05 * w.model.particle_count * 0.001 * kGravity);
}

// How far particles are from where they were built, under both, after a time long enough to come to rest.
void expect_same_rest(const Model& model, Real seconds, double tolerance) {
  ParticleWorld forces(model);
  const Real dt = Real(0.5) * forces.forces.largest_stable_step();
  forces.step(dt, static_cast<int>(seconds / dt));
  ProjectedParticles w(model, {.substeps = 20, .iterations = 2});
  w.step(Real(0.01), static_cast<int>(100 * seconds));
  double most = 0;
  for (int i = 0; i < model.particle_count; ++i)
    most = std::max(most, double(length(forces.q(i) - model.particle_q[i])));
  ASSERT_GT(most, 0.005);
  for (int i = 0; i < model.particle_count; ++i) {
    EXPECT_LT(length(forces.qd(i)), 1e-3) << i;
    EXPECT_LT(length(w.qd(i)), 1e-3) << i;
    EXPECT_LT(length(w.q(i) - forces.q(i)), tolerance * most) << i << ", of " << most;
  }
}

// Proves that soft bodies, cloth and hinges yield as they do to solvers that step by forces.
TEST(XpbdParticles, YieldsAsUnderForces) {
  ModelBuilder flesh;
  flesh.default_particle_radius = Real(0.01);
  flesh.gravity = Vec3{0, 0, -2};
  flesh.add_soft_grid({.dim_x = 4,
                       .density = 1000,
                       .tet = TetrahedronConfig{.k_mu = 4e4, .k_lambda = 5e4, .k_damp = 1000},
                       .fix = {.left = true}});
  expect_same_rest(flesh.finalize(), 12, 0.01);
  ModelBuilder strip;
  strip.default_particle_radius = Real(0.01);
  strip.add_cloth_grid({.dim_x = 5,
                        .dim_y = 2,
                        .mass = Real(0.001),
                        .tri = TriangleConfig{.ke = 20, .ka = 20, .kd = Real(0.1)},
                        .edge = EdgeConfig{.ke = Real(0.3), .kd = Real(0.01)}});
  const Model clamped = strip.finalize();
  clamped.edit([](ModelNumbers& n) {
    for (int i = 0; i < n.particle_mass.size(); ++i)
      if (i % 6 < 2) n.particle_mass[i] = 0;  // two columns, so that it is no hinge
  });
  expect_same_rest(clamped, 20, 0.01);
}

// Proves that a sheet that falls through the air reaches the speed at which drag carries its weight.
TEST(XpbdParticles, TheAirCarriesASheet) {
  const double drag = 20, cell = 0.1, mass = 0.01;
  ModelBuilder scene;
  scene.default_particle_radius = Real(0.01);
  scene.add_cloth_grid({.dim_x = 3,
                        .dim_y = 3,
                        .mass = Real(mass),
                        .tri = TriangleConfig{.ke = 100, .ka = 100, .kd = Real(0.1), .drag = Real(drag)},
                        .edge = EdgeConfig{.ke = 1}});
  ProjectedParticles w(scene, {.substeps = 10});
  w.step(Real(0.01), 300);
  // Each of the 18 triangles pushes three particles by drag v^2 times its area.
  const double terminal = std::sqrt(16 * mass * kGravity / (3 * drag * 9 * cell * cell));
  Vec3 mean{};
  for (int i = 0; i < 16; ++i) mean += w.qd(i) / Real(16);
  EXPECT_NEAR(mean.z, -terminal, 0.1 * terminal);
}

double volume_of(const ProjectedParticles& w) {
  double sum = 0;
  for (int t = 0; t < w.model.tet_count; ++t) {
    const Index4 at = w.model.tet_indices[t];
    sum += dot(w.q(at[1]) - w.q(at[0]), cross(w.q(at[2]) - w.q(at[0]), w.q(at[3]) - w.q(at[0]))) / 6;
  }
  return sum;
}

// Proves that a soft cube that falls on the ground keeps its volume, and rests on it with its weight.
TEST(XpbdParticles, SoftCubeKeepsItsVolume) {
  ModelBuilder scene;
  scene.add_shape_plane(-1);
  scene.add_soft_grid({.pos = {0, 0, Real(0.1)},
                       .dim_x = 4,
                       .dim_y = 4,
                       .dim_z = 4,
                       .density = 1000,
                       .tet = TetrahedronConfig{.k_mu = 2e4, .k_lambda = 1e6, .k_damp = 20},
                       .particle_radius = Real(0.01)});
  ProjectedParticles w(scene, {.substeps = 10, .iterations = 2});
  const double volume = volume_of(w);
  for (int i = 0; i < 240; ++i) {
    w.step(Real(1) / 120);
    ASSERT_NEAR(volume_of(w), volume, 0.05 * volume) << i;
  }
  w.step(Real(1) / 120, 360);
  double weight = 0, carried = 0;
  for (int i = 0; i < w.model.particle_count; ++i) weight += w.model.particle_mass[i] * kGravity;
  for (int c = 0; c < w.contacts.soft_contact_count[0]; ++c) carried += w.contacts.soft_contact_force[c].z;
  EXPECT_NEAR(carried, weight, 0.01 * weight);
  double highest = 0;
  for (int i = 0; i < w.model.particle_count; ++i) {
    EXPECT_LT(length(w.qd(i)), 0.01);
    highest = std::max(highest, double(w.q(i).z));
  }
  EXPECT_GT(highest, 0.39);
}

}  // namespace
}  // namespace carom
