// load_mjcf(): a file as a model of one world.
#include "carom/mjcf.h"

namespace carom::inline CAROM_PRECISION {

Model load_mjcf(const std::string& path, const MjcfArgs& args, const MjcfLimits& limits) {
  MjcfSource source;
  source.path = path;
  source.limits = limits;
  MjcfArgs mine = args;
  mine.who = "load_mjcf";
  ModelBuilder scene;
  scene.add_world(import_mjcf(read_mjcf(source).model, mine).builder);
  return scene.finalize();
}

}  // namespace carom::inline CAROM_PRECISION
