// Questions about single shapes: signed distances with witness points, closest points, rays.
#include <gtest/gtest.h>

#include "carom/carom.h"
#include "tests/random.h"

namespace carom {
namespace {

constexpr double kTolerance = sizeof(Real) == 8 ? 1e-9 : 2e-5;

void expect_near(Vec3 a, Vec3 b) {
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(a[i], b[i], kTolerance);
}

// Two boxes, a ball, a ground and a mesh; half of them in world 0 and half in world 1.
struct Scene {
  Model model;
  int ground, box, ball, mesh, other;

  Scene() {
    ModelBuilder builder;
    builder.default_shape_cfg.thickness = 0;
    ground = builder.add_ground_plane();
    builder.begin_world();
    box = builder.add_shape_box(builder.add_body({.xform = {{0, 0, 1}, {}}}), Real(0.5), Real(0.5), Real(0.5));
    ball = builder.add_shape_sphere(builder.add_body({.xform = {{2, 0, 1}, {}}}), Real(0.5));
    builder.end_world();
    builder.begin_world();
    mesh = builder.add_shape_mesh(builder.add_body({.xform = {{0, 0, 1}, {}}}),
                                  std::make_shared<Mesh>(make_box_mesh(Real(0.25), Real(0.25), Real(0.25))));
    other = builder.add_shape_mesh(builder.add_body({.xform = {{Real(0.45), 0, 1}, {}}}),
                                   std::make_shared<Mesh>(make_box_mesh(Real(0.25), Real(0.25), Real(0.25))));
    builder.end_world();
    model = builder.finalize();
  }
};

// Proves distance, witness points and normal of shapes that are apart and of shapes that overlap, in both orders.
TEST(Query, DistanceWithWitnessPoints) {
  const Scene scene;
  const ShapeQuery query(scene.model);
  State state = scene.model.state();
  for (const Real x : {Real(2), Real(0.9)}) {
    state.body_q[1].p.x = x;
    const ShapeDistance d = query.distance(state, scene.box, scene.ball);
    EXPECT_NEAR(d.distance, x - 1, kTolerance);
    expect_near(d.point_a, {Real(0.5), 0, 1});
    expect_near(d.point_b, {x - Real(0.5), 0, 1});
    expect_near(d.normal, {1, 0, 0});
    const ShapeDistance swapped = query.distance(state, scene.ball, scene.box);
    EXPECT_NEAR(swapped.distance, x - 1, kTolerance);
    expect_near(swapped.normal, {-1, 0, 0});
    EXPECT_EQ(query.overlap(state, scene.box, scene.ball), x < 1);
  }
  const ShapeDistance down = query.distance(state, scene.ground, scene.box);
  EXPECT_NEAR(down.distance, 0.5, kTolerance);
  expect_near(down.normal, {0, 0, 1});
  EXPECT_NEAR(query.distance(state, scene.mesh, scene.other).distance, -0.05, 1e-3);
}

// Proves that shapes overlap exactly where their distance is negative, with and without thickness.
TEST(Query, OverlapIsNegativeDistance) {
  SeededRandom random(1);
  const auto next = [&] { return Real(random.uniform(-1, 1)); };
  ModelBuilder builder;
  const auto body = [&] {
    return builder.add_body({.xform = {{next(), next(), next()}, normalize(Quat{next(), next(), next(), next()})}});
  };
  for (const Real thickness : {Real(0), Real(0.1)}) {
    builder.default_shape_cfg.thickness = thickness;
    builder.add_shape_sphere(body(), Real(0.3));
    builder.add_shape_capsule(body(), Real(0.2), Real(0.4));
    builder.add_shape_ellipsoid(body(), Real(0.5), Real(0.3), Real(0.2));
    builder.add_shape_cylinder(body(), Real(0.4), Real(0.3));
    builder.add_shape_cone(body(), Real(0.4), Real(0.3));
    builder.add_shape_box(body(), Real(0.2), Real(0.3), Real(0.4));
    builder.add_shape_mesh(body(), std::make_shared<Mesh>(make_box_mesh(Real(0.25), Real(0.25), Real(0.25))));
  }
  const Model model = builder.finalize();
  const ShapeQuery query(model);
  State state = model.state();
  for (int number = 0; number < 20; ++number) {
    for (Transform& X : state.body_q) X.p = {next(), next(), next()};
    for (int a = 0; a < model.shape_count; ++a) {
      for (int b = a + 1; b < model.shape_count; ++b) {
        const Real distance = query.distance(state, a, b).distance;
        if (std::abs(distance) <= kTolerance) continue;
        EXPECT_EQ(query.overlap(state, a, b), distance < 0) << a << ", " << b;
      }
    }
  }
}

// Proves the signed distance of a point, from outside and inside.
TEST(Query, ClosestPoint) {
  const Scene scene;
  const ShapeQuery query(scene.model);
  const State state = scene.model.state();
  const ClosestPoint above = query.closest_point(state, scene.box, {Real(0.1), Real(0.2), 3});
  EXPECT_NEAR(above.distance, 1.5, kTolerance);
  expect_near(above.point, {Real(0.1), Real(0.2), Real(1.5)});
  expect_near(above.normal, {0, 0, 1});
  EXPECT_NEAR(query.closest_point(state, scene.mesh, {Real(0.2), 0, 1}).distance, -0.05, kTolerance);
}

// Proves that a ray meets the first shape on its way, of its world or global, and nothing farther than asked for.
TEST(Query, RayCast) {
  const Scene scene;
  const ShapeQuery query(scene.model);
  const State state = scene.model.state();
  const RayCast all = query.ray_cast(state, {-3, 0, 1}, {2, 0, 0});
  EXPECT_EQ(all.shape, scene.box);
  EXPECT_NEAR(all.distance, 2.5, kTolerance);
  expect_near(all.point, {Real(-0.5), 0, 1});
  expect_near(all.normal, {-1, 0, 0});
  EXPECT_EQ(query.ray_cast(state, {-3, 0, 1}, {1, 0, 0}, kUnbounded, 1).shape, scene.mesh);
  EXPECT_EQ(query.ray_cast(state, {-3, 0, 1}, {1, 0, 0}, 2).shape, -1);
  EXPECT_EQ(query.ray_cast(state, {5, 5, 1}, {0, 0, -1}).shape, scene.ground);
  const RayCast inside = query.ray_cast(state, {2, 0, 1}, {1, 0, 0});  // begins inside of the ball
  EXPECT_NEAR(inside.distance, 0.5, kTolerance);
  expect_near(inside.normal, {1, 0, 0});
}

// Proves that what has no answer is an error that says why.
TEST(Query, Errors) {
  const Scene scene;
  const ShapeQuery query(scene.model);
  const State state = scene.model.state();
  EXPECT_THROW(query.distance(state, scene.ground, scene.ground), Error);
  EXPECT_THROW(query.distance(state, 0, 99), Error);
  EXPECT_THROW(query.closest_point(state, -1, {}), Error);
  EXPECT_THROW(query.ray_cast(state, {}, {}), Error);
  EXPECT_THROW(query.ray_cast(state, {}, {1, 0, 0}, 1, 7), Error);
  EXPECT_THROW(query.distance(ModelBuilder().finalize().state(), 0, 1), Error);
}

}  // namespace
}  // namespace carom
