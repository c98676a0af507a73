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

KeySpec part_of_key(const KeySpec& key, const MjcfSpec& from, const Attachment& part) {
  KeySpec result = key;
  const Coordinates begin = count_before(from, part.first), end = count_before(from, part.end);
  result.qpos = piece(key.qpos, begin.q, end.q - begin.q);
  result.qvel = piece(key.qvel, begin.qd, end.qd - begin.qd);
  result.mpos = piece(key.mpos, 3 * begin.mocap, 3 * (end.mocap - begin.mocap));
  result.mquat = piece(key.mquat, 4 * begin.mocap, 4 * (end.mocap - begin.mocap));
  result.act.clear();
  result.ctrl.clear();
  std::size_t act = 0, ctrl = 0;
  const auto take = [](std::vector<double>& to, std::vector<double> numbers, std::size_t count) {
    numbers.resize(count);
    to.insert(to.end(), numbers.begin(), numbers.end());
  };
  for (const ActuatorSpec& actuator : from.actuators) {
    const auto states = static_cast<std::size_t>(activation_count(actuator));
    const auto controls = static_cast<std::size_t>(control_count(actuator));
    if (part.has_actuator(actuator)) {
      take(result.act, piece(key.act, act, states), states);
      take(result.ctrl, piece(key.ctrl, ctrl, controls), controls);
    }
    act += states;
    ctrl += controls;
  }
  result.first_body = part.into;
  return result;
}

}  // namespace

void attach_custom(MjcfSpec& into, const MjcfSpec& from, const std::string& prefix) {
  for (const auto& [name, numbers] : from.custom.numbers) into.custom.numbers.emplace(prefix + name, numbers);
  for (const auto& [name, text] : from.custom.texts) into.custom.texts.emplace(prefix + name, text);
}

void attach_keyframes(MjcfReading& in, const MjcfSpec& from, const Attachment& part, const XmlPlace& place) {
  const auto leave_out = [&](const char* what) {
    in.messages.add(MjcfUse::kLater, at_place(place, "attach") + what + " of the model are left out");
  };
  if (!from.custom.tuples.empty()) leave_out("tuples");
  for (const KeySpec& key : from.keys) {
    if (key.attachment != 0) {
      leave_out("keyframes of an attached model");
      continue;
    }
    in.spec.keys.push_back(part_of_key(key, from, part));
    in.spec.keys.back().name = part.prefix + key.name;
    in.spec.keys.back().attachment = in.spec.attachments;
  }
}

}  // namespace carom::inline CAROM_PRECISION
