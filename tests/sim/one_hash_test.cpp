// Steps of worlds of several kinds, with contacts, limits, tendons, constraints and inputs: the bits of a world's state
// depend on the world alone, not on lanes, tiers, threads, neighbours, order, or the way that the steps are divided
// into calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <sstream>

#include "tests/backend/on_device.h"
#include "tests/sim/step_scenes.h"

namespace carom {
namespace {

using step_scenes::same_bits;
using step_scenes::Worlds;
constexpr int kStepsPerPhase = 30;

using Hashes = std::map<int, std::uint64_t>;  // by the number of the world

struct Way {
  QueueConfig queue{};
  SolverMuJoCoConfig solver{};
  bool single_steps = false;
  bool through_snapshots = false;  // every phase on a simulation of its own
};

struct Outcome {
  Hashes hashes;
  int contacts = 0, limits = 0;  // most of them at the end of a phase
};

// The state after all phases.
Outcome run(const Worlds& worlds, const Way& way = {}) {
  const Queue queue({}, way.queue);
  const auto make = [&] {
    return Simulation(worlds.model, SolverMuJoCo(worlds.model, way.solver, &queue), step_scenes::kDt);
  };
  Simulation simulation = make();
  Outcome outcome;
  for (int phase = 0; phase < step_scenes::kPhases; ++phase) {
    step_scenes::begin_phase(worlds, simulation, phase);
    for (int i = 0; i < (way.single_steps ? kStepsPerPhase : 1); ++i) {
      simulation.step(way.single_steps ? 1 : kStepsPerPhase);
      for (const std::int32_t status : simulation.status()) EXPECT_EQ(status, 0);
    }
    int contacts = 0, limits = 0;
    const SolverReports& reports = simulation.solver().reports();
    for (int w = 0; w < worlds.model.world_count; ++w) {
      contacts += reports.contacts[w];
      limits += reports.rows[w] > 4 * reports.contacts[w];
    }
    outcome.contacts = std::max(outcome.contacts, contacts);
    outcome.limits = std::max(outcome.limits, limits);
    if (way.through_snapshots) {
      const Simulation::Snapshot snapshot = simulation.snapshot();
      simulation.step(3);  // must not leave a trace
      simulation = make();
      simulation.restore(snapshot);
    }
  }
  for (std::size_t w = 0; w < worlds.number.size(); ++w)
    outcome.hashes[worlds.number[w]] = step_scenes::world_hash(worlds, simulation.state(), static_cast<int>(w));
  return outcome;
}

// "" when all worlds agree; otherwise which do not.
std::string difference(const Hashes& found, const Hashes& expected) {
  std::ostringstream text;
  for (const auto& [number, hash] : expected)
    if (!found.contains(number) || found.at(number) != hash)
      text << " " << step_scenes::kKinds[number % step_scenes::kByNumber].name << " " << number;
  return text.str();
}

std::vector<int> numbers_below(int n) {
  std::vector<int> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

constexpr int kWorlds = 4 * 11;  // more than a group of lanes of each kind, and no multiple of any width

const Worlds& all_worlds() {
  static const Worlds worlds = step_scenes::make_worlds(numbers_below(kWorlds));
  return worlds;
}
// One world at a time in the tier in use.
const Outcome& reference() {
  static const Outcome outcome = run(all_worlds(), {.queue = {.threads = 1, .lanes = 1}});
  return outcome;
}

// Proves that the worlds do what they are for: they touch, reach limits, and are all different.
TEST(OneHash, WorldsHaveContactsAndLimits) {
  EXPECT_EQ(all_worlds().model.archetypes.size(), 4u);
  EXPECT_GT(reference().contacts, 2 * kWorlds);
  EXPECT_GT(reference().limits, kWorlds / 8);
  std::map<std::uint64_t, int> seen;
  for (const auto& [number, hash] : reference().hashes) EXPECT_EQ(seen[hash]++, 0) << number;
}

// Of all worlds of each kind, in the order of step_scenes::kKinds. To be changed only together with the mathematics or
// the scenes; the failing test prints the new ones.
using KindHashes = std::array<std::uint64_t, step_scenes::kByNumber>;
constexpr KindHashes kGolden32{0x0ca64074aa158222u, 0x07ad7d5d467b2f23u, 0xae6f3ba866b64f17u, 0xde071cead735c4cau};
constexpr KindHashes kGolden64{0x324b7eeb51f3747cu, 0x6340362d52931bcdu, 0x3fdbb6238c97b743u, 0x21e03b3b77b310c6u};
constexpr KindHashes kGolden = sizeof(Real) == 4 ? kGolden32 : kGolden64;

// Proves that the bits are those of all other machines and compilers.
TEST(OneHash, Golden) {
  std::array<Hash, kGolden.size()> sums;
  for (const auto& [number, hash] : reference().hashes) sums[number % sums.size()].add(hash);
  std::ostringstream text;
  text << "found {" << std::hex;
  for (const Hash& sum : sums) text << "0x" << sum.value() << "u, ";
  text << "}";
  for (std::size_t kind = 0; kind < sums.size(); ++kind)
    EXPECT_EQ(sums[kind].value(), kGolden[kind]) << step_scenes::kKinds[kind].name << "; " << text.str();
}

// Ways to step that are not the default, with what they are shown by; hashes as above.
struct Option {
  const char* name;
  int kind;
  ModelOptions options;
  std::uint64_t golden32, golden64;
};
const std::array kOptions{
    Option{"constraints", 4, {}, 0xc522e55355bd35c6u, 0xbfec1b69196d8c8cu},
    Option{"constraints, implicitfast",
           4,
           {.integrator = Integrator::kImplicitFast},
           0xc1f94f1be89806fcu,
           0xbc2371a7235afb9cu},
    Option{"constraints, implicit", 4, {.integrator = Integrator::kImplicit}, 0xcf9bbef9edfcb752u, 0x8ae1b849fb110ff9u},
    Option{"walkers, implicit", 0, {.integrator = Integrator::kImplicit}, 0x59093695de3c82f7u, 0x5cd2cc410af5341bu},
    Option{"walkers in cones", 0, {.cone = Cone::kElliptic, .impratio = 5}, 0xa6f244deb9a51ce9u, 0x942689d710325950u},
    Option{"a pile in cones", 2, {.cone = Cone::kElliptic}, 0xf0d3545781b0a46au, 0xf9a196f1f20b2b42u},
    Option{"constraints, RK4",
           4,
           {.integrator = Integrator::kRK4, .cone = Cone::kElliptic},
           0x5024cbe116b6e56cu,
           0xc3837e1e14cab12bu},
    Option{"a pile without slip", 2, {.noslip_iterations = 3}, 0xeda1747d271fae80u, 0x7a8eb349a9161bfdu},
    Option{"constraints and cones without slip",
           4,
           {.cone = Cone::kElliptic, .noslip_iterations = 3},
           0x8c464ad030c570c1u,
           0x9df61dada8d11122u},
    Option{"constraints, exact diagonals",
           4,
           {.cone = Cone::kElliptic, .diagexact = true},
           0x88edb752fe01a73cu,
           0x7887825201af411cu},
    Option{"walkers, exact diagonals", 0, {.diagexact = true}, 0xc88f193c32cf3e50u, 0x6a2cb2f363584eb6u},
    Option{"strings and muscles", 5, {}, 0x82b0983e11f8debdu, 0x6c3477555275b511u},
    Option{"strings and muscles in wind",
           5,
           {.integrator = Integrator::kImplicitFast, .density = 100, .viscosity = Real(0.1), .wind = {1, 2, 0}},
           0x681da744a1ee7aa1u,
           0x0ddd4326cc101dccu},
    Option{"strings and muscles in wind, implicit",
           5,
           {.integrator = Integrator::kImplicit, .density = 100, .viscosity = Real(0.1), .wind = {1, 2, 0}},
           0xe67b947003fd03eau,
           0xb4869ef05cf39213u},
    Option{"strings and muscles, RK4",
           5,
           {.integrator = Integrator::kRK4, .viscosity = 1},
           0x12101d220febbbaeu,
           0x5da4a5a7a9d52d63u},
    Option{"a factory", 6, {}, 0xee2013287193c3a7u, 0x4a9e06e861b3a360u},
    Option{"a factory, in cones",
           6,
           {.integrator = Integrator::kImplicitFast, .cone = Cone::kElliptic, .impratio = 3},
           0x15225899f75802b7u,
           0xf048dc261a9f5158u},
    Option{"a factory, RK4",
           6,
           {.integrator = Integrator::kRK4, .cone = Cone::kElliptic, .refsafe = false},
           0x3bb2d9e17e3fc948u,
           0x091148a9fed71788u},
    Option{"a factory in wind",
           6,
           {.integrator = Integrator::kImplicitFast, .density = 100, .viscosity = Real(0.1), .wind = {1, 2, 0}},
           0x75afbc51c620ce1bu,
           0xf81c3f03b1d1023au},
    Option{"a scrapyard", 7, {}, 0x8fe0c532cb17e8b8u, 0xa72f1501b2efcba4u},
    Option{"a scrapyard, RK4", 7, {.integrator = Integrator::kRK4}, 0x2f1ef109458a865eu, 0x8a47c71136cd2e35u},
    Option{"a workshop", 8, {}, 0x17cabdaad4d81ea1u, 0x406e4d4d3d787ccau},
    Option{"a workshop, implicitfast",
           8,
           {.integrator = Integrator::kImplicitFast},
           0xa4d96894e8591e97u,
           0xee0ad7f11d80b514u},
    Option{"a workshop, RK4", 8, {.integrator = Integrator::kRK4}, 0xa7ff72f530a98a81u, 0xc7fefe673ad9df6eu},
    Option{"walkers, discrete", 0, {.integrator = Integrator::kDiscrete}, 0x690718e70699ea68u, 0x2bce5f39b3979218u},
    Option{"a pile, discrete",
           2,
           {.integrator = Integrator::kDiscrete, .cone = Cone::kElliptic},
           0x5064fb814dd5d7a8u,
           0x6414d716165dd7ccu},
    Option{"constraints, discrete", 4, {.integrator = Integrator::kDiscrete}, 0xf01887f8f12fbe5fu, 0x85be4baed97e41ccu},
    Option{"constraints, discrete and exact",
           4,
           {.integrator = Integrator::kDiscrete, .cone = Cone::kElliptic, .diagexact = true},
           0x784732ba6a5e65fdu,
           0x31cbb9181942d024u},
    Option{"strings and muscles in wind, discrete",
           5,
           {.integrator = Integrator::kDiscrete, .density = 100, .viscosity = Real(0.1), .wind = {1, 2, 0}},
           0x6633ab22d42a7aeeu,
           0xc0d178254f4c0694u},
    Option{"a factory, discrete",
           6,
           {.integrator = Integrator::kDiscrete, .cone = Cone::kElliptic, .density = 100},
           0xc09046070ecc42bfu,
           0xa60d8b6af19f1753u},
    Option{"a scrapyard, discrete", 7, {.integrator = Integrator::kDiscrete}, 0xaaf3e73265a695a5u, 0xe0dc19557ecae91du},
    Option{"a workshop, discrete", 8, {.integrator = Integrator::kDiscrete}, 0x736212dd00ec7df0u, 0x1e8a3238972bcfe9u},
    Option{"driven figures", 9, {}, 0x886b892c0ff42bddu, 0x91241bcd218c0193u},
    Option{"driven figures, implicitfast",
           9,
           {.integrator = Integrator::kImplicitFast},
           0x69a340065e7274e3u,
           0x3c4dfff8601776b1u},
    Option{"driven figures, RK4", 9, {.integrator = Integrator::kRK4}, 0x6d61ada6bef82c78u, 0xee4b2fe236d999b7u},
    Option{
        "driven figures, discrete", 9, {.integrator = Integrator::kDiscrete}, 0x2709bb7b47d40599u, 0x45f35596fbf9652du},
    Option{"chains, RK4", 1, {.integrator = Integrator::kRK4}, 0x9450e24378476e6fu, 0x5a7f9be809038753u},
};

// Proves the same for them: in lanes, one by one, and on all other machines.
TEST(OneHash, GoldenOfOptions) {
  for (const Option& option : kOptions) {
    const Worlds worlds = step_scenes::make_worlds(numbers_below(11), option.kind, {}, option.options);
    const Outcome alone = run(worlds, {.queue = {.threads = 1, .lanes = 1}});
    EXPECT_EQ(difference(run(worlds).hashes, alone.hashes), "") << option.name;
    EXPECT_EQ(difference(run(worlds, {.single_steps = true}).hashes, alone.hashes), "") << option.name;
    Hash sum;
    for (const auto& [number, hash] : alone.hashes) sum.add(hash);
    EXPECT_EQ(sum.value(), sizeof(Real) == 4 ? option.golden32 : option.golden64)
        << option.name << ": found 0x" << std::hex << sum.value() << "u";
  }
}

// Proves that worlds in lanes have the bits of worlds that are stepped one at a time, on any number of threads.
TEST(OneHash, LanesAndThreads) {
  for (const int threads : {1, 2, 3, 8})
    for (const int lanes : {0, 1})
      EXPECT_EQ(
          difference(run(all_worlds(), {.queue = {.threads = threads, .lanes = lanes}}).hashes, reference().hashes), "")
          << threads << " threads, " << (lanes ? "one world at a time" : "lanes");
}

// Proves that every build of the kernels gives the same bits, in lanes and one world at a time.
TEST(OneHash, Tiers) {
  const Hashes& expected = reference().hashes;
  testing::for_each_tier([&] {
    for (const int lanes : {0, 1})
      EXPECT_EQ(difference(run(all_worlds(), {.queue = {.lanes = lanes}}).hashes, expected), "")
          << (lanes ? "one world at a time" : "lanes");
  });
}

// Proves that the order of the worlds in the model changes nothing.
TEST(OneHash, OrderOfWorlds) {
  std::vector<int> numbers = numbers_below(kWorlds);
  for (int order = 0; order < 3; ++order) {
    FixedRandom random(static_cast<std::uint64_t>(order));
    std::reverse(numbers.begin(), numbers.end());
    for (std::size_t i = numbers.size() - 1; i > 0; --i) std::swap(numbers[i], numbers[random.next_bits() % (i + 1)]);
    EXPECT_EQ(difference(run(step_scenes::make_worlds(numbers)).hashes, reference().hashes), "") << "order " << order;
  }
}

// Proves that a world has the same bits alone as among others.
TEST(OneHash, AloneOrAmongOthers) {
  Hashes alone;
  for (int number = 0; number < kWorlds; ++number) {
    const Outcome outcome = run(step_scenes::make_worlds({number}));
    alone[number] = outcome.hashes.at(number);
  }
  EXPECT_EQ(difference(alone, reference().hashes), "");
}

// Proves that steps have the same bits one by one as many in one call, and on a simulation that was restored.
TEST(OneHash, CallsAndSnapshots) {
  EXPECT_EQ(difference(run(all_worlds(), {.single_steps = true}).hashes, reference().hashes), "") << "single steps";
  EXPECT_EQ(difference(run(all_worlds(), {.through_snapshots = true}).hashes, reference().hashes), "") << "snapshots";
}

// Proves that collide() and a solver's step() have the bits of a simulation, whether the step writes where it reads or
// not, and whether it is timed; and that what is only read stays as it was.
TEST(OneHash, WhereStepsWrite) {
  const Worlds& worlds = all_worlds();
  Simulation in_place(worlds.model, "mujoco", step_scenes::kDt);
  step_scenes::begin_phase(worlds, in_place, 0);
  SolverMuJoCo solver(worlds.model), timed(worlds.model);
  CollisionPipeline pipeline(worlds.model), other(worlds.model);
  timed.time_stages(true);
  State from = in_place.state().clone(), to = worlds.model.state(), timed_state = in_place.state().clone();
  for (int i = 0; i < 60; ++i) {
    const State before = from.clone();
    in_place.step();
    solver.step(from, to, in_place.control(), &pipeline.collide(from), step_scenes::kDt);
    timed.step(timed_state, timed_state, in_place.control(), &other.collide(timed_state), step_scenes::kDt);
    to.body_f.assign(from.body_f);  // input, which a step does not write
    visit_state([&](const char* name, Entity, auto get) {
      EXPECT_TRUE(same_bits(get(from), get(before))) << name << " was read alone";
      EXPECT_TRUE(same_bits(get(to), get(in_place.state()))) << name;
      EXPECT_TRUE(same_bits(get(timed_state), get(in_place.state()))) << name << ", timed";
    });
    std::swap(from, to);
    if (HasFailure()) FAIL() << "step " << i;
  }
  EXPECT_EQ(timed.stage_ticks().size(), SolverMuJoCo::stage_names().size());
}

// -- Worlds that have what their neighbours lack.

// Hinges in a row whose limits are all reached, so that sums over them have many terms.
ModelBuilder falling_row(const std::function<void(int hinge, JointDofConfig&)>& change, const TendonConfig& tendon) {
  ModelBuilder builder;
  std::vector<int> joints;
  int parent = -1;
  for (int i = 0; i < 14; ++i) {
    const int link = builder.add_link(
        {.com = {Real(0.1), 0, 0}, .inertia = mat33_identity<Real>() * Real(1e-3), .mass = Real(0.5) / Real(i + 1)});
    JointDofConfig dof{.axis = {0, 1, 0}, .limit_lower = Real(-0.02), .limit_upper = Real(0.01)};
    change(i, dof);
    joints.push_back(builder.add_joint_revolute(parent, link, dof, {.parent_xform = step_scenes::at(Real(0.2), 0, 0)}));
    parent = link;
  }
  builder.add_articulation(joints);
  builder.add_tendon_fixed({{joints[0], 1}, {joints[5], -1}}, tendon);
  builder.add_tendon_fixed({{joints[2], 1}, {joints[7], -1}}, {.limit_lower = Real(-0.01), .limit_upper = Real(0.01)});
  return builder;
}

// Proves that limits, springs and damping of a neighbour do not show in a world that has none of them.
TEST(OneHash, NeighboursWithOtherLimitsAndForces) {
  const auto some_free = [](int i, JointDofConfig& dof) {
    if (i % 3 == 0) dof.limit_lower = -kUnlimited, dof.limit_upper = kUnlimited;
  };
  const auto hash_of_first = [&](const std::vector<ModelBuilder>& builders) {
    ModelBuilder builder;
    for (const ModelBuilder& b : builders) builder.add_world(b);
    const Worlds worlds{builder.finalize(), {}};
    Simulation simulation(worlds.model, "mujoco", step_scenes::kDt);
    simulation.step(100);
    EXPECT_GE(simulation.solver().reports().rows[0], 8);
    return step_scenes::world_hash(worlds, simulation.state(), 0);
  };
  const ModelBuilder plain = falling_row(some_free, {});
  const std::uint64_t alone = hash_of_first({plain});
  const std::pair<const char*, ModelBuilder> neighbours[] = {
      {"limits", falling_row([](int, JointDofConfig&) {}, {})},
      {"a range smaller than its margins",
       falling_row([](int i, JointDofConfig& dof) { dof.limit_margin = i % 2 ? Real(0.1) : Real(0); }, {})},
      {"damping", falling_row([&](int i, JointDofConfig& dof) { some_free(i, dof), dof.damping = Real(0.1); }, {})},
      {"springs", falling_row([&](int i, JointDofConfig& dof) { some_free(i, dof), dof.stiffness = 1; }, {})},
      {"a tendon with limits", falling_row(some_free, {.limit_lower = Real(-0.01), .limit_upper = Real(0.01)})},
      {"a tendon with a spring", falling_row(some_free, {.stiffness = 1, .damping = Real(0.1)})}};
  for (const auto& [what, neighbour] : neighbours) {
    EXPECT_EQ(hash_of_first({plain, neighbour}), alone) << what;
    EXPECT_EQ(hash_of_first({plain, plain, plain, plain, neighbour}), alone) << what << " in a wider group";
  }
}

// Proves that zeros keep their signs, too: bodies that move in one direction alone, some of them in contact and some
// not, have zeros of either sign everywhere else, and what is added for a neighbour must not turn them.
TEST(OneHash, ZerosBesideContacts) {
  const auto make = [](const std::vector<int>& numbers) {
    ModelBuilder builder;
    builder.add_ground_plane();
    for (const int number : numbers) {
      builder.begin_world("",
                          Vec3{number % 3 ? Real(0) : Real(-0.0), Real(-0.0), number % 2 ? Real(9.81) : Real(-9.81)});
      for (int i = 0; i < 3; ++i) {
        const Real height = number % 4 == i ? Real(0.0999) : Real(0.3) + Real(i);
        const int ball = builder.add_body({.xform = step_scenes::at(Real(-i), Real(i), height)});
        builder.add_shape_sphere(ball, Real(0.1));
      }
      const int cart = builder.add_link({.mass = 1});
      const int slider = builder.add_joint_prismatic(
          -1, cart, {.axis = {0, 0, -1}, .limit_lower = number % 3 == 1 ? Real(0) : Real(-1), .limit_upper = 1});
      builder.add_articulation({slider});
      builder.end_world();
    }
    return Worlds{builder.finalize(), numbers};
  };
  const auto hashes = [](const Worlds& worlds, int steps) {
    Simulation simulation(worlds.model, "mujoco", step_scenes::kDt);
    for (std::size_t w = 0; w < worlds.number.size(); ++w)
      simulation.state().world(static_cast<int>(w)).joint_qd[0] = worlds.number[w] % 5 ? Real(-0.0) : Real(0);
    simulation.step(steps);
    Hashes all;
    for (std::size_t w = 0; w < worlds.number.size(); ++w)
      all[worlds.number[w]] = step_scenes::world_hash(worlds, simulation.state(), static_cast<int>(w));
    return all;
  };
  for (const int steps : {1, 2, 40}) {
    Hashes alone;
    for (int number = 0; number < 20; ++number) alone.merge(hashes(make({number}), steps));
    EXPECT_EQ(difference(hashes(make(numbers_below(20)), steps), alone), "") << steps << " steps";
  }
}

}  // namespace
}  // namespace carom
