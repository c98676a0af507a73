// Forces over a contact time: their integrals, and steps of any lengths.
#include "carom/impulse/profile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "impulse/random_collision.h"

namespace carom {
namespace {

using namespace test;

constexpr ImpulseProfile kProfiles[] = {ImpulseProfile::kRectangle, ImpulseProfile::kHalfSine, ImpulseProfile::kHertz};

// Simpson's rule.
double integral(ImpulseProfile profile, double to) {
  constexpr int n = 20000;
  double sum = 0;
  for (int i = 0; i <= n; ++i) sum += profile_force(profile, to * i / n) * (i == 0 || i == n ? 1 : i % 2 ? 4 : 2);
  return sum * to / (3 * n);
}

// Proves that the closed forms of the integrals are those of the forces, and that the whole is one.
TEST(Profile, IntegralsOfTheForces) {
  for (const ImpulseProfile profile : kProfiles) {
    for (const double s : {0.01, 0.1, 0.3, 0.5, 0.77, 0.99, 1.0})
      EXPECT_NEAR(profile_integral(profile, s), integral(profile, s), 1e-10) << int(profile) << " " << s;
    EXPECT_NEAR(profile_integral(profile, Real(0)), 0, 2 * kEps);
    EXPECT_NEAR(profile_integral(profile, Real(1)), 1, 2 * kEps);
    EXPECT_NEAR(profile_integral(profile, Real(0.5)), 0.5, kEps);
  }
  EXPECT_NEAR(profile_force(ImpulseProfile::kHalfSine, 0.5), 1.5707963267948966, 1e-14);
  EXPECT_NEAR(profile_force(ImpulseProfile::kHertz, 0.5), 1.6976527263135504, 1e-14);
}

// Proves force_at and impulse_until in their own units, outside of the contact too.
TEST(Profile, ForcesInTime) {
  const Impulse J{2, 0, -4};
  for (const ImpulseProfile profile : kProfiles) {
    EXPECT_TRUE(force_at(J, Real(0.5), profile, Real(-0.1)) == Force(0, 0, 0));
    EXPECT_TRUE(force_at(J, Real(0.5), profile, Real(0.6)) == Force(0, 0, 0));
    EXPECT_TRUE(impulse_until(J, Real(0.5), profile, Real(-0.1)) == Impulse(0, 0, 0));
    EXPECT_TRUE(impulse_until(J, Real(0.5), profile, Real(0.5)) == J);
    EXPECT_NEAR(impulse_until(J, Real(0.5), profile, Real(0.25)).z, -2, 8 * kEps);
    EXPECT_NEAR(force_at(J, Real(0.5), profile, Real(0.2)).x, 4 * profile_force(profile, 0.4), 32 * kEps);
  }
}

// Proves that steps of any lengths add up to the impulse and its moment, and that the step which reaches the end takes
// the rest: T/n taken n times is enough.
TEST(Profile, StepsAddUp) {
  RandomCollisions random(31);
  for (const ImpulseProfile profile : kProfiles) {
    for (int i = 0; i < 2000; ++i) {
      const Impulse J(random.vector(3));
      const ContactVector r(random.vector(1));
      const Real duration = random.number(Real(0.001), 1);
      const int steps = 1 + i % 100;
      ImpulseSpread spread(J, r, duration, profile);
      Double3 sum{0, 0, 0}, moment{0, 0, 0};
      int taken = 0;
      while (!spread.finished()) {
        const Real dt = i % 2 ? duration / steps : duration * random.number(Real(0.001), Real(0.3));
        const ForceAndTorque f = spread.step(dt);
        sum = sum + Double3(f.force.vec()) * dt;
        moment = moment + Double3(f.torque.vec()) * dt;
        ++taken;
      }
      if (i % 2) {
        ASSERT_EQ(taken, steps);
      }
      const double tolerance = 4 * kEps * (3 + taken / 8.0);
      ASSERT_LT(test::length(sum - Double3(J.vec())), tolerance) << int(profile) << " " << i;
      ASSERT_LT(test::length(moment - test::cross(Double3(r.vec()), Double3(J.vec()))), 4 * tolerance);
    }
  }
}

// Proves that the steps follow the profile: the mean of a short step is the force in its middle.
TEST(Profile, StepsFollowTheForce) {
  const Impulse J{1, 0, 0};
  for (const ImpulseProfile profile : kProfiles) {
    ImpulseSpread spread(J, {0, 1, 0}, 1, profile);
    for (int i = 0; i < 64; ++i) {
      const ForceAndTorque f = spread.step(Real(1) / 64);
      EXPECT_NEAR(f.force.x, force_at(J, 1, profile, (i + Real(0.5)) / 64).x, 3e-3);
      EXPECT_EQ(f.torque.z, -f.force.x);
      EXPECT_NEAR(spread.given().x, impulse_until(J, 1, profile, (i + 1) / Real(64)).x, 4 * kEps);
    }
    EXPECT_TRUE(spread.finished());
  }
}

}  // namespace
}  // namespace carom
