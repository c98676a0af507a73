// Particles among themselves: a grid of cells as wide as two particles reach, kept as a list of particles sorted by
// cell (S. Green, "Particle Simulation using CUDA", NVIDIA 2010). The key of a cell holds its segment, so a lookup sees
// one world; bits that do not fit are cut off, and what then shares a key is told apart by looking at the world and the
// distance themselves.
#pragma once

#include "backend/count.h"
#include "collide/broad/rows.kernel.h"
#include "collide/soft/particles.h"
#include "geometry/point/surface_point.h"

namespace carom::inline CAROM_PRECISION {

inline constexpr int kCellBits = 15;  // of each coordinate
inline constexpr int kSegmentBits = 64 - 3 * kCellBits;
inline constexpr std::uint64_t kCellMask = (std::uint64_t{1} << kCellBits) - 1;

// Largest of each run of 64 numbers; what is no number is passed over.
struct LargestOfRuns {
  static constexpr int kRun = 64;

  const Real* in;
  int count;
  Real* out;

  CAROM_HD void operator()(int run) const {
    const int first = run * kRun, end = count - first < kRun ? count : first + kRun;
    Real largest = 0;
    for (int i = first; i < end; ++i) largest = max(in[i], largest);
    out[run] = largest;
  }
};

struct CellSize {
  const Real* largest_radius;
  Real margin;

  // A little wider than the reach, which makes up for rounding in cell_along().
  CAROM_HD double width() const {
    const double reach = 2 * double(*largest_radius) + double(margin);
    return max(reach * (1 + 1e-6), 1e-30);
  }
};

// In double, so that in both precisions cells of particles within reach of each other differ by one at most. Particles
// beyond 2^30 cells share the outermost one.
CAROM_HD int cell_along(Real x, double width) {
  constexpr double kEnd = 1 << 30;
  const double u = clamp(double(x) / width, -kEnd, kEnd);
  const int towards_zero = static_cast<int>(u);
  return towards_zero - (towards_zero > u ? 1 : 0);
}

CAROM_HD std::uint64_t cell_key(int segment, int x, int y, int z) {
  const auto low = [](int i) CAROM_HD_LAMBDA { return static_cast<std::uint64_t>(i) & kCellMask; };
  return static_cast<std::uint64_t>(segment) << 3 * kCellBits | low(z) << 2 * kCellBits | low(y) << kCellBits | low(x);
}

struct KeysOfParticles {
  Particles particles;
  CellSize cell;
  std::uint64_t* key;
  int* particle;

  CAROM_HD void operator()(int rank) const {
    const int i = particles.at(rank);
    const double width = cell.width();
    const Vec3 p = particles.q[i];
    particle[rank] = i;
    const int segment = particles.segment_of(i);  // particles that are not active stay in it too
    key[rank] = particles.is_active(i)
                    ? cell_key(segment, cell_along(p.x, width), cell_along(p.y, width), cell_along(p.z, width))
                    : cell_key(segment, -1, -1, -1);
  }
};

// A pair belongs to its particle in a world or, when both are of one segment, to the first one.
struct PairsOfParticles {
  Particles particles;
  CellSize cell;
  const std::uint64_t* key;  // ascending
  const int* particle;       // of each key
  PairOutput out;            // owner, partner; a row ascends by partner

  CAROM_HD void operator()(int rank) const {
    if (out.start && !out.fits(rank)) return;
    const int i = particles.at(rank), own = particles.segment_of(i), globals = particles.world_count;
    Index2* const row = out.start ? out.pair + out.start[rank] : nullptr;
    int n = 0;
    const auto add = [&](int j) CAROM_HD_LAMBDA {
      if (row) row[n] = {i, j};
      ++n;
    };
    if (particles.is_active(i)) {
      visit_segment(i, own, add);
      if (own != globals && particles.back - particles.front < particles.count) visit_segment(i, globals, add);
    }
    if (row) sort_row(row, n);
    else out.count[rank] = n;
  }

