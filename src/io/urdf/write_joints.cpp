// Joints, those that follow others, and motors as transmissions.
#include <algorithm>
#include <cmath>

#include "io/one_world.h"
#include "io/urdf/write.h"

namespace carom::inline CAROM_PRECISION {

namespace {

Transformd body_pose(const UrdfWriting& w, int body) { return body < 0 ? Transformd{} : to_double(w.m.body_q[body]); }

// What a coordinate is at first in the model that the file is read to.
double read_start(const UrdfWriting& w, int dof) {
  const auto d = static_cast<std::size_t>(dof);
  return w.leader[d] < 0 ? 0 : w.follows[d][0] + w.follows[d][1] * read_start(w, w.leader[d]);
}

XmlElement& add_written_joint(UrdfWriting& w, const std::string& name, const char* type, const std::string& parent,
                              const std::string& child, const Transformd& origin) {
  XmlElement& joint = add_named(w.root, "joint", name);
  joint.set("type", type);
  set_origin(joint, origin);
  joint.add("parent").set("link", parent);
  joint.add("child").set("link", child);
  return joint;
}

// URDF wants both numbers of joints with bounds.
void write_limit(UrdfWriting& w, int dof, bool bounded, const std::string& name, XmlElement& joint) {
  const Model& m = w.m;
  XmlElement& limit = joint.add("limit");
  if (bounded) {
    limit.set("lower", m.joint_limit_lower[dof]);
    limit.set("upper", m.joint_limit_upper[dof]);
  }
  const Real lower = m.joint_effort_lower[dof], upper = m.joint_effort_upper[dof];
  const Real effort = std::max(std::abs(lower), std::abs(upper));
  if (lower != -upper || effort == 0) w.lost.add("efforts that are not the same both ways, or 0", name);
  limit.set("effort", effort);
  limit.set("velocity", m.joint_velocity_limit[dof]);
}

void write_dynamics(const UrdfWriting& w, int dof, XmlElement& joint) {
  if (w.m.joint_damping[dof] == 0 && w.m.joint_friction[dof] == 0) return;
  XmlElement& dynamics = joint.add("dynamics");
  dynamics.set("damping", w.m.joint_damping[dof]);
  dynamics.set("friction", w.m.joint_friction[dof]);
}

// What else a degree of freedom has.
void list_dof_losses(UrdfWriting& w, int dof, const std::string& name) {
  const Model& m = w.m;
  const JointDofConfig usual;
  const bool limited = m.joint_limit_lower[dof] > -kUnlimited || m.joint_limit_upper[dof] < kUnlimited;
  const std::pair<const char*, bool> losses[] = {
      {"armature of joints", m.joint_armature[dof] != 0},
      {"velocity limits, which are written and not read", m.joint_velocity_limit[dof] < usual.velocity_limit},
      {"springs of joints", m.joint_stiffness[dof] != 0 || m.joint_stiffness_poly[dof] != RealN<2>{}},
      {"drives of joints", m.joint_target_ke[dof] != 0 || m.joint_target_kd[dof] != 0},
      {"damping of joints that is not linear", m.joint_damping_poly[dof] != RealN<2>{}},
      {"softness of limits and of friction",
       (limited && (m.joint_limit_solref[dof] != usual.limit_solref ||
                    m.joint_limit_solimp[dof] != usual.limit_solimp || m.joint_limit_margin[dof] != 0)) ||
           (m.joint_friction[dof] != 0 && (m.joint_friction_solref[dof] != usual.friction_solref ||
                                           m.joint_friction_solimp[dof] != usual.friction_solimp))}};
  for (const auto& [kind, is_lost] : losses)
    if (is_lost) w.lost.add(kind, name);
}

// Of one degree of freedom.
void write_axis_joint(UrdfWriting& w, int joint, int axis, const std::string& parent, const std::string& child,
                      const Transformd& origin) {
  const Model& m = w.m;
  const int dof = m.joint_qd_start[joint] + axis;
  const std::string& name = w.dof_name[static_cast<std::size_t>(dof)];
  const bool slides = axis < m.joint_dof_dim[joint][0];
  const bool bounded = slides || m.joint_limit_lower[dof] > -kUnlimited || m.joint_limit_upper[dof] < kUnlimited;
  XmlElement& element = add_written_joint(w, name,
                                          slides    ? "prismatic"
                                          : bounded ? "revolute"
                                                    : "continuous",
                                          parent, child, origin);
  element.add("axis").set("xyz", m.joint_axis[dof]);
  write_limit(w, dof, bounded, "'" + name + "'", element);
  write_dynamics(w, dof, element);
  list_dof_losses(w, dof, "'" + name + "'");
  if (const int leader = w.leader[static_cast<std::size_t>(dof)]; leader >= 0) {
    XmlElement& mimic = element.add("mimic");
    mimic.set("joint", w.dof_name[static_cast<std::size_t>(leader)]);
    mimic.set("multiplier", Real(w.follows[static_cast<std::size_t>(dof)][1]));
    mimic.set("offset", Real(w.follows[static_cast<std::size_t>(dof)][0]));
  }
  const double start = double(m.joint_q[m.joint_q_start[joint] + axis]), read = read_start(w, dof);
  constexpr double kSame = 1e-6;
  if (std::abs(start - read) > kSame) w.lost.add("coordinates at first", text("'", name, "' ", start));
}

// A joint of several axes is a chain; its links have neither mass nor shapes.
void write_chain(UrdfWriting& w, int joint, const std::string& parent, const std::string& child,
                 const Transformd& origin) {
  const int count = w.m.joint_qd_start[joint + 1] - w.m.joint_qd_start[joint];
  std::string around = parent;
  Transformd X = origin;
  for (int axis = 0; axis < count; ++axis) {
    const int dof = w.m.joint_qd_start[joint] + axis;
    const bool last = axis + 1 == count;
    const std::string next =
        last ? child : free_name(w.links, text(child, "/", w.dof_name[static_cast<std::size_t>(dof)]));
    if (!last) add_named(w.root, "link", next);
    write_axis_joint(w, joint, axis, around, next, X);
    around = next;
    X = {};
  }
}

std::string joint_name(const UrdfWriting& w, int joint, const std::string& child) {
  const int key = w.m.joint_key_id[joint];
  return key >= 0 ? w.m.keys->name(key) : child + "_joint";
}

// Where the body is against the link it hangs on, at first.
Transformd pose_at_first(const UrdfWriting& w, int body, int parent) {
  const Transformd X_WP = body_pose(w, parent) * w.link_frame[w.place(parent)];
  return inverse(X_WP) * body_pose(w, body) * w.link_frame[w.place(body)];
}

void write_body_joint(UrdfWriting& w, int body) {
  const Model& m = w.m;
  const std::string &child = w.link_name[w.place(body)], who = w.called(Entity::kBody, body);
  const int joint = m.body_joint[body];
  if (joint < 0 || (m.body_flags[body] & kBodyKinematic)) {
    if (joint >= 0) w.lost.add("what users move (kinematic bodies), which stands still", who);
    add_written_joint(w, free_name(w.joint_names, child + "_joint"), "fixed", "world", child,
                      pose_at_first(w, body, -1));
    return;
  }
  const int parent = m.joint_parent[joint];
  const std::string& around = w.link_name[w.place(parent)];
  const Transformd origin = inverse(w.link_frame[w.place(parent)]) * to_double(m.joint_X_p[joint]);
  const std::string joint_called = w.called(Entity::kJoint, joint);
  if (!m.joint_enabled[joint]) w.lost.add("that joints are disabled", joint_called);
  const auto type = static_cast<JointType>(m.joint_type[joint]);
  const int dofs = m.joint_qd_start[joint + 1] - m.joint_qd_start[joint];
  switch (type) {
    case JointType::kPrismatic:
    case JointType::kRevolute:
    case JointType::kD6:
      if (dofs > 0) {
        write_chain(w, joint, around, child, origin);
        return;
      }
      break;
    case JointType::kFree:
    case JointType::kDistance: {
      if (type == JointType::kDistance) w.lost.add("distance joints, which are floating", joint_called);
      const Transformd X = parent < 0 ? pose_at_first(w, body, -1) : origin;
      if (parent >= 0) w.lost.add("where floating joints of moving bodies begin", joint_called);
      XmlElement& element =
          add_written_joint(w, free_name(w.joint_names, joint_name(w, joint, child)), "floating", around, child, X);
      write_dynamics(w, m.joint_qd_start[joint], element);
      list_dof_losses(w, m.joint_qd_start[joint], joint_called);
      return;
    }
    case JointType::kBall: w.lost.add("ball joints, which are fixed", joint_called); break;
    case JointType::kFixed: break;
  }
  add_written_joint(w, free_name(w.joint_names, joint_name(w, joint, child)), "fixed", around, child,
                    pose_at_first(w, body, parent));
}

bool leads_back(const UrdfWriting& w, int follower, int leader) {
  for (int dof = leader; dof >= 0; dof = w.leader[static_cast<std::size_t>(dof)])
    if (dof == follower) return true;
  return false;
}

bool is_plain_motor(const Model& m, int i) {
  return static_cast<ActuatorTarget>(m.actuator_target[i]) == ActuatorTarget::kJoint &&
         static_cast<ActuatorLaw>(m.actuator_law[i]) == ActuatorLaw::kAffine &&
         static_cast<ActuatorDynamics>(m.actuator_dynamics[i]) == ActuatorDynamics::kNone && m.actuator_gain[i] == 1 &&
         m.actuator_gain_slope[i] == RealN<2>{} && m.actuator_bias[i] == RealN<3>{} && m.actuator_gear[i] != 0 &&
         m.actuator_delay[i] == 0;
}

}  // namespace

// Names of all joints with axes, and then whom they follow.
void plan_urdf_mimics(UrdfWriting& w) {
  const Model& m = w.m;
  w.leader.assign(static_cast<std::size_t>(m.joint_dof_count), -1);
  w.follows.resize(w.leader.size());
  for (const int joint : w.joints) {
    const auto type = static_cast<JointType>(m.joint_type[joint]);
    const int first = m.joint_qd_start[joint], count = m.joint_qd_start[joint + 1] - first,
              child = m.joint_child[joint];
    const bool axes = type == JointType::kPrismatic || type == JointType::kRevolute || type == JointType::kD6;
    if (!axes || count == 0 || (m.body_flags[child] & kBodyKinematic)) continue;
    const std::vector<std::string> names = axis_names(joint_name(w, joint, w.link_name[w.place(child)]), count);
    for (int axis = 0; axis < count; ++axis) {
      const auto k = std::min(static_cast<std::size_t>(axis), names.size() - 1);
      const int dof = first + axis;
      w.dof_name[static_cast<std::size_t>(dof)] = free_name(w.joint_names, names[k]);
    }
  }
  for (const int i : rows_of_world(m, Entity::kEqualityConstraint, w.world)) {
    constexpr const char* kTypes[] = {"connect", "weld", "joint", "tendon"};
    const int type = m.equality_constraint_type[i], joint1 = m.equality_constraint_joint1[i];
    const int joint2 = m.equality_constraint_joint2[i];
    const RealN<5> p = m.equality_constraint_polycoef[i];
    const bool linear = static_cast<EqualityType>(type) == EqualityType::kJoint && joint2 >= 0 && p[2] == 0 &&
                        p[3] == 0 && p[4] == 0 && m.equality_constraint_enabled[i];
    const int follower = linear ? m.joint_qd_start[joint1] + m.equality_constraint_axis1[i] : -1;
    const int leader = linear ? m.joint_qd_start[joint2] + m.equality_constraint_axis2[i] : -1;
    const auto f = static_cast<std::size_t>(follower);
    if (!linear || w.leader[f] >= 0 || leads_back(w, follower, leader)) {
      w.lost.add(text("equality constraints of type ", kTypes[type]), w.called(Entity::kEqualityConstraint, i));
      continue;
    }
    w.leader[f] = leader;
    w.follows[f] = {double(p[0]), double(p[1])};
    if (m.equality_constraint_solref[i] != kDefaultSolref || m.equality_constraint_solimp[i] != kDefaultSolimp)
      w.lost.add("softness of equality constraints", w.called(Entity::kEqualityConstraint, i));
  }
}

void write_urdf_joints(UrdfWriting& w) {
  for (const int body : w.bodies) write_body_joint(w, body);
}

void write_urdf_transmissions(UrdfWriting& w) {
  const Model& m = w.m;
  std::set<std::string> names;
  for (const int i : rows_of_world(m, Entity::kActuator, w.world)) {
    const std::string called = w.called(Entity::kActuator, i);
    const bool plain = is_plain_motor(m, i);
    const int dof = plain ? m.joint_qd_start[m.actuator_joint[i]] + m.actuator_axis[i] : -1;
    const std::string joint = plain ? w.dof_name[static_cast<std::size_t>(dof)] : "";
    if (joint.empty()) {
      w.lost.add("actuators that are no motors of a joint", called);
      continue;
    }
    if (m.actuator_ctrl_lower[i] > -kUnlimited || m.actuator_ctrl_upper[i] < kUnlimited ||
        m.actuator_force_lower[i] > -kUnlimited || m.actuator_force_upper[i] < kUnlimited)
      w.lost.add("bounds of ctrl and force of actuators", called);
    const int key = m.actuator_key_id[i];
    const std::string name = free_name(names, key >= 0 ? m.keys->name(key) : joint + "_motor");
    XmlElement& transmission = add_named(w.root, "transmission", name);
    transmission.add("type").text = "transmission_interface/SimpleTransmission";
    add_named(transmission, "joint", joint).add("hardwareInterface").text = "hardware_interface/EffortJointInterface";
    XmlElement& actuator = add_named(transmission, "actuator", name);
    actuator.add("hardwareInterface").text = "hardware_interface/EffortJointInterface";
    actuator.add("mechanicalReduction").text = number_text(m.actuator_gear[i]);
  }
}

}  // namespace carom::inline CAROM_PRECISION
