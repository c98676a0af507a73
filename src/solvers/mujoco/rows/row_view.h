// What the kinds of rows share: the structure that is known before a step, the slope of a cost along a line, and what
// rows are made from.
//
// Residuals are x = J a - a_ref; Jacobians are stored by blocks of three degrees of freedom, and blocks outside a
// slot's mask are never touched.
#pragma once

#include "dynamics/link_dofs.h"
#include "dynamics/tree.h"
#include "solvers/mujoco/contact_list.kernel.h"
#include "solvers/mujoco/rows/implicit_rows.kernel.h"
#include "solvers/mujoco/step_output.h"

namespace carom::inline CAROM_PRECISION {

// A row over degrees of freedom that are known beforehand (joint.kernel.h); structure.
// Turning: of joints that turn about three axes at once.
enum class JointRowSort : int { kLimit, kFriction, kTurningLimit, kTurningFriction, kEquality, kConnect, kWeld };
enum class LimitSide : int { kEither, kLower, kUpper };  // of a range, that may be near
struct JointRow {
  int first_entry = 0, entry_count = 0;
  JointRowSort sort = JointRowSort::kLimit;
  LimitSide side = LimitSide::kEither;  // of a limit
  int driven = 0, equality = 0;         // of an equality: entries of its first side; its number among them
  int member = 0;                       // of the rows of one connect or weld, or of turning friction
  int path = -1, driving_path = -1;     // of a spatial tendon, of that of an equality's second side
};
// Where the numbers of a row come from; structure.
struct JointRowOrigin {
  Entity entity;  // joint dof, tendon or equality constraint
  int row;        // of the part
  JointRowSort sort;
};
// A connect or a weld.
struct Tie {
  int link[2];  // -1 = does not move
  bool is_weld;
};
struct JointEntry {
  int q;    // coordinate in the world; of turning rows the first one of the quaternion; of a connect or weld: bit 0 and
            // 1 for what moves its first and its second body
  int dof;  // degree of freedom
};

struct RowView {
  Span<const JointRow> joint_row;  // of axes, which have one entry, of joints that turn, of tendons, equalities
  Span<const JointEntry> joint_entry;
  BitSets joint_row_blocks;  // that the entries of each slot touch
  int single_rows;           // of axes
  Span<const Tie> tie;
  bool two_sided, has_friction;   // some row is not a limit; some row is dry friction
  Span<const int> place_start;    // rows of each joint's degree of freedom, of each tendon, of each equality
  Span<const int> dof_row_start;  // entries of each degree of freedom
  Span<const Index2> dof_row;     // (slot, entry)
  BlockPattern pattern;           // of the mass matrix and the tendons
  Span<const int> joint_source;   // of entries: entry of a path, -1 = a fixed coefficient
  Span<const JointRowOrigin> joint_row_origin;

  CAROM_HD int joint_rows() const { return static_cast<int>(joint_row.size); }
  CAROM_HD int blocks() const { return pattern.size; }
};

// Derivatives of a cost along a line.
template <class F>
struct SlopeT {
  F slope{}, curvature{};
};
template <class F>
CAROM_HD SlopeT<F> operator+(SlopeT<F> a, SlopeT<F> b) {
  return {a.slope + b.slope, a.curvature + b.curvature};
}

// A slot's number or vector, as one of six numbers.
template <class F>
CAROM_HD SpatialVector vector_of_lane(const F& x, int lane) {
  return {{lane_of(x, lane), 0, 0}, {}};
}
template <class F>
CAROM_HD SpatialVector vector_of_lane(const Vec3T<F>& v, int lane) {
  return {{lane_of(v.x, lane), lane_of(v.y, lane), lane_of(v.z, lane)}, {}};
}
template <class F>
CAROM_HD SpatialVector vector_of_lane(const SpatialVectorT<F>& v, int lane) {
  return {vector_of_lane(v.linear, lane).linear, vector_of_lane(v.angular, lane).linear};
}

// A slot of a kind as it is reported.
template <class Kind>
CAROM_HD RowRecord record_of_row(const Kind& kind, int s, int lane) {
  const Real D = lane_of(kind.D[s], lane);
  if (!(D > 0)) return {};
  const auto of_lane = [&](const auto& column)
                           CAROM_HD_LAMBDA { return vector_of_lane(column[s], lane) + SpatialVector{}; };
  return {Kind::kKind, D, of_lane(kind.aref), of_lane(kind.x), of_lane(kind.force)};  // + 0: never -0
}

// What the rows of a step are made from.
template <class F>
struct RowInput {
  const TreeView& tree;
  const TreeWork<F>& work;
  const LinkDofs& link_dofs;
  const ContactView& contacts;
  const int* segment;  // of the contacts of each lane's world
  F least_time;        // of solref [s]
  F impratio;          // ModelOptions
  ImplicitRows<F> implicit{};
};

}  // namespace carom::inline CAROM_PRECISION
