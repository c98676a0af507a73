// Edits of a model while it is simulated: the next step uses them as if the model had been made so, also where they
// switch on what no world used before, and other worlds do not notice.
#include <gtest/gtest.h>

#include <cstdio>
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
  one.add_shape_collision_filter_pair(0, 1);
  builder.add_ground_plane();
  builder.replicate(one, 3);
  return builder;
}

struct Change {
  std::string name;
  std::function<void(ModelNumbers&)> apply;
};
// Of world 1: bodies, joints and degrees of freedom 2 and 3, shapes 3 and 4.
const Change kChanges[] = {
    {"mass", [](auto& n) { n.body_mass[2] = 9; }},
    {"centre of mass", [](auto& n) { n.body_com[2].z = Real(0.1); }},
    {"inertia", [](auto& n) { n.body_inertia[3] = n.body_inertia[3] * Real(1.5); }},
    {"gravity",
     [](auto& n) {
       n.gravity[1] = {1, 0, -3};
     }},
    {"joint frame in the parent", [](auto& n) { n.joint_X_p[3].p.x = Real(0.6); }},
    {"joint frame in the child", [](auto& n) { n.joint_X_c[3].p.z = Real(0.05); }},
    {"axis",
     [](auto& n) {
       n.joint_axis[2] = {1, 0, 0};
     }},
    {"initial coordinate", [](auto& n) { n.joint_q[2] = Real(0.3); }},
    {"initial velocity", [](auto& n) { n.joint_qd[2] = Real(0.3); }},
    {"armature", [](auto& n) { n.joint_armature[2] = 1; }},
    {"damping", [](auto& n) { n.joint_damping[2] = 100; }},  // explicit it would be unstable
    {"spring", [](auto& n) { n.joint_stiffness[2] = 5, n.joint_spring_ref[2] = Real(0.1); }},
    {"limit", [](auto& n) { n.joint_limit_upper[2] = Real(0.2); }},
    {"limits of both sides within the margin",
     [](auto& n) {
       n.joint_limit_upper[2] = Real(0.05), n.joint_limit_lower[2] = 0, n.joint_limit_margin[2] = Real(0.04);
     }},
    {"limit's reference",
     [](auto& n) {
       n.joint_limit_upper[2] = Real(0.2), n.joint_limit_solref[2] = {Real(0.1), 1};
     }},
    {"tendon's limit", [](auto& n) { n.tendon_limit_lower[1] = Real(-0.02); }},
    {"tendon's spring", [](auto& n) { n.tendon_stiffness[1] = 5; }},
    {"tendon's coefficient", [](auto& n) { n.tendon_joint_coef[2] = 3, n.tendon_stiffness[1] = 5; }},
    {"actuator",
     [](auto& n) {
       n.actuator_bias[1] = {2, 0, 0};
     }},
    {"friction", [](auto& n) { n.shape_material_mu[4] = Real(0.1), n.shape_material_mu[0] = 0; }},
    {"reference of contacts",
     [](auto& n) {
       n.shape_solref[4] = {Real(0.1), 1};
     }},
    {"impedance of contacts", [](auto& n) { n.shape_solimp[4][0] = Real(0.5); }},
    {"margin", [](auto& n) { n.shape_contact_margin[4] = Real(0.1), n.shape_gap[4] = 0; }},
    {"thickness", [](auto& n) { n.shape_thickness[4] = Real(0.02); }},
    {"radius", [](auto& n) { n.shape_scale[3].x = Real(0.1); }},
    {"pose of a shape", [](auto& n) { n.shape_transform[4].p.z = Real(-0.05); }},
    {"flags", [](auto& n) { n.shape_flags[4] &= ~kShapeCollidesShapes; }},
    {"group", [](auto& n) { n.shape_collision_group[4] = 7; }},
    {"masks", [](auto& n) { n.shape_contype[4] = 2, n.shape_conaffinity[4] = 2; }},
    {"condim and priority", [](auto& n) { n.shape_condim[4] = 1, n.shape_priority[4] = 1; }},
    {"filter",
     [](auto& n) {
       n.shape_collision_filter_pairs[1] = {0, 4};
     }},
};

std::vector<std::uint64_t> hashes(const Model& model, const Simulation& simulation) {
  const step_scenes::Worlds worlds{model, {}};
  std::vector<std::uint64_t> all;
  for (int w = 0; w < 3; ++w) all.push_back(step_scenes::world_hash(worlds, simulation.state(), w));
  return all;
}

// The same numbers in a model that never was another: everything is worked out from the columns alone.
Model made_anew(const Model& model) {
  const std::string path = ::testing::TempDir() + "carom_edit_" + std::to_string(sizeof(Real)) + ".carom";
  model.save(path);
  Model anew = load(path);
  std::remove(path.c_str());
  return anew;
}

