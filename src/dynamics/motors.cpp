#include "dynamics/motors.h"

namespace carom::inline CAROM_PRECISION {

Motors::Motors(const Model& model, const WorldPlan& plan) {
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
