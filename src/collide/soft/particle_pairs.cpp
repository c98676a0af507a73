#include "collide/soft/particle_pairs.h"

#include "collide/kernels.h"

namespace carom::inline CAROM_PRECISION {

Count ParticlePairs::find(const Queue& queue, const Particles& particles, Real margin, PairRoom& room) {
  const int count = particles.count;
  const CellSize cell{largest_radius(queue, particles), margin};
  grow(key_, count, queue.device());
  grow(particle_, count, queue.device());
  launch(queue, count, KeysOfParticles{particles, cell, key_.data(), particle_.data()});
  sort_by_key(queue, {key_.data(), count}, {particle_.data(), count}, sort_);
  const Count pairs = rows_.find(queue, count, PairsOfParticles{particles, cell, key_.data(), particle_.data(), {}});

  const int* const index = sort_pairs(queue, particles, pairs);
  const PairOutput rows = rows_.view(pairs);
  room.reserve(pairs.room, particles.world_count + 1, queue.device());
  launch(queue, pairs,
         FillParticleContacts{particles, rows.pair, index, room.first.data(), room.second.data(), room.normal.data(),
                              room.force.data(), room.depth.data()});
  launch(queue, particles.world_count + 2,
         StartOfSoftContacts{particles, rows.start, rows.room, nullptr, pairs, room.segment_start.data(),
                             room.count.data()});
  return pairs;
}

// By runs of runs, on the device: radii may have changed since the last call.
const Real* ParticlePairs::largest_radius(const Queue& queue, const Particles& particles) {
  grow(largest_, particles.count / (LargestOfRuns::kRun - 1) + 8, queue.device());  // a geometric series, rounded up
  const Real* in = particles.radius.data;
  Real* out = largest_.data();
  for (int n = particles.count;;) {
    const int runs = (n + LargestOfRuns::kRun - 1) / LargestOfRuns::kRun;
    launch(queue, runs, LargestOfRuns{in, n, out});
    if (runs == 1) return out;
    in = out;
    out += runs;
    n = runs;
  }
}

// nullptr: the pairs are in order, as they are unless there are global particles before the worlds.
const int* ParticlePairs::sort_pairs(const Queue& queue, const Particles& particles, Count pairs) {
  if (particles.front == 0) return nullptr;
  grow(pair_key_, pairs.room, queue.device());
  grow(pair_index_, pairs.room, queue.device());
  launch(queue, pairs.room,
         KeysOfParticlePairs{particles, rows_.view(pairs).pair, pairs, pair_key_.data(), pair_index_.data()});
  sort_by_key(queue, {pair_key_.data(), pairs.room}, {pair_index_.data(), pairs.room}, sort_);
  return pair_index_.data();
}

}  // namespace carom::inline CAROM_PRECISION
