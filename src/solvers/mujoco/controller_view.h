// Structure and numbers of actuators with several inputs, states or outputs: pid controllers and DC motors
// (controllers.kernel.h), orientations (orientation.kernel.h).
#pragma once

#include "carom/config.h"

namespace carom::inline CAROM_PRECISION {

struct ControllerSlot {
  ActuatorLaw law;
  int input[kActuatorInputs];  // in the part's ctrl, by the bits of ActuatorInput; -1 = there is none
  int state[kActuatorStates];  // among the activations, by the bits of ActuatorState; likewise
};

struct OrientationSlot {
  int first;  // of its three members, in the list of actuators
  int ctrl;   // in the part's ctrl
  bool is_quaternion;
  int activation;  // its first one, -1 = none
};

// As the columns of controllers.
template <class F>
struct ControllerParams {
  F lower[kActuatorInputs], upper[kActuatorInputs];  // of the inputs
  F kp, kv, ki, integral_max, slew_max;
  F resistance, constant, voltage_max, current_time, current_rate_max;
  F heat_resistance, heat_capacity, heat_coefficient, heat_reference, heat_ambient;
  F cogging[3];
  F bristle_stiffness, bristle_damping, coulomb, holding, speed;
};

}  // namespace carom::inline CAROM_PRECISION
