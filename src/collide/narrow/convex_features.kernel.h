// The part of a core that lies farthest along a direction: a face, an edge or a corner, as a polygon of up to 16 points
// with numbers that stay the same while the part does.
//
// How near to the direction the normal of a face must be to count is asked in two ways. Where one point is wanted,
// kExact: the part is farthest but for a tilt that is much more than the noise of a resting shape. Where the points of
// a manifold are wanted, kOutline: the face or edge that faces along the direction at whatever tilt, as each of its
// points has a distance of its own. Caps of cylinders and cones are octagons with corners on the rim.
#pragma once

#include "collide/narrow/support.kernel.h"

namespace carom::inline CAROM_PRECISION {

inline constexpr int kMaxFeature = 16;

struct FeatureLimits {
  Real face;  // least cosine of the angle between the direction and the normal of a face
  Real edge;  // greatest cosine of the angle between the direction and an edge
};
inline constexpr FeatureLimits kExact{Real(1 - 0.5e-4), Real(1e-2)};  // 1e-2 rad
inline constexpr FeatureLimits kOutline{Real(0.5), Real(0.7)};        // 60 and 45 degrees

struct ConvexFeature {
  int count = 0;  // 1: a corner or a point of a curved part, 2: an edge, more: a face
  union {         // keeps the corners that are not there from being set to zero, which would take as long as the rest
    Vec3 corner[kMaxFeature];
  };
  int id[kMaxFeature];
  Vec3 normal;  // of a face, unit, outwards

  CAROM_HD ConvexFeature() {}
};

}  // namespace carom::inline CAROM_PRECISION

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

CAROM_HD void add_feature_corner(ConvexFeature& feature, Vec3 p, int id) {
  feature.corner[feature.count] = p;
  feature.id[feature.count++] = id;
}

// The axis nearest to n; of equal ones the first.
CAROM_HD int nearest_axis(Vec3 n) {
  const Vec3 size = abs(n);
  if (size.x >= size.y) return size.x >= size.z ? 0 : 2;
  return size.y >= size.z ? 1 : 2;
}

// Of a box: bit k of a corner's number says that it is on the positive side of axis k. Along an axis that the direction
// is across of, the feature has both sides. A box without height has one face, seen from both sides, and no others.
CAROM_HD_LARGE void box_feature(Vec3 half, Vec3 n, FeatureLimits limits, ConvexFeature& feature) {
  const Vec3 size = abs(n);
  const bool flat = half.z == 0;
  const int id = (n.x < 0 ? 0 : 1) | (n.y < 0 ? 0 : 2) | (n.z < 0 ? 0 : 4);
  const int nearest = flat ? 2 : nearest_axis(n);
  if (size[nearest] > limits.face) {
    const int u = 1 << (nearest + 1) % 3, v = 1 << (nearest + 2) % 3, side = id & (1 << nearest);
    const int turn[4] = {side, side | u, side | u | v, side | v};
    for (const int corner : turn) add_feature_corner(feature, box_corner(half, corner), corner);
    feature.normal = {};
    feature.normal[nearest] = side ? Real(1) : Real(-1);
    return;
  }
  const int low = flat ? id & 3 : id;  // a corner of the rectangle has one number, not one for each side
  const int most = flat || size.z >= min(size.x, size.y) ? (size.x <= size.y ? 0 : 1) : 2;  // the axis most across
  if (size[most] < limits.edge) {
    add_feature_corner(feature, box_corner(half, low & ~(1 << most)), low & ~(1 << most));
    add_feature_corner(feature, box_corner(half, low | 1 << most), low | 1 << most);
    return;
  }
  add_feature_corner(feature, box_corner(half, low), low);
}

// Eight points of the rim at height z, counter-clockwise seen from outside.
CAROM_HD void cap_feature(Real radius, Real z, bool top, ConvexFeature& feature) {
  const Real d = radius * Real(0.70710678118654752440);
  const Real x[8] = {radius, d, 0, -d, -radius, -d, 0, d};
  for (int k = 0; k < 8; ++k) {
    const int corner = top ? k : 7 - k;
    add_feature_corner(feature, {x[corner], x[(corner + 6) % 8], z}, corner + (top ? 8 : 0));
  }
  feature.normal = {0, 0, top ? Real(1) : Real(-1)};
}

