// Sums over the segments of an array, in one fixed order, so that the rounding is the same everywhere.
#pragma once

#include "carom/queue.h"

namespace carom {

// out[s] = sum of values[segment_start[s]] ... values[segment_start[s + 1] - 1], 0 for an empty segment;
// segment_start has one entry more than out. The order is that of Team::sum: element i of the segment is added to
// partial sum i mod 8, then ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7)).
template <class T>
void segmented_sum(const Queue& queue, Span<const T> values, Span<const int> segment_start, Span<T> out);

extern template void segmented_sum(const Queue&, Span<const float>, Span<const int>, Span<float>);
extern template void segmented_sum(const Queue&, Span<const double>, Span<const int>, Span<double>);

}  // namespace carom
