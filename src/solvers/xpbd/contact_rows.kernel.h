// A contact as SolverXPBD solves it, one in every lane: where the surfaces would be at the end of a sub-step of h [s],
// given the velocities, must not overlap,
//
//   C + h J v >= 0,   C = -depth + n . (how far the points have moved apart since the step began)
//
// and friction stays in its cone. As extended position-based dynamics it is solved for the multiplier: the impulse p,
// with a compliance and a damping that are those of a spring of `frequency` and `damping` on the mass that the contact
// sees, taken at the end of the sub-step (Macklin, Mueller 2016). A second pass without C takes away the velocity that
// pushing out has left.
//
// The point of a contact goes with the lighter of its bodies, and both get their impulse there, so that angular
// momentum is kept.
#pragma once

#include "carom/math/contact_frame.h"
#include "dynamics/contact_slots.kernel.h"
#include "solvers/xpbd/link_rows.kernel.h"
#include "solvers/xpbd/memory.kernel.h"

namespace carom::inline CAROM_PRECISION {

// How constraints give way within a sub-step.
template <class F>
struct Softness {
  F rate;           // of an error that is taken away [1/s]
  F mass, impulse;  // shares of the mass, and of the impulse so far that yields

  // Of a spring of `frequency` [Hz] and `damping` (1 = critical), over h [s].
  CAROM_HD static Softness of_spring(Real frequency, Real damping, Real h) {
    const Real omega = Real(6.283185307179586) * frequency, a = fma(h, omega, 2 * damping), b = h * omega * a;
    return {F(omega / a), F(b / (1 + b)), F(1 / (1 + b))};
  }
  // What is given is kept exactly.
  CAROM_HD static Softness rigid() { return {F(0), F(1), F(0)}; }
};

template <class F>
struct ContactPass {
  Softness<F> soft;
  F per_h;         // of the sub-step [1/s]
  F push_speed;    // at which overlaps are pushed out, at most [m/s]
  F overlap;       // that is left alone [m]
  bool poses;      // C counts; otherwise velocities alone
  bool turns;      // some material resists spinning or rolling
  MaskOf<F> acts;  // where it does anything
};

template <class G>
struct ContactRow {
  static constexpr int kWidth = ScalarTraits<G>::kWidth;

