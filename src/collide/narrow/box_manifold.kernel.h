// Contact points of two boxes along one normal: the face of one box cut by the face of the other.
//
// The faces are those nearest to the normal, at whatever tilt; a box has one within 55 degrees. The larger one cuts,
// which is a property of the shapes and not of noise. All is seen along the normal in the frame of the cutting box C,
// where its face is a rectangle; S is the box whose face is cut.
#pragma once

#include "collide/narrow/convex_manifold.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// The axis nearest to n; of equal ones the first.
CAROM_HD int nearest_axis(Vec3 n) {
  const Vec3 size = abs(n);
  if (size.x >= size.y) return size.x >= size.z ? 0 : 2;
  return size.y >= size.z ? 1 : 2;
}

// The face of a box on one side of an axis. Corners and sides in the order (-,-), (+,-), (+,+), (-,+) of the two axes
// across; side i begins at corner i.
struct BoxFace {
  int axis, u, v;
  Real sign;
  Vec3 half;

  CAROM_HD BoxFace(Vec3 half_in, Vec3 n) : axis(nearest_axis(n)), half(half_in) {
    u = axis == 2 ? 0 : axis + 1;
    v = u == 2 ? 0 : u + 1;
    sign = n[axis] < 0 ? Real(-1) : Real(1);
  }
  CAROM_HD Real area() const { return half[u] * half[v]; }
  // The number that the corner has in the box. A box without height has one number for both ends of its height.
  CAROM_HD int corner(int i) const {
    const int id = (sign < 0 ? 0 : 1 << axis) | (i == 1 || i == 2 ? 1 << u : 0) | (i >= 2 ? 1 << v : 0);
    return half.z == 0 ? id & 3 : id;
  }
};

// A point of face S: its place on the plane of face C, seen along the normal, and its distance from there.
struct OverFace {
  Real x, y, distance;

  CAROM_HD OverFace operator+(OverFace o) const { return {x + o.x, y + o.y, distance + o.distance}; }
  CAROM_HD OverFace operator-(OverFace o) const { return {x - o.x, y - o.y, distance - o.distance}; }
};

struct CutCorner {
  OverFace p;
  int side;   // what the side that leaves this corner lies on: side i of S, or -1 - k: side k of C
  int label;  // feature of the contact
};
struct CutFace {
  CutCorner corner[8];
  int count;
};

// Two boxes in the frame of C.
struct BoxCut {
  BoxFace c, s;
  Mat33 R_CS;
  Vec3 p_CS;  // [m]
  Vec3 n_C;   // unit, from C to S
  bool c_is_a;

  CAROM_HD int label(int corner_c, int corner_s) const {
    return c_is_a ? feature_label(corner_c, corner_s) : feature_label(corner_s, corner_c);
  }
  // Seen along the normal: linear in p, a point or a direction; `height` is that of the plane of face C.
  CAROM_HD OverFace over(Vec3 p, Real height) const {
    const Real distance = (p[c.axis] - height) / n_C[c.axis];
    return {fma(n_C[c.u], -distance, p[c.u]), fma(n_C[c.v], -distance, p[c.v]), distance};
  }
  CAROM_HD Vec3 column(int axis) const { return {R_CS.row0[axis], R_CS.row1[axis], R_CS.row2[axis]}; }
};

// Where a side of the cut face meets side k of C.
CAROM_HD int crossing_label(const BoxCut& cut, int side, int k) {
  if (side >= 0) return cut.label(cut.c.corner(k), cut.s.corner(side));
  const int before = -1 - side;  // two sides of C meet in a corner of it
  return cut.label(cut.c.corner((before + 1) % 4 == k ? k : before), -1);
}

// Cuts off what lies beyond side k of C. Corners beyond it by less than `slack` stay, and a crossing nearer than that
// to a corner that stays is the same point.
CAROM_HD void cut_by_side(const BoxCut& cut, int k, Real slack, const CutFace& face, CutFace& out) {
  const Real half = k % 2 ? cut.c.half[cut.c.u] : cut.c.half[cut.c.v], sign = k == 0 || k == 3 ? Real(-1) : Real(1);
  Real inside[8];
  for (int i = 0; i < face.count; ++i) inside[i] = half - sign * (k % 2 ? face.corner[i].p.x : face.corner[i].p.y);
  out.count = 0;
  for (int i = 0; i < face.count; ++i) {
    const int j = i + 1 == face.count ? 0 : i + 1;
    const CutCorner& from = face.corner[i];
    const bool keep = inside[i] >= -slack, keep_next = inside[j] >= -slack;
    if (keep && out.count < 8) out.corner[out.count++] = from;
    if (keep == keep_next || out.count == 8) continue;
    const Real t = clamp(inside[i] / (inside[i] - inside[j]), Real(0), Real(1));
    const OverFace e = face.corner[j].p - from.p;
    const bool same = (keep ? t : 1 - t) * (abs(e.x) + abs(e.y)) < slack;
    if (keep && same) out.corner[out.count - 1].side = -1 - k;
    if (same) continue;
    out.corner[out.count++] = {{fma(e.x, t, from.p.x), fma(e.y, t, from.p.y), fma(e.distance, t, from.p.distance)},
                               keep ? -1 - k : from.side,
                               crossing_label(cut, from.side, k)};
  }
}

