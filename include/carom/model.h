// Model: the frozen description of all worlds, as flat arrays on one device, grouped by world.
//
// Global entities (world -1) stand at the front and at the back of each array, worlds 0, 1, 2, ... between them.
// An array `x_world_start` has world_count + 2 entries: where each world begins, where the globals at the back begin,
// and the total. Copies of a Model share all of it.
//
// A Model is frozen: its structure stays, and its numbers change inside of an edit alone. Whoever uses the model
// notices at its next call.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "carom/array.h"
#include "carom/columns.h"
#include "carom/queue.h"
#include "carom/state.h"

namespace carom::inline CAROM_PRECISION {

class ModelBuilder;

// Geometry that shapes share; the empty alternative stands for "none".
using ShapeSource = std::variant<std::monostate, std::shared_ptr<const Mesh>, std::shared_ptr<const Heightfield>,
                                 std::shared_ptr<const SDF>>;

// Names, each stored once. Entities carry the number of their name, -1 for none.
class KeyTable {
 public:
  int intern(const std::string& name);
  int find(const std::string& name) const;  // -1 = unknown
  const std::string& name(int id) const { return names_[id]; }
  int size() const { return static_cast<int>(names_.size()); }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, int> index_;
};

// Everything that a model is made from: what a ModelBuilder collects and a model file holds.
struct ModelData {
  ModelColumns<Vector> columns;
  std::vector<ShapeSource> shape_sources;
  std::vector<Index2> shape_collision_filter_pairs;  // (a, b) with a < b
  std::vector<Vec3> world_gravity;                   // [m/s^2]; as long as there are worlds
  ModelOptions options;
  Axis up_axis = Axis::kZ;
  std::vector<int> world_key_id;
  KeyTable keys;
};

// One joint of a kinematic tree, with indices relative to its world.
struct TreeJoint {
  int joint;  // joint in the world
  JointType type;
  int parent;           // body in the world; -1 = the world frame; <= -2: global body -2 - parent
  int child;            // body in the world
  int q, qd;            // first coordinate, first degree of freedom in the world
  int linear, angular;  // degrees of freedom
};

// What worlds of one archetype have in common. Joints are sorted by their depth, parents before children.
struct Archetype {
  std::vector<int> world_list;         // its worlds, ascending; {-1} for the global entities
  Array<int> worlds;                   // the same, on the model's device
  Array<TreeJoint> tree;               // on the model's device
  Array<int> level_start_device;       // level_start below, on the model's device
  Array<int> loose_bodies;             // bodies that no joint moves; on the model's device
  std::vector<TreeJoint> tree_joints;  // the same, on the host
  std::vector<int> level_start;        // joints of depth d: [level_start[d], level_start[d + 1])
  std::vector<int> tree_of_joint;      // connected trees are numbered from 0; solvers treat each as one articulation
  int tree_count = 0;
  bool shared_kinematics = false;  // joint frames, axes and centres of mass are the same in all its worlds
};

// The archetypes of a model; they may become others when it is edited.
class Archetypes {
 public:
  using Iterator = std::vector<Archetype>::const_iterator;
  Iterator begin() const { return list_->begin(); }
  Iterator end() const { return list_->end(); }
  std::size_t size() const { return list_->size(); }
  const Archetype& operator[](std::size_t i) const { return (*list_)[i]; }
  void replace(std::vector<Archetype> list) const { *list_ = std::move(list); }

 private:
  std::shared_ptr<std::vector<Archetype>> list_ = std::make_shared<std::vector<Archetype>>();
};

// What an edit of a model may change: copies of its arrays, on its device. Structure is here to be read.
struct ModelNumbers : ModelColumns<Array> {
  Array<Vec3> gravity;                         // per world, then of the globals [m/s^2]
  Array<Index2> shape_collision_filter_pairs;  // (a, b) with a < b
};

// The worlds in which an edit wrote other numbers to one column; "gravity" is among them.
struct ColumnChange {
  std::string_view column;
  std::vector<int> worlds;  // ascending, -1 = the globals; empty for shape_collision_filter_pairs
};

inline constexpr int kAnyWorld = -2;

struct Model : ModelColumns<Array> {
  Device device;
  Axis up_axis = Axis::kZ;  // as the builder had it
  ModelOptions options;     // likewise
  int world_count = 0;
  int particle_count = 0, body_count = 0, shape_count = 0, contact_pair_count = 0, joint_count = 0,
      articulation_count = 0, equality_constraint_count = 0, spring_count = 0, tri_count = 0, edge_count = 0,
      tet_count = 0, tendon_count = 0, tendon_joint_count = 0, tendon_point_count = 0, actuator_count = 0,
      controller_count = 0, sensor_count = 0;
  int joint_dof_count = 0, joint_coord_count = 0, joint_constraint_count = 0, ctrl_count = 0, act_count = 0,
      ctrl_history_count = 0, sensor_memory_count = 0;

  // -- Where each world begins.
  Array<int> particle_world_start, body_world_start, shape_world_start, contact_pair_world_start, joint_world_start,
      articulation_world_start, equality_constraint_world_start, spring_world_start, tri_world_start, edge_world_start,
      tet_world_start, tendon_world_start, tendon_joint_world_start, tendon_point_world_start, actuator_world_start,
      controller_world_start, ctrl_world_start, act_world_start, ctrl_history_world_start, sensor_world_start,
      sensor_memory_world_start;
  Array<int> joint_dof_world_start, joint_coord_world_start, joint_constraint_world_start;

