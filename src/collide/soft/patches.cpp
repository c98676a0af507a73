#include "collide/soft/patches.h"

#include <algorithm>

#include "backend/launch.h"
#include "collide/kernels.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// The ranks of each segment: the worlds, then the globals before and behind them.
std::vector<SegmentRuns::Pieces> pieces_of_particles(const Model& model, const ActiveWorlds& active) {
  const std::vector<int>& start = model.layout->start[static_cast<int>(Entity::kParticle)];
  const int front = start.front();
  std::vector<SegmentRuns::Pieces> pieces;
  for (int world = 0; world < model.world_count; ++world) {
    pieces.emplace_back();
    if (active.has(world)) pieces.back().push_back({start[world] - front, start[world + 1] - front});
  }
  pieces.push_back({{start[model.world_count] - front, model.particle_count}});
  return pieces;
}

}  // namespace

ParticlePatches::ParticlePatches(const Model& model, const ActiveWorlds& active)
    : segment_count_(model.world_count + 1), runs_(pieces_of_particles(model, active), model.device) {
  std::vector<int> patch_of_rank(model.particle_count, 0);  // of those without one nobody asks
  const Array<Run> runs = runs_.runs().on_cpu();
  for (int p = 0; p < count(); ++p)
    std::fill(patch_of_rank.begin() + runs[p].first, patch_of_rank.begin() + runs[p].end, p);
  patch_of_rank_ = Array<int>(std::span<const int>(patch_of_rank), model.device);
  box_ = Array<Box>(count(), model.device);
}

void ParticlePatches::update(const Queue& queue, const Particles& particles, std::int32_t* status) {
  launch(queue, count(), BoxOfPatches{particles, patches(), box_.data(), runs_.marks()});
  launch(queue, segment_count_, ReportParticles{runs_.sum_marks(queue), status});
}

}  // namespace carom::inline CAROM_PRECISION
