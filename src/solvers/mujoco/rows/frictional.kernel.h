// Contacts with friction, in a pyramid or in a cone: of sliding (condim 3), and of spinning and rolling, too (condim 4
// and 6).
#pragma once

#include "solvers/mujoco/rows/elliptic.kernel.h"
#include "solvers/mujoco/rows/pyramid.kernel.h"

namespace carom::inline CAROM_PRECISION {

namespace friction {

// One of the two laws; all contacts of a model have the same.
template <class F, bool kTurns>
CAROM_HD F cost(bool in_cone, const Law<F, kTurns>& law, const Vector<F, kTurns>& x) {
  return in_cone ? elliptic::cost<F, kTurns>(law, x) : pyramid::cost<F, kTurns>(law, x);
}
template <class F, bool kTurns>
CAROM_HD Vector<F, kTurns> force(bool in_cone, const Law<F, kTurns>& law, const Vector<F, kTurns>& x) {
  return in_cone ? elliptic::force<F, kTurns>(law, x) : pyramid::force<F, kTurns>(law, x);
}
template <class F, bool kTurns>
CAROM_HD Weight<F, kTurns> weight(bool in_cone, const Law<F, kTurns>& law, const Vector<F, kTurns>& x) {
  return in_cone ? elliptic::weight<F, kTurns>(law, x) : pyramid::weight<F, kTurns>(law, x);
}
template <class F, bool kTurns>
CAROM_HD SlopeT<F> slope(bool in_cone, const Law<F, kTurns>& law, const Vector<F, kTurns>& x,
                         const Vector<F, kTurns>& y, F alpha) {
  return in_cone ? elliptic::slope<F, kTurns>(law, x, y, alpha) : pyramid::slope<F, kTurns>(law, x, y, alpha);
}
template <class F, bool kTurns>
CAROM_HD Vector<F, kTurns> inside(bool in_cone, const Law<F, kTurns>& law, const Vector<F, kTurns>& f) {
  return in_cone ? elliptic::inside<F, kTurns>(law, f) : pyramid::inside<F, kTurns>(law, f);
}
template <class F>
CAROM_HD RowRoot<F> root(bool in_cone, const Law<F, false>& law, const Vec3T<F>& x) {
  return in_cone ? elliptic::root(law, x) : with_cross(pyramid::root(law, x));
}
// Cones of contacts that resist turning are not solved in row space.
template <class F>
CAROM_HD TurningRoot<F> root(bool, const Law<F, true>& law, const SpatialVectorT<F>& x) {
  return pyramid::root(law, x);
}

}  // namespace friction

// kTurns: contacts that resist spinning or rolling.
template <class F, bool kTurns, class Jacobian>
struct FrictionalRows : ContactSlots {
  static constexpr RowKind kKind = kTurns ? RowKind::kTurning : RowKind::kSliding;
  static constexpr bool kCouplesAnew = true;
  static constexpr bool kHasFriction = true;
  static constexpr Condims kCondims = kTurns ? condim_set(4) | condim_set(6) : condim_set(3);
  using Law = friction::Law<F, kTurns>;
  using Vector = friction::Vector<F, kTurns>;
  using Block = friction::Block<F, kTurns>;
  using Weight = friction::Weight<F, kTurns>;

  bool in_cone;  // otherwise in a pyramid
  Jacobian J;
  Block* CJ;  // C J
  Mat33T<F>* frame;
  F* D;
  Law* law;
  Vector *aref, *x, *y, *force;
  Weight* weight;

  CAROM_HD void take(Arena& arena, const RowView& view, ContactTraits traits, int most) {
    const int slots = take_slots<F>(arena, kCondims, traits, most);
    in_cone = traits.cone == Cone::kElliptic;
    const auto vectors = [&] { return arena.take<Vector>(slots); };
    frame = arena.take<Mat33T<F>>(slots);
    D = arena.take<F>(slots), law = arena.take<Law>(slots);
    aref = vectors(), x = vectors(), y = vectors(), force = vectors();
    weight = arena.take<Weight>(slots);
    J.take(arena, view, slots);
    CJ = arena.take<Block>(std::int64_t{slots} * view.blocks());
  }

