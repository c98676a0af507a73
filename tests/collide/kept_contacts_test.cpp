// Contacts that are kept while their shapes have hardly moved against each other: where their points go, when they are
// searched again, and what is forgotten.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backend/tiers.h"
#include "tests/collide/mixed_scene.h"
#include "tests/same_contacts.h"

namespace carom {
namespace {

constexpr Real kKeep = Real(1e-3);
constexpr Real kHalf = Real(0.5), kRadius = Real(0.86602540378443865);  // of a cube
constexpr double kRounding = sizeof(Real) == 4 ? 2e-6 : 1e-14;

// Two boxes are always searched, so cubes are hulls here.
std::shared_ptr<const Mesh> cube_mesh() {
  static const auto mesh = std::make_shared<const Mesh>(make_box_mesh(kHalf, kHalf, kHalf));
  return mesh;
}

// A cube in each world, 1 mm deep in a large box that stands still.
Model cubes(int worlds = 1, Device device = {}) {
  ModelBuilder builder;
  builder.add_shape_box(-1, 5, 4, 1, {.xform = {{0, 0, -1}, {}}});
  for (int w = 0; w < worlds; ++w) {
    builder.begin_world();
    const int body = builder.add_body({.xform = {{Real(0.3), Real(-0.2), kHalf - Real(0.001)}, {}}});
    builder.add_shape_convex_hull(body, cube_mesh());
    builder.end_world();
  }
  return builder.finalize(device);
}
CollisionPipeline keeping(const Model& model, CollisionConfig config = {}) {
  config.keep_distance = kKeep;
  return CollisionPipeline(model, config);
}
Contacts found_anew(const Model& model, const State& state, CollisionConfig config = {}) {
  CollisionPipeline fresh(model, config);
  return fresh.collide(state);
}

// All but ages.
void expect_same_points(const Contacts& a, const Contacts& b) {
  const auto expect = [&](const char* name, auto member) { expect_same_bits(name, a.*member, b.*member); };
  expect("world_start", &Contacts::rigid_contact_world_start);
  expect("shape0", &Contacts::rigid_contact_shape0);
  expect("shape1", &Contacts::rigid_contact_shape1);
  expect("feature", &Contacts::rigid_contact_feature);
  expect("point", &Contacts::rigid_contact_point);
  expect("point0", &Contacts::rigid_contact_point0);
  expect("point1", &Contacts::rigid_contact_point1);
  expect("normal", &Contacts::rigid_contact_normal);
  expect("depth", &Contacts::rigid_contact_depth);
  expect("impact_time", &Contacts::rigid_contact_impact_time);
}
bool same_points(const Contacts& a, const Contacts& b) {
  return a.rigid_contact_point.size() == b.rigid_contact_point.size() &&
         std::equal(a.rigid_contact_point.begin(), a.rigid_contact_point.end(), b.rigid_contact_point.begin(),
                    [](Vec3 p, Vec3 q) { return p == q; });
}

// Proves that kept points go along with the material of either shape, that the normal turns half as far as the shapes
// against each other, and that depths are those along it: closed form.
TEST(KeptContacts, GoAlongWithTheShapes) {
  const Model model = cubes();
  CollisionPipeline pipeline = keeping(model);
  const State state = model.state();
  const Contacts found = pipeline.collide(state);
  ASSERT_EQ(found.rigid_contact_count[0], 4);
  const Transform before = state.body_q[0];
  const Quat turn = quat_from_rotation_vector(Vec3{Real(2e-4), Real(-1e-4), Real(3e-4)});
  const Quat half_turn = quat_from_rotation_vector(Vec3{Real(1e-4), Real(-5e-5), Real(1.5e-4)});
  state.body_q[0] = {before.p + Vec3{Real(3e-4), Real(-2e-4), Real(1e-4)}, turn * before.q};
  const Contacts kept = pipeline.collide(state), searched = found_anew(model, state);
  ASSERT_EQ(kept.rigid_contact_count[0], 4);
  for (int i = 0; i < 4; ++i) {
    const Vec3 n = rotate(half_turn, found.rigid_contact_normal[i]), p = found.rigid_contact_point[i];
    const Vec3 half_gap = found.rigid_contact_normal[i] * (-found.rigid_contact_depth[i] / 2);
    const Vec3 p_a = p - half_gap, p_b = transform_point(state.body_q[0] * inverse(before), p + half_gap);
    EXPECT_LT(length(kept.rigid_contact_point[i] - (p_a + p_b) * Real(0.5)), kRounding);
    EXPECT_LT(length(kept.rigid_contact_normal[i] - n), kRounding);
    EXPECT_NEAR(kept.rigid_contact_depth[i], -dot(n, p_b - p_a), kRounding);
    EXPECT_EQ(kept.rigid_contact_feature[i], found.rigid_contact_feature[i]);
    EXPECT_EQ(kept.rigid_contact_age[i], 1);
  }
  EXPECT_FALSE(same_points(kept, searched));
  EXPECT_EQ(searched.rigid_contact_age[0], 0);
}

// Proves that the depth of kept contacts follows an approach along the normal exactly.
TEST(KeptContacts, DepthFollowsAnApproach) {
  const Model model = cubes();
  CollisionPipeline pipeline = keeping(model);
  const State state = model.state();
  pipeline.collide(state);
  for (const Real lower : {Real(1e-4), Real(4e-4), Real(9.9e-4), Real(-8e-4)}) {
    state.body_q[0].p.z = model.state().body_q[0].p.z - lower;
    const Contacts kept = pipeline.collide(state);
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(kept.rigid_contact_depth[i], 0.001 + lower, kRounding);
  }
}

// Proves that the border is keep_distance, of a way as of a turn about the middle, by which the corners move; and that
// what is found beyond it has the bits of a search.
TEST(KeptContacts, AreFoundAnewBeyondTheDistance) {
  const Model model = cubes();
  const auto turned_by = [](Real chord) {
    return Transform{{}, quat_from_rotation_vector(Vec3{0, 0, 2 * Real(std::asin(chord / kRadius / 2))})};
  };
  struct Move {
    Transform within, beyond;
  };
  const Real little = Real(0.98) * kKeep, much = Real(1.02) * kKeep;
  const Vec3 way{Real(0.6), Real(0.64), Real(0.48)};
  for (const Move& move : {Move{{way * little, {}}, {way * much, {}}}, Move{turned_by(little), turned_by(much)}}) {
    CollisionPipeline pipeline = keeping(model);
    const State state = model.state();
    const Transform start = state.body_q[0];
    const auto place = [&](const Transform& by) {
      state.body_q[0] = {start.p + by.p, by.q * start.q};
      return pipeline.collide(state);
    };
    place({});
    EXPECT_FALSE(same_points(place(move.within), found_anew(model, state)));
    const Contacts moved = place(move.beyond);
    expect_same_points(moved, found_anew(model, state));
    EXPECT_EQ(moved.rigid_contact_age[0], 2) << "the same corners touch";
    EXPECT_FALSE(same_points(place(move.within), found_anew(model, state))) << "kept from there on";
  }
}

// Proves that many small moves do not add up: what counts is where the points were found.
TEST(KeptContacts, DoNotCreep) {
  const Model model = cubes();
  CollisionPipeline pipeline = keeping(model);
  const State state = model.state();
  const Real start = state.body_q[0].p.x;
  std::vector<int> searched;
  for (int k = 0; k < 20; ++k) {
    state.body_q[0].p.x = start + Real(k) * Real(3e-4);
    if (same_points(pipeline.collide(state), found_anew(model, state))) searched.push_back(k);
  }
  EXPECT_EQ(searched, (std::vector<int>{0, 4, 8, 12, 16}));
}

// Proves that a pair that comes apart is searched as soon as one of its points does: no hole is left where a corner was
// lifted, and nothing where all were.
TEST(KeptContacts, ComeApart) {
  ModelBuilder builder;
  const ShapeConfig cfg{.contact_margin = Real(1e-4)};
  builder.add_shape_box(-1, 5, 4, 1, {.xform = {{0, 0, -1}, {}}, .cfg = cfg});
  const int body = builder.add_body({.xform = {{0, 0, kHalf}, {}}});
  builder.add_shape_convex_hull(body, cube_mesh(), {1, 1, 1}, {.cfg = cfg});
  const Model model = builder.finalize();
  CollisionPipeline pipeline = keeping(model);
  const State state = model.state();
  Real aside = 0;
  const auto look = [&](Real height, Real tilt) {
    aside += Real(1e-5);  // points that are kept are not where a search finds them
    state.body_q[0] = {{aside, 0, kHalf + height}, quat_from_rotation_vector(Vec3{0, tilt, 0})};
    const Contacts found = pipeline.collide(state);
    const Contacts fresh = found_anew(model, state);
    return std::pair(found.rigid_contact_count[0], same_points(found, fresh));
  };
  EXPECT_EQ(look(0, 0), std::pair(4, true));
  EXPECT_EQ(look(Real(5e-5), 0), std::pair(4, false));
  EXPECT_EQ(look(Real(1e-4), Real(4e-4)), std::pair(2, true)) << "two corners are lifted";
  EXPECT_EQ(look(Real(5e-5), 0), std::pair(2, false)) << "the others are kept";
  EXPECT_EQ(look(Real(3e-4), 0), std::pair(0, true));
  EXPECT_EQ(look(Real(5e-5), 0), std::pair(4, true));
}

// Shapes of a pile that was shaken: poses of all bodies, each a little off.
void shake(const State& state, SeededRandom& random, double way, double angle) {
  for (Transform& X : state.body_q) {
    const Vec3 dx{Real(random.next()), Real(random.next()), Real(random.next())};
    const Vec3 dw{Real(random.next()), Real(random.next()), Real(random.next())};
    X = {X.p + dx * Real(way), normalize(quat_from_rotation_vector(dw * Real(angle)) * X.q)};
  }
}

// Of each pair of shapes that touch, the greatest depth.
std::map<std::pair<int, int>, Real> depths_of(const Contacts& c) {
  std::map<std::pair<int, int>, Real> deepest;
  for (int i = 0; i < c.rigid_contact_count[0]; ++i) {
    const auto [at, is_new] = deepest.try_emplace({c.rigid_contact_shape0[i], c.rigid_contact_shape1[i]}, Real(-1));
    at->second = std::max(at->second, c.rigid_contact_depth[i]);
  }
  return deepest;
}

// Proves that in random heaps of boxes, hulls and cylinders the depths of kept pairs are off by what the shapes may
// have moved, at most; of overlaps that are less deep than the shapes are thick, and up to the 5 % by which a search
// prefers the normals of faces. Most are kept.
TEST(KeptContacts, AreNearThoseOfASearch) {
  SeededRandom random(21);
  const auto ball = std::make_shared<const Mesh>(make_sphere_mesh(Real(0.2), 1));
  int kept = 0, pairs = 0;
  for (int heap = 0; heap < 20; ++heap) {
    ModelBuilder builder;
    for (int i = 0; i < 30; ++i) {
      const Vec3 p{Real(random.next()), Real(random.next()), Real(random.next())};
      const Quat q{Real(random.next()), Real(random.next()), Real(random.next()), Real(1.1)};
      const int body = builder.add_body({.xform = {p * Real(0.6), normalize(q)}});
      if (i % 3 == 0) builder.add_shape_box(body, Real(0.2), Real(0.15), Real(0.1));
      if (i % 3 == 1) builder.add_shape_convex_hull(body, ball, {1, Real(0.8), Real(0.7)});
      if (i % 3 == 2) builder.add_shape_cylinder(body, Real(0.1), Real(0.15));
    }
    const Model model = builder.finalize();
    CollisionPipeline pipeline = keeping(model);
    const State state = model.state();
    pipeline.collide(state);
    for (int k = 0; k < 3; ++k) {
      shake(state, random, 1e-4, 2e-4);
      const Contacts now = pipeline.collide(state);
      const auto found = depths_of(now), fresh = depths_of(found_anew(model, state));
      for (const auto& [pair, depth] : found) {
        const auto other = fresh.find(pair);
        if (other == fresh.end()) continue;  // within the margin by a hair
        ++pairs;
        kept += depth != other->second;
        if (std::abs(depth) > Real(0.05)) continue;
        EXPECT_NEAR(depth, other->second, 2 * kKeep + Real(0.1) * std::abs(depth))
            << "shapes " << pair.first << " " << pair.second;
      }
    }
  }
  EXPECT_GT(pairs, 1000);
  EXPECT_GT(kept, pairs * 6 / 10);  // but for two boxes
}

// Proves that pairs whose points are as quickly found as kept are found, whatever the distance.
TEST(KeptContacts, QuickPairsAreSearched) {
  ModelBuilder builder;
  builder.add_ground_plane();
  const auto body = [&](Real x, Real height) { return builder.add_body({.xform = {{x, 0, height}, {}}}); };
  builder.add_shape_box(body(0, Real(0.1)), Real(0.1), Real(0.1), Real(0.1));
  builder.add_shape_sphere(body(1, Real(0.1)), Real(0.1));
  builder.add_shape_capsule(body(2, Real(0.2)), Real(0.1), Real(0.1));
  builder.add_shape_sphere(body(2, Real(0.49)), Real(0.1));
  builder.add_shape_box(body(0, Real(0.29)), Real(0.1), Real(0.1), Real(0.1));
  const Model model = builder.finalize();
  CollisionPipeline pipeline = keeping(model);
  const State state = model.state();
  pipeline.collide(state);
  for (Transform& X : state.body_q) X.p.x += Real(1e-4);
  expect_same_points(pipeline.collide(state), found_anew(model, state));
}

// Calls while a random scene is shaken: some pairs are kept, and some are not.
std::vector<Contacts> shaken(const Model& model, CollisionConfig config, const Queue* queue = nullptr) {
  SeededRandom random(5);
  config.keep_distance = Real(0.01);
  CollisionPipeline pipeline(model, config, queue);
  const State state = model.state();
  std::vector<Contacts> calls;
  for (int k = 0; k < 6; ++k) {
    const Contacts c = pipeline.collide(state);
    Contacts copy = c;
    copy.rigid_contact_point = c.rigid_contact_point.clone(), copy.rigid_contact_depth = c.rigid_contact_depth.clone();
    copy.rigid_contact_normal = c.rigid_contact_normal.clone(), copy.rigid_contact_age = c.rigid_contact_age.clone();
    copy.rigid_contact_feature = c.rigid_contact_feature.clone();
    calls.push_back(copy);
    shake(state, random, 2e-3, 5e-3);
  }
  return calls;
}
void expect_same_calls(const std::vector<Contacts>& a, const std::vector<Contacts>& b) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    expect_same_bits("point", a[k].rigid_contact_point, b[k].rigid_contact_point);
    expect_same_bits("normal", a[k].rigid_contact_normal, b[k].rigid_contact_normal);
    expect_same_bits("depth", a[k].rigid_contact_depth, b[k].rigid_contact_depth);
    expect_same_bits("feature", a[k].rigid_contact_feature, b[k].rigid_contact_feature);
    expect_same_bits("age", a[k].rigid_contact_age, b[k].rigid_contact_age);
  }
}