// Proves for every kind of number: the steps after an edit are those of a new model, and the other worlds', bit for
// bit, those of the model before.
TEST(Edit, StepsAreThoseOfANewModel) {
  Simulation other(arms().finalize(), "mujoco", step_scenes::kDt);
  other.step(150);
  const std::vector<std::uint64_t> unchanged = hashes(other.model(), other);
  for (const Change& change : kChanges) {
    SCOPED_TRACE(change.name);
    const Model model = arms().finalize();
    Simulation simulation(model, "mujoco", step_scenes::kDt);
    simulation.step(50);
    model.edit(change.apply);
    simulation.reset();
    simulation.step(150);
    const Model anew = made_anew(model);
    Simulation fresh(anew, "mujoco", step_scenes::kDt);
    fresh.step(150);
    EXPECT_EQ(hashes(model, simulation), hashes(anew, fresh));
    EXPECT_NE(hashes(model, simulation)[1], unchanged[1]);
    EXPECT_EQ(hashes(model, simulation)[0], unchanged[0]);
    EXPECT_EQ(hashes(model, simulation)[2], unchanged[2]);
  }
}

// Proves the same in the middle of a motion, through a copy of the model, and that an edit taken back leaves no trace.
TEST(Edit, OtherWorldsGoOn) {
  Simulation other(arms().finalize(), "mujoco", step_scenes::kDt);
  other.step(100);
  const std::vector<std::uint64_t> unchanged = hashes(other.model(), other);
  for (const Change& change : kChanges) {
    SCOPED_TRACE(change.name);
    Simulation simulation(arms().finalize(), "mujoco", step_scenes::kDt);
    simulation.step(50);
    const Simulation::Snapshot middle = simulation.snapshot();
    ModelNumbers before;
    simulation.model().edit([&](ModelNumbers& n) {
      visit_columns([&](const ColumnInfo&, auto get) { get(before) = get(n).clone(); });
      before.gravity = n.gravity.clone();
      before.shape_collision_filter_pairs = n.shape_collision_filter_pairs.clone();
      change.apply(n);
    });
    simulation.step(50);
    EXPECT_EQ(hashes(simulation.model(), simulation)[0], unchanged[0]);
    EXPECT_EQ(hashes(simulation.model(), simulation)[2], unchanged[2]);
    simulation.model().edit([&](ModelNumbers& n) { n = before; });
    simulation.restore(middle);
    simulation.step(50);
    EXPECT_EQ(hashes(simulation.model(), simulation), unchanged);
  }
}

// Proves that a solver whose steps have turns of two lengths steps as two solvers that never saw another length.
// Contacts are stiffer than either length allows, so that it shapes their materials.
TEST(Edit, LengthsOfStepsInTurns) {
  const Model model = arms().finalize();
  model.edit([](ModelNumbers& n) {
    for (std::int64_t i = 0; i < n.shape_solref.size(); ++i) n.shape_solref[i] = {Real(1e-4), 1};
  });
  SolverMuJoCo both(model), longer(model), shorter(model);
  State state = model.state(), expected = model.state();
  const Control control = model.control();
  CollisionPipeline pipeline(model);
  int touching = 0;
  for (int i = 0; i < 300; ++i) {
    const bool is_long = i / 3 % 2 == 0;
    const Real dt = is_long ? step_scenes::kDt : step_scenes::kDt / 2;
    const Contacts contacts = pipeline.collide(state);
    touching += contacts.rigid_contact_count[0] > 0;
    both.step(state, state, control, &contacts, dt);
    const Contacts expected_contacts = CollisionPipeline(model).collide(expected);
    (is_long ? longer : shorter).step(expected, expected, control, &expected_contacts, dt);
    for (std::int64_t k = 0; k < state.joint_q.size(); ++k) ASSERT_EQ(state.joint_q[k], expected.joint_q[k]) << i;
  }
  EXPECT_GT(touching, 100);
}

// Proves that an edit which asks for what the solver cannot do is an Error of the next step, with its name, and that
// the simulation goes on once it is taken back.
TEST(Edit, WhatIsNotSupportedIsRefusedByTheStep) {
  Simulation simulation(arms().finalize(), "mujoco", step_scenes::kDt),
      other(arms().finalize(), "mujoco", step_scenes::kDt);
  simulation.step(10);
  other.step(20);
  simulation.model().edit([](ModelNumbers& n) { n.joint_velocity_limit[3] = 1; });
  for (int i = 0; i < 2; ++i) EXPECT_THROW(simulation.step(), Error);
  simulation.model().edit([](ModelNumbers& n) { n.joint_velocity_limit[3] = Real(1e6); });
  simulation.step(10);
  EXPECT_EQ(hashes(simulation.model(), simulation), hashes(other.model(), other));
}

}  // namespace
}  // namespace carom
