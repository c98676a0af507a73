#include "dynamics/smooth_motion.h"

#include <algorithm>
#include <numeric>

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
}

void SmoothMotion::keep_up() {
  if (!worlds_.keep_up(model_, queue_)) return;
  motors_.clear();
  home_.assign(std::max(model_.world_count, 1), {});
  for (std::size_t p = 0; p < worlds_.plans.size(); ++p) {
    WorldPlan& plan = worlds_.plans[p];
    motors_.emplace_back(model_, plan);
    plan.rows.view(lanes_of<EvalSmoothMotion>(queue_, plan.world_count()));
    for (const PartRows& part : plan.archetype.parts) {
      if (part.world < 0 && model_.world_count > 0) continue;  // bodies that all worlds share stand still
      Home& home = home_[std::max(part.world, 0)];
      home.plan = static_cast<int>(p), home.part = part.id;
    }
  }
  for (std::size_t a = 0; a < model_.archetypes.size(); ++a)
    for (const int world : model_.archetypes[a].world_list)
      if (world >= 0 || model_.world_count == 0) home_[std::max(world, 0)].archetype = static_cast<int>(a);
}

SmoothMotion::Choice SmoothMotion::choose(std::span<const int> worlds) {
  keep_up();
  Choice choice{std::vector<std::vector<int>>(worlds_.plans.size()), {}, worlds_.generation()};
  std::vector<std::vector<int>> of_archetypes(model_.archetypes.size());
  for (std::size_t a = 0; a < of_archetypes.size(); ++a)
    if (model_.archetypes[a].world_list.front() < 0) of_archetypes[a] = {-1};
  for (const int world : worlds) {
    const Home& home = home_[world];
    if (home.plan >= 0) choice.parts[home.plan].push_back(home.part);
    if (home.archetype >= 0 && model_.world_count > 0) of_archetypes[home.archetype].push_back(world);
  }
  for (const std::vector<int>& list : of_archetypes) choice.of_archetypes.emplace_back(std::span<const int>(list));
  return choice;
}

SmoothMotion::Choice SmoothMotion::all() {
  std::vector<int> worlds(std::max(model_.world_count, 1));
  std::iota(worlds.begin(), worlds.end(), 0);
  return choose(worlds);
}

void SmoothMotion::place(const Choice& choice, const Array<Real>& joint_q, const Array<Real>& joint_qd,
                         const State& state) const {
  for (std::size_t i = 0; i < choice.of_archetypes.size(); ++i)
    if (!choice.of_archetypes[i].empty())
      send_fk(queue_, model_, model_.archetypes[i], choice.of_archetypes[i], joint_q, joint_qd, state);
}

void SmoothMotion::eval(const Choice& choice, const State& state, const Control& control,
                        const Array<Real>& joint_q_rate, const Array<Real>& joint_qdd) {
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
    const int n = static_cast<int>(choice.parts[p].size());
    if (n == 0) continue;
    kernel.worlds = span_of(choice.parts[p]);
    kernel.motors = motors_[p].view();
    kernel.in = tree_input(worlds_, worlds_.plans[p], lanes_of<EvalSmoothMotion>(queue_, n), state);
    run_lanes_on_cpu(queue_, kernel, n);
  }
}

void SmoothMotion::eval_push(const Choice& choice, const State& state, const Array<Real>& joint_qdd) {
  keep_up();
  EvalForwardDynamics kernel{};
  kernel.joint_f = no_dofs_.data();
  kernel.joint_qdd = joint_qdd.data();
  for (std::size_t p = 0; p < worlds_.plans.size(); ++p) {
    const int n = static_cast<int>(choice.parts[p].size());
    if (n == 0) continue;
    kernel.worlds = span_of(choice.parts[p]);
    kernel.in = tree_input(worlds_, worlds_.plans[p], lanes_of<EvalForwardDynamics>(queue_, n), state);
    kernel.in.joint_qd = no_dofs_.data();
    run_lanes_on_cpu(queue_, kernel, n);
  }
}

}  // namespace carom::inline CAROM_PRECISION
