// Rows over degrees of freedom that are known beforehand: limits and dry friction of joints and tendons, equalities
// between two of them, and what ties bodies together. The length of a joint or a tendon is the sum of coef * coordinate
// over its entries, that of a spatial tendon is what path.kernel.h says, with the coefficients of the moment; with the
// lengths u and v of the two sides of an equality, its residual is u - p(v), p a polynomial.
// A connect is three rows, one for each world axis, a weld six; all of them have one impedance.
#pragma once

#include "model/joints/joints.kernel.h"
#include "solvers/mujoco/impedance.kernel.h"
#include "solvers/mujoco/rows/clamped.kernel.h"
#include "solvers/mujoco/rows/tie.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct LimitRange {
  F lower, upper, margin;  // [m] or [rad]
};
template <class F>
struct JointRowParams {
  LimitRange<F> range;  // of a limit
  F friction;           // the most that dry friction does [N] or [N m]
  F solref[2];
  F impedance[5];
  F inverse_mass;  // J M^-1 J^T at the initial pose; of an equality the sum of its sides
};
template <class F>
struct EqualityParams {
  F enabled;  // 1 or 0
  F polynomial[5];
};

// The length of the entries first to first + count - 1. coef, q: of an entry, and a coordinate, by []
template <class F, class Coefs, class Coords>
CAROM_HD F length_of_entries(const RowView& view, int first, int count, const Coefs& coef, const Coords& q) {
  F length{};
  CAROM_ROLL
  for (int e = first; e < first + count; ++e) length = fma(coef[e], q[view.joint_entry[e].q], length);
  return length;
}

// The nearer end of a range.
template <class F>
struct LimitGap {
  F distance;  // to it
  MaskOf<F> at_lower;
};
template <class F>
CAROM_HD LimitGap<F> limit_gap(const JointRow& row, const LimitRange<F>& p, F position) {
  const F far = p.margin + F(1);  // a side that is not this slot's
  const F low = row.side == LimitSide::kUpper ? far : position - p.lower;
  const F high = row.side == LimitSide::kLower ? far : p.upper - position;
  const auto at_lower = low <= high;
  return {select(at_lower, low, high), at_lower};
}

template <class F>
struct JointRows {
  static constexpr RowKind kKind = RowKind::kJointLimit;  // or another one: the slot says
  static constexpr bool kCouplesAnew = false;             // its blocks are in RowView::pattern

  int first_block = 0;  // of the part, in the vectors of what is solved
  const JointRowParams<F>* params;
  const EqualityParams<F>* equality;
  const TieParams<F>* tie;
  const TieState<F>* tie_state;
  const F* coef;         // per entry
  F* moving_coef;        // room for them where there are paths
  const F* path_length;  // per path
  F* J;                  // per entry; 0 where the row does not act
  F *D, *low, *high, *aref, *x, *y, *force, *weight;
  std::uint8_t* changed;  // state, since H was built
  std::uint8_t* acting;   // in some lane; the others are nothing to solve, and most limits are such
  F* diagonal;            // what slots with one entry add to H, per degree of freedom

  CAROM_HD int count(const RowView& view) const { return view.joint_rows(); }

  CAROM_HD void take(Arena& arena, const RowView& view) {
    const int n = view.joint_rows();
    const auto numbers = [&] { return arena.take<F>(n); };
    first_block = 0;
    J = arena.take<F>(view.joint_entry.size), D = numbers(), aref = numbers();
    // Those of limits are the same for all.
    low = view.two_sided ? numbers() : nullptr, high = view.two_sided ? numbers() : nullptr;
    x = numbers(), y = numbers(), force = numbers(), weight = numbers();
    changed = arena.take<std::uint8_t>(n), acting = arena.take<std::uint8_t>(n);
    diagonal = arena.take<F>(3 * view.blocks());
  }

