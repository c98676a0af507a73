#include "solvers/mujoco/islands.h"

#include "backend/scratch.h"
#include "solvers/mujoco/kernels.h"

namespace carom::inline CAROM_PRECISION {

Islands::Islands(const std::vector<int>& part_start, Device device)
    : part_start_(std::span<const int>(part_start), device), segment_start_(part_start.back() + 1, device) {
  for (Array<int>* array : {&root_, &size_, &first_, &part_, &place_, &contact_count_, &next_, &pair_count_})
    *array = Array<int>(part_start.back(), device);
}

void Islands::send(const Queue& queue, const ContactView& contacts, std::int64_t room, const int* asleep) {
  for (Array<int>* array : {&contact_, &pair_of_contact_, &pair_before_}) grow(*array, room, queue.device());
  grow(pair_, room, queue.device());
  const IslandView islands = view();
  launch(queue, worlds(), FindIslands{part_start(), contacts, islands, asleep});
  exclusive_scan(queue, contact_count_.const_view(), segment_start_.view(), scan_);
  launch(queue, worlds(), ListContacts{part_start(), contacts, islands, asleep});
  launch(queue, parts(), ListPairs{contacts.material, islands});
}

IslandView Islands::view() const {
  return {root_.data(),       size_.data(),          first_.data(),           part_.data(),
          place_.data(),      contact_count_.data(), segment_start_.data(),   contact_.data(),
          pair_count_.data(), pair_.data(),          pair_of_contact_.data(), next_.data(),
          pair_before_.data()};
}

ContactView Islands::by_segment(const ContactView& contacts) const {
  ContactView result = contacts;
  if (!contacts.segment_start) return result;
  result.segment_start = segment_start_.data();
  result.order = contact_.data();
  result.root = root_.data();
  return result;
}

}  // namespace carom::inline CAROM_PRECISION
