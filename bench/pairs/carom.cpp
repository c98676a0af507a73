// carom's functions for pairs, called directly; round shapes all at once, by the kernel of the pipeline that works on
// them in lanes. This file is compiled with the flags of one CPU tier.
#include <algorithm>
#include <limits>
#include <memory>

#include "bench/pairs/contender.h"
#include "collide/narrow_phase.kernel.h"
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

// All pairs of a case in the arrays of the pipeline.
class RoundPairs {
 public:
  explicit RoundPairs(const PairCase& problem)
      : geometry_(2 * problem.pose.size(), -1),
        thickness_(2 * problem.pose.size()),
        margin_(2 * problem.pose.size()),
        start_{0} {
    room_ = most_points({problem.a.type, problem.a.scale, nullptr}, {problem.b.type, problem.b.scale, nullptr});
    for (const PairPose& pose : problem.pose) {
      for (const PairShape& shape : {problem.a, problem.b}) {
        type_.push_back(static_cast<int>(shape.type));
        scale_.push_back(shape.scale);
      }
      pose_.insert(pose_.end(), {pose.X_WA, pose.X_WB});
      pair_.push_back({int(pose_.size()) - 2, int(pose_.size()) - 1});
      start_.push_back(start_.back() + room_);
    }
    point_.resize(start_.back());
    count_.resize(pair_.size());
  }

  void sweep(std::span<double> distance) {
    const int pairs = static_cast<int>(pair_.size());
    PointsOfPairs{{pair_.data(), pairs},
                  {{type_.data(), 2 * pairs},
                   {geometry_.data(), 2 * pairs},
                   {scale_.data(), 2 * pairs},
                   {thickness_.data(), 2 * pairs},
                   {margin_.data(), 2 * pairs},
                   {},  // round pairs have no boxes looked at
                   {},
                   nullptr,
                   pose_.data()},
                  start_.data(),
                  start_.back(),
                  point_.data(),
                  count_.data()}
        .range(0, pairs);
    for (int p = 0; p < pairs; ++p) {
      const ContactPoint* const point = &point_[p * room_];
      Real least = count_[p] > 0 ? point->distance : std::numeric_limits<Real>::max();
      if (count_[p] > 1) least = std::min(least, point[1].distance);
      distance[p] = least;
    }
  }

 private:
  int room_;  // points of a pair
  std::vector<int> type_, geometry_;
  std::vector<Vec3> scale_;
  std::vector<Real> thickness_, margin_;
  std::vector<Transform> pose_;
  std::vector<Index2> pair_;
  std::vector<int> start_, count_;
  std::vector<ContactPoint> point_;
};

bool is_round(ShapeType type) { return type == ShapeType::kPlane || pair_table::is_round(type); }

}  // namespace

std::vector<PairContender> carom_contenders(const PairCase& problem) {
  const auto shapes = std::make_shared<Shapes>(problem);
  const auto sweep = [shapes, &problem](const auto& function) {
    return [shapes, &problem, function](std::span<double> distance) {
      for (std::size_t i = 0; i < distance.size(); ++i) distance[i] = function(*shapes, problem.pose[i]);
    };
  };
  if (problem.question == PairQuestion::kDepth) return {{"carom", sweep(depth)}};
  if (!is_round(problem.a.type) || !is_round(problem.b.type)) return {{"carom", sweep(deepest_contact)}};
  const auto pairs = std::make_shared<RoundPairs>(problem);
  return {{"carom", [pairs](std::span<double> distance) { pairs->sweep(distance); }},
          {"carom, one by one", sweep(deepest_contact)}};
}

const char* carom_contender_tier() { return CAROM_NAME(CAROM_PAIRS_TIER); }

}  // namespace carom::inline CAROM_PRECISION
