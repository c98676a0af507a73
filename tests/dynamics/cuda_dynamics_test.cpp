// Inverse and forward dynamics and mass matrices on a GPU: the bits of the CPU. Not run where there is no GPU.
#include <gtest/gtest.h>

#include <cstring>

#include "carom/dynamics.h"
#include "tests/dynamics/random_trees.h"

namespace carom {
namespace {

void expect_same_bits(const Array<Real>& a, const Array<Real>& b, const char* what) {
  const Array<Real> x = a.on_cpu(), y = b.on_cpu();
  ASSERT_EQ(x.size(), y.size()) << what;
  EXPECT_EQ(std::memcmp(x.data(), y.data(), x.bytes()), 0) << what;
}

// Proves that teams of GPU threads work out what lanes of the CPU do, in worlds of several structures.
TEST(CudaDynamics, SameBitsAsTheCpu) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "NOT RUN ON CUDA: this build or machine has no CUDA device";
  SeededRandom random(2);
  const ModelBuilder kinds[] = {random_trees::bodies(random, 3), random_trees::bodies(random, 14)};
  ModelBuilder builder;
  for (int w = 0; w < 300; ++w) builder.add_world(kinds[w % 2]);
  const Model cpu = builder.finalize(), gpu = builder.finalize(Device::parse("cuda"));
  const State on_cpu = cpu.state(), on_gpu = gpu.state();
  random_trees::randomize(cpu, on_cpu, random);
  visit_state([&](const char*, Entity, auto get) { get(on_gpu).assign(get(on_cpu)); });
  const Array<Real> given = random_trees::random_dofs(cpu, random), result(cpu.joint_dof_count);
  const Array<Real> given_there = given.to(gpu.device), result_there(cpu.joint_dof_count, gpu.device);
  eval_inverse_dynamics(cpu, on_cpu, given, result);
  eval_inverse_dynamics(gpu, on_gpu, given_there, result_there);
  expect_same_bits(result, result_there, "inverse dynamics");
  eval_forward_dynamics(cpu, on_cpu, given, result);
  eval_forward_dynamics(gpu, on_gpu, given_there, result_there);
  expect_same_bits(result, result_there, "forward dynamics");
  const MassMatrix matrix = make_mass_matrix(cpu), matrix_there = make_mass_matrix(gpu);
  eval_mass_matrix(cpu, on_cpu, matrix);
  eval_mass_matrix(gpu, on_gpu, matrix_there);
  expect_same_bits(matrix.values, matrix_there.values, "mass matrix");
  EXPECT_THROW(eval_inverse_dynamics(gpu, on_gpu, given, result_there), Error) << "an array of the CPU";
}

}  // namespace
}  // namespace carom
