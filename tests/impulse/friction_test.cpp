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
    if (std::abs(dot(u, d)) < 4 * kEps * speed) continue;  // which way the normal points is a matter of rounding
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

// How many impulses obey restitution and Coulomb's law, counted by going round all directions of slip: friction against
// direction t has J_n = j / (1 - mu c.t), and leaves a slip that must be along t. Sticking is one more, in the cone.
// With great friction on bodies that yield far more one way than the other there can be several.
int solutions(const Collision& c) {
  const Bodies b = before(c);
  const Double3 u = relative_velocity(c, b), n = unit(Double3(c.normal)), d = n * (dot(u, n) > 0 ? -1 : 1);
  const Double3 t1 = unit(cross(d, std::abs(d.x) < 0.6 ? Double3{1, 0, 0} : Double3{0, 1, 0})), t2 = cross(d, t1);
  const auto K = [&](Double3 J) {  // change of velocity, as components along d, t1, t2
    const Bodies a{b.self.pushed(Double3(c.r1), J), b.other.pushed(Double3(c.r2), J * -1)};
    const Double3 change = relative_velocity(c, a) - u;
    return Double3{dot(change, d), dot(change, t1), dot(change, t2)};
  };
  const Double3 Kn = K(d), K1 = K(t1), K2 = K(t2), slip{0, dot(u, t1), dot(u, t2)};
  const double to_go = -(1 + c.e) * dot(u, d);
  const auto slip_after = [&](double J_n, double J_1, double J_2) { return slip + Kn * J_n + K1 * J_1 + K2 * J_2; };

  int found = 0;
  double last = 0;
  constexpr int kDirections = 20000;
  for (int i = 0; i <= kDirections; ++i) {
    const double angle = 2 * std::acos(-1.0) * i / kDirections, x = std::cos(angle), y = std::sin(angle);
    const double J_n = to_go / (Kn.x - c.friction * (K1.x * x + K2.x * y)), J_t = -c.friction * J_n;
    const Double3 left = slip_after(J_n, J_t * x, J_t * y);
    const double across = left.y * y - left.z * x;
    if (J_n > 0 && left.y * x + left.z * y > 0 && last * across < 0) ++found;
    last = J_n > 0 ? across : 0;
  }
  // Sticking: no slip, so the tangential part of K on J_t takes away the slip that the normal impulse leaves.
  const double a = K1.y - Kn.y * K1.x / Kn.x, bb = K2.y - Kn.y * K2.x / Kn.x, cc = K2.z - Kn.z * K2.x / Kn.x;
  const Double3 q = slip_after(to_go / Kn.x, 0, 0);
  const double det = a * cc - bb * bb, J_1 = (bb * q.z - cc * q.y) / det, J_2 = (bb * q.y - a * q.z) / det;
  const double J_n = (to_go - K1.x * J_1 - K2.x * J_2) / Kn.x;
  return found + (std::hypot(J_1, J_2) <= c.friction * J_n);
}

Vec3 impulse_at(Collision c, double friction) {
  c.friction = Real(friction);
  return impulse(c);
}

// Whether the impulse makes a step between two frictions, however close: the half with the larger change, again and
// again. They end so close that both numbers of solutions are those beside the step.
bool is_step(const Collision& c, double& low, double& high) {
  const auto changes = [&](double from, double to) {
    const Vec3 a = impulse_at(c, from), b = impulse_at(c, to);
    return length(b - a) - (Real(0.2) * length(a) + 100 * kEps);
  };
  while (changes(low, high) > 0 && high - low > 1e-6) {
    const double middle = (low + high) / 2;
    (changes(low, middle) > changes(middle, high) ? high : low) = middle;
  }
  return changes(low, high) > 0;
}

// Proves that the way from sliding to sticking has no step: over a range of friction the impulse changes little by
// little, up to a friction above which it does not change at all. Where the law has several answers, of which one ends
// and another goes on, a step is the law's own; there are few of these.
TEST(Friction, IsContinuousInTheCoefficient) {
  RandomCollisions random(12);
  int steps = 0;
  for (int i = 0; i < 200; ++i) {
    Collision c = random.next();
    for (int k = 1; k <= 200; ++k) {
      double low = 0.01 * (k - 1), high = 0.01 * k;
      if (!is_step(c, low, high)) continue;
      ++steps;
      int most = 0;
      for (const double friction : {low * (1 - 64 * kEps), high * (1 + 64 * kEps)}) {  // rounding shifts the step
        c.friction = Real(friction);
        most = std::max(most, solutions(c));
      }
      ASSERT_GT(most, 1) << i << " mu " << high;
    }
  }
  EXPECT_LE(steps, 4);
}

}  // namespace
}  // namespace carom
