// Contacts of particles with shapes (touch_projection.kernel.h). A surface goes on with the velocity of its body. One
// that is moved by particles yields: each of the n contacts that act on it has an n-th of its mass, as a copy that what
// the contact did so far has slowed down (mass splitting, dynamics/particles/touch.kernel.h).
#pragma once

#include "solvers/xpbd/touch_projection.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// The numbers of a contact, in the order in which contacts are solved.
namespace soft_row {
inline constexpr int kNormal = 0,      // from the shape to the particle
    kGap = 3,                          // at the start of the sub-step [m]
    kVelocity = 4,                     // of the surface [m/s]
    kAllowed = 7,                      // how far they may overlap at its end [m]
    kNormalYield = 8, kSlipYield = 9,  // of the body: velocity per impulse [1/kg]
    kFriction = 10,                    // mu
    kMovesParticle = 11,               // 1 or 0
    kLambda = 12,                      // normal [kg m], and in the plane
    kForce = 16,                       // mean so far [N]
    kApproach = 19,                    // velocity along the normal at the start of the sub-step [m/s]
    kRestitution = 20, kLength = kSoftContactRow;
}  // namespace soft_row

struct SoftContactRows {
  TouchedRows particles;
  const int* particle;  // of each contact, in their order
  Real* row;
  Real per_substep;  // 1 / sub-steps

  template <class F>
  CAROM_HD F number(const LaneRows<F>& rows, int first) const {
    F value[1];
    load_lane_rows<soft_row::kLength>(row, rows, value, first);
    return value[0];
  }
  template <class F>
  CAROM_HD void set(const LaneRows<F>& rows, int first, F value) const {
    store_lane_rows<soft_row::kLength, 1>(row, rows, {value}, first);
  }
};

// Part of the overlaps is taken away.
struct ShiftFromShapes : SoftContactRows {
  template <class F>
  CAROM_HD void operator()(const LaneRows<F>& rows) const {
    const LaneRows<F> who = rows_at(particle, rows);
    F m[12];
    load_lane_rows<soft_row::kLength>(row, rows, m);
    const Vec3T<F> n{m[0], m[1], m[2]}, shift = vec3_at(particles.shift, who);
    const F overlap = max(-(m[soft_row::kGap] + dot(n, shift)), F(0));
    const F w = inverse_mass_at(particles.at, who) * m[soft_row::kMovesParticle];
    const F share = w * inverse_or_zero(w + m[soft_row::kNormalYield]);
    const Vec3T<F> shifted = fma(n, overlap * (share * F(kPushedOut)), shift);
    store_lane_rows<4>(particles.shift, who, {shifted.x, shifted.y, shifted.z, F(0)});
  }
};

// Where contacts stand when all are shifted.
struct BeginSoftContacts : SoftContactRows {
  template <class F>
  CAROM_HD void operator()(const LaneRows<F>& rows) const {
    const LaneRows<F> who = rows_at(particle, rows);
    F m[12];
    load_lane_rows<soft_row::kLength>(row, rows, m);
    const Vec3T<F> n{m[0], m[1], m[2]}, v{m[4], m[5], m[6]};
    const F gap = m[soft_row::kGap] + dot(n, vec3_at(particles.shift, who));
    const F overlap = max(-gap, F(0));
    const F given_way = min(overlap * F(kPushedOut), F(kPushOutSpeed * particles.h));
    const F allowed = overlap - select(m[soft_row::kNormalYield] > F(0), given_way, F(0));
    set(rows, soft_row::kGap, gap);
    set(rows, soft_row::kAllowed, allowed);
    store_lane_rows<soft_row::kLength, 4>(row, rows, {F(0), F(0), F(0), F(0)}, soft_row::kLambda);
    set(rows, soft_row::kApproach, dot(n, vec3_at(particles.velocity, who) - v));
  }
};

