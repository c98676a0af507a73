#include "events/pair_distances.h"

#include "base/fail.h"
#include "collide/broad/box.h"
#include "collide/broad/shape_box.kernel.h"
#include "collide/filter/pair_filter.h"
#include "collide/narrow/shape_distance.kernel.h"
#include "collide/posed_distance.h"
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

}  // namespace

PairDistances::PairDistances(const Model& model, int world, Real smoothing_radius)
    : model_(model), world_(world), smoothing_radius_(smoothing_radius) {
  rounded_.resize(model.shape_count);
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

ShapeDistance PairDistances::exact(Index2 pair) const {
  const auto& [a, b] = pair;
  const auto pose = [&](int s) { return Transform{transform_point(X_WS_[s], rounded_[s].centre), X_WS_[s].q}; };
  const auto thickness = [&](int s) { return model_.shape_thickness[s] + rounded_[s].radius; };
  return posed_distance(rounded_[a].shape, pose(a), thickness(a), rounded_[b].shape, pose(b), thickness(b));
}

ShapeDistance PairDistances::quick(Index2 pair) const {
  const Box &a = box_[pair[0]], &b = box_[pair[1]];
  return overlap(a, b) ? exact(pair) : box_distance(a, b);
}

Real PairDistances::rate(const State& state, Index2 pair, const ShapeDistance& at) const {
  const Vec3 middle = (at.point_a + at.point_b) * Real(0.5);
  const auto velocity = [&](int shape) {
    const int body = model_.shape_body[shape];
    if (body < 0) return Vec3{};
    const SpatialVector V = state.body_qd[body];  // of the centre of mass
    return V.linear + cross(V.angular, middle - transform_point(state.body_q[body], model_.body_com[body]));
  };
  return dot(at.normal, velocity(pair[1]) - velocity(pair[0]));
}

}  // namespace carom::inline CAROM_PRECISION
