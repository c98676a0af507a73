// What a step will read of the worlds that a thread takes next: more than a cache guesses in time. For the CPU.
#pragma once

#include "backend/fetch_rows.h"
#include "solvers/semi_implicit/step.kernel.h"

#if !defined(__CUDACC__)

namespace carom::inline CAROM_PRECISION {

// Called before the group in front of theirs (backend/cpu/loops.h). Worlds that do not follow each other, as those of
// several kinds, are read when it is their turn.
template <class F>
CAROM_HD void fetch_ahead(const SemiImplicitStep& k, WorldIds<F> ids) {
  constexpr int W = ScalarTraits<F>::kWidth;
  const MaximalWorlds& m = k.maximal;
  if (ids[W - 1] - ids[0] != W - 1) return;
  const int bodies = W * static_cast<int>(m.body_link.size), dofs = W * m.tree.part_dof_count;
  const std::int64_t body = m.body_rows(ids[0], 0), dof = m.dof_start[ids[0]];
  fetch_rows(m.body_q + 7 * body, 7 * bodies);
  for (const Real* column : {m.body_qd, m.body_f}) fetch_rows(column + 6 * body, 6 * bodies);
  for (const Real* column : {m.joint_f, m.target_pos, m.target_vel}) fetch_rows(column + dof, dofs);
  const ContactColumns& c = k.contacts;
  const int first = c.begin(m.world_of[ids[0]]), last = m.world_of[ids[W - 1]];
  const int contacts = c.begin(last) + c.count(last) - first;
  if (contacts <= 0) return;
  for (const Vec3* column : {c.point, c.normal, c.tangent}) fetch_rows(column + first, contacts);
  for (const int* column : {c.shape0, c.shape1}) fetch_rows(column + first, contacts);
  fetch_rows(c.depth + first, contacts);
}

}  // namespace carom::inline CAROM_PRECISION

#endif  // !defined(__CUDACC__)
