// Single kinematic trees with more than 192 degrees of freedom, ropes of ball joints and chains of hinges: they move as
// mechanics says, alone, on the ground, on themselves and on other bodies, and by one answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "scenes/fingerprint.h"
#include "scenes/scenes.h"
#include "tests/sim/large_trees.h"

namespace carom {
namespace {

using large_trees::chain;
using large_trees::rope;

constexpr bool kDouble = sizeof(Real) == 8;
constexpr Real kDt = Real(0.002), kG = Real(9.81);
constexpr Real kTolerance = kDouble ? Real(1e-16) : Real(1e-8);

// Proves that what nothing holds falls as one, whatever its shape: no joint turns. To single precision the mass matrix
// of a rope says little about single joints, but the rope as a whole falls.
TEST(LargeTrees, FallsFreely) {
  for (const int joints : {63, 120}) {
    const Model model = rope(joints).finalize();
    const int n = model.joint_dof_count;
    ASSERT_EQ(n, 3 * joints + 6);
    const State state = model.state();
    const Forward forward = SolverMuJoCo(model).forward(state, model.control(), nullptr, kDt);
    for (int i = 0; kDouble && i < n; ++i) EXPECT_NEAR(forward.qacc[i], i == 2 ? -kG : 0, 1e-7) << joints << ", " << i;
    const Jacobian jacobian = make_jacobian(model);
    eval_jacobian(model, state, jacobian);
    const Array<Real> J = jacobian.world(-1);
    double mass = 0, force[3] = {};
    for (int b = 0; b < model.body_count; ++b) {
      mass += model.body_mass[b];
      for (int k = 0; k < 3; ++k)
        for (int i = 0; i < n; ++i) force[k] += double(model.body_mass[b]) * J[(6 * b + k) * n + i] * forward.qacc[i];
    }
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(force[k] / mass, k == 2 ? -kG : 0, kDouble ? 1e-9 : 1e-3) << joints;
  }
}

// A body's J^T f of a force at a point, added to `out`.
void add_force(const Array<Real>& J, int dofs, const State& state, int body, Vec3 point, Vec3 f,
               std::vector<double>& out) {
  if (body < 0) return;
  const Vec3 torque = cross(point - state.body_q[body].p, f);  // centres of mass are the origins here
  const Real* const rows = J.data() + std::int64_t{6} * body * dofs;
  for (int i = 0; i < dofs; ++i)
    for (int k = 0; k < 3; ++k)
      out[i] += double(rows[k * dofs + i]) * f[k] + double(rows[(k + 3) * dofs + i]) * torque[k];
}

// M against the Jacobians and masses of the bodies, M a = smooth forces + J^T f, and J^T f against the contacts'
// forces.
void expect_mechanics(const Model& model, const State& state) {
  SolverMuJoCo solver(model, {.tolerance = kTolerance});
  const Contacts contacts = CollisionPipeline(model).collide(state);
  const Forward forward = solver.forward(state, model.control(), &contacts, kDt);
  ASSERT_EQ(solver.status()[0], 0);
  const Jacobian jacobian = make_jacobian(model);
  eval_jacobian(model, state, jacobian);
  const Array<Real> J = jacobian.world(model.world_count > 0 ? 0 : -1);
  const int n = model.joint_dof_count;
  std::vector<double> M(std::size_t(n) * n, 0), contact_force(n, 0);
  for (int b = 0; b < model.body_count; ++b) {
    const Mat33 R = mat33_from_quat(state.body_q[b].q), I = R * model.body_inertia[b] * transpose(R);
    const Real* const rows = J.data() + std::int64_t{6} * b * n;
    for (int i = 0; i < n; ++i) {
      Vec3 momentum, spin;
      for (int k = 0; k < 3; ++k) momentum[k] = rows[k * n + i] * model.body_mass[b], spin[k] = rows[(k + 3) * n + i];
      if (length_squared(momentum) + length_squared(spin) == 0) continue;
      spin = I * spin;
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < 3; ++k)
          M[std::size_t(i) * n + j] += double(rows[k * n + j]) * momentum[k] + double(rows[(k + 3) * n + j]) * spin[k];
    }
  }
  for (int i = 0; i < n; ++i) M[std::size_t(i) * n + i] += model.joint_armature[i];
  double largest = 0;
  for (int i = 0; i < n; ++i) largest = std::max(largest, M[std::size_t(i) * n + i]);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      ASSERT_NEAR(forward.mass_matrix[i * n + j], M[std::size_t(i) * n + j], (kDouble ? 1e-12 : 1e-4) * largest)
          << i << ", " << j;

