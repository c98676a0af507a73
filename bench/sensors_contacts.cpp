// carom's contact sensors in the benchmark suite `sensors`: humanoids that fall and move their joints at random, with
// contact sensors on their bodies. Prints the best time of a step of a world.
//
//   carom_bench_sensors_contacts WORLDS SENSORS NUM STEPS THREADS REPEATS
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

// On body after body, with one reduction after the other: what they touch, how hard, where, and which way.
void add_sensors(ModelBuilder& robot, int sensors, int num) {
  constexpr int kData = kContactFound | kContactForce | kContactPos | kContactNormal | kContactTangent;
  const int bodies = robot.count(Entity::kBody);
  for (int i = 0; i < sensors; ++i) {
    const SensorConfig cfg{.data = kData, .reduce = static_cast<ContactReduce>(i / bodies % 4), .num = num};
    robot.add_sensor_contact({}, {.type = SensorObject::kBody, .index = i % bodies}, cfg);
  }
}

json measure(int worlds, int sensors, int num, int steps_of_call, int threads, int repeats) {
  ModelBuilder robot = scenes::humanoid(), scene;
  add_sensors(robot, sensors, num);
  scene.add_ground_plane();
  scene.replicate(robot, worlds);
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
  const std::int64_t allocations = testing::allocations_in([&] {
    for (int repeat = 0; repeat < repeats; ++repeat) {
      const double start = now();
      step(kSteps);
      seconds = std::min(seconds, now() - start);
      contacts += double(simulation.contacts().rigid_contact_count[0]) / worlds / repeats;
    }
  });
  return {{"tier", cpu_tier_name(cpu_tier())},
          {"world_s", seconds / worlds / kSteps},
          {"contacts", contacts},
          {"allocations", allocations}};
}

json run(const std::vector<std::string>& args) {
  if (args.size() != 6) throw Error("usage: WORLDS SENSORS NUM STEPS THREADS REPEATS");
  std::vector<int> n;
  for (const std::string& arg : args) n.push_back(std::stoi(arg));
  return measure(n[0], n[1], n[2], n[3], n[4], n[5]);
}

}  // namespace
}  // namespace carom

int main(int argc, char** argv) { return carom::print_json("carom_bench_sensors_contacts", argc, argv, carom::run); }
