// What bodies, joints and shapes are made of: one struct per kind of thing, with units and defaults.
// A default is written here and nowhere else; the Python signatures and the docs are made from these structs.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "carom/geometry.h"
#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

// "No limit" and "no target" of a joint coordinate.
constexpr Real kUnlimited = Real(1e10);
// A number that was not given.
constexpr Real kNotSet = std::numeric_limits<Real>::quiet_NaN();

template <int N>
using RealN = std::array<Real, N>;

// The axis of the world that points up.
enum class Axis : std::int32_t { kX, kY, kZ };
const char* axis_name(Axis axis);          // "X", "Y", "Z"
Axis parse_axis(const std::string& name);  // or in lower case; throws Error for anything else

// How a soft constraint pulls back, in MuJoCo's terms. solref: time constant [s] and damping ratio, both positive, or
// -stiffness, -damping, none positive (anything else counts as the default). solimp: impedance d0 at the surface, dmax
// at the depth `width` [m] or [rad], then width, midpoint and power of the curve between them.
constexpr RealN<2> kDefaultSolref{Real(0.02), 1};
constexpr RealN<5> kDefaultSolimp{Real(0.9), Real(0.95), Real(0.001), Real(0.5), 2};

// How a contact gets one coefficient from the two of its shapes.
enum class CombineRule : std::int32_t { kAverage, kMax, kMin, kGeometricMean };
inline constexpr int kCombineRules = 4;
const char* combine_rule_name(CombineRule rule);          // "average", "max", "min", "geometric"
CombineRule parse_combine_rule(const std::string& name);  // throws Error for anything else

// Material, filters and flags of a shape.
struct ShapeConfig {
  Real density = 1000;                    // [kg/m^3]; 0 adds no mass to the body
  Real ke = 2.5e3;                        // contact elastic stiffness [N/m]
  Real kd = 100;                          // contact damping [N s/m]
  Real kf = 1000;                         // contact friction damping [N s/m]
  Real ka = 0;                            // contact adhesion distance [m]
  Real mu = 1;                            // coefficient of friction
  Real restitution = 0;                   // coefficient of restitution, 0 to 1
  Real torsional_friction = Real(0.005);  // resistance to spinning at the contact [m]
  Real rolling_friction = Real(1e-4);     // resistance to rolling [m]
  Real thickness = 0;                     // outward growth of the surface; wall thickness of hollow shapes [m]
  Real contact_margin = kNotSet;  // contacts exist from this distance on [m]; not set = builder's rigid_contact_margin
  bool is_solid = true;           // mass fills the volume; otherwise a shell of `thickness`
  int collision_group = 1;        // 0 none, > 0 its own and negative ones, < 0 all but itself
  bool collision_filter_parent = true;  // no contact with shapes of the parent body
  bool has_shape_collision = true;
  bool has_particle_collision = true;
  bool is_visible = true;
  // Two shapes make contacts when contype of one and conaffinity of the other share a bit, either way round.
  int contype = 1;
  int conaffinity = 1;
  int condim = 3;    // of a contact: 1 no friction, 3 sliding, 4 and spinning, 6 and rolling
  int priority = 0;  // in a contact the shape with the higher one decides; equal ones are mixed
  Real solmix = 1;   // weight of this shape in the mix
  RealN<2> solref = kDefaultSolref;
  RealN<5> solimp = kDefaultSolimp;
  // The part of contact_margin where contacts make no force, not set = all of it; more: they do from a depth on [m].
  Real gap = kNotSet;
  Real adhesion = 0;  // of a contact: the force that it takes to pull its sides apart, the sum of both shapes [N]
  SpatialVector surface_velocity{};  // as of a conveyor belt, in the frame of the shape [m/s], [rad/s]
  // A fluid pushes it as an ellipsoid of its size, and no longer the box of its body.
  bool fluid_ellipsoid = false;
  // Then: of drag where it is blunt and where it is slender, of drag against turning, of Kutta's lift, of Magnus's.
  RealN<5> fluid_coef{Real(0.5), Real(0.25), Real(1.5), 1, 1};
};

