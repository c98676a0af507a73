// Many poses of one pair of types on several threads, and what came of them. Results are put together in the order of
// the poses, so they do not depend on the threads.
#pragma once

#include <string>
#include <thread>

#include "collide/differential.h"

namespace carom::test {

struct PairReport {
  std::vector<double> depth, query, normal;  // errors, as in Outcome
  std::int64_t poses = 0, overlaps = 0, missed = 0, invented = 0, lost = 0, not_finite = 0, asymmetric = 0,
               uncertain = 0;
  std::vector<std::int64_t> failures;  // numbers of poses

  void add(std::int64_t index, const Outcome& o) {
    ++poses;
    overlaps += o.overlaps, missed += o.missed, invented += o.invented, lost += o.lost;
    not_finite += o.not_finite, asymmetric += o.asymmetric, uncertain += !o.certain;
    if (o.depth_error >= 0) depth.push_back(o.depth_error);
    if (o.query_error >= 0) query.push_back(o.query_error);
    if (o.normal_error >= 0) normal.push_back(o.normal_error);
    if (o.failed) failures.push_back(index);
  }
  void add(const PairReport& r) {
    poses += r.poses, overlaps += r.overlaps, missed += r.missed, invented += r.invented, lost += r.lost;
    not_finite += r.not_finite, asymmetric += r.asymmetric, uncertain += r.uncertain;
    const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    append(depth, r.depth), append(query, r.query), append(normal, r.normal), append(failures, r.failures);
  }
};

// The value that a part of all values does not exceed; 0 where there are none.
inline double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  const std::size_t at = std::min(values.size() - 1, std::size_t(part * double(values.size())));
  std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(at), values.end());
  return values[at];
}

inline std::string pair_name(KindPair p) { return std::string(kind_name(p.a)) + "-" + kind_name(p.b); }

// What pairs have in common that decides how exact they are.
inline const char* class_name(KindPair p) {
  const auto is = [&](Kind kind) { return p.a == kind || p.b == kind; };
  if (p.a == Kind::kPlane) return is(Kind::kSdf) ? "plane and field" : "plane and any other";
  if (promise_of(p) == Promise::kTriangles) return is(Kind::kMesh) ? "convex and mesh" : "convex and heightfield";
  if (promise_of(p) == Promise::kSurfaces) return "mesh and mesh, heightfield";
  if (promise_of(p) == Promise::kSearched) return "searched";
  if (!is_convex(p.b)) return "sphere and mesh, heightfield, field";
  const bool curved = is(Kind::kCylinder) || is(Kind::kCone) || is(Kind::kEllipsoid);
  return curved ? "with cylinder, cone or ellipsoid" : "rectangle, sphere, capsule, box, hull";
}

inline PairReport run_pair(int pair, std::int64_t poses, int threads) {
  std::vector<PairReport> parts(static_cast<std::size_t>(threads));
  std::vector<std::thread> team;
  for (int t = 0; t < threads; ++t) {
    team.emplace_back([&, t] {
      const std::int64_t first = poses * t / threads, last = poses * (t + 1) / threads;
      for (std::int64_t i = first; i < last; ++i) parts[std::size_t(t)].add(i, Differential(pair, i).run());
    });
  }
  PairReport all;
  for (int t = 0; t < threads; ++t) {
    team[std::size_t(t)].join();
    all.add(parts[std::size_t(t)]);
  }
  return all;
}

}  // namespace carom::test
