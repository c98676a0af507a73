// ContactMemory: what a pipeline knows of its last call when the next one begins. Ages are counted from it, and
// contacts that are kept come from it.
#pragma once

#include "carom/queue.h"
#include "collide/former_contacts.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Columns with room for more than are in use: the contacts of segment s are from segment_start[s] to
// segment_start[s + 1].
struct ContactMemory {
  Array<int> segment_start, shape0, shape1, feature, age;
  Array<FoundPoint> found;  // of zeros where a contact may not be kept; empty where none is

  // What was in arrays that are too small is lost.
  void reserve(int contacts, int segments, bool keeps, Device device);
  void reserve_like(const ContactMemory& other);
  // As much as fits both.
  void send_copy_to(const Queue& queue, const ContactMemory& other) const;
  ContactMemory to(Device device) const;
  // From here on all contacts are searched; ages go on.
  void forget_points();

  FormerContacts view(const int* are_forgotten) const;

  // Calls f(column) for the pointer to each member.
  template <class F>
  static void each_column(F f) {
    for (Array<int> ContactMemory::*column : {&ContactMemory::segment_start, &ContactMemory::shape0,
                                              &ContactMemory::shape1, &ContactMemory::feature, &ContactMemory::age})
      f(column);
    f(&ContactMemory::found);
  }
};

}  // namespace carom::inline CAROM_PRECISION
