// Pairs of shapes in 2,000 random pairs of poses: carom's functions beside Bullet's, libccd's and FCL's. All run on one
// thread, in turn, on the same poses; the best of the repeats counts. Prints one JSON object:
//
//   carom_bench_collide_pairs REPEATS
//
// A contender that finds other depths than carom ends the program. Libraries that were not there when this was built
// are left out; "without" names their packages.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "bench/json_program.h"
#include "bench/pairs/contender.h"
#include "bench/stopwatch.h"
#include "carom/queue.h"
#include "tests/fixed_random.h"

namespace carom {
namespace {

using nlohmann::json;

constexpr int kPairs = 2000;
constexpr int kMotions = 20;        // of coherent cases: as many motions ...
constexpr Real kStep = Real(2e-3);  // ... whose poses change by so much at a time [m], [rad]
constexpr int kHullVertices = 32;
constexpr double kSameDepth = 1e-3;  // depths that differ by no more are the same; of the smaller shape's size
constexpr double kSameMean = 0.02;   // and the same in the mean, for contenders that approximate

class Random : public FixedRandom {
 public:
  Random() : FixedRandom(11) {}
  Real uniform(Real low, Real high) { return Real(FixedRandom::uniform(low, high)); }
  Real normal() { return Real(FixedRandom::normal()); }
  Vec3 direction() { return normalize(Vec3{normal(), normal(), normal()}); }
  Quat turn() { return normalize(Quat{normal(), normal(), normal(), normal()}); }
};

Mesh random_hull(Random& random) {
  std::vector<Vec3> points(kHullVertices);
  for (Vec3& point : points) point = random.direction() * Real(0.5);
  return convex_hull(Mesh(points, {}));
}

double size_of(const PairShape& shape) {
  if (shape.type == ShapeType::kPlane) return std::numeric_limits<double>::max();
  return shape_bounding_radius(shape.type, shape.scale, shape.mesh, nullptr, nullptr);
}

// B somewhere about A, with centres nearer than the sum of the sizes; of a plane, than the size of B.
PairPose random_pose(const PairShape& a, const PairShape& b, Random& random) {
  const Real size_b = Real(size_of(b)), size_a = a.type == ShapeType::kPlane ? 0 : Real(size_of(a));
  const Quat q_WA = random.turn();
  const Vec3 away = a.type == ShapeType::kPlane ? rotate(q_WA, {0, 0, 1}) : random.direction();
  const Real off = random.uniform(0, 1);
  const Vec3 p_WA = random.direction() * off;
  const Vec3 p_WB = p_WA + away * (random.uniform(Real(0.4), 1) * (size_a + size_b));
  return {{p_WA, q_WA}, {p_WB, random.turn()}};
}

// The pair a step later.
PairPose moved(const PairPose& pose, Vec3 velocity, Vec3 turning) {
  const Vec3 half = turning * (kStep / 2);
  return {pose.X_WA, {fma(velocity, kStep, pose.X_WB.p), normalize(Quat{half.x, half.y, half.z, 1} * pose.X_WB.q)}};
}

// -- Cases

std::vector<double> depths(const PairCase& problem) {
  std::vector<double> distance(problem.pose.size());
  carom_contenders(problem)[0].sweep(distance);
  return distance;
}

PairCase random_case(std::string name, PairQuestion question, const PairShape& a, const PairShape& b, Random& random) {
  PairCase problem{std::move(name), question, a, b, {}};
  while (int(problem.pose.size()) < kPairs) {
    PairCase candidates{"", question, a, b, {}};
    for (int i = 0; i < kPairs; ++i) candidates.pose.push_back(random_pose(a, b, random));
    const std::vector<double> distance = depths(candidates);
    for (int i = 0; i < kPairs; ++i) {
      if (distance[i] < 0) problem.pose.push_back(candidates.pose[i]);
    }
  }
  problem.pose.resize(kPairs);
  return problem;
}

// Motions of shapes that overlap all the time, step by step.
PairCase coherent_case(std::string name, const PairShape& a, const PairShape& b, Random& random) {
  PairCase problem{std::move(name), PairQuestion::kContacts, a, b, {}};
  while (int(problem.pose.size()) < kPairs) {
    const Vec3 velocity = random.direction(), turning = random.direction();
    PairCase motion{"", PairQuestion::kContacts, a, b, {random_pose(a, b, random)}};
    for (int step = 1; step < kPairs / kMotions; ++step)
      motion.pose.push_back(moved(motion.pose.back(), velocity, turning));
    if (std::ranges::all_of(depths(motion), [](double distance) { return distance < 0; }))
      problem.pose.insert(problem.pose.end(), motion.pose.begin(), motion.pose.end());
  }
  return problem;
}

PairCase shuffled(PairCase problem, std::string name, Random& random) {
  problem.name = std::move(name);
  for (int i = int(problem.pose.size()) - 1; i > 0; --i) std::swap(problem.pose[i], problem.pose[random.below(i + 1)]);
  return problem;
}

std::vector<PairCase> all_cases(const Mesh& hull_a, const Mesh& hull_b, Random& random) {
  const PairShape plane{ShapeType::kPlane, {}, nullptr}, sphere{ShapeType::kSphere, {Real(0.4), 0, 0}, nullptr};
  const PairShape capsule{ShapeType::kCapsule, {Real(0.2), Real(0.5), 0}, nullptr};
  const PairShape box_a{ShapeType::kBox, {Real(0.5), Real(0.4), Real(0.3)}, nullptr};
  const PairShape box_b{ShapeType::kBox, {Real(0.3), Real(0.6), Real(0.35)}, nullptr};
  const PairShape a{ShapeType::kConvexHull, {1, 1, 1}, &hull_a}, b{ShapeType::kConvexHull, {1, 1, 1}, &hull_b};
  using enum PairQuestion;
  std::vector<PairCase> cases{random_case("box-box manifold", kContacts, box_a, box_b, random),
                              random_case("hull-hull manifold", kContacts, a, b, random),
                              random_case("hull-hull depth", kDepth, a, b, random),
                              random_case("sphere-sphere", kContacts, sphere, sphere, random),
                              random_case("sphere-capsule", kContacts, sphere, capsule, random),
                              random_case("capsule-capsule", kContacts, capsule, capsule, random),
                              random_case("plane-sphere", kContacts, plane, sphere, random),
                              random_case("plane-capsule", kContacts, plane, capsule, random),
                              coherent_case("box-box coherent", box_a, box_b, random),
                              coherent_case("hull-hull coherent", a, b, random)};
  for (const std::string shapes : {"box-box", "hull-hull"}) {
    const auto coherent = std::ranges::find(cases, shapes + " coherent", &PairCase::name);
    cases.push_back(shuffled(*coherent, shapes + " shuffled", random));
  }
  return cases;
}

// -- Measuring

struct Difference {
  double share;  // of the pairs whose depths are not the same
  double mean;   // of all depths, as a part of the size
};

Difference difference(const PairCase& problem, const PairContender& contender, const std::vector<double>& expected) {
  std::vector<double> found(expected.size());
  contender.sweep(found);
  const double size = std::min(size_of(problem.a), size_of(problem.b)), count = double(expected.size());
  int others = 0;
  double sum = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    others += std::abs(found[i] - expected[i]) > kSameDepth * size;
    sum += std::abs(found[i] - expected[i]) / size;
  }
  return {others / count, sum / count};
}

double check_depths(const PairCase& problem, const PairContender& contender, const std::vector<double>& expected) {
  const auto [share, mean] = difference(problem, contender, expected);
  if (contender.approximate ? mean > kSameMean : share > 0) {
    throw std::runtime_error(problem.name + ": " + contender.name + " finds other depths than carom in " +
                             std::to_string(share * 100) + " % of the pairs, in the mean by " + std::to_string(mean) +
                             " of the size");
  }
  return share;
}

json measure(const PairCase& problem, int repeats) {
  std::vector<PairContender> contenders;
  for (const auto& of : {carom_contenders, bullet_contenders, ccd_contenders, fcl_contenders}) {
    for (PairContender& contender : of(problem)) contenders.push_back(std::move(contender));
  }
  std::vector<double> best(contenders.size(), std::numeric_limits<double>::max()), distance(problem.pose.size());
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const double start = now();
      contenders[i].sweep(distance);
      best[i] = std::min(best[i], now() - start);
    }
  }
  const std::vector<double> expected = depths(problem);
  json result = json::object();
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    result[contenders[i].name] = {{"ns", best[i] * 1e9 / double(problem.pose.size())},
                                  {"other_depths", check_depths(problem, contenders[i], expected)}};
  }
  return result;
}

bool tier_runs_here(const std::string& tier) {
  for (int i = 0; i < cpu_tier_count(); ++i) {
    if (tier == cpu_tier_name(i)) return cpu_tier_supported(i);
  }
  return false;
}

json run(int repeats) {
  const std::string tier = carom_contender_tier();
  if (!tier_runs_here(tier)) return {{"missing", "this CPU has no " + tier}};
  Random random;
  const Mesh hull_a = random_hull(random), hull_b = random_hull(random);
  json result{{"tier", tier}, {"without", CAROM_MISSING_PEERS}, {"cases", json::object()}};
  for (const PairCase& problem : all_cases(hull_a, hull_b, random)) {
    result["cases"][problem.name] = measure(problem, repeats);
  }
  return result;
}

}  // namespace
}  // namespace carom

int main(int argc, char** argv) {
  return carom::print_json("carom_bench_collide_pairs", argc, argv, [](const std::vector<std::string>& args) {
    if (args.size() != 1) throw std::runtime_error("usage: carom_bench_collide_pairs REPEATS");
    return carom::run(std::stoi(args[0]));
  });
}
