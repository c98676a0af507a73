// Contact points among bodies, solved together: a box that lands on four corners, or all contacts of a world.
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
// What holds bodies and points is a System:
//
//   system.start()                     the bodies get their velocities before the impact
//   system.each(keep, backward, visit) visit(a, b, point, active) for every point; of what it changes in the two bodies
//                                      and the point, `keep` says what stays; lanes that are not active have no point
//
// Bodies are ImpactBodyT, or another type with velocity_at(), push(), frame_at() and fastest_part() of its own: what
// joints tie together.
//
// Everything is masked: a lane that has converged changes no more, so its result does not depend on its neighbours.
#pragma once

#include "carom/impulse/collision.h"

namespace carom::inline CAROM_PRECISION {

struct ImpactConfig {
  int max_iterations = 200;                           // sweeps
  Real tolerance = sizeof(Real) == 4 ? 1e-5 : 1e-10;  // largest change of a velocity, relative to those at the points
  Real restitution_threshold = 0;                     // [m/s], as in ImpulseOptions
};

// A body in the common frame.
template <class F>
struct ImpactBodyT {
  Vec3T<F> velocity, angular_velocity;  // of the centre of mass [m/s], [rad/s]
  F inverse_mass;                       // [1/kg], 0: nothing moves it
  Mat33T<F> inverse_inertia;            // in the axes of the common frame [1/(kg m^2)]
};

// A contact point: nothing but numbers, so that rows of memory can be lanes.
template <class F>
struct ImpactPointT {
  // Given.
  Vec3T<F> normal;  // unit, from body 1 to body 2
  Vec3T<F> r1, r2;  // from each centre of mass to the point [m]
  F restitution, friction, tangential_restitution;

  // What follows from it.
  PrincipalFrameT<F> frame;
  F bounce;         // b
  F slip1, slip2;   // what is added to the slip that friction takes away, along the tangents
  Vec3T<F> before;  // velocity at the point before the impact

  // The impulse in the principal frame, as the sweeps change it.
  ContactImpulseT<F> local;

