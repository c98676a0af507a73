// The contacts of one world, or of W worlds side by side, as the penalty solvers push them: slot c is the c-th contact
// of every world that has one, so worlds of a group share the work of a slot although they touch different things.
#pragma once

#include "backend/world_lanes.h"
#include "carom/contacts.h"
#include "carom/math/contact_frame.h"
#include "dynamics/contact_law.kernel.h"
#include "model/contact_options.h"

namespace carom::inline CAROM_PRECISION {

// The number f(lane) in every lane.
template <class F, class Function>
CAROM_HD F in_lanes(Function f) {
  if constexpr (PlainNumber<F>) {
    return f(0);
  } else {
    Element<F> numbers[ScalarTraits<F>::kWidth];
    for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) numbers[l] = f(l);
    return F::load(numbers);
  }
}

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
  CAROM_HD int link_of(int shape) const {
    const int body = shape_body[shape];
    return body < 0 ? -1 : body_link[body];
  }
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

  // Of a velocity that moves some links, in the motion of shape 1 against shape 0: 1, -1 or 0. moves(link), -1 = none.
  template <class Moves>
  CAROM_HD F share_of(Moves moves) const {
    return in_lanes<F>([&](int l) CAROM_HD_LAMBDA {
      return Element<F>(static_cast<int>(moves(link[1][l])) - static_cast<int>(moves(link[0][l])));
    });
  }
};

// A row of columns in each lane; those without one read what is in row 0, and take nothing of it.
template <class F>
struct RowsOfLanes {
  static constexpr int kWidth = ScalarTraits<F>::kWidth;

  int row[kWidth];
  MaskOf<F> there;

  // rows: -1 = none.
  CAROM_HD explicit RowsOfLanes(const int* rows) {
    for (int l = 0; l < kWidth; ++l) row[l] = rows[l] < 0 ? 0 : rows[l];
    there = in_lanes<F>([&](int l) CAROM_HD_LAMBDA { return Element<F>(rows[l] < 0 ? 0 : 1); }) > F(0);
  }
  // Of numbers, `stride` of which make a row; 0 where there is none.
  CAROM_HD F operator()(const Real* column, int stride = 1) const {
    if constexpr (PlainNumber<F>) return there ? column[std::int64_t{row[0]} * stride] : F(0);
    else return select(there, gather_at<Element<F>, kWidth>(column, LaneIndex{row, stride}), F(0));
  }
  CAROM_HD Vec3T<F> operator()(const Vec3* column) const {
    return {(*this)(&column->x, 3), (*this)(&column->y, 3), (*this)(&column->z, 3)};
  }
};

// The shapes of contacts, for what their materials say together.
template <class F>
struct ShapesOfLanes {
  const MaterialColumns& material;
  RowsOfLanes<F> shape0, shape1;

  // contact: -1 = none.
  CAROM_HD ShapesOfLanes(const ContactColumns& contacts, const int* contact)
      : material(contacts.material), shape0(contact), shape1(contact) {
    for (int l = 0; l < RowsOfLanes<F>::kWidth; ++l)
      if (contact[l] >= 0) shape0.row[l] = contacts.shape0[contact[l]], shape1.row[l] = contacts.shape1[contact[l]];
  }
  CAROM_HD F both(const Real* column) const { return combined(material.rule, shape0(column), shape1(column)); }
};

template <class F>
CAROM_HD void open_slot(const ContactColumns& contacts, const int* world, int slot, ContactSlot<F>& c) {
  for (int l = 0; l < ContactSlot<F>::kWidth; ++l)
    c.source[l] = slot < contacts.count(world[l]) ? contacts.begin(world[l]) + slot : -1;
  const ShapesOfLanes<F> shapes(contacts, c.source);
  for (int l = 0; l < ContactSlot<F>::kWidth; ++l) {
    c.link[0][l] = c.source[l] < 0 ? -1 : contacts.link_of(shapes.shape0.row[l]);
    c.link[1][l] = c.source[l] < 0 ? -1 : contacts.link_of(shapes.shape1.row[l]);
  }
  const RowsOfLanes<F> rows(c.source);
  c.point = rows(contacts.point);
  c.axes = contact_frame(rows(contacts.normal), rows(contacts.tangent));
  c.depth = rows(contacts.depth);
  const MaterialColumns& m = contacts.material;
  c.law = {shapes.both(m.ke), shapes.both(m.kd), shapes.both(m.kf), shapes.both(m.ka), shapes.both(m.mu), F(0), F(0)};
  if (contacts.turns) c.law.torsional = shapes.both(m.torsional), c.law.rolling = shapes.both(m.rolling);
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
  const Vec3T<F> zero{}, force = in_world(c.p) + zero, torque = in_world(c.turn) + zero;  // + 0: never -0
  for (int l = 0; l < ContactSlot<F>::kWidth; ++l) {
    const int i = c.source[l];
    if (i < 0) continue;
    const auto lane = [&](const Vec3T<F>& v) CAROM_HD_LAMBDA {
      return Vec3{lane_of(v.x, l), lane_of(v.y, l), lane_of(v.z, l)};
    };
    contacts.force[i] = lane(force);
    contacts.torque[i] = lane(torque);
  }
}

}  // namespace carom::inline CAROM_PRECISION
