// Contacts of particles with every type of shape, who may meet whom, and what the pipeline promises of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>

#include "alloc_counter.h"
#include "base/hash.h"
#include "carom/carom.h"
#include "collide/geometry_table.h"
#include "collide/soft_scene.h"
#include "geometry/point/shape.kernel.h"

namespace carom {
namespace {

using namespace soft_scene;

constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();

Pairs soft_pairs(const Contacts& c) {
  Pairs pairs;
  for (int i = 0; i < c.soft_contact_count[0]; ++i)
    pairs.emplace_back(c.soft_contact_particle[i], c.soft_contact_shape[i]);
  return pairs;
}

Pairs soft_pairs(const Model& model) {
  CollisionPipeline pipeline(model);
  return soft_pairs(pipeline.collide(model.state()));
}

void expect_near(Vec3 found, Vec3 expected, Real tolerance) {
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << "axis " << i;
}

// -- Closed forms.

// A shape, a point in its frame, and what is known of the surface there.
struct Case {
  const char* name;
  std::function<void(ModelBuilder&, int body, const ShapeArgs&)> add;
  Vec3 p;
  Real distance;
  Vec3 normal, surface;
  bool on_body = true;
};

std::vector<Case> shape_cases() {
  const Real d = Real(0.02), e = Real(0.05);
  const auto box = [](auto& b, int body, auto& a) { b.add_shape_box(body, Real(0.1), Real(0.2), Real(0.3), a); };
  return {
      {"plane",
       [](auto& b, int body, auto& a) { b.add_shape_plane(body, 0, 0, a); },
       vec(0.3, -2, 0.02),
       d,
       {0, 0, 1},
       vec(0.3, -2, 0)},
      {"border of a plane", [](auto& b, int body, auto& a) { b.add_shape_plane(body, 1, 2, a); }, vec(0.53, 0, 0.04), e,
       vec(0.6, 0, 0.8), vec(0.5, 0, 0)},
      {"stripe",
       [](auto& b, int body, auto& a) { b.add_shape_plane(body, 1, 0, a); },
       vec(0.4, 7, 0.02),
       d,
       {0, 0, 1},
       vec(0.4, 7, 0)},
      {"sphere", [](auto& b, int body, auto& a) { b.add_shape_sphere(body, Real(0.5), a); }, vec(0.312, 0.416, 0), d,
       vec(0.6, 0.8, 0), vec(0.3, 0.4, 0)},
      {"capsule", [](auto& b, int body, auto& a) { b.add_shape_capsule(body, Real(0.1), Real(0.5), a); },
       vec(0.072, 0, 0.596), d, vec(0.6, 0, 0.8), vec(0.06, 0, 0.58)},
      {"ellipsoid",
       [](auto& b, int body, auto& a) { b.add_shape_ellipsoid(body, Real(0.3), Real(0.2), Real(0.1), a); },
       vec(0.32, 0, 0),
       d,
       {1, 0, 0},
       vec(0.3, 0, 0)},
      {"rim of a cylinder", [](auto& b, int body, auto& a) { b.add_shape_cylinder(body, Real(0.2), Real(0.3), a); },
       vec(0.23, 0, 0.34), e, vec(0.6, 0, 0.8), vec(0.2, 0, 0.3)},
      {"edge of a box", box, vec(0.13, 0.24, 0), e, vec(0.6, 0.8, 0), vec(0.1, 0.2, 0)},
      {"inside of a box", box, vec(0.09, 0, 0), Real(-0.01), {1, 0, 0}, vec(0.1, 0, 0)},
      {"cone", [](auto& b, int body, auto& a) { b.add_shape_cone(body, Real(0.3), Real(0.2), a); },
       vec(0.166, 0, 0.012), d, vec(0.8, 0, 0.6), vec(0.15, 0, 0)},
      {"mesh",
       [](auto& b, int body, auto& a) {
         b.add_shape_mesh(body, box_mesh(), {1, 1, 1}, a);
       },
       vec(0.13, 0.24, 0.1), e, vec(0.6, 0.8, 0), vec(0.1, 0.2, 0.1)},
      {"hull",
       [](auto& b, int body, auto& a) {
         b.add_shape_convex_hull(body, box_mesh(), {2, 1, 1}, a);
       },
       vec(0.23, 0.24, 0.1), e, vec(0.6, 0.8, 0), vec(0.2, 0.2, 0.1)},
      {"heightfield",
       [](auto& b, int, auto& a) {
         b.add_shape_heightfield(slope(), {1, 1, 1}, a);
       },
       vec(0.188, 0.3, 0.166), d, vec(-0.6, 0, 0.8), vec(0.2, 0.3, 0.15), false},
      {"sdf",
       [](auto& b, int body, auto& a) {
         const auto sdf = std::make_shared<const SDF>(sdf_from_mesh(*box_mesh(), Real(0.02), Real(0.1)));
         b.add_shape_sdf(body, sdf, {1, 1, 1}, a);
       },
       vec(0.12, 0.01, 0.02),
       d,
       {1, 0, 0},
       vec(0.1, 0.01, 0.02)},
  };
}

// Proves for every type of shape, turned and moved in a turned and moved body: depth, normal in the world and the point
// of the surface in the body's frame are those of the closed form.
TEST(SoftContacts, EveryShapeType) {
  for (const Case& c : shape_cases()) {
    SCOPED_TRACE(c.name);
    ModelBuilder builder;
    const Transform X_WB{vec(1, -0.5, 0.7), normalize(Quat{Real(0.1), Real(-0.4), Real(0.3), Real(0.8)})};
    const Transform X_BS{vec(-0.2, 0.3, 0.4), normalize(Quat{Real(0.5), Real(0.2), Real(-0.3), Real(0.6)})};
    const int body = c.on_body ? builder.add_body({.xform = X_WB}) : -1;
    c.add(builder, body, {.xform = X_BS, .cfg = ShapeConfig{.thickness = Real(0.005)}});
    const Transform X_WS = c.on_body ? X_WB * X_BS : X_BS;
    builder.add_particle(transform_point(X_WS, c.p), {}, 1, Real(0.05));
    const Model model = builder.finalize();
    CollisionPipeline pipeline(model);
    const Contacts& found = pipeline.collide(model.state());
    ASSERT_EQ(soft_pairs(found), (Pairs{{0, 0}}));
    EXPECT_NEAR(found.soft_contact_depth[0], Real(0.055) - c.distance, kTolerance);
    expect_near(found.soft_contact_normal[0], rotate(X_WS.q, c.normal), 2 * kTolerance);
    expect_near(found.soft_contact_body_pos[0], transform_point(X_BS, c.surface), 2 * kTolerance);
  }
}

// Proves where a contact begins: at the margin beyond radius and thickness, that of the call before that of the
// pipeline, whatever the margin of the shape is towards other shapes.
TEST(SoftContacts, Margins) {
  for (const Real contact_margin : {Real(0), Real(0.005), Real(0.5)}) {
    ModelBuilder builder;
    const ShapeConfig cfg{.thickness = Real(0.02), .contact_margin = contact_margin};
    builder.add_shape_box(-1, 1, 1, 1, {.cfg = cfg});
    builder.add_particle({0, 0, 2}, {}, 1, Real(0.1));
    const Model model = builder.finalize();
    State state = model.state();
    CollisionPipeline pipeline(model), wide(model, {.soft_contact_margin = Real(0.1)});
    const auto touches = [&](CollisionPipeline& p, double height, Real margin) {
      state.particle_q[0].z = Real(1 + height);
      return p.collide(state, margin).soft_contact_count[0] == 1;
    };
    EXPECT_TRUE(touches(pipeline, 0.1299, kNotSet));  // 0.1 + 0.02 + 0.01
    EXPECT_FALSE(touches(pipeline, 0.1301, kNotSet));
    EXPECT_TRUE(touches(wide, 0.2199, kNotSet));
    EXPECT_FALSE(touches(wide, 0.2201, kNotSet));
    EXPECT_TRUE(touches(wide, 0.1699, Real(0.05)));
    EXPECT_FALSE(touches(wide, 0.1701, Real(0.05)));
    EXPECT_TRUE(touches(wide, 0.1199, 0));
    EXPECT_FALSE(touches(wide, 0.1201, 0));
  }
}

// Proves that a margin that makes no sense, and a state with other particles, are refused.
TEST(SoftContacts, BadInputIsRefused) {
  ModelBuilder builder;
  builder.add_particle({}, {}, 1);
  const Model model = builder.finalize();
  CollisionPipeline pipeline(model);
  const Real inf = std::numeric_limits<Real>::infinity();
  EXPECT_THROW(CollisionPipeline(model, {.soft_contact_margin = -1}), Error);
  EXPECT_THROW(CollisionPipeline(model, {.soft_contact_margin = kNan}), Error);
  EXPECT_THROW(pipeline.collide(model.state(), Real(-0.1)), Error);
  EXPECT_THROW(pipeline.collide(model.state(), inf), Error);
  EXPECT_THROW(pipeline.collide(ModelBuilder().finalize().state()), Error);
}

// -- Who meets whom.

// Proves that worlds keep apart and global shapes are met: a particle of world 0, a sphere of world 1 around it, and a
// global box (numbers of Newton's own test).
TEST(SoftContacts, WorldsKeepApart) {
  ModelBuilder builder;
  builder.begin_world();
  builder.add_particle({}, {}, 1, Real(0.1));
  builder.end_world();
  builder.begin_world();
  builder.add_shape_sphere(builder.add_body(), Real(0.2));
  builder.end_world();
  builder.add_shape_box(-1, Real(0.5), Real(0.1), Real(0.5), {.xform = {vec(0, 0.2, 0), {}}});
  const Model model = builder.finalize();
  EXPECT_EQ(soft_pairs(model), (Pairs{{0, 1}}));
}

// Proves the rule of groups, the same as for shapes, for every combination of signs.
TEST(SoftContacts, Groups) {
  for (const int of_particle : {-2, -1, 0, 1, 2})
    for (const int of_shape : {-2, -1, 0, 1, 2}) {
      ModelBuilder builder;
      builder.add_shape_sphere(-1, 1, {.cfg = ShapeConfig{.collision_group = of_shape}});
      builder.add_particle({1, 0, 0}, {}, 1, Real(0.1), kParticleActive, "", of_particle);
      const Model model = builder.finalize();
      EXPECT_EQ(soft_pairs(model).size(), test_world_and_group_pair(-1, -1, of_particle, of_shape) ? 1u : 0u);
    }
}

// Proves that sites, shapes that do not collide with particles and particles that are not active are passed over, that
// a shape need not collide with shapes, and that edited flags and groups count from the next call on.
TEST(SoftContacts, EditedFlagsAndGroups) {
  ModelBuilder builder;
  builder.add_shape_sphere(-1, 1);
  builder.add_shape_sphere(-1, 1, {.cfg = ShapeConfig{.has_particle_collision = false}});
  builder.add_shape_sphere(-1, 1, {.cfg = ShapeConfig{.has_shape_collision = false}});
  builder.add_site(-1, {}, ShapeType::kSphere, {1, 1, 1});
  for (const int flags : {int(kParticleActive), 0}) builder.add_particle({1, 0, 0}, {}, 1, Real(0.1), flags);
  const Model model = builder.finalize();
  CollisionPipeline pipeline(model);
  const auto pairs = [&] { return soft_pairs(pipeline.collide(model.state())); };
  EXPECT_EQ(pairs(), (Pairs{{0, 0}, {0, 2}}));
  model.edit([](ModelNumbers& n) {
    n.shape_flags[0] &= ~kShapeCollidesParticles;
    n.shape_flags[1] |= kShapeCollidesParticles;
  });
  EXPECT_EQ(pairs(), (Pairs{{0, 1}, {0, 2}}));
  model.edit([](ModelNumbers& n) {
    n.particle_flags[0] = 0;
    n.particle_flags[1] = kParticleActive;
  });
  EXPECT_EQ(pairs(), (Pairs{{1, 1}, {1, 2}}));
  model.edit([](ModelNumbers& n) { n.shape_collision_group[2] = 5; });
  EXPECT_EQ(pairs(), (Pairs{{1, 1}}));
  model.edit([](ModelNumbers& n) { n.particle_collision_group[1] = -3; });
  EXPECT_EQ(pairs(), (Pairs{{1, 1}, {1, 2}}));
}

// Proves that a mesh for which the pipeline held no geometry, since it collided with nothing when it was made, is met
// when an edit switches its flag on.
TEST(SoftContacts, MeshThatBeginsToCollide) {
  ModelBuilder builder;
  const ShapeConfig seen{.has_shape_collision = false, .has_particle_collision = false};
  builder.add_shape_mesh(-1, box_mesh(), {1, 1, 1}, {.cfg = seen});
  builder.add_particle(vec(0.1, 0, 0), {}, 1, Real(0.1));
  const Model model = builder.finalize();
  CollisionPipeline pipeline(model);
  EXPECT_EQ(soft_pairs(pipeline.collide(model.state())), Pairs{});
  model.edit([](ModelNumbers& n) { n.shape_flags[0] |= kShapeCollidesParticles; });
  EXPECT_EQ(soft_pairs(pipeline.collide(model.state())), (Pairs{{0, 0}}));
}

// Proves in ragged worlds (one without particles, one without shapes): global shapes meet the particles of all worlds,
// global particles the shapes of all worlds; contacts of global particles come last, sorted by particle and shape.
TEST(SoftContacts, GlobalsMeetAllWorlds) {
  ModelBuilder builder;
  const auto sphere = [&] { builder.add_shape_sphere(-1, 1); };
  const auto particle = [&] { builder.add_particle({1, 0, 0}, {}, 1, Real(0.1)); };
  sphere();    // shape 0
  particle();  // particle 0
  builder.begin_world();
  sphere();                                // 1
  for (int i = 0; i < 2; ++i) particle();  // 1, 2
  builder.end_world();
  builder.begin_world();
  for (int i = 0; i < 2; ++i) sphere();  // 2, 3
  builder.end_world();
  builder.begin_world();
  particle();  // 3
  builder.end_world();
  sphere();    // 4
  particle();  // 4
  const Model model = builder.finalize();
  CollisionPipeline pipeline(model);
  const Contacts& c = pipeline.collide(model.state());
  EXPECT_EQ(values(c.soft_contact_world_start), (Ints{0, 6, 6, 8, 18}));
  EXPECT_EQ(soft_pairs(c), (Pairs{{1, 0},
                                  {1, 1},
                                  {1, 4},
                                  {2, 0},
                                  {2, 1},
                                  {2, 4},
                                  {3, 0},
                                  {3, 4},
                                  {0, 0},
                                  {0, 1},
                                  {0, 2},
                                  {0, 3},
                                  {0, 4},
                                  {4, 0},
                                  {4, 1},
                                  {4, 2},
                                  {4, 3},
                                  {4, 4}}));
}

// Proves that models without particles, without shapes and without anything have contacts that say so.
TEST(SoftContacts, NothingToTouch) {
  for (const bool particles : {false, true})
    for (const bool worlds : {false, true}) {
      ModelBuilder builder;
      if (worlds) builder.begin_world();
      if (particles) builder.add_particle({}, {}, 1);
      else builder.add_shape_sphere(-1, 1);
      if (worlds) builder.end_world();
      const Model model = builder.finalize();
      CollisionPipeline pipeline(model, {.particle_contacts = true});
      const Contacts& c = pipeline.collide(model.state());
      EXPECT_EQ(values(c.soft_contact_count), Ints{0});
      EXPECT_EQ(values(c.particle_contact_count), Ints{0});
      EXPECT_EQ(values(c.soft_contact_world_start), Ints(model.world_count + 2, 0));
      EXPECT_EQ(values(c.particle_contact_world_start), Ints(model.world_count + 2, 0));
      EXPECT_EQ(c.soft_contact_depth.size(), 0);
      EXPECT_EQ(c.particle_contact_depth.size(), 0);
    }
}

// -- Against plain loops.

struct SoftReference {
  Vec3 body_pos, normal;
  Real depth;
};

std::map<SoftKey, SoftReference> plain_soft_contacts(const Model& model, const State& state, Real margin) {
  const GeometryTable geometry(model);
  std::map<SoftKey, SoftReference> contacts;
  for (int i = 0; i < model.particle_count; ++i)
    for (int s = 0; s < model.shape_count; ++s) {
      if (!(model.particle_flags[i] & kParticleActive) || !(model.shape_flags[s] & kShapeCollidesParticles)) continue;
      if (!test_world_and_group_pair(model.particle_world[i], model.shape_world[s], model.particle_collision_group[i],
                                     model.shape_collision_group[s]))
        continue;
      const int body = model.shape_body[s], row = geometry.shape_geometry()[s];
      const Transform X_BS = model.shape_transform[s], X_WS = body < 0 ? X_BS : state.body_q[body] * X_BS;
      const ShapeView shape{static_cast<ShapeType>(model.shape_type[s]), model.shape_scale[s],
                            row < 0 ? nullptr : geometry.table() + row};
      const Real touching = model.particle_radius[i] + model.shape_thickness[s];
      const SurfacePoint at =
          surface_point(shape, transform_point(inverse(X_WS), state.particle_q[i]), touching + margin);
      if (!(at.distance < touching + margin)) continue;
      const int world = model.particle_world[i] < 0 ? model.world_count : model.particle_world[i];
      contacts[{world, i, s}] = {transform_point(X_BS, at.point), rotate(X_WS.q, at.normal), touching - at.distance};
    }
  return contacts;
}

// Proves on random ragged worlds with shapes of all types that the contacts are those of a double loop over all
// particles and shapes, in the documented order.
TEST(SoftContacts, SameAsAPlainDoubleLoop) {
  std::size_t total = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    const Model model = random_scene(seed, int(seed % 5), 20, 500);
    const State state = model.state();
    CollisionPipeline pipeline(model);
    const Real margin = seed % 2 ? Real(0.01) : Real(0.1);
    const Contacts& c = pipeline.collide(state, margin);
    const std::map<SoftKey, SoftReference> expected = plain_soft_contacts(model, state, margin);
    ASSERT_EQ(c.soft_contact_count[0], int(expected.size()));
    total += expected.size();
    int i = 0;
    for (const auto& [key, contact] : expected) {
      const auto [world, particle, shape] = key;
      EXPECT_LE(c.soft_contact_world_start[world], i);
      EXPECT_GT(c.soft_contact_world_start[world + 1], i);
      EXPECT_EQ(c.soft_contact_particle[i], particle);
      EXPECT_EQ(c.soft_contact_shape[i], shape);
      EXPECT_NEAR(c.soft_contact_depth[i], contact.depth, kTolerance);
      expect_near(c.soft_contact_normal[i], contact.normal, kTolerance);
      expect_near(c.soft_contact_body_pos[i], contact.body_pos, kTolerance);
      ++i;
    }
  }
  EXPECT_GT(total, 1'000u);  // of any seed
}

// -- The pipeline's promises.

template <class T>
void add_to(Hash& hash, const Array<T>& array) {
  hash.add_bytes(reinterpret_cast<const char*>(array.data()), array.bytes());
}

std::uint64_t hash_of(const Contacts& c) {
  Hash hash;
  for (const Array<int>* a : {&c.soft_contact_count, &c.soft_contact_world_start, &c.soft_contact_particle,
                              &c.soft_contact_shape, &c.particle_contact_count, &c.particle_contact_world_start,
                              &c.particle_contact_particle0, &c.particle_contact_particle1})
    add_to(hash, *a);
  for (const Array<Vec3>* a : {&c.soft_contact_body_pos, &c.soft_contact_normal, &c.particle_contact_normal})
    add_to(hash, *a);
  for (const Array<Real>* a : {&c.soft_contact_depth, &c.particle_contact_depth}) add_to(hash, *a);
  return hash.value();
}

// Proves that the contacts are the same bits for every number of threads and in every call.
TEST(SoftContacts, ThreadsChangeNothing) {
  const Model model = random_scene(3, 6, 12, 2500);
  const State state = model.state();
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 5}) {
    const Queue queue({}, {.threads = threads});
    CollisionPipeline pipeline(model, {.particle_contacts = true}, &queue);
    for (int call = 0; call < 2; ++call) hashes.push_back(hash_of(pipeline.collide(state)));
    EXPECT_GT(pipeline.collide(state).particle_contact_count[0], 500);
    EXPECT_GT(pipeline.collide(state).soft_contact_count[0], 1000);
  }
  for (const std::uint64_t hash : hashes) EXPECT_EQ(hash, hashes[0]);
}

