// carom convert: a model file of one kind as one of another.
#include <cstdio>

#include "cli/commands.h"
#include "cli/load_model.h"
#include "cli/table.h"
#include "cli/usd.h"

namespace carom::cli {

void convert(const ConvertArgs& args) {
  const LoadedModel loaded = load_model(args.from, args.worlds);
  for (const std::string& warning : loaded.warnings) std::fprintf(stderr, "warning: %s\n", warning.c_str());
  const Model& model = loaded.model;
  if (is_mjcf(args.to)) {
    save_mjcf(model, args.to, args.world);
    std::printf("%s: one world\n", args.to.c_str());
    return;
  }
  if (is_usd(args.to)) {
    const PassingFolder folder;
    model.save(folder.file("model.carom"));
    for (const std::string& line : convert_usd(folder.file("model.carom"), args.to)) std::printf("%s\n", line.c_str());
    std::printf("%s: a stage\n", args.to.c_str());
    return;
  }
  if (args.world >= 0) throw Error("convert: --world chooses the world of an MJCF file; '" + args.to + "' has all");
  model.save(args.to);
  const auto counted = [](int count, const char* one, const char* several) {
    return grouped(count) + (count == 1 ? one : several);
  };
  std::printf("%s: %s, %s\n", args.to.c_str(), counted(model.world_count, " world", " worlds").c_str(),
              counted(model.body_count, " body", " bodies").c_str());
}

}  // namespace carom::cli
