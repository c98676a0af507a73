// The numbers that MuJoCo 4.0 gives to types and flags, and what they are called.
#pragma once

#include <span>
#include <string>

namespace carom {

namespace mj {

enum Disable : int {
  kNoConstraint = 1 << 0,
  kNoEquality = 1 << 1,
  kNoFrictionloss = 1 << 2,
  kNoLimit = 1 << 3,
  kNoContact = 1 << 4,
  kNoSpring = 1 << 5,
  kNoDamper = 1 << 6,
  kNoGravity = 1 << 7,
  kNoClampctrl = 1 << 8,
  kNoFilterparent = 1 << 10,
  kNoActuation = 1 << 11,
  kNoRefsafe = 1 << 12,
  kNoSensor = 1 << 13,
  kNoEulerdamp = 1 << 15,
  kNoIsland = 1 << 18,
};
inline constexpr int kDisableFlags = 20;  // all of them are expressed, or leave the motion alone

enum Enable : int { kOverride = 1 << 0, kSleep = 1 << 4, kDiagexact = 1 << 5, kIpc = 1 << 6, kSpeculative = 1 << 7 };
inline constexpr int kEnableFlags = 8;

enum Joint : int { kFree, kBall, kSlide, kHinge };
enum SameFrame : int { kNone, kBody, kInertia, kBodyTurn, kInertiaTurn };
enum Geom : int { kPlane, kHfield, kSphere, kCapsule, kEllipsoid, kCylinder, kBox, kMesh, kSdf };
enum Wrap : int { kWrapJoint = 1, kWrapPulley, kWrapSite, kWrapSphere, kWrapCylinder };
enum Equality : int { kConnect, kWeld, kEqualJoints, kEqualTendons };
enum Transmission : int { kTrnJoint, kTrnJointInParent, kTrnSliderCrank, kTrnTendon, kTrnSite, kTrnBody, kTrnSo3 };
enum Dynamics : int { kDynNone, kDynIntegrator, kDynFilter, kDynFilterExact, kDynMuscle, kDynDcMotor, kDynPid };
enum Gain : int { kGainFixed, kGainAffine, kGainMuscle, kGainDcMotor, kGainSo3, kGainPid };
enum Bias : int { kBiasNone, kBiasAffine, kBiasMuscle, kBiasDcMotor, kBiasSo3 };
enum Object : int {  // mjtObj
  kObjectBody = 1,
  kObjectFrame,  // of a body: xbody
  kObjectJoint,
  kObjectGeom = 5,
  kObjectSite,
  kObjectCamera,
  kObjectLight,
  kObjectMesh = 10,
  kObjectHeightfield = 12,
  kObjectTendon = 18,
  kObjectActuator
};
enum Camera : int { kCameraFixed };      // mjtCamLight
enum Projection : int { kPerspective };  // mjtProjection
enum DataType : int { kReal, kPositive, kAxis, kQuaternion };
enum Stage : int { kStageNone, kStagePosition, kStageVelocity, kStageAcceleration };
enum Sensor : int {  // those that are asked for by name
  kSensorTouch = 0,
  kSensorRangefinder = 7,
  kSensorCameraProjection,
  kSensorBallQuaternion = 18,
  kSensorBallAngularVelocity,
  kSensorJointLimitPosition,
  kSensorTendonLimitForce = 25,
  kSensorSubtreeCom = 35,
  kSensorSubtreeAngularMomentum = 37,
  kSensorInsideSite = 38,
  kSensorDistance,
  kSensorNormal,
  kSensorFromTo,
  kSensorContact,
  kSensorTactile = 46,
  kSensorUser = 48
};
inline constexpr int kKnownSensors = 46;  // from here on: tactile, plugin, user
inline bool is_known_sensor(int type) { return type >= 0 && type < kKnownSensors; }
inline constexpr int kCtrlExponential = 1, kCtrlQuaternion = 2;  // mjtCtrlChart
enum Input : int {
  kInputPosition = 1,
  kInputVelocity = 2,
  kInputForce = 4,
  kInputVoltage = 8,
  kInputNone = 16,
  kInputPressure = 32
};

inline constexpr const char* kTransmissionNames[] = {"joint", "jointinparent", "slidercrank", "tendon",
                                                     "site",  "body",          "so3"};
inline constexpr const char* kDynamicsNames[] = {"none",   "integrator", "filter", "filterexact",
                                                 "muscle", "dcmotor",    "pid",    "user"};
inline constexpr const char* kGainNames[] = {"fixed", "affine", "muscle", "dcmotor", "so3", "pid", "user"};
inline constexpr const char* kBiasNames[] = {"none", "affine", "muscle", "dcmotor", "so3", "user"};
inline constexpr const char* kEqualityNames[] = {"connect", "weld",     "joint",      "tendon",
                                                 "flex",    "flexvert", "flexstrain", "distance"};

inline int dof_count(int joint_type) { return joint_type == kFree ? 6 : joint_type == kBall ? 3 : 1; }

// The name, or the number of what a newer MuJoCo has.
inline std::string name_of(std::span<const char* const> names, int value) {
  const bool known = value >= 0 && static_cast<std::size_t>(value) < names.size();
  return known ? names[value] : std::to_string(value);
}

}  // namespace mj

}  // namespace carom
