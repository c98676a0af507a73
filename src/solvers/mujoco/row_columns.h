// The columns of a model that rows, tendons and actuators of parts are made from.
#pragma once

#include "carom/model.h"
#include "solvers/mujoco/ellipsoid_params.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Bits of PartNeeds.
inline constexpr std::uint8_t kNeedsLimit = 1;
inline constexpr std::uint8_t kNeedsBothEnds = 2;  // of the limit: they are near each other
inline constexpr std::uint8_t kNeedsLimits = kNeedsLimit | kNeedsBothEnds;
inline constexpr std::uint8_t kNeedsForce = 4;      // damping of a joint, spring or damper of a tendon, gravcomp
inline constexpr std::uint8_t kNeedsFriction = 8;   // dry friction
inline constexpr std::uint8_t kNeedsDrive = 16;     // of a joint
inline constexpr std::uint8_t kNeedsExtras = 32;    // of a joint: DofExtras
inline constexpr std::uint8_t kNeedsGiven = 32;     // of bodies: the motion of one is given
inline constexpr std::uint8_t kNeedsEffort = 16;    // of a tendon: bounds of what its actuators do
inline constexpr std::uint8_t kNeedsArmature = 32;  // of a tendon
inline constexpr std::uint8_t kNeedsYield = 64;     // of a tendon: its spring does
inline constexpr std::uint8_t kNeedsStroke = 128;   // of a tendon: a sensor reads its length or velocity

// Rows of limits, of joints or of tendons.
struct LimitColumns {
  const Real *lower, *upper, *margin;
  const RealN<2>* solref;
  const RealN<5>* solimp;

  CAROM_HD std::uint8_t needs(int row) const {
    const bool limited = lower[row] > -kUnlimited || upper[row] < kUnlimited;
    if (!limited) return 0;
    return upper[row] - lower[row] < 2 * margin[row] ? kNeedsLimit | kNeedsBothEnds : kNeedsLimit;
  }
};

// How rows pull back.
struct ImpedanceColumns {
  const RealN<2>* solref;
  const RealN<5>* solimp;
};

struct RowColumns {
  LimitColumns joint_limit, tendon_limit;
  const Real *joint_friction, *tendon_friction;
  const Real *joint_spring_yield, *tendon_spring_yield;
  const Real *drive_ke, *drive_kd;
  const RealN<2>*joint_stiffness_poly, *joint_damping_poly;
  const int* joint_gravcomp_by_motor;
  ImpedanceColumns joint_friction_impedance, tendon_friction_impedance, equality_impedance;
  const int* equality_enabled;
  const Vec3 *equality_anchor, *equality_anchor2;
  const Real* equality_torquescale;
  const Transform* equality_relpose;
  const RealN<4>* equality_axes;
  const RealN<5>* equality_polycoef;
  const Real* body_gravcomp;
  const RealN<4>* body_fluid_axes;
  EllipsoidColumns ellipsoid;
  const Transform* tendon_point_xform;
  const Real *tendon_point_radius, *tendon_point_divisor;
  const Vec3* tendon_point_side;
  const Real *tendon_stiffness, *tendon_damping, *tendon_spring_lower, *tendon_spring_upper;
  const RealN<2>*tendon_stiffness_poly, *tendon_damping_poly;
  const std::uint8_t* tendon_sensed;
  const Real *tendon_armature, *tendon_effort_lower, *tendon_effort_upper;
  const Real* tendon_joint_coef;
  const Transform *actuator_site, *actuator_reference;
  const SpatialVector* actuator_wrench;
  const int* actuator_in_parent;
  const Real* actuator_rod;
  const Real *actuator_gear, *actuator_gain;
  const RealN<2>* actuator_gain_slope;
  const RealN<3>* actuator_bias;
  const RealN<10>* actuator_muscle;
  const RealN<3>* actuator_time;
  const int* actuator_act_early;
  const Real *actuator_act_lower, *actuator_act_upper;
  const Real *ctrl_lower, *ctrl_upper, *actuator_force_lower, *actuator_force_upper;  // of ctrl: per input
  const Real* actuator_delay;
  const RealN<5>*controller_gains, *controller_winding, *controller_heat, *controller_bristles;
  const RealN<3>* controller_cogging;
};

}  // namespace carom::inline CAROM_PRECISION
