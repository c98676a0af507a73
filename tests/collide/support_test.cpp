// Support points of all convex shapes against the formulas written a second time, and walks over hulls against scans.
#include <gtest/gtest.h>

#include "collide/convex_reference.h"

namespace carom {
namespace {

using namespace test;

// Proves that a support point is as far as the reference's, and belongs to the shape.
TEST(Support, AllShapes) {
  RandomShapes random(1);
  for (const ShapeType type : kConvexTypes) {
    for (int number = 0; number < 300; ++number) {
      TestShape shape = random.shape(type, 1);
      const ConvexCore core = convex_core(shape.view());
      Vec3 d = number % 4 ? random.vector(1) : Vec3{};
      if (number % 4 == 0) d[number / 4 % 3] = number % 8 ? Real(-1) : Real(1);  // along an axis
      const SupportPoint found = core_support(core, d, 0);
      const Double3 n = unit(Double3(d)), p = Double3(found.p) + n * double(core.radius);
      EXPECT_NEAR(dot(p, n), dot(shape.support(n), n), 1e-6) << shape_type_name(type);
      EXPECT_LT(shape.outside(p), 1e-6) << shape_type_name(type);
    }
  }
}

// Proves that walking along edges finds what a scan of all vertices finds, from every start.
TEST(Support, ClimbsToTheFarthestVertex) {
  RandomShapes random(2);
  for (int number = 0; number < 30; ++number) {
    std::vector<Vec3> points;
    for (int k = 0; k < 10 + 10 * number; ++k) points.push_back(normalize(random.vector(1)));
    const HullArrays hull = build_hull_arrays(convex_hull(Mesh(points, {})), {1, 2, Real(0.1)});
    const HullView view = hull.view();
    for (int k = 0; k < 200; ++k) {
      const Vec3 d = k < 6 ? hull.face[k].normal : random.vector(1);
      int best = 0;
      for (int v = 1; v < view.vertex_count; ++v) best = dot(view.vertex[v], d) > dot(view.vertex[best], d) ? v : best;
      EXPECT_EQ(farthest_vertex(view, d), best);
      const int climbed = climb_hull_vertices(view, d, random.integer(view.vertex_count));
      EXPECT_NEAR(dot(view.vertex[climbed], d), dot(view.vertex[best], d), 16 * kRounding);
    }
  }
}

// Proves that A - B has the support of A along n less that of B along -n, in the frame of A.
TEST(Support, Differences) {
  RandomShapes random(3);
  for (int number = 0; number < 1000; ++number) {
    Posed a{random.shape(ShapeType::kBox, 1), {random.vector(1), random.rotation()}};
    Posed b{random.shape(ShapeType::kConvexHull, 1), {random.vector(1), random.rotation()}};
    const ConvexCore core_a = convex_core(a.shape.view()), core_b = convex_core(b.shape.view());
    const Vec3 n = normalize(random.vector(1));
    const DifferencePoint p = difference_support(core_pair(core_a, a.X, core_b, b.X), n, 0, 0);
    const double size = a.shape.size() + b.shape.size() + length(a.X.p) + length(b.X.p);  // of what is added up
    EXPECT_NEAR(dot(p.w, n), -separation(a, b, turn(a.X.q, Double3(n))), 8 * kRounding * size);
  }
}

}  // namespace
}  // namespace carom
