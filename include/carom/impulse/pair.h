// Several contact points of one pair of bodies, solved together: a box that lands on four corners.
//
// Point i gets an impulse J_i in its Coulomb cone such that the normal velocity u_n after the impact obeys Newton's
// restitution as a complementarity,
//
//   u_n' >= b,   J_n >= 0,   J_n (u_n' - b) = 0,   b = e max(0, -u_n)   before the impact,
//
// and friction the law of contact_law.h. It is found by sweeps over the points, each solved for itself with the others
// as they are (projected Gauss-Seidel with a block per point; Jourdan, Alart, Jean 1998), forward and backward in turn,
// until no velocity changes by more than the tolerance. One point alone gives the impulse of impulse_by_collision().
//
// Newton's restitution can gain energy here for two reasons: friction, as there, and several points with restitution
// that work on each other. Where it does, the impulses go back on the straight line to those without friction, and
// where these gain energy themselves, further to those without restitution, as far as it takes: cones are convex and
// velocities linear on the way, and impulses without restitution never gain any.
//
// Everything is masked: a lane that has converged changes no more, so its result does not depend on its neighbours.
#pragma once

#include "carom/impulse/collision.h"

namespace carom::inline CAROM_PRECISION {

struct PairConfig {
  int max_iterations = 200;                           // sweeps
  Real tolerance = sizeof(Real) == 4 ? 1e-5 : 1e-10;  // largest change of a velocity, relative to those at the points
  Real restitution_threshold = 0;                     // [m/s], as in ImpulseOptions
};

// A body in the common frame.
template <class F>
struct PairBodyT {
  Vec3T<F> velocity, angular_velocity;  // of the centre of mass [m/s], [rad/s]
  F inverse_mass;                       // [1/kg], 0: nothing moves it
  Mat33T<F> inverse_inertia;            // in the axes of the common frame [1/(kg m^2)]
};

// A contact point, its result, and room to work in.
template <class F>
struct PairPointT {
  // Given.
  Vec3T<F> normal;  // unit, from body 1 to body 2
  Vec3T<F> r1, r2;  // from each centre of mass to the point [m]
  F restitution, friction;
  MaskOf<F> active = F(0) == F(0);  // lanes without this point are off

  // The result: on body 1 [N s].
  Vec3T<F> impulse;

