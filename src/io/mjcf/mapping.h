// What the parts of import_mjcf() know and share. Each adds one kind of thing to the builder, from the numbers of the
// compiled model; they are called in the order in which they stand here.
//
// MuJoCo's body i is body i - 1 of the builder, geom i is shape i, tendon, actuator and equality i have their numbers.
// Sites that sensors name are shapes behind those of the geoms.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "carom/compiled_mjcf.h"
#include "io/mjcf/rows.h"

namespace carom::inline CAROM_PRECISION {

// Which forces the model has: no flag disables them, and nobody ignores them.
struct MjcfEffects {
  bool equality, frictionloss, limit, contact, spring, damper, passive, gravity, clampctrl, filterparent, actuation;
  bool refsafe, eulerdamp, override_contacts, sleep, diagexact, speculative, sensor;
};

// Consecutive joints of a body that are one joint of carom; see joint_runs.cpp.
struct JointRun {
  std::vector<int> joints{};           // of MuJoCo
  bool turning = false, free = false;  // a ball or free joint, always one of its own
  std::vector<Vec3d> slides{}, hinges{};
  Vec3d anchor{};
  Vec3d start{};        // what the slides are short of their qpos0
  Quatd turned_back{};  // C_n
};
std::vector<JointRun> joint_runs(const CompiledMjcf& m, int body);
Transformd parent_frame(const JointRun& run, const Transformd& X_PB);
Transformd child_frame(const JointRun& run);

// What the rotors of actuators add to a joint or tendon: their own, times the square of the gear.
struct Rotors {
  double armature = 0, damping = 0;
  std::array<double, 2> damping_poly{};
};

struct DofPlace {
  int joint = -1, axis = 0;
};

constexpr double kNoPair = -std::numeric_limits<double>::infinity();  // pair_reach of a geom that is in none

// A row of the compiled model; -1: none in particular.
struct MjcfRow {
  MjcfRows kind = MjcfRows::kOption;
  int index = -1;
};

struct Mapping {
  const CompiledMjcf& m;
  const MjcfArgs& args;
  MjcfRow& now;  // what is being added: errors say where it stands
  MjcfEffects has;
  ModelBuilder builder{};
  std::vector<std::vector<JointRun>> runs{};  // of bodies
  std::vector<std::vector<int>> links{};      // of bodies: the massless links that its runs but the last one move
  std::vector<int> pairs{};                   // that are expressed
  std::vector<double> pair_reach{};           // of geoms: half the distance from which on contacts of pairs are found
  std::vector<Rotors> joint_rotors{}, tendon_rotors{};
  std::vector<DofPlace> axis_of{};   // of MuJoCo's joints; -1: it is free or a ball
  std::vector<int> turning_joint{};  // of MuJoCo's joints, free and ball
};

bool ignores(const MjcfArgs& args, const char* name);
MjcfEffects effects_of(const CompiledMjcf& m, const MjcfArgs& args);
ModelOptions options_of(const Mapping& map);
void find_rotors(Mapping& map);
void find_pairs(Mapping& map);
void add_bodies(Mapping& map);
void add_joints(Mapping& map);
void add_shapes(Mapping& map);
void add_filters(Mapping& map);
void add_pairs(Mapping& map);
void add_tendons(Mapping& map);
void add_actuators(Mapping& map);
void add_equalities(Mapping& map);
void add_sensors(Mapping& map);

// A mesh of the model, or the hull that MuJoCo made of it.
std::shared_ptr<const Mesh> make_mesh(const CompiledMjcf& m, int mesh, bool hull);

// Whether a sensor can be expressed; otherwise what it is that cannot.
std::string why_no_mjcf_sensor(const CompiledMjcf& m, int sensor);

// A list of names may be left out.
inline std::string name_at(const std::vector<std::string>& names, int i) {
  return static_cast<std::size_t>(i) < names.size() ? names[i] : std::string();
}
Real spring_yield(const Mapping& map, double given);  // of a joint or a tendon; 0: never
const DofPlace& place_of(const Mapping& map, int joint);

// Where MuJoCo has frames in their bodies; see frames.cpp.
Transformd body_frame(const CompiledMjcf& m, int body);  // in its parent
Transformd inertial_frame(const CompiledMjcf& m, int body);
Transformd geom_frame(const CompiledMjcf& m, int geom);
Transformd site_frame(const CompiledMjcf& m, int site);
BodyPose site_pose(const CompiledMjcf& m, int site);
Transformd camera_frame(const CompiledMjcf& m, int camera);
std::vector<Transformd> world_frames(const CompiledMjcf& m);  // of bodies, at qpos0

// What the model asks for and cannot be expressed, one line for each feature, and the names of what has it; what is
// ignored is among it.
struct MjcfProblem {
  std::string line;
  std::string name;      // of mjcf_ignorables(); empty: the model cannot do without
  bool unasked = false;  // it is left out, whoever asks: it moves nothing, and MuJoCo alone knows what it reads
};
std::vector<MjcfProblem> unsupported(const CompiledMjcf& m, const MjcfArgs& args);

}  // namespace carom::inline CAROM_PRECISION
