// Many sets of small numbers, each as the bits of words.
#pragma once

#include "math/bits.h"

namespace carom {

// Sets of numbers below a common bound. The first words of all sets stand together, then the second ones: who asks
// many sets for one number reads them in a row, and where one word is enough they are an array of masks.
struct BitSets {
  std::uint64_t* word = nullptr;
  int count = 0;  // sets
  int words = 0;  // of each set

  CAROM_HD static constexpr int words_for(int bound) { return (bound + 63) / 64; }
  CAROM_HD static constexpr int word_of(int number) { return static_cast<int>(static_cast<unsigned>(number) / 64); }
  CAROM_HD static constexpr std::uint64_t bit_of(int number) {
    return std::uint64_t{1} << (static_cast<unsigned>(number) % 64);
  }
  // Those of word w that are below a number in this word or a later one.
  CAROM_HD static constexpr std::uint64_t below(int number, int w) {
    return w == word_of(number) ? bit_of(number) - 1 : ~std::uint64_t{0};
  }

  CAROM_HD std::uint64_t& at(int set, int w) const { return word[w * count + set]; }
  CAROM_HD bool has(int set, int number) const { return (at(set, word_of(number)) & bit_of(number)) != 0; }
  CAROM_HD void add(int set, int number) const { at(set, word_of(number)) |= bit_of(number); }
  CAROM_HD void clear(int set) const {
    CAROM_ROLL
    for (int w = 0; w < words; ++w) at(set, w) = 0;
  }
  // Whether the set has all numbers of another one, both below a bound.
  CAROM_HD bool contains(int set, int other, int bound) const {
    bool all = true;
    for (int w = 0; w < words_for(bound); ++w) all = all && !(at(other, w) & ~at(set, w));
    return all;
  }
  // -1: of an empty set.
  CAROM_HD int highest(int set) const {
    for (int w = words - 1; w >= 0; --w)
      if (at(set, w) != 0) return 64 * w + highest_bit(at(set, w));
    return -1;
  }
  CAROM_HD bool has_both(int set, int a, int b) const {
    if (words > 1) return has(set, a) && has(set, b);
    const std::uint64_t both = bit_of(a) | bit_of(b);  // at one look, which most models can do with
    return (word[set] & both) == both;
  }
  // f(number) for those of a set, ascending; of the words from `first` to before `end`.
  template <class Function>
  CAROM_HD void each_of_words(int set, int first, int end, Function f) const {
    CAROM_ROLL
    for (int w = first; w < end; ++w) each_bit(at(set, w), [&](int b) CAROM_HD_LAMBDA { f(64 * w + b); });
  }
  template <class Function>
  CAROM_HD void each(int set, Function f) const {
    each_of_words(set, 0, words, f);
  }
  // f(number) for those below a bound that both sets have, ascending.
  template <class Function>
  CAROM_HD void each_of_both(int a, int b, int bound, Function f) const {
    CAROM_ROLL
    for (int w = 0; w < words_for(bound); ++w)
      each_bit(at(a, w) & at(b, w), [&](int bit) CAROM_HD_LAMBDA { f(64 * w + bit); });
  }
};

}  // namespace carom
