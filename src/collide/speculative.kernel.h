// Contacts that come about before a time ahead is over. Shapes that move further than they are thin would pass through
// each other between two steps: they are followed along their motion, and where they meet they have a contact now,
// with an Impact. Conservative advancement:
//
//   x(t) = x + t dx,  R(t) = exp(t dw) R,  0 <= t < 1           dx, dw: motion of a shape in the time ahead
//   t += (d(t) - target) / (n . (dx_a - dx_b) + |dw_a| r_a + |dw_b| r_b)
//
// until the distance d is near its target, 2 % of what it is at t = 0. MuJoCo 4.0 does the same (flag speculative).
#pragma once

#include "collide/narrow_phase.kernel.h"
#include "geometry/ray/shape.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Of the points of a pair.
struct Impact {
  Real time = 0;           // until the shapes meet [s]
  Real speed = 0;          // at which they come nearer until then [m/s]; 0: the contact is one of now
  Real share = Real(0.5);  // of the way from the surface of the first shape to the other one, where the point is
};

// Of a shape during the time ahead.
struct ShapeMotion {
  Vec3 dx;    // of its origin [m]
  Vec3 dw;    // rotation vector
  Real turn;  // how far turning brings a point of the surface nearer to something, at most [m]

  CAROM_HD Real sweep() const { return length(dx) + turn; }
  CAROM_HD Transform moved(const Transform& X, Real t) const {
    return {fma(dx, t, X.p), normalize(quat_from_rotation_vector(dw * t) * X.q)};
  }
  // How a point of the shape moves that is at p when the shape's origin is at x.
  CAROM_HD Vec3 of_point(Vec3 p, Vec3 x) const { return dx + cross(dw, p - x); }
};

struct MovingShapes {
  Span<const int> shape_body, shape_type;
  Span<const Real> radius;  // about the origin [m]
  Span<const Transform> body_q;
  Span<const Vec3> body_com;
  Span<const SpatialVector> body_qd;
  const Transform* X_WS;
  Real time;  // ahead [s]

  CAROM_HD ShapeMotion operator[](int s) const {
    const int body = shape_body[s];
    if (body < 0 || shape_type[s] == static_cast<int>(ShapeType::kPlane))
      return {};  // planes without end have no radius
    const SpatialVector V = body_qd[body];
    const Vec3 from_com = X_WS[s].p - transform_point(body_q[body], body_com[body]);
    const Vec3 dx = fma(cross(V.angular, from_com), time, V.linear * time);
    if (shape_type[s] == static_cast<int>(ShapeType::kSphere)) return {dx, {}, 0};  // it spins in its place
    const Vec3 dw = V.angular * time;
    return {dx, dw, length(dw) * radius[s]};
  }
};

// Boxes that hold shapes all along their way.
struct SweepBoxes {
  const int* shape;
  MovingShapes moving;
  Span<const Real> thickness, contact_margin;
  Box* box;

  CAROM_HD void operator()(int i) const {
    const int s = shape[i];
    const ShapeMotion m = moving[s];
    const Vec3 p = moving.X_WS[s].p;
    const Real most = moving.radius[s] + thickness[s] + contact_margin[s];
    const Vec3 turn{m.turn, m.turn, m.turn}, reach{most, most, most};
    Box b = box[s];
    b.lower = min(b.lower, max(b.lower - turn, p - reach));
    b.upper = max(b.upper, min(b.upper + turn, p + reach));
    b.lower = b.lower + min(m.dx, Vec3{});
    b.upper = b.upper + max(m.dx, Vec3{});
    box[s] = b;
  }
};

}  // namespace carom::inline CAROM_PRECISION

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

