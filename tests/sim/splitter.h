// Splitter: what the solver does with a model whose worlds are taken apart, up to the step of its islands.
#pragma once

#include "backend/launch.h"
#include "carom/carom.h"
#include "solvers/mujoco/kernels.h"
#include "solvers/mujoco/plans.h"
#include "solvers/mujoco/split_worlds.h"

namespace carom {

class Splitter {
 public:
  static constexpr Real kDt = Real(0.002);

  // What islands leave behind.
  struct Result {
    State state;
    SolverReports reports;  // of parts
    Array<Vec3> force;
  };

  Splitter(const Model& model, const State& state) : model_(model), state_(state), control_(model.control()) {
    const std::optional<Parts> parts = plans.keep_up(model, queue);
    split = SplitWorlds(model, *parts, plans.plans);
    contacts_ = CollisionPipeline(model).collide(state);
    material_ = Array<ContactMaterial>(contact_count());
    launch(queue, contact_count(),
           CombineMaterials{contacts_.rigid_contact_count.data(), contacts_.rigid_contact_shape0.data(),
                            contacts_.rigid_contact_shape1.data(), plans.shapes.data(), 2 * kDt, material_.data(),
                            contacts_.rigid_contact_force.data()});
    ContactView view = contact_view(contacts_, material_, plans.traits);
    if (plans.traits.has_extras) {
      extras_ = Array<ContactExtras>(contact_count());
      launch(queue, contact_count(), extras_kernel(model, plans, contacts_, state, kDt, material_, extras_));
      view.extras = extras_.data();
    }
    by_part = split.begin(queue, state, view, contact_count(), true);
  }

  int contact_count() const { return contacts_.rigid_contact_count[0]; }

  MuJoCoStep step(std::size_t plan) const {
    MuJoCoStep step = plans.plans[plan].kernel(plans.parts, state_, control_, kDt);
    step.contacts = by_part;
    step.options = model_.options;
    return step;
  }

  // run(kernel) runs it over all parts.
  template <class Run>
  Result step_islands(const Run& run) {
    const SolverMuJoCoConfig config;
    Result r{state_.clone(), make_reports(plans.part_count), Array<Vec3>(contact_count())};
    by_part.force = r.force.data();
    for (std::size_t i = 0; i < plans.plans.size(); ++i) {
      MuJoCoStep kernel = step(i);
      kernel.moves = true;
      kernel.out.joint_q = r.state.joint_q.data();
      kernel.out.joint_qd = r.state.joint_qd.data();
      kernel.out.joint_qdd = r.state.joint_qdd.data();
      kernel.out.report = report_view(r.reports);
      split.keep_step(queue, i, kernel);
    }
    run(split.island_step(queue, by_part,
                          {config.tolerance, config.ls_tolerance, config.iterations, config.ls_iterations}));
    return r;
  }

  const Queue queue;
  MuJoCoPlans plans;
  SplitWorlds split;
  ContactView by_part;

 private:
  Model model_;
  State state_;
  Control control_;
  Contacts contacts_;
  Array<ContactMaterial> material_;
  Array<ContactExtras> extras_;
};

}  // namespace carom
