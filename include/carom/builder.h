// ModelBuilder: describes worlds entity by entity; finalize() freezes them into a Model.
//
// Entities added between begin_world() and end_world() belong to that world; those added before the first world or
// after the last one are global (world -1) and shared by all. Every method either does its whole job or throws
// carom::Error and leaves the builder as it was.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include "carom/columns.h"
#include "carom/model.h"
#include "carom/sensor_config.h"

namespace carom::inline CAROM_PRECISION {

class ModelBuilder {
 public:
  using ShapeConfig = carom::ShapeConfig;
  using JointDofConfig = carom::JointDofConfig;

  // up_axis: where add_ground_plane() puts its normal, and what replicate() does not centre its grid along. Without
  // gravity [m/s^2]: 9.81 downwards. Only builders with the same up_axis can be put together.
  ModelBuilder() : ModelBuilder(Axis::kZ) {}
  explicit ModelBuilder(Axis up_axis, std::optional<Vec3> gravity = {});
  Axis up_axis() const { return data_.up_axis; }

  // -- Defaults, used by what is added afterwards.
  ShapeConfig default_shape_cfg;
  JointDofConfig default_joint_cfg;
  Real default_particle_radius = Real(0.1);  // [m]
  TriangleConfig default_tri;
  EdgeConfig default_edge;
  SpringConfig default_spring;
  TetrahedronConfig default_tet;
  // Of worlds begun from here on, and of global entities [m/s^2]. Where it is not 9.81 downwards it travels with this
  // builder into the worlds that are made of it; otherwise they have that of the builder they are added to.
  Vec3 gravity;
  // Read by finalize(). A builder with options other than the defaults gives them to the one that it is added to; two
  // that differ cannot be put together.
  ModelOptions options;
  Real rigid_contact_margin = Real(0.005);  // contact_margin of shapes that set none; read by finalize() [m]

  // -- Worlds.
  int begin_world(const std::string& key = "", std::optional<Vec3> gravity = {});
  void end_world();
  int add_world(const ModelBuilder& builder, const AddArgs& args = {}, const std::string& key = "");
  void add_builder(const ModelBuilder& builder, const AddArgs& args = {});  // into the current world, or global
  void replicate(const ModelBuilder& builder, int count, Vec3 spacing = {});
  int current_world() const { return current_world_; }
  int world_count() const { return static_cast<int>(data_.world_gravity.size()); }

  // -- Bodies, joints, articulations.
  int add_body(const BodyArgs& args = {});  // a link with a free joint and an articulation of its own
  int add_link(const BodyArgs& args = {});
  int add_joint_free(int child, int parent = -1, const JointFrames& frames = {}, const JointDofConfig& dof = {});
  int add_joint_fixed(int parent, int child, const JointFrames& frames = {});
  int add_joint_revolute(int parent, int child, const JointDofConfig& dof, const JointFrames& frames = {});
  int add_joint_revolute(int parent, int child) { return add_joint_revolute(parent, child, default_joint_cfg); }
  int add_joint_prismatic(int parent, int child, const JointDofConfig& dof, const JointFrames& frames = {});
  int add_joint_prismatic(int parent, int child) { return add_joint_prismatic(parent, child, default_joint_cfg); }
  int add_joint_ball(int parent, int child, const JointDofConfig& dof, const JointFrames& frames = {});
  int add_joint_ball(int parent, int child) { return add_joint_ball(parent, child, default_joint_cfg); }
  int add_joint_universal(int parent, int child, const JointDofConfig& dof0, const JointDofConfig& dof1,
                          const JointFrames& frames = {});
  int add_joint_distance(int parent, int child, Real min_distance = -1, Real max_distance = 1,
                         const JointFrames& frames = {});  // a negative distance = no limit on that side
  int add_joint_d6(int parent, int child, const std::vector<JointDofConfig>& linear_axes,
                   const std::vector<JointDofConfig>& angular_axes, const JointFrames& frames = {});
  int add_articulation(std::span<const int> joints, const std::string& key = "");
  int add_articulation(std::initializer_list<int> joints, const std::string& key = "") {
    return add_articulation(std::span(joints.begin(), joints.size()), key);
  }
  // Initial coordinates [m], [rad] or quaternion xyzw. Until they are set they are zero and the identity, and of a free
  // joint those of its body's xform, which stays as it was given.
  void set_joint_q(int joint, std::span<const Real> q);
  void set_joint_qd(int joint, std::span<const Real> qd);  // initial velocities, zero until they are set
  // Where the springs of a joint are relaxed, one number for each degree of freedom; of free and ball joints the
  // orientation as a rotation vector [m] or [rad].
  void set_joint_spring_ref(int joint, std::span<const Real> spring_ref);

