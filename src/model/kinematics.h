// Forward and inverse kinematics as parts of a larger sequence, and what keeps joint coordinates and body poses in
// line: sent to the queue, not waited for.
#pragma once

#include "carom/model.h"
#include "model/ik.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Bodies where joint_q and joint_qd put them. When these are the state's own, its sides are in line afterwards, and
// marked as such. worlds: of the archetype, on the model's device; they stay alive until the queue is done.
void send_fk(const Queue& queue, const Model& model, const Archetype& archetype, const Array<int>& worlds,
             const Array<Real>& joint_q, const Array<Real>& joint_qd, const State& state);
// Those of all worlds where the state's own joints put them. Of several steps in one call only the last one needs
// velocities, and sides that are marked as in line. worlds: of each archetype, likewise; empty: all.
void send_fk(const Queue& queue, const Model& model, const State& state, bool last,
             std::span<const Array<int>> worlds = {});
// The sides of the state are in line as they are: what a solver in maximal coordinates says, whose joints give way.
void send_mark_aligned(const Queue& queue, const Model& model, const State& state);
EvalIk ik_kernel(const Model& model, const State& state, const Array<Real>& joint_q, const Array<Real>& joint_qd);

// Model::align() for all worlds. status: bits per world, then of the globals, if they are wanted.
void send_align(const Queue& queue, const Model& model, const State& state, const Array<std::int32_t>& status = {});
// Adds those bits to others, of as many worlds.
void send_add_status(const Queue& queue, const Array<std::int32_t>& from, const Array<std::int32_t>& to);
// Poses from joint coordinates alone: worlds with bodies that were written are left for a later align.
void send_poses_of_joints(const Queue& queue, const Model& model, const State& state);
// At once, on the host, for one world and the globals of a model on the CPU.
void align_world(const Model& model, const State& state, int world);

// After the columns of a model have changed: joint_frames anew, and the initial poses.
void align_initial_state(const Model& model);

}  // namespace carom::inline CAROM_PRECISION
