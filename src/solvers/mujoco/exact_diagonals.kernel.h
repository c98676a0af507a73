// Regularisation by the diagonal of J M^-1 J^T as it is now, in place of that of the initial pose (MuJoCo's diagexact).
// A contact in a cone takes that of its normal, one in a pyramid that of its first edge; the rest follows from it.
// Which edge is the first depends on which shape is (side_of).
#pragma once

#include "solvers/mujoco/rows/row_work.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct ExactDiagonals {
  const RowView& view;
  const ContactView& contacts;
  const BlockPattern& mass_pattern;
  const Mat33T<F>* factor;  // of M
  Vec3T<F>* room;           // a vector
  const int* shape_type;

  template <class Team>
  CAROM_HD_STAGE void take(Team team, RowKinds<F>& kinds) const {
    CAROM_ROLL
    for (int s = 0; s < view.joint_rows(); ++s) {
      if (!kinds.joint.acts(s)) continue;
      const F diagonal = find(team, [&](int b) CAROM_HD_LAMBDA { return kinds.joint.row_at(view, s, b); });
      team.each(1, [&](int) { kinds.joint.take_diagonal(view, s, diagonal); });
    }
    kinds.contacts.each([&](auto& kind) CAROM_HD_LAMBDA {
      CAROM_ROLL
      for (int c = 0; c < kind.list.count; ++c) {
        const F side = rows::side_of<F>(contacts, shape_type, kind.list.template of_slot<F>(c));
        const F diagonal = find(team, [&](int b) CAROM_HD_LAMBDA {
          return kind.J.touches(c, b) ? kind.first_row(c, kind.J.block[c * view.blocks() + b], side) : Vec3T<F>{};
        });
        team.each(1, [&](int) { kind.take_diagonal(contacts, c, diagonal); });
      }
    });
  }

 private:
  // row(block): of J
  template <class Team, class Row>
  CAROM_HD F find(Team team, Row row) const {
    team.each(view.blocks(), [&](int b) { room[b] = row(b); });
    solve_blocks(team, mass_pattern, factor, room);
    return team.sum(view.blocks(), [&](int b) { return dot(row(b), room[b]); });
  }
};

}  // namespace carom::inline CAROM_PRECISION
