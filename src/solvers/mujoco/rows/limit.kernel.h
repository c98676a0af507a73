// Rows of joint and tendon limits. Position of a slot: sum of coef * coordinate over its entries, so that its Jacobian
// is known beforehand; there is a slot for every limited joint and tendon.
#pragma once

#include "solvers/mujoco/impedance.kernel.h"
#include "solvers/mujoco/rows/one_sided.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct LimitRange {
  F lower, upper, margin;  // [m] or [rad]
};
template <class F>
struct LimitParams {
  LimitRange<F> range;
  F solref[2];
  F impedance[5];
  F inverse_mass;  // J M^-1 J^T at the initial pose
};

// The nearer end of a range.
template <class F>
struct LimitGap {
  F distance;  // to it
  MaskOf<F> at_lower;
};
// coef, q: of an entry, and a coordinate, by []
template <class F, class Coefs, class Coords>
CAROM_HD LimitGap<F> limit_gap(const RowView& view, int s, const LimitRange<F>& p, const Coefs& coef, const Coords& q) {
  const LimitSlot& slot = view.limit[s];
  F position{};
  CAROM_ROLL
  for (int e = slot.first_entry; e < slot.first_entry + slot.entry_count; ++e)
    position = fma(coef[e], q[view.limit_entry[e].q], position);
  const F far = p.margin + F(1);  // a side that is not this slot's
  const F low = slot.side == LimitSide::kUpper ? far : position - p.lower;
  const F high = slot.side == LimitSide::kLower ? far : p.upper - position;
  const auto at_lower = low <= high;
  return {select(at_lower, low, high), at_lower};
}

template <class F>
struct LimitRows {
  static constexpr RowKind kKind = RowKind::kJointLimit;  // or of a tendon: the slot says
  static constexpr bool kCouplesAnew = false;             // its blocks are in RowView::pattern

  int first_block = 0;  // of the part, in the vectors of what is solved
  const LimitParams<F>* params;
  const F* coef;  // per entry
  F* sign;        // +1 at a lower limit, -1 at an upper one, 0 apart from both
  F *D, *aref, *x, *y, *force, *weight;
  std::uint8_t* changed;  // state, since H was built
  F* diagonal;            // what slots with one entry add to H, per degree of freedom

  CAROM_HD int count(const RowView& view) const { return view.limits(); }

  CAROM_HD void take(Arena& arena, const RowView& view) {
    const int n = view.limits();
    first_block = 0;
    sign = arena.take<F>(n), D = arena.take<F>(n), aref = arena.take<F>(n);
    x = arena.take<F>(n), y = arena.take<F>(n), force = arena.take<F>(n), weight = arena.take<F>(n);
    changed = arena.take<std::uint8_t>(n);
    diagonal = arena.take<F>(3 * view.blocks());
  }

  template <class Team>
  CAROM_HD_FREE void make(Team team, const RowView& view, const RowInput<F>& in) {
    team.each(view.limits(), [&](int s) {
      const LimitParams<F>& p = params[s];
      const auto [distance, at_lower] = limit_gap(view, s, p.range, coef, in.work.q);
      const auto active = distance < p.range.margin;
      if (!any(active)) {  // as most are
        sign[s] = D[s] = aref[s] = F(0);
        return;
      }
      sign[s] = select(active, select(at_lower, F(1), F(-1)), F(0));
      const F r = distance - p.range.margin;
      const F d = impedance(p.impedance, r);
      const ReferenceNumbers<F> reference = reference_numbers(p.solref[0], p.solref[1], p.impedance[1], in.dt);
      D[s] = select(active, stiffness_of_row(d, p.inverse_mass), F(0));
      const F speed = product(view, s, in.work.qd - first_block);
      aref[s] = select(active, -fma(reference.damping, speed, reference.stiffness * d * r), F(0));
    });
  }

  // -- One slot.

