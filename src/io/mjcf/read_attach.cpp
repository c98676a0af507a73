// <attach>: a body, a frame or all of another model, or of the model itself, with what refers to these alone, under
// names with a prefix. <asset><model>: the models to be attached.
#include <filesystem>

#include "io/mjcf/reading.h"
#include "io/mjcf/subtree.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// "auto" by the rule of the file that it is written in: another model may have another one.
void settle_limit(const CompilerSpec& compiler, int& limited, const Doubles2& range, bool inherits,
                  const XmlPlace& place, const char* element) {
  if (limited != kMjcfAuto) return;
  if (!compiler.autolimits && (range[0] != 0 || range[1] != 0))
    fail(at_place(place, element), "a range is given, but not whether it limits, and compiler autolimits is false");
  limited = compiler.autolimits && (inherits || range[0] < range[1]);
}

void settle_limits(MjcfSpec& spec) {
  const CompilerSpec& rules = spec.compiler;
  for (BodySpec& body : spec.bodies)
    for (JointSpec& joint : body.joints) {
      settle_limit(rules, joint.limited, joint.range, false, joint.place, "joint");
      settle_limit(rules, joint.actuator_force_limited, joint.actuator_force_range, false, joint.place, "joint");
    }
  for (TendonSpec& tendon : spec.tendons) {
    settle_limit(rules, tendon.limited, tendon.range, false, tendon.place, "tendon");
    settle_limit(rules, tendon.actuator_force_limited, tendon.actuator_force_range, false, tendon.place, "tendon");
  }
  for (ActuatorSpec& actuator : spec.actuators) {
    const char* element = actuator.shortcut.c_str();
    const bool inherits = actuator.inherit_range > 0, integrates = actuator.shortcut == "intvelocity";
    settle_limit(rules, actuator.ctrl_limited, actuator.ctrl_range, inherits && !integrates, actuator.place, element);
    settle_limit(rules, actuator.act_limited, actuator.act_range, inherits && integrates, actuator.place, element);
    settle_limit(rules, actuator.force_limited, actuator.force_range, false, actuator.place, element);
  }
}

struct Part {
  Subtree subtree;
  MjcfPose from{};       // frame in which it is written
  MjcfRun::Rows rows{};  // of the bodies in their model
};

Part body_part(const MjcfSpec& spec, const MjcfAttributes& given, const std::string& name) {
  std::size_t first = 0;
  while (first < spec.bodies.size() && spec.bodies[first].name != name) ++first;
  if (first == spec.bodies.size()) given.fail_at("body", "there is no body '", name, "' in the model");
  Part part{copy_bodies(spec, {first, subtree_end(spec, first)})};
  part.subtree.bodies.front().pose = part.subtree.bodies.front().own;
  part.rows = {first, subtree_end(spec, first)};
  return part;
}

Part frame_part(const MjcfSpec& spec, const MjcfAttributes& given, const std::string& name) {
  for (std::size_t i = 0; i < spec.frames.size(); ++i) {
    const FrameSpec& frame = spec.frames[i];
    if (frame.name == name) return {copy_run(spec, frame.run, i + 1), frame.around, frame.run.bodies};
  }
  given.fail_at("frame", "there is no frame '", name, "' in the model");
}

Part whole_part(const MjcfSpec& spec) {
  MjcfRun run;
  end_run(spec, run);
  run.bodies.first = 1;
  return {copy_run(spec, run), {}, run.bodies};
}

Part find_part(const MjcfSpec& spec, const MjcfAttributes& given) {
  const std::string body = given.text("body"), frame = given.text("frame");
  if (!body.empty() && !frame.empty()) given.fail_at("frame", "is given together with body");
  return !body.empty()    ? body_part(spec, given, body)
         : !frame.empty() ? frame_part(spec, given, frame)
                          : whole_part(spec);
}

CopySize size_of_assets(const MjcfSpec& spec) {
  CopySize size{spec.meshes.size() + spec.heightfields.size(), 0};
  for (const MeshSpec& mesh : spec.meshes)
    size.bytes += sizeof(double) * (mesh.vertices.size() + mesh.faces.size() + mesh.params.size());
  for (const HeightfieldSpec& field : spec.heightfields) size.bytes += sizeof(double) * field.elevation.size();
  return size;
}