// One degree of freedom of a joint.
struct JointDofConfig {
  Vec3 axis{1, 0, 0};              // in the joint's parent frame; need not be normalised
  Real limit_lower = -kUnlimited;  // [m] or [rad]
  Real limit_upper = kUnlimited;   // [m] or [rad]
  Real limit_ke = 1e4;             // [N/m] or [N m/rad]
  Real limit_kd = 10;              // [N s/m] or [N m s/rad]
  Real target_pos = 0;             // [m] or [rad]
  Real target_vel = 0;             // [m/s] or [rad/s]
  Real target_ke = 0;              // drive stiffness
  Real target_kd = 0;              // drive damping
  Real damping = 0;                // passive damping
  Real armature = 0;               // inertia of the motor seen at the joint [kg] or [kg m^2]
  Real effort_lower = -1e6;        // all that its actuators do together stays within these [N] or [N m]
  Real effort_upper = 1e6;
  Real velocity_limit = 1e6;  // [m/s] or [rad/s]
  Real friction = 0;          // dry friction, the same at any speed [N] or [N m]
  RealN<2> friction_solref = kDefaultSolref;
  RealN<5> friction_solimp = kDefaultSolimp;
  Real stiffness = 0;              // passive spring [N/m] or [N m/rad]
  RealN<2> stiffness_poly{};       // of the spring, per length and per its square
  RealN<2> damping_poly{};         // of the damping, per speed and per its square
  Real spring_ref = 0;             // where the spring is relaxed [m] or [rad]
  Real spring_yield = 0;           // stretched by more it is relaxed elsewhere, to be stretched by this; 0: it never is
  bool gravcomp_by_motor = false;  // what carries the weight here is of the actuators, and within their efforts
  Real limit_margin = 0;           // a limit acts from this distance on [m] or [rad]
  RealN<2> limit_solref = kDefaultSolref;
  RealN<5> limit_solimp = kDefaultSolimp;
};

// A tendon is fixed or spatial. Fixed: its length is the sum of coef * coordinate over some joints, in the units that
// the coefficients give it. Spatial: it runs straight from point to point, or round what stands between two of them.
struct TendonConfig {
  Real limit_lower = -kUnlimited;
  Real limit_upper = kUnlimited;
  Real limit_margin = 0;  // a limit acts from this distance on
  RealN<2> limit_solref = kDefaultSolref;
  RealN<5> limit_solimp = kDefaultSolimp;
  Real friction = 0;  // dry friction
  RealN<2> friction_solref = kDefaultSolref;
  RealN<5> friction_solimp = kDefaultSolimp;
  Real stiffness = 0;         // of a spring that is relaxed between the two lengths below
  RealN<2> stiffness_poly{};  // of the spring, per length and per its square
  Real damping = 0;
  RealN<2> damping_poly{};  // of the damping, per speed and per its square
  Real spring_lower = 0;
  Real spring_upper = 0;
  Real spring_yield = 0;            // of the spring, as that of a joint
  Real armature = 0;                // inertia that moves with the tendon
  Real effort_lower = -kUnlimited;  // all that its actuators do together stays within these
  Real effort_upper = kUnlimited;
};

struct TendonJoint {
  int joint;
  Real coef;
  int axis = 0;  // degree of freedom inside the joint
};

// What a spatial tendon passes: a point of a body, a sphere or a cylinder that it wraps around, or a pulley, behind
// which another piece of it begins and counts 1 / divisor.
enum class TendonPointType : std::int32_t { kPoint, kSphere, kCylinder, kPulley };
const char* tendon_point_type_name(TendonPointType type);          // "point", "sphere", "cylinder", "pulley"
TendonPointType parse_tendon_point_type(const std::string& name);  // throws Error for anything else
struct TendonPoint {
  TendonPointType type = TendonPointType::kPoint;
  int body = -1;          // that carries it, -1 = the world
  Transform xform{};      // in the body; z is the axis of a cylinder [m]
  Real radius = 0;        // of a sphere or a cylinder [m]
  Real divisor = 1;       // of a pulley
  bool has_side = false;  // the point below says on which side a sphere or a cylinder is passed
  int side_body = -1;
  Vec3 side{};  // in side_body [m]; inside of what is wrapped around: the tendon runs through its inside
};

