// Inverse and forward dynamics and the mass matrix in many worlds: each world for itself, with the same bits however
// the work is split; edits are seen, and what they cannot be asked is refused by name.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "alloc_counter.h"
#include "carom/dynamics.h"
#include "tests/dynamics/random_trees.h"

namespace carom {
namespace {

// All that there is to work out of a state.
struct Answers {
  Array<Real> joint_f, joint_qdd;
  MassMatrix mass_matrix;
};
Answers answers(const Model& model, const State& state, const Array<Real>& given, const Queue* queue = nullptr) {
  const Dynamics dynamics = make_dynamics(model);
  Answers a{Array<Real>(model.joint_dof_count), Array<Real>(model.joint_dof_count), make_mass_matrix(model)};
  eval_inverse_dynamics(model, state, given, a.joint_f, &dynamics, queue);
  eval_forward_dynamics(model, state, given, a.joint_qdd, &dynamics, queue);
  eval_mass_matrix(model, state, a.mass_matrix, &dynamics, queue);
  return a;
}
void expect_same_bits(const Array<Real>& a, const Array<Real>& b, const char* what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.bytes()), 0) << what;
}
void expect_same_bits(const Answers& a, const Answers& b) {
  expect_same_bits(a.joint_f, b.joint_f, "joint_f");
  expect_same_bits(a.joint_qdd, b.joint_qdd, "joint_qdd");
  expect_same_bits(a.mass_matrix.values, b.mass_matrix.values, "mass matrix");
}

// Worlds of four structures in turn, the last one empty of joints that move; and a state of them.
struct Worlds {
  static constexpr int kKinds = 4, kCount = 61;
  Model model;
  State state;
  Array<Real> given;  // one number for each degree of freedom

  explicit Worlds(unsigned seed) {
    SeededRandom random(seed);
    ModelBuilder kinds[kKinds];
    for (int kind = 0; kind < kKinds - 1; ++kind) kinds[kind] = random_trees::bodies(random, 3 + 4 * kind);
    kinds[kKinds - 1].add_joint_fixed(-1, kinds[kKinds - 1].add_link({.mass = 1}));
    ModelBuilder builder;
    for (int w = 0; w < kCount; ++w) builder.add_world(kinds[w % kKinds]);
    model = builder.finalize();
    state = model.state();
    random_trees::randomize(model, state, random);
    given = random_trees::random_dofs(model, random);
  }
};

// Proves that threads, lanes and tiers change no bit.
TEST(DynamicsOfWorlds, SameBitsHoweverTheWorkIsSplit) {
  const Worlds worlds(3);
  const Answers expected = answers(worlds.model, worlds.state, worlds.given);
  const int chosen = cpu_tier();
  for (int tier = 0; tier < cpu_tier_count(); ++tier) {
    if (!cpu_tier_supported(tier)) continue;
    set_cpu_tier(tier);
    SCOPED_TRACE(cpu_tier_name(tier));
    for (const QueueConfig& config : {QueueConfig{1, 1}, QueueConfig{1, 0}, QueueConfig{3, 0}}) {
      const Queue queue({}, config);
      expect_same_bits(answers(worlds.model, worlds.state, worlds.given, &queue), expected);
    }
  }
  set_cpu_tier(chosen);
}

// Proves that a world has the same answer alone as among others, wherever it stands.
TEST(DynamicsOfWorlds, WorldsDoNotKnowOfEachOther) {
  SeededRandom random(5);
  const ModelBuilder robot = random_trees::bodies(random, 9), other = random_trees::bodies(random, 4);
  ModelBuilder alone, among;
  alone.add_world(robot);
  for (int w = 0; w < 20; ++w) among.add_world(w == 13 ? robot : w % 2 ? other : random_trees::bodies(random, 2));
  const Model one = alone.finalize(), many = among.finalize();
  const State of_one = one.state(), of_many = many.state();
  random_trees::randomize(one, of_one, random);
  random_trees::randomize(many, of_many, random);
  const Array<Real> given = random_trees::random_dofs(one, random), all = random_trees::random_dofs(many, random);
  const auto begin = [&](Entity entity) { return many.layout->start[static_cast<int>(entity)][13]; };
  const int q = begin(Entity::kJointCoord), qd = begin(Entity::kJointDof), body = begin(Entity::kBody);
  std::copy(of_one.joint_q.begin(), of_one.joint_q.end(), of_many.joint_q.data() + q);
  std::copy(of_one.joint_qd.begin(), of_one.joint_qd.end(), of_many.joint_qd.data() + qd);
  std::copy(of_one.body_f.begin(), of_one.body_f.end(), of_many.body_f.data() + body);
  std::copy(given.begin(), given.end(), all.data() + qd);
  const Answers a = answers(one, of_one, given), b = answers(many, of_many, all);
  expect_same_bits(a.joint_f, b.joint_f.slice(qd, qd + one.joint_dof_count), "joint_f");
  expect_same_bits(a.joint_qdd, b.joint_qdd.slice(qd, qd + one.joint_dof_count), "joint_qdd");
  expect_same_bits(a.mass_matrix.world(0), b.mass_matrix.world(13), "mass matrix");
}

