// The narrow phase of particles: the point of the shape's surface that is nearest to the particle, then the contacts
// that are close enough, without gaps.
#pragma once

#include "backend/count.h"
#include "collide/soft/near_shapes.kernel.h"
#include "geometry/point/shape.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct SoftPoint {
  Vec3 body_pos;  // on the shape's surface, body frame [m]
  Vec3 normal;    // from the shape to the particle, world frame
  Real depth;     // [m]
};

struct PointsOfSoftPairs {
  Particles particles;
  SoftShapes shapes;
  Real margin;
  const Index2* pair;  // particle, shape
  SoftPoint* point;
  int* is_contact;

  CAROM_HD void operator()(int k) const {
    const int i = pair[k][0], s = pair[k][1];
    const Transform X_WS = shapes.posed.X_WS[s];
    const Real touching = particles.radius[i] + shapes.posed.thickness[s], reach = touching + margin;
    const SurfacePoint nearest = surface_point(shapes.posed[s], transform_point(inverse(X_WS), particles.q[i]), reach);
    point[k] = {transform_point(shapes.X_BS[s], nearest.point), rotate(X_WS.q, nearest.normal),
                touching - nearest.distance};
    is_contact[k] = nearest.distance < reach;
  }
};

struct FillSoftContacts {
  const Index2* pair;
  const SoftPoint* point;
  const int* is_contact;
  const int* contact_start;
  int room;  // for contacts
  int *particle, *shape;
  Vec3 *body_pos, *normal, *force;
  Real* depth;

  CAROM_HD void operator()(int k) const {
    const int c = contact_start[k];
    if (!is_contact[k] || c >= room) return;
    particle[c] = pair[k][0];
    shape[c] = pair[k][1];
    body_pos[c] = point[k].body_pos;
    normal[c] = point[k].normal;
    depth[c] = point[k].depth;
    force[c] = {};  // until a solver ran
  }
};

// Where the contacts of each segment begin, and their number. Where room lacks there are none: what comes next in the
// same run reads them.
struct StartOfSoftContacts {
  Particles particles;
  const int* pair_start;     // of each rank, one more than ranks
  int pair_room;             // for pairs
  const int* contact_start;  // of each pair, one more than pairs; nullptr: every pair is a contact
  Count contacts;
  int* segment_start;
  int* total;

  CAROM_HD void operator()(int segment) const {
    const int start = pair_start[particles.first_rank(segment)], k = start < pair_room ? start : pair_room;
    const int first = contact_start ? contact_start[k] : k, size = contacts.size();
    segment_start[segment] = first < size ? first : size;
    if (segment == particles.world_count + 1) *total = segment_start[segment];
  }
};

}  // namespace carom::inline CAROM_PRECISION
