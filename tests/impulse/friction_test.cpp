// impulse_by_collision with friction: closed forms of spheres, Coulomb's law and the energy on random bodies.
#include <gtest/gtest.h>

#include "impulse/random_collision.h"

namespace carom {
namespace {

using namespace test;

constexpr double kDigits = sizeof(Real) == 8 ? 1e-12 : 2e-6;

// A sphere of mass 2 and radius 1/2 meets the ground at an angle.
Vec3 sphere(Vec3 v, Vec3 w, Real e, Real friction, Real tangential) {
  const Real m = 2, I = Real(0.4) * m * Real(0.25);
  return impulse_by_collision(Velocity(v), AngularVelocity(w), {}, {}, {0, 0, Real(-0.5)}, m, {I, I, I}, {0, 0, 1}, e,
                              {.friction = friction, .tangential_restitution = tangential})
      .vec();
}

// Proves the closed forms of a sphere: sliding takes mu times the normal impulse against the slip, sticking takes 2/7
// of the momentum of slip, tangential restitution 1 + e_t times that.
TEST(Friction, SphereOnTheGround) {
  const Vec3 slides = sphere({3, 4, -2}, {}, Real(0.5), Real(0.1), 0);
  EXPECT_NEAR(slides.z, 6, 6 * kDigits);
  EXPECT_NEAR(slides.x, -0.1 * 6 * 0.6, 6 * kDigits);
  EXPECT_NEAR(slides.y, -0.1 * 6 * 0.8, 6 * kDigits);
  const Vec3 sticks = sphere({3, 4, -2}, {}, Real(0.5), 1, 0);
  EXPECT_NEAR(sticks.z, 6, 6 * kDigits);
  EXPECT_NEAR(sticks.x, -2.0 / 7 * 2 * 3, 6 * kDigits);
  EXPECT_NEAR(sticks.y, -2.0 / 7 * 2 * 4, 6 * kDigits);
  const Vec3 back = sphere({3, 4, -2}, {}, Real(0.5), 1, Real(0.25));
  EXPECT_NEAR(back.x, -2.0 / 7 * 2 * 3 * 1.25, 6 * kDigits);
  // A ball that spins, falling straight down, goes off sideways.
  const Vec3 spin = sphere({0, 0, -2}, {0, 10, 0}, Real(0.5), 1, 0);
  EXPECT_NEAR(spin.x, 2.0 / 7 * 2 * 10 * 0.5, 10 * kDigits);
}

// Proves on random bodies: restitution on the normal holds with friction, the impulse is in the cone, what slips is
// opposed by friction at the cone's edge, and what sticks has the slip -e_t u_t. Where the energy limits friction, the
// energy is what it was, and only the cone and the restitution are asked for.
TEST(Friction, ObeysCoulombAndGainsNoEnergy) {
  RandomCollisions random(11);
  int stuck = 0, slid = 0, limited = 0;
  for (int i = 0; i < 100000; ++i) {
    Collision c = random.next();
    c.friction = random.number(0, Real(1.2));
    c.tangential_restitution = i % 3 == 0 ? random.number(-1, 1) : Real(0);
    const Vec3 J = impulse(c);
    const Bodies b = before(c), a = after(c, J);
    const Double3 u = relative_velocity(c, b), u_after = relative_velocity(c, a);
    const Double3 d = unit(Double3(c.normal)) * (dot(u, Double3(c.normal)) > 0 ? -1 : 1);
    const double speed = speed_scale(c, J), tolerance = 256 * kEps * speed, size = length(Double3(J));
    ASSERT_NEAR(dot(u_after, d), -c.e * dot(u, d), tolerance) << i;

    const double J_n = dot(Double3(J), d);
    const Double3 J_t = Double3(J) - d * J_n, slip = u_after - d * dot(u_after, d);
    const Double3 goal = (u - d * dot(u, d)) * -double(c.tangential_restitution);
    const double gain = energy(a) - energy(b), scale = speed * speed * (c.m1 + c.m2);
    ASSERT_LE(length(J_t), c.friction * J_n + 64 * kEps * size) << i;
    ASSERT_LE(gain, 64 * kEps * scale) << i;
    const Double3 left = slip - goal;
    if (length(left) < 64 * tolerance) {
      ++stuck;
    } else if (gain > -1e3 * kEps * scale) {
      ++limited;
    } else {
      ++slid;
      ASSERT_NEAR(length(J_t), c.friction * J_n, 256 * kEps * (size + 1)) << i;
      ASSERT_NEAR(dot(J_t, left), -length(J_t) * length(left), 4096 * kEps * (size + 1) * speed) << i;
    }
  }
  EXPECT_GT(stuck, 10000);
  EXPECT_GT(slid, 10000);
  EXPECT_GT(limited, 0);
}

// Proves that the way from sliding to sticking has no step: over a range of friction the impulse changes little by
// little, up to a friction above which it does not change at all.
TEST(Friction, IsContinuousInTheCoefficient) {
  RandomCollisions random(12);
  for (int i = 0; i < 200; ++i) {
    Collision c = random.next();
    Vec3 last = impulse(c);
    for (int k = 1; k <= 200; ++k) {
      c.friction = Real(0.01) * k;
      const Vec3 J = impulse(c);
      ASSERT_LT(length(J - last), Real(0.2) * length(last) + 100 * kEps) << i << " mu " << c.friction;
      last = J;
    }
  }
}

}  // namespace
}  // namespace carom
