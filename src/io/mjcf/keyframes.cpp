// Keyframes of a compiled model as states of carom: quaternions xyzw, velocities of free and ball joints in the axes
// that carom has them in, a zero for each actuator without activation, poses of mocap bodies among the coordinates.
#include "carom/mjcf_files.h"
#include "io/mjcf/mapping.h"
#include "io/mjcf/mujoco_enums.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// One key of the model, read from the front.
struct KeyRow {
  const double *qpos, *qvel, *act, *ctrl, *mpos, *mquat;
};

void push(std::vector<Real>& to, Vec3d v) { to.insert(to.end(), {Real(v.x), Real(v.y), Real(v.z)}); }
void push(std::vector<Real>& to, Quatd q) { to.insert(to.end(), {Real(q.x), Real(q.y), Real(q.z), Real(q.w)}); }

// MuJoCo: velocity of the origin along the world's axes, angular velocity along the body's; of a ball the latter alone.
void add_turning_joint(const CompiledMjcf& m, int joint, int body, const KeyRow& row, Keyframe& key) {
  const bool free = at(m.jnt_type, joint) == mj::kFree;
  const double *q = row.qpos + at(m.jnt_qposadr, joint), *qd = row.qvel + at(m.jnt_dofadr, joint);
  const Quatd turn = normalize(quat(q + (free ? 3 : 0)));
  const Vec3d angular = rotate(turn, vec3(qd + (free ? 3 : 0)));
  if (free) {
    push(key.joint_q, vec3(q));
    push(key.joint_qd, vec3(qd) + cross(angular, rotate(turn, inertial_frame(m, body).p)));
  }
  push(key.joint_q, turn);
  push(key.joint_qd, angular);
}

void add_body(const CompiledMjcf& m, int body, const KeyRow& row, Keyframe& key) {
  const int mocap = at(m.body_mocapid, body);
  if (mocap >= 0) {
    push(key.joint_q, vec3(row.mpos + 3 * mocap));
    push(key.joint_q, normalize(quat(row.mquat + 4 * mocap)));
    key.joint_qd.insert(key.joint_qd.end(), 6, Real(0));
  }
  const int first = at(m.body_jntadr, body), count = at(m.body_jntnum, body);
  for (int joint = first; joint < first + count; ++joint) {
    const int type = at(m.jnt_type, joint);
    if (type == mj::kFree || type == mj::kBall) {
      add_turning_joint(m, joint, body, row, key);
      continue;
    }
    key.joint_q.push_back(Real(row.qpos[at(m.jnt_qposadr, joint)]));
    key.joint_qd.push_back(Real(row.qvel[at(m.jnt_dofadr, joint)]));
  }
}

void add_actuator(const CompiledMjcf& m, int actuator, KeyRow& row, Keyframe& key) {
  const int states = at(m.actuator_actnum, actuator), controls = at(m.actuator_ctrlnum, actuator);
  for (int k = 0; k < states; ++k) key.act.push_back(Real(*row.act++));
  if (states == 0) key.act.push_back(0);
  const bool turns =
      at(m.actuator_gaintype, actuator) == mj::kGainSo3 && at(m.actuator_ctrlspec, actuator) == mj::kCtrlQuaternion;
  if (turns) push(key.ctrl, quat(row.ctrl));
  for (int k = 0; k < controls && !turns; ++k) key.ctrl.push_back(Real(row.ctrl[k]));
  row.ctrl += controls;
}

}  // namespace

std::vector<Keyframe> mjcf_keyframes(const CompiledMjcf& m) {
  std::vector<Keyframe> keys;
  const std::int64_t count = static_cast<std::int64_t>(m.key_time.size());
  // Each key has its share of an array.
  const auto share = [&](const std::vector<double>& values, std::int64_t key) {
    const auto width = static_cast<std::int64_t>(values.size()) / count;
    return rows_from(values, key * width, width);
  };
  for (std::int64_t i = 0; i < count; ++i) {
    KeyRow row{share(m.key_qpos, i), share(m.key_qvel, i), share(m.key_act, i),
               share(m.key_ctrl, i), share(m.key_mpos, i), share(m.key_mquat, i)};
    Keyframe key;
    key.name = name_at(m.name_key, static_cast<int>(i));
    key.time = m.key_time[static_cast<std::size_t>(i)];
    for (int body = 1; body < static_cast<int>(m.body_parentid.size()); ++body) add_body(m, body, row, key);
    for (int actuator = 0; actuator < static_cast<int>(m.actuator_trntype.size()); ++actuator)
      add_actuator(m, actuator, row, key);
    keys.push_back(std::move(key));
  }
  return keys;
}

std::vector<Keyframe> load_keyframes(const MjcfSource& source) { return mjcf_keyframes(read_mjcf(source).model); }

}  // namespace carom::inline CAROM_PRECISION
