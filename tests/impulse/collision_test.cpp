// impulse_by_collision without friction: known cases, conservation laws, invariances, limits.
#include "carom/impulse/collision.h"

#include <gtest/gtest.h>

#include "carom/impulse.h"
#include "carom/math.h"
#include "impulse/random_collision.h"

namespace carom {
namespace {

using namespace test;

constexpr int kCases = 100000;
// 1e-8 in double; in float what seven digits of input allow.
constexpr double kDigits = sizeof(Real) == 8 ? 1e-8 : 1e-5;

void expect_vector(Vec3 a, double x, double y, double z, double tolerance = kDigits) {
  EXPECT_NEAR(a.x, x, tolerance);
  EXPECT_NEAR(a.y, y, tolerance);
  EXPECT_NEAR(a.z, z, tolerance);
}

constexpr Real kDroneMass = Real(0.71);
const RotationalInertia kDrone{Real(0.0061), Real(0.00653), Real(0.0116)};

// Proves that equal spheres exchange their velocities.
TEST(Collision, EqualSpheres) {
  const Impulse J = impulse_by_collision({1, 0, 0}, {}, {}, {-1, 0, 0}, {}, {}, {1, 0, 0}, {-1, 0, 0}, 1, 1, {1, 1, 1},
                                         {1, 1, 1}, {1, 0, 0}, 1);
  expect_vector(J.vec(), -2, 0, 0);
  expect_vector(delta_velocity_from_impulse(J, 1).vec(), -2, 0, 0);
  expect_vector(delta_velocity_from_impulse(-J, 1).vec(), 2, 0, 0);
}

// Proves that a wall takes restitution on the normal alone, and the energy that goes with it.
TEST(Collision, Wall) {
  const Impulse J = impulse_by_collision({10, 10, 10}, {}, {}, {}, {0, 0, 1}, 1, {1, 1, 1}, {0, 0, 1}, Real(0.5));
  expect_vector(J.vec(), 0, 0, -15);
  const Velocity v = Velocity{10, 10, 10} + delta_velocity_from_impulse(J, 1);
  expect_vector(v.vec(), 10, 10, -5);
  EXPECT_NEAR(0.5 * (dot(v, v) - 300), -37.5, 100 * kDigits);
}

// Proves that a rod hit at its end keeps half its speed and turns.
TEST(Collision, RodAtItsEnd) {
  const RotationalInertia I{Real(1) / 12, 1, Real(1) / 12};
  const ContactVector r{0, Real(0.5), 0};
  const Impulse J = impulse_by_collision({1, 0, 0}, {}, {}, {}, r, 1, I, {-1, 0, 0}, 1);
  expect_vector(J.vec(), -0.5, 0, 0);
  expect_vector(delta_angular_velocity_from_impulse(J, r, I).vec(), 0, 0, 3);
}

// Proves the derived figures of a drone that hits a wall with a rotor.
TEST(Collision, DroneAtAWall) {
  const ContactVector r{Real(0.1), Real(0.1), 0};
  const Impulse J = impulse_by_collision({3, 0, 0}, {}, {}, {}, r, kDroneMass, kDrone, {-1, 0, 0}, Real(0.8));
  expect_vector(J.vec(), -2.37831016, 0, 0);
  expect_vector(delta_velocity_from_impulse(J, kDroneMass).vec(), -3.34973262, 0, 0);
  expect_vector(delta_angular_velocity_from_impulse(J, r, kDrone).vec(), 0, 0, 20.5026738, 5 * kDigits);
}

// Proves the derived figures of two drones, one of them turned.
TEST(Collision, TwoDrones) {
  const Euler euler2{Real(0.3), Real(0.2), Real(0.1)};
  const ContactVector r1{Real(0.1), Real(0.05), 0}, r2{Real(-0.1), Real(0.05), Real(0.02)};
  const Impulse J = impulse_by_collision({1, 0, 0}, {0, 0, 2}, {}, {-1, Real(0.2), 0}, {Real(0.5), 0, 0}, euler2, r1,
                                         r2, kDroneMass, kDroneMass, kDrone, kDrone, {1, Real(0.2), 0}, Real(0.5));
  expect_vector(J.vec(), -0.820622249, -0.16412445, 0);
  expect_vector(delta_velocity_from_impulse(J, kDroneMass).vec(), -1.15580598, -0.231161197, 0);
  expect_vector(delta_angular_velocity_from_impulse(J, r1, kDrone).vec(), 0, 0, 2.12229892);
  expect_vector(delta_angular_velocity_from_impulse(-J, r2, kDrone, euler2).vec(), 0.463167322, 1.4371127, -5.1195,
                sizeof(Real) == 8 ? 5e-8 : 2e-5);
}

// Proves restitution on the normal, no change of the total momentum nor of the angular momentum about the contact, and
// the energy -(1 - e^2)/2 m_eff v_n^2, where m_eff comes from the impulse of a unit approach.
TEST(Collision, ConservationLaws) {
  RandomCollisions random(1);
  for (int i = 0; i < kCases; ++i) {
    const Collision c = random.next();
    const Vec3 J = impulse(c);
    const Bodies b = before(c), a = after(c, J);
    const Double3 n = unit(Double3(c.normal)), u = relative_velocity(c, b);
    const double speed = speed_scale(c, J), tolerance = 64 * kEps * speed;
    ASSERT_NEAR(dot(relative_velocity(c, a), n), -c.e * dot(u, n), tolerance) << i;
    ASSERT_LT(length(cross(Double3(J), n)), 8 * kEps * length(Double3(J))) << i;

    const Double3 momentum =
        (a.self.v * a.self.m + a.other.v * a.other.m) - (b.self.v * b.self.m + b.other.v * b.other.m);
    ASSERT_LT(length(momentum), tolerance * (c.m1 + c.m2)) << i;
    const auto about_contact = [&](const Body& body, Vec3 r) {
      return body.angular_momentum() - cross(Double3(r), body.v * body.m);
    };
    const Double3 angular = (about_contact(a.self, c.r1) + about_contact(a.other, c.r2)) -
                            (about_contact(b.self, c.r1) + about_contact(b.other, c.r2));
    ASSERT_LT(length(angular), tolerance * (c.m1 + c.m2) * 2) << i;

    const double k = 1 / double(c.m1) + 1 / double(c.m2) +
                     dot(b.self.pushed(Double3(c.r1), n).w - b.self.w, cross(Double3(c.r1), n)) +
                     dot(b.other.pushed(Double3(c.r2), n).w - b.other.w, cross(Double3(c.r2), n));
    const double expected = -0.5 * (1 - double(c.e) * c.e) * dot(u, n) * dot(u, n) / k;
    ASSERT_NEAR(energy(a) - energy(b), expected, tolerance * speed * (c.m1 + c.m2)) << i;
  }
}

// Proves that n and -n give the same bits, and that the length of n does not matter: powers of two to the bit.
TEST(Collision, SignAndLengthOfTheNormalDoNotMatter) {
  RandomCollisions random(2);
  for (int i = 0; i < kCases; ++i) {
    Collision c = random.next();
    c.friction = i % 2 ? Real(0.4) : Real(0);
    const Vec3 J = impulse(c), n = c.normal;
    c.normal = -n;
    ASSERT_TRUE(impulse(c) == J) << i;
    for (const int exponent : {-3, 20, -60, 100, -100}) {
      c.normal = n * std::ldexp(Real(1), exponent);
      ASSERT_TRUE(impulse(c) == J) << i << " 2^" << exponent;
    }
    c.normal = n * Real(0.37);
    const Vec3 other = impulse(c);
    ASSERT_LT(length(other - J), (c.friction > 0 ? 2000 : 64) * kEps * (length(J) + 1)) << i;
  }
}

// The inertia of a body that is turned by R, as a tensor in the common frame.
RotationalInertia tensor_of(const Mat33& R, const RotationalInertia& I) {
  const Mat33 T = R * I.tensor * transpose(R);
  return Mat33{T.row0, {T.row0.y, T.row1.y, T.row1.z}, {T.row0.z, T.row1.z, T.row2.z}};
}

// Proves that turning everything turns the impulse, and that a tensor gives what its principal moments give with the
// orientation in Euler angles.
TEST(Collision, TurnsWithTheFrame) {
  RandomCollisions random(3);
  for (int i = 0; i < kCases; ++i) {
    Collision c = random.next();
    c.friction = i % 2 ? Real(0.4) : Real(0);
    const Vec3 J = impulse(c);
    const Vec3 axis = normalize(random.direction());
    const Quat q = quat_from_axis_angle(axis, random.number(-3, 3));
    for (Vec3* v : {&c.v1, &c.w1, &c.v2, &c.w2, &c.r1, &c.r2, &c.normal}) *v = rotate(q, *v);
    c.I1 = tensor_of(mat33_from_quat(q) * mat33_from_euler(c.self_euler), c.I1);
    c.I2 = tensor_of(mat33_from_quat(q) * mat33_from_euler(c.target_euler), c.I2);
    c.self_euler = c.target_euler = {};
    ASSERT_LT(length(impulse(c) - rotate(q, J)), 512 * kEps * (length(J) + 1)) << i;
  }
}

// Proves that a diagonal tensor is its moments, infinite ones too.
TEST(Collision, DiagonalTensorsAreMoments) {
  const Impulse a = impulse_by_collision({1, 2, 3}, {}, {}, {}, {1, 1, 0}, 2, {1, kInf, 3}, {1, 1, 1}, 1);
  const Impulse b =
      impulse_by_collision({1, 2, 3}, {}, {}, {}, {1, 1, 0}, 2, mat33_diagonal(Vec3{1, kInf, 3}), {1, 1, 1}, 1);
  EXPECT_TRUE(a == b);
}

// Proves that a heavy target leads to the form for immovable targets without a jump: the difference shrinks as 1/m2
// from 1e3 to infinity, where it is zero to the bit.
TEST(Collision, HeavyTargetsBecomeImmovable) {
  RandomCollisions random(5);
  for (int i = 0; i < 1000; ++i) {
    Collision c = random.next();
    c.friction = i % 2 ? Real(0.3) : Real(0);
    c.e = Real(0.5);
    c.w2 = {};
    const Vec3 wall = impulse_by_collision(Velocity(c.v1), AngularVelocity(c.w1), c.self_euler, Velocity(c.v2),
                                           ContactVector(c.r1), c.m1, c.I1, c.normal, c.e, {.friction = c.friction})
                          .vec();
    for (double heavy = 1e3; heavy < 2e30; heavy *= 1e3) {
      c.m2 = Real(heavy);
      c.I2 = {c.m2, c.m2, c.m2};
      const double scale = speed_scale(c, wall) * c.m1;
      ASSERT_LT(length(impulse(c) - wall), scale * (100 / heavy + 128 * kEps)) << i << " " << heavy;
    }
    c.m2 = kInf;
    c.I2 = {kInf, kInf, kInf};
    ASSERT_TRUE(impulse(c) == wall) << i;
  }
}

// Proves that infinite moments of single axes are limits, and that a body with infinite mass may still turn.
TEST(Collision, InfiniteMomentsAreLimits) {
  const Real big = sizeof(Real) == 8 ? Real(1e14) : Real(1e9);
  const auto with = [](Real m1, Vec3 moments) {
    return impulse_by_collision({1, 2, 3}, {1, 0, 0}, {Real(0.3), 0, Real(0.2)}, {}, {1, 1, Real(0.5)}, m1, moments,
                                {1, 1, 1}, Real(0.5), {.friction = Real(0.2)})
        .vec();
  };
  EXPECT_LT(length(with(2, {1, kInf, 3}) - with(2, {1, big, 3})), 10 / big + 64 * kEps);
  EXPECT_LT(length(with(2, {kInf, kInf, 3}) - with(2, {big, big, 3})), 10 / big + 64 * kEps);
  EXPECT_LT(length(with(kInf, {1, 2, 3}) - with(big, {1, 2, 3})), 10000 / big + 1024 * kEps);
  EXPECT_GT(length(with(kInf, {1, 2, 3})), Real(0.1));
}

// Proves that the impulse is proportional to all masses over the whole range of numbers: nothing overflows or jumps.
TEST(Collision, TinyAndHugeMassesScale) {
  RandomCollisions random(6);
  const int largest = sizeof(Real) == 8 ? 960 : 80;
  for (int i = 0; i < 200; ++i) {
    Collision c = random.next();
    c.friction = i % 2 ? Real(0.3) : Real(0);
    const Vec3 J = impulse(c), moments1 = c.I1.moments(), moments2 = c.I2.moments();
    const Real m1 = c.m1, m2 = c.m2;
    for (int exponent = -largest; exponent <= largest; exponent += 20) {
      const Real scale = std::ldexp(Real(1), exponent);
      c.m1 = m1 * scale;
      c.m2 = m2 * scale;
      c.I1 = RotationalInertia(moments1 * scale);
      c.I2 = RotationalInertia(moments2 * scale);
      ASSERT_TRUE(impulse(c) == J * scale) << i << " 2^" << exponent;
    }
    // One body alone gets lighter, which bounds the impulse: what takes no energy has |J| <= 2 m1 |u|.
    for (int exponent = -10; exponent >= -largest; exponent -= 10) {
      const Real scale = std::ldexp(Real(1), exponent);
      c.m1 = m1 * scale;
      c.m2 = m2;
      c.I1 = RotationalInertia(moments1 * scale);
      c.I2 = RotationalInertia(moments2);
      const double u = test::length(relative_velocity(c, before(c))), bound = 2 * m1 * u;
      const double relative = test::length(Double3(impulse(c) / scale));
      ASSERT_LE(relative, bound) << i << " 2^" << exponent;
      ASSERT_GT(relative, Real(1e-3) * bound * dot(unit(relative_velocity(c, before(c))), unit(Double3(c.normal))))
          << i << " 2^" << exponent;
    }
  }
  // Nothing to turn about: a point mass is a sphere without radius, whose inertia does not matter at r = 0.
  const Real least = std::numeric_limits<Real>::denorm_min();
  const Impulse J = impulse_by_collision({1, 0, 0}, {}, {}, {}, {}, 1, {least, least, least}, {1, 0, 0}, 1);
  expect_vector(J.vec(), -2, 0, 0);
}

// Proves that with an oriented normal a separating pair gets exactly nothing and an approaching one what it got
// without.
TEST(Collision, OrientedNormals) {
  RandomCollisions random(7);
  int apart = 0;
  for (int i = 0; i < 10000; ++i) {
    Collision c = random.next();
    c.friction = i % 2 ? Real(0.3) : Real(0);
    const Vec3 free = impulse(c);
    c.oriented = true;
    const bool approaches = dot(relative_velocity(c, before(c)), Double3(c.normal)) > 0;
    ASSERT_TRUE(impulse(c) == (approaches ? free : Vec3{})) << i;
    apart += !approaches;
  }
  EXPECT_GT(apart, 4000);
}

// Proves that restitution fades linearly below the threshold, continuously at it, and is untouched above.
TEST(Collision, RestitutionFades) {
  const auto bounce = [](Real speed, Real threshold) {
    const Impulse J = impulse_by_collision({0, 0, -speed}, {}, {}, {}, {}, 1, {1, 1, 1}, {0, 0, 1}, Real(0.5),
                                           {.restitution_threshold = threshold});
    return double(J.z) - speed;  // speed after the collision
  };
  EXPECT_NEAR(bounce(1, 0), 0.5, kDigits);
  EXPECT_NEAR(bounce(1, Real(0.5)), 0.5, kDigits);
  EXPECT_NEAR(bounce(1, 1), 0.5, kDigits);
  EXPECT_NEAR(bounce(1, 2), 0.25, kDigits);
  EXPECT_NEAR(bounce(Real(0.1), 2), 0.5 * 0.05 * 0.1, kDigits);
}

}  // namespace
}  // namespace carom
