#include "sensors/sensed_sleepers.h"

namespace carom::inline CAROM_PRECISION {

SleepingBodies sleeping_bodies(const SensedStep& step) {
  const auto data = [](const Array<std::int32_t>& asleep) { return asleep.empty() ? nullptr : asleep.data(); };
  return {data(step.state.body_asleep), data(step.body_asleep)};
}

SensedSleepers::SensedSleepers(const HostModel& host)
    : host_(host),
      body_joint_(host.model.body_joint.on_cpu()),
      dof_start_(host.model.joint_qd_start.on_cpu()),
      bodies_of_tendon_(host.model.tendon_count) {
  const ModelColumns<Array>& c = host.column;
  for (int e = 0; e < host.model.tendon_joint_count; ++e)
    bodies_of_tendon_[c.tendon_joint_tendon[e]].push_back(c.joint_child[c.tendon_joint_joint[e]]);
  for (int p = 0; p < host.model.tendon_point_count; ++p)
    bodies_of_tendon_[c.tendon_point_tendon[p]].push_back(c.tendon_point_body[p]);
}

SleepingObjects SensedSleepers::operator()(int s) const {
  const ModelColumns<Array>& c = host_.column;
  const auto object = static_cast<SensorObject>(c.sensor_object_type[s]),
             reference = static_cast<SensorObject>(c.sensor_reference_type[s]);
  const bool of_contacts = c.sensor_type[s] == static_cast<int>(SensorType::kContact);
  if (c.sensor_joint[s] >= 0) return first_two({c.joint_child[c.sensor_joint[s]]});
  if (c.sensor_tendon[s] >= 0) return first_two(bodies_of_tendon_[c.sensor_tendon[s]]);
  if (c.sensor_actuator[s] >= 0) return of_actuator(c.sensor_actuator[s]);
  // A volume may see what is awake while its body sleeps.
  if (of_contacts && object == SensorObject::kSite) return {};
  return first_two({body_of(object, c.sensor_body[s], c.sensor_shape[s]),
                    body_of(reference, c.sensor_reference_body[s], c.sensor_reference_shape[s])});
}

// Of different trees; the bodies of one sleep together. More than two trees that tendons tie do not sleep by
// themselves.
SleepingObjects SensedSleepers::first_two(const std::vector<int>& bodies) const {
  SleepingObjects objects;
  for (const int body : bodies) {
    const int root = root_of(body);
    if (root < 0 || root == root_of(objects.body[0])) continue;
    int& place = objects.body[objects.body[0] < 0 ? 0 : 1];
    if (place < 0) place = body;
  }
  return objects;
}

SleepingObjects SensedSleepers::of_actuator(int a) const {
  const ModelColumns<Array>& c = host_.column;
  if (c.actuator_tendon[a] >= 0) return first_two(bodies_of_tendon_[c.actuator_tendon[a]]);
  const int joint = c.actuator_joint[a];
  return first_two({joint >= 0 ? c.joint_child[joint] : -1, c.actuator_body[a], c.actuator_reference_body[a]});
}

int SensedSleepers::body_of(SensorObject object, int body, int shape) const {
  const bool is_shape = object == SensorObject::kShape || object == SensorObject::kSite;
  return is_shape ? host_.column.shape_body[shape] : body;
}

}  // namespace carom::inline CAROM_PRECISION
