// The Hilbert curve through a cube of cells: cells that follow one another along it are neighbours, so that any run of
// boxes sorted along it lies in a compact region. A Morton curve is cheaper to compute but jumps; boxes around its runs
// overlap twice as many others. After C. Hamilton, "Compact Hilbert Indices", Dalhousie University CS-2006-07: on each
// scale an octant is visited in the order of a Gray code that is turned and mirrored by the state (entry e, direction
// d). The steps of two scales are taken at once, from a table.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace carom {

class HilbertCurve {
 public:
  static constexpr int kBits = 10;  // a coordinate's; even, since the table takes two at a time

  // Place along the curve of a cell with coordinates below 2^kBits; below 2^(3 kBits).
  static std::uint32_t place(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    const std::uint32_t octants = spread(x) | spread(y) << 1 | spread(z) << 2;  // three bits for each scale
    std::uint32_t place = 0, state = 0;
    for (int shift = 3 * kBits - 6; shift >= 0; shift -= 6) {
      const std::uint32_t step = kSteps[state * 64 + (octants >> shift & 63)];
      place = place << 6 | (step & 63);
      state = step >> 6;
    }
    return place;
  }

 private:
  static constexpr int kStates = 24;  // 3 e + d

  // Bit k moves to bit 3 k.
  static constexpr std::uint32_t spread(std::uint32_t v) {
    v = v * 0x00010001u & 0xff0000ffu;
    v = v * 0x00000101u & 0x0f00f00fu;
    v = v * 0x00000011u & 0xc30c30c3u;
    return v * 0x00000005u & 0x49249249u;
  }
  static constexpr int turn_left(int octant, int k) { return (octant << k % 3 | octant >> (3 - k % 3)) & 7; }
  static constexpr int gray(int i) { return i ^ i >> 1; }

  // One scale: state and octant to next state << 3 | place.
  static constexpr int step(int state, int octant) {
    const int entry = state / 3, direction = state % 3;
    const int turned = turn_left(octant ^ entry, 2 - direction);  // to the right by d + 1
    const int place = turned ^ turned >> 1 ^ turned >> 2;         // inverse of gray()
    const int entry_inside = place == 0 ? 0 : gray((place - 1) / 2 * 2);
    const int direction_inside = place == 0 ? 0 : std::countr_one(unsigned(place - 1 + place % 2)) % 3;
    const int next_entry = entry ^ turn_left(entry_inside, direction + 1);
    return (3 * next_entry + (direction + direction_inside + 1) % 3) << 3 | place;
  }

  // Two scales: state and two octants to next state << 6 | two places.
  static constexpr std::array<std::uint16_t, kStates * 64> steps() {
    std::array<std::uint16_t, kStates * 64> table{};
    for (int i = 0; i < kStates * 64; ++i) {
      const int coarse = step(i / 64, i / 8 % 8), fine = step(coarse >> 3, i % 8);
      table[i] = std::uint16_t((fine >> 3) << 6 | (coarse & 7) << 3 | (fine & 7));
    }
    return table;
  }
  static const std::array<std::uint16_t, kStates * 64> kSteps;
};

inline constexpr std::array<std::uint16_t, HilbertCurve::kStates* 64> HilbertCurve::kSteps = HilbertCurve::steps();

}  // namespace carom
