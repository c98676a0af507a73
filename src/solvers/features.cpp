// Which features a model has, and of what.
#include "carom/solver_features.h"

#include <array>

#include "base/fail.h"
#include "carom/model.h"
#include "carom/solvers.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// What has a feature in a model: "tendon 'string'", nothing for options; empty when nothing has it.
struct User {
  bool found = false;
  std::string who;
};

template <class Has>
User first_of(const Model& m, Entity entity, int count, Has has) {
  for (int i = 0; i < count; ++i)
    if (has(i)) return {true, text(entity_name(entity), " '", m.key(entity, i), "'")};
  return {};
}

JointType type_of(const Array<int>& types, int joint) { return static_cast<JointType>(types[joint]); }
bool is_loose(JointType type) { return type == JointType::kFree || type == JointType::kDistance; }

User first_joint(const Model& m, bool (*has)(JointType)) {
  const Array<int> type = m.joint_type.on_cpu();
  return first_of(m, Entity::kJoint, m.joint_count, [&](int j) { return has(type_of(type, j)); });
}
// The first joint of such a type with a degree of freedom whose number in some column is other than `plain`.
template <class OfType>
User first_joint_with(const Model& m, OfType of_type, Real plain, std::initializer_list<const Array<Real>*> columns) {
  const Array<int> type = m.joint_type.on_cpu(), start = m.joint_qd_start.on_cpu();
  for (const Array<Real>* const column : columns) {
    const Array<Real> numbers = column->on_cpu();
    User user = first_of(m, Entity::kJoint, m.joint_count, [&](int j) {
      if (!of_type(type_of(type, j))) return false;
      for (int d = start[j]; d < start[j + 1]; ++d)
        if (numbers[d] != plain) return true;
      return false;
    });
    if (user.found) return user;
  }
  return {};
}
bool any_type(JointType) { return true; }

User with_distance_joints(const Model& m) {
  return first_joint(m, [](JointType t) { return t == JointType::kDistance; });
}
User with_held_distance_joints(const Model& m) {
  return first_joint_with(m, [](JointType t) { return t == JointType::kDistance; }, 0,
                          {&m.joint_damping, &m.joint_friction, &m.joint_armature});
}
User with_free_joint_springs(const Model& m) { return first_joint_with(m, is_loose, 0, {&m.joint_stiffness}); }
User with_free_joint_drives(const Model& m) {
  return first_joint_with(m, is_loose, 0, {&m.joint_target_ke, &m.joint_target_kd});
}
User with_free_joint_limits(const Model& m) {
  const auto is_free = [](JointType t) { return t == JointType::kFree; };
  User below = first_joint_with(m, is_free, -kUnlimited, {&m.joint_limit_lower});
  return below.found ? below : first_joint_with(m, is_free, kUnlimited, {&m.joint_limit_upper});
}
User with_ball_joint_lower_limits(const Model& m) {
  const Array<int> type = m.joint_type.on_cpu(), start = m.joint_qd_start.on_cpu();
  const Array<Real> lower = m.joint_limit_lower.on_cpu();
  return first_of(m, Entity::kJoint, m.joint_count,
                  [&](int j) { return type_of(type, j) == JointType::kBall && lower[start[j]] > 0; });
}
bool turns_freely(JointType t) { return is_loose(t) || t == JointType::kBall; }
User with_turning_effort_limits(const Model& m) {
  const JointDofConfig plain;
  const Array<int> type = m.joint_type.on_cpu(), start = m.joint_qd_start.on_cpu();
  const Array<Real> lower = m.joint_effort_lower.on_cpu(), upper = m.joint_effort_upper.on_cpu();
  return first_of(m, Entity::kJoint, m.joint_count, [&](int j) {
    if (!turns_freely(type_of(type, j))) return false;
    for (int d = start[j]; d < start[j + 1]; ++d)
      if (lower[d] > plain.effort_lower || upper[d] < plain.effort_upper) return true;
    return false;
  });
}
// Axes that turn or slide together, but are held differently.
User with_uneven_turning(const Model& m) {
  const Array<int> type = m.joint_type.on_cpu(), start = m.joint_qd_start.on_cpu();
  for (const Array<Real>* const column :
       {&m.joint_stiffness, &m.joint_damping, &m.joint_armature, &m.joint_spring_yield}) {
    const Array<Real> numbers = column->on_cpu();
    User user = first_of(m, Entity::kJoint, m.joint_count, [&](int j) {
      if (!turns_freely(type_of(type, j))) return false;
      for (int d = start[j]; d < start[j + 1]; d += 3)
        if (numbers[d] != numbers[d + 1] || numbers[d] != numbers[d + 2]) return true;
      return false;
    });
    if (user.found) return user;
  }
  return {};
}
User with_yielding_springs(const Model& m) { return first_joint_with(m, any_type, 0, {&m.joint_spring_yield}); }
User with_yielding_free_springs(const Model& m) { return first_joint_with(m, is_loose, 0, {&m.joint_spring_yield}); }
User with_nonlinear_springs(const Model& m) {
  const Array<int> start = m.joint_qd_start.on_cpu();
  for (const Array<RealN<2>>* const column : {&m.joint_stiffness_poly, &m.joint_damping_poly}) {
    const Array<RealN<2>> numbers = column->on_cpu();
    User user = first_of(m, Entity::kJoint, m.joint_count, [&](int j) {
      for (int d = start[j]; d < start[j + 1]; ++d)
        if (numbers[d][0] != 0 || numbers[d][1] != 0) return true;
      return false;
    });
    if (user.found) return user;
  }
  return {};
}
User with_velocity_limits(const Model& m) {
  const JointDofConfig plain;
  const Array<int> start = m.joint_qd_start.on_cpu();
  const Array<Real> limit = m.joint_velocity_limit.on_cpu();
  return first_of(m, Entity::kJoint, m.joint_count, [&](int j) {
    for (int d = start[j]; d < start[j + 1]; ++d)
      if (limit[d] < plain.velocity_limit) return true;
    return false;
  });
}
User with_disabled_joints(const Model& m) {
  const Array<int> enabled = m.joint_enabled.on_cpu();
  return first_of(m, Entity::kJoint, m.joint_count, [&](int j) { return !enabled[j]; });
}

