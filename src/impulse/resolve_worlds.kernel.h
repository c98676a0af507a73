// solve_impact() for the contacts of a world, or of W worlds side by side in lanes: step k of a sweep is the k-th
// contact of each world that has so many.
#pragma once

#include <cstddef>

#include "backend/world_lanes.h"
#include "carom/array.h"
#include "carom/impulse/impact.h"
#include "carom/state.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// Rows of structs of numbers to and from structs of lanes.
template <class F>
struct RowsT {
  static constexpr int kWidth = ScalarTraits<F>::kWidth;
  int row[kWidth];
  bool kept[kWidth];  // whether what is stored reaches memory

  template <int N>
  CAROM_HD void load(const Real* base, int stride, F (&out)[N]) const {
    if constexpr (PlainNumber<F>) load_rows(base, std::int64_t{row[0]} * stride, out);
    else load_rows(base, LaneIndex{row, stride}, out);
  }
  template <int N>
  CAROM_HD void store(Real* base, int stride, const F (&values)[N]) const {
    if constexpr (PlainNumber<F>) {
      if (kept[0]) store_rows(base, std::int64_t{row[0]} * stride, values);
    } else {
      Real buffer[kWidth * N];
      store_rows(buffer, LaneStride{N}, values);
      for (int l = 0; l < kWidth; ++l) {
        Real* const to = base + std::int64_t{row[l]} * stride;
        for (int i = 0; kept[l] && i < N; ++i) to[i] = buffer[l * N + i];
      }
    }
  }
};

// The contacts of the worlds, as solve_impact() asks for them.
template <class F>
struct WorldImpact {
  static constexpr int kWidth = ScalarTraits<F>::kWidth;
  static constexpr int kBodyNumbers = sizeof(ImpactBody) / sizeof(Real);
  static constexpr int kPointNumbers = sizeof(ImpactPoint) / sizeof(Real);
  static constexpr int kVelocityNumbers = 6;
  // Of a point, in the order of its members.
  static constexpr int kGiven = 12, kPrepared = 20, kLocal = 3, kResults = kPointNumbers - kGiven - kPrepared - kLocal;
  static_assert(sizeof(ImpactBodyT<F>) == kBodyNumbers * sizeof(F));
  static_assert(sizeof(ImpactPointT<F>) == kPointNumbers * sizeof(F));
  static_assert(offsetof(ImpactPoint, frame) == kGiven * sizeof(Real));
  static_assert(offsetof(ImpactPoint, local) == (kGiven + kPrepared) * sizeof(Real));
  static_assert(offsetof(ImpactPoint, impulse) == (kPointNumbers - kResults) * sizeof(Real));

  int body_count;
  const SpatialVector* body_qd;  // before the impact
  const Index2* bodies;          // of each contact: rows
  ImpactBody* body;
  ImpactPoint* point;
  int first[kWidth], count[kWidth];  // contacts of each world
  int most;
  F count_number;

  CAROM_HD void start() {
    for (int l = 0; l < kWidth; ++l)
      for (int c = first[l]; c < first[l] + count[l]; ++c)
        for (int side = 0; side < 2; ++side) restart(bodies[1 + c][side]);
  }

  template <class Visit>
  CAROM_HD void each(Keep keep, bool backward, Visit visit) {
    CAROM_ROLL
    for (int k = 0; k < most; ++k) {
      RowsT<F> points, a_rows, b_rows;
      for (int l = 0; l < kWidth; ++l) {
        const bool active = k < count[l];
        points.kept[l] = active;
        points.row[l] = active ? 1 + first[l] + (backward ? count[l] - 1 - k : k) : 0;
        set_body(bodies[points.row[l]][0], l, a_rows);
        set_body(bodies[points.row[l]][1], l, b_rows);
      }
      ImpactBodyT<F> a, b;
      ImpactPointT<F> p;
      a_rows.load(&body->velocity.x, kBodyNumbers, numbers<kBodyNumbers>(a));
      b_rows.load(&body->velocity.x, kBodyNumbers, numbers<kBodyNumbers>(b));
      points.load(&point->normal.x, kPointNumbers, numbers<kPointNumbers>(p));
      visit(a, b, p, F(Real(k)) < count_number);
      if (keep == Keep::kMotion) {
        a_rows.store(&body->velocity.x, kBodyNumbers, numbers<kVelocityNumbers>(a));
        b_rows.store(&body->velocity.x, kBodyNumbers, numbers<kVelocityNumbers>(b));
        points.store(&point->local.n, kPointNumbers, numbers<kLocal>(p.local));
      } else if (keep == Keep::kPrepared) {
        points.store(&point->frame.d.x, kPointNumbers, numbers<kPrepared + kLocal>(p.frame));
      } else if (keep == Keep::kResults) {
        points.store(&point->impulse.x, kPointNumbers, numbers<kResults>(p.impulse));
      }
    }
  }

 private:
  CAROM_HD void restart(int row) {
    if (row < 1 || row > body_count) return;
    body[row].velocity = body_qd[row - 1].linear;
    body[row].angular_velocity = body_qd[row - 1].angular;
  }
  CAROM_HD void set_body(int row, int l, RowsT<F>& rows) const {
    rows.row[l] = row;
    rows.kept[l] = row >= 1 && row <= body_count;
  }
  // The numbers of a struct that has nothing else.
  template <int N, class T>
  static CAROM_HD F (&numbers(T& of))[N] {
    return *reinterpret_cast<F(*)[N]>(&of);
  }
};

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER

namespace carom::inline CAROM_PRECISION {

struct ResolveWorlds {
  using Number = Real;

  Span<const int> worlds;    // world_count stands for the globals
  const int* contact_start;  // of each world, of the globals, and the total
  int body_count;
  const SpatialVector* body_qd;
  const Index2* bodies;
  ImpactBody* body;
  ImpactPoint* point;
  ImpactConfig config;
  std::int32_t* status;

  template <class Team, class F>
  CAROM_HD_STAGE void operator()(Team, WorldIds<F> ids) const {
    WorldImpact<F> impact;
    impact.body_count = body_count;
    impact.body_qd = body_qd;
    impact.bodies = bodies;
    impact.body = body;
    impact.point = point;
    impact.most = 0;
    Real counts[WorldImpact<F>::kWidth];
    for (int l = 0; l < WorldImpact<F>::kWidth; ++l) {
      impact.first[l] = contact_start[ids[l]];
      impact.count[l] = contact_start[ids[l] + 1] - impact.first[l];
      if (impact.most < impact.count[l]) impact.most = impact.count[l];
      counts[l] = Real(impact.count[l]);
    }
    if constexpr (PlainNumber<F>) impact.count_number = counts[0];
    else impact.count_number = F::load(counts);
    const auto converged = solve_impact<F>(impact, config);
    auto finite = F(0) == F(0);
    impact.each(Keep::kNothing, false, [&](auto&, auto&, auto& p, auto active) CAROM_HD_LAMBDA {
      const Vec3T<F> sum = p.before + p.impulse;
      finite = finite && (!active || is_finite(sum.x + sum.y + sum.z));
    });
    write_status(ids, converged, finite);
  }

 private:
  template <class F, class M>
  CAROM_HD void write_status(WorldIds<F> ids, M converged, M finite) const {
    if constexpr (PlainNumber<F>) {
      status[ids[0]] = (converged ? 0 : kStatusNotConverged) | (finite ? 0 : kStatusNotFinite);
    } else {
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
        status[ids[l]] = (converged[l] ? 0 : kStatusNotConverged) | (finite[l] ? 0 : kStatusNotFinite);
    }
  }
};

}  // namespace carom::inline CAROM_PRECISION
