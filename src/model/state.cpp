// State and Control: making, copying and viewing them, whole or world by world.
#include "carom/state.h"

#include <algorithm>

#include "backend/launch.h"
#include "backend/send_copy.h"
#include "base/fail.h"
#include "carom/model.h"
#include "model/copy_rows.kernel.h"
#include "model/copy_state.h"
#include "model/owner.h"

namespace carom::inline CAROM_PRECISION {

namespace {

void check_world(const std::shared_ptr<const WorldLayout>& layout, int world) {
  if (!layout) fail("this is a view of one world already; take world() of the whole");
  if (world < 0 || world >= layout->world_count)
    fail("world ", world, " does not exist: there are ", layout->world_count);
}

// Collects the arrays of a set, to send them as one kernel.
class RowCopy {
 public:
  RowCopy() = default;
  // Between two layouts: worlds can be chosen.
  RowCopy(const WorldLayout& to, const WorldLayout& from) : to_(&to), from_(&from) {
    kernel_.world_count = from.world_count;
  }

  template <class T>
  void add(Entity entity, const Array<T>& to, const Array<T>& from) {
    if (!to.empty() && !(from.device() == to.device()))
      fail("an array on ", from.device().name(), " cannot be copied to one on ", to.device().name(),
           " with the others of its state; use Array::assign() for it");
    append(entity, to, from.data());
  }
  template <class T>
  void add_zeros(Entity entity, const Array<T>& to) {
    append(entity, to, nullptr);
  }

  void send_all(const Queue& queue) {
    // A thread is worth waking for a megabyte.
    const auto worth = static_cast<int>(std::clamp<std::int64_t>(bytes_ >> 20, 1, 16));
    kernel_.parts = queue.device().is_cpu() ? worth : 4096;
    launch(queue, kernel_.column_count * kernel_.parts, kernel_);
  }
  // packed: the listed worlds become worlds 0, 1, 2, ...
  void send(const Queue& queue, const Array<int>& worlds, bool packed = false) {
    kernel_.parts = queue.device().is_cpu() ? 1 : 8;
    kernel_.worlds = worlds.const_view();
    kernel_.packed = packed;
    launch(queue, static_cast<int>(worlds.size()) * kernel_.column_count * kernel_.parts, kernel_);
  }

 private:
  template <class T>
  void append(Entity entity, const Array<T>& to, const void* from) {
    static_assert(sizeof(T) % sizeof(std::uint32_t) == 0);
    if (to.empty()) return;
    bytes_ += to.bytes();
    const auto start = [entity](const WorldLayout* layout) {
      return layout ? layout->world_start[static_cast<int>(entity)].data() : nullptr;
    };
    kernel_.column[kernel_.column_count++] = {.to = reinterpret_cast<std::uint32_t*>(to.data()),
                                              .from = static_cast<const std::uint32_t*>(from),
                                              .to_start = start(to_),
                                              .from_start = start(from_),
                                              .words = to.bytes() / std::int64_t{sizeof(std::uint32_t)},
                                              .words_per_row = sizeof(T) / sizeof(std::uint32_t)};
  }