// Proves that a position that is not finite costs its world that particle's contacts, is reported for that world alone,
// and for one call only once it is finite again.
TEST(SoftContacts, PositionsThatAreNotFiniteAreReported) {
  ModelBuilder builder;
  builder.add_ground_plane();
  for (int w = 0; w < 3; ++w) {
    builder.begin_world();
    for (int i = 0; i < 40; ++i) builder.add_particle({Real(i), 0, 0}, {}, 1, Real(0.6));
    builder.end_world();
  }
  builder.add_particle({0, 0, 0}, {}, 1, Real(0.6));
  const Model model = builder.finalize();
  CollisionPipeline pipeline(model, {.particle_contacts = true});
  State state = model.state();
  const auto status = [&] { return Ints(pipeline.status().begin(), pipeline.status().end()); };
  const int soft = pipeline.collide(state).soft_contact_count[0];
  const int among = pipeline.collide(state).particle_contact_count[0];
  EXPECT_EQ(status(), (Ints{0, 0, 0, 0}));
  EXPECT_EQ(soft, 121);
  state.particle_q[45].y = kNan;
  state.particle_q[119].x = -std::numeric_limits<Real>::infinity();
  const Contacts& c = pipeline.collide(state);
  EXPECT_EQ(c.soft_contact_count[0], soft - 2);
  EXPECT_EQ(c.particle_contact_count[0], among - 3);  // with 44 and 46, with 118
  EXPECT_EQ(status(), (Ints{0, kStatusNotFinite, kStatusNotFinite, 0}));
  state.particle_q[120].z = kNan;
  pipeline.collide(state);
  EXPECT_EQ(status(), (Ints{0, kStatusNotFinite, kStatusNotFinite, kStatusNotFinite}));
  pipeline.collide(model.state());
  EXPECT_EQ(status(), (Ints{0, 0, 0, 0}));
}

