// The pairs of shapes of one world that may collide, and how far they are apart in a state.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "carom/collide.h"
#include "carom/contact_detection.h"
#include "carom/query.h"
#include "events/rounded_shape.h"

namespace carom::inline CAROM_PRECISION {

class GeometryTable;

class PairDistances {
 public:
  // world, smoothing_radius: as ContactDetection has them. Shapes that have no distance, as two planes, make no pair.
  PairDistances(const Model& model, int world, Real smoothing_radius);

  // Where the state has put the shapes; brings the world in line first.
  void place(const State& state);

  int count() const { return static_cast<int>(pairs_.size()); }
  PairID id(int p) const { return pair_id(pairs_[p][0], pairs_[p][1]); }
  Index2 pair(int p) const { return pairs_[p]; }

  // Of the shapes.
  ShapeDistance exact(Index2 pair) const;
  // Of the shapes, or of the boxes around them while these are apart, which is less.
  ShapeDistance quick(Index2 pair) const;
  // How fast the distance grows, from the velocities of the state [m/s].
  Real rate(const State& state, Index2 pair, const ShapeDistance& at) const;

 private:
  void follow_edits();

  Model model_;
  int world_;
  Real smoothing_radius_;  // [m]
  std::int64_t generation_ = -1;
  std::shared_ptr<const GeometryTable> geometry_;
  std::vector<int> shapes_;  // that are part of a pair
  std::vector<Index2> pairs_;
  // Of each shape of the model that is part of a pair.
  std::vector<RoundedShape> rounded_;
  std::vector<Transform> X_WS_;
  std::vector<Box> box_;
};

}  // namespace carom::inline CAROM_PRECISION
