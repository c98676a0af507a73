// ModelBuilder: tendons and actuators.
#include "carom/builder.h"
#include "model/checks.h"
#include "model/entities.h"

namespace carom::inline CAROM_PRECISION {

void ModelBuilder::check_driven(int joint, int axis, const std::string& who) const {
  check_joint(joint, who);
  if (const std::string why = why_not_driven(data_, joint, axis); !why.empty()) fail(who, ": ", why);
}

int ModelBuilder::add_tendon_fixed(std::span<const TendonJoint> joints, const TendonConfig& cfg,
                                   const std::string& key) {
  const int tendon = count(Entity::kTendon);
  const std::string who = describe_new("tendon", tendon, key);
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
  check_range(who, "limit_lower", cfg.limit_lower, "limit_upper", cfg.limit_upper);
  check_range(who, "spring_lower", cfg.spring_lower, "spring_upper", cfg.spring_upper);
  check_not_negative(who, "limit_margin", cfg.limit_margin);
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
  c.tendon_world.push_back(current_world_);
  c.tendon_key_id.push_back(key_id);
  for (const auto& [joint, coef, axis] : joints) {
    c.tendon_joint_tendon.push_back(tendon);
    c.tendon_joint_joint.push_back(joint);
    c.tendon_joint_axis.push_back(axis);
    c.tendon_joint_coef.push_back(coef);
    c.tendon_joint_world.push_back(current_world_);
  }
  return tendon;
}

int ModelBuilder::add_actuator(int joint, const ActuatorConfig& cfg, const std::string& key) {
  check_driven(joint, cfg.axis, describe_new("actuator", count(Entity::kActuator), key));
  return append_actuator(joint, -1, cfg, key);
}

int ModelBuilder::add_actuator_tendon(int tendon, const ActuatorConfig& cfg, const std::string& key) {
  const std::string who = describe_new("actuator", count(Entity::kActuator), key);
  check_tendon(tendon, who);
  if (cfg.axis != 0) fail(who, ": has axis ", cfg.axis, ", but pulls a tendon, which has none; leave it 0");
  return append_actuator(-1, tendon, cfg, key);
}

int ModelBuilder::append_actuator(int joint, int tendon, const ActuatorConfig& cfg, const std::string& key) {
  const int actuator = count(Entity::kActuator);
  const std::string who = describe_new("actuator", actuator, key);
  check_room(Entity::kActuator, 1);
  check_finite(who, "gear", cfg.gear);
  check_finite(who, "gain", cfg.gain);
  check_finite(who, "bias", cfg.bias);
  check_range(who, "ctrl_lower", cfg.ctrl_lower, "ctrl_upper", cfg.ctrl_upper);
  check_range(who, "force_lower", cfg.force_lower, "force_upper", cfg.force_upper);
  const int key_id = claim_key(Entity::kActuator, key);

  ModelColumns<Vector>& c = data_.columns;
  c.actuator_joint.push_back(joint);
  c.actuator_axis.push_back(cfg.axis);
  c.actuator_tendon.push_back(tendon);
  c.actuator_gear.push_back(cfg.gear);
  c.actuator_gain.push_back(cfg.gain);
  c.actuator_bias.push_back(cfg.bias);
  c.actuator_ctrl_lower.push_back(cfg.ctrl_lower);
  c.actuator_ctrl_upper.push_back(cfg.ctrl_upper);
  c.actuator_force_lower.push_back(cfg.force_lower);
  c.actuator_force_upper.push_back(cfg.force_upper);
  c.actuator_world.push_back(current_world_);
  c.actuator_key_id.push_back(key_id);
  return actuator;
}

}  // namespace carom::inline CAROM_PRECISION