// Proves that contacts of a call are still there after the next one, which Python's arrays rely on.
TEST(SoftContacts, TheArraysOfTheCallBeforeStay) {
  const Model model = random_scene(4, 3, 10, 100);
  CollisionPipeline pipeline(model, {.particle_contacts = true});
  State state = model.state();
  const Contacts before = pipeline.collide(state);
  const std::uint64_t hash = hash_of(before);
  for (Vec3& p : state.particle_q) p = p * Real(1.01);
  EXPECT_NE(hash_of(pipeline.collide(state)), hash);
  EXPECT_EQ(hash_of(before), hash);
}

// Proves that nothing is allocated by calls that meet no more than calls before did.
TEST(SoftContacts, AllocatesNothingOnceWarm) {
  if (!testing::counts_allocations()) GTEST_SKIP() << "allocations are not counted in this build";
  const Model model = random_scene(6, 4, 10, 300);
  CollisionPipeline pipeline(model, {.particle_contacts = true});
  State state = model.state();
  for (int call = 0; call < 3; ++call) pipeline.collide(state, Real(0.05));
  int contacts = 0;
  EXPECT_EQ(testing::allocations_in([&] {
              for (const Real margin : {Real(0.05), Real(0.01)})
                contacts += pipeline.collide(state, margin).soft_contact_count[0];
            }),
            0);
  EXPECT_GT(contacts, 100);
}

}  // namespace
}  // namespace carom
