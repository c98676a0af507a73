// The collision pipeline: which pairs there are in which world, and how contacts are sorted, aged, limited and
// reported.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "carom/carom.h"
#include "tests/random.h"

namespace carom {
namespace {

using Pair = std::pair<int, int>;

constexpr BroadPhaseMode kModes[] = {BroadPhaseMode::kExplicit, BroadPhaseMode::kNxn, BroadPhaseMode::kSap,
                                     BroadPhaseMode::kTree, BroadPhaseMode::kAuto};

int sphere_at(ModelBuilder& builder, Vec3 p, Real radius, const ShapeConfig& cfg = {}) {
  return builder.add_shape_sphere(builder.add_body({.xform = {p, {}}}), radius, {.cfg = cfg});
}

std::vector<Pair> pairs_of(const Model& model, BroadPhaseMode mode) {
  CollisionPipeline pipeline(model, {.broad_phase_mode = mode});
  pipeline.collide(model.state());
  std::vector<Pair> pairs;
  for (const Index2& pair : pipeline.shape_pairs()) pairs.emplace_back(pair[0], pair[1]);
  return pairs;
}

// Proves the rule of worlds and groups in all combinations of signs (numbers of Newton's own test).
TEST(Pipeline, WorldAndGroupRule) {
  struct Case {
    int world_a, world_b, group_a, group_b;
    bool collide;
  };
  const Case cases[] = {{0, 0, 1, 1, true},    {1, 1, -1, 2, true},   {2, 2, 0, 1, false},  {0, 1, 1, 1, false},
                        {2, 3, -1, -1, false}, {-1, 0, 1, 1, true},   {1, -1, 2, 2, true},  {-1, -1, 1, 2, false},
                        {-1, -1, -1, 1, true}, {0, 0, -1, -1, false}, {0, 0, -1, -2, true}, {0, 0, 2, -1, true}};
  for (const Case& c : cases) {
    EXPECT_EQ(test_world_and_group_pair(c.world_a, c.world_b, c.group_a, c.group_b), c.collide);
    EXPECT_EQ(test_world_and_group_pair(c.world_b, c.world_a, c.group_b, c.group_a), c.collide);
  }
}

// Proves that worlds do not touch each other, that global shapes touch all of them, and that groups and flags decide
// inside a world: shapes A(1) B(2) C(-1) of world 0, D(1) E(2) F(no collision) of world 1, G(1) global.
TEST(Pipeline, MixedWorldsAndGroups) {
  ModelBuilder builder;
  const auto group = [](int g) { return ShapeConfig{.collision_group = g}; };
  builder.begin_world();
  for (const int g : {1, 2, -1}) sphere_at(builder, {}, Real(0.5), group(g));
  builder.end_world();
  builder.begin_world();
  for (const int g : {1, 2}) sphere_at(builder, {}, Real(0.5), group(g));
  sphere_at(builder, {}, Real(0.5), {.collision_group = 2, .has_shape_collision = false});
  builder.end_world();
  sphere_at(builder, {}, Real(0.5), group(1));
  const Model model = builder.finalize();
  for (const BroadPhaseMode mode : kModes)
    EXPECT_EQ(pairs_of(model, mode), (std::vector<Pair>{{0, 2}, {0, 6}, {1, 2}, {2, 6}, {3, 6}}))
        << broad_phase_mode_name(mode);
  EXPECT_EQ(CollisionPipeline(model).explicit_pair_count(), 5);
}

// Proves that explicit pairs are left out whatever their order, and in every mode.
TEST(Pipeline, FilterPairs) {
  for (const bool swapped : {false, true}) {
    ModelBuilder builder;
    int shape[3];
    for (int& s : shape) s = sphere_at(builder, {}, 1);
    if (swapped) builder.add_shape_collision_filter_pair(shape[1], shape[0]);
    else builder.add_shape_collision_filter_pair(shape[0], shape[1]);
    const Model model = builder.finalize();
    for (const BroadPhaseMode mode : kModes) EXPECT_EQ(pairs_of(model, mode), (std::vector<Pair>{{0, 2}, {1, 2}}));
  }
}

// Proves that the child's flag decides about contacts with its parent, whether the joint or the shapes came first.
TEST(Pipeline, ParentsAreSparedByTheFlagOfTheChild) {
  for (const bool joint_first : {false, true})
    for (const bool spared : {false, true}) {
      ModelBuilder builder;
      const int base = builder.add_link(), arm = builder.add_link();
      const auto join = [&] {
        const int free = builder.add_joint_free(base), hinge = builder.add_joint_revolute(base, arm);
        builder.add_articulation({free, hinge});
      };
      if (joint_first) join();
      builder.add_shape_sphere(base, 1, {.cfg = ShapeConfig{.collision_filter_parent = !spared}});
      builder.add_shape_sphere(arm, 1, {.cfg = ShapeConfig{.collision_filter_parent = spared}});
      if (!joint_first) join();
      for (const BroadPhaseMode mode : kModes)
        EXPECT_EQ(pairs_of(builder.finalize(), mode).size(), spared ? 0u : 1u) << joint_first;
    }
}

// Random spheres, capsules and planes in ragged worlds (the first full, the second a quarter of it) with groups,
// globals before and behind them and filter pairs.
ModelBuilder random_scene(unsigned seed, int worlds, int shapes) {
  SeededRandom random(seed);
  const auto uniform = [&](double low, double high) { return Real(random.uniform(low, high)); };
  ModelBuilder builder;
  const auto add = [&](int count) {
    for (int i = 0; i < count; ++i) {
      const ShapeConfig cfg{.contact_margin = uniform(0, 0.1), .collision_group = int(uniform(-3, 4))};
      const Transform X{{uniform(-2, 2), uniform(-2, 2), uniform(-2, 2)},
                        normalize(Quat{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)})};
      const int body = random.below(8) ? builder.add_body({.xform = X}) : -1;
      const ShapeArgs args{.xform = body < 0 ? X : Transform{}, .cfg = cfg};
      if (random.one_in(16)) builder.add_shape_plane(-1, 0, 0, {.xform = X, .cfg = cfg});
      else if (random.one_in(2)) builder.add_shape_sphere(body, uniform(0.1, 0.6), args);
      else {
        const Real radius = uniform(0.1, 0.3);
        builder.add_shape_capsule(body, radius, uniform(0.1, 0.8), args);
      }
    }
  };
  add(3);
  for (int w = 0; w < worlds; ++w) {
    builder.begin_world();
    add(w == 0 ? shapes : w == 1 ? shapes / 4 : random.below(shapes + 1));
    builder.end_world();
  }
  add(3);
  const int count = builder.count(Entity::kShape);
  for (int i = 0; i < count; ++i) {
    const int a = random.below(count), b = random.below(count);
    const int world_a = builder.columns().shape_world[a], world_b = builder.columns().shape_world[b];
    if (a != b && (world_a == world_b || world_a < 0 || world_b < 0)) builder.add_shape_collision_filter_pair(a, b);
  }
  return builder;
}

bool overlap(const Box& a, const Box& b) {
  bool all = true;
  for (int i = 0; i < 3; ++i) all = all && a.lower[i] <= b.upper[i] && b.lower[i] <= a.upper[i];
  return all;
}

// Pairs that the documented rules leave and whose boxes overlap, by a plain double loop. Infinite planes are left to
// the contacts: their boxes say little.
std::set<Pair> plain_pairs(const Model& model, const Array<Box>& box) {
  std::set<Pair> filtered, pairs;
  for (const Index2& pair : model.shape_collision_filter_pairs)
    filtered.emplace(std::min(pair[0], pair[1]), std::max(pair[0], pair[1]));
  for (int a = 0; a < model.shape_count; ++a)
    for (int b = a + 1; b < model.shape_count; ++b)
      if (test_world_and_group_pair(model.shape_world[a], model.shape_world[b], model.shape_collision_group[a],
                                    model.shape_collision_group[b]) &&
          model.shape_body[a] != model.shape_body[b] && !filtered.count({a, b}) && overlap(box[a], box[b]))
        pairs.emplace(a, b);
  return pairs;
}

bool has_plane(const Model& model, Pair pair) {
  const auto is_plane = [&](int shape) { return model.shape_type[shape] == static_cast<int>(ShapeType::kPlane); };
  return is_plane(pair.first) || is_plane(pair.second);
}

// Proves that all modes find the same pairs, those of a plain double loop, and that pairs with planes lack no contact.
TEST(Pipeline, AllModesFindTheSamePairs) {
  std::size_t total = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Model model = random_scene(seed, seed % 4 * 3, 4 + 6 * int(seed)).finalize();
    CollisionPipeline pipeline(model);
    pipeline.collide(model.state());
    const std::set<Pair> expected = plain_pairs(model, pipeline.shape_boxes());
    for (const BroadPhaseMode mode : kModes) {
      const std::vector<Pair> found = pairs_of(model, mode);
      const std::set<Pair> pairs(found.begin(), found.end());
      EXPECT_EQ(pairs.size(), found.size());
      for (const Pair& pair : expected) EXPECT_TRUE(has_plane(model, pair) || pairs.count(pair));
      for (const Pair& pair : pairs) EXPECT_TRUE(expected.count(pair));
      EXPECT_EQ(found, pairs_of(model, BroadPhaseMode::kNxn)) << broad_phase_mode_name(mode);
      total += found.size();
    }
  }
  EXPECT_GT(total, 10'000u);
}

// Proves that AUTO, which sweeps some worlds and builds trees over others, finds the same pairs.
TEST(Pipeline, LargeWorldsBesideSmallOnes) {
  const Model model = random_scene(2, 8, 1200).finalize();
  int least = model.shape_count, most = 0;
  for (int w = 0; w < model.world_count; ++w) {
    const int shapes = model.shape_world_start[w + 1] - model.shape_world_start[w];
    least = std::min(least, shapes);
    most = std::max(most, shapes);
  }
  ASSERT_LT(least, 500);  // lists and sweeps; trees begin at 512 shapes
  ASSERT_GT(most, 800);
  EXPECT_EQ(CollisionPipeline(model, {.broad_phase_mode = BroadPhaseMode::kAuto}).broad_phase_mode(),
            BroadPhaseMode::kTree);
  EXPECT_EQ(pairs_of(model, BroadPhaseMode::kAuto), pairs_of(model, BroadPhaseMode::kNxn));
}

// Proves that no pair of a plane and a sphere that touch is lost, in any direction of the plane.
TEST(Pipeline, TiltedPlanesKeepTheirPairs) {
  SeededRandom random(3);
  for (int i = 0; i < 300; ++i) {
    ModelBuilder builder;
    builder.rigid_contact_margin = 0;
    builder.default_shape_cfg.thickness = 0;
    const Quat q = normalize(Quat{Real(random.normal()), Real(random.normal()), Real(random.normal()), 1});
    const Vec3 n = rotate(q, Vec3{0, 0, 1}), side = rotate(q, Vec3{1, 0, 0});
    const Vec3 p{Real(random.normal()), Real(random.normal()), Real(random.normal())};
    builder.add_shape_plane(-1, 0, 0, {.xform = {p, q}});
    const Real height = Real(i % 2 ? 0.99 : 1.01);
    sphere_at(builder, p + n * height + side * Real(100 * random.normal()), 1);
    const Model model = builder.finalize();
    CollisionPipeline pipeline(model);
    EXPECT_EQ(pipeline.collide(model.state()).rigid_contact_count[0], i % 2);
  }
}

// Proves the layout: contacts of world after world, then those among the globals, each sorted by shapes and feature.
TEST(Pipeline, ContactsAreSortedByWorldAndShape) {
  const Model model = random_scene(7, 9, 80).finalize();
  CollisionPipeline pipeline(model);
  const Contacts& c = pipeline.collide(model.state());
  ASSERT_EQ(c.rigid_contact_world_start.size(), model.world_count + 2);
  EXPECT_EQ(c.rigid_contact_world_start[0], 0);
  EXPECT_EQ(c.rigid_contact_world_start[model.world_count + 1], c.rigid_contact_count[0]);
  ASSERT_GT(c.rigid_contact_count[0], 50);
  for (int world = 0; world <= model.world_count; ++world) {
    const auto key = [&](int i) {
      return std::tuple(c.rigid_contact_shape0[i], c.rigid_contact_shape1[i], c.rigid_contact_feature[i]);
    };
    for (int i = c.rigid_contact_world_start[world]; i < c.rigid_contact_world_start[world + 1]; ++i) {
      const int of_pair =
          std::max(model.shape_world[c.rigid_contact_shape0[i]], model.shape_world[c.rigid_contact_shape1[i]]);
      EXPECT_EQ(of_pair, world == model.world_count ? -1 : world);
      if (i > c.rigid_contact_world_start[world]) {
        EXPECT_LT(key(i - 1), key(i));
      }
    }
    EXPECT_EQ(pipeline.contacts_needed()[world],
              c.rigid_contact_world_start[world + 1] - c.rigid_contact_world_start[world]);
  }
}

// Proves where a contact lies: the point midway, the normal from shape 0 to shape 1, points on both surfaces in the
// frames of their bodies; and that it appears, with negative depth, within the sum of the margins.
TEST(Pipeline, PointNormalDepthAndMargins) {
  const Real radius = Real(0.5), tolerance = sizeof(Real) == 8 ? Real(1e-12) : Real(1e-5);
  for (const Real apart : {Real(0.6), Real(1), Real(1.08), Real(1.099), Real(1.101), Real(1.5)}) {
    ModelBuilder builder;
    builder.rigid_contact_margin = Real(0.05);
    builder.default_shape_cfg.thickness = 0;
    const int body0 = builder.add_body({.xform = {{1, 2, 3}, quat_from_axis_angle(Vec3{0, 0, 1}, Real(0.3))}});
    const int body1 = builder.add_body({.xform = {Vec3{1, 2, 3} + Vec3{0, apart, 0}, {}}});
    builder.add_shape_sphere(body0, radius);
    builder.add_shape_sphere(body1, radius);
    const Model model = builder.finalize();
    CollisionPipeline pipeline(model);
    const State state = model.state();
    const Contacts& c = pipeline.collide(state);
    ASSERT_EQ(c.rigid_contact_count[0], apart < Real(1.1) ? 1 : 0) << apart;
    if (apart > Real(1.1)) continue;
    EXPECT_NEAR(c.rigid_contact_depth[0], 1 - apart, tolerance);
    EXPECT_NEAR(c.rigid_contact_normal[0].y, 1, tolerance);
    EXPECT_NEAR(c.rigid_contact_point[0].y, 2 + apart / 2, tolerance);
    const Vec3 p0 = transform_point(state.body_q[body0], c.rigid_contact_point0[0]);
    const Vec3 p1 = transform_point(state.body_q[body1], c.rigid_contact_point1[0]);
    EXPECT_NEAR(p0.y, 2.5, 4 * tolerance);
    EXPECT_NEAR(p1.y, 2 + apart - radius, 4 * tolerance);
  }
}

// Proves that shapes have no thickness unless it is given: distances are those of the geometry, exactly.
TEST(Pipeline, DistancesOfShapesAsTheyAre) {
  const Real apart = Real(1) / 512;
  ModelBuilder builder;
  builder.add_ground_plane();
  sphere_at(builder, {0, 0, Real(0.5) + apart}, Real(0.5));
  const Model model = builder.finalize();
  CollisionPipeline pipeline(model);
  const Contacts& c = pipeline.collide(model.state());
  ASSERT_EQ(c.rigid_contact_count[0], 1);
  EXPECT_EQ(c.rigid_contact_depth[0], -apart);
}

// Proves that a capsule on a plane suggests its axis as the first direction of friction, whichever was added first, and
// that a sphere suggests none.
TEST(Pipeline, TangentOfACapsuleOnAPlane) {
  for (const bool plane_first : {true, false}) {
    ModelBuilder builder;
    const Quat lying{0, sqrt(Real(0.5)), 0, sqrt(Real(0.5))};  // its axis along x
    if (plane_first) builder.add_ground_plane();
    const int rod = builder.add_body({.xform = {{0, 0, Real(0.1)}, lying}});
    builder.add_shape_capsule(rod, Real(0.1), 1);
    sphere_at(builder, {5, 0, Real(0.1)}, Real(0.1));
    if (!plane_first) builder.add_ground_plane();
    const Model model = builder.finalize();
    CollisionPipeline pipeline(model);
    const Contacts& contacts = pipeline.collide(model.state());
    ASSERT_EQ(contacts.rigid_contact_count[0], 3);
    for (int c = 0; c < 3; ++c) {
      const bool of_rod = model.shape_body[contacts.rigid_contact_shape0[c]] == rod ||
                          model.shape_body[contacts.rigid_contact_shape1[c]] == rod;
      EXPECT_NEAR(contacts.rigid_contact_tangent[c].x, of_rod ? 1 : 0, 1e-6);
      EXPECT_NEAR(length(contacts.rigid_contact_tangent[c]), of_rod ? 1 : 0, 1e-6);
    }
  }
}

// Proves that thickness moves both surfaces outwards.
TEST(Pipeline, ThicknessGrowsShapes) {
  ModelBuilder builder;
  sphere_at(builder, {}, Real(0.5), {.thickness = Real(0.01)});
  sphere_at(builder, {1, 0, 0}, Real(0.5), {.thickness = Real(0.03)});
  const Model model = builder.finalize();
  CollisionPipeline pipeline(model);
  const Contacts& c = pipeline.collide(model.state());
  ASSERT_EQ(c.rigid_contact_count[0], 1);
  EXPECT_NEAR(c.rigid_contact_depth[0], 0.04, 1e-6);
  EXPECT_NEAR(c.rigid_contact_point[0].x, 0.49, 1e-6);  // between 0.51 and 0.47
}

// Proves that a plane with a width or a length is felt over its rectangle or strip alone, far from the origin, too.
TEST(Pipeline, FinitePlanes) {
  for (const Real width : {Real(0), Real(2)})
    for (const Real length : {Real(0), Real(4)})
      for (const Vec3 at :
           {Vec3{0, 0, 0}, Vec3{Real(0.9), Real(1.9), 0}, Vec3{Real(1.2), 0, 0}, Vec3{0, Real(2.2), 0}}) {
        ModelBuilder builder;
        const Vec3 origin{50, -30, 20};
        builder.add_shape_plane(-1, width, length, {.xform = {origin, {}}});
        sphere_at(builder, origin + at + Vec3{0, 0, Real(0.099)}, Real(0.1));
        const Model model = builder.finalize();
        CollisionPipeline pipeline(model);
        const bool over = (width == 0 || at.x < 1) && (length == 0 || at.y < 2);
        EXPECT_EQ(pipeline.collide(model.state()).rigid_contact_count[0], over ? 1 : 0)
            << width << " " << length << " " << at.x << " " << at.y;
      }
}

// Proves that a contact grows older as long as it stays and is new when it comes back.
TEST(Pipeline, AgeCountsTheCallsThatAContactLasted) {
  ModelBuilder builder;
  builder.add_ground_plane();
  for (int w = 0; w < 2; ++w) {
    builder.begin_world();
    sphere_at(builder, {0, 0, Real(0.5)}, Real(0.5));
    builder.end_world();
  }
  const Model model = builder.finalize();
  CollisionPipeline pipeline(model);
  State state = model.state();
  const auto ages = [&] {
    const Contacts& c = pipeline.collide(state);
    return std::vector<int>(c.rigid_contact_age.begin(), c.rigid_contact_age.end());
  };
  EXPECT_EQ(ages(), (std::vector<int>{0, 0}));
  EXPECT_EQ(ages(), (std::vector<int>{1, 1}));
  state.body_q[0].p.z = 5;
  EXPECT_EQ(ages(), (std::vector<int>{2}));
  state.body_q[0].p.z = Real(0.5);
  EXPECT_EQ(ages(), (std::vector<int>{0, 3}));
}

// The same for boxes and spheres that come and go at random in three worlds, few at a time and nearly all at once, with
// ages counted in a map.
TEST(Pipeline, AgesOfContactsThatComeAndGo) {
  SeededRandom random(11);
  constexpr int kBodies = 60;
  ModelBuilder builder;
  builder.add_ground_plane();
  for (int w = 0; w < 3; ++w) {
    builder.begin_world();
    for (int i = 0; i < kBodies; ++i) {
      const int body = builder.add_body({.xform = {{Real(i), 0, Real(0.5)}, {}}});
      if (i % 2) builder.add_shape_sphere(body, Real(0.51));
      else builder.add_shape_box(body, Real(0.51), Real(0.51), Real(0.51));
    }
    builder.end_world();
  }
  const Model model = builder.finalize();
  CollisionPipeline pipeline(model);
  State state = model.state();
  std::map<std::array<int, 3>, int> before;  // by shapes and feature
  for (const int seldom : {1000, 30, 3, 2, 10, 100, 1, 1, 4, 50, 1000}) {
    for (Transform& X : state.body_q)
      if (random.one_in(seldom)) X.p.z = Real(random.one_in(2) ? 0.5 : 5);
    const Contacts& c = pipeline.collide(state);
    std::map<std::array<int, 3>, int> now;
    for (int i = 0; i < c.rigid_contact_count[0]; ++i) {
      const std::array key{c.rigid_contact_shape0[i], c.rigid_contact_shape1[i], c.rigid_contact_feature[i]};
      now[key] = before.contains(key) ? before[key] + 1 : 0;
      EXPECT_EQ(c.rigid_contact_age[i], now[key]) << "contact " << i;
    }
    EXPECT_EQ(static_cast<int>(now.size()), c.rigid_contact_count[0]);
    before = std::move(now);
  }
}

// Proves that a world with too many contacts loses its own alone, and says how many it needed.
TEST(Pipeline, OverflowIsOfOneWorldAndReported) {
  ModelBuilder builder;
  builder.add_ground_plane();
  for (const int spheres : {2, 6, 3}) {
    builder.begin_world();
    for (int i = 0; i < spheres; ++i) sphere_at(builder, {Real(2 * i), 0, Real(0.5)}, Real(0.5));
    builder.end_world();
  }
  const Model model = builder.finalize();
  CollisionPipeline pipeline(model, {.rigid_contact_max = 4});
  const Contacts& c = pipeline.collide(model.state());
  EXPECT_EQ(c.rigid_contact_count[0], 2 + 4 + 3);
  const int needed[] = {2, 6, 3, 0}, status[] = {0, kStatusOverflow, 0, 0};
  for (int s = 0; s < 4; ++s) {
    EXPECT_EQ(pipeline.contacts_needed()[s], needed[s]);
    EXPECT_EQ(pipeline.status()[s], status[s]);
  }
}

// Proves that a pose that is not finite costs its world the shape, is reported, and leaves all other contacts alone.
TEST(Pipeline, PosesThatAreNotFiniteAreReported) {
  ModelBuilder builder;
  builder.add_ground_plane();
  for (int w = 0; w < 3; ++w) {
    builder.begin_world();
    for (int i = 0; i < 2; ++i) sphere_at(builder, {Real(2 * i), 0, Real(0.5)}, Real(0.5));
    builder.end_world();
  }
  const Model model = builder.finalize();
  for (const BroadPhaseMode mode : kModes) {
    CollisionPipeline pipeline(model, {.broad_phase_mode = mode});
    State state = model.state();
    state.body_q[2].p.x = std::numeric_limits<Real>::quiet_NaN();
    state.body_q[5].q.w = std::numeric_limits<Real>::infinity();
    const Contacts& c = pipeline.collide(state);
    EXPECT_EQ(c.rigid_contact_count[0], 4);
    const int status[] = {0, kStatusNotFinite, kStatusNotFinite, 0};
    for (int s = 0; s < 4; ++s) EXPECT_EQ(pipeline.status()[s], status[s]) << broad_phase_mode_name(mode);
  }
}

// Proves that nothing is made of nothing: models without shapes, bodies or worlds.
TEST(Pipeline, EmptyModels) {
  for (const BroadPhaseMode mode : kModes) {
    ModelBuilder builder;
    EXPECT_TRUE(pairs_of(builder.finalize(), mode).empty());
    builder.add_ground_plane();
    EXPECT_TRUE(pairs_of(builder.finalize(), mode).empty());
    builder.begin_world();
    builder.end_world();
    EXPECT_TRUE(pairs_of(builder.finalize(), mode).empty());
  }
}

// Proves that wrong arguments are named.
TEST(Pipeline, WrongArgumentsAreErrors) {
  ModelBuilder builder, other;
  sphere_at(builder, {}, 1);
  const Model model = builder.finalize();
  EXPECT_THROW(CollisionPipeline(model, {.rigid_contact_max_per_pair = 0}), Error);
  EXPECT_THROW(CollisionPipeline(model, {.contacts = ContactRule(2)}), Error);
  EXPECT_THROW(CollisionPipeline(model, {.rigid_contact_max = -1}), Error);
  CollisionPipeline pipeline(model);
  EXPECT_THROW(pipeline.collide(other.finalize().state()), Error);
}

}  // namespace
}  // namespace carom
