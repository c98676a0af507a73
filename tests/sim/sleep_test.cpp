// Sleep: who sleeps, and the bits of all states, depend on the world alone: not on lanes, threads, tiers, neighbours or
// the way that the steps are divided into calls. What it follows: python/tests/test_mujoco_sleep.py.
#include <gtest/gtest.h>

#include "tests/backend/on_device.h"
#include "tests/sim/step_scenes.h"

namespace carom {
namespace {

// A stack, a ball that runs into it in the second phase, a pendulum, a motor that never sleeps, and something that
// waits in the air.
ModelBuilder bedroom(int number) {
  step_scenes::Numbers n(number);
  ModelBuilder builder;
  const auto box = [&](Vec3 p, Real half, SleepPolicy policy) {
    const int body = builder.add_body({.xform = {p, {}}, .sleep = policy});
    builder.add_shape_box(body, half, half, half);
  };
  const Real lower = n.near(0.1), upper = n.near(0.08);
  const int ball = builder.add_body({.xform = {{-1, 0, Real(0.1)}, {}}});
  ShapeConfig rolls;
  rolls.condim = 6, rolls.rolling_friction = Real(0.02);
  builder.add_shape_sphere(ball, Real(0.1), {.cfg = rolls});
  box({0, 0, lower}, lower, SleepPolicy::kAuto);
  box({0, 0, 2 * lower + upper}, upper, SleepPolicy::kAuto);
  box({0, 3, 1}, upper, SleepPolicy::kInit);
  for (const Real x : {Real(2), Real(3)}) {
    const int link = builder.add_link();
    builder.add_shape_sphere(link, Real(0.1), {.xform = {{0, 0, -n.near(0.3)}, {}}});
    const int joint = builder.add_joint_revolute(-1, link, {.axis = {0, 1, 0}, .damping = n.near(1)},
                                                 {.parent_xform = {{x, 0, 1}, {}}});
    builder.add_articulation({joint});
    if (x == 3) builder.add_actuator(joint);
  }
  return builder;
}
constexpr int kBall = 0, kBodies = 6;

Model make_rooms(const std::vector<int>& numbers, Device device = {}) {
  ModelBuilder builder;
  builder.add_ground_plane();
  builder.options = {.timestep = step_scenes::kDt, .sleep = true};
  for (const int number : numbers) builder.add_world(bedroom(number));
  return builder.finalize(device);
}

// Pushes the balls of some worlds.
void push(Simulation& simulation, const std::vector<int>& numbers) {
  Array<Real> qd = simulation.state().joint_qd.on_cpu();
  const std::vector<int>& start = simulation.model().layout->start[static_cast<int>(Entity::kJointDof)];
  for (std::size_t w = 0; w < numbers.size(); ++w)
    if (numbers[w] % 2 == 0) qd[start[w] + 6 * kBall] = 2 + Real(numbers[w]) / 8;
  simulation.state().joint_qd.assign(qd);
}

constexpr int kSteps[] = {60, 25, 200};  // until they sleep, while some are hit, until they sleep again

struct Way {
  QueueConfig queue{};
  bool single_steps = false;
};

// Hashes of the worlds after each phase.
std::vector<std::uint64_t> run(const std::vector<int>& numbers, const Way& way = {}) {
  const step_scenes::Worlds worlds{make_rooms(numbers), numbers};
  const Queue queue({}, way.queue);
  Simulation simulation(worlds.model, SolverMuJoCo(worlds.model, {}, &queue));
  std::vector<std::uint64_t> hashes;
  for (int phase = 0; phase < 3; ++phase) {
    if (phase == 1) push(simulation, numbers);
    for (int i = 0; i < (way.single_steps ? kSteps[phase] : 1); ++i)
      simulation.step(way.single_steps ? 1 : kSteps[phase]);
    for (std::size_t w = 0; w < numbers.size(); ++w) {
      EXPECT_EQ(simulation.status()[static_cast<int>(w)], 0);
      Hash hash;
      hash.add(step_scenes::world_hash(worlds, simulation.state(), static_cast<int>(w)));
      const Array<std::int32_t> asleep = simulation.state().world(static_cast<int>(w)).body_asleep;
      hash.add_bytes(asleep.data(), static_cast<std::size_t>(asleep.bytes()));
      hashes.push_back(hash.value());
    }
  }
  return hashes;
}

std::vector<int> numbers_below(int n) {
  std::vector<int> numbers(n);
  for (int i = 0; i < n; ++i) numbers[i] = i;
  return numbers;
}

// Proves that worlds sleep, wake where they are hit, and sleep again.
TEST(Sleep, WorldsSleepAndWake) {
  const std::vector<int> numbers = numbers_below(4);
  Simulation simulation(make_rooms(numbers), "mujoco");
  const auto asleep = [&](int world) {
    int count = 0;
    for (const std::int32_t value : simulation.state().world(world).body_asleep) count += value >= 0;
    return count;
  };
  simulation.step(kSteps[0]);
  for (int world = 0; world < 4; ++world) EXPECT_EQ(asleep(world), kBodies - 1) << world;
  push(simulation, numbers);
  simulation.step(kSteps[1] + 100);
  for (int world = 0; world < 4; ++world) EXPECT_EQ(asleep(world) == kBodies - 1, world % 2 == 1) << world;
  simulation.step(2000);
  for (int world = 0; world < 4; ++world) EXPECT_EQ(asleep(world), kBodies - 1) << world;
  EXPECT_EQ(simulation.solver().reports().rows[0], 0);
}

// Proves that the bits are those of all other machines and ways to step.
TEST(Sleep, OneHash) {
  const std::vector<int> numbers = numbers_below(11);
  const std::vector<std::uint64_t> alone = run(numbers, {.queue = {.threads = 1, .lanes = 1}});
  EXPECT_EQ(run(numbers), alone);
  EXPECT_EQ(run(numbers, {.single_steps = true}), alone);
  EXPECT_EQ(run(numbers, {.queue = {.threads = 3}}), alone);
  testing::for_each_tier([&] { EXPECT_EQ(run(numbers), alone); });
  const std::vector<std::uint64_t> first = run({0});
  for (int phase = 0; phase < 3; ++phase) EXPECT_EQ(first[phase], alone[11 * phase]) << "without neighbours";
  Hash sum;
  for (const std::uint64_t hash : alone) sum.add(hash);
  EXPECT_EQ(sum.value(), sizeof(Real) == 4 ? 0x6bf2401ca542f8fcu : 0xdd793bbd03955641u)
      << "found 0x" << std::hex << sum.value() << "u";
}

// Proves it on a GPU.
TEST(Sleep, CudaHasTheBitsOfTheCpu) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "NOT RUN ON CUDA: this build or machine has no CUDA device";
  const std::vector<int> numbers = numbers_below(40);
  Simulation cpu(make_rooms(numbers), "mujoco"), gpu(make_rooms(numbers, Device::parse("cuda")), "mujoco");
  for (int phase = 0; phase < 3; ++phase) {
    if (phase == 1) push(cpu, numbers), push(gpu, numbers);
    for (const int steps : {1, 1, kSteps[phase]}) {
      cpu.step(steps), gpu.step(steps);
      visit_state([&](const char* name, Entity, auto get) {
        EXPECT_TRUE(step_scenes::same_bits(get(cpu.state()).on_cpu(), get(gpu.state()).on_cpu())) << name << phase;
      });
    }
  }
}

}  // namespace
}  // namespace carom
