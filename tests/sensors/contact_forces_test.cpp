// Forces and numbers of contacts by body, shape and pair of bodies: weights of things at rest, sums against a slow
// reference in worlds that differ, the same bits on threads and on CUDA, and what is refused.
#include "carom/contact_forces.h"

#include <gtest/gtest.h>

#include <cstring>

#include "alloc_counter.h"
#include "carom/carom.h"
#include "tests/backend/on_device.h"
#include "tests/random.h"

namespace carom {
namespace {

constexpr Real kGravity = Real(9.81);

class ContactForcesTest : public testing::OnDevice {};

// A box that lies on another one, on the ground that all worlds share.
ModelBuilder stack() {
  ModelBuilder builder;
  const auto add_box = [&](const char* key, Real height, Real mass) {
    const Real density = mass / Real(0.2 * 0.2 * 0.2);
    const int body = builder.add_body({.xform = {{0, 0, height}, {}}, .key = key});
    builder.add_shape_box(body, Real(0.1), Real(0.1), Real(0.1),
                          {.cfg = ShapeConfig{.density = density}, .key = std::string(key) + "_box"});
  };
  add_box("lower", Real(0.1), 3);
  add_box("upper", Real(0.3), 2);
  return builder;
}

Model stacks(int worlds, Device device) {
  ModelBuilder builder;
  builder.add_ground_plane();
  for (int w = 0; w < worlds; ++w) builder.add_world(stack());
  return builder.finalize(device);
}

Vec3 force_at(const ContactForces& forces, int world, int column) {
  return forces.force().on_cpu()[world * forces.columns() + column];
}
int count_at(const ContactForces& forces, int world, int column) {
  return forces.count().on_cpu()[world * forces.columns() + column];
}

TEST_P(ContactForcesTest, WhatRestsFeelsItsWeight) {
  const Model model = stacks(3, device());
  Simulation simulation(model, "mujoco", Real(0.002));
  simulation.step(1000);
  ContactForces bodies(model), shapes(model, ContactSide::kShapes);
  const BodyPair pairs[] = {{"lower", "upper"}, {"upper", "lower"}, {"", "lower"}, {"upper", ""}};
  ContactForces of_pairs(model, pairs);
  for (ContactForces* forces : {&bodies, &shapes, &of_pairs}) forces->update(simulation.contacts());
  ASSERT_EQ(bodies.columns(), 3);  // two boxes, and the ground
  ASSERT_EQ(shapes.columns(), 3);
  const Real tolerance = Real(0.005) * 5 * kGravity;
  for (int w = 0; w < 3; ++w) {
    for (const ContactForces* forces : {&bodies, &shapes}) {
      const bool of_bodies = forces == &bodies;
      const int lower = forces->column(of_bodies ? "lower" : "lower_box", w);
      const int upper = forces->column(of_bodies ? "upper" : "upper_box", w);
      EXPECT_NEAR(force_at(*forces, w, lower).z, 3 * kGravity, tolerance);
      EXPECT_NEAR(force_at(*forces, w, upper).z, 2 * kGravity, tolerance);
      EXPECT_NEAR(force_at(*forces, w, 2).z, -5 * kGravity, tolerance);
      EXPECT_EQ(count_at(*forces, w, lower), 8);
      EXPECT_EQ(count_at(*forces, w, upper), 4);
      EXPECT_EQ(count_at(*forces, w, 2), 4);
    }
    EXPECT_NEAR(force_at(of_pairs, w, 0).z, 2 * kGravity, tolerance);
    EXPECT_EQ(force_at(of_pairs, w, 1).z, -force_at(of_pairs, w, 0).z);
    EXPECT_NEAR(force_at(of_pairs, w, 2).z, 5 * kGravity, tolerance);
    EXPECT_EQ(force_at(of_pairs, w, 3).z, 0);  // they do not touch
    EXPECT_EQ(count_at(of_pairs, w, 0), 4);
    EXPECT_EQ(count_at(of_pairs, w, 3), 0);
  }
}

Vec3 random_vector(SeededRandom& random) {
  const auto number = [&] { return static_cast<Real>(random.uniform(-1, 1)); };
  return {number(), number(), number()};
}

// Balls that overlap at random, in worlds with different numbers of bodies, some of several shapes, between global
// bodies at the front and at the back.
Model random_balls(SeededRandom& random, int worlds, Device device) {
  ModelBuilder builder;
  const auto add_bodies = [&](int count) {
    for (int b = 0; b < count; ++b) {
      const int body = builder.add_body({.mass = 1});
      for (int s = 1 + random.below(2); s > 0; --s) {
        builder.add_shape_sphere(body, Real(0.5), {.xform = {random_vector(random), {}}});
      }
    }
  };
  add_bodies(2);
  builder.add_ground_plane();
  for (int w = 0; w < worlds; ++w) {
    builder.begin_world();
    add_bodies(random.below(6));
    builder.end_world();
  }
  add_bodies(1);
  return builder.finalize(device);
}

// Contacts of the model with forces of our own.
Contacts random_contacts(SeededRandom& random, const Model& model) {
  CollisionPipeline pipeline(model);
  Contacts contacts = pipeline.collide(model.state());
  std::vector<Vec3> force(contacts.rigid_contact_force.size());
  for (Vec3& f : force) f = random_vector(random) * Real(9);
  contacts.rigid_contact_force = Array<Vec3>(std::span<const Vec3>(force), model.device);
  return contacts;
}

TEST_P(ContactForcesTest, SumsAreThoseOfASlowReference) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SeededRandom random(seed);
    const int worlds = random.below(5);
    const Model model = random_balls(random, worlds, device());
    const Contacts contacts = random_contacts(random, model);
    const auto start = on_host(contacts.rigid_contact_world_start), shape0 = on_host(contacts.rigid_contact_shape0),
               shape1 = on_host(contacts.rigid_contact_shape1), shape_body = on_host(model.shape_body),
               shape_world = on_host(model.shape_world), body_world = on_host(model.body_world);
    const auto force = on_host(contacts.rigid_contact_force);
    for (const ContactSide side : {ContactSide::kBodies, ContactSide::kShapes}) {
      const bool bodies = side == ContactSide::kBodies;
      const std::vector<int>& world_of = bodies ? body_world : shape_world;
      ContactForces forces(model, side);
      forces.update(contacts);
      ASSERT_EQ(forces.rows(), std::max(worlds, 1));
      for (int w = 0; w < forces.rows(); ++w) {
        std::vector<int> listed;  // of the columns, -2: none
        for (const int whose : {w, -1}) {
          if (whose == worlds) continue;  // a model without worlds
          for (int i = 0; i < static_cast<int>(world_of.size()); ++i)
            if (world_of[i] == whose) listed.push_back(i);
          if (whose == w) {
            const auto globals = std::count(world_of.begin(), world_of.end(), -1);
            listed.resize(forces.columns() - globals - (bodies ? 1 : 0), -2);
          }
        }
        if (bodies) listed.push_back(-1);
        ASSERT_EQ(static_cast<int>(listed.size()), forces.columns());
        for (int column = 0; column < forces.columns(); ++column) {
          double expected[3] = {};
          int count = 0;
          for (int c = start[w]; c < start[w + 1]; ++c) {
            for (const auto& [shape, sign] : {std::pair{shape0[c], -1}, std::pair{shape1[c], 1}}) {
              if ((bodies ? shape_body[shape] : shape) != listed[column]) continue;
              ++count;
              for (int k = 0; k < 3; ++k) expected[k] += sign * double{force[c][k]};
            }
          }
          EXPECT_EQ(count_at(forces, w, column), count) << "seed " << seed << ", world " << w << ", column " << column;
          for (int k = 0; k < 3; ++k)
            EXPECT_NEAR(force_at(forces, w, column)[k], expected[k], 200 * std::numeric_limits<Real>::epsilon() * 9);
        }
      }
    }
  }
}

