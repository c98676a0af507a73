// The first shape that each ray meets. A shape is looked at where the ray enters its box before its nearest hit so far.
//
// Rays of a world are independent: a thread a ray on CUDA, W of them side by side on the CPU, where a shape's numbers
// are the same for all lanes. Shapes that are searched (meshes, heightfields, distance fields) are searched ray by ray.
#pragma once

#include "collide/narrow_phase.kernel.h"
#include "collide/ray/ray_cone.kernel.h"
#include "collide/ray/ray_rows.h"
#include "geometry/ray/normal.kernel.h"
#include "geometry/ray/shape.kernel.h"
#include "math/bits.h"
#include "model/world_vectors.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Shapes that rays can meet, in the order of the model: globals, those of each world, globals.
struct RayTargets {
  const int* shape;
  const int* start;  // of each world, then of the globals behind them, then the end
  int world_count;

  // visit(begin, end) for the parts of the list that rays of a world can meet.
  template <class Visit>
  CAROM_HD void each_part(int world, Visit visit) const {
    visit(0, start[0]);
    if (world < world_count) visit(start[world], start[world + 1]);
    visit(start[world_count], start[world_count + 1]);
  }
};

// A ball around each target, for rays that are side by side.
struct BallsOfTargets {
  const int* target;
  const Transform* X_WS;
  Span<const Real> radius;
  RayBalls balls;

  CAROM_HD void operator()(int k) const { balls.set(k, X_WS[target[k]].p, radius[target[k]]); }
};

// What a kernel does with lanes and with a plain number alike.
namespace ray_lanes {

template <class F>
CAROM_HD F load(const Real* numbers) {
  if constexpr (PlainNumber<F>) return *numbers;
  else return F::load(numbers);
}
template <class F>
CAROM_HD Vec3T<F> load(const Real (&rows)[3][ScalarTraits<F>::kWidth]) {
  return {load<F>(rows[0]), load<F>(rows[1]), load<F>(rows[2])};
}
template <class F>
CAROM_HD Real at(const F& x, int lane) {
  if constexpr (PlainNumber<F>) return x;
  else return x[lane];
}
template <class F>
CAROM_HD Vec3 at(const Vec3T<F>& v, int lane) {
  return {at(v.x, lane), at(v.y, lane), at(v.z, lane)};
}
template <class F>
CAROM_HD void put(F& x, int lane, Real value) {
  if constexpr (PlainNumber<F>) x = value;
  else x.set(lane, value);
}
CAROM_HD void clear(bool& mask, int) { mask = false; }
template <class M>
CAROM_HD void clear(M& mask, int lane) {
  mask.set(lane, false);
}
CAROM_HD std::uint64_t bits(bool mask) { return mask; }
template <class M>
CAROM_HD std::uint64_t bits(const M& mask) {
  return mask.bits();
}

}  // namespace ray_lanes

// Rays side by side, and what they have met so far.
template <class F>
struct RayGroup {
  static constexpr int kWidth = ScalarTraits<F>::kWidth;

  RayT<F> ray;  // world frame; max_t: the nearest hit so far, or how far it goes
  Vec3T<F> inverse_d;
  int excluded[kWidth];                 // body
  int shape[kWidth], triangle[kWidth];  // -1 = none

  CAROM_HD void take(int lane, int of_shape, int of_triangle) {
    shape[lane] = of_shape;
    triangle[lane] = of_triangle;
  }
};

struct CastRays {
  RayRows rays;
  RayTargets targets;
  PosedShapes shapes;
  Span<const int> shape_body;
  const Box* box;  // in the world
  RayBalls balls;  // around the targets
  Span<const Transform> body_q;
  Real max_distance;
  Real* distance;
  int* shape;
  Vec3* normal;  // nullptr: not asked for

  CAROM_HD void operator()(int i) const { cast<Real>(i, i); }

#if !defined(__CUDACC__)
  CAROM_HD void range(int begin, int end) const {
    constexpr int W = kTierWidth<Real>;
    for (int i = begin; i < end;) {
      const int world_end = (rays.world_of(i) + 1) * rays.per_world, stop = world_end < end ? world_end : end;
      for (; i < stop; i += W) cast<Lanes<Real, W>>(i, stop - 1);
      i = stop;
    }
  }
#endif

 private:
  // Rays from `first` on, none behind `last`, which stands in the lanes that are left over.
  template <class F>
  CAROM_HD void cast(int first, int last) const {
    RayGroup<F> group = begin<F>(first, last);
    const auto cone = cone_of(group.ray);
    targets.each_part(rays.world_of(first),
                      [&](int begin, int end) CAROM_HD_LAMBDA { meet_part(begin, end, cone, group); });
    for (int l = 0; l < RayGroup<F>::kWidth && first + l <= last; ++l) write(first + l, l, group);
  }

