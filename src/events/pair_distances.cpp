#include "events/pair_distances.h"

#include <mutex>

#include "collide/broad/shape_box.kernel.h"
#include "collide/narrow/shape_distance.kernel.h"
#include "collide/posed_distance.h"
#include "geometry/point/shape.kernel.h"
#include "model/kinematics.h"
#include "model/owner.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Of boxes that are apart along some axis; the points are those nearest to each other.
ShapeDistance box_distance(const Box& a, const Box& b) {
  ShapeDistance d{};
  for (int i = 0; i < 3; ++i) {
    const Real low = max(a.lower[i], b.lower[i]), high = min(a.upper[i], b.upper[i]);
    const bool apart = low > high, a_first = a.lower[i] <= b.lower[i];
    const Real middle = Real(0.5) * (low + high);  // of where they overlap
    d.point_a[i] = apart ? (a_first ? high : low) : middle;
    d.point_b[i] = apart ? (a_first ? low : high) : middle;
  }
  const Vec3 between = d.point_b - d.point_a;
  d.distance = length(between);
  d.normal = between * (Real(1) / d.distance);
  return d;
}

bool has_closed_form(ShapeType type) {
  switch (type) {
    case ShapeType::kPlane:
    case ShapeType::kSphere:
    case ShapeType::kCapsule:
    case ShapeType::kCylinder:
    case ShapeType::kBox:
    case ShapeType::kCone: return true;
    default: return false;
  }
}

// Of a ball, which is a point with a radius, to a shape whose distance from points is a closed form.
ShapeDistance ball_distance(const ShapeView& shape, const Transform& X_WS, Real thickness, Vec3 centre, Real radius) {
  const SurfacePoint at = surface_point(shape, rotate_inverse(X_WS.q, centre - X_WS.p), kUnbounded);
  const Vec3 n = rotate(X_WS.q, at.normal);  // from the shape to the ball
  ShapeDistance d{};
  d.distance = at.distance - thickness - radius;
  d.normal = n;
  d.point_a = transform_point(X_WS, at.point) + n * thickness;
  d.point_b = centre - n * radius;
  return d;
}

ShapeDistance mirrored(const ShapeDistance& d) {
  ShapeDistance m = d;
  m.point_a = d.point_b, m.point_b = d.point_a, m.normal = -d.normal;
  return m;
}

}  // namespace

ModelGeometry::ModelGeometry(const Model& model)
    : generation(model.generation()), table(model), filter(model, Device{}) {}

// That of the model that asked last is kept while somebody has it: worlds of one model ask one after the other.
std::shared_ptr<const ModelGeometry> geometry_of(const Model& model) {
  static std::mutex mutex;
  static std::weak_ptr<const ModelGeometry> last;
  static std::weak_ptr<const WorldLayout> last_layout;
  const std::lock_guard lock(mutex);
  std::shared_ptr<const ModelGeometry> found = last.lock();
  if (found && last_layout.lock() == model.layout && found->generation == model.generation()) return found;
  found = std::make_shared<const ModelGeometry>(model);
  last = found, last_layout = model.layout;
  return found;
}

PairDistances::PairDistances(const Model& model, int world, Real smoothing_radius)
    : model_(model), world_(world), smoothing_radius_(smoothing_radius) {
  follow_edits();
}

void PairDistances::follow_edits() {
  if (geometry_ && geometry_->generation == model_.generation()) return;
  geometry_ = geometry_of(model_);
  const PairFilter& filter = geometry_->filter.view();
  std::vector<int> here;
  for (int s = 0; s < model_.shape_count; ++s)
    if ((model_.shape_world[s] < 0 || model_.shape_world[s] == world_) && filter.collides(s)) here.push_back(s);
  const auto type = [&](int s) { return static_cast<ShapeType>(model_.shape_type[s]); };
  pairs_.clear(), shapes_.clear();
  for (std::size_t i = 0; i < here.size(); ++i)
    for (std::size_t k = i + 1; k < here.size(); ++k) {
      const int a = here[i], b = here[k];
      const bool both_global = model_.shape_world[a] < 0 && model_.shape_world[b] < 0;
      if ((world_ >= 0 && both_global) || !have_distance(type(a), type(b)) || !filter(a, b)) continue;
      pairs_.push_back({a, b});
      shapes_.insert(shapes_.end(), {a, b});
    }
  std::sort(shapes_.begin(), shapes_.end());
  shapes_.erase(std::unique(shapes_.begin(), shapes_.end()), shapes_.end());
  places_.clear(), placed_.clear();
  for (const auto [a, b] : pairs_) places_.push_back({place_of(a), place_of(b)});
  for (const int s : shapes_) {
    const int body = model_.shape_body[s];
    const Vec3 arm = body < 0 ? Vec3{} : model_.shape_transform[s].p - model_.body_com[body];
    placed_.push_back({rounded(shape_view(model_, geometry_->table, s), smoothing_radius_),
                       length(arm) + model_.shape_collision_radius[s],
                       {},
                       {}});
  }
}

void PairDistances::place(const State& state) {
  follow_edits();
  align_world(model_, state, world_);
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const int s = shapes_[i];
    const Transform X_WS = shape_pose(model_, state, s);
    placed_[i].X_WS = X_WS;
    placed_[i].box = grown(shape_world_box(shape_view(model_, geometry_->table, s), X_WS), model_.shape_thickness[s]);
  }
}

