// Joints, and transmissions, which are actuators of joints.
#include <cmath>
#include <string_view>
#include <utility>

#include "io/urdf/attributes.h"

namespace carom::inline CAROM_PRECISION {

namespace {

constexpr std::pair<std::string_view, UrdfJointType> kUrdfJointTypes[] = {
    {"revolute", UrdfJointType::kRevolute},   {"continuous", UrdfJointType::kContinuous},
    {"prismatic", UrdfJointType::kPrismatic}, {"fixed", UrdfJointType::kFixed},
    {"floating", UrdfJointType::kFloating},   {"planar", UrdfJointType::kPlanar}};

UrdfJointType read_joint_type(const XmlNode& node) {
  const std::string& type = needed_text(node, "type");
  std::string known;
  for (const auto& [name, value] : kUrdfJointTypes) {
    if (name == type) return value;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  fail_attribute(node, "type", "'", type, "' is none of: ", known);
}

bool has_axis(UrdfJointType type) { return type != UrdfJointType::kFixed && type != UrdfJointType::kFloating; }
bool has_bounds(UrdfJointType type) { return type == UrdfJointType::kRevolute || type == UrdfJointType::kPrismatic; }

void read_axis(UrdfReading& in, const XmlNode& node, UrdfJoint& joint) {
  const XmlNode* axis = find_child(node, "axis");
  if (!axis || !has_axis(joint.type)) return;
  check_known(in, *axis, {"xyz"}, {});
  const Vec3d given = vector_or(*axis, "xyz", joint.axis);
  const double norm = length(given);
  if (!(norm > 1e-12) || !std::isfinite(norm)) fail_attribute(*axis, "xyz", "has no direction");
  joint.axis = given * (1 / norm);
}

// A bound that is left out is 0, as URDF has it, if the other one is given.
void read_limit(UrdfReading& in, const XmlNode& node, UrdfJoint& joint) {
  const XmlNode* limit = find_child(node, "limit");
  if (limit) {
    check_known(in, *limit, {"lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk"}, {});
    joint.effort = optional_size(*limit, "effort");
    optional_size(*limit, "velocity");  // what controllers ask for at most: no solver brakes
    joint.lower = optional_number(*limit, "lower");
    joint.upper = optional_number(*limit, "upper");
  }
  if (!has_bounds(joint.type)) {
    joint.lower.reset(), joint.upper.reset();
    return;
  }
  if (!joint.lower && !joint.upper) {
    in.warnings.add(at_place(node.place, node.name) + "joint '" + joint.name +
                    "' has no lower and no upper limit: " + "it moves without");
    return;
  }
  joint.lower = joint.lower.value_or(0), joint.upper = joint.upper.value_or(0);
  if (*joint.lower > *joint.upper)
    fail_attribute(*limit, "lower", *joint.lower, " is above the upper limit ", *joint.upper);
}

void read_dynamics(UrdfReading& in, const XmlNode& node, UrdfJoint& joint) {
  const XmlNode* dynamics = find_child(node, "dynamics");
  if (!dynamics) return;
  check_known(in, *dynamics, {"damping", "friction"}, {});
  joint.damping = optional_size(*dynamics, "damping");
  joint.friction = optional_size(*dynamics, "friction");
}

void read_mimic(UrdfReading& in, const XmlNode& node, UrdfJoint& joint) {
  const XmlNode* mimic = find_child(node, "mimic");
  if (!mimic) return;
  check_known(in, *mimic, {"joint", "multiplier", "offset"}, {});
  joint.mimic = UrdfMimic{mimic->place, needed_text(*mimic, "joint"), -1, number_or(*mimic, "multiplier", 1),
                          number_or(*mimic, "offset", 0)};
}

std::string named_link(UrdfReading& in, const XmlNode& node, const char* child) {
  const XmlNode& found = needed_child(node, child);
  check_known(in, found, {"link"}, {});
  return needed_text(found, "link");
}

// It stands in the transmission, in its joint or in its actuator.
const XmlNode* find_reduction(const XmlNode& node, const XmlNode* joint, const XmlNode* actuator) {
  for (const XmlNode* place : {&node, joint, actuator})
    if (place)
      if (const XmlNode* found = find_child(*place, "mechanicalReduction")) return found;
  return nullptr;
}

}  // namespace

UrdfJoint read_urdf_joint(UrdfReading& in, const XmlNode& node) {
  check_known(in, node, {"name", "type"},
              {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "calibration", "safety_controller"});
  UrdfJoint joint{node.place, needed_text(node, "name"), read_joint_type(node)};
  joint.parent_name = named_link(in, node, "parent");
  joint.child_name = named_link(in, node, "child");
  joint.X_PJ = read_origin(in, node);
  read_axis(in, node, joint);
  read_limit(in, node, joint);
  read_dynamics(in, node, joint);
  read_mimic(in, node, joint);
  return joint;
}

void read_urdf_transmission(UrdfReading& in, const XmlNode& node) {
  check_known(in, node, {"name", "type"}, {"type", "joint", "actuator", "mechanicalReduction"});
  const XmlNode *joint = nullptr, *actuator = nullptr;
  int joints = 0, actuators = 0;
  for (const XmlNode& child : node.children) {
    if (child.name == "joint") joint = &child, ++joints;
    if (child.name == "actuator") actuator = &child, ++actuators;
    if (child.name == "joint" || child.name == "actuator") refuse_xacro(child);
  }
  if (joints != 1 || actuators > 1) {
    in.warnings.add(text(at_place(node.place, node.name), "has ", joints, " joints and ", actuators,
                         " actuators; only one of each is an actuator here: it is left out"));
    return;
  }
  UrdfTransmission transmission{node.place, actuator ? optional_name(*actuator) : "", needed_text(*joint, "name")};
  if (transmission.actuator.empty()) transmission.actuator = optional_name(node);
  if (const XmlNode* reduction = find_reduction(node, joint, actuator)) {
    transmission.reduction = number_in_text(*reduction);
    if (transmission.reduction == 0) fail_at(*reduction, "is 0");
  }
  in.spec.transmissions.push_back(std::move(transmission));
}

}  // namespace carom::inline CAROM_PRECISION
