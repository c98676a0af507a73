#include "dynamics/parts.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "base/fail.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// What parts own in one piece each.
constexpr std::array kOwned{
    Entity::kJoint,       Entity::kJointDof,    Entity::kJointCoord, Entity::kTendon,
    Entity::kTendonJoint, Entity::kTendonPoint, Entity::kActuator,   Entity::kEqualityConstraint,
    Entity::kController,  Entity::kCtrl,        Entity::kAct,        Entity::kCtrlHistory};

// Rows [begin, end) of each entity, relative to the world.
struct Window {
  std::array<int, kEntityCount> begin, end;

  Window() { begin.fill(std::numeric_limits<int>::max()), end.fill(0); }
  bool empty(int e) const { return begin[e] >= end[e]; }
  bool contains(Entity entity, int row) const {
    const int e = static_cast<int>(entity);
    return begin[e] <= row && row < end[e];
  }
  void add(Entity entity, int row, int rows = 1) {
    const int e = static_cast<int>(entity);
    if (rows == 0) return;
    begin[e] = std::min(begin[e], row);
    end[e] = std::max(end[e], row + rows);
  }
  void add(const Window& other) {
    for (int e = 0; e < kEntityCount; ++e) {
      begin[e] = std::min(begin[e], other.begin[e]);
      end[e] = std::max(end[e], other.end[e]);
    }
  }
  bool overlaps(const Window& other) const {
    return std::any_of(kOwned.begin(), kOwned.end(), [&](Entity entity) {
      const int e = static_cast<int>(entity);
      return !empty(e) && !other.empty(e) && begin[e] < other.end[e] && other.begin[e] < end[e];
    });
  }
};

struct Cluster {
  std::vector<int> joints;  // rows of Archetype::tree_joints, ascending
  std::vector<int> bodies;  // of the world, ascending
  Window window;
};

// Trees that tendons or equality constraints tie together, or whose rows stand among each other's, are one cluster.
class Clusters {
 public:
  Clusters(const HostModel& host, const Archetype& archetype) : host_(host), archetype_(archetype) {
    list_.resize(archetype.tree_count);
    for (std::size_t j = 0; j < archetype.tree_joints.size(); ++j) add_joint(static_cast<int>(j));
    add_tendons();
    add_actuators();
    add_equalities();
    merge_overlapping();
  }
  // In the order of their joints; without those that cannot move.
  std::vector<Cluster> moving() const {
    std::vector<Cluster> result;
    for (const Cluster& cluster : list_)
      if (!cluster.window.empty(static_cast<int>(Entity::kJointDof))) result.push_back(cluster);
    for (Cluster& cluster : result) {
      std::sort(cluster.joints.begin(), cluster.joints.end());
      std::sort(cluster.bodies.begin(), cluster.bodies.end());
    }
    return result;
  }

 private:
  int first(Entity entity) const { return host_.begin(entity, archetype_.world_list.front()); }
  int count(Entity entity) const { return host_.count(entity, archetype_.world_list.front()); }
  // Of rows of the model.
  Cluster& of_joint_row(int joint) {
    return list_[archetype_.tree_of_joint[row_of_joint_.at(joint - first(Entity::kJoint))]];
  }
  // nullptr: it is the world's, or has no joint.
  Cluster* of_body(int body) {
    const auto at = row_of_child_.find(body - first(Entity::kBody));
    return body < 0 || at == row_of_child_.end() ? nullptr : &list_[archetype_.tree_of_joint[at->second]];
  }
  Cluster* of_tendon(int tendon) {  // any of them: they become one
    for (Cluster& cluster : list_)
      if (cluster.window.contains(Entity::kTendon, tendon - first(Entity::kTendon))) return &cluster;
    return nullptr;
  }

