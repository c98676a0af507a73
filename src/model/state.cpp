// State and Control: making, copying and viewing them, whole or world by world.
#include "carom/state.h"

#include <algorithm>

#include "backend/launch.h"
#include "base/fail.h"
#include "carom/model.h"
#include "model/copy_worlds.kernel.h"
#include "model/owner.h"

namespace carom::inline CAROM_PRECISION {

namespace {

void check_world(const std::shared_ptr<const WorldLayout>& layout, int world) {
  if (!layout) fail("this is a view of one world already; take world() of the whole");
  if (world < 0 || world >= layout->world_count)
    fail("world ", world, " does not exist: there are ", layout->world_count);
}

template <class T>
void copy_rows(const Array<T>& to, const Array<T>& from, const WorldLayout& layout, Entity entity,
               const Array<std::uint8_t>& mask) {
  static_assert(sizeof(T) % sizeof(std::uint32_t) == 0);
  check_same_size(to.size(), from.size());
  launch(default_queue(layout.device), static_cast<int>(to.size()),
         CopyWorlds{.to = reinterpret_cast<std::uint32_t*>(to.data()),
                    .from = reinterpret_cast<const std::uint32_t*>(from.data()),
                    .words_per_row = sizeof(T) / sizeof(std::uint32_t),
                    .row_world = layout.entity_world[static_cast<int>(entity)].const_view(),
                    .mask = mask.const_view()});
  default_queue(layout.device).finish();
}

template <class Set, class Visitor>
Set world_of(const Set& set, int world, Visitor visit) {
  check_world(set.layout, world);
  Set view;
  visit([&](const char*, Entity entity, auto get) {
    const std::vector<int>& start = set.layout->start[static_cast<int>(entity)];
    get(view) = get(set).slice(start[world], start[world + 1]);
  });
  return view;
}

template <class Set, class Visitor>
Set clone_of(const Set& set, Visitor visit) {
  Set copy = set;
  visit([&](const char*, Entity, auto get) { get(copy) = get(set).clone(); });
  return copy;
}

template <class Set, class Visitor>
void copy_chosen_worlds(const Set& to, const Set& from, std::span<const std::uint8_t> mask, Visitor visit) {
  const Array<std::uint8_t> full = full_mask("copy_worlds", to.layout, mask);
  check_owner("copy_worlds", "other", from.layout, to.layout);
  visit([&](const char*, Entity entity, auto get) { copy_rows(get(to), get(from), *to.layout, entity, full); });
}

// Rows of the chosen worlds of an array, one world after the other.
template <class T>
Array<T> read_rows(const Array<T>& from, const std::vector<int>& start, const std::vector<int>& worlds, int rows) {
  Array<T> to(rows, from.device());
  int at = 0;
  for (const int world : worlds) {
    const int count = start[world + 1] - start[world];
    to.slice(at, at + count).assign(from.slice(start[world], start[world + 1]));
    at += count;
  }
  return to;
}

// The layout of a state that holds the given worlds alone.
std::shared_ptr<const WorldLayout> layout_of(const WorldLayout& whole, const std::vector<int>& worlds) {
  auto layout = std::make_shared<WorldLayout>();
  layout->device = whole.device;
  layout->world_count = static_cast<int>(worlds.size());
  for (int e = 0; e < kEntityCount; ++e) {
    std::vector<int> entity_world;
    for (std::size_t i = 0; i < worlds.size(); ++i) {
      layout->start[e].push_back(static_cast<int>(entity_world.size()));
      const int count = whole.start[e][worlds[i] + 1] - whole.start[e][worlds[i]];
      entity_world.insert(entity_world.end(), count, static_cast<int>(i));
    }
    layout->start[e].insert(layout->start[e].end(), 2, static_cast<int>(entity_world.size()));
    layout->entity_world[e] = Array<int>(std::span<const int>(entity_world), whole.device);
  }
  return layout;
}

// All arrays of a State and of a Control, as values that the templates above can take.
constexpr auto kVisitState = [](auto&& visit) {
  visit_state(visit);
  visit_aligned(visit);
};
constexpr auto kVisitControl = [](auto&& visit) { visit_control(visit); };

template <class T>
void zero(const Array<T>& array) {
  array.assign(Array<T>(array.size(), array.device()));
}

}  // namespace

// -- State

State Model::state() const {
  State state;
  state.layout = layout;
  state.joint_q = joint_q.clone();
  state.joint_qd = joint_qd.clone();
  state.joint_qdd = Array<Real>(joint_dof_count, device);
  state.body_q = body_q.clone();
  state.body_qd = body_qd.clone();
  state.body_f = Array<SpatialVector>(body_count, device);
  state.particle_q = particle_q.clone();
  state.particle_qd = particle_qd.clone();
  state.particle_f = Array<Vec3>(particle_count, device);
  state.aligned = {joint_q.clone(), joint_qd.clone(), body_q.clone(), body_qd.clone(), joint_frames.clone()};
  return state;
}

void Model::reset(State& state, std::span<const std::uint8_t> mask) const {
  check_state("reset", "state", state, *this);
  if (!mask.empty()) check_mask("reset", layout, mask);
  if (mask.empty()) {
    state.assign(this->state());
  } else {
    state.copy_worlds(this->state(), mask);
  }
}

State State::clone() const { return clone_of(*this, kVisitState); }

void State::assign(const State& other) const {
  check_owner("assign", "other", other.layout, layout);
  kVisitState([&](const char*, Entity, auto get) { get(*this).assign(get(other)); });
}

void State::clear_forces() const {
  zero(body_f);
  zero(particle_f);
}

void State::copy_worlds(const State& other, std::span<const std::uint8_t> mask) const {
  copy_chosen_worlds(*this, other, mask, kVisitState);
}

State State::read_worlds(std::span<const std::uint8_t> mask) const {
  if (!layout) fail("read_worlds: a view of one world has no worlds to choose from");
  if (static_cast<int>(mask.size()) != layout->world_count)
    fail("read_worlds: the mask has ", mask.size(), " entries; give ", layout->world_count);
  std::vector<int> worlds;
  for (int world = 0; world < layout->world_count; ++world)
    if (mask[world]) worlds.push_back(world);
  State chosen;
  chosen.layout = layout_of(*layout, worlds);
  kVisitState([&](const char*, Entity entity, auto get) {
    const int e = static_cast<int>(entity);
    get(chosen) = read_rows(get(*this), layout->start[e], worlds, chosen.layout->start[e].back());
  });
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
  control.ctrl = Array<Real>(actuator_count, device);
  control.tri_activations = tri_activations.clone();
  control.tet_activations = tet_activations.clone();
  return control;
}

Control Control::clone() const { return clone_of(*this, kVisitControl); }

void Control::copy_worlds(const Control& other, std::span<const std::uint8_t> mask) const {
  copy_chosen_worlds(*this, other, mask, kVisitControl);
}

Control Control::world(int world) const { return world_of(*this, world, kVisitControl); }

}  // namespace carom::inline CAROM_PRECISION
