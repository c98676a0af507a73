// What the kernel of particle_projection.h keeps of a world while it works on it, in one block of memory: its particles
// and the numbers of its elements and contacts, each in the order in which they are solved.
#pragma once

#include "backend/arena.h"
#include "carom/columns.h"
#include "solvers/xpbd/touch_colours.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Rows of one kind that belong to a world, or are global: those stand before the worlds and behind them.
struct SlotRows {
  int first, count;
  int front, gap;  // rows that stand before a gap, and how long it is

  CAROM_HD int at(int i) const { return first + i + (i < front ? 0 : gap); }
  CAROM_HD int of(int row) const { return row - first < front ? row - first : row - first - gap; }
};

struct SlotStarts {
  const int* world_start;
  int total, world_count;

  // Slots are the worlds, then what is global.
  CAROM_HD SlotRows rows(int slot) const {
    if (slot < world_count) {
      const int first = world_start[slot], count = world_start[slot + 1] - first;
      return {first, count, count, 0};
    }
    const int front = world_count > 0 ? world_start[0] : 0, gap = world_start[world_count] - front;
    return {0, total - gap, front, gap};
  }
};

// The elements of one kind in worlds of one structure.
struct ElementPlan {
  const int* element;       // which one each is, in the order of the colours
  const int* corner;        // columns of particles
  const int* colour_start;  // and the end
  int count, colours;
};

struct ParticleStructure {
  ElementPlan springs, triangles, edges, tetrahedra;
};

// A particle. What elements read of it and write to it stands together.
struct alignas(8 * sizeof(Real)) ParticleRow {
  Vec3 place;         // at the start of the sub-step [m]
  Real inverse_mass;  // [1/kg], 0: it stays or goes its own way
  Vec3 moved;         // since then [m]
  Real no_number;
};
struct alignas(8 * sizeof(Real)) SpeedRow {
  Vec3 velocity;  // at the start of the sub-step [m/s]
  Real no_number;
  Vec3 shift;  // of the place, which takes overlaps away [m]
  Real nor_this;
};
inline constexpr int kParticleRow = 8;

inline constexpr int kSpringRow = 4, kBendingRow = 4, kTriangleRow = 12, kTetrahedronRow = 14, kSoftContactRow = 24,
                     kParticlePairRow = 12;

// The contacts of one kind.
struct OrderedContacts {
  int begin, count;  // of the world
  ContactColours* colours;
  std::uint8_t* colour;
  int *contact, *particle;  // in the order of the colours; particles in one column or two
  Real* row;
};

struct ProjectedWorld {
  int particles, ghosts;  // ghosts: of global particles, one for each pair that may have one
  ParticleRow* motion;
  SpeedRow* speed;
  std::uint64_t* used;      // by colours of contacts
  bool cloth_resists, air;  // whether some triangle resists anything, and whether one feels the air
  Real *spring, *triangle, *edge, *tetrahedron;
  Real *spring_lambda, *triangle_lambda, *edge_lambda, *tetrahedron_lambda;
  OrderedContacts soft, pairs;

  CAROM_HD int rows() const { return particles + ghosts; }

  // particles, ghosts and the counts of contacts are known.
  CAROM_HD void take(Arena& arena, const ParticleStructure& s) {
    motion = arena.take<ParticleRow>(rows());
    speed = arena.take<SpeedRow>(rows());
    used = arena.take<std::uint64_t>(rows());
    const auto take_kind = [&](const ElementPlan& plan, int numbers, int lambdas, Real*& row, Real*& lambda) {
      row = arena.take<Real>(std::int64_t{plan.count} * numbers);
      lambda = arena.take<Real>(std::int64_t{plan.count} * lambdas);
    };
    take_kind(s.springs, kSpringRow, 1, spring, spring_lambda);
    take_kind(s.triangles, kTriangleRow, 2, triangle, triangle_lambda);
    take_kind(s.edges, kBendingRow, 1, edge, edge_lambda);
    take_kind(s.tetrahedra, kTetrahedronRow, 2, tetrahedron, tetrahedron_lambda);
    take_contacts(arena, soft, 1, kSoftContactRow);
    take_contacts(arena, pairs, 2, kParticlePairRow);
  }

  // Room of a contact or pair, with a ghost of its own.
  static constexpr std::int64_t kContactBytes = 256 * sizeof(Real) / 4;
  static_assert(kContactBytes >= (kSoftContactRow * sizeof(Real)) + 2 * sizeof(int) + 1);
  static_assert(kContactBytes >=
                kParticlePairRow * sizeof(Real) + 3 * sizeof(int) + 1 + sizeof(ParticleRow) + sizeof(SpeedRow) + 8);

 private:
  CAROM_HD static void take_contacts(Arena& arena, OrderedContacts& c, int sides, int numbers) {
    c.colours = arena.take<ContactColours>(1);
    c.row = arena.take<Real>(std::int64_t{c.count} * numbers);
    c.contact = arena.take<int>(c.count);
    c.particle = arena.take<int>(std::int64_t{c.count} * sides);
    c.colour = arena.take<std::uint8_t>(c.count);
  }
};

}  // namespace carom::inline CAROM_PRECISION