CAROM_HD_LARGE void cut_face(const BoxCut& cut, CutFace& face) {
  const BoxFace &c = cut.c, &s = cut.s;
  const Vec3 normal_s = cut.column(s.axis), u = cut.column(s.u) * s.half[s.u], v = cut.column(s.v) * s.half[s.v];
  const OverFace middle = cut.over(fma(normal_s, s.sign * s.half[s.axis], cut.p_CS), c.sign * c.half[c.axis]);
  const OverFace du = cut.over(u, 0), dv = cut.over(v, 0);
  face.count = 4;
  face.corner[0] = {middle - du - dv, 0, cut.label(-1, s.corner(0))};
  face.corner[1] = {middle + du - dv, 1, cut.label(-1, s.corner(1))};
  face.corner[2] = {middle + du + dv, 2, cut.label(-1, s.corner(2))};
  face.corner[3] = {middle - du + dv, 3, cut.label(-1, s.corner(3))};
  const Real hx = c.half[c.u], hy = c.half[c.v];
  const Real across = min(hx + hy, max(abs(du.x) + abs(du.y), abs(dv.x) + abs(dv.y)));
  const Real slack = 2 * kClipSlack * across, reach_x = abs(du.x) + abs(dv.x), reach_y = abs(du.y) + abs(dv.y);
  CutFace other;
  const auto by = [&](int k) CAROM_HD_LAMBDA {
    cut_by_side(cut, k, slack, face, other);
    face = other;
  };
  if (reach_y - middle.y > hy + slack) by(0);
  if (reach_x + middle.x > hx + slack) by(1);
  if (reach_y + middle.y > hy + slack) by(2);
  if (reach_x - middle.x > hx + slack) by(3);
}

// The points of both boxes along the normal of an axis that are nearer than `reach`, sorted by feature, none twice, and
// the least distance in `least`. A corner that is taken though it lies a little outside may seem deeper than the boxes
// are along the normal; of boxes that are apart it does not count as nearest.
CAROM_HD_LARGE int box_manifold(const CorePair& pair, const SeparatingAxis& axis, const Transform& X_WA, Real reach,
                                ContactPoint* out, Real& least) {
  const Vec3 n = axis.normal, n_B = to_b(pair, n);
  const BoxFace a(pair.a.size, n), b(pair.b.size, -n_B);
  const bool c_is_a = !(a.area() < b.area() * Real(1 - 1e-3));
  const BoxCut cut = c_is_a ? BoxCut{a, b, pair.R_AB, pair.p_AB, n, true}
                            : BoxCut{b, a, transpose(pair.R_AB), -to_b(pair, pair.p_AB), -n_B, false};
  CutFace face;
  cut_face(cut, face);
  const BoxFace& c = cut.c;
  const Real same = Real(2e-4) * min(c.half[c.u] + c.half[c.v], cut.s.half[cut.s.u] + cut.s.half[cut.s.v]);
  const Vec3 normal_W = rotate(X_WA.q, n);
  const auto near = [&](OverFace p, OverFace q) CAROM_HD_LAMBDA { return abs(p.x - q.x) + abs(p.y - q.y) < same; };
  const Real outside = axis.separation > 0 ? 8 * kRounding * (c.half[c.u] + c.half[c.v]) : kUnbounded;
  const auto within = [&](OverFace p) CAROM_HD_LAMBDA {
    return abs(p.x) - c.half[c.u] <= outside && abs(p.y) - c.half[c.v] <= outside;
  };
  OverFace first{}, last{};
  int count = 0;
  least = std::numeric_limits<Real>::max();
  for (int i = 0; i < face.count; ++i) {
    OverFace p = face.corner[i].p;
    p.distance = max(p.distance, axis.separation);
    if (!(p.distance < reach) || (count > 0 && (near(p, first) || near(p, last)))) continue;
    if (count == 0) first = p;
    last = p;
    if (within(p)) least = min(least, p.distance);
    Vec3 middle_C = cut.n_C * (Real(0.5) * p.distance);
    middle_C[c.u] += p.x;
    middle_C[c.v] += p.y;
    middle_C[c.axis] += c.sign * c.half[c.axis];
    const Vec3 middle_A = c_is_a ? middle_C : point_from_b(pair, middle_C);
    insert_by_feature({transform_point(X_WA, middle_A), normal_W, p.distance, face.corner[i].label}, out, count);
  }
  return count;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
