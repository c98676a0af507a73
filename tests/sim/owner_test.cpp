// What belongs to another model is refused by name at every door, also when all sizes agree.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "carom/carom.h"

namespace carom {
namespace {

constexpr Real kDt = Real(0.01);

ModelBuilder two_balls() {
  ModelBuilder builder;
  builder.add_ground_plane();
  for (int w = 0; w < 2; ++w) {
    builder.begin_world();
    builder.add_shape_sphere(builder.add_body({.xform = {{0, 0, Real(0.4)}, {}}}), Real(0.5));
    builder.end_world();
  }
  return builder;
}

struct Door {
  std::string function, argument;
  std::function<void()> call;
};

void expect_refused(const Door& door, const std::string& reason) {
  SCOPED_TRACE(door.function + " " + door.argument);
  try {
    door.call();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    for (const std::string& word : {door.function + ": ", door.argument, reason})
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << "no '" << word << "' in: " << error.what();
  }
}

// Everything of one model, and everything that takes such things.
struct Parts {
  Model model = two_balls().finalize();
  SolverMuJoCo solver{model};
  CollisionPipeline pipeline{model};
  ImpulseResolver resolver{model};
  ShapeQuery query{model};
  Simulation sim{model, solver, kDt};
  State state = model.state();
  Control control = model.control();
  Contacts contacts = pipeline.collide(state);
  Jacobian jacobian = make_jacobian(model);
  Simulation::Snapshot snapshot = sim.snapshot();

