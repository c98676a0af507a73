// What sensors measure, of what, and how: the arguments of ModelBuilder::add_sensor().
#pragma once

#include <string>

#include "carom/columns.h"
#include "carom/config.h"

namespace carom::inline CAROM_PRECISION {

// By the names, and in the order, of MuJoCo's; docs/sensors.md says what each of them gives.
enum class SensorType : std::int32_t {
  kTouch,
  kAccelerometer,
  kVelocimeter,
  kGyro,
  kForce,
  kTorque,
  kMagnetometer,
  kRangefinder,
  kCamProjection,
  kJointPos,
  kJointVel,
  kTendonPos,
  kTendonVel,
  kActuatorPos,
  kActuatorVel,
  kActuatorFrc,
  kJointActuatorFrc,
  kTendonActuatorFrc,
  kBallQuat,
  kBallAngVel,
  kJointLimitPos,
  kJointLimitVel,
  kJointLimitFrc,
  kTendonLimitPos,
  kTendonLimitVel,
  kTendonLimitFrc,
  kFramePos,
  kFrameQuat,
  kFrameXAxis,
  kFrameYAxis,
  kFrameZAxis,
  kFrameLinVel,
  kFrameAngVel,
  kFrameLinAcc,
  kFrameAngAcc,
  kSubtreeCom,
  kSubtreeLinVel,
  kSubtreeAngMom,
  kInsideSite,
  kDistance,
  kNormal,
  kFromTo,
  kContact,
  kPotentialEnergy,
  kKineticEnergy,
  kClock,
};
constexpr int kSensorTypes = 46;
const char* sensor_type_name(SensorType type);          // the element of MJCF: "touch", "framepos", "e_kinetic", ...
SensorType parse_sensor_type(const std::string& name);  // throws Error for anything else

const char* sensor_unit(SensorType type);  // of what it gives: "m/s"

// What a sensor looks at. kBody: the shapes of a body; kSubtree: the body and all that hang on it; kSite: a volume;
// kFrame: a frame that a body carries.
enum class SensorObject : std::int32_t { kNone, kBody, kSubtree, kShape, kSite, kFrame, kJoint, kTendon, kActuator };
const char* sensor_object_name(SensorObject object);  // "none", "body", "subtree", ...

struct SensedObject {
  SensorObject type = SensorObject::kNone;
  int index = -1;     // of the body, shape, site, joint, tendon or actuator; a body of -1 is the world
  Transform xform{};  // of a frame, in its body [m]
  int axis = 0;       // of a joint: the degree of freedom
};

// What a contact sensor gives of each contact, bits of SensorConfig::data, in this order: how many contacts match (1
// number); force and torque along normal, tangent and their cross product (3 each); distance of the surfaces, negative
// when they overlap (1); position (3); normal from the first object to the second (3), tangent (3); velocity and
// angular velocity of the second relative to the first, along the same axes (3 each).
enum ContactData : std::int32_t {
  kContactFound = 1,
  kContactForce = 2,
  kContactTorque = 4,
  kContactDist = 8,
  kContactPos = 16,
  kContactNormal = 32,
  kContactTangent = 64,
  kContactLinVel = 128,
  kContactAngVel = 256,
};
constexpr int kContactDataBits = 9;
int contact_data_size(int data);                  // numbers of one contact
std::string contact_data_name(int data);          // "found force pos"
int parse_contact_data(const std::string& data);  // words in this order, each once; throws Error for anything else

// Which contacts a sensor gives where more match than it has slots: the first ones; those that overlap most, deepest
// first; those with the largest force, largest first; or one that stands for all of them, in the axes of the world.
enum class ContactReduce : std::int32_t { kNone, kMinDist, kMaxForce, kNetForce };
const char* contact_reduce_name(ContactReduce reduce);        // "none", "mindist", "maxforce", "netforce"
ContactReduce parse_contact_reduce(const std::string& name);  // throws Error for anything else

// What a rangefinder gives of each ray, bits of SensorConfig::data: how far it goes (1 number), its direction, its
// origin, the point and the normal that it meets (3 each), and the depth of that point in the camera (1).
enum RayData : std::int32_t {
  kRayDist = 1,
  kRayDir = 2,
  kRayOrigin = 4,
  kRayPoint = 8,
  kRayNormal = 16,
  kRayDepth = 32,
};
constexpr int kRayDataBits = 6;
int ray_data_size(int data);                  // numbers of one ray
std::string ray_data_name(int data);          // "dist normal"
int parse_ray_data(const std::string& data);  // words in this order, each once; throws Error for anything else

struct SensorConfig {
  int data = 1;  // bits of ContactData or RayData
  ContactReduce reduce = ContactReduce::kNone;
  int num = 1;              // contacts that a contact sensor has room for
  RealN<4> camera{};        // of what looks through one: focal lengths, principal point [pixels]
  Index2 resolution{1, 1};  // of it: pixels across and down
  Real cutoff = 0;          // values are clamped to it; 0: they are not
  Real noise = 0;           // standard deviation of what is added
  Real delay = 0;           // a reading is so old [s]
  int samples = 0;          // readings that are kept; at least 1 for a delay or an interval
  Interpolation interpolation = Interpolation::kHold;
  RealN<2> interval{};  // it reads every so often [s], and first so much before that, not positive; 0: each step
};

}  // namespace carom::inline CAROM_PRECISION
