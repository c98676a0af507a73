// Joints and articulations: one articulation for each child of the world body.
#include <cmath>
#include <map>

#include "io/mjcf/mapping.h"
#include "io/mjcf/mujoco_enums.h"

namespace carom::inline CAROM_PRECISION {

namespace {

void set_joint_limit(JointDofConfig& dof, const CompiledMjcf& m, int joint) {
  set_range(dof.limit_lower, dof.limit_upper, m.jnt_range, joint);
  dof.limit_margin = real(m.jnt_margin, joint);
  dof.limit_solref = reals<2>(m.jnt_solref, joint);
  dof.limit_solimp = reals<5>(m.jnt_solimp, joint);
}

// What holds for each axis of a joint, and is the same for axes and for turning joints.
JointDofConfig dof_numbers(const Mapping& map, int joint) {
  const CompiledMjcf& m = map.m;
  const int dof = at(m.jnt_dofadr, joint);
  const double springs = map.has.spring, dampers = map.has.damper;
  const Rotors& rotors = map.joint_rotors[joint];
  JointDofConfig result{.damping = Real(dampers * (at(m.dof_damping, dof) + rotors.damping)),
                        .armature = Real(at(m.dof_armature, dof) + rotors.armature),
                        .friction = map.has.frictionloss ? real(m.dof_frictionloss, dof) : 0,
                        .friction_solref = reals<2>(m.dof_solref, dof),
                        .friction_solimp = reals<5>(m.dof_solimp, dof),
                        .stiffness = Real(springs * at(m.jnt_stiffness, joint)),
                        .stiffness_poly = scaled(springs, doubles<2>(m.jnt_stiffnesspoly, joint)),
                        .damping_poly = scaled(dampers, doubles<2>(m.dof_dampingpoly, dof), rotors.damping_poly),
                        .spring_yield = spring_yield(map, at(m.jnt_springyield, joint)),
                        .gravcomp_by_motor = at(m.jnt_actgravcomp, joint) != 0};
  if (at(m.jnt_limited, joint) && map.has.limit) set_joint_limit(result, m, joint);
  return result;
}

// Of a slide or a hinge. MuJoCo bounds the efforts of axes alone.
JointDofConfig axis_numbers(const Mapping& map, int joint, Vec3d axis) {
  const CompiledMjcf& m = map.m;
  JointDofConfig dof = dof_numbers(map, joint);
  dof.axis = to_real(axis);
  dof.spring_ref = real(m.qpos_spring, at(m.jnt_qposadr, joint));
  dof.effort_lower = -kUnlimited;
  dof.effort_upper = kUnlimited;
  if (at(m.jnt_actfrclimited, joint)) set_range(dof.effort_lower, dof.effort_upper, m.jnt_actfrcrange, joint);
  const bool actuated = map.has.actuation && !m.actuator_trntype.empty();
  if (dof.gravcomp_by_motor && !actuated) dof.effort_lower = dof.effort_upper = 0;  // nobody carries
  return dof;
}

int add_axes(Mapping& map, const JointRun& run, int parent, int child, const JointFrames& frames) {
  std::vector<JointDofConfig> linear, angular;
  std::vector<Real> q;
  for (std::size_t i = 0; i < run.joints.size(); ++i) {
    const bool slides = i < run.slides.size();
    const Vec3d axis = slides ? run.slides[i] : run.hinges[i - run.slides.size()];
    (slides ? linear : angular).push_back(axis_numbers(map, run.joints[i], axis));
    q.push_back(real(map.m.qpos0, at(map.m.jnt_qposadr, run.joints[i])));
  }
  int joint;
  if (q.size() > 1) {
    joint = map.builder.add_joint_d6(parent, child, linear, angular, frames);
  } else if (angular.empty()) {
    joint = map.builder.add_joint_prismatic(parent, child, linear[0], frames);
  } else {
    joint = map.builder.add_joint_revolute(parent, child, angular[0], frames);
  }
  map.builder.set_joint_q(joint, q);
  for (std::size_t i = 0; i < run.joints.size(); ++i) map.axis_of[run.joints[i]] = {joint, static_cast<int>(i)};
  return joint;
}

// Where the springs of a free or ball joint are relaxed.
std::vector<Real> turning_spring_ref(const CompiledMjcf& m, int first, bool free) {
  const double* spring = rows_from(m.qpos_spring, first, free ? 7 : 4);
  const Vec3d turn = rotation_vector(quat(spring + (free ? 3 : 0)));
  std::vector<Real> ref;
  for (int i = 0; free && i < 3; ++i) ref.push_back(Real(spring[i]));
  for (int i = 0; i < 3; ++i) ref.push_back(Real(turn[i]));
  return ref;
}

int add_turning_joint(Mapping& map, const JointRun& run, int parent, int child, const JointFrames& frames) {
  const int mj_joint = run.joints[0], first = at(map.m.jnt_qposadr, mj_joint);
  JointDofConfig dof = dof_numbers(map, mj_joint);
  int joint;
  if (run.free) {
    joint = map.builder.add_joint_free(child, -1, frames, dof);
  } else {
    dof.limit_lower = -kUnlimited;  // it counts from no rotation at all
    joint = map.builder.add_joint_ball(parent, child, dof, frames);
    const Quat q = to_real(quat(rows_from(map.m.qpos0, first, 4)));
    map.builder.set_joint_q(joint, std::array{q.x, q.y, q.z, q.w});
  }
  const bool sprung = dof.stiffness != 0 || dof.stiffness_poly != RealN<2>{};
  if (sprung || dof.spring_yield > 0)
    map.builder.set_joint_spring_ref(joint, turning_spring_ref(map.m, first, run.free));
  map.turning_joint[mj_joint] = joint;
  return joint;
}

int add_run(Mapping& map, const JointRun& run, int parent, int child, const Transformd& X_PB) {
  JointFrames frames{.parent_xform = to_real(parent_frame(run, X_PB)), .child_xform = to_real(child_frame(run))};
  for (const int joint : run.joints) {
    const std::string name = name_at(map.m.name_jnt, joint);
    if (!name.empty()) frames.key += (frames.key.empty() ? "" : "+") + name;
  }
  return run.turning ? add_turning_joint(map, run, parent, child, frames) : add_axes(map, run, parent, child, frames);
}

}  // namespace

Real spring_yield(const Mapping& map, double given) {
  const bool yields = !ignores(map.args, "springyield") && map.has.spring && std::isfinite(given);
  return yields ? Real(given) : 0;
}

const DofPlace& place_of(const Mapping& map, int joint) {
  const DofPlace& place = *row(map.axis_of, joint);
  if (place.joint < 0) fail("joint ", joint, " of a compiled model has no single coordinate");
  return place;
}

void add_joints(Mapping& map) {
  const CompiledMjcf& m = map.m;
  map.axis_of.resize(m.jnt_type.size());
  map.turning_joint.assign(m.jnt_type.size(), -1);
  std::map<int, std::vector<int>> articulations;  // by root
  for (int body = 1; body < static_cast<int>(m.body_parentid.size()); ++body) {
    std::vector<int>& joints = articulations[m.body_rootid[body]];
    map.now = {MjcfRows::kBody, body};
    int parent = m.body_parentid[body] - 1;
    Transformd frame = body_frame(m, body);
    if (m.body_mocapid[body] >= 0) {
      joints.push_back(map.builder.add_joint_free(body - 1));
    } else if (map.runs[body].empty()) {
      joints.push_back(map.builder.add_joint_fixed(parent, body - 1, {.parent_xform = to_real(frame)}));
    }
    for (std::size_t i = 0; i < map.runs[body].size(); ++i) {
      const int child = i < map.links[body].size() ? map.links[body][i] : body - 1;
      const JointRun& run = map.runs[body][i];
      if (run.joints.size() == 1) map.now = {MjcfRows::kJoint, run.joints[0]};
      else map.now = {MjcfRows::kBody, body};  // has all joints of the run
      joints.push_back(add_run(map, run, parent, child, frame));
      parent = child;
      frame = {};
    }
  }
  for (const auto& [root, joints] : articulations) {
    map.now = {MjcfRows::kBody, root};
    map.builder.add_articulation(joints, name_at(m.name_body, root));
  }
}

}  // namespace carom::inline CAROM_PRECISION
