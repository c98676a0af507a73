// What each body gets from its parent: the forces that its subtree needs for its motion and against gravity, less those
// that act on it from outside. From the leaves to the roots of a world's joint tree; Newton's and Euler's equations:
//
//   f_C = m a + sum of the children's f - f_outside
//   t_C = I alpha + w x I w + sum of (t + (c_child - c) x f) - t_outside      about the centre of mass c
//
// From outside come contacts, what connects and welds do, and State::body_f. What joints, tendons, actuators and a
// fluid do is not: it passes through joints, or is left out as MuJoCo does.
#pragma once

#include "sensors/accelerate_bodies.kernel.h"

namespace carom::inline CAROM_PRECISION {

// The contacts of all worlds, as Contacts has them.
struct ContactsOfWorlds {
  const int *world_start, *shape0, *shape1;
  const Vec3 *point, *normal, *force, *torque;  // force and torque on shape 1
  const int* shape_body;
  int world_count;

  template <class Function>
  CAROM_HD void each(int world, Function f) const {
    const int slot = world < 0 ? world_count : world;
    for (int c = world_start[slot]; c < world_start[slot + 1]; ++c) f(c);
  }
};

// The constraints that tie bodies together, as SolverForces has them.
struct TiesOfWorlds {
  RowsOfWorlds rows;
  const int *type, *body1, *body2;
  const SpatialVector* force;  // on body 1; nullptr: the solver tells nothing
  const Vec3 *point1, *point2;

  // f(body, point, force and torque on it)
  template <class Function>
  CAROM_HD void each_end(int world, Function f) const {
    if (!force) return;
    rows.each(world, [&](int e) CAROM_HD_LAMBDA {
      const EqualityType tie = static_cast<EqualityType>(type[e]);
      if (tie != EqualityType::kConnect && tie != EqualityType::kWeld) return;
      f(body1[e], point1[e], force[e]);
      f(body2[e], point2[e], force[e] * Real(-1));
    });
  }
};

struct FindWrenches {
  TreeOfWorlds trees;            // those joints alone at both ends of which somebody asks
  Span<const int> asked_bodies;  // of a world; the wrenches of others mean nothing
  SensedBodies bodies;
  const int* body_world;
  const SpatialVector* body_f;  // nullptr: nothing is applied
  ContactsOfWorlds contacts;
  TiesOfWorlds ties;
  SpatialVector* wrench;  // about the centre of mass, world axes [N], [N m]

  CAROM_HD void operator()(int i) const {
    const TreeOfWorlds::Rows rows = trees.rows(i);
    for (const int body : asked_bodies) begin(rows.body + body);
    contacts.each(rows.world, [&](int c) CAROM_HD_LAMBDA {
      const SpatialVector at_point{contacts.force[c], contacts.torque[c]};
      push(rows.world, contacts.shape_body[contacts.shape1[c]], contacts.point[c], at_point);
      push(rows.world, contacts.shape_body[contacts.shape0[c]], contacts.point[c], at_point * Real(-1));
    });
    ties.each_end(rows.world, [&](int body, Vec3 point, const SpatialVector& by)
                                  CAROM_HD_LAMBDA { push(rows.world, body, point, by); });
    for (int j = static_cast<int>(trees.tree.size) - 1; j >= 0; --j) {
      const TreeJoint& joint = trees.tree[j];
      const int parent = rows.parent(joint), child = rows.child(joint);
      const SpatialVector w = wrench[child];
      const Vec3 arm = bodies.com_in_world(child) - bodies.com_in_world(parent);
      wrench[parent] = wrench[parent] + SpatialVector{w.linear, w.angular + cross(arm, w.linear)};
    }
  }

 private:
  CAROM_HD void begin(int body) const {
    const SpatialVector A = bodies.acceleration[body];
    const Quat q = bodies.X_WB[body].q;
    const Mat33& I = bodies.inertia[body];
    const Vec3 w = rotate_inverse(q, bodies.velocity[body].angular), alpha = rotate_inverse(q, A.angular);
    const SpatialVector need{A.linear * bodies.mass[body], rotate(q, I * alpha + cross(w, I * w))};
    wrench[body] = body_f ? need - body_f[body] : need;
  }
  // Pushed from outside, at a point.
  CAROM_HD void push(int world, int body, Vec3 point, const SpatialVector& by) const {
    if (body < 0 || body_world[body] != world) return;
    const Vec3 arm = point - bodies.com_in_world(body);
    wrench[body] = wrench[body] - SpatialVector{by.linear, by.angular + cross(arm, by.linear)};
  }
};

}  // namespace carom::inline CAROM_PRECISION