// What an actuator acts on. Joint: one degree of freedom, or a ball or free joint by its wrench. Site: a wrench on a
// body, in the axes of the site; with a reference, against that, in its axes. Slider crank: a slider that a rod pushes.
// Body: what touches the body and the body, which it pulls together, each contact with an equal share.
enum class ActuatorTarget : std::int32_t { kJoint, kTendon, kSite, kSliderCrank, kBody };
enum class ActuatorLaw : std::int32_t { kAffine, kMuscle, kPid, kDcMotor, kOrientation };
// How ctrl becomes activation: not at all; its integral; what follows it with a time constant (kFilterExact: integrated
// exactly over a step); a muscle's.
enum class ActuatorDynamics : std::int32_t { kNone, kIntegrator, kFilter, kFilterExact, kMuscle };
const char* actuator_law_name(ActuatorLaw law);                 // "affine", "muscle", "pid", "dcmotor", ...
ActuatorLaw parse_actuator_law(const std::string& name);        // throws Error for anything else
const char* actuator_dynamics_name(ActuatorDynamics dynamics);  // "none", "integrator", "filter", "filterexact", ...
ActuatorDynamics parse_actuator_dynamics(const std::string& name);  // throws Error for anything else

// What an actuator is told, bits of ActuatorConfig::inputs: setpoints of length and velocity, a force (or, before the
// motor, what it should do) that is added, a voltage that is added. control.ctrl has one number for each, in this
// order. Of an orientation: a rotation vector (kInputPosition), or a quaternion xyzw alone.
enum ActuatorInput : std::int32_t {
  kInputPosition = 1,
  kInputVelocity = 2,
  kInputForce = 4,
  kInputVoltage = 8,
  kInputQuaternion = 16
};
constexpr int kActuatorInputs = 4;                     // of pid controllers and DC motors
std::string actuator_inputs_name(int inputs);          // "position velocity force"
int parse_actuator_inputs(const std::string& inputs);  // throws Error for anything else

// What pid controllers and DC motors remember, bits of the column actuator_states: a setpoint that follows its input at
// most so fast; the integral of how far the length is from it; temperature above that of the air; bristles of friction;
// current. State.act has one number for each, in this order.
enum ActuatorState : std::int32_t {
  kStateSlew = 1,
  kStateIntegral = 2,
  kStateTemperature = 4,
  kStateBristle = 8,
  kStateCurrent = 16
};
constexpr int kActuatorStates = 5;

// Of a pid controller, or of the one in front of a DC motor. With the setpoints p, v, its input f and the integral e of
// p - L: kp (p - L) + kv (v - V) + ki e + f.
struct ControllerConfig {
  Real kp = 0, kv = 0, ki = 0;
  Real integral_max = 0;  // the integral stops growing there; 0: it does not stop
  Real slew_max = 0;      // its first input is followed at this rate at most [1/s]; 0: at once
  // Position, velocity, force, voltage are clamped to these.
  RealN<4> input_lower{-kUnlimited, -kUnlimited, -kUnlimited, -kUnlimited};
  RealN<4> input_upper{kUnlimited, kUnlimited, kUnlimited, kUnlimited};
};

// What a delayed ctrl was between two steps: as in the one before, or a line or a cubic (Hermite) between them.
enum class Interpolation : std::int32_t { kHold, kLinear, kCubic };
const char* interpolation_name(Interpolation interpolation);  // "hold", "linear", "cubic"
Interpolation parse_interpolation(const std::string& name);   // throws Error for anything else

// A DC motor. Its force is constant times its current, and within the bounds of the actuator; cogging and friction come
// on top of it. Where it has setpoints, the voltage is the one at which it does what the controller says.
struct DcMotorConfig {
  Real resistance = 1;        // [Ohm]
  Real constant = 1;          // force per current, voltage per velocity
  Real voltage_max = 0;       // of the controller [V]; 0: unlimited
  Real current_time = 0;      // inductance / resistance [s]; 0: the current follows at once
  Real current_rate_max = 0;  // [A/s]; 0: unlimited
  Real heat_resistance = 0;   // to the air [K/W]; 0: it does not get warm
  Real heat_capacity = 1;     // [J/K]
  Real heat_coefficient = 0;  // of the resistance, per temperature [1/K]
  Real heat_reference = 25;   // where the resistance is that above [C]
  Real heat_ambient = 25;     // temperature of the air [C]
  Real cogging = 0;           // cogging sin(poles L + phase)
  Real cogging_poles = 0;
  Real cogging_phase = 0;
  Real bristle_stiffness = 0;  // friction by bristles (LuGre); 0: none
  Real bristle_damping = 0;
  Real bristle_coulomb = 0;  // friction that moves on
  Real bristle_static = 0;   // that holds
  Real bristle_speed = 1;    // between these (Stribeck)
};

