// Whether trees may sleep, where the file leaves it open: those that actuators drive may not, nor those that springs or
// dampers of tendons tie together.
#include <set>

#include "io/mjcf/mujoco_enums.h"
#include "io/mjcf/reference.h"

namespace carom::inline CAROM_PRECISION {

namespace {

enum SleepPolicy : int { kAutoNever = 1, kAutoAllowed, kNever, kAllowed, kInit };

std::set<int> trees_of(const Compiling& c, const ReferencePose& pose, const DofRow& row) {
  std::set<int> trees;
  for (const auto& [dof, value] : row)
    trees.insert(c.tree_of[static_cast<std::size_t>(pose.dofs[static_cast<std::size_t>(dof)].body)]);
  return trees;
}

// All that its path passes, whether it touches it at qpos0 or not.
std::set<int> trees_of_tendon(const Compiling& c, int tendon) {
  const CompiledMjcf& m = c.out;
  std::set<int> trees;
  const int first = at(m.tendon_adr, tendon), end = first + at(m.tendon_num, tendon);
  for (int wrap = first; wrap < end; ++wrap) {
    const int type = at(m.wrap_type, wrap), id = at(m.wrap_objid, wrap);
    if (type == mj::kWrapPulley) continue;
    const int body = type == mj::kWrapJoint  ? c.joint_body[static_cast<std::size_t>(id)]
                     : type == mj::kWrapSite ? at(m.site_bodyid, id)
                                             : at(m.geom_bodyid, id);
    const int tree = c.tree_of[static_cast<std::size_t>(body)];
    if (tree >= 0) trees.insert(tree);
  }
  return trees;
}

bool has_forces(const TendonSpec& tendon) {
  for (std::size_t k = 0; k < 3; ++k)
    if (tendon.stiffness[k] != 0 || tendon.damping[k] != 0) return true;
  return false;
}

}  // namespace

void compile_sleep(Compiling& c) {
  CompiledMjcf& m = c.out;
  const ReferencePose pose = reference_pose(c);
  std::set<int> driven, tied;
  for (int id = 0; id < static_cast<int>(m.actuator_trntype.size()); ++id)
    if (at(m.actuator_trntype, id) == mj::kTrnBody)
      driven.insert(c.tree_of[static_cast<std::size_t>(m.actuator_trnid[2 * static_cast<std::size_t>(id)])]);
    else if (at(m.actuator_trntype, id) == mj::kTrnTendon)
      driven.merge(trees_of_tendon(c, m.actuator_trnid[2 * static_cast<std::size_t>(id)]));
    else driven.merge(trees_of(c, pose, actuator_row(pose, id)));
  for (int id = 0; id < static_cast<int>(m.tendon_adr.size()); ++id) {
    std::set<int> trees = trees_of_tendon(c, id);
    if (trees.size() > 2) tied.insert(trees.begin(), trees.end());
    if (trees.size() > 1 && has_forces(c.spec.tendons[static_cast<std::size_t>(id)])) driven.merge(trees);
  }
  for (int tree = 0; tree < static_cast<int>(m.tree_bodyadr.size()); ++tree) {
    const int given = c.spec.bodies[static_cast<std::size_t>(at(m.tree_bodyadr, tree))].sleep;
    const bool restless = tied.contains(tree);
    const int found = driven.contains(tree) || restless ? kAutoNever : kAutoAllowed;
    m.tree_sleep_policy.push_back(given == 0 || restless ? found : kNever + given - 1);
  }
}

}  // namespace carom::inline CAROM_PRECISION
