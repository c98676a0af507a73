// Rows of hulls against plain loops, for the width of row that CAROM_TIER_BYTES gives in the file that includes this.
// Each such file is a tier of its own, so that no two share a symbol.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "collide/narrow/hull_axis.kernel.h"
#include "geometry/hull_topology.h"
#include "tests/fixed_random.h"

namespace carom::inline CAROM_PRECISION {

// Where the axes of many pairs of hulls are, found in rows of 16 bytes.
std::vector<Real> hull_axes_in_rows_of_16();

}  // namespace carom::inline CAROM_PRECISION

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

struct HullMaker {
  FixedRandom random;

  // On a coarse grid, so that many vertices reach equally far.
  HullArrays hull(int points) {
    std::vector<Vec3> corner(points);
    for (Vec3& p : corner) p = {coarse(), coarse(), coarse()};
    corner.insert(corner.end(), {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, -1, -1}});
    return build_hull_arrays(convex_hull(Mesh(corner, {})), {1, 1, 1});
  }
  Real coarse() { return static_cast<Real>(static_cast<int>(random.next() * 8)) / 8; }
  Vec3 vector() {
    const Real x = random.next(), y = random.next();
    return {x, y, random.next()};
  }
};

inline int first_farthest(const std::vector<Vec3>& vectors, Vec3 d) {
  int best = 0;
  for (int i = 1; i < int(vectors.size()); ++i) {
    if (dot(vectors[i], d) > dot(vectors[best], d)) best = i;
  }
  return best;
}

inline std::vector<Real> hull_axes() {
  HullMaker make{FixedRandom(5)};
  std::vector<Real> found;
  for (int k = 0; k < 12; ++k) {
    const HullArrays arrays_a = make.hull(4 + 4 * k), arrays_b = make.hull(50 - 4 * k);
    const HullView a = arrays_a.view(), b = arrays_b.view();
    if (a.vertex_count > kAxisVertices || b.vertex_count > kAxisVertices) continue;
    const ConvexCore core_a{CoreType::kHull, 0, {}, &a, {}}, core_b{CoreType::kHull, 0, {}, &b, {}};
    for (int pose = 0; pose < 40; ++pose) {
      // Every other pose is along the grid, where axes and features are equally good.
      const bool along_grid = pose % 2 == 0;
      const Vec3 p = along_grid ? Vec3{make.coarse(), make.coarse(), 0} : make.vector();
      const Quat q =
          along_grid ? Quat{0, 0, 0, 1} : normalize(Quat{make.coarse(), make.random.next(), make.coarse(), 1});
      const HullAxis axis = hull_axis(core_pair(core_a, {{}, {0, 0, 0, 1}}, core_b, {p, q}), 10);
      found.insert(found.end(), {axis.normal.x, axis.normal.y, axis.normal.z, axis.separation});
    }
  }
  return found;
}

// One register at most, and whole rows in what the layout is filled up to.
inline void check_width() {
  EXPECT_LE(sizeof(HullRow), std::size_t(CAROM_TIER_BYTES));
  EXPECT_EQ(kHullRow % kRowWidth, 0);
  EXPECT_EQ(kEntriesAtOnce, kHullRow);
}

inline void check_searches() {
  HullMaker make{FixedRandom(1)};
  for (int k = 0; k < 60; ++k) {
    const HullArrays arrays = make.hull(k);
    const HullView hull = arrays.view();
    const std::vector<Vec3> vertex(hull.vertex, hull.vertex + hull.vertex_count);
    for (int i = 0; i < 20; ++i) {
      // Along an axis many are equally far, and below zero as well.
      const Vec3 d = i % 2 ? Vec3{0, 0, Real(i % 4 - 2)} : make.vector();
      const int farthest = first_farthest(vertex, d);
      EXPECT_EQ(farthest_vertex(hull, d), farthest);
      EXPECT_EQ(farthest_along(hull, d), dot(vertex[farthest], d));
      if (hull.vertex_count > kMostBits) continue;
      std::uint64_t top = 0;
      for (int v = 0; v < hull.vertex_count; ++v) {
        if (dot(vertex[v], d) >= dot(vertex[farthest], d) - Real(0.25)) top |= std::uint64_t{1} << v;
      }
      EXPECT_EQ(vertices_at_top(hull, d, Real(0.25)), top);
    }
  }
}

// Lists of 0 to 192 entries, padded with copies of the first.
inline void check_candidates() {
  FixedRandom random(2);
  for (int total = 1; total <= kAxisEdges; ++total) {
    std::vector<Real> number(whole(total, kHullRow));
    for (Real& x : number) x = random.next();
    for (std::size_t i = total; i < number.size(); ++i) number[i] = number[0];
    const auto above = [&](Real least) {
      return [&, least](int first) { return load_row(&number[first]) > HullRow(least); };
    };
    for (const Real least : {Real(-2), Real(-0.5), Real(0.2), Real(0.9), Real(2)}) {
      std::vector<int> expected, found;
      for (int i = 0; i < total; ++i) {
        if (number[i] > least) expected.push_back(i);
      }
      HullCandidates candidates;
      candidates.collect(total, above(least));
      found.assign(candidates.place, candidates.place + candidates.count);
      EXPECT_EQ(found, expected) << "of " << total;
      const int padded = candidates.fill_row();
      EXPECT_EQ(padded, whole(candidates.count, kRowWidth));
      for (int i = candidates.count; i < padded; ++i)
        EXPECT_EQ(candidates.place[i], candidates.place[candidates.count - 1]);
    }
  }
}

inline void check_axes() {
  const std::vector<Real> here = hull_axes(), there = hull_axes_in_rows_of_16();
  ASSERT_EQ(here.size(), there.size());
  EXPECT_GT(here.size(), 1000u);
  for (std::size_t i = 0; i < here.size(); ++i) EXPECT_EQ(to_bits(here[i]), to_bits(there[i])) << "number " << i;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER

#define CAROM_TEST_HULL_ROWS(Suite)                                  \
  TEST(Suite, ARowFitsARegister) { carom::check_width(); }           \
  TEST(Suite, SearchesAsPlainLoops) { carom::check_searches(); }     \
  TEST(Suite, CandidatesAsPlainLoops) { carom::check_candidates(); } \
  TEST(Suite, SameBitsAsRowsOf16Bytes) { carom::check_axes(); }
