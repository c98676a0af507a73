// <default>: classes that inherit from the one around them.
#include <algorithm>
#include <initializer_list>
#include <iterator>

#include "io/mjcf/reading.h"

namespace carom::inline CAROM_PRECISION {

namespace {

bool is_actuator(const MjcfElementRule& rule) {
  const std::vector<std::string>& ids = mjcf_rule("actuator").children;
  return std::find(ids.begin(), ids.end(), rule.id) != ids.end();
}

// Attributes that belong to one element and that no class can give.
struct OwnAttributes {
  const char* id;
  std::initializer_list<const char*> names;
};
const OwnAttributes kOwnAttributes[] = {
    {"mesh",
     {"file", "content_type", "vertex", "face", "normal", "texcoord", "smoothnormal", "material", "refpos", "refquat",
      "builtin", "params"}},
    {"texture", {"file", "content_type", "fileright", "fileleft", "fileup", "filedown", "filefront", "fileback"}},
    {"camera", {"target"}},
    {"light", {"target", "texture"}},
    {"pair", {"geom1", "geom2"}},
    {"muscle", {"tausmooth"}},
};
constexpr const char* kNamesOfTargets[] = {"joint", "jointinparent", "tendon", "slidersite", "cranksite",
                                           "site",  "refsite",       "body",   "lengthrange"};

void refuse_own_attributes(const RuledNode& at) {
  const auto refuse = [&](const char* name) {
    if (at.rule->find(name) && at.node->find(name))
      fail(at_place(at.node->place, at.node->name, name), "a default has none");
  };
  for (const char* name : {"name", "class"}) refuse(name);
  for (const OwnAttributes& own : kOwnAttributes)
    if (at.rule->id == own.id) std::for_each(own.names.begin(), own.names.end(), refuse);
  if (is_actuator(*at.rule)) std::for_each(std::begin(kNamesOfTargets), std::end(kNamesOfTargets), refuse);
}

void read_class_element(MjcfReading& in, MjcfClass& into, const RuledNode& at) {
  refuse_own_attributes(at);
  MjcfAttributes given = read_attributes(*at.node, *at.rule, in.messages);
  for (const RuledNode& child : ruled_children(in, *at.node, *at.rule)) check_tree(in, *child.node, *child.rule);
  constexpr std::size_t kMostNumbers = 1000;  // every class below and every element has a copy
  for (const MjcfValue& value : given.values)
    if (value.numbers.size() > kMostNumbers)
      given.fail_at(value.rule->name, "of a default has more than ", kMostNumbers, " numbers");
  if (is_actuator(*at.rule)) {
    apply_actuator(into.actuator, given);
    return;
  }
  std::vector<MjcfValue>& values = into.values[at.rule->id];
  lay_over(given, values);
  values = std::move(given.values);
}

}  // namespace

void read_default(MjcfReading& in, const XmlNode& node, const std::string& parent) {
  const MjcfElementRule& rule = mjcf_rule("default");
  const MjcfAttributes given = read_attributes(node, rule, in.messages);
  const std::string name = parent.empty() ? given.text("class", "main") : given.needed_text("class");
  if (parent.empty() && name != "main") given.fail_at("class", "the outermost class is 'main'");
  if (!parent.empty() && !in.classes.emplace(name, in.classes.at(parent)).second)
    given.fail_at("class", "'", name, "' is given twice");
  const std::vector<RuledNode> children = ruled_children(in, node, rule);
  for (const RuledNode& child : children)
    if (child.rule->id != "default") read_class_element(in, in.classes.at(name), child);
  for (const RuledNode& child : children)
    if (child.rule->id == "default") read_default(in, *child.node, name);
}

const MjcfClass& find_class(const MjcfReading& in, const XmlNode& node, const std::string& name) {
  const auto found = in.classes.find(name.empty() ? "main" : name);
  if (found == in.classes.end()) fail_at(node, "there is no default class '", name, "'");
  return found->second;
}

MjcfAttributes read_with_class(MjcfReading& in, const RuledNode& at, const std::string& childclass,
                               const char* defaults) {
  MjcfAttributes result = read_attributes(*at.node, *at.rule, in.messages);
  const std::string name = result.text("class", childclass);
  const MjcfClass& mine = find_class(in, *at.node, name);
  const auto values = mine.values.find(defaults ? defaults : at.rule->id);
  std::vector<MjcfValue> mapped;  // to the rules of this element
  if (values != mine.values.end())
    for (const MjcfValue& value : values->second)
      if (const MjcfAttributeRule* rule = defaults ? at.rule->find(value.rule->name) : value.rule) {
        mapped.push_back(value);
        mapped.back().rule = rule;
      }
  lay_over(result, mapped);
  note_names(in, result);
  return result;
}

}  // namespace carom::inline CAROM_PRECISION
