// The problem of an island: parts of a world that contacts tie together. Its Hessian stands in blocks, one for each
// part and one for each pair of parts that touch:
//
//   H_pp = M_p + sum over the rows of J_p^T C J_p,   H_pq = sum of J_p^T C J_q        J_p: the columns of part p
//
// A small island is factored as a whole, and so is a large tree with what touches it. Steps of any other are found by
// conjugate gradients, preconditioned by the parts' own blocks: a contact touches one chain of links on either side, so
// these have the pattern of the mass matrices and fill in nothing (Featherstone 2008, section 6.5).
//
// The threads of a team share the work by parts and pairs, each of which one thread deals with alone; the sum over its
// contacts is taken in their order.
#pragma once

#include "solvers/mujoco/newton.kernel.h"
#include "solvers/mujoco/step.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct IslandPart {
  int id;
  const MuJoCoStep* step;  // of its archetype
  StepWork<Real>* work;
  int first_block;  // in the vectors of the island
  bool stale;       // its block of H must be built again

  CAROM_HD const RowView& rows() const { return step->rows; }
  CAROM_HD int blocks() const { return step->tree.blocks(); }
  CAROM_HD JointRows<Real>& joints() const { return work->rows.kinds.joint; }
  CAROM_HD Mat33* hessian() const { return work->rows.H; }
  CAROM_HD Mat33* factor() const { return work->tree.factor; }
};

// Two parts that touch, or one that touches itself: its block of H, row by row.
struct IslandPair {
  int a, b;  // parts
  int rows, columns;
  bool stale;
  Mat33* block;

  CAROM_HD Mat33& at(int row, int column) const { return block[row * columns + column]; }
};

// What contacts of an island are made from.
struct IslandInput {
  Span<IslandPart> parts;
  const int* place;  // of every part of the model in its island
  const ContactView& contacts;
  const int* segment;
  Real impratio;                // ModelOptions
  ImplicitRows<Real> implicit;  // diagonals: those of the parts
};

// Jacobians of contacts between parts: on either side a chain of one part's blocks.
template <int kDirections>
struct PairJacobian {
  using Block = typename rows::RowTypes<Real, kDirections>::Block;
  using Vector = typename rows::RowTypes<Real, kDirections>::Vector;
  using Axes = typename rows::RowTypes<Real, kDirections>::Axes;

  struct Side {
    int part;         // in the island, -1: does not move
    int first_block;  // of the part
    int count;        // blocks of the part that it touches
    Real diagonal;    // of J M^-1 J^T, see IslandDiagonals
  };
  int room;             // blocks per side
  Side* sides;          // two of each slot
  BlockNumber* number;  // in the part, ascending
  Block* block;

  CAROM_HD void take(Arena& arena, const RowView&, int slots) {
    sides = arena.take<Side>(2 * slots);
    number = arena.take<BlockNumber>(std::int64_t{2} * slots * room);
    block = arena.take<Block>(std::int64_t{2} * slots * room);
  }

  CAROM_HD Vector fill(const RowView&, const IslandInput& in, int c, const int* source, Vec3 point,
                       const Axes& axes) const {
    const ContactMaterial& m = in.contacts.material[source[0]];
    Vector speed{};
    for (int side = 0; side < 2; ++side) {
      Side& s = sides[2 * c + side];
      s = {-1, 0, 0, 0};
      if (m.part[side] < 0) continue;
      s.part = in.place[m.part[side]];
      const IslandPart& part = in.parts[s.part];
      const MuJoCoStep& step = *part.step;
      // What moves both sides cancels.
      const int other = m.part[1 - side] == m.part[side] ? m.link[1 - side] : -1;
      const auto moved = [&](int, int word) CAROM_HD_LAMBDA {
        const std::int32_t own = step.link_dofs(m.link[side], word) & ~step.link_dofs(other, word);
        return side == 1 ? Index2{own, 0} : Index2{0, own};
      };
      s.first_block = part.first_block;
      const std::int64_t first = first_of(c, side);
      rows::each_moved_block<Real>(step.link_dofs.words_of(m.link[side]), moved,
                                   [&](int b, const rows::DofSigns<Real>& sign) CAROM_HD_LAMBDA {
                                     number[first + s.count] = static_cast<BlockNumber>(b);
                                     Block& J = block[first + s.count++];
                                     rows::fill_block(step.tree, part.work->tree, b, sign, point, axes, J);
                                     speed = speed + rows::block_times(J, part.work->tree.qd[b]);
                                   });
    }
    return speed;
  }

