#include "collide/broad/sap.h"

#include "carom/geometry.h"
#include "collide/broad/ordered.h"
#include "collide/broad/radix_sort.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// The axis on which the centres vary most. Boxes without end have no centre worth the name.
int widest_axis(Span<const Box> boxes) {
  double sum[3] = {}, squares[3] = {}, count = 0;
  for (const Box& box : boxes) {
    if (has_nan(box) || !(largest_extent(box) < kUnbounded)) continue;
    ++count;
    for (int axis = 0; axis < 3; ++axis) {
      const double center = double(box.lower[axis]) + double(box.upper[axis]);
      sum[axis] += center;
      squares[axis] += center * center;
    }
  }
  const auto variance = [&](int axis) { return squares[axis] * count - sum[axis] * sum[axis]; };
  int widest = 0;
  for (int axis = 1; axis < 3; ++axis) widest = variance(axis) > variance(widest) ? axis : widest;
  return widest;
}

}  // namespace

void BoxSweep::build(Span<const Box> boxes) {
  const int axis = widest_axis(boxes);
  keys_.resize(boxes.size);
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < boxes.size; ++i) {
    keys_[count] = std::uint64_t(ordered(boxes[i].lower[axis])) << 32 | std::uint32_t(i);
    count += !has_nan(boxes[i]);
  }
  keys_.resize(count);
  scratch_.resize(count);
  radix_sort({keys_.data(), count}, {scratch_.data(), count}, 32, 64);
  rows_.resize(count);
  ends_.resize(count);
  for (std::int64_t k = 0; k < count; ++k) {
    const Box& box = boxes[index(k)];
    rows_.set(k, box);
    ends_[k] = ordered(box.upper[axis]);
  }
}

}  // namespace carom::inline CAROM_PRECISION
