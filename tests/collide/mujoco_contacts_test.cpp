// Contacts as MuJoCo makes them, by hand; beside MuJoCo itself in python/tests/test_mujoco_contacts.py.
#include <gtest/gtest.h>

#include "collide/convex_reference.h"
#include "collide/narrow/mujoco/pair_table.kernel.h"
#include "geometry/field_arrays.h"
#include "tests/random.h"

namespace carom {
namespace {

constexpr Real kPi = Real(3.14159265358979323846), kNear = 64 * kRounding;
const ShapeView kPlane{ShapeType::kPlane, {}, nullptr};
ShapeView shape(ShapeType type, double x, double y = 0, double z = 0) {
  return {type, {Real(x), Real(y), Real(z)}, nullptr};
}
const ShapeView kBox = shape(ShapeType::kBox, 0.2, 0.15, 0.1), kCylinder = shape(ShapeType::kCylinder, 0.15, 0.1),
                kCapsule = shape(ShapeType::kCapsule, 0.1, 0.3);
Transform at(double x, double y, double z, Quat q = {}) { return {{Real(x), Real(y), Real(z)}, q}; }

std::vector<ContactPoint> contacts(const ShapeView& a, const Transform& X_WA, const ShapeView& b, const Transform& X_WB,
                                   double reach = 0, int room = kMaxManifold) {
  std::vector<ContactPoint> points(room);
  points.resize(collide_shapes_as_mujoco(a, X_WA, b, X_WB, Real(reach), room, points.data()));
  return points;
}

// Proves that a box has the first four corners of its lower half, however far up the plane reaches.
TEST(MujocoContacts, PlaneBox) {
  const auto points = contacts(kPlane, {}, kBox, at(0, 0, 0.099), 1);
  ASSERT_EQ(points.size(), 4u);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(points[i].feature, i);
    EXPECT_NEAR(points[i].distance, -0.001, kNear);
  }
}

// Proves the triangle of a cylinder that stands, the line of one that lies, and the order of shapes.
TEST(MujocoContacts, PlaneCylinder) {
  const auto standing = contacts(kPlane, {}, kCylinder, at(0, 0, 0.099));
  ASSERT_EQ(standing.size(), 3u);
  EXPECT_NEAR(standing[0].point.x, 0.15, kNear);
  for (const ContactPoint& p : standing) EXPECT_NEAR(length(Vec3{p.point.x, p.point.y, 0}), 0.15, kNear);
  const Transform lying = at(0, 0, 0.149, quat_from_axis_angle(Vec3{1, 0, 0}, kPi / 2));
  EXPECT_EQ(contacts(kPlane, {}, kCylinder, lying).size(), 2u);
  const auto flipped = contacts(kCylinder, lying, kPlane, {});
  ASSERT_EQ(flipped.size(), 2u);
  EXPECT_NEAR(flipped[0].normal.z, -1, kNear);
}

// Proves that a capsule that lies on a box has points at its end and where it leaves the face, one that stands there
// one.
TEST(MujocoContacts, CapsuleBox) {
  const Quat along_x = quat_from_axis_angle(Vec3{0, 1, 0}, kPi / 2);
  const auto lying = contacts(kCapsule, at(0.15, 0, 0.199, along_x), kBox, {});
  ASSERT_EQ(lying.size(), 2u);
  for (const ContactPoint& p : lying) EXPECT_NEAR(p.distance, -0.001, kNear);
  EXPECT_NEAR(std::abs(lying[0].point.x - lying[1].point.x), 0.35, kNear);
  EXPECT_EQ(contacts(kCapsule, at(0, 0, 0.499), kBox, {}).size(), 1u);
}

// Proves that crossed edges of boxes meet in one point, and faces in the corners of their overlap.
TEST(MujocoContacts, BoxBox) {
  EXPECT_EQ(contacts(kBox, {}, kBox, at(0.1, 0.1, 0.199)).size(), 4u);
  const Quat edge = quat_from_axis_angle(Vec3{1, 0, 0}, kPi / 4);
  const Transform upper = at(0, 0, 0.346, quat_from_axis_angle(Vec3{0, 0, 1}, kPi / 2) * edge);
  EXPECT_EQ(contacts(kBox, {{}, edge}, kBox, upper, 0.02).size(), 1u);
}

// Proves that a cylinder on a box has four points of its cap, and that one on its side has two.
TEST(MujocoContacts, CylinderBox) {
  EXPECT_EQ(contacts(kCylinder, at(0, 0, 0.199), shape(ShapeType::kBox, 1, 1, 0.1), {}).size(), 4u);
  const Transform lying = at(0, 0, 0.249, quat_from_axis_angle(Vec3{1, 0, 0}, kPi / 2));
  EXPECT_EQ(contacts(kCylinder, lying, kBox, {}).size(), 2u);
}

// Four cells of 1 m.
struct FlatField {
  HeightfieldArrays arrays{Heightfield(std::vector<Real>(9, 0), 3, 3, 1, 1), {1, 1, 1}};
  GeometryView geometry{{}, {}, arrays.view(), {}};
  ShapeView shape{ShapeType::kHeightfield, {}, &geometry};
};

// Proves that a sphere has a point for each prism that it touches: one over a triangle, six where six triangles meet;
// the first ones where there is less room; none above and beside.
TEST(MujocoContacts, SphereHeightfield) {
  const FlatField field;
  const ShapeView sphere = shape(ShapeType::kSphere, 0.2);
  const auto one = contacts(field.shape, {}, sphere, at(0.25, 0.7, 0.199));
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].feature, 6);  // of the last cell the triangle of the next row
  EXPECT_NEAR(one[0].distance, -0.001, kNear);
  EXPECT_NEAR(one[0].point.z, -0.0005, kNear);
  EXPECT_EQ(one[0].normal.z, 1);
  const auto six = contacts(field.shape, {}, sphere, at(0, 0, 0.199));
  ASSERT_EQ(six.size(), 6u);
  for (const ContactPoint& p : six) EXPECT_NEAR(length(p.point - Vec3{0, 0, Real(-0.0005)}), 0, kNear);
  EXPECT_EQ(contacts(field.shape, {}, sphere, at(0, 0, 0.199), 0, 4).size(), 4u);
  EXPECT_EQ(contacts(field.shape, {}, sphere, at(0, 0, 0.201)).size(), 0u);
  EXPECT_EQ(contacts(field.shape, {}, sphere, at(1.201, 0, 0.1)).size(), 0u);
}

