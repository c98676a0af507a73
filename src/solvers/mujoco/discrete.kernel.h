// What the integrator Discrete solves in place of M a = f: springs, servos and all that damps act as they will at the
// end of the step,
//
//   (M + S) a = f - h K v + J^T f_c,   S = h B + h^2 K,   v+ = v + h a
//
// K and B are minus the derivatives of the forces by ways and by velocities, each where it holds back. Tendons and
// actuators couple all that their lengths depend on, whichever branch or tree it is of. Of a fluid the drag counts.
// What rows make of it: rows/implicit_rows.kernel.h.
//
// A free body that carries nothing and that nothing of this holds, and no row touches, turns as with ImplicitFast.
#pragma once

#include <limits>

#include "solvers/mujoco/step_velocities.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct DiscreteWork {
  Diagonals<F> diagonal;
  Mat33T<F>* backbone;  // of diagexact: the factor of M + S where tendons and actuators count by their diagonals
  F *held, *touched;    // per link, 1 or 0: by a tendon or an actuator; by a row
};

namespace discrete {

// Of a joint that turns about three axes at once: the block of a matrix, and the axes of the child.
template <class F>
struct TurningBlockOf {
  int first;
  Mat33T<F> axes;

  CAROM_HD TurningBlockOf(const TreeLink& link, const TreeWork<F>& t)
      : first(link.dof + link.linear), axes(mat33_from_quat(BallJoint::turn(t.q + link.q + link.linear))) {}

  CAROM_HD static F& at(Mat33T<F>* M, int i, int j) { return M[block_index(i / 3, j / 3)][i % 3][j % 3]; }
  // The diagonal along the axes of the child.
  CAROM_HD Vec3T<F> diagonal(Mat33T<F>* M) const {
    Mat33T<F> block;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j <= i; ++j) block[i][j] = block[j][i] = at(M, first + i, first + j);
    const Mat33T<F> turned = block * axes, along = transpose(axes);
    return {dot(along[0], turned * Vec3T<F>{F(1), F(0), F(0)}), dot(along[1], turned * Vec3T<F>{F(0), F(1), F(0)}),
            dot(along[2], turned * Vec3T<F>{F(0), F(0), F(1)})};
  }
  // M += d along these axes
  CAROM_HD void add(Mat33T<F>* M, Vec3T<F> d) const {
    const Mat33T<F> D = axes * mat33_diagonal(d) * transpose(axes);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j <= i; ++j) {
        F& below = at(M, first + i, first + j);
        below += D[i][j];
        if (j < i && (first + i) / 3 == (first + j) / 3) at(M, first + j, first + i) = below;
      }
  }
};

template <class F>
struct Hold {
  const VelocityStep<F>& s;
  const DiscreteWork<F>& w;

  template <class Team>
  CAROM_HD_STAGE void add(Team team) const {
    invert_diagonals(team, w.diagonal.bare);
    team.each(s.tree.links(), [&](int l) { add_joint(l); });
    if (s.fluid.damping) {
      velocities::add_fluid(team, s);
      team.each(s.tree.links(), [&](int l) {
        if (velocities::is_free_body(s.tree.link[l]) && bodies_of(l) == 1) part_fluid(l);
      });
    }
    if (w.backbone) each_block(team, s.tree.mass_pattern, [&](int at) CAROM_HD_LAMBDA { w.backbone[at] = s.t.M[at]; });
    team.each(1, [&](int) { add_lengths(); });  // two tendons may pull at one joint
    invert_diagonals(team, w.diagonal.held);
    if (!w.backbone) return;
    team.each(s.tree.links(), [&](int l) { add_to_backbone(l); });
    factor_blocks(team, s.tree.mass_pattern, w.backbone, w.backbone);
  }

 private:
  template <class Team>
  CAROM_HD void invert_diagonals(Team team, Vec3T<F>* out) const {
    team.each(s.tree.links(), [&](int l) {
      const TreeLink& link = s.tree.link[l];
      const bool turns = turns_at_once(link.type);
      const int plain = link.linear + (turns ? 0 : link.angular);
      CAROM_ROLL
      for (int dof = link.dof; dof < link.dof + plain; ++dof) entry(out, dof) = F(1) / mass_entry(s.t, dof, dof);
      if (!turns) return;
      const Vec3T<F> d = TurningBlockOf<F>(link, s.t).diagonal(s.t.M);
      for (int i = 0; i < 3; ++i) entry(out, link.dof + link.linear + i) = F(1) / d[i];
    });
  }

