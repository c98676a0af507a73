// <default>: classes that inherit from the one around them.
#include <algorithm>

#include "io/mjcf/reading.h"

namespace carom::inline CAROM_PRECISION {

namespace {

bool is_actuator(const MjcfElementRule& rule) {
  const std::vector<std::string>& ids = mjcf_rule("actuator").children;
  return std::find(ids.begin(), ids.end(), rule.id) != ids.end();
}

void read_class_element(MjcfReading& in, MjcfClass& into, const RuledNode& at) {
  MjcfAttributes given = read_attributes(*at.node, *at.rule, in.messages);
  for (const char* name : {"name", "class"})
    if (at.rule->find(name) && given.has(name)) given.fail_at(name, "a default has none");
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
  const MjcfClass& mine = find_class(in, *at.node, result.text("class", childclass));
  const auto values = mine.values.find(defaults ? defaults : at.rule->id);
  if (values == mine.values.end()) return result;
  if (!defaults) {
    lay_over(result, values->second);
    return result;
  }
  std::vector<MjcfValue> mapped;  // to the rules of this element
  for (const MjcfValue& value : values->second)
    if (const MjcfAttributeRule* rule = at.rule->find(value.rule->name)) {
      mapped.push_back(value);
      mapped.back().rule = rule;
    }
  lay_over(result, mapped);
  return result;
}

}  // namespace carom::inline CAROM_PRECISION
