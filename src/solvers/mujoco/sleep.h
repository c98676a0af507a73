// Sleep: the arrays of SleepView, and the launches before and after a step (sleep.kernel.h).
#pragma once

#include <vector>

#include "model/host_model.h"
#include "solvers/mujoco/sleep.kernel.h"
#include "solvers/mujoco/split_worlds.h"

namespace carom::inline CAROM_PRECISION {

class Sleep {
 public:
  Sleep() = default;
  // part_start: parts of each world; body_part: of each body.
  Sleep(const Model& model, const std::vector<int>& part_start, const Array<int>& body_part);

  bool any() const { return !part_start_.empty(); }
  const int* part_asleep() const { return any() ? part_asleep_.data() : nullptr; }

  // Before contacts are looked for: what was written to, which the state says then.
  void wake_written(const Queue& queue, const Model& model, const State& state, const Control& control,
                    const ReportView& of_parts) const;
  // contacts: by world.
  void wake(const Queue& queue, const Model& model, const State& in, const Control& control,
            const ContactView& contacts, const ReportView& of_parts) const;
  // What is not stepped is the same in the state that the step leads to; before the step writes to it.
  void keep(const Queue& queue, const State& in, const State& out) const;
  void put_to_sleep(const Queue& queue, const Model& model, const State& in, const Control& control,
                    const SplitWorlds& split, const ReportView& of_parts, const State& out) const;

 private:
  SleepView view() const;

  Array<SleepTree> tree_;
  Array<SleepJoint> joint_;
  Array<int> part_start_, tree_start_, first_body_, body_, tree_of_body_;
  Array<int> value_, scratch_, part_asleep_, is_ready_, last_;
};

}  // namespace carom::inline CAROM_PRECISION
