// Impulses on the engine's contacts: closed forms of single hits, conservation and restitution in heaps, the same bits
// in lanes, on threads and on CUDA, and what is refused.
#include "carom/resolve_impulses.h"

#include <gtest/gtest.h>

#include <cstring>

#include "alloc_counter.h"
#include "carom/carom.h"
#include "tests/backend/on_device.h"
#include "tests/random.h"

namespace carom {
namespace {

constexpr Real kEps = std::numeric_limits<Real>::epsilon();
constexpr Real kSolved = 10 * ImpulseConfig{}.tolerance;  // of velocities of several points

ShapeConfig material(Real restitution, Real mu = 0) { return {.mu = mu, .restitution = restitution}; }

void set_velocity(const State& state, int body, Vec3 linear, Vec3 angular = {}) {
  state.body_qd[body] = {linear, angular};
}

// A model, its state, and what a hit does to it.
struct Hit {
  Model model;
  State before, after;
  Contacts contacts;
  Array<Vec3> impulse;

  explicit Hit(const ModelBuilder& builder) : model(builder.finalize()), before(model.state()), after(model.state()) {}
  void resolve(const ImpulseConfig& config = {}) {
    CollisionPipeline pipeline(model);
    contacts = pipeline.collide(before);
    impulse = resolve_impulses(model, before, after, contacts, config);
  }
  int contact_count() const { return contacts.rigid_contact_count[0]; }
};

void expect_near(Vec3 found, Vec3 expected, Real tolerance) {
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << "component " << i;
}

int sphere(ModelBuilder& builder, Vec3 p, Real mass, Real restitution, Real mu = 0) {
  const int body =
      builder.add_link({.xform = {p, {}}, .inertia = mat33_diagonal(Vec3{1, 1, 1} * (Real(0.1) * mass)), .mass = mass});
  ShapeConfig cfg = material(restitution, mu);
  cfg.density = 0;
  builder.add_shape_sphere(body, Real(0.5), {.cfg = cfg});
  return body;
}

// Proves the equal spheres of the reference (A1): they swap their velocities, and shape 1 gets the impulse that shape 0
// loses; in a model without worlds and in a world.
TEST(Resolve, EqualSpheresSwapVelocities) {
  for (const bool in_world : {false, true}) {
    ModelBuilder builder;
    if (in_world) builder.begin_world();
    sphere(builder, {}, 1, 1);
    sphere(builder, {Real(0.99), 0, 0}, 1, 1);
    if (in_world) builder.end_world();
    Hit hit(builder);
    set_velocity(hit.before, 0, {1, Real(0.5), 0});
    set_velocity(hit.before, 1, {-1, 0, 0});
    hit.resolve();
    ASSERT_EQ(hit.contact_count(), 1);
    expect_near(hit.impulse[0], {2, 0, 0}, 4 * kEps);
    expect_near(hit.after.body_qd[0].linear, {-1, Real(0.5), 0}, 4 * kEps);
    expect_near(hit.after.body_qd[1].linear, {1, 0, 0}, 4 * kEps);
    expect_near(hit.before.body_qd[0].linear, {1, Real(0.5), 0}, 0);  // the state before is left alone
  }
}

// Proves that what separates, and what is near but does not touch, gets nothing, unless least_depth says so.
TEST(Resolve, OnlyHitsCount) {
  for (const Real gap : {Real(-0.01), Real(0.01)}) {
    for (const Real speed : {Real(1), Real(-1)}) {
      ModelBuilder builder;
      builder.rigid_contact_margin = Real(0.1);
      sphere(builder, {}, 1, 1);
      sphere(builder, {1 + gap, 0, 0}, 1, 1);
      Hit hit(builder);
      set_velocity(hit.before, 0, {speed, 0, 0});
      hit.resolve();
      ASSERT_EQ(hit.contact_count(), 1);
      const bool is_hit = gap < 0 && speed > 0;
      EXPECT_NEAR(hit.impulse[0].x, is_hit ? 1 : 0, 4 * kEps);
      hit.resolve({.least_depth = Real(-0.05)});
      EXPECT_NEAR(hit.impulse[0].x, speed > 0 ? 1 : 0, 4 * kEps);
    }
  }
}

// Proves that a box that lands flat on a plane bounces without spin, whatever its four corners share, and that
// restitution fades below the threshold.
TEST(Resolve, BoxLandsFlat) {
  for (const Real e : {Real(0), Real(0.5), Real(1)}) {
    ModelBuilder builder;
    builder.add_ground_plane(0, {.cfg = material(e, Real(0.5))});
    builder.add_shape_box(builder.add_link({.xform = {{0, 0, Real(0.29)}, {}}}), Real(0.5), Real(0.4), Real(0.3),
                          {.cfg = material(e, Real(0.5))});
    Hit hit(builder);
    set_velocity(hit.before, 0, {0, 0, -2});
    hit.resolve();
    ASSERT_EQ(hit.contact_count(), 4);
    expect_near(hit.after.body_qd[0].linear, {0, 0, 2 * e}, kSolved);
    expect_near(hit.after.body_qd[0].angular, {}, kSolved);
    Vec3 total{};
    for (int c = 0; c < 4; ++c) total += hit.impulse[c];  // the plane is shape 0
    EXPECT_NEAR(total.z, hit.model.body_mass[0] * 2 * (1 + e), kSolved * hit.model.body_mass[0]);
    hit.resolve({.restitution_threshold = 4});  // twice the speed: half the restitution
    EXPECT_NEAR(hit.after.body_qd[0].linear.z, e, kSolved);
  }
}

// Proves that a kinematic body keeps its velocity and pushes with it: relative to the hand the ball bounces.
TEST(Resolve, MovingHand) {
  ModelBuilder builder;
  const int ball = sphere(builder, {}, Real(0.7), Real(0.5));
  const int hand = builder.add_link({.xform = {{Real(0.99), 0, 0}, {}}, .is_kinematic = true});
  builder.add_shape_sphere(hand, Real(0.5), {.cfg = material(Real(0.5))});
  Hit hit(builder);
  set_velocity(hit.before, ball, {1, 0, 0});
  set_velocity(hit.before, hand, {-3, 0, 0});
  hit.resolve();
  expect_near(hit.after.body_qd[ball].linear, {-5, 0, 0}, 8 * kEps);  // -3 - 0.5 * 4
  expect_near(hit.after.body_qd[hand].linear, {-3, 0, 0}, 0);
}

// Proves the rules that make one coefficient of two.
TEST(Resolve, CombineRules) {
  const std::pair<CombineRule, Real> cases[] = {{CombineRule::kAverage, Real(0.5)},
                                                {CombineRule::kMax, Real(0.8)},
                                                {CombineRule::kMin, Real(0.2)},
                                                {CombineRule::kGeometricMean, Real(0.4)}};
  for (const auto& [rule, e] : cases) {
    ModelBuilder builder;
    sphere(builder, {}, 1, Real(0.2));
    builder.add_shape_box(-1, 1, 1, 1, {.xform = {{0, 0, Real(-1.49)}, {}}, .cfg = material(Real(0.8))});
    Hit hit(builder);
    set_velocity(hit.before, 0, {0, 0, -1});
    hit.resolve({.restitution_rule = rule});
    EXPECT_NEAR(hit.after.body_qd[0].linear.z, e, 8 * kEps) << "rule " << static_cast<int>(rule);
  }
}

// Proves that free joints get the velocity of their bodies, also where their frames are turned, and that a body that is
// fixed to the world does not move.
TEST(Resolve, JointVelocitiesFollow) {
  ModelBuilder builder;
  const int ball = sphere(builder, {}, 1, 1), post = sphere(builder, {Real(0.99), 0, 0}, 1, 1);
  builder.add_joint_free(ball, -1, {.parent_xform = {{1, 2, 3}, normalize(Quat{1, 2, 3, 4})}});
  builder.add_joint_fixed(-1, post, {.parent_xform = {{Real(0.99), 0, 0}, {}}});
  Hit hit(builder);
  for (const State& state : {hit.before, hit.after}) eval_fk(hit.model, state.joint_q, state.joint_qd, state);
  hit.before.body_q[ball] = {};
  set_velocity(hit.before, ball, {2, 1, 0}, {0, 0, 3});
  eval_ik(hit.model, hit.before, hit.before.joint_q, hit.before.joint_qd);
  hit.resolve();
  expect_near(hit.after.body_qd[ball].linear, {-2, 1, 0}, 16 * kEps);
  expect_near(hit.after.body_qd[post].linear, {}, 0);
  const State again = hit.model.state();
  eval_fk(hit.model, hit.after.joint_q, hit.after.joint_qd, again);
  expect_near(again.body_qd[ball].linear, {-2, 1, 0}, 64 * kEps);
  expect_near(again.body_qd[ball].angular, {0, 0, 3}, 64 * kEps);
}

// -- Heaps: bodies of several shapes that overlap a little and fly about, with static and moving surroundings.

struct HeapOptions {
  int bodies;
  Real restitution, mu;
  bool surroundings;  // a floor and a moving wall, which keep no momentum
};

void add_heap(ModelBuilder& builder, const HeapOptions& options, FixedRandom& random) {
  const auto vector = [&] { return Vec3{random.next(), random.next(), random.next()}; };
  const ShapeConfig cfg = material(options.restitution, options.mu);
  for (int i = 0; i < options.bodies; ++i) {
    const Quat q = normalize(Quat{random.next(), random.next(), random.next(), random.next()});
    const int body = builder.add_link({.xform = {vector() * Real(0.6), q}});
    if (i % 3 == 0) builder.add_shape_sphere(body, Real(0.4), {.cfg = cfg});
    else if (i % 3 == 1) builder.add_shape_box(body, Real(0.3), Real(0.4), Real(0.5), {.cfg = cfg});
    else builder.add_shape_capsule(body, Real(0.2), Real(0.4), {.cfg = cfg});
  }
  if (!options.surroundings) return;
  builder.add_shape_box(-1, 2, 2, 1, {.xform = {{0, 0, Real(-1.8)}, {}}, .cfg = cfg});
  const int wall = builder.add_link({.xform = {{Real(1.3), 0, 0}, {}}, .is_kinematic = true});
  builder.add_shape_box(wall, Real(0.5), 2, 2, {.cfg = cfg});
}

void set_random_velocities(const State& state, FixedRandom& random) {
  for (SpatialVector& v : state.body_qd)
    v = SpatialVector{{random.next(), random.next(), random.next()}, {random.next(), random.next(), random.next()}} *
        Real(2);
}

struct Motion {
  double energy = 0, momentum[3] = {}, angular[3] = {};

