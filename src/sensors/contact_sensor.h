// Contact sensors as kernels see them. Which contacts match is worked out once for each kind of world: a bit for every
// contact sensor of a world, and for every shape that its contacts may have two sets of such bits.
#pragma once

#include <cstdint>

#include "carom/math.h"
#include "carom/sensor_config.h"
#include "sensors/entity_columns.h"
#include "sensors/sleeping_objects.h"

namespace carom::inline CAROM_PRECISION {

// What the sensors of a channel have in common.
struct ContactChannel {
  int first_place;
  std::int64_t first_value;
  int data, num, size;  // size: numbers of an entry
  ContactReduce reduce;
  bool remembers = false;  // what it measured before, so that it measures in every step of a call
  bool is_read = false;    // somebody asked for its ContactReadings
};

// Where a contact sensor stands.
struct ContactSeat {
  int world;    // row of contacts that it looks at
  int bit;      // its own among the contact sensors of its world
  int place;    // its row among the readings
  int channel;  // of contacts
};

// Of its criteria.
struct ContactObjects {
  int site;  // a shape, whose volume contacts must be in, -1 = none
  SleepingObjects sleepers;
};

// Where ContactReadings are written, by place.
struct ContactReadingRows {
  int* found;
  Vec3 *force_on_second, *force_on_first;
  Real *air_time, *contact_time;
  // Over the steps of a call.
  int* most_found;
  Real* largest_force;
  Vec3 *impulse_on_second, *mean_force_on_second;
};

// The step of a call of Simulation::step() that is read.
struct PlaceInCall {
  bool first = true, last = true;
};

// All matches of a sensor together, which are among the contacts from begin to end.
struct ContactTotals {
  int begin, end;
  int found;
  Real x, y, z;  // their force on the second object, world frame [N]

  CAROM_HD Vec3 force() const { return {x, y, z}; }
};

// What happened to it in the steps of a call.
struct ContactCall {
  int most_found = 0;
  Real largest_force = 0;  // [N]
  Vec3 impulse{};          // on the second object [N s]
};

// What is known of the sensors of each row of contacts, row by row and in it by bit; and sets of them, words of 64
// bits.
struct ContactBooks {
  const std::int64_t *start, *word_start;  // of each row, and the end of the last one
  const int* time_at;                      // in State::sensor_memory; where bodies sleep, the totals stand behind it
  bool in_a_row;                           // the times of a row of contacts are
  const ContactObjects* objects;
  ContactTotals* totals;  // of those that are touched, in steps that are told; where bodies sleep, of all
  ContactCall* calls;
  std::uint64_t* touched;  // by a contact of this step that matches
  std::uint64_t* rests;    // what it looks at sleeps
  std::uint64_t* called;   // touched in some step of this call,
  std::uint64_t* told;     // or of the call before: all others read 0
  Real* duration;          // of the call, by row [s]

  CAROM_HD bool has(const std::uint64_t* set, const ContactSeat& seat) const {
    return set[word_start[seat.world] + seat.bit / 64] >> (seat.bit % 64) & 1;
  }
};

// Sets of sensors, by bit. Shapes have columns as in ContactForces.
struct ContactCriteria {
  EntityColumns column;
  const std::uint64_t *first, *second;  // sensors whose first, or second, criterion a shape meets: words of each column
  const std::int64_t* start;            // where those of each world begin
  const int* words;                     // of each world

  struct Match {
    std::uint64_t forward, backward;  // those whose first object is shape a, or b; of some either may be
  };
  // Of word k, for a contact of shapes a and b.
  CAROM_HD Match match(int world, int k, int a, int b) const {
    const std::int64_t at_a = start[world] + std::int64_t{column(world, a)} * words[world] + k;
    const std::int64_t at_b = start[world] + std::int64_t{column(world, b)} * words[world] + k;
    return {first[at_a] & second[at_b], first[at_b] & second[at_a]};
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
