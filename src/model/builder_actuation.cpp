// ModelBuilder: tendons and actuators.
#include "carom/builder.h"
#include "model/checks.h"
#include "model/entities.h"
#include "model/joints/joints.kernel.h"

namespace carom::inline CAROM_PRECISION {

void ModelBuilder::check_driven(int joint, int axis, const std::string& who) const {
  check_joint(joint, who);
  if (const std::string why = why_not_driven(data_, joint, axis); !why.empty()) fail(who, ": ", why);
}

// The row of a tendon, without what it runs over.
int ModelBuilder::append_tendon(const TendonConfig& cfg, const std::string& who, const std::string& key) {
  check_range(who, "limit_lower", cfg.limit_lower, "limit_upper", cfg.limit_upper);
  check_range(who, "spring_lower", cfg.spring_lower, "spring_upper", cfg.spring_upper);
  check_range(who, "effort_lower", cfg.effort_lower, "effort_upper", cfg.effort_upper);
  check_finite(who, "stiffness_poly", cfg.stiffness_poly);
  check_finite(who, "damping_poly", cfg.damping_poly);
  check_not_negative(who, "spring_yield", cfg.spring_yield);
  check_not_negative(who, "armature", cfg.armature);
  check_finite(who, "limit_margin", cfg.limit_margin);
  check_not_negative(who, "friction", cfg.friction);
  check_finite(who, "friction_solref", cfg.friction_solref);
  check_finite(who, "friction_solimp", cfg.friction_solimp);
  check_not_negative(who, "stiffness", cfg.stiffness);
  check_not_negative(who, "damping", cfg.damping);
  check_finite(who, "limit_solref", cfg.limit_solref);
  check_finite(who, "limit_solimp", cfg.limit_solimp);
  const int key_id = claim_key(Entity::kTendon, key);

  ModelColumns<Vector>& c = data_.columns;
  c.tendon_limit_lower.push_back(cfg.limit_lower);
  c.tendon_limit_upper.push_back(cfg.limit_upper);
  c.tendon_limit_margin.push_back(cfg.limit_margin);
  c.tendon_limit_solref.push_back(cfg.limit_solref);
  c.tendon_limit_solimp.push_back(cfg.limit_solimp);
  c.tendon_friction.push_back(cfg.friction);
  c.tendon_friction_solref.push_back(cfg.friction_solref);
  c.tendon_friction_solimp.push_back(cfg.friction_solimp);
  c.tendon_stiffness.push_back(cfg.stiffness);
  c.tendon_damping.push_back(cfg.damping);
  c.tendon_spring_lower.push_back(cfg.spring_lower);
  c.tendon_spring_upper.push_back(cfg.spring_upper);
  c.tendon_spring_yield.push_back(cfg.spring_yield);
  c.tendon_stiffness_poly.push_back(cfg.stiffness_poly);
  c.tendon_damping_poly.push_back(cfg.damping_poly);
  c.tendon_armature.push_back(cfg.armature);
  c.tendon_effort_lower.push_back(cfg.effort_lower);
  c.tendon_effort_upper.push_back(cfg.effort_upper);
  c.tendon_world.push_back(current_world_);
  c.tendon_key_id.push_back(key_id);
  return count(Entity::kTendon) - 1;
}

int ModelBuilder::add_tendon_fixed(std::span<const TendonJoint> joints, const TendonConfig& cfg,
                                   const std::string& key) {
  const std::string who = describe_new("tendon", count(Entity::kTendon), key);
  check_room(Entity::kTendonJoint, static_cast<std::int64_t>(joints.size()));
  if (joints.empty()) fail(who, ": has no joints; list the joints it runs over");
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const auto& [joint, coef, axis] = joints[i];
    check_driven(joint, axis, who);
    check_finite(who, "coef", coef);
    for (std::size_t j = 0; j < i; ++j)
      if (joints[j].joint == joint && joints[j].axis == axis)
        fail(who, ": runs twice over axis ", axis, " of ", describe(data_, Entity::kJoint, joint),
             "; add the coefficients up");
  }
  const int tendon = append_tendon(cfg, who, key);
  ModelColumns<Vector>& c = data_.columns;
  for (const auto& [joint, coef, axis] : joints) {
    c.tendon_joint_tendon.push_back(tendon);
    c.tendon_joint_joint.push_back(joint);
    c.tendon_joint_axis.push_back(axis);
    c.tendon_joint_coef.push_back(coef);
    c.tendon_joint_world.push_back(current_world_);
  }
  return tendon;
}

