// The columns of a model: one array per property of an entity, declared once and used twice, with std::vector in the
// ModelBuilder and with Array (on the CPU or a GPU) in the Model. visit_columns() walks through all of them with
// what is needed to copy, shift, save, show and document a column; nothing else lists them again.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "carom/array.h"
#include "carom/config.h"

namespace carom::inline CAROM_PRECISION {

// What a row of a column belongs to.
enum class Entity : std::int32_t {
  kParticle,
  kBody,
  kShape,
  kContactPair,
  kJoint,
  kArticulation,
  kEqualityConstraint,
  kSpring,
  kTriangle,
  kEdge,
  kTetrahedron,
  kTendon,
  kTendonJoint,
  kTendonPoint,
  kActuator,
  kJointDof,
  kJointCoord,
  kController,
  kCtrl,
  kAct,
  kCtrlHistory,
  kSensor,
  kSensorMemory,
};
constexpr int kEntityCount = 23;
const char* entity_name(Entity entity);  // "particle", "body", ...

// What the integers of a column point to; they are shifted when a builder is copied into another one.
enum class Refers : std::int32_t {
  kNothing,
  kParticle,
  kBody,
  kShape,
  kJoint,
  kArticulation,
  kTendon,
  kActuator,
  kSource,
  kKey,
  kText,  // kept in the table of keys, and not a name: a prefix of a copy leaves it alone
  kWorld
};

// What the rows of a column may hold, and whether a Model's can be edited.
enum class Rule : std::int32_t {
  kStructure,    // frozen by finalize()
  kInteger,      // bits and numbers of groups
  kSwitch,       // 0 or 1
  kFinite,       // finite numbers
  kNotNegative,  // finite and not negative
  kPose,         // a finite position and a unit quaternion
};

struct ColumnInfo {
  const char* name;
  Entity entity;
  Refers refers;
  Rule rule;
  const char* doc;  // what it is [unit]
};

using Index2 = std::array<std::int32_t, 2>;
using Index3 = std::array<std::int32_t, 3>;
using Index4 = std::array<std::int32_t, 4>;
template <class T>
using Vector = std::vector<T>;

template <template <class> class Column>
struct ModelColumns {
  Column<Vec3> particle_q, particle_qd;
  Column<Real> particle_mass, particle_radius;
  Column<int> particle_flags, particle_collision_group, particle_world, particle_key_id;

  Column<Transform> body_q;
  Column<SpatialVector> body_qd;
  Column<Vec3> body_com;
  Column<Mat33> body_inertia;
  Column<Real> body_mass, body_gravcomp;
  Column<RealN<4>> body_fluid_axes;
  Column<int> body_flags, body_sleep, body_world, body_key_id, body_custom_id;

  Column<int> shape_type, shape_body;
  Column<Transform> shape_transform;
  Column<Vec3> shape_scale;
  Column<int> shape_source, shape_flags, shape_is_solid, shape_collision_group;
  Column<Real> shape_thickness, shape_contact_margin;
  Column<Real> shape_material_ke, shape_material_kd, shape_material_kf, shape_material_ka, shape_material_mu,
      shape_material_restitution, shape_material_torsional_friction, shape_material_rolling_friction;
  Column<int> shape_contype, shape_conaffinity, shape_condim, shape_priority;
  Column<Real> shape_solmix;
  Column<RealN<2>> shape_solref;
  Column<RealN<5>> shape_solimp;
  Column<Real> shape_gap, shape_adhesion;
  Column<SpatialVector> shape_surface_velocity;
  Column<int> shape_fluid_ellipsoid;
  Column<RealN<5>> shape_fluid_coef;
  Column<int> shape_world, shape_key_id, shape_custom_id;

  Column<Index2> contact_pair_shapes;
  Column<int> contact_pair_condim;
  Column<RealN<5>> contact_pair_friction;
  Column<RealN<2>> contact_pair_solref, contact_pair_solref_friction;
  Column<RealN<5>> contact_pair_solimp;
  Column<Real> contact_pair_margin, contact_pair_gap, contact_pair_adhesion;
  Column<int> contact_pair_world, contact_pair_key_id;

  Column<int> joint_type, joint_parent, joint_child, joint_articulation, joint_enabled;
  Column<Transform> joint_X_p, joint_X_c;
  Column<Index2> joint_dof_dim;
  Column<int> joint_world, joint_key_id, joint_custom_id;

  Column<Vec3> joint_axis;
  Column<Real> joint_qd, joint_limit_lower, joint_limit_upper, joint_limit_ke, joint_limit_kd, joint_target_pos,
      joint_target_vel, joint_target_ke, joint_target_kd, joint_damping, joint_armature, joint_effort_lower,
      joint_effort_upper, joint_velocity_limit, joint_friction, joint_stiffness, joint_spring_ref, joint_limit_margin,
      joint_spring_yield;
  Column<RealN<2>> joint_limit_solref, joint_friction_solref, joint_stiffness_poly, joint_damping_poly;
  Column<RealN<5>> joint_limit_solimp, joint_friction_solimp;
  Column<int> joint_gravcomp_by_motor;
  Column<Real> joint_q;

  Column<int> articulation_world, articulation_key_id, articulation_custom_id;

