#include "collide/soft/patches.h"

#include <algorithm>

#include "backend/launch.h"
#include "collide/kernels.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// How many particles each segment has: the worlds, then the globals before and behind them.
std::vector<int> segment_sizes(const Model& model) {
  const std::vector<int>& start = model.layout->start[static_cast<int>(Entity::kParticle)];
  std::vector<int> sizes;
  for (int world = 0; world < model.world_count; ++world) sizes.push_back(start[world + 1] - start[world]);
  sizes.push_back(model.particle_count - (start[model.world_count] - start.front()));
  return sizes;
}

}  // namespace

ParticlePatches::ParticlePatches(const Model& model) : segment_count_(model.world_count + 1) {
  std::vector<Patch> patch;
  std::vector<int> segment_start, patch_of_rank;
  int first = 0;
  for (const int size : segment_sizes(model)) {
    const int segment = static_cast<int>(segment_start.size()), end = first + size;
    segment_start.push_back(static_cast<int>(patch.size()));
    for (; first < end; first = patch.back().end) {
      patch.push_back({first, std::min(first + kPatchSize, end), segment});
      patch_of_rank.insert(patch_of_rank.end(), patch.back().end - first, static_cast<int>(patch.size()) - 1);
    }
  }
  segment_start.push_back(static_cast<int>(patch.size()));
  patch_ = Array<Patch>(std::span<const Patch>(patch), model.device);
  segment_patch_start_ = Array<int>(std::span<const int>(segment_start), model.device);
  patch_of_rank_ = Array<int>(std::span<const int>(patch_of_rank), model.device);
  box_ = Array<Box>(count(), model.device);
  finite_ = Array<int>(count(), model.device);
}

void ParticlePatches::update(const Queue& queue, const Particles& particles, std::int32_t* status) {
  launch(queue, count(), BoxOfPatches{particles, patch_.data(), box_.data(), finite_.data()});
  launch(queue, segment_count_, FindNotFiniteParticles{segment_patch_start_.data(), finite_.data(), status});
}

}  // namespace carom::inline CAROM_PRECISION
