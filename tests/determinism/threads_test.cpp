// Kinematics of worlds of many kinds, hashed stage by stage: one hash per stage for every number of threads, every
// tier, lanes or one world at a time, and either order of the worlds; the same one on every machine and from every
// compiler.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "base/hash.h"
#include "carom/carom.h"
#include "model/derived.h"
#include "scenes/scenes.h"
#include "tests/backend/on_device.h"
#include "tests/determinism/fixed_random.h"

namespace carom {
namespace {

constexpr std::array kStageNames{"fk poses", "fk twists", "ik coordinates", "ik velocities", "jacobian"};
using StageHashes = std::array<std::uint64_t, kStageNames.size()>;

// To be changed only together with the mathematics; the failing test prints the new ones.
constexpr StageHashes kGolden32{0xdda93749a39c0b69u, 0x471bc9896aa9ffb6u, 0xac16238145086a70u, 0x41e42c00579dd387u,
                                0x575895e9ece8a55cu};
constexpr StageHashes kGolden64{0xc4bb67b7faa6ec52u, 0xd2637a1d56dc941eu, 0xa5b4d1f89a8b6f62u, 0xebd7c9406b4407b7u,
                                0x7f4f45ceca6898dfu};
constexpr StageHashes kGolden = sizeof(Real) == 4 ? kGolden32 : kGolden64;

constexpr int kWorlds = 4 * 37;  // 37 of each kind: more than the widest lanes hold, and no multiple of any width

// A world's number says what it is and what its parameters and coordinates are, wherever it stands in the model.
struct Worlds {
  Model model;
  std::vector<int> number;  // of each world

