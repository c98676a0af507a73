// Boxes with axes along the world's that hold a posed shape: as small as can be for spheres, capsules, ellipsoids,
// cylinders, cones and boxes; of meshes, hulls and fields the turned box of the local bounds.
#pragma once

#include "carom/geometry.h"
#include "collide/broad/box.h"
#include "geometry/shape_view.h"

namespace carom::inline CAROM_PRECISION {

namespace shape_box {

CAROM_HD Vec3 absolute(Vec3 v) { return {abs(v.x), abs(v.y), abs(v.z)}; }

// Half extents of a disc with unit normal n.
CAROM_HD Vec3 disc(Vec3 n, Real radius) {
  Vec3 half;
  for (int i = 0; i < 3; ++i) half[i] = radius * sqrt(max(Real(0), fma(-n[i], n[i], Real(1))));
  return half;
}

CAROM_HD Vec3 ellipsoid(const Mat33& R, Vec3 radii) {
  Vec3 half;
  for (int i = 0; i < 3; ++i) {
    const Vec3 row{R[i][0] * radii.x, R[i][1] * radii.y, R[i][2] * radii.z};
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

CAROM_HD Box cone(Vec3 center, Vec3 axis, Vec3 scale) {
  const Vec3 apex = fma(axis, scale.y, center), base = fma(axis, -scale.y, center), rim = disc(axis, scale.x);
  Box box;
  for (int i = 0; i < 3; ++i) {
    box.lower[i] = min(apex[i], base[i] - rim[i]);
    box.upper[i] = max(apex[i], base[i] + rim[i]);
  }
  return box;
}

}  // namespace shape_box

// A plane without end, at least along one axis.
CAROM_HD bool is_half_space(ShapeType type, Vec3 scale) {
  return type == ShapeType::kPlane && !(scale.x > 0 && scale.y > 0);
}

// lower, upper: bounds in the shape's frame. The solid below a heightfield has no end; its box goes down as far as the
// field is wide and long, so that turning it does not lose all digits.
CAROM_HD Box shape_world_box(ShapeType type, Vec3 scale, Vec3 lower, Vec3 upper, const Transform& X_WS) {
  const Vec3 axis = rotate(X_WS.q, Vec3{0, 0, 1});
  Vec3 center = X_WS.p, half;
  if (is_half_space(type, scale)) return shape_box::half_space(center, axis);
  switch (type) {
    case ShapeType::kSphere: half = {scale.x, scale.x, scale.x}; break;
    case ShapeType::kCapsule: half = shape_box::absolute(axis) * scale.y + Vec3{scale.x, scale.x, scale.x}; break;
    case ShapeType::kEllipsoid: half = shape_box::ellipsoid(mat33_from_quat(X_WS.q), scale); break;
    case ShapeType::kCylinder: half = shape_box::absolute(axis) * scale.y + shape_box::disc(axis, scale.x); break;
    case ShapeType::kCone: return shape_box::cone(center, axis, scale);
    default: {
      if (lower.z < -kUnbounded / 2) lower.z = upper.z - (upper.x - lower.x) - (upper.y - lower.y);
      const Mat33 R = mat33_from_quat(X_WS.q);
      const Vec3 local = (upper - lower) * Real(0.5);
      center = transform_point(X_WS, (lower + upper) * Real(0.5));
      for (int i = 0; i < 3; ++i) half[i] = abs(R[i][0]) * local.x + abs(R[i][1]) * local.y + abs(R[i][2]) * local.z;
    }
  }
  return {center - half, center + half};
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
