// Contacts of particles with shapes (touch_projection.kernel.h). A surface goes on with the velocity of its body. One
// that is moved by particles yields: each of the n contacts that act on it has an n-th of its mass, as a copy that what
// the contact did so far has slowed down (mass splitting, dynamics/particles/touch.kernel.h).
#pragma once

#include "solvers/xpbd/touch_projection.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// Where the numbers of a contact are in its row, and those that a projection begins with.
namespace soft_row {
inline constexpr int kNormal = 0, kGap = 3, kVelocity = 4, kAllowed = 7, kNormalYield = 8, kSlipYield = 9,
                     kFriction = 10, kMovesParticle = 11, kLambda = 12, kForce = 16, kApproach = 19, kRestitution = 20,
                     kLength = kSoftContactRow;
}  // namespace soft_row

template <class F>
struct SoftContact {
  Vec3T<F> n;                  // from the shape to the particle
  F gap;                       // at the start of the sub-step [m]
  Vec3T<F> v;                  // of the surface [m/s]
  F allowed;                   // how far they may overlap at the end [m]
  F normal_yield, slip_yield;  // of the body: velocity per impulse [1/kg]
  F mu;
  F moves_particle;  // 1 or 0
};

struct SoftContactRows {
  TouchedRows particles;
  const int* particle;  // of each contact, in the order in which they are solved
  Real* row;
  Real per_substep;  // 1 / sub-steps

  template <class F>
  CAROM_HD SoftContact<F> contact(const LaneRows<F>& rows) const {
    F m[12];
    load_lane_rows<soft_row::kLength>(row, rows, m);
    return {{m[0], m[1], m[2]}, m[3], {m[4], m[5], m[6]}, m[7], m[8], m[9], m[10], m[11]};
  }
  template <class F>
  CAROM_HD TouchLambda<F> lambda(const LaneRows<F>& rows) const {
    F m[4];
    load_lane_rows<soft_row::kLength>(row, rows, m, soft_row::kLambda);
    return {m[0], {m[1], m[2], m[3]}};
  }
  template <class F>
  CAROM_HD void set(const LaneRows<F>& rows, int first, F value) const {
    store_lane_rows<soft_row::kLength, 1>(row, rows, {value}, first);
  }
  template <class F>
  CAROM_HD void set(const LaneRows<F>& rows, int first, Vec3T<F> value) const {
    store_lane_rows<soft_row::kLength, 3>(row, rows, {value.x, value.y, value.z}, first);
  }
  template <class F>
  CAROM_HD void set_lambda(const LaneRows<F>& rows, const TouchLambda<F>& l) const {
    store_lane_rows<soft_row::kLength, 4>(row, rows, {l.n, l.t.x, l.t.y, l.t.z}, soft_row::kLambda);
  }
  template <class F>
  CAROM_HD void add_force(const LaneRows<F>& rows, Vec3T<F> force) const {
    F sum[3];
    load_lane_rows<soft_row::kLength>(row, rows, sum, soft_row::kForce);
    set(rows, soft_row::kForce, Vec3T<F>{sum[0], sum[1], sum[2]} + force);
  }
};

// Part of the overlaps is taken away.
struct ShiftFromShapes : SoftContactRows {
  template <class F>
  CAROM_HD void operator()(const LaneRows<F>& rows) const {
    const LaneRows<F> who = rows_at(particle, rows);
    const SoftContact<F> c = contact(rows);
    const Vec3T<F> shift = vec3_at(particles.shift, who);
    const F overlap = max(-(c.gap + dot(c.n, shift)), F(0));
    const F w = inverse_mass_at(particles.at, who) * c.moves_particle;
    const F share = w * inverse_or_zero(w + c.normal_yield);
    store_vec3(particles.shift, who, fma(c.n, overlap * (share * F(kPushedOut)), shift));
  }
};

