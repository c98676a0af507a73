// MuJoCoPlans: the plans of all archetypes of parts of a model, kept up with its edits.
#pragma once

#include <optional>

#include "solvers/mujoco/plan.h"

namespace carom::inline CAROM_PRECISION {

struct MuJoCoPlans {
  std::vector<MuJoCoPlan> plans;
  PartArrays parts;
  int part_count = 0;
  std::vector<int> part_start;  // parts of each world
  BodyNumbers bodies{0};
  Array<ShapeMaterial> shapes;
  ContactPairs pairs;
  ContactTraits traits;
  std::int64_t generation = -1;  // of the model that the plans were made from

  // Brings the plans in line with the model: after an edit of numbers the parts that it changed are packed again, and
  // plans are made again where parts need other rows; all of them where worlds became others. Returns the parts when
  // they were found anew. When it throws, the next call tries again.
  std::optional<Parts> keep_up(const Model& model, const Queue& queue);

 private:
  Parts make_all(const Model& model, const Queue& queue);
  void pack_changed(const Model& model, const Queue& queue, const std::vector<ColumnChange>& changes);

  std::optional<PlanSource> source_;
  std::vector<int> archetypes_;  // of the model, that the parts were found in
};

// Finds what contacts have beside their materials, where traits.has_extras.
FindExtras extras_kernel(const Model& model, const MuJoCoPlans& plans, const Contacts& contacts, const State& state,
                         Real dt, const Array<ContactMaterial>& material, const Array<ContactExtras>& extras);

}  // namespace carom::inline CAROM_PRECISION