  int rows_begin(Entity entity, int world) const { return world < 0 ? 0 : start(entity)[world]; }
  int rows_end(Entity entity, int world) const { return start(entity)[world + 1]; }
  const std::vector<int>& start(Entity entity) const { return model.layout->start[static_cast<int>(entity)]; }
};

// Moves joint frames and centres of mass, differently in each world.
void give_own_parameters(Worlds& worlds) {
  Model& model = worlds.model;
  for (int world = 0; world < kWorlds; ++world) {
    FixedRandom random(1000 + worlds.number[world]);
    const auto small_vector = [&] {
      const Real x = random.next(), y = random.next(), z = random.next();
      return Vec3{x, y, z} * Real(0.125);
    };
    const auto move = [&](Transform& X) {
      const Vec3 p = small_vector(), turn = small_vector();
      X = X * Transform{p, normalize(Quat{turn.x, turn.y, turn.z, 1})};
    };
    for (int j = worlds.rows_begin(Entity::kJoint, world); j < worlds.rows_end(Entity::kJoint, world); ++j) {
      move(model.joint_X_p[j]);
      move(model.joint_X_c[j]);
    }
    for (int b = worlds.rows_begin(Entity::kBody, world); b < worlds.rows_end(Entity::kBody, world); ++b)
      model.body_com[b] = model.body_com[b] + small_vector();
  }
  bring_up_to_date(model);
}

Worlds make_worlds(bool own_parameters, bool reversed) {
  const ModelBuilder kinds[] = {scenes::joint_zoo(), scenes::walker(), scenes::chain(7), scenes::cart_pole()};
  ModelBuilder builder;
  builder.add_builder(scenes::chain(2));  // global bodies
  Worlds worlds;
  for (int i = 0; i < kWorlds; ++i) {
    worlds.number.push_back(reversed ? kWorlds - 1 - i : i);
    builder.add_world(kinds[worlds.number.back() % 4]);
  }
  worlds.model = builder.finalize();
  if (own_parameters) give_own_parameters(worlds);
  return worlds;
}

// Any numbers do for coordinates: kinematics makes quaternions of length one itself.
void fill_joints(const Worlds& worlds, const State& state) {
  for (int world = -1; world < kWorlds; ++world) {
    FixedRandom random(world < 0 ? kWorlds : worlds.number[world]);
    const auto fill = [&](const Array<Real>& values, Entity entity) {
      for (int i = worlds.rows_begin(entity, world); i < worlds.rows_end(entity, world); ++i) values[i] = random.next();
    };
    fill(state.joint_q, Entity::kJointCoord);
    fill(state.joint_qd, Entity::kJointDof);
  }
}

template <class T>
std::uint64_t hash_numbers(const Array<T>& rows) {
  return hash_of(std::span(reinterpret_cast<const Real*>(rows.data()), rows.bytes() / sizeof(Real)));
}

// Runs the stages and adds the hash of every world, in the order of their numbers, then that of the globals.
void add_stages(const Worlds& worlds, const Queue& queue, std::array<Hash, kStageNames.size()>& total) {
  const Model& model = worlds.model;
  const State state = model.state();
  const Array<Real> q(model.joint_coord_count), qd(model.joint_dof_count);
  const Jacobian jacobian = make_jacobian(model);
  fill_joints(worlds, state);
  eval_fk(model, state.joint_q, state.joint_qd, state, {}, &queue);
  eval_ik(model, state, q, qd, {}, &queue);
  eval_jacobian(model, state, jacobian, &queue);

  std::vector<int> world_of_number(kWorlds);
  for (int world = 0; world < kWorlds; ++world) world_of_number[worlds.number[world]] = world;
  world_of_number.push_back(-1);
  for (const int world : world_of_number) {
    const auto part = [&](const auto& array, Entity entity) {
      return hash_numbers(array.slice(worlds.rows_begin(entity, world), worlds.rows_end(entity, world)));
    };
    total[0].add(part(state.body_q, Entity::kBody));
    total[1].add(part(state.body_qd, Entity::kBody));
    total[2].add(part(q, Entity::kJointCoord));
    total[3].add(part(qd, Entity::kJointDof));
    total[4].add(hash_numbers(jacobian.world(world)));
  }
}

// "" when all stages agree; otherwise names the first that does not, and lists all that were found.
std::string first_difference(const StageHashes& found) {
  for (std::size_t stage = 0; stage < found.size(); ++stage) {
    if (found[stage] == kGolden[stage]) continue;
    std::ostringstream text;
    text << "first stage that differs: " << kStageNames[stage] << "; found {" << std::hex;
    for (const std::uint64_t hash : found) text << "0x" << hash << "u, ";
    return text.str() + "}";
  }
  return "";
}

// Proves that thread count, tier, lanes and the order of worlds change no bit of any stage of kinematics, with
// parameters that the worlds of a kind share and with their own, and that the bits are those of all other machines.
TEST(Determinism, OneHashPerStageOfKinematics) {
  for (const bool reversed : {false, true}) {
    const std::vector<Worlds> models{make_worlds(false, reversed), make_worlds(true, reversed)};
    testing::for_each_tier([&] {
      for (const int threads : {1, 2, 3, 8}) {
        for (const int lanes : {0, 1}) {
          const Queue queue({}, {.threads = threads, .lanes = lanes});
          std::array<Hash, kStageNames.size()> total;
          for (const Worlds& worlds : models) add_stages(worlds, queue, total);
          StageHashes found;
          for (std::size_t stage = 0; stage < found.size(); ++stage) found[stage] = total[stage].value();
          EXPECT_EQ(first_difference(found), "") << threads << " threads, " << (lanes ? "one world at a time" : "lanes")
                                                 << (reversed ? ", worlds in reverse" : "");
        }
      }
    });
  }
}

// Proves that the test above covers both ways to read parameters, and hashes numbers only: a NaN has no fixed bits.
TEST(Determinism, WorldsCoverBothKindsOfParameters) {
  for (const bool own_parameters : {false, true}) {
    const Worlds worlds = make_worlds(own_parameters, false);
    ASSERT_EQ(worlds.model.archetypes.size(), 5u);  // the globals and four kinds
    for (const Archetype& archetype : worlds.model.archetypes) {
      if (archetype.world_list.front() >= 0) {
        EXPECT_EQ(archetype.shared_kinematics, !own_parameters);
      }
    }
    const State state = worlds.model.state();
    const Array<Real> q(worlds.model.joint_coord_count), qd(worlds.model.joint_dof_count);
    fill_joints(worlds, state);
    eval_fk(worlds.model, state.joint_q, state.joint_qd, state);
    eval_ik(worlds.model, state, q, qd);
    for (const Transform& X_WB : state.body_q) EXPECT_TRUE(is_finite(X_WB));
    for (const SpatialVector& V_WB : state.body_qd) EXPECT_TRUE(is_finite(V_WB));
    for (const Real value : q) EXPECT_TRUE(is_finite(value));
    for (const Real value : qd) EXPECT_TRUE(is_finite(value));
  }
}

}  // namespace
}  // namespace carom
