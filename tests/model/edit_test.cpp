// Edits of a model: what may be written, what is refused by which name, and that a refused edit leaves no trace.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <set>
#include <string>

#include "carom/carom.h"

namespace carom {
namespace {

constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();

// Two worlds with a ball, an arm on a hinge, a tendon, an actuator, a ball joint and a weld.
Model two_worlds() {
  ModelBuilder one, builder;
  const int ball = one.add_body({.key = "ball"});
  one.add_shape_sphere(ball, Real(0.1), {.key = "skin"});
  const int arm = one.add_link({.key = "arm"}), hand = one.add_link({.key = "hand"});
  one.add_shape_capsule(arm, Real(0.05), Real(0.2), {.key = "bone"});
  const int elbow = one.add_joint_revolute(-1, arm, {}, {.key = "elbow"});
  one.add_joint_ball(arm, hand, {}, {.key = "wrist"});
  one.add_tendon_fixed({{elbow, 1}}, {}, "cord");
  one.add_actuator(elbow, {}, "motor");
  one.add_equality_constraint_weld(ball, hand, {}, 1, {}, {.key = "glue"});
  one.add_shape_collision_filter_pair(0, 1);
  builder.add_ground_plane();
  builder.replicate(one, 2);
  return builder.finalize();
}

// All numbers of a model, as bytes.
std::string bytes_of(const Model& model) {
  std::string all;
  const auto add = [&](const auto& array) { all.append(reinterpret_cast<const char*>(array.data()), array.bytes()); };
  visit_columns([&](const ColumnInfo&, auto get) { add(get(model)); });
  add(model.gravity);
  add(model.shape_collision_filter_pairs);
  add(model.body_inv_mass);
  return all;
}

struct Case {
  std::function<void(ModelNumbers&)> change;
  std::vector<std::string> says;
};

void expect_refused(const std::vector<Case>& cases) {
  const Model model = two_worlds();
  const std::string before = bytes_of(model);
  const std::int64_t generation = model.generation();
  for (const Case& c : cases) {
    std::string message = "nothing";
    try {
      model.edit([&](ModelNumbers& n) {
        n.body_mass[0] = 77;  // goes back with the rest
        n.gravity[0].x = 5;
        c.change(n);
      });
    } catch (const Error& error) {
      message = error.what();
    }
    for (const std::string& part : c.says) EXPECT_NE(message.find(part), std::string::npos) << part << ": " << message;
    EXPECT_EQ(bytes_of(model), before) << message;
    EXPECT_EQ(model.generation(), generation) << message;
  }
}

// Proves that numbers are checked by the builder's rules, and that a refused edit changes nothing.
TEST(Edit, NumbersAreChecked) {
  expect_refused({
      {[](auto& n) { n.body_mass[4] = -1; }, {"body 4 'arm'", "body_mass", "-1"}},
      {[](auto& n) { n.body_mass[4] = kNan; }, {"body 4 'arm'", "body_mass", "finite"}},
      {[](auto& n) { n.body_mass[4] = 0; }, {"body 4 'arm'", "inertia but no mass"}},
      {[](auto& n) { n.body_inertia[1][0][0] *= 100; }, {"body 1 'arm'", "body_inertia", "sum of the other two"}},
      {[](auto& n) { n.body_com[3].y = kNan; }, {"body 3 'ball'", "body_com[1]"}},
      {[](auto& n) { n.body_flags[0] = 7; }, {"body 0 'ball'", "body_flags", "7"}},
      {[](auto& n) { n.body_flags[2] = kBodyKinematic; }, {"body 2 'hand'", "kinematic", "'arm'"}},
      {[](auto& n) { n.body_q[0].p.x = 3; }, {"body 0 'ball'", "body_q", "joint_q"}},
      {[](auto& n) { n.body_qd[1].linear.x = 3; }, {"body 1 'arm'", "body_qd", "'elbow'", "joint_qd"}},
      {[](auto& n) {
         n.shape_transform[1].q = {0, 0, 0, 0};
       },
       {"shape 1 'skin'", "shape_transform", "quaternion"}},
      {[](auto& n) { n.shape_scale[3].x = -1; }, {"shape 3 'skin'", "shape_scale", "radius"}},
      {[](auto& n) { n.shape_material_restitution[1] = 2; }, {"shape 1", "restitution", "at most 1"}},
      {[](auto& n) { n.shape_gap[1] = -1; }, {"shape 1", "shape_gap", "must not be negative"}},
      {[](auto& n) { n.joint_effort_lower[0] = 1, n.joint_effort_upper[0] = 0; },
       {"joint_effort_lower", "joint_effort_upper"}},
      {[](auto& n) { n.shape_condim[1] = 2; }, {"shape 1", "shape_condim", "2"}},
      {[](auto& n) { n.shape_flags[1] = 64; }, {"shape 1", "shape_flags", "64"}},
      {[](auto& n) { n.shape_is_solid[1] = 2; }, {"shape 1", "shape_is_solid"}},
      {[](auto& n) { n.shape_solref[1][1] = kNan; }, {"shape 1", "shape_solref[1]"}},
      {[](auto& n) { n.joint_X_p[4].q.w = 5; }, {"joint 4 'elbow'", "joint_X_p", "normalise"}},
      {[](auto& n) {
         n.joint_axis[6] = {0, 0, 0};
       },
       {"joint_dof 6", "'elbow'", "joint_axis is zero"}},
      {[](auto& n) { n.joint_axis[7].y = 1; }, {"joint 2 'wrist'", "joint_axis", "joint_X_p"}},
      {[](auto& n) { n.joint_limit_lower[6] = 3, n.joint_limit_upper[6] = 2; }, {"joint_dof 6", "swap"}},
      {[](auto& n) { n.joint_damping[16] = -2; }, {"joint_dof 16 of joint 4 'elbow'", "joint_damping"}},
      {[](auto& n) { n.joint_q[3] = 2; }, {"joint 0", "joint_q", "quaternion"}},
      {[](auto& n) { n.joint_q[11] = 0; }, {"joint 2 'wrist'", "joint_q", "quaternion"}},
      {[](auto& n) { n.equality_constraint_axes[1] = {}; },
       {"equality_constraint 1 'glue'", "equality_constraint_axes", "normalise it"}},
      {[](auto& n) { n.tendon_spring_lower[1] = 9; }, {"tendon 1 'cord'", "tendon_spring_lower"}},
      {[](auto& n) { n.actuator_gear[1] = kNan; }, {"actuator 1 'motor'", "actuator_gear"}},
      {[](auto& n) { n.gravity[1].z = kNan; }, {"world 1", "gravity"}},
      {[](auto& n) {
         n.shape_collision_filter_pairs[0] = {1, 99};
       },
       {"shape_collision_filter_pairs 0", "99"}},
      {[](auto& n) { n.body_mass = Array<Real>(2); }, {"body_mass", "2 rows"}},
  });
}

// Proves for every column that is structure: a change of it is refused by its name.
TEST(Edit, StructureIsFrozen) {
  const Model model = two_worlds();
  std::set<std::string> structure;
  visit_columns([&](const ColumnInfo& info, auto get) {
    if (info.rule != Rule::kStructure || get(model).empty()) return;
    structure.insert(info.name);
    std::string message = "nothing";
    try {
      model.edit([&](ModelNumbers& n) { reinterpret_cast<int&>(get(n)[0]) = 99; });
    } catch (const Error& error) {
      message = error.what();
    }
    EXPECT_NE(message.find(std::string(info.name) + " is structure"), std::string::npos) << message;
    EXPECT_NE(reinterpret_cast<int&>(get(model)[0]), 99) << info.name;
  });
  for (const char* name : {"joint_child", "joint_parent", "joint_type", "joint_dof_dim", "joint_articulation",
                           "shape_body", "shape_type", "shape_world", "body_key_id", "tendon_joint_axis"})
    EXPECT_TRUE(structure.count(name)) << name;
}

// Proves that a column refers to something, or is an integer that others are counted by, only where it is frozen.
TEST(Edit, WhatRefersIsStructure) {
  visit_columns([&](const ColumnInfo& info, auto) {
    if (info.refers != Refers::kNothing) {
      EXPECT_EQ(info.rule, Rule::kStructure) << info.name;
    }
  });
}

// Proves that copies of a model see an edit, with all that was worked out from it, and another generation.
TEST(Edit, CopiesShareIt) {
  const Model model = two_worlds(), copy = model;
  const std::int64_t generation = copy.generation();
  model.edit([](ModelNumbers& n) {
    n.body_mass[0] = 4;
    n.shape_scale[1].x = Real(0.3);
    n.joint_X_c[1].p.z = 1;
    n.gravity[2] = {0, 0, 1};
    n.shape_collision_group[1] = 5;
  });
  EXPECT_EQ(copy.body_inv_mass[0], Real(0.25));
  EXPECT_EQ(copy.shape_collision_radius[1], Real(0.3));
  EXPECT_EQ(copy.joint_X_c_inv[1].p.z, -1);
  EXPECT_EQ(copy.gravity[2].z, 1);
  EXPECT_EQ(copy.archetypes.size(), 2u);  // the groups of the two worlds differ
  EXPECT_NE(copy.generation(), generation);
  model.edit([](ModelNumbers& n) { n.shape_collision_group[3] = 5; });
  EXPECT_EQ(copy.archetypes.size(), 1u);
  EXPECT_FALSE(copy.archetypes[0].shared_kinematics);
  const std::int64_t before = copy.generation();
  model.set_gravity({0, 0, -1}, 0);
  EXPECT_NE(copy.generation(), before);
}

// Proves that quaternions and axes come out as the builder makes them, and that rows nobody wrote keep their bits.
TEST(Edit, Normalises) {
  const Model model = two_worlds();
  const Quat turned{Real(0.1), Real(0.2), Real(0.3), Real(0.9269)};  // of length 0.99999
  const Model kept = two_worlds();
  model.edit([&](ModelNumbers& n) {
    n.shape_transform[1].q = turned;
    n.joint_axis[6] = {0, 3, 4};
    n.equality_constraint_axes[0] = {turned.x, turned.y, turned.z, turned.w};
  });
  const Quat unit = normalize(turned);
  EXPECT_EQ(std::memcmp(&model.shape_transform[1].q, &unit, sizeof(unit)), 0);
  EXPECT_EQ(std::memcmp(&model.equality_constraint_axes[0], &unit, sizeof(unit)), 0);
  EXPECT_EQ(model.joint_axis[6].y, Real(0.6));
  for (const int s : {0, 2, 3, 4})
    EXPECT_EQ(std::memcmp(&model.shape_transform[s], &kept.shape_transform[s], sizeof(Transform)), 0) << s;
}

// Proves that one edit goes on at a time, that one which is not finished changes nothing, and that what is kept of an
// edit reaches nothing.
TEST(Edit, OneAtATime) {
  const Model model = two_worlds();
  const std::string before = bytes_of(model);
  Array<Real> kept;
  {
    ModelEdit edit(model);
    edit.numbers.body_mass[0] = 9;
    EXPECT_THROW(ModelEdit second(model), Error);
    EXPECT_THROW(model.set_gravity({}), Error);
    kept = edit.numbers.body_mass;
  }
  EXPECT_THROW(model.edit([](ModelNumbers&) { throw Error("changed my mind"); }), Error);
  EXPECT_EQ(bytes_of(model), before);
  model.edit([&](ModelNumbers& n) { kept = n.body_mass, n.body_mass[0] = 9; });
  kept[0] = 1000;
  EXPECT_EQ(model.body_mass[0], 9);
}

// What a model says of its edits, as "column: worlds".
std::vector<std::string> changes(const Model& model, std::int64_t since) {
  const std::vector<ColumnChange> columns = model.changes_since(since).value();
  std::vector<std::string> all;
  for (const ColumnChange& change : columns) {
    std::string text = std::string(change.column) + ":";
    for (const int world : change.worlds) text += " " + std::to_string(world);
    all.push_back(text);
  }
  return all;
}

// Proves that a model tells which columns of which worlds its edits changed, also those that follow from a change, and
// says so when it does not know.
TEST(Edit, ChangesByColumnAndWorld) {
  using Texts = std::vector<std::string>;
  const Model model = two_worlds();
  const std::int64_t first = model.generation();
  EXPECT_EQ(changes(model, first), Texts{});
  model.edit([](ModelNumbers& n) {
    n.body_mass[3] = 2;
    for (Real& mu : n.shape_material_mu) mu = Real(0.25);
    n.gravity[0].x = 1;
  });
  EXPECT_EQ(changes(model, first), (Texts{"body_mass: 1", "shape_material_mu: -1 0 1", "gravity: 0"}));
  const std::int64_t second = model.generation();
  model.set_gravity({0, 0, -1});
  model.set_gravity({0, 0, -2}, 1);
  EXPECT_EQ(changes(model, second), (Texts{"gravity: 0 1 -1", "gravity: 1"}));
  EXPECT_EQ(changes(model, first).size(), 5u);
  const std::int64_t third = model.generation();
  model.edit([](ModelNumbers& n) { n.joint_q[0] += 1; });  // of a free joint: its body follows
  const Texts moved = changes(model, third);
  for (const char* column : {"body_q: 0", "joint_q: 0"})
    EXPECT_NE(std::find(moved.begin(), moved.end(), column), moved.end()) << column;
  model.edit([](ModelNumbers&) {});
  EXPECT_EQ(changes(model, third), moved);
  EXPECT_FALSE(model.changes_since(first - 1));  // made by finalize()
  for (int i = 0; i < 20; ++i) model.set_gravity({});
  EXPECT_FALSE(model.changes_since(third));
}

}  // namespace
}  // namespace carom
