// Steps on a GPU: the same bits as on the CPU, for worlds of all kinds with contacts, limits, tendons and inputs. Not
// run where there is no GPU.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/same_contacts.h"
#include "tests/sim/step_scenes.h"

namespace carom {
namespace {

using step_scenes::Worlds;

class CudaStep : public ::testing::Test {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "NOT RUN ON CUDA: this build or machine has no CUDA device";
  }

  static Device cuda() { return Device::parse("cuda"); }

  template <class T>
  static void expect_same_bits(const Array<T>& a, const Array<T>& b, const char* what) {
    const Array<T> x = a.on_cpu(), y = b.on_cpu();
    ASSERT_EQ(x.size(), y.size()) << what;
    EXPECT_TRUE(step_scenes::same_bits(x, y)) << what;
  }
};

class CudaStepOfTeams : public CudaStep, public ::testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(TeamSizes, CudaStepOfTeams, ::testing::Values(1, 8, 32));

// Proves that states, status and contacts are the CPU's, step by step and many steps in one call.
TEST_P(CudaStepOfTeams, SameBitsAsTheCpu) {
  std::vector<int> numbers(60);
  std::iota(numbers.begin(), numbers.end(), 0);
  const Worlds on_cpu = step_scenes::make_worlds(numbers), on_gpu = step_scenes::make_worlds(numbers, -1, cuda());
  Simulation cpu(on_cpu.model, SolverMuJoCo(on_cpu.model, {.max_contacts = 64}), step_scenes::kDt);
  Simulation gpu(on_gpu.model, SolverMuJoCo(on_gpu.model, {.max_contacts = 64, .team_size = GetParam()}),
                 step_scenes::kDt);
  for (int phase = 0; phase < step_scenes::kPhases; ++phase) {
    step_scenes::begin_phase(on_cpu, cpu, phase);
    const State &from = cpu.state(), &to = gpu.state();  // inputs and resets; the states agree already
    visit_state([&](const char*, Entity, auto get) { get(to).assign(get(from)); });
    visit_control([&](const char*, Entity, auto get) { get(gpu.control()).assign(get(cpu.control())); });
    for (const int steps : {1, 1, 1, 25}) {
      cpu.step(steps);
      gpu.step(steps);
      visit_state(
          [&](const char* name, Entity, auto get) { expect_same_bits(get(cpu.state()), get(gpu.state()), name); });
      expect_same_bits(cpu.status(), gpu.status(), "status");
      expect_same_contacts(cpu.contacts(), gpu.contacts());
      if (HasFailure()) FAIL() << "phase " << phase;
    }
  }
}

// Proves that a GPU, which cannot take more room in the middle of a step, says which worlds lost contacts.
TEST_F(CudaStep, OverflowIsReported) {
  const Worlds worlds = step_scenes::make_worlds({2, 3, 6, 7}, -1, cuda());
  Simulation simulation(worlds.model, SolverMuJoCo(worlds.model, {.max_contacts = 1}), step_scenes::kDt);
  std::int32_t seen[4] = {};
  for (int i = 0; i < 100; ++i) {
    const Array<std::int32_t> status = simulation.step().on_cpu();
    for (int w = 0; w < 4; ++w) seen[w] |= status[w];
  }
  for (int w = 0; w < 4; ++w)
    EXPECT_EQ(seen[w] & kStatusOverflow, w % 2 ? 0 : kStatusOverflow)
        << "world " << w;  // piles, and carts with one pole
}

// Proves that a queue, a state or a control of another device is refused.
TEST_F(CudaStep, OtherDevicesAreRefused) {
  const Worlds on_cpu = step_scenes::make_worlds({0}), on_gpu = step_scenes::make_worlds({0}, -1, cuda());
  const Queue queue(Device{});
  EXPECT_THROW(SolverMuJoCo(on_gpu.model, {}, &queue), Error);
  const Queue cuda_queue(cuda());
  EXPECT_THROW(SolverMuJoCo(on_cpu.model, {}, &cuda_queue), Error);
  SolverMuJoCo solver(on_gpu.model);
  const State state = on_gpu.model.state(), other = on_cpu.model.state();
  const Control control = on_gpu.model.control(), other_control = on_cpu.model.control();
  EXPECT_THROW(solver.step(other, state, control, nullptr, step_scenes::kDt), Error);
  EXPECT_THROW(solver.step(state, other, control, nullptr, step_scenes::kDt), Error);
  EXPECT_THROW(solver.step(state, state, other_control, nullptr, step_scenes::kDt), Error);
}

}  // namespace
}  // namespace carom