  template <class Team, class Input>
  CAROM_HD_FREE void make(Team team, const RowView& view, const Input& in) {
    list_contacts<F>(team, in.contacts, in.segment, kCondims, list);
    team.each(list.count, [&](int c) {
      const int* const source = list.template of_slot<F>(c);
      rows::ContactNumbers<F> k = rows::gather_contact<F, kTurns>(in.contacts, source);
      const Mat33T<F> axes = contact_frame(k.normal, k.tangent);
      frame[c] = axes;
      Vector speed = J.fill(view, in, c, source, k.point, axes);
      F adhesion{};
      if (in.contacts.extras) adhesion = take_extras(view, in.contacts, c, source, k, speed);
      const F r = k.distance - k.active_margin;
      const F d = impedance(k.impedance, r);
      if (in_cone) law[c] = cone_law(k, d, in.impratio, D[c]);
      else law[c] = pyramid_law(k, d, in.impratio, D[c]);
      if (in.implicit.acts) return make_implicit(team, view, in, c, k, speed, adhesion);
      Vector reference = speed * -k.damping;
      friction::part(reference, 0) = friction::part(reference, 0) - k.stiffness * d * r;
      if (in.contacts.extras) friction::part(reference, 0) += adhesion / select(k.valid, D[c] * edges_pulled(c), F(1));
      aref[c] = select(k.valid, reference, Vector{});
    });
  }

  // Of the integrator Discrete, from the law that all others have. Friction in a cone has no K.
  template <class Team, class Input>
  CAROM_HD_STAGE void make_implicit(Team, const RowView& view, const Input& in, int c, const rows::ContactNumbers<F>& k,
                                    const Vector& speed, F adhesion) const {
    const int* const source = list.template of_slot<F>(c);
    const F r = k.distance - k.active_margin, d = impedance(k.impedance, r);
    const ImplicitLaw<F> own = rows::implicit_law(in, k, d);
    F scale = own.stiffening(d);
    if (!in.implicit.diagexact) {
      const F side = rows::side_of<F>(in.contacts, in.implicit.shape_type, source);
      const auto row = [&](const Block& block) CAROM_HD_LAMBDA { return first_row(c, block, side); };
      scale = scale / J.mobility(view, in, c, row).ratio();
    }
    D[c] = D[c] * scale;
    law[c].stiffen(scale);
    F along = fma(own.h, own.stiffness, own.damping) / own.s;  // of a pyramid's friction
    if (in_cone) along = k.damping / fma(own.h, k.damping * damping_of_friction(in.contacts, source), F(1));
    Vector reference = speed * -along;
    friction::part(reference, 0) =
        own.reference(r, friction::part(speed, 0), F(0)) + adhesion / select(k.valid, D[c] * edges_pulled(c), F(1));
    aref[c] = select(k.valid, reference, Vector{});
  }

  // The normal; of a pyramid its first edge, on this side (1 or -1).
  CAROM_HD Vec3T<F> first_row(int c, const Block& block, F side) const {
    const Vec3T<F> normal = friction::part(block, 0);
    return in_cone ? normal : fma(friction::part(block, 1), law[c].mu * side, normal);
  }
  // The diagonal of J M^-1 J^T of that, in place of the one that make() assumes.
  CAROM_HD void take_diagonal(const ContactView& contacts, int c, F diagonal) const {
    const int* const source = list.template of_slot<F>(c);
    rows::ContactNumbers<F> k = rows::gather_contact<F>(contacts, source);
    const F assumed = in_cone ? k.inverse_mass : edge_diagonal(k), before = D[c];
    const F scale = stiffening(before, assumed, diagonal);
    D[c] = before * scale;
    law[c].stiffen(scale);
    if (!contacts.extras) return;
    const F adhesion = rows::gather_extras(contacts, source, k).adhesion;
    friction::part(aref[c], 0) += adhesion * rows::softening(before, D[c]) / edges_pulled(c);
  }