TEST_P(ContactForcesTest, BitsDoNotDependOnThreads) {
  SeededRandom random(7);
  const Model model = random_balls(random, 40, device());
  const Contacts contacts = random_contacts(random, model);
  std::vector<Vec3> first;
  for (const Queue& queue : queues()) {
    ContactForces forces(model, ContactSide::kBodies, &queue);
    forces.update(contacts);
    const std::vector<Vec3> found = on_host(forces.force());
    if (first.empty()) first = found;
    EXPECT_EQ(std::memcmp(first.data(), found.data(), found.size() * sizeof(Vec3)), 0);
  }
}

TEST_P(ContactForcesTest, PairsAreFoundWhereWorldsDiffer) {
  ModelBuilder builder;
  builder.add_ground_plane();
  builder.add_world(stack());
  builder.begin_world();  // the same keys at other places
  builder.add_body({.mass = 1, .key = "more"});
  builder.add_builder(stack());
  builder.end_world();
  const int everywhere = builder.add_body({.xform = {{0, 0, Real(0.4)}, {}}, .key = "everywhere"});
  builder.add_shape_sphere(everywhere, Real(0.05));
  const Model model = builder.finalize(device());
  SeededRandom random(3);
  const Contacts contacts = random_contacts(random, model);
  const BodyPair pairs[] = {{"lower", "upper"}, {"everywhere", "upper"}, {"upper", "everywhere"}, {"everywhere", ""}};
  ContactForces forces(model, pairs), bodies(model);
  for (ContactForces* of : {&forces, &bodies}) of->update(contacts);
  for (int w = 0; w < 2; ++w) {
    EXPECT_EQ(count_at(forces, w, 0), 4);
    EXPECT_EQ(count_at(forces, w, 1), 1);
    EXPECT_EQ(force_at(forces, w, 1), -force_at(forces, w, 2));
    EXPECT_EQ(force_at(forces, w, 1), -force_at(bodies, w, bodies.column("everywhere", w)));
    EXPECT_EQ(count_at(forces, w, 3), 0);
  }
  EXPECT_EQ(bodies.column("upper", 0), 1);
  EXPECT_EQ(bodies.column("upper", 1), 2);
  EXPECT_EQ(bodies.column("everywhere", 0), 3);
}

