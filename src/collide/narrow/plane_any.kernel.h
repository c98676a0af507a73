// An infinite plane against a shape of any type with a volume: points of the shape's surface, each with its height over
// the plane.
//
// Which points are listed is decided by the orientation alone, with thresholds that lie away from the ways in which
// shapes come to rest: a body on a face, an edge, a corner or a rim lists the same points however its pose is rounded.
#pragma once

#include "collide/contact_point.h"
#include "collide/narrow/reduce.kernel.h"
#include "geometry/mesh_walk.kernel.h"
#include "geometry/point/sdf.kernel.h"
#include "geometry/point/surface_point.h"
#include "geometry/shape_view.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

namespace planes {

// The plane as the shape B sees it, and the contacts found so far.
struct PlaneContacts {
  Transform X_WB;
  Vec3 normal_W, normal_B;
  Real origin_height;  // of the origin of B over the plane [m]
  Real reach;          // [m]
  ContactPoint* out;
  int count = 0;

  CAROM_HD PlaneContacts(const Transform& X_WA, const Transform& X_WB_in, Real reach_in, ContactPoint* out_in)
      : X_WB(X_WB_in), reach(reach_in), out(out_in) {
    normal_W = axis_z(X_WA.q);
    normal_B = rotate_inverse(X_WB.q, normal_W);
    origin_height = dot(normal_W, X_WB.p - X_WA.p);
  }
  CAROM_HD Real height(Vec3 p_B) const { return origin_height + dot(normal_B, p_B); }
  CAROM_HD void add(Vec3 p_B, int feature) {
    const Real h = height(p_B);
    if (h < reach) out[count++] = {fma(normal_W, Real(-0.5) * h, transform_point(X_WB, p_B)), normal_W, h, feature};
  }
};

// The spheres at the ends of the axis.
CAROM_HD void add_capsule(PlaneContacts& c, Real radius, Real half_height) {
  c.add(fma(c.normal_B, -radius, Vec3{0, 0, half_height}), 0);
  c.add(fma(c.normal_B, -radius, Vec3{0, 0, -half_height}), 1);
}

// The lowest point: x_i = - e_i^2 n_i / |(e_i n_i)|.
CAROM_HD void add_ellipsoid(PlaneContacts& c, Vec3 e) {
  const Vec3 scaled = {e.x * c.normal_B.x, e.y * c.normal_B.y, e.z * c.normal_B.z};
  const Vec3 unit = normalize(scaled);
  c.add({-e.x * unit.x, -e.y * unit.y, -e.z * unit.z}, 0);
}

// Corners; without those of the upper face when it lies nearly flat (within 32 degrees).
CAROM_HD void add_box(PlaneContacts& c, Vec3 half) {
  constexpr Real kFlat = Real(0.85);
  for (int i = 0; i < 8; ++i) {
    const Vec3 sign = {Real(i & 1 ? 1 : -1), Real(i & 2 ? 1 : -1), Real(i & 4 ? 1 : -1)};
    const Vec3 n = c.normal_B;
    if (sign.x * n.x > kFlat || sign.y * n.y > kFlat || sign.z * n.z > kFlat) continue;
    c.add({sign.x * half.x, sign.y * half.y, sign.z * half.z}, i);
  }
}

// How steep a disc with axis z stands, and where its lowest point is.
struct Disc {
  Real tilt;    // sine of the angle between z and the plane's normal
  Vec3 lowest;  // unit; of no meaning for a disc without tilt

