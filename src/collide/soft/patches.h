// The patches of a model's particles (see patches.kernel.h): which they are is worked out once, their boxes in every
// call.
#pragma once

#include "collide/segment_runs.h"
#include "collide/soft/patches.kernel.h"
#include "model/active_worlds.h"

namespace carom::inline CAROM_PRECISION {

class ParticlePatches {
 public:
  // Worlds that are left out have none.
  ParticlePatches(const Model& model, const ActiveWorlds& active);

  // Boxes from the positions; reports those that are not finite.
  void update(const Queue& queue, const Particles& particles, std::int32_t* status);

  int count() const { return runs_.count(); }
  const Run* patches() const { return runs_.runs().data(); }
  const Box* boxes() const { return box_.data(); }
  const int* patch_of_rank() const { return patch_of_rank_.data(); }

 private:
  int segment_count_;
  SegmentRuns runs_;
  Array<int> patch_of_rank_;
  Array<Box> box_;
};

}  // namespace carom::inline CAROM_PRECISION
