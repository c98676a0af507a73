// MuJoCoPlan: everything of an archetype that a step needs, with the numbers of its worlds packed for the kernel.
#pragma once

#include "collide/pair_plan.h"
#include "dynamics/tree_plan.h"
#include "sim/mujoco_step.kernel.h"
#include "solvers/mujoco/row_plan.h"

namespace carom::inline CAROM_PRECISION {

struct MuJoCoPlan {
  TreePlan tree;
  PairPlan pairs;
  RowPlan rows;
  ParamLayout layout;
  Array<int> body_link;
  std::vector<int> worlds;
  bool global;  // of a model without worlds

  // Parameters of every world, or one row for all when they are the same.
  Array<Real> params;
  std::int64_t params_stride = 0;

  MuJoCoPlan(const HostModel& host, const PairFilter& filter, const Archetype& archetype);

  // dt: time constants of contacts are never shorter than two steps.
  void pack(const HostModel& host, const Archetype& archetype, Real dt);

 private:
  void pack_world(const HostModel& host, const Archetype& archetype, int world, Real dt, bool is_nan, Real* row) const;
};

// Throws Error for parts of a model that the solver does not know, with their names.
void check_supported(const HostModel& host);

}  // namespace carom::inline CAROM_PRECISION