  // Partners of i in the 27 cells around it: nine rows of three cells, whose keys follow each other except where the
  // cut-off coordinate starts again from zero.
  template <class Add>
  CAROM_HD void visit_segment(int i, int segment, const Add& add) const {
    const double width = cell.width();
    const Vec3 p = particles.q[i];
    const int x = cell_along(p.x, width), y = cell_along(p.y, width), z = cell_along(p.z, width);
    const bool wraps = (static_cast<std::uint64_t>(x - 1) & kCellMask) + 2 > kCellMask;
    for (int line = 0; line < 9; ++line) {
      const int ly = y + line % 3 - 1, lz = z + line / 3 - 1;
      for (int lx = x - 1; lx <= x + 1; lx += wraps ? 1 : 3) {
        const int last = wraps ? lx : lx + 2;
        visit_keys(i, segment, cell_key(segment, lx, ly, lz), cell_key(segment, last, ly, lz), add);
      }
    }
  }

  template <class Add>
  CAROM_HD void visit_keys(int i, int segment, std::uint64_t first, std::uint64_t last, const Add& add) const {
    // Sorted by cell, the particles of a segment are where its ranks are, unless some segments share their cells.
    const bool shared = particles.world_count >> kSegmentBits != 0;
    const int end = shared ? particles.count : particles.first_rank(segment + 1);
    int low = shared ? 0 : particles.first_rank(segment), high = end;
    while (low < high) {
      const int middle = low + (high - low) / 2;
      if (key[middle] < first) low = middle + 1;
      else high = middle;
    }
    for (; low < end && key[low] <= last; ++low)
      if (is_partner(i, segment, particle[low])) add(particle[low]);
  }

  CAROM_HD bool is_partner(int i, int segment, int j) const {
    if (particles.segment_of(j) != segment || !particles.is_active(j)) return false;
    if (particles.segment_of(i) == segment && j <= i) return false;
    if (!test_world_and_group_pair(particles.world[i], particles.world[j], particles.group[i], particles.group[j]))
      return false;
    const Real reach = particles.radius[i] + particles.radius[j] + cell.margin;
    return length_squared(particles.q[j] - particles.q[i]) < reach * reach;
  }

  // Shell's sort: short rows, and rows that are sorted but for a few places, are done in one pass.
  CAROM_HD static void sort_row(Index2* row, int n) {
    int gap = 1;
    while (gap < n / 9) gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3) {
      for (int k = gap; k < n; ++k) {
        const Index2 moved = row[k];
        int at = k;
        for (; at >= gap && row[at - gap][1] > moved[1]; at -= gap) row[at] = row[at - gap];
        row[at] = moved;
      }
    }
  }
};

// Rows are in order but for pairs with global particles before the worlds, which belong to the front of their world:
// a stable sort by these keys moves them there, and to the end what is room without a pair.
struct KeysOfParticlePairs {
  Particles particles;
  const Index2* pair;
  Count pairs;
  std::uint64_t* key;
  int* index;

  CAROM_HD void operator()(int k) const {
    index[k] = k;
    if (k >= pairs.size()) {
      key[k] = ~std::uint64_t{0};
      return;
    }
    const int i = pair[k][0], j = pair[k][1], first = i < j ? i : j;  // i is the owner
    const int front = first < particles.front ? first : particles.front;
    key[k] = static_cast<std::uint64_t>(particles.segment_of(i)) << 32 | static_cast<std::uint64_t>(front);
  }
};

struct FillParticleContacts {
  Particles particles;
  const Index2* pair;
  const int* index;  // which pair each contact is; nullptr: they are in order
  int *particle0, *particle1;
  Vec3 *normal, *force;
  Real* depth;

  CAROM_HD void operator()(int c) const {
    const Index2 both = pair[index ? index[c] : c];
    const int a = both[0] < both[1] ? both[0] : both[1], b = both[0] ^ both[1] ^ a;
    const Vec3 ab = particles.q[b] - particles.q[a];
    particle0[c] = a;
    particle1[c] = b;
    normal[c] = unit_or(ab, {0, 0, 1});
    depth[c] = particles.radius[a] + particles.radius[b] - length(ab);
    force[c] = {};  // until a solver ran
  }
};

}  // namespace carom::inline CAROM_PRECISION
