#include "collide/segments.h"

namespace carom::inline CAROM_PRECISION {

namespace {

std::vector<int> kinds_of_segments(const Model& model, const ActiveWorlds& active) {
  std::vector<int> archetype(model.world_count + 1, -1);
  int next = 0;
  for (const Archetype& a : model.archetypes) {
    if (a.world_list.front() < 0) continue;
    for (const int world : a.world_list) archetype[world] = next;
    ++next;
  }
  const int left_out = next++;
  for (int world = 0; world < model.world_count; ++world)
    if (!active.has(world)) archetype[world] = left_out;
  for (int& a : archetype)
    if (a < 0) a = next++;
  std::vector<int> number(next, -1), kinds;
  int kind_count = 0;
  for (const int a : archetype) {
    if (number[a] < 0) number[a] = kind_count++;
    kinds.push_back(number[a]);
  }
  return kinds;
}

}  // namespace

Segments::Segments(const Model& model, const PairFilter& filter_on_cpu, const ActiveWorlds& active)
    : kind(kinds_of_segments(model, active)) {
  const std::vector<int>& begin = model.layout->start[static_cast<int>(Entity::kShape)];
  std::vector<int> front, back;  // global shapes before and behind those of the worlds
  for (int s = 0; s < model.shape_count; ++s) {
    if (!filter_on_cpu.collides(s) || filter_on_cpu.shape_world[s] >= 0) continue;
    (s < begin.front() ? front : back).push_back(s);
  }
  for (int world = 0; world <= model.world_count; ++world) {
    start.push_back(static_cast<int>(shape.size()));
    if (world < model.world_count && !active.has(world)) continue;
    for (const int s : front) shape.push_back(s);
    if (world < model.world_count)
      for (int s = begin[world]; s < begin[world + 1]; ++s)
        if (filter_on_cpu.collides(s)) shape.push_back(s);
    for (const int s : back) shape.push_back(s);
  }
  start.push_back(static_cast<int>(shape.size()));
  upload(model);
}

void Segments::upload(const Model& model) {
  std::vector<int> segment;
  for (std::size_t s = 0; s + 1 < start.size(); ++s) segment.resize(start[s + 1], static_cast<int>(s));
  start_ = Array<int>(std::span<const int>(start), model.device);
  shape_ = Array<int>(std::span<const int>(shape), model.device);
  segment_ = Array<int>(std::span<const int>(segment), model.device);
  view = {start_.const_view(), shape_.const_view(), segment_.const_view(), model.world_count};
}

void Segments::drop_lonely(const Model& model, const PairFilter& filter, int most_members) {
  std::vector<std::vector<bool>> is_met;  // by kind and member
  const auto look_at = [&](int segment) {
    const int first = start[segment], members = start[segment + 1] - first;
    std::vector<bool>& met = is_met.emplace_back(members, members > most_members);
    for (int a = 0; a < members && members <= most_members; ++a)
      for (int b = a + 1; b < members; ++b)
        if (meet_in_segment(filter, segment, model.world_count, shape[first + a], shape[first + b]))
          met[a] = met[b] = true;
  };
  std::vector<int> left, left_start;
  for (int segment = 0; segment <= model.world_count; ++segment) {
    if (kind[segment] == static_cast<int>(is_met.size())) look_at(segment);
    left_start.push_back(static_cast<int>(left.size()));
    for (int m = start[segment]; m < start[segment + 1]; ++m)
      if (is_met[kind[segment]][m - start[segment]]) left.push_back(shape[m]);
  }
  left_start.push_back(static_cast<int>(left.size()));
  start = std::move(left_start);
  shape = std::move(left);
  upload(model);
}

}  // namespace carom::inline CAROM_PRECISION
