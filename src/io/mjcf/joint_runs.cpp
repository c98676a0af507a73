// How the joints of a MuJoCo model become those of carom.
//
// MuJoCo moves a body by a list of joints, each given in the body's own frame and measured from qpos0; with B the
// pose of the body in its parent, the pose of the moved body is
//
//     X_PB = B T_1 T_2 ... T_n      slide along a:          T = Trans(a (q - q0))
//                                   hinge about a through p: T = Trans(p) Rot(a, q - q0) Trans(-p)
//                                   ball through p:          T = Trans(p) Rot(quaternion) Trans(-p)
//
// A run of consecutive joints becomes one joint X_PB = X_p X_J(q) X_c^-1 of carom when it is slides followed by hinges
// through one point, and a chain of massless links joins the runs of a body. Constants from q0 go into the frames and
// axes, so that coordinates stay those of MuJoCo: with C_k = Rot(a_1, -q0_1) ... Rot(a_k, -q0_k) over the hinges, the
// product of Rot(a_k, q_k - q0_k) is the product of Rot(C_{k-1} a_k, q_k), times C_n. So hinge k turns about
// C_{k-1} a_k, and C_n belongs to the child's frame.
#include <algorithm>

#include "io/mjcf/mapping.h"
#include "io/mjcf/mujoco_enums.h"

namespace carom::inline CAROM_PRECISION {

namespace {

constexpr double kPerpendicular = 1e-9;  // largest cosine between the axes of one joint
constexpr double kSamePoint = 1e-12;     // [m]

bool fits(Vec3d axis, const std::vector<Vec3d>& others) {
  if (others.size() >= 3) return false;
  for (const Vec3d& other : others)
    if (!(abs(dot(axis, other)) < kPerpendicular)) return false;
  return true;
}

bool same_point(Vec3d a, Vec3d b) {
  const Vec3d d = abs(a - b);
  return max(d.x, max(d.y, d.z)) <= kSamePoint;
}

// Adds a slide or a hinge at the end of the run, when it fits.
bool take(JointRun& run, const CompiledMjcf& m, int joint) {
  const double q0 = at(m.qpos0, at(m.jnt_qposadr, joint));
  const Vec3d axis = vec3(m.jnt_axis, joint);
  if (at(m.jnt_type, joint) == mj::kSlide) {
    if (!run.hinges.empty() || !fits(axis, run.slides)) return false;
    run.slides.push_back(axis);
    run.start -= axis * q0;
  } else {
    const Vec3d anchor = vec3(m.jnt_pos, joint), turned = rotate(run.turned_back, axis);
    if (!fits(turned, run.hinges)) return false;
    if (!run.hinges.empty() && !same_point(anchor, run.anchor)) return false;
    run.hinges.push_back(turned);
    run.anchor = anchor;
    if (q0 != 0) run.turned_back = run.turned_back * quat_from_axis_angle(axis, -q0);
  }
  run.joints.push_back(joint);
  return true;
}

JointRun turning_run(const CompiledMjcf& m, int joint) {
  JointRun run{.joints = {joint}, .turning = true, .free = at(m.jnt_type, joint) == mj::kFree};
  if (!run.free) run.anchor = vec3(m.jnt_pos, joint);
  return run;
}

}  // namespace

Transformd parent_frame(const JointRun& run, const Transformd& X_PB) {
  return run.free ? Transformd{} : X_PB * Transformd{run.anchor + run.start, {}};
}

Transformd child_frame(const JointRun& run) {
  return {run.anchor, run.turning ? Quatd{} : conjugate(run.turned_back)};  // conjugate() of no turn has zeros of -0
}

std::vector<JointRun> joint_runs(const CompiledMjcf& m, int body) {
  std::vector<JointRun> runs;
  const int first = at(m.body_jntadr, body), count = at(m.body_jntnum, body);
  if (count > 0) rows_from(m.jnt_type, first, count);  // are they there?
  for (int joint = first; joint < first + count; ++joint) {
    const int type = at(m.jnt_type, joint);
    if (type == mj::kFree || type == mj::kBall) {
      runs.push_back(turning_run(m, joint));
      continue;
    }
    if (!runs.empty() && !runs.back().turning && take(runs.back(), m, joint)) continue;
    runs.emplace_back();
    take(runs.back(), m, joint);
  }
  return runs;
}

std::vector<int> mjcf_link_counts(const CompiledMjcf& model) {
  std::vector<int> counts(model.body_jntadr.size());
  for (std::size_t body = 0; body < counts.size(); ++body)
    counts[body] = std::max(static_cast<int>(joint_runs(model, static_cast<int>(body)).size()) - 1, 0);
  return counts;
}

}  // namespace carom::inline CAROM_PRECISION
