// Actuators: what they drive, how many inputs, states and outputs they have, ranges taken from joints.
#include <algorithm>
#include <bit>
#include <initializer_list>
#include <vector>

#include "io/mjcf/compile.h"
#include "io/mjcf/mujoco_enums.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// A ball joint, or a site against another one.
void check_ends_of_orientation(const Compiling& c, const ActuatorSpec& a) {
  const char* element = a.shortcut.c_str();
  if (a.transmission == mj::kTrnJoint) {
    if (at(c.out.jnt_type, find_name(c.joints, a.target, a.place, element, "joint")) != mj::kBall)
      fail_compile(a.place, element, "so3 turns ball joints, and '", a.target, "' is none");
  } else if (a.transmission != mj::kTrnSite || a.other.empty()) {
    fail_compile(a.place, element, "so3 drives a ball joint, or a site with a refsite");
  }
}

std::array<int, 2> driven(const Compiling& c, const ActuatorSpec& a) {
  const char* element = a.shortcut.c_str();
  if (a.gain == mj::kGainSo3) check_ends_of_orientation(c, a);
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
  const int type = joint ? at(c.out.jnt_type, target) : mj::kHinge;
  if (type != mj::kSlide && type != mj::kHinge)
    fail_compile(a.place, a.shortcut.c_str(), "inheritrange is for slides and hinges");
  const Doubles2 range = doubles<2>(tendon ? c.out.tendon_range : c.out.jnt_range, target);
  if (!(range[0] < range[1])) fail_compile(a.place, a.shortcut.c_str(), "inheritrange: the target has no range");
  const double middle = (range[0] + range[1]) / 2, half = (range[1] - range[0]) / 2 * a.inherit_range;
  return {middle - half, middle + half};
}

bool is_position_servo(const ActuatorSpec& a) {
  if (a.gain == mj::kGainPid) return (inputs_of(a) & mj::kInputPosition) != 0;
  return a.gain == mj::kGainFixed && a.bias == mj::kBiasAffine && a.gainprm[0] == -a.biasprm[1];
}

void inherit_ranges(const Compiling& c, ActuatorSpec& a, int target) {
  if (a.inherit_range <= 0 || !is_position_servo(a)) return;
  (a.dynamics == mj::kDynIntegrator ? a.act_range : a.ctrl_range) = inherited_range(c, a, target);
}

// -- What cannot be

void check_orientation(const ActuatorSpec& a, const char* element) {
  if (a.gain != mj::kGainSo3 || a.bias != mj::kBiasSo3)
    fail_compile(a.place, element, "gaintype and biastype are both so3, or none is");
  if (a.dynamics != mj::kDynNone && a.dynamics != mj::kDynIntegrator)
    fail_compile(a.place, element, "so3 has the dynamics none or integrator");
  if (inputs_of(a) > mj::kCtrlQuaternion) fail_compile(a.place, element, "the input of so3 is expmap or quat");
  if (inputs_of(a) == mj::kCtrlQuaternion && a.dynamics != mj::kDynNone)
    fail_compile(a.place, element, "the input quat has no dynamics");
  if (a.gainprm[0] != -a.biasprm[1]) fail_compile(a.place, element, "so3: gainprm[0] must be -biasprm[1]");
  if (a.force_range[0] != 0) fail_compile(a.place, element, "forcerange of so3 bounds a norm, and begins at 0");
}

void check_pid(const ActuatorSpec& a, const char* element) {
  if (a.gain != mj::kGainPid) fail_compile(a.place, element, "dyntype pid needs gaintype pid");
  if (a.bias != mj::kBiasAffine) fail_compile(a.place, element, "pid needs biastype affine");
  if (a.dynamics != mj::kDynNone && a.dynamics != mj::kDynPid)
    fail_compile(a.place, element, "pid has the dynamics none or pid");
  constexpr int kAll = mj::kInputPosition | mj::kInputVelocity | mj::kInputForce;
  if ((inputs_of(a) & ~kAll) != 0) fail_compile(a.place, element, "the inputs of pid are out of pos, vel, ff");
  if (a.dynamics != mj::kDynPid && a.gainprm[0] != 0) fail_compile(a.place, element, "ki needs dyntype pid");
  if (a.dynamics == mj::kDynPid && !(inputs_of(a) & mj::kInputPosition))
    fail_compile(a.place, element, "ki and slewmax need the input pos");
  if (a.dynamics == mj::kDynPid && a.dynprm[0] < 0) fail_compile(a.place, element, "imax is negative");
}