  Motion(const Model& model, const State& state) {
    for (int b = 0; b < model.body_count; ++b) {
      if (model.body_inv_mass[b] == 0) continue;
      const Real m = model.body_mass[b];
      const Vec3 v = state.body_qd[b].linear, w = state.body_qd[b].angular;
      const Mat33 R = mat33_from_quat(state.body_q[b].q);
      const Vec3 L = R * (model.body_inertia[b] * (transpose(R) * w));
      const Vec3 about = cross(transform_point(state.body_q[b], model.body_com[b]), v) * m + L;
      energy += 0.5 * (double(m) * dot(v, v) + dot(w, L));
      for (int i = 0; i < 3; ++i) momentum[i] += double(m) * v[i], angular[i] += about[i];
    }
  }
};

Vec3 velocity_of_shape(const Model& model, const State& state, int shape, Vec3 p) {
  const int body = model.shape_body[shape];
  if (body < 0) return {};
  const SpatialVector V = state.body_qd[body];
  return V.linear + cross(V.angular, p - transform_point(state.body_q[body], model.body_com[body]));
}

// Proves that impulses among free bodies keep momentum and angular momentum and gain no energy, that friction is in the
// cone, and that touching points separate with the restitution of their approach.
TEST(Resolve, HeapsKeepMomentum) {
  SeededRandom random(5);
  int contacts = 0, sliding = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Real e = Real(trial % 3) / 2, mu = Real(trial % 4) / 4;
    ModelBuilder builder;
    add_heap(builder, {2 + trial % 9, e, mu, false}, random);
    Hit hit(builder);
    set_random_velocities(hit.before, random);
    hit.resolve({.max_iterations = 20000});
    const Motion was(hit.model, hit.before), is(hit.model, hit.after);
    const double scale = was.energy + 1;
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(is.momentum[i], was.momentum[i], 200 * kEps * scale);
      EXPECT_NEAR(is.angular[i], was.angular[i], 200 * kEps * scale);
    }
    // The sweeps stop when velocities, of up to 5 m/s, change by no more than the tolerance: impulses may do that work.
    double unsettled = 0;
    for (int c = 0; c < hit.contact_count(); ++c) unsettled += 5 * ImpulseConfig{}.tolerance * length(hit.impulse[c]);
    EXPECT_LE(is.energy, was.energy * (1 + 100 * kEps) + unsettled);
    for (int c = 0; c < hit.contact_count(); ++c) {
      const Contacts& k = hit.contacts;
      if (k.rigid_contact_depth[c] < 0) continue;
      const Vec3 n = k.rigid_contact_normal[c], J = hit.impulse[c], p = k.rigid_contact_point[c];
      const auto approach = [&](const State& s) {
        return dot(n, velocity_of_shape(hit.model, s, k.rigid_contact_shape0[c], p) -
                          velocity_of_shape(hit.model, s, k.rigid_contact_shape1[c], p));
      };
      const Real normal = dot(J, n), tangential = length(J - n * normal);
      EXPECT_GE(normal, -100 * kEps * length(J));
      EXPECT_LE(tangential, mu * normal + 1000 * kEps * (1 + length(J)));
      // With restitution and several points, energy may cut the bounce short; without it nothing may sink in.
      const Real sinks = e == 0 ? approach(hit.after) : Real(0);
      EXPECT_LE(sinks, Real(sizeof(Real) == 4 ? 2e-4 : 1e-9));
      ++contacts;
      sliding += tangential > 0;
    }
  }
  EXPECT_GT(contacts, 500);
  EXPECT_GT(sliding, 200);
}

