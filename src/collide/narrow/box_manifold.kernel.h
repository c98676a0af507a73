// Contact points of two boxes along one normal: the face of one box over the face of the other.
//
// The faces are those nearest to the normal, at whatever tilt; a box has one within 55 degrees. All is seen along the
// normal in the frame of the box C with the larger face, which is a property of the shapes and not of noise: its face
// is a rectangle, and that of the other box S a parallelogram. The corners of their overlap are corners of the one
// inside the other and crossings of sides: 24 places at most, of which each says for itself whether it is one.
#pragma once

#include "collide/narrow/convex_manifold.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// Four places at a time on the CPU.
#if defined(__CUDACC__)
using FourPlaces = Real;
CAROM_HD FourPlaces load_places(const Real* from) { return *from; }
CAROM_HD FourPlaces places_of(Vec3 v, int i) { return v[i]; }
CAROM_HD void store_places(FourPlaces places, Real* to) { *to = places; }
CAROM_HD std::uint64_t bits_of_places(bool mask) { return mask; }
// Bit 4 k is mask k.
template <int N>
CAROM_HD std::uint64_t bits_of_places(const bool (&mask)[N]) {
  std::uint64_t bits = 0;
  for (int k = 0; k < N; ++k) bits |= std::uint64_t(mask[k]) << 4 * k;
  return bits;
}
#else
using FourPlaces = Lanes<Real, 4>;
CAROM_HD FourPlaces load_places(const Real* from) { return FourPlaces::load(from); }
CAROM_HD FourPlaces places_of(Vec3 v, int) { return FourPlaces::of(FourPlaces::Vector{v.x, v.y, v.z, v.z}); }
CAROM_HD void store_places(FourPlaces places, Real* to) { places.store(to); }
CAROM_HD std::uint64_t bits_of_places(MaskOf<FourPlaces> mask) { return mask.bits(); }
// Bit 4 k + l is lane l of mask k; two masks at once take no longer than one.
template <int N>
CAROM_HD std::uint64_t bits_of_places(const MaskOf<FourPlaces> (&mask)[N]) {
  std::uint64_t bits = 0;
  CAROM_UNROLL
  for (int k = 0; k < N; k += 2) bits |= bits_of<Real, 4, 2>({mask[k], mask[k + 1]}) << 4 * k;
  return bits;
}
#endif

// The face of a box on one side of an axis; u and v are the axes across.
struct BoxFace {
  int axis, u, v;
  Real sign;
  Vec3 half;  // of the box [m]

  CAROM_HD BoxFace(Vec3 half_in, Vec3 n) : axis(nearest_axis(n)), half(half_in) {
    u = axis == 2 ? 0 : axis + 1;
    v = u == 2 ? 0 : u + 1;
    sign = n[axis] < 0 ? Real(-1) : Real(1);
  }
  CAROM_HD Real area() const { return half[u] * half[v]; }
  CAROM_HD int number() const { return 2 * axis + (sign < 0 ? 0 : 1); }
};

// A point of face S: its place on the plane of face C, seen along the normal, and its distance from there.
template <class F>
struct OverFaceT {
  F x, y, distance;

  CAROM_HD OverFaceT operator+(OverFaceT o) const { return {x + o.x, y + o.y, distance + o.distance}; }
};
using OverFace = OverFaceT<Real>;
template <class F>
CAROM_HD OverFaceT<F> scaled(OverFace p, F s) {
  return {F(p.x) * s, F(p.y) * s, F(p.distance) * s};
}

// The parallelogram middle +- du +- dv over the rectangle |x| <= hx, |y| <= hy.
struct FaceOverlap {
  using F = FourPlaces;
  static constexpr int kGroups = 6, kPlaces = 4 * kGroups;

  OverFace middle, du, dv;
  Real hx, hy;                      // [m]
  Real slack;                       // corners that are outside by less still count [m]
  Real reach;                       // [m]
  std::uint64_t corners = 0;        // by bit, places that are corners of the overlap and nearer than the reach
  std::uint64_t near_a_corner = 0;  // those of them that are next to a corner of a face and may be the same point
  std::uint64_t outside = 0;        // those of them that are outside, by less than the slack
  Real x[kPlaces], y[kPlaces], distance[kPlaces];
  MaskOf<F> is_corner[kGroups], is_near[kGroups], is_outside[2];  // of the places that are looked at