void check_dc_motor(const ActuatorSpec& a, const char* element) {
  if (a.gain != mj::kGainDcMotor || a.bias != mj::kBiasDcMotor || a.dynamics != mj::kDynDcMotor)
    fail_compile(a.place, element, "dcmotor is meant of dynamics, gain and bias alike");
  if (!a.act_early) fail_compile(a.place, element, "actearly cannot be false of a dcmotor");
  constexpr int kSetpoints = mj::kInputPosition | mj::kInputVelocity | mj::kInputForce;
  const int inputs = inputs_of(a);
  if (inputs & mj::kInputPressure)
    fail_compile(a.place, element, "the inputs of dcmotor are out of pos, vel, ff, voltage");
  const bool has_gains = a.gainprm[4] != 0 || a.gainprm[5] != 0 || a.gainprm[6] != 0;
  if ((has_gains || a.dynprm[7] > 0) && !(inputs & kSetpoints))
    fail_compile(a.place, element, "the controller of a dcmotor needs an input pos, vel or ff");
  if (a.gainprm[5] > 0 && !(inputs & mj::kInputPosition))
    fail_compile(a.place, element, "ki of a dcmotor needs the input pos");
}

void check_muscle(const ActuatorSpec& a, const char* element) {
  for (const std::array<double, 10>* numbers : {&a.gainprm, &a.biasprm}) {
    if (!(numbers == &a.gainprm ? a.gain == mj::kGainMuscle : a.bias == mj::kBiasMuscle)) continue;
    if (!((*numbers)[0] < (*numbers)[1])) fail_compile(a.place, element, "range of a muscle does not rise");
    if (!((*numbers)[4] < 1 && 1 < (*numbers)[5])) fail_compile(a.place, element, "a muscle needs lmin < 1 < lmax");
  }
}

// One actuator more is pulled at, in both directions: is that few enough steps?
void check_steps(const Compiling& c, const ActuatorSpec& a) {
  const MjcfLengthSearch& how = c.spec.compiler.length_range.search;
  const double step = how.timestep > 0 ? how.timestep : c.spec.option.timestep;
  if (!(step > 0)) fail_compile(a.place, a.shortcut.c_str(), "its lengths want a simulation, whose timestep is ", step);
  const auto worlds = 2 * static_cast<double>(c.looked_for.size() + 1);
  const auto rows = static_cast<double>(c.out.body_parentid.size() + c.out.dof_armature.size());
  if (!(how.inttotal / step * worlds * rows <= static_cast<double>(c.spec.compiler.most_steps)))
    fail_compile(a.place, a.shortcut.c_str(), "the simulation that looks for its lengths, and those before it, take ",
                 "more than ", c.spec.compiler.most_steps, " steps of bodies and degrees of freedom (limits.steps); ",
                 "give lengthrange");
}

// Lengths are those of the file, or those that limits leave; others are looked for by a simulation, once the model is
// known.
void find_length_range(Compiling& c, ActuatorSpec& a, int target) {
  const LengthRangeSpec& how = c.spec.compiler.length_range;
  const bool muscle = a.gain == mj::kGainMuscle || a.bias == mj::kBiasMuscle;
  const bool has_some = a.length_range[0] < a.length_range[1];
  constexpr int kNone = 0, kAll = 3;
  if (how.mode != kNone && (muscle || how.mode == kAll) && !(how.use_existing && has_some)) {
    const bool joint = a.transmission == mj::kTrnJoint || a.transmission == mj::kTrnJointInParent;
    const bool tendon = a.transmission == mj::kTrnTendon;
    if (how.use_limit && joint && at(c.out.jnt_limited, target)) {
      a.length_range = doubles<2>(c.out.jnt_range, target);
      return;
    }
    if (how.use_limit && tendon && at(c.out.tendon_limited, target)) {
      a.length_range = doubles<2>(c.out.tendon_range, target);
      return;
    }
    check_steps(c, a);
    c.looked_for.push_back(static_cast<int>(c.out.actuator_trntype.size()));
    return;
  }
  if (muscle && !has_some)
    fail_compile(a.place, a.shortcut.c_str(), "a muscle needs its lengthrange, or a mode of <compiler><lengthrange/> ",
                 "that looks for it");
}

