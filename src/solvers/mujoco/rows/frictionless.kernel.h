// Contacts without friction (condim 1): one row along the normal.
#pragma once

#include "solvers/mujoco/rows/contact_jacobian.kernel.h"
#include "solvers/mujoco/rows/one_sided.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F, class Jacobian>
struct FrictionlessRows : ContactSlots {
  static constexpr RowKind kKind = RowKind::kFrictionless;
  static constexpr bool kCouplesAnew = true;
  static constexpr bool kHasFriction = false;
  static constexpr Condims kCondims = condim_set(1);

  Jacobian J;
  Vec3T<F>* normal;
  F *D, *aref, *x, *y, *force, *weight;

  CAROM_HD void take(Arena& arena, const RowView& view, ContactTraits traits, int most) {
    const int slots = take_slots<F>(arena, kCondims, traits, most);
    const auto numbers = [&] { return arena.take<F>(slots); };
    normal = arena.take<Vec3T<F>>(slots);
    D = numbers(), aref = numbers(), x = numbers(), y = numbers(), force = numbers(), weight = numbers();
    J.take(arena, view, slots);
  }

  template <class Team, class Input>
  CAROM_HD_FREE void make(Team team, const RowView& view, const Input& in) {
    list_contacts<F>(team, in.contacts, in.segment, kCondims, list);
    team.each(list.count, [&](int c) {
      const int* const source = list.template of_slot<F>(c);
      rows::ContactNumbers<F> k = rows::gather_contact<F>(in.contacts, source);
      const bool has_extras = in.contacts.extras != nullptr;
      const F adhesion = has_extras ? rows::gather_extras(in.contacts, source, k).adhesion : F(0);
      normal[c] = k.normal;
      const F speed = J.fill(view, in, c, source, k.point, k.normal);
      const F r = k.distance - k.active_margin;
      const F d = impedance(k.impedance, r);
      D[c] = select(k.valid, stiffness_of_row(d, k.inverse_mass), F(0));
      if (in.implicit.acts) return make_implicit(team, view, in, c, k, speed, adhesion);
      F reference = -fma(k.damping, speed, k.stiffness * d * r);
      if (has_extras) reference += adhesion / select(k.valid, D[c], F(1));
      aref[c] = select(k.valid, reference, F(0));
    });
  }

  // Of the integrator Discrete, from the row that all others have.
  template <class Team, class Input>
  CAROM_HD_STAGE void make_implicit(Team, const RowView& view, const Input& in, int c, const rows::ContactNumbers<F>& k,
                                    F speed, F adhesion) const {
    const F r = k.distance - k.active_margin, d = impedance(k.impedance, r);
    const ImplicitLaw<F> law = rows::implicit_law(in, k, d);
    const auto row = [](const Vec3T<F>& block) CAROM_HD_LAMBDA { return block; };
    D[c] = D[c] * (law.stiffening(d) / (in.implicit.diagexact ? F(1) : J.mobility(view, in, c, row).ratio()));
    aref[c] = select(k.valid, law.reference(r, speed, F(0)) + adhesion / select(k.valid, D[c], F(1)), F(0));
  }

  CAROM_HD Vec3T<F> first_row(int, const Vec3T<F>& block, F) const { return block; }
  // The diagonal of J M^-1 J^T, in place of the one that make() assumes.
  CAROM_HD void take_diagonal(const ContactView& contacts, int c, F diagonal) const {
    const int* const source = list.template of_slot<F>(c);
    rows::ContactNumbers<F> k = rows::gather_contact<F>(contacts, source);
    const F before = D[c];
    D[c] = before * stiffening(before, k.inverse_mass, diagonal);
    if (contacts.extras) aref[c] += rows::gather_extras(contacts, source, k).adhesion * rows::softening(before, D[c]);
  }

  CAROM_HD static int row_blocks() { return 0; }  // it is one of the singles
  CAROM_HD F edges(int) const { return F(1); }
  CAROM_HD F product(const RowView& view, int c, const Vec3T<F>* v) const { return J.product(view, c, v); }
  CAROM_HD F cost(int c) const { return one_sided::cost(D[c], x[c]); }
  CAROM_HD F force_at(int c) const { return one_sided::force(D[c], x[c]); }
  CAROM_HD F weight_at(int c) const { return one_sided::weight(D[c], x[c]); }
  CAROM_HD SlopeT<F> slope(int c, F alpha) const { return one_sided::slope(D[c], x[c], y[c], alpha); }
  CAROM_HD static bool differ(F a, F b) { return any(a != b); }
  CAROM_HD Vec3T<F> weighted(int c, const Vec3T<F>& block) const { return block * weight[c]; }
  CAROM_HD BitSets blocks(const RowView&) const { return J.blocks; }
  CAROM_HD Vec3T<F> force_in_world(int c) const { return normal[c] * force[c]; }

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
  CAROM_HD void weigh(Team, const RowView&) const {}
  CAROM_HD void add_hessian(const RowView& view, int k, int i, Mat33T<F>& sum) const {
    J.slots.each_of_both(k, i, list.count, [&](int c) CAROM_HD_LAMBDA {
      rows::add_block_product(sum, J.block[c * view.blocks() + k], weighted(c, J.block[c * view.blocks() + i]));
    });
  }
};

}  // namespace carom::inline CAROM_PRECISION