namespace speculative {

// Of the gap at t = 0: what is left of it when shapes are taken to meet, and how exactly that is found.
inline constexpr Real kLeft = Real(0.02), kWithin = Real(0.01);
inline constexpr int kMostAdvances = 100;
// Points up to this share of the distance that is left then belong to the contact.
inline constexpr Real kFlat = Real(1.25);

// Plane without end (a) and a convex shape (b).
CAROM_HD_LARGE ConvexDistance plane_distance(const Transform& X_WA, const ShapeView& b, const Transform& X_WB) {
  ContactPoint point[kMaxManifold];
  const int n = plane_any(X_WA, b, X_WB, kUnbounded, point);
  int lowest = 0;
  for (int i = 1; i < n; ++i)
    if (point[i].distance < point[lowest].distance) lowest = i;
  const ContactPoint& at = point[lowest];
  const Vec3 half = at.normal * (at.distance * Real(0.5));
  return {at.distance, at.point - half, at.point + half, at.normal};
}

CAROM_HD_LARGE ConvexDistance distance(const ShapeView& a, const Transform& X_WA, const ShapeView& b,
                                       const Transform& X_WB) {
  if (is_half_space(a.type, a.scale)) return plane_distance(X_WA, b, X_WB);
  if (!is_half_space(b.type, b.scale)) return convex_distance(a, X_WA, b, X_WB);
  const ConvexDistance d = plane_distance(X_WB, a, X_WA);
  return {d.distance, d.point_b, d.point_a, -d.normal};
}

// Where two shapes are when they meet.
struct Meeting {
  bool found = false;
  Real t = 0, speed = 0;  // share of the time ahead; how much nearer they would come in all of it [m]
  Real left = 0;          // distance [m]
};

// distance_at(t): between the surfaces, from which contacts push (their margin is subtracted).
template <class DistanceAt>
CAROM_HD Meeting advance(const ShapeMotion& a, const ShapeMotion& b, Vec3 x_a, Vec3 x_b, DistanceAt distance_at) {
  Meeting m;
  ConvexDistance near = distance_at(m.t);
  const Real gap = near.distance, target = kLeft * gap;
  if (!(gap > 0)) return m;
  for (int i = 0; i < kMostAdvances; ++i) {
    // Not even if they turned towards each other with all their corners.
    const Real closing = dot(near.normal, a.dx - b.dx) + a.turn + b.turn;
    if (!(closing * (1 - m.t) > near.distance)) return m;
    if (near.distance - target <= kWithin * gap) {
      m.found = true;
      break;
    }
    m.t += (near.distance - target) / closing;
    near = distance_at(m.t);
  }
  const Vec3 at_end = a.of_point(near.point_a, fma(a.dx, m.t, x_a)) - b.of_point(near.point_b, fma(b.dx, m.t, x_b));
  m.left = near.distance;
  m.speed = m.t > 0 ? max((gap - near.distance) / m.t, dot(near.normal, at_end)) : dot(near.normal, at_end);
  return m;
}

}  // namespace speculative

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER

namespace carom::inline CAROM_PRECISION {

// Below this distance contacts push [m].
struct ActiveMargins {
  Span<const Real> contact_margin, gap;

  CAROM_HD Real operator()(Index2 pair) const {
    return contact_margin[pair[0]] + contact_margin[pair[1]] - (gap[pair[0]] + gap[pair[1]]);
  }
};

// Pairs that have a contact which pushes now.
struct MarkTouching {
  PointsOfPairs now;
  ActiveMargins margin;
  int* touches;  // 1 or 0

  CAROM_HD void operator()(int p) const {
    touches[p] = 0;
    for (int i = 0; i < now.count[p]; ++i)
      if (now.point[now.start[p] + i].distance < margin(now.pair[p])) touches[p] = 1;
  }
};

// Of the others: the contact of their meeting, if they meet.
struct PointsAhead {
  PointsOfPairs now;
  ActiveMargins margin;
  const int* touches;
  MovingShapes moving;
  Span<const Vec3> aabb_lower, aabb_upper;  // in the shape's frame
  Span<const int> shape_world;
  int world_count;
  const int* segment_pair_start;
  bool as_mujoco;  // points that MuJoCo makes
  Impact* impact;  // of each pair

  CAROM_HD void operator()(int p) const {
    impact[p] = {};
    const int a = now.pair[p][0], b = now.pair[p][1];
    const bool has_room = now.start[p + 1] <= now.point_room && now.start[p + 1] > now.start[p];
    if (!has_room || !are_convex(a, b) || touches[p]) return;
    const ShapeMotion of_a = moving[a], of_b = moving[b];
    if (!(max(of_a.sweep(), of_b.sweep()) > min(thinness(a), thinness(b)))) return;
    const Transform X_WA = now.shapes.X_WS[a], X_WB = now.shapes.X_WS[b];
    const Real nearer = now.shapes.thickness[a] + now.shapes.thickness[b] + margin(now.pair[p]);
    const auto distance_at = [&](Real t) CAROM_HD_LAMBDA {
      ConvexDistance d = speculative::distance(now.shapes[a], of_a.moved(X_WA, t), now.shapes[b], of_b.moved(X_WB, t));
      d.distance -= nearer;
      return d;
    };
    const speculative::Meeting m = speculative::advance(of_a, of_b, X_WA.p, X_WB.p, distance_at);
    if (m.found && m.speed > 0) place_points(p, of_a, of_b, m, m.left * speculative::kFlat + nearer);
  }

