// What sequences of launches depend on, of sets of arrays.
#pragma once

#include "backend/graph.h"
#include "carom/contacts.h"
#include "carom/state.h"

namespace carom::inline CAROM_PRECISION {

inline void add_state(GraphKey& key, const State& state) {
  const auto add = [&](const char*, Entity, auto get) { key.add(get(state)); };
  visit_state(add);
  visit_aligned(add);
}

inline void add_control(GraphKey& key, const Control& control) {
  visit_control([&](const char*, Entity, auto get) { key.add(get(control)); });
}

inline void add_contacts(GraphKey& key, const Contacts& c) {
  key.add(c.rigid_contact_count);
  key.add(c.rigid_contact_world_start);
  for (const Array<int>& column : {c.rigid_contact_shape0, c.rigid_contact_shape1}) key.add(column);
  for (const Array<Vec3>& column : {c.rigid_contact_point, c.rigid_contact_normal, c.rigid_contact_tangent,
                                    c.rigid_contact_force, c.rigid_contact_torque})
    key.add(column);
  for (const Array<Real>& column : {c.rigid_contact_depth, c.rigid_contact_impact_time, c.rigid_contact_impact_speed})
    key.add(column);
}

}  // namespace carom::inline CAROM_PRECISION
