// Friction without slip: sweeps over dry friction and the tangential forces of contacts, after a solve, as if friction
// were not soft (MuJoCo's noslip). Normal forces stay. With x = J a - a_ref and A = J M^-1 J^T of what is swept over,
//
//   dry friction, a tangent of a pyramid:  f+ = f - x / A within its bounds; of the tangent mu (f_plus + f_minus), the
//                                          forces of its two edges
//   the tangential forces of a cone:       min 1/2 f^T A f + f^T (x - A f_before)  with |f_i / mu_i| <= f_normal
//
// one after the other, a follows every change. Sweeps end when one gains less than the tolerance, over trace(M).
#pragma once

#include "solvers/mujoco/rows/row_work.h"

namespace carom::inline CAROM_PRECISION {

// min 1/2 z^T A z + z^T b with |z| <= radius: (A + lambda) z = -b, with Newton's method for lambda.
template <class F, int n>
struct BoundedQuadratic {
  F A[n][n], b[n], z[n];
  F L[n][n];  // L L^T = A + lambda

  CAROM_HD void solve(F radius) {
    constexpr int kIterations = 20;
    const F square = radius * radius;
    F lambda{};
    MaskOf<F> bounded = F(0) < F(0);
    CAROM_ROLL
    for (int it = 0; it < kIterations; ++it) {
      factor(lambda);
      for (int i = 0; i < n; ++i) z[i] = -b[i];
      apply_inverse(z);
      const F excess = norm2(z) - square;
      const auto goes_on = excess > F(1e-10) * max(square, F(1e-10));
      bounded = bounded || goes_on;
      if (!any(goes_on)) break;
      F w[n];
      for (int i = 0; i < n; ++i) w[i] = z[i];
      apply_inverse(w);
      F slope{};
      for (int i = 0; i < n; ++i) slope = fma(z[i], w[i], slope);
      lambda = select(goes_on, lambda + F(0.5) * excess / max(slope, F(1e-30)), lambda);
    }
    const F size = sqrt(norm2(z)),
            scale = select(bounded && size > F(0), radius / select(size > F(0), size, F(1)), F(1));
    for (int i = 0; i < n; ++i) z[i] = z[i] * scale;
  }

 private:
  CAROM_HD static F norm2(const F (&v)[n]) {
    F sum{};
    for (int i = 0; i < n; ++i) sum = fma(v[i], v[i], sum);
    return sum;
  }
  CAROM_HD void factor(F lambda) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) {
        F sum = i == j ? A[i][i] + lambda : A[i][j];
        for (int k = 0; k < j; ++k) sum = fma(-L[i][k], L[j][k], sum);
        L[i][j] = i == j ? sqrt(max(sum, F(1e-30))) : sum / L[j][j];
      }
  }
  CAROM_HD void apply_inverse(F (&v)[n]) const {
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < i; ++k) v[i] = fma(-L[i][k], v[k], v[i]);
      v[i] = v[i] / L[i][i];
    }
    for (int i = n - 1; i >= 0; --i) {
      for (int k = i + 1; k < n; ++k) v[i] = fma(-L[k][i], v[k], v[i]);
      v[i] = v[i] / L[i][i];
    }
  }
};

// Vectors that a sweep works with.
inline constexpr int kSlipVectors = 5;

// What a sweep over the rows of a part, or of W of them, changes and asks for.
template <class F>
struct PartDofs {
  using Number = F;
  const RowView& view;
  const BlockPattern& mass_pattern;
  const Mat33T<F>* factor;  // of M
  RowWork<F>& w;
  Vec3T<F>* room;  // kSlipVectors of them

  CAROM_HD auto& contacts() const { return w.kinds.contacts; }
  CAROM_HD MaskOf<F> has_rows() const { return w.has_rows; }
  CAROM_HD const Vec3T<F>* acceleration() const { return w.acceleration; }
  template <class Function>
  CAROM_HD void each_kind(Function f) const {
    w.kinds.each([&](auto& kind) CAROM_HD_LAMBDA { f(kind, view); });
  }
  // f(part), for the rows of its joints.
  template <class Function>
  CAROM_HD void each_part(Function f) const {
    f(*this);
  }