  template <class F>
  CAROM_HD RayGroup<F> begin(int first, int last) const {
    constexpr int W = RayGroup<F>::kWidth;
    RayGroup<F> group;
    Real p[3][W], d[3][W];
    for (int l = 0; l < W; ++l) {
      const int ray = first + l < last ? first + l : last, body = rays.body_of(ray);
      Vec3 origin = rays.origin[ray], direction = rays.direction[ray];
      if (body >= 0 && body < body_q.size) {
        origin = transform_point(body_q[body], origin);
        direction = rotate(body_q[body].q, direction);
      } else if (body != -1) {
        direction = {};  // nothing carries it, and it meets nothing
      }
      for (int k = 0; k < 3; ++k) p[k][l] = origin[k], d[k][l] = direction[k];
      group.excluded[l] = rays.excluded_body_of(ray);
      group.take(l, -1, -1);
    }
    const Vec3T<F> along = ray_lanes::load<F>(d), origin = ray_lanes::load<F>(p);
    const F squared = length_squared(along);
    const auto usable = has_direction(squared) && is_finite(origin);
    group.ray = {origin, along * (F(1) / sqrt(squared)), select(usable, F(max_distance), F(-1))};
    group.inverse_d = {inverse_of(group.ray.d.x), inverse_of(group.ray.d.y), inverse_of(group.ray.d.z)};
    return group;
  }

  // One ray looks at every shape.
  struct NoCone {};
  CAROM_HD static NoCone cone_of(const Ray&) { return {}; }
  CAROM_HD void meet_part(int begin, int end, NoCone, RayGroup<Real>& group) const {
    for (int k = begin; k < end; ++k) meet(targets.shape[k], group);
  }
#if !defined(__CUDACC__)
  template <class T, int W>
  CAROM_HD static RayCone<T, W> cone_of(const RayT<Lanes<T, W>>& ray) {
    return RayCone<T, W>(ray);
  }
  template <class T, int W>
  CAROM_HD void meet_part(int begin, int end, const RayCone<T, W>& cone, RayGroup<Lanes<T, W>>& group) const {
    for (int next; begin < end; begin = next) {
      next = end - begin > RayBalls::kMost ? begin + RayBalls::kMost : end;
      each_bit(cone.meets(balls, begin, next), [&](int k) CAROM_HD_LAMBDA { meet(targets.shape[begin + k], group); });
    }
  }
#endif

  template <class F>
  CAROM_HD void meet(int s, RayGroup<F>& group) const {
    const RaySpanT<F> in_box =
        span_of_box(group.ray, group.inverse_d, broadcast<F>(box[s].lower), broadcast<F>(box[s].upper));
    auto near = max(in_box.enter, F(0)) <= min(in_box.leave, group.ray.max_t) * F(kRayRounding);
    if (!any(near)) return;
    for (int l = 0; l < RayGroup<F>::kWidth; ++l)
      if (rays.passes(group.excluded[l], shape_body[s])) ray_lanes::clear(near, l);
    if (!any(near)) return;
    const TransformT<F> X_WS = broadcast<F>(shapes.X_WS[s]);
    const RayT<F> ray{rotate_inverse(X_WS.q, group.ray.p - X_WS.p), rotate_inverse(X_WS.q, group.ray.d),
                      group.ray.max_t};
    if (is_searched(static_cast<ShapeType>(shapes.type[s]))) search(s, ray, near, group);
    else by_formula(s, ray, near, group);
  }

  template <class F, class M>
  CAROM_HD void by_formula(int s, const RayT<F>& ray, const M& near, RayGroup<F>& group) const {
    const F t = ray_by_formula(shapes[s], ray);
    const auto first = near && t >= F(0);
    const auto nearer = first && t < group.ray.max_t;
    group.ray.max_t = select(nearer, t, group.ray.max_t);
    each_bit(ray_lanes::bits(first), [&](int l) CAROM_HD_LAMBDA {
      if (group.shape[l] < 0 || (ray_lanes::bits(nearer) >> l & 1)) group.take(l, s, -1);
    });
  }

  template <class F, class M>
  CAROM_HD void search(int s, const RayT<F>& ray, const M& near, RayGroup<F>& group) const {
    each_bit(ray_lanes::bits(near), [&](int l) CAROM_HD_LAMBDA {
      const Ray one{ray_lanes::at(ray.p, l), ray_lanes::at(ray.d, l), ray_lanes::at(ray.max_t, l)};
      const RayHit hit = hit_of_unit_ray(shapes[s], one);
      if (!is_hit(hit) || (group.shape[l] >= 0 && !(hit.t < one.max_t))) return;
      ray_lanes::put(group.ray.max_t, l, hit.t);
      group.take(l, s, hit.triangle);
    });
  }

  template <class F>
  CAROM_HD void write(int ray, int lane, const RayGroup<F>& group) const {
    const int s = group.shape[lane];
    const Real t = ray_lanes::at(group.ray.max_t, lane);
    distance[ray] = s < 0 ? Real(-1) : t;
    shape[ray] = s;
    if (!normal) return;
    normal[ray] = {};
    if (s < 0) return;
    const Transform X_WS = shapes.X_WS[s];
    const Vec3 x = fma(ray_lanes::at(group.ray.d, lane), t, ray_lanes::at(group.ray.p, lane));
    const Vec3 in_shape = rotate_inverse(X_WS.q, x - X_WS.p);
    normal[ray] = rotate(X_WS.q, surface_normal(shapes[s], in_shape, group.triangle[lane]));
  }
};

}  // namespace carom::inline CAROM_PRECISION
