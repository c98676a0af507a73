// The contacts of one world, or of W worlds side by side, as the penalty solvers push them: slot c is the c-th contact
// of every world that has one, so worlds of a group share the work of a slot although they touch different things.
#pragma once

#include "backend/world_lanes.h"
#include "carom/contacts.h"
#include "carom/math/contact_frame.h"
#include "dynamics/contact_law.kernel.h"
#include "model/contact_options.h"

namespace carom::inline CAROM_PRECISION {

struct MaterialColumns {
  const Real *ke, *kd, *kf, *ka, *mu, *torsional, *rolling, *restitution;  // of the shapes
  CombineRule rule;
};

// Contacts as a step reads them, and what it writes.
struct ContactColumns {
  const int* world_start;  // of each world; nullptr: there are no contacts
  const int *shape0, *shape1, *feature;
  const Vec3 *point, *normal, *tangent;
  const Real* depth;
  Vec3 *force, *torque;
  const int *shape_body, *body_link;  // -1 = does not move
  MaterialColumns material;
  bool turns;  // some material resists spinning or rolling

  CAROM_HD int begin(int world) const { return world_start ? world_start[world] : 0; }
  CAROM_HD int count(int world) const { return world_start ? world_start[world + 1] - world_start[world] : 0; }
};

template <class F>
struct ContactSlot {
  static constexpr int kWidth = ScalarTraits<F>::kWidth;

