// The phases of a step (step.kernel.h) as kernels of their own, for a GPU: each has its own number of threads a part,
// and what passes from one to the next stands in memory that holds all parts.
//
// A team of threads works where these numbers stand. A thread alone copies what it needs to its stack, where the
// numbers of neighbouring threads alternate, and a warp reads 32 of them at once.
#pragma once

#include "solvers/mujoco/step.kernel.h"

namespace carom::inline CAROM_PRECISION {

// What passes from phase to phase, by the place of a part in step.worlds.
struct KeptParts {
  struct alignas(16) Unit {
    std::uint32_t word[4];
  };
  static constexpr int kTile = 32;  // threads of a warp

  Unit* first = nullptr;
  StepView::KeptLayout layout;
  bool alternate = false;  // the units of kTile neighbours, so that the threads of a warp read and write them side by
                           // side; then everybody works on copies

  explicit KeptParts(const MuJoCoStep& step) {
    Arena counted;
    StepWork<Real> w;
    layout = step.take_kept(counted, w);
  }

  CAROM_HD static int units(std::int64_t bytes) { return static_cast<int>(bytes / sizeof(Unit)); }
  CAROM_HD std::int64_t memory_bytes(int parts) const { return (parts + kTile - 1) / kTile * kTile * layout.total; }

  template <class Team>
  CAROM_HD bool is_copied() const {
    return Team::size() == 1 || alternate;
  }
  // Where the numbers of a part stand one after the other.
  CAROM_HD char* in_place(int place) const {
    return reinterpret_cast<char*>(first + std::int64_t{place} * units(layout.total));
  }
  CAROM_HD Unit& unit(int place, int i) const {
    const std::int64_t all = units(layout.total);
    return alternate ? first[(place / kTile * all + i) * kTile + place % kTile] : first[place * all + i];
  }

  // The bytes from begin to end, to a team's own memory and back.
  template <class Team>
  CAROM_HD void load(Team team, int place, char* to, std::int64_t begin, std::int64_t end) const {
    Unit* const own = reinterpret_cast<Unit*>(to);
    copy_units(
        team, begin, end, [&](int i) CAROM_HD_LAMBDA -> Unit& { return unit(place, i); },
        [&](int i) CAROM_HD_LAMBDA -> Unit& { return own[i]; });
  }
  template <class Team>
  CAROM_HD void save(Team team, int place, char* from, std::int64_t begin, std::int64_t end) const {
    Unit* const own = reinterpret_cast<Unit*>(from);
    copy_units(
        team, begin, end, [&](int i) CAROM_HD_LAMBDA -> Unit& { return own[i]; },
        [&](int i) CAROM_HD_LAMBDA -> Unit& { return unit(place, i); });
  }

 private:
  template <class Team, class From, class To>
  CAROM_HD static void copy_units(Team team, std::int64_t begin, std::int64_t end, From from, To to) {
    constexpr int kAtOnce = 8, kStride = Team::size();  // eight are on their way together
    const int last = units(end);
    int i = units(begin) + team.rank();
    CAROM_ROLL
    for (; i + (kAtOnce - 1) * kStride < last; i += kAtOnce * kStride) {
      Unit several[kAtOnce];
      CAROM_UNROLL
      for (int k = 0; k < kAtOnce; ++k) several[k] = from(i + k * kStride);
      CAROM_UNROLL
      for (int k = 0; k < kAtOnce; ++k) to(i + k * kStride) = several[k];
    }
    CAROM_ROLL
    for (; i < last; i += kStride) to(i) = from(i);
    team.sync();
  }
};

namespace phases {

// Kept numbers where they stand, or as the first ones of a team's own memory.
template <class Team>
CAROM_HD void take_kept(const MuJoCoStep& step, const KeptParts& kept, int place, Arena& memory, StepWork<Real>& w) {
  if (kept.is_copied<Team>()) {
    step.take_kept(memory, w);
  } else {
    Arena where_they_stand{kept.in_place(place), 0};
    step.take_kept(where_they_stand, w);
  }
}

template <class Team, class Phase>
CAROM_HD std::int64_t memory_bytes(const Phase& phase) {
  Arena counted;
  StepWork<Real> w;
  if (phase.kept.template is_copied<Team>()) phase.step.take_kept(counted, w);
  phase.take(counted, w);
  return counted.used;
}

}  // namespace phases

struct BeginStep {
  static constexpr bool kInStep = true;  // see Team; and as much work in every world
  MuJoCoStep step;
  KeptParts kept;