  // f(J) for the blocks of slot c.
  template <class Function>
  CAROM_HD void change(const RowView&, int c, Function f) const {
    for (int side = 0; side < 2; ++side)
      for (int i = 0; i < sides[2 * c + side].count; ++i) f(block[first_of(c, side) + i]);
  }

  // row(J): of a block, one row. No degree of freedom moves both sides.
  template <class Row>
  CAROM_HD RowMobility<Real> mobility(const RowView&, const IslandInput& in, int c, Row row) const {
    const IslandPart& any = in.parts[0];
    RowMobility<Real> sum{any.step->tree, any.work->tree, {}};
    for (int side = 0; side < 2; ++side) {
      const Side& s = sides[2 * c + side];
      if (s.part < 0) continue;
      const IslandPart& part = in.parts[s.part];
      RowMobility<Real> own{part.step->tree, part.work->tree, part.work->discrete.diagonal};
      const BlockNumber* const numbers_of_side = numbers(c, side);
      for (int i = 0; i < s.count; ++i)
        own.add_block(numbers_of_side[i], [&](int dof) CAROM_HD_LAMBDA {
          const int at = numbers_of_side[i] == dof / 3 ? i : i + 1;  // blocks of one joint follow each other
          const bool moves = at < s.count && numbers_of_side[at] == dof / 3;
          return moves ? row(of_side(c, side)[at])[dof % 3] : Real(0);
        });
      sum.add(own);
    }
    return sum;
  }

  CAROM_HD std::int64_t first_of(int c, int side) const { return std::int64_t{2 * c + side} * room; }
  CAROM_HD const Block* of_side(int c, int side) const { return block + first_of(c, side); }
  CAROM_HD const BlockNumber* numbers(int c, int side) const { return number + first_of(c, side); }

  // Whether both sides of slot c are of one part.
  CAROM_HD bool is_within(int c) const { return sides[2 * c].part == sides[2 * c + 1].part; }
  // f(block of the part, J) for all that slot c touches in the part of one side.
  template <class Function>
  CAROM_HD void each_of_part(int c, int side, Function f) const {
    for (int s = 0; s < 2; ++s)
      for (int i = 0; (s == side || is_within(c)) && i < sides[2 * c + s].count; ++i)
        f(numbers(c, s)[i], of_side(c, s)[i]);
  }

  // f(block of the island, J) for all that one side of slot c touches.
  template <class Function>
  CAROM_HD void each_block(int c, int side, Function f) const {
    const Side& s = sides[2 * c + side];
    for (int i = 0; i < s.count; ++i) f(s.first_block + numbers(c, side)[i], of_side(c, side)[i]);
  }
  CAROM_HD Vector product(const RowView&, int c, const Vec3* v) const {
    Vector sum{};
    for (int side = 0; side < 2; ++side)
      each_block(c, side, [&](int b, const Block& J) CAROM_HD_LAMBDA { sum = sum + rows::block_times(J, v[b]); });
    return sum;
  }
  // out += J^T f, of one side
  CAROM_HD void add_transposed(int c, int side, Vector f, Vec3* out) const {
    each_block(c, side, [&](int b, const Block& J) CAROM_HD_LAMBDA { rows::add_transposed(out[b], J, f); });
  }
};

