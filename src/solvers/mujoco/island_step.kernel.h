// A step of an island: each of its parts up to the accelerations without constraints, then all of them together, then
// each on its own to the end. Islands are independent; on the CPU one thread takes an island, on CUDA a team.
#pragma once

#include "solvers/mujoco/find_islands.kernel.h"
#include "solvers/mujoco/island_diagonals.kernel.h"
#include "solvers/mujoco/island_pull.kernel.h"
#include "solvers/mujoco/island_slip.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Writes down the step of a plan, for islands, whose parts have several.
struct KeepStep {
  MuJoCoStep step;
  MuJoCoStep* to;

  CAROM_HD void operator()(int) const { *to = step; }
};

// Over all parts: those that are no root of an island have nothing to do.
struct IslandStep {
  static constexpr int kItemsTogether = 1;  // a thread may take a single island
  static constexpr int kCudaTeam = 32;
  static constexpr std::int64_t kMemoryUnit = 64;  // [bytes]

  const MuJoCoStep* steps;  // of each plan, without room for contacts
  const int* plan_of_part;  // of every part of the model
  const int* chain_blocks;  // of each plan
  IslandView islands;
  ContactView contacts;  // by part or island
  NewtonOptions newton;
  char* memory;
  const int* memory_start;  // of each island, under its root [units]

  CAROM_HD int id(int root, int place) const { return islands.part[islands.first[root] + place]; }
  CAROM_HD const MuJoCoStep& step_of(int id) const { return steps[plan_of_part[id]]; }

  CAROM_HD int memory_units(int root) const {
    Arena arena;
    IslandWork w;
    arena.take<IslandWork>(1);
    take(arena, root, w);
    return static_cast<int>((arena.used + kMemoryUnit - 1) / kMemoryUnit);
  }

  // What all islands together need at most is the sum of these over their parts and contacts, whatever touches what,
  // and what pairs need. An array takes no more than its pieces do when each is laid out on its own, and room to
  // align them is left: a part counts the memory of an island, which has two parts or more.
  //
  // A factor of n <= kFactored blocks takes no more of it for each of them than that of kFactored. Where n is more, it
  // is up to twice the blocks of the largest part.
  CAROM_HD static std::int64_t most_bytes_of_part(const MuJoCoStep& step) {
    const int blocks = step.tree.blocks(), most = 2 * blocks < kMostBlocks ? 2 * blocks : kMostBlocks;
    Arena arena;
    IslandWork w;
    arena.take<IslandWork>(1);
    arena.take<IslandPart>(1);
    take_part(arena, step);
    take_vectors(arena, blocks, w);
    arena.used += blocks * (factor_bytes(kFactored) / kFactored + 1);
    if (most > kFactored) arena.used += factor_bytes(most);
    return (arena.used + kMemoryUnit - 1) / kMemoryUnit * kMemoryUnit;
  }
  // Without the blocks of the pair.
  CAROM_HD static std::int64_t most_bytes_of_contact(ContactTraits traits, int chain) {
    Arena arena;
    IslandWork w;
    w.no_view = {};
    arena.take<IslandPair>(1);
    take_contacts(arena, traits, chain, 1, w);
    return (arena.used + kMemoryUnit - 1) / kMemoryUnit * kMemoryUnit;
  }

