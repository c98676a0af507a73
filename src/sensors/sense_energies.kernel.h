// Energies of a world. One item is a sensor.
//
//   kinetic    sum (m v^2 + w . I w) / 2 of bodies, + armature qd^2 / 2 of joints and tendons
//   potential  -sum m g . c of bodies, + x^2 (a / 2 + b x / 3 + c x^2 / 4) of springs
//
// x: how far the joint or tendon is from where its spring is relaxed, whose force is -x (a + b x + c x^2).
#pragma once

#include "carom/config.h"
#include "model/joints/joints.kernel.h"
#include "sensors/sensed_motion.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Springs and inertias of degrees of freedom.
struct SensedJoints {
  const int *type, *q_start, *qd_start, *child;
  const Index2* dof_dim;
  const Transform* X_c;
  const Real *stiffness, *spring_ref, *armature;
  const RealN<2>* stiffness_poly;
  const Real* spring_shift;  // nullptr: none yields
  const Real *q, *qd;
};
// Tendons are sums of coordinates, or run through space: then their elements are none.
struct SensedTendons {
  const int *element_tendon, *element_joint, *element_axis;
  const Real* coef;
  const Real *stiffness, *spring_lower, *spring_upper, *armature;
  const RealN<2>* stiffness_poly;
  const RealN<2>* spring_shift;  // nullptr: none yields
  const Real* length;            // as the solver found it; nullptr: it tells nothing, and all are sums
};

struct SenseEnergies {
  const int* sensor;  // row of each item
  const int *type, *world;
  SensedBodies bodies;
  SensedJoints joints;
  SensedTendons tendons;
  BodyTree tree;
  RowsOfWorlds body_rows, joint_rows, tendon_rows, element_rows;
  SensorOutput out;

  CAROM_HD void operator()(int i) const {
    const int s = sensor[i];
    const bool kinetic = static_cast<SensorType>(type[s]) == SensorType::kKineticEnergy;
    out.write(s, kinetic ? kinetic_energy(world[s]) : potential_energy(world[s]));
  }

 private:
  CAROM_HD Real kinetic_energy(int w) const {
    Real twice = 0;
    body_rows.each(w, [&](int body) CAROM_HD_LAMBDA {
      const SpatialVector V = bodies.velocity[body];
      twice += bodies.mass[body] * length_squared(V.linear) + dot(V.angular, bodies.spin(body));
    });
    joint_rows.each(w, [&](int j) CAROM_HD_LAMBDA { twice += armature_of(j); });
    tendon_rows.each(w, [&](int t) CAROM_HD_LAMBDA {
      if (tendons.armature[t] != 0) twice += tendons.armature[t] * squared_speed(w, t);
    });
    return twice / 2;
  }
  // Sum of armature qd^2, of free joints with the velocity of the joint frame's origin.
  CAROM_HD Real armature_of(int j) const {
    const int first = joints.qd_start[j], count = joints.dof_dim[j][0] + joints.dof_dim[j][1];
    const Real* const qd = joints.qd + first;
    const Real* const armature = joints.armature + first;
    if (velocity_at_com(static_cast<JointType>(joints.type[j]))) {
      const Vec3 p_JCcom = transform_point(inverse(joints.X_c[j]), bodies.com[joints.child[j]]);
      const Vec3 arm = FreeJoint::com_from_origin(joints.q + joints.q_start[j], p_JCcom), w{qd[3], qd[4], qd[5]};
      const Vec3 v = Vec3{qd[0], qd[1], qd[2]} - cross(w, arm);
      return armature[0] * length_squared(v) + armature[3] * length_squared(w);
    }
    Real sum = 0;
    for (int i = 0; i < count; ++i) sum += armature[i] * square(qd[i]);
    return sum;
  }

