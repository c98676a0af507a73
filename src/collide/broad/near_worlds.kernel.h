// NearTest for all pairs of members of W small segments of one list, the segments side by side in lanes: the same
// answers.
#pragma once

#include "collide/broad/near.kernel.h"

#if !defined(__CUDACC__)

#include "backend/world_lanes.h"
#include "math/bits.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

class NearWorlds {
 public:
  static constexpr int kMost = 64;  // members
  static constexpr int kWidth = kTierWidth<Real>;

  using L = Lanes<Real, kWidth>;

  // shape: of the members of each segment. Each needs a box before the test.
  CAROM_HD NearWorlds(const NearTest& near, const int* const (&shape)[kWidth], int members)
      : near_(near), members_(members) {
    for (int l = 0; l < kWidth; ++l) shape_[l] = shape[l];
    for (int k = 0; k < members; ++k)
      for (int l = 0; l < kWidth; ++l) found_[k][l] = 0;
  }
  CAROM_HD void load_box(int k) {
    std::int64_t row[kWidth];
    for (int l = 0; l < kWidth; ++l) row[l] = 6 * std::int64_t{shape_[l][k]};
    load_rows(&near_.box->lower.x, row, box_[k]);
  }
  CAROM_HD void set_box(int k, const BoxT<L>& box) {
    for (int i = 0; i < 3; ++i) box_[k][i] = box.lower[i], box_[k][3 + i] = box.upper[i];
  }

  // partners: of each member those behind it that the filters leave, by bit; planes: members that may be planes without
  // end.
  CAROM_HD void test(const std::uint64_t* partners, std::uint64_t planes) {
    for (int k = 0; k < members_; ++k) {
      if (planes >> k & 1) continue;
      each_bit(partners[k] & ~planes, [&](int other) CAROM_HD_LAMBDA { add(k, other, overlap(k, other)); });
    }
    each_bit(planes, [&](int k) CAROM_HD_LAMBDA { test_plane(k, partners, planes); });
  }

  // Partners of member k that are near to it in segment l, and how many pairs there are in it.
  CAROM_HD std::uint64_t near(int k, int l) const { return found_[k][l]; }
  CAROM_HD int count(int l) const { return count_[l]; }
  // Members that are near to another in some segment, by bit.
  CAROM_HD std::uint64_t in_pairs() const { return in_pairs_; }

 private:
  CAROM_HD Vec3T<L> lower(int k) const { return {box_[k][0], box_[k][1], box_[k][2]}; }
  CAROM_HD Vec3T<L> upper(int k) const { return {box_[k][3], box_[k][4], box_[k][5]}; }

  CAROM_HD MaskOf<L> overlap(int a, int b) const {
    const auto along = [&](int axis) CAROM_HD_LAMBDA {
      return box_[a][axis] <= box_[b][3 + axis] && box_[b][axis] <= box_[a][3 + axis];
    };
    return along(0) && along(1) && along(2);
  }
  CAROM_HD void add(int k, int other, MaskOf<L> is_near) {
    const std::uint64_t in = is_near.bits();
    if (in == 0) return;
    in_pairs_ |= std::uint64_t{1} << k | std::uint64_t{1} << other;
    for (int l = 0; l < kWidth; ++l) found_[k][l] |= (in >> l & 1) << other;
    for (int l = 0; l < kWidth; ++l) count_[l] += static_cast<int>(in >> l & 1);
  }

  // A plane and its partners before and behind it; as NearTest::is_above_plane().
  CAROM_HD void test_plane(int k, const std::uint64_t* partners, std::uint64_t planes) {
    int plane[kWidth];
    Real half_space[kWidth];
    for (int l = 0; l < kWidth; ++l) {
      plane[l] = shape_[l][k];
      half_space[l] = is_half_space(static_cast<ShapeType>(near_.shape_type[plane[l]]), near_.shape_scale[plane[l]]);
    }
    L x[7];
    load_rows(&near_.X_WS->p.x, LaneIndex{plane, 7}, x);
    const Vec3T<L> n = rotate(QuatT<L>{x[3], x[4], x[5], x[6]}, Vec3T<L>{L(0), L(0), L(1)}), steep = abs(n);
    const L half_of(Real(0.5)), reach = gather_at<Real, kWidth>(near_.shape_thickness.data, LaneIndex{plane, 1}) +
                                        gather_at<Real, kWidth>(near_.shape_contact_margin.data, LaneIndex{plane, 1});
    const auto is_free = L::load(half_space) > L(0);
    for (int other = 0; other < members_; ++other) {
      const int first = other < k ? other : k, second = other < k ? k : other;
      if (!(partners[first] >> second & 1)) continue;
      if (planes >> other & 1) {
        if (other > k) test_planes(k, other);
        continue;
      }
      const Vec3T<L> center = (lower(other) + upper(other)) * half_of, half = (upper(other) - lower(other)) * half_of;
      const L lowest = dot(center - Vec3T<L>{x[0], x[1], x[2]}, n) - dot(half, steep);
      add(first, second, overlap(k, other) && !(is_free && lowest > reach));
    }
  }
  CAROM_HD void test_planes(int a, int b) {
    Real is_near[kWidth];
    for (int l = 0; l < kWidth; ++l) is_near[l] = near_(shape_[l][a], shape_[l][b]);
    add(a, b, L::load(is_near) > L(0));
  }

  const NearTest& near_;
  const int* shape_[kWidth];
  int members_, count_[kWidth] = {};
  std::uint64_t in_pairs_ = 0;
  std::uint64_t found_[kMost][kWidth];
  L box_[kMost][6];  // lower x, y, z, upper x, y, z
};

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER

#endif  // !defined(__CUDACC__)
