// Actuators: what they drive, and how force follows from ctrl.
#include <algorithm>

#include "io/mjcf/mapping.h"
#include "io/mjcf/mujoco_enums.h"

namespace carom::inline CAROM_PRECISION {

namespace {

bool has_controller(const CompiledMjcf& m, int i) {
  return m.actuator_gaintype[i] == mj::kGainPid || m.actuator_gaintype[i] == mj::kGainDcMotor;
}

bool is_on(const Mapping& map, int i) {
  const int group = map.m.actuator_group[i];
  const bool switched_off = group >= 0 && group < 31 && (map.m.opt_disableactuator >> group & 1);
  return map.has.actuation && !switched_off;
}

void set_actuator_bounds(ActuatorConfig& cfg, const Mapping& map, int i) {
  const CompiledMjcf& m = map.m;
  const int ctrl = m.actuator_ctrladr[i];
  if (!has_controller(m, i) && map.has.clampctrl && at(m.actuator_ctrllimited, ctrl))
    set_range(cfg.ctrl_lower, cfg.ctrl_upper, m.actuator_ctrlrange, ctrl);
  if (m.actuator_forcelimited[i]) set_range(cfg.force_lower, cfg.force_upper, m.actuator_forcerange, i);
  if (m.actuator_actlimited[i]) set_range(cfg.act_lower, cfg.act_upper, m.actuator_actrange, i);
}

void set_delay(ActuatorConfig& cfg, const CompiledMjcf& m, int i) {
  const int* history = row(m.actuator_history, i, 2);
  if (m.actuator_delay[i] == 0 || history[0] == 0) return;  // MuJoCo keeps the controls, and nobody reads them
  if (history[1] < 0 || history[1] > 2)
    fail("actuator ", i, " of a compiled model has the unknown interpolation ", history[1]);
  cfg.delay = Real(m.actuator_delay[i]);
  cfg.delay_samples = history[0];
  cfg.interpolation = static_cast<Interpolation>(history[1]);
}

// Operating range, length range, peak force, and the curves.
RealN<10> muscle(const CompiledMjcf& m, int i) {
  const double* gain = row(m.actuator_gainprm, i, 10);
  const int out = m.actuator_outadr[i];
  const RealN<2> lengths = reals<2>(m.actuator_lengthrange, out);
  const double peak = gain[2] >= 0 ? gain[2] : gain[3] / std::max(at(m.actuator_acc0, out), 1e-15);
  return {Real(gain[0]), Real(gain[1]), lengths[0],    lengths[1],    Real(peak),
          Real(gain[4]), Real(gain[5]), Real(gain[6]), Real(gain[7]), Real(gain[8])};
}

void set_law(ActuatorConfig& cfg, const CompiledMjcf& m, int i) {
  const int dynamics = m.actuator_dyntype[i];
  const double* gain = row(m.actuator_gainprm, i, 10);
  const double* bias = row(m.actuator_biasprm, i, 10);
  const double* time = row(m.actuator_dynprm, i, 10);
  cfg.dynamics = parse_actuator_dynamics(mj::name_of(mj::kDynamicsNames, dynamics));
  cfg.act_early = m.actuator_actearly[i] != 0;
  if (dynamics != mj::kDynNone && dynamics != mj::kDynIntegrator)
    cfg.time = {Real(time[0]), Real(time[1]), Real(time[2])};
  if (m.actuator_gaintype[i] == mj::kGainMuscle) {
    cfg.law = ActuatorLaw::kMuscle;
    cfg.muscle = muscle(m, i);
    return;
  }
  cfg.gain = Real(gain[0]);
  if (m.actuator_gaintype[i] == mj::kGainAffine) cfg.gain_slope = {Real(gain[1]), Real(gain[2])};
  if (m.actuator_biastype[i] == mj::kBiasAffine) cfg.bias = {Real(bias[0]), Real(bias[1]), Real(bias[2])};
}

DcMotorConfig dc_motor(const double* gain, const double* bias, const double* dynamics) {
  return {.resistance = Real(gain[0]),
          .constant = Real(gain[1]),
          .voltage_max = Real(gain[7]),
          .current_time = Real(dynamics[0]),
          .current_rate_max = Real(dynamics[1]),
          .heat_resistance = Real(dynamics[2]),
          .heat_capacity = dynamics[3] != 0 ? Real(dynamics[3]) : 1,
          .heat_coefficient = Real(gain[2]),
          .heat_reference = Real(gain[3]),
          .heat_ambient = Real(dynamics[4]),
          .cogging = Real(bias[0]),
          .cogging_poles = Real(bias[1]),
          .cogging_phase = Real(bias[2]),
          .bristle_stiffness = Real(dynamics[5]),
          .bristle_damping = Real(dynamics[6]),
          .bristle_coulomb = Real(bias[3]),
          .bristle_static = Real(bias[4]),
          .bristle_speed = bias[5] != 0 ? Real(bias[5]) : 1};
}

// Of a pid controller or a DC motor: bits of actuator_ctrlspec are those of ActuatorInput.
void set_controller(ActuatorConfig& cfg, const Mapping& map, int i) {
  const CompiledMjcf& m = map.m;
  const double* gain = row(m.actuator_gainprm, i, 10);
  const double* bias = row(m.actuator_biasprm, i, 10);
  const double* dynamics = row(m.actuator_dynprm, i, 10);
  ControllerConfig& controller = cfg.controller;
  cfg.inputs = m.actuator_ctrlspec[i] & (kInputPosition | kInputVelocity | kInputForce | kInputVoltage);
  for (int k = 0, ctrl = m.actuator_ctrladr[i]; k < kActuatorInputs; ++k) {
    if (!(cfg.inputs >> k & 1)) continue;
    if (!is_on(map, i)) controller.input_lower[k] = controller.input_upper[k] = 0;
    else if (map.has.clampctrl && at(m.actuator_ctrllimited, ctrl))
      set_range(controller.input_lower[k], controller.input_upper[k], m.actuator_ctrlrange, ctrl);
    ++ctrl;
  }
  if (m.actuator_gaintype[i] == mj::kGainPid) {
    cfg.law = ActuatorLaw::kPid;
    controller.kp = Real(-bias[1]), controller.kv = Real(-bias[2]), controller.ki = Real(gain[0]);
    controller.integral_max = Real(dynamics[0]), controller.slew_max = Real(dynamics[1]);
    return;
  }
  cfg.law = ActuatorLaw::kDcMotor;
  controller.kp = Real(gain[4]), controller.kv = Real(gain[6]), controller.ki = Real(gain[5]);
  controller.integral_max = Real(dynamics[8]), controller.slew_max = Real(dynamics[7]);
  cfg.motor = dc_motor(gain, bias, dynamics);
}

// It turns a ball joint, or a site against another one.
void add_orientation(Mapping& map, int i, ActuatorConfig cfg, const std::string& key) {
  const CompiledMjcf& m = map.m;
  const int *ends = row(m.actuator_trnid, i, 2), target = ends[0], reference = ends[1];
  const double *gain = row(m.actuator_gainprm, i, 10), *bias = row(m.actuator_biasprm, i, 10);
  cfg.law = ActuatorLaw::kOrientation;
  cfg.force_lower = -kUnlimited;  // the range bounds the size of the moment
  cfg.act_early = m.actuator_actearly[i] != 0;
  cfg.gain = Real(gain[0]);
  cfg.bias = {Real(bias[0]), 0, Real(bias[2])};
  if (m.actuator_ctrlspec[i] == mj::kCtrlQuaternion) cfg.inputs = kInputQuaternion;
  if (m.actuator_dyntype[i] == mj::kDynIntegrator) cfg.dynamics = ActuatorDynamics::kIntegrator;
  if (!is_on(map, i)) {
    cfg.gain = 0, cfg.bias = {};
    if (cfg.inputs != kInputQuaternion) cfg.ctrl_lower = cfg.ctrl_upper = 0;  // the activation stays
  }
  if (reference >= 0) {
    map.builder.add_actuator_site(site_pose(m, target), site_pose(m, reference), cfg, key);
  } else {
    map.builder.add_actuator(at(map.turning_joint, target), cfg, key);
  }
}

// An axis of a joint, or a free or ball joint by a wrench.
void add_on_joint(Mapping& map, int i, ActuatorConfig cfg, const std::string& key) {
  const int target = *row(map.m.actuator_trnid, i, 2);
  const Vec3 linear = to_real(vec3(row(map.m.actuator_gear, map.m.actuator_outadr[i], 6)));
  const DofPlace place = *row(map.axis_of, target);
  if (place.joint >= 0) {
    cfg.axis = place.axis;
    cfg.gear *= linear.x;
    map.builder.add_actuator(place.joint, cfg, key);
    return;
  }
  const Vec3 angular = to_real(vec3(row(map.m.actuator_gear, map.m.actuator_outadr[i], 6) + 3));
  cfg.wrench = at(map.m.jnt_type, target) == mj::kFree ? SpatialVector{linear, angular} : SpatialVector{{}, linear};
  cfg.in_parent = map.m.actuator_trntype[i] == mj::kTrnJointInParent;
  map.builder.add_actuator(at(map.turning_joint, target), cfg, key);
}

void add_on_site(Mapping& map, int i, ActuatorConfig cfg, const std::string& key) {
  const CompiledMjcf& m = map.m;
  const int* ends = row(m.actuator_trnid, i, 2);
  const double* gear = row(m.actuator_gear, m.actuator_outadr[i], 6);
  cfg.wrench = {to_real(vec3(gear)), to_real(vec3(gear + 3))};
  std::optional<BodyPose> reference;
  if (ends[1] >= 0) reference = site_pose(m, ends[1]);
  map.builder.add_actuator_site(site_pose(m, ends[0]), reference, cfg, key);
}

void add_slider_crank(Mapping& map, int i, ActuatorConfig cfg, const std::string& key) {
  const CompiledMjcf& m = map.m;
  const int* ends = row(m.actuator_trnid, i, 2);
  cfg.gear *= Real(*row(m.actuator_gear, m.actuator_outadr[i], 6));
  const Real rod = real(m.actuator_cranklength, i);
  map.builder.add_actuator_slider_crank(site_pose(m, ends[0]), site_pose(m, ends[1]), rod, cfg, key);
}

void add_on_tendon(Mapping& map, int i, ActuatorConfig cfg, const std::string& key) {
  cfg.gear *= Real(*row(map.m.actuator_gear, map.m.actuator_outadr[i], 6));
  map.builder.add_actuator_tendon(*row(map.m.actuator_trnid, i, 2), cfg, key);
}

void add_actuator(Mapping& map, int i) {
  const CompiledMjcf& m = map.m;
  const std::string key = name_at(m.name_actuator, i);
  ActuatorConfig cfg;
  set_actuator_bounds(cfg, map, i);
  set_delay(cfg, m, i);
  if (m.actuator_gaintype[i] == mj::kGainSo3) return add_orientation(map, i, cfg, key);
  if (has_controller(m, i)) {
    set_controller(cfg, map, i);
    if (!is_on(map, i)) cfg.gear = 0;  // its inputs and states are there all the same, and stand still
  } else if (is_on(map, i)) {
    set_law(cfg, m, i);
  } else {
    cfg.gain = 0;
  }
  switch (m.actuator_trntype[i]) {
    case mj::kTrnTendon: return add_on_tendon(map, i, cfg, key);
    case mj::kTrnSite: return add_on_site(map, i, cfg, key);
    case mj::kTrnSliderCrank: return add_slider_crank(map, i, cfg, key);
    case mj::kTrnBody: map.builder.add_actuator_body(*row(m.actuator_trnid, i, 2) - 1, cfg, key); return;
    default: add_on_joint(map, i, cfg, key);
  }
}

}  // namespace

void add_actuators(Mapping& map) {
  for (int i = 0; i < static_cast<int>(map.m.actuator_trntype.size()); ++i) {
    map.now = {MjcfRows::kActuator, i};
    add_actuator(map, i);
  }
}

}  // namespace carom::inline CAROM_PRECISION
