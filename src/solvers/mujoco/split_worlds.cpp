#include "solvers/mujoco/split_worlds.h"

#include <array>

#include "backend/launch.h"
#include "solvers/mujoco/kernels.h"

namespace carom::inline CAROM_PRECISION {

namespace {

template <class T>
Span<const T> view_of(const std::vector<T>& values) {
  return {values.data(), static_cast<std::int64_t>(values.size())};
}

void keep(const Array<Real>& now, Array<Real>& kept) {
  if (kept.size() != now.size()) kept = now.clone();
  else kept.assign(now);
}

}  // namespace

SplitWorlds::SplitWorlds(const Model& model, const Parts& parts, const std::vector<MuJoCoPlan>& plans)
    : islands(parts.count()), part_start_(std::span<const int>(parts.world_start)), plan_of_part_(parts.count()) {
  const auto starts = [&](const Array<int>& of_world, int all) {
    const std::array whole{0, all};
    return model.world_count > 0 ? of_world : Array<int>(std::span<const int>(whole));
  };
  coord_start_ = starts(model.joint_coord_world_start, model.joint_coord_count);
  dof_start_ = starts(model.joint_dof_world_start, model.joint_dof_count);
  for (std::size_t plan = 0; plan < plans.size(); ++plan) {
    for (const PartRows& part : plans[plan].archetype.parts) plan_of_part_[part.id] = static_cast<int>(plan);
    chain_blocks_.push_back(plans[plan].chain_blocks);
  }
}

ContactView SplitWorlds::begin(const State& state, const ContactView& given, int contact_count) {
  keep(state.joint_q, kept_q_);
  keep(state.joint_qd, kept_qd_);
  keep(state.joint_qdd, kept_qdd_);
  islands.find(contact_count, given);
  steps.clear();
  ContactView contacts = given;
  contacts.segment_start = islands.segment_start.data();
  contacts.order = islands.contact.data();
  return contacts;
}

void SplitWorlds::send_islands(const Queue& queue, const ContactView& contacts) {
  const int count = static_cast<int>(islands.start.size()) - 1;
  if (count == 0) return;
  IslandStep kernel{steps.data(),
                    plan_of_part_.data(),
                    chain_blocks_.data(),
                    view_of(islands.start),
                    view_of(islands.part),
                    islands.place.data(),
                    view_of(islands.pair_start),
                    view_of(islands.pair),
                    islands.pair_of_contact.data(),
                    contacts,
                    steps.front().newton,
                    nullptr,
                    nullptr};
  memory_start_.assign(1, 0);
  for (int i = 0; i < count; ++i) memory_start_.push_back(memory_start_.back() + kernel.scratch_bytes(i));
  if (memory_start_.back() > memory_.size()) memory_ = Array<char>(memory_start_.back() + memory_start_.back() / 2);
  kernel.memory = memory_.data();
  kernel.memory_start = memory_start_.data();
  launch(queue, count, kernel);
}

void SplitWorlds::send_reports(const Queue& queue, const ReportView& of_parts, const ContactView& given,
                               const ReportView& of_worlds, const StepOutput& out) const {
  launch(queue, static_cast<int>(part_start_.size()) - 1,
         GatherParts{part_start_.const_view(), of_parts, given.segment_start, of_worlds, coord_start_.const_view(),
                     dof_start_.const_view(), kept_q_.data(), kept_qd_.data(), kept_qdd_.data(), out.joint_q,
                     out.joint_qd, out.joint_qdd});
}

}  // namespace carom::inline CAROM_PRECISION
