// Proves what meshes do with meshes and heightfields: whole footprints of what rests, the depth of boxes, hooks that
// hold, no push from far sides, and a way out of a solid. That no overlap is missed or invented, and that distances are
// exact, is proven in random poses by differential_test.cpp.
#include <gtest/gtest.h>

#include "collide/narrow/pair_table.kernel.h"
#include "geometry/test_shapes.h"
#include "tests/random.h"

namespace carom {
namespace {

constexpr Real kSmall = sizeof(Real) == 8 ? Real(1e-9) : Real(2e-5);
constexpr Quat kLevel{0, 0, 0, 1};

// The same numbers on every machine.
struct Uniform {
  SeededRandom random;
  Real operator()(double low, double high) { return Real(random.uniform(low, high)); }
  Quat rotation() {
    Real q[4];
    for (Real& x : q) x = (*this)(-1, 1);
    return normalize(Quat{q[0], q[1], q[2], q[3]});
  }
};

struct MeshShape {
  MeshArrays arrays;
  GeometryView geometry{};

  explicit MeshShape(const Mesh& mesh, Vec3 scale = {1, 1, 1}) : arrays(mesh, scale) { geometry.mesh = arrays.view(); }
  ShapeView view() const { return {ShapeType::kMesh, {}, &geometry}; }
};

// A box of 2 n^2 triangles a side.
Mesh fine_box(Vec3 half, int n) {
  std::vector<Vec3> vertices;
  std::vector<int> indices;
  for (int face = 0; face < 6; ++face) {
    const int axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3, first = int(vertices.size());
    for (int k = 0; k < (n + 1) * (n + 1); ++k) {
      Vec3 p;
      p[axis] = face % 2 ? half[axis] : -half[axis];
      p[u] = half[u] * (2 * Real(k / (n + 1)) / Real(n) - 1);
      p[v] = half[v] * (2 * Real(k % (n + 1)) / Real(n) - 1);
      vertices.push_back(p);
    }
    for (int k = 0; k < n * n; ++k) {
      const int a = first + k / n * (n + 1) + k % n, b = a + n + 1;
      if (face % 2) indices.insert(indices.end(), {a, b, b + 1, a, b + 1, a + 1});
      else indices.insert(indices.end(), {a, b + 1, b, a, a + 1, b + 1});
    }
  }
  return Mesh(vertices, indices);
}
Mesh box_mesh(Vec3 half) { return make_box_mesh(half.x, half.y, half.z); }

Mesh both(const Mesh& a, const Mesh& b, Vec3 offset) {
  Mesh sum = a;
  for (const int i : b.indices) sum.indices.push_back(i + int(a.vertices.size()));
  for (const Vec3 v : b.vertices) sum.vertices.push_back(v + offset);
  return Mesh(sum.vertices, sum.indices);
}

// Of shapes in a frame V that stands turned in the world, as seen from there.
std::vector<ContactPoint> contacts(const ShapeView& a, const Transform& X_VA, const ShapeView& b, const Transform& X_VB,
                                   Real reach, int room = 10) {
  const Transform X_WV{{Real(0.3), Real(-0.7), Real(0.4)}, normalize(Quat{Real(0.3), Real(-0.2), Real(0.5), 1})};
  std::vector<ContactPoint> points(kMaxPoints);
  points.resize(std::size_t(collide_shapes(a, X_WV * X_VA, b, X_WV * X_VB, reach, room, points.data())));
  for (ContactPoint& p : points) {
    p.point = rotate_inverse(X_WV.q, p.point - X_WV.p);
    p.normal = rotate_inverse(X_WV.q, p.normal);
  }
  return points;
}
Real least_distance(const std::vector<ContactPoint>& points) {
  Real least = std::numeric_limits<Real>::max();
  for (const ContactPoint& p : points) least = min(least, p.distance);
  return least;
}

// All have the normal and the distance; each corner is one of them, and none lies outside of the corners.
void expect_footprint(const std::vector<ContactPoint>& points, Vec3 normal, Real distance,
                      const std::vector<Vec3>& corners) {
  Vec3 lower = corners[0], upper = corners[0];
  for (const Vec3& c : corners) lower = min(lower, c), upper = max(upper, c);
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_GT(dot(points[i].normal, normal), Real(0.999999)) << points[i].normal.x << ", " << points[i].normal.y;
    EXPECT_NEAR(points[i].distance, distance, kSmall);
    for (int k = 0; k < 3; ++k) {
      EXPECT_GT(points[i].point[k], lower[k] - 1000 * kSmall);
      EXPECT_LT(points[i].point[k], upper[k] + 1000 * kSmall);
    }
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_GT(length(points[i].point - points[j].point), Real(1e-3));
      EXPECT_NE(points[i].feature, points[j].feature);
    }
  }
  for (const Vec3& c : corners) {
    Real nearest = 1;
    for (const ContactPoint& p : points) nearest = min(nearest, length(p.point - c));
    EXPECT_LT(nearest, 1000 * kSmall) << "corner " << c.x << ", " << c.y;
  }
}

