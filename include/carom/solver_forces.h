// What a solver knows beside the forces of contacts, for sensors. Arrays that say nothing about a solver, and those
// that no sensor of the model asks for, are empty.
#pragma once

#include "carom/array.h"
#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

// Of the instant from which the last step began.
struct SolverForces {
  // By ctrl: that of an actuator is where its first one is (Model::actuator_ctrl_start), of an orientation three.
  Array<Real> actuator_length, actuator_velocity;  // times the gear [m], [rad]; [m/s], [rad/s]
  Array<Real> actuator_force;                      // before the gear, within its bounds [N], [N m]
  Array<Real> tendon_length, tendon_velocity;      // by tendon [m], [rad]; [m/s], [rad/s]
  // By degree of freedom [N], [N m]: of all actuators and drives together, within the bounds of the joint, ...
  Array<Real> joint_actuator_force;
  Array<Real> joint_limit_force;   // ... and of its limit, towards the inside; of a ball joint at its first one
  Array<Real> tendon_limit_force;  // by tendon, likewise
  // By equality constraint, of those that tie bodies together (connect, weld): force [N] and torque [N m] on the first
  // body, world axes, and the points of both bodies at which they act; the second body gets the negatives [m].
  Array<SpatialVector> equality_force;
  Array<Vec3> equality_point1, equality_point2;
};

// Calls visit(name, member, doc) for every array.
template <class Visit>
void visit_forces(Visit&& visit) {
  using F = SolverForces;
  visit("actuator_length", &F::actuator_length, "by ctrl: where an actuator's first one is, of an orientation three");
  visit("actuator_velocity", &F::actuator_velocity, "likewise; both times the gear");
  visit("actuator_force", &F::actuator_force, "likewise, before the gear");
  visit("tendon_length", &F::tendon_length, "by tendon");
  visit("tendon_velocity", &F::tendon_velocity, "by tendon");
  visit("joint_actuator_force", &F::joint_actuator_force, "by degree of freedom: of all actuators and drives together");
  visit("joint_limit_force", &F::joint_limit_force, "by degree of freedom, towards the inside of the limits");
  visit("tendon_limit_force", &F::tendon_limit_force, "by tendon, likewise");
  visit("equality_force", &F::equality_force,
        "by equality constraint, of those that tie bodies together: force and torque on the first body, world axes");
  visit("equality_point1", &F::equality_point1, "likewise: where they act on the first body");
  visit("equality_point2", &F::equality_point2, "likewise: where their negatives act on the second body");
}

}  // namespace carom::inline CAROM_PRECISION
