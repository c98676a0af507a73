// Pairs of indices in one order, whichever way they were found: by the first index, then by the second.
#pragma once

#include <cstdint>
#include <vector>

#include "carom/array.h"

namespace carom::inline CAROM_PRECISION {

struct IndexPair {
  int i, j;  // i < j, none below zero

  bool operator==(const IndexPair&) const = default;
};

class PairSorter {
 public:
  // Sorts in place. Memory is kept from call to call; no more pairs than in some call before allocate nothing.
  void sort(Span<IndexPair> pairs);

 private:
  std::vector<std::uint64_t> keys_, scratch_;
};

}  // namespace carom::inline CAROM_PRECISION
