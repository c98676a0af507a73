// Sleep: the arrays of SleepView, and the launches before and after a step (sleep.kernel.h).
#pragma once

#include <vector>

#include "carom/contacts.h"
#include "carom/queue.h"
#include "dynamics/parts.h"
#include "dynamics/sleep.kernel.h"
#include "model/active_worlds.h"

namespace carom::inline CAROM_PRECISION {

// Throws Error for a model that says something else than when it was built, with the solver's name.
void check_sleep(const char* solver, const Model& model);

// The part of each body, -1 = it does not move.
Array<int> parts_of_bodies(const Model& model, const Parts& parts);

class Sleep {
 public:
  Sleep() = default;
  // part_start: parts of each world; body_part: of each body.
  Sleep(const Model& model, const std::vector<int>& part_start, const Array<int>& body_part);

  bool any() const { return !part_start_.empty(); }
  // Other worlds sleep on as they are.
  void set_active(const ActiveWorlds& active) { left_out_ = active.left_out<int>(part_start_.device()); }
  SleepView view() const;
  const int* part_asleep() const { return any() ? part_asleep_.data() : nullptr; }
  // On the CPU, once wake() has run.
  bool is_world_asleep(int world) const { return world_asleep_[world] != 0; }

  // Before contacts are looked for: what was written to, which the state says then.
  void wake_written(const Queue& queue, const State& state, const Control& control) const;
  void wake(const Queue& queue, const State& in, const Control& control, const Touches& touches) const;
  // What is not stepped is the same in the state that the step leads to; before the step writes to it.
  void keep(const Queue& queue, const State& in, const State& out) const;
  // The islands of what touches: the root of each part's.
  const int* join(const Queue& queue, const Touches& touches) const;
  void choose(const Queue& queue, const Model& model, const State& in, const Control& control, const int* root) const;
  // After the step; status: of each world; rest_q: joint coordinates of what fell asleep.
  void put_to_sleep(const Queue& queue, const Array<std::int32_t>& status, const Real* rest_q, const State& out) const;

 private:
  int worlds() const { return static_cast<int>(part_start_.size()) - 1; }

  Array<SleepTree> tree_;
  Array<SleepJoint> joint_;
  Array<int> part_start_, tree_start_, first_body_, body_, tree_of_body_;
  Array<int> value_, scratch_, part_asleep_, world_asleep_, root_, is_ready_, last_, left_out_;
};

}  // namespace carom::inline CAROM_PRECISION
