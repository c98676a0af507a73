// What follows from the pose qpos0: lengths of tendons, poses that equalities hold, and numbers that depend on the
// inertia that springs and actuators feel there.
#include <algorithm>
#include <cmath>

#include "io/mjcf/mujoco_enums.h"
#include "io/mjcf/reference.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// How far a body is moved by its joints, in its own frame, if coordinates are `q` instead of qpos0.
MjcfPose moved_by_joints(const Compiling& c, int body, const std::vector<double>& q) {
  const CompiledMjcf& m = c.out;
  MjcfPose X;
  const int first = at(m.body_jntadr, body), count = at(m.body_jntnum, body);
  for (int joint = first; joint < first + count; ++joint) {
    const int type = at(m.jnt_type, joint), place = at(m.jnt_qposadr, joint);
    if (type != mj::kSlide && type != mj::kHinge) continue;  // springs of the others rest where they are
    const double by = at(q, place) - at(m.qpos0, place);
    const Vec3d axis = vec3(m.jnt_axis, joint), anchor = vec3(m.jnt_pos, joint);
    if (type == mj::kSlide) X = X * MjcfPose{axis * by, {}};
    else X = X * MjcfPose{anchor, {}} * MjcfPose{{}, quat_from_axis_angle(axis, by)} * MjcfPose{-anchor, {}};
  }
  return X;
}

std::vector<MjcfPose> placed_bodies(const Compiling& c, const std::vector<double>& q) {
  const CompiledMjcf& m = c.out;
  std::vector<MjcfPose> X_WB(m.body_parentid.size());
  for (std::size_t i = 1; i < X_WB.size(); ++i) {
    const int body = static_cast<int>(i);
    const MjcfPose& parent = X_WB[static_cast<std::size_t>(m.body_parentid[i])];
    X_WB[i] = parent * pose_of(m.body_pos, m.body_quat, body) * moved_by_joints(c, body, q);
  }
  return X_WB;
}

// Anchor of the first body, where the second has it; or the pose of the second in the first.
void place_equality(const Compiling& c, int id, double* data) {
  const CompiledMjcf& m = c.out;
  if (at(m.eq_objtype, id) == mj::kObjectSite) return;
  const MjcfPose& X1 = c.X_WB[static_cast<std::size_t>(at(m.eq_obj1id, id))];
  const MjcfPose& X2 = c.X_WB[static_cast<std::size_t>(at(m.eq_obj2id, id))];
  if (at(m.eq_type, id) == mj::kConnect) {
    const Vec3d p = rotate_inverse(X2.q, X1.p + rotate(X1.q, vec3(data)) - X2.p);
    for (int k = 0; k < 3; ++k) data[3 + k] = p[k];
    return;
  }
  const Quatd given = quat(data + 6);
  if (dot(given, given) > 0) {
    const Quatd q = normalize(given);
    const double wxyz[] = {q.w, q.x, q.y, q.z};
    std::copy_n(wxyz, 4, data + 6);
    return;
  }
  const Vec3d p = rotate_inverse(X1.q, X2.p + rotate(X2.q, vec3(data)) - X1.p);
  const Quatd q = conjugate(X1.q) * X2.q;
  const double numbers[] = {p.x, p.y, p.z, q.w, q.x, q.y, q.z};
  std::copy_n(numbers, 7, data + 3);
  data[11] = 1;  // was worked out
}

double along(const DofRow& a, const DofRow& b) {
  double sum = 0;
  for (const auto& [dof, value] : a) {
    const auto other = b.find(dof);
    if (other != b.end()) sum += value * other->second;
  }
  return sum;
}