  CAROM_HD explicit Disc(Vec3 normal_B) {
    const HalfPlane across(normal_B);
    tilt = across.radius;
    lowest = -across.outward;
  }
};
// Below it a disc lies flat, and its lowest point is rounding.
inline constexpr Real kNoTilt = sizeof(Real) == 8 ? Real(1e-7) : Real(1e-5);
inline constexpr Real kFaceDown = Real(0.5);  // a disc within 60 degrees of flat lists its rim

// Four points of a rim that belong to the body, without the one that the lowest point, listed before, stands for.
CAROM_HD void add_rim(PlaneContacts& c, const Disc& disc, Real radius, Real z, int feature) {
  constexpr Real kBeside = Real(0.95);  // within 18 degrees
  const auto add = [&](Vec3 direction, int f) CAROM_HD_LAMBDA {
    if (disc.tilt > kNoTilt && dot(disc.lowest, direction) > kBeside) return;
    c.add(fma(direction, radius, Vec3{0, 0, z}), f);
  };
  add({1, 0, 0}, feature);
  add({0, 1, 0}, feature + 1);
  add({-1, 0, 0}, feature + 2);
  add({0, -1, 0}, feature + 3);
}

// The ends of the lowest line of the side (features 0 and 1: at +z and -z), and the rim of a cap that faces the plane.
CAROM_HD void add_cylinder(PlaneContacts& c, Real radius, Real half_height) {
  const Disc disc(c.normal_B);
  const Real lower = c.normal_B.z < 0 ? half_height : -half_height;
  const Real tilt_of_top = c.normal_B.z < 0 ? kNoTilt : kFaceDown,
             tilt_of_bottom = c.normal_B.z < 0 ? kFaceDown : kNoTilt;
  if (disc.tilt > tilt_of_top) c.add(fma(disc.lowest, radius, Vec3{0, 0, half_height}), 0);
  if (disc.tilt > tilt_of_bottom) c.add(fma(disc.lowest, radius, Vec3{0, 0, -half_height}), 1);
  if (abs(c.normal_B.z) > kFaceDown) add_rim(c, disc, radius, lower, c.normal_B.z < 0 ? 2 : 6);
}

// The apex (feature 0) unless it points away, the lowest point of the rim (1), and the rim of a base that faces down.
CAROM_HD void add_cone(PlaneContacts& c, Real radius, Real half_height) {
  const Disc disc(c.normal_B);
  if (c.normal_B.z < kFaceDown) c.add({0, 0, half_height}, 0);
  if (disc.tilt > kNoTilt) c.add(fma(disc.lowest, radius, Vec3{0, 0, -half_height}), 1);
  if (c.normal_B.z > kFaceDown) add_rim(c, disc, radius, -half_height, 2);
}

// The lowest of many points, and the outermost ones in eight directions along the plane, where height counts against a
// point: one that is higher by h must lie kSteep h farther out. All of them are the farthest along some direction w of
// the body. A point takes the place of an earlier one only if it is better by a margin, so that rounding does not
// choose between equals.
struct PlaneExtremes {
  static constexpr int kSlots = 9;  // the lowest, and one for each direction
  static constexpr Real kSteep = 5, kNothing = Real(1e30);
  static constexpr Real kSameHeight = sizeof(Real) == 8 ? Real(1e-7) : Real(2e-5);  // of the size: well above rounding
  PlaneContacts& contacts;
  Vec3 w[kSlots];
  Real score[kSlots];  // of the best point so far and the margin [m]
  Vec3 point_B[kSlots];
  int feature[kSlots];
  Real size;  // of the body [m]

