#include "model/owner.h"

#include "base/fail.h"

namespace carom::inline CAROM_PRECISION {

namespace {

template <class T>
void check_array(const char* who, const char* argument, const char* name, const Array<T>& array, std::int64_t size,
                 Device device) {
  if (array.size() != size)
    fail(who, ": ", argument, ".", name, " has ", array.size(), " entries; the model needs ", size);
  if (size > 0 && !(array.device() == device))
    fail(who, ": ", argument, ".", name, " is on ", array.device().name(), ", the model on ", device.name());
}

auto array_checker(const char* who, const char* argument, const auto& set, const Model& model) {
  return [who, argument, &set, &model](const char* name, Entity entity, auto get) {
    const int size = state_rows(*model.layout, name, entity);
    check_array(who, argument, name, get(set), size, model.device);
  };
}

}  // namespace

void check_owner(const char* who, const char* argument, const Owner& given, const Owner& owner) {
  if (!given)
    fail(who, ": ", argument, " belongs to no model: it is empty, or a view of one world; give what the model made");
  if (given != owner)
    fail(who, ": ", argument, " belongs to another model; give what this model, or a copy of it, made");
}

void check_state(const char* who, const char* argument, const State& state, const Model& model) {
  check_owner(who, argument, state.layout, model.layout);
  visit_state(array_checker(who, argument, state, model));
  visit_aligned(array_checker(who, argument, state, model));
}

void check_control(const char* who, const char* argument, const Control& control, const Model& model) {
  check_owner(who, argument, control.layout, model.layout);
  visit_control(array_checker(who, argument, control, model));
}

namespace {

// What was edited must not lead past an array. Contacts on a GPU are not looked at: that would be a wait in every step.
// kind: what the names of the arrays begin with.
void check_contact_starts(const char* who, const char* argument, const char* kind, const Array<int>& counts,
                          const Array<int>& start, std::int64_t room) {
  const int count = counts[0];
  if (count < 0 || count > room)
    fail(who, ": ", argument, ".", kind, "_count is ", count, "; there is room for ", room);
  for (std::int64_t w = 0; w + 1 < start.size(); ++w)
    if (start[w] < 0 || start[w] > start[w + 1] || start[w + 1] > count)
      fail(who, ": ", argument, ".", kind, "_world_start[", w, "] is ", start[w], ", the next one ", start[w + 1],
           "; they must ascend from 0 to ", count);
}

// Whose contacts they are.
void check_contact_sides(const char* who, const char* argument, const char* entity, const Array<int>& side, int count,
                         int entities) {
  for (int c = 0; c < count; ++c)
    if (side[c] < 0 || side[c] >= entities)
      fail(who, ": ", argument, ": contact ", c, " is of ", entity, " ", side[c], "; the model has ", entities);
}

void check_contact_numbers(const char* who, const char* argument, const Contacts& contacts, const Model& model) {
  check_contact_starts(who, argument, "rigid_contact", contacts.rigid_contact_count, contacts.rigid_contact_world_start,
                       contacts.rigid_contact_point.size());
  for (const Array<int>& side : {contacts.rigid_contact_shape0, contacts.rigid_contact_shape1})
    check_contact_sides(who, argument, "shape", side, contacts.rigid_contact_count[0], model.shape_count);
}

}  // namespace

void check_contacts(const char* who, const char* argument, const Contacts& contacts, const Model& model) {
  check_owner(who, argument, contacts.layout, model.layout);
  const std::int64_t room = contacts.rigid_contact_point.size();
  const auto check = [&](const char* name, const auto& array, std::int64_t size) {
    check_array(who, argument, name, array, size, model.device);
  };
  check("rigid_contact_count", contacts.rigid_contact_count, 1);
  check("rigid_contact_world_start", contacts.rigid_contact_world_start, model.world_count + 2);
  check("rigid_contact_shape0", contacts.rigid_contact_shape0, room);
  check("rigid_contact_shape1", contacts.rigid_contact_shape1, room);
  check("rigid_contact_normal", contacts.rigid_contact_normal, room);
  check("rigid_contact_tangent", contacts.rigid_contact_tangent, room);
  check("rigid_contact_depth", contacts.rigid_contact_depth, room);
  check("rigid_contact_force", contacts.rigid_contact_force, room);
  check("rigid_contact_torque", contacts.rigid_contact_torque, room);
  const bool looks_ahead = !contacts.rigid_contact_impact_time.empty() || !contacts.rigid_contact_impact_speed.empty();
  check("rigid_contact_impact_time", contacts.rigid_contact_impact_time, looks_ahead ? room : 0);
  check("rigid_contact_impact_speed", contacts.rigid_contact_impact_speed, looks_ahead ? room : 0);
  if (model.device.is_cpu()) check_contact_numbers(who, argument, contacts, model);
}

namespace {

void check_soft_contacts(const char* who, const char* argument, const Contacts& c, const Model& model) {
  const std::int64_t room = c.soft_contact_particle.size();
  const auto check = [&](const char* name, const auto& array, std::int64_t size) {
    check_array(who, argument, name, array, size, model.device);
  };
  check("soft_contact_count", c.soft_contact_count, 1);
  check("soft_contact_world_start", c.soft_contact_world_start, model.world_count + 2);
  check("soft_contact_shape", c.soft_contact_shape, room);
  check("soft_contact_body_pos", c.soft_contact_body_pos, room);
  check("soft_contact_normal", c.soft_contact_normal, room);
  check("soft_contact_force", c.soft_contact_force, room);
  if (!model.device.is_cpu()) return;
  const int count = c.soft_contact_count[0];
  check_contact_starts(who, argument, "soft_contact", c.soft_contact_count, c.soft_contact_world_start, room);
  check_contact_sides(who, argument, "particle", c.soft_contact_particle, count, model.particle_count);
  check_contact_sides(who, argument, "shape", c.soft_contact_shape, count, model.shape_count);
}

void check_particle_contacts(const char* who, const char* argument, const Contacts& c, const Model& model) {
  const std::int64_t room = c.particle_contact_particle0.size();
  const auto check = [&](const char* name, const auto& array, std::int64_t size) {
    check_array(who, argument, name, array, size, model.device);
  };
  check("particle_contact_count", c.particle_contact_count, 1);
  check("particle_contact_world_start", c.particle_contact_world_start, model.world_count + 2);
  check("particle_contact_particle1", c.particle_contact_particle1, room);
  check("particle_contact_force", c.particle_contact_force, room);
  if (!model.device.is_cpu()) return;
  const int count = c.particle_contact_count[0];
  check_contact_starts(who, argument, "particle_contact", c.particle_contact_count, c.particle_contact_world_start,
                       room);
  for (const Array<int>& side : {c.particle_contact_particle0, c.particle_contact_particle1})
    check_contact_sides(who, argument, "particle", side, count, model.particle_count);
}

}  // namespace

void check_contacts_of_particles(const char* who, const char* argument, const Contacts& contacts, const Model& model) {
  check_owner(who, argument, contacts.layout, model.layout);
  if (!contacts.soft_contact_particle.empty()) check_soft_contacts(who, argument, contacts, model);
  if (!contacts.particle_contact_particle0.empty()) check_particle_contacts(who, argument, contacts, model);
}

void check_dt(const char* who, Real dt) {
  if (!(dt > 0) || !is_finite(dt)) fail(who, ": dt must be positive and finite, is ", dt);
}

void check_mask(const char* who, const Owner& owner, std::span<const std::uint8_t> mask) {
  if (!owner) fail(who, ": a view of one world has no worlds to choose from");
  const int given = static_cast<int>(mask.size()), worlds = owner->world_count;
  if (given != worlds && given != worlds + 1)
    fail(who, ": the mask has ", given, " entries; give ", worlds, ", or ", worlds + 1,
         " to include the global entities");
}

Array<std::uint8_t> full_mask(const char* who, const Owner& owner, std::span<const std::uint8_t> mask) {
  check_mask(who, owner, mask);
  std::vector<std::uint8_t> full(mask.begin(), mask.end());
  full.resize(owner->world_count + 1, 0);
  return Array<std::uint8_t>(std::span<const std::uint8_t>(full), owner->device);
}

}  // namespace carom::inline CAROM_PRECISION
