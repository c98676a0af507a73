// The contacts of one world, or of W worlds side by side, while a step is computed: found by collide, read by solvers.
//
// Hits are what pairs of shapes report, one slot for all lanes with a bit for each lane that is really hit. Lists then
// count from zero in every lane: slot c of a list is the c-th contact of each world that has one, so worlds of a group
// share the work of a slot although they touch different things.
#pragma once

#include <cstdint>

#include "backend/arena.h"
#include "backend/world_lanes.h"
#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

// One point where two shapes are close.
template <class F>
struct HitT {
  Vec3T<F> point;    // midway between the surfaces [m]
  Vec3T<F> normal;   // from the pair's first shape to its second
  Vec3T<F> tangent;  // first direction of friction where the shapes suggest one, otherwise zero
  F distance;        // between the surfaces, negative when they overlap [m]
};

// Numbers of a pair that may differ from world to world; read for the lanes that are hit.
struct PairParams {
  Real mu;             // coefficient of friction
  Real margin;         // contacts are listed below this distance [m]
  Real active_margin;  // and push below this one [m]
  Real stiffness;      // K of the reference acceleration [1/s^2]
  Real damping;        // B [1/s]
  Real impedance[5];   // d0, dwidth, width [m], midpoint, power
  Real inverse_mass;   // of the two bodies at the initial pose [1/kg]
};

// Sets of degrees of freedom are this many words of 64 bits; no world has more degrees of freedom.
inline constexpr int kDofWords = 3;

// A pair of shapes that may touch; structure.
struct ShapePair {
  int first, second;   // colliding shapes, in the order of the pair's function
  int shape0, shape1;  // the same in the world's order, ascending; global shapes as -2 - shape
  int kind;            // PairKind
  int condim;          // 1: frictionless, 3: friction
  std::uint64_t moved_by_second[kDofWords],
      moved_by_first[kDofWords];  // degrees of freedom that move one of the two, by bit
  std::uint64_t blocks;           // of three degrees of freedom, that hold one of them
  bool flipped;                   // first and second are shape1 and shape0
};

// The c-th contact of every lane is hit source[c * W + lane], -1 = this lane has fewer.
struct ContactLane {
  int* source;
  int capacity;  // slots
  int count;     // slots in use: the most contacts that any lane has
  int* lane_count;
};

template <class F>
struct ContactList {
  HitT<F>* hit;
  std::uint64_t* hit_lanes;  // bit l: lane l is hit
  int* hit_pair;
  int hit_capacity = 0;
  ContactLane frictionless, frictional;
};

// What get() finds in the hit of each lane's contact, zero where source is -1.
template <class F, class Get>
CAROM_HD F pick(const HitT<F>* hits, const int* source, Get get) {
  if constexpr (PlainNumber<F>) {
    return source[0] < 0 ? F(0) : get(hits[source[0]]);
  } else {
    F value{};
    for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
      if (source[l] >= 0) value.set(l, get(hits[source[l]])[l]);
    return value;
  }
}

}  // namespace carom::inline CAROM_PRECISION