  // -- Shapes. Body -1 is the world.
  int add_ground_plane(Real height = 0, const ShapeArgs& args = {});  // infinite, normal along up_axis
  int add_shape_plane(int body, Real width = 0, Real length = 0,
                      const ShapeArgs& args = {});  // 0 = infinite, normal +z
  int add_shape_sphere(int body, Real radius = 1, const ShapeArgs& args = {});
  int add_shape_ellipsoid(int body, Real rx = 1, Real ry = Real(0.75), Real rz = Real(0.5), const ShapeArgs& args = {});
  int add_shape_box(int body, Real hx = Real(0.5), Real hy = Real(0.5), Real hz = Real(0.5),
                    const ShapeArgs& args = {});
  int add_shape_capsule(int body, Real radius = 1, Real half_height = Real(0.5), const ShapeArgs& args = {});
  int add_shape_cylinder(int body, Real radius = 1, Real half_height = Real(0.5), const ShapeArgs& args = {});
  int add_shape_cone(int body, Real radius = 1, Real half_height = Real(0.5), const ShapeArgs& args = {});
  int add_shape_mesh(int body, std::shared_ptr<const Mesh> mesh, Vec3 scale = {1, 1, 1}, const ShapeArgs& args = {});
  int add_shape_convex_hull(int body, std::shared_ptr<const Mesh> mesh, Vec3 scale = {1, 1, 1},
                            const ShapeArgs& args = {});  // of the mesh's vertices
  int add_shape_heightfield(std::shared_ptr<const Heightfield> heightfield, Vec3 scale = {1, 1, 1},
                            const ShapeArgs& args = {});  // always on body -1
  int add_shape_sdf(int body, std::shared_ptr<const SDF> sdf, Vec3 scale = {1, 1, 1}, const ShapeArgs& args = {});
  // A primitive shape, or the hull of a mesh.
  int add_site(int body, const Transform& xform = {}, ShapeType type = ShapeType::kSphere,
               Vec3 scale = {Real(0.01), Real(0.01), Real(0.01)}, const std::string& key = "", bool visible = false,
               const std::shared_ptr<const Mesh>& mesh = nullptr);
  void add_shape_collision_filter_pair(int shape_a, int shape_b);
  // The shapes touch whatever groups, masks and filters say, with these numbers in place of their own.
  int add_contact_pair(int shape_a, int shape_b, const ContactPairArgs& args = {});

  // -- Constraints between bodies, joints and tendons. Body -1 is the world.
  // anchor in body1, anchor2 in body2; not given: where the anchor is at the poses that the bodies have now [m].
  int add_equality_constraint_connect(int body1, int body2, Vec3 anchor = {}, const EqualityArgs& args = {},
                                      std::optional<Vec3> anchor2 = {});
  // anchor and axes in body2: the point that is held, and what its rotation is measured along.
  int add_equality_constraint_weld(int body1, int body2, Vec3 anchor = {}, Real torquescale = 1,
                                   const Transform& relpose = {}, const EqualityArgs& args = {}, Quat axes = {});
  // Of degrees of freedom with a coordinate of their own, as tendons; joint2 or tendon2 -1: q1 = c0.
  int add_equality_constraint_joint(int joint1, int joint2, RealN<5> polycoef = {0, 1, 0, 0, 0},
                                    const EqualityArgs& args = {}, int axis1 = 0, int axis2 = 0);
  int add_equality_constraint_tendon(int tendon1, int tendon2, RealN<5> polycoef = {0, 1, 0, 0, 0},
                                     const EqualityArgs& args = {});

  // -- Tendons and actuators. Fixed tendons run over degrees of freedom with a coordinate of their own: those of
  // prismatic, revolute and d6 joints.
  int add_tendon_fixed(std::span<const TendonJoint> joints, const TendonConfig& cfg = {}, const std::string& key = "");
  int add_tendon_fixed(std::initializer_list<TendonJoint> joints, const TendonConfig& cfg = {},
                       const std::string& key = "") {
    return add_tendon_fixed(std::span(joints.begin(), joints.size()), cfg, key);
  }
  int add_tendon_spatial(std::span<const TendonPoint> points, const TendonConfig& cfg = {},
                         const std::string& key = "");
  int add_tendon_spatial(std::initializer_list<TendonPoint> points, const TendonConfig& cfg = {},
                         const std::string& key = "") {
    return add_tendon_spatial(std::span(points.begin(), points.size()), cfg, key);
  }
  // Of ball and free joints: cfg.wrench in place of cfg.axis.
  int add_actuator(int joint, const ActuatorConfig& cfg = {}, const std::string& key = "");
  // reference: what it pushes against.
  int add_actuator_site(const BodyPose& site, const std::optional<BodyPose>& reference, const ActuatorConfig& cfg,
                        const std::string& key = "");
  // A rod of this length [m] pushes a slider, which runs along the z axis of its pose; crank: the rod's other end.
  int add_actuator_slider_crank(const BodyPose& crank, const BodyPose& slider, Real rod, const ActuatorConfig& cfg = {},
                                const std::string& key = "");
  // A positive force pulls the body and what touches it together.
  int add_actuator_body(int body, const ActuatorConfig& cfg = {}, const std::string& key = "");
  int add_actuator_tendon(int tendon, const ActuatorConfig& cfg = {}, const std::string& key = "");

