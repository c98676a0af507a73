// Which degrees of freedom move each link, by bit: what a row of a Jacobian consists of.
#pragma once

#include <cstdint>

#include "carom/array.h"

namespace carom::inline CAROM_PRECISION {

struct TreePlan;

inline constexpr int kDofsPerWord = 24;  // a multiple of three, below the sign bit of the smallest lane
struct LinkDofs {
  // Words outside of these are zero.
  struct Words {
    std::int32_t first, end;

    friend CAROM_HD Words operator|(Words a, Words b) {
      return {a.first < b.first ? a.first : b.first, a.end > b.end ? a.end : b.end};
    }
  };

  const std::int32_t* word = nullptr;
  const Words* used = nullptr;  // of each link
  int words = 0;                // of each link

  CAROM_HD static constexpr int words_for(int dofs) { return (dofs + kDofsPerWord - 1) / kDofsPerWord; }
  CAROM_HD std::int32_t operator()(int link, int w) const { return link < 0 ? 0 : word[link * words + w]; }
  // link < 0: of what nothing moves.
  CAROM_HD Words words_of(int link) const { return link < 0 ? Words{words, 0} : used[link]; }
};

// LinkDofs with their memory.
struct LinkDofLists {
  Array<std::int32_t> word;
  Array<LinkDofs::Words> used;
  int words = 0;

  LinkDofLists() = default;
  LinkDofLists(const TreePlan& tree, Device device);
  LinkDofs view() const { return {word.data(), used.data(), words}; }
};

}  // namespace carom::inline CAROM_PRECISION
