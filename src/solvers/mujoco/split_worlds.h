// SplitWorlds: what a step needs beside its plans when large worlds were taken apart (docs/decisions/0011). Nothing but
// launches: on a GPU nobody waits for what they find.
#pragma once

#include <vector>

#include "backend/graph.h"
#include "solvers/mujoco/island_step.kernel.h"
#include "solvers/mujoco/islands.h"
#include "solvers/mujoco/plan.h"

namespace carom::inline CAROM_PRECISION {

class SplitWorlds {
 public:
  SplitWorlds() = default;
  SplitWorlds(const Model& model, const Parts& parts, const std::vector<MuJoCoPlan>& plans);

  bool any() const { return islands_.parts() > 0; }
  // Of every part, see IslandView; nullptr where no world is split.
  const int* island_size() const { return any() ? islands_.view().size : nullptr; }

  // Keeps the state, finds the islands. given: contacts by world, no more than `room`; returned: by part or island.
  // saves: the state is the last good one. asleep: see WorldEdges.
  ContactView begin(const Queue& queue, const State& state, const ContactView& given, std::int64_t room, bool saves,
                    const int* asleep = nullptr);
  // Keeps the step of a plan, without room for contacts.
  void keep_step(const Queue& queue, std::size_t plan, const MuJoCoStep& step);
  // The step of the islands, with memory for it, once all plans are kept; a kernel over all parts.
  IslandStep island_step(const Queue& queue, const ContactView& contacts, const NewtonOptions& newton);
  // Reports of worlds from those of their parts; a world that stops being finite keeps the state that was kept.
  void send_reports(const Queue& queue, const ReportView& of_parts, const ContactView& given,
                    const ReportView& of_worlds, const StepOutput& out) const;
  // What begin() saved, and the root of each part's island.
  const Real* saved_q() const { return kept_q_.data(); }
  const int* island_root() const { return islands_.view().root; }
  void add_to(GraphKey& key) const { key.add(memory_); }

  // What the islands of the last step needed, on the CPU, and what they may need of a step with so many contacts, of
  // which the host knows no more: then there is room for all, and none is ever left out [bytes].
  std::int64_t memory_used(const Queue& queue) const;
  std::int64_t most_memory(ContactTraits traits, std::int64_t contacts) const;

 private:
  Islands islands_;
  Array<int> coord_start_, dof_start_, act_start_, history_start_, tendon_start_;  // of each world
  Array<int> plan_of_part_, chain_blocks_;
  std::vector<int> parts_of_plan_;
  std::vector<std::int64_t> most_bytes_;              // of a part of each plan
  std::int64_t most_pair_ = 0, pairs_of_worlds_ = 0;  // blocks of the largest pair, and of all that may be
  int most_chain_ = 0;
  Array<MuJoCoStep> steps_;  // of each plan
  Array<int> memory_units_, memory_start_;
  Array<char> memory_;
  ScanScratch scan_;
  Array<Real> kept_q_, kept_qd_, kept_qdd_, kept_act_, kept_history_, kept_joint_springs_;
  Array<RealN<2>> kept_tendon_springs_;
};

}  // namespace carom::inline CAROM_PRECISION
