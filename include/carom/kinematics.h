// From joint coordinates to body poses and back, for all worlds of a model at once.
//
// Every joint of every world takes part, in an articulation or not. Velocity convention: carom/math/spatial.h.
#pragma once

#include <cstdint>
#include <vector>

#include "carom/model.h"
#include "carom/queue.h"

namespace carom::inline CAROM_PRECISION {

// Poses and twists of all bodies from joint coordinates and velocities; bodies without a joint keep theirs. With
// coordinates that are not the state's own this writes its body side alone: see Model::align.
// mask: as in State::copy_worlds; empty = all worlds.
void eval_fk(const Model& model, const Array<Real>& joint_q, const Array<Real>& joint_qd, const State& state,
             std::span<const std::uint8_t> mask = {}, const Queue* queue = nullptr);

// The inverse: joint coordinates and velocities from poses and twists. Motion that a joint does not allow is dropped.
void eval_ik(const Model& model, const State& state, const Array<Real>& joint_q, const Array<Real>& joint_qd,
             std::span<const std::uint8_t> mask = {}, const Queue* queue = nullptr);

// d(body twist)/d(joint_qd) of every world: rows are the world's bodies times six (velocity of the centre of mass,
// angular velocity), columns its degrees of freedom, row by row.
struct Jacobian {
  std::shared_ptr<const WorldLayout> layout;  // of the model that it is made for
  Array<Real> values;
  std::vector<std::int64_t> start;  // first value of each world, then of the globals, then the total
  std::vector<int> rows, cols;      // per world, then of the globals

  // One world's matrix, rows[world] x cols[world]; -1 = the globals, whose bodies and degrees of freedom are numbered
  // in the order in which they stand in the model.
  Array<Real> world(int world) const;

  // The same on the device, for the kernel.
  Array<std::int64_t> device_start;
  Array<int> device_cols, global_row, global_col;
};
Jacobian make_jacobian(const Model& model);
void eval_jacobian(const Model& model, const State& state, const Jacobian& jacobian, const Queue* queue = nullptr);

}  // namespace carom::inline CAROM_PRECISION
