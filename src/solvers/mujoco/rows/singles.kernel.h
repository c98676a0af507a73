// Rows with one direction for row space: contacts without friction and the rows of joints that act, listed in every
// lane from zero on and three to a block.
#pragma once

#include "solvers/mujoco/rows/kinds.h"
#include "solvers/mujoco/rows/row_root.kernel.h"

namespace carom::inline CAROM_PRECISION {

// The law of one block of rows that push and never pull.
template <class F>
struct SingleLaw {
  Vec3T<F> D, root_D;

  CAROM_HD F cost(Vec3T<F> x) const {
    return one_sided::cost(D.x, x.x) + one_sided::cost(D.y, x.y) + one_sided::cost(D.z, x.z);
  }
  CAROM_HD Vec3T<F> force(Vec3T<F> x) const {
    return {one_sided::force(D.x, x.x), one_sided::force(D.y, x.y), one_sided::force(D.z, x.z)};
  }
  CAROM_HD PairedRoot<F> root(Vec3T<F> x) const {
    return {one_sided::weight(root_D.x, x.x), F(0), one_sided::weight(root_D.y, x.y), F(0),
            one_sided::weight(root_D.z, x.z)};
  }
  CAROM_HD SlopeT<F> slope(Vec3T<F> x, Vec3T<F> y, F alpha) const {
    return one_sided::slope(D.x, x.x, y.x, alpha) + one_sided::slope(D.y, x.y, y.y, alpha) +
           one_sided::slope(D.z, x.z, y.z, alpha);
  }
};

// Of any three rows; of those that never pull the same numbers.
template <class F>
struct ClampedLaw {
  Clamped<F> row[3];
  Vec3T<F> root_D;

  CAROM_HD F cost(Vec3T<F> x) const { return row[0].cost(x.x) + row[1].cost(x.y) + row[2].cost(x.z); }
  CAROM_HD Vec3T<F> force(Vec3T<F> x) const { return {row[0].force(x.x), row[1].force(x.y), row[2].force(x.z)}; }
  CAROM_HD Vec3T<F> offset(Vec3T<F> x) const { return {row[0].offset(x.x), row[1].offset(x.y), row[2].offset(x.z)}; }
  CAROM_HD PairedRoot<F> root(Vec3T<F> x) const {
    const auto of_row = [&](int r) CAROM_HD_LAMBDA { return select(row[r].within(x[r]), root_D[r], F(0)); };
    return {of_row(0), F(0), of_row(1), F(0), of_row(2)};
  }
  CAROM_HD SlopeT<F> slope(Vec3T<F> x, Vec3T<F> y, F alpha) const {
    return row[0].slope(x.x, y.x, alpha) + row[1].slope(x.y, y.y, alpha) + row[2].slope(x.z, y.z, alpha);
  }
};

template <class F>
struct SingleRows {
  int rows;                   // of the fullest lane
  int* joint_row;             // slot of row r in lane l at r * W + l, -1 = it is a contact, or none
  std::uint64_t* reach;       // of each block of rows: the blocks of degrees of freedom that it touches
  Mat33T<F>*jacobian, *half;  // of block i from i * (blocks of the part) on: J, and Z^T (row_space.kernel.h)
  Vec3T<F>*D, *root_D, *aref;
  Vec3T<F>*low, *high;  // nullptr: all push and never pull
  Vec3T<F>*x, *y;       // of the row space

  CAROM_HD int count(const RowView&) const { return (rows + 2) / 3; }

  CAROM_HD void take(Arena& arena, const RowView& view, int blocks) {
    rows = 0;
    const auto vectors = [&] { return arena.take<Vec3T<F>>(blocks); };
    reach = arena.take<std::uint64_t>(blocks);
    joint_row = arena.take<int>(3 * blocks * ScalarTraits<F>::kWidth);
    D = vectors(), root_D = vectors(), aref = vectors();
    low = view.two_sided ? vectors() : nullptr, high = view.two_sided ? vectors() : nullptr;
    jacobian = arena.take<Mat33T<F>>(blocks * view.blocks());
    half = arena.take<Mat33T<F>>(blocks * view.blocks());
  }

