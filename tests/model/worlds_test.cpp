// The contract of worlds: grouping arrays, start arrays, copies, views and masks.
#include <gtest/gtest.h>

#include <cstring>

#include "carom/carom.h"
#include "scenes/scenes.h"

namespace carom {
namespace {

std::vector<int> values(const Array<int>& array) { return {array.begin(), array.end()}; }
using Ints = std::vector<int>;

// The documented example has the documented arrays.
TEST(Worlds, SeedExample) {
  const Model model = scenes::two_worlds().finalize();
  EXPECT_EQ(model.world_count, 2);
  EXPECT_EQ(values(model.shape_world), (Ints{-1, 0, 0, 1, 1, -1}));
  EXPECT_EQ(values(model.shape_world_start), (Ints{1, 3, 5, 6}));
  EXPECT_EQ(values(model.body_world), (Ints{0, 0, 1, 1}));
  EXPECT_EQ(values(model.joint_world), (Ints{0, 0, 1, 1}));
  EXPECT_EQ(values(model.joint_dof_world_start), (Ints{0, 12, 19, 19}));
  EXPECT_EQ(values(model.joint_coord_world_start), (Ints{0, 14, 22, 22}));
  EXPECT_EQ(values(model.joint_constraint_world_start), (Ints{0, 0, 5, 5}));
  EXPECT_EQ(values(model.articulation_world_start), (Ints{0, 2, 3, 3}));

  const Ints start = values(model.shape_world_start);
  Ints counts;
  for (int i = 0; i < model.world_count; ++i) counts.push_back(start[i + 1] - start[i]);
  EXPECT_EQ(counts, (Ints{2, 2}));
  EXPECT_EQ(start.back() - start[start.size() - 2] + start.front(), 2);
}

// A joint outside any articulation joins the tree of the joint it hangs on.
TEST(Worlds, LooseJointBelongsToTheTreeItHangsOn) {
  const Model model = scenes::two_worlds().finalize();
  ASSERT_EQ(model.archetypes.size(), 2u);
  EXPECT_EQ(model.archetypes[0].tree_count, 2);
  EXPECT_EQ(model.archetypes[1].tree_count, 1);
  EXPECT_EQ(model.archetypes[1].tree_of_joint, (Ints{0, 0}));
  EXPECT_EQ(model.joint_articulation[3], -1);
}

// Globals at the front and at the back of every kind of entity, three worlds between (Newton's test_model layout).
TEST(Worlds, StartsWithGlobalsOnBothSides) {
  ModelBuilder builder;
  builder.add_particle({}, {}, 1);
  builder.add_link();
  for (int w = 0; w < 3; ++w) {
    builder.begin_world();
    for (int i = 0; i < 2; ++i) builder.add_particle({}, {}, 1);
    for (int i = 0; i < 3; ++i) builder.add_link();
    builder.end_world();
  }
  for (int i = 0; i < 2; ++i) builder.add_particle({}, {}, 1);
  for (int i = 0; i < 2; ++i) builder.add_link();
  const Model model = builder.finalize();
  EXPECT_EQ(values(model.particle_world_start), (Ints{1, 3, 5, 7, 9}));
  EXPECT_EQ(values(model.body_world_start), (Ints{1, 4, 7, 10, 12}));
  EXPECT_EQ(values(model.joint_world_start), (Ints{0, 0, 0, 0, 0}));
}

// Two two-body worlds with hinges and one free global body (Newton's test_model numbers).
TEST(Worlds, StartsOfDofsCoordinatesAndConstraints) {
  ModelBuilder builder;
  for (int w = 0; w < 2; ++w) {
    builder.begin_world();
    const int a = builder.add_link(), b = builder.add_link();
    const int j0 = builder.add_joint_revolute(-1, a), j1 = builder.add_joint_revolute(a, b);
    builder.add_articulation({j0, j1});
    builder.end_world();
  }
  builder.add_body();
  const Model model = builder.finalize();
  EXPECT_EQ(values(model.body_world_start), (Ints{0, 2, 4, 5}));
  EXPECT_EQ(values(model.joint_dof_world_start), (Ints{0, 2, 4, 10}));
  EXPECT_EQ(values(model.joint_coord_world_start), (Ints{0, 2, 4, 11}));
  EXPECT_EQ(values(model.joint_constraint_world_start), (Ints{0, 10, 20, 20}));
  EXPECT_EQ(values(model.articulation_world_start), (Ints{0, 1, 2, 3}));
}

// A model without worlds is all global; an empty world is a world.
TEST(Worlds, NoWorldsAndEmptyWorlds) {
  ModelBuilder builder;
  builder.add_body();
  EXPECT_EQ(values(builder.finalize().body_world_start), (Ints{0, 1}));
  EXPECT_EQ(builder.finalize().world_count, 0);

  ModelBuilder sparse;
  sparse.begin_world("empty");
  sparse.end_world();
  sparse.begin_world();
  sparse.add_body();
  sparse.end_world();
  sparse.begin_world();
  sparse.end_world();
  const Model model = sparse.finalize();
  EXPECT_EQ(model.world_count, 3);
  EXPECT_EQ(values(model.body_world_start), (Ints{0, 0, 1, 1, 1}));
  EXPECT_EQ(model.find_world("empty"), 0);
  EXPECT_EQ(ModelBuilder().finalize().world_count, 0);
}

// Every column of both models has the same bytes.
void expect_equal_models(const Model& a, const Model& b) {
  visit_columns([&](const ColumnInfo& info, auto get) {
    const auto &x = get(a), &y = get(b);
    ASSERT_EQ(x.size(), y.size()) << info.name;
    if (x.size() > 0) {
      EXPECT_EQ(std::memcmp(x.data(), y.data(), x.bytes()), 0) << info.name;
    }
  });
}

// replicate() is add_world() repeated, bit for bit.
TEST(Worlds, ReplicateIsRepeatedAddWorld) {
  const ModelBuilder walker = scenes::walker();
  ModelBuilder once, many;
  once.add_ground_plane();
  many.add_ground_plane();
  once.replicate(walker, 7);
  for (int i = 0; i < 7; ++i) many.add_world(walker);
  expect_equal_models(once.finalize(), many.finalize());
}

// Copies in one grid are apart by the spacing, and only what stands in the world is moved.
TEST(Worlds, ReplicateWithSpacing) {
  ModelBuilder unit;
  const int body = unit.add_body();
  unit.add_shape_sphere(body, 1);
  unit.add_shape_box(-1);
  ModelBuilder builder;
  builder.replicate(unit, 4, {2, 3, 0});
  const Model model = builder.finalize();
  EXPECT_EQ(model.body_q[0].p, (Vec3{-1, Real(-1.5), 0}));
  EXPECT_EQ(model.body_q[3].p, (Vec3{1, Real(1.5), 0}));
  EXPECT_EQ(model.joint_q[7 * 3], 1);
  EXPECT_EQ(model.shape_transform[6].p, Vec3{});                   // on the body: not moved
  EXPECT_EQ(model.shape_transform[7].p, (Vec3{1, Real(1.5), 0}));  // on the world: moved
}

// Worlds of equal structure share an archetype whatever their numbers; others do not.
TEST(Worlds, Archetypes) {
  ModelBuilder builder;
  builder.add_ground_plane();
  for (int i = 0; i < 12; ++i) {
    ModelBuilder chain = scenes::chain(2 + i % 3);
    builder.add_world(chain);
  }
  const Model model = builder.finalize();
  ASSERT_EQ(model.archetypes.size(), 3u);
  EXPECT_EQ(model.archetypes[1].world_list, (Ints{1, 4, 7, 10}));
  EXPECT_EQ(model.archetypes[2].tree_joints.size(), 4u);
}

// Keys are found per world; unnamed entities are called by their kind and number.
TEST(Worlds, KeysAndLookup) {
  ModelBuilder builder;
  builder.add_ground_plane(0, {.key = "ground"});
  builder.replicate(scenes::walker(), 3);
  const Model model = builder.finalize();
  EXPECT_EQ(model.find_shape("ground"), 0);
  EXPECT_EQ(model.find_body("head", 2), 2 * 20 + 1);
  EXPECT_EQ(model.key(Entity::kBody, 41), "head");
  EXPECT_THROW(model.find_body("head"), Error);
  EXPECT_THROW(model.find_body("tail"), Error);
  EXPECT_EQ(model.find_world("world_1"), 1);
  EXPECT_EQ(model.find_articulation("walker", 1), 1);

  const Model two = scenes::two_worlds().finalize();
  EXPECT_EQ(two.key(Entity::kShape, 3), "shape_0");
  EXPECT_EQ(two.find_shape("shape_1", 1), 4);
  EXPECT_EQ(two.find_world("hinge"), 1);
}

// A world's view shares the model's memory.
TEST(Worlds, Views) {
  const Model model = scenes::two_worlds().finalize();
  const ModelColumns<Array> hinge = model.world(1);
  EXPECT_EQ(hinge.body_mass.size(), 2);
  EXPECT_EQ(hinge.body_mass.data(), model.body_mass.data() + 2);
  const State state = model.state();
  state.world(1).body_q[0].p.x = 5;
  EXPECT_EQ(state.body_q[2].p.x, 5);
  EXPECT_THROW(model.world(2), Error);
  EXPECT_THROW(state.world(-1), Error);
}

// Masks choose worlds: reset and copy touch these alone.
TEST(Worlds, Masks) {
  ModelBuilder builder;
  builder.replicate(scenes::cart_pole(), 3);
  builder.add_body({.key = "global"});
  const Model model = builder.finalize();
  State moved = model.state();
  for (Real& q : moved.joint_q) q = 7;
  State state = moved.clone();
  const std::uint8_t middle[] = {0, 1, 0};
  model.reset(state, middle);
  for (int i = 0; i < model.joint_coord_count; ++i)
    EXPECT_EQ(state.joint_q[i], i >= 3 && i < 6 ? model.joint_q[i] : 7) << i;
  const std::uint8_t globals[] = {0, 0, 0, 1};
  model.reset(state, globals);
  EXPECT_EQ(state.joint_q[9], model.joint_q[9]);
  EXPECT_EQ(state.joint_q[0], 7);
  const std::uint8_t wrong[] = {1, 1};
  EXPECT_THROW(state.copy_worlds(moved, wrong), Error);
  model.reset(state);
  EXPECT_EQ(state.joint_q[0], 0);
}

// The chosen worlds are read into a state of their own.
TEST(Worlds, ReadChosenWorlds) {
  ModelBuilder builder;
  builder.add_body({.key = "global"});
  builder.add_world(scenes::chain(2));
  builder.add_world(scenes::cart_pole());
  builder.add_world(scenes::chain(3));
  const Model model = builder.finalize();
  const State state = model.state();
  for (int i = 0; i < model.joint_coord_count; ++i) state.joint_q[i] = Real(i);
  const std::uint8_t ends[] = {1, 0, 1};
  const State chosen = state.read_worlds(ends);
  EXPECT_EQ(std::vector<Real>(chosen.joint_q.begin(), chosen.joint_q.end()), (std::vector<Real>{7, 8, 12, 13, 14}));
  EXPECT_EQ(chosen.world(1).joint_q.size(), 3);
  EXPECT_EQ(chosen.body_q.size(), 5);
  chosen.joint_q[0] = 99;
  EXPECT_EQ(state.joint_q[7], 7);
  EXPECT_THROW(state.read_worlds(std::vector<std::uint8_t>(2, 1)), Error);
  EXPECT_EQ(model.num_bodies(), model.body_count);
}

// Gravity is per world.
TEST(Worlds, Gravity) {
  ModelBuilder builder;
  builder.begin_world("earth");
  builder.end_world();
  builder.begin_world("moon", Vec3{0, 0, Real(-1.62)});
  builder.end_world();
  const Model model = builder.finalize();
  ASSERT_EQ(model.gravity.size(), 3);
  EXPECT_EQ(model.gravity[0].z, Real(-9.81));
  EXPECT_EQ(model.gravity[1].z, Real(-1.62));
  model.set_gravity({1, 0, 0}, 0);
  EXPECT_EQ(model.gravity[0].x, 1);
  EXPECT_EQ(model.gravity[1].x, 0);
}

// Every column is walked: the struct has no member that visit_columns() does not know.
template <class T>
struct Byte {
  char c;
};
TEST(Columns, AllAreVisited) {
  std::size_t visited = 0;
  visit_columns([&](const ColumnInfo&, auto) { ++visited; });
  EXPECT_EQ(visited, sizeof(ModelColumns<Byte>));
}

}  // namespace
}  // namespace carom
