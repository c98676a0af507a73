// The contacts of a world in colours: those of one colour share no body that moves, so they may be solved at once, in
// any order. Colours follow each other; what a world's contacts do depends on their order among themselves alone, and
// not on which of them are solved side by side.
//
// Greedy: in their order, each contact gets the first colour that neither of its bodies has yet.
#pragma once

#include "dynamics/contact_slots.kernel.h"
#include "solvers/xpbd/memory.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Of a contact among what sleeps.
inline constexpr int kLeftOut = -2;

// The last colour is for those that find no other; they are solved one after the other.
inline constexpr int kColours = 64;

struct ColouredContacts {
  int* colour;           // of each contact, or kLeftOut
  int* order;            // contacts by colour
  std::int64_t* former;  // row of each contact in the memory of the last step, -1 = new, or kLeftOut
  std::uint64_t* taken;  // colours of each link
  int* start;            // of each colour in `order`: kColours + 1

  // For as many worlds as there are lanes, of which each has its own order.
  CAROM_HD void take(Arena& arena, int capacity, int links, int lanes) {
    colour = arena.take<int>(capacity);
    order = arena.take<int>(std::int64_t{capacity} * lanes);
    former = arena.take<std::int64_t>(std::int64_t{capacity} * lanes);
    taken = arena.take<std::uint64_t>(links);
    start = arena.take<int>(kColours + 1);
  }

  // Contacts [begin, begin + count) without those between shapes a and b where sleep(a, b); `order` counts from
  // `begin`. Returns how many there are.
  template <class Team, class Sleep>
  CAROM_HD_FREE int find(Team, const ContactColumns& contacts, int begin, int count, int links, Sleep sleep) const {
    for (int l = 0; l < links; ++l) taken[l] = 0;
    for (int c = 0; c <= kColours; ++c) start[c] = 0;
    for (int i = 0; i < count; ++i) {
      colour[i] = kLeftOut;
      if (sleep(contacts.shape0[begin + i], contacts.shape1[begin + i])) continue;
      const int a = link_of(contacts, contacts.shape0[begin + i]), b = link_of(contacts, contacts.shape1[begin + i]);
      const std::uint64_t used = (a < 0 ? 0 : taken[a]) | (b < 0 ? 0 : taken[b]);
      int c = 0;
      while (c < kColours - 1 && (used >> c & 1)) ++c;
      if (a >= 0) taken[a] |= std::uint64_t{1} << c;
      if (b >= 0) taken[b] |= std::uint64_t{1} << c;
      colour[i] = c;
      ++start[c + 1];
    }
    for (int c = 0; c < kColours; ++c) start[c + 1] += start[c];
    for (int i = 0; i < count; ++i)
      if (colour[i] >= 0) order[start[colour[i]]++] = i;
    for (int c = kColours; c > 0; --c) start[c] = start[c - 1];
    start[0] = 0;
    return start[kColours];
  }
  // What is remembered of them; nothing unless the world goes on from there.
  template <class Team>
  CAROM_HD_FREE void match(Team, const ContactColumns& contacts, int begin, int count, const MemoryView& memory,
                           int world, bool goes_on) const {
    std::int64_t row = memory.first(world);
    for (int i = 0; i < count; ++i) {
      former[i] = colour[i] < 0 ? kLeftOut : -1;
      if (colour[i] < 0 || !goes_on) continue;
      const int c = begin + i, a = contacts.shape0[c], b = contacts.shape1[c], f = contacts.feature[c];
      row = memory.find(world, row, a, b, f);
      if (memory.is(world, row, a, b, f)) former[i] = row++;
    }
  }
  // The lists of one of the worlds.
  CAROM_HD ColouredContacts of_lane(int lane, int capacity) const {
    ColouredContacts mine = *this;
    mine.order += std::int64_t{lane} * capacity;
    mine.former += std::int64_t{lane} * capacity;
    return mine;
  }
  CAROM_HD static int link_of(const ContactColumns& contacts, int shape) {
    const int body = contacts.shape_body[shape];
    return body < 0 ? -1 : contacts.body_link[body];
  }
};

}  // namespace carom::inline CAROM_PRECISION
