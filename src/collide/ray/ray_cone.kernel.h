// A cone about rays that are side by side on the CPU: a ball that it does not meet is met by none of them. It looks at
// W balls at once, and spares rays of like directions nearly all boxes.
//
// With v from the apex to a ball's centre, e = v . axis and w = v - e axis, the ball is |w| cos - e sin away from the
// cone, or more.
#pragma once

#include "geometry/ray/ray_hit.h"
#include "math/lanes.h"

namespace carom::inline CAROM_PRECISION {

// Of everything that rounding may do to positions, with much to spare.
inline constexpr Real kConeRounding = Real(1e-5);

// Balls around shapes, one row per coordinate.
struct RayBalls {
  static constexpr int kMost = 64;  // that are looked at together; rows have room for so many more
  Real* numbers;                    // nullptr: there are none
  int stride;                       // from row to row

  CAROM_HD const Real* row(int i) const { return numbers + std::int64_t{i} * stride; }
  // radius: about the centre, or kUnbounded.
  CAROM_HD void set(int k, Vec3 center, Real radius) const {
    for (int i = 0; i < 3; ++i) numbers[std::int64_t{i} * stride + k] = center[i];
    numbers[std::int64_t{3} * stride + k] = fma(kConeRounding, length(center) + radius, radius);
  }
};

}  // namespace carom::inline CAROM_PRECISION

#if !defined(__CUDACC__)

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

template <class T, int W>
class RayCone {
 public:
  using L = Lanes<T, W>;

  CAROM_HD explicit RayCone(const RayT<L>& ray) {
    apex_ = {ray.p.x[0], ray.p.y[0], ray.p.z[0]};
    const L x = ray.p.x - L(apex_.x), y = ray.p.y - L(apex_.y), z = ray.p.z - L(apex_.z);
    // From one apex all others are reached.
    slack_ = sqrt(greatest(fma(z, z, fma(y, y, x * x)))) + kConeRounding * length(apex_);
    Vec3 sum{};
    for (int l = 0; l < W; ++l) sum += Vec3{ray.d.x[l], ray.d.y[l], ray.d.z[l]};
    axis_ = normalize(sum);
    const L along = ray.d.x * L(axis_.x) + ray.d.y * L(axis_.y) + ray.d.z * L(axis_.z);
    cos_ = -greatest(-along) - kConeRounding;
    sin_ = sqrt(max(fma(-cos_, cos_, Real(1)), Real(0)));
  }

  // Which of the balls from `begin` on it may meet, by bit; at most RayBalls::kMost. All, where rays look apart.
  CAROM_HD std::uint64_t meets(const RayBalls& balls, int begin, int end) const {
    const std::uint64_t all = ~std::uint64_t{0} >> (RayBalls::kMost - (end - begin));
    if (!(cos_ > kWidest)) return all;
    std::uint64_t met = 0;
    for (int k = begin; k < end; k += W) met |= meets_next(balls, k).bits() << (k - begin);
    return met & all;
  }

 private:
  static constexpr Real kWidest = Real(0.5);

  CAROM_HD Mask<T, W> meets_next(const RayBalls& balls, int k) const {
    const L x = L::load(balls.row(0) + k) - L(apex_.x), y = L::load(balls.row(1) + k) - L(apex_.y),
            z = L::load(balls.row(2) + k) - L(apex_.z);
    const L e = fma(z, L(axis_.z), fma(y, L(axis_.y), x * L(axis_.x)));
    const L u = fma(-e, L(axis_.x), x), v = fma(-e, L(axis_.y), y), w = fma(-e, L(axis_.z), z);
    const L away = fma(sqrt(fma(w, w, fma(v, v, u * u))), L(cos_), -(e * L(sin_)));
    return !(away > L::load(balls.row(3) + k) + L(slack_));
  }

  Vec3 apex_, axis_;
  Real slack_, cos_, sin_;
};

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER

#endif  // !defined(__CUDACC__)
