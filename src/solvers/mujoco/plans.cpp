#include "solvers/mujoco/plans.h"

#include <algorithm>
#include <numeric>

#include "base/fail.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// A world of up to this many degrees of freedom is one part; lanes take those of a batch side by side.
constexpr int kWholeDofs = 192;

// All that parts are found by and that an edit may change.
std::vector<int> list_archetypes(const Model& model) {
  std::vector<int> all;
  for (const Archetype& archetype : model.archetypes) {
    all.push_back(static_cast<int>(archetype.world_list.size()));
    all.insert(all.end(), archetype.world_list.begin(), archetype.world_list.end());
    all.push_back(static_cast<int>(archetype.tree_joints.size()));
    for (const TreeJoint& j : archetype.tree_joints)
      all.insert(all.end(), {j.joint, static_cast<int>(j.type), j.parent, j.child, j.q, j.qd, j.linear, j.angular});
  }
  return all;
}

// Marks the worlds in which one of the columns changed that are chosen. Slots: the worlds, then what they share.
template <class Choose>
std::vector<char> slots_of(const std::vector<ColumnChange>& changes, const Model& model, int slots, Choose choose) {
  std::vector<char> marked(slots + 1, 0);
  for (const ColumnChange& change : changes)
    if (choose(change))
      for (const int world : change.worlds) marked[world >= 0 ? world : model.world_count > 0 ? slots : 0] = 1;
  return marked;
}

// The shapes of the marked slots.
std::vector<int> shapes_in(const Model& model, const std::vector<char>& marked) {
  const std::vector<int>& start = model.layout->start[static_cast<int>(Entity::kShape)];
  std::vector<int> all;
  const auto add = [&](int first, int end) {
    for (int s = first; s < end; ++s) all.push_back(s);
  };
  for (int world = 0; world < model.world_count; ++world)
    if (marked[world]) add(start[world], start[world + 1]);
  if (model.world_count > 0 && !marked.back()) return all;
  add(0, model.world_count > 0 ? start.front() : 0);
  add(model.world_count > 0 ? start[model.world_count] : 0, start.back());
  return all;
}

// Whether rows of parameters are made from what changed.
bool is_packed(const ColumnChange& change, bool has_ellipsoids) {
  bool found = change.column == "gravity" || (has_ellipsoids && is_of_ellipsoids(change.column));
  visit_columns(
      [&](const ColumnInfo& info, auto) { found = found || (change.column == info.name && is_packed(info)); });
  return found;
}

// In worlds that are taken apart: contacts of what does not move are in many islands, of which none knows how many
// there are in all, and what depends on their velocity would couple parts. body_part: of each body.
void check_body_actuators(const Model& model, const Array<int>& body_part) {
  const Array<int> target = model.actuator_target.on_cpu(), world = model.actuator_world.on_cpu(),
                   body = model.actuator_body.on_cpu(), law = model.actuator_law.on_cpu(), part = body_part.on_cpu();
  const Array<RealN<2>> slope = model.actuator_gain_slope.on_cpu();
  const Array<RealN<3>> bias = model.actuator_bias.on_cpu();
  const std::vector<int>& start = model.layout->start[static_cast<int>(Entity::kJointDof)];
  for (int a = 0; a < model.actuator_count; ++a) {
    if (target[a] != static_cast<int>(ActuatorTarget::kBody) || (world[a] < 0 && model.world_count > 0)) continue;
    const int dofs = model.world_count == 0 ? start.back() : start[world[a] + 1] - start[world[a]];
    if (dofs <= kWholeDofs && !model.options.sleep) continue;
    const bool is_steady = law[a] == static_cast<int>(ActuatorLaw::kAffine) && slope[a][1] == 0 && bias[a][2] == 0;
    if (part[body[a]] >= 0 && is_steady) continue;
    fail("SolverMuJoCo: actuator ", a, " ('", model.key(Entity::kActuator, a), "') pulls at the contacts of body '",
         model.key(Entity::kBody, body[a]), "', ",
         is_steady ? "which does not move" : "with a force that depends on their velocity", "; in worlds ",
         model.options.sleep ? "with sleep" : "with many degrees of freedom",
         ", which are taken apart, this is not supported");
  }
}

}  // namespace

