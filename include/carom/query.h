// Questions about single shapes of a model, where a state has put them: distances, closest points, rays. On the CPU.
// Shapes count with their thickness, except for rays.
#pragma once

#include <memory>
#include <vector>

#include "carom/model.h"

namespace carom::inline CAROM_PRECISION {

struct ShapeDistance {
  Real distance;          // between the surfaces, negative when the shapes overlap [m]
  Vec3 point_a, point_b;  // on the surfaces, world frame [m]
  Vec3 normal;            // unit, from a to b, world frame
};

struct ClosestPoint {
  Real distance;  // from the surface, negative inside of the shape [m]
  Vec3 point;     // on the surface, world frame [m]
  Vec3 normal;    // unit, outwards, world frame
};

struct RayCast {
  int shape;      // -1: nothing was hit
  Real distance;  // along the ray [m]
  Vec3 point;     // world frame [m]
  Vec3 normal;    // of the surface, unit, outwards, world frame
};

class ShapeQuery {
 public:
  // Throws Error for a model on a GPU.
  explicit ShapeQuery(const Model& model);

  // Throws Error for two planes, two heightfields, or one of each: their distance has no meaning.
  ShapeDistance distance(const State& state, int shape_a, int shape_b) const;
  bool overlap(const State& state, int shape_a, int shape_b) const;
  ClosestPoint closest_point(const State& state, int shape, Vec3 point) const;

  // The first shape of a world, or global one, that the ray meets within max_distance; world = -1: among all shapes.
  // Sites are passed. The rules are those of carom/raycast.h, which is for many rays.
  RayCast ray_cast(const State& state, Vec3 origin, Vec3 direction, Real max_distance = kUnbounded,
                   int world = -1) const;

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

}  // namespace carom::inline CAROM_PRECISION
