// The Hessian M + J^T C J, kept up to date: a block is built again only where a row that touches it changed state, and
// always from M on, so that the numbers do not depend on the way that led to them.
#pragma once

#include "solvers/mujoco/cost.kernel.h"

namespace carom::inline CAROM_PRECISION {

namespace hessian {

CAROM_HD constexpr std::uint64_t below(int k) { return (std::uint64_t{1} << k) - 1; }

template <class F>
CAROM_HD bool differs(const ConeWeight<F>& a, const ConeWeight<F>& b) {
  return any(a.n1 != b.n1 || a.n2 != b.n2 || a.d11 != b.d11 || a.d22 != b.d22);
}

template <class F>
CAROM_HD ConeWeight<F> cone_weight(F D, F mu, Vec3T<F> x) {
  const rows::Edges<F> edge(x, mu);
  F w[4];
  for (int i = 0; i < 4; ++i) w[i] = select(edge.e[i] < F(0), D, F(0));
  const F mu2 = mu * mu;
  return {(w[0] + w[1]) + (w[2] + w[3]), mu * (w[0] - w[1]), mu * (w[2] - w[3]), mu2 * (w[0] + w[1]),
          mu2 * (w[2] + w[3])};
}

// C J of one block.
template <class F>
CAROM_HD Mat33T<F> weighted(const ConeWeight<F>& C, const Mat33T<F>& J) {
  return {fma(J.row0, C.nn, fma(J.row1, C.n1, J.row2 * C.n2)), fma(J.row0, C.n1, J.row1 * C.d11),
          fma(J.row0, C.n2, J.row2 * C.d22)};
}

}  // namespace hessian

// The pattern of this step: that of the mass matrix, unless contacts couple more.
template <class F, class Team>
CAROM_HD_STAGE void find_pattern(Team team, const RowView& view, RowWork<F>& w, int blocks) {
  const std::uint64_t* const known = view.pattern.coupled;
  bool covered = true;
  const auto check = [&](std::uint64_t mask) {
    each_bit(mask, [&](int k) CAROM_HD_LAMBDA { covered = covered && !(mask & hessian::below(k) & ~known[k]); });
  };
  CAROM_ROLL
  for (int c = 0; c < w.frictional.count; ++c) check(w.frictional.blocks[c]);
  CAROM_ROLL
  for (int c = 0; c < w.frictionless.count; ++c) check(w.frictionless.blocks[c]);
  team.each(1, [&](int) {
    w.pattern = covered ? view.pattern : w.own_pattern;
    if (covered) return;
    std::uint64_t* const coupled = w.own_pattern.coupled;
    for (int k = 0; k < blocks; ++k) coupled[k] = known[k];
    const auto couple = [&](std::uint64_t mask) {
      each_bit(mask, [&](int k) CAROM_HD_LAMBDA { coupled[k] |= mask & hessian::below(k); });
    };
    CAROM_ROLL
    for (int c = 0; c < w.frictional.count; ++c) couple(w.frictional.blocks[c]);
    CAROM_ROLL
    for (int c = 0; c < w.frictionless.count; ++c) couple(w.frictionless.blocks[c]);
    build_pattern(w.own_pattern);
  });
}

namespace hessian {

// Weights of the rows, and which of them changed.
template <class F, class Team>
CAROM_HD_STAGE bool find_changes(Team team, const RowView& view, const RowWork<F>& w, bool first) {
  bool changed = first;
  const auto note = [&](bool differs) CAROM_HD_LAMBDA {
    changed = changed || differs;
    return static_cast<std::uint8_t>(differs);
  };
  team.each(view.limits(), [&](int s) {
    const F weight = select(w.limit.x[s] < F(0), w.limit.D[s], F(0));
    w.limit.changed[s] = note(first || any(weight != w.limit.weight[s]));
    w.limit.weight[s] = weight;
  });
  team.each(w.frictional.count, [&](int c) {
    const ConeWeight<F> C = cone_weight(w.frictional.D[c], w.frictional.mu[c], w.frictional.x[c]);
    w.frictional.changed[c] = note(first || differs(C, w.frictional.weight[c]));
    w.frictional.weight[c] = C;
  });
  team.each(w.frictionless.count, [&](int c) {
    const F weight = select(w.frictionless.x[c] < F(0), w.frictionless.D[c], F(0));
    w.frictionless.changed[c] = note(first || any(weight != w.frictionless.weight[c]));
    w.frictionless.weight[c] = weight;
  });
  return team.any(changed);
}

// Columns of row k that changed rows touch.
template <class F>
CAROM_HD std::uint64_t stale_columns(const RowView& view, const RowWork<F>& w, int k) {
  std::uint64_t stale = 0;
  const auto add = [&](bool changed, std::uint64_t blocks) CAROM_HD_LAMBDA {
    if (changed && (blocks >> k & 1)) stale |= blocks;
  };
  CAROM_ROLL
  for (int at = view.dof_limit_start[3 * k]; at < view.dof_limit_start[3 * k + 3]; ++at) {
    const int s = view.dof_limit[at][0];
    add(w.limit.changed[s], view.limit[s].blocks);
  }
  CAROM_ROLL
  for (int c = 0; c < w.frictional.count; ++c) add(w.frictional.changed[c], w.frictional.blocks[c]);
  CAROM_ROLL
  for (int c = 0; c < w.frictionless.count; ++c) add(w.frictionless.changed[c], w.frictionless.blocks[c]);
  return stale & (below(k) | std::uint64_t{1} << k);
}

}  // namespace hessian

// Finds the rows that changed state and marks the blocks of H that they touch. Returns whether there are any.
template <class F, class Team>
CAROM_HD_STAGE bool update_weights(Team team, const RowView& view, const RowWork<F>& w, int blocks, bool first) {
  if (!hessian::find_changes(team, view, w, first)) return false;
  team.each(blocks, [&](int k) {
    w.stale[k] = first ? w.pattern.coupled[k] | std::uint64_t{1} << k : hessian::stale_columns(view, w, k);
  });
  team.each(w.frictional.count * blocks, [&](int i) {
    const int c = i / blocks, b = i % blocks;
    if (w.frictional.changed[c] && (w.frictional.blocks[c] >> b & 1))
      w.frictional.CJ[i] = hessian::weighted(w.frictional.weight[c], w.frictional.J[i]);
  });
  team.each(3 * blocks, [&](int i) {
    F sum{};
    CAROM_ROLL
    for (int at = view.dof_limit_start[i]; at < view.dof_limit_start[i + 1]; ++at) {
      const int slot = view.dof_limit[at][0];
      if (slot < view.single_limits) {
        const F coef = w.limit.coef[view.dof_limit[at][1]];
        sum = fma(coef * coef, w.limit.weight[slot], sum);
      }
    }
    w.limit_diagonal[i] = sum;
  });
  return true;
}

namespace hessian {

template <class F>
CAROM_HD void add_tendons(const RowView& view, const LimitRows<F>& limit, int k, int i, Mat33T<F>& sum) {
  CAROM_ROLL
  for (int s = view.single_limits; s < view.limits(); ++s) {
    const LimitSlot& slot = view.limit[s];
    if (!(slot.blocks >> k & 1) || !(slot.blocks >> i & 1)) continue;
    CAROM_ROLL
    for (int e = slot.first_entry; e < slot.first_entry + slot.entry_count; ++e) {
      CAROM_ROLL
      for (int g = slot.first_entry; g < slot.first_entry + slot.entry_count; ++g) {
        const int row = view.limit_entry[e].dof, column = view.limit_entry[g].dof;
        if (row / 3 != k || column / 3 != i) continue;
        sum[row % 3][column % 3] = fma(limit.coef[e] * limit.coef[g], limit.weight[s], sum[row % 3][column % 3]);
      }
    }
  }
}

}  // namespace hessian

// Builds the stale blocks of H again.
template <class F, class Team>
CAROM_HD_STAGE void rebuild_hessian(Team team, const RowView& view, const RowWork<F>& w, const Mat33T<F>* M,
                                    int blocks) {
  const auto rebuild = [&](int k, int i) {
    // Adding zero turns -0 into +0, so that lanes which skip a sum of zeros and lanes which do not agree.
    Mat33T<F> sum = M[block_index(k, i)];
    for (int r = 0; r < 3; ++r) sum[r] = sum[r] + Vec3T<F>{};
    if (k == i)
      for (int d = 0; d < 3; ++d) sum[d][d] += w.limit_diagonal[3 * k + d];
    hessian::add_tendons(view, w.limit, k, i, sum);
    const std::uint64_t both = std::uint64_t{1} << k | std::uint64_t{1} << i;
    CAROM_ROLL
    for (int c = 0; c < w.frictional.count; ++c)
      if ((w.frictional.blocks[c] & both) == both)
        block::add_product(sum, w.frictional.J[c * blocks + k], w.frictional.CJ[c * blocks + i]);
    CAROM_ROLL
    for (int c = 0; c < w.frictionless.count; ++c)
      if ((w.frictionless.blocks[c] & both) == both) {
        const Vec3T<F> J = w.frictionless.J[c * blocks + i] * w.frictionless.weight[c];
        for (int r = 0; r < 3; ++r) sum[r] = fma(J, w.frictionless.J[c * blocks + k][r], sum[r]);
      }
    w.H[block_index(k, i)] = sum;
  };
  if constexpr (Team::size() == 1) {
    team.each(blocks, [&](int k) { each_bit(w.stale[k], [&](int i) { rebuild(k, i); }); });
  } else {
    each_pair(team, blocks, [&](int k, int i) {
      if (w.stale[k] >> i & 1) rebuild(k, i);
    });
  }
}

}  // namespace carom::inline CAROM_PRECISION
