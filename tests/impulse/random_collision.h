// Random collisions, and what an impulse does to their bodies, computed by other means than the library's: turns
// about one axis after the other instead of matrices, and always in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "carom/impulse.h"
#include "double3.h"
#include "tests/random.h"

namespace carom::test {

using Collision = CollisionT<Real>;

inline constexpr Real kEps = std::numeric_limits<Real>::epsilon();
inline constexpr Real kInf = std::numeric_limits<Real>::infinity();

// v turned by an angle about an axis (0, 1, 2).
inline Double3 turn(int axis, double angle, Double3 v) {
  const double c = std::cos(angle), s = std::sin(angle);
  if (axis == 0) return {v.x, c * v.y - s * v.z, s * v.y + c * v.z};
  if (axis == 1) return {c * v.x + s * v.z, v.y, c * v.z - s * v.x};
  return {c * v.x - s * v.y, s * v.x + c * v.y, v.z};
}
inline Double3 to_common(const Euler& e, Double3 v) { return turn(2, e.psi, turn(1, e.theta, turn(0, e.phi, v))); }
inline Double3 to_body(const Euler& e, Double3 v) { return turn(0, -e.phi, turn(1, -e.theta, turn(2, -e.psi, v))); }

// One body: velocities, and the momentum and energy that belong to them. For principal moments.
struct Body {
  Double3 v, w;
  double m;
  Double3 moments;
  Euler euler;

  Double3 angular_momentum() const {
    const Double3 b = to_body(euler, w);
    return to_common(euler, {moments.x * b.x, moments.y * b.y, moments.z * b.z});
  }
  double energy() const { return 0.5 * m * dot(v, v) + 0.5 * dot(w, angular_momentum()); }
  Body pushed(Double3 r, Double3 J) const {
    const Double3 b = to_body(euler, cross(r, J));
    const Double3 dw = to_common(euler, {b.x / moments.x, b.y / moments.y, b.z / moments.z});
    return {v + J * (1 / m), w + dw, m, moments, euler};
  }
};

struct Bodies {
  Body self, other;
};
inline Bodies before(const Collision& c) {
  return {{Double3(c.v1), Double3(c.w1), c.m1, Double3(c.I1.moments()), c.self_euler},
          {Double3(c.v2), Double3(c.w2), c.m2, Double3(c.I2.moments()), c.target_euler}};
}
inline Bodies after(const Collision& c, Vec3 J) {
  const Bodies b = before(c);
  return {b.self.pushed(Double3(c.r1), Double3(J)), b.other.pushed(Double3(c.r2), Double3(J) * -1)};
}
// Of self relative to other, at the contact.
inline Double3 relative_velocity(const Collision& c, const Bodies& b) {
  return (b.self.v + cross(b.self.w, Double3(c.r1))) - (b.other.v + cross(b.other.w, Double3(c.r2)));
}
inline double energy(const Bodies& b) { return b.self.energy() + b.other.energy(); }

// Numbers that rounding errors are relative to: speeds at the contact with all their parts, and energies.
inline double speed_scale(const Collision& c, Vec3 J) {
  const Bodies b = before(c), a = after(c, J);
  double scale = 0;
  for (const Bodies& s : {b, a})
    scale += length(s.self.v) + length(s.self.w) * length(Double3(c.r1)) + length(s.other.v) +
             length(s.other.w) * length(Double3(c.r2));
  return scale;
}

class RandomCollisions {
 public:
  explicit RandomCollisions(std::uint64_t seed) : random_(seed) {}

  Real number(Real low, Real high) { return low + (high - low) * Real(0.5) * (random_.next() + 1); }
  Vec3 vector(Real size) {
    const Real x = random_.next(), y = random_.next(), z = random_.next();
    return Vec3{x, y, z} * size;
  }
  Vec3 direction() {
    for (;;) {
      const Vec3 n = vector(1);
      if (dot(n, n) > Real(0.01)) return n;
    }
  }
  Euler euler() {
    const Vec3 e = vector(3);
    return {e.x, e.y, e.z};
  }
  // Moments between those of a compact and of a long body of this mass.
  RotationalInertia inertia(Real m) {
    const Real x = number(Real(0.1), 1), y = number(Real(0.1), 1), z = number(Real(0.1), 1);
    return {m * x, m * y, m * z};
  }

  Collision next() {
    const Real m1 = number(Real(0.2), 3), m2 = number(Real(0.2), 3);
    const Vec3 v1 = vector(2), w1 = vector(2), v2 = vector(2), w2 = vector(2), r1 = vector(1), r2 = vector(1);
    const Euler e1 = euler(), e2 = euler();
    const RotationalInertia I1 = inertia(m1), I2 = inertia(m2);
    const Vec3 n = direction();
    const Real e = number(0, 1);
    return {v1, w1, e1, v2, w2, e2, r1, r2, m1, m2, I1, I2, n, e, 0, 0, 0, false};
  }

 private:
  SeededRandom random_;
};

// Some of everything: with and without friction, turned or not, infinite, tiny.
inline Collision mixed(RandomCollisions& random, int i) {
  Collision c = random.next();
  if (i % 3) c.friction = random.number(0, 1);
  if (i % 5 == 0) c.tangential_restitution = random.number(-1, 1);
  if (i % 4 == 0) c.self_euler = {};
  if (i % 7 == 0) c.m2 = kInf;
  if (i % 7 == 0) c.I2.tensor = mat33_diagonal(Vec3{kInf, kInf, kInf});
  if (i % 11 == 0) c.restitution_threshold = 2;
  if (i % 13 == 0) c.normal = {0, 0, 1};
  return c;
}

inline Vec3 impulse(const Collision& c) {
  return impulse_by_collision(Velocity(c.v1), AngularVelocity(c.w1), c.self_euler, Velocity(c.v2),
                              AngularVelocity(c.w2), c.target_euler, ContactVector(c.r1), ContactVector(c.r2), c.m1,
                              c.m2, c.I1, c.I2, c.normal, c.e,
                              {c.oriented, c.friction, c.tangential_restitution, c.restitution_threshold})
      .vec();
}

}  // namespace carom::test
