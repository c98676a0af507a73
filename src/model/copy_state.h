// Copies of states and controls as parts of a larger sequence: sent to a queue, not waited for. What they cost grows
// with the rows that they copy, not with the model.
#pragma once

#include "carom/model.h"

namespace carom::inline CAROM_PRECISION {

// The worlds whose mask is set, and -1 for the globals, on the device of the model. Throws Error for a mask of the
// wrong length. The list stays alive until the queue is done.
Array<int> chosen_worlds(const char* who, const std::shared_ptr<const WorldLayout>& owner,
                         std::span<const std::uint8_t> mask);

// The initial state, in all worlds or in the listed ones.
void send_reset(const Queue& queue, const Model& model, const State& state);
void send_reset(const Queue& queue, const Model& model, const State& state, const Array<int>& worlds);

// What the sensors of the listed worlds remember.
void send_sensor_memory(const Queue& queue, const State& from, const State& to, const Array<int>& worlds);

// What steps write of bodies and joints, actuators and springs, and who sleeps: where the states do not share it.
void send_moved(const Queue& queue, const State& from, const State& to);

State send_clone(const Queue& queue, const State& state);
Control send_clone(const Queue& queue, const Control& control);
void send_assign(const Queue& queue, const State& to, const State& from);
void send_assign(const Queue& queue, const Control& to, const Control& from);

}  // namespace carom::inline CAROM_PRECISION
