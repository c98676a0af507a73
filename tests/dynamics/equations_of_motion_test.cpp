// Inverse and forward dynamics and the mass matrix against closed forms, against what bodies need one by one, and
// against each other.
#include <gtest/gtest.h>

#include <cmath>

#include "carom/dynamics.h"
#include "scenes/energy.h"
#include "tests/dynamics/random_trees.h"

namespace carom {
namespace {

constexpr bool kDouble = sizeof(Real) == 8;
constexpr double kTight = kDouble ? 1e-12 : 3e-5;

Array<Real> inverse_dynamics(const Model& model, const State& state, const Array<Real>& joint_qdd) {
  const Array<Real> joint_f(model.joint_dof_count);
  eval_inverse_dynamics(model, state, joint_qdd, joint_f);
  return joint_f;
}
Array<Real> forward_dynamics(const Model& model, const State& state, const Array<Real>& joint_f) {
  const Array<Real> joint_qdd(model.joint_dof_count);
  eval_forward_dynamics(model, state, joint_f, joint_qdd);
  return joint_qdd;
}
// Of a model of one world, or of none.
Array<Real> mass_matrix(const Model& model, const State& state) {
  const MassMatrix matrix = make_mass_matrix(model);
  eval_mass_matrix(model, state, matrix);
  return matrix.world(model.world_count - 1);
}

// A world of at most 12 bodies.
Model random_model(SeededRandom& random) {
  ModelBuilder builder;
  builder.add_world(random_trees::bodies(random, 1 + random.below(12)));
  return builder.finalize();
}

double largest(const Array<Real>& values) {
  double most = 1;
  for (const Real value : values) most = std::max(most, std::abs(double(value)));
  return most;
}
void expect_near(const Array<Real>& a, const Array<Real>& b, double relative, unsigned seed) {
  ASSERT_EQ(a.size(), b.size());
  const double bound = relative * largest(b);
  for (std::int64_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], bound) << "seed " << seed << " number " << i;
}

// A pendulum's motor carries its weight and turns its inertia, and the armature.
TEST(EquationsOfMotion, Pendulum) {
  const Real m = 2, l = Real(0.7), I = Real(0.3), armature = Real(0.1), q = Real(0.4), qdd = 3;
  ModelBuilder builder;
  const int bob = builder.add_link({.com = {0, 0, -l}, .inertia = mat33_identity<Real>() * I, .mass = m});
  builder.add_joint_revolute(-1, bob, {.axis = {0, -1, 0}, .armature = armature});
  const Model model = builder.finalize();
  const State state = model.state();
  state.joint_q[0] = q;
  state.joint_qd[0] = 5;  // bends nothing
  Array<Real> given(1);
  given[0] = qdd;
  const double inertia = I + m * l * l + armature;
  const double force = inertia * qdd + m * 9.81 * l * std::sin(q);
  EXPECT_NEAR(inverse_dynamics(model, state, given)[0], force, 20 * kTight);
  EXPECT_NEAR(mass_matrix(model, state)[0], inertia, kTight);
  given[0] = Real(force);
  EXPECT_NEAR(forward_dynamics(model, state, given)[0], qdd, 20 * kTight);
}

// A double pendulum has the equations of the text books.
TEST(EquationsOfMotion, DoublePendulum) {
  const Real m1 = 1, m2 = Real(0.8), l1 = Real(0.6), c1 = Real(0.25), c2 = Real(0.4), I1 = Real(0.05), I2 = Real(0.02);
  const JointDofConfig hinge{.axis = {0, -1, 0}};  // angles from hanging, so that g pulls them back
  ModelBuilder builder;
  const int upper = builder.add_link({.com = {0, 0, -c1}, .inertia = mat33_identity<Real>() * I1, .mass = m1});
  const int lower = builder.add_link({.com = {0, 0, -c2}, .inertia = mat33_identity<Real>() * I2, .mass = m2});
  builder.add_joint_revolute(-1, upper, hinge);
  builder.add_joint_revolute(upper, lower, hinge, {.parent_xform = {{0, 0, -l1}, {}}});
  const Model model = builder.finalize();
  const State state = model.state();
  const double q1 = 0.5, q2 = -1.1, v1 = 2, v2 = -3, a1 = 4, a2 = 5, g = 9.81;
  Array<Real> given(2);
  state.joint_q[0] = Real(q1), state.joint_q[1] = Real(q2);
  state.joint_qd[0] = Real(v1), state.joint_qd[1] = Real(v2);
  given[0] = Real(a1), given[1] = Real(a2);
  const double h = m2 * l1 * c2, H22 = I2 + m2 * c2 * c2, H12 = H22 + h * std::cos(q2);
  const double H11 = I1 + m1 * c1 * c1 + m2 * l1 * l1 + H12 + h * std::cos(q2);
  const double sway = h * std::sin(q2), weight2 = m2 * g * c2 * std::sin(q1 + q2);
  const double weight1 = (m1 * c1 + m2 * l1) * g * std::sin(q1) + weight2;
  const Array<Real> H = mass_matrix(model, state), force = inverse_dynamics(model, state, given);
  const double expected[] = {H11, H12, H12, H22};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(H[i], expected[i], kTight) << i;
  EXPECT_NEAR(force[0], H11 * a1 + H12 * a2 - sway * (2 * v1 * v2 + v2 * v2) + weight1, 30 * kTight);
  EXPECT_NEAR(force[1], H12 * a1 + H22 * a2 + sway * v1 * v1 + weight2, 30 * kTight);
}

// A free body obeys Newton for its centre of mass and Euler about it, wherever its frames are.
TEST(EquationsOfMotion, FreeBodySpins) {
  SeededRandom random(1);
  for (unsigned seed = 0; seed < 20; ++seed) {
    ModelBuilder builder;
    const Vec3 com = random_trees::vector(random, 1);
    const Mat33 inertia = random_trees::inertia(random);
    const int body = builder.add_link({.com = com, .inertia = inertia, .mass = 3});
    const Transform X_c = random_trees::frame(random);
    builder.add_joint_free(body, -1, {.child_xform = X_c});
    const Model model = builder.finalize();
    const State state = model.state();
    random_trees::randomize(model, state, random);
    const Array<Real> qdd = random_trees::random_dofs(model, random);
    eval_fk(model, state.joint_q, state.joint_qd, state);
    const Vec3 w = state.body_qd[0].angular;
    const Mat33 R = mat33_from_quat(state.body_q[0].q), I = R * inertia * transpose(R);
    const SpatialVector f = state.body_f[0];
    const Vec3 force = (Vec3{qdd[0], qdd[1], qdd[2]} - model.gravity[0]) * Real(3) - f.linear;
    const Vec3 torque = I * Vec3{qdd[3], qdd[4], qdd[5]} + cross(w, I * w) - f.angular;
    const Array<Real> joint_f = inverse_dynamics(model, state, qdd);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(joint_f[i], force[i], 100 * kTight) << seed;
      EXPECT_NEAR(joint_f[3 + i], torque[i], 100 * kTight) << seed;
    }
  }
}

