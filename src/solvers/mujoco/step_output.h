// What a step writes beside the state and the forces of contacts: a report of every part, and on request the
// quantities in between.
#pragma once

#include "backend/ticks.h"
#include "carom/math.h"
#include "carom/solver_mujoco.h"

namespace carom::inline CAROM_PRECISION {

// One slot of a kind of rows. kNone: it does not act.
struct RowRecord {
  RowKind kind;
  Real D;
  SpatialVector reference, residual, force;
};

struct ForwardSlots {
  Real* mass_matrix;                             // nullptr: not wanted
  const std::int64_t *mass_start, *mass_stride;  // of each part
  Real *bias, *smooth_force, *qacc_smooth, *qacc, *constraint_force;
  Real* actuator_length;
  const std::int64_t* actuator_start;  // of each part
  RowRecord *contact_row, *joint_row;  // by contact, and by joint row from joint_row_start of the part on
  const int* joint_row_start;
};

// The arrays of SolverForces that sensors of the model ask for; nullptr: none does.
struct SensedView {
  Real *actuator_length, *actuator_velocity, *actuator_force;
  Real *tendon_length, *tendon_velocity;
  Real *joint_actuator_force, *joint_limit_force, *tendon_limit_force;
  Real *equality_force, *equality_point1, *equality_point2;  // 6, 3 and 3 numbers of each

  CAROM_HD bool has_smooth() const { return actuator_force || tendon_length || joint_actuator_force; }
  CAROM_HD bool has_limits() const { return joint_limit_force || tendon_limit_force; }
};

// The arrays of SolverReports.
struct ReportView {
  std::int32_t *status, *contacts, *rows, *iterations, *needed, *frictional, *padded;
  Real* residual;
};
inline ReportView report_view(const SolverReports& r) {
  return {r.status.data(), r.contacts.data(),   r.rows.data(),   r.iterations.data(),
          r.needed.data(), r.frictional.data(), r.padded.data(), r.residual.data()};
}

// Of a state: where springs have become relaxed, from where the model says; by degree of freedom, and two by tendon.
template <class Number>
struct SpringShifts {
  Number *joint, *tendon;
};

struct StepOutput {
  Real *joint_q, *joint_qd, *joint_qdd, *act, *ctrl_history;
  SpringShifts<Real> spring_shifts;
  ReportView report;
  ForwardSlots forward;
  SensedView sensed;
  std::int64_t* stage_ticks;  // per part and stage; nullptr: not wanted
};

enum class Stage : int { kKinematics, kMassMatrix, kSmooth, kRows, kSolve, kEuler };
inline constexpr int kStageCount = 6;

// Adds the time since the last lap to a stage of a part.
struct StageClock {
  std::int64_t* at;
  std::int64_t last = 0;

  CAROM_HD StageClock(std::int64_t* stage_ticks, int part, bool active)
      : at(active && stage_ticks ? stage_ticks + std::int64_t{part} * kStageCount : nullptr) {
    if (at) last = ticks();
  }
  CAROM_HD void lap(Stage stage) {
    if (!at) return;
    const std::int64_t now = ticks();
    at[static_cast<int>(stage)] += now - last;
    last = now;
  }
};

}  // namespace carom::inline CAROM_PRECISION
