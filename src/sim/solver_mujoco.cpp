// SolverMuJoCo: makes the plans, collects the views and launches the step.
#include "carom/solver_mujoco.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "backend/graph.h"
#include "backend/launch.h"
#include "base/fail.h"
#include "model/kinematics.h"
#include "model/owner.h"
#include "sim/kernels.h"
#include "sim/mujoco_plan.h"

namespace carom::inline CAROM_PRECISION {

struct SolverMuJoCo::Data {
  Model model;
  SolverMuJoCoConfig config;
  Queue queue;
  std::vector<MuJoCoPlan> plans;
  std::int64_t generation = -1;  // of the model that the plans were made from
  Real packed_dt = -1;
  int world_slots;  // worlds, or 1 for a model without

  Array<WorldReport> report;
  Array<std::int32_t> status, pose_status;  // of all; of poses written from outside, then one for the globals
  bool keep_contacts = true;
  int contact_capacity = 0;  // room per world for contacts with friction, and as much for those without
  Array<int> contact_count;
  Array<SlotContact> contact_slot;
  Array<std::int64_t> stage_ticks;
  Array<char> team_memory;  // of the teams on a GPU
  Graphs graphs;

  // Worlds of each plan in the order in which lanes take them, and room to sort them.
  std::vector<Array<int>> order;
  std::vector<int> sort_room;

  Data(const Model& m, const SolverMuJoCoConfig& c, const Queue& q) : model(m), config(c), queue(q) {}

