// What closes loops in the trees of a world: a connect holds two points together, a weld two frames as well, and a
// coupling a coordinate u at a polynomial p(v) of another one. Each is a row or several, with the error C and the rate
// J v at which it grows; how hard they hold is the solver's matter.
#pragma once

#include "backend/world_lanes.h"
#include "carom/config.h"
#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

// Structure. Of a coupling side 0 is driven and side 1 drives; -1: there is none, or it does not move.
struct Loop {
  EqualityType type;
  int link[2];                // that carry both bodies, or that both joints move
  int body[2];                // of connects and welds; in the part
  int dof[2], coordinate[2];  // of couplings; of the part

  CAROM_HD bool is_tie() const { return type != EqualityType::kJoint; }
  CAROM_HD int rows() const { return type == EqualityType::kWeld ? 6 : is_tie() ? 3 : 1; }
};

template <class F>
struct LoopParams {
  F enabled;           // 1 or 0
  F turns;             // 1 where a weld holds its turning, or 0
  Vec3T<F> anchor[2];  // in the bodies [m]
  QuatT<F> relpose;    // of body 2 in body 1
  F polynomial[5];
};

// What a kernel reads of the loops of worlds of one structure.
struct LoopView {
  Span<const Loop> loop;
  const Real* rows;           // parameters of each world
  Span<const int> dof_start;  // degrees of freedom that move what loop k holds: dof[dof_start[k] ... dof_start[k + 1])
  Span<const int> dof;

  CAROM_HD int count() const { return static_cast<int>(loop.size); }
  CAROM_HD int numbers() const { return static_cast<int>(loop.size * (sizeof(LoopParams<Real>) / sizeof(Real))); }
  // Those of one world, or of W side by side; room: for the numbers of lanes. row_of_part: place of the world.
  template <class F>
  CAROM_HD const LoopParams<F>* row(Span<const int> row_of_part, const WorldIds<F>& ids,
                                    [[maybe_unused]] F* room) const {
    const Offsets<F> at = world_offsets(row_of_part, ids, numbers());
    if constexpr (PlainNumber<F>) {
      return reinterpret_cast<const LoopParams<F>*>(rows + at.start);
    } else {
      load_block(rows, at, numbers(), room);
      return reinterpret_cast<const LoopParams<F>*>(room);
    }
  }
};

// How far a connect or a weld has come apart: side 1 against where side 0 wants it, world axes.
template <class F>
struct TieGap {
  Vec3T<F> point;        // of side 1, where its rows act [m]
  Vec3T<F> shift, turn;  // [m], [rad]
};
// X_WB(side): pose of its body, of the world where there is none.
template <class F, class Pose>
CAROM_HD TieGap<F> tie_gap(const LoopParams<F>& p, Pose X_WB) {
  const TransformT<F> X0 = X_WB(0), X1 = X_WB(1);
  TieGap<F> gap;
  gap.point = transform_point(X1, p.anchor[1]);
  gap.shift = gap.point - transform_point(X0, p.anchor[0]);
  gap.turn = rotation_vector(X1.q * conjugate(X0.q * p.relpose));
  return gap;
}

// Of a coupling, with the coordinates u and v: C = u - p(v), and J = (1, -p'(v)).
template <class F>
struct CouplingGap {
  F error, slope;
};
template <class F>
CAROM_HD CouplingGap<F> coupling_gap(const LoopParams<F>& params, F u, F v) {
  F value = params.polynomial[4], rate{};
  CAROM_UNROLL
  for (int k = 3; k >= 0; --k) {
    rate = fma(rate, v, value);
    value = fma(value, v, params.polynomial[k]);
  }
  return {u - value, rate};
}

}  // namespace carom::inline CAROM_PRECISION