  // Work.
  ContactFrameT<F> frame;
  ContactImpulseT<F> local;  // the impulse in that frame
  F bounce;                  // b
  Vec3T<F> full, smooth;     // impulses of the whole law, and without friction
};

using PairBody = PairBodyT<Real>;
using PairPoint = PairPointT<Real>;

// Velocity of body 1 relative to body 2 at a point.
template <class F>
CAROM_HD Vec3T<F> pair_velocity(const PairBodyT<F>& a, const PairBodyT<F>& b, const PairPointT<F>& point) {
  return (a.velocity + cross(a.angular_velocity, point.r1)) - (b.velocity + cross(b.angular_velocity, point.r2));
}

// Adds an impulse at r to the velocities of a body.
template <class F>
CAROM_HD void push(PairBodyT<F>& body, Vec3T<F> r, Vec3T<F> impulse) {
  body.velocity = fma(impulse, body.inverse_mass, body.velocity);
  body.angular_velocity += body.inverse_inertia * cross(r, impulse);
}

// The impulse of a point when those of the others stay; u is the velocity there now.
template <class F>
CAROM_HD ContactImpulseT<F> point_impulse(const PairPointT<F>& point, Vec3T<F> u, F bounce, F friction) {
  const ContactFrameT<F>& f = point.frame;
  const ContactImpulseT<F>& now = point.local;
  const F j_now = fma(f.c1, now.t1, fma(f.c2, now.t2, now.n));
  const auto yields = f.k > F(0);
  const F change = select(yields, (bounce - dot(u, f.d)) / select(yields, f.k, F(1)), F(0)),
          j = max(j_now + change, F(0));
  if (!any(friction > F(0))) return {j, F(0), F(0)};
  const F push = f.k * (j - j_now);
  const F q1 = fma(-f.s1, now.t1, fma(f.c1, push, dot(u, f.e1)));
  const F q2 = fma(-f.s2, now.t2, fma(f.c2, push, dot(u, f.e2)));
  const ContactImpulseT<F> J = friction_impulse(f, q1, q2, j, friction);
  const auto rough = friction > F(0) && yields && j > F(0);
  return {select(rough, J.n, j), select(rough, J.t1, F(0)), select(rough, J.t2, F(0))};
}

inline namespace CAROM_TIER {

template <class F>
CAROM_HD_STAGE void prepare_point(const PairBodyT<F>& a, const PairBodyT<F>& b, PairPointT<F>& point,
                                  F restitution_threshold) {
  const ContactBodyT<F> one{a.inverse_mass, a.inverse_inertia, point.r1},
      other{b.inverse_mass, b.inverse_inertia, point.r2};
  const Vec3T<F> d = -point.normal;
  const F k = dot(d, velocity_of_impulse(one, d) + velocity_of_impulse(other, d));
  point.frame = contact_frame(one, other, d, k);
  const F approach = max(-dot(pair_velocity(a, b, point), d), F(0));
  point.bounce = faded_restitution(point.restitution, approach, restitution_threshold) * approach;
}

// The change of velocity that ends the sweeps [m/s]: relative to what the points move, but not below what velocities
// are rounded to.
template <class F>
CAROM_HD F least_change(const PairBodyT<F>& a, const PairBodyT<F>& b, const PairPointT<F>* point, int count,
                        const PairConfig& config) {
  const auto size = [](Vec3T<F> v) CAROM_HD_LAMBDA { return max(max(abs(v.x), abs(v.y)), abs(v.z)); };
  F relative = F(0), parts = F(0);
  for (int i = 0; i < count; ++i) {
    relative = max(relative, size(pair_velocity(a, b, point[i])));
    parts = max(parts, size(a.angular_velocity) * size(point[i].r1) + size(b.angular_velocity) * size(point[i].r2));
  }
  const F rounding = F(8 * std::numeric_limits<Element<F>>::epsilon());
  return max(relative * F(config.tolerance), (parts + size(a.velocity) + size(b.velocity)) * rounding);
}

// Which of the laws of the points a solution obeys.
struct PairLaw {
  bool restitution, friction;
};

// Sweeps until the impulses stay. They begin at zero, and a and b with the velocities before; true where they
// converged.
template <class F>
CAROM_HD_STAGE MaskOf<F> settle_pair(PairBodyT<F> a, PairBodyT<F> b, PairPointT<F>* point, int count, PairLaw law,
                                     const PairConfig& config, MaskOf<F> wanted) {
  for (int i = 0; i < count; ++i) point[i].local = {F(0), F(0), F(0)};
  const F enough = least_change(a, b, point, count, config);
  auto moving = wanted;
  for (int sweep = 0; sweep < config.max_iterations && any(moving); ++sweep) {
    F change = F(0);
    for (int k = 0; k < count; ++k) {
      PairPointT<F>& p = point[sweep % 2 == 0 ? k : count - 1 - k];
      const F bounce = law.restitution ? p.bounce : F(0), friction = law.friction ? p.friction : F(0);
      const ContactImpulseT<F> to = point_impulse(p, pair_velocity(a, b, p), bounce, friction);
      const auto moves = moving && p.active;
      const ContactImpulseT<F> step{select(moves, to.n - p.local.n, F(0)), select(moves, to.t1 - p.local.t1, F(0)),
                                    select(moves, to.t2 - p.local.t2, F(0))};
      p.local = {p.local.n + step.n, p.local.t1 + step.t1, p.local.t2 + step.t2};
      push(a, p.r1, impulse_vector(p.frame, step));
      push(b, p.r2, -impulse_vector(p.frame, step));
      change = max(change, abs(p.frame.k * step.n));
      change = max(change, max(abs(p.frame.s1 * step.t1), abs(p.frame.s2 * step.t2)));
    }
    moving = moving && change > enough;
  }
  for (int i = 0; i < count; ++i) point[i].impulse = impulse_vector(point[i].frame, point[i].local);
  return wanted && !moving;
}

// Kinetic energy that impulses add to the bodies, as a function of how far one goes from `from` (s = 0) to `to` (s =
// 1): E0 + s g + s^2/2 h.
template <class F>
struct PairEnergyT {
  F E0 = F(0), g = F(0), h = F(0);
  F size = F(0);  // what E0 is a difference of, about
};

template <class F>
CAROM_HD_STAGE PairEnergyT<F> pair_energy(const PairBodyT<F>& a, const PairBodyT<F>& b, const PairPointT<F>* point,
                                          int count, Vec3T<F> PairPointT<F>::*from, Vec3T<F> PairPointT<F>::*to) {
  const Vec3T<F> zero{F(0), F(0), F(0)};
  PairBodyT<F> a0 = a, b0 = b, a1 = a, b1 = b;  // moved by `from`, and from rest by the difference
  a1.velocity = a1.angular_velocity = b1.velocity = b1.angular_velocity = zero;
  for (int i = 0; i < count; ++i) {
    const PairPointT<F>& p = point[i];
    push(a0, p.r1, p.*from);
    push(b0, p.r2, -(p.*from));
    push(a1, p.r1, p.*to - p.*from);
    push(b1, p.r2, p.*from - p.*to);
  }
  PairEnergyT<F> energy;
  for (int i = 0; i < count; ++i) {
    const PairPointT<F>& p = point[i];
    const Vec3T<F> way = p.*to - p.*from, before = pair_velocity(a, b, p), after = pair_velocity(a0, b0, p);
    energy.E0 = fma(F(0.5), dot(p.*from, before + after), energy.E0);
    energy.g += dot(way, after);
    energy.h += dot(way, pair_velocity(a1, b1, p));
    energy.size += abs(dot(p.*from, before));
  }
  return energy;
}

// Where `to` gains energy, `from` does not, and `result` becomes the last point between them that does not either.
template <class F>
CAROM_HD_STAGE void stop_at_energy(const PairBodyT<F>& a, const PairBodyT<F>& b, PairPointT<F>* point, int count,
                                   Vec3T<F> PairPointT<F>::*from, Vec3T<F> PairPointT<F>::*to,
                                   Vec3T<F> PairPointT<F>::*result, MaskOf<F> gains) {
  const PairEnergyT<F> energy = pair_energy(a, b, point, count, from, to);
  const F s = dissipative_share(min(energy.E0, F(0)), energy.g, max(energy.h, F(0)));
  for (int i = 0; i < count; ++i) {
    PairPointT<F>& p = point[i];
    p.*result = select(gains, fma(p.*to - p.*from, s, p.*from), p.*to);
  }
}

template <class F>
CAROM_HD MaskOf<F> gains_energy(const PairBodyT<F>& a, const PairBodyT<F>& b, const PairPointT<F>* point, int count,
                                Vec3T<F> PairPointT<F>::*impulse, const PairConfig& config) {
  const PairEnergyT<F> energy = pair_energy(a, b, point, count, impulse, impulse);
  return energy.E0 > F(config.tolerance) * energy.size;
}

// Takes back friction, and restitution if need be, where the impulses gain energy.
template <class F>
CAROM_HD_STAGE void refuse_energy(const PairBodyT<F>& a, const PairBodyT<F>& b, PairPointT<F>* point, int count,
                                  const PairConfig& config) {
  using Point = PairPointT<F>;
  const auto gains = gains_energy(a, b, point, count, &Point::impulse, config);
  if (!any(gains)) return;
  for (int i = 0; i < count; ++i) point[i].full = point[i].impulse;
  settle_pair(a, b, point, count, {true, false}, config, gains);
  for (int i = 0; i < count; ++i) point[i].smooth = point[i].impulse;
  const auto still_gains = gains && gains_energy(a, b, point, count, &Point::smooth, config);
  if (any(still_gains)) {
    settle_pair(a, b, point, count, {false, false}, config, still_gains);
    stop_at_energy(a, b, point, count, &Point::impulse, &Point::smooth, &Point::smooth, still_gains);
  }
  stop_at_energy(a, b, point, count, &Point::smooth, &Point::full, &Point::impulse, gains);
}

// Solves for the impulses of all points and gives them to the bodies, whose velocities become those after the impact.
// True where the sweeps converged; the impulses of the others are in their cones all the same and gain no energy.
template <class F>
CAROM_HD_STAGE MaskOf<F> solve_pair(PairBodyT<F>& a, PairBodyT<F>& b, PairPointT<F>* point, int count,
                                    const PairConfig& config = {}) {
  for (int i = 0; i < count; ++i) prepare_point(a, b, point[i], F(config.restitution_threshold));
  const auto converged = settle_pair(a, b, point, count, {true, true}, config, F(0) == F(0));
  refuse_energy(a, b, point, count, config);
  for (int i = 0; i < count; ++i) {
    push(a, point[i].r1, point[i].impulse);
    push(b, point[i].r2, -point[i].impulse);
  }
  return converged;
}

}  // namespace CAROM_TIER

}  // namespace carom::inline CAROM_PRECISION