// Where contacts stand when all are shifted.
struct BeginSoftContacts : SoftContactRows {
  template <class F>
  CAROM_HD void operator()(const LaneRows<F>& rows) const {
    const LaneRows<F> who = rows_at(particle, rows);
    const SoftContact<F> c = contact(rows);
    const F gap = c.gap + dot(c.n, vec3_at(particles.shift, who)), overlap = max(-gap, F(0));
    const F given_way = min(overlap * F(kPushedOut), F(kPushOutSpeed * particles.h));
    set(rows, soft_row::kGap, gap);
    set(rows, soft_row::kAllowed, overlap - select(c.normal_yield > F(0), given_way, F(0)));
    set(rows, soft_row::kApproach, dot(c.n, vec3_at(particles.velocity, who) - c.v));
    set_lambda(rows, TouchLambda<F>{});
  }
};

struct ProjectSoftContacts : SoftContactRows {
  template <class F>
  CAROM_HD void operator()(const LaneRows<F>& rows) const {
    const LaneRows<F> who = rows_at(particle, rows);
    const SoftContact<F> c = contact(rows);
    const TouchLambda<F> before = lambda(rows);
    const F w = inverse_mass_at(particles.at, who) * c.moves_particle;
    const Vec3T<F> surface = c.v * F(particles.h);
    Vec3T<F> moved = vec3_at(particles.at.moved, who);

    TouchLambda<F> now;
    const F gap = c.gap + c.allowed + dot(c.n, moved - surface);
    now.n = next_normal_lambda(before.n, fma(c.normal_yield, before.n, gap), w + c.normal_yield);
    moved = fma(c.n, w * (now.n - before.n), moved);
    const Vec3T<F> slip = fma(before.t, c.slip_yield, within_plane(moved - surface, c.n));
    now.t = next_slip_lambda(before.t, slip, w + c.slip_yield, c.mu * now.n);
    store_vec3(particles.at.moved, who, fma(now.t - before.t, w, moved));
    set_lambda(rows, now);
  }
};

// After the last iteration: the force, and what the copy of the body does from then on.
struct EndSoftContacts : SoftContactRows {
  template <class F>
  CAROM_HD void operator()(const LaneRows<F>& rows) const {
    const SoftContact<F> c = contact(rows);
    const TouchLambda<F> l = lambda(rows);
    const Vec3T<F> moved = vec3_at(particles.at.moved, rows_at(particle, rows));
    const F by_h = F(Real(1) / particles.h);
    set(rows, soft_row::kGap, c.gap + fma(c.normal_yield, l.n, dot(c.n, fma(c.v, F(-particles.h), moved))));
    set(rows, soft_row::kVelocity, c.v - fma(c.n, c.normal_yield * l.n, l.t * c.slip_yield) * by_h);
    add_force(rows, l.along(c.n) * (by_h * by_h * F(per_substep)));
  }
};

// Restitution: what came near with v and was stopped leaves with -e v.
struct BounceFromShapes : SoftContactRows {
  Real from_speed;  // what comes nearer more slowly does not bounce [m/s]

  template <class F>
  CAROM_HD void operator()(const LaneRows<F>& rows) const {
    const LaneRows<F> who = rows_at(particle, rows);
    const SoftContact<F> c = contact(rows);
    F m[2];
    load_lane_rows<soft_row::kLength>(row, rows, m, soft_row::kApproach);
    const F approach = m[0], restitution = m[1];
    const F w = inverse_mass_at(particles.at, who) * c.moves_particle;
    const Vec3T<F> velocity = vec3_at(particles.velocity, who);
    const F missing = max(fma(-restitution, approach, -dot(c.n, velocity - c.v)), F(0));
    const auto bounces = lambda(rows).n > F(0) && approach < F(-from_speed);
    const F impulse = select(bounces, missing * inverse_or_zero(w + c.normal_yield), F(0));

    store_vec3(particles.velocity, who, fma(c.n, w * impulse, velocity));
    set(rows, soft_row::kVelocity, fma(c.n, -c.normal_yield * impulse, c.v));
    add_force(rows, c.n * (impulse * F(per_substep / particles.h)));
  }
};

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
