// What an attached model measures of its attached part alone, its keyframes, and what it has for its users come along.
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
struct Count {
  std::size_t q = 0, qd = 0, mocap = 0;
};
Count count_before(const MjcfSpec& spec, std::size_t end) {
  Count count;
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
  const Count begin = count_before(from, part.first), end = count_before(from, part.first + part.count);
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
  result.attachment = part.number;
  return result;
}

}  // namespace

void attach_sensors(MjcfSpec& into, const MjcfSpec& from, const HasObject& inside, const RenameObject& rename) {
  const auto kept = [&](const MjcfObject& object) { return object.type == 0 || inside(object); };
  for (SensorSpec sensor : from.sensors) {
    if (!kept(sensor.object) || !kept(sensor.reference)) continue;
    rename(sensor.name);
    rename(sensor.object.name);
    rename(sensor.reference.name);
    into.attached_sensors.push_back(std::move(sensor));
  }
  const auto copy = [&](auto& to, const auto& others) {
    for (const auto& [name, value] : others) {
      std::string renamed = name;
      rename(renamed);
      to.emplace(std::move(renamed), value);
    }
  };
  copy(into.custom.numbers, from.custom.numbers);
  copy(into.custom.texts, from.custom.texts);
}

void attach_keyframes(MjcfReading& in, const MjcfSpec& from, const Attachment& part, const XmlPlace& place) {
  const auto leave_out = [&](const char* what) {
    in.messages.add(MjcfUse::kLater, at_place(place, "attach") + what + " of the model are left out");
  };
  if (!from.custom.tuples.empty()) leave_out("tuples");
  std::vector<KeySpec>& keys = in.spec.attached_keys;
  const auto before = static_cast<std::ptrdiff_t>(keys.size());
  for (const KeySpec& key : from.keys) {
    if (key.attachment != 0) {
      leave_out("keyframes of an attached model");
      continue;
    }
    const std::string name = part.prefix + key.name;
    // The copies of a replicate share the keyframes of the first.
    const auto same = [&](const KeySpec& other) { return other.name == name; };
    if (std::any_of(keys.begin(), keys.begin() + before, same)) continue;
    keys.push_back(part_of_key(key, from, part));
    keys.back().name = name;
  }
}

void append_attached(MjcfSpec& spec) {
  for (SensorSpec& sensor : spec.attached_sensors) spec.sensors.push_back(std::move(sensor));
  for (KeySpec& key : spec.attached_keys) spec.keys.push_back(std::move(key));
  spec.attached_sensors.clear();
  spec.attached_keys.clear();
}

}  // namespace carom::inline CAROM_PRECISION
