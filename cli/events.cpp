// carom events: integrates the worlds of a model file from event to event, and lists these.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>

#include <nlohmann/json.hpp>

#include "carom/event_stepper.h"
#include "carom/query.h"
#include "cli/commands.h"
#include "cli/load_model.h"
#include "cli/plot.h"
#include "cli/progress.h"
#include "cli/table.h"

namespace carom::cli {

namespace {

constexpr int kParts = 100;        // of a run, between two looks at the progress
constexpr double kSamples = 1000;  // of the plot

EventStepperConfig config_of(const EventsArgs& args) {
  EventStepperConfig config;
  config.tolerance = args.tolerance.value_or(config.tolerance);
  config.stick_speed = args.stick_speed.value_or(config.stick_speed);
  config.slide_speed = args.slide_speed.value_or(config.slide_speed);
  config.stiffness_scale = args.stiffness_scale.value_or(config.stiffness_scale);
  if (!args.method.empty()) config.method = parse_integration_method(args.method);
  if (!args.response.empty()) config.response = parse_contact_response(args.response);
  if (!args.hits.empty()) config.hits = parse_hit_order(args.hits);
  for (const std::string& material : args.materials) {
    const std::size_t equals = material.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Error("events: --material '" + material + "' is not of the form key=name");
    config.materials.emplace_back(material.substr(0, equals), material.substr(equals + 1));
  }
  return config;
}

struct Names {
  std::string first, second;
};
Names names_of(const Model& model, const Event& event) {
  if (event.kind == EventKind::kUser) return {event.name, ""};
  const Index2 pair = shapes_of_pair(event.pair);
  return {model.key(Entity::kShape, pair[0]), model.key(Entity::kShape, pair[1])};
}

std::string seconds_of(double time) { return format("%.9f", time); }

void print_table(const Model& model, const std::vector<Event>& events, int rows) {
  Table table({"time [s]", "world", "kind", "first", "second", "approach [m/s]", "accumulates at [s]"});
  for (const Event& e : events) {
    const Names names = names_of(model, e);
    table.add({seconds_of(e.time), std::to_string(std::max(e.world, 0)), event_kind_name(e.kind), names.first,
               names.second, format("%.6g", 0 - e.normal_velocity),
               std::isnan(e.accumulates_at) ? "" : seconds_of(e.accumulates_at)});
  }
  table.print(static_cast<std::size_t>(rows));
}

void write_csv(const std::string& path, const Model& model, const std::vector<Event>& events) {
  std::ofstream file(path);
  file << "time,world,kind,first,second,velocity_x,velocity_y,velocity_z,normal_velocity,accumulates_at\n";
  for (const Event& e : events) {
    const Names names = names_of(model, e);
    file << format("%.17g", e.time) << ',' << std::max(e.world, 0) << ',' << event_kind_name(e.kind) << ','
         << names.first << ',' << names.second;
    for (const Real v : {e.velocity.x, e.velocity.y, e.velocity.z, e.normal_velocity})
      file << ',' << format("%.17g", v);
    file << ',' << (std::isnan(e.accumulates_at) ? "" : format("%.17g", e.accumulates_at)) << '\n';
  }
  if (!file.flush()) throw Error("events: cannot write '" + path + "'");
}

// Pairs of the first world that had events, those with the most of them first.
std::vector<PairID> pairs_to_draw(const std::vector<Event>& events) {
  constexpr std::size_t kMost = 6;
  std::map<PairID, int> count;
  for (const Event& e : events)
    if (e.world <= 0 && e.kind != EventKind::kUser) ++count[e.pair];
  std::vector<PairID> pairs;
  for (const auto& [pair, times] : count) pairs.push_back(pair);
  std::stable_sort(pairs.begin(), pairs.end(), [&](PairID a, PairID b) { return count[a] > count[b]; });
  pairs.resize(std::min(pairs.size(), kMost));
  return pairs;
}

// Their distances at the samples.
std::vector<PlotLine> distances_of(const EventStepper& stepper, const std::vector<PairID>& pairs) {
  const Model& model = stepper.model();
  const EventSamples& samples = stepper.samples();
  std::vector<PlotLine> lines;
  for (const PairID pair : pairs) {
    const Index2 shapes = shapes_of_pair(pair);
    lines.push_back({model.key(Entity::kShape, shapes[0]) + " - " + model.key(Entity::kShape, shapes[1]), {}});
  }
  const ShapeQuery query(model);
  const State state = model.state();
  const std::size_t n = samples.time.size(), coords = n == 0 ? 0 : samples.joint_q.size() / n;
  const int first = model.world_count == 0 ? 0 : model.joint_coord_world_start[0];
  for (std::size_t i = 0; i < n; ++i) {
    std::copy_n(samples.joint_q.data() + i * coords, coords, state.joint_q.data() + first);
    model.align(state);
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      const Index2 shapes = shapes_of_pair(pairs[p]);
      lines[p].values.push_back(query.distance(state, shapes[0], shapes[1]).distance);
    }
  }
  return lines;
}

void write_plot(const EventsArgs& args, const EventStepper& stepper) {
  const EventSamples& samples = stepper.samples();
  Plot plot;
  plot.title = args.path + ": distances of the pairs that touched, and where events were";
  plot.unit = "m";
  plot.time = samples.time;
  plot.lines = distances_of(stepper, pairs_to_draw(stepper.events()));
  if (plot.lines.empty()) plot.lines = {{"least distance of all pairs", samples.nearest}};
  for (const Event& e : stepper.events())
    if (e.world <= 0) plot.marks.push_back(e.time);
  std::ofstream file(args.plot);
  file << to_svg(plot);
  if (!file.flush()) throw Error("events: cannot write '" + args.plot + "'");
}

void print_json(const Model& model, const EventStepper& stepper, double wall) {
  nlohmann::json out;
  const EventCounts counts = stepper.counts();
  out["wall_s"] = wall;
  out["steps"] = counts.steps, out["rejected"] = counts.rejected, out["evaluations"] = counts.evaluations;
  for (const Event& e : stepper.events()) {
    const Names names = names_of(model, e);
    nlohmann::json row{{"time", e.time},       {"world", std::max(e.world, 0)}, {"kind", event_kind_name(e.kind)},
                       {"first", names.first}, {"second", names.second},        {"normal_velocity", e.normal_velocity}};
    if (!std::isnan(e.accumulates_at)) row["accumulates_at"] = e.accumulates_at;
    out["events"].push_back(row);
  }
  std::printf("%s\n", out.dump(2).c_str());
}

}  // namespace

