#include "model/active_worlds.h"

#include <algorithm>
#include <iterator>

#include "base/fail.h"

namespace carom::inline CAROM_PRECISION {

ActiveWorlds::ActiveWorlds(const char* who, const Owner& owner, std::span<const std::uint8_t> mask) {
  if (mask.empty()) return;
  if (static_cast<int>(mask.size()) != owner->world_count)
    fail(who, ": the mask has ", mask.size(), " entries; give one for each of the ", owner->world_count, " worlds");
  if (std::all_of(mask.begin(), mask.end(), [](std::uint8_t in) { return in != 0; })) return;
  for (const std::uint8_t in : mask) mask_.push_back(in != 0);
}

std::vector<Array<int>> ActiveWorlds::of_archetypes(const Model& model) const {
  std::vector<Array<int>> lists;
  if (all()) return lists;
  for (const Archetype& archetype : model.archetypes) {
    std::vector<int> worlds;
    std::copy_if(archetype.world_list.begin(), archetype.world_list.end(), std::back_inserter(worlds),
                 [&](int world) { return has(world); });
    lists.emplace_back(std::span<const int>(worlds), model.device);
  }
  return lists;
}

}  // namespace carom::inline CAROM_PRECISION
