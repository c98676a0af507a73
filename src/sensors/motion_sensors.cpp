#include "sensors/motion_sensors.h"

#include <algorithm>
#include <type_traits>

#include "backend/launch.h"
#include "base/fail.h"
#include "collide/shape_edits.h"
#include "model/host_model.h"
#include "model/sensor_rows.h"
#include "sensors/kernels.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// The kernel that answers a type of sensor.
enum class MotionFamily { kNone, kFrame, kJoint, kSubtree, kEnergy, kTouch, kInside, kClock };

MotionFamily family_of(SensorType type) {
  using enum SensorType;
  if (type == kTouch) return MotionFamily::kTouch;
  if ((type >= kAccelerometer && type <= kMagnetometer) || type == kCamProjection) return MotionFamily::kFrame;
  if (type >= kFramePos && type <= kFrameAngAcc) return MotionFamily::kFrame;
  if (type == kJointPos || type == kJointVel || type == kBallQuat || type == kBallAngVel || type == kJointLimitPos ||
      type == kJointLimitVel)
    return MotionFamily::kJoint;
  if (type >= kSubtreeCom && type <= kSubtreeAngMom) return MotionFamily::kSubtree;
  if (type == kInsideSite) return MotionFamily::kInside;
  if (type == kPotentialEnergy || type == kKineticEnergy) return MotionFamily::kEnergy;
  return type == kClock ? MotionFamily::kClock : MotionFamily::kNone;
}

bool needs_wrench(SensorType type) { return type == SensorType::kForce || type == SensorType::kTorque; }
bool needs_acceleration(SensorType type) { return needs_wrench(type) || measures_acceleration(type); }

// That have an inside and are all there is between their points.
bool is_compact_and_convex(ShapeType type) {
  using enum ShapeType;
  return type == kSphere || type == kCapsule || type == kEllipsoid || type == kCylinder || type == kBox ||
         type == kCone || type == kConvexHull;
}

// The shapes that have to be inside as a whole; none where the origin of the object is asked for.
std::vector<int> shapes_inside(const HostModel& host, const Array<int>& body_joint, int sensor) {
  const ModelColumns<Array>& c = host.column;
  const SensorObject object = static_cast<SensorObject>(c.sensor_object_type[sensor]);
  if (object == SensorObject::kFrame || c.sensor_data[sensor] == 0) return {};
  if (object == SensorObject::kShape || object == SensorObject::kSite) return {c.sensor_shape[sensor]};
  const int world = c.sensor_world[sensor], first = host.begin(Entity::kShape, world), root = c.sensor_body[sensor];
  const BodyTree tree{body_joint.data(), c.joint_parent.data()};
  std::vector<int> shapes;
  for (int s = first; s < first + host.count(Entity::kShape, world); ++s) {
    if (c.shape_flags[s] & kShapeIsSite) continue;
    const int body = c.shape_body[s];
    const bool whole = object == SensorObject::kSubtree;
    if (whole ? tree.hangs_on(body, root) : body == root) shapes.push_back(s);
  }
  return shapes;
}

std::string name_of(const HostModel& host, SensorType type, int sensor) {
  return text("sensor '", host.name(Entity::kSensor, sensor), "' (", sensor_type_name(type), ")");
}

// Throws Error for what cannot be answered.
void check_motion_sensor(const HostModel& host, SensorType type, int sensor) {
  const ModelColumns<Array>& c = host.column;
  const int world = c.sensor_world[sensor];
  if (needs_wrench(type) && c.sensor_body[sensor] < 0)
    fail(name_of(host, type, sensor), ": its frame is fixed to the world, which nothing carries; use one of a body");
  if (type != SensorType::kKineticEnergy) return;
  const int first = host.begin(Entity::kTendonPoint, world);
  for (int p = first; p < first + host.count(Entity::kTendonPoint, world); ++p)
    if (const int tendon = c.tendon_point_tendon[p]; c.tendon_armature[tendon] != 0)
      fail(name_of(host, type, sensor), ": tendon '", host.name(Entity::kTendon, tendon),
           "' runs through space and has an armature, whose energy is not measured; measure in a model without it");
}

