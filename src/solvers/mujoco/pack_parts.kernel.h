// Packs the numbers of parts into their rows of parameters, from the columns of the model.
#pragma once

#include "dynamics/initial_mass.kernel.h"
#include "solvers/mujoco/look_at_parts.kernel.h"
#include "solvers/mujoco/slides_alone.kernel.h"
#include "solvers/mujoco/step.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Where the numbers of limits, tendons and their entries come from; structure.
struct LimitOrigin {
  bool is_tendon;
  int row;  // degree of freedom or tendon of the part
};
struct RowOrigin {
  Span<const LimitOrigin> limit;
  Span<const int> spring;                     // tendon of the part
  Span<const int> limit_entry, spring_entry;  // tendon joint of the part, -1 = coefficient 1
};

struct RowColumns {
  LimitColumns joint_limit, tendon_limit;
  const Real *tendon_stiffness, *tendon_damping, *tendon_spring_lower, *tendon_spring_upper, *tendon_joint_coef;
  const Real *actuator_gear, *actuator_gain;
  const RealN<3>* actuator_bias;
  const Real *actuator_ctrl_lower, *actuator_ctrl_upper, *actuator_force_lower, *actuator_force_upper;
};

// One part an item. A part works in memory of its own, so that their number is bounded by the memory that there is.
struct PackParts {
  static constexpr int kItemsTogether = 1;

  Span<const int> list;  // places in part
  const PartRows* part;  // of the archetype
  TreeView tree;
  RowView rows;
  ForceView forces;
  TreeOrigin tree_origin;
  RowOrigin row_origin;
  TreeColumns tree_columns;
  RowColumns row_columns;
  const Vec3* gravity;      // of each world, then of the globals
  int globals;              // their row of gravity
  const std::uint8_t* nan;  // of each world, then of what they share
  int shared_nan;           // that slot
  ParamLayout layout;
  Real* params;
  std::int64_t params_stride;  // 0: one row for all
  char* memory;
  std::int64_t bytes_per_item;

  CAROM_HD std::int64_t scratch_bytes() const {
    Arena arena;
    Work w;
    take(arena, w);
    return (arena.used + 63) / 64 * 64;
  }

  CAROM_HD void operator()(int i) const {
    Arena arena{memory + i * bytes_per_item, 0};
    Work w;
    take(arena, w);
    pack(Solo{}, part[list[i]], w, params + list[i] * params_stride);
  }

 private:
  struct Work {
    TreeWork<Real> tree;
    Transform* X_LB;
    Inertia* inertia;
    Real* J;
    Vec3* x;
  };

  CAROM_HD void take(Arena& arena, Work& w) const {
    take_tree_state(arena, tree, w.tree);
    take_tree_motion(arena, tree, w.tree);
    take_tree_mass(arena, tree, w.tree);
    take_tree_temporaries(arena, tree, w.tree);
    w.X_LB = arena.take<Transform>(tree_origin.body_link.size);
    w.inertia = arena.take<Inertia>(tree.links());
    w.J = arena.take<Real>(tree.dofs());
    w.x = arena.take<Vec3>(tree.blocks());
  }

  template <class Team>
  CAROM_HD_STAGE void pack(Team team, const PartRows& own, Work& w, Real* row) const {
    auto* const links = reinterpret_cast<LinkParams<Real>*>(row + layout.links);
    auto* const dofs = reinterpret_cast<DofParams<Real>*>(row + layout.dofs);
    auto* const body_com = reinterpret_cast<Vec3*>(row + layout.bodies);
    write_gravity(own, reinterpret_cast<Vec3*>(row + layout.gravity));
    pose_in_links(team, tree_origin, tree_columns, own, w.X_LB);
    sum_inertias(team, tree_origin, tree_columns, own, w.X_LB, w.inertia);
    write_links(team, tree_origin, tree_columns, own, w.X_LB, w.inertia, links);
    write_dofs(team, tree, tree_columns, own, dofs);
    for (int b = 0; b < static_cast<int>(tree_origin.body_link.size); ++b)
      body_com[b] = transform_point(w.X_LB[b], tree_columns.body_com[own.body(b, tree_columns.bodies)]);
    write_coefs(own, row_origin.limit_entry, row + layout.limit_coefs);
    write_coefs(own, row_origin.spring_entry, row + layout.spring_coefs);
    write_actuators(own, reinterpret_cast<ActuatorParams<Real>*>(row + layout.actuators));
    write_springs(own, reinterpret_cast<SpringParams<Real>*>(row + layout.springs));
    w.tree.link_params = links;
    w.tree.dof_params = dofs;
    for (int q = 0; q < tree.coord_count; ++q) w.tree.q[q] = initial_coord(tree_origin, tree_columns, own, q);
    factor_mass(team, tree, w.tree);
    write_limits(team, own, w, row + layout.limit_coefs, reinterpret_cast<LimitParams<Real>*>(row + layout.limits));
    for (int b = 0; b < static_cast<int>(tree_origin.body_link.size); ++b)
      row[layout.inverse_masses + b] =
          slides_alone_of(tree, tree_origin, links, dofs, b)
              ? 1 / links[tree_origin.body_link[b]].mass
              : inverse_mass_of_point(team, tree, w.tree, tree_origin.body_link[b], body_com[b], w.J, w.x);
  }