  template <class Team>
  CAROM_HD void operator()(Team team, int root) const {
    if (!islands.is_island(root)) return;
    Arena arena{memory + memory_start[root] * kMemoryUnit, 0};
    IslandWork& w = *arena.take<IslandWork>(1);
    team.each(1, [&](int) { take(arena, root, w); });
    const int parts = static_cast<int>(w.parts.size);
    team.each(parts, [&](int p) {
      const IslandPart& part = w.parts[p];
      part.step->begin(Solo{}, WorldIds<Real>{part.id}, *part.work);
    });
    const IslandInput in{w.parts,
                         islands.place,
                         contacts,
                         &root,
                         step_of(root).options.impratio,
                         step_of(root).implicit_rows(*w.parts[0].work)};
    w.contacts.each([&](auto& kind) CAROM_HD_LAMBDA { kind.make(team, w.no_view, in); });
    if (contacts.traits.has_adhesion || contacts.traits.pulled_by_bodies) IslandPull{w, contacts}.add(team);
    team.each(parts, [&](int p) { make_rows(w.parts[p]); });
    if (step_of(root).options.diagexact) IslandDiagonals{w, contacts, step_of(root).shape_type}.take(team);
    team.each(1, [&](int) {
      w.has_rows = true;
      note_contacts(w);
      if (step_of(root).is_discrete()) note_touched(w);
    });
    const NewtonReport<Real> report = solve_newton(team, IslandProblem{w}, newton, true);
    if (step_of(root).options.noslip_iterations > 0) remove_slip(team, w, step_of(root).options);
    w.contacts.each([&](auto& kind) CAROM_HD_LAMBDA {
      RowRecord* const record = steps->out.forward.contact_row;
      team.each(kind.list.count, [&](int c) {
        const int source = kind.list.source[c];
        Vec3 force = kind.force_in_world(c);
        if (contacts.extras) force = force - contacts.normal[source] * contacts.extras[source].adhesion;
        contacts.force[source] = force + Vec3{};  // + 0: never -0, as in parts of their own
        if constexpr (requires { kind.torque_in_world(c); }) contacts.torque[source] = kind.torque_in_world(c) + Vec3{};
        if (record) record[source] = record_of_row(kind, c, 0);
      });
    });
    team.each(parts, [&](int p) { end(w.parts[p], report); });
  }

 private:
  static constexpr int kFactored = 64;  // blocks of an island that is factored, whatever it consists of

  // Lays out the memory of an island, behind its IslandWork; without memory it only counts.
  CAROM_HD void take(Arena& arena, int root, IslandWork& w) const {
    const int n = islands.size[root];
    w.parts = {arena.take<IslandPart>(n), n};
    w.blocks = 0;
    int largest = 0, chain = 0;
    for (int i = 0; i < n; ++i) {
      const int part = id(root, i), own_chain = chain_blocks[plan_of_part[part]];
      const MuJoCoStep& step = step_of(part);
      StepWork<Real>* const work = take_part(arena, step);
      if (arena.memory) w.parts[i] = {part, &step, work, w.blocks, true};
      w.blocks += step.tree.blocks();
      largest = step.tree.blocks() > largest ? step.tree.blocks() : largest;
      chain = own_chain > chain ? own_chain : chain;
    }
    w.no_view = {};
    w.pair_of_contact = islands.pair_of_contact;
    take_vectors(arena, w.blocks, w);
    take_pairs(arena, root, w);
    take_solver(arena, is_factored(w.blocks, largest), w);
    take_contacts(arena, contacts.traits, chain, contacts.end(root) - contacts.begin(root), w);
    for (int i = 0; arena.memory && i < n; ++i) share_vectors(w, w.parts[i]);
  }

  CAROM_HD static StepWork<Real>* take_part(Arena& arena, const MuJoCoStep& step) {
    StepWork<Real>* const work = arena.take<StepWork<Real>>(1);
    if (work) {
      step.take_work(arena, *work);
    } else {
      StepWork<Real> counted;
      step.take_work(arena, counted);
    }
    return work;
  }

  CAROM_HD static void take_contacts(Arena& arena, ContactTraits traits, int chain, int slots, IslandWork& w) {
    w.contacts.each([&](auto& kind) CAROM_HD_LAMBDA {
      kind.J.room = chain;
      kind.take(arena, w.no_view, traits, slots);
    });
  }

  CAROM_HD void take_pairs(Arena& arena, int root, IslandWork& w) const {
    const int n = islands.pair_count[root];
    w.pairs = {arena.take<IslandPair>(n), n};
    for (int i = 0; i < n; ++i) {
      const auto [a, b] = islands.pair[islands.segment_start[root] + i];
      const int rows = step_of(id(root, a)).tree.blocks(), columns = step_of(id(root, b)).tree.blocks();
      Mat33* const block = arena.take<Mat33>(std::int64_t{rows} * columns);
      if (arena.memory) w.pairs[i] = {a, b, rows, columns, true, block};
    }
  }

  // Piles of many blocks fill in. What touches a large tree does not make its factor much larger.
  CAROM_HD static bool is_factored(int blocks, int largest_part) {
    return blocks <= kFactored || (blocks <= 2 * largest_part && blocks <= kMostBlocks);
  }