// Proves that a single point gets the impulse of impulse_by_collision with its normal oriented; a pair in each world.
TEST(Resolve, AgreesWithTheSingleFunction) {
  constexpr int kWorlds = 200;
  SeededRandom random(9);
  std::vector<Real> e, mu;
  ModelBuilder builder;
  for (int world = 0; world < kWorlds; ++world) {
    e.push_back((random.next() + 1) / 2);
    mu.push_back(world % 2 ? (random.next() + 1) / 2 : Real(0));
    builder.begin_world();
    sphere(builder, {}, 1 + random.next() / 2, e.back(), mu.back());
    const Vec3 away = normalize(Vec3{random.next(), random.next(), random.next()}) * Real(0.98);
    sphere(builder, away, 2, e.back(), mu.back());
    builder.end_world();
  }
  Hit hit(builder);
  set_random_velocities(hit.before, random);
  hit.resolve();
  ASSERT_EQ(hit.contact_count(), kWorlds);
  for (int world = 0; world < kWorlds; ++world) {
    const int one = 2 * world, other = one + 1;
    const auto r = [&](int b) {
      return ContactVector(hit.contacts.rigid_contact_point[world] - hit.before.body_q[b].p);
    };
    const auto v = [&](int b) { return Velocity(hit.before.body_qd[b].linear); };
    const auto w = [&](int b) { return AngularVelocity(hit.before.body_qd[b].angular); };
    const Impulse J = impulse_by_collision(
        v(one), w(one), {0, 0, 0}, v(other), w(other), {0, 0, 0}, r(one), r(other), hit.model.body_mass[one],
        hit.model.body_mass[other], RotationalInertia(hit.model.body_inertia[one]),
        RotationalInertia(hit.model.body_inertia[other]), hit.contacts.rigid_contact_normal[world], e[world],
        {.oriented = true, .friction = mu[world]});
    expect_near(-J.vec(), hit.impulse[world], 200 * kEps);
  }
}

