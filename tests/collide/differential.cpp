// The narrow phase against the reference, pair by pair; see differential.h for what is compared and
// differential_shapes.h for the poses. Exits with 1 when a bound is exceeded.
//
//   carom_differential_f64 [--poses N] [--pair NAME] [--threads N] [--markdown] [--replay INDEX]
//
// --pair: pairs whose name, such as "box-mesh", has NAME in it. --markdown: tables for the documentation. --replay: one
// pose of the pair, with all that was found.
#include "collide/differential.h"

#include <cstdio>

#include "base/parse_number.h"
#include "collide/differential_report.h"

namespace carom {
namespace {

using namespace test;

constexpr const char* kProgram = kDouble ? "carom_differential_f64" : "carom_differential_f32";

struct Arguments {
  int poses = 2000, replay = -1;
  int threads = int(std::max(1u, std::thread::hardware_concurrency()));
  std::string pair;
  bool markdown = false;
};

bool is_in_a_name(const std::string& part) {
  const std::vector<KindPair> pairs = all_pairs();
  return std::any_of(pairs.begin(), pairs.end(),
                     [&](KindPair p) { return pair_name(p).find(part) != std::string::npos; });
}

// Returns what is wrong, or nothing.
std::string parse(int count, char** values, Arguments& out) {
  for (int i = 1; i < count; ++i) {
    const std::string name = values[i];
    if (name == "--markdown") {
      out.markdown = true;
      continue;
    }
    int* const number = name == "--poses"     ? &out.poses
                        : name == "--replay"  ? &out.replay
                        : name == "--threads" ? &out.threads
                                              : nullptr;
    if (!number && name != "--pair") return "no option " + name;
    if (i + 1 == count) return name + " needs a value";
    const std::string value = values[++i];
    if (!number) {
      out.pair = value;
      if (!is_in_a_name(value)) return "no pair has \"" + value + "\" in its name; one is called \"box-mesh\"";
      continue;
    }
    const std::optional<int> parsed = parse_whole_number(value);
    const int least = number == &out.replay ? 0 : 1;
    if (!parsed || *parsed < least) return name + " is " + std::to_string(least) + " or more, not " + value;
    *number = *parsed;
  }
  return "";
}

void print_head(bool markdown) {
  const char* errors = kDouble ? "depth worst, distance worst, normal worst [rad]"
                               : "depth 50 %%, 99 %%, 99.9 %%, worst; normal 50 %%, 99 %%, 99.9 %%, worst [rad]";
  if (!markdown) {
    std::printf("pair: poses, overlapping; ");
    std::printf(errors);
    std::printf("; missed, invented, lost, NaN, asymmetric, unproven\n");
    return;
  }
  if (kDouble) {
    std::printf(
        "| pair | poses | overlap | depth | distance | normal [rad] | missed | invented | lost | NaN | mirrored "
        "wrongly | unproven |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  } else {
    std::printf(
        "| pair | depth 50 %% | 99 %% | 99.9 %% | worst | normal 50 %% | 99 %% | 99.9 %% | worst [rad] | missed "
        "| invented | lost | NaN | mirrored wrongly | unproven |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  }
}

void print_row(const std::string& name, const PairReport& r, bool markdown) {
  const char* const separator = markdown ? " | " : "  ";
  const auto number = [&](double value) { std::printf("%s%7.1e", separator, value); };
  const auto integer = [&](std::int64_t value) { std::printf("%s%lld", separator, static_cast<long long>(value)); };
  std::printf(markdown ? "| %s" : "%-21s", name.c_str());
  if (kDouble || !markdown) {
    integer(r.poses);
    std::printf("%s%3.0f %%", separator, 100.0 * double(r.overlaps) / double(r.poses));
  }
  if (kDouble) {
    number(quantile(r.depth, 1)), number(quantile(r.query, 1)), number(quantile(r.normal, 1));
  } else {
    for (const auto* errors : {&r.depth, &r.normal})
      for (const double part : {0.5, 0.99, 0.999, 1.0}) number(quantile(*errors, part));
  }
  for (const std::int64_t count : {r.missed, r.invented, r.lost, r.not_finite, r.asymmetric, r.uncertain})
    integer(count);
  std::printf(markdown ? " |\n" : "\n");
  std::fflush(stdout);
}

void print_vector(const char* name, Double3 v) { std::printf("  %s (%.9g, %.9g, %.9g)", name, v.x, v.y, v.z); }

void print_shape(const char* name, AnyShape& s) {
  const Quat q = s.posed.X.q;
  std::printf("%s: %s, size %.9g,", name, kind_name(s.kind), s.size());
  print_vector("sizes", Double3(s.posed.shape.scale));
  print_vector("at", Double3(s.posed.X.p));
  std::printf("  turned (%.9g, %.9g, %.9g, %.9g)\n", double(q.x), double(q.y), double(q.z), double(q.w));
}

void replay(int pair, std::int64_t index) {
  Differential pose(pair, index);
  const Outcome o = pose.run();
  std::printf("%s, pose %lld\n", pair_name(all_pairs()[std::size_t(pair)]).c_str(), static_cast<long long>(index));
  print_shape("A", pose.a());
  print_shape("B", pose.b());
  std::printf("reference %.12g, found %.12g, errors: depth %.3g, distance %.3g, normal %.3g\n", o.distance, o.found,
              o.depth_error, o.query_error, o.normal_error);
  std::printf("missed %d, invented %d, lost %d, not finite %d, asymmetric %d, proven %d\n", o.missed, o.invented,
              o.lost, o.not_finite, o.asymmetric, o.certain);
  for (const bool swapped : {false, true}) {
    const double reach = std::max(1.3 * o.distance, 0.0) + 0.02 * std::min(pose.b().size(), pose.a().size());
    const Found found(swapped ? pose.b() : pose.a(), swapped ? pose.a() : pose.b(), Real(reach));
    std::printf("%s: %d contacts within %.3g\n", swapped ? "B, A" : "A, B", found.count, reach);
    for (int i = 0; i < found.count; ++i) {
      std::printf("  distance %.12g", double(found.point[i].distance));
      print_vector("normal", Double3(found.point[i].normal));
      print_vector("from A", Double3(found.point[i].point) - Double3(pose.a().posed.X.p));
      std::printf("  feature %d\n", found.point[i].feature);
    }
  }
}

int run(const Arguments& arguments) {
  const std::vector<KindPair> pairs = all_pairs();
  std::vector<std::pair<std::string, PairReport>> classes;
  std::vector<std::string> again;
  if (arguments.replay < 0) print_head(arguments.markdown);
  for (int p = 0; p < int(pairs.size()); ++p) {
    const std::string name = pair_name(pairs[std::size_t(p)]);
    if (name.find(arguments.pair) == std::string::npos) continue;
    if (arguments.replay >= 0) {
      replay(p, arguments.replay);
      continue;
    }
    const PairReport report = run_pair(p, arguments.poses, arguments.threads);
    print_row(name, report, arguments.markdown);
    for (std::size_t i = 0; i < report.failures.size() && i < 3; ++i)
      again.push_back("--pair " + name + " --replay " + std::to_string(report.failures[i]));
    const std::string kind = class_name(pairs[std::size_t(p)]);
    auto at = std::find_if(classes.begin(), classes.end(), [&](const auto& c) { return c.first == kind; });
    if (at == classes.end()) at = classes.insert(at, {kind, {}});
    at->second.add(report);
  }
  if (classes.size() > 1) {
    std::printf("\n");
    print_head(arguments.markdown);
    for (const auto& [kind, report] : classes) print_row(kind, report, arguments.markdown);
  }
  for (const std::string& line : again) std::printf("failed: %s %s\n", kProgram, line.c_str());
  return again.empty() ? 0 : 1;
}

}  // namespace
}  // namespace carom

int main(int count, char** values) {
  carom::Arguments arguments;
  const std::string wrong = carom::parse(count, values, arguments);
  if (!wrong.empty()) {
    std::fprintf(stderr, "%s\n%s [--poses N] [--pair NAME] [--threads N] [--markdown] [--replay INDEX]\n",
                 wrong.c_str(), values[0]);
    return 2;
  }
  return carom::run(arguments);
}
