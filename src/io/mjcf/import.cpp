// import_mjcf(): checks a compiled model, and calls the parts that map it to a builder.
#include <algorithm>
#include <set>

#include "io/mjcf/mapping.h"
#include "model/checks.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// All fields of a kind have as many rows; lists of names may be empty.
void check_sizes(const CompiledMjcf& m) {
  std::array<std::int64_t, kMjcfRowKinds> rows;
  rows.fill(-1);
  visit_mjcf_fields(m, [&](const MjcfField& field, const auto& values) {
    using Values = std::decay_t<decltype(values)>;
    if constexpr (!std::is_arithmetic_v<Values>) {
      const auto size = static_cast<std::int64_t>(values.size());
      if (field.rows == MjcfRows::kOption) return;
      if (std::is_same_v<Values, CompiledMjcf::Names> && (size == 0 || field.rows == MjcfRows::kFlex)) return;
      std::int64_t& expected = rows[static_cast<int>(field.rows)];
      const bool odd = size % field.width != 0 || size / field.width > std::numeric_limits<int>::max();
      if (!odd && expected < 0) expected = size / field.width;
      if (odd || size != expected * field.width)
        fail("a compiled model: ", field.name, " has ", size, " numbers, expected ",
             expected < 0 ? text("rows of ") : text(expected, " x "), field.width);
    }
  });
  if (m.body_parentid.empty()) fail("a compiled model has no world body");
}

template <class List, class ToText>
std::string joined(const List& list, const ToText& to_text) {
  std::string line;
  for (const auto& item : list) line += (line.empty() ? "" : ", ") + to_text(item);
  return line;
}
std::string quoted(const std::string& name) { return "'" + name + "'"; }

const MjcfIgnorable* find_ignorable(const std::string& name) {
  for (const MjcfIgnorable& ignorable : mjcf_ignorables())
    if (name == ignorable.name) return &ignorable;
  return nullptr;
}

void check_ignored_names(const MjcfArgs& args) {
  std::set<std::string> unknown;
  for (const std::string& name : args.ignore)
    if (!find_ignorable(name)) unknown.insert(name);
  if (unknown.empty()) return;
  const auto name_of = [](const MjcfIgnorable& ignorable) { return std::string(ignorable.name); };
  fail(args.who, ": ignore is a list of names out of: ", joined(mjcf_ignorables(), name_of),
       "; unknown: ", joined(unknown, quoted));
}

// Throws for what the model asks for and nobody ignores; a warning for what is left out.
std::string check_supported(const CompiledMjcf& m, const MjcfArgs& args) {
  const std::vector<MjcfProblem> problems = unsupported(m, args);
  std::string lines, left_out;
  std::set<std::string> names;
  for (const MjcfProblem& problem : problems) {
    if (problem.unasked || (!problem.name.empty() && ignores(args, problem.name.c_str()))) {
      left_out += text("\n  ", problem.line, " (", find_ignorable(problem.name)->instead, ")");
      continue;
    }
    lines += "\n  " + problem.line;
    if (!problem.name.empty()) names.insert(problem.name);
  }
  if (!lines.empty()) {
    const std::string hint = names.empty() ? "" : "\nwhat can be left out: ignore=[" + joined(names, quoted) + "]";
    fail(args.who, ": carom cannot express what model '", m.model_name, "' asks for:", lines, hint);
  }
  return left_out.empty() ? "" : text(args.who, ": left out of model '", m.model_name, "':", left_out);
}

// now: what was being added when an error is thrown.
ImportedMjcf import_rows(const CompiledMjcf& model, const MjcfArgs& args, MjcfRow& now) {
  check_ignored_names(args);
  check_sizes(model);
  std::string left_out = check_supported(model, args);

  Mapping map{model, args, now, effects_of(model, args)};
  map.builder.gravity = map.has.gravity ? to_real(vec3(model.opt_gravity.data())) : Vec3{};
  map.builder.options = options_of(map);
  now = {MjcfRows::kOption, 0};
  check_options(map.builder.options);  // finalize() would, without a word about the file
  now = {};
  for (int body = 0; body < static_cast<int>(model.body_parentid.size()); ++body)
    map.runs.push_back(joint_runs(model, body));
  find_rotors(map);
  find_pairs(map);
  add_bodies(map);
  add_joints(map);
  add_shapes(map);
  add_filters(map);
  add_pairs(map);
  add_tendons(map);
  add_actuators(map);
  add_equalities(map);
  add_sensors(map);
  return {std::move(map.builder), std::move(left_out)};
}

}  // namespace

ImportedMjcf import_mjcf(const CompiledMjcf& model, const MjcfArgs& args, const MjcfPlaces& places) {
  MjcfRow now;
  try {
    return import_rows(model, args, now);
  } catch (const Error& error) {
    fail(places.where(now.kind, now.index), error.what());
  }
}

}  // namespace carom::inline CAROM_PRECISION
