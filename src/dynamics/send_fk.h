// Forward kinematics as one part of a larger sequence: sent to the queue, not waited for.
#pragma once

#include "carom/model.h"
#include "carom/queue.h"

namespace carom::inline CAROM_PRECISION {

// worlds: of the archetype, on the model's device; they stay alive until the queue is done.
void send_fk(const Queue& queue, const Model& model, const Archetype& archetype, const Array<int>& worlds,
             const Array<Real>& joint_q, const Array<Real>& joint_qd, const State& state);

}  // namespace carom::inline CAROM_PRECISION
