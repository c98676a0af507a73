// Patches: runs of particles of a segment, by rank, and the boxes around them. Neighbours in the arrays are mostly
// neighbours in space (cloth, soft bodies, fluid that starts as a block), so shapes far from a patch are ruled out for
// all its particles at once.
#pragma once

#include "collide/not_finite.kernel.h"
#include "collide/soft/particles.h"

namespace carom::inline CAROM_PRECISION {

CAROM_HD Box box_of_particle(const Particles& particles, int i) {
  const Vec3 p = particles.q[i];
  return grown({p, p}, particles.radius[i]);
}

// The box of each patch's active particles; marks patches with a position that is not finite.
struct BoxOfPatches {
  Particles particles;
  const Run* patch;
  Box* box;
  int* mark;

  CAROM_HD void operator()(int p) const {
    Box around{{kUnbounded, kUnbounded, kUnbounded}, {-kUnbounded, -kUnbounded, -kUnbounded}};
    bool finite = true;
    for (int rank = patch[p].first; rank < patch[p].end; ++rank) {
      const int i = particles.at(rank);
      finite = finite && is_finite(particles.q[i]);
      if (!particles.is_active(i)) continue;
      const Box own = box_of_particle(particles, i);
      around = {min(around.lower, own.lower), max(around.upper, own.upper)};
    }
    box[p] = around;
    mark[p] = !finite;
  }
};

// Worlds with a particle whose position is not finite; such a particle touches nothing.
struct ReportParticles {
  SegmentMarks not_finite;
  std::int32_t* status;

  CAROM_HD void operator()(int segment) const {
    if (not_finite.any(segment)) status[segment] |= kStatusNotFinite;
  }
};

}  // namespace carom::inline CAROM_PRECISION