int ModelBuilder::add_tendon_spatial(std::span<const TendonPoint> points, const TendonConfig& cfg,
                                     const std::string& key) {
  const std::string who = describe_new("tendon", count(Entity::kTendon), key);
  check_room(Entity::kTendonPoint, static_cast<std::int64_t>(points.size()));
  std::vector<int> types;
  for (const TendonPoint& point : points) {
    types.push_back(static_cast<int>(point.type));
    check_body(point.body, who);
    check_body(point.side_body, who);
    check_transform(who, "xform", point.xform);
    check_finite(who, "side", point.side);
    check_not_negative(who, "radius", point.radius);
    check_positive(who, "divisor", point.divisor);
  }
  if (const std::string why = why_not_a_path(types); !why.empty()) fail(who, ": ", why);
  const int tendon = append_tendon(cfg, who, key);
  ModelColumns<Vector>& c = data_.columns;
  for (const TendonPoint& point : points) {
    c.tendon_point_tendon.push_back(tendon);
    c.tendon_point_type.push_back(static_cast<int>(point.type));
    c.tendon_point_body.push_back(point.body);
    c.tendon_point_xform.push_back(check_transform(who, "xform", point.xform));
    c.tendon_point_radius.push_back(point.radius);
    c.tendon_point_divisor.push_back(point.divisor);
    c.tendon_point_has_side.push_back(point.has_side);
    c.tendon_point_side_body.push_back(point.side_body);
    c.tendon_point_side.push_back(point.side);
    c.tendon_point_world.push_back(current_world_);
  }
  return tendon;
}

int ModelBuilder::add_actuator(int joint, const ActuatorConfig& cfg, const std::string& key) {
  const std::string who = describe_new("actuator", count(Entity::kActuator), key);
  check_joint(joint, who);
  const auto type = static_cast<JointType>(data_.columns.joint_type[joint]);
  if (!turns_at_once(type)) check_driven(joint, cfg.axis, who);
  else if (cfg.law != ActuatorLaw::kOrientation && cfg.wrench.linear == Vec3{} && cfg.wrench.angular == Vec3{})
    fail(who, ": ", describe(data_, Entity::kJoint, joint), " is a ", joint_type_name(type),
         " joint; give the wrench that it feels, or name a prismatic, revolute or d6 joint");
  return append_actuator(ActuatorTarget::kJoint, {.joint = joint}, cfg, key);
}

int ModelBuilder::add_actuator_tendon(int tendon, const ActuatorConfig& cfg, const std::string& key) {
  const std::string who = describe_new("actuator", count(Entity::kActuator), key);
  check_tendon(tendon, who);
  if (cfg.axis != 0) fail(who, ": has axis ", cfg.axis, ", but pulls a tendon, which has none; leave it 0");
  return append_actuator(ActuatorTarget::kTendon, {.tendon = tendon}, cfg, key);
}

int ModelBuilder::add_actuator_body(int body, const ActuatorConfig& cfg, const std::string& key) {
  const std::string who = describe_new("actuator", count(Entity::kActuator), key);
  if (body < 0) fail(who, ": pulls body ", body, ", which does not exist; name one that touches others");
  return append_actuator(ActuatorTarget::kBody, {.site = {body, {}}}, cfg, key);
}

int ModelBuilder::add_actuator_site(const BodyPose& site, const std::optional<BodyPose>& reference,
                                    const ActuatorConfig& cfg, const std::string& key) {
  return append_actuator(ActuatorTarget::kSite, {.site = site, .reference = reference}, cfg, key);
}

