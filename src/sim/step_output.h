// What a step writes beside the state: a report of every world, its contacts, and on request the quantities in between.
#pragma once

#include "backend/ticks.h"
#include "carom/math.h"
#include "carom/solver_mujoco.h"

namespace carom::inline CAROM_PRECISION {

// One contact as the kernel leaves it; Contacts are made from these.
struct SlotContact {
  int shape0, shape1, feature;
  Vec3 point, normal, force;
  Real depth;
};
struct ContactSlots {
  int capacity;  // per world; 0: not wanted
  int* count;
  SlotContact* slot;
};

struct ForwardSlots {
  Real* mass_matrix;  // nullptr: not wanted
  const std::int64_t* mass_matrix_start;
  Real *bias, *smooth_force, *qacc_smooth, *qacc, *constraint_force;
};

struct StepOutput {
  Real *joint_q, *joint_qd, *joint_qdd;
  WorldReport* report;
  ContactSlots contacts;
  ForwardSlots forward;
  std::int64_t* stage_ticks;  // per world and stage; nullptr: not wanted
  bool retry_overflow;        // worlds that need more room write nothing but how much
};

enum class Stage : int { kKinematics, kMassMatrix, kSmooth, kCollide, kRows, kSolve, kEuler };
inline constexpr int kStageCount = 7;

// Adds the time since the last lap to a stage of a world.
struct StageClock {
  std::int64_t* at;
  std::int64_t last = 0;

  CAROM_HD StageClock(std::int64_t* stage_ticks, int world, bool active)
      : at(active && stage_ticks ? stage_ticks + std::int64_t{world < 0 ? 0 : world} * kStageCount : nullptr) {
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