  void add_joint(int row) {
    const TreeJoint& joint = archetype_.tree_joints[row];
    row_of_joint_[joint.joint] = row;
    row_of_child_[joint.child] = row;
    Cluster& cluster = list_[archetype_.tree_of_joint[row]];
    cluster.joints.push_back(row);
    cluster.window.add(Entity::kJoint, joint.joint);
    cluster.bodies.push_back(joint.child);
    if (joint.linear + joint.angular == 0) return;
    const int j = first(Entity::kJoint) + joint.joint;
    cluster.window.add(Entity::kJointCoord, joint.q, q_start_[j + 1] - q_start_[j]);
    cluster.window.add(Entity::kJointDof, joint.qd, qd_start_[j + 1] - qd_start_[j]);
  }
  void add_tendons() {
    const ModelColumns<Array>& c = host_.column;
    for (int e = 0; e < count(Entity::kTendonJoint); ++e) {
      const int row = first(Entity::kTendonJoint) + e, tendon = c.tendon_joint_tendon[row] - first(Entity::kTendon);
      Window& window = of_joint_row(c.tendon_joint_joint[row]).window;
      window.add(Entity::kTendon, tendon);  // trees of one tendon overlap there, so they become one cluster
      window.add(Entity::kTendonJoint, e);
    }
    for (int p = 0; p < count(Entity::kTendonPoint); ++p) {
      const int row = first(Entity::kTendonPoint) + p, tendon = c.tendon_point_tendon[row];
      for (const int body : {c.tendon_point_body[row], c.tendon_point_side_body[row]})
        if (Cluster* const cluster = of_body(body))
          cluster->window.add(Entity::kTendon, tendon - first(Entity::kTendon));
    }
    for (int p = 0; p < count(Entity::kTendonPoint); ++p)  // also those of the world and of pulleys
      if (Cluster* const cluster = of_tendon(c.tendon_point_tendon[first(Entity::kTendonPoint) + p]))
        cluster->window.add(Entity::kTendonPoint, p);
  }
  void add_actuators() {
    const ModelColumns<Array>& c = host_.column;
    for (int a = 0; a < count(Entity::kActuator); ++a) {
      const int row = first(Entity::kActuator) + a;
      const auto tie = [&](Cluster* cluster) {
        if (!cluster) return;
        cluster->window.add(Entity::kActuator, a);
        cluster->window.add(Entity::kCtrl, ctrl_start_[row] - first(Entity::kCtrl),
                            ctrl_start_[row + 1] - ctrl_start_[row]);
        cluster->window.add(Entity::kAct, act_start_[row] - first(Entity::kAct), act_start_[row + 1] - act_start_[row]);
        cluster->window.add(Entity::kCtrlHistory, history_start_[row] - first(Entity::kCtrlHistory),
                            history_start_[row + 1] - history_start_[row]);
        for (int k = 0; k < count(Entity::kController); ++k)
          if (c.controller_actuator[first(Entity::kController) + k] == row) cluster->window.add(Entity::kController, k);
      };
      if (c.actuator_joint[row] >= 0) tie(&of_joint_row(c.actuator_joint[row]));
      if (c.actuator_tendon[row] >= 0) tie(of_tendon(c.actuator_tendon[row]));
      tie(of_body(c.actuator_body[row]));
      tie(of_body(c.actuator_reference_body[row]));
    }
  }
  void add_equalities() {
    const ModelColumns<Array>& c = host_.column;
    for (int e = 0; e < count(Entity::kEqualityConstraint); ++e) {
      const int row = first(Entity::kEqualityConstraint) + e;
      const auto tie = [&](Cluster* cluster) {
        if (cluster) cluster->window.add(Entity::kEqualityConstraint, e);
      };
      for (const int body : {c.equality_constraint_body1[row], c.equality_constraint_body2[row]}) tie(of_body(body));
      for (const int joint : {c.equality_constraint_joint1[row], c.equality_constraint_joint2[row]})
        if (joint >= 0) tie(&of_joint_row(joint));
      for (const int tendon : {c.equality_constraint_tendon1[row], c.equality_constraint_tendon2[row]})
        if (tendon >= 0) tie(of_tendon(tendon));
    }
  }
  void merge_overlapping() {
    const auto before = [](const Cluster& a, const Cluster& b) {
      const int joint = static_cast<int>(Entity::kJoint);
      return a.window.begin[joint] < b.window.begin[joint];
    };
    std::sort(list_.begin(), list_.end(), before);
    for (bool merged = true; merged;) {
      merged = false;
      std::vector<Cluster> kept;
      for (Cluster& cluster : list_) {
        const auto with = std::find_if(kept.begin(), kept.end(),
                                       [&](const Cluster& other) { return other.window.overlaps(cluster.window); });
        if (with == kept.end()) {
          kept.push_back(std::move(cluster));
          continue;
        }
        with->window.add(cluster.window);
        with->joints.insert(with->joints.end(), cluster.joints.begin(), cluster.joints.end());
        with->bodies.insert(with->bodies.end(), cluster.bodies.begin(), cluster.bodies.end());
        merged = true;
      }
      list_ = std::move(kept);
    }
  }

