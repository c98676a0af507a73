// Particles that elements move: closed forms, and what is kept.
#include <gtest/gtest.h>

#include "tests/dynamics/particle_world.h"
#include "tests/random.h"

namespace carom {
namespace {

constexpr Real kPi = Real(3.14159265358979323846);

struct Momentum {
  Vec3T<double> linear{}, angular{};
};
Momentum momentum_of(const ParticleWorld& w) {
  Momentum sum;
  for (int i = 0; i < w.model.particle_count; ++i) {
    const Vec3 q = w.q(i), v = w.qd(i);
    const Vec3T<double> p = Vec3T<double>{v.x, v.y, v.z} * double(w.model.particle_mass[i]);
    sum.linear += p;
    sum.angular += cross({q.x, q.y, q.z}, p);
  }
  return sum;
}

// Proves that symplectic Euler is what it is: q = v0 t + g t (t + dt) / 2 after free fall.
TEST(ParticleMotion, FreeFall) {
  ModelBuilder builder;
  builder.add_particle({0, 0, 10}, {1, 0, 2}, Real(0.3));
  ParticleWorld w(builder);
  w.step(Real(0.01), 100);
  EXPECT_NEAR(w.q(0).x, 1, 1e-4);
  EXPECT_NEAR(w.q(0).z, 10 + 2 - 9.81 * 1 * 1.01 / 2, 1e-4);
  EXPECT_NEAR(w.qd(0).z, 2 - 9.81, 1e-4);
}

// Proves that forces of the state act, that particles without mass stay, and so do those that are not active.
TEST(ParticleMotion, WhoMoves) {
  ModelBuilder builder = without_gravity();
  for (int i = 0; i < 3; ++i)
    builder.add_particle({Real(i), 0, 0}, {0, 0, 1}, i == 1 ? 0 : 2, Real(0.1), i == 2 ? 0 : 1);
  ParticleWorld w(builder);
  for (Vec3& f : w.state.particle_f) f = {4, 0, 0};
  w.step(Real(0.5));
  EXPECT_EQ(w.qd(0), (Vec3{1, 0, 1}));
  EXPECT_EQ(w.q(0), (Vec3{Real(0.5), 0, Real(0.5)}));
  for (const int i : {1, 2}) EXPECT_EQ(w.q(i), (Vec3{Real(i), 0, 0})) << i;
}

// Proves that a spring between two masses swings with the period 2 pi sqrt(m / ke), m the reduced mass.
TEST(ParticleMotion, PeriodOfASpring) {
  ModelBuilder builder = without_gravity();
  builder.add_particle({0, 0, 0}, {Real(-0.1), 0, 0}, 1);
  builder.add_particle({1, 0, 0}, {Real(0.2), 0, 0}, Real(0.5));
  builder.add_spring(0, 1, SpringConfig{.ke = 50});
  ParticleWorld w(builder);
  const double period = 2 * double(kPi) * sqrt((1 * 0.5 / 1.5) / 50.0);
  const Real dt = Real(period / 2000);
  // It begins at its rest length, moving apart; after three periods it comes back to it from below.
  int steps = 0, crossings = 0;
  double before = 0, crossed = 0;
  while (crossings < 3 && steps < 8000) {
    w.step(dt);
    ++steps;
    const double stretch = double(w.q(1).x - w.q(0).x) - 1;
    if (before < 0 && stretch >= 0) ++crossings, crossed = steps - stretch / (stretch - before);
    before = stretch;
  }
  EXPECT_NEAR(crossed * dt / 3, period, 1e-3 * period);
}

// Proves that a mass on a damped spring comes to rest m g / ke below.
TEST(ParticleMotion, HangingMass) {
  ModelBuilder builder;
  builder.add_particle({0, 0, 0}, {}, 0);
  builder.add_particle({0, 0, -1}, {}, 2);
  builder.add_spring(0, 1, SpringConfig{.ke = 400, .kd = 30});
  ParticleWorld w(builder);
  w.step(Real(1) / 500, 2000);
  EXPECT_NEAR(w.q(1).z, -1 - 2 * 9.81 / 400, 2e-5);
  EXPECT_NEAR(w.qd(1).z, 0, 1e-4);
}

// Proves that control shortens a spring: at control 0.25 it is relaxed at three quarters of its length.
TEST(ParticleMotion, ControlOfASpring) {
  ModelBuilder builder = without_gravity();
  builder.add_particle({0, 0, 0}, {}, 0);
  builder.add_particle({2, 0, 0}, {}, 1);
  builder.add_spring(0, 1, SpringConfig{.ke = 100, .kd = 20, .control = Real(0.25)});
  ParticleWorld w(builder);
  w.step(Real(0.01), 500);
  EXPECT_NEAR(w.q(1).x, 1.5, 1e-4);
}

// Proves that a sheet that falls flat ends at the speed where drag carries it: m g = 3 drag A v^2 for each triangle.
TEST(ParticleMotion, TerminalVelocity) {
  ModelBuilder builder;
  for (const Vec3 p : {Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}}) builder.add_particle(p, {}, Real(0.02));
  builder.add_triangle(0, 1, 2, TriangleConfig{.ke = 50, .ka = 50, .kd = 1, .drag = Real(0.1)});
  ParticleWorld w(builder);
  w.step(Real(1) / 200, 2000);
  const double speed = sqrt(3 * 0.02 * 9.81 / (3 * 0.1 * 0.5));
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(w.qd(i).z, -speed, 1e-3 * speed);
}

// Proves that the wind carries a sheet along until it moves as the air does.
TEST(ParticleMotion, Wind) {
  ModelBuilder builder = without_gravity();
  builder.options.wind = {0, 0, 2};
  for (const Vec3 p : {Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}}) builder.add_particle(p, {}, Real(0.01));
  builder.add_triangle(0, 1, 2, TriangleConfig{.ke = 50, .ka = 50, .kd = 1, .drag = 1});
  ParticleWorld w(builder);
  w.step(Real(1) / 500, 500);
  EXPECT_GT(w.qd(0).z, 1.9);
  EXPECT_LT(w.qd(0).z, 2);
}