  CAROM_HD Vec3T<F>* vector(int i) const { return room + i * view.blocks(); }
  // a += change * vector i
  template <class Team>
  CAROM_HD void accelerate(Team team, int i, F change) const {
    const Vec3T<F>* const u = vector(i);
    team.each(view.blocks(), [&](int b) { w.acceleration[b] = fma(u[b], change, w.acceleration[b]); });
  }

  // sweep(kind, c) for the contacts with friction; what it returns is added up.
  template <class Sweep>
  CAROM_HD void sweep_contacts(F& gain, Sweep sweep) const {
    const auto sweep_kind = [&](auto& kind) CAROM_HD_LAMBDA {
      F sum{};
      CAROM_ROLL
      for (int c = 0; c < kind.list.count; ++c) sum += sweep(kind, c);
      gain += sum;
    };
    sweep_kind(w.kinds.contacts.sliding);
    sweep_kind(w.kinds.contacts.turning);
  }

  // -- Of part k of contact c.

  // Vector i becomes M^-1 J^T.
  template <class Team, class Kind>
  CAROM_HD void respond(Team team, const Kind& kind, int c, int k, int i) const {
    Vec3T<F>* const u = vector(i);
    team.each(view.blocks(), [&](int b) {
      u[b] = kind.J.touches(c, b) ? friction::part(kind.J.block[c * view.blocks() + b], k) : Vec3T<F>{};
    });
    solve_blocks(team, mass_pattern, factor, u);
  }
  // J a, and J times vector i.
  template <class Team, class Kind>
  CAROM_HD F accelerated(Team team, const Kind& kind, int c, int k) const {
    return along(team, kind, c, k, w.acceleration);
  }
  template <class Team, class Kind>
  CAROM_HD F responded(Team team, const Kind& kind, int c, int k, int i) const {
    return along(team, kind, c, k, vector(i));
  }
  // What responds to the contact follows vector i.
  template <class Team, class Kind>
  CAROM_HD void follow(Team team, const Kind&, int, int i, F change) const {
    accelerate(team, i, change);
  }

  // constraint_force = J^T f
  template <class Team>
  CAROM_HD void gather_forces(Team team) const {
    w.kinds.contacts.each([&](auto& kind) CAROM_HD_LAMBDA { kind.J.find_slots(team, kind.list.count); });
    team.each(view.blocks(), [&](int b) {
      Vec3T<F> sum;
      w.kinds.each([&](auto& kind) CAROM_HD_LAMBDA { kind.add_force(view, b, sum); });
      w.constraint_force[b] = sum;
    });
  }

 private:
  template <class Team, class Kind>
  CAROM_HD F along(Team team, const Kind& kind, int c, int k, const Vec3T<F>* v) const {
    return team.sum(view.blocks(), [&](int b) {
      return kind.J.touches(c, b) ? dot(friction::part(kind.J.block[c * view.blocks() + b], k), v[b]) : F(0);
    });
  }
};

// Dofs: PartDofs, or what an island has in its place (island_slip.kernel.h).
template <class Dofs>
struct NoSlip {
  using F = typename Dofs::Number;
  const Dofs& dofs;
  F scale;  // 1 / trace(M)

  template <class Team>
  CAROM_HD_STAGE void sweep(Team team, int iterations, F tolerance) const {
    prepare(team);
    MaskOf<F> goes_on = dofs.has_rows();
    CAROM_ROLL
    for (int it = 0; it < iterations && any(goes_on); ++it) {
      F gain = it == 0 ? softness(team) : F(0);
      dofs.each_part([&](const PartDofs<F>& part) CAROM_HD_LAMBDA {
        CAROM_ROLL
        for (int s = 0; s < part.view.joint_rows(); ++s) gain += sweep_joint_row(team, part, s, goes_on);
      });
      dofs.sweep_contacts(gain, [&](auto& kind, int c) CAROM_HD_LAMBDA {
        return kind.in_cone ? sweep_cone(team, kind, c, goes_on) : sweep_pyramid(team, kind, c, goes_on);
      });
      goes_on = goes_on && !(gain * scale < tolerance);
    }
    find_residuals(team);
    dofs.gather_forces(team);
  }