// Proves that threads, tiers and modes of the broad phase change nothing, of shapes of all types, with the points of
// either rule.
TEST(KeptContacts, SameBits) {
  const Model model = mixed_scene::make(5, 6, 20).finalize();
  for (const ContactRule rule : {ContactRule::kCarom, ContactRule::kMujoco}) {
    const std::vector<Contacts> expected = shaken(model, {.broad_phase_mode = BroadPhaseMode::kNxn, .contacts = rule});
    EXPECT_FALSE(same_points(expected[1], expected[2]));
    for (const int threads : {1, 3}) {
      const Queue queue(Device{}, {.threads = threads});
      for (const BroadPhaseMode mode : {BroadPhaseMode::kExplicit, BroadPhaseMode::kTree})
        expect_same_calls(shaken(model, {.broad_phase_mode = mode, .contacts = rule}, &queue), expected);
    }
    const int tier = cpu_tier();
    for (int other = 0; other < cpu_tier_count(); ++other) {
      if (!cpu_tier_supported(other)) continue;
      set_cpu_tier(other);
      expect_same_calls(shaken(model, {.contacts = rule}), expected);
    }
    set_cpu_tier(tier);
  }
}

// Proves that a pair whose contacts a limit cut is searched, so that it has all of them once there is room; and that
// the limit counts kept ones as found ones.
TEST(KeptContacts, LimitOfContacts) {
  ModelBuilder builder;
  builder.add_shape_box(-1, 50, 4, 1, {.xform = {{0, 0, -1}, {}}});
  builder.begin_world();
  for (int i = 0; i < 3; ++i)
    builder.add_shape_convex_hull(builder.add_body({.xform = {{Real(2 * i), 0, kHalf}, {}}}), cube_mesh());
  builder.end_world();
  const Model model = builder.finalize();
  const CollisionConfig limit{.rigid_contact_max = 6};
  CollisionPipeline pipeline = keeping(model, limit);
  const State state = model.state();
  for (int k = 0; k < 2; ++k) {
    EXPECT_EQ(pipeline.collide(state).rigid_contact_count[0], 6);
    EXPECT_EQ(pipeline.contacts_needed()[0], 12);
    EXPECT_EQ(pipeline.status()[0], kStatusOverflow);
  }
  state.body_q[0].p.z = 5;
  EXPECT_EQ(pipeline.collide(state).rigid_contact_count[0], 6) << "4 and 2 ...";
  EXPECT_EQ(pipeline.contacts_needed()[0], 8) << "... of 8";
  state.body_q[2].p.z = 5;
  const Contacts all = pipeline.collide(state);
  EXPECT_EQ(all.rigid_contact_count[0], 4);
  EXPECT_EQ(pipeline.status()[0], 0);
  state.body_q[0].p.z = state.body_q[2].p.z = kHalf;
  state.body_q[1].p.z = 5;
  EXPECT_EQ(pipeline.collide(state).rigid_contact_count[0], 6);
  state.body_q[0].p.z = 5;
  EXPECT_EQ(pipeline.collide(state).rigid_contact_count[0], 4) << "the two that were cut are back";
}