void check_enclosed(const HostModel& host, int sensor, int shape) {
  const auto check = [&](int s) {
    if (is_compact_and_convex(static_cast<ShapeType>(host.column.shape_type[s]))) return;
    fail(name_of(host, SensorType::kInsideSite, sensor), ": shape '", host.name(Entity::kShape, s),
         "' is not compact and convex, so there is no telling how far it is inside as a whole; ask for a frame");
  };
  check(shape);
  check(host.column.sensor_reference_shape[sensor]);
}

}  // namespace

bool senses_motion(SensorType type) { return family_of(type) != MotionFamily::kNone; }

MotionSensors::MotionSensors(const Model& model) : model_(model) {
  const HostModel host(model);
  const auto rows = [&](MotionFamily family) {
    std::vector<int> sensors;
    for (int s = 0; s < model.sensor_count; ++s)
      if (family_of(static_cast<SensorType>(host.column.sensor_type[s])) == family) sensors.push_back(s);
    return sensors;
  };
  for (int s = 0; s < model.sensor_count; ++s) {
    const SensorType type = static_cast<SensorType>(host.column.sensor_type[s]);
    check_motion_sensor(host, type, s);
  }
  const auto on_device = [&](const std::vector<int>& list) {
    return Array<int>(std::span<const int>(list), model.device);
  };
  frames_ = on_device(rows(MotionFamily::kFrame));
  joints_ = on_device(rows(MotionFamily::kJoint));
  subtrees_ = on_device(rows(MotionFamily::kSubtree));
  energies_ = on_device(rows(MotionFamily::kEnergy));
  touches_ = on_device(rows(MotionFamily::kTouch));
  insides_ = on_device(rows(MotionFamily::kInside));
  clocks_ = on_device(rows(MotionFamily::kClock));
  list_enclosed(host, rows(MotionFamily::kInside));
  list_clocks(rows(MotionFamily::kClock));
  ask_for_bodies(host);
  plan_trees();
  generation_ = model.generation();
  // Frames look at accelerations whether or not they need them.
  acceleration_ = Array<SpatialVector>(frames_.size() > 0 ? model.body_count : 0, model.device);
  wrench_ = Array<SpatialVector>(carries_any_ ? model.body_count : 0, model.device);
}

// What a joint passes on is what all behind it needs; an acceleration begins at the root.
void MotionSensors::ask_for_bodies(const HostModel& host) {
  const ModelColumns<Array>& c = host.column;
  const Array<int> body_joint = model_.body_joint.on_cpu();
  const auto parent_of = [&](int body) { return body_joint[body] < 0 ? -1 : c.joint_parent[body_joint[body]]; };
  moves_.assign(model_.body_count, false), carries_.assign(model_.body_count, false);
  for (int s = 0; s < model_.sensor_count; ++s) {
    const SensorType type = static_cast<SensorType>(c.sensor_type[s]);
    if (c.sensor_body[s] < 0 || !needs_acceleration(type)) continue;
    moves_any_ = moves_[c.sensor_body[s]] = true;
    if (needs_wrench(type)) carries_any_ = carries_[c.sensor_body[s]] = true;
  }
  for (const Archetype& archetype : model_.archetypes)
    for (const int world : archetype.world_list) {
      const int first = world < 0 ? 0 : host.begin(Entity::kBody, world);
      for (const TreeJoint& joint : archetype.tree_joints)  // parents come first
        if (joint.parent >= 0 && carries_[first + joint.parent]) carries_[first + joint.child] = true;
    }
  for (int body = 0; body < model_.body_count; ++body)
    if (moves_[body] || carries_[body])
      for (int b = body; b >= 0 && (b == body || !moves_[b]); b = parent_of(b)) moves_[b] = true;
}