  // Comparisons and maxima drop what is not a number, and the world would move on without it. Gravity reaches every
  // acceleration, so the step notices.
  CAROM_HD void write_gravity(const PartRows& own, Vec3* out) const {
    *out = gravity[own.world < 0 ? globals : own.world];
    if (nan[own.world < 0 ? 0 : own.world] || nan[shared_nan]) out->x = kNotSet;
  }

  CAROM_HD void write_coefs(const PartRows& own, Span<const int> entry_row, Real* out) const {
    const int first = own.begin(Entity::kTendonJoint);
    for (int e = 0; e < static_cast<int>(entry_row.size); ++e)
      out[e] = entry_row[e] < 0 ? Real(1) : row_columns.tendon_joint_coef[first + entry_row[e]];
  }

  CAROM_HD void write_actuators(const PartRows& own, ActuatorParams<Real>* out) const {
    const RowColumns& c = row_columns;
    for (int a = 0; a < static_cast<int>(forces.actuator.size); ++a) {
      const int row = own.begin(Entity::kActuator) + a;
      out[a] = {c.actuator_gear[row],
                c.actuator_gain[row],
                {c.actuator_bias[row][0], c.actuator_bias[row][1], c.actuator_bias[row][2]},
                c.actuator_ctrl_lower[row],
                c.actuator_ctrl_upper[row],
                c.actuator_force_lower[row],
                c.actuator_force_upper[row]};
    }
  }

  CAROM_HD void write_springs(const PartRows& own, SpringParams<Real>* out) const {
    const RowColumns& c = row_columns;
    for (int s = 0; s < static_cast<int>(row_origin.spring.size); ++s) {
      const int row = own.begin(Entity::kTendon) + row_origin.spring[s];
      out[s] = {c.tendon_stiffness[row], c.tendon_damping[row], c.tendon_spring_lower[row], c.tendon_spring_upper[row]};
    }
  }

  template <class Team>
  CAROM_HD void write_limits(Team team, const PartRows& own, const Work& w, const Real* coef,
                             LimitParams<Real>* out) const {
    for (int s = 0; s < rows.limits(); ++s) {
      const LimitOrigin& from = row_origin.limit[s];
      const LimitColumns& c = from.is_tendon ? row_columns.tendon_limit : row_columns.joint_limit;
      const int row = own.begin(from.is_tendon ? Entity::kTendon : Entity::kJointDof) + from.row;
      LimitParams<Real>& p = out[s];
      p.range = {c.lower[row], c.upper[row], c.margin[row]};
      for (int k = 0; k < 2; ++k) p.solref[k] = c.solref[row][k];
      for (int k = 0; k < 5; ++k) p.impedance[k] = c.solimp[row][k];
      bound_impedance(p.impedance);
      for (int i = 0; i < tree.dofs(); ++i) w.J[i] = 0;
      const LimitSlot& slot = rows.limit[s];
      for (int e = slot.first_entry; e < slot.first_entry + slot.entry_count; ++e)
        w.J[rows.limit_entry[e].dof] = coef[e];
      p.inverse_mass = inverse_mass(team, tree, w.tree, w.J, w.x);
    }
  }
};

// What contacts need to know of the bodies of parts.
struct WriteBodies {
  Span<const int> list;  // places in part
  const PartRows* part;  // of the archetype
  Span<const int> body_link;
  const Real* inverse_mass;  // of the bodies of each part
  std::int64_t stride;       // 0: one row for all
  const int* bodies;         // Parts::bodies
  int *out_part, *out_link;
  Real* out_inverse_mass;

  CAROM_HD void operator()(int i) const {
    const PartRows& own = part[list[i]];
    for (int b = 0; b < static_cast<int>(body_link.size); ++b) {
      const int row = own.body(b, bodies);
      out_link[row] = body_link[b];
      out_part[row] = body_link[b] < 0 ? -1 : own.id;
      out_inverse_mass[row] = inverse_mass[list[i] * stride + b];
    }
  }
};

}  // namespace carom::inline CAROM_PRECISION
