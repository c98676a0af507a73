// All pairs of overlapping boxes among N random unit boxes with about two pairs each, from nothing: the tree of
// src/collide/broad, built and walked, beside Embree (rtcCollide), Bullet (btDbvt) and CGAL (box_self_intersection_d).
// All run on one thread, in turn, in one process; the best of the repeats counts. Prints one JSON object:
//
//   carom_bench_collide_broad BOXES REPEATS
//
// A peer that finds other pairs ends the program. Peers that were not there when this was built are left out; "without"
// names their packages.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/json_program.h"
#include "bench/stopwatch.h"
#include "collide/broad/sort_pairs.h"
#include "collide/broad/tree.h"
#include "tests/fixed_random.h"

#if defined(CAROM_HAS_EMBREE)
#include <embree3/rtcore.h>
#endif
#if defined(CAROM_HAS_BULLET)
#include <BulletCollision/BroadphaseCollision/btDbvt.h>
#endif
#if defined(CAROM_HAS_CGAL)
#include <CGAL/Box_intersection_d/Box_with_info_d.h>
#include <CGAL/box_intersection_d.h>
#endif

namespace carom {
namespace {

using nlohmann::json;

// Each box overlaps the N / volume * 2^3 = 4 others whose corners are nearer than 1 on all axes.
std::vector<Box> random_boxes(int count) {
  FixedRandom random(7);
  const float side = std::cbrt(float(count) / 0.5f);
  std::vector<Box> boxes(count);
  for (Box& box : boxes) {
    for (int axis = 0; axis < 3; ++axis) box.lower[axis] = Real(random.uniform(0, side));
    box.upper = box.lower + Vec3{1, 1, 1};
  }
  return boxes;
}

// What everybody does with a pair: count it, and mix it into a sum that knows no order.
struct PairCount {
  std::int64_t pairs = 0;
  std::uint64_t sum = 0;

  void operator()(int i, int j) {
    ++pairs;
    sum += std::uint64_t(i) * std::uint64_t(j);
  }
  bool operator==(const PairCount&) const = default;
};

struct Times {
  double build = 0, pairs = 0;
};

using Boxes = std::vector<Box>;

Times run_carom(BoxTree& tree, const Boxes& boxes, PairCount& found) {
  const double start = now();
  tree.build({boxes.data(), std::int64_t(boxes.size())});
  const double built = now();
  tree.self_pairs(found);
  return {built - start, now() - built};
}

// The same pairs in one order: the tree's, collected and sorted.
Times run_carom_sorted(BoxTree& tree, std::vector<IndexPair>& pairs, PairSorter& sorter, const Boxes& boxes,
                       PairCount& found) {
  pairs.clear();
  const double start = now();
  tree.build({boxes.data(), std::int64_t(boxes.size())});
  const double built = now();
  tree.self_pairs([&](int i, int j) { pairs.push_back({i, j}); });
  sorter.sort({pairs.data(), std::int64_t(pairs.size())});
  const double end = now();
  for (const IndexPair& pair : pairs) found(pair.i, pair.j);
  return {built - start, end - built};
}

#if defined(CAROM_HAS_EMBREE)
struct EmbreeCall {
  const Boxes& boxes;
  PairCount& found;
};

void embree_bounds(const RTCBoundsFunctionArguments* args) {
  const Box& box = (*static_cast<const Boxes*>(args->geometryUserPtr))[args->primID];
  *args->bounds_o = {float(box.lower.x), float(box.lower.y), float(box.lower.z), 0,
                     float(box.upper.x), float(box.upper.y), float(box.upper.z), 0};
}

// Candidates, each in both orders.
void embree_collide(void* user, RTCCollision* collisions, unsigned count) {
  const EmbreeCall& call = *static_cast<EmbreeCall*>(user);
  for (unsigned k = 0; k < count; ++k) {
    const unsigned i = collisions[k].primID0, j = collisions[k].primID1;
    if (i < j && overlap(call.boxes[i], call.boxes[j])) call.found(int(i), int(j));
  }
}

Times run_embree(RTCDevice device, RTCBuildQuality quality, const Boxes& boxes, PairCount& found) {
  const double start = now();
  const RTCScene scene = rtcNewScene(device);
  const RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
  rtcSetGeometryUserPrimitiveCount(geometry, unsigned(boxes.size()));
  rtcSetGeometryUserData(geometry, const_cast<Boxes*>(&boxes));
  rtcSetGeometryBoundsFunction(geometry, embree_bounds, nullptr);
  rtcSetGeometryBuildQuality(geometry, quality);
  rtcSetSceneBuildQuality(scene, quality);
  rtcCommitGeometry(geometry);
  rtcAttachGeometry(scene, geometry);
  rtcReleaseGeometry(geometry);
  rtcCommitScene(scene);
  const double built = now();
  EmbreeCall call{boxes, found};
  rtcCollide(scene, scene, embree_collide, &call);
  const double end = now();
  rtcReleaseScene(scene);
  return {built - start, end - built};
}
#endif

#if defined(CAROM_HAS_BULLET)
struct BulletPairs : btDbvt::ICollide {
  PairCount& found;