  int contact_slots() const { return 2 * contact_capacity; }  // per world, of both kinds
};

namespace {

void check_config(const SolverMuJoCoConfig& c) {
  const auto positive = [](const char* name, auto value) {
    if (!(value > 0)) fail("SolverMuJoCo: ", name, " must be positive, is ", value);
  };
  positive("tolerance", c.tolerance);
  positive("ls_tolerance", c.ls_tolerance);
  positive("iterations", c.iterations);
  positive("ls_iterations", c.ls_iterations);
  positive("max_contacts", c.max_contacts);
  const std::array sizes{0, 1, 8, 32};
  if (std::find(sizes.begin(), sizes.end(), c.team_size) == sizes.end())
    fail("SolverMuJoCo: team_size must be 1, 8 or 32, or 0 to choose by the worlds, is ", c.team_size);
}

// What depends on the structure of the worlds and on which of their features are in use: made once, and again after
// the model was edited. When that throws, the next call tries again.
template <class D>
void make_plans(D& d) {
  if (d.generation == d.model.generation()) return;
  const HostModel host(d.model);
  check_supported(host);
  const ModelFilter filter(d.model, Device{});
  std::vector<MuJoCoPlan> plans;
  std::vector<Array<int>> order;
  int pairs = 0;
  for (const Archetype& archetype : d.model.archetypes) {
    plans.emplace_back(host, filter.view(), archetype);
    order.push_back(archetype.worlds.clone());
    pairs = std::max(pairs, static_cast<int>(plans.back().pairs.pairs.size()));
  }
  const int capacity = std::min(2 * pairs, d.config.max_contacts);
  if (capacity > d.contact_capacity) {
    d.contact_capacity = capacity;
    d.contact_slot = Array<SlotContact>(std::int64_t{d.world_slots} * d.contact_slots(), d.model.device);
    d.contact_count = Array<int>(d.world_slots, d.model.device);
  }
  d.plans = std::move(plans);
  d.order = std::move(order);
  d.packed_dt = -1;
  d.graphs.forget();
  d.generation = d.model.generation();
}

}  // namespace

SolverMuJoCo::SolverMuJoCo(const Model& model, const SolverMuJoCoConfig& config, const Queue* queue) {
  check_config(config);
  const Queue& q = queue ? *queue : default_queue(model.device);
  if (!(q.device() == model.device))
    fail("SolverMuJoCo: the queue is on ", q.device().name(), ", the model on ", model.device.name());
  data_ = std::make_shared<Data>(model, config, q);
  Data& d = *data_;
  d.world_slots = std::max(model.world_count, 1);
  d.report = Array<WorldReport>(d.world_slots, model.device);
  d.status = Array<std::int32_t>(d.world_slots, model.device);
  d.pose_status = Array<std::int32_t>(model.world_count + 1, model.device);
  d.contact_count = Array<int>(d.world_slots, model.device);
  d.sort_room.resize(d.world_slots);
  make_plans(d);
}

namespace {

// Worlds with equally many contacts side by side, so that lanes of a group wait little for each other. Counting sort.
void sort_by_contacts(const Array<WorldReport>& report, const Array<int>& order, std::vector<int>& room) {
  constexpr int kKeys = 1024;
  const auto key = [&](int world) {
    const WorldReport& r = report[world];
    return std::min(r.frictional, 31) * 32 + std::min(r.contacts - r.frictional, 31);
  };
  int start[kKeys + 1] = {};
  for (const int world : order) ++start[key(world) + 1];
  std::partial_sum(start, start + kKeys + 1, start);
  for (const int world : order) room[start[key(world)]++] = world;
  std::copy_n(room.begin(), order.size(), order.begin());
}

// Data is private to SolverMuJoCo, so the functions of this file take it as D.
template <class D>
MuJoCoStep make_kernel(const D& d, const MuJoCoPlan& plan, const State& in, const Control& control, Real dt,
                       int substeps) {
  MuJoCoStep k = plan.kernel(d.model, in, control, dt, substeps);
  k.newton = {d.config.tolerance, d.config.ls_tolerance, d.config.iterations, d.config.ls_iterations};
  k.out.report = d.report.data();
  k.out.stage_ticks = d.stage_ticks.empty() ? nullptr : d.stage_ticks.data();
  k.out.contacts = {d.keep_contacts ? d.contact_slots() : 0, d.contact_count.data(), d.contact_slot.data()};
  k.out.retry_overflow = d.model.device.is_cpu();
  k.collide.contact_capacity = std::min(d.contact_capacity, k.collide.hit_capacity);
  return k;
}

// Threads per world on a GPU: the fewer worlds there are, the more threads share one; worlds of up to twelve degrees of
// freedom have less to share (measured in docs/decisions/0008-one-step-in-lanes-and-teams.md).
int team_size(const SolverMuJoCoConfig& config, const MuJoCoPlan& plan) {
  if (config.team_size != 0) return config.team_size;
  const std::size_t worlds = plan.worlds.size(), enough_for_one = plan.tree.view.blocks() <= 4 ? 16'384 : 65'536;
  return worlds >= enough_for_one ? 1 : worlds > 2'048 ? 8 : 32;
}

// Room for as many contacts as some world needed. Worlds that had enough keep what they have written.
template <class D>
void grow_contacts(D& d, int needed) {
  const int old_slots = d.contact_slots();
  const Array<SlotContact> old = d.contact_slot;
  d.contact_capacity = std::max(needed, 2 * d.contact_capacity);
  d.contact_slot = Array<SlotContact>(std::int64_t{d.world_slots} * d.contact_slots(), d.model.device);
  for (std::int64_t world = 0; world < d.world_slots; ++world)
    std::copy_n(old.data() + world * old_slots, d.contact_count[world],
                d.contact_slot.data() + world * d.contact_slots());
}

// Runs the kernel; on the CPU again with more room for the worlds that had too little, which have written nothing.
template <class D>
void run_plan(D& d, std::size_t index, const StepOutput& to, const State& in, const Control& control, Real dt,
              int substeps) {
  const MuJoCoPlan& plan = d.plans[index];
  Array<int> worlds = d.order[index];
  if (d.model.device.is_cpu() && !plan.global) sort_by_contacts(d.report, worlds, d.sort_room);
  for (;;) {
    MuJoCoStep kernel = make_kernel(d, plan, in, control, dt, substeps);
    kernel.worlds = worlds.const_view();
    kernel.out.joint_q = to.joint_q;
    kernel.out.joint_qd = to.joint_qd;
    kernel.out.joint_qdd = to.joint_qdd;
    kernel.out.forward = to.forward;
    launch_teams(d.queue, kernel, {team_size(d.config, plan), &d.team_memory});
    if (!d.model.device.is_cpu()) return;
    int needed = 0;
    for (const int world : worlds) needed = std::max(needed, d.report[world < 0 ? 0 : world].needed);
    if (needed == 0) return;
    std::vector<int> again;
    for (const int world : worlds)
      if (d.report[world < 0 ? 0 : world].needed > 0) again.push_back(world);
    worlds = Array<int>(std::span<const int>(again));
    grow_contacts(d, needed);
  }
}

template <class D>
void pack(D& d, Real dt) {
  make_plans(d);
  if (d.packed_dt == dt) return;
  const HostModel host(d.model);
  for (std::size_t i = 0; i < d.plans.size(); ++i) d.plans[i].pack(host, d.model.archetypes[i], dt);
  d.packed_dt = dt;
  d.graphs.forget();  // they hold the places of the numbers packed before
}

void check_step(Real dt) {
  if (!(dt > 0) || !is_finite(dt)) fail("SolverMuJoCo: dt must be positive and finite, is ", dt);
}

}  // namespace

void SolverMuJoCo::step(const State& state_in, const State& state_out, const Control& control, const Contacts* contacts,
                        Real dt, int substeps) {
  Data& d = *data_;
  if (contacts) fail("SolverMuJoCo finds contacts itself; contacts from outside are not supported yet: give none");
  check_state("step", "state_in", state_in, d.model);
  check_state("step", "state_out", state_out, d.model);
  check_control("step", "control", control, d.model);
  check_step(dt);
  if (substeps < 1) fail("SolverMuJoCo: the number of steps must be at least 1, is ", substeps);
  pack(d, dt);
  send_align(d.queue, d.model, state_in, d.pose_status);
  StepOutput to{};
  to.joint_q = state_out.joint_q.data();
  to.joint_qd = state_out.joint_qd.data();
  to.joint_qdd = state_out.joint_qdd.data();
  // Whatever a recorded sequence depends on and may change; what plans hold is forgotten with them.
  const auto address = [](const void* p) { return reinterpret_cast<std::intptr_t>(p); };
  const std::array<std::int64_t, 18> key{address(state_in.joint_q.data()),
                                         address(state_in.joint_qd.data()),
                                         address(state_in.joint_qdd.data()),
                                         address(state_in.body_f.data()),
                                         address(state_out.joint_q.data()),
                                         address(state_out.joint_qd.data()),
                                         address(state_out.joint_qdd.data()),
                                         address(state_out.body_q.data()),
                                         address(state_out.body_qd.data()),
                                         address(state_out.aligned.body_q.data()),
                                         address(control.ctrl.data()),
                                         address(control.joint_f.data()),
                                         address(d.stage_ticks.data()),
                                         address(d.team_memory.data()),
                                         address(d.contact_slot.data()),
                                         std::bit_cast<std::int64_t>(double(dt)),
                                         substeps,
                                         d.keep_contacts};
  d.graphs.run(d.queue, key, [&] {
    for (std::size_t i = 0; i < d.plans.size(); ++i) {
      run_plan(d, i, to, state_in, control, dt, substeps);
      const Archetype& archetype = d.model.archetypes[i];
      send_fk(d.queue, d.model, archetype, archetype.worlds, state_out.joint_q, state_out.joint_qd, state_out);
    }
    launch(d.queue, d.world_slots, ReadStatus{d.report.data(), d.pose_status.data(), d.status.data()});
  });
  d.queue.finish();
}

Forward SolverMuJoCo::forward(const State& state, const Control& control, Real dt) {
  Data& d = *data_;
  check_state("forward", "state", state, d.model);
  check_control("forward", "control", control, d.model);
  check_step(dt);
  pack(d, dt);
  send_align(d.queue, d.model, state);
  Forward result;
  result.mass_matrix_start = {0};
  const std::vector<int>& start = d.model.layout->start[static_cast<int>(Entity::kJointDof)];
  for (int world = 0; world < d.world_slots; ++world) {
    const std::int64_t dofs = d.model.world_count == 0 ? start.back() : start[world + 1] - start[world];
    result.dof_count.push_back(static_cast<int>(dofs));
    result.mass_matrix_start.push_back(result.mass_matrix_start.back() + dofs * dofs);
  }
  const Device device = d.model.device;
  result.mass_matrix = Array<Real>(result.mass_matrix_start.back(), device);
  for (Array<Real>* array :
       {&result.bias, &result.smooth_force, &result.qacc_smooth, &result.qacc, &result.constraint_force})
    *array = Array<Real>(d.model.joint_dof_count, device);
  const Array<std::int64_t> starts(std::span<const std::int64_t>(result.mass_matrix_start), device);
  StepOutput to{};
  to.forward = {result.mass_matrix.data(),
                starts.data(),
                result.bias.data(),
                result.smooth_force.data(),
                result.qacc_smooth.data(),
                result.qacc.data(),
                result.constraint_force.data()};
  for (std::size_t i = 0; i < d.plans.size(); ++i) run_plan(d, i, to, state, control, dt, 0);
  d.queue.finish();
  result.contacts = contacts();
  return result;
}

Array<Real> Forward::world_mass_matrix(int world) const {
  if (world < 0 || world >= static_cast<int>(dof_count.size()))
    fail("world ", world, " does not exist: there are ", dof_count.size());
  return mass_matrix.slice(mass_matrix_start[world], mass_matrix_start[world + 1]);
}

// -- Reading back.

const Array<std::int32_t>& SolverMuJoCo::status() const { return data_->status; }

std::vector<WorldReport> SolverMuJoCo::reports() const {
  data_->queue.finish();
  const Array<WorldReport> report = data_->report.on_cpu();
  return {report.begin(), report.end()};
}

void SolverMuJoCo::keep_contacts(bool keep) { data_->keep_contacts = keep; }

Contacts SolverMuJoCo::contacts() const {
  const Data& d = *data_;
  if (!d.keep_contacts) fail("contacts were not kept: call keep_contacts(true) before the step");
  d.queue.finish();
  const Array<int> count = d.contact_count.on_cpu();
  const Array<SlotContact> slots = d.contact_slot.on_cpu();
  const std::vector<int>& shape_start = d.model.layout->start[static_cast<int>(Entity::kShape)];
  std::vector<SlotContact> all;
  std::vector<int> start{0};
  for (int world = 0; world < d.world_slots; ++world) {
    const SlotContact* const first = slots.data() + std::int64_t{world} * d.contact_slots();
    const int first_shape = d.model.world_count == 0 ? 0 : shape_start[world];
    std::vector<SlotContact> own(first, first + count[world]);
    for (SlotContact& contact : own)
      for (int* shape : {&contact.shape0, &contact.shape1}) *shape = *shape <= -2 ? -2 - *shape : first_shape + *shape;
    std::sort(own.begin(), own.end(), [](const SlotContact& a, const SlotContact& b) {
      return std::tie(a.shape0, a.shape1, a.feature) < std::tie(b.shape0, b.shape1, b.feature);
    });
    all.insert(all.end(), own.begin(), own.end());
    start.push_back(static_cast<int>(all.size()));
  }
  Contacts contacts;
  contacts.layout = d.model.layout;
  const Device device = d.model.device;
  if (d.model.world_count > 0) start.push_back(start.back());  // none among global shapes, which do not move
  contacts.rigid_contact_count = Array<int>(std::span<const int>(&start.back(), 1), device);
  contacts.rigid_contact_world_start = Array<int>(std::span<const int>(start), device);
  const auto column = [&](auto get) {
    using T = std::decay_t<decltype(get(all[0]))>;
    std::vector<T> values;
    for (const SlotContact& contact : all) values.push_back(get(contact));
    return Array<T>(std::span<const T>(values), device);
  };
  contacts.rigid_contact_shape0 = column([](const SlotContact& c) { return c.shape0; });
  contacts.rigid_contact_shape1 = column([](const SlotContact& c) { return c.shape1; });
  contacts.rigid_contact_feature = column([](const SlotContact& c) { return c.feature; });
  contacts.rigid_contact_point = column([](const SlotContact& c) { return c.point; });
  contacts.rigid_contact_normal = column([](const SlotContact& c) { return c.normal; });
  contacts.rigid_contact_depth = column([](const SlotContact& c) { return c.depth; });
  contacts.rigid_contact_force = column([](const SlotContact& c) { return c.force; });
  return contacts;
}

void SolverMuJoCo::time_stages(bool on) {
  Data& d = *data_;
  d.stage_ticks =
      on ? Array<std::int64_t>(std::int64_t{d.world_slots} * kStageCount, d.model.device) : Array<std::int64_t>();
}

const std::vector<const char*>& SolverMuJoCo::stage_names() {
  static const std::vector<const char*> names{"kinematics", "mass matrix", "smooth forces", "collide",
                                              "rows",       "solve",       "euler"};
  return names;
}

std::vector<std::int64_t> SolverMuJoCo::stage_ticks() const {
  std::vector<std::int64_t> sum(kStageCount, 0);
  const Array<std::int64_t> all = data_->stage_ticks.on_cpu();
  for (std::int64_t i = 0; i < all.size(); ++i) sum[i % kStageCount] += all[i];
  return sum;
}

const SolverMuJoCoConfig& SolverMuJoCo::config() const { return data_->config; }
const Model& SolverMuJoCo::model() const { return data_->model; }
const Queue& SolverMuJoCo::queue() const { return data_->queue; }

}  // namespace carom::inline CAROM_PRECISION
