// Boxes with axes along the world's that hold a posed shape: as small as can be for spheres, capsules, ellipsoids,
// cylinders, cones and boxes; of meshes, hulls and fields the turned box of the local bounds.
#pragma once

#include "carom/geometry.h"
#include "collide/broad/box.h"
#include "geometry/shape_view.h"

namespace carom::inline CAROM_PRECISION {

// A box of one shape, or of one shape per lane.
template <class F>
struct BoxT {
  Vec3T<F> lower, upper;
};

namespace shape_box {

// Half extents of a disc with unit normal n.
template <class F>
CAROM_HD Vec3T<F> disc(Vec3T<F> n, F radius) {
  Vec3T<F> half;
  for (int i = 0; i < 3; ++i) half[i] = radius * sqrt(max(F(0), fma(-n[i], n[i], F(1))));
  return half;
}

template <class F>
CAROM_HD Vec3T<F> ellipsoid(const Mat33T<F>& R, Vec3T<F> radii) {
  Vec3T<F> half;
  for (int i = 0; i < 3; ++i) {
    const Vec3T<F> row{R[i][0] * radii.x, R[i][1] * radii.y, R[i][2] * radii.z};
    half[i] = length(row);
  }
  return half;
}

// The solid below a plane without end; its box has a border only across an axis that the normal follows.
CAROM_HD Box half_space(Vec3 p, Vec3 n) {
  Box box{{-kUnbounded, -kUnbounded, -kUnbounded}, {kUnbounded, kUnbounded, kUnbounded}};
  for (int i = 0; i < 3; ++i) {
    if (n[i] == Real(1)) box.upper[i] = p[i];
    if (n[i] == Real(-1)) box.lower[i] = p[i];
  }
  return box;
}

template <class F>
CAROM_HD BoxT<F> cone(Vec3T<F> center, Vec3T<F> axis, Vec3T<F> scale) {
  const Vec3T<F> apex = fma(axis, scale.y, center), base = fma(axis, -scale.y, center), rim = disc(axis, scale.x);
  return {min(apex, base - rim), max(apex, base + rim)};
}

}  // namespace shape_box

// A plane without end, at least along one axis.
CAROM_HD bool is_half_space(ShapeType type, Vec3 scale) {
  return type == ShapeType::kPlane && !(scale.x > 0 && scale.y > 0);
}

// Of a shape that has an end. lower, upper: bounds in the shape's frame. The solid below a heightfield has no end; its
// box goes down as far as the field is wide and long, so that turning it does not lose all digits.
template <class F>
CAROM_HD BoxT<F> bounded_shape_box(ShapeType type, Vec3T<F> scale, Vec3T<F> lower, Vec3T<F> upper,
                                   const TransformT<F>& X_WS) {
  const Vec3T<F> axis = axis_z(X_WS.q);
  Vec3T<F> center = X_WS.p, half;
  switch (type) {
    case ShapeType::kSphere: half = {scale.x, scale.x, scale.x}; break;
    case ShapeType::kCapsule: half = abs(axis) * scale.y + Vec3T<F>{scale.x, scale.x, scale.x}; break;
    case ShapeType::kEllipsoid: half = shape_box::ellipsoid(mat33_from_quat(X_WS.q), scale); break;
    case ShapeType::kCylinder: half = abs(axis) * scale.y + shape_box::disc(axis, scale.x); break;
    case ShapeType::kCone: return shape_box::cone(center, axis, scale);
    default: {
      const F below = upper.z - (upper.x - lower.x) - (upper.y - lower.y);
      lower.z = select(lower.z < F(-kUnbounded / 2), below, lower.z);
      const Mat33T<F> R = mat33_from_quat(X_WS.q);
      const Vec3T<F> local = (upper - lower) * F(0.5);
      center = transform_point(X_WS, (lower + upper) * F(0.5));
      for (int i = 0; i < 3; ++i) half[i] = abs(R[i][0]) * local.x + abs(R[i][1]) * local.y + abs(R[i][2]) * local.z;
    }
  }
  return {center - half, center + half};
}

CAROM_HD Box shape_world_box(ShapeType type, Vec3 scale, Vec3 lower, Vec3 upper, const Transform& X_WS) {
  if (is_half_space(type, scale)) return shape_box::half_space(X_WS.p, axis_z(X_WS.q));
  const BoxT<Real> box = bounded_shape_box(type, scale, lower, upper, X_WS);
  return {box.lower, box.upper};
}

// The same for a shape whose bounds are asked from its geometry.
CAROM_HD Box shape_world_box(const ShapeView& shape, const Transform& X_WS) {
  Vec3 lower = -shape.scale, upper = shape.scale;
  if (shape.type == ShapeType::kMesh) {
    if (shape.geometry->mesh.node_count == 0) return {X_WS.p, X_WS.p};  // nothing but triangles without area
    lower = shape.geometry->mesh.node[0].lower;
    upper = shape.geometry->mesh.node[0].upper;
  } else if (shape.type == ShapeType::kHeightfield) {
    const HeightfieldView& field = shape.geometry->heightfield;
    lower = {-field.hx, -field.hy, field.min_z};
    upper = {field.hx, field.hy, field.max_z};
  } else if (shape.type == ShapeType::kSdf) {
    const SdfView& sdf = shape.geometry->sdf;
    lower = sdf.origin;
    upper = sdf.origin + Vec3{Real(sdf.nx - 1), Real(sdf.ny - 1), Real(sdf.nz - 1)} * sdf.spacing;
  } else if (shape.type == ShapeType::kConvexHull) {
    const HullView& hull = shape.geometry->hull;
    lower = upper = hull.vertex[0];
    for (int v = 1; v < hull.vertex_count; ++v) {
      lower = min(lower, hull.vertex[v]);
      upper = max(upper, hull.vertex[v]);
    }
  } else if (shape.type == ShapeType::kPlane) {
    upper = {shape.scale.x * Real(0.5), shape.scale.y * Real(0.5), 0};
    lower = -upper;
  }
  return shape_world_box(shape.type, shape.scale, lower, upper, X_WS);
}

}  // namespace carom::inline CAROM_PRECISION