  Column<int> equality_constraint_type, equality_constraint_body1, equality_constraint_body2;
  Column<Vec3> equality_constraint_anchor, equality_constraint_anchor2;
  Column<Real> equality_constraint_torquescale;
  Column<Transform> equality_constraint_relpose;
  Column<RealN<4>> equality_constraint_axes;
  Column<int> equality_constraint_joint1, equality_constraint_joint2, equality_constraint_axis1,
      equality_constraint_axis2, equality_constraint_tendon1, equality_constraint_tendon2;
  Column<RealN<5>> equality_constraint_polycoef;
  Column<RealN<2>> equality_constraint_solref;
  Column<RealN<5>> equality_constraint_solimp;
  Column<int> equality_constraint_enabled, equality_constraint_world, equality_constraint_key_id;

  Column<Index2> spring_indices;
  Column<Real> spring_rest_length, spring_stiffness, spring_damping, spring_control;
  Column<int> spring_world;

  Column<Index3> tri_indices;
  Column<RealN<4>> tri_poses;
  Column<Real> tri_activations;
  Column<RealN<5>> tri_materials;
  Column<Real> tri_areas;
  Column<int> tri_world;

  Column<Index4> edge_indices;
  Column<Real> edge_rest_angle, edge_rest_length;
  Column<RealN<2>> edge_bending_properties;
  Column<int> edge_world;

  Column<Index4> tet_indices;
  Column<Mat33> tet_poses;
  Column<Real> tet_activations;
  Column<RealN<3>> tet_materials;
  Column<int> tet_world;

  Column<Real> tendon_limit_lower, tendon_limit_upper, tendon_limit_margin;
  Column<RealN<2>> tendon_limit_solref, tendon_friction_solref;
  Column<RealN<5>> tendon_limit_solimp, tendon_friction_solimp;
  Column<Real> tendon_friction, tendon_stiffness, tendon_damping, tendon_spring_lower, tendon_spring_upper,
      tendon_spring_yield, tendon_armature, tendon_effort_lower, tendon_effort_upper;
  Column<RealN<2>> tendon_stiffness_poly, tendon_damping_poly;
  Column<int> tendon_world, tendon_key_id;

  Column<int> tendon_joint_tendon, tendon_joint_joint, tendon_joint_axis;
  Column<Real> tendon_joint_coef;
  Column<int> tendon_joint_world;

  Column<int> tendon_point_tendon, tendon_point_type, tendon_point_body;
  Column<Transform> tendon_point_xform;
  Column<Real> tendon_point_radius, tendon_point_divisor;
  Column<int> tendon_point_has_side, tendon_point_side_body;
  Column<Vec3> tendon_point_side;
  Column<int> tendon_point_world;

  Column<int> actuator_target, actuator_joint, actuator_axis, actuator_tendon;
  Column<int> actuator_body, actuator_has_reference, actuator_reference_body;
  Column<Transform> actuator_site, actuator_reference;
  Column<Real> actuator_gear;
  Column<SpatialVector> actuator_wrench;
  Column<int> actuator_in_parent;
  Column<Real> actuator_rod;
  Column<Real> actuator_gain;
  Column<RealN<2>> actuator_gain_slope;
  Column<RealN<3>> actuator_bias;
  Column<int> actuator_law, actuator_dynamics, actuator_act_early;
  Column<RealN<10>> actuator_muscle;
  Column<RealN<3>> actuator_time;
  Column<Real> actuator_act_lower, actuator_act_upper;
  Column<int> actuator_inputs, actuator_states;
  Column<Real> actuator_delay;
  Column<int> actuator_delay_samples, actuator_interpolation;
  Column<Real> actuator_ctrl_lower, actuator_ctrl_upper, actuator_force_lower, actuator_force_upper;
  Column<int> actuator_world, actuator_key_id;

  Column<int> controller_actuator;
  Column<RealN<5>> controller_gains, controller_winding, controller_heat, controller_bristles;
  Column<RealN<3>> controller_cogging;
  Column<int> controller_world;

  Column<int> sensor_type, sensor_object_type, sensor_reference_type;
  Column<int> sensor_body, sensor_shape, sensor_joint, sensor_axis, sensor_tendon, sensor_actuator;
  Column<int> sensor_reference_body, sensor_reference_shape;
  Column<Transform> sensor_frame, sensor_reference_frame;
  Column<int> sensor_data, sensor_reduce, sensor_num;
  Column<RealN<4>> sensor_camera;
  Column<Index2> sensor_resolution;
  Column<Real> sensor_cutoff, sensor_noise, sensor_delay;
  Column<int> sensor_samples, sensor_interpolation;
  Column<RealN<2>> sensor_interval;
  Column<int> sensor_world, sensor_key_id;
};

// A column with values of type T, of the builder's columns or of the model's. One type for all columns with such
// values: what walks through the columns is compiled once for each T.
template <class T>
struct ColumnOf {
  Vector<T> ModelColumns<Vector>::*in_builder;
  Array<T> ModelColumns<Array>::*in_model;

