#include "collide/collision_config.h"

#include "base/fail.h"

namespace carom::inline CAROM_PRECISION {

const char* contact_rule_name(ContactRule rule) { return rule == ContactRule::kMujoco ? "mujoco" : "carom"; }

ContactRule parse_contact_rule(const std::string& name) {
  for (const ContactRule rule : {ContactRule::kCarom, ContactRule::kMujoco})
    if (name == contact_rule_name(rule)) return rule;
  fail("there are no contacts '", name, "'; use \"carom\" or \"mujoco\"");
}

void check_soft_margin(const char* who, Real margin) {
  if (!(margin >= 0) || !is_finite(margin))
    fail(who, ": soft_contact_margin must be finite and not negative, is ", margin);
}

void check_config(const CollisionConfig& config) {
  if (config.rigid_contact_max_per_pair < 1)
    fail("collision pipeline: rigid_contact_max_per_pair must be positive, is ", config.rigid_contact_max_per_pair);
  if (config.rigid_contact_max < 0)
    fail("collision pipeline: rigid_contact_max must be positive, or 0 for no limit, is ", config.rigid_contact_max);
  check_soft_margin("collision pipeline", config.soft_contact_margin);
  if (config.contacts != ContactRule::kCarom && config.contacts != ContactRule::kMujoco)
    fail("collision pipeline: contacts must be kCarom or kMujoco, is ", static_cast<int>(config.contacts));
  if (!(config.speculative_time >= 0) || !is_finite(config.speculative_time))
    fail("collision pipeline: speculative_time must be finite and not negative, is ", config.speculative_time);
  if (!(config.keep_distance >= 0) || !is_finite(config.keep_distance))
    fail("collision pipeline: keep_distance must be finite and not negative, is ", config.keep_distance);
}

void check_same_points(const CollisionConfig& remembered, const CollisionConfig& own) {
  const auto check = [](const char* what, auto theirs, auto ours) {
    if (theirs != ours)
      fail("collision pipeline: recall: the memory is of a pipeline with ", what, " ", theirs, ", this one has ", ours);
  };
  check("keep_distance", remembered.keep_distance, own.keep_distance);
  check("contacts", std::string(contact_rule_name(remembered.contacts)), contact_rule_name(own.contacts));
  check("rigid_contact_max", remembered.rigid_contact_max, own.rigid_contact_max);
  check("rigid_contact_max_per_pair", remembered.rigid_contact_max_per_pair, own.rigid_contact_max_per_pair);
}

}  // namespace carom::inline CAROM_PRECISION