  template <class Team>
  CAROM_HD_FREE void make(Team team, const RowView& view, const RowInput<F>& in) {
    team.each(view.joint_rows(), [&](int s) {
      switch (view.joint_row[s].sort) {
        case JointRowSort::kLimit: return make_limit(view, in, s);
        case JointRowSort::kFriction: return make_friction(view, in, s);
        case JointRowSort::kTurningLimit: return make_turning_limit(view, in, s);
        case JointRowSort::kTurningFriction: return make_turning_friction(view, in, s);
        case JointRowSort::kEquality: return make_equality(view, in, s);
        case JointRowSort::kConnect:
        case JointRowSort::kWeld:
          if (view.joint_row[s].member == 0) make_tie(view, in, s);
          return;
      }
    });
    if (in.implicit.acts) make_implicit(team, view, in);
    team.each(view.joint_rows(), [&](int s) {
      acting[s] = static_cast<std::uint8_t>(any(D[s] > F(0)));
      if (!acts(s)) force[s] = weight[s] = F(0), changed[s] = 0;
    });
  }

  // -- One slot.

  CAROM_HD bool acts(int s) const { return acting[s] != 0; }
  CAROM_HD F edges(int) const { return F(1); }  // rows of MuJoCo's that it stands for
  // J v
  CAROM_HD F product(const RowView& view, int s, const Vec3T<F>* v) const {
    const JointRow& row = view.joint_row[s];
    v += first_block;
    F sum = J[row.first_entry] * entry(v, view.joint_entry[row.first_entry].dof);
    CAROM_ROLL
    for (int e = row.first_entry + 1; e < row.first_entry + row.entry_count; ++e)
      sum = fma(J[e], entry(v, view.joint_entry[e].dof), sum);
    return sum;
  }
  CAROM_HD Clamped<F> law(int s) const { return {D[s], low ? low[s] : F(-kNoBound), high ? high[s] : F(0)}; }
  CAROM_HD F cost(int s) const { return law(s).cost(x[s]); }
  CAROM_HD F force_at(int s) const { return law(s).force(x[s]); }
  CAROM_HD F weight_at(int s) const { return law(s).weight(x[s]); }
  CAROM_HD SlopeT<F> slope(int s, F alpha) const { return law(s).slope(x[s], y[s], alpha); }
  CAROM_HD static bool differ(F a, F b) { return any(a != b); }
  CAROM_HD BitSets blocks(const RowView& view) const { return view.joint_row_blocks; }

  // Of J, block b.
  CAROM_HD Vec3T<F> row_at(const RowView& view, int s, int b) const {
    const JointRow& row = view.joint_row[s];
    Vec3T<F> of_block;
    CAROM_ROLL
    for (int e = row.first_entry; e < row.first_entry + row.entry_count; ++e)
      if (const int dof = view.joint_entry[e].dof; dof / 3 == b) of_block[dof % 3] += J[e];
    return of_block;
  }
  // The diagonal of J M^-1 J^T, in place of the one that make() assumes.
  CAROM_HD void take_diagonal(const RowView& view, int s, F diagonal) const {
    D[s] = D[s] * stiffening(D[s], params[s].inverse_mass, diagonal);
    const JointRowSort sort = view.joint_row[s].sort;
    if (sort == JointRowSort::kFriction || sort == JointRowSort::kTurningFriction) bound_friction(s, D[s] > F(0));
  }

  // -- All slots.

  // The sum of f(slot) by joints, tendons and equalities. A slot exists when any world of the archetype needs it: in a
  // sum over slots the limits of other worlds would change the order of a world's own.
  template <class Team, class Function>
  CAROM_HD auto sum(Team team, const RowView& view, Function f) const {
    return team.sum(static_cast<int>(view.place_start.size) - 1, [&](int place) {
      decltype(f(0)) total{};
      for (int s = view.place_start[place]; s < view.place_start[place + 1]; ++s)
        if (acts(s)) total = total + f(s);
      return total;
    });
  }

  // f(slot) for those that may touch a block.
  template <class Function>
  CAROM_HD void each_at(const RowView& view, int b, Function f) const {
    CAROM_ROLL
    for (int at = view.dof_row_start[3 * b]; at < view.dof_row_start[3 * b + 3]; ++at) f(view.dof_row[at][0]);
  }

