#include "solvers/mujoco/split_worlds.h"

#include <algorithm>
#include <array>
#include <limits>

#include "backend/scratch.h"
#include "backend/send_copy.h"
#include "base/fail.h"
#include "solvers/mujoco/kernels.h"

namespace carom::inline CAROM_PRECISION {

SplitWorlds::SplitWorlds(const Model& model, const Parts& parts, const std::vector<MuJoCoPlan>& plans)
    : islands_(parts.world_start, model.device),
      most_bytes_(plans.size()),
      steps_(static_cast<std::int64_t>(plans.size()), model.device),
      memory_units_(parts.count(), model.device),
      memory_start_(parts.count() + 1, model.device),
      kept_q_(model.joint_coord_count, model.device),
      kept_qd_(model.joint_dof_count, model.device),
      kept_qdd_(model.joint_dof_count, model.device),
      kept_act_(model.act_count, model.device),
      kept_history_(model.ctrl_history_count, model.device) {
  if (model.layout->springs_yield) {
    kept_joint_springs_ = Array<Real>(model.joint_dof_count, model.device);
    kept_tendon_springs_ = Array<RealN<2>>(model.tendon_count, model.device);
  }
  const auto starts = [&](const Array<int>& of_world, int all) {
    const std::array whole{0, all};
    return model.world_count > 0 ? of_world : Array<int>(std::span<const int>(whole), model.device);
  };
  coord_start_ = starts(model.joint_coord_world_start, model.joint_coord_count);
  dof_start_ = starts(model.joint_dof_world_start, model.joint_dof_count);
  act_start_ = starts(model.act_world_start, model.act_count);
  history_start_ = starts(model.ctrl_history_world_start, model.ctrl_history_count);
  tendon_start_ = starts(model.tendon_world_start, model.tendon_count);
  std::vector<int> plan_of_part(parts.count()), chain_blocks;
  std::vector<std::int64_t> blocks_of_world(islands_.worlds());
  for (const MuJoCoPlan& plan : plans) {
    const std::int64_t blocks = plan.tree.view.blocks();
    for (const PartRows& part : plan.archetype.parts) {
      plan_of_part[part.id] = static_cast<int>(chain_blocks.size());
      blocks_of_world[std::max(part.world, 0)] += blocks;
    }
    parts_of_plan_.push_back(static_cast<int>(plan.archetype.parts.size()));
    chain_blocks.push_back(plan.chain_blocks);
    most_chain_ = std::max(most_chain_, plan.chain_blocks);
    most_pair_ = std::max(most_pair_, blocks * blocks);
  }
  for (const std::int64_t blocks : blocks_of_world) pairs_of_worlds_ += blocks * blocks;
  plan_of_part_ = Array<int>(std::span<const int>(plan_of_part), model.device);
  chain_blocks_ = Array<int>(std::span<const int>(chain_blocks), model.device);
}

ContactView SplitWorlds::begin(const Queue& queue, const State& state, const ContactView& given, std::int64_t room,
                               bool saves, const int* asleep) {
  if (saves) {
    send_copy(queue, state.joint_q, kept_q_);
    send_copy(queue, state.joint_qd, kept_qd_);
    send_copy(queue, state.joint_qdd, kept_qdd_);
    send_copy(queue, state.act, kept_act_);
    send_copy(queue, state.ctrl_history, kept_history_);
    send_copy(queue, state.joint_spring_shift, kept_joint_springs_);
    send_copy(queue, state.tendon_spring_shift, kept_tendon_springs_);
  }
  islands_.send(queue, given, room, asleep);
  return islands_.by_segment(given);
}

void SplitWorlds::keep_step(const Queue& queue, std::size_t plan, const MuJoCoStep& step) {
  KeepStep keep{step, steps_.data() + plan};
  keep.step.in_island = true;
  launch(queue, 1, keep);
  most_bytes_[plan] = IslandStep::most_bytes_of_part(step);
}

std::int64_t SplitWorlds::memory_used(const Queue& queue) const {
  return scan_total(queue, scan_) * IslandStep::kMemoryUnit;
}

std::int64_t SplitWorlds::most_memory(ContactTraits traits, std::int64_t contacts) const {
  std::int64_t bytes = contacts * IslandStep::most_bytes_of_contact(traits, most_chain_);
  bytes += std::min(contacts * most_pair_, pairs_of_worlds_) * std::int64_t{sizeof(Mat33)};
  for (std::size_t plan = 0; plan < most_bytes_.size(); ++plan) bytes += parts_of_plan_[plan] * most_bytes_[plan];
  return bytes;
}

IslandStep SplitWorlds::island_step(const Queue& queue, const ContactView& contacts, const NewtonOptions& newton) {
  IslandStep kernel{steps_.data(), plan_of_part_.data(), chain_blocks_.data(), islands_.view(), contacts, newton,
                    nullptr,       memory_start_.data()};
  launch(queue, islands_.parts(), MeasureIslands{kernel, memory_units_.data()});
  exclusive_scan(queue, memory_units_.const_view(), memory_start_.view(), scan_);
  const std::int64_t bytes =
      queue.device().is_cpu() ? memory_used(queue) : most_memory(contacts.traits, islands_.room());
  if (bytes > std::numeric_limits<int>::max() * IslandStep::kMemoryUnit)
    fail("SolverMuJoCo: islands of ", islands_.parts(), " parts may need ", bytes >> 30,
         " GiB; use fewer worlds at once");
  grow(memory_, bytes, queue.device());
  kernel.memory = memory_.data();
  return kernel;
}

void SplitWorlds::send_reports(const Queue& queue, const ReportView& of_parts, const ContactView& given,
                               const ReportView& of_worlds, const StepOutput& out) const {
  launch(queue, islands_.worlds(),
         GatherParts{islands_.part_start(),
                     of_parts,
                     given.segment_start,
                     of_worlds,
                     coord_start_.const_view(),
                     dof_start_.const_view(),
                     act_start_.const_view(),
                     history_start_.const_view(),
                     tendon_start_.const_view(),
                     kept_q_.data(),
                     kept_qd_.data(),
                     kept_qdd_.data(),
                     kept_act_.data(),
                     kept_history_.data(),
                     out.joint_q,
                     out.joint_qd,
                     out.joint_qdd,
                     out.act,
                     out.ctrl_history,
                     {kept_joint_springs_.data(), reinterpret_cast<const Real*>(kept_tendon_springs_.data())},
                     out.spring_shifts});
}

}  // namespace carom::inline CAROM_PRECISION
