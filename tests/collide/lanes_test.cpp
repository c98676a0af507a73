// Kernels that do several iterations at once in lanes on the CPU: the bits of the same kernels one by one.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "backend/on_device.h"
#include "carom/builder.h"
#include "carom/collide.h"
#include "carom/queue.h"
#include "collide/kernels.h"
#include "tests/random.h"
#include "tests/same_contacts.h"

namespace carom {
namespace {

class Random : public SeededRandom {
 public:
  using SeededRandom::SeededRandom;
  Real uniform(double low, double high) { return Real(SeededRandom::uniform(low, high)); }
  Vec3 point(double spread) { return {uniform(-spread, spread), uniform(-spread, spread), uniform(-spread, spread)}; }
  Transform pose(double spread) {
    const Quat q = one_in(4) ? Quat{} : normalize(Quat{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)});
    return {one_in(4) ? Vec3{} : point(spread), q};
  }
};

// The two as memory: not a number equals itself, and -0 is not 0.
template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

// -- Points of pairs

// Spheres, capsules and planes, a few of them finite, and some boxes between them. Many centres and axes coincide.
struct RoundScene {
  std::vector<int> type, geometry;
  std::vector<Vec3> scale, box_lower, box_upper;
  std::vector<Real> thickness, margin;
  std::vector<Transform> pose;
  std::vector<Index2> pair;
  std::vector<int> start{0};

