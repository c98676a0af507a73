// Bodies, and the massless links between the runs of their joints.
#include <unordered_set>

#include "io/mjcf/mapping.h"
#include "io/mjcf/mujoco_enums.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Of trees, at their roots; all others are kAuto.
std::vector<SleepPolicy> sleep_policies(const Mapping& map) {
  // mjtSleepPolicy: auto; what the compiler made of it, never and allowed; never, allowed, init as the user says.
  constexpr SleepPolicy kPolicies[] = {SleepPolicy::kAuto,  SleepPolicy::kNever,   SleepPolicy::kAllowed,
                                       SleepPolicy::kNever, SleepPolicy::kAllowed, SleepPolicy::kInit};
  std::vector<SleepPolicy> policies(map.m.body_parentid.size(), SleepPolicy::kAuto);
  for (std::size_t tree = 0; map.has.sleep && tree < map.m.tree_bodyadr.size(); ++tree) {
    const int root = map.m.tree_bodyadr[tree], policy = map.m.tree_sleep_policy[tree];
    if (policy < 0 || static_cast<std::size_t>(policy) >= std::size(kPolicies))
      fail("tree ", tree, " of a compiled model has the unknown sleep policy ", policy);
    row(map.m.body_parentid, root);  // is it a body?
    policies[root] = kPolicies[policy];
  }
  return policies;
}

// About the centre of mass, in the axes of the body.
Mat33 inertia_in_body(const CompiledMjcf& m, int body, Quatd q_BI) {
  const Mat33d axes = mat33_from_quat(q_BI);
  const Mat33d inertia = axes * mat33_diagonal(vec3(m.body_inertia, body)) * transpose(axes);
  Mat33 result;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) result[i][j] = Real((inertia[i][j] + inertia[j][i]) / 2);
  return result;
}

void add_body(Mapping& map, int body, const Transformd& X_WB, SleepPolicy sleep) {
  const CompiledMjcf& m = map.m;
  const Transformd frame = inertial_frame(m, body);
  const bool compensated = !ignores(map.args, "gravcomp") && map.has.passive;
  const Quat axes = to_real(frame.q);
  map.builder.add_link({.xform = to_real(X_WB),
                        .com = to_real(frame.p),
                        .inertia = inertia_in_body(m, body, frame.q),
                        .mass = real(m.body_mass, body),
                        .key = name_at(m.name_body, body),
                        .lock_inertia = true,
                        .is_kinematic = at(m.body_mocapid, body) >= 0,
                        .gravcomp = compensated ? real(m.body_gravcomp, body) : 0,
                        .fluid_axes = {axes.x, axes.y, axes.z, axes.w},
                        .sleep = sleep});
}

std::string name_or_number(const std::vector<std::string>& names, int i) {
  const std::string name = name_at(names, i);
  return name.empty() ? std::to_string(i) : name;
}

}  // namespace

void add_bodies(Mapping& map) {
  const CompiledMjcf& m = map.m;
  const int count = static_cast<int>(m.body_parentid.size());
  const std::vector<Transformd> X_WB = world_frames(m);
  const std::vector<SleepPolicy> sleep = sleep_policies(map);
  std::unordered_set<std::string> keys;
  for (int body = 1; body < count; ++body) {
    map.now = {MjcfRows::kBody, body};
    add_body(map, body, X_WB[body], sleep[body]);
    keys.insert(name_at(m.name_body, body));
  }
  // At qpos0 no joint is displaced, so the frames between the runs are where the body is.
  map.links.resize(count);
  for (int body = 1; body < count; ++body) {
    const std::vector<JointRun>& runs = map.runs[body];
    map.now = {MjcfRows::kBody, body};
    for (std::size_t i = 0; i + 1 < runs.size(); ++i) {
      const std::string key = name_or_number(m.name_body, body) + "/" + name_or_number(m.name_jnt, runs[i].joints[0]);
      map.links[body].push_back(map.builder.add_link({.xform = to_real(X_WB[body]),
                                                      .key = keys.contains(key) ? "" : key,
                                                      .lock_inertia = true,
                                                      .sleep = sleep[body]}));
    }
  }
}

}  // namespace carom::inline CAROM_PRECISION
