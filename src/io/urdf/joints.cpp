// Joints with what they are limited by and whom they follow, articulations, and transmissions as actuators.
#include <cmath>
#include <unordered_map>

#include "io/urdf/import.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Files write 0 for an effort that nobody knows.
JointDofConfig dof_of(const UrdfImport& in, const UrdfJoint& joint) {
  JointDofConfig dof = in.builder.default_joint_cfg;
  dof.axis = to_real(joint.axis);
  dof.limit_lower = joint.lower ? Real(*joint.lower) : -kUnlimited;
  dof.limit_upper = joint.upper ? Real(*joint.upper) : kUnlimited;
  if (joint.effort && *joint.effort > 0) {
    dof.effort_lower = -Real(*joint.effort);
    dof.effort_upper = Real(*joint.effort);
  }
  if (joint.damping) dof.damping = Real(*joint.damping);
  if (joint.friction) dof.friction = Real(*joint.friction);
  return dof;
}

// Two directions across the axis, which is the normal of the plane: x and y, if it is z.
int add_planar(UrdfImport& in, const UrdfJoint& joint, int parent, int child, const JointFrames& frames) {
  const Vec3d n = joint.axis, x = std::abs(n.x) < 0.9 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
  const Vec3d across = x - n * dot(x, n), first = across * (1 / length(across));
  JointDofConfig along = dof_of(in, joint), beside = along;
  const JointDofConfig about = along;
  along.axis = to_real(first);
  beside.axis = to_real(cross(n, first));
  return in.builder.add_joint_d6(parent, child, {along, beside}, {about}, frames);
}

int add_floating(UrdfImport& in, const UrdfJoint* joint, int parent, int child, const JointFrames& frames) {
  JointDofConfig dof;
  if (joint && joint->damping) dof.damping = Real(*joint->damping);
  if (joint && joint->friction) dof.friction = Real(*joint->friction);
  // On the world its coordinates are the pose of the body.
  return in.builder.add_joint_free(child, parent, parent < 0 ? JointFrames{.key = frames.key} : frames, dof);
}

int add_urdf_joint(UrdfImport& in, int body) {
  const int link = in.body_link[static_cast<std::size_t>(body)];
  const UrdfMotion& motion = in.moved(link);
  const UrdfJoint* joint = motion.joint < 0 ? nullptr : &in.spec.joints[static_cast<std::size_t>(motion.joint)];
  const UrdfPlacement around = motion.parent < 0 ? UrdfPlacement{} : in.placed(motion.parent);
  const JointFrames frames{.parent_xform = to_real(around.X_BL * motion.X_PJ), .key = joint ? joint->name : ""};
  if (joint) in.now(joint->place, "joint");
  else in.now(in.link(link).place, "link");
  switch (motion.type) {
    case UrdfJointType::kFixed: return in.builder.add_joint_fixed(around.body, body, frames);
    case UrdfJointType::kFloating: return add_floating(in, joint, around.body, body, frames);
    case UrdfJointType::kPlanar: return add_planar(in, *joint, around.body, body, frames);
    case UrdfJointType::kPrismatic:
      return in.builder.add_joint_prismatic(around.body, body, dof_of(in, *joint), frames);
    default: return in.builder.add_joint_revolute(around.body, body, dof_of(in, *joint), frames);
  }
}

void add_mimics(UrdfImport& in) {
  for (std::size_t j = 0; j < in.spec.joints.size(); ++j) {
    const UrdfJoint& joint = in.spec.joints[j];
    if (!joint.mimic) continue;
    in.now(joint.mimic->place, "mimic");
    in.builder.add_equality_constraint_joint(in.joint_of[j], in.joint_of[static_cast<std::size_t>(joint.mimic->leader)],
                                             {Real(joint.mimic->offset), Real(joint.mimic->multiplier), 0, 0, 0},
                                             {.key = joint.name});
  }
}

}  // namespace

// Bodies are in depth-first order, so those of an articulation, which hang on one that hangs on the world, come in a
// row.
void add_urdf_joints(UrdfImport& in) {
  in.joint_of.assign(in.spec.joints.size(), -1);
  std::vector<int> articulation;
  int root = -1;
  const auto end_articulation = [&] {
    if (!articulation.empty()) in.builder.add_articulation(articulation, in.link(root).name);
    articulation.clear();
  };
  for (int body = 0; body < static_cast<int>(in.body_link.size()); ++body) {
    const int link = in.body_link[static_cast<std::size_t>(body)];
    const UrdfMotion& motion = in.moved(link);
    if (motion.parent < 0 || in.placed(motion.parent).body < 0) {
      end_articulation();
      root = link;
    }
    const int joint = add_urdf_joint(in, body);
    articulation.push_back(joint);
    if (motion.joint < 0) continue;
    const auto j = static_cast<std::size_t>(motion.joint);
    in.joint_of[j] = joint;
    if (in.start[j] != 0) in.builder.set_joint_q(joint, std::array{Real(in.start[j])});
  }
  end_articulation();
  add_mimics(in);
}

// The actuator turns `reduction` times while the joint turns once, so its torque counts so many times.
void add_urdf_actuators(UrdfImport& in) {
  std::unordered_map<std::string, int> joints;
  for (std::size_t j = 0; j < in.spec.joints.size(); ++j) joints.emplace(in.spec.joints[j].name, in.joint_of[j]);
  for (const UrdfTransmission& transmission : in.spec.transmissions) {
    in.now(transmission.place, "transmission");
    in.builder.add_actuator(joints.at(transmission.joint), {.gear = Real(transmission.reduction)},
                            free_key(in.actuator_keys, transmission.actuator));
  }
}

}  // namespace carom::inline CAROM_PRECISION
