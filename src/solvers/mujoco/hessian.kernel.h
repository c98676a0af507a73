// The Hessian M + J^T C J, kept up to date: a block is built again only where a row that touches it changed state, and
// always from M on, so that the numbers do not depend on the way that led to them.
#pragma once

#include "solvers/mujoco/cost.kernel.h"

namespace carom::inline CAROM_PRECISION {

namespace hessian {

// f(row, word, columns) for the blocks left of the diagonal that a slot couples, which may be more than the pattern of
// the mass matrix has: 64 columns after the other.
template <class F, class Function>
CAROM_HD void each_coupling(const RowView& view, RowWork<F>& w, Function f) {
  w.kinds.each([&](auto& kind) CAROM_HD_LAMBDA {
    if constexpr (std::decay_t<decltype(kind)>::kCouplesAnew) {
      const BitSets blocks = kind.blocks(view);
      CAROM_ROLL
      for (int s = 0; s < kind.count(view); ++s) {
        CAROM_ROLL
        for (int word = 0; word < blocks.words; ++word) {
          const std::uint64_t columns = blocks.at(s, word);
          blocks.each_of_words(s, word, blocks.words,
                               [&](int k) CAROM_HD_LAMBDA { f(k, word, columns & BitSets::below(k, word)); });
        }
      }
    }
  });
}

}  // namespace hessian

// The pattern of this step: that of the mass matrix, unless contacts couple more.
template <class F, class Team>
CAROM_HD_STAGE void find_pattern(Team team, const RowView& view, RowWork<F>& w) {
  const BitSets known = view.pattern.coupled;
  bool covered = true;
  hessian::each_coupling(view, w, [&](int k, int word, std::uint64_t columns) CAROM_HD_LAMBDA {
    covered = covered && !(columns & ~known.at(k, word));
  });
  team.note([&] { w.pattern = covered ? view.pattern : w.own_pattern; });
  team.each(1, [&](int) {
    if (covered) return;
    const BitSets coupled = w.own_pattern.coupled;
    for (int i = 0; i < coupled.words * coupled.count; ++i) coupled.word[i] = known.word[i];
    hessian::each_coupling(
        view, w, [&](int k, int word, std::uint64_t columns) CAROM_HD_LAMBDA { coupled.at(k, word) |= columns; });
    build_pattern(w.own_pattern);
  });
}

namespace hessian {

// Columns of row k that changed rows touch, 64 of them.
template <class F>
CAROM_HD std::uint64_t stale_columns(const RowView& view, RowWork<F>& w, int k, int word) {
  std::uint64_t stale = 0;
  w.kinds.each([&](auto& kind) CAROM_HD_LAMBDA {
    const BitSets blocks = kind.blocks(view);
    kind.each_at(view, k, [&](int s) CAROM_HD_LAMBDA {
      if (kind.changed[s] && blocks.has(s, k)) stale |= blocks.at(s, word);
    });
  });
  return stale;
}

// By block, as a team shares them.
template <class F, class Team>
CAROM_HD void mark_blocks(Team team, const RowView& view, RowWork<F>& w, bool first) {
  team.each(view.blocks(), [&](int k) {
    const int last = BitSets::word_of(k);
    CAROM_ROLL
    for (int word = last; word >= 0; --word) {
      const std::uint64_t diagonal = word == last ? BitSets::bit_of(k) : 0;
      w.stale.at(k, word) = first ? w.pattern.coupled.at(k, word) | diagonal
                                  : stale_columns(view, w, k, word) & (BitSets::below(k, word) | diagonal);
    }
  });
}
// By row, of worlds whose blocks fit one word: a thread alone looks at every row once, and few of them changed.
template <class F>
CAROM_HD void mark_blocks_of_rows(const RowView& view, RowWork<F>& w) {
  CAROM_ROLL
  for (int k = 0; k < view.blocks(); ++k) w.stale.at(k, 0) = 0;
  w.kinds.each([&](auto& kind) CAROM_HD_LAMBDA {
    const BitSets blocks = kind.blocks(view);
    CAROM_ROLL
    for (int s = 0; s < kind.count(view); ++s) {
      if (!kind.changed[s]) continue;
      const std::uint64_t columns = blocks.at(s, 0);
      each_bit(columns, [&](int k) CAROM_HD_LAMBDA {
        w.stale.at(k, 0) |= columns & (BitSets::below(k, 0) | BitSets::bit_of(k));
      });
    }
  });
}

}  // namespace hessian

// Marks the blocks of H that rows which changed state touch.
template <class F, class Team>
CAROM_HD_STAGE void mark_stale(Team team, const RowView& view, RowWork<F>& w, bool first) {
  if (Team::size() == 1 && w.stale.words == 1 && !first) hessian::mark_blocks_of_rows(view, w);
  else hessian::mark_blocks(team, view, w, first);
  w.kinds.each([&](auto& kind) CAROM_HD_LAMBDA { kind.weigh(team, view); });
}

// Builds the stale blocks of H again. M has no blocks but those of its own pattern.
template <class F, class Team>
CAROM_HD_STAGE void rebuild_hessian(Team team, const RowView& view, RowWork<F>& w, const BitSets& coupled_by_mass,
                                    const Mat33T<F>* M) {
  const auto rebuild = [&](int k, int i) {
    // Adding zero turns -0 into +0, so that lanes which skip a sum of zeros and lanes which do not agree.
    Mat33T<F> sum{};
    if (k == i || coupled_by_mass.has(k, i)) sum = M[block_index(k, i)] + sum;
    w.kinds.each([&](auto& kind) CAROM_HD_LAMBDA { kind.add_hessian(view, k, i, sum); });
    w.H[block_index(k, i)] = sum;
  };
  if constexpr (Team::size() == 1) {
    team.each(view.blocks(),
              [&](int k) { w.stale.each_of_words(k, 0, BitSets::word_of(k) + 1, [&](int i) { rebuild(k, i); }); });
  } else {
    each_pair(team, view.blocks(), [&](int k, int i) {
      if (w.stale.has(k, i)) rebuild(k, i);
    });
  }
}

}  // namespace carom::inline CAROM_PRECISION
