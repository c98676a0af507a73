// EventStepper against closed forms: instants of events, speeds behind them, and what contacts do between.
#include "carom/event_stepper.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "carom/builder.h"
#include "carom/geometry.h"

namespace carom {
namespace {

constexpr Real kG = 9.81;
constexpr Real kPi = 3.14159265358979323846;

EventStepperConfig config_of(ContactResponse response, Real tolerance = 1e-8,
                             IntegrationMethod method = IntegrationMethod::kRk45) {
  EventStepperConfig config;
  config.response = response, config.tolerance = tolerance, config.method = method;
  return config;
}

// A ball that falls on the ground from a height of its lowest point.
ModelBuilder ball_over_ground(Real height, Real restitution, Real radius = 0.1, Real gravity = kG) {
  ModelBuilder builder;
  builder.gravity = {0, 0, -gravity};
  builder.default_shape_cfg.restitution = restitution;
  builder.add_ground_plane();
  const int body = builder.add_body({.xform = {{0, 0, radius + height}, {}}});
  builder.add_shape_sphere(body, radius, {.key = "ball"});
  return builder;
}

std::vector<Event> events_of(const EventStepper& stepper, EventKind kind) {
  std::vector<Event> found;
  for (const Event& event : stepper.events())
    if (event.kind == kind) found.push_back(event);
  return found;
}

class ByMethod : public ::testing::TestWithParam<IntegrationMethod> {
 protected:
  void SetUp() override {
    if (!has_integration_method(GetParam())) GTEST_SKIP() << "SUNDIALS is absent";
  }
};
INSTANTIATE_TEST_SUITE_P(EventStepper, ByMethod,
                         ::testing::Values(IntegrationMethod::kRk45, IntegrationMethod::kBdf,
                                           IntegrationMethod::kAdams),
                         [](const auto& test) { return std::string(integration_method_name(test.param)); });

// Proves that every impact of a bouncing ball is at its closed form to 1e-9 s, and that where they accumulate is known.
TEST_P(ByMethod, BouncingBall) {
  EventStepper stepper(
      ball_over_ground(1, 0.7).finalize(),
      config_of(ContactResponse::kImpulse, GetParam() == IntegrationMethod::kRk45 ? 1e-8 : 1e-13, GetParam()));
  stepper.run(3);
  const Real first = std::sqrt(2 / kG);
  Real expected = first, flight = 2 * first * 0.7;
  const std::vector<Event> impacts = events_of(stepper, EventKind::kImpact);
  for (std::size_t i = 0; i < impacts.size(); ++i) {
    EXPECT_NEAR(impacts[i].time, expected, 1e-9) << i;
    EXPECT_NEAR(impacts[i].normal_velocity, -kG * first * std::pow(0.7, i), 1e-8) << i;
    expected += flight, flight *= 0.7;
  }
  EXPECT_EQ(impacts.size(), 18u);
  const std::vector<Event> sticks = events_of(stepper, EventKind::kStick);
  ASSERT_EQ(sticks.size(), 1u);
  EXPECT_NEAR(sticks[0].time, 2.555202718, 1e-9);
  EXPECT_NEAR(sticks[0].accumulates_at, 2.558633966, 2e-9);
  EXPECT_NEAR(stepper.state().joint_q[2], 0.1, 1e-6);
  EXPECT_NEAR(stepper.state().joint_qd[2], 0, 1e-6);
}

// Proves that the elastic law gives back the restitution that was asked for, and never pulls.
TEST(EventStepper, ElasticRestitution) {
  for (const Real e : {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98})
    for (const Real speed : {0.05, 1.0, 5.0}) {
      const Model model = ball_over_ground(0.01, e, 0.1, 0).finalize();
      State state = model.state();
      state.joint_qd[2] = -speed;
      EventStepperConfig config = config_of(ContactResponse::kElastic);
      config.max_damping = 1e9;
      EventStepper stepper(model, config);
      stepper.restart(state);
      stepper.run(0.02 / speed + 0.1);
      EXPECT_NEAR(stepper.state().joint_qd[2] / speed, e, 0.002) << e << " " << speed;
      EXPECT_EQ(events_of(stepper, EventKind::kBegin).size(), 1u);
      EXPECT_EQ(events_of(stepper, EventKind::kEnd).size(), 1u);
    }
}

// A steel ball on a vertical slide, as in Modia3D's BouncingSphere. Its damping is that of another restitution.
Model steel_ball_on_a_slide() {
  ModelBuilder builder;
  builder.gravity = {0, 0, -kG};
  builder.default_shape_cfg.restitution = 0.6831843;  // a = 8 (1 - 0.7) / (5 * 0.7)
  builder.add_shape_box(-1, 2, 0.35, 0.05, {.xform = {{0, 0, -0.15}, {}}});
  const int ball = builder.add_link({.mass = 0.001});
  builder.default_shape_cfg.density = 0;
  builder.add_shape_sphere(ball, 0.1);
  const int slide = builder.add_joint_prismatic(-1, ball, {.axis = {0, 0, 1}});
  builder.add_articulation({slide});
  return builder.finalize();
}

// Proves speed and place after the bounces of 2.2 s, by an independent integration of the same law.
TEST_P(ByMethod, SteelBallOnASlide) {
  const Model model = steel_ball_on_a_slide();
  const State state = model.state();
  state.joint_q[0] = 1;
  EventStepper stepper(model, config_of(ContactResponse::kElastic, 1e-8, GetParam()));
  stepper.restart(state);
  stepper.run(2.2);
  EXPECT_NEAR(stepper.state().joint_qd[0], -0.4418119, 1e-4);
  EXPECT_NEAR(stepper.state().joint_q[0], 0.0003863, 1e-4);
}

// Proves how long a contact of Modia3D's BouncingSphere lasts: it reports 27.1e-6 s for the one at 2.392413289 s.
TEST(EventStepper, SteelBallTouchesForAsLongAsItShould) {
  const Model model = steel_ball_on_a_slide();
  State state = model.state();
  state.joint_q[0] = 1;
  EventStepper stepper(model, config_of(ContactResponse::kElastic));
  stepper.restart(state);
  stepper.run(2.4);
  const std::vector<Event> begins = events_of(stepper, EventKind::kBegin), ends = events_of(stepper, EventKind::kEnd);
  ASSERT_EQ(begins.size(), 18u);  // and from the 18th on it rests
  ASSERT_EQ(ends.size(), 17u);
  EXPECT_NEAR(begins[15].time, 2.392413289, 1e-6);
  EXPECT_NEAR(ends[15].time - begins[15].time, 2.711e-5, 2.711e-7);
}

// Two billiard balls on a cloth, as in Modia3D's TwoCollidingBalls: the first slides, rolls, and hits the second.
Model two_billiard_balls() {
  ModelBuilder builder;
  builder.gravity = {0, 0, -kG};
  builder.default_shape_cfg.density = 1768;
  builder.add_shape_box(-1, 1.5, 0.25, 0.01, {.xform = {{0, 0, -0.01}, {}}, .key = "table"});
  // They rest as deep as they are heavy.
  const Real depth = 7.46e-8;
  for (const Real x : {-1.3, 0.0}) {
    const int body = builder.add_body({.xform = {{x, 0, 0.03 - depth}, {}}});
    builder.add_shape_sphere(body, 0.03, {.key = x < 0 ? "ball_1" : "ball_2"});
  }
  return builder.finalize();
}

// Proves Coulomb's and the rolling balls' closed forms: v falls by mu g until t = v0 / (g (3.5 mu - 2.5 mu_r)), then by
// 5/7 mu_r g. The cloth is a hundred times as hard as wood, since what balls sink in shortens the arm of friction by
// more than the numbers are good to.
TEST(EventStepper, BilliardBalls) {
  if (!has_integration_method(IntegrationMethod::kBdf)) GTEST_SKIP() << "SUNDIALS is absent";
  for (const ContactResponse response : {ContactResponse::kElastic, ContactResponse::kImpulse}) {
    const Model model = two_billiard_balls();
    EventStepperConfig config = config_of(response, 1e-8, IntegrationMethod::kBdf);
    config.materials = {{"ball_*", "BilliardBall"}, {"table", "BilliardTable"}};
    config.slide_speed = 1e-5, config.turn_speed = 1e-3, config.stiffness_scale = 100;
    EventStepper stepper(model, config);
    const State state = model.state();
    state.joint_qd[0] = 3;
    stepper.restart(state);
    stepper.add_event({"rolls",
                       [](const Instant& at) {
                         const SpatialVector V = at.state.body_qd[0];
                         return V.linear.x - V.angular.y * 0.03 - 1e-5;
                       },
                       -1});
    stepper.run(1.5);
    EXPECT_NEAR(events_of(stepper, EventKind::kUser).at(0).time, 0.110202, 1e-5);
    const auto hits =
        events_of(stepper, response == ContactResponse::kElastic ? EventKind::kBegin : EventKind::kImpact);
    ASSERT_FALSE(hits.empty());
    EXPECT_NEAR(hits[0].time, 0.561786, 1e-5);
    EXPECT_NEAR(hits[0].normal_velocity, -2.103492, 1e-5);
    if (response == ContactResponse::kElastic) continue;
    EXPECT_NEAR(stepper.state().joint_q[0], 0.450216, 1e-5);
    EXPECT_NEAR(stepper.state().joint_q[7], 1.402040, 1e-5);
  }
}

// Newton's cradle: five steel balls on threads of 0.15 m, the first lifted by 60 degrees.
Model cradle(Real gap) {
  ModelBuilder builder;
  builder.gravity = {0, 0, -kG};
  builder.default_shape_cfg.density = 8000;
  builder.default_shape_cfg.restitution = 1;
  builder.default_shape_cfg.mu = 0;
  builder.default_shape_cfg.torsional_friction = builder.default_shape_cfg.rolling_friction = 0;
  for (int i = 0; i < 5; ++i) {
    const Real x = i * (0.02 + gap);
    const int link = builder.add_link({.xform = {{x, 0, -0.15}, {}}});
    builder.add_shape_sphere(link, 0.01);
    builder.add_articulation({builder.add_joint_revolute(
        -1, link, {.axis = {0, 1, 0}}, {.parent_xform = {{x, 0, 0}, {}}, .child_xform = {{0, 0, 0.15}, {}}})});
  }
  return builder.finalize();
}

// Proves the quarter of the period of a pendulum at 60 degrees and its speed, by the elliptic integral, and that the
// balls pass the impulse on through their threads: with impulses in turn, and where elastic hits follow each other.
TEST(EventStepper, NewtonsCradle) {
  const Model touching = cradle(0);
  State state = touching.state();
  state.joint_q[0] = kPi / 3;
  EventStepperConfig config = config_of(ContactResponse::kImpulse);
  config.hits = HitOrder::kInTurn;
  EventStepper in_turn(touching, config);
  in_turn.restart(state);
  in_turn.run(0.3);
  ASSERT_EQ(in_turn.events().size(), 4u);
  EXPECT_NEAR(in_turn.events()[0].time, 0.208636, 1e-6);
  EXPECT_NEAR(in_turn.events()[0].normal_velocity, -1.211977, 1e-6);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(in_turn.state().joint_qd[i], 0, 1e-9);

  const Model apart = cradle(2e-4);
  EventStepper elastic(apart, config_of(ContactResponse::kElastic));
  state = apart.state();
  state.joint_q[0] = kPi / 3;
  elastic.restart(state);
  elastic.run(0.3);
  EXPECT_EQ(events_of(elastic, EventKind::kBegin).size(), 4u);
  EXPECT_NEAR(elastic.state().joint_qd[0], 0, 0.02);
  const Real l = 0.15, inertia = 1 + 0.4 * (0.01 / l) * (0.01 / l);
  const auto energy = [&](int i) {  // over m l^2, of one ball [1/s^2]
    const Real w = elastic.state().joint_qd[i];
    return inertia * w * w / 2 + kG / l * (1 - std::cos(elastic.state().joint_q[i]));
  };
  EXPECT_NEAR(energy(4), kG / l / 2, 1e-2 * kG / l);
}

// Proves that events have the same bits for any threads and lanes, in worlds that differ.
TEST(EventStepper, SameBitsForAnyThreadsAndLanes) {
  ModelBuilder scene;
  for (const Real height : {0.2, 0.5, 0.9, 1.3, 1.7, 2.1, 2.5, 2.9, 3.3})
    scene.add_world(ball_over_ground(height, 0.6));
  const Model model = scene.finalize();
  std::vector<Event> expected;
  for (const QueueConfig config : {QueueConfig{1, 1}, QueueConfig{1, 0}, QueueConfig{2, 0}, QueueConfig{3, 1}}) {
    const Queue queue({}, config);
    EventStepper stepper(model, config_of(ContactResponse::kElastic), &queue);
    stepper.run(1.5);
    const std::vector<Event>& events = stepper.events();
    if (expected.empty()) expected = events;
    ASSERT_EQ(events.size(), expected.size());
    for (std::size_t i = 0; i < events.size(); ++i) {
      EXPECT_EQ(events[i].time, expected[i].time) << i;
      EXPECT_EQ(events[i].world, expected[i].world) << i;
      EXPECT_EQ(events[i].normal_velocity, expected[i].normal_velocity) << i;
    }
  }
  EXPECT_GT(expected.size(), 30u);
}

// Proves that a world has the same bits alone as beside others, where its contacts are computed in lanes.
TEST(EventStepper, SameBitsAloneAsBesideOthers) {
  const std::vector<Real> heights{0.2, 0.5, 0.9, 1.3, 1.7, 2.1, 2.5, 2.9, 3.3, 0.3, 0.7};
  ModelBuilder scene;
  for (const Real height : heights) scene.add_world(ball_over_ground(height, 0.6));
  EventStepper together(scene.finalize(), config_of(ContactResponse::kElastic));
  together.run(1.5);
  for (std::size_t w = 0; w < heights.size(); ++w) {
    EventStepper alone(ball_over_ground(heights[w], 0.6).finalize(), config_of(ContactResponse::kElastic));
    alone.run(1.5);
    std::vector<Event> beside;
    for (const Event& event : together.events())
      if (event.world == static_cast<int>(w)) beside.push_back(event);
    ASSERT_EQ(beside.size(), alone.events().size()) << w;
    for (std::size_t i = 0; i < beside.size(); ++i) EXPECT_EQ(beside[i].time, alone.events()[i].time) << w << " " << i;
  }
}

// Proves that balls that hit each other together share an impulse, and in turn pass it on.
TEST(EventStepper, TogetherOrInTurn) {
  for (const HitOrder order : {HitOrder::kTogether, HitOrder::kInTurn}) {
    ModelBuilder builder;
    builder.gravity = {};
    builder.default_shape_cfg.restitution = 1;
    builder.default_shape_cfg.mu = 0;
    for (const Real x : {-1.0, 0.0, 0.2}) builder.add_shape_sphere(builder.add_body({.xform = {{x, 0, 0}, {}}}), 0.1);
    const Model model = builder.finalize();
    const State state = model.state();
    state.joint_qd[0] = 1;
    EventStepperConfig config = config_of(ContactResponse::kImpulse);
    config.hits = order;
    EventStepper stepper(model, config);
    stepper.restart(state);
    stepper.run(1);
    ASSERT_FALSE(stepper.events().empty());
    EXPECT_NEAR(stepper.events()[0].time, 0.8, 1e-12);
    const auto v = [&](int ball) { return stepper.state().joint_qd[6 * ball]; };
    EXPECT_NEAR(v(0) + v(1) + v(2), 1, 1e-12);
    EXPECT_LE(v(0) * v(0) + v(1) * v(1) + v(2) * v(2), 1 + 1e-12);
    if (order == HitOrder::kInTurn) {
      EXPECT_NEAR(v(2), 1, 1e-12);
    } else {
      EXPECT_LT(v(0), -0.1);
    }
  }
}

// A stone on a stick of 1 m that is let go: it swings down from the horizontal and flies off at the bottom.
Model stone(bool on_stick) {
  ModelBuilder builder;
  builder.gravity = {0, 0, -kG};
  builder.default_shape_cfg.density = 0;
  builder.add_ground_plane();
  const auto hold = [&](int body) { builder.add_shape_sphere(body, 0.01, {.key = "stone"}); };
  if (!on_stick) {
    hold(builder.add_body({.inertia = mat33_diagonal(Vec3{1e-6, 1e-6, 1e-6}), .mass = 1}));
    return builder.finalize();
  }
  const int link = builder.add_link({.inertia = mat33_diagonal(Vec3{1e-6, 1e-6, 1e-6}), .mass = 1});
  hold(link);
  builder.add_articulation({builder.add_joint_revolute(
      -1, link, {.axis = {0, 1, 0}}, {.parent_xform = {{0, 0, 2.01}, {}}, .child_xform = {{0, 0, 1}, {}}})});
  return builder.finalize();
}

// Proves that an action can go on with another model: the stone flies with the speed of the swing, hits the ground a
// second below after sqrt(2 / g), and what was listed stays listed.
TEST(EventStepper, AnActionReleasesABody) {
  EventStepper stepper(stone(true), config_of(ContactResponse::kImpulse, 1e-10));
  const State held = stepper.model().state();
  held.joint_q[0] = kPi / 2;
  stepper.restart(held);
  stepper.add_event({"lets go", [](const Instant& at) { return at.state.joint_q[0]; }, -1,
                     [&](const Instant& at, const Control&) {
                       const Model free = stone(false);
                       const State flying = free.state();
                       flying.body_q[0] = at.state.body_q[0];
                       flying.body_qd[0] = at.state.body_qd[0];
                       stepper.restart(free, flying, at.time);
                       return Restart::kNone;
                     }});
  stepper.run(1.4);
  const std::vector<Event>& events = stepper.events();
  ASSERT_GE(events.size(), 2u);
  EXPECT_EQ(events[0].name, "lets go");
  EXPECT_EQ(events[0].restart, Restart::kFull);
  const Real speed = std::sqrt(2 * kG / (1 + 1e-6)), fall = std::sqrt(2 / kG);
  EXPECT_NEAR(std::abs(events[1].velocity.x), 1.01 * speed, 1e-8);  // it goes on turning
  EXPECT_NEAR(events[1].time - events[0].time, fall, 1e-9);
  EXPECT_EQ(stepper.model().joint_coord_count, 7);
}

// Proves that actions cannot run the stepper that calls them, nor say full without a model.
TEST(EventStepper, WhatActionsMustNotDo) {
  EventStepper stepper(ball_over_ground(1, 0.5).finalize());
  stepper.add_time_event(0.1, "runs", [&](const Instant&, const Control&) {
    stepper.run(0.2);
    return Restart::kNone;
  });
  EXPECT_THROW(stepper.run(0.3), Error);
  EventStepper other(ball_over_ground(1, 0.5).finalize());
  other.add_time_event(0.1, "says so", [](const Instant&, const Control&) { return Restart::kFull; });
  EXPECT_THROW(other.run(0.3), Error);
}

// Proves that a rattleback that is spun the wrong way turns round.
TEST(EventStepper, Rattleback) {
  if (!has_integration_method(IntegrationMethod::kBdf)) GTEST_SKIP() << "SUNDIALS is absent";
  ModelBuilder builder;
  builder.gravity = {0, 0, -kG};
  builder.add_ground_plane();
  const Real long_axis = 5.864306286700948e-7, short_axis = 7.623598172711232e-6, angle = -5 * kPi / 180;
  const Real c = std::cos(angle), s = std::sin(angle);
  Mat33 inertia{};
  inertia[0][0] = long_axis * c * c + short_axis * s * s;
  inertia[0][1] = inertia[1][0] = (long_axis - short_axis) * c * s;
  inertia[1][1] = long_axis * s * s + short_axis * c * c;
  inertia[2][2] = short_axis;
  builder.default_shape_cfg.density = 0;
  const int stone = builder.add_body({.xform = {{0, 0, 0.01}, {}}, .inertia = inertia, .mass = 0.014660765716752368});
  builder.add_shape_ellipsoid(stone, 0.05, 0.01, 0.01);
  const Model model = builder.finalize();
  const State state = model.state();
  state.joint_qd[4] = 0.1, state.joint_qd[5] = 5;
  EventStepperConfig config = config_of(ContactResponse::kElastic, 1e-8, IntegrationMethod::kBdf);
  config.materials = {{"*", "DryWood"}};
  EventStepper stepper(model, config);
  stepper.restart(state);
  stepper.run(6);
  // Modia3D, whose damping and stiffness are others, ends at -2.29 rad/s.
  EXPECT_NEAR(stepper.state().joint_qd[5], -2.29, 0.2);
}

// A pendulum that swings against a wall at its lowest point and comes back as high, in K sqrt(I / (m g l)) each way.
Model pendulum_at_a_wall() {
  ModelBuilder builder;
  builder.gravity = {0, 0, -kG};
  builder.default_shape_cfg.restitution = 1;
  builder.default_shape_cfg.mu = 0;
  const int link = builder.add_link({.xform = {{0, 0, -0.15}, {}}});
  builder.add_shape_sphere(link, 0.01);
  builder.add_articulation(
      {builder.add_joint_revolute(-1, link, {.axis = {0, 1, 0}}, {.child_xform = {{0, 0, 0.15}, {}}})});
  builder.add_shape_box(-1, 0.05, 0.05, 0.05, {.xform = {{0.06, 0, -0.15}, {}}});
  return builder.finalize();
}
Real quarter_period() {  // at 60 degrees, by the arithmetic-geometric mean
  Real a = 1, b = std::cos(kPi / 6);
  for (int i = 0; i < 6; ++i) {
    const Real mean = (a + b) / 2;
    b = std::sqrt(a * b), a = mean;
  }
  const Real inertia = 0.15 * 0.15 + 0.4 * 0.01 * 0.01;
  return kPi / (2 * a) * std::sqrt(inertia / (kG * 0.15));
}

// Proves that errors go down with the tolerance over five decades, whatever the method.
TEST_P(ByMethod, ErrorsFollowTheTolerance) {
  const Model model = pendulum_at_a_wall();
  const State state = model.state();
  state.joint_q[0] = kPi / 3;
  Real before = 1;
  for (const Real tolerance : {1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10}) {
    EventStepper stepper(model, config_of(ContactResponse::kImpulse, tolerance, GetParam()));
    stepper.restart(state);
    stepper.run(1.6);
    const std::vector<Event> impacts = events_of(stepper, EventKind::kImpact);
    ASSERT_EQ(impacts.size(), 4u);
    const Real error = abs(impacts[3].time - 7 * quarter_period());
    EXPECT_LT(error, 100 * tolerance) << tolerance;
    EXPECT_LT(error, before) << tolerance;
    before = error;
  }
  EXPECT_LT(before, 1e-9);
}

// -- Properties, for shapes of every kind.

ModelBuilder falling(ShapeType type, bool other_order) {
  ModelBuilder builder;
  builder.gravity = {0, 0, -kG};
  builder.default_shape_cfg.restitution = 0.5;
  builder.default_shape_cfg.mu = 0.3;
  const auto shape = [&](Real x) {
    const Quat q = quat_from_rotation_vector(Vec3{0.4, 0.7, 0.2});
    const int body = builder.add_body({.xform = {{x, 0, 0.6}, q}});
    switch (type) {
      case ShapeType::kBox: builder.add_shape_box(body, 0.2, 0.15, 0.1); break;
      case ShapeType::kCapsule: builder.add_shape_capsule(body, 0.1, 0.15); break;
      case ShapeType::kCylinder: builder.add_shape_cylinder(body, 0.15, 0.1); break;
      case ShapeType::kCone: builder.add_shape_cone(body, 0.15, 0.15); break;
      case ShapeType::kEllipsoid: builder.add_shape_ellipsoid(body, 0.2, 0.15, 0.1); break;
      default: builder.add_shape_convex_hull(body, std::make_shared<const Mesh>(make_sphere_mesh(0.15, 1)));
    }
  };
  if (!other_order) builder.add_ground_plane();
  shape(0);
  if (other_order) builder.add_ground_plane();
  return builder;
}

// Kinetic energy and that of gravity [J].
Real energy_of(const Model& model, const State& state, Real gravity = kG) {
  Real energy = 0;
  for (int b = 0; b < model.body_count; ++b) {
    const SpatialVector V = state.body_qd[b];
    const Vec3 w = rotate_inverse(state.body_q[b].q, V.angular),
               p = transform_point(state.body_q[b], model.body_com[b]);
    energy +=
        model.body_mass[b] * (dot(V.linear, V.linear) / 2 + gravity * p.z) + dot(w, model.body_inertia[b] * w) / 2;
  }
  return energy;
}

class EveryShape : public ::testing::TestWithParam<ShapeType> {};
INSTANTIATE_TEST_SUITE_P(EventStepper, EveryShape,
                         ::testing::Values(ShapeType::kBox, ShapeType::kCapsule, ShapeType::kCylinder, ShapeType::kCone,
                                           ShapeType::kEllipsoid, ShapeType::kConvexHull),
                         [](const auto& test) { return std::string(shape_type_name(test.param)); });

// Proves that energy never grows where shapes bounce, whatever touches: faces, edges, corners, rims.
TEST_P(EveryShape, EnergyNeverGrows) {
  const Model model = falling(GetParam(), false).finalize();
  EventStepper stepper(model, config_of(ContactResponse::kImpulse));
  Real energy = energy_of(model, stepper.state());
  int impacts = 0;
  while (stepper.run_to_event(0.9)) {
    const Real now = energy_of(model, stepper.state());
    EXPECT_LE(now, energy * (1 + 1e-7)) << stepper.time();
    energy = now;
    ++impacts;
    if (stepper.events().back().kind == EventKind::kStick) break;
  }
  EXPECT_GE(impacts, 3);
}

// Proves that what lies on faces, edges or rims comes to rest there, and that what rolls goes on.
TEST_P(EveryShape, ComesToRest) {
  if (!has_integration_method(IntegrationMethod::kBdf)) GTEST_SKIP() << "SUNDIALS is absent";
  const Model model = falling(GetParam(), false).finalize();
  EventStepper stepper(model, config_of(ContactResponse::kImpulse, 1e-8, IntegrationMethod::kBdf));
  const Real start = energy_of(model, stepper.state());
  stepper.run(1.6);
  EXPECT_LT(energy_of(model, stepper.state()), 0.6 * start);
  EXPECT_EQ(stepper.detection().contact_dict().size(), 1u);
  const bool flat =
      GetParam() == ShapeType::kBox || GetParam() == ShapeType::kCylinder || GetParam() == ShapeType::kCone;
  for (int i = 0; i < 6 && flat; ++i) EXPECT_NEAR(stepper.state().joint_qd[i], 0, 1e-9) << i;
}

// Proves that the order of shapes does not matter.
TEST_P(EveryShape, TheSameEventsInAnyOrder) {
  EventStepper one(falling(GetParam(), false).finalize(), config_of(ContactResponse::kImpulse));
  EventStepper other(falling(GetParam(), true).finalize(), config_of(ContactResponse::kImpulse));
  one.run(0.6), other.run(0.6);
  ASSERT_EQ(one.events().size(), other.events().size());
  for (std::size_t i = 0; i < one.events().size(); ++i) {
    EXPECT_EQ(one.events()[i].kind, other.events()[i].kind);
    EXPECT_NEAR(one.events()[i].time, other.events()[i].time, 1e-9);
    EXPECT_NEAR(one.events()[i].normal_velocity, other.events()[i].normal_velocity, 1e-7);
  }
}

// Proves that what hits each other in the air keeps momentum and angular momentum, with both responses.
TEST(EventStepper, MomentumIsKept) {
  for (const ContactResponse response : {ContactResponse::kImpulse, ContactResponse::kElastic}) {
    ModelBuilder builder;
    builder.gravity = {};
    builder.default_shape_cfg.restitution = 0.6;
    builder.default_shape_cfg.mu = 0.4;
    const Quat q = quat_from_rotation_vector(Vec3{0.3, 0.5, 0.1});
    builder.add_shape_box(builder.add_body({.xform = {{-0.5, 0.02, 0}, q}}), 0.1, 0.12, 0.08);
    builder.add_shape_capsule(builder.add_body({.xform = {{0.5, 0, 0.03}, {}}}), 0.08, 0.1);
    const Model model = builder.finalize();
    const State start = model.state();
    start.joint_qd[0] = 2, start.joint_qd[3] = 1, start.joint_qd[6] = -1, start.joint_qd[11] = 2;
    EventStepper stepper(model, config_of(response));
    stepper.restart(start);
    const auto momentum = [&] {
      SpatialVector sum{};
      const State& s = stepper.state();
      for (int b = 0; b < 2; ++b) {
        const Vec3 p = s.body_qd[b].linear * model.body_mass[b], at = transform_point(s.body_q[b], model.body_com[b]);
        const Vec3 w = rotate_inverse(s.body_q[b].q, s.body_qd[b].angular);
        sum = sum + SpatialVector{p, cross(at, p) + rotate(s.body_q[b].q, model.body_inertia[b] * w)};
      }
      return sum;
    };
    stepper.run(0);
    const SpatialVector before = momentum();
    const Real energy = energy_of(model, stepper.state(), 0);
    stepper.run(0.6);
    ASSERT_FALSE(stepper.events().empty());
    const SpatialVector after = momentum();
    EXPECT_LT(length(after.linear - before.linear), 1e-7);
    EXPECT_LT(length(after.angular - before.angular), 1e-7);
    EXPECT_LT(energy_of(model, stepper.state(), 0), energy);
  }
}

// Proves that a block on a slope stays where friction holds it, but for creeping, and slides by Coulomb's law
// elsewhere.
TEST(EventStepper, BlockOnASlope) {
  for (const Real mu : {0.2, 0.6}) {
    const Real slope = 20 * kPi / 180;
    ModelBuilder builder;
    builder.gravity = {kG * std::sin(slope), 0, -kG * std::cos(slope)};
    builder.default_shape_cfg.mu = mu;
    builder.add_ground_plane();
    builder.add_shape_sphere(builder.add_link({.xform = {{0, 0, 0.1}, {}}}), 0.1);
    builder.add_articulation({builder.add_joint_d6(-1, 0, {{.axis = {1, 0, 0}}, {.axis = {0, 0, 1}}}, {},
                                                   {.parent_xform = {{0, 0, 0.1}, {}}})});
    const Model model = builder.finalize();
    EventStepperConfig config = config_of(ContactResponse::kImpulse);
    config.slide_speed = 1e-3, config.stiffness_scale = 1e-4;
    EventStepper stepper(model, config);
    stepper.run(1);
    const Real a = kG * (std::sin(slope) - mu * std::cos(slope));
    if (a > 0) EXPECT_NEAR(stepper.state().joint_qd[0], a, 1e-3);
    else EXPECT_LT(stepper.state().joint_qd[0], 1e-3);
  }
}

}  // namespace
}  // namespace carom
