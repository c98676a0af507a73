// Freezing collected data into a Model, in the order of the calls in make_model().
#include "model/finalize.h"

#include "base/fail.h"
#include "model/derived.h"
#include "model/entities.h"
#include "model/joints/joints.kernel.h"
#include "model/sensor_rows.h"
#include "model/validate.h"

namespace carom::inline CAROM_PRECISION {

namespace {

void copy_columns(Model& model, const ModelData& data, Real rigid_contact_margin) {
  visit_columns([&](const ColumnInfo&, auto get) {
    auto& array = get(static_cast<ModelColumns<Array>&>(model));
    const auto& values = get(data.columns);
    array = std::remove_cvref_t<decltype(array)>(std::span(values), model.device);
  });
  std::vector<Real> margin = data.columns.shape_contact_margin;
  std::vector<Real> gap = data.columns.shape_gap;
  for (std::size_t s = 0; s < margin.size(); ++s) {
    const bool is_default = margin[s] != margin[s];
    if (is_default) margin[s] = rigid_contact_margin;
    if (gap[s] != gap[s]) gap[s] = margin[s];
    // Contacts that push from a depth on are asked for by giving both.
    if (is_default && gap[s] > margin[s])
      fail(describe(data, Entity::kShape, static_cast<int>(s)), ": gap ", gap[s], " is larger than its contact_margin ",
           margin[s], "; give a contact_margin, too");
  }
  model.shape_contact_margin = Array<Real>(std::span<const Real>(margin), model.device);
  model.shape_gap = Array<Real>(std::span<const Real>(gap), model.device);
}

void set_counts(Model& model, const ModelColumns<Vector>& columns) {
  const auto count = [&](Entity entity) { return entity_count(columns, entity); };
  model.particle_count = count(Entity::kParticle);
  model.body_count = count(Entity::kBody);
  model.shape_count = count(Entity::kShape);
  model.joint_count = count(Entity::kJoint);
  model.articulation_count = count(Entity::kArticulation);
  model.contact_pair_count = count(Entity::kContactPair);
  model.equality_constraint_count = count(Entity::kEqualityConstraint);
  model.spring_count = count(Entity::kSpring);
  model.tri_count = count(Entity::kTriangle);
  model.edge_count = count(Entity::kEdge);
  model.tet_count = count(Entity::kTetrahedron);
  model.tendon_count = count(Entity::kTendon);
  model.tendon_joint_count = count(Entity::kTendonJoint);
  model.tendon_point_count = count(Entity::kTendonPoint);
  model.actuator_count = count(Entity::kActuator);
  model.controller_count = count(Entity::kController);
  model.sensor_count = count(Entity::kSensor);
  model.ctrl_count = count(Entity::kCtrl);
  model.joint_dof_count = count(Entity::kJointDof);
  model.joint_coord_count = count(Entity::kJointCoord);
}

// Running sums over the joints: where the coordinates, degrees of freedom and constraints of each joint begin.
struct JointStarts {
  std::vector<int> q{0}, qd{0}, constraint{0};
};

JointStarts joint_starts(const ModelColumns<Vector>& c) {
  JointStarts starts;
  for (std::size_t j = 0; j < c.joint_type.size(); ++j) {
    const JointType type = static_cast<JointType>(c.joint_type[j]);
    const auto [linear, angular] = c.joint_dof_dim[j];
    starts.q.push_back(starts.q.back() + joint_coord_count(type, {linear, angular}));
    starts.qd.push_back(starts.qd.back() + linear + angular);
    starts.constraint.push_back(starts.constraint.back() + joint_constraint_count(type, {linear, angular}));
  }
  return starts;
}

// The same over the actuators.
struct ActuatorStarts {
  std::vector<int> ctrl{0}, act{0}, history{0};
};

ActuatorStarts actuator_starts(const ModelColumns<Vector>& c) {
  ActuatorStarts starts;
  for (int a = 0; a < entity_count(c, Entity::kActuator); ++a) {
    starts.ctrl.push_back(starts.ctrl.back() + actuator_ctrl_count(c, a));
    starts.act.push_back(starts.act.back() + actuator_act_count(c, a));
    starts.history.push_back(starts.history.back() + actuator_history_count(c, a));
  }
  return starts;
}

// The same over the sensors: where what each remembers begins.
std::vector<int> sensor_memory_starts(const ModelColumns<Vector>& c, bool sleeps) {
  std::vector<int> starts{0};
  for (int s = 0; s < entity_count(c, Entity::kSensor); ++s)
    starts.push_back(starts.back() + sensor_memory(c, s, sleeps).size());
  return starts;
}

// worlds: the world of each entity, -1 at the front and the back. Returns world_count + 2 starts.
std::vector<int> world_starts(const std::vector<int>& worlds, int world_count) {
  const int total = static_cast<int>(worlds.size());
  std::vector<int> start(world_count + 2, total);
  int row = 0;
  while (world_count > 0 && row < total && worlds[row] < 0) ++row;
  for (int world = 0; world < world_count; ++world) {
    start[world] = row;
    while (row < total && worlds[row] == world) ++row;
  }
  if (world_count > 0) start[world_count] = row;
  // Without worlds everything is global and stands "at the back".
  if (world_count == 0) start[0] = 0;
  return start;
}

// The same starts counted in coordinates, degrees of freedom or constraints instead of joints, and so on.
std::vector<int> translated(const std::vector<int>& starts, const std::vector<int>& first_of_each) {
  std::vector<int> result;
  for (const int row : starts) result.push_back(first_of_each[row]);
  return result;
}

void set_layout(Model& model, const ModelData& data, const JointStarts& joints, const ActuatorStarts& actuators) {
  const auto to_device = [&](const std::vector<int>& v) { return Array<int>(std::span<const int>(v), model.device); };
  auto layout = std::make_shared<WorldLayout>();
  layout->device = model.device;
  layout->world_count = model.world_count;
  layout->sleeps = model.options.sleep;
  for (const int type : data.columns.sensor_type)
    layout->feels_jumps = layout->feels_jumps || measures_acceleration(static_cast<SensorType>(type));
  for (const std::vector<Real>* const yields : {&data.columns.joint_spring_yield, &data.columns.tendon_spring_yield})
    for (const Real yield : *yields) layout->springs_yield = layout->springs_yield || yield > 0;
  const auto start = [&](Entity entity) -> std::vector<int>& { return layout->start[static_cast<int>(entity)]; };
  Array<int>* const device_starts[kEntityCount] = {&model.particle_world_start,
                                                   &model.body_world_start,
                                                   &model.shape_world_start,
                                                   &model.contact_pair_world_start,
                                                   &model.joint_world_start,
                                                   &model.articulation_world_start,
                                                   &model.equality_constraint_world_start,
                                                   &model.spring_world_start,
                                                   &model.tri_world_start,
                                                   &model.edge_world_start,
                                                   &model.tet_world_start,
                                                   &model.tendon_world_start,
                                                   &model.tendon_joint_world_start,
                                                   &model.tendon_point_world_start,
                                                   &model.actuator_world_start,
                                                   &model.joint_dof_world_start,
                                                   &model.joint_coord_world_start,
                                                   &model.controller_world_start,
                                                   &model.ctrl_world_start,
                                                   &model.act_world_start,
                                                   &model.ctrl_history_world_start,
                                                   &model.sensor_world_start,
                                                   &model.sensor_memory_world_start};
  visit_columns([&](const ColumnInfo& info, auto get) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(get(model))>, Array<int>>) {
      if (info.refers != Refers::kWorld) return;
      start(info.entity) = world_starts(get(data.columns), model.world_count);
    }
  });
  start(Entity::kJointDof) = translated(start(Entity::kJoint), joints.qd);
  start(Entity::kJointCoord) = translated(start(Entity::kJoint), joints.q);
  start(Entity::kCtrl) = translated(start(Entity::kActuator), actuators.ctrl);
  start(Entity::kAct) = translated(start(Entity::kActuator), actuators.act);
  start(Entity::kCtrlHistory) = translated(start(Entity::kActuator), actuators.history);
  const std::vector<int> sensor_memory = sensor_memory_starts(data.columns, model.options.sleep);
  start(Entity::kSensorMemory) = translated(start(Entity::kSensor), sensor_memory);
  model.sensor_memory_start = to_device(sensor_memory);
  model.sensor_memory_count = sensor_memory.back();
  for (int e = 0; e < kEntityCount; ++e) *device_starts[e] = layout->world_start[e] = to_device(layout->start[e]);
  model.joint_constraint_world_start = to_device(translated(start(Entity::kJoint), joints.constraint));
  model.joint_constraint_count = joints.constraint.back();
  model.joint_q_start = to_device(joints.q);
  model.joint_qd_start = to_device(joints.qd);
  model.actuator_ctrl_start = to_device(actuators.ctrl);
  model.actuator_act_start = to_device(actuators.act);
  model.actuator_history_start = to_device(actuators.history);
  model.act_count = actuators.act.back();
  model.ctrl_history_count = actuators.history.back();
  model.layout = std::move(layout);
}