  CAROM_HD static void take_solver(Arena& arena, bool factored, IslandWork& w) {
    w.factor = nullptr;
    if (factored) {
      w.factor = arena.take<Mat33>(block_total(w.blocks));
      w.pattern = take_pattern(arena, w.blocks);
      return;
    }
    for (Vec3** v : {&w.residual, &w.preconditioned, &w.direction, &w.H_direction}) *v = arena.take<Vec3>(w.blocks);
  }

  // The vectors of a part are its piece of the island's.
  CAROM_HD static void share_vectors(const IslandWork& w, IslandPart& part) {
    SolveVectors<Real>& own = part.work->rows;
    own = w;
    for (Vec3** v : {&own.smooth_force, &own.smooth_acceleration, &own.acceleration, &own.M_acceleration, &own.gradient,
                     &own.search, &own.M_search, &own.constraint_force})
      *v += part.first_block;
    part.work->rows.kinds.joint.first_block = part.first_block;
  }

  // The factor of an island.
  CAROM_HD static std::int64_t factor_bytes(int blocks) {
    Arena arena;
    IslandWork w;
    w.blocks = blocks;
    take_solver(arena, true, w);
    return arena.used;
  }

  // For the reports: the first part answers for the contacts.
  CAROM_HD static void note_contacts(IslandWork& w) {
    StepWork<Real>& first = *w.parts[0].work;
    w.contacts.each_with(first.rows.kinds.contacts,
                         [](auto& kind, auto& own) CAROM_HD_LAMBDA { own.list.lane_count[0] = kind.list.count; });
    w.contacts.each([&](auto& kind) CAROM_HD_LAMBDA {
      for (int c = 0; c < kind.list.count; ++c) first.row_count += kind.D[c] > 0 ? kind.edges(c) : Real(0);
    });
  }

  // Free bodies that contacts touch.
  CAROM_HD void note_touched(IslandWork& w) const {
    w.contacts.each([&](auto& kind) CAROM_HD_LAMBDA {
      for (int c = 0; c < kind.list.count; ++c) {
        const ContactMaterial& m = contacts.material[kind.list.source[c]];
        for (int side = 0; side < 2; ++side)
          if (kind.D[c] > 0 && m.part[side] >= 0)
            w.parts[islands.place[m.part[side]]].work->discrete.touched[m.link[side]] = 1;
      }
    });
  }

  // Its rows of joints; the work of begin() is done with.
  CAROM_HD static void make_rows(const IslandPart& part) {
    const MuJoCoStep& step = *part.step;
    StepWork<Real>& own = *part.work;
    const Solo solo;
    const WorldIds<Real> ids{part.id};
    step.open_report(solo, ids, own);
    StepReader<Real>{step, ids, own}.load_last(solo, own.rows.acceleration);
    own.rows.kinds.joint.make(
        solo, step.rows,
        RowInput<Real>{step.tree, own.tree, step.link_dofs, step.contacts, own.segment,
                       least_time(step.options, step.dt), step.options.impratio, step.implicit_rows(own)});
    own.rows.kinds.contacts.each(
        [](auto& kind) CAROM_HD_LAMBDA { kind.list.count = kind.list.needed = kind.list.lane_count[0] = 0; });
    if (step.options.diagexact) step.take_exact_diagonals(solo, own);
    step.count_rows(solo, own);
    if (step.is_discrete())
      discrete::find_touched(solo, step.tree, step.rows, step.contacts, own.rows.kinds, own.discrete.touched);
  }

  CAROM_HD static void end(const IslandPart& part, const NewtonReport<Real>& report) {
    StepWork<Real>& own = *part.work;
    own.iterations = report.iterations;
    own.residual = report.residual;
    own.converged = report.converged;
    const WorldIds<Real> ids{part.id};
    part.step->close_rows(Solo{}, ids, own);
    part.step->end(Solo{}, ids, own);
  }
};

// How much memory each island needs; over all parts.
struct MeasureIslands {
  IslandStep step;
  int* units;

  CAROM_HD void operator()(int part) const { units[part] = step.islands.is_island(part) ? step.memory_units(part) : 0; }
};

}  // namespace carom::inline CAROM_PRECISION
