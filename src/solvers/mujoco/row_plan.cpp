#include "solvers/mujoco/row_plan.h"

#include <algorithm>
#include <map>

#include "base/fail.h"
#include "model/joints/joints.kernel.h"

namespace carom::inline CAROM_PRECISION {

RowPlan::RowPlan(const HostModel& host, const PartRows& part, const Array<int>& bodies, const TreePlan& tree,
                 const std::vector<std::uint8_t>& needs) {
  const Source source{host,
                      part,
                      bodies.on_cpu(),
                      tree,
                      host.model.joint_q_start.on_cpu(),
                      host.model.joint_qd_start.on_cpu(),
                      host.model.actuator_ctrl_start.on_cpu(),
                      host.model.actuator_act_start.on_cpu(),
                      host.model.actuator_history_start.on_cpu(),
                      paths};
  paths = PathPlan(host, part, source.bodies, tree);
  add_axes(source, needs.data() + PartNeeds::first_dof());
  single_rows_ = static_cast<int>(joint_rows.size());
  add_turning_joints(source, needs.data() + PartNeeds::first_dof());
  add_distances(source, needs.data() + PartNeeds::first_dof());
  add_tendons(source, needs.data() + PartNeeds::first_tendon(part));
  add_equalities(source);
  add_actuators(source);
  compensated_ = needs[PartNeeds::bodies()] & kNeedsForce;
  has_given_ = needs[PartNeeds::bodies()] & kNeedsGiven;
  add_efforts(source, needs.data() + PartNeeds::first_tendon(part));
  to_device(host, part, tree);
}

// -- What a length is made of.

void RowPlan::Side::add(const Side& other) {
  entries.insert(entries.end(), other.entries.begin(), other.entries.end());
  rows.insert(rows.end(), other.rows.begin(), other.rows.end());
  sources.insert(sources.end(), other.sources.begin(), other.sources.end());
  sources.resize(entries.size(), -1);
}

RowPlan::Side RowPlan::Source::axis(int joint, int axis) const {
  const int dof = tree.dof_of_part_dof[qd_start[joint] + axis - part.begin(Entity::kJointDof)];
  return {{{q_start[joint] + axis - part.begin(Entity::kJointCoord), dof}}, {-1}};
}

RowPlan::Side RowPlan::Source::path(int number) const {
  const PathSlot& slot = paths.slots[number];
  Side side;
  for (int e = slot.first_entry; e < slot.first_entry + slot.entry_count; ++e)
    side.add({{{0, paths.entries[e].dof}}, {-1}, {e}});
  side.path = number;
  return side;
}

RowPlan::Side RowPlan::Source::tendon(int row) const {
  const ModelColumns<Array>& c = host.column;
  Side side;
  if (const int number = paths.of_tendon(row - part.begin(Entity::kTendon)); number >= 0) return path(number);
  for (int e = 0; e < part.count(Entity::kTendonJoint); ++e) {
    const int of = part.begin(Entity::kTendonJoint) + e;
    if (c.tendon_joint_tendon[of] != row) continue;
    side.add({axis(c.tendon_joint_joint[of], c.tendon_joint_axis[of]).entries, {e}});
  }
  return side;
}

RowPlan::Side RowPlan::Source::equality(int row, bool driven) const {
  const ModelColumns<Array>& c = host.column;
  const int joint = driven ? c.equality_constraint_joint1[row] : c.equality_constraint_joint2[row];
  const int tendon_row = driven ? c.equality_constraint_tendon1[row] : c.equality_constraint_tendon2[row];
  if (joint >= 0) return axis(joint, driven ? c.equality_constraint_axis1[row] : c.equality_constraint_axis2[row]);
  return tendon_row < 0 ? Side{} : tendon(tendon_row);
}

// Everything that moves one of its bodies.
RowPlan::Side RowPlan::Source::tie(const Tie& tie) const {
  std::map<int, int> moved;  // degree of freedom: bits of the bodies
  for (int side = 0; side < 2; ++side) {
    if (tie.link[side] < 0) continue;
    const TreeLink& l = tree.links[tie.link[side]];
    for (const int dof : tree.ancestors[l.dof + l.linear + l.angular - 1]) moved[dof] |= 1 << side;
  }
  Side side;
  for (const auto& [dof, bodies] : moved) side.add({{{bodies, dof}}, {-1}});
  return side;
}

int RowPlan::Source::body(int row) const {
  if (row < 0) return -1;
  for (int b = 0; b < part.count(Entity::kBody); ++b)
    if (part.body(b, bodies.data()) == row) return b;
  fail("SolverMuJoCo: an equality constraint ties body '", host.name(Entity::kBody, row), "', which is of no world");
}

// -- Rows.

void RowPlan::add_row(const Side& side, JointRow row, Entity entity, int of) {
  row.first_entry = static_cast<int>(joint_entries.size());
  row.entry_count = side.size();
  joint_rows.push_back(row);
  joint_entries.insert(joint_entries.end(), side.entries.begin(), side.entries.end());
  joint_entry_row_.insert(joint_entry_row_.end(), side.rows.begin(), side.rows.end());
  joint_source_.insert(joint_source_.end(), side.sources.begin(), side.sources.end());
  joint_source_.resize(joint_entries.size(), -1);
  joint_row_origin_.push_back({entity, of, row.sort});
}

// Of one joint or tendon.
void RowPlan::add_rows(const Side& side, std::uint8_t needs, Entity entity, int row) {
  if (side.size() == 0) needs = 0;  // nothing moves it
  const auto add = [&](JointRowSort sort, LimitSide which) {
    add_row(side, {.sort = sort, .side = which, .path = side.path}, entity, row);
  };
  if (needs & kNeedsBothEnds) {
    add(JointRowSort::kLimit, LimitSide::kLower);
    add(JointRowSort::kLimit, LimitSide::kUpper);
  } else if (needs & kNeedsLimit) {
    add(JointRowSort::kLimit, LimitSide::kEither);
  }
  if (needs & kNeedsFriction) add(JointRowSort::kFriction, LimitSide::kEither);
  place_start_.push_back(static_cast<int>(joint_rows.size()));
}

// Degrees of freedom with a coordinate of their own.
void RowPlan::add_axes(const Source& source, const std::uint8_t* needs) {
  for (const TreeLink& link : source.tree.links) {
    for (int i = 0; i < link.linear + link.angular; ++i) {
      const int dof = link.dof + i, in_part = source.tree.dof_in_part[dof];
      damped_ = damped_ || (needs[in_part] & kNeedsForce);
      driven_ = driven_ || (needs[in_part] & kNeedsDrive);
      has_extras_ = has_extras_ || (needs[in_part] & kNeedsExtras);
      if (turns_at_once(link.type) && i >= link.linear) continue;
      const std::uint8_t of_axis = link.type == JointType::kDistance ? needs[in_part] & ~kNeedsLimits : needs[in_part];
      add_rows({{{link.q + i, dof}}, {-1}}, of_axis, Entity::kJointDof, in_part);
    }
  }
}

// Limits and friction of orientations.
void RowPlan::add_turning_joints(const Source& source, const std::uint8_t* needs) {
  for (const TreeLink& link : source.tree.links) {
    if (!turns_at_once(link.type)) continue;
    const int first = link.dof + link.linear;
    Side side;
    for (int i = 0; i < 3; ++i) side.add({{{link.q + link.linear, first + i}}, {-1}});
    const auto in_part = [&](int i) { return source.tree.dof_in_part[first + i]; };
    if (needs[in_part(0)] & kNeedsLimit)
      add_row(side, {0, 0, JointRowSort::kTurningLimit}, Entity::kJointDof, in_part(0));
    for (int i = 0; i < 3; ++i)
      if (needs[in_part(i)] & kNeedsFriction)
        add_row(side, {0, 0, JointRowSort::kTurningFriction, LimitSide::kEither, 0, 0, i}, Entity::kJointDof,
                in_part(i));
    place_start_.push_back(static_cast<int>(joint_rows.size()));
  }
}

// The distances that a joint holds are the limits of its first degree of freedom.
void RowPlan::add_distances(const Source& source, const std::uint8_t* needs) {
  for (std::size_t l = 0; l < source.tree.links.size(); ++l) {
    const int number = paths.of_link(static_cast<int>(l)), in_part = source.tree.dof_in_part[source.tree.links[l].dof];
    if (number >= 0) add_rows(source.path(number), needs[in_part] & kNeedsLimits, Entity::kJointDof, in_part);
  }
}

void RowPlan::add_tendons(const Source& source, const std::uint8_t* needs) {
  for (int t = 0; t < source.part.count(Entity::kTendon); ++t) {
    const Side side = source.tendon(source.part.begin(Entity::kTendon) + t);
    add_rows(side, needs[t], Entity::kTendon, t);
    has_armature_ = has_armature_ || (needs[t] & kNeedsArmature);
    if (!(needs[t] & (kNeedsForce | kNeedsArmature | kNeedsYield | kNeedsStroke))) continue;
    springs.push_back({static_cast<int>(spring_entries.size()), side.size(), side.path});
    spring_entries.insert(spring_entries.end(), side.entries.begin(), side.entries.end());
    spring_entry_row_.insert(spring_entry_row_.end(), side.rows.begin(), side.rows.end());
    spring_source_.insert(spring_source_.end(), side.sources.begin(), side.sources.end());
    spring_source_.resize(spring_entries.size(), -1);
    spring_tendon_.push_back(t);
  }
}

// Those that are switched off, too: they may be switched on.
void RowPlan::add_equalities(const Source& source) {
  for (int i = 0; i < source.part.count(Entity::kEqualityConstraint); ++i) {
    const int row = source.part.begin(Entity::kEqualityConstraint) + i;
    const auto type = static_cast<EqualityType>(source.host.column.equality_constraint_type[row]);
    if (type == EqualityType::kConnect || type == EqualityType::kWeld) {
      add_tie(source, i, type == EqualityType::kWeld);
      continue;
    }
    Side side = source.equality(row, true);
    const int driven = side.size();
    const Side driving = source.equality(row, false);
    side.add(driving);
    add_row(side,
            {.sort = JointRowSort::kEquality,
             .driven = driven,
             .equality = equalities++,
             .path = side.path,
             .driving_path = driving.path},
            Entity::kEqualityConstraint, i);
    equality_row_.push_back(i);
    place_start_.push_back(static_cast<int>(joint_rows.size()));
  }
}

void RowPlan::add_tie(const Source& source, int i, bool is_weld) {
  const ModelColumns<Array>& c = source.host.column;
  const int row = source.part.begin(Entity::kEqualityConstraint) + i;
  const int body1 = source.body(c.equality_constraint_body1[row]),
            body2 = source.body(c.equality_constraint_body2[row]);
  const Tie tie{{source.link(body1), source.link(body2)}, is_weld};
  const Side side = source.tie(tie);
  if (side.size() == 0) return;  // nothing moves either body
  const int number = static_cast<int>(ties.size());
  ties.push_back(tie);
  tie_origin_.push_back({i, {body1, body2}});
  for (int member = 0; member < (is_weld ? 6 : 3); ++member)
    add_row(side, {0, 0, is_weld ? JointRowSort::kWeld : JointRowSort::kConnect, LimitSide::kEither, 0, number, member},
            Entity::kEqualityConstraint, i);
  place_start_.push_back(static_cast<int>(joint_rows.size()));
}

// Of what is no axis of a joint.
RowPlan::Side RowPlan::side_of_actuator(const Source& source, int row, int member) {
  const int number = paths.of_actuator(row - source.part.begin(Entity::kActuator));
  return number >= 0 ? source.path(number + member) : source.tendon(source.host.column.actuator_tendon[row]);
}

// A ball joint, or a site against another.
bool RowPlan::turns_something(const Source& source, int row) {
  const ModelColumns<Array>& c = source.host.column;
  const auto target = static_cast<ActuatorTarget>(c.actuator_target[row]);
  if (target == ActuatorTarget::kSite) return c.actuator_has_reference[row] != 0;
  return target == ActuatorTarget::kJoint &&
         static_cast<JointType>(c.joint_type[c.actuator_joint[row]]) == JointType::kBall;
}

// Activations of an actuator, and its controller.
void RowPlan::add_states(const Source& source, int row, ActuatorSlot& slot) {
  const ModelColumns<Array>& c = source.host.column;
  const int place = static_cast<int>(actuators.size());
  int act = source.act_start[row] - source.part.begin(Entity::kAct);
  const auto law = static_cast<ActuatorLaw>(c.actuator_law[row]);
  const auto dynamics = static_cast<ActuatorDynamics>(c.actuator_dynamics[row]);
  if (law == ActuatorLaw::kPid || law == ActuatorLaw::kDcMotor) {
    slot.controller = static_cast<int>(controllers.size());
    ControllerSlot controller{.law = law, .input = {}, .state = {}};
    int ctrl = slot.ctrl;
    for (int i = 0; i < kActuatorInputs; ++i) controller.input[i] = c.actuator_inputs[row] >> i & 1 ? ctrl++ : -1;
    for (int s = 0; s < kActuatorStates; ++s) {
      controller.state[s] = -1;
      if (!(c.actuator_states[row] >> s & 1)) continue;
      controller.state[s] = static_cast<int>(activations.size());
      const bool is_bristle = 1 << s == kStateBristle;
      activations.push_back({place, act++, ActuatorDynamics::kIntegrator,
                             is_bristle ? ActivationSpan::kOwnOfFirstStage : ActivationSpan::kOwn});
    }
    controllers.push_back(controller);
  } else if (dynamics != ActuatorDynamics::kNone) {
    slot.activation = static_cast<int>(activations.size());
    for (int k = 0; k < (law == ActuatorLaw::kOrientation ? 3 : 1); ++k)
      activations.push_back({place + k, act + k, dynamics, ActivationSpan::kStep});
  }
  if (law != ActuatorLaw::kMuscle) return;
  slot.muscle = muscles++;
  muscle_actuator_.push_back(slot.actuator);
}

void RowPlan::add_delay(const Source& source, int row) {
  const ModelColumns<Array>& c = source.host.column;
  if (c.actuator_delay_samples[row] == 0) return;
  delays.push_back({.ctrl = source.ctrl_start[row] - source.part.begin(Entity::kCtrl),
                    .inputs = source.ctrl_start[row + 1] - source.ctrl_start[row],
                    .history = source.history_start[row] - source.part.begin(Entity::kCtrlHistory),
                    .samples = c.actuator_delay_samples[row],
                    .interpolation = static_cast<Interpolation>(c.actuator_interpolation[row])});
  delay_actuator_.push_back(row - source.part.begin(Entity::kActuator));
}

// What is no axis of a joint. member: of an orientation.
void RowPlan::add_actuator(const Source& source, int row, ActuatorSlot slot, int member) {
  const Side side = side_of_actuator(source, row, member);
  slot.first_entry = static_cast<int>(actuator_entries.size());
  slot.entry_count = side.size();
  slot.number = tendon_actuators++;
  slot.path = side.path;
  actuators.push_back(slot);
  actuator_entries.insert(actuator_entries.end(), side.entries.begin(), side.entries.end());
  actuator_entry_row_.insert(actuator_entry_row_.end(), side.rows.begin(), side.rows.end());
  actuator_source_.insert(actuator_source_.end(), side.sources.begin(), side.sources.end());
  actuator_source_.resize(actuator_entries.size(), -1);
}

void RowPlan::add_orientation(const Source& source, int row, ActuatorSlot slot) {
  const bool is_quaternion = source.host.column.actuator_inputs[row] == kInputQuaternion;
  slot.orientation = static_cast<int>(orientations.size());
  orientations.push_back({static_cast<int>(actuators.size()), slot.ctrl, is_quaternion, slot.activation});
  for (int member = 0; member < 3; ++member) add_actuator(source, row, slot, member);
}

void RowPlan::add_actuators(const Source& source) {
  const ModelColumns<Array>& c = source.host.column;
  for (int a = 0; a < source.part.count(Entity::kActuator); ++a) {
    const int row = source.part.begin(Entity::kActuator) + a;
    const auto law = static_cast<ActuatorLaw>(c.actuator_law[row]);
    const int ctrl = source.ctrl_start[row] - source.part.begin(Entity::kCtrl);
    ActuatorSlot slot{-1, -1, 0, 0, 0, -1, -1, -1, -1, -1, ctrl, a, false};
    place_of_actuator_.push_back(static_cast<int>(actuators.size()));
    add_states(source, row, slot);
    add_delay(source, row);
    if (law == ActuatorLaw::kOrientation) {
      add_orientation(source, row, slot);
    } else if (c.actuator_joint[row] >= 0 && paths.of_actuator(a) < 0) {
      const JointEntry entry = source.axis(c.actuator_joint[row], c.actuator_axis[row]).entries.front();
      slot.q = entry.q, slot.dof = entry.dof;
      actuators.push_back(slot);
    } else {
      slot.turns = turns_something(source, row) && slot.muscle < 0 && law != ActuatorLaw::kDcMotor;
      add_actuator(source, row, slot, 0);
    }
  }
}

// Of the tendons that bound what their actuators do together.
void RowPlan::add_efforts(const Source& source, const std::uint8_t* needs) {
  for (int t = 0; t < source.part.count(Entity::kTendon); ++t) {
    if (!(needs[t] & kNeedsEffort)) continue;
    const int first = static_cast<int>(effort_actuator_.size());
    for (int a = 0; a < source.part.count(Entity::kActuator); ++a) {
      const int tendon = source.host.column.actuator_tendon[source.part.begin(Entity::kActuator) + a];
      if (tendon == source.part.begin(Entity::kTendon) + t) effort_actuator_.push_back(place_of_actuator_[a]);
    }
    efforts.push_back({first, static_cast<int>(effort_actuator_.size()) - first});
    effort_tendon_.push_back(t);
  }
}

// -- On the model's device.

// Rows and actuators of each degree of freedom.
void RowPlan::list_by_dof(int dofs, Device device) {
  std::vector<Index2> dof_row, dof_actuator;
  for (int dof = 0; dof < dofs; ++dof) {
    for (int s = 0; s < static_cast<int>(joint_rows.size()); ++s)
      for (int e = joint_rows[s].first_entry; e < joint_rows[s].first_entry + joint_rows[s].entry_count; ++e)
        if (joint_entries[e].dof == dof) dof_row.push_back({s, e});
    row_start_.push_back(static_cast<int>(dof_row.size()));
    for (int a = 0; a < static_cast<int>(actuators.size()); ++a) {
      const ActuatorSlot& slot = actuators[a];
      if (slot.dof == dof) dof_actuator.push_back({a, -1});
      for (int e = slot.first_entry; e < slot.first_entry + slot.entry_count; ++e)
        if (actuator_entries[e].dof == dof) dof_actuator.push_back({a, e});
    }
    actuator_start_.push_back(static_cast<int>(dof_actuator.size()));
  }
  dof_row_ = Array<Index2>(std::span<const Index2>(dof_row), device);
  dof_actuator_ = Array<Index2>(std::span<const Index2>(dof_actuator), device);
}

PatternLists RowPlan::find_mass_pattern(const HostModel& host, const TreePlan& tree) const {
  if (host.model.options.integrator != Integrator::kDiscrete) return tree.mass;
  const BlockPattern& bare = tree.mass.pattern;
  return {bare.size, [&](const BitSets& coupled) {
            for (int k = 0; k < bare.size; ++k) bare.coupled.each(k, [&](int i) { coupled.add(k, i); });
            const auto couple = [&](const auto& slot, const std::vector<JointEntry>& entries) {
              for (int e = slot.first_entry; e < slot.first_entry + slot.entry_count; ++e)
                for (int o = slot.first_entry; o < slot.first_entry + slot.entry_count; ++o)
                  if (const int k = entries[e].dof / 3, i = entries[o].dof / 3; i < k) coupled.add(k, i);
            };
            for (const SpringSlot& slot : springs) couple(slot, spring_entries);
            for (const ActuatorSlot& slot : actuators) couple(slot, actuator_entries);
          }};
}

// Blocks that rows touch, and the pattern of the mass matrix with those that they couple. Returns the first.
BitSets RowPlan::find_blocks(const BlockPattern& mass, Device device) {
  const int words = BitSets::words_for(mass.size);
  const Array<std::uint64_t> row_words(std::int64_t{words} * static_cast<std::int64_t>(joint_rows.size()));
  const BitSets blocks{row_words.data(), static_cast<int>(joint_rows.size()), words};
  for (int s = 0; s < blocks.count; ++s)
    for (int e = joint_rows[s].first_entry; e < joint_rows[s].first_entry + joint_rows[s].entry_count; ++e)
      blocks.add(s, joint_entries[e].dof / 3);
  pattern_ = PatternLists(mass.size, [&](const BitSets& coupled) {
               for (int k = 0; k < mass.size; ++k) mass.coupled.each(k, [&](int i) { coupled.add(k, i); });
               for (int s = single_rows_; s < blocks.count; ++s)
                 blocks.each(s, [&](int k) {
                   blocks.each(s, [&](int i) {
                     if (i < k) coupled.add(k, i);
                   });
                 });
             }).on(device);
  joint_row_words_ = device.is_cpu() ? row_words : row_words.to(device);
  return {joint_row_words_.data(), blocks.count, words};
}

void RowPlan::to_device(const HostModel& host, const PartRows& part, const TreePlan& tree) {
  const Device device = host.model.device;
  const auto array = [&](const std::vector<int>& values) {
    arrays_.emplace_back(std::span<const int>(values), device);
    return arrays_.back().const_view();
  };
  list_by_dof(static_cast<int>(tree.dof_link.size()), device);
  const PatternLists coupled = find_mass_pattern(host, tree);
  mass = coupled.on(device);
  const BitSets blocks = find_blocks(coupled.pattern, device);
  joint_rows_device_ = Array<JointRow>(std::span<const JointRow>(joint_rows), device);
  joint_row_origin_device_ = Array<JointRowOrigin>(std::span<const JointRowOrigin>(joint_row_origin_), device);
  ties_device_ = Array<Tie>(std::span<const Tie>(ties), device);
  tie_origin_device_ = Array<TieOrigin>(std::span<const TieOrigin>(tie_origin_), device);
  joint_entries_device_ = Array<JointEntry>(std::span<const JointEntry>(joint_entries), device);
  spring_entries_device_ = Array<JointEntry>(std::span<const JointEntry>(spring_entries), device);
  actuator_entries_device_ = Array<JointEntry>(std::span<const JointEntry>(actuator_entries), device);
  actuators_device_ = Array<ActuatorSlot>(std::span<const ActuatorSlot>(actuators), device);
  activations_device_ = Array<ActivationSlot>(std::span<const ActivationSlot>(activations), device);
  controllers_device_ = Array<ControllerSlot>(std::span<const ControllerSlot>(controllers), device);
  orientations_device_ = Array<OrientationSlot>(std::span<const OrientationSlot>(orientations), device);
  delays_device_ = Array<DelaySlot>(std::span<const DelaySlot>(delays), device);
  efforts_device_ = Array<EffortSlot>(std::span<const EffortSlot>(efforts), device);
  springs_device_ = Array<SpringSlot>(std::span<const SpringSlot>(springs), device);
  const auto has = [&](JointRowSort sort) {
    return std::any_of(joint_rows.begin(), joint_rows.end(), [&](const JointRow& row) { return row.sort == sort; });
  };
  const bool has_other = std::any_of(joint_rows.begin(), joint_rows.end(), [](const JointRow& row) {
    return row.sort != JointRowSort::kLimit && row.sort != JointRowSort::kTurningLimit;
  });
  rows = {.joint_row = joint_rows_device_.const_view(),
          .joint_entry = joint_entries_device_.const_view(),
          .joint_row_blocks = blocks,
          .single_rows = single_rows_,
          .tie = ties_device_.const_view(),
          .two_sided = has_other,
          .has_friction = has(JointRowSort::kFriction) || has(JointRowSort::kTurningFriction),
          .place_start = array(place_start_),
          .dof_row_start = array(row_start_),
          .dof_row = dof_row_.const_view(),
          .pattern = pattern_.pattern,
          .joint_source = array(joint_source_),
          .joint_row_origin = joint_row_origin_device_.const_view()};
  forces = {.actuator = actuators_device_.const_view(),
            .ctrls = part.count(Entity::kCtrl),
            .actuator_entry = actuator_entries_device_.const_view(),
            .tendon_actuators = tendon_actuators,
            .activation = activations_device_.const_view(),
            .muscles = muscles,
            .controller = controllers_device_.const_view(),
            .orientation = orientations_device_.const_view(),
            .delay = delays_device_.const_view(),
            .dof_actuator_start = array(actuator_start_),
            .dof_actuator = dof_actuator_.const_view(),
            .spring = springs_device_.const_view(),
            .spring_entry = spring_entries_device_.const_view(),
            .spring_tendon = array(spring_tendon_),
            .actuator_source = array(actuator_source_),
            .spring_source = array(spring_source_),
            .path = paths.to(device),
            .effort = efforts_device_.const_view(),
            .effort_actuator = array(effort_actuator_),
            .ellipsoid_link = {},  // EllipsoidPlan has them
            .has_extras = has_extras_,
            .has_armature = has_armature_,
            .pulls_contacts = paths.touches,
            .has_given = has_given_,
            .yields = host.model.layout->springs_yield,
            .in_fluid = host.model.options.density > 0 || host.model.options.viscosity > 0,
            .compensated = compensated_,
            .damped = damped_,
            .driven = driven_};
  origin = {.spring = forces.spring_tendon,
            .effort = array(effort_tendon_),
            .equality = array(equality_row_),
            .tie = tie_origin_device_.const_view(),
            .muscle = array(muscle_actuator_),
            .delay = array(delay_actuator_),
            .path = paths.origin(),
            .path_point = paths.point_origin(),
            .joint_entry = array(joint_entry_row_),
            .spring_entry = array(spring_entry_row_),
            .actuator_entry = array(actuator_entry_row_)};
}

}  // namespace carom::inline CAROM_PRECISION
