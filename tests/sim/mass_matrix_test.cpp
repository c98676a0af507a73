// Mass matrix, bias forces and forces of contacts against Jacobians and finite differences of kinematics, for every
// joint that the solver knows.
#include <gtest/gtest.h>

#include <cmath>

#include "solvers/mujoco/rows/contact_jacobian.kernel.h"
#include "tests/random.h"
#include "tests/sim/collide_first.h"
#include "tests/sim/step_scenes.h"

namespace carom {
namespace {

constexpr bool kDouble = sizeof(Real) == 8;

// A pose of a world with everything turned, and velocities.
void randomize(const Model& model, const State& state, std::uint64_t seed) {
  SeededRandom random(seed);
  for (Real& q : state.joint_q) q = random.next();
  for (Real& v : state.joint_qd) v = random.next();
  for (int j = 0; j < model.joint_count; ++j) {
    const JointType type = static_cast<JointType>(model.joint_type[j]);
    if (type != JointType::kFree && type != JointType::kBall) continue;
    Real* const q = state.joint_q.data() + model.joint_q_start[j + 1] - 4;
    const Quat unit = normalize(Quat{q[0], q[1], q[2], q[3]});
    std::copy_n(&unit.x, 4, q);
  }
}

// The solver's velocities are those of free joints' origins, joint_qd holds those of centres of mass: joint_qd = T v.
// Adds `sign` times w x (com - origin) to the linear part of every free joint.
void shift_free_joints(const Model& model, const State& state, Real* v, Real sign) {
  for (int j = 0; j < model.joint_count; ++j) {
    if (static_cast<JointType>(model.joint_type[j]) != JointType::kFree) continue;
    const Real* const q = state.joint_q.data() + model.joint_q_start[j];
    const Vec3 arm = rotate(Quat{q[3], q[4], q[5], q[6]},
                            transform_point(inverse(model.joint_X_c[j]), model.body_com[model.joint_child[j]]));
    Real* const at = v + model.joint_qd_start[j];
    const Vec3 change = cross(Vec3{at[3], at[4], at[5]}, arm) * sign;
    for (int i = 0; i < 3; ++i) at[i] += change[i];
  }
}

// Momenta of body b: m v and I w, world axes.
SpatialVector momentum(const Model& model, const State& state, int b, SpatialVector V) {
  const Mat33 R = mat33_from_quat(state.body_q[b].q);
  return {V.linear * model.body_mass[b], R * (model.body_inertia[b] * (transpose(R) * V.angular))};
}

// Twists of the bodies for the solver's velocities v.
std::vector<SpatialVector> twists(const Model& model, const State& state, std::vector<Real> v) {
  shift_free_joints(model, state, v.data(), 1);
  const State copy = state.clone();
  std::copy(v.begin(), v.end(), copy.joint_qd.begin());
  eval_fk(model, copy.joint_q, copy.joint_qd, copy);
  return {copy.body_qd.begin(), copy.body_qd.end()};
}

std::vector<ModelBuilder> scenes() {
  std::vector<ModelBuilder> all;
  for (int kind = 0; kind < step_scenes::kByNumber; ++kind) all.push_back(step_scenes::build_world(3, kind));
  // Joint frames that are turned in both bodies.
  ModelBuilder zoo;
  const Quat tilt = normalize(Quat{Real(0.2), Real(-0.1), Real(0.3), Real(0.9)});
  const JointFrames frames{.parent_xform = {{Real(0.1), Real(0.2), Real(-0.3)}, tilt},
                           .child_xform = {{Real(-0.2), Real(0.05), Real(0.1)}, conjugate(tilt)}};
  const auto link = [&] {
    return zoo.add_link(
        {.com = {Real(0.1), Real(-0.2), Real(0.05)}, .inertia = mat33_identity<Real>() * Real(0.05), .mass = 1});
  };
  const int base = link(), a = link(), b = link(), c = link(), d = link(), e = link(), f = link();
  const JointDofConfig x{.axis = {1, 0, 0}, .armature = Real(0.1)}, y{.axis = {0, 1, 0}}, z{.axis = {0, 0, 1}};
  zoo.add_joint_free(base, -1, frames);
  zoo.add_joint_revolute(base, a, {.axis = {1, 2, Real(-0.5)}}, frames);
  zoo.add_joint_prismatic(a, b, {.axis = {0, 1, 1}}, frames);
  zoo.add_joint_ball(b, c, {}, frames);
  zoo.add_joint_fixed(base, d, frames);
  zoo.add_joint_universal(d, e, z, x, frames);
  zoo.add_joint_d6(e, f, {x, z}, {y, x, z}, frames);
  all.push_back(zoo);
  return all;
}

// M_ij = sum over the bodies of twist_i . momentum_j, plus armature on the diagonal.
TEST(MassMatrix, IsThatOfTheKinematics) {
  for (ModelBuilder& builder : scenes()) {
    const Model model = builder.finalize();
    const State state = model.state();
    SolverMuJoCo solver(model);
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      randomize(model, state, seed);
      eval_fk(model, state.joint_q, state.joint_qd, state);
      const Array<Real> M = solver.forward(state, model.control(), nullptr, Real(0.001)).world_mass_matrix(0);
      const int n = model.joint_dof_count;
      std::vector<std::vector<SpatialVector>> columns;
      for (int i = 0; i < n; ++i) {
        std::vector<Real> unit(n, 0);
        unit[i] = 1;
        columns.push_back(twists(model, state, unit));
      }
      const auto entry_of = [&](int i, int j) {
        double sum = i == j ? double(model.joint_armature[i]) : 0;
        for (int b = 0; b < model.body_count; ++b) {
          const SpatialVector P = momentum(model, state, b, columns[j][b]);
          sum += dot(columns[i][b].linear, P.linear) + dot(columns[i][b].angular, P.angular);
        }
        return sum;
      };
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const double size = std::sqrt(entry_of(i, i) * entry_of(j, j));
          ASSERT_NEAR(M[i * n + j], entry_of(i, j), size * (kDouble ? 1e-12 : 1e-4)) << i << ", " << j;
        }
    }
  }
}

