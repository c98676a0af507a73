// Support points of convex shapes: the point of a shape that is farthest along a direction.
//
// A shape is a core plus a ball: a sphere is a point and its radius, a capsule a segment and its radius, an ellipsoid
// the body that its offset surface bounds, inwards by its least radius of curvature; all others are cores of radius 0.
// Distances of cores are distances of shapes plus two radii, so that spheres and capsules are exact. Where shapes
// overlap by less than their balls, their cores are apart, and GJK finds what EPA would need longer for.
#pragma once

#include <limits>

#include "collide/narrow/hull_rows.kernel.h"

namespace carom::inline CAROM_PRECISION {

inline constexpr Real kRounding = std::numeric_limits<Real>::epsilon();

enum class CoreType : std::int32_t { kPoint, kSegment, kBox, kEllipsoid, kCylinder, kCone, kTriangle, kPrism, kHull };

struct ConvexCore {
  CoreType type;
  Real radius;           // of the ball added to the core [m]
  Vec3 size;             // half extents, or radii with the ball; radius and half height of cylinders and cones [m]
  const HullView* hull;  // of a hull; of a box, where it may meet hulls
  Vec3 corner[3];        // of a triangle, or of the upper end of a prism, whose lower end is at z = size.z [m]
};

// A point of a core, and its number where the core has finitely many corners (-1 otherwise).
struct SupportPoint {
  Vec3 p;
  int id;
};

// The radius of a ball that rolls along the surface of an ellipsoid inside and touches all of it: its least radius of
// curvature, or a little less, so that rounding leaves the core convex.
CAROM_HD Real inner_ball(Vec3 radii) {
  const Real least = min(radii.x, min(radii.y, radii.z)), most = max(radii.x, max(radii.y, radii.z));
  return Real(0.999) * least * (least / most);
}

// The core of a convex shape. A plane is its rectangle, a box without height.
CAROM_HD ConvexCore convex_core(const ShapeView& shape) {
  const Vec3 s = shape.scale;
  switch (shape.type) {
    case ShapeType::kCapsule: return {CoreType::kSegment, s.x, {0, 0, s.y}, nullptr, {}};
    case ShapeType::kEllipsoid: return {CoreType::kEllipsoid, inner_ball(s), s, nullptr, {}};
    case ShapeType::kCylinder: return {CoreType::kCylinder, 0, {s.x, s.x, s.y}, nullptr, {}};
    case ShapeType::kCone: return {CoreType::kCone, 0, {s.x, s.x, s.y}, nullptr, {}};
    case ShapeType::kBox: return {CoreType::kBox, 0, s, shape.geometry ? &shape.geometry->hull : nullptr, {}};
    case ShapeType::kPlane: return {CoreType::kBox, 0, {s.x / 2, s.y / 2, 0}, nullptr, {}};
    case ShapeType::kConvexHull: return {CoreType::kHull, 0, {}, &shape.geometry->hull, {}};
    default: return {CoreType::kPoint, s.x, {}, nullptr, {}};
  }
}
// The same for a shape before triangles: whether a triangle is cut is asked of the whole of an ellipsoid, not of what
// is left of it within a ball.
CAROM_HD ConvexCore core_before_triangles(const ShapeView& shape) {
  ConvexCore core = convex_core(shape);
  if (core.type == CoreType::kEllipsoid) core.radius = 0;
  return core;
}
CAROM_HD ConvexCore triangle_core(Vec3 a, Vec3 b, Vec3 c) { return {CoreType::kTriangle, 0, {}, nullptr, {a, b, c}}; }
// What is between a triangle and the plane z = bottom below it.
CAROM_HD ConvexCore prism_core(const Vec3* top, Real bottom) {
  return {CoreType::kPrism, 0, {0, 0, bottom}, nullptr, {top[0], top[1], top[2]}};
}

// A point well inside, from where searches set out.
CAROM_HD Vec3 core_center(const ConvexCore& core) {
  if (core.type == CoreType::kHull) return core.hull->center;
  if (core.type != CoreType::kTriangle && core.type != CoreType::kPrism) return {};
  const Vec3 middle = (core.corner[0] + core.corner[1] + core.corner[2]) * Real(1.0 / 3);
  return core.type == CoreType::kPrism ? Vec3{middle.x, middle.y, (middle.z + core.size.z) / 2} : middle;
}
// About how large the shape is, for tolerances [m].
CAROM_HD Real core_size(const ConvexCore& core) {
  if (core.type == CoreType::kHull) return length(core.hull->vertex[0] - core.hull->center);
  if (core.type == CoreType::kTriangle || core.type == CoreType::kPrism) return length(core.corner[1] - core.corner[0]);
  const Real size = max(core.size.x, max(core.size.y, core.size.z));
  return core.type == CoreType::kEllipsoid ? size : size + core.radius;
}
CAROM_HD bool is_curved(const ConvexCore& core) {
  return core.type == CoreType::kEllipsoid || core.type == CoreType::kCylinder || core.type == CoreType::kCone;
}

CAROM_HD Vec3 box_corner(Vec3 half, int id) {
  return {id & 1 ? half.x : -half.x, id & 2 ? half.y : -half.y, id & 4 ? half.z : -half.z};
}

}  // namespace carom::inline CAROM_PRECISION

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// The cell of HullDirections that d, of any length, is in.
CAROM_HD int direction_cell(Vec3 d, int side) {
  const Real x = abs(d.x), y = abs(d.y), z = abs(d.z);
  const int axis = x >= y ? (x >= z ? 0 : 2) : (y >= z ? 1 : 2);
  const Real along = axis == 0 ? d.x : axis == 1 ? d.y : d.z;
  const Real u = axis == 0 ? d.y : axis == 1 ? d.z : d.x, v = axis == 0 ? d.z : axis == 1 ? d.x : d.y;
  const Real half = Real(side) / 2, per = half / max(abs(along), std::numeric_limits<Real>::min());
  const auto place = [&](Real coordinate) CAROM_HD_LAMBDA {
    const Real at = fma(coordinate, per, half);
    return at > 0 ? (at < Real(side) ? static_cast<int>(at) : side - 1) : 0;  // also where d is not a number
  };
  return ((2 * axis + (along > 0 ? 1 : 0)) * side + place(v)) * side + place(u);
}