void check_types(const ActuatorSpec& a, const char* element) {
  if (a.dynamics > mj::kDynPid || a.gain > mj::kGainPid || a.bias > mj::kBiasSo3)
    fail_compile(a.place, element, "user-defined dynamics, gains and biases are not supported");
  if (a.gain == mj::kGainSo3 || a.bias == mj::kBiasSo3) return check_orientation(a, element);
  if (a.gain == mj::kGainPid || a.dynamics == mj::kDynPid) return check_pid(a, element);
  if (a.gain == mj::kGainDcMotor || a.bias == mj::kBiasDcMotor || a.dynamics == mj::kDynDcMotor)
    return check_dc_motor(a, element);
  if (a.gain == mj::kGainMuscle || a.bias == mj::kBiasMuscle) {
    if (a.input != 0) fail_compile(a.place, element, "muscles have no input to choose");
    return check_muscle(a, element);
  }
  if (a.input != 0 && a.input != mj::kInputPosition && a.input != mj::kInputVelocity && a.input != mj::kInputPressure)
    fail_compile(a.place, element, "one input, pos, vel or pressure, fits fixed and affine gains");
}

void check_actuator(const ActuatorSpec& a) {
  const char* element = a.shortcut.c_str();
  check_types(a, element);
  const bool is_site = a.transmission >= mj::kTrnSite || a.transmission == mj::kTrnSliderCrank;
  if (a.armature != 0 && is_site) fail_compile(a.place, element, "armature is for joints and tendons");
  if (is_site && a.damping != Doubles3{}) fail_compile(a.place, element, "damping is for joints and tendons");
  if (a.transmission == mj::kTrnSliderCrank && !(a.crank_length > 0))
    fail_compile(a.place, element, "cranklength must be positive");
  if (a.dynamics == mj::kDynNone && (a.act_limited == 1 || a.act_range[0] != 0 || a.act_range[1] != 0))
    fail_compile(a.place, element, "actrange is given, but there is no activation");
  const int states = activation_count(a);
  if (a.dynamics == mj::kDynPid && states == 0) fail_compile(a.place, element, "dyntype pid without ki and slewmax");
  if (a.actdim >= 0 && a.actdim != states)
    fail_compile(a.place, element, "actdim is ", a.actdim, ", but there are ", states, " activations");
  if (a.delay > 0 && a.samples <= 0) fail_compile(a.place, element, "delay needs a positive nsample");
}

// -- Rows

struct ControlRow {
  int limited;
  Doubles2 range;
};

// One for each bit of a pid controller; others have one range for all their inputs.
std::vector<ControlRow> controls_of(const Compiling& c, const ActuatorSpec& a) {
  const char* element = a.shortcut.c_str();
  const int inputs = inputs_of(a);
  const auto row = [&](int limited, const Doubles2& range, const char* attribute) {
    return ControlRow{is_limited(c, limited, range, a.place, element, attribute), range};
  };
  std::vector<ControlRow> controls;
  if (a.gain == mj::kGainPid) {
    if (inputs & mj::kInputPosition) controls.push_back(row(a.ctrl_limited, a.ctrl_range, "ctrlrange"));
    if (inputs & mj::kInputVelocity) controls.push_back(row(kMjcfAuto, a.velocity_range, "velrange"));
    if (inputs & mj::kInputForce) controls.push_back(row(kMjcfAuto, a.feedforward_range, "ffrange"));
    return controls;
  }
  const int count = control_count(a);
  if (count > 0) controls.assign(static_cast<std::size_t>(count), row(a.ctrl_limited, a.ctrl_range, "ctrlrange"));
  return controls;
}

bool wraps_around_geoms(const CompiledMjcf& m, int tendon) {
  const int count = at(m.tendon_num, tendon);
  const int* types = rows_from(m.wrap_type, at(m.tendon_adr, tendon), count);
  return std::any_of(types, types + count, [](int type) { return type >= mj::kWrapSphere; });
}

void add_controls_and_outputs(Compiling& c, const ActuatorSpec& a) {
  CompiledMjcf& m = c.out;
  const std::vector<ControlRow> controls = controls_of(c, a);
  m.actuator_ctrladr.push_back(static_cast<int>(m.actuator_ctrllimited.size()));
  m.actuator_ctrlnum.push_back(static_cast<int>(controls.size()));
  for (const ControlRow& control : controls) {
    m.actuator_ctrllimited.push_back(control.limited);
    append(m.actuator_ctrlrange, control.range);
  }
  m.actuator_outadr.push_back(static_cast<int>(m.actuator_acc0.size()));
  for (int output = 0; output < (a.gain == mj::kGainSo3 ? 3 : 1); ++output) {
    append(m.actuator_gear, a.gear);
    m.actuator_acc0.push_back(0);
    append(m.actuator_lengthrange, a.length_range);
  }
}

