// RayCaster: which shapes its rays can meet, checks, and the launches of a call.
#include <algorithm>
#include <limits>
#include <string>

#include "backend/launch.h"
#include "backend/scratch.h"
#include "base/fail.h"
#include "carom/raycast.h"
#include "collide/geometry_table.h"
#include "collide/kernels.h"
#include "collide/placed_shapes.h"
#include "collide/shape_edits.h"
#include "collide/shape_views.h"
#include "model/chosen_queue.h"
#include "model/host_model.h"
#include "model/kinematics.h"
#include "model/owner.h"

namespace carom::inline CAROM_PRECISION {

namespace {

constexpr const char* kWhoCasts = "cast_rays";

// Shapes that never move: without a body, or on one that nothing lets move.
std::vector<bool> static_shapes(const Model& model) {
  const HostModel host(model);
  const Array<int> joint = model.body_joint.on_cpu(), dof_start = model.joint_qd_start.on_cpu();
  std::vector<bool> is_static(model.shape_count);
  for (int s = 0; s < model.shape_count; ++s) {
    int body = host.column.shape_body[s];
    while (body >= 0 && joint[body] >= 0 && dof_start[joint[body]] == dof_start[joint[body] + 1])
      body = host.column.joint_parent[joint[body]];
    is_static[s] = body < 0;
  }
  return is_static;
}

// Ascending.
std::vector<int> shapes_to_meet(const Model& model, const RayCasterConfig& config) {
  std::vector<bool> meets(model.shape_count, !config.shapes);
  if (config.shapes) {
    for (const int s : *config.shapes) {
      if (s < 0 || s >= model.shape_count)
        fail("RayCaster: shape ", s, " does not exist: there are ", model.shape_count);
      meets[s] = true;
    }
  } else {
    const Array<int> flags = model.shape_flags.on_cpu();
    for (int s = 0; s < model.shape_count; ++s) meets[s] = !(flags[s] & kShapeIsSite);
  }
  const std::vector<bool> is_static = config.include_static ? std::vector<bool>() : static_shapes(model);
  std::vector<int> shapes;
  for (int s = 0; s < model.shape_count; ++s)
    if (meets[s] && (config.include_static || !is_static[s])) shapes.push_back(s);
  return shapes;
}

// Of the worlds in a list of shapes, as RayTargets has it.
std::vector<int> starts_of_worlds(const Model& model, const std::vector<int>& shapes) {
  const Array<int> world_start = model.shape_world_start.on_cpu();
  std::vector<int> start;
  for (int w = 0; w <= model.world_count; ++w)
    start.push_back(int(std::lower_bound(shapes.begin(), shapes.end(), world_start[w]) - shapes.begin()));
  start.push_back(int(shapes.size()));
  return start;
}

// What is worked out from the shapes of a model, and made anew after each edit of them.
struct RayStages {
  std::int64_t generation;  // of the model
  GeometryTable geometry;
  PlacedShapes placed;
  Array<int> target, target_start;

  RayStages(const Model& m, const std::vector<int>& shapes)
      : generation(m.generation()),
        geometry(m, true),
        placed(m, shapes, std::vector<bool>(m.world_count + 1, false)),
        target(std::span<const int>(shapes), m.device),
        target_start(std::span<const int>(starts_of_worlds(m, shapes)), m.device) {}
};

}  // namespace

struct RayCaster::Data {
  Model model;
  RayCasterConfig config;
  Queue queue;
  std::unique_ptr<RayStages> stages;
  Array<Transform> X_WS;
  Array<Box> box;
  Array<Real> ball;  // see RayBalls
  Array<int> bad;    // see CheckRays
  RayHits room, hits;

  Data(const Model& m, const RayCasterConfig& c, const Queue& q)
      : model(m),
        config(c),
        queue(q),
        stages(std::make_unique<RayStages>(m, shapes_to_meet(m, c))),
        X_WS(m.shape_count, m.device),
        box(m.shape_count, m.device) {}

