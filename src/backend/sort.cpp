// Least-significant-digit radix sort with digits of 8 bits (Knuth, The Art of Computer Programming 3, section 5.2.5).
// Each pass counts the digits of every chunk, works out where each chunk's share of each digit goes, and moves.
#include "backend/sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "backend/cpu/chunks.h"
#include "backend/cuda/cuda_backend.h"
#include "backend/scratch.h"
#include "base/fail.h"

namespace carom {
namespace {

constexpr int kDigitBits = 8;
constexpr int kDigits = 1 << kDigitBits;

int digit(std::uint64_t key, int shift) { return static_cast<int>(key >> shift & (kDigits - 1)); }

struct Pairs {
  Span<std::uint64_t> keys;
  Span<int> values;
};

// The bits in which some keys differ; none when the keys are in order already, since nothing is left to do then.
std::uint64_t bits_to_sort(const Queue& queue, Span<const std::uint64_t> keys, int chunks, Span<std::uint64_t> facts) {
  for_each_chunk(queue, keys.size, chunks, [=](int chunk, std::int64_t begin, std::int64_t end) {
    std::uint64_t differing = 0;
    bool in_order = true;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::uint64_t before = keys[i > 0 ? i - 1 : 0];
      differing |= before ^ keys[i];
      in_order &= before <= keys[i];
    }
    facts[2 * chunk] = differing;
    facts[2 * chunk + 1] = in_order;
  });
  std::uint64_t differing = 0;
  bool in_order = true;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    differing |= facts[2 * chunk];
    in_order &= facts[2 * chunk + 1] != 0;
  }
  return in_order ? 0 : differing;
}

// Counts become places: all of digit 0 before all of digit 1, and within a digit the chunks in their order.
void place_digits(Span<int> counts, int chunks) {
  int place = 0;
  for (int d = 0; d < kDigits; ++d) {
    for (int chunk = 0; chunk < chunks; ++chunk) place += std::exchange(counts[chunk * kDigits + d], place);
  }
}

void sort_by_digit(const Queue& queue, Pairs from, Pairs to, int shift, int chunks, Span<int> places) {
  for_each_chunk(queue, from.keys.size, chunks, [=](int chunk, std::int64_t begin, std::int64_t end) {
    std::array<int, kDigits> count{};
    for (std::int64_t i = begin; i < end; ++i) ++count[digit(from.keys[i], shift)];
    for (int d = 0; d < kDigits; ++d) places[chunk * kDigits + d] = count[d];
  });
  place_digits(places, chunks);
  for_each_chunk(queue, from.keys.size, chunks, [=](int chunk, std::int64_t begin, std::int64_t end) {
    std::array<int, kDigits> place;
    for (int d = 0; d < kDigits; ++d) place[d] = places[chunk * kDigits + d];
    for (std::int64_t i = begin; i < end; ++i) {
      const int target = place[digit(from.keys[i], shift)]++;
      to.keys[target] = from.keys[i];
      to.values[target] = from.values[i];
    }
  });
}

void sort_on_cpu(const Queue& queue, Pairs pairs, SortScratch& scratch) {
  const std::int64_t n = pairs.keys.size;
  const int chunks = chunk_count(queue, n);
  grow(scratch.chunk_facts, 2 * queue.threads(), queue.device());
  grow(scratch.chunk_places, kDigits * queue.threads(), queue.device());
  Pairs from = pairs;
  Pairs to{{scratch.keys.data(), n}, {scratch.values.data(), n}};
  std::uint64_t bits = bits_to_sort(queue, pairs.keys, chunks, scratch.chunk_facts.view());
  while (bits != 0) {  // a digit begins at the lowest bit left, so bits that all keys share are never looked at
    const int shift = std::countr_zero(bits);
    sort_by_digit(queue, from, to, shift, chunks, scratch.chunk_places.view());
    std::swap(from, to);
    bits &= ~(std::uint64_t{kDigits - 1} << shift);
  }
  if (from.keys.data == pairs.keys.data) return;
  for_each_chunk(queue, n, chunks, [=](int, std::int64_t begin, std::int64_t end) {
    std::copy(from.keys.data + begin, from.keys.data + end, pairs.keys.data + begin);
    std::copy(from.values.data + begin, from.values.data + end, pairs.values.data + begin);
  });
}

}  // namespace

void sort_by_key(const Queue& queue, Span<std::uint64_t> keys, Span<int> values, SortScratch& scratch, int key_bits) {
  if (keys.size != values.size) fail("sort_by_key: there must be as many values as keys");
  if (keys.size > std::numeric_limits<int>::max()) {
    fail("sort_by_key: ", keys.size, " keys are more than 2^31 - 1; sort them in parts");
  }
  if (key_bits < 1 || key_bits > 64) fail("sort_by_key: key_bits must be from 1 to 64");
  if (keys.size < 2) return;
  grow(scratch.keys, keys.size, queue.device());
  grow(scratch.values, keys.size, queue.device());
  if (!queue.device().is_cpu()) return cuda::sort_by_key(queue, keys, values, scratch, key_bits);
  sort_on_cpu(queue, {keys, values}, scratch);
}

}  // namespace carom