  CAROM_HD void add_joint(int l) const {
    w.held[l] = F(0);
    const TreeLink& link = s.tree.link[l];
    const forces::PassiveForces<F> passive(link, s.t, s.forces);
    CAROM_ROLL
    for (int i = 0; i < link.linear + link.angular; ++i) {
      const int dof = link.dof + i;
      const F stiffness = passive.stiffness(i) + entry(s.forces.stiffness, dof);
      F damping = entry(s.forces.damping, dof);
      if (passive.has_coordinate(i) || !s.forces.extras)
        damping += max(forces::passive_damping(s.tree, s.t, s.forces, dof), F(0));
      F &diagonal = mass_entry(s.t, dof, dof), &force = entry(s.w.smooth_force, dof);
      diagonal = fma(s.h, fma(s.h, stiffness, damping), diagonal);
      force = fma(-s.h * stiffness, entry(s.t.qd, dof), force);
    }
    if (passive.turns && s.forces.extras) add_turning_damping(link);
  }
  CAROM_HD void add_turning_damping(const TreeLink& link) const {
    const TurningBlockOf<F> block(link, s.t);
    const Vec3T<F> omega = transpose(block.axes) * read3(s.t.qd, block.first);
    Vec3T<F> damping;
    for (int i = 0; i < 3; ++i) {
      const int dof = block.first + i;
      damping[i] = forces::holding_slope(s.t.dof_params[dof].damping, s.forces.extras[dof].damping, abs(omega[i]));
    }
    block.add(s.t.M, damping * s.h);
  }

  CAROM_HD int bodies_of(int l) const {
    int count = 0;
    for (int b = 0; b < static_cast<int>(s.fluid.body_link.size); ++b) count += s.fluid.body_link[b] == l;
    return count;
  }
  // Where the frame of a free body is that of its inertia, M is diagonal, and MuJoCo keeps no more of the fluid,
  // either.
  CAROM_HD void part_fluid(int l) const {
    const LinkParams<F>& p = s.t.link_params[l];
    const TurningBlockOf<F> block(s.tree.link[l], s.t);
    constexpr Real kNone = 16 * std::numeric_limits<Real>::epsilon();
    const Sym33T<F> inertia = rotate(mat33_from_quat(p.X_JL.q), p.inertia);
    const F least = F(kNone), beside = abs(inertia.xy) + abs(inertia.xz) + abs(inertia.yz);
    const auto parts = length_squared(transform_point(p.X_JL, p.com)) <= least * least &&
                       beside <= least * (inertia.xx + inertia.yy + inertia.zz);
    const Vec3T<F> diagonal = block.diagonal(s.t.M);
    const int first = s.tree.link[l].dof;
    CAROM_ROLL
    for (int i = 0; i < 6; ++i) {
      CAROM_ROLL
      for (int j = 0; j <= i; ++j) {
        if (i == j && i < 3) continue;
        F& below = mass_entry(s.t, first + i, first + j);
        below = select(parts, F(0), below);
        if ((first + i) / 3 == (first + j) / 3) mass_entry(s.t, first + j, first + i) = below;
      }
    }
    block.add(s.t.M, select(parts, diagonal, Vec3T<F>{}));
  }

