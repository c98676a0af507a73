// Transfers between lanes and memory that holds the worlds one after the other. Lane l has its own offset:
//
//   gather, scatter          one number per lane, at base + offset[l]
//   load_rows, store_rows    N consecutive numbers per lane, transposed to or from N lane vectors
//
// Rows go through 16-byte pieces, transposed in registers; when N is no multiple of a piece, the last piece overlaps
// the one before it, so nothing outside the N numbers is touched. Two lanes may have the same offset if they store
// the same values. The same names take a plain number and one offset, so that kernels are one text.
#pragma once

#include <cstdint>

#include "math/lanes.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

template <PlainNumber T>
CAROM_HD T gather(const T* base, std::int64_t offset) {
  return base[offset];
}
template <PlainNumber T>
CAROM_HD void scatter(T* base, std::int64_t offset, T value) {
  base[offset] = value;
}
template <int N, PlainNumber T>
CAROM_HD void load_rows(const T* base, std::int64_t offset, T (&out)[N]) {
  for (int k = 0; k < N; ++k) out[k] = base[offset + k];
}
template <int N, PlainNumber T>
CAROM_HD void store_rows(T* base, std::int64_t offset, const T (&values)[N]) {
  for (int k = 0; k < N; ++k) base[offset + k] = values[k];
}

// Rows at equal distances: lane l at l * stride. Costs no loads of offsets.
struct LaneStride {
  std::int64_t stride;
  int first = 0;

  CAROM_HD std::int64_t operator[](int lane) const { return (first + lane) * stride; }
  CAROM_HD LaneStride operator+(int lanes) const { return {stride, first + lanes}; }
};

// Rows `stride` numbers long: lane l at row[l].
struct LaneIndex {
  const int* row;
  std::int64_t stride;

  CAROM_HD std::int64_t operator[](int lane) const { return row[lane] * stride; }
  CAROM_HD LaneIndex operator+(int lanes) const { return {row + lanes, stride}; }
};

#if !defined(__CUDACC__)

// Offset: anything with [lane] and + lanes: a pointer to the offsets, a LaneStride or a LaneIndex.
template <class T, int W, class Offset>
CAROM_HD Lanes<T, W> gather_at(const T* base, Offset offset) {
  if constexpr (std::is_same_v<Offset, LaneIndex> &&
                requires { native_gather(base, offset.row, 1, LaneVector<T, W>{}); }) {
    return Lanes<T, W>::of(native_gather(base, offset.row, static_cast<int>(offset.stride), LaneVector<T, W>{}));
  } else if constexpr (kFitsRegister<T, W>) {
    return [&]<int... L>(std::integer_sequence<int, L...>) CAROM_HD_LAMBDA {
      return Lanes<T, W>::of(typename Lanes<T, W>::Vector{base[offset[L]]...});
    }
    (std::make_integer_sequence<int, W>{});
  } else {
    Lanes<T, W> r;
    for (int l = 0; l < W; ++l) r.set(l, base[offset[l]]);
    return r;
  }
}
template <class T, int W>
CAROM_HD Lanes<T, W> gather(const T* base, const std::int64_t (&offset)[W]) {
  return gather_at<T, W>(base, static_cast<const std::int64_t*>(offset));
}
template <class T, int W>
CAROM_HD void scatter(T* base, const std::int64_t (&offset)[W], Lanes<T, W> value) {
  T lane[W];
  value.store(lane);
  for (int l = 0; l < W; ++l) base[offset[l]] = lane[l];
}

// base[row[l]] in lane l.
template <int W>
CAROM_HD LaneVector<int, W> gather_ints(const int* base, LaneVector<int, W> row) {
  if constexpr (requires { native_gather(base, row); }) {
    return native_gather(base, row);
  } else {
    LaneVector<int, W> r;
    for (int l = 0; l < W; ++l) r[l] = base[row[l]];
    return r;
  }
}

// -- Rows in pieces of 16 bytes: kPiece numbers.

template <class T>
inline constexpr int kPiece = 16 / sizeof(T);

// Lanes l, l + kPiece, l + 2 kPiece ... of `offset`: the pieces at `base`, side by side.
template <class T, int W, int Count = W / kPiece<T>, class Offset>
CAROM_HD LaneVector<T, Count * kPiece<T>> load_pieces(const T* base, Offset offset) {
  if constexpr (Count == 1) {
    return load_vector<T, kPiece<T>>(base + offset[0]);
  } else {
    constexpr int half = Count / 2;
    return join<T, half * kPiece<T>>(load_pieces<T, W, half>(base, offset),
                                     load_pieces<T, W, half>(base, offset + half * kPiece<T>));
  }
}
template <class T, int W, int Count = W / kPiece<T>, class Offset>
CAROM_HD void store_pieces(T* base, Offset offset, LaneVector<T, Count * kPiece<T>> v) {
  if constexpr (Count == 1) {
    store_vector<T, kPiece<T>>(base + offset[0], v);
  } else {
    constexpr int half = Count / 2;
    const auto halves = split<T, Count * kPiece<T>>(v);
    store_pieces<T, W, half>(base, offset, halves.low);
    store_pieces<T, W, half>(base, offset + half * kPiece<T>, halves.high);
  }
}

