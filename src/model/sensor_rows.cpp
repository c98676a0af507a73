#include "model/sensor_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <sstream>
#include <vector>

#include "base/fail.h"
#include "model/checks.h"
#include "model/entities.h"

namespace carom::inline CAROM_PRECISION {

namespace {

using enum SensorObject;
template <class... Objects>
constexpr SensorObjects any_of(Objects... objects) {
  return (sensor_objects(objects) | ...);
}
constexpr SensorObjects kNothing = any_of(kNone), kAFrame = any_of(kFrame), kMaybeAFrame = any_of(kNone, kFrame),
                        kAJoint = any_of(kJoint), kATendon = any_of(kTendon), kAnActuator = any_of(kActuator),
                        kShapes = any_of(kBody, kShape);

constexpr std::array<SensorFacts, kSensorTypes> kFacts = {{
    {"touch", 1, any_of(kSite), kNothing, "N"},
    {"accelerometer", 3, kAFrame, kNothing, "m/s^2"},
    {"velocimeter", 3, kAFrame, kNothing, "m/s"},
    {"gyro", 3, kAFrame, kNothing, "rad/s"},
    {"force", 3, kAFrame, kNothing, "N"},
    {"torque", 3, kAFrame, kNothing, "N m"},
    {"magnetometer", 3, kAFrame, kNothing, "of options.magnetic"},
    {"rangefinder", 0, kAFrame, kNothing, "m"},
    {"camprojection", 2, kAFrame, kAFrame, "pixel"},
    {"jointpos", 1, kAJoint, kNothing, "m or rad"},
    {"jointvel", 1, kAJoint, kNothing, "m/s or rad/s"},
    {"tendonpos", 1, kATendon, kNothing, "of the tendon"},
    {"tendonvel", 1, kATendon, kNothing, "of the tendon, 1/s"},
    {"actuatorpos", 0, kAnActuator, kNothing, "of its length"},
    {"actuatorvel", 0, kAnActuator, kNothing, "of its length, 1/s"},
    {"actuatorfrc", 0, kAnActuator, kNothing, "N or N m"},
    {"jointactuatorfrc", 1, kAJoint, kNothing, "N or N m"},
    {"tendonactuatorfrc", 1, kATendon, kNothing, "N"},
    {"ballquat", 4, kAJoint, kNothing, "wxyz"},
    {"ballangvel", 3, kAJoint, kNothing, "rad/s"},
    {"jointlimitpos", 1, kAJoint, kNothing, "m or rad"},
    {"jointlimitvel", 1, kAJoint, kNothing, "m/s or rad/s"},
    {"jointlimitfrc", 1, kAJoint, kNothing, "N or N m"},
    {"tendonlimitpos", 1, kATendon, kNothing, "of the tendon"},
    {"tendonlimitvel", 1, kATendon, kNothing, "of the tendon, 1/s"},
    {"tendonlimitfrc", 1, kATendon, kNothing, "N"},
    {"framepos", 3, kAFrame, kMaybeAFrame, "m"},
    {"framequat", 4, kAFrame, kMaybeAFrame, "wxyz"},
    {"framexaxis", 3, kAFrame, kMaybeAFrame, "unit"},
    {"frameyaxis", 3, kAFrame, kMaybeAFrame, "unit"},
    {"framezaxis", 3, kAFrame, kMaybeAFrame, "unit"},
    {"framelinvel", 3, kAFrame, kMaybeAFrame, "m/s"},
    {"frameangvel", 3, kAFrame, kMaybeAFrame, "rad/s"},
    {"framelinacc", 3, kAFrame, kNothing, "m/s^2"},
    {"frameangacc", 3, kAFrame, kNothing, "rad/s^2"},
    {"subtreecom", 3, any_of(kSubtree), kNothing, "m"},
    {"subtreelinvel", 3, any_of(kSubtree), kNothing, "m/s"},
    {"subtreeangmom", 3, any_of(kSubtree), kNothing, "kg m^2/s"},
    {"insidesite", 1, any_of(kFrame, kShape, kSite, kBody, kSubtree), any_of(kSite), "1 or 0, m"},
    {"distance", 1, kShapes, kShapes, "m"},
    {"normal", 3, kShapes, kShapes, "unit"},
    {"fromto", 6, kShapes, kShapes, "m"},
    {"contact", 0, any_of(kNone, kShape, kBody, kSubtree, kSite), any_of(kNone, kShape, kBody, kSubtree), "by field"},
    {"e_potential", 1, kNothing, kNothing, "J"},
    {"e_kinetic", 1, kNothing, kNothing, "J"},
    {"clock", 1, kNothing, kNothing, "s"},
}};

constexpr std::array<const char*, 9> kObjectNames = {"none",  "body",  "subtree", "shape",   "site",
                                                     "frame", "joint", "tendon",  "actuator"};
constexpr std::array<const char*, kContactDataBits> kContactDataNames = {"found",  "force",   "torque", "dist",  "pos",
                                                                         "normal", "tangent", "linvel", "angvel"};
constexpr std::array<int, kContactDataBits> kContactDataSizes = {1, 3, 3, 1, 3, 3, 3, 3, 3};
constexpr std::array<const char*, kRayDataBits> kRayDataNames = {"dist", "dir", "origin", "point", "normal", "depth"};
constexpr std::array<int, kRayDataBits> kRayDataSizes = {1, 3, 3, 3, 3, 1};
constexpr std::array<const char*, 4> kReduceNames = {"none", "mindist", "maxforce", "netforce"};

constexpr std::int64_t kMostKept = 1 << 28;  // numbers of all samples

template <std::size_t N>
int sum_of_bits(int bits, const std::array<int, N>& sizes) {
  int sum = 0;
  for (std::size_t i = 0; i < N; ++i) sum += bits >> i & 1 ? sizes[i] : 0;
  return sum;
}

template <class Names>
std::string listed(const Names& names) {
  std::string list;
  for (const char* name : names) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

template <std::size_t N>
std::string words_of(int bits, const std::array<const char*, N>& names) {
  std::string words;
  for (std::size_t i = 0; i < N; ++i)
    if (bits >> i & 1) words += (words.empty() ? "" : " ") + std::string(names[i]);
  return words;
}

template <std::size_t N>
int bits_of(const std::string& words, const std::array<const char*, N>& names) {
  std::istringstream stream(words);
  int bits = 0;
  for (std::string word; stream >> word;) {
    const auto* const found = std::find(names.begin(), names.end(), word);
    const int bit = 1 << (found - names.begin());
    if (found == names.end() || bit <= bits)
      fail("data '", words, "': '", word, "' is none of ", listed(names), ", in this order and once each");
    bits |= bit;
  }
  if (bits == 0) fail("data is empty; name some of: ", listed(names));
  return bits;
}

std::string names_of(SensorObjects objects) {
  std::string list;
  for (std::size_t i = 0; i < kObjectNames.size(); ++i)
    if (objects >> i & 1) list += (list.empty() ? "" : ", ") + std::string(kObjectNames[i]);
  return list;
}

bool is_of_ball(SensorType type) { return type == SensorType::kBallQuat || type == SensorType::kBallAngVel; }
bool is_limit(SensorType type) { return type >= SensorType::kJointLimitPos && type <= SensorType::kJointLimitFrc; }

// What a joint sensor asks of its joint.
std::string why_no_joint(const ModelData& data, SensorType type, int joint, int axis) {
  const JointType kind = static_cast<JointType>(data.columns.joint_type[joint]);
  const bool turns = kind == JointType::kBall;
  if (is_of_ball(type)) return turns ? "" : text("measures a ball joint, not a ", joint_type_name(kind), " one");
  if (turns && is_limit(type)) return "";
  return why_not_driven(data, joint, axis);
}

std::string why_no_object(const char* what, int type, SensorObjects allowed, int body, int shape, bool is_site) {
  if (type < 0 || type >= static_cast<int>(kObjectNames.size())) return text(what, " ", type, " does not exist");
  const SensorObject object = static_cast<SensorObject>(type);
  if (!(sensor_objects(object) & allowed))
    return text("its ", what, " is of kind ", kObjectNames[type], "; it takes ", names_of(allowed));
  const bool wants_shape = object == kShape || object == kSite;
  if (wants_shape != (shape >= 0)) return text("its ", what, " names ", wants_shape ? "no shape" : "a shape, too");
  if (wants_shape && is_site != (object == kSite))
    return text("its ", what, " is ", is_site ? "a site, not a shape" : "a shape, not a site");
  const bool wants_body = object == kBody || object == kSubtree || object == kFrame;
  if (!wants_body && body >= 0) return text("its ", what, " names a body, too");
  return "";
}

std::string why_no_samples(const ModelColumns<Vector>& c, int s) {
  const auto& [interval, phase] = c.sensor_interval[s];
  if (c.sensor_samples[s] < 0 || c.sensor_samples[s] > kMostDelaySamples)
    return text("samples must be 0 to ", kMostDelaySamples, ", is ", c.sensor_samples[s]);
  if (c.sensor_interpolation[s] < 0 || c.sensor_interpolation[s] > static_cast<int>(Interpolation::kCubic))
    return text("interpolation ", c.sensor_interpolation[s], " does not exist");
  if (interval < 0) return text("interval must not be negative, is ", interval);
  if (phase > 0) return text("the phase of its interval must not be positive, is ", phase);
  if (c.sensor_samples[s] == 0 && (c.sensor_delay[s] > 0 || interval > 0))
    return "has a delay or an interval, but keeps no samples; give at least one";
  return "";
}

std::string why_no_contact_sensor(const ModelColumns<Vector>& c, int s) {
  constexpr int kVelocities = kContactLinVel | kContactAngVel, kMostSlots = 1'000'000;
  if (c.sensor_num[s] < 1 || c.sensor_num[s] > kMostSlots)
    return text("num must be 1 to ", kMostSlots, ", is ", c.sensor_num[s]);
  if (c.sensor_data[s] < 1 || c.sensor_data[s] >= 1 << kContactDataBits)
    return text("data ", c.sensor_data[s], " has unknown bits, or none");
  if (c.sensor_reduce[s] < 0 || c.sensor_reduce[s] >= static_cast<int>(kReduceNames.size()))
    return text("reduce ", c.sensor_reduce[s], " does not exist");
  if (c.sensor_reduce[s] == static_cast<int>(ContactReduce::kNetForce) && c.sensor_data[s] & kVelocities)
    return "a net force has no linvel and angvel";
  return "";
}

std::string why_no_rangefinder(const ModelColumns<Vector>& c, int s) {
  constexpr int kMostPixels = 1 << 24;
  const auto [across, down] = c.sensor_resolution[s];
  if (across < 1 || down < 1 || std::int64_t{across} * down > kMostPixels)
    return text("resolution must be 1 to ", kMostPixels, " pixels, is ", across, " x ", down);
  if (c.sensor_data[s] < 1 || c.sensor_data[s] >= 1 << kRayDataBits)
    return text("data ", c.sensor_data[s], " has unknown bits, or none");
  return "";
}

}  // namespace

bool is_of_actuation(SensorType type) {
  switch (type) {
    case SensorType::kTendonPos:
    case SensorType::kTendonVel:
    case SensorType::kActuatorPos:
    case SensorType::kActuatorVel:
    case SensorType::kActuatorFrc:
    case SensorType::kJointActuatorFrc:
    case SensorType::kTendonActuatorFrc:
    case SensorType::kJointLimitFrc:
    case SensorType::kTendonLimitPos:
    case SensorType::kTendonLimitVel:
    case SensorType::kTendonLimitFrc: return true;
    default: return false;
  }
}

bool keeps_in_sleep(SensorType type) {
  const bool feels = type == SensorType::kTouch || type == SensorType::kForce || type == SensorType::kTorque;
  return feels || type == SensorType::kContact || is_of_actuation(type);
}

const SensorFacts& sensor_facts(SensorType type) { return kFacts[static_cast<int>(type)]; }
const char* sensor_type_name(SensorType type) { return sensor_facts(type).name; }
const char* sensor_unit(SensorType type) { return sensor_facts(type).unit; }
const char* sensor_object_name(SensorObject object) { return kObjectNames[static_cast<int>(object)]; }
const char* contact_reduce_name(ContactReduce reduce) { return kReduceNames[static_cast<int>(reduce)]; }

SensorType parse_sensor_type(const std::string& name) {
  for (int i = 0; i < kSensorTypes; ++i)
    if (name == kFacts[i].name) return static_cast<SensorType>(i);
  std::vector<const char*> names;
  for (const SensorFacts& facts : kFacts) names.push_back(facts.name);
  fail("there is no sensor '", name, "'; use one of: ", listed(names));
}

ContactReduce parse_contact_reduce(const std::string& name) {
  for (std::size_t i = 0; i < kReduceNames.size(); ++i)
    if (name == kReduceNames[i]) return static_cast<ContactReduce>(i);
  fail("there is no reduce '", name, "'; use one of: ", listed(kReduceNames));
}

std::string contact_data_name(int data) { return words_of(data, kContactDataNames); }
int parse_contact_data(const std::string& data) { return bits_of(data, kContactDataNames); }
std::string ray_data_name(int data) { return words_of(data, kRayDataNames); }
int parse_ray_data(const std::string& data) { return bits_of(data, kRayDataNames); }

int contact_data_size(int data) { return sum_of_bits(data, kContactDataSizes); }
int ray_data_size(int data) { return sum_of_bits(data, kRayDataSizes); }

ModelColumns<Vector> sensor_columns(const Model& model) {
  ModelColumns<Vector> c;
  visit_columns([&](const ColumnInfo& info, auto get) {
    if (info.entity != Entity::kSensor && info.entity != Entity::kActuator) return;
    const auto column = get(static_cast<const ModelColumns<Array>&>(model)).on_cpu();
    get(c).assign(column.begin(), column.end());
  });
  return c;
}

int sensor_dim(const ModelColumns<Vector>& c, int s) {
  const SensorType type = static_cast<SensorType>(c.sensor_type[s]);
  const int fixed = sensor_facts(type).dim;
  if (fixed > 0) return fixed;
  if (type == SensorType::kContact) return c.sensor_num[s] * contact_data_size(c.sensor_data[s]);
  if (type == SensorType::kRangefinder)
    return c.sensor_resolution[s][0] * c.sensor_resolution[s][1] * ray_data_size(c.sensor_data[s]);
  return c.actuator_law[c.sensor_actuator[s]] == static_cast<int>(ActuatorLaw::kOrientation) ? 3 : 1;
}

SensorMemory sensor_memory(const ModelColumns<Vector>& c, int s, bool sleeps) {
  const SensorType type = static_cast<SensorType>(c.sensor_type[s]);
  const bool clock = type == SensorType::kClock, contact = type == SensorType::kContact;
  const int samples = c.sensor_samples[s];
  SensorMemory memory;
  memory.readings = clock || c.sensor_noise[s] > 0 || samples > 0 ? 1 : 0;
  memory.times = contact || clock ? 1 : 0;
  memory.totals = contact && sleeps ? 4 : 0;
  memory.kept = sleeps && keeps_in_sleep(type) ? sensor_dim(c, s) : 0;
  memory.history = samples > 0 ? 1 + samples * (1 + sensor_dim(c, s)) : 0;
  return memory;
}

std::string why_no_sensor(const ModelData& data, int s) {
  const ModelColumns<Vector>& c = data.columns;
  if (c.sensor_type[s] < 0 || c.sensor_type[s] >= kSensorTypes)
    return text("type ", c.sensor_type[s], " does not exist");
  const SensorType type = static_cast<SensorType>(c.sensor_type[s]);
  const SensorFacts& facts = sensor_facts(type);
  const auto is_site = [&](int shape) { return shape >= 0 && (c.shape_flags[shape] & kShapeIsSite) != 0; };
  const int object = c.sensor_object_type[s], shape = c.sensor_shape[s], reference_shape = c.sensor_reference_shape[s];
  std::string why = why_no_object("object", object, facts.objects, c.sensor_body[s], shape, is_site(shape));
  if (why.empty())
    why = why_no_object("reference", c.sensor_reference_type[s], facts.references, c.sensor_reference_body[s],
                        reference_shape, is_site(reference_shape));
  const auto goes_with = [&](SensorObject kind, int index, const char* name) {
    if (why.empty() && (static_cast<SensorObject>(object) == kind) != (index >= 0))
      why = text("its object and sensor_", name, " ", index, " do not go together");
  };
  goes_with(kJoint, c.sensor_joint[s], "joint");
  goes_with(kTendon, c.sensor_tendon[s], "tendon");
  goes_with(kActuator, c.sensor_actuator[s], "actuator");
  if (why.empty() && c.sensor_joint[s] >= 0) why = why_no_joint(data, type, c.sensor_joint[s], c.sensor_axis[s]);
  if (why.empty() && type == SensorType::kContact) why = why_no_contact_sensor(c, s);
  if (why.empty() && type == SensorType::kRangefinder) why = why_no_rangefinder(c, s);
  if (why.empty()) why = why_no_samples(c, s);
  if (why.empty() && std::int64_t{c.sensor_samples[s]} * (1 + std::int64_t{sensor_dim(c, s)}) > kMostKept)
    why = text(c.sensor_samples[s], " samples of ", sensor_dim(c, s), " numbers are more than ", kMostKept);
  return why;
}

}  // namespace carom::inline CAROM_PRECISION
