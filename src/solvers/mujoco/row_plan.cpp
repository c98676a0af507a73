#include "solvers/mujoco/row_plan.h"

#include <algorithm>

#include "base/fail.h"
#include "model/joints/joints.kernel.h"

namespace carom::inline CAROM_PRECISION {

RowPlan::RowPlan(const HostModel& host, const PartRows& part, const TreePlan& tree,
                 const std::vector<std::uint8_t>& needs) {
  add_joint_limits(needs, tree);
  joint_limits_ = static_cast<int>(limits.size());
  add_tendons(host, part, tree, needs.data() + part.count(Entity::kJointDof));
  add_actuators(host, part, tree);
  to_device(host, tree);
}

namespace {

std::vector<LimitSide> sides(std::uint8_t needs) {
  if (!(needs & kNeedsLimit)) return {};
  if (needs & kNeedsBothEnds) return {LimitSide::kLower, LimitSide::kUpper};
  return {LimitSide::kEither};
}

}  // namespace

void RowPlan::add_joint_limits(const std::vector<std::uint8_t>& needs, const TreePlan& tree) {
  for (const TreeLink& link : tree.links) {
    for (int i = 0; i < link.linear + link.angular; ++i) {
      const int dof = link.dof + i, in_part = tree.dof_in_part[dof];
      damped_ = damped_ || (needs[in_part] & kNeedsForce);
      if (turns_at_once(link.type)) continue;
      for (const LimitSide side : sides(needs[in_part])) {
        limits.push_back({static_cast<int>(limit_entries.size()), 1, side});
        limit_entries.push_back({link.q + i, dof});
        limit_entry_row_.push_back(-1);
        limit_origin_.push_back({false, in_part});
      }
      place_start_.push_back(static_cast<int>(limits.size()));
    }
  }
}

void RowPlan::add_tendons(const HostModel& host, const PartRows& part, const TreePlan& tree,
                          const std::uint8_t* needs) {
  const ModelColumns<Array>& c = host.column;
  const int first = part.begin(Entity::kTendon), first_entry = part.begin(Entity::kTendonJoint);
  const Array<int> qd_start = host.model.joint_qd_start.on_cpu(), q_start = host.model.joint_q_start.on_cpu();
  for (int t = 0; t < part.count(Entity::kTendon); ++t) {
    std::vector<LimitEntry> entries;
    std::vector<int> rows;
    for (int e = 0; e < part.count(Entity::kTendonJoint); ++e) {
      const int row = first_entry + e;
      if (c.tendon_joint_tendon[row] != first + t) continue;
      const int joint = c.tendon_joint_joint[row], axis = c.tendon_joint_axis[row];
      const int dof = tree.dof_of_part_dof[qd_start[joint] + axis - part.begin(Entity::kJointDof)];
      entries.push_back({q_start[joint] + axis - part.begin(Entity::kJointCoord), dof});
      rows.push_back(e);
    }
    const int count = static_cast<int>(entries.size());
    for (const LimitSide side : sides(needs[t])) {
      limits.push_back({static_cast<int>(limit_entries.size()), count, side});
      limit_entries.insert(limit_entries.end(), entries.begin(), entries.end());
      limit_entry_row_.insert(limit_entry_row_.end(), rows.begin(), rows.end());
      limit_origin_.push_back({true, t});
    }
    place_start_.push_back(static_cast<int>(limits.size()));
    if (needs[t] & kNeedsForce) {
      springs.push_back({static_cast<int>(spring_entries.size()), count});
      spring_entries.insert(spring_entries.end(), entries.begin(), entries.end());
      spring_entry_row_.insert(spring_entry_row_.end(), rows.begin(), rows.end());
      spring_tendon_.push_back(t);
    }
  }
}

void RowPlan::add_actuators(const HostModel& host, const PartRows& part, const TreePlan& tree) {
  const ModelColumns<Array>& c = host.column;
  const Array<int> qd_start = host.model.joint_qd_start.on_cpu(), q_start = host.model.joint_q_start.on_cpu();
  const int first = part.begin(Entity::kActuator);
  for (int a = 0; a < part.count(Entity::kActuator); ++a) {
    const int joint = c.actuator_joint[first + a], axis = c.actuator_axis[first + a];
    actuators.push_back({q_start[joint] + axis - part.begin(Entity::kJointCoord),
                         tree.dof_of_part_dof[qd_start[joint] + axis - part.begin(Entity::kJointDof)]});
  }
}

void RowPlan::to_device(const HostModel& host, const TreePlan& tree) {
  const Device device = host.model.device;
  const int dofs = static_cast<int>(tree.dof_link.size());
  const auto array = [&](const std::vector<int>& values) {
    arrays_.emplace_back(std::span<const int>(values), device);
    return arrays_.back().const_view();
  };
  std::vector<int> limit_start{0}, actuator_start{0}, dof_actuator;
  std::vector<Index2> dof_limit;
  for (int dof = 0; dof < dofs; ++dof) {
    for (int s = 0; s < static_cast<int>(limits.size()); ++s)
      for (int e = limits[s].first_entry; e < limits[s].first_entry + limits[s].entry_count; ++e)
        if (limit_entries[e].dof == dof) dof_limit.push_back({s, e});
    limit_start.push_back(static_cast<int>(dof_limit.size()));
    for (int a = 0; a < static_cast<int>(actuators.size()); ++a)
      if (actuators[a].dof == dof) dof_actuator.push_back(a);
    actuator_start.push_back(static_cast<int>(dof_actuator.size()));
  }
  const BlockPattern& mass = tree.mass.pattern;
  const int words = BitSets::words_for(mass.size);
  const Array<std::uint64_t> limit_words(std::int64_t{words} * static_cast<std::int64_t>(limits.size()));
  const BitSets limit_blocks{limit_words.data(), static_cast<int>(limits.size()), words};
  for (int s = 0; s < limit_blocks.count; ++s)
    for (int e = limits[s].first_entry; e < limits[s].first_entry + limits[s].entry_count; ++e)
      limit_blocks.add(s, limit_entries[e].dof / 3);
  pattern_ = PatternLists(mass.size, [&](const BitSets& coupled) {
               for (int k = 0; k < mass.size; ++k) mass.coupled.each(k, [&](int i) { coupled.add(k, i); });
               for (int s = joint_limits_; s < limit_blocks.count; ++s)
                 limit_blocks.each(s, [&](int k) {
                   limit_blocks.each(s, [&](int i) {
                     if (i < k) coupled.add(k, i);
                   });
                 });
             }).on(device);
  limit_words_ = device.is_cpu() ? limit_words : limit_words.to(device);
  limits_device_ = Array<LimitSlot>(std::span<const LimitSlot>(limits), device);
  limit_entries_device_ = Array<LimitEntry>(std::span<const LimitEntry>(limit_entries), device);
  spring_entries_device_ = Array<LimitEntry>(std::span<const LimitEntry>(spring_entries), device);
  dof_limit_ = Array<Index2>(std::span<const Index2>(dof_limit), device);
  actuators_device_ = Array<ActuatorSlot>(std::span<const ActuatorSlot>(actuators), device);
  springs_device_ = Array<SpringSlot>(std::span<const SpringSlot>(springs), device);
  rows = {.limit = limits_device_.const_view(),
          .limit_entry = limit_entries_device_.const_view(),
          .limit_blocks = {limit_words_.data(), limit_blocks.count, words},
          .single_limits = joint_limits_,
          .place_start = array(place_start_),
          .dof_limit_start = array(limit_start),
          .dof_limit = dof_limit_.const_view(),
          .pattern = pattern_.pattern};
  forces = {.actuator = actuators_device_.const_view(),
            .dof_actuator_start = array(actuator_start),
            .dof_actuator = array(dof_actuator),
            .spring = springs_device_.const_view(),
            .spring_entry = spring_entries_device_.const_view(),
            .damped = damped_};
  limit_origin_device_ = Array<LimitOrigin>(std::span<const LimitOrigin>(limit_origin_), device);
  origin = {.limit = limit_origin_device_.const_view(),
            .spring = array(spring_tendon_),
            .limit_entry = array(limit_entry_row_),
            .spring_entry = array(spring_entry_row_)};
}

}  // namespace carom::inline CAROM_PRECISION
