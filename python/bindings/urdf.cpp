// URDF files: load_urdf(), ModelBuilder.add_urdf(), and what they may ask for.
#include "carom/urdf.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "builder.h"
#include "config_fields.h"
#include "model.h"
#include "model_source.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

using Folders = std::vector<std::filesystem::path>;

void add_robot(ModelBuilder& into, const PathOrText& given, UrdfArgs args, const Folders& package_path,
               const std::filesystem::path& root, const FileLimits& limits, const AddArgs& place) {
  auto source = source_of_file<UrdfSource>(given, "a URDF file");
  source.root = root.string();
  source.limits = limits;
  for (const std::filesystem::path& folder : package_path) args.package_path.push_back(folder.string());
  std::vector<std::string> warnings;
  {
    nb::gil_scoped_release unlocked;
    warnings = carom::add_urdf(into, source, args, place);
  }
  warn_python(warnings);
}

void add_urdf(ModelBuilder& self, const PathOrText& source, const MaybeGiven<Transform>& xform, const Key& key_prefix,
              std::optional<bool> floating, double scale, bool hide_visuals, bool parse_visuals_as_colliders,
              bool enable_self_collisions, bool ignore_inertial_definitions, bool collapse_fixed_joints,
              const Folders& package_path, const std::filesystem::path& root, const FileLimits& limits) {
  const UrdfArgs args{
      enable_self_collisions,     floating,     scale, ignore_inertial_definitions, collapse_fixed_joints,
      parse_visuals_as_colliders, hide_visuals, {}};
  add_robot(self, source, args, package_path, root, limits, {read(xform, "xform"), key_prefix.text});
}

ModelHandle load_robot(const PathOrText& source, std::optional<bool> floating, double scale, bool hide_visuals,
                       bool parse_visuals_as_colliders, bool enable_self_collisions, bool ignore_inertial_definitions,
                       bool collapse_fixed_joints, const Folders& package_path, const std::filesystem::path& root,
                       const FileLimits& limits, const std::string& device) {
  const Device target = Device::parse(device);
  const UrdfArgs args{
      enable_self_collisions,     floating,     scale, ignore_inertial_definitions, collapse_fixed_joints,
      parse_visuals_as_colliders, hide_visuals, {}};
  ModelBuilder robot, scene;
  add_robot(robot, source, args, package_path, root, limits, {});
  nb::gil_scoped_release unlocked;
  scene.add_world(robot);
  return ModelHandle{scene.finalize(target)};
}

void bind_file_limits(nb::module_& m) {
  using L = FileLimits;
  bind_config_class<L>(
      m, "FileLimits", "What a URDF file may ask for, so that hostile ones end soon and with an Error.",
      Field<L, std::size_t>{"bytes", &L::bytes, "Of all files together."},
      Field<L, int>{"depth", &L::depth, "Of elements inside elements, and of links on links."},
      Field<L, int>{"elements", &L::elements, "Of each XML file."}, Field<L, int>{"files", &L::files, "Of meshes."},
      Field<L, std::int64_t>{"numbers", &L::numbers, "That few words ask for: copies of meshes."});
}

}  // namespace

void bind_builder_urdf(nb::module_& m, BuilderClass& cls) {
  const UrdfArgs usual;
  bind_file_limits(m);
  cls.def(
      "add_urdf", &add_urdf, nb::arg("source"), nb::arg("xform") = nb::none(), nb::arg("key_prefix") = nb::none(),
      nb::arg("floating") = nb::none(), nb::arg("scale") = usual.scale, nb::arg("hide_visuals") = usual.hide_visuals,
      nb::arg("parse_visuals_as_colliders") = usual.parse_visuals_as_colliders,
      nb::arg("enable_self_collisions") = usual.enable_self_collisions,
      nb::arg("ignore_inertial_definitions") = usual.ignore_inertial_definitions,
      nb::arg("collapse_fixed_joints") = usual.collapse_fixed_joints, nb::arg("package_path") = Folders(),
      nb::arg("root") = "", nb::arg("limits") = FileLimits{},
      "The robot of a URDF file (or its text, which begins with '<') into the current world, or global outside of one, "
      "placed at xform. What the file does not say of shapes and joints is that of default_shape_cfg and "
      "default_joint_cfg. What is wrong is an Error with file, line and element; what is not read is a warning. "
      "floating: the root link has a free joint (True), or stands still. scale: of all lengths; masses stay. "
      "parse_visuals_as_colliders: <visual> in place of <collision>. enable_self_collisions=False: shapes of moving "
      "links touch only what stands still. ignore_inertial_definitions: mass is that of the colliding shapes. "
      "collapse_fixed_joints: links that fixed joints hold become one body. package_path: folders in which "
      "package://NAME/ is looked for, before those above the file. root: a folder outside of which no file is read.");
}

void bind_urdf(nb::module_& m) {
  const UrdfArgs usual;
  m.def("load_urdf", &load_robot, nb::arg("path"), nb::arg("floating") = nb::none(), nb::arg("scale") = usual.scale,
        nb::arg("hide_visuals") = usual.hide_visuals,
        nb::arg("parse_visuals_as_colliders") = usual.parse_visuals_as_colliders,
        nb::arg("enable_self_collisions") = usual.enable_self_collisions,
        nb::arg("ignore_inertial_definitions") = usual.ignore_inertial_definitions,
        nb::arg("collapse_fixed_joints") = usual.collapse_fixed_joints, nb::arg("package_path") = Folders(),
        nb::arg("root") = "", nb::arg("limits") = FileLimits{}, nb::arg("device") = Device{}.name(),
        "A model with one world, from a URDF file; see ModelBuilder.add_urdf().");
}

}  // namespace carom::inline CAROM_PRECISION::python
