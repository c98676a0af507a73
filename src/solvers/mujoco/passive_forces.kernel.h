// What joints do by themselves: springs and dampers, of degree three in length and speed.
//
//   f = -x (a + b x + c x^2) - v (d + e |v| + g v^2)
#pragma once

#include "model/joints/joints.kernel.h"
#include "solvers/mujoco/force_view.h"

namespace carom::inline CAROM_PRECISION::forces {

// a + b x + c x^2
template <class F>
CAROM_HD F polynomial(F a, const F (&p)[2], F x) {
  return fma(fma(p[1], x, p[0]), x, a);
}
// The derivative of polynomial(a, p, |x|) x.
template <class F>
CAROM_HD F polynomial_slope(F a, const F (&p)[2], F x) {
  return fma(fma(F(3) * p[1], abs(x), F(2) * p[0]), abs(x), a);
}

// The derivative of polynomial(a, p, x) x, where it holds back.
template <class F>
CAROM_HD F holding_slope(F a, const F (&p)[2], F x) {
  return max(fma(fma(F(3) * p[1], x, F(2) * p[0]), x, a), F(0));
}

// Passive damping of a degree of freedom: minus the derivative of its force by velocity. Of those that turn at once the
// linear part: the rest couples them (TurningDrag).
template <class F>
CAROM_HD F passive_damping(const TreeView& tree, const TreeWork<F>& t, const ForceWork<F>& f, int dof) {
  const F damping = t.dof_params[dof].damping;
  const TreeLink& link = tree.link[tree.dof_link[dof]];
  if (!f.extras || (turns_at_once(link.type) && dof >= link.dof + link.linear)) return damping;
  return polynomial_slope(damping, f.extras[dof].damping, entry(t.qd, dof));
}

// Damping that is not linear, of a joint that turns about three axes at once: it acts along each axis of the child.
template <class F>
struct TurningDrag {
  QuatT<F> turn;
  Vec3T<F> omega;              // in the axes of the child
  const DofExtras<F>* extras;  // of the three

  CAROM_HD TurningDrag(const TreeLink& link, const TreeWork<F>& t, const DofExtras<F>* of_dofs)
      : turn(BallJoint::turn(t.q + link.q + link.linear)),
        omega(rotate(conjugate(turn), read3(t.qd, link.dof + link.linear))),
        extras(of_dofs + link.dof + link.linear) {}

  CAROM_HD bool acts() const { return any(extras[0].damping[0] != F(0) || extras[0].damping[1] != F(0)); }
  CAROM_HD Vec3T<F> force() const {
    Vec3T<F> f;
    for (int i = 0; i < 3; ++i) f[i] = -omega[i] * polynomial(F(0), extras[i].damping, abs(omega[i]));
    return rotate(turn, f);
  }
  // Minus its derivative by velocity.
  CAROM_HD Mat33T<F> damping() const {
    const Mat33T<F> axes = mat33_from_quat(turn);
    Mat33T<F> of_child;
    for (int i = 0; i < 3; ++i) of_child[i][i] = polynomial_slope(F(0), extras[i].damping, omega[i]);
    return axes * of_child * transpose(axes);
  }
};

// Where the springs of a joint that turns are relaxed: as the model says, and as they yielded.
template <class F>
CAROM_HD QuatT<F> given_rest_of_turn(const TreeLink& link, const TreeWork<F>& t) {
  const DofParams<F>* const p = t.dof_params + link.dof + link.linear;
  return quat_from_rotation_vector(Vec3T<F>{p[0].spring_ref, p[1].spring_ref, p[2].spring_ref});
}
template <class F>
CAROM_HD QuatT<F> rest_of_turn(const TreeLink& link, const TreeWork<F>& t, const ForceWork<F>& f) {
  const QuatT<F> rest = given_rest_of_turn(link, t);
  if (!f.yield.joint_shift) return rest;
  return rest * quat_from_rotation_vector(read3(f.yield.joint_shift, link.dof + link.linear));
}
// The rotation from there, as a vector in parent axes.
template <class F>
CAROM_HD Vec3T<F> turn_from_rest(const TreeLink& link, const TreeWork<F>& t, const ForceWork<F>& f) {
  const QuatT<F> rest = rest_of_turn(link, t, f);
  return rotate(rest, rotation_vector(conjugate(rest) * BallJoint::turn(t.q + link.q + link.linear)));
}

// Passive forces of the degrees of freedom of a link: -x (a + b x + c x^2) of springs, where a free joint stretches as
// one, by the length of its way; -v (a + b |v| + c v^2) of dampers.
template <class F>
struct PassiveForces {
  const TreeLink& link;
  const TreeWork<F>& t;
  const ForceWork<F>& f;
  bool turns;
  Vec3T<F> turned{};  // from rest
  Vec3T<F> drag{};    // of turning, without the linear part
  F slid{}, angle{};  // lengths of the ways of joints that turn at once

