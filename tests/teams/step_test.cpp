// The step of SolverMuJoCo by teams of threads, under the thread sanitizer: its text is the one that a GPU runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>

#include "solvers/mujoco/kernels.h"
#include "solvers/mujoco/plans.h"
#include "solvers/mujoco/world_order.h"
#include "tests/sim/large_trees.h"
#include "tests/sim/step_scenes.h"
#include "tests/teams/thread_team.h"

namespace carom {
namespace {

using step_scenes::kDt;
using step_scenes::Worlds;
using testing::run_team;
using testing::ThreadTeam;

// The worlds of a model that are of one archetype, ready to be stepped from a state.
class Stepper {
 public:
  Stepper(const Model& model, const State& state, const Control& control)
      : model_(model),
        state_(state),
        control_(control),
        contacts_(CollisionPipeline(model).collide(state)),
        material_(contacts_.rigid_contact_shape0.size()),
        extras_(material_.size()) {
    plans_.keep_up(model_, Queue(Device{}));
    for (const PartRows& part : plan().archetype.parts) ids_.push_back(part.id);
    launch(Queue(Device{}), static_cast<int>(material_.size()),
           CombineMaterials{contacts_.rigid_contact_count.data(), contacts_.rigid_contact_shape0.data(),
                            contacts_.rigid_contact_shape1.data(), plans_.shapes.data(), 2 * kDt, material_.data(),
                            contacts_.rigid_contact_force.data(), 1, plans_.pairs.view()});
    if (plans_.traits.has_extras)
      launch(Queue(Device{}), static_cast<int>(material_.size()),
             extras_kernel(model_, plans_, contacts_, state_, kDt, material_, extras_));
  }

  // What a step leaves behind.
  struct Result {
    Array<Real> joint_q, joint_qd, joint_qdd, act, ctrl_history, joint_spring_shift;
    Array<RealN<2>> tendon_spring_shift;
    SolverReports reports;
    Array<Vec3> force;
  };

  // Takes no more contacts of each kind than there is room for, as on a GPU. run(kernel) runs it in all worlds.
  template <class Run>
  Result step(int room, const Run& run) const {
    const SolverMuJoCoConfig config;
    Result r{state_.joint_q.clone(),
             state_.joint_qd.clone(),
             state_.joint_qdd.clone(),
             state_.act.clone(),
             state_.ctrl_history.clone(),
             state_.joint_spring_shift.clone(),
             state_.tendon_spring_shift.clone(),
             make_reports(model_.world_count),
             Array<Vec3>(material_.size())};
    MuJoCoStep kernel = plan().kernel(plans_.parts, state_, control_, kDt);
    kernel.worlds = {ids_.data(), static_cast<std::int64_t>(ids_.size())};
    kernel.options = model_.options;
    kernel.newton = {config.tolerance, config.ls_tolerance, config.iterations, config.ls_iterations};
    kernel.contacts = contact_view(contacts_, material_, plans_.traits);
    if (plans_.traits.has_extras) kernel.contacts.extras = extras_.data();
    kernel.contacts.force = r.force.data();
    kernel.contact_capacity = room;
    kernel.out.joint_q = r.joint_q.data();
    kernel.out.joint_qd = r.joint_qd.data();
    kernel.out.joint_qdd = r.joint_qdd.data();
    kernel.out.act = r.act.data();
    kernel.out.ctrl_history = r.ctrl_history.data();
    kernel.out.spring_shifts = {r.joint_spring_shift.data(), reinterpret_cast<Real*>(r.tendon_spring_shift.data())};
    kernel.out.report = report_view(r.reports);
    run(kernel);
    return r;
  }

 private:
  const MuJoCoPlan& plan() const {
    for (const MuJoCoPlan& plan : plans_.plans)
      if (plan.archetype.parts.front().world >= 0) return plan;
    throw Error("the model has no worlds");
  }

