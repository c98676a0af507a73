// Misuse of what ties joints and bodies together or drives them, as bad_input_test.cpp has it.
#include "tests/model/misuse.h"

namespace carom {
namespace {

// A case is one or two lines.
// clang-format off
std::vector<Misuse> constraint_cases() {
  return {
      {"connect_to_itself", [](auto& b) { b.add_equality_constraint_connect(5, 5, {}, {.key = "new"}); },
       {"equality constraint 0 'new'", "body 5 to itself", "name two bodies"}},
      {"connect_unknown_body", [](auto& b) { b.add_equality_constraint_connect(5, 50, {}, {.key = "new"}); },
       {"equality constraint 0 'new'", "body 50 does not exist", "use -1 for the world"}},
      {"weld_anchor_nan", [](auto& b) { b.add_equality_constraint_weld(5, 4, {kNan, 0, 0}, 1, {}, {.key = "new"}); },
       {"equality constraint 0 'new'", "anchor", "give finite numbers"}},
      {"weld_axes_not_unit", [](auto& b) { b.add_equality_constraint_weld(5, 4, {}, 1, {}, {.key = "new"}, {0, 0, 0, 2}); },
       {"equality constraint 0 'new'", "axes", "normalise it"}},
      {"weld_pose_not_unit", [](auto& b) { b.add_equality_constraint_weld(5, 4, {}, 1, {{}, {0, 0, 0, 0}}, {.key = "new"}); },
       {"equality constraint 0 'new'", "relpose", "normalise it"}},
      {"couple_unknown_joint", [](auto& b) { b.add_equality_constraint_joint(2, 20, {}, {.key = "new"}); },
       {"equality constraint 0 'new'", "joint 20 does not exist", "there are 4"}},
      {"couple_foreign_joint", [](auto& b) { b.add_equality_constraint_joint(2, 0, {}, {.key = "new"}); },
       {"equality constraint 0 'new'", "joint 0 'hinge'", "world 0", "only joints of one world"}},
      {"couple_free_joint", [](auto& b) { b.add_equality_constraint_joint(2, 3, {}, {.key = "new"}); },
       {"equality constraint 0 'new'", "joint 3 is a free joint", "name a prismatic"}},
      {"couple_unknown_axis", [](auto& b) { b.add_equality_constraint_joint(2, -1, {}, {.key = "new"}, 1); },
       {"equality constraint 0 'new'", "axis 1 does not exist", "joint 2 'rail' has 1"}},
      {"couple_to_itself", [](auto& b) { b.add_equality_constraint_joint(2, 2, {}, {.key = "new"}); },
       {"equality constraint 0 'new'", "joint 2 to itself", "name two joints"}},
      {"couple_unknown_tendon", [](auto& b) { b.add_equality_constraint_tendon(0, -1, {}, {.key = "new"}); },
       {"equality constraint 0 'new'", "tendon 0 does not exist", "there are 0 tendons"}},
      {"equality_solref_nan",
       [](auto& b) { b.add_equality_constraint_joint(2, -1, {}, {.key = "new", .solref = {kNan, 1}}); },
       {"equality constraint 0 'new'", "solref[0]", "give finite numbers"}},
      {"pull_unknown_tendon", [](auto& b) { b.add_actuator_tendon(0, {}, "new"); },
       {"actuator 0 'new'", "tendon 0 does not exist", "there are 0 tendons"}},
      {"couple_nan", [](auto& b) { b.add_equality_constraint_joint(2, -1, {kNan, 0, 0, 0, 0}, {.key = "new"}); },
       {"equality constraint 0 'new'", "polycoef", "give a finite number"}},
  };
}

std::vector<Misuse> tendon_cases() {
  const auto tendon = [](const std::function<void(TendonConfig&)>& change) {
    return [=](ModelBuilder& b) {
      TendonConfig cfg;
      change(cfg);
      b.add_tendon_fixed({{.joint = 2, .coef = 1}}, cfg, "new");
    };
  };
  const auto over = [](const std::vector<TendonJoint>& joints) {
    return [=](ModelBuilder& b) { b.add_tendon_fixed(joints, {}, "new"); };
  };
  return {
      {"tendon_empty", over({}), {"tendon 0 'new'", "no joints", "list the joints"}},
      {"tendon_unknown_joint", over({{2, 1}, {20, 1}}), {"tendon 0 'new'", "joint 20 does not exist", "there are 4"}},
      {"tendon_foreign_joint", over({{0, 1}}), {"tendon 0 'new'", "joint 0 'hinge'", "world 0", "of one world"}},
      {"tendon_free_joint", over({{3, 1}}), {"tendon 0 'new'", "joint 3 is a free joint", "name a prismatic"}},
      {"tendon_unknown_axis", over({{2, 1, 1}}), {"tendon 0 'new'", "axis 1 does not exist", "joint 2 'rail' has 1"}},
      {"tendon_twice", over({{2, 1}, {2, 3}}), {"tendon 0 'new'", "axis 0 of joint 2 'rail'", "add the coefficients"}},
      {"tendon_coef_nan", over({{2, kNan}}), {"tendon 0 'new'", "coef", "give a finite number"}},
      {"tendon_limits_swapped", tendon([](auto& t) { t.limit_lower = 1, t.limit_upper = -1; }),
       {"tendon 0 'new'", "limit_lower 1", "limit_upper -1", "swap them"}},
      {"tendon_limit_infinite", tendon([](auto& t) { t.limit_upper = kInfinity; }),
       {"tendon 0 'new'", "limit_upper", "give a finite number"}},
      {"tendon_margin", tendon([](auto& t) { t.limit_margin = kNan; }), {"tendon 0 'new'", "limit_margin", "finite"}},
      {"tendon_armature", tendon([](auto& t) { t.armature = -1; }), {"tendon 0 'new'", "armature must not be"}},
      {"tendon_solref_nan", tendon([](auto& t) { t.limit_solref[0] = kNan; }),
       {"tendon 0 'new'", "limit_solref[0]", "give finite numbers"}},
      {"tendon_solimp_nan", tendon([](auto& t) { t.limit_solimp[2] = kNan; }),
       {"tendon 0 'new'", "limit_solimp[2]", "give finite numbers"}},
      {"tendon_stiffness", tendon([](auto& t) { t.stiffness = -1; }), {"tendon 0 'new'", "stiffness must not be"}},
      {"tendon_damping", tendon([](auto& t) { t.damping = kNan; }), {"tendon 0 'new'", "damping", "finite number"}},
      {"tendon_spring_swapped", tendon([](auto& t) { t.spring_lower = 1; }),
       {"tendon 0 'new'", "spring_lower 1", "spring_upper 0", "swap them"}},
      {"tendon_key_twice", [](auto& b) { b.add_tendon_fixed({{2, 1}}, {}, "string"); },
       {"tendon key 'string'", "world 1", "choose another key"},
       [](auto& b) { b.add_tendon_fixed({{2, 1}}, {}, "string"); }},
  };
}

std::vector<Misuse> actuator_cases() {
  const auto actuator = [](const std::function<void(ActuatorConfig&)>& change) {
    return [=](ModelBuilder& b) {
      ActuatorConfig cfg;
      change(cfg);
      b.add_actuator(2, cfg, "new");
    };
  };
  const auto on = [](int joint) { return [=](ModelBuilder& b) { b.add_actuator(joint, {}, "new"); }; };
  return {
      {"actuator_unknown_joint", on(-1), {"actuator 0 'new'", "joint -1 does not exist", "there are 4"}},
      {"actuator_foreign_joint", on(1), {"actuator 0 'new'", "joint 1 'elbow'", "world 0", "of one world"}},
      {"actuator_free_joint", on(3), {"actuator 0 'new'", "joint 3 is a free joint", "give the wrench"}},
      {"actuator_ball_joint", on(4), {"actuator 0 'new'", "joint 4 is a ball joint", "give the wrench"},
       [](auto& b) { b.add_joint_ball(3, 5); }},
      {"actuator_fixed_joint", on(4), {"actuator 0 'new'", "joint 4 is a fixed joint", "name a prismatic"},
       [](auto& b) { b.add_joint_fixed(3, 5); }},
      {"actuator_unknown_axis", actuator([](auto& a) { a.axis = -1; }),
       {"actuator 0 'new'", "axis -1 does not exist", "joint 2 'rail' has 1"}},
      {"actuator_gear_nan", actuator([](auto& a) { a.gear = kNan; }),
       {"actuator 0 'new'", "gear", "give a finite number"}},
      {"actuator_gain_nan", actuator([](auto& a) { a.gain = kNan; }),
       {"actuator 0 'new'", "gain", "give a finite number"}},
      {"actuator_bias_infinite", actuator([](auto& a) { a.bias[1] = kInfinity; }),
       {"actuator 0 'new'", "bias[1]", "give finite numbers"}},
      {"actuator_ctrl_swapped", actuator([](auto& a) { a.ctrl_lower = 1, a.ctrl_upper = -1; }),
       {"actuator 0 'new'", "ctrl_lower 1", "ctrl_upper -1", "swap them"}},
      {"actuator_inputs_of_a_motor", actuator([](auto& a) { a.inputs = kInputVelocity; }),
       {"actuator 0 'new'", "its law is affine, which has one"}},
      {"actuator_pid_with_bounds", actuator([](auto& a) { a.law = ActuatorLaw::kPid, a.ctrl_upper = 1; }),
       {"actuator 0 'new'", "input_lower and input_upper"}},
      {"actuator_pid_without_position",
       actuator([](auto& a) { a.law = ActuatorLaw::kPid, a.inputs = kInputVelocity, a.controller.ki = 1; }),
       {"actuator 0 'new'", "need the input"}},
      {"actuator_dc_motor_without_resistance",
       actuator([](auto& a) { a.law = ActuatorLaw::kDcMotor, a.motor.resistance = 0; }),
       {"actuator 0 'new'", "resistance must be positive"}},
      {"actuator_orientation_of_an_axis", actuator([](auto& a) { a.law = ActuatorLaw::kOrientation; }),
       {"actuator 0 'new'", "turns a ball joint"}},
      {"actuator_delay_without_samples", actuator([](auto& a) { a.delay = 1; }),
       {"actuator 0 'new'", "delay_samples is 0"}},
      {"actuator_force_nan", actuator([](auto& a) { a.force_upper = kNan; }),
       {"actuator 0 'new'", "force_upper", "give a finite number"}},
      {"actuator_key_twice", [](auto& b) { b.add_actuator(2, {}, "motor"); },
       {"actuator key 'motor'", "world 1", "choose another key"},
       [](auto& b) { b.add_actuator(2, {}, "motor"); }},
  };
}
// clang-format on

class BadConstraints : public testing::TestWithParam<Misuse> {};

// Proves it for every case.
TEST_P(BadConstraints, ThrowsAndLeavesTheBuilderAsItWas) { expect_error(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Constraints, BadConstraints, testing::ValuesIn(constraint_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Tendons, BadConstraints, testing::ValuesIn(tendon_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Actuators, BadConstraints, testing::ValuesIn(actuator_cases()), case_name);

}  // namespace
}  // namespace carom
