// Every shape where it stands in the world, and its box, grown by the shape's thickness and margin: boxes of shapes
// that are near enough for a contact overlap.
#pragma once

#include "backend/world_lanes.h"
#include "carom/array.h"
#include "collide/broad/shape_box.kernel.h"
#include "math/bits.h"

namespace carom::inline CAROM_PRECISION {

struct PlaceShapes {
  Span<const int> shape_body, shape_type;
  Span<const Transform> shape_transform, body_q;
  Span<const Vec3> shape_scale, aabb_lower, aabb_upper;  // bounds in the shape's frame
  Span<const Real> shape_thickness, shape_contact_margin;
  Transform* X_WS;
  Box* box;

  CAROM_HD void operator()(int s) const {
    const int body = shape_body[s];
    const Transform X = body < 0 ? shape_transform[s] : body_q[body] * shape_transform[s];
    X_WS[s] = X;
    box[s] = grown_box(s, X);
  }
  CAROM_HD Box grown_box(int s, const Transform& X) const {
    const ShapeType type = static_cast<ShapeType>(shape_type[s]);
    return grown(shape_world_box(type, shape_scale[s], aabb_lower[s], aabb_upper[s], X),
                 shape_thickness[s] + shape_contact_margin[s]);
  }

#if !defined(__CUDACC__)
  CAROM_HD void range(int begin, int end) const {
    using L = Lanes<Real, kTierWidth<Real>>;
    int s = begin;
    for (; s + kTierWidth<Real> <= end; s += kTierWidth<Real>) place_group<L>(s);
    for (; s < end; ++s) (*this)(s);
  }

  // Shapes side by side; the boxes of those that are not round follow one by one.
  template <class L>
  CAROM_HD void place_group(int first) const {
    const TransformT<L> X = poses<L>(first);
    store_rows<7>(&X_WS[first].p.x, LaneStride{7}, {X.p.x, X.p.y, X.p.z, X.q.x, X.q.y, X.q.z, X.q.w});
    constexpr int W = ScalarTraits<L>::kWidth;
    const L type = numbers<L>(&shape_type[first]);
    const auto is = [&](ShapeType t) CAROM_HD_LAMBDA { return type == L(Real(static_cast<int>(t))); };
    const auto sphere = is(ShapeType::kSphere);
    const L radius = gather_at<Real, W>(&shape_scale[first].x, LaneStride{3});
    const L half_height = gather_at<Real, W>(&shape_scale[first].y, LaneStride{3});
    const Vec3T<L> axis = rotate(X.q, Vec3T<L>{L(0), L(0), L(1)}), ball{radius, radius, radius};
    const Vec3T<L> half = select(sphere, ball, abs(axis) * half_height + ball);
    const L by = L::load(&shape_thickness[first]) + L::load(&shape_contact_margin[first]);
    const Vec3T<L> d{by, by, by}, lower = X.p - half - d, upper = X.p + half + d;
    store_rows<6>(&box[first].lower.x, LaneStride{6}, {lower.x, lower.y, lower.z, upper.x, upper.y, upper.z});
    each_bit((!(sphere || is(ShapeType::kCapsule))).bits(),
             [&](int l) CAROM_HD_LAMBDA { box[first + l] = grown_box(first + l, X_WS[first + l]); });
  }

  // Rounded beyond 2^24 where numbers are single.
  template <class L>
  CAROM_HD static L numbers(const int* from) {
    Real number[ScalarTraits<L>::kWidth];
    for (int l = 0; l < ScalarTraits<L>::kWidth; ++l) number[l] = Real(from[l]);
    return L::load(number);
  }

  template <class L>
  CAROM_HD TransformT<L> poses(int first) const {
    constexpr int W = ScalarTraits<L>::kWidth;
    L x[7];
    load_rows(&shape_transform[first].p.x, LaneStride{7}, x);
    const TransformT<L> X_BS{{x[0], x[1], x[2]}, {x[3], x[4], x[5], x[6]}};
    const auto stays = numbers<L>(&shape_body[first]) < L(0);
    if (all(stays)) return X_BS;
    std::int64_t row[W];  // of some body where there is none
    for (int l = 0; l < W; ++l) row[l] = 7 * std::int64_t{shape_body[first + l] < 0 ? 0 : shape_body[first + l]};
    load_rows(&body_q[0].p.x, row, x);
    const TransformT<L> X_WS = TransformT<L>{{x[0], x[1], x[2]}, {x[3], x[4], x[5], x[6]}} * X_BS;
    return {select(stays, X_BS.p, X_WS.p), select(stays, X_BS.q, X_WS.q)};
  }
#endif
};

}  // namespace carom::inline CAROM_PRECISION
