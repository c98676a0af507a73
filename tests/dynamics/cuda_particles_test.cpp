// Particles on a GPU: the CPU's bits of motion, contact forces, what bodies feel and status. Not run where there is
// none.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "tests/dynamics/particle_scene.h"
#include "tests/dynamics/particle_world.h"

namespace carom {
namespace {

class CudaParticles : public ::testing::Test {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "NOT RUN ON CUDA: this build or machine has no CUDA device";
  }

  template <class T>
  static void expect_same_bits(const Array<T>& a, const Array<T>& b, const char* what) {
    const Array<T> x = a.on_cpu(), y = b.on_cpu();
    ASSERT_EQ(x.size(), y.size()) << what;
    EXPECT_EQ(std::memcmp(x.data(), y.data(), x.bytes()), 0) << what;
  }
};

// Worlds of several kinds, one of which is lost on the way.
TEST_F(CudaParticles, SameBitsAsTheCpu) {
  const ModelBuilder builder = worlds_of_particles(20);
  const Device device = Device::parse("cuda");
  ParticleWorld cpu(builder.finalize()), gpu(builder.finalize(device), default_queue(device));
  for (int round = 0; round < 3; ++round) {
    cpu.step_in_contact(Real(1) / 500, 50);
    gpu.step_in_contact(Real(1) / 500, 50);
    expect_same_bits(cpu.state.particle_q, gpu.state.particle_q, "particle_q");
    expect_same_bits(cpu.state.particle_qd, gpu.state.particle_qd, "particle_qd");
    expect_same_bits(cpu.contacts.soft_contact_force, gpu.contacts.soft_contact_force, "soft_contact_force");
    expect_same_bits(cpu.contacts.particle_contact_force, gpu.contacts.particle_contact_force,
                     "particle_contact_force");
    expect_same_bits(cpu.body_push, gpu.body_push, "body_push");
    expect_same_bits(cpu.status, gpu.status, "status");
    cpu.state.particle_f[cpu.model.particle_world_start[7]].x = std::numeric_limits<Real>::quiet_NaN();
    gpu.state.particle_f.assign(cpu.state.particle_f);
  }
  EXPECT_EQ(cpu.status[7], kStatusNotFinite);
}

}  // namespace
}  // namespace carom
