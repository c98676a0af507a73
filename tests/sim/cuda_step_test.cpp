// Steps on a GPU: the same bits as on the CPU, for worlds of all kinds with contacts, limits, tendons and inputs. Not
// run where there is no GPU.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <numeric>

#include "scenes/scenes.h"
#include "tests/same_contacts.h"
#include "tests/sim/large_trees.h"
#include "tests/sim/step_scenes.h"
#include "tests/sim/sticky_piles.h"

namespace carom {
namespace {

using step_scenes::Worlds;

class CudaStep : public ::testing::Test {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "NOT RUN ON CUDA: this build or machine has no CUDA device";
  }

  static Device cuda() { return Device::parse("cuda"); }

  // State and control of a simulation of another, equal model.
  static void copy_inputs(const Simulation& from, const Simulation& to) {
    const State &state = from.state(), &other = to.state();
    visit_state([&](const char*, Entity, auto get) { get(other).assign(get(state)); });
    visit_control([&](const char*, Entity, auto get) { get(to.control()).assign(get(from.control())); });
  }

  template <class T>
  static void expect_same_bits(const Array<T>& a, const Array<T>& b, const char* what) {
    const Array<T> x = a.on_cpu(), y = b.on_cpu();
    ASSERT_EQ(x.size(), y.size()) << what;
    EXPECT_TRUE(step_scenes::same_bits(x, y)) << what;
  }
};

class CudaStepOfTeams : public CudaStep, public ::testing::WithParamInterface<int> {
 protected:
  void expect_bits_of_the_cpu(int worlds, int kind, const ModelOptions& options);
};
INSTANTIATE_TEST_SUITE_P(TeamSizes, CudaStepOfTeams, ::testing::Values(1, 8, 32));

// That states, status and contacts are the CPU's, step by step and many steps in one call.
void CudaStepOfTeams::expect_bits_of_the_cpu(int worlds, int kind, const ModelOptions& options) {
  std::vector<int> numbers(worlds);
  std::iota(numbers.begin(), numbers.end(), 0);
  const Worlds on_cpu = step_scenes::make_worlds(numbers, kind, {}, options),
               on_gpu = step_scenes::make_worlds(numbers, kind, cuda(), options);
  Simulation cpu(on_cpu.model, SolverMuJoCo(on_cpu.model, {.max_contacts = 64}), step_scenes::kDt);
  Simulation gpu(on_gpu.model, SolverMuJoCo(on_gpu.model, {.max_contacts = 64, .team_size = GetParam()}),
                 step_scenes::kDt);
  for (int phase = 0; phase < step_scenes::kPhases; ++phase) {
    step_scenes::begin_phase(on_cpu, cpu, phase);
    // Contacts of worlds that begin anew have no age.
    const std::vector<std::uint8_t> mask = step_scenes::worlds_to_reset(on_gpu, phase);
    if (!mask.empty()) gpu.reset(mask);
    copy_inputs(cpu, gpu);  // the rest of the states agrees already
    for (const int steps : {1, 1, 1, 25}) {
      cpu.step(steps);
      gpu.step(steps);
      visit_state(
          [&](const char* name, Entity, auto get) { expect_same_bits(get(cpu.state()), get(gpu.state()), name); });
      expect_same_bits(cpu.status(), gpu.status(), "status");
      expect_same_contacts(cpu.contacts(), gpu.contacts());
      if (HasFailure()) FAIL() << "phase " << phase;
    }
  }
}

// Proves it for worlds of all kinds, for each integrator, and in cones of friction.
TEST_P(CudaStepOfTeams, SameBitsAsTheCpu) { expect_bits_of_the_cpu(60, -1, {}); }
TEST_P(CudaStepOfTeams, ConstraintsHaveTheBitsOfTheCpu) { expect_bits_of_the_cpu(20, 4, {}); }
TEST_P(CudaStepOfTeams, ImplicitStepsHaveTheBitsOfTheCpu) {
  expect_bits_of_the_cpu(24, -1, {.integrator = Integrator::kImplicitFast});
  expect_bits_of_the_cpu(12, 4, {.integrator = Integrator::kImplicitFast});
  expect_bits_of_the_cpu(24, -1, {.integrator = Integrator::kImplicit});
  expect_bits_of_the_cpu(12, 4, {.integrator = Integrator::kImplicit});
  expect_bits_of_the_cpu(12, 5, {.integrator = Integrator::kImplicit, .density = 100});
}
TEST_P(CudaStepOfTeams, DiscreteStepsHaveTheBitsOfTheCpu) {
  expect_bits_of_the_cpu(24, -1, {.integrator = Integrator::kDiscrete});
  expect_bits_of_the_cpu(12, 4, {.integrator = Integrator::kDiscrete});
  expect_bits_of_the_cpu(12, 4, {.integrator = Integrator::kDiscrete, .cone = Cone::kElliptic, .diagexact = true});
  for (const int kind : {5, 6, 7, 8})
    expect_bits_of_the_cpu(12, kind, {.integrator = Integrator::kDiscrete, .density = 100, .wind = {1, 2, 0}});
}
TEST_P(CudaStepOfTeams, ConesHaveTheBitsOfTheCpu) {
  expect_bits_of_the_cpu(40, -1, {.cone = Cone::kElliptic, .impratio = 5});
  expect_bits_of_the_cpu(12, 4, {.cone = Cone::kElliptic});
}
TEST_P(CudaStepOfTeams, RungeKuttaHasTheBitsOfTheCpu) {
  expect_bits_of_the_cpu(24, -1, {.integrator = Integrator::kRK4});
  expect_bits_of_the_cpu(12, 4, {.integrator = Integrator::kRK4, .cone = Cone::kElliptic});
}

TEST_P(CudaStepOfTeams, StepsWithoutSlipHaveTheBitsOfTheCpu) {
  expect_bits_of_the_cpu(24, -1, {.noslip_iterations = 3});
  expect_bits_of_the_cpu(12, 4, {.cone = Cone::kElliptic, .noslip_iterations = 2});
  expect_bits_of_the_cpu(12, 2, {.cone = Cone::kElliptic, .noslip_iterations = 2});
}
TEST_P(CudaStepOfTeams, ExactDiagonalsHaveTheBitsOfTheCpu) {
  expect_bits_of_the_cpu(24, -1, {.diagexact = true});
  expect_bits_of_the_cpu(12, 4, {.cone = Cone::kElliptic, .diagexact = true});
}
TEST_P(CudaStepOfTeams, StringsAndMusclesHaveTheBitsOfTheCpu) {
  const Vec3 wind{1, 2, 0};
  expect_bits_of_the_cpu(20, 5, {});
  expect_bits_of_the_cpu(12, 5, {.integrator = Integrator::kImplicitFast, .density = 100, .wind = wind});
  expect_bits_of_the_cpu(12, 5, {.integrator = Integrator::kRK4, .viscosity = 1});
}

TEST_P(CudaStepOfTeams, ScrapyardsHaveTheBitsOfTheCpu) {
  expect_bits_of_the_cpu(20, 7, {});
  expect_bits_of_the_cpu(12, 7, {.integrator = Integrator::kImplicitFast});
  expect_bits_of_the_cpu(12, 7, {.integrator = Integrator::kRK4});
}

TEST_P(CudaStepOfTeams, FactoriesHaveTheBitsOfTheCpu) {
  expect_bits_of_the_cpu(20, 6, {});
  expect_bits_of_the_cpu(12, 6, {.integrator = Integrator::kImplicitFast, .cone = Cone::kElliptic, .impratio = 3});
  expect_bits_of_the_cpu(12, 6, {.integrator = Integrator::kRK4, .cone = Cone::kElliptic, .refsafe = false});
  expect_bits_of_the_cpu(12, 6, {.integrator = Integrator::kImplicitFast, .density = 100, .wind = {1, 2, 0}});
}

TEST_P(CudaStepOfTeams, WorkshopsHaveTheBitsOfTheCpu) {
  expect_bits_of_the_cpu(20, 8, {});
  expect_bits_of_the_cpu(12, 8, {.integrator = Integrator::kImplicitFast});
  expect_bits_of_the_cpu(12, 8, {.integrator = Integrator::kRK4});
}

// Proves the same for single trees of more than 192 degrees of freedom, which are one part of a world.
TEST_P(CudaStepOfTeams, LargeTreesHaveTheBitsOfTheCpu) {
  const auto model_on = [](Device device) {
    ModelBuilder builder;
    builder.add_ground_plane();
    builder.replicate(large_trees::fringe(4, 16), 2);
    builder.replicate(large_trees::rope(64), 1);
    return builder.finalize(device);
  };
  const Model on_cpu = model_on({}), on_gpu = model_on(cuda());
  Simulation cpu(on_cpu, SolverMuJoCo(on_cpu, {.max_contacts = 512}), step_scenes::kDt);
  Simulation gpu(on_gpu, SolverMuJoCo(on_gpu, {.max_contacts = 512, .team_size = GetParam()}), step_scenes::kDt);
  for (const int steps : {1, 4}) {
    cpu.step(steps);
    gpu.step(steps);
    visit_state(
        [&](const char* name, Entity, auto get) { expect_same_bits(get(cpu.state()), get(gpu.state()), name); });
    expect_same_bits(cpu.status(), gpu.status(), "status");
    expect_same_contacts(cpu.contacts(), gpu.contacts());
  }
  EXPECT_GT(cpu.contacts().rigid_contact_count[0], 100);
}

// Worlds that are taken apart: towers, a pile that is not factored, a rope with plates on it, and small worlds beside.
Model large_worlds(Device device) {
  ModelBuilder builder, towers;
  for (int i = 0; i < 300; ++i) {
    const int body = towers.add_body({.xform = step_scenes::at(Real(i / 3), 0, Real(0.1) + Real(0.2) * Real(i % 3))});
    towers.add_shape_box(body, Real(0.1), Real(0.1), Real(0.1));
  }
  builder.add_ground_plane();
  builder.replicate(towers, 2);
  builder.add_world(scenes::bin(60, scenes::BinOf::kBoxes));
  ModelBuilder rope = large_trees::laden_rope(24, 2);
  for (int i = 0; i < 20; ++i)  // so that the world is taken apart
    rope.add_shape_sphere(rope.add_body({.xform = step_scenes::at(Real(2 + i), 0, Real(0.1))}), Real(0.1));
  builder.add_world(rope);
  for (const int number : {0, 1, 2, 3}) builder.add_world(step_scenes::build_world(number));
  return builder.finalize(device);
}

// Proves that worlds of more than 192 degrees of freedom in several trees have the states, reports and contacts of the
// CPU, in steps that are sent one by one and as a graph, and that a world which stops being finite stops as a whole.
TEST_P(CudaStepOfTeams, LargeWorldsHaveTheBitsOfTheCpu) {
  const Model on_cpu = large_worlds({}), on_gpu = large_worlds(cuda());
  const SolverMuJoCo solver_cpu(on_cpu, {.max_contacts = 512}),
      solver_gpu(on_gpu, {.max_contacts = 512, .team_size = GetParam()});
  Simulation cpu(on_cpu, solver_cpu, step_scenes::kDt), gpu(on_gpu, solver_gpu, step_scenes::kDt);
  const auto expect_same_steps = [&](int steps) {
    cpu.step(steps);
    gpu.step(steps);
    visit_state(
        [&](const char* name, Entity, auto get) { expect_same_bits(get(cpu.state()), get(gpu.state()), name); });
    expect_same_bits(cpu.status(), gpu.status(), "status");
  };
  const auto expect_all_the_same = [&](int steps) {
    expect_same_steps(steps);
    expect_same_contacts(cpu.contacts(), gpu.contacts());
    const SolverReports &a = solver_cpu.reports(), &b = solver_gpu.reports();
    for (const auto column : {&SolverReports::contacts, &SolverReports::rows, &SolverReports::iterations,
                              &SolverReports::needed, &SolverReports::frictional})
      expect_same_bits(a.*column, b.*column, "a report");
    expect_same_bits(a.residual, b.residual, "residual");
  };
  for (const int steps : {1, 2, 2, 2}) expect_all_the_same(steps);  // a graph is recorded when a call comes again
  expect_same_steps(250);                                           // the pile has settled, and more touches
  for (const int steps : {1, 2, 2, 2}) expect_all_the_same(steps);
  EXPECT_GT(cpu.contacts().rigid_contact_count[0], 2'000);
  cpu.state().body_f[3].linear.x = std::numeric_limits<Real>::quiet_NaN();
  copy_inputs(cpu, gpu);
  expect_same_steps(1);
  EXPECT_NE(cpu.status()[0] & kStatusNotFinite, 0);
  EXPECT_EQ(cpu.status()[1], 0);
}

// Proves it of what acts beside the solve of islands: exact diagonals, sweeps without slip, adhesion and actuators of
// bodies.
TEST_P(CudaStepOfTeams, StickyPilesHaveTheBitsOfTheCpu) {
  for (const Cone cone : {Cone::kPyramidal, Cone::kElliptic}) {
    const ModelBuilder builder = step_scenes::sticky_piles(cone);
    const Model on_cpu = builder.finalize(), on_gpu = builder.finalize(cuda());
    Simulation cpu(on_cpu, "mujoco", step_scenes::kDt);
    Simulation gpu(on_gpu, SolverMuJoCo(on_gpu, {.team_size = GetParam()}), step_scenes::kDt);
    for (const int steps : {1, 2, 2, 2, 30}) {
      cpu.step(steps);
      gpu.step(steps);
      visit_state(
          [&](const char* name, Entity, auto get) { expect_same_bits(get(cpu.state()), get(gpu.state()), name); });
      expect_same_contacts(cpu.contacts(), gpu.contacts());
    }
    EXPECT_GT(cpu.contacts().rigid_contact_count[0], 50);
  }
}

// So many worlds that a GPU sorts them by their rows and gives them teams of several sizes: walkers and carts, which
// lie, stand or fall, with joints on both sides of their limits, and a few piles.
Worlds many_worlds(Device device) {
  constexpr int kCopies = 16'500;
  ModelBuilder builder;
  builder.add_ground_plane();
  builder.replicate(step_scenes::walker(0), kCopies);
  builder.replicate(step_scenes::cart_pole(3), kCopies);
  for (const int number : {2, 6, 10}) builder.add_world(step_scenes::pile(number));
  Worlds worlds{builder.finalize(device), std::vector<int>(2 * kCopies + 3)};
  std::iota(worlds.number.begin(), worlds.number.end(), 0);
  return worlds;
}
void scatter(const Worlds& worlds, const State& state) {
  const std::vector<int>& start = worlds.start(Entity::kJointCoord);
  for (std::size_t w = 0; w + 3 < worlds.number.size(); ++w) {
    FixedRandom random(500 + w);
    const bool is_walker = start[w + 1] - start[w] > 7;
    if (is_walker) state.joint_q[start[w] + 2] = Real(0.35) + Real(0.3) * random.next();
    for (int i = start[w] + (is_walker ? 7 : 0); i < start[w + 1]; ++i) state.joint_q[i] = Real(0.9) * random.next();
  }
}

// Proves that sorted worlds in teams of several sizes have the states, reports and contacts of the CPU, in steps that
// are sent one by one and as a graph.
TEST_F(CudaStep, ManyWorldsOfAllSizes) {
  const Worlds on_cpu = many_worlds({}), on_gpu = many_worlds(cuda());
  const SolverMuJoCoConfig config{.max_contacts = 24};  // the workspace of a double-precision walker fits a stack
  const SolverMuJoCo solver_cpu(on_cpu.model, config), solver_gpu(on_gpu.model, config);
  Simulation cpu(on_cpu.model, solver_cpu, step_scenes::kDt), gpu(on_gpu.model, solver_gpu, step_scenes::kDt);
  scatter(on_cpu, cpu.state());
  step_scenes::begin_phase(on_cpu, cpu, 0);
  copy_inputs(cpu, gpu);
  for (const int steps : {1, 3, 3, 3}) {  // a graph is recorded when a call comes again
    cpu.step(steps);
    gpu.step(steps);
    visit_state(
        [&](const char* name, Entity, auto get) { expect_same_bits(get(cpu.state()), get(gpu.state()), name); });
    expect_same_contacts(cpu.contacts(), gpu.contacts());
    const SolverReports &a = solver_cpu.reports(), &b = solver_gpu.reports();
    for (const auto column : {&SolverReports::status, &SolverReports::contacts, &SolverReports::rows,
                              &SolverReports::iterations, &SolverReports::needed, &SolverReports::frictional})
      expect_same_bits(a.*column, b.*column, "report");
    expect_same_bits(a.residual, b.residual, "residual");
    if (HasFailure()) FAIL() << "after " << steps << " steps";
    // No rows, few, and more than row space takes: a walker has six blocks of degrees of freedom.
    int none = 0, few = 0, many = 0;
    for (std::int64_t w = 0; w < a.rows.size(); ++w) {
      none += a.rows[w] == 0;
      few += a.rows[w] > 0 && a.rows[w] <= 8;
      many += a.rows[w] > 24;
    }
    EXPECT_GT(none, 100);
    EXPECT_GT(few, 100);
    EXPECT_GT(many, 100);
  }
}

// Proves that a GPU, which cannot take more room in the middle of a step, says which worlds lost contacts.
TEST_F(CudaStep, OverflowIsReported) {
  const Worlds worlds = step_scenes::make_worlds({2, 3, 6, 7}, -1, cuda());
  Simulation simulation(worlds.model, SolverMuJoCo(worlds.model, {.max_contacts = 1}), step_scenes::kDt);
  std::int32_t seen[4] = {};
  for (int i = 0; i < 100; ++i) {
    const Array<std::int32_t> status = simulation.step().on_cpu();
    for (int w = 0; w < 4; ++w) seen[w] |= status[w];
  }
  for (int w = 0; w < 4; ++w)
    EXPECT_EQ(seen[w] & kStatusOverflow, w % 2 ? 0 : kStatusOverflow)
        << "world " << w;  // piles, and carts with one pole
}

// Proves that a queue, a state or a control of another device is refused.
TEST_F(CudaStep, OtherDevicesAreRefused) {
  const Worlds on_cpu = step_scenes::make_worlds({0}), on_gpu = step_scenes::make_worlds({0}, -1, cuda());
  const Queue queue(Device{});
  EXPECT_THROW(SolverMuJoCo(on_gpu.model, {}, &queue), Error);
  const Queue cuda_queue(cuda());
  EXPECT_THROW(SolverMuJoCo(on_cpu.model, {}, &cuda_queue), Error);
  SolverMuJoCo solver(on_gpu.model);
  const State state = on_gpu.model.state(), other = on_cpu.model.state();
  const Control control = on_gpu.model.control(), other_control = on_cpu.model.control();
  EXPECT_THROW(solver.step(other, state, control, nullptr, step_scenes::kDt), Error);
  EXPECT_THROW(solver.step(state, other, control, nullptr, step_scenes::kDt), Error);
  EXPECT_THROW(solver.step(state, state, other_control, nullptr, step_scenes::kDt), Error);
}

// Proves that edits between recorded steps count on a GPU as they do on the CPU.
TEST_F(CudaStep, EditsAreNoticed) {
  const std::vector<int> numbers{0, 1, 2, 3, 4, 5, 6, 7};
  const Worlds on_cpu = step_scenes::make_worlds(numbers), on_gpu = step_scenes::make_worlds(numbers, -1, cuda());
  const SolverMuJoCoConfig config{.max_contacts = 64};
  Simulation cpu(on_cpu.model, SolverMuJoCo(on_cpu.model, config), step_scenes::kDt);
  Simulation gpu(on_gpu.model, SolverMuJoCo(on_gpu.model, config), step_scenes::kDt);
  const auto expect_same_steps = [&](const char* what) {
    for (int i = 0; i < 5; ++i) cpu.step(), gpu.step();
    visit_state([&](const char*, Entity, auto get) { expect_same_bits(get(cpu.state()), get(gpu.state()), what); });
  };
  step_scenes::begin_phase(on_cpu, cpu, 0);
  copy_inputs(cpu, gpu);
  expect_same_steps("before");
  const auto edit = [&](const std::function<void(ModelNumbers&)>& change) {
    on_cpu.model.edit(change);
    on_gpu.model.edit([&](ModelNumbers& n) {
      visit_columns([&](const ColumnInfo&, auto get) { get(n).assign(get(on_cpu.model)); });
      n.gravity.assign(on_cpu.model.gravity);
    });
  };
  edit([](ModelNumbers& n) { n.body_mass[1] *= 2, n.gravity[3] = {1, 0, -5}; });
  expect_same_steps("masses and gravity");
  edit([](ModelNumbers& n) { n.shape_flags[n.shape_flags.size() - 1] &= ~kShapeCollidesShapes; });
  expect_same_steps("flags of one world");
  on_cpu.model.set_gravity({0, 0, -1});
  on_gpu.model.set_gravity({0, 0, -1});
  expect_same_steps("gravity");
}

// Proves that states used in turn, and states that share some arrays and not others, are not taken for each other.
TEST_F(CudaStep, StatesInTurn) {
  const std::vector<int> numbers{0, 1, 2, 3};
  const Worlds on_cpu = step_scenes::make_worlds(numbers), on_gpu = step_scenes::make_worlds(numbers, -1, cuda());
  SolverMuJoCo cpu(on_cpu.model, {.max_contacts = 64}), gpu(on_gpu.model, {.max_contacts = 64});
  CollisionPipeline pipeline_cpu(on_cpu.model), pipeline_gpu(on_gpu.model);
  const Control control_cpu = on_cpu.model.control(), control_gpu = on_gpu.model.control();
  std::vector<State> a, b;  // on the CPU, on the GPU
  for (int i = 0; i < 6; ++i) a.push_back(on_cpu.model.state()), b.push_back(on_gpu.model.state());
  for (int i = 0; i < 3; ++i) {  // differ from the first three in one array
    a.push_back(a[i]), b.push_back(b[i]);
    a.back().joint_qd = on_cpu.model.state().joint_qd, b.back().joint_qd = on_gpu.model.state().joint_qd;
    a.push_back(a[i]), b.push_back(b[i]);
    a.back().body_q = on_cpu.model.state().body_q, b.back().body_q = on_gpu.model.state().body_q;
  }
  const int count = static_cast<int>(a.size());
  for (int call = 0; call < 8 * count; ++call) {
    const int from = call % 2, to = call < 40 ? 1 - from : (5 * call + 2) % count;
    cpu.step(a[from], a[to], control_cpu, &pipeline_cpu.collide(a[from]), step_scenes::kDt);
    gpu.step(b[from], b[to], control_gpu, &pipeline_gpu.collide(b[from]), step_scenes::kDt);
    for (int i = 0; i < count; ++i)
      visit_state([&](const char* name, Entity, auto get) { expect_same_bits(get(a[i]), get(b[i]), name); });
    if (HasFailure()) FAIL() << "call " << call << ", state " << to;
  }
}

}  // namespace
}  // namespace carom
