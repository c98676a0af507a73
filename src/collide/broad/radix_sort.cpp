// Many keys are first parted by their highest digit until a part fits the cache; there least-significant-digit passes
// (Knuth, The Art of Computer Programming 3, section 5.2.5) are several times faster than passes through memory.
#include "collide/broad/radix_sort.h"

#include <algorithm>
#include <array>
#include <utility>

namespace carom::inline CAROM_PRECISION {
namespace {

constexpr int kDigitBits = 8;
constexpr int kDigits = 1 << kDigitBits;
constexpr std::int64_t kCacheKeys = 1 << 14;
constexpr std::int64_t kFewKeys = 32;

using Counts = std::array<std::uint32_t, kDigits>;

struct Digit {
  int shift;
  std::uint32_t mask;

  std::uint32_t operator()(std::uint64_t key) const { return std::uint32_t(key >> shift) & mask; }
};

// Moves keys to `to`, ordered by the digit. Returns where each digit's keys end.
Counts move_by_digit(Span<const std::uint64_t> from, std::uint64_t* to, Digit digit) {
  Counts place{};
  for (const std::uint64_t key : from) ++place[digit(key)];
  std::uint32_t begin = 0;
  for (std::uint32_t& count : place) begin += std::exchange(count, begin);
  for (const std::uint64_t key : from) to[place[digit(key)]++] = key;
  return place;
}

void insertion_sort(Span<std::uint64_t> keys, std::uint64_t mask) {
  for (std::int64_t i = 1; i < keys.size; ++i) {
    const std::uint64_t key = keys[i];
    std::int64_t hole = i;
    for (; hole > 0 && (keys[hole - 1] & mask) > (key & mask); --hole) keys[hole] = keys[hole - 1];
    keys[hole] = key;
  }
}

// Sorts `keys`; the result is there or, with `elsewhere`, in `other`.
void sort_part(Span<std::uint64_t> keys, std::uint64_t* other, bool elsewhere, int first_bit, int last_bit) {
  const auto settle = [&](const std::uint64_t* result) {
    std::uint64_t* target = elsewhere ? other : keys.data;
    if (result != target) std::copy(result, result + keys.size, target);
  };
  if (keys.size <= kFewKeys || last_bit <= first_bit) {
    const std::uint64_t mask = last_bit <= first_bit ? 0 : ~std::uint64_t{0} >> (64 - (last_bit - first_bit));
    insertion_sort(keys, mask << first_bit);
    return settle(keys.data);
  }
  if (keys.size > kCacheKeys) {
    const int shift = std::max(first_bit, last_bit - kDigitBits);
    const Counts ends = move_by_digit({keys.data, keys.size}, other, {shift, (1u << (last_bit - shift)) - 1});
    std::int64_t begin = 0;
    for (const std::int64_t end : ends) {
      sort_part({other + begin, end - begin}, keys.data + begin, !elsewhere, first_bit, shift);
      begin = end;
    }
    return;
  }
  std::uint64_t *from = keys.data, *to = other;
  for (int shift = first_bit; shift < last_bit; shift += kDigitBits) {
    const int bits = std::min(kDigitBits, last_bit - shift);
    move_by_digit({from, keys.size}, to, {shift, (1u << bits) - 1});
    std::swap(from, to);
  }
  settle(from);
}

}  // namespace

void radix_sort(Span<std::uint64_t> keys, Span<std::uint64_t> scratch, int first_bit, int last_bit) {
  sort_part(keys, scratch.data, false, first_bit, last_bit);
}

}  // namespace carom::inline CAROM_PRECISION
