// Every pair of shapes that can touch, through the whole pipeline: faces, sides and poles at x = 0.5 against each
// other.
#include <gtest/gtest.h>

#include <memory>

#include "carom/carom.h"

namespace carom {
namespace {

constexpr Real kPi = Real(3.14159265358979323846);
constexpr ShapeType kTypes[] = {ShapeType::kPlane,     ShapeType::kHeightfield, ShapeType::kSphere, ShapeType::kCapsule,
                                ShapeType::kEllipsoid, ShapeType::kCylinder,    ShapeType::kBox,    ShapeType::kMesh,
                                ShapeType::kCone,      ShapeType::kConvexHull,  ShapeType::kSdf};

bool is_static(ShapeType type) { return type == ShapeType::kPlane || type == ShapeType::kHeightfield; }

// Geometries are made once: a field of distances is not cheap.
struct Geometry {
  std::shared_ptr<const Mesh> box = std::make_shared<Mesh>(make_box_mesh(Real(0.5), Real(0.5), Real(0.5)));
  std::shared_ptr<const SDF> sdf = std::make_shared<SDF>(sdf_from_mesh(*box, Real(0.0625), Real(0.25)));
  std::shared_ptr<const Heightfield> flat =
      std::make_shared<Heightfield>(std::vector<Real>(25, 0), 5, 5, Real(1), Real(1));
};
const Geometry& geometry() {
  static const Geometry made;
  return made;
}

// A shape that faces +x with a face, side or pole at x = 0.5, moved by X.
int add_facing(ModelBuilder& builder, ShapeType type, const Transform& X, const ShapeConfig& cfg) {
  const Quat z_to_x = quat_from_axis_angle(Vec3{0, 1, 0}, Real(0.5) * kPi);
  const Transform surface = X * Transform{{Real(0.5), 0, 0}, z_to_x};
  const Transform base_first = X * Transform{{}, quat_from_axis_angle(Vec3{0, 1, 0}, Real(-0.5) * kPi)};
  const Real half = Real(0.5);
  if (type == ShapeType::kPlane) return builder.add_shape_plane(-1, 0, 0, {.xform = surface, .cfg = cfg});
  if (type == ShapeType::kHeightfield)
    return builder.add_shape_heightfield(geometry().flat, {1, 1, 1}, {.xform = surface, .cfg = cfg});
  const int body = builder.add_body({.xform = type == ShapeType::kCone ? base_first : X});
  const ShapeArgs args{.cfg = cfg};
  switch (type) {
    case ShapeType::kSphere: return builder.add_shape_sphere(body, half, args);
    case ShapeType::kCapsule: return builder.add_shape_capsule(body, half, Real(0.3), args);
    case ShapeType::kEllipsoid: return builder.add_shape_ellipsoid(body, half, Real(0.4), Real(0.3), args);
    case ShapeType::kCylinder: return builder.add_shape_cylinder(body, half, Real(0.4), args);
    case ShapeType::kBox: return builder.add_shape_box(body, half, half, half, args);
    case ShapeType::kMesh: return builder.add_shape_mesh(body, geometry().box, {1, 1, 1}, args);
    case ShapeType::kCone: return builder.add_shape_cone(body, Real(0.4), half, args);
    case ShapeType::kConvexHull: return builder.add_shape_convex_hull(body, geometry().box, {1, 1, 1}, args);
    default: return builder.add_shape_sdf(body, geometry().sdf, {1, 1, 1}, args);
  }
}

// The second one turned round, so that both face each other with a gap between them.
Model facing_pair(ShapeType first, ShapeType second, Real gap, const Transform& X_W) {
  ModelBuilder builder;
  const ShapeConfig cfg{.thickness = 0, .contact_margin = Real(0.05)};
  add_facing(builder, first, X_W, cfg);
  const Transform turned{{1 + gap, 0, 0}, quat_from_axis_angle(Vec3{0, 0, 1}, kPi)};
  add_facing(builder, second, X_W * turned, cfg);
  return builder.finalize();
}

std::string name_of(ShapeType a, ShapeType b, Real gap) {
  return std::string(shape_type_name(a)) + " and " + shape_type_name(b) + ", gap " + std::to_string(gap);
}

void expect_contact(ShapeType a, ShapeType b, Real gap, const Transform& X_W) {
  const Model model = facing_pair(a, b, gap, X_W);
  CollisionPipeline pipeline(model);
  const Contacts& c = pipeline.collide(model.state());
  const int n = c.rigid_contact_count[0];
  ASSERT_GE(n, 1) << name_of(a, b, gap);
  ASSERT_LE(n, 10) << name_of(a, b, gap);
  const bool rough = a == ShapeType::kSdf || b == ShapeType::kSdf;
  const Real tolerance = rough ? Real(2e-3) : sizeof(Real) == 8 ? Real(1e-6) : Real(2e-5);
  Real deepest = -1;
  for (int i = 0; i < n; ++i) {
    deepest = max(deepest, c.rigid_contact_depth[i]);
    EXPECT_EQ(c.rigid_contact_shape0[i], 0);
    EXPECT_EQ(c.rigid_contact_shape1[i], 1);
    const Vec3 normal = rotate(conjugate(X_W.q), c.rigid_contact_normal[i]);
    EXPECT_GT(normal.x, rough ? Real(0.99) : Real(0.9999)) << name_of(a, b, gap);
    EXPECT_NEAR(length(normal), 1, 1e-5);
    if (i > 0) {
      EXPECT_LT(c.rigid_contact_feature[i - 1], c.rigid_contact_feature[i]);
    }
  }
  EXPECT_NEAR(deepest, -gap, tolerance) << name_of(a, b, gap);
}

// Proves for every pair, in both orders, apart and overlapping, at the origin and turned somewhere else: there are
// contacts, the deepest has the depth of the gap, and normals lead from the first shape to the second.
TEST(PairMatrix, EveryPairMeetsAtItsFaces) {
  const Transform somewhere{{Real(0.3), Real(-1.2), Real(2)}, normalize(Quat{Real(0.3), Real(-0.5), Real(0.2), 1})};
  for (const ShapeType a : kTypes)
    for (const ShapeType b : kTypes) {
      if (is_static(a) && is_static(b)) continue;
      for (const Real gap : {Real(0.02), Real(-0.03)})
        for (const Transform& X_W : {Transform{}, somewhere}) expect_contact(a, b, gap, X_W);
    }
}

// Proves that shapes farther apart than their margins have no contact.
TEST(PairMatrix, NoContactBeyondTheMargins) {
  for (const ShapeType a : kTypes)
    for (const ShapeType b : kTypes) {
      const Model model = facing_pair(a, b, Real(0.11), {});
      CollisionPipeline pipeline(model);
      EXPECT_EQ(pipeline.collide(model.state()).rigid_contact_count[0], 0) << name_of(a, b, Real(0.11));
    }
}

// Proves that all points of faces on faces are found, and that rigid_contact_max_per_pair keeps the widest of them.
TEST(PairMatrix, ManifoldsOfRestingShapes) {
  struct Case {
    ShapeType type;
    int points;
  };
  // On the ground, with the face that add_facing() shows downwards.
  const Case cases[] = {{ShapeType::kSphere, 1},
                        {ShapeType::kCapsule, 2},
                        {ShapeType::kBox, 4},
                        {ShapeType::kConvexHull, 4},
                        {ShapeType::kMesh, 4}};
  const Transform face_down{{0, 0, Real(0.5)}, quat_from_axis_angle(Vec3{0, 1, 0}, Real(0.5) * kPi)};
  for (const ShapeType ground : {ShapeType::kPlane, ShapeType::kHeightfield, ShapeType::kBox})
    for (const Case& c : cases) {
      ModelBuilder builder;
      const ShapeConfig cfg{.thickness = 0, .contact_margin = Real(0.01)};
      if (ground == ShapeType::kPlane) builder.add_shape_plane(-1, 0, 0, {.cfg = cfg});
      if (ground == ShapeType::kHeightfield)
        builder.add_shape_heightfield(geometry().flat, {1, 1, 1},
                                      {.xform = {{Real(0.01), Real(0.02), 0}, {}}, .cfg = cfg});
      if (ground == ShapeType::kBox) builder.add_shape_box(-1, 2, 2, 1, {.xform = {{0, 0, -1}, {}}, .cfg = cfg});
      add_facing(builder, c.type, face_down, cfg);
      const Model model = builder.finalize();
      for (const int most : {10, 4, 2, 1}) {
        CollisionPipeline pipeline(model, {.rigid_contact_max_per_pair = most});
        const Contacts& found = pipeline.collide(model.state());
        const int n = found.rigid_contact_count[0];
        const std::string name = name_of(ground, c.type, 0) + ", at most " + std::to_string(most);
        EXPECT_GE(n, std::min(c.points, most)) << name;
        if (ground == ShapeType::kPlane) {
          EXPECT_EQ(n, std::min(c.points, most)) << name;
        }
        EXPECT_LE(n, most);
        for (int i = 0; i < n; ++i) EXPECT_NEAR(found.rigid_contact_depth[i], 0, 1e-5) << name;
      }
    }
}

}  // namespace
}  // namespace carom
