// Rays in all worlds at once: what they meet, by closed forms and against the single questions of ShapeQuery, which
// know neither boxes nor lanes; which shapes they pass; the same bits for threads, tiers and devices; bad input.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "alloc_counter.h"
#include "backend/tiers.h"
#include "tests/collide/mixed_scene.h"
#include "tests/random.h"

namespace carom {
namespace {

constexpr double kTolerance = sizeof(Real) == 8 ? 1e-9 : 2e-5;
constexpr Vec3 kX{1, 0, 0}, kZ{0, 0, 1};

template <class T>
Array<T> array_of(const std::vector<T>& values, Device device = {}) {
  return Array<T>(std::span<const T>(values), device);
}
Rays rays_of(const std::vector<Vec3>& origin, const std::vector<Vec3>& direction) {
  return {array_of(origin), array_of(direction), {}, {}};
}
void expect_near(Vec3 a, Vec3 b, double tolerance = kTolerance) {
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(a[i], b[i], tolerance) << "component " << i;
}
// The error's text, "" when there is none.
template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}
void expect_error(const std::string& words, const std::function<void()>& call) {
  const std::string text = error_of(call);
  EXPECT_NE(text.find(words), std::string::npos) << "expected \"" << words << "\", got \"" << text << "\"";
}

// -- Closed forms

// One solid of every formula, 10 m apart along x, each turned half a turn about x and lifted to z = 1.
Model row_of_solids() {
  ModelBuilder builder;
  Real x = 0;
  const auto body = [&] { return builder.add_body({.xform = {{x += 10, 0, 1}, {1, 0, 0, 0}}}); };
  builder.add_shape_sphere(body(), Real(0.5));
  builder.add_shape_capsule(body(), Real(0.25), Real(0.5));
  builder.add_shape_ellipsoid(body(), 1, 2, Real(0.5));
  builder.add_shape_cylinder(body(), Real(0.25), Real(0.5));
  builder.add_shape_box(body(), 1, 2, Real(0.5));
  builder.add_shape_cone(body(), Real(0.25), Real(0.5));
  builder.add_shape_mesh(body(), std::make_shared<Mesh>(make_box_mesh(1, 2, Real(0.5))));
  builder.add_shape_convex_hull(body(), std::make_shared<Mesh>(convex_hull(make_box_mesh(1, 2, Real(0.5)))));
  builder.add_ground_plane();
  return builder.finalize();
}

// Proves the distance, the shape and the normal from above, from beside, from inside, and of the plane under all.
TEST(RayCaster, ClosedForms) {
  const Model model = row_of_solids();
  const State state = model.state();
  const Real top[] = {Real(1.5), Real(1.75), Real(1.5), Real(1.5), Real(1.5), Real(1.5), Real(1.5), Real(1.5)};
  const Real wide[] = {Real(0.5), Real(0.25), 1, Real(0.25), 1, Real(0.125), 1, 1};
  for (int s = 0; s < 8; ++s) {
    SCOPED_TRACE(shape_type_name(static_cast<ShapeType>(model.shape_type[s])));
    const Real x = Real(10 * (s + 1));
    const bool cone = s == 5;  // its base is up here; half way down it is half as wide
    const RayHits hits = cast_rays(
        model, state,
        rays_of({{x, 0, 9}, {x - 4, 0, 1}, {x, 0, 1}, {x + 4, 0, 3}}, {{0, 0, -3}, {2, 0, 0}, {0, 0, 1}, {0, 0, -1}}));
    EXPECT_NEAR(hits.distance[0], 9 - top[s], kTolerance);
    EXPECT_NEAR(hits.distance[1], 4 - wide[s], kTolerance);
    EXPECT_NEAR(hits.distance[2], top[s] - 1, kTolerance);
    EXPECT_NEAR(hits.distance[3], 3, kTolerance);
    for (int r = 0; r < 3; ++r) EXPECT_EQ(hits.shape[r], s);
    EXPECT_EQ(hits.shape[3], 8);
    expect_near(hits.normal[0], kZ);
    const Real slope = std::sqrt(Real(17));
    expect_near(hits.normal[1], cone ? Vec3{-4 / slope, 0, -1 / slope} : -kX);
    expect_near(hits.normal[2], kZ);
    expect_near(hits.normal[3], kZ);
  }
}

// Proves that a ray that meets nothing says so, and that max_distance is kept to the point.
TEST(RayCaster, MissesAndMaxDistance) {
  const Model model = row_of_solids();
  const State state = model.state();
  RayCaster caster(model);
  const Rays rays = rays_of({{10, 0, 9}, {10, 0, 9}}, {{0, 0, 1}, {0, 0, -5}});
  const RayHits& far = caster.cast(state, rays, Real(7.5));
  EXPECT_EQ(far.distance[0], -1);
  EXPECT_EQ(far.shape[0], -1);
  EXPECT_EQ(far.normal[0], Vec3{});
  EXPECT_EQ(far.distance[1], Real(7.5));
  const RayHits& near = caster.cast(state, rays, Real(7.49));
  EXPECT_EQ(near.shape[1], -1);
  EXPECT_TRUE(caster.cast(state, rays, 100, false).normal.empty());
}

// -- Which shapes are met

// Two worlds: in each a ball on a body, with a site around it, a box on a body that is welded to the world, a wall.
struct TwoWorlds {
  Model model;
  int ball[2], site[2], box[2], wall[2], body[2], ground;