 private:
  template <class Team>
  CAROM_HD void find_residuals(Team team) const {
    dofs.each_kind([&](auto& kind, const RowView& view) CAROM_HD_LAMBDA {
      team.each(kind.count(view),
                [&](int s) { kind.x[s] = kind.product(view, s, dofs.acceleration()) - kind.aref[s]; });
    });
  }
  // Residuals at the accelerations; no forces of slots that do not act, which a solve may leave as they were; y: the
  // most that each part of a contact in a pyramid may do.
  template <class Team>
  CAROM_HD void prepare(Team team) const {
    find_residuals(team);
    dofs.each_kind([&](auto& kind, const RowView& view) CAROM_HD_LAMBDA {
      team.each(kind.count(view), [&](int s) {
        kind.force[s] = select(kind.D[s] > F(0), kind.force[s], std::remove_cvref_t<decltype(kind.force[s])>{});
      });
    });
    bound(team, dofs.contacts().sliding);
    bound(team, dofs.contacts().turning);
  }
  template <class Team, bool kTurns, class Jacobian>
  CAROM_HD void bound(Team team, FrictionalRows<F, kTurns, Jacobian>& kind) const {
    if (kind.in_cone) return;
    team.each(kind.list.count, [&](int c) {
      const auto& law = kind.law[c];
      const pyramid::Edges<F, kTurns> edge(kind.x[c], law);
      CAROM_UNROLL
      for (int i = 0; i < friction::kParts<kTurns>; ++i)
        friction::part(kind.y[c], i + 1) =
            -law.stiffness(i) * law.friction(i) * (one_sided::pushed(edge.plus[i]) + one_sided::pushed(edge.minus[i]));
    });
  }

  // What the softness of all rows costs.
  template <class Team>
  CAROM_HD F softness(Team team) const {
    F sum{};
    dofs.each_part([&](const PartDofs<F>& part) CAROM_HD_LAMBDA {
      const JointRows<F>& rows = part.w.kinds.joint;
      sum += team.sum(part.view.joint_rows(), [&](int s) {
        return select(rows.D[s] > F(0), F(0.5) * rows.force[s] * rows.force[s] / rows.D[s], F(0));
      });
    });
    dofs.contacts().each([&](auto& kind) CAROM_HD_LAMBDA {
      sum += team.sum(kind.list.count, [&](int c) { return select(kind.D[c] > F(0), kind.cost(c), F(0)); });
    });
    return sum;
  }

  // Returns what it gains, here and below.
  template <class Team>
  CAROM_HD F sweep_joint_row(Team team, const PartDofs<F>& part, int s, MaskOf<F> goes_on) const {
    const RowView& view = part.view;
    const JointRow& row = view.joint_row[s];
    if (row.sort != JointRowSort::kFriction && row.sort != JointRowSort::kTurningFriction) return F(0);
    JointRows<F>& rows = part.w.kinds.joint;
    Vec3T<F>* const u = part.vector(0);
    const F before = rows.force[s];  // first: one of the team writes it below
    team.each(view.blocks(), [&](int b) { u[b] = {}; });
    team.each(row.entry_count, [&](int i) {
      const int e = row.first_entry + i;
      entry(u, view.joint_entry[e].dof) = rows.J[e];
    });
    solve_blocks(team, part.mass_pattern, part.factor, u);
    const auto along = [&](const Vec3T<F>* v) CAROM_HD_LAMBDA {
      return team.sum(row.entry_count, [&](int i) {
        const int e = row.first_entry + i;
        return rows.J[e] * entry(v, view.joint_entry[e].dof);
      });
    };
    const F A = along(u), x = along(part.w.acceleration) - rows.aref[s], most = rows.params[s].friction;
    const auto acts = goes_on && rows.D[s] > F(0) && A > F(1e-15);
    const F after = min(most, max(-most, before - x / select(acts, A, F(1))));
    const F change = select(acts, after - before, F(0));
    team.each(1, [&](int) { rows.force[s] = before + change; });
    part.accelerate(team, 0, change);
    return -(change * fma(F(0.5) * A, change, x));
  }

