// What parts and worlds ask for by their numbers, before anything is packed: which limits, springs, damping and
// friction they have, whether they differ from the first part of their archetype, whether something in them is not a
// number.
#pragma once

#include "backend/launch.h"
#include "dynamics/tree_params.kernel.h"
#include "solvers/mujoco/row_columns.h"

namespace carom::inline CAROM_PRECISION {

// What a part needs by its numbers: first of its bodies together, then of each degree of freedom, then of each tendon.
struct PartNeeds {
  CAROM_HD static int bodies() { return 0; }
  CAROM_HD static int first_dof() { return 1; }
  CAROM_HD static int first_tendon(const PartRows& part) { return first_dof() + part.count(Entity::kJointDof); }
  CAROM_HD static int count(const PartRows& part) { return first_tendon(part) + part.count(Entity::kTendon); }
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
  RowColumns rows;
  const EllipsoidSource* ellipsoid;  // of each place in part
  int ellipsoids;                    // of a part
  // Per part of the archetype.
  std::uint8_t* differs;  // from the first one
  std::uint8_t* needs;    // PartNeeds

  CAROM_HD void operator()(int i) const {
    const PartRows& own = part[list[i]];
    differs[list[i]] = !same_numbers(own, part[0]) || !same_ellipsoids(list[i]);
    std::uint8_t* const out = needs + std::int64_t{list[i]} * PartNeeds::count(own);
    out[PartNeeds::bodies()] = 0;
    for (int b = 0; b < own.count(Entity::kBody); ++b)
      out[PartNeeds::bodies()] |= needs_of_body(own.body(b, tree.bodies));
    for (int d = 0; d < own.count(Entity::kJointDof); ++d)
      out[PartNeeds::first_dof() + d] = needs_of_dof(own.begin(Entity::kJointDof) + d);
    for (int t = 0; t < own.count(Entity::kTendon); ++t)
      out[PartNeeds::first_tendon(own) + t] = needs_of_tendon(own.begin(Entity::kTendon) + t);
  }

 private:
  CAROM_HD static std::uint8_t bit(bool is_needed, std::uint8_t need) { return is_needed ? need : std::uint8_t{0}; }
  CAROM_HD static bool any(const RealN<2>& p) { return p[0] != 0 || p[1] != 0; }
  CAROM_HD std::uint8_t needs_of_body(int row) const {
    return bit(rows.body_gravcomp[row] != 0, kNeedsForce) | bit(is_kinematic(tree, row), kNeedsGiven);
  }
  CAROM_HD std::uint8_t needs_of_dof(int row) const {
    const bool bends = any(rows.joint_stiffness_poly[row]), drags = any(rows.joint_damping_poly[row]);
    return rows.joint_limit.needs(row) | bit(tree.joint_damping[row] != 0 || drags, kNeedsForce) |
           bit(rows.joint_friction[row] != 0, kNeedsFriction) |
           bit(rows.drive_ke[row] != 0 || rows.drive_kd[row] != 0, kNeedsDrive) |
           bit(bends || drags || rows.joint_gravcomp_by_motor[row], kNeedsExtras);
  }
  CAROM_HD std::uint8_t needs_of_tendon(int row) const {
    const bool pulls = rows.tendon_stiffness[row] != 0 || rows.tendon_damping[row] != 0 ||
                       any(rows.tendon_stiffness_poly[row]) || any(rows.tendon_damping_poly[row]);
    const bool bound = rows.tendon_effort_lower[row] > -kUnlimited || rows.tendon_effort_upper[row] < kUnlimited;
    return rows.tendon_limit.needs(row) | bit(pulls, kNeedsForce) |
           bit(rows.tendon_friction[row] != 0, kNeedsFriction) | bit(bound, kNeedsEffort) |
           bit(rows.tendon_armature[row] != 0, kNeedsArmature) | bit(rows.tendon_spring_yield[row] > 0, kNeedsYield) |
           bit(rows.tendon_sensed[row] != 0, kNeedsStroke);
  }
  CAROM_HD bool same_numbers(const PartRows& a, const PartRows& b) const {
    const int coord_a = a.begin(Entity::kJointCoord), coord_b = b.begin(Entity::kJointCoord);
    bool same = is_nan(a) == is_nan(b) && same_words(words(gravity_of(a)), words(gravity_of(b)), 3 * kRealWords);
    for (int q = 0; same && q < static_cast<int>(origin.fixed_coord.size); ++q)
      same = origin.fixed_coord[q] >= 0 ||
             same_words(words(tree.joint_q + coord_a + q), words(tree.joint_q + coord_b + q), kRealWords);
    for (const ColumnWords& c : column) same = same && same_rows(c, a, b);
    return same;
  }
  CAROM_HD bool same_ellipsoids(int place) const {
    const EllipsoidColumns& c = rows.ellipsoid;
    bool same = true;
    for (int e = 0; same && e < ellipsoids; ++e) {
      const EllipsoidSource &own = ellipsoid[std::int64_t{place} * ellipsoids + e], &other = ellipsoid[e];
      const int a = own.shape, b = other.shape;
      same = (a < 0) == (b < 0);
      if (!same || a < 0) continue;
      same = c.type[a] == c.type[b] && same_words(words(&own.extent), words(&other.extent), 3 * kRealWords) &&
             same_words(words(c.transform + a), words(c.transform + b), 7 * kRealWords) &&
             same_words(words(c.scale + a), words(c.scale + b), 3 * kRealWords) &&
             same_words(words(c.coef + a), words(c.coef + b), 5 * kRealWords);
    }
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