  explicit TwoWorlds(Device device = {}) {
    ModelBuilder builder;
    ground = builder.add_ground_plane();
    for (int w = 0; w < 2; ++w) {
      builder.begin_world();
      body[w] = builder.add_body({.xform = {{Real(2 + w), 0, 1}, {}}, .key = "carrier"});
      ball[w] = builder.add_shape_sphere(body[w], Real(0.5));
      site[w] = builder.add_site(body[w], {});
      const int held = builder.add_link({.xform = {{Real(6 + w), 0, 1}, {}}});
      builder.add_joint_fixed(-1, held, {.parent_xform = {{Real(6 + w), 0, 1}, {}}});
      box[w] = builder.add_shape_box(held, Real(0.5), Real(0.5), Real(0.5));
      wall[w] = builder.add_shape_box(-1, Real(0.5), 9, 9, {.xform = {{Real(9 + w), 0, 0}, {}}});
      builder.end_world();
    }
    model = builder.finalize(device);
  }
  Rays along_x(std::vector<int> exclude_body = {}) const {
    Rays rays = rays_of({{0, 0, 1}, {0, 0, 1}}, {kX, kX});
    rays.exclude_body = array_of(exclude_body);
    return rays;
  }
};

// Proves that worlds see their own shapes and the global ones, and no sites.
TEST(RayCaster, Worlds) {
  const TwoWorlds two;
  const State state = two.model.state();
  const RayHits ahead = cast_rays(two.model, state, two.along_x());
  for (int w = 0; w < 2; ++w) {
    EXPECT_EQ(ahead.shape[w], two.ball[w]);
    EXPECT_NEAR(ahead.distance[w], 1.5 + w, kTolerance);
  }
  const RayHits down = cast_rays(two.model, state, rays_of({{0, 0, 1}, {0, 0, 2}}, {-kZ, -kZ}));
  for (int w = 0; w < 2; ++w) {
    EXPECT_EQ(down.shape[w], two.ground);
    EXPECT_NEAR(down.distance[w], 1 + w, kTolerance);
  }
}

// Proves excluded bodies, what never moves, and lists of shapes.
TEST(RayCaster, Filters) {
  const TwoWorlds two;
  const State state = two.model.state();
  const RayHits without = cast_rays(two.model, state, two.along_x({two.body[0], -1}));
  EXPECT_EQ(without.shape[0], two.box[0]);
  EXPECT_EQ(without.shape[1], two.ball[1]);
  const RayHits moving = cast_rays(two.model, state, two.along_x({two.body[0], -1}), 100, {.include_static = false});
  EXPECT_EQ(moving.shape[0], -1);
  EXPECT_EQ(moving.shape[1], two.ball[1]);
  const std::vector<int> chosen{two.wall[0], two.wall[1], two.site[1]};
  const RayHits listed = cast_rays(two.model, state, two.along_x(), 100, {.shapes = chosen});
  EXPECT_EQ(listed.shape[0], two.wall[0]);
  EXPECT_EQ(listed.shape[1], two.site[1]);
  EXPECT_EQ(cast_rays(two.model, state, two.along_x(), 100, {.shapes = std::vector<int>{}}).shape[0], -1);
}

// Proves that an edit of a shape is noticed, and a body that was moved.
TEST(RayCaster, Edits) {
  const TwoWorlds two;
  State state = two.model.state();
  RayCaster caster(two.model);
  EXPECT_NEAR(caster.cast(state, two.along_x()).distance[1], 2.5, kTolerance);
  state.body_q[two.body[1]].p.x += 1;
  EXPECT_NEAR(caster.cast(state, two.along_x()).distance[1], 3.5, kTolerance);
  two.model.edit([&](ModelNumbers& n) { n.shape_scale[two.ball[1]].x = 1; });
  EXPECT_NEAR(caster.cast(state, two.along_x()).distance[1], 3, kTolerance);
  two.model.edit([&](ModelNumbers& n) { n.shape_flags[two.ball[1]] |= kShapeIsSite; });
  EXPECT_EQ(caster.cast(state, two.along_x()).shape[1], two.box[1]);
}

// Proves that what is fixed to the world can be passed, and nothing else is then.
TEST(RayCaster, PassesFixedShapes) {
  const TwoWorlds two;
  const State state = two.model.state();
  Rays rays =
      rays_of({{8, 0, 1}, {0, 0, 1}}, {kX, kX});  // before the wall of the first world; before all of the second
  const RayHits met = cast_rays(two.model, state, rays);
  rays.exclude_body = array_of(std::vector<int>{kFixedShapes, kFixedShapes});
  const RayHits passed = cast_rays(two.model, state, rays);
  EXPECT_EQ(met.shape[0], two.wall[0]);
  EXPECT_EQ(passed.shape[0], -1);
  EXPECT_EQ(passed.shape[1], two.ball[1]);
}

// -- Rays that bodies carry

// Proves that they are those that the body's pose makes of them, and pass the shapes of the body unless told otherwise.
TEST(RayCaster, CarriedByBodies) {
  const TwoWorlds two;
  const State state = two.model.state();
  const Real half = std::sqrt(Real(0.5));
  for (int w = 0; w < 2; ++w) state.body_q[two.body[w]].q = {0, 0, half, half};  // its x is the world's y
  Rays rays = rays_of({{0, Real(-0.25), 0}, {0, Real(-0.25), 0}}, {{0, -2, 0}, {0, -2, 0}});
  rays.body = array_of(std::vector<int>{two.body[0], two.body[1]});
  const RayHits passed = cast_rays(two.model, state, rays);
  rays.exclude_body = array_of(std::vector<int>{-1, -1});
  const RayHits own = cast_rays(two.model, state, rays);
  for (int w = 0; w < 2; ++w) {
    EXPECT_EQ(passed.shape[w], two.box[w]);
    EXPECT_NEAR(passed.distance[w], 3.25, kTolerance);
    EXPECT_EQ(own.shape[w], two.ball[w]);
    EXPECT_NEAR(own.distance[w], 0.25, kTolerance);
    expect_near(own.normal[w], kX);
  }
}

// Proves that rays in the frame of a site are those that its body carries.
TEST(RayCaster, AtSites) {
  const TwoWorlds two;
  const State state = two.model.state();
  for (int w = 0; w < 2; ++w) {
    two.model.edit([&](ModelNumbers& n) {
      n.shape_transform[two.site[w]] = {{0, Real(0.25), 0}, quat_from_axis_angle<Real>({0, 1, 0}, Real(M_PI / 2))};
    });
  }
  const Rays rays = rays_at_sites(two.model, {two.site[0], two.site[1]}, {{0, 0, Real(0.5)}, {}}, {kZ, kZ * Real(2)});
  for (int w = 0; w < 2; ++w) EXPECT_EQ(rays.body[w], two.body[w]);
  expect_near(rays.origin[0], {Real(0.5), Real(0.25), 0});
  expect_near(rays.direction[1], {2, 0, 0});
  const RayHits hits = cast_rays(two.model, state, rays);
  EXPECT_NEAR(hits.distance[0], 3, kTolerance);
  EXPECT_NEAR(hits.distance[1], 3.5, kTolerance);
  expect_error("shape 99 does not exist", [&] { rays_at_sites(two.model, {99}, {{}}, {kX}); });
  expect_error("as many of each", [&] { rays_at_sites(two.model, {0}, {{}, {}}, {kX}); });
}

// -- Random scenes

constexpr int kWorlds = 12, kShapes = 30;

Vec3 vector_of(SeededRandom& random, double spread) {
  const Real x = Real(random.uniform(-spread, spread)), y = Real(random.uniform(-spread, spread));
  return {x, y, Real(random.uniform(-spread, spread))};
}

// Fans of rays in all worlds, `width` wide: narrow ones share a cone, wide ones do not. Some begin inside of shapes.
Rays random_rays(unsigned seed, int worlds, int per_world, double width) {
  SeededRandom random(seed);
  std::vector<Vec3> origin, direction;
  for (int w = 0; w < worlds; ++w) {
    Vec3 from{}, to{};
    for (int r = 0; r < per_world; ++r) {
      if (r % 8 == 0) from = vector_of(random, 1.5), to = vector_of(random, 1);
      origin.push_back(from);
      direction.push_back(to - from + vector_of(random, width));
    }
  }
  return rays_of(origin, direction);
}

// Proves that boxes, cones and lanes lose nothing: every ray meets what single questions find, on every type of shape.
TEST(RayCaster, RandomRaysAgainstSingleQuestions) {
  int met[12] = {}, other_normals = 0;
  for (const unsigned seed : {1u, 2u, 3u}) {
    const Model model = mixed_scene::make(seed, kWorlds, kShapes).finalize();
    const State state = model.state();
    const ShapeQuery query(model);
    for (const double width : {0.02, 0.3, 2.0}) {
      const int per_world = 21;
      const Rays rays = random_rays(seed + 10, kWorlds, per_world, width);
      const RayHits hits = cast_rays(model, state, rays);
      for (int i = 0; i < kWorlds * per_world; ++i) {
        const RayCast one = query.ray_cast(state, rays.origin[i], rays.direction[i], kUnbounded, i / per_world);
        if (hits.shape[i] != one.shape) {  // two surfaces at one place
          EXPECT_NEAR(hits.distance[i], one.distance, kTolerance) << "shape " << hits.shape[i] << ", " << one.shape;
          continue;
        }
        if (one.shape < 0) continue;
        ++met[model.shape_type[one.shape]];
        const double steep = std::abs(dot(one.normal, normalize(rays.direction[i])));
        EXPECT_NEAR(hits.distance[i] * steep, one.distance * steep, kTolerance);
        EXPECT_NEAR(length(hits.normal[i]), 1, kTolerance);
        other_normals += length(hits.normal[i] - one.normal) > 1e-2;  // at an edge either face counts
      }
    }
  }
  EXPECT_LE(other_normals, 2);
  for (int type = 1; type < 12; ++type) EXPECT_GT(met[type], 5) << shape_type_name(static_cast<ShapeType>(type));
}

// Proves that hits lie on the surface of their shape, and that no shape was passed before: on its way the ray stays on
// the side of every surface on which it began.
TEST(RayCaster, NothingIsPassed) {
  ModelBuilder builder;
  builder.default_shape_cfg.thickness = 0;
  mixed_scene::ShapeMaker maker(4);
  builder.begin_world();
  for (int i = 0; i < 4; ++i) {
    const auto body = [&] { return builder.add_body({.xform = maker.pose(1)}); };
    builder.add_shape_sphere(body(), Real(0.3));
    builder.add_shape_capsule(body(), Real(0.1), Real(0.3));
    builder.add_shape_cylinder(body(), Real(0.2), Real(0.2));
    builder.add_shape_box(body(), Real(0.3), Real(0.1), Real(0.2));
    builder.add_shape_cone(body(), Real(0.3), Real(0.3));
  }
  builder.end_world();
  const Model model = builder.finalize();
  const State state = model.state();
  const ShapeQuery query(model);
  const Rays rays = random_rays(5, 1, 64, 0.3);
  const RayHits hits = cast_rays(model, state, rays);
  const double tolerance = 4 * kTolerance;
  for (int i = 0; i < 64; ++i) {
    const Vec3 p = rays.origin[i], d = normalize(rays.direction[i]);
    const Real end = hits.shape[i] < 0 ? Real(6) : hits.distance[i];
    if (hits.shape[i] >= 0) {
      const ClosestPoint at = query.closest_point(state, hits.shape[i], p + d * end);
      EXPECT_NEAR(at.distance, 0, tolerance);
    }
    for (int s = 0; s < model.shape_count; ++s) {
      const Real side = query.closest_point(state, s, p).distance < 0 ? Real(-1) : Real(1);
      for (int k = 1; k < 100; ++k)
        EXPECT_GT(side * query.closest_point(state, s, p + d * (end * Real(k) / 100)).distance, -tolerance) << s;
    }
  }
}

// -- One answer

void expect_same(const RayHits& a, const RayHits& b) {
  ASSERT_EQ(a.distance.size(), b.distance.size());
  EXPECT_EQ(std::memcmp(a.distance.data(), b.distance.data(), a.distance.bytes()), 0);
  EXPECT_EQ(std::memcmp(a.shape.data(), b.shape.data(), a.shape.bytes()), 0);
  EXPECT_EQ(std::memcmp(a.normal.data(), b.normal.data(), a.normal.bytes()), 0);
}
RayHits hits_with(const Model& model, const Rays& rays, const Queue* queue = nullptr) {
  return RayCaster(model, {}, queue).cast(model.state(), rays);
}

// Proves that threads, tiers and how many rays stand beside each other change nothing.
TEST(RayCaster, ThreadsAndTiers) {
  const Model model = mixed_scene::make(5, kWorlds, kShapes).finalize();
  for (const int per_world : {1, 7, 64}) {
    const Rays rays = random_rays(6, kWorlds, per_world, 0.2);
    const RayHits expected = hits_with(model, rays);
    for (const int threads : {1, 2, 3, 8}) {
      const Queue queue(Device{}, {.threads = threads});
      expect_same(hits_with(model, rays, &queue), expected);
    }
    const int tier = cpu_tier();
    for (int other = 0; other < cpu_tier_count(); ++other) {
      if (!cpu_tier_supported(other)) continue;
      set_cpu_tier(other);
      expect_same(hits_with(model, rays), expected);
    }
    set_cpu_tier(tier);
  }
}

// Proves that memory is used again.
TEST(RayCaster, NothingIsAllocatedOnceWarm) {
  if (!testing::counts_allocations()) GTEST_SKIP() << "allocations are not counted in this build";
  const Model model = mixed_scene::make(6, kWorlds, kShapes).finalize();
  const State state = model.state();
  const Rays rays = random_rays(7, kWorlds, 16, 0.2);
  RayCaster caster(model);
  for (int i = 0; i < 2; ++i) caster.cast(state, rays);
  EXPECT_EQ(testing::allocations_in([&] { caster.cast(state, rays); }), 0);
}

// Proves that a GPU finds what the CPU finds, bit for bit, also along rays that bodies carry.
TEST(RayCaster, CudaEqualsTheCpu) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "NOT RUN ON CUDA: this build or machine has no CUDA device";
  const Device cuda = Device::parse("cuda");
  const ModelBuilder builder = mixed_scene::make(5, kWorlds, kShapes);
  const Model model = builder.finalize(), on_cuda = builder.finalize(cuda);
  Rays rays = random_rays(6, kWorlds, 64, 0.2);
  for (const bool carried : {false, true}) {
    if (carried) {
      std::vector<int> body;
      for (int i = 0; i < kWorlds * 64; ++i) {
        const int first = model.body_world_start[i / 64], next = model.body_world_start[i / 64 + 1];
        body.push_back(i % 3 == 0 || first == next ? -1 : first + i % (next - first));
      }
      rays.body = array_of(body);
    }
    const Rays there{rays.origin.to(cuda), rays.direction.to(cuda), carried ? rays.body.to(cuda) : Array<int>(), {}};
    const RayHits expected = hits_with(model, rays), hits = hits_with(on_cuda, there);
    expect_same({hits.distance.on_cpu(), hits.shape.on_cpu(), hits.normal.on_cpu()}, expected);
  }
}