 private:
  CAROM_HD bool are_convex(int a, int b) const {
    const ShapeView of_a = now.shapes[a], of_b = now.shapes[b];
    return pair_table::is_convex(of_a.type) && pair_table::is_convex(of_b.type) &&
           !(is_half_space(of_a.type, of_a.scale) && is_half_space(of_b.type, of_b.scale));
  }
  // Smallest half extent [m].
  CAROM_HD Real thinness(int s) const {
    const ShapeView shape = now.shapes[s];
    if (is_half_space(shape.type, shape.scale)) return kUnbounded;
    const Vec3 half = (aabb_upper[s] - aabb_lower[s]) * Real(0.5);
    return min(half.x, min(half.y, half.z));
  }

  // The points that the shapes have when they meet, with the surfaces brought back to where they are now. The point of
  // a contact goes with the shape that moves.
  CAROM_HD void place_points(int p, const ShapeMotion& of_a, const ShapeMotion& of_b, const speculative::Meeting& m,
                             Real reach) const {
    const int a = now.pair[p][0], b = now.pair[p][1], room = now.start[p + 1] - now.start[p];
    const Transform X_WA = now.shapes.X_WS[a], X_WB = now.shapes.X_WS[b];
    const Transform X_WA_then = of_a.moved(X_WA, m.t), X_WB_then = of_b.moved(X_WB, m.t);
    const ShapeView shape_a = now.shapes[a], shape_b = now.shapes[b];
    ContactPoint* const out = now.point + now.start[p];
    const int n = as_mujoco ? collide_shapes_as_mujoco(shape_a, X_WA_then, shape_b, X_WB_then, reach, room, out)
                            : collide_shapes(shape_a, X_WA_then, shape_b, X_WB_then, reach, room, out);
    const Real grown_a = now.shapes.thickness[a], grown_b = now.shapes.thickness[b];
    const Real share = of_b.sweep() / (of_a.sweep() + of_b.sweep());
    const Transform back_a = X_WA * inverse(X_WA_then), back_b = X_WB * inverse(X_WB_then);
    int kept = 0;
    for (int i = 0; i < n; ++i) {
      const Vec3 normal = out[i].normal, half = normal * (out[i].distance * Real(0.5));
      const Vec3 p_a = transform_point(back_a, fma(normal, grown_a, out[i].point - half));
      const Vec3 p_b = transform_point(back_b, fma(normal, -grown_b, out[i].point + half));
      if (is_hidden(p, p_a, p_b)) continue;
      out[kept++] = {fma(p_b - p_a, share, p_a), normal, dot(normal, p_b - p_a), out[i].feature};
    }
    now.count[p] = kept;
    if (kept > 0) impact[p] = {m.t * moving.time, m.speed / moving.time, share};
  }

  // Whether there is a third shape between two surfaces, which is met first. One that is touched now stops what it can.
  CAROM_HD bool is_hidden(int p, Vec3 from, Vec3 to) const {
    const int a = now.pair[p][0], b = now.pair[p][1];
    const int segment = segment_of_pair(shape_world, world_count, now.pair[p]);
    for (int q = segment_pair_start[segment]; q < segment_pair_start[segment + 1]; ++q) {
      const int first = now.pair[q][0], second = now.pair[q][1];
      const bool of_first = first == a || first == b, of_second = second == a || second == b;
      if (of_first != of_second && !touches[q] && is_between(of_first ? second : first, a, b, from, to)) return true;
    }
    return false;
  }
  CAROM_HD bool is_between(int s, int a, int b, Vec3 from, Vec3 to) const {
    const int body = moving.shape_body[s];
    if (body >= 0 && (body == moving.shape_body[a] || body == moving.shape_body[b])) return false;
    const Transform X = now.shapes.X_WS[s];
    const Vec3 p = rotate_inverse(X.q, from - X.p), way = rotate_inverse(X.q, to - from);
    return ray_shape(now.shapes[s], p, way, 1).t >= 0;
  }
};

}  // namespace carom::inline CAROM_PRECISION
