// carom demo: thousands of worlds of four kinds in one model, moved by kinematics, one world at a time and in lanes,
// with one and with all threads. The times differ, the bits do not.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <thread>

#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/table.h"
#include "scenes/fingerprint.h"
#include "scenes/scenes.h"

namespace carom::cli {

namespace {

double seconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

ModelBuilder many_worlds(int worlds) {
  ModelBuilder builder;
  builder.add_ground_plane(0, {.key = "ground"});
  const ModelBuilder kinds[] = {scenes::walker(), scenes::chain(12), scenes::cart_pole()};
  builder.replicate(kinds[0], (worlds + 1) / 2);
  for (int i = builder.world_count(); i < worlds; ++i) builder.add_world(kinds[1 + i % 2]);
  return builder;
}

// Joint angles that differ from world to world, velocities too.
void scatter_joints(const Model& model, const State& state) {
  std::mt19937 random(7);
  std::uniform_real_distribution<Real> uniform(-1, 1);
  for (int j = 0; j < model.joint_count; ++j) {
    const JointType type = static_cast<JointType>(model.joint_type[j]);
    for (int i = model.joint_qd_start[j]; i < model.joint_qd_start[j + 1]; ++i) state.joint_qd[i] = uniform(random);
    if (type == JointType::kFree || type == JointType::kBall) continue;
    for (int i = model.joint_q_start[j]; i < model.joint_q_start[j + 1]; ++i) state.joint_q[i] = uniform(random);
  }
}

void show_kinematics(const Model& model, const State& state) {
  const int cores = std::max(1u, std::thread::hardware_concurrency());
  Table table({"forward kinematics of all worlds", "threads", "ms", "ns per body", "million bodies/s", "bits"});
  for (const int threads : cores > 1 ? std::vector<int>{1, cores} : std::vector<int>{1}) {
    for (const int lanes : {1, 0}) {
      const Queue queue({}, {.threads = threads, .lanes = lanes});
      double best = 1e9;
      for (int repeat = 0; repeat < 20; ++repeat) {
        const auto start = std::chrono::steady_clock::now();
        eval_fk(model, state.joint_q, state.joint_qd, state, {}, &queue);
        best = std::min(best, seconds(start));
      }
      table.add({lanes == 1 ? "one world at a time"
                            : std::string("worlds side by side in lanes (") + cpu_tier_name(cpu_tier()) + ")",
                 std::to_string(threads), format("%.2f", best * 1e3), format("%.1f", best * 1e9 / model.body_count),
                 format("%.0f", model.body_count / best / 1e6), scenes::fingerprint(state)});
    }
  }
  table.print();
}

// How far coordinates come back wrong from forward and inverse kinematics.
void show_round_trip(const Model& model, const State& state) {
  const Array<Real> q(model.joint_coord_count), qd(model.joint_dof_count);
  eval_ik(model, state, q, qd);
  Real worst = 0;
  for (int i = 0; i < model.joint_coord_count; ++i) worst = std::max(worst, std::abs(q[i] - state.joint_q[i]));
  std::printf("inverse kinematics gives all %s coordinates back to %.1e\n", grouped(model.joint_coord_count).c_str(),
              static_cast<double>(worst));
}

void show_one_walker(const Model& model, const State& state) {
  Table table({"world 0", "x m", "y m", "z m", "speed m/s"});
  for (const char* key : {"trunk", "head", "shank_0", "shank_3"}) {
    const int body = model.find_body(key, 0);
    const Vec3 p = state.body_q[body].p;
    table.add({key, format("%.3f", p.x), format("%.3f", p.y), format("%.3f", p.z),
               format("%.3f", length(state.body_qd[body].linear))});
  }
  table.print();
}

}  // namespace

void demo(const DemoArgs& args) {
  auto start = std::chrono::steady_clock::now();
  const ModelBuilder builder = many_worlds(args.worlds);
  const double build_time = seconds(start);
  start = std::chrono::steady_clock::now();
  const Model model = builder.finalize();
  std::printf("carom %s: %s worlds described in %.0f ms, finalized in %.0f ms\n\n", kVersion,
              grouped(model.world_count).c_str(), build_time * 1e3, seconds(start) * 1e3);
  print_counts(model);
  std::printf("\n");
  print_archetypes(model);
  std::printf("\n");

  const State state = model.state();
  scatter_joints(model, state);
  show_kinematics(model, state);
  std::printf("\n");
  show_one_walker(model, state);
  std::printf("\n");
  show_round_trip(model, state);
  if (!args.save.empty()) {
    model.save(args.save);
    std::printf("model saved as %s; look at it with: carom info %s\n", args.save.c_str(), args.save.c_str());
  }
}

}  // namespace carom::cli
