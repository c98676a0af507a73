// Few blocks of rows in row space (row_space.kernel.h), of pyramids and rows that never pull, as many as the compiler
// knows: their numbers stand in registers and at known places of the stack instead of memory that is found by pointers.
// Every thread of a team has all of them and does all of the work. Same operations, in the same order, as for RowSpace,
// and so the same bits.
#pragma once

#include <type_traits>
#include <utility>

#include "solvers/mujoco/row_space_matrix.kernel.h"

namespace carom::inline CAROM_PRECISION {

namespace row_space {

inline constexpr int kMostSmall = 5;  // blocks: those of six would go through memory anyway

// Who works on them: teams on a GPU, where every look into memory is a wait. On the CPU three blocks and more gain
// nothing, and take the compiler as long as everything else.
template <class Team>
inline constexpr int kMostSmallOf = std::is_same_v<Team, Solo> ? 2
                                    : Team::size() <= 8        ? kMostSmall
                                                               : 0;

}  // namespace row_space

// Blocks of contacts with friction, then of rows with one direction.
template <class F, int N>
struct SmallRowSpace {
  using Number = F;
  using Set = std::uint32_t;  // of blocks

  int first_single;
  MaskOf<F> lanes;
  Vec3T<F> law[N], root_D[N];  // D, mu and the root of D of a contact; D of three rows, and their roots
  Set touched[N], before[N], after[N];
  Mat33T<F> A[block_total(N)], S[block_total(N)];
  Vec3T<F> x0[N], x[N], y[N], lambda[N], target[N], step[N], rest[N];
  PairedRoot<F> G[N];

  CAROM_HD void load(const RowSpace<F>& from) {
    first_single = from.first_single;
    lanes = from.lanes;
    each(Solo{}, [&](int i) CAROM_HD_LAMBDA {
      if (i < first_single) {
        const friction::Law<F, false>& of_contact = from.sliding.law[i];
        law[i] = {of_contact.D, of_contact.mu, of_contact.root_D};
        root_D[i] = {};
      } else {
        law[i] = from.singles.D[i - first_single], root_D[i] = from.singles.root_D[i - first_single];
      }
      touched[i] = static_cast<Set>(from.touched[i]);
      before[i] = static_cast<Set>(from.before[i]), after[i] = static_cast<Set>(from.after[i]);
      x0[i] = from.x0[i], x[i] = from.x[i];
      each_before(i + 1, touched[i], [&](int j) CAROM_HD_LAMBDA { A[block_index(i, j)] = from.A[block_index(i, j)]; });
    });
  }
  CAROM_HD void store(RowSpace<F>& to) const {
    each(Solo{}, [&](int i) CAROM_HD_LAMBDA { to.x[i] = x[i], to.lambda[i] = lambda[i], to.rest[i] = rest[i]; });
  }

  CAROM_HD friction::Law<F, false> sliding(int i) const { return {law[i].x, law[i].z, law[i].y, F(0), F(0)}; }
  CAROM_HD SingleLaw<F> single(int i) const { return {law[i], root_D[i]}; }

  // -- As in RowSpace.

  static constexpr bool kHasTies = false, kHasOffsets = false;

  template <class Team>
  CAROM_HD static Solo workers(Team) {
    return {};
  }
  template <class Team, class Function>
  CAROM_HD static void each(Team, Function f) {
    each_upwards(f);
  }
  template <class Function>
  CAROM_HD static void each_upwards(Function f) {
    each_number(f, std::make_integer_sequence<int, N>{});
  }
  template <class Function>
  CAROM_HD static void each_downwards(Function f) {
    each_upwards([&](int i) CAROM_HD_LAMBDA { f(N - 1 - i); });
  }
  template <class Function>
  CAROM_HD static void each_before(int i, Set set, Function f) {
    each_upwards([&](int j) CAROM_HD_LAMBDA {
      if (j < i && (set >> j & 1)) f(j);
    });
  }
  template <class Function>
  CAROM_HD static void each_after(int i, Set set, Function f) {
    each_upwards([&](int j) CAROM_HD_LAMBDA {
      if (j > i && (set >> j & 1)) f(j);
    });
  }

  // -- Sums, in the order of Solo::sum(): of the contacts, and of the other rows counted from the first of them.

