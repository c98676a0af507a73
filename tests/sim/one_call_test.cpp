// Several steps in one call, sent as a whole and looked at once: the same bits as step by step, also when contacts come
// to need more room in the middle of a call, which is then made again. On a GPU such a call is one graph. A CPU, which
// makes room on the way, is told to keep rooms as a GPU does.
#include <gtest/gtest.h>

#include "backend/cuda/cuda_backend.h"
#include "collide/rooms.h"
#include "tests/same_contacts.h"
#include "tests/sim/step_scenes.h"

namespace carom {
namespace {

constexpr int kWorlds = 16, kBalls = 14;
constexpr Real kDt = Real(1) / 240;

// A few balls at rest, many that reach the ground in different steps of the first call of 25 steps, as many that do so
// later, and a pendulum.
ModelBuilder falling_balls() {
  ModelBuilder builder;
  const auto add_ball = [&](int i, Real clearance) {
    const Transform X{{Real(i % 16), Real(i / 16), Real(0.1) + clearance}, {}};
    builder.add_shape_sphere(builder.add_body({.xform = X}), Real(0.1));
  };
  int ball = 0;
  for (int i = 0; i < 2; ++i) add_ball(ball++, Real(-0.001));
  for (int i = 0; i < kBalls; ++i) add_ball(ball++, Real(0.02) + Real(0.002) * Real(i));
  for (int i = 0; i < kBalls; ++i) add_ball(ball++, Real(0.3) + Real(0.005) * Real(i));
  const int bob = builder.add_link({.mass = 1});
  builder.add_shape_sphere(bob, Real(0.1), {.xform = step_scenes::at(0, 0, -1)});
  builder.add_articulation({builder.add_joint_revolute(-1, bob, {}, {.parent_xform = step_scenes::at(-3, 0, 3)})});
  return builder;
}

Model make_model(Device device) {
  ModelBuilder builder;
  builder.add_ground_plane();
  for (int world = 0; world < kWorlds; ++world) builder.add_world(falling_balls());
  return builder.finalize(device);
}

// Where the bob of a pendulum cannot be, in one of the worlds: reported by the first step alone.
void write_bob(const Simulation& simulation, int world) {
  const std::vector<int>& start = simulation.model().layout->start[static_cast<int>(Entity::kBody)];
  const Array<Transform> bob = simulation.state().body_q.slice(start[world + 1] - 1, start[world + 1]);
  Array<Transform> moved = bob.clone().on_cpu();
  moved[0].p = moved[0].p + Vec3{0, 0, 1};
  bob.assign(moved);
}

void expect_same(const Simulation& a, const Simulation& b) {
  const State &of_a = a.state(), &of_b = b.state();
  visit_state([&](const char* name, Entity, auto get) { expect_same_bits(name, get(of_a), get(of_b)); });
  visit_aligned([&](const char* name, Entity, auto get) { expect_same_bits(name, get(of_a), get(of_b)); });
  expect_same_contacts(a.contacts(), b.contacts());
}

// Against steps one by one on the CPU. Returns the contacts after each call.
std::vector<int> expect_same_as_single_steps(Simulation& whole) {
  const Model model = make_model(Device{});
  Simulation single(model, "mujoco", kDt);
  std::vector<int> contacts;
  for (const int steps : {25, 1, 2, 3, 70, 10, 10, 10, 10}) {
    SCOPED_TRACE(::testing::Message() << "after " << single.steps() << " steps, " << steps << " in one call");
    for (Simulation* simulation : {&single, &whole}) write_bob(*simulation, 2);
    std::vector<std::int32_t> status(kWorlds);
    for (int i = 0; i < steps; ++i) {
      single.step();
      for (int world = 0; world < kWorlds; ++world) status[world] |= single.status()[world];
    }
    const Array<std::int32_t> of_whole = whole.step(steps).on_cpu();
    for (int world = 0; world < kWorlds; ++world) {
      EXPECT_EQ(of_whole[world], status[world]) << "world " << world;
      EXPECT_EQ(status[world], world == 2 ? kStatusPoseNotKept : 0);
    }
    expect_same(single, whole);
    if (::testing::Test::HasFailure()) break;
    contacts.push_back(static_cast<int>(whole.contacts().rigid_contact_shape0.size()));
  }
  return contacts;
}

// Far beyond the room that there was at first, and then again.
void expect_growth(const std::vector<int>& contacts) {
  ASSERT_GE(contacts.size(), 5u);
  EXPECT_GT(contacts[0], 200);
  EXPECT_GT(contacts[4], 400);
}

// Proves that a call which lacked room is made again from where it began: states, ages, forces and status.
TEST(OneCall, RoomGrowsInTheMiddle) {
  const Model model = make_model(Device{});
  Rooms::keep_on_cpu(true);
  Simulation whole(model, "mujoco", kDt);
  Rooms::keep_on_cpu(false);
  EXPECT_EQ(whole.contacts().rigid_contact_shape0.size(), 2 * kWorlds);
  expect_growth(expect_same_as_single_steps(whole));
}

// Proves the same where room is made on the way.
TEST(OneCall, SameBitsAsSingleSteps) {
  const Model model = make_model(Device{});
  Simulation whole(model, "mujoco", kDt);
  expect_growth(expect_same_as_single_steps(whole));
}

class CudaOneCall : public ::testing::Test {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "NOT RUN ON CUDA: this build or machine has no CUDA device";
  }
  // Room for the contacts of every world.
  static SolverMuJoCo solver(const Model& model) { return SolverMuJoCo(model, {.max_contacts = 2 * kBalls + 8}); }
};

// Proves that a GPU, which runs a call as a whole, has the CPU's bits when room grows in the middle of it.
TEST_F(CudaOneCall, RoomGrowsInTheMiddle) {
  const Model model = make_model(Device::parse("cuda"));
  Simulation whole(model, solver(model), kDt);
  expect_growth(expect_same_as_single_steps(whole));
}

// Proves that a warm call is one graph and nothing beside it but the look at the totals and the copy of the status,
// and that a call of more steps than one graph holds is as few as it can be.
TEST_F(CudaOneCall, IsOneGraph) {
  const Model model = make_model(Device::parse("cuda"));
  Simulation simulation(model, solver(model), kDt);
  simulation.step(64);  // the balls are down: no more room is needed from here on
  simulation.step(64);
  for (const int steps : {1, 4, 5, 64, 130}) {
    for (int i = 0; i < 8; ++i) simulation.step(steps);
    const cuda::LaunchCounts before = cuda::launch_counts();
    for (int i = 0; i < 4; ++i) simulation.step(steps);
    const cuda::LaunchCounts after = cuda::launch_counts();
    const int graphs = (steps + 63) / 64;
    EXPECT_EQ(after.graphs - before.graphs, 4 * graphs) << steps << " steps";
    EXPECT_EQ(after.kernels - before.kernels, 4 * (graphs - 1)) << steps << " steps";  // statuses that are added up
  }
}

}  // namespace
}  // namespace carom
