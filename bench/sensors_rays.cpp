// carom's rays in the benchmark suite `sensors`: a lidar in the middle of each world, among solids of all round and
// flat kinds over a plane, in the poses of bench/peers/mujoco_rays.py. Prints the best time of a world, and what was
// met.
//
//   carom_bench_sensors_rays WORLDS SHAPES CHANNELS STEPS THREADS REPEATS
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "alloc_counter.h"
#include "bench/json_program.h"
#include "bench/scattered.h"
#include "bench/stopwatch.h"
#include "carom/carom.h"

namespace carom {
namespace {

using nlohmann::json;

constexpr int kNumbers = 7;  // of a pose

Transform pose(int world, int shapes, int k) {
  const auto number = [&](int i) { return scattered(std::uint32_t((world * shapes + k) * kNumbers + i)); };
  const Vec3 p{8 * number(0) - 4, 8 * number(1) - 4, Real(0.3) + 2 * number(2)};
  return {p, normalize(Quat{number(3) - Real(0.5), number(4) - Real(0.5), number(5) - Real(0.5), number(6) + 1})};
}

void add_solid(ModelBuilder& builder, int k) {
  const int body = builder.add_body();
  switch (k % 5) {
    case 0: builder.add_shape_sphere(body, Real(0.3)); break;
    case 1: builder.add_shape_capsule(body, Real(0.2), Real(0.3)); break;
    case 2: builder.add_shape_box(body, Real(0.3), Real(0.2), Real(0.4)); break;
    case 3: builder.add_shape_cylinder(body, Real(0.25), Real(0.3)); break;
    default: builder.add_shape_ellipsoid(body, Real(0.2), Real(0.3), Real(0.4)); break;
  }
}

Model scene(int worlds, int shapes) {
  ModelBuilder world, builder;
  world.default_shape_cfg.contact_margin = 0;
  world.add_ground_plane();
  for (int k = 1; k < shapes; ++k) add_solid(world, k);
  builder.replicate(world, worlds);
  return builder.finalize();
}

Rays lidars(int worlds, int channels, int steps) {
  const std::vector<Vec3> pattern = lidar_pattern({.channels = channels, .horizontal_steps = steps});
  std::vector<Vec3> direction;
  for (int world = 0; world < worlds; ++world) direction.insert(direction.end(), pattern.begin(), pattern.end());
  const std::vector<Vec3> origin(direction.size(), Vec3{0, 0, 1});
  return {Array<Vec3>(std::span<const Vec3>(origin)), Array<Vec3>(std::span<const Vec3>(direction)), {}, {}};
}

json measure(int worlds, int shapes, int channels, int steps, int threads, int repeats) {
  const Model model = scene(worlds, shapes);
  const State state = model.state();
  for (int b = 0; b < model.body_count; ++b) state.body_q[b] = pose(b / (shapes - 1), shapes, 1 + b % (shapes - 1));
  const Rays rays = lidars(worlds, channels, steps);
  const Queue queue({}, {.threads = threads});
  RayCaster caster(model, {}, &queue);
  const auto best = [&](bool with_normals) {
    double seconds = std::numeric_limits<double>::max();
    for (int repeat = 0; repeat < repeats; ++repeat) {
      const double start = now();
      caster.cast(state, rays, kUnbounded, with_normals);
      seconds = std::min(seconds, now() - start);
    }
    return seconds / worlds;
  };
  const RayHits& hits = caster.cast(state, rays);
  double distance = 0;
  int met = 0;
  for (std::int64_t i = 0; i < hits.distance.size(); ++i)
    if (hits.shape[i] >= 0) ++met, distance += hits.distance[i];
  double plain = 0, with_normals = 0;
  const std::int64_t allocations = testing::allocations_in([&] { plain = best(false), with_normals = best(true); });
  return {{"tier", cpu_tier_name(cpu_tier())}, {"world_s", plain},           {"world_with_normals_s", with_normals},
          {"met", double(met) / worlds},       {"distance", distance / met}, {"allocations", allocations}};
}

json run(const std::vector<std::string>& args) {
  if (args.size() != 6) throw Error("usage: WORLDS SHAPES CHANNELS STEPS THREADS REPEATS");
  std::vector<int> n;
  for (const std::string& arg : args) n.push_back(std::stoi(arg));
  return measure(n[0], n[1], n[2], n[3], n[4], n[5]);
}

}  // namespace
}  // namespace carom

int main(int argc, char** argv) { return carom::print_json("carom_bench_sensors_rays", argc, argv, carom::run); }