std::vector<Vec3> square(Vec3 middle, Real half) {
  return {middle + Vec3{-half, -half, 0}, middle + Vec3{half, -half, 0}, middle + Vec3{half, half, 0},
          middle + Vec3{-half, half, 0}};
}

// A box of 1 m on ground whose top is at z = 0.5, in both orders.
void expect_resting_box(const ShapeView& box, const ShapeView& ground, Real depth) {
  const Transform X_box{{Real(0.1), Real(0.2), 1 - depth}, kLevel}, X_ground{{}, kLevel};
  const std::vector<Vec3> corners = square({Real(0.1), Real(0.2), (1 - depth) / 2}, Real(0.5));
  const Real reach = Real(0.01);
  expect_footprint(contacts(box, X_box, ground, X_ground, reach), {0, 0, -1}, -depth, corners);
  expect_footprint(contacts(ground, X_ground, box, X_box, reach), {0, 0, 1}, -depth, corners);
}

TEST(SurfaceSurface, BoxesRestOnTheirCorners) {
  const MeshShape box(box_mesh({Real(0.5), Real(0.5), Real(0.5)})), ground(box_mesh({5, 5, Real(0.5)}));
  const MeshShape fine(fine_box({Real(0.5), Real(0.5), Real(0.5)}, 7));
  const MeshShape fine_ground(fine_box({5, 5, Real(0.5)}, 20));
  ASSERT_TRUE(fine.arrays.closed && fine_ground.arrays.closed);
  const HeightfieldArrays flat(Heightfield(std::vector<Real>(6 * 7, Real(0.5)), 6, 7, 3, 2), {1, 1, 1});
  GeometryView field{};
  field.heightfield = flat.view();
  for (const Real depth : {Real(0.03), Real(1e-4), Real(0), Real(-0.005)}) {
    SCOPED_TRACE(depth);
    for (const MeshShape* b : {&box, &fine}) {
      expect_resting_box(b->view(), ground.view(), depth);
      expect_resting_box(b->view(), fine_ground.view(), depth);
      expect_resting_box(b->view(), {ShapeType::kHeightfield, {}, &field}, depth);
    }
  }
}

// Sides in one plane: no triangle goes through another, and all vertices lie on the other's surface.
TEST(SurfaceSurface, EqualBoxesRestOnEachOther) {
  const MeshShape box(box_mesh({Real(0.5), Real(0.5), Real(0.5)}));
  for (const Real depth : {Real(0.03), Real(1e-4), Real(0), Real(-0.005)}) {
    const std::vector<ContactPoint> points =
        contacts(box.view(), {{0, 0, 1 - depth}, kLevel}, box.view(), {{}, kLevel}, Real(0.01));
    EXPECT_EQ(points.size(), 4u);
    expect_footprint(points, {0, 0, -1}, -depth, square({0, 0, (1 - depth) / 2}, Real(0.5)));
    const std::size_t overlaps = contacts(box.view(), {{0, 0, 1 - depth}, kLevel}, box.view(), {{}, kLevel}, 0).size();
    EXPECT_TRUE(overlaps == 4 || depth <= 0);
  }
}

// No vertex of the one is in the other.
TEST(SurfaceSurface, CrossedBarsTouchInASquare) {
  const MeshShape along_x(box_mesh({2, Real(0.1), Real(0.1)})), along_y(box_mesh({Real(0.1), 2, Real(0.1)}));
  for (const Real depth : {Real(0.03), Real(1e-4), Real(0), Real(-0.005)}) {
    expect_footprint(
        contacts(along_x.view(), {{0, 0, Real(0.2) - depth}, kLevel}, along_y.view(), {{}, kLevel}, Real(0.01), 16),
        {0, 0, -1}, -depth, square({0, 0, Real(0.1) - depth / 2}, Real(0.1)));
  }
}

// An open mesh has no inside; what has gone through it is pushed out before it.
TEST(SurfaceSurface, BoxesRestOnSheets) {
  const MeshShape box(box_mesh({Real(0.5), Real(0.5), Real(0.5)}));
  const MeshShape sheet(
      Mesh({{-5, -5, Real(0.5)}, {5, -5, Real(0.5)}, {5, 5, Real(0.5)}, {-5, 5, Real(0.5)}}, {0, 1, 2, 0, 2, 3}));
  for (const Real depth : {Real(0.03), Real(0), Real(-0.005)}) expect_resting_box(box.view(), sheet.view(), depth);
  EXPECT_TRUE(contacts(box.view(), {{0, 0, Real(-0.2)}, kLevel}, sheet.view(), {{}, kLevel}, Real(0.01)).empty());
}

