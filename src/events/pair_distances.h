// The pairs of shapes of one world that may collide, and how far they are apart in a state.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "carom/collide.h"
#include "carom/contact_detection.h"
#include "carom/query.h"
#include "events/push_balls.kernel.h"
#include "events/rim_contacts.h"
#include "events/rounded_shape.h"

namespace carom::inline CAROM_PRECISION {

class GeometryTable;

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
  bool boxes_meet(Index2 pair) const;
  // Where they overlap: one point of a ball, several of faces and edges that lie on each other.
  void contacts(Index2 pair, std::vector<WeightedPoint>& points) const;
  std::optional<BallPair> ball_pair(Index2 pair, const ElasticContact& law) const;
  const std::vector<int>& shapes() const { return shapes_; }  // that are part of a pair
  // How shape b moves against shape a at a point, from the velocities of the state.
  SpatialVector relative_velocity(const State& state, Index2 pair, Vec3 point) const;
  // How fast the distance grows [m/s].
  Real rate(const State& state, Index2 pair, const ShapeDistance& at) const;
  // How fast some point of a shape may move, at most, by the velocities of the state [m/s].
  Real fastest(const State& state, int shape) const;

 private:
  void follow_edits();
  // Of the rounded shape.
  Transform pose(int shape) const;
  Real thickness(int shape) const;

  Model model_;
  int world_;
  Real smoothing_radius_;  // [m]
  std::int64_t generation_ = -1;
  std::shared_ptr<const GeometryTable> geometry_;
  std::vector<int> shapes_;  // that are part of a pair
  std::vector<Index2> pairs_;
  // Of each shape of the model that is part of a pair.
  std::vector<RoundedShape> rounded_;
  std::vector<Real> reach_;  // from the centre of mass of its body to its farthest point, at most [m]
  std::vector<Transform> X_WS_;
  std::vector<Box> box_;
};

}  // namespace carom::inline CAROM_PRECISION
