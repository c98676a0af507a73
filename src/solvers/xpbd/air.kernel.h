// The air that triangles feel, as dynamics/particles/triangle.kernel.h has it: with the velocity v of the middle
// against the wind and the normal n each particle is pushed by
//
//   -area (drag |n . v| v + lift asin(n . v / |v|) |v|^2 n)
#pragma once

#include "solvers/xpbd/element_projection.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

struct PushByAir {
  ParticleRows particles;
  ColouredRows triangles;
  Vec3 wind;  // [m/s]
  Real h;     // the sub-step [s]

  template <class F>
  CAROM_HD void operator()(const LaneRows<F>& rows) const {
    Stencil<F, 3> s(particles, triangles.corner, triangles.count, rows);
    F air[2];
    load_lane_rows<kTriangleRow>(triangles.row, rows, air, kTriangleNumbers);
    const Vec3T<F> x1 = s.between(0, 1), x2 = s.between(0, 2), N = cross(x1, x2), n = normalize(N);
    const F area = length(N) * F(0.5);
    const Vec3T<F> v =
        (s.moved[0] + s.moved[1] + s.moved[2]) * F(Real(1) / (3 * h)) - Vec3T<F>{F(wind.x), F(wind.y), F(wind.z)};
    const F across = dot(n, v), sine = clamp(dot(n, normalize(v)), F(-1), F(1));
    const Vec3T<F> f = fma(n, air[1] * asin(sine) * dot(v, v), v * (air[0] * abs(across))) * -area;
    s.push({{f, f, f}}, F(h * h));
    s.store(particles);
  }
};

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