  int source[kWidth];           // number of the contact, -1 = none in this lane
  std::int64_t former[kWidth];  // its row in the memory of the last step, -1 = new
  int link[2][kWidth];          // rows of the links that carry shape 0 and shape 1
  Mat33T<G> axes;               // rows: normal, tangents; world frame
  Vec3T<G> r[2];                // from the centres of mass, when the step began [m]
  G depth;                      // then [m]
  G mu, torsional, rolling, restitution;
  LinkMass<G> mass[2];                // when the step began, or those of the sub-step: see kManyRows
  G follows;                          // share of the way of link 0 against link 1 that the point goes with link 1
  G n1, n2;                           // velocity per impulse along the tangents by one along the normal
  G normal, slide, spin, roll;        // impulse per velocity, of those in a plane the least; 0 where nothing moves
  Vec3T<G> p, turn, p_sum, turn_sum;  // impulses of the sub-step, and of those before [N s], [N m s]
  // What restitution needs to know of the sub-step (bounce.kernel.h).
  G leaves;       // where it bounces: how far apart it is at the end [m], otherwise 0
  G gap, falls;   // at its beginning [m]; velocity gained after the impact by what else acts on the bodies [m/s]
  G hit, target;  // 1 where it bounces, and in a wave where it is struck; the velocity that it leaves with [m/s]
  Vec3T<G> blow;  // [N s]
  Vec3T<G> p_before, turn_before;
};

// The contacts of one large world in lanes do not fit into a cache that is near, but its links do: what they weigh is
// read from these in every pass. Otherwise it stands in the row.
template <class G, class F>
inline constexpr bool kManyRows = PlainNumber<F> && !PlainNumber<G>;

// Velocities per impulse along the axes of a contact: columns of a symmetric matrix.
template <class G>
CAROM_HD Mat33T<G> compliance_of(const ContactRow<G>& c) {
  Mat33T<G> A = mat33_identity<G>() * (c.mass[0].inverse + c.mass[1].inverse);
  for (int side = 0; side < 2; ++side)
    for (int k = 0; k < 3; ++k) {
      const Vec3T<G> turn = c.mass[side].inverse_turn * cross(c.r[side], c.axes[k]);
      for (int j = 0; j < 3; ++j) A[j][k] = fma(G(1), dot(cross(c.r[side], c.axes[j]), turn), A[j][k]);
    }
  return A;
}

// Along the axes of the contact; column: in the memory of the last step.
template <class G>
CAROM_HD Vec3T<G> remembered(const ContactRow<G>& c, const Vec3* column) {
  Vec3T<G> v{};
  for (int l = 0; l < ContactRow<G>::kWidth; ++l)
    if (c.former[l] >= 0)
      for (int k = 0; k < 3; ++k) set_lane(v[k], l, column[c.former[l]][k]);
  return c.axes * v;
}

// Given source, former and link.
template <class G, class F>
CAROM_HD_FREE void open_contact(const ContactColumns& contacts, const MemoryView& memory, G h,
                                const LinkMass<F>* masses, ContactRow<G>& c) {
  const RowsOfLanes<G> rows(c.source);
  const ShapesOfLanes<G> shapes(contacts, c.source);
  const Vec3T<G> point = rows(contacts.point);
  c.axes = contact_frame(rows(contacts.normal), rows(contacts.tangent));
  c.depth = rows(contacts.depth);
  c.mu = shapes.both(contacts.material.mu);
  c.restitution = contacts.material.restitution ? shapes.both(contacts.material.restitution) : G(0);
  c.torsional = c.rolling = G(0);
  for (int side = 0; side < 2; ++side) {
    c.mass[side] = read_mass<G>(masses, c.link[side]);
    c.r[side] = point - c.mass[side].com;
  }
  const G both = c.mass[0].inverse + c.mass[1].inverse;
  c.follows = c.mass[0].inverse / select(both > G(0), both, G(1));
  const Mat33T<G> A = compliance_of(c);
  c.n1 = A[1][0], c.n2 = A[2][0];
  c.normal = law::per_velocity(A[0][0]);
  c.slide = law::per_velocity(law::largest_eigenvalue(A[1][1], A[1][2], A[2][2]));
  c.spin = c.roll = G(0);
  if (contacts.turns) {
    c.torsional = shapes.both(contacts.material.torsional);
    c.rolling = shapes.both(contacts.material.rolling);
    const Sym33T<G> I = c.mass[0].inverse_turn + c.mass[1].inverse_turn;
    const Vec3T<G> x = I * c.axes[1], y = I * c.axes[2];
    c.spin = law::per_velocity(dot(c.axes[0], I * c.axes[0]));
    c.roll = law::per_velocity(law::largest_eigenvalue(dot(c.axes[1], x), dot(c.axes[2], x), dot(c.axes[2], y)));
  }
  c.leaves = c.falls = c.hit = G(0);
  c.p = remembered(c, memory.force) * h;
  c.p.x = max(c.p.x, G(0));
  c.turn = c.p_sum = c.turn_sum = Vec3T<G>{};
  if (contacts.turns) c.turn = remembered(c, memory.torque) * h;
}

// Where the contact is now.
template <class G>
struct ContactMotion {
  LinkRow<G> link[2];
  LinkMass<G> mass[2];  // without centres
  Vec3T<G> r[2];        // [m]
  G apart;              // [m]
  SpatialVectorT<G> v;  // of shape 1 against shape 0, along and about the axes
};

template <class G>
CAROM_HD void find_velocity(const ContactRow<G>& c, ContactMotion<G>& m) {
  const Vec3T<G> v = m.link[1].v + cross(m.link[1].omega, m.r[1]) - (m.link[0].v + cross(m.link[0].omega, m.r[0]));
  m.v = {c.axes * v, c.axes * (m.link[1].omega - m.link[0].omega)};
}
template <class G, class F>
CAROM_HD ContactMotion<G> motion_of(const ContactRow<G>& c, const LinkMass<F>* masses, const LinkRow<F>* links) {
  ContactMotion<G> m;
  for (int side = 0; side < 2; ++side) {
    m.link[side] = read_link<G>(links, c.link[side]);
    if constexpr (kManyRows<G, F>) m.mass[side] = read_inverse_mass<G>(masses, c.link[side]);
    else m.mass[side] = c.mass[side];
  }
  const Vec3T<G> way = m.link[1].moved - m.link[0].moved;
  m.r[0] = fma(way, G(1) - c.follows, c.r[0]);
  m.r[1] = fma(way, -c.follows, c.r[1]);
  m.apart = dot(c.axes[0], way + cross(m.link[1].turned, c.r[1]) - cross(m.link[0].turned, c.r[0])) - c.depth;
  find_velocity(c, m);
  return m;
}

// Impulses along and about the axes of a contact, for its links. turn: nullptr where nothing turns.
template <class G, class F>
CAROM_HD void push_contact(const ContactRow<G>& c, ContactMotion<G>& m, Vec3T<G> p, LinkRow<F>* links,
                           const Vec3T<G>* turn = nullptr) {
  const auto in_world = [&](Vec3T<G> a)
                            CAROM_HD_LAMBDA { return fma(c.axes[0], a.x, fma(c.axes[1], a.y, c.axes[2] * a.z)); };
  const Vec3T<G> P = in_world(p), T = turn ? in_world(*turn) : Vec3T<G>{};
  push(m.link[0], m.mass[0], m.r[0], -P, -T);
  push(m.link[1], m.mass[1], m.r[1], P, T);
  for (int side = 0; side < 2; ++side) write_velocity(links, c.link[side], m.link[side]);
}

// The impulse along the normal that brings about what the contact asks for.
template <class G>
CAROM_HD G normal_impulse(const ContactRow<G>& c, const ContactMotion<G>& m, const ContactPass<G>& pass) {
  // Apart: not farther than the gap, and where it bounces so far that it has left by the end of the sub-step.
  const G to_go = m.apart - c.leaves;
  const G kiss = c.p.x - (m.v.linear.x + to_go * pass.per_h) * c.normal;
  const G push = max(min(m.apart + pass.overlap, G(0)) * pass.soft.rate, -pass.push_speed);
  const G soft = c.p.x - (m.v.linear.x + push) * (pass.soft.mass * c.normal) - pass.soft.impulse * c.p.x;
  const G free = c.p.x - m.v.linear.x * c.normal;
  // Velocities alone matter to what touches, which the poses have told.
  if (!pass.poses) return select(c.p.x > G(0) || m.apart <= G(0), max(free, G(0)), G(0));
  return max(select(m.apart > G(0), kiss, soft), G(0));
}

template <class G, class F>
CAROM_HD_FREE void solve_contact(ContactRow<G>& c, const ContactPass<G>& pass, const LinkMass<F>* masses,
                                 LinkRow<F>* links) {
  ContactMotion<G> m = motion_of(c, masses, links);
  Vec3T<G> p;
  p.x = normal_impulse(c, m, pass);
  const G changed = p.x - c.p.x;
  const Vec2T<G> slip{fma(c.n1, changed, m.v.linear.y), fma(c.n2, changed, m.v.linear.z)};
  const Vec2T<G> rub = law::ending_impulse(Vec2T<G>{c.p.y, c.p.z}, slip, c.slide, c.mu * p.x);
  p.y = rub.x, p.z = rub.y;
  Vec3T<G> turn{}, turned{};
  if (pass.turns) {
    turn.x = law::ending_impulse(c.turn.x, m.v.angular.x, c.spin, c.torsional * p.x);
    const Vec2T<G> roll = law::ending_impulse(Vec2T<G>{c.turn.y, c.turn.z}, Vec2T<G>{m.v.angular.y, m.v.angular.z},
                                              c.roll, c.rolling * p.x);
    turn.y = roll.x, turn.z = roll.y;
    turn = select(pass.acts, turn, c.turn), turned = turn - c.turn;
    c.turn = turn;
  }
  p = select(pass.acts, p, c.p);
  push_contact(c, m, p - c.p, links, pass.turns ? &turned : nullptr);
  c.p = p;
}

// The impulses so far as a first guess of those of the next sub-step, in which bodies are turned as they are now.
template <class G, class F>
CAROM_HD_FREE void warm_start(ContactRow<G>& c, bool first, bool turns, const LinkMass<F>* masses, LinkRow<F>* links) {
  if (!first) {
    for (int side = 0; side < 2 && !kManyRows<G, F>; ++side) c.mass[side] = read_inverse_mass<G>(masses, c.link[side]);
    c.p_sum += c.p;
    if (turns) c.turn_sum += c.turn;
  }
  ContactMotion<G> m = motion_of(c, masses, links);
  push_contact(c, m, c.p, links, turns ? &c.turn : nullptr);
}

// The mean forces of a step of dt [s], and what is remembered: those of the last sub-step, of h. Where nothing turns
// the torques are zero there already. row: of the memory, of the contact with this number; -1: it has none.
template <class G, class Row>
CAROM_HD void close_contact(const ContactColumns& contacts, const ContactRow<G>& c, G dt, G h, const MemoryView& memory,
                            Row row) {
  const auto in_world = [&](Vec3T<G> p, G time) CAROM_HD_LAMBDA {
    return fma(c.axes[0], p.x, fma(c.axes[1], p.y, c.axes[2] * p.z)) * (G(1) / time);
  };
  const Vec3T<G> force = in_world(c.p_sum + c.p, dt), last_force = in_world(c.p, h);
  Vec3T<G> torque{}, last_torque{};
  if (contacts.turns) torque = in_world(c.turn_sum + c.turn, dt), last_torque = in_world(c.turn, h);
  for (int l = 0; l < ContactRow<G>::kWidth; ++l) {
    const int i = c.source[l];
    if (i < 0) continue;
    const auto lane = [&](Vec3T<G> v) CAROM_HD_LAMBDA {  // + 0: never -0
      return Vec3{lane_of(v.x, l), lane_of(v.y, l), lane_of(v.z, l)} + Vec3{};
    };
    const std::int64_t to = row(l, i);
    contacts.force[i] = lane(force);
    if (to >= 0) memory.force[to] = lane(last_force);
    if (!contacts.turns) continue;
    contacts.torque[i] = lane(torque);
    if (to >= 0) memory.torque[to] = lane(last_torque);
  }
}

}  // namespace carom::inline CAROM_PRECISION
