// Tree and sweep find what a double loop finds, for any boxes, and their sorts sort.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "alloc_counter.h"
#include "carom/geometry.h"
#include "collide/broad/hilbert.h"
#include "collide/broad/radix_sort.h"
#include "collide/broad/rank_tree.h"
#include "collide/broad/sap.h"
#include "collide/broad/sort_pairs.h"
#include "collide/broad/tree.h"
#include "tests/random.h"

namespace carom {

void PrintTo(const IndexPair& pair, std::ostream* out) { *out << pair.i << ", " << pair.j; }

namespace {

using Boxes = std::vector<Box>;
using Pairs = std::vector<IndexPair>;
constexpr Real kInf = std::numeric_limits<Real>::infinity();
constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();

Span<const Box> view(const Boxes& boxes) { return {boxes.data(), std::int64_t(boxes.size())}; }

bool before(IndexPair a, IndexPair b) { return a.i != b.i ? a.i < b.i : a.j < b.j; }

// -- Scenes.

struct Scene {
  std::string name;
  Boxes boxes;
};

Vec3 random_point(FixedRandom& random, Real reach) {
  const Real x = random.next(), y = random.next(), z = random.next();
  return Vec3{x, y, z} * reach;
}

// Unit boxes with about `neighbours` others around each.
Boxes uniform(int count, Real neighbours, std::uint64_t seed) {
  SeededRandom random(seed);
  const Real reach = std::cbrt(Real(count) / neighbours);
  Boxes boxes(count);
  for (Box& box : boxes) {
    box.lower = random_point(random, reach);
    box.upper = box.lower + Vec3{1, 1, 1};
  }
  return boxes;
}

// Each box of a uniform scene, changed.
template <class Change>
Boxes changed(int count, std::uint64_t seed, const Change& change) {
  Boxes boxes = uniform(count, 2, seed);
  SeededRandom random(seed + 1);
  for (int i = 0; i < count; ++i) change(i, boxes[i], random);
  return boxes;
}

Boxes clusters() {
  return changed(900, 20, [](int i, Box& box, FixedRandom&) {
    const Vec3 center{Real(i % 5) * 10000, Real(i % 3) * -70000, Real(i % 2)};
    box = {center + box.lower * Real(0.1), center + box.lower * Real(0.1) + Vec3{Real(0.1), Real(0.1), Real(0.1)}};
  });
}

// From 2^-16 to 16, every axis for itself.
Boxes many_sizes() {
  return changed(800, 21, [](int, Box& box, FixedRandom& random) {
    for (int axis = 0; axis < 3; ++axis) box.upper[axis] = box.lower[axis] + Real(random.log_uniform(0x1p-16, 16));
  });
}

// A few of them in layers of ever larger boxes.
Boxes some_large() {
  return changed(800, 22, [](int i, Box& box, FixedRandom&) {
    for (int every = 7, size = 6; every < 500; every *= 3, size *= 9) {
      if (i % every == 0) box.upper = box.lower + Vec3{Real(size), Real(size), Real(size)};
    }
  });
}

// Cells of a grid, in disorder: corners, edges and faces touch exactly.
Boxes touching() {
  Boxes boxes;
  for (int i = 0; i < 343; ++i) {
    const int k = i * 100 % 343;
    const Vec3 cell{Real(k % 7), Real(k / 7 % 7), Real(k / 49)};
    boxes.push_back({cell, cell + Vec3{1, 1, 1}});
  }
  return boxes;
}

// Points, segments, rectangles, and boxes turned inside out.
Boxes flat() {
  return changed(600, 23, [](int i, Box& box, FixedRandom&) {
    for (int axis = 0; axis < 3; ++axis) {
      if (i >> axis & 1) box.upper[axis] = box.lower[axis] = std::floor(box.lower[axis]);
    }
    if (i % 16 == 0) std::swap(box.lower, box.upper);
  });
}

Boxes coincident(int count) { return Boxes(count, Box{{1, 2, 3}, {4, 5, 6}}); }

// Half of the boxes at one place, the others around.
Boxes partly_coincident() {
  return changed(500, 24, [](int i, Box& box, FixedRandom&) {
    if (i % 2) box = {{1, 1, 1}, {2, 2, 2}};
  });
}

Boxes with_nan() {
  return changed(700, 25, [](int i, Box& box, FixedRandom&) {
    if (i % 5 == 0) (i % 2 ? box.lower : box.upper)[i / 5 % 3] = kNan;
    if (i % 35 == 0) box = {{kNan, kNan, kNan}, {kNan, kNan, kNan}};
  });
}

// Half spaces, slabs, all of space; by large numbers, by the largest, and by infinity.
Boxes unbounded() {
  return changed(700, 26, [](int i, Box& box, FixedRandom&) {
    const Real end = std::array<Real, 3>{kUnbounded, std::numeric_limits<Real>::max(), kInf}[i / 29 % 3];
    if (i % 29 > 2) return;
    for (int axis = 0; axis <= i % 29; ++axis) {
      if (i % 2) box.lower[axis] = -end;
      if (i % 3) box.upper[axis] = end;
    }
  });
}

// At infinity, far away, and turned inside out without end.
Boxes astray() {
  return changed(400, 27, [](int i, Box& box, FixedRandom&) {
    if (i % 50 == 0) box = {{kInf, kInf, kInf}, {kInf, kInf, kInf}};
    if (i % 50 == 1) box = {{kInf, kInf, kInf}, {-kInf, -kInf, -kInf}};
    if (i % 50 == 2) box.lower.x = box.upper.x = std::numeric_limits<Real>::max();
    if (i % 50 == 3) box.lower.y = box.upper.y = -std::numeric_limits<Real>::max();
    if (i == 4) box = {box.lower * Real(1e8), box.upper * Real(1e8)};
  });
}

// So near to each other that their distances have no reciprocals.
Boxes tiny() {
  return changed(200, 28, [](int, Box& box, FixedRandom&) {
    for (int axis = 0; axis < 3; ++axis) {
      box.lower[axis] *= std::numeric_limits<Real>::denorm_min() * 8;
      box.upper[axis] = box.lower[axis] + std::numeric_limits<Real>::denorm_min() * 8;
    }
  });
}

// Both zeros, as ends that touch.
Boxes zeros() {
  Boxes boxes;
  for (int i = 0; i < 64; ++i) {
    const auto zero = [&](int bit) { return i >> bit & 1 ? Real(-0.0) : Real(0); };
    if (i % 3) boxes.push_back({{zero(0), zero(1), zero(2)}, {1, 1, 1}});
    else boxes.push_back({{-1, -1, -1}, {zero(3), zero(4), zero(5)}});
  }
  return boxes;
}

Boxes line() {
  return changed(2000, 29, [](int, Box& box, FixedRandom& random) {
    box.lower = {0, random.next() * 1000, 0};
    box.upper = box.lower + Vec3{1, 1, 1};
  });
}

std::vector<Scene> all_scenes() {
  std::vector<Scene> scenes;
  for (const int count : {0, 1, 2, 3, 4, 5, 15, 16, 17, 64, 65, 257, 1500}) {
    scenes.push_back({"uniform " + std::to_string(count), uniform(count, 2, std::uint64_t(count))});
  }
  scenes.push_back({"dense", uniform(400, 40, 1)});
  scenes.push_back({"clusters", clusters()});
  scenes.push_back({"many sizes", many_sizes()});
  scenes.push_back({"some large", some_large()});
  scenes.push_back({"touching", touching()});
  scenes.push_back({"flat", flat()});
  scenes.push_back({"coincident", coincident(300)});
  scenes.push_back({"partly coincident", partly_coincident()});
  scenes.push_back({"with NaN", with_nan()});
  scenes.push_back({"only NaN", Boxes(9, Box{{kNan, 0, 0}, {1, 1, 1}})});
  scenes.push_back({"unbounded", unbounded()});
  scenes.push_back({"astray", astray()});
  scenes.push_back({"tiny", tiny()});
  scenes.push_back({"zeros", zeros()});
  scenes.push_back({"line", line()});
  return scenes;
}

// -- The reference, and what the broad phases find.

Pairs double_loop(const Boxes& boxes) {
  Pairs pairs;
  for (int i = 0; i < int(boxes.size()); ++i) {
    for (int j = i + 1; j < int(boxes.size()); ++j) {
      if (overlap(boxes[i], boxes[j])) pairs.push_back({i, j});
    }
  }
  return pairs;
}

template <class Phase>
Pairs visited(const Phase& phase) {
  Pairs pairs;
  phase.self_pairs([&](int i, int j) { pairs.push_back({i, j}); });
  return pairs;
}

Pairs sorted(Pairs pairs) {
  std::sort(pairs.begin(), pairs.end(), before);
  return pairs;
}

template <class Phase>
class Broad : public ::testing::Test {};
using Phases = ::testing::Types<BoxTree, BoxSweep>;
TYPED_TEST_SUITE(Broad, Phases);

// Closed forms: touching counts, NaN and a gap do not, on each axis and side.
TEST(BroadBox, OverlapCountsTouching) {
  const Box unit{{0, 0, 0}, {1, 1, 1}};
  EXPECT_TRUE(overlap(unit, unit));
  EXPECT_FALSE(has_nan(unit));
  EXPECT_EQ(largest_extent({{0, 0, 0}, {1, 3, 2}}), 3);
  for (int axis = 0; axis < 3; ++axis) {
    Box other = unit;
    other.lower[axis] = 1, other.upper[axis] = 2;
    EXPECT_TRUE(overlap(unit, other) && overlap(other, unit));
    other.lower[axis] = std::nextafter(Real(1), Real(2));
    EXPECT_FALSE(overlap(unit, other) || overlap(other, unit));
    for (const bool upper : {false, true}) {
      Box none{{-1, -1, -1}, {2, 2, 2}};
      (upper ? none.upper : none.lower)[axis] = kNan;
      EXPECT_TRUE(has_nan(none));
      EXPECT_FALSE(overlap(unit, none) || overlap(none, unit) || overlap(none, none));
    }
  }
}

// Every scene: the pairs of the double loop, each once, the smaller index first.
TYPED_TEST(Broad, FindsWhatADoubleLoopFinds) {
  for (const Scene& scene : all_scenes()) {
    SCOPED_TRACE(scene.name);
    TypeParam phase;
    phase.build(view(scene.boxes));
    EXPECT_EQ(sorted(visited(phase)), double_loop(scene.boxes));
  }
}

// One object goes through all scenes and visits in the same order as one that has seen nothing else.
TYPED_TEST(Broad, RebuildKeepsNoState) {
  TypeParam used;
  for (int round = 0; round < 2; ++round) {
    for (const Scene& scene : all_scenes()) {
      SCOPED_TRACE(scene.name);
      TypeParam fresh;
      fresh.build(view(scene.boxes));
      used.build(view(scene.boxes));
      EXPECT_EQ(visited(used), visited(fresh));
    }
  }
}

// After one build, smaller and equal ones, of whatever shape, take no memory.
TYPED_TEST(Broad, AllocatesNothingOnceWarm) {
  if (!testing::counts_allocations()) GTEST_SKIP() << "allocations are not counted in this build";
  const std::vector<Scene> scenes = all_scenes();
  TypeParam phase;
  phase.build(view(uniform(2000, 2, 3)));
  std::int64_t pairs = 0;
  EXPECT_EQ(testing::allocations_in([&] {
              for (const Scene& scene : scenes) {
                phase.build(view(scene.boxes));
                phase.self_pairs([&](int, int) { ++pairs; });
              }
            }),
            0);
  EXPECT_GT(pairs, 0);
}

// -- The tree alone.

// Parts for threads: together every pair once, and each part the same again.
TEST(BroadTree, PartsMakeTheWhole) {
  for (const Scene& scene : all_scenes()) {
    SCOPED_TRACE(scene.name);
    BoxTree tree;
    tree.build(view(scene.boxes));
    const Pairs expected = sorted(visited(tree));
    for (const int parts : {1, 2, 3, 16}) {
      Pairs found;
      for (int part = 0; part < parts; ++part) {
        tree.self_pairs_of_part(part, parts, [&](int i, int j) { found.push_back({i, j}); });
      }
      EXPECT_EQ(sorted(found), expected) << parts << " parts";
    }
  }
}

// Two trees of all heights against each other, and single boxes against a tree.
TEST(BroadTree, PairsWithAndQuery) {
  const std::vector<Scene> scenes = all_scenes();
  for (std::size_t s = 0; s < scenes.size(); ++s) {
    const Boxes &a = scenes[s].boxes, &b = scenes[(s * 7 + 3) % scenes.size()].boxes;
    SCOPED_TRACE(scenes[s].name + " with " + scenes[(s * 7 + 3) % scenes.size()].name);
    BoxTree tree_a, tree_b;
    tree_a.build(view(a));
    tree_b.build(view(b));
    Pairs expected, between, queried;
    for (int i = 0; i < int(a.size()); ++i) {
      for (int j = 0; j < int(b.size()); ++j) {
        if (overlap(a[i], b[j])) expected.push_back({i, j});
      }
      tree_b.query(a[i], [&](int j) { queried.push_back({i, j}); });
    }
    tree_a.pairs_with(tree_b, [&](int i, int j) { between.push_back({i, j}); });
    EXPECT_EQ(sorted(between), expected);
    EXPECT_EQ(sorted(queried), expected);
  }
}

// A million boxes at one place, alone or beside one far away: the build ends, and a query finds its own.
TEST(BroadTree, ManyCoincidentBoxes) {
  Boxes boxes = coincident(1 << 20);
  BoxTree tree;
  for (const bool with_another : {false, true}) {
    if (with_another) boxes[12345] = {{1000, 1000, 1000}, {1001, 1001, 1001}};
    tree.build(view(boxes));
    int near = 0, far = 0;
    tree.query({{4, 5, 6}, {7, 7, 7}}, [&](int) { ++near; });
    tree.query({{999, 999, 999}, {1000, 1000, 1000}}, [&](int) { ++far; });
    EXPECT_EQ(near, (1 << 20) - with_another);
    EXPECT_EQ(far, int(with_another));
  }
}

// The curve goes through all cells of a cube before it leaves it, and from each cell to one beside it.
TEST(BroadTree, HilbertCurveVisitsNeighbours) {
  constexpr int kSide = 16;
  for (const std::array<int, 3> corner : {std::array{0, 0, 0}, {1008, 1008, 1008}, {16, 512, 992}, {496, 48, 256}}) {
    struct Cell {
      std::uint32_t place;
      int x, y, z;
    };
    std::vector<Cell> cells;
    for (int k = 0; k < kSide * kSide * kSide; ++k) {
      const int x = corner[0] + k % kSide, y = corner[1] + k / kSide % kSide, z = corner[2] + k / kSide / kSide;
      cells.push_back({HilbertCurve::place(std::uint32_t(x), std::uint32_t(y), std::uint32_t(z)), x, y, z});
    }
    std::sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) { return a.place < b.place; });
    EXPECT_EQ(cells[0].place % cells.size(), 0u);
    for (std::size_t k = 1; k < cells.size(); ++k) {
      const Cell &a = cells[k - 1], &b = cells[k];
      ASSERT_EQ(b.place, a.place + 1);
      ASSERT_EQ(std::abs(a.x - b.x) + std::abs(a.y - b.y) + std::abs(a.z - b.z), 1);
    }
  }
}

