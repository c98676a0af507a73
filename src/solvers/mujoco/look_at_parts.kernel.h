// What parts and worlds ask for by their numbers, before anything is packed: which limits, springs, damping and
// friction they have, whether they differ from the first part of their archetype, whether something in them is not a
// number.
#pragma once

#include "backend/launch.h"
#include "dynamics/tree_params.kernel.h"

namespace carom::inline CAROM_PRECISION {

// What a part needs by its numbers: first of its bodies together, then of each degree of freedom, then of each tendon.
struct PartNeeds {
  CAROM_HD static int bodies() { return 0; }
  CAROM_HD static int first_dof() { return 1; }
  CAROM_HD static int first_tendon(const PartRows& part) { return first_dof() + part.count(Entity::kJointDof); }
  CAROM_HD static int count(const PartRows& part) { return first_tendon(part) + part.count(Entity::kTendon); }
};
// Bits of them.
inline constexpr std::uint8_t kNeedsLimit = 1;
inline constexpr std::uint8_t kNeedsBothEnds = 2;  // of the limit: they are near each other
inline constexpr std::uint8_t kNeedsForce = 4;     // damping of a joint, spring or damper of a tendon, gravcomp
inline constexpr std::uint8_t kNeedsFriction = 8;  // dry friction
inline constexpr std::uint8_t kNeedsDrive = 16;    // of a joint

// Rows of limits, of joints or of tendons.
struct LimitColumns {
  const Real *lower, *upper, *margin;
  const RealN<2>* solref;
  const RealN<5>* solimp;

  CAROM_HD std::uint8_t needs(int row) const {
    const bool limited = lower[row] > -kUnlimited || upper[row] < kUnlimited;
    if (!limited) return 0;
    return upper[row] - lower[row] < 2 * margin[row] ? kNeedsLimit | kNeedsBothEnds : kNeedsLimit;
  }
};

// A column as words of 32 bits.
struct ColumnWords {
  const std::uint32_t* data;
  int per_row;
  Entity entity;
};

struct LookAtParts {
  Span<const int> list;  // places in part
  const PartRows* part;  // of the archetype
  TreeOrigin origin;
  TreeColumns tree;
  Span<const ColumnWords> column;  // that numbers are packed from
  const Vec3* gravity;             // of each world, then of the globals
  int globals;                     // their row of gravity
  const std::uint8_t* nan;         // of each world
  LimitColumns joint_limit, tendon_limit;
  const Real *joint_friction, *tendon_friction, *tendon_stiffness, *tendon_damping, *body_gravcomp, *drive_ke,
      *drive_kd;
  // Per part of the archetype.
  std::uint8_t* differs;  // from the first one
  std::uint8_t* needs;    // PartNeeds

  CAROM_HD void operator()(int i) const {
    const PartRows& own = part[list[i]];
    differs[list[i]] = !same_numbers(own, part[0]);
    std::uint8_t* const out = needs + std::int64_t{list[i]} * PartNeeds::count(own);
    out[PartNeeds::bodies()] = 0;
    for (int b = 0; b < own.count(Entity::kBody); ++b)
      if (body_gravcomp[own.body(b, tree.bodies)] != 0) out[PartNeeds::bodies()] = kNeedsForce;
    for (int d = 0; d < own.count(Entity::kJointDof); ++d) {
      const int row = own.begin(Entity::kJointDof) + d;
      out[PartNeeds::first_dof() + d] = joint_limit.needs(row) | (tree.joint_damping[row] != 0 ? kNeedsForce : 0) |
                                        (joint_friction[row] != 0 ? kNeedsFriction : 0) |
                                        (drive_ke[row] != 0 || drive_kd[row] != 0 ? kNeedsDrive : 0);
    }
    for (int t = 0; t < own.count(Entity::kTendon); ++t) {
      const int row = own.begin(Entity::kTendon) + t;
      const bool pulls = tendon_stiffness[row] != 0 || tendon_damping[row] != 0;
      out[PartNeeds::first_tendon(own) + t] =
          tendon_limit.needs(row) | (pulls ? kNeedsForce : 0) | (tendon_friction[row] != 0 ? kNeedsFriction : 0);
    }
  }

