// Islands: parts of a world that contacts tie together in this very step (union and find), and the contacts of each.
// Count, scan, fill: FindIslands counts the contacts of every island, ListContacts and ListPairs write them down. A
// world, or an island, is one item and has its own places in all arrays, so the answer depends on nothing else.
#pragma once

#include "dynamics/touches.kernel.h"
#include "solvers/mujoco/contact_list.kernel.h"

namespace carom::inline CAROM_PRECISION {

// An island stands under its first part, its root.
struct IslandView {
  int* root;  // of every part
  int* size;  // parts of an island, under its root, and 0 under the others: 1 = the part touches no other. 0 of what
              // sleeps
  int* first;
  int* part;           // those of an island: part[first[root] ...], ascending
  int* place;          // of every part among them
  int* contact_count;  // of a root; contacts of others count there
  int* segment_start;  // of every part, and the end: contacts of a part alone, or of an island, under its root
  int* contact;

  // Pairs of parts of an island that touch, by their places in it, the smaller one first; a part may touch itself.
  // They begin where the contacts of the island do: there are no more of them.
  int* pair_count;
  Index2* pair;
  int* pair_of_contact;  // in its island, -1 = of a part and what does not move

  // For one kernel alone.
  int* next;         // of every part: where its next contact goes, then the last pair whose first part it is
  int* pair_before;  // of each pair: the one before it with this first part

  CAROM_HD bool is_island(int p) const { return size[p] > 1; }
};

// The contacts of one world as edges between its parts.
struct WorldEdges {
  ContactView contacts;  // by world
  int first_part, last_part;
  const int* asleep = nullptr;  // of each part: whether it is left out, with its contacts; nullptr: none is

  // Rows come from contacts that push, those nearer than their margin, and from those that pull.
  CAROM_HD bool is_active(int c) const {
    const ContactMaterial& m = contacts.material[c];
    const bool pulls = contacts.traits.pulled_by_bodies || (contacts.extras && contacts.extras[c].adhesion != 0);
    return m.inverse_mass > 0 && (pulls || -contacts.depth[c] < m.active_margin);
  }
  CAROM_HD static bool joins(const ContactMaterial& m) {
    return m.part[0] >= 0 && m.part[1] >= 0 && m.part[0] != m.part[1];
  }
  CAROM_HD bool is_asleep(int p) const { return asleep && asleep[p]; }
  // Contacts that somebody wrote down for another world are nobody's.
  CAROM_HD bool is_own(const ContactMaterial& m) const {
    for (const int p : m.part)
      if (p >= 0 && (p < first_part || p >= last_part || is_asleep(p))) return false;
    return true;
  }
  // The root that a contact counts for, -1 = none.
  CAROM_HD int segment(int c, const int* root) const {
    const ContactMaterial& m = contacts.material[c];
    if (!is_own(m) || (joins(m) && !is_active(c))) return -1;  // of two islands: it pushes neither
    const int p = m.part[0] >= 0 ? m.part[0] : m.part[1];
    return p < 0 ? -1 : root[p];
  }
};

struct FindIslands {
  static constexpr int kItemsTogether = 1;  // worlds here are large

  Span<const int> part_start;  // of each world
  ContactView contacts;        // by world
  IslandView islands;
  const int* asleep = nullptr;  // see WorldEdges

  CAROM_HD void operator()(int world) const {
    const WorldEdges edges{contacts, part_start[world], part_start[world + 1], asleep};
    for (int p = edges.first_part; p < edges.last_part; ++p)
      islands.root[p] = p, islands.size[p] = islands.contact_count[p] = 0;
    for (int c = contacts.begin(world); c < contacts.end(world); ++c) {
      const ContactMaterial& m = contacts.material[c];
      if (edges.joins(m) && edges.is_own(m) && edges.is_active(c)) join_islands(islands.root, m.part[0], m.part[1]);
    }
    list_parts(edges);
    for (int c = contacts.begin(world); c < contacts.end(world); ++c)
      if (const int s = edges.segment(c, islands.root); s >= 0) ++islands.contact_count[s];
  }

 private:
  CAROM_HD void list_parts(const WorldEdges& edges) const {
    const int begin = edges.first_part, end = edges.last_part;
    const IslandView& i = islands;
    for (int p = begin; p < end; ++p) {
      if (edges.is_asleep(p)) continue;
      i.root[p] = i.root[i.root[p]];  // what stands above it comes before it
      i.place[p] = i.size[i.root[p]]++;
    }
    for (int p = begin, next = begin; p < end; ++p)
      if (i.is_island(p)) i.first[p] = next, next += i.size[p];
    for (int p = begin; p < end; ++p)
      if (i.is_island(i.root[p])) i.part[i.first[i.root[p]] + i.place[p]] = p;
  }
};

struct ListContacts {
  static constexpr int kItemsTogether = 1;

  Span<const int> part_start;  // of each world
  ContactView contacts;        // by world
  IslandView islands;
  const int* asleep = nullptr;  // see WorldEdges

  CAROM_HD void operator()(int world) const {
    const WorldEdges edges{contacts, part_start[world], part_start[world + 1], asleep};
    for (int p = edges.first_part; p < edges.last_part; ++p) islands.next[p] = islands.segment_start[p];
    for (int c = contacts.begin(world); c < contacts.end(world); ++c)
      if (const int s = edges.segment(c, islands.root); s >= 0) islands.contact[islands.next[s]++] = c;
  }
};

// Over all parts.
struct ListPairs {
  const ContactMaterial* material;
  IslandView islands;

  CAROM_HD void operator()(int root) const {
    if (!islands.is_island(root)) return;
    const IslandView& i = islands;
    const int first = i.segment_start[root], end = i.segment_start[root + 1];
    for (int p = 0; p < i.size[root]; ++p) i.next[i.part[i.first[root] + p]] = -1;
    int count = 0;
    for (int at = first; at < end; ++at) {
      const int* const part = material[i.contact[at]].part;
      int& number = i.pair_of_contact[i.contact[at]] = -1;
      if (part[0] < 0 || part[1] < 0) continue;
      const bool ascend = part[0] < part[1];
      const int a = part[ascend ? 0 : 1], b = part[ascend ? 1 : 0];
      number = i.next[a];
      while (number >= 0 && i.pair[first + number][1] != i.place[b]) number = i.pair_before[first + number];
      if (number >= 0) continue;
      number = count++;
      i.pair[first + number] = {i.place[a], i.place[b]};
      i.pair_before[first + number] = i.next[a];
      i.next[a] = number;
    }
    i.pair_count[root] = count;
  }
};

}  // namespace carom::inline CAROM_PRECISION
