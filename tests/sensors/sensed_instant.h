// For tests of motion sensors: a model at an instant, what its sensors read there, and small parts of models.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "carom/carom.h"
#include "model/sensor_rows.h"
#include "sensors/motion_sensors.h"

namespace carom {

constexpr Real kGravity = Real(9.81), kClose = sizeof(Real) == 4 ? Real(2e-4) : Real(1e-11);

inline SensedObject frame(int body, Transform xform = {}) { return {SensorObject::kFrame, body, xform}; }
inline SensedObject joint_axis(int joint, int axis = 0) { return {SensorObject::kJoint, joint, {}, axis}; }
inline SensedObject subtree(int body) { return {SensorObject::kSubtree, body}; }
inline SensedObject site(int shape) { return {SensorObject::kSite, shape}; }

// A model at an instant that can be written, and what its sensors read there.
struct Instant {
  Model model;
  MotionSensors sensors;
  SensedStep step;
  std::vector<std::int64_t> start{0};
  Array<std::int64_t> value_at;
  Array<Real> values;

  explicit Instant(const Model& of, const Contacts& contacts)
      : model(of), sensors(of), step{of.state(), Array<Real>(of.joint_dof_count, of.device), contacts, of.control(), {},
                                     0} {
    const Array<int> type = model.sensor_type.on_cpu();
    for (int s = 0; s < model.sensor_count; ++s)
      start.push_back(start.back() + sensor_facts(static_cast<SensorType>(type[s])).dim);
    value_at = Array<std::int64_t>(std::span<const std::int64_t>(start), model.device);
    values = Array<Real>(start.back(), model.device);
    step.dt = Real(0.01);
  }
  explicit Instant(const Model& of) : Instant(of, CollisionPipeline(of).collide(of.state())) {}

  // Coordinates, velocities and accelerations of all joints.
  void set(const std::vector<Real>& q, const std::vector<Real>& qd, const std::vector<Real>& qdd) {
    step.state.joint_q = Array<Real>(std::span<const Real>(q), model.device);
    step.state.joint_qd = Array<Real>(std::span<const Real>(qd), model.device);
    step.joint_qdd = Array<Real>(std::span<const Real>(qdd), model.device);
    eval_fk(model, step.state.joint_q, step.state.joint_qd, step.state);
  }
  std::vector<Real> read(const Queue* queue = nullptr) {
    const Queue& q = queue ? *queue : default_queue(model.device);
    sensors.send(q, step, values.data(), value_at.data());
    q.finish();
    const Array<Real> host = values.on_cpu();
    return {host.begin(), host.end()};
  }
  std::vector<Real> read_one(int sensor) {
    const std::vector<Real> all = read();
    return {all.begin() + start[sensor], all.begin() + start[sensor + 1]};
  }
};

inline void expect_near(const std::vector<Real>& got, const std::vector<Real>& wanted, Real tolerance = kClose) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], tolerance) << "number " << i;
}

inline Mat33 diagonal(Real x, Real y, Real z) { return mat33_diagonal(Vec3{x, y, z}); }

// An arm that a hinge along y turns; its body has its centre of mass elsewhere.
inline int add_arm(ModelBuilder& builder, Real mass = 2, JointDofConfig dof = {}) {
  const int arm =
      builder.add_link({.com = {Real(0.3), 0, 0}, .inertia = diagonal(1, 2, 3), .mass = mass, .key = "arm"});
  dof.axis = {0, 1, 0};
  builder.add_articulation({builder.add_joint_revolute(-1, arm, dof)});
  return arm;
}

}  // namespace carom
