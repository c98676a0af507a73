// Keyframes of what is scaled: coordinates of slides, what actuators take and keep, and the places of free and mocap
// bodies, which move as the bodies themselves do.
#include "io/mjcf/mujoco_enums.h"
#include "io/mjcf/scale.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Takes the numbers of a key one after the other; there may be fewer than the model has.
struct KeyNumbers {
  std::vector<double>& numbers;
  std::size_t at = 0;

  void multiply(double by) {
    if (at < numbers.size()) numbers[at] *= by;
    ++at;
  }
  // p becomes to + A (p - from).
  void map(const Mat33d& A, Vec3d from, Vec3d to) {
    if (at + 3 <= numbers.size()) {
      const Vec3d p = to + A * (vec3(&numbers[at]) - from);
      for (int k = 0; k < 3; ++k) numbers[at + static_cast<std::size_t>(k)] = p[k];
    }
    at += 3;
  }
  void leave(std::size_t count) { at += count; }
};

// Of a child of the world, in the axes of the world.
Mat33d world_stretch(const BodySpec& body) {
  const Mat33d R = mat33_from_quat(normalize(body.pose.q));
  return R * body.scale.stretch * transpose(R);
}

void scale_joint_numbers(const JointSpec& joint, const BodySpec& body, Vec3d from, KeyNumbers& q, KeyNumbers& qd) {
  switch (joint.type) {
    case mj::kFree:
      q.map(world_stretch(body), from, body.pose.p);
      qd.map(world_stretch(body), {}, {});
      q.leave(4);
      qd.leave(3);
      break;
    case mj::kBall:
      q.leave(4);
      qd.leave(3);
      break;
    default: q.multiply(coordinate_of(joint).length); qd.multiply(coordinate_of(joint).length);
  }
}

void scale_key(KeySpec& key, const MjcfSpec& spec, const std::vector<ScaledCoordinate>& actuators,
               const std::vector<Vec3d>& from) {
  KeyNumbers q{key.qpos}, qd{key.qvel}, mocap{key.mpos}, act{key.act}, ctrl{key.ctrl};
  for (std::size_t i = static_cast<std::size_t>(key.first_body); i < spec.bodies.size(); ++i) {
    const BodySpec& body = spec.bodies[i];
    if (body.mocap) mocap.map(world_stretch(body), from[i], body.pose.p);
    for (const JointSpec& joint : body.joints) scale_joint_numbers(joint, body, from[i], q, qd);
  }
  for (std::size_t i = 0; i < spec.actuators.size(); ++i) {
    const ActuatorSpec& actuator = spec.actuators[i];
    if (key.attachment != 0 && actuator.attachment != key.attachment) continue;
    for (const double unit : control_units(actuator, actuators[i])) ctrl.multiply(unit);
    for (const double unit : activation_units(actuator, actuators[i])) act.multiply(unit);
  }
}

}  // namespace

void scale_keyframes(MjcfSpec& spec, const std::vector<ScaledCoordinate>& actuators, const std::vector<Vec3d>& from) {
  for (KeySpec& key : spec.keys) scale_key(key, spec, actuators, from);
}

}  // namespace carom::inline CAROM_PRECISION
