// SolverSemiImplicit, SolverFeatherstone and SolverXPBD on a GPU: the same bits as on the CPU, for worlds of all kinds
// side by side, with loops, distance joints, motors, contacts and particles; and snapshots that go on. Not run where
// there is no GPU.
#include <limits>
#include <numeric>

#include "tests/same_contacts.h"
#include "tests/solvers/penalty_scenes.h"
#include "tests/solvers/penalty_worlds.h"

namespace carom {
namespace {

using namespace penalty_worlds;

constexpr Real kDt = Real(0.002);

class CudaSolvers : public PenaltySolvers {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "NOT RUN ON CUDA: this build or machine has no CUDA device";
  }

  static Device cuda() { return Device::parse("cuda"); }

  // With room on a GPU for what a pile touches.
  Simulation simulation(const Model& model, std::vector<SolverOption> options = {}) const {
    options.push_back({"max_contacts", 128});
    return Simulation(model, make_solver(GetParam(), model, options), kDt);
  }

  static void copy_inputs(const Simulation& from, const Simulation& to) {
    const State &state = from.state(), &other = to.state();
    visit_state([&](const char*, Entity, auto get) { get(other).assign(get(state)); });
    visit_control([&](const char*, Entity, auto get) { get(to.control()).assign(get(from.control())); });
  }

  static void expect_same_states(const State& a, const State& b) {
    visit_state([&](const char* name, Entity, auto get) { expect_same_bits(name, get(a), get(b)); });
  }
  static void expect_same_step(const Simulation& a, const Simulation& b) {
    expect_same_states(a.state(), b.state());
    expect_same_bits("status", a.status(), b.status());
    const Contacts &touching = a.contacts(), &others = b.contacts();
    expect_same_contacts(touching, others);
    expect_same_bits("rigid_contact_torque", touching.rigid_contact_torque, others.rigid_contact_torque);
    expect_same_bits("soft_contact_force", touching.soft_contact_force, others.soft_contact_force);
    expect_same_bits("particle_contact_force", touching.particle_contact_force, others.particle_contact_force);
    visit_forces([&](const char* name, auto array, const char*) {
      expect_same_bits(name, a.solver().forces().*array, b.solver().forces().*array);
    });
    expect_same_bits("contacts of worlds", a.solver().reports().contacts, b.solver().reports().contacts);
    expect_same_bits("iterations", a.solver().reports().iterations, b.solver().reports().iterations);
  }

  // Of the motors, with the bits of any device.
  static void drive(const Control& control, int round) {
    FixedRandom random(40 + round);
    for (Real& input : control.ctrl) input = random.next();
    for (Real& force : control.joint_f) force = Real(0.1) * random.next();
  }