// The vertex farthest along d; of equal ones the first.
CAROM_HD_LARGE int farthest_by_direction(const HullView& hull, Vec3 d) {
  const HullDirections& list = hull.directions;
  const int cell = direction_cell(d, list.side), begin = list.start[cell], count = list.start[cell + 1] - begin;
  return list.id[begin + farthest_of_rows(list.vertex + 3 * std::int64_t{begin}, count, count, d)];
}

CAROM_HD SupportPoint round_support(const ConvexCore& core, Vec3 d) {
  const Vec3 s = core.size;
  if (core.type == CoreType::kEllipsoid) {
    // The farthest point of the whole less the ball's.
    const Vec3 scaled{s.x * d.x, s.y * d.y, s.z * d.z};
    const Real l = length(scaled);
    if (!(l > 0)) return {{}, -1};
    const Real inv = 1 / l, ball = core.radius / length(d);
    return {{d.x * fma(s.x * inv, s.x, -ball), d.y * fma(s.y * inv, s.y, -ball), d.z * fma(s.z * inv, s.z, -ball)}, -1};
  }
  const Real radial = sqrt(fma(d.x, d.x, d.y * d.y));
  // Along the axis but for rounding the middle of the cap is as far as its rim.
  const Real inv = radial > kRounding * abs(d.z) ? s.x / radial : Real(0);
  if (core.type == CoreType::kCone) {
    if (2 * s.z * d.z >= s.x * radial) return {{0, 0, s.z}, -1};
    return {{d.x * inv, d.y * inv, -s.z}, -1};
  }
  return {{d.x * inv, d.y * inv, d.z < 0 ? -s.z : s.z}, -1};
}

