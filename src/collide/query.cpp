#include "carom/query.h"

#include <mutex>

#include "base/fail.h"
#include "collide/narrow/shape_distance.kernel.h"
#include "collide/posed_distance.h"
#include "geometry/ray/normal.kernel.h"
#include "geometry/ray/shape.kernel.h"
#include "model/kinematics.h"
#include "model/owner.h"

namespace carom::inline CAROM_PRECISION {

ShapeDistance posed_distance(const ShapeView& a, const Transform& X_WA, Real thickness_a, const ShapeView& b,
                             const Transform& X_WB, Real thickness_b) {
  const ConvexDistance found = shape_distance(a, X_WA, thickness_a, b, X_WB, thickness_b);
  return {found.distance, found.point_a, found.point_b, found.normal};
}

int posed_contacts(const ShapeView& a, const Transform& X_WA, Real thickness_a, const ShapeView& b,
                   const Transform& X_WB, Real thickness_b, ContactPoint (&points)[kMaxPoints]) {
  const Real reach = thickness_a + thickness_b, middle = Real(0.5) * (thickness_a - thickness_b);
  const int n = collide_shapes(a, X_WA, b, X_WB, reach, kMaxPoints, points);
  for (int i = 0; i < n; ++i) {
    points[i].distance -= reach;
    points[i].point = fma(points[i].normal, middle, points[i].point);
  }
  return n;
}

struct ShapeQuery::Data {
  Model model;

  explicit Data(const Model& m) : model(m), geometry_(make_geometry()) {}

  // That of the model as it is now: made again after an edit. Queries may run side by side.
  std::shared_ptr<const GeometryTable> geometry() const {
    const std::lock_guard lock(mutex_);
    if (generation_ != model.generation()) geometry_ = make_geometry();
    return geometry_;
  }

  // Of what was asked about, the shapes are there, and their worlds are in line.
  void check(const char* who, const State& state, std::initializer_list<int> shapes) const {
    check_state(who, "state", state, model);
    for (const int shape : shapes) {
      if (shape < 0 || shape >= model.shape_count)
        fail(who, ": shape ", shape, " does not exist: there are ", model.shape_count);
      align_world(model, state, model.shape_world[shape]);
    }
  }
  Transform pose(const State& state, int s) const { return shape_pose(model, state, s); }

 private:
  std::shared_ptr<const GeometryTable> make_geometry() const {
    generation_ = model.generation();
    return std::make_shared<const GeometryTable>(model, true);
  }

  mutable std::mutex mutex_;
  mutable std::int64_t generation_ = 0;
  mutable std::shared_ptr<const GeometryTable> geometry_;
};

ShapeQuery::ShapeQuery(const Model& model) {
  if (!model.device.is_cpu())
    fail("ShapeQuery: the model is on ", model.device.name(), "; queries of single shapes run on the CPU");
  data_ = std::make_shared<Data>(model);
}

ShapeDistance ShapeQuery::distance(const State& state, int shape_a, int shape_b) const {
  const Data& d = *data_;
  d.check("distance", state, {shape_a, shape_b});
  const auto type = [&](int s) { return static_cast<ShapeType>(d.model.shape_type[s]); };
  if (!have_distance(type(shape_a), type(shape_b)))
    fail("distance: shapes ", shape_a, " (", shape_type_name(type(shape_a)), ") and ", shape_b, " (",
         shape_type_name(type(shape_b)), ") have none: both are solid below without end");
  const auto geometry = d.geometry();
  return posed_distance(shape_view(d.model, *geometry, shape_a), d.pose(state, shape_a),
                        d.model.shape_thickness[shape_a], shape_view(d.model, *geometry, shape_b),
                        d.pose(state, shape_b), d.model.shape_thickness[shape_b]);
}

bool ShapeQuery::overlap(const State& state, int shape_a, int shape_b) const {
  const Data& d = *data_;
  d.check("overlap", state, {shape_a, shape_b});
  const auto geometry = d.geometry();
  const ShapeView a = shape_view(d.model, *geometry, shape_a), b = shape_view(d.model, *geometry, shape_b);
  const Real grown = d.model.shape_thickness[shape_a] + d.model.shape_thickness[shape_b];
  if (is_convex_solid(a.type) && is_convex_solid(b.type))
    return convex_overlap(a, d.pose(state, shape_a), b, d.pose(state, shape_b), grown);
  return distance(state, shape_a, shape_b).distance < 0;
}

ClosestPoint ShapeQuery::closest_point(const State& state, int shape, Vec3 point) const {
  const Data& d = *data_;
  d.check("closest_point", state, {shape});
  const Transform X_WS = d.pose(state, shape);
  const auto geometry = d.geometry();
  const SurfacePoint found =
      surface_point(shape_view(d.model, *geometry, shape), rotate(conjugate(X_WS.q), point - X_WS.p), kUnbounded);
  const Vec3 normal = rotate(X_WS.q, found.normal);
  const Real grown = d.model.shape_thickness[shape];
  return {found.distance - grown, fma(normal, grown, transform_point(X_WS, found.point)), normal};
}

RayCast ShapeQuery::ray_cast(const State& state, Vec3 origin, Vec3 direction, Real max_distance, int world) const {
  const Data& d = *data_;
  d.check("ray_cast", state, {});
  if (!(length_squared(direction) > 0)) fail("ray_cast: the direction has no length");
  if (world < -1 || world >= d.model.world_count)
    fail("ray_cast: world ", world, " does not exist: there are ", d.model.world_count);
  if (world < 0) d.model.align(state);
  else align_world(d.model, state, world);
  const Vec3 along = normalize(direction);
  const auto geometry = d.geometry();
  RayCast best{-1, max_distance, {}, {}};
  for (int s = 0; s < d.model.shape_count; ++s) {
    const bool elsewhere = world >= 0 && d.model.shape_world[s] >= 0 && d.model.shape_world[s] != world;
    if (elsewhere || (d.model.shape_flags[s] & kShapeIsSite)) continue;
    const Transform X_WS = d.pose(state, s);
    const Vec3 p = rotate(conjugate(X_WS.q), origin - X_WS.p), v = rotate(conjugate(X_WS.q), along);
    const ShapeView shape = shape_view(d.model, *geometry, s);
    const RayHit hit = ray_shape(shape, p, v, best.distance);
    if (!is_hit(hit) || (best.shape >= 0 && !(hit.t < best.distance))) continue;
    const Vec3 normal = surface_normal(shape, fma(v, hit.t, p), hit.triangle);
    best = {s, hit.t, fma(along, hit.t, origin), rotate(X_WS.q, normal)};
  }
  return best;
}

}  // namespace carom::inline CAROM_PRECISION
