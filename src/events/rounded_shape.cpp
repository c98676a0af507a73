#include "events/rounded_shape.h"

namespace carom::inline CAROM_PRECISION {

namespace {

constexpr Real kMostOfSmallest = Real(0.1);

}  // namespace

RoundedShape rounded(const ShapeView& shape, Real radius) {
  RoundedShape result{shape, {}, 0};
  Vec3& size = result.shape.scale;
  switch (shape.type) {
    case ShapeType::kBox:
      result.radius = min(radius, 2 * kMostOfSmallest * min(size.x, min(size.y, size.z)));
      size = size - Vec3{result.radius, result.radius, result.radius};
      result.shape.geometry = nullptr;  // the box as a hull, which would have the old size
      return result;
    case ShapeType::kCylinder:
      result.radius = min(radius, 2 * kMostOfSmallest * min(size.x, size.y));
      size = size - Vec3{result.radius, result.radius, 0};
      return result;
    case ShapeType::kCone: {
      // Base and mantle move inwards, so the apex comes down by radius / sin(half its angle).
      result.radius = min(radius, 2 * kMostOfSmallest * min(size.x, size.y));
      const Real height = 2 * size.y, mantle = sqrt(fma(size.x, size.x, height * height));
      const Real left = height - result.radius * (1 + mantle / size.x);
      result.centre = {0, 0, result.radius + left / 2 - size.y};
      size = {size.x * (left / height), left / 2, size.z};
      return result;
    }
    default: return result;
  }
}

}  // namespace carom::inline CAROM_PRECISION