struct IslandWork : SolveVectors<Real> {
  Span<IslandPart> parts;
  Span<IslandPair> pairs;
  const int* pair_of_contact;  // by the contact's number
  int blocks;
  ContactKinds<Real, PairJacobian> contacts;
  RowView no_view;

  Mat33* factor;                                              // of the whole; nullptr: the island is large
  BlockPattern pattern;                                       // of it
  Vec3 *residual, *preconditioned, *direction, *H_direction;  // of the conjugate gradients
};

struct IslandProblem {
  using Number = Real;
  static constexpr Real kShare = Real(0.01);  // of the gradient may be left in a direction
  static constexpr int kMostDirections = 500;

  IslandWork& w;

  CAROM_HD int blocks() const { return w.blocks; }
  CAROM_HD SolveVectors<Real>& vectors() const { return w; }
  template <class Function>
  CAROM_HD void each_kind(Function f) const {
    for (const IslandPart& part : w.parts)
      if (part.rows().joint_rows() > 0) f(part.joints(), part.rows());
    w.contacts.each([&](auto& kind) CAROM_HD_LAMBDA { f(kind, w.no_view); });
  }

  CAROM_HD bool is_curved(bool lanes) const { return w.contacts.sliding.in_cone && lanes; }

  template <class Team>
  CAROM_HD Real trace(Team team) const {
    Real sum = 0;
    for (const IslandPart& part : w.parts) sum += problem_of(part).trace(team);
    return sum;
  }
  template <class Team>
  CAROM_HD void multiply_mass(Team team, const Vec3* v, Vec3* out) const {
    each_part(team, [&](const IslandPart& part) CAROM_HD_LAMBDA {
      problem_of(part).multiply_mass(Solo{}, v + part.first_block, out + part.first_block);
    });
  }
  template <class Team>
  CAROM_HD void gather_forces(Team team) const {
    each_part(team, [&](const IslandPart& part) CAROM_HD_LAMBDA {
      for (int b = 0; b < part.blocks(); ++b) {
        Vec3 sum;
        part.joints().add_force(part.rows(), b, sum);
        w.constraint_force[part.first_block + b] = sum;
      }
    });
    each_contact(team, [&](auto& kind, int c) CAROM_HD_LAMBDA {
      for (int side = 0; side < 2; ++side)
        if (is_own(team, kind.J.sides[2 * c + side].part))
          kind.J.add_transposed(c, side, kind.force[c], w.constraint_force);
    });
  }

  // The pattern of what is factored as a whole.
  template <class Team>
  CAROM_HD void prepare(Team team) const {
    if (!w.factor) return;
    team.each(1, [&](int) {
      for (int k = 0; k < w.blocks; ++k) w.pattern.coupled.clear(k);
      for (const IslandPart& part : w.parts)
        each_of_pattern(part, [&](int k, int i) CAROM_HD_LAMBDA {
          if (i != k) w.pattern.coupled.add(part.first_block + k, part.first_block + i);
        });
      for (const IslandPair& pair : w.pairs)
        each_coupled(pair, [&](int row, int column, int, int) CAROM_HD_LAMBDA { w.pattern.coupled.add(row, column); });
      build_pattern(w.pattern);
    });
  }

  template <class Team>
  CAROM_HD_STAGE void update_hessian(Team team, bool first) const {
    if (!find_changes(team, *this, first)) return;
    mark_stale(team, first);
    each_part(team, [&](const IslandPart& part) CAROM_HD_LAMBDA {
      if (part.stale) start_block(part);
    });
    each_pair_of_parts(team, [&](const IslandPair& pair) CAROM_HD_LAMBDA {
      for (int i = 0; pair.stale && i < pair.rows * pair.columns; ++i) pair.block[i] = {};
    });
    each_contact(team, [&](auto& kind, int c) CAROM_HD_LAMBDA {
      for (int side = 0; side < 2; ++side)
        if (is_own(team, kind.J.sides[2 * c + side].part)) add_to_part(kind, c, side);
      if (is_own(team, pair_of(kind, c))) add_to_pair(kind, c);
    });
    if (w.factor) {
      factor_whole(team);
      return;
    }
    each_part(team, [&](const IslandPart& part) CAROM_HD_LAMBDA {
      if (!part.stale) return;
      factor_blocks(Solo{}, part.rows().pattern, part.hessian(), part.factor());
    });
  }