// Corners of the upper end have the numbers 0 to 2, those below them 3 to 5.
CAROM_HD SupportPoint prism_support(const ConvexCore& core, Vec3 d) {
  const bool lower = d.z < 0;
  Vec3 p{};
  Real most = 0;
  int id = -1;
  for (int k = 0; k < 3; ++k) {
    const Vec3 c = core.corner[k], corner{c.x, c.y, lower ? core.size.z : c.z};
    const Real along = dot(corner, d);
    if (id < 0 || along > most) most = along, p = corner, id = k;
  }
  return {p, lower ? id + 3 : id};
}

// The farthest point of the core along d (of any length), in the core's frame.
CAROM_HD_LARGE SupportPoint core_support(const ConvexCore& core, Vec3 d) {
  switch (core.type) {
    case CoreType::kPoint: return {{}, 0};
    case CoreType::kSegment: return {{0, 0, d.z < 0 ? -core.size.z : core.size.z}, d.z < 0 ? 0 : 1};
    case CoreType::kBox: {
      const int id = (d.x < 0 ? 0 : 1) | (d.y < 0 ? 0 : 2) | (d.z < 0 ? 0 : 4);
      return {{copysign(core.size.x, d.x < 0 ? Real(-1) : Real(1)), copysign(core.size.y, d.y < 0 ? Real(-1) : Real(1)),
               copysign(core.size.z, d.z < 0 ? Real(-1) : Real(1))},
              id};
    }
    case CoreType::kTriangle: {
      const Real x = dot(core.corner[0], d), y = dot(core.corner[1], d), z = dot(core.corner[2], d);
      const int id = x >= y ? (x >= z ? 0 : 2) : (y >= z ? 1 : 2);
      return {core.corner[id], id};
    }
    case CoreType::kPrism: return prism_support(core, d);
    case CoreType::kHull: {
      const HullView& hull = *core.hull;
      const int id = hull.directions.side == 0 ? farthest_vertex(hull, d) : farthest_by_direction(hull, d);
      return {hull.vertex[id], id};
    }
    default: return round_support(core, d);
  }
}

// Two cores in the frame of the first one.
struct CorePair {
  const ConvexCore& a;
  const ConvexCore& b;
  Mat33 R_AB;
  Vec3 p_AB;  // [m]
};

// A direction and how far the cores are apart along it.
struct SeparatingAxis {
  Vec3 normal;      // unit, from A to B, frame of A
  Real separation;  // negative: they overlap that much [m]
};

CAROM_HD CorePair core_pair(const ConvexCore& a, const Transform& X_WA, const ConvexCore& b, const Transform& X_WB) {
  const Quat q_AW = conjugate(X_WA.q);
  return {a, b, mat33_from_quat(q_AW * X_WB.q), rotate(q_AW, X_WB.p - X_WA.p)};
}
CAROM_HD Vec3 to_b(const CorePair& pair, Vec3 v) {
  return fma(pair.R_AB.row2, v.z, fma(pair.R_AB.row1, v.y, pair.R_AB.row0 * v.x));
}
CAROM_HD Vec3 point_from_b(const CorePair& pair, Vec3 p) { return pair.R_AB * p + pair.p_AB; }

// A point of the set of differences A - B: w = a - b. The cores overlap where this set holds the origin.
struct DifferencePoint {
  Vec3 w, a;   // [m], frame of A
  int ia, ib;  // numbers of the corners, -1 on curved parts
};

// The point of A - B farthest along n.
CAROM_HD_LARGE DifferencePoint difference_support(const CorePair& pair, Vec3 n) {
  const SupportPoint a = core_support(pair.a, n);
  const SupportPoint b = core_support(pair.b, -to_b(pair, n));
  return {a.p - point_from_b(pair, b.p), a.p, a.id, b.id};
}

CAROM_HD bool same_corners(const DifferencePoint& p, const DifferencePoint& q) {
  return p.ia >= 0 && p.ib >= 0 && p.ia == q.ia && p.ib == q.ib;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
