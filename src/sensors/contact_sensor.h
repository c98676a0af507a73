// Contact sensors as kernels see them. Which contacts match is worked out once for each kind of world: a bit for every
// contact sensor of a world, and for every shape that its contacts may have two sets of such bits.
#pragma once

#include <cstdint>

#include "carom/math.h"
#include "carom/sensor_config.h"
#include "sensors/entity_columns.h"

namespace carom::inline CAROM_PRECISION {

struct ContactSensor {
  int world;            // row of contacts that it looks at
  int bit;              // its own among the contact sensors of its world
  int place;            // its row among the readings
  int data, num, size;  // size: numbers of an entry
  ContactReduce reduce;
  int site;             // whose volume contacts must be in, a shape, -1 = none
  int body[2];          // of its criteria, -1: none that could sleep
  int memory;           // where its times are in State::sensor_memory
  std::int64_t values;  // its first number among the values
};

// Where ContactReadings are written.
struct ContactReadingRows {
  int* found;
  Vec3* force_on_second;
  Real *air_time, *contact_time;
  // Over the steps of a call.
  int* most_found;
  Real* largest_force;
  Vec3* impulse_on_second;
  Real* duration;
};

// Sets of sensors, by bit. Shapes have columns as in ContactForces.
struct ContactCriteria {
  EntityColumns column;
  const std::uint64_t *first, *second;  // sensors whose first, or second, criterion a shape meets: words of each column
  const std::int64_t* start;            // where those of each world begin
  const int* words;                     // of each world

  struct Match {
    std::uint64_t bits, flipped;  // that match; of these, those whose first object is shape b
  };
  // Of word k, for a contact whose normal points from shape a to shape b.
  CAROM_HD Match match(int world, int k, int a, int b) const {
    const std::int64_t at_a = start[world] + std::int64_t{column(world, a)} * words[world] + k;
    const std::int64_t at_b = start[world] + std::int64_t{column(world, b)} * words[world] + k;
    const std::uint64_t forward = first[at_a] & second[at_b], backward = first[at_b] & second[at_a];
    return {forward | backward, backward & ~forward};
  }
};

// How MuJoCo orders the shapes of a contact; its normal points from the lower one to the higher one, and from the first
// shape to the second where both are equal.
CAROM_HD int rank_in_contact(ShapeType type) {
  switch (type) {
    case ShapeType::kPlane: return 0;
    case ShapeType::kHeightfield: return 1;
    case ShapeType::kSphere: return 2;
    case ShapeType::kCapsule: return 3;
    case ShapeType::kEllipsoid: return 4;
    case ShapeType::kCylinder: return 5;
    case ShapeType::kBox: return 6;
    case ShapeType::kCone:
    case ShapeType::kMesh:
    case ShapeType::kConvexHull: return 7;
    case ShapeType::kSdf: return 8;
    case ShapeType::kNone: break;
  }
  return 9;
}

}  // namespace carom::inline CAROM_PRECISION