void set_joints(Model& model, const ModelColumns<Vector>& columns) {
  std::vector<int> body_joint(model.body_count, -1);
  for (int j = 0; j < model.joint_count; ++j) body_joint[columns.joint_child[j]] = j;
  model.body_joint = Array<int>(std::span<const int>(body_joint), model.device);
  std::vector<int> start(model.articulation_count + 1, model.joint_count), end(model.articulation_count, 0);
  for (int j = model.joint_count - 1; j >= 0; --j) {
    const int articulation = columns.joint_articulation[j];
    if (articulation < 0) continue;
    start[articulation] = j;
    end[articulation] = std::max(end[articulation], j + 1);
  }
  model.articulation_start = Array<int>(std::span<const int>(start), model.device);
  model.articulation_end = Array<int>(std::span<const int>(end), model.device);
}

}  // namespace

Model make_model(const ModelData& data, const ModelOptions& options, Vec3 global_gravity, Real rigid_contact_margin,
                 Device device) {
  validate(data);
  Model model;
  model.device = device;
  model.up_axis = data.up_axis;
  model.options = options;
  model.world_count = static_cast<int>(data.world_gravity.size());
  copy_columns(model, data, rigid_contact_margin);
  set_counts(model, data.columns);
  const JointStarts joints = joint_starts(data.columns);
  set_layout(model, data, joints, actuator_starts(data.columns));
  set_joints(model, data.columns);

  std::vector<Vec3> gravity = data.world_gravity;
  gravity.push_back(global_gravity);
  model.gravity = Array<Vec3>(std::span<const Vec3>(gravity), device);
  model.shape_collision_filter_pairs =
      Array<Index2>(std::span<const Index2>(data.shape_collision_filter_pairs), device);
  model.shape_sources = data.shape_sources;
  model.keys = std::make_shared<const KeyTable>(data.keys);
  model.world_key_id = data.world_key_id;
  make_derived_arrays(model);
  bring_up_to_date(model);
  return model;
}

}  // namespace carom::inline CAROM_PRECISION