// -- Sorting.

// Like std::stable_sort by the chosen bits, for few and many keys, spread out and crowded.
TEST(BroadSort, RadixSortIsStable) {
  SeededRandom random(5);
  for (const int count : {0, 1, 2, 31, 33, 5000, 100000}) {
    for (const int crowded : {0, 20, 50}) {
      for (const auto [first, last] : {std::array{0, 64}, {32, 64}, {0, 40}, {13, 14}, {20, 20}}) {
        std::vector<std::uint64_t> keys(count), scratch(count);
        for (std::uint64_t& key : keys) key = random.next_bits() >> crowded;
        std::vector<std::uint64_t> expected = keys;
        const std::uint64_t mask = last == first ? 0 : ~std::uint64_t{0} >> (64 - (last - first)) << first;
        std::stable_sort(expected.begin(), expected.end(),
                         [&](std::uint64_t a, std::uint64_t b) { return (a & mask) < (b & mask); });
        radix_sort({keys.data(), count}, {scratch.data(), count}, first, last);
        ASSERT_EQ(keys, expected) << count << " keys, bits " << first << " to " << last << ", crowded " << crowded;
      }
    }
  }
}

// Like std::sort, for indices of any size up to the largest, and without memory once warm.
TEST(BroadSort, PairsInOrder) {
  SeededRandom random(6);
  PairSorter sorter;
  for (const int count : {60000, 0, 1, 2, 3, 100, 20000}) {
    for (const int limit : {2, 100, 70000, std::numeric_limits<int>::max()}) {
      Pairs pairs;
      for (int k = 0; k < count; ++k) {
        const int j = 1 + int(random.next_bits() % unsigned(limit)), i = int(random.next_bits() % unsigned(j));
        pairs.push_back({i, j});
      }
      if (count > 1 && limit > 70000) pairs[1] = {limit - 1, limit};
      const Pairs expected = sorted(pairs), shuffled = pairs;
      const auto sort = [&] {
        std::copy(shuffled.begin(), shuffled.end(), pairs.begin());
        sorter.sort({pairs.data(), std::int64_t(pairs.size())});
      };
      sort();
      EXPECT_EQ(pairs, expected);
      if (testing::counts_allocations()) {
        EXPECT_EQ(testing::allocations_in(sort), 0);
      }
    }
  }
}

