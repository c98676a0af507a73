// ActiveWorlds: which worlds take part in what solvers and pipelines do. What is global always does.
#pragma once

#include <utility>
#include <vector>

#include "carom/model.h"
#include "model/owner.h"

namespace carom::inline CAROM_PRECISION {

class ActiveWorlds {
 public:
  ActiveWorlds() = default;
  // mask: one entry a world, empty: all. Throws Error, in the name of `who`, for another length.
  ActiveWorlds(const char* who, const Owner& owner, std::span<const std::uint8_t> mask);

  bool all() const { return mask_.empty(); }
  bool has(int world) const { return world < 0 || all() || mask_[world] != 0; }
  bool operator==(const ActiveWorlds&) const = default;

  // Of each world, then of what is global, on the device: 1 where it is left out. Empty when all take part.
  template <class T>
  Array<T> left_out(Device device) const {
    std::vector<T> flags;
    for (const std::uint8_t in : mask_) flags.push_back(!in);
    if (!all()) flags.push_back(0);
    return Array<T>(std::span<const T>(flags), device);
  }
  // Those of each archetype of the model, on its device. Empty when all take part.
  std::vector<Array<int>> of_archetypes(const Model& model) const;

 private:
  std::vector<std::uint8_t> mask_;  // 0 or 1; empty: all
};

}  // namespace carom::inline CAROM_PRECISION
