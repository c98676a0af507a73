// carom check: what is in a model file, what its reader did not understand, and what looks suspicious.
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "cli/commands.h"
#include "cli/contents.h"
#include "cli/findings.h"
#include "cli/load_model.h"
#include "cli/table.h"

namespace carom::cli {

const char* severity_name(Severity severity) {
  return severity == Severity::kError ? "error" : severity == Severity::kWarning ? "warning" : "note";
}

bool is_examined(const Model& model, int world) {
  if (world < 0) return true;
  for (const Archetype& archetype : model.archetypes)
    if (archetype.world_list.front() == world) return true;
  return false;
}

std::vector<Finding> find_all(const Model& model, const Start& start) {
  std::vector<Finding> findings;
  for (const auto find : {find_failing_step, find_overlaps, find_starts_beyond_limits}) find(model, start, findings);
  for (const auto find :
       {find_thin_shapes, find_mass_ratios, find_stiff_forces, find_stiff_constraints, find_unlimited_motors})
    find(model, findings);
  return findings;
}

namespace {

using nlohmann::ordered_json;

struct Checked {
  std::optional<Model> model;  // none: the file could not be read
  std::vector<std::string> warnings;
  std::vector<std::string> errors;
  std::vector<Finding> findings;
};

Start find_start(const LoadedModel& loaded, const std::string& keyframe) {
  Start start{loaded.model.state(), "the start"};
  if (keyframe.empty()) return start;
  begin_at(find_keyframe(loaded, keyframe, "check"), start.state);
  start.name = "the keyframe '" + keyframe + "'";
  return start;
}

Checked check_file(const CheckArgs& args) {
  Checked checked;
  try {
    LoadedModel loaded = load_model(args.path);
    checked.warnings = loaded.warnings;
    checked.findings = find_all(loaded.model, find_start(loaded, args.keyframe));
    checked.model = std::move(loaded.model);
  } catch (const Error& error) {
    checked.errors.push_back(error.what());
  }
  return checked;
}

int exit_code(const Checked& checked) {
  Severity worst = checked.warnings.empty() ? Severity::kNote : Severity::kWarning;
  if (!checked.errors.empty()) worst = Severity::kError;
  for (const Finding& finding : checked.findings) worst = std::max(worst, finding.severity);
  return static_cast<int>(worst);
}

void print_findings(const std::vector<Finding>& findings, int most) {
  std::map<std::string, int> shown;
  std::set<std::string> advised;
  for (const Finding& finding : findings) {
    if (++shown[finding.kind] > most && most > 0) continue;
    std::printf("%s: %s: %s %s\n", severity_name(finding.severity), finding.kind.c_str(), finding.name.c_str(),
                finding.text.c_str());
    if (advised.insert(finding.advice).second) std::printf("  -> %s\n", finding.advice.c_str());
  }
  for (const auto& [kind, count] : shown)
    if (most > 0 && count > most) std::printf("... and %d more: %s; --rows 0 shows all\n", count - most, kind.c_str());
}

void print_text(const Checked& checked, const CheckArgs& args) {
  std::printf("%s\n", args.path.c_str());
  if (checked.model) print_contents(*checked.model);
  for (const std::string& error : checked.errors) std::printf("error: %s\n", error.c_str());
  for (const std::string& warning : checked.warnings) std::printf("warning: %s\n", warning.c_str());
  print_findings(checked.findings, args.rows);
  const std::size_t warnings = checked.warnings.size() + checked.findings.size();
  if (checked.errors.empty() && warnings == 0) std::printf("nothing suspicious\n");
}

void print_json(const Checked& checked, const CheckArgs& args) {
  ordered_json out;
  out["file"] = args.path;
  if (checked.model) out["contents"] = contents(*checked.model);
  out["errors"] = checked.errors;
  out["warnings"] = checked.warnings;
  out["findings"] = ordered_json::array();
  for (const Finding& finding : checked.findings)
    out["findings"].push_back({{"severity", severity_name(finding.severity)},
                               {"kind", finding.kind},
                               {"name", finding.name},
                               {"value", finding.value},
                               {"text", finding.text},
                               {"advice", finding.advice}});
  out["exit_code"] = exit_code(checked);
  std::printf("%s\n", out.dump(1, ' ', false, ordered_json::error_handler_t::replace).c_str());
}

}  // namespace

int check(const CheckArgs& args) {
  const Checked checked = check_file(args);
  args.json ? print_json(checked, args) : print_text(checked, args);
  return exit_code(checked);
}

}  // namespace carom::cli
