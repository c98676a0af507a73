#include "solvers/mujoco/plan_source.h"

#include <algorithm>
#include <string_view>

#include "solvers/mujoco/sensed_forces.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Columns that a step reads, itself or through contacts.
bool is_read(const ColumnInfo& info) {
  switch (info.entity) {
    case Entity::kBody:
    case Entity::kShape:
    case Entity::kContactPair:
    case Entity::kJoint:
    case Entity::kJointDof:
    case Entity::kTendon:
    case Entity::kTendonJoint:
    case Entity::kTendonPoint:
    case Entity::kEqualityConstraint:
    case Entity::kActuator:
    case Entity::kController:
    case Entity::kCtrl: break;
    default: return false;
  }
  const std::string_view name = info.name;
  return info.refers == Refers::kNothing && name != "body_q" && name != "body_qd" && name != "joint_qd" &&
         name != "joint_target_pos" && name != "joint_target_vel";
}

// Those that are compared by their bits; initial coordinates are not: see initial_coord().
bool is_compared(const ColumnInfo& info) {
  return is_read(info) && info.entity != Entity::kShape && info.entity != Entity::kContactPair;
}

template <class T>
constexpr bool kIsInteger =
    std::is_integral_v<T> || std::is_same_v<T, Index2> || std::is_same_v<T, Index3> || std::is_same_v<T, Index4>;

}  // namespace

bool is_packed(const ColumnInfo& info) { return is_compared(info) || info.entity == Entity::kJointCoord; }

PlanSource::PlanSource(const Model& from, const std::vector<int>& bodies)
    : model(from),
      listed_bodies(std::span<const int>(bodies), from.device),
      tendon_sensed(find_sensed_tendons(from)),
      nan(std::max(from.world_count, 1) + 1, from.device) {
  const Model& m = model;
  tree = {m.body_mass.data(),          m.body_flags.data(),    m.body_com.data(),       m.body_inertia.data(),
          m.joint_X_p.data(),          m.joint_X_c.data(),     m.joint_axis.data(),     m.joint_stiffness.data(),
          m.joint_spring_ref.data(),   m.joint_damping.data(), m.joint_armature.data(), m.joint_effort_lower.data(),
          m.joint_effort_upper.data(), m.joint_q.data(),       listed_bodies.data()};
  rows = {{m.joint_limit_lower.data(), m.joint_limit_upper.data(), m.joint_limit_margin.data(),
           m.joint_limit_solref.data(), m.joint_limit_solimp.data()},
          {m.tendon_limit_lower.data(), m.tendon_limit_upper.data(), m.tendon_limit_margin.data(),
           m.tendon_limit_solref.data(), m.tendon_limit_solimp.data()},
          m.joint_friction.data(),
          m.tendon_friction.data(),
          m.joint_spring_yield.data(),
          m.tendon_spring_yield.data(),
          m.joint_target_ke.data(),
          m.joint_target_kd.data(),
          m.joint_stiffness_poly.data(),
          m.joint_damping_poly.data(),
          m.joint_gravcomp_by_motor.data(),
          {m.joint_friction_solref.data(), m.joint_friction_solimp.data()},
          {m.tendon_friction_solref.data(), m.tendon_friction_solimp.data()},
          {m.equality_constraint_solref.data(), m.equality_constraint_solimp.data()},
          m.equality_constraint_enabled.data(),
          m.equality_constraint_anchor.data(),
          m.equality_constraint_anchor2.data(),
          m.equality_constraint_torquescale.data(),
          m.equality_constraint_relpose.data(),
          m.equality_constraint_axes.data(),
          m.equality_constraint_polycoef.data(),
          m.body_gravcomp.data(),
          m.body_fluid_axes.data(),
          {m.shape_type.data(), m.shape_transform.data(), m.shape_scale.data(), m.shape_fluid_coef.data()},
          m.tendon_point_xform.data(),
          m.tendon_point_radius.data(),
          m.tendon_point_divisor.data(),
          m.tendon_point_side.data(),
          m.tendon_stiffness.data(),
          m.tendon_damping.data(),
          m.tendon_spring_lower.data(),
          m.tendon_spring_upper.data(),
          m.tendon_stiffness_poly.data(),
          m.tendon_damping_poly.data(),
          tendon_sensed.data(),
          m.tendon_armature.data(),
          m.tendon_effort_lower.data(),
          m.tendon_effort_upper.data(),
          m.tendon_joint_coef.data(),
          m.actuator_site.data(),
          m.actuator_reference.data(),
          m.actuator_wrench.data(),
          m.actuator_in_parent.data(),
          m.actuator_rod.data(),
          m.actuator_gear.data(),
          m.actuator_gain.data(),
          m.actuator_gain_slope.data(),
          m.actuator_bias.data(),
          m.actuator_muscle.data(),
          m.actuator_time.data(),
          m.actuator_act_early.data(),
          m.actuator_act_lower.data(),
          m.actuator_act_upper.data(),
          m.actuator_ctrl_lower.data(),
          m.actuator_ctrl_upper.data(),
          m.actuator_force_lower.data(),
          m.actuator_force_upper.data(),
          m.actuator_delay.data(),
          m.controller_gains.data(),
          m.controller_winding.data(),
          m.controller_heat.data(),
          m.controller_bristles.data(),
          m.controller_cogging.data()};
  for (int e = 0; e < kEntityCount; ++e) start_[e] = Array<int>(std::span<const int>(m.layout->start[e]), m.device);
  std::vector<ColumnWords> words;
  std::vector<RealColumn> reals;
  visit_columns([&](const ColumnInfo& info, auto get) {
    const auto& column = get(static_cast<const ModelColumns<Array>&>(m));
    using T = std::remove_cvref_t<decltype(*column.data())>;
    static_assert(sizeof(T) % sizeof(std::uint32_t) == 0);
    if (is_compared(info))
      words.push_back(
          {reinterpret_cast<const std::uint32_t*>(column.data()), sizeof(T) / sizeof(std::uint32_t), info.entity});
    if constexpr (!kIsInteger<T>)
      if (is_read(info))
        reals.push_back({reinterpret_cast<const Real*>(column.data()), sizeof(T) / sizeof(Real),
                         start_[static_cast<int>(info.entity)].data(),
                         info.entity == Entity::kShape || info.entity == Entity::kContactPair});
  });
  packed = Array<ColumnWords>(std::span<const ColumnWords>(words), m.device);
  read_ = Array<RealColumn>(std::span<const RealColumn>(reals), m.device);
}

std::vector<int> PlanSource::find_nans(const Queue& queue, const std::vector<int>& slots) {
  if (slots.empty()) return {};
  const Array<std::uint8_t> before = nan.to(Device{});
  const Array<int> list(std::span<const int>(slots), model.device);
  launch(queue, static_cast<int>(slots.size()),
         FindNans{list.const_view(), read_.const_view(), model.world_count, nan.data()});
  queue.finish();
  const Array<std::uint8_t> now = nan.on_cpu();
  std::vector<int> changed;
  for (const int slot : slots)
    if (now[slot] != before[slot]) changed.push_back(slot);
  return changed;
}

}  // namespace carom::inline CAROM_PRECISION
