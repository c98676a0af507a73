// What an impulse does to a body, and the older velocity_after_contact_with_wall.
#include "carom/impulse/response.h"

#include <gtest/gtest.h>

#include "impulse/random_collision.h"

namespace carom {
namespace {

using namespace test;

void expect_vector(Vec3 a, Double3 b, double tolerance) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

// Proves every function against its formula, for a body that is turned against the common frame.
TEST(Response, FollowsTheFormulas) {
  RandomCollisions random(21);
  for (int i = 0; i < 1000; ++i) {
    const Collision c = random.next();
    const Impulse J(random.vector(5));
    const ContactVector r(c.r1);
    const Real dt = Real(0.05);
    const Body rest{{0, 0, 0}, {0, 0, 0}, c.m1, Double3(c.I1.moments()), c.self_euler};
    const Body pushed = rest.pushed(Double3(c.r1), Double3(J.vec()));
    const double tolerance = 64 * kEps * (length(pushed.v) + length(pushed.w) + 1);
    expect_vector(delta_velocity_from_impulse(J, c.m1).vec(), pushed.v, tolerance);
    expect_vector(acceleration_from_impulse(J, c.m1, dt).vec(), pushed.v * (1 / double(dt)), tolerance / dt);
    expect_vector(delta_angular_velocity_from_impulse(J, r, c.I1, c.self_euler).vec(), pushed.w, tolerance);
    expect_vector(angular_acceleration_from_impulse(J, r, c.I1, dt, c.self_euler).vec(), pushed.w * (1 / double(dt)),
                  tolerance / dt);
    expect_vector(force_from_impulse(J, dt).vec(), Double3(J.vec()) * (1 / double(dt)), tolerance / dt);
    const Double3 torque = cross(Double3(c.r1), Double3(J.vec())) * (1 / double(dt));
    expect_vector(torque_from_impulse(J, r, dt).vec(), torque, 64 * kEps * 20 / dt);
    expect_vector(acceleration_by_force(Force(J.vec()), c.m1).vec(), pushed.v, tolerance);
  }
}

// Proves Euler's equation: I dw/dt + w x I w is the torque, and a body that turns about a principal axis feels none.
TEST(Response, EulersEquation) {
  RandomCollisions random(22);
  for (int i = 0; i < 1000; ++i) {
    const Collision c = random.next();
    const Torque torque(random.vector(3));
    const Vec3 a = angular_acceleration_by_torque(torque, c.I1, AngularVelocity(c.w1), c.self_euler).vec();
    Body body{{0, 0, 0}, Double3(c.w1), c.m1, Double3(c.I1.moments()), c.self_euler};
    const Double3 gyroscopic = cross(body.w, body.angular_momentum());
    body.w = Double3(a);
    const double tolerance = 128 * kEps * (length(body.w) + length(gyroscopic) + 1) * 3;
    expect_vector(torque.vec(), body.angular_momentum() + gyroscopic, tolerance);
  }
  const Vec3 alone = angular_acceleration_by_torque({0, 0, 0}, {1, 2, 3}, {0, 5, 0}).vec();
  EXPECT_TRUE((alone == Vec3{0, 0, 0}));
  const Vec3 fixed = angular_acceleration_by_torque({1, 1, 1}, {1, kInf, 2}).vec();
  EXPECT_TRUE((fixed == Vec3{1, 0, Real(0.5)}));
}

// Proves the published figures of the older function, and where it differs from an impulse: it scales the tangential
// velocity, too.
TEST(Response, VelocityAfterContactWithWall) {
  const Velocity v{10, 10, 10};
  const auto by_points = [&](Real e) { return velocity_after_contact_with_wall(v, {1, 2, 3}, {1, 2, 4}, e); };
  EXPECT_TRUE(by_points(1) == Velocity(10, 10, -10));
  EXPECT_TRUE(by_points(Real(0.5)) == Velocity(5, 5, -5));
  EXPECT_TRUE(by_points(0) == Velocity(0, 0, 0));
  EXPECT_TRUE(velocity_after_contact_with_wall(v, {0, 0, -7}, Real(0.5)) == Velocity(5, 5, -5));

  const auto by_impulse = [&](Velocity before, Vec3 n, Real e) {
    return before + delta_velocity_from_impulse(
                        impulse_by_collision(before, {}, {}, {}, ContactVector(n), 2, {1, 1, 1}, n, e), 2);
  };
  EXPECT_TRUE(by_impulse(v, {0, 0, 1}, Real(0.5)) == Velocity(10, 10, -5));

  // The two agree for e = 1, and for a straight approach with any e.
  RandomCollisions random(23);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 n = random.direction();
    const Velocity any(random.vector(3)), straight(n * random.number(-3, 3));
    const Real e = random.number(0, 1);
    const double tolerance = 32 * kEps * 6;
    expect_vector(velocity_after_contact_with_wall(any, n, 1).vec(), Double3(by_impulse(any, n, 1).vec()), tolerance);
    expect_vector(velocity_after_contact_with_wall(straight, n, e).vec(), Double3(by_impulse(straight, n, e).vec()),
                  tolerance);
  }
}

}  // namespace
}  // namespace carom
