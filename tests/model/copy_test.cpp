// Copies of states: what is chosen is copied, nothing else is touched, and no more memory is taken than for that.
#include <gtest/gtest.h>

#include <cstring>

#include "alloc_counter.h"
#include "carom/carom.h"
#include "scenes/scenes.h"

namespace carom {
namespace {

// Worlds of different sizes, one of them empty, between global bodies and particles; springs of one may yield.
Model ragged(bool yields) {
  ModelBuilder builder;
  builder.add_body({.xform = {{0, 0, 9}, {}}, .mass = 1});
  builder.add_particle({1, 2, 3}, {}, 1);
  builder.add_world(scenes::chain(3));
  builder.add_world(scenes::humanoid(Real(1.3)));
  const auto add_spring = [&] {
    const int joint = builder.add_joint_revolute(-1, builder.add_link({.mass = 1}), {.spring_yield = Real(yields)});
    builder.add_articulation({joint});
    builder.add_tendon_fixed({{joint, 1}});
  };
  builder.begin_world();
  builder.end_world();
  builder.begin_world();
  builder.add_particle({4, 5, 6}, {1, 0, 0}, 1);
  builder.add_body({.mass = 1});
  add_spring();
  builder.end_world();
  builder.add_body({.xform = {{0, 0, 7}, {}}, .mass = 1});
  return builder.finalize();
}

template <class Visit>
void visit_all(Visit visit) {
  visit_state(visit);
  visit_aligned(visit);
}

// Every word of a state is another one, which no copy makes by chance.
State marked(const Model& model, std::uint32_t seed) {
  const State state = model.state();
  visit_all([&](const char*, Entity, auto get) {
    auto* const word = reinterpret_cast<std::uint32_t*>(get(state).data());
    for (std::int64_t i = 0; i < get(state).bytes() / 4; ++i) word[i] = seed = seed * 1664525u + 1013904223u;
  });
  return state;
}

// The rows of the chosen worlds are those of `chosen`, all others those of `rest`.
void expect_rows(const State& state, const State& chosen, const State& rest, const std::vector<std::uint8_t>& mask) {
  const WorldLayout& layout = *state.layout;
  visit_all([&](const char* name, Entity entity, auto get) {
    const std::vector<int>& start = layout.start[static_cast<int>(entity)];
    for (int row = 0; row < state_rows(layout, name, entity); ++row) {
      int world = layout.world_count;  // of the globals
      for (int w = 0; w < layout.world_count; ++w)
        if (row >= start[w] && row < start[w + 1]) world = w;
      const bool is_chosen = world < static_cast<int>(mask.size()) && mask[world];
      const auto& from = is_chosen ? get(chosen)[row] : get(rest)[row];
      EXPECT_EQ(std::memcmp(&get(state)[row], &from, sizeof(from)), 0) << name << " row " << row;
    }
  });
}

const std::vector<std::vector<std::uint8_t>> kMasks = {{0, 0, 0, 0}, {1, 0, 0, 0},    {0, 1, 0, 1},
                                                       {1, 1, 1, 1}, {0, 0, 1, 0, 1}, {1, 1, 1, 1, 1}};

// Proves that a reset and a copy write the rows of the chosen worlds, or of the globals at both ends, in every array,
// and leave all others as they are.
void expect_chosen_worlds_alone(const Model& model) {
  const State before = marked(model, 1), other = marked(model, 2);
  for (const std::vector<std::uint8_t>& mask : kMasks) {
    State reset = before.clone();
    model.reset(reset, mask);
    expect_rows(reset, model.state(), before, mask);
    const State copied = before.clone();
    copied.copy_worlds(other, mask);
    expect_rows(copied, other, before, mask);
  }
  const std::vector<std::uint8_t> all(5, 1);
  State reset = before.clone(), assigned = before.clone();
  model.reset(reset);
  expect_rows(reset, model.state(), before, all);
  assigned.assign(other);
  expect_rows(assigned, other, before, all);
}
TEST(Copies, TouchTheChosenWorldsAlone) { expect_chosen_worlds_alone(ragged(false)); }
TEST(Copies, OfSpringsThatYieldTouchTheChosenWorldsAlone) { expect_chosen_worlds_alone(ragged(true)); }

// Proves that worlds that are read come one after the other, and that views of one world can be cloned and cleared.
void expect_worlds_read_and_viewed(const Model& model) {
  const State state = marked(model, 3);
  const std::uint8_t mask[] = {0, 1, 1, 1};
  const State read = state.read_worlds(mask);
  ASSERT_EQ(read.layout->world_count, 3);
  for (int w = 0; w < 3; ++w) {
    const State from = state.world(w + 1), to = read.world(w), own = from.clone();
    visit_all([&](const char* name, Entity, auto get) {
      ASSERT_EQ(get(to).size(), get(from).size()) << name;
      if (get(to).empty()) return;
      EXPECT_EQ(std::memcmp(get(to).data(), get(from).data(), get(to).bytes()), 0) << name << " of world " << w;
      EXPECT_EQ(std::memcmp(get(own).data(), get(from).data(), get(to).bytes()), 0) << name << " of world " << w;
    });
  }
  state.world(1).clear_forces();
  EXPECT_EQ(state.body_f[model.body_world_start[1]].linear.x, 0);
  const State untouched = marked(model, 3);
  EXPECT_EQ(std::memcmp(state.body_f.data(), untouched.body_f.data(), sizeof(SpatialVector)), 0);
}
TEST(Copies, ReadWorldsAndViews) { expect_worlds_read_and_viewed(ragged(false)); }
TEST(Copies, OfSpringsThatYieldReadWorldsAndViews) { expect_worlds_read_and_viewed(ragged(true)); }

// Proves that a reset or a copy of one world takes memory for the list of worlds alone, not for another state.
TEST(Copies, OfOneWorldMakeNoState) {
  if (!testing::counts_allocations()) GTEST_SKIP() << "allocations cannot be counted under a sanitizer";
  const Model model = scenes::humanoids(64).finalize();
  State state = model.state();
  const State other = model.state();
  std::vector<std::uint8_t> mask(64, 0);
  mask[40] = 1;
  EXPECT_LE(testing::allocations_in([&] { model.reset(state, mask); }), 4);
  EXPECT_LE(testing::allocations_in([&] { state.copy_worlds(other, mask); }), 4);
  EXPECT_EQ(testing::allocations_in([&] { model.reset(state); }), 0);
  EXPECT_EQ(testing::allocations_in([&] { state.assign(other); }), 0);
}

}  // namespace
}  // namespace carom