  // Blocks of three rows in row space; more than there is room for: it is not solved there.
  CAROM_HD int row_blocks() const { return !kTurns ? 1 : in_cone ? kNotInRowSpace : 2; }
  // Rows of MuJoCo's that a slot stands for.
  CAROM_HD F edges(int c) const {
    if constexpr (!kTurns) return in_cone ? F(3) : F(4);
    else if (in_cone) return select(law[c].roll > F(0), F(6), F(4));
    else return select(law[c].D_roll > F(0), F(10), F(6));
  }
  CAROM_HD Vector product(const RowView& view, int c, const Vec3T<F>* v) const { return J.product(view, c, v); }
  CAROM_HD F cost(int c) const { return friction::cost<F, kTurns>(in_cone, law[c], x[c]); }
  CAROM_HD Vector force_at(int c) const { return friction::force<F, kTurns>(in_cone, law[c], x[c]); }
  CAROM_HD Weight weight_at(int c) const { return friction::weight<F, kTurns>(in_cone, law[c], x[c]); }
  CAROM_HD Vector inside(int c, const Vector& f) const { return friction::inside<F, kTurns>(in_cone, law[c], f); }
  CAROM_HD auto root_at(int c) const { return friction::root(in_cone, law[c], x[c]); }
  CAROM_HD SlopeT<F> slope(int c, F alpha) const {
    return friction::slope<F, kTurns>(in_cone, law[c], x[c], y[c], alpha);
  }
  CAROM_HD static bool differ(const Weight& a, const Weight& b) { return any(friction::differ<F, kTurns>(a, b)); }
  // C J of one block.
  CAROM_HD Block weighted(int c, const Block& block) const { return friction::weighted<F, kTurns>(weight[c], block); }
  CAROM_HD BitSets blocks(const RowView&) const { return J.blocks; }
  CAROM_HD Vec3T<F> force_in_world(int c) const {
    const auto along = [&](int i) CAROM_HD_LAMBDA { return frame[c][i] * friction::part(force[c], i); };
    return along(0) + along(1) + along(2);
  }
  CAROM_HD Vec3T<F> torque_in_world(int c) const requires kTurns {
    const Mat33T<F>& axes = frame[c];
    const Vec3T<F> about = force[c].angular;
    return axes[0] * about.x + axes[1] * about.y + axes[2] * about.z;
  }

  // f(slot) for those that touch a block, after J.find_slots().
  template <class Function>
  CAROM_HD void each_at(const RowView&, int b, Function f) const {
    J.slots.each_of_words(b, 0, BitSets::words_for(list.count), f);
  }
  CAROM_HD void add_force(const RowView& view, int b, Vec3T<F>& sum) const {
    each_at(view, b,
            [&](int c) CAROM_HD_LAMBDA { rows::add_transposed(sum, J.block[c * view.blocks() + b], force[c]); });
  }
  template <class Team>
  CAROM_HD void weigh(Team team, const RowView& view) const {
    const int blocks = view.blocks();
    const auto weigh_block = [&](int c, int i) CAROM_HD_LAMBDA { CJ[i] = weighted(c, J.block[i]); };
    if constexpr (Team::size() == 1) {
      team.each(list.count, [&](int c) {
        if (changed[c]) J.blocks.each(c, [&](int b) CAROM_HD_LAMBDA { weigh_block(c, c * blocks + b); });
      });
    } else {
      team.each(list.count * blocks, [&](int i) {
        if (changed[i / blocks] && J.touches(i / blocks, i % blocks)) weigh_block(i / blocks, i);
      });
    }
  }
  CAROM_HD void add_hessian(const RowView& view, int k, int i, Mat33T<F>& sum) const {
    J.slots.each_of_both(k, i, list.count, [&](int c) CAROM_HD_LAMBDA {
      rows::add_block_product(sum, J.block[c * view.blocks() + k], CJ[c * view.blocks() + i]);
    });
  }

