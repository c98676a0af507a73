// Forces of a fluid on bodies, each taken as the box with its mass and inertia (MuJoCo's inertia model). With the sides
// b, the velocity v and the rate w of the body against the fluid in the axes of the box, and d the mean of the sides,
//
//   f_i = -(3 pi d viscosity + density b_j b_k |v_i| / 2) v_i
//   m_i = -(pi d^3 viscosity + density b_i (b_j^4 + b_k^4) |w_i| / 64) w_i
#pragma once

#include "solvers/mujoco/ellipsoid.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct FluidParams {
  QuatT<F> axes;   // of the box, in the link
  Vec3T<F> sides;  // [m]
};

// How a body's forces change with its velocity, times -1; about its centre of mass, world axes.
template <class F>
struct FluidDamping {
  Sym33T<F> slide, turn;
  Vec3T<F> arm;  // from the tree's centre of mass [m]
};

template <class F>
struct FluidView {
  const FluidDamping<F>* damping;  // per body; nullptr: nobody asks
  Span<const int> body_link;
  const LinkDofs& link_dofs;
  const EllipsoidDamping<F>* ellipsoid_damping;
  Span<const int> ellipsoid_link;
};

namespace fluid {

inline constexpr Real kPi = Real(3.14159265358979323846);

// Force per speed, of each axis: constant part, and part per |speed|.
template <class F>
struct Drag {
  F slide, turn;
  Vec3T<F> slide_square, turn_square;
};
template <class F>
CAROM_HD Drag<F> drag_of(Vec3T<F> b, Real density, Real viscosity) {
  const F d = (b.x + b.y + b.z) * F(Real(1) / 3), rho = F(density);
  Drag<F> drag{F(3 * kPi * viscosity) * d, F(kPi * viscosity) * d * d * d, {}, {}};
  const auto fourth = [](F x) CAROM_HD_LAMBDA { return x * x * x * x; };
  for (int i = 0; i < 3; ++i) {
    const F j = b[(i + 1) % 3], k = b[(i + 2) % 3];
    drag.slide_square[i] = F(0.5) * rho * j * k;
    drag.turn_square[i] = F(Real(1) / 64) * rho * b[i] * (fourth(j) + fourth(k));
  }
  return drag;
}

}  // namespace fluid

// Of one body: on its link, as a wrench about the tree's centre of mass. damping: nullptr where nobody asks.
template <class F>
CAROM_HD SpatialVectorT<F> wrench_of_fluid(const TreeView& tree, const TreeWork<F>& t, int link, Vec3T<F> com,
                                           const FluidParams<F>& p, const ModelOptions& options,
                                           FluidDamping<F>* damping) {
  const TransformT<F>& X_WL = t.X_WL[link];
  const Vec3T<F> arm = transform_point(X_WL, com) - t.tree_com[tree.link[link].tree];
  const QuatT<F> axes = X_WL.q * p.axes;
  const SpatialVectorT<F>& V = t.velocity[link];
  const Vec3T<F> wind{F(options.wind.x), F(options.wind.y), F(options.wind.z)};
  const Vec3T<F> v = rotate(conjugate(axes), V.linear + cross(V.angular, arm) - wind);
  const Vec3T<F> omega = rotate(conjugate(axes), V.angular);
  const fluid::Drag<F> drag = fluid::drag_of(p.sides, options.density, options.viscosity);
  Vec3T<F> force, moment;
  for (int i = 0; i < 3; ++i) {
    force[i] = -(fma(drag.slide_square[i], abs(v[i]), drag.slide) * v[i]);
    moment[i] = -(fma(drag.turn_square[i], abs(omega[i]), drag.turn) * omega[i]);
  }
  if (damping) {
    Sym33T<F> slide{}, turn{};
    F* const slides[3] = {&slide.xx, &slide.yy, &slide.zz};
    F* const turns[3] = {&turn.xx, &turn.yy, &turn.zz};
    for (int i = 0; i < 3; ++i) {
      *slides[i] = fma(F(2) * drag.slide_square[i], abs(v[i]), drag.slide);
      *turns[i] = fma(F(2) * drag.turn_square[i], abs(omega[i]), drag.turn);
    }
    const Mat33T<F> R = mat33_from_quat(axes);
    *damping = {rotate(R, slide), rotate(R, turn), arm};
  }
  force = rotate(axes, force), moment = rotate(axes, moment);
  return {force, moment + cross(arm, force)};
}

// D_ij of a body and two degrees of freedom that move it.
template <class F>
CAROM_HD F damping_between(const FluidDamping<F>& d, const SpatialVectorT<F>& a, const SpatialVectorT<F>& b) {
  const auto slide = [&](const SpatialVectorT<F>& S) CAROM_HD_LAMBDA { return S.linear + cross(S.angular, d.arm); };
  return dot(slide(a), d.slide * slide(b)) + dot(a.angular, d.turn * b.angular);
}

}  // namespace carom::inline CAROM_PRECISION
