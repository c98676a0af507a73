// Random worlds of kinematic trees with joints of every type, and states of them, for the tests of carom/dynamics.h.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "carom/builder.h"
#include "carom/kinematics.h"
#include "tests/random.h"

namespace carom::random_trees {

inline Vec3 vector(SeededRandom& random, double most) {
  const double x = random.uniform(-most, most), y = random.uniform(-most, most), z = random.uniform(-most, most);
  return {Real(x), Real(y), Real(z)};
}
inline Quat rotation(SeededRandom& random) {
  const double x = random.normal(), y = random.normal(), z = random.normal(), w = random.normal();
  return normalize(Quat{Real(x), Real(y), Real(z), Real(w + 1e-3)});
}
inline Transform frame(SeededRandom& random) {
  const Vec3 p = vector(random, 0.4);
  return {p, rotation(random)};
}
// Of three pairs of points on axes, so that a body can have it.
inline Mat33 inertia(SeededRandom& random) {
  const double x = random.uniform(0.01, 0.2), y = random.uniform(0.01, 0.2), z = random.uniform(0.01, 0.2);
  const Mat33 R = mat33_from_quat(rotation(random));
  return R * mat33_diagonal(Vec3{Real(y + z), Real(x + z), Real(x + y)}) * transpose(R);
}
inline JointDofConfig dof(SeededRandom& random, Vec3 axis) {
  return {.axis = axis, .armature = random.one_in(2) ? Real(random.uniform(0, 0.3)) : Real(0)};
}
inline JointDofConfig dof(SeededRandom& random) {
  const Vec3 axis = vector(random, 1);
  return dof(random, length(axis) > Real(0.1) ? axis : Vec3{0, 0, 1});
}

// A joint of any type; parent -1 is the world.
inline int add_joint(ModelBuilder& builder, SeededRandom& random, int parent, int child) {
  JointFrames frames;
  frames.parent_xform = frame(random);
  frames.child_xform = frame(random);
  const Vec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  switch (random.below(parent < 0 ? 9 : 7)) {
    case 0: return builder.add_joint_prismatic(parent, child, dof(random), frames);
    case 1: return builder.add_joint_revolute(parent, child, dof(random), frames);
    case 2: return builder.add_joint_ball(parent, child, dof(random), frames);
    case 3: {
      const JointDofConfig first = dof(random, z), second = dof(random, x);
      return builder.add_joint_universal(parent, child, first, second, frames);
    }
    case 4: {
      const JointDofConfig a = dof(random, z), b = dof(random, y), c = dof(random, z), d = dof(random, x);
      return builder.add_joint_d6(parent, child, {a}, {b, c, d}, frames);
    }
    case 5: return builder.add_joint_distance(parent, child, Real(0.1), 2, frames);
    case 6: return builder.add_joint_fixed(parent, child, frames);
    default: return builder.add_joint_free(child, -1, frames);
  }
}

// Bodies that hang on each other at random, on the world now and then.
inline ModelBuilder bodies(SeededRandom& random, int count) {
  ModelBuilder builder(Axis::kZ, vector(random, 10));
  for (int i = 0; i < count; ++i) {
    const Vec3 com = vector(random, 0.3);
    const Mat33 I = inertia(random);
    const int body = builder.add_link({.com = com, .inertia = I, .mass = Real(random.uniform(0.2, 3))});
    const bool is_root = i == 0 || random.one_in(6);
    const int parent = is_root ? -1 : random.below(i);
    add_joint(builder, random, parent, body);
  }
  return builder;
}

// Positions, velocities and forces on bodies; not yet the poses that go with them.
inline void randomize(const Model& model, const State& state, SeededRandom& random) {
  for (Real& q : state.joint_q) q = Real(random.uniform(-1, 1));
  for (Real& qd : state.joint_qd) qd = Real(random.uniform(-2, 2));
  for (SpatialVector& f : state.body_f) {
    f.linear = vector(random, 5);
    f.angular = vector(random, 2);
  }
  for (int j = 0; j < model.joint_count; ++j) {
    const JointType type = static_cast<JointType>(model.joint_type[j]);
    const bool slides = type == JointType::kFree || type == JointType::kDistance;
    if (!slides && type != JointType::kBall) continue;
    const Quat turn = rotation(random);
    std::copy_n(&turn.x, 4, state.joint_q.data() + model.joint_q_start[j] + (slides ? 3 : 0));
  }
}
inline Array<Real> random_dofs(const Model& model, SeededRandom& random) {
  Array<Real> values(model.joint_dof_count);
  for (Real& value : values) value = Real(random.uniform(-3, 3));
  return values;
}

// The coordinates a small time h later, but for terms of h^2, which are the same for h and -h.
inline void advance(const Model& model, const State& state, Real h) {
  const auto turn = [h](Real* q, Vec3 w) {
    const Real speed = length(w);
    if (speed == 0) return;
    const Quat turned = quat_from_axis_angle(w / speed, speed * h) * Quat{q[0], q[1], q[2], q[3]};
    std::copy_n(&turned.x, 4, q);
  };
  for (int j = 0; j < model.joint_count; ++j) {
    const JointType type = static_cast<JointType>(model.joint_type[j]);
    Real* const q = state.joint_q.data() + model.joint_q_start[j];
    const Real* const qd = state.joint_qd.data() + model.joint_qd_start[j];
    if (type == JointType::kBall) {
      turn(q, {qd[0], qd[1], qd[2]});
    } else if (type == JointType::kFree || type == JointType::kDistance) {
      const Vec3 w{qd[3], qd[4], qd[5]};
      const Vec3 com = transform_point(inverse(model.joint_X_c[j]), model.body_com[model.joint_child[j]]);
      const Vec3 swing = cross(w, rotate(Quat{q[3], q[4], q[5], q[6]}, com));
      for (int i = 0; i < 3; ++i) q[i] += (qd[i] - swing[i]) * h;
      turn(q + 3, w);
    } else {
      for (int i = 0; i < model.joint_qd_start[j + 1] - model.joint_qd_start[j]; ++i) q[i] += qd[i] * h;
    }
  }
}

}  // namespace carom::random_trees