  CAROM_HD Real potential_energy(int w) const {
    Real sum = 0;
    const Vec3 g = bodies.gravity_of(w);
    body_rows.each(w, [&](int body) CAROM_HD_LAMBDA { sum -= bodies.mass[body] * dot(g, bodies.com_in_world(body)); });
    joint_rows.each(w, [&](int j) CAROM_HD_LAMBDA { sum += springs_of(j); });
    tendon_rows.each(w, [&](int t) CAROM_HD_LAMBDA {
      const Real x = stretch(t, tendons.length ? tendons.length[t] : length_of(w, t));
      sum += energy(tendons.stiffness[t], tendons.stiffness_poly[t], x);
    });
    return sum;
  }
  CAROM_HD Real springs_of(int j) const {
    const int first = joints.qd_start[j], linear = joints.dof_dim[j][0], count = linear + joints.dof_dim[j][1];
    const Real* const q = joints.q + joints.q_start[j];
    const auto way = [&](int i) CAROM_HD_LAMBDA {
      const Real rest = joints.spring_ref[first + i];
      return q[i] - (joints.spring_shift ? rest + joints.spring_shift[first + i] : rest);
    };
    const auto of_dof = [&](int i, Real x) CAROM_HD_LAMBDA {
      return energy(joints.stiffness[first + i], joints.stiffness_poly[first + i], x);
    };
    if (count == 0) return 0;
    Real sum = 0;
    if (turns_at_once(static_cast<JointType>(joints.type[j]))) {
      if (linear == 3) sum = of_dof(0, length(Vec3{way(0), way(1), way(2)}));
      const Quat turn = conjugate(rest_of_turn(first + linear)) * BallJoint::turn(q + linear);
      return sum + of_dof(linear, length(rotation_vector(turn)));
    }
    for (int i = 0; i < count; ++i) sum += of_dof(i, way(i));
    return sum;
  }
  CAROM_HD Quat rest_of_turn(int dof) const {
    const auto turn = [&](const Real* by) CAROM_HD_LAMBDA {
      return quat_from_rotation_vector(Vec3{by[dof], by[dof + 1], by[dof + 2]});
    };
    const Quat rest = turn(joints.spring_ref);
    return joints.spring_shift ? rest * turn(joints.spring_shift) : rest;
  }
  CAROM_HD static Real energy(Real linear, const RealN<2>& poly, Real x) {
    return square(x) * (linear / 2 + poly[0] * x / 3 + poly[1] * square(x) / 4);
  }

  // f(element, its share of the numbers) for all that the tendon consists of.
  template <class Function>
  CAROM_HD void each_share(int w, int tendon, const Real* numbers, const int* start, Function f) const {
    element_rows.each(w, [&](int e) CAROM_HD_LAMBDA {
      if (tendons.element_tendon[e] == tendon)
        f(e, tendons.coef[e] * numbers[start[tendons.element_joint[e]] + tendons.element_axis[e]]);
    });
  }
  CAROM_HD Real length_of(int w, int tendon) const {
    Real sum = 0;
    each_share(w, tendon, joints.q, joints.q_start, [&](int, Real share) CAROM_HD_LAMBDA { sum += share; });
    return sum;
  }
  // As the mass matrix has it: joints of two branches are not coupled by the inertia of a tendon.
  CAROM_HD Real squared_speed(int w, int tendon) const {
    Real sum = 0;
    each_share(w, tendon, joints.qd, joints.qd_start, [&](int e, Real speed) CAROM_HD_LAMBDA {
      each_share(w, tendon, joints.qd, joints.qd_start, [&](int o, Real other) CAROM_HD_LAMBDA {
        const int a = joints.child[tendons.element_joint[e]], b = joints.child[tendons.element_joint[o]];
        if (tree.hangs_on(a, b) || tree.hangs_on(b, a)) sum += speed * other;
      });
    });
    return sum;
  }
  CAROM_HD Real stretch(int t, Real length) const {
    Real lower = tendons.spring_lower[t], upper = tendons.spring_upper[t];
    if (tendons.spring_shift) lower += tendons.spring_shift[t][0], upper += tendons.spring_shift[t][1];
    return max(length - upper, Real(0)) - max(lower - length, Real(0));
  }
};

}  // namespace carom::inline CAROM_PRECISION
