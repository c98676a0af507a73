// carom's functions for pairs, called directly. This file is compiled with the flags of one CPU tier.
#include <algorithm>
#include <limits>
#include <memory>

#include "bench/pairs/contender.h"
#include "collide/narrow/pair_table.kernel.h"
#include "geometry/hull_topology.h"

#define CAROM_NAME_OF(token) #token
#define CAROM_NAME(macro) CAROM_NAME_OF(macro)

namespace carom::inline CAROM_PRECISION {

namespace {

// A shape as kernels see it, with the arrays it points to.
struct OwnedShape {
  HullArrays arrays;
  GeometryView geometry{};
  ShapeView view;

  explicit OwnedShape(const PairShape& shape) : view{shape.type, shape.scale, nullptr} {
    if (!shape.mesh) return;
    arrays = build_hull_arrays(*shape.mesh, shape.scale);
    geometry.hull = arrays.view();
    view.geometry = &geometry;
  }
  OwnedShape(const OwnedShape&) = delete;
};

struct Shapes {
  OwnedShape a, b;

  explicit Shapes(const PairCase& problem) : a(problem.a), b(problem.b) {}
};

double deepest_contact(const Shapes& shapes, const PairPose& pose) {
  ContactPoint point[kMaxManifold];
  const int n = collide_shapes(shapes.a.view, pose.X_WA, shapes.b.view, pose.X_WB, 0, kMaxManifold, point);
  Real least = std::numeric_limits<Real>::max();
  for (int i = 0; i < n; ++i) least = std::min(least, point[i].distance);
  return least;
}

double depth(const Shapes& shapes, const PairPose& pose) {
  return convex_distance(shapes.a.view, pose.X_WA, shapes.b.view, pose.X_WB).distance;
}

}  // namespace

std::vector<PairContender> carom_contenders(const PairCase& problem) {
  const auto shapes = std::make_shared<Shapes>(problem);
  const auto sweep = [shapes, &problem](const auto& function) {
    return [shapes, &problem, function](std::span<double> distance) {
      for (std::size_t i = 0; i < distance.size(); ++i) distance[i] = function(*shapes, problem.pose[i]);
    };
  };
  if (problem.question == PairQuestion::kDepth) return {{"carom", sweep(depth)}};
  return {{"carom", sweep(deepest_contact)}};
}

const char* carom_contender_tier() { return CAROM_NAME(CAROM_PAIRS_TIER); }

}  // namespace carom::inline CAROM_PRECISION
