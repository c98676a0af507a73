// Rays and signed distance fields: sphere tracing (J. C. Hart, 1996), then bisection of the step that went inside.
//
// A trilinear field is as steep as sqrt(3) where its nodes hold distances, so steps are the distance over sqrt(3). They
// are a 32nd of the spacing at least: thinner walls than that are not seen by rays that graze them.
#pragma once

#include "geometry/point/sdf.kernel.h"
#include "geometry/ray/ray_hit.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

CAROM_HD_LARGE RayHit ray_sdf(const SdfView& sdf, const Ray& ray) {
  constexpr Real kFlattest = Real(0.57735026918962576451);
  constexpr int kMostSteps = 1 << 16;
  Real t = 0, value = sample_field(sdf, ray.p).value;
  if (value < 0) return hit_from_inside(ray);
  Real outside = 0;
  for (int i = 0; value > 0; ++i) {
    outside = t;
    t += max(value * kFlattest, sdf.spacing / Real(32));
    if (!(outside < ray.max_t) || outside >= kRayEnd || i == kMostSteps) return no_hit();
    value = sample_field(sdf, ray.at(t)).value;
  }
  Real inside = t;
  for (int i = 0; i < 64; ++i) {
    const Real middle = Real(0.5) * (outside + inside);
    if (!(middle > outside && middle < inside)) break;
    (sample_field(sdf, ray.at(middle)).value > 0 ? outside : inside) = middle;
  }
  if (inside > ray.max_t) return no_hit();
  return {inside, unit_or(sample_field(sdf, ray.at(inside)).gradient, -ray.d), 0};
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
