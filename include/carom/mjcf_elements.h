// Which elements and attributes of MJCF the reader knows, and what it does with them: its own table, to be shown.
#pragma once

#include <string>
#include <vector>

#include "carom/platform.h"

namespace carom::inline CAROM_PRECISION {

struct MjcfAttributeInfo {
  std::string name;
  std::string use;     // "used", "ignored" (leaves the motion alone), "later" (a warning), "refused" (an error)
  std::string values;  // "text", "3 numbers", "1 to 3 numbers", "numbers", "1 integer", "radian, degree"
};

struct MjcfElementInfo {
  std::string id;   // "equality/joint": what the same name is elsewhere has another id
  std::string tag;  // "joint"
  std::string use;
  std::vector<MjcfAttributeInfo> attributes;
  std::vector<std::string> children;  // their ids
};

std::vector<MjcfElementInfo> mjcf_elements();

}  // namespace carom::inline CAROM_PRECISION