  CAROM_HD PlaneExtremes(PlaneContacts& contacts_in, Real size_in) : contacts(contacts_in), size(size_in) {
    // Directions at 22.5 degrees and every 45 further: the corners of a rectangle win clearly.
    constexpr Real kCos = Real(0.92387953251128675613), kSin = Real(0.38268343236508977173);
    const Vec3 n = contacts.normal_B, axis = abs(n.z) < Real(0.8) ? Vec3{0, 0, 1} : Vec3{1, 0, 0};
    const Vec3 along = normalize(axis - n * dot(axis, n)), across = cross(n, along), down = n * -kSteep;
    w[0] = -n;
    w[1] = along * kCos + across * kSin, w[2] = along * kSin + across * kCos;
    w[3] = across * kCos - along * kSin, w[4] = across * kSin - along * kCos;
    for (int i = 1; i <= 4; ++i) w[i + 4] = down - w[i], w[i] = down + w[i];
    for (int i = 0; i < kSlots; ++i) score[i] = -kNothing, feature[i] = -1;
  }
  CAROM_HD void add(Vec3 p_B, int f) {
    if (!(contacts.height(p_B) < contacts.reach)) return;
    for (int i = 0; i < kSlots; ++i) {
      const Real value = dot(w[i], p_B);
      if (!(value > score[i])) continue;
      score[i] = value + size * (i == 0 ? kSameHeight : Real(1e-4));
      point_B[i] = p_B;
      feature[i] = f;
    }
  }
  // Whether a point of the box could be listed.
  CAROM_HD bool can_improve(Vec3 lower, Vec3 upper) const {
    const auto corner_along = [&](Vec3 d) CAROM_HD_LAMBDA {
      return Vec3{d.x > 0 ? upper.x : lower.x, d.y > 0 ? upper.y : lower.y, d.z > 0 ? upper.z : lower.z};
    };
    if (!(contacts.height(corner_along(w[0])) < contacts.reach)) return false;
    for (int i = 0; i < kSlots; ++i) {
      if (dot(w[i], corner_along(w[i])) > score[i]) return true;
    }
    return false;
  }
  // Lists each winner once, at most kMaxManifold of them.
  CAROM_HD void finish() {
    ContactPoint found[kSlots];
    ContactPoint* const out = contacts.out;
    contacts.out = found;
    for (int i = 0; i < kSlots; ++i) {
      bool is_new = feature[i] >= 0;
      for (int k = 0; k < i; ++k) is_new = is_new && feature[k] != feature[i];
      if (is_new) contacts.add(point_B[i], feature[i]);
    }
    contacts.out = out;
    contacts.count = reduce_points(found, contacts.count, kMaxManifold);
    for (int i = 0; i < contacts.count; ++i) out[i] = found[i];
  }
};

CAROM_HD_LARGE void add_hull(PlaneContacts& c, const HullView& hull) {
  PlaneExtremes extremes(c, length(hull.vertex[0] - hull.center));
  for (int i = 0; i < hull.vertex_count; ++i) extremes.add(hull.vertex[i], i);
  extremes.finish();
}

CAROM_HD_LARGE void add_mesh(PlaneContacts& c, const MeshView& mesh) {
  if (mesh.node_count == 0) return;
  PlaneExtremes extremes(c, length(mesh.node[0].upper - mesh.node[0].lower) * Real(0.5));
  visit_tree(
      mesh, [&](const BvhNode& box) CAROM_HD_LAMBDA { return extremes.can_improve(box.lower, box.upper); },
      [&](int triangle) CAROM_HD_LAMBDA {
        for (int k = 0; k < 3; ++k) extremes.add(mesh.vertex[mesh.triangle[triangle][k]], mesh.triangle[triangle][k]);
      });
  extremes.finish();
}

// The nodes next to the surface, moved onto it along the gradient. Every place of the surface has such a node within
// half the diagonal of a cell, which is below 0.9 spacings.
CAROM_HD_LARGE void add_sdf(PlaneContacts& c, const SdfView& sdf) {
  const Real s = sdf.spacing, near = Real(0.9) * s;
  const int longest = sdf.nx > sdf.ny ? (sdf.nx > sdf.nz ? sdf.nx : sdf.nz) : (sdf.ny > sdf.nz ? sdf.ny : sdf.nz);
  PlaneExtremes extremes(c, Real(0.5) * s * Real(longest));
  for (int k = 0; k < sdf.nz; ++k) {
    for (int j = 0; j < sdf.ny; ++j) {
      const Vec3 row = sdf.origin + Vec3{0, Real(j), Real(k)} * s, last = row + Vec3{Real(sdf.nx - 1) * s, 0, 0};
      if (!(min(c.height(row), c.height(last)) < c.reach + near)) continue;
      for (int i = 0; i < sdf.nx; ++i) {
        const int node = int((std::int64_t(k) * sdf.ny + j) * sdf.nx + i);
        if (!(abs(sdf.value[node]) <= near)) continue;
        Vec3 p = row + Vec3{Real(i) * s, 0, 0};
        if (!(c.height(p) < c.reach + near)) continue;
        for (int step = 0; step < 2; ++step) {
          const FieldSample field = sample_field(sdf, p);
          p = fma(field.gradient, -field.value / max(length_squared(field.gradient), Real(0.1)), p);
        }
        extremes.add(p, node);
      }
    }
  }
  extremes.finish();
}

}  // namespace planes

// The plane z = 0 of X_WA (first; its own scale is not looked at) and shape b (second). Lists the points that are
// nearer than reach, at most kMaxManifold, in `out`, and returns their number. Normals are those of the plane. Planes
// and heightfields give nothing.
CAROM_HD_LARGE int plane_any(const Transform& X_WA, const ShapeView& b, const Transform& X_WB, Real reach,
                             ContactPoint* out) {
  planes::PlaneContacts c(X_WA, X_WB, reach, out);
  switch (b.type) {
    case ShapeType::kSphere: c.add(c.normal_B * -b.scale.x, 0); break;
    case ShapeType::kCapsule: planes::add_capsule(c, b.scale.x, b.scale.y); break;
    case ShapeType::kEllipsoid: planes::add_ellipsoid(c, b.scale); break;
    case ShapeType::kCylinder: planes::add_cylinder(c, b.scale.x, b.scale.y); break;
    case ShapeType::kBox: planes::add_box(c, b.scale); break;
    case ShapeType::kCone: planes::add_cone(c, b.scale.x, b.scale.y); break;
    case ShapeType::kConvexHull: planes::add_hull(c, b.geometry->hull); break;
    case ShapeType::kMesh: planes::add_mesh(c, b.geometry->mesh); break;
    case ShapeType::kSdf: planes::add_sdf(c, b.geometry->sdf); break;
    case ShapeType::kPlane:
    case ShapeType::kHeightfield:
    case ShapeType::kNone: break;
  }
  return c.count;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
