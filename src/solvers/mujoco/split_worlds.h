// SplitWorlds: what a step needs beside its plans when large worlds were taken apart (docs/decisions/0011). On the CPU.
#pragma once

#include <vector>

#include "solvers/mujoco/islands.h"
#include "solvers/mujoco/plan.h"

namespace carom::inline CAROM_PRECISION {

struct SplitWorlds {
  Islands islands;                // of the last step that began
  std::vector<MuJoCoStep> steps;  // of each plan, without room for contacts; filled by whoever sends the step

  SplitWorlds() = default;
  SplitWorlds(const Model& model, const Parts& parts, const std::vector<MuJoCoPlan>& plans);

  bool any() const { return !part_start_.empty(); }

  // Keeps the state, finds the islands. given: contacts by world; returned: by part or island.
  ContactView begin(const State& state, const ContactView& given, int contact_count);
  // Steps the islands.
  void send_islands(const Queue& queue, const ContactView& contacts);
  // Reports of worlds from those of their parts; a world that stops being finite keeps the state that was kept.
  void send_reports(const Queue& queue, const ReportView& of_parts, const ContactView& given,
                    const ReportView& of_worlds, const StepOutput& out) const;

 private:
  Array<int> part_start_, coord_start_, dof_start_;  // of each world
  std::vector<int> plan_of_part_, chain_blocks_;
  std::vector<std::int64_t> memory_start_;
  Array<char> memory_;
  Array<Real> kept_q_, kept_qd_, kept_qdd_;
};

}  // namespace carom::inline CAROM_PRECISION
