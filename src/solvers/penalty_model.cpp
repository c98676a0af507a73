#include "solvers/penalty_model.h"

#include <algorithm>

#include "base/fail.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Says what is not supported, and of what.
struct Refusal {
  const char* solver;
  const Model& model;

  template <class... Text>
  [[noreturn]] void operator()(const Text&... parts) const {
    fail(solver, ": ", parts..., " not supported; SolverMuJoCo does it");
  }
  std::string who(const char* kind, Entity entity, int row) const {
    return text(kind, " '", model.key(entity, row), "'");
  }
};

bool differs(Real a, Real b) { return a != b; }

void refuse_options(const Refusal& refuse) {
  const ModelOptions& o = refuse.model.options;
  if (o.density != 0 || o.viscosity != 0) refuse("a fluid (options.density, viscosity) is");
  if (o.sleep) refuse("options.sleep is");
  if (refuse.model.tendon_count > 0) refuse(refuse.who("tendon", Entity::kTendon, 0), ": tendons are");
  if (refuse.model.equality_constraint_count > 0)
    refuse(refuse.who("equality constraint", Entity::kEqualityConstraint, 0), ": equality constraints are");
  if (refuse.model.contact_pair_count > 0)
    refuse(refuse.who("contact pair", Entity::kContactPair, 0), ": contact pairs with numbers of their own are");
}

void refuse_bodies(const Refusal& refuse) {
  const Model& m = refuse.model;
  const Array<int> world = m.body_world.on_cpu();
  const Array<Real> gravcomp = m.body_gravcomp.on_cpu();
  for (int b = 0; b < m.body_count; ++b) {
    if (m.world_count > 0 && world[b] < 0)
      refuse(refuse.who("body", Entity::kBody, b), ": global bodies beside worlds are");
    if (gravcomp[b] != 0) refuse(refuse.who("body", Entity::kBody, b), ": gravcomp is");
  }
}

void refuse_shapes(const Refusal& refuse) {
  const Model& m = refuse.model;
  const Array<Real> adhesion = m.shape_adhesion.on_cpu();
  const Array<SpatialVector> surface = m.shape_surface_velocity.on_cpu();
  for (int s = 0; s < m.shape_count; ++s) {
    if (adhesion[s] != 0) refuse(refuse.who("shape", Entity::kShape, s), ": adhesion as a force (use ka) is");
    if (length_squared(surface[s].linear) + length_squared(surface[s].angular) != 0)
      refuse(refuse.who("shape", Entity::kShape, s), ": surface_velocity is");
  }
}

void refuse_joints(const Refusal& refuse) {
  const Model& m = refuse.model;
  const Array<int> type = m.joint_type.on_cpu(), enabled = m.joint_enabled.on_cpu(), start = m.joint_qd_start.on_cpu();
  const Array<Real> velocity_limit = m.joint_velocity_limit.on_cpu(), yield = m.joint_spring_yield.on_cpu(),
                    stiffness = m.joint_stiffness.on_cpu(), target_ke = m.joint_target_ke.on_cpu(),
                    lower = m.joint_limit_lower.on_cpu(), upper = m.joint_limit_upper.on_cpu();
  const Array<RealN<2>> stiffness_poly = m.joint_stiffness_poly.on_cpu(), damping_poly = m.joint_damping_poly.on_cpu();
  const JointDofConfig defaults;
  for (int j = 0; j < m.joint_count; ++j) {
    const auto who = [&] { return refuse.who("joint", Entity::kJoint, j); };
    const auto kind = static_cast<JointType>(type[j]);
    if (!enabled[j]) refuse(who(), ": disabled joints are");
    if (kind == JointType::kDistance) refuse(who(), ": distance joints are");
    for (int d = start[j]; d < start[j + 1]; ++d) {
      if (velocity_limit[d] < defaults.velocity_limit) refuse(who(), ": velocity limits are");
      if (yield[d] > 0) refuse(who(), ": springs that yield are");
      for (const RealN<2>& poly : {stiffness_poly[d], damping_poly[d]})
        if (differs(poly[0], 0) || differs(poly[1], 0)) refuse(who(), ": springs and dampers that are not linear are");
      if (kind == JointType::kFree && (stiffness[d] != 0 || target_ke[d] != 0))
        refuse(who(), ": springs and drives of free joints are");
      if (kind == JointType::kFree && (lower[d] > -kUnlimited || upper[d] < kUnlimited))
        refuse(who(), ": limits of free joints are");
      if (kind == JointType::kBall && lower[d] > 0) refuse(who(), ": lower limits of ball joints are");
    }
  }
}

}  // namespace

void check_penalty_model(const char* solver, const Model& model) {
  const Refusal refuse{solver, model};
  refuse_options(refuse);
  refuse_bodies(refuse);
  refuse_shapes(refuse);
  refuse_joints(refuse);
}

bool resists_turning(const Model& model) {
  for (const Array<Real>& column :
       {model.shape_material_torsional_friction.on_cpu(), model.shape_material_rolling_friction.on_cpu()})
    if (std::any_of(column.begin(), column.end(), [](Real x) { return x > 0; })) return true;
  return false;
}

ContactColumns contact_columns(const Model& m, const WorldPlans& worlds, const Contacts* contacts, bool turns) {
  if (!contacts) return {};
  const Contacts& c = *contacts;
  return {
      .world_start = c.rigid_contact_world_start.data(),
      .shape0 = c.rigid_contact_shape0.data(),
      .shape1 = c.rigid_contact_shape1.data(),
      .feature = c.rigid_contact_feature.data(),
      .point = c.rigid_contact_point.data(),
      .normal = c.rigid_contact_normal.data(),
      .tangent = c.rigid_contact_tangent.data(),
      .depth = c.rigid_contact_depth.data(),
      .force = c.rigid_contact_force.data(),
      .torque = c.rigid_contact_torque.data(),
      .shape_body = m.shape_body.data(),
      .body_link = worlds.body_link.data(),
      .material = {m.shape_material_ke.data(), m.shape_material_kd.data(), m.shape_material_kf.data(),
                   m.shape_material_ka.data(), m.shape_material_mu.data(), m.shape_material_torsional_friction.data(),
                   m.shape_material_rolling_friction.data(), m.shape_material_restitution.data(), m.options.combine},
      .turns = turns};
}

}  // namespace carom::inline CAROM_PRECISION