// How far boxes have to be moved to be apart: by separating axes, all fifteen.
double way_apart(const Vec3* half, const Transform& X_WA, const Transform& X_WB) {
  Vec3 axis[6];
  for (int i = 0; i < 6; ++i) {
    Vec3 e{};
    e[i % 3] = 1;
    axis[i] = rotate((i < 3 ? X_WA : X_WB).q, e);
  }
  double least = 1e300;
  for (int i = 0; i < 15; ++i) {
    const Vec3 n = i < 6 ? axis[i] : cross(axis[(i - 6) / 3], axis[3 + (i - 6) % 3]);
    if (length(n) < Real(1e-3)) continue;
    double reach = -std::abs(double(dot(n, X_WB.p - X_WA.p)));
    for (int k = 0; k < 6; ++k) reach += double(half[k / 3][k % 3]) * std::abs(double(dot(n, axis[k])));
    least = std::min(least, reach / double(length(n)));
  }
  return least;
}

// In random poses boxes of triangles overlap when boxes do, are as far apart and as deep. Of two ways out the longer
// one may stay by kFacePreference, and so may a face where edges are less deep. Pairs of triangles count by the middle
// of what they share: rarely a way seems shorter than it is. Boxes that go through each other are deep in many ways;
// most of them still have about the shortest.
TEST(SurfaceSurface, MeshBoxesAreLikeBoxes) {
  Uniform uniform{SeededRandom(3)};
  int overlaps = 0, less_deep = 0, apart = 0, through = 0, about = 0;
  for (int i = 0; i < 2000; ++i) {
    Vec3 half[2];
    for (Vec3& h : half) h = {uniform(0.2, 1), uniform(0.2, 1), uniform(0.2, 1)};
    const MeshShape a(box_mesh(half[0])), b(box_mesh(half[1]));
    const Transform X_WA{{}, uniform.rotation()};
    const Vec3 p{uniform(-1.5, 1.5), uniform(-1.5, 1.5), uniform(-1.5, 1.5)};
    const Transform X_WB{p, uniform.rotation()};
    const std::vector<ContactPoint> meshes = contacts(a.view(), X_WA, b.view(), X_WB, Real(0.2), kMaxPoints);
    const std::vector<ContactPoint> boxes = contacts({ShapeType::kBox, half[0], nullptr}, X_WA,
                                                     {ShapeType::kBox, half[1], nullptr}, X_WB, Real(0.2), kMaxPoints);
    ASSERT_EQ(meshes.empty(), boxes.empty()) << i;
    if (boxes.empty()) continue;
    const double found = least_distance(meshes), depth = way_apart(half, X_WA, X_WB);
    if (std::abs(depth) < 1e-4) continue;
    if (depth < 0) {
      EXPECT_NEAR(found, double(least_distance(boxes)), 100 * kSmall) << i;
      ++apart;
    } else if (depth < 0.1) {
      EXPECT_LT(-found, depth / ((1 - kFacePreference) * (1 - kFacePreference)) + 100 * kSmall) << i;
      EXPECT_GT(-found, 0.5 * depth) << i;
      ++overlaps, less_deep += -found < depth - 100 * kSmall;
    } else {
      EXPECT_LT(found, 0) << i;
      ++through, about += -found > 0.5 * depth && -found < 1.5 * depth;
    }
  }
  EXPECT_GT(overlaps, 100);
  EXPECT_GT(apart, 50);
  EXPECT_LE(50 * less_deep, overlaps);
  EXPECT_GE(about, through * 9 / 10);
}

// The points of B and A are those of A and B, to the bit.
TEST(SurfaceSurface, SwappedMeshesMirror) {
  Uniform uniform{SeededRandom(4)};
  const MeshShape ring(testing_shapes::ring_mesh(12)), box(box_mesh({Real(0.6), Real(0.5), Real(0.4)}));
  const MeshShape ball(make_sphere_mesh(Real(0.8), 1)), small(make_sphere_mesh(Real(0.7), 1));
  const MeshShape* const shapes[] = {&ring, &box, &ball, &small};
  for (int i = 0; i < 200; ++i) {
    const MeshShape &a = *shapes[i % 4], &b = *shapes[(i + 1 + i / 4 % 3) % 4];
    const Transform X_WA{{}, uniform.rotation()};
    const Vec3 p{uniform(-0.7, 0.7), uniform(-0.7, 0.7), uniform(-0.7, 0.7)};
    const Transform X_WB{p, uniform.rotation()};
    const std::vector<ContactPoint> points = contacts(a.view(), X_WA, b.view(), X_WB, Real(0.05), kMaxPoints);
    const std::vector<ContactPoint> swapped = contacts(b.view(), X_WB, a.view(), X_WA, Real(0.05), kMaxPoints);
    ASSERT_EQ(points.size(), swapped.size());
    for (std::size_t k = 0; k < points.size(); ++k) {
      EXPECT_EQ(points[k].distance, swapped[k].distance);
      EXPECT_EQ(points[k].point, swapped[k].point);
      EXPECT_EQ(points[k].normal, -swapped[k].normal);
      EXPECT_EQ(points[k].feature, swapped[k].feature);
    }
  }
}

