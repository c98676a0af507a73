#include "collide/contact_memory.h"

#include <algorithm>

#include "backend/scratch.h"
#include "backend/send_copy.h"

namespace carom::inline CAROM_PRECISION {

void ContactMemory::reserve(int contacts, int segments, bool keeps, Device device) {
  grow(segment_start, segments + 1, device);
  for (Array<int>* column : {&shape0, &shape1, &feature, &age}) grow(*column, contacts, device);
  if (keeps) grow(found, contacts, device);
}

void ContactMemory::reserve_like(const ContactMemory& other) {
  each_column([&](auto column) { grow(this->*column, (other.*column).size(), (other.*column).device()); });
}

void ContactMemory::send_copy_to(const Queue& queue, const ContactMemory& other) const {
  each_column([&](auto column) {
    const std::int64_t size = std::min((this->*column).size(), (other.*column).size());
    send_copy(queue, (this->*column).slice(0, size), (other.*column).slice(0, size));
  });
}

ContactMemory ContactMemory::to(Device device) const {
  ContactMemory copy;
  each_column([&](auto column) { copy.*column = (this->*column).to(device); });
  return copy;
}

void ContactMemory::forget_points() { found = Array<FoundPoint>(found.size(), found.device()); }

FormerContacts ContactMemory::view(const int* are_forgotten) const {
  return {segment_start.data(), shape0.data(), shape1.data(), feature.data(), age.data(), found.data(), are_forgotten};
}

}  // namespace carom::inline CAROM_PRECISION
