// One of the four stages of Runge and Kutta's method. With the stage's velocity v and acceleration a,
//
//   k_i = v_i, a_i;   q_{i+1} = q_0 (+) c h k_i,   v_{i+1} = v_0 + c h a_i          c = 1/2, 1/2, 1
//   q+ = q_0 (+) h sum b_i k_i,   v+ = v_0 + h sum b_i a_i                          b = 1/6, 1/3, 1/3, 1/6
//
// Orientations: in the axes that turn along, and with the rate of the rotation vector theta that led to the stage,
//
//   k = omega + 1/2 theta x omega + (1 - theta/2 cot(theta/2)) / theta^2  theta x (theta x omega)
//
// so that they are of fourth order, too (Munthe-Kaas 1999).
#pragma once

#include "backend/arena.h"
#include "backend/world_lanes.h"
#include "dynamics/tree.h"
#include "model/joints/joints.kernel.h"

namespace carom::inline CAROM_PRECISION {

inline constexpr int kRungeKuttaStages = 4;

// What passes from stage to stage, in the layout of joint_q and joint_qd.
struct RungeKuttaArrays {
  int stage;
  const Real *joint_q, *joint_qd;  // that the step began with, as they were given
  Real* kept;                      // RungeKuttaWork::kept of each part, one after the other
  const Real* act;                 // that the step began with, per actuator
  Real* sum_act;                   // of their rates
};

// The same of the parts at work.
template <class F>
struct RungeKuttaWork {
  static constexpr int kColumns = 4;
  F* q0;
  F* kept;                       // the columns behind each other
  F *v0, *rate, *sum_v, *sum_a;  // those of orientations in axes that turn along

  CAROM_HD void take(Arena& arena, const TreeView& tree) {
    q0 = arena.take<F>(tree.coord_count);
    const int count = tree.part_dof_count;
    kept = arena.take<F>(kColumns * count);
    v0 = kept, rate = v0 + count, sum_v = rate + count, sum_a = sum_v + count;
  }
};

namespace runge_kutta {

// c and b of a stage.
CAROM_HD constexpr Real ahead(int stage) { return stage < 2 ? Real(0.5) : Real(1); }
CAROM_HD constexpr Real share(int stage) { return Real(1) / (stage == 0 || stage == 3 ? 6 : 3); }

template <class F>
CAROM_HD Vec3T<F> rate_of_vector(Vec3T<F> theta, Vec3T<F> omega) {
  const F square = dot(theta, theta), half = sqrt(square) * F(0.5);
  F s, c;
  sincos(half, s, c);
  const auto small = square < F(0.01);
  const F series = fma(square, fma(square, F(Real(1) / 30240), F(Real(1) / 720)), F(Real(1) / 12));
  const F g = select(small, series, (F(1) - half * c / select(small, F(1), s)) / select(small, F(1), square));
  const Vec3T<F> once = cross(theta, omega);
  return omega + once * F(0.5) + cross(theta, once) * g;
}

template <class F>
struct Stage {
  const TreeView& tree;
  const TreeWork<F>& t;
  const Vec3T<F>* acceleration;
  F h;
  int number;
  const RungeKuttaWork<F>& w;

  // Of one degree of freedom: from the stage's velocity v, rate k and acceleration a to the next velocity. Returns the
  // rate at which the coordinate goes from q_0 to the next stage, or to the end.
  CAROM_HD F advance(int dof, F k, F a, F& v) const {
    const int place = tree.dof_in_part[dof];
    F &v0 = w.v0[place], &sum_v = w.sum_v[place], &sum_a = w.sum_a[place];
    if (number == 0) v0 = v, sum_v = sum_a = F(0);
    w.rate[place] = k;
    sum_v = fma(k, F(share(number)), sum_v), sum_a = fma(a, F(share(number)), sum_a);
    const bool last = number + 1 == kRungeKuttaStages;
    v = fma(last ? sum_a : a * F(ahead(number)), h, v0);
    return last ? sum_v : k * F(ahead(number));
  }

  CAROM_HD void move_link(int l) const {
    const TreeLink& link = tree.link[l];
    const bool turns = turns_at_once(link.type);
    const int axes = link.linear + (turns ? 0 : link.angular), angular = link.dof + link.linear;
    F along[6];
    CAROM_ROLL
    for (int i = 0; i < axes; ++i) {
      F& v = entry(t.qd, link.dof + i);
      along[i] = advance(link.dof + i, v, entry(acceleration, link.dof + i), v);
    }
    Vec3T<F> omega;
    if (turns) {
      const Vec3T<F> step = turn(link, omega);
      for (int i = 0; i < 3; ++i) along[link.linear + i] = step[i];
    }
    visit_joint(link.type, [&](auto joint) CAROM_HD_LAMBDA {
      const JointDofs dofs{link.linear, link.angular};
      for (int q = link.q; q < link.q + joint.coord_count(dofs); ++q) t.q[q] = w.q0[q];
      joint.integrate(
          dofs, [&](int i) CAROM_HD_LAMBDA { return along[i]; }, h, t.q + link.q);
    });
    if (turns) write3(t.qd, angular, rotate(BallJoint::turn(t.q + link.q + link.linear), omega));
  }

  // As advance(), of an orientation; omega: the next velocity, in axes that turn along.
  CAROM_HD Vec3T<F> turn(const TreeLink& link, Vec3T<F>& omega) const {
    const int first = link.dof + link.linear, place = tree.dof_in_part[first];
    const QuatT<F> back = conjugate(BallJoint::turn(t.q + link.q + link.linear));
    omega = rotate(back, read3(t.qd, first));
    const Vec3T<F> alpha = rotate(back, read3(acceleration, first));
    Vec3T<F> k = omega, step;
    if (number > 0) {
      const Vec3T<F> last{w.rate[place], w.rate[place + 1], w.rate[place + 2]};
      k = rate_of_vector(last * (h * F(ahead(number - 1))), omega);
    }
    for (int i = 0; i < 3; ++i) step[i] = advance(first + i, k[i], alpha[i], omega[i]);
    return rotate(BallJoint::turn(w.q0 + link.q + link.linear), step);
  }
};

}  // namespace runge_kutta

// From the accelerations of a stage to the state of the next one, or to the end of the step.
template <class F, class Team>
CAROM_HD_FREE void step_runge_kutta(Team team, const TreeView& tree, const TreeWork<F>& t, const Vec3T<F>* acceleration,
                                    F h, const RungeKuttaArrays& arrays, const Offsets<F>& coords,
                                    const Offsets<F>& kept, const RungeKuttaWork<F>& w) {
  const int count = RungeKuttaWork<F>::kColumns * tree.part_dof_count;
  load_block(team, arrays.joint_q, coords, tree.coord_count, w.q0);
  if (arrays.stage > 0) load_block(team, arrays.kept, kept, count, w.kept);
  const runge_kutta::Stage<F> stage{tree, t, acceleration, h, arrays.stage, w};
  team.each(tree.links(), [&](int l) { stage.move_link(l); });
  if (arrays.stage + 1 < kRungeKuttaStages) store_block(team, arrays.kept, kept, count, w.kept);
}

}  // namespace carom::inline CAROM_PRECISION