  // x = H^-1 x; by conjugate gradients as far as it pays.
  template <class Team>
  CAROM_HD_STAGE void solve(Team team, Vec3* x) const {
    if (w.factor) {
      solve_blocks(team, w.pattern, w.factor, x);
      return;
    }
    const int n = w.blocks;
    team.each(n, [&](int b) { w.residual[b] = x[b], x[b] = {}; });
    precondition(team);
    team.each(n, [&](int b) { w.direction[b] = w.preconditioned[b]; });
    const Real enough = dot_blocks(team, n, w.residual, w.residual) * (kShare * kShare);
    Real descent = dot_blocks(team, n, w.residual, w.preconditioned);
    for (int i = 0; i < kMostDirections; ++i) {
      multiply_hessian(team, w.direction, w.H_direction);
      const Real alpha = descent / dot_blocks(team, n, w.direction, w.H_direction);
      team.each(n, [&](int b) {
        x[b] = fma(w.direction[b], alpha, x[b]);
        w.residual[b] = fma(w.H_direction[b], -alpha, w.residual[b]);
      });
      // What is not a number ends the search, too.
      if (!(dot_blocks(team, n, w.residual, w.residual) > enough)) return;
      precondition(team);
      const Real next = dot_blocks(team, n, w.residual, w.preconditioned);
      const Real beta = next / descent;
      team.each(n, [&](int b) { w.direction[b] = fma(w.direction[b], beta, w.preconditioned[b]); });
      descent = next;
    }
  }

  // -- Who does what.

  template <class Team, class Function>
  CAROM_HD void each_part(Team team, Function f) const {
    team.each(static_cast<int>(w.parts.size), [&](int p) { f(w.parts[p]); });
  }
  template <class Team, class Function>
  CAROM_HD void each_pair_of_parts(Team team, Function f) const {
    team.each(static_cast<int>(w.pairs.size), [&](int p) { f(w.pairs[p]); });
  }

  // Whether this thread deals with a part, or a pair; -1 = there is none.
  template <class Team>
  CAROM_HD static bool is_own(Team team, int number) {
    return number >= 0 && number % Team::size() == team.rank();
  }
  // f(i), ascending, where keep(i) holds. Threads look for the next one each on their own, and then go through f side
  // by side.
  template <class Keep, class Function>
  CAROM_HD static void each_kept(int n, Keep keep, Function f) {
    for (int i = 0;; ++i) {
      while (i < n && !keep(i)) ++i;
      if (i >= n) return;
      f(i);
    }
  }
  // f(kind, c) for the contacts of parts or pairs that this thread deals with.
  template <class Team, class Function>
  CAROM_HD void each_contact(Team team, Function f) const {
    w.contacts.each([&](auto& kind) CAROM_HD_LAMBDA {
      const auto concerns = [&](int c) CAROM_HD_LAMBDA {
        if constexpr (Team::size() == 1) return true;
        return is_own(team, kind.J.sides[2 * c].part) || is_own(team, kind.J.sides[2 * c + 1].part) ||
               is_own(team, pair_of(kind, c));
      };
      each_kept(kind.list.count, concerns, [&](int c) CAROM_HD_LAMBDA { f(kind, c); });
    });
    team.sync();
  }

 private:
  CAROM_HD static PartProblem<Real> problem_of(const IslandPart& part) {
    return {part.rows(), part.step->tree, part.work->tree, part.work->rows, *part.work->trace};
  }

