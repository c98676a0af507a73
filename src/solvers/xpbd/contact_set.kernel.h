// The contacts of one world, or of W side by side, in the rows in which they are solved (contact_rows.kernel.h): worlds
// in lanes have their contacts one after the other, in the order of their colours; a world alone has those of a colour
// side by side.
#pragma once

#include "carom/state.h"
#include "dynamics/contact_sweeps.kernel.h"
#include "solvers/xpbd/contact_colours.kernel.h"
#include "solvers/xpbd/contact_rows.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct ContactSet {
  using G = ContactLanes<F>;
  static constexpr int kWorlds = ScalarTraits<F>::kWidth, kLanes = ScalarTraits<G>::kWidth;

  ContactRow<G>* row;
  int* row_start;  // of each colour: kColours + 1; of a world alone
  ColouredContacts coloured;
  int rows, capacity;

  CAROM_HD void take(Arena& arena, int room, int links) {
    capacity = room;
    row = arena.take<ContactRow<G>>(room);
    row_start = arena.take<int>(kColours + 1);
    coloured.take(arena, room, links, kWorlds);
  }

  // Finds out who touches whom, and says how many contacts there are, and whether there is room for them.
  template <class Team>
  CAROM_HD_FREE void open(Team team, const ContactColumns& contacts, const int* world, int links,
                          const SweepReport& report, const MemoryView& memory, const bool* goes_on, G h,
                          const LinkMass<F>* masses) {
    rows = 0;  // every thread of the team knows it
    int most = 0;
    for (int l = 0; l < kWorlds; ++l) most = most > counted(contacts, world[l]) ? most : counted(contacts, world[l]);
    team.each(1, [&](int) {
      for (int l = 0; l < kWorlds; ++l) {
        const int count = contacts.count(world[l]);
        report.contacts[world[l]] = count;
        report.needed[world[l]] = count <= capacity ? 0 : count;
        report.status[world[l]] = count <= capacity ? 0 : kStatusOverflow;
        if (most == 0) continue;
        const ColouredContacts mine = coloured.of_lane(l, capacity);
        mine.find(team, contacts, contacts.begin(world[l]), counted(contacts, world[l]), links);
        mine.match(team, contacts, contacts.begin(world[l]), counted(contacts, world[l]), memory, world[l], goes_on[l]);
      }
      if (most > 0 && kWorlds == 1) count_rows();
    });
    if (most == 0) return;
    rows = kWorlds == 1 ? row_start[kColours] : most;
    if constexpr (kWorlds == 1) team.each(kColours, [&](int c) { fill_colour(contacts, world[0], links, c); });
    else team.each(rows, [&](int k) { fill_row(contacts, world, links, k); });
    team.each(rows, [&](int k) { open_contact(contacts, memory, h, masses, row[k]); });
  }

  // Forces, and what is remembered. World, begin: of the lanes.
  template <class Team>
  CAROM_HD_FREE void close(Team team, const ContactColumns& contacts, const int* world, G dt, G h,
                           const MemoryView& memory) const {
    team.each(rows, [&](int k) {
      close_contact(contacts, row[k], dt, h, memory, [&](int lane, int i) CAROM_HD_LAMBDA {
        const int of = world[kWorlds == 1 ? 0 : lane];
        return memory.first(of) + i - contacts.begin(of);
      });
    });
    team.each(1, [&](int) {
      for (int l = 0; l < kWorlds; ++l) memory.count[world[l]] = counted(contacts, world[l]);
    });
  }

  // f(row) for all of them, colour by colour.
  template <class Team, class Function>
  CAROM_HD void each(Team team, Function f) const {
    if constexpr (kWorlds > 1) {
      for (int k = 0; k < rows; ++k) f(row[k]);
    } else {
      if (rows == 0) return;
      for (int c = 0; c < kColours - 1 && row_start[c] < rows; ++c)
        team.each(row_start[c + 1] - row_start[c], [&](int k) { f(row[row_start[c] + k]); });
      team.each(1, [&](int) {
        for (int k = row_start[kColours - 1]; k < rows; ++k) f(row[k]);
      });
    }
  }

 private:
  CAROM_HD int counted(const ContactColumns& contacts, int world) const {
    const int count = contacts.count(world);
    return count < capacity ? count : capacity;
  }
  CAROM_HD void count_rows() const {
    row_start[0] = 0;
    for (int c = 0; c < kColours; ++c) {
      const int n = coloured.start[c + 1] - coloured.start[c];
      row_start[c + 1] = row_start[c] + (c < kColours - 1 ? (n + kLanes - 1) / kLanes : n);
    }
  }
  CAROM_HD void fill_colour(const ContactColumns& contacts, int world, int links, int c) const {
    const int first = row_start[c], rows_of_colour = row_start[c + 1] - first, width = c < kColours - 1 ? kLanes : 1;
    for (int k = 0; k < rows_of_colour; ++k)
      for (int l = 0; l < kLanes; ++l) {
        const int i = coloured.start[c] + k * width + l;
        const bool filled = l < width && i < coloured.start[c + 1];
        fill_lane(contacts, links, coloured, contacts.begin(world), filled ? coloured.order[i] : -1, l, row[first + k]);
      }
  }
  CAROM_HD void fill_row(const ContactColumns& contacts, const int* world, int links, int k) const {
    for (int l = 0; l < kWorlds; ++l) {
      const bool filled = k < counted(contacts, world[l]);
      const ColouredContacts mine = coloured.of_lane(l, capacity);
      fill_lane(contacts, links, mine, contacts.begin(world[l]), filled ? mine.order[k] : -1, l, row[k]);
    }
  }
  // i: the contact among those of its world; -1: none.
  CAROM_HD static void fill_lane(const ContactColumns& contacts, int links, const ColouredContacts& mine, int begin,
                                 int i, int lane, ContactRow<G>& c) {
    c.source[lane] = i < 0 ? -1 : begin + i;
    c.former[lane] = i < 0 ? -1 : mine.former[i];
    for (int side = 0; side < 2; ++side) {
      const int* const shape = side == 0 ? contacts.shape0 : contacts.shape1;
      const int link = i < 0 ? -1 : ColouredContacts::link_of(contacts, shape[begin + i]);
      c.link[side][lane] = link < 0 ? links : link;
    }
  }
};

}  // namespace carom::inline CAROM_PRECISION
