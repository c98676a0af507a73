// Rays and signed distance fields: sphere tracing (J. C. Hart, 1996), then bisection of the step that crossed the
// surface.
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
  const Real side = sample_field(sdf, ray.p).value < 0 ? Real(-1) : Real(1);  // the field's sign where the ray begins
  const auto value_at = [&](Real t) CAROM_HD_LAMBDA { return side * sample_field(sdf, ray.at(t)).value; };
  Real t = 0, before = 0, value = value_at(0);
  for (int i = 0; value > 0; ++i) {
    before = t;
    t += max(value * kFlattest, sdf.spacing / Real(32));
    if (!(before < ray.max_t) || before >= kRayEnd || i == kMostSteps) return no_hit();
    value = value_at(t);
  }
  Real behind = t;
  for (int i = 0; i < 64; ++i) {
    const Real middle = Real(0.5) * (before + behind);
    if (!(middle > before && middle < behind)) break;
    (value_at(middle) > 0 ? before : behind) = middle;
  }
  return behind > ray.max_t ? no_hit() : RayHit{behind, -1};
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
