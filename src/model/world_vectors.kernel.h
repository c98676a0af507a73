// Vectors and transforms of W worlds, from arrays of numbers and from those of one world.
#pragma once

#include "backend/world_lanes.h"
#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

// Numbers of W worlds as vectors.
template <class F>
CAROM_HD Vec3T<F> load_vec3(const Element<F>* base, const Offsets<F>& offsets, int k) {
  F v[3];
  load_rows(base, offsets, k, v);
  return {v[0], v[1], v[2]};
}
template <class F>
CAROM_HD TransformT<F> load_transform(const Element<F>* base, const Offsets<F>& offsets, int k) {
  F v[7];
  load_rows(base, offsets, k, v);
  return {{v[0], v[1], v[2]}, {v[3], v[4], v[5], v[6]}};
}

// One world's numbers for every lane.
template <class F>
CAROM_HD Vec3T<F> broadcast(Vec3 v) {
  return {F(v.x), F(v.y), F(v.z)};
}
template <class F>
CAROM_HD QuatT<F> broadcast(Quat q) {
  return {F(q.x), F(q.y), F(q.z), F(q.w)};
}
template <class F>
CAROM_HD TransformT<F> broadcast(Transform X) {
  return {broadcast<F>(X.p), broadcast<F>(X.q)};
}

}  // namespace carom::inline CAROM_PRECISION
