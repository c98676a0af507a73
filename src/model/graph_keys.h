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

// Those of particles, for solvers that take them: these launch as many items as there are rows, and the rows are the
// front of longer arrays, which stay where they are.
inline void add_contacts_of_particles(GraphKey& key, const Contacts& c) {
  key.add(c.soft_contact_particle.size());
  key.add(c.particle_contact_particle0.size());
  for (const Array<int>& column : {c.soft_contact_count, c.soft_contact_world_start, c.soft_contact_particle,
                                   c.soft_contact_shape, c.particle_contact_count, c.particle_contact_world_start,
                                   c.particle_contact_particle0, c.particle_contact_particle1})
    key.add(column);
  for (const Array<Vec3>& column :
       {c.soft_contact_body_pos, c.soft_contact_normal, c.soft_contact_force, c.particle_contact_force})
    key.add(column);
}

}  // namespace carom::inline CAROM_PRECISION