  const WorldLayout *to_ = nullptr, *from_ = nullptr;
  std::int64_t bytes_ = 0;  // of all arrays
  CopyRows kernel_{};
};

template <class Set, class Visitor>
Set world_of(const Set& set, int world, Visitor visit) {
  check_world(set.layout, world);
  Set view;
  visit([&](const char*, Entity entity, auto get) {
    const std::vector<int>& start = set.layout->start[static_cast<int>(entity)];
    if (!get(set).empty()) get(view) = get(set).slice(start[world], start[world + 1]);
  });
  return view;
}

template <class Set, class Visitor>
Set send_clone_of(const Queue& queue, const Set& set, Visitor visit) {
  Set copy = set;
  RowCopy rows;
  visit([&](const char*, Entity entity, auto get) {
    get(copy) = std::remove_cvref_t<decltype(get(copy))>(get(set).size(), get(set).device());
    rows.add(entity, get(copy), get(set));
  });
  rows.send_all(queue);
  return copy;
}

template <class Set, class Visitor>
void send_assign_of(const Queue& queue, const Set& to, const Set& from, Visitor visit) {
  RowCopy rows;
  visit([&](const char*, Entity entity, auto get) {
    check_same_size(get(to).size(), get(from).size());
    rows.add(entity, get(to), get(from));
  });
  rows.send_all(queue);
}

template <class Set, class Visitor>
void copy_chosen_worlds(const Set& to, const Set& from, std::span<const std::uint8_t> mask, Visitor visit) {
  const Array<int> worlds = chosen_worlds("copy_worlds", to.layout, mask);
  check_owner("copy_worlds", "other", from.layout, to.layout);
  RowCopy rows(*to.layout, *from.layout);
  visit([&](const char*, Entity entity, auto get) {
    check_same_size(get(to).size(), get(from).size());
    rows.add(entity, get(to), get(from));
  });
  const Queue& queue = default_queue(to.layout->device);
  rows.send(queue, worlds);
  queue.finish();
}

// The layout of a state that holds the given worlds alone.
std::shared_ptr<const WorldLayout> layout_of(const WorldLayout& whole, const Array<int>& worlds) {
  auto layout = std::make_shared<WorldLayout>();
  layout->device = whole.device;
  layout->world_count = static_cast<int>(worlds.size());
  layout->springs_yield = whole.springs_yield;
  layout->sleeps = whole.sleeps;
  layout->feels_jumps = whole.feels_jumps;
  for (int e = 0; e < kEntityCount; ++e) {
    int rows = 0;
    for (const int world : worlds) {
      layout->start[e].push_back(rows);
      rows += whole.start[e][world + 1] - whole.start[e][world];
    }
    layout->start[e].insert(layout->start[e].end(), 2, rows);
    layout->world_start[e] = Array<int>(std::span<const int>(layout->start[e]), whole.device);
  }
  return layout;
}

// All arrays of a State and of a Control, as values that the templates above can take.
constexpr auto kVisitState = [](auto&& visit) {
  visit_state(visit);
  visit_aligned(visit);
};
constexpr auto kVisitControl = [](auto&& visit) { visit_control(visit); };

// Where the rows of a new state come from; the other ones are zero.
RowCopy initial_rows(const Model& model, const State& state) {
  RowCopy rows(*model.layout, *model.layout);
  rows.add(Entity::kJointCoord, state.joint_q, model.joint_q);
  rows.add(Entity::kJointDof, state.joint_qd, model.joint_qd);
  rows.add_zeros(Entity::kJointDof, state.joint_qdd);
  rows.add_zeros(Entity::kAct, state.act);
  rows.add_zeros(Entity::kCtrlHistory, state.ctrl_history);
  rows.add_zeros(Entity::kSensorMemory, state.sensor_memory);
  rows.add_zeros(Entity::kJointDof, state.joint_spring_shift);
  rows.add_zeros(Entity::kTendon, state.tendon_spring_shift);
  rows.add(Entity::kBody, state.body_asleep, model.body_asleep);
  rows.add(Entity::kJointCoord, state.aligned.asleep_q, model.joint_q);
  rows.add(Entity::kBody, state.body_q, model.body_q);
  rows.add(Entity::kBody, state.body_qd, model.body_qd);
  rows.add_zeros(Entity::kBody, state.body_f);
  rows.add_zeros(Entity::kBody, state.body_jump);
  rows.add(Entity::kParticle, state.particle_q, model.particle_q);
  rows.add(Entity::kParticle, state.particle_qd, model.particle_qd);
  rows.add_zeros(Entity::kParticle, state.particle_f);
  rows.add(Entity::kJointCoord, state.aligned.joint_q, model.joint_q);
  rows.add(Entity::kJointDof, state.aligned.joint_qd, model.joint_qd);
  rows.add(Entity::kBody, state.aligned.body_q, model.body_q);
  rows.add(Entity::kBody, state.aligned.body_qd, model.body_qd);
  rows.add(Entity::kJoint, state.aligned.joint_frames, model.joint_frames);
  return rows;
}

// The device of a set: that of its model, and of a view that of its arrays, as far as there are any.
template <class Set, class Visitor>
const Queue& queue_of(const Set& set, Visitor visit) {
  Device device;
  visit([&](const char*, Entity, auto get) {
    if (!get(set).empty()) device = get(set).device();
  });
  return default_queue(device);
}

}  // namespace

// -- State

State Model::state() const {
  if (!layout) fail("state: the model is empty; use one that ModelBuilder::finalize() or load() made");
  State state;
  state.layout = layout;
  const auto make = [&](const char* name, Entity entity, auto get) {
    get(state) = std::remove_cvref_t<decltype(get(state))>(state_rows(*layout, name, entity), device);
  };
  visit_state(make);
  visit_aligned(make);
  send_reset(default_queue(device), *this, state);
  default_queue(device).finish();
  return state;
}

void Model::reset(State& state, std::span<const std::uint8_t> mask) const {
  check_state("reset", "state", state, *this);
  const Queue& queue = default_queue(device);
  const Array<int> worlds = mask.empty() ? Array<int>() : chosen_worlds("reset", layout, mask);
  if (mask.empty()) send_reset(queue, *this, state);
  else send_reset(queue, *this, state, worlds);
  queue.finish();
}

void send_reset(const Queue& queue, const Model& model, const State& state) {
  initial_rows(model, state).send_all(queue);
}

void send_reset(const Queue& queue, const Model& model, const State& state, const Array<int>& worlds) {
  initial_rows(model, state).send(queue, worlds);
}

void send_sensor_memory(const Queue& queue, const State& from, const State& to, const Array<int>& worlds) {
  RowCopy rows(*to.layout, *from.layout);
  rows.add(Entity::kSensorMemory, to.sensor_memory, from.sensor_memory);
  rows.send(queue, worlds);
}

void send_moved(const Queue& queue, const State& from, const State& to) {
  const auto copy = [&](const auto& a, const auto& b) {
    if (a.data() != b.data()) send_copy(queue, a, b);
  };
  copy(from.joint_q, to.joint_q);
  copy(from.joint_qd, to.joint_qd);
  copy(from.joint_qdd, to.joint_qdd);
  copy(from.act, to.act);
  copy(from.ctrl_history, to.ctrl_history);
  copy(from.joint_spring_shift, to.joint_spring_shift);
  copy(from.tendon_spring_shift, to.tendon_spring_shift);
  copy(from.body_asleep, to.body_asleep);
  copy(from.aligned.asleep_q, to.aligned.asleep_q);
  copy(from.body_q, to.body_q);
  copy(from.body_qd, to.body_qd);
}

Array<int> chosen_worlds(const char* who, const std::shared_ptr<const WorldLayout>& owner,
                         std::span<const std::uint8_t> mask) {
  check_mask(who, owner, mask);
  std::vector<int> worlds;
  for (int world = 0; world < owner->world_count; ++world)
    if (mask[world]) worlds.push_back(world);
  if (static_cast<int>(mask.size()) > owner->world_count && mask.back()) worlds.push_back(-1);
  return Array<int>(std::span<const int>(worlds), owner->device);
}

State send_clone(const Queue& queue, const State& state) { return send_clone_of(queue, state, kVisitState); }

void send_assign(const Queue& queue, const State& to, const State& from) {
  send_assign_of(queue, to, from, kVisitState);
}

State State::clone() const {
  const Queue& queue = queue_of(*this, kVisitState);
  State copy = send_clone(queue, *this);
  queue.finish();
  return copy;
}

void State::assign(const State& other) const {
  check_owner("assign", "other", other.layout, layout);
  const Queue& queue = queue_of(*this, kVisitState);
  send_assign(queue, *this, other);
  queue.finish();
}

void State::clear_forces() const {
  RowCopy rows;
  rows.add_zeros(Entity::kBody, body_f);
  rows.add_zeros(Entity::kParticle, particle_f);
  const Queue& queue = queue_of(*this, kVisitState);
  rows.send_all(queue);
  queue.finish();
}

void State::copy_worlds(const State& other, std::span<const std::uint8_t> mask) const {
  copy_chosen_worlds(*this, other, mask, kVisitState);
}

State State::read_worlds(std::span<const std::uint8_t> mask) const {
  if (!layout) fail("read_worlds: a view of one world has no worlds to choose from");
  if (static_cast<int>(mask.size()) != layout->world_count)
    fail("read_worlds: the mask has ", mask.size(), " entries; give ", layout->world_count);
  const Array<int> worlds = chosen_worlds("read_worlds", layout, mask);
  State chosen;
  chosen.layout = layout_of(*layout, worlds.on_cpu());
  RowCopy rows(*chosen.layout, *layout);
  kVisitState([&](const char* name, Entity entity, auto get) {
    const int count = state_rows(*chosen.layout, name, entity);
    get(chosen) = std::remove_cvref_t<decltype(get(chosen))>(count, layout->device);
    rows.add(entity, get(chosen), get(*this));
  });
  const Queue& queue = default_queue(layout->device);
  rows.send(queue, worlds, true);
  queue.finish();
  return chosen;
}

State State::world(int world) const { return world_of(*this, world, kVisitState); }

// -- Control

Control Model::control() const {
  Control control;
  control.layout = layout;
  control.joint_f = Array<Real>(joint_dof_count, device);
  control.joint_target_pos = joint_target_pos.clone();
  control.joint_target_vel = joint_target_vel.clone();
  control.ctrl = Array<Real>(ctrl_count, device);
  control.tri_activations = tri_activations.clone();
  control.tet_activations = tet_activations.clone();
  return control;
}

Control send_clone(const Queue& queue, const Control& control) { return send_clone_of(queue, control, kVisitControl); }

void send_assign(const Queue& queue, const Control& to, const Control& from) {
  send_assign_of(queue, to, from, kVisitControl);
}

Control Control::clone() const {
  const Queue& queue = queue_of(*this, kVisitControl);
  Control copy = send_clone(queue, *this);
  queue.finish();
  return copy;
}

void Control::copy_worlds(const Control& other, std::span<const std::uint8_t> mask) const {
  copy_chosen_worlds(*this, other, mask, kVisitControl);
}

Control Control::world(int world) const { return world_of(*this, world, kVisitControl); }

}  // namespace carom::inline CAROM_PRECISION
