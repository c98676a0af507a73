// SolverXPBD: makes the plans, collects the views and launches the step.
#include "carom/solver_xpbd.h"

#include <algorithm>

#include "base/fail.h"
#include "dynamics/maximal.h"
#include "dynamics/sleep.h"
#include "model/kinematics.h"
#include "solvers/world_solver.h"
#include "solvers/xpbd/joint_colours.h"
#include "solvers/xpbd/kernels.h"
#include "solvers/xpbd/memory.h"
#include "solvers/xpbd/particle_projection.h"

namespace carom::inline CAROM_PRECISION {

namespace {
constexpr const char* kXPBD = "SolverXPBD";
}  // namespace

struct SolverXPBD::Data : WorldSolver<ParticleProjection> {
  SolverXPBDConfig config;
  std::vector<ColouredList> joints, couplings;  // of each plan
  XpbdMemory memory, kept;                      // kept: from before a call of several steps, on a GPU
  Array<int> joint_memory;                      // of each part: where its joints begin in `memory`
  Sleep sleep;
  std::vector<Array<int>> awake;  // on the CPU: worlds of each plan that are stepped, with room for all

  Data(const Model& m, const SolverXPBDConfig& c, const Queue* q)
      : WorldSolver(kXPBD, m, q, MassPattern::kNone,
                    ParticleProjection(m, {c.substeps, c.iterations, c.enable_restitution})),
        config(c) {}
};

namespace {

constexpr int kManyWorlds = 16'384;  // that keep a GPU busy with one thread each

void check_xpbd(const SolverXPBDConfig& c) {
  for (const auto& [name, value] :
       {std::pair{"iterations", c.iterations}, {"substeps", c.substeps}, {"max_contacts", c.max_contacts}})
    if (value < 1) fail(kXPBD, ": ", name, " must be positive, is ", value);
  if (!(c.contact_frequency > 0)) fail(kXPBD, ": contact_frequency must be positive, is ", c.contact_frequency);
  for (const auto& [name, value] : {std::pair{"contact_damping", c.contact_damping},
                                    {"push_speed", c.push_speed},
                                    {"overlap", c.overlap},
                                    {"angular_damping", c.angular_damping}})
    if (!(value >= 0)) fail(kXPBD, ": ", name, " must not be negative, is ", value);
}

// Data is private to the solver, so the functions of this file take it as D.
// An edited model begins without memory.
template <class D>
void forget_xpbd(D& d) {
  std::vector<int> first(d.worlds.row.size(), 0);
  int joints = 0;
  for (std::size_t p = 0; p < d.worlds.plans.size(); ++p)
    for (const PartRows& part : d.worlds.plans[p].archetype.parts) {
      first[part.id] = joints;
      joints += static_cast<int>(d.joints[p].item.size() + d.couplings[p].item.size());
    }
  d.joint_memory = Array<int>(std::span<const int>(first), d.model.device);
  d.memory = XpbdMemory(d.world_slots, joints, d.model.body_count, d.model.device);
  if (d.model.device.is_cpu()) return;
  d.memory.grow(d.config.max_contacts, d.model.device);
  d.kept = d.memory.like();  // no memory is made while a graph is recorded
}

// What pushes particles would have to wake is not known before contacts are looked for.
void check_xpbd_model(const Model& model) {
  check_features(kXPBD, model, SolverXPBD::kAbilities.features);
  check_sleep(kXPBD, model);
  if (model.options.sleep && model.particle_count > 0)
    fail(kXPBD, " does not support options.sleep beside particles (", model.particle_count, " particles)");
}

template <class D>
void plan_sleep(D& d) {
  const Parts trees = find_parts(HostModel(d.model), 0);
  d.sleep = Sleep(d.model, trees.world_start, parts_of_bodies(d.model, trees));
  d.sleep.set_active(d.worlds.active);
  d.awake.clear();
  for (const WorldPlan& plan : d.worlds.plans)
    d.awake.emplace_back(static_cast<std::int64_t>(plan.archetype.parts.size()));
}

template <class D>
void plan_xpbd(D& d) {
  if (!d.was_edited()) return;
  check_xpbd_model(d.model);
  d.begin_plan();
  d.joints.clear();
  d.couplings.clear();
  for (std::size_t p = 0; p < d.loops.size(); ++p) {
    const WorldPlan& plan = d.worlds.plans[p];
    d.joints.push_back(colour_joints(kXPBD, d.model, plan, d.loops[p].list));
    d.couplings.push_back(colour_couplings(plan, d.loops[p].list, d.model.device));
  }
  if (d.model.options.sleep) plan_sleep(d);
  d.end_plan();
  forget_xpbd(d);
}

// Who sleeps in this step, and who falls asleep with it.
template <class D>
void send_sleep(D& d, const State& in, const State& out, const Control& control, const Contacts* contacts) {
  const Touches touches = touches_of(contacts, d.model.shape_body);
  d.sleep.wake(d.queue, in, control, touches);
  d.sleep.keep(d.queue, in, out);
  d.sleep.choose(d.queue, d.model, in, control, d.sleep.join(d.queue, touches));
  launch(d.queue, d.world_slots,
         ReportSleepingWorlds{d.sleep.view().world_asleep, d.columns_of(contacts), d.sweep_report()});
}

// The worlds of plan p without those that sleep altogether. A GPU, which cannot be asked, is given all of them.
template <class D>
Span<const int> stepped_worlds(D& d, std::size_t p) {
  const Array<int>& ids = d.worlds.plans[p].ids;
  if (!d.sleep.any() || !d.model.device.is_cpu()) return ids.const_view();
  int* const awake = d.awake[p].data();
  const auto is_awake = [&](int id) { return !d.sleep.is_world_asleep(d.worlds.world[id]); };
  return {awake, std::copy_if(ids.begin(), ids.end(), awake, is_awake) - awake};
}

template <class D>
XpbdStep xpbd_kernel(D& d, std::size_t p, const State& in, const State& out, const Control& control,
                     const Contacts* contacts, Real dt, bool keeps_joints) {
  const SolverXPBDConfig& c = d.config;
  XpbdStep k{};
  k.worlds = stepped_worlds(d, p);
  const int lanes = lanes_of<XpbdStep>(d.queue, static_cast<int>(k.worlds.size));
  k.maximal =
      maximal_worlds(d.worlds, p, d.motors[p], d.loops[p], d.sensed, lanes, in, out, control, d.particles.body_push());
  k.joint = d.joints[p].item.const_view();
  k.joint_start = d.joints[p].start.const_view();
  k.coupling = d.couplings[p].item.const_view();
  k.coupling_start = d.couplings[p].start.const_view();
  k.options = {c.substeps,   c.iterations, c.contact_frequency, c.contact_damping,
               c.push_speed, c.overlap,    c.angular_damping,   c.enable_restitution};
  k.dt = dt;
  k.keeps_joints = keeps_joints;
  k.lost = d.particles.lost();
  k.contacts = d.columns_of(contacts);
  if (!c.enable_restitution) k.contacts.material.restitution = nullptr;
  k.capacity = contacts ? d.memory.room : 0;
  k.memory = d.memory.view();
  k.joint_memory = d.joint_memory.const_view();
  k.report = d.sweep_report();
  k.crew = d.model.device.is_cpu() && k.worlds.size == 1 ? &d.queue : nullptr;
  if (d.sleep.any()) k.sleep = d.sleep.view();
  return k;
}

// What users hold. That it is ours is told by what deletes it.
struct RememberedByXpbd {
  XpbdMemory memory;
  std::shared_ptr<const WorldLayout> layout;  // of the model
};
struct ForgetXpbd {
  void operator()(const RememberedByXpbd* remembered) const { delete remembered; }
};

// Room for what the step remembers. Steps that are sent again begin with the memory that the first one did.
template <class D>
void send_memory(D& d, const Contacts* contacts, const StepOfCall& step) {
  if (d.model.device.is_cpu()) {
    int most = contacts ? most_contacts(*contacts, d.world_slots) : 0;
    if (d.sleep.any()) most += *std::max_element(d.memory.count.begin(), d.memory.count.end());  // of what sleeps
    if (most > d.memory.room) d.memory.grow(most + most / 4, d.model.device);  // seldom: pages of new memory are slow
  } else if (step.first()) {
    if (step.again) d.kept.send_copy_to(d.queue, d.memory);
    else d.memory.send_copy_to(d.queue, d.kept);
  }
}

}  // namespace

SolverXPBD::SolverXPBD(const Model& model, const SolverXPBDConfig& config, const Queue* queue) {
  check_xpbd(config);
  check_xpbd_model(model);
  data_ = std::make_shared<Data>(model, config, queue);
  plan_xpbd(*data_);
}

void SolverXPBD::step(const State& state_in, const State& state_out, const Control& control, const Contacts* contacts,
                      Real dt) {
  run_step(*this, data_->own_steps, state_in, state_out, control, contacts, dt, data_->reports.status);
}

void SolverXPBD::prepare(const State& state_in, const State& state_out, const Control& control, Real dt,
                         GraphKey& key) {
  Data& d = *data_;
  d.check_step(state_in, state_out, control, dt);
  plan_xpbd(d);
  d.add_to(key, state_in, state_out, control, dt);
}

void SolverXPBD::send(const State& state_in, const State& state_out, const Control& control, const Contacts* contacts,
                      Real dt, StepOfCall step) {
  Data& d = *data_;
  d.particles.send_forces(d.queue, state_in, control, contacts, dt, d.reports.status);
  send_memory(d, contacts, step);
  const bool sleeps = d.sleep.any();
  if (sleeps) send_sleep(d, state_in, state_out, control, contacts);
  const bool keeps_joints = step.last() || step.velocities || sleeps;
  d.send_plans(
      [&](std::size_t p) { return xpbd_kernel(d, p, state_in, state_out, control, contacts, dt, keeps_joints); },
      [](int n) { return n < kManyWorlds ? 8 : 1; });
  if (sleeps) d.sleep.put_to_sleep(d.queue, d.reports.status, state_out.joint_q.data(), state_out);
  d.particles.send_take(d.queue, state_in, state_out, d.reports.status);
  if (step.last()) send_mark_aligned(d.queue, d.model, state_out);
}

bool SolverXPBD::sleeps() const { return data_->sleep.any(); }
void SolverXPBD::send_wake(const State& state, const Control& control) {
  data_->sleep.wake_written(data_->queue, state, control);
}

std::shared_ptr<const void> SolverXPBD::remember() const {
  const std::shared_ptr<RememberedByXpbd> copy(new RememberedByXpbd{{}, data_->model.layout}, ForgetXpbd{});
  data_->memory.send_copy_to(data_->queue, copy->memory);
  data_->queue.finish();
  return copy;
}
void SolverXPBD::recall(const std::shared_ptr<const void>& memory) {
  if (!memory) return;
  if (!std::get_deleter<ForgetXpbd>(memory)) fail(kXPBD, ": recall: the memory is that of another solver");
  const auto& remembered = *static_cast<const RememberedByXpbd*>(memory.get());
  if (remembered.layout != data_->model.layout) fail(kXPBD, ": recall: the memory belongs to another model");
  if (!remembered.memory.fits(data_->memory)) return;  // of before an edit: worlds begin without
  remembered.memory.send_copy_to(data_->queue, data_->memory);
  data_->queue.finish();
}

void SolverXPBD::set_active(std::span<const std::uint8_t> mask) {
  Data& d = *data_;
  if (d.set_active(mask) && d.sleep.any()) d.sleep.set_active(d.worlds.active);
}

const Array<std::int32_t>& SolverXPBD::status() const { return data_->reports.status; }
const SolverReports& SolverXPBD::reports() const { return data_->reports; }
const SolverForces& SolverXPBD::forces() const { return data_->sensed; }
const SolverXPBDConfig& SolverXPBD::config() const { return data_->config; }
const Model& SolverXPBD::model() const { return data_->model; }
const Queue& SolverXPBD::queue() const { return data_->queue; }

}  // namespace carom::inline CAROM_PRECISION