// With the length L and its rate V of what it acts on, both times gear, and the input u, which is ctrl or, of an
// actuator with dynamics, its activation: (gain + gain_slope[0] L + gain_slope[1] V) u + bias[0] + bias[1] L + bias[2]
// V, or what a muscle does (docs/mujoco_solver.md). What it acts on feels gear times this force. The defaults are those
// of a motor. kOrientation turns a ball joint, or a site against its reference, to where it is told: gain e + bias[0] +
// bias[2] V of the rotation vector e that is left, whose size force_upper bounds; there is no gear.
struct ActuatorConfig {
  int axis = 0;  // degree of freedom inside the joint
  Real gear = 1;
  SpatialVector wrench{};  // of sites, ball and free joints: force and moment per force
  bool in_parent = false;  // the moment on a ball or free joint is in the axes of its parent, not of its child
  Real gain = 1;
  RealN<2> gain_slope{};  // gain per length, per velocity
  RealN<3> bias{};
  ActuatorLaw law = ActuatorLaw::kAffine;
  RealN<10> muscle{Real(0.75), Real(1.05), 0, 1, 1, Real(0.5), Real(1.6), Real(1.5), Real(1.3), Real(1.2)};
  ActuatorDynamics dynamics = ActuatorDynamics::kNone;
  RealN<3> time{1, 0, 0};        // of a muscle: of activation, of deactivation, width of the transition [s]
  bool act_early = false;        // the force is that of the activation to come
  Real act_lower = -kUnlimited;  // the activation stays within these
  Real act_upper = kUnlimited;
  Real ctrl_lower = -kUnlimited;  // ctrl is clamped to these
  Real ctrl_upper = kUnlimited;
  Real force_lower = -kUnlimited;  // force is clamped to these, before the gear [N] or [N m]
  Real force_upper = kUnlimited;
  int inputs = kInputPosition;    // of kPid, kDcMotor and kOrientation; all others have one
  ControllerConfig controller{};  // of kPid and kDcMotor
  DcMotorConfig motor{};
  Real delay = 0;         // ctrl counts so much later [s]
  int delay_samples = 0;  // steps whose ctrl is kept (State::ctrl_history); a delay is at least one step long
  Interpolation interpolation = Interpolation::kHold;
};

// How a step gets from velocities to velocities. Euler: implicit in the damping of joints alone. ImplicitFast: in all
// that joints, tendons and actuators do against velocities, and in what turns a free body about itself. Implicit: in
// what turning does to all bodies, too. RK4: Runge and Kutta's method of fourth order, which finds contacts and solves
// four times a step. Discrete: springs, servos, dampers and constraints act as they are at the end of the step.
enum class Integrator : std::int32_t { kEuler, kImplicitFast, kRK4, kImplicit, kDiscrete };
const char* integrator_name(Integrator integrator);    // "euler", "implicitfast", "rk4", "implicit", "discrete"
Integrator parse_integrator(const std::string& name);  // throws Error for anything else

// What the friction of a contact stays within: a pyramid, whose edges lie along the two tangents, or the cone itself,
// which is the same in all directions.
enum class Cone : std::int32_t { kPyramidal, kElliptic };
const char* cone_name(Cone cone);          // "pyramidal", "elliptic"
Cone parse_cone(const std::string& name);  // throws Error for anything else

// Whether a tree falls asleep where options.sleep is set; that of its root counts. kAuto: unless actuators, drives of
// its joints (target_ke, target_kd), or tendons that pull it towards other trees, act on it. kInit: as kAllowed, and it
// is ready to sleep from the beginning on.
enum class SleepPolicy : std::int32_t { kAuto, kNever, kAllowed, kInit };
inline constexpr int kSleepPolicies = 4;
const char* sleep_policy_name(SleepPolicy policy);        // "auto", "never", "allowed", "init"
SleepPolicy parse_sleep_policy(const std::string& name);  // throws Error for anything else