void add_actuator(Compiling& c, ActuatorSpec a) {
  CompiledMjcf& m = c.out;
  const char* element = a.shortcut.c_str();
  check_actuator(a);
  if (a.samples > 0) c.budget.count_numbers(a.samples, at_place(a.place, element, "nsample"));
  const std::array<int, 2> targets = driven(c, a);
  if (a.armature != 0 && a.transmission == mj::kTrnTendon && wraps_around_geoms(m, targets[0]))
    fail_compile(a.place, element, "a tendon that wraps around geoms has no armature");
  inherit_ranges(c, a, targets[0]);
  find_length_range(c, a, targets[0]);
  note_place(c, MjcfRows::kActuator, a.place, a.shortcut);
  m.name_actuator.push_back(a.name);
  m.actuator_trntype.push_back(a.gain == mj::kGainSo3 ? int(mj::kTrnSo3) : a.transmission);
  m.actuator_dyntype.push_back(a.dynamics);
  m.actuator_gaintype.push_back(a.gain);
  m.actuator_biastype.push_back(a.bias);
  append(m.actuator_trnid, targets);
  m.actuator_group.push_back(a.group);
  m.actuator_actnum.push_back(activation_count(a));
  m.actuator_ctrlspec.push_back(inputs_of(a));
  append(m.actuator_history, std::array<int, 2>{a.samples, a.interpolation});
  m.actuator_forcelimited.push_back(is_limited(c, a.force_limited, a.force_range, a.place, element, "forcerange"));
  m.actuator_actlimited.push_back(is_limited(c, a.act_limited, a.act_range, a.place, element, "actrange"));
  m.actuator_actearly.push_back(a.act_early);
  append(m.actuator_dynprm, a.dynprm);
  append(m.actuator_gainprm, a.gainprm);
  append(m.actuator_biasprm, a.biasprm);
  append(m.actuator_forcerange, a.force_range);
  append(m.actuator_actrange, a.act_range);
  m.actuator_cranklength.push_back(a.crank_length);
  m.actuator_armature.push_back(a.armature);
  m.actuator_damping.push_back(a.damping[0]);
  append(m.actuator_dampingpoly, Doubles2{a.damping[1], a.damping[2]});
  m.actuator_delay.push_back(a.delay);
  add_controls_and_outputs(c, a);
}

}  // namespace

int inputs_of(const ActuatorSpec& a) {
  if (a.input != 0) return a.input;
  if (a.gain == mj::kGainPid) return mj::kInputPosition | mj::kInputVelocity;
  if (a.gain == mj::kGainDcMotor) return mj::kInputVoltage;
  return a.gain == mj::kGainSo3 ? mj::kCtrlExponential : 0;
}

// States of a controller or motor are there if their numbers are positive; orientations have three.
int activation_count(const ActuatorSpec& a) {
  const auto count = [](std::initializer_list<double> numbers) {
    return static_cast<int>(std::count_if(numbers.begin(), numbers.end(), [](double number) { return number > 0; }));
  };
  if (a.gain == mj::kGainPid) return count({a.dynprm[1], a.gainprm[0]}) * (a.dynamics == mj::kDynPid);
  if (a.gain == mj::kGainDcMotor) return count({a.dynprm[7], a.gainprm[5], a.dynprm[2], a.dynprm[5], a.dynprm[0]});
  if (a.dynamics == mj::kDynNone) return 0;
  return a.gain == mj::kGainSo3 ? 3 : 1;
}

int control_count(const ActuatorSpec& a) {
  const int inputs = inputs_of(a);
  if (a.gain == mj::kGainSo3) return inputs == mj::kCtrlQuaternion ? 4 : 3;
  const bool has_setpoints = a.gain == mj::kGainPid || a.gain == mj::kGainDcMotor;
  return has_setpoints ? std::popcount(static_cast<unsigned>(inputs & ~mj::kInputNone)) : 1;
}

void compile_actuators(Compiling& c) {
  int id = 0;
  for (const ActuatorSpec& actuator : c.spec.actuators) {
    add_name(c.actuators, actuator.name, id++, actuator.place, actuator.shortcut.c_str());
    add_actuator(c, actuator);
  }
}

}  // namespace carom::inline CAROM_PRECISION
