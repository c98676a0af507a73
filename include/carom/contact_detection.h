// Which shapes of a world touch and how far the others are apart, for integrators that look for the instant at which
// that changes: signed distances with hysteresis, and the functions whose zero crossings are events. In double
// precision alone.
//
// A pair in contact has the distance d of its shapes, every other pair d + 2 z_eps. A contact begins when that falls
// below zero, so at d < -2 z_eps, and ends when it rises above zero, at d > 0. So no function is zero where an
// integrator starts again, and what merely touches (d >= -z_eps at the beginning) is no contact.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "carom/model.h"

namespace carom::inline CAROM_PRECISION {

static_assert(sizeof(Real) == sizeof(double), "contact detection needs double precision: link carom::carom_f64");

// Two shapes of a model, whatever their order.
using PairID = std::int64_t;
constexpr PairID pair_id(int shape_a, int shape_b) {
  const std::int64_t first = shape_a < shape_b ? shape_a : shape_b, second = shape_a < shape_b ? shape_b : shape_a;
  return first << 32 | second;
}
constexpr Index2 shapes_of_pair(PairID pair) {
  return {static_cast<int>(pair >> 32), static_cast<int>(pair & 0xffffffff)};
}

// Nearest pairs first; of equal distances the smaller id.
struct PairKey {
  Real distance_with_hysteresis;  // [m]
  PairID pair_id;

  bool operator==(const PairKey& b) const {
    return distance_with_hysteresis == b.distance_with_hysteresis && pair_id == b.pair_id;
  }
  bool operator<(const PairKey& b) const {
    if (distance_with_hysteresis != b.distance_with_hysteresis)
      return distance_with_hysteresis < b.distance_with_hysteresis;
    return pair_id < b.pair_id;
  }
};

// What stays as it was at the event at which a contact began.
struct MaterialContactPair {
  Real distance_rate;  // derivative of the distance, negative while shapes approach each other [m/s]
  Real restitution;    // of both shapes, combined by options.combine, as are the next ones
  Real mu;
  Real torsional_friction, rolling_friction;  // [m]
};

// Of a pair that is not in contact.
struct NoContactPair {
  int shape_a, shape_b;           // shape_a < shape_b
  Real distance_org;              // of the shapes, or of boxes around them while these are apart [m]
  Real distance_with_hysteresis;  // [m]
  bool contact;
  Vec3 point_a, point_b;  // on the surfaces, or the boxes, where they are nearest; world frame [m]
  Vec3 normal;            // unit, from a to b, world frame
};
struct ContactPair : NoContactPair {
  MaterialContactPair material;
};

// How distances become functions of the integrator.
enum class DetectionScheme : std::int32_t {
  kPairs,  // one of each of the nz_max nearest pairs: those in contact, then the others by their distance
  kTwo,    // the largest distance of those in contact, and the smallest one of the others; any number of contacts
};
const char* detection_scheme_name(DetectionScheme scheme);  // "pairs", "two"
DetectionScheme parse_detection_scheme(const std::string& name);

struct ContactDetectionConfig {
  Real z_eps = Real(1e-8);  // [m]
  int nz_max = 100;         // most functions of kPairs; with more contacts than that it gives up
  DetectionScheme scheme = DetectionScheme::kPairs;
  // Edges and corners of boxes, cylinders and cones are rounded by a ball of this radius, a tenth of their smallest
  // dimension at most; faces stay [m]. What touches at an edge has a normal that does not jump.
  Real smoothing_radius = 0;
};

class ContactDetection {
 public:
  using ContactDict = std::map<PairID, ContactPair>;
  using NoContactDict = std::map<PairID, NoContactPair>;

  // world: -1 is that of a model without worlds. Pairs are those that may collide (docs/collisions.md), without two
  // global shapes beside worlds.
  explicit ContactDetection(const Model& model, int world = -1, const ContactDetectionConfig& config = {});

  // From here on nothing is in contact that does not overlap by more than z_eps.
  void initialize(const State& state);
  // At an event: contacts begin and end. Error, which names the pairs, with more than nz_max contacts; then all is as
  // it was before.
  void find_at_event(const State& state);
  // The same where an integrator has found that these begin, and has gone back to where they touch.
  void find_at_event(const State& state, std::span<const PairID> begins);
  // The functions z; which pairs are in contact does not change.
  const std::vector<Real>& find_zero_crossings(const State& state);
  // Distances, points and normals of the pairs that the dictionaries have; these keep their keys, and z its numbers.
  void update(const State& state);

  // In contact at the last event, and in contact now: the same keys between events.
  const std::map<PairID, MaterialContactPair>& last_contact_dict() const;
  const ContactDict& contact_dict() const;
  // The nearest pairs without contact, ordered, as at the last event or zero crossings; their distances.
  const std::map<PairKey, Real>& distance_dict() const;
  const NoContactDict& no_contact_dict() const;
  const std::vector<Real>& z() const;

  int pair_count() const;  // that may collide
  const ContactDetectionConfig& config() const;
  const Model& model() const;
  int world() const;

 private:
  struct Data;
  std::shared_ptr<Data> data_;
};

}  // namespace carom::inline CAROM_PRECISION
