// <keyframe>, and what users write down: <custom> with numbers, texts and lists of things.
#include "io/mjcf/reading.h"

namespace carom::inline CAROM_PRECISION {

namespace {

void read_numeric(MjcfReading& in, const MjcfAttributes& given) {
  std::vector<double> numbers;
  if (const MjcfValue* data = given.find("data")) numbers = data->numbers;
  const int size = given.integer("size", static_cast<int>(numbers.size()));
  if (size <= 0) given.fail_at("size", "must be positive, is ", size);
  if (numbers.size() > static_cast<std::size_t>(size))
    given.fail_at("data", "has ", numbers.size(), " numbers, size is ", size);
  in.budget.count_numbers(size, at_place(given.node->place, given.node->name, "size"));
  numbers.resize(static_cast<std::size_t>(size));
  if (!in.spec.custom.numbers.emplace(given.needed_text("name"), std::move(numbers)).second)
    given.fail_at("name", "is given twice");
}

void read_text(MjcfReading& in, const MjcfAttributes& given) {
  const std::string& inside = given.node->text;
  if (given.has("data") && !inside.empty()) given.fail_at("data", "is given together with text inside the element");
  std::string content = given.text("data", inside);
  if (content.empty()) given.fail_at("data", "is missing");
  if (!in.spec.custom.texts.emplace(given.needed_text("name"), std::move(content)).second)
    given.fail_at("name", "is given twice");
}

void read_tuple(MjcfReading& in, const MjcfAttributes& given, const MjcfElementRule& rule) {
  TupleSpec tuple{given.node->place, "", {}};
  for (const RuledNode& child : ruled_children(in, *given.node, rule)) {
    const MjcfAttributes element = read_attributes(*child.node, *child.rule, in.messages);
    tuple.elements.push_back(
        {child.node->place, element.needed_text("objtype"), element.needed_text("objname"), element.number("prm", 0)});
  }
  if (tuple.elements.empty()) fail_at(*given.node, "has no element");
  tuple.name = given.needed_text("name");
  in.spec.tuples.push_back(std::move(tuple));
}

}  // namespace

void read_keyframes(MjcfReading& in, const XmlNode& node) {
  for (const RuledNode& child : ruled_children(in, node, mjcf_rule("keyframe"))) {
    const MjcfAttributes given = read_attributes(*child.node, *child.rule, in.messages);
    KeySpec key;
    key.place = child.node->place;
    key.name = given.text("name");
    given.read("time", key.time);
    const auto read = [&](const char* name, std::vector<double>& numbers) {
      if (const MjcfValue* value = given.find(name)) numbers = value->numbers;
    };
    read("qpos", key.qpos);
    read("qvel", key.qvel);
    read("act", key.act);
    read("ctrl", key.ctrl);
    read("mpos", key.mpos);
    read("mquat", key.mquat);
    if (given.has("plastic"))
      in.messages.add(MjcfUse::kLater, at_place(child.node->place, "key", "plastic") + "is not supported");
    in.spec.keys.push_back(std::move(key));
  }
}

void read_custom(MjcfReading& in, const XmlNode& node) {
  for (const RuledNode& child : ruled_children(in, node, mjcf_rule("custom"))) {
    const MjcfAttributes given = read_attributes(*child.node, *child.rule, in.messages);
    if (child.rule->id == "numeric") read_numeric(in, given);
    else if (child.rule->id == "custom/text") read_text(in, given);
    else read_tuple(in, given, *child.rule);
  }
}

void collect_tuples(MjcfSpec& spec) {
  for (const TupleSpec& tuple : spec.tuples) {
    const auto [place, is_new] = spec.custom.tuples.try_emplace(tuple.name);
    if (!is_new) fail(at_place(tuple.place, "tuple", "name"), "'", tuple.name, "' is given twice");
    for (const TupleSpec::Element& element : tuple.elements)
      place->second.push_back({element.type, element.name, element.number});
  }
}

void read_size(MjcfReading& in, const XmlNode& node) {
  const MjcfAttributes given = read_attributes(node, mjcf_rule("size"), in.messages);
  in.spec.key_count = given.integer("nkey", in.spec.key_count);
  if (in.spec.key_count < 0) given.fail_at("nkey", "is negative");
}

}  // namespace carom::inline CAROM_PRECISION
