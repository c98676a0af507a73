// Worlds that are left out (Simulation::set_active): they keep all their bits and make no contacts, and the others go
// on as if nothing had been; in every solver, on the CPU and on a GPU.
#include <gtest/gtest.h>

#include <cstring>

#include "carom/carom.h"
#include "tests/random.h"

namespace carom {
namespace {

constexpr int kKinds = 4;

// That a solver can step; cloth is the last one.
int kinds_of(const std::string& solver) {
  return solver_abilities(solver).features.has(Feature::kParticles) ? kKinds : kKinds - 1;
}

// A heap of boxes and a ball; a robot with hinged legs and sensors; a body alone, which meets nothing; cloth on a ball.
void add_world_of(ModelBuilder& all, int kind, int w) {
  all.begin_world();
  const std::string name = std::to_string(w);
  if (kind == 0) {
    for (int k = 0; k < 3; ++k) {
      const int body = all.add_body({.xform = {{Real(0.02) * Real(k), 0, Real(0.12 + 0.21 * k)}, {}}});
      if (k == 1) all.add_shape_sphere(body, Real(0.1));
      else all.add_shape_box(body, Real(0.1), Real(0.1), Real(0.1));
    }
  } else if (kind == 1) {
    const int trunk = all.add_body({.xform = {{0, 0, Real(0.4)}, {}}});
    all.add_shape_box(trunk, Real(0.2), Real(0.1), Real(0.05));
    for (const Real side : {Real(-1), Real(1)}) {
      const int leg = all.add_link();
      JointFrames frames;
      frames.parent_xform.p = {side * Real(0.2), 0, Real(-0.05)}, frames.child_xform.p = {0, 0, Real(0.15)};
      JointDofConfig dof{.axis = {0, 1, 0}};
      dof.target_ke = 20, dof.target_kd = 1;
      all.add_joint_revolute(trunk, leg, dof, frames);
      all.add_shape_capsule(leg, Real(0.03), Real(0.12));
    }
    const int site = all.add_site(trunk);
    all.add_sensor(SensorType::kAccelerometer, {SensorObject::kSite, site}, {}, {.noise = Real(0.1)}, "feels_" + name);
    all.add_sensor(SensorType::kFramePos, {SensorObject::kSite, site}, {}, {.delay = Real(0.02), .samples = 12},
                   "late_" + name);
  } else if (kind == 2) {
    all.add_body({.xform = {{0, 0, 2}, {}}, .inertia = mat33_diagonal<Real>({1, 2, 3}), .mass = 1});
  } else {
    const int ball = all.add_body({.xform = {{0, 0, Real(0.1)}, {}}});
    all.add_shape_sphere(ball, Real(0.1));
    all.add_cloth_grid({.pos = {Real(-0.15), Real(-0.15), Real(0.25)},
                        .dim_x = 6,
                        .dim_y = 6,
                        .cell_x = Real(0.05),
                        .cell_y = Real(0.05),
                        .mass = Real(0.01),
                        .particle_radius = Real(0.02)});
  }
  all.end_world();
}

Simulation started(const std::string& solver, int worlds, Device device = {}, const Queue* queue = nullptr) {
  ModelBuilder all;
  all.add_ground_plane();
  for (int w = 0; w < worlds; ++w) add_world_of(all, w % kinds_of(solver), w);
  const Model model = all.finalize(device);
  Simulation sim(model, solver, Real(0.002), queue);
  const State start = sim.state();
  Array<SpatialVector> body_qd = start.body_qd.on_cpu();
  SeededRandom random(7);
  for (SpatialVector& v : body_qd)
    for (int k = 0; k < 3; ++k) v.linear[k] += Real(random.uniform(-1, 1)), v.angular[k] += Real(random.uniform(-2, 2));
  start.body_qd.assign(body_qd);
  return sim;
}

std::vector<std::uint8_t> every_third(int worlds) {
  std::vector<std::uint8_t> mask(worlds, 1);
  for (int w = 0; w < worlds; w += 3) mask[w] = 0;
  return mask;
}

// All numbers of a world's state.
std::vector<char> bits_of(const State& state, int world) {
  std::vector<char> bits;
  const State mine = state.world(world);
  visit_state([&](const char*, Entity, auto get) {
    const auto column = get(mine).on_cpu();
    bits.insert(bits.end(), reinterpret_cast<const char*>(column.data()),
                reinterpret_cast<const char*>(column.data()) + column.bytes());
  });
  return bits;
}
std::vector<std::vector<char>> bits_of(const Simulation& sim) {
  std::vector<std::vector<char>> all;
  for (int w = 0; w < sim.model().world_count; ++w) all.push_back(bits_of(sim.state(), w));
  return all;
}

int contacts_of(const Contacts& contacts, int world) {
  int count = 0;
  for (const Array<int>& given :
       {contacts.rigid_contact_world_start, contacts.soft_contact_world_start, contacts.particle_contact_world_start}) {
    if (given.empty()) continue;
    const Array<int> start = given.on_cpu();
    count += start[world + 1] - start[world];
  }
  return count;
}

class ActiveWorldsOf : public ::testing::TestWithParam<std::string> {
 protected:
  void expect_others_go_on(Device device);
};

void ActiveWorldsOf::expect_others_go_on(Device device) {
  constexpr int kWorlds = 38;
  Simulation all = started(GetParam(), kWorlds, device), some = started(GetParam(), kWorlds, device);
  all.step(20), some.step(20);
  const auto before = bits_of(some);
  const std::vector<std::uint8_t> mask = every_third(kWorlds);
  some.set_active(mask);
  all.step(100);
  some.step(60);
  const Array<std::int32_t> status = some.step(40).on_cpu(), rows = some.solver().reports().contacts.on_cpu();
  const auto now = bits_of(some), expected = bits_of(all);
  int touching = 0;
  for (int w = 0; w < kWorlds; ++w) {
    EXPECT_TRUE(now[w] == (mask[w] ? expected[w] : before[w])) << "world " << w << (mask[w] ? "" : ", left out");
    touching += contacts_of(some.contacts(), w) > 0;
    if (mask[w]) {
      EXPECT_EQ(contacts_of(some.contacts(), w), contacts_of(all.contacts(), w)) << "world " << w;
    } else {
      EXPECT_EQ(contacts_of(some.contacts(), w) + status[w] + rows[w], 0) << "world " << w;
      EXPECT_EQ(some.active()[w], 0);
    }
  }
  EXPECT_GT(touching, kWorlds / 4);  // there was something to leave out
}

TEST_P(ActiveWorldsOf, OthersGoOn) { expect_others_go_on({}); }

TEST_P(ActiveWorldsOf, OthersGoOnOnCuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "NOT RUN ON CUDA: this build or machine has no CUDA device";
  expect_others_go_on(Device::parse("cuda"));
}

// What was left out goes on where it stood; in worlds that touched nothing, with the very bits.
TEST_P(ActiveWorldsOf, TheyComeBack) {
  constexpr int kWorlds = 12;
  Simulation all = started(GetParam(), kWorlds), some = started(GetParam(), kWorlds);
  all.step(20), some.step(20);
  some.set_active(std::vector<std::uint8_t>(kWorlds, 0));
  some.step(30);
  some.set_active({});
  all.step(50), some.step(50);
  const auto now = bits_of(some), expected = bits_of(all);
  for (int w = 0; w < kWorlds; ++w) {
    EXPECT_EQ(some.active()[w], 1);
    const bool touched = contacts_of(all.contacts(), w) > 0;
    EXPECT_TRUE(touched || now[w] == expected[w]) << "world " << w;
  }
  const Array<Transform> a = some.state().body_q, b = all.state().body_q;
  for (int i = 0; i < a.size(); ++i) EXPECT_LT(length(a[i].p - b[i].p), 2e-3) << "body " << i;
}

TEST_P(ActiveWorldsOf, SensorsSayWhatTheySaid) {
  constexpr int kWorlds = 12;
  Simulation all = started(GetParam(), kWorlds), some = started(GetParam(), kWorlds);
  all.step(20), some.step(20);
  const int feels = some.sensors().find("feels_1"), late = some.sensors().find("late_1");
  const auto row = [](const Simulation& sim, int channel, int world) {
    const Array<Real> values = sim.sensors().values(channel).on_cpu();
    const std::int64_t n = values.size() / kWorlds;
    return std::vector<Real>(values.begin() + world * n, values.begin() + (world + 1) * n);
  };
  const std::vector<Real> before = row(some, feels, 1);
  std::vector<std::uint8_t> mask(kWorlds, 1);
  mask[1] = 0;
  some.set_active(mask);
  some.step(15), all.step(15);
  EXPECT_EQ(row(some, feels, 1), before);
  const int other = 1 + kinds_of(GetParam());
  for (const char* name : {"feels_", "late_"}) {
    const int channel = some.sensors().find(name + std::to_string(other));
    EXPECT_EQ(row(some, channel, other), row(all, channel, other)) << name;
  }
  // Its new place is seen when it is put somewhere, also in what is read now.
  const Transform X = some.state().world(1).body_q[0];
  std::vector<std::uint8_t> it(kWorlds, 0);
  it[1] = 1;
  some.reset(it);
  EXPECT_NE(row(some, feels, 1), before);
  EXPECT_NE(some.state().world(1).body_q[0].p.z, X.p.z);
  some.step(5);
  EXPECT_NEAR(some.state().world(1).body_q[0].p.z, 0.4, 1e-6);
  EXPECT_EQ(row(some, late, 1).size(), 3u);
}

TEST_P(ActiveWorldsOf, SnapshotsHoldTheMask) {
  constexpr int kWorlds = 8;
  Simulation sim = started(GetParam(), kWorlds);
  const std::vector<std::uint8_t> mask = every_third(kWorlds);
  sim.step(10);
  sim.set_active(mask);
  sim.step(10);
  const Simulation::Snapshot snapshot = sim.snapshot();
  sim.step(20);
  const auto expected = bits_of(sim);
  sim.set_active({});
  sim.step(20);
  sim.restore(snapshot);
  EXPECT_EQ(sim.active(), mask);
  sim.step(20);
  EXPECT_TRUE(bits_of(sim) == expected);
}

TEST_P(ActiveWorldsOf, StepsOfTheSolverAlone) {
  constexpr int kWorlds = 6;
  Simulation sim = started(GetParam(), kWorlds);
  sim.step();
  const Solver solver = sim.solver();
  CollisionPipeline pipeline(sim.model());
  const std::vector<std::uint8_t> mask = every_third(kWorlds);
  solver.set_active(mask);
  pipeline.set_active(mask);
  State a = sim.state().clone(), b = a.clone();
  const auto before = bits_of(a, 0), moved = bits_of(a, 1);
  for (int n = 0; n < 10; ++n) {
    solver.step(a, b, sim.control(), &pipeline.collide(a), Real(0.002));
    std::swap(a, b);
  }
  EXPECT_TRUE(bits_of(a, 0) == before);
  EXPECT_FALSE(bits_of(a, 1) == moved);
  EXPECT_EQ(solver.status()[0], 0);
}

INSTANTIATE_TEST_SUITE_P(All, ActiveWorldsOf, ::testing::ValuesIn(solver_names()),
                         [](const auto& info) { return info.param; });

// In a world that is taken apart into islands, too.
TEST(ActiveWorlds, LargeWorlds) {
  ModelBuilder all;
  all.add_ground_plane();
  for (int w = 0; w < 3; ++w) {
    all.begin_world();
    for (int k = 0; k < 60; ++k) {
      const int body = all.add_body({.xform = {{Real(0.3) * Real(k / 2), 0, Real(0.11 + 0.22 * (k % 2))}, {}}});
      all.add_shape_box(body, Real(0.1), Real(0.1), Real(0.1));
    }
    all.end_world();
  }
  const Model model = all.finalize();
  Simulation reference(model, "mujoco", Real(0.004)), sim(model, "mujoco", Real(0.004));
  reference.step(10), sim.step(10);
  const auto before = bits_of(sim);
  sim.set_active(std::vector<std::uint8_t>{1, 0, 1});
  reference.step(50), sim.step(50);
  const auto now = bits_of(sim), expected = bits_of(reference);
  EXPECT_TRUE(now[0] == expected[0]);
  EXPECT_TRUE(now[1] == before[1]);
  EXPECT_TRUE(now[2] == expected[2]);
}

// Who sleeps goes on sleeping, also where nobody steps it, and who is about to does not get there.
TEST(ActiveWorlds, BesideSleep) {
  for (const char* name : {"mujoco", "xpbd"}) {
    ModelBuilder all;
    all.options.sleep = true;
    all.options.sleep_tolerance = Real(0.05);
    all.add_ground_plane();
    constexpr int kWorlds = 20;
    for (int w = 0; w < kWorlds; ++w) {
      all.begin_world();
      for (int k = 0; k < 2; ++k) {
        const int body = all.add_body({.xform = {{0, 0, Real(0.1 + 0.201 * k + 0.05 * (w % 4))}, {}}});
        all.add_shape_box(body, Real(0.1), Real(0.1), Real(0.1));
      }
      all.end_world();
    }
    const Model model = all.finalize();
    Simulation sim(model, name, Real(0.004));
    int asleep = 0;
    for (int round = 0; round < 12; ++round) {
      const auto before = bits_of(sim);
      std::vector<std::uint8_t> mask(kWorlds, 1);
      for (int w = round % 3; w < kWorlds && round > 0; w += 5) mask[w] = 0;
      sim.set_active(mask);
      sim.step(25);
      const auto now = bits_of(sim);
      for (int w = 0; w < kWorlds; ++w) {
        EXPECT_TRUE(mask[w] || now[w] == before[w]) << name << ", round " << round << ", world " << w;
        asleep += sim.state().world(w).body_asleep[0] >= 0 && mask[w] == 0;
      }
    }
    EXPECT_GT(asleep, 5) << name;
    sim.set_active({});
    sim.step(300);
    for (int w = 0; w < kWorlds; ++w) EXPECT_GE(sim.state().world(w).body_asleep[0], 0) << name << ", world " << w;
  }
}

// Every broad phase finds the same contacts of the worlds that take part, also with lanes of scattered ones.
TEST(ActiveWorlds, EveryBroadPhase) {
  constexpr int kWorlds = 40;
  const Simulation sim = started("xpbd", kWorlds);
  SeededRandom random(3);
  for (const BroadPhaseMode mode :
       {BroadPhaseMode::kNxn, BroadPhaseMode::kSap, BroadPhaseMode::kExplicit, BroadPhaseMode::kTree}) {
    CollisionPipeline whole(sim.model(), {.broad_phase_mode = mode, .particle_contacts = true}),
        part(sim.model(), {.broad_phase_mode = mode, .particle_contacts = true});
    for (int round = 0; round < 3; ++round) {
      std::vector<std::uint8_t> mask(kWorlds);
      for (std::uint8_t& in : mask) in = random.uniform(0, 1) < 0.5;
      part.set_active(mask);
      const Contacts &a = whole.collide(sim.state()), &b = part.collide(sim.state());
      for (int w = 0; w < kWorlds; ++w)
        EXPECT_EQ(contacts_of(b, w), mask[w] ? contacts_of(a, w) : 0) << broad_phase_mode_name(mode) << ", world " << w;
      int at = 0;
      for (int w = 0; w < kWorlds; ++w)
        for (int c = a.rigid_contact_world_start[w]; c < a.rigid_contact_world_start[w + 1] && mask[w]; ++c, ++at)
          EXPECT_EQ(std::memcmp(&a.rigid_contact_point[c], &b.rigid_contact_point[at], sizeof(Vec3)), 0);
    }
  }
}

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(ActiveWorlds, Misuse) {
  Simulation sim = started("mujoco", 3);
  EXPECT_EQ(error_of([&] { sim.set_active(std::vector<std::uint8_t>(2, 1)); }),
            "set_active: the mask has 2 entries; give one for each of the 3 worlds");
  EXPECT_EQ(error_of([&] { sim.set_active(std::vector<std::uint8_t>(4, 1)); }),
            "set_active: the mask has 4 entries; give one for each of the 3 worlds");
  EXPECT_EQ(sim.active(), std::vector<std::uint8_t>(3, 1));
}

}  // namespace
}  // namespace carom
