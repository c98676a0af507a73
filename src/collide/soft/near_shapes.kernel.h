// The broad phase of particles: shapes whose boxes a patch reaches, then those of them that each of its particles does.
// Rows are counted, summed and filled as in broad/rows.kernel.h, and come out sorted by particle and shape.
#pragma once

#include "collide/broad/rows.kernel.h"
#include "collide/narrow_phase.kernel.h"
#include "collide/soft/patches.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Shapes as particles meet them.
struct SoftShapes {
  PosedShapes posed;
  Span<const int> flags, group, world, world_start;
  Span<const Transform> X_BS;
  const Box* box;  // grown by thickness and contact_margin
  int count, world_count;

  // Geometry may be missing: the pipeline holds none for shapes that collided with nothing when it was made.
  CAROM_HD bool meets_particles(int s) const {
    const ShapeType type = static_cast<ShapeType>(posed.type[s]);
    const bool has_source = type == ShapeType::kMesh || type == ShapeType::kConvexHull ||
                            type == ShapeType::kHeightfield || type == ShapeType::kSdf;
    return (flags[s] & kShapeCollidesParticles) != 0 && (flags[s] & kShapeIsSite) == 0 &&
           (!has_source || posed.geometry[s] >= 0);
  }

  // Whether a box, which holds the particles up to their radii, is within margin of a shape's box. Planes without end
  // on some side have boxes that say little; what counts is which side of them the particles are on.
  CAROM_HD bool is_near(const Box& particles, Real margin, int s) const {
    const Vec3 scale = posed.scale[s];
    const bool endless = static_cast<ShapeType>(posed.type[s]) == ShapeType::kPlane && !(scale.x > 0 && scale.y > 0);
    if (!endless) return overlap(grown(particles, margin - posed.contact_margin[s]), box[s]);
    const Transform X_WS = posed.X_WS[s];
    const Vec3 n = axis_z(X_WS.q);
    Vec3 lowest;  // corner along the normal
    for (int axis = 0; axis < 3; ++axis) lowest[axis] = n[axis] < 0 ? particles.upper[axis] : particles.lower[axis];
    return dot(lowest - X_WS.p, n) <= posed.thickness[s] + margin;
  }
};

struct ShapesNearPatches {
  SoftShapes shapes;
  Real margin;
  const Run* patch;
  const Box* patch_box;
  PairOutput out;  // patch, shape

  CAROM_HD void operator()(int p) const {
    if (out.start && !out.fits(p)) return;
    int n = 0;
    const auto visit = [&](int first, int end) CAROM_HD_LAMBDA {
      for (int s = first; s < end; ++s) {
        if (!shapes.meets_particles(s) || !shapes.is_near(patch_box[p], margin, s)) continue;
        if (out.start) out.pair[out.start[p] + n] = {p, s};
        ++n;
      }
    };
    const int segment = patch[p].segment, worlds = shapes.world_count;
    if (segment == worlds) {  // global particles meet the shapes of all worlds
      visit(0, shapes.count);
    } else {  // shapes of the world and, before and behind all worlds, the global ones
      visit(0, shapes.world_start[0]);
      visit(shapes.world_start[segment], shapes.world_start[segment + 1]);
      visit(shapes.world_start[worlds], shapes.count);
    }
    if (!out.start) out.count[p] = n;
  }
};

struct ShapesNearParticles {
  Particles particles;
  SoftShapes shapes;
  Real margin;
  const int* patch_of_rank;
  PairOutput near_patch;  // patch, shape
  PairOutput out;         // particle, shape

  CAROM_HD void operator()(int rank) const {
    if (out.start && !out.fits(rank)) return;
    const int i = particles.at(rank), p = patch_of_rank[rank];
    const int first = near_patch.start[p];
    const int end = particles.is_active(i) && near_patch.fits(p) ? near_patch.start[p + 1] : first;
    const Box around = box_of_particle(particles, i);
    int n = 0;
    for (int k = first; k < end; ++k) {
      const int s = near_patch.pair[k][1];
      if (!shapes.is_near(around, margin, s)) continue;
      if (!test_world_and_group_pair(particles.world[i], shapes.world[s], particles.group[i], shapes.group[s]))
        continue;
      if (out.start) out.pair[out.start[rank] + n] = {i, s};
      ++n;
    }
    if (!out.start) out.count[rank] = n;
  }
};

}  // namespace carom::inline CAROM_PRECISION
