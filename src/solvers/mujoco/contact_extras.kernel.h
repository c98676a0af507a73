// What few contacts have beside their material: friction that differs between the tangents or has a damping of its own,
// surfaces that move, adhesion. Models without any of it do not ask.
//
//   v = J v_joints + sigma         sigma: how the second surface moves at the point, against the first
//   adhesion delta: the contact pulls with delta, and its row pushes with delta more
#pragma once

#include "solvers/mujoco/contact_material.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct ExtraNumbers {
  F tangent, roll;       // friction along the second tangent, and of rolling about it, over that of the first
  F damping;             // B of friction over that of the normal
  F adhesion;            // [N]
  Vec3T<F> slide, turn;  // of the surfaces at the point, second against first [m/s], [rad/s]
};
using ContactExtras = ExtraNumbers<Real>;

// Columns of the shapes that they come from.
struct ExtraColumns {
  const int* shape_body;
  const Transform* shape_transform;
  const Real* shape_adhesion;
  const SpatialVector* shape_surface_velocity;
};

struct FindExtras {
  const int* count;  // of the contacts
  const int *shape0, *shape1;
  const Vec3* point;
  const Real* depth;
  const ShapeMaterial* of_shape;
  ExtraColumns columns;
  const Transform* body_q;
  PairTable pairs;
  bool in_cone;
  Real least_time;  // of solref [s]
  ContactMaterial* material;
  ContactExtras* out;

  CAROM_HD void operator()(int c) const {
    if (c >= *count) return;
    const int a = shape0[c], b = shape1[c];
    ContactExtras e{1, 1, 1, 0, {}, {}};
    const PairNumbers* const pair = pairs.find(a, b);
    if (pair) take_pair(*pair, depth[c], material[c], e);
    else e.adhesion = adhesion_of(a, b);
    add_surface(b, point[c], Real(1), e);
    add_surface(a, point[c], Real(-1), e);
    out[c] = e;
    // Where it only pulls there is no friction. The material may be that of the step before.
    const bool only_pulls = e.adhesion != 0 && !(-depth[c] < material[c].active_margin);
    const int condim = pair ? pair->condim : material::condim_of(of_shape[a], of_shape[b]);
    material[c].condim = only_pulls ? 1 : condim;
  }

 private:
  CAROM_HD void take_pair(const PairNumbers& pair, Real deep, const ContactMaterial& m, ContactExtras& e) const {
    const auto share = [](Real second, Real first)
                           CAROM_HD_LAMBDA { return max(second, kLeastFriction) / max(first, kLeastFriction); };
    e.tangent = share(pair.friction[1], pair.friction[0]), e.roll = share(pair.friction[4], pair.friction[3]);
    if (-deep < pair.margin + pair.gap) e.adhesion = pair.adhesion;
    const Real* const ref = pair.solref_friction;
    if (!in_cone || (ref[0] == 0 && ref[1] == 0) || m.damping == 0) return;
    e.damping = reference_numbers(ref[0], ref[1], m.impedance[1], least_time).damping / m.damping;
  }
  CAROM_HD Real adhesion_of(int a, int b) const {
    const int prior = of_shape[a].priority - of_shape[b].priority;
    return (prior < 0 ? Real(0) : columns.shape_adhesion[a]) + (prior > 0 ? Real(0) : columns.shape_adhesion[b]);
  }
  CAROM_HD void add_surface(int shape, Vec3 p, Real sign, ContactExtras& e) const {
    const SpatialVector& v = columns.shape_surface_velocity[shape];
    const int body = columns.shape_body[shape];
    const Transform X_BS = columns.shape_transform[shape], X_WS = body < 0 ? X_BS : body_q[body] * X_BS;
    const Vec3 turn = rotate(X_WS.q, v.angular), slide = rotate(X_WS.q, v.linear) + cross(turn, p - X_WS.p);
    e.slide = e.slide + slide * sign, e.turn = e.turn + turn * sign;
  }
};

}  // namespace carom::inline CAROM_PRECISION
