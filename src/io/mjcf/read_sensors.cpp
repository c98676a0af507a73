// <sensor>: what is measured, of what, against what. Names are resolved when the model is compiled.
#include <algorithm>
#include <iterator>

#include "carom/sensor_config.h"
#include "io/mjcf/mujoco_enums.h"
#include "io/mjcf/reading.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// What an element names.
enum class Names { kNothing, kSite, kJoint, kTendon, kActuator, kBody, kFrame, kTwoFrames, kTwoShapes, kOther };

struct SensorKind {
  const char* element;
  int dim;
  int datatype = mj::kReal;
  int stage = mj::kStagePosition;
  Names names = Names::kOther;
  SensorUnit unit = SensorUnit::kNone;
};

// In the order of mjtSensor.
constexpr SensorKind kKinds[] = {
    {"touch", 1, mj::kPositive, mj::kStageAcceleration, Names::kSite, SensorUnit::kForce},
    {"accelerometer", 3, mj::kReal, mj::kStageAcceleration, Names::kSite, SensorUnit::kLength},
    {"velocimeter", 3, mj::kReal, mj::kStageVelocity, Names::kSite, SensorUnit::kLength},
    {"gyro", 3, mj::kReal, mj::kStageVelocity, Names::kSite},
    {"force", 3, mj::kReal, mj::kStageAcceleration, Names::kSite, SensorUnit::kForce},
    {"torque", 3, mj::kReal, mj::kStageAcceleration, Names::kSite, SensorUnit::kTorque},
    {"magnetometer", 3, mj::kReal, mj::kStagePosition, Names::kSite},
    {"rangefinder", 0, mj::kReal, mj::kStagePosition, Names::kOther, SensorUnit::kLength},
    {"camprojection", 2},
    {"jointpos", 1, mj::kReal, mj::kStagePosition, Names::kJoint, SensorUnit::kCoordinate},
    {"jointvel", 1, mj::kReal, mj::kStageVelocity, Names::kJoint, SensorUnit::kCoordinate},
    {"tendonpos", 1, mj::kReal, mj::kStagePosition, Names::kTendon, SensorUnit::kCoordinate},
    {"tendonvel", 1, mj::kReal, mj::kStageVelocity, Names::kTendon, SensorUnit::kCoordinate},
    {"actuatorpos", 1, mj::kReal, mj::kStagePosition, Names::kActuator, SensorUnit::kCoordinate},
    {"actuatorvel", 1, mj::kReal, mj::kStageVelocity, Names::kActuator, SensorUnit::kCoordinate},
    {"actuatorfrc", 1, mj::kReal, mj::kStageAcceleration, Names::kActuator, SensorUnit::kCoordinateForce},
    {"jointactuatorfrc", 1, mj::kReal, mj::kStageAcceleration, Names::kJoint, SensorUnit::kCoordinateForce},
    {"tendonactuatorfrc", 1, mj::kReal, mj::kStageAcceleration, Names::kTendon, SensorUnit::kCoordinateForce},
    {"ballquat", 4, mj::kQuaternion, mj::kStagePosition, Names::kJoint},
    {"ballangvel", 3, mj::kReal, mj::kStageVelocity, Names::kJoint},
    {"jointlimitpos", 1, mj::kReal, mj::kStagePosition, Names::kJoint, SensorUnit::kCoordinate},
    {"jointlimitvel", 1, mj::kReal, mj::kStageVelocity, Names::kJoint, SensorUnit::kCoordinate},
    {"jointlimitfrc", 1, mj::kReal, mj::kStageAcceleration, Names::kJoint, SensorUnit::kCoordinateForce},
    {"tendonlimitpos", 1, mj::kReal, mj::kStagePosition, Names::kTendon, SensorUnit::kCoordinate},
    {"tendonlimitvel", 1, mj::kReal, mj::kStageVelocity, Names::kTendon, SensorUnit::kCoordinate},
    {"tendonlimitfrc", 1, mj::kReal, mj::kStageAcceleration, Names::kTendon, SensorUnit::kCoordinateForce},
    {"framepos", 3, mj::kReal, mj::kStagePosition, Names::kTwoFrames, SensorUnit::kLength},
    {"framequat", 4, mj::kQuaternion, mj::kStagePosition, Names::kTwoFrames},
    {"framexaxis", 3, mj::kAxis, mj::kStagePosition, Names::kTwoFrames},
    {"frameyaxis", 3, mj::kAxis, mj::kStagePosition, Names::kTwoFrames},
    {"framezaxis", 3, mj::kAxis, mj::kStagePosition, Names::kTwoFrames},
    {"framelinvel", 3, mj::kReal, mj::kStageVelocity, Names::kTwoFrames, SensorUnit::kLength},
    {"frameangvel", 3, mj::kReal, mj::kStageVelocity, Names::kTwoFrames},
    {"framelinacc", 3, mj::kReal, mj::kStageAcceleration, Names::kFrame, SensorUnit::kLength},
    {"frameangacc", 3, mj::kReal, mj::kStageAcceleration, Names::kFrame},
    {"subtreecom", 3, mj::kReal, mj::kStagePosition, Names::kBody, SensorUnit::kLength},
    {"subtreelinvel", 3, mj::kReal, mj::kStageVelocity, Names::kBody, SensorUnit::kLength},
    {"subtreeangmom", 3, mj::kReal, mj::kStageVelocity, Names::kBody, SensorUnit::kTorque},
    {"insidesite", 1, mj::kPositive},
    {"distance", 1, mj::kReal, mj::kStagePosition, Names::kTwoShapes, SensorUnit::kLength},
    {"normal", 3, mj::kAxis, mj::kStagePosition, Names::kTwoShapes},
    {"fromto", 6, mj::kReal, mj::kStagePosition, Names::kTwoShapes, SensorUnit::kLength},
    {"contact", 0},
    {"e_potential", 1, mj::kReal, mj::kStagePosition, Names::kNothing},
    {"e_kinetic", 1, mj::kReal, mj::kStagePosition, Names::kNothing},
    {"clock", 1, mj::kReal, mj::kStagePosition, Names::kNothing},
    {"tactile", 0, mj::kReal, mj::kStageVelocity},
    {"plugin", 0},
    {"user", 0},
};