// Proves that contacts of a meeting to come are looked for anew in each call.
TEST(KeptContacts, ThoseAheadAreNot) {
  const Model model = cubes();
  const CollisionConfig ahead{.speculative_time = Real(0.05)};
  CollisionPipeline pipeline = keeping(model, ahead);
  const State state = model.state();
  state.body_q[0].p.z = kHalf + Real(0.5);
  state.body_qd[0].linear = {Real(0.1), 0, -20};
  for (const Real height : {Real(0.5), Real(0.4999), Real(0.4998)}) {
    state.body_q[0].p.z = kHalf + height;
    const Contacts c = pipeline.collide(state);
    ASSERT_EQ(c.rigid_contact_count[0], 4);
    EXPECT_GT(c.rigid_contact_impact_speed[0], 1);
    expect_same_points(c, found_anew(model, state, ahead));
  }
}

// Proves that an edit of a shape makes everything be searched, and ages go on.
TEST(KeptContacts, AnEditForgetsThem) {
  Model model = cubes(2);
  CollisionPipeline pipeline = keeping(model);
  const State state = model.state();
  pipeline.collide(state);
  for (Transform& X : state.body_q) X.p.x += Real(1e-4);
  EXPECT_FALSE(same_points(pipeline.collide(state), found_anew(model, state)));
  const std::shared_ptr<const void> memory = pipeline.remember();
  model.edit([](ModelNumbers& n) { n.shape_contact_margin[1] = Real(0.02); });
  const Contacts edited = pipeline.collide(state);
  expect_same_points(edited, found_anew(model, state));
  EXPECT_EQ(edited.rigid_contact_age[0], 2);
  for (Transform& X : state.body_q) X.p.x += Real(1e-4);
  EXPECT_FALSE(same_points(pipeline.collide(state), found_anew(model, state)));
  pipeline.recall(memory);  // of before the edit
  expect_same_points(pipeline.collide(state), found_anew(model, state));
}