  Model model_;
  MuJoCoPlans plans_;
  std::vector<int> ids_;
  State state_;
  Control control_;
  Contacts contacts_;
  Array<ContactMaterial> material_;
  Array<ContactExtras> extras_;
};

void run_alone(const MuJoCoStep& kernel) {
  run_lanes_on_cpu(Queue({}, {.lanes = 1}), kernel, static_cast<int>(kernel.worlds.size));
}

// The phases one after the other, as on a GPU.
template <int T, bool alternate = false>
void run_in_teams(const MuJoCoStep& step) {
  const auto places = static_cast<int>(step.worlds.size);
  KeptParts kept(step);
  kept.alternate = alternate;
  // What is read before it is written is not a number.
  constexpr KeptParts::Unit kNotWritten{{~0u, ~0u, ~0u, ~0u}};
  std::vector<KeptParts::Unit> numbers(kept.memory_bytes(places) / sizeof(KeptParts::Unit), kNotWritten);
  kept.first = numbers.data();
  const auto run = [&](const auto& phase) {
    constexpr char kBehind = 0x5a;
    const std::int64_t bytes = phase.template memory_bytes<ThreadTeam<T, true>>();
    std::vector<KeptParts::Unit> room(bytes / sizeof(KeptParts::Unit) + 2, kNotWritten);
    char* const memory = reinterpret_cast<char*>(room.data());
    std::fill(memory + bytes, memory + room.size() * sizeof(KeptParts::Unit), kBehind);
    for (int place = 0; place < places; ++place)
      run_team<T, true>([&](ThreadTeam<T, true> team) { phase(team, place, memory); });
    for (std::size_t i = bytes; i < room.size() * sizeof(KeptParts::Unit); ++i) EXPECT_EQ(memory[i], kBehind);
  };
  run(BeginStep{step, kept});
  run(SolveStep{step, kept});
  run(EndStep{step, kept});
}

void expect_same(const Stepper::Result& a, const Stepper::Result& b, const std::string& what) {
  using step_scenes::same_bits;
  EXPECT_TRUE(same_bits(a.joint_q, b.joint_q)) << what;
  EXPECT_TRUE(same_bits(a.joint_qd, b.joint_qd)) << what;
  EXPECT_TRUE(same_bits(a.joint_qdd, b.joint_qdd)) << what;
  EXPECT_TRUE(same_bits(a.act, b.act)) << what;
  EXPECT_TRUE(same_bits(a.ctrl_history, b.ctrl_history)) << what;
  EXPECT_TRUE(same_bits(a.joint_spring_shift, b.joint_spring_shift)) << what;
  EXPECT_TRUE(same_bits(a.tendon_spring_shift, b.tendon_spring_shift)) << what;
  EXPECT_TRUE(same_bits(a.force, b.force)) << what;
  const SolverReports &x = a.reports, &y = b.reports;
  for (const auto column : {&SolverReports::status, &SolverReports::contacts, &SolverReports::rows,
                            &SolverReports::iterations, &SolverReports::needed, &SolverReports::frictional})
    EXPECT_TRUE(same_bits(x.*column, y.*column)) << what;
  for (std::int64_t w = 0; w < x.residual.size(); ++w) {
    const Real p = x.residual[w], q = y.residual[w];
    EXPECT_TRUE(std::memcmp(&p, &q, sizeof(p)) == 0 || (p != p && q != q)) << what;
  }
}

// A scene after some steps, with everything that can act on it: controls, forces on joints and bodies.
Simulation moved(const Worlds& worlds, int steps) {
  Simulation simulation(worlds.model, SolverMuJoCo(worlds.model), kDt);
  begin_phase(worlds, simulation, 0);
  for (int i = 0; i < steps; ++i) simulation.step();
  return simulation;
}

// That teams have no races and the bits of one thread: with limits, tendons, friction, constraints between bodies,
// several trees in a world and forces on bodies, from steps with contacts on.
void expect_teams_step_like_one_thread(Cone cone, int sweeps = 0, bool diagexact = false) {
  for (int kind = 0; kind < static_cast<int>(step_scenes::kKinds.size()); ++kind) {
    Worlds worlds = step_scenes::make_worlds({4 + kind, 8 + kind}, kind);
    worlds.model.options.cone = cone;
    worlds.model.options.noslip_iterations = sweeps, worlds.model.options.diagexact = diagexact;
    int rows = 0, contacts = 0;
    for (const int steps : {1, 150}) {
      const Simulation simulation = moved(worlds, steps);
      const Stepper stepper(worlds.model, simulation.state(), simulation.control());
      const Stepper::Result expected = stepper.step(32, run_alone);
      const std::string what = std::string(step_scenes::kKinds[kind].name) + " after " + std::to_string(steps);
      expect_same(stepper.step(32, run_in_teams<4>), expected, what);
      expect_same(stepper.step(32, run_in_teams<1>), expected, what);
      expect_same(stepper.step(32, run_in_teams<4, true>), expected, what + ", on copies");
      // Few blocks of rows in memory that the team shares, instead of each thread's own (SmallRowSpace).
      expect_same(stepper.step(32, run_in_teams<16>), expected, what + ", by many");
      for (int w = 0; w < worlds.model.world_count; ++w) {
        EXPECT_EQ(expected.reports.status[w], 0) << what;
        rows += expected.reports.rows[w];
        contacts += expected.reports.contacts[w];
      }
    }
    EXPECT_GT(rows, 0) << step_scenes::kKinds[kind].name;
    EXPECT_GT(contacts, 0) << step_scenes::kKinds[kind].name;
  }
}

TEST(Teams, StepLikeOneThread) { expect_teams_step_like_one_thread(Cone::kPyramidal); }
TEST(Teams, StepInConesLikeOneThread) { expect_teams_step_like_one_thread(Cone::kElliptic); }
TEST(Teams, StepWithoutSlipLikeOneThread) { expect_teams_step_like_one_thread(Cone::kPyramidal, 2); }
TEST(Teams, StepWithoutSlipInConesLikeOneThread) { expect_teams_step_like_one_thread(Cone::kElliptic, 2); }
TEST(Teams, StepWithExactDiagonalsLikeOneThread) {
  expect_teams_step_like_one_thread(Cone::kPyramidal, 0, true);
  expect_teams_step_like_one_thread(Cone::kElliptic, 0, true);
}

// Proves the same for steps that are implicit in more than the damping of joints, in a fluid.
TEST(Teams, StepImplicitlyLikeOneThread) {
  for (int kind = 0; kind < static_cast<int>(step_scenes::kKinds.size()); ++kind) {
    Worlds worlds = step_scenes::make_worlds({4 + kind, 8 + kind}, kind);
    const Simulation simulation = moved(worlds, 50);
    worlds.model.options.density = 50, worlds.model.options.viscosity = Real(0.1);
    const auto step = [&](Integrator integrator, const auto& run) {
      worlds.model.options.integrator = integrator;
      return Stepper(worlds.model, simulation.state(), simulation.control()).step(32, run);
    };
    for (const Integrator integrator : {Integrator::kImplicitFast, Integrator::kImplicit, Integrator::kDiscrete}) {
      const Stepper::Result expected = step(integrator, run_alone);
      const std::string what = std::string(step_scenes::kKinds[kind].name) + ", " + integrator_name(integrator);
      expect_same(step(integrator, run_in_teams<4>), expected, what);
      expect_same(step(integrator, run_in_teams<1>), expected, what);
      expect_same(step(integrator, run_in_teams<4, true>), expected, what + ", on copies");
      EXPECT_FALSE(step_scenes::same_bits(step(Integrator::kEuler, run_alone).joint_qd, expected.joint_qd)) << what;
    }
  }
}

// Proves the same for Discrete, whose rows are others, in cones and with exact diagonals.
TEST(Teams, StepDiscretelyLikeOneThread) {
  for (int kind = 0; kind < static_cast<int>(step_scenes::kKinds.size()); ++kind) {
    Worlds worlds = step_scenes::make_worlds({4 + kind, 8 + kind}, kind, {}, {.integrator = Integrator::kDiscrete});
    for (const bool exact : {false, true}) {
      worlds.model.options.cone = exact ? Cone::kElliptic : Cone::kPyramidal;
      worlds.model.options.diagexact = exact;
      const Simulation simulation = moved(worlds, 100);
      const Stepper stepper(worlds.model, simulation.state(), simulation.control());
      const Stepper::Result expected = stepper.step(32, run_alone);
      const std::string what = std::string(step_scenes::kKinds[kind].name) + (exact ? ", exact" : "");
      expect_same(stepper.step(32, run_in_teams<4>), expected, what);
      expect_same(stepper.step(32, run_in_teams<4, true>), expected, what + ", on copies");
      expect_same(stepper.step(32, run_in_teams<16>), expected, what + ", by many");
      for (int w = 0; w < worlds.model.world_count; ++w) EXPECT_EQ(expected.reports.status[w], 0) << what;
    }
  }
}

// Proves the same for the stages of RK4, each from where the last one led to.
TEST(Teams, StagesOfRungeKuttaLikeOneThread) {
  for (int kind = 0; kind < static_cast<int>(step_scenes::kKinds.size()); ++kind) {
    Worlds worlds = step_scenes::make_worlds({4 + kind, 8 + kind}, kind);
    const Simulation simulation = moved(worlds, 50);
    worlds.model.options.integrator = Integrator::kRK4;
    struct {
      State state;
      Array<Real> kept, sum_act, strokes;
    } of_run[2];
    for (auto& run : of_run) {
      run.state = simulation.state().clone();
      run.kept = Array<Real>(RungeKuttaWork<Real>::kColumns * worlds.model.joint_dof_count);
      run.sum_act = Array<Real>(worlds.model.act_count);
    }
    for (int stage = 0; stage < kRungeKuttaStages; ++stage) {
      Stepper::Result result[2];
      for (int i = 0; i < 2; ++i) {
        auto& own = of_run[i];
        const auto run = [&](MuJoCoStep kernel) {
          const std::int64_t strokes = SpringYields<Real>::kept_strokes(kernel.forces);
          if (stage == 0) own.strokes = Array<Real>(strokes * worlds.model.world_count);
          kernel.strokes = own.strokes.data();
          kernel.runge_kutta = {stage,           simulation.state().joint_q.data(), simulation.state().joint_qd.data(),
                                own.kept.data(), simulation.state().act.data(),     own.sum_act.data()};
          if (i == 0) run_alone(kernel);
          else run_in_teams<4>(kernel);
        };
        result[i] = Stepper(worlds.model, own.state, simulation.control()).step(32, run);
        own.state.joint_q.assign(result[i].joint_q);
        own.state.joint_qd.assign(result[i].joint_qd);
        own.state.joint_qdd.assign(result[i].joint_qdd);
        own.state.act.assign(result[i].act);
        own.state.ctrl_history.assign(result[i].ctrl_history);
        own.state.joint_spring_shift.assign(result[i].joint_spring_shift);
        own.state.tendon_spring_shift.assign(result[i].tendon_spring_shift);
        eval_fk(worlds.model, own.state.joint_q, own.state.joint_qd, own.state);
      }
      expect_same(result[1], result[0],
                  std::string(step_scenes::kKinds[kind].name) + ", stage " + std::to_string(stage));
    }
  }
}

// Proves that worlds in the order of their rows are all there, the ones with most blocks of rows first, that the
// classes begin where their numbers of blocks do, and that the order changes nothing in a step.
TEST(Teams, WorldsInOrderOfTheirRows) {
  std::vector<int> numbers(16);
  std::iota(numbers.begin(), numbers.end(), 0);
  const Worlds worlds = step_scenes::make_worlds(numbers, 0);
  const Simulation simulation = moved(worlds, 100);
  const Stepper stepper(worlds.model, simulation.state(), simulation.control());
  const Stepper::Result expected = stepper.step(32, run_alone);
  const auto run_in_order = [&](MuJoCoStep kernel) {
    constexpr RowRule kRule{.few = 2, .some = 3};
    WorldOrder order;
    std::vector<RowCount> count(numbers.size());
    const int* const start = order.send(Queue(), kernel, count.data(), kRule);
    EXPECT_EQ(start[0], 0);
    EXPECT_EQ(start[kRowClasses], static_cast<int>(numbers.size()));
    std::set<int> seen;
    int last = std::numeric_limits<int>::max();
    for (int i = 0; i < static_cast<int>(kernel.worlds.size); ++i) {
      const int blocks = row_blocks(count[kernel.worlds[i]]);
      EXPECT_LE(blocks, last);
      const int of_class = blocks > kRule.some ? 0 : blocks > kRule.few ? 1 : 2;
      EXPECT_EQ(std::upper_bound(start, start + kRowClasses, i) - start - 1, of_class) << blocks << " blocks";
      seen.insert(kernel.worlds[i]);
      last = blocks;
    }
    EXPECT_EQ(seen.size(), numbers.size());
    for (int c = 0; c < kRowClasses; ++c) EXPECT_LT(start[c], start[c + 1]) << "no world in class " << c;
    run_alone(kernel);
  };
  expect_same(stepper.step(32, run_in_order), expected, "in order");
}

// Proves the same for trees of more than 64 blocks: coils of a rope, branches that contacts couple, a chain at its
// limits.
TEST(Teams, StepLargeTreesLikeOneThread) {
  const std::pair<const char*, ModelBuilder> scenes[]{{"coils", large_trees::rope(64)},
                                                      {"branches", large_trees::fringe(4, 16)},
                                                      {"chain", large_trees::chain(196, true)}};
  int iterations = 0;
  for (const auto& [name, world] : scenes) {
    ModelBuilder builder;
    builder.add_ground_plane();
    builder.add_world(world);
    const Model model = builder.finalize();
    const Stepper stepper(model, model.state(), model.control());
    const Stepper::Result expected = stepper.step(512, run_alone);
    expect_same(stepper.step(512, run_in_teams<4>), expected, name);
    expect_same(stepper.step(512, run_in_teams<1>), expected, name);
    EXPECT_EQ(expected.reports.status[0], 0) << name;
    EXPECT_GE(expected.reports.rows[0], 10) << name;
    iterations += expected.reports.iterations[0];
  }
  EXPECT_GT(iterations, 1);
}

// Balls beside each other on the ground, every second one without friction.
Model balls(int count) {
  ModelBuilder builder, world;
  for (int i = 0; i < count; ++i) {
    ShapeConfig cfg;
    cfg.condim = i % 2 ? 1 : 3;
    const int body = world.add_body({.xform = step_scenes::at(Real(i), 0, Real(0.0999))});
    world.add_shape_sphere(body, Real(0.1), {.cfg = cfg});
  }
  ShapeConfig ground;
  ground.condim = 1;
  builder.add_ground_plane(0, {.cfg = ground});
  builder.add_world(world);
  return builder.finalize();
}

// Proves that a team reports contacts of either kind that find no room, whichever of its threads looks first.
TEST(Teams, ReportContactsWithoutRoom) {
  const Model model = balls(9);
  const Stepper stepper(model, model.state(), model.control());
  const Stepper::Result expected = stepper.step(2, run_alone);
  EXPECT_EQ(expected.reports.status[0], kStatusOverflow);
  EXPECT_EQ(expected.reports.needed[0], 5);
  for (int i = 0; i < 10; ++i) expect_same(stepper.step(2, run_in_teams<4>), expected, std::to_string(i));
}

// Proves that a team agrees about a world that stops being finite, and keeps its last good state.
TEST(Teams, KeepAWorldThatIsNotFinite) {
  const Worlds worlds = step_scenes::make_worlds({6}, 2);
  const Simulation simulation = moved(worlds, 30);
  simulation.state().joint_qd[0] = std::numeric_limits<Real>::infinity();
  const Stepper stepper(worlds.model, simulation.state(), simulation.control());
  const Stepper::Result expected = stepper.step(32, run_alone);
  EXPECT_NE(expected.reports.status[0] & kStatusNotFinite, 0);
  expect_same(stepper.step(32, run_in_teams<4>), expected, "infinite velocity");
}

}  // namespace
}  // namespace carom