// -- Lidar

// Proves where a lidar looks: the order of firing, the ends of its range, and that a full turn has no ray twice.
TEST(LidarPattern, ClosedForms) {
  const Real up = Real(0.5);
  const std::vector<Vec3> turn = lidar_pattern({2, 4, -up, up, LidarConfig{}.horizontal_fov});
  ASSERT_EQ(turn.size(), 8u);
  const double c = std::cos(0.5), s = std::sin(0.5);
  const Vec3 ahead[] = {{Real(-c), 0, 0}, {0, Real(-c), 0}, {Real(c), 0, 0}, {0, Real(c), 0}};
  for (int i = 0; i < 8; ++i) expect_near(turn[i], ahead[i / 2] + Vec3{0, 0, Real(i % 2 ? s : -s)}, 1e-6);
  const std::vector<Vec3> sector = lidar_pattern({1, 3, 0, 0, 1});
  for (int i = 0; i < 3; ++i)
    expect_near(sector[i], {Real(std::cos(0.5 * (i - 1))), Real(std::sin(0.5 * (i - 1))), 0}, 1e-6);
  expect_near(lidar_pattern({1, 1, Real(-0.25), Real(0.25), 1})[0], kX, 1e-6);
}

// -- Bad input

TEST(RayCaster, BadRays) {
  const TwoWorlds two;
  const State state = two.model.state();
  RayCaster caster(two.model);
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  const auto cast = [&](const Rays& rays) { return [&caster, &state, rays] { caster.cast(state, rays); }; };
  expect_error("ray 0 of world 1: the direction has no length", cast(rays_of({{}, {}}, {kX, {}})));
  expect_error("ray 0 of world 0: direction", cast(rays_of({{}, {}}, {{nan, 0, 0}, kX})));
  expect_error("ray 0 of world 1: origin", cast(rays_of({{}, {0, nan, 0}}, {kX, kX})));
  expect_error("equally many to each of the 2 worlds", cast(rays_of({{}, {}, {}}, {kX, kX, kX})));
  expect_error("direction has 1 entries; origin has 2", cast(rays_of({{}, {}}, {kX})));
  expect_error("excluded body 77 does not exist", cast(two.along_x({77, -1})));
  expect_error("excluded body " + std::to_string(two.body[0]) + " is of world 0", cast(two.along_x({-1, two.body[0]})));
  Rays carried = two.along_x();
  carried.body = array_of(std::vector<int>{-2, -1});
  expect_error("body -2 does not exist", cast(carried));
  carried.body = array_of(std::vector<int>{0});
  expect_error("body has 1 entries", cast(carried));
  expect_error("max_distance", [&] { caster.cast(state, two.along_x(), 0); });
  expect_error("max_distance", [&] { caster.cast(state, two.along_x(), nan); });
  expect_error("shape 99 does not exist", [&] { RayCaster(two.model, {.shapes = std::vector<int>{99}}); });
  expect_error("state belongs to another model", [&] { caster.cast(TwoWorlds().model.state(), two.along_x()); });
  expect_error("channels", [] { lidar_pattern({0, 4, 0, 1, 1}); });
  expect_error("ascend", [] { lidar_pattern({2, 4, 1, 0, 1}); });
  expect_error("horizontal_fov", [] { lidar_pattern({2, 4, 0, 1, 7}); });
}

}  // namespace
}  // namespace carom