  RoundScene(unsigned seed, int shapes, int pairs, bool in_runs) {
    Random random(seed);
    const ShapeType types[] = {ShapeType::kSphere, ShapeType::kCapsule, ShapeType::kPlane, ShapeType::kBox};
    for (int s = 0; s < shapes; ++s) {
      // In runs of one kind, so that neighbours are alike; or all in any order.
      const ShapeType t = in_runs ? types[s / 40 % 3] : types[random.one_in(20) ? 3 : random.below(3)];
      type.push_back(static_cast<int>(t));
      const bool plane = t == ShapeType::kPlane;
      const Vec3 size{random.uniform(0.1, 0.4), random.uniform(0.1, 0.4), random.uniform(0.1, 0.4)};
      scale.push_back(!plane ? size : random.one_in(8) ? Vec3{size.x * 4, size.y * 4, 0} : Vec3{});
      shape_local_bounds(t, scale.back(), nullptr, nullptr, nullptr, box_lower.emplace_back(),
                         box_upper.emplace_back());
      thickness.push_back(random.one_in(2) ? 0 : random.uniform(0, 0.05));
      margin.push_back(random.one_in(2) ? 0 : random.uniform(0, 0.2));
      pose.push_back(random.pose(0.4));
    }
    geometry.assign(shapes, -1);
    for (int p = 0; p < pairs; ++p) {
      const int a = in_runs ? p / 10 * 7 % shapes : random.below(shapes), b = (a + 1 + random.below(60)) % shapes;
      pair.push_back({a, b});
      const bool point = is_sphere(a) || is_sphere(b);
      start.push_back(start.back() + (point || random.one_in(5) ? 1 : type[a] == type[b] && is_box(a) ? 8 : 2));
    }
  }
  bool is_sphere(int s) const { return type[s] == static_cast<int>(ShapeType::kSphere); }
  bool is_box(int s) const { return type[s] == static_cast<int>(ShapeType::kBox); }
  PointsOfPairs kernel(std::vector<ContactPoint>& point, std::vector<int>& count) const {
    const auto view = [](const auto& v) { return Span{v.data(), std::int64_t(v.size())}; };
    point.assign(start.back(), {{}, {}, 0, -1});
    count.assign(pair.size(), -1);
    return {view(pair),
            {view(type), view(geometry), view(scale), view(thickness), view(margin), view(box_lower), view(box_upper),
             nullptr, pose.data()},
            start.data(),
            start.back(),
            point.data(),
            count.data()};
  }
};

// Fills how often each kind was met; the kinds are those of round_pairs.
template <class Kernel = PointsOfPairs>
void check_scene(const RoundScene& scene, int begin, int end, std::vector<int>& met) {
  std::vector<ContactPoint> expected, found;
  std::vector<int> expected_count, found_count;
  const Kernel one_by_one{scene.kernel(expected, expected_count)}, in_lanes{scene.kernel(found, found_count)};
  for (int p = begin; p < end; ++p) one_by_one(p);
  in_lanes.range(begin, end);
  for (int p = 0; p < int(scene.pair.size()); ++p) {
    ASSERT_EQ(found_count[p], expected_count[p]) << p;
    for (int i = 0; i < expected_count[p]; ++i) {
      const ContactPoint &a = found[scene.start[p] + i], &b = expected[scene.start[p] + i];
      ASSERT_TRUE(same_bits(a.point, b.point) && same_bits(a.normal, b.normal) && same_bits(a.distance, b.distance))
          << "pair " << p << ", point " << i;
      ASSERT_EQ(a.feature, b.feature) << p;
    }
    if (expected_count[p] > 0)
      met[12 * scene.type[scene.pair[p][0]] + scene.type[scene.pair[p][1]]] += expected_count[p];
  }
}

// Proves that pairs in lanes have the points of collide_shapes(), for every kind in both orders, with thickness,
// margins, coincident centres, parallel axes, planes with an end, too little room, and any number of pairs.
TEST(CollideLanes, PointsOfPairs) {
  std::vector<int> met(12 * 12, 0);
  for (unsigned seed = 0; seed < 6; ++seed) {
    check_scene(RoundScene(seed, 500, 6000, seed % 2 == 0), 0, 6000, met);
    check_scene(RoundScene(seed, 100, 300, seed % 2 == 0), int(seed), 300 - 7 * int(seed), met);
    check_scene(RoundScene(seed, 60, 40, true), int(seed), 2 * int(seed), met);
  }
  const int plane = 1, sphere = 3, capsule = 4;
  for (const auto& [a, b] : {Index2{plane, sphere}, Index2{plane, capsule}, Index2{sphere, capsule}}) {
    EXPECT_GT(met[12 * a + b], 100);
    EXPECT_GT(met[12 * b + a], 100);
  }
  EXPECT_GT(met[12 * sphere + sphere], 100);
  EXPECT_GT(met[12 * capsule + capsule], 100);
}

// -- Poses and boxes of shapes

// Proves that shapes placed in lanes have the poses and boxes of shapes placed one by one: all types, on bodies and in
// the world, in runs of one type and of the same numbers of every length, also where a pose is not a number.
TEST(CollideLanes, PlaceShapes) {
  Random random(3);
  constexpr int kShapes = 1003, kBodies = 50;
  constexpr Real kNone = std::numeric_limits<Real>::quiet_NaN();
  std::vector<int> shape, body, type, like, type_run;
  std::vector<Transform> X_BS, body_q;
  std::vector<Vec3> scale, lower, upper;
  std::vector<Real> thickness, margin;
  for (int b = 0; b < kBodies; ++b) body_q.push_back(random.pose(2));
  body_q[7].q.y = body_q[9].p.z = kNone;
  for (int s = 0; s < kShapes; ++s) {
    const bool same_type = s > 0 && body.back() >= 0 && type.back() != 1 && !random.one_in(40);
    const bool same_numbers = same_type && !random.one_in(20) && s % 300 > 100;
    shape.push_back(kShapes - 1 - s);
    body.push_back(!same_type && random.one_in(5) ? -1 : random.below(kBodies));
    type.push_back(same_type ? type.back() : 1 + random.below(11));
    type_run.push_back(s == 0 ? 0 : type_run.back() + !same_type);
    like.push_back(same_numbers ? like.back() : shape.back());
    const auto next = [&](auto& column, auto value) { column.push_back(same_numbers ? column.back() : value); };
    Transform X = random.pose(1);
    if (random.one_in(100)) X.q.w = kNone;
    next(X_BS, X);
    Vec3 sizes{random.uniform(0, 1), random.uniform(0, 1), random.uniform(0, 1)};
    if (random.one_in(3)) sizes.x = 0;
    next(scale, sizes);
    next(upper, Vec3{random.uniform(0, 1), random.uniform(0, 1), random.uniform(0, 1)});
    lower.push_back(-upper.back());
    if (random.one_in(10)) lower.back().z = -kUnbounded;
    if (same_numbers) lower.back() = lower[s - 1];
    next(thickness, random.uniform(0, Real(0.1)));
    next(margin, random.uniform(0, Real(0.1)));
  }
  const auto reverse = [](auto&... column) { (std::reverse(column.begin(), column.end()), ...); };
  std::vector<int> body_of = body;
  reverse(body_of, type, X_BS, scale, lower, upper, thickness, margin);  // by shape; the list runs backwards
  struct Result {
    std::vector<Transform> X_WS = std::vector<Transform>(kShapes);
    std::vector<Box> box = std::vector<Box>(kShapes);
  } expected, found;
  const auto view = [](const auto& v) { return Span{v.data(), std::int64_t(v.size())}; };
  const auto kernel = [&](Result& to) {
    return PlaceShapes{{shape.data(), body.data(), like.data(), type_run.data()},
                       {view(std::as_const(body_of)), view(std::as_const(type)), view(std::as_const(X_BS)),
                        view(std::as_const(body_q)), view(std::as_const(scale)), view(std::as_const(lower)),
                        view(std::as_const(upper)), view(std::as_const(thickness)), view(std::as_const(margin)),
                        to.X_WS.data(), to.box.data()}};
  };
  for (int s = 0; s < kShapes; ++s) kernel(expected)(s);
  kernel(found).range(0, 501);
  kernel(found).range(501, kShapes);
  const auto is_same = [](Real a, Real b) { return same_bits(a, b) || (a != a && b != b); };  // NaN has many bits
  for (int s = 0; s < kShapes; ++s) {
    for (int i = 0; i < 7; ++i) ASSERT_TRUE(is_same((&found.X_WS[s].p.x)[i], (&expected.X_WS[s].p.x)[i])) << s;
    for (int i = 0; i < 6; ++i)
      ASSERT_TRUE(is_same((&found.box[s].lower.x)[i], (&expected.box[s].lower.x)[i])) << s << ", type " << type[s];
  }
}

// -- Near pairs

// Round shapes among planes, some of them finite or tilted; planes stand before, between and behind the others.
ModelBuilder world_with_planes(Random& random, int shapes) {
  ModelBuilder world;
  for (int s = 0; s < shapes; ++s) {
    const Transform X = random.pose(1.5);
    const ShapeConfig cfg{.thickness = random.uniform(0, 0.01), .contact_margin = random.uniform(0, 0.05)};
    const ShapeArgs args{.cfg = cfg};
    if (random.one_in(6)) {
      const Real length = random.one_in(3) ? 1 : 0, width = random.one_in(3) ? 1 : 0;
      world.add_shape_plane(-1, length, width, {.xform = {{0, 0, -1}, X.q}, .cfg = cfg});
    } else if (random.one_in(2)) {
      world.add_shape_sphere(world.add_body({.xform = X}), Real(0.2), args);
    } else {
      world.add_shape_capsule(world.add_body({.xform = X}), Real(0.1), Real(0.3), args);
    }
  }
  return world;
}

// Proves that members tested in lanes find the pairs of members tested one by one, and pairs of lists as well: worlds
// with fewer, as many and more members than a word has bits, in all tiers.
TEST(CollideLanes, NearPairs) {
  Random random(8);
  ModelBuilder builder;
  for (const int shapes : {1, 2, 7, 16, 17, 31, 33, 63, 64, 65, 130, 20, 20}) {
    const ModelBuilder world = world_with_planes(random, shapes);
    builder.add_world(world);
    builder.add_world(world);
  }
  builder.add_ground_plane();
  const Model model = builder.finalize();
  const State state = model.state();
  testing::for_each_tier([&] {
    CollisionPipeline all(model, {.broad_phase_mode = BroadPhaseMode::kNxn});
    const Contacts expected = all.collide(state);
    EXPECT_GT(all.shape_pairs().size(), 2000);
    for (const int threads : {1, 3}) {
      const Queue queue(Device{}, {.threads = threads});
      CollisionPipeline listed(model, {.broad_phase_mode = BroadPhaseMode::kExplicit}, &queue);
      const Contacts found = listed.collide(state);
      ASSERT_EQ(listed.shape_pairs().size(), all.shape_pairs().size());
      for (std::int64_t p = 0; p < all.shape_pairs().size(); ++p)
        ASSERT_EQ(listed.shape_pairs()[p], all.shape_pairs()[p]) << p;
      expect_same_contacts(found, expected);
    }
  });
}

// Proves that worlds of one structure, which are tested side by side, find the pairs that they find one by one,
// whatever their poses and the sizes of their planes, and that what is not finite in one of them changes no other.
TEST(CollideLanes, NearPairsOfWorldsSideBySide) {
  constexpr int kWorlds = 37;  // no multiple of any number of lanes
  Random random(10);
  ModelBuilder builder;
  for (const int shapes : {2, 20, 64, 65}) {
    const ModelBuilder world = world_with_planes(random, shapes);
    for (int w = 0; w < kWorlds; ++w) builder.add_world(world);
  }
  builder.add_ground_plane();
  const Model model = builder.finalize();
  model.edit([&](ModelNumbers& n) {
    for (int s = 0; s + 1 < model.shape_count; ++s) {
      if (model.shape_type[s] != static_cast<int>(ShapeType::kPlane)) continue;
      n.shape_transform[s].q = random.pose(1).q;
      n.shape_scale[s] = random.one_in(3) ? Vec3{1, 1, 0} : Vec3{0, 0, 0};
    }
  });
  const State state = model.state();
  for (Transform& X : state.body_q) X = random.pose(1.5);
  state.body_q[model.body_count / 2].p.x = std::numeric_limits<Real>::quiet_NaN();
  CollisionPipeline all(model, {.broad_phase_mode = BroadPhaseMode::kNxn});
  const Contacts expected = all.collide(state);
  testing::for_each_tier([&] {
    for (const int threads : {1, 3}) {
      const Queue queue(Device{}, {.threads = threads});
      CollisionPipeline listed(model, {.broad_phase_mode = BroadPhaseMode::kExplicit}, &queue);
      const Contacts found = listed.collide(state);
      expect_same_bits("pairs", listed.shape_pairs(), all.shape_pairs());
      expect_same_contacts(found, expected);
    }
  });
  EXPECT_GT(all.shape_pairs().size(), 5000);
}

// Shapes of all sorts with ends on bodies of their own, and one on the body before; among them a plane on a body, a
// shape that nobody meets, and one that stands still.
ModelBuilder world_of_all_sorts(Random& random) {
  ModelBuilder world;
  const auto body = [&] { return world.add_body({.xform = random.pose(Real(0.8))}); };
  const auto args = [&] {
    return ShapeArgs{
        .xform = random.pose(Real(0.1)),
        .cfg = ShapeConfig{.thickness = random.uniform(0, 0.01), .contact_margin = random.uniform(0, 0.05)}};
  };
  world.add_shape_box(-1, 1, 1, Real(0.1), args());
  world.add_shape_sphere(body(), Real(0.3), args());
  world.add_shape_capsule(body(), Real(0.1), Real(0.4), args());
  const int shared = body();
  world.add_shape_box(shared, Real(0.2), Real(0.3), Real(0.1), args());
  world.add_shape_cylinder(shared, Real(0.2), Real(0.3), args());
  world.add_shape_plane(body(), 0, 0, args());
  world.add_shape_cone(body(), Real(0.3), Real(0.3), args());
  world.add_shape_ellipsoid(body(), Real(0.3), Real(0.2), Real(0.1), args());
  ShapeArgs lonely = args();
  lonely.cfg->collision_group = 0;
  world.add_shape_sphere(body(), Real(0.3), lonely);
  return world;
}

// Proves that shapes that are placed and tested on the way, worlds side by side, have the poses, boxes and pairs of
// shapes placed one by one, and worlds the same marks: also where the numbers of a shape differ from world to world,
// and where something is not finite.
TEST(CollideLanes, ShapesPlacedOnTheWay) {
  constexpr int kWorlds = 37;  // no multiple of any number of lanes
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  Random random(11);
  ModelBuilder builder;
  const int roller = builder.add_body({.xform = random.pose(Real(0.5))});
  builder.add_shape_sphere(roller, Real(0.4));  // in all worlds
  builder.replicate(world_of_all_sorts(random), kWorlds);
  const Model model = builder.finalize();
  model.edit([&](ModelNumbers& n) {
    const int shapes = model.shape_count / kWorlds;
    for (int s = 1; s < model.shape_count; ++s) {
      if (s % shapes == 3) n.shape_scale[s].x *= random.uniform(Real(0.5), 2);
      if (s % shapes == 4) n.shape_transform[s] = random.pose(Real(0.2));
    }
  });
  const State state = model.state();
  for (Transform& X : state.body_q) X = random.pose(Real(0.8));
  const int bodies = model.body_count / kWorlds;
  state.body_q[5 * bodies + 1].p.x = std::numeric_limits<Real>::quiet_NaN();
  state.body_q[36 * bodies + 2].p.y = kInfinity;
  state.body_q[20 * bodies + 3].p.z = std::numeric_limits<Real>::max();  // finite
  CollisionPipeline all(model, {.broad_phase_mode = BroadPhaseMode::kNxn});
  const Contacts expected = all.collide(state);
  ASSERT_GT(all.shape_pairs().size(), 300);
  int marked = 0;
  for (const std::int32_t status : all.status()) marked += (status & kStatusNotFinite) != 0;
  ASSERT_EQ(marked, 2);
  testing::for_each_tier([&] {
    for (const int threads : {1, 3}) {
      const Queue queue(Device{}, {.threads = threads});
      CollisionPipeline listed(model, {.broad_phase_mode = BroadPhaseMode::kExplicit}, &queue);
      const Contacts found = listed.collide(state);
      expect_same_bits("pairs", listed.shape_pairs(), all.shape_pairs());
      expect_same_contacts(found, expected);
      expect_same_bits("status", listed.status(), all.status());
      for (std::int64_t s = 0; s < model.shape_count; ++s)
        for (int i = 0; i < 6; ++i) {
          const Real a = (&listed.shape_boxes()[s].lower.x)[i], b = (&all.shape_boxes()[s].lower.x)[i];
          ASSERT_TRUE(a == b || (a != a && b != b)) << "shape " << s;
        }
    }
  });
}

// Proves the same where the points are MuJoCo's.
TEST(CollideLanes, PointsAsMujoco) {
  std::vector<int> met(12 * 12, 0);
  for (unsigned seed = 0; seed < 4; ++seed)
    check_scene<PointsAsMujoco>(RoundScene(seed, 500, 6000, seed % 2 == 0), 0, 6000, met);
}

// Proves for all tiers that contacts of the pipeline are those of its narrow phase one by one.
TEST(CollideLanes, ContactsOfAllTiers) {
  Random random(9);
  ModelBuilder builder;
  for (int w = 0; w < 40; ++w) builder.add_world(world_with_planes(random, 20));
  const Model model = builder.finalize();
  const State state = model.state();
  std::vector<Transform> X_WS;
  for (int s = 0; s < model.shape_count; ++s) {
    const int body = model.shape_body[s];
    X_WS.push_back(body < 0 ? model.shape_transform[s] : state.body_q[body] * model.shape_transform[s]);
  }
  const std::vector<int> geometry(model.shape_count, -1);
  testing::for_each_tier([&] {
    CollisionPipeline pipeline(model, {.broad_phase_mode = BroadPhaseMode::kExplicit});
    const Contacts contacts = pipeline.collide(state);
    const Array<Index2> pairs = pipeline.shape_pairs();
    ASSERT_GT(pairs.size(), 1000);
    std::vector<int> start(pairs.size() + 1);
    for (std::size_t p = 0; p < start.size(); ++p) start[p] = int(2 * p);
    std::vector<ContactPoint> point(start.back());
    std::vector<int> count(pairs.size());
    const PointsOfPairs one_by_one{pairs.const_view(),
                                   {model.shape_type.const_view(),
                                    {geometry.data(), model.shape_count},
                                    model.shape_scale.const_view(),
                                    model.shape_thickness.const_view(),
                                    model.shape_contact_margin.const_view(),
                                    model.shape_collision_aabb_lower.const_view(),
                                    model.shape_collision_aabb_upper.const_view(),
                                    nullptr,
                                    X_WS.data()},
                                   start.data(),
                                   start.back(),
                                   point.data(),
                                   count.data()};
    int c = 0;
    for (int p = 0; p < int(pairs.size()); ++p) {
      one_by_one(p);
      for (int i = 0; i < count[p]; ++i, ++c) {
        ASSERT_LT(c, contacts.rigid_contact_count[0]);
        ASSERT_EQ(contacts.rigid_contact_shape0[c], pairs[p][0]);
        ASSERT_EQ(contacts.rigid_contact_feature[c], point[start[p] + i].feature);
        ASSERT_TRUE(same_bits(contacts.rigid_contact_point[c], point[start[p] + i].point)) << c;
        ASSERT_TRUE(same_bits(contacts.rigid_contact_normal[c], point[start[p] + i].normal + Vec3{0, 0, 0})) << c;
        ASSERT_EQ(contacts.rigid_contact_depth[c], -point[start[p] + i].distance) << c;
      }
    }
    EXPECT_EQ(c, contacts.rigid_contact_count[0]);
    EXPECT_GT(c, 1000);
  });
}

}  // namespace
}  // namespace carom
