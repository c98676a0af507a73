// Packs the numbers of parts into their rows of parameters, from the columns of the model.
#pragma once

#include "dynamics/initial_mass.kernel.h"
#include "dynamics/principal_axes.kernel.h"
#include "solvers/mujoco/ellipsoid_params.kernel.h"
#include "solvers/mujoco/look_at_parts.kernel.h"
#include "solvers/mujoco/slides_alone.kernel.h"
#include "solvers/mujoco/step.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Where the numbers of tendons, ties and entries come from; structure.
struct TieOrigin {
  int equality;  // constraint of the part
  int body[2];   // of the part, -1 = the world
};
struct RowOrigin {
  Span<const int> spring;    // tendon of the part
  Span<const int> effort;    // likewise
  Span<const int> equality;  // equality constraint of the part
  Span<const TieOrigin> tie;
  Span<const int> muscle;  // actuator of the part
  Span<const int> delay;   // likewise
  Span<const int> path;    // actuator of the part, -1 = a tendon or a joint
  Span<const PathPointOrigin> path_point;
  Span<const int> joint_entry, spring_entry, actuator_entry;  // tendon joint of the part, -1 = coefficient 1
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
  std::int64_t params_stride;        // 0: one row for all
  const EllipsoidSource* ellipsoid;  // of each place in part
  Span<const int> ellipsoid_body;
  FluidNumbers fluid;
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
    Real* const row = params + list[i] * params_stride;
    pack(Solo{}, part[list[i]], w, row);
    if (ellipsoid_body.size > 0) write_ellipsoids(list[i], w, row);
  }

 private:
  struct Work {
    TreeWork<Real> tree;
    Transform* X_LB;
    Inertia* inertia;
    Real* J;
    Vec3* x;
    PathWork<Real> path;
    Real *coef, *spring_coef;  // of the entries of joint rows, of tendons with springs
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
    w.path.length = arena.take<Real>(forces.path.paths());
    w.path.J = arena.take<Real>(forces.path.entry.size);
    w.path.pull = arena.take<SpatialVector>(forces.path.link.size);
    w.path.drift = nullptr;
    w.coef = arena.take<Real>(rows.joint_entry.size), w.spring_coef = arena.take<Real>(forces.spring_entry.size);
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
    write_coefs(own, row_origin.joint_entry, row + layout.joint_coefs);
    write_coefs(own, row_origin.spring_entry, row + layout.spring_coefs);
    write_coefs(own, row_origin.actuator_entry, row + layout.actuator_coefs);
    write_equalities(own, reinterpret_cast<EqualityParams<Real>*>(row + layout.equalities));
    if (forces.compensated) write_carried(own, row + layout.carried);
    write_actuators(own, reinterpret_cast<ActuatorParams<Real>*>(row + layout.actuators));
    write_controllers(own, reinterpret_cast<ControllerParams<Real>*>(row + layout.controllers));
    for (int k = 0; k < static_cast<int>(row_origin.delay.size); ++k)
      row[layout.delays + k] = row_columns.actuator_delay[own.begin(Entity::kActuator) + row_origin.delay[k]];
    write_springs(own, reinterpret_cast<SpringParams<Real>*>(row + layout.springs));
    write_activations(own, reinterpret_cast<ActivationParams<Real>*>(row + layout.activations));
    write_muscles(own, reinterpret_cast<MuscleParams<Real>*>(row + layout.muscles));
    write_paths(own, reinterpret_cast<PathParams<Real>*>(row + layout.paths));
    write_path_points(own, w, reinterpret_cast<PathPointParams<Real>*>(row + layout.path_points));
    if (forces.driven) write_drives(own, reinterpret_cast<DriveParams<Real>*>(row + layout.drives));
    if (forces.has_extras) write_extras(own, reinterpret_cast<DofExtras<Real>*>(row + layout.extras));
    write_efforts(own, reinterpret_cast<EffortParams<Real>*>(row + layout.efforts));
    if (forces.yields) write_yields(own, row + layout.joint_yields, row + layout.tendon_yields);
    if (forces.in_fluid) write_fluid(own, w, reinterpret_cast<FluidParams<Real>*>(row + layout.fluid));
    w.tree.link_params = links;
    w.tree.dof_params = dofs;
    for (int q = 0; q < tree.coord_count; ++q) w.tree.q[q] = initial_coord(tree_origin, tree_columns, own, q);
    fill_mass(team, tree, w.tree);
    w.path.params = reinterpret_cast<const PathParams<Real>*>(row + layout.paths);
    w.path.point_params = reinterpret_cast<const PathPointParams<Real>*>(row + layout.path_points);
    place_paths(team, forces.path, tree, w.tree, w.path);
    gather_coefs(team, rows.joint_source, row + layout.joint_coefs, w.path.J, w.coef);
    if (forces.has_armature) {
      gather_coefs(team, forces.spring_source, row + layout.spring_coefs, w.path.J, w.spring_coef);
      add_armatures(team, tree, w.tree, forces, reinterpret_cast<const SpringParams<Real>*>(row + layout.springs),
                    w.spring_coef);
    }
    factor_blocks(team, tree.mass_pattern, w.tree.M, w.tree.factor);
    for (int b = 0; b < static_cast<int>(tree_origin.body_link.size); ++b)
      row[layout.inverse_masses + b] = inverse_mass_of_body(team, w, b, body_com[b]);
    write_ties(own, w, reinterpret_cast<TieParams<Real>*>(row + layout.ties));
    write_joint_rows(team, own, w, row, reinterpret_cast<JointRowParams<Real>*>(row + layout.joint_rows));
  }

  // As contacts see it.
  template <class Team>
  CAROM_HD Real inverse_mass_of_body(Team team, const Work& w, int b, Vec3 com) const {
    const int link = tree_origin.body_link[b];
    if (link < 0 || moves_as_given(link, w.tree.dof_params)) return 0;
    if (slides_alone_of(tree, tree_origin, w.tree.link_params, w.tree.dof_params, b))
      return 1 / w.tree.link_params[link].mass;
    return inverse_mass_of_point(team, tree, w.tree, link, com, w.J, w.x);
  }
  CAROM_HD bool moves_as_given(int link, const DofParams<Real>* dofs) const {
    return dofs[tree.link[link].dof].armature >= kGivenMotion;
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
      const ActuatorSlot& slot = forces.actuator[a];
      const int row = own.begin(Entity::kActuator) + slot.actuator;
      const bool alone = slot.controller < 0;  // with an input of its own; others: see write_controllers
      const int member = slot.orientation < 0 ? 0 : a - forces.orientation[slot.orientation].first;
      const int ctrl = own.begin(Entity::kCtrl) + slot.ctrl + member;
      out[a] = {c.actuator_gear[row],
                c.actuator_gain[row],
                {c.actuator_gain_slope[row][0], c.actuator_gain_slope[row][1]},
                {c.actuator_bias[row][0], c.actuator_bias[row][1], c.actuator_bias[row][2]},
                alone ? c.ctrl_lower[ctrl] : -kUnlimited,
                alone ? c.ctrl_upper[ctrl] : kUnlimited,
                c.actuator_force_lower[row],
                c.actuator_force_upper[row]};
    }
  }

  // They bound their inputs themselves.
  CAROM_HD void write_controllers(const PartRows& own, ControllerParams<Real>* out) const {
    const RowColumns& c = row_columns;
    for (int k = 0; k < static_cast<int>(forces.controller.size); ++k) {
      const int row = own.begin(Entity::kController) + k;
      const ControllerSlot& slot = forces.controller[k];
      const RealN<5>&gains = c.controller_gains[row], &winding = c.controller_winding[row],
            &heat = c.controller_heat[row], &bristles = c.controller_bristles[row];
      ControllerParams<Real>& p = out[k];
      for (int i = 0; i < kActuatorInputs; ++i) {
        const int ctrl = own.begin(Entity::kCtrl) + slot.input[i];
        p.lower[i] = slot.input[i] < 0 ? -kUnlimited : c.ctrl_lower[ctrl];
        p.upper[i] = slot.input[i] < 0 ? kUnlimited : c.ctrl_upper[ctrl];
      }
      p.kp = gains[0], p.kv = gains[1], p.ki = gains[2], p.integral_max = gains[3], p.slew_max = gains[4];
      p.resistance = winding[0], p.constant = winding[1], p.voltage_max = winding[2];
      p.current_time = winding[3], p.current_rate_max = winding[4];
      p.heat_resistance = heat[0], p.heat_capacity = heat[1], p.heat_coefficient = heat[2];
      p.heat_reference = heat[3], p.heat_ambient = heat[4];
      for (int i = 0; i < 3; ++i) p.cogging[i] = c.controller_cogging[row][i];
      p.bristle_stiffness = bristles[0], p.bristle_damping = bristles[1];
      p.coulomb = bristles[2], p.holding = bristles[3], p.speed = bristles[4];
    }
  }

  CAROM_HD void write_activations(const PartRows& own, ActivationParams<Real>* out) const {
    const RowColumns& c = row_columns;
    for (int k = 0; k < static_cast<int>(forces.activation.size); ++k) {
      const int row = own.begin(Entity::kActuator) + forces.actuator[forces.activation[k].actuator].actuator;
      out[k] = {{c.actuator_time[row][0], c.actuator_time[row][1], c.actuator_time[row][2]},
                c.actuator_act_early[row] ? Real(1) : Real(0),
                c.actuator_act_lower[row],
                c.actuator_act_upper[row]};
    }
    for (int k = 0; k < static_cast<int>(forces.controller.size); ++k) bound_integral(own, k, out);
  }
  // That of a motor ends at its bound; that of a pid controller overshoots it by a step, as in MuJoCo.
  CAROM_HD void bound_integral(const PartRows& own, int controller, ActivationParams<Real>* out) const {
    const ControllerSlot& slot = forces.controller[controller];
    const Real most = row_columns.controller_gains[own.begin(Entity::kController) + controller][3];
    if (slot.law != ActuatorLaw::kDcMotor || slot.state[1] < 0 || most == 0) return;
    out[slot.state[1]].lower = -most, out[slot.state[1]].upper = most;
  }
  CAROM_HD void write_muscles(const PartRows& own, MuscleParams<Real>* out) const {
    static_assert(sizeof(MuscleParams<Real>) == sizeof(RealN<10>));
    for (int m = 0; m < static_cast<int>(row_origin.muscle.size); ++m) {
      const RealN<10>& from = row_columns.actuator_muscle[own.begin(Entity::kActuator) + row_origin.muscle[m]];
      out[m] = {{from[0], from[1]}, {from[2], from[3]}, from[4], from[5], from[6], from[7], from[8], from[9]};
    }
  }

  CAROM_HD void write_paths(const PartRows& own, PathParams<Real>* out) const {
    const RowColumns& c = row_columns;
    for (int p = 0; p < static_cast<int>(row_origin.path.size); ++p) {
      const int row = own.begin(Entity::kActuator) + row_origin.path[p];
      out[p] = {};
      if (row_origin.path[p] >= 0)
        out[p] = {c.actuator_wrench[row], c.actuator_in_parent[row] ? Real(1) : Real(0), c.actuator_rod[row]};
    }
  }
  CAROM_HD void write_path_points(const PartRows& own, const Work& w, PathPointParams<Real>* out) const {
    using From = PathPointOrigin::From;
    const RowColumns& c = row_columns;
    const auto X_LB = [&](int body) CAROM_HD_LAMBDA { return body < 0 ? Transform{} : w.X_LB[body]; };
    for (int p = 0; p < static_cast<int>(row_origin.path_point.size); ++p) {
      const PathPointOrigin& from = row_origin.path_point[p];
      if (from.from == From::kTendonPoint) {
        const int row = own.begin(Entity::kTendonPoint) + from.row;
        out[p] = {X_LB(from.body) * c.tendon_point_xform[row],
                  transform_point(X_LB(from.side_body), c.tendon_point_side[row]), c.tendon_point_radius[row],
                  c.tendon_point_divisor[row]};
      } else if (from.from == From::kJointParent || from.from == From::kJointChild) {
        const bool of_child = from.from == From::kJointChild;
        const int row = own.begin(Entity::kJoint) + from.row;
        out[p] = {X_LB(from.body) * (of_child ? tree_columns.joint_X_c : tree_columns.joint_X_p)[row], {}, 0, 1};
      } else {
        const int row = own.begin(Entity::kActuator) + from.row;
        out[p] = {X_LB(from.body) * (from.from == From::kSite ? c.actuator_site : c.actuator_reference)[row], {}, 0, 1};
      }
    }
  }

  CAROM_HD void write_drives(const PartRows& own, DriveParams<Real>* out) const {
    for (int i = 0; i < tree.dofs(); ++i) {
      const int row = own.begin(Entity::kJointDof) + tree.dof_in_part[i];
      out[i] = {};
      if (tree.dof_in_part[i] >= 0) out[i] = {row_columns.drive_ke[row], row_columns.drive_kd[row]};
    }
  }

  CAROM_HD void write_extras(const PartRows& own, DofExtras<Real>* out) const {
    const RowColumns& c = row_columns;
    for (int i = 0; i < tree.dofs(); ++i) {
      const int row = own.begin(Entity::kJointDof) + tree.dof_in_part[i];
      out[i] = {};
      if (tree.dof_in_part[i] >= 0)
        out[i] = {{c.joint_stiffness_poly[row][0], c.joint_stiffness_poly[row][1]},
                  {c.joint_damping_poly[row][0], c.joint_damping_poly[row][1]},
                  c.joint_gravcomp_by_motor[row] ? Real(1) : Real(0)};
    }
  }
  CAROM_HD void write_efforts(const PartRows& own, EffortParams<Real>* out) const {
    for (int k = 0; k < static_cast<int>(row_origin.effort.size); ++k) {
      const int row = own.begin(Entity::kTendon) + row_origin.effort[k];
      out[k] = {row_columns.tendon_effort_lower[row], row_columns.tendon_effort_upper[row]};
    }
  }

  CAROM_HD void write_yields(const PartRows& own, Real* joints, Real* tendons) const {
    for (int i = 0; i < tree.dofs(); ++i) {
      const int row = own.begin(Entity::kJointDof) + tree.dof_in_part[i];
      joints[i] = tree.dof_in_part[i] < 0 ? Real(0) : row_columns.joint_spring_yield[row];
    }
    for (int s = 0; s < static_cast<int>(row_origin.spring.size); ++s)
      tendons[s] = row_columns.tendon_spring_yield[own.begin(Entity::kTendon) + row_origin.spring[s]];
  }

  // The box that has the mass and the inertia of a body; nothing of one without mass.
  CAROM_HD void write_fluid(const PartRows& own, const Work& w, FluidParams<Real>* out) const {
    for (int b = 0; b < static_cast<int>(tree_origin.body_link.size); ++b) {
      const int row = own.body(b, tree_columns.bodies);
      const RealN<4>& given = row_columns.body_fluid_axes[row];
      const Mat33& I = tree_columns.body_inertia[row];
      const Quat wanted{given[0], given[1], given[2], given[3]};
      const Quat axes = dot(wanted, wanted) > 0 ? normalize(wanted) : principal_axes(I);
      const Real mass = tree_columns.body_mass[row];
      Vec3 about;  // moments about the axes
      for (int i = 0; i < 3; ++i) {
        Vec3 unit;
        unit[i] = 1;
        const Vec3 axis = rotate(axes, unit);
        about[i] = dot(axis, I * axis);
      }
      out[b] = {w.X_LB[b].q * axes, {}};
      for (int i = 0; i < 3 && mass > kTiny; ++i)
        out[b].sides[i] = sqrt(max(about[(i + 1) % 3] + about[(i + 2) % 3] - about[i], kTiny) / mass * 6);
    }
  }

  // Bodies that have them are no boxes.
  CAROM_HD void write_ellipsoids(int place, const Work& w, Real* row) const {
    auto* const boxes = reinterpret_cast<FluidParams<Real>*>(row + layout.fluid);
    auto* const out = reinterpret_cast<EllipsoidParams<Real>*>(row + layout.ellipsoids);
    const EllipsoidColumns& c = row_columns.ellipsoid;
    for (int e = 0; e < static_cast<int>(ellipsoid_body.size); ++e) {
      const EllipsoidSource& from = ellipsoid[std::int64_t{place} * ellipsoid_body.size + e];
      const int b = ellipsoid_body[e], shape = from.shape;
      out[e] = ellipsoid::nothing();
      if (shape < 0) continue;
      boxes[b].sides = {};
      if (!(tree_columns.body_mass[part[place].body(b, tree_columns.bodies)] > kTiny)) continue;
      const Vec3 s = ellipsoid::semiaxes(static_cast<ShapeType>(c.type[shape]), c.scale[shape], from.extent);
      out[e] = ellipsoid::params_of(w.X_LB[b] * c.transform[shape], s, c.coef[shape], fluid);
    }
  }

  CAROM_HD void write_springs(const PartRows& own, SpringParams<Real>* out) const {
    const RowColumns& c = row_columns;
    for (int s = 0; s < static_cast<int>(row_origin.spring.size); ++s) {
      const int row = own.begin(Entity::kTendon) + row_origin.spring[s];
      out[s] = {c.tendon_stiffness[row],
                c.tendon_damping[row],
                c.tendon_spring_lower[row],
                c.tendon_spring_upper[row],
                {c.tendon_stiffness_poly[row][0], c.tendon_stiffness_poly[row][1]},
                {c.tendon_damping_poly[row][0], c.tendon_damping_poly[row][1]},
                c.tendon_armature[row]};
    }
  }

  CAROM_HD void write_equalities(const PartRows& own, EqualityParams<Real>* out) const {
    for (int i = 0; i < static_cast<int>(row_origin.equality.size); ++i) {
      const int row = own.begin(Entity::kEqualityConstraint) + row_origin.equality[i];
      out[i].enabled = row_columns.equality_enabled[row] ? Real(1) : Real(0);
      for (int k = 0; k < 5; ++k) out[i].polynomial[k] = row_columns.equality_polycoef[row][k];
    }
  }

  CAROM_HD void write_ties(const PartRows& own, const Work& w, TieParams<Real>* out) const {
    const RowColumns& c = row_columns;
    for (int i = 0; i < static_cast<int>(row_origin.tie.size); ++i) {
      const TieOrigin& from = row_origin.tie[i];
      const int row = own.begin(Entity::kEqualityConstraint) + from.equality;
      const auto X = [&](int side)
                         CAROM_HD_LAMBDA { return from.body[side] < 0 ? Transform{} : w.X_LB[from.body[side]]; };
      const bool is_weld = rows.tie[i].is_weld;
      const Transform& relpose = c.equality_relpose[row];
      const RealN<4>& given = c.equality_axes[row];
      const Quat axes = normalize(Quat{given[0], given[1], given[2], given[3]});
      const Vec3 first = is_weld ? transform_point(relpose, c.equality_anchor[row]) : c.equality_anchor[row];
      out[i] = {c.equality_enabled[row] ? Real(1) : Real(0),
                c.equality_torquescale[row],
                {transform_point(X(0), first),
                 transform_point(X(1), is_weld ? c.equality_anchor[row] : c.equality_anchor2[row])},
                X(0).q * relpose.q * axes,
                X(1).q * axes};
    }
  }

  // Mass of each body that is carried for it.
  CAROM_HD void write_carried(const PartRows& own, Real* out) const {
    for (int b = 0; b < static_cast<int>(tree_origin.body_link.size); ++b) {
      const int row = own.body(b, tree_columns.bodies);
      out[b] = row_columns.body_gravcomp[row] * tree_columns.body_mass[row];
    }
  }

  // Of a joint row.
  CAROM_HD ImpedanceColumns impedance_columns(const JointRowOrigin& from) const {
    const RowColumns& c = row_columns;
    const bool is_tendon = from.entity == Entity::kTendon;
    if (from.entity == Entity::kEqualityConstraint) return c.equality_impedance;
    if (from.sort == JointRowSort::kFriction || from.sort == JointRowSort::kTurningFriction)
      return is_tendon ? c.tendon_friction_impedance : c.joint_friction_impedance;
    const LimitColumns& limit = is_tendon ? c.tendon_limit : c.joint_limit;
    return {limit.solref, limit.solimp};
  }

  template <class Team>
  CAROM_HD void write_joint_rows(Team team, const PartRows& own, const Work& w, const Real* packed,
                                 JointRowParams<Real>* out) const {
    for (int s = 0; s < rows.joint_rows(); ++s) {
      const JointRowOrigin& from = rows.joint_row_origin[s];
      const bool is_tendon = from.entity == Entity::kTendon;
      const int row = own.begin(from.entity) + from.row;
      JointRowParams<Real>& p = out[s];
      p = {};
      if (from.sort == JointRowSort::kLimit || from.sort == JointRowSort::kTurningLimit) {
        const LimitColumns& c = is_tendon ? row_columns.tendon_limit : row_columns.joint_limit;
        p.range = {c.lower[row], c.upper[row], c.margin[row]};
      } else if (from.sort == JointRowSort::kFriction || from.sort == JointRowSort::kTurningFriction) {
        p.friction = is_tendon ? row_columns.tendon_friction[row] : row_columns.joint_friction[row];
      }
      const ImpedanceColumns c = impedance_columns(from);
      for (int k = 0; k < 2; ++k) p.solref[k] = c.solref[row][k];
      for (int k = 0; k < 5; ++k) p.impedance[k] = c.solimp[row][k];
      bound_impedance(p.impedance);
      const JointRow& slot = rows.joint_row[s];
      if (from.sort == JointRowSort::kConnect || from.sort == JointRowSort::kWeld) {
        p.inverse_mass = inverse_mass_of_tie(team, w, packed + layout.inverse_masses, slot);
        continue;
      }
      if (from.entity == Entity::kJointDof && slot.path < 0) {
        p.inverse_mass = inverse_mass_of_dof(team, w, rows.joint_entry[slot.first_entry].dof);
        continue;
      }
      const int driven = from.sort == JointRowSort::kEquality ? slot.driven : slot.entry_count;
      p.inverse_mass = inverse_mass_of(team, w, slot.first_entry, driven);
      if (slot.entry_count > driven)
        p.inverse_mass += inverse_mass_of(team, w, slot.first_entry + driven, slot.entry_count - driven);
    }
  }
  // Of both bodies; of the turning rows of a weld the mean over three directions.
  template <class Team>
  CAROM_HD Real inverse_mass_of_tie(Team team, const Work& w, const Real* inverse_masses, const JointRow& slot) const {
    Real sum = 0;
    for (const int body : row_origin.tie[slot.equality].body) {
      if (body < 0) continue;
      sum += slot.member < 3 ? inverse_masses[body]
                             : inverse_inertia_of_link(team, tree, w.tree, tree_origin.body_link[body], w.J, w.x);
    }
    return sum;
  }
  // Of joints that turn about three axes at once the mean over these, and over the three that they slide along.
  template <class Team>
  CAROM_HD Real inverse_mass_of_dof(Team team, const Work& w, int dof) const {
    const TreeLink& link = tree.link[tree.dof_link[dof]];
    const bool turns = turns_at_once(link.type);
    const int first = !turns ? dof : dof < link.dof + link.linear ? link.dof : link.dof + link.linear;
    Real sum = 0;
    for (int i = first; i < first + (turns ? 3 : 1); ++i) {
      for (int k = 0; k < tree.dofs(); ++k) w.J[k] = k == i;
      sum += inverse_mass(team, tree, w.tree, w.J, w.x);
    }
    return turns ? sum / 3 : sum;
  }
  // J M^-1 J^T of so many entries.
  template <class Team>
  CAROM_HD Real inverse_mass_of(Team team, const Work& w, int first, int count) const {
    for (int i = 0; i < tree.dofs(); ++i) w.J[i] = 0;
    for (int e = first; e < first + count; ++e) w.J[rows.joint_entry[e].dof] = w.coef[e];
    return inverse_mass(team, tree, w.tree, w.J, w.x);
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
