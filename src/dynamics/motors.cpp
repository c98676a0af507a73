#include "dynamics/motors.h"

#include "base/fail.h"

namespace carom::inline CAROM_PRECISION {

namespace {

void check_motor(const char* solver, const Model& m, const HostModel& host, int a) {
  const ModelColumns<Array>& c = host.column;
  const auto refuse = [&](const char* what) {
    fail(solver, ": actuator '", m.key(Entity::kActuator, a), "': ", what, " not supported; SolverMuJoCo does it");
  };
  if (c.actuator_target[a] != static_cast<int>(ActuatorTarget::kJoint)) refuse("actuators of anything but joints are");
  if (c.actuator_law[a] != static_cast<int>(ActuatorLaw::kAffine)) refuse("laws other than \"affine\" are");
  if (c.actuator_dynamics[a] != static_cast<int>(ActuatorDynamics::kNone)) refuse("activation dynamics are");
  if (c.actuator_gain_slope[a][0] != 0 || c.actuator_gain_slope[a][1] != 0) refuse("gain_slope is");
  if (c.actuator_delay_samples[a] > 0) refuse("delays are");
  const auto type = static_cast<JointType>(c.joint_type[c.actuator_joint[a]]);
  if (type == JointType::kBall || type == JointType::kFree || type == JointType::kDistance)
    refuse("actuators of ball, free and distance joints are");
}

}  // namespace

Motors::Motors(const char* solver, const Model& model, const WorldPlan& plan) {
  const HostModel host(model);
  const ModelColumns<Array>& c = host.column;
  const Array<int> q_start = model.joint_q_start.on_cpu(), qd_start = model.joint_qd_start.on_cpu(),
                   ctrl_start = model.actuator_ctrl_start.on_cpu();
  std::vector<MotorSlot> found;
  std::vector<MotorParams<Real>> params;
  for (const PartRows& part : plan.archetype.parts) {
    const bool first = &part == &plan.archetype.parts.front();
    if (first) ctrls = part.count(Entity::kCtrl);
    for (int k = 0; k < part.count(Entity::kActuator); ++k) {
      const int a = part.begin(Entity::kActuator) + k, joint = c.actuator_joint[a];
      check_motor(solver, model, host, a);
      if (first) {
        const int dof = qd_start[joint] + c.actuator_axis[a] - part.begin(Entity::kJointDof);
        found.push_back({plan.tree.dof_of_part_dof[dof],
                         q_start[joint] + c.actuator_axis[a] - part.begin(Entity::kJointCoord),
                         ctrl_start[a] - part.begin(Entity::kCtrl)});
      }
      params.push_back({c.actuator_gear[a],
                        c.actuator_gain[a],
                        {c.actuator_bias[a][0], c.actuator_bias[a][1], c.actuator_bias[a][2]},
                        c.actuator_ctrl_lower[a],
                        c.actuator_ctrl_upper[a],
                        c.actuator_force_lower[a],
                        c.actuator_force_upper[a]});
    }
  }
  slots = Array<MotorSlot>(std::span<const MotorSlot>(found), model.device);
  rows = Array<Real>(std::span<const Real>(reinterpret_cast<const Real*>(params.data()),
                                           params.size() * (sizeof(MotorParams<Real>) / sizeof(Real))),
                     model.device);
}

}  // namespace carom::inline CAROM_PRECISION
