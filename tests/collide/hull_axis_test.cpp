// The axis of two hulls against a search over all faces and all pairs of edges that prunes nothing.
#include "collide/narrow/hull_axis.kernel.h"

#include <gtest/gtest.h>

#include "tests/collide/convex_reference.h"

namespace carom {
namespace {

using test::Double3;

constexpr double kClose = sizeof(Real) == 8 ? 1e-12 : 4e-6;

class Hulls {
 public:
  explicit Hulls(int seed) : random_(seed) {}

  Real uniform(Real low, Real high) { return Real(random_.uniform(low, high)); }
  Vec3 direction() { return normalize(Vec3{normal(), normal(), normal()}); }
  Quat turn() { return normalize(Quat{normal(), normal(), normal(), normal()}); }
  HullArrays hull(int vertices, Vec3 scale) {
    std::vector<Vec3> points(vertices);
    for (Vec3& p : points) {
      p = direction();
      p = p * uniform(Real(0.7), 1);
    }
    return build_hull_arrays(convex_hull(Mesh(points, {})), scale);
  }

 private:
  Real normal() { return Real(random_.normal()); }

  SeededRandom random_;
};

ConvexCore core_of(const HullView& hull) { return {CoreType::kHull, 0, {}, &hull, {}}; }

double farthest(const HullView& hull, Double3 d) {
  double most = -1e300;
  for (int v = 0; v < hull.vertex_count; ++v) most = std::max(most, dot(Double3(hull.vertex[v]), d));
  return most;
}

// Everything in the frame of A.
struct PlainSearch {
  const CorePair& pair;

  Double3 from_b(Vec3 v) const {
    const Double3 d(v);
    return {dot(Double3(pair.R_AB.row0), d), dot(Double3(pair.R_AB.row1), d), dot(Double3(pair.R_AB.row2), d)};
  }
  Double3 into_b(Double3 v) const {
    return Double3(pair.R_AB.row0) * v.x + Double3(pair.R_AB.row1) * v.y + Double3(pair.R_AB.row2) * v.z;
  }
  double separation(Double3 n) const {
    return dot(n, Double3(pair.p_AB)) - farthest(*pair.b.hull, into_b(n) * -1) - farthest(*pair.a.hull, n);
  }
  static Double3 edge(const HullView& hull, int e) {
    return Double3(hull.vertex[hull.edge[e].head]) - Double3(hull.vertex[hull.edge[e].tail]);
  }

