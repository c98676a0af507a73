// Bodies that move freely in the world, each on its own (Newton and Euler), in lanes across bodies of whatever worlds:
//
//   v' = g + f / m,   I w' = tau - w x I w,   with the velocity v of the centre of mass and I about it
//   p' = v - w x c,   q' = (w, 0) q / 2,      with the arm c from the origin of the body to there
//
// The same as SmoothMotion has for trees of joints. For the CPU alone.
#pragma once

#include "backend/world_lanes.h"
#include "carom/math/spatial.h"
#include "events/struct_rows.h"
#include "model/joints/ball_joint.kernel.h"

namespace carom::inline CAROM_PRECISION {

// The numbers of a body, in its own frame but for gravity, as a row.
template <class F>
struct FreeBodyT {
  F inverse_mass;
  Vec3T<F> com;                        // [m]
  Mat33T<F> inertia, inverse_inertia;  // about the centre of mass
  Vec3T<F> gravity;                    // world frame [m/s^2]
};
using FreeBody = FreeBodyT<Real>;

// Where the numbers of bodies begin in the columns of a state.
struct FreeBodyRows {
  const int *coord, *dof, *body;
};

template <class F>
struct FreeCoordsT {
  Vec3T<F> p;
  QuatT<F> q;  // its length may have drifted from 1
};

struct PlaceFreeBodies {
  FreeBodyRows rows;
  const Real *joint_q, *joint_qd;
  Transform* body_q;
  SpatialVector* body_qd;

  CAROM_HD void operator()(int i) const { at<Real>(i); }
  CAROM_HD void range(int begin, int end) const {
    each_in_lanes(begin, end, [&](auto kind, int i) CAROM_HD_LAMBDA { at<decltype(kind)>(i); });
  }

 private:
  template <class F>
  CAROM_HD void at(int i) const {
    const auto X = load_struct<FreeCoordsT<F>, F>(joint_q, rows_listed<F>(rows.coord, i, 1));
    const auto V = load_struct<SpatialVectorT<F>, F>(joint_qd, rows_listed<F>(rows.dof, i, 1));
    store_struct<F>(&body_q->p.x, rows_listed<F>(rows.body, i, 7), TransformT<F>{X.p, BallJoint::turn(&X.q.x)});
    store_struct<F>(&body_qd->linear.x, rows_listed<F>(rows.body, i, 6), V);
  }
};

struct MoveFreeBodies {
  FreeBodyRows rows;
  const FreeBody* body;
  const Real *joint_q, *joint_qd, *joint_f;
  const SpatialVector* body_f;
  Real *joint_q_rate, *joint_qdd;

  CAROM_HD void operator()(int i) const { at<Real>(i); }
  CAROM_HD void range(int begin, int end) const {
    each_in_lanes(begin, end, [&](auto kind, int i) CAROM_HD_LAMBDA { at<decltype(kind)>(i); });
  }

 private:
  template <class F>
  CAROM_HD void at(int i) const {
    const auto b = load_struct<FreeBodyT<F>, F>(&body->inverse_mass, rows_from<F>(i, sizeof(FreeBody) / sizeof(Real)));
    const auto coords = load_struct<FreeCoordsT<F>, F>(joint_q, rows_listed<F>(rows.coord, i, 1));
    const auto V = load_struct<SpatialVectorT<F>, F>(joint_qd, rows_listed<F>(rows.dof, i, 1));
    const auto f = load_struct<SpatialVectorT<F>, F>(&body_f->linear.x, rows_listed<F>(rows.body, i, 6)) +
                   load_struct<SpatialVectorT<F>, F>(joint_f, rows_listed<F>(rows.dof, i, 1));
    const QuatT<F> R = BallJoint::turn(&coords.q.x);
    const Vec3T<F> w = rotate_inverse(R, V.angular), torque = rotate_inverse(R, f.angular);
    const Vec3T<F> turning = b.inverse_inertia * (torque - cross(w, b.inertia * w));
    store_struct<F>(joint_qdd, rows_listed<F>(rows.dof, i, 1),
                    SpatialVectorT<F>{b.gravity + f.linear * b.inverse_mass, rotate(R, turning)});
    const Vec3T<F> half = V.angular * F(Real(0.5));
    store_struct<F>(joint_q_rate, rows_listed<F>(rows.coord, i, 1),
                    FreeCoordsT<F>{V.linear - cross(V.angular, rotate(R, b.com)),
                                   QuatT<F>{half.x, half.y, half.z, F(Real(0))} * coords.q});
  }
};

}  // namespace carom::inline CAROM_PRECISION