// Proves that elements keep momentum and angular momentum: a cloth with springs and a soft body that fly, turn and
// swing.
TEST(ParticleMotion, MomentumIsKept) {
  ModelBuilder builder = without_gravity();
  builder.add_cloth_grid({.vel = {1, 0, 0},
                          .dim_x = 4,
                          .dim_y = 3,
                          .edge = EdgeConfig{.ke = Real(0.01), .kd = Real(1e-4)},
                          .add_springs = true});
  builder.add_soft_grid({.pos = {2, 0, 0},
                         .dim_x = 2,
                         .dim_y = 2,
                         .dim_z = 2,
                         .density = 100,
                         .tet = {.k_mu = 1000, .k_lambda = 2000, .k_damp = 1}});
  ParticleWorld w(builder);
  SeededRandom random(11);
  for (Vec3& v : w.state.particle_qd) {
    const Real x = random.next(), y = random.next();
    v += Vec3{x, y, random.next()} * Real(0.1);
  }
  const Momentum before = momentum_of(w);
  w.step(Real(1e-3), 500);
  const Momentum after = momentum_of(w);
  const double slack = sizeof(Real) == 4 ? 1e-4 : 1e-12;
  EXPECT_LT(length(after.linear - before.linear), slack * length(before.linear));
  EXPECT_LT(length(after.angular - before.angular), slack * length(before.angular));
  EXPECT_EQ(w.status[0], 0);
}

// Proves that activation shrinks a soft body to where its energy (tetrahedron.kernel.h) is least among those of cubes.
TEST(ParticleMotion, Activation) {
  ModelBuilder builder = without_gravity();
  builder.add_soft_grid({.dim_x = 1,
                         .dim_y = 1,
                         .dim_z = 1,
                         .cell_x = 1,
                         .cell_y = 1,
                         .cell_z = 1,
                         .density = 10,
                         .tet = {.k_mu = 100, .k_lambda = 1000, .k_damp = 50}});
  ParticleWorld w(builder);
  for (Real& a : w.control.tet_activations) a = Real(0.2);
  w.step(Real(2e-3), 3000);
  const auto slope = [](double s) { return 100 * 3 * s * s / (3 * s * s + 1) + s * (1000 * (s * s * s - 0.8) - 75); };
  double low = 0.5, high = 1;
  for (int i = 0; i < 50; ++i) (slope((low + high) / 2) < 0 ? low : high) = (low + high) / 2;
  EXPECT_NEAR(length(w.q(1) - w.q(0)), low, 1e-4);
}

}  // namespace
}  // namespace carom
