// PlanSource: what plans read of a model on its device, and which worlds hold something that is not a number.
#pragma once

#include <array>
#include <vector>

#include "solvers/mujoco/pack_parts.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Whether rows of parameters are made from this column.
bool is_packed(const ColumnInfo& info);

struct PlanSource {
  Model model;
  TreeColumns tree;
  RowColumns rows;
  Array<int> listed_bodies;           // Parts::bodies
  Array<std::uint8_t> tendon_sensed;  // per tendon: a sensor reads its length or velocity
  Array<ColumnWords> packed;          // columns that rows of parameters are made from
  Array<std::uint8_t> nan;            // of each world (of slot 0 for a model without), then of what worlds share

  // bodies: Parts::bodies.
  explicit PlanSource(const Model& model, const std::vector<int>& bodies = {});

  int world_slots() const { return static_cast<int>(nan.size()) - 1; }
  // Looks for what is not a number in these slots, and returns those for which the answer is another one now.
  std::vector<int> find_nans(const Queue& queue, const std::vector<int>& slots);

 private:
  std::array<Array<int>, kEntityCount> start_;  // of the worlds
  Array<RealColumn> read_;                      // columns that a step reads, itself or through contacts
};

}  // namespace carom::inline CAROM_PRECISION