// Proves that a memory that is recalled leads to the bits that it led to before, in the pipeline that it came from and
// in another one, and leaves the arrays that users hold alone.
TEST(KeptContacts, MemoriesAreRecalled) {
  const Model model = mixed_scene::make(7, 6, 20).finalize();
  SeededRandom random(3);
  CollisionPipeline pipeline(model, {.keep_distance = Real(0.01)}), other(model, {.keep_distance = Real(0.01)});
  const State state = model.state();
  pipeline.collide(state);
  shake(state, random, 2e-3, 5e-3);
  pipeline.collide(state);
  const std::shared_ptr<const void> memory = pipeline.remember();
  shake(state, random, 2e-3, 5e-3);
  const Contacts expected = pipeline.collide(state);
  pipeline.recall(memory);
  other.recall(memory);
  const Contacts again = pipeline.collide(state);
  expect_same_contacts(again, expected);
  expect_same_contacts(other.collide(state), expected);
  EXPECT_FALSE(same_points(expected, found_anew(model, state)));
}

// Proves that a world that is forgotten finds its contacts as in a first call, ages and all, and others do not.
TEST(KeptContacts, WorldsAreForgotten) {
  const Model model = cubes(3);
  CollisionPipeline pipeline = keeping(model);
  const State state = model.state();
  pipeline.collide(state);
  for (Transform& X : state.body_q) X.p.x += Real(1e-4);
  const Contacts fresh = found_anew(model, state);
  pipeline.forget(std::vector<std::uint8_t>{0, 1, 0});
  const std::shared_ptr<const void> memory = pipeline.remember();
  const Contacts c = pipeline.collide(state);
  CollisionPipeline other = keeping(model);
  other.recall(memory);
  expect_same_contacts(other.collide(state), c);
  ASSERT_EQ(c.rigid_contact_count[0], 12);
  for (int i = 0; i < 12; ++i) {
    const bool forgotten = i / 4 == 1;
    EXPECT_EQ(c.rigid_contact_age[i], forgotten ? 0 : 1);
    EXPECT_EQ(c.rigid_contact_point[i] == fresh.rigid_contact_point[i], forgotten) << i;
  }
  EXPECT_EQ(pipeline.collide(state).rigid_contact_age[4], 1);
  pipeline.forget();
  expect_same_contacts(pipeline.collide(state), fresh);
}

