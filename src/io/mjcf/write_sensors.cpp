// Sensors. A frame is written as the body, site or geom that has it, or as a site of its own; what looks through a
// camera gets one.
#include <cmath>
#include <numbers>

#include "carom/sensor_config.h"
#include "io/mjcf/write.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Object or reference of a sensor.
struct WrittenObject {
  SensorObject type;
  int body, shape;
  Transform xform;
};
WrittenObject object_of(const Model& m, int s) {
  return {static_cast<SensorObject>(m.sensor_object_type[s]), m.sensor_body[s], m.sensor_shape[s], m.sensor_frame[s]};
}
WrittenObject reference_of(const Model& m, int s) {
  return {static_cast<SensorObject>(m.sensor_reference_type[s]), m.sensor_reference_body[s],
          m.sensor_reference_shape[s], m.sensor_reference_frame[s]};
}

bool is_at(const Transform& a, const Transform& b) {
  bool same = a.p == b.p;
  for (int k = 0; k < 4; ++k) same = same && a.q[k] == b.q[k];
  return same;
}

// A shape of the body that stands there, -1: none does; of several sites one that no sensor names yet, since nobody
// else asks for it. MuJoCo moves the frames of meshes and heightfields.
int shape_at(const MjcfWriting& w, const WrittenObject& frame, bool site) {
  const Model& m = w.m;
  int found = -1;
  for (const int shape : w.shapes) {
    const bool is_site = (m.shape_flags[shape] & kShapeIsSite) != 0;
    if (is_site == site && m.shape_body[shape] == frame.body && is_at(m.shape_transform[shape], frame.xform) &&
        (site || m.shape_source[shape] < 0)) {
      if (!site || !w.sensed_sites.contains(shape)) return shape;
      if (found < 0) found = shape;
    }
  }
  return found;
}

std::string site_at(MjcfWriting& w, const WrittenObject& frame, const std::string& wanted) {
  const int site = shape_at(w, frame, true);
  if (site >= 0) {
    w.sensed_sites.insert(site);
    return named_site(w, site);
  }
  return add_written_site(w, frame.body, to_double(frame.xform), wanted);
}

void set_frame(MjcfWriting& w, const WrittenObject& frame, const char* type, const char* name,
               const std::string& wanted, XmlElement& element) {
  const bool has_site = shape_at(w, frame, true) >= 0;
  if (!has_site && is_at(frame.xform, {})) {
    element.set(type, "xbody");
    element.set(name, named_body(w, frame.body));
    return;
  }
  const int geom = has_site ? -1 : shape_at(w, frame, false);
  element.set(type, geom >= 0 ? "geom" : "site");
  element.set(name, geom >= 0 ? named_shape(w, geom) : site_at(w, frame, wanted));
}

// A site that has a volume.
std::string named_volume(MjcfWriting& w, int s, int site) {
  const auto type = static_cast<ShapeType>(w.m.shape_type[site]);
  if (w.m.shape_source[site] >= 0 || type == ShapeType::kPlane || type == ShapeType::kCone)
    fail("to_mjcf: ", called(w, Entity::kSensor, s), ": its site is a ", shape_type_name(type),
         ", of which MJCF has no sites that stay where they are");
  w.sensed_sites.insert(site);
  return named_site(w, site);
}

// One of what touches, or of what a distance is measured between; "1" or "2" is the end of its attribute.
void set_shapes(MjcfWriting& w, int s, const WrittenObject& object, const std::string& end, XmlElement& element) {
  switch (object.type) {
    case SensorObject::kShape: element.set(("geom" + end).c_str(), named_shape(w, object.shape)); break;
    case SensorObject::kBody: element.set(("body" + end).c_str(), named_body(w, object.body)); break;
    case SensorObject::kSubtree: element.set(("subtree" + end).c_str(), named_body(w, object.body)); break;
    case SensorObject::kSite: element.set("site", named_volume(w, s, object.shape)); break;
    default: break;
  }
}

// The field of view says all, in double precision, where pixels are square and the principal point is in the middle.
std::string add_camera(MjcfWriting& w, int s, const WrittenObject& frame) {
  const Index2 resolution = w.m.sensor_resolution[s];
  const auto [fx, fy, cx, cy] = w.m.sensor_camera[s];
  XmlElement camera{"camera"};
  std::string name = claim_name(w, WrittenKind::kCamera, text("camera_", s));
  camera.set("name", name);
  set_pose(camera, to_double(frame.xform));
  camera.set("resolution", std::array{resolution[0], resolution[1]});
  if (fx == fy && fx > 0 && 2 * cx == Real(resolution[0]) && 2 * cy == Real(resolution[1])) {
    camera.set("fovy", 2 * std::atan2(double(cy), double(fy)) * 180 / std::numbers::pi);
  } else {
    camera.set("sensorsize", std::array{resolution[0], resolution[1]});  // a pixel is as large as a metre
    camera.set("focal", RealN<2>{fx, fy});
    camera.set("principal", RealN<2>{cx, cy});
  }
  w.cameras[w.place(frame.body)].push_back(std::move(camera));
  return name;
}

