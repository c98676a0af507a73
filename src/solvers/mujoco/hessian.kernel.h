// The Hessian M + J^T C J, kept up to date: a block is built again only where a row that touches it changed state, and
// always from M on, so that the numbers do not depend on the way that led to them.
#pragma once

#include "solvers/mujoco/cost.kernel.h"

namespace carom::inline CAROM_PRECISION {

namespace hessian {

CAROM_HD constexpr std::uint64_t below(int k) { return (std::uint64_t{1} << k) - 1; }

// f(blocks) for every slot that may couple more than the pattern of the mass matrix does.
template <class F, class Function>
CAROM_HD void each_coupling(const RowView& view, RowWork<F>& w, Function f) {
  w.kinds.each([&](auto& kind) CAROM_HD_LAMBDA {
    if constexpr (std::decay_t<decltype(kind)>::kCouplesAnew) {
      CAROM_ROLL
      for (int s = 0; s < kind.count(view); ++s) f(kind.blocks(view, s));
    }
  });
}

}  // namespace hessian

// The pattern of this step: that of the mass matrix, unless contacts couple more.
template <class F, class Team>
CAROM_HD_STAGE void find_pattern(Team team, const RowView& view, RowWork<F>& w) {
  const std::uint64_t* const known = view.pattern.coupled;
  bool covered = true;
  hessian::each_coupling(view, w, [&](std::uint64_t mask) CAROM_HD_LAMBDA {
    each_bit(mask, [&](int k) CAROM_HD_LAMBDA { covered = covered && !(mask & hessian::below(k) & ~known[k]); });
  });
  team.each(1, [&](int) {
    w.pattern = covered ? view.pattern : w.own_pattern;
    if (covered) return;
    std::uint64_t* const coupled = w.own_pattern.coupled;
    for (int k = 0; k < view.blocks(); ++k) coupled[k] = known[k];
    hessian::each_coupling(view, w, [&](std::uint64_t mask) CAROM_HD_LAMBDA {
      each_bit(mask, [&](int k) CAROM_HD_LAMBDA { coupled[k] |= mask & hessian::below(k); });
    });
    build_pattern(w.own_pattern);
  });
}

namespace hessian {

// Columns of row k that changed rows touch.
template <class F>
CAROM_HD std::uint64_t stale_columns(const RowView& view, RowWork<F>& w, int k) {
  std::uint64_t stale = 0;
  w.kinds.each([&](auto& kind) CAROM_HD_LAMBDA {
    kind.each_at(view, k, [&](int s) CAROM_HD_LAMBDA {
      const std::uint64_t blocks = kind.blocks(view, s);
      if (kind.changed[s] && (blocks >> k & 1)) stale |= blocks;
    });
  });
  return stale & (below(k) | std::uint64_t{1} << k);
}

}  // namespace hessian

// Marks the blocks of H that rows which changed state touch.
template <class F, class Team>
CAROM_HD_STAGE void mark_stale(Team team, const RowView& view, RowWork<F>& w, bool first) {
  team.each(view.blocks(), [&](int k) {
    w.stale[k] = first ? w.pattern.coupled[k] | std::uint64_t{1} << k : hessian::stale_columns(view, w, k);
  });
  w.kinds.each([&](auto& kind) CAROM_HD_LAMBDA { kind.weigh(team, view); });
}

// Builds the stale blocks of H again.
template <class F, class Team>
CAROM_HD_STAGE void rebuild_hessian(Team team, const RowView& view, RowWork<F>& w, const Mat33T<F>* M) {
  const auto rebuild = [&](int k, int i) {
    // Adding zero turns -0 into +0, so that lanes which skip a sum of zeros and lanes which do not agree.
    Mat33T<F> sum = M[block_index(k, i)];
    for (int r = 0; r < 3; ++r) sum[r] = sum[r] + Vec3T<F>{};
    w.kinds.each([&](auto& kind) CAROM_HD_LAMBDA { kind.add_hessian(view, k, i, sum); });
    w.H[block_index(k, i)] = sum;
  };
  if constexpr (Team::size() == 1) {
    team.each(view.blocks(), [&](int k) { each_bit(w.stale[k], [&](int i) { rebuild(k, i); }); });
  } else {
    each_pair(team, view.blocks(), [&](int k, int i) {
      if (w.stale[k] >> i & 1) rebuild(k, i);
    });
  }
}

}  // namespace carom::inline CAROM_PRECISION
