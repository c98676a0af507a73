// Springs that yield. One that is stretched by more than its yield y is relaxed elsewhere after the step: where it was
// relaxed moves along, until it is stretched by y. With the new coordinates q+,
//
//   x = q+ - rest,   rest+ = rest + x - clamp(x, -y, y)
//
// Of joints that turn about three axes at once x is the rotation from rest. Of tendons the length is L + h J v+, with L
// and J of the beginning of the step, and both ends of the range where they are relaxed move; the lower one stays where
// it is 0 and the upper one is not, as that of a string which hangs loose.
#pragma once

#include "backend/world_lanes.h"
#include "solvers/mujoco/actuator_forces.kernel.h"
#include "solvers/mujoco/passive_forces.kernel.h"
#include "solvers/mujoco/runge_kutta.kernel.h"
#include "solvers/mujoco/step_output.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct SpringYields {
  const TreeView& tree;
  const TreeWork<F>& t;
  const ForceView& view;
  const ForceWork<F>& f;
  Offsets<F> dofs, tendons;

  // -- Reading and writing states.

  template <class Team>
  CAROM_HD_FREE void load_from(Team team, SpringShifts<const Real> state) const {
    team.each(tree.dofs(), [&](int i) { entry(f.yield.joint_shift, i) = joint_in(state, i); });
    team.each(springs(), [&](int s) {
      for (int side = 0; side < 2; ++side) f.yield.tendon_shift[2 * s + side] = tendon_in(state, s, side);
    });
  }
  template <class Team>
  CAROM_HD_FREE void store_to(Team team, SpringShifts<Real> state) const {
    team.each(tree.dofs(), [&](int i) {
      const int place = tree.dof_in_part[i];
      if (place >= 0) store(state.joint, dofs, place, entry(f.yield.joint_shift, i));
    });
    team.each(springs(), [&](int s) {
      for (int side = 0; side < 2; ++side)
        store(state.tendon, tendons, 2 * view.spring_tendon[s] + side, f.yield.tendon_shift[2 * s + side]);
    });
  }
  // 0 where all of them are finite.
  template <class Team>
  CAROM_HD_FREE F sum_of_zeros(Team team) const {
    const F joints = team.sum(tree.dofs(), [&](int i) { return entry(f.yield.joint_shift, i) * F(0); });
    return joints + team.sum(2 * springs(), [&](int k) { return f.yield.tendon_shift[k] * F(0); });
  }
  // Worlds that are not good keep those that were read.
  template <class Team>
  CAROM_HD_FREE void keep(Team team, MaskOf<F> good, SpringShifts<const Real> state) const {
    team.each(tree.dofs(), [&](int i) {
      F& shift = entry(f.yield.joint_shift, i);
      shift = select(good, shift, joint_in(state, i));
    });
    team.each(springs(), [&](int s) {
      for (int side = 0; side < 2; ++side) {
        F& shift = f.yield.tendon_shift[2 * s + side];
        shift = select(good, shift, tendon_in(state, s, side));
      }
    });
  }

  // -- After a step.

  // With the coordinates that it led to.
  template <class Team>
  CAROM_HD_FREE void yield_joints(Team team) const {
    team.each(tree.links(), [&](int l) {
      const TreeLink& link = tree.link[l];
      const bool turns = turns_at_once(link.type);
      CAROM_ROLL
      for (int i = 0; i < link.linear + (turns ? 0 : link.angular); ++i) {
        const int dof = link.dof + i;
        F& shift = entry(f.yield.joint_shift, dof);
        shift += beyond(t.q[link.q + i] - (t.dof_params[dof].spring_ref + shift), f.yield.joint[dof]);
      }
      if (turns) yield_turn(link);
    });
  }
  // With the velocities that it led to, and the coordinates that it began with.
  template <class Team>
  CAROM_HD_FREE void yield_tendons(Team team, F h) const {
    team.each(springs(), [&](int s) {
      const forces::Stroke<F> stroke = stroke_of(s);
      yield_tendon(s, fma(h, stroke.speed, stroke.length));
    });
  }

  // -- The same of RK4: what the step began with is kept from its first stage to its last.

  CAROM_HD static int kept_strokes(const ForceView& view) {
    return static_cast<int>(view.spring.size + view.spring_entry.size);
  }
  template <class Team>
  CAROM_HD_FREE void keep_strokes(Team team, Real* kept, const Offsets<F>& at) const {
    team.each(springs(), [&](int s) { store(kept, at, s, stroke_of(s).length); });
    team.each(static_cast<int>(view.spring_entry.size),
              [&](int e) { store(kept, at, springs() + e, f.spring_coef[e]); });
  }
  template <class Team>
  CAROM_HD_FREE void yield_tendons(Team team, const Real* kept, const Offsets<F>& at, const RungeKuttaWork<F>& w,
                                   F h) const {
    team.each(springs(), [&](int s) {
      const SpringSlot& slot = view.spring[s];
      F speed{};
      CAROM_ROLL
      for (int e = slot.first_entry; e < slot.first_entry + slot.entry_count; ++e)
        speed = fma(load<F>(kept, at, springs() + e), mean_rate(w, view.spring_entry[e].dof), speed);
      yield_tendon(s, fma(h, speed, load<F>(kept, at, s)));
    });
  }

 private:
  CAROM_HD int springs() const { return static_cast<int>(view.spring.size); }
  CAROM_HD F joint_in(SpringShifts<const Real> state, int dof) const {
    const int place = tree.dof_in_part[dof];
    return place < 0 ? F(0) : load<F>(state.joint, dofs, place);
  }
  CAROM_HD F tendon_in(SpringShifts<const Real> state, int s, int side) const {
    return load<F>(state.tendon, tendons, 2 * view.spring_tendon[s] + side);
  }
  CAROM_HD forces::Stroke<F> stroke_of(int s) const {
    return forces::stroke_of(f, t, view.spring[s], view.spring_entry, f.spring_coef);
  }
  // The part of x that a spring gives way to.
  CAROM_HD static F beyond(F x, F yield) {
    return select(yield > F(0), x - activation::bounded(x, -yield, yield), F(0));
  }

  CAROM_HD void yield_turn(const TreeLink& link) const {
    const int first = link.dof + link.linear;
    const F yield = f.yield.joint[first];
    if (!any(yield > F(0))) return;
    const QuatT<F> rest = forces::rest_of_turn(link, t, f);
    const Vec3T<F> x = rotation_vector(conjugate(rest) * BallJoint::turn(t.q + link.q + link.linear));
    const F angle = sqrt(length_squared(x)), more = beyond(angle, yield);
    const auto yields = more > F(0);
    const QuatT<F> moved = rest * quat_from_rotation_vector(x * (more / select(yields, angle, F(1))));
    const Vec3T<F> shift = rotation_vector(conjugate(forces::given_rest_of_turn(link, t)) * moved);
    write3(f.yield.joint_shift, first, select(yields, shift, read3(f.yield.joint_shift, first)));
  }
  CAROM_HD void yield_tendon(int s, F length) const {
    const SpringParams<F>& p = f.spring_params[s];
    F* const shift = f.yield.tendon_shift + 2 * s;
    const F more = beyond(forces::stretch_of_tendon(f, s, length), f.yield.tendon[s]);
    const auto hangs = p.lower == F(0) && p.upper > F(0);
    shift[0] += select(hangs, F(0), more), shift[1] += more;
  }
  // At which a step of RK4 moves a degree of freedom.
  CAROM_HD F mean_rate(const RungeKuttaWork<F>& w, int dof) const {
    const TreeLink& link = tree.link[tree.dof_link[dof]];
    const int first = link.dof + link.linear;
    if (!turns_at_once(link.type) || dof < first) return w.sum_v[tree.dof_in_part[dof]];
    const F* const v = w.sum_v + tree.dof_in_part[first];
    return rotate(BallJoint::turn(w.q0 + link.q + link.linear), Vec3T<F>{v[0], v[1], v[2]})[dof - first];
  }
};

}  // namespace carom::inline CAROM_PRECISION