CAROM_HD void cylinder_feature(Vec3 size, Vec3 n, FeatureLimits limits, ConvexFeature& feature) {
  if (abs(n.z) > limits.face) return cap_feature(size.x, n.z < 0 ? -size.z : size.z, !(n.z < 0), feature);
  const Real inv = size.x / sqrt(fma(n.x, n.x, n.y * n.y)), x = n.x * inv, y = n.y * inv;
  if (abs(n.z) < limits.edge) {
    add_feature_corner(feature, {x, y, -size.z}, 16);
    add_feature_corner(feature, {x, y, size.z}, 17);
  } else {
    add_feature_corner(feature, {x, y, n.z < 0 ? -size.z : size.z}, n.z < 0 ? 16 : 17);
  }
}

CAROM_HD void cone_feature(Vec3 size, Vec3 n, FeatureLimits limits, ConvexFeature& feature) {
  if (-n.z > limits.face) return cap_feature(size.x, -size.z, false, feature);
  const Real radial = sqrt(fma(n.x, n.x, n.y * n.y)), inv = radial > 0 ? size.x / radial : Real(0);
  const Vec3 rim{n.x * inv, n.y * inv, -size.z}, apex{0, 0, size.z};
  const Real slope = dot(n, apex - rim);  // 0 when the direction stands on the side
  // Along the axis no line of the side is nearer than the others.
  const bool side = abs(slope) < limits.edge * length(apex - rim) && radial > kExact.edge;
  if (side || slope < 0) add_feature_corner(feature, rim, 16);
  if (side || slope >= 0) add_feature_corner(feature, apex, 17);
}

CAROM_HD void triangle_feature(const ConvexCore& core, Vec3 n, FeatureLimits limits, ConvexFeature& feature) {
  const Vec3 normal = normalize(cross(core.corner[1] - core.corner[0], core.corner[2] - core.corner[0]));
  const Real cosine = dot(normal, n);
  if (abs(cosine) > limits.face) {
    for (int k = 0; k < 3; ++k) add_feature_corner(feature, core.corner[k], k);
    feature.normal = cosine < 0 ? -normal : normal;
    return;
  }
  const int far = core_support(core, n).id;
  int other = -1;
  Real least = limits.edge;
  for (int k = 0; k < 3; ++k) {
    if (k == far) continue;
    const Vec3 e = core.corner[far] - core.corner[k];
    const Real slope = dot(n, e);
    if (slope < least * length(e)) least = slope / length(e), other = k;
  }
  add_feature_corner(feature, core.corner[far], far);
  if (other >= 0) add_feature_corner(feature, core.corner[other], other);
}

// Faces with more than 16 corners are thinned evenly.
CAROM_HD void hull_face_feature(const HullView& hull, const HullFace& face, ConvexFeature& feature) {
  const int count = face.count < kMaxFeature ? face.count : kMaxFeature;
  for (int k = 0; k < count; ++k) {
    const int v = hull.face_vertex[face.first + k * face.count / count];
    add_feature_corner(feature, hull.vertex[v], v);
  }
  feature.normal = face.normal;
}

// The exact corner or edge where no more than two vertices are near the top: those of a face within the limit would all
// be there, and two alone have an edge, since from each vertex edges lead upwards. Returns false where there are more.
CAROM_HD bool hull_top_feature(const HullView& hull, Vec3 n, ConvexFeature& feature) {
  const std::uint64_t top = vertices_at_top(hull, n, 2 * kExact.edge * hull.outer_radius);
  const int low = lowest_bit(top), high = highest_bit(top);
  const std::uint64_t ends = std::uint64_t{1} << low | std::uint64_t{1} << high;
  if (top != ends) return false;
  const Vec3 e = hull.vertex[high] - hull.vertex[low];
  const Real slope = dot(n, e);
  const bool edge = abs(slope) < kExact.edge * length(e);
  const int first = !edge && slope > 0 ? high : low;
  add_feature_corner(feature, hull.vertex[first], first);
  if (edge) add_feature_corner(feature, hull.vertex[high], high);
  return true;
}

