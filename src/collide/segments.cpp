#include "collide/segments.h"

namespace carom::inline CAROM_PRECISION {

Segments::Segments(const Model& model, const PairFilter& filter_on_cpu) {
  const std::vector<int>& begin = model.layout->start[static_cast<int>(Entity::kShape)];
  std::vector<int> front, back;  // global shapes before and behind those of the worlds
  for (int s = 0; s < model.shape_count; ++s) {
    if (!filter_on_cpu.collides(s) || filter_on_cpu.shape_world[s] >= 0) continue;
    (s < begin.front() ? front : back).push_back(s);
  }
  std::vector<int> segment;
  const auto add = [&](int s) { shape.push_back(s), segment.push_back(static_cast<int>(start.size()) - 1); };
  for (int world = 0; world <= model.world_count; ++world) {
    start.push_back(static_cast<int>(shape.size()));
    for (const int s : front) add(s);
    if (world < model.world_count)
      for (int s = begin[world]; s < begin[world + 1]; ++s)
        if (filter_on_cpu.collides(s)) add(s);
    for (const int s : back) add(s);
  }
  start.push_back(static_cast<int>(shape.size()));
  start_ = Array<int>(std::span<const int>(start), model.device);
  shape_ = Array<int>(std::span<const int>(shape), model.device);
  segment_ = Array<int>(std::span<const int>(segment), model.device);
  view = {start_.const_view(), shape_.const_view(), segment_.const_view(), model.world_count};
}

}  // namespace carom::inline CAROM_PRECISION
