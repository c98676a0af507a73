#include "solvers/mujoco/sensed_forces.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "carom/sensor_config.h"

namespace carom::inline CAROM_PRECISION {

SensedView sensed_view(const SolverForces& f) {
  const auto data = [](const auto& array) { return array.empty() ? nullptr : reinterpret_cast<Real*>(array.data()); };
  return {data(f.actuator_length), data(f.actuator_velocity),    data(f.actuator_force),    data(f.tendon_length),
          data(f.tendon_velocity), data(f.joint_actuator_force), data(f.joint_limit_force), data(f.tendon_limit_force),
          data(f.equality_force),  data(f.equality_point1),      data(f.equality_point2)};
}

void forget_limits(const SolverForces& forces) {
  for (const Array<Real>& array : {forces.joint_limit_force, forces.tendon_limit_force})
    array.assign(Array<Real>(array.size(), array.device()));
}

Array<std::uint8_t> find_sensed_tendons(const Model& model) {
  const Array<int> type = model.sensor_type.on_cpu(), tendon = model.sensor_tendon.on_cpu();
  std::vector<std::uint8_t> sensed(model.tendon_count, 0);
  for (int s = 0; s < model.sensor_count; ++s)
    if (reads_strokes(type[s])) sensed[tendon[s]] = 1;
  return Array<std::uint8_t>(std::span<const std::uint8_t>(sensed), model.device);
}

}  // namespace carom::inline CAROM_PRECISION
