#include "collide/broad/sort_pairs.h"

#include <algorithm>
#include <bit>

#include "collide/broad/radix_sort.h"

namespace carom::inline CAROM_PRECISION {

// Both indices go into one key without the bits that none of them has: fewer bits are fewer passes.
void PairSorter::sort(Span<IndexPair> pairs) {
  keys_.resize(pairs.size);
  scratch_.resize(pairs.size);
  std::uint32_t all = 0;
  for (const IndexPair& pair : pairs) all |= std::uint32_t(pair.j);
  const int bits = std::max(1, int(std::bit_width(all)));
  for (std::int64_t k = 0; k < pairs.size; ++k) {
    keys_[k] = std::uint64_t(std::uint32_t(pairs[k].i)) << bits | std::uint32_t(pairs[k].j);
  }
  radix_sort({keys_.data(), pairs.size}, {scratch_.data(), pairs.size}, 0, 2 * bits);
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  for (std::int64_t k = 0; k < pairs.size; ++k) pairs[k] = {int(keys_[k] >> bits), int(keys_[k] & mask)};
}

}  // namespace carom::inline CAROM_PRECISION