void events(const EventsArgs& args) {
  const LoadedModel loaded = load_model(args.path, args.worlds);
  print_warnings(loaded);
  EventStepper stepper(loaded.model, config_of(args));
  if (!args.keyframe.empty()) {
    const State state = loaded.model.state();
    begin_at(find_keyframe(loaded, args.keyframe, "events"), state);
    stepper.restart(state);
  }
  const auto start = std::chrono::steady_clock::now();
  {
    Progress progress("integrating");
    for (int part = 1; part <= kParts; ++part) {
      const double until = args.until * part / kParts;
      stepper.run(until, args.plot.empty() ? 0 : args.until / kSamples);
      progress.show(static_cast<double>(part) / kParts);
    }
  }
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!args.csv.empty()) write_csv(args.csv, loaded.model, stepper.events());
  if (!args.plot.empty()) write_plot(args, stepper);
  if (args.json) return print_json(loaded.model, stepper, wall);
  print_table(loaded.model, stepper.events(), args.rows);
  const EventCounts counts = stepper.counts();
  std::printf("%s events, %s steps (%s made again), %s evaluations, %.2f s for %g s, method %s\n",
              grouped(counts.events).c_str(), grouped(counts.steps).c_str(), grouped(counts.rejected).c_str(),
              grouped(counts.evaluations).c_str(), wall, args.until, integration_method_name(stepper.config().method));
}

}  // namespace carom::cli
