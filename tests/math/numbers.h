// Numbers that tests of the math layer run on: special values, random bit patterns, ranges; and comparison of bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "carom/math/scalar.h"
#include "tests/random.h"

namespace carom::test {

// Equal bit for bit; all not-a-numbers of arithmetic count as one, since machines differ there.
template <class T>
bool same_number(T a, T b) {
  return (a != a && b != b) || to_bits(a) == to_bits(b);
}

template <class T>
std::vector<T> special_numbers() {
  using L = std::numeric_limits<T>;
  std::vector<T> numbers;
  for (T a : {T(0),          L::denorm_min(),
              L::min() / 2,  L::min(),
              L::epsilon(),  T(0.25),
              T(0.5),        T(1) - L::epsilon() / 2,
              T(1),          T(1) + L::epsilon(),
              T(1.5),        T(2),
              T(3),          T(4),
              T(0x1p17),     T(0x1p24) + 1,
              T(1e9),        L::max() / 2,
              L::max(),      L::infinity(),
              L::quiet_NaN()}) {
    numbers.push_back(a);
    numbers.push_back(-a);
  }
  return numbers;
}

template <class T>
class RandomNumbers {
 public:
  // Any bit pattern: all exponents, infinities and not-a-numbers too.
  T any() { return from_bits(static_cast<BitsOf<T>>(random_.next_bits())); }
  T between(double low, double high) { return T(random_.uniform(low, high)); }
  int index(int n) { return random_.below(n); }

 private:
  SeededRandom random_{20240229};
};

// Special values, random bit patterns and numbers of everyday size, `count` in all.
template <class T>
std::vector<T> mixed_numbers(int count) {
  RandomNumbers<T> random;
  std::vector<T> numbers = special_numbers<T>();
  while (static_cast<int>(numbers.size()) < count) {
    numbers.push_back(random.any());
    numbers.push_back(random.between(-4, 4));
  }
  numbers.resize(count);
  return numbers;
}

}  // namespace carom::test
