// Friction without slip (no_slip.kernel.h) in an island: a contact moves the parts that it touches, and no other.
#pragma once

#include "solvers/mujoco/island_problem.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct IslandDofs {
  using Number = Real;
  IslandWork& w;

  CAROM_HD auto& contacts() const { return w.contacts; }
  CAROM_HD bool has_rows() const { return w.has_rows; }
  CAROM_HD const Vec3* acceleration() const { return w.acceleration; }
  template <class Function>
  CAROM_HD void each_kind(Function f) const {
    IslandProblem{w}.each_kind(f);
  }
  template <class Function>
  CAROM_HD void each_part(Function f) const {
    for (const IslandPart& part : w.parts) f(dofs_of(part));
  }

  // In the order in which they were found, whatever they resist.
  template <class Sweep>
  CAROM_HD void sweep_contacts(Real& gain, Sweep sweep) const {
    auto& sliding = w.contacts.sliding;
    auto& turning = w.contacts.turning;
    const int slides = sliding.list.count, turns = turning.list.count;
    for (int s = 0, t = 0; s < slides || t < turns;) {
      const bool slides_next = t == turns || (s < slides && sliding.list.source[s] < turning.list.source[t]);
      if (slides_next) gain += sweep(sliding, s++);
      else gain += sweep(turning, t++);
    }
  }

  template <class Team, class Kind>
  CAROM_HD void respond(Team team, const Kind& kind, int c, int k, int i) const {
    each_touched(kind, c, [&](const PartDofs<Real>& part, int side) CAROM_HD_LAMBDA {
      Vec3* const u = part.vector(i);
      team.each(part.view.blocks(), [&](int b) { u[b] = {}; });
      team.each(1, [&](int) {  // both sides may be of one block
        kind.J.each_of_part(c, side, [&](int b, const auto& J) CAROM_HD_LAMBDA { u[b] += friction::part(J, k); });
      });
      solve_blocks(team, part.mass_pattern, part.factor, u);
    });
  }
  template <class Team, class Kind>
  CAROM_HD Real accelerated(Team, const Kind& kind, int c, int k) const {
    return along(kind, c, k, [](const PartDofs<Real>& part) CAROM_HD_LAMBDA { return part.w.acceleration; });
  }
  template <class Team, class Kind>
  CAROM_HD Real responded(Team, const Kind& kind, int c, int k, int i) const {
    return along(kind, c, k, [&](const PartDofs<Real>& part) CAROM_HD_LAMBDA { return part.vector(i); });
  }
  template <class Team, class Kind>
  CAROM_HD void follow(Team team, const Kind& kind, int c, int i, Real change) const {
    each_touched(kind, c, [&](const PartDofs<Real>& part, int) CAROM_HD_LAMBDA { part.accelerate(team, i, change); });
  }
  template <class Team>
  CAROM_HD void gather_forces(Team team) const {
    IslandProblem{w}.gather_forces(team);
  }

 private:
  CAROM_HD static PartDofs<Real> dofs_of(const IslandPart& part) {
    return {part.rows(), part.step->tree.mass_pattern, part.factor(), part.work->rows, part.work->spare};
  }
  // f(part, side) for the parts that contact c touches.
  template <class Kind, class Function>
  CAROM_HD void each_touched(const Kind& kind, int c, Function f) const {
    for (int side = 0; side < 2; ++side)
      if (const int part = kind.J.sides[2 * c + side].part; part >= 0 && !(side == 1 && kind.J.is_within(c)))
        f(dofs_of(w.parts[part]), side);
  }
  // J v; vector_of(part): its piece of v. All threads take the sum: it is short.
  template <class Kind, class Vectors>
  CAROM_HD Real along(const Kind& kind, int c, int k, Vectors vector_of) const {
    Real sum = 0;
    each_touched(kind, c, [&](const PartDofs<Real>& part, int side) CAROM_HD_LAMBDA {
      const Vec3* const v = vector_of(part);
      kind.J.each_of_part(c, side,
                          [&](int b, const auto& J) CAROM_HD_LAMBDA { sum += dot(friction::part(J, k), v[b]); });
    });
    return sum;
  }
};

// After the solve.
template <class Team>
CAROM_HD_STAGE void remove_slip(Team team, IslandWork& w, const ModelOptions& options) {
  const IslandProblem problem{w};
  if (!w.factor)  // H stands in the place of M
    problem.each_part(team, [&](const IslandPart& part) CAROM_HD_LAMBDA {
      factor_blocks(Solo{}, part.step->tree.mass_pattern, part.work->tree.M, part.factor());
    });
  const IslandDofs dofs{w};
  NoSlip<IslandDofs>{dofs, Real(1) / problem.trace(team)}.sweep(team, options.noslip_iterations,
                                                                options.noslip_tolerance);
}

}  // namespace carom::inline CAROM_PRECISION
