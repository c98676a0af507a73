// How many rows of each sort a part has in this step, before anything is solved: parts with as many are solved side by
// side.
#pragma once

#include <cstddef>

#include "solvers/mujoco/step.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct RowCount {
  int frictionless, frictional;  // contacts
  int joints;                    // rows of joints and tendons that act
  int turning;                   // of the contacts with friction: those that resist turning

  // Contacts of the longest list.
  CAROM_HD int contacts() const { return frictionless > frictional ? frictionless : frictional; }
};

// Of three rows each.
CAROM_HD constexpr int row_blocks(const RowCount& c) {
  return c.frictional + c.turning + (c.frictionless + c.joints + 2) / 3;
}

// Orders parts by their work: those with the most blocks of rows first, of these the ones with the most contacts with
// friction, and of these the ones whose first contacts touch the same links: threads of a warp then walk along the same
// chains.
struct RowKey {
  static constexpr int kMost = 15, kLinkBits = 4, kContacts = 4;
  static constexpr int kBits = 8 + kLinkBits * kContacts;  // one bit more where some parts are not to be stepped

  // The smallest key of parts with so many blocks of rows, or fewer; -1: of none, for parts that are not to be stepped.
  CAROM_HD static std::uint64_t first_of(int blocks) { return shifted((kMost + 1) * (kMost - blocks)); }
  CAROM_HD static std::uint64_t of(const RowCount& c, std::uint64_t links) {
    const int blocks = row_blocks(c);
    return first_of(blocks < kMost ? blocks : kMost) + shifted(kMost - (c.frictional < kMost ? c.frictional : kMost)) +
           links;
  }
  // Of contacts begin to end - 1. Links that are 16 apart look the same, which costs time alone.
  CAROM_HD static std::uint64_t links(const ContactView& contacts, int begin, int end) {
    std::uint64_t key = 0;
    for (int k = 0; k < kContacts; ++k) {
      key <<= kLinkBits;
      if (begin + k >= end) continue;
      const int* const link = contacts.material[contacts.contact(begin + k)].link;
      key |= static_cast<unsigned>(link[0] + link[1] + 2) & ((1 << kLinkBits) - 1);
    }
    return key;
  }

 private:
  CAROM_HD static std::uint64_t shifted(int key) { return static_cast<std::uint64_t>(key) << (kLinkBits * kContacts); }
};

struct CountRows {
  const int* part;
  MuJoCoStep step;  // of their archetype
  RowCount* count;
  std::uint64_t* key = nullptr;  // of part[i], and its copy in place[i], for those who sort by it
  int* place = nullptr;
  const int* island_size = nullptr;  // see IslandView; parts of islands have the last key. nullptr: there are none

  CAROM_HD void operator()(int i) const { count_parts<Real>(i, {part[i]}); }

#if !defined(__CUDACC__)
  CAROM_HD void range(int begin, int end) const {
    constexpr int W = kTierWidth<Real>;
    int i = begin;
    for (; i + W <= end; i += W) {
      WorldIds<Lanes<Real, W>> ids;
      for (int l = 0; l < W; ++l) ids.world[l] = part[i + l];
      count_parts(i, ids);
    }
    for (; i < end; ++i) (*this)(i);
  }
#endif

 private:
  // Numbers of the parts, by their place.
  template <class F>
  struct Numbers {
    const Real* base;
    Offsets<F> offsets;
    bool are_shared;

    CAROM_HD F operator[](int k) const { return are_shared ? F(base[k]) : load<F>(base, offsets, k); }
  };