  CAROM_HD void add(int first, OverFaceT<F> p, MaskOf<F> corner, MaskOf<F> near) {
    store_places(p.x, x + first);
    store_places(p.y, y + first);
    store_places(p.distance, distance + first);
    is_corner[first / 4] = corner && p.distance < F(reach);
    is_near[first / 4] = near;
  }

  CAROM_HD void find_corners() {
    const Real sign_x[4] = {-1, 1, 1, -1}, sign_y[4] = {-1, -1, 1, 1};
    const Real divisor[8] = {du.x, du.y, dv.x, dv.y, abs(du.x) + abs(du.y), abs(dv.x) + abs(dv.y), area(), 1};
    Real inv[8];
    for (int i = 0; i < 8; i += ScalarTraits<F>::kWidth) store_places(reciprocal(load_places(divisor + i)), inv + i);
    const Real most = Real(0.1);  // of a side that is hardly longer than the slack
    const Side u_side{du, inv[0], inv[1], min(slack * inv[4], most)},
        v_side{dv, inv[2], inv[3], min(slack * inv[5], most)};
    const OverFaceT<F> m{F(middle.x), F(middle.y), F(middle.distance)};
    for (int i = 0; i < 4; i += ScalarTraits<F>::kWidth) {
      const F sx = load_places(sign_x + i), sy = load_places(sign_y + i);
      const OverFaceT<F> u = scaled(du, sx), v = scaled(dv, sy), corner = m + u + v;
      add(i, corner, abs(corner.x) <= F(hx + slack) && abs(corner.y) <= F(hy + slack), F(slack) < F(Real(0)));
      const Real rounding = 8 * kRounding * (hx + hy);
      is_outside[0] = abs(corner.x) > F(hx + rounding) || abs(corner.y) > F(hy + rounding);
      const F cx = sx * F(hx), cy = sy * F(hy);
      add_corner_of_c(4 + i, cx, cy, cx - m.x, cy - m.y, inv[6], u_side.end, v_side.end);
      cross_x(8 + i, m + v, u_side, sx);
      cross_y(12 + i, m + scaled(dv, sx), u_side, sy);
      cross_x(16 + i, m + u, v_side, sy);
      cross_y(20 + i, m + u, v_side, sy);
      corners |= bits_of_places(is_corner) << i;
      near_a_corner |= bits_of_places(is_near) << i;
      outside |= bits_of_places(is_outside) << i;
    }
    near_a_corner &= corners;
  }
  // Finite, so that no place is not a number.
  CAROM_HD static F reciprocal(F a) {
    constexpr Real kHuge = Real(1e30);
    return select(abs(a) < F(1 / kHuge), F(kHuge), F(Real(1)) / a);
  }
  // A corner of the rectangle, which lies at q from the middle of the parallelogram.
  CAROM_HD void add_corner_of_c(int first, F cx, F cy, F qx, F qy, Real inv, Real end_u, Real end_v) {
    const F s = (qx * F(dv.y) - qy * F(dv.x)) * F(inv), t = (qy * F(du.x) - qx * F(du.y)) * F(inv);
    const F height = F(middle.distance) + s * F(du.distance) + t * F(dv.distance);
    // Of a rectangle that is seen from its side s and t are 0 all along its line, beyond its ends, too.
    const auto beside = abs(qx) > F(abs(du.x) + abs(dv.x) + slack) || abs(qy) > F(abs(du.y) + abs(dv.y) + slack);
    add(first, {cx, cy, height}, abs(s) <= F(1 + end_u) && abs(t) <= F(1 + end_v) && !beside,
        abs(s) > F(1 - kNear * end_u) && abs(t) > F(1 - kNear * end_v));
    const F most(1 + 32 * kRounding);
    is_outside[1] = abs(s) > most || abs(t) > most;
  }
  // A side of the parallelogram from its middle to its end.
  struct Side {
    OverFace e;
    Real inv_x, inv_y;  // 1 / e.x, 1 / e.y
    Real end;           // what `slack` is along the side, 1 being its end
  };
  // Sides through p cross the lines x = +-hx, y = +-hy, whose signs are given.
  CAROM_HD void cross_x(int first, OverFaceT<F> p, const Side& side, F outwards) {
    const F at = outwards * F(hx);
    const F s = (at - p.x) * F(side.inv_x), y_there = p.y + s * F(side.e.y);
    add(first, {at, y_there, p.distance + s * F(side.e.distance)},
        abs(s) <= F(Real(1)) && abs(y_there) <= F(hy) && leads_out(s, outwards, side.e.x, p.y, side.inv_y, hy),
        abs(s) > F(1 - kNear * side.end) || abs(y_there) > F(hy - kNear * slack));
  }
  CAROM_HD void cross_y(int first, OverFaceT<F> p, const Side& side, F outwards) {
    const F at = outwards * F(hy);
    const F s = (at - p.y) * F(side.inv_y), x_there = p.x + s * F(side.e.x);
    add(first, {x_there, at, p.distance + s * F(side.e.distance)},
        abs(s) <= F(Real(1)) && abs(x_there) <= F(hx) && leads_out(s, outwards, side.e.y, p.x, side.inv_x, hx),
        abs(s) > F(1 - kNear * side.end) || abs(x_there) > F(hx - kNear * slack));
  }
  // Whether the side, from where it crosses the line at s to its own end or that of the line, gets away from the line.
  // Where two sides lie along each other but for noise, corners say it all. e_across: of the side; inv_along: its
  // inverse along the line from p on, whose sign is that of the way even where that is -0; half: of the line.
  CAROM_HD MaskOf<F> leads_out(F s, F outwards, Real e_across, F p, Real inv_along, Real half) const {
    const F sign = outwards * F(copysign(Real(1), e_across));  // of the way to the far side of the line
    const F end_of_line = (F(copysign(half, inv_along)) - sign * p) * F(inv_along);
    return F(abs(e_across)) * (min(F(Real(1)), end_of_line) - sign * s) > F(slack / 2);
  }