// Two rings, one through the other's hole: pulled, they hold each other along the pull; between, nothing touches.
TEST(SurfaceSurface, RingsOfAChainHoldEachOther) {
  const MeshShape ring(testing_shapes::ring_mesh(12), {1, 1, Real(0.3)});
  const Quat upright = quat_from_axis_angle(Vec3{1, 0, 0}, Real(1.5707963267948966));
  const auto pulled = [&](Real x) {
    return contacts(ring.view(), {{}, kLevel}, ring.view(), {{x, 0, 0}, upright}, Real(0.01));
  };
  EXPECT_TRUE(pulled(Real(0.75)).empty());
  for (const Real x : {Real(0.99), Real(1.02)}) {
    const std::vector<ContactPoint> points = pulled(x);
    EXPECT_GE(points.size(), 2u);
    EXPECT_LT(least_distance(points), Real(-0.005));
    EXPECT_GT(least_distance(points), Real(-0.1));
    for (const ContactPoint& p : points) EXPECT_LT(p.normal.x, Real(-0.8));
  }
}

TEST(SurfaceSurface, WhatIsInASolidIsPushedOut) {
  const MeshShape small(box_mesh({Real(0.1), Real(0.1), Real(0.1)})), large(box_mesh({5, 5, Real(0.5)}));
  const Transform X_small{{0, Real(0.2), Real(0.3)}, kLevel}, X_large{{}, kLevel};
  const HeightfieldArrays flat(Heightfield(std::vector<Real>(6 * 7, Real(0.5)), 6, 7, 3, 2), {1, 1, 1});
  GeometryView field{};
  field.heightfield = flat.view();
  // Only one of two boxes of a mesh is in the solid.
  const MeshShape two(both(box_mesh({Real(0.1), Real(0.1), Real(0.1)}), box_mesh({1, 1, 1}), {0, 0, 5}));
  for (const ShapeView& inside : {small.view(), two.view()}) {
    for (const ShapeView& solid : {large.view(), ShapeView{ShapeType::kHeightfield, {}, &field}}) {
      const std::vector<ContactPoint> out = contacts(inside, X_small, solid, X_large, Real(0.01));
      ASSERT_EQ(out.size(), 1u);
      EXPECT_NEAR(out[0].distance, Real(-0.3), kSmall);
      EXPECT_LT(out[0].normal.z, Real(-0.999999));
      const std::vector<ContactPoint> swapped = contacts(solid, X_large, inside, X_small, Real(0.01));
      ASSERT_EQ(swapped.size(), 1u);
      EXPECT_NEAR(swapped[0].distance, Real(-0.3), kSmall);
      EXPECT_GT(swapped[0].normal.z, Real(0.999999));
    }
  }
}

// A peg in the ground, deeper than it is wide.
TEST(SurfaceSurface, PegsComeOutTheWayTheyWentIn) {
  const MeshShape peg(box_mesh({Real(0.01), Real(0.01), Real(0.2)})), ground(fine_box({5, 5, Real(0.5)}, 20));
  expect_footprint(
      contacts(peg.view(), {{Real(0.33), Real(0.21), Real(0.65)}, kLevel}, ground.view(), {{}, kLevel}, Real(0.01)),
      {0, 0, -1}, Real(-0.05), square({Real(0.33), Real(0.21), Real(0.475)}, Real(0.01)));
}

// Plates that lie over each other, near or far, and look away from each other do not overlap.
TEST(SurfaceSurface, FarSidesDoNotPush) {
  const MeshShape plate(box_mesh({1, 1, Real(0.01)}));
  const std::vector<ContactPoint> above =
      contacts(plate.view(), {{0, 0, Real(0.021)}, kLevel}, plate.view(), {{}, kLevel}, Real(0.1));
  EXPECT_EQ(above.size(), 4u);
  for (const ContactPoint& p : above) {
    EXPECT_NEAR(p.distance, Real(0.001), kSmall);
    EXPECT_LT(p.normal.z, Real(-0.999999));
  }
}

}  // namespace
}  // namespace carom