  int world_count() const { return std::max(model.world_count, 1); }
  void notice_edits();
  void check_sizes(const Rays& rays) const;
  void check_numbers(const Rays& rays);
  [[noreturn]] void explain(const Rays& rays, int ray) const;
  RayRows rows(const Rays& rays) const;
  RayBalls balls() const { return {ball.data(), int(stages->target.size()) + RayBalls::kMost}; }
  void place_shapes(const State& state);
  void make_room(std::int64_t count, bool with_normals);
  void send_cast(const State& state, const Rays& rays, Real max_distance);
};

RayCaster::RayCaster(const Model& model, const RayCasterConfig& config, const Queue* queue) {
  data_ = std::make_shared<Data>(model, config, chosen_queue("RayCaster", model, queue));
}

const RayHits& RayCaster::cast(const State& state, const Rays& rays, Real max_distance, bool with_normals) {
  Data& d = *data_;
  check_state(kWhoCasts, "state", state, d.model);
  if (!(max_distance > 0)) fail(kWhoCasts, ": max_distance must be positive, is ", max_distance);
  d.check_sizes(rays);
  if (d.model.device.is_cpu()) d.check_numbers(rays);
  prepare(rays.origin.size(), with_normals);
  send_align(d.queue, d.model, state);
  send(state, rays, max_distance);
  d.queue.finish();
  return d.hits;
}

const RayHits& RayCaster::prepare(std::int64_t rays, bool with_normals) {
  Data& d = *data_;
  d.notice_edits();
  d.make_room(rays, with_normals);
  return d.hits;
}

void RayCaster::send(const State& state, const Rays& rays, Real max_distance) const {
  data_->place_shapes(state);
  data_->send_cast(state, rays, max_distance);
}

void RayCaster::Data::notice_edits() {
  if (stages->generation == model.generation()) return;
  if (shapes_were_edited(model, stages->generation))
    stages = std::make_unique<RayStages>(model, shapes_to_meet(model, config));
  stages->generation = model.generation();
}

void RayCaster::Data::check_sizes(const Rays& rays) const {
  const std::int64_t count = rays.origin.size();
  const auto check = [&](const char* name, const auto& array, bool can_be_empty) {
    if (array.size() == 0 && can_be_empty) return;
    if (array.size() != count)
      fail(kWhoCasts, ": ", name, " has ", array.size(), " entries; origin has ", count, " rays");
    if (count > 0 && !(array.device() == model.device))
      fail(kWhoCasts, ": ", name, " is on ", array.device().name(), ", the model on ", model.device.name());
  };
  check("origin", rays.origin, false);
  check("direction", rays.direction, false);
  check("body", rays.body, true);
  check("exclude_body", rays.exclude_body, true);
  if (count % world_count() != 0)
    fail(kWhoCasts, ": ", count, " rays; give equally many to each of the ", world_count(), " worlds");
  if (count > std::numeric_limits<int>::max())
    fail(kWhoCasts, ": ", count, " rays; at most ", std::numeric_limits<int>::max(), " are cast at once");
}

RayRows RayCaster::Data::rows(const Rays& rays) const {
  return {rays.origin.data(), rays.direction.data(), rays.body.empty() ? nullptr : rays.body.data(),
          rays.exclude_body.empty() ? nullptr : rays.exclude_body.data(),
          std::max(int(rays.origin.size() / world_count()), 1)};
}

void RayCaster::Data::check_numbers(const Rays& rays) {
  const int count = int(rays.origin.size()), blocks = (count + CheckRays::kBlock - 1) / CheckRays::kBlock;
  grow(bad, blocks, model.device);
  launch(queue, blocks, CheckRays{rows(rays), model.body_world.const_view(), count, bad.data()});
  for (int block = 0; block < blocks; ++block)
    if (bad[block] >= 0) explain(rays, bad[block]);
}

void RayCaster::Data::explain(const Rays& rays, int ray) const {
  const RayRows r = rows(rays);
  const int world = r.world_of(ray), in_world = ray - world * r.per_world;
  const std::string which =
      std::string(kWhoCasts) + ": ray " + std::to_string(in_world) + " of world " + std::to_string(world) + ": ";
  const auto check_body = [&](const char* name, int body) {
    if (body < -1 || body >= model.body_count)
      fail(which, name, " ", body, " does not exist: there are ", model.body_count, "; -1 stands for none");
    const int other = body < 0 ? -1 : model.body_world[body];
    if (other >= 0 && other != world) fail(which, name, " ", body, " is of world ", other);
  };
  check_body("body", r.body_of(ray));
  if (r.excluded_body_of(ray) != kFixedShapes) check_body("excluded body", r.excluded_body_of(ray));
  const Vec3 p = r.origin[ray], d = r.direction[ray];
  if (!is_finite(p)) fail(which, "origin ", p.x, " ", p.y, " ", p.z, " is not finite");
  if (!is_finite(length_squared(d))) fail(which, "direction ", d.x, " ", d.y, " ", d.z, " is not finite, or too long");
  fail(which, "the direction has no length");
}

void RayCaster::Data::place_shapes(const State& state) {
  launch(queue, stages->placed.count(),
         PlaceShapes{stages->placed.view(), shape_placing(model, state.body_q, X_WS, box)});
  if (!model.device.is_cpu()) return;  // where nothing is side by side
  launch(queue, int(stages->target.size()),
         BallsOfTargets{stages->target.data(), X_WS.data(), model.shape_collision_radius.const_view(), balls()});
}

void RayCaster::Data::make_room(std::int64_t count, bool with_normals) {
  grow(room.distance, count, model.device);
  grow(room.shape, count, model.device);
  if (with_normals) grow(room.normal, count, model.device);
  if (model.device.is_cpu()) grow(ball, 4 * std::int64_t{balls().stride}, model.device);
  hits = {room.distance.slice(0, count), room.shape.slice(0, count),
          with_normals ? room.normal.slice(0, count) : Array<Vec3>()};
}

void RayCaster::Data::send_cast(const State& state, const Rays& rays, Real max_distance) {
  launch(queue, int(rays.origin.size()),
         CastRays{rows(rays),
                  {stages->target.data(), stages->target_start.data(), model.world_count},
                  posed_shapes(model, stages->geometry, X_WS),
                  model.shape_body.const_view(),
                  box.data(),
                  balls(),
                  state.body_q.const_view(),
                  min(max_distance, kUnbounded),
                  hits.distance.data(),
                  hits.shape.data(),
                  hits.normal.empty() ? nullptr : hits.normal.data()});
}

const RayCasterConfig& RayCaster::config() const { return data_->config; }
const Model& RayCaster::model() const { return data_->model; }

RayHits cast_rays(const Model& model, const State& state, const Rays& rays, Real max_distance,
                  const RayCasterConfig& config) {
  return RayCaster(model, config).cast(state, rays, max_distance);
}

}  // namespace carom::inline CAROM_PRECISION
