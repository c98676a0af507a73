// How the links of a world move within a step, in rows that contacts read and write: those of W worlds side by side by
// contacts in as many lanes, those of one world by contacts of one colour in lanes of their own, or by plain numbers.
//
// The last row is the world itself, which nothing moves.
#pragma once

#include "dynamics/maximal.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct LinkRow {
  Vec3T<F> v, omega;       // of the centre of mass [m/s], [rad/s]
  Vec3T<F> moved, turned;  // since the step began [m], [rad]
};

// What a link weighs now.
template <class F>
struct LinkMass {
  F inverse;               // [1/kg]
  Sym33T<F> inverse_turn;  // about the centre of mass, world axes [1/(kg m^2)]
  Vec3T<F> com;            // [m]
};

// The lanes in which contacts of rows of F are solved.
#if defined(__CUDACC__)
template <class F>
using ContactLanes = F;
#else
template <class F>
using ContactLanes = std::conditional_t<PlainNumber<F>, Lanes<Element<F>, kTierWidth<Element<F>>>, F>;
#endif

// Places of the numbers of one row per lane.
template <class G, class F, int N>
struct RowPlaces {
  static constexpr int kLanes = ScalarTraits<F>::kWidth;
  int first[ScalarTraits<G>::kWidth];

  CAROM_HD explicit RowPlaces(const int* row) {
    for (int l = 0; l < ScalarTraits<G>::kWidth; ++l) first[l] = kLanes == 1 ? row[l] * N : row[l] * N * kLanes + l;
  }
  // The first M numbers.
  template <int M>
  CAROM_HD void read(const F* rows, G (&out)[M]) const {
    const auto* const base = reinterpret_cast<const Element<F>*>(rows);
    if constexpr (PlainNumber<G>) {
      for (int k = 0; k < M; ++k) out[k] = base[first[0] + k];
#if !defined(__CUDACC__)
    } else if constexpr (kLanes == 1) {
      load_rows(base, LaneIndex{first, 1}, out);
    } else {
      constexpr int W = ScalarTraits<G>::kWidth;
      for (int k = 0; k < M; ++k) out[k] = gather_at<Element<F>, W>(base + k * W, LaneIndex{first, 1});
#endif
    }
  }
  template <int M>
  CAROM_HD void write(F* rows, const G (&values)[M]) const {
    auto* const base = reinterpret_cast<Element<F>*>(rows);
    if constexpr (PlainNumber<G>) {
      for (int k = 0; k < M; ++k) base[first[0] + k] = values[k];
#if !defined(__CUDACC__)
    } else if constexpr (kLanes == 1) {
      store_rows_at(base, LaneIndex{first, 1}, values);
    } else {
      constexpr int W = ScalarTraits<G>::kWidth;
      for (int k = 0; k < M; ++k) {
        Element<F> lane[W];
        values[k].store(lane);
        for (int l = 0; l < W; ++l) base[first[l] + k * W] = lane[l];
      }
#endif
    }
  }
};

template <class G, class F>
CAROM_HD LinkRow<G> read_link(const LinkRow<F>* rows, const int* link) {
  G x[12];
  RowPlaces<G, F, 12>(link).read(reinterpret_cast<const F*>(rows), x);
  return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], x[8]}, {x[9], x[10], x[11]}};
}
// Velocities alone: poses are what a contact does not change.
template <class G, class F>
CAROM_HD void write_velocity(LinkRow<F>* rows, const int* link, const LinkRow<G>& r) {
  const G x[6]{r.v.x, r.v.y, r.v.z, r.omega.x, r.omega.y, r.omega.z};
  RowPlaces<G, F, 12>(link).write(reinterpret_cast<F*>(rows), x);
}
template <class G, class F>
CAROM_HD LinkMass<G> read_mass(const LinkMass<F>* rows, const int* link) {
  G x[10];
  RowPlaces<G, F, 10>(link).read(reinterpret_cast<const F*>(rows), x);
  return {x[0], {x[1], x[2], x[3], x[4], x[5], x[6]}, {x[7], x[8], x[9]}};
}

// Without the centre of mass.
template <class G, class F>
CAROM_HD LinkMass<G> read_inverse_mass(const LinkMass<F>* rows, const int* link) {
  G x[8];  // one more than it takes: numbers are read by fours
  RowPlaces<G, F, 10>(link).read(reinterpret_cast<const F*>(rows), x);
  return {x[0], {x[1], x[2], x[3], x[4], x[5], x[6]}, {}};
}

template <class F>
CAROM_HD void set_lane(F& lanes, [[maybe_unused]] int lane, Element<F> value) {
  if constexpr (PlainNumber<F>) lanes = value;
  else lanes.set(lane, value);
}

// An impulse p [N s] at r from the centre of mass, and an angular one.
template <class F>
CAROM_HD void push(LinkRow<F>& link, const LinkMass<F>& mass, Vec3T<F> r, Vec3T<F> p, Vec3T<F> turn) {
  link.v = fma(p, mass.inverse, link.v);
  link.omega += mass.inverse_turn * (turn + cross(r, p));
}

}  // namespace carom::inline CAROM_PRECISION