  // Jacobians, D and a_ref of the rows, once they are listed.
  template <class Team, class Frictionless>
  CAROM_HD_FREE void fill(Team team, const RowView& view, const Frictionless& contact, const JointRows<F>& joints) {
    constexpr int W = ScalarTraits<F>::kWidth;
    const int blocks = view.blocks(), contacts = contact.list.count;
    team.each(count(view), [&](int i) {
      std::uint64_t all = 0;
      CAROM_ROLL
      for (int r = 3 * i; r < 3 * i + 3; ++r) {
        if (r < contacts) all |= contact.J.blocks.at(r, 0);
        for (int l = 0; l < W; ++l)
          if (joint_row[r * W + l] >= 0) all |= view.joint_row_blocks.at(joint_row[r * W + l], 0);
      }
      reach[i] = all;
    });
    team.each(3 * count(view), [&](int row) {
      const int i = row / 3, r = row % 3;
      Mat33T<F>* const J = jacobian + i * blocks;
      const bool is_contact = row < contacts;
      each_bit(reach[i], [&](int b) CAROM_HD_LAMBDA {
        J[b][r] = is_contact && contact.J.touches(row, b) ? contact.J.block[row * blocks + b] : Vec3T<F>{};
      });
      F lower(-kNoBound), upper(0);
      F stiffness = is_contact ? contact.D[row] : F(0), reference = is_contact ? contact.aref[row] : F(0);
      for (int l = 0; l < W; ++l) {
        const int k = joint_row[row * W + l];
        if (k < 0) continue;
        set_lane(stiffness, l, joints.D[k]);
        set_lane(reference, l, joints.aref[k]);
        if (low) set_lane(lower, l, joints.low[k]), set_lane(upper, l, joints.high[k]);
        const JointRow& slot = view.joint_row[k];
        CAROM_ROLL
        for (int e = slot.first_entry; e < slot.first_entry + slot.entry_count; ++e) {
          const int dof = view.joint_entry[e].dof;
          F& entry = J[dof / 3][r][dof % 3];
          set_lane(entry, l, entry + joints.J[e]);
        }
      }
      D[i][r] = stiffness;
      root_D[i][r] = sqrt(stiffness);
      aref[i][r] = reference;
      if (low) low[i][r] = lower, high[i][r] = upper;
    });
  }

  // Residuals and these forces to the contacts and joints of the given lanes.
  template <class Team, class Frictionless>
  CAROM_HD_FREE void give_back(Team team, MaskOf<F> lanes, const Vec3T<F>* forces, Frictionless& contact,
                               JointRows<F>& joints) const {
    constexpr int W = ScalarTraits<F>::kWidth;
    team.each(rows, [&](int row) {
      const F& residual = x[row / 3][row % 3];
      const F f = clamped(row / 3, row % 3).inside(forces[row / 3][row % 3]);
      if (row < contact.list.count) {
        contact.x[row] = select(lanes, residual, contact.x[row]);
        contact.force[row] = select(lanes, f, contact.force[row]);
      }
      for (int l = 0; l < W; ++l) {
        const int k = joint_row[row * W + l];
        if (k < 0) continue;
        set_lane(joints.x[k], l, residual);
        set_lane(joints.force[k], l, f);
      }
    });
  }

  // -- One block.

  CAROM_HD Clamped<F> clamped(int i, int r) const {
    return {D[i][r], low ? low[i][r] : F(-kNoBound), high ? high[i][r] : F(0)};
  }
  CAROM_HD ClampedLaw<F> law(int i) const { return {{clamped(i, 0), clamped(i, 1), clamped(i, 2)}, root_D[i]}; }
  CAROM_HD F cost(int i) const { return law(i).cost(x[i]); }
  CAROM_HD Vec3T<F> force_at(int i) const { return law(i).force(x[i]); }
  CAROM_HD Vec3T<F> offset_at(int i) const { return law(i).offset(x[i]); }
  CAROM_HD PairedRoot<F> root_at(int i) const { return law(i).root(x[i]); }
  CAROM_HD SlopeT<F> slope(int i, F alpha) const { return law(i).slope(x[i], y[i], alpha); }

  template <class Team, class Function>
  CAROM_HD auto sum(Team team, const RowView& view, Function f) const {
    return team.sum(count(view), f);
  }

 private:
  CAROM_HD static void set_lane(F& to, int lane, const F& from) {
    if constexpr (PlainNumber<F>) to = from;
    else to.set(lane, from[lane]);
  }
};

}  // namespace carom::inline CAROM_PRECISION