// -- The same bits.

class ResolveOn : public testing::OnDevice {};

// Where the bits of two arrays of numbers differ first; nothing where they do not.
template <class Number, class T>
std::string first_difference(const std::vector<T>& a, const std::vector<T>& b) {
  constexpr int kEach = sizeof(T) / sizeof(Number);
  const Number *x = reinterpret_cast<const Number*>(a.data()), *y = reinterpret_cast<const Number*>(b.data());
  for (std::size_t i = 0; i < kEach * std::min(a.size(), b.size()); ++i) {
    if (std::memcmp(x + i, y + i, sizeof(Number)) == 0) continue;
    return "number " + std::to_string(i % kEach) + " of row " + std::to_string(i / kEach) + ": " +
           std::to_string(x[i]) + " and " + std::to_string(y[i]) + ", " + std::to_string(double(x[i] - y[i]) * 1e12) +
           "e-12 apart";
  }
  return a.size() == b.size() ? "" : "their sizes";
}

// Proves that lanes, threads, tiers and devices do not matter: heaps of different sizes in neighbouring worlds, with
// friction, restitution, and a moving wall that all worlds share.
TEST_P(ResolveOn, SameBits) {
  SeededRandom random(21);
  ModelBuilder builder;
  for (int world = 0; world < 37; ++world) {
    builder.begin_world();
    add_heap(builder, {world % 7, Real(0.5), Real(0.3), world % 3 == 0}, random);
    builder.end_world();
  }
  const int wall = builder.add_link({.xform = {{0, Real(1.3), 0}, {}}, .is_kinematic = true});
  builder.add_shape_box(wall, 2, Real(0.5), 2, {.cfg = material(Real(0.5), Real(0.3))});
  const Model on_cpu = builder.finalize();
  const State start = on_cpu.state();
  set_random_velocities(start, random);

  std::vector<Vec3> expected;
  std::vector<SpatialVector> expected_qd;
  {
    const Queue one({}, {.threads = 1, .lanes = 1});
    CollisionPipeline pipeline(on_cpu);
    const Contacts& contacts = pipeline.collide(start);
    const State after = on_cpu.state();
    expected = on_host(resolve_impulses(on_cpu, start, after, contacts, {}, &one));
    expected_qd = on_host(after.body_qd);
    ASSERT_GT(contacts.rigid_contact_count[0], 150);
  }
  const Model model = builder.finalize(device());
  const State before = model.state(), after = model.state();
  before.body_qd.assign(start.body_qd);
  CollisionPipeline pipeline(model);
  const Contacts& contacts = pipeline.collide(before);
  const int tier = cpu_tier();
  for (int t = 0; t < cpu_tier_count(); ++t) {
    if (!cpu_tier_supported(t)) continue;
    set_cpu_tier(t);
    for (const Queue& queue : queues()) {
      ImpulseResolver resolver(model, {}, &queue);
      std::vector<Vec3> found = on_host(resolver.resolve(before, after, contacts));
      found.resize(expected.size());
      EXPECT_EQ("", first_difference<Real>(found, expected)) << cpu_tier_name(t);
      const std::vector<SpatialVector> qd = on_host(after.body_qd);
      EXPECT_EQ("", first_difference<Real>(qd, expected_qd)) << cpu_tier_name(t);
      for (const std::int32_t status : on_host(resolver.status())) EXPECT_EQ(status & kStatusNotFinite, 0);
    }
  }
  set_cpu_tier(tier);
}
INSTANTIATE_TEST_SUITE_P(, ResolveOn, ::testing::Values("cpu", "cuda"));

