// SolverFeatherstone: makes the plans, collects the views and launches the step.
#include "carom/solver_featherstone.h"

#include "base/fail.h"
#include "model/kinematics.h"
#include "solvers/featherstone/kernels.h"
#include "solvers/particle_side.h"
#include "solvers/world_solver.h"

namespace carom::inline CAROM_PRECISION {

namespace {
constexpr const char* kFeatherstone = "SolverFeatherstone";
}  // namespace

struct SolverFeatherstone::Data : WorldSolver<ParticleSide> {
  SolverFeatherstoneConfig config;

  Data(const Model& m, const SolverFeatherstoneConfig& c, const Queue* q)
      : WorldSolver(kFeatherstone, m, q, MassPattern::kLoops, ParticleSide(m)), config(c) {}
};

namespace {

void check_featherstone(const SolverFeatherstoneConfig& c) {
  if (!(c.tolerance > 0)) fail(kFeatherstone, ": tolerance must be positive, is ", c.tolerance);
  if (c.iterations < 1) fail(kFeatherstone, ": iterations must be positive, is ", c.iterations);
  if (c.max_contacts < 1) fail(kFeatherstone, ": max_contacts must be positive, is ", c.max_contacts);
}

// Data is private to the solver, so the functions of this file take it as D.
template <class D>
void plan_featherstone(D& d) {
  if (!d.was_edited()) return;
  check_features(kFeatherstone, d.model, SolverFeatherstone::kAbilities.features);
  d.begin_plan();
  d.end_plan();
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
  k.loops = d.loops[p].view();
  k.readings = step_readings(d.sensed, d.loops[p], d.worlds);
  k.dt = dt;
  k.sweeps = {d.config.iterations, d.config.tolerance, d.contact_room(contacts, d.config.max_contacts)};
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
  k.contacts = d.columns_of(contacts);
  k.out_q = out.joint_q.data();
  k.out_qd = out.joint_qd.data();
  k.out_qdd = out.joint_qdd.data();
  k.report = d.sweep_report();
  return k;
}

}  // namespace

SolverFeatherstone::SolverFeatherstone(const Model& model, const SolverFeatherstoneConfig& config, const Queue* queue) {
  check_featherstone(config);
  check_features(kFeatherstone, model, kAbilities.features);
  data_ = std::make_shared<Data>(model, config, queue);
  plan_featherstone(*data_);
}

void SolverFeatherstone::step(const State& state_in, const State& state_out, const Control& control,
                              const Contacts* contacts, Real dt) {
  run_step(*this, data_->own_steps, state_in, state_out, control, contacts, dt, data_->reports.status);
}

void SolverFeatherstone::prepare(const State& state_in, const State& state_out, const Control& control, Real dt,
                                 GraphKey& key) {
  Data& d = *data_;
  d.check_step(state_in, state_out, control, dt);
  plan_featherstone(d);
  d.particles.warn(kFeatherstone, dt);
  d.add_to(key, state_in, state_out, control, dt);
}

void SolverFeatherstone::send(const State& state_in, const State& state_out, const Control& control,
                              const Contacts* contacts, Real dt, StepOfCall step) {
  Data& d = *data_;
  d.particles.send_forces(d.queue, state_in, control, contacts, dt, d.reports.status);
  d.send_plans([&](std::size_t p) { return featherstone_kernel(d, p, state_in, state_out, control, contacts, dt); },
               [](int) { return 8; });
  d.particles.send_take(d.queue, state_in, state_out, d.reports.status);
  const bool touched = d.particles.any();  // particles feel how bodies move
  if (step.poses || touched)
    send_fk(d.queue, d.model, state_out, step.velocities || step.last() || touched, d.worlds.active_of);
}

void SolverFeatherstone::set_active(std::span<const std::uint8_t> mask) { data_->set_active(mask); }
const Array<std::int32_t>& SolverFeatherstone::status() const { return data_->reports.status; }
const SolverReports& SolverFeatherstone::reports() const { return data_->reports; }
const SolverForces& SolverFeatherstone::forces() const { return data_->sensed; }
const SolverFeatherstoneConfig& SolverFeatherstone::config() const { return data_->config; }
const Model& SolverFeatherstone::model() const { return data_->model; }
const Queue& SolverFeatherstone::queue() const { return data_->queue; }

}  // namespace carom::inline CAROM_PRECISION