  const HostModel& host_;
  const Archetype& archetype_;
  const Array<int> q_start_ = host_.model.joint_q_start.on_cpu(), qd_start_ = host_.model.joint_qd_start.on_cpu(),
                   ctrl_start_ = host_.model.actuator_ctrl_start.on_cpu(),
                   act_start_ = host_.model.actuator_act_start.on_cpu(),
                   history_start_ = host_.model.actuator_history_start.on_cpu();
  std::map<int, int> row_of_joint_, row_of_child_;
  std::vector<Cluster> list_;
};

PartRows whole_world(const HostModel& host, int world) {
  PartRows rows{.world = world};
  for (int e = 0; e < kEntityCount; ++e) {
    rows.first[e] = host.begin(static_cast<Entity>(e), world);
    rows.size[e] = host.count(static_cast<Entity>(e), world);
  }
  return rows;
}

// The rows of a cluster in one world; shapes are those of the world.
PartRows rows_of(const HostModel& host, const Cluster& cluster, int world, std::vector<int>& bodies) {
  PartRows rows = whole_world(host, world);
  for (const Entity entity : kOwned) {
    const int e = static_cast<int>(entity);
    const bool none = cluster.window.empty(e);
    rows.first[e] += none ? 0 : cluster.window.begin[e];
    rows.size[e] = none ? 0 : cluster.window.end[e] - cluster.window.begin[e];
  }
  const int body = static_cast<int>(Entity::kBody), first = rows.first[body];
  rows.first[body] = first + cluster.bodies.front();
  rows.size[body] = static_cast<int>(cluster.bodies.size());
  if (cluster.bodies.back() - cluster.bodies.front() + 1 == rows.size[body]) return rows;
  rows.listed = static_cast<int>(bodies.size());
  for (const int b : cluster.bodies) bodies.push_back(first + b);
  return rows;
}

std::vector<TreeJoint> relative_joints(const Archetype& archetype, const Cluster& cluster) {
  const auto first = [&](Entity entity) { return cluster.window.begin[static_cast<int>(entity)]; };
  const auto number_of = [&](int body) {
    const auto found = std::lower_bound(cluster.bodies.begin(), cluster.bodies.end(), body);
    return static_cast<int>(found - cluster.bodies.begin());
  };
  std::vector<TreeJoint> joints;
  for (const int row : cluster.joints) {
    TreeJoint joint = archetype.tree_joints[row];
    const bool moves = joint.linear + joint.angular > 0;
    joint.joint -= first(Entity::kJoint);
    joint.child = number_of(joint.child);
    joint.parent = joint.parent < 0 ? joint.parent : number_of(joint.parent);
    joint.q = moves ? joint.q - first(Entity::kJointCoord) : 0;
    joint.qd = moves ? joint.qd - first(Entity::kJointDof) : 0;
    joints.push_back(joint);
  }
  return joints;
}

