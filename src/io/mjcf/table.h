// The elements and attributes of MJCF: the one list of them. Whatever is read goes through it, so what is not in it is
// reported, and a page of what is supported can be made from it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "carom/platform.h"

namespace carom::inline CAROM_PRECISION {

enum class MjcfUse {
  kUsed,
  kIgnored,      // leaves the motion alone: seen by renderers and users only
  kLater,        // does not move anything, but somebody may wait for it (sensors of plugins): a warning
  kUnsupported,  // would change the motion: an error
};

enum class MjcfType { kText, kNumbers, kIntegers, kWord };

struct MjcfAttributeRule {
  std::string name;
  MjcfUse use = MjcfUse::kUsed;
  MjcfType type = MjcfType::kText;
  int least = 1, most = 1;           // how many numbers
  std::vector<std::string> words{};  // of kWord; its value is a place in this list
  std::string refers_to{};           // of kText: the kind of thing that it names, where that is looked for
};

struct MjcfElementRule {
  std::string id;   // "equality/joint": what the same name is elsewhere has another id
  std::string tag;  // "joint"
  MjcfUse use = MjcfUse::kUsed;
  bool opaque = false;  // nothing inside is looked at
  std::vector<MjcfAttributeRule> attributes{};
  std::vector<std::string> children{};  // their ids

  const MjcfAttributeRule* find(std::string_view name) const;
};

const std::vector<MjcfElementRule>& mjcf_table();
const MjcfElementRule& mjcf_rule(std::string_view id);
// The rule of a child by its tag; null: there is none.
const MjcfElementRule* mjcf_child_rule(const MjcfElementRule& parent, std::string_view tag);

}  // namespace carom::inline CAROM_PRECISION