// Of the faces that pass through both vertices the one whose normal is nearest to n; -1 if there is none. Of a slanted
// hull the nearest of all need not be at its end.
CAROM_HD int face_through(const HullView& hull, Vec3 v0, Vec3 v1, Vec3 n) {
  const HullRows& rows = hull.rows;
  const HullRow below(Real(-64) * kRounding * hull.outer_radius), nothing(Real(-2));
  const Row3 first = row3_of(v0), second = row3_of(v1), direction = row3_of(n);
  GreatestInRows best;
  for (int f = 0; f < hull.face_count; f += kRowWidth) {
    const Row3 normal = load_row3(rows.face + f, rows.face_stride);
    const HullRow offset = load_row(rows.face + 3 * rows.face_stride + f);
    const auto through = min(dot(normal, first), dot(normal, second)) - offset > below;
    best.look_at(select(through, dot(normal, direction), nothing));
  }
  return greatest(best.value) > -2 ? best.place() : -1;
}

CAROM_HD_LARGE void hull_feature(const ConvexCore& core, Vec3 n, FeatureLimits limits, ConvexFeature& feature) {
  const HullView& hull = *core.hull;
  const bool exact = limits.face == kExact.face;
  if (exact && hull.vertex_count <= kMostBits && hull_top_feature(hull, n, feature)) return;
  const int far = core_support(core, n).id;
  int other = -1;
  Real least = limits.edge;
  for (int k = hull.neighbor_start[far]; k < hull.neighbor_start[far + 1]; ++k) {
    const Vec3 e = hull.vertex[far] - hull.vertex[hull.neighbor[k]];
    const Real slope = dot(n, e) / length(e);
    other = slope < least ? hull.neighbor[k] : other;
    least = min(slope, least);
  }
  const int level = least < kExact.edge ? other : far;  // the other end of the top where that is an edge or a face
  const int face = face_through(hull, hull.vertex[far], hull.vertex[level], n);
  if (face >= 0 && dot(hull.face[face].normal, n) > limits.face)
    return hull_face_feature(hull, hull.face[face], feature);
  const int low = other < 0 || far < other ? far : other;
  add_feature_corner(feature, hull.vertex[low], low);
  if (other >= 0) add_feature_corner(feature, hull.vertex[far + other - low], far + other - low);
}

// The part of the core farthest along the unit vector n, in the core's frame.
CAROM_HD_LARGE void core_feature(const ConvexCore& core, Vec3 n, FeatureLimits limits, ConvexFeature& feature) {
  feature.count = 0;
  switch (core.type) {
    case CoreType::kBox: return box_feature(core.size, n, limits, feature);
    case CoreType::kCylinder: return cylinder_feature(core.size, n, limits, feature);
    case CoreType::kCone: return cone_feature(core.size, n, limits, feature);
    case CoreType::kTriangle: return triangle_feature(core, n, limits, feature);
    case CoreType::kHull: return hull_feature(core, n, limits, feature);
    case CoreType::kSegment:
      if (!(n.z >= limits.edge)) add_feature_corner(feature, {0, 0, -core.size.z}, 0);
      if (!(n.z <= -limits.edge)) add_feature_corner(feature, {0, 0, core.size.z}, 1);
      return;
    default: {
      const SupportPoint p = core_support(core, n);
      return add_feature_corner(feature, p.p, 0);
    }
  }
}

// The same of B in a pair, in the frame of A.
CAROM_HD void feature_of_b(const CorePair& pair, Vec3 n_A, FeatureLimits limits, ConvexFeature& feature) {
  core_feature(pair.b, to_b(pair, n_A), limits, feature);
  for (int k = 0; k < feature.count; ++k) feature.corner[k] = point_from_b(pair, feature.corner[k]);
  feature.normal = pair.R_AB * feature.normal;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