// mjtObj of the words of 'objtype' and 'reftype'.
constexpr int kFrameObjects[] = {mj::kObjectBody, mj::kObjectFrame, mj::kObjectGeom, mj::kObjectSite,
                                 mj::kObjectCamera};

MjcfObject named(const MjcfAttributes& given, const char* attribute, int type) {
  return {type, given.needed_text(attribute)};
}

MjcfObject framed(const MjcfAttributes& given, const char* type, const char* name) {
  if (!given.has(type)) given.fail_at(type, "is missing");
  return {kFrameObjects[given.word(type, 0)], given.needed_text(name)};
}

struct Choice {
  const char* attribute;
  int type;
};

// At most one of these attributes.
MjcfObject chosen(const MjcfAttributes& given, std::initializer_list<Choice> choices, bool needed) {
  MjcfObject object;
  const char* first = nullptr;
  for (const Choice& choice : choices) {
    if (!given.has(choice.attribute)) continue;
    if (first) given.fail_at(choice.attribute, "is given together with ", first);
    first = choice.attribute;
    object = named(given, choice.attribute, choice.type);
  }
  if (needed && !first) given.fail_at(choices.begin()->attribute, "is missing");
  return object;
}

// The bits that the words of 'data' stand for; without words the first.
int data_bits(const MjcfAttributes& given, int (*parse)(const std::string&)) {
  const std::string data = given.text("data");
  if (data.find_first_not_of(" \t\r\n") == std::string::npos) return 1;
  try {
    return parse(data);
  } catch (const Error& error) {
    given.fail_at("data", error.what());
  }
}