TEST_P(ContactForcesTest, UpdatesAllocateNothing) {
  if (!testing::counts_allocations()) GTEST_SKIP() << "NOT COUNTED: allocations are not counted in this build";
  if (!device().is_cpu()) return;  // launches of a GPU take what its driver takes
  const Model model = stacks(4, device());
  const Contacts contacts = CollisionPipeline(model).collide(model.state());
  ContactForces forces(model);
  forces.update(contacts);
  EXPECT_EQ(testing::allocations_in([&] { forces.update(contacts); }), 0);
}

template <class Function>
std::string error_of(Function f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST_P(ContactForcesTest, WrongUseIsToldByName) {
  const Model model = stacks(2, device()), other = stacks(2, device());
  ContactForces forces(model);
  const Contacts of_other = CollisionPipeline(other).collide(other.state());
  EXPECT_NE(error_of([&] { forces.update(of_other); }).find("contacts"), std::string::npos);
  EXPECT_NE(error_of([&] { forces.column("uper"); }).find("'uper'"), std::string::npos);
  EXPECT_NE(error_of([&] { forces.column("upper", 2); }).find("world 2"), std::string::npos);
  const BodyPair unknown[] = {{"lower", "nobody"}}, same[] = {{"lower", "lower"}};
  EXPECT_NE(error_of([&] { ContactForces(model, unknown); }).find("'nobody'"), std::string::npos);
  EXPECT_NE(error_of([&] { ContactForces(model, same); }).find("pair 0"), std::string::npos);
  EXPECT_NE(error_of([&] { ContactForces(model, std::span<const BodyPair>{}); }).find("no pairs"), std::string::npos);
  const BodyPair pair[] = {{"lower", "upper"}};
  EXPECT_NE(error_of([&] { ContactForces(model, pair).column("upper"); }).find("pairs"), std::string::npos);
  EXPECT_NE(error_of([] { parse_contact_side("joints"); }).find("\"bodies\" or \"shapes\""), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(, ContactForcesTest, ::testing::Values("cpu", "cuda"));

}  // namespace
}  // namespace carom
