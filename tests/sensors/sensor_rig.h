// Steps a model by its solver and keeps what its sensors are read from, so that each part of reading can be tested
// alone.
#pragma once

#include <vector>

#include "carom/carom.h"
#include "model/sensor_rows.h"

namespace carom {

struct SensorRig {
  Model model;
  SolverMuJoCo solver;
  State state;
  Control control;
  Real dt;
  Array<Real> values;
  Array<std::int64_t> value_at;
  std::vector<std::int64_t> start;  // the same where the CPU can read it, then the total

  explicit SensorRig(const Model& of, Real step = Real(0.002))
      : model(of), solver(of), state(of.state()), control(of.control()), dt(step), start{0} {
    const ModelColumns<Vector> columns = sensor_columns(of);
    for (int s = 0; s < of.sensor_count; ++s) start.push_back(start.back() + sensor_dim(columns, s));
    values = Array<Real>(start.back(), of.device);
    value_at = Array<std::int64_t>(std::span<const std::int64_t>(start).first(of.sensor_count), of.device);
  }

  // What sensors see of the last of so many steps. contacts: none.
  SensedStep step(int steps = 1) {
    SensedStep sensed;
    for (int i = 0; i < steps; ++i) {
      sensed.state = state.clone();
      solver.step(state, state, control, nullptr, dt);
    }
    return finish(sensed);
  }
  // Without a step.
  SensedStep look() {
    SensedStep sensed;
    sensed.state = state.clone();
    return finish(sensed);
  }

  std::vector<Real> of(int sensor) const {
    const Array<Real> all = values.on_cpu();
    return {all.begin() + start[sensor], all.begin() + start[sensor + 1]};
  }
  std::vector<Real> of(const std::string& key, int world = kAnyWorld) const {
    return of(model.find_sensor(key, world));
  }
  Real first(const std::string& key, int world = kAnyWorld) const { return of(key, world).front(); }

 private:
  SensedStep finish(SensedStep sensed) {
    sensed.state.sensor_memory = state.sensor_memory;
    sensed.joint_qdd = state.joint_qdd;
    sensed.control = control;
    sensed.forces = solver.forces();
    sensed.dt = dt;
    return sensed;
  }
};

inline SensedObject sensed_joint(int joint, int axis = 0) {
  return {.type = SensorObject::kJoint, .index = joint, .axis = axis};
}
inline SensedObject sensed_tendon(int tendon) { return {.type = SensorObject::kTendon, .index = tendon}; }
inline SensedObject sensed_actuator(int actuator) { return {.type = SensorObject::kActuator, .index = actuator}; }
inline SensedObject sensed_shape(int shape) { return {.type = SensorObject::kShape, .index = shape}; }
inline SensedObject sensed_body(int body) { return {.type = SensorObject::kBody, .index = body}; }
inline SensedObject sensed_frame(int body, const Transform& X_BF = {}) {
  return {.type = SensorObject::kFrame, .index = body, .xform = X_BF};
}

}  // namespace carom
