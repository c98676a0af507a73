// add_urdf(): from a file to a builder of its own, and from there to where it belongs.
#include <iostream>

#include "carom/error.h"
#include "io/urdf/import.h"
#include "model/up_axis.h"

namespace carom::inline CAROM_PRECISION {

namespace {

UrdfMeshes read_meshes(const UrdfSpec& spec, const UrdfArgs& args, XmlBudget& budget, UrdfWarnings& warnings) {
  UrdfMeshes meshes(UrdfPaths(spec.folder, args.package_path, budget), budget, warnings);
  std::vector<const UrdfShape*> needed, optional;
  for (const UrdfLink& link : spec.links) {
    for (const UrdfShape& shape : link.visuals) (args.parse_visuals_as_colliders ? needed : optional).push_back(&shape);
    if (args.parse_visuals_as_colliders) continue;
    for (const UrdfShape& shape : link.collisions) needed.push_back(&shape);
  }
  meshes.read(needed, optional);
  return meshes;
}

ModelBuilder import_spec(UrdfSpec& spec, const UrdfArgs& args, const UrdfMeshes& meshes, const ModelBuilder& around) {
  UrdfImport in{spec, args, meshes, ModelBuilder(around.up_axis())};
  in.builder.default_shape_cfg = around.default_shape_cfg;
  in.builder.default_joint_cfg = around.default_joint_cfg;
  in.place.file = spec.file;
  try {
    plan_urdf_motion(in);
    add_urdf_bodies(in);
    add_urdf_shapes(in);
    check_urdf_masses(in);
    add_urdf_joints(in);
    add_urdf_filters(in);
    add_urdf_actuators(in);
  } catch (const Error& error) {
    const std::string message = error.what();
    if (message.starts_with(*spec.file + ":")) throw;
    fail(at_place(in.place, in.element), message);
  }
  return std::move(in.builder);
}

}  // namespace

std::string free_key(std::unordered_set<std::string>& used, const std::string& wanted) {
  if (wanted.empty()) return "";
  std::string key = wanted;
  for (int i = 2; !used.insert(key).second; ++i) key = wanted + "_" + std::to_string(i);
  return key;
}

std::vector<std::string> add_urdf(ModelBuilder& builder, const UrdfSource& source, const UrdfArgs& args,
                                  const AddArgs& place) {
  XmlBudget budget{source.limits, source.root};
  UrdfWarnings warnings;
  UrdfSpec spec = read_urdf(source, budget, warnings);
  scale_urdf(spec, args.scale);
  const UrdfMeshes meshes = read_meshes(spec, args, budget, warnings);
  const ModelBuilder robot = import_spec(spec, args, meshes, builder);
  AddArgs turned = place;  // z of the file is up
  turned.xform = place.xform * Transform{{}, turn_of_z(builder.up_axis())};
  try {
    builder.add_builder(robot, turned);
  } catch (const Error& error) {
    fail(*spec.file, ": ", error.what());
  }
  return warnings.lines();
}

Model load_urdf(const UrdfSource& source, const UrdfArgs& args, std::vector<std::string>* warnings) {
  ModelBuilder robot, scene;
  std::vector<std::string> found = add_urdf(robot, source, args);
  if (warnings) *warnings = std::move(found);
  else
    for (const std::string& line : found) std::cerr << "warning: " << line << '\n';
  scene.add_world(robot);
  return scene.finalize();
}

Model load_urdf(const std::string& path, const UrdfArgs& args, std::vector<std::string>* warnings) {
  UrdfSource source;
  source.path = path;
  return load_urdf(source, args, warnings);
}

}  // namespace carom::inline CAROM_PRECISION
