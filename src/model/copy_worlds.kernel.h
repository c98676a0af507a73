// Copies the rows of chosen worlds from one array to another. Rows are copied as 32-bit words, so that one kernel
// serves every type.
#pragma once

#include <cstdint>

#include "carom/array.h"

namespace carom::inline CAROM_PRECISION {

struct CopyWorlds {
  std::uint32_t* to;
  const std::uint32_t* from;
  int words_per_row;
  Span<const int> row_world;      // world of each row, -1 = global
  Span<const std::uint8_t> mask;  // one per world, then one for the globals

  CAROM_HD void operator()(int row) const {
    const int world = row_world[row];
    if (!mask[world < 0 ? mask.size - 1 : world]) return;
    for (int word = 0; word < words_per_row; ++word) {
      const std::int64_t at = std::int64_t{row} * words_per_row + word;
      to[at] = from[at];
    }
  }
};

}  // namespace carom::inline CAROM_PRECISION