  template <class Function>
  CAROM_HD auto sum_sliding(Function f) const {
    using V = std::decay_t<decltype(f(0))>;
    V value[N];
    each_upwards([&](int i) CAROM_HD_LAMBDA { value[i] = i < first_single ? V{} + f(i) : V{}; });
    return sum(value);
  }
  template <class Function>
  CAROM_HD auto sum_singles(Function f) const {
    using V = std::decay_t<decltype(f(0))>;
    V value[N];
    each_upwards([&](int i) CAROM_HD_LAMBDA { value[i] = i < first_single ? V{} : V{} + f(i); });
    each_upwards([&](int contact) CAROM_HD_LAMBDA {
      if (contact >= first_single) return;
      each_upwards([&](int i) CAROM_HD_LAMBDA { value[i] = i + 1 < N ? value[i + 1 < N ? i + 1 : i] : V{}; });
    });
    return sum(value);
  }

 private:
  // A loop whose numbers the compiler knows for certain.
  template <class Function, int... I>
  CAROM_HD static void each_number(Function f, std::integer_sequence<int, I...>) {
    (f(I), ...);
  }

  template <class V>
  CAROM_HD static V sum(const V (&v)[N]) {
    static_assert(N <= 8);
    const auto pair = [&](int i) CAROM_HD_LAMBDA {  // N - 1: some number that is there
      return i + 4 < N ? v[i < N ? i : N - 1] + v[i + 4 < N ? i + 4 : N - 1] : v[i < N ? i : N - 1];
    };
    if constexpr (N == 1) return pair(0);
    else if constexpr (N == 2) return pair(0) + pair(1);
    else if constexpr (N == 3) return (pair(0) + pair(2)) + pair(1);
    else return (pair(0) + pair(2)) + (pair(1) + pair(3));
  }
};

// As RowSpaceProblem.
template <class F, int N>
struct SmallProblem {
  using Number = F;
  const RowSpaceProblem<F>& whole;
  SmallRowSpace<F, N>& s;

  // The kinds; a slot is the number of its block.
  struct Sliding {
    const SmallRowSpace<F, N>& s;
    CAROM_HD F cost(int i) const { return pyramid::cost<F, false>(s.sliding(i), s.x[i]); }
    CAROM_HD Vec3T<F> force_at(int i) const { return pyramid::force<F, false>(s.sliding(i), s.x[i]); }
    CAROM_HD PairedRoot<F> root_at(int i) const { return pyramid::root(s.sliding(i), s.x[i]); }
    CAROM_HD SlopeT<F> slope(int i, F alpha) const {
      return pyramid::slope<F, false>(s.sliding(i), s.x[i], s.y[i], alpha);
    }
    template <class Team, class Function>
    CAROM_HD auto sum(Team, const RowView&, Function f) const {
      return s.sum_sliding(f);
    }
  };
  struct Singles {
    const SmallRowSpace<F, N>& s;
    CAROM_HD F cost(int i) const { return s.single(i).cost(s.x[i]); }
    CAROM_HD Vec3T<F> force_at(int i) const { return s.single(i).force(s.x[i]); }
    CAROM_HD PairedRoot<F> root_at(int i) const { return s.single(i).root(s.x[i]); }
    CAROM_HD SlopeT<F> slope(int i, F alpha) const { return s.single(i).slope(s.x[i], s.y[i], alpha); }
    template <class Team, class Function>
    CAROM_HD auto sum(Team, const RowView&, Function f) const {
      return s.sum_singles(f);
    }
  };

  template <class Function>
  CAROM_HD void each_kind(Function f) const {
    const Sliding sliding{s};
    const Singles singles{s};
    f(sliding, whole.view);
    f(singles, whole.view);
  }
  template <class Team, class Function>
  CAROM_HD void each_slot(Team, Function f) const {
    const Sliding sliding{s};
    const Singles singles{s};
    s.each_upwards([&](int i) CAROM_HD_LAMBDA {
      if (i < s.first_single) f(sliding, i, i);
      else f(singles, i, i);
    });
  }
  template <class Team, class Function>
  CAROM_HD auto sum_blocks(Team, Function f) const {
    return s.sum_sliding(f) + s.sum_singles(f);
  }
};

}  // namespace carom::inline CAROM_PRECISION
