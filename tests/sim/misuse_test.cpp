// Misuse of the solver, as a table: each case says what is wrong and which words the message must have, the name of
// what is wrong among them.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "carom/carom.h"

namespace carom {
namespace {

constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();
constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
constexpr Real kDt = Real(0.01);

struct Case {
  std::string name;
  std::function<void()> misuse;
  std::vector<std::string> words;
};

void expect_errors(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    try {
      c.misuse();
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      for (const std::string& word : c.words)
        EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
            << "no '" << word << "' in: " << error.what();
    }
  }
}

// A ball and a hinged arm.
ModelBuilder plain() {
  ModelBuilder builder;
  const int ball = builder.add_body({.key = "ball"});
  builder.add_shape_sphere(ball, Real(0.1), {.key = "skin"});
  const int arm = builder.add_link({.inertia = mat33_identity<Real>(), .mass = 1, .key = "arm"});
  builder.add_joint_revolute(-1, arm, {}, {.key = "elbow"});
  return builder;
}

Case refused(std::string name, const std::function<void(ModelBuilder&)>& change, std::vector<std::string> words) {
  return {name,
          [=] {
            ModelBuilder builder = plain();
            change(builder);
            SolverMuJoCo solver(builder.finalize());
          },
          std::move(words)};
}
// The same for the columns of a finished model, where the builder's own checks do not look.
Case refused_column(std::string name, const std::function<void(Model&)>& change, std::vector<std::string> words) {
  return {name,
          [=] {
            Model model = plain().finalize();
            change(model);
            SolverMuJoCo solver(model);
          },
          std::move(words)};
}

int add_hinged(ModelBuilder& builder, const JointDofConfig& dof, JointFrames frames = {.key = "door_hinge"}) {
  const int door = builder.add_link({.inertia = mat33_identity<Real>(), .mass = 1, .key = "door"});
  return builder.add_joint_revolute(-1, door, dof, frames);
}
int add_ball_joint(ModelBuilder& builder, const JointDofConfig& dof) {
  const int head = builder.add_link({.inertia = mat33_identity<Real>(), .mass = 1, .key = "head"});
  return builder.add_joint_ball(-1, head, dof, {.key = "neck"});
}

// Proves that the model these cases are made from is accepted.
TEST(SolverMisuse, PlainModelIsAccepted) {
  Simulation simulation(plain().finalize());
  EXPECT_EQ(simulation.step()[0], 0);
}

TEST(SolverMisuse, Bodies) {
  expect_errors({
      refused("particles", [](ModelBuilder& b) { b.add_particle({}, {}, 1); }, {"particles", "does not support"}),
      refused("no joint", [](ModelBuilder& b) { b.add_link({.mass = 1, .key = "loose"}); },
              {"'loose'", "no joint", "add_body()"}),
      refused("global body",
              [](ModelBuilder& b) {
                b.begin_world();
                b.add_body({.mass = 1});
                b.end_world();
              },
              {"'ball'", "global bodies"}),
  });
}

TEST(SolverMisuse, Joints) {
  expect_errors({
      refused("free joint between bodies",
              [](ModelBuilder& b) { b.add_joint_free(b.add_link({.mass = 1}), 0, {.key = "tether"}); },
              {"'tether'", "free joints"}),
      refused_column("drive of a free joint", [](Model& m) { m.joint_target_ke[2] = 1; },
                     {"'joint_0'", "drives", "add_actuator()"}),
      refused("effort limit of a ball joint", [](ModelBuilder& b) { add_ball_joint(b, {.effort_upper = 3}); },
              {"'neck'", "effort limits", "ball joints"}),
      refused("velocity limit", [](ModelBuilder& b) { add_hinged(b, {.velocity_limit = 3}); },
              {"'door_hinge'", "velocity limits"}),
      refused("disabled joint", [](ModelBuilder& b) { add_hinged(b, {}, {.key = "door_hinge", .enabled = false}); },
              {"'door_hinge'", "disabled"}),
      refused("lower limit of a ball joint", [](ModelBuilder& b) { add_ball_joint(b, {.limit_lower = 1}); },
              {"'neck'", "lower limits", "ball joints"}),
      refused_column("limits of a free joint", [](Model& m) { m.joint_limit_upper[2] = 1; },
                     {"'joint_0'", "limits", "free"}),
      refused_column("spring of a free joint", [](Model& m) { m.joint_stiffness[2] = 1; }, {"'joint_0'", "springs"}),
      refused_column("damping of a free joint", [](Model& m) { m.joint_damping[2] = 1; }, {"'joint_0'", "damping"}),
      refused_column("armature of one axis of a free joint", [](Model& m) { m.joint_armature[2] = 1; },
                     {"'joint_0'", "armature", "differ"}),
      refused("more degrees of freedom in a tree than a machine has memory for",
              [](ModelBuilder& b) {
                int parent = -1;
                std::vector<JointDofConfig> linear(3), angular(3);
                for (int i = 0; i < 3; ++i) {
                  linear[i].axis = angular[i].axis = {};
                  linear[i].axis[i] = angular[i].axis[i] = 1;
                }
                for (int i = 0; i < 23'171; ++i) {
                  const int link = b.add_link({.inertia = mat33_identity<Real>(), .mass = 1});
                  b.add_joint_d6(parent, link, linear, angular, {.key = "joint_" + std::to_string(i)});
                  if (i == 0) parent = link;  // a star is made sooner than a chain
                }
              },
              {"'joint_0'", "139026 degrees of freedom", "139020", "kinematic tree"}),
  });
}

// Proves that the largest world is accepted and steps.
TEST(SolverMisuse, AsManyDegreesOfFreedomAsThereMayBe) {
  ModelBuilder builder;
  for (int i = 0; i < 32; ++i) builder.add_body({.inertia = mat33_identity<Real>(), .mass = 1});
  Simulation simulation(builder.finalize());
  EXPECT_EQ(simulation.step()[0], 0);
  EXPECT_LT(simulation.state().joint_qd[6 * 31 + 2], 0);
}

// Proves that worlds in which nothing moves, or nothing is, are stepped like others.
TEST(SolverMisuse, WorldsWithNothingToMove) {
  ModelBuilder nothing, worlds;
  Simulation empty(nothing.finalize());
  EXPECT_EQ(empty.step(3).size(), 1);
  worlds.add_ground_plane();
  worlds.begin_world();
  worlds.end_world();
  worlds.begin_world();
  const int post = worlds.add_link({.mass = 1});
  worlds.add_joint_fixed(-1, post);
  worlds.add_shape_sphere(post, 1);
  worlds.end_world();
  worlds.add_world(plain());
  Simulation simulation(worlds.finalize());
  const Array<std::int32_t>& status = simulation.step(3);
  for (int w = 0; w < 3; ++w) EXPECT_EQ(status[w], 0) << w;
  EXPECT_NE(simulation.state().joint_qd[2], 0);
  SolverMuJoCo& solver = simulation.solver().as<SolverMuJoCo>();
  EXPECT_EQ(solver.forward(simulation.state(), simulation.control(), nullptr, kDt).dof_count,
            (std::vector<int>{0, 0, 7}));
}

TEST(SolverMisuse, Configuration) {
  const Model model = plain().finalize();
  const auto config = [&](const char* name, auto change) {
    return Case{name,
                [=] {
                  SolverMuJoCoConfig c;
                  change(c);
                  SolverMuJoCo solver(model, c);
                },
                {name, "must be positive"}};
  };
  expect_errors({
      config("tolerance", [](auto& c) { c.tolerance = 0; }),
      config("tolerance", [](auto& c) { c.tolerance = kNan; }),
      config("ls_tolerance", [](auto& c) { c.ls_tolerance = -1; }),
      config("iterations", [](auto& c) { c.iterations = 0; }),
      config("ls_iterations", [](auto& c) { c.ls_iterations = -5; }),
      config("max_contacts", [](auto& c) { c.max_contacts = 0; }),
      {"unknown solver", [&] { Simulation simulation(model, "bullet"); }, {"'bullet'", "\"mujoco\""}},
  });
}

TEST(SolverMisuse, Steps) {
  const Model model = plain().finalize();
  const State state = model.state();
  const Control control = model.control();
  SolverMuJoCo solver(model);
  std::vector<Case> cases;
  for (const Real dt : {Real(0), Real(-1), kNan, kInfinity}) {
    cases.push_back({"step", [&, dt] { solver.step(state, state, control, nullptr, dt); }, {"dt must be positive"}});
    cases.push_back({"forward", [&, dt] { solver.forward(state, control, nullptr, dt); }, {"dt must be positive"}});
    cases.push_back({"simulation", [&, dt] { Simulation simulation(model, "mujoco", dt); }, {"dt must be positive"}});
  }
  Simulation simulation(model);
  for (const int n : {0, -1}) {
    cases.push_back({"steps", [&, n] { simulation.step(n); }, {"number of steps", "is " + std::to_string(n)}});
  }
  const Contacts contacts;
  cases.push_back(
      {"contacts", [&] { solver.step(state, state, control, &contacts, kDt); }, {"contacts", "belongs to no model"}});
  cases.push_back({"mask",
                   [&] {
                     const std::uint8_t mask[] = {1, 1, 1};
                     simulation.reset(mask);
                   },
                   {"mask", "3"}});
  cases.push_back({"world", [&] { solver.forward(state, control, nullptr, kDt).world_mass_matrix(1); }, {"world 1"}});
  expect_errors(cases);
  EXPECT_EQ(simulation.steps(), 0) << "a refused step counted";
}

// Proves that contacts whose numbers were edited past an array are refused by name instead of read.
TEST(SolverMisuse, EditedContacts) {
  ModelBuilder builder = plain();
  builder.add_ground_plane();
  const Model model = builder.finalize();
  const State state = model.state();
  const Control control = model.control();
  SolverMuJoCo solver(model);
  const auto with = [&](const std::function<void(Contacts&)>& change) {
    return [&, change] {
      CollisionPipeline pipeline(model);
      Contacts contacts = pipeline.collide(state);
      ASSERT_GT(contacts.rigid_contact_count[0], 0);
      change(contacts);
      solver.step(state, state, control, &contacts, kDt);
    };
  };
  expect_errors({
      {"shape", with([](Contacts& c) { c.rigid_contact_shape1[0] = 99; }), {"contacts", "contact 0", "shape 99"}},
      {"negative", with([](Contacts& c) { c.rigid_contact_shape0[0] = -1; }), {"contact 0", "shape -1"}},
      {"start", with([](Contacts& c) { c.rigid_contact_world_start[1] = 77; }), {"world_start[0]", "77"}},
      {"count", with([](Contacts& c) { c.rigid_contact_count[0] = 1000; }), {"count is 1000"}},
      {"impacts",
       with([](Contacts& c) { c.rigid_contact_impact_speed = Array<Real>(1000); }),
       {"rigid_contact_impact_time has 0 entries"}},
  });
}

// Proves that states and controls of other models are noticed, whichever of their arrays tells them apart.
TEST(SolverMisuse, OtherModels) {
  const Model model = plain().finalize();
  SolverMuJoCo solver(model);
  const State own = model.state();
  const Control control = model.control();
  ModelBuilder more_joints = plain(), more_bodies = plain(), more_actuators = plain();
  add_hinged(more_joints, {});
  const int bracket = more_bodies.add_link({.mass = 1});
  more_bodies.add_joint_fixed(1, bracket);
  more_actuators.add_actuator(1);
  std::vector<Case> cases;
  for (const ModelBuilder& builder : {more_joints, more_bodies}) {
    const Model other = builder.finalize();
    const State state = other.state();
    cases.push_back({"state_in",
                     [&solver, state, own, control] { solver.step(state, own, control, nullptr, kDt); },
                     {"state_in", "another model"}});
    cases.push_back({"state_out",
                     [&solver, state, own, control] { solver.step(own, state, control, nullptr, kDt); },
                     {"state_out", "another model"}});
    cases.push_back({"forward",
                     [&solver, state, control] { solver.forward(state, control, nullptr, kDt); },
                     {"state", "another model"}});
  }
  for (const ModelBuilder& builder : {more_joints, more_actuators}) {
    const Control other = builder.finalize().control();
    cases.push_back({"control",
                     [&solver, own, other] { solver.step(own, own, other, nullptr, kDt); },
                     {"control", "another model"}});
    cases.push_back({"control of forward",
                     [&solver, own, other] { solver.forward(own, other, nullptr, kDt); },
                     {"control", "another model"}});
  }
  State partial = own.clone();
  partial.joint_qdd = Array<Real>(1);
  cases.push_back({"joint_qdd", [&] { solver.step(partial, own, control, nullptr, kDt); }, {"state_in", "joint_qdd"}});
  const Model twin = plain().finalize();
  cases.push_back({"solver of another model",
                   [&] { Simulation simulation(twin, solver, kDt); },
                   {"Simulation", "solver", "another model"}});
  expect_errors(cases);
}

}  // namespace
}  // namespace carom
