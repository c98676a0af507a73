#include "dynamics/loops.h"

#include "base/fail.h"
#include "dynamics/world_plans.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Rows of the model as the part counts them.
struct LoopSource {
  const HostModel& host;
  const PartRows& part;
  const TreePlan& tree;
  int row;

  int in_part(Entity entity, int of_model) const {
    if (of_model < 0) return -1;
    const int at = of_model - part.begin(entity);
    if (at < 0 || at >= part.count(entity))
      fail("equality constraint '", host.name(Entity::kEqualityConstraint, row), "': ", entity_name(entity), " '",
           host.name(entity, of_model), "' is of another world");
    return at;
  }

  Loop tie(EqualityType type) const {
    const ModelColumns<Array>& c = host.column;
    Loop loop{type, {-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
    const int rows[2]{c.equality_constraint_body1[row], c.equality_constraint_body2[row]};
    for (int side = 0; side < 2; ++side) {
      const int body = in_part(Entity::kBody, rows[side]);
      loop.body[side] = body;
      if (body >= 0) loop.link[side] = tree.body_link[body];
    }
    return loop;
  }

  Loop coupling() const {
    const ModelColumns<Array>& c = host.column;
    Loop loop{EqualityType::kJoint, {-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
    const int rows[2]{c.equality_constraint_joint1[row], c.equality_constraint_joint2[row]};
    const int axes[2]{c.equality_constraint_axis1[row], c.equality_constraint_axis2[row]};
    const Array<int> q_start = host.model.joint_q_start.on_cpu(), qd_start = host.model.joint_qd_start.on_cpu();
    for (int side = 0; side < 2; ++side) {
      if (in_part(Entity::kJoint, rows[side]) < 0) continue;
      loop.dof[side] = tree.dof_of_part_dof[qd_start[rows[side]] + axes[side] - part.begin(Entity::kJointDof)];
      loop.coordinate[side] = q_start[rows[side]] + axes[side] - part.begin(Entity::kJointCoord);
      loop.link[side] = tree.dof_link[loop.dof[side]];
    }
    return loop;
  }
};

LoopParams<Real> params_of(const ModelColumns<Array>& c, const Loop& loop, int row) {
  const bool is_weld = loop.type == EqualityType::kWeld;
  const Transform& relpose = c.equality_constraint_relpose[row];
  const Vec3 anchor = c.equality_constraint_anchor[row];
  LoopParams<Real> p{};
  p.enabled = c.equality_constraint_enabled[row] ? Real(1) : Real(0);
  p.turns = is_weld && c.equality_constraint_torquescale[row] > 0 ? Real(1) : Real(0);
  p.anchor[0] = is_weld ? transform_point(relpose, anchor) : anchor;
  p.anchor[1] = is_weld ? anchor : c.equality_constraint_anchor2[row];
  p.relpose = relpose.q;
  for (int k = 0; k < 5; ++k) p.polynomial[k] = c.equality_constraint_polycoef[row][k];
  return p;
}

}  // namespace

std::vector<FoundLoop> find_loops(const HostModel& host, const PartRows& part, const TreePlan& tree) {
  std::vector<FoundLoop> found;
  for (int e = 0; e < part.count(Entity::kEqualityConstraint); ++e) {
    const int row = part.begin(Entity::kEqualityConstraint) + e;
    const LoopSource source{host, part, tree, row};
    const auto type = static_cast<EqualityType>(host.column.equality_constraint_type[row]);
    if (type == EqualityType::kTendon) continue;  // of solvers that know tendons
    const Loop loop = type == EqualityType::kJoint ? source.coupling() : source.tie(type);
    const bool moves = loop.is_tie() ? loop.link[0] != loop.link[1] : loop.link[0] >= 0;
    if (moves) found.push_back({loop, e});
  }
  return found;
}

Loops::Loops(const Model& model, const WorldPlan& plan) {
  const HostModel host(model);
  const std::vector<PartRows>& parts = plan.archetype.parts;
  const std::vector<FoundLoop> found = find_loops(host, parts.front(), plan.tree);
  std::vector<LoopParams<Real>> params;
  for (const PartRows& part : parts)
    for (const FoundLoop& f : found)
      params.push_back(params_of(host.column, f.loop, part.begin(Entity::kEqualityConstraint) + f.equality));
  std::vector<int> start{0}, dofs, numbers;
  for (const FoundLoop& f : found) {
    list.push_back(f.loop);
    numbers.push_back(f.equality);
    const std::vector<int> of_loop = plan.tree.dofs_of_loop(f.loop);
    dofs.insert(dofs.end(), of_loop.begin(), of_loop.end());
    start.push_back(static_cast<int>(dofs.size()));
  }
  dof_start = Array<int>(std::span<const int>(start), model.device);
  dof = Array<int>(std::span<const int>(dofs), model.device);
  equality = Array<int>(std::span<const int>(numbers), model.device);
  loops = Array<Loop>(std::span<const Loop>(list), model.device);
  rows = Array<Real>(std::span<const Real>(reinterpret_cast<const Real*>(params.data()),
                                           params.size() * (sizeof(LoopParams<Real>) / sizeof(Real))),
                     model.device);
}

StepReadings step_readings(const SolverForces& f, const Loops& loops, const WorldPlans& worlds) {
  const auto data = [](const auto& array) { return array.empty() ? nullptr : reinterpret_cast<Real*>(array.data()); };
  return {.actuator_length = data(f.actuator_length),
          .actuator_velocity = data(f.actuator_velocity),
          .actuator_force = data(f.actuator_force),
          .joint_actuator_force = data(f.joint_actuator_force),
          .joint_limit_force = data(f.joint_limit_force),
          .tie_force = data(f.equality_force),
          .tie_point1 = data(f.equality_point1),
          .tie_point2 = data(f.equality_point2),
          .tie_start = worlds.equality.const_view(),
          .tie = loops.equality.const_view()};
}

}  // namespace carom::inline CAROM_PRECISION