int ModelBuilder::add_actuator_slider_crank(const BodyPose& crank, const BodyPose& slider, Real rod,
                                            const ActuatorConfig& cfg, const std::string& key) {
  return append_actuator(ActuatorTarget::kSliderCrank, {.site = crank, .reference = slider, .rod = rod}, cfg, key);
}

namespace {

// That its numbers ask for.
int states_of(const ActuatorConfig& cfg) {
  if (!has_controller(static_cast<int>(cfg.law))) return 0;
  const auto bit = [](bool is_there, int state) { return is_there ? state : 0; };
  const int states = bit(cfg.controller.slew_max > 0, kStateSlew) | bit(cfg.controller.ki != 0, kStateIntegral);
  if (cfg.law == ActuatorLaw::kPid) return states;
  return states | bit(cfg.motor.heat_resistance > 0, kStateTemperature) |
         bit(cfg.motor.bristle_stiffness > 0, kStateBristle) | bit(cfg.motor.current_time > 0, kStateCurrent);
}

void check_controller(const std::string& who, const ActuatorConfig& cfg) {
  const ControllerConfig& c = cfg.controller;
  const DcMotorConfig& m = cfg.motor;
  for (const auto& [name, value] : {std::pair("kp", c.kp), {"kv", c.kv}, {"ki", c.ki}}) check_finite(who, name, value);
  check_not_negative(who, "integral_max", c.integral_max);
  check_not_negative(who, "slew_max", c.slew_max);
  check_positive(who, "resistance", m.resistance);
  check_positive(who, "constant", m.constant);
  check_positive(who, "heat_capacity", m.heat_capacity);
  check_positive(who, "bristle_speed", m.bristle_speed);
  for (const auto& [name, value] : {std::pair("voltage_max", m.voltage_max),
                                    {"current_time", m.current_time},
                                    {"current_rate_max", m.current_rate_max},
                                    {"heat_resistance", m.heat_resistance},
                                    {"bristle_stiffness", m.bristle_stiffness},
                                    {"bristle_damping", m.bristle_damping},
                                    {"bristle_coulomb", m.bristle_coulomb},
                                    {"bristle_static", m.bristle_static}})
    check_not_negative(who, name, value);
  for (const auto& [name, value] : {std::pair("heat_coefficient", m.heat_coefficient),
                                    {"heat_reference", m.heat_reference},
                                    {"heat_ambient", m.heat_ambient},
                                    {"cogging", m.cogging},
                                    {"cogging_poles", m.cogging_poles},
                                    {"cogging_phase", m.cogging_phase}})
    check_finite(who, name, value);
}

void check_orientation(const std::string& who, const ActuatorConfig& cfg) {
  if (cfg.inputs != kInputPosition && cfg.inputs != kInputQuaternion)
    fail(who, ": an orientation has one input, \"position\" or \"quaternion\"; it has \"",
         actuator_inputs_name(cfg.inputs), "\"");
  if (cfg.inputs == kInputQuaternion && (cfg.ctrl_lower > -kUnlimited || cfg.ctrl_upper < kUnlimited))
    fail(who, ": a quaternion has no bounds; leave ctrl_lower and ctrl_upper as they are");
  if (cfg.dynamics != ActuatorDynamics::kNone &&
      (cfg.dynamics != ActuatorDynamics::kIntegrator || cfg.inputs == kInputQuaternion))
    fail(who, ": an orientation has dynamics \"none\", or \"integrator\" with the input \"position\"");
  if (cfg.gear != 1) fail(who, ": an orientation has no gear; leave it 1");
  if (cfg.act_lower > -kUnlimited || cfg.act_upper < kUnlimited)
    fail(who, ": the activation of an orientation has no bounds; leave act_lower and act_upper as they are");
  if (cfg.force_lower > -kUnlimited || cfg.force_upper < 0)
    fail(who, ": force_upper bounds the size of its moment; leave force_lower as it is, and force_upper not negative");
}

void check_inputs(const std::string& who, const ActuatorConfig& cfg) {
  if (cfg.inputs < 0 || cfg.inputs >= 2 * kInputQuaternion) fail(who, ": input ", cfg.inputs, " does not exist");
  if (cfg.law == ActuatorLaw::kOrientation) return check_orientation(who, cfg);
  if (cfg.inputs & kInputQuaternion) fail(who, ": the input \"quaternion\" is for law \"orientation\"");
  if (!has_controller(static_cast<int>(cfg.law))) {
    if (cfg.inputs != kInputPosition)
      fail(who, ": has inputs \"", actuator_inputs_name(cfg.inputs), "\", but its law is ", actuator_law_name(cfg.law),
           ", which has one; use law \"pid\" or \"dcmotor\"");
    return;
  }
  if (cfg.ctrl_lower > -kUnlimited || cfg.ctrl_upper < kUnlimited)
    fail(who,
         ": has several inputs; give input_lower and input_upper of its controller in place of ctrl_lower and "
         "ctrl_upper");
  if (cfg.dynamics != ActuatorDynamics::kNone || cfg.act_early)
    fail(who, ": a ", actuator_law_name(cfg.law), " has states of its own; leave dynamics and act_early as they are");
  if (cfg.law == ActuatorLaw::kPid && cfg.inputs & kInputVoltage)
    fail(who, ": a pid controller has no input \"voltage\"; use law \"dcmotor\"");
  if (cfg.law == ActuatorLaw::kPid && states_of(cfg) != 0 && !(cfg.inputs & kInputPosition))
    fail(who, ": ki and slew_max of a pid controller need the input \"position\"");
  if (states_of(cfg) & kStateSlew && cfg.inputs == 0) fail(who, ": slew_max needs an input");
  for (int k = 0; k < kActuatorInputs; ++k)
    check_range(who, "input_lower", cfg.controller.input_lower[k], "input_upper", cfg.controller.input_upper[k]);
  check_controller(who, cfg);
}

}  // namespace

