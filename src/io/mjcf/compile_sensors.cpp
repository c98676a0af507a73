// Sensors: names to indices, and how many numbers each gives.
#include <algorithm>
#include <iterator>
#include <set>

#include "io/mjcf/compile.h"
#include "io/mjcf/mujoco_enums.h"

namespace carom::inline CAROM_PRECISION {

namespace {

struct ObjectKind {
  int type;
  const char* kind;
  NameIndex Compiling::*names;
};
constexpr ObjectKind kObjectKinds[] = {{mj::kObjectBody, "body", &Compiling::bodies},
                                       {mj::kObjectFrame, "body", &Compiling::bodies},
                                       {mj::kObjectJoint, "joint", &Compiling::joints},
                                       {mj::kObjectGeom, "geom", &Compiling::geoms},
                                       {mj::kObjectSite, "site", &Compiling::sites},
                                       {mj::kObjectCamera, "camera", &Compiling::cameras},
                                       {mj::kObjectLight, "light", &Compiling::lights},
                                       {mj::kObjectMesh, "mesh", &Compiling::meshes},
                                       {mj::kObjectHeightfield, "hfield", &Compiling::heightfields},
                                       {mj::kObjectTendon, "tendon", &Compiling::tendons},
                                       {mj::kObjectActuator, "actuator", &Compiling::actuators}};

int find_object(const Compiling& c, const MjcfObject& object, const SensorSpec& sensor) {
  if (object.type == 0) return -1;
  for (const ObjectKind& kind : kObjectKinds)
    if (kind.type == object.type)
      return find_name(c.*kind.names, object.name, sensor.place, sensor.element.c_str(), kind.kind);
  fail_compile(sensor.place, sensor.element.c_str(), "'", object.name, "' is of a kind that has no names here");
}

// Joints and tendons that such a sensor cannot measure.
void check_measured(const Compiling& c, const SensorSpec& sensor, int object) {
  const auto refuse = [&](const char* why) { fail_compile(sensor.place, sensor.element.c_str(), why); };
  const auto within = [&](int first, int last) { return sensor.type >= first && sensor.type <= last; };
  const bool limit = within(mj::kSensorJointLimitPosition, mj::kSensorTendonLimitForce);
  if (sensor.object.type == mj::kObjectTendon && limit && !at(c.out.tendon_limited, object))
    refuse("the tendon must be limited");
  if (sensor.object.type != mj::kObjectJoint || sensor.type == mj::kSensorUser) return;
  const int type = at(c.out.jnt_type, object);
  if (limit) {
    if (!at(c.out.jnt_limited, object)) refuse("the joint must be limited");
  } else if (within(mj::kSensorBallQuaternion, mj::kSensorBallAngularVelocity)) {
    if (type != mj::kBall) refuse("the joint must be a ball");
  } else if (type != mj::kSlide && type != mj::kHinge) {
    refuse("the joint must be a slide or a hinge");
  }
}

bool is_within(const CompiledMjcf& m, int body, const MjcfObject& object, int id) {
  if (object.type == mj::kObjectFrame)
    while (body > id) body = at(m.body_parentid, body);
  return body == id;
}

// All of what is asked to be inside must be compact and convex.
void check_enclosed(const Compiling& c, const SensorSpec& sensor, int object) {
  const CompiledMjcf& m = c.out;
  const auto refuse = [&](const char* why) { fail_compile(sensor.place, sensor.element.c_str(), why); };
  const int kind = sensor.object.type;
  if (kind == mj::kObjectCamera) refuse("enclosed: a camera has no extent");
  if (kind == mj::kObjectSite) return;
  int geoms = 0;
  for (int geom = 0; geom < static_cast<int>(m.geom_type.size()); ++geom) {
    const bool asked =
        kind == mj::kObjectGeom ? geom == object : is_within(m, at(m.geom_bodyid, geom), sensor.object, object);
    if (!asked) continue;
    ++geoms;
    const int type = at(m.geom_type, geom);
    if (type == mj::kPlane || type == mj::kHfield || type == mj::kSdf)
      refuse("enclosed: planes, heightfields and distance fields are not compact and convex");
  }
  if (geoms == 0) refuse("enclosed: the body has no geoms");
}

int dimension(const Compiling& c, const SensorSpec& sensor, int object) {
  if (sensor.object.type == mj::kObjectActuator && sensor.type != mj::kSensorUser)
    return at(c.out.actuator_trntype, object) == mj::kTrnSo3 ? 3 : 1;
  if (sensor.type == mj::kSensorTactile) return 3 * at(c.out.mesh_vertnum, object);
  if (sensor.type != mj::kSensorRangefinder || sensor.object.type != mj::kObjectCamera) return sensor.dim;
  const int* resolution = row(c.out.cam_resolution, object, 2);
  return sensor.dim * resolution[0] * resolution[1];  // a ray for each pixel
}

void add_sensor(Compiling& c, const SensorSpec& sensor) {
  CompiledMjcf& m = c.out;
  const int object = find_object(c, sensor.object, sensor), reference = find_object(c, sensor.reference, sensor);
  check_measured(c, sensor, object);
  if (sensor.type == mj::kSensorInsideSite && sensor.integers[0] != 0) check_enclosed(c, sensor, object);
  const bool two_shapes = sensor.type >= mj::kSensorDistance && sensor.type <= mj::kSensorFromTo;
  if (two_shapes && object == reference && sensor.object.type == sensor.reference.type)
    fail_compile(sensor.place, sensor.element.c_str(), "both are the same");
  const int dim = dimension(c, sensor, object);
  c.budget.count_numbers(std::int64_t{dim} * std::max(sensor.samples, 1), at_place(sensor.place, sensor.element));
  note_place(c, MjcfRows::kSensor, sensor.place, sensor.element);
  const int before = m.sensor_adr.empty() ? 0 : m.sensor_adr.back() + m.sensor_dim.back();
  m.name_sensor.push_back(sensor.name);
  m.sensor_type.push_back(sensor.type);
  m.sensor_datatype.push_back(sensor.datatype);
  m.sensor_needstage.push_back(sensor.stage);
  m.sensor_objtype.push_back(sensor.object.type);
  m.sensor_objid.push_back(object);
  m.sensor_reftype.push_back(sensor.reference.type);
  m.sensor_refid.push_back(reference);
  append(m.sensor_intprm, sensor.integers);
  m.sensor_dim.push_back(dim);
  m.sensor_adr.push_back(before);
  m.sensor_cutoff.push_back(sensor.cutoff);
  m.sensor_noise.push_back(sensor.noise);
  append(m.sensor_history, std::array<int, 2>{sensor.samples, sensor.interpolation});
  m.sensor_delay.push_back(sensor.delay);
  append(m.sensor_interval, sensor.interval);
}

void index_lights(Compiling& c) {
  int lights = 0;
  for (const BodySpec& body : c.spec.bodies)
    for (const LightSpec& light : body.lights) add_name(c.lights, light.name, lights++, light.place, "light");
}

// Things that have no number in the compiled model are not looked for.
void check_tuples(const Compiling& c) {
  const std::set<std::string> others{"dof",      "flex",   "skin",    "texture", "material", "pair", "exclude",
                                     "equality", "sensor", "numeric", "text",    "tuple",    "key",  "plugin"};
  const auto check = [&](const TupleSpec::Element& element) {
    const std::string type = element.type == "xbody" ? "body" : element.type;
    if (others.contains(type)) return;
    const auto* kind = std::find_if(std::begin(kObjectKinds), std::end(kObjectKinds),
                                    [&](const ObjectKind& known) { return type == known.kind; });
    if (kind == std::end(kObjectKinds)) fail_compile(element.place, "element", "objtype '", type, "' is unknown");
    find_name(c.*kind->names, element.name, element.place, "element", kind->kind);
  };
  for (const TupleSpec& tuple : c.spec.tuples)
    for (const TupleSpec::Element& element : tuple.elements) check(element);
}

}  // namespace

void compile_sensors(Compiling& c) {
  index_lights(c);
  check_tuples(c);
  NameIndex names;
  int id = 0;
  for (const SensorSpec& sensor : c.spec.sensors) {
    add_name(names, sensor.name, id++, sensor.place, sensor.element.c_str());
    naming_sensor(sensor.name, [&] { add_sensor(c, sensor); });
  }
}

}  // namespace carom::inline CAROM_PRECISION
