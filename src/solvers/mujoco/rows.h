// The constraint rows of a step. Limits have a slot for every limited joint and tendon, since their Jacobians are
// known beforehand; contacts are those of the ContactLists.
//
// A contact with friction is one 3-vector x = J a - a_ref of normal and tangential parts; the four rows of MuJoCo's
// pyramid are x_n +- mu x_1 and x_n +- mu x_2, with one D for all of them. So a contact stores three rows instead of
// four, and its part of the Hessian is J^T C J with
//
//       | sum w           mu (w1+ - w1-)    mu (w2+ - w2-)  |
//   C = |                 mu^2 (w1+ + w1-)  0               |     w: D where the row pushes, otherwise 0
//       | symmetric                         mu^2 (w2+ + w2-)|
//
// Jacobians are stored by blocks of three degrees of freedom; blocks outside a contact's mask are never touched.
#pragma once

#include "dynamics/tree.h"
#include "solvers/mujoco/contact_lists.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Sets of degrees of freedom are this many words of 64 bits; no world has more degrees of freedom.
inline constexpr int kDofWords = 3 * kMaxBlocks / 64;
struct LinkDofs {
  std::uint64_t word[kDofWords];  // that move a link, by bit
};

// A limited joint or tendon; structure. Which side of a range may be near its limit.
enum class LimitSide : int { kEither, kLower, kUpper };
struct LimitSlot {
  int first_entry, entry_count;
  LimitSide side;
  std::uint64_t blocks;  // that its entries touch
};
struct LimitEntry {
  int q;    // coordinate in the world
  int dof;  // degree of freedom
};

template <class F>
struct LimitParams {
  F lower, upper, margin;  // [m] or [rad]
  F solref[2];
  F impedance[5];
  F inverse_mass;  // J M^-1 J^T at the initial pose
};

struct RowView {
  Span<const LimitSlot> limit;  // slots of joints, which have one entry, then those of tendons
  Span<const LimitEntry> limit_entry;
  int single_limits;                // slots of joints
  Span<const int> place_start;      // slots of each joint's degree of freedom, then of each tendon
  Span<const int> dof_limit_start;  // limit entries of each degree of freedom
  Span<const Index2> dof_limit;     // (slot, entry)
  BlockPattern pattern;             // of the mass matrix and the tendons
  CAROM_HD int limits() const { return static_cast<int>(limit.size); }
};

template <class F>
struct LimitRows {
  const LimitParams<F>* params;
  const F* coef;  // per entry
  F* sign;        // +1 at a lower limit, -1 at an upper one, 0 apart from both
  F *D, *aref, *x, *y, *force, *weight;
  std::uint8_t* changed;  // state, since H was built
};

// C of a contact with friction; 12 is always zero.
template <class F>
struct ConeWeight {
  F nn{}, n1{}, n2{}, d11{}, d22{};
};

template <class F>
struct FrictionalRows {
  int count = 0;
  std::uint64_t* blocks;
  Mat33T<F>* J;   // rows n, t1, t2; slot c from c * blocks on
  Mat33T<F>* CJ;  // C J
  Mat33T<F>* frame;
  F *D, *mu;
  Vec3T<F>*aref, *x, *y, *force;
  ConeWeight<F>* weight;
  std::uint8_t* changed;
};

template <class F>
struct FrictionlessRows {
  int count = 0;
  std::uint64_t* blocks;
  Vec3T<F>* J;
  Vec3T<F>* normal;
  F *D, *aref, *x, *y, *force, *weight;
  std::uint8_t* changed;
};

template <class F>
struct RowWork {
  LimitRows<F> limit;
  FrictionalRows<F> frictional;
  FrictionlessRows<F> frictionless;

  BlockPattern own_pattern;  // where contacts couple more than RowView::pattern
  BlockPattern pattern;      // of the Hessian of this step: one of the two
  std::uint64_t* stale;      // per block row: columns of H that must be built again

  Vec3T<F>*smooth_force, *smooth_acceleration, *acceleration, *M_acceleration, *gradient, *search, *M_search,
      *constraint_force;
  F* limit_diagonal;  // what limits with one entry add to H, per degree of freedom
  Mat33T<F>* H;
  MaskOf<F> has_rows;  // lanes with at least one row
};

template <class F>
CAROM_HD void take_contact_rows(Arena& arena, RowWork<F>& w, int blocks, int contacts) {
  const auto take = [&](int n) { return arena.take<F>(n); };
  const auto take3 = [&](int n) { return arena.take<Vec3T<F>>(n); };
  FrictionalRows<F>& f = w.frictional;
  FrictionlessRows<F>& n = w.frictionless;
  f.blocks = arena.take<std::uint64_t>(contacts);
  n.blocks = arena.take<std::uint64_t>(contacts);
  f.frame = arena.take<Mat33T<F>>(contacts);
  f.D = take(contacts), f.mu = take(contacts);
  f.aref = take3(contacts), f.x = take3(contacts), f.y = take3(contacts), f.force = take3(contacts);
  f.weight = arena.take<ConeWeight<F>>(contacts);
  f.changed = arena.take<std::uint8_t>(contacts);
  n.changed = arena.take<std::uint8_t>(contacts);
  n.normal = take3(contacts);
  n.D = take(contacts), n.aref = take(contacts), n.x = take(contacts), n.y = take(contacts);
  n.force = take(contacts), n.weight = take(contacts);
  f.J = arena.take<Mat33T<F>>(contacts * blocks);
  f.CJ = arena.take<Mat33T<F>>(contacts * blocks);
  n.J = take3(contacts * blocks);
}

template <class F>
CAROM_HD RowWork<F> take_row_work(Arena& arena, const RowView& view, int blocks) {
  RowWork<F> w;
  const auto take = [&](int n) { return arena.take<F>(n); };
  const auto take3 = [&](int n) { return arena.take<Vec3T<F>>(n); };
  const int limits = view.limits();
  w.stale = arena.take<std::uint64_t>(blocks);
  w.limit.sign = take(limits), w.limit.D = take(limits), w.limit.aref = take(limits);
  w.limit.x = take(limits), w.limit.y = take(limits), w.limit.force = take(limits), w.limit.weight = take(limits);
  w.limit.changed = arena.take<std::uint8_t>(limits);

  w.smooth_force = take3(blocks), w.smooth_acceleration = take3(blocks), w.acceleration = take3(blocks);
  w.M_acceleration = take3(blocks), w.gradient = take3(blocks), w.search = take3(blocks);
  w.M_search = take3(blocks), w.constraint_force = take3(blocks);
  w.limit_diagonal = take(3 * blocks);
  w.own_pattern = take_pattern(arena, blocks);
  return w;
}

}  // namespace carom::inline CAROM_PRECISION