// Everything that a plan is made from, but for numbers. bodies: of the part, where they stand apart.
std::vector<int> signature(const HostModel& host, const std::vector<TreeJoint>& joints, const PartRows& rows,
                           const std::vector<int>& bodies) {
  const ModelColumns<Array>& c = host.column;
  const auto relative = [&](int row, Entity entity) { return row < 0 ? -1 : row - rows.begin(entity); };
  const auto number_of = [&](int body) {
    if (body < 0 || rows.listed < 0) return relative(body, Entity::kBody);
    return static_cast<int>(std::find(bodies.begin(), bodies.end(), body) - bodies.begin());
  };
  std::vector<int> s;
  for (const Entity entity : kOwned) s.push_back(rows.count(entity));
  s.insert(s.end(), {rows.count(Entity::kBody), rows.listed >= 0});
  for (const TreeJoint& j : joints)
    s.insert(s.end(), {j.joint, static_cast<int>(j.type), j.parent, j.child, j.q, j.qd, j.linear, j.angular});
  for (int e = 0; e < rows.count(Entity::kTendonJoint); ++e) {
    const int row = rows.begin(Entity::kTendonJoint) + e;
    s.insert(s.end(), {c.tendon_joint_tendon[row] - rows.begin(Entity::kTendon),
                       c.tendon_joint_joint[row] - rows.begin(Entity::kJoint), c.tendon_joint_axis[row]});
  }
  for (int p = 0; p < rows.count(Entity::kTendonPoint); ++p) {
    const int row = rows.begin(Entity::kTendonPoint) + p;
    s.insert(s.end(), {c.tendon_point_tendon[row] - rows.begin(Entity::kTendon), c.tendon_point_type[row],
                       number_of(c.tendon_point_body[row]), c.tendon_point_has_side[row],
                       number_of(c.tendon_point_side_body[row])});
  }
  for (int a = 0; a < rows.count(Entity::kActuator); ++a) {
    const int row = rows.begin(Entity::kActuator) + a;
    s.insert(s.end(), {c.actuator_target[row], relative(c.actuator_joint[row], Entity::kJoint), c.actuator_axis[row],
                       relative(c.actuator_tendon[row], Entity::kTendon), number_of(c.actuator_body[row]),
                       c.actuator_has_reference[row], number_of(c.actuator_reference_body[row]), c.actuator_law[row],
                       c.actuator_dynamics[row], c.actuator_inputs[row], c.actuator_states[row],
                       c.actuator_delay_samples[row], c.actuator_interpolation[row]});
  }
  for (int e = 0; e < rows.count(Entity::kEqualityConstraint); ++e) {
    const int row = rows.begin(Entity::kEqualityConstraint) + e;
    s.insert(s.end(),
             {c.equality_constraint_type[row], number_of(c.equality_constraint_body1[row]),
              number_of(c.equality_constraint_body2[row]), relative(c.equality_constraint_joint1[row], Entity::kJoint),
              c.equality_constraint_axis1[row], relative(c.equality_constraint_joint2[row], Entity::kJoint),
              c.equality_constraint_axis2[row], relative(c.equality_constraint_tendon1[row], Entity::kTendon),
              relative(c.equality_constraint_tendon2[row], Entity::kTendon)});
  }
  return s;
}

void check_bodies(const HostModel& host, const Archetype& archetype) {
  const int world = archetype.world_list.front();
  std::vector<char> placed(host.count(Entity::kBody, world), 0);
  for (const TreeJoint& joint : archetype.tree_joints) placed[joint.child] = 1;
  for (std::size_t b = 0; b < placed.size(); ++b)
    if (!placed[b])
      fail("body '", host.name(Entity::kBody, host.begin(Entity::kBody, world) + static_cast<int>(b)),
           "' has no joint; solvers move bodies by joints alone (add_body() gives a free one)");
}

}  // namespace

Parts find_parts(const HostModel& host, int most_dofs) {
  Parts result;
  std::vector<int> parts_of_world(std::max(host.model.world_count, 1), 0);
  for (const Archetype& archetype : host.model.archetypes) {
    check_bodies(host, archetype);
    const std::size_t first_new = result.archetypes.size();
    if (host.count(Entity::kJointDof, archetype.world_list.front()) <= most_dofs) {
      result.archetypes.push_back({archetype.tree_joints, {}});
      for (const int world : archetype.world_list) result.archetypes.back().parts.push_back(whole_world(host, world));
    } else {
      std::map<std::vector<int>, std::size_t> archetype_of;
      for (const Cluster& cluster : Clusters(host, archetype).moving()) {
        const std::vector<TreeJoint> joints = relative_joints(archetype, cluster);
        std::vector<int> bodies;
        const PartRows first = rows_of(host, cluster, archetype.world_list.front(), bodies);
        const auto [found, is_new] =
            archetype_of.try_emplace(signature(host, joints, first, bodies), result.archetypes.size());
        if (is_new) result.archetypes.push_back({joints, {}});
        for (const int world : archetype.world_list)
          result.archetypes[found->second].parts.push_back(rows_of(host, cluster, world, result.bodies));
      }
    }
    for (std::size_t k = first_new; k < result.archetypes.size(); ++k)
      for (const PartRows& part : result.archetypes[k].parts) ++parts_of_world[std::max(part.world, 0)];
  }
  result.world_start.assign(parts_of_world.size() + 1, 0);
  std::partial_sum(parts_of_world.begin(), parts_of_world.end(), result.world_start.begin() + 1);
  std::vector<int> next(result.world_start.begin(), result.world_start.end() - 1);
  for (PartArchetype& archetype : result.archetypes) {
    const auto by_world = [](const PartRows& a, const PartRows& b) { return a.world < b.world; };
    std::stable_sort(archetype.parts.begin(), archetype.parts.end(), by_world);
    for (PartRows& part : archetype.parts) part.id = next[std::max(part.world, 0)]++;
  }
  return result;
}

}  // namespace carom::inline CAROM_PRECISION
