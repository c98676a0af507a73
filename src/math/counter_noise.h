// Normally distributed numbers by what they are for, not by who asks when: each is a function of its counters alone, so
// that every device and any number of threads draw the same ones. The counters are stirred by the finaliser of
// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), its two halves become a number by the method of Box and Muller.
#pragma once

#include <cstdint>

#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

CAROM_HD std::uint64_t stirred(std::uint64_t key, std::uint64_t counter) {
  std::uint64_t x = (key ^ counter) + 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Mean 0, standard deviation 1.
CAROM_HD Real normal_of(std::uint64_t key) {
  constexpr Real kStep = Real(1) / Real(4294967296.0), kTurn = Real(6.283185307179586);
  const Real share = (Real(key >> 32) + Real(0.5)) * kStep;  // never 0
  Real sine, cosine;
  sincos(Real(key & 0xffffffffu) * kStep * kTurn, sine, cosine);
  return sqrt(Real(-2) * log(share)) * cosine;
}

}  // namespace carom::inline CAROM_PRECISION
