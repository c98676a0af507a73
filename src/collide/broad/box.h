// Overlap and growth of boxes.
#pragma once

#include "carom/collide.h"

namespace carom::inline CAROM_PRECISION {

// Touching counts; a box that is not a number overlaps nothing.
CAROM_HD bool overlap(const Box& a, const Box& b) {
  // & and not &&: all six comparisons cost less than one branch that is guessed wrong.
  return (a.lower.x <= b.upper.x) & (b.lower.x <= a.upper.x) & (a.lower.y <= b.upper.y) & (b.lower.y <= a.upper.y) &
         (a.lower.z <= b.upper.z) & (b.lower.z <= a.upper.z);
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
