// What the penalty solvers cannot do they refuse by name, and bad input with what is wrong.
#include <functional>
#include <limits>

#include "carom/error.h"
#include "tests/solvers/penalty_scenes.h"

namespace carom {
namespace {

class PenaltyRefusals : public PenaltySolvers {
 protected:
  // The message of what is thrown.
  static std::string message(const std::function<void()>& f) {
    try {
      f();
    } catch (const Error& e) {
      return e.what();
    }
    return "nothing";
  }
  std::string refusal(const std::function<void(ModelBuilder&, int arm, int hinge)>& add) const {
    ModelBuilder scene;
    const int arm =
        scene.add_link({.com = {1, 0, 0}, .inertia = mat33_diagonal<Real>({1, 1, 1}), .mass = 1, .key = "arm"});
    const int hinge = scene.add_joint_revolute(-1, arm, scene.default_joint_cfg, {.key = "hinge"});
    scene.add_articulation({hinge});
    add(scene, arm, hinge);
    const Model model = scene.finalize();
    return message([&] { Simulation(model, GetParam(), Real(0.01)); });
  }
};

TEST_P(PenaltyRefusals, NameWhatTheyCannotDo) {
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(refusal([](ModelBuilder& b, int, int hinge) {
        b.add_tendon_fixed({{hinge, 1}}, {}, "string");
      }),
      "tendon 'string'");
  has(refusal([](ModelBuilder& b, int, int hinge) {
        b.add_actuator(hinge, {.dynamics = ActuatorDynamics::kFilter}, "slow");
      }),
      "actuators with activation dynamics, gain slopes or laws of their own (actuator 'slow'); \"mujoco\" does");
  has(refusal([](ModelBuilder& b, int, int) { b.options.density = 1; }), "fluid");
  has(refusal([](ModelBuilder& b, int, int) {
        b.options.sleep = true;
        b.add_particle({}, {}, 1, Real(0.1));
      }),
      "options.sleep");
  has(refusal([](ModelBuilder& b, int arm, int) {
        const int other = b.add_link({.inertia = mat33_diagonal<Real>({1, 1, 1}), .mass = 1});
        b.add_articulation({b.add_joint_revolute(arm, other, {.velocity_limit = 1}, {.key = "slow"})});
      }),
      "velocity limits (joint 'slow')");
}

TEST_P(PenaltyRefusals, BadSteps) {
  ModelBuilder scene;
  scene.add_body({.inertia = mat33_diagonal<Real>({1, 1, 1}), .mass = 1});
  const Model model = scene.finalize();
  for (const Real dt : {Real(0), Real(-1), std::numeric_limits<Real>::quiet_NaN()})
    EXPECT_NE(message([&] { Simulation(model, GetParam(), dt); }).find("dt"), std::string::npos);
  const char* const tolerance = GetParam() == "xpbd" ? "contact_frequency" : "tolerance";
  EXPECT_NE(message([&] {
              make_solver(GetParam(), model, {{tolerance, 0}});
            }).find(std::string(tolerance) + " must be positive"),
            std::string::npos);
  EXPECT_NE(message([&] {
              make_solver(GetParam(), model, {{"iterations", 0}});
            }).find("iterations must be positive"),
            std::string::npos);
  ModelBuilder another;
  another.add_body({.inertia = mat33_diagonal<Real>({1, 1, 1}), .mass = 1});
  const Model other = another.finalize();
  const Solver solver = make_solver(GetParam(), model);
  EXPECT_NE(message([&] {
              solver.step(other.state(), model.state(), model.control(), nullptr, Real(0.01));
            }).find("state_in"),
            std::string::npos);
}

// Springs of particles that are too stiff for the step are told once, with the step that they bear.
TEST_P(PenaltyRefusals, StepsThatAreTooLongForSprings) {
  ModelBuilder scene;
  for (const Real x : {Real(0), Real(1)}) scene.add_particle({x, 0, 0}, {}, Real(0.01), Real(0.01));
  scene.add_spring(0, 1, SpringConfig{.ke = Real(1e5)});
  const Model model = scene.finalize();
  ::testing::internal::CaptureStderr();
  Simulation sim(model, GetParam(), Real(0.01));
  sim.step(3);
  sim.step(3);
  const std::string said = ::testing::internal::GetCapturedStderr();
  if (GetParam() == "xpbd") {  // there every step is stable
    EXPECT_EQ(said, "");
    return;
  }
  EXPECT_EQ(said.find("swing up"), said.rfind("swing up"));
  EXPECT_NE(said.find("swing up at steps of 0.01 s; they do not at steps of "), std::string::npos) << said;
}

INSTANTIATE_TEST_SUITE_P(All, PenaltyRefusals, ::testing::ValuesIn(penalty_solvers()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace carom
