// The reports of a world's parts as one, and the last good state of a world in which some part stops being finite: the
// others stop with it.
#pragma once

#include "backend/launch.h"
#include "carom/solver_mujoco.h"

namespace carom::inline CAROM_PRECISION {

struct GatherParts {
  Span<const int> part_start;  // of each world
  const WorldReport* of_part;
  const int* contact_start;  // of each world; nullptr: there are no contacts
  WorldReport* report;

  // The state before the step, and where it is written; nullptr: nothing moved.
  Span<const int> coord_start, dof_start;
  const Real *saved_q, *saved_qd, *saved_qdd;
  Real *joint_q, *joint_qd, *joint_qdd;

  CAROM_HD void operator()(int world) const {
    WorldReport sum{};
    for (int p = part_start[world]; p < part_start[world + 1]; ++p) {
      const WorldReport& r = of_part[p];
      sum.status |= r.status;
      sum.rows += r.rows;
      sum.frictional += r.frictional;
      sum.padded += r.padded;
      sum.iterations = sum.iterations > r.iterations ? sum.iterations : r.iterations;
      sum.needed = sum.needed > r.needed ? sum.needed : r.needed;
      sum.residual = max(sum.residual, r.residual);
    }
    if (contact_start) sum.contacts = contact_start[world + 1] - contact_start[world];
    report[world] = sum;
    if (!(sum.status & kStatusNotFinite) || !joint_q) return;
    for (int i = coord_start[world]; i < coord_start[world + 1]; ++i) joint_q[i] = saved_q[i];
    for (int i = dof_start[world]; i < dof_start[world + 1]; ++i)
      joint_qd[i] = saved_qd[i], joint_qdd[i] = saved_qdd[i];
  }
};

}  // namespace carom::inline CAROM_PRECISION