// -- Rules of the house.

// Proves that a resolver that has met as many contacts before allocates nothing, also when there are fewer in between.
TEST(Resolve, WarmCallsAllocateNothing) {
  if (!testing::counts_allocations()) GTEST_SKIP() << "NOT COUNTED: allocations are not counted in this build";
  SeededRandom random(2);
  ModelBuilder builder;
  add_heap(builder, {6, Real(0.5), Real(0.5), true}, random);
  Hit hit(builder);
  set_random_velocities(hit.before, random);
  const State apart = hit.before.clone();
  apart.body_q[0].p = {100, 0, 0};
  CollisionPipeline pipeline(hit.model), another(hit.model);
  const Contacts &many = pipeline.collide(hit.before), &few = another.collide(apart);
  ASSERT_GT(many.rigid_contact_count[0], few.rigid_contact_count[0]);
  ImpulseResolver resolver(hit.model);
  resolver.resolve(hit.before, hit.after, many);
  EXPECT_EQ(testing::allocations_in([&] {
              resolver.resolve(apart, hit.after, few);
              resolver.resolve(hit.before, hit.after, many);
            }),
            0);
}

// Proves that a state that is not finite is reported for its world alone.
TEST(Resolve, NotFiniteIsReported) {
  ModelBuilder builder;
  for (int world = 0; world < 3; ++world) {
    builder.begin_world();
    sphere(builder, {}, 1, 1);
    sphere(builder, {Real(0.99), 0, 0}, 1, 1);
    builder.end_world();
  }
  Hit hit(builder);
  for (int b = 0; b < 6; ++b) set_velocity(hit.before, b, {b % 2 ? Real(-1) : Real(1), 0, 0});
  set_velocity(hit.before, 2, {std::numeric_limits<Real>::quiet_NaN(), 0, 0});
  CollisionPipeline pipeline(hit.model);
  ImpulseResolver resolver(hit.model);
  const Array<Vec3>& impulse = resolver.resolve(hit.before, hit.after, pipeline.collide(hit.before));
  EXPECT_EQ(resolver.status()[0], 0);
  EXPECT_TRUE(resolver.status()[1] & kStatusNotFinite);
  EXPECT_EQ(resolver.status()[2], 0);
  expect_near(impulse[0], {2, 0, 0}, 8 * kEps);
  expect_near(impulse[2], {2, 0, 0}, 8 * kEps);
}

