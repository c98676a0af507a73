// A step of an island: each of its parts up to the accelerations without constraints, then all of them together, then
// each on its own to the end. One thread takes an island; islands are independent.
#pragma once

#include "solvers/mujoco/island_problem.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct IslandStep {
  static constexpr int kItemsTogether = 1;  // a thread may take a single island

  const MuJoCoStep* steps;           // of each plan, without room for contacts
  const int* plan_of_part;           // of every part of the model
  const int* chain_blocks;           // of each plan
  Span<const int> part_start, part;  // parts of island i: part[part_start[i] ... part_start[i + 1])
  const int* place;                  // of every part of the model in its island
  Span<const int> pair_start;        // likewise
  Span<const Index2> pair;
  const int* pair_of_contact;
  ContactView contacts;  // segments by the first part of an island
  NewtonOptions newton;
  char* memory;
  const std::int64_t* memory_start;  // of each island

  CAROM_HD int parts(int island) const { return part_start[island + 1] - part_start[island]; }
  CAROM_HD int root(int island) const { return part[part_start[island]]; }
  CAROM_HD const MuJoCoStep& step_of(int id) const { return steps[plan_of_part[id]]; }

  // A multiple of 64, so that islands stand one after the other.
  CAROM_HD std::int64_t scratch_bytes(int island) const {
    Arena arena;
    take(arena, island);
    return (arena.used + 63) / 64 * 64;
  }

  CAROM_HD void operator()(int island) const {
    Arena arena{memory + memory_start[island], 0};
    IslandWork& w = *take(arena, island);
    const Solo solo;
    for (IslandPart& part : w.parts) begin(solo, part);
    const int segment = root(island);
    const IslandInput in{w.parts, place, contacts, &segment};
    w.contacts.each([&](auto& kind) CAROM_HD_LAMBDA { kind.make(solo, w.no_view, in); });
    w.has_rows = true;
    note_contacts(w);
    const NewtonReport<Real> report = solve_newton(solo, IslandProblem{w}, newton, true);
    w.contacts.each([&](auto& kind) CAROM_HD_LAMBDA {
      // + 0: never -0, as in parts of their own
      for (int c = 0; c < kind.list.count; ++c) contacts.force[kind.list.source[c]] = kind.force_in_world(c) + Vec3{};
      RowRecord* const record = steps->out.forward.contact_row;
      for (int c = 0; record && c < kind.list.count; ++c) record[kind.list.source[c]] = record_of_row(kind, c, 0);
    });
    for (IslandPart& part : w.parts) {
      MuJoCoStep::Work<Real>& own = *part.work;
      own.iterations = report.iterations;
      own.residual = report.residual;
      own.converged = report.converged;
      part.step->end(solo, WorldIds<Real>{part.id}, own);
    }
  }

 private:
  // Lays out the memory of an island; without memory it only counts.
  CAROM_HD IslandWork* take(Arena& arena, int island) const {
    const int n = parts(island), first = part_start[island];
    IslandWork* const w = arena.take<IslandWork>(1);
    IslandPart* const list = arena.take<IslandPart>(n);
    int blocks = 0, largest = 0, chain = 0;
    for (int i = 0; i < n; ++i) {
      const int id = part[first + i], own_chain = chain_blocks[plan_of_part[id]];
      const MuJoCoStep& step = step_of(id);
      MuJoCoStep::Work<Real>* const work = arena.take<MuJoCoStep::Work<Real>>(1);
      MuJoCoStep::Work<Real> counted;
      step.take_work(arena, w ? *work : counted);
      if (w) list[i] = {id, &step, work, blocks, true};
      blocks += step.tree.blocks();
      largest = step.tree.blocks() > largest ? step.tree.blocks() : largest;
      chain = own_chain > chain ? own_chain : chain;
    }
    IslandWork counted;
    IslandWork& out = w ? *w : counted;
    out.parts = {list, n};
    out.blocks = blocks;
    out.no_view = {};
    out.pair_of_contact = pair_of_contact;
    take_vectors(arena, blocks, out);
    take_pairs(arena, island, out);
    take_solver(arena, largest, out);
    const int slots = contacts.end(root(island)) - contacts.begin(root(island));
    out.contacts.each([&](auto& kind) CAROM_HD_LAMBDA {
      kind.J.room = chain;
      kind.take(arena, out.no_view, contacts.condims, slots);
    });
    if (w)
      for (IslandPart& p : out.parts) share_vectors(out, p);
    return w;
  }

  CAROM_HD void take_pairs(Arena& arena, int island, IslandWork& w) const {
    const int first = pair_start[island], n = pair_start[island + 1] - first;
    w.pairs = {arena.take<IslandPair>(n), n};
    for (int i = 0; i < n; ++i) {
      const auto [a, b] = pair[first + i];
      const int rows = step_of(part[part_start[island] + a]).tree.blocks();
      const int columns = step_of(part[part_start[island] + b]).tree.blocks();
      Mat33* const block = arena.take<Mat33>(std::int64_t{rows} * columns);
      if (arena.memory) w.pairs[i] = {a, b, rows, columns, true, block};
    }
  }

  // Piles of many blocks fill in. What touches a large tree does not make its factor much larger.
  CAROM_HD static bool is_factored(int blocks, int largest_part) {
    return blocks <= 64 || (blocks <= 2 * largest_part && blocks <= kMostBlocks);
  }

  CAROM_HD static void take_solver(Arena& arena, int largest_part, IslandWork& w) {
    w.factor = nullptr;
    if (is_factored(w.blocks, largest_part)) {
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
    part.work->rows.kinds.limit.first_block = part.first_block;
  }

  // For the reports: the first part answers for the contacts.
  CAROM_HD static void note_contacts(IslandWork& w) {
    MuJoCoStep::Work<Real>& first = *w.parts[0].work;
    w.contacts.each_with(first.rows.kinds.contacts,
                         [](auto& kind, auto& own) CAROM_HD_LAMBDA { own.list.lane_count[0] = kind.list.count; });
    w.contacts.each([&](auto& kind) CAROM_HD_LAMBDA {
      for (int c = 0; c < kind.list.count; ++c) first.row_count += kind.D[c] > 0 ? kind.edges(c) : Real(0);
    });
  }

  template <class Team>
  CAROM_HD static void begin(Team team, IslandPart& part) {
    const MuJoCoStep& step = *part.step;
    MuJoCoStep::Work<Real>& own = *part.work;
    StageClock clock(nullptr, 0, false);
    step.begin(team, WorldIds<Real>{part.id}, own, clock);
    own.rows.kinds.limit.make(team, step.rows,
                              RowInput<Real>{step.tree, own.tree, step.link_dofs, step.contacts, own.segment, step.dt});
    own.rows.kinds.contacts.each(
        [](auto& kind) CAROM_HD_LAMBDA { kind.list.count = kind.list.needed = kind.list.lane_count[0] = 0; });
    step.count_rows(team, own);
  }
};

}  // namespace carom::inline CAROM_PRECISION
