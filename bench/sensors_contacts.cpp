// carom's contact sensors in the benchmark suite `sensors`: humanoids that fall and move their joints at random, with
// contact sensors on their bodies; or balls that rest on the ground, with contact sensors that look at all of them.
// Prints the best time of a step of a world.
//
//   carom_bench_sensors_contacts WORLDS SENSORS NUM STEPS THREADS REPEATS [BALLS]
//
// STEPS of a call of Simulation::step().
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "alloc_counter.h"
#include "bench/json_program.h"
#include "bench/stopwatch.h"
#include "carom/carom.h"
#include "scenes/random_controls.h"
#include "scenes/scenes.h"

namespace carom {
namespace {

using nlohmann::json;

// With one reduction after the other: what they touch, how hard, where, and which way. of(i): what sensor i looks at.
template <class Object>
void add_sensors(ModelBuilder& robot, int sensors, int num, int with_each_reduction, Object of) {
  constexpr int kData = kContactFound | kContactForce | kContactPos | kContactNormal | kContactTangent;
  for (int i = 0; i < sensors; ++i) {
    const auto reduce = static_cast<ContactReduce>(i / with_each_reduction % 4);
    robot.add_sensor_contact({}, of(i), {.data = kData, .reduce = reduce, .num = num});
  }
}

// On body after body.
ModelBuilder humanoid(int sensors, int num) {
  ModelBuilder robot = scenes::humanoid();
  const int bodies = robot.count(Entity::kBody);
  add_sensors(robot, sensors, num, bodies,
              [&](int i) { return SensedObject{.type = SensorObject::kBody, .index = i % bodies}; });
  return robot;
}

// A contact each, all of which every sensor sees.
ModelBuilder balls(int count, int sensors, int num) {
  constexpr Real kRadius = Real(0.1);
  ModelBuilder world;
  for (int i = 0; i < count; ++i) {
    const int ball = world.add_body({.xform = {{3 * kRadius * i, 0, kRadius}, {}}});
    world.add_shape_sphere(ball, kRadius);
  }
  add_sensors(world, sensors, num, 1, [](int) { return SensedObject{}; });
  return world;
}

json measure(const ModelBuilder& world, int worlds, int steps_of_call, int threads, int repeats) {
  ModelBuilder scene;
  scene.add_ground_plane();
  scene.replicate(world, worlds);
  const Model model = scene.finalize();
  const Queue queue({}, {.threads = threads});
  Simulation simulation(model, kDefaultSolver, scenes::kHumanoidStep, &queue);
  constexpr int kSettle = 150, kSteps = 10;
  int count = 0;
  const auto step = [&](int steps) {
    scenes::random_controls(model, simulation.control(), 1, count++);
    for (int i = 0; i < steps; i += steps_of_call) simulation.step(steps_of_call);
  };
  for (int i = 0; i < kSettle / kSteps; ++i) step(kSteps);
  double seconds = std::numeric_limits<double>::max(), contacts = 0;
  int looks = 0;  // the run is repeated
  const std::int64_t allocations = testing::allocations_in([&] {
    for (int repeat = 0; repeat < repeats; ++repeat) {
      const double start = now();
      step(kSteps);
      seconds = std::min(seconds, now() - start);
      contacts += double(simulation.contacts().rigid_contact_count[0]) / worlds;
      ++looks;
    }
  });
  return {{"tier", cpu_tier_name(cpu_tier())},
          {"world_s", seconds / worlds / kSteps},
          {"contacts", contacts / looks},
          {"allocations", allocations}};
}

json run(const std::vector<std::string>& args) {
  if (args.size() < 6 || args.size() > 7) throw Error("usage: WORLDS SENSORS NUM STEPS THREADS REPEATS [BALLS]");
  std::vector<int> n;
  for (const std::string& arg : args) n.push_back(std::stoi(arg));
  const ModelBuilder world = n.size() > 6 ? balls(n[6], n[1], n[2]) : humanoid(n[1], n[2]);
  return measure(world, n[0], n[3], n[4], n[5]);
}

}  // namespace
}  // namespace carom

int main(int argc, char** argv) { return carom::print_json("carom_bench_sensors_contacts", argc, argv, carom::run); }
