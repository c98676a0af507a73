// The penalty solvers give the same bits for any number of threads, lanes, worlds and orders of them, in any tier, and
// go on from snapshots as if nothing had been; a world that is not finite changes no other one.
#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "backend/tiers.h"
#include "tests/backend/on_device.h"
#include "tests/same_contacts.h"
#include "tests/solvers/penalty_scenes.h"
#include "tests/solvers/penalty_worlds.h"

namespace carom {
namespace {

class PenaltyBits : public PenaltySolvers {};

// Worlds of the given kinds, each with a push that depends on its number.
Simulation started(const std::vector<int>& kinds, const std::vector<int>& numbers, const std::string& solver,
                   const Queue& queue) {
  Simulation sim(penalty_worlds::model_of(kinds, numbers), solver, Real(0.004), &queue);
  penalty_worlds::push(sim.state(), numbers);
  return sim;
}

std::vector<Real> numbers_of(const Simulation& sim, int world) {
  const State mine = sim.state().world(world);
  std::vector<Real> all(mine.joint_q.begin(), mine.joint_q.end());
  all.insert(all.end(), mine.joint_qd.begin(), mine.joint_qd.end());
  for (const Transform& X : mine.body_q) all.insert(all.end(), {X.p.x, X.p.y, X.p.z, X.q.x, X.q.y, X.q.z, X.q.w});
  for (const SpatialVector& V : mine.body_qd)
    for (const Vec3 v : {V.linear, V.angular}) all.insert(all.end(), {v.x, v.y, v.z});
  return all;
}
bool same_bits(const std::vector<Real>& a, const std::vector<Real>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0;
}

TEST_P(PenaltyBits, DoNotDependOnThreadsLanesAndOrder) {
  using namespace penalty_worlds;
  const std::vector<int> kinds{kRobot,   kHeap,    kTiedRobot, kRobot,   kHeap,      kRobot,   kHeap,    kTiedRobot,
                               kRobot,   kMachine, kRobot,     kHeap,    kTiedRobot, kRobot,   kStrings, kTiedRobot,
                               kMachine, kRobot,   kHeap,      kStrings, kTiedRobot, kMachine, kPile,    kMachine};
  std::vector<int> numbers(kinds.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  const Queue one(Device{}, {.threads = 1}), three(Device{}, {.threads = 3});
  Simulation sim = started(kinds, numbers, GetParam(), one);
  sim.step(300);
  Simulation threads = started(kinds, numbers, GetParam(), three);
  threads.step(300);
  std::vector<int> kinds_back(kinds.rbegin(), kinds.rend()), numbers_back(numbers.rbegin(), numbers.rend());
  Simulation back = started(kinds_back, numbers_back, GetParam(), three);
  back.step(300);
  const int n = static_cast<int>(kinds.size());
  for (int w = 0; w < n; ++w) {
    EXPECT_TRUE(same_bits(numbers_of(sim, w), numbers_of(threads, w))) << "world " << w << ", threads";
    EXPECT_TRUE(same_bits(numbers_of(sim, w), numbers_of(back, n - 1 - w))) << "world " << w << ", order";
  }
  for (const int w : {0, 1, 2, 9, 14, 22}) {
    Simulation alone = started({kinds[w]}, {numbers[w]}, GetParam(), one);
    alone.step(300);
    EXPECT_TRUE(same_bits(numbers_of(sim, w), numbers_of(alone, 0))) << "world " << w << ", alone";
  }
}

// Worlds of all kinds, what holds and drives them, and what sensors are told, in every tier of the CPU, in lanes and
// one by one: the shuffled one of them finds out whether joints and contacts of one colour depend on each other's
// order.
TEST_P(PenaltyBits, DoNotDependOnTheTier) {
  std::vector<int> kinds(3 * penalty_worlds::kKinds), numbers(kinds.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  for (const int w : numbers) kinds[w] = w % penalty_worlds::kKinds;
  const Queue in_lanes(Device{}), one_by_one(Device{}, {.lanes = 1});
  const auto run = [&](const Queue& queue) {
    Simulation sim(penalty_worlds::model_of(kinds, numbers), GetParam(), Real(0.002), &queue);
    penalty_worlds::push(sim.state(), numbers);
    for (const int w : numbers)
      for (Real& input : sim.control().world(w).ctrl) input = Real(0.1) * Real(w % 8);
    sim.step(80);
    return sim;
  };
  const Simulation once = run(one_by_one);
  for (const std::int32_t status : once.status()) EXPECT_EQ(status & (kStatusNotFinite | kStatusOverflow), 0);
  testing::for_each_tier([&] {
    for (const Queue* queue : {&in_lanes, &one_by_one}) {
      const Simulation sim = run(*queue);
      visit_state(
          [&](const char* name, Entity, auto get) { expect_same_bits(name, get(once.state()), get(sim.state())); });
      visit_forces([&](const char* name, auto array, const char*) {
        expect_same_bits(name, once.solver().forces().*array, sim.solver().forces().*array);
      });
      expect_same_bits("status", once.status(), sim.status());
      expect_same_contacts(once.contacts(), sim.contacts());
      expect_same_bits("soft_contact_force", once.contacts().soft_contact_force, sim.contacts().soft_contact_force);
      ASSERT_FALSE(HasFailure()) << cpu_tier_name(cpu_tier()) << (queue == &in_lanes ? ", in lanes" : ", one by one");
    }
  });
}

TEST_P(PenaltyBits, SnapshotsGoOn) {
  using namespace penalty_worlds;
  const std::vector<int> kinds{kRobot, kHeap, kTiedRobot, kMachine, kStrings, kPile}, numbers{1, 2, 3, 4, 5, 6};
  const Queue queue;
  Simulation sim = started(kinds, numbers, GetParam(), queue);
  sim.step(100);
  const Simulation::Snapshot snapshot = sim.snapshot();
  sim.step(100);
  std::vector<std::vector<Real>> first;
  for (int w = 0; w < 6; ++w) first.push_back(numbers_of(sim, w));
  sim.step(50);
  sim.restore(snapshot);
  for (int n = 0; n < 100; ++n) sim.step();
  for (int w = 0; w < 6; ++w) EXPECT_TRUE(same_bits(numbers_of(sim, w), first[w])) << "world " << w;
}

TEST_P(PenaltyBits, AWorldThatIsNotFiniteIsAlone) {
  const Queue queue;
  Simulation sim = started({0, 0, 1}, {1, 2, 3}, GetParam(), queue),
             other = started({0, 0, 1}, {1, 2, 3}, GetParam(), queue);
  sim.step(50), other.step(50);
  const std::vector<Real> last = numbers_of(sim, 1);
  sim.state().world(1).body_f[0].linear.x = std::numeric_limits<Real>::quiet_NaN();
  const Array<std::int32_t>& status = sim.step(50);
  other.step(50);
  EXPECT_EQ(status[0] & kStatusNotFinite, 0);
  EXPECT_EQ(status[1] & kStatusNotFinite, kStatusNotFinite);
  EXPECT_TRUE(same_bits(numbers_of(sim, 1), last));
  EXPECT_TRUE(same_bits(numbers_of(sim, 0), numbers_of(other, 0)));
  EXPECT_TRUE(same_bits(numbers_of(sim, 2), numbers_of(other, 2)));
}

// All solvers throw a robot alike until it touches the ground.
TEST_P(PenaltyBits, ARobotFallsAsUnderMuJoCo) {
  const Queue queue;
  Simulation sim = started({0}, {4}, GetParam(), queue), mujoco = started({0}, {4}, "mujoco", queue);
  // Steps of MuJoCo's are twice as coarse where drives are explicit: both are run with short ones.
  Simulation fine(sim.model(), GetParam(), Real(2e-4)), reference(mujoco.model(), "mujoco", Real(2e-4));
  fine.state().assign(sim.state()), reference.state().assign(mujoco.state());
  for (int n = 0; n < 500; ++n) fine.step(), reference.step();
  const Transform a = fine.state().body_q[0], b = reference.state().body_q[0];
  EXPECT_LT(length(a.p - b.p), 1e-4);
  EXPECT_LT(length(vector_part(conjugate(a.q) * b.q)), 5e-4);
}

INSTANTIATE_TEST_SUITE_P(All, PenaltyBits, ::testing::ValuesIn(penalty_solvers()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace carom