  CAROM_HD F edges(int) const { return F(1); }  // rows of MuJoCo's that it stands for
  // sign * sum of coef * v over its entries.
  CAROM_HD F product(const RowView& view, int s, const Vec3T<F>* v) const {
    const LimitSlot& slot = view.limit[s];
    v += first_block;
    F sum = coef[slot.first_entry] * entry(v, view.limit_entry[slot.first_entry].dof);
    CAROM_ROLL
    for (int e = slot.first_entry + 1; e < slot.first_entry + slot.entry_count; ++e)
      sum = fma(coef[e], entry(v, view.limit_entry[e].dof), sum);
    return sign[s] * sum;
  }
  CAROM_HD F cost(int s) const { return one_sided::cost(D[s], x[s]); }
  CAROM_HD F force_at(int s) const { return one_sided::force(D[s], x[s]); }
  CAROM_HD F weight_at(int s) const { return one_sided::weight(D[s], x[s]); }
  CAROM_HD SlopeT<F> slope(int s, F alpha) const { return one_sided::slope(D[s], x[s], y[s], alpha); }
  CAROM_HD static bool differ(F a, F b) { return any(a != b); }
  CAROM_HD BitSets blocks(const RowView& view) const { return view.limit_blocks; }

  // -- All slots.

  // The sum of f(slot) by joints and tendons. A slot exists when any world of the archetype needs it: in a sum over
  // slots the limits of other worlds would change the order of a world's own.
  template <class Team, class Function>
  CAROM_HD auto sum(Team team, const RowView& view, Function f) const {
    return team.sum(static_cast<int>(view.place_start.size) - 1, [&](int place) {
      decltype(f(0)) total{};
      for (int s = view.place_start[place]; s < view.place_start[place + 1]; ++s) total = total + f(s);
      return total;
    });
  }

  // f(slot) for those that may touch a block.
  template <class Function>
  CAROM_HD void each_at(const RowView& view, int b, Function f) const {
    CAROM_ROLL
    for (int at = view.dof_limit_start[3 * b]; at < view.dof_limit_start[3 * b + 3]; ++at) f(view.dof_limit[at][0]);
  }

  // sum += J^T force, block b
  CAROM_HD void add_force(const RowView& view, int b, Vec3T<F>& sum) const {
    CAROM_ROLL
    for (int i = 3 * b; i < 3 * b + 3; ++i) {
      CAROM_ROLL
      for (int at = view.dof_limit_start[i]; at < view.dof_limit_start[i + 1]; ++at) {
        const auto [slot, e] = view.dof_limit[at];
        sum[i % 3] = fma(coef[e] * sign[slot], force[slot], sum[i % 3]);
      }
    }
  }

  // After weights changed, before add_hessian().
  template <class Team>
  CAROM_HD void weigh(Team team, const RowView& view) const {
    team.each(3 * view.blocks(), [&](int i) {
      F total{};
      CAROM_ROLL
      for (int at = view.dof_limit_start[i]; at < view.dof_limit_start[i + 1]; ++at) {
        const int slot = view.dof_limit[at][0];
        if (slot < view.single_limits) {
          const F c = coef[view.dof_limit[at][1]];
          total = fma(c * c, weight[slot], total);
        }
      }
      diagonal[i] = total;
    });
  }

  // sum += block (k, i) of J^T weight J
  CAROM_HD void add_hessian(const RowView& view, int k, int i, Mat33T<F>& sum) const {
    if (k == i)
      for (int d = 0; d < 3; ++d) sum[d][d] += diagonal[3 * k + d];
    CAROM_ROLL
    for (int s = view.single_limits; s < view.limits(); ++s) {
      if (!view.limit_blocks.has_both(s, k, i)) continue;
      const LimitSlot& slot = view.limit[s];
      CAROM_ROLL
      for (int e = slot.first_entry; e < slot.first_entry + slot.entry_count; ++e) {
        CAROM_ROLL
        for (int g = slot.first_entry; g < slot.first_entry + slot.entry_count; ++g) {
          const int row = view.limit_entry[e].dof, column = view.limit_entry[g].dof;
          if (row / 3 != k || column / 3 != i) continue;
          sum[row % 3][column % 3] = fma(coef[e] * coef[g], weight[s], sum[row % 3][column % 3]);
        }
      }
    }
  }
};

}  // namespace carom::inline CAROM_PRECISION
