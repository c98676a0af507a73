// How many rows of each sort a part has in this step, before anything is solved: parts with as many are solved side by
// side.
#pragma once

#include "solvers/mujoco/step.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct RowCount {
  int frictionless, frictional;  // contacts
  int limits;                    // that act

  // Contacts of the longest list.
  CAROM_HD int contacts() const { return frictionless > frictional ? frictionless : frictional; }
};

// Of three rows each.
CAROM_HD constexpr int row_blocks(const RowCount& c) { return c.frictional + (c.frictionless + c.limits + 2) / 3; }

// Orders parts by their work: those with the most blocks of rows first, and of these the ones with the most contacts
// with friction.
struct RowKey {
  static constexpr int kBits = 8, kMost = 15;

  // The smallest key of parts with so many blocks of rows, or fewer.
  CAROM_HD static int first_of(int blocks) { return (kMost + 1) * (kMost - blocks); }
  CAROM_HD static int of(const RowCount& c) {
    const int blocks = row_blocks(c);
    return first_of(blocks < kMost ? blocks : kMost) + kMost - (c.frictional < kMost ? c.frictional : kMost);
  }
};

struct CountRows {
  Span<const int> parts;
  MuJoCoStep step;  // of their archetype
  RowCount* count;
  std::uint64_t* key = nullptr;  // of parts[i], and its copy in place[i], for those who sort by it
  int* place = nullptr;

  CAROM_HD void operator()(int i) const {
    const int part = parts[i];
    const ContactView& contacts = step.contacts;
    const int begin = contacts.begin(part), end = contacts.end(part);
    int frictional = 0;
    for (int c = begin; c < end; ++c) frictional += contacts.material[contacts.contact(c)].condim != 1;
    const RowCount counted{end - begin - frictional, frictional, limits_of(part)};
    count[part] = counted;
    if (!key) return;
    key[i] = static_cast<std::uint64_t>(RowKey::of(counted));
    place[i] = part;
  }

 private:
  CAROM_HD int limits_of(int part) const {
    const Real* const p = step.params + step.starts.params_row[part] * step.params_stride;
    const Real* const q = step.joint_q + step.starts.coord[part];
    const auto* const limit = reinterpret_cast<const LimitParams<Real>*>(p + step.layout.limits);
    int acting = 0;
    for (int s = 0; s < step.rows.limits(); ++s)
      acting += limit_gap(step.rows, s, limit[s], p + step.layout.limit_coefs, q).distance < limit[s].margin;
    return acting;
  }
};

// Where the classes of teams begin in parts that are sorted by RowKey: class c takes those with more than blocks[c]
// blocks of rows that no class before it took, the last one the rest.
struct FindClasses {
  Span<const std::uint64_t> key;
  int blocks[kTeamClasses];
  int* start;

  CAROM_HD void operator()(int c) const {
    int low = 0, high = static_cast<int>(key.size);
    if (c == 0) high = 0;
    else if (c == kTeamClasses) low = high;
    else
      for (const int wanted = RowKey::first_of(blocks[c - 1]); low < high;) {
        const int middle = (low + high) / 2;
        if (static_cast<int>(key[middle]) < wanted) low = middle + 1;
        else high = middle;
      }
    start[c] = low;
  }
};

}  // namespace carom::inline CAROM_PRECISION
