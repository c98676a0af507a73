// How many rows of each sort a part has in this step, before anything is solved: parts with as many are solved side by
// side.
#pragma once

#include "solvers/mujoco/step.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct RowCount {
  int frictionless, frictional;  // contacts
  int limits;                    // that act

  // Contacts of the longest list.
  CAROM_HD int contacts() const { return frictionless > frictional ? frictionless : frictional; }
};

struct CountRows {
  const int* part;
  MuJoCoStep step;  // of their archetype
  RowCount* count;

  CAROM_HD void operator()(int i) const { count_parts<Real>(WorldIds<Real>{part[i]}); }

#if !defined(__CUDACC__)
  CAROM_HD void range(int begin, int end) const {
    constexpr int W = kTierWidth<Real>;
    int i = begin;
    for (; i + W <= end; i += W) {
      WorldIds<Lanes<Real, W>> ids;
      for (int l = 0; l < W; ++l) ids.world[l] = part[i + l];
      count_parts(ids);
    }
    for (; i < end; ++i) (*this)(i);
  }
#endif

 private:
  // Numbers of the parts, by their place.
  template <class F>
  struct Numbers {
    const Real* base;
    Offsets<F> offsets;
    bool are_shared;

    CAROM_HD F operator[](int k) const { return are_shared ? F(base[k]) : load<F>(base, offsets, k); }
  };

  template <class F>
  CAROM_HD void count_parts(WorldIds<F> ids) const {
    const F limits = limits_of(ids);
    const ContactView& contacts = step.contacts;
    for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) {
      const int begin = contacts.begin(ids[l]), end = contacts.end(ids[l]);
      int frictional = 0;
      for (int c = begin; c < end; ++c) frictional += contacts.material[contacts.contact(c)].condim != 1;
      count[ids[l]] = {end - begin - frictional, frictional, static_cast<int>(lane_of(limits, l))};
    }
  }

  template <class F>
  CAROM_HD F limits_of(WorldIds<F> ids) const {
    constexpr int kStride = sizeof(LimitParams<Real>) / sizeof(Real);
    const Numbers<F> params = params_of(ids), q{step.joint_q, world_offsets(step.starts.coord, ids), false};
    Numbers<F> coef = params;
    coef.base += step.layout.limit_coefs;
    F acting{};
    for (int s = 0; s < step.rows.limits(); ++s) {
      const int first = step.layout.limits + s * kStride;
      const LimitRange<F> range{params[first], params[first + 1], params[first + 2]};
      acting += select(limit_gap(step.rows, s, range, coef, q).distance < range.margin, F(1), F(0));
    }
    return acting;
  }

  template <class F>
  CAROM_HD Numbers<F> params_of(WorldIds<F> ids) const {
    Numbers<F> params{step.params, world_offsets(step.starts.params_row, ids), step.params_stride == 0};
    if constexpr (PlainNumber<F>) {
      params.offsets.start *= step.params_stride;
    } else {
      for (std::int64_t& start : params.offsets.start) start *= step.params_stride;
    }
    return params;
  }
};

}  // namespace carom::inline CAROM_PRECISION