  // sum += J^T force, block b
  CAROM_HD void add_force(const RowView& view, int b, Vec3T<F>& sum) const {
    CAROM_ROLL
    for (int i = 3 * b; i < 3 * b + 3; ++i) {
      CAROM_ROLL
      for (int at = view.dof_row_start[i]; at < view.dof_row_start[i + 1]; ++at) {
        const auto [slot, e] = view.dof_row[at];
        sum[i % 3] = fma(J[e], force[slot], sum[i % 3]);
      }
    }
  }

  // After weights changed, before add_hessian().
  template <class Team>
  CAROM_HD void weigh(Team team, const RowView& view) const {
    team.each(3 * view.blocks(), [&](int i) {
      F total{};
      CAROM_ROLL
      for (int at = view.dof_row_start[i]; at < view.dof_row_start[i + 1]; ++at) {
        const auto [slot, e] = view.dof_row[at];
        if (slot < view.single_rows) total = fma(J[e] * J[e], weight[slot], total);
      }
      diagonal[i] = total;
    });
  }

  // sum += block (k, i) of J^T weight J
  CAROM_HD void add_hessian(const RowView& view, int k, int i, Mat33T<F>& sum) const {
    if (k == i)
      for (int d = 0; d < 3; ++d) sum[d][d] += diagonal[3 * k + d];
    CAROM_ROLL
    for (int s = view.single_rows; s < view.joint_rows(); ++s) {
      if (!acts(s) || !view.joint_row_blocks.has_both(s, k, i)) continue;
      const JointRow& row = view.joint_row[s];
      CAROM_ROLL
      for (int e = row.first_entry; e < row.first_entry + row.entry_count; ++e) {
        const int to = view.joint_entry[e].dof;
        if (to / 3 != k) continue;
        CAROM_ROLL
        for (int g = row.first_entry; g < row.first_entry + row.entry_count; ++g) {
          const int column = view.joint_entry[g].dof;
          if (column / 3 == i) sum[to % 3][column % 3] = fma(J[e] * J[g], weight[s], sum[to % 3][column % 3]);
        }
      }
    }
  }

 private:
  // Of count entries from `first` on, or of a path.
  CAROM_HD F length_of(const RowView& view, const RowInput<F>& in, int path, int first, int count) const {
    return path < 0 ? length_of_entries<F>(view, first, count, coef, in.work.q) : path_length[path];
  }

  CAROM_HD void make_limit(const RowView& view, const RowInput<F>& in, int s) const {
    const JointRowParams<F>& p = params[s];
    const JointRow& row = view.joint_row[s];
    const F length = length_of(view, in, row.path, row.first_entry, row.entry_count);
    const auto [distance, at_lower] = limit_gap(row, p.range, length);
    const auto active = distance < p.range.margin;
    const F sign = select(active, select(at_lower, F(1), F(-1)), F(0));
    CAROM_ROLL
    for (int e = row.first_entry; e < row.first_entry + row.entry_count; ++e) J[e] = sign * coef[e];
    if (low) low[s] = F(-kNoBound), high[s] = F(0);
    if (any(active)) set_law(view, in, s, active, distance - p.range.margin);
    else D[s] = aref[s] = F(0);  // as most are
  }

  CAROM_HD void make_friction(const RowView& view, const RowInput<F>& in, int s) const {
    const JointRow& row = view.joint_row[s];
    const auto active = params[s].friction > F(0);
    CAROM_ROLL
    for (int e = row.first_entry; e < row.first_entry + row.entry_count; ++e) J[e] = select(active, coef[e], F(0));
    set_friction(view, in, s, active);
  }
  CAROM_HD void set_friction(const RowView& view, const RowInput<F>& in, int s, MaskOf<F> active) const {
    set_law(view, in, s, active, F(0));
    bound_friction(s, active);
  }
  CAROM_HD void bound_friction(int s, MaskOf<F> active) const {
    high[s] = select(active, params[s].friction / D[s], F(0));
    low[s] = -high[s];
  }