// The first actuator of which has(columns) is true.
template <class Has>
User first_actuator(const Model& m, Has has) {
  return first_of(m, Entity::kActuator, m.actuator_count, has);
}
User with_actuators(const Model& m) {
  return first_actuator(m, [](int) { return true; });
}
User with_actuator_targets(const Model& m) {
  const Array<int> target = m.actuator_target.on_cpu(), joint = m.actuator_joint.on_cpu(), type = m.joint_type.on_cpu();
  return first_actuator(m, [&](int a) {
    return target[a] != static_cast<int>(ActuatorTarget::kJoint) || turns_freely(type_of(type, joint[a]));
  });
}
User with_actuator_laws(const Model& m) {
  const Array<int> law = m.actuator_law.on_cpu(), dynamics = m.actuator_dynamics.on_cpu();
  const auto slope = m.actuator_gain_slope.on_cpu();
  return first_actuator(m, [&](int a) {
    return law[a] != static_cast<int>(ActuatorLaw::kAffine) ||
           dynamics[a] != static_cast<int>(ActuatorDynamics::kNone) || slope[a][0] != 0 || slope[a][1] != 0;
  });
}
User with_actuator_delays(const Model& m) {
  const Array<int> samples = m.actuator_delay_samples.on_cpu();
  return first_actuator(m, [&](int a) { return samples[a] > 0; });
}
User with_tendons(const Model& m) {
  return first_of(m, Entity::kTendon, m.tendon_count, [](int) { return true; });
}

template <class Has>
User first_equality(const Model& m, Has has) {
  const Array<int> type = m.equality_constraint_type.on_cpu();
  return first_of(m, Entity::kEqualityConstraint, m.equality_constraint_count,
                  [&](int e) { return has(static_cast<EqualityType>(type[e])); });
}
User with_equalities(const Model& m) {
  return first_equality(m, [](EqualityType t) { return t != EqualityType::kTendon; });
}
User with_tendon_equalities(const Model& m) {
  return first_equality(m, [](EqualityType t) { return t == EqualityType::kTendon; });
}

User with_gravcomp(const Model& m) {
  const Array<Real> gravcomp = m.body_gravcomp.on_cpu();
  return first_of(m, Entity::kBody, m.body_count, [&](int b) { return gravcomp[b] != 0; });
}
User with_fluids(const Model& m) {
  return {m.options.density != 0 || m.options.viscosity != 0, "options.density, viscosity"};
}
User with_sleep(const Model& m) { return {m.options.sleep, "options.sleep"}; }
User with_contact_pairs(const Model& m) {
  return first_of(m, Entity::kContactPair, m.contact_pair_count, [](int) { return true; });
}
User with_adhesion(const Model& m) {
  const Array<Real> adhesion = m.shape_adhesion.on_cpu();
  return first_of(m, Entity::kShape, m.shape_count, [&](int s) { return adhesion[s] != 0; });
}
User with_surface_velocity(const Model& m) {
  const Array<SpatialVector> v = m.shape_surface_velocity.on_cpu();
  return first_of(m, Entity::kShape, m.shape_count,
                  [&](int s) { return length_squared(v[s].linear) + length_squared(v[s].angular) != 0; });
}
User with_particles(const Model& m) { return {m.particle_count > 0, text(m.particle_count, " particles")}; }
User with_global_bodies(const Model& m) {
  if (m.world_count == 0) return {};
  const Array<int> body = m.body_world.on_cpu(), equality = m.equality_constraint_world.on_cpu();
  User user = first_of(m, Entity::kBody, m.body_count, [&](int b) { return body[b] < 0; });
  if (user.found) return user;
  return first_of(m, Entity::kEqualityConstraint, m.equality_constraint_count, [&](int e) { return equality[e] < 0; });
}

