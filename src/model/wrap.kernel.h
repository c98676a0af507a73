// How a tendon runs round a sphere or a cylinder, from p to q outside of it: round a circle in the plane through the
// centre of the sphere and both ends, or across the axis of the cylinder, which it climbs evenly.
//
// Outside: with the angle theta that the path sweeps about the centre, and the angles acos(r / |p|), acos(r / |q|)
// between the ends and the points where it touches, the arc is theta minus both; without an arc it runs straight. theta
// is that of the shorter way, or of the way past the side.
//
// Inside: it touches one point of the circle from within, where both pieces meet the circle's normal at one angle
// theta. With A = r / |p|, B = r / |q| and the angle G between p and q,
//
//   asin(A sin theta) + asin(B sin theta) - 2 theta + G = 0
#pragma once

#include "carom/math.h"
#include "carom/platform.h"

namespace carom::inline CAROM_PRECISION {

// What is shorter counts as nothing [m].
inline constexpr Real kTiny = Real(1e-15);

// Where it touches first and last, and the length between; wraps: otherwise it runs straight.
template <class F>
struct WrapT {
  Vec2T<F> first, last;
  F arc{};
  MaskOf<F> wraps;
};

namespace wrap {

template <class F>
CAROM_HD F norm(Vec2T<F> v) {
  return sqrt(fma(v.x, v.x, v.y * v.y));
}
// From a to b, counterclockwise, in (-pi, pi].
template <class F>
CAROM_HD F angle(Vec2T<F> a, Vec2T<F> b) {
  return atan2(fma(a.x, b.y, -(a.y * b.x)), fma(a.x, b.x, a.y * b.y));
}
// Turned by an angle and brought to the length r; norm: of v.
template <class F>
CAROM_HD Vec2T<F> turned(Vec2T<F> v, F norm, F by, F r) {
  F s, c;
  sincos(by, s, c);
  const F scale = r / norm;
  return {fma(v.x, c, -(v.y * s)) * scale, fma(v.x, s, v.y * c) * scale};
}
// No number below this is divided by.
template <class F>
CAROM_HD F at_least(F x) {
  return max(x, F(kTiny));
}
// The least distance between the origin and the line from p to q.
template <class F>
CAROM_HD F distance_of_line(Vec2T<F> p, Vec2T<F> q) {
  const Vec2T<F> d{q.x - p.x, q.y - p.y};
  const F t = clamp(-fma(d.x, p.x, d.y * p.y) / at_least(fma(d.x, d.x, d.y * d.y)), F(0), F(1));
  return norm(Vec2T<F>{fma(t, d.x, p.x), fma(t, d.y, p.y)});
}

}  // namespace wrap

// swept: the angle from p to q on the way that it takes, counterclockwise.
template <class F>
CAROM_HD WrapT<F> wrap_outside(Vec2T<F> p, Vec2T<F> q, F swept, F r) {
  const F p_norm = wrap::at_least(wrap::norm(p)), q_norm = wrap::at_least(wrap::norm(q));
  const F from_p = acos(min(r / p_norm, F(1))), from_q = acos(min(r / q_norm, F(1)));
  const F angle = abs(swept) - from_p - from_q, sign = select(swept < F(0), F(-1), F(1));
  const auto outside = p_norm >= r && q_norm >= r && r >= F(kTiny);
  return {wrap::turned(p, p_norm, sign * from_p, r), wrap::turned(q, q_norm, -(sign * from_q), r), r * angle,
          outside && angle > F(0)};
}

template <class F>
CAROM_HD WrapT<F> wrap_inside(Vec2T<F> p, Vec2T<F> q, F r) {
  constexpr int kIterations = 12;
  constexpr Real kRightAngle = Real(1.57079632679489661923);
  const F p_norm = wrap::at_least(wrap::norm(p)), q_norm = wrap::at_least(wrap::norm(q));
  const F A = min(r / p_norm, F(1)), B = min(r / q_norm, F(1)), between = wrap::angle(p, q);
  F theta = F(kRightAngle), s = F(1), c = F(0);
  CAROM_ROLL
  for (int i = 0; i < kIterations; ++i) {
    const auto slope = [&](F k) CAROM_HD_LAMBDA {
      return k * c / wrap::at_least(sqrt(max(fma(-(k * s), k * s, F(1)), F(0))));
    };
    const F value = asin(A * s) + asin(B * s) - F(2) * theta + abs(between);
    theta = clamp(theta - value / (slope(A) + slope(B) - F(2)), F(0), F(kRightAngle));
    sincos(theta, s, c);
  }
  const F from_p = theta - asin(A * s);
  const Vec2T<F> touch = wrap::turned(p, p_norm, select(between < F(0), -from_p, from_p), r);
  const auto outside = p_norm > r && q_norm > r && r >= F(kTiny);
  return {touch, touch, F(0), outside && wrap::distance_of_line(p, q) > r};
}

// What a tendon runs round, in its own frame: about the origin, a cylinder along z. It passes where `side` is; a side
// within the radius holds it inside.
template <class F>
struct WrappedT {
  bool is_sphere = true, has_side = false;
  F radius{};
  Vec3T<F> side{};
};

// Where it touches first and last, and the length between; wraps: otherwise it runs straight.
template <class F>
struct TouchT {
  Vec3T<F> first, last;
  F arc{};
  MaskOf<F> wraps;
};

namespace wrap {

// Axes of the plane through the origin, a and b; of any plane through a where they are in line.
template <class F>
CAROM_HD void plane_through(Vec3T<F> a, Vec3T<F> b, Vec3T<F>& x, Vec3T<F>& y) {
  const F norm = sqrt(length_squared(a));
  x = a * (F(1) / at_least(norm));
  Vec3T<F> normal = cross(a, b);
  const auto in_line = sqrt(length_squared(normal)) < F(kTiny);
  const Vec3T<F> size{abs(x.x), abs(x.y), abs(x.z)};
  const auto y_most = size.y > size.x && size.y > size.z, z_most = size.z > size.x && size.z > size.y;
  const Vec3T<F> other{select(y_most || z_most, F(1), F(0)), select(y_most, F(0), F(1)), select(z_most, F(0), F(1))};
  normal = select(in_line, cross(x, other), normal);
  normal = normal * (F(1) / at_least(sqrt(length_squared(normal))));
  y = cross(normal, x);
}

// On a cylinder it climbs evenly along its way.
template <class F>
CAROM_HD void climb(Vec3T<F> a, Vec3T<F> b, TouchT<F>& touch) {
  const F before = norm(Vec2T<F>{a.x - touch.first.x, a.y - touch.first.y});
  const F behind = norm(Vec2T<F>{b.x - touch.last.x, b.y - touch.last.y});
  const F slope = (b.z - a.z) / at_least(before + touch.arc + behind), rise = slope * touch.arc;
  touch.first.z = fma(slope, before, a.z);
  touch.last.z = touch.first.z + rise;
  touch.arc = sqrt(fma(touch.arc, touch.arc, rise * rise));
}

// s: the side in the plane; inside: whether it is within the radius.
template <class F>
CAROM_HD WrapT<F> past_side(Vec2T<F> p, Vec2T<F> q, Vec2T<F> s, MaskOf<F> inside, F radius) {
  const WrapT<F> outer = wrap_outside(p, q, angle(p, s) + angle(s, q), radius);
  if (!any(inside)) return outer;
  const WrapT<F> inner = wrap_inside(p, q, radius);
  const auto chosen = [&](Vec2T<F> in, Vec2T<F> out) CAROM_HD_LAMBDA {
    return Vec2T<F>{select(inside, in.x, out.x), select(inside, in.y, out.y)};
  };
  return {chosen(inner.first, outer.first), chosen(inner.last, outer.last), select(inside, inner.arc, outer.arc),
          (inside && inner.wraps) || (!inside && outer.wraps)};
}

}  // namespace wrap

// From a to b, in the frame of what it runs round.
template <class F>
CAROM_HD TouchT<F> wrap_around(const WrappedT<F>& round, Vec3T<F> a, Vec3T<F> b) {
  Vec3T<F> x{F(1), F(0), F(0)}, y{F(0), F(1), F(0)};  // axes of the plane
  if (round.is_sphere) wrap::plane_through(a, b, x, y);
  const auto project = [&](Vec3T<F> v) CAROM_HD_LAMBDA { return Vec2T<F>{dot(v, x), dot(v, y)}; };
  const auto in_space = [&](Vec2T<F> v) CAROM_HD_LAMBDA { return x * v.x + y * v.y; };
  const Vec2T<F> p = project(a), q = project(b);
  // By its distance from the centre, of a cylinder, too: as MuJoCo does.
  const WrapT<F> plane = round.has_side ? wrap::past_side(p, q, project(round.side),
                                                          sqrt(length_squared(round.side)) < round.radius, round.radius)
                                        : wrap_outside(p, q, wrap::angle(p, q), round.radius);
  TouchT<F> touch{in_space(plane.first), in_space(plane.last), plane.arc, plane.wraps};
  if (!round.is_sphere) wrap::climb(a, b, touch);
  const F tiny = F(kTiny * kTiny);
  touch.wraps = touch.wraps && length_squared(a) >= tiny && length_squared(b) >= tiny;
  return touch;
}

}  // namespace carom::inline CAROM_PRECISION
