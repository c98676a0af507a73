// SolverSemiImplicit: makes the plans, collects the views and launches the step.
#include "carom/solver_semi_implicit.h"

#include <algorithm>

#include "backend/launch.h"
#include "base/fail.h"
#include "dynamics/maximal.h"
#include "solvers/particle_side.h"
#include "solvers/penalty_model.h"
#include "solvers/run_step.h"
#include "solvers/semi_implicit/kernels.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Two blocks of every link, its velocity and its turning, link by link from the roots to the leaves and tree by tree,
// so that the matrix of a step fills in nothing.
struct LinkBlocks {
  PatternLists pattern;
  Array<int> block, place;

  LinkBlocks(const TreePlan& plan, Device device) {
    std::vector<int> order, first(plan.links.size());
    const auto add = [&](const auto& self, int l) -> void {
      first[l] = 2 * static_cast<int>(order.size());
      order.push_back(l);
      for (int c = 0; c < static_cast<int>(plan.links.size()); ++c)
        if (plan.links[c].parent == l) self(self, c);
    };
    for (int l = 0; l < static_cast<int>(plan.links.size()); ++l)
      if (plan.links[l].parent < 0) add(add, l);
    pattern = PatternLists(2 * static_cast<int>(order.size()), [&](const BitSets& coupled) {
                for (std::size_t l = 0; l < plan.links.size(); ++l) {
                  const int b = first[l], parent = plan.links[l].parent;
                  coupled.add(b + 1, b);
                  if (parent < 0) continue;
                  for (const int row : {b, b + 1})
                    for (const int column : {first[parent], first[parent] + 1}) coupled.add(row, column);
                }
              }).on(device);
    block = Array<int>(std::span<const int>(first), device);
    place = Array<int>(std::span<const int>(order), device);
  }
};

}  // namespace

struct SolverSemiImplicit::Data {
  Model model;
  SolverSemiImplicitConfig config;
  Queue queue;
  int world_slots;  // worlds, or 1 for a model without
  WorldPlans worlds;
  std::vector<Motors> motors;      // of each plan
  std::vector<LinkBlocks> blocks;  // likewise
  bool turns = false;              // some contact resists spinning or rolling
  Array<char> team_memory;         // on a GPU
  SolverReports reports;
  OwnSteps own_steps;
  ParticleSide particles;

  Data(const Model& m, const SolverSemiImplicitConfig& c, const Queue& q)
      : model(m),
        config(c),
        queue(q),
        world_slots(std::max(m.world_count, 1)),
        worlds(m, false),
        reports(make_reports(world_slots, m.device)),
        own_steps(m),
        particles(m) {
    for (const WorldPlan& plan : worlds.plans) blocks.emplace_back(plan.tree, m.device);
  }
};

namespace {

constexpr const char* kSemiImplicit = "SolverSemiImplicit";

void check_semi_implicit(const SolverSemiImplicitConfig& c) {
  if (!(c.tolerance > 0)) fail(kSemiImplicit, ": tolerance must be positive, is ", c.tolerance);
  if (c.iterations < 1) fail(kSemiImplicit, ": iterations must be positive, is ", c.iterations);
  for (const auto& [name, value] : {std::pair{"joint_attach_ke", c.joint_attach_ke},
                                    {"joint_attach_kd", c.joint_attach_kd},
                                    {"angular_damping", c.angular_damping}})
    if (!(value >= 0)) fail(kSemiImplicit, ": ", name, " must not be negative, is ", value);
  if (c.max_contacts < 1) fail(kSemiImplicit, ": max_contacts must be positive, is ", c.max_contacts);
}

// Data is private to the solver, so the functions of this file take it as D.
template <class D>
void plan_semi_implicit(D& d) {
  if (d.worlds.generation() == d.model.generation()) return;
  check_penalty_model(kSemiImplicit, d.model);
  d.motors.clear();
  for (const WorldPlan& plan : d.worlds.plans) d.motors.emplace_back(kSemiImplicit, d.model, plan);
  d.turns = resists_turning(d.model);
  d.worlds.keep_up(d.model, d.queue);
}

template <class D>
SemiImplicitStep semi_implicit_kernel(D& d, std::size_t p, const State& in, const State& out, const Control& control,
                                      const Contacts* contacts, Real dt, bool keeps_joints) {
  const WorldPlan& plan = d.worlds.plans[p];
  SemiImplicitStep k{};
  k.worlds = plan.ids.const_view();
  k.maximal = maximal_worlds(d.worlds, p, d.motors[p], lanes_of<SemiImplicitStep>(d.queue, plan.world_count()), in, out,
                             control, d.particles.body_push());
  k.pattern = d.blocks[p].pattern.pattern;
  k.block = d.blocks[p].block.const_view();
  k.place = d.blocks[p].place.const_view();
  k.dt = dt;
  k.joint_ke = d.config.joint_attach_ke;
  k.joint_kd = d.config.joint_attach_kd;
  k.angular_damping = d.config.angular_damping;
  k.keeps_joints = keeps_joints;
  k.sweeps = {d.config.iterations, d.config.tolerance, 0};
  k.lost = d.particles.lost();
  k.contacts = contact_columns(d.model, d.worlds, contacts, d.turns);
  if (contacts)
    k.sweeps.capacity = d.model.device.is_cpu() ? most_contacts(*contacts, d.world_slots) : d.config.max_contacts;
  k.report = {d.reports.status.data(), d.reports.contacts.data(), d.reports.iterations.data(), d.reports.needed.data(),
              d.reports.residual.data()};
  return k;
}

}  // namespace