  // f(k, i) for the blocks of a part's pattern, the diagonal included.
  template <class Function>
  CAROM_HD static void each_of_pattern(const IslandPart& part, Function f) {
    const BlockPattern& pattern = part.rows().pattern;
    for (int k = 0; k < pattern.size; ++k) {
      for (int t = 0; t < pattern.column_count[k]; ++t) f(k, pattern.columns_of(k)[t]);
      f(k, k);
    }
  }
  // f(row, column of the island, k, i) for the blocks of a pair below the diagonal.
  template <class Function>
  CAROM_HD void each_coupled(const IslandPair& pair, Function f) const {
    const int first_a = w.parts[pair.a].first_block, first_b = w.parts[pair.b].first_block;
    for (int k = 0; k < pair.rows; ++k)
      for (int i = 0; i < pair.columns; ++i)
        if (first_b + i > first_a + k) f(first_b + i, first_a + k, k, i);
  }

  // -- The Hessian.

  template <class Team>
  CAROM_HD void mark_stale(Team team, bool first) const {
    team.each(static_cast<int>(w.pairs.size), [&](int p) { w.pairs[p].stale = first; });
    team.each(static_cast<int>(w.parts.size), [&](int p) {
      IslandPart& part = w.parts[p];
      part.stale = first;
      for (int s = 0; s < part.rows().joint_rows(); ++s) part.stale = part.stale || part.joints().changed[s];
    });
    if (first) return;
    each_contact(team, [&](auto& kind, int c) CAROM_HD_LAMBDA {
      if (!kind.changed[c]) return;
      for (int side = 0; side < 2; ++side)
        if (const int part = kind.J.sides[2 * c + side].part; is_own(team, part)) w.parts[part].stale = true;
      if (const int pair = pair_of(kind, c); is_own(team, pair)) w.pairs[pair].stale = true;
    });
  }
  template <class Kind>
  CAROM_HD int pair_of(const Kind& kind, int c) const {
    return w.pair_of_contact[kind.list.source[c]];
  }

  // H of a part, without contacts.
  CAROM_HD static void start_block(const IslandPart& part) {
    part.joints().weigh(Solo{}, part.rows());
    const BitSets& coupled_by_mass = part.step->tree.mass_pattern.coupled;
    each_of_pattern(part, [&](int k, int i) CAROM_HD_LAMBDA {
      Mat33 sum{};
      if (k == i || coupled_by_mass.has(k, i)) sum = part.work->tree.M[block_index(k, i)];
      part.joints().add_hessian(part.rows(), k, i, sum);
      part.hessian()[block_index(k, i)] = sum;
    });
  }

  // Adds J^T C J of one side of a contact.
  template <class Kind>
  CAROM_HD void add_to_part(const Kind& kind, int c, int side) const {
    const auto& s = kind.J.sides[2 * c + side];
    if (!w.parts[s.part].stale) return;
    Mat33* const H = w.parts[s.part].hessian();
    const auto* const J = kind.J.of_side(c, side);
    const BlockNumber* const number = kind.J.numbers(c, side);
    for (int column = 0; column < s.count; ++column) {
      const auto CJ = kind.weighted(c, J[column]);
      for (int row = column; row < s.count; ++row)
        rows::add_block_product(H[block_index(number[row], number[column])], J[row], CJ);
    }
  }
  // And of both sides.
  template <class Kind>
  CAROM_HD void add_to_pair(const Kind& kind, int c) const {
    const IslandPair& pair = w.pairs[pair_of(kind, c)];
    if (!pair.stale) return;
    const int a = kind.J.sides[2 * c].part == pair.a ? 0 : 1, b = 1 - a;
    const auto *const J_a = kind.J.of_side(c, a), *const J_b = kind.J.of_side(c, b);
    const BlockNumber *const rows_a = kind.J.numbers(c, a), *const columns_b = kind.J.numbers(c, b);
    for (int column = 0; column < kind.J.sides[2 * c + b].count; ++column) {
      const auto CJ = kind.weighted(c, J_b[column]);
      for (int row = 0; row < kind.J.sides[2 * c + a].count; ++row)
        rows::add_block_product(pair.at(rows_a[row], columns_b[column]), J_a[row], CJ);
    }
  }

