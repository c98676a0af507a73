// Pairs of spheres, capsules and planes without end, W of the same two types side by side in lanes: the points that
// collide_shapes() finds for each of them, bit for bit. For the CPU; on CUDA every pair has its own thread.
//
// Pairs come in any order of types. W neighbours of the same are a group at once; others wait in the bucket of their
// code until there are W of them.
#pragma once

#include "collide/narrow/pair_table.kernel.h"

#if !defined(__CUDACC__)

#include "backend/world_lanes.h"
#include "math/bits.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

namespace round_pairs {

inline constexpr int kWidth = kTierWidth<Real>;
using L = Lanes<Real, kWidth>;
using Rows = int[kWidth];  // of an array, one per lane
using Ints = LaneVector<int, kWidth>;

CAROM_HD Ints load_ints(const int* from) {
  Ints v;
  __builtin_memcpy(&v, from, sizeof(v));
  return v;
}
CAROM_HD void store_ints(Ints v, int* to) { __builtin_memcpy(to, &v, sizeof(v)); }
CAROM_HD std::uint64_t bits_of(Ints mask) {
  return sign_bits<float, kWidth>(std::bit_cast<LaneVector<float, kWidth>>(mask));
}
inline constexpr Ints kLane = []<int... l>(std::integer_sequence<int, l...>) { return Ints{l...}; }
(std::make_integer_sequence<int, kWidth>{});

// -- The code of a pair: two bits for the type of each of its shapes.

inline constexpr int kPlaneCode = 1, kSphereCode = 2, kCapsuleCode = 3, kPairCodes = 16;
constexpr int code_at(ShapeType type, int code) { return code << 2 * static_cast<int>(type); }
inline constexpr int kCodes = code_at(ShapeType::kPlane, kPlaneCode) | code_at(ShapeType::kSphere, kSphereCode) |
                              code_at(ShapeType::kCapsule, kCapsuleCode);
constexpr int pair_code(int code_a, int code_b) { return 4 * code_a + code_b; }
// The pairs that are computed here, by bit of their code: all but two planes.
inline constexpr int kRoundPairs = [] {
  int codes = 0;
  for (int a = kPlaneCode; a <= kCapsuleCode; ++a)
    for (int b = kPlaneCode; b <= kCapsuleCode; ++b)
      if (a != kPlaneCode || b != kPlaneCode) codes |= 1 << pair_code(a, b);
  return codes;
}();

// The codes of the pairs of the shapes a and b, 0 for those that are left to collide_shapes().
template <class Shapes>
CAROM_HD Ints pair_codes(const Shapes& shapes, Ints a, Ints b) {
  const auto code_of = [&](Ints s) CAROM_HD_LAMBDA {
    return (Ints{} + kCodes) >> 2 * gather_ints<kWidth>(shapes.type.data, s) & 3;
  };
  const Ints code_a = code_of(a), code_b = code_of(b), code = 4 * code_a + code_b;
  const Ints round = code & -((Ints{} + kRoundPairs) >> code & 1);
  const Ints a_is_plane = code_a == kPlaneCode, with_plane = a_is_plane | (code_b == kPlaneCode);
  if (bits_of(with_plane) == 0) return round;
  Rows plane, result;
  store_ints(a_is_plane ? a : b, plane);
  store_ints(round, result);
  const L x = gather_at<Real, kWidth>(&shapes.scale[0].x, LaneIndex{plane, 3});
  const L y = gather_at<Real, kWidth>(&shapes.scale[0].y, LaneIndex{plane, 3});
  const std::uint64_t ends = (x > L(0) || y > L(0)).bits() & bits_of(with_plane);
  if (ends == 0) return round;
  each_bit(ends, [&](int l) CAROM_HD_LAMBDA { result[l] = 0; });
  return load_ints(result);
}

// -- One group.

// W pairs of one code.
struct Group {
  Rows pair, shape[2], place;  // shapes as in the pair; where its points begin
  bool neighbors = false;      // the pairs stand side by side
};

// As pair_table::posed().
template <int code, class Shapes>
CAROM_HD PosedShape<L> posed(const Shapes& shapes, const Rows& shape) {
  L x[code == kSphereCode ? 4 : 7];
  load_rows(&shapes.X_WS->p.x, LaneIndex{shape, 7}, x);
  PosedShape<L> result{{x[0], x[1], x[2]}, {L(0), L(0), L(1)}, L(0), L(0)};
  if constexpr (code != kSphereCode) result.axis = axis_z(QuatT<L>{x[3], x[4], x[5], x[6]});
  if constexpr (code != kPlaneCode) result.radius = gather_at<Real, kWidth>(&shapes.scale[0].x, LaneIndex{shape, 3});
  if constexpr (code == kCapsuleCode)
    result.half_height = gather_at<Real, kWidth>(&shapes.scale[0].y, LaneIndex{shape, 3});
  return result;
}

template <int code_a, int code_b>
CAROM_HD MaskOf<L> hits(const PosedShape<L>& a, const PosedShape<L>& b, HitT<L>* hit) {
  constexpr int code = pair_code(code_a, code_b);
  if constexpr (code == pair_code(kPlaneCode, kSphereCode)) return plane_sphere(a, b, hit);
  else if constexpr (code == pair_code(kPlaneCode, kCapsuleCode)) return plane_capsule(a, b, hit);
  else if constexpr (code == pair_code(kSphereCode, kSphereCode)) return sphere_sphere(a, b, hit);
  else if constexpr (code == pair_code(kSphereCode, kCapsuleCode)) return sphere_capsule(a, b, hit);
  else return capsule_capsule(a, b, hit);
}

// How far the shapes of the pairs are grown, in their own order.
struct Growth {
  L sum, half_difference, reach;

