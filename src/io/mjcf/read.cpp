// read_mjcf(): the order in which a file is read. Compiler and options first, since all others depend on
// them; default classes before what uses them; bodies last: <replicate> and <attach> copy what refers to them.
#include "io/mjcf/compile.h"
#include "io/mjcf/reading.h"

namespace carom::inline CAROM_PRECISION {

namespace {

using ReadSection = void (*)(MjcfReading&, const XmlNode&);

struct Section {
  const char* tag;
  ReadSection read;
};

void read_default_section(MjcfReading& in, const XmlNode& node) { read_default(in, node, ""); }

void count_plugins(MjcfReading& in, const XmlNode& node) {
  for (const RuledNode& child : ruled_children(in, node, mjcf_rule("extension")))
    for (const XmlNode& instance : child.node->children) in.spec.plugins += instance.name == "instance";
}

void check_attributes(MjcfReading& in, const XmlNode& node) {
  const MjcfElementRule& rule = mjcf_rule(node.name);
  read_attributes(node, rule, in.messages);
  for (const RuledNode& child : ruled_children(in, node, rule)) check_tree(in, *child.node, *child.rule);
}

constexpr Section kSections[] = {
    {"compiler", read_compiler},       {"option", read_option},
    {"default", read_default_section}, {"size", read_size},
    {"statistic", check_attributes},   {"extension", count_plugins},
    {"deformable", check_attributes},  {"asset", read_assets},
    {"contact", read_contact},         {"equality", read_equality},
    {"tendon", read_tendon},           {"actuator", read_actuator},
    {"sensor", read_sensors},          {"keyframe", read_keyframes},
    {"custom", read_custom},           {"visual", read_visual},
    {"worldbody", read_worldbody},
};

void refuse_unsupported(const MjcfMessages& messages) {
  if (messages.unsupported.empty()) return;
  constexpr std::size_t kShown = 20;
  std::string lines;
  for (std::size_t i = 0; i < std::min(kShown, messages.unsupported.size()); ++i)
    lines += "\n  " + messages.unsupported[i];
  if (messages.unsupported.size() > kShown) lines += text("\n  and ", messages.unsupported.size() - kShown, " more");
  fail("MJCF that would change the motion and is not understood:", lines);
}

}  // namespace

std::vector<RuledNode> ruled_children(MjcfReading& in, const XmlNode& parent, const MjcfElementRule& rule) {
  std::vector<RuledNode> result;
  for (const XmlNode& child : parent.children) {
    const MjcfElementRule* known = mjcf_child_rule(rule, child.name);
    if (!known) fail_at(child, "is unknown inside <", parent.name, ">");
    in.messages.add(known->use, at_place(child.place, child.name) + "is not supported");
    if (known->use == MjcfUse::kUsed) result.push_back({&child, known});
  }
  return result;
}

void read_mjcf_tree(MjcfReading& in, const XmlNode& root) {
  const MjcfElementRule& rule = mjcf_rule("mujoco");
  if (root.name != "mujoco") fail_at(root, "expected <mujoco>");
  in.spec.model_name = read_attributes(root, rule, in.messages).text("model", in.spec.model_name);
  for (const RuledNode& section : ruled_children(in, root, rule))
    if (section.rule->attributes.empty()) read_attributes(*section.node, *section.rule, in.messages);
  in.classes.emplace("main", MjcfClass{});
  in.spec.bodies.emplace_back();
  in.spec.bodies.front().name = "world";
  for (const Section& section : kSections)
    for (const XmlNode& child : root.children)
      if (child.name == section.tag) section.read(in, child);
  check_mentions(in);
}

ReadMjcf read_mjcf(const MjcfSource& source) {
  XmlBudget budget{source.limits, source.root};
  std::string folder;
  const XmlNode root = parse_with_includes(source, budget, folder);
  MjcfReading in{budget, {}, {}, {}, folder};
  read_mjcf_tree(in, root);
  refuse_unsupported(in.messages);
  apply_scales(in.spec);
  collect_tuples(in.spec);
  apply_user_rules(in.spec, source);
  ReadMjcf read = compile_mjcf(in.spec, budget);
  read.places.file = source.path.empty() ? "MJCF" : source.path;
  read.warnings = std::move(in.messages.warnings);
  read.custom = std::move(in.spec.custom);
  return read;
}

}  // namespace carom::inline CAROM_PRECISION
