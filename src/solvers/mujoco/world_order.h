// WorldOrder: parts on a GPU sorted by their rows, into classes that get as many threads each.
#pragma once

#include "backend/graph.h"
#include "backend/sort.h"
#include "solvers/mujoco/kernels.h"

namespace carom::inline CAROM_PRECISION {

// Up to how many blocks of rows a part is of the class with few, and of the one with some; -1 = none.
struct RowRule {
  int few, some;
};

class WorldOrder {
 public:
  // Counts the rows of kernel.worlds, and gives the kernel its worlds sorted by them. Returns where the classes begin
  // and where the last one ends, on the queue's device: parts of islands are behind it. Both last until the next call.
  // island_size: of every part, see IslandView; nullptr: there are no islands.
  const int* send(const Queue& queue, MuJoCoStep& kernel, RowCount* count, RowRule rule,
                  const int* island_size = nullptr);
  void add_to(GraphKey& key) const { key.add(part_); }

 private:
  Array<std::uint64_t> key_;
  Array<int> part_, start_;
  SortScratch sort_;
};

}  // namespace carom::inline CAROM_PRECISION