  explicit BulletPairs(PairCount& found) : found(found) {}
  void Process(const btDbvtNode* a, const btDbvtNode* b) override { found(a->dataAsInt, b->dataAsInt); }
};

Times run_bullet(const Boxes& boxes, PairCount& found) {
  const auto vector = [](Vec3 v) { return btVector3(btScalar(v.x), btScalar(v.y), btScalar(v.z)); };
  btDbvt tree;
  const double start = now();
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const auto volume = btDbvtVolume::FromMM(vector(boxes[i].lower), vector(boxes[i].upper));
    tree.insert(volume, nullptr)->dataAsInt = int(i);
  }
  const double built = now();
  BulletPairs collect(found);
  tree.collideTT(tree.m_root, tree.m_root, collect);
  return {built - start, now() - built};
}
#endif

#if defined(CAROM_HAS_CGAL)
Times run_cgal(const Boxes& boxes, PairCount& found) {
  using CgalBox = CGAL::Box_intersection_d::Box_with_info_d<Real, 3, int>;
  const double start = now();
  std::vector<CgalBox> copies;
  copies.reserve(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    Real lower[3], upper[3];
    for (int axis = 0; axis < 3; ++axis) lower[axis] = boxes[i].lower[axis], upper[axis] = boxes[i].upper[axis];
    copies.emplace_back(lower, upper, int(i));
  }
  const double built = now();
  CGAL::box_self_intersection_d(copies.begin(), copies.end(),
                                [&](const CgalBox& a, const CgalBox& b) { found(a.info(), b.info()); });
  return {built - start, now() - built};
}
#endif

struct Contender {
  std::string name;
  std::function<Times(PairCount&)> run;
  Times best{1e9, 1e9};  // of the repeat with the shortest sum

  double total() const { return best.build + best.pairs; }
};

void measure(std::vector<Contender>& contenders, int repeats, PairCount& agreed) {
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (Contender& contender : contenders) {
      PairCount found;
      const Times times = contender.run(found);
      if (times.build + times.pairs < contender.total()) contender.best = times;
      if (agreed.pairs == 0) agreed = found;
      if (found != agreed) throw std::runtime_error(contender.name + " finds other pairs");
    }
  }
}

json compare(int count, int repeats) {
  const Boxes boxes = random_boxes(count);
  BoxTree tree;
  PairSorter sorter;
  std::vector<IndexPair> pairs;
  std::vector<Contender> contenders{
      {"carom", [&](PairCount& found) { return run_carom(tree, boxes, found); }},
      {"carom, sorted", [&](PairCount& found) { return run_carom_sorted(tree, pairs, sorter, boxes, found); }}};
#if defined(CAROM_HAS_EMBREE)
  const RTCDevice device = rtcNewDevice("threads=1,set_affinity=0");
  const auto embree = [&](RTCBuildQuality quality) {
    return [&, quality](PairCount& found) { return run_embree(device, quality, boxes, found); };
  };
  contenders.push_back({"Embree, low quality", embree(RTC_BUILD_QUALITY_LOW)});
  contenders.push_back({"Embree, medium quality", embree(RTC_BUILD_QUALITY_MEDIUM)});
#endif
#if defined(CAROM_HAS_BULLET)
  contenders.push_back({"Bullet btDbvt", [&](PairCount& found) { return run_bullet(boxes, found); }});
#endif
#if defined(CAROM_HAS_CGAL)
  contenders.push_back({"CGAL", [&](PairCount& found) { return run_cgal(boxes, found); }});
#endif
  PairCount agreed;
  measure(contenders, repeats, agreed);
#if defined(CAROM_HAS_EMBREE)
  rtcReleaseDevice(device);
#endif

  json result{{"pairs", agreed.pairs}, {"without", CAROM_MISSING_PEERS}};
  for (const Contender& contender : contenders) {
    result["contenders"][contender.name] = {{"build_s", contender.best.build}, {"pairs_s", contender.best.pairs}};
  }
  return result;
}

}  // namespace
}  // namespace carom

int main(int argc, char** argv) {
  return carom::print_json("carom_bench_collide_broad", argc, argv, [](const std::vector<std::string>& args) {
    if (args.size() != 2) throw std::runtime_error("usage: carom_bench_collide_broad BOXES REPEATS");
    return carom::compare(std::stoi(args[0]), std::stoi(args[1]));
  });
}
