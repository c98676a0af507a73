// Random numbers that are the same on every machine and from every standard library: SplitMix64 (Steele, Lea and Flood,
// "Fast splittable pseudorandom number generators", 2014), and no std distribution, whose results are not specified.
// Two draws never stand in one expression or one list of arguments, whose order the language leaves open; in braces
// the order is that of the text.
#pragma once

#include <cstdint>

#include "carom/math/trig.h"

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

  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(next_bits() >> 11) * 0x1p-53);
  }
  // As likely between 1 and 10 as between 10 and 100. The power is ours: those of libms differ in the last bit.
  double log_uniform(double low, double high) { return low * pow(high / low, uniform(0, 1)); }
  int below(int n) { return static_cast<int>(next_bits() % static_cast<std::uint64_t>(n)); }
  bool one_in(int n) { return below(n) == 0; }

  // Mean 0 and variance 1, about a normal distribution up to 6 at most: a sum needs no logarithm of a libm.
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform(0, 1);
    return sum;
  }

 private:
  std::uint64_t state_;
};

}  // namespace carom