  // Steps one by one, as a graph, and as the same graph again.
  void expect_bits_of_the_cpu(const std::vector<int>& kinds, const std::vector<SolverOption>& options = {}) {
    std::vector<int> numbers(kinds.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    Simulation cpu = simulation(model_of(kinds, numbers), options),
               gpu = simulation(model_of(kinds, numbers, cuda()), options);
    push(cpu.state(), numbers);
    int touched = 0, soft = 0;
    for (int round = 0; round < 4; ++round) {
      drive(cpu.control(), round);
      copy_inputs(cpu, gpu);  // the states agree already, but for the push
      for (const int steps : {1, 1, 24, 24}) {
        cpu.step(steps), gpu.step(steps);
        expect_same_step(cpu, gpu);
        if (HasFailure()) FAIL() << "round " << round << ", after " << steps << " steps more";
      }
      touched += cpu.contacts().rigid_contact_count[0];
      soft += cpu.contacts().soft_contact_count[0];
    }
    for (const std::int32_t status : cpu.status()) EXPECT_EQ(status & (kStatusNotFinite | kStatusOverflow), 0);
    EXPECT_GT(touched, 0);
    if (cpu.model().particle_count > 0) {
      EXPECT_GT(soft, 0);
    }
  }
};

// Worlds with other structures beside them, and so many of one kind that groups of lanes are full on the CPU.
TEST_P(CudaSolvers, WorldsOfAllKindsHaveTheBitsOfTheCpu) {
  std::vector<int> kinds;
  for (int w = 0; w < 5 * kParticles; ++w) kinds.push_back(w % kParticles);
  for (int w = 0; w < 20; ++w) kinds.push_back(w % 2 ? kTiedRobot : kMachine);
  expect_bits_of_the_cpu(kinds);
}
TEST_P(CudaSolvers, LoopsHaveTheBitsOfTheCpu) { expect_bits_of_the_cpu({kTiedRobot, kMachine, kHeap}); }
TEST_P(CudaSolvers, PilesHaveTheBitsOfTheCpu) { expect_bits_of_the_cpu({kPile, kPile, kHeap, kPile}); }
TEST_P(CudaSolvers, ParticlesHaveTheBitsOfTheCpu) {
  expect_bits_of_the_cpu({kParticles, kMachine, kParticles, kPile, kParticles});
}
TEST_P(CudaSolvers, OtherOptionsHaveTheBitsOfTheCpu) {
  const std::vector<int> kinds{kPile, kTiedRobot, kMachine, kStrings};
  if (GetParam() == "xpbd") {
    expect_bits_of_the_cpu(kinds, {{"enable_restitution", 1}, {"iterations", 2}, {"substeps", 3}});
  } else {
    expect_bits_of_the_cpu(kinds, {{"iterations", 7}});  // the sweeps over a pile do not end by themselves
  }
}

// What was kept in the middle leads to the same end, in whatever calls it is reached, as on the CPU; and what came
// between leaves no trace.
TEST_P(CudaSolvers, SnapshotsGoOn) {
  std::vector<int> kinds, numbers;
  for (int w = 0; w < 3 * kKinds; ++w) kinds.push_back(w % kKinds), numbers.push_back(w);
  Simulation cpu = simulation(model_of(kinds, numbers)), gpu = simulation(model_of(kinds, numbers, cuda()));
  push(cpu.state(), numbers);
  copy_inputs(cpu, gpu);
  gpu.step(60);
  const Simulation::Snapshot snapshot = gpu.snapshot();
  gpu.step(60);
  const State once = gpu.state().clone();
  gpu.step(20);
  gpu.restore(snapshot);
  for (int n = 0; n < 60; ++n) gpu.step();
  expect_same_states(once, gpu.state());
  gpu.restore(snapshot);
  gpu.step(60);
  expect_same_states(once, gpu.state());
  cpu.step(120);
  expect_same_states(cpu.state(), gpu.state());
}

// A world that is not finite stops alone, where the CPU stops it.
TEST_P(CudaSolvers, AWorldThatIsNotFiniteIsAlone) {
  std::vector<int> kinds, numbers;
  for (int w = 0; w < 2 * kKinds; ++w) kinds.push_back(w % kKinds), numbers.push_back(w);
  Simulation cpu = simulation(model_of(kinds, numbers)), gpu = simulation(model_of(kinds, numbers, cuda()));
  push(cpu.state(), numbers);
  cpu.step(20);
  const int lost = kKinds + kMachine;
  cpu.state().world(lost).body_f[0].linear.x = std::numeric_limits<Real>::quiet_NaN();
  Simulation healthy = simulation(cpu.model());
  copy_inputs(cpu, healthy);
  healthy.state().clear_forces();
  // Both begin without a memory of the steps before.
  Simulation again = simulation(cpu.model());
  copy_inputs(cpu, again), copy_inputs(cpu, gpu);
  again.step(30), gpu.step(30), healthy.step(30);
  expect_same_states(again.state(), gpu.state());
  expect_same_bits("status", again.status(), gpu.status());
  for (int w = 0; w < 2 * kKinds; ++w) {
    EXPECT_EQ(again.status()[w] & kStatusNotFinite, w == lost ? kStatusNotFinite : 0) << "world " << w;
    if (w == lost) continue;
    expect_same_bits("joint_q", again.state().world(w).joint_q, healthy.state().world(w).joint_q);
    expect_same_bits("particle_q", again.state().world(w).particle_q, healthy.state().world(w).particle_q);
  }
}

// Memory is of the device; a queue of another one is refused.
TEST_P(CudaSolvers, OtherDevicesAreRefused) {
  const Model on_cpu = model_of({kHeap}, {0}), on_gpu = model_of({kHeap}, {0}, cuda());
  const Queue cpu_queue(Device{}), cuda_queue(cuda());
  EXPECT_THROW(make_solver(GetParam(), on_gpu, {}, &cpu_queue), Error);
  EXPECT_THROW(make_solver(GetParam(), on_cpu, {}, &cuda_queue), Error);
  const Solver solver = make_solver(GetParam(), on_gpu);
  const State state = on_gpu.state(), other = on_cpu.state();
  EXPECT_THROW(solver.step(other, state, on_gpu.control(), nullptr, kDt), Error);
  EXPECT_THROW(solver.step(state, state, on_cpu.control(), nullptr, kDt), Error);
}

// A GPU cannot take more room in the middle of a step: it says which worlds lost contacts.
TEST_P(CudaSolvers, OverflowIsReported) {
  const Model model = model_of({kPile, kStrings, kPile}, {0, 1, 2}, cuda());
  Simulation sim(model, make_solver(GetParam(), model, {{"max_contacts", 6}}), kDt);
  const Array<std::int32_t> status = sim.step(2).on_cpu();
  for (int w = 0; w < 3; ++w) EXPECT_EQ(status[w] & kStatusOverflow, w == 1 ? 0 : kStatusOverflow) << "world " << w;
}

INSTANTIATE_TEST_SUITE_P(All, CudaSolvers, ::testing::ValuesIn(penalty_solvers()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace carom
