#include "model/active_worlds.h"

#include <algorithm>

#include "base/fail.h"

namespace carom::inline CAROM_PRECISION {

ActiveWorlds::ActiveWorlds(const char* who, const Owner& owner, std::span<const std::uint8_t> mask) {
  if (mask.empty()) return;
  if (static_cast<int>(mask.size()) != owner->world_count)
    fail(who, ": the mask has ", mask.size(), " entries; give one for each of the ", owner->world_count, " worlds");
  if (std::all_of(mask.begin(), mask.end(), [](std::uint8_t in) { return in != 0; })) return;
  for (const std::uint8_t in : mask) mask_.push_back(in != 0);
}

}  // namespace carom::inline CAROM_PRECISION
