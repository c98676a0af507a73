// mjcf_elements(): the table of MJCF in words.
#include "carom/mjcf_elements.h"

#include <limits>

#include "base/fail.h"
#include "io/mjcf/table.h"

namespace carom::inline CAROM_PRECISION {

namespace {

const char* use_name(MjcfUse use) {
  switch (use) {
    case MjcfUse::kUsed: return "used";
    case MjcfUse::kIgnored: return "ignored";
    case MjcfUse::kLater: return "later";
    case MjcfUse::kUnsupported: break;
  }
  return "refused";
}

std::string values_of(const MjcfAttributeRule& rule) {
  if (rule.type == MjcfType::kText) return "text";
  if (rule.type == MjcfType::kWord) {
    std::string words;
    for (const std::string& word : rule.words) words += (words.empty() ? "" : ", ") + word;
    return words;
  }
  const std::string kind = rule.type == MjcfType::kIntegers ? "integer" : "number";
  if (rule.most == std::numeric_limits<int>::max()) return kind + "s";
  if (rule.least != rule.most) return text(rule.least, " to ", rule.most, " ", kind, "s");
  return text(rule.most, " ", kind, rule.most == 1 ? "" : "s");
}

}  // namespace

std::vector<MjcfElementInfo> mjcf_elements() {
  std::vector<MjcfElementInfo> elements;
  for (const MjcfElementRule& rule : mjcf_table()) {
    MjcfElementInfo info{rule.id, rule.tag, use_name(rule.use), {}, rule.children};
    for (const MjcfAttributeRule& attribute : rule.attributes)
      info.attributes.push_back({attribute.name, use_name(attribute.use), values_of(attribute)});
    elements.push_back(std::move(info));
  }
  return elements;
}

}  // namespace carom::inline CAROM_PRECISION
