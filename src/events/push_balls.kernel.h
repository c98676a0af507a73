// Contacts of balls with shapes whose nearest point is a closed form, by the elastic law (elastic_law.h): in lanes
// across contacts, of whatever worlds. For the CPU alone.
#pragma once

#include "events/elastic_law.h"
#include "events/struct_rows.h"
#include "geometry/point/nearest.kernel.h"
#include "geometry/shape_view.h"

namespace carom::inline CAROM_PRECISION {

// What a contact is computed from, as rows of numbers. The shape that is no ball is its host.
template <class F>
struct BallContactT {
  Vec3T<F> centre;     // of the ball, in its body
  Vec3T<F> ball_com;   // of its body
  TransformT<F> X_BH;  // of the host in its body; where it has none, in the world
  Vec3T<F> host_com;   // of its body
  Vec3T<F> scale;      // of the host
  F radius;            // of the ball with its thickness [m]
  F thickness;         // of the host [m]
  F ball_moves;        // 1, or 0 where it has no body
  F host_moves;        // likewise
  ElasticContactT<F> law;
};
using BallContact = BallContactT<Real>;

// On each body about its centre of mass, and how far the shapes are apart.
template <class F>
struct BallPushT {
  SpatialVectorT<F> on_ball, on_host;
  F distance;  // [m]
};
using BallPush = BallPushT<Real>;

// Whether a ball against it is computed here.
CAROM_HD bool hosts_balls(ShapeType type) {
  return type == ShapeType::kSphere || type == ShapeType::kCapsule || type == ShapeType::kPlane ||
         type == ShapeType::kBox;
}

template <class F>
CAROM_HD NearestT<F> nearest_of_host(ShapeType type, Vec3T<F> scale, Vec3T<F> p) {
  switch (type) {
    case ShapeType::kSphere: return nearest_of_sphere(scale.x, p);
    case ShapeType::kCapsule: return nearest_of_capsule(scale.x, scale.y, p);
    case ShapeType::kPlane: return nearest_of_plane(scale, p);
    default: return nearest_of_box(scale, p);
  }
}

// A body that a shape is part of, or the world.
template <class F, class Mask>
struct CarrierT {
  TransformT<F> X_WB;
  SpatialVectorT<F> V;  // of its centre of mass
  Vec3T<F> p_WC;        // that
  Mask moves;
  CAROM_HD Vec3T<F> velocity_at(Vec3T<F> p) const {
    const Vec3T<F> zero{F(Real(0)), F(Real(0)), F(Real(0))};
    return select(moves, V.linear + cross(V.angular, p - p_WC), zero);
  }
};

template <class F>
CAROM_HD BallPushT<F> push_ball(ShapeType host_type, const BallContactT<F>& c, const CarrierT<F, MaskOf<F>>& ball,
                                const CarrierT<F, MaskOf<F>>& host, const ElasticSpeeds& speeds) {
  const Vec3T<F> zero{F(Real(0)), F(Real(0)), F(Real(0))};
  const Vec3T<F> centre = select(ball.moves, transform_point(ball.X_WB, c.centre), c.centre);
  const TransformT<F> X_moved = host.X_WB * c.X_BH;
  const TransformT<F> X_WH{select(host.moves, X_moved.p, c.X_BH.p), select(host.moves, X_moved.q, c.X_BH.q)};
  const NearestT<F> at = nearest_of_host(host_type, c.scale, rotate_inverse(X_WH.q, centre - X_WH.p));
  const Vec3T<F> n = rotate(X_WH.q, at.normal);  // from the host to the ball
  const F distance = at.distance - c.thickness - c.radius;
  const Vec3T<F> on_host = transform_point(X_WH, at.point) + n * c.thickness, on_ball = centre - n * c.radius;
  const Vec3T<F> point = (on_host + on_ball) * F(Real(0.5));
  const Vec3T<F> turning = select(ball.moves, ball.V.angular, zero) - select(host.moves, host.V.angular, zero);
  const ContactWrenchT<F> w =
      elastic_wrench(c.law, speeds, -distance, n, ball.velocity_at(point) - host.velocity_at(point), turning);
  return {{w.force, w.torque + cross(point - ball.p_WC, w.force)},
          {-w.force, -(w.torque + cross(point - host.p_WC, w.force))},
          distance};
}

struct PushBalls {
  const BallContact* contact;        // those with one type of host
  const int *ball_body, *host_body;  // where there is none, any body
  ShapeType host;
  ElasticSpeeds speeds;
  const Transform* body_q;
  const SpatialVector* body_qd;
  BallPush* push;

  CAROM_HD void operator()(int i) const { at<Real>(i); }
  CAROM_HD void range(int begin, int end) const {
    each_in_lanes(begin, end, [&](auto kind, int i) CAROM_HD_LAMBDA { at<decltype(kind)>(i); });
  }

 private:
  template <class F>
  CAROM_HD void at(int i) const {
    constexpr int kNumbers = sizeof(BallContact) / sizeof(Real), kPushNumbers = sizeof(BallPush) / sizeof(Real);
    const auto c = load_struct<BallContactT<F>, F>(&contact->centre.x, rows_from<F>(i, kNumbers));
    const auto ball = carrier<F>(ball_body, i, c.ball_moves, c.ball_com);
    const auto host_carrier = carrier<F>(host_body, i, c.host_moves, c.host_com);
    store_struct<F>(&push->on_ball.linear.x, rows_from<F>(i, kPushNumbers),
                    push_ball(host, c, ball, host_carrier, speeds));
  }
  template <class F>
  CAROM_HD CarrierT<F, MaskOf<F>> carrier(const int* body, int i, F moves, Vec3T<F> com) const {
    const auto X_WB = load_struct<TransformT<F>, F>(&body_q->p.x, rows_listed<F>(body, i, 7));
    const auto V = load_struct<SpatialVectorT<F>, F>(&body_qd->linear.x, rows_listed<F>(body, i, 6));
    return {X_WB, V, transform_point(X_WB, com), moves > F(Real(0))};
  }
};

}  // namespace carom::inline CAROM_PRECISION
