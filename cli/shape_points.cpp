#include "cli/shape_points.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace carom::cli {

namespace {

constexpr int kCorners = 24;  // of a circle

std::vector<Vec3> box_points(Vec3 half) {
  std::vector<Vec3> points;
  for (const int x : {-1, 1})
    for (const int y : {-1, 1})
      for (const int z : {-1, 1}) points.push_back({half.x * Real(x), half.y * Real(y), half.z * Real(z)});
  return points;
}

void add_ring(std::vector<Vec3>& points, Real rx, Real ry, Real z) {
  for (int i = 0; i < kCorners; ++i) {
    const double angle = 2 * std::numbers::pi * i / kCorners;
    points.push_back({rx * Real(std::cos(angle)), ry * Real(std::sin(angle)), z});
  }
}

std::vector<Vec3> ellipsoid_points(Vec3 radius) {
  std::vector<Vec3> points;
  for (int i = 0; i <= kCorners / 2; ++i) {
    const double angle = 2 * std::numbers::pi * i / kCorners;
    const Real across = Real(std::sin(angle));
    add_ring(points, radius.x * across, radius.y * across, radius.z * Real(std::cos(angle)));
  }
  return points;
}

std::vector<Vec3> mesh_points(const Model& model, int shape) {
  const int source = model.shape_source[shape];
  const auto* mesh =
      source < 0 ? nullptr
                 : std::get_if<std::shared_ptr<const Mesh>>(&model.shape_sources[static_cast<std::size_t>(source)]);
  if (!mesh) return {};
  std::vector<Vec3> points = (*mesh)->vertices;
  const Vec3 scale = model.shape_scale[shape];
  for (Vec3& p : points) p = {p.x * scale.x, p.y * scale.y, p.z * scale.z};
  return points;
}

double turn(const PicturePoint& a, const PicturePoint& b, const PicturePoint& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

}  // namespace

std::vector<Vec3> shape_points(const Model& model, int shape) {
  const Vec3 size = model.shape_scale[shape];
  std::vector<Vec3> points;
  switch (static_cast<ShapeType>(model.shape_type[shape])) {
    case ShapeType::kBox: return box_points(size);
    case ShapeType::kSphere: return ellipsoid_points({size.x, size.x, size.x});
    case ShapeType::kEllipsoid: return ellipsoid_points(size);
    case ShapeType::kCylinder:
    case ShapeType::kCone:
      add_ring(points, size.x, size.x, -size.y);
      if (static_cast<ShapeType>(model.shape_type[shape]) == ShapeType::kCone) points.push_back({0, 0, size.y});
      else add_ring(points, size.x, size.x, size.y);
      return points;
    case ShapeType::kCapsule:
      for (const Vec3& p : ellipsoid_points({size.x, size.x, size.x}))
        for (const Real end : {-size.y, size.y}) points.push_back({p.x, p.y, p.z + end});
      return points;
    default: return mesh_points(model, shape);
  }
}

std::vector<PicturePoint> convex_outline(std::vector<PicturePoint> points) {
  std::sort(points.begin(), points.end(),
            [](const PicturePoint& a, const PicturePoint& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
  std::vector<PicturePoint> outline;
  const auto add_chain = [&](const PicturePoint& p, std::size_t least) {
    while (outline.size() >= least + 2 && turn(outline[outline.size() - 2], outline.back(), p) <= 0) outline.pop_back();
    outline.push_back(p);
  };
  for (const PicturePoint& p : points) add_chain(p, 0);
  const std::size_t lower = outline.size() - 1;
  for (std::size_t i = points.size() - 1; i-- > 0;) add_chain(points[i], lower);
  if (outline.size() > 1) outline.pop_back();
  return outline;
}

}  // namespace carom::cli
