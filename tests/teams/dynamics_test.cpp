// Inverse and forward dynamics and mass matrices by teams of threads, under the thread sanitizer: their text is the one
// that a GPU runs.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "carom/dynamics.h"
#include "dynamics/kernels.h"
#include "dynamics/tree_input.h"
#include "tests/dynamics/random_trees.h"
#include "tests/teams/thread_team.h"

namespace carom {
namespace {

using testing::run_team;
using testing::ThreadTeam;

// All worlds of a state by teams of four.
template <class Kernel>
void run_in_teams(WorldPlans& worlds, const State& state, Kernel kernel) {
  for (WorldPlan& plan : worlds.plans) {
    kernel.worlds = plan.ids.const_view();
    kernel.in = tree_input(worlds, plan, 1, state);
    // What is read before it is written is not a number.
    std::vector<std::uint64_t> room(kernel.template memory_bytes<ThreadTeam<4>>() / 8 + 2, ~std::uint64_t{0});
    for (int place = 0; place < plan.world_count(); ++place)
      run_team<4>([&](ThreadTeam<4> team) { kernel(team, place, reinterpret_cast<char*>(room.data())); });
  }
}
void expect_same_bits(const Array<Real>& a, const Array<Real>& b, unsigned seed) {
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.bytes()), 0) << "seed " << seed;
}

// Proves that teams have no races and the bits of one thread.
TEST(Teams, EvaluateDynamicsLikeOneThread) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    SeededRandom random(seed);
    ModelBuilder builder;
    builder.replicate(random_trees::bodies(random, 3 + 2 * static_cast<int>(seed)), 2);
    const Model model = builder.finalize();
    const State state = model.state();
    random_trees::randomize(model, state, random);
    const Array<Real> given = random_trees::random_dofs(model, random), alone(model.joint_dof_count),
                      together(model.joint_dof_count);
    WorldPlans worlds(model, MassPattern::kNone);
    worlds.keep_up(model, Queue(Device{}));

    eval_inverse_dynamics(model, state, given, alone);
    EvalInverseDynamics inverse{};
    inverse.joint_qdd = given.data();
    inverse.joint_f = together.data();
    run_in_teams(worlds, state, inverse);
    expect_same_bits(alone, together, seed);

    eval_forward_dynamics(model, state, given, alone);
    EvalForwardDynamics forward{};
    forward.joint_f = given.data();
    forward.joint_qdd = together.data();
    run_in_teams(worlds, state, forward);
    expect_same_bits(alone, together, seed);

    const MassMatrix matrix = make_mass_matrix(model), matrix_together = make_mass_matrix(model);
    eval_mass_matrix(model, state, matrix);
    EvalMassMatrix mass{};
    mass.value_start = matrix.device_start.const_view();
    mass.values = matrix_together.values.data();
    run_in_teams(worlds, state, mass);
    expect_same_bits(matrix.values, matrix_together.values, seed);
  }
}

}  // namespace
}  // namespace carom
