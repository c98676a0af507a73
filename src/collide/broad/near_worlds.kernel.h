// NearTest for all pairs of members of W small segments of one list, the segments side by side in lanes: the same
// answers.
#pragma once

#include "collide/broad/near.kernel.h"

#if !defined(__CUDACC__)

#include "backend/world_lanes.h"
#include "math/bits.h"
#include "model/world_vectors.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

class NearWorlds {
 public:
  static constexpr int kMost = 64;  // members
  static constexpr int kWidth = kTierWidth<Real>;

  using L = Lanes<Real, kWidth>;

  // shape: of the members of each segment. like: of each member a shape with the numbers of it in all segments, or -1.
  // Each member needs a box before the test.
  CAROM_HD NearWorlds(const NearTest& near, const int* const (&shape)[kWidth], const int* like, int members)
      : near_(near), like_(like) {
    for (int l = 0; l < kWidth; ++l) shape_[l] = shape[l];
    for (int k = 0; k < members; ++k)
      for (Bits& word : found_[k]) word = Bits(0);
  }
  // Of one that stands still.
  CAROM_HD void load_box(int k) {
    if (like_[k] >= 0) {
      const Box& box = near_.box[like_[k]];
      set_box(k, {broadcast<L>(box.lower), broadcast<L>(box.upper)});
    } else {
      std::int64_t row[kWidth];
      for (int l = 0; l < kWidth; ++l) row[l] = 6 * std::int64_t{shape_[l][k]};
      load_rows(&near_.box->lower.x, row, box_[k]);
    }
  }
  CAROM_HD void set_box(int k, const BoxT<L>& box) {
    for (int i = 0; i < 3; ++i) box_[k][i] = box.lower[i], box_[k][3 + i] = box.upper[i];
  }

  // partners: of each member those behind it that the filters leave, by bit; firsts: members that have any; planes:
  // members that may be planes without end.
  CAROM_HD void test(const std::uint64_t* partners, std::uint64_t firsts, std::uint64_t planes) {
    each_bit(firsts & ~planes, [&](int k) CAROM_HD_LAMBDA { test_boxes(k, partners[k] & ~planes); });
    each_bit(planes, [&](int k) CAROM_HD_LAMBDA {
      const Planes plane = planes_at(k);
      each_bit(firsts & ((std::uint64_t{1} << k) - 1) & ~planes, [&](int other) CAROM_HD_LAMBDA {
        if (partners[other] >> k & 1) add(other, k, is_near(plane, k, other));
      });
      each_bit(partners[k] & ~planes, [&](int other) CAROM_HD_LAMBDA { add(k, other, is_near(plane, k, other)); });
      each_bit(partners[k] & planes, [&](int other) CAROM_HD_LAMBDA { add(k, other, are_near(k, other)); });
    });
  }

  // Partners of member k that are near to it in segment l, and how many pairs there are in it.
  CAROM_HD std::uint64_t near(int k, int l) const {
    std::uint64_t word = 0;
    for (int i = 0; i < kWords; ++i)
      word |= std::uint64_t{static_cast<std::make_unsigned_t<Bits::Element>>(found_[k][i][l])} << i * (kBits % 64);
    return word;
  }
  CAROM_HD int count(int l) const { return static_cast<int>(count_[l]); }

 private:
  // A set of members in each lane, as words of as many bits as a number has.
  using Bits = LaneBits<Real, kWidth>;
  static constexpr int kBits = 8 * sizeof(Real), kWords = kMost / kBits;

  struct Planes {
    Vec3T<L> p, normal, steep;  // steep: |normal|
    L reach;
    MaskOf<L> is_half_space;
  };

  CAROM_HD Vec3T<L> lower(int k) const { return {box_[k][0], box_[k][1], box_[k][2]}; }
  CAROM_HD Vec3T<L> upper(int k) const { return {box_[k][3], box_[k][4], box_[k][5]}; }
  CAROM_HD MaskOf<L> overlap(int a, int b) const {
    const auto along = [&](int axis) CAROM_HD_LAMBDA {
      return box_[a][axis] <= box_[b][3 + axis] && box_[b][axis] <= box_[a][3 + axis];
    };
    return along(0) && along(1) && along(2);
  }
  // As add(), with nothing but registers written between the tests.
  CAROM_HD void test_boxes(int k, std::uint64_t others) {
    for (int i = 0; i < kWords; ++i) {
      Bits word(0), count(0);
      each_bit(others << (64 - (i + 1) * kBits) >> (64 - kBits), [&](int bit) CAROM_HD_LAMBDA {
        const MaskOf<L> is_near = overlap(k, i * kBits + bit);
        word = word | select(is_near, Bits(static_cast<Bits::Element>(std::uint64_t{1} << bit)), Bits(0));
        count = count + select(is_near, Bits(1), Bits(0));
      });
      found_[k][i] = word;
      count_ = count_ + count;
    }
  }
  CAROM_HD void add(int k, int other, MaskOf<L> is_near) {
    const Bits bit(static_cast<Bits::Element>(std::uint64_t{1} << other % kBits));
    Bits& word = found_[k][other / kBits];
    word = word | select(is_near, bit, Bits(0));
    count_ = count_ + select(is_near, Bits(1), Bits(0));
  }

  // A plane and another shape; as NearTest::is_above_plane().
  CAROM_HD MaskOf<L> is_near(const Planes& plane, int k, int other) const {
    const L half_of(Real(0.5));
    const Vec3T<L> center = (lower(other) + upper(other)) * half_of, half = (upper(other) - lower(other)) * half_of;
    const L lowest = dot(center - plane.p, plane.normal) - dot(half, plane.steep);
    return overlap(k, other) && !(plane.is_half_space && lowest > plane.reach);
  }
  CAROM_HD Planes planes_at(int k) const {
    if (like_[k] >= 0) {
      const Transform& X = near_.X_WS[like_[k]];
      const Vec3T<L> normal = broadcast<L>(axis_z(X.q));
      return {broadcast<L>(X.p), normal, abs(normal), L(reach_of(like_[k])), L(is_free(like_[k])) > L(0)};
    }
    int plane[kWidth];
    Real reach[kWidth], half_space[kWidth];
    for (int l = 0; l < kWidth; ++l) {
      plane[l] = shape_[l][k];
      reach[l] = reach_of(plane[l]);
      half_space[l] = is_free(plane[l]);
    }
    L x[7];
    load_rows(&near_.X_WS->p.x, LaneIndex{plane, 7}, x);
    const Vec3T<L> normal = axis_z(QuatT<L>{x[3], x[4], x[5], x[6]});
    return {{x[0], x[1], x[2]}, normal, abs(normal), L::load(reach), L::load(half_space) > L(0)};
  }
  CAROM_HD Real reach_of(int plane) const { return near_.shape_thickness[plane] + near_.shape_contact_margin[plane]; }
  CAROM_HD Real is_free(int plane) const {
    return is_half_space(static_cast<ShapeType>(near_.shape_type[plane]), near_.shape_scale[plane]);
  }
  CAROM_HD MaskOf<L> are_near(int a, int b) const {
    Real is_near[kWidth];
    for (int l = 0; l < kWidth; ++l) is_near[l] = near_(shape_[l][a], shape_[l][b]);
    return L::load(is_near) > L(0);
  }

  const NearTest& near_;
  const int *shape_[kWidth], *like_;
  Bits count_ = Bits(0), found_[kMost][kWords];
  L box_[kMost][6];  // lower x, y, z, upper x, y, z
};

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER

#endif  // !defined(__CUDACC__)
