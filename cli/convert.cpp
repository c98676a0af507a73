// carom convert: a model file of one kind as one of another.
#include <cstdio>

#include "cli/commands.h"
#include "cli/load_model.h"
#include "cli/table.h"
#include "cli/usd.h"

namespace carom::cli {

namespace {

// What is lost is said where warnings are.
void convert_to_urdf(const Model& model, const ConvertArgs& args) {
  for (const std::string& lost : save_urdf(model, args.to, args.world))
    std::fprintf(stderr, "lost: %s\n", lost.c_str());
  std::printf("%s: one world\n", args.to.c_str());
}

void convert_to_usd(const Model& model, const ConvertArgs& args) {
  const PassingFolder folder;
  model.save(folder.file("model.carom"));
  for (const std::string& line : convert_usd(folder.file("model.carom"), args.to))
    std::fprintf(stderr, "%s\n", line.c_str());
  std::printf("%s: a stage\n", args.to.c_str());
}

}  // namespace

void convert(const ConvertArgs& args) {
  const FileKind kind = kind_of_file(args.to);
  if (kind == FileKind::kUnknown) throw Error("convert: how '" + args.to + "' ends is none of: " + kKnownFiles);
  const LoadedModel loaded = load_model(args.from, args.worlds);
  print_warnings(loaded);
  const Model& model = loaded.model;
  if (kind == FileKind::kUrdf) return convert_to_urdf(model, args);
  if (kind == FileKind::kMjcf) {
    save_mjcf(model, args.to, args.world);
    std::printf("%s: one world\n", args.to.c_str());
    return;
  }
  if (kind == FileKind::kUsd) return convert_to_usd(model, args);
  if (args.world >= 0)
    throw Error("convert: --world chooses the world of an MJCF or URDF file; '" + args.to + "' has all");
  model.save(args.to);
  const auto counted = [](int count, const char* one, const char* several) {
    return grouped(count) + (count == 1 ? one : several);
  };
  std::printf("%s: %s, %s\n", args.to.c_str(), counted(model.world_count, " world", " worlds").c_str(),
              counted(model.body_count, " body", " bodies").c_str());
}

}  // namespace carom::cli
