// In which order the narrow phase looks at pairs on a GPU.
#pragma once

#include "backend/count.h"
#include "collide/narrow_phase.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Pairs of shapes of the same types and geometries next to each other, so that the threads of a warp go one way; behind
// them those that take no search. Keys to sort the pairs by, those that are not there last.
struct KeysOfPairs {
  static constexpr int kBits = 18;

  Span<const Index2> pair;
  PosedShapes shapes;
  Count pairs;
  const int* wanted;  // of each pair, as in PointsOfPairs
  std::uint64_t* key;
  int* place;

  CAROM_HD void operator()(int p) const {
    place[p] = p;
    key[p] = p < pairs.size() ? key_of(p, pair[p][0], pair[p][1]) : (std::uint64_t{1} << kBits) - 1;
  }
  CAROM_HD std::uint64_t key_of(int p, int a, int b) const {
    const unsigned types = static_cast<unsigned>(shapes.type[a] * 16 + shapes.type[b]);
    const unsigned geometries = static_cast<unsigned>(shapes.geometry[a] * 31 + shapes.geometry[b]);
    const bool is_quick = (wanted && !wanted[p]) || shapes.surely_apart(a, b);
    return (is_quick ? 1u << 16 : 0) | (types & 255u) << 8 | (geometries & 255u);
  }
};

}  // namespace carom::inline CAROM_PRECISION
