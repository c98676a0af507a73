// Many boxes number by number, in six rows, for a scan that tests four of them at a time.
#pragma once

#include <vector>

#include "collide/broad/box_quad.h"

namespace carom::inline CAROM_PRECISION {

class BoxRows {
 public:
  // Room for `count` boxes; behind the last one stand some that overlap nothing, for the scan to run into.
  void resize(std::int64_t count) {
    for (std::vector<Real>& row : rows_) {
      row.resize(count + BoxQuad::kBoxes);
      for (int k = 0; k < BoxQuad::kBoxes; ++k) row[count + k] = BoxQuad::kNone;
    }
  }
  void set(std::int64_t k, const Box& box) {
    for (int axis = 0; axis < 3; ++axis) {
      rows_[axis][k] = box.lower[axis];
      rows_[3 + axis][k] = box.upper[axis];
    }
  }
  Box operator[](std::int64_t k) const {
    return {{rows_[0][k], rows_[1][k], rows_[2][k]}, {rows_[3][k], rows_[4][k], rows_[5][k]}};
  }

  // Which of the boxes k ... k + 3 overlap this one; bit l is box k + l.
  std::uint32_t overlap_mask_at(const Box& box, std::int64_t k) const {
    using L = Lanes<Real, 4>;
    const auto overlap_along = [&](int axis) CAROM_HD_LAMBDA {
      return L(box.lower[axis]) <= L::load(&rows_[3 + axis][k]) && L::load(&rows_[axis][k]) <= L(box.upper[axis]);
    };
    return std::uint32_t((overlap_along(0) && overlap_along(1) && overlap_along(2)).bits());
  }

 private:
  std::vector<Real> rows_[6];  // lower x, y, z, upper x, y, z
};

}  // namespace carom::inline CAROM_PRECISION
