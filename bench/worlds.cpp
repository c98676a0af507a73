// carom's side of the benchmark suite `worlds`: many copies of a six-legged robot with 20 links and 25 shapes are
// described, finalized and moved by kinematics. Every run measures one thing and prints it as a JSON object:
//
//   carom_bench_worlds tiers                      the CPU tiers that run here, and the one in use
//   carom_bench_worlds finalize WORLDS            times, and the peak memory of the process, which did nothing else
//   carom_bench_worlds fk WORLDS THREADS REPEATS  one world at a time and in lanes, in turn: best time, bits and
//                                                 allocations
//
// Which runs there are, and what their figures are held against, is said in bench/worlds.py.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "alloc_counter.h"
#include "bench/json_program.h"
#include "scenes/fingerprint.h"
#include "scenes/scenes.h"

namespace carom {
namespace {

using nlohmann::json;

template <class Fn>
double seconds(const Fn& fn) {
  const auto start = std::chrono::steady_clock::now();
  fn();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Largest resident memory of this process so far [MB]. Not getrusage(): its figure starts at the size of the process
// that started this one.
double peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != "VmHWM:") continue;
    double kib = 0;
    status >> kib;
    return kib * 1024 / 1e6;
  }
  throw Error("/proc/self/status does not say VmHWM: peak memory is measured on Linux only");
}

json tiers() {
  json names = json::array();
  for (int tier = 0; tier < cpu_tier_count(); ++tier) {
    if (cpu_tier_supported(tier)) names.push_back(cpu_tier_name(tier));
  }
  return {{"tiers", names}, {"in_use", cpu_tier_name(cpu_tier())}};
}

json finalize(int worlds) {
  ModelBuilder builder;
  Model model;
  const double replicate_s = seconds([&] { builder.replicate(scenes::walker(), worlds); });
  const double finalize_s = seconds([&] { model = builder.finalize(); });
  return {{"bodies", model.body_count}, {"shapes", model.shape_count}, {"joint_dofs", model.joint_dof_count},
          {"replicate_s", replicate_s}, {"finalize_s", finalize_s},    {"peak_mb", peak_memory()}};
}

// Number i of a sequence in [-1/2, 1/2) that any language writes down in one line (Knuth's multiplicative hash).
Real scattered(std::uint32_t i) { return static_cast<Real>((i * 2654435761u) / 0x1p32 - 0.5); }

// Every coordinate and velocity its own number; the free trunk, which comes first in its world, is turned the same way
// everywhere.
void scatter(const Model& model, const State& state) {
  const int coords = model.joint_coord_count / model.world_count;
  const Real turn[] = {Real(0.5), Real(-0.5), Real(0.5), Real(0.5)};
  for (int i = 0; i < model.joint_coord_count; ++i) {
    const int k = i % coords - 3;
    state.joint_q[i] = k >= 0 && k < 4 ? turn[k] : scattered(i);
  }
  for (int i = 0; i < model.joint_dof_count; ++i) state.joint_qd[i] = scattered(i);
}

// Something to compare with a peer whose bits are its own: the mean of all body positions' coordinates [m].
double mean_position(const State& state) {
  double sum = 0;
  for (const Transform& X_WB : state.body_q) sum += double(X_WB.p.x) + double(X_WB.p.y) + double(X_WB.p.z);
  return sum / (3.0 * state.body_q.size());
}

json fk(int worlds, int threads, int repeats) {
  ModelBuilder builder;
  builder.replicate(scenes::walker(), worlds);
  const Model model = builder.finalize();
  const State state = model.state();
  scatter(model, state);

  struct Way {
    const char* name;
    Queue queue;
    double best = 1e9;
    std::int64_t allocations = 0;
  };
  Way ways[] = {{"one", Queue({}, {.threads = threads, .lanes = 1})}, {"lanes", Queue({}, {.threads = threads})}};
  const auto move = [&](const Way& way) { eval_fk(model, state.joint_q, state.joint_qd, state, {}, &way.queue); };
  json result{{"tier", cpu_tier_name(cpu_tier())}};
  for (const Way& way : ways) {  // warms up, too
    std::ranges::fill(state.body_q, Transform{});
    std::ranges::fill(state.body_qd, SpatialVector{});
    move(way);
    result[way.name]["bits"] = scenes::fingerprint(state);
  }
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (Way& way : ways) {
      way.allocations += testing::allocations_in([&] { way.best = std::min(way.best, seconds([&] { move(way); })); });
    }
  }
  for (const Way& way : ways) {
    result[way.name]["seconds"] = way.best;
    result[way.name]["allocations"] = way.allocations;
  }
  result["mean_position"] = mean_position(state);
  return result;
}

json run(const std::vector<std::string>& args) {
  const std::string what = args.empty() ? "" : args[0];
  const auto number = [&](int i) { return std::stoi(args[i]); };
  if (what == "tiers" && args.size() == 1) return tiers();
  if (what == "finalize" && args.size() == 2) return finalize(number(1));
  if (what == "fk" && args.size() == 4) return fk(number(1), number(2), number(3));
  throw Error("usage: carom_bench_worlds tiers | finalize WORLDS | fk WORLDS THREADS REPEATS");
}

}  // namespace
}  // namespace carom

int main(int argc, char** argv) { return carom::print_json("carom_bench_worlds", argc, argv, carom::run); }