std::optional<Parts> MuJoCoPlans::keep_up(const Model& model, const Queue& queue) {
  if (generation == model.generation()) return {};
  check_supported(model);
  traits = traits_of(model);
  pairs = ContactPairs(model);
  const std::optional<std::vector<ColumnChange>> changes = model.changes_since(generation);
  const bool same_parts = source_ && changes && archetypes_ == list_archetypes(model);
  if (same_parts) {
    generation = -1;  // until all is done
    pack_changed(model, queue, *changes);
    if (traits.pulled_by_bodies) check_body_actuators(model, bodies.part);
    generation = model.generation();
    return {};
  }
  std::optional<Parts> found = make_all(model, queue);
  generation = model.generation();
  return found;
}

Parts MuJoCoPlans::make_all(const Model& model, const Queue& queue) {
  const HostModel host(model);
  Parts found = find_parts(host, model.options.sleep ? 0 : kWholeDofs);  // trees sleep one by one
  PlanSource source(model, found.bodies);
  std::vector<int> slots(source.world_slots() + 1);
  std::iota(slots.begin(), slots.end(), 0);
  source.find_nans(queue, slots);
  std::vector<MuJoCoPlan> made;
  const BodyNumbers of_bodies(model.body_count, model.device);
  for (const PartArchetype& archetype : found.archetypes) made.emplace_back(host, source, queue, archetype, of_bodies);
  if (traits.pulled_by_bodies) check_body_actuators(model, of_bodies.part);
  parts = PartArrays(made, found.count(), model.device);
  part_count = found.count();
  part_start = found.world_start;
  bodies = of_bodies;
  shapes = Array<ShapeMaterial>(model.shape_count, model.device);
  pack_shapes(model, bodies, shapes_in(model, std::vector<char>(slots.size(), 1)), queue, shapes);
  plans = std::move(made);
  source_ = std::move(source);
  archetypes_ = list_archetypes(model);
  return found;
}

void MuJoCoPlans::pack_changed(const Model& model, const Queue& queue, const std::vector<ColumnChange>& changes) {
  const int slots = source_->world_slots();
  const std::vector<char> touched = slots_of(changes, model, slots, [](const ColumnChange&) { return true; });
  const bool has_ellipsoids =
      std::any_of(plans.begin(), plans.end(), [](const MuJoCoPlan& plan) { return plan.ellipsoids.count() > 0; });
  std::vector<char> changed =
      slots_of(changes, model, slots, [&](const ColumnChange& c) { return is_packed(c, has_ellipsoids); });
  std::vector<int> looked_at;
  for (int slot = 0; slot <= slots; ++slot)
    if (touched[slot]) looked_at.push_back(slot);
  for (const int slot : source_->find_nans(queue, looked_at)) {
    changed[slot] = 1;
    if (slot == slots) std::fill(changed.begin(), changed.end(), 1);
  }
  for (MuJoCoPlan& plan : plans) {
    std::vector<int> places;
    for (std::size_t i = 0; i < plan.archetype.parts.size(); ++i)
      if (changed[std::max(plan.archetype.parts[i].world, 0)]) places.push_back(static_cast<int>(i));
    if (plan.pack_again(*source_, queue, places, bodies)) continue;
    const std::int64_t packed_before = plan.packed;
    plan = MuJoCoPlan(HostModel(model), *source_, queue, plan.archetype, bodies);
    plan.packed += packed_before;
  }
  for (int slot = 0; slot <= slots; ++slot) changed[slot] |= touched[slot];
  pack_shapes(model, bodies, shapes_in(model, changed), queue, shapes);
}

FindExtras extras_kernel(const Model& model, const MuJoCoPlans& plans, const Contacts& contacts, const State& state,
                         Real dt, const Array<ContactMaterial>& material, const Array<ContactExtras>& extras) {
  return {.count = contacts.rigid_contact_count.data(),
          .shape0 = contacts.rigid_contact_shape0.data(),
          .shape1 = contacts.rigid_contact_shape1.data(),
          .point = contacts.rigid_contact_point.data(),
          .depth = contacts.rigid_contact_depth.data(),
          .of_shape = plans.shapes.data(),
          .columns = {model.shape_body.data(), model.shape_transform.data(), model.shape_adhesion.data(),
                      model.shape_surface_velocity.data()},
          .body_q = state.body_q.data(),
          .pairs = plans.pairs.view(),
          .in_cone = plans.traits.cone == Cone::kElliptic,
          .least_time = least_time(model.options, dt),
          .material = material.data(),
          .out = extras.data()};
}

}  // namespace carom::inline CAROM_PRECISION