// The mass matrix is J^T M J with the Jacobian and the mass of every body, and the armature: it is symmetric, and its
// kinetic energy is theirs.
TEST(EquationsOfMotion, MassMatrixIsThatOfTheBodies) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SeededRandom random(seed);
    const Model model = random_model(random);
    const State state = model.state();
    random_trees::randomize(model, state, random);
    eval_fk(model, state.joint_q, state.joint_qd, state);
    const Jacobian jacobian = make_jacobian(model);
    eval_jacobian(model, state, jacobian);
    const int n = model.joint_dof_count;
    const Array<Real> H = mass_matrix(model, state), J = jacobian.world(0);
    Array<Real> expected(std::int64_t{n} * n);
    for (int b = 0; b < model.body_count; ++b) {
      const Mat33 R = mat33_from_quat(state.body_q[b].q), I = R * model.body_inertia[b] * transpose(R);
      const auto column = [&](int row, int i) {
        const Real* const at = J.data() + (6 * b + row) * n + i;
        return Vec3{at[0], at[n], at[2 * n]};
      };
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          expected[i * n + j] +=
              model.body_mass[b] * dot(column(0, i), column(0, j)) + dot(column(3, i), I * column(3, j));
    }
    for (int i = 0; i < n; ++i) expected[i * n + i] += model.joint_armature[i];
    expect_near(H, expected, 10 * kTight, seed);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j) EXPECT_EQ(H[i * n + j], H[j * n + i]);
  }
}

// H qdd and the forces at no acceleration are what the accelerations need.
TEST(EquationsOfMotion, InverseDynamicsIsMassTimesAccelerationAndBias) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SeededRandom random(seed);
    const Model model = random_model(random);
    const State state = model.state();
    random_trees::randomize(model, state, random);
    const int n = model.joint_dof_count;
    const Array<Real> qdd = random_trees::random_dofs(model, random), H = mass_matrix(model, state);
    Array<Real> expected = inverse_dynamics(model, state, Array<Real>(n));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) expected[i] += H[i * n + j] * qdd[j];
    expect_near(inverse_dynamics(model, state, qdd), expected, 10 * kTight, seed);
  }
}

// What forces lead to needs these forces.
TEST(EquationsOfMotion, ForwardDynamicsUndoesInverseDynamics) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SeededRandom random(seed);
    const Model model = random_model(random);
    const State state = model.state();
    random_trees::randomize(model, state, random);
    const Array<Real> qdd = random_trees::random_dofs(model, random);
    expect_near(forward_dynamics(model, state, inverse_dynamics(model, state, qdd)), qdd, kDouble ? 1e-9 : 0.02, seed);
  }
}

// In place: the array that is read may be the one that is written.
TEST(EquationsOfMotion, OneArrayForBoth) {
  SeededRandom random(7);
  const Model model = random_model(random);
  const State state = model.state();
  random_trees::randomize(model, state, random);
  const Array<Real> values = random_trees::random_dofs(model, random);
  const Array<Real> forces = inverse_dynamics(model, state, values);
  eval_inverse_dynamics(model, state, values, values);
  for (int i = 0; i < model.joint_dof_count; ++i) EXPECT_EQ(values[i], forces[i]);
}

