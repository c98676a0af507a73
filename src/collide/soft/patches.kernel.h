// Patches: up to 32 consecutive particles of a segment and the box around them. Neighbours in the arrays are mostly
// neighbours in space (cloth, soft bodies, fluid that starts as a block), so shapes far from a patch are ruled out for
// all its particles at once.
#pragma once

#include "collide/broad/box.h"
#include "collide/soft/particles.h"

namespace carom::inline CAROM_PRECISION {

inline constexpr int kPatchSize = 32;

struct Patch {
  int first, end;  // ranks
  int segment;
};

CAROM_HD Box box_of_particle(const Particles& particles, int i) {
  const Vec3 p = particles.q[i];
  return grown({p, p}, particles.radius[i]);
}

// The box of each patch's active particles, and whether all positions are finite.
struct BoxOfPatches {
  Particles particles;
  const Patch* patch;
  Box* box;
  int* finite;

  CAROM_HD void operator()(int p) const {
    Box around{{kUnbounded, kUnbounded, kUnbounded}, {-kUnbounded, -kUnbounded, -kUnbounded}};
    bool all = true;
    for (int rank = patch[p].first; rank < patch[p].end; ++rank) {
      const int i = particles.at(rank);
      all = all && is_finite(particles.q[i]);
      if (!particles.is_active(i)) continue;
      const Box own = box_of_particle(particles, i);
      around = {min(around.lower, own.lower), max(around.upper, own.upper)};
    }
    box[p] = around;
    finite[p] = all;
  }
};

// Worlds with a particle whose position is not finite; such a particle touches nothing.
struct FindNotFiniteParticles {
  const int* segment_patch_start;
  const int* finite;  // of each patch
  std::int32_t* status;

  CAROM_HD void operator()(int segment) const {
    bool all = true;
    for (int p = segment_patch_start[segment]; p < segment_patch_start[segment + 1]; ++p) all = all && finite[p] != 0;
    if (!all) status[segment] |= kStatusNotFinite;
  }
};

}  // namespace carom::inline CAROM_PRECISION
