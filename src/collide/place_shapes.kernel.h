// Shapes where they stand in the world, and their boxes, grown by thickness and margin: boxes of shapes that are near
// enough for a contact overlap.
#pragma once

#include "carom/array.h"
#include "collide/broad/shape_box.kernel.h"
#include "model/world_vectors.kernel.h"

namespace carom::inline CAROM_PRECISION {

#if !defined(__CUDACC__)
// Shapes side by side.
template <class L>
struct PlacedGroup {
  TransformT<L> X_WS;
  BoxT<L> box;
};
#endif

// The numbers of all shapes, and where poses and boxes go.
struct ShapePlacing {
  Span<const int> shape_body, shape_type;  // body -1: it stands still
  Span<const Transform> shape_transform, body_q;
  Span<const Vec3> shape_scale, aabb_lower, aabb_upper;  // bounds in the shape's frame
  Span<const Real> shape_thickness, shape_contact_margin;
  Transform* X_WS;
  Box* box;

  CAROM_HD void place(int s) const {
    const int body = shape_body[s];
    const Transform X = body < 0 ? shape_transform[s] : body_q[body] * shape_transform[s];
    X_WS[s] = X;
    box[s] = grown(shape_world_box(type_of(s), shape_scale[s], aabb_lower[s], aabb_upper[s], X),
                   shape_thickness[s] + shape_contact_margin[s]);
  }

  CAROM_HD ShapeType type_of(int s) const { return static_cast<ShapeType>(shape_type[s]); }

#if !defined(__CUDACC__)
  using L = Lanes<Real, kTierWidth<Real>>;

  // Shapes of one type that have ends, on bodies first_body[lane] + body; like: a shape with the numbers of all of
  // them, which stays in the cache, or one for each.
  CAROM_HD PlacedGroup<L> place_group(int like, const int* first_body, int body = 0) const {
    return place_lanes(type_of(like), first_body, body,
                       [&](const auto& column) CAROM_HD_LAMBDA { return spread(column[like]); });
  }
  CAROM_HD PlacedGroup<L> place_group(const int* like, const int* first_body, int body = 0) const {
    return place_lanes(type_of(like[0]), first_body, body,
                       [&](const auto& column) CAROM_HD_LAMBDA { return collect(column.data, like); });
  }
  CAROM_HD void store_pose(const int* shape, const L (&pose)[7]) const {
    store_rows<7>(&X_WS[0].p.x, LaneIndex{shape, 7}, pose);
  }
  CAROM_HD void store_box(const int* shape, const BoxT<L>& b) const {
    store_rows<6>(&box[0].lower.x, LaneIndex{shape, 6},
                  {b.lower.x, b.lower.y, b.lower.z, b.upper.x, b.upper.y, b.upper.z});
  }

 private:
  // numbers_of(column): those of the shapes.
  template <class NumbersOf>
  CAROM_HD PlacedGroup<L> place_lanes(ShapeType type, const int* first_body, int body, NumbersOf numbers_of) const {
    const TransformT<L> X = collect(body_q.data + body, first_body) * numbers_of(shape_transform);
    const BoxT<L> bounds =
        bounded_shape_box(type, numbers_of(shape_scale), numbers_of(aabb_lower), numbers_of(aabb_upper), X);
    const L by = numbers_of(shape_thickness) + numbers_of(shape_contact_margin);
    const Vec3T<L> d{by, by, by};
    return {X, {bounds.lower - d, bounds.upper + d}};
  }

  CAROM_HD static L spread(Real x) { return L(x); }
  CAROM_HD static Vec3T<L> spread(Vec3 v) { return broadcast<L>(v); }
  CAROM_HD static TransformT<L> spread(const Transform& X) { return broadcast<L>(X); }

  CAROM_HD static L collect(const Real* column, const int* row) {
    return gather_at<Real, kTierWidth<Real>>(column, LaneIndex{row, 1});
  }
  CAROM_HD static Vec3T<L> collect(const Vec3* column, const int* row) {
    L v[3];
    load_rows(&column->x, LaneIndex{row, 3}, v);
    return {v[0], v[1], v[2]};
  }
  CAROM_HD static TransformT<L> collect(const Transform* column, const int* row) {
    L x[7];
    load_rows(&column->p.x, LaneIndex{row, 7}, x);
    return {{x[0], x[1], x[2]}, {x[3], x[4], x[5], x[6]}};
  }
#endif
};

// Which shapes are placed (see placed_shapes.h).
struct PlacingList {
  const int *shape, *body;
  const int* like;      // a shape with the same numbers: the first of its kind
  const int* type_run;  // number of the run: shapes one after the other of one type, with bodies and ends
};

struct PlaceShapes {
  PlacingList list;
  ShapePlacing shapes;

  CAROM_HD void operator()(int i) const { shapes.place(list.shape[i]); }

#if !defined(__CUDACC__)
  CAROM_HD void range(int begin, int end) const {
    constexpr int W = kTierWidth<Real>;
    for (int i = begin, next = i; i < end; i = next) {
      next = i + W;
      if (next <= end && list.type_run[i] == list.type_run[next - 1]) {
        const auto [X, box] = place_group(i);
        shapes.store_pose(list.shape + i, {X.p.x, X.p.y, X.p.z, X.q.x, X.q.y, X.q.z, X.q.w});
        shapes.store_box(list.shape + i, box);
      } else {
        next = i + 1;
        (*this)(i);
      }
    }
  }

 private:
  CAROM_HD PlacedGroup<ShapePlacing::L> place_group(int i) const {
    const int *const like = list.like + i, *const body = list.body + i;
    bool one = true;
    for (int l = 1; l < kTierWidth<Real>; ++l) one = one && like[l] == like[0];
    return one ? shapes.place_group(like[0], body) : shapes.place_group(like, body);
  }
#endif
};

}  // namespace carom::inline CAROM_PRECISION
