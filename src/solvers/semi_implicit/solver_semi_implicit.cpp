// SolverSemiImplicit: makes the plans, collects the views and launches the step.
#include "carom/solver_semi_implicit.h"

#include "base/fail.h"
#include "dynamics/maximal.h"
#include "model/kinematics.h"
#include "solvers/particle_side.h"
#include "solvers/semi_implicit/kernels.h"
#include "solvers/world_solver.h"

namespace carom::inline CAROM_PRECISION {

namespace {

constexpr const char* kSemiImplicit = "SolverSemiImplicit";

// Two blocks of every link, its velocity and its turning, link by link from the roots to the leaves and tree by tree,
// so that the matrix of a step fills in what loops couple alone.
struct LinkBlocks {
  PatternLists pattern;
  Array<int> block, place;

  LinkBlocks(const TreePlan& plan, const std::vector<Loop>& loops, Device device) {
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
                  const int parent = plan.links[l].parent;
                  coupled.add(first[l] + 1, first[l]);
                  if (parent < 0) continue;
                  for (const int column : {first[parent], first[parent] + 1}) coupled.add(first[l], column);
                  coupled.add(first[l] + 1, first[parent] + 1);
                }
                for (const Loop& loop : loops) {
                  const std::vector<int> links = links_of(plan, loop);
                  for (const int a : links)
                    for (const int b : links) couple(coupled, a, b, first);
                }
              }).on(device);
    block = Array<int>(std::span<const int>(first), device);
    place = Array<int>(std::span<const int>(order), device);
  }

 private:
  static void couple(const BitSets& coupled, int a, int b, const std::vector<int>& first) {
    if (a < 0 || b < 0 || first[b] >= first[a]) return;
    for (const int row : {first[a], first[a] + 1})
      for (const int column : {first[b], first[b] + 1}) coupled.add(row, column);
  }
  // That a loop acts on.
  static std::vector<int> links_of(const TreePlan& plan, const Loop& loop) {
    std::vector<int> links(loop.link, loop.link + 2);
    if (loop.is_tie()) return links;
    for (const int l : loop.link)
      if (l >= 0) links.push_back(plan.links[l].parent);
    return links;
  }
};

}  // namespace

struct SolverSemiImplicit::Data : WorldSolver<ParticleSide> {
  SolverSemiImplicitConfig config;
  std::vector<LinkBlocks> blocks;  // of each plan

  Data(const Model& m, const SolverSemiImplicitConfig& c, const Queue* q)
      : WorldSolver(kSemiImplicit, m, q, MassPattern::kNone, ParticleSide(m)), config(c) {}
};

namespace {

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
  if (!d.was_edited()) return;
  check_features(kSemiImplicit, d.model, SolverSemiImplicit::kAbilities.features);
  d.begin_plan();
  d.blocks.clear();
  for (std::size_t p = 0; p < d.loops.size(); ++p)
    d.blocks.emplace_back(d.worlds.plans[p].tree, d.loops[p].list, d.model.device);
  d.end_plan();
}

template <class D>
SemiImplicitStep semi_implicit_kernel(D& d, std::size_t p, const State& in, const State& out, const Control& control,
                                      const Contacts* contacts, Real dt, bool keeps_joints) {
  const WorldPlan& plan = d.worlds.plans[p];
  SemiImplicitStep k{};
  k.worlds = plan.ids.const_view();
  k.maximal = maximal_worlds(d.worlds, p, d.motors[p], d.loops[p], d.sensed,
                             lanes_of<SemiImplicitStep>(d.queue, plan.world_count()), in, out, control,
                             d.particles.body_push());
  k.pattern = d.blocks[p].pattern.pattern;
  k.block = d.blocks[p].block.const_view();
  k.place = d.blocks[p].place.const_view();
  k.dt = dt;
  k.joint_ke = d.config.joint_attach_ke;
  k.joint_kd = d.config.joint_attach_kd;
  k.angular_damping = d.config.angular_damping;
  k.keeps_joints = keeps_joints;
  k.sweeps = {d.config.iterations, d.config.tolerance, d.contact_room(contacts, d.config.max_contacts)};
  k.lost = d.particles.lost();
  k.contacts = d.columns_of(contacts);
  k.report = d.sweep_report();
  return k;
}

}  // namespace

SolverSemiImplicit::SolverSemiImplicit(const Model& model, const SolverSemiImplicitConfig& config, const Queue* queue) {
  check_semi_implicit(config);
  check_features(kSemiImplicit, model, kAbilities.features);
  data_ = std::make_shared<Data>(model, config, queue);
  plan_semi_implicit(*data_);
}

void SolverSemiImplicit::step(const State& state_in, const State& state_out, const Control& control,
                              const Contacts* contacts, Real dt) {
  run_step(*this, data_->own_steps, state_in, state_out, control, contacts, dt, data_->reports.status);
}

void SolverSemiImplicit::prepare(const State& state_in, const State& state_out, const Control& control, Real dt,
                                 GraphKey& key) {
  Data& d = *data_;
  d.check_step(state_in, state_out, control, dt);
  plan_semi_implicit(d);
  d.particles.warn(kSemiImplicit, dt);
  d.add_to(key, state_in, state_out, control, dt);
}

void SolverSemiImplicit::send(const State& state_in, const State& state_out, const Control& control,
                              const Contacts* contacts, Real dt, StepOfCall step) {
  Data& d = *data_;
  d.particles.send_forces(d.queue, state_in, control, contacts, dt, d.reports.status);
  const bool keeps_joints = step.last() || step.velocities;
  d.send_plans(
      [&](std::size_t p) {
        return semi_implicit_kernel(d, p, state_in, state_out, control, contacts, dt, keeps_joints);
      },
      [](int) { return 8; });
  d.particles.send_take(d.queue, state_in, state_out, d.reports.status);
  if (step.last()) send_mark_aligned(d.queue, d.model, state_out);
}

void SolverSemiImplicit::set_active(std::span<const std::uint8_t> mask) { data_->set_active(mask); }
const Array<std::int32_t>& SolverSemiImplicit::status() const { return data_->reports.status; }
const SolverReports& SolverSemiImplicit::reports() const { return data_->reports; }
const SolverForces& SolverSemiImplicit::forces() const { return data_->sensed; }
const SolverSemiImplicitConfig& SolverSemiImplicit::config() const { return data_->config; }
const Model& SolverSemiImplicit::model() const { return data_->model; }
const Queue& SolverSemiImplicit::queue() const { return data_->queue; }

}  // namespace carom::inline CAROM_PRECISION
