// WorldSolver: what SolverSemiImplicit, SolverFeatherstone and SolverXPBD have on the host beside their kernels: plans
// of worlds that are kept up with edits, what they report, and particles (ParticleSide or ParticleProjection).
#pragma once

#include <algorithm>
#include <vector>

#include "backend/launch.h"
#include "dynamics/contact_sweeps.kernel.h"
#include "dynamics/loops.h"
#include "dynamics/motors.h"
#include "dynamics/world_plans.h"
#include "model/chosen_queue.h"
#include "model/graph_keys.h"
#include "model/owner.h"
#include "solvers/contact_columns.h"
#include "solvers/left_out.h"
#include "solvers/run_step.h"
#include "solvers/solver_forces.h"

namespace carom::inline CAROM_PRECISION {

template <class Particles>
struct WorldSolver {
  const char* name;  // of the class
  Model model;
  Queue queue;
  int world_slots;  // worlds, or 1 for a model without
  WorldPlans worlds;
  std::vector<Motors> motors;  // of each plan
  std::vector<Loops> loops;    // likewise
  bool turns = false;          // some contact resists spinning or rolling
  Array<char> team_memory;     // on a GPU
  SolverReports reports;
  SolverForces sensed;
  OwnSteps own_steps;
  Particles particles;

  WorldSolver(const char* who, const Model& m, const Queue* q, MassPattern pattern, Particles p)
      : name(who),
        model(m),
        queue(chosen_queue(who, m, q)),
        world_slots(std::max(m.world_count, 1)),
        worlds(m, pattern),
        reports(make_reports(world_slots, m.device)),
        sensed(make_solver_forces(m)),
        own_steps(m),
        particles(std::move(p)) {}

  // After an edit of the model. Between these two calls a solver makes what is its own; when something throws, the next
  // step tries again.
  bool was_edited() const { return worlds.generation() != model.generation(); }
  void begin_plan() {
    motors.clear();
    loops.clear();
    for (const WorldPlan& plan : worlds.plans) {
      motors.emplace_back(model, plan);
      loops.emplace_back(model, plan);
    }
    turns = resists_turning(model);
  }
  void end_plan() { worlds.keep_up(model, queue); }

  void check_step(const State& in, const State& out, const Control& control, Real dt) const {
    check_state("step", "state_in", in, model);
    check_state("step", "state_out", out, model);
    check_control("step", "control", control, model);
    check_dt(name, dt);
  }
  // What the launches of a step depend on.
  void add_to(GraphKey& key, const State& in, const State& out, const Control& control, Real dt) const {
    add_state(key, in);
    add_state(key, out);
    add_control(key, control);
    key.add(double(dt));
    worlds.add_to(key);
    key.add(team_memory);
    particles.add_memory(key);
  }
  // kernel_of(p): the step of plan p. team_size(n): threads of a world on a GPU, where n of them are stepped.
  template <class KernelOf, class TeamSize>
  void send_plans(KernelOf kernel_of, TeamSize team_size) {
    for (std::size_t p = 0; p < worlds.plans.size(); ++p) {
      const auto kernel = kernel_of(p);
      const int n = static_cast<int>(kernel.worlds.size);
      if (n == 0) continue;
      if (model.device.is_cpu()) run_lanes_on_cpu(queue, kernel, n);
      else launch_teams(queue, n, kernel, {.team_size = team_size(n), .memory = &team_memory});
    }
  }
  // False: the same worlds took part before.
  bool set_active(std::span<const std::uint8_t> mask) {
    if (!worlds.set_active(model, name, mask)) return false;
    particles.set_active(worlds.active);
    clear_reports(queue, reports);
    return true;
  }

  ContactColumns columns_of(const Contacts* contacts) const { return contact_columns(model, worlds, contacts, turns); }
  SweepReport sweep_report() const {
    return {reports.status.data(), reports.contacts.data(), reports.iterations.data(), reports.needed.data(),
            reports.residual.data()};
  }
  // Room for the contacts of a world: on the CPU for the most that one has.
  int contact_room(const Contacts* contacts, int most_on_gpu) const {
    if (!contacts) return 0;
    return model.device.is_cpu() ? most_contacts(*contacts, world_slots) : most_on_gpu;
  }
};

}  // namespace carom::inline CAROM_PRECISION