// How a model is stepped, in all its worlds. They travel with a builder into the one that it is added to.
struct ModelOptions {
  Real timestep = Real(1) / 240;               // of a Simulation that is given none [s]
  Integrator integrator = Integrator::kEuler;  // of SolverMuJoCo
  bool euler_damping = true;                   // Euler is implicit in the damping of joints
  Cone cone = Cone::kPyramidal;                // of friction
  Real impratio = 1;                           // how much harder friction is than what keeps bodies apart
  bool refsafe = true;                         // time constants of solref are at least two timesteps
  bool diagexact = false;                      // softness of constraints goes by M as it is, not as it was at first
  bool speculative = false;                    // Simulation: contacts of fast shapes that meet within the step
  Real contact_keep_distance = 0;              // Simulation: CollisionConfig::keep_distance [m]
  int noslip_iterations = 0;                   // sweeps that take the slip out of friction, after a solve
  Real noslip_tolerance = Real(1e-6);          // they end when one gains less than this, over trace(M)
  Real density = 0;                            // of the fluid that bodies move in [kg/m^3]
  Real viscosity = 0;                          // of it [Pa s]
  Vec3 wind{};                                 // its velocity [m/s]
  Vec3 magnetic{0, Real(-0.5), 0};             // flux that magnetometers measure, world frame
  bool sleep = false;                 // trees that have come to rest are not stepped until something wakes them
  Real sleep_tolerance = Real(1e-3);  // of their speeds [m/s]

  // -- Of contacts, in all solvers but SolverMuJoCo, which has MuJoCo's rules.
  CombineRule combine = CombineRule::kAverage;  // of the materials of two shapes, or of a shape and a particle
  // Material of particles where they touch shapes, as in ShapeConfig.
  Real soft_contact_ke = 1e3;  // [N/m]
  Real soft_contact_kd = 10;   // [N s/m]
  Real soft_contact_kf = 1e3;  // [N s/m]
  Real soft_contact_mu = Real(0.5);
  Real soft_contact_restitution = 0;
  // Material of particles where they touch each other.
  Real particle_ke = 1e3;  // [N/m]
  Real particle_kd = 100;  // [N s/m]
  Real particle_kf = 100;  // [N s/m]
  Real particle_mu = Real(0.5);
  Real particle_cohesion = 0;  // so far apart they still pull each other [m]
  friend bool operator==(const ModelOptions&, const ModelOptions&) = default;
};

enum class JointType : std::int32_t {
  kPrismatic = 0,
  kRevolute = 1,
  kBall = 2,
  kFixed = 3,
  kFree = 4,
  kDistance = 5,
  kD6 = 6,
};
const char* joint_type_name(JointType type);

enum class EqualityType : std::int32_t { kConnect = 0, kWeld = 1, kJoint = 2, kTendon = 3 };

// Bits of shape_flags.
enum ShapeFlag : std::int32_t {
  kShapeVisible = 1,
  kShapeCollidesShapes = 2,
  kShapeCollidesParticles = 4,
  kShapeIsSite = 8,
  kShapeFilterParent = 16,
};
// Bits of body_flags.
enum BodyFlag : std::int32_t { kBodyDynamic = 1, kBodyKinematic = 2 };
// Bits of particle_flags.
enum ParticleFlag : std::int32_t { kParticleActive = 1 };

// -- Arguments of the builder's methods, named as in Python: builder.add_link({.mass = 2, .key = "arm"}).

struct BodyArgs {
  Transform xform{};          // X_WB, initial pose of the body frame
  Vec3 com{};                 // centre of mass in the body frame [m]
  Mat33 inertia{};            // about the centre of mass, in body axes [kg m^2]
  Real mass = 0;              // [kg]; shapes with a density add to it
  std::string key{};          // name, unique among the bodies of its world
  bool lock_inertia = false;  // shapes do not change mass, com and inertia
  bool is_kinematic = false;  // moved by the user alone; infinite mass for the solvers
  Real gravcomp = 0;          // the share of its weight that is carried for it
  RealN<4> fluid_axes{};      // of its box in a fluid, quaternion xyzw; 0: the principal axes of its inertia
  SleepPolicy sleep = SleepPolicy::kAuto;  // of the tree that it is the root of
};

