// Sensors of actuators, tendons and limits: they tell what the solver says (SolverForces), and where a tendon stands
// against its range. A limit counts within its margin, of two the lower one, as in MuJoCo.
#pragma once

#include "carom/columns.h"
#include "carom/math.h"
#include "carom/sensor_config.h"

namespace carom::inline CAROM_PRECISION {

struct ActuationSensor {
  SensorType type;
  int sensor;  // row of the model
  int from,
      count;       // what it tells: of actuators by ctrl, of joints by degree of freedom, or a tendon; how many numbers
  int first, end;  // of tendonactuatorfrc: in the list of what pulls at tendons
};

// SolverForces; nullptr: the solver says nothing.
struct SolverForcesView {
  const Real *actuator_length, *actuator_velocity, *actuator_force;
  const Real *tendon_length, *tendon_velocity;
  const Real *joint_actuator_force, *joint_limit_force, *tendon_limit_force;

  // What a sensor tells as it is; nullptr: that of others.
  CAROM_HD const Real* of(SensorType type) const {
    switch (type) {
      case SensorType::kActuatorPos: return actuator_length;
      case SensorType::kActuatorVel: return actuator_velocity;
      case SensorType::kActuatorFrc: return actuator_force;
      case SensorType::kTendonPos: return tendon_length;
      case SensorType::kTendonVel: return tendon_velocity;
      case SensorType::kJointActuatorFrc: return joint_actuator_force;
      case SensorType::kJointLimitFrc: return joint_limit_force;
      case SensorType::kTendonLimitFrc: return tendon_limit_force;
      default: return nullptr;
    }
  }
};

struct SenseActuation {
  Span<const ActuationSensor> sensors;
  SolverForcesView forces;
  const int* tendon_actuator;  // by ctrl: what pulls at tendons
  const Real *limit_lower, *limit_upper, *limit_margin;
  const std::int64_t* value_at;
  Real* values;

  CAROM_HD void operator()(int i) const {
    const ActuationSensor& s = sensors[i];
    Real* const to = values + value_at[s.sensor];
    if (s.type == SensorType::kTendonActuatorFrc) *to = sum_of_actuators(s);
    else if (s.type == SensorType::kTendonLimitPos) *to = limit_of(s.from).distance;
    else if (s.type == SensorType::kTendonLimitVel) *to = limit_of(s.from).speed;
    else
      for (int k = 0; k < s.count; ++k) to[k] = forces.of(s.type) ? forces.of(s.type)[s.from + k] : Real(0);
  }

 private:
  // Before their gears.
  CAROM_HD Real sum_of_actuators(const ActuationSensor& s) const {
    Real sum = 0;
    for (int k = s.first; forces.actuator_force && k < s.end; ++k) sum += forces.actuator_force[tendon_actuator[k]];
    return sum;
  }

  struct Limit {
    Real distance = 0, speed = 0;  // to where it begins to act, negative; and how fast that grows
  };
  CAROM_HD Limit limit_of(int tendon) const {
    if (!forces.tendon_length) return {};
    const Real length = forces.tendon_length[tendon], speed = forces.tendon_velocity[tendon];
    const Real low = length - limit_lower[tendon] - limit_margin[tendon];
    const Real high = limit_upper[tendon] - length - limit_margin[tendon];
    if (low < 0) return {low, speed};
    if (high < 0) return {high, -speed};
    return {};
  }
};

}  // namespace carom::inline CAROM_PRECISION
