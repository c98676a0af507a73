#include "model/validate.h"

#include <limits>
#include <optional>
#include <set>

#include "model/checks.h"
#include "model/entities.h"
#include "model/joints/joints.kernel.h"
#include "model/sensor_rows.h"

namespace carom::inline CAROM_PRECISION {

namespace {

struct Limits {
  int lower, upper;  // valid indices: [lower, upper)
};

Limits limits_of(const ModelData& data, Refers refers) {
  const auto count = [&](Entity entity) { return entity_count(data.columns, entity); };
  switch (refers) {
    case Refers::kParticle: return {0, count(Entity::kParticle)};
    case Refers::kBody: return {-1, count(Entity::kBody)};
    case Refers::kShape: return {-1, count(Entity::kShape)};
    case Refers::kJoint: return {-1, count(Entity::kJoint)};
    case Refers::kArticulation: return {-1, count(Entity::kArticulation)};
    case Refers::kTendon: return {-1, count(Entity::kTendon)};
    case Refers::kActuator: return {-1, count(Entity::kActuator)};
    case Refers::kSource: return {-1, static_cast<int>(data.shape_sources.size())};
    case Refers::kKey:
    case Refers::kText: return {-1, data.keys.size()};
    case Refers::kWorld: return {-1, static_cast<int>(data.world_gravity.size())};
    default: return {std::numeric_limits<int>::min(), std::numeric_limits<int>::max()};
  }
}

void check_index(const ColumnInfo& info, int row, int index, Limits limits) {
  if (index < limits.lower || index >= limits.upper)
    fail(entity_name(info.entity), " ", row, ": ", info.name, " is ", index, ", outside of ", limits.lower, " to ",
         limits.upper - 1);
}

// Calls use(index) for every index in a row of a column.
template <class Row, class Use>
void for_each_index(const Row& row, Use use) {
  if constexpr (std::is_same_v<Row, int>) {
    use(row);
  } else if constexpr (requires { row.size(); }) {
    for (const auto index : row) use(static_cast<int>(index));
  }
}

void check_columns(const ModelData& data) {
  visit_columns([&](const ColumnInfo& info, auto get) {
    const auto& column = get(data.columns);
    const int rows = entity_count(data.columns, info.entity);
    if (static_cast<int>(column.size()) != rows)
      fail("column ", info.name, " has ", column.size(), " rows; there are ", rows, " of ", entity_name(info.entity));
    if (info.refers == Refers::kNothing) return;
    const Limits limits = limits_of(data, info.refers);
    for (int row = 0; row < rows; ++row)
      for_each_index(column[row], [&](int index) { check_index(info, row, index, limits); });
  });
  for (std::size_t world = 0; world < data.world_key_id.size(); ++world)
    if (data.world_key_id[world] < -1 || data.world_key_id[world] >= data.keys.size())
      fail("world ", world, ": key ", data.world_key_id[world], " does not exist: there are ", data.keys.size());
}

std::optional<Entity> entity_of(Refers refers) {
  switch (refers) {
    case Refers::kParticle: return Entity::kParticle;
    case Refers::kBody: return Entity::kBody;
    case Refers::kShape: return Entity::kShape;
    case Refers::kJoint: return Entity::kJoint;
    case Refers::kArticulation: return Entity::kArticulation;
    case Refers::kTendon: return Entity::kTendon;
    case Refers::kActuator: return Entity::kActuator;
    default: return std::nullopt;
  }
}

// Entities refer to others of their own world; to bodies and shapes also when these are global.
void check_same_world(const ModelData& data) {
  visit_columns([&](const ColumnInfo& info, auto get) {
    const std::optional<Entity> other = entity_of(info.refers);
    if (!other) return;
    const std::vector<int>& worlds = *world_column(data.columns, info.entity);
    const std::vector<int>& other_worlds = *world_column(data.columns, *other);
    for (int row = 0; row < static_cast<int>(worlds.size()); ++row) {
      for_each_index(get(data.columns)[row], [&](int index) {
        if (index < 0 || other_worlds[index] == worlds[row]) return;
        if ((*other == Entity::kBody || *other == Entity::kShape) && other_worlds[index] < 0) return;
        fail(describe(data, info.entity, row), " of world ", worlds[row], ": ", info.name, " is ",
             describe(data, *other, index), " of world ", other_worlds[index], "; worlds do not refer to each other");
      });
    }
  });
}

// Globals at the front, worlds ascending, globals at the back.
void check_world_order(const ModelData& data) {
  for (int e = 0; e < kEntityCount; ++e) {
    const Entity entity = static_cast<Entity>(e);
    const std::vector<int>* worlds = world_column(data.columns, entity);
    int last = -1;
    bool closed = false;
    for (std::size_t i = 0; worlds && i < worlds->size(); ++i) {
      const int world = (*worlds)[i];
      if (world < 0) {
        closed = last >= 0;
      } else if (closed || world < last) {
        fail(describe(data, entity, static_cast<int>(i)), " of world ", world,
             " stands out of order; entities are grouped by world");
      } else {
        last = world;
      }
    }
  }
}

void check_sources(const ModelData& data) {
  const ModelColumns<Vector>& c = data.columns;
  for (std::size_t s = 0; s < c.shape_type.size(); ++s) {
    const ShapeType type = static_cast<ShapeType>(c.shape_type[s]);
    const std::size_t held = c.shape_source[s] < 0 ? 0 : data.shape_sources[c.shape_source[s]].index();
    std::size_t wanted = 0;
    if (type == ShapeType::kMesh || type == ShapeType::kConvexHull) wanted = 1;
    if (type == ShapeType::kHeightfield) wanted = 2;
    if (type == ShapeType::kSdf) wanted = 3;
    if (c.shape_type[s] <= 0 || c.shape_type[s] > static_cast<int>(ShapeType::kSdf) || held != wanted)
      fail(describe(data, Entity::kShape, static_cast<int>(s)), ": type ", c.shape_type[s],
           " does not go with its geometry");
  }
  for (std::size_t b = 0; b < c.body_sleep.size(); ++b)
    if (!is_sleep_policy(c.body_sleep[b]))
      fail(describe(data, Entity::kBody, static_cast<int>(b)), ": sleep policy ", c.body_sleep[b], " does not exist");
  for (std::size_t s = 0; s < c.shape_condim.size(); ++s)
    if (!is_condim(c.shape_condim[s]))
      fail(describe(data, Entity::kShape, static_cast<int>(s)), ": condim ", c.shape_condim[s], " does not exist");
  for (std::size_t s = 0; s < c.shape_fluid_ellipsoid.size(); ++s)
    if (c.shape_fluid_ellipsoid[s] && !can_be_ellipsoid(static_cast<ShapeType>(c.shape_type[s])))
      fail(describe(data, Entity::kShape, static_cast<int>(s)), " is no ellipsoid that a fluid could push");
  for (std::size_t i = 0; i < c.contact_pair_shapes.size(); ++i) {
    const std::string who = describe(data, Entity::kContactPair, static_cast<int>(i));
    if (!is_condim(c.contact_pair_condim[i])) fail(who, ": condim ", c.contact_pair_condim[i], " does not exist");
    const auto [a, b] = c.contact_pair_shapes[i];
    if (a < 0 || a >= b) fail(who, " does not name two shapes in order");
  }
  for (const auto& [a, b] : data.shape_collision_filter_pairs)
    if (a < 0 || b <= a || b >= static_cast<int>(c.shape_type.size()))
      fail("collision filter pair (", a, ", ", b, ") does not name two shapes in order");
}

// Dimensions of a joint by its type, so that the sums over joints fill the dof and coordinate columns exactly.
void check_joints(const ModelData& data) {
  const ModelColumns<Vector>& c = data.columns;
  std::int64_t dofs = 0, coords = 0;
  std::vector<int> joint_of(c.body_mass.size(), -1);
  for (int j = 0; j < static_cast<int>(c.joint_type.size()); ++j) {
    const std::string who = describe(data, Entity::kJoint, j);
    const auto [linear, angular] = c.joint_dof_dim[j];
    if (!joint_type_exists(c.joint_type[j], c.joint_dof_dim[j]))
      fail(who, ": type ", c.joint_type[j], " with ", linear, " linear and ", angular, " angular axes does not exist");
    dofs += linear + angular;
    coords += joint_coord_count(static_cast<JointType>(c.joint_type[j]), {linear, angular});
    const int child = c.joint_child[j];
    if (child < 0 || joint_of[child] >= 0) fail(who, ": its child is missing or moved by another joint");
    if (c.body_world[child] != c.joint_world[j])
      fail(who, " of world ", c.joint_world[j], ": its child ", describe(data, Entity::kBody, child), " is global");
    joint_of[child] = j;
  }
  if (dofs != entity_count(c, Entity::kJointDof) || coords != entity_count(c, Entity::kJointCoord))
    fail("the joints have ", dofs, " degrees of freedom and ", coords, " coordinates, which does not fit the columns");

  // Every chain of parents ends at the world: walk up from each body, at most as often as there are bodies.
  std::vector<int> depth(c.body_mass.size(), -1);
  for (int body = 0; body < static_cast<int>(depth.size()); ++body) {
    std::vector<int> path;
    int at = body;
    while (at >= 0 && depth[at] < 0) {
      depth[at] = 0;
      path.push_back(at);
      at = joint_of[at] < 0 ? -1 : c.joint_parent[joint_of[at]];
      if (at >= 0 && depth[at] == 0)
        fail(describe(data, Entity::kBody, body), ": its joints form a cycle; close loops with an equality constraint");
    }
    for (const int b : path) depth[b] = 1;
    if ((c.body_flags[body] & kBodyKinematic) && joint_of[body] >= 0 && c.joint_parent[joint_of[body]] >= 0)
      fail_kinematic_child(describe(data, Entity::kBody, body),
                           describe(data, Entity::kBody, c.joint_parent[joint_of[body]]));
  }
}

// Joints of one articulation stand together, and each articulation has some.
void check_articulations(const ModelData& data) {
  const std::vector<int>& articulation = data.columns.joint_articulation;
  std::vector<char> has_joints(entity_count(data.columns, Entity::kArticulation), 0);
  for (int j = 0; j < static_cast<int>(articulation.size()); ++j) {
    if (articulation[j] < 0 || (j > 0 && articulation[j] == articulation[j - 1])) continue;
    if (has_joints[articulation[j]])
      fail(describe(data, Entity::kJoint, j), " stands apart from the other joints of ",
           describe(data, Entity::kArticulation, articulation[j]));
    has_joints[articulation[j]] = 1;
  }
  for (int a = 0; a < static_cast<int>(has_joints.size()); ++a)
    if (!has_joints[a]) fail(describe(data, Entity::kArticulation, a), " has no joints");
}

void check_driven(const ModelData& data, Entity entity, int row, int joint, int axis) {
  if (joint < 0) fail(describe(data, entity, row), ": acts on no joint and no tendon");
  if (const std::string why = why_not_driven(data, joint, axis); !why.empty())
    fail(describe(data, entity, row), ": ", why);
}

void check_equality_constraints(const ModelData& data) {
  const ModelColumns<Vector>& c = data.columns;
  for (int i = 0; i < static_cast<int>(c.equality_constraint_type.size()); ++i) {
    const std::string who = describe(data, Entity::kEqualityConstraint, i);
    const int type = c.equality_constraint_type[i];
    if (type < 0 || type > static_cast<int>(EqualityType::kTendon)) fail(who, ": type ", type, " does not exist");
    if (type == static_cast<int>(EqualityType::kTendon) && c.equality_constraint_tendon1[i] < 0)
      fail(who, ": couples tendons, but equality_constraint_tendon1 is -1");
    if (type != static_cast<int>(EqualityType::kJoint)) continue;
    if (c.equality_constraint_joint1[i] < 0) fail(who, ": couples joints, but equality_constraint_joint1 is -1");
    check_driven(data, Entity::kEqualityConstraint, i, c.equality_constraint_joint1[i], c.equality_constraint_axis1[i]);
    if (c.equality_constraint_joint2[i] >= 0)
      check_driven(data, Entity::kEqualityConstraint, i, c.equality_constraint_joint2[i],
                   c.equality_constraint_axis2[i]);
  }
}

// The rows of a tendon stand together, in the order of the tendons, so that one pass finds where each begins.
void check_tendon_joints(const ModelData& data, std::vector<char>& runs) {
  const ModelColumns<Vector>& c = data.columns;
  int last = -1;
  std::set<Index2> axes;  // of the current tendon
  for (int i = 0; i < entity_count(c, Entity::kTendonJoint); ++i) {
    const int tendon = c.tendon_joint_tendon[i];
    if (tendon < 0) fail(describe(data, Entity::kTendonJoint, i), ": belongs to no tendon");
    check_driven(data, Entity::kTendonJoint, i, c.tendon_joint_joint[i], c.tendon_joint_axis[i]);
    if (tendon != last) axes.clear();
    if (tendon < last)
      fail(describe(data, Entity::kTendonJoint, i), " of ", describe(data, Entity::kTendon, tendon),
           " stands out of order; the rows of a tendon follow each other");
    if (!axes.insert({c.tendon_joint_joint[i], c.tendon_joint_axis[i]}).second)
      fail(describe(data, Entity::kTendon, tendon), ": runs twice over axis ", c.tendon_joint_axis[i], " of ",
           describe(data, Entity::kJoint, c.tendon_joint_joint[i]));
    last = tendon;
    runs[tendon] = 1;
  }
}

void check_tendon_points(const ModelData& data, std::vector<char>& runs) {
  const ModelColumns<Vector>& c = data.columns;
  const int count = entity_count(c, Entity::kTendonPoint);
  for (int i = 0; i < count;) {
    const int tendon = c.tendon_point_tendon[i], first = i;
    const std::string who = describe(data, Entity::kTendonPoint, i);
    if (tendon < 0) fail(who, ": belongs to no tendon");
    if (runs[tendon])
      fail(who, " of ", describe(data, Entity::kTendon, tendon),
           " stands out of order, or runs over joints, too; the rows of a tendon follow each other");
    if (i > 0 && tendon < c.tendon_point_tendon[i - 1])
      fail(who, " of ", describe(data, Entity::kTendon, tendon), " stands out of order");
    for (; i < count && c.tendon_point_tendon[i] == tendon; ++i)
      if (!(c.tendon_point_divisor[i] > 0)) fail(who, ": divisor must be positive, is ", c.tendon_point_divisor[i]);
    if (const std::string why = why_not_a_path(std::span(c.tendon_point_type).subspan(first, i - first)); !why.empty())
      fail(describe(data, Entity::kTendon, tendon), ": ", why);
    runs[tendon] = 1;
  }
}

void check_tendons(const ModelData& data) {
  std::vector<char> runs(entity_count(data.columns, Entity::kTendon), 0);  // over something
  check_tendon_joints(data, runs);
  check_tendon_points(data, runs);
  for (std::size_t t = 0; t < runs.size(); ++t)
    if (!runs[t]) fail(describe(data, Entity::kTendon, static_cast<int>(t)), " has no joints and no points");
}

bool is_turned(const ModelData& data, int joint) {
  return joint >= 0 && turns_at_once(static_cast<JointType>(data.columns.joint_type[joint]));
}

bool can_be_turned(const ModelColumns<Vector>& c, int actuator) {
  const auto target = static_cast<ActuatorTarget>(c.actuator_target[actuator]);
  if (target == ActuatorTarget::kSite) return c.actuator_has_reference[actuator] != 0;
  const int joint = c.actuator_joint[actuator];
  return target == ActuatorTarget::kJoint && joint >= 0 && c.joint_type[joint] == static_cast<int>(JointType::kBall);
}

void check_actuators(const ModelData& data) {
  const ModelColumns<Vector>& c = data.columns;
  for (int i = 0; i < entity_count(c, Entity::kActuator); ++i) {
    const std::string who = describe(data, Entity::kActuator, i);
    if (c.actuator_tendon[i] >= 0 && c.actuator_joint[i] >= 0)
      fail(who, ": drives a joint and pulls a tendon; it can do one of both");
    const auto known = [&](const char* what, int value, int last) {
      if (value < 0 || value > last) fail(who, ": ", what, " ", value, " does not exist");
    };
    known("target", c.actuator_target[i], static_cast<int>(ActuatorTarget::kBody));
    known("law", c.actuator_law[i], static_cast<int>(ActuatorLaw::kOrientation));
    known("dynamics", c.actuator_dynamics[i], static_cast<int>(ActuatorDynamics::kMuscle));
    known("input", c.actuator_inputs[i], 2 * kInputQuaternion - 1);
    known("interpolation", c.actuator_interpolation[i], static_cast<int>(Interpolation::kCubic));
    if (c.actuator_delay_samples[i] < 0 || c.actuator_delay_samples[i] > kMostDelaySamples)
      fail(who, ": has ", c.actuator_delay_samples[i], " delay_samples; give 0 to ", kMostDelaySamples);
    known("state", c.actuator_states[i], (1 << kActuatorStates) - 1);
    const ActuatorTarget target = static_cast<ActuatorTarget>(c.actuator_target[i]);
    if ((c.actuator_tendon[i] >= 0) != (target == ActuatorTarget::kTendon))
      fail(who, ": its target and actuator_tendon ", c.actuator_tendon[i], " do not go together");
    if (c.actuator_law[i] == static_cast<int>(ActuatorLaw::kOrientation) && !can_be_turned(c, i))
      fail(who, ": an orientation turns a ball joint, or a site against a reference");
    if (target == ActuatorTarget::kJoint && !is_turned(data, c.actuator_joint[i]))
      check_driven(data, Entity::kActuator, i, c.actuator_joint[i], c.actuator_axis[i]);
  }
}

// One row for each pid controller and DC motor, in their order, and as many controls as they have inputs.
void check_controllers(const ModelData& data) {
  const ModelColumns<Vector>& c = data.columns;
  std::int64_t controls = 0, history = 0;
  int next = 0;
  for (int i = 0; i < entity_count(c, Entity::kActuator); ++i) {
    controls += actuator_ctrl_count(c, i);
    history += actuator_history_count(c, i);
    if (!has_controller(c.actuator_law[i])) {
      const bool turns = c.actuator_law[i] == static_cast<int>(ActuatorLaw::kOrientation);
      const bool is_input =
          c.actuator_inputs[i] == kInputPosition || (turns && c.actuator_inputs[i] == kInputQuaternion);
      if (!is_input || c.actuator_states[i] != 0)
        fail(describe(data, Entity::kActuator, i), ": inputs or states that its law does not have");
    } else if (next == entity_count(c, Entity::kController) || c.controller_actuator[next++] != i) {
      fail(describe(data, Entity::kActuator, i), ": has no controller, or controllers stand out of order");
    }
  }
  if (next != entity_count(c, Entity::kController)) fail("there are more controllers than actuators that have one");
  if (history > std::numeric_limits<int>::max())
    fail("delay_samples of all actuators ask for ", history, " numbers, more than the 2^31 - 1 that a state can hold");
  if (controls != entity_count(c, Entity::kCtrl))
    fail("the actuators have ", controls, " inputs, which does not fit actuator_ctrl_lower");
}

void check_sensors(const ModelData& data) {
  std::int64_t memory = 0;
  for (int s = 0; s < entity_count(data.columns, Entity::kSensor); ++s) {
    if (const std::string why = why_no_sensor(data, s); !why.empty())
      fail(describe(data, Entity::kSensor, s), ": ", why);
    memory += sensor_memory(data.columns, s, data.options.sleep).size();
  }
  if (memory > std::numeric_limits<int>::max())
    fail("samples of all sensors ask for ", memory, " numbers, more than the 2^31 - 1 that a state can hold");
}

}  // namespace

void validate(const ModelData& data) {
  if (data.world_key_id.size() != data.world_gravity.size()) fail("each world has one gravity and one key");
  check_options(data.options);
  check_columns(data);
  check_world_order(data);
  check_same_world(data);
  check_sources(data);
  check_joints(data);
  check_articulations(data);
  check_equality_constraints(data);
  check_tendons(data);
  check_actuators(data);
  check_controllers(data);
  check_sensors(data);
}

}  // namespace carom::inline CAROM_PRECISION
