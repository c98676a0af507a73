// What refers to something in a scaled frame is scaled with it: pairs and equalities by the mean of both sides, tendons
// by the innermost frame around all that they pass. A tendon of hinges alone is an angle, others are lengths.
#include <algorithm>
#include <cmath>

#include "io/mjcf/mujoco_enums.h"
#include "io/mjcf/scale.h"

namespace carom::inline CAROM_PRECISION {

namespace {

template <class T>
T found_or(const std::map<std::string, T>& by_name, const std::string& name, T otherwise) {
  const auto found = by_name.find(name);
  return name.empty() || found == by_name.end() ? otherwise : found->second;
}

ScaledCoordinate joint_coordinate(const ScalesByName& scales, const std::string& name) {
  const JointSpec* joint = found_or<const JointSpec*>(scales.joints, name, nullptr);
  return joint ? coordinate_of(*joint) : ScaledCoordinate{};
}

// -- Pairs

void scale_pair(PairSpec& pair, const ScalesByName& scales) {
  const MjcfUnits units = mean(scale_of(scales.geoms, pair.geom1).units, scale_of(scales.geoms, pair.geom2).units);
  for (double* number :
       {&pair.margin, &pair.gap, &pair.friction[2], &pair.friction[3], &pair.friction[4], &pair.solimp[2]})
    *number *= units.length;
  pair.adhesion *= units.force();
}

// -- Equalities

void stretch_at(double* numbers, const MjcfScale& scale) {
  const Vec3d v = scale.stretch * vec3(numbers);
  for (int k = 0; k < 3; ++k) numbers[k] = v[k];
}

void scale_holding(EqualitySpec& equality, const ScalesByName& scales) {
  const auto& sides = equality.sites ? scales.sites : scales.bodies;
  const MjcfScale &first = scale_of(sides, equality.object1), &second = scale_of(sides, equality.object2);
  const double both = mean(first.units, second.units).length;
  const bool weld = equality.type == mj::kWeld;
  stretch_at(equality.data.data(), weld ? second : first);
  if (weld) stretch_at(equality.data.data() + 3, first);
  if (weld) equality.data[10] *= both;
  equality.solimp[2] *= weld || equality.sites ? both : first.units.length;
}

// A polynomial of the second coordinate that gives the first.
void scale_coupling(EqualitySpec& equality, double first, double second) {
  double factor = first;
  for (std::size_t k = 0; k < 5; ++k, factor /= second) equality.data[k] *= factor;
  equality.solimp[2] *= first;
}

void scale_equality(EqualitySpec& equality, const ScalesByName& scales) {
  if (equality.type == mj::kConnect || equality.type == mj::kWeld) return scale_holding(equality, scales);
  const auto length_of = [&](const std::string& name) {
    return equality.type == mj::kEqualTendons ? found_or(scales.tendons, name, ScaledCoordinate{}).length
                                              : joint_coordinate(scales, name).length;
  };
  scale_coupling(equality, length_of(equality.object1), length_of(equality.object2));
}

// -- Tendons

const MjcfScale& scale_of_wrap(const WrapSpec& wrap, const ScalesByName& scales) {
  static const MjcfScale kNone;
  if (wrap.type == mj::kWrapSite) return scale_of(scales.sites, wrap.object);
  if (wrap.type != mj::kWrapJoint) return scale_of(scales.geoms, wrap.object);
  const JointSpec* joint = found_or<const JointSpec*>(scales.joints, wrap.object, nullptr);
  return joint ? joint->scale : kNone;
}

int common_frame(const TendonSpec& tendon, const ScalesByName& scales, const ScaledFrames& frames) {
  int common = -1;
  bool is_first = true;
  for (const WrapSpec& wrap : tendon.wraps) {
    if (wrap.type == mj::kWrapPulley) continue;
    const int mine = scale_of_wrap(wrap, scales).frame;
    common = is_first ? mine : frames.common(common, mine);
    is_first = false;
  }
  return common;
}

void scale_tendon_numbers(TendonSpec& tendon, const ScaledCoordinate& coordinate) {
  multiply(tendon.range, coordinate.length);
  for (double& number : tendon.springlength) number *= number > 0 ? coordinate.length : 1;
  for (double* number : {&tendon.margin, &tendon.springyield, &tendon.solimp_limit[2], &tendon.solimp_friction[2]})
    *number *= coordinate.length;
  scale_passive(tendon.stiffness, tendon.damping, tendon.armature, tendon.frictionloss, tendon.actuator_force_range,
                coordinate);
}

ScaledCoordinate scale_tendon(TendonSpec& tendon, const ScalesByName& scales, const ScaledFrames& frames) {
  const auto slides = [&](const WrapSpec& wrap) {
    const JointSpec* joint = found_or<const JointSpec*>(scales.joints, wrap.object, nullptr);
    return wrap.type == mj::kWrapJoint && joint && joint->type == mj::kSlide;
  };
  const int frame = common_frame(tendon, scales, frames);
  ScaledCoordinate coordinate;
  coordinate.angle = !tendon.spatial && std::none_of(tendon.wraps.begin(), tendon.wraps.end(), slides);
  if (frame >= 0) coordinate.units = frames.units[static_cast<std::size_t>(frame)];
  if (!coordinate.angle) coordinate.length = coordinate.units.length;
  for (WrapSpec& wrap : tendon.wraps)
    if (wrap.type == mj::kWrapJoint) wrap.number *= coordinate.length / joint_coordinate(scales, wrap.object).length;
  scale_tendon_numbers(tendon, coordinate);
  return coordinate;
}

// -- Sensors

ScaledCoordinate measured_coordinate(const MjcfObject& object, const ScalesByName& scales) {
  if (object.type == mj::kObjectJoint) return joint_coordinate(scales, object.name);
  return found_or(object.type == mj::kObjectTendon ? scales.tendons : scales.actuators, object.name, {});
}

MjcfUnits measured_units(const MjcfObject& object, const ScalesByName& scales) {
  switch (object.type) {
    case mj::kObjectBody:
    case mj::kObjectFrame: return scale_of(scales.bodies, object.name).units;
    case mj::kObjectGeom: return scale_of(scales.geoms, object.name).units;
    case mj::kObjectSite: return scale_of(scales.sites, object.name).units;
    case mj::kObjectCamera: return scale_of(scales.cameras, object.name).units;
    default: return {};
  }
}

double unit_of(const SensorSpec& sensor, const ScalesByName& scales, const MjcfUnits& units) {
  switch (sensor.unit) {
    case SensorUnit::kLength: return units.length;
    case SensorUnit::kForce: return units.force();
    case SensorUnit::kTorque: return units.torque();
    case SensorUnit::kCoordinate: return measured_coordinate(sensor.object, scales).length;
    case SensorUnit::kCoordinateForce: return measured_coordinate(sensor.object, scales).force();
    default: return 1;
  }
}

void scale_sensor(SensorSpec& sensor, const ScalesByName& scales) {
  MjcfUnits units = measured_units(sensor.object, scales);
  const bool between = sensor.type >= mj::kSensorInsideSite && sensor.type <= mj::kSensorFromTo;
  if (between) units = mean(units, measured_units(sensor.reference, scales));
  const double unit = unit_of(sensor, scales, units);
  sensor.cutoff *= sensor.type == mj::kSensorNormal ? units.length : unit;  // of a normal: how far is looked
  sensor.noise *= unit;
  if (sensor.type == mj::kSensorTactile && scale_of(scales.geoms, sensor.reference.name).frame >= 0)
    fail(at_place(sensor.place, sensor.element),
         "its geom stands in a scaled frame, and tactile sensors are not scaled");
}

}  // namespace

ScalesByName::ScalesByName(const MjcfSpec& spec) {
  for (const BodySpec& body : spec.bodies) {
    bodies.emplace(body.name, &body.scale);
    for (const JointSpec& joint : body.joints) joints.emplace(joint.name, &joint);
    for (const GeomSpec& geom : body.geoms) geoms.emplace(geom.name, &geom.scale);
    for (const SiteSpec& site : body.sites) sites.emplace(site.name, &site.scale);
    for (const CameraSpec& camera : body.cameras) cameras.emplace(camera.name, &camera.scale);
  }
}

const MjcfScale& scale_of(const std::map<std::string, const MjcfScale*>& scales, const std::string& name) {
  static const MjcfScale kNone;
  return *found_or(scales, name, &kNone);
}

MjcfUnits mean(const MjcfUnits& a, const MjcfUnits& b) {
  return {std::sqrt(a.length * b.length), std::sqrt(a.force_length * b.force_length),
          std::sqrt(a.force_mass * b.force_mass)};
}

void scale_pairs(MjcfSpec& spec, const ScalesByName& scales) {
  for (PairSpec& pair : spec.pairs) scale_pair(pair, scales);
}

void scale_tendons(MjcfSpec& spec, ScalesByName& scales, const ScaledFrames& frames) {
  for (TendonSpec& tendon : spec.tendons) scales.tendons.emplace(tendon.name, scale_tendon(tendon, scales, frames));
}

void scale_equalities(MjcfSpec& spec, const ScalesByName& scales) {
  for (EqualitySpec& equality : spec.equalities) scale_equality(equality, scales);
}

void scale_sensors(MjcfSpec& spec, const ScalesByName& scales) {
  for (SensorSpec& sensor : spec.sensors) scale_sensor(sensor, scales);
}

}  // namespace carom::inline CAROM_PRECISION