  CAROM_HD void add_lengths() const {
    const ForceView& view = s.view;
    const ForceWork<F>& f = s.forces;
    CAROM_ROLL
    for (int k = 0; k < static_cast<int>(view.spring.size); ++k) {
      const SpringSlot& slot = view.spring[k];
      const SpringParams<F>& p = f.spring_params[k];
      const auto stroke = forces::stroke_of(f, s.t, slot, view.spring_entry, f.spring_coef);
      const F stretch = forces::stretch_of_tendon(f, k, stroke.length);
      const F slope = forces::holding_slope(p.stiffness, p.stiffness_poly, stretch);
      add_length(slot, select(stretch != F(0), slope, F(0)),
                 forces::holding_slope(p.damping, p.damping_poly, abs(stroke.speed)), stroke.speed, view.spring_entry,
                 f.spring_coef);
    }
    CAROM_ROLL
    for (int a = 0; view.tendon_actuators > 0 && a < static_cast<int>(view.actuator.size); ++a) {
      const ActuatorSlot& slot = view.actuator[a];
      if (slot.dof >= 0) continue;
      const F speed = forces::stroke_of(f, s.t, slot, view.actuator_entry, f.actuator_coef).speed;
      add_length(slot, max(f.actuator_stiffness[a], F(0)), max(f.tendon_damping[slot.number], F(0)), speed,
                 view.actuator_entry, f.actuator_coef);
    }
  }
  template <class Slot>
  CAROM_HD void add_length(const Slot& slot, F stiffness, F damping, F speed, Span<const JointEntry> entries,
                           const F* coef) const {
    const F all = s.h * fma(s.h, stiffness, damping), push = -s.h * stiffness * speed;
    add_tendon_matrix(s.tree, s.t, all, entries, coef, slot.first_entry, slot.entry_count, false);
    CAROM_ROLL
    for (int e = slot.first_entry; e < slot.first_entry + slot.entry_count; ++e) {
      F &force = entry(s.w.smooth_force, entries[e].dof), &held = w.held[s.tree.dof_link[entries[e].dof]];
      force = fma(coef[e], push, force);
      held = select(all > F(0), F(1), held);
    }
  }

  CAROM_HD void add_to_backbone(int l) const {
    const TreeLink& link = s.tree.link[l];
    const bool turns = turns_at_once(link.type);
    const int plain = link.linear + (turns ? 0 : link.angular);
    using Block = TurningBlockOf<F>;
    CAROM_ROLL
    for (int dof = link.dof; dof < link.dof + plain; ++dof) Block::at(w.backbone, dof, dof) = mass_entry(s.t, dof, dof);
    if (!turns) return;
    const Block block(link, s.t);
    block.add(w.backbone, block.diagonal(s.t.M) - block.diagonal(w.backbone));
  }
};

// Which free bodies some row touches.
template <class F, class Team>
CAROM_HD_STAGE void find_touched(Team team, const TreeView& tree, const RowView& view, const ContactView& contacts,
                                 RowKinds<F>& kinds, F* touched) {
  team.each(tree.links(), [&](int l) {
    const TreeLink& link = tree.link[l];
    F count{};
    if (velocities::is_free_body(link)) {
      for (int at = view.dof_row_start[link.dof]; at < view.dof_row_start[link.dof + 6]; ++at)
        count += select(kinds.joint.D[view.dof_row[at][0]] > F(0), F(1), F(0));
      kinds.contacts.each([&](auto& kind) CAROM_HD_LAMBDA {
        CAROM_ROLL
        for (int c = 0; c < kind.list.count; ++c) {
          const F own = pick<F>(kind.list.template of_slot<F>(c), [&](int of) CAROM_HD_LAMBDA {
            const int* const links = contacts.material[of].link;
            return links[0] == l || links[1] == l ? Real(1) : Real(0);
          });
          count += select(kind.D[c] > F(0), own, F(0));
        }
      });
    }
    touched[l] = select(count > F(0), F(1), F(0));
  });
}

// The others.
template <class F, class Team>
CAROM_HD_STAGE void turn_free_bodies(Team team, VelocityStep<F> s, const DiscreteWork<F>& w) {
  s.fluid.ellipsoid_damping = nullptr;  // M has what counts of it
  team.each(s.tree.links(), [&](int l) {
    if (!velocities::is_free_body(s.tree.link[l])) return;
    F K[6][7];
    velocities::solve_free_body(s, l, K);
    const auto free = w.held[l] + w.touched[l] == F(0);
    CAROM_ROLL
    for (int i = 0; i < 6; ++i) {
      F& a = entry(s.w.acceleration, s.tree.link[l].dof + i);
      a = select(free, K[i][6], a);
    }
  });
}

}  // namespace discrete

}  // namespace carom::inline CAROM_PRECISION
