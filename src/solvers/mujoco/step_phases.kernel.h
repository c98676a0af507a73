// The phases of a step (step.kernel.h) as kernels of their own, for a GPU: each has its own number of threads a part,
// and what passes from one to the next stands in memory that holds all parts.
//
// A team of threads works where these numbers stand. A thread alone copies what it needs to its stack, where the
// numbers of neighbouring threads alternate, and a warp reads 32 of them at once.
#pragma once

#include "solvers/mujoco/step.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class Team>
inline constexpr bool kCopiesParts = Team::size() == 1;

// What passes from phase to phase, by the place of a part in step.worlds.
struct KeptParts {
  char* first = nullptr;
  MuJoCoStep::KeptLayout layout;

  explicit KeptParts(const MuJoCoStep& step) {
    Arena counted;
    MuJoCoStep::Work<Real> w;
    layout = step.take_kept(counted, w);
  }

  CAROM_HD char* of(int place) const { return first + place * layout.total; }

  struct alignas(16) Unit {
    std::uint32_t word[4];
  };
  CAROM_HD static void copy(const char* from, char* to, std::int64_t begin, std::int64_t end) {
    const Unit* const source = reinterpret_cast<const Unit*>(from);
    Unit* const target = reinterpret_cast<Unit*>(to);
    for (auto i = static_cast<int>(begin / sizeof(Unit)); i < static_cast<int>(end / sizeof(Unit)); ++i)
      target[i] = source[i];
  }
};

namespace phases {

// Kept numbers where they stand, or as the first ones of a thread's own memory.
template <class Team>
CAROM_HD void take_kept(const MuJoCoStep& step, char* in_place, Arena& memory, MuJoCoStep::Work<Real>& w) {
  if constexpr (kCopiesParts<Team>) {
    step.take_kept(memory, w);
  } else {
    Arena kept{in_place, 0};
    step.take_kept(kept, w);
  }
}

// Of a phase whose threads have a Work of their own.
template <class Team, class Phase>
CAROM_HD std::int64_t memory_bytes(const Phase& phase) {
  Arena counted;
  MuJoCoStep::Work<Real> w;
  take_kept<Team>(phase.step, nullptr, counted, w);
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
  CAROM_HD void take(Arena& memory, MuJoCoStep::Work<Real>& w) const {
    step.take_part_dofs(memory, w);
    step.take_for_begin(memory, w);
  }
  template <class Team>
  CAROM_HD void operator()(Team team, int place, char* memory) const {
    Arena arena{memory, 0};
    MuJoCoStep::Work<Real> w;
    phases::take_kept<Team>(step, kept.of(place), arena, w);
    take(arena, w);
    step.begin(team, WorldIds<Real>{step.worlds[place]}, w);
    if (kCopiesParts<Team>) KeptParts::copy(memory, kept.of(place), 0, kept.layout.result);
  }
};

struct SolveStep {
  static constexpr bool kInStep = false;
  MuJoCoStep step;
  KeptParts kept;

  template <class Team>
  CAROM_HD std::int64_t memory_bytes() const {
    Arena counted;
    MuJoCoStep::Work<Real> w;
    phases::take_kept<Team>(step, nullptr, counted, w);
    counted.take<MuJoCoStep::Work<Real>>(1);
    take(counted, w);
    return counted.used;
  }
  CAROM_HD void take(Arena& memory, MuJoCoStep::Work<Real>& w) const {
    step.take_part_dofs(memory, w);
    step.take_for_solve(memory, w);
  }
  // The pointers into the memory stand there, too: a team keeps them once instead of once per thread.
  template <class Team>
  CAROM_HD MuJoCoStep::Work<Real>* work_in(char* memory) const {
    return reinterpret_cast<MuJoCoStep::Work<Real>*>(kCopiesParts<Team> ? memory + kept.layout.total : memory);
  }
  template <class Team>
  CAROM_HD void lay_out(Team team, char* memory) const {
    MuJoCoStep::Work<Real>* const w = work_in<Team>(memory);
    team.each(1, [&](int) {
      Arena behind{reinterpret_cast<char*>(w + 1), 0};
      take(behind, *w);
    });
  }
  template <class Team>
  CAROM_HD void operator()(Team team, int place, char* memory) const {
    char* const own = kept.of(place);
    const WorldIds<Real> ids{step.worlds[place]};
    MuJoCoStep::Work<Real>& w = *work_in<Team>(memory);
    team.each(1, [&](int) {
      Arena in_place{own, 0};
      step.take_kept(in_place, w);
      step.point_to_params(step.params_of(Solo{}, ids, w), w);
      if (!kCopiesParts<Team>) return;
      // Few parts need the mass matrix here, so it is not copied, nor what stands beside it.
      Arena copied{memory, 0};
      MuJoCoStep::Work<Real> c;
      step.take_kept(copied, c);
      w.tree.tree_com = c.tree.tree_com, w.tree.motion = c.tree.motion, w.tree.factor = c.tree.factor;
      w.tree.q = c.tree.q, w.tree.qd = c.tree.qd, w.trace = c.trace;
      w.rows.smooth_acceleration = c.rows.smooth_acceleration;
      w.rows.acceleration = c.rows.acceleration, w.rows.constraint_force = c.rows.constraint_force;
    });
    if (kCopiesParts<Team>) KeptParts::copy(own, memory, 0, kept.layout.end_of_input);
    step.solve(team, ids, w);
    if (kCopiesParts<Team>) KeptParts::copy(memory, own, kept.layout.result, kept.layout.total);
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
  CAROM_HD void take(Arena& memory, MuJoCoStep::Work<Real>& w) const {
    step.take_part_dofs(memory, w);
    take_search(memory, step.tree.blocks(), w.rows);
  }
  template <class Team>
  CAROM_HD void operator()(Team team, int place, char* memory) const {
    const WorldIds<Real> ids{step.worlds[place]};
    Arena arena{memory, 0};
    MuJoCoStep::Work<Real> w;
    phases::take_kept<Team>(step, kept.of(place), arena, w);
    take(arena, w);
    if (kCopiesParts<Team>) KeptParts::copy(kept.of(place), memory, kept.layout.state, kept.layout.total);
    step.point_to_params(step.params_of(Solo{}, ids, w), w);
    step.end(team, ids, w);
  }
};

}  // namespace carom::inline CAROM_PRECISION
