// SolverXPBD: makes the plans, collects the views and launches the step.
#include "carom/solver_xpbd.h"

#include <algorithm>

#include "backend/launch.h"
#include "base/fail.h"
#include "dynamics/maximal.h"
#include "solvers/penalty_model.h"
#include "solvers/run_step.h"
#include "solvers/xpbd/joint_colours.h"
#include "solvers/xpbd/kernels.h"
#include "solvers/xpbd/memory.h"
#include "solvers/xpbd/particle_projection.h"

namespace carom::inline CAROM_PRECISION {

struct SolverXPBD::Data {
  Model model;
  SolverXPBDConfig config;
  Queue queue;
  int world_slots;  // worlds, or 1 for a model without
  WorldPlans worlds;
  std::vector<Motors> motors;         // of each plan
  std::vector<JointColours> colours;  // likewise
  bool turns = false;                 // some contact resists spinning or rolling
  XpbdMemory memory, kept;            // kept: from before a call of several steps, on a GPU
  Array<int> joint_memory;            // of each part: where its joints begin in `memory`
  Array<char> team_memory;            // on a GPU
  SolverReports reports;
  OwnSteps own_steps;
  ParticleProjection particles;

  Data(const Model& m, const SolverXPBDConfig& c, const Queue& q)
      : model(m),
        config(c),
        queue(q),
        world_slots(std::max(m.world_count, 1)),
        worlds(m, false),
        reports(make_reports(world_slots, m.device)),
        own_steps(m),
        particles(m, {c.substeps, c.iterations, c.enable_restitution}) {}
};

namespace {

constexpr const char* kXPBD = "SolverXPBD";
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
      joints += static_cast<int>(d.colours[p].link.size());
    }
  d.joint_memory = Array<int>(std::span<const int>(first), d.model.device);
  d.memory = XpbdMemory(d.world_slots, joints, d.model.body_count, d.model.device);
  if (d.model.device.is_cpu()) return;
  d.memory.grow(d.config.max_contacts, d.model.device);
  d.kept = d.memory.like();  // no memory is made while a graph is recorded
}

template <class D>
void plan_xpbd(D& d) {
  if (d.worlds.generation() == d.model.generation()) return;
  check_penalty_model(kXPBD, d.model);
  d.motors.clear();
  d.colours.clear();
  for (const WorldPlan& plan : d.worlds.plans) {
    d.motors.emplace_back(kXPBD, d.model, plan);
    d.colours.emplace_back(kXPBD, d.model, plan);
  }
  d.turns = resists_turning(d.model);
  d.worlds.keep_up(d.model, d.queue);
  forget_xpbd(d);
}

template <class D>
XpbdStep xpbd_kernel(D& d, std::size_t p, const State& in, const State& out, const Control& control,
                     const Contacts* contacts, Real dt, bool keeps_joints) {
  const WorldPlan& plan = d.worlds.plans[p];
  const SolverXPBDConfig& c = d.config;
  XpbdStep k{};
  k.worlds = plan.ids.const_view();
  k.maximal = maximal_worlds(d.worlds, p, d.motors[p], lanes_of<XpbdStep>(d.queue, plan.world_count()), in, out,
                             control, d.particles.body_push());
  k.joint_link = d.colours[p].link.const_view();
  k.joint_start = d.colours[p].start.const_view();
  k.options = {c.substeps,   c.iterations, c.contact_frequency, c.contact_damping,
               c.push_speed, c.overlap,    c.angular_damping,   c.enable_restitution};
  k.dt = dt;
  k.keeps_joints = keeps_joints;
  k.lost = d.particles.lost();
  k.contacts = contact_columns(d.model, d.worlds, contacts, d.turns);
  k.capacity = contacts ? d.memory.room : 0;
  k.memory = d.memory.view();
  k.joint_memory = d.joint_memory.const_view();
  k.report = {d.reports.status.data(), d.reports.contacts.data(), d.reports.iterations.data(), d.reports.needed.data(),
              d.reports.residual.data()};
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
    const int most = contacts ? most_contacts(*contacts, d.world_slots) : 0;
    if (most > d.memory.room) d.memory.grow(most + most / 4, d.model.device);  // seldom: pages of new memory are slow
  } else if (step.first()) {
    if (step.again) d.kept.send_copy_to(d.queue, d.memory);
    else d.memory.send_copy_to(d.queue, d.kept);
  }
}

}  // namespace

SolverXPBD::SolverXPBD(const Model& model, const SolverXPBDConfig& config, const Queue* queue) {
  check_xpbd(config);
  const Queue& q = queue ? *queue : default_queue(model.device);
  if (!(q.device() == model.device))
    fail(kXPBD, ": the queue is on ", q.device().name(), ", the model on ", model.device.name());
  check_penalty_model(kXPBD, model);
  data_ = std::make_shared<Data>(model, config, q);
  plan_xpbd(*data_);
}

void SolverXPBD::step(const State& state_in, const State& state_out, const Control& control, const Contacts* contacts,
                      Real dt) {
  run_step(*this, data_->own_steps, state_in, state_out, control, contacts, dt, data_->reports.status);
}

void SolverXPBD::prepare(const State& state_in, const State& state_out, const Control& control, Real dt,
                         GraphKey& key) {
  Data& d = *data_;
  check_state("step", "state_in", state_in, d.model);
  check_state("step", "state_out", state_out, d.model);
  check_control("step", "control", control, d.model);
  check_dt(kXPBD, dt);
  plan_xpbd(d);
  add_state(key, state_in);
  add_state(key, state_out);
  add_control(key, control);
  key.add(double(dt));
  key.add(d.worlds.generation());
  key.add(d.team_memory);
  d.particles.add_memory(key);
}

void SolverXPBD::send(const State& state_in, const State& state_out, const Control& control, const Contacts* contacts,
                      Real dt, StepOfCall step) {
  Data& d = *data_;
  d.particles.send_forces(d.queue, state_in, control, contacts, dt, d.reports.status);
  send_memory(d, contacts, step);
  const bool keeps_joints = step.last() || step.velocities;
  for (std::size_t p = 0; p < d.worlds.plans.size(); ++p) {
    const XpbdStep kernel = xpbd_kernel(d, p, state_in, state_out, control, contacts, dt, keeps_joints);
    const int n = d.worlds.plans[p].world_count();
    if (d.model.device.is_cpu()) run_lanes_on_cpu(d.queue, kernel, n);
    else launch_teams(d.queue, n, kernel, {.team_size = n < kManyWorlds ? 8 : 1, .memory = &d.team_memory});
  }
  d.particles.send_take(d.queue, state_in, state_out, d.reports.status);
  if (step.last()) send_mark_aligned(d.queue, d.model, state_out);
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

const Array<std::int32_t>& SolverXPBD::status() const { return data_->reports.status; }
const SolverReports& SolverXPBD::reports() const { return data_->reports; }
const SolverXPBDConfig& SolverXPBD::config() const { return data_->config; }
const Model& SolverXPBD::model() const { return data_->model; }
const Queue& SolverXPBD::queue() const { return data_->queue; }

}  // namespace carom::inline CAROM_PRECISION
