#include "events/pair_distances.h"

#include "base/fail.h"
#include "collide/broad/box.h"
#include "collide/broad/shape_box.kernel.h"
#include "collide/filter/pair_filter.h"
#include "collide/narrow/shape_distance.kernel.h"
#include "collide/posed_distance.h"
#include "geometry/point/shape.kernel.h"
#include "model/kinematics.h"

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

PairDistances::PairDistances(const Model& model, int world, Real smoothing_radius)
    : model_(model), world_(world), smoothing_radius_(smoothing_radius) {
  rounded_.resize(model.shape_count);
  reach_.resize(model.shape_count);
  X_WS_.resize(model.shape_count);
  box_.resize(model.shape_count);
  follow_edits();
}

void PairDistances::follow_edits() {
  if (generation_ == model_.generation()) return;
  generation_ = model_.generation();
  geometry_ = std::make_shared<const GeometryTable>(model_);
  const ModelFilter filter(model_, Device{});
  const auto is_here = [&](int s) {
    const int world = model_.shape_world[s];
    return (world < 0 || world == world_) && filter.view().collides(s);
  };
  const auto type = [&](int s) { return static_cast<ShapeType>(model_.shape_type[s]); };
  std::vector<std::uint8_t> is_part(model_.shape_count, 0);
  pairs_.clear();
  for (int a = 0; a < model_.shape_count; ++a) {
    if (!is_here(a)) continue;
    for (int b = a + 1; b < model_.shape_count; ++b) {
      const bool both_global = model_.shape_world[a] < 0 && model_.shape_world[b] < 0;
      if (!is_here(b) || (world_ >= 0 && both_global) || !have_distance(type(a), type(b)) || !filter.view()(a, b))
        continue;
      pairs_.push_back({a, b});
      is_part[a] = is_part[b] = 1;
    }
  }
  shapes_.clear();
  for (int s = 0; s < model_.shape_count; ++s) {
    if (!is_part[s]) continue;
    shapes_.push_back(s);
    rounded_[s] = rounded(shape_view(model_, *geometry_, s), smoothing_radius_);
    const int body = model_.shape_body[s];
    const Vec3 arm = body < 0 ? Vec3{} : model_.shape_transform[s].p - model_.body_com[body];
    reach_[s] = length(arm) + model_.shape_collision_radius[s];
  }
}

void PairDistances::place(const State& state) {
  follow_edits();
  align_world(model_, state, world_);
  for (const int s : shapes_) {
    X_WS_[s] = shape_pose(model_, state, s);
    box_[s] = grown(shape_world_box(shape_view(model_, *geometry_, s), X_WS_[s]), model_.shape_thickness[s]);
  }
}

void PairDistances::place_as_is(const State& state, std::span<const int> shapes) {
  follow_edits();
  for (const int s : shapes) X_WS_[s] = shape_pose(model_, state, s);
}

Transform PairDistances::pose(int shape) const {
  return {transform_point(X_WS_[shape], rounded_[shape].centre), X_WS_[shape].q};
}
Real PairDistances::thickness(int shape) const { return model_.shape_thickness[shape] + rounded_[shape].radius; }

ShapeDistance PairDistances::exact(Index2 pair) const {
  const auto& [a, b] = pair;
  const ShapeView &shape_a = rounded_[a].shape, &shape_b = rounded_[b].shape;
  const auto is_ball = [](const ShapeView& shape) { return shape.type == ShapeType::kSphere; };
  if (is_ball(shape_b) && has_closed_form(shape_a.type))
    return ball_distance(shape_a, pose(a), thickness(a), pose(b).p, shape_b.scale.x + thickness(b));
  if (is_ball(shape_a) && has_closed_form(shape_b.type))
    return mirrored(ball_distance(shape_b, pose(b), thickness(b), pose(a).p, shape_a.scale.x + thickness(a)));
  return posed_distance(shape_a, pose(a), thickness(a), shape_b, pose(b), thickness(b));
}

void PairDistances::contacts(Index2 pair, std::vector<WeightedPoint>& points) const {
  const auto& [a, b] = pair;
  const ShapeView &shape_a = rounded_[a].shape, &shape_b = rounded_[b].shape;
  points.clear();
  if (shape_a.type == ShapeType::kSphere || shape_b.type == ShapeType::kSphere) {
    const ShapeDistance at = exact(pair);
    points.push_back({{(at.point_a + at.point_b) * Real(0.5), at.normal, at.distance, 0}, 1});
    return;
  }
  ContactPoint found[kMaxPoints];
  const int n = posed_contacts(shape_a, pose(a), thickness(a), shape_b, pose(b), thickness(b), found);
  for (int i = 0; i < n; ++i) points.push_back({found[i], 1});
  if (has_closed_form(shape_b.type))
    add_rim_points(shape_a, pose(a), thickness(a), shape_b, pose(b), thickness(b), false, points);
  if (has_closed_form(shape_a.type))
    add_rim_points(shape_b, pose(b), thickness(b), shape_a, pose(a), thickness(a), true, points);
}

std::optional<BallPair> PairDistances::ball_pair(Index2 pair, const ElasticContact& law) const {
  const auto is_ball = [&](int shape) { return rounded_[shape].shape.type == ShapeType::kSphere; };
  const int ball = is_ball(pair[1]) ? pair[1] : pair[0], host = ball == pair[1] ? pair[0] : pair[1];
  if (!is_ball(ball) || !hosts_balls(rounded_[host].shape.type)) return {};
  const auto body = [&](int shape) { return model_.shape_body[shape]; };
  const auto com = [&](int shape) { return body(shape) < 0 ? Vec3{} : model_.body_com[body(shape)]; };
  const auto in_body = [&](int shape) -> Transform {
    const Transform& X_BS = model_.shape_transform[shape];
    return {transform_point(X_BS, rounded_[shape].centre), X_BS.q};
  };
  return BallPair{{in_body(ball).p, com(ball), in_body(host), com(host), rounded_[host].shape.scale,
                   rounded_[ball].shape.scale.x + thickness(ball), thickness(host), Real(body(ball) >= 0),
                   Real(body(host) >= 0), law},
                  body(ball),
                  body(host),
                  rounded_[host].shape.type};
}

bool PairDistances::boxes_meet(Index2 pair) const { return overlap(box_[pair[0]], box_[pair[1]]); }

ShapeDistance PairDistances::quick(Index2 pair) const {
  const Box &a = box_[pair[0]], &b = box_[pair[1]];
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

Real PairDistances::fastest(const State& state, int shape) const {
  const int body = model_.shape_body[shape];
  if (body < 0) return 0;
  const SpatialVector V = state.body_qd[body];
  const Real turning = length(V.angular);
  return length(V.linear) + (turning > 0 ? turning * reach_[shape] : Real(0));
}

}  // namespace carom::inline CAROM_PRECISION