#if defined(CAROM_F64)  // finite differences need double precision
// q moved along the solver's velocities for a small time.
void advance(const Model& model, const State& state, const std::vector<Real>& v, Real h) {
  for (int j = 0; j < model.joint_count; ++j) {
    const JointType type = static_cast<JointType>(model.joint_type[j]);
    Real* q = state.joint_q.data() + model.joint_q_start[j];
    const Real* rate = v.data() + model.joint_qd_start[j];
    const auto [linear, angular] = model.joint_dof_dim[j];
    const bool free = type == JointType::kFree;
    if (free || type == JointType::kBall) {
      for (int i = 0; free && i < 3; ++i) *q++ += *rate++ * h;
      const Vec3 w{rate[0], rate[1], rate[2]};
      const Quat turned = quat_from_axis_angle(normalize(w), length(w) * h) * Quat{q[0], q[1], q[2], q[3]};
      std::copy_n(&turned.x, 4, q);
    } else {
      for (int i = 0; i < linear + angular; ++i) q[i] += rate[i] * h;
    }
  }
}

// bias_i = sum over the bodies of twist_i . (rate of change of the momenta while the velocities stay, less the weight).
TEST(MassMatrix, BiasIsTheRateOfMomentum) {
  for (ModelBuilder& builder : scenes()) {
    builder.gravity = {1, 2, -5};
    const Model model = builder.finalize();
    const State state = model.state();
    SolverMuJoCo solver(model);
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      randomize(model, state, 100 + seed);
      eval_fk(model, state.joint_q, state.joint_qd, state);
      std::vector<Real> v(state.joint_qd.begin(), state.joint_qd.end());
      shift_free_joints(model, state, v.data(), -1);
      const Forward forward = solver.forward(state, model.control(), nullptr, Real(0.001));
      const Real h = Real(1e-6);
      const auto momenta_at = [&](Real time) {
        const State moved = state.clone();
        advance(model, moved, v, time);
        const std::vector<SpatialVector> V = twists(model, moved, v);
        eval_fk(model, moved.joint_q, moved.joint_qd, moved);
        std::vector<SpatialVector> all;
        for (int b = 0; b < model.body_count; ++b) all.push_back(momentum(model, moved, b, V[b]));
        return all;
      };
      const std::vector<SpatialVector> before = momenta_at(-h), after = momenta_at(h);
      for (int i = 0; i < model.joint_dof_count; ++i) {
        std::vector<Real> unit(model.joint_dof_count, 0);
        unit[i] = 1;
        const std::vector<SpatialVector> J = twists(model, state, unit);
        Real sum = 0, size = 1;
        for (int b = 0; b < model.body_count; ++b) {
          const Vec3 force = (after[b].linear - before[b].linear) / (2 * h) - builder.gravity * model.body_mass[b];
          const Vec3 torque = (after[b].angular - before[b].angular) / (2 * h);
          sum += dot(J[b].linear, force) + dot(J[b].angular, torque);
          size += length(J[b].linear) * length(force) + length(J[b].angular) * length(torque);
        }
        ASSERT_NEAR(forward.bias[i], sum, Real(1e-8) * size) << "degree of freedom " << i;
      }
    }
  }
}
#endif

// Velocity of a point that body b carries; -1 is the world.
Vec3 velocity_at(const Model& model, const State& state, const std::vector<SpatialVector>& V, int b, Vec3 point) {
  if (b < 0) return {};
  return V[b].linear + cross(V[b].angular, point - transform_point(state.body_q[b], model.body_com[b]));
}

