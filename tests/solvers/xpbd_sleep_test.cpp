// Sleep under SolverXPBD: who falls asleep and what wakes it, that what sleeps keeps its bits, and that the bits of all
// depend on the world alone: not on lanes, threads, tiers, neighbours or the way that steps are divided into calls.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "carom/error.h"
#include "tests/backend/on_device.h"
#include "tests/solvers/penalty_scenes.h"

namespace carom {
namespace {

constexpr Real kDt = Real(1) / 240;
constexpr int kSettles = 480;  // steps

ShapeConfig dull() {
  ShapeConfig cfg;
  cfg.mu = Real(0.6), cfg.restitution = 0;
  cfg.torsional_friction = cfg.rolling_friction = Real(0.01);
  return cfg;
}

int add_box(ModelBuilder& scene, Vec3 p, Vec3 half, SleepPolicy policy = SleepPolicy::kAuto) {
  const int body = scene.add_body({.xform = {p, {}}, .sleep = policy});
  scene.add_shape_box(body, half.x, half.y, half.z, {.cfg = dull()});
  return body;
}
// Boxes one on the other; the first one is returned.
int add_pile(ModelBuilder& scene, Real x, int boxes = 3) {
  const Real half = Real(0.1);
  const int first = add_box(scene, {x, 0, half}, {half, half, half});
  for (int k = 1; k < boxes; ++k) add_box(scene, {x, 0, half + 2 * half * Real(k)}, {half, half, half});
  return first;
}
int add_ball(ModelBuilder& scene, Vec3 p) {
  const int body = scene.add_body({.xform = {p, {}}});
  scene.add_shape_sphere(body, Real(0.1), {.cfg = dull()});
  return body;
}
// Swings forever.
int add_pendulum(ModelBuilder& scene, Real x) {
  const int link = scene.add_link();
  scene.add_shape_sphere(link, Real(0.05), {.xform = {{0, 0, Real(-0.5)}, {}}});
  const int joint = scene.add_joint_revolute(-1, link, {.axis = {0, 1, 0}}, {.parent_xform = {{x, 0, Real(1.5)}, {}}});
  const Real angle = Real(0.5);
  scene.set_joint_q(joint, std::span(&angle, 1));
  scene.add_articulation({joint});
  return link;
}
// A trunk that lies on the ground, and two arms that lie beside it.
int add_robot(ModelBuilder& scene, Real x) {
  const int trunk = add_box(scene, {x, 0, Real(0.05)}, {Real(0.2), Real(0.1), Real(0.05)});
  for (const Real side : {Real(-1), Real(1)}) {
    const int arm = scene.add_link();
    JointFrames frames;
    frames.parent_xform.p = {side * Real(0.22), 0, 0}, frames.child_xform.p = {-side * Real(0.12), 0, 0};
    scene.add_joint_revolute(trunk, arm, {.axis = {0, 1, 0}, .damping = Real(0.2)}, frames);
    scene.add_shape_box(arm, Real(0.1), Real(0.05), Real(0.05), {.cfg = dull()});
  }
  return trunk;
}

// tolerance [m/s]: high piles tremble by some mm/s.
Model finished(ModelBuilder& scene, bool sleep = true, Device device = {}, Real tolerance = Real(0.01)) {
  scene.options.sleep = sleep;
  scene.options.sleep_tolerance = tolerance;
  return scene.finalize(device);
}
ModelBuilder on_ground() {
  ModelBuilder scene;
  scene.add_ground_plane(0, {.cfg = dull()});
  return scene;
}
Simulation xpbd(const Model& model, const Queue* queue = nullptr) {
  return Simulation(model, make_solver("xpbd", model, {}, queue), kDt);
}

bool sleeps(const Simulation& sim, int body) { return sim.state().body_asleep.on_cpu()[body] >= 0; }
int asleep(const Simulation& sim) {
  const Array<std::int32_t> all = sim.state().body_asleep.on_cpu();
  return static_cast<int>(std::count_if(all.begin(), all.end(), [](std::int32_t value) { return value >= 0; }));
}
// All that a world's motion goes on from.
std::vector<char> bits_of(const State& state) {
  std::vector<char> bits;
  const auto add = [&](const auto& array) {
    const auto host = array.on_cpu();
    const auto* const first = reinterpret_cast<const char*>(host.data());
    bits.insert(bits.end(), first, first + host.bytes());
  };
  add(state.joint_q), add(state.joint_qd), add(state.body_q), add(state.body_qd), add(state.body_asleep);
  return bits;
}
std::vector<char> bits_of(const Simulation& sim, int body) {
  std::vector<char> bits(sizeof(Transform) + sizeof(SpatialVector));
  std::memcpy(bits.data(), &sim.state().body_q[body], sizeof(Transform));
  std::memcpy(bits.data() + sizeof(Transform), &sim.state().body_qd[body], sizeof(SpatialVector));
  return bits;
}
double fastest(const Simulation& sim, int first, int count) {
  double most = 0;
  for (int b = first; b < first + count; ++b) most = std::max<double>(most, length(sim.state().body_qd[b].linear));
  return most;
}

// Proves that a pile falls asleep, stays just where it is, and costs no sweep and no contact then.
TEST(XpbdSleep, APileFallsAsleepAndStays) {
  ModelBuilder scene = on_ground();
  add_pile(scene, 0, 5);
  Simulation sim = xpbd(finished(scene));
  EXPECT_EQ(asleep(sim), 0);
  sim.step(kSettles);
  ASSERT_EQ(asleep(sim), 5);
  EXPECT_NEAR(sim.state().body_q[4].p.z, 0.9, 2e-3);
  const std::vector<char> bits = bits_of(sim.state());
  for (const int steps : {1, 1, 100}) {
    EXPECT_EQ(sim.step(steps)[0], 0);
    EXPECT_EQ(bits_of(sim.state()), bits);
    EXPECT_EQ(sim.solver().reports().iterations[0], 0);
    EXPECT_EQ(sim.contacts().rigid_contact_count[0], 0);
  }
  EXPECT_EQ(length_squared(sim.state().body_qd[0].linear), 0);
}

// Proves that nothing is different until the first one sleeps, and that what moves does not sleep.
TEST(XpbdSleep, AwakeItHasTheBitsOfAModelThatDoesNotSleep) {
  ModelBuilder scene = on_ground();
  add_pile(scene, 0);
  add_robot(scene, 2);
  add_ball(scene, {1, 1, 1});
  Simulation sleepy = xpbd(finished(scene)), other = xpbd(finished(scene, false));
  int steps = 0;
  while (steps < kSettles) {
    sleepy.step(), other.step(), ++steps;
    if (asleep(sleepy) > 0) break;
    for (int b = 0; b < sleepy.model().body_count; ++b) ASSERT_EQ(bits_of(sleepy, b), bits_of(other, b)) << steps;
  }
  EXPECT_GE(steps, 10);
  EXPECT_LT(steps, kSettles);
}

// Proves that a box that slides, be it slowly at first, never sleeps.
TEST(XpbdSleep, ABoxThatSlidesDoesNotSleep) {
  ModelBuilder scene(Axis::kZ, slope_gravity(0.1));
  ShapeConfig slippery = dull();
  slippery.mu = Real(0.05);
  scene.add_ground_plane(0, {.cfg = slippery});
  const int box = scene.add_body({.xform = {{0, 0, Real(0.1)}, {}}});
  scene.add_shape_box(box, Real(0.1), Real(0.1), Real(0.1), {.cfg = slippery});
  Simulation sim = xpbd(finished(scene));
  for (int n = 0; n < 100; ++n) {
    sim.step();
    ASSERT_EQ(asleep(sim), 0) << n;
  }
  EXPECT_GT(sim.state().body_q[box].p.x, 0.02);
}

// Proves that a ball wakes the pile that it runs into, but not the one beside it, and that all sleep again.
TEST(XpbdSleep, WhatIsHitWakes) {
  ModelBuilder scene = on_ground();
  const int pile = add_pile(scene, 0), other = add_pile(scene, 5), ball = add_ball(scene, {Real(-0.6), 0, Real(0.1)});
  Simulation sim = xpbd(finished(scene));
  sim.step(kSettles);
  ASSERT_EQ(asleep(sim), 7);
  const std::vector<char> bits = bits_of(sim, other);
  sim.state().body_qd[ball].linear.x = 3;
  int woke = 0;
  for (int n = 1; n < 200 && woke == 0; ++n) {
    sim.step();
    EXPECT_FALSE(sleeps(sim, ball));
    if (!sleeps(sim, pile)) woke = n;
  }
  EXPECT_GT(woke, 5) << "not before it is touched";
  for (int k = 0; k < 3; ++k) EXPECT_FALSE(sleeps(sim, pile + k)) << k;
  sim.step(20);
  EXPECT_GT(sim.state().body_q[pile].p.x, 1e-3);
  EXPECT_TRUE(sleeps(sim, other));
  EXPECT_EQ(bits_of(sim, other), bits);
  sim.step(4000);
  EXPECT_EQ(asleep(sim), 7);
}

// Proves that velocities, poses and forces that are written wake an island as a whole, and no other one.
TEST(XpbdSleep, WhatIsWrittenToWakes) {
  ModelBuilder scene = on_ground();
  const int one = add_pile(scene, 0), other = add_pile(scene, 5);
  Simulation sim = xpbd(finished(scene));
  const auto wakes_one = [&](const char* by, int top) {
    ASSERT_EQ(asleep(sim), 6) << by;
    const std::vector<char> bits = bits_of(sim, other);
    if (top == 0) sim.state().body_qd[one + 2].linear.x = Real(0.05);
    if (top == 1) sim.state().body_q[one + 2].p.z += Real(0.001);
    if (top == 2) sim.state().body_f[one + 2].linear.x = Real(0.5);
    sim.step();
    for (int k = 0; k < 3; ++k) {
      EXPECT_FALSE(sleeps(sim, one + k)) << by;
      EXPECT_TRUE(sleeps(sim, other + k)) << by;
    }
    EXPECT_EQ(bits_of(sim, other), bits) << by;
    sim.step(kSettles);
    EXPECT_EQ(sleeps(sim, one), top != 2) << by << ", and what is pushed stays awake";
    sim.state().clear_forces();
    sim.step(kSettles);
  };
  sim.step(kSettles);
  wakes_one("velocity", 0);
  wakes_one("pose", 1);
  wakes_one("force", 2);
  EXPECT_EQ(asleep(sim), 6);
}

// Proves that a robot sleeps and wakes as a whole, and that one whose joints are driven does not sleep.
TEST(XpbdSleep, ARobotSleepsWhole) {
  ModelBuilder scene = on_ground();
  const int trunk = add_robot(scene, 0);
  add_robot(scene, 3);
  const int driven = scene.add_link();
  scene.add_shape_sphere(driven, Real(0.1));
  scene.add_articulation({scene.add_joint_revolute(-1, driven, {.axis = {0, 1, 0}, .target_ke = 10, .target_kd = 1},
                                                   {.parent_xform = {{0, 3, 1}, {}}})});
  Simulation sim = xpbd(finished(scene));
  sim.step(2 * kSettles);
  EXPECT_EQ(asleep(sim), 6);
  EXPECT_FALSE(sleeps(sim, driven));
  sim.state().body_qd[trunk + 2].angular.y = Real(-0.5);
  sim.step();
  for (int k = 0; k < 3; ++k) EXPECT_FALSE(sleeps(sim, trunk + k)) << k;
  EXPECT_EQ(asleep(sim), 3);
  sim.step(2 * kSettles);
  EXPECT_EQ(asleep(sim), 6);
}

// Proves that a pile is remembered while something else moves: woken, it stands as firmly as one that never slept,
// which trembles by some mm/s; from impulses of zero it would begin with g dt = 41 mm/s.
TEST(XpbdSleep, WhatWakesStandsAsBefore) {
  const auto make = [](bool sleep, int& rolls) {
    ModelBuilder scene = on_ground();
    add_pile(scene, 0, 8);
    add_pendulum(scene, 4);
    rolls = add_ball(scene, {-3, 0, Real(0.1)});
    return xpbd(finished(scene, sleep));
  };
  int rolls = 0;
  Simulation sim = make(true, rolls), awake = make(false, rolls);
  sim.step(3 * kSettles), awake.step(3 * kSettles);
  ASSERT_EQ(asleep(sim), 9);
  const Real height = sim.state().body_q[7].p.z;
  sim.state().body_f[rolls].linear.y = Real(1e-3);
  sim.step(5);
  sim.state().body_f[0].linear.x = Real(1e-3);
  double most = 0, plain = 0;
  for (int n = 0; n < 20; ++n) {
    sim.step(), awake.step();
    EXPECT_FALSE(sleeps(sim, 7));
    most = std::max(most, fastest(sim, 0, 8)), plain = std::max(plain, fastest(awake, 0, 8));
  }
  EXPECT_LT(most, 2 * plain);
  EXPECT_LT(most, 0.01);
  EXPECT_NEAR(sim.state().body_q[7].p.z, height, 5e-5);
}

// Proves it for steps from one state to another one with all contacts that there are.
TEST(XpbdSleep, StepsOnTheirOwn) {
  ModelBuilder scene = on_ground();
  const int pile = add_pile(scene, 0);
  add_pendulum(scene, 4);
  const Model model = finished(scene, true, {}, Real(1e-4));  // it has settled before it sleeps
  const Solver solver = make_solver("xpbd", model);
  CollisionPipeline pipeline(model);
  State now = model.state(), next = model.state();
  const Control control = model.control();
  for (int n = 0; n < kSettles; ++n, std::swap(now, next)) solver.step(now, next, control, &pipeline.collide(now), kDt);
  ASSERT_GE(now.body_asleep[pile], 0);
  const State before = now.clone();
  for (int n = 0; n < 20; ++n, std::swap(now, next)) {
    const Contacts& contacts = pipeline.collide(now);
    ASSERT_GT(contacts.rigid_contact_count[0], 0);
    solver.step(now, next, control, &contacts, kDt);
    for (const Vec3& force : contacts.rigid_contact_force) EXPECT_EQ(length_squared(force), 0);
  }
  EXPECT_EQ(std::memcmp(now.body_q.data(), before.body_q.data(), 3 * sizeof(Transform)), 0);
  now.body_f[pile].linear.x = Real(1e-3);
  const Contacts& contacts = pipeline.collide(now);
  solver.step(now, next, control, &contacts, kDt);
  double weight = 0;
  for (int k = 0; k < contacts.rigid_contact_count[0]; ++k)
    if (contacts.rigid_contact_shape0[k] == 0) weight += contacts.rigid_contact_force[k].z;
  EXPECT_NEAR(weight / (9.81 * 3 * model.body_mass[pile]), 1, 0.02);
}

// Proves that sleep beside particles is refused by name, and that options.sleep is chosen before finalize().
TEST(XpbdSleep, Refusals) {
  const auto message = [](const Model& model) -> std::string {
    try {
      xpbd(model);
    } catch (const Error& e) {
      return e.what();
    }
    return "nothing";
  };
  ModelBuilder scene = on_ground();
  add_pile(scene, 0);
  Model late = finished(scene, false);
  late.options.sleep = true;
  EXPECT_NE(message(late).find("options.sleep was changed after finalize()"), std::string::npos);
  scene.add_particle({0, 0, 2}, {}, 1, Real(0.1));
  EXPECT_NE(message(finished(scene)).find("sleep beside particles (1 particles)"), std::string::npos);
}

// -- Bits. A world is known by its number: half of them are hit in the second phase, and every third has something
// that goes on moving.

ModelBuilder numbered(int number) {
  ModelBuilder scene;
  const int ball = add_ball(scene, {Real(-0.5) - Real(number % 4) / 16, 0, Real(0.1)});
  EXPECT_EQ(ball, 0);
  add_pile(scene, 0);
  add_robot(scene, 2);
  if (number % 3 == 0) add_pendulum(scene, 4);
  else add_box(scene, {0, 3, Real(0.1)}, {Real(0.1), Real(0.2), Real(0.1)}, SleepPolicy::kNever);
  add_box(scene, {0, -3, Real(0.1)}, {Real(0.1), Real(0.2), Real(0.1)}, SleepPolicy::kInit);
  return scene;
}
Model rooms(const std::vector<int>& numbers, Device device = {}) {
  ModelBuilder scene = on_ground();
  scene.options.sleep = true;
  for (const int number : numbers) scene.add_world(numbered(number));
  return scene.finalize(device);
}
void hit(Simulation& sim, const std::vector<int>& numbers) {
  Array<SpatialVector> qd = sim.state().body_qd.on_cpu();
  const std::vector<int>& start = sim.model().layout->start[static_cast<int>(Entity::kBody)];
  for (std::size_t w = 0; w < numbers.size(); ++w)
    if (numbers[w] % 2 == 0) qd[start[w]].linear.x = 2 + Real(numbers[w]) / 8;
  sim.state().body_qd.assign(qd);
}
constexpr int kSteps[] = {300, 40, 500};  // until most sleep, while some are hit, until most sleep again

using Phases = std::vector<std::vector<char>>;  // bits of the worlds after each phase

Phases run(const std::vector<int>& numbers, QueueConfig config = {}, bool single_steps = false) {
  const Queue queue({}, config);
  const Model model = rooms(numbers);
  Simulation sim = xpbd(model, &queue);
  Phases phases;
  for (int phase = 0; phase < 3; ++phase) {
    if (phase == 1) hit(sim, numbers);
    for (int i = 0; i < (single_steps ? kSteps[phase] : 1); ++i) sim.step(single_steps ? 1 : kSteps[phase]);
    for (std::size_t w = 0; w < numbers.size(); ++w) {
      EXPECT_EQ(sim.status()[static_cast<int>(w)], 0);
      phases.push_back(bits_of(sim.state().world(static_cast<int>(w))));
    }
  }
  return phases;
}
std::vector<int> numbers_below(int n) {
  std::vector<int> numbers(n);
  for (int i = 0; i < n; ++i) numbers[i] = i;
  return numbers;
}

// Proves that who sleeps, and all bits, depend on the world alone.
TEST(XpbdSleep, OneAnswer) {
  const int n = 11;
  const std::vector<int> numbers = numbers_below(n);
  const Phases alone = run(numbers, {.threads = 1, .lanes = 1});
  EXPECT_EQ(run(numbers), alone);
  EXPECT_EQ(run(numbers, {}, true), alone) << "single steps";
  EXPECT_EQ(run(numbers, {.threads = 3}), alone) << "threads";
  testing::for_each_tier([&] { EXPECT_EQ(run(numbers), alone); });
  const Phases back = run({numbers.rbegin(), numbers.rend()});
  for (int phase = 0; phase < 3; ++phase)
    for (int w = 0; w < n; ++w) EXPECT_EQ(back[n * phase + n - 1 - w], alone[n * phase + w]) << "order, world " << w;
  for (const int w : {0, 1, 5}) {
    const Phases single = run({w});
    for (int phase = 0; phase < 3; ++phase) EXPECT_EQ(single[phase], alone[n * phase + w]) << "world " << w;
  }
}

// Proves that all go on as before from a snapshot, asleep or awake, and begin anew after a reset.
TEST(XpbdSleep, SnapshotsAndResets) {
  const std::vector<int> numbers = numbers_below(3);
  Simulation sim = xpbd(rooms(numbers));
  const auto now = [&] { return bits_of(sim.state()); };
  sim.step(kSteps[0]);
  const std::vector<char> first = now();
  hit(sim, numbers);
  sim.step(15);
  const Simulation::Snapshot snapshot = sim.snapshot();
  sim.step(kSteps[1]);
  const std::vector<char> second = now();
  sim.step(kSteps[2]);
  const std::vector<char> third = now();
  EXPECT_GT(asleep(sim), 3 * 5);
  sim.restore(snapshot);
  sim.step(kSteps[1]);
  EXPECT_EQ(now(), second);
  sim.step(kSteps[2]);
  EXPECT_EQ(now(), third);
  sim.reset();
  EXPECT_EQ(asleep(sim), 0);
  sim.step(kSteps[0]);
  EXPECT_EQ(now(), first);
}

// Proves it on a GPU.
TEST(XpbdSleep, CudaHasTheBitsOfTheCpu) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "NOT RUN ON CUDA: this build or machine has no CUDA device";
  const std::vector<int> numbers = numbers_below(40);
  const Model on_gpu = rooms(numbers, Device::parse("cuda"));
  Simulation cpu = xpbd(rooms(numbers)), gpu(on_gpu, make_solver("xpbd", on_gpu, {{"max_contacts", 128}}), kDt);
  for (int phase = 0; phase < 3; ++phase) {
    if (phase == 1) hit(cpu, numbers), hit(gpu, numbers);
    for (const int steps : {1, 1, kSteps[phase]}) {
      cpu.step(steps), gpu.step(steps);
      EXPECT_EQ(bits_of(cpu.state()), bits_of(gpu.state())) << "phase " << phase;
    }
  }
}

}  // namespace
}  // namespace carom
