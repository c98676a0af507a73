// Copies of states on a GPU: the rows that the CPU writes, and one launch for all arrays.
#include <gtest/gtest.h>

#include <cstring>

#include "backend/cuda/cuda_backend.h"
#include "carom/carom.h"
#include "scenes/scenes.h"

namespace carom {
namespace {

template <class T>
bool same_bits(const Array<T>& a, const Array<T>& b) {
  const Array<T> x = a.on_cpu(), y = b.on_cpu();
  return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.bytes()) == 0);
}

void expect_same(const State& a, const State& b) {
  const auto expect = [&](const char* name, Entity, auto get) { EXPECT_TRUE(same_bits(get(a), get(b))) << name; };
  visit_state(expect);
  visit_aligned(expect);
}

// Moves every coordinate away from where it began.
void move(const State& state) {
  Array<Real> q = state.joint_q.on_cpu().clone();
  for (std::int64_t i = 0; i < q.size(); ++i) q[i] += Real(0.01) * Real(i % 7 + 1);
  state.joint_q.assign(q);
  state.joint_qdd.assign(q.slice(0, state.joint_qdd.size()));
}

// Proves that resets, copies, reads and clones have the bits of the CPU, with one launch each.
TEST(CudaCopies, LikeTheCpuInOneLaunch) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "NOT RUN ON CUDA: this build or machine has no CUDA device";
  const ModelBuilder builder = scenes::humanoids(70);
  const Model on_cpu = builder.finalize(), on_gpu = builder.finalize(Device::parse("cuda"));
  State cpu = on_cpu.state(), gpu = on_gpu.state();
  expect_same(cpu, gpu);
  move(cpu), move(gpu);
  std::vector<std::uint8_t> mask(71, 0);
  for (int w = 0; w < 71; w += 3) mask[w] = 1;
  const auto launches_in = [](const auto& fn) {
    const std::int64_t before = cuda::launch_counts().kernels;
    fn();
    return cuda::launch_counts().kernels - before;
  };
  const State moved_cpu = cpu.clone();
  State moved_gpu;
  EXPECT_EQ(launches_in([&] { moved_gpu = gpu.clone(); }), 1);
  expect_same(moved_cpu, moved_gpu);
  on_cpu.reset(cpu, mask);
  EXPECT_EQ(launches_in([&] { on_gpu.reset(gpu, mask); }), 1);
  expect_same(cpu, gpu);
  for (std::uint8_t& chosen : mask) chosen = !chosen;
  on_cpu.reset(cpu);
  EXPECT_EQ(launches_in([&] { on_gpu.reset(gpu); }), 1);
  expect_same(cpu, gpu);
  cpu.copy_worlds(moved_cpu, mask);
  EXPECT_EQ(launches_in([&] { gpu.copy_worlds(moved_gpu, mask); }), 1);
  expect_same(cpu, gpu);
  mask.resize(70);
  EXPECT_EQ(launches_in([&] { expect_same(cpu.read_worlds(mask), gpu.read_worlds(mask)); }), 1);
  EXPECT_EQ(launches_in([&] { gpu.assign(moved_gpu); }), 1);
  expect_same(moved_cpu, gpu);
}

}  // namespace
}  // namespace carom
