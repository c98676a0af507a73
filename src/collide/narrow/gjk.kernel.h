// Distance of two convex cores: the point of A - B nearest to the origin.
//
// E. G. Gilbert, D. W. Johnson, S. S. Keerthi, "A fast procedure for computing the distance between complex objects in
// three-dimensional space", 1988; bounds and endings as in G. van den Bergen, "Collision Detection in Interactive 3D
// Environments", 2003. With v the nearest point of the simplex so far and w the point of A - B farthest along -v:
// the distance lies between v.w / |v| and |v|.
#pragma once

#include "collide/narrow/simplex.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

enum class GjkEnd : std::int32_t {
  kApart,    // v is the nearest point
  kBeyond,   // surely farther apart than `reach`; v is not the nearest point
  kOverlap,  // the simplex holds the origin, or touches it within rounding
};

struct GjkResult {
  GjkEnd end;
  Vec3 v;      // [m], frame of A, from B to A
  Real bound;  // what the distance is not less than: |v| when the search has come to its end [m]
  Real scale;  // largest coordinates met: rounding is relative to it [m]
  Simplex simplex;
};

inline constexpr int kGjkIterations = 64;  // polytopes need about 10, curved shapes in near contact up to 40
inline constexpr int kGjkStalls = 3;
// Distances are found to this relative error on curved shapes; polytopes are exact.
inline constexpr Real kGjkTolerance = sizeof(Real) == 8 ? Real(1e-11) : Real(1e-6);
// Nor is the error more than this of the smaller shape, be it a grain on a ball whose centre is a million grains away.
inline constexpr Real kFineTolerance = sizeof(Real) == 8 ? Real(1e-8) : Real(1e-6);
CAROM_HD Real fine_tolerance(const CorePair& pair) {
  return kFineTolerance * min(core_size(pair.a), core_size(pair.b));
}

// `toward` leads from A to B, of any length but 0: the warm start. Cores that are surely nearer than `enough` count as
// overlapping.
CAROM_HD_LARGE GjkResult gjk(const CorePair& pair, Real reach, Vec3 toward, Real enough = 0) {
  GjkResult r;
  Simplex& s = r.simplex;
  s.point[0] = difference_support(pair, toward);
  s.weight[0] = 1;
  s.count = 1;
  r.v = s.point[0].w;
  Real vv = length_squared(r.v);
  Real scale2 = max(vv, length_squared(s.point[0].a));
  r.bound = -dot(s.point[0].w, toward) / length(toward);
  r.end = r.bound > reach ? GjkEnd::kBeyond : GjkEnd::kApart;
  if (r.end == GjkEnd::kBeyond) return r;
  const Real fine = fine_tolerance(pair);
  int stalls = 0;
  for (int iteration = 0; iteration < kGjkIterations; ++iteration) {
    if (vv <= max(16 * kRounding * kRounding * scale2, enough * enough)) {
      r.end = GjkEnd::kOverlap;
      break;
    }
    const DifferencePoint p = difference_support(pair, -r.v);
    const Real vw = dot(r.v, p.w);
    r.bound = vw / sqrt(vv);
    if (vw > 0 && vw * vw > reach * reach * vv) {
      r.end = GjkEnd::kBeyond;
      break;
    }
    scale2 = max(scale2, max(length_squared(p.w), length_squared(p.a)));
    // Nothing is nearer than v, up to the tolerance and to the rounding of v.w.
    const Real noise = kRounding * sqrt(vv * scale2);
    if (vv - vw <= max(min(kGjkTolerance * vv, fine * sqrt(vv)), noise)) break;
    bool known = false;
    for (int i = 0; i < s.count; ++i) known |= same_corners(p, s.point[i]);
    if (known) break;
    s.point[s.count++] = p;
    const NearestOnSimplex nearest = nearest_on_simplex(s);
    if (nearest.count == 0) {
      r.end = GjkEnd::kOverlap;
      break;
    }
    // Near the end |v|^2 no longer tells better from worse, though the direction still improves.
    if (!(nearest.vv < vv) && (++stalls > kGjkStalls || nearest.vv - vv > 8 * noise)) {
      --s.count;
      break;
    }
    keep_corners(s, nearest);
    r.v = nearest.v;
    vv = nearest.vv;
  }
  r.scale = sqrt(scale2);
  return r;
}

// The point of A that belongs to v.
CAROM_HD Vec3 witness_a(const Simplex& s) {
  Vec3 a = s.point[0].a * s.weight[0];
  for (int i = 1; i < s.count; ++i) a = fma(s.point[i].a, s.weight[i], a);
  return a;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