struct ProjectSoftContacts : SoftContactRows {
  template <class F>
  CAROM_HD void operator()(const LaneRows<F>& rows) const {
    const LaneRows<F> who = rows_at(particle, rows);
    F m[16];
    load_lane_rows<soft_row::kLength>(row, rows, m);
    const Vec3T<F> n{m[0], m[1], m[2]}, surface = Vec3T<F>{m[4], m[5], m[6]} * F(particles.h);
    const F w = inverse_mass_at(particles.at, who) * m[soft_row::kMovesParticle];
    const F w_normal = m[soft_row::kNormalYield], w_slip = m[soft_row::kSlipYield];
    Vec3T<F> moved = vec3_at(particles.at.moved, who);
    const TouchLambda<F> before{m[12], {m[13], m[14], m[15]}};

    TouchLambda<F> now;
    const F gap = m[soft_row::kGap] + m[soft_row::kAllowed] + dot(n, moved - surface);
    now.n = next_normal_lambda(before.n, fma(w_normal, before.n, gap), w + w_normal);
    moved = fma(n, w * (now.n - before.n), moved);
    const Vec3T<F> slip = fma(before.t, w_slip, within_plane(moved - surface, n));
    now.t = next_slip_lambda(before.t, slip, w + w_slip, m[soft_row::kFriction] * now.n);
    moved = fma(now.t - before.t, w, moved);

    store_moved(particles.at, who, moved);
    store_lane_rows<soft_row::kLength, 4>(row, rows, {now.n, now.t.x, now.t.y, now.t.z}, soft_row::kLambda);
  }
};

// After the last iteration: the force, and what the copy of the body does from then on.
struct EndSoftContacts : SoftContactRows {
  template <class F>
  CAROM_HD void operator()(const LaneRows<F>& rows) const {
    F m[soft_row::kLength];
    load_lane_rows<soft_row::kLength>(row, rows, m);
    const Vec3T<F> n{m[0], m[1], m[2]}, v{m[4], m[5], m[6]}, force{m[16], m[17], m[18]};
    const TouchLambda<F> lambda{m[12], {m[13], m[14], m[15]}};
    const Vec3T<F> moved = vec3_at(particles.at.moved, rows_at(particle, rows));
    const F by_h = F(Real(1) / particles.h), w_normal = m[soft_row::kNormalYield];
    set(rows, soft_row::kGap, m[soft_row::kGap] + fma(w_normal, lambda.n, dot(n, fma(v, F(-particles.h), moved))));
    const Vec3T<F> slowed = v - fma(n, w_normal * lambda.n, lambda.t * m[soft_row::kSlipYield]) * by_h;
    const Vec3T<F> sum = fma(lambda.along(n), by_h * by_h * F(per_substep), force);
    store_lane_rows<soft_row::kLength, 3>(row, rows, {slowed.x, slowed.y, slowed.z}, soft_row::kVelocity);
    store_lane_rows<soft_row::kLength, 3>(row, rows, {sum.x, sum.y, sum.z}, soft_row::kForce);
  }
};

// Restitution: what came near with v and was stopped leaves with -e v.
struct BounceFromShapes : SoftContactRows {
  Real from_speed;  // what comes nearer more slowly does not bounce [m/s]

  template <class F>
  CAROM_HD void operator()(const LaneRows<F>& rows) const {
    const LaneRows<F> who = rows_at(particle, rows);
    F m[soft_row::kLength];
    load_lane_rows<soft_row::kLength>(row, rows, m);
    const Vec3T<F> n{m[0], m[1], m[2]}, v{m[4], m[5], m[6]}, force{m[16], m[17], m[18]};
    const F w = inverse_mass_at(particles.at, who) * m[soft_row::kMovesParticle], w_normal = m[soft_row::kNormalYield];
    const Vec3T<F> velocity = vec3_at(particles.velocity, who);
    const F approach = m[soft_row::kApproach], leaves = dot(n, velocity - v);
    const auto bounces = m[soft_row::kLambda] > F(0) && approach < F(-from_speed);
    const F missing = max(fma(-m[soft_row::kRestitution], approach, -leaves), F(0));
    const F impulse = select(bounces, missing * inverse_or_zero(w + w_normal), F(0));

    const Vec3T<F> after = fma(n, w * impulse, velocity), slowed = fma(n, -w_normal * impulse, v);
    const Vec3T<F> sum = fma(n, impulse * F(per_substep / particles.h), force);
    store_lane_rows<4>(particles.velocity, who, {after.x, after.y, after.z, F(0)});
    store_lane_rows<soft_row::kLength, 3>(row, rows, {slowed.x, slowed.y, slowed.z}, soft_row::kVelocity);
    store_lane_rows<soft_row::kLength, 3>(row, rows, {sum.x, sum.y, sum.z}, soft_row::kForce);
  }
};

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
