// The arrays of soft contacts with room for more than are in use.
#pragma once

#include "backend/scratch.h"
#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

// Of contacts between a particle and another one or a shape.
struct PairRoom {
  Array<int> count, segment_start, first, second;
  Array<Vec3> normal, force;
  Array<Real> depth;

  void reserve(int contacts, int segments, Device device) {
    grow(count, 1, device);
    grow(segment_start, segments + 1, device);
    for (Array<int>* column : {&first, &second}) grow(*column, contacts, device);
    for (Array<Vec3>* column : {&normal, &force}) grow(*column, contacts, device);
    grow(depth, contacts, device);
  }
};

struct ShapeRoom : PairRoom {
  Array<Vec3> body_pos;

  void reserve(int contacts, int segments, Device device) {
    PairRoom::reserve(contacts, segments, device);
    grow(body_pos, contacts, device);
  }
};

}  // namespace carom::inline CAROM_PRECISION