void set_contact(MjcfWriting& w, int s, XmlElement& element) {
  const Model& m = w.m;
  set_shapes(w, s, object_of(m, s), "1", element);
  set_shapes(w, s, reference_of(m, s), "2", element);
  element.set("data", contact_data_name(m.sensor_data[s]));
  element.set_unless("num", m.sensor_num[s], 1);
  const auto reduce = static_cast<ContactReduce>(m.sensor_reduce[s]);
  if (reduce != ContactReduce::kNone) element.set("reduce", contact_reduce_name(reduce));
}

void set_rangefinder(MjcfWriting& w, int s, const std::string& wanted, XmlElement& element) {
  const WrittenObject frame = object_of(w.m, s);
  if (w.m.sensor_camera[s][0] > 0) element.set("camera", add_camera(w, s, frame));
  else element.set("site", site_at(w, frame, wanted));
  element.set("data", ray_data_name(w.m.sensor_data[s]));
}

// Of a frame its origin counts, of everything else all of it.
void set_inside(MjcfWriting& w, int s, const std::string& wanted, XmlElement& element) {
  const WrittenObject object = object_of(w.m, s);
  const auto set_whole = [&](const char* type, const std::string& name) {
    element.set("objtype", type);
    element.set("objname", name);
    element.set("enclosed", "true");
  };
  switch (object.type) {
    case SensorObject::kShape: set_whole("geom", named_shape(w, object.shape)); break;
    case SensorObject::kSite: set_whole("site", named_volume(w, s, object.shape)); break;
    case SensorObject::kBody: set_whole("body", named_body(w, object.body)); break;
    case SensorObject::kSubtree: set_whole("xbody", named_body(w, object.body)); break;
    default: set_frame(w, object, "objtype", "objname", wanted, element);
  }
  element.set("site", named_volume(w, s, w.m.sensor_reference_shape[s]));
}

void set_sensed(MjcfWriting& w, int s, XmlElement& element) {
  const Model& m = w.m;
  const auto type = static_cast<SensorType>(m.sensor_type[s]);
  const WrittenObject object = object_of(m, s), reference = reference_of(m, s);
  const std::string wanted = text("sensor_", s, "_site");
  if (type == SensorType::kContact) return set_contact(w, s, element);
  if (type == SensorType::kRangefinder) return set_rangefinder(w, s, wanted, element);
  if (type == SensorType::kInsideSite) return set_inside(w, s, wanted, element);
  if (type >= SensorType::kDistance && type <= SensorType::kFromTo) {
    set_shapes(w, s, object, "1", element);
    set_shapes(w, s, reference, "2", element);
    return;
  }
  switch (object.type) {
    case SensorObject::kJoint: element.set("joint", named_dof(w, m.sensor_joint[s], m.sensor_axis[s])); break;
    case SensorObject::kTendon: element.set("tendon", named_tendon(w, m.sensor_tendon[s])); break;
    case SensorObject::kActuator: element.set("actuator", named_actuator(w, m.sensor_actuator[s])); break;
    case SensorObject::kSubtree: element.set("body", named_body(w, object.body)); break;
    case SensorObject::kSite: element.set("site", named_volume(w, s, object.shape)); break;
    case SensorObject::kFrame:
      if (type >= SensorType::kFramePos && type <= SensorType::kFrameAngAcc)
        set_frame(w, object, "objtype", "objname", wanted, element);
      else element.set("site", site_at(w, object, wanted));
      break;
    default: break;
  }
  if (type == SensorType::kCamProjection) element.set("camera", add_camera(w, s, reference));
  else if (reference.type == SensorObject::kFrame)
    set_frame(w, reference, "reftype", "refname", text("sensor_", s, "_reference"), element);
}

void set_sensor_numbers(const Model& m, int s, XmlElement& element) {
  element.set_unless("cutoff", m.sensor_cutoff[s], Real(0));
  element.set_unless("noise", m.sensor_noise[s], Real(0));
  if (m.sensor_samples[s] == 0) return;
  element.set("nsample", m.sensor_samples[s]);
  element.set("interp", kWrittenInterpolations[m.sensor_interpolation[s]]);
  element.set_unless("delay", m.sensor_delay[s], Real(0));
  element.set_unless("interval", m.sensor_interval[s], RealN<2>{});
}

}  // namespace

XmlElement written_sensors(MjcfWriting& w) {
  XmlElement all{"sensor"};
  for (const int s : w.sensors) {
    XmlElement element{sensor_type_name(static_cast<SensorType>(w.m.sensor_type[s]))};
    if (w.m.sensor_key_id[s] >= 0)
      element.set("name", claim_name(w, WrittenKind::kSensor, w.m.keys->name(w.m.sensor_key_id[s])));
    set_sensed(w, s, element);
    set_sensor_numbers(w.m, s, element);
    all.children.push_back(std::move(element));
  }
  return all;
}

}  // namespace carom::inline CAROM_PRECISION