  // ids: of part[first] and those behind it.
  template <class F>
  CAROM_HD void count_parts(int first, WorldIds<F> ids) const {
    const F joints = joint_rows_of(ids);
    const ContactView& contacts = step.contacts;
    for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) {
      const int begin = contacts.begin(ids[l]), end = contacts.end(ids[l]);
      int frictionless = 0, turning = 0;
      if (!condim_set(3).has_all(contacts.traits.condims))
        for (int c = begin; c < end; ++c) {
          const int condim = contacts.material[contacts.contact(c)].condim;
          frictionless += condim == 1;
          turning += condim > 3;
        }
      const RowCount counted{frictionless, end - begin - frictionless, static_cast<int>(lane_of(joints, l)), turning};
      count[ids[l]] = counted;
      if (!key) continue;
      const bool alone = !island_size || island_size[ids[l]] == 1;
      key[first + l] = alone ? RowKey::of(counted, RowKey::links(contacts, begin, end)) : RowKey::first_of(-1);
      place[first + l] = ids[l];
    }
  }

  template <class F>
  CAROM_HD F joint_rows_of(WorldIds<F> ids) const {
    const Numbers<F> params = params_of(ids), q{step.joint_q, world_offsets(step.starts.coord, ids), false};
    F acting{};
    for (int s = 0; s < step.rows.joint_rows(); ++s) acting += select(acts(params, q, s), F(1), F(0));
    return acting;
  }

  template <class F>
  CAROM_HD MaskOf<F> acts(const Numbers<F>& params, const Numbers<F>& q, int s) const {
    using Params = JointRowParams<Real>;
    constexpr int kRange = offsetof(Params, range) / sizeof(Real),
                  kFriction = offsetof(Params, friction) / sizeof(Real);
    const JointRow& row = step.rows.joint_row[s];
    const int first = step.layout.joint_rows + s * int{sizeof(Params) / sizeof(Real)};
    const auto range = [&]() CAROM_HD_LAMBDA {
      return LimitRange<F>{params[first + kRange], params[first + kRange + 1], params[first + kRange + 2]};
    };
    switch (row.sort) {
      case JointRowSort::kFriction:
      case JointRowSort::kTurningFriction: return params[first + kFriction] > F(0);
      case JointRowSort::kEquality:  // `enabled` comes first, as it does of ties
        return params[step.layout.equalities + row.equality * int{sizeof(EqualityParams<Real>) / sizeof(Real)}] > F(0);
      case JointRowSort::kConnect:
      case JointRowSort::kWeld:
        return params[step.layout.ties + row.equality * int{sizeof(TieParams<Real>) / sizeof(Real)}] > F(0);
      case JointRowSort::kTurningLimit: {
        F turn[4];
        for (int i = 0; i < 4; ++i) turn[i] = q[step.rows.joint_entry[row.first_entry].q + i];
        return range().upper - length(rotation_vector(BallJoint::turn(turn))) < range().margin;
      }
      case JointRowSort::kLimit: break;
    }
    if (row.path >= 0) return F(0) <= F(0);  // its length is not known yet
    Numbers<F> coef = params;
    coef.base += step.layout.joint_coefs;
    const LimitRange<F> limits = range();
    const F length = length_of_entries<F>(step.rows, row.first_entry, row.entry_count, coef, q);
    return limit_gap(row, limits, length).distance < limits.margin;
  }

  template <class F>
  CAROM_HD Numbers<F> params_of(WorldIds<F> ids) const {
    Numbers<F> params{step.params, world_offsets(step.starts.params_row, ids), step.params_stride == 0};
    if constexpr (PlainNumber<F>) {
      params.offsets.start *= step.params_stride;
    } else {
      for (std::int64_t& start : params.offsets.start) start *= step.params_stride;
    }
    return params;
  }
};

// Parts with many blocks of rows, with some, with few.
inline constexpr int kRowClasses = 3;

// Where the classes begin in parts that are sorted by RowKey, and where the last one ends: class c takes those
// with more than blocks[c] blocks of rows that no class before it took.
struct FindClasses {
  static constexpr int kMostWarps = 2'048;

  Span<const std::uint64_t> key;
  int blocks[kRowClasses];
  int* start;

  CAROM_HD void operator()(int c) const {
    int low = 0, high = c == 0 ? 0 : static_cast<int>(key.size);
    while (low < high) {
      const int middle = (low + high) / 2;
      if (key[middle] < RowKey::first_of(blocks[c - 1])) low = middle + 1;
      else high = middle;
    }
    start[c] = c == 1 && is_crowd(low) ? 0 : low;
  }

  // Where most parts have many rows, more of them than a GPU holds with a warp each, they would stand in a queue: then
  // they belong to the next class, whose fewer threads do more in all.
  CAROM_HD bool is_crowd(int many) const { return many > kMostWarps && 2 * many > static_cast<int>(key.size); }
};

}  // namespace carom::inline CAROM_PRECISION
