// RowRecords: where forward() writes what the slots of all rows did, and those that act as arrays.
#pragma once

#include "solvers/mujoco/plan.h"

namespace carom::inline CAROM_PRECISION {

struct RowRecords {
  Array<RowRecord> contact, joint;
  Array<int> joint_row_start;  // of each part

  RowRecords(const std::vector<MuJoCoPlan>& plans, int parts, std::int64_t contacts, Device device);
  ConstraintRows collect(const std::vector<MuJoCoPlan>& plans) const;
};

}  // namespace carom::inline CAROM_PRECISION
