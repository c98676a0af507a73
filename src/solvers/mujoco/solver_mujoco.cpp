// SolverMuJoCo: makes the plans, collects the views and launches the step.
#include "carom/solver_mujoco.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "backend/cuda/cuda_backend.h"
#include "backend/launch.h"
#include "backend/scratch.h"
#include "backend/send_copy.h"
#include "base/fail.h"
#include "dynamics/sleep.h"
#include "model/active_worlds.h"
#include "model/chosen_queue.h"
#include "model/graph_keys.h"
#include "model/kinematics.h"
#include "model/owner.h"
#include "solvers/left_out.h"
#include "solvers/mujoco/kernels.h"
#include "solvers/mujoco/plans.h"
#include "solvers/mujoco/row_records.h"
#include "solvers/mujoco/sensed_forces.h"
#include "solvers/mujoco/split_worlds.h"
#include "solvers/mujoco/world_order.h"

namespace carom::inline CAROM_PRECISION {

struct SolverMuJoCo::Data : MuJoCoPlans {
  Model model;
  SolverMuJoCoConfig config;
  Queue queue;
  int world_slots;  // worlds, or 1 for a model without

  Array<ContactMaterial> material;
  Array<ContactExtras> extras;  // where contacts have them
  // Of the numbers that materials are combined from (CombineMaterials), and these: edits of the model, the step's
  // length.
  int stamp = 0;
  std::int64_t stamped_generation = -1, slept_generation = -1;
  Real stamped_dt = 0;
  Array<RowCount> row_count;  // of every part

  SolverReports reports, part_reports;  // the same arrays where no world is split
  Array<std::int32_t> pose_status;      // of poses written from outside, per world, then one for the globals
  Array<std::int32_t> no_status;        // zeros: of worlds that are left out nobody writes it
  SolverForces sensed;                  // what sensors ask for
  Array<std::int64_t> stage_ticks;
  // On a GPU: memory of the teams of each class, what passes between the phases of a step, and queues for the classes
  // that run beside the last one.
  std::array<Array<char>, kRowClasses> team_memory;
  Array<char> kept_parts;
  std::vector<Queue> beside;
  WorldOrder world_order;
  Graphs graphs;
  struct {
    Array<Real> joint_q, joint_qd, kept, act, sum_act;
  } runge_kutta;  // see RungeKuttaArrays

  ActiveWorlds active;
  std::int64_t version = 0;           // another one after edits, and when other worlds take part
  std::vector<Array<int>> active_of;  // of each archetype of the model, where some are left out
  Array<int> part_left_out;           // of each part, where worlds are split

  std::vector<std::vector<int>> alone;  // parts of each plan that are solved on their own, ascending
  std::vector<Array<int>> order;        // the same as lanes take them, with room for all
  SplitWorlds split;
  Sleep sleep;