  // Whether an earlier corner is the same point; sides of a face that is seen from its side are the same line.
  static constexpr Real kNear = 3;  // times the slack
  CAROM_HD_LARGE bool is_listed(int place) const {
    bool near = false;
    for (int i = 0; i < place; ++i)
      near |= (corners >> i & 1) != 0 && abs(x[place] - x[i]) + abs(y[place] - y[i]) < kNear * slack;
    return near;
  }
  CAROM_HD bool is_thin() const {
    const Real lengths = abs(du.x) + abs(du.y) + abs(dv.x) + abs(dv.y);
    return abs(area()) < 4 * slack * lengths;
  }
  CAROM_HD Real area() const { return fma(du.x, dv.y, -(du.y * dv.x)); }  // a quarter of it, with its sign
};

// Two boxes in the frame of C, its axes in the order u, v, axis of the face.
struct BoxCut {
  BoxFace c, s;
  Vec3 middle, du, dv;  // of face S [m]
  Vec3 normal;          // unit, from C to S
  bool c_is_a;

  CAROM_HD BoxCut(const BoxFace& face_c, const BoxFace& face_s, const Mat33& R_CS, Vec3 p_CS, Vec3 n_C, bool c_is_a_in)
      : c(face_c), s(face_s), c_is_a(c_is_a_in) {
    const Vec3 row[3] = {R_CS[c.u], R_CS[c.v], R_CS[c.axis]};
    const Real p[3] = {p_CS[c.u], p_CS[c.v], p_CS[c.axis]};
    const Real height = s.sign * s.half[s.axis], half_u = s.half[s.u], half_v = s.half[s.v];
    CAROM_UNROLL
    for (int i = 0; i < 3; ++i) {
      middle[i] = fma(row[i][s.axis], height, p[i]);
      du[i] = row[i][s.u] * half_u;
      dv[i] = row[i][s.v] * half_v;
    }
    normal = {n_C[c.u], n_C[c.v], n_C[c.axis]};
  }
  // Seen along the normal: linear in p, a point or a direction; `height` is that of the plane of face C.
  CAROM_HD OverFace over(Vec3 p, Real height, Real inv_normal) const {
    const Real distance = (p.z - height) * inv_normal;
    return {fma(normal.x, -distance, p.x), fma(normal.y, -distance, p.y), distance};
  }
  CAROM_HD void overlap(FaceOverlap& out, Real slack) const {
    const Real inv_normal = 1 / normal.z;
    out.middle = over(middle, c.sign * c.half[c.axis], inv_normal);
    out.du = over(du, 0, inv_normal);
    out.dv = over(dv, 0, inv_normal);
    out.hx = c.half[c.u];
    out.hy = c.half[c.v];
    const Real across = max(abs(out.du.x) + abs(out.du.y), abs(out.dv.x) + abs(out.dv.y));
    out.slack = 2 * slack * min(out.hx + out.hy, across);
  }
  // Features: which faces, and which place of their overlap. Numbers of corners, as other shapes have them, are less.
  CAROM_HD int first_feature() const {
    const int number_c = c.number(), number_s = s.number();
    return 1 << 12 | (c_is_a ? 6 * number_c + number_s : 6 * number_s + number_c) << 5;
  }
};

