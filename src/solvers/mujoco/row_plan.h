// RowPlan: limits, actuators and tendon springs of one archetype of parts, and the numbers of each part.
#pragma once

#include <vector>

#include "dynamics/tree_plan.h"
#include "solvers/mujoco/smooth_forces.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct RowPlan {
  std::vector<LimitSlot> limits;
  std::vector<LimitEntry> limit_entries;
  std::vector<SpringSlot> springs;
  std::vector<LimitEntry> spring_entries;
  std::vector<ActuatorSlot> actuators;
  RowView rows;
  ForceView forces;

  RowPlan(const HostModel& host, const PartArchetype& archetype, const TreePlan& tree);

  // What a limit slot belongs to: a degree of freedom or a tendon of the part.
  struct Origin {
    bool is_tendon;
    int row;
  };
  const std::vector<Origin>& limit_origins() const { return limit_origin_; }

  // inverse_mass: J M^-1 J^T of each slot at the initial pose.
  void write_limits(const HostModel& host, const PartRows& part, const std::vector<Real>& inverse_mass,
                    LimitParams<Real>* out) const;
  void write_coefs(const HostModel& host, const PartRows& part, Real* limit_coefs, Real* spring_coefs) const;
  void write_actuators(const HostModel& host, const PartRows& part, ActuatorParams<Real>* out) const;
  void write_springs(const HostModel& host, const PartRows& part, SpringParams<Real>* out) const;

 private:
  void add_joint_limits(const HostModel& host, const PartArchetype& archetype, const TreePlan& tree);
  void add_tendons(const HostModel& host, const PartArchetype& archetype, const TreePlan& tree);
  void add_actuators(const HostModel& host, const PartRows& part, const TreePlan& tree);
  void to_device(const HostModel& host, const TreePlan& tree);

  std::vector<Origin> limit_origin_;
  std::vector<int> place_start_{0};
  int joint_limits_ = 0;
  std::vector<int> spring_tendon_;
  std::vector<int> limit_entry_row_, spring_entry_row_;  // tendon joint of the part, -1 = coefficient 1
  PatternLists pattern_;
  bool damped_ = false;
  std::vector<Array<int>> arrays_;
  Array<LimitSlot> limits_device_;
  Array<LimitEntry> limit_entries_device_, spring_entries_device_;
  Array<Index2> dof_limit_;
  Array<ActuatorSlot> actuators_device_;
  Array<SpringSlot> springs_device_;
};

}  // namespace carom::inline CAROM_PRECISION
