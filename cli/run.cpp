// carom run: steps the worlds of a model file under zero, random or recorded controls, and says what became of them.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numbers>
#include <numeric>

#include <nlohmann/json.hpp>

#include "cli/camera.h"
#include "cli/commands.h"
#include "cli/controls.h"
#include "cli/load_model.h"
#include "cli/plot.h"
#include "cli/progress.h"
#include "cli/recording.h"
#include "cli/solver_args.h"
#include "cli/table.h"
#include "scenes/energy.h"

namespace carom::cli {

namespace {

constexpr int kPictures = 12;
constexpr int kLookEvery = 20;  // steps between two looks at contacts
constexpr int kPlotPoints = 500;

struct StatusCounts {
  int overflow = 0, not_finite = 0, not_converged = 0;  // worlds
};

struct Outcome {
  double wall = 0;                          // [s], of the steps alone
  double contacts = 0;                      // mean over worlds and looks
  double deepest = 0;                       // penetration [m]
  double energy_start = 0, energy_end = 0;  // means over worlds [J]
  StatusCounts status;
};

// A run on a device, and what can be read of it on the CPU.
struct Running {
  const RunArgs& args;
  Model model, host;  // the same one when it is on the CPU
  Simulation sim;
  State host_state;
  Controls controls;
  std::optional<Recording> recording{};
  Camera camera{-50 * std::numbers::pi / 180, 14 * std::numbers::pi / 180};
  std::vector<Pose> poses{};
  Plot plot{};
  std::vector<std::int32_t> bits{};
  Outcome outcome{};
  int looks = 0;

