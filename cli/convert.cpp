// carom convert: a model file of one kind as one of another.
#include <cstdio>

#include "cli/commands.h"
#include "cli/load_model.h"
#include "cli/table.h"

namespace carom::cli {

void convert(const ConvertArgs& args) {
  if (is_mjcf(args.to))
    throw Error("convert: '" + args.to + "': MJCF files are read and not written; give a name that ends in .carom");
  const LoadedModel loaded = load_model(args.from, args.worlds);
  for (const std::string& warning : loaded.warnings) std::fprintf(stderr, "warning: %s\n", warning.c_str());
  loaded.model.save(args.to);
  std::printf("%s: %s, %s bodies\n", args.to.c_str(),
              loaded.model.world_count == 1 ? "1 world" : (grouped(loaded.model.world_count) + " worlds").c_str(),
              grouped(loaded.model.body_count).c_str());
}

}  // namespace carom::cli
