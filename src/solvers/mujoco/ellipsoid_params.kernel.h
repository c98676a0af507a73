// From a shape to the numbers of its ellipsoid in a fluid. What moves along with an ellipsoid: Lamb, Hydrodynamics,
// sections 114 and 115, with MuJoCo's quadrature.
#pragma once

#include "carom/model.h"
#include "solvers/mujoco/ellipsoid.kernel.h"
#include "solvers/mujoco/fluid.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct EllipsoidSource {
  int shape;    // row of the model, -1 = this part has fewer of them
  Vec3 extent;  // of a mesh from its origin, before its scale [m]
};
struct EllipsoidColumns {
  const int* type;
  const Transform* transform;
  const Vec3* scale;
  const RealN<5>* coef;
};
struct FluidNumbers {
  Real density, viscosity;
};

namespace ellipsoid {

CAROM_HD Vec3 semiaxes(ShapeType type, Vec3 scale, Vec3 extent) {
  constexpr Real kThinnest = Real(1e-15);  // of a flat mesh
  switch (type) {
    case ShapeType::kSphere: return {scale.x, scale.x, scale.x};
    case ShapeType::kCapsule: return {scale.x, scale.x, scale.x + scale.y};
    case ShapeType::kCylinder:
    case ShapeType::kCone: return {scale.x, scale.x, scale.y};
    case ShapeType::kMesh:
    case ShapeType::kConvexHull: return max(abs(fluid::scaled(scale, extent)), {kThinnest, kThinnest, kThinnest});
    default: return scale;
  }
}

// x y z times the integral of dl / ((x^2 + l) sqrt((x^2 + l) (y^2 + l) (z^2 + l))) over all l > 0: Gauss and Kronrod's
// 15 points in t, l = (x^3 y z)^0.4 t^3 / (1 - t)^2.
CAROM_HD Real kappa(Real x, Real y, Real z) {
  // clang-format off
  const Real l[15] = {
      Real(7.865151709349917e-08), Real(1.7347976913907274e-05), Real(0.0003548008144506193),
      Real(0.002846636252924549), Real(0.014094260903596077), Real(0.053063261727396636), Real(0.17041978741317773),
      Real(0.5), Real(1.4036301548686991), Real(3.9353484827022642), Real(11.644841677041734),
      Real(39.53187807410903), Real(177.5711362220801), Real(1429.4772912937397), Real(54087.416549217705)};
  const Real slope[15] = {  // dl/dt
      Real(5.538677720489877e-05), Real(0.002080868285293228), Real(0.016514126520723166), Real(0.07261900344370877),
      Real(0.23985243401862602), Real(0.6868318249020725), Real(1.8551129519182894), Real(5), Real(14.060031152313941),
      Real(43.28941239611009), Real(156.58546376397112), Real(747.9826085305024), Real(5827.4042950027115),
      Real(116754.0197944512), Real(25482945.327264845)};
  const Real weight[8] = {Real(0.01146766), Real(0.03154605), Real(0.05239501), Real(0.07032663),
                          Real(0.08450236), Real(0.09517529), Real(0.10221647), Real(0.10474107)};
  // clang-format on
  const Real unit = exp(Real(0.4) * (3 * log(x) + log(y) + log(z))), xx = x * x;
  Real sum = 0;
  for (int i = 0; i < 15; ++i) {
    const Real at = unit * l[i], a = 1 + at / xx;
    sum += weight[i < 8 ? i : 14 - i] * unit * slope[i] / (a * sqrt(a * (1 + at / (y * y)) * (1 + at / (z * z))));
  }
  return sum / xx;
}

// Of a fluid of density 1: mass and inertia that move along.
struct Added {
  Vec3 mass, inertia;
};
CAROM_HD Added added_by(Vec3 s, Real volume) {
  constexpr Real kLeast = Real(1e-14);
  Vec3 k;
  Added added;
  for (int i = 0; i < 3; ++i) {
    k[i] = kappa(s[i], s[(i + 1) % 3], s[(i + 2) % 3]);
    added.mass[i] = volume * k[i] / max(kLeast, 2 - k[i]);
  }
  for (int i = 0; i < 3; ++i) {
    const int a = (i + 1) % 3, b = (i + 2) % 3;
    const Real difference = s[a] * s[a] - s[b] * s[b], sum = s[a] * s[a] + s[b] * s[b];
    const Real divisor = abs(2 * difference + sum * (k[a] - k[b]));
    added.inertia[i] = volume / 5 * difference * difference * abs(k[b] - k[a]) / max(kLeast, divisor);
  }
  return added;
}

// Moment of drag against turning, per rate of turning squared: II of the axis where the air passes the blunt side.
CAROM_HD Vec3 turning_drag(Vec3 s, Real longest, Real middle, Real slender, Real angular) {
  constexpr Real kShare = Real(8) / 15 * fluid::kPi;
  const auto fourth = [](Real x) CAROM_HD_LAMBDA { return x * x * x * x; };
  const Real most = kShare * middle * fourth(longest);
  Vec3 drag;
  for (int i = 0; i < 3; ++i) {
    const Real own = kShare * s[i] * fourth(max(s[(i + 1) % 3], s[(i + 2) % 3]));
    drag[i] = angular * own + slender * (most - own);
  }
  return drag;
}

// One that nothing pushes.
CAROM_HD EllipsoidParams<Real> nothing() {
  EllipsoidParams<Real> p{};
  p.X_LE.q = {0, 0, 0, 1};
  p.bluntness = {1, 1, 1};
  return p;
}

// s: semiaxes.
CAROM_HD EllipsoidParams<Real> params_of(const Transform& X_LE, Vec3 s, const RealN<5>& coef, FluidNumbers of) {
  constexpr Real kThinnest = Real(1e-15);  // of bluntness; less is not felt, and is divided by
  const Real volume = Real(4) / 3 * fluid::kPi * s.x * s.y * s.z, diameter = Real(2) / 3 * (s.x + s.y + s.z);
  const Real longest = max(s.x, max(s.y, s.z)), middle = max(min(s.x, s.y), min(max(s.x, s.y), s.z));
  const Real largest = longest * middle;  // of its shadows, over pi
  const Added added = added_by(s, volume);
  EllipsoidParams<Real> p;
  p.X_LE = X_LE;
  for (int i = 0; i < 3; ++i) {
    const Real shadow = s[(i + 1) % 3] * s[(i + 2) % 3] / largest;
    p.bluntness[i] = max(shadow * shadow, kThinnest);
  }
  p.added_mass = added.mass * of.density, p.added_inertia = added.inertia * of.density;
  p.turning_drag = turning_drag(s, longest, middle, coef[1], coef[2]) * of.density;
  p.slide_viscous = 3 * fluid::kPi * of.viscosity * diameter;
  p.turn_viscous = fluid::kPi * of.viscosity * diameter * diameter * diameter;
  const Real pressed = of.density * fluid::kPi * largest;
  p.slender_drag = coef[1] * pressed, p.blunt_drag = (coef[0] - coef[1]) * pressed;
  p.lift = coef[3] * pressed, p.magnus = coef[4] * of.density * volume;
  return p;
}

}  // namespace ellipsoid

}  // namespace carom::inline CAROM_PRECISION
