// carom demo: thousands of humanoids under random controls, with one and with all threads. The times differ, the bits
// do not. A picture shows one of them falling.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numbers>
#include <numeric>

#include "cli/camera.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/solver_args.h"
#include "cli/table.h"
#include "scenes/energy.h"
#include "scenes/fingerprint.h"
#include "scenes/random_controls.h"
#include "scenes/scenes.h"

namespace carom::cli {

namespace {

constexpr int kHold = 20;           // steps with the same control
constexpr int kHoldsPerPose = 2;    // between the poses of the picture
constexpr std::size_t kPoses = 12;  // at most: the fall, and a little of what comes after

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

int steps_of(double seconds) {
  if (!(seconds >= scenes::kHumanoidStep && seconds <= 3600))
    throw Error("demo: --seconds " + format("%g", seconds) + " cannot be simulated: use " +
                format("%g", scenes::kHumanoidStep) + " (one step) to 3600");
  return static_cast<int>(std::lround(seconds / scenes::kHumanoidStep));
}

std::ofstream open_picture(const std::string& path, std::ios::openmode mode) {
  std::ofstream file(path, mode);
  if (!file) throw Error("demo: cannot write the picture to '" + path + "'; give --out a file in a folder that exists");
  return file;
}

// -- One run of all worlds.

struct Run {
  int threads = 0;
  double wall = 0;                                // [s]
  double contacts = 0, rows = 0, iterations = 0;  // means over worlds and samples
  double energy_start = 0, energy_end = 0;        // means over worlds [J]
  int flagged = 0;                                // worlds with bits in their status
  std::string state;
};

// Sums of what the solver reports about the last step of each hold.
void add_reports(Run& run, const Simulation& sim) {
  const SolverReports& reports = sim.solver().reports();
  for (const std::int32_t contacts : reports.contacts) run.contacts += contacts;
  for (const std::int32_t rows : reports.rows) run.rows += rows;
  for (const std::int32_t iterations : reports.iterations) run.iterations += iterations;
}

int shape_tone(const std::string& key) { return key.ends_with("_right") ? 1 : key.ends_with("_left") ? 2 : 0; }

Run simulate(const Model& model, const DemoArgs& args, int steps, int threads, const Camera& camera,
             std::vector<Pose>& poses) {
  const Queue queue({}, {.threads = threads});
  Simulation sim(model, make_solver(args.solver, model, &queue), scenes::kHumanoidStep,
                 parse_contact_rule(args.contacts));
  Run run{.threads = threads, .state = {}};
  run.energy_start = mean(scenes::energies(model, sim.state()));
  poses = {camera.take(model, sim.state(), nullptr, 0, 0, shape_tone)};
  std::vector<std::int32_t> bits(model.world_count, 0);
  Progress progress(std::to_string(threads) + (threads == 1 ? " thread " : " threads"));
  int samples = 0;
  for (int step = 0; step < steps;) {
    scenes::random_controls(model, sim.control(), args.seed, samples);
    const int n = std::min(kHold, steps - step);
    const auto start = std::chrono::steady_clock::now();
    const Array<std::int32_t>& status = sim.step(n);
    run.wall += seconds_since(start);
    step += n;
    for (int world = 0; world < model.world_count; ++world) bits[world] |= status[world];
    add_reports(run, sim);
    if (++samples % kHoldsPerPose == 0 && poses.size() < kPoses) {
      poses.push_back(camera.take(model, sim.state(), &sim.contacts(), 0, step * double{sim.dt()}, shape_tone));
    }
    progress.show(static_cast<double>(step) / steps);
  }
  for (double* sum : {&run.contacts, &run.rows, &run.iterations})
    *sum /= static_cast<double>(samples) * model.world_count;
  run.flagged = static_cast<int>(std::count_if(bits.begin(), bits.end(), [](int b) { return b != 0; }));
  run.energy_end = mean(scenes::energies(model, sim.state()));
  run.state = scenes::fingerprint(sim.state());
  return run;
}

// -- What is printed and drawn.

void print_scene(const Model& model, const DemoArgs& args, double build_time) {
  const auto of_one = [&](int count) { return count / model.world_count; };
  double mass = 0;
  for (int b = model.body_world_start[0]; b < model.body_world_start[1]; ++b) mass += model.body_mass[b];
  std::printf("carom %s: %s worlds, described in %.0f ms\n\n", kVersion, grouped(model.world_count).c_str(),
              build_time * 1e3);
  std::printf("  In each a humanoid of %.1f kg stands on the ground: %d bodies, %d degrees of freedom, %d motors.\n",
              mass, of_one(model.body_count), of_one(model.joint_dof_count), of_one(model.actuator_count));
  std::printf("  Random controls, new ones every %.1f s, for %g s in steps of %g ms; lanes of %s.\n\n",
              kHold * double{scenes::kHumanoidStep}, args.seconds, 1e3 * double{scenes::kHumanoidStep},
              cpu_tier_name(cpu_tier()));
  std::fflush(stdout);
}

void print_runs(const std::vector<Run>& runs, const Model& model, int steps) {
  Table table({"threads", "steps/s", "x real time", "contacts", "rows", "iterations", "J at start", "J at end",
               "flagged worlds", "bits of the state"});
  for (const Run& run : runs) {
    const double rate = static_cast<double>(steps) * model.world_count / run.wall;
    table.add({std::to_string(run.threads), grouped(std::llround(rate)),
               grouped(std::llround(rate * scenes::kHumanoidStep)), format("%.2f", run.contacts),
               format("%.2f", run.rows), format("%.2f", run.iterations), format("%.1f", run.energy_start),
               format("%.1f", run.energy_end), grouped(run.flagged), run.state});
  }
  table.print();
  std::printf(
      "\n  Contacts, rows of the constraint problem, Newton iterations and energy are means per world. A world is\n"
      "  flagged when contacts did not fit, a number was not finite or the solver did not converge.\n");
}

void draw(const DemoArgs& args, const Camera& camera, std::vector<Pose> poses) {
  Picture picture{.title = "A humanoid under random controls",
                  .subtitle = "World 0 of " + grouped(args.worlds) + ", seen obliquely from above at " +
                              std::to_string(poses.size()) + " times",
                  .tones = {"trunk", "right side", "left side"},
                  .ground_slope = camera.ground_slope(),
                  .poses = {}};
  picture.poses = std::move(poses);
  std::ofstream file = open_picture(args.out, std::ios::trunc);
  file << to_svg(picture);
  file.close();
  if (!file) throw Error("demo: the picture could not be written to '" + args.out + "'; is the disk full?");
  std::printf("  Picture of world 0: %s\n", args.out.c_str());
}

}  // namespace

void demo(const DemoArgs& args) {
  const int steps = steps_of(args.seconds);
  const int all = Queue({}, {.threads = args.threads}).threads();
  // A wrong path is told at once; an old picture stays until there is a new one.
  open_picture(args.out, std::ios::app);

  const auto start = std::chrono::steady_clock::now();
  const Model model = scenes::humanoids(args.worlds).finalize();
  print_scene(model, args, seconds_since(start));

  constexpr double kDegree = std::numbers::pi / 180;
  const Camera camera(-50 * kDegree, 14 * kDegree);
  std::vector<Pose> poses;
  std::vector<Run> runs{simulate(model, args, steps, 1, camera, poses)};
  if (all > 1) runs.push_back(simulate(model, args, steps, all, camera, poses));
  print_runs(runs, model, steps);
  draw(args, camera, std::move(poses));
  if (!args.save.empty()) {
    model.save(args.save);
    std::printf("  Model: %s; look at it with: carom info %s\n", args.save.c_str(), args.save.c_str());
  }
  if (runs.front().state != runs.back().state)
    throw Error("demo: the state depends on the number of threads, which is a defect of carom; please report it");
}

}  // namespace carom::cli