// Springs given by a time constant and a ratio of damping.
void tune_springs(Compiling& c, const ReferenceMass& mass) {
  CompiledMjcf& m = c.out;
  int id = 0;
  for (const BodySpec& body : c.spec.bodies)
    for (const JointSpec& joint : body.joints) {
      const int first = at(m.jnt_dofadr, id);
      const int end = id + 1 < static_cast<int>(m.jnt_type.size()) ? at(m.jnt_dofadr, id + 1)
                                                                   : static_cast<int>(m.dof_armature.size());
      const int me = id++;
      const double time = joint.springdamper[0], ratio = joint.springdamper[1];
      if (time <= 0 || ratio <= 0) continue;
      double inverse = 0;
      for (int dof = first; dof < end; ++dof) inverse += mass.solve({{dof, 1.0}}).at(dof);
      const double inertia = (end - first) / std::max(inverse, 1e-15);
      m.jnt_stiffness[static_cast<std::size_t>(me)] = inertia / std::max(time * time * ratio * ratio, 1e-15);
      for (int dof = first; dof < end; ++dof)
        m.dof_damping[static_cast<std::size_t>(dof)] = 2 * inertia / std::max(time, 1e-15);
    }
}

// Servos whose damping is a ratio: it stands in its place with the other sign.
bool has_damping_ratio(const CompiledMjcf& m, int actuator) {
  const double* gain = row(m.actuator_gainprm, actuator, 10);
  const double* bias = row(m.actuator_biasprm, actuator, 10);
  if (!(bias[2] > 0)) return false;
  const int type = at(m.actuator_gaintype, actuator);
  const bool fixed = type == mj::kGainFixed && at(m.actuator_biastype, actuator) == mj::kBiasAffine;
  return type == mj::kGainPid || ((fixed || type == mj::kGainSo3) && gain[0] == -bias[1]);
}

void tune_actuators(Compiling& c, const ReferencePose& pose, const ReferenceMass& mass) {
  CompiledMjcf& m = c.out;
  for (int id = 0; id < static_cast<int>(m.actuator_trntype.size()); ++id) {
    const int first = at(m.actuator_outadr, id), outputs = at(m.actuator_trntype, id) == mj::kTrnSo3 ? 3 : 1;
    double inverse = 0;  // of the inertia that it feels
    for (int output = 0; output < outputs; ++output) {
      const DofRow moment = actuator_row(pose, id, output), answer = mass.solve(moment);
      m.actuator_acc0[static_cast<std::size_t>(first) + static_cast<std::size_t>(output)] =
          std::sqrt(along(answer, answer));
      inverse += along(moment, answer) / outputs;
    }
    if (!has_damping_ratio(m, id)) continue;
    double* bias = &m.actuator_biasprm[10 * static_cast<std::size_t>(id)];
    bias[2] *= inverse > 1e-15 ? -2 * std::sqrt(-bias[1] / inverse) : 0;  // what moves nothing needs no damping
  }
}

}  // namespace

void compile_lengths(Compiling& c) {
  CompiledMjcf& m = c.out;
  std::vector<double> resting;  // lengths where the springs of joints rest
  c.X_WB = placed_bodies(c, m.qpos_spring);
  for (int id = 0; id < static_cast<int>(m.tendon_adr.size()); ++id)
    resting.push_back(tendon_length(c, id, m.qpos_spring));
  c.X_WB = placed_bodies(c, m.qpos0);
  for (int id = 0; id < static_cast<int>(m.tendon_adr.size()); ++id) {
    const auto i = static_cast<std::size_t>(id);
    m.tendon_length0[i] = tendon_length(c, id, m.qpos0);
    double* spring = &m.tendon_lengthspring[2 * i];
    if (spring[0] == -1 && spring[1] == -1) spring[0] = spring[1] = resting[i];
  }
  for (int id = 0; id < static_cast<int>(m.eq_type.size()); ++id)
    if (at(m.eq_type, id) <= mj::kWeld) place_equality(c, id, &m.eq_data[12 * static_cast<std::size_t>(id)]);
}

void compile_reference_dynamics(Compiling& c) {
  if (c.out.dof_armature.empty()) return;
  const ReferencePose pose = reference_pose(c);
  tune_springs(c, ReferenceMass(pose));
  if (!c.out.actuator_trntype.empty()) tune_actuators(c, pose, ReferenceMass(pose));
}

}  // namespace carom::inline CAROM_PRECISION
