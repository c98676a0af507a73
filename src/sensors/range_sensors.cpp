#include "sensors/range_sensors.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "backend/launch.h"
#include "carom/raycast.h"
#include "collide/geometry_table.h"
#include "collide/shape_edits.h"
#include "collide/shape_views.h"
#include "model/host_model.h"
#include "model/sensor_rows.h"
#include "sensors/kernels.h"

namespace carom::inline CAROM_PRECISION {

namespace {

bool is_distance(SensorType type) {
  return type == SensorType::kDistance || type == SensorType::kNormal || type == SensorType::kFromTo;
}

// -- Rays.

int rays_of(const ModelColumns<Array>& c, int s) {
  if (static_cast<SensorType>(c.sensor_type[s]) != SensorType::kRangefinder) return 0;
  return c.sensor_resolution[s][0] * c.sensor_resolution[s][1];
}

// Unit, in the frame of the sensor: along z, or through the middle of a pixel of a camera, which looks along -z with x
// to the right and y up. Pixels are counted row by row from the upper left corner.
Vec3 direction_of_ray(const ModelColumns<Array>& c, int s, int ray) {
  const RealN<4>& camera = c.sensor_camera[s];
  if (!(camera[0] > 0)) return {0, 0, 1};
  const int across = c.sensor_resolution[s][0];
  const int line = ray / across;  // of pixels
  const Real column = Real(ray % across) + Real(0.5), row = Real(line) + Real(0.5);
  return normalize(Vec3{(column - camera[2]) / camera[0], -(row - camera[3]) / camera[1], -1});
}

// Equally many in each world, as RayCaster wants them: rays of worlds with fewer have no direction, and meet nothing.
struct RayLists {
  std::vector<RangeRay> ray;
  std::vector<Vec3> origin, direction;
  std::vector<int> body, exclude;

  explicit RayLists(const HostModel& host) {
    const ModelColumns<Array>& c = host.column;
    const int worlds = std::max(host.model.world_count, 1);
    std::vector<int> next(worlds, 0);
    for (int s = 0; s < host.model.sensor_count; ++s) next[std::max(c.sensor_world[s], 0)] += rays_of(c, s);
    const int most = *std::max_element(next.begin(), next.end());
    const std::size_t total = std::size_t(most) * worlds;
    ray.resize(total), origin.resize(total), direction.resize(total);
    body.assign(total, -1), exclude.assign(total, -1);
    for (int w = 0; w < worlds; ++w) next[w] = w * most;
    for (int s = 0; s < host.model.sensor_count; ++s)
      for (int k = 0; k < rays_of(c, s); ++k) set(c, s, k, next[std::max(c.sensor_world[s], 0)]++);
  }

 private:
  void set(const ModelColumns<Array>& c, int s, int k, int at) {
    const Vec3 d = direction_of_ray(c, s, k);
    const Transform& X_BF = c.sensor_frame[s];
    ray[at] = {s, k * ray_data_size(c.sensor_data[s]), abs(d.z)};
    origin[at] = X_BF.p;
    direction[at] = rotate(X_BF.q, d);
    body[at] = c.sensor_body[s];
    exclude[at] = c.sensor_body[s] < 0 ? kFixedShapes : c.sensor_body[s];
  }
};

// -- Distances.

struct PairLists {
  std::vector<DistanceSensor> sensors;
  std::vector<Index2> pairs;

  explicit PairLists(const HostModel& host) {
    const ModelColumns<Array>& c = host.column;
    for (int s = 0; s < host.model.sensor_count; ++s) {
      const SensorType type = static_cast<SensorType>(c.sensor_type[s]);
      if (!is_distance(type)) continue;
      const int first = static_cast<int>(pairs.size());
      for (const int a : shapes_of(host, c.sensor_shape[s], c.sensor_body[s], c.sensor_world[s]))
        for (const int b : shapes_of(host, c.sensor_reference_shape[s], c.sensor_reference_body[s], c.sensor_world[s]))
          if (have_distance(static_cast<ShapeType>(c.shape_type[a]), static_cast<ShapeType>(c.shape_type[b])))
            pairs.push_back({a, b});
      sensors.push_back({type, s, first, static_cast<int>(pairs.size())});
    }
  }

 private:
  // The shape, or all shapes of the body but sites; those without a body are of the sensor's world, or global.
  static std::vector<int> shapes_of(const HostModel& host, int shape, int body, int world) {
    if (shape >= 0) return {shape};
    const ModelColumns<Array>& c = host.column;
    std::vector<int> shapes;
    for (int k = 0; k < host.model.shape_count; ++k) {
      const bool elsewhere = c.shape_world[k] >= 0 && c.shape_world[k] != world;
      if (c.shape_body[k] == body && !elsewhere && !(c.shape_flags[k] & kShapeIsSite)) shapes.push_back(k);
    }
    return shapes;
  }
};

}  // namespace

struct RangeSensors::Data {
  Model model;
  Queue queue;
  std::int64_t generation = -1;  // of the model, that all below was made from
  std::optional<RayCaster> caster;
  RayHits hits;
  Rays rays;
  Array<RangeRay> ray;
  Array<DistanceSensor> distances;
  Array<Index2> pair;
  std::optional<GeometryTable> geometry;

  Data(const Model& m, const Queue& q) : model(m), queue(q) {}

  void list() {
    const HostModel host(model);
    const RayLists all(host);
    const auto array = [&]<class T>(const std::vector<T>& values) {
      return Array<T>(std::span<const T>(values), model.device);
    };
    ray = array(all.ray);
    rays = {array(all.origin), array(all.direction), array(all.body), array(all.exclude)};
    const PairLists pairs(host);
    distances = array(pairs.sensors);
    pair = array(pairs.pairs);
    if (!ray.empty() && !caster) caster.emplace(model, RayCasterConfig{}, &queue);
    const bool edited = !geometry || shapes_were_edited(model, generation);
    if (!distances.empty() && edited) geometry.emplace(model, true);
  }
};

RangeSensors::RangeSensors(const Model& model, const Queue& queue) : data_(std::make_shared<Data>(model, queue)) {
  notice_edits();
}

void RangeSensors::notice_edits() {
  Data& d = *data_;
  if (d.generation != d.model.generation()) d.list();
  d.generation = d.model.generation();
  if (d.caster) d.hits = d.caster->prepare(d.ray.size());
}

void RangeSensors::send(const SensedStep& step, Real* values, const std::int64_t* value_at) const {
  const Data& d = *data_;
  const Model& m = d.model;
  const Transform* const body_q = step.state.body_q.data();
  if (d.caster) {
    d.caster->send(step.state, d.rays);
    launch(d.queue, static_cast<int>(d.ray.size()),
           TellRays{d.ray.data(), d.rays.origin.data(), d.rays.direction.data(), d.rays.body.data(), body_q,
                    d.hits.distance.data(), d.hits.normal.data(), m.sensor_data.data(), value_at, values});
  }
  if (d.distances.empty()) return;
  launch(d.queue, static_cast<int>(d.distances.size()),
         SenseDistances{d.distances.data(), d.pair.data(), posed_shapes(m, *d.geometry, {}), m.shape_body.data(),
                        m.shape_transform.data(), body_q, m.sensor_cutoff.data(), value_at, values});
}

}  // namespace carom::inline CAROM_PRECISION
