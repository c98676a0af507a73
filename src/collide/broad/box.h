// Overlap and growth of boxes.
#pragma once

#include <limits>

#include "carom/collide.h"

namespace carom::inline CAROM_PRECISION {

namespace box {

#if !defined(__CUDA_ARCH__)
// Four of a box's six numbers at once, from the one given on.
using Quad = Real __attribute__((vector_size(4 * sizeof(Real))));
CAROM_HD Quad quad_from(const Real& first) {
  Quad quad;
  __builtin_memcpy(&quad, &first, sizeof(quad));
  return quad;
}
#endif

}  // namespace box

// Touching counts; a box that is not a number overlaps nothing. No branches: six comparisons cost less than one that is
// guessed wrong.
CAROM_HD bool overlap(const Box& a, const Box& b) {
#if defined(__CUDA_ARCH__)
  return (a.lower.x <= b.upper.x) & (b.lower.x <= a.upper.x) & (a.lower.y <= b.upper.y) & (b.lower.y <= a.upper.y) &
         (a.lower.z <= b.upper.z) & (b.lower.z <= a.upper.z);
#else
  // The fourth number of each is compared with what is never exceeded.
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  const box::Quad a_upper{a.upper.x, a.upper.y, a.upper.z, kInfinity},
      a_lower{-kInfinity, a.lower.x, a.lower.y, a.lower.z};
  const auto meets = (box::quad_from(b.lower.x) <= a_upper) & (a_lower <= box::quad_from(b.lower.z));
  std::uint64_t words[sizeof(meets) / 8], all = ~std::uint64_t{0};
  __builtin_memcpy(words, &meets, sizeof(meets));
  for (const std::uint64_t word : words) all &= word;
  return all == ~std::uint64_t{0};
#endif
}

CAROM_HD Box grown(const Box& box, Real by) {
  const Vec3 d{by, by, by};
  return {box.lower - d, box.upper + d};
}

// Whether some number of the box is none: such a number is neither below nor above another.
CAROM_HD bool has_nan(const Box& box) {
  const auto ordered = [](Real a, Real b) CAROM_HD_LAMBDA { return a <= b || a >= b; };
  return !(ordered(box.lower.x, box.upper.x) && ordered(box.lower.y, box.upper.y) && ordered(box.lower.z, box.upper.z));
}

// Longest side [m]; negative for a box that is turned inside out on every axis.
CAROM_HD Real largest_extent(const Box& box) {
  const Vec3 extent = box.upper - box.lower;
  return max(extent.x, max(extent.y, extent.z));
}

}  // namespace carom::inline CAROM_PRECISION