  template <class Shapes>
  CAROM_HD Growth(const Shapes& shapes, const Rows& a, const Rows& b) {
    const auto number = [](Span<const Real> of, const Rows& shape) CAROM_HD_LAMBDA {
      return gather_at<Real, kWidth>(of.data, LaneIndex{shape, 1});
    };
    const L grown_a = number(shapes.thickness, a), grown_b = number(shapes.thickness, b);
    reach = number(shapes.contact_margin, a) + number(shapes.contact_margin, b) + grown_a + grown_b;
    sum = grown_a + grown_b;
    half_difference = (grown_a - grown_b) * L(Real(0.5));
  }
};

// Writes a hit of each lane to its place.
CAROM_HD void write_hit(const HitT<L>& hit, int feature, const Growth& growth, bool flipped, ContactPoint* point,
                        const Rows& place) {
  // The feature is the last of eight numbers, or the first half of it.
  static_assert(sizeof(ContactPoint) == 8 * sizeof(Real) && std::endian::native == std::endian::little);
  const Vec3T<L> n = flipped ? -hit.normal : hit.normal, p = fma(n, growth.half_difference, hit.point);
  const L last = from_bits(LaneBits<Real, kWidth>(feature));
  store_rows<8>(&point->point.x, LaneIndex{place, 8}, {p.x, p.y, p.z, n.x, n.y, n.z, hit.distance - growth.sum, last});
}

// code_a has the lower rank; the shapes of flipped pairs are in the other order.
template <int code_a, int code_b, class Kernel>
CAROM_HD_STAGE void collide_group(const Kernel& k, const Group& group, bool flipped) {
  HitT<L> hit[2] = {};
  const auto second = hits<code_a, code_b>(posed<code_a>(k.shapes, group.shape[flipped]),
                                           posed<code_b>(k.shapes, group.shape[!flipped]), hit);
  const Growth growth(k.shapes, group.shape[0], group.shape[1]);
  const std::uint64_t kept = (hit[0].distance < growth.reach).bits();
  write_hit(hit[0], 0, growth, flipped, k.point, group.place);
  Rows count;
  store_ints((Ints{} + static_cast<int>(kept)) >> kLane & 1, count);
  if (group.neighbors) {
    store_ints(load_ints(count), k.count + group.pair[0]);
  } else {
    for (int l = 0; l < kWidth; ++l) k.count[group.pair[l]] = count[l];
  }
  if (!any(second)) return;
  ContactPoint other[kWidth];
  Rows local;
  store_ints(kLane, local);
  write_hit(hit[1], 1, growth, flipped, other, local);
  each_bit((second && hit[1].distance < growth.reach).bits(), [&](int l) CAROM_HD_LAMBDA {
    const int p = group.pair[l];
    if (k.start[p + 1] - k.start[p] < 2) return;
    k.point[group.place[l] + count[l]] = other[l];
    k.count[p] = count[l] + 1;
  });
}

template <class Kernel>
CAROM_HD void collide_group(const Kernel& k, int code, const Group& group) {
  switch (code) {
    case pair_code(kPlaneCode, kSphereCode): return collide_group<kPlaneCode, kSphereCode>(k, group, false);
    case pair_code(kSphereCode, kPlaneCode): return collide_group<kPlaneCode, kSphereCode>(k, group, true);
    case pair_code(kPlaneCode, kCapsuleCode): return collide_group<kPlaneCode, kCapsuleCode>(k, group, false);
    case pair_code(kCapsuleCode, kPlaneCode): return collide_group<kPlaneCode, kCapsuleCode>(k, group, true);
    case pair_code(kSphereCode, kSphereCode): return collide_group<kSphereCode, kSphereCode>(k, group, false);
    case pair_code(kSphereCode, kCapsuleCode): return collide_group<kSphereCode, kCapsuleCode>(k, group, false);
    case pair_code(kCapsuleCode, kSphereCode): return collide_group<kSphereCode, kCapsuleCode>(k, group, true);
    default: return collide_group<kCapsuleCode, kCapsuleCode>(k, group, false);
  }
}

// -- All pairs of a range.

// Pairs that wait for others of their code.
struct Bucket {
  int waiting = 0;
  Group group;
};

// Lane l of a group goes to the bucket of its code.
template <class Kernel>
CAROM_HD void put(const Kernel& k, int code, const Group& from, int l, Bucket& bucket) {
  Group& to = bucket.group;
  const int at = bucket.waiting++;
  to.pair[at] = from.pair[l];
  to.place[at] = from.place[l];
  for (int i = 0; i < 2; ++i) to.shape[i][at] = from.shape[i][l];
  if (bucket.waiting < kWidth) return;
  collide_group(k, code, to);
  bucket.waiting = 0;
}

// The shapes of W pairs.
struct PairShapes {
  Ints a, b;
};
CAROM_HD PairShapes load_pairs(const Index2* pair) {
  const Ints low = load_ints(pair->data()), high = load_ints(pair[kWidth / 2].data());
  return [&]<int... l>(std::integer_sequence<int, l...>) CAROM_HD_LAMBDA->PairShapes {
    return {__builtin_shufflevector(low, high, 2 * l...), __builtin_shufflevector(low, high, (2 * l + 1)...)};
  }
  (std::make_integer_sequence<int, kWidth>{});
}

// The pairs p ... p + W - 1.
template <class Kernel>
CAROM_HD void collide_neighbors(const Kernel& k, int p, Bucket* bucket) {
  const auto [a, b] = load_pairs(&k.pair[p]);
  const Ints code = pair_codes(k.shapes, a, b);
  Group group;
  group.neighbors = true;
  store_ints(p + kLane, group.pair);
  store_ints(a, group.shape[0]);
  store_ints(b, group.shape[1]);
  store_ints(load_ints(k.start + p), group.place);
  if (code[0] != 0 && bits_of(code != code[0]) == 0) return collide_group(k, code[0], group);
  Rows codes;
  store_ints(code, codes);
  for (int l = 0; l < kWidth; ++l) {
    if (codes[l] == 0) k(p + l);
    else put(k, codes[l], group, l, bucket[codes[l]]);
  }
}

// k(p) for every p in [begin, end), in groups where it can be: where all points have room. A kernel has pair, shapes,
// start, point_room, point and count as PointsOfPairs (narrow_phase.kernel.h).
template <class Kernel>
CAROM_HD void collide_range(const Kernel& k, int begin, int end) {
  Bucket bucket[kPairCodes];
  int p = begin;
  if (k.start[end] <= k.point_room) {
    for (; p + kWidth <= end; p += kWidth) collide_neighbors(k, p, bucket);
  }
  for (; p < end; ++p) k(p);
  for (const Bucket& rest : bucket)
    for (int i = 0; i < rest.waiting; ++i) k(rest.group.pair[i]);
}

// As a function of its own, for the few models that ask for some pairs alone.
template <class Kernel>
[[gnu::noinline]] void collide_run(const Kernel& k, int begin, int end) {
  collide_range(k, begin, end);
}
// Those that are wanted, as many neighbours at once as are.
template <class Kernel>
CAROM_HD void collide_wanted(const Kernel& k, int begin, int end) {
  for (int first = begin, last; first < end; first = last) {
    for (last = first; last < end && k.wanted[last] == k.wanted[first];) ++last;
    if (k.wanted[first]) collide_run(k, first, last);
  }
}

}  // namespace round_pairs

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER

#endif  // !defined(__CUDACC__)