  template <class Team>
  CAROM_HD std::int64_t memory_bytes() const {
    return phases::memory_bytes<Team>(*this);
  }
  CAROM_HD void take(Arena& memory, StepWork<Real>& w) const {
    step.take_part_dofs(memory, w);
    step.take_for_begin(memory, w);
  }
  template <class Team>
  CAROM_HD void operator()(Team team, int place, char* memory) const {
    Arena arena{memory, 0};
    StepWork<Real> w;
    phases::take_kept<Team>(step, kept, place, arena, w);
    take(arena, w);
    step.begin(team, WorldIds<Real>{step.worlds[place]}, w);
    if (kept.is_copied<Team>()) kept.save(team, place, memory, 0, kept.layout.result);
  }
};

struct SolveStep {
  static constexpr bool kInStep = false;
  MuJoCoStep step;
  KeptParts kept;

  template <class Team>
  CAROM_HD std::int64_t memory_bytes() const {
    return phases::memory_bytes<Team>(*this);
  }
  CAROM_HD void take(Arena& memory, StepWork<Real>& w) const {
    step.take_part_dofs(memory, w);
    step.take_for_solve(memory, w);
  }
  template <class Team>
  CAROM_HD void operator()(Team team, int place, char* memory) const {
    const WorldIds<Real> ids{step.worlds[place]};
    Arena arena{memory, 0};
    StepWork<Real> w;
    phases::take_kept<Team>(step, kept, place, arena, w);
    take(arena, w);
    if (kept.is_copied<Team>()) load(team, place, memory, w);
    StepReader<Real>{step, ids, w}.take_params(Solo{});
    step.solve(team, ids, w);
    if (kept.is_copied<Team>()) kept.save(team, place, memory, kept.layout.result, kept.layout.total);
  }

 private:
  // A thread alone does not copy the mass matrix, nor what stands beside it: parts with few rows do not need it, which
  // are all that it is given where the numbers of parts alternate.
  template <class Team>
  CAROM_HD void load(Team team, int place, char* memory, StepWork<Real>& w) const {
    kept.load(team, place, memory, 0, Team::size() == 1 ? kept.layout.end_of_input : kept.layout.result);
    if (kept.alternate) return;
    Arena in_place{kept.in_place(place), 0};
    StepWork<Real> all;
    step.take_kept(in_place, all);
    w.tree.M = all.tree.M, w.rows.smooth_force = all.rows.smooth_force;
  }
};

struct EndStep {
  static constexpr bool kInStep = true;
  MuJoCoStep step;
  KeptParts kept;

  template <class Team>
  CAROM_HD std::int64_t memory_bytes() const {
    return phases::memory_bytes<Team>(*this);
  }
  CAROM_HD void take(Arena& memory, StepWork<Real>& w) const {
    step.take_part_dofs(memory, w);
    take_search(memory, step.tree.blocks(), w.rows);
  }
  template <class Team>
  CAROM_HD void operator()(Team team, int place, char* memory) const {
    const WorldIds<Real> ids{step.worlds[place]};
    Arena arena{memory, 0};
    StepWork<Real> w;
    phases::take_kept<Team>(step, kept, place, arena, w);
    take(arena, w);
    if (kept.is_copied<Team>()) kept.load(team, place, memory, kept.layout.state, kept.layout.total);
    StepReader<Real>{step, ids, w}.take_params(Solo{});
    step.end(team, ids, w);
  }
};

}  // namespace carom::inline CAROM_PRECISION
