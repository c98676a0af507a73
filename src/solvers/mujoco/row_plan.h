// RowPlan: limits, actuators and tendon springs of one archetype of parts.
#pragma once

#include <vector>

#include "dynamics/tree_plan.h"
#include "solvers/mujoco/pack_parts.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct RowPlan {
  std::vector<LimitSlot> limits;
  std::vector<LimitEntry> limit_entries;
  std::vector<SpringSlot> springs;
  std::vector<LimitEntry> spring_entries;
  std::vector<ActuatorSlot> actuators;
  RowView rows;
  ForceView forces;
  RowOrigin origin;  // on the model's device, as the views

  // part: any of the archetype; needs: what any of them needs, of each degree of freedom, then of each tendon.
  RowPlan(const HostModel& host, const PartRows& part, const TreePlan& tree, const std::vector<std::uint8_t>& needs);

  // What each limit slot belongs to.
  const std::vector<LimitOrigin>& limit_origins() const { return limit_origin_; }

 private:
  void add_joint_limits(const std::vector<std::uint8_t>& needs, const TreePlan& tree);
  void add_tendons(const HostModel& host, const PartRows& part, const TreePlan& tree, const std::uint8_t* needs);
  void add_actuators(const HostModel& host, const PartRows& part, const TreePlan& tree);
  void to_device(const HostModel& host, const TreePlan& tree);

  // As in RowOrigin.
  std::vector<LimitOrigin> limit_origin_;
  std::vector<int> place_start_{0};
  int joint_limits_ = 0;
  std::vector<int> spring_tendon_;
  std::vector<int> limit_entry_row_, spring_entry_row_;
  PatternLists pattern_;
  Array<std::uint64_t> limit_words_;
  bool damped_ = false;
  std::vector<Array<int>> arrays_;
  Array<LimitSlot> limits_device_;
  Array<LimitEntry> limit_entries_device_, spring_entries_device_;
  Array<Index2> dof_limit_;
  Array<ActuatorSlot> actuators_device_;
  Array<SpringSlot> springs_device_;
  Array<LimitOrigin> limit_origin_device_;
};

}  // namespace carom::inline CAROM_PRECISION
