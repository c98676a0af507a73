// Custom attributes of rows, and initial velocities of joints.
#include <gtest/gtest.h>

#include "carom/carom.h"

namespace carom::inline CAROM_PRECISION {
namespace {

ModelBuilder arm() {
  ModelBuilder builder;
  const int base = builder.add_body({.mass = 1, .key = "base"});
  const int tip = builder.add_link({.mass = 1, .key = "tip"});
  const int hinge = builder.add_joint_revolute(base, tip);
  builder.add_shape_sphere(tip, 1);
  builder.set_custom(Entity::kBody, tip, "{\"a\": 1}");
  builder.set_custom(Entity::kShape, 0, "base");  // any text; that of a key, too
  builder.set_joint_qd(hinge, std::array{Real(0.5)});
  return builder;
}

// Proves that custom attributes travel with their rows into copies, whatever prefix their keys get, into worlds and
// into the model, and that worlds which differ in them alone are of one archetype.
TEST(Custom, TravelsWithTheRow) {
  ModelBuilder scene;
  scene.begin_world();
  scene.add_builder(arm(), {.key_prefix = "left/"});
  scene.end_world();
  ModelBuilder other = arm();
  other.set_custom(Entity::kBody, 0, "{\"b\": 2}");
  other.set_custom(Entity::kBody, 1, "");
  scene.replicate(other, 2);
  const Model model = scene.finalize();
  const char* bodies[] = {"", "{\"a\": 1}", "{\"b\": 2}", "", "{\"b\": 2}", ""};
  for (int body = 0; body < 6; ++body) EXPECT_EQ(model.custom(Entity::kBody, body), bodies[body]) << body;
  for (int shape = 0; shape < 3; ++shape) EXPECT_EQ(model.custom(Entity::kShape, shape), "base");
  EXPECT_EQ(model.key(Entity::kBody, 0), "left/base");
  EXPECT_EQ(model.key(Entity::kBody, 2), "base");
  EXPECT_EQ(model.archetypes.size(), 1u);
  for (int dof = 6; dof < model.joint_dof_count; dof += 7) EXPECT_EQ(model.joint_qd[dof], Real(0.5));
}

template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Proves that rows which do not exist, entities that have none, and velocities of the wrong number are refused by name.
TEST(Custom, Refusals) {
  ModelBuilder builder = arm();
  EXPECT_EQ(refusal([&] { builder.set_custom(Entity::kBody, 2, "x"); }), "body 2 does not exist: there are 2");
  EXPECT_NE(refusal([&] { builder.set_custom(Entity::kSpring, 0, "x"); }).find("springs have no custom attributes"),
            std::string::npos);
  EXPECT_NE(refusal([&] {
              builder.set_joint_qd(1, std::array{Real(1), Real(2)});
            }).find("has 1 degrees of freedom"),
            std::string::npos);
  const Model model = builder.finalize();
  EXPECT_EQ(refusal([&] { model.custom(Entity::kJoint, 9); }), "joint 9 does not exist: there are 2");
}

}  // namespace
}  // namespace carom::inline CAROM_PRECISION