 private:
  CAROM_HD bool same_numbers(const PartRows& a, const PartRows& b) const {
    const int coord_a = a.begin(Entity::kJointCoord), coord_b = b.begin(Entity::kJointCoord);
    bool same = is_nan(a) == is_nan(b) && same_words(words(gravity_of(a)), words(gravity_of(b)), 3 * kRealWords);
    for (int q = 0; same && q < static_cast<int>(origin.fixed_coord.size); ++q)
      same = origin.fixed_coord[q] >= 0 ||
             same_words(words(tree.joint_q + coord_a + q), words(tree.joint_q + coord_b + q), kRealWords);
    for (const ColumnWords& c : column) same = same && same_rows(c, a, b);
    return same;
  }
  CAROM_HD bool same_rows(const ColumnWords& c, const PartRows& a, const PartRows& b) const {
    const auto at = [&](int row) CAROM_HD_LAMBDA { return c.data + std::int64_t{row} * c.per_row; };
    if (c.entity != Entity::kBody || (a.listed < 0 && b.listed < 0))
      return same_words(at(a.begin(c.entity)), at(b.begin(c.entity)), a.count(c.entity) * c.per_row);
    bool same = true;
    for (int i = 0; same && i < a.count(c.entity); ++i)
      same = same_words(at(a.body(i, tree.bodies)), at(b.body(i, tree.bodies)), c.per_row);
    return same;
  }
  static constexpr int kRealWords = sizeof(Real) / sizeof(std::uint32_t);
  template <class T>
  CAROM_HD static const std::uint32_t* words(const T* values) {
    return reinterpret_cast<const std::uint32_t*>(values);
  }
  CAROM_HD static bool same_words(const std::uint32_t* x, const std::uint32_t* y, int count) {
    std::uint32_t difference = 0;
    for (int k = 0; k < count; ++k) difference |= x[k] ^ y[k];
    return difference == 0;
  }
  CAROM_HD const Vec3* gravity_of(const PartRows& p) const { return gravity + (p.world < 0 ? globals : p.world); }
  CAROM_HD bool is_nan(const PartRows& p) const { return nan[p.world < 0 ? 0 : p.world] != 0; }
};

// A column of real numbers.
struct RealColumn {
  const Real* data;
  int per_row;
  const int* start;  // of each world, of the globals at the back, and the end
  bool has_globals;  // that worlds use
};

// Whether some number of a world is not one. The slot after the worlds stands for what they share.
struct FindNans {
  Span<const int> list;  // slots
  Span<const RealColumn> column;
  int worlds;  // 0: slot 0 stands for everything
  std::uint8_t* found;

  CAROM_HD void operator()(int i) const {
    const int slot = list[i];
    bool is_nan = false;
    for (const RealColumn& c : column) {
      const int end = c.start[worlds + 1];
      if (worlds == 0) is_nan = is_nan || has_nan(c, 0, end);
      else if (slot < worlds) is_nan = is_nan || has_nan(c, c.start[slot], c.start[slot + 1]);
      else if (c.has_globals) is_nan = is_nan || has_nan(c, 0, c.start[0]) || has_nan(c, c.start[worlds], end);
    }
    found[slot] = is_nan;
  }

 private:
  CAROM_HD static bool has_nan(const RealColumn& c, int first, int end) {
    int found = 0;
    for (std::int64_t k = std::int64_t{first} * c.per_row; k < std::int64_t{end} * c.per_row; ++k)
      found |= c.data[k] != c.data[k];
    return found != 0;
  }
};

}  // namespace carom::inline CAROM_PRECISION