  CAROM_HD PassiveForces(const TreeLink& of, const TreeWork<F>& tree, const ForceWork<F>& forces)
      : link(of), t(tree), f(forces), turns(turns_at_once(of.type)) {
    if (!turns) return;
    if (f.extras)
      if (const TurningDrag<F> of_joint(link, t, f.extras); of_joint.acts()) drag = of_joint.force();
    const int first = link.dof + link.linear;
    const bool stiffens = f.extras && any(f.extras[first].stiffness[0] != F(0) || f.extras[first].stiffness[1] != F(0));
    if (!stiffens && !any(t.dof_params[first].stiffness != F(0))) return;
    turned = turn_from_rest(link, t, f);
    if (!stiffens) return;
    angle = sqrt(length_squared(turned));
    if (link.linear == 3) slid = sqrt(length_squared(Vec3T<F>{stretch(0), stretch(1), stretch(2)}));
  }

  CAROM_HD bool has_coordinate(int i) const { return !turns || i < link.linear; }
  CAROM_HD F operator()(int i) const {
    const int dof = link.dof + i;
    const DofParams<F>& p = t.dof_params[dof];
    const F x = has_coordinate(i) ? stretch(i) : turned[i - link.linear], v = entry(t.qd, dof);
    F stiffness = p.stiffness, damping = p.damping;
    if (f.extras) {
      stiffness = polynomial(stiffness, f.extras[dof].stiffness, way(i));
      if (has_coordinate(i)) damping = polynomial(damping, f.extras[dof].damping, abs(v));
    }
    const F force = fma(-damping, v, -stiffness * x);
    return has_coordinate(i) ? force : force + drag[i - link.linear];
  }
  // Minus the derivative of the spring's force by the way, where it holds back.
  CAROM_HD F stiffness(int i) const {
    const F linear = t.dof_params[link.dof + i].stiffness;
    return f.extras ? holding_slope(linear, f.extras[link.dof + i].stiffness, way(i)) : max(linear, F(0));
  }

 private:
  // That a spring stiffens with.
  CAROM_HD F way(int i) const { return !turns ? stretch(i) : i < link.linear ? slid : angle; }
  CAROM_HD F stretch(int i) const {
    F rest = t.dof_params[link.dof + i].spring_ref;
    if (f.yield.joint_shift) rest += entry(f.yield.joint_shift, link.dof + i);
    return t.q[link.q + i] - rest;
  }
};

// How far a tendon is out of the range where its spring is relaxed.
template <class F>
CAROM_HD F stretch_of_tendon(const ForceWork<F>& f, int s, F length) {
  F lower = f.spring_params[s].lower, upper = f.spring_params[s].upper;
  if (f.yield.tendon_shift) lower += f.yield.tendon_shift[2 * s], upper += f.yield.tendon_shift[2 * s + 1];
  return max(length - upper, F(0)) - max(lower - length, F(0));
}

}  // namespace carom::inline CAROM_PRECISION::forces