// -- The tree of a GPU, here on the CPU.

// Boxes in segments that end where they say.
struct Ranked {
  std::vector<int> start{0};
  Array<int> starts, shape, segment;
  std::unique_ptr<RankTree> tree;

  Ranked(const Boxes& boxes, const std::vector<int>& ends) : shape(std::int64_t(boxes.size())), segment(shape.size()) {
    for (const int end : ends) {
      for (int m = start.back(); m < end; ++m) shape[m] = m, segment[m] = int(start.size()) - 1;
      start.push_back(end);
    }
    starts = Array<int>(std::span<const int>(start));
    const SegmentView segments{starts.const_view(), shape.const_view(), segment.const_view(), int(ends.size()) - 1};
    tree = std::make_unique<RankTree>(segments, start, Device{});
    tree->build(Queue(Device{}, {.threads = 3}), boxes.data());
  }

  // Which pairs each leaf finds, in order.
  Pairs visited() const {
    Pairs pairs;
    const RankTreeView& view = tree->view();
    for (int leaf = 0; leaf < start.back(); ++leaf) {
      const int i = view.member[leaf];
      view.visit_later(leaf, start[segment[i] + 1], [&](int other) {
        const int j = view.member[other];
        pairs.push_back({std::min(i, j), std::max(i, j)});
      });
    }
    return pairs;
  }
};

