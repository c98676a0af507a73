// <sensor>: what is measured, of what, against what. Names are resolved when the model is compiled.
#include <algorithm>
#include <iterator>
#include <sstream>

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

// Words in their order, each once; bits of their places.
int ordered_words(const MjcfAttributes& given, std::initializer_list<const char*> known) {
  std::istringstream stream(given.text("data"));
  int bits = 0;
  const char* const* next = known.begin();
  for (std::istream_iterator<std::string> word(stream), end; word != end; ++word) {
    const char* const* found = std::find(next, known.end(), *word);
    if (found == known.end()) {
      std::string list;
      for (const char* one : known) list += (list.empty() ? "" : ", ") + std::string(one);
      given.fail_at("data", "'", *word, "' is none of ", list, ", in this order and once each");
    }
    bits |= 1 << (found - known.begin());
    next = found + 1;
  }
  return bits == 0 ? 1 : bits;
}

int sum_of_sizes(int bits, std::initializer_list<int> sizes) {
  int sum = 0, bit = 0;
  for (const int size : sizes) sum += bits >> bit++ & 1 ? size : 0;
  return sum;
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
  const int data =
      ordered_words(given, {"found", "force", "torque", "dist", "pos", "normal", "tangent", "linvel", "angvel"});
  const int reduce = given.word("reduce", 0), slots = given.integer("num", 1);
  constexpr int kForces = 1 << 1 | 1 << 2, kVelocities = 1 << 7 | 1 << 8, kMaxForce = 2, kNetForce = 3;
  if (slots <= 0) given.fail_at("num", "must be positive, is ", slots);
  if (reduce == kNetForce && (data & kVelocities)) given.fail_at("reduce", "netforce has no linvel and angvel");
  constexpr int kMostSlots = 1'000'000;  // the width of the sensor stays an integer
  if (slots > kMostSlots) given.fail_at("num", "is more than ", kMostSlots);
  sensor.integers = {data, reduce, slots};
  sensor.dim = slots * sum_of_sizes(data, {1, 3, 3, 1, 3, 3, 3, 3, 3});
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
      sensor.integers[0] = ordered_words(given, {"dist", "dir", "origin", "point", "normal", "depth"});
      sensor.dim = sum_of_sizes(sensor.integers[0], {1, 3, 3, 3, 3, 1});  // of one ray
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

}  // namespace

void read_sensors(MjcfReading& in, const XmlNode& node) {
  read_attributes(node, mjcf_rule("sensor"), in.messages);
  for (const RuledNode& child : ruled_children(in, node, mjcf_rule("sensor"))) {
    const MjcfAttributes given = read_attributes(*child.node, *child.rule, in.messages);
    const auto* kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                    [&](const SensorKind& k) { return child.rule->tag == k.element; });
    if (kind == std::end(kKinds)) fail_at(*child.node, "is no sensor");
    SensorSpec sensor;
    sensor.place = child.node->place;
    sensor.element = kind->element;
    sensor.name = given.text("name");
    sensor.type = static_cast<int>(kind - std::begin(kKinds));
    sensor.dim = kind->dim;
    sensor.datatype = kind->datatype;
    sensor.stage = kind->stage;
    sensor.unit = kind->unit;
    read_names(sensor, given, kind->names);
    read_sensor_numbers(sensor, given);
    in.spec.sensors.push_back(std::move(sensor));
  }
}

}  // namespace carom::inline CAROM_PRECISION