// Two shapes whose contacts have numbers of their own.
struct ContactPairArgs {
  int condim = 3;
  // Coefficients along both tangents, torsional friction, rolling friction about both tangents [m].
  RealN<5> friction{1, 1, Real(0.005), Real(0.0001), Real(0.0001)};
  RealN<2> solref = kDefaultSolref;
  RealN<2> solref_friction{};  // of friction in an elliptic cone; zeros: that of the normal
  RealN<5> solimp = kDefaultSolimp;
  Real margin = 0;    // contacts make forces from this distance on, as far as the margins of the shapes reach [m]
  Real gap = 0;       // contacts exist from so much more on, as far as the margins of the shapes reach [m]
  Real adhesion = 0;  // the force that it takes to pull the sides of a contact apart [N]
  std::string key{};
};

// A frame that a body carries.
struct BodyPose {
  int body = -1;  // -1 = the world
  Transform xform{};
};

struct JointFrames {
  Transform parent_xform{};  // X_PJ, joint frame in the parent body
  Transform child_xform{};   // X_CJ, joint frame in the child body
  std::string key{};
  bool enabled = true;
};

struct EqualityArgs {
  std::string key{};
  bool enabled = true;
  RealN<2> solref = kDefaultSolref;
  RealN<5> solimp = kDefaultSolimp;
};

struct ShapeArgs {
  Transform xform{};                 // X_BS, pose of the shape in the body (in the world for body -1)
  std::optional<ShapeConfig> cfg{};  // not given: the builder's default_shape_cfg
  std::string key{};
};

struct AddArgs {
  Transform xform{};         // where the copy is placed
  std::string key_prefix{};  // put before every key of the copy
};

// Elastic properties of cloth; see ModelBuilder for the defaults.
struct TriangleConfig {
  Real ke = 100;  // stretch stiffness
  Real ka = 100;  // area stiffness
  Real kd = 10;   // damping
  Real drag = 0;  // aerodynamic drag
  Real lift = 0;  // aerodynamic lift
};
struct EdgeConfig {
  Real ke = 100;  // bending stiffness
  Real kd = 0;    // bending damping
};
struct SpringConfig {
  Real ke = 100;     // [N/m]
  Real kd = 0;       // [N s/m]
  Real control = 0;  // actuation
};
struct TetrahedronConfig {
  Real k_mu = 1e3;      // first Lame parameter [Pa]
  Real k_lambda = 1e3;  // second Lame parameter [Pa]
  Real k_damp = 0;
};

// Which sides of a grid of particles are fixed (mass 0).
struct GridSides {
  bool left = false, right = false, top = false, bottom = false;
};

struct ClothGridArgs {
  Vec3 pos{};  // of the first particle [m]
  Quat rot{};
  Vec3 vel{};                                   // [m/s]
  int dim_x = 1, dim_y = 1;                     // cells
  Real cell_x = Real(0.1), cell_y = Real(0.1);  // [m]
  Real mass = Real(0.1);                        // of each particle [kg]
  bool reverse_winding = false;
  GridSides fix{};
  std::optional<TriangleConfig> tri{};
  std::optional<EdgeConfig> edge{};
  bool add_springs = false;
  std::optional<SpringConfig> spring{};
  Real particle_radius = kNotSet;  // not set: the builder's default_particle_radius
};

struct SoftGridArgs {
  Vec3 pos{};
  Quat rot{};
  Vec3 vel{};
  int dim_x = 1, dim_y = 1, dim_z = 1;
  Real cell_x = Real(0.1), cell_y = Real(0.1), cell_z = Real(0.1);
  Real density = 1;  // [kg/m^3]
  TetrahedronConfig tet{};
  GridSides fix{};
  std::optional<TriangleConfig> tri{};  // of the surface triangles; not given: no stiffness of their own
  Real particle_radius = kNotSet;
};

}  // namespace carom::inline CAROM_PRECISION
