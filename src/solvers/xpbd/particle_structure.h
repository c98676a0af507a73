// The elements of particles in colours: those of a colour share no particle, so they are projected all at once. What
// worlds of one archetype have in common.
#pragma once

#include "carom/model.h"
#include "solvers/xpbd/projected_world.h"

namespace carom::inline CAROM_PRECISION {

// The elements of one kind in a world, in order of their colours. Each takes the first colour that none of its
// particles has.
class ColouredElements {
 public:
  // corners: the particles of each element, `sides` of them, as rows of the world.
  ColouredElements(const std::vector<int>& corners, int sides, int particles, Device device);
  ElementPlan plan() const { return {element_.data(), corner_.data(), colour_start_.data(), count_, colours_}; }

 private:
  Array<int> element_, corner_, colour_start_;
  int count_ = 0, colours_ = 0;
};

// Of all worlds, then of what is global.
class ParticleStructures {
 public:
  explicit ParticleStructures(const Model& model);

  const ParticleStructure* plans() const { return on_device_.data(); }
  const int* of_slot() const { return structure_.data(); }
  const ParticleStructure& of(int slot) const { return plans_[host_structure_[slot]]; }

 private:
  std::vector<ColouredElements> elements_;  // four of each structure
  std::vector<ParticleStructure> plans_;
  Array<ParticleStructure> on_device_;
  std::vector<int> host_structure_;
  Array<int> structure_;  // of each slot
};

// The rows of one kind that belong to a slot.
SlotRows rows_of_slot(const Model& model, Entity entity, int total, int slot);

}  // namespace carom::inline CAROM_PRECISION
