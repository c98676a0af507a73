// Finds the impulses of the contacts of a world, given the velocities v before a step, the factor of the matrix
// H = L^T L that answers impulses, H dv = p, and x = L dv of all that acts beside the contacts: contact by contact, in
// their order, each is brought in line with its law (contact_slots.kernel.h), until a sweep changes little. That is
// told by how contacts move when it is their turn, against one sweep before: how corners share what a box weighs may
// still change, and moves nothing.
//
// J has a row for each axis of a slot. With Z = L^-T J^T an impulse p changes x by Z p, and contacts move with
// J v + Z^T x. Z has entries on the way from what a contact touches to the roots alone, which is short where H^-1 J^T
// would be full. Velocities are in blocks of three; what they are, joint velocities or twists of bodies, is the
// solver's matter.
#pragma once

#include "backend/arena.h"
#include "carom/state.h"
#include "dynamics/block_matrix.kernel.h"
#include "dynamics/contact_slots.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct SweepWork {
  ContactSlot<F>* slot;
  BlockNumber* path;        // of each slot: the blocks on its way to the roots, from the highest
  int* path_length;         // of each slot
  BlockNumber* place;       // on the path that is made, of its blocks
  BitSets marks;            // two sets for making paths: what a contact touches, and all that is on its way
  Vec3T<F>* Z;              // of each slot and block on its path: a row of each axis
  SpatialVectorT<F>* free;  // of each slot: J v
  SpatialVectorT<F>* last;  // of each slot: how it moved when it had its turn in the last sweep
  F* rate;                  // Z^T x of a slot
  Vec3T<F>* products;       // rows of Z^T Z of a slot, three by three
  F iterations, residual;
  MaskOf<F> converged;

  // capacity: slots; axes: rows of each.
  CAROM_HD void take(Arena& arena, int capacity, int axes, int blocks) {
    slot = arena.take<ContactSlot<F>>(capacity);
    path = arena.take<BlockNumber>(std::int64_t{capacity} * blocks);
    path_length = arena.take<int>(capacity);
    place = arena.take<BlockNumber>(blocks);
    marks = take_bit_sets(arena, 2, blocks);
    Z = arena.take<Vec3T<F>>(std::int64_t{capacity} * axes * blocks);
    free = arena.take<SpatialVectorT<F>>(capacity);
    last = arena.take<SpatialVectorT<F>>(capacity);
    rate = arena.take<F>(axes);
    products = arena.take<Vec3T<F>>(axes);
  }
};

// The worlds of the lanes; world_of: by part.
template <class F>
struct WorldsOfLanes {
  int world[ScalarTraits<F>::kWidth];

  CAROM_HD WorldsOfLanes(Span<const int> world_of, const WorldIds<F>& ids) {
    for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) world[l] = world_of[ids[l]];
  }
};

struct SweepReport {
  std::int32_t *status, *contacts, *iterations, *needed;
  Real* residual;
};

struct SweepOptions {
  int iterations;
  Real tolerance;  // of what a sweep changes [m/s], [rad/s]; of velocities above 1, their share
  int capacity;    // slots
};

template <class F>
struct ContactSweeps {
  const ContactColumns& contacts;
  const BlockPattern& pattern;
  const Mat33T<F>* factor;  // of H
  Vec3T<F>*v, *x;           // v: those at the end of the step, when all is done
  SweepWork<F>& w;
  const SweepOptions& options;
  F h;  // [s]

  CAROM_HD int axes() const { return contacts.turns ? 6 : 3; }

  // touched(slot, mark): calls mark(b) for the blocks whose velocities move the contact in some lane. motion(slot, b,
  // moved): how shape 1 moves against shape 0 at the contact, per unit of each velocity of such a block. world: of each
  // lane.
  template <class Team, class Touched, class Motion>
  CAROM_HD_FREE void solve(Team team, const int* world, const SweepReport& report, Touched touched,
                           Motion motion) const {
    const int slots = open(team, world, report);
    CAROM_ROLL
    for (int c = 0; c < slots; ++c) {
      team.each(1, [&](int) {
        open_slot(contacts, world, c, w.slot[c]);
        w.free[c] = SpatialVectorT<F>{};
        find_path(c, touched);
      });
      make_slot(team, c, motion);
    }
    sweep(team, slots);
    solve_lower_blocks(team, pattern, factor, x);
    team.each(pattern.size, [&](int b) { v[b] += x[b]; });
    team.each(slots, [&](int c) { close_slot(contacts, w.slot[c], h); });
  }

 private:
  // How many slots there are; what can be reported at once.
  template <class Team>
  CAROM_HD int open(Team team, const int* world, const SweepReport& report) const {
    int most = 0;
    for (int l = 0; l < ContactSlot<F>::kWidth; ++l) {
      const int count = contacts.count(world[l]);
      most = count > most ? count : most;
    }
    team.note([&] {
      w.residual = w.iterations = F(0);
      w.converged = F(0) <= F(0);
    });
    team.each(1, [&](int) {
      for (int l = 0; l < ContactSlot<F>::kWidth; ++l) {
        const int count = contacts.count(world[l]);
        const bool fits = count <= options.capacity;
        report.contacts[world[l]] = count;
        report.needed[world[l]] = fits ? 0 : count;
        report.status[world[l]] = fits ? 0 : kStatusOverflow;
      }
    });
    return most < options.capacity ? most : options.capacity;
  }

