// Kept contacts (options.contact_keep_distance) in a Simulation: piles rest as without, and what is remembered belongs
// to the simulation: its bits depend on no thread, order of worlds or way to divide steps into calls, snapshots hold
// it, resets forget it, and whoever looks sees the contacts of the next step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "carom/carom.h"
#include "collide/rooms.h"
#include "tests/random.h"
#include "tests/same_contacts.h"
#include "tests/sim/step_scenes.h"

namespace carom {
namespace {

constexpr Real kDt = Real(1) / 240, kKeep = Real(1e-3);

// A heap of boxes, hulls and cylinders that fall between walls. What it is follows from its number.
ModelBuilder heap(int number) {
  step_scenes::Numbers n(number);
  static const auto ball = std::make_shared<const Mesh>(make_sphere_mesh(Real(0.12), 1));
  ModelBuilder builder;
  builder.add_shape_box(-1, 2, 2, Real(0.5), {.xform = {{0, 0, Real(-0.5)}, {}}});
  for (const Real side : {Real(-1), Real(1)}) {
    builder.add_shape_box(-1, Real(0.5), 1, 2, {.xform = {{side, 0, 2}, {}}});
    builder.add_shape_box(-1, 1, Real(0.5), 2, {.xform = {{0, side, 2}, {}}});
  }
  for (int i = 0; i < 9; ++i) {
    const Vec3 p{n.any(0.1), n.any(0.1), Real(0.15 + 0.25 * i)};
    const Quat q{n.any(0.3), n.any(0.3), n.any(0.3), 1};
    const int body = builder.add_body({.xform = {p, normalize(q)}});
    if (i % 3 == 0) builder.add_shape_box(body, n.near(0.12), n.near(0.1), n.near(0.08));
    if (i % 3 == 1) builder.add_shape_convex_hull(body, ball, {1, n.near(0.8), n.near(0.7)});
    if (i % 3 == 2) builder.add_shape_cylinder(body, n.near(0.1), n.near(0.08));
  }
  const int feeler = builder.add_site(0);
  builder.add_sensor(SensorType::kAccelerometer, {SensorObject::kSite, feeler}, {}, {}, "feels");
  return builder;
}

Model heaps(const std::vector<int>& numbers, ModelOptions options = {}, Device device = {}) {
  ModelBuilder builder;
  options.timestep = kDt;
  builder.options = options;
  for (const int number : numbers) builder.add_world(heap(number));
  return builder.finalize(device);
}
ModelOptions keeping() {
  ModelOptions options;
  options.contact_keep_distance = kKeep;
  return options;
}

std::vector<std::uint64_t> hashes_of(const Simulation& sim, const std::vector<int>& numbers) {
  const step_scenes::Worlds worlds{sim.model(), numbers};
  std::vector<std::uint64_t> hashes;
  for (std::size_t w = 0; w < numbers.size(); ++w)
    hashes.push_back(step_scenes::world_hash(worlds, sim.state(), static_cast<int>(w)));
  return hashes;
}
std::vector<std::uint64_t> run(const std::string& solver, const std::vector<int>& numbers, int steps,
                               const std::vector<int>& calls, QueueConfig config = {}) {
  const Model model = heaps(numbers, keeping());
  const Queue queue({}, config);
  Simulation sim(model, make_solver(solver, model, {}, &queue));
  for (int done = 0, k = 0; done < steps; ++k) {
    const int n = std::min(calls[k % calls.size()], steps - done);
    sim.step(n);
    done += n;
  }
  return hashes_of(sim, numbers);
}

// How many contacts of the last step were kept: those that a pipeline without memory does not find there.
int kept_of(const Simulation& sim) {
  CollisionConfig config = sim.pipeline().config();
  config.keep_distance = 0;
  CollisionPipeline fresh(sim.model(), config), kept(sim.model(), sim.pipeline().config());
  kept.recall(sim.pipeline().remember());
  const Contacts a = kept.collide(sim.state()), b = fresh.collide(sim.state());
  int count = 0;
  for (const Vec3 p : a.rigid_contact_point)
    count += std::find(b.rigid_contact_point.begin(), b.rigid_contact_point.end(), p) == b.rigid_contact_point.end();
  return count;
}

class KeptContactsOf : public ::testing::TestWithParam<std::string> {};

// Proves that the bits of a world depend on nothing but the world: not on threads, lanes, other worlds and their order,
// nor on how many steps a call has; and that contacts are kept there.
TEST_P(KeptContactsOf, SameBits) {
  const std::vector<int> numbers{0, 1, 2, 3, 4}, back{numbers.rbegin(), numbers.rend()};
  constexpr int kSteps = 120;
  const auto expected = run(GetParam(), numbers, kSteps, {1}, {.threads = 1, .lanes = 1});
  EXPECT_EQ(run(GetParam(), numbers, kSteps, {1, 7, 50}), expected);
  EXPECT_EQ(run(GetParam(), numbers, kSteps, {100}, {.threads = 3}), expected);
  auto turned = run(GetParam(), back, kSteps, {100});
  std::reverse(turned.begin(), turned.end());
  EXPECT_EQ(turned, expected);
  EXPECT_EQ(run(GetParam(), {3}, kSteps, {100})[0], expected[3]);
}

// Proves that a call which is made again for lack of room, as on a GPU, begins with what was kept before it.
TEST(KeptContacts, CallsAreMadeAgain) {
  const std::vector<int> numbers{0, 1, 2, 3};
  const auto expected = run("mujoco", numbers, 200, {1});
  Rooms::keep_on_cpu(true);
  const auto with_rooms = run("mujoco", numbers, 200, {1, 7, 50});
  Rooms::keep_on_cpu(false);
  EXPECT_EQ(with_rooms, expected);
}

// Proves that snapshots hold what is kept: after many steps a simulation goes on with the same bits, the one that the
// snapshot is of as well as another one; that a reset leads to the bits of a simulation that was just made, in all
// worlds and in chosen ones; and that contacts are kept all along.
TEST_P(KeptContactsOf, SnapshotsAndResets) {
  const std::vector<int> numbers{0, 1, 2, 3};
  const Model model = heaps(numbers, keeping());
  Simulation sim(model, GetParam()), other(model, GetParam());
  sim.step(100);
  const auto fresh = hashes_of(sim, numbers);
  sim.step(400);
  EXPECT_GT(kept_of(sim), 20);
  const Simulation::Snapshot snapshot = sim.snapshot();
  sim.step(100);
  const auto expected = hashes_of(sim, numbers);
  const Contacts last = sim.contacts();
  const std::vector<int> ages(last.rigid_contact_age.begin(), last.rigid_contact_age.end());
  for (Simulation* const back : {&sim, &other}) {
    back->restore(snapshot);
    back->step(100);
    EXPECT_EQ(hashes_of(*back, numbers), expected);
    const Array<int> again = back->contacts().rigid_contact_age;
    EXPECT_TRUE(std::equal(again.begin(), again.end(), ages.begin(), ages.end()));
  }
  sim.reset(std::vector<std::uint8_t>{0, 1, 0, 1});
  sim.step(100);
  for (const int w : {1, 3}) EXPECT_EQ(hashes_of(sim, numbers)[w], fresh[w]);
  EXPECT_NE(hashes_of(sim, numbers)[0], fresh[0]);
  sim.reset();
  sim.step(100);
  EXPECT_EQ(hashes_of(sim, numbers), fresh);
}

// Proves that a snapshot that is refused, here for its keep_distance, changes nothing.
TEST_P(KeptContactsOf, RefusedSnapshotsChangeNothing) {
  const std::vector<int> numbers{0, 1};
  Model model = heaps(numbers, keeping());
  Simulation sim(model, GetParam());
  model.options.contact_keep_distance = 0;
  Simulation found_anew(model, GetParam());
  found_anew.step(50);
  const auto before = hashes_of(found_anew, numbers);
  sim.step(20);
  EXPECT_THROW(found_anew.restore(sim.snapshot()), Error);
  EXPECT_EQ(hashes_of(found_anew, numbers), before);
}

// Proves that to look changes nothing, and that what is seen is what the next step has: its contacts and readings.
TEST_P(KeptContactsOf, LookingChangesNothing) {
  const std::vector<int> numbers{0, 1};
  const Model model = heaps(numbers, keeping());
  Simulation sim(model, GetParam()), other(model, GetParam());
  sim.step(300), other.step(300);
  for (int k = 0; k < 5; ++k) {
    const int feels = sim.sensors_now().find("feels");
    const std::vector<Real> seen = [&] {
      const Array<Real> values = sim.sensors_now().values(feels).on_cpu();
      return std::vector<Real>(values.begin(), values.end());
    }();
    sim.restore(sim.snapshot());
    const Contacts next = sim.contacts();
    const std::vector<Vec3> points(next.rigid_contact_point.begin(), next.rigid_contact_point.end());
    sim.step(), other.step();
    const Array<Real> read = sim.sensors().values(feels);
    EXPECT_TRUE(std::equal(read.begin(), read.end(), seen.begin(), seen.end())) << "step " << k;
    const Array<Vec3> of_step = sim.contacts().rigid_contact_point;
    EXPECT_TRUE(
        std::equal(of_step.begin(), of_step.end(), points.begin(), points.end(), [](Vec3 a, Vec3 b) { return a == b; }))
        << "step " << k;
    EXPECT_EQ(hashes_of(sim, numbers), hashes_of(other, numbers)) << "step " << k;
  }
}

// Proves that worlds that are left out keep their bits, and that the others go on as if nothing had been.
TEST_P(KeptContactsOf, WorldsAreLeftOut) {
  const std::vector<int> numbers{0, 1, 2};
  const Model model = heaps(numbers, keeping());
  Simulation all(model, GetParam()), some(model, GetParam());
  all.step(100), some.step(100);
  const auto before = hashes_of(some, numbers);
  some.set_active(std::vector<std::uint8_t>{1, 0, 1});
  all.step(100), some.step(100);
  for (const int w : {0, 2}) EXPECT_EQ(hashes_of(some, numbers)[w], hashes_of(all, numbers)[w]);
  EXPECT_EQ(hashes_of(some, numbers)[1], before[1]);
  const Simulation::Snapshot snapshot = some.snapshot();
  some.step(20);
  const auto expected = hashes_of(some, numbers);
  some.set_active({});
  some.step(20);
  some.restore(snapshot);
  some.step(20);
  EXPECT_EQ(hashes_of(some, numbers), expected);
}

// Bodies at rest under a solver, from the same start.
struct Rest {
  Real deepest = 0, speed = 0;  // [m], [m/s]
  Real height = 0;              // of all bodies, mean [m]
};
Rest rest_of(const std::string& solver, ModelOptions options, int steps) {
  const Model model = heaps({0, 1}, options);
  Simulation sim(model, solver);
  sim.step(steps);
  Rest rest;
  CollisionPipeline fresh(model);
  for (const Real depth : fresh.collide(sim.state()).rigid_contact_depth) rest.deepest = std::max(rest.deepest, depth);
  for (const SpatialVector& V : sim.state().body_qd) rest.speed = std::max(rest.speed, length(V.linear));
  for (const Transform& X : sim.state().body_q) rest.height += X.p.z / Real(model.body_count);
  return rest;
}

// Proves that heaps of boxes, hulls and cylinders come to rest as deep in each other as without, as high, and as still.
TEST_P(KeptContactsOf, HeapsRestAsWithout) {
  const Rest kept = rest_of(GetParam(), keeping(), 1200), found = rest_of(GetParam(), {}, 1200);
  EXPECT_LT(kept.deepest, found.deepest + Real(1e-3));
  EXPECT_LT(kept.speed, std::max(Real(1e-2), 2 * found.speed));
  EXPECT_NEAR(kept.height, found.height, 0.02);
}

INSTANTIATE_TEST_SUITE_P(All, KeptContactsOf, ::testing::Values("mujoco", "xpbd"),
                         [](const auto& info) { return info.param; });

// Proves that what sleeps wakes with new contacts, in the same bits whatever the calls; and that kept contacts let it
// fall asleep.
TEST(KeptContacts, Sleep) {
  for (const std::string solver : {"mujoco", "xpbd"}) {
    std::vector<std::uint64_t> expected;
    for (const int call : {1, 50}) {
      ModelOptions options = keeping();
      options.sleep = true, options.sleep_tolerance = Real(0.02);
      const Model model = heaps({0, 1}, options);
      Simulation sim(model, solver);
      for (int k = 0; k < 1000; k += call) sim.step(call);
      const Array<std::int32_t> asleep = sim.state().body_asleep;
      EXPECT_GT(std::count_if(asleep.begin(), asleep.end(), [](int value) { return value >= 0; }), 9) << solver;
      sim.state().joint_qd[2] = 2;
      for (int k = 0; k < 200; k += call) sim.step(call);
      if (expected.empty()) expected = hashes_of(sim, {0, 1});
      EXPECT_EQ(hashes_of(sim, {0, 1}), expected) << solver;
    }
  }
}

// Proves that the option is checked and travels.
TEST(KeptContacts, AnOptionOfTheModel) {
  const Model model = heaps({0}, keeping());
  EXPECT_EQ(Simulation(model, "xpbd").pipeline().config().keep_distance, kKeep);
  EXPECT_EQ(Simulation(heaps({0}), "xpbd").pipeline().config().keep_distance, 0);
  for (const Real wrong : {Real(-1), Real(NAN)}) {
    ModelBuilder builder;
    builder.options.contact_keep_distance = wrong;
    try {
      builder.finalize();
      ADD_FAILURE() << wrong;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("options: contact_keep_distance"), std::string::npos) << error.what();
    }
  }
}

// Proves that a GPU has the bits of the CPU, in calls of one step and of many.
TEST(KeptContacts, CudaHasTheBitsOfTheCpu) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "NOT RUN ON CUDA: this build or machine has no CUDA device";
  std::vector<int> numbers(40);
  for (int i = 0; i < 40; ++i) numbers[i] = i;
  for (const std::string solver : {"mujoco", "xpbd"}) {
    Simulation cpu(heaps(numbers, keeping()), solver), gpu(heaps(numbers, keeping(), Device::parse("cuda")), solver);
    for (const int steps : {1, 1, 30, 70, 70, 70}) {
      cpu.step(steps), gpu.step(steps);
      visit_state([&](const char* name, Entity, auto get) {
        EXPECT_TRUE(step_scenes::same_bits(get(cpu.state()).on_cpu(), get(gpu.state()).on_cpu())) << name << solver;
      });
      std::vector<std::uint8_t> mask(40);
      for (int i = 0; i < 40; ++i) mask[i] = i % 5 == steps % 5;
      cpu.reset(mask), gpu.reset(mask);
    }
    const Simulation::Snapshot here = cpu.snapshot(), there = gpu.snapshot();
    cpu.step(20), gpu.step(20);
    cpu.restore(here), gpu.restore(there);
    cpu.step(20), gpu.step(20);
    visit_state([&](const char* name, Entity, auto get) {
      EXPECT_TRUE(step_scenes::same_bits(get(cpu.state()).on_cpu(), get(gpu.state()).on_cpu())) << name << solver;
    });
  }
}

}  // namespace
}  // namespace carom