// A model without worlds has one matrix.
TEST(DynamicsOfWorlds, ModelWithoutWorlds) {
  SeededRandom random(6);
  const ModelBuilder robot = random_trees::bodies(random, 6);
  ModelBuilder builder;
  builder.add_world(robot);
  const Model in_world = builder.finalize(), bare = robot.finalize();
  const auto matrix_of = [](const Model& model) {
    const MassMatrix matrix = make_mass_matrix(model);
    eval_mass_matrix(model, model.state(), matrix);
    return matrix.world(model.world_count - 1);
  };
  expect_same_bits(matrix_of(bare), matrix_of(in_world), "mass matrix");
}

// Poses that were written count as coordinates, as for everybody who reads a state.
TEST(DynamicsOfWorlds, WrittenPosesCount) {
  ModelBuilder builder;
  builder.add_world([] {
    ModelBuilder world;
    const int bob = world.add_link({.com = {0, 0, -1}, .inertia = mat33_identity<Real>(), .mass = 1});
    world.add_joint_revolute(-1, bob, {.axis = {0, -1, 0}});
    return world;
  }());
  const Model model = builder.finalize();
  const State state = model.state();
  state.body_q[0] = {{}, quat_from_axis_angle(Vec3{0, -1, 0}, Real(0.5))};
  const Array<Real> zero(1), force(1);
  eval_inverse_dynamics(model, state, zero, force);
  EXPECT_NEAR(force[0], 9.81 * std::sin(0.5), 1e-5);
}

// An edit is seen by Dynamics that were made before: the answers are those of a model that was built so.
TEST(DynamicsOfWorlds, EditsAreSeen) {
  const Worlds worlds(8), edited(8);
  const Dynamics dynamics = make_dynamics(edited.model);
  const Array<Real> joint_f(edited.model.joint_dof_count);
  const auto run = [&] { eval_inverse_dynamics(edited.model, edited.state, edited.given, joint_f, &dynamics); };
  run();
  edited.model.edit([](ModelNumbers& n) {
    n.body_mass[2] = 7;
    n.gravity[5] = {1, 2, 3};
    n.joint_armature[0] = 3;
  });
  run();
  EXPECT_NE(
      std::memcmp(joint_f.data(), answers(worlds.model, worlds.state, worlds.given).joint_f.data(), joint_f.bytes()),
      0);
  expect_same_bits(joint_f, answers(edited.model, edited.state, edited.given).joint_f, "joint_f");
}

// Calls with a Dynamics take no memory once they have run.
TEST(DynamicsOfWorlds, NoAllocationAfterWarmUp) {
  if (!testing::counts_allocations()) GTEST_SKIP() << "allocations cannot be counted under a sanitizer";
  const Worlds worlds(9);
  const Dynamics dynamics = make_dynamics(worlds.model);
  const MassMatrix matrix = make_mass_matrix(worlds.model);
  const Array<Real> force(worlds.model.joint_dof_count), qdd(worlds.model.joint_dof_count);
  const auto run = [&] {
    eval_inverse_dynamics(worlds.model, worlds.state, worlds.given, force, &dynamics);
    eval_forward_dynamics(worlds.model, worlds.state, force, qdd, &dynamics);
    eval_mass_matrix(worlds.model, worlds.state, matrix, &dynamics);
  };
  run();
  EXPECT_EQ(testing::allocations_in([&] {
              for (int i = 0; i < 10; ++i) run();
            }),
            0);
}