// In every 16 bytes: r[j] element k <-> r[k] element j.
template <class T, int W>
CAROM_HD void transpose_pieces(LaneVector<T, W> (&r)[kPiece<T>]) {
  // The first or second half of a piece of a, interleaved with that of b in runs of `run` elements.
  const auto zip = []<int Half, int Run>(LaneVector<T, W> a, LaneVector<T, W> b) CAROM_HD_LAMBDA {
    return [&]<int... I>(std::integer_sequence<int, I...>) CAROM_HD_LAMBDA {
      return __builtin_shufflevector(a, b,
                                     (I / kPiece<T> * kPiece<T> + Half * kPiece<T> / 2 +
                                      I % kPiece<T> / (2 * Run) * Run + I % Run + I / Run % 2 * W)...);
    }
    (std::make_integer_sequence<int, W>{});
  };
  if constexpr (kPiece<T> == 2) {
    const auto a = r[0], b = r[1];
    r[0] = zip.template operator()<0, 1>(a, b);
    r[1] = zip.template operator()<1, 1>(a, b);
  } else {
    const auto ab_low = zip.template operator()<0, 1>(r[0], r[1]);  // a0 b0 a1 b1
    const auto ab_high = zip.template operator()<1, 1>(r[0], r[1]);
    const auto cd_low = zip.template operator()<0, 1>(r[2], r[3]);
    const auto cd_high = zip.template operator()<1, 1>(r[2], r[3]);
    r[0] = zip.template operator()<0, 2>(ab_low, cd_low);  // a0 b0 c0 d0
    r[1] = zip.template operator()<1, 2>(ab_low, cd_low);
    r[2] = zip.template operator()<0, 2>(ab_high, cd_high);
    r[3] = zip.template operator()<1, 2>(ab_high, cd_high);
  }
}

// Where the piece starts that holds field k and was not moved yet; the last piece of a row ends with the row.
template <class T, int N>
constexpr int piece_start(int k) {
  return k + kPiece<T> <= N ? k : N - kPiece<T>;
}

template <int N, class T, int W, class Offset>
CAROM_HD void load_rows_at(const T* base, Offset offset, Lanes<T, W> (&out)[N]) {
  constexpr int P = kPiece<T>;
  if constexpr (N < P || W < P || !kFitsRegister<T, W>) {
    for (int k = 0; k < N; ++k) out[k] = gather_at<T, W>(base + k, offset);
  } else {
#pragma GCC unroll 16
    for (int k = 0; k < N; k += P) {
      const int start = piece_start<T, N>(k);
      LaneVector<T, W> r[P];
      for (int j = 0; j < P; ++j) r[j] = load_pieces<T, W>(base + start, offset + j);
      transpose_pieces<T, W>(r);
      for (int j = 0; j < P; ++j) out[start + j].v = r[j];
    }
  }
}
template <int N, class T, int W>
CAROM_HD void load_rows(const T* base, const std::int64_t (&offset)[W], Lanes<T, W> (&out)[N]) {
  load_rows_at(base, static_cast<const std::int64_t*>(offset), out);
}
template <int N, class T, int W>
CAROM_HD void load_rows(const T* base, LaneStride stride, Lanes<T, W> (&out)[N]) {
  load_rows_at(base, stride, out);
}
template <int N, class T, int W>
CAROM_HD void load_rows(const T* base, LaneIndex rows, Lanes<T, W> (&out)[N]) {
  load_rows_at(base, rows, out);
}
template <int N, class T, int W, class Offset>
CAROM_HD void store_rows_at(T* base, Offset offset, const Lanes<T, W> (&values)[N]) {
  constexpr int P = kPiece<T>;
  if constexpr (N < P || W < P || !kFitsRegister<T, W>) {
    for (int k = 0; k < N; ++k) {
      T lane[W];
      values[k].store(lane);
      for (int l = 0; l < W; ++l) base[offset[l] + k] = lane[l];
    }
  } else {
#pragma GCC unroll 16
    for (int k = 0; k < N; k += P) {
      const int start = piece_start<T, N>(k);
      LaneVector<T, W> r[P];
      for (int j = 0; j < P; ++j) r[j] = values[start + j].v;
      transpose_pieces<T, W>(r);
      for (int j = 0; j < P; ++j) store_pieces<T, W>(base + start, offset + j, r[j]);
    }
  }
}
template <int N, class T, int W>
CAROM_HD void store_rows(T* base, const std::int64_t (&offset)[W], const Lanes<T, W> (&values)[N]) {
  store_rows_at(base, static_cast<const std::int64_t*>(offset), values);
}
template <int N, class T, int W>
CAROM_HD void store_rows(T* base, LaneStride stride, const Lanes<T, W> (&values)[N]) {
  store_rows_at(base, stride, values);
}
// Lane by lane, so that the place of a row is worked out once.
template <int N, class T, int W>
CAROM_HD void store_rows(T* base, LaneIndex rows, const Lanes<T, W> (&values)[N]) {
  constexpr int P = kPiece<T>;
  if constexpr (N % P != 0 || W < P || !kFitsRegister<T, W>) {
    store_rows_at(base, rows, values);
  } else {
    LaneVector<T, W> r[N / P][P];
#pragma GCC unroll 16
    for (int k = 0; k < N; ++k) r[k / P][k % P] = values[k].v;
#pragma GCC unroll 16
    for (int k = 0; k < N / P; ++k) transpose_pieces<T, W>(r[k]);
#pragma GCC unroll 64
    for (int l = 0; l < W; ++l) {
      T* const row = base + rows[l];
#pragma GCC unroll 16
      for (int k = 0; k < N / P; ++k)
        store_vector<T, P>(row + k * P, load_vector<T, P>(reinterpret_cast<const T*>(&r[k][l % P]) + l / P * P));
    }
  }
}

#endif  // !defined(__CUDACC__)

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
