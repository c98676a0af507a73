// Bad arguments throw an Error that names the argument and its value.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "impulse/random_collision.h"

namespace carom {
namespace {

using namespace test;

constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// Proves what every bad argument of impulse_by_collision is answered with.
TEST(BadInput, OfImpulseByCollision) {
  struct Case {
    std::function<void(Collision&)> spoil;
    const char* error;
  };
  const Case table[] = {
      {[](Collision& c) { c.m1 = 0; }, "m1 must be positive, is 0"},
      {[](Collision& c) { c.m2 = -2; }, "m2 must be positive, is -2"},
      {[](Collision& c) { c.m2 = kNan; }, "m2 must be positive, is nan"},
      {[](Collision& c) { c.v1.y = kNan; }, "v1 must be finite, is (1, nan, 3)"},
      {[](Collision& c) { c.w2.x = kInf; }, "w2 must be finite, is (inf, 2, 3)"},
      {[](Collision& c) { c.target_euler.phi = kInf; }, "target_euler must be finite, is (inf, 0, 0)"},
      {[](Collision& c) { c.r1.x = -kInf; }, "r1 must be finite, is (-inf, 2, 3)"},
      {[](Collision& c) {
         c.I1 = {0, 0, 0};
       },
       "I1 must have positive moments, is (0, 0, 0)"},
      {[](Collision& c) {
         c.I2 = {1, -1, 1};
       },
       "I2 must have positive moments, is (1, -1, 1)"},
      {[](Collision& c) {
         c.I1 = Mat33{{1, 2, 0}, {2, 1, 0}, {0, 0, 1}};
       },
       "I1 must be symmetric and positive definite, is ((1, 2, 0), (2, 1, 0), (0, 0, 1))"},
      {[](Collision& c) {
         c.I1 = Mat33{{2, 1, 0}, {0, 2, 0}, {0, 0, 1}};
       },
       "I1 must be symmetric and positive definite, is ((2, 1, 0), (0, 2, 0), (0, 0, 1))"},
      {[](Collision& c) {
         c.I1 = Mat33{{2, kNan, 0}, {kNan, 2, 0}, {0, 0, 1}};
       },
       "I1 must be symmetric and positive definite, is ((2, nan, 0), (nan, 2, 0), (0, 0, 1))"},
      {[](Collision& c) { c.normal = {}; }, "normal must be finite and unequal to zero, is (0, 0, 0)"},
      {[](Collision& c) { c.normal.z = kNan; }, "normal must be finite and unequal to zero, is (1, 2, nan)"},
      {[](Collision& c) { c.e = Real(1.5); }, "e must be in [0, 1], is 1.5"},
      {[](Collision& c) { c.e = Real(-0.5); }, "e must be in [0, 1], is -0.5"},
      {[](Collision& c) { c.e = kNan; }, "e must be in [0, 1], is nan"},
      {[](Collision& c) { c.friction = -1; }, "friction must be finite and not negative, is -1"},
      {[](Collision& c) { c.friction = kInf; }, "friction must be finite and not negative, is inf"},
      {[](Collision& c) { c.tangential_restitution = 2; }, "tangential_restitution must be in [-1, 1], is 2"},
      {[](Collision& c) { c.restitution_threshold = -1; },
       "restitution_threshold must be finite and not negative, is -1"},
      {[](Collision& c) {
         c.m1 = c.m2 = kInf;
         c.I1 = c.I2 = {kInf, kInf, kInf};
       },
       "m1 and m2 are infinite, and no inertia lets the bodies yield"},
      {[](Collision&) {}, nullptr},
  };
  for (const Case& bad : table) {
    Collision c{{1, 2, 3}, {1, 2, 3}, {},        {0, 0, 1}, {1, 2, 3}, {}, {1, 2, 3}, {1, 1, 1}, 1,
                2,         {1, 1, 1}, {1, 1, 1}, {1, 2, 3}, Real(0.5), 0,  0,         0,         false};
    bad.spoil(c);
    const std::string expected = bad.error ? std::string("impulse_by_collision: ") + bad.error : "no error";
    EXPECT_EQ(error_of([&] { impulse(c); }), expected);
    ArgumentMask<Real> mask("");
    check_collision(c, mask);
    EXPECT_EQ(mask.good(), expected == "no error" || expected.find("m1 and m2") != std::string::npos) << expected;
  }
}

// Proves the same for the other functions.
TEST(BadInput, OfTheOtherFunctions) {
  const Impulse J{1, 2, 3};
  const std::pair<std::function<void()>, const char*> table[] = {
      {[&] { delta_velocity_from_impulse(J, 0); }, "delta_velocity_from_impulse: mass must be positive, is 0"},
      {[&] {
         delta_velocity_from_impulse({kNan, 0, 0}, 1);
       },
       "delta_velocity_from_impulse: impulse must be finite, is (nan, 0, 0)"},
      {[&] { acceleration_from_impulse(J, 1, 0); },
       "acceleration_from_impulse: delta_time must be positive and finite, is 0"},
      {[&] { force_from_impulse(J, -1); }, "force_from_impulse: delta_time must be positive and finite, is -1"},
      {[&] {
         torque_from_impulse(J, {1, 0, 0}, kNan);
       },
       "torque_from_impulse: delta_time must be positive and finite, is nan"},
      {[&] {
         delta_angular_velocity_from_impulse(J, {1, 0, 0}, {0, 1, 1});
       },
       "delta_angular_velocity_from_impulse: I1 must have positive moments, is (0, 1, 1)"},
      {[&] {
         angular_acceleration_from_impulse(J, {1, 0, 0}, {1, 1, 1}, kInf);
       },
       "angular_acceleration_from_impulse: delta_time must be positive and finite, is inf"},
      {[&] {
         acceleration_by_force({1, 2, 3}, -1);
       },
       "acceleration_by_force: mass must be positive, is -1"},
      {[&] {
         angular_acceleration_by_torque({1, 2, 3}, {1, kNan, 1});
       },
       "angular_acceleration_by_torque: I1 must have positive moments, is (1, nan, 1)"},
      {[&] {
         velocity_after_contact_with_wall({1, 2, 3}, {0, 0, 0}, Real(0.5));
       },
       "velocity_after_contact_with_wall: normal must be finite and unequal to zero, is (0, 0, 0)"},
      {[&] {
         velocity_after_contact_with_wall({1, 2, 3}, {1, 1, 1}, {1, 1, 1}, Real(0.5));
       },
       "velocity_after_contact_with_wall: contact_position - center_position must be finite and unequal to zero, is "
       "(0, 0, 0)"},
      {[&] {
         velocity_after_contact_with_wall({1, 2, 3}, {1, 0, 0}, 2);
       },
       "velocity_after_contact_with_wall: e must be in [0, 1], is 2"},
      {[&] {
         ImpulseSpread(J, {0, 0, 0}, 0, ImpulseProfile::kHertz);
       },
       "ImpulseSpread: duration must be positive and finite, is 0"},
      {[&] {
         ImpulseSpread(J, {0, 0, 0}, 1, ImpulseProfile::kHertz).step(0);
       },
       "ImpulseSpread.step: delta_time must be positive and finite, is 0"},
      {[&] { force_at(J, -1, ImpulseProfile::kHertz, 0); }, "force_at: duration must be positive and finite, is -1"},
  };
  for (const auto& [call, expected] : table) EXPECT_EQ(error_of(call), expected);
}

}  // namespace
}  // namespace carom
