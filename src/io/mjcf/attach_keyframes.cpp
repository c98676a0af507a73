// Keyframes of an attached model, as far as they tell of its attached part, and what it has for its users.
#include <algorithm>

#include "io/mjcf/mujoco_enums.h"
#include "io/mjcf/reading.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// A piece of a row of numbers; what is behind its end is not there.
std::vector<double> piece(const std::vector<double>& numbers, std::size_t first, std::size_t count) {
  const std::size_t begin = std::min(first, numbers.size()), end = std::min(first + count, numbers.size());
  return {numbers.begin() + static_cast<std::ptrdiff_t>(begin), numbers.begin() + static_cast<std::ptrdiff_t>(end)};
}

// How many coordinates, degrees of freedom and mocap bodies come before a body.
struct Coordinates {
  std::size_t q = 0, qd = 0, mocap = 0;
};
Coordinates count_before(const MjcfSpec& spec, std::size_t end) {
  Coordinates count;
  for (std::size_t body = 0; body < end; ++body) {
    count.mocap += spec.bodies[body].mocap;
    for (const JointSpec& joint : spec.bodies[body].joints) {
      count.q += joint.type == mj::kFree ? 7 : joint.type == mj::kBall ? 4 : 1;
      count.qd += joint.type == mj::kFree ? 6 : joint.type == mj::kBall ? 3 : 1;
    }
  }
  return count;
}

// A row of numbers of which the first few are not given.
void skip_first(std::vector<double>& numbers, std::size_t by) { numbers.insert(numbers.begin(), by, kMjcfNotGiven); }

// Takes the next `count` numbers of a row that may end before.
struct NumberRow {
  const std::vector<double>& numbers;
  std::size_t at = 0;

  void take(std::vector<double>& to, std::size_t count) {
    std::vector<double> part = piece(numbers, at, count);
    part.resize(count, kMjcfNotGiven);
    to.insert(to.end(), part.begin(), part.end());
    at += count;
  }
};

// Numbers for all joints, mocap bodies and actuators of its model; a key of an attached one has them for some.
KeySpec whole_key(const KeySpec& key, const MjcfSpec& of) {
  if (key.attachment == 0) return key;
  KeySpec result = key;
  const Coordinates before = count_before(of, static_cast<std::size_t>(key.first_body));
  skip_first(result.qpos, before.q);
  skip_first(result.qvel, before.qd);
  skip_first(result.mpos, 3 * before.mocap);
  skip_first(result.mquat, 4 * before.mocap);
  result.act.clear();
  result.ctrl.clear();
  NumberRow act{key.act}, ctrl{key.ctrl};
  for (const ActuatorSpec& actuator : of.actuators) {
    const auto states = static_cast<std::size_t>(activation_count(actuator));
    const auto controls = static_cast<std::size_t>(control_count(actuator));
    if (actuator.attachment == key.attachment) {
      act.take(result.act, states);
      ctrl.take(result.ctrl, controls);
    } else {
      result.act.insert(result.act.end(), states, kMjcfNotGiven);
      result.ctrl.insert(result.ctrl.end(), controls, kMjcfNotGiven);
    }
  }
  return result;
}

KeySpec part_of_key(const KeySpec& whole, const MjcfSpec& from, const Attachment& part) {
  KeySpec result = whole;
  const Coordinates begin = count_before(from, part.first), end = count_before(from, part.end);
  result.qpos = piece(whole.qpos, begin.q, end.q - begin.q);
  result.qvel = piece(whole.qvel, begin.qd, end.qd - begin.qd);
  result.mpos = piece(whole.mpos, 3 * begin.mocap, 3 * (end.mocap - begin.mocap));
  result.mquat = piece(whole.mquat, 4 * begin.mocap, 4 * (end.mocap - begin.mocap));
  result.act.clear();
  result.ctrl.clear();
  NumberRow act{whole.act}, ctrl{whole.ctrl};
  std::vector<double> left;
  for (const ActuatorSpec& actuator : from.actuators) {
    const bool is_inside = part.has_actuator(actuator);
    act.take(is_inside ? result.act : left, static_cast<std::size_t>(activation_count(actuator)));
    ctrl.take(is_inside ? result.ctrl : left, static_cast<std::size_t>(control_count(actuator)));
  }
  result.first_body = part.into;
  return result;
}

}  // namespace

void attach_custom(MjcfSpec& into, const MjcfSpec& from, const std::string& prefix) {
  for (const auto& [name, numbers] : from.custom.numbers) into.custom.numbers.emplace(prefix + name, numbers);
  for (const auto& [name, text] : from.custom.texts) into.custom.texts.emplace(prefix + name, text);
}

// The keys of a model that the attached one had attached keep their names, as in MuJoCo.
void attach_keyframes(MjcfSpec& into, const MjcfSpec& from, const Attachment& part) {
  for (const KeySpec& key : from.keys) {
    into.keys.push_back(part_of_key(whole_key(key, from), from, part));
    if (key.attachment == 0) into.keys.back().name = part.prefix + key.name;
    into.keys.back().attachment = into.attachments;
  }
}

}  // namespace carom::inline CAROM_PRECISION
