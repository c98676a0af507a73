// Models on a GPU: the same bits as on the CPU for kinematics, masks and files. Not run where there is no GPU.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>

#include "carom/carom.h"
#include "scenes/scenes.h"
#include "tests/random.h"

namespace carom {
namespace {

class CudaKinematics : public ::testing::Test {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "NOT RUN ON CUDA: this build or machine has no CUDA device";
  }

  // Worlds of several archetypes, alike and different, with globals that carry joints.
  static ModelBuilder worlds() {
    ModelBuilder builder;
    builder.add_builder(scenes::joint_zoo(), {.key_prefix = "global_"});
    for (int i = 0; i < 40; ++i) builder.add_world(i % 3 ? scenes::joint_zoo() : scenes::chain(1 + i % 5));
    builder.replicate(scenes::walker(), 100);
    return builder;
  }

  static State with_random_joints(const Model& model) {
    const State state = model.state();
    SeededRandom random(1);
    for (Real& q : state.joint_q) q += random.next() / 2;
    for (Real& qd : state.joint_qd) qd = random.next() / 2;
    return state;
  }

  template <class T>
  static void expect_same_bits(const Array<T>& a, const Array<T>& b, const char* what) {
    const Array<T> x = a.on_cpu(), y = b.on_cpu();
    ASSERT_EQ(x.size(), y.size()) << what;
    EXPECT_EQ(std::memcmp(x.data(), y.data(), x.bytes()), 0) << what;
  }

  // The state of one device's model as that of the other's.
  static void copy_state(const State& from, const State& to) {
    visit_state([&](const char*, Entity, auto get) { get(to).assign(get(from)); });
  }

  static void expect_same_state(const State& a, const State& b) {
    visit_state([&](const char* name, Entity, auto get) { expect_same_bits(get(a), get(b), name); });
  }
};

// Forward kinematics, its inverse and the Jacobian give the CPU's bits.
TEST_F(CudaKinematics, SameBitsAsTheCpu) {
  const ModelBuilder builder = worlds();
  const Model cpu = builder.finalize(), gpu = builder.finalize(Device::parse("cuda"));
  const State on_cpu = with_random_joints(cpu);
  const State on_gpu = gpu.state();
  copy_state(on_cpu, on_gpu);
  eval_fk(cpu, on_cpu.joint_q, on_cpu.joint_qd, on_cpu);
  eval_fk(gpu, on_gpu.joint_q, on_gpu.joint_qd, on_gpu);
  expect_same_state(on_cpu, on_gpu);
  eval_ik(cpu, on_cpu, on_cpu.joint_q, on_cpu.joint_qd);
  eval_ik(gpu, on_gpu, on_gpu.joint_q, on_gpu.joint_qd);
  expect_same_state(on_cpu, on_gpu);
  const Jacobian J_cpu = make_jacobian(cpu), J_gpu = make_jacobian(gpu);
  eval_jacobian(cpu, on_cpu, J_cpu);
  eval_jacobian(gpu, on_gpu, J_gpu);
  expect_same_bits(J_cpu.values, J_gpu.values, "jacobian");
}

// Writes to either side are seen on the GPU, with the CPU's bits and status.
TEST_F(CudaKinematics, WrittenSidesAreSeen) {
  const ModelBuilder builder = worlds();
  const Model cpu = builder.finalize(), gpu = builder.finalize(Device::parse("cuda"));
  expect_same_state(cpu.state(), gpu.state());
  const State on_cpu = cpu.state(), on_gpu = gpu.state(), written = with_random_joints(cpu);
  for (int j = 0; j < cpu.joint_count; j += 3)  // coordinates of some joints, and some bodies
    for (int i = cpu.joint_q_start[j]; i < cpu.joint_q_start[j + 1]; ++i) on_cpu.joint_q[i] = written.joint_q[i];
  for (int b = 0; b < cpu.body_count; b += 4) on_cpu.body_q[b].p = on_cpu.body_q[b].p + Vec3{1, 2, 3};
  on_gpu.joint_q.assign(on_cpu.joint_q);
  on_gpu.body_q.assign(on_cpu.body_q);
  CollisionPipeline pipeline(cpu), on_the_gpu(gpu);
  pipeline.collide(on_cpu);
  on_the_gpu.collide(on_gpu);
  expect_same_state(on_cpu, on_gpu);
  expect_same_bits(pipeline.status(), on_the_gpu.status(), "status");
}

// Masks choose worlds on the GPU as on the CPU.
TEST_F(CudaKinematics, Masks) {
  const ModelBuilder builder = worlds();
  const Model cpu = builder.finalize(), gpu = builder.finalize(Device::parse("cuda"));
  std::vector<std::uint8_t> mask(cpu.world_count + 1);
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = i % 3 == 0;
  State on_cpu = with_random_joints(cpu), on_gpu = gpu.state();
  copy_state(on_cpu, on_gpu);
  eval_fk(cpu, on_cpu.joint_q, on_cpu.joint_qd, on_cpu, mask);
  eval_fk(gpu, on_gpu.joint_q, on_gpu.joint_qd, on_gpu, mask);
  expect_same_state(on_cpu, on_gpu);
  cpu.reset(on_cpu, mask);
  gpu.reset(on_gpu, mask);
  expect_same_state(on_cpu, on_gpu);
}

// A model saved from the GPU is the model.
TEST_F(CudaKinematics, FileRoundTrip) {
  const Model gpu = worlds().finalize(Device::parse("cuda"));
  const std::string path = ::testing::TempDir() + "cuda_model.carom";
  gpu.save(path);
  const Model loaded = load(path, Device::parse("cuda"));
  std::remove(path.c_str());
  visit_columns([&](const ColumnInfo& info, auto get) { expect_same_bits(get(gpu), get(loaded), info.name); });
  gpu.set_gravity({0, 0, -1}, 3);
  EXPECT_EQ(gpu.gravity.on_cpu()[3].z, -1);
  EXPECT_EQ(gpu.find_body("head", 50), loaded.find_body("head", 50));
}

}  // namespace
}  // namespace carom
