// The largest stable step: below it nothing swings up, and where it is exact half as much again does.
#include <gtest/gtest.h>

#include <limits>

#include "tests/dynamics/particle_world.h"
#include "tests/random.h"

namespace carom {
namespace {

// How fast particles are after so many steps of that length, from small random velocities.
double speed_after(const ModelBuilder& builder, double dt, int steps) {
  ParticleWorld w(builder);
  SeededRandom random(21);
  for (Vec3& v : w.state.particle_qd) {
    const Real x = random.next(), y = random.next();
    v = Vec3{x, y, random.next()} * Real(1e-4);
  }
  for (int i = 0; i < w.model.particle_count; ++i)
    if (w.model.particle_mass[i] == 0) w.state.particle_qd[i] = {};
  w.step(Real(dt), steps);
  if (w.status[0] != 0) return std::numeric_limits<double>::infinity();
  double most = 0;
  for (const Vec3& v : w.state.particle_qd) most = max(most, double(length(v)));
  return most;
}

double stable_step(const ModelBuilder& builder) { return ParticleForces(builder.finalize()).largest_stable_step(); }

ModelBuilder chain(int masses, Real kd) {
  ModelBuilder builder = without_gravity();
  for (int i = 0; i <= masses; ++i) builder.add_particle({Real(i), 0, 0}, {}, i == 0 || i == masses ? 0 : Real(0.2));
  for (int i = 0; i < masses; ++i) builder.add_spring(i, i + 1, SpringConfig{.ke = 500, .kd = kd});
  return builder;
}

ModelBuilder cloth() {
  ModelBuilder builder = without_gravity();
  builder.add_cloth_grid({.dim_x = 5,
                          .dim_y = 5,
                          .mass = Real(0.02),
                          .tri = TriangleConfig{.ke = 200, .ka = 300, .kd = Real(0.1)},
                          .edge = EdgeConfig{.ke = Real(0.02)}});
  return builder;
}

ModelBuilder cube() {
  ModelBuilder builder = without_gravity();
  builder.add_soft_grid(
      {.dim_x = 3, .dim_y = 3, .dim_z = 3, .density = 300, .tet = {.k_mu = 2000, .k_lambda = 5000, .k_damp = 1}});
  return builder;
}

// Proves that one spring is told exactly: 2 / omega, and with damping what makes dt^2 k + 2 dt c = 4.
TEST(ParticleStableStep, OneSpring) {
  ModelBuilder builder = without_gravity();
  builder.add_particle({0, 0, 0}, {}, Real(0.5));
  builder.add_particle({1, 0, 0}, {}, 2);
  builder.add_spring(0, 1, SpringConfig{.ke = 100, .kd = 3});
  const double w = 1 / 0.5 + 1 / 2.0, k = 100 * w, c = 3 * w, dt = stable_step(builder);
  EXPECT_NEAR(dt * dt * k + 2 * dt * c, 4, 1e-5);
}

// Proves that chains with and without damping are quiet just below the step and swing up at half as much again.
TEST(ParticleStableStep, Chains) {
  for (const Real kd : {Real(0), Real(2), Real(50)}) {
    const ModelBuilder builder = chain(12, kd);
    const double dt = stable_step(builder);
    EXPECT_LT(speed_after(builder, 0.98 * dt, 2000), 0.05) << kd;
    EXPECT_GT(speed_after(builder, 1.5 * dt, 2000), 1) << kd;
  }
}

// Proves that cloths and soft bodies are quiet just below the step, which is at most four times shorter than need be.
TEST(ParticleStableStep, ClothsAndSoftBodies) {
  for (const ModelBuilder& builder : {cloth(), cube()}) {
    const double dt = stable_step(builder);
    EXPECT_LT(speed_after(builder, 0.95 * dt, 3000), 0.05);
    EXPECT_GT(speed_after(builder, 4 * dt, 3000), 1);
  }
}

// Proves that where nothing swings every step is stable.
TEST(ParticleStableStep, NothingSwings) {
  ModelBuilder builder;
  builder.add_particle({0, 0, 0}, {}, 1);
  EXPECT_EQ(stable_step(builder), std::numeric_limits<Real>::infinity());
  builder.add_particle({1, 0, 0}, {}, 0);
  builder.add_spring(0, 1, SpringConfig{.ke = 0});
  EXPECT_EQ(stable_step(builder), std::numeric_limits<Real>::infinity());
}

}  // namespace
}  // namespace carom
