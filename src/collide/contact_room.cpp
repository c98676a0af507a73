#include "collide/contact_room.h"

#include "backend/scratch.h"

namespace carom::inline CAROM_PRECISION {

void ContactRoom::reserve(int contacts, int segments, bool looks_ahead, bool keeps, Device device) {
  memory.reserve(contacts, segments, keeps, device);
  grow(count, 1, device);
  for (Array<Vec3>* column : {&position, &normal, &tangent, &point0, &point1, &force, &torque})
    grow(*column, contacts, device);
  grow(depth, contacts, device);
  for (Array<Real>* column : {&impact_time, &impact_speed})
    if (looks_ahead) grow(*column, contacts, device);
}

ContactColumns ContactRoom::columns() const {
  return {memory.shape0.data(), memory.shape1.data(), memory.feature.data(), memory.age.data(),  position.data(),
          normal.data(),        depth.data(),         tangent.data(),        point0.data(),      point1.data(),
          force.data(),         torque.data(),        impact_time.data(),    impact_speed.data()};
}

Contacts ContactRoom::as_contacts(int contacts, int segments) const {
  Contacts c;
  c.rigid_contact_count = count.slice(0, 1);
  c.rigid_contact_world_start = memory.segment_start.slice(0, segments + 1);
  c.rigid_contact_shape0 = memory.shape0.slice(0, contacts);
  c.rigid_contact_shape1 = memory.shape1.slice(0, contacts);
  c.rigid_contact_feature = memory.feature.slice(0, contacts);
  c.rigid_contact_age = memory.age.slice(0, contacts);
  c.rigid_contact_point = position.slice(0, contacts);
  c.rigid_contact_point0 = point0.slice(0, contacts);
  c.rigid_contact_point1 = point1.slice(0, contacts);
  c.rigid_contact_normal = normal.slice(0, contacts);
  c.rigid_contact_tangent = tangent.slice(0, contacts);
  c.rigid_contact_depth = depth.slice(0, contacts);
  if (impact_time.size() >= contacts) {
    c.rigid_contact_impact_time = impact_time.slice(0, contacts);
    c.rigid_contact_impact_speed = impact_speed.slice(0, contacts);
  }
  c.rigid_contact_force = force.slice(0, contacts);
  c.rigid_contact_torque = torque.slice(0, contacts);
  return c;
}

}  // namespace carom::inline CAROM_PRECISION
