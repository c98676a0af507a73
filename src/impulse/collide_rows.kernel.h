// collision_impulse() for every row of a batch: in lanes across rows on the CPU, a thread a row on CUDA.
#pragma once

#include "backend/world_lanes.h"
#include "carom/impulse_bulk.h"
#include "impulse/vec3_rows.h"

namespace carom::inline CAROM_PRECISION {

// Row i for a plain number, rows i ... i + W - 1 for lanes.
template <class F>
CAROM_HD F row_of(const ContactColumn<Real>& column, std::int64_t i) {
  if (column.rows.size == 0) return F(column.one);
  if constexpr (PlainNumber<F>) return column.rows[i];
  else return F::load(&column.rows[i]);
}
template <class F>
CAROM_HD Vec3T<F> vec3_of(Span<const Vec3> rows, Vec3 one, std::int64_t i) {
  if (rows.size == 0) return {F(one.x), F(one.y), F(one.z)};
  if constexpr (PlainNumber<F>) return rows[i];
  else return load_vec3_rows<Real, ScalarTraits<F>::kWidth>(&rows[i].x);
}
template <class F>
CAROM_HD Vec3T<F> row_of(const ContactColumn<Vec3>& column, std::int64_t i) {
  return vec3_of<F>(column.rows, column.one, i);
}
template <class F>
CAROM_HD EulerT<F> row_of(const ContactColumn<Euler>& column, std::int64_t i) {
  if (column.rows.size == 0) return {F(column.one.phi), F(column.one.theta), F(column.one.psi)};
  if constexpr (PlainNumber<F>) {
    return column.rows[i];
  } else {
    const auto v = load_vec3_rows<Real, ScalarTraits<F>::kWidth>(&column.rows[i].phi);
    return {v.x, v.y, v.z};
  }
}
template <class F>
CAROM_HD Mat33T<F> tensor_of(const Mat33& a) {
  return {{F(a.row0.x), F(a.row0.y), F(a.row0.z)},
          {F(a.row1.x), F(a.row1.y), F(a.row1.z)},
          {F(a.row2.x), F(a.row2.y), F(a.row2.z)}};
}
template <class F>
CAROM_HD RotationalInertiaT<F> row_of(const InertiaColumn& column, std::int64_t i) {
  if (column.diagonal()) return vec3_of<F>(column.moments, column.one.moments(), i);
  if (column.tensors.size == 0) return tensor_of<F>(column.one.tensor);
  if constexpr (PlainNumber<F>) {
    return column.tensors[i];
  } else {
    F x[9];
    load_rows(&column.tensors[i].row0.x, LaneStride{9}, x);
    return Mat33T<F>{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], x[8]}};
  }
}

template <class F>
CAROM_HD CollisionT<F> collision_of(const ImpulseBatch& batch, std::int64_t i) {
  return {row_of<F>(batch.v1, i),
          row_of<F>(batch.w1, i),
          row_of<F>(batch.self_euler, i),
          row_of<F>(batch.v2, i),
          row_of<F>(batch.w2, i),
          row_of<F>(batch.target_euler, i),
          row_of<F>(batch.r1, i),
          row_of<F>(batch.r2, i),
          row_of<F>(batch.m1, i),
          row_of<F>(batch.m2, i),
          row_of<F>(batch.I1, i),
          row_of<F>(batch.I2, i),
          row_of<F>(batch.normal, i),
          row_of<F>(batch.e, i),
          row_of<F>(batch.friction, i),
          row_of<F>(batch.tangential_restitution, i),
          row_of<F>(batch.restitution_threshold, i),
          batch.oriented};
}

struct CollideRows {
  ImpulseBatch batch;
  Vec3* impulse;
  bool checked;  // no row is bad; otherwise bad ones give NaN

  CAROM_HD void operator()(int i) const {
    const CollisionT<Real> c = collision_of<Real>(batch, i);
    const Vec3 J = collision_impulse(c);
    ArgumentMask<Real> mask("");
    if (!checked) check_collision(c, mask);
    impulse[i] = mask.accept(J);
  }

#if !defined(__CUDACC__)
  CAROM_HD void range(int begin, int end) const {
    constexpr int W = kTierWidth<Real>;
    int i = begin;
    for (; i + W <= end; i += W)
      store_vec3_rows<Real, W>(&impulse[i].x, collision_impulse(collision_of<Lanes<Real, W>>(batch, i)));
    for (; i < end; ++i) (*this)(i);
  }
#endif
};

// Marks blocks of rows in which one is bad, or has two bodies that may both be immovable.
struct FindBadRows {
  static constexpr int kBlock = 256;

  ImpulseBatch batch;
  std::int64_t count;  // of rows
  std::uint8_t* bad;   // per block

  template <class F>
  CAROM_HD bool is_bad(std::int64_t i) const {
    const CollisionT<F> c = collision_of<F>(batch, i);
    ArgumentMask<F> mask("");
    check_collision(c, mask);
    return !all(mask.good() && (c.m1 < infinity<F>() || c.m2 < infinity<F>()));
  }

  CAROM_HD void operator()(int block) const {
    std::int64_t i = std::int64_t{block} * kBlock;
    const std::int64_t end = i + kBlock < count ? i + kBlock : count;
    bool found = false;
#if !defined(__CUDACC__)
    constexpr int W = kTierWidth<Real>;
    for (; i + W <= end; i += W) found = found || is_bad<Lanes<Real, W>>(i);
#endif
    for (; i < end; ++i) found = found || is_bad<Real>(i);
    bad[block] = found;
  }
};

}  // namespace carom::inline CAROM_PRECISION