  Data(const Model& m, const SolverMuJoCoConfig& c, const Queue& q) : model(m), config(c), queue(q) {}
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

// The parts of each plan in worlds that take part, and those worlds.
template <class D>
void list_active(D& d) {
  d.alone.clear();
  d.order.clear();
  std::vector<int> left_out(d.part_count, 0);
  for (const MuJoCoPlan& plan : d.plans) {
    std::vector<int>& ids = d.alone.emplace_back();
    for (const PartRows& part : plan.archetype.parts)
      if (d.active.has(part.world)) ids.push_back(part.id);
      else left_out[part.id] = 1;
    d.order.emplace_back(std::span<const int>(ids), d.model.device);
  }
  d.part_left_out = Array<int>(std::span<const int>(left_out), d.model.device);
  d.active_of = d.active.of_archetypes(d.model);
}

// Brings the plans in line with the model, and makes what depends on its parts where they are new.
template <class D>
void make_plans(D& d) {
  const std::int64_t before = d.generation;
  const std::optional<Parts> parts = d.keep_up(d.model, d.queue);
  if (d.generation != before) forget_limits(d.sensed), ++d.version;
  if (d.model.options.sleep && d.slept_generation != d.generation) {
    d.sleep = Sleep(d.model, d.part_start, d.bodies.part);
    d.sleep.set_active(d.active);
    d.slept_generation = d.generation;
  }
  if (!parts) return;
  list_active(d);
  d.row_count = Array<RowCount>(d.part_count, d.model.device);
  const bool split = parts->is_split() || d.model.options.sleep;
  d.part_reports = split ? make_reports(d.part_count, d.model.device) : d.reports;
  d.split = split ? SplitWorlds(d.model, *parts, d.plans) : SplitWorlds();
}

}  // namespace

SolverMuJoCo::SolverMuJoCo(const Model& model, const SolverMuJoCoConfig& config, const Queue* queue) {
  check_config(config);
  data_ = std::make_shared<Data>(model, config, chosen_queue("SolverMuJoCo", model, queue));
  Data& d = *data_;
  d.world_slots = std::max(model.world_count, 1);
  d.reports = make_reports(d.world_slots, model.device);
  d.sensed = make_solver_forces(model);
  d.pose_status = Array<std::int32_t>(model.world_count + 1, model.device);
  d.no_status = Array<std::int32_t>(d.world_slots, model.device);
  if (stages() > 1) {
    auto& r = d.runge_kutta;
    r.joint_q = Array<Real>(model.joint_coord_count, model.device);
    r.joint_qd = Array<Real>(model.joint_dof_count, model.device);
    r.kept = Array<Real>(RungeKuttaWork<Real>::kColumns * std::int64_t{model.joint_dof_count}, model.device);
    for (Array<Real>* const array : {&r.act, &r.sum_act}) *array = Array<Real>(model.act_count, model.device);
  }
  while (!model.device.is_cpu() && d.beside.size() + 1 < kRowClasses) d.beside.emplace_back(model.device);
  make_plans(d);
}

namespace {

// Parts with equally many rows side by side, of these the ones that took equally many iterations the last time, so that
// lanes of a group wait little for each other. Counting sort; those with the same numbers stay in their order, so that
// neighbours in memory are mostly neighbours in lanes.
void sort_by_rows(const Array<RowCount>& count, const Array<int>& iterations, std::span<const int> parts, int* order) {
  constexpr int kKeys = 16'384;
  const auto key = [&](int part) {
    const RowCount& c = count[part];
    const int single_blocks = (c.frictionless + c.joints + 2) / 3;
    const int frictional = std::min(c.frictional, 15) * 4 + std::min(c.turning, 3);
    const int rows = (frictional * 8 + std::min(single_blocks, 7)) * 4 + std::min(c.frictionless, 3);
    return rows * 8 + std::min(iterations[part], 7);
  };
  int most = 0;
  for (const int part : parts) most = std::max(most, key(part));
  int start[kKeys + 1];  // of which those up to `most` are used: plans of few parts have small keys
  std::fill(start, start + most + 2, 0);
  for (const int part : parts) ++start[key(part) + 1];
  std::partial_sum(start, start + most + 1, start);
  for (const int part : parts) order[start[key(part)]++] = part;
}

// Data is private to SolverMuJoCo, so the functions of this file take it as D.
//
// Takes no memory while launches are recorded: the run before had as many contacts.
template <class D>
void reserve_materials(D& d, const Contacts* contacts) {
  const std::int64_t needed = contacts ? contacts->rigid_contact_shape0.size() : 0;
  if (needed > d.material.size()) d.material = Array<ContactMaterial>(needed + needed / 2, d.model.device);
  if (d.traits.has_extras && d.extras.size() < d.material.size())
    d.extras = Array<ContactExtras>(d.material.size(), d.model.device);
}

ContactImpacts impacts_of(const Model& model, const Contacts& contacts, Real dt) {
  if (contacts.rigid_contact_impact_speed.size() == 0) return {};
  return {contacts.rigid_contact_impact_time.data(),
          contacts.rigid_contact_impact_speed.data(),
          contacts.rigid_contact_depth.data(),
          dt,
          model.options.integrator == Integrator::kDiscrete,
          model.options.refsafe};
}

// The materials of all contacts, and the contacts as the step reads them.
template <class D>
ContactView send_materials(D& d, const Contacts* contacts, const State& in, Real dt) {
  if (!contacts) return {};
  const std::int64_t room = d.model.device.is_cpu() ? contacts->rigid_contact_shape0.size() : d.material.size();
  launch(d.queue, static_cast<int>(room),
         CombineMaterials{contacts->rigid_contact_count.data(), contacts->rigid_contact_shape0.data(),
                          contacts->rigid_contact_shape1.data(), d.shapes.data(), least_time(d.model.options, dt),
                          d.material.data(), contacts->rigid_contact_force.data(), d.stamp, d.pairs.view(),
                          d.model.options.integrator == Integrator::kDiscrete, impacts_of(d.model, *contacts, dt),
                          d.traits.resists_turning() ? contacts->rigid_contact_torque.data() : nullptr});
  ContactView view = contact_view(*contacts, d.material, d.traits);
  if (!d.traits.has_extras) return view;
  launch(d.queue, static_cast<int>(room), extras_kernel(d.model, d, *contacts, in, dt, d.material, d.extras));
  view.extras = d.extras.data();
  return view;
}

// Slots for the contacts of a part: on the CPU as many as some part has, on a GPU, which cannot be asked, a fixed
// number.
template <class D>
int contact_capacity(const D& d, const ContactView& contacts, std::size_t plan) {
  if (!contacts.segment_start) return 0;
  if (!d.model.device.is_cpu()) return d.config.max_contacts;
  int most = 0;
  for (const int part : d.alone[plan]) most = std::max(most, d.row_count[part].contacts());
  return most;
}

// The rows of parts on a GPU, sorted into classes: those with many blocks of rows get 32 threads each, those with some
// 8, those with few as many as the phases around. The classes run beside each other, and nobody waits for the largest
// worlds alone (measured in docs/decisions/0014-worlds-by-rows-on-a-gpu.md).
template <class D>
void send_classes(D& d, const SolveStep& solve, const int* class_start, int threads_of_few) {
  const std::array<int, kRowClasses> threads{32, 8, threads_of_few};
  const auto n = static_cast<int>(solve.step.worlds.size);
  const auto send = [&](const Queue& queue, int c) {
    const int* const begin = class_start + c;
    launch_teams(queue, n, solve, {threads[c], begin, begin + 1, &d.team_memory[c]});
  };
  for (int c = 0; c + 1 < kRowClasses; ++c) {
    cuda::wait_for(d.beside[c], d.queue);
    send(d.beside[c], c);
  }
  send(d.queue, kRowClasses - 1);
  for (int c = 0; c + 1 < kRowClasses; ++c) cuda::wait_for(d.queue, d.beside[c]);
}

// The phases of a step on a GPU. What is equal in all worlds has as many threads as keep it busy: the fewer worlds, the
// more threads share one. Parts of islands come behind all others, and are left out.
template <class D>
void send_phases(D& d, MuJoCoStep& step) {
  constexpr int kFewWorlds = 2'048, kManyWorlds = 16'384, kMoreForEight = 4;
  const auto parts = static_cast<int>(step.worlds.size);
  const int forced = d.config.team_size;
  const bool fits_stack = step.template scratch_bytes<Real>() <= cuda::kMostStack;
  const bool in_classes = forced == 0 && parts > kFewWorlds;
  const int threads = forced != 0 ? forced : !in_classes ? 32 : parts >= kManyWorlds && fits_stack ? 1 : 8;
  const int* class_start = nullptr;
  TeamConfig all{.team_size = threads, .memory = &d.team_memory[kRowClasses - 1]};
  if (in_classes || d.split.any()) {
    const int few = std::min(row_space::kMostSmall, most_row_blocks(step.tree.blocks()));
    const int some = threads == 1 ? few + kMoreForEight : few;
    class_start = d.world_order.send(d.queue, step, d.row_count.data(), {few, some}, d.split.island_size());
    all.end = class_start + kRowClasses;
  }
  KeptParts kept(step);
  kept.alternate = in_classes && threads == 1;
  grow(d.kept_parts, kept.memory_bytes(parts), d.model.device);
  kept.first = reinterpret_cast<KeptParts::Unit*>(d.kept_parts.data());
  launch_teams(d.queue, parts, BeginStep{step, kept}, all);
  if (in_classes) send_classes(d, SolveStep{step, kept}, class_start, threads);
  else launch_teams(d.queue, parts, SolveStep{step, kept}, all);
  launch_teams(d.queue, parts, EndStep{step, kept}, all);
}

template <class D>
NewtonOptions newton_options(const D& d) {
  return {d.config.tolerance, d.config.ls_tolerance, d.config.iterations, d.config.ls_iterations};
}

template <class D>
RungeKuttaArrays runge_kutta_arrays(const D& d, int stage) {
  const auto& r = d.runge_kutta;
  return {stage, r.joint_q.data(), r.joint_qd.data(), r.kept.data(), r.act.data(), r.sum_act.data()};
}

// Of each part: whether it is left out of a split world; nullptr: none is.
template <class D>
const int* parts_at_rest(const D& d) {
  if (d.sleep.any() || d.active.all()) return d.sleep.part_asleep();
  return d.part_left_out.data();
}

template <class D>
MuJoCoStep step_of_plan(D& d, const MuJoCoPlan& plan, const ContactView& contacts, const StepOutput& out,
                        const State& in, const Control& control, Real dt, std::optional<int> stage) {
  MuJoCoStep kernel = plan.kernel(d.parts, in, control, dt);
  kernel.moves = stage.has_value();
  kernel.runge_kutta = runge_kutta_arrays(d, stage.value_or(0));
  kernel.options = d.model.options;
  kernel.newton = newton_options(d);
  kernel.contacts = contacts;
  kernel.out = out;
  kernel.out.report = report_view(d.part_reports);
  kernel.out.stage_ticks = d.stage_ticks.empty() ? nullptr : d.stage_ticks.data();
  return kernel;
}

// On the CPU: which parts of a plan are solved on their own, those side by side that have as many rows.
template <class D>
void sort_parts(D& d, std::size_t plan, const MuJoCoStep& kernel) {
  std::vector<int>& alone = d.alone[plan];
  if (d.split.any()) {
    const int* const island_size = d.split.island_size();
    alone.clear();
    for (const PartRows& part : d.plans[plan].archetype.parts)
      if (island_size[part.id] == 1) alone.push_back(part.id);
  }
  launch(d.queue, static_cast<int>(alone.size()), CountRows{alone.data(), kernel, d.row_count.data()});
  // By the thousands: enough to find parts that are alike, and those that share lines of memory still do so in a cache.
  constexpr std::size_t kSortedTogether = 2'048;
  for (std::size_t first = 0; first < alone.size(); first += kSortedTogether) {
    const auto some = std::span<const int>(alone).subspan(first, std::min(kSortedTogether, alone.size() - first));
    sort_by_rows(d.row_count, d.part_reports.iterations, some, d.order[plan].data() + first);
  }
}

// Who sleeps in this step, of a model that does.
template <class D>
void send_wake_touched(D& d, const State& in, const Control& control, const Contacts* contacts) {
  d.sleep.wake(d.queue, in, control, touches_of(contacts, d.model.shape_body));
  launch(d.queue, d.part_count, ClearReports{d.sleep.part_asleep(), report_view(d.part_reports)});
}

// stage: of the step, or nothing for one that does not move; then there is no state_out.
template <class D>
void send_step(D& d, const Contacts* touching, const StepOutput& out, const State& in, const Control& control, Real dt,
               std::optional<int> stage, const State* state_out) {
  const bool on_cpu = d.model.device.is_cpu();
  const ContactView given = send_materials(d, touching, in, dt);  // by world
  ContactView contacts = given;
  SplitWorlds& split = d.split;
  const bool sleeps = d.sleep.any();
  if (sleeps) send_wake_touched(d, in, control, touching);
  if (split.any())
    contacts = split.begin(d.queue, in, given, d.material.size(), stage.value_or(0) == 0, parts_at_rest(d));
  if (sleeps && state_out) {
    d.sleep.keep(d.queue, in, *state_out);
    d.sleep.choose(d.queue, d.model, in, control, split.island_root());
  }
  for (std::size_t i = 0; i < d.plans.size(); ++i) {
    MuJoCoPlan& plan = d.plans[i];
    MuJoCoStep kernel = step_of_plan(d, plan, contacts, out, in, control, dt, stage);
    if (split.any()) split.keep_step(d.queue, i, kernel);
    if (on_cpu) sort_parts(d, i, kernel);
    if (d.alone[i].empty()) continue;
    kernel.contact_capacity = contact_capacity(d, contacts, i);
    kernel.worlds = {d.order[i].data(), static_cast<std::int64_t>(d.alone[i].size())};
    plan.share_params(kernel, lanes_of<MuJoCoStep>(d.queue, static_cast<int>(kernel.worlds.size)));
    if (on_cpu) run_lanes_on_cpu(d.queue, kernel, static_cast<int>(kernel.worlds.size));
    else send_phases(d, kernel);
  }
  if (!split.any()) return;
  launch(d.queue, d.part_count, split.island_step(d.queue, contacts, newton_options(d)));
  split.send_reports(d.queue, report_view(d.part_reports), given, report_view(d.reports), out);
  if (sleeps && state_out) d.sleep.put_to_sleep(d.queue, d.reports.status, split.saved_q(), *state_out);
}

// What step and forward begin with, but for the states.
template <class D>
void prepare_numbers(D& d, const char* who, const Control& control, Real dt) {
  check_control(who, "control", control, d.model);
  check_dt("SolverMuJoCo", dt);
  make_plans(d);
  if (d.stamped_generation == d.generation && d.stamped_dt == dt) return;
  d.stamped_generation = d.generation, d.stamped_dt = dt;
  ++d.stamp;
}

}  // namespace

void SolverMuJoCo::step(const State& state_in, const State& state_out, const Control& control, const Contacts* contacts,
                        Real dt) {
  Data& d = *data_;
  if (contacts) check_contacts("step", "contacts", *contacts, d.model);
  if (contacts && stages() > 1)
    fail("SolverMuJoCo: RK4 finds contacts ", stages(),
         " times a step and cannot take those of its beginning; step a "
         "Simulation, or give no contacts");
  reserve_materials(d, contacts);
  GraphKey key;
  prepare(state_in, state_out, control, dt, key);
  add_contacts(key, contacts ? *contacts : Contacts{});
  d.graphs.run(d.queue, key, [&] {
    send_align(d.queue, d.model, state_in, d.pose_status);
    if (!d.active.all()) send_copy(d.queue, d.no_status, d.reports.status);
    for (int stage = 0; stage < stages(); ++stage)
      send(stage == 0 ? state_in : state_out, state_out, control, contacts, dt,
           {.poses = stage + 1 == stages(), .stage = stage});
    send_add_status(d.queue, d.pose_status, d.reports.status);
  });
  d.queue.finish();
}

int SolverMuJoCo::stages() const { return data_->model.options.integrator == Integrator::kRK4 ? kRungeKuttaStages : 1; }

bool SolverMuJoCo::sleeps() const { return data_->sleep.any(); }

void SolverMuJoCo::send_wake(const State& state, const Control& control) {
  const Data& d = *data_;
  d.sleep.wake_written(d.queue, state, control);
}

void SolverMuJoCo::prepare(const State& state_in, const State& state_out, const Control& control, Real dt,
                           GraphKey& key) {
  Data& d = *data_;
  check_state("step", "state_in", state_in, d.model);
  check_state("step", "state_out", state_out, d.model);
  prepare_numbers(d, "step", control, dt);
  add_state(key, state_in);
  add_state(key, state_out);
  add_control(key, control);
  key.add(double(dt));
  key.add(d.version);
  key.add(d.material);
  for (const Array<char>& memory : d.team_memory) key.add(memory);
  key.add(d.kept_parts);
  d.world_order.add_to(key);
  d.split.add_to(key);
  key.add(d.stage_ticks);
}

void SolverMuJoCo::send(const State& state_in, const State& state_out, const Control& control, const Contacts* contacts,
                        Real dt, StepOfCall step) {
  Data& d = *data_;
  reserve_materials(d, contacts);
  StepOutput to{};
  to.joint_q = state_out.joint_q.data();
  to.joint_qd = state_out.joint_qd.data();
  to.joint_qdd = state_out.joint_qdd.data();
  to.act = state_out.act.data();
  to.ctrl_history = state_out.ctrl_history.data();
  to.spring_shifts = {state_out.joint_spring_shift.data(),
                      reinterpret_cast<Real*>(state_out.tendon_spring_shift.data())};
  if (step.stage == 0) to.sensed = sensed_view(d.sensed);  // of RK4 too: where the step begins
  if (stages() > 1 && step.stage == 0) {
    send_copy(d.queue, state_in.joint_q, d.runge_kutta.joint_q);
    send_copy(d.queue, state_in.joint_qd, d.runge_kutta.joint_qd);
    send_copy(d.queue, state_in.act, d.runge_kutta.act);
  }
  send_step(d, contacts, to, state_in, control, dt, step.stage, &state_out);
  if (step.poses) send_fk(d.queue, d.model, state_out, step.velocities || step.last(), d.active_of);
}

void SolverMuJoCo::set_active(std::span<const std::uint8_t> mask) {
  Data& d = *data_;
  ActiveWorlds active("SolverMuJoCo", d.model.layout, mask);
  if (active == d.active) return;
  d.active = std::move(active);
  ++d.version;
  list_active(d);
  if (d.sleep.any()) d.sleep.set_active(d.active);
  clear_reports(d.queue, d.reports);
  clear_reports(d.queue, d.part_reports);
}

Forward SolverMuJoCo::forward(const State& state, const Control& control, const Contacts* contacts, Real dt) {
  Data& d = *data_;
  check_state("forward", "state", state, d.model);
  prepare_numbers(d, "forward", control, dt);
  if (contacts) check_contacts("forward", "contacts", *contacts, d.model);
  reserve_materials(d, contacts);
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
  result.actuator_length = Array<Real>(d.model.actuator_count, device);
  std::vector<std::int64_t> mass_start(d.part_count), mass_stride(d.part_count), actuator_start(d.part_count);
  for (const MuJoCoPlan& plan : d.plans)
    for (const PartRows& part : plan.archetype.parts) {
      const int world = std::max(part.world, 0);
      const std::int64_t n = result.dof_count[world];
      const std::int64_t first = part.begin(Entity::kJointDof) - (part.world < 0 ? 0 : start[world]);
      mass_stride[part.id] = n;
      mass_start[part.id] = result.mass_matrix_start[world] + first * (n + 1);
      actuator_start[part.id] = part.begin(Entity::kActuator);
    }
  const Array<std::int64_t> starts(std::span<const std::int64_t>(mass_start), device),
      strides(std::span<const std::int64_t>(mass_stride), device),
      actuators(std::span<const std::int64_t>(actuator_start), device);
  RowRecords records(d.plans, d.part_count, contacts ? contacts->rigid_contact_shape0.size() : 0, device);
  StepOutput to{};
  to.forward = {result.mass_matrix.data(),
                starts.data(),
                strides.data(),
                result.bias.data(),
                result.smooth_force.data(),
                result.qacc_smooth.data(),
                result.qacc.data(),
                result.constraint_force.data(),
                result.actuator_length.data(),
                actuators.data(),
                records.contact.data(),
                records.joint.data(),
                records.joint_row_start.data()};
  send_step(d, contacts, to, state, control, dt, std::nullopt, nullptr);
  d.queue.finish();
  result.rows = records.collect(d.plans);
  return result;
}

Array<Real> Forward::world_mass_matrix(int world) const {
  if (world < 0 || world >= static_cast<int>(dof_count.size()))
    fail("world ", world, " does not exist: there are ", dof_count.size());
  return mass_matrix.slice(mass_matrix_start[world], mass_matrix_start[world + 1]);
}

// -- Reading back.

const Array<std::int32_t>& SolverMuJoCo::status() const { return data_->reports.status; }
const SolverReports& SolverMuJoCo::reports() const { return data_->reports; }
const SolverForces& SolverMuJoCo::forces() const { return data_->sensed; }

void SolverMuJoCo::time_stages(bool on) {
  Data& d = *data_;
  d.stage_ticks =
      on ? Array<std::int64_t>(std::int64_t{d.part_count} * kStageCount, d.model.device) : Array<std::int64_t>();
}

const std::vector<const char*>& SolverMuJoCo::stage_names() {
  static const std::vector<const char*> names{"kinematics", "mass matrix", "smooth forces", "rows", "solve", "euler"};
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