  for (int c = 0; c < contacts.rigid_contact_count[0]; ++c) {
    const Vec3 f = contacts.rigid_contact_force[c], point = contacts.rigid_contact_point[c];
    add_force(J, n, state, model.shape_body[contacts.rigid_contact_shape0[c]], point, -f, contact_force);
    add_force(J, n, state, model.shape_body[contacts.rigid_contact_shape1[c]], point, f, contact_force);
  }
  std::set<int> limited;
  for (std::int64_t r = 0; r < forward.rows.kind.size(); ++r)
    if (forward.rows.kind[r] == static_cast<int>(RowKind::kJointLimit)) limited.insert(forward.rows.source[r]);
  double force = 0;
  for (int i = 0; i < n; ++i) force = std::max<double>(force, std::abs(forward.constraint_force[i]));
  for (int i = 0; i < n; ++i) {
    double Ma = 0;
    for (int j = 0; j < n; ++j) Ma += M[std::size_t(i) * n + j] * forward.qacc[j];
    const double bound = (kDouble ? 1e-8 : 1e-2) * (1 + force);
    EXPECT_NEAR(Ma, forward.smooth_force[i] + forward.constraint_force[i], bound) << "degree of freedom " << i;
    if (!limited.contains(i)) {
      EXPECT_NEAR(forward.constraint_force[i], contact_force[i], bound) << "degree of freedom " << i;
    }
  }
}

// Proves that the largest trees of one word of blocks and the smallest of two obey the equations of motion. In single
// precision without contacts: see NoStatusMeansSolved.
TEST(LargeTrees, ChainsObeyTheEquationsOfMotion) {
  for (const int hinges : {191, 192, 193, 195}) {
    SCOPED_TRACE(hinges);
    ModelBuilder builder = chain(hinges, true);
    if (kDouble) builder.add_ground_plane(large_trees::kChainGround);
    const Model model = builder.finalize();
    ASSERT_EQ(model.joint_dof_count, hinges);
    expect_mechanics(model, model.state());
  }
}

// Proves that a chain deep in the ground is solved, or that its status says otherwise: to single precision the Hessian
// is not positive definite there.
TEST(LargeTrees, NoStatusMeansSolved) {
  for (const double depth : {0.1, 2.0, 20.0}) {
    SCOPED_TRACE(depth);
    ModelBuilder builder = chain(191, true);
    builder.add_ground_plane(large_trees::kChainGround + Real(depth));
    const Model model = builder.finalize();
    SolverMuJoCo solver(model);
    const Contacts contacts = CollisionPipeline(model).collide(model.state());
    solver.forward(model.state(), model.control(), &contacts, kDt);
    if (solver.status()[0] == 0) expect_mechanics(model, model.state());
    else EXPECT_TRUE(!kDouble && solver.status()[0] == kStatusNotConverged) << solver.status()[0];
  }
}

// Coils on the ground. With others: boxes that lie on the highest one.
ModelBuilder coils(int joints, bool others) {
  ModelBuilder builder = rope(joints);
  const State state = builder.finalize().state();
  builder.add_ground_plane();
  for (int i = 0; others && i < 3; ++i) {
    constexpr Real kHeight = Real(0.05), kDepth = Real(0.001);
    const Vec3 above{0, 0, large_trees::kRadius + kHeight - kDepth};
    const int body = builder.add_body({.xform = {state.body_q[joints - 4 * i].p + above, {}}});
    builder.add_shape_box(body, Real(0.04), Real(0.04), kHeight);
  }
  return builder;
}

// Contacts between two bodies whose numbers are below `end`, and of one of them with a later one.
std::pair<int, int> contacts_between(const Model& model, const Contacts& contacts, int end) {
  std::pair<int, int> count{0, 0};
  for (int c = 0; c < contacts.rigid_contact_count[0]; ++c) {
    const int a = model.shape_body[contacts.rigid_contact_shape0[c]];
    const int b = model.shape_body[contacts.rigid_contact_shape1[c]];
    if (a >= 0 && a < end && b >= 0) ++(b < end ? count.first : count.second);
  }
  return count;
}

// Proves it for a rope that lies on the ground and on itself; with bodies on it; for ropes beside each other, an island
// too large to be factored; and for branches that touch each other, so that factors fill in.
TEST(LargeTrees, CoilsAndBranchesObeyTheEquationsOfMotion) {
  ModelBuilder several, branches = large_trees::fringe(4, 20);
  for (int i = 0; i < 3; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    several.add_builder(rope(64), {.xform = {{Real(0.42) * i, 0, 0}, {}}, .key_prefix = name});
  }
  for (ModelBuilder* builder : {&several, &branches}) builder->add_ground_plane();
  struct Scene {
    const char* name;
    ModelBuilder builder;
    int first_tree;  // bodies
  };
  for (const Scene& scene : {Scene{"coils", coils(64, false), 65}, Scene{"coils and boxes", coils(64, true), 65},
                             Scene{"three coils", several, 65}, Scene{"branches", branches, 81}}) {
    SCOPED_TRACE(scene.name);
    const Model model = scene.builder.finalize();
    Simulation simulation(model, "mujoco", kDt);
    simulation.step(10);
    const auto [itself, other] = contacts_between(model, simulation.contacts(), scene.first_tree);
    EXPECT_GT(itself, 40);
    EXPECT_EQ(other > 0, model.body_count > scene.first_tree);
    expect_mechanics(model, simulation.state());
  }
}

// Proves that Newton's method stops where rounding is all that is left of the gradient: of scenes that hardly differ,
// to single precision every fourth made the same step, of no length, until its iterations were used up.
TEST(LargeTrees, StopsAtRounding) {
  const Model model = coils(64, true).finalize();
  for (int i = 0; i < 24; ++i) {
    SCOPED_TRACE(i);
    model.edit([&](ModelNumbers& n) { n.joint_qd[0] = Real(1e-6) * Real(i); });
    Simulation simulation(model, "mujoco", kDt);
    simulation.step(10);
    SolverMuJoCo solver(model, {.tolerance = kTolerance});
    const Contacts contacts = CollisionPipeline(model).collide(simulation.state());
    solver.forward(simulation.state(), model.control(), &contacts, kDt);
    EXPECT_EQ(solver.status()[0], 0);
    EXPECT_LT(solver.reports().iterations[0], 50);
  }
}

// Kinetic and potential energy of bodies and hinges [J].
double energy(const Model& model, const State& state) {
  double sum = 0;
  for (int b = 0; b < model.body_count; ++b) {
    const Transform& X = state.body_q[b];
    const Vec3 v = state.body_qd[b].linear, w = transpose(mat33_from_quat(X.q)) * state.body_qd[b].angular;
    sum += double(model.body_mass[b]) * (dot(v, v) / 2 + kG * X.p.z) + double(dot(w, model.body_inertia[b] * w)) / 2;
  }
  for (int i = 0; i < model.joint_dof_count; ++i)
    sum += double(model.joint_armature[i]) * state.joint_qd[i] * state.joint_qd[i] / 2;
  return sum;
}

// Proves that a swinging chain keeps its energy, but for the error of the steps, which halves with them.
TEST(LargeTrees, KeepsItsEnergy) {
  const Model model = chain(198, false).finalize();
  double drift[2], fallen = 0;
  for (int half = 0; half < 2; ++half) {
    Simulation simulation(model, "mujoco", Real(half ? 0.0005 : 0.001));
    const double before = energy(model, simulation.state());
    Real mean = 0, start = 0;
    for (const Transform& X : simulation.state().body_q) start += X.p.z / model.body_count;
    simulation.step(half ? 200 : 100);
    for (const Transform& X : simulation.state().body_q) mean += X.p.z / model.body_count;
    fallen = start - mean;
    drift[half] = energy(model, simulation.state()) - before;
  }
  double weight = 0;
  for (int b = 0; b < model.body_count; ++b) weight += double(model.body_mass[b]) * kG;
  EXPECT_GT(fallen, 0.03);
  EXPECT_LT(std::abs(drift[1]), 0.02 * weight * fallen);
  if (kDouble) {
    EXPECT_NEAR(drift[0] / drift[1], 2, 0.1);
  }
}

State after(const Model& model, int steps, QueueConfig queue = {}) {
  const Queue q({}, queue);
  Simulation simulation(model, SolverMuJoCo(model, {}, &q), kDt);
  for (const std::int32_t status : simulation.step(steps)) EXPECT_EQ(status, 0);
  return simulation.state();
}

// Proves that threads, lanes and other worlds, large and small, leave no trace.
TEST(LargeTrees, OneAnswer) {
  for (const bool others : {false, true}) {
    SCOPED_TRACE(others);
    ModelBuilder several, one;
    several.replicate(coils(64, others), 3);
    several.replicate(scenes::humanoid(), 2);
    several.replicate(rope(120, 1), 1);
    one.replicate(coils(64, others), 1);
    const Model model = several.finalize(), single = one.finalize();
    const State expected = after(model, 8);
    const std::string bits = scenes::fingerprint(expected);
    EXPECT_EQ(bits, scenes::fingerprint(after(model, 8, {.threads = 1})));
    EXPECT_EQ(bits, scenes::fingerprint(after(model, 8, {.threads = 3, .lanes = 1})));
    const State alone = after(single, 8);
    EXPECT_EQ(std::memcmp(alone.body_q.data(), expected.body_q.data(), alone.body_q.bytes()), 0);
    EXPECT_EQ(std::memcmp(alone.body_qd.data(), expected.body_qd.data(), alone.body_qd.bytes()), 0);
  }
}

// Proves that an edit counts as if the model had been made so, and that a snapshot brings the same bits back.
TEST(LargeTrees, EditsAndSnapshots) {
  const auto heavier = [](ModelNumbers& n) { n.body_mass[50] *= 3; };
  const Model model = coils(64, true).finalize(), anew = coils(64, true).finalize();
  anew.edit(heavier);
  Simulation simulation(model, "mujoco", kDt), fresh(anew, "mujoco", kDt);
  simulation.step(5);
  const std::string before = scenes::fingerprint(simulation.state());
  model.edit(heavier);
  simulation.reset();
  simulation.step(5);
  const Simulation::Snapshot middle = simulation.snapshot();
  fresh.step(5);
  EXPECT_NE(scenes::fingerprint(simulation.state()), before);
  EXPECT_EQ(scenes::fingerprint(simulation.state()), scenes::fingerprint(fresh.state()));
  simulation.step(5);
  const std::string end = scenes::fingerprint(simulation.state());
  simulation.restore(middle);
  simulation.step(5);
  EXPECT_EQ(scenes::fingerprint(simulation.state()), end);
}

// Proves that reports and forward() count the rows of limits and contacts alike.
TEST(LargeTrees, RowsAreReported) {
  ModelBuilder builder = chain(300, true);
  builder.add_ground_plane(large_trees::kChainGround);
  const Model model = builder.finalize();
  SolverMuJoCo solver(model);
  const Contacts contacts = CollisionPipeline(model).collide(model.state());
  const ConstraintRows rows = solver.forward(model.state(), model.control(), &contacts, kDt).rows;
  int limits = 0, pyramids = 0, last = -1;
  for (std::int64_t r = 0; r < rows.kind.size(); ++r) {
    EXPECT_GT(rows.D[r], 0);
    if (rows.kind[r] == static_cast<int>(RowKind::kSliding)) {
      ++pyramids;
      continue;
    }
    ASSERT_EQ(rows.kind[r], static_cast<int>(RowKind::kJointLimit));
    const Real angle = model.joint_q[rows.source[r]];
    EXPECT_GT(std::abs(angle), Real(0.1)) << "degree of freedom " << rows.source[r];
    ++limits, last = std::max<int>(last, rows.source[r]);
  }
  EXPECT_EQ(limits,
            std::count_if(model.joint_q.begin(), model.joint_q.end(), [](Real q) { return std::abs(q) > Real(0.1); }));
  EXPECT_GT(last, 256);
  EXPECT_GT(pyramids, 20);
  EXPECT_EQ(solver.reports().contacts[0], contacts.rigid_contact_count[0]);
  EXPECT_EQ(solver.reports().rows[0], limits + 4 * pyramids);
}

}  // namespace
}  // namespace carom
