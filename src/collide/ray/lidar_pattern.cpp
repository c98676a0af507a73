#include "base/fail.h"
#include "carom/raycast.h"

namespace carom::inline CAROM_PRECISION {

namespace {

constexpr Real kPi = Real(3.14159265358979323846);

void check_lidar(const LidarConfig& c) {
  if (c.channels < 1 || c.horizontal_steps < 1)
    fail("lidar_pattern: channels and horizontal_steps must be positive, are ", c.channels, " and ",
         c.horizontal_steps);
  if (!(c.lowest >= -kPi / 2 && c.lowest <= c.highest && c.highest <= kPi / 2))
    fail("lidar_pattern: lowest and highest must ascend between -pi / 2 and pi / 2, are ", c.lowest, " and ",
         c.highest);
  if (!(c.horizontal_fov >= 0 && c.horizontal_fov <= 2 * kPi))
    fail("lidar_pattern: horizontal_fov must be between 0 and 2 pi, is ", c.horizontal_fov);
}

// Step i of n from low to high; the middle when there is one alone.
Real evenly(Real low, Real high, int i, int n) {
  return n == 1 ? (low + high) / 2 : low + (high - low) * (Real(i) / Real(n - 1));
}

}  // namespace

std::vector<Vec3> lidar_pattern(const LidarConfig& c) {
  check_lidar(c);
  const bool closes = c.horizontal_fov == 2 * kPi;  // the last ray is one step short of the first
  const Real half = c.horizontal_fov / 2;
  std::vector<Vec3> directions;
  directions.reserve(std::size_t(c.channels) * c.horizontal_steps);
  for (int step = 0; step < c.horizontal_steps; ++step) {
    const Real azimuth = closes ? -half + c.horizontal_fov * (Real(step) / Real(c.horizontal_steps))
                                : evenly(-half, half, step, c.horizontal_steps);
    for (int channel = 0; channel < c.channels; ++channel) {
      const Real elevation = evenly(c.lowest, c.highest, channel, c.channels);
      directions.push_back({cos(elevation) * cos(azimuth), cos(elevation) * sin(azimuth), sin(elevation)});
    }
  }
  return directions;
}

}  // namespace carom::inline CAROM_PRECISION