  const State& look_at_state() {
    if (model.device.is_cpu()) return sim.state();
    host_state.body_q.assign(sim.state().body_q);
    host_state.body_qd.assign(sim.state().body_qd);
    return host_state;
  }
};

double mean_of(const std::vector<double>& values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void look_at_contacts(Running& run) {
  const Contacts& contacts = run.sim.contacts();
  const int count = contacts.rigid_contact_count.on_cpu()[0];
  const Array<Real> depth = contacts.rigid_contact_depth.on_cpu();
  for (int c = 0; c < count; ++c) run.outcome.deepest = std::max(run.outcome.deepest, double{depth[c]});
  run.outcome.contacts += static_cast<double>(count) / std::max(1, run.model.world_count);
  ++run.looks;
}

void keep_status(Running& run) {
  const Array<std::int32_t> status = run.sim.status().on_cpu();
  for (int world = 0; world < run.model.world_count; ++world)
    run.bits[static_cast<std::size_t>(world)] |= status[world];
}

int plain_tone(const std::string&) { return 0; }

void take_pose(Running& run, int step) {
  const Contacts* contacts = run.model.device.is_cpu() && step > 0 ? &run.sim.contacts() : nullptr;
  run.poses.push_back(
      run.camera.take(run.host, run.look_at_state(), contacts, 0, step * double{run.sim.dt()}, plain_tone));
}

// The next step at which something has to be done between two steps.
int next_stop(const Running& run, int step, int pose_every) {
  const auto multiple_after = [&](int every) { return step - step % every + every; };
  int stop = std::min({run.args.steps, run.controls.next_change(step), multiple_after(kLookEvery)});
  if (run.recording) stop = std::min(stop, multiple_after(run.args.every));
  if (!run.args.picture.empty()) stop = std::min(stop, multiple_after(pose_every));
  if (!run.args.plot.empty()) stop = std::min(stop, multiple_after(std::max(1, run.args.steps / kPlotPoints)));
  return stop;
}

// The force on the second object, mean over the steps since the last look.
void add_to_plot(Running& run, int step) {
  const Sensors& sensors = run.sim.sensors();
  run.plot.time.push_back(step * double{run.sim.dt()});
  std::size_t next = 0;
  for (std::size_t i = 0; i < sensors.channels().size(); ++i) {
    const SensorChannel& channel = sensors.channels()[i];
    if (channel.type != SensorType::kContact) continue;
    const ContactReadings readings = sensors.contact_readings(static_cast<int>(i));
    const Array<Vec3> impulse = readings.impulse_on_second.on_cpu();
    const Real seconds = readings.duration.on_cpu()[0];
    for (int member = 0; member < channel.width(); ++member) {
      const std::string name =
          channel.members.empty() ? channel.key : channel.members[static_cast<std::size_t>(member)];
      if (next == run.plot.lines.size()) run.plot.lines.push_back({name, {}});
      run.plot.lines[next++].values.push_back(seconds > 0 ? double{length(impulse[member]) / seconds} : 0);
    }
  }
}

void set_controls(Running& run, int step) {
  if (!run.controls.set(step)) return;
  run.sim.control().ctrl.assign(run.controls.control().ctrl);
  if (run.recording) run.recording->add_controls(run.controls.control(), step);
}

void step_all(Running& run) {
  const int pose_every = std::max(1, (run.args.steps + kPictures - 2) / (kPictures - 1));
  Progress progress("stepping");
  if (run.recording) run.recording->add(run.sim, 0);
  if (!run.args.picture.empty()) take_pose(run, 0);
  for (int step = 0; step < run.args.steps;) {
    set_controls(run, step);
    const int stop = next_stop(run, step, pose_every);
    const auto start = std::chrono::steady_clock::now();
    run.sim.step(stop - step);
    run.outcome.wall += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    step = stop;
    keep_status(run);
    // At steps that depend on nothing but their number, so that the means do not, either.
    if (step % kLookEvery == 0 || step == run.args.steps) look_at_contacts(run);
    if (run.recording && step % run.args.every == 0) run.recording->add(run.sim, step * double{run.sim.dt()});
    if (!run.args.picture.empty() && step % pose_every == 0) take_pose(run, step);
    if (!run.args.plot.empty()) add_to_plot(run, step);
    progress.show(static_cast<double>(step) / run.args.steps);
  }
}

// -- What is printed and drawn

nlohmann::ordered_json summary(const Running& run, int threads) {
  const Outcome& o = run.outcome;
  const double world_steps = static_cast<double>(run.args.steps) * run.model.world_count;
  return {{"file", run.args.path},
          {"device", run.model.device.name()},
          {"solver", run.sim.solver().name()},
          {"threads", threads},
          {"worlds", run.model.world_count},
          {"steps", run.args.steps},
          {"timestep", run.sim.dt()},
          {"seconds", o.wall},
          {"steps_per_second", o.wall > 0 ? world_steps / o.wall : 0},
          {"contacts", o.contacts},
          {"deepest", o.deepest},
          {"energy_start", o.energy_start},
          {"energy_end", o.energy_end},
          {"status",
           {{"overflow", o.status.overflow},
            {"not_finite", o.status.not_finite},
            {"not_converged", o.status.not_converged}}}};
}

std::string status_text(const StatusCounts& status) {
  std::string text;
  const auto add = [&](int worlds, const char* what) {
    if (worlds > 0) text += (text.empty() ? "" : ", ") + grouped(worlds) + " " + what;
  };
  add(status.overflow, "without room");
  add(status.not_finite, "not finite");
  add(status.not_converged, "not converged");
  return text.empty() ? "ok" : text;
}

void print_summary(const Running& run, int threads) {
  const Outcome& o = run.outcome;
  const double rate = static_cast<double>(run.args.steps) * run.model.world_count / std::max(o.wall, 1e-9);
  Table table({"worlds", "steps", "on", "steps/s", "x real time", "contacts", "deepest mm", "J at start", "J at end",
               "status"});
  const std::string where = run.model.device.is_cpu()
                                ? std::to_string(threads) + (threads == 1 ? " thread" : " threads")
                                : run.model.device.name();
  table.add({grouped(run.model.world_count), grouped(run.args.steps), where, grouped(std::llround(rate)),
             grouped(std::llround(rate * double{run.sim.dt()})), format("%.2f", o.contacts),
             format("%.3g", o.deepest * 1e3), format("%.4g", o.energy_start), format("%.4g", o.energy_end),
             status_text(o.status)});
  table.print();
  std::printf(
      "\n  Contacts and energy (of motion and height) are means per world; status: worlds in which it happened.\n");
}

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::trunc);
  file << text;
  file.close();
  if (!file) throw Error("run: cannot write to '" + path + "'");
}

void draw_run(Running& run) {
  if (run.poses.size() > kPictures) run.poses.resize(kPictures);
  fit_to_places(run.poses);
  Picture picture{.title = file_name(run.args.path),
                  .subtitle = "World 0 of " + grouped(run.model.world_count) + ", seen obliquely from above",
                  .tones = {},
                  .ground_slope = run.camera.ground_slope(),
                  .poses = std::move(run.poses)};
  write_file(run.args.picture, to_svg(picture));
}

void draw_plot(Running& run) {
  run.plot.title = file_name(run.args.path) + ": contact forces of world 0";
  run.plot.unit = "force [N]";
  write_file(run.args.plot, to_svg(run.plot));
}

// A path that cannot be written is told before the run, not after it; an old file stays until there is a new one.
void check_writable(const std::string& path) {
  if (!path.empty() && !std::ofstream(path, std::ios::app))
    throw Error("run: cannot write to '" + path + "'; give a file in a folder that exists");
}

void finish(Running& run) {
  run.outcome.contacts /= std::max(1, run.looks);
  run.outcome.energy_end = mean_of(scenes::energies(run.host, run.look_at_state()));
  for (const std::int32_t bits : run.bits) {
    run.outcome.status.overflow += (bits & kStatusOverflow) != 0;
    run.outcome.status.not_finite += (bits & kStatusNotFinite) != 0;
    run.outcome.status.not_converged += (bits & kStatusNotConverged) != 0;
  }
  if (run.recording) run.recording->write(run.args.record);
  if (!run.args.picture.empty()) draw_run(run);
  if (!run.args.plot.empty()) draw_plot(run);
}

}  // namespace