  // How far it has turned from its reference.
  CAROM_HD void make_turning_limit(const RowView& view, const RowInput<F>& in, int s) const {
    const JointRow& row = view.joint_row[s];
    const LimitRange<F>& range = params[s].range;
    const Vec3T<F> turn = rotation_vector(turn_of(view, in, s));
    const F angle = length(turn), distance = range.upper - angle;
    const auto active = distance < range.margin;
    const Vec3T<F> axis = turn * (F(1) / select(angle > F(0), angle, F(1)));
    for (int i = 0; i < 3; ++i) J[row.first_entry + i] = select(active, -axis[i], F(0));
    if (low) low[s] = F(-kNoBound), high[s] = F(0);
    set_law(view, in, s, active, distance - range.margin);
  }
  // About an axis that turns along.
  CAROM_HD void make_turning_friction(const RowView& view, const RowInput<F>& in, int s) const {
    const JointRow& row = view.joint_row[s];
    const auto active = params[s].friction > F(0);
    Vec3T<F> unit;
    unit[row.member] = F(1);
    const Vec3T<F> axis = rotate(turn_of(view, in, s), unit);
    for (int i = 0; i < 3; ++i) J[row.first_entry + i] = select(active, axis[i], F(0));
    set_friction(view, in, s, active);
  }
  CAROM_HD QuatT<F> turn_of(const RowView& view, const RowInput<F>& in, int s) const {
    return BallJoint::turn(in.work.q + view.joint_entry[view.joint_row[s].first_entry].q);
  }

  CAROM_HD void make_equality(const RowView& view, const RowInput<F>& in, int s) const {
    const JointRow& row = view.joint_row[s];
    const EqualityParams<F>& p = equality[row.equality];
    const int driving = row.first_entry + row.driven, end = row.first_entry + row.entry_count;
    const F u = length_of(view, in, row.path, row.first_entry, row.driven);
    const F v = length_of(view, in, row.driving_path, driving, end - driving);
    F value = p.polynomial[4], rate{};
    CAROM_UNROLL
    for (int k = 3; k >= 0; --k) {
      rate = fma(rate, v, value);
      value = fma(value, v, p.polynomial[k]);
    }
    const auto active = p.enabled > F(0);
    CAROM_ROLL
    for (int e = row.first_entry; e < end; ++e) J[e] = select(active, e < driving ? coef[e] : -(rate * coef[e]), F(0));
    low[s] = F(-kNoBound), high[s] = F(kNoBound);
    set_law(view, in, s, active, u - value);
  }

  // All rows of a connect or weld, from s on.
  CAROM_HD void make_tie(const RowView& view, const RowInput<F>& in, int s) const {
    const int number = view.joint_row[s].equality, members = view.tie[number].is_weld ? 6 : 3;
    const TieState<F>& at = tie_state[number];
    const auto active = tie[number].enabled > F(0);
    fill_tie(view, in, s, members, active, at, tie[number].torquescale * F(0.5));
    const F squares = length_squared(at.r) + (members == 6 ? length_squared(at.turn) : F(0));
    const JointRowParams<F>& p = params[s];
    const F d = impedance(p.impedance, sqrt(squares));
    const ReferenceNumbers<F> reference = reference_numbers(p.solref[0], p.solref[1], p.impedance[1], in.least_time);
    CAROM_ROLL
    for (int m = 0; m < members; ++m) {
      const F r = m < 3 ? at.r[m] : at.turn[m - 3], bias = m < 3 ? at.bias[m] : at.turn_bias[m - 3];
      low[s + m] = F(-kNoBound), high[s + m] = F(kNoBound);
      if (in.implicit.acts) {
        leave_for_implicit(s + m, active, r, bias, d);
        continue;
      }
      D[s + m] = select(active, stiffness_of_row(d, params[s + m].inverse_mass), F(0));
      const F speed = product(view, s + m, in.work.qd - first_block);
      aref[s + m] = select(active, -fma(reference.damping, speed, fma(reference.stiffness * d, r, bias)), F(0));
    }
  }
  // half_scale: half of the torquescale.
  CAROM_HD void fill_tie(const RowView& view, const RowInput<F>& in, int s, int members, MaskOf<F> active,
                         const TieState<F>& at, F half_scale) const {
    const JointRow& row = view.joint_row[s];
    CAROM_ROLL
    for (int e = 0; e < row.entry_count; ++e) {
      const JointEntry& entry = view.joint_entry[row.first_entry + e];
      const SpatialVectorT<F>& S = in.work.motion[entry.dof];
      const Vec3T<F> o = in.work.tree_com[in.tree.link[in.tree.dof_link[entry.dof]].tree];
      Vec3T<F> slide, turn;
      for (int side = 0; side < 2; ++side) {
        if (!(entry.q >> side & 1)) continue;
        const F sign = side == 0 ? F(1) : F(-1);
        slide = fma(S.linear + cross(S.angular, at.anchor[side] - o), sign, slide);
        turn = fma(S.angular, sign, turn);
      }
      for (int k = 0; k < 3; ++k) J[row.first_entry + k * row.entry_count + e] = select(active, slide[k], F(0));
      if (members == 3) continue;
      turn = ties::turned(at, turn, half_scale);
      for (int k = 0; k < 3; ++k) J[row.first_entry + (3 + k) * row.entry_count + e] = select(active, turn[k], F(0));
    }
  }

