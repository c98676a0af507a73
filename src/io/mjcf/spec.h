// What an MJCF file says, as plain structs: default classes, frames and notations of rotations are resolved, names not
// yet. Angles are radians. Defaults are MuJoCo's; vectors of three coefficients are a linear one and its polynomial.
#pragma once

#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "io/mjcf/attributes.h"

namespace carom::inline CAROM_PRECISION {

inline constexpr int kMjcfAuto = 2;  // of words "false", "true", "auto"
inline constexpr double kMjcfNotGiven = std::numeric_limits<double>::quiet_NaN();

using Doubles2 = std::array<double, 2>;
using Doubles3 = std::array<double, 3>;
using Doubles5 = std::array<double, 5>;
inline constexpr Doubles2 kMjcfSolref{0.02, 1};
inline constexpr Doubles5 kMjcfSolimp{0.9, 0.95, 0.001, 0.5, 2};

// How lengths are found that actuators can have. mode: none, muscle, muscleuser, all.
struct LengthRangeSpec {
  int mode = 1;
  bool use_existing = true, use_limit = false;
  MjcfLengthSearch search;
};

// How mass comes to a body: by the rules of the file that the body is written in.
struct InertiaRules {
  double bound_mass = 0, bound_inertia = 0;
  int from_geom = kMjcfAuto;
  int least_group = 0, most_group = 5;
  bool balance = false, align_free = false;
};

enum class OptionConflict { kWarning, kMerge, kError };

struct CompilerSpec {
  MjcfAngles angles;
  bool autolimits = true, strip_path = false, fit_around = false, fuse_static = false, discard_visual = false;
  double total_mass = -1;
  InertiaRules inertia;
  OptionConflict conflict = OptionConflict::kWarning;
  std::string mesh_folder;
  LengthRangeSpec length_range;
  std::int64_t most_steps = 0;  // of simulations that look for lengths (limits.steps)
};

// What scaled frames multiply: lengths without a direction, and what forces are made of, where they follow.
struct MjcfUnits {
  double length = 1, force_length = 1, force_mass = 1;

  double force() const { return force_mass * force_length; }
  double torque() const { return force() * force_length; }
};

// What the scaled frames around an element do to it, known when all is read. Forces follow in frames that scale all
// axes alike, so for them numbers are enough.
struct MjcfScale {
  Mat33d stretch = mat33_identity<double>();  // of vectors in its own axes; of joints: in those of the body
  MjcfUnits units{};                          // length: the geometric mean of the three factors
  double mass = 1;
  int frame = -1, outermost = -1;  // the first and the last of them, in MjcfSpec::frames
};

// What a frame says.
struct FrameScale {
  Vec3d factors{1, 1, 1};
  double mass = 1;
  bool forces = true;

