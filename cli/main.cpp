// carom: the command line. Each command is a function in a file of its own.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "carom/carom.h"
#include "cli/commands.h"

namespace carom::cli {
namespace {

int run(int argc, char** argv) {
  CLI::App app("Contact physics of many worlds at once.", "carom");
  app.set_version_flag("--version", kVersion);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::help);  // a word mistyped shows the words there are

  DemoArgs demo_args;
  CLI::App* demo_command = app.add_subcommand("demo", "build thousands of worlds, move them, and show what was done");
  demo_command->add_option("--worlds", demo_args.worlds, "number of worlds")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 20));
  demo_command->add_option("--save", demo_args.save, "write the model to this file");
  demo_command->callback([&] { demo(demo_args); });

  InfoArgs info_args;
  CLI::App* info_command = app.add_subcommand("info", "show what is in a model file");
  info_command->add_option("model", info_args.path, "file written by Model.save()")->required();
  info_command->add_option("--keys", info_args.keys, "list this many keys of each kind")->check(CLI::NonNegativeNumber);
  info_command->callback([&] { info(info_args); });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  return 0;
}

}  // namespace
}  // namespace carom::cli

int main(int argc, char** argv) {
  try {
    return carom::cli::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "carom: %s\n", error.what());
    return 1;
  }
}
