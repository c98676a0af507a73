// Solvers as Simulation sees them: found by name, held as a value, a user's own among them; what they report.
#include <gtest/gtest.h>

#include <memory>

#include "carom/carom.h"
#include "scenes/scenes.h"

namespace carom {
namespace {

constexpr Real kDt = Real(0.01), kStanding = Real(0.0999);

template <class Fn>
std::string error_of(const Fn& fn) {
  try {
    fn();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool has_all(const std::string& text, std::initializer_list<const char*> parts) {
  return std::all_of(parts.begin(), parts.end(), [&](const char* p) { return text.find(p) != std::string::npos; });
}

// Two worlds with a ball that stands on the ground, and one with a ball that flies.
Model balls() {
  ModelBuilder builder;
  builder.add_ground_plane();
  for (const Real height : {kStanding, kStanding, Real(5)}) {
    builder.begin_world();
    const int ball = builder.add_body({.xform = {{0, 0, height}, {}}});
    builder.add_shape_sphere(ball, Real(0.1));
    builder.end_world();
  }
  return builder.finalize();
}

// A solver of a user: bodies go on at a velocity of 1 m/s along x, whatever touches them.
struct DriftConfig {
  Real speed = 1;  // [m/s]
};
template <class Visit>
void visit_options(DriftConfig& c, Visit&& visit) {
  visit("speed", c.speed, "of all bodies");
}

class Drift {
 public:
  static constexpr const char* kName = "drift";
  using Config = DriftConfig;

  explicit Drift(const Model& model, const Config& config = {}) : data_(std::make_shared<Data>(Data{model, config})) {
    data_->reports.status = Array<std::int32_t>(model.world_count);
  }
  void step(const State& in, const State& out, const Control&, const Contacts* contacts, Real dt) {
    if (&in != &out) out.assign(in);
    for (std::int64_t q = 0; q < out.joint_q.size(); q += 7) out.joint_q[q] += data_->config.speed * dt;
    data_->contacts_seen += contacts->rigid_contact_count[0];
  }
  const Config& config() const { return data_->config; }
  const Model& model() const { return data_->model; }
  const Queue& queue() const { return default_queue(); }
  const Array<std::int32_t>& status() const { return data_->reports.status; }
  const SolverReports& reports() const { return data_->reports; }
  int contacts_seen() const { return data_->contacts_seen; }

 private:
  struct Data {
    Model model;
    DriftConfig config;
    SolverReports reports{};
    int contacts_seen = 0;
  };
  std::shared_ptr<Data> data_;
};

// Proves that names are looked up in the list, and that a wrong one is told the right ones.
TEST(Solvers, AreFoundByName) {
  const Model model = balls();
  ASSERT_FALSE(solver_names().empty());
  for (const std::string& name : solver_names()) {
    EXPECT_EQ(make_solver(name, model).name(), name);
    EXPECT_EQ(Simulation(model, name).step().size(), 3);
  }
  EXPECT_STREQ(Simulation(model).solver().name(), kDefaultSolver);
  const std::string error = error_of([&] { Simulation(model, "bullet"); });
  EXPECT_TRUE(has_all(error, {"'bullet'", "unknown"})) << error;
  for (const std::string& name : solver_names()) EXPECT_TRUE(has_all(error, {name.c_str()})) << error;
}

// Proves that every option can be set by its name, and that wrong ones are refused with what there is.
TEST(Solvers, OptionsByName) {
  const Model model = balls();
  for (const SolverOption& option : solver_options("mujoco")) make_solver("mujoco", model, {option});
  const Solver solver = make_solver("mujoco", model, {{"iterations", 20}, {"tolerance", 0.25}});
  EXPECT_EQ(solver.as<SolverMuJoCo>().config().iterations, 20);
  EXPECT_EQ(solver.as<SolverMuJoCo>().config().tolerance, Real(0.25));
  EXPECT_EQ(solver.as<SolverMuJoCo>().config().ls_iterations, SolverMuJoCoConfig{}.ls_iterations);
  const std::string unknown = error_of([&] { make_solver("mujoco", model, {{"iteration", 20}}); });
  EXPECT_TRUE(has_all(unknown, {"'iteration'", "\"iterations\"", "\"tolerance\""})) << unknown;
  const std::string half = error_of([&] { make_solver("mujoco", model, {{"iterations", 1.5}}); });
  EXPECT_TRUE(has_all(half, {"iterations", "whole number", "1.5"})) << half;
  EXPECT_TRUE(has_all(error_of([&] { solver_options("bullet"); }), {"'bullet'"}));
}

// Proves that a user's own solver is stepped, with the contacts of each step, and can be asked afterwards.
TEST(Solvers, OfAUser) {
  const Model model = balls();
  const Drift drift(model, {.speed = 2});
  Simulation simulation(model, drift, kDt);
  EXPECT_STREQ(simulation.solver().name(), "drift");
  EXPECT_EQ(simulation.step(10)[0], 0);
  EXPECT_NEAR(simulation.state().joint_q[0], 10 * 2 * kDt, Real(1e-5));
  EXPECT_EQ(simulation.state().joint_q[2], kStanding);
  EXPECT_EQ(drift.contacts_seen(), 20) << "the solver that was given is the one that stepped";
  EXPECT_EQ(simulation.solver().as<Drift>().contacts_seen(), 20);
  EXPECT_EQ(simulation.solver().get_if<SolverMuJoCo>(), nullptr);
  const std::string error = error_of([&] { simulation.solver().as<SolverMuJoCo>(); });
  EXPECT_TRUE(has_all(error, {"\"drift\"", "\"mujoco\""})) << error;
}

// Proves that reports are arrays of the solver, the same ones for every look, written by each step.
TEST(Solvers, ReportInArrays) {
  const Model model = balls();
  const SolverMuJoCo solver(model);
  const SolverReports reports = solver.reports();
  visit_reports([&](const char* name, auto array, const char*) { EXPECT_EQ((reports.*array).size(), 3) << name; });
  Simulation simulation(model, solver, kDt);
  simulation.step();
  EXPECT_EQ(reports.contacts[0], 1);
  EXPECT_EQ(reports.rows[0], 4);
  EXPECT_EQ(reports.frictional[1], 1);
  EXPECT_EQ(reports.contacts[2], 0);
  EXPECT_EQ(reports.rows[2], 0);
  visit_reports([&](const char* name, auto array, const char*) {
    EXPECT_EQ((reports.*array).data(), (simulation.solver().reports().*array).data()) << name;
  });
  EXPECT_EQ(reports.status.data(), solver.status().data());
}

// Proves that the contacts of a Simulation are those of its last step, and those of its state where there is none:
// after a reset of all worlds and after restore(). A reset of one world leaves the forces of the others.
TEST(Solvers, ContactsAfterResets) {
  const Model model = balls();
  Simulation simulation(model, "mujoco", kDt);
  EXPECT_EQ(simulation.contacts().rigid_contact_count[0], 2) << "of the initial state";
  EXPECT_EQ(simulation.contacts().rigid_contact_force[1].z, 0);
  simulation.step(30);
  const auto pushes = [&](int c) { return simulation.contacts().rigid_contact_force[c].z > 1; };
  EXPECT_TRUE(pushes(0) && pushes(1));
  const Simulation::Snapshot standing = simulation.snapshot();

  simulation.reset(std::vector<std::uint8_t>{1, 0, 0});
  EXPECT_TRUE(pushes(1)) << "of a world that was not reset";
  simulation.state().joint_q[2] = simulation.state().joint_q[9] = 3;
  simulation.step();
  EXPECT_EQ(simulation.contacts().rigid_contact_count[0], 0);
  simulation.reset();
  EXPECT_EQ(simulation.contacts().rigid_contact_count[0], 2);
  EXPECT_EQ(simulation.contacts().rigid_contact_age[0], 0);
  EXPECT_FALSE(pushes(0) || pushes(1)) << "no step has solved them";
  simulation.step();
  simulation.state().joint_q[2] = 3;
  simulation.step();
  EXPECT_EQ(simulation.contacts().rigid_contact_count[0], 1);
  simulation.restore(standing);
  EXPECT_EQ(simulation.contacts().rigid_contact_count[0], 2);
  EXPECT_FALSE(pushes(0) || pushes(1));
}

}  // namespace
}  // namespace carom
