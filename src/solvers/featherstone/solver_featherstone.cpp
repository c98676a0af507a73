// SolverFeatherstone: makes the plans, collects the views and launches the step.
#include "carom/solver_featherstone.h"

#include <algorithm>

#include "backend/launch.h"
#include "base/fail.h"
#include "dynamics/motors.h"
#include "solvers/featherstone/kernels.h"
#include "solvers/particle_side.h"
#include "solvers/penalty_model.h"
#include "solvers/run_step.h"

namespace carom::inline CAROM_PRECISION {

struct SolverFeatherstone::Data {
  Model model;
  SolverFeatherstoneConfig config;
  Queue queue;
  int world_slots;  // worlds, or 1 for a model without
  WorldPlans worlds;
  std::vector<Motors> motors;  // of each plan
  bool turns = false;          // some contact resists spinning or rolling
  Array<char> team_memory;     // on a GPU
  SolverReports reports;
  OwnSteps own_steps;
  ParticleSide particles;

  Data(const Model& m, const SolverFeatherstoneConfig& c, const Queue& q)
      : model(m),
        config(c),
        queue(q),
        world_slots(std::max(m.world_count, 1)),
        worlds(m),
        reports(make_reports(world_slots, m.device)),
        own_steps(m),
        particles(m) {}
};

namespace {

constexpr const char* kFeatherstone = "SolverFeatherstone";

void check_featherstone(const SolverFeatherstoneConfig& c) {
  if (!(c.tolerance > 0)) fail(kFeatherstone, ": tolerance must be positive, is ", c.tolerance);
  if (c.iterations < 1) fail(kFeatherstone, ": iterations must be positive, is ", c.iterations);
  if (c.max_contacts < 1) fail(kFeatherstone, ": max_contacts must be positive, is ", c.max_contacts);
}

// Data is private to the solver, so the functions of this file take it as D.
template <class D>
void plan_featherstone(D& d) {
  if (d.worlds.generation() == d.model.generation()) return;
  check_penalty_model(kFeatherstone, d.model);
  d.motors.clear();
  for (const WorldPlan& plan : d.worlds.plans) d.motors.emplace_back(kFeatherstone, d.model, plan);
  d.turns = resists_turning(d.model);
  d.worlds.keep_up(d.model, d.queue);
}

template <class D>
FeatherstoneStep featherstone_kernel(D& d, std::size_t p, const State& in, const State& out, const Control& control,
                                     const Contacts* contacts, Real dt) {
  WorldPlan& plan = d.worlds.plans[p];
  FeatherstoneStep k{};
  k.worlds = plan.ids.const_view();
  k.tree = plan.tree.view;
  k.link_dofs = plan.link_dofs.view();
  k.body_link = plan.tree.origin.body_link;
  k.rows = plan.rows.view(lanes_of<FeatherstoneStep>(d.queue, plan.world_count()));
  k.row_of_part = d.worlds.row.const_view();
  k.world_of = d.worlds.world.const_view();
  k.coord_start = d.worlds.coord.const_view();
  k.dof_start = d.worlds.dof.const_view();
  k.ctrl_start = d.worlds.ctrl.const_view();
  k.body_rows = {nullptr, d.worlds.body.const_view()};
  k.motors = d.motors[p].view();
  k.dt = dt;
  k.sweeps = {d.config.iterations, d.config.tolerance, 0};
  k.joint_q = in.joint_q.data();
  k.joint_qd = in.joint_qd.data();
  k.joint_qdd = in.joint_qdd.data();
  k.joint_f = control.joint_f.data();
  k.target_pos = control.joint_target_pos.data();
  k.target_vel = control.joint_target_vel.data();
  k.ctrl = control.ctrl.data();
  k.body_f = reinterpret_cast<const Real*>(in.body_f.data());
  k.body_push = d.particles.body_push();
  k.lost = d.particles.lost();
  k.contacts = contact_columns(d.model, d.worlds, contacts, d.turns);
  if (contacts)
    k.sweeps.capacity = d.model.device.is_cpu() ? most_contacts(*contacts, d.world_slots) : d.config.max_contacts;
  k.out_q = out.joint_q.data();
  k.out_qd = out.joint_qd.data();
  k.out_qdd = out.joint_qdd.data();
  k.report = {d.reports.status.data(), d.reports.contacts.data(), d.reports.iterations.data(), d.reports.needed.data(),
              d.reports.residual.data()};
  return k;
}

}  // namespace

SolverFeatherstone::SolverFeatherstone(const Model& model, const SolverFeatherstoneConfig& config, const Queue* queue) {
  check_featherstone(config);
  const Queue& q = queue ? *queue : default_queue(model.device);
  if (!(q.device() == model.device))
    fail(kFeatherstone, ": the queue is on ", q.device().name(), ", the model on ", model.device.name());
  check_penalty_model(kFeatherstone, model);
  data_ = std::make_shared<Data>(model, config, q);
  plan_featherstone(*data_);
}

void SolverFeatherstone::step(const State& state_in, const State& state_out, const Control& control,
                              const Contacts* contacts, Real dt) {
  run_step(*this, data_->own_steps, state_in, state_out, control, contacts, dt, data_->reports.status);
}

void SolverFeatherstone::prepare(const State& state_in, const State& state_out, const Control& control, Real dt,
                                 GraphKey& key) {
  Data& d = *data_;
  check_state("step", "state_in", state_in, d.model);
  check_state("step", "state_out", state_out, d.model);
  check_control("step", "control", control, d.model);
  check_dt(kFeatherstone, dt);
  plan_featherstone(d);
  d.particles.warn(kFeatherstone, dt);
  add_state(key, state_in);
  add_state(key, state_out);
  add_control(key, control);
  key.add(double(dt));
  key.add(d.worlds.generation());
  key.add(d.team_memory);
  d.particles.add_memory(key);
}

void SolverFeatherstone::send(const State& state_in, const State& state_out, const Control& control,
                              const Contacts* contacts, Real dt, StepOfCall step) {
  Data& d = *data_;
  d.particles.send_forces(d.queue, state_in, control, contacts, dt, d.reports.status);
  for (std::size_t p = 0; p < d.worlds.plans.size(); ++p) {
    const FeatherstoneStep kernel = featherstone_kernel(d, p, state_in, state_out, control, contacts, dt);
    const int n = d.worlds.plans[p].world_count();
    if (d.model.device.is_cpu()) run_lanes_on_cpu(d.queue, kernel, n);
    else launch_teams(d.queue, n, kernel, {.team_size = 8, .memory = &d.team_memory});
  }
  d.particles.send_take(d.queue, state_in, state_out, d.reports.status);
  const bool touched = d.particles.any();  // particles feel how bodies move
  if (step.poses || touched) send_fk(d.queue, d.model, state_out, step.velocities || step.last() || touched);
}

const Array<std::int32_t>& SolverFeatherstone::status() const { return data_->reports.status; }
const SolverReports& SolverFeatherstone::reports() const { return data_->reports; }
const SolverFeatherstoneConfig& SolverFeatherstone::config() const { return data_->config; }
const Model& SolverFeatherstone::model() const { return data_->model; }
const Queue& SolverFeatherstone::queue() const { return data_->queue; }

}  // namespace carom::inline CAROM_PRECISION
