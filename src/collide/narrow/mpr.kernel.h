// Whether two convex cores overlap, and a depth along some normal: Minkowski portal refinement.
//
// G. Snethen, "XenoCollide: complex collision made simple", Game Programming Gems 7, 2008; cases without volume as in
// A. Neumayr, M. Otter, "Collision handling with variable-step integrators", EOOLT 2017. A ray runs from a point inside
// of A - B through the origin. A portal is a triangle of points of A - B that the ray passes; it moves outwards until
// it lies on the surface. The origin is inside once it is before the portal, and outside once a support plane has it
// beyond. Either is a proof whatever way led there, so ties and rounding on the way may be settled as they come.
//
// The depth h(n) along the normal of the last portal is that at the end of the ray: never less than the least depth of
// all directions, and often greater. EPA finds the least. Whether shapes overlap, GJK says in less time, but not always
// with a proof (cores_nearer_than() in core_distance.kernel.h).
#pragma once

#include "collide/narrow/gjk.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

struct MprResult {
  bool overlap;
  Vec3 normal;            // unit, from A to B, frame of A
  Real depth;             // h(normal): where they overlap, not less than the least depth [m]
  Vec3 point_a, point_b;  // of A and of B, as far apart along the normal as the depth [m]
};

enum class MprGoal : std::int32_t {
  kOverlap,  // ends as soon as it is known whether the cores overlap
  kDepth,    // goes on to the surface
};

inline constexpr int kMprIterations = 96;

struct MprSearch {
  const CorePair& pair;
  Real radius;       // of a ball that is added to A [m]
  Real rounding;     // of coordinates [m]
  Vec3 inside, ray;  // the ray from `inside`, through the origin
  DifferencePoint v[3];
  Vec3 normal;        // the direction looked along last, unit
  DifferencePoint p;  // the point farthest along it
  Real h;             // how far that is [m]

  // From `inside` to a point.
  CAROM_HD Vec3 to(int i) const { return v[i].w - inside; }
};

// Looks along n for the farthest point. Returns whether the origin is beyond it, which proves the cores apart.
CAROM_HD bool look_along(MprSearch& s, Vec3 n) {
  s.normal = n * (1 / length(n));
  s.p = difference_support(s.pair, s.normal);
  s.p.w = fma(s.normal, s.radius, s.p.w);
  s.p.a = fma(s.normal, s.radius, s.p.a);
  s.h = dot(s.normal, s.p.w);
  return s.h <= 0;
}

CAROM_HD MprSearch start_search(const CorePair& pair, Real radius) {
  const Vec3 center_a = core_center(pair.a), center_b = point_from_b(pair, core_center(pair.b));
  MprSearch s{pair, radius, 0, center_a - center_b, center_b - center_a, {}, {}, {}, 0};
  s.rounding = 8 * kRounding * (core_size(pair.a) + core_size(pair.b) + length(center_a) + length(center_b) + radius);
  if (length(s.ray) <= s.rounding) s.ray = {1, 0, 0};  // the origin is inside: any way out will do
  s.ray = normalize(s.ray);
  return s;
}

enum class MprStep : std::int32_t { kApart, kOverlap, kGoOn };

// Finds three points around the ray. Those found are turned so that (v0 x v1).ray > 0, seen from inside. A point with
// nothing of A - B farther out shows that A - B is flat: the cores touch at most.
CAROM_HD_LARGE MprStep find_portal(MprSearch& s) {
  if (look_along(s, s.ray)) return MprStep::kApart;
  s.v[0] = s.p;
  const Vec3 across = cross(s.ray, s.to(0));
  if (length(across) <= s.rounding) return MprStep::kOverlap;  // the ray leaves A - B at this very point
  if (look_along(s, across)) return MprStep::kApart;
  s.v[1] = s.p;
  if (dot(s.normal, s.to(1)) <= s.rounding) return MprStep::kApart;
  for (int k = 0; k < kMprIterations; ++k) {
    if (look_along(s, cross(s.to(0), s.to(1)))) return MprStep::kApart;
    s.v[2] = s.p;
    if (dot(s.normal, s.to(2)) <= s.rounding) return MprStep::kApart;
    const Vec3 side = cross(s.to(2), s.ray);
    if (dot(s.to(1), side) < 0) s.v[0] = s.p;
    else if (dot(s.to(0), side) > 0) s.v[1] = s.p;
    else break;
  }
  return MprStep::kGoOn;
}

// The point p beyond the portal takes the place of the corner that the ray then has no need of.
CAROM_HD void move_portal(MprSearch& s) {
  const Vec3 side = cross(s.p.w - s.inside, s.ray);
  if (dot(s.to(0), side) <= 0) s.v[dot(s.to(1), side) >= 0 ? 2 : 0] = s.p;
  else s.v[dot(s.to(2), side) <= 0 ? 1 : 0] = s.p;
}

// Across the portal, outwards, of doubled area.
CAROM_HD Vec3 portal_normal(const MprSearch& s) {
  const int base = sharpest_base(s.v[0].w, s.v[1].w, s.v[2].w), next = base == 2 ? 0 : base + 1;
  const Vec3 o = s.v[base].w;
  return cross(s.v[next].w - o, s.v[3 - base - next].w - o);
}

// Moves the portal outwards until the question is answered.
CAROM_HD_LARGE bool refine_portal(MprSearch& s, MprGoal goal, Real tolerance) {
  bool overlap = false;
  for (int k = 0;; ++k) {
    const Vec3 n = portal_normal(s);
    if (!(length_squared(n) > kTinyArea)) return overlap || s.h > 0;
    if (look_along(s, n)) return false;
    const Real offset = min(dot(s.normal, s.v[0].w), min(dot(s.normal, s.v[1].w), dot(s.normal, s.v[2].w)));
    overlap |= offset >= 0;
    if (overlap && goal == MprGoal::kOverlap) return true;
    if (s.h - offset <= tolerance || k == kMprIterations) return overlap || offset + s.h > 0;
    move_portal(s);
  }
}

// The points of A and B at the foot of the origin on the portal, held inside of it.
CAROM_HD void portal_witness(const MprSearch& s, MprResult& r) {
  const TriangleFoot foot = triangle_foot(s.v[0].w, s.v[1].w, s.v[2].w);
  Vec3 a{}, w{};
  Real weights = 0;
  for (int k = 0; k < 3; ++k) {
    const Real weight = max(foot.weight[k], Real(0));
    a = fma(s.v[k].a, weight, a);
    w = fma(s.v[k].w, weight, w);
    weights += weight;
  }
  if (!(weights > 0)) return;
  r.point_a = a * (1 / weights);
  r.point_b = (a - w) * (1 / weights);
}

// A ball of `radius` is added to A: with the sum of both radii, the shapes are asked about rather than their cores.
CAROM_HD_LARGE MprResult mpr(const CorePair& pair, Real radius, MprGoal goal) {
  MprSearch s = start_search(pair, radius);
  const Real fine = (sizeof(Real) == 8 ? Real(1e-8) : Real(1e-6)) * min(core_size(pair.a), core_size(pair.b));
  const MprStep found = find_portal(s);
  bool overlap = found == MprStep::kOverlap;
  if (found == MprStep::kGoOn) {
    overlap = refine_portal(s, goal, goal == MprGoal::kDepth ? max(s.rounding, fine) : s.rounding);
  }
  MprResult r{overlap, s.normal, s.h, s.p.a, s.p.a - s.p.w};
  if (overlap && found == MprStep::kGoOn) portal_witness(s, r);
  return r;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