void MotionSensors::plan_trees() {
  trees_.clear();
  const std::vector<int>& start = model_.layout->start[static_cast<int>(Entity::kBody)];
  for (const Archetype& archetype : model_.archetypes) {
    // Worlds of one structure may have other sensors; what one of them asks for is found in all.
    const auto asked = [&](const std::vector<bool>& of, int body) {
      return std::any_of(archetype.world_list.begin(), archetype.world_list.end(),
                         [&](int world) { return of[(world < 0 ? 0 : start[world]) + body]; });
    };
    std::vector<TreeJoint> moved, joined;
    std::vector<int> loose, carried;
    const auto add_body = [&](int body) {
      if (asked(carries_, body)) carried.push_back(body);
    };
    for (const TreeJoint& joint : archetype.tree_joints) {
      if (asked(moves_, joint.child)) moved.push_back(joint);
      if (joint.parent >= 0 && asked(carries_, joint.parent)) joined.push_back(joint);
      add_body(joint.child);
    }
    for (const int body : archetype.loose_bodies.on_cpu()) {
      if (asked(moves_, body)) loose.push_back(body);
      add_body(body);
    }
    const auto on_device = [&](const auto& list) {
      return Array(std::span<const typename std::decay_t<decltype(list)>::value_type>(list), model_.device);
    };
    trees_.push_back({on_device(moved), on_device(loose), on_device(joined), on_device(carried)});
  }
}

void MotionSensors::list_enclosed(const HostModel& host, const std::vector<int>& sensors) {
  const Array<int> body_joint = model_.body_joint.on_cpu();
  std::vector<int> start{0}, shapes;
  for (const int s : sensors) {
    for (const int shape : shapes_inside(host, body_joint, s)) {
      check_enclosed(host, s, shape);
      shapes.push_back(shape);
    }
    start.push_back(static_cast<int>(shapes.size()));
  }
  enclosed_start_ = Array<int>(std::span<const int>(start), model_.device);
  enclosed_shape_ = Array<int>(std::span<const int>(shapes), model_.device);
  if (shapes.empty()) return;
  geometry_.emplace(model_, true);
}

void MotionSensors::list_clocks(const std::vector<int>& sensors) {
  const ModelColumns<Vector> columns = sensor_columns(model_);
  const Array<int> memory_start = model_.sensor_memory_start.on_cpu();
  std::vector<int> at;
  for (const int s : sensors) at.push_back(memory_start[s] + sensor_memory(columns, s, model_.layout->sleeps).readings);
  clock_at_ = Array<int>(std::span<const int>(at), model_.device);
}

// -- Views.

RowsOfWorlds MotionSensors::rows_of(Entity entity) const {
  return {model_.layout->world_start[static_cast<int>(entity)].data(), model_.world_count};
}

SensedBodies MotionSensors::bodies(const State& state) const {
  return {.X_WB = state.body_q.data(),
          .velocity = state.body_qd.data(),
          .acceleration = acceleration_.data(),
          .com = model_.body_com.data(),
          .mass = model_.body_mass.data(),
          .inertia = model_.body_inertia.data(),
          .gravity = model_.gravity.data(),
          .world_count = model_.world_count};
}

SensedShapes MotionSensors::shapes(const State& state) const {
  return {.type = model_.shape_type.data(),
          .body = model_.shape_body.data(),
          .X_BS = model_.shape_transform.data(),
          .scale = model_.shape_scale.data(),
          .geometry = geometry_ ? geometry_->shape_geometry().data : nullptr,
          .table = geometry_ ? geometry_->table() : nullptr,
          .X_WB = state.body_q.data()};
}

ContactsOfWorlds MotionSensors::contacts(const Contacts& c) const {
  return {.world_start = c.rigid_contact_world_start.data(),
          .shape0 = c.rigid_contact_shape0.data(),
          .shape1 = c.rigid_contact_shape1.data(),
          .point = c.rigid_contact_point.data(),
          .normal = c.rigid_contact_normal.data(),
          .force = c.rigid_contact_force.data(),
          .torque = c.rigid_contact_torque.data(),
          .shape_body = model_.shape_body.data(),
          .world_count = model_.world_count};
}

TiesOfWorlds MotionSensors::ties(const SolverForces& f) const {
  return {.rows = rows_of(Entity::kEqualityConstraint),
          .type = model_.equality_constraint_type.data(),
          .body1 = model_.equality_constraint_body1.data(),
          .body2 = model_.equality_constraint_body2.data(),
          .force = f.equality_force.empty() ? nullptr : f.equality_force.data(),
          .point1 = f.equality_point1.data(),
          .point2 = f.equality_point2.data()};
}

