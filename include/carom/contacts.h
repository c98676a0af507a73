// Contacts: where shapes touch, for all worlds, sorted by world, shape 0, shape 1 and feature.
#pragma once

#include "carom/array.h"
#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

struct Contacts {
  int rigid_contact_count = 0;
  Array<int> rigid_contact_world_start;                   // world_count + 1 entries, 2 for a model without worlds
  Array<int> rigid_contact_shape0, rigid_contact_shape1;  // shape 0 < shape 1
  Array<int> rigid_contact_feature;                       // which point of the pair
  Array<Vec3> rigid_contact_point;                        // midway between the surfaces, world frame [m]
  Array<Vec3> rigid_contact_normal;                       // from shape 0 to shape 1, world frame
  Array<Real> rigid_contact_depth;                        // positive when they overlap [m]
  Array<Vec3> rigid_contact_force;                        // on shape 1, world frame [N]; shape 0 gets its negative
};

}  // namespace carom::inline CAROM_PRECISION
