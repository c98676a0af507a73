// Worlds that are given something that is not a number, or no mass: they stand still and say so, their neighbours do
// not notice, and they come back when they are reset.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "model/derived.h"
#include "tests/backend/on_device.h"
#include "tests/sim/step_scenes.h"

namespace carom {
namespace {

using step_scenes::Worlds;
constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();
constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
constexpr int kSteps = 20;
constexpr int kBroken = 4;  // the world that is broken; neither the first nor the last of its group

enum class Where { kInput, kModel, kState };

struct Break {
  std::string name;
  Where where;
  std::function<void(Model&, const State&, const Control&, const Worlds&)> apply;
};

// First row of the broken world.
int row(const Worlds& worlds, Entity entity, int place = 0) { return worlds.start(entity)[kBroken] + place; }

// Ways to break a chain or a walker.
std::vector<Break> breaks() {
  std::vector<Break> all;
  const auto model = [&](const char* name, auto change) {
    all.push_back(
        {name, Where::kModel, [change](Model& m, const State&, const Control&, const Worlds& w) { change(m, w); }});
  };
  const auto input = [&](const char* name, Where where, auto change) {
    all.push_back(
        {name, where, [change](Model&, const State& s, const Control& c, const Worlds& w) { change(s, c, w); }});
  };
  input("q", Where::kState,
        [](const State& s, const Control&, const Worlds& w) { s.joint_q[row(w, Entity::kJointCoord, 1)] = kNan; });
  input("qd", Where::kState,
        [](const State& s, const Control&, const Worlds& w) { s.joint_qd[row(w, Entity::kJointDof, 2)] = kNan; });
  input("qd infinite", Where::kState,
        [](const State& s, const Control&, const Worlds& w) { s.joint_qd[row(w, Entity::kJointDof)] = kInfinity; });
  input("ctrl", Where::kInput,
        [](const State&, const Control& c, const Worlds& w) { c.ctrl[row(w, Entity::kActuator)] = kNan; });
  input("joint_f", Where::kInput,
        [](const State&, const Control& c, const Worlds& w) { c.joint_f[row(w, Entity::kJointDof, 1)] = -kInfinity; });
  input("body_f", Where::kInput,
        [](const State& s, const Control&, const Worlds& w) { s.body_f[row(w, Entity::kBody, 1)].angular.y = kNan; });
  // An edit refuses these; in C++ they can be written past it.
  model("gravity", [](Model& m, const Worlds&) { m.gravity[kBroken].x = kNan; });
  model("mass", [](Model& m, const Worlds& w) { m.body_mass[row(w, Entity::kBody)] = kNan; });
  model("mass zero", [](Model& m, const Worlds& w) {  // of all bodies: a single one would not stop a tree
    for (int b = row(w, Entity::kBody); b < w.start(Entity::kBody)[kBroken + 1]; ++b)
      m.body_mass[b] = 0, m.body_inertia[b] = {}, m.joint_armature[row(w, Entity::kJointDof)] = 0;
  });
  model("mass negative", [](Model& m, const Worlds& w) {
    for (int b = row(w, Entity::kBody); b < w.start(Entity::kBody)[kBroken + 1]; ++b) m.body_mass[b] = -100;
  });
  model("inertia", [](Model& m, const Worlds& w) { m.body_inertia[row(w, Entity::kBody)][1][1] = kNan; });
  model("com", [](Model& m, const Worlds& w) { m.body_com[row(w, Entity::kBody, 1)].z = kInfinity; });
  model("friction", [](Model& m, const Worlds& w) { m.shape_material_mu[row(w, Entity::kShape)] = kNan; });
  model("solref", [](Model& m, const Worlds& w) { m.shape_solref[row(w, Entity::kShape, 1)][0] = kNan; });
  model("solimp", [](Model& m, const Worlds& w) { m.shape_solimp[row(w, Entity::kShape, 1)][2] = kNan; });
  model("margin", [](Model& m, const Worlds& w) { m.shape_contact_margin[row(w, Entity::kShape)] = kNan; });
  model("radius", [](Model& m, const Worlds& w) { m.shape_scale[row(w, Entity::kShape)].x = kNan; });
  model("axis", [](Model& m, const Worlds& w) { m.joint_axis[row(w, Entity::kJointDof, 7)].y = kNan; });
  model("lower limit", [](Model& m, const Worlds& w) { m.joint_limit_lower[row(w, Entity::kJointDof, 7)] = kNan; });
  model("upper limit", [](Model& m, const Worlds& w) { m.joint_limit_upper[row(w, Entity::kJointDof, 7)] = kNan; });
  model("limit solref",
        [](Model& m, const Worlds& w) { m.joint_limit_solref[row(w, Entity::kJointDof, 7)][1] = kNan; });
  model("damping", [](Model& m, const Worlds& w) { m.joint_damping[row(w, Entity::kJointDof, 7)] = kNan; });
  model("stiffness", [](Model& m, const Worlds& w) { m.joint_stiffness[row(w, Entity::kJointDof, 7)] = kNan; });
  model("gain", [](Model& m, const Worlds& w) { m.actuator_gain[row(w, Entity::kActuator)] = kNan; });
  model("gear", [](Model& m, const Worlds& w) { m.actuator_gear[row(w, Entity::kActuator)] = kNan; });
  model("ctrl limit", [](Model& m, const Worlds& w) { m.actuator_ctrl_upper[row(w, Entity::kActuator)] = kNan; });
  return all;
}

std::vector<std::uint64_t> hashes(const Worlds& worlds, const State& state) {
  std::vector<std::uint64_t> all;
  for (int w = 0; w < worlds.model.world_count; ++w) all.push_back(step_scenes::world_hash(worlds, state, w));
  return all;
}

// Of the joints alone: a pose that is not a number has no fixed bits.
std::vector<Real> joint_state(const Worlds& worlds, const State& state) {
  const State own = state.world(kBroken);
  std::vector<Real> all(own.joint_q.begin(), own.joint_q.end());
  all.insert(all.end(), own.joint_qd.begin(), own.joint_qd.end());
  all.insert(all.end(), own.joint_qdd.begin(), own.joint_qdd.end());
  EXPECT_EQ(worlds.model.world_count, state.layout->world_count);
  return all;
}
bool same_bits(const std::vector<Real>& a, const std::vector<Real>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0;
}

// Worlds of one kind: all of them share groups of lanes.
Worlds worlds_of_kind(int kind) { return step_scenes::make_worlds({0, 4, 8, 12, 16, 20, 24, 28, 32}, kind); }

struct Expected {
  std::vector<std::uint64_t> after_first, after_second, after_third;
};
Expected run_unbroken(int kind) {
  const Worlds worlds = worlds_of_kind(kind);
  Simulation simulation(worlds.model, "mujoco", step_scenes::kDt);
  step_scenes::begin_phase(worlds, simulation, 0);
  Expected expected;
  for (auto* after : {&expected.after_first, &expected.after_second, &expected.after_third}) {
    simulation.step(kSteps);
    *after = hashes(worlds, simulation.state());
  }
  return expected;
}

void expect_alone_broken(const Break& b, int kind, const Expected& expected) {
  Worlds worlds = worlds_of_kind(kind);
  const Model untouched = worlds_of_kind(kind).model;
  Simulation simulation(worlds.model, "mujoco", step_scenes::kDt);
  const State& state = simulation.state();
  step_scenes::begin_phase(worlds, simulation, 0);
  const Simulation::Snapshot start = simulation.snapshot();
  simulation.step(kSteps);
  ASSERT_EQ(hashes(worlds, state), expected.after_first);

  b.apply(worlds.model, state, simulation.control(), worlds);
  bring_up_to_date(worlds.model);
  const std::vector<Real> last_good = joint_state(worlds, state);
  simulation.step(kSteps / 2);
  simulation.step(kSteps - kSteps / 2);
  for (int w = 0; w < worlds.model.world_count; ++w) {
    EXPECT_EQ(simulation.status()[w], w == kBroken ? kStatusNotFinite : 0) << "world " << w;
    if (w != kBroken) {
      EXPECT_EQ(hashes(worlds, state)[w], expected.after_second[w]) << "world " << w;
    }
  }
  EXPECT_TRUE(same_bits(joint_state(worlds, state), last_good)) << "the broken world moved";

  // Put right and set back to its start, it runs like any other world.
  visit_columns([&](const ColumnInfo&, auto get) {
    get(worlds.model).assign(get(static_cast<const ModelColumns<Array>&>(untouched)));
  });
  worlds.model.gravity.assign(untouched.gravity);
  bring_up_to_date(worlds.model);
  std::vector<std::uint8_t> mask(worlds.model.world_count, 0);
  mask[kBroken] = 1;
  simulation.reset(mask);
  state.copy_worlds(start.state, mask);
  simulation.control().copy_worlds(start.control, mask);
  simulation.step(kSteps);
  for (int w = 0; w < worlds.model.world_count; ++w) {
    EXPECT_EQ(simulation.status()[w], 0) << "world " << w;
    EXPECT_EQ(hashes(worlds, state)[w], (w == kBroken ? expected.after_first : expected.after_third)[w])
        << "world " << w;
  }
}

// Proves it for every way to break a world of articulated bodies, in lanes of every width.
TEST(NotFinite, NeighboursKeepTheirBits) {
  for (const int kind : {0, 1}) {  // walkers and chains
    const Expected expected = run_unbroken(kind);
    for (const Break& b : breaks()) {
      SCOPED_TRACE(b.name + " of a " + step_scenes::kKinds[kind].name);
      expect_alone_broken(b, kind, expected);
    }
  }
}
TEST(NotFinite, NeighboursKeepTheirBitsInEveryTier) {
  const Expected expected = run_unbroken(0);
  const std::vector<Break> all = breaks();
  testing::for_each_tier([&] {
    for (std::size_t i = 0; i < all.size(); i += 5) {
      SCOPED_TRACE(all[i].name);
      expect_alone_broken(all[i], 0, expected);
    }
  });
}

// Proves that a world which breaks in the middle of a call stays at the last state before it, and not at the first:
// a force in the direction of the motion makes it faster until no number is large enough.
TEST(NotFinite, BreaksInTheMiddleOfACall) {
  constexpr Real kLargest = std::numeric_limits<Real>::max();
  ModelBuilder one;
  const int cart = one.add_link({.mass = 1});
  const int slider =
      one.add_joint_prismatic(-1, cart, {.axis = {1, 0, 0}, .effort_lower = -kLargest, .effort_upper = kLargest});
  one.add_actuator(slider, {.bias = {0, 0, 7}, .force_lower = -kLargest, .force_upper = kLargest});
  ModelBuilder builder;
  builder.replicate(one, 3);
  Simulation simulation(builder.finalize(), "mujoco", 1);
  simulation.state().joint_qd[1] = 1;
  simulation.step(500);
  EXPECT_EQ(simulation.status()[0], 0);
  EXPECT_EQ(simulation.status()[1], kStatusNotFinite);
  EXPECT_EQ(simulation.status()[2], 0);
  // v+ = 8 v in every step, exactly: the force 7 v becomes infinite when v passes a seventh of the largest number.
  Real v = 1;
  while (7 * v <= kLargest && 8 * v <= kLargest) v *= 8;
  EXPECT_EQ(simulation.state().joint_qd[1], v);
}

// Proves that a number of a shape that all worlds share stops all of them, whether it stands before or behind them.
TEST(NotFinite, SharedShape) {
  for (const bool behind : {false, true}) {
    ModelBuilder one, builder;
    one.add_shape_sphere(one.add_body({.xform = {{0, 0, 1}, {}}}), Real(0.1));
    if (!behind) builder.add_ground_plane();
    builder.replicate(one, 3);
    if (behind) builder.add_ground_plane();
    const Model model = builder.finalize();
    model.shape_material_mu[behind ? 3 : 0] = kNan;  // past the door of an edit, which would refuse it
    Simulation simulation(model);
    for (const std::int32_t status : simulation.step()) EXPECT_EQ(status, kStatusNotFinite);
  }
}

// Proves that a number of a shape of one world stops that world alone where all worlds are equal otherwise, and that it
// goes on once an edit has mended it.
TEST(NotFinite, ShapeOfOneOfEqualWorlds) {
  ModelBuilder one, builder;
  one.add_shape_sphere(one.add_body({.xform = {{0, 0, 1}, {}}}), Real(0.1));
  builder.replicate(one, 3);
  const Model model = builder.finalize();
  model.shape_material_mu[1] = kNan;  // past the door of an edit, which would refuse it
  Simulation simulation(model);
  const std::int32_t expected[]{0, kStatusNotFinite, 0};
  simulation.step();
  for (int w = 0; w < 3; ++w) EXPECT_EQ(simulation.status()[w], expected[w]) << w;
  model.edit([](ModelNumbers& n) { n.shape_material_mu[1] = 1; });
  simulation.step();
  for (int w = 0; w < 3; ++w) EXPECT_EQ(simulation.status()[w], 0) << w;
}

// Proves that a link without mass at the end of a tree is reported.
TEST(NotFinite, LinkWithoutMass) {
  ModelBuilder builder;
  const int arm = builder.add_link({.inertia = mat33_identity<Real>(), .mass = 1}), feather = builder.add_link();
  builder.add_joint_revolute(-1, arm);
  builder.add_joint_revolute(arm, feather);
  Simulation simulation(builder.finalize());
  EXPECT_EQ(simulation.step()[0], kStatusNotFinite);
}

}  // namespace
}  // namespace carom
