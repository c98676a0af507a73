// Piles of bodies in one world in the benchmark suite `solvers`, simulated by carom or a peer.
//
//   carom_bench_solvers_pile ENGINE SCENE THREADS SETTLE STEPS [OPTION=VALUE ...]
//
// ENGINE: a solver of carom, "bullet" or "ode", which have one thread. SCENE: "spheres:N" or "boxes:N" in a bin,
// "pyramid:BASE". OPTION: of carom's solver, or contact_keep_distance, of the model. Steps of 1/60 s: SETTLE of them,
// then STEPS that are timed. It prints the best time of a step, how deep bodies are in each other and how far they have
// moved meanwhile. What is there and what is measured is the same for all: bodies come from a model of carom, and its
// pipeline finds the depths.
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/json_program.h"
#include "bench/piles/engine.h"
#include "bench/stopwatch.h"
#include "scenes/scenes.h"

namespace carom {
namespace {

using nlohmann::json;

constexpr Real kStep = Real(1) / 60;  // [s]
constexpr int kWindows = 6;           // the best one counts
constexpr double kBodies = 1000;      // for which the bin has its usual width
constexpr Real kScale = 10;           // bodies of 1 m, for which the tolerances of the peers are meant

// Friction alone: no peer spins or rolls with resistance unless asked to.
Model scene(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) throw Error("not a scene: " + text);
  const std::string kind = text.substr(0, colon);
  const int count = std::stoi(text.substr(colon + 1));
  const ShapeConfig material{.mu = Real(0.5), .torsional_friction = 0, .rolling_friction = 0};
  if (kind == "pyramid") return scenes::pyramid(count, material).finalize();
  if (kind != "spheres" && kind != "boxes") throw Error("not a scene: " + text);
  const scenes::BinArgs defaults;
  const Real half = defaults.half * Real(std::cbrt(count / kBodies));  // piles of all sizes have the same shape
  return scenes::bin(count, kind == "boxes" ? scenes::BinOf::kBoxes : scenes::BinOf::kSpheres,
                     {.half = half, .scale = kScale, .material = material})
      .finalize();
}

// Of all bodies, on the way between two moments [m].
struct Drift {
  double mean = 0, most = 0;

  Drift(const std::vector<Transform>& before, const std::vector<Transform>& after) {
    for (std::size_t b = 0; b < before.size(); ++b) {
      const double way = length(after[b].p - before[b].p);
      mean += way / double(before.size());
      most = std::max(most, way);
    }
  }
};

// Of all contacts that overlap [m].
struct Depth {
  double mean = 0, most = 0;

  Depth(const Model& model, const std::vector<Transform>& X_WB) {
    const State state = model.state();
    std::copy(X_WB.begin(), X_WB.end(), state.body_q.begin());
    CollisionPipeline pipeline(model, {.broad_phase_mode = BroadPhaseMode::kTree});
    const Contacts& contacts = pipeline.collide(state);
    int count = 0;
    for (int i = 0; i < contacts.rigid_contact_count[0]; ++i) {
      const double depth = contacts.rigid_contact_depth[i];
      if (!(depth > 0)) continue;
      mean += depth, ++count;
      most = std::max(most, depth);
    }
    mean /= std::max(count, 1);
  }
};

double mean_height(const std::vector<Transform>& X_WB) {
  double sum = 0;
  for (const Transform& X : X_WB) sum += X.p.z;
  return sum / double(X_WB.size());
}

std::vector<Transform> poses(const PileEngine& engine, const Model& model) {
  std::vector<Transform> X_WB(model.body_count);
  engine.read(X_WB);
  return X_WB;
}

json measure(PileEngine& engine, const Model& model, int settle, int steps) {
  for (int i = 0; i < settle; ++i) engine.step();
  const std::vector<Transform> before = poses(engine, model);
  const int window = std::max(1, steps / kWindows);
  double best = std::numeric_limits<double>::max(), contacts = 0;
  for (int w = 0; w < kWindows; ++w) {
    const double start = now();
    for (int i = 0; i < window; ++i) engine.step();
    best = std::min(best, (now() - start) / window);
    contacts += double(engine.contacts()) / kWindows;
  }
  const std::vector<Transform> after = poses(engine, model);
  const Drift drift(before, after);
  const Depth depth(model, after);
  return {{"name", engine.name()},    {"tier", cpu_tier_name(cpu_tier())}, {"step_s", best},
          {"contacts", contacts},     {"bodies", model.body_count},        {"seconds", kStep * window * kWindows},
          {"mean_drift", drift.mean}, {"most_drift", drift.most},          {"mean_depth", depth.mean},
          {"most_depth", depth.most}, {"mean_height", mean_height(after)}};
}

SolverOption option(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) throw Error("not an option: " + text);
  return {text.substr(0, equals), std::stod(text.substr(equals + 1))};
}

json run(const std::vector<std::string>& args) {
  if (args.size() < 5) throw Error("usage: ENGINE SCENE THREADS SETTLE STEPS [OPTION=VALUE ...]");
  const std::string& name = args[0];
  Model model = scene(args[1]);
  const Queue queue({}, {.threads = std::stoi(args[2])});
  std::vector<SolverOption> options;
  for (std::size_t i = 5; i < args.size(); ++i) {
    const SolverOption given = option(args[i]);
    if (given.name == "contact_keep_distance") model.options.contact_keep_distance = Real(given.value);
    else options.push_back(given);
  }
  const auto names = solver_names();
  std::unique_ptr<PileEngine> engine;
  std::string missing = "carom has no solver " + name;
  if (name == "bullet") {
    engine = bullet_pile(model, kStep), missing = "Bullet was not there: apt-get install libbullet-dev";
  } else if (name == "ode") {
    engine = ode_pile(model, kStep), missing = "ODE was not there: apt-get install libode-dev";
  } else if (std::find(names.begin(), names.end(), name) != names.end()) {
    engine = carom_pile(model, kStep, name, options, queue);
  }
  return engine ? measure(*engine, model, std::stoi(args[3]), std::stoi(args[4])) : json{{"missing", missing}};
}

}  // namespace
}  // namespace carom

int main(int argc, char** argv) { return carom::print_json("carom_bench_solvers_pile", argc, argv, carom::run); }