  // -- Sensors. What each type looks at, and against what, is in docs/sensors.md.
  int add_sensor(SensorType type, const SensedObject& object, const SensedObject& reference = {},
                 const SensorConfig& cfg = {}, const std::string& key = "");
  // Contacts between two things: first is a shape, body, subtree or site, second a shape, body or subtree, and either
  // may be kNone: anything. Normals point from the first to the second, forces act on the second.
  int add_sensor_contact(const SensedObject& first, const SensedObject& second, const SensorConfig& cfg = {},
                         const std::string& key = "") {
    return add_sensor(SensorType::kContact, first, second, cfg, key);
  }

  // -- Particles and what is made of them.
  int add_particle(Vec3 pos, Vec3 vel, Real mass, Real radius = kNotSet, int flags = kParticleActive,
                   const std::string& key = "", int collision_group = 1);
  int add_spring(int i, int j, std::optional<SpringConfig> cfg = {});
  int add_triangle(int i, int j, int k, std::optional<TriangleConfig> cfg = {});
  int add_edge(int o0, int o1, int v1, int v2, std::optional<EdgeConfig> cfg = {}, Real rest = kNotSet);
  int add_tetrahedron(int i, int j, int k, int l, std::optional<TetrahedronConfig> cfg = {});
  void add_cloth_grid(const ClothGridArgs& args);
  void add_soft_grid(const SoftGridArgs& args);

  // -- What nobody here reads: properties that a file gives a body, shape, joint or articulation for its users.
  // A JSON object, empty = none; it travels with the row into copies, models and model files.
  void set_custom(Entity entity, int index, const std::string& json);
  std::string custom(Entity entity, int index) const;

  // -- The result.
  Model finalize(Device device = {}) const;

  // -- Reading back what was added.
  const ModelColumns<Vector>& columns() const { return data_.columns; }
  int count(Entity entity) const;
  std::string key(Entity entity, int index) const;
  // Rows of the current world, and global ones, with this key: one, that of the world before a global one, or all in
  // their order where '*' stands for any letters. Throws Error, with the keys that are near, where there are none.
  std::vector<int> find(Entity entity, const std::string& pattern) const;

 private:
  // Checks shared by the methods; each throws an Error that names the entity.
  void check_body(int body, const std::string& who) const;
  void check_joint(int joint, const std::string& who) const;
  void check_driven(int joint, int axis, const std::string& who) const;
  void check_tendon(int tendon, const std::string& who) const;
  void check_sensed(const SensedObject& object, const std::string& who) const;
  void check_particles(std::span<const int> particles, const std::string& who) const;
  void check_room(Entity entity, std::int64_t more) const;
  int claim_key(Entity entity, const std::string& key);
  void all_or_nothing(const std::function<void()>& add);  // takes back the rows that add() appended before it threw

  int add_joint(JointType type, int parent, int child, std::span<const JointDofConfig> linear,
                std::span<const JointDofConfig> angular, const JointFrames& frames);
  void append_joint_coordinates(JointType type, int dof_count, int child);
  void set_dofs(int joint, std::span<const Real> numbers, std::vector<Real>& column, const std::string& who,
                const char* name);
  int add_shape(int body, ShapeType type, Vec3 scale, const ShapeArgs& args, const ShapeSource& source = {});
  int append_shape(int body, ShapeType type, Vec3 scale, const ShapeSource& source, const Transform& xform,
                   const ShapeConfig& cfg, int flags, int key_id);
  int add_equality_constraint(EqualityType type, const EqualityArgs& args, const std::string& who);
  int append_tendon(const TendonConfig& cfg, const std::string& who, const std::string& key);
  // What an actuator acts on.
  struct ActuatorEnds {
    int joint = -1, tendon = -1;
    BodyPose site{};
    std::optional<BodyPose> reference{};
    Real rod = 0;
  };
  bool turns_something(ActuatorTarget target, const ActuatorEnds& ends) const;  // a ball joint, or a site against one
  int append_actuator(ActuatorTarget target, const ActuatorEnds& ends, const ActuatorConfig& cfg,
                      const std::string& key);
  void append_controller(int actuator, const ActuatorConfig& cfg);  // its inputs, too
  int intern_source(const ShapeSource& source);
  void append_cloth_grid(const ClothGridArgs& args, const Transform& X);
  void append_soft_grid(const SoftGridArgs& args, const Transform& X);
  void take_options(const ModelBuilder& other);
  std::optional<Vec3> own_gravity() const;  // where it is not the default
  void check_addable(const ModelBuilder& other, std::int64_t copies, const AddArgs& args, const char* who) const;
  void append_copies(const ModelBuilder& other, const std::vector<Transform>& xforms, const std::string& key_prefix,
                     bool world_each);

  ModelData data_;
  std::vector<int> body_joint_;                    // joint that moves the body, -1 = none
  std::vector<int> body_locked_;                   // 1 = shapes do not change its mass
  std::unordered_set<std::int64_t> used_keys_[2];  // (entity, key) taken among the globals, in the current world
  int current_world_ = -1;
  std::array<int, kEntityCount> end_of_worlds_{};  // counts when the last world was closed
};

}  // namespace carom::inline CAROM_PRECISION
