// Particles of many worlds: the same bits however they are run, no world sees another, one that is lost stops alone.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <utility>

#include "model/owner.h"
#include "tests/alloc_counter.h"
#include "tests/dynamics/particle_scene.h"
#include "tests/dynamics/particle_world.h"

namespace carom {
namespace {

// What a world's particles are after some steps, and the forces of its contacts.
struct Outcome {
  std::vector<Vec3> q, qd, soft_force, pair_force;
  std::vector<SpatialVector> push;
  friend bool operator==(const Outcome& a, const Outcome& b) {
    const auto same = [](const auto& x, const auto& y) {
      return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(x[0])) == 0;
    };
    return same(a.q, b.q) && same(a.qd, b.qd) && same(a.soft_force, b.soft_force) && same(a.pair_force, b.pair_force) &&
           same(a.push, b.push);
  }
};

template <class T>
void append(std::vector<T>& to, const Array<T>& from, int begin, int end) {
  to.insert(to.end(), from.begin() + begin, from.begin() + end);
}

Outcome outcome(const ParticleWorld& w, int first = 0, int end = -1) {
  if (end < 0) end = w.model.world_count;
  Outcome o;
  const Model& m = w.model;
  append(o.q, w.state.particle_q, m.particle_world_start[first], m.particle_world_start[end]);
  append(o.qd, w.state.particle_qd, m.particle_world_start[first], m.particle_world_start[end]);
  const Contacts& c = w.contacts;
  append(o.soft_force, c.soft_contact_force, c.soft_contact_world_start[first], c.soft_contact_world_start[end]);
  append(o.pair_force, c.particle_contact_force, c.particle_contact_world_start[first],
         c.particle_contact_world_start[end]);
  append(o.push, w.body_push, m.body_world_start[first], m.body_world_start[end]);
  return o;
}

constexpr Real kDt = Real(1) / 500;
constexpr int kSteps = 150;

// Proves that threads and tiers change no bit of motion, forces of contacts and what bodies feel.
TEST(ParticleWorlds, SameBitsForThreadsAndTiers) {
  const Model model = worlds_of_particles(7).finalize();
  ParticleWorld expected(model, Queue({}, {.threads = 1}));
  expected.step_in_contact(kDt, kSteps);
  const Outcome once = outcome(expected);
  EXPECT_GT(once.soft_force.size(), 20u);
  EXPECT_GT(once.pair_force.size(), 20u);
  const int tier = cpu_tier();
  for (int t = 0; t < cpu_tier_count(); ++t) {
    if (!cpu_tier_supported(t)) continue;
    set_cpu_tier(t);
    for (const int threads : {1, 2, 5}) {
      ParticleWorld w(model, Queue({}, {.threads = threads}));
      w.step_in_contact(kDt, kSteps);
      EXPECT_TRUE(outcome(w) == once) << cpu_tier_name(t) << ", " << threads << " threads";
    }
  }
  set_cpu_tier(tier);
}

// Proves that a world moves as it does alone, bit for bit, and that it does not matter which ones are beside it.
TEST(ParticleWorlds, WorldsDoNotSeeEachOther) {
  ParticleWorld all(worlds_of_particles(6));
  all.step_in_contact(kDt, kSteps);
  for (int i = 0; i < 6; ++i) {
    ParticleWorld alone(worlds_of_particles(1, i));
    alone.step_in_contact(kDt, kSteps);
    EXPECT_TRUE(outcome(alone) == outcome(all, i, i + 1)) << "world " << i;
  }
}

// Proves that a world with a particle that is not finite stays as it was and says so; the others go on.
TEST(ParticleWorlds, LostWorldStops) {
  ParticleWorld good(worlds_of_particles(4)), bad(good.model);
  good.step_in_contact(kDt, 30);
  bad.step_in_contact(kDt, 30);
  const Outcome before = outcome(bad, 1, 2);
  bad.state.particle_f[bad.model.particle_world_start[1] + 2].y = std::numeric_limits<Real>::quiet_NaN();
  good.step_in_contact(kDt, 20);
  bad.step_in_contact(kDt, 20);
  const Outcome after = outcome(bad, 1, 2);
  EXPECT_EQ(before.q, after.q);
  EXPECT_EQ(before.qd, after.qd);
  for (const int world : {0, 2, 3}) {
    EXPECT_TRUE(outcome(good, world, world + 1) == outcome(bad, world, world + 1)) << world;
    EXPECT_EQ(bad.status[world], 0) << world;
  }
  EXPECT_EQ(bad.status[1], kStatusNotFinite);
}

// Proves that what is global, before the worlds and behind them, pushes what is in a world and is pushed by nothing
// there, neither by particles nor by shapes: its way does not depend on the worlds.
TEST(ParticleWorlds, GlobalsAreNotPushedByWorlds) {
  const auto scene = [](int count) {
    ModelBuilder builder = without_gravity();
    const int body = builder.add_body();
    builder.add_shape_box(body, Real(0.1), Real(0.1), Real(0.1), {.xform = {{2, 0, 0}, {}}});
    builder.add_particle({0, 0, 0}, {1, 0, 0}, 1, Real(0.1));
    builder.add_particle({Real(0.15), 0, Real(0.1)}, {}, 1, Real(0.1));  // in its way: globals do push each other
    ModelBuilder one = without_gravity();
    one.add_particle({Real(0.4), 0, 0}, {}, 1, Real(0.1));
    one.add_particle({Real(2), 0, Real(0.18)}, {}, 1, Real(0.1));  // in the global box
    one.add_shape_box(one.add_body(), 1, Real(0.1), Real(0.1), {.xform = {{0, 0, Real(-0.19)}, {}}});  // in the globals
    one.add_particle({0, 1, 0}, {}, 1, Real(0.1));
    for (int i = 0; i < count; ++i) builder.add_world(one);
    builder.add_particle({Real(0.15), 1, 0}, {}, 1, Real(0.1));
    return builder;
  };
  ParticleWorld none(scene(0)), two(scene(2));
  none.step_in_contact(kDt);
  two.step_in_contact(kDt);
  const int last = two.model.particle_count - 1;
  const Vec3 on_body = two.body_push[1].linear;
  EXPECT_GT(length(on_body), 1);  // a global particle pushes a body of a world
  EXPECT_EQ(two.body_push[0].linear, Vec3{});
  EXPECT_GT(two.qd(3).z, 0);
  EXPECT_LT(two.qd(4).x, 0);
  none.step_in_contact(kDt, 250);
  two.step_in_contact(kDt, 250);
  EXPECT_EQ(none.q(0), two.q(0));
  EXPECT_EQ(none.q(1), two.q(1));
  EXPECT_EQ(two.q(last), (Vec3{Real(0.15), 1, 0}));
  EXPECT_LT(two.qd(0).x, 1);
  EXPECT_GT(two.qd(2).x, Real(0.3));
  EXPECT_EQ(two.q(2), two.q(5));
}

// Proves that particles do without contacts, and models without particles.
TEST(ParticleWorlds, WithoutParticlesOrContacts) {
  ModelBuilder empty;
  empty.add_body();
  ParticleWorld none(empty);
  none.step_in_contact(kDt, 2);
  EXPECT_EQ(none.status[0], 0);
  EXPECT_FALSE(none.forces.any());
  ParticleWorld w(worlds_of_particles(2));
  w.step(kDt, 3);
  EXPECT_NEAR(w.qd(w.model.particle_count - 1).z, -3 * 9.81 * kDt, 1e-5);
  w.step_in_contact(kDt, 100);
  w.step(kDt, 1);
  EXPECT_EQ(w.status[0], 0);
}

// Proves that a step takes no memory where one before it had as many contacts.
TEST(ParticleWorlds, WarmStepsTakeNoMemory) {
  if (!testing::counts_allocations()) GTEST_SKIP() << "allocations are not counted in this build";
  ParticleWorld w(worlds_of_particles(3));
  w.step_in_contact(kDt, 100);
  const Contacts contacts = w.pipeline.collide(w.state);
  const auto step = [&] {
    w.forces.send(w.queue, w.state, w.control, &contacts, kDt, w.body_push);
    w.forces.send_move(w.queue, w.state, w.state, &contacts, kDt, w.status);
  };
  step();
  EXPECT_EQ(testing::allocations_in(step), 0);
}

// Proves that contacts that were edited past their arrays are refused by name before a step reads them.
TEST(ParticleWorlds, EditedContactsAreChecked) {
  ParticleWorld w(worlds_of_particles(2));
  w.step_in_contact(kDt, 100);
  Contacts& c = w.contacts;
  ASSERT_GT(c.soft_contact_count[0], 0);
  ASSERT_GT(c.particle_contact_count[0], 0);
  const auto why_not = [&] {
    try {
      check_contacts_of_particles("step", "contacts", c, w.model);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const auto refused = [&](int& number, int wrong, const std::string& words) {
    const int right = std::exchange(number, wrong);
    EXPECT_NE(why_not().find(words), std::string::npos) << why_not();
    number = right;
    EXPECT_EQ(why_not(), "");
  };
  refused(c.soft_contact_count[0], 1 << 20, "contacts.soft_contact_count is 1048576");
  refused(c.soft_contact_world_start[1], -1, "contacts.soft_contact_world_start[0]");
  refused(c.soft_contact_particle[0], w.model.particle_count, "contact 0 is of particle");
  refused(c.soft_contact_shape[0], -1, "contact 0 is of shape -1");
  refused(c.particle_contact_count[0], -1, "contacts.particle_contact_count is -1");
  refused(c.particle_contact_particle1[0], 1 << 20, "contact 0 is of particle 1048576");
  c.soft_contact_force = Array<Vec3>(1);
  EXPECT_NE(why_not().find("contacts.soft_contact_force has 1 entries"), std::string::npos) << why_not();
}

// Proves that numbers that an edit changed count in the next step, and in the largest stable one.
TEST(ParticleWorlds, EditsCount) {
  ModelBuilder builder = without_gravity();
  builder.add_particle({0, 0, 0}, {}, 0);
  builder.add_particle({2, 0, 0}, {}, 1);
  builder.add_spring(0, 1, SpringConfig{.ke = 100});
  ParticleWorld w(builder);
  w.step(kDt);
  EXPECT_EQ(w.qd(1).x, 0);
  EXPECT_NEAR(w.forces.largest_stable_step(), 0.2, 1e-6);
  w.model.edit([](ModelNumbers& n) { n.spring_rest_length[0] = 1, n.spring_stiffness[0] = 400; });
  w.step(kDt);
  EXPECT_NEAR(w.qd(1).x, -400 * kDt, 1e-6);
  EXPECT_NEAR(w.forces.largest_stable_step(), 0.1, 1e-6);
}

}  // namespace
}  // namespace carom