  // -- Worked out by finalize(), and again when an edit ends.
  Array<Real> body_inv_mass;           // [1/kg], 0 for kinematic and massless bodies
  Array<Mat33> body_inv_inertia;       // [1/(kg m^2)], body axes
  Array<std::int32_t> body_asleep;     // of a new State, where options.sleep is set
  Array<Transform> joint_X_c_inv;      // X_JC, inverse of joint_X_c [m, quaternion xyzw]
  Array<Real> shape_collision_radius;  // about the shape's origin [m]
  Array<Vec3> shape_collision_aabb_lower, shape_collision_aabb_upper;          // in the shape's frame [m]
  Array<int> body_joint;                                                       // joint that moves the body, -1 = none
  Array<int> joint_q_start, joint_qd_start;                                    // joint_count + 1 entries
  Array<int> actuator_ctrl_start, actuator_act_start, actuator_history_start;  // actuator_count + 1 entries
  Array<int> sensor_memory_start;                                              // sensor_count + 1 entries
  Array<int> articulation_start, articulation_end;                             // first joint, one past the last joint
  Array<Vec3> gravity;                                                         // per world, then of the globals [m/s^2]
  Array<Index2> shape_collision_filter_pairs;                                  // explicit pairs that never touch
  Array<std::uint64_t> joint_frames;  // hash of each joint's frames and axes and of the centres of mass at either end

  std::vector<ShapeSource> shape_sources;
  Archetypes archetypes;  // the globals, if they have bodies, come first
  std::shared_ptr<const KeyTable> keys;
  std::vector<int> world_key_id;
  std::shared_ptr<const WorldLayout> layout;

  int num_bodies() const { return body_count; }  // the word of the worlds document

  State state() const;
  Control control() const;
  void reset(State& state, std::span<const std::uint8_t> mask = {}) const;  // chosen worlds back to the initial state
  // Brings body poses and joint coordinates of a state in line. Where a joint's coordinates or velocities were written
  // since they were in line, they count; where those of the body that it moves were written alone, the joint follows
  // the body as far as it can. Bodies that were not written are carried along. Solvers, collisions and queries begin
  // with it.
  void align(const State& state) const;

  // Index of the entity with this key. Throws Error for an unknown key, and when several worlds have it and none
  // is named.
  int find_particle(const std::string& key, int world = kAnyWorld) const;
  int find_body(const std::string& key, int world = kAnyWorld) const;
  int find_shape(const std::string& key, int world = kAnyWorld) const;
  int find_joint(const std::string& key, int world = kAnyWorld) const;
  int find_articulation(const std::string& key, int world = kAnyWorld) const;
  int find_equality_constraint(const std::string& key, int world = kAnyWorld) const;
  int find_tendon(const std::string& key, int world = kAnyWorld) const;
  int find_actuator(const std::string& key, int world = kAnyWorld) const;
  int find_sensor(const std::string& key, int world = kAnyWorld) const;
  int find_world(const std::string& key) const;
  // Key of an entity; one that was given none is called by its kind and place in its world: "body_3".
  std::string key(Entity entity, int index) const;
  std::string world_key(int world) const;
  // What ModelBuilder::set_custom() gave a row, empty = nothing.
  std::string custom(Entity entity, int index) const;

  // One world's part of every column; the same memory. Indices in it are those of the whole model.
  ModelColumns<Array> world(int world) const;

  // Changes numbers, all or nothing: model.edit([](ModelNumbers& n) { n.body_mass[0] = 2; }). What `change` wrote is
  // checked by the rules of ModelBuilder. Throws Error naming column, row and key; then the model is as it was.
  void edit(const std::function<void(ModelNumbers&)>& change) const;
  void set_gravity(Vec3 gravity, int world = kAnyWorld) const;  // kAnyWorld: everywhere; -1: of the globals

  // Another number after each edit. What was worked out from the model before is out of date then.
  std::int64_t generation() const { return edits->generation; }
  // What changed since a generation; a column may be named more than once. Empty when that is not known: after very
  // many edits, and of numbers that somebody changed past an edit.
  std::optional<std::vector<ColumnChange>> changes_since(std::int64_t generation) const;

  void save(const std::string& path) const;  // see io/native

  struct Edits {
    std::int64_t generation = 0;
    bool is_open = false;  // an edit has begun and not ended
    struct Change {
      std::int64_t generation;  // that it led to
      std::vector<ColumnChange> columns;
    };
    std::vector<Change> recent;  // the last edits, in their order

    void remember(std::vector<ColumnChange> columns);  // of the edit that led to `generation`
  };
  std::shared_ptr<Edits> edits = std::make_shared<Edits>();
};

// An edit in steps: begin, write to `numbers`, finish. Model::edit() is the short way.
class ModelEdit {
 public:
  explicit ModelEdit(const Model& model);  // throws Error when the model is being edited already
  ~ModelEdit();                            // without finish() nothing changes
  ModelEdit(const ModelEdit&) = delete;
  ModelEdit& operator=(const ModelEdit&) = delete;

  ModelNumbers numbers;
  void finish();  // as Model::edit(); called once

 private:
  Model model_;
};

// Reads what Model::save() wrote. Throws Error for files that are truncated, damaged, of another kind or version.
Model load(const std::string& path, Device device = {});

}  // namespace carom::inline CAROM_PRECISION
