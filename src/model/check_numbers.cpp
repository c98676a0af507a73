#include "model/check_numbers.h"

#include <algorithm>
#include <cstring>

#include "model/checks.h"
#include "model/joints/joints.kernel.h"

namespace carom::inline CAROM_PRECISION {

namespace {

template <class T>
bool differs(const Array<T>& was, const Array<T>& now, std::int64_t row) {
  const void *a = &was[row], *b = &now[row];  // by their bits: -0 is another number, and NaN equals itself
  return std::memcmp(a, b, sizeof(T)) != 0;
}

template <class T>
bool same_values(const Array<T>& was, const Array<T>& now) {
  return was.empty() || was.data() == now.data() || std::memcmp(was.data(), now.data(), was.bytes()) == 0;
}

void check_switch(const std::string& who, const char* name, int value) {
  if (value != 0 && value != 1) fail(who, ": ", name, " is ", value, "; give 0 or 1");
}

// The numbers of one row, whatever their type.
template <class T>
void check_reals(const std::string& who, const ColumnInfo& info, const T& row) {
  constexpr int kCount = sizeof(T) / sizeof(Real);
  const bool may_be_negative = info.rule != Rule::kNotNegative;
  const Real* const numbers = reinterpret_cast<const Real*>(&row);
  for (int i = 0; i < kCount; ++i) {
    if (is_finite(numbers[i]) && (may_be_negative || numbers[i] >= 0)) continue;
    const std::string name = kCount == 1 ? std::string(info.name) : text(info.name, "[", i, "]");
    check_finite(who, name.c_str(), numbers[i]);
    check_not_negative(who, name.c_str(), numbers[i]);
  }
}

class NumberChecks {
 public:
  NumberChecks(const Model& model, const ModelNumbers& was, const ModelNumbers& now)
      : model_(model),
        was_(was),
        now_(now),
        q_start_(model.joint_q_start.on_cpu()),
        qd_start_(model.joint_qd_start.on_cpu()),
        ctrl_start_(model.actuator_ctrl_start.on_cpu()) {}

  void check_columns() const;
  void check_bodies() const;
  void check_shapes() const;
  void check_joints() const;
  void check_welds() const;
  void check_actuation() const;
  void check_ranges() const;
  void check_yields() const;
  void check_others() const;

 private:
  template <class T>
  using Member = Array<T> ModelColumns<Array>::*;

  template <class T>
  bool changed(Member<T> column, std::int64_t row) const {
    return differs(was_.*column, now_.*column, row);
  }
  // "body 3 'arm'", "joint_dof 7 of joint 2 'elbow'".
  std::string who(Entity entity, int row) const;
  // Runs check(""), and puts the row's name before what it throws: names take longer to find than numbers to check.
  template <class Check>
  void named(Entity entity, int row, const Check& check) const {
    try {
      check(std::string());
    } catch (const Error& error) {
      fail(who(entity, row), error.what());
    }
  }
  template <class T>
  void check_row(const ColumnInfo& info, int row, T& value) const;
  void check_range(Entity entity, const char* lower_name, Member<Real> lower, const char* upper_name,
                   Member<Real> upper) const;
  void check_axes(int joint) const;
  void check_controller(int k) const;
  void check_coordinates(int joint) const;

