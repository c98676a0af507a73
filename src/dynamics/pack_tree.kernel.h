// The numbers of a part that the penalty solvers compute with, in one row: gravity, links, degrees of freedom, how
// these are held, and where bodies stand in their links.
#pragma once

#include "dynamics/tree_params.kernel.h"

namespace carom::inline CAROM_PRECISION {

// How a degree of freedom is held, beside its spring and damper.
template <class F>
struct HoldParams {
  F limit_lower, limit_upper;  // [m] or [rad]
  F limit_ke, limit_kd;        // [N/m], [N s/m] or [N m/rad], [N m s/rad]
  F target_ke, target_kd;      // of the drive, likewise
  F friction;                  // dry [N] or [N m]
};

template <class F>
struct BodyInLink {
  TransformT<F> X_LB;
  Vec3T<F> com;  // in the link [m]
};

// Where they begin in a row.
struct TreeRowLayout {
  int gravity, links, dofs, holds, bodies, total;
};

struct HoldColumns {
  const Real *limit_lower, *limit_upper, *limit_ke, *limit_kd, *target_ke, *target_kd, *friction;
};

struct PackTree {
  Span<const PartRows> part;
  TreeView tree;
  TreeOrigin origin;
  TreeColumns columns;
  HoldColumns holds;
  const Vec3* gravity;  // of each world, then of the globals
  int globals;
  TreeRowLayout layout;
  Real* rows;
  char* memory;  // of every part
  std::int64_t bytes_per_part;

  struct Work {
    Transform* X_LB;
    Inertia* inertia;
  };
  CAROM_HD Work take(Arena& arena) const {
    return {arena.take<Transform>(origin.body_link.size), arena.take<Inertia>(origin.link_joint.size)};
  }

  CAROM_HD void operator()(int i) const {
    Arena arena{memory + i * bytes_per_part, 0};
    const Work w = take(arena);
    const PartRows& rows_of = part[i];
    Real* const row = rows + std::int64_t{i} * layout.total;
    const Vec3 g = gravity[rows_of.world < 0 ? globals : rows_of.world];
    for (int k = 0; k < 3; ++k) row[layout.gravity + k] = g[k];
    pose_in_links(Solo{}, origin, columns, rows_of, w.X_LB);
    sum_inertias(Solo{}, origin, columns, rows_of, w.X_LB, w.inertia);
    write_links(Solo{}, origin, columns, rows_of, w.X_LB, w.inertia,
                reinterpret_cast<LinkParams<Real>*>(row + layout.links));
    write_dofs(Solo{}, tree, columns, rows_of, reinterpret_cast<DofParams<Real>*>(row + layout.dofs));
    write_holds(rows_of, reinterpret_cast<HoldParams<Real>*>(row + layout.holds));
    auto* const bodies = reinterpret_cast<BodyInLink<Real>*>(row + layout.bodies);
    for (int b = 0; b < static_cast<int>(origin.body_link.size); ++b)
      bodies[b] = {w.X_LB[b], transform_point(w.X_LB[b], columns.body_com[rows_of.body(b, columns.bodies)])};
  }

 private:
  CAROM_HD void write_holds(const PartRows& rows_of, HoldParams<Real>* out) const {
    for (int i = 0; i < tree.dofs(); ++i) {
      out[i] = {};
      if (tree.dof_in_part[i] < 0) continue;
      const int row = rows_of.begin(Entity::kJointDof) + tree.dof_in_part[i];
      out[i] = {holds.limit_lower[row], holds.limit_upper[row], holds.limit_ke[row], holds.limit_kd[row],
                holds.target_ke[row],   holds.target_kd[row],   holds.friction[row]};
    }
  }
};

}  // namespace carom::inline CAROM_PRECISION
