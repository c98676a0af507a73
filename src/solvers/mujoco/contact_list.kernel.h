// The contacts of one part of a world, or of W parts side by side, as lists that count from zero in every lane: slot c
// of a list is the c-th contact of its kind in each part that has one, so parts of a group share the work of a slot
// although they touch different things.
#pragma once

#include "backend/arena.h"
#include "backend/team.h"
#include "backend/world_lanes.h"
#include "carom/contacts.h"
#include "solvers/mujoco/contact_extras.kernel.h"

namespace carom::inline CAROM_PRECISION {

// A set of condims.
struct Condims {
  unsigned bits = 0;

  CAROM_HD constexpr bool has(int condim) const { return bits >> condim & 1; }
  CAROM_HD constexpr bool has_any(Condims other) const { return bits & other.bits; }
  CAROM_HD constexpr bool has_all(Condims other) const { return !(other.bits & ~bits); }
  CAROM_HD constexpr Condims operator|(Condims other) const { return {bits | other.bits}; }
};
CAROM_HD constexpr Condims condim_set(int condim) { return {1u << condim}; }

// What is known of all contacts of a model.
struct ContactTraits {
  Condims condims;  // that they may have
  Cone cone = Cone::kPyramidal;
  bool has_extras = false, has_adhesion = false;  // contact_extras.kernel.h
  bool pulled_by_bodies = false;                  // some actuator pulls at the contacts of a body

  bool resists_turning() const { return condims.has_any(condim_set(4) | condim_set(6)); }
};

// Contacts as a step reads them, and the force that it writes.
struct ContactView {
  const int* segment_start;  // of each part or island; nullptr: there are no contacts
  const int* order;          // contacts by segment; nullptr: they stand in this order already
  const Vec3 *point, *normal, *tangent;
  const Real* depth;
  const ContactMaterial* material;
  Vec3* force;
  Vec3* torque;  // of contacts that resist turning; the others have none
  ContactTraits traits;
  const ContactExtras* extras = nullptr;  // nullptr: there are none
  const int* root = nullptr;              // of every part: the segment of its island; nullptr: each has its own

  CAROM_HD int begin(int segment) const { return segment_start ? segment_start[segment] : 0; }
  CAROM_HD int end(int segment) const { return segment_start ? segment_start[segment + 1] : 0; }
  CAROM_HD int segment_of(int part) const { return root ? root[part] : part; }
  CAROM_HD int contact(int i) const { return order ? order[i] : i; }
};

// The c-th contact of every lane is number source[c * W + lane] of all contacts, -1 = this lane has fewer.
struct ContactList {
  int* source;
  int capacity;  // slots
  int count;     // slots in use: the most contacts that any lane has
  int needed;    // slots for all contacts of the fullest lane
  int* lane_count;

  template <class F>
  CAROM_HD const int* of_slot(int c) const {
    return source + c * ScalarTraits<F>::kWidth;
  }
};

template <class F>
CAROM_HD ContactList take_contact_list(Arena& arena, int capacity) {
  constexpr int W = ScalarTraits<F>::kWidth;
  return {arena.take<int>(capacity * W), capacity, 0, 0, arena.take<int>(W)};
}

// Lists the contacts of the parts whose condim is wanted; those beyond the capacity are left out. Every thread of a
// team knows their number from the vote.
template <class F, class Team>
CAROM_HD_FREE void list_contacts(Team team, const ContactView& contacts, const int* segment, Condims wanted,
                                 ContactList& list) {
  constexpr int W = ScalarTraits<F>::kWidth;
  if (!wanted.has_any(contacts.traits.condims)) {
    team.note([&] { list.count = list.needed = 0; });
    team.each(1, [&](int) {
      for (int l = 0; l < W; ++l) list.lane_count[l] = 0;
    });
    return;
  }
  const bool all = wanted.has_all(contacts.traits.condims);
  int needed = 0;
  if constexpr (PlainNumber<F>) {
    const int first = contacts.begin(segment[0]), count = contacts.end(segment[0]) - first;
    const auto is_listed = [&](int i) CAROM_HD_LAMBDA {
      return all || wanted.has(contacts.material[contacts.contact(first + i)].condim);
    };
    needed = team.compact(count, is_listed, [&](int slot, int i) CAROM_HD_LAMBDA {
      if (slot < list.capacity) list.source[slot] = contacts.contact(first + i);
    });
    team.each(1, [&](int) { list.lane_count[0] = needed; });
  } else {
    for (int l = 0; l < W; ++l) {
      int slots = 0;
      const int end = contacts.end(segment[l]);
      for (int i = contacts.begin(segment[l]); i < end; ++i) {
        const int c = contacts.contact(i);
        if (!all && !wanted.has(contacts.material[c].condim)) continue;
        if (slots < list.capacity) list.source[slots * W + l] = c;
        ++slots;
      }
      list.lane_count[l] = slots;
      needed = slots > needed ? slots : needed;
    }
    for (int l = 0; l < W; ++l)
      for (int slot = list.lane_count[l]; slot < needed && slot < list.capacity; ++slot) list.source[slot * W + l] = -1;
  }
  team.note([&] {
    list.needed = needed;
    list.count = needed < list.capacity ? needed : list.capacity;
  });
}

// What get() finds in the contact of each lane, 0 where it has none.
template <class F, class Get>
CAROM_HD F pick(const int* source, Get get) {
  if constexpr (PlainNumber<F>) {
    return source[0] < 0 ? F(0) : get(source[0]);
  } else {
    F value{};
    for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
      if (source[l] >= 0) value.set(l, get(source[l]));
    return value;
  }
}
// What a column holds for the contact of each lane, as the numbers of V<F>; 0 where a lane has none.
template <template <class> class V, class F, class Row>
CAROM_HD void pick_rows(const int* source, const Row* column, V<F>& result) {
  constexpr int N = sizeof(V<F>) / sizeof(F), kStride = sizeof(Row) / sizeof(Real);
  static_assert(sizeof(V<Real>) <= sizeof(Row) && sizeof(Row) % sizeof(Real) == 0);
  const Real* const base = reinterpret_cast<const Real*>(column);
  F(&value)[N] = reinterpret_cast<F(&)[N]>(result);
  if constexpr (PlainNumber<F>) {
    for (int k = 0; k < N; ++k) value[k] = source[0] < 0 ? F(0) : base[source[0] * std::int64_t{kStride} + k];
  } else {
    Offsets<F> at;
    MaskOf<F> listed{};
    for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) {
      at.start[l] = source[l] < 0 ? 0 : std::int64_t{source[l]} * kStride;  // some lane has one, so there is a first
      listed.set(l, source[l] >= 0);
    }
    load_rows(base, at, 0, value);
    if (!all(listed))
      for (F& x : value) x = select(listed, x, F(0));
  }
}

}  // namespace carom::inline CAROM_PRECISION
