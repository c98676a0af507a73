// Edits of a model that a pipeline was made for: the next call finds what a new pipeline of a new model finds, and what
// it found before in the worlds that were not edited.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "alloc_counter.h"
#include "carom/carom.h"

namespace carom {
namespace {

// Three equal worlds on a global plane. Shapes of a world: sphere, two boxes on a hinge, hull, mesh, ghost mesh.
constexpr int kShapes = 6;
enum Shape { kBall = 1 + kShapes, kUpper, kLower, kHull, kBrick, kGhost };  // of world 1; the plane comes first

Model three_worlds(Device device = {}) {
  const auto mesh = std::make_shared<const Mesh>(make_box_mesh(Real(0.3), Real(0.3), Real(0.3)));
  const auto at = [](double x, double y, double z) { return Transform{{Real(x), Real(y), Real(z)}, {}}; };
  ModelBuilder one, builder;
  one.add_shape_sphere(one.add_body({.xform = at(0, 0, 0.29)}), Real(0.3));
  const int upper = one.add_link({.xform = at(0.5, 0, 0.3)}), lower = one.add_link({.xform = at(0.5, 0.5, 0.3)});
  one.add_shape_box(upper, Real(0.3), Real(0.3), Real(0.31));
  one.add_shape_box(lower, Real(0.3), Real(0.3), Real(0.31));
  one.add_joint_free(upper);
  one.add_joint_revolute(upper, lower);
  one.add_shape_convex_hull(one.add_body({.xform = at(0, 0.5, 0.29)}), mesh);
  one.add_shape_mesh(one.add_body({.xform = at(-0.5, 0.5, 0.29)}), mesh);
  one.add_shape_mesh(one.add_body({.xform = at(-0.5, 0, 0.29)}), mesh, {1, 1, 1},
                     {.cfg = ShapeConfig{.has_shape_collision = false, .has_particle_collision = false}});
  one.add_shape_collision_filter_pair(0, 4);
  for (int i = 0; i < 3; ++i) one.add_particle({Real(0.1) * i, 0, Real(0.6)}, {}, 1, Real(0.05));
  builder.add_ground_plane();
  builder.replicate(one, 3);
  return builder.finalize(device);
}

struct Change {
  std::string name;
  std::function<void(ModelNumbers&)> apply;
};
const Change kChanges[] = {
    {"flag off", [](auto& n) { n.shape_flags[kBall] &= ~kShapeCollidesShapes; }},
    {"flag on", [](auto& n) { n.shape_flags[kGhost] |= kShapeCollidesShapes | kShapeCollidesParticles; }},
    {"parent filter", [](auto& n) { n.shape_flags[kLower] &= ~kShapeFilterParent; }},
    {"group of one", [](auto& n) { n.shape_collision_group[kHull] = 3; }},
    {"group of none", [](auto& n) { n.shape_collision_group[kHull] = 0; }},
    {"contype",
     [](auto& n) {
       n.shape_contype[kUpper] = 0;
       n.shape_conaffinity[kUpper] = 2;
     }},
    {"filter pair",
     [](auto& n) {
       n.shape_collision_filter_pairs[1] = {kBall, kUpper};
     }},
    {"radius", [](auto& n) { n.shape_scale[kBall].x = Real(0.35); }},
    {"size of a box", [](auto& n) { n.shape_scale[kUpper].x = Real(0.4); }},
    {"scale of a hull",
     [](auto& n) {
       n.shape_scale[kHull] = {Real(1.2), 1, 1};
     }},
    {"scale of a mesh",
     [](auto& n) {
       n.shape_scale[kBrick] = {1, 1, Real(1.5)};
     }},
    {"pose", [](auto& n) { n.shape_transform[kBall].p.x = Real(0.05); }},
    {"thickness", [](auto& n) { n.shape_thickness[kBall] = Real(0.02); }},
    {"margin", [](auto& n) { n.shape_contact_margin[kBrick] = Real(0.5); }},
    {"radius of a particle", [](auto& n) { n.particle_radius[4] = Real(0.2); }},
    {"flags of a particle", [](auto& n) { n.particle_flags[4] = 0; }},
    {"group of a particle", [](auto& n) { n.particle_collision_group[4] = 2; }},
};

// What a world's contacts say, column by column, without their age.
using Segment = std::vector<std::pair<std::string, std::string>>;

Segment segment(const Contacts& c, int world) {
  Segment all;
  const auto add = [&](const char* name, const auto& column, const Array<int>& starts) {
    const Array<int> start = starts.on_cpu();
    const auto part = column.on_cpu().slice(start[world], start[world + 1]);
    all.push_back({name, std::string(reinterpret_cast<const char*>(part.data()), part.bytes())});
  };
  const auto rigid = [&](const char* name, const auto& column) { add(name, column, c.rigid_contact_world_start); };
  rigid("shape0", c.rigid_contact_shape0), rigid("shape1", c.rigid_contact_shape1);
  rigid("feature", c.rigid_contact_feature), rigid("depth", c.rigid_contact_depth);
  rigid("normal", c.rigid_contact_normal), rigid("point", c.rigid_contact_point);
  rigid("point0", c.rigid_contact_point0), rigid("point1", c.rigid_contact_point1);
  const auto soft = [&](const char* name, const auto& column) { add(name, column, c.soft_contact_world_start); };
  soft("soft particle", c.soft_contact_particle), soft("soft shape", c.soft_contact_shape);
  soft("soft normal", c.soft_contact_normal), soft("soft depth", c.soft_contact_depth);
  const auto among = [&](const char* name, const auto& column) { add(name, column, c.particle_contact_world_start); };
  among("particle0", c.particle_contact_particle0), among("particle1", c.particle_contact_particle1);
  among("particle depth", c.particle_contact_depth);
  return all;
}

std::vector<Segment> segments(const Contacts& contacts) {
  std::vector<Segment> all;
  for (int world = 0; world < 4; ++world) all.push_back(segment(contacts, world));
  return all;
}

// The columns that differ, with their numbers.
std::string differences(const std::vector<Segment>& a, const std::vector<Segment>& b) {
  std::ostringstream text;
  for (std::size_t world = 0; world < a.size(); ++world) {
    for (std::size_t c = 0; c < a[world].size(); ++c) {
      const std::string &x = a[world][c].second, &y = b[world][c].second;
      if (x == y) continue;
      text << "world " << world << " " << a[world][c].first << ": ";
      for (std::size_t i = 0; i + sizeof(Real) <= std::min(x.size(), y.size()); i += sizeof(Real)) {
        Real p, q;
        std::memcpy(&p, x.data() + i, sizeof(Real)), std::memcpy(&q, y.data() + i, sizeof(Real));
        if (std::memcmp(&p, &q, sizeof(Real)) != 0)
          text << i / sizeof(Real) << ": " << p << " " << q << " (" << p - q << ") ";
      }
      text << "; " << x.size() << " and " << y.size() << " bytes\n";
    }
  }
  return text.str();
}

Model made_anew(const Model& model) {
  const std::string path = ::testing::TempDir() + "carom_collide_edit_" + std::to_string(sizeof(Real)) + ".carom";
  model.save(path);
  Model anew = load(path);
  std::remove(path.c_str());
  return anew;
}

void expect_noticed(const Change& change, BroadPhaseMode mode, Device device) {
  SCOPED_TRACE(change.name + " in mode " + broad_phase_mode_name(mode));
  const CollisionConfig config{.broad_phase_mode = mode, .soft_contact_margin = Real(0.05), .particle_contacts = true};
  const Model model = three_worlds(device), copy = model;
  CollisionPipeline pipeline(copy, config);
  const State state = model.state();
  const int calls = device.is_cpu() ? 1 : 5;  // run, recorded and replayed, with both sets of arrays
  for (int i = 1; i < calls; ++i) pipeline.collide(state);
  const std::vector<Segment> before = segments(pipeline.collide(state));
  if (device.is_cpu()) {
    model.edit(change.apply);
  } else {
    Model on_cpu = three_worlds();  // the same numbers, written where the host can write them
    on_cpu.edit(change.apply);
    model.edit([&](ModelNumbers& n) {
      visit_columns([&](const ColumnInfo&, auto get) { get(n).assign(get(on_cpu)); });
      n.shape_collision_filter_pairs.assign(on_cpu.shape_collision_filter_pairs);
    });
  }
  const Model anew = made_anew(model);
  CollisionPipeline fresh(anew, config);
  const std::vector<Segment> expected = segments(fresh.collide(anew.state()));
  for (int i = 0; i < calls; ++i) {
    const std::vector<Segment> after = segments(pipeline.collide(state));
    EXPECT_TRUE(after == expected) << differences(after, expected);
    EXPECT_TRUE(after[1] != before[1]);
    for (const int world : {0, 2, 3}) EXPECT_TRUE(after[world] == before[world]) << "world " << world;
  }
}

// Proves it for every kind of number that a pipeline depends on.
TEST(CollideEdit, FindsWhatANewPipelineFinds) {
  for (const Change& change : kChanges) expect_noticed(change, BroadPhaseMode::kExplicit, {});
  for (const BroadPhaseMode mode : {BroadPhaseMode::kNxn, BroadPhaseMode::kSap, BroadPhaseMode::kTree})
    for (int i = 0; i < 5; ++i) expect_noticed(kChanges[i], mode, {});  // flags and groups
}

// The same on a GPU, where calls are recorded.
TEST(CollideEdit, FindsWhatANewPipelineFindsOnCuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "NOT RUN ON CUDA: this build or machine has no CUDA device";
  for (const BroadPhaseMode mode : {BroadPhaseMode::kExplicit, BroadPhaseMode::kNxn, BroadPhaseMode::kTree})
    for (const Change& change : kChanges) expect_noticed(change, mode, Device::parse("cuda"));
}

// Proves that more states than graphs are kept, used in turn, give what each gives alone.
TEST(CollideEdit, StatesInTurnOnCuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "NOT RUN ON CUDA: this build or machine has no CUDA device";
  const Model model = three_worlds(Device::parse("cuda")), on_cpu = three_worlds();
  CollisionPipeline pipeline(model);
  std::vector<State> states;
  std::vector<std::vector<Segment>> expected;
  for (int i = 0; i < 6; ++i) {
    const State state = on_cpu.state();
    state.body_q[5].p.z -= Real(0.01) * i;
    CollisionPipeline alone(on_cpu);
    expected.push_back(segments(alone.collide(state)));
    states.push_back(model.state());
    states.back().body_q.assign(state.body_q);
  }
  for (const int used : {2, 6, 3})
    for (int call = 0; call < 5 * used; ++call)
      EXPECT_TRUE(segments(pipeline.collide(states[call % used])) == expected[call % used])
          << used << " states, call " << call;
}

// Proves that an edit of a global shape reaches all worlds, and that queries notice one too.
TEST(CollideEdit, GlobalsAndQueries) {
  const Model model = three_worlds();
  CollisionPipeline pipeline(model);
  const ShapeQuery query(model);
  const State state = model.state();
  const auto touches_plane = [&] {
    const Contacts& c = pipeline.collide(state);
    int worlds = 0;
    for (int w = 0; w < 3; ++w)
      for (int i = c.rigid_contact_world_start[w]; i < c.rigid_contact_world_start[w + 1]; ++i)
        if (c.rigid_contact_shape0[i] == 0) {
          ++worlds;
          break;
        }
    return worlds;
  };
  EXPECT_EQ(touches_plane(), 3);
  const Real distance = query.distance(state, kBrick, 0).distance;
  model.edit([](ModelNumbers& n) {
    n.shape_flags[0] &= ~kShapeCollidesShapes;
    n.shape_scale[kBrick] = {1, 1, Real(0.5)};
  });
  EXPECT_EQ(touches_plane(), 0);
  EXPECT_NEAR(query.distance(state, kBrick, 0).distance, distance + 0.15, 1e-5);
}

// Proves that a pipeline works nothing out anew after an edit of numbers that it does not depend on, and finds the same
// contacts; an edit of a shape afterwards is noticed all the same.
TEST(CollideEdit, MassesLeaveAPipelineAsItIs) {
  const Model model = three_worlds();
  CollisionPipeline pipeline(model);
  const State state = model.state();
  const std::vector<Segment> before = segments(pipeline.collide(state));
  const auto allocations_after = [&](auto edit) {
    model.edit(edit);
    const std::int64_t so_far = testing::allocation_count();
    pipeline.collide(state);
    return testing::allocation_count() - so_far;
  };
  const std::int64_t mass = allocations_after([](ModelNumbers& n) {
    n.body_mass[0] *= 2;
    n.joint_armature[0] = 1;
    n.gravity[0] = {0, 0, -1};
  });
  EXPECT_TRUE(segments(pipeline.contacts()) == before);
  const std::int64_t shape = allocations_after([](ModelNumbers& n) { n.shape_scale[kBrick] = {1, 1, Real(0.5)}; });
  EXPECT_TRUE(segments(pipeline.contacts()) != before);
  if (!testing::counts_allocations()) GTEST_SKIP() << "allocations are not counted in this build";
  EXPECT_LT(mass, shape / 4) << shape;
}

}  // namespace
}  // namespace carom
