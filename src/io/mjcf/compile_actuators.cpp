// Actuators: what they drive, the widths of their inputs and outputs, ranges taken from joints.
#include <algorithm>
#include <cmath>

#include "io/mjcf/compile.h"
#include "io/mjcf/mujoco_enums.h"

namespace carom::inline CAROM_PRECISION {

namespace {

std::array<int, 2> driven(const Compiling& c, const ActuatorSpec& a) {
  const char* element = a.shortcut.c_str();
  switch (a.transmission) {
    case mj::kTrnJoint:
    case mj::kTrnJointInParent: return {find_name(c.joints, a.target, a.place, element, "joint"), -1};
    case mj::kTrnTendon: return {find_name(c.tendons, a.target, a.place, element, "tendon"), -1};
    case mj::kTrnBody: return {find_name(c.bodies, a.target, a.place, element, "body"), -1};
    case mj::kTrnSliderCrank:
      return {find_name(c.sites, a.target, a.place, element, "site"),
              find_name(c.sites, a.other, a.place, element, "site")};
    default:
      return {find_name(c.sites, a.target, a.place, element, "site"),
              a.other.empty() ? -1 : find_name(c.sites, a.other, a.place, element, "site")};
  }
}

// The range of the joint or tendon, wider or narrower about its middle.
Doubles2 inherited_range(const Compiling& c, const ActuatorSpec& a, int target) {
  const bool tendon = a.transmission == mj::kTrnTendon;
  const bool joint = a.transmission == mj::kTrnJoint || a.transmission == mj::kTrnJointInParent;
  if (!tendon && !joint) fail_compile(a.place, a.shortcut.c_str(), "inheritrange is for joints and tendons");
  const Doubles2 range = doubles<2>(tendon ? c.out.tendon_range : c.out.jnt_range, target);
  if (!(range[0] < range[1])) fail_compile(a.place, a.shortcut.c_str(), "inheritrange: the target has no range");
  const double middle = (range[0] + range[1]) / 2, half = (range[1] - range[0]) / 2 * a.inherit_range;
  return {middle - half, middle + half};
}

int activation_count(const ActuatorSpec& a) {
  if (a.actdim >= 0) return a.actdim;
  return a.dynamics == mj::kDynNone ? 0 : 1;
}

void inherit_ranges(const Compiling& c, ActuatorSpec& a, int target) {
  if (a.inherit_range <= 0) return;
  Doubles2& range = a.dynamics == mj::kDynIntegrator ? a.act_range : a.ctrl_range;
  if (range[0] != 0 || range[1] != 0) fail_compile(a.place, a.shortcut.c_str(), "inheritrange and a range are given");
  range = inherited_range(c, a, target);
}

void check_actuator(const ActuatorSpec& a) {
  const char* element = a.shortcut.c_str();
  constexpr int kMostDynamics = mj::kDynMuscle;
  if (a.dynamics > kMostDynamics || a.gain > mj::kGainMuscle || a.bias > mj::kBiasMuscle)
    fail_compile(a.place, element, "this type of dynamics, gain or bias is not supported yet");
  const bool is_site = a.transmission >= mj::kTrnSite || a.transmission == mj::kTrnSliderCrank;
  if (a.armature != 0 && is_site) fail_compile(a.place, element, "armature is for joints and tendons");
  if (a.dynamics == mj::kDynNone && (a.act_limited == 1 || a.act_range[0] != 0 || a.act_range[1] != 0))
    fail_compile(a.place, element, "actrange is given, but there is no activation");
  if (a.gain == mj::kGainMuscle && a.length_range[0] >= a.length_range[1])
    fail_compile(a.place, element, "muscles without a lengthrange are not supported yet");
}

void add_actuator(Compiling& c, ActuatorSpec a) {
  CompiledMjcf& m = c.out;
  const char* element = a.shortcut.c_str();
  check_actuator(a);
  if (a.samples > 0) c.budget.count_numbers(a.samples, at_place(a.place, element, "nsample"));
  const std::array<int, 2> targets = driven(c, a);
  inherit_ranges(c, a, targets[0]);
  const int id = static_cast<int>(m.actuator_trntype.size());
  m.name_actuator.push_back(a.name);
  m.actuator_trntype.push_back(a.transmission);
  m.actuator_dyntype.push_back(a.dynamics);
  m.actuator_gaintype.push_back(a.gain);
  m.actuator_biastype.push_back(a.bias);
  append(m.actuator_trnid, targets);
  m.actuator_group.push_back(a.group);
  m.actuator_actnum.push_back(activation_count(a));
  m.actuator_ctrladr.push_back(id);
  m.actuator_ctrlnum.push_back(1);
  m.actuator_ctrlspec.push_back(a.input);
  m.actuator_outadr.push_back(id);
  append(m.actuator_history, std::array<int, 2>{a.samples, a.interpolation});
  m.actuator_forcelimited.push_back(is_limited(c, a.force_limited, a.force_range, a.place, element, "forcerange"));
  m.actuator_actlimited.push_back(is_limited(c, a.act_limited, a.act_range, a.place, element, "actrange"));
  m.actuator_ctrllimited.push_back(is_limited(c, a.ctrl_limited, a.ctrl_range, a.place, element, "ctrlrange"));
  m.actuator_actearly.push_back(a.act_early);
  append(m.actuator_dynprm, a.dynprm);
  append(m.actuator_gainprm, a.gainprm);
  append(m.actuator_biasprm, a.biasprm);
  append(m.actuator_ctrlrange, a.ctrl_range);
  append(m.actuator_forcerange, a.force_range);
  append(m.actuator_actrange, a.act_range);
  m.actuator_cranklength.push_back(a.crank_length);
  m.actuator_armature.push_back(a.armature);
  m.actuator_damping.push_back(a.damping[0]);
  append(m.actuator_dampingpoly, Doubles2{a.damping[1], a.damping[2]});
  m.actuator_delay.push_back(a.delay);
  append(m.actuator_gear, a.gear);
  m.actuator_acc0.push_back(0);
  append(m.actuator_lengthrange, a.length_range);
}

}  // namespace

void compile_actuators(Compiling& c) {
  NameIndex names;
  int id = 0;
  for (const ActuatorSpec& actuator : c.spec.actuators) {
    add_name(names, actuator.name, id++, actuator.place, actuator.shortcut.c_str());
    add_actuator(c, actuator);
  }
}

}  // namespace carom::inline CAROM_PRECISION
