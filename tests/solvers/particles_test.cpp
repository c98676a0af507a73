// Particles beside bodies under the penalty solvers.
#include <limits>

#include "tests/solvers/penalty_scenes.h"

namespace carom {
namespace {

class PenaltyParticles : public PenaltySolvers {};

// A plate that rests on a hundred particles is carried by them, and these by the ground.
TEST_P(PenaltyParticles, CarryAPlate) {
  ModelBuilder scene;
  scene.options.soft_contact_ke = 2000, scene.options.soft_contact_kd = 10;
  ShapeConfig cfg;
  cfg.ke = 2000, cfg.kd = 10;
  scene.add_ground_plane(0, {.cfg = cfg});
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      scene.add_particle({Real(0.1 * i - 0.15), Real(0.1 * j - 0.15), Real(0.02)}, {}, Real(0.05), Real(0.02));
  const int plate = scene.add_body({.xform = {{0, 0, Real(0.05)}, {}}});
  cfg.density = 100;
  scene.add_shape_box(plate, Real(0.2), Real(0.2), Real(0.01), {.cfg = cfg});
  const Model model = scene.finalize();
  Simulation sim = run(model, Real(0.001), 3000);
  const double weight = model.body_mass[plate] * 9.81;
  double carried = 0, ground = 0;
  const Contacts& c = sim.contacts();
  for (int i = 0; i < c.soft_contact_count[0]; ++i)
    (model.shape_body[c.soft_contact_shape[i]] == plate ? carried : ground) += c.soft_contact_force[i].z;
  EXPECT_NEAR(-carried, weight, 0.005 * weight);
  EXPECT_NEAR(ground, weight + 16 * 0.05 * 9.81, 0.005 * weight);
  EXPECT_LT(length(sim.state().body_qd[plate].linear), 1e-3);
}

// A particle that stops being finite freezes its world, with the body in it, and no other one.
TEST_P(PenaltyParticles, AWorldIsFrozenAsAWhole) {
  ModelBuilder scene;
  for (int w = 0; w < 2; ++w) {
    scene.begin_world();
    scene.add_particle({0, 0, 1}, {}, 1, Real(0.02));
    scene.add_body({.xform = {{1, 0, 1}, {}}, .inertia = mat33_diagonal<Real>({1, 1, 1}), .mass = 1});
    scene.end_world();
  }
  const Model model = scene.finalize();
  Simulation sim(model, GetParam(), Real(0.01));
  sim.step(10);
  const Real particle = sim.state().particle_q[1].z, body = sim.state().body_q[1].p.z;
  sim.state().particle_f[1].z = std::numeric_limits<Real>::infinity();
  const Array<std::int32_t>& status = sim.step(10);
  EXPECT_EQ(status[0], 0);
  EXPECT_EQ(status[1], kStatusNotFinite);
  EXPECT_EQ(sim.state().particle_q[1].z, particle);
  EXPECT_EQ(sim.state().body_q[1].p.z, body);
  const double fallen = 9.81 * 0.2 * (0.2 + falls_for(GetParam(), 0.01)) / 2;
  EXPECT_NEAR(sim.state().particle_q[0].z, 1 - fallen, 1e-4);
  EXPECT_NEAR(sim.state().body_q[0].p.z, 1 - fallen, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(All, PenaltyParticles, ::testing::ValuesIn(penalty_solvers()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace carom