  const Model& model_;
  const ModelNumbers &was_, &now_;
  const Array<int> q_start_, qd_start_, ctrl_start_;
};

std::string NumberChecks::who(Entity entity, int row) const {
  std::string name = text(entity_name(entity), " ", row);
  const auto of_joint = [&](const Array<int>& start) {
    const int joint = static_cast<int>(std::upper_bound(start.begin(), start.end(), row) - start.begin()) - 1;
    return text(name, " of ", who(Entity::kJoint, joint));
  };
  switch (entity) {
    case Entity::kCtrl: {
      const auto next = std::upper_bound(ctrl_start_.begin(), ctrl_start_.end(), row);
      return who(Entity::kActuator, static_cast<int>(next - ctrl_start_.begin()) - 1);
    }
    case Entity::kController: return who(Entity::kActuator, now_.controller_actuator[row]);
    case Entity::kJointDof: return of_joint(qd_start_);
    case Entity::kJointCoord: return of_joint(q_start_);
    case Entity::kParticle:
    case Entity::kBody:
    case Entity::kShape:
    case Entity::kContactPair:
    case Entity::kJoint:
    case Entity::kEqualityConstraint:
    case Entity::kTendon:
    case Entity::kActuator:
    case Entity::kSensor: return text(name, " '", model_.key(entity, row), "'");
    default: return name;
  }
}

template <class T>
void NumberChecks::check_row(const ColumnInfo& info, int row, T& value) const {
  if (info.rule == Rule::kStructure)
    fail(who(info.entity, row), ": ", info.name,
         " is structure, which finalize() froze; build another model with a ModelBuilder");
  named(info.entity, row, [&](const std::string& name) {
    if constexpr (std::is_same_v<T, int>) {
      if (info.rule == Rule::kSwitch) check_switch(name, info.name, value);
    } else if constexpr (std::is_same_v<T, Transform>) {
      value = check_transform(name, info.name, value);
    } else if constexpr (sizeof(T) % sizeof(Real) == 0) {
      check_reals(name, info, value);
    }
  });
}

// Each column by its own rule.
void NumberChecks::check_columns() const {
  visit_columns([&](const ColumnInfo& info, auto get) {
    const auto& was = get(was_);
    const auto& now = get(now_);
    if (now.size() != was.size())
      fail(info.name, " has ", now.size(), " rows; the model has ", was.size(), ", and their number stays");
    if (same_values(was, now)) return;
    for (std::int64_t row = 0; row < was.size(); ++row)
      if (differs(was, now, row)) check_row(info, static_cast<int>(row), now[row]);
  });
}

// -- Rules that look at several columns.

void NumberChecks::check_bodies() const {
  const Array<int> body_joint = model_.body_joint.on_cpu();
  // An edit that moves joints moves bodies; poses that come with it, as of an edit taken back, are worked out anew.
  const bool joints_decide =
      !(same_values(was_.joint_q, now_.joint_q) && same_values(was_.joint_qd, now_.joint_qd) &&
        same_values(was_.joint_X_p, now_.joint_X_p) && same_values(was_.joint_X_c, now_.joint_X_c) &&
        same_values(was_.joint_axis, now_.joint_axis) && same_values(was_.body_com, now_.body_com));
  for (int b = 0; b < model_.body_count; ++b) {
    const auto name = [&] { return who(Entity::kBody, b); };
    if (changed(&Model::body_mass, b) || changed(&Model::body_inertia, b))
      named(Entity::kBody, b,
            [&](const std::string&) { check_inertia(", body_inertia", now_.body_inertia[b], now_.body_mass[b]); });
    const int joint = body_joint[b];
    if (changed(&Model::body_flags, b)) {
      const int flags = now_.body_flags[b];
      if (flags != kBodyDynamic && flags != kBodyKinematic)
        fail(name(), ": body_flags is ", flags, "; give ", int(kBodyDynamic), " (dynamic) or ", int(kBodyKinematic),
             " (kinematic)");
      if (flags == kBodyKinematic && joint >= 0 && now_.joint_parent[joint] >= 0)
        fail_kinematic_child(text(name(), ", body_flags"), who(Entity::kBody, now_.joint_parent[joint]));
    }
    if (changed(&Model::body_sleep, b) && !is_sleep_policy(now_.body_sleep[b]))
      fail(name(), ": body_sleep is ", now_.body_sleep[b], "; give 0 (auto), 1 (never), 2 (allowed) or 3 (init)");
    for (const bool velocity : {false, true})
      if (joint >= 0 && !joints_decide && (velocity ? changed(&Model::body_qd, b) : changed(&Model::body_q, b)))
        fail(name(), ": ", velocity ? "body_qd" : "body_q", " follows from ", who(Entity::kJoint, joint),
             "; change its ", velocity ? "joint_qd" : "joint_q", " instead");
  }
}

void NumberChecks::check_shapes() const {
  constexpr int kFlags =
      kShapeVisible | kShapeCollidesShapes | kShapeCollidesParticles | kShapeIsSite | kShapeFilterParent;
  for (int s = 0; s < model_.shape_count; ++s) {
    const auto name = [&] { return who(Entity::kShape, s); };
    if (changed(&Model::shape_scale, s)) {
      try {
        validate_shape_scale(static_cast<ShapeType>(now_.shape_type[s]), now_.shape_scale[s]);
      } catch (const Error& error) {
        fail(name(), ": shape_scale: ", error.what());
      }
    }
    const Real restitution = now_.shape_material_restitution[s];
    if (changed(&Model::shape_material_restitution, s) && restitution > 1)
      fail(name(), ": shape_material_restitution must be at most 1, is ", restitution);
    if (changed(&Model::shape_condim, s) && !is_condim(now_.shape_condim[s]))
      fail(name(), ": shape_condim must be 1, 3, 4 or 6, is ", now_.shape_condim[s]);
    if (changed(&Model::shape_flags, s) && (now_.shape_flags[s] & ~kFlags) != 0)
      fail(name(), ": shape_flags is ", now_.shape_flags[s], "; give a sum of ShapeFlag bits, at most ", kFlags);
  }
}

void NumberChecks::check_joints() const {
  for (int j = 0; j < model_.joint_count; ++j) {
    check_axes(j);
    check_coordinates(j);
  }
}

void NumberChecks::check_axes(int joint) const {
  const int first = qd_start_[joint], end = qd_start_[joint + 1];
  bool any = false;
  for (int dof = first; dof < end; ++dof) {
    if (!changed(&Model::joint_axis, dof)) continue;
    any = true;
    named(Entity::kJointDof, dof, [&](const std::string& name) {
      now_.joint_axis[dof] = check_axis(name, "joint_axis", now_.joint_axis[dof]);
    });
  }
  if (!any) return;
  const JointType type = static_cast<JointType>(now_.joint_type[joint]);
  if (turns_at_once(type))
    fail(who(Entity::kJoint, joint), ": joint_axis of a ", joint_type_name(type),
         " joint is along its frame; turn joint_X_p and joint_X_c instead");
  const std::span<const Vec3> axes(now_.joint_axis.data() + first, end - first);
  const std::size_t linear = now_.joint_dof_dim[joint][0];
  named(Entity::kJoint, joint, [&](const std::string&) {
    check_perpendicular(", joint_axis", axes.first(linear));
    check_perpendicular(", joint_axis", axes.subspan(linear));
  });
}

// The quaternions among the coordinates.
void NumberChecks::check_coordinates(int joint) const {
  if (!turns_at_once(static_cast<JointType>(now_.joint_type[joint]))) return;
  const int first = q_start_[joint + 1] - 4;  // the quaternion comes last
  bool any = false;
  for (int i = first; i < first + 4; ++i) any = any || changed(&Model::joint_q, i);
  if (!any) return;
  Real* const q = now_.joint_q.data() + first;
  named(Entity::kJoint, joint, [&](const std::string& name) {
    const Quat unit = check_unit(name, "joint_q", {q[0], q[1], q[2], q[3]});
    std::copy_n(&unit.x, 4, q);
  });
}

void NumberChecks::check_welds() const {
  for (int i = 0; i < model_.equality_constraint_count; ++i) {
    if (!changed(&Model::equality_constraint_axes, i)) continue;
    RealN<4>& axes = now_.equality_constraint_axes[i];
    named(Entity::kEqualityConstraint, i, [&](const std::string& name) {
      const Quat unit = check_unit(name, "equality_constraint_axes", {axes[0], axes[1], axes[2], axes[3]});
      axes = {unit.x, unit.y, unit.z, unit.w};
    });
  }
}

// Of contact pairs, tendons and actuators.
void NumberChecks::check_actuation() const {
  for (int i = 0; i < model_.contact_pair_count; ++i)
    if (changed(&Model::contact_pair_condim, i) && !is_condim(now_.contact_pair_condim[i]))
      fail(who(Entity::kContactPair, i), ": contact_pair_condim must be 1, 3, 4 or 6, is ",
           now_.contact_pair_condim[i]);
  for (int p = 0; p < model_.tendon_point_count; ++p)
    if (changed(&Model::tendon_point_divisor, p))
      check_positive(who(Entity::kTendonPoint, p), "tendon_point_divisor", now_.tendon_point_divisor[p]);
  for (int a = 0; a < model_.actuator_count; ++a)
    if (changed(&Model::actuator_time, a))
      for (const Real time : now_.actuator_time[a])
        check_not_negative(who(Entity::kActuator, a), "actuator_time", time);
  for (int a = 0; a < model_.actuator_count; ++a)
    if (changed(&Model::actuator_delay, a) && now_.actuator_delay_samples[a] == 0 && now_.actuator_delay[a] != 0)
      fail(who(Entity::kActuator, a), ": actuator_delay must stay 0 without delay_samples, is ",
           now_.actuator_delay[a]);
  for (int k = 0; k < model_.controller_count; ++k)
    if (changed(&Model::controller_gains, k) || changed(&Model::controller_winding, k) ||
        changed(&Model::controller_heat, k) || changed(&Model::controller_bristles, k))
      check_controller(k);
}

// Which states there are is structure: a number that asks for one stays positive, or stays 0.
void NumberChecks::check_controller(int k) const {
  const int actuator = now_.controller_actuator[k], states = now_.actuator_states[actuator];
  const auto asks = [&](const char* name, Real value, int state) {
    const bool has = states & state;
    if (has ? !(value > 0) : value != 0)
      fail(who(Entity::kController, k), ": ", name, " must ", has ? "be positive" : "stay 0", ", is ", value,
           "; whether it has that state is structure, which finalize() froze");
  };
  const RealN<5>&gains = now_.controller_gains[k], &winding = now_.controller_winding[k];
  const RealN<5>&heat = now_.controller_heat[k], &bristles = now_.controller_bristles[k];
  const std::string name = who(Entity::kController, k);
  for (const int i : {3, 4}) check_not_negative(name, "controller_gains", gains[i]);
  for (const int i : {0, 1}) check_positive(name, "controller_winding", winding[i]);
  check_positive(name, "controller_heat", heat[1]);
  check_positive(name, "controller_bristles", bristles[4]);
  asks("slew_max", gains[4], kStateSlew);
  if (!(states & kStateIntegral)) asks("ki", gains[2], kStateIntegral);
  if (now_.actuator_law[actuator] == static_cast<int>(ActuatorLaw::kPid)) return;
  asks("heat_resistance", heat[0], kStateTemperature);
  asks("bristle_stiffness", bristles[0], kStateBristle);
  asks("current_time", winding[3], kStateCurrent);
}

void NumberChecks::check_range(Entity entity, const char* lower_name, Member<Real> lower, const char* upper_name,
                               Member<Real> upper) const {
  for (int row = 0; row < static_cast<int>((now_.*lower).size()); ++row)
    if (changed(lower, row) || changed(upper, row))
      named(entity, row, [&](const std::string& name) {
        carom::check_range(name, lower_name, (now_.*lower)[row], upper_name, (now_.*upper)[row]);
      });
}

void NumberChecks::check_ranges() const {
  check_range(Entity::kJointDof, "joint_limit_lower", &Model::joint_limit_lower, "joint_limit_upper",
              &Model::joint_limit_upper);
  check_range(Entity::kJointDof, "joint_effort_lower", &Model::joint_effort_lower, "joint_effort_upper",
              &Model::joint_effort_upper);
  check_range(Entity::kTendon, "tendon_effort_lower", &Model::tendon_effort_lower, "tendon_effort_upper",
              &Model::tendon_effort_upper);
  check_range(Entity::kTendon, "tendon_limit_lower", &Model::tendon_limit_lower, "tendon_limit_upper",
              &Model::tendon_limit_upper);
  check_range(Entity::kTendon, "tendon_spring_lower", &Model::tendon_spring_lower, "tendon_spring_upper",
              &Model::tendon_spring_upper);
  check_range(Entity::kCtrl, "actuator_ctrl_lower", &Model::actuator_ctrl_lower, "actuator_ctrl_upper",
              &Model::actuator_ctrl_upper);
  check_range(Entity::kActuator, "actuator_force_lower", &Model::actuator_force_lower, "actuator_force_upper",
              &Model::actuator_force_upper);
  check_range(Entity::kActuator, "actuator_act_lower", &Model::actuator_act_lower, "actuator_act_upper",
              &Model::actuator_act_upper);
}

// States have arrays for springs that yield where some did from the beginning.
void NumberChecks::check_yields() const {
  if (model_.layout->springs_yield) return;
  const auto check = [&](Entity entity, const char* name, Member<Real> column) {
    for (int row = 0; row < static_cast<int>((now_.*column).size()); ++row)
      if ((now_.*column)[row] > 0)
        fail(who(entity, row), ": ", name, " is ", (now_.*column)[row],
             ", but no spring yielded when the model was built; build it with one that does");
  };
  check(Entity::kJointDof, "joint_spring_yield", &Model::joint_spring_yield);
  check(Entity::kTendon, "tendon_spring_yield", &Model::tendon_spring_yield);
}

// What is no column.
void NumberChecks::check_others() const {
  if (now_.gravity.size() != was_.gravity.size()) fail("gravity has one row per world and one of the globals");
  for (int world = 0; world < static_cast<int>(now_.gravity.size()); ++world)
    if (differs(was_.gravity, now_.gravity, world))
      check_finite(world < model_.world_count ? text("world ", world, " '", model_.world_key(world), "'")
                                              : std::string("the globals"),
                   "gravity", now_.gravity[world]);
  const Array<Index2>&was = was_.shape_collision_filter_pairs, &now = now_.shape_collision_filter_pairs;
  if (now.size() != was.size()) fail("shape_collision_filter_pairs has ", was.size(), " rows, and their number stays");
  for (std::int64_t i = 0; i < now.size(); ++i) {
    const auto [a, b] = now[i];
    if (differs(was, now, i) && (a < 0 || b <= a || b >= model_.shape_count))
      fail("shape_collision_filter_pairs ", i, ": (", a, ", ", b, ") does not name two shapes in order; there are ",
           model_.shape_count);
  }
}

}  // namespace

void check_numbers(const Model& model, const ModelNumbers& was, const ModelNumbers& now) {
  const NumberChecks checks(model, was, now);
  checks.check_columns();
  checks.check_bodies();
  checks.check_shapes();
  checks.check_joints();
  checks.check_welds();
  checks.check_actuation();
  checks.check_ranges();
  checks.check_yields();
  checks.check_others();
}

}  // namespace carom::inline CAROM_PRECISION