void read_contact_criteria(SensorSpec& sensor, const MjcfAttributes& given) {
  sensor.object = chosen(given,
                         {{"geom1", mj::kObjectGeom},
                          {"body1", mj::kObjectBody},
                          {"subtree1", mj::kObjectFrame},
                          {"site", mj::kObjectSite}},
                         false);
  sensor.reference =
      chosen(given, {{"geom2", mj::kObjectGeom}, {"body2", mj::kObjectBody}, {"subtree2", mj::kObjectFrame}}, false);
  const int data = data_bits(given, parse_contact_data);
  const int reduce = given.word("reduce", 0), slots = given.integer("num", 1);
  constexpr int kForces = kContactForce | kContactTorque, kVelocities = kContactLinVel | kContactAngVel;
  constexpr int kMaxForce = static_cast<int>(ContactReduce::kMaxForce);
  constexpr int kNetForce = static_cast<int>(ContactReduce::kNetForce);
  if (slots <= 0) given.fail_at("num", "must be positive, is ", slots);
  if (reduce == kNetForce && (data & kVelocities)) given.fail_at("reduce", "netforce has no linvel and angvel");
  constexpr int kMostSlots = 1'000'000;  // the width of the sensor stays an integer
  if (slots > kMostSlots) given.fail_at("num", "is more than ", kMostSlots);
  sensor.integers = {data, reduce, slots};
  sensor.dim = slots * contact_data_size(data);
  const bool forces = (data & kForces) || reduce == kMaxForce || reduce == kNetForce;
  sensor.stage = forces ? mj::kStageAcceleration : data & kVelocities ? mj::kStageVelocity : mj::kStagePosition;
}

void read_user_sensor(SensorSpec& sensor, const MjcfAttributes& given) {
  struct Word {
    const char* word;
    int type;
  };
  constexpr Word kWords[] = {
      {"body", mj::kObjectBody},     {"xbody", mj::kObjectFrame},      {"joint", mj::kObjectJoint},
      {"geom", mj::kObjectGeom},     {"site", mj::kObjectSite},        {"camera", mj::kObjectCamera},
      {"light", mj::kObjectLight},   {"mesh", mj::kObjectMesh},        {"hfield", mj::kObjectHeightfield},
      {"tendon", mj::kObjectTendon}, {"actuator", mj::kObjectActuator}};
  if (!given.has("dim")) given.fail_at("dim", "is missing");
  sensor.dim = given.integer("dim", 0);
  if (sensor.dim < 0) given.fail_at("dim", "is negative");
  sensor.datatype = given.word("datatype", mj::kReal);
  sensor.stage = given.word("needstage", mj::kStageAcceleration);
  if (sensor.datatype == mj::kAxis && sensor.dim != 3) given.fail_at("dim", "of an axis is 3");
  if (sensor.datatype == mj::kQuaternion && sensor.dim != 4) given.fail_at("dim", "of a quaternion is 4");
  if (given.has("objtype") != given.has("objname")) given.fail_at("objname", "and objtype are given together");
  if (!given.has("objtype")) return;
  const std::string type = given.text("objtype");
  const auto* found = std::find_if(std::begin(kWords), std::end(kWords), [&](const Word& w) { return type == w.word; });
  if (found == std::end(kWords)) given.fail_at("objtype", "'", type, "' cannot be measured");
  sensor.object = named(given, "objname", found->type);
}

// Sensors that are one of a kind.
void read_special(SensorSpec& sensor, const MjcfAttributes& given) {
  switch (sensor.type) {
    case mj::kSensorRangefinder: {
      sensor.object = chosen(given, {{"site", mj::kObjectSite}, {"camera", mj::kObjectCamera}}, true);
      sensor.integers[0] = data_bits(given, parse_ray_data);
      sensor.dim = ray_data_size(sensor.integers[0]);  // of one ray
      break;
    }
    case mj::kSensorCameraProjection:
      sensor.object = named(given, "site", mj::kObjectSite);
      sensor.reference = named(given, "camera", mj::kObjectCamera);
      break;
    case mj::kSensorInsideSite:
      sensor.object = framed(given, "objtype", "objname");
      sensor.reference = named(given, "site", mj::kObjectSite);
      sensor.integers[0] = given.is_true("enclosed", false);
      if (sensor.integers[0]) sensor.datatype = mj::kReal;
      if (sensor.integers[0]) sensor.unit = SensorUnit::kLength;
      break;
    case mj::kSensorContact: read_contact_criteria(sensor, given); break;
    case mj::kSensorTactile:
      sensor.object = named(given, "mesh", mj::kObjectMesh);
      sensor.reference = named(given, "geom", mj::kObjectGeom);
      break;
    default: read_user_sensor(sensor, given);
  }
}

