// Proves which sides of a heightfield's triangles count as convex: those where the two faces bend away from each other,
// however steep and thin the triangles are, and the border. And that flat ground pushes upwards alone, wherever a box
// stands on it.
#include "collide/narrow/convex_triangles.kernel.h"

#include <gtest/gtest.h>

#include "collide/narrow/box_box.kernel.h"
#include "geometry/test_shapes.h"
#include "tests/random.h"

namespace carom {
namespace {

using namespace testing_shapes;

using Corners = std::array<Vec3d, 3>;

Corners corners_of(const HeightfieldView& field, int triangle) {
  const TriangleCorners t = triangle_corners(field, triangle);
  return {to_double(t.corner[0]), to_double(t.corner[1]), to_double(t.corner[2])};
}
bool same(Vec3d a, Vec3d b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// The sine by which the surface bends at side k of a triangle, positive where it is convex, and 1 at the border; by the
// triangle that has the same side the other way round.
double bend_at(const HeightfieldView& field, int triangle, int k) {
  const Corners t = corners_of(field, triangle);
  const Vec3d a = t[k], b = t[(k + 1) % 3];
  for (int other = 0; other < 2 * (field.nrow - 1) * (field.ncol - 1); ++other) {
    const Corners o = corners_of(field, other);
    for (int m = 0; m < 3; ++m) {
      if (!same(o[m], b) || !same(o[(m + 1) % 3], a)) continue;
      const Vec3d n = normalize(cross(t[1] - t[0], t[2] - t[0])), across = normalize(cross(b - a, o[(m + 2) % 3] - a));
      return -dot(n, normalize(cross(across, b - a)));
    }
  }
  return 1;
}

TEST(ConvexTriangles, ConvexSidesOfHeightfields) {
  SeededRandom random(3);
  int convex = 0, concave = 0;
  for (const Real steepness : {Real(0.1), Real(1), Real(30), Real(1000)}) {
    std::vector<Real> heights(30);
    for (Real& h : heights) h = Real(random.uniform(-steepness, steepness));
    const HeightfieldArrays arrays(Heightfield(heights, 5, 6, 2, 2), {1, 1, 1});
    const HeightfieldView field = arrays.view();
    for (int triangle = 0; triangle < 40; ++triangle) {
      const int flags = convex_sides(field, triangle, triangle_corners(field, triangle));
      for (int k = 0; k < 3; ++k) {
        const double bend = bend_at(field, triangle, k);
        if (std::abs(bend) < 1e-3) continue;
        EXPECT_EQ((flags & kConvexSide0 << k) != 0, bend > 0) << steepness << ", " << triangle << ", side " << k;
        ++(bend > 0 ? convex : concave);
      }
    }
  }
  EXPECT_GT(convex, 150);
  EXPECT_GT(concave, 100);
}

// A flat field of cells of 1 x 0.8 m, and a mesh of the same triangles.
struct FlatGround {
  HeightfieldArrays field;
  MeshArrays mesh;

  FlatGround() : field(Heightfield(std::vector<Real>(42, 0), 6, 7, 3, 2), {1, 1, 1}), mesh(as_mesh(), {1, 1, 1}) {}
  Mesh as_mesh() const {
    std::vector<Vec3> vertices;
    std::vector<int> indices;
    for (int node = 0; node < 42; ++node) vertices.push_back(heightfield_node(field.view(), node / 7, node % 7));
    for (int cell = 0; cell < 30; ++cell) {
      const int p = cell / 6 * 7 + cell % 6;
      indices.insert(indices.end(), {p, p + 1, p + 8, p, p + 8, p + 7});
    }
    return Mesh(vertices, indices);
  }
};

// Faces of the box over grid lines, edges along diagonals, corners on nodes and at the border, turned ground as well:
// a face that is only touched from its side must not push sideways.
template <class Surface>
void expect_upward_pushes(const Surface& ground, const Transform& X_WB) {
  constexpr Real kBound = sizeof(Real) == 8 ? Real(1e-9) : Real(1e-5);
  const Vec3 down = -rotate(X_WB.q, Vec3{0, 0, 1});
  const Real diagonal = atan2(Real(0.8), Real(1));
  for (const Real depth : {Real(0), Real(1e-5), Real(0.01), Real(0.3), Real(-0.005)}) {
    for (int k = 0; k < 13 * 9 * 6; ++k) {
      const Vec3 half{k % 2 ? Real(0.5) : Real(0.3), k % 2 ? Real(0.4) : Real(0.8), Real(0.7)};
      const Real x = Real(k / 6 % 13 - 6) * Real(0.5), y = Real(k / 6 / 13 - 4) * Real(0.4);
      const Real turn = k / 2 % 3 == 0 ? Real(0) : k / 2 % 3 == 1 ? diagonal : Real(1);
      if (abs(x) + half.x > 3 || abs(y) + half.y > 2) continue;
      const Transform X_BA{{x, y, half.z - depth}, quat_from_axis_angle(Vec3{0, 0, 1}, turn)};
      const ConvexCore box{CoreType::kBox, 0, half, nullptr, {}};
      ContactPoint points[16];
      const int count = convex_triangles(box, X_WB * X_BA, ground, X_WB, Real(0.01), 10, points);
      ASSERT_GE(count, turn == 0 ? 4 : 1) << depth << ", " << x << ", " << y << ", " << turn;
      for (int i = 0; i < count; ++i) {
        EXPECT_GT(dot(points[i].normal, down), Real(0.99999)) << depth << ", " << x << ", " << y << ", " << turn;
        EXPECT_NEAR(points[i].distance, -depth, kBound);
      }
    }
  }
}

TEST(ConvexTriangles, FlatGroundPushesUpwardsAlone) {
  const FlatGround ground;
  const Transform turned{{Real(0.3), Real(-0.2), Real(0.1)}, quat_from_axis_angle(normalize(Vec3{1, 2, 3}), Real(0.7))};
  for (const Transform& X : {Transform{{}, {0, 0, 0, 1}}, turned}) {
    expect_upward_pushes(ground.field.view(), X);
    expect_upward_pushes(ground.mesh.view(), X);
  }
}

// A box on one slope of a valley with its side over the line between the slopes: it is pushed along the slopes'
// normals.
TEST(ConvexTriangles, ValleysPushAlongTheirSlopes) {
  const Real rise = Real(0.6);
  const MeshArrays valley(
      Mesh({{-2, -2, 2 * rise}, {0, -2, 0}, {2, -2, 2 * rise}, {-2, 2, 2 * rise}, {0, 2, 0}, {2, 2, 2 * rise}},
           {0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4}),
      {1, 1, 1});
  const Vec3 right = normalize(Vec3{-rise, 0, 1}), left{-right.x, 0, right.z}, uphill{right.z, 0, -right.x};
  const Quat q = quat_from_axis_angle(Vec3{0, 1, 0}, -atan2(rise, Real(1)));
  for (const Real depth : {Real(0), Real(1e-5), Real(0.01), Real(0.1)}) {
    for (int k = -4; k <= 4; ++k) {
      const Vec3 center = uphill * Real(0.5) + right * (Real(0.4) - depth) + Vec3{0, Real(k) * Real(0.4), 0};
      const ConvexCore box{CoreType::kBox, 0, {Real(0.5), Real(0.4), Real(0.4)}, nullptr, {}};
      ContactPoint points[16];
      const int count = convex_triangles(box, {center, q}, valley.view(), {{}, {0, 0, 0, 1}}, Real(0.01), 10, points);
      ASSERT_GE(count, 4);
      for (int i = 0; i < count; ++i)
        EXPECT_GT(max(-dot(points[i].normal, right), -dot(points[i].normal, left)), Real(0.999)) << depth << ", " << k;
    }
  }
}

// A cylinder leans with its rim on a sheet, beside whose border its lowest point is. What the sheet has under it of the
// rim lies between two corners of the octagon that stands for the cap: these are above the sheet, the rim is not.
TEST(ConvexTriangles, RimsBetweenCornersTouch) {
  const Real turn = Real(3.14159265358979323846 / 8), tilt = 2 * turn, depth = Real(0.05);
  const Quat q = quat_from_axis_angle(Vec3{0, 1, 0}, tilt) * quat_from_axis_angle(Vec3{0, 0, 1}, -turn);
  const ConvexCore cylinder{CoreType::kCylinder, 0, {1, 1, 1}, nullptr, {}};
  const Transform X_WA{{0, 0, Real(std::sqrt(2.0)) - depth}, q};
  for (const Real aside : {Real(0.02), Real(-0.02)}) {
    const MeshArrays sheet(Mesh({{-3, aside, 0}, {3, aside, 0}, {3, 4, 0}, {-3, 4, 0}}, {0, 1, 2, 0, 2, 3}), {1, 1, 1});
    ContactPoint points[16];
    const int count = convex_triangles(cylinder, X_WA, sheet.view(), {{}, {0, 0, 0, 1}}, Real(0.02), 10, points);
    ASSERT_GE(count, 1);
    Real least = 1;
    for (int i = 0; i < count; ++i) least = min(least, points[i].distance);
    EXPECT_NEAR(least, -depth, Real(0.02) * depth) << aside;
  }
}

// One box upon another, over its edges as well, parallel and a little askew. Either of them as a mesh pushes as the box
// does: as deep, but for the preference for faces, and aside of the boxes' normal only where that way out is less than
// twice as long, or 16 times where a face's other triangle is cut at its tip. A face below the edge over which a box
// juts out is cut far along its normal, but the way out of it is up.
TEST(ConvexTriangles, MeshesOfBoxesPushAsBoxes) {
  constexpr Real kDeeper = Real(1.06), kSlack = 16 * kRounding;  // of coordinates of a metre
  SeededRandom random(11);
  const Vec3 half_low{1, Real(0.3), Real(0.5)};
  const MeshArrays mesh_low(make_box_mesh(half_low.x, half_low.y, half_low.z), {1, 1, 1});
  const ConvexCore low{CoreType::kBox, 0, half_low, nullptr, {}};
  const Vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int k = 0; k < 600; ++k) {
    const Vec3 half{Real(k % 2 ? 0.4 : 0.1), Real(0.2), Real(k % 2 ? 0.1 : 0.4)};
    const MeshArrays mesh(make_box_mesh(half.x, half.y, half.z), {1, 1, 1});
    const ConvexCore box{CoreType::kBox, 0, half, nullptr, {}};
    const Real turned = Real(int(random.next_bits() % 4)) * Real(1.57079632679489661923),
               about = Real(random.uniform(0, 6.28));
    const Real yaw = k % 4 < 2 ? Real(0) : Real(random.uniform(-0.7, 0.7)), tilt = k % 3 ? Real(0.01) * Real(k % 3) : 0;
    const Quat q = quat_from_axis_angle(Vec3{std::cos(about), std::sin(about), 0}, tilt) *
                   quat_from_axis_angle(axes[2], yaw) * quat_from_axis_angle(axes[random.next_bits() % 3], turned);
    Vec3 reach;
    for (int i = 0; i < 3; ++i) {
      const Vec3 d = rotate(conjugate(q), axes[i]);
      reach[i] = dot(abs(d), half);
    }
    const Real depth = Real(random.log_uniform(1e-4, 1e-2));
    const Transform X{
        {1 + Real(random.uniform(-0.9, 0.9)) * reach.x, Real(random.uniform(-0.3, 0.3)), half_low.z + reach.z - depth},
        q},
        X_low{{}, {0, 0, 0, 1}};
    ContactPoint expected[kMaxManifold], on_mesh[16], of_mesh[16];
    const int boxes = box_box(half, X, half_low, X_low, 0, expected);
    const int counts[] = {convex_triangles(box, X, mesh_low.view(), X_low, 0, 16, on_mesh),
                          convex_triangles(low, X_low, mesh.view(), X, 0, 16, of_mesh)};
    if (boxes == 0) continue;
    Real deepest = 0;
    for (int i = 0; i < boxes; ++i) deepest = min(deepest, expected[i].distance);
    for (int which = 0; which < 2; ++which) {
      const ContactPoint* const found = which ? of_mesh : on_mesh;
      ASSERT_TRUE(counts[which] > 0 || deepest > -kSlack) << k;
      Real found_deepest = 0;
      for (int i = 0; i < counts[which]; ++i) {
        const bool aside = dot(found[i].normal, expected[0].normal) * (which ? -1 : 1) < Real(0.5);
        EXPECT_GT(found[i].distance, (aside ? 16 : kDeeper) * deepest - kSlack) << k << ", " << which;
        found_deepest = min(found_deepest, found[i].distance);
      }
      EXPECT_LT(found_deepest, deepest / kDeeper + kSlack) << k << ", " << which;
    }
  }
}

}  // namespace
}  // namespace carom
