// What a step will read of the parts that a thread takes next. They stand anywhere in the arrays, sorted by their
// contacts, so that no cache guesses them; a group takes far longer than they need to arrive. For the CPU.
#pragma once

#include "backend/fetch_rows.h"
#include "solvers/mujoco/step.kernel.h"

#if !defined(__CUDACC__)

namespace carom::inline CAROM_PRECISION {

// Called before the group in front of theirs (backend/cpu/loops.h).
template <class F>
CAROM_HD void fetch_ahead(const MuJoCoStep& k, WorldIds<F> ids) {
  constexpr int W = ScalarTraits<F>::kWidth;
  const auto fetch = [&](const Real* column, Span<const int> start, int count, int each = 1) CAROM_HD_LAMBDA {
    if (count == 0) return;
    for (int l = 0; l < W; ++l) fetch_rows(column + std::int64_t{start[ids[l]]} * each, count * each);
  };
  fetch(k.joint_q, k.starts.coord, k.tree.coord_count);
  for (const Real* column : {k.joint_qd, k.joint_qdd, k.joint_f}) fetch(column, k.starts.dof, k.tree.part_dof_count);
  fetch(k.ctrl, k.starts.ctrl, k.forces.ctrls);
  if (k.is_runge_kutta() && k.runge_kutta.stage > 0) {
    fetch(k.runge_kutta.joint_q, k.starts.coord, k.tree.coord_count);
    fetch(k.runge_kutta.kept, k.starts.dof, k.tree.part_dof_count, RungeKuttaWork<F>::kColumns);
  }
  if (!k.body_row) fetch(k.body_f, k.starts.body, static_cast<int>(k.body_link.size), 6);
  if (k.lane_params == nullptr)
    for (int l = 0; l < W; ++l) fetch_rows(k.params + k.starts.params_row[ids[l]] * k.params_stride, k.layout.total);
  const ContactView& contacts = k.contacts;
  if (contacts.order) return;
  for (int l = 0; l < W; ++l) {
    const int first = contacts.begin(ids[l]), count = contacts.end(ids[l]) - first;
    if (count == 0) continue;
    for (const Vec3* column : {contacts.point, contacts.normal, contacts.tangent}) fetch_rows(column + first, count);
    fetch_rows(contacts.depth + first, count);
    fetch_rows(contacts.material + first, count);
  }
}

}  // namespace carom::inline CAROM_PRECISION

#endif  // !defined(__CUDACC__)
