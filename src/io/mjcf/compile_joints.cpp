// Joints, their coordinates and degrees of freedom, and the trees that they make of the bodies.
#include "io/mjcf/compile.h"
#include "io/mjcf/mujoco_enums.h"

namespace carom::inline CAROM_PRECISION {

namespace {

void check_joints(const BodySpec& body) {
  for (const JointSpec& joint : body.joints) {
    if (joint.type == mj::kFree && (body.parent != 0 || body.joints.size() != 1))
      fail_compile(joint.place, "joint", "a free joint is the only one of a child of the world");
    const bool has_axis = joint.type == mj::kSlide || joint.type == mj::kHinge;
    if (joint.type == mj::kBall && joint.range[0] != 0 && joint.limited != 0)
      fail_compile(joint.place, "joint", "the range of a ball joint begins at 0");
    if (has_axis && length(joint.axis) < 1e-14) fail_compile(joint.place, "joint", "the axis is too short");
  }
}

void add_coordinates(Compiling& c, const JointSpec& joint, int body) {
  CompiledMjcf& m = c.out;
  if (joint.type == mj::kFree || joint.type == mj::kBall) {
    const MjcfPose X = pose_of(m.body_pos, m.body_quat, body);
    for (std::vector<double>* q : {&m.qpos0, &m.qpos_spring}) {
      if (joint.type == mj::kFree) append(*q, X.p);
      append(*q, joint.type == mj::kFree ? X.q : Quatd{});
    }
  } else {
    m.qpos0.push_back(joint.ref);
    m.qpos_spring.push_back(joint.springref);
  }
}

void add_dofs(Compiling& c, const JointSpec& joint, int id) {
  CompiledMjcf& m = c.out;
  for (int k = 0; k < mj::dof_count(joint.type); ++k) {
    c.dof_joint.push_back(id);
    m.dof_armature.push_back(joint.armature);
    m.dof_damping.push_back(joint.damping[0]);
    append(m.dof_dampingpoly, Doubles2{joint.damping[1], joint.damping[2]});
    m.dof_frictionloss.push_back(joint.frictionloss);
    append(m.dof_solref, joint.solref_friction);
    append(m.dof_solimp, joint.solimp_friction);
  }
}

void add_joint(Compiling& c, const JointSpec& joint, int body) {
  CompiledMjcf& m = c.out;
  const int id = static_cast<int>(m.jnt_type.size());
  add_name(c.joints, joint.name, id, joint.place, "joint");
  const bool free = joint.type == mj::kFree, turns = joint.type == mj::kHinge || joint.type == mj::kBall;
  const bool limited = !free && is_limited(c, joint.limited, joint.range, joint.place, "joint", "range");
  Doubles2 range = joint.range;
  for (double& end : range)
    if (limited && turns) end = MjcfAngles{joint.degrees}.radians(end);  // what does not limit stays as it is written
  const bool has_axis = joint.type == mj::kSlide || joint.type == mj::kHinge;
  c.joint_body.push_back(body);
  note_place(c, MjcfRows::kJoint, joint.place, "joint");
  m.name_jnt.push_back(joint.name);
  m.jnt_type.push_back(joint.type);
  m.jnt_qposadr.push_back(static_cast<int>(m.qpos0.size()));
  m.jnt_dofadr.push_back(static_cast<int>(m.dof_armature.size()));
  m.jnt_limited.push_back(limited);
  m.jnt_actfrclimited.push_back(is_limited(c, joint.actuator_force_limited, joint.actuator_force_range, joint.place,
                                           "joint", "actuatorfrcrange"));
  m.jnt_actgravcomp.push_back(joint.actuator_gravcomp);
  append(m.jnt_pos, free ? Vec3d{} : joint.pos);
  append(m.jnt_axis, has_axis ? joint.axis * (1 / length(joint.axis)) : Vec3d{0, 0, 1});
  m.jnt_stiffness.push_back(joint.stiffness[0]);
  append(m.jnt_stiffnesspoly, Doubles2{joint.stiffness[1], joint.stiffness[2]});
  m.jnt_springyield.push_back(joint.springyield);
  append(m.jnt_range, range);
  append(m.jnt_actfrcrange, joint.actuator_force_range);
  m.jnt_margin.push_back(joint.margin);
  append(m.jnt_solref, joint.solref_limit);
  append(m.jnt_solimp, joint.solimp_limit);
  add_coordinates(c, joint, body);
  add_dofs(c, joint, id);
}

// A body that moves, with all that is welded to it, has mass.
void check_mass(const Compiling& c, int body) {
  const CompiledMjcf& m = c.out;
  constexpr double kLeast = 1e-15;
  for (int other = body; other < static_cast<int>(m.body_mass.size()); ++other) {
    if (at(m.body_weldid, other) != body) continue;
    const double* inertia = row(m.body_inertia, other, 3);
    if (at(m.body_mass, other) > kLeast && inertia[0] > kLeast && inertia[1] > kLeast && inertia[2] > kLeast) return;
  }
  fail_compile(c.spec.bodies[static_cast<std::size_t>(body)].place, "body",
               "mass and inertia of a body that moves must be positive");
}

}  // namespace

void compile_joints(Compiling& c) {
  for (std::size_t i = 0; i < c.spec.bodies.size(); ++i) {
    const BodySpec& body = c.spec.bodies[i];
    check_joints(body);
    if (!body.joints.empty()) check_mass(c, static_cast<int>(i));
    c.out.body_jntadr.push_back(body.joints.empty() ? -1 : static_cast<int>(c.out.jnt_type.size()));
    for (const JointSpec& joint : body.joints) add_joint(c, joint, static_cast<int>(i));
  }
}

// A tree begins with a body that has joints and no ancestor that has some.
void compile_trees(Compiling& c) {
  CompiledMjcf& m = c.out;
  std::vector<int> tree_of(c.spec.bodies.size(), -1);
  for (std::size_t i = 1; i < c.spec.bodies.size(); ++i) {
    const BodySpec& body = c.spec.bodies[i];
    tree_of[i] = tree_of[static_cast<std::size_t>(body.parent)];
    if (tree_of[i] >= 0 || body.joints.empty()) continue;
    tree_of[i] = static_cast<int>(m.tree_bodyadr.size());
    m.tree_bodyadr.push_back(static_cast<int>(i));
  }
  c.tree_of = std::move(tree_of);
}

}  // namespace carom::inline CAROM_PRECISION
