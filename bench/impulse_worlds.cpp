// A program of the benchmark suite `impulse`: resolve_impulses() on the contacts of many worlds, in lanes and one world
// at a time, in turn. It prints the best times as a JSON object, and the number of contacts.
//
//   carom_bench_impulse_worlds SCENE WORLDS THREADS REPEATS
//
// SCENE: "spheres", two that meet, or "box", one that lands on a plane with four corners and slips.
#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/json_program.h"
#include "bench/stopwatch.h"
#include "carom/carom.h"

namespace carom {
namespace {

using nlohmann::json;

Model scene(const std::string& name, int worlds) {
  ModelBuilder builder;
  const ShapeConfig material{.mu = Real(0.3), .restitution = Real(0.5)};
  if (name == "box") builder.add_ground_plane(0, {.cfg = material});
  else if (name != "spheres") throw Error("there is no scene " + name);
  for (int world = 0; world < worlds; ++world) {
    builder.begin_world();
    if (name == "box") {
      const int body = builder.add_link({.xform = {{0, 0, Real(0.29)}, {}}});
      builder.add_shape_box(body, Real(0.5), Real(0.4), Real(0.3), {.cfg = material});
    } else {
      for (const Real x : {Real(0), Real(0.99)})
        builder.add_shape_sphere(builder.add_link({.xform = {{x, 0, 0}, {}}}), Real(0.5), {.cfg = material});
    }
    builder.end_world();
  }
  return builder.finalize();
}

// Towards each other or the ground, differently in every world.
void set_velocities(const State& state, bool box) {
  std::int64_t b = 0;
  for (SpatialVector& v : state.body_qd) {
    const Real a = Real(b % 97) / 97, toward = box ? 0 : b % 2 ? Real(-1) : Real(1);
    v = {{toward + a / 2, a, box ? -1 - a : a / 3}, {a, box ? 0 : 1 - a, a / 2}};
    ++b;
  }
}

json measure(const std::string& name, int worlds, int threads, int repeats) {
  const Model model = scene(name, worlds);
  const State before = model.state(), after = model.state();
  set_velocities(before, name == "box");
  CollisionPipeline pipeline(model);
  const Contacts& contacts = pipeline.collide(before);
  const Queue lanes({}, {.threads = threads}), single({}, {.threads = threads, .lanes = 1});
  ImpulseResolver in_lanes(model, {}, &lanes), one_by_one(model, {}, &single);
  double lanes_s = 1e9, one_s = 1e9;
  const auto keep_best = [&](double& best, ImpulseResolver& resolver) -> const Array<Vec3>& {
    const double start = now();
    const Array<Vec3>& impulse = resolver.resolve(before, after, contacts);
    best = std::min(best, now() - start);
    return impulse;
  };
  for (int i = 0; i < repeats; ++i) {
    const Array<Vec3>&a = keep_best(lanes_s, in_lanes), &b = keep_best(one_s, one_by_one);
    if (std::memcmp(a.data(), b.data(), a.bytes()) != 0) throw Error("lanes and single worlds have different impulses");
  }
  return {{"tier", cpu_tier_name(cpu_tier())},
          {"contacts", contacts.rigid_contact_count[0]},
          {"lanes_s", lanes_s},
          {"one_s", one_s}};
}

json run(const std::vector<std::string>& args) {
  if (args.size() != 4) throw Error("usage: carom_bench_impulse_worlds SCENE WORLDS THREADS REPEATS");
  return measure(args[0], std::stoi(args[1]), std::stoi(args[2]), std::stoi(args[3]));
}

}  // namespace
}  // namespace carom

int main(int argc, char** argv) { return carom::print_json("carom_bench_impulse_worlds", argc, argv, carom::run); }
