// Random numbers that are the same on every machine and from every standard library: SplitMix64 (Steele, Lea and Flood,
// "Fast splittable pseudorandom number generators", 2014), and no std distribution, whose results are not specified.
#pragma once

#include <cstdint>

#include "carom/platform.h"

namespace carom {

class FixedRandom {
 public:
  explicit FixedRandom(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next_bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }

  // In [-1, 1), a multiple of 2^-23, which both precisions hold exactly.
  Real next() {
    const auto steps = static_cast<std::int32_t>(next_bits() >> 40) - (1 << 23);
    return static_cast<Real>(steps) / static_cast<Real>(1 << 23);
  }

 private:
  std::uint64_t state_;
};

}  // namespace carom
