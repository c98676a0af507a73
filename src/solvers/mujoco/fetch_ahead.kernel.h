// What a step will read of the parts that a thread takes next. They stand anywhere in the arrays, sorted by their
// contacts, so that no cache guesses them; a group takes far longer than they need to arrive. For the CPU.
#pragma once

#include "solvers/mujoco/step.kernel.h"

#if !defined(__CUDACC__)

namespace carom::inline CAROM_PRECISION {

template <class T>
CAROM_HD void fetch_rows(const T* first, std::int64_t count) {
  constexpr std::uintptr_t kLine = 64;  // [bytes]
  constexpr int kSecondCache = 2;       // the first one is worked in meanwhile, and takes fewer requests at once
  const auto end = reinterpret_cast<std::uintptr_t>(first + count);
  for (auto at = reinterpret_cast<std::uintptr_t>(first) & ~(kLine - 1); at < end; at += kLine)
    __builtin_prefetch(reinterpret_cast<const void*>(at), 0, kSecondCache);
}

// Called before the group in front of theirs (backend/cpu/loops.h).
template <class F>
CAROM_HD void fetch_ahead(const MuJoCoStep& k, WorldIds<F> ids) {
  const int dofs = k.tree.part_dof_count, bodies = static_cast<int>(k.body_link.size);
  for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) {
    const int part = ids[l], dof = k.starts.dof[part];
    fetch_rows(k.joint_q + k.starts.coord[part], k.tree.coord_count);
    for (const Real* column : {k.joint_qd, k.joint_qdd, k.joint_f}) fetch_rows(column + dof, dofs);
    fetch_rows(k.ctrl + k.starts.actuator[part], k.forces.actuator.size);
    if (!k.body_row) fetch_rows(k.body_f + 6 * std::int64_t{k.starts.body[part]}, 6 * bodies);
    if (k.lane_params == nullptr) fetch_rows(k.params + k.starts.params_row[part] * k.params_stride, k.layout.total);
    const ContactView& contacts = k.contacts;
    const int first = contacts.begin(part), count = contacts.end(part) - first;
    if (count == 0 || contacts.order) continue;
    for (const Vec3* column : {contacts.point, contacts.normal, contacts.tangent}) fetch_rows(column + first, count);
    fetch_rows(contacts.depth + first, count);
    fetch_rows(contacts.material + first, count);
  }
}

}  // namespace carom::inline CAROM_PRECISION

#endif  // !defined(__CUDACC__)