// Proves that each pair of a segment is found once and none across segments, for all scenes, cut in several ways.
TEST(RankTree, FindsWhatADoubleLoopFinds) {
  for (const Scene& scene : all_scenes()) {
    SCOPED_TRACE(scene.name);
    const int n = int(scene.boxes.size());
    for (const std::vector<int>& ends : {std::vector<int>{n}, {n / 2, n}, {0, n / 7, n / 7, n / 3, n - n / 5, n, n}}) {
      const Ranked ranked(scene.boxes, ends);
      Pairs expected;
      for (const IndexPair& pair : double_loop(scene.boxes))
        if (ranked.segment[pair.i] == ranked.segment[pair.j]) expected.push_back(pair);
      EXPECT_EQ(sorted(ranked.visited()), expected) << ends.size() << " segments";
    }
  }
}

// Proves that boxes much larger than others come last, so that none of them looks for all the others.
TEST(RankTree, LargeBoxesComeLast) {
  Boxes boxes = uniform(1000, 2, 5);
  boxes[0] = {{-kUnbounded, -kUnbounded, -kUnbounded}, {kUnbounded, kUnbounded, 0}};
  boxes[1] = {{-kInf, -kInf, -kInf}, {kInf, kInf, kInf}};
  boxes[2] = {{-50, -50, -1}, {50, 50, 0}};
  const Ranked ranked(boxes, {1000});
  const RankTreeView& view = ranked.tree->view();
  EXPECT_EQ(view.member[997], 2);
  EXPECT_LE(view.member[998] + view.member[999], 1);
}

// Proves that ranks with more bits than a key has room for, beside those of many segments, are cut without harm.
TEST(RankTree, KeysThatAreTooShort) {
  const Boxes boxes = uniform(20'000, 2, 6);
  std::vector<int> ends(70'000, 0);
  ends.back() = int(boxes.size());
  BoxTree tree;
  tree.build(view(boxes));
  EXPECT_EQ(sorted(Ranked(boxes, ends).visited()), sorted(visited(tree)));
}

}  // namespace
}  // namespace carom
