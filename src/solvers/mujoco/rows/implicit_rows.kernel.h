// Rows of the integrator Discrete, which push as they will at the end of the step: in place of R and a_ref they have
//
//   s = 1 + h B + h^2 K d,   R' = R A' / (A s),   a_ref' = -(B J v + K d (r + h J v)) / s
//
// A' / A: how much less a row moves what it pushes, now that springs and servos hold it; by the diagonals of M, and of
// what takes its place. No row is harder than one with d = 0.9999. A contact or a limit whose time constant is too
// short for the step, h^2 K d > 1, takes K = 1 / (h^2 d), and no more damping than the hardest row leaves room for.
#pragma once

#include "dynamics/tree.h"
#include "model/joints/joints.kernel.h"
#include "solvers/mujoco/impedance.kernel.h"

namespace carom::inline CAROM_PRECISION {

// 1 / the diagonal of M, and of what takes its place, per degree of freedom; of joints that turn about three axes at
// once along those of the child, as MuJoCo counts them.
template <class F>
struct Diagonals {
  Vec3T<F>*bare, *held;
};

template <class F>
struct ImplicitRows {
  bool acts = false;  // otherwise: any other integrator
  bool refsafe = false, diagexact = false;
  F h{};
  Diagonals<F> diagonal{};
  const int* shape_type = nullptr;
};

template <class F>
struct ImplicitLaw {
  F h, stiffness, damping, s;  // K d, B

  // softens: whose K and B may give way to the step
  CAROM_HD ImplicitLaw(const ImplicitRows<F>& in, const ReferenceNumbers<F>& given, F d, MaskOf<F> softens) : h(in.h) {
    const F most = F(1) / (h * h * d);
    const auto soft = softens && given.stiffness > most;
    stiffness = select(soft, most, given.stiffness) * d;
    damping = given.damping * select(soft, sqrt(most / select(soft, given.stiffness, F(1))), F(1));
    damping = select(soft, min(damping, max((hardest(d) - F(2)) / h, F(0))), damping);
    s = fma(h, fma(h, stiffness, damping), F(1));
  }
  CAROM_HD F reference(F r, F speed, F bias) const {
    return -(fma(fma(h, stiffness, damping), speed, fma(stiffness, r, bias))) / s;
  }
  // R over R', for the same diagonal.
  CAROM_HD F stiffening(F d) const { return min(s, hardest(d)); }

 private:
  // R over that of the hardest row.
  CAROM_HD static F hardest(F d) {
    constexpr Real kLeast = Real(1e-4) / Real(0.9999);
    return (F(1) - d) / d / F(kLeast);
  }
};

// A and A' of a row.
template <class F>
struct RowMobility {
  const TreeView& tree;
  const TreeWork<F>& t;
  Diagonals<F> diagonal;
  F bare{}, held{};

  // at(dof): entry of the row, for the degrees of freedom of a block, and where these turn at once of the next one.
  template <class Entry>
  CAROM_HD void add_block(int b, Entry at) {
    CAROM_ROLL
    for (int dof = 3 * b; dof < 3 * b + 3; ++dof) {
      if (tree.dof_link[dof] < 0) continue;
      const TreeLink& link = tree.link[tree.dof_link[dof]];
      const int first = link.dof + link.linear;
      if (!turns_at_once(link.type) || dof < first) {
        add(dof, at(dof));
      } else if (dof == first) {
        const Vec3T<F> given{at(dof), at(dof + 1), at(dof + 2)};
        const Vec3T<F> J = rotate(conjugate(BallJoint::turn(t.q + link.q + link.linear)), given);
        for (int i = 0; i < 3; ++i) add(dof + i, J[i]);
      }
    }
  }
  CAROM_HD F ratio() const {
    const auto moves = bare > F(0);
    return select(moves, held / select(moves, bare, F(1)), F(1));
  }
  // That of two sides together.
  CAROM_HD void add(const RowMobility& other) { bare += other.bare, held += other.held; }

 private:
  CAROM_HD void add(int dof, F j) {
    bare = fma(j * j, entry(diagonal.bare, dof), bare);
    held = fma(j * j, entry(diagonal.held, dof), held);
  }
};

}  // namespace carom::inline CAROM_PRECISION