  // Those of block t of its path.
  CAROM_HD Vec3T<F>* rows(int c, int t) const { return w.Z + (std::int64_t{c} * pattern.size + t) * axes(); }
  CAROM_HD BlockNumber* path_of(int c) const { return w.path + std::int64_t{c} * pattern.size; }

  // Eliminating a block couples its columns, all of which are on the way from the highest of them on.
  template <class Touched>
  CAROM_HD void find_path(int c, Touched touched) const {
    constexpr int kTouched = 0, kOnPath = 1;
    const BitSets& marks = w.marks;
    marks.clear(kTouched), marks.clear(kOnPath);  // of which the latter loses what is taken
    touched(w.slot[c], [&](int b) CAROM_HD_LAMBDA { marks.add(kTouched, b), marks.add(kOnPath, b); });
    BlockNumber* const path = path_of(c);
    int length = 0;
    for (int b = marks.highest(kOnPath); b >= 0; b = marks.highest(kOnPath)) {
      marks.at(kOnPath, BitSets::word_of(b)) &= ~BitSets::bit_of(b);
      w.place[b] = static_cast<BlockNumber>(length);
      path[length++] = static_cast<BlockNumber>(b);
      if (const int columns = pattern.column_count[b]; columns > 0)
        marks.add(kOnPath, pattern.columns_of(b)[columns - 1]);
    }
    w.path_length[c] = length;
  }

  template <class Team, class Motion>
  CAROM_HD_FREE void make_slot(Team team, int c, Motion motion) const {
    ContactSlot<F>& slot = w.slot[c];
    const BlockNumber* const path = path_of(c);
    team.each(w.path_length[c], [&](int t) {
      SpatialVectorT<F> moved[3]{};
      if (w.marks.has(0, path[t])) motion(slot, path[t], moved);
      CAROM_ROLL
      for (int k = 0; k < axes(); ++k) {
        Vec3T<F>& row = rows(c, t)[k];
        for (int i = 0; i < 3; ++i)
          row[i] = k < 3 ? dot(slot.axes[k], moved[i].linear) : dot(slot.axes[k - 3], moved[i].angular);
      }
    });
    each_axis(team, c, v, [&](int k, F rate) CAROM_HD_LAMBDA {
      Vec3T<F>& half = k < 3 ? w.free[c].linear : w.free[c].angular;
      half[k % 3] = rate;
    });
    solve_rows(team, c);
    team.each(axes(), [&](int k) {
      Vec3T<F> product{};
      CAROM_ROLL
      for (int t = 0; t < w.path_length[c]; ++t) {
        const Vec3T<F>* const Z = rows(c, t);
        const Vec3T<F>* const first = Z + k / 3 * 3;
        product += Vec3T<F>{dot(Z[k], first[0]), dot(Z[k], first[1]), dot(Z[k], first[2])};
      }
      w.products[k] = product;
    });
    team.each(1, [&](int) {
      const Vec3T<F>* const A = w.products;
      set_compliance(slot, {A[0], A[1], A[2]}, h);
      if (contacts.turns) set_turning_compliance(slot, {A[3], A[4], A[5]});
    });
  }

  // f(k, row k with a vector of blocks): sums in the order of the path, to which blocks that other lanes touch add
  // zeros and change no bit, since 0 is never -0. A thread alone takes three rows at once, which changes none either.
  template <class Team, class Function>
  CAROM_HD void each_axis(Team team, int c, const Vec3T<F>* a, Function f) const {
    const BlockNumber* const path = path_of(c);
    const int length = w.path_length[c];
    if constexpr (Team::size() == 1) {
      for (int first = 0; first < axes(); first += 3) {
        Vec3T<F> sum{};
        for (int t = 0; t < length; ++t) {
          const Vec3T<F>* const Z = rows(c, t) + first;
          const Vec3T<F> a_t = a[path[t]];
          sum += Vec3T<F>{dot(Z[0], a_t), dot(Z[1], a_t), dot(Z[2], a_t)};
        }
        f(first, sum.x), f(first + 1, sum.y), f(first + 2, sum.z);
      }
    } else {
      team.each(axes(), [&](int k) {
        F sum{};
        CAROM_ROLL
        for (int t = 0; t < length; ++t) sum = sum + dot(rows(c, t)[k], a[path[t]]);
        f(k, sum);
      });
    }
  }
  // Rows become L^-T times themselves.
  template <class Team>
  CAROM_HD void solve_rows(Team team, int c) const {
    if constexpr (Team::size() == 1) {
      for (int first = 0; first < axes(); first += 3) solve_some<3>(c, first);
    } else {
      team.each(axes(), [&](int k) { solve_some<1>(c, k); });
    }
  }
  // N of them from row k on.
  template <int N>
  CAROM_HD void solve_some(int c, int k) const {
    const BlockNumber* const path = path_of(c);
    CAROM_ROLL
    for (int t = 0; t < w.path_length[c]; ++t) {
      const int b = path[t];
      const Mat33T<F>* const L = factor + block_index(b, 0);
      Vec3T<F> z[N];
      CAROM_UNROLL
      for (int r = 0; r < N; ++r) {
        z[r] = rows(c, t)[k + r];
        block::solve_transposed(L[b], z[r].x, z[r].y, z[r].z);
        rows(c, t)[k + r] = z[r];
      }
      const BlockNumber* const columns = pattern.columns_of(b);
      CAROM_ROLL
      for (int i = 0; i < pattern.column_count[b]; ++i) {
        const Mat33T<F> L_i = L[columns[i]];
        Vec3T<F>* const row = rows(c, w.place[columns[i]]) + k;
        CAROM_UNROLL
        for (int r = 0; r < N; ++r) row[r] -= block::transposed_times(L_i, z[r]);
      }
    }
  }