SolverSemiImplicit::SolverSemiImplicit(const Model& model, const SolverSemiImplicitConfig& config, const Queue* queue) {
  check_semi_implicit(config);
  const Queue& q = queue ? *queue : default_queue(model.device);
  if (!(q.device() == model.device))
    fail(kSemiImplicit, ": the queue is on ", q.device().name(), ", the model on ", model.device.name());
  check_penalty_model(kSemiImplicit, model);
  data_ = std::make_shared<Data>(model, config, q);
  plan_semi_implicit(*data_);
}

void SolverSemiImplicit::step(const State& state_in, const State& state_out, const Control& control,
                              const Contacts* contacts, Real dt) {
  run_step(*this, data_->own_steps, state_in, state_out, control, contacts, dt, data_->reports.status);
}

void SolverSemiImplicit::prepare(const State& state_in, const State& state_out, const Control& control, Real dt,
                                 GraphKey& key) {
  Data& d = *data_;
  check_state("step", "state_in", state_in, d.model);
  check_state("step", "state_out", state_out, d.model);
  check_control("step", "control", control, d.model);
  check_dt(kSemiImplicit, dt);
  plan_semi_implicit(d);
  d.particles.warn(kSemiImplicit, dt);
  add_state(key, state_in);
  add_state(key, state_out);
  add_control(key, control);
  key.add(double(dt));
  key.add(d.worlds.generation());
  key.add(d.team_memory);
  d.particles.add_memory(key);
}

void SolverSemiImplicit::send(const State& state_in, const State& state_out, const Control& control,
                              const Contacts* contacts, Real dt, StepOfCall step) {
  Data& d = *data_;
  d.particles.send_forces(d.queue, state_in, control, contacts, dt, d.reports.status);
  const bool keeps_joints = step.last() || step.velocities;
  for (std::size_t p = 0; p < d.worlds.plans.size(); ++p) {
    const SemiImplicitStep kernel =
        semi_implicit_kernel(d, p, state_in, state_out, control, contacts, dt, keeps_joints);
    const int n = d.worlds.plans[p].world_count();
    if (d.model.device.is_cpu()) run_lanes_on_cpu(d.queue, kernel, n);
    else launch_teams(d.queue, n, kernel, {.team_size = 8, .memory = &d.team_memory});
  }
  d.particles.send_take(d.queue, state_in, state_out, d.reports.status);
  if (step.last()) send_mark_aligned(d.queue, d.model, state_out);
}

const Array<std::int32_t>& SolverSemiImplicit::status() const { return data_->reports.status; }
const SolverReports& SolverSemiImplicit::reports() const { return data_->reports; }
const SolverSemiImplicitConfig& SolverSemiImplicit::config() const { return data_->config; }
const Model& SolverSemiImplicit::model() const { return data_->model; }
const Queue& SolverSemiImplicit::queue() const { return data_->queue; }

}  // namespace carom::inline CAROM_PRECISION
