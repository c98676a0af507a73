// The contacts of one world, or of W side by side, in the rows in which they are solved (contact_rows.kernel.h): worlds
// in lanes have their contacts one after the other, in the order of their colours; a world alone has those of a colour
// side by side. Those among what sleeps are left out, and what is remembered of them stays.
#pragma once

#include "carom/state.h"
#include "dynamics/contact_sweeps.kernel.h"
#include "solvers/xpbd/contact_colours.kernel.h"
#include "solvers/xpbd/contact_rows.kernel.h"
#include "solvers/xpbd/sleeping_links.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct ContactSet {
  using G = ContactLanes<F>;
  static constexpr int kWorlds = ScalarTraits<F>::kWidth, kLanes = ScalarTraits<G>::kWidth;

  // A world alone has several rows for what does not move: contacts that are solved at the same time write to different
  // ones, although they write what is there.
  static constexpr bool kAlone = kWorlds == 1 && kLanes > 1;
  CAROM_HD static int rows_of_world(int capacity) {
    const int rows = (capacity + kLanes - 1) / kLanes;
    return kAlone && rows > 1 ? rows : 1;
  }

  ContactRow<G>* row;
  int* row_start;  // of each colour: kColours + 1; of a world alone
  int* solved;     // contacts of each lane that are not left out
  ColouredContacts coloured;
  int rows, capacity;

  CAROM_HD void take(Arena& arena, int room, int links) {
    capacity = room;
    row = arena.take<ContactRow<G>>(room);
    row_start = arena.take<int>(kColours + 1);
    solved = arena.take<int>(kWorlds);
    coloured.take(arena, room, links, kWorlds);
  }

  // Finds out who touches whom, and says how many contacts there are, and whether there is room for them.
  template <class Team>
  CAROM_HD_FREE void open(Team team, const ContactColumns& contacts, const int* world, const SleepingLinks<F>& sleepers,
                          const SweepReport& report, const MemoryView& memory, const bool* goes_on, G h,
                          const LinkMass<F>* masses) {
    rows = 0;  // every thread of the team knows it
    const int links = sleepers.links;
    int most = 0;
    for (int l = 0; l < kWorlds; ++l) most = most > counted(contacts, world[l]) ? most : counted(contacts, world[l]);
    team.each(1, [&](int) {
      for (int l = 0; l < kWorlds; ++l) {
        const int count = contacts.count(world[l]);
        report.contacts[world[l]] = count;
        report.needed[world[l]] = count <= capacity ? 0 : count;
        report.status[world[l]] = count <= capacity ? 0 : kStatusOverflow;
        solved[l] = 0;
        if (most == 0) continue;
        const ColouredContacts mine = coloured.of_lane(l, capacity);
        solved[l] = mine.find(team, contacts, contacts.begin(world[l]), counted(contacts, world[l]), links,
                              [&](int a, int b) CAROM_HD_LAMBDA { return sleep(contacts, sleepers, l, a, b); });
        mine.match(team, contacts, contacts.begin(world[l]), counted(contacts, world[l]), memory, world[l], goes_on[l]);
      }
      if (most > 0 && kWorlds == 1) count_rows();
    });
    if (most == 0) return;
    for (int l = 0; l < kWorlds; ++l) rows = rows > solved[l] ? rows : solved[l];
    if (kWorlds == 1) rows = row_start[kColours];
    if constexpr (kWorlds == 1) team.each(kColours, [&](int c) { fill_colour(contacts, world[0], links, c); });
    else team.each(rows, [&](int k) { fill_row(contacts, world, links, k); });
    team.each(rows, [&](int k) { open_contact(contacts, memory, h, masses, row[k]); });
  }

  // Forces, and what is remembered. World, begin: of the lanes.
  template <class Team>
  CAROM_HD_FREE void close(Team team, const ContactColumns& contacts, const int* world,
                           const SleepingLinks<F>& sleepers, const SweepReport& report, const MemoryView& memory,
                           const bool* goes_on, G dt, G h) const {
    team.each(1, [&](int) {
      for (int l = 0; l < kWorlds; ++l) {
        if (l > 0 && world[l] == world[l - 1]) copy_places(l, counted(contacts, world[l]));
        else place(contacts, world[l], l, sleepers, report, memory, goes_on[l]);
      }
    });
    team.each(rows, [&](int k) {
      close_contact(contacts, row[k], dt, h, memory, [&](int lane, int i) CAROM_HD_LAMBDA {
        const int l = kWorlds == 1 ? 0 : lane;
        return coloured.of_lane(l, capacity).former[i - contacts.begin(world[l])];
      });
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

  // In which worlds a contact is hit.
  template <class Team>
  CAROM_HD MaskOf<F> hit(Team team) const {
    MaskOf<F> some = F(0) < F(0);
    if constexpr (kWorlds > 1) {
      for (int k = 0; k < rows; ++k) some = row[k].hit > G(0) || some;
      return some;
    } else {
      for (int k = team.rank(); k < rows; k += team.size()) some = some || any(row[k].hit > G(0));
      return team.any(some);
    }
  }

 private:
  CAROM_HD int counted(const ContactColumns& contacts, int world) const {
    const int count = contacts.count(world);
    return count < capacity ? count : capacity;
  }
  // Whether shapes are on a body that sleeps.
  CAROM_HD static bool sleep(const ContactColumns& contacts, const SleepingLinks<F>& sleepers, int lane, int a, int b) {
    if (!sleepers.any) return false;
    const int first = ColouredContacts::link_of(contacts, a), second = ColouredContacts::link_of(contacts, b);
    return (first >= 0 && sleepers.is_asleep(first, lane)) || (second >= 0 && sleepers.is_asleep(second, lane));
  }
  // Makes room in the memory for what was solved, among what is remembered of what sleeps: `former` becomes the row of
  // each contact there. Both are sorted, and are put together from the back, so that nothing is written over before it
  // has moved.
  CAROM_HD void place(const ContactColumns& contacts, int world, int lane, const SleepingLinks<F>& sleepers,
                      const SweepReport& report, const MemoryView& memory, bool goes_on) const {
    const ColouredContacts mine = coloured.of_lane(lane, capacity);
    const int begin = contacts.begin(world), count = counted(contacts, world);
    const std::int64_t first = memory.first(world);
    const bool keeps = sleepers.any && goes_on && contacts.world_start;  // a step without contacts forgets them
    int kept = 0;
    for (int k = 0; keeps && k < memory.count[world]; ++k)
      if (sleep(contacts, sleepers, lane, memory.shape0[first + k], memory.shape1[first + k]))
        memory.move(first + k, first + kept++);
    const int total = kept + solved[lane];
    int to = total;
    for (int i = count - 1; i >= 0; --i) {
      const int c = begin + i;
      if (mine.former[i] == kLeftOut) {
        contacts.force[c] = contacts.torque[c] = {};
        continue;
      }
      while (kept > 0 &&
             !memory.comes_before(first + kept - 1, contacts.shape0[c], contacts.shape1[c], contacts.feature[c]))
        if (--kept, --to < memory.room) memory.move(first + kept, first + to);
      if (!contacts.turns) contacts.torque[c] = {};
      mine.former[i] = --to < memory.room ? first + to : -1;
      if (to >= memory.room) continue;
      memory.shape0[first + to] = contacts.shape0[c], memory.shape1[first + to] = contacts.shape1[c];
      memory.feature[first + to] = contacts.feature[c];
    }
    memory.count[world] = total < memory.room ? total : memory.room;
    if (total <= memory.room) return;
    report.needed[world] = report.needed[world] > total ? report.needed[world] : total;
    report.status[world] |= kStatusOverflow;
  }
  // Of a lane that is filled up with the world of the one before it.
  CAROM_HD void copy_places(int lane, int count) const {
    const ColouredContacts mine = coloured.of_lane(lane, capacity), before = coloured.of_lane(lane - 1, capacity);
    for (int i = 0; i < count; ++i) mine.former[i] = before.former[i];
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
        fill_lane(contacts, links + (kAlone && width > 1 ? k : 0), coloured, contacts.begin(world),
                  filled ? coloured.order[i] : -1, l, row[first + k]);
      }
  }
  CAROM_HD void fill_row(const ContactColumns& contacts, const int* world, int links, int k) const {
    for (int l = 0; l < kWorlds; ++l) {
      const bool filled = k < solved[l];
      const ColouredContacts mine = coloured.of_lane(l, capacity);
      fill_lane(contacts, links, mine, contacts.begin(world[l]), filled ? mine.order[k] : -1, l, row[k]);
    }
  }
  // i: the contact among those of its world; -1: none. nothing: the row of what does not move.
  CAROM_HD static void fill_lane(const ContactColumns& contacts, int nothing, const ColouredContacts& mine, int begin,
                                 int i, int lane, ContactRow<G>& c) {
    c.source[lane] = i < 0 ? -1 : begin + i;
    c.former[lane] = i < 0 ? -1 : mine.former[i];
    for (int side = 0; side < 2; ++side) {
      const int* const shape = side == 0 ? contacts.shape0 : contacts.shape1;
      const int link = i < 0 ? -1 : ColouredContacts::link_of(contacts, shape[begin + i]);
      c.link[side][lane] = link < 0 ? nothing : link;
    }
  }
};

}  // namespace carom::inline CAROM_PRECISION
