// Sensors, and the sites that they name.
//
// What only has to be somewhere (an IMU, a frame) becomes a frame of its body; what has a volume (touch, contacts in a
// site) names the site. Both kinds of sites are there as shapes, behind those of the geoms, under their names.
#include <cmath>
#include <iterator>
#include <numbers>
#include <set>

#include "io/mjcf/mapping.h"
#include "io/mjcf/mujoco_enums.h"

namespace carom::inline CAROM_PRECISION {

namespace {

using SiteShapes = std::vector<int>;  // shapes of MuJoCo's sites; -1: no sensor names it

bool is_left_out(const CompiledMjcf& m, int sensor) { return !mj::is_known_sensor(m.sensor_type[sensor]); }

// -- Sites

ShapeType site_shape_type(int type) {
  switch (type) {
    case mj::kSphere: return ShapeType::kSphere;
    case mj::kCapsule: return ShapeType::kCapsule;
    case mj::kEllipsoid: return ShapeType::kEllipsoid;
    case mj::kCylinder: return ShapeType::kCylinder;
    case mj::kBox: return ShapeType::kBox;
    case mj::kMesh: return ShapeType::kConvexHull;
    default: fail("a site of a compiled model has the unknown type ", type);
  }
}

Vec3 site_scale(const CompiledMjcf& m, int site) {
  const RealN<3> size = reals<3>(m.site_size, site);
  switch (at(m.site_type, site)) {
    case mj::kSphere: return {size[0], 0, 0};
    case mj::kCapsule:
    case mj::kCylinder: return {size[0], size[1], 0};
    case mj::kMesh: return {1, 1, 1};
    default: return {size[0], size[1], size[2]};
  }
}

std::vector<bool> named_sites(const CompiledMjcf& m) {
  std::vector<bool> named(m.site_type.size());
  for (int i = 0; i < static_cast<int>(m.sensor_type.size()); ++i) {
    if (is_left_out(m, i)) continue;
    for (const auto& [type, id] :
         {std::pair{m.sensor_objtype[i], m.sensor_objid[i]}, std::pair{m.sensor_reftype[i], m.sensor_refid[i]}}) {
      if (type != mj::kObjectSite) continue;
      row(m.site_type, id);  // is it there?
      named[static_cast<std::size_t>(id)] = true;
    }
  }
  return named;
}

// MuJoCo has names of geoms and names of sites, shapes have one kind of keys.
SiteShapes add_named_sites(Mapping& map) {
  const CompiledMjcf& m = map.m;
  const std::vector<bool> named = named_sites(m);
  std::set<std::string> used(m.name_geom.begin(), m.name_geom.end());
  SiteShapes shapes(named.size(), -1);
  for (int site = 0; site < static_cast<int>(named.size()); ++site) {
    if (!named[static_cast<std::size_t>(site)]) continue;
    map.now = {MjcfRows::kSite, site};
    const std::string name = name_at(m.name_site, site);
    std::string key = name;
    for (int i = 2; !name.empty() && !used.insert(key).second; ++i) key = text(name, "_", i);
    const ShapeType type = site_shape_type(m.site_type[site]);
    const bool is_hull = type == ShapeType::kConvexHull;
    const BodyPose pose = site_pose(m, site);
    shapes[static_cast<std::size_t>(site)] =
        map.builder.add_site(pose.body, pose.xform, type, site_scale(m, site), key, false,
                             is_hull ? make_mesh(m, at(m.site_dataid, site), true) : nullptr);
  }
  return shapes;
}

// -- What they look at

SensedObject framed_object(const CompiledMjcf& m, int type, int id) {
  const auto frame = [](int body, const Transformd& X) {
    return SensedObject{.type = SensorObject::kFrame, .index = body - 1, .xform = to_real(X)};
  };
  switch (type) {
    case mj::kObjectBody: return frame(id, inertial_frame(m, id));
    case mj::kObjectFrame: return frame(id, {});
    case mj::kObjectGeom: return frame(at(m.geom_bodyid, id), geom_frame(m, id));
    case mj::kObjectSite: return frame(at(m.site_bodyid, id), site_frame(m, id));
    case mj::kObjectCamera: return frame(at(m.cam_bodyid, id), camera_frame(m, id));
    default: return {};
  }
}

// Shapes of what touches, or of what a distance is measured between.
SensedObject touched_object(const CompiledMjcf& m, const SiteShapes& sites, int type, int id) {
  switch (type) {
    case mj::kObjectBody:
      row(m.body_parentid, id);  // is it there?
      return {.type = SensorObject::kBody, .index = id - 1};
    case mj::kObjectFrame: row(m.body_parentid, id); return {.type = SensorObject::kSubtree, .index = id - 1};
    case mj::kObjectGeom: row(m.geom_type, id); return {.type = SensorObject::kShape, .index = id};
    case mj::kObjectSite: return {.type = SensorObject::kSite, .index = at(sites, id)};
    default: return {};
  }
}

SensedObject moved_object(const Mapping& map, int joint) {
  const DofPlace place = *row(map.axis_of, joint);
  if (place.joint < 0) return {.type = SensorObject::kJoint, .index = at(map.turning_joint, joint)};
  return {.type = SensorObject::kJoint, .index = place.joint, .axis = place.axis};
}

bool is_about_shapes(int type) { return type >= mj::kSensorDistance && type <= mj::kSensorContact; }
bool is_about_subtrees(int type) { return type >= mj::kSensorSubtreeCom && type <= mj::kSensorSubtreeAngularMomentum; }

SensedObject sensed_object(const Mapping& map, const SiteShapes& sites, int sensor) {
  const CompiledMjcf& m = map.m;
  const int type = m.sensor_type[sensor], object = m.sensor_objtype[sensor], id = m.sensor_objid[sensor];
  const bool encloses = type == mj::kSensorInsideSite && *row(m.sensor_intprm, sensor, 3) != 0;
  if (object == mj::kObjectJoint) return moved_object(map, id);
  if (object == mj::kObjectTendon) return {.type = SensorObject::kTendon, .index = id};
  if (object == mj::kObjectActuator) return {.type = SensorObject::kActuator, .index = id};
  if (is_about_subtrees(type)) return touched_object(map.m, sites, mj::kObjectFrame, id);
  if (is_about_shapes(type) || type == mj::kSensorTouch || encloses) return touched_object(m, sites, object, id);
  return framed_object(m, object, id);
}

SensedObject sensed_reference(const CompiledMjcf& m, const SiteShapes& sites, int sensor) {
  const int type = m.sensor_type[sensor], reference = m.sensor_reftype[sensor], id = m.sensor_refid[sensor];
  if (is_about_shapes(type) || type == mj::kSensorInsideSite) return touched_object(m, sites, reference, id);
  return framed_object(m, reference, id);
}

// -- Their numbers

// Focal lengths and principal point in pixels. A projection has the latter in the middle, whatever the camera says.
RealN<4> camera_numbers(const CompiledMjcf& m, int camera, bool centred) {
  const int* resolution = row(m.cam_resolution, camera, 2);
  const float *size = row(m.cam_sensorsize, camera, 2), *intrinsic = row(m.cam_intrinsic, camera, 4);
  const double across = resolution[0], down = resolution[1];
  if (size[0] > 0 && size[1] > 0) {
    const double x = across / double(size[0]), y = down / double(size[1]);
    const double principal[2] = {centred ? across / 2 : x * double(intrinsic[2]),
                                 centred ? down / 2 : y * double(intrinsic[3])};
    return {Real(x * double(intrinsic[0])), Real(y * double(intrinsic[1])), Real(principal[0]), Real(principal[1])};
  }
  const double focal = 0.5 * down / std::tan(at(m.cam_fovy, camera) * std::numbers::pi / 360);
  return {Real(focal), Real(focal), Real(across / 2), Real(down / 2)};
}

void set_camera(SensorConfig& cfg, const CompiledMjcf& m, int sensor) {
  const bool projects = m.sensor_type[sensor] == mj::kSensorCameraProjection;
  const bool casts = m.sensor_type[sensor] == mj::kSensorRangefinder && m.sensor_objtype[sensor] == mj::kObjectCamera;
  if (!projects && !casts) return;
  const int camera = projects ? m.sensor_refid[sensor] : m.sensor_objid[sensor];
  const int* resolution = row(m.cam_resolution, camera, 2);
  cfg.camera = camera_numbers(m, camera, projects);
  cfg.resolution = {resolution[0], resolution[1]};
}

// MuJoCo reads each step where no samples are kept, whatever the interval is.
void set_times(SensorConfig& cfg, const CompiledMjcf& m, int sensor) {
  const int* history = row(m.sensor_history, sensor, 2);
  if (history[0] <= 0) return;
  if (history[1] < 0 || history[1] > 2) fail("a sensor of a compiled model has the unknown interpolation ", history[1]);
  cfg.samples = history[0];
  cfg.interpolation = static_cast<Interpolation>(history[1]);
  cfg.delay = real(m.sensor_delay, sensor);
  cfg.interval = reals<2>(m.sensor_interval, sensor);
}

SensorConfig sensor_config(const CompiledMjcf& m, int sensor) {
  const int type = m.sensor_type[sensor];
  const int* integers = row(m.sensor_intprm, sensor, 3);
  SensorConfig cfg;
  if (type == mj::kSensorContact || type == mj::kSensorRangefinder) cfg.data = integers[0];
  if (type == mj::kSensorContact) {
    cfg.reduce = static_cast<ContactReduce>(integers[1]);
    cfg.num = integers[2];
  }
  cfg.cutoff = real(m.sensor_cutoff, sensor);
  cfg.noise = real(m.sensor_noise, sensor);
  set_camera(cfg, m, sensor);
  set_times(cfg, m, sensor);
  return cfg;
}

bool is_fixed_camera(const CompiledMjcf& m, int camera) { return at(m.cam_mode, camera) == mj::kCameraFixed; }

}  // namespace

std::string why_no_mjcf_sensor(const CompiledMjcf& m, int sensor) {
  if (is_left_out(m, sensor)) return "";
  const int type = m.sensor_type[sensor], object = m.sensor_objtype[sensor], id = m.sensor_objid[sensor];
  const bool by_camera = object == mj::kObjectCamera;
  if (by_camera && !is_fixed_camera(m, id)) return "sensor of a camera that follows something";
  if (m.sensor_reftype[sensor] == mj::kObjectCamera && !is_fixed_camera(m, m.sensor_refid[sensor]))
    return "sensor against a camera that follows something";
  if (type == mj::kSensorRangefinder && by_camera && at(m.cam_projection, id) != mj::kPerspective)
    return "rangefinder of an orthographic camera";
  if (type == mj::kSensorRangefinder && by_camera) {
    const RealN<4> camera = camera_numbers(m, id, false);
    if (!(camera[0] > 0 && camera[1] > 0)) return "rangefinder of a camera without a positive focal length";
  }
  return "";
}

void add_sensors(Mapping& map) {
  const CompiledMjcf& m = map.m;
  if (!map.has.sensor) return;
  const SiteShapes sites = add_named_sites(map);
  for (int i = 0; i < static_cast<int>(m.sensor_type.size()); ++i) {
    if (is_left_out(m, i)) continue;
    map.now = {MjcfRows::kSensor, i};
    map.builder.add_sensor(static_cast<SensorType>(m.sensor_type[i]), sensed_object(map, sites, i),
                           sensed_reference(m, sites, i), sensor_config(m, i), name_at(m.name_sensor, i));
  }
}

}  // namespace carom::inline CAROM_PRECISION