  template <class Team>
  CAROM_HD void factor_whole(Team team) const {
    team.each(w.blocks, [&](int k) {
      for (int t = 0; t < w.pattern.column_count[k]; ++t) w.factor[block_index(k, w.pattern.columns_of(k)[t])] = {};
    });
    each_part(team, [&](const IslandPart& part) CAROM_HD_LAMBDA {
      each_of_pattern(part, [&](int k, int i) CAROM_HD_LAMBDA {
        w.factor[block_index(part.first_block + k, part.first_block + i)] = part.hessian()[block_index(k, i)];
      });
    });
    each_pair_of_parts(team, [&](const IslandPair& pair) CAROM_HD_LAMBDA { add_pair(pair); });
    factor_blocks(team, w.pattern, w.factor, w.factor);
  }
  CAROM_HD void add_pair(const IslandPair& pair) const {
    // A part that touches itself: what stands above the diagonal belongs below it, too.
    each_coupled(pair, [&](int row, int column, int k, int i) CAROM_HD_LAMBDA {
      Mat33& sum = w.factor[block_index(row, column)];
      sum = sum + transpose(pair.at(k, i));
      if (pair.a == pair.b) sum = sum + pair.at(i, k);
    });
    if (pair.a != pair.b) return;
    for (int k = 0; k < pair.rows; ++k) {
      const int row = w.parts[pair.a].first_block + k;
      Mat33& sum = w.factor[block_index(row, row)];
      sum = sum + pair.at(k, k) + transpose(pair.at(k, k));
    }
  }

  // -- Conjugate gradients.

  template <class Team>
  CAROM_HD_STAGE void multiply_hessian(Team team, const Vec3* v, Vec3* out) const {
    each_part(team, [&](const IslandPart& part) CAROM_HD_LAMBDA {
      multiply_blocks(Solo{}, part.rows().pattern, part.hessian(), v + part.first_block, out + part.first_block);
    });
    const auto concerns = [&](int p)
                              CAROM_HD_LAMBDA { return is_own(team, w.pairs[p].a) || is_own(team, w.pairs[p].b); };
    each_kept(static_cast<int>(w.pairs.size), concerns, [&](int p) CAROM_HD_LAMBDA {
      const IslandPair& pair = w.pairs[p];
      multiply_pair(pair, is_own(team, pair.a), pair.a != pair.b && is_own(team, pair.b), v, out);
    });
    team.sync();
  }
  // What a pair adds to the products of its parts, of the first and of the second one.
  CAROM_HD void multiply_pair(const IslandPair& pair, bool first, bool second, const Vec3* v, Vec3* out) const {
    const int a = w.parts[pair.a].first_block, b = w.parts[pair.b].first_block;
    for (int k = 0; k < pair.rows; ++k) {
      Vec3 sum = first ? out[a + k] : Vec3{};
      for (int i = 0; i < pair.columns; ++i) {
        const Mat33& block = pair.at(k, i);
        if (first) sum += block * v[b + i];
        if (second) out[b + i] += block::transposed_times(block, v[a + k]);
      }
      if (first) out[a + k] = sum;
    }
    if (pair.a != pair.b) return;
    for (int k = 0; k < pair.rows; ++k)
      for (int i = 0; i < pair.columns; ++i) out[a + i] += block::transposed_times(pair.at(k, i), v[a + k]);
  }

  template <class Team>
  CAROM_HD void precondition(Team team) const {
    each_part(team, [&](const IslandPart& part) CAROM_HD_LAMBDA {
      Vec3* const x = w.preconditioned + part.first_block;
      for (int b = 0; b < part.blocks(); ++b) x[b] = w.residual[part.first_block + b];
      solve_blocks(Solo{}, part.rows().pattern, part.factor(), x);
    });
  }
};

}  // namespace carom::inline CAROM_PRECISION
