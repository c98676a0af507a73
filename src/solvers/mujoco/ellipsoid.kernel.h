// Forces of a fluid on shapes that count as ellipsoids (MuJoCo's ellipsoid model). With the velocity v of its centre
// and its rate w against the fluid, both in its axes, and what moves along with it, p = m_a v and l = i_a w,
//
//   f = p x w + magnus w x v + lift |v|^2 / g  t - (viscous + |v| (d + d' g)) v
//   m = p x v + l x w - (viscous' + |r w|) w
//
// where u = v / |v|, k_i = (s_j s_k)^2 over the largest of these for semiaxes s, n = u . k u, g^2 = |k u|^2 / n, so
// that g is the area of the shadow along v over the largest one, and t = n u - k u, which is where Kutta's lift points
// to.
#pragma once

#include "dynamics/tree.h"
#include "solvers/mujoco/rows/row_view.h"

namespace carom::inline CAROM_PRECISION {

// Density and viscosity are in all of these.
template <class F>
struct EllipsoidParams {
  TransformT<F> X_LE;                        // in the link
  Vec3T<F> bluntness;                        // k
  Vec3T<F> added_mass, added_inertia;        // m_a, i_a
  Vec3T<F> turning_drag;                     // r
  F slide_viscous, turn_viscous;             // force per speed, moment per rate
  F slender_drag, blunt_drag, lift, magnus;  // d, d', lift, magnus
};

// How the forces change with velocity, times -1; about the centre, world axes. It is not symmetric.
template <class F>
struct EllipsoidDamping {
  Mat33T<F> slide, slide_by_turn, turn_by_slide, turn;
  Vec3T<F> arm;  // from the tree's centre of mass [m]
};

namespace fluid {

template <class F>
CAROM_HD Vec3T<F> scaled(Vec3T<F> a, Vec3T<F> b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}

template <class F>
struct EllipsoidFlow {
  const EllipsoidParams<F>& p;
  Vec3T<F> v, omega;
  F speed, n, g, turning;  // turning: |r w|
  Vec3T<F> u, ku;

  CAROM_HD EllipsoidFlow(const EllipsoidParams<F>& params, Vec3T<F> velocity, Vec3T<F> rate)
      : p(params), v(velocity), omega(rate), speed(sqrt(length_squared(velocity))) {
    const auto moves = speed > F(0);
    u = v / select(moves, speed, F(1));
    ku = scaled(p.bluntness, u);
    n = select(moves, dot(ku, u), F(1));
    g = select(moves, sqrt(length_squared(ku) / n), F(1));
    turning = sqrt(length_squared(scaled(p.turning_drag, omega)));
  }

  CAROM_HD F slide_drag() const { return fma(speed, fma(p.blunt_drag, g, p.slender_drag), p.slide_viscous); }
  CAROM_HD Vec3T<F> lift_direction() const { return u * n - ku; }
  CAROM_HD Vec3T<F> force() const {
    return cross(scaled(p.added_mass, v), omega) + cross(omega, v) * p.magnus +
           lift_direction() * (p.lift * speed * speed / g) - v * slide_drag();
  }
  CAROM_HD Vec3T<F> moment() const {
    return cross(scaled(p.added_mass, v), v) + cross(scaled(p.added_inertia, omega), omega) -
           omega * (p.turn_viscous + turning);
  }