  template <class Team, bool kTurns, class Jacobian>
  CAROM_HD F sweep_pyramid(Team team, FrictionalRows<F, kTurns, Jacobian>& kind, int c, MaskOf<F> goes_on) const {
    F gain{};
    CAROM_ROLL
    for (int k = 1; k <= friction::kParts<kTurns>; ++k) {
      const F before = friction::part(kind.force[c], k), most = friction::part(kind.y[c], k);  // first, as above
      dofs.respond(team, kind, c, k, 0);
      const F A = dofs.responded(team, kind, c, k, 0);
      const F x = dofs.accelerated(team, kind, c, k) - friction::part(kind.aref[c], k);
      const auto acts = goes_on && kind.D[c] > F(0) && A > F(1e-15);
      const F after = min(most, max(-most, before - x / select(acts, A, F(1)))),
              change = select(acts, after - before, F(0));
      team.each(1, [&](int) { friction::part(kind.force[c], k) = before + change; });
      dofs.follow(team, kind, c, 0, change);
      gain -= change * fma(F(0.5) * A, change, x);
    }
    return gain;
  }

  template <class Team, bool kTurns, class Jacobian>
  CAROM_HD F sweep_cone(Team team, FrictionalRows<F, kTurns, Jacobian>& kind, int c, MaskOf<F> goes_on) const {
    constexpr int n = friction::kParts<kTurns>;
    BoundedQuadratic<F, n> problem;
    F x[n], before[n], mu[n], A[n][n];
    for (int i = 0; i < n; ++i) before[i] = friction::part(kind.force[c], i + 1);  // first, as above
    CAROM_ROLL
    for (int i = 0; i < n; ++i) dofs.respond(team, kind, c, i + 1, i);
    CAROM_ROLL
    for (int i = 0; i < n; ++i) {
      mu[i] = kind.law[c].friction(i);
      x[i] = dofs.accelerated(team, kind, c, i + 1) - friction::part(kind.aref[c], i + 1);
      CAROM_ROLL
      for (int j = 0; j < n; ++j) A[i][j] = dofs.responded(team, kind, c, i + 1, j);
    }
    // In f / mu; what has no friction stays 0.
    CAROM_ROLL
    for (int i = 0; i < n; ++i) {
      F b = x[i];
      for (int j = 0; j < n; ++j) {
        b = fma(-A[i][j], before[j], b);
        const F own = i == j ? F(1) : F(0);
        problem.A[i][j] = select(mu[i] > F(0) && mu[j] > F(0), mu[i] * A[i][j] * mu[j], own);
      }
      problem.b[i] = mu[i] * b;
    }
    const F normal = friction::part(kind.force[c], 0);
    problem.solve(normal);
    const auto acts = goes_on && kind.D[c] > F(0);
    F gain{};
    F change[n];
    for (int i = 0; i < n; ++i) {
      const F after = select(normal > F(1e-15), problem.z[i] * mu[i], F(0));
      change[i] = select(acts, after - before[i], F(0));
    }
    for (int i = 0; i < n; ++i) {
      F curved{};
      for (int j = 0; j < n; ++j) curved = fma(A[i][j], change[j], curved);
      gain -= change[i] * fma(F(0.5), curved, x[i]);
    }
    team.each(1, [&](int) {
      for (int i = 0; i < n; ++i) friction::part(kind.force[c], i + 1) = before[i] + change[i];
    });
    CAROM_ROLL
    for (int i = 0; i < n; ++i) dofs.follow(team, kind, c, i, change[i]);
    return gain;
  }
};

}  // namespace carom::inline CAROM_PRECISION
