// The point nearest to the origin of a simplex of up to four points, for GJK: each function knows that the nearest
// point needs the newest corner, which is the last one, since the older corners alone were searched before.
//
// Signs of volumes and areas, taken from the newest corner, say which sides the origin is beyond, as in
// M. Montanari, N. Petrinic, E. Barbieri, "Improving the GJK algorithm for faster and more reliable distance queries
// between convex objects", 2017. Flat simplices are searched side by side.
#pragma once

#include "collide/narrow/support.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

struct Simplex {
  DifferencePoint point[4];
  Real weight[4];
  int count;
};

// Squares of areas below this have no inverse [m^4].
inline constexpr Real kTinyArea = 16 * std::numeric_limits<Real>::min();

// Where on a simplex: the nearest point v = sum of weight[i] w[corner[i]].
struct NearestOnSimplex {
  Vec3 v;
  Real vv;  // |v|^2
  Real weight[3];
  int corner[3];
  int count;
};

CAROM_HD NearestOnSimplex nearest_on_edge(const Simplex& s, int i, int j) {
  const Vec3 p = s.point[i].w, e = s.point[j].w - p;
  const Real along = -dot(p, e), ee = length_squared(e);
  if (along <= 0 || ee == 0) return {p, length_squared(p), {1, 0, 0}, {i, 0, 0}, 1};
  if (along >= ee) return {s.point[j].w, length_squared(s.point[j].w), {1, 0, 0}, {j, 0, 0}, 1};
  const Real t = along / ee;
  const Vec3 v = 2 * along < ee ? fma(e, t, p) : fma(e, t - 1, s.point[j].w);  // from the nearer end
  return {v, length_squared(v), {1 - t, t, 0}, {i, j, 0}, 2};
}

// The corner (0, 1, 2) where the two shorter sides of a triangle meet: there, products of sides cancel least.
CAROM_HD int sharpest_base(Vec3 p, Vec3 q, Vec3 r) {
  const Real pq = length_squared(q - p), qr = length_squared(r - q), rp = length_squared(p - r);
  if (qr >= pq && qr >= rp) return 0;
  return rp >= pq ? 1 : 2;
}

// The plane of a triangle and where the foot of the origin is on it.
struct TriangleFoot {
  Vec3 normal;     // of doubled area
  Real nn;         // |normal|^2
  Real weight[3];  // of the corners, times nn
  bool flat;       // no area but for rounding
};

CAROM_HD TriangleFoot triangle_foot(Vec3 p, Vec3 q, Vec3 r) {
  const int base = sharpest_base(p, q, r);
  const Vec3 o = base == 0 ? p : base == 1 ? q : r;
  const Vec3 eu = (base == 0 ? q : base == 1 ? r : p) - o, ev = (base == 0 ? r : base == 1 ? p : q) - o;
  TriangleFoot foot;
  foot.normal = cross(eu, ev);
  foot.nn = length_squared(foot.normal);
  foot.flat = foot.nn <= max(16 * kRounding * kRounding * length_squared(eu) * length_squared(ev), kTinyArea);
  const Real wu = dot(foot.normal, cross(ev, o)), wv = dot(foot.normal, cross(o, eu)), wo = foot.nn - wu - wv;
  foot.weight[0] = base == 0 ? wo : base == 1 ? wv : wu;
  foot.weight[1] = base == 0 ? wu : base == 1 ? wo : wv;
  foot.weight[2] = base == 0 ? wv : base == 1 ? wu : wo;
  return foot;
}

CAROM_HD_LARGE NearestOnSimplex nearest_on_triangle(const Simplex& s, int i, int j, int k) {
  const Vec3 p = s.point[i].w, pj = s.point[j].w, pk = s.point[k].w;
  const TriangleFoot foot = triangle_foot(p, pj, pk);
  const Real wi = foot.weight[0], wj = foot.weight[1], wk = foot.weight[2];
  if (!foot.flat && wi > 0 && wj > 0 && wk > 0) {
    const Vec3 nearer = length_squared(pj) < length_squared(pk) ? pj : pk;
    const Vec3 nearest = length_squared(p) < length_squared(nearer) ? p : nearer;  // has the least rounding
    const Real inv = 1 / foot.nn;
    const Vec3 v = foot.normal * (dot(foot.normal, nearest) * inv);  // along the normal, however near the origin is
    return {v, length_squared(v), {wi * inv, wj * inv, wk * inv}, {i, j, k}, 3};
  }
  const NearestOnSimplex on_j = nearest_on_edge(s, i, j);
  if (!foot.flat && wj > 0 && wk <= 0) return on_j;
  const NearestOnSimplex on_k = nearest_on_edge(s, i, k);
  if (!foot.flat && wk > 0 && wj <= 0) return on_k;
  return on_k.vv < on_j.vv ? on_k : on_j;
}

// A count of 0 says that the origin is inside.
CAROM_HD_LARGE NearestOnSimplex nearest_on_tetrahedron(const Simplex& s) {
  const Vec3 p = s.point[3].w;
  const Vec3 e[3] = {s.point[0].w - p, s.point[1].w - p, s.point[2].w - p};
  const Vec3 side[3] = {cross(e[0], e[1]), cross(e[1], e[2]), cross(e[2], e[0])};
  const Real volume = dot(side[0], e[2]);
  const Real product = length_squared(e[0]) * length_squared(e[1]) * length_squared(e[2]);
  const bool flat = volume * volume <= 16 * kRounding * kRounding * product;
  NearestOnSimplex nearest{{}, std::numeric_limits<Real>::max(), {}, {}, 0};
  for (int k = 0; k < 3; ++k) {
    const Real from_side = dot(side[k], p);  // -p leads to the origin
    const bool beyond = volume > 0 ? from_side > 0 : from_side < 0;
    if (!beyond && !flat) continue;
    const NearestOnSimplex here = nearest_on_triangle(s, 3, k, k == 2 ? 0 : k + 1);
    if (here.vv < nearest.vv) nearest = here;
  }
  return nearest;
}

CAROM_HD NearestOnSimplex nearest_on_simplex(const Simplex& s) {
  if (s.count == 2) return nearest_on_edge(s, 1, 0);
  if (s.count == 3) return nearest_on_triangle(s, 2, 1, 0);
  return nearest_on_tetrahedron(s);
}

// Leaves only the corners that the nearest point needs, in their order.
CAROM_HD void keep_corners(Simplex& s, const NearestOnSimplex& nearest) {
  Real weight[4] = {-1, -1, -1, -1};
  for (int i = 0; i < nearest.count; ++i) weight[nearest.corner[i]] = nearest.weight[i];
  int count = 0;
  for (int i = 0; i < s.count; ++i) {
    if (weight[i] < 0) continue;
    s.point[count] = s.point[i];
    s.weight[count++] = weight[i];
  }
  s.count = count;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