// Proves that worlds that are left out keep nothing, and that the others do.
TEST(KeptContacts, WorldsThatAreLeftOut) {
  const Model model = cubes(2);
  CollisionPipeline pipeline = keeping(model);
  const State state = model.state();
  pipeline.collide(state);
  pipeline.set_active(std::vector<std::uint8_t>{0, 1});
  for (Transform& X : state.body_q) X.p.x += Real(1e-4);
  EXPECT_EQ(pipeline.collide(state).rigid_contact_count[0], 4);
  pipeline.set_active({});
  const Contacts c = pipeline.collide(state), fresh = found_anew(model, state);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(c.rigid_contact_point[i] == fresh.rigid_contact_point[i], i < 4) << i;
}

std::string message_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// Proves that what cannot be is refused by its name.
TEST(KeptContacts, WrongArgumentsAreErrors) {
  const Model model = cubes(), other = cubes();
  for (const Real distance : {Real(-1), Real(NAN), Real(INFINITY)})
    EXPECT_NE(message_of([&] {
                CollisionPipeline(model, {.keep_distance = distance});
              }).find("keep_distance must be finite and not negative"),
              std::string::npos);
  CollisionPipeline pipeline = keeping(model);
  const auto refusal = [&](const CollisionPipeline& from) {
    return message_of([&] { pipeline.recall(from.remember()); });
  };
  EXPECT_EQ(refusal(keeping(model)), "no error");
  EXPECT_EQ(refusal(keeping(other)), "collision pipeline: recall: the memory belongs to another model");
  const std::pair<CollisionConfig, const char*> configs[] = {
      {{}, "keep_distance 0, this one has"},
      {{.contacts = ContactRule::kMujoco, .keep_distance = kKeep}, "contacts mujoco, this one has carom"},
      {{.rigid_contact_max = 7, .keep_distance = kKeep}, "rigid_contact_max 7, this one has 0"},
      {{.rigid_contact_max_per_pair = 2, .keep_distance = kKeep}, "rigid_contact_max_per_pair 2, this one has 10"}};
  for (const auto& [config, words] : configs)
    EXPECT_NE(refusal(CollisionPipeline(model, config)).find(words), std::string::npos) << words;
  const auto recall = [&](const std::shared_ptr<const void>& memory) {
    return message_of([&] { pipeline.recall(memory); });
  };
  const std::string not_ours = "collision pipeline: recall: the memory is not that of a collision pipeline";
  EXPECT_EQ(recall(nullptr), not_ours);
  EXPECT_EQ(recall(SolverXPBD(model).remember()), not_ours);
  EXPECT_NE(message_of([&] { pipeline.forget(std::vector<std::uint8_t>(7, 1)); }).find("forget"), std::string::npos);
}