  bool is_even() const { return factors.x == factors.y && factors.x == factors.z; }
  bool is_one() const { return is_even() && factors.x == 1 && mass == 1; }
};

struct JointSpec {
  XmlPlace place;
  std::string name;
  int type = 3;  // mj::kHinge
  Vec3d pos{}, axis{0, 0, 1};
  int limited = kMjcfAuto, actuator_force_limited = kMjcfAuto;
  int align = kMjcfAuto;  // of free joints
  bool actuator_gravcomp = false;
  MjcfScale scale;
  bool degrees = false;  // the range is in degrees, which ends when it is known whether it limits anything
  Doubles2 range{}, actuator_force_range{}, springdamper{};
  Doubles3 stiffness{}, damping{};
  double armature = 0, frictionloss = 0, ref = 0, springref = 0, springyield = 0, margin = 0;
  Doubles2 solref_limit = kMjcfSolref, solref_friction = kMjcfSolref;
  Doubles5 solimp_limit = kMjcfSolimp, solimp_friction = kMjcfSolimp;
};

struct GeomSpec {
  XmlPlace place;
  std::string name, mesh, hfield;
  int type = 2;  // mj::kSphere
  MjcfPose pose;
  Doubles3 size{};
  int contype = 1, conaffinity = 1, condim = 3, priority = 0, group = 0;
  Doubles3 friction{1, 0.005, 0.0001};
  double solmix = 1, margin = 0, gap = 0, adhesion = 0;
  Doubles2 solref = kMjcfSolref;
  Doubles5 solimp = kMjcfSolimp;
  std::array<double, 6> surface_velocity{};
  double mass = kMjcfNotGiven, density = kMjcfNotGiven, fitscale = 1;  // density: see user_rules.cpp
  MjcfScale scale;
  bool shell = false, fluid_ellipsoid = false, fit_around = false;  // fit_around: compiler fitaabb
  Doubles5 fluid_coef{0.5, 0.25, 1.5, 1, 1};
};

struct SiteSpec {
  XmlPlace place;
  std::string name, mesh;
  MjcfPose pose;
  int type = 2;
  Doubles3 size{0.005, 0.005, 0.005};
  MjcfScale scale;
};

// What it sees is known by the angle fovy, or by the size of its sensor, its focal lengths and principal point: these
// in pixels, or where those are 0 in lengths.
struct CameraSpec {
  XmlPlace place;
  std::string name;
  MjcfPose pose{};
  int mode = 0, projection = 0;  // mjtCamLight, mjtProjection
  double fovy = 45;              // [degrees]
  std::array<int, 2> resolution{1, 1};
  Doubles2 sensor_size{}, focal{}, focal_pixel{}, principal{}, principal_pixel{};
  MjcfScale scale{};
};

struct LightSpec {
  XmlPlace place;
  std::string name;
};

struct InertialSpec {
  MjcfPose pose;
  double mass = 0;
  Doubles3 diagonal{};
  std::optional<std::array<double, 6>> full;  // xx, yy, zz, xy, xz, yz
};

struct BodySpec {
  XmlPlace place;
  std::string name;
  int parent = 0;
  MjcfPose pose, own;  // own: in the frame around it, which is not attached with it
  InertiaRules rules;
  std::optional<InertialSpec> inertial;
  bool mocap = false, fuse = true;
  MjcfScale scale;
  double gravcomp = 0;
  int sleep = 0;  // auto, never, allowed, init
  std::vector<JointSpec> joints;
  std::vector<GeomSpec> geoms;
  std::vector<SiteSpec> sites;
  std::vector<CameraSpec> cameras;
  std::vector<LightSpec> lights;
};

struct PairSpec {
  XmlPlace place;
  std::string name, geom1, geom2;
  int condim = 3;
  Doubles2 solref = kMjcfSolref, solreffriction{};
  Doubles5 solimp = kMjcfSolimp, friction{1, 1, 0.005, 0.0001, 0.0001};
  double margin = 0, gap = 0, adhesion = 0;
};

struct ExcludeSpec {
  XmlPlace place;
  std::string name, body1, body2;
};

struct EqualitySpec {
  XmlPlace place;
  std::string name, object1, object2;
  int type = 0;  // mj::Equality
  bool sites = false, active = true;
  Doubles2 solref = kMjcfSolref;
  Doubles5 solimp = kMjcfSolimp;
  std::array<double, 12> data{0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0};
};

struct WrapSpec {
  XmlPlace place;
  int type = 0;  // mj::Wrap; of geoms kWrapSphere
  std::string object, sidesite;
  double number = 0;  // coefficient of a joint, divisor of a pulley
};

struct TendonSpec {
  XmlPlace place;
  std::string name;
  bool spatial = false;
  int limited = kMjcfAuto, actuator_force_limited = kMjcfAuto;
  Doubles2 range{}, actuator_force_range{}, springlength{-1, -1};
  Doubles3 stiffness{}, damping{};
  double margin = 0, frictionloss = 0, armature = 0, springyield = 0;
  Doubles2 solref_limit = kMjcfSolref, solref_friction = kMjcfSolref;
  Doubles5 solimp_limit = kMjcfSolimp, solimp_friction = kMjcfSolimp;
  std::vector<WrapSpec> wraps;
};

struct ActuatorSpec {
  XmlPlace place;
  std::string name, shortcut;                       // the element that it, or its class, was written with
  int transmission = -1;                            // mj::Transmission
  std::string target, other;                        // other: refsite, slidersite
  int dynamics = 0, gain = 0, bias = 0, input = 0;  // input: mjtCtrlInput or mjtCtrlChart
  std::array<double, 10> dynprm{1}, gainprm{1}, biasprm{};
  int actdim = -1, group = 0, samples = 0, interpolation = 0;
  bool act_early = false;
  int ctrl_limited = kMjcfAuto, force_limited = kMjcfAuto, act_limited = kMjcfAuto;
  Doubles2 ctrl_range{}, force_range{}, act_range{}, length_range{};
  Doubles2 velocity_range{}, feedforward_range{};  // of the second and third input of a pid controller
  std::array<double, 6> gear{1};
  Doubles3 damping{};
  double crank_length = 0, armature = 0, delay = 0, inherit_range = 0;
  int attachment = 0;  // the number of the <attach> that it came by; 0: it is the file's own
};

// Something that has a name; type: mjtObj, 0: nothing.
struct MjcfObject {
  int type = 0;
  std::string name{};
};

// What a sensor gives, by its dimension. kCoordinate: of a joint, tendon or actuator.
enum class SensorUnit { kNone, kLength, kForce, kTorque, kCoordinate, kCoordinateForce };

struct SensorSpec {
  XmlPlace place;
  std::string name, element;
  int type = 0, datatype = 0, stage = 0;  // mjtSensor, mjtDataType, mjtStage
  SensorUnit unit = SensorUnit::kNone;    // of cutoff and noise
  int dim = 0;                            // what depends on the object comes later
  MjcfObject object, reference;
  std::array<int, 3> integers{};
  double cutoff = 0, noise = 0, delay = 0;
  Doubles2 interval{};  // period and phase
  int samples = 0, interpolation = 0;
};

// Errors about a sensor say its name.
template <class Do>
void naming_sensor(const std::string& name, const Do& act) {
  try {
    act();
  } catch (const Error& error) {
    if (name.empty()) throw;
    fail(error.what(), " (sensor '", name, "')");
  }
}

// Of an attached model: numbers of its joints and actuators alone; all others, and those that are kMjcfNotGiven, are
// where the model begins.
struct KeySpec {
  XmlPlace place{};
  std::string name{};
  double time = 0;
  int first_body = 0;  // whose joints it tells of
  int attachment = 0;  // whose actuators it tells of
  std::vector<double> qpos{}, qvel{}, act{}, ctrl{}, mpos{}, mquat{};
};

struct TupleSpec {
  struct Element {
    XmlPlace place;
    std::string type, name;
    double number = 0;
  };
  XmlPlace place;
  std::string name;
  std::vector<Element> elements;
};

struct MeshSpec {
  XmlPlace place;
  std::string name, folder, file, content_type, builtin;
  std::vector<double> params;  // of what is built in
  std::vector<double> vertices;
  std::vector<double> faces;
  Vec3d scale{1, 1, 1};
  Mat33d stretch = mat33_identity<double>();  // after all else, by the frames around what shows it
  MjcfPose reference;
  int inertia = 2;  // convex, exact, legacy, shell
  int max_hull_vertices = -1;
};

struct HeightfieldSpec {
  XmlPlace place;
  std::string name, folder, file, content_type;
  int rows = 0, columns = 0;
  std::array<double, 4> size{};
  std::vector<double> elevation;
};

struct OptionSpec {
  XmlPlace place;
  std::set<std::string> given;  // attributes that are written down
  double timestep = 0.002, impratio = 1, noslip_tolerance = 1e-6, sleep_tolerance = 1e-3;
  double density = 0, viscosity = 0, o_margin = 0;
  Doubles3 gravity{0, 0, -9.81}, wind{}, magnetic{0, -0.5, 0};
  Doubles2 o_solref = kMjcfSolref;
  Doubles5 o_solimp = kMjcfSolimp, o_friction{1, 1, 0.005, 0.0001, 0.0001};
  int integrator = 0, cone = 0, noslip_iterations = 0, disable = 0, enable = 0, disable_actuator = 0;
};

// What an actuator takes, as bits or the number of a chart; where none is named, what its gains count as one.
int inputs_of(const ActuatorSpec& actuator);
// How many numbers an actuator has in `act` and in `ctrl`.
int activation_count(const ActuatorSpec& actuator);
int control_count(const ActuatorSpec& actuator);

// What a body has between two moments of reading, and all bodies that were read meanwhile.
struct MjcfRun {
  struct Rows {
    std::size_t first = 0, end = 0;
  };
  int body = 0;
  Rows joints, geoms, sites, cameras, lights, bodies;
};

struct FrameSpec {
  std::string name;
  MjcfPose around, pose;  // of the frame that it stands in, and its own, in the body
  MjcfRun run{};
  FrameScale scale{};
};

// What names bodies and what is in them.
struct MjcfReferences {
  std::vector<PairSpec> pairs;
  std::vector<ExcludeSpec> excludes;
  std::vector<EqualitySpec> equalities;
  std::vector<TendonSpec> tendons;
  std::vector<ActuatorSpec> actuators;
  std::vector<SensorSpec> sensors;
  std::vector<TupleSpec> tuples;
};

struct MjcfSpec : MjcfReferences {
  std::string model_name = "MuJoCo Model";
  CompilerSpec compiler;
  OptionSpec option;
  int plugins = 0;
  std::vector<BodySpec> bodies;  // depth first; 0 is the world
  std::vector<MeshSpec> meshes;
  std::vector<HeightfieldSpec> heightfields;
  std::vector<FrameSpec> frames;  // that have a name, or a scale; those inside before those around them
  std::vector<KeySpec> keys;
  int key_count = 0;    // at least so many
  int attachments = 0;  // that were made so far
  MjcfCustom custom;    // its tuples come last, out of the references
};

}  // namespace carom::inline CAROM_PRECISION
