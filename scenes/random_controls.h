// Random inputs of actuators that depend on nothing but a seed, the world, the actuator in it and a count: the same for
// any number of worlds and threads. Bits by splitmix64 (Steele, Lea, Flood, OOPSLA 2014).
#pragma once

#include <cstdint>

#include "carom/model.h"

namespace carom::inline CAROM_PRECISION::scenes {

inline std::uint64_t mix_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Uniform between ctrl_lower and ctrl_upper of each input of an actuator; from -1 to 1 where it has no bounds.
inline void random_controls(const Model& model, const Control& control, std::uint64_t seed, std::uint64_t count) {
  for (int world = 0; world < model.world_count; ++world) {
    const std::uint64_t stream = mix_bits(mix_bits(mix_bits(seed) ^ count) ^ static_cast<std::uint64_t>(world));
    const int first = model.ctrl_world_start[world], last = model.ctrl_world_start[world + 1];
    for (int a = first; a < last; ++a) {
      const std::uint64_t bits = mix_bits(stream + static_cast<std::uint64_t>(a - first));
      const Real u = static_cast<Real>(bits >> 40) * Real(0x1p-24);  // [0, 1), exact in both precisions
      const Real low = model.actuator_ctrl_lower[a], high = model.actuator_ctrl_upper[a];
      const Real lower = low > -kUnlimited ? low : Real(-1), upper = high < kUnlimited ? high : Real(1);
      control.ctrl[a] = lower + u * (upper - lower);
    }
  }
}

}  // namespace carom::inline CAROM_PRECISION::scenes