  // D and a_ref of the residual r; dry friction has none.
  CAROM_HD void set_law(const RowView& view, const RowInput<F>& in, int s, MaskOf<F> active, F r) const {
    const JointRowParams<F>& p = params[s];
    const F d = impedance(p.impedance, r);
    if (in.implicit.acts) return leave_for_implicit(s, active, r, F(0), d);
    const ReferenceNumbers<F> reference = reference_numbers(p.solref[0], p.solref[1], p.impedance[1], in.least_time);
    D[s] = select(active, stiffness_of_row(d, p.inverse_mass), F(0));
    const F speed = product(view, s, in.work.qd - first_block);
    aref[s] = select(active, -fma(reference.damping, speed, reference.stiffness * d * r), F(0));
  }

  // -- Of the integrator Discrete: what a row is made from stands where the solver works later.

  CAROM_HD void leave_for_implicit(int s, MaskOf<F> active, F r, F bias, F d) const {
    D[s] = select(active, F(1), F(0)), aref[s] = F(0);
    x[s] = r, y[s] = bias, weight[s] = d;
  }
  template <class Team>
  CAROM_HD_STAGE void make_implicit(Team team, const RowView& view, const RowInput<F>& in) const {
    team.each(view.joint_rows(), [&](int s) {
      const auto active = D[s] > F(0);
      if (!any(active)) return;
      const JointRowParams<F>& p = params[s];
      const JointRowSort sort = view.joint_row[s].sort;
      const bool rubs = sort == JointRowSort::kFriction || sort == JointRowSort::kTurningFriction;
      const bool limits = sort == JointRowSort::kLimit || sort == JointRowSort::kTurningLimit;
      ReferenceNumbers<F> given = reference_numbers(p.solref[0], p.solref[1], p.impedance[1], in.least_time);
      if (rubs) given.stiffness = F(0);
      const F d = weight[s];
      const ImplicitLaw<F> law(in.implicit, given, d, !is_direct(p.solref) && F(limits && in.implicit.refsafe) > F(0));
      const F diagonal = p.inverse_mass * (in.implicit.diagexact ? F(1) : mobility(view, in, s).ratio());
      D[s] = select(active, stiffness_of_row(d, diagonal) * law.stiffening(d), F(0));
      aref[s] = select(active, law.reference(x[s], product(view, s, in.work.qd - first_block), y[s]), F(0));
      if (rubs) bound_friction(s, active);
    });
  }
  CAROM_HD RowMobility<F> mobility(const RowView& view, const RowInput<F>& in, int s) const {
    RowMobility<F> sum{in.tree, in.work, in.implicit.diagonal};
    view.joint_row_blocks.each(s, [&](int b) CAROM_HD_LAMBDA {
      sum.add_block(b, [&](int dof) CAROM_HD_LAMBDA { return row_at(view, s, dof / 3)[dof % 3]; });
    });
    return sum;
  }
};

}  // namespace carom::inline CAROM_PRECISION