void ModelBuilder::append_controller(int actuator, const ActuatorConfig& cfg) {
  const ControllerConfig& k = cfg.controller;
  const DcMotorConfig& m = cfg.motor;
  ModelColumns<Vector>& c = data_.columns;
  c.actuator_inputs.push_back(cfg.inputs);
  c.actuator_states.push_back(states_of(cfg));
  if (!has_controller(static_cast<int>(cfg.law))) {
    c.actuator_ctrl_lower.resize(c.actuator_ctrl_lower.size() + actuator_ctrl_count(c, actuator), cfg.ctrl_lower);
    c.actuator_ctrl_upper.resize(c.actuator_ctrl_lower.size(), cfg.ctrl_upper);
    return;
  }
  for (int i = 0; i < kActuatorInputs; ++i) {
    if (!(cfg.inputs >> i & 1)) continue;
    c.actuator_ctrl_lower.push_back(k.input_lower[i]);
    c.actuator_ctrl_upper.push_back(k.input_upper[i]);
  }
  c.controller_actuator.push_back(actuator);
  c.controller_gains.push_back({k.kp, k.kv, k.ki, k.integral_max, k.slew_max});
  c.controller_winding.push_back({m.resistance, m.constant, m.voltage_max, m.current_time, m.current_rate_max});
  c.controller_heat.push_back(
      {m.heat_resistance, m.heat_capacity, m.heat_coefficient, m.heat_reference, m.heat_ambient});
  c.controller_cogging.push_back({m.cogging, m.cogging_poles, m.cogging_phase});
  c.controller_bristles.push_back(
      {m.bristle_stiffness, m.bristle_damping, m.bristle_coulomb, m.bristle_static, m.bristle_speed});
  c.controller_world.push_back(current_world_);
}

bool ModelBuilder::turns_something(ActuatorTarget target, const ActuatorEnds& ends) const {
  if (target == ActuatorTarget::kSite) return ends.reference.has_value();
  return target == ActuatorTarget::kJoint &&
         static_cast<JointType>(data_.columns.joint_type[ends.joint]) == JointType::kBall;
}