  double greatest() const {
    const HullView &a = *pair.a.hull, &b = *pair.b.hull;
    double most = -1e300;
    for (int f = 0; f < a.face_count; ++f) most = std::max(most, separation(unit(Double3(a.face[f].normal))));
    for (int f = 0; f < b.face_count; ++f) most = std::max(most, separation(unit(from_b(b.face[f].normal)) * -1));
    for (int i = 0; i < a.edge_count; ++i) {
      for (int j = 0; j < b.edge_count; ++j) {
        const Double3 e = edge(b, j);
        const Double3 n = cross(edge(a, i), from_b({Real(e.x), Real(e.y), Real(e.z)}));
        if (length(n) < 1e-5 * length(edge(a, i)) * length(e)) continue;
        most = std::max({most, separation(unit(n)), separation(unit(n) * -1)});
      }
    }
    return most;
  }
};

// From centre in centre to well apart; round hulls, flat ones and long ones.
TEST(HullAxis, BestOfAll) {
  Hulls random(3);
  const Vec3 scale[4] = {{1, 1, 1}, {1, 1, Real(0.1)}, {Real(0.1), Real(0.2), 2}, {1, Real(0.5), Real(0.3)}};
  int overlapping = 0;
  for (int k = 0; k < 16; ++k) {
    const HullArrays arrays_a = random.hull(4 + 2 * k, scale[k % 4]), arrays_b = random.hull(34 - 2 * k, scale[k / 4]);
    const HullView a = arrays_a.view(), b = arrays_b.view();
    const ConvexCore core_a = core_of(a), core_b = core_of(b);
    for (int pose = 0; pose < 12; ++pose) {
      const Transform X_WA{random.direction(), random.turn()};
      const Transform X_WB{X_WA.p + random.direction() * (Real(pose) / 8), random.turn()};
      const CorePair pair = core_pair(core_a, X_WA, core_b, X_WB);
      const HullAxis axis = hull_axis(pair, 10);
      const PlainSearch plain{pair};
      const double expected = plain.greatest();
      overlapping += expected < 0;
      // Apart, the products of edges that do not cross separate, too, and the search leaves them out.
      EXPECT_LE(axis.separation, expected + kClose);
      EXPECT_GE(axis.separation, (expected > 0 ? 0 : expected) - kClose) << "hulls " << k << ", pose " << pose;
      EXPECT_NEAR(plain.separation(Double3(axis.normal)), axis.separation, kClose);
      EXPECT_NEAR(length(axis.normal), 1, kClose);
    }
  }
  EXPECT_GT(overlapping, 100);
}

// A hull on itself: faces of the first one win, and the answer does not depend on where the pair is.
TEST(HullAxis, EqualHulls) {
  Hulls random(5);
  const HullArrays arrays = random.hull(20, {1, 1, 1});
  const HullView hull = arrays.view();
  const ConvexCore core = core_of(hull);
  for (int f = 0; f < hull.face_count; ++f) {
    const Transform X_WA{{}, {0, 0, 0, 1}}, X_WB{hull.face[f].normal * Real(0.1), {0, 0, 0, 1}};
    const CorePair pair = core_pair(core, X_WA, core, X_WB);
    EXPECT_NEAR(hull_axis(pair, 0).separation, PlainSearch{pair}.greatest(), kClose);
  }
}

// A box meets hulls as a hull, and the answer is that of GJK and EPA. A hull of another size is not taken for the box.
TEST(HullAxis, BoxesAreHulls) {
  Hulls random(9);
  const Vec3 half{Real(0.5), Real(0.3), Real(0.7)};
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k) corners.push_back(box_corner({1, 1, 1}, k));
  const Mesh unit_box = convex_hull(Mesh(corners, {}));
  const HullArrays box_arrays = build_hull_arrays(unit_box, half),
                   larger_arrays = build_hull_arrays(unit_box, half * Real(2));
  const HullArrays hull_arrays = random.hull(24, {1, 1, 1});
  GeometryView box_geometry{}, larger_geometry{}, hull_geometry{};
  box_geometry.hull = box_arrays.view();
  larger_geometry.hull = larger_arrays.view();
  hull_geometry.hull = hull_arrays.view();
  const ShapeView hull{ShapeType::kConvexHull, {1, 1, 1}, &hull_geometry};
  const ShapeView plain{ShapeType::kBox, half, nullptr}, box{ShapeType::kBox, half, &box_geometry};
  const ShapeView stale{ShapeType::kBox, half, &larger_geometry};
  for (int pose = 0; pose < 200; ++pose) {
    const Transform X_WA{random.direction(), random.turn()};
    const Real apart = random.uniform(0, Real(1.8));
    const Transform X_WB{X_WA.p + random.direction() * apart, random.turn()};
    const ConvexDistance expected = convex_distance(plain, X_WA, hull, X_WB);
    for (const ShapeView& a : {box, stale}) {
      const ConvexDistance found = convex_distance(a, X_WA, hull, X_WB);
      EXPECT_NEAR(found.distance, expected.distance, kClose);
      EXPECT_NEAR(dot(found.normal, found.point_b - found.point_a), found.distance, 8 * kClose);
    }
  }
}

TEST(HullAxis, StopsWhereHullsAreFartherThanReach) {
  Hulls random(7);
  const HullArrays arrays = random.hull(12, {1, 1, 1});
  const HullView hull = arrays.view();
  const ConvexCore core = core_of(hull);
  const CorePair pair = core_pair(core, {{}, {0, 0, 0, 1}}, core, {{4, 0, 0}, random.turn()});
  const HullAxis axis = hull_axis(pair, Real(0.01));
  EXPECT_GT(axis.separation, 0.01);
  EXPECT_NEAR(PlainSearch{pair}.separation(Double3(axis.normal)), axis.separation, 4 * kClose);
}

}  // namespace
}  // namespace carom
