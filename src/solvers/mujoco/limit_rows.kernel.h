// Rows of joint and tendon limits. Position of a slot: sum of coef * coordinate over its entries.
#pragma once

#include "solvers/mujoco/impedance.kernel.h"
#include "solvers/mujoco/rows.h"

namespace carom::inline CAROM_PRECISION {

namespace rows {

// sign * sum of coef * v over the entries of a slot.
template <class F>
CAROM_HD F limit_product(const RowView& view, const LimitRows<F>& rows, int s, const Vec3T<F>* v) {
  const LimitSlot& slot = view.limit[s];
  F sum = rows.coef[slot.first_entry] * entry(v, view.limit_entry[slot.first_entry].dof);
  CAROM_ROLL
  for (int e = slot.first_entry + 1; e < slot.first_entry + slot.entry_count; ++e)
    sum = fma(rows.coef[e], entry(v, view.limit_entry[e].dof), sum);
  return rows.sign[s] * sum;
}

}  // namespace rows

template <class F, class Team>
CAROM_HD_STAGE void make_limit_rows(Team team, const RowView& view, const F* q, const Vec3T<F>* qd,
                                    const LimitRows<F>& rows, F h) {
  team.each(view.limits(), [&](int s) {
    const LimitSlot& slot = view.limit[s];
    const LimitParams<F>& p = rows.params[s];
    F position{};
    CAROM_ROLL
    for (int e = slot.first_entry; e < slot.first_entry + slot.entry_count; ++e)
      position = fma(rows.coef[e], q[view.limit_entry[e].q], position);
    const F below = position - p.lower, above = p.upper - position;
    const F far = p.margin + F(1);  // a side that is not this slot's
    const F low = slot.side == LimitSide::kUpper ? far : below, high = slot.side == LimitSide::kLower ? far : above;
    const auto at_lower = low <= high;
    const F distance = select(at_lower, low, high);
    const auto active = distance < p.margin;
    rows.sign[s] = select(active, select(at_lower, F(1), F(-1)), F(0));
    const F r = distance - p.margin;
    const F d = impedance(p.impedance, r);
    const ReferenceNumbers<F> reference = reference_numbers(p.solref[0], p.solref[1], p.impedance[1], h);
    rows.D[s] = select(active, stiffness_of_row(d, p.inverse_mass), F(0));
    const F speed = rows::limit_product(view, rows, s, qd);
    rows.aref[s] = select(active, -fma(reference.damping, speed, reference.stiffness * d * r), F(0));
  });
}

}  // namespace carom::inline CAROM_PRECISION
