#include "dynamics/smooth_motion.h"

#include <algorithm>

#include "backend/launch.h"
#include "dynamics/kernels.h"
#include "dynamics/tree_input.h"
#include "model/kinematics.h"

namespace carom::inline CAROM_PRECISION {

namespace {

Span<const int> span_of(const std::vector<int>& numbers) {
  return {numbers.data(), static_cast<std::int64_t>(numbers.size())};
}

}  // namespace

SmoothMotion::SmoothMotion(const Model& model, const Queue& queue)
    : model_(model), queue_(queue), worlds_(model, MassPattern::kNone), no_dofs_(model.joint_dof_count) {
  keep_up();
  choose(std::vector<std::uint8_t>(std::max(model.world_count, 1), 1));
}

void SmoothMotion::keep_up() {
  if (!worlds_.keep_up(model_, queue_)) return;
  motors_.clear();
  for (const WorldPlan& plan : worlds_.plans) motors_.emplace_back(model_, plan);
}

void SmoothMotion::choose(const std::vector<std::uint8_t>& worlds) {
  if (worlds == chosen_) return;
  chosen_ = worlds;
  ids_.clear();
  for (const WorldPlan& plan : worlds_.plans) {
    std::vector<int>& ids = ids_.emplace_back();
    for (const PartRows& part : plan.archetype.parts)
      if (chosen_[std::max(part.world, 0)]) ids.push_back(part.id);
  }
  of_archetypes_.clear();
  for (const Archetype& archetype : model_.archetypes) {
    std::vector<int> list;
    for (const int world : archetype.world_list)
      if (world < 0 || chosen_[world]) list.push_back(world);
    of_archetypes_.emplace_back(std::span<const int>(list));
  }
}

void SmoothMotion::place(const Array<Real>& joint_q, const Array<Real>& joint_qd, const State& state) const {
  for (std::size_t i = 0; i < of_archetypes_.size(); ++i)
    if (!of_archetypes_[i].empty())
      send_fk(queue_, model_, model_.archetypes[i], of_archetypes_[i], joint_q, joint_qd, state);
}

void SmoothMotion::eval(const State& state, const Control& control, const Array<Real>& joint_q_rate,
                        const Array<Real>& joint_qdd) {
  keep_up();
  EvalSmoothMotion kernel{};
  kernel.ctrl_start = worlds_.ctrl.const_view();
  kernel.joint_f = control.joint_f.data();
  kernel.target_pos = control.joint_target_pos.data();
  kernel.target_vel = control.joint_target_vel.data();
  kernel.ctrl = control.ctrl.data();
  kernel.joint_q_rate = joint_q_rate.data();
  kernel.joint_qdd = joint_qdd.data();
  for (std::size_t p = 0; p < worlds_.plans.size(); ++p) {
    const int n = static_cast<int>(ids_[p].size());
    if (n == 0) continue;
    kernel.worlds = span_of(ids_[p]);
    kernel.motors = motors_[p].view();
    kernel.in = tree_input(worlds_, worlds_.plans[p], lanes_of<EvalSmoothMotion>(queue_, n), state);
    run_lanes_on_cpu(queue_, kernel, n);
  }
}

void SmoothMotion::eval_push(const State& state, const Array<Real>& joint_qdd) {
  keep_up();
  EvalForwardDynamics kernel{};
  kernel.joint_f = no_dofs_.data();
  kernel.joint_qdd = joint_qdd.data();
  for (std::size_t p = 0; p < worlds_.plans.size(); ++p) {
    const int n = static_cast<int>(ids_[p].size());
    if (n == 0) continue;
    kernel.worlds = span_of(ids_[p]);
    kernel.in = tree_input(worlds_, worlds_.plans[p], lanes_of<EvalForwardDynamics>(queue_, n), state);
    kernel.in.joint_qd = no_dofs_.data();
    run_lanes_on_cpu(queue_, kernel, n);
  }
}

}  // namespace carom::inline CAROM_PRECISION
