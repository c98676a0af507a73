// What is remembered of the last step, as kernels see it (memory.h).
#pragma once

#include "backend/world_lanes.h"
#include "dynamics/tree_io.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct MemoryView {
  int room;  // for contacts of a world
  int *count, *shape0, *shape1, *feature;
  Vec3 *force, *torque;
  Real* joint;
  Real *body_q, *body_qd;

  CAROM_HD std::int64_t first(int world) const { return std::int64_t{world} * room; }

  // The row of a contact among those from `from` on, which are sorted as contacts are, or of what comes behind it.
  CAROM_HD std::int64_t find(int world, std::int64_t from, int a, int b, int f) const {
    const std::int64_t end = first(world) + count[world];
    while (from < end && comes_before(from, a, b, f)) ++from;
    return from;
  }
  CAROM_HD bool is(int world, std::int64_t row, int a, int b, int f) const {
    return row < first(world) + count[world] && shape0[row] == a && shape1[row] == b && feature[row] == f;
  }
  CAROM_HD void move(std::int64_t from, std::int64_t to) const {
    shape0[to] = shape0[from], shape1[to] = shape1[from], feature[to] = feature[from];
    force[to] = force[from], torque[to] = torque[from];
  }
  CAROM_HD bool comes_before(std::int64_t row, int a, int b, int f) const {
    if (shape0[row] != a) return shape0[row] < a;
    if (shape1[row] != b) return shape1[row] < b;
    return feature[row] < f;
  }
};

// Whether the bodies of a part are just as they were left.
template <class Team>
CAROM_HD_FREE bool goes_on(Team team, const MemoryView& memory, const Real* body_q, const Real* body_qd, int first,
                           int bodies) {
  int different = 0;
  for (int k = team.rank(); k < 7 * bodies; k += team.size()) {
    const std::int64_t at = std::int64_t{7} * first + k;
    different |= memory.body_q[at] != body_q[at];
  }
  for (int k = team.rank(); k < 6 * bodies; k += team.size()) {
    const std::int64_t at = std::int64_t{6} * first + k;
    different |= memory.body_qd[at] != body_qd[at];
  }
  return !team.any(different != 0);
}

}  // namespace carom::inline CAROM_PRECISION
