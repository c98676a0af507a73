// What a tendon adds to the mass matrix, or to what takes its place in an implicit step: c J^T J, as far as the matrix
// has entries. Degrees of freedom of two branches stay apart there, as in MuJoCo, but for the integrator Discrete,
// whose pattern couples them.
#pragma once

#include "dynamics/tree.h"
#include "solvers/mujoco/rows/row_view.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
CAROM_HD F& mass_entry(const TreeWork<F>& t, int i, int j) {
  return t.M[block_index(i / 3, j / 3)][i % 3][j % 3];
}

// Whether M has an entry for two degrees of freedom, j <= i: one moves the other.
CAROM_HD bool are_coupled(const TreeView& tree, int i, int j) {
  for (int a = tree.ancestor_start[i]; a < tree.ancestor_start[i + 1]; ++a)
    if (tree.ancestor[a] == j) return true;
  return false;
}

// J: coef at the entries first to first + count - 1. apart: branches stay so.
template <class F>
CAROM_HD void add_tendon_matrix(const TreeView& tree, const TreeWork<F>& t, F c, Span<const JointEntry> entries,
                                const F* coef, int first, int count, bool apart = true) {
  const auto each = [&](auto f) CAROM_HD_LAMBDA {
    CAROM_ROLL
    for (int e = first; e < first + count; ++e) f(e, entries[e].dof);
  };
  each([&](int e, int i) CAROM_HD_LAMBDA {
    const F share = c * coef[e];
    each([&](int o, int j) CAROM_HD_LAMBDA {
      if (j > i || (apart && !are_coupled(tree, i, j))) return;
      F& below = mass_entry(t, i, j);
      below = fma(share, coef[o], below);
      if (j < i && i / 3 == j / 3) mass_entry(t, j, i) = below;
    });
  });
}

}  // namespace carom::inline CAROM_PRECISION