 private:
  // B of friction over that of the normal; it is in the velocities already.
  CAROM_HD static F damping_of_friction(const ContactView& contacts, const int* source) {
    if (!contacts.extras) return F(1);
    ExtraNumbers<F> e;
    pick_rows<ExtraNumbers, F>(source, contacts.extras, e);
    return e.damping;
  }
  // Rows of friction that differs between the tangents are those of friction that does not, times their ratio; a
  // damping of their own makes velocities as much larger. Returns the adhesion.
  CAROM_HD F take_extras(const RowView& view, const ContactView& contacts, int c, const int* source,
                         rows::ContactNumbers<F>& k, Vector& speed) {
    const ExtraNumbers<F> e = rows::gather_extras(contacts, source, k);
    const Mat33T<F>& axes = frame[c];
    for (int i = 1; i < 3; ++i) friction::part(speed, i) += dot(axes[i], e.slide);
    if constexpr (kTurns) friction::part(speed, 3) += dot(axes[0], e.turn);
    const auto share = [&](int i) CAROM_HD_LAMBDA { return i == 2 ? e.tangent : i == 5 ? e.roll : F(1); };
    J.change(view, c, [&](auto& block) CAROM_HD_LAMBDA {
      friction::part(block, 2) = friction::part(block, 2) * e.tangent;
      if constexpr (kTurns) friction::part(block, 5) = friction::part(block, 5) * e.roll;
    });
    for (int i = 1; i <= friction::kParts<kTurns>; ++i)
      friction::part(speed, i) = friction::part(speed, i) * share(i) * e.damping;
    frame[c][2] = axes[2] * e.tangent;
    return e.adhesion;
  }
  // Rows that share what pulls: all edges of a pyramid.
  CAROM_HD F edges_pulled(int c) const { return in_cone ? F(1) : edges(c); }

  CAROM_HD static F edge_diagonal(const rows::ContactNumbers<F>& k) { return k.inverse_mass * (F(1) + k.mu * k.mu); }
  // d: impedance; D: of the slot. The diagonal of a pyramid's edge is that of the normal times 1 + mu^2; its
  // regularisation 2 mu^2 / impratio times as large.
  CAROM_HD static Law pyramid_law(const rows::ContactNumbers<F>& k, F d, F impratio, F& D) {
    const F stiffness = stiffness_of_row(d, edge_diagonal(k)) * impratio / (F(2) * (k.mu * k.mu));
    D = select(k.valid, stiffness, F(0));
    const F root_D = sqrt(D);
    if constexpr (kTurns)
      return {D, root_D, k.mu, F(0), F(0), k.spin, k.roll, select(k.rolls, D, F(0)), select(k.rolls, root_D, F(0))};
    else return {D, root_D, k.mu, F(0), F(0)};
  }
  // D of the normal row; in round space that over s^2.
  CAROM_HD static Law cone_law(const rows::ContactNumbers<F>& k, F d, F impratio, F& D) {
    const F slope = k.mu / sqrt(impratio), s2 = slope * slope;
    D = select(k.valid, stiffness_of_row(d, k.inverse_mass), F(0));
    const F round = select(k.valid, D / s2, F(0)), share = F(1) / (F(1) + s2);
    if constexpr (kTurns)
      return {round, sqrt(round), k.mu, slope, share, k.spin, select(k.rolls, k.roll, F(0)), F(0), F(0)};
    else return {round, sqrt(round), k.mu, slope, share};
  }
};

}  // namespace carom::inline CAROM_PRECISION
