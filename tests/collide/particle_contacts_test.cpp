// Contacts of particles among themselves: the grid finds what looking at every two particles finds, world by world.
#include <gtest/gtest.h>

#include <algorithm>

#include "collide/soft/particle_grid.kernel.h"
#include "collide/soft_scene.h"

namespace carom {
namespace {

using namespace soft_scene;

Pairs particle_pairs(const Contacts& c) {
  Pairs pairs;
  for (int i = 0; i < c.particle_contact_count[0]; ++i)
    pairs.emplace_back(c.particle_contact_particle0[i], c.particle_contact_particle1[i]);
  return pairs;
}

// World (globals last), particle 0, particle 1; by looking at every two particles, in double.
std::vector<SoftKey> plain_particle_pairs(const Model& model, const State& state, Real margin) {
  std::vector<SoftKey> pairs;
  for (int a = 0; a < model.particle_count; ++a)
    for (int b = a + 1; b < model.particle_count; ++b) {
      if (!(model.particle_flags[a] & model.particle_flags[b] & kParticleActive)) continue;
      const int world_a = model.particle_world[a], world_b = model.particle_world[b];
      if (!test_world_and_group_pair(world_a, world_b, model.particle_collision_group[a],
                                     model.particle_collision_group[b]))
        continue;
      double squared = 0;
      for (int i = 0; i < 3; ++i) {
        const double along = double(state.particle_q[a][i]) - double(state.particle_q[b][i]);
        squared += along * along;
      }
      const double reach = double(model.particle_radius[a]) + double(model.particle_radius[b]) + double(margin);
      const int world = std::max(world_a, world_b);
      if (squared < reach * reach) pairs.emplace_back(world < 0 ? model.world_count : world, a, b);
    }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

void expect_plain_particle_contacts(const Model& model, const State& state, Real margin, std::size_t at_least) {
  CollisionPipeline pipeline(model, {.soft_contact_margin = margin, .particle_contacts = true});
  const Contacts& c = pipeline.collide(state);
  const std::vector<SoftKey> expected = plain_particle_pairs(model, state, margin);
  EXPECT_GE(expected.size(), at_least);
  ASSERT_EQ(c.particle_contact_count[0], int(expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto [world, a, b] = expected[i];
    EXPECT_LE(c.particle_contact_world_start[world], int(i));
    EXPECT_GT(c.particle_contact_world_start[world + 1], int(i));
    ASSERT_EQ(IndexPair(c.particle_contact_particle0[i], c.particle_contact_particle1[i]), IndexPair(a, b));
    const Vec3 ab = state.particle_q[b] - state.particle_q[a];
    const Real distance = length(ab);
    EXPECT_NEAR(c.particle_contact_depth[i], model.particle_radius[a] + model.particle_radius[b] - distance,
                kTolerance);
    EXPECT_NEAR(length(c.particle_contact_normal[i]), 1, kTolerance);
    EXPECT_NEAR(dot(c.particle_contact_normal[i], ab), distance, kTolerance);
  }
}

// Proves on clouds around the origin, with radii, groups and flags of all kinds, in ragged worlds with globals before
// and behind them: the grid finds what looking at every two particles finds, in the documented order.
TEST(ParticleContacts, SameAsAPlainDoubleLoop) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    const Model model = random_scene(seed, int(seed % 4), 0, 500);
    State state = model.state();
    for (Vec3& p : state.particle_q) p = p * Real(0.15);
    expect_plain_particle_contacts(model, state, seed % 2 ? Real(0.01) : 0, 20);
  }
}

Model worlds_of(const ModelBuilder& cloud, int worlds) {
  ModelBuilder builder;
  builder.replicate(cloud, worlds);
  return builder.finalize();
}

// Proves that worlds do not see each other although their particles are in the same places.
TEST(ParticleContacts, WorldsInTheSamePlaceKeepApart) {
  SeededRandom random(5);
  ModelBuilder cloud;
  for (int i = 0; i < 60; ++i) cloud.add_particle(random_vec(random, Real(0.3)), {}, 1, Real(0.05));
  const Model model = worlds_of(cloud, 7);
  expect_plain_particle_contacts(model, model.state(), Real(0.01), 7 * 10);
}

// Proves that places far away, where cells begin to be numbered again, and where numbers have few digits, change
// nothing; nor do particles in one point, of which there are many, or without any size.
TEST(ParticleContacts, AnyPlaceAndSize) {
  for (const double center : {0.0, 7.7, 327.68, 4096.0, 1e6, 1e12, 1e30})
    for (const double radius : {0.0, 0.02, 0.5}) {
      SCOPED_TRACE(::testing::Message() << center << ", " << radius);
      SeededRandom random(9);
      ModelBuilder cloud;
      for (int i = 0; i < 150; ++i) {
        const Vec3 p = i % 5 ? random_vec(random, Real(0.2)) : vec(0.01, 0.01, 0.01);
        cloud.add_particle(p + vec(center, -center, center), {}, 1, Real(radius));
      }
      const Model model = worlds_of(cloud, 2);
      expect_plain_particle_contacts(model, model.state(), Real(0.01), center < 1e5 ? 100 : 0);
      expect_plain_particle_contacts(model, model.state(), 0, 0);
    }
}

// Proves that two segments whose numbers have the same low bits, and so the same cells, are told apart: world 0 and,
// with 2^19 worlds, the globals.
TEST(ParticleContacts, SegmentsThatShareCellsAreToldApart) {
  const std::vector<Vec3> q(4);
  const std::vector<Real> radius(4, 1);
  const Ints flags(4, kParticleActive), group(4, 1), world{0, 0, 1, -1};
  const auto view = [](const auto& v) { return Span<const std::remove_cvref_t<decltype(v[0])>>{v.data(), 4}; };
  const Particles particles{view(q), view(radius), view(flags), view(group), view(world), {}, 4, 1 << 19, 0, 3};
  const Real largest = 1;
  const CellSize cell{&largest, 0};
  std::vector<std::uint64_t> key(4);
  Ints particle(4), order{0, 1, 3, 2}, count(4);
  for (int i = 0; i < 4; ++i) KeysOfParticles{particles, cell, key.data(), particle.data()}(i);
  ASSERT_EQ(key[0], key[3]);
  ASSERT_LT(key[0], key[2]);
  std::sort(key.begin(), key.end());
  for (int i = 0; i < 4; ++i)
    PairsOfParticles{particles, cell, key.data(), order.data(), {count.data(), nullptr, nullptr}}(i);
  EXPECT_EQ(count, (Ints{2, 1, 1, 0}));  // (0, 1) (0, 3), (1, 3), (2, 3)
}

// Proves that particles touch each other only when asked to.
TEST(ParticleContacts, AreOffUnlessAskedFor) {
  ModelBuilder builder;
  for (int i = 0; i < 2; ++i) builder.add_particle({}, {}, 1, 1);
  const Model model = builder.finalize();
  CollisionPipeline pipeline(model), asked(model, {.particle_contacts = true});
  EXPECT_EQ(particle_pairs(pipeline.collide(model.state())), Pairs{});
  EXPECT_EQ(particle_pairs(asked.collide(model.state())), (Pairs{{0, 1}}));
}

// Proves that edited radii count from the next call on, also when the largest one grows.
TEST(ParticleContacts, EditedRadii) {
  ModelBuilder builder;
  for (int i = 0; i < 200; ++i) builder.add_particle({Real(i), 0, 0}, {}, 1, Real(0.1));
  const Model model = builder.finalize();
  CollisionPipeline pipeline(model, {.soft_contact_margin = 0, .particle_contacts = true});
  EXPECT_EQ(particle_pairs(pipeline.collide(model.state())), Pairs{});
  model.edit([](ModelNumbers& n) { n.particle_radius[150] = 2; });
  EXPECT_EQ(particle_pairs(pipeline.collide(model.state())), (Pairs{{148, 150}, {149, 150}, {150, 151}, {150, 152}}));
}

}  // namespace
}  // namespace carom
