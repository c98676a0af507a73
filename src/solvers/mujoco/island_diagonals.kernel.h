// Exact diagonals (exact_diagonals.kernel.h) of the contacts of an island: the sum of what both sides have, each from
// the mass matrix of its own part. A side whose part is the other one's, too, counts for both.
#pragma once

#include "solvers/mujoco/island_problem.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct IslandDiagonals {
  IslandWork& w;
  const ContactView& contacts;
  const int* shape_type;

  // Before H is factored in the place of M.
  template <class Team>
  CAROM_HD_STAGE void take(Team team) const {
    const IslandProblem problem{w};
    problem.each_contact(team, [&](auto& kind, int c) CAROM_HD_LAMBDA {
      for (int side = 0; side < 2; ++side)
        if (problem.is_own(team, kind.J.sides[2 * c + side].part))
          kind.J.sides[2 * c + side].diagonal = side == 1 && kind.J.is_within(c) ? Real(0) : find(kind, c, side);
    });
    w.contacts.each([&](auto& kind) CAROM_HD_LAMBDA {
      team.each(kind.list.count, [&](int c) {
        kind.take_diagonal(contacts, c, kind.J.sides[2 * c].diagonal + kind.J.sides[2 * c + 1].diagonal);
      });
    });
  }

 private:
  template <class Kind>
  CAROM_HD Real find(const Kind& kind, int c, int side) const {
    const IslandPart& part = w.parts[kind.J.sides[2 * c + side].part];
    const Real turned = rows::side_of<Real>(contacts, shape_type, kind.list.template of_slot<Real>(c));
    Vec3* const u = part.work->spare;
    const auto each_row = [&](auto f) CAROM_HD_LAMBDA {
      kind.J.each_of_part(c, side, [&](int b, const auto& J) CAROM_HD_LAMBDA { f(b, kind.first_row(c, J, turned)); });
    };
    for (int b = 0; b < part.blocks(); ++b) u[b] = {};
    each_row([&](int b, Vec3 row) CAROM_HD_LAMBDA { u[b] += row; });
    const Mat33* const factor = part.step->is_discrete() ? part.work->discrete.backbone : part.factor();
    solve_blocks(Solo{}, part.step->tree.mass_pattern, factor, u);
    Real sum = 0;
    each_row([&](int b, Vec3 row) CAROM_HD_LAMBDA { sum += dot(row, u[b]); });
    return sum;
  }
};

}  // namespace carom::inline CAROM_PRECISION