  // Squares, of all slots.
  struct SweepChange {
    F change{}, speed{};
  };

  // Worlds that are there wait for the others of their group without a change.
  template <class Team>
  CAROM_HD_FREE void sweep(Team team, int slots) const {
    MaskOf<F> moving = F(0) <= F(0);
    F taken{}, residual{};
    CAROM_ROLL
    for (int n = 0; n < options.iterations && any(moving); ++n) {
      SweepChange all;
      CAROM_ROLL
      for (int c = 0; c < slots; ++c) push_slot(team, c, n == 0, moving, all);
      const F change = sqrt(all.change) / max(sqrt(all.speed), F(1));
      taken = select(moving, taken + F(1), taken);
      residual = select(moving, change, residual);
      moving = moving && change > F(options.tolerance);
    }
    team.note([&] {
      w.iterations = taken;
      w.residual = residual;
      w.converged = !moving;
    });
  }
  // In the first sweep, which has none before it, whatever is pushed is a change.
  template <class Team>
  CAROM_HD_FREE void push_slot(Team team, int c, bool first, MaskOf<F> moving, SweepChange& all) const {
    ContactSlot<F>& slot = w.slot[c];
    each_axis(team, c, x, [&](int k, F rate) CAROM_HD_LAMBDA { w.rate[k] = rate; });
    SpatialVectorT<F> at = w.free[c];
    at.linear += Vec3T<F>{w.rate[0], w.rate[1], w.rate[2]};
    if (contacts.turns) at.angular += Vec3T<F>{w.rate[3], w.rate[4], w.rate[5]};
    SlotPush<F> push = push_of_slot(slot, at, contacts.turns);
    const auto square = [](const SpatialVectorT<F>& u)
                            CAROM_HD_LAMBDA { return length_squared(u.linear) + length_squared(u.angular); };
    const F pushed = select(square({push.p, push.turn}) > F(0), F(1), F(0));
    all.change = all.change + (first ? pushed : square(at - w.last[c]));
    all.speed = all.speed + square(at);
    push.p = select(moving, push.p, Vec3T<F>{}), push.turn = select(moving, push.turn, Vec3T<F>{});
    const BlockNumber* const path = path_of(c);
    team.each(w.path_length[c], [&](int t) {
      const Vec3T<F>* const Z = rows(c, t);
      Vec3T<F> change = fma(Z[0], push.p.x, fma(Z[1], push.p.y, Z[2] * push.p.z));
      if (contacts.turns) change = fma(Z[3], push.turn.x, fma(Z[4], push.turn.y, fma(Z[5], push.turn.z, change)));
      x[path[t]] += change;
    });
    team.each(1, [&](int) {
      slot.p += push.p;
      slot.turn += push.turn;
      w.last[c] = at;
    });
  }
};

// Which lanes are marked in an array of worlds; nullptr: none is.
template <class F>
CAROM_HD MaskOf<F> is_lost(const int* lost, const int* world) {
  if constexpr (PlainNumber<F>) {
    return lost && lost[world[0]] != 0;
  } else {
    MaskOf<F> mask = !(F(0) <= F(0));
    for (int l = 0; lost && l < ScalarTraits<F>::kWidth; ++l) mask.set(l, lost[world[l]] != 0);
    return mask;
  }
}

// What a world is reported with once it is known whether its state is finite.
template <class F, class Team>
CAROM_HD void close_report(Team team, const SweepReport& report, const int* world, const SweepWork<F>& w,
                           MaskOf<F> finite) {
  team.each(1, [&](int) {
    for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) {
      report.status[world[l]] |=
          (lane_of(finite, l) ? 0 : kStatusNotFinite) | (lane_of(w.converged, l) ? 0 : kStatusNotConverged);
      // A world without contacts takes none, whoever is beside it in the lanes.
      report.iterations[world[l]] = report.contacts[world[l]] > 0 ? static_cast<int>(lane_of(w.iterations, l)) : 0;
      report.residual[world[l]] = lane_of(w.residual, l);
    }
  });
}

}  // namespace carom::inline CAROM_PRECISION