void read_names(SensorSpec& sensor, const MjcfAttributes& given, Names names) {
  switch (names) {
    case Names::kNothing: break;
    case Names::kSite: sensor.object = named(given, "site", mj::kObjectSite); break;
    case Names::kJoint: sensor.object = named(given, "joint", mj::kObjectJoint); break;
    case Names::kTendon: sensor.object = named(given, "tendon", mj::kObjectTendon); break;
    case Names::kActuator: sensor.object = named(given, "actuator", mj::kObjectActuator); break;
    case Names::kBody: sensor.object = named(given, "body", mj::kObjectBody); break;
    case Names::kFrame: sensor.object = framed(given, "objtype", "objname"); break;
    case Names::kTwoFrames:
      sensor.object = framed(given, "objtype", "objname");
      if (given.has("reftype") || given.has("refname")) sensor.reference = framed(given, "reftype", "refname");
      break;
    case Names::kTwoShapes:
      sensor.object = chosen(given, {{"geom1", mj::kObjectGeom}, {"body1", mj::kObjectBody}}, true);
      sensor.reference = chosen(given, {{"geom2", mj::kObjectGeom}, {"body2", mj::kObjectBody}}, true);
      break;
    case Names::kOther: read_special(sensor, given);
  }
}

// What all sensors have; those of users and of touching meshes lack some.
void read_sensor_numbers(SensorSpec& sensor, const MjcfAttributes& given) {
  const auto known = [&](const char* name) { return given.rule->find(name) != nullptr; };
  given.read("cutoff", sensor.cutoff);
  if (known("noise")) given.read("noise", sensor.noise);
  if (known("nsample")) {
    sensor.samples = given.integer("nsample", 0);
    sensor.interpolation = given.word("interp", 0);
    given.read("delay", sensor.delay);
    given.read("interval", sensor.interval);
  }
  if (sensor.cutoff < 0) given.fail_at("cutoff", "is negative");
  if (sensor.noise < 0) given.fail_at("noise", "is negative");
  if (sensor.interval[0] < 0) given.fail_at("interval", "is negative");
  if (sensor.interval[1] > 0) given.fail_at("interval", "the phase is positive");
  if (sensor.delay > 0 && sensor.samples <= 0) given.fail_at("delay", "needs a positive nsample");
  const bool is_direction = sensor.datatype == mj::kAxis || sensor.datatype == mj::kQuaternion;
  if (sensor.cutoff > 0 && is_direction && sensor.type != mj::kSensorNormal)
    given.fail_at("cutoff", "an axis or quaternion has none");
}

SensorSpec read_sensor(MjcfReading& in, const RuledNode& at) {
  const MjcfAttributes given = read_attributes(*at.node, *at.rule, in.messages);
  const auto* kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                  [&](const SensorKind& k) { return at.rule->tag == k.element; });
  if (kind == std::end(kKinds)) fail_at(*at.node, "is no sensor");
  SensorSpec sensor;
  sensor.place = at.node->place;
  sensor.element = kind->element;
  sensor.name = given.text("name");
  sensor.type = static_cast<int>(kind - std::begin(kKinds));
  sensor.dim = kind->dim;
  sensor.datatype = kind->datatype;
  sensor.stage = kind->stage;
  sensor.unit = kind->unit;
  read_names(sensor, given, kind->names);
  read_sensor_numbers(sensor, given);
  return sensor;
}

}  // namespace

void read_sensors(MjcfReading& in, const XmlNode& node) {
  read_attributes(node, mjcf_rule("sensor"), in.messages);
  for (const RuledNode& child : ruled_children(in, node, mjcf_rule("sensor"))) {
    const std::string* name = child.node->find("name");
    naming_sensor(name ? *name : "", [&] { in.spec.sensors.push_back(read_sensor(in, child)); });
  }
}

}  // namespace carom::inline CAROM_PRECISION
