// Keyframes, completed with what the model has: coordinates of qpos0, poses of mocap bodies, zeros for all others.
#include <algorithm>
#include <cmath>

#include "io/mjcf/compile.h"
#include "io/mjcf/mujoco_enums.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// What a key says over the first of `full`; `all`: or else says nothing.
std::vector<double> completed(const KeySpec& key, const char* name, const std::vector<double>& given,
                              std::vector<double> full, std::size_t first, bool all = false) {
  const bool too_few = all && key.attachment == 0 && !given.empty() && given.size() < full.size();
  if (first + given.size() > full.size() || too_few)
    fail(at_place(key.place, "key", name), "expected ", full.size(), " numbers, has ", given.size());
  for (std::size_t i = 0; i < given.size(); ++i)
    if (!std::isnan(given[i])) full[first + i] = given[i];
  return full;
}

// Where the numbers of a key begin, if it is that of an attached model.
struct KeyPlaces {
  std::size_t q = 0, qd = 0, mocap = 0, act = 0, ctrl = 0;
};
KeyPlaces first_places(const Compiling& c, const KeySpec& key) {
  const CompiledMjcf& m = c.out;
  KeyPlaces places;
  for (int body = 0; body < key.first_body; ++body) {
    places.mocap += at(m.body_mocapid, body) >= 0;
    const int first = at(m.body_jntadr, body), count = at(m.body_jntnum, body);
    for (int joint = first; joint < first + count; ++joint) {
      const int type = at(m.jnt_type, joint);
      places.q += type == mj::kFree ? 7 : type == mj::kBall ? 4 : 1;
      places.qd += type == mj::kFree ? 6 : type == mj::kBall ? 3 : 1;
    }
  }
  for (std::size_t i = 0; i < c.spec.actuators.size() && c.spec.actuators[i].attachment != key.attachment; ++i) {
    places.act += static_cast<std::size_t>(m.actuator_actnum[i]);
    places.ctrl += static_cast<std::size_t>(m.actuator_ctrlnum[i]);
  }
  if (key.attachment == 0) places.act = places.ctrl = 0;
  return places;
}

void normalize_at(double* wxyz) {
  const Quatd given = quat(wxyz);
  const Quatd q = dot(given, given) > 0 ? normalize(given) : Quatd{};
  const double numbers[] = {q.w, q.x, q.y, q.z};
  std::copy_n(numbers, 4, wxyz);
}

struct MocapPoses {
  std::vector<double> positions, turns;
};
MocapPoses mocap_poses(const CompiledMjcf& m) {
  MocapPoses poses;
  for (int body = 0; body < static_cast<int>(m.body_mocapid.size()); ++body) {
    if (at(m.body_mocapid, body) < 0) continue;
    append(poses.positions, doubles<3>(m.body_pos, body));
    append(poses.turns, doubles<4>(m.body_quat, body));
  }
  return poses;
}

std::size_t sum(const std::vector<int>& numbers) {
  std::size_t total = 0;
  for (const int number : numbers) total += static_cast<std::size_t>(number);
  return total;
}

void add_key(Compiling& c, const KeySpec& key, const MocapPoses& mocap) {
  CompiledMjcf& m = c.out;
  const KeyPlaces at_first = first_places(c, key);
  std::vector<double> qpos = completed(key, "qpos", key.qpos, m.qpos0, at_first.q);
  for (int joint = 0; joint < static_cast<int>(m.jnt_type.size()); ++joint) {
    const int type = at(m.jnt_type, joint), turn = at(m.jnt_qposadr, joint) + (type == mj::kFree ? 3 : 0);
    if (type == mj::kFree || type == mj::kBall) normalize_at(&qpos[static_cast<std::size_t>(turn)]);
  }
  std::vector<double> turns = completed(key, "mquat", key.mquat, mocap.turns, 4 * at_first.mocap, true);
  for (std::size_t k = 0; k < turns.size(); k += 4) normalize_at(&turns[k]);
  const auto add = [](std::vector<double>& to, const std::vector<double>& row) {
    to.insert(to.end(), row.begin(), row.end());
  };
  m.name_key.push_back(key.name);
  m.key_time.push_back(key.time);
  add(m.key_qpos, qpos);
  add(m.key_qvel, completed(key, "qvel", key.qvel, std::vector<double>(m.dof_armature.size()), at_first.qd));
  add(m.key_act,
      completed(key, "act", key.act, std::vector<double>(sum(m.actuator_actnum)), key.act.empty() ? 0 : at_first.act));
  add(m.key_ctrl, completed(key, "ctrl", key.ctrl, std::vector<double>(m.actuator_ctrllimited.size()),
                            key.ctrl.empty() ? 0 : at_first.ctrl));
  add(m.key_mpos, completed(key, "mpos", key.mpos, mocap.positions, 3 * at_first.mocap, true));
  add(m.key_mquat, turns);
}

}  // namespace

void compile_keyframes(Compiling& c) {
  const MocapPoses mocap = mocap_poses(c.out);
  const auto count = std::max(c.spec.keys.size(), static_cast<std::size_t>(c.spec.key_count));
  const std::size_t numbers = c.out.qpos0.size() + c.out.dof_armature.size() + c.out.actuator_ctrllimited.size() +
                              sum(c.out.actuator_actnum) + 7 * mocap.turns.size() / 4 + 1;
  c.budget.count_numbers(static_cast<std::int64_t>(count * numbers), "<keyframe>: ");
  NameIndex names;
  int id = 0;
  for (const KeySpec& key : c.spec.keys) {
    add_name(names, key.name, id++, key.place, "key");
    add_key(c, key, mocap);
  }
  for (std::size_t k = c.spec.keys.size(); k < count; ++k) add_key(c, {}, mocap);
}

}  // namespace carom::inline CAROM_PRECISION
