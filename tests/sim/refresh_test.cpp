// Numbers of a model that are changed in place: after refresh() a simulation runs as one of a model that had them from
// the start, also where they switch on what no world used before.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/sim/step_scenes.h"

namespace carom {
namespace {

// Two hinged arms over the ground with a tendon, without limits, springs or damping; three worlds.
ModelBuilder arms() {
  ModelBuilder one, builder;
  std::vector<int> joints;
  int parent = -1;
  for (int i = 0; i < 2; ++i) {
    const int arm = one.add_link();
    one.add_shape_capsule(arm, Real(0.05), Real(0.2), {.xform = {{Real(0.25), 0, 0}, step_scenes::along_x()}});
    joints.push_back(
        one.add_joint_revolute(parent, arm, {.axis = {0, 1, 0}},
                               {.parent_xform = step_scenes::at(i ? Real(0.5) : Real(0), 0, i ? Real(0) : Real(0.2))}));
    parent = arm;
  }
  one.add_tendon_fixed({{joints[0], 1}, {joints[1], 1}});
  one.add_actuator(joints[1]);
  builder.add_ground_plane();
  builder.replicate(one, 3);
  return builder;
}

struct Change {
  std::string name;
  std::function<void(Model&)> apply;
};
const Change kChanges[] = {
    {"mass", [](Model& m) { m.body_mass[2] = 9; }},
    {"centre of mass", [](Model& m) { m.body_com[2].z = Real(0.1); }},
    {"inertia", [](Model& m) { m.body_inertia[3][1][1] *= 2; }},
    {"gravity",
     [](Model& m) {
       m.set_gravity({1, 0, -3}, 1);
     }},
    {"joint frame in the parent", [](Model& m) { m.joint_X_p[3].p.x = Real(0.6); }},
    {"joint frame in the child", [](Model& m) { m.joint_X_c[3].p.z = Real(0.05); }},
    {"axis",
     [](Model& m) {
       m.joint_axis[2] = {1, 0, 0};
     }},
    {"armature", [](Model& m) { m.joint_armature[2] = 1; }},
    {"damping", [](Model& m) { m.joint_damping[2] = 100; }},  // explicit it would be unstable
    {"spring", [](Model& m) { m.joint_stiffness[2] = 5; }},
    {"limit", [](Model& m) { m.joint_limit_upper[2] = Real(0.2); }},
    {"limits of both sides within the margin",
     [](Model& m) {
       m.joint_limit_upper[2] = Real(0.05), m.joint_limit_lower[2] = 0, m.joint_limit_margin[2] = Real(0.04);
     }},
    {"tendon's limit", [](Model& m) { m.tendon_limit_lower[1] = Real(-0.02); }},
    {"tendon's spring", [](Model& m) { m.tendon_stiffness[1] = 5; }},
    {"tendon's coefficient", [](Model& m) { m.tendon_joint_coef[2] = 3, m.tendon_stiffness[1] = 5; }},
    {"actuator",
     [](Model& m) {
       m.actuator_bias[1] = {2, 0, 0};
     }},
    {"friction", [](Model& m) { m.shape_material_mu[4] = Real(0.1), m.shape_material_mu[0] = 0; }},
    {"radius", [](Model& m) { m.shape_scale[3].x = Real(0.1); }},
};

TEST(Refresh, ChangedNumbersAreThoseOfANewModel) {
  const auto hashes = [](const Model& model, const Simulation& simulation) {
    const step_scenes::Worlds worlds{model, {}};
    std::vector<std::uint64_t> all;
    for (int w = 0; w < 3; ++w) all.push_back(step_scenes::world_hash(worlds, simulation.state(), w));
    return all;
  };
  for (const Change& change : kChanges) {
    SCOPED_TRACE(change.name);
    Model fresh_model = arms().finalize(), model = arms().finalize();
    change.apply(fresh_model);
    fresh_model.refresh();
    Simulation fresh(fresh_model, "mujoco", step_scenes::kDt), simulation(model, "mujoco", step_scenes::kDt);
    fresh.step(150);
    simulation.step(50);
    const auto unchanged = [&] {
      Simulation other(arms().finalize(), "mujoco", step_scenes::kDt);
      other.step(150);
      return hashes(model, other);
    }();
    change.apply(model);
    model.refresh();
    simulation.solver().refresh();
    simulation.reset();
    simulation.step(150);
    EXPECT_EQ(hashes(model, simulation), hashes(model, fresh));
    // The change did something, in its own world, and nothing elsewhere.
    EXPECT_NE(hashes(model, simulation)[1], unchanged[1]);
    EXPECT_EQ(hashes(model, simulation)[0], unchanged[0]);
    EXPECT_EQ(hashes(model, simulation)[2], unchanged[2]);
  }
}

}  // namespace
}  // namespace carom