  int source[kWidth];   // number of the contact, -1 = this lane has fewer
  int link[2][kWidth];  // that carry shape 0 and shape 1, -1 = does not move
  Vec3T<F> point;
  Mat33T<F> axes;  // rows: normal, tangents; world frame
  F depth;         // [m]
  ContactLaw<F> law;
  law::NormalLaw<F> normal;
  F n1, n2, slide;  // velocity per impulse: along the tangents by one along the normal; the most in their plane
  F drag;           // sliding_gain()
  F spin, roll;     // impulse per velocity of turning about the normal, and the least about the tangents
  Vec3T<F> p;       // impulse along the axes [N s]
  Vec3T<F> turn;    // about them [N m s]
};

// What get(contact) is in every lane, 0 where it has none.
template <class F, class Get>
CAROM_HD F of_contacts(const int* source, Get get) {
  if constexpr (PlainNumber<F>) {
    return source[0] < 0 ? F(0) : get(source[0]);
  } else {
    F value{};
    for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
      if (source[l] >= 0) value.set(l, get(source[l]));
    return value;
  }
}
template <class F, class Row>
CAROM_HD Vec3T<F> of_contacts(const int* source, const Row* column) {
  Vec3T<F> v;
  for (int k = 0; k < 3; ++k) v[k] = of_contacts<F>(source, [&](int c) CAROM_HD_LAMBDA { return column[c][k]; });
  return v;
}

template <class F>
CAROM_HD void open_slot(const ContactColumns& contacts, const int* world, int slot, ContactSlot<F>& c) {
  for (int l = 0; l < ContactSlot<F>::kWidth; ++l) {
    const int i = slot < contacts.count(world[l]) ? contacts.begin(world[l]) + slot : -1;
    c.source[l] = i;
    const int shape[2]{i < 0 ? -1 : contacts.shape0[i], i < 0 ? -1 : contacts.shape1[i]};
    for (int side = 0; side < 2; ++side) {
      const int body = i < 0 ? -1 : contacts.shape_body[shape[side]];
      c.link[side][l] = body < 0 ? -1 : contacts.body_link[body];
    }
  }
  c.point = of_contacts<F>(c.source, contacts.point);
  c.axes = contact_frame(of_contacts<F>(c.source, contacts.normal), of_contacts<F>(c.source, contacts.tangent));
  c.depth = of_contacts<F>(c.source, [&](int i) CAROM_HD_LAMBDA { return contacts.depth[i]; });
  const MaterialColumns& m = contacts.material;
  const auto both = [&](const Real* column) CAROM_HD_LAMBDA {
    return of_contacts<F>(c.source, [&](int i) CAROM_HD_LAMBDA {
      return combined(m.rule, column[contacts.shape0[i]], column[contacts.shape1[i]]);
    });
  };
  c.law = {both(m.ke), both(m.kd), both(m.kf), both(m.ka), both(m.mu), F(0), F(0)};
  if (contacts.turns) c.law.torsional = both(m.torsional), c.law.rolling = both(m.rolling);
  c.spin = c.roll = F(0);
  c.p = c.turn = Vec3T<F>{};
}

// From the velocities per impulse along the axes, A, and about them, B.
template <class F>
CAROM_HD void set_compliance(ContactSlot<F>& c, const Mat33T<F>& A, F h) {
  c.normal = law::NormalLaw<F>(c.law, c.depth, A[0][0], h);
  c.n1 = A[1][0], c.n2 = A[2][0];
  c.slide = law::largest_eigenvalue(A[1][1], A[1][2], A[2][2]);
  c.drag = law::sliding_gain(c.law, c.slide, h);
}
template <class F>
CAROM_HD void set_turning_compliance(ContactSlot<F>& c, const Mat33T<F>& B) {
  c.spin = law::per_velocity(B[0][0]);
  c.roll = law::per_velocity(law::largest_eigenvalue(B[1][1], B[1][2], B[2][2]));
}

// The change of impulses that brings a contact in line with its law, given the velocity along and about its axes of
// shape 1 against shape 0.
template <class F>
struct SlotPush {
  Vec3T<F> p, turn;
};
template <class F>
CAROM_HD SlotPush<F> push_of_slot(const ContactSlot<F>& c, const SpatialVectorT<F>& v, bool turns) {
  SlotPush<F> push{};
  const F p_n = c.normal.impulse(fma(-c.normal.w, c.p.x, v.linear.x)), pressed = max(p_n, F(0));
  push.p.x = p_n - c.p.x;
  const Vec2T<F> v_t{fma(c.n1, push.p.x, v.linear.y), fma(c.n2, push.p.x, v.linear.z)};
  const Vec2T<F> p_t = law::sliding_impulse(Vec2T<F>{c.p.y, c.p.z}, v_t, c.slide, c.drag, c.law.mu * pressed);
  push.p.y = p_t.x - c.p.y, push.p.z = p_t.y - c.p.z;
  if (!turns) return push;
  push.turn.x = law::ending_impulse(c.turn.x, v.angular.x, c.spin, c.law.torsional * pressed) - c.turn.x;
  const Vec2T<F> roll = law::ending_impulse(Vec2T<F>{c.turn.y, c.turn.z}, Vec2T<F>{v.angular.y, v.angular.z}, c.roll,
                                            c.law.rolling * pressed);
  push.turn.y = roll.x - c.turn.y, push.turn.z = roll.y - c.turn.z;
  return push;
}

// The forces of a step of h, from its impulses.
template <class F>
CAROM_HD void close_slot(const ContactColumns& contacts, const ContactSlot<F>& c, F h) {
  const F rate = F(1) / h;
  const auto in_world = [&](Vec3T<F> p) CAROM_HD_LAMBDA {
    return fma(c.axes[0], p.x, fma(c.axes[1], p.y, c.axes[2] * p.z)) * rate;
  };
  const Vec3T<F> force = in_world(c.p), torque = in_world(c.turn);
  for (int l = 0; l < ContactSlot<F>::kWidth; ++l) {
    const int i = c.source[l];
    if (i < 0) continue;
    const auto lane = [&](Vec3T<F> v) CAROM_HD_LAMBDA {  // + 0: never -0
      return Vec3{lane_of(v.x, l), lane_of(v.y, l), lane_of(v.z, l)} + Vec3{};
    };
    contacts.force[i] = lane(force);
    contacts.torque[i] = lane(torque);
  }
}

}  // namespace carom::inline CAROM_PRECISION
