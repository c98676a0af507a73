// The particles of SolverXPBD by teams of threads, under the thread sanitizer: the text is the one that a GPU runs.
#include <gtest/gtest.h>

#include <cstring>

#include "solvers/xpbd/kernels.h"
#include "tests/dynamics/particle_scene.h"
#include "tests/solvers/projected_particles.h"
#include "tests/teams/thread_team.h"

namespace carom {
namespace {

// Proves that the threads of a team do not race, and that they lead to the bits of one thread alone.
TEST(ParticleProjectionTeams, SameBitsAsOneThread) {
  ProjectedParticles w(worlds_of_particles(3).finalize(), {.substeps = 2, .enable_restitution = true},
                       Queue({}, {.threads = 1}));
  const Real dt = Real(0.005);
  w.step(dt, 60);
  w.contacts = w.pipeline.collide(w.state);
  ASSERT_GT(w.contacts.soft_contact_count[0], 10);
  ASSERT_GT(w.contacts.particle_contact_count[0], 5);
  Array<Vec3> q(w.model.particle_count), qd(w.model.particle_count);
  Array<Real> memory(w.projection.memory_bytes(&w.contacts) / sizeof(Real) + 1);

  w.projection.send_forces(w.queue, w.state, w.control, &w.contacts, dt, w.status);
  const Array<Vec3> soft = w.contacts.soft_contact_force.clone(), pairs = w.contacts.particle_contact_force.clone();
  ProjectParticles kernel = w.projection.kernel(w.state, w.control, &w.contacts, dt);
  kernel.memory = reinterpret_cast<char*>(memory.data());
  kernel.new_q = q.data(), kernel.new_qd = qd.data();
  for (int slot = 0; slot <= w.model.world_count; ++slot)
    testing::run_team<4>([&](const testing::ThreadTeam<4>& team) { kernel(team, slot); });
  w.projection.send_take(w.queue, w.state, w.state, w.status);

  const auto same = [](const Array<Vec3>& a, const Array<Vec3>& b, std::int64_t count) {
    return std::memcmp(a.data(), b.data(), count * sizeof(Vec3)) == 0;
  };
  EXPECT_TRUE(same(q, w.state.particle_q, q.size()));
  EXPECT_TRUE(same(qd, w.state.particle_qd, qd.size()));
  EXPECT_TRUE(same(soft, w.contacts.soft_contact_force, w.contacts.soft_contact_count[0]));
  EXPECT_TRUE(same(pairs, w.contacts.particle_contact_force, w.contacts.particle_contact_count[0]));
}

}  // namespace
}  // namespace carom