// A body whose motion is given is moved by nothing, and what hangs on it is moved as if it hung on the world.
TEST(EquationsOfMotion, KinematicBodiesStay) {
  const auto chain = [](bool is_kinematic) {
    ModelBuilder builder;
    const int cart = builder.add_link({.mass = 5, .is_kinematic = is_kinematic});
    const int bob = builder.add_link({.com = {0, 0, -1}, .inertia = mat33_identity<Real>(), .mass = 1});
    if (is_kinematic) builder.add_joint_prismatic(-1, cart, {.axis = {1, 0, 0}});
    else builder.add_joint_fixed(-1, cart);
    builder.add_joint_revolute(cart, bob, {.axis = {0, 1, 0}});
    const Model model = builder.finalize();
    const State state = model.state();
    state.joint_q[is_kinematic] = Real(0.3);
    return forward_dynamics(model, state, Array<Real>(model.joint_dof_count));
  };
  const Array<Real> moved = chain(true), fixed = chain(false);
  EXPECT_NEAR(moved[0], 0, 1e-12);
  EXPECT_NEAR(moved[1], fixed[0], 10 * kTight);
}

#if defined(CAROM_F64)  // finite differences need double precision

constexpr Real kStep = Real(1e-5);  // [s]

// The state a small time later or before, with its bodies.
State after(const Model& model, const State& state, const Array<Real>& qdd, Real h) {
  const State there = state.clone();
  random_trees::advance(model, there, h);
  for (int i = 0; i < model.joint_dof_count; ++i) there.joint_qd[i] += qdd[i] * h;
  eval_fk(model, there.joint_q, there.joint_qd, there);
  return there;
}

// Inverse dynamics is what every body needs by Newton and Euler, with accelerations by finite differences, seen from
// the joints: J^T (m (a - g) - f, I alpha + w x I w - torque), and the armature.
TEST(EquationsOfMotion, InverseDynamicsIsWhatTheBodiesNeed) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SeededRandom random(seed);
    const Model model = random_model(random);
    const State state = model.state();
    random_trees::randomize(model, state, random);
    const Array<Real> qdd = random_trees::random_dofs(model, random);
    eval_fk(model, state.joint_q, state.joint_qd, state);
    const State before = after(model, state, qdd, -kStep), later = after(model, state, qdd, kStep);
    const Jacobian jacobian = make_jacobian(model);
    eval_jacobian(model, state, jacobian);
    const int n = model.joint_dof_count;
    const Array<Real> J = jacobian.world(0);
    Array<Real> expected(n);
    for (int i = 0; i < n; ++i) expected[i] = model.joint_armature[i] * qdd[i];
    for (int b = 0; b < model.body_count; ++b) {
      const Mat33 R = mat33_from_quat(state.body_q[b].q), I = R * model.body_inertia[b] * transpose(R);
      const SpatialVector A = (later.body_qd[b] - before.body_qd[b]) * (1 / (2 * kStep));
      const Vec3 w = state.body_qd[b].angular;
      const SpatialVector need{(A.linear - model.gravity[0]) * model.body_mass[b], I * A.angular + cross(w, I * w)};
      const SpatialVector rest = need - state.body_f[b];
      for (int k = 0; k < 6; ++k)
        for (int i = 0; i < n; ++i)
          expected[i] += J[(6 * b + k) * n + i] * (k < 3 ? rest.linear[k] : rest.angular[k - 3]);
    }
    expect_near(inverse_dynamics(model, state, qdd), expected, 1e-7, seed);
  }
}

// Energy changes by the power of the forces: of joints, and of what users apply to bodies.
TEST(EquationsOfMotion, EnergyChangesByThePowerOfForces) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SeededRandom random(seed);
    const Model model = random_model(random);
    const State state = model.state();
    random_trees::randomize(model, state, random);
    const Array<Real> force = random_trees::random_dofs(model, random), qdd = forward_dynamics(model, state, force);
    eval_fk(model, state.joint_q, state.joint_qd, state);
    const auto energy = [&](const State& s) {
      double sum = scenes::energies(model, s)[0];
      for (int i = 0; i < model.joint_dof_count; ++i) sum += 0.5 * model.joint_armature[i] * square(s.joint_qd[i]);
      return sum;
    };
    double power = 0;
    for (int i = 0; i < model.joint_dof_count; ++i) power += force[i] * state.joint_qd[i];
    for (int b = 0; b < model.body_count; ++b) power += dot(state.body_f[b], state.body_qd[b]);
    const State before = after(model, state, qdd, -kStep), later = after(model, state, qdd, kStep);
    EXPECT_NEAR((energy(later) - energy(before)) / (2 * kStep), power, 1e-5 * std::max(1.0, std::abs(power))) << seed;
  }
}

#endif

}  // namespace
}  // namespace carom
