// What smooth forces are made from: structure, numbers and room for those of actuators, drives, springs and tendons.
#pragma once

#include "solvers/mujoco/activation.kernel.h"
#include "solvers/mujoco/controller_view.h"
#include "solvers/mujoco/delays.kernel.h"
#include "solvers/mujoco/path_view.h"
#include "solvers/mujoco/rows/row_work.h"

namespace carom::inline CAROM_PRECISION {

struct ActuatorSlot {
  int q, dof;                    // of an axis of a joint: coordinate in the world, degree of freedom; -1 = of others
  int first_entry, entry_count;  // of others, in actuator_entry
  int number;                    // among the others
  int path;                      // -1 = a fixed tendon
  int activation, muscle;        // its number among those that have one, are one; -1 = does not
  int controller, orientation;   // likewise
  int ctrl;                      // its first one in the part
  int actuator;                  // of the part, whose numbers it has
  bool turns;                    // its length is an angle, which a turn leaves as it is
};
template <class F>
struct ActuatorParams {
  F gear, gain, gain_slope[2], bias[3];
  F ctrl_lower, ctrl_upper, force_lower, force_upper;
};

// ke (target position - q) + kd (target velocity - qd), of a joint's axis.
template <class F>
struct DriveParams {
  F ke, kd;
};

// What few degrees of freedom have: numbers of springs and dampers that are not linear, and whether what carries the
// weight there (gravcomp) is of the actuators.
template <class F>
struct DofExtras {
  F stiffness[2], damping[2];  // per length and its square, per speed and its square
  F gravcomp_by_motor;         // 1 or 0
};

// Actuators of a tendon that bounds what they do together.
struct EffortSlot {
  int first_actuator, actuator_count;  // in effort_actuator
};
template <class F>
struct EffortParams {
  F lower, upper;
};

// A tendon with a spring, a damper or an inertia.
struct SpringSlot {
  int first_entry, entry_count;  // in spring_entry
  int path;                      // -1 = a fixed tendon
};
template <class F>
struct SpringParams {
  F stiffness, damping, lower, upper;
  F stiffness_poly[2], damping_poly[2];
  F armature;
};

struct ForceView {
  Span<const ActuatorSlot> actuator;  // an orientation has three
  int ctrls;                          // numbers of control.ctrl
  Span<const JointEntry> actuator_entry;
  int tendon_actuators;  // those that drive no axis of a joint
  Span<const ActivationSlot> activation;
  int muscles;
  Span<const ControllerSlot> controller;
  Span<const OrientationSlot> orientation;
  Span<const DelaySlot> delay;
  Span<const int> dof_actuator_start;  // actuators of each degree of freedom
  Span<const Index2> dof_actuator;     // (actuator, entry of its tendon or -1)
  Span<const SpringSlot> spring;
  Span<const JointEntry> spring_entry;
  Span<const int> spring_tendon;                   // of the part
  Span<const int> actuator_source, spring_source;  // of entries: entry of a path, -1 = a fixed coefficient
  PathView path;
  Span<const EffortSlot> effort;
  Span<const int> effort_actuator;
  Span<const int> ellipsoid_link;  // of what a fluid pushes as an ellipsoid
  bool has_extras;                 // some degree of freedom has DofExtras in some world
  bool has_armature;               // likewise a tendon has one
  bool pulls_contacts;             // some path is of contacts
  bool has_given;                  // likewise the motion of a body is given
  bool yields;                     // springs of the model may
  bool in_fluid;
  bool compensated;  // gravity is, for some body in some world
  bool damped;       // some degree of freedom has damping in some world: Euler is implicit in it
  bool driven;       // likewise a drive
};

// Of springs that yield; nullptr: none does.
template <class F>
struct YieldWork {
  const F *joint, *tendon;  // by how much, per degree of freedom and per spring; 0: never
  Vec3T<F>* joint_shift;    // where they are relaxed, from where the model says
  F* tendon_shift;          // likewise, two per spring
};

template <class F>
struct ForceWork {
  const ActuatorParams<F>* actuator_params;
  const F* actuator_coef;  // per entry
  const SpringParams<F>* spring_params;
  const F* spring_coef;
  const ActivationParams<F>* activation_params;
  const MuscleParams<F>* muscle_params;
  const ControllerParams<F>* controller_params;
  const F* delay;  // [s], per delay
  PathWork<F> path;
  YieldWork<F> yield;
  F *moving_actuator_coef, *moving_spring_coef;  // room for the coefficients where there are paths
  F *act, *act_rate;                             // per activation
  F* act_span;                                   // likewise [s], where there are controllers
  F* ctrl;
  F* actuator_force;
  F* ungeared_force;            // the same before the gear; nullptr: nobody asks
  Vec3T<F>* motor_force;        // of actuators and drives within their bounds, per degree of freedom; likewise
  F* actuator_damping;          // minus the derivative of its force by the joint's velocity; nullptr: nobody asks
  F* tendon_damping;            // the same of actuators of tendons, by their velocity; nullptr: nobody asks
  Vec3T<F>* damping;            // the same of all that acts at a degree of freedom alone; nullptr: nobody asks
  F* actuator_stiffness;        // minus the derivative by length, of all actuators; nullptr: all but Discrete
  Vec3T<F>* stiffness;          // of actuators and drives of a degree of freedom alone; likewise
  Vec3T<F>* applied;            // of the user, per degree of freedom
  const DriveParams<F>* drive;  // per degree of freedom
  const DofExtras<F>* extras;   // likewise; nullptr: there are none
  const EffortParams<F>* effort_params;
  Vec3T<F>* carried;                 // what carries weights, per degree of freedom; nullptr: nobody asks
  Vec3T<F>*target_pos, *target_vel;  // likewise; nullptr: there are no drives
};

}  // namespace carom::inline CAROM_PRECISION
