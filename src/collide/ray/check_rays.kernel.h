// Looks for rays that cannot be cast: a launch, since there may be very many.
#pragma once

#include "carom/array.h"
#include "collide/ray/ray_rows.h"

namespace carom::inline CAROM_PRECISION {

// The first ray of each block that cannot be cast, -1 where all can.
struct CheckRays {
  static constexpr int kBlock = 256;
  RayRows rays;
  Span<const int> body_world;
  int ray_count;
  int* bad;

  CAROM_HD bool is_known(int body, int world) const {
    return body == -1 || (body >= 0 && body < body_world.size && (body_world[body] == -1 || body_world[body] == world));
  }
  CAROM_HD bool is_known_or_fixed(int body, int world) const { return body == kFixedShapes || is_known(body, world); }
  CAROM_HD void operator()(int block) const {
    const int begin = block * kBlock, end = begin + kBlock < ray_count ? begin + kBlock : ray_count;
    bad[block] = -1;
    for (int ray = begin; ray < end; ++ray) {
      const int world = rays.world_of(ray);
      const bool known = is_known(rays.body_of(ray), world) && is_known_or_fixed(rays.excluded_body_of(ray), world);
      if (known && has_direction(length_squared(rays.direction[ray])) && is_finite(rays.origin[ray])) continue;
      bad[block] = ray;
      return;
    }
  }
};

}  // namespace carom::inline CAROM_PRECISION
