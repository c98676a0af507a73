// What the types of quantities allow and what they forbid, and the usage that the API was designed for.
#include "carom/impulse/quantity.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "carom/impulse.h"

namespace carom {
namespace {

template <class A, class B>
concept Adds = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept AddsTo = requires(A a, B b) {
  a += b;
};
template <class T>
concept GivesVelocityChange = requires(T t) {
  delta_velocity_from_impulse(t, Real(1));
};
template <class T>
concept GivesAcceleration = requires(T t) {
  acceleration_by_force(t, Real(1));
};
template <class T>
concept IsNormal = requires(T t) {
  velocity_after_contact_with_wall(Velocity{}, t, Real(1));
};

// Proves that sums, assignments and arguments of different dimensions do not compile, and those of one do.
static_assert(Adds<Impulse, Impulse> && Adds<Velocity, Velocity>);
static_assert(!Adds<Impulse, Force> && !Adds<Velocity, AngularVelocity> && !Adds<Velocity, Acceleration>);
static_assert(!Adds<Velocity, Vec3> && !Adds<Velocity, Real> && !Adds<Torque, Force>);
static_assert(AddsTo<Velocity&, decltype(Seconds(1) * Acceleration{})> && !AddsTo<Velocity&, Acceleration>);
static_assert(!AddsTo<Velocity&, decltype(Real(1) * Acceleration{})>);  // a plain number has no dimension
static_assert(GivesVelocityChange<Impulse> && !GivesVelocityChange<Force> && !GivesVelocityChange<Velocity>);
static_assert(!GivesVelocityChange<Vec3>);
static_assert(GivesAcceleration<Force> && !GivesAcceleration<Impulse> && !GivesAcceleration<Torque>);
static_assert(IsNormal<Vec3> && !IsNormal<Velocity>);
static_assert(!std::is_convertible_v<Vec3, Velocity> && std::is_constructible_v<Velocity, Vec3>);
static_assert(!std::is_convertible_v<Velocity, Vec3> && !std::is_constructible_v<Velocity, Force>);
static_assert(std::is_convertible_v<Real, Seconds> && !std::is_convertible_v<Seconds, Real>);

// Proves that products and quotients have the dimension of what they are.
static_assert(std::is_same_v<decltype(Seconds(1) * Acceleration{}), Velocity>);
static_assert(std::is_same_v<decltype(Seconds(1) * AngularAcceleration{}), AngularVelocity>);
static_assert(std::is_same_v<decltype(Force{} * Seconds(1)), Impulse>);
static_assert(std::is_same_v<decltype(Impulse{} / Seconds(1)), Force>);
static_assert(std::is_same_v<decltype(cross(ContactVector{}, Force{})), Torque>);
static_assert(std::is_same_v<decltype(cross(AngularVelocity{}, ContactVector{})), Velocity>);
static_assert(std::is_same_v<decltype(2 * Velocity{}), Velocity>);

// Proves that a quantity is three numbers: arithmetic is that of Vec3, and nothing is added to them.
TEST(Quantity, IsItsThreeNumbers) {
  static_assert(sizeof(Impulse) == 3 * sizeof(Real) && std::is_trivially_copyable_v<Impulse>);
  const Velocity a{1, 2, 3}, b{4, 6, 9};
  EXPECT_TRUE(a + b == Velocity(5, 8, 12));
  EXPECT_TRUE(b - a == Velocity(3, 4, 6));
  EXPECT_TRUE(-a == Velocity(-1, -2, -3));
  EXPECT_TRUE(2 * a == Velocity(2, 4, 6));
  EXPECT_TRUE(b / 2 == Velocity(2, 3, Real(4.5)));
  EXPECT_TRUE((cross(AngularVelocity{0, 0, 2}, ContactVector{1, 0, 0}) == Velocity(0, 2, 0)));
  EXPECT_EQ(dot(Force{1, 2, 3}, a), Real(14));
  EXPECT_TRUE(Seconds(Real(0.5)) * Acceleration(2, 4, 6) == a);
}

// Proves that the usage of the design document compiles nearly as written, and that its two methods agree.
TEST(Quantity, UsageOfTheDesignDocument) {
  const Real Ix = Real(0.0061), Iy = Real(0.00653), Iz = Real(0.0116), mass = Real(0.71);
  const Seconds delta_t = Real(0.01);
  const Velocity v_current{3, 0, 0};
  const AngularVelocity w_current{0, 0, 0};
  const ContactVector r1{Real(0.1), Real(0.1), 0};
  const Impulse impulse =
      impulse_by_collision(v_current, w_current, {0, 0, 0}, {0, 0, 0}, r1, mass, {Ix, Iy, Iz}, {-1, 0, 0}, Real(0.8));

  const Velocity delta_v = delta_velocity_from_impulse(impulse, mass);
  const Velocity v_after = v_current + delta_v;
  Acceleration dv{0, 0, 0};
  dv += acceleration_from_impulse(impulse, mass, delta_t);
  Velocity v = v_current;
  v += delta_t * dv;
  EXPECT_NEAR(v.x, v_after.x, 1e-5);

  const AngularVelocity delta_w = delta_angular_velocity_from_impulse(impulse, r1, {Ix, Iy, Iz});
  const AngularVelocity w_after = w_current + delta_w;
  AngularAcceleration dw{0, 0, 0};
  dw += angular_acceleration_from_impulse(impulse, r1, {Ix, Iy, Iz}, delta_t);
  AngularVelocity w = w_current;
  w += delta_t * dw;
  EXPECT_NEAR(w.z, w_after.z, 1e-4);
  EXPECT_NEAR(w_after.z, 20.5026738, 1e-4);
  EXPECT_NEAR(force_from_impulse(impulse, 0.01).x * 0.01, impulse.x, 1e-6);  // plain numbers are seconds
}

}  // namespace
}  // namespace carom