// The moment [N m] that each contact resists turning with, in world axes.
std::vector<Vec3> moments_of(const Contacts& contacts, const ConstraintRows& rows) {
  std::vector<Vec3> moments(contacts.rigid_contact_count[0]);
  for (std::int64_t i = 0; i < rows.kind.size(); ++i) {
    if (static_cast<RowKind>(rows.kind[i]) != RowKind::kTurning) continue;
    const int c = rows.source[i];
    const Mat33 axes = contact_frame(contacts.rigid_contact_normal[c], contacts.rigid_contact_tangent[c]);
    moments[c] = transpose(axes) * rows.force[i].angular;
  }
  return moments;
}

// The forces that contacts report, at their points, and their moments do the work of the solver's constraint forces;
// those and the smooth forces are M times the accelerations; and none leaves its pyramid.
TEST(MassMatrix, ContactsMoveTheBodies) {
  int turned = 0;
  for (const int kind : {0, 1, 2, 3}) {
    step_scenes::Worlds worlds = step_scenes::make_worlds({kind}, kind);
    Model& model = worlds.model;
    for (Real& limit : model.joint_limit_lower) limit = -kUnlimited;
    for (Real& limit : model.joint_limit_upper) limit = kUnlimited;
    for (Real& limit : model.tendon_limit_lower) limit = -kUnlimited;
    for (Real& limit : model.tendon_limit_upper) limit = kUnlimited;
    // Stricter than usual, so that what Newton's method leaves of the gradient is rounding.
    const SolverMuJoCo solver(model, {.tolerance = kDouble ? Real(1e-20) : Real(1e-12)});
    Simulation simulation(model, solver, step_scenes::kDt);
    const State& state = simulation.state();
    step_scenes::begin_phase(worlds, simulation, 0);
    int seen = 0;
    for (int look = 0; look < 40; ++look) {
      simulation.step(4);
      const auto [contacts, forward] = testing::CollidedForward(simulation.solver().as<SolverMuJoCo>(), state,
                                                                simulation.control(), step_scenes::kDt);
      double largest = 1;
      for (int c = 0; c < contacts.rigid_contact_count[0]; ++c) {
        const Vec3 f = contacts.rigid_contact_force[c], n = contacts.rigid_contact_normal[c];
        largest = std::max(largest, double(length(f)));
        seen += length(f) > 0;
        const Real normal = dot(f, n);
        EXPECT_GE(normal, 0);
        const Real mu = max(model.shape_material_mu[contacts.rigid_contact_shape0[c]],
                            model.shape_material_mu[contacts.rigid_contact_shape1[c]]);
        EXPECT_LE(length(fma(n, -normal, f)), mu * normal * Real(1.001) + Real(1e-5));
      }
      const std::vector<Vec3> moments = moments_of(contacts, forward.rows);
      for (const Vec3& moment : moments) turned += length(moment) > 0;
      const int dofs = model.joint_dof_count;
      const Array<Real> M = forward.world_mass_matrix(0);
      for (int i = 0; i < dofs; ++i) {
        std::vector<Real> unit(dofs, 0);
        unit[i] = 1;
        const std::vector<SpatialVector> V = twists(model, state, unit);
        double power = 0, Ma = 0, size = 1;
        for (int c = 0; c < contacts.rigid_contact_count[0]; ++c) {
          const auto speed = [&](int shape) {
            return velocity_at(model, state, V, model.shape_body[shape], contacts.rigid_contact_point[c]);
          };
          const Vec3 apart = speed(contacts.rigid_contact_shape1[c]) - speed(contacts.rigid_contact_shape0[c]);
          const auto turn = [&](int shape) {
            return model.shape_body[shape] < 0 ? Vec3{} : V[model.shape_body[shape]].angular;
          };
          const Vec3 turned_apart = turn(contacts.rigid_contact_shape1[c]) - turn(contacts.rigid_contact_shape0[c]);
          power += dot(contacts.rigid_contact_force[c], apart) + dot(moments[c], turned_apart);
        }
        EXPECT_NEAR(forward.constraint_force[i], power, largest * (kDouble ? 1e-11 : 1e-4)) << "dof " << i;
        for (int j = 0; j < dofs; ++j) {
          Ma += double(M[i * dofs + j]) * forward.qacc[j];
          size += std::abs(double(M[i * dofs + j]) * forward.qacc[j]);
        }
        const double left = kDouble ? 1e-11 : 1e-4;
        EXPECT_NEAR(Ma, forward.smooth_force[i] + forward.constraint_force[i], left * (size + largest)) << "dof " << i;
      }
      if (HasFailure()) FAIL() << step_scenes::kKinds[kind].name << ", look " << look;
    }
    EXPECT_GT(seen, 4) << step_scenes::kKinds[kind].name;
  }
  EXPECT_GT(turned, 4);
}

}  // namespace
}  // namespace carom
