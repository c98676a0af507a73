#include "events/rim_contacts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "geometry/point/shape.kernel.h"

namespace carom::inline CAROM_PRECISION {

namespace {

constexpr int kRimPoints = 8;
constexpr Real kShare = Real(0.5);  // of a point: as many as the four of a manifold

struct Rim {
  Real radius, height;  // [m], in the frame of the shape
};

std::vector<Rim> rims_of(const ShapeView& shape) {
  if (shape.type == ShapeType::kCylinder) return {{shape.scale.x, shape.scale.y}, {shape.scale.x, -shape.scale.y}};
  if (shape.type == ShapeType::kCone) return {{shape.scale.x, -shape.scale.y}};
  return {};
}

}  // namespace

void add_rim_points(const ShapeView& a, const Transform& X_WA, Real thickness_a, const ShapeView& b,
                    const Transform& X_WB, Real thickness_b, bool flipped, std::vector<WeightedPoint>& points) {
  for (const Rim& rim : rims_of(a)) {
    std::array<ContactPoint, kRimPoints> fixed;
    Real deepest = 0, least = std::numeric_limits<Real>::infinity();
    for (int k = 0; k < kRimPoints; ++k) {
      const Real angle = 2 * std::numbers::pi_v<Real> * k / kRimPoints;
      const Vec3 p =
          transform_point(X_WA, {rim.radius * carom::cos(angle), rim.radius * carom::sin(angle), rim.height});
      const SurfacePoint at = surface_point(b, rotate_inverse(X_WB.q, p - X_WB.p), kUnbounded);
      const Vec3 out = rotate(X_WB.q, at.normal);
      const Real distance = at.distance - thickness_a - thickness_b;
      fixed[k] = {p - out * (Real(0.5) * distance + thickness_a), flipped ? out : -out, distance, k};
      deepest = std::max(deepest, -distance), least = std::min(least, -distance);
    }
    if (!(least > 0)) continue;
    const Real r = (deepest - least) / deepest, smooth = r * r * (3 - 2 * r);
    for (WeightedPoint& point : points) point.weight *= smooth;
    for (const ContactPoint& point : fixed) points.push_back({point, kShare * (1 - smooth)});
  }
}

}  // namespace carom::inline CAROM_PRECISION
