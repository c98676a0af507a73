// Copies rows of chosen worlds, or all rows, from one set of arrays to another: every array of the set in one launch.
// Rows are copied as 32-bit words, so that one kernel serves every type.
#pragma once

#include <cstdint>

#include "carom/array.h"

namespace carom::inline CAROM_PRECISION {

struct CopyRows {
  struct Column {
    std::uint32_t* to;
    const std::uint32_t* from;  // nullptr: zeros
    const int* to_start;        // first row of each world, then of the globals at the back, then the total
    const int* from_start;
    std::int64_t words;  // of all rows
    int words_per_row;
  };
  static constexpr int kMostColumns = 24;

  Column column[kMostColumns];
  int column_count;
  Span<const int> worlds;  // -1 = the globals; no list: all rows
  bool packed;             // the i-th listed world becomes world i
  int world_count;         // of `from`
  int parts;               // a piece of a column is copied by so many

  CAROM_HD void operator()(int i) const {
    const int part = i % parts, piece = i / parts;
    const Column& c = column[piece % column_count];
    if (worlds.data == nullptr) return copy(c, 0, 0, c.words, part);
    const int index = piece / column_count, world = worlds[index];
    if (world >= 0)
      return copy_rows(c, c.to_start[packed ? index : world], c.from_start[world], c.from_start[world + 1], part);
    copy_rows(c, 0, 0, c.from_start[0], part);
    copy_rows(c, c.to_start[world_count], c.from_start[world_count], c.from_start[world_count + 1], part);
  }

 private:
  CAROM_HD void copy_rows(const Column& c, int to, int from, int from_end, int part) const {
    const std::int64_t width = c.words_per_row;
    copy(c, to * width, from * width, (from_end - from) * width, part);
  }

  // One part of some words. Threads of a GPU take every `parts`-th word, so that neighbours read neighbours; those of a
  // CPU take a run of them.
  CAROM_HD void copy(const Column& c, std::int64_t to, std::int64_t from, std::int64_t words, int part) const {
#if defined(__CUDA_ARCH__)
    for (std::int64_t w = part; w < words; w += parts) c.to[to + w] = c.from ? c.from[from + w] : 0;
#else
    const std::int64_t begin = words * part / parts, bytes = (words * (part + 1) / parts - begin) * 4;
    if (bytes == 0) return;
    if (c.from) __builtin_memmove(c.to + to + begin, c.from + from + begin, bytes);
    else __builtin_memset(c.to + to + begin, 0, bytes);
#endif
  }
};

}  // namespace carom::inline CAROM_PRECISION
