#include "sensors/actuation_sensors.h"

#include <algorithm>
#include <vector>

#include "backend/launch.h"
#include "model/host_model.h"
#include "model/sensor_rows.h"
#include "sensors/kernels.h"

namespace carom::inline CAROM_PRECISION {

namespace {

struct ActuationLists {
  std::vector<ActuationSensor> sensors;
  std::vector<int> tendon_actuator;

  explicit ActuationLists(const HostModel& host) {
    const ModelColumns<Array>& c = host.column;
    const Array<int> ctrl_start = host.model.actuator_ctrl_start.on_cpu(),
                     qd_start = host.model.joint_qd_start.on_cpu();
    for (int s = 0; s < host.model.sensor_count; ++s) {
      const SensorType type = static_cast<SensorType>(c.sensor_type[s]);
      if (!is_of_actuation(type)) continue;
      ActuationSensor own{type, s, c.sensor_tendon[s], 1, 0, 0};
      if (const int actuator = c.sensor_actuator[s]; actuator >= 0) {
        own.from = ctrl_start[actuator];
        own.count = c.actuator_law[actuator] == static_cast<int>(ActuatorLaw::kOrientation) ? 3 : 1;
      } else if (const int joint = c.sensor_joint[s]; joint >= 0) {
        own.from = qd_start[joint] + c.sensor_axis[s];
      }
      own.first = static_cast<int>(tendon_actuator.size());
      if (type == SensorType::kTendonActuatorFrc) list_actuators(host, ctrl_start, c.sensor_tendon[s]);
      own.end = static_cast<int>(tendon_actuator.size());
      sensors.push_back(own);
    }
  }

 private:
  // Of the tendon's world.
  void list_actuators(const HostModel& host, const Array<int>& ctrl_start, int tendon) {
    const int world = host.model.world_count > 0 ? host.column.tendon_world[tendon] : -1;
    const int first = host.begin(Entity::kActuator, world), count = host.count(Entity::kActuator, world);
    for (int a = first; a < first + count; ++a)
      if (host.column.actuator_tendon[a] == tendon) tendon_actuator.push_back(ctrl_start[a]);
  }
};

}  // namespace

ActuationSensors::ActuationSensors(const Model& of) : model(of) {
  const ActuationLists lists{HostModel(of)};
  sensors = Array<ActuationSensor>(std::span<const ActuationSensor>(lists.sensors), of.device);
  tendon_actuator = Array<int>(std::span<const int>(lists.tendon_actuator), of.device);
}

void ActuationSensors::send(const Queue& queue, const SensedStep& step, Real* values,
                            const std::int64_t* value_at) const {
  const SolverForces& f = step.forces;
  const auto data = [](const Array<Real>& array) -> const Real* { return array.empty() ? nullptr : array.data(); };
  const SolverForcesView forces{data(f.actuator_length),   data(f.actuator_velocity), data(f.actuator_force),
                                data(f.tendon_length),     data(f.tendon_velocity),   data(f.joint_actuator_force),
                                data(f.joint_limit_force), data(f.tendon_limit_force)};
  launch(queue, static_cast<int>(sensors.size()),
         SenseActuation{sensors.const_view(), forces, tendon_actuator.data(), model.tendon_limit_lower.data(),
                        model.tendon_limit_upper.data(), model.tendon_limit_margin.data(), value_at, values});
}

}  // namespace carom::inline CAROM_PRECISION
