// URDF files, robots of links and joints, into models and from them; docs/urdf.md says what becomes of what.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "carom/builder.h"
#include "carom/file_limits.h"

namespace carom::inline CAROM_PRECISION {

// A URDF file, or the text of one; files that a text names are looked for in `folder`.
struct UrdfSource {
  std::string path{};  // empty: `text` is read
  std::string text{};
  std::string folder{};
  std::string root{};  // a folder outside of which no file is read, whatever names and links say; empty: anywhere
  FileLimits limits{};
};

struct UrdfArgs {
  bool enable_self_collisions = true;  // false: shapes of moving links touch only what stands still
  // The root link has a free joint (true), or stands still. What hangs on a root called "world" floats as the file
  // says, unless this says it.
  std::optional<bool> floating{};
  double scale = 1;                          // of all lengths; masses stay, inertia grows with the square
  bool ignore_inertial_definitions = false;  // mass is that of the colliding shapes, by their density
  bool collapse_fixed_joints = false;        // links that fixed joints hold become one body
  bool parse_visuals_as_colliders = false;   // <visual> in place of <collision>
  bool hide_visuals = false;                 // they are in the model, and not shown
  std::vector<std::string>
      package_path{};  // folders in which package://NAME/ is looked for, before those above the file
};

// The robot, into the current world of a builder, or global outside of one. Its shapes and joints have what the file
// does not say from the builder's default_shape_cfg and default_joint_cfg. Returns what was not understood and leaves
// the motion alone. Throws Error with file, line and element for all that is wrong.
std::vector<std::string> add_urdf(ModelBuilder& builder, const UrdfSource& source, const UrdfArgs& args = {},
                                  const AddArgs& place = {});

// A model of one world. warnings: takes those of add_urdf(), which are written to the standard error without it.
Model load_urdf(const UrdfSource& source, const UrdfArgs& args = {}, std::vector<std::string>* warnings = nullptr);
Model load_urdf(const std::string& path, const UrdfArgs& args = {}, std::vector<std::string>* warnings = nullptr);

struct UrdfMeshFile {
  std::string name;  // as the text names it, relative to the file
  std::string content;
};
struct WrittenUrdf {
  std::string text;
  std::vector<UrdfMeshFile> meshes{};
  std::vector<std::string> lost{};  // what URDF cannot say, by name
};

// One world of a model as URDF; world -1: the only one. What stands still hangs on a root link called "world".
// mesh_folder: where the text says that its meshes are.
WrittenUrdf to_urdf(const Model& model, int world = -1, const std::string& mesh_folder = "meshes");
// To a file, and its meshes into a folder beside it, PATH without its ending + "_meshes". Returns what was lost.
std::vector<std::string> save_urdf(const Model& model, const std::string& path, int world = -1);

}  // namespace carom::inline CAROM_PRECISION