// Proves that swapping mirrors the points, wherever the heightfield is, and that what is all below is pushed upwards.
TEST(MujocoContacts, BoxHeightfield) {
  const FlatField field;
  const Transform X_WF = at(30, -20, 10, normalize(Quat{Real(0.1), Real(0.2), Real(-0.3), Real(1)}));
  const Quat tilt = quat_from_axis_angle(normalize(Vec3{1, 2, 0}), Real(0.3));
  const Transform X_WB = X_WF * at(0.1, 0.6, 0.1, tilt);
  const auto points = contacts(field.shape, X_WF, kBox, X_WB), swapped = contacts(kBox, X_WB, field.shape, X_WF);
  ASSERT_GT(points.size(), 0u);
  ASSERT_EQ(points.size(), swapped.size());
  for (std::size_t p = 0; p < points.size(); ++p) {
    EXPECT_EQ(points[p].distance, swapped[p].distance);
    EXPECT_EQ(length(points[p].normal + swapped[p].normal), 0);
  }
  const auto below = contacts(field.shape, {}, shape(ShapeType::kBox, 5, 5, 1), at(0, 0, -3), 0, kMostOnHeightfield);
  ASSERT_EQ(below.size(), 8u);
  for (const ContactPoint& p : below) EXPECT_NEAR(p.normal.z, 1, 1e-3);
}

// Proves that points of random pairs are within reach, sorted by feature, with unit normals, mirrored where shapes of
// two types are swapped, and as many as there is room for.
TEST(MujocoContacts, RandomPairs) {
  SeededRandom random(5);
  const auto uniform = [&](double low, double high) { return random.uniform(low, high); };
  const ShapeView shapes[] = {kPlane, kCapsule, kCylinder, kBox};
  int found = 0;
  for (int i = 0; i < 4000; ++i) {
    const int k = i % 4, l = (k + 1 + random.below(3)) % 4;
    const auto pose = [&] {
      const Quat q{Real(uniform(-1, 1)), Real(uniform(-1, 1)), Real(uniform(-1, 1)), Real(uniform(-1, 1))};
      return at(uniform(-0.2, 0.2), uniform(-0.2, 0.2), uniform(-0.2, 0.2), normalize(q));
    };
    const Transform X_WA = pose(), X_WB = pose();
    const auto points = contacts(shapes[k], X_WA, shapes[l], X_WB, 0.02);
    const auto swapped = contacts(shapes[l], X_WB, shapes[k], X_WA, 0.02);
    EXPECT_LE(contacts(shapes[k], X_WA, shapes[l], X_WB, 0.02, 1).size(), 1u);
    ASSERT_EQ(points.size(), swapped.size());
    found += int(points.size());
    for (std::size_t p = 0; p < points.size(); ++p) {
      EXPECT_LT(points[p].distance, Real(0.02));
      EXPECT_NEAR(length(points[p].normal), 1, kNear);
      EXPECT_EQ(points[p].distance, swapped[p].distance);
      EXPECT_EQ(length(points[p].normal + swapped[p].normal), 0);
      EXPECT_TRUE(p == 0 || points[p - 1].feature < points[p].feature);
    }
  }
  EXPECT_GT(found, 4000);
}

}  // namespace
}  // namespace carom