SensedJoints MotionSensors::joints(const State& state) const {
  return {.type = model_.joint_type.data(),
          .q_start = model_.joint_q_start.data(),
          .qd_start = model_.joint_qd_start.data(),
          .child = model_.joint_child.data(),
          .dof_dim = model_.joint_dof_dim.data(),
          .X_c = model_.joint_X_c.data(),
          .stiffness = model_.joint_stiffness.data(),
          .spring_ref = model_.joint_spring_ref.data(),
          .armature = model_.joint_armature.data(),
          .stiffness_poly = model_.joint_stiffness_poly.data(),
          .spring_shift = state.joint_spring_shift.size() > 0 ? state.joint_spring_shift.data() : nullptr,
          .q = state.joint_q.data(),
          .qd = state.joint_qd.data()};
}

SensedTendons MotionSensors::tendons(const SensedStep& step) const {
  const Array<RealN<2>>& shift = step.state.tendon_spring_shift;
  const Array<Real>& length = step.forces.tendon_length;
  return {.element_tendon = model_.tendon_joint_tendon.data(),
          .element_joint = model_.tendon_joint_joint.data(),
          .element_axis = model_.tendon_joint_axis.data(),
          .coef = model_.tendon_joint_coef.data(),
          .stiffness = model_.tendon_stiffness.data(),
          .spring_lower = model_.tendon_spring_lower.data(),
          .spring_upper = model_.tendon_spring_upper.data(),
          .armature = model_.tendon_armature.data(),
          .stiffness_poly = model_.tendon_stiffness_poly.data(),
          .spring_shift = shift.size() > 0 ? shift.data() : nullptr,
          .length = length.size() > 0 ? length.data() : nullptr};
}

// -- Launches.

// Archetypes may be others after an edit.
void MotionSensors::notice_edits() {
  if (generation_ == model_.generation()) return;
  plan_trees();
  if (geometry_ && shapes_were_edited(model_, generation_)) geometry_.emplace(model_, true);
  generation_ = model_.generation();
}

// What bodies do, archetype by archetype; global bodies come first, and may carry others.
void MotionSensors::send_trees(const Queue& queue, const SensedStep& step) {
  const State& state = step.state;
  for (std::size_t i = 0; i < trees_.size(); ++i) {
    if (trees_[i].moved.empty() && trees_[i].loose_bodies.empty()) continue;  // nobody asks
    const Array<int>& worlds = model_.archetypes[i].worlds;
    const auto tree_of = [&](const Array<TreeJoint>& joints) {
      return TreeOfWorlds{.worlds = worlds.const_view(),
                          .tree = joints.const_view(),
                          .loose_bodies = trees_[i].loose_bodies.const_view(),
                          .body_start = model_.body_world_start.data(),
                          .joint_start = model_.joint_world_start.data(),
                          .coord_start = model_.joint_coord_world_start.data(),
                          .dof_start = model_.joint_dof_world_start.data()};
    };
    launch(queue, static_cast<int>(worlds.size()),
           AccelerateBodies{.trees = tree_of(trees_[i].moved),
                            .bodies = bodies(state),
                            .joint_X_p = model_.joint_X_p.data(),
                            .joint_X_c = model_.joint_X_c.data(),
                            .joint_axis = model_.joint_axis.data(),
                            .joint_q = state.joint_q.data(),
                            .joint_qd = state.joint_qd.data(),
                            .joint_qdd = step.joint_qdd.data(),
                            .acceleration = acceleration_.data()});
    if (!carries_any_) continue;
    launch(queue, static_cast<int>(worlds.size()),
           FindWrenches{.trees = tree_of(trees_[i].joined),
                        .asked_bodies = trees_[i].carried.const_view(),
                        .bodies = bodies(state),
                        .body_world = model_.body_world.data(),
                        .body_f = state.body_f.data(),
                        .contacts = contacts(step.contacts),
                        .ties = ties(step.forces),
                        .wrench = wrench_.data()});
  }
}

