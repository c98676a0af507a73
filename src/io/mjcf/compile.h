// From what a file says to the numbers of a compiled model: names become indices, bodies get their mass, and what
// nobody wrote gets the value that MuJoCo gives it.
#pragma once

#include <map>

#include "io/mjcf/spec.h"

namespace carom::inline CAROM_PRECISION {

using NameIndex = std::map<std::string, int>;

struct CompiledMesh {
  MjcfPose X;     // of the frame that its vertices were moved to, in that of its file
  double volume;  // of a shell: its area
  bool shell;
  Vec3d inertia;  // of density 1
  Vec3d reach;    // largest coordinates
  Vec3d low, high;
};

struct Compiling {
  const MjcfSpec& spec;
  XmlBudget& budget;  // mesh files count, too
  CompiledMjcf out{};
  MjcfPlaces places{};            // of its rows
  std::vector<int> looked_for{};  // actuators whose lengths want a simulation
  NameIndex bodies{}, joints{}, geoms{}, sites{}, tendons{}, meshes{}, heightfields{};
  NameIndex actuators{}, cameras{}, lights{};
  std::vector<int> joint_body{}, dof_joint{}, tree_of{};
  std::vector<bool> adjusted{};       // of bodies: whether bounds or balance changed their mass
  std::vector<MjcfPose> alignment{};  // of bodies: their old frame in the one that they were aligned with
  std::vector<CompiledMesh> compiled_meshes{};
  // Where bodies are at qpos0; joints add nothing there.
  std::vector<MjcfPose> X_WB{};
};

// Bodies, geoms and what they weigh.
void compile_masses(Compiling& c);
// Without what <compiler discardvisual, fusestatic> takes away.
MjcfSpec simplified(const MjcfSpec& spec, XmlBudget& budget);
// All but warnings and what is custom.
ReadMjcf compile_mjcf(const MjcfSpec& spec, XmlBudget& budget);

void compile_options(Compiling& c);
void compile_bodies(Compiling& c);
void compile_meshes(Compiling& c);
void compile_heightfields(Compiling& c);
void compile_joints(Compiling& c);
void compile_geoms(Compiling& c);
void compile_sites(Compiling& c);
void compile_cameras(Compiling& c);
// Mass and inertial frames, once the geoms are known.
void compile_inertias(Compiling& c);
void compile_same_frames(Compiling& c);
void compile_trees(Compiling& c);
void compile_pairs(Compiling& c);
void compile_tendons(Compiling& c);
void compile_actuators(Compiling& c);
void compile_equalities(Compiling& c);
// What follows from the pose qpos0: lengths of tendons, equalities, inertia that actuators and springs feel.
void compile_lengths(Compiling& c);
void compile_reference_dynamics(Compiling& c);
void compile_sleep(Compiling& c);
void compile_sensors(Compiling& c);
void compile_keyframes(Compiling& c);

// Of the next row of a kind.
void note_place(Compiling& c, MjcfRows kind, const XmlPlace& place, const std::string& element);

// -- Helpers

template <class... Parts>
[[noreturn]] void fail_compile(const XmlPlace& place, const char* element, const Parts&... parts) {
  fail(at_place(place, element), parts...);
}
int find_name(const NameIndex& names, const std::string& name, const XmlPlace& place, const char* element,
              const char* kind);
void add_name(NameIndex& names, const std::string& name, int index, const XmlPlace& place, const char* element);

// "auto" is true where there is a range, unless the compiler wants it said.
bool is_limited(const Compiling& c, int limited, const Doubles2& range, const XmlPlace& place, const char* element,
                const char* attribute);

template <class T, std::size_t N>
void append(std::vector<T>& to, const std::array<T, N>& row) {
  to.insert(to.end(), row.begin(), row.end());
}
inline void append(std::vector<double>& to, Vec3d v) { to.insert(to.end(), {v.x, v.y, v.z}); }
inline void append(std::vector<double>& to, Quatd q) { to.insert(to.end(), {q.w, q.x, q.y, q.z}); }
inline MjcfPose pose_of(const std::vector<double>& pos, const std::vector<double>& wxyz, int i) {
  return {vec3(pos, i), quat(wxyz, i)};
}
inline void put_row(std::vector<double>& to, int i, Vec3d v) {
  for (int k = 0; k < 3; ++k) to[3 * static_cast<std::size_t>(i) + static_cast<std::size_t>(k)] = v[k];
}
inline void put_row(std::vector<double>& to, int i, Quatd q) {
  const double wxyz[] = {q.w, q.x, q.y, q.z};
  for (int k = 0; k < 4; ++k) to[4 * static_cast<std::size_t>(i) + static_cast<std::size_t>(k)] = wxyz[k];
}

// Eigenvalues of a symmetric matrix in falling order, and the frame of its eigenvectors.
struct PrincipalFrame {
  Vec3d values;
  Quatd q;
};
// Elements beside the diagonal may remain up to `tolerance`, and up to rounding.
PrincipalFrame principal_frame(const Mat33d& symmetric, double tolerance = 0);

struct BodyMass {
  double mass = 0;
  MjcfPose frame{};
  Vec3d inertia{};
};
struct MassPart {
  double mass;
  MjcfPose X;
  Vec3d inertia;
};
BodyMass mass_of_parts(const std::vector<MassPart>& parts);

struct GeomMass {
  double mass = 0;
  Vec3d inertia{};  // about the centre, along the axes
};
// Pose and size of a geom that a mesh was given to, but is none.
void fit_to_mesh(const GeomSpec& geom, const CompiledMesh& mesh, MjcfPose& X, Doubles3& size);
double shell_area(int type, Vec3d size);
Vec3d shell_inertia(int type, Vec3d size, double mass);
GeomMass geom_mass(const Compiling& c, const GeomSpec& geom, const Doubles3& size);

}  // namespace carom::inline CAROM_PRECISION