  // Minus the derivatives. e = |v| dg/dv.
  CAROM_HD Mat33T<F> slide_damping() const {
    Vec3T<F> e;
    for (int i = 0; i < 3; ++i) e[i] = ku[i] * (p.bluntness[i] - g * g) / (g * n);
    const Vec3T<F> t = lift_direction(), drag = (u * fma(p.blunt_drag, g, p.slender_drag) + e * p.blunt_drag) * speed;
    const Vec3T<F> fall = e / g + u;  // of lift over its length
    const F lift = p.lift * speed / g, constant = slide_drag();
    Mat33T<F> D = outer(u, drag) + skew(omega) * (mat33_diagonal(p.added_mass)) - skew(omega) * p.magnus;
    for (int i = 0; i < 3; ++i) {
      D[i][i] += constant - lift * (n - p.bluntness[i]);
      for (int j = 0; j < 3; ++j)
        D[i][j] -= lift * (F(2) * u[i] * u[j] * (p.bluntness[j] - p.bluntness[i]) - t[i] * fall[j]);
    }
    return D;
  }
  // The same of drag alone.
  CAROM_HD Mat33T<F> slide_drag_damping() const {
    Vec3T<F> e;
    for (int i = 0; i < 3; ++i) e[i] = ku[i] * (p.bluntness[i] - g * g) / (g * n);
    const F constant = slide_drag();
    return outer(u, (u * fma(p.blunt_drag, g, p.slender_drag) + e * p.blunt_drag) * speed) +
           mat33_diagonal(Vec3T<F>{constant, constant, constant});
  }
  CAROM_HD Mat33T<F> turn_drag_damping() const {
    const F constant = p.turn_viscous + turning;
    const Vec3T<F> r = p.turning_drag;
    const Vec3T<F> rise = scaled(r, scaled(r, omega)) / select(turning > F(0), turning, F(1));
    return mat33_diagonal(Vec3T<F>{constant, constant, constant}) + outer(omega, rise);
  }
  CAROM_HD Mat33T<F> slide_by_turn_damping() const { return skew(v * p.magnus - scaled(p.added_mass, v)); }
  CAROM_HD Mat33T<F> turn_by_slide_damping() const {
    return skew(v) * mat33_diagonal(p.added_mass) - skew(scaled(p.added_mass, v));
  }
  CAROM_HD Mat33T<F> turn_damping() const {
    const F constant = p.turn_viscous + turning;
    const Vec3T<F> r = p.turning_drag;
    const Vec3T<F> rise = scaled(r, scaled(r, omega)) / select(turning > F(0), turning, F(1));
    return mat33_diagonal(Vec3T<F>{constant, constant, constant}) + outer(omega, rise) +
           skew(omega) * mat33_diagonal(p.added_inertia) - skew(scaled(p.added_inertia, omega));
  }
};

}  // namespace fluid

template <class F>
struct Ellipsoids {
  const EllipsoidParams<F>* params;
  Span<const int> link;          // that carries each
  EllipsoidDamping<F>* damping;  // nullptr: nobody asks
  bool damps_by_drag;            // and nothing else, as Discrete asks

  // On the links, as wrenches about the centres of mass of their trees; one after the other, since several may be of
  // one link.
  template <class Team>
  CAROM_HD_FREE void push(Team team, const TreeView& tree, const TreeWork<F>& t, Vec3 given_wind) const {
    const Vec3T<F> wind{F(given_wind.x), F(given_wind.y), F(given_wind.z)};
    team.each(1, [&](int) {
      CAROM_ROLL
      for (int e = 0; e < static_cast<int>(link.size); ++e) {
        SpatialVectorT<F>& wrench = t.wrench[link[e]];
        wrench = wrench - wrench_of(e, tree, t, wind);
      }
    });
  }

 private:
  CAROM_HD SpatialVectorT<F> wrench_of(int e, const TreeView& tree, const TreeWork<F>& t, Vec3T<F> wind) const {
    const TransformT<F> X_WE = t.X_WL[link[e]] * params[e].X_LE;
    const Vec3T<F> arm = X_WE.p - t.tree_com[tree.link[link[e]].tree];
    const SpatialVectorT<F>& V = t.velocity[link[e]];
    const QuatT<F> back = conjugate(X_WE.q);
    const fluid::EllipsoidFlow<F> flow(params[e], rotate(back, V.linear + cross(V.angular, arm) - wind),
                                       rotate(back, V.angular));
    if (damping && damps_by_drag) {
      const Mat33T<F> R = mat33_from_quat(X_WE.q), back_again = transpose(R);
      damping[e] = {R * flow.slide_drag_damping() * back_again, {}, {}, R * flow.turn_drag_damping() * back_again, arm};
    } else if (damping) {
      const Mat33T<F> R = mat33_from_quat(X_WE.q), back_again = transpose(R);
      damping[e] = {R * flow.slide_damping() * back_again, R * flow.slide_by_turn_damping() * back_again,
                    R * flow.turn_by_slide_damping() * back_again, R * flow.turn_damping() * back_again, arm};
    }
    const Vec3T<F> force = rotate(X_WE.q, flow.force());
    return {force, rotate(X_WE.q, flow.moment()) + cross(arm, force)};
  }
};

// D_ij of an ellipsoid and two degrees of freedom that move it.
template <class F>
CAROM_HD F damping_between(const EllipsoidDamping<F>& d, const SpatialVectorT<F>& a, const SpatialVectorT<F>& b) {
  const Vec3T<F> slide_a = a.linear + cross(a.angular, d.arm), slide_b = b.linear + cross(b.angular, d.arm);
  return dot(slide_a, d.slide * slide_b + d.slide_by_turn * b.angular) +
         dot(a.angular, d.turn_by_slide * slide_b + d.turn * b.angular);
}
// Its symmetric part, and what is left.
template <class F>
CAROM_HD F even_damping_between(const EllipsoidDamping<F>& d, const SpatialVectorT<F>& a, const SpatialVectorT<F>& b) {
  return (damping_between(d, a, b) + damping_between(d, b, a)) * F(0.5);
}
template <class F>
CAROM_HD F odd_damping_between(const EllipsoidDamping<F>& d, const SpatialVectorT<F>& a, const SpatialVectorT<F>& b) {
  return (damping_between(d, a, b) - damping_between(d, b, a)) * F(0.5);
}

}  // namespace carom::inline CAROM_PRECISION
