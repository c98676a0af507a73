// Faces and edges of a convex core around the part that is farthest along a direction: what MuJoCo lays on each other
// to find more than one point. Of a vertex all faces and edges that meet there, of an edge that one and its two faces,
// of a face that alone. A cylinder has its cap, a polygon of 16 corners, or the line of its side, a capsule its axis,
// moved to the surface.
#pragma once

#include "collide/narrow/convex_features.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

namespace as_mujoco {

// What the search for the direction leaves open.
inline constexpr FeatureLimits kTight{sizeof(Real) == 8 ? Real(1 - 0.5e-12) : Real(1 - 0.5e-7),
                                      sizeof(Real) == 8 ? Real(1e-6) : Real(3e-4)};

struct FlatParts {
  static constexpr int kMost = 16;
  int faces = 0, edges = 0;
  Real grown = 0;  // by which the edges are outside of the shape [m]
  // As in ConvexFeature: what is not there need not be zero.
  union {
    Vec3 normal[kMost];  // of faces, unit, outwards
  };
  union {
    Vec3 tail[kMost];  // of edges
  };
  union {
    Vec3 head[kMost];
  };
  int face[kMost];                     // number in the core
  int tail_id[kMost], head_id[kMost];  // of edges

  CAROM_HD FlatParts() {}
  CAROM_HD void add_face(Vec3 n, int number) {
    if (faces == kMost) return;
    normal[faces] = n;
    face[faces++] = number;
  }
  CAROM_HD void add_edge(Vec3 p, int p_id, Vec3 q, int q_id) {
    if (edges == kMost) return;
    tail[edges] = p, head[edges] = q;
    tail_id[edges] = p_id, head_id[edges++] = q_id;
  }
};

// Faces: number 2 k on the negative side of axis k, 2 k + 1 on the positive one.
CAROM_HD void box_parts(Vec3 half, const ConvexFeature& top, FlatParts& parts) {
  int all = 7, any = 0;  // bits of the corners
  for (int i = 0; i < top.count; ++i) all &= top.id[i], any |= top.id[i];
  for (int k = 0; k < 3; ++k) {
    const int bit = 1 << k, side = any >> k & 1;
    if ((all & bit) == (any & bit)) {
      Vec3 n{};
      n[k] = side ? Real(1) : Real(-1);
      parts.add_face(n, 2 * k + side);
    }
    // Through a corner three edges, of an edge itself.
    if (top.count == 1 || (top.count == 2 && (all & bit) != (any & bit))) {
      const int low = any & ~bit, high = any | bit;
      parts.add_edge(box_corner(half, low), low, box_corner(half, high), high);
    }
  }
}

CAROM_HD bool has_corner(const HullView& hull, const HullFace& face, int vertex) {
  for (int i = 0; i < face.count; ++i)
    if (hull.face_vertex[face.first + i] == vertex) return true;
  return false;
}
CAROM_HD_LARGE void hull_parts(const HullView& hull, const ConvexFeature& top, FlatParts& parts) {
  const int v = top.id[0];
  for (int f = 0; f < hull.face_count; ++f) {
    const HullFace& face = hull.face[f];
    bool whole = has_corner(hull, face, v);
    for (int i = 1; i < top.count && whole; ++i) whole = has_corner(hull, face, top.id[i]);
    if (whole) parts.add_face(face.normal, f);
  }
  if (top.count == 2) parts.add_edge(top.corner[0], v, top.corner[1], top.id[1]);
  if (top.count != 1) return;
  for (int k = hull.neighbor_start[v]; k < hull.neighbor_start[v + 1]; ++k)
    parts.add_edge(hull.vertex[v], v, hull.vertex[hull.neighbor[k]], hull.neighbor[k]);
}

// The cap, or the line of the side below n, whichever faces n.
CAROM_HD void cylinder_parts(Vec3 size, Vec3 n, FlatParts& parts) {
  const bool top = !(n.z < 0);
  const Real radial2 = fma(n.x, n.x, n.y * n.y);
  if (n.z * n.z > radial2) return parts.add_face({0, 0, top ? Real(1) : Real(-1)}, top ? 1 : 0);
  const Real inv = size.x / sqrt(radial2), x = n.x * inv, y = n.y * inv;
  parts.add_edge({x, y, -size.z}, 16, {x, y, size.z}, 17);
}

// In the core's frame, as n. grown: by how much capsules are, half the reach.
CAROM_HD_LARGE void flat_parts(const ConvexCore& core, Vec3 n, Real grown, FlatParts& parts) {
  if (core.type == CoreType::kCylinder) return cylinder_parts(core.size, n, parts);
  if (core.type == CoreType::kSegment) {
    const Real r = core.radius + grown, x = n.x * r, y = n.y * r;
    parts.grown = grown;
    return parts.add_edge({x, y, -core.size.z}, 0, {x, y, core.size.z}, 1);
  }
  ConvexFeature top;
  core_feature(core, n, kTight, top);
  if (core.type == CoreType::kBox) box_parts(core.size, top, parts);
  if (core.type == CoreType::kHull) hull_parts(*core.hull, top, parts);
}

// The polygon of a face by its number, counter-clockwise seen from outside.
CAROM_HD void cap_polygon(Vec3 size, bool top, ConvexFeature& polygon) {
  constexpr Real kCos = Real(0.92387953251128675613), kSin = Real(0.38268343236508977173);  // of 22.5 degrees
  Vec3 p{size.x, 0, top ? size.z : -size.z};
  const Real sine = top ? kSin : -kSin;
  for (int k = 0; k < 16; ++k) {
    add_feature_corner(polygon, p, k);
    p = {fma(kCos, p.x, -(sine * p.y)), fma(sine, p.x, kCos * p.y), p.z};
  }
}
CAROM_HD_LARGE void face_polygon(const ConvexCore& core, int number, Vec3 normal, ConvexFeature& polygon) {
  polygon.count = 0;
  if (core.type == CoreType::kBox) return box_feature(core.size, normal, kOutline, polygon);
  if (core.type == CoreType::kCylinder) cap_polygon(core.size, number == 1, polygon);
  else hull_face_feature(*core.hull, core.hull->face[number], polygon);
  polygon.normal = normal;
}

}  // namespace as_mujoco

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
