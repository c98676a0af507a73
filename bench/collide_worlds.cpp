// carom's side of whole worlds in the benchmark suite `collide`. Every run measures one thing and prints it as a JSON
// object:
//
//   carom_bench_collide_worlds humanoids WORLDS THREADS REPEATS  collide() of humanoids in random states
//   carom_bench_collide_worlds modes SHAPES WORLDS REPEATS       collide() of spheres by each BroadPhaseMode, in turn
//   carom_bench_collide_worlds pile SHAPE BODIES REPEATS         collide() of a pile at rest, contacts found and kept
//
// The states of humanoids are those of bench/peers/mujoco_collide.py.
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "alloc_counter.h"
#include "bench/json_program.h"
#include "bench/scattered.h"
#include "bench/stopwatch.h"
#include "scenes/scenes.h"

namespace carom {
namespace {

using nlohmann::json;

template <class Fn>
double best_seconds(int repeats, const Fn& fn) {
  double best = std::numeric_limits<double>::max();
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const double start = now();
    fn();
    best = std::min(best, now() - start);
  }
  return best;
}

// -- Humanoids

constexpr Real kLowest = Real(0.4), kHighest = Real(1.4);  // of the torso's centre above the ground [m]

// The torso at a random height, turned anyhow; all joints anywhere in their ranges.
void scatter(const Model& model, const State& state) {
  const int coords = model.joint_coord_count / model.world_count, dofs = model.joint_dof_count / model.world_count;
  for (int world = 0; world < model.world_count; ++world) {
    Real* const q = state.joint_q.data() + world * coords;
    const auto number = [&](int k) { return scattered(std::uint32_t(world * coords + k)); };
    q[0] = q[1] = 0;
    q[2] = kLowest + (kHighest - kLowest) * number(2);
    Real turn[4], square = 0;
    for (int k = 0; k < 4; ++k) turn[k] = number(3 + k) - Real(0.5), square += turn[k] * turn[k];
    for (int k = 0; k < 4; ++k) q[3 + k] = turn[k] / std::sqrt(square);
    for (int k = 7; k < coords; ++k) {
      const int dof = world * dofs + k - 1;
      const Real lower = model.joint_limit_lower[dof], upper = model.joint_limit_upper[dof];
      q[k] = lower + (upper - lower) * number(k);
    }
  }
}

json humanoids(int worlds, int threads, int repeats) {
  const Model model = scenes::humanoids(worlds).finalize();
  const State state = model.state();
  scatter(model, state);
  eval_fk(model, state.joint_q, state.joint_qd, state);
  const Queue queue({}, {.threads = threads});
  CollisionPipeline pipeline(model, {.broad_phase_mode = BroadPhaseMode::kAuto}, &queue);
  const Contacts& contacts = pipeline.collide(state);
  pipeline.collide(state);  // the second one has met as many contacts before, in both of its rooms
  const int count = contacts.rigid_contact_count[0];
  double depth = 0;
  for (int i = 0; i < count; ++i) depth += contacts.rigid_contact_depth[i];
  double seconds = 0;
  const std::int64_t allocations =
      testing::allocations_in([&] { seconds = best_seconds(repeats, [&] { pipeline.collide(state); }); });
  return {{"tier", cpu_tier_name(cpu_tier())},  {"mode", broad_phase_mode_name(pipeline.broad_phase_mode())},
          {"world_s", seconds / worlds},        {"pairs", double(pipeline.shape_pairs().size()) / worlds},
          {"contacts", double(count) / worlds}, {"depth", depth / count},
          {"allocations", allocations}};
}

// -- Modes

constexpr double kMostTests = 3e8;  // of pairs one by one; more are left out

// Spheres of radius 1/2 about as dense as the boxes of collide_broad.cpp: each is near about four others.
Model spheres(int shapes, int worlds) {
  ModelBuilder world;
  world.default_shape_cfg.thickness = 0;
  world.default_shape_cfg.contact_margin = 0;
  const Real side = std::cbrt(Real(shapes) / Real(0.5));
  for (int i = 0; i < shapes; ++i) {
    const auto along = [&](int axis) { return side * scattered(std::uint32_t(3 * i + axis)); };
    world.add_shape_sphere(world.add_body({.xform = {{along(0), along(1), along(2)}, {}}}), Real(0.5));
  }
  ModelBuilder builder;
  builder.replicate(world, worlds);
  return builder.finalize();
}

json modes(int shapes, int worlds, int repeats) {
  const Model model = spheres(shapes, worlds);
  const State state = model.state();
  const Queue queue({}, {.threads = 1});
  json result{{"shapes", shapes}, {"worlds", worlds}, {"world_s", json::object()}};
  struct Way {
    BroadPhaseMode mode;
    CollisionPipeline pipeline;
    double best = std::numeric_limits<double>::max();
  };
  std::vector<Way> ways;
  using enum BroadPhaseMode;
  for (const BroadPhaseMode mode : {kExplicit, kNxn, kSap, kTree}) {
    const bool one_by_one = mode == kExplicit || mode == kNxn;
    if (one_by_one && 0.5 * shapes * shapes * worlds > kMostTests) continue;
    ways.push_back({mode, CollisionPipeline(model, {.broad_phase_mode = mode}, &queue)});
  }
  std::optional<std::int64_t> pairs;
  for (int repeat = 0; repeat < repeats + 2; ++repeat) {
    for (Way& way : ways) {
      const double seconds = best_seconds(1, [&] { way.pipeline.collide(state); });
      if (repeat >= 2) way.best = std::min(way.best, seconds);  // the first two make room
      const std::int64_t found = way.pipeline.shape_pairs().size();
      if (pairs.value_or(found) != found) throw Error("the modes find different pairs");
      pairs = found;
    }
  }
  result["pairs"] = double(pairs.value_or(0)) / worlds;
  for (const Way& way : ways) result["world_s"][broad_phase_mode_name(way.mode)] = way.best / worlds;
  result["auto"] =
      broad_phase_mode_name(CollisionPipeline(model, {.broad_phase_mode = kAuto}, &queue).broad_phase_mode());
  return result;
}

// -- Piles

constexpr Real kPileKeep = Real(1e-3);  // of bodies of 0.2 m [m]
constexpr int kSettle = 600;            // steps

// Bodies of one shape, "box", "hull" (32 vertices) or "cylinder", above each other in a box with four walls.
Model pile(const std::string& shape, int bodies) {
  ModelBuilder builder;
  const int across = std::max(2, int(std::cbrt(bodies)));
  const Real apart = Real(0.25), half = across * apart / 2;
  builder.add_shape_box(-1, 2 * half, 2 * half, 1, {.xform = {{0, 0, -1}, {}}});
  for (const Real side : {Real(-1), Real(1)}) {
    builder.add_shape_box(-1, 1, 2 * half, 20, {.xform = {{side * (half + 1), 0, 20}, {}}});
    builder.add_shape_box(-1, 2 * half, 1, 20, {.xform = {{0, side * (half + 1), 20}, {}}});
  }
  std::vector<Vec3> points;
  for (std::uint32_t i = 0; i < 32; ++i) {
    const auto along = [&](std::uint32_t axis) { return scattered(1000 + 3 * i + axis) - Real(0.5); };
    points.push_back(normalize(Vec3{along(0), along(1), along(2)}) * Real(0.1));
  }
  const auto hull = std::make_shared<const Mesh>(convex_hull(Mesh(points, {})));
  for (int i = 0; i < bodies; ++i) {
    const auto number = [&](int axis) { return scattered(std::uint32_t(7 * i + axis)) - Real(0.5); };
    const Vec3 place{Real(i % across), Real(i / across % across), Real(i / (across * across))};
    const Vec3 p = (place + Vec3{Real(0.5), Real(0.5), Real(0.7)}) * apart - Vec3{half, half, 0};
    const Quat q = normalize(Quat{number(0), number(1), number(2), 1});
    const int body = builder.add_body({.xform = {p, q}});
    if (shape == "box") builder.add_shape_box(body, Real(0.1), Real(0.08), Real(0.06));
    else if (shape == "hull") builder.add_shape_convex_hull(body, hull);
    else if (shape == "cylinder") builder.add_shape_cylinder(body, Real(0.08), Real(0.08));
    else throw Error("not a shape of a pile: " + shape);
  }
  return builder.finalize();
}

json piles(const std::string& shape, int bodies, int repeats) {
  const Model model = pile(shape, bodies);
  const Queue queue({}, {.threads = 1});
  Simulation sim(model, "xpbd", {}, &queue);
  sim.step(kSettle);
  CollisionConfig config{.broad_phase_mode = BroadPhaseMode::kAuto};
  CollisionPipeline found(model, config, &queue);
  config.keep_distance = kPileKeep;
  CollisionPipeline kept(model, config, &queue);
  double found_s = std::numeric_limits<double>::max(), kept_s = found_s;
  for (int repeat = 0; repeat < repeats + 2; ++repeat) {
    const double first = best_seconds(1, [&] { found.collide(sim.state()); });
    const double second = best_seconds(1, [&] { kept.collide(sim.state()); });
    if (repeat >= 2) found_s = std::min(found_s, first), kept_s = std::min(kept_s, second);
  }
  return {{"found_s", found_s},
          {"kept_s", kept_s},
          {"pairs", kept.shape_pairs().size()},
          {"contacts", kept.contacts().rigid_contact_count[0]}};
}

json run(const std::vector<std::string>& args) {
  const std::string what = args.size() == 4 ? args[0] : "";
  const auto number = [&](int i) { return std::stoi(args[i]); };
  if (what == "humanoids") return humanoids(number(1), number(2), number(3));
  if (what == "modes") return modes(number(1), number(2), number(3));
  if (what == "pile") return piles(args[1], number(2), number(3));
  throw Error(
      "usage: carom_bench_collide_worlds humanoids WORLDS THREADS REPEATS | modes SHAPES WORLDS REPEATS | "
      "pile SHAPE BODIES REPEATS");
}

}  // namespace
}  // namespace carom

int main(int argc, char** argv) { return carom::print_json("carom_bench_collide_worlds", argc, argv, carom::run); }