int ModelBuilder::append_actuator(ActuatorTarget target, const ActuatorEnds& ends, const ActuatorConfig& cfg,
                                  const std::string& key) {
  const int actuator = count(Entity::kActuator);
  const std::string who = describe_new("actuator", actuator, key);
  check_room(Entity::kActuator, 1);
  const BodyPose reference = ends.reference.value_or(BodyPose{});
  check_body(ends.site.body, who);
  check_body(reference.body, who);
  check_not_negative(who, "rod", ends.rod);
  check_finite(who, "gear", cfg.gear);
  check_finite(who, "wrench", cfg.wrench);
  check_finite(who, "gain", cfg.gain);
  check_finite(who, "gain_slope", cfg.gain_slope);
  check_finite(who, "bias", cfg.bias);
  check_finite(who, "muscle", cfg.muscle);
  for (const Real time : cfg.time) check_not_negative(who, "time", time);
  check_range(who, "ctrl_lower", cfg.ctrl_lower, "ctrl_upper", cfg.ctrl_upper);
  check_range(who, "force_lower", cfg.force_lower, "force_upper", cfg.force_upper);
  check_range(who, "act_lower", cfg.act_lower, "act_upper", cfg.act_upper);
  check_inputs(who, cfg);
  check_not_negative(who, "delay", cfg.delay);
  if (cfg.delay_samples < 0 || cfg.delay_samples > kMostDelaySamples)
    fail(who, ": delay_samples must be 0 to ", kMostDelaySamples, ", is ", cfg.delay_samples);
  if (cfg.delay > 0 && cfg.delay_samples == 0)
    fail(who, ": has a delay of ", cfg.delay, " s, but delay_samples is 0; give at least one for each step of it");
  if (cfg.law == ActuatorLaw::kOrientation && !turns_something(target, ends))
    fail(who, ": an orientation turns a ball joint, or a site against a reference");
  check_room(Entity::kCtrl, kActuatorInputs);
  const Transform site = check_transform(who, "site", ends.site.xform),
                  against = check_transform(who, "reference", reference.xform);
  const int key_id = claim_key(Entity::kActuator, key);

  ModelColumns<Vector>& c = data_.columns;
  c.actuator_target.push_back(static_cast<int>(target));
  c.actuator_joint.push_back(ends.joint);
  c.actuator_axis.push_back(cfg.axis);
  c.actuator_tendon.push_back(ends.tendon);
  c.actuator_body.push_back(ends.site.body);
  c.actuator_has_reference.push_back(ends.reference.has_value());
  c.actuator_reference_body.push_back(reference.body);
  c.actuator_site.push_back(site);
  c.actuator_reference.push_back(against);
  c.actuator_gear.push_back(cfg.gear);
  c.actuator_wrench.push_back(cfg.wrench);
  c.actuator_in_parent.push_back(cfg.in_parent);
  c.actuator_rod.push_back(ends.rod);
  c.actuator_gain.push_back(cfg.gain);
  c.actuator_gain_slope.push_back(cfg.gain_slope);
  c.actuator_bias.push_back(cfg.bias);
  c.actuator_law.push_back(static_cast<int>(cfg.law));
  c.actuator_muscle.push_back(cfg.muscle);
  c.actuator_dynamics.push_back(static_cast<int>(cfg.dynamics));
  c.actuator_time.push_back(cfg.time);
  c.actuator_act_early.push_back(cfg.act_early);
  c.actuator_act_lower.push_back(cfg.act_lower);
  c.actuator_act_upper.push_back(cfg.act_upper);
  append_controller(actuator, cfg);
  c.actuator_delay.push_back(cfg.delay);
  c.actuator_delay_samples.push_back(cfg.delay_samples);
  c.actuator_interpolation.push_back(static_cast<int>(cfg.interpolation));
  c.actuator_force_lower.push_back(cfg.force_lower);
  c.actuator_force_upper.push_back(cfg.force_upper);
  c.actuator_world.push_back(current_world_);
  c.actuator_key_id.push_back(key_id);
  return actuator;
}

}  // namespace carom::inline CAROM_PRECISION
