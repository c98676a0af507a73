// Finds the impulses of the contacts of a world, given the velocities v that there would be without them and the factor
// of the matrix H that answers impulses, H dv = J^T p: contact by contact, in their order, each is brought in line with
// its law (contact_slots.kernel.h), until a sweep changes little. That is told by the velocities: how corners share
// what a box weighs may still change, and moves nothing.
//
// J has a row for each axis of a slot, Y = H^-1 J^T. Velocities are in blocks of three; what they are, joint velocities
// or twists of bodies, is the solver's matter.
#pragma once

#include "backend/arena.h"
#include "carom/state.h"
#include "dynamics/block_matrix.kernel.h"
#include "dynamics/contact_slots.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct SweepWork {
  ContactSlot<F>* slot;
  Vec3T<F>*J, *Y;    // of each slot, row by row
  Vec3T<F>* before;  // velocities before a sweep
  F iterations, residual;
  MaskOf<F> converged;

  // capacity: slots; axes: rows of each.
  CAROM_HD void take(Arena& arena, int capacity, int axes, int blocks) {
    slot = arena.take<ContactSlot<F>>(capacity);
    before = arena.take<Vec3T<F>>(blocks);
    J = arena.take<Vec3T<F>>(std::int64_t{capacity} * axes * blocks);
    Y = arena.take<Vec3T<F>>(std::int64_t{capacity} * axes * blocks);
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
  Vec3T<F>* v;
  SweepWork<F>& w;
  const SweepOptions& options;
  F h;  // [s]

  CAROM_HD int axes() const { return contacts.turns ? 6 : 3; }

  // motion(slot, i): how shape 1 moves against shape 0 at the contact, per unit of velocity i. world: of each lane.
  template <class Team, class Motion>
  CAROM_HD_FREE void solve(Team team, const int* world, const SweepReport& report, Motion motion) const {
    const int slots = open(team, world, report);
    if (slots == 0) return;
    CAROM_ROLL
    for (int c = 0; c < slots; ++c) make_slot(team, world, c, motion);
    sweep(team, slots);
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

  CAROM_HD Vec3T<F>* rows(Vec3T<F>* of, int c) const { return of + std::int64_t{c} * axes() * pattern.size; }

  template <class Team, class Motion>
  CAROM_HD_FREE void make_slot(Team team, const int* world, int c, Motion motion) const {
    ContactSlot<F>& slot = w.slot[c];
    team.each(1, [&](int) { open_slot(contacts, world, c, slot); });
    const int n = pattern.size;
    Vec3T<F>*const J = rows(w.J, c), *const Y = rows(w.Y, c);
    team.each(3 * n, [&](int i) {
      const SpatialVectorT<F> moved = motion(slot, i);
      CAROM_ROLL
      for (int k = 0; k < axes(); ++k) {
        const F value = k < 3 ? dot(slot.axes[k], moved.linear) : dot(slot.axes[k - 3], moved.angular);
        entry_of(J + k * n, i) = entry_of(Y + k * n, i) = value;
      }
    });
    CAROM_ROLL
    for (int k = 0; k < axes(); ++k) solve_blocks(team, pattern, factor, Y + k * n);
    const Mat33T<F> A = products(team, J, Y);
    Mat33T<F> B{};
    if (contacts.turns) B = products(team, J + 3 * n, Y + 3 * n);
    team.each(1, [&](int) {
      set_compliance(slot, A);
      if (contacts.turns) set_turning_compliance(slot, B);
    });
  }
  CAROM_HD static F& entry_of(Vec3T<F>* of, int i) { return of[i / 3][i % 3]; }

  template <class Team>
  CAROM_HD Mat33T<F> products(Team team, const Vec3T<F>* J, const Vec3T<F>* Y) const {
    Mat33T<F> A;
    CAROM_ROLL
    for (int r = 0; r < 3; ++r) A[r] = along(team, Y, J + r * pattern.size);
    return A;
  }
  // The three rows from `of` on times a vector.
  template <class Team>
  CAROM_HD Vec3T<F> along(Team team, const Vec3T<F>* of, const Vec3T<F>* vector) const {
    const int n = pattern.size;
    return team.sum(n, [&](int b) {
      return Vec3T<F>{dot(of[b], vector[b]), dot(of[n + b], vector[b]), dot(of[2 * n + b], vector[b])};
    });
  }

  template <class Team, class Vector>
  CAROM_HD F size_of(Team team, Vector vector) const {
    return sqrt(team.sum(pattern.size, [&](int b) { return length_squared(vector(b)); }));
  }

  // Worlds that are there wait for the others of their group without a change.
  template <class Team>
  CAROM_HD_FREE void sweep(Team team, int slots) const {
    MaskOf<F> moving = F(0) <= F(0);
    F taken{}, residual{};
    CAROM_ROLL
    for (int n = 0; n < options.iterations && any(moving); ++n) {
      team.each(pattern.size, [&](int b) { w.before[b] = v[b]; });
      CAROM_ROLL
      for (int c = 0; c < slots; ++c) push_slot(team, c, moving);
      const F change = size_of(team, [&](int b) CAROM_HD_LAMBDA { return v[b] - w.before[b]; }) /
                       max(size_of(team, [&](int b) CAROM_HD_LAMBDA { return v[b]; }), F(1));
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
  template <class Team>
  CAROM_HD_FREE void push_slot(Team team, int c, MaskOf<F> moving) const {
    ContactSlot<F>& slot = w.slot[c];
    const int n = pattern.size;
    const Vec3T<F>*const J = rows(w.J, c), *const Y = rows(w.Y, c);
    SpatialVectorT<F> at{along(team, J, v), {}};
    if (contacts.turns) at.angular = along(team, J + 3 * n, v);
    SlotPush<F> push = push_of_slot(slot, at, h, contacts.turns);
    push.p = select(moving, push.p, Vec3T<F>{}), push.turn = select(moving, push.turn, Vec3T<F>{});
    team.each(n, [&](int b) {
      Vec3T<F> change = fma(Y[b], push.p.x, fma(Y[n + b], push.p.y, Y[2 * n + b] * push.p.z));
      if (contacts.turns)
        change = fma(Y[3 * n + b], push.turn.x, fma(Y[4 * n + b], push.turn.y, fma(Y[5 * n + b], push.turn.z, change)));
      v[b] += change;
    });
    team.each(1, [&](int) {
      slot.p += push.p;
      slot.turn += push.turn;
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
      report.iterations[world[l]] = static_cast<int>(lane_of(w.iterations, l));
      report.residual[world[l]] = lane_of(w.residual, l);
    }
  });
}

}  // namespace carom::inline CAROM_PRECISION