// The points of both boxes along the normal of an axis that are nearer than `reach`, sorted by feature, none twice, and
// the least distance in `least`. A corner that is taken though it lies a little outside may seem deeper than the boxes
// are along the normal; of boxes that are apart it does not count as nearest. slack: as a part of the size.
CAROM_HD_LARGE int box_manifold(const CorePair& pair, const SeparatingAxis& axis, const Transform& X_WA, Real reach,
                                ContactPoint* out, Real& least, Real slack = kClipSlack) {
  const Vec3 n = axis.normal, n_B = to_b(pair, n);
  const BoxFace a(pair.a.size, n), b(pair.b.size, -n_B);
  const bool c_is_a = !(a.area() < b.area() * Real(1 - 1e-3));
  const BoxCut cut = c_is_a ? BoxCut(a, b, pair.R_AB, pair.p_AB, n, true)
                            : BoxCut(b, a, transpose(pair.R_AB), -to_b(pair, pair.p_AB), -n_B, false);
  FaceOverlap overlap;
  overlap.reach = reach;
  cut.overlap(overlap, slack);
  overlap.find_corners();

  const BoxFace& c = cut.c;
  const Mat33 R_WA = mat33_from_quat(X_WA.q), columns = transpose(c_is_a ? R_WA : R_WA * pair.R_AB);
  const Vec3 normal_W = R_WA * n, half_normal = normal_W * (c_is_a ? Real(0.5) : Real(-0.5));
  const Vec3 x_W = columns[c.u], y_W = columns[c.v], p_WC = c_is_a ? X_WA.p : R_WA * pair.p_AB + X_WA.p;
  const Vec3 middle_W = fma(columns[c.axis], c.sign * c.half[c.axis], p_WC);
  const std::uint64_t nearest = axis.separation > 0 ? ~overlap.outside : ~std::uint64_t{0};
  const std::uint64_t doubtful = overlap.is_thin() ? overlap.corners : overlap.near_a_corner;
  const int feature = cut.first_feature();
  int count = 0;
  least = std::numeric_limits<Real>::max();
  for (std::uint64_t bits = overlap.corners; bits != 0 && count < kMaxManifold; bits &= bits - 1) {
    const int place = lowest_bit(bits);
    if ((doubtful >> place & 1) != 0 && overlap.is_listed(place)) continue;
    const Real x = overlap.x[place], y = overlap.y[place], distance = max(overlap.distance[place], axis.separation);
    if ((nearest >> place & 1) != 0) least = min(least, distance);
    out[count++] = {fma(half_normal, distance, fma(y_W, y, fma(x_W, x, middle_W))), normal_W, distance,
                    feature + place};
  }
  return count;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