struct FeatureOfModel {
  Feature feature;
  const char* name;
  User (*user)(const Model&);
};
constexpr std::array kFeatures{
    FeatureOfModel{Feature::kDistanceJoints, "distance joints", with_distance_joints},
    FeatureOfModel{Feature::kHeldDistanceJoints, "damping, friction and armature of distance joints",
                   with_held_distance_joints},
    FeatureOfModel{Feature::kFreeJointSprings, "springs of free and distance joints", with_free_joint_springs},
    FeatureOfModel{Feature::kFreeJointDrives, "drives of free and distance joints (use body_f, add_actuator())",
                   with_free_joint_drives},
    FeatureOfModel{Feature::kFreeJointLimits, "limits of free joints", with_free_joint_limits},
    FeatureOfModel{Feature::kBallJointLowerLimits, "lower limits of ball joints", with_ball_joint_lower_limits},
    FeatureOfModel{Feature::kTurningEffortLimits, "effort limits of free, distance and ball joints",
                   with_turning_effort_limits},
    FeatureOfModel{Feature::kUnevenTurning,
                   "springs, damping and armature that differ between the axes of a free or ball joint",
                   with_uneven_turning},
    FeatureOfModel{Feature::kYieldingSprings, "springs that yield", with_yielding_springs},
    FeatureOfModel{Feature::kYieldingFreeSprings, "springs of free joints that yield", with_yielding_free_springs},
    FeatureOfModel{Feature::kNonlinearSprings, "springs and dampers that are not linear", with_nonlinear_springs},
    FeatureOfModel{Feature::kVelocityLimits, "velocity limits", with_velocity_limits},
    FeatureOfModel{Feature::kDisabledJoints, "disabled joints", with_disabled_joints},
    FeatureOfModel{Feature::kActuators, "actuators of joint axes, affine in ctrl, position and velocity",
                   with_actuators},
    FeatureOfModel{Feature::kActuatorTargets, "actuators of ball and free joints, tendons, sites and bodies",
                   with_actuator_targets},
    FeatureOfModel{Feature::kActuatorLaws, "actuators with activation dynamics, gain slopes or laws of their own",
                   with_actuator_laws},
    FeatureOfModel{Feature::kActuatorDelays, "delays of actuators", with_actuator_delays},
    FeatureOfModel{Feature::kTendons, "tendons", with_tendons},
    FeatureOfModel{Feature::kEqualities, "equality constraints: connect, weld, joint", with_equalities},
    FeatureOfModel{Feature::kTendonEqualities, "equality constraints of tendons", with_tendon_equalities},
    FeatureOfModel{Feature::kGravcomp, "gravcomp of bodies", with_gravcomp},
    FeatureOfModel{Feature::kFluids, "fluids", with_fluids},
    FeatureOfModel{Feature::kSleep, "sleep", with_sleep},
    FeatureOfModel{Feature::kContactPairs, "contact pairs with numbers of their own", with_contact_pairs},
    FeatureOfModel{Feature::kAdhesion, "adhesion of shapes as a force (ka of a material is another one)",
                   with_adhesion},
    FeatureOfModel{Feature::kSurfaceVelocity, "surface velocities of shapes, as of belts", with_surface_velocity},
    FeatureOfModel{Feature::kParticles, "particles, cloth and soft bodies", with_particles},
    FeatureOfModel{Feature::kGlobalBodies, "global bodies and equality constraints beside worlds", with_global_bodies},
};
static_assert(kFeatures.size() == static_cast<std::size_t>(Feature::kCount));
constexpr bool in_order() {
  for (std::size_t i = 0; i < kFeatures.size(); ++i)
    if (static_cast<std::size_t>(kFeatures[i].feature) != i) return false;
  return true;
}
static_assert(in_order());

}  // namespace

const char* feature_name(Feature feature) { return kFeatures.at(static_cast<std::size_t>(feature)).name; }

void check_features(const char* solver, const Model& model, const Features& features) {
  for (const FeatureOfModel& f : kFeatures) {
    if (features.has(f.feature)) continue;
    User user = f.user(model);
    if (!user.found) continue;
    std::string others;
    const std::vector<std::string> able = solvers_with(f.feature);
    for (const std::string& name : able) others += (others.empty() ? "; \"" : ", \"") + name + '"';
    const char* const verb = able.empty() ? "" : able.size() == 1 ? " does" : " do";
    fail(solver, " does not support ", f.name, " (", user.who, ")", others, verb);
  }
}

}  // namespace carom::inline CAROM_PRECISION
