// NearTest for one member of a small segment against all others at once, in lanes: the same answers.
#pragma once

#include "collide/broad/near.kernel.h"

#if !defined(__CUDACC__)

#include "backend/world_lanes.h"
#include "math/bits.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

class NearRows {
 public:
  static constexpr int kMost = 64;  // members

  // planes: members that may be planes without end, by bit.
  CAROM_HD NearRows(const NearTest& near, const int* shape, int members, std::uint64_t planes) : members_(members) {
    for (int k = 0; k < members; k += kWidth) {
      std::int64_t row[kWidth];
      for (int l = 0; l < kWidth; ++l) row[l] = 6 * std::int64_t{shape[k + l < members ? k + l : members - 1]};
      L number[6];
      load_rows(&near.box->lower.x, row, number);
      for (int i = 0; i < 6; ++i) number[i].store(number_[i] + k);
    }
    each_bit(planes, [&](int k) CAROM_HD_LAMBDA { add_plane(near, k, shape[k]); });
  }

  // Of the members `among`, all behind member k, those that it is near to.
  CAROM_HD std::uint64_t near(int k, std::uint64_t among) const {
    if (among == 0) return 0;
    std::uint64_t found = 0;
    for (int first = k / kWidth * kWidth; first < members_; first += kWidth) found |= overlaps(k, first) << first;
    found &= among;
    if (half_spaces_ == 0) return found;
    if (half_spaces_ >> k & 1) found &= ~above_[k];
    for (std::uint64_t left = found & half_spaces_; left != 0; left &= left - 1)
      if (above_[lowest_bit(left)] >> k & 1) found ^= left & -left;
    return found;
  }

 private:
  static constexpr int kWidth = kTierWidth<Real>;
  using L = Lanes<Real, kWidth>;

  CAROM_HD L lower(int axis, int first) const { return L::load(number_[axis] + first); }
  CAROM_HD L upper(int axis, int first) const { return L::load(number_[3 + axis] + first); }

  // Which of the members first ... first + kWidth - 1 have boxes that overlap that of member k.
  CAROM_HD std::uint64_t overlaps(int k, int first) const {
    const auto along = [&](int axis) CAROM_HD_LAMBDA {
      return lower(axis, first) <= L(number_[3 + axis][k]) && L(number_[axis][k]) <= upper(axis, first);
    };
    return (along(0) && along(1) && along(2)).bits();
  }

  // As NearTest::is_above_plane() for all members.
  CAROM_HD void add_plane(const NearTest& near, int k, int a) {
    if (!is_half_space(static_cast<ShapeType>(near.shape_type[a]), near.shape_scale[a])) return;
    const Vec3 n = axis_z(near.X_WS[a].q), p = near.X_WS[a].p;
    const Vec3T<L> normal = spread(n), steep = spread(abs(n)), origin = spread(p);
    const L reach(near.shape_thickness[a] + near.shape_contact_margin[a]), half_of(Real(0.5));
    half_spaces_ |= std::uint64_t{1} << k;
    above_[k] = 0;
    for (int first = 0; first < members_; first += kWidth) {
      const Vec3T<L> low{lower(0, first), lower(1, first), lower(2, first)};
      const Vec3T<L> high{upper(0, first), upper(1, first), upper(2, first)};
      const Vec3T<L> center = (low + high) * half_of, half = (high - low) * half_of;
      const L lowest = dot(center - origin, normal) - dot(half, steep);
      above_[k] |= (lowest > reach).bits() << first;
    }
  }
  static CAROM_HD Vec3T<L> spread(Vec3 v) { return {L(v.x), L(v.y), L(v.z)}; }

  int members_;
  std::uint64_t half_spaces_ = 0;
  std::uint64_t above_[kMost];  // of half spaces: who is on their free side
  Real number_[6][kMost];       // of the boxes: lower x, y, z, upper x, y, z
};

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER

#endif  // !defined(__CUDACC__)
