#include "solvers/solver_forces.h"

#include <algorithm>
#include <initializer_list>

#include "carom/sensor_config.h"

namespace carom::inline CAROM_PRECISION {

namespace {

bool is_one_of(int type, std::initializer_list<SensorType> types) {
  return std::any_of(types.begin(), types.end(), [&](SensorType t) { return static_cast<int>(t) == type; });
}

}  // namespace

bool reads_strokes(int type) {
  return is_one_of(
      type, {SensorType::kTendonPos, SensorType::kTendonVel, SensorType::kTendonLimitPos, SensorType::kTendonLimitVel});
}

SolverForces make_solver_forces(const Model& model) {
  const Array<int> types = model.sensor_type.on_cpu();
  const auto has = [&](std::initializer_list<SensorType> wanted) {
    return std::any_of(types.begin(), types.end(), [&](int type) { return is_one_of(type, wanted); });
  };
  const auto room = [&](bool is_read, int count) { return Array<Real>(is_read ? count : 0, model.device); };
  const bool actuators = has(
      {SensorType::kActuatorPos, SensorType::kActuatorVel, SensorType::kActuatorFrc, SensorType::kTendonActuatorFrc});
  // The springs of tendons through space are a part of the energy.
  const bool strokes = std::any_of(types.begin(), types.end(), reads_strokes) ||
                       (has({SensorType::kPotentialEnergy}) && model.tendon_point_count > 0);
  SolverForces forces;
  for (Array<Real>* const array : {&forces.actuator_length, &forces.actuator_velocity, &forces.actuator_force})
    *array = room(actuators, model.ctrl_count);
  for (Array<Real>* const array : {&forces.tendon_length, &forces.tendon_velocity})
    *array = room(strokes, model.tendon_count);
  forces.joint_actuator_force = room(has({SensorType::kJointActuatorFrc}), model.joint_dof_count);
  forces.joint_limit_force = room(has({SensorType::kJointLimitFrc}), model.joint_dof_count);
  forces.tendon_limit_force = room(has({SensorType::kTendonLimitFrc}), model.tendon_count);
  const int ties = has({SensorType::kForce, SensorType::kTorque}) ? model.equality_constraint_count : 0;
  forces.equality_force = Array<SpatialVector>(ties, model.device);
  for (Array<Vec3>* const points : {&forces.equality_point1, &forces.equality_point2})
    *points = Array<Vec3>(ties, model.device);
  return forces;
}

}  // namespace carom::inline CAROM_PRECISION
