// Particles as the kernels of this folder see them, and the order of their contacts: world after world, then the
// globals. A particle's place in that order is its rank; the particles of a segment (a world, or the globals as the
// last one) have consecutive ranks.
#pragma once

#include "carom/model.h"

namespace carom::inline CAROM_PRECISION {

struct Particles {
  Span<const Vec3> q;
  Span<const Real> radius;
  Span<const int> flags, group, world;
  Span<const int> world_start;
  int count, world_count;
  int front, back;  // first particle of the worlds, first global one behind them

  CAROM_HD bool is_active(int i) const { return (flags[i] & kParticleActive) != 0 && is_finite(q[i]); }

  CAROM_HD int segment_of(int i) const { return world[i] < 0 ? world_count : world[i]; }
  CAROM_HD int at(int rank) const {
    const int in_worlds = back - front;
    if (rank < in_worlds) return front + rank;
    return rank - in_worlds < front ? rank - in_worlds : rank;
  }
  // For the segment one past the last as well.
  CAROM_HD int first_rank(int segment) const {
    if (segment > world_count) return count;
    return segment == world_count ? back - front : world_start[segment] - front;
  }
};

// flags: of the model, or of the particles that take part.
inline Particles particles_of(const Model& model, const State& state, Span<const int> flags) {
  const std::vector<int>& start = model.layout->start[static_cast<int>(Entity::kParticle)];
  return {state.particle_q.const_view(),
          model.particle_radius.const_view(),
          flags,
          model.particle_collision_group.const_view(),
          model.particle_world.const_view(),
          model.particle_world_start.const_view(),
          model.particle_count,
          model.world_count,
          start.front(),
          start[model.world_count]};
}

}  // namespace carom::inline CAROM_PRECISION