void MotionSensors::send_frames(const Queue& queue, const SensedStep& step, const SensorOutput& out) {
  if (moves_any_) send_trees(queue, step);
  launch(queue, static_cast<int>(frames_.size()),
         SenseFrames{.sensor = frames_.data(),
                     .type = model_.sensor_type.data(),
                     .body = model_.sensor_body.data(),
                     .reference_body = model_.sensor_reference_body.data(),
                     .world = model_.sensor_world.data(),
                     .frame = model_.sensor_frame.data(),
                     .reference_frame = model_.sensor_reference_frame.data(),
                     .camera = model_.sensor_camera.data(),
                     .bodies = bodies(step.state),
                     .jumps = {step.state.body_jump.empty() ? nullptr : step.state.body_jump.data(), step.dt},
                     .wrench = wrench_.data(),
                     .magnetic = model_.options.magnetic,
                     .out = out});
}

void MotionSensors::send_joints(const Queue& queue, const State& state, const SensorOutput& out) const {
  launch(queue, static_cast<int>(joints_.size()),
         SenseJoints{.sensor = joints_.data(),
                     .type = model_.sensor_type.data(),
                     .joint = model_.sensor_joint.data(),
                     .axis = model_.sensor_axis.data(),
                     .joint_type = model_.joint_type.data(),
                     .joint_q_start = model_.joint_q_start.data(),
                     .joint_qd_start = model_.joint_qd_start.data(),
                     .limit_lower = model_.joint_limit_lower.data(),
                     .limit_upper = model_.joint_limit_upper.data(),
                     .limit_margin = model_.joint_limit_margin.data(),
                     .joint_q = state.joint_q.data(),
                     .joint_qd = state.joint_qd.data(),
                     .out = out});
}

void MotionSensors::send_sums(const Queue& queue, const SensedStep& step, const SensorOutput& out) const {
  const State& state = step.state;
  launch(queue, static_cast<int>(subtrees_.size()),
         SenseSubtrees{.sensor = subtrees_.data(),
                       .type = model_.sensor_type.data(),
                       .root = model_.sensor_body.data(),
                       .world = model_.sensor_world.data(),
                       .tree = {model_.body_joint.data(), model_.joint_parent.data()},
                       .body_rows = rows_of(Entity::kBody),
                       .bodies = bodies(state),
                       .out = out});
  launch(queue, static_cast<int>(energies_.size()),
         SenseEnergies{.sensor = energies_.data(),
                       .type = model_.sensor_type.data(),
                       .world = model_.sensor_world.data(),
                       .bodies = bodies(state),
                       .joints = joints(state),
                       .tendons = tendons(step),
                       .tree = {model_.body_joint.data(), model_.joint_parent.data()},
                       .body_rows = rows_of(Entity::kBody),
                       .joint_rows = rows_of(Entity::kJoint),
                       .tendon_rows = rows_of(Entity::kTendon),
                       .element_rows = rows_of(Entity::kTendonJoint),
                       .out = out});
}

void MotionSensors::send_sites(const Queue& queue, const SensedStep& step, const SensorOutput& out) const {
  launch(queue, static_cast<int>(touches_.size()),
         SenseTouch{.sensor = touches_.data(),
                    .site = model_.sensor_shape.data(),
                    .world = model_.sensor_world.data(),
                    .shapes = shapes(step.state),
                    .contacts = contacts(step.contacts),
                    .out = out});
  launch(queue, static_cast<int>(insides_.size()),
         SenseInside{.sensor = insides_.data(),
                     .site = model_.sensor_reference_shape.data(),
                     .body = model_.sensor_body.data(),
                     .own_shape = model_.sensor_shape.data(),
                     .shape_start = enclosed_start_.data(),
                     .frame = model_.sensor_frame.data(),
                     .shape = enclosed_shape_.data(),
                     .shapes = shapes(step.state),
                     .out = out});
}

void MotionSensors::send(const Queue& queue, const SensedStep& step, Real* values, const std::int64_t* value_at) {
  const SensorOutput out{values, value_at};
  notice_edits();
  send_frames(queue, step, out);
  send_joints(queue, step.state, out);
  send_sums(queue, step, out);
  send_sites(queue, step, out);
  launch(queue, static_cast<int>(clocks_.size()),
         SenseClocks{clocks_.data(), clock_at_.data(), step.dt, step.state.sensor_memory.data(), out});
}

}  // namespace carom::inline CAROM_PRECISION
