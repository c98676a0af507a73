// MJCF into a builder, and a file as a model of one world.
#include "base/fail.h"
#include "carom/mjcf.h"
#include "model/checks.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// A builder that refuses numbers names what has them; a user also wants to know the file.
template <class Build>
void build_from(const MjcfSource& source, const Build& build) {
  try {
    build();
  } catch (const Error& error) {
    fail(source.path.empty() ? "MJCF" : source.path, ": ", error.what());
  }
}

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

std::vector<std::string> add_mjcf(ModelBuilder& builder, const MjcfSource& source, const MjcfArgs& args,
                                  const AddArgs& place) {
  ReadMjcf read = read_mjcf(source);
  build_from(source, [&] {
    ImportedMjcf imported = import_mjcf(read.model, args);
    check_options(imported.builder.options);  // finalize() would, without a word about the file
    builder.add_builder(imported.builder, place);
    take_gravity(builder, imported.builder.gravity, read.warnings);
    if (!imported.left_out.empty()) read.warnings.push_back(imported.left_out);
  });
  return std::move(read.warnings);
}

Model load_mjcf(const MjcfSource& source, const MjcfArgs& args) {
  MjcfArgs mine = args;
  mine.who = "load_mjcf";
  const CompiledMjcf compiled = read_mjcf(source).model;
  ModelBuilder scene;
  build_from(source, [&] {
    const ModelBuilder builder = import_mjcf(compiled, mine).builder;
    check_options(builder.options);
    scene.add_world(builder);
  });
  return scene.finalize();
}

Model load_mjcf(const std::string& path, const MjcfArgs& args, const MjcfLimits& limits) {
  MjcfSource source;
  source.path = path;
  source.limits = limits;
  return load_mjcf(source, args);
}

}  // namespace carom::inline CAROM_PRECISION