// All of them, needed or not, as MuJoCo does.
void attach_assets(MjcfSpec& into, const MjcfSpec& from, Subtree& subtree, const Renaming& names) {
  for (MeshSpec mesh : from.meshes) {
    names.apply(mesh.name);
    into.meshes.push_back(std::move(mesh));
  }
  for (HeightfieldSpec field : from.heightfields) {
    names.apply(field.name);
    into.heightfields.push_back(std::move(field));
  }
  const auto rename = [&](BodySpec& body) {
    for (GeomSpec& geom : body.geoms) {
      names.apply(geom.mesh);
      names.apply(geom.hfield);
    }
    for (SiteSpec& site : body.sites) names.apply(site.mesh);
  };
  rename(subtree.own);
  for (BodySpec& body : subtree.bodies) rename(body);
}

}  // namespace

void read_model_asset(MjcfReading& in, const MjcfAttributes& given) {
  constexpr int kMostLevels = 20;
  if (in.level >= kMostLevels) given.fail_at("file", "models that attach models, more than ", kMostLevels, " levels");
  MjcfSource source;
  source.path = (std::filesystem::path(in.folder) / given.needed_text("file")).string();
  if (++in.budget.files > in.budget.limits.files) given.fail_at("file", "too many files (limits.files)");
  MjcfReading inner{in.budget, {}, {}, {}, "", in.level + 1};
  const std::string where = at_place(given.node->place, given.node->name, "file");
  const XmlNode root = parse_with_includes(source, in.budget, inner.folder, where);
  read_mjcf_tree(inner, root);
  settle_limits(inner.spec);
  for (std::string& line : inner.messages.unsupported) in.messages.unsupported.push_back(std::move(line));
  for (std::string& line : inner.messages.warnings) in.messages.warnings.push_back(std::move(line));
  const std::string name = given.text("name", inner.spec.model_name);
  if (!in.models.emplace(name, MjcfModel{std::move(inner.spec), std::move(inner.classes)}).second)
    given.fail_at("name", "there are two models '", name, "'");
}

void read_attach(MjcfReading& in, const MjcfAttributes& given, int parent, const MjcfPose& frame) {
  const std::string model = given.text("model");
  if (!given.has("prefix")) given.fail_at("prefix", "is missing");
  if (model.empty() && given.text("body").empty() && given.text("frame").empty())
    given.fail_at("model", "is missing; without it body or frame is needed");
  const auto found = in.models.find(model);
  if (!model.empty() && found == in.models.end()) given.fail_at("model", "there is no model '", model, "'");
  const Renaming names{given.text("prefix"), ""};
  const MjcfSpec& from = model.empty() ? in.spec : found->second.spec;
  Part part = find_part(from, given);
  NamesInside inside(part.subtree);
  inside.assets = !model.empty();
  MjcfReferences references = copy_references(from, inside, &in.messages.warnings);
  CopySize size = model.empty() ? CopySize{} : size_of_assets(from);
  size.elements += part.subtree.elements() + count_elements(references);
  size.bytes += part.subtree.name_bytes();
  if (!model.empty()) size.elements += found->second.classes.size();
  count_copy(in.budget, *given.node, size, names);
  if (!model.empty()) {
    merge_options(in, from.option, given);
    attach_assets(in.spec, from, part.subtree, names);
    for (const auto& [name, defaults] : found->second.classes) in.classes.emplace(names.prefix + name, defaults);
  }
  const int into = static_cast<int>(in.spec.bodies.size());
  ++in.spec.attachments;
  for (ActuatorSpec& actuator : references.actuators) actuator.attachment = in.spec.attachments;
  if (!model.empty()) {
    const auto has_actuator = [&](const ActuatorSpec& actuator) { return belongs(actuator, inside); };
    attach_keyframes(in.spec, from, {names.prefix, part.rows.first, part.rows.end, into, has_actuator});
    attach_custom(in.spec, from, names.prefix);
  }
  add_subtree(in.spec, std::move(part.subtree), parent, frame * inverse(part.from), names);
  add_references(in.spec, std::move(references), inside, names);
}

}  // namespace carom::inline CAROM_PRECISION
