// Islands: the arrays of IslandView, and the launches that fill them. They last until the next call.
#pragma once

#include <vector>

#include "backend/scan.h"
#include "solvers/mujoco/find_islands.kernel.h"

namespace carom::inline CAROM_PRECISION {

class Islands {
 public:
  Islands() = default;
  // part_start: parts of each world.
  Islands(const std::vector<int>& part_start, Device device);

  int parts() const { return static_cast<int>(root_.size()); }
  int worlds() const { return static_cast<int>(part_start_.size()) - 1; }
  std::int64_t room() const { return contact_.size(); }  // for contacts
  Span<const int> part_start() const { return part_start_.const_view(); }

  // contacts: by world, no more than `room`.
  // asleep: see WorldEdges.
  void send(const Queue& queue, const ContactView& contacts, std::int64_t room, const int* asleep = nullptr);
  IslandView view() const;
  // The same contacts by part or island.
  ContactView by_segment(const ContactView& contacts) const;

 private:
  Array<int> part_start_;                                                              // of each world
  Array<int> root_, size_, first_, part_, place_, contact_count_, next_, pair_count_;  // of each part
  Array<int> segment_start_;
  Array<int> contact_, pair_of_contact_, pair_before_;
  Array<Index2> pair_;
  ScanScratch scan_;
};

}  // namespace carom::inline CAROM_PRECISION