void PairDistances::place_as_is(const State& state, std::span<const int> shapes) {
  follow_edits();
  for (const int s : shapes) placed_[place_of(s)].X_WS = shape_pose(model_, state, s);
}

namespace {

// Of the rounded shape.
Transform pose_of(const RoundedShape& rounded, const Transform& X_WS) {
  return {transform_point(X_WS, rounded.centre), X_WS.q};
}

}  // namespace

ShapeDistance PairDistances::exact(Index2 pair) const {
  const Placed &a = placed(pair[0]), &b = placed(pair[1]);
  const ShapeView &shape_a = a.rounded.shape, &shape_b = b.rounded.shape;
  const Transform X_WA = pose_of(a.rounded, a.X_WS), X_WB = pose_of(b.rounded, b.X_WS);
  const Real thick_a = model_.shape_thickness[pair[0]] + a.rounded.radius;
  const Real thick_b = model_.shape_thickness[pair[1]] + b.rounded.radius;
  const auto is_ball = [](const ShapeView& shape) { return shape.type == ShapeType::kSphere; };
  if (is_ball(shape_b) && has_closed_form(shape_a.type))
    return ball_distance(shape_a, X_WA, thick_a, X_WB.p, shape_b.scale.x + thick_b);
  if (is_ball(shape_a) && has_closed_form(shape_b.type))
    return mirrored(ball_distance(shape_b, X_WB, thick_b, X_WA.p, shape_a.scale.x + thick_a));
  return posed_distance(shape_a, X_WA, thick_a, shape_b, X_WB, thick_b);
}

void PairDistances::contacts(Index2 pair, std::vector<WeightedPoint>& points) const {
  const Placed &a = placed(pair[0]), &b = placed(pair[1]);
  const ShapeView &shape_a = a.rounded.shape, &shape_b = b.rounded.shape;
  points.clear();
  if (shape_a.type == ShapeType::kSphere || shape_b.type == ShapeType::kSphere) {
    const ShapeDistance at = exact(pair);
    points.push_back({{(at.point_a + at.point_b) * Real(0.5), at.normal, at.distance, 0}, 1});
    return;
  }
  const Transform X_WA = pose_of(a.rounded, a.X_WS), X_WB = pose_of(b.rounded, b.X_WS);
  const Real thick_a = thickness(pair[0]), thick_b = thickness(pair[1]);
  ContactPoint found[kMaxPoints];
  const int n = posed_contacts(shape_a, X_WA, thick_a, shape_b, X_WB, thick_b, found);
  for (int i = 0; i < n; ++i) points.push_back({found[i], 1});
  if (has_closed_form(shape_b.type)) add_rim_points(shape_a, X_WA, thick_a, shape_b, X_WB, thick_b, false, points);
  if (has_closed_form(shape_a.type)) add_rim_points(shape_b, X_WB, thick_b, shape_a, X_WA, thick_a, true, points);
}

std::optional<BallPair> PairDistances::ball_pair(Index2 pair, const ElasticContact& law) const {
  const auto is_ball = [&](int shape) { return placed(shape).rounded.shape.type == ShapeType::kSphere; };
  const int ball = is_ball(pair[1]) ? pair[1] : pair[0], host = ball == pair[1] ? pair[0] : pair[1];
  if (!is_ball(ball) || !hosts_balls(placed(host).rounded.shape.type)) return {};
  const auto body = [&](int shape) { return model_.shape_body[shape]; };
  const auto com = [&](int shape) { return body(shape) < 0 ? Vec3{} : model_.body_com[body(shape)]; };
  const auto in_body = [&](int shape) -> Transform {
    const Transform& X_BS = model_.shape_transform[shape];
    return {transform_point(X_BS, placed(shape).rounded.centre), X_BS.q};
  };
  return BallPair{{in_body(ball).p, com(ball), in_body(host), com(host), placed(host).rounded.shape.scale,
                   placed(ball).rounded.shape.scale.x + thickness(ball), thickness(host), Real(body(ball) >= 0),
                   Real(body(host) >= 0), law},
                  body(ball),
                  body(host),
                  placed(host).rounded.shape.type};
}

ShapeDistance PairDistances::quick(Index2 pair) const {
  const Box &a = placed(pair[0]).box, &b = placed(pair[1]).box;
  return overlap(a, b) ? exact(pair) : box_distance(a, b);
}

SpatialVector PairDistances::relative_velocity(const State& state, Index2 pair, Vec3 point) const {
  const auto velocity = [&](int shape) -> SpatialVector {
    const int body = model_.shape_body[shape];
    if (body < 0) return {};
    const SpatialVector V = state.body_qd[body];  // of the centre of mass
    return {V.linear + cross(V.angular, point - transform_point(state.body_q[body], model_.body_com[body])), V.angular};
  };
  return velocity(pair[1]) - velocity(pair[0]);
}

Real PairDistances::rate(const State& state, Index2 pair, const ShapeDistance& at) const {
  return dot(at.normal, relative_velocity(state, pair, (at.point_a + at.point_b) * Real(0.5)).linear);
}

Real PairDistances::fastest(const State& state, int place) const {
  const int body = model_.shape_body[shapes_[place]];
  if (body < 0) return 0;
  const SpatialVector V = state.body_qd[body];
  const Real turning = length(V.angular);
  return length(V.linear) + (turning > 0 ? turning * placed_[place].reach : Real(0));
}

}  // namespace carom::inline CAROM_PRECISION
