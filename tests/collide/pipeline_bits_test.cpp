// One answer: contacts have the same bits for any number of threads, tier of the CPU, mode of the broad phase and
// device, whether a world is alone or among others; and nothing is allocated once memory is warm.
#include <gtest/gtest.h>

#include "alloc_counter.h"
#include "backend/tiers.h"
#include "tests/collide/mixed_scene.h"
#include "tests/collide/pipeline_calls.h"
#include "tests/same_contacts.h"

namespace carom {
namespace {

constexpr int kWorlds = 12, kShapes = 30;
constexpr BroadPhaseMode kModes[] = {BroadPhaseMode::kNxn, BroadPhaseMode::kExplicit, BroadPhaseMode::kSap,
                                     BroadPhaseMode::kTree, BroadPhaseMode::kAuto};

Contacts contacts_of(const Model& model, BroadPhaseMode mode, const Queue* queue = nullptr) {
  CollisionPipeline pipeline(model, {.broad_phase_mode = mode}, queue);
  return pipeline.collide(model.state());
}

Contacts contacts_as_mujoco(const Model& model, BroadPhaseMode mode, const Queue* queue = nullptr) {
  CollisionPipeline pipeline(model, {.broad_phase_mode = mode, .contacts = ContactRule::kMujoco}, queue);
  return pipeline.collide(model.state());
}

// Of bodies that are followed for a tenth of a second on their way to the middle.
Contacts contacts_ahead(const Model& model, BroadPhaseMode mode, const Queue* queue = nullptr) {
  CollisionPipeline pipeline(model, {.broad_phase_mode = mode, .speculative_time = Real(0.1)}, queue);
  State state = model.state();
  pipeline_calls::place(model, 2, state);
  return pipeline.collide(state);
}

// Proves that threads, tiers and modes change nothing.
TEST(PipelineBits, ThreadsTiersAndModes) {
  const Model model = mixed_scene::make(5, kWorlds, kShapes).finalize();
  const Contacts expected = contacts_of(model, BroadPhaseMode::kNxn);
  EXPECT_GT(expected.rigid_contact_count[0], 400);
  for (const int threads : {1, 2, 3, 8}) {
    const Queue queue(Device{}, {.threads = threads});
    for (const BroadPhaseMode mode : kModes) expect_same_contacts(contacts_of(model, mode, &queue), expected);
  }
  const int tier = cpu_tier();
  for (int other = 0; other < cpu_tier_count(); ++other) {
    if (!cpu_tier_supported(other)) continue;
    set_cpu_tier(other);
    expect_same_contacts(contacts_of(model, BroadPhaseMode::kExplicit), expected);
  }
  set_cpu_tier(tier);
}

// Proves the same where the points are MuJoCo's.
TEST(PipelineBits, ContactsAsMujoco) {
  const Model model = mixed_scene::make(5, kWorlds, kShapes).finalize();
  const Contacts expected = contacts_as_mujoco(model, BroadPhaseMode::kNxn);
  EXPECT_GT(expected.rigid_contact_count[0], 400);
  for (const int threads : {1, 3}) {
    const Queue queue(Device{}, {.threads = threads});
    for (const BroadPhaseMode mode : kModes) expect_same_contacts(contacts_as_mujoco(model, mode, &queue), expected);
  }
}

// Proves the same for contacts that are ahead, of shapes of all types.
TEST(PipelineBits, ContactsAhead) {
  const Model model = mixed_scene::make(5, kWorlds, kShapes).finalize();
  const Contacts expected = contacts_ahead(model, BroadPhaseMode::kNxn);
  int ahead = 0;
  for (const Real speed : expected.rigid_contact_impact_speed) ahead += speed > 0;
  EXPECT_GT(ahead, 50);
  for (const int threads : {1, 3}) {
    const Queue queue(Device{}, {.threads = threads});
    for (const BroadPhaseMode mode : kModes) expect_same_contacts(contacts_ahead(model, mode, &queue), expected);
  }
}

// Proves that a world has the contacts that it would have alone.
TEST(PipelineBits, AWorldAloneHasTheSameContacts) {
  ModelBuilder one;
  mixed_scene::ShapeMaker maker(3);
  for (int i = 0; i < 40; ++i) maker.add(one, 1, false);
  ModelBuilder several, alone;
  for (int w = 0; w < 5; ++w) several.add_world(one);
  alone.add_world(one);
  const Contacts a = contacts_of(several.finalize(), BroadPhaseMode::kExplicit);
  const Contacts b = contacts_of(alone.finalize(), BroadPhaseMode::kExplicit);
  const int n = b.rigid_contact_count[0];
  ASSERT_GT(n, 5);
  ASSERT_EQ(a.rigid_contact_count[0], 5 * n);
  for (int i = 0; i < 5 * n; ++i) {
    EXPECT_EQ(a.rigid_contact_depth[i], b.rigid_contact_depth[i % n]);
    EXPECT_EQ(a.rigid_contact_point[i].x, b.rigid_contact_point[i % n].x);
    EXPECT_EQ(a.rigid_contact_feature[i], b.rigid_contact_feature[i % n]);
  }
}

// Proves that warm memory is used again.
TEST(PipelineBits, NothingIsAllocatedOnceWarm) {
  if (!testing::counts_allocations()) GTEST_SKIP() << "allocations are not counted in this build";
  const Model model = mixed_scene::make(6, kWorlds, kShapes).finalize();
  const State state = model.state();
  for (const BroadPhaseMode mode :
       {BroadPhaseMode::kNxn, BroadPhaseMode::kExplicit, BroadPhaseMode::kSap, BroadPhaseMode::kTree}) {
    CollisionPipeline pipeline(model, {.broad_phase_mode = mode});
    for (int i = 0; i < 3; ++i) pipeline.collide(state);
    EXPECT_EQ(testing::allocations_in([&] { pipeline.collide(state); }), 0) << broad_phase_mode_name(mode);
  }
}

// Proves that a GPU finds the contacts of the CPU, bit for bit, in every mode.
TEST(PipelineBits, CudaEqualsTheCpu) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "NOT RUN ON CUDA: this build or machine has no CUDA device";
  const ModelBuilder builder = mixed_scene::make(5, kWorlds, kShapes);
  const Contacts expected = contacts_of(builder.finalize(), BroadPhaseMode::kExplicit);
  const Contacts ahead = contacts_ahead(builder.finalize(), BroadPhaseMode::kExplicit);
  const Contacts as_mujoco = contacts_as_mujoco(builder.finalize(), BroadPhaseMode::kExplicit);
  const Model model = builder.finalize(Device::parse("cuda"));
  for (const BroadPhaseMode mode : kModes) {
    SCOPED_TRACE(broad_phase_mode_name(mode));
    expect_same_contacts(contacts_of(model, mode), expected);
    expect_same_contacts(contacts_ahead(model, mode), ahead);
    expect_same_contacts(contacts_as_mujoco(model, mode), as_mujoco);
  }
}

// Proves the same for many calls in a row, plain ones, recorded ones and repeated ones, while the numbers of contacts
// rise and fall: contacts of all kinds, ages, statuses and numbers.
TEST(PipelineBits, CudaEqualsTheCpuFromCallToCall) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "NOT RUN ON CUDA: this build or machine has no CUDA device";
  for (const pipeline_calls::Case& c : pipeline_calls::cases()) {
    SCOPED_TRACE(c.name);
    const Model on_cpu = c.builder.finalize(), on_gpu = c.builder.finalize(Device::parse("cuda"));
    for (const BroadPhaseMode mode : kModes) {
      SCOPED_TRACE(broad_phase_mode_name(mode));
      CollisionConfig config = c.config;
      config.broad_phase_mode = mode;
      CollisionPipeline expected(on_cpu, config), found(on_gpu, config);
      pipeline_calls::expect_same(expected, found);
    }
  }
}

// Proves that the tree of a GPU, of worlds with thousands of shapes, leads to the same contacts.
TEST(PipelineBits, CudaEqualsTheCpuInLargeWorlds) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "NOT RUN ON CUDA: this build or machine has no CUDA device";
  const ModelBuilder builder = pipeline_calls::quick_shapes(11, 4, 6000);
  const Model on_cpu = builder.finalize(), on_gpu = builder.finalize(Device::parse("cuda"));
  for (const BroadPhaseMode mode : {BroadPhaseMode::kNxn, BroadPhaseMode::kSap, BroadPhaseMode::kTree}) {
    SCOPED_TRACE(broad_phase_mode_name(mode));
    CollisionPipeline expected(on_cpu, {.broad_phase_mode = BroadPhaseMode::kTree});
    CollisionPipeline found(on_gpu, {.broad_phase_mode = mode});
    pipeline_calls::expect_same_call(expected, found, 8);
  }
}

}  // namespace
}  // namespace carom
