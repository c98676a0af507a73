// The mass matrix of every world, in the order of joint_qd, row by row: tree_dynamics.kernel.h fills it in blocks,
// along the ancestors of each degree of freedom; here it gets its zeros.
#pragma once

#include "dynamics/tree_input.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct EvalMassMatrix : TreeKernel<EvalMassMatrix> {
  template <class F>
  using Work = TreeInputWork<F>;

  Span<const std::int64_t> value_start;  // of each world
  Real* values;

  template <class F>
  CAROM_HD void take(Arena& arena, Work<F>& w) const {
    take_tree_mass(arena, in.tree, w.tree);
  }

  template <class Team, class F>
  CAROM_HD_FREE void eval(Team team, const WorldIds<F>& ids, TreeInputWork<F>& w) const {
    in.begin(team, ids, w);
    team.each(in.tree.links(), [&](int l) { w.tree.wrench[l] = {}; });
    gather_subtrees(team, in.tree, w.tree);
    fill_mass_matrix(team, in.tree, w.tree);
    store_rows_of_matrix(team, ids, w);
  }

 private:
  template <class Team, class F>
  CAROM_HD_FREE void store_rows_of_matrix(Team team, const WorldIds<F>& ids, const TreeInputWork<F>& w) const {
    const int n = in.tree.part_dof_count;
    const Offsets<F> at = offsets(ids);
    team.each(n * n, [&](int k) { store(values, at, k, F(0)); });
    team.each(in.tree.dofs(), [&](int i) {
      const int row = in.tree.dof_in_part[i];
      if (row < 0) return;
      CAROM_ROLL
      for (int a = in.tree.ancestor_start[i]; a < in.tree.ancestor_start[i + 1]; ++a) {
        const int j = in.tree.ancestor[a], col = in.tree.dof_in_part[j];
        const F value = w.tree.M[block_index(i / 3, j / 3)][i % 3][j % 3] + F(0);  // no -0, as in DofColumns::store()
        store(values, at, row * n + col, value);
        store(values, at, col * n + row, value);
      }
    });
  }
  template <class F>
  CAROM_HD Offsets<F> offsets(const WorldIds<F>& ids) const {
    Offsets<F> at;
    if constexpr (PlainNumber<F>) {
      at.start = value_start[in.world_of[ids[0]]];
    } else {
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) at.start[l] = value_start[in.world_of[ids[l]]];
    }
    return at;
  }
};

}  // namespace carom::inline CAROM_PRECISION