  std::vector<Door> doors_for_states(State& s) {
    const std::uint8_t mask[] = {1, 0};
    return {
        {"step", "state_in", [&] { solver.step(s, state, control, nullptr, kDt); }},
        {"step", "state_out", [&] { solver.step(state, s, control, nullptr, kDt); }},
        {"forward", "state", [&] { solver.forward(s, control, nullptr, kDt); }},
        {"collide", "state", [&] { pipeline.collide(s); }},
        {"eval_fk", "state", [&] { eval_fk(model, state.joint_q, state.joint_qd, s); }},
        {"eval_ik", "state", [&] { eval_ik(model, s, state.joint_q, state.joint_qd); }},
        {"eval_jacobian", "state", [&] { eval_jacobian(model, s, jacobian); }},
        {"align", "state", [&] { model.align(s); }},
        {"reset", "state", [&] { model.reset(s); }},
        {"reset", "state", [&, mask] { model.reset(s, mask); }},
        {"assign", "other", [&] { state.assign(s); }},
        {"copy_worlds", "other", [&, mask] { state.copy_worlds(s, mask); }},
        {"restore", "snapshot.state",
         [&] {
           sim.restore({s, control, 0});
         }},
        {"resolve_impulses", "state_in", [&] { resolve_impulses(model, s, state, contacts); }},
        {"resolve_impulses", "state_out", [&] { resolver.resolve(state, s, contacts); }},
        {"distance", "state", [&] { query.distance(s, 0, 1); }},
        {"overlap", "state", [&] { query.overlap(s, 0, 1); }},
        {"closest_point", "state", [&] { query.closest_point(s, 0, {}); }},
        {"ray_cast", "state",
         [&] {
           query.ray_cast(s, {0, 0, 5}, {0, 0, -1});
         }},
    };
  }
};

// Proves that a twin of a model is another model, for everything that a model makes.
TEST(Owner, PartsOfATwinAreRefused) {
  Parts own, other;
  const State before = own.state.clone();
  for (const Door& door : own.doors_for_states(other.state)) expect_refused(door, "another model");
  const std::uint8_t mask[] = {1, 0};
  const std::vector<Door> doors{
      {"step", "control", [&] { own.solver.step(own.state, own.state, other.control, nullptr, kDt); }},
      {"forward", "control", [&] { own.solver.forward(own.state, other.control, nullptr, kDt); }},
      {"step", "contacts", [&] { own.solver.step(own.state, own.state, own.control, &other.contacts, kDt); }},
      {"forward", "contacts", [&] { own.solver.forward(own.state, own.control, &other.contacts, kDt); }},
      {"copy_worlds", "other", [&] { own.control.copy_worlds(other.control, mask); }},
      {"restore", "snapshot.state", [&] { own.sim.restore(other.snapshot); }},
      {"restore", "snapshot.control",
       [&] {
         own.sim.restore({own.state, other.control, 0});
       }},
      {"eval_jacobian", "jacobian", [&] { eval_jacobian(own.model, own.state, other.jacobian); }},
      {"resolve_impulses", "contacts", [&] { own.resolver.resolve(own.state, own.state, other.contacts); }},
      {"resolve_impulses", "contacts",
       [&] { resolve_impulses(own.model, own.state, own.state, other.sim.contacts()); }},
      {"Simulation", "solver", [&] { Simulation(own.model, other.solver, kDt); }},
  };
  for (const Door& door : doors) expect_refused(door, "another model");
  for (std::int64_t i = 0; i < before.joint_q.size(); ++i) EXPECT_EQ(own.state.joint_q[i], before.joint_q[i]);
}

// Proves that contacts of a larger model, with shapes that this one does not have, never reach the arrays.
TEST(Owner, ContactsOfALargerModel) {
  Parts own;
  ModelBuilder builder = two_balls();
  for (int i = 0; i < 50; ++i) builder.add_shape_box(-1);
  const Model larger = builder.finalize();
  CollisionPipeline pipeline(larger);
  const Contacts contacts = pipeline.collide(larger.state());
  expect_refused({"resolve_impulses", "contacts", [&] { resolve_impulses(own.model, own.state, own.state, contacts); }},
                 "another model");
  expect_refused(
      {"resolve_impulses", "contacts", [&] { resolve_impulses(own.model, own.state, own.state, Contacts{}); }},
      "no model");
}

// Proves that what belongs to no model is refused: empty states, views of one world, and worlds that were read out.
TEST(Owner, PartsOfNoModel) {
  Parts own;
  State empty, view = own.state.world(0);
  const std::uint8_t all[] = {1, 1};
  State read = own.state.read_worlds(all);
  for (State* state : {&empty, &view})
    for (const Door& door : own.doors_for_states(*state)) expect_refused(door, "no model");
  for (const Door& door : own.doors_for_states(read)) expect_refused(door, "another model");
}

// Proves that arrays that somebody put into a state are looked at.
TEST(Owner, ArraysOfAnotherSize) {
  Parts own;
  State state = own.state.clone();
  state.body_qd = Array<SpatialVector>(1);
  expect_refused({"collide", "state.body_qd", [&] { own.pipeline.collide(state); }}, "1 entries");
  Contacts contacts = own.contacts;
  contacts.rigid_contact_shape1 = contacts.rigid_contact_shape1.slice(0, 1);
  expect_refused({"resolve_impulses", "contacts.rigid_contact_shape1",
                  [&] { own.resolver.resolve(own.state, own.state, contacts); }},
                 "1 entries");
}

// Proves that masks of another number of worlds are refused by name.
TEST(Owner, Masks) {
  Parts own;
  const std::uint8_t mask[] = {1, 1, 0, 1};
  const std::vector<Door> doors{
      {"reset", "the mask", [&] { own.model.reset(own.state, mask); }},
      {"reset", "the mask", [&] { own.sim.reset(mask); }},
      {"copy_worlds", "the mask", [&] { own.state.copy_worlds(own.state, mask); }},
      {"copy_worlds", "the mask", [&] { own.control.copy_worlds(own.control, mask); }},
      {"read_worlds", "the mask", [&] { own.state.read_worlds(mask); }},
      {"eval_fk", "the mask", [&] { eval_fk(own.model, own.state.joint_q, own.state.joint_qd, own.state, mask); }},
      {"eval_ik", "the mask", [&] { eval_ik(own.model, own.state, own.state.joint_q, own.state.joint_qd, mask); }},
  };
  for (const Door& door : doors) expect_refused(door, "4 entries");
}

// Proves that copies of a model and of its states are the same model's.
TEST(Owner, CopiesAreTheSameModels) {
  Parts own;
  const Model copy = own.model;
  const State state = copy.state(), clone = state.clone();
  EXPECT_NO_THROW(own.solver.step(state, clone, copy.control().clone(), nullptr, kDt));
  EXPECT_NO_THROW(resolve_impulses(copy, state, clone, own.contacts));
  EXPECT_NO_THROW(resolve_impulses(copy, state, clone, own.sim.contacts()));
  EXPECT_NO_THROW(own.sim.restore(own.snapshot));
}

}  // namespace
}  // namespace carom
