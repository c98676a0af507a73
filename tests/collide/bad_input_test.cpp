// Input that makes no sense, or too much of it: an error that says so when things are built, or a status; never a
// crash, a hang or a silent loss.
#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "carom/carom.h"

namespace carom {
namespace {

constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();

int contacts_with_ball(ModelBuilder& builder, Vec3 center, Real radius) {
  builder.add_shape_sphere(builder.add_body({.xform = {center, {}}}), radius);
  const Model model = builder.finalize();
  CollisionPipeline pipeline(model);
  return pipeline.collide(model.state()).rigid_contact_count[0];
}

std::shared_ptr<const Mesh> mesh_of(std::vector<Vec3> vertices, std::vector<int> indices) {
  return std::make_shared<Mesh>(std::move(vertices), std::move(indices));
}

// Proves that sizes and vertices without sense are refused when they are given.
TEST(BadInput, SizesAndVertices) {
  ModelBuilder builder;
  const int body = builder.add_body();
  for (const Real bad : {Real(0), Real(-1), kNan, std::numeric_limits<Real>::infinity()}) {
    EXPECT_THROW(builder.add_shape_sphere(body, bad), Error);
    EXPECT_THROW(builder.add_shape_box(body, 1, bad, 1), Error);
    EXPECT_THROW(builder.add_shape_capsule(body, bad, 1), Error);
    EXPECT_THROW(builder.add_shape_cylinder(body, bad, 1), Error);
    EXPECT_THROW(builder.add_shape_cone(body, 1, bad), Error);
    EXPECT_THROW(builder.add_shape_ellipsoid(body, 1, 1, bad), Error);
  }
  EXPECT_THROW(mesh_of({{0, 0, 0}, {1, 0, 0}, {0, kNan, 0}}, {0, 1, 2}), Error);
  EXPECT_THROW(mesh_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {0, 1, 3}), Error);
}

// Proves that triangles without area are passed over, and that a surface is felt from its outside alone.
TEST(BadInput, DegenerateAndInvertedTriangles) {
  const std::vector<Vec3> corners{{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}, {0, 0, 0}};
  const ShapeConfig massless{.density = 0};
  ModelBuilder with_sliver;
  with_sliver.add_shape_mesh(-1, mesh_of(corners, {0, 1, 2, 0, 0, 1, 3, 3, 3}), {1, 1, 1}, {.cfg = massless});
  EXPECT_EQ(contacts_with_ball(with_sliver, {0, 0, Real(0.09)}, Real(0.1)), 1);
  ModelBuilder nothing_but_slivers;
  nothing_but_slivers.add_shape_mesh(-1, mesh_of(corners, {0, 0, 1, 3, 3, 3}), {1, 1, 1}, {.cfg = massless});
  EXPECT_EQ(contacts_with_ball(nothing_but_slivers, {0, 0, Real(0.09)}, Real(0.1)), 0);
}

// Proves that a heightfield of a single cell holds a ball on either of its triangles.
TEST(BadInput, HeightfieldOfOneCell) {
  for (const Real x : {Real(-0.5), Real(0.5)}) {
    ModelBuilder builder;
    builder.add_shape_heightfield(std::make_shared<Heightfield>(std::vector<Real>(4, 0), 2, 2, Real(1), Real(1)));
    EXPECT_EQ(contacts_with_ball(builder, {x, -x, Real(0.09)}, Real(0.1)), 1);
  }
}

// Proves that far more pairs than memory holds are an error, in every mode, and quickly.
TEST(BadInput, CoincidentShapes) {
  ModelBuilder builder;
  constexpr int kShapes = 60'000;
  for (int i = 0; i < kShapes; ++i) builder.add_shape_sphere(builder.add_link(), 1);
  const Model model = builder.finalize();
  for (const BroadPhaseMode mode : {BroadPhaseMode::kTree, BroadPhaseMode::kSap}) {
    CollisionPipeline pipeline(model, {.broad_phase_mode = mode});
    EXPECT_THROW(pipeline.collide(model.state()), Error);
  }
  EXPECT_THROW(CollisionPipeline(model, {.broad_phase_mode = BroadPhaseMode::kExplicit}), Error);
}

}  // namespace
}  // namespace carom
