// Restitution: what meets faster than `slow` leaves with e times that speed.
//
// A sub-step in which something bounces is solved as if nothing did, but leaves the contact as far apart as it will be
// by then: that is where bodies come to. Their velocities are found anew, from those before the impact, in waves: all
// contacts that come near are struck at once, and each has its target, until none comes near any more. So a box lands
// on its four corners at once, and a blow goes through a row of balls. What else touches or is joined is then brought
// in line by velocities alone.
//
// A bounce in a fall is exact to second order in the sub-step h: with t until the surfaces meet and the acceleration a
// along the normal, they meet at v - a (h - t), and leave with -e of that, plus a (h - t).
#pragma once

#include "solvers/xpbd/contact_rows.kernel.h"

namespace carom::inline CAROM_PRECISION {

inline constexpr int kMostWaves = 64, kSweepsOfWave = 10;

// Of a sub-step of h that begins with these velocities; hit: in lanes where the contact bounces. fall: the acceleration
// of whatever moves [m/s^2].
template <class G, class F>
CAROM_HD_FREE void find_bounce(ContactRow<G>& c, G h, Vec3T<G> fall, G slow, const LinkMass<F>* masses,
                               const LinkRow<F>* links) {
  const ContactMotion<G> m = motion_of(c, masses, links);
  const G v = m.v.linear.x;
  const auto falls = [&](int side) CAROM_HD_LAMBDA { return select(m.mass[side].inverse > G(0), G(1), G(0)); };
  const G a = dot(c.axes[0], fall) * (falls(1) - falls(0));
  const MaskOf<G> bounces = c.restitution > G(0) && v < -slow && fma(h, v, m.apart) < G(0);
  const G late = h - max(m.apart, G(0)) / select(bounces, -v, G(1));
  c.gap = m.apart;
  c.falls = select(bounces, a * late, G(0));
  const G leaving = -c.restitution * (v - c.falls);
  c.leaves = select(bounces && m.apart > G(0), max(fma(a * G(0.5), late, leaving) * late, G(0)), G(0));
  c.p_before = c.p, c.turn_before = c.turn;
  c.hit = select(bounces, G(1), G(0));
}

// A new wave: which contacts come near, of those that have met by the end of the sub-step.
template <class G, class F>
CAROM_HD_FREE void open_wave(ContactRow<G>& c, G h, G slow, MaskOf<G> acts, const LinkMass<F>* masses,
                             const LinkRow<F>* links) {
  const ContactMotion<G> m = motion_of(c, masses, links);
  const G v = m.v.linear.x;
  const MaskOf<G> hit = acts && v < -slow && fma(h, v, c.gap) < G(0);
  c.hit = select(hit, G(1), G(0));
  c.target = fma(-c.restitution, v - c.falls, c.falls);
  c.blow = Vec3T<G>{};
}

template <class G, class F>
CAROM_HD_FREE void strike(ContactRow<G>& c, const LinkMass<F>* masses, LinkRow<F>* links) {
  ContactMotion<G> m = motion_of(c, masses, links);
  const G per_velocity = c.hit * c.normal;
  Vec3T<G> p;
  p.x = max(c.blow.x - (m.v.linear.x - c.target) * per_velocity, G(0));
  const G changed = p.x - c.blow.x;
  const Vec2T<G> slip{fma(c.n1, changed, m.v.linear.y), fma(c.n2, changed, m.v.linear.z)};
  const Vec2T<G> rub = law::ending_impulse(Vec2T<G>{c.blow.y, c.blow.z}, slip, c.slide, c.mu * p.x);
  p.y = rub.x, p.z = rub.y;
  push_contact(c, m, p - c.blow, links);
  c.blow = p;
}

// What the wave has done counts; the impulses of the sub-step begin again where they did.
template <class G>
CAROM_HD void close_wave(ContactRow<G>& c) {
  c.p_sum += c.blow;
}
template <class G>
CAROM_HD void close_bounce(ContactRow<G>& c, MaskOf<G> acts) {
  c.p = select(acts, c.p_before, c.p), c.turn = select(acts, c.turn_before, c.turn);
}

}  // namespace carom::inline CAROM_PRECISION