  // The results: the impulse on body 1 [N s], and what leads to it.
  Vec3T<F> impulse;
  Vec3T<F> full, smooth;  // impulses of the whole law, and without friction
  Vec3T<F> between;       // velocity at the point at the near end of a line of impulses
};

// What of a visit stays: nothing, what follows from the given and `local`, velocities and `local`, or the results.
enum class Keep { kNothing, kPrepared, kMotion, kResults };

using ImpactBody = ImpactBodyT<Real>;
using ImpactPoint = ImpactPointT<Real>;

// Velocity of body 1 relative to body 2 at a point.
template <class F>
CAROM_HD Vec3T<F> velocity_at(const ImpactBodyT<F>& a, const ImpactBodyT<F>& b, const ImpactPointT<F>& point) {
  return (a.velocity + cross(a.angular_velocity, point.r1)) - (b.velocity + cross(b.angular_velocity, point.r2));
}

// Gives an impulse on body 1, and its negative to body 2.
template <class F>
CAROM_HD void push(ImpactBodyT<F>& a, ImpactBodyT<F>& b, const ImpactPointT<F>& point, Vec3T<F> impulse) {
  a.velocity = fma(impulse, a.inverse_mass, a.velocity);
  a.angular_velocity += a.inverse_inertia * cross(point.r1, impulse);
  b.velocity = fma(impulse, -b.inverse_mass, b.velocity);
  b.angular_velocity -= b.inverse_inertia * cross(point.r2, impulse);
}

// K at a point and its principal axes; d: unit, towards body 1.
template <class F>
CAROM_HD PrincipalFrameT<F> frame_at(const ImpactBodyT<F>& a, const ImpactBodyT<F>& b, const ImpactPointT<F>& point,
                                     Vec3T<F> d) {
  const ContactBodyT<F> one{a.inverse_mass, a.inverse_inertia, point.r1};
  const ContactBodyT<F> other{b.inverse_mass, b.inverse_inertia, point.r2};
  return principal_frame(one, other, d, dot(d, velocity_of_impulse(one, d) + velocity_of_impulse(other, d)));
}

template <class F>
CAROM_HD F largest_part(Vec3T<F> v) {
  return max(max(abs(v.x), abs(v.y)), abs(v.z));
}
// The largest number that the velocity at a point is the sum of, about.
template <class F>
CAROM_HD F fastest_part(const ImpactBodyT<F>& a, const ImpactBodyT<F>& b, const ImpactPointT<F>& point) {
  const F turning = largest_part(a.angular_velocity) * largest_part(point.r1) +
                    largest_part(b.angular_velocity) * largest_part(point.r2);
  return turning + largest_part(a.velocity) + largest_part(b.velocity);
}

// Which of the laws of the points a solution obeys.
struct ImpactLaw {
  bool restitution, friction;
};

// The impulse of a point when those of the others stay; u is the velocity there now.
template <class F>
CAROM_HD ContactImpulseT<F> point_impulse(const ImpactPointT<F>& point, Vec3T<F> u, ImpactLaw law) {
  const PrincipalFrameT<F>& f = point.frame;
  const ContactImpulseT<F>& now = point.local;
  const F bounce = law.restitution ? point.bounce : F(0), friction = law.friction ? point.friction : F(0);
  const F j_now = fma(f.c1, now.t1, fma(f.c2, now.t2, now.n));
  const auto yields = f.k > F(0);
  const F change = select(yields, (bounce - dot(u, f.d)) / select(yields, f.k, F(1)), F(0));
  const F j = max(j_now + change, F(0));
  if (!any(friction > F(0))) return {j, F(0), F(0)};
  const F push = f.k * (j - j_now);
  const F q1 = fma(-f.s1, now.t1, fma(f.c1, push, dot(u, f.e1))) + point.slip1;
  const F q2 = fma(-f.s2, now.t2, fma(f.c2, push, dot(u, f.e2))) + point.slip2;
  const ContactImpulseT<F> J = friction_impulse(f, q1, q2, j, friction);
  const auto rough = friction > F(0) && yields && j > F(0);
  return {select(rough, J.n, j), select(rough, J.t1, F(0)), select(rough, J.t2, F(0))};
}

inline namespace CAROM_TIER {

// What follows from the given, with the velocities before the impact.
template <class Body, class F>
CAROM_HD_STAGE void prepare_point(const Body& a, const Body& b, F restitution_threshold, ImpactPointT<F>& point) {
  const Vec3T<F> d = -point.normal, u = velocity_at(a, b, point);
  point.frame = frame_at(a, b, point, d);
  const F approach = max(-dot(u, d), F(0));
  point.bounce = faded_restitution(point.restitution, approach, restitution_threshold) * approach;
  point.slip1 = point.tangential_restitution * dot(u, point.frame.e1);
  point.slip2 = point.tangential_restitution * dot(u, point.frame.e2);
  point.before = u;
  point.local = {F(0), F(0), F(0)};
}

// Prepares all points. Returns the change of velocity that ends the sweeps [m/s]: relative to what the points move, but
// not below what velocities are rounded to.
template <class F, class System>
CAROM_HD_STAGE F prepare_impact(System& system, const ImpactConfig& config) {
  F relative = F(0), parts = F(0);
  system.each(Keep::kPrepared, false, [&](auto& a, auto& b, auto& p, auto active) CAROM_HD_LAMBDA {
    prepare_point(a, b, F(config.restitution_threshold), p);
    relative = select(active, max(relative, largest_part(p.before)), relative);
    parts = select(active, max(parts, fastest_part(a, b, p)), parts);
  });
  const F rounding = F(8 * std::numeric_limits<Element<F>>::epsilon());
  return max(relative * F(config.tolerance), parts * rounding);
}

// Sweeps until the impulses stay, from none at the velocities before the impact; true where they converged.
template <class F, class System>
CAROM_HD_STAGE MaskOf<F> settle(System& system, ImpactLaw law, const ImpactConfig& config, F enough, MaskOf<F> wanted) {
  auto moving = wanted;
  for (int sweep = 0; sweep < config.max_iterations && any(moving); ++sweep) {
    F change = F(0);
    system.each(Keep::kMotion, sweep % 2 != 0, [&](auto& a, auto& b, auto& p, auto active) CAROM_HD_LAMBDA {
      const ContactImpulseT<F> to = point_impulse(p, velocity_at(a, b, p), law);
      const auto moves = moving && active;
      const ContactImpulseT<F> step{select(moves, to.n - p.local.n, F(0)), select(moves, to.t1 - p.local.t1, F(0)),
                                    select(moves, to.t2 - p.local.t2, F(0))};
      p.local = {p.local.n + step.n, p.local.t1 + step.t1, p.local.t2 + step.t2};
      push(a, b, p, impulse_vector(p.frame, step));
      const F turned = max(abs(p.frame.s1 * step.t1), abs(p.frame.s2 * step.t2));
      change = select(moves, max(change, max(abs(p.frame.k * step.n), turned)), change);
    });
    moving = moving && change > enough;
  }
  return wanted && !moving;
}

// The same again by another law; the impulses become `result`.
template <class F, class System>
CAROM_HD_STAGE void settle_again(System& system, ImpactLaw law, const ImpactConfig& config, F enough, MaskOf<F> wanted,
                                 Vec3T<F> ImpactPointT<F>::*result) {
  system.start();
  system.each(Keep::kMotion, false, [&](auto&, auto&, auto& p, auto) CAROM_HD_LAMBDA { p.local = {F(0), F(0), F(0)}; });
  settle(system, law, config, enough, wanted);
  system.each(Keep::kResults, false,
              [&](auto&, auto&, auto& p, auto) CAROM_HD_LAMBDA { p.*result = impulse_vector(p.frame, p.local); });
}

// One of the impulses of a point.
template <class F>
using ImpulseOf = Vec3T<F> ImpactPointT<F>::*;

// Kinetic energy that impulses add to the bodies, as a function of how far one goes from `from` (s = 0) to `to` (s =
// 1): E0 + s g + s^2/2 h.
template <class F>
struct ImpactEnergyT {
  F E0 = F(0), g = F(0), h = F(0);
  F size = F(0);  // what E0 is a difference of, about
};

template <class F>
CAROM_HD void add_where(MaskOf<F> active, F more, F& sum) {
  sum = select(active, sum + more, sum);
}

// Gives the bodies one of the impulses of all points.
template <class F, class System>
CAROM_HD_STAGE void push_all(System& system, ImpulseOf<F> impulse) {
  system.start();
  system.each(Keep::kMotion, false, [&](auto& a, auto& b, auto& p, auto active) CAROM_HD_LAMBDA {
    const Vec3T<F> zero{F(0), F(0), F(0)};
    push(a, b, p, select(active, p.*impulse, zero));
  });
}

template <class F, class System>
CAROM_HD_STAGE ImpactEnergyT<F> impact_energy(System& system, ImpulseOf<F> from, ImpulseOf<F> to) {
  ImpactEnergyT<F> energy;
  push_all<F>(system, from);
  system.each(Keep::kResults, false, [&](auto& a, auto& b, auto& p, auto active) CAROM_HD_LAMBDA {
    p.between = velocity_at(a, b, p);
    add_where(active, F(0.5) * dot(p.*from, p.before + p.between), energy.E0);
    add_where(active, abs(dot(p.*from, p.before)), energy.size);
    add_where(active, dot(p.*to - p.*from, p.between), energy.g);
  });
  if (from == to) return energy;
  push_all<F>(system, to);
  system.each(Keep::kNothing, false, [&](auto& a, auto& b, auto& p, auto active) CAROM_HD_LAMBDA {
    add_where(active, dot(p.*to - p.*from, velocity_at(a, b, p) - p.between), energy.h);
  });
  return energy;
}

// Where `to` gains energy, `from` does not, and `result` becomes the last point between them that does not either.
template <class F, class System>
CAROM_HD_STAGE void stop_at_energy(System& system, ImpulseOf<F> from, ImpulseOf<F> to, ImpulseOf<F> result,
                                   MaskOf<F> gains) {
  const ImpactEnergyT<F> energy = impact_energy<F>(system, from, to);
  const F s = dissipative_share(min(energy.E0, F(0)), energy.g, max(energy.h, F(0)));
  system.each(Keep::kResults, false, [&](auto&, auto&, auto& p, auto) CAROM_HD_LAMBDA {
    p.*result = select(gains, fma(p.*to - p.*from, s, p.*from), p.*to);
  });
}

template <class F>
CAROM_HD MaskOf<F> is_gain(const ImpactEnergyT<F>& energy, const ImpactConfig& config) {
  return energy.E0 > F(config.tolerance) * energy.size;
}

// Takes the impulses from the sweeps, whose velocities the bodies have. True where they gain energy.
template <class F, class System>
CAROM_HD_STAGE MaskOf<F> take_impulses(System& system, const ImpactConfig& config) {
  ImpactEnergyT<F> energy;
  system.each(Keep::kResults, false, [&](auto& a, auto& b, auto& p, auto active) CAROM_HD_LAMBDA {
    p.impulse = p.full = impulse_vector(p.frame, p.local);
    add_where(active, F(0.5) * dot(p.impulse, p.before + velocity_at(a, b, p)), energy.E0);
    add_where(active, abs(dot(p.impulse, p.before)), energy.size);
  });
  return is_gain(energy, config);
}

// Takes back friction, and restitution if need be, where the impulses gain energy.
template <class F, class System>
CAROM_HD_STAGE void refuse_energy(System& system, const ImpactConfig& config, F enough, MaskOf<F> gains) {
  using Point = ImpactPointT<F>;
  settle_again(system, {true, false}, config, enough, gains, &Point::smooth);
  const auto still_gains = gains && is_gain(impact_energy<F>(system, &Point::smooth, &Point::smooth), config);
  if (any(still_gains)) {
    settle_again(system, {false, false}, config, enough, still_gains, &Point::impulse);
    stop_at_energy<F>(system, &Point::impulse, &Point::smooth, &Point::smooth, still_gains);
  }
  stop_at_energy<F>(system, &Point::smooth, &Point::full, &Point::impulse, gains);
}

// Solves for the impulses of all points and gives them to the bodies, which begin with the velocities before the impact
// and end with those after it. True where the sweeps converged; the impulses of the others are in their cones all the
// same and gain no energy.
template <class F, class System>
CAROM_HD_STAGE MaskOf<F> solve_impact(System& system, const ImpactConfig& config) {
  const F enough = prepare_impact<F>(system, config);
  const auto converged = settle(system, {true, true}, config, enough, F(0) == F(0));
  const auto gains = take_impulses<F>(system, config);
  if (any(gains)) refuse_energy(system, config, enough, gains);
  push_all<F>(system, &ImpactPointT<F>::impulse);
  return converged;
}

}  // namespace CAROM_TIER

}  // namespace carom::inline CAROM_PRECISION