// -- What is refused.

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}
void expect_error(const std::function<void()>& call, const std::string& part) {
  const std::string message = message_of(call);
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

// Arrays of a wrong size, and parts of another model, are named.
TEST(DynamicsOfWorlds, WrongArguments) {
  const Worlds worlds(10), others(10);
  const Model& model = worlds.model;
  const State& state = worlds.state;
  const Array<Real> right(model.joint_dof_count), wrong(model.joint_dof_count + 1);
  const Dynamics foreign = make_dynamics(others.model), none;
  const MassMatrix matrix = make_mass_matrix(model), foreign_matrix = make_mass_matrix(others.model);
  expect_error([&] { eval_inverse_dynamics(model, state, wrong, right); }, "eval_inverse_dynamics: joint_qdd has");
  expect_error([&] { eval_inverse_dynamics(model, state, right, wrong); }, "eval_inverse_dynamics: joint_f has");
  expect_error([&] { eval_forward_dynamics(model, state, wrong, right); }, "eval_forward_dynamics: joint_f has");
  expect_error([&] { eval_forward_dynamics(model, state, right, wrong); }, "eval_forward_dynamics: joint_qdd has");
  expect_error([&] { eval_inverse_dynamics(model, others.state, right, right); }, "state belongs to another model");
  expect_error([&] { eval_forward_dynamics(model, others.state, right, right); }, "state belongs to another model");
  expect_error([&] { eval_mass_matrix(model, others.state, matrix); }, "state belongs to another model");
  expect_error([&] { eval_inverse_dynamics(model, state, right, right, &foreign); }, "dynamics belongs to another");
  expect_error([&] { eval_inverse_dynamics(model, state, right, right, &none); }, "make_dynamics()");
  expect_error([&] { eval_mass_matrix(model, state, foreign_matrix); }, "mass_matrix belongs to another model");
  expect_error([&] { eval_mass_matrix(model, state, MassMatrix{}); }, "mass_matrix belongs to no model");
  expect_error([&] { static_cast<void>(matrix.world(Worlds::kCount)); }, "does not exist");
  expect_error([&] { static_cast<void>(matrix.world(-2)); }, "does not exist");
}

// What is no tree of joints of one world is named.
TEST(DynamicsOfWorlds, NoTrees) {
  ModelBuilder global;
  global.add_body({.mass = 1, .key = "moon"});
  global.begin_world();
  global.add_body({.mass = 1});
  global.end_world();
  const Model with_global = global.finalize();
  expect_error([&] { make_dynamics(with_global); }, "'moon' is global");
  expect_error([&] { make_mass_matrix(with_global); }, "'moon' is global");

  ModelBuilder loose;
  loose.add_link({.mass = 1, .key = "stone"});
  const Model with_loose = loose.finalize();
  expect_error([&] { make_dynamics(with_loose); }, "'stone' has no joint");

  ModelBuilder hung;
  const int ship = hung.add_body({.mass = 1}), boat = hung.add_link({.mass = 1});
  hung.add_joint_free(boat, ship, {.key = "rope"});
  const Model with_hung = hung.finalize();
  expect_error([&] { make_dynamics(with_hung); }, "'rope'");
}

// A tendon's inertia is not in the equations, and a loop has no place in forward dynamics: both are named, and an
// equality constraint may be switched off.
TEST(DynamicsOfWorlds, TendonsAndLoops) {
  ModelBuilder builder;
  builder.begin_world();
  const int a = builder.add_link({.inertia = mat33_identity<Real>(), .mass = 1}),
            b = builder.add_link({.inertia = mat33_identity<Real>(), .mass = 1});
  const int hinge = builder.add_joint_revolute(-1, a, {.axis = {0, 1, 0}});
  builder.add_joint_revolute(a, b, {.axis = {0, 1, 0}});
  builder.add_tendon_fixed({{hinge, 1}}, {}, "string");
  builder.add_equality_constraint_connect(b, -1, {}, {.key = "bar"});
  builder.end_world();
  const Model model = builder.finalize();
  const State state = model.state();
  const Array<Real> force(2), qdd(2);
  expect_error([&] { eval_forward_dynamics(model, state, force, qdd); }, "'bar'");
  EXPECT_EQ(message_of([&] { eval_inverse_dynamics(model, state, qdd, force); }), "no error");
  const Dynamics dynamics = make_dynamics(model);
  model.edit([](ModelNumbers& n) { n.equality_constraint_enabled[0] = 0; });
  EXPECT_EQ(message_of([&] { eval_forward_dynamics(model, state, force, qdd, &dynamics); }), "no error");
  model.edit([](ModelNumbers& n) { n.tendon_armature[0] = 1; });
  expect_error([&] { eval_inverse_dynamics(model, state, qdd, force, &dynamics); }, "'string' has an armature");
}

}  // namespace
}  // namespace carom