// Proves that a GPU keeps the same contacts with the same bits, from call to call.
TEST(KeptContacts, CudaEqualsTheCpu) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "NOT RUN ON CUDA: this build or machine has no CUDA device";
  const ModelBuilder builder = mixed_scene::make(5, 12, 30);
  const Model on_cpu = builder.finalize(), on_gpu = builder.finalize(Device::parse("cuda"));
  for (const ContactRule rule : {ContactRule::kCarom, ContactRule::kMujoco}) {
    SeededRandom random(5);
    const CollisionConfig config{.contacts = rule, .keep_distance = Real(0.01)};
    CollisionPipeline expected(on_cpu, config), found(on_gpu, config);
    const State here = on_cpu.state(), there = on_gpu.state();
    for (int k = 0; k < 12; ++k) {
      if (k == 6) {
        const std::vector<std::uint8_t> mask{1, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 1};
        expected.forget(mask), found.forget(mask);
      }
      if (k == 9) expected.recall(expected.remember()), found.recall(found.remember());
      const Contacts of_cpu = expected.collide(here);
      expect_same_results(expected, of_cpu, found, found.collide(there));
      shake(here, random, 2e-3, 5e-3);
      there.body_q.assign(here.body_q);
    }
  }
}

}  // namespace
}  // namespace carom
