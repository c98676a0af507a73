// W vectors that stand one after the other in memory, as x0 y0 z0 x1 y1 ..., to and from lanes: three whole registers
// and shuffles, where load_rows() would fetch every number alone.
#pragma once

#include "carom/math/vec.h"
#include "math/lanes_rows.h"

#if !defined(__CUDACC__)

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// Component k of the vectors in a, b, c. First what a and b have of it, in its lanes, then what c has.
template <int k, class T, int W>
CAROM_HD LaneVector<T, W> every_third(LaneVector<T, W> a, LaneVector<T, W> b, LaneVector<T, W> c) {
  return [&]<int... l>(std::integer_sequence<int, l...>) CAROM_HD_LAMBDA {
    const LaneVector<T, W> ab = __builtin_shufflevector(a, b, (3 * l + k < 2 * W ? 3 * l + k : 0)...);
    return __builtin_shufflevector(ab, c, (3 * l + k < 2 * W ? l : 3 * l + k - W)...);
  }
  (std::make_integer_sequence<int, W>{});
}

// Numbers part * W ... part * W + W - 1 of x0 y0 z0 x1 y1 ...
template <int part, class T, int W>
CAROM_HD LaneVector<T, W> interleaved(LaneVector<T, W> x, LaneVector<T, W> y, LaneVector<T, W> z) {
  return [&]<int... l>(std::integer_sequence<int, l...>) CAROM_HD_LAMBDA {
    const LaneVector<T, W> xy =
        __builtin_shufflevector(x, y, ((part * W + l) / 3 + ((part * W + l) % 3 == 1 ? W : 0))...);
    return __builtin_shufflevector(xy, z, ((part * W + l) % 3 == 2 ? W + (part * W + l) / 3 : l)...);
  }
  (std::make_integer_sequence<int, W>{});
}

template <class T, int W>
CAROM_HD Vec3T<Lanes<T, W>> load_vec3_rows(const T* from) {
  using L = Lanes<T, W>;
  if constexpr (W == 1 || !kFitsRegister<T, W>) {
    L x[3];
    load_rows(from, LaneStride{3}, x);
    return {x[0], x[1], x[2]};
  } else {
    const auto a = L::load(from).v, b = L::load(from + W).v, c = L::load(from + 2 * W).v;
    return {L::of(every_third<0, T, W>(a, b, c)), L::of(every_third<1, T, W>(a, b, c)),
            L::of(every_third<2, T, W>(a, b, c))};
  }
}

template <class T, int W>
CAROM_HD void store_vec3_rows(T* to, Vec3T<Lanes<T, W>> v) {
  using L = Lanes<T, W>;
  if constexpr (W == 1 || !kFitsRegister<T, W>) {
    store_rows<3>(to, LaneStride{3}, {v.x, v.y, v.z});
  } else {
    L::of(interleaved<0, T, W>(v.x.v, v.y.v, v.z.v)).store(to);
    L::of(interleaved<1, T, W>(v.x.v, v.y.v, v.z.v)).store(to + W);
    L::of(interleaved<2, T, W>(v.x.v, v.y.v, v.z.v)).store(to + 2 * W);
  }
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER

#endif  // !defined(__CUDACC__)
