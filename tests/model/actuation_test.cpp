// Tendons, actuators and the numbers of soft constraints: what is given arrives, also in copies, files and views.
#include <gtest/gtest.h>

#include <cmath>

#include "carom/carom.h"
#include "io/native/model_format.h"

namespace carom {
namespace {

using Ints = std::vector<int>;
using Reals = std::vector<Real>;
template <class T>
std::vector<T> values(const Array<T>& array) {
  return {array.begin(), array.end()};
}

// Three joints: a slider, a hinge, and one with two axes; a tendon over the last two, two actuators.
ModelBuilder machine(const TendonConfig& tendon = {}, const ActuatorConfig& motor = {}) {
  ModelBuilder b;
  for (int i = 0; i < 3; ++i) b.add_link({.inertia = mat33_identity<Real>(), .mass = 1});
  b.add_joint_prismatic(-1, 0, {}, {.key = "rail"});
  b.add_joint_revolute(0, 1, {}, {.key = "hinge"});
  b.add_joint_universal(1, 2, {.axis = {1, 0, 0}}, {.axis = {0, 1, 0}}, {.key = "wrist"});
  b.add_tendon_fixed({{.joint = 1, .coef = 2}, {.joint = 2, .coef = -3, .axis = 1}}, tendon, "string");
  b.add_actuator(0, motor, "push");
  b.add_actuator(2, {.axis = 1}, "turn");
  return b;
}

// So have points of tendons, what actuators push, and what they do to activations; what is fixed to the world is placed
// with the copy.
TEST(Actuation, PathsArrive) {
  ModelBuilder b, scene;
  const int body = b.add_body({.mass = 1, .key = "box"});
  b.add_tendon_spatial({{.body = -1, .xform = {{1, 2, 3}, {}}},
                        {.type = TendonPointType::kCylinder,
                         .body = body,
                         .radius = 4,
                         .has_side = true,
                         .side_body = -1,
                         .side = {5, 6, 7}},
                        {.body = body},
                        {.type = TendonPointType::kPulley, .divisor = 8},
                        {.body = -1},
                        {.body = body}});
  ActuatorConfig push{.wrench = {{1, 2, 3}, {4, 5, 6}}, .gain_slope = {7, 8}};
  push.dynamics = ActuatorDynamics::kFilter, push.time = {9, 10, 11}, push.act_lower = -12, push.act_upper = 13;
  push.act_early = true;
  b.add_actuator_site({body, {{0, 0, 1}, {}}}, BodyPose{-1, {{0, 0, 2}, {}}}, push);
  b.add_actuator_slider_crank({body, {}}, {-1, {}}, 14);
  scene.add_world(b);
  scene.add_world(b, {.xform = {{10, 0, 0}, {}}});
  const Model model = scene.finalize();
  EXPECT_EQ(model.tendon_point_count, 12);
  EXPECT_EQ(values(model.tendon_point_tendon), (Ints{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(values(model.tendon_point_body), (Ints{-1, 0, 0, -1, -1, 0, -1, 1, 1, -1, -1, 1}));
  EXPECT_EQ(values(model.tendon_point_type), (Ints{0, 2, 0, 3, 0, 0, 0, 2, 0, 3, 0, 0}));
  EXPECT_EQ(model.tendon_point_radius[1], 4);
  EXPECT_EQ(model.tendon_point_divisor[3], 8);
  EXPECT_EQ(model.tendon_point_xform[0].p, (Vec3{1, 2, 3}));
  EXPECT_EQ(model.tendon_point_xform[6].p, (Vec3{11, 2, 3}));
  EXPECT_EQ(model.tendon_point_xform[7].p, (Vec3{}));
  EXPECT_EQ(model.tendon_point_side[7], (Vec3{15, 6, 7}));
  EXPECT_EQ(values(model.actuator_target), (Ints{2, 3, 2, 3}));
  EXPECT_EQ(values(model.actuator_body), (Ints{0, 0, 1, 1}));
  EXPECT_EQ(values(model.actuator_has_reference), (Ints{1, 1, 1, 1}));
  EXPECT_EQ(model.actuator_site[2].p, (Vec3{0, 0, 1}));
  EXPECT_EQ(model.actuator_reference[2].p, (Vec3{10, 0, 2}));
  EXPECT_EQ(model.actuator_wrench[0].angular, (Vec3{4, 5, 6}));
  EXPECT_EQ(model.actuator_gain_slope[0], (RealN<2>{7, 8}));
  EXPECT_EQ(model.actuator_time[0], (RealN<3>{9, 10, 11}));
  EXPECT_EQ(model.actuator_act_lower[0], -12);
  EXPECT_EQ(model.actuator_act_upper[0], 13);
  EXPECT_EQ(model.actuator_act_early[0], 1);
  EXPECT_EQ(model.actuator_rod[1], 14);
  EXPECT_EQ(model.state().act.size(), 4);
}

// Every number of a tendon and of an actuator has its column.
TEST(Actuation, ValuesArrive) {
  const Model model = machine({.limit_lower = -1,
                               .limit_upper = 2,
                               .limit_margin = 3,
                               .limit_solref = {4, 5},
                               .limit_solimp = {6, 7, 8, 9, 10},
                               .stiffness = 11,
                               .damping = 12,
                               .spring_lower = 13,
                               .spring_upper = 14},
                              {.gear = 2,
                               .gain = 3,
                               .bias = {4, 5, 6},
                               .ctrl_lower = -7,
                               .ctrl_upper = 8,
                               .force_lower = -9,
                               .force_upper = 10})
                          .finalize();
  EXPECT_EQ(model.tendon_count, 1);
  EXPECT_EQ(model.tendon_limit_lower[0], -1);
  EXPECT_EQ(model.tendon_limit_upper[0], 2);
  EXPECT_EQ(model.tendon_limit_margin[0], 3);
  EXPECT_EQ(model.tendon_limit_solref[0], (RealN<2>{4, 5}));
  EXPECT_EQ(model.tendon_limit_solimp[0], (RealN<5>{6, 7, 8, 9, 10}));
  EXPECT_EQ(model.tendon_stiffness[0], 11);
  EXPECT_EQ(model.tendon_damping[0], 12);
  EXPECT_EQ(model.tendon_spring_lower[0], 13);
  EXPECT_EQ(model.tendon_spring_upper[0], 14);

  EXPECT_EQ(model.tendon_joint_count, 2);
  EXPECT_EQ(values(model.tendon_joint_tendon), (Ints{0, 0}));
  EXPECT_EQ(values(model.tendon_joint_joint), (Ints{1, 2}));
  EXPECT_EQ(values(model.tendon_joint_axis), (Ints{0, 1}));
  EXPECT_EQ(values(model.tendon_joint_coef), (Reals{2, -3}));

  EXPECT_EQ(model.actuator_count, 2);
  EXPECT_EQ(values(model.actuator_joint), (Ints{0, 2}));
  EXPECT_EQ(values(model.actuator_axis), (Ints{0, 1}));
  EXPECT_EQ(values(model.actuator_gear), (Reals{2, 1}));
  EXPECT_EQ(values(model.actuator_gain), (Reals{3, 1}));
  EXPECT_EQ(model.actuator_bias[0], (RealN<3>{4, 5, 6}));
  EXPECT_EQ(values(model.actuator_ctrl_lower), (Reals{-7, -kUnlimited}));
  EXPECT_EQ(values(model.actuator_ctrl_upper), (Reals{8, kUnlimited}));
  EXPECT_EQ(values(model.actuator_force_lower), (Reals{-9, -kUnlimited}));
  EXPECT_EQ(values(model.actuator_force_upper), (Reals{10, kUnlimited}));
}

// Every new number of a shape and of a degree of freedom has its column.
TEST(Actuation, SolverNumbersArrive) {
  ModelBuilder b;
  const int body = b.add_link({.inertia = mat33_identity<Real>(), .mass = 1});
  b.add_joint_revolute(
      -1, body,
      {.stiffness = 1, .spring_ref = 2, .limit_margin = 3, .limit_solref = {4, 5}, .limit_solimp = {6, 7, 8, 9, 10}});
  b.add_shape_sphere(body, 1,
                     {.cfg = ShapeConfig{.contype = 2,
                                         .conaffinity = 4,
                                         .condim = 6,
                                         .priority = -1,
                                         .solmix = 3,
                                         .solref = {-4, -5},
                                         .solimp = {6, 7, 8, 9, 10}}});
  const Model model = b.finalize();
  EXPECT_EQ(model.joint_stiffness[0], 1);
  EXPECT_EQ(model.joint_spring_ref[0], 2);
  EXPECT_EQ(model.joint_limit_margin[0], 3);
  EXPECT_EQ(model.joint_limit_solref[0], (RealN<2>{4, 5}));
  EXPECT_EQ(model.joint_limit_solimp[0], (RealN<5>{6, 7, 8, 9, 10}));
  EXPECT_EQ(model.shape_contype[0], 2);
  EXPECT_EQ(model.shape_conaffinity[0], 4);
  EXPECT_EQ(model.shape_condim[0], 6);
  EXPECT_EQ(model.shape_priority[0], -1);
  EXPECT_EQ(model.shape_solmix[0], 3);
  EXPECT_EQ(model.shape_solref[0], (RealN<2>{-4, -5}));
  EXPECT_EQ(model.shape_solimp[0], (RealN<5>{6, 7, 8, 9, 10}));
}

// A gap that was not given is the whole contact margin of that shape, wherever the margin came from.
TEST(Actuation, GapFollowsTheMargin) {
  ModelBuilder b;
  b.add_shape_sphere(-1, 1);
  b.add_shape_sphere(-1, 1, {.cfg = ShapeConfig{.contact_margin = Real(0.25)}});
  b.add_shape_sphere(-1, 1, {.cfg = ShapeConfig{.contact_margin = Real(0.25), .gap = 0}});
  b.rigid_contact_margin = Real(0.5);
  EXPECT_TRUE(std::isnan(b.columns().shape_gap[0]));
  const Model model = b.finalize();
  EXPECT_EQ(values(model.shape_gap), (Reals{Real(0.5), Real(0.25), 0}));
  EXPECT_EQ(values(decode_model(encode_model(model), {}).shape_gap), values(model.shape_gap));
}

// Copies point to the joints and tendons of their own world, for every way of copying.
TEST(Actuation, CopiesPointToTheirOwnWorld) {
  const ModelBuilder unit = machine();
  ModelBuilder b;
  b.add_builder(unit);
  b.add_world(unit);
  b.replicate(unit, 2);
  b.begin_world("twins");
  b.add_builder(unit, {.key_prefix = "a/"});
  b.add_builder(unit, {.key_prefix = "b/"});
  b.end_world();
  const Model model = b.finalize();
  EXPECT_EQ(values(model.tendon_world), (Ints{-1, 0, 1, 2, 3, 3}));
  EXPECT_EQ(values(model.tendon_world_start), (Ints{1, 2, 3, 4, 6, 6}));
  EXPECT_EQ(values(model.tendon_joint_world_start), (Ints{2, 4, 6, 8, 12, 12}));
  EXPECT_EQ(values(model.actuator_world_start), (Ints{2, 4, 6, 8, 12, 12}));
  EXPECT_EQ(values(model.tendon_joint_tendon), (Ints{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5}));
  EXPECT_EQ(values(model.tendon_joint_joint), (Ints{1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17}));
  EXPECT_EQ(values(model.actuator_joint), (Ints{0, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17}));
  EXPECT_EQ(values(model.world(1).tendon_joint_joint), (Ints{7, 8}));
  EXPECT_EQ(model.world(3).actuator_gear.size(), 4);
}

// A world can be made by hand, with its tendons and actuators between begin_world() and end_world().
TEST(Actuation, InsideAWorld) {
  ModelBuilder b;
  for (int w = 0; w < 2; ++w) {
    b.begin_world();
    const int link = b.add_link({.inertia = mat33_identity<Real>(), .mass = 1});
    const int joint = b.add_joint_revolute(-1, link);
    EXPECT_EQ(b.add_tendon_fixed({{joint, 1}}, {}, "string"), w);
    EXPECT_EQ(b.add_actuator(joint, {}, "motor"), w);
    b.end_world();
  }
  const Model model = b.finalize();
  EXPECT_EQ(values(model.actuator_world), (Ints{0, 1}));
  EXPECT_EQ(model.archetypes.size(), 1u);
}

// Keys of tendons and actuators are found like those of bodies.
TEST(Actuation, KeysAndLookup) {
  ModelBuilder b;
  b.replicate(machine(), 3);
  b.begin_world();
  const int link = b.add_link({.inertia = mat33_identity<Real>(), .mass = 1});
  b.add_actuator(b.add_joint_revolute(-1, link));
  b.end_world();
  const Model model = b.finalize();
  EXPECT_EQ(model.find_tendon("string", 2), 2);
  EXPECT_EQ(model.find_actuator("turn", 1), 3);
  EXPECT_EQ(model.key(Entity::kTendon, 1), "string");
  EXPECT_EQ(model.key(Entity::kActuator, 6), "actuator_0");
  EXPECT_THROW(model.find_actuator("turn"), Error);
  EXPECT_THROW(model.find_tendon("rope", 0), Error);
  EXPECT_THROW(model.key(Entity::kTendonJoint, 0), Error);
}

// Worlds share an archetype when their tendons and actuators are connected alike, whatever the numbers.
TEST(Actuation, Archetypes) {
  ModelBuilder numbers;
  numbers.add_world(machine());
  numbers.add_world(machine({.limit_lower = -1, .stiffness = 5}, {.gear = 9, .bias = {1, 2, 3}}));
  EXPECT_EQ(numbers.finalize().archetypes.size(), 1u);

  ModelBuilder connections;
  connections.add_world(machine());
  for (int kind = 0; kind < 3; ++kind) {
    ModelBuilder other = machine();
    if (kind == 0) other.add_actuator(1);
    if (kind == 1) other.add_actuator(1, {}), other.add_tendon_fixed({{0, 1}});
    if (kind == 2) other.add_actuator(0);
    connections.add_world(other);
  }
  connections.add_world(machine());
  const Model model = connections.finalize();
  ASSERT_EQ(model.archetypes.size(), 4u);
  EXPECT_EQ(model.archetypes[0].world_list, (Ints{0, 4}));
}

// Accelerations and inputs start at zero and are copied, viewed and reset with the other arrays.
TEST(Actuation, StateAndControl) {
  ModelBuilder b;
  b.replicate(machine(), 3);
  const Model model = b.finalize();
  State state = model.state();
  EXPECT_EQ(values(state.joint_qdd), Reals(12, 0));
  for (Real& a : state.joint_qdd) a = 7;
  const std::uint8_t middle[] = {0, 1, 0};
  EXPECT_EQ(values(state.read_worlds(middle).joint_qdd), Reals(4, 7));
  model.reset(state, middle);
  EXPECT_EQ(values(state.joint_qdd), (Reals{7, 7, 7, 7, 0, 0, 0, 0, 7, 7, 7, 7}));

  const Control control = model.control(), other = model.control();
  EXPECT_EQ(values(control.ctrl), Reals(6, 0));
  control.world(1).ctrl[1] = 3;
  EXPECT_EQ(values(control.clone().ctrl), (Reals{0, 0, 0, 3, 0, 0}));
  other.copy_worlds(control, middle);
  EXPECT_EQ(other.ctrl[3], 3);
}

// Numbers can be edited.
TEST(Actuation, Edit) {
  ModelBuilder b;
  b.add_world(machine());
  const Model model = b.finalize();
  model.edit([](ModelNumbers& n) {
    n.tendon_stiffness[0] = 5;
    n.actuator_gear[1] = 4;
  });
  EXPECT_EQ(model.world(0).tendon_stiffness[0], 5);
  EXPECT_EQ(values(model.actuator_gear), (Reals{1, 4}));
}

// Proves that ctrl, act and ctrl_history have as many numbers as actuators need, in every world, and that copies of a
// builder keep what belongs to each.
TEST(Actuation, SeveralInputsAndStates) {
  ModelBuilder b;
  const int body = b.add_link({.mass = 1}), joint = b.add_joint_revolute(-1, body);
  b.add_articulation({joint});
  b.add_actuator(joint);
  ActuatorConfig pid{.law = ActuatorLaw::kPid, .inputs = kInputPosition | kInputForce};
  pid.controller = {.kp = 1, .ki = 2, .slew_max = 3};
  pid.controller.input_upper[2] = 4;
  pid.delay = 5, pid.delay_samples = 6;
  b.add_actuator(joint, pid);
  ActuatorConfig motor{.law = ActuatorLaw::kDcMotor, .inputs = 0};
  motor.motor.bristle_stiffness = 1, motor.motor.current_time = 1, motor.motor.heat_resistance = 1;
  b.add_actuator(joint, motor);
  ModelBuilder scene;
  scene.replicate(b, 2);
  const Model model = scene.finalize();
  EXPECT_EQ(values(model.actuator_ctrl_start), (Ints{0, 1, 3, 3, 4, 6, 6}));
  EXPECT_EQ(values(model.actuator_act_start), (Ints{0, 1, 3, 6, 7, 9, 12}));
  EXPECT_EQ(values(model.actuator_history_start), (Ints{0, 0, 18, 18, 18, 36, 36}));
  EXPECT_EQ(values(model.controller_actuator), (Ints{1, 2, 4, 5}));
  EXPECT_EQ(values(model.actuator_ctrl_upper), (Reals{kUnlimited, kUnlimited, 4, kUnlimited, kUnlimited, 4}));
  EXPECT_EQ(values(model.ctrl_world_start), (Ints{0, 3, 6, 6}));
  EXPECT_EQ(model.control().ctrl.size(), 6);
  EXPECT_EQ(model.state().act.size(), 12);
  EXPECT_EQ(model.state().ctrl_history.size(), 36);
  EXPECT_EQ(model.state().world(1).act.size(), 6);
}

}  // namespace
}  // namespace carom
