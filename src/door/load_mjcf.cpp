// MJCF into a builder, and a file as a model of one world.
#include <iostream>

#include "base/fail.h"
#include "carom/mjcf.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Worlds have theirs when they begin; what is not in one yet takes that of the file, unless it has another already.
void take_gravity(ModelBuilder& builder, Vec3 gravity, std::vector<std::string>& warnings) {
  const Vec3 usual = ModelBuilder(builder.up_axis()).gravity;
  if (gravity == usual || gravity == builder.gravity) return;
  if (builder.current_world() < 0 && builder.gravity == usual) {
    builder.gravity = gravity;
    return;
  }
  warnings.push_back(text("the gravity of the file, (", gravity.x, ", ", gravity.y, ", ", gravity.z,
                          "), is not taken: the builder or its world has another one"));
}

}  // namespace

std::vector<std::string> add_mjcf(ModelBuilder& builder, ReadMjcf read, const MjcfArgs& args, const AddArgs& place) {
  find_length_ranges(read, args);
  const ImportedMjcf imported = import_mjcf(read.model, args, read.places);
  try {
    builder.add_builder(imported.builder, place);
  } catch (const Error& error) {  // is about keys and options; a user also wants to know the file
    fail(read.places.where(), error.what());
  }
  take_gravity(builder, imported.builder.gravity, read.warnings);
  if (!imported.left_out.empty()) read.warnings.push_back(imported.left_out);
  return std::move(read.warnings);
}

std::vector<std::string> add_mjcf(ModelBuilder& builder, const MjcfSource& source, const MjcfArgs& args,
                                  const AddArgs& place) {
  return add_mjcf(builder, read_mjcf(source), args, place);
}

Model load_mjcf(const MjcfSource& source, const MjcfArgs& args, std::vector<std::string>* warnings) {
  MjcfArgs mine = args;
  mine.who = "load_mjcf";
  ModelBuilder file, scene;
  std::vector<std::string> found = add_mjcf(file, source, mine);
  if (warnings) *warnings = std::move(found);
  else
    for (const std::string& line : found) std::cerr << "warning: " << line << '\n';
  scene.add_world(file);
  return scene.finalize();
}

Model load_mjcf(const std::string& path, const MjcfArgs& args, std::vector<std::string>* warnings) {
  MjcfSource source;
  source.path = path;
  return load_mjcf(source, args, warnings);
}

}  // namespace carom::inline CAROM_PRECISION
