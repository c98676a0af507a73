// BoxSweep: sweep and prune. The boxes are sorted by their lower ends along the axis on which their centres vary most;
// each is tested against those that begin before it ends. For scenes that are long and thin, or small: the work grows
// with the number of boxes that overlap along the one axis. After D. Baraff, "Dynamic Simulation of Non-Penetrating
// Rigid Bodies", 1992, and C. Ericson, "Real-Time Collision Detection", 2005, section 7.5.2.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "carom/array.h"
#include "collide/broad/box_rows.h"

namespace carom::inline CAROM_PRECISION {

class BoxSweep {
 public:
  // Memory is kept from call to call; a build of no more boxes than some build before allocates nothing.
  void build(Span<const Box> boxes);

  // Calls visit(i, j), i < j, once for each pair of boxes that overlap, always in the same order.
  template <class Visit>
  void self_pairs(Visit&& visit) const {
    const std::int64_t count = std::int64_t(keys_.size());
    for (std::int64_t a = 0; a < count; ++a) {
      const Box box = rows_[a];
      const int i = index(a);
      for (std::int64_t b = a + 1; b < count && begin(b) <= ends_[a]; b += BoxQuad::kBoxes) {
        each_bit(rows_.overlap_mask_at(box, b), [&](int lane) {
          const int j = index(b + lane);
          visit(std::min(i, j), std::max(i, j));
        });
      }
    }
  }

 private:
  std::uint32_t begin(std::int64_t k) const { return std::uint32_t(keys_[k] >> 32); }
  int index(std::int64_t k) const { return int(std::uint32_t(keys_[k])); }

  BoxRows rows_;                               // in the order of keys_
  std::vector<std::uint64_t> keys_, scratch_;  // lower end << 32 | index
  std::vector<std::uint32_t> ends_;            // upper ends
};

}  // namespace carom::inline CAROM_PRECISION