int run_model(const RunArgs& args) {
  check_writable(args.record);
  check_writable(args.picture);
  check_writable(args.plot);
  const Device device = Device::parse(args.device);
  const LoadedModel loaded = load_model(args.path, args.worlds, device);
  print_warnings(loaded);
  const Model host = device.is_cpu() ? loaded.model : load_model(args.path, args.worlds).model;
  if (host.world_count == 0) throw Error("run: '" + args.path + "' has no worlds");
  const Queue queue(device, {.threads = args.threads});
  Simulation sim(loaded.model, make_solver(args.solver, loaded.model, &queue), {}, parse_contact_rule(args.contacts));
  std::vector<Real> held;
  if (args.controls == "keyframe") held = find_keyframe(loaded, args.keyframe, "run").ctrl;
  if (!args.keyframe.empty()) begin_at(find_keyframe(loaded, args.keyframe, "run"), sim.state());
  Running run{args, loaded.model, host, sim, host.state(), Controls(host, args.controls, args.seed, args.hold, held)};
  run.bits.assign(static_cast<std::size_t>(host.world_count), 0);
  if (args.record.ends_with(".csv") && host.sensor_count == 0)
    throw Error("run: '" + args.path + "' has no sensors, and a .csv file has nothing else; record an .npz file");
  const Array<int> types = host.sensor_type;
  if (!args.plot.empty() &&
      std::find(types.begin(), types.end(), static_cast<int>(SensorType::kContact)) == types.end())
    throw Error("run: '" + args.path + "' has no contact sensors to plot; add <contact> to its <sensor>");
  if (!args.record.empty()) run.recording.emplace(host, args.steps / args.every + 1);
  run.outcome.energy_start = mean_of(scenes::energies(host, run.look_at_state()));
  step_all(run);
  finish(run);
  if (args.json) {
    std::printf("%s\n", summary(run, queue.threads()).dump(1).c_str());
  } else {
    print_summary(run, queue.threads());
  }
  return run.outcome.status.not_finite > 0 ? 1 : 0;
}

}  // namespace carom::cli
