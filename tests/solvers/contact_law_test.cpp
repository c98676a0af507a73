#include "dynamics/contact_law.kernel.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/random.h"

namespace carom {
namespace {

// What the law says of a velocity at the end of a step of h, evaluated as it is written down.
Real force_along_normal(const ContactLaw<Real>& law, Real depth, Real v, Real h) {
  const Real next = depth - h * v;
  if (next > 0) return law.ke * next + law.kd * max(-v, Real(0));
  return next > -law.ka ? law.ke * next : 0;
}

// The impulse of a contact is what the law gives for the velocity that the impulse leads to.
TEST(ContactLaw, AnswersTheVelocityAtTheEndOfTheStep) {
  SeededRandom random(1);
  const auto draw = [&](double low, double high) { return Real(random.uniform(low, high)); };
  int touching = 0, kissing = 0, apart = 0, held = 0;
  for (int n = 0; n < 20'000; ++n) {
    ContactLaw<Real> law{};
    law.ke = exp(draw(0, 12));
    law.kd = draw(0, 1) < Real(0.3) ? 0 : exp(draw(-2, 7));
    const bool sticky = draw(0, 1) < Real(0.3);
    law.ka = sticky ? draw(0, 0.05) : 0;
    const Real depth = draw(-0.02, 0.02);
    const Real w = exp(draw(-4, 3));
    const Real v_free = draw(-3, 3);
    const Real h = exp(draw(-7, -3));
    const Real p = law::NormalLaw<Real>(law, depth, w, h).impulse(v_free), v = v_free + w * p;
    // What rounding of v and of the depth at the end costs.
    const Real rounding = 8 * std::numeric_limits<Real>::epsilon() * (abs(v_free) + w * abs(p) + abs(depth) / h);
    const Real next = depth - h * v, scale = rounding * h * (law.kd + h * law.ke) + Real(1e-6) * abs(p);
    EXPECT_TRUE(sticky || p >= 0);
    if (depth < 0 && p > 0 && abs(next) <= 2 * h * rounding) {  // it comes to touch: the law jumps there
      EXPECT_LE(p, h * (law.kd * max(-v, Real(0))) + scale);
      ++kissing;
      continue;
    }
    if (abs(next + law.ka) < Real(1e-5)) continue;  // where it breaks off
    if (sticky && p == 0) {                         // it could not be held
      const Real elastic = (h * law.ke * depth - h * h * law.ke * v_free) / (1 + w * h * h * law.ke);
      EXPECT_LE(depth - h * (v_free + w * elastic), -law.ka + Real(1e-5));
      ++apart;
      continue;
    }
    EXPECT_NEAR(p, h * force_along_normal(law, depth, v, h), scale);
    (p > 0 ? touching : p < 0 ? held : apart) += 1;
  }
  EXPECT_GT(touching, 2'000);
  EXPECT_GT(kissing, 100);
  EXPECT_GT(apart, 2'000);
  EXPECT_GT(held, 100);
}

// Friction is kf times the velocity it leaves, and never more than mu times the force along the normal; both in the
// direction against the sliding.
TEST(ContactLaw, FrictionIsCoulombs) {
  SeededRandom random(2);
  const auto draw = [&](double low, double high) { return Real(random.uniform(low, high)); };
  int sticking = 0, sliding = 0;
  for (int n = 0; n < 5'000; ++n) {
    ContactLaw<Real> law{};
    law.kf = exp(draw(0, 9));
    law.mu = draw(0, 1);
    const Real w = exp(draw(-3, 3));
    const Real h = exp(draw(-7, -3));
    const Real p_n = draw(0, 0.1);
    const Vec2 v_free{draw(-1, 1), draw(-1, 1)};
    Vec2 p{};  // by sweeps, as a contact is solved
    for (int k = 0; k < 50; ++k)
      p = law::sliding_impulse(p, Vec2{v_free.x + w * p.x, v_free.y + w * p.y}, w, law::sliding_gain(law, w, h),
                               law.mu * p_n);
    const Vec2 v{v_free.x + w * p.x, v_free.y + w * p.y};
    const Real size = sqrt(dot(p, p)), speed = sqrt(dot(v, v)), most = law.mu * p_n;
    EXPECT_LE(size, most * (1 + Real(1e-5)) + Real(1e-9));
    EXPECT_LE(dot(p, v), Real(1e-7));
    if (size < most * Real(0.999)) {
      const Real rounding = 8 * std::numeric_limits<Real>::epsilon() * (sqrt(dot(v_free, v_free)) + w * size);
      EXPECT_NEAR(size, h * law.kf * speed, h * law.kf * rounding + Real(1e-6) * size);
      ++sticking;
    } else {
      EXPECT_GE(h * law.kf * speed, most * Real(0.999));
      EXPECT_NEAR(dot(p, v), -size * speed, Real(1e-4) * (size * speed + Real(1e-5)));
      ++sliding;
    }
  }
  EXPECT_GT(sticking, 500);
  EXPECT_GT(sliding, 500);
}

}  // namespace
}  // namespace carom
