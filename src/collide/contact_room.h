// ContactRoom: the arrays of Contacts with room for more than are in use, and where those of each segment begin.
#pragma once

#include "carom/contacts.h"
#include "collide/contact_memory.h"
#include "collide/fill_contacts.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct ContactRoom {
  ContactMemory memory;  // the columns that the next call reads, too
  Array<int> count;
  Array<Vec3> position, normal, tangent, point0, point1, force, torque;
  Array<Real> depth, impact_time, impact_speed;

  void reserve(int contacts, int segments, bool looks_ahead, bool keeps, Device device);
  ContactColumns columns() const;
  Contacts as_contacts(int contacts, int segments) const;
};

}  // namespace carom::inline CAROM_PRECISION
