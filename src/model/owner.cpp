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
void check_contact_numbers(const char* who, const char* argument, const Contacts& contacts, const Model& model) {
  const int room = static_cast<int>(contacts.rigid_contact_point.size()), count = contacts.rigid_contact_count[0];
  if (count < 0 || count > room)
    fail(who, ": ", argument, ".rigid_contact_count is ", count, "; there is room for ", room);
  const Array<int>& start = contacts.rigid_contact_world_start;
  for (std::int64_t w = 0; w + 1 < start.size(); ++w)
    if (start[w] < 0 || start[w] > start[w + 1] || start[w + 1] > count)
      fail(who, ": ", argument, ".rigid_contact_world_start[", w, "] is ", start[w], ", the next one ", start[w + 1],
           "; they must ascend from 0 to ", count);
  for (int c = 0; c < count; ++c)
    for (const int shape : {contacts.rigid_contact_shape0[c], contacts.rigid_contact_shape1[c]})
      if (shape < 0 || shape >= model.shape_count)
        fail(who, ": ", argument, ": contact ", c, " is of shape ", shape, "; the model has ", model.shape_count);
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
