// Contacts of a world's shapes: every pair that the filters left is tested, first by distance of bounding spheres, then
// by the function of its kind. One text for a world, for W worlds in lanes and for a team.
#pragma once

#include "backend/team.h"
#include "collide/narrow/capsule_capsule.kernel.h"
#include "collide/narrow/plane_capsule.kernel.h"
#include "collide/narrow/plane_sphere.kernel.h"
#include "collide/narrow/sphere_capsule.kernel.h"
#include "collide/narrow/sphere_sphere.kernel.h"
#include "math/bits.h"

namespace carom::inline CAROM_PRECISION {

enum class PairKind : int { kPlaneSphere, kPlaneCapsule, kSphereSphere, kSphereCapsule, kCapsuleCapsule };

// Numbers of a pair that every lane is tested with.
template <class F>
struct PairReach {
  F reach;   // sum of the bounding radii and the margin [m]
  F margin;  // contacts are listed below this distance [m]
};

// Views of the structure; the arrays are owned by PairPlan.
struct CollideView {
  Span<const int> shape_link;  // link that carries the shape, -1 = the world
  Span<const ShapePair> pair;  // sorted by shape0, shape1
  int hit_capacity;            // slots for hits; two per pair are always enough
  int contact_capacity;        // slots of each list

  CAROM_HD int shapes() const { return static_cast<int>(shape_link.size); }
  CAROM_HD int pairs() const { return static_cast<int>(pair.size); }
};

template <class F>
struct CollideWork {
  const ShapeParams<F>* shape_params;
  const PairReach<F>* pair_reach;
  PosedShape<F>* shape;
  std::uint64_t* near_lanes;  // per pair
  int* candidate;             // pairs that are near in some lane
  ContactList<F> list;
};

CAROM_HD std::uint64_t lane_bits(bool mask) { return mask; }
template <class M>
CAROM_HD std::uint64_t lane_bits(M mask) {
  return mask.bits();
}

template <class F>
CAROM_HD CollideWork<F> take_collide_work(Arena& arena, const CollideView& view) {
  constexpr int W = ScalarTraits<F>::kWidth;
  CollideWork<F> w;
  w.shape = arena.take<PosedShape<F>>(view.shapes());
  w.near_lanes = arena.take<std::uint64_t>(view.pairs());
  w.candidate = arena.take<int>(view.pairs());
  w.list.hit = arena.take<HitT<F>>(view.hit_capacity);
  w.list.hit_lanes = arena.take<std::uint64_t>(view.hit_capacity);
  w.list.hit_pair = arena.take<int>(view.hit_capacity);
  w.list.hit_capacity = view.hit_capacity;
  for (ContactLane* lane : {&w.list.frictionless, &w.list.frictional}) {
    lane->source = arena.take<int>(view.hit_capacity * W);
    lane->lane_count = arena.take<int>(W);
    lane->capacity = view.contact_capacity;
    lane->count = 0;
  }
  return w;
}

namespace contacts {

// Which lanes have the bounding spheres of a pair nearer than its reach.
template <class F>
CAROM_HD std::uint64_t near_lanes(const ShapePair& pair, const CollideWork<F>& w, PairReach<F> reach) {
  const PosedShape<F>& a = w.shape[pair.first];
  const Vec3T<F> d = w.shape[pair.second].center - a.center;
  const bool plane = pair.kind <= static_cast<int>(PairKind::kPlaneCapsule);
  if (plane) return lane_bits(dot(d, a.axis) < reach.reach);
  return lane_bits(length_squared(d) < reach.reach * reach.reach);
}

// Up to two hits; returns where there is a second one.
template <class F>
CAROM_HD MaskOf<F> hits_of_pair(const ShapePair& pair, const CollideWork<F>& w, HitT<F>* hit) {
  const PosedShape<F>&a = w.shape[pair.first], &b = w.shape[pair.second];
  switch (static_cast<PairKind>(pair.kind)) {
    case PairKind::kPlaneSphere: return plane_sphere(a, b, hit);
    case PairKind::kPlaneCapsule: return plane_capsule(a, b, hit);
    case PairKind::kSphereSphere: return sphere_sphere(a, b, hit);
    case PairKind::kSphereCapsule: return sphere_capsule(a, b, hit);
    case PairKind::kCapsuleCapsule: break;
  }
  return capsule_capsule(a, b, hit);
}

// The hits of one kind as lists that count from zero in every lane. Returns how many slots they need; those beyond the
// capacity are left out. Every thread of a team knows the number from the vote, and one of them writes it.
template <class F, class Team>
CAROM_HD_STAGE int list_hits(Team team, const CollideView& view, const ContactList<F>& list, int hit_count, int condim,
                             ContactLane& lane) {
  const auto wanted = [&](int h) { return list.hit_lanes[h] != 0 && view.pair[list.hit_pair[h]].condim == condim; };
  if constexpr (PlainNumber<F>) {
    const int needed = team.compact(hit_count, wanted, lane.source);
    team.each(1, [&](int) {
      lane.lane_count[0] = needed;
      lane.count = needed < lane.capacity ? needed : lane.capacity;
    });
    return needed;
  } else {
    constexpr int W = ScalarTraits<F>::kWidth;
    for (int l = 0; l < W; ++l) lane.lane_count[l] = 0;
    int needed = 0;
    for (int h = 0; h < hit_count; ++h) {
      if (!wanted(h)) continue;
      for (std::uint64_t bits = list.hit_lanes[h]; bits != 0; bits &= bits - 1) {
        const int l = lowest_bit(bits);
        const int slot = lane.lane_count[l]++;
        if (slot == needed) {
          for (int other = 0; other < W; ++other) lane.source[slot * W + other] = -1;
          ++needed;
        }
        lane.source[slot * W + l] = h;
      }
    }
    lane.count = needed < lane.capacity ? needed : lane.capacity;
    return needed;
  }
}

}  // namespace contacts

template <class F, class Team>
CAROM_HD_STAGE void place_shapes(Team team, const CollideView& view, const TransformT<F>* X_WL,
                                 const CollideWork<F>& w) {
  team.each(view.shapes(), [&](int s) {
    const ShapeParams<F>& params = w.shape_params[s];
    const int link = view.shape_link[s];
    PosedShape<F> posed{params.center, params.axis, params.radius, params.half_height};
    if (link >= 0) {
      posed.center = transform_point(X_WL[link], params.center);
      posed.axis = rotate(X_WL[link].q, params.axis);
    }
    w.shape[s] = posed;
  });
}

// Fills w.list. Hits that do not fit are left out, and the return value says how many slots would have been needed.
template <class F, class Team>
CAROM_HD_STAGE int find_contacts(Team team, const CollideView& view, CollideWork<F>& w) {
  const auto is_near = [&](int p) {
    w.near_lanes[p] = contacts::near_lanes(view.pair[p], w, w.pair_reach[p]);
    return w.near_lanes[p] != 0;
  };
  const int near_pairs = team.compact(view.pairs(), is_near, w.candidate);
  ContactList<F>& list = w.list;
  const int hit_count = 2 * near_pairs < list.hit_capacity ? 2 * near_pairs : list.hit_capacity / 2 * 2;
  team.each(hit_count / 2, [&](int c) {
    const int p = w.candidate[c];
    HitT<F>* const hit = list.hit + 2 * c;
    const std::uint64_t second = lane_bits(contacts::hits_of_pair(view.pair[p], w, hit));
    const F margin = w.pair_reach[p].margin;
    list.hit_lanes[2 * c] = lane_bits(hit[0].distance < margin) & w.near_lanes[p];
    list.hit_lanes[2 * c + 1] = second == 0 ? 0 : lane_bits(hit[1].distance < margin) & second & w.near_lanes[p];
    list.hit_pair[2 * c] = list.hit_pair[2 * c + 1] = p;
  });
  const int frictionless = contacts::list_hits(team, view, list, hit_count, 1, list.frictionless);
  const int frictional = contacts::list_hits(team, view, list, hit_count, 3, list.frictional);
  int needed = 2 * near_pairs > list.hit_capacity ? near_pairs : 0;
  for (const int slots : {frictionless, frictional})
    if (slots > view.contact_capacity && slots > needed) needed = slots;
  return needed;
}

}  // namespace carom::inline CAROM_PRECISION
