// The reports of a world's parts as one, and the last good state of a world in which some part stops being finite: the
// others stop with it.
#pragma once

#include "backend/launch.h"
#include "solvers/mujoco/step_output.h"

namespace carom::inline CAROM_PRECISION {

// Over all parts: those that sleep have nothing to report.
struct ClearReports {
  const int* asleep;  // of each part
  ReportView of_part;

  CAROM_HD void operator()(int p) const {
    if (!asleep[p]) return;
    const ReportView& r = of_part;
    r.status[p] = r.contacts[p] = r.rows[p] = r.iterations[p] = r.needed[p] = r.frictional[p] = r.padded[p] = 0;
    r.residual[p] = 0;
  }
};

struct GatherParts {
  Span<const int> part_start;  // of each world
  ReportView of_part;
  const int* contact_start;  // of each world; nullptr: there are no contacts
  ReportView report;

  // The state before the step, and where it is written; nullptr: nothing moved.
  Span<const int> coord_start, dof_start, act_start, history_start, tendon_start;
  const Real *saved_q, *saved_qd, *saved_qdd, *saved_act, *saved_history;
  Real *joint_q, *joint_qd, *joint_qdd, *act, *ctrl_history;
  SpringShifts<const Real> saved_springs;  // nullptr: none yields
  SpringShifts<Real> springs;

  CAROM_HD void operator()(int world) const {
    std::int32_t status = 0, rows = 0, frictional = 0, padded = 0, iterations = 0, needed = 0;
    Real residual = 0;
    const auto most = [](auto a, auto b) CAROM_HD_LAMBDA { return a > b ? a : b; };
    for (int p = part_start[world]; p < part_start[world + 1]; ++p) {
      status |= of_part.status[p];
      rows += of_part.rows[p];
      frictional += of_part.frictional[p];
      padded += of_part.padded[p];
      iterations = most(iterations, of_part.iterations[p]);
      needed = most(needed, of_part.needed[p]);
      residual = most(residual, of_part.residual[p]);
    }
    report.status[world] = status;
    report.contacts[world] = contact_start ? contact_start[world + 1] - contact_start[world] : 0;
    report.rows[world] = rows;
    report.frictional[world] = frictional;
    report.padded[world] = padded;
    report.iterations[world] = iterations;
    report.needed[world] = needed;
    report.residual[world] = residual;
    if (!(status & kStatusNotFinite) || !joint_q) return;
    for (int i = coord_start[world]; i < coord_start[world + 1]; ++i) joint_q[i] = saved_q[i];
    for (int i = dof_start[world]; i < dof_start[world + 1]; ++i)
      joint_qd[i] = saved_qd[i], joint_qdd[i] = saved_qdd[i];
    for (int i = act_start[world]; i < act_start[world + 1]; ++i) act[i] = saved_act[i];
    for (int i = history_start[world]; i < history_start[world + 1]; ++i) ctrl_history[i] = saved_history[i];
    if (saved_springs.joint)
      for (int i = dof_start[world]; i < dof_start[world + 1]; ++i) springs.joint[i] = saved_springs.joint[i];
    if (saved_springs.tendon)
      for (int i = 2 * tendon_start[world]; i < 2 * tendon_start[world + 1]; ++i)
        springs.tendon[i] = saved_springs.tendon[i];
  }
};

}  // namespace carom::inline CAROM_PRECISION
