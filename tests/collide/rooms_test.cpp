// Rooms that are kept from run to run, as they are on a GPU, and on the CPU for these tests: they grow when more is
// found than before, and nothing of the answer depends on it.
#include "collide/rooms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "backend/graph.h"
#include "tests/collide/pipeline_calls.h"

namespace carom {
namespace {

// Rooms are kept on the CPU by what is made during the life of this.
struct KeepRooms {
  KeepRooms() { Rooms::keep_on_cpu(true); }
  ~KeepRooms() { Rooms::keep_on_cpu(false); }
};

// A list of stages that is but one sum; returns how often it had to be sent.
int send_until_settled(Rooms& rooms, Room& room, const std::vector<int>& counts, Count& found) {
  std::vector<int> start(counts.size() + 1);
  for (int times = 1;; ++times) {
    rooms.begin();
    found = room.sum({static_cast<int>(counts.size())}, counts.data(), start.data());
    rooms.send_totals();
    if (rooms.settle()) return times;
  }
}

// Proves that the CPU has room for just what there is, at once.
TEST(Rooms, AreExactOnTheCpu) {
  const Queue queue;
  Rooms rooms(queue);
  Room room(rooms, 1000, "things");
  Count found;
  for (const int n : {3, 100, 0, 40}) {
    EXPECT_EQ(send_until_settled(rooms, room, std::vector<int>(n, 2), found), 1);
    EXPECT_EQ(found.room, 2 * n);
    EXPECT_EQ(found.size(), 2 * n);
    EXPECT_EQ(room.size(), 2 * n);
  }
}

// Proves that a kept room serves all that fits it, is found too small when it is, grows with some slack, and that
// graphs can tell by the generation.
TEST(Rooms, GrowWhenTheyAreTooSmall) {
  const KeepRooms keep;
  const Queue queue;
  Rooms rooms(queue);
  Room room(rooms, 10'000, "things");
  Count found;
  EXPECT_EQ(send_until_settled(rooms, room, {100, 200}, found), 1);  // the first run waits for the total
  const int first_room = found.room;
  EXPECT_GT(first_room, 300);
  const std::int64_t first = rooms.generation();
  for (const int n : {300, 0, first_room}) {
    EXPECT_EQ(send_until_settled(rooms, room, {n}, found), 1);
    EXPECT_EQ(found.room, first_room);
    EXPECT_EQ(room.size(), n);
    EXPECT_EQ(found.size(), n);
    EXPECT_EQ(rooms.generation(), first);
  }
  EXPECT_EQ(send_until_settled(rooms, room, {first_room + 1}, found), 2);
  EXPECT_GT(found.room, first_room + 1);
  EXPECT_EQ(room.size(), first_room + 1);
  EXPECT_NE(rooms.generation(), first);
  EXPECT_EQ(send_until_settled(rooms, room, {9'999}, found), 2);
  EXPECT_EQ(found.room, 10'000);
}

// Proves that several runs are looked at once: the largest of their totals has to fit, and the last one is reported.
TEST(Rooms, SeveralRunsAreSettledOnce) {
  const KeepRooms keep;
  const Queue queue;
  Rooms rooms(queue);
  Room room(rooms, 10'000, "things");
  const auto send = [&](const std::vector<int>& totals) {
    rooms.begin();
    Count found;
    int start[2];
    for (std::size_t i = 0; i < totals.size(); ++i) {
      found = room.sum({1}, &totals[i], start);
      rooms.send_totals(i == 0, i + 1 == totals.size());
    }
    return found;
  };
  const int first_room = send({100}).room;
  EXPECT_TRUE(rooms.settle());
  EXPECT_EQ(send({3, first_room, 5}).room, first_room);
  EXPECT_TRUE(rooms.settle());
  EXPECT_EQ(room.size(), 5);
  send({3, first_room + 1, 5});
  EXPECT_FALSE(rooms.settle());
  EXPECT_GT(send({3, first_room + 1, 5}).room, first_room);
  EXPECT_TRUE(rooms.settle());
  EXPECT_EQ(room.size(), 5);
  send({7});  // the runs before count no more
  EXPECT_TRUE(rooms.settle());
}

// Proves that contacts that do not fit are not there for a solver that reads them before the rooms are settled.
TEST(Rooms, ContactsWithoutRoomAreNone) {
  ModelBuilder builder;
  builder.add_ground_plane();
  for (int i = 0; i < 300; ++i)
    builder.add_shape_sphere(builder.add_body({.xform = {{Real(2 * i), 0, 5}, {}}}), Real(0.5));
  const Model model = builder.finalize();
  const KeepRooms keep;
  CollisionPipeline pipeline(model);
  const State apart = model.state(), touching = model.state();
  for (Transform& X : touching.body_q) X.p.z = Real(0.4);
  pipeline.collide(apart);
  const auto send = [&] {
    GraphKey key;
    pipeline.prepare(touching, key);
    return pipeline.send(touching, {});
  };
  const Contacts lost = send();
  EXPECT_LT(lost.rigid_contact_shape0.size(), 300);
  EXPECT_EQ(lost.rigid_contact_count[0], 0);
  for (const int start : lost.rigid_contact_world_start) EXPECT_EQ(start, 0);
  EXPECT_FALSE(pipeline.settle());
  EXPECT_EQ(send().rigid_contact_count[0], 300);
  EXPECT_TRUE(pipeline.settle());
  EXPECT_EQ(pipeline.contacts().rigid_contact_shape0.size(), 300);
}

// Proves that too many things are an Error whether or not the room was waited for, and that the next run is as good as
// any.
TEST(Rooms, TooManyThingsAreAnError) {
  const KeepRooms keep;
  const Queue queue;
  Rooms rooms(queue);
  Room room(rooms, 100, "things");
  Count found;
  for (int times = 0; times < 2; ++times) {
    EXPECT_THROW(send_until_settled(rooms, room, {101}, found), Error);
    EXPECT_EQ(send_until_settled(rooms, room, {7}, found), 1);
    EXPECT_EQ(found.size(), 7);
  }
}

// Proves that a pipeline with kept rooms tells in every call what one without does: contacts of all kinds, ages,
// statuses and numbers, while rooms grow and while they do not.
TEST(Rooms, ChangeNoContacts) {
  for (const pipeline_calls::Case& c : pipeline_calls::cases()) {
    SCOPED_TRACE(c.name);
    const Model model = c.builder.finalize();
    for (const BroadPhaseMode mode : {BroadPhaseMode::kNxn, BroadPhaseMode::kExplicit, BroadPhaseMode::kTree}) {
      SCOPED_TRACE(broad_phase_mode_name(mode));
      CollisionConfig config = c.config;
      config.broad_phase_mode = mode;
      CollisionPipeline exact(model, config);
      const KeepRooms keep;
      CollisionPipeline kept(model, config);
      pipeline_calls::expect_same(exact, kept);
    }
  }
}

// Proves that the tree which a GPU walks finds the pairs of the other one in worlds with thousands of shapes.
TEST(Rooms, TreesFindTheSamePairs) {
  const Model model = pipeline_calls::quick_shapes(11, 4, 4000).finalize();
  CollisionPipeline exact(model, {.broad_phase_mode = BroadPhaseMode::kTree});
  const KeepRooms keep;
  CollisionPipeline kept(model, {.broad_phase_mode = BroadPhaseMode::kSap});
  pipeline_calls::expect_same_call(exact, kept, 8);
  EXPECT_GT(exact.shape_pairs().size(), 3000);
}

// Proves that kept rooms that are large enough stay as they are.
TEST(Rooms, NothingIsAllocatedOnceWarm) {
  if (!testing::counts_allocations()) GTEST_SKIP() << "allocations are not counted in this build";
  const KeepRooms keep;
  for (const pipeline_calls::Case& c : pipeline_calls::cases()) {
    const Model model = c.builder.finalize();
    CollisionPipeline pipeline(model, c.config);
    const State state = model.state();
    for (int call = 0; call < 3; ++call) pipeline.collide(state);
    EXPECT_EQ(testing::allocations_in([&] { pipeline.collide(state); }), 0) << c.name;
  }
}

// Proves that what is sent has the contacts of particles before anybody looks at them, as a solver in the same run
// reads them: those there are, without forces, and none where room lacks.
TEST(Rooms, ContactsOfParticlesAreSent) {
  ModelBuilder builder;
  builder.add_ground_plane();
  for (int i = 0; i < 40; ++i) builder.add_particle({Real(3) * Real(i), 0, 9}, {}, 1, Real(0.6));
  const Model model = builder.finalize();
  const State state = model.state();
  const KeepRooms keep;
  CollisionPipeline pipeline(model, {.particle_contacts = true});
  const auto send = [&](bool again) {
    GraphKey key;
    pipeline.prepare(state, key);
    Contacts sent = pipeline.send(state, {.again = again});
    for (const Array<Vec3>& force : {sent.soft_contact_force, sent.particle_contact_force})
      std::fill(force.begin(), force.end(), Vec3{1, 2, 3});  // as a solver does
    return sent;
  };
  send(false);
  EXPECT_TRUE(pipeline.settle());
  for (int i = 0; i < 40; ++i) state.particle_q[i] = {Real(i), 0, 0};
  const Contacts too_many = send(false);
  EXPECT_EQ(too_many.soft_contact_count[0], 0);
  EXPECT_EQ(too_many.soft_contact_world_start[1], 0);
  EXPECT_EQ(too_many.particle_contact_count[0], 0);
  EXPECT_FALSE(pipeline.settle());
  send(true);
  EXPECT_TRUE(pipeline.settle());
  GraphKey key;
  pipeline.prepare(state, key);
  const Contacts sent = pipeline.send(state, {});
  EXPECT_EQ(sent.soft_contact_count[0], 40);
  EXPECT_EQ(sent.particle_contact_count[0], 39);
  EXPECT_GE(sent.soft_contact_force.size(), 40);
  EXPECT_GE(sent.particle_contact_force.size(), 39);
  for (int c = 0; c < 40; ++c) EXPECT_EQ(sent.soft_contact_force[c], Vec3{}) << c;
  for (int c = 0; c < 39; ++c) EXPECT_EQ(sent.particle_contact_force[c], Vec3{}) << c;
  EXPECT_TRUE(pipeline.settle());
  EXPECT_EQ(pipeline.contacts().soft_contact_force.size(), 40);
  EXPECT_EQ(pipeline.contacts().particle_contact_force.size(), 39);
}

}  // namespace
}  // namespace carom