  Vector<T>& operator()(ModelColumns<Vector>& columns) const { return columns.*in_builder; }
  const Vector<T>& operator()(const ModelColumns<Vector>& columns) const { return columns.*in_builder; }
  Array<T>& operator()(ModelColumns<Array>& columns) const { return columns.*in_model; }
  const Array<T>& operator()(const ModelColumns<Array>& columns) const { return columns.*in_model; }
};

template <class T>
constexpr ColumnOf<T> column_of(Vector<T> ModelColumns<Vector>::*in_builder, Array<T> ModelColumns<Array>::*in_model) {
  return {in_builder, in_model};
}

#define CAROM_COLUMN(name, entity, refers, rule, doc)                       \
  visit(ColumnInfo{#name, Entity::entity, Refers::refers, Rule::rule, doc}, \
        column_of(&ModelColumns<Vector>::name, &ModelColumns<Array>::name))

// The parts of visit_columns().
namespace columns {

template <class Visit>
void visit_bodies_and_shapes(Visit& visit) {
  CAROM_COLUMN(particle_q, kParticle, kNothing, kFinite, "initial position [m]");
  CAROM_COLUMN(particle_qd, kParticle, kNothing, kFinite, "initial velocity [m/s]");
  CAROM_COLUMN(particle_mass, kParticle, kNothing, kNotNegative, "mass [kg], 0 = fixed");
  CAROM_COLUMN(particle_radius, kParticle, kNothing, kNotNegative, "radius [m]");
  CAROM_COLUMN(particle_flags, kParticle, kNothing, kInteger, "bits: 1 active");
  CAROM_COLUMN(particle_collision_group, kParticle, kNothing, kInteger, "collision group, by the rule of shapes");
  CAROM_COLUMN(particle_world, kParticle, kWorld, kStructure, "world, -1 = global");
  CAROM_COLUMN(particle_key_id, kParticle, kKey, kStructure, "key");

  CAROM_COLUMN(body_q, kBody, kNothing, kPose, "initial pose X_WB [m, quaternion xyzw]");
  CAROM_COLUMN(body_qd, kBody, kNothing, kFinite,
               "initial twist: velocity of the centre of mass [m/s], angular [rad/s], world axes");
  CAROM_COLUMN(body_com, kBody, kNothing, kFinite, "centre of mass in the body frame [m]");
  CAROM_COLUMN(body_inertia, kBody, kNothing, kFinite, "inertia about the centre of mass, body axes [kg m^2]");
  CAROM_COLUMN(body_mass, kBody, kNothing, kNotNegative, "mass [kg]");
  CAROM_COLUMN(body_gravcomp, kBody, kNothing, kFinite, "share of its weight that is carried for it");
  CAROM_COLUMN(body_fluid_axes, kBody, kNothing, kFinite,
               "axes of its box in a fluid, quaternion xyzw in the body; 0: the principal ones of the inertia");
  CAROM_COLUMN(body_flags, kBody, kNothing, kInteger, "bits: 1 dynamic, 2 kinematic");
  CAROM_COLUMN(body_sleep, kBody, kNothing, kInteger, "SleepPolicy of the tree that it is the root of");
  CAROM_COLUMN(body_world, kBody, kWorld, kStructure, "world, -1 = global");
  CAROM_COLUMN(body_key_id, kBody, kKey, kStructure, "key");
  CAROM_COLUMN(body_custom_id, kBody, kText, kStructure, "custom attributes, a JSON object");

  CAROM_COLUMN(shape_type, kShape, kNothing, kStructure, "ShapeType");
  CAROM_COLUMN(shape_body, kShape, kBody, kStructure, "body that carries it, -1 = the world");
  CAROM_COLUMN(shape_transform, kShape, kNothing, kPose, "pose X_BS in the body [m, quaternion xyzw]");
  CAROM_COLUMN(shape_scale, kShape, kNothing, kFinite, "dimensions [m]; per-axis factors of meshes, hulls and fields");
  CAROM_COLUMN(shape_source, kShape, kSource, kStructure, "index of the mesh, heightfield or sdf, -1 = none");
  CAROM_COLUMN(shape_flags, kShape, kNothing, kInteger,
               "bits: 1 visible, 2 shapes, 4 particles, 8 site, 16 filter parent");
  CAROM_COLUMN(shape_is_solid, kShape, kNothing, kSwitch, "1 solid, 0 a shell");
  CAROM_COLUMN(shape_collision_group, kShape, kNothing, kInteger, "collision group");
  CAROM_COLUMN(shape_thickness, kShape, kNothing, kNotNegative, "outward growth, or wall of a shell [m]");
  CAROM_COLUMN(shape_contact_margin, kShape, kNothing, kNotNegative, "contacts exist from this distance on [m]");
  CAROM_COLUMN(shape_material_ke, kShape, kNothing, kNotNegative, "contact stiffness [N/m]");
  CAROM_COLUMN(shape_material_kd, kShape, kNothing, kNotNegative, "contact damping [N s/m]");
  CAROM_COLUMN(shape_material_kf, kShape, kNothing, kNotNegative, "friction damping [N s/m]");
  CAROM_COLUMN(shape_material_ka, kShape, kNothing, kNotNegative, "adhesion distance [m]");
  CAROM_COLUMN(shape_material_mu, kShape, kNothing, kNotNegative, "coefficient of friction");
  CAROM_COLUMN(shape_material_restitution, kShape, kNothing, kNotNegative, "coefficient of restitution");
  CAROM_COLUMN(shape_material_torsional_friction, kShape, kNothing, kNotNegative, "torsional friction [m]");
  CAROM_COLUMN(shape_material_rolling_friction, kShape, kNothing, kNotNegative, "rolling friction [m]");
  CAROM_COLUMN(shape_contype, kShape, kNothing, kInteger, "bits that the other shape's conaffinity is compared with");
  CAROM_COLUMN(shape_conaffinity, kShape, kNothing, kInteger, "bits that the other shape's contype is compared with");
  CAROM_COLUMN(shape_condim, kShape, kNothing, kInteger,
               "contacts: 1 no friction, 3 sliding, 4 and spinning, 6 and rolling");
  CAROM_COLUMN(shape_priority, kShape, kNothing, kInteger,
               "the higher one decides about a contact; equal ones are mixed");
  CAROM_COLUMN(shape_solmix, kShape, kNothing, kNotNegative, "weight of this shape in the mix");
  CAROM_COLUMN(shape_solref, kShape, kNothing, kFinite,
               "contact time constant [s] and damping ratio; or -stiffness, -damping");
  CAROM_COLUMN(shape_solimp, kShape, kNothing, kFinite, "contact impedance: d0, dmax, width [m], midpoint, power");
  CAROM_COLUMN(shape_gap, kShape, kNothing, kNotNegative, "part of contact_margin where contacts make no force [m]");
  CAROM_COLUMN(shape_adhesion, kShape, kNothing, kFinite, "force to pull the sides of a contact apart [N]");
  CAROM_COLUMN(shape_surface_velocity, kShape, kNothing, kFinite, "of its surface, in its frame [m/s], [rad/s]");
  CAROM_COLUMN(shape_fluid_ellipsoid, kShape, kNothing, kStructure,
               "1: a fluid pushes it as an ellipsoid, 0: its body as a box");
  CAROM_COLUMN(shape_fluid_coef, kShape, kNothing, kFinite,
               "of blunt, slender and turning drag, of the lifts of Kutta and Magnus");
  CAROM_COLUMN(shape_world, kShape, kWorld, kStructure, "world, -1 = global");
  CAROM_COLUMN(shape_key_id, kShape, kKey, kStructure, "key");
  CAROM_COLUMN(shape_custom_id, kShape, kText, kStructure, "custom attributes, a JSON object");

  CAROM_COLUMN(contact_pair_shapes, kContactPair, kShape, kStructure, "two shapes, which touch whatever filters say");
  CAROM_COLUMN(contact_pair_condim, kContactPair, kNothing, kInteger, "of their contacts; as shape_condim");
  CAROM_COLUMN(contact_pair_friction, kContactPair, kNothing, kNotNegative,
               "coefficients along both tangents, torsional friction, rolling friction about both tangents [m]");
  CAROM_COLUMN(contact_pair_solref, kContactPair, kNothing, kFinite,
               "contact time constant [s] and damping ratio; or -stiffness, -damping");
  CAROM_COLUMN(contact_pair_solref_friction, kContactPair, kNothing, kFinite,
               "of friction in an elliptic cone; zeros: that of the normal");
  CAROM_COLUMN(contact_pair_solimp, kContactPair, kNothing, kFinite, "contact impedance; as shape_solimp");
  CAROM_COLUMN(contact_pair_margin, kContactPair, kNothing, kFinite, "contacts make forces from this distance on [m]");
  CAROM_COLUMN(contact_pair_gap, kContactPair, kNothing, kNotNegative, "they exist from so much more on [m]");
  CAROM_COLUMN(contact_pair_adhesion, kContactPair, kNothing, kFinite,
               "force to pull the sides of a contact apart [N]");
  CAROM_COLUMN(contact_pair_world, kContactPair, kWorld, kStructure, "world, -1 = global");
  CAROM_COLUMN(contact_pair_key_id, kContactPair, kKey, kStructure, "key");
}

template <class Visit>
void visit_joints(Visit& visit) {
  CAROM_COLUMN(joint_type, kJoint, kNothing, kStructure, "JointType");
  CAROM_COLUMN(joint_parent, kJoint, kBody, kStructure, "parent body, -1 = the world");
  CAROM_COLUMN(joint_child, kJoint, kBody, kStructure, "child body");
  CAROM_COLUMN(joint_articulation, kJoint, kArticulation, kStructure, "articulation, -1 = none");
  CAROM_COLUMN(joint_enabled, kJoint, kNothing, kSwitch, "1 enabled, 0 disabled");
  CAROM_COLUMN(joint_X_p, kJoint, kNothing, kPose, "joint frame in the parent body [m, quaternion xyzw]");
  CAROM_COLUMN(joint_X_c, kJoint, kNothing, kPose, "joint frame in the child body [m, quaternion xyzw]");
  CAROM_COLUMN(joint_dof_dim, kJoint, kNothing, kStructure, "numbers of linear and angular degrees of freedom");
  CAROM_COLUMN(joint_world, kJoint, kWorld, kStructure, "world, -1 = global");
  CAROM_COLUMN(joint_key_id, kJoint, kKey, kStructure, "key");
  CAROM_COLUMN(joint_custom_id, kJoint, kText, kStructure, "custom attributes, a JSON object");

  CAROM_COLUMN(joint_axis, kJointDof, kNothing, kFinite, "unit axis in the joint's parent frame");
  CAROM_COLUMN(joint_qd, kJointDof, kNothing, kFinite, "initial velocity [m/s] or [rad/s]");
  CAROM_COLUMN(joint_limit_lower, kJointDof, kNothing, kFinite, "lower limit [m] or [rad]");
  CAROM_COLUMN(joint_limit_upper, kJointDof, kNothing, kFinite, "upper limit [m] or [rad]");
  CAROM_COLUMN(joint_limit_ke, kJointDof, kNothing, kNotNegative, "limit stiffness [N/m] or [N m/rad]");
  CAROM_COLUMN(joint_limit_kd, kJointDof, kNothing, kNotNegative, "limit damping [N s/m] or [N m s/rad]");
  CAROM_COLUMN(joint_target_pos, kJointDof, kNothing, kFinite, "drive target [m] or [rad]");
  CAROM_COLUMN(joint_target_vel, kJointDof, kNothing, kFinite, "drive target [m/s] or [rad/s]");
  CAROM_COLUMN(joint_target_ke, kJointDof, kNothing, kNotNegative, "drive stiffness [N/m] or [N m/rad]");
  CAROM_COLUMN(joint_target_kd, kJointDof, kNothing, kNotNegative, "drive damping [N s/m] or [N m s/rad]");
  CAROM_COLUMN(joint_damping, kJointDof, kNothing, kNotNegative, "passive damping [N s/m] or [N m s/rad]");
  CAROM_COLUMN(joint_armature, kJointDof, kNothing, kNotNegative, "motor inertia [kg] or [kg m^2]");
  CAROM_COLUMN(joint_effort_lower, kJointDof, kNothing, kFinite, "least of its actuators together [N] or [N m]");
  CAROM_COLUMN(joint_effort_upper, kJointDof, kNothing, kFinite, "most of its actuators together [N] or [N m]");
  CAROM_COLUMN(joint_velocity_limit, kJointDof, kNothing, kNotNegative, "largest speed [m/s] or [rad/s]");
  CAROM_COLUMN(joint_friction, kJointDof, kNothing, kNotNegative, "dry friction [N] or [N m]");
  CAROM_COLUMN(joint_stiffness, kJointDof, kNothing, kNotNegative, "passive spring [N/m] or [N m/rad]");
  CAROM_COLUMN(joint_stiffness_poly, kJointDof, kNothing, kFinite, "of the spring, per length and per its square");
  CAROM_COLUMN(joint_damping_poly, kJointDof, kNothing, kFinite, "of the damping, per speed and per its square");
  CAROM_COLUMN(joint_gravcomp_by_motor, kJointDof, kNothing, kSwitch,
               "1: what carries the weight here is of the actuators");
  CAROM_COLUMN(joint_spring_ref, kJointDof, kNothing, kFinite, "where the spring is relaxed [m] or [rad]");
  CAROM_COLUMN(joint_spring_yield, kJointDof, kNothing, kNotNegative,
               "how far the spring can be stretched [m] or [rad]; 0: as far as one likes");
  CAROM_COLUMN(joint_limit_margin, kJointDof, kNothing, kFinite, "a limit acts from this distance on [m] or [rad]");
  CAROM_COLUMN(joint_limit_solref, kJointDof, kNothing, kFinite,
               "limit time constant [s] and damping ratio; or -stiffness, -damping");
  CAROM_COLUMN(joint_limit_solimp, kJointDof, kNothing, kFinite, "limit impedance: d0, dmax, width, midpoint, power");
  CAROM_COLUMN(joint_friction_solref, kJointDof, kNothing, kFinite, "of dry friction; as joint_limit_solref");
  CAROM_COLUMN(joint_friction_solimp, kJointDof, kNothing, kFinite, "of dry friction; as joint_limit_solimp");
  CAROM_COLUMN(joint_q, kJointCoord, kNothing, kFinite, "initial coordinate [m], [rad] or quaternion xyzw");

  CAROM_COLUMN(articulation_world, kArticulation, kWorld, kStructure, "world, -1 = global");
  CAROM_COLUMN(articulation_key_id, kArticulation, kKey, kStructure, "key");
  CAROM_COLUMN(articulation_custom_id, kArticulation, kText, kStructure, "custom attributes, a JSON object");
}

template <class Visit>
void visit_constraints(Visit& visit) {
  CAROM_COLUMN(equality_constraint_type, kEqualityConstraint, kNothing, kStructure, "EqualityType");
  CAROM_COLUMN(equality_constraint_body1, kEqualityConstraint, kBody, kStructure, "first body, -1 = the world");
  CAROM_COLUMN(equality_constraint_body2, kEqualityConstraint, kBody, kStructure, "second body, -1 = the world");
  CAROM_COLUMN(equality_constraint_anchor, kEqualityConstraint, kNothing, kFinite,
               "anchor in body1 (connect), body2 (weld) [m]");
  CAROM_COLUMN(equality_constraint_anchor2, kEqualityConstraint, kNothing, kFinite, "anchor in body2 (connect) [m]");
  CAROM_COLUMN(equality_constraint_torquescale, kEqualityConstraint, kNothing, kNotNegative,
               "rotation against translation of a weld");
  CAROM_COLUMN(equality_constraint_relpose, kEqualityConstraint, kNothing, kPose,
               "pose of body2 in body1 [m, quaternion xyzw]");
  CAROM_COLUMN(equality_constraint_axes, kEqualityConstraint, kNothing, kFinite,
               "axes of the rotation of a weld, quaternion xyzw in body2");
  CAROM_COLUMN(equality_constraint_joint1, kEqualityConstraint, kJoint, kStructure, "driven joint");
  CAROM_COLUMN(equality_constraint_joint2, kEqualityConstraint, kJoint, kStructure, "driving joint, -1 = none");
  CAROM_COLUMN(equality_constraint_axis1, kEqualityConstraint, kNothing, kStructure, "degree of freedom inside joint1");
  CAROM_COLUMN(equality_constraint_axis2, kEqualityConstraint, kNothing, kStructure, "degree of freedom inside joint2");
  CAROM_COLUMN(equality_constraint_tendon1, kEqualityConstraint, kTendon, kStructure, "driven tendon, -1 = none");
  CAROM_COLUMN(equality_constraint_tendon2, kEqualityConstraint, kTendon, kStructure, "driving tendon, -1 = none");
  CAROM_COLUMN(equality_constraint_polycoef, kEqualityConstraint, kNothing, kFinite,
               "q1 = c0 + c1 q2 + ... + c4 q2^4, coordinates of joints or lengths of tendons");
  CAROM_COLUMN(equality_constraint_solref, kEqualityConstraint, kNothing, kFinite,
               "time constant [s] and damping ratio; or -stiffness, -damping");
  CAROM_COLUMN(equality_constraint_solimp, kEqualityConstraint, kNothing, kFinite,
               "impedance: d0, dmax, width, midpoint, power");
  CAROM_COLUMN(equality_constraint_enabled, kEqualityConstraint, kNothing, kSwitch, "1 enabled, 0 disabled");
  CAROM_COLUMN(equality_constraint_world, kEqualityConstraint, kWorld, kStructure, "world, -1 = global");
  CAROM_COLUMN(equality_constraint_key_id, kEqualityConstraint, kKey, kStructure, "key");
}

template <class Visit>
void visit_elements(Visit& visit) {
  CAROM_COLUMN(spring_indices, kSpring, kParticle, kStructure, "its two particles");
  CAROM_COLUMN(spring_rest_length, kSpring, kNothing, kNotNegative, "rest length [m]");
  CAROM_COLUMN(spring_stiffness, kSpring, kNothing, kNotNegative, "stiffness [N/m]");
  CAROM_COLUMN(spring_damping, kSpring, kNothing, kNotNegative, "damping [N s/m]");
  CAROM_COLUMN(spring_control, kSpring, kNothing, kFinite, "actuation");
  CAROM_COLUMN(spring_world, kSpring, kWorld, kStructure, "world, -1 = global");

  CAROM_COLUMN(tri_indices, kTriangle, kParticle, kStructure, "its three particles");
  CAROM_COLUMN(tri_poses, kTriangle, kNothing, kFinite, "inverse of the rest shape, 2 x 2 by rows [1/m]");
  CAROM_COLUMN(tri_activations, kTriangle, kNothing, kFinite, "actuation");
  CAROM_COLUMN(tri_materials, kTriangle, kNothing, kNotNegative, "ke, ka, kd, drag, lift");
  CAROM_COLUMN(tri_areas, kTriangle, kNothing, kNotNegative, "rest area [m^2]");
  CAROM_COLUMN(tri_world, kTriangle, kWorld, kStructure, "world, -1 = global");

  CAROM_COLUMN(edge_indices, kEdge, kParticle, kStructure, "opposite particles o0, o1 and edge v1, v2");
  CAROM_COLUMN(edge_rest_angle, kEdge, kNothing, kFinite, "rest angle between the two triangles [rad]");
  CAROM_COLUMN(edge_rest_length, kEdge, kNothing, kNotNegative, "rest length [m]");
  CAROM_COLUMN(edge_bending_properties, kEdge, kNothing, kNotNegative, "ke, kd");
  CAROM_COLUMN(edge_world, kEdge, kWorld, kStructure, "world, -1 = global");

  CAROM_COLUMN(tet_indices, kTetrahedron, kParticle, kStructure, "its four particles");
  CAROM_COLUMN(tet_poses, kTetrahedron, kNothing, kFinite, "inverse of the rest shape, 3 x 3 [1/m]");
  CAROM_COLUMN(tet_activations, kTetrahedron, kNothing, kFinite, "actuation");
  CAROM_COLUMN(tet_materials, kTetrahedron, kNothing, kNotNegative, "k_mu, k_lambda, k_damp");
  CAROM_COLUMN(tet_world, kTetrahedron, kWorld, kStructure, "world, -1 = global");
}

template <class Visit>
void visit_tendons_and_actuators(Visit& visit) {
  CAROM_COLUMN(tendon_limit_lower, kTendon, kNothing, kFinite, "lower limit of the length");
  CAROM_COLUMN(tendon_limit_upper, kTendon, kNothing, kFinite, "upper limit of the length");
  CAROM_COLUMN(tendon_limit_margin, kTendon, kNothing, kFinite, "a limit acts from this distance on");
  CAROM_COLUMN(tendon_limit_solref, kTendon, kNothing, kFinite,
               "limit time constant [s] and damping ratio; or -stiffness, -damping");
  CAROM_COLUMN(tendon_limit_solimp, kTendon, kNothing, kFinite, "limit impedance: d0, dmax, width, midpoint, power");
  CAROM_COLUMN(tendon_friction, kTendon, kNothing, kNotNegative, "dry friction");
  CAROM_COLUMN(tendon_friction_solref, kTendon, kNothing, kFinite, "of dry friction; as tendon_limit_solref");
  CAROM_COLUMN(tendon_friction_solimp, kTendon, kNothing, kFinite, "of dry friction; as tendon_limit_solimp");
  CAROM_COLUMN(tendon_stiffness, kTendon, kNothing, kNotNegative, "stiffness of its spring");
  CAROM_COLUMN(tendon_damping, kTendon, kNothing, kNotNegative, "damping");
  CAROM_COLUMN(tendon_spring_lower, kTendon, kNothing, kFinite, "the spring is relaxed from this length");
  CAROM_COLUMN(tendon_spring_upper, kTendon, kNothing, kFinite, "to this one");
  CAROM_COLUMN(tendon_spring_yield, kTendon, kNothing, kNotNegative,
               "how far the spring can be stretched; 0: as far as one likes");
  CAROM_COLUMN(tendon_stiffness_poly, kTendon, kNothing, kFinite, "of the spring, per length and per its square");
  CAROM_COLUMN(tendon_damping_poly, kTendon, kNothing, kFinite, "of the damping, per speed and per its square");
  CAROM_COLUMN(tendon_armature, kTendon, kNothing, kNotNegative, "inertia that moves with it");
  CAROM_COLUMN(tendon_effort_lower, kTendon, kNothing, kFinite, "least of its actuators together");
  CAROM_COLUMN(tendon_effort_upper, kTendon, kNothing, kFinite, "most of its actuators together");
  CAROM_COLUMN(tendon_world, kTendon, kWorld, kStructure, "world, -1 = global");
  CAROM_COLUMN(tendon_key_id, kTendon, kKey, kStructure, "key");

  CAROM_COLUMN(tendon_joint_tendon, kTendonJoint, kTendon, kStructure, "tendon; the rows of one stand together");
  CAROM_COLUMN(tendon_joint_joint, kTendonJoint, kJoint, kStructure, "joint that it runs over");
  CAROM_COLUMN(tendon_joint_axis, kTendonJoint, kNothing, kStructure, "degree of freedom inside the joint");
  CAROM_COLUMN(tendon_joint_coef, kTendonJoint, kNothing, kFinite, "length per coordinate");
  CAROM_COLUMN(tendon_joint_world, kTendonJoint, kWorld, kStructure, "world, -1 = global");

  CAROM_COLUMN(tendon_point_tendon, kTendonPoint, kTendon, kStructure, "tendon; the rows of one stand together");
  CAROM_COLUMN(tendon_point_type, kTendonPoint, kNothing, kStructure, "TendonPointType");
  CAROM_COLUMN(tendon_point_body, kTendonPoint, kBody, kStructure, "body that carries it, -1 = the world");
  CAROM_COLUMN(tendon_point_xform, kTendonPoint, kNothing, kPose, "pose in the body; z is a cylinder's axis [m]");
  CAROM_COLUMN(tendon_point_radius, kTendonPoint, kNothing, kNotNegative, "of a sphere or a cylinder [m]");
  CAROM_COLUMN(tendon_point_divisor, kTendonPoint, kNothing, kNotNegative, "of a pulley: what follows counts 1 / it");
  CAROM_COLUMN(tendon_point_has_side, kTendonPoint, kNothing, kStructure, "1: the side below says how it is passed");
  CAROM_COLUMN(tendon_point_side_body, kTendonPoint, kBody, kStructure, "body that carries the side, -1 = the world");
  CAROM_COLUMN(tendon_point_side, kTendonPoint, kNothing, kFinite, "a point on that side, in its body [m]");
  CAROM_COLUMN(tendon_point_world, kTendonPoint, kWorld, kStructure, "world, -1 = global");

  CAROM_COLUMN(actuator_target, kActuator, kNothing, kStructure, "ActuatorTarget");
  CAROM_COLUMN(actuator_joint, kActuator, kJoint, kStructure, "joint that it drives, -1 = none");
  CAROM_COLUMN(actuator_axis, kActuator, kNothing, kStructure, "degree of freedom inside the joint");
  CAROM_COLUMN(actuator_tendon, kActuator, kTendon, kStructure, "tendon that it pulls, -1 = none");
  CAROM_COLUMN(actuator_body, kActuator, kBody, kStructure, "body of the site that it pushes, of a crank's end");
  CAROM_COLUMN(actuator_has_reference, kActuator, kNothing, kStructure, "1: it pushes against the reference");
  CAROM_COLUMN(actuator_reference_body, kActuator, kBody, kStructure, "body of the reference, of a slider");
  CAROM_COLUMN(actuator_site, kActuator, kNothing, kPose, "site in its body [m, quaternion xyzw]");
  CAROM_COLUMN(actuator_reference, kActuator, kNothing, kPose, "reference in its body; a slider runs along its z");
  CAROM_COLUMN(actuator_gear, kActuator, kNothing, kFinite, "length per coordinate, joint force per force");
  CAROM_COLUMN(actuator_wrench, kActuator, kNothing, kFinite,
               "force and moment per force, in the axes of the site, the reference or the joint");
  CAROM_COLUMN(actuator_in_parent, kActuator, kNothing, kSwitch, "1: the moment is in the axes of a joint's parent");
  CAROM_COLUMN(actuator_rod, kActuator, kNothing, kNotNegative, "length of a crank's rod [m]");
  CAROM_COLUMN(actuator_gain, kActuator, kNothing, kFinite, "force per ctrl, or per activation");
  CAROM_COLUMN(actuator_gain_slope, kActuator, kNothing, kFinite, "gain per length, per velocity");
  CAROM_COLUMN(actuator_bias, kActuator, kNothing, kFinite, "force: constant, per length, per velocity");
  CAROM_COLUMN(actuator_law, kActuator, kNothing, kStructure, "ActuatorLaw");
  CAROM_COLUMN(actuator_muscle, kActuator, kNothing, kFinite,
               "of a muscle: operating range (2), length range (2), peak force, lmin, lmax, vmax, fpmax, fvmax");
  CAROM_COLUMN(actuator_dynamics, kActuator, kNothing, kStructure, "ActuatorDynamics");
  CAROM_COLUMN(
      actuator_time, kActuator, kNothing, kFinite,
      "time constant [s]; of a muscle: of activation, of deactivation, and how smoothly one becomes the other");
  CAROM_COLUMN(actuator_act_early, kActuator, kNothing, kSwitch, "1: its force is that of the activation to come");
  CAROM_COLUMN(actuator_act_lower, kActuator, kNothing, kFinite, "least activation");
  CAROM_COLUMN(actuator_act_upper, kActuator, kNothing, kFinite, "largest activation");
  CAROM_COLUMN(actuator_inputs, kActuator, kNothing, kStructure,
               "bits: 1 position, 2 velocity, 4 force, 8 voltage, 16 quaternion");
  CAROM_COLUMN(actuator_states, kActuator, kNothing, kStructure,
               "bits: 1 slew, 2 integral, 4 temperature, 8 bristles, 16 current");
  CAROM_COLUMN(actuator_delay, kActuator, kNothing, kNotNegative, "ctrl counts so much later [s]");
  CAROM_COLUMN(actuator_delay_samples, kActuator, kNothing, kStructure, "steps whose ctrl is kept");
  CAROM_COLUMN(actuator_interpolation, kActuator, kNothing, kStructure, "Interpolation between them");
  CAROM_COLUMN(actuator_ctrl_lower, kCtrl, kNothing, kFinite, "least ctrl, of every input");
  CAROM_COLUMN(actuator_ctrl_upper, kCtrl, kNothing, kFinite, "largest ctrl, of every input");
  CAROM_COLUMN(actuator_force_lower, kActuator, kNothing, kFinite, "least force, before the gear");
  CAROM_COLUMN(actuator_force_upper, kActuator, kNothing, kFinite, "largest force, before the gear");
  CAROM_COLUMN(actuator_world, kActuator, kWorld, kStructure, "world, -1 = global");
  CAROM_COLUMN(actuator_key_id, kActuator, kKey, kStructure, "key");

  CAROM_COLUMN(controller_actuator, kController, kActuator, kStructure, "pid controller or DC motor that it is of");
  CAROM_COLUMN(controller_gains, kController, kNothing, kFinite, "kp, kv, ki, integral_max, slew_max [1/s]");
  CAROM_COLUMN(controller_winding, kController, kNothing, kNotNegative,
               "resistance [Ohm], constant, voltage_max [V], current_time [s], current_rate_max [A/s]");
  CAROM_COLUMN(controller_heat, kController, kNothing, kFinite,
               "resistance to the air [K/W], capacity [J/K], coefficient [1/K], reference and ambient temperature [C]");
  CAROM_COLUMN(controller_cogging, kController, kNothing, kFinite, "of the force: size, poles, phase [rad]");
  CAROM_COLUMN(controller_bristles, kController, kNothing, kNotNegative,
               "of friction: stiffness, damping, Coulomb, static, speed between these");
  CAROM_COLUMN(controller_world, kController, kWorld, kStructure, "world, -1 = global");
}

template <class Visit>
void visit_sensors(Visit& visit) {
  CAROM_COLUMN(sensor_type, kSensor, kNothing, kStructure, "SensorType");
  CAROM_COLUMN(sensor_object_type, kSensor, kNothing, kStructure, "SensorObject: what it looks at, first of contacts");
  CAROM_COLUMN(sensor_reference_type, kSensor, kNothing, kStructure, "SensorObject: against what, second of contacts");
  CAROM_COLUMN(sensor_body, kSensor, kBody, kStructure, "body, of a frame the one that carries it, -1 = the world");
  CAROM_COLUMN(sensor_shape, kSensor, kShape, kStructure, "shape or site, -1 = none");
  CAROM_COLUMN(sensor_joint, kSensor, kJoint, kStructure, "joint, -1 = none");
  CAROM_COLUMN(sensor_axis, kSensor, kNothing, kStructure, "degree of freedom inside the joint");
  CAROM_COLUMN(sensor_tendon, kSensor, kTendon, kStructure, "tendon, -1 = none");
  CAROM_COLUMN(sensor_actuator, kSensor, kActuator, kStructure, "actuator, -1 = none");
  CAROM_COLUMN(sensor_reference_body, kSensor, kBody, kStructure, "body of the reference, -1 = the world");
  CAROM_COLUMN(sensor_reference_shape, kSensor, kShape, kStructure, "shape or site of the reference, -1 = none");
  CAROM_COLUMN(sensor_frame, kSensor, kNothing, kPose, "frame in its body [m, quaternion xyzw]");
  CAROM_COLUMN(sensor_reference_frame, kSensor, kNothing, kPose, "frame of the reference in its body");
  CAROM_COLUMN(sensor_data, kSensor, kNothing, kStructure, "bits of ContactData or RayData");
  CAROM_COLUMN(sensor_reduce, kSensor, kNothing, kStructure, "ContactReduce");
  CAROM_COLUMN(sensor_num, kSensor, kNothing, kStructure, "contacts that it has room for");
  CAROM_COLUMN(sensor_camera, kSensor, kNothing, kFinite, "focal lengths and principal point [pixels]");
  CAROM_COLUMN(sensor_resolution, kSensor, kNothing, kStructure, "pixels across and down");
  CAROM_COLUMN(sensor_cutoff, kSensor, kNothing, kNotNegative, "values are clamped to it; 0: they are not");
  CAROM_COLUMN(sensor_noise, kSensor, kNothing, kStructure, "standard deviation of what is added to them");
  CAROM_COLUMN(sensor_delay, kSensor, kNothing, kNotNegative, "age of a reading [s]");
  CAROM_COLUMN(sensor_samples, kSensor, kNothing, kStructure, "readings that are kept");
  CAROM_COLUMN(sensor_interpolation, kSensor, kNothing, kStructure, "Interpolation between them");
  CAROM_COLUMN(sensor_interval, kSensor, kNothing, kStructure, "time between readings, and its phase [s]");
  CAROM_COLUMN(sensor_world, kSensor, kWorld, kStructure, "world, -1 = global");
  CAROM_COLUMN(sensor_key_id, kSensor, kKey, kStructure, "key");
}

}  // namespace columns
#undef CAROM_COLUMN

// Calls visit(ColumnInfo, get) for every column; get, a ColumnOf<T>, returns that column: get(model).
template <class Visit>
void visit_columns(Visit&& visit) {
  columns::visit_bodies_and_shapes(visit);
  columns::visit_joints(visit);
  columns::visit_constraints(visit);
  columns::visit_elements(visit);
  columns::visit_tendons_and_actuators(visit);
  columns::visit_sensors(visit);
}

}  // namespace carom::inline CAROM_PRECISION
