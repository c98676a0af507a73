// The penalty solvers give the same bits for any number of threads, lanes, worlds and orders of them, and go on from
// snapshots as if nothing had been; a world that is not finite changes no other one.
#include <algorithm>
#include <cstring>
#include <limits>

#include "tests/random.h"
#include "tests/solvers/penalty_scenes.h"

namespace carom {
namespace {

class PenaltyBits : public PenaltySolvers {};

// A robot of a box with hinged legs, or a heap of boxes and balls.
ModelBuilder scene_of(int kind) {
  ModelBuilder scene;
  if (kind == 0) {
    const int trunk = scene.add_body({.xform = {{0, 0, Real(0.5)}, {}}});
    scene.add_shape_box(trunk, Real(0.2), Real(0.1), Real(0.05));
    for (const Real side : {Real(-1), Real(1)}) {
      const int leg = scene.add_link();
      JointFrames frames;
      frames.parent_xform.p = {side * Real(0.2), 0, Real(-0.05)}, frames.child_xform.p = {0, 0, Real(0.15)};
      JointDofConfig dof{.axis = {0, 1, 0}};
      dof.target_ke = 20, dof.target_kd = 1, dof.limit_lower = -1, dof.limit_upper = 1;
      scene.add_joint_revolute(trunk, leg, dof, frames);
      scene.add_shape_capsule(leg, Real(0.03), Real(0.12));
    }
  } else {
    for (int k = 0; k < 3; ++k) {
      const int body = scene.add_body({.xform = {{Real(0.02) * Real(k), 0, Real(0.2 + 0.25 * k)}, {}}});
      if (k == 1) scene.add_shape_sphere(body, Real(0.1));
      else scene.add_shape_box(body, Real(0.1), Real(0.1), Real(0.1));
    }
  }
  return scene;
}

// Worlds of the given kinds; each gets a push that depends on `push` of it.
Simulation started(const std::vector<int>& kinds, const std::vector<int>& push, const std::string& solver,
                   const Queue& queue) {
  ModelBuilder all;
  all.add_ground_plane();
  for (const int kind : kinds) all.add_world(scene_of(kind));
  const Model model = all.finalize();
  Simulation sim(model, solver, Real(0.004), &queue);
  for (std::size_t w = 0; w < kinds.size(); ++w) {
    SeededRandom random(push[w] + 1);
    const State mine = sim.state().world(static_cast<int>(w));
    for (int k = 0; k < 3; ++k) mine.body_qd[0].linear[k] = Real(random.uniform(-1, 1));
    for (int k = 0; k < 3; ++k) mine.body_qd[0].angular[k] = Real(random.uniform(-3, 3));
  }
  return sim;
}

std::vector<Real> numbers_of(const Simulation& sim, int world) {
  const State mine = sim.state().world(world);
  std::vector<Real> all(mine.joint_q.begin(), mine.joint_q.end());
  all.insert(all.end(), mine.joint_qd.begin(), mine.joint_qd.end());
  for (const Transform& X : mine.body_q) all.insert(all.end(), {X.p.x, X.p.y, X.p.z, X.q.x, X.q.y, X.q.z, X.q.w});
  return all;
}
bool same_bits(const std::vector<Real>& a, const std::vector<Real>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0;
}

TEST_P(PenaltyBits, DoNotDependOnThreadsLanesAndOrder) {
  const std::vector<int> kinds{0, 1, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1};
  std::vector<int> push(kinds.size());
  for (std::size_t w = 0; w < push.size(); ++w) push[w] = static_cast<int>(w);
  const Queue one(Device{}, {.threads = 1}), three(Device{}, {.threads = 3});
  Simulation sim = started(kinds, push, GetParam(), one);
  sim.step(300);
  Simulation threads = started(kinds, push, GetParam(), three);
  threads.step(300);
  std::vector<int> kinds_back(kinds.rbegin(), kinds.rend()), push_back(push.rbegin(), push.rend());
  Simulation back = started(kinds_back, push_back, GetParam(), three);
  back.step(300);
  const int n = static_cast<int>(kinds.size());
  for (int w = 0; w < n; ++w) {
    EXPECT_TRUE(same_bits(numbers_of(sim, w), numbers_of(threads, w))) << "world " << w << ", threads";
    EXPECT_TRUE(same_bits(numbers_of(sim, w), numbers_of(back, n - 1 - w))) << "world " << w << ", order";
  }
  for (const int w : {0, 1, 19}) {
    Simulation alone = started({kinds[w]}, {push[w]}, GetParam(), one);
    alone.step(300);
    EXPECT_TRUE(same_bits(numbers_of(sim, w), numbers_of(alone, 0))) << "world " << w << ", alone";
  }
}

TEST_P(PenaltyBits, SnapshotsGoOn) {
  const Queue queue;
  Simulation sim = started({0, 1, 0}, {1, 2, 3}, GetParam(), queue);
  sim.step(100);
  const Simulation::Snapshot snapshot = sim.snapshot();
  sim.step(100);
  std::vector<std::vector<Real>> first;
  for (int w = 0; w < 3; ++w) first.push_back(numbers_of(sim, w));
  sim.step(50);
  sim.restore(snapshot);
  for (int n = 0; n < 100; ++n) sim.step();
  for (int w = 0; w < 3; ++w) EXPECT_TRUE(same_bits(numbers_of(sim, w), first[w])) << "world " << w;
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
