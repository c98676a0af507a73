// Order of the shapes of a pair: the functions for pairs take the shape with the lower rank first.
#pragma once

#include "carom/geometry.h"

namespace carom::inline CAROM_PRECISION {

CAROM_HD int type_rank(ShapeType type) {
  switch (type) {
    case ShapeType::kPlane: return 0;
    case ShapeType::kSphere: return 1;
    case ShapeType::kCapsule: return 2;
    case ShapeType::kBox: return 3;
    case ShapeType::kConvexHull: return 4;
    case ShapeType::kCylinder: return 5;
    case ShapeType::kCone: return 6;
    case ShapeType::kEllipsoid: return 7;
    case ShapeType::kMesh: return 8;
    case ShapeType::kHeightfield: return 9;
    default: return 10;
  }
}

}  // namespace carom::inline CAROM_PRECISION