// Proves that what cannot be done is refused by name.
TEST(Resolve, Refusals) {
  const auto message = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  ModelBuilder builder;
  sphere(builder, {}, 1, 1);
  const Model model = builder.finalize();
  EXPECT_TRUE(has(message([&] { ImpulseResolver(model, {.tangential_restitution = 2}); }), "tangential_restitution"));
  EXPECT_TRUE(has(message([&] { ImpulseResolver(model, {.restitution_threshold = -1}); }), "restitution_threshold"));
  EXPECT_TRUE(has(message([&] { ImpulseResolver(model, {.least_depth = kNotSet}); }), "least_depth"));
  EXPECT_TRUE(has(message([&] { ImpulseResolver(model, {.max_iterations = 0}); }), "max_iterations"));
  EXPECT_TRUE(has(message([&] { ImpulseResolver(model, {.tolerance = kNotSet}); }), "tolerance"));

  ModelBuilder two;
  const int base = sphere(two, {}, 1, 1);
  two.add_joint_revolute(base, sphere(two, {2, 0, 0}, 1, 1));
  const Model tied = two.finalize();
  const std::string refused = message([&] { ImpulseResolver{tied}; });
  EXPECT_TRUE(has(refused, "revolute") && has(refused, "ties body 1 to body 0") && has(refused, "solver")) << refused;

  CollisionPipeline pipeline(model);
  const Contacts& contacts = pipeline.collide(model.state());
  const auto resolve = [&](const State& in, const State& out) {
    return message([&] { resolve_impulses(model, in, out, contacts); });
  };
  EXPECT_TRUE(has(resolve(tied.state(), model.state()), "state_in belongs to another model"));
  EXPECT_TRUE(has(resolve(model.state(), tied.state()), "state_out belongs to another model"));
  EXPECT_TRUE(has(message([&] { resolve_impulses(model, model.state(), model.state(), Contacts{}); }),
                  "contacts belongs to no model"));
  ModelBuilder worlds;
  for (int w = 0; w < 2; ++w) {
    worlds.begin_world();
    worlds.end_world();
  }
  const Model other = worlds.finalize();
  CollisionPipeline of_other(other);
  const Contacts& others = of_other.collide(other.state());
  EXPECT_TRUE(has(message([&] { resolve_impulses(model, model.state(), model.state(), others); }),
                  "contacts belongs to another model"));
}

// Proves that a resolver notices edits: of masses, which it reads as they are worked out, and of materials.
TEST(Resolve, NoticesEdits) {
  ModelBuilder builder;
  sphere(builder, {0, 0, 0}, 1, 1);
  sphere(builder, {Real(0.99), 0, 0}, 1, 1);
  const Model model = builder.finalize();
  CollisionPipeline pipeline(model);
  ImpulseResolver resolver(model);
  const State before = model.state(), after = model.state();
  set_velocity(before, 0, {1, 0, 0});
  const auto expect_same_as_new = [&] {
    const Contacts contacts = pipeline.collide(before);
    const Vec3 found = resolver.resolve(before, after, contacts)[0];
    const Vec3 expected = resolve_impulses(model, before, model.state(), contacts)[0];
    EXPECT_EQ(std::memcmp(&found, &expected, sizeof(Vec3)), 0);
    return found.x;
  };
  EXPECT_NEAR(expect_same_as_new(), 1, 10 * kEps);
  model.edit([](ModelNumbers& n) { n.body_mass[1] = 3, n.body_inertia[1] = n.body_inertia[1] * Real(3); });
  EXPECT_NEAR(expect_same_as_new(), 1.5, 10 * kEps);
  model.edit([](ModelNumbers& n) { n.shape_material_restitution[0] = n.shape_material_restitution[1] = 0; });
  EXPECT_NEAR(expect_same_as_new(), 0.75, 10 * kEps);
  model.edit([](ModelNumbers& n) { n.body_flags[1] = kBodyKinematic; });
  EXPECT_NEAR(expect_same_as_new(), 1, 10 * kEps);
}

}  // namespace
}  // namespace carom
