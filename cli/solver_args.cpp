#include "cli/solver_args.h"

#include <charconv>

#include "carom/error.h"
#include "cli/table.h"

namespace carom::cli {
namespace {

// Every solver with its options and their defaults.
std::string option_help() {
  std::string text = "name=value, may be repeated;";
  for (const std::string& solver : solver_names()) {
    text += " " + solver + ":";
    for (const SolverOption& option : solver_options(solver))
      text += " " + option.name + "=" + format("%g", option.value);
  }
  return text;
}

SolverOption parse_option(const std::string& text) {
  const std::size_t equals = text.find('=');
  SolverOption option{text.substr(0, equals), 0};
  const char *begin = text.data() + equals + 1, *end = text.data() + text.size();
  if (equals == std::string::npos || std::from_chars(begin, end, option.value).ptr != end || begin == end)
    throw Error("--option '" + text + "' is not name=value with a number; for example iterations=20");
  return option;
}

}  // namespace

void add_solver_args(CLI::App& command, SolverArgs& args) {
  if (args.name.empty()) args.name = kDefaultSolver;
  command.add_option("--solver", args.name, "that turns contacts into motion")
      ->capture_default_str()
      ->check(CLI::IsMember(solver_names()));
  command.add_option("--option", args.options, option_help());
}

Solver make_solver(const SolverArgs& args, const Model& model, const Queue* queue) {
  std::vector<SolverOption> options;
  for (const std::string& text : args.options) options.push_back(parse_option(text));
  return carom::make_solver(args.name, model, options, queue);
}

}  // namespace carom::cli
