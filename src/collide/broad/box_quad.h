// Four boxes side by side, number by number: what one vector register per number can test at once.
#pragma once

#include <cstdint>
#include <limits>

#include "collide/broad/box.h"
#include "math/bits.h"
#include "math/lanes.h"

namespace carom::inline CAROM_PRECISION {

struct alignas(32) BoxQuad {
  static constexpr int kBoxes = 4;
  static constexpr Real kNone = std::numeric_limits<Real>::quiet_NaN();  // a box of these overlaps nothing

  Real lower[3][kBoxes];
  Real upper[3][kBoxes];

  void set(int lane, const Box& box) {
    for (int axis = 0; axis < 3; ++axis) {
      lower[axis][lane] = box.lower[axis];
      upper[axis][lane] = box.upper[axis];
    }
  }
  void clear(int lane) { set(lane, {{kNone, kNone, kNone}, {kNone, kNone, kNone}}); }

  // The box around those of the four that are boxes: min and max leave out what is not a number.
  Box bounds() const {
    constexpr Real inf = std::numeric_limits<Real>::infinity();
    Box box = {{inf, inf, inf}, {-inf, -inf, -inf}};
    for (int axis = 0; axis < 3; ++axis) {
      for (int lane = 0; lane < kBoxes; ++lane) {
        box.lower[axis] = min(lower[axis][lane], box.lower[axis]);
        box.upper[axis] = max(upper[axis][lane], box.upper[axis]);
      }
    }
    return box;
  }
};

// Bits of overlap_mask(a, b): 4 r + l stands for box (l + r) % 4 of a and box l of b. Turning a by r lanes takes half
// the instructions of spreading each of its boxes over a register.
struct QuadHit {
  int a, b;
};
CAROM_HD QuadHit quad_hit(int bit) { return {(bit + (bit >> 2)) & 3, bit & 3}; }

// Of the bits of overlap_mask(a, a), those with a first box before the second: every pair once, no box with itself.
constexpr std::uint32_t kQuadPairsOnce = [] {
  std::uint32_t mask = 0;
  for (int bit = 0; bit < 16; ++bit) mask |= std::uint32_t(((bit + bit / 4) % 4) < bit % 4) << bit;
  return mask;
}();

// Which of the sixteen pairs overlap. All are tested: that costs less than one branch that is guessed wrong.
CAROM_HD std::uint32_t overlap_mask(const BoxQuad& a, const BoxQuad& b) {
  using L = Lanes<Real, 4>;
  const auto turn = [](L v) CAROM_HD_LAMBDA { return L::of(__builtin_shufflevector(v.v, v.v, 1, 2, 3, 0)); };
  L lower[3], upper[3];
  for (int axis = 0; axis < 3; ++axis) {
    lower[axis] = L::load(a.lower[axis]);
    upper[axis] = L::load(a.upper[axis]);
  }
  std::uint32_t mask = 0;
  CAROM_UNROLL
  for (int r = 0; r < 4; ++r) {
    const auto x = lower[0] <= L::load(b.upper[0]) && L::load(b.lower[0]) <= upper[0];
    const auto y = lower[1] <= L::load(b.upper[1]) && L::load(b.lower[1]) <= upper[1];
    const auto z = lower[2] <= L::load(b.upper[2]) && L::load(b.lower[2]) <= upper[2];
    mask |= std::uint32_t((x && y && z).bits()) << (4 * r);
    for (int axis = 0; axis < 3; ++axis) {
      lower[axis] = turn(lower[axis]);
      upper[axis] = turn(upper[axis]);
    }
  }
  return mask;
}

// Which of the four boxes overlap one box; bit l is box l.
CAROM_HD std::uint32_t overlap_mask(const Box& box, const BoxQuad& quad) {
  using L = Lanes<Real, 4>;
  auto mask = L(box.lower.x) <= L::load(quad.upper[0]) && L::load(quad.lower[0]) <= L(box.upper.x);
  for (int axis = 1; axis < 3; ++axis) {
    mask = mask && L(box.lower[axis]) <= L::load(quad.upper[axis]) && L::load(quad.lower[axis]) <= L(box.upper[axis]);
  }
  return std::uint32_t(mask.bits());
}

}  // namespace carom::inline CAROM_PRECISION
