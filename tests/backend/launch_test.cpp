#include <gtest/gtest.h>

#include <vector>

#include "alloc_counter.h"
#include "tests/backend/kernels.h"
#include "tests/backend/on_device.h"
#include "tests/random.h"

namespace carom {
namespace {

using Launch = testing::OnDevice;
CAROM_ON_ALL_DEVICES(Launch);

// Proves that launch() visits each index once, for any number of indices, threads and any tier.
TEST_P(Launch, VisitsEachIndexOnce) {
  for (const Queue& queue : queues()) {
    testing::for_each_tier([&] {
      for (const int n : {0, 1, 2, 7, 1000, 100003}) {
        const Array<int> visits(n + 1, device());  // one more, which must stay untouched
        launch(queue, n, CountVisits{visits.view()});
        std::vector<int> expected(n + 1, 0);
        for (int i = 0; i < n; ++i) expected[i] = i + 1;
        EXPECT_EQ(on_host(visits), expected) << n << " indices, " << queue.threads() << " threads";
      }
    });
  }
}

// Proves that launch() over a Count stops at a total that is known on the device alone, and runs nothing at all when
// there is no room for it.
TEST_P(Launch, StopsAtACountOnTheDevice) {
  for (const Queue& queue : queues()) {
    for (const int room : {0, 1, 255, 256, 5000}) {
      for (const std::int64_t total : {std::int64_t{0}, std::int64_t{1}, std::int64_t{200}, std::int64_t{room},
                                       std::int64_t{room} + 1, std::int64_t{1} << 40}) {
        const Array<std::int64_t> count = on_device(std::vector<std::int64_t>{total});
        const Array<int> visits(room + 1, device());
        launch(queue, Count{room, count.data()}, CountVisits{visits.view()});
        std::vector<int> expected(room + 1, 0);
        for (int i = 0; total <= room && i < total; ++i) expected[i] = i + 1;
        EXPECT_EQ(on_host(visits), expected) << "room " << room << ", total " << total;
      }
    }
  }
}

// Proves that launch_worlds() visits each entity of each world once, with the right world and number, never a global
// one, for ragged worlds with empty ones at both ends and in between.
TEST_P(Launch, VisitsEachEntityOfEachWorldOnce) {
  struct Case {
    int globals_in_front, globals_behind;
    std::vector<int> world_sizes;
  };
  for (const Case& c : {Case{0, 0, {}}, Case{2, 3, {}}, Case{0, 0, {0, 0, 0}}, Case{1, 0, {0, 3, 0, 0, 1, 17, 0}},
                        Case{3, 5, {4, 4, 4, 4}}, Case{0, 2, std::vector<int>(1000, 3)}, Case{1, 1, {5000, 0, 1}}}) {
    std::vector<int> world(c.globals_in_front, -1), start, index(c.globals_in_front, 0);
    for (int w = 0; w < static_cast<int>(c.world_sizes.size()); ++w) {
      start.push_back(static_cast<int>(world.size()));
      for (int i = 0; i < c.world_sizes[w]; ++i) {
        world.push_back(w);
        index.push_back(i);
      }
    }
    const int count = static_cast<int>(world.size()) - c.globals_in_front;
    start.push_back(static_cast<int>(world.size()));
    world.insert(world.end(), c.globals_behind, -1);
    index.insert(index.end(), c.globals_behind, 0);
    start.push_back(static_cast<int>(world.size()));
    std::vector<int> expected_visits;
    for (const int w : world) expected_visits.push_back(w >= 0);

    const Array<int> entity_world = on_device(world), world_start = on_device(start);
    for (const Queue& queue : queues()) {
      const Array<int> visits(entity_world.size(), device()), index_seen = visits.clone();
      const Array<int> world_seen = on_device(std::vector<int>(world.size(), -1));
      launch_worlds(queue, {entity_world.view(), world_start.view(), c.globals_in_front, count},
                    NoteEntity{world_start.view(), visits.view(), world_seen.view(), index_seen.view()});
      EXPECT_EQ(on_host(visits), expected_visits);
      EXPECT_EQ(on_host(world_seen), world);
      EXPECT_EQ(on_host(index_seen), index);
    }
  }
}

// The numbers of `world_count` worlds, of which every third is left out of the archetype.
struct Worlds {
  static constexpr int kCount = 11;  // numbers a world

  explicit Worlds(int world_count) {
    SeededRandom random(1);
    for (int w = 0; w < world_count; ++w) {
      if (w % 3 != 1) worlds.push_back(w);
      start.push_back(w * kCount);
      own_sum.push_back(w);
      for (int i = 0; i < kCount; ++i) x.push_back(random.next() + 1);
    }
  }

  std::vector<int> worlds, start, own_sum;
  std::vector<Real> x;
};

// Proves that launch_lanes() runs each listed world once and no other, and gives the bits of a plain loop, for every
// tier, width, thread count and number of worlds.
TEST_P(Launch, RunsEachWorldInLanesOnce) {
  for (const int world_count : {0, 1, 2, 5, 24, 100, 1000}) {
    const Worlds data(world_count);
    std::vector<Real> expected_x = data.x, expected_visits(data.x.size(), Real(0)), expected_sums(world_count, Real(0));
    for (const int w : data.worlds) {
      Real* x = expected_x.data() + w * Worlds::kCount;
      Real s[8] = {};
      for (int i = 0; i < Worlds::kCount; ++i) {
        x[i] = fma(x[i], x[i] / Real(3), x[i]);
        expected_visits[w * Worlds::kCount + i] = Real(1);
        s[i % 8] += x[i];
      }
      expected_sums[w] = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
    }
    const Array<int> worlds = on_device(data.worlds), start = on_device(data.start), own_sum = on_device(data.own_sum);
    for (const int lanes : {0, 1}) {
      for (const Queue& same_device : queues()) {
        const Queue queue(device(), {.threads = same_device.threads(), .lanes = lanes});
        testing::for_each_tier([&] {
          const Array<Real> x = on_device(data.x), visits(x.size(), device()), sums(world_count, device());
          launch_lanes(queue, WorldSums{worlds.view(), start.view(), own_sum.view(), Worlds::kCount, x.view(),
                                        visits.view(), sums.view()});
          EXPECT_EQ(on_host(visits), expected_visits);
          EXPECT_EQ(on_host(x), expected_x);
          EXPECT_EQ(on_host(sums), expected_sums);
        });
      }
    }
  }
}

// Proves that a warm queue launches without a single allocation, whatever the sizes.
TEST(LaunchAllocations, AreNoneOnceWarm) {
  if (!testing::counts_allocations()) GTEST_SKIP() << "allocations are not counted under sanitizers";
  const Array<int> visits(100003);
  for (const int threads : {1, 2, 8}) {
    const Queue queue(Device{}, {.threads = threads});
    const auto step = [&] {
      for (const int n : {100003, 1, 2, 3, 7, 1000}) launch(queue, n, CountVisits{visits.view()});
    };
    step();
    EXPECT_EQ(testing::allocations_in(step), 0) << threads << " threads";
  }
}

// Proves that the counter of allocations, on which other tests rely, counts.
TEST(LaunchAllocations, AreCounted) {
  if (!testing::counts_allocations()) GTEST_SKIP() << "allocations are not counted under sanitizers";
  EXPECT_GE(testing::allocations_in([] { Array<int> array(10); }), 1);
  EXPECT_GE(testing::allocations_in([] { Array<int> array(10'000'000); }), 1);
}

}  // namespace
}  // namespace carom
