// Contacts of a world in the order in which they are solved: colour by colour, those of a colour share no particle.
// Each takes the first colour that neither of its particles has, in the order of the contacts, so that the order is the
// world's own. What is left when all colours are taken is solved one by one.
#pragma once

#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

inline constexpr int kContactColours = 63;

struct ContactColours {
  int start[kContactColours + 2];  // of each colour, of what is left, and the end
};

struct TwoParticles {
  int a, b;
};

// corners(contact): TwoParticles, the same one twice where it is alone. used: of each particle, all 0. Writes the
// contact at each place in the order; colour is for its own use.
template <class Team, class Corners>
CAROM_HD void colour_contacts(Team team, int count, std::uint64_t* used, std::uint8_t* colour, int* contact,
                              ContactColours& colours, const Corners& corners) {
  team.each(1, [&](int) CAROM_HD_LAMBDA {
    for (int& start : colours.start) start = 0;
    for (int c = 0; c < count; ++c) {
      const TwoParticles at = corners(c);
      const std::uint64_t free = ~(used[at.a] | used[at.b]) & ((std::uint64_t{1} << kContactColours) - 1);
      int k = kContactColours;
      if (free) {
        k = 0;
        while (!(free >> k & 1)) ++k;
        used[at.a] |= std::uint64_t{1} << k;
        used[at.b] |= std::uint64_t{1} << k;
      }
      colour[c] = static_cast<std::uint8_t>(k);
      ++colours.start[k + 1];
    }
    for (int k = 0; k <= kContactColours; ++k) colours.start[k + 1] += colours.start[k];
    for (int c = count; c-- > 0;) contact[--colours.start[colour[c] + 1]] = c;
    // Each start has moved to that of its colour, one place too far on.
    for (int k = 0; k <= kContactColours; ++k) colours.start[k] = colours.start[k + 1];
    colours.start[kContactColours + 1] = count;
  });
}

}  // namespace carom::inline CAROM_PRECISION
