// The pairs of shapes of one world that may collide, and how far they are apart in a state.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "carom/collide.h"
#include "carom/contact_detection.h"
#include "carom/query.h"
#include "collide/broad/box.h"
#include "collide/filter/pair_filter.h"
#include "collide/geometry_table.h"
#include "events/push_balls.kernel.h"
#include "events/rim_contacts.h"
#include "events/rounded_shape.h"

namespace carom::inline CAROM_PRECISION {

// What pairs are found and measured by; that of a model as it is now is shared by all its worlds.
struct ModelGeometry {
  std::int64_t generation;
  GeometryTable table;
  ModelFilter filter;
  explicit ModelGeometry(const Model& model);
};
std::shared_ptr<const ModelGeometry> geometry_of(const Model& model);

// A ball and a shape whose nearest point is a closed form, as PushBalls has them.
struct BallPair {
  BallContact contact;
  int ball_body, host_body;  // -1: none
  ShapeType host;
};

class PairDistances {
 public:
  // world, smoothing_radius: as ContactDetection has them. Shapes that have no distance, as two planes, make no pair.
  PairDistances(const Model& model, int world, Real smoothing_radius);

  // Where the state has put the shapes; brings the world in line first.
  void place(const State& state);
  // Where its bodies are as they stand, these shapes alone and without boxes: for exact() and rate().
  void place_as_is(const State& state, std::span<const int> shapes);

  int count() const { return static_cast<int>(pairs_.size()); }
  PairID id(int p) const { return pair_id(pairs_[p][0], pairs_[p][1]); }
  Index2 pair(int p) const { return pairs_[p]; }

  // Of the shapes.
  ShapeDistance exact(Index2 pair) const;
  // Of the shapes, or of the boxes around them while these are apart, which is less.
  ShapeDistance quick(Index2 pair) const;
  // Where they overlap: one point of a ball, several of faces and edges that lie on each other.
  void contacts(Index2 pair, std::vector<WeightedPoint>& points) const;
  std::optional<BallPair> ball_pair(Index2 pair, const ElasticContact& law) const;
  // Shapes that are part of a pair, ascending; and places among them of those of a pair.
  const std::vector<int>& shapes() const { return shapes_; }
  Index2 places(int p) const { return places_[p]; }
  // How shape b moves against shape a at a point, from the velocities of the state.
  SpatialVector relative_velocity(const State& state, Index2 pair, Vec3 point) const;
  // How fast the distance grows [m/s].
  Real rate(const State& state, Index2 pair, const ShapeDistance& at) const;
  // How fast some point of the shape at a place may move, at most, by the velocities of the state [m/s].
  Real fastest(const State& state, int place) const;

 private:
  struct Placed {
    RoundedShape rounded;
    Real reach;  // from the centre of mass of its body to its farthest point, at most [m]
    Transform X_WS;
    Box box;
  };
  void follow_edits();
  int place_of(int shape) const {
    return static_cast<int>(std::lower_bound(shapes_.begin(), shapes_.end(), shape) - shapes_.begin());
  }
  const Placed& placed(int shape) const { return placed_[place_of(shape)]; }
  Real thickness(int shape) const { return model_.shape_thickness[shape] + placed(shape).rounded.radius; }

  Model model_;
  int world_;
  Real smoothing_radius_;  // [m]
  std::shared_ptr<const ModelGeometry> geometry_;
  std::vector<int> shapes_;  // that are part of a pair
  std::vector<Placed> placed_;
  std::vector<Index2> pairs_, places_;
};

}  // namespace carom::inline CAROM_PRECISION
