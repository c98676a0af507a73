// The part of a model that a file of one world is written from.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/fail.h"
#include "carom/model.h"

namespace carom::inline CAROM_PRECISION {

// world -1: the only one. `who` and `format` stand in errors.
inline int chosen_world(const Model& m, int world, const char* who, const char* format) {
  if (world >= m.world_count && !(world == 0 && m.world_count == 0))
    fail(who, ": world ", world, " does not exist: there are ", m.world_count);
  if (world < 0 && m.world_count > 1)
    fail(who, ": the model has ", m.world_count, " worlds, ", format, " has one; say which: world=0");
  return std::max(world, 0);
}

// Those of one world, and the global ones at either side of it.
inline std::vector<int> rows_of_world(const Model& m, Entity entity, int world) {
  const std::vector<int>& start = m.layout->start[static_cast<std::size_t>(entity)];
  std::vector<int> rows;
  const auto add = [&](int first, int end) {
    for (int i = first; i < end; ++i) rows.push_back(i);
  };
  if (m.world_count == 0) {
    add(0, start.back());
    return rows;
  }
  const auto w = static_cast<std::size_t>(world);
  add(0, start.front());
  add(start[w], start[w + 1]);
  add(start[static_cast<std::size_t>(m.world_count)], start.back());
  return rows;
}

inline Model on_the_cpu(Model m) {
  visit_columns([&](const ColumnInfo&, const auto& get) { get(m) = get(m).on_cpu(); });
  for (Array<int>* starts : {&m.body_joint, &m.joint_q_start, &m.joint_qd_start, &m.actuator_ctrl_start})
    *starts = starts->on_cpu();
  m.gravity = m.gravity.on_cpu();
  m.shape_collision_filter_pairs = m.shape_collision_filter_pairs.on_cpu();
  return m;
}

// The key of a joint of several axes is made of theirs, joined by '+': one for each axis, or the key alone.
inline std::vector<std::string> axis_names(const std::string& key, int count) {
  std::vector<std::string> parts(1);
  for (const char c : key) {
    if (c == '+') parts.emplace_back();
    else parts.back() += c;
  }
  const bool named = std::find(parts.begin(), parts.end(), "") == parts.end();
  return named && static_cast<int>(parts.size()) == count ? parts : std::vector<std::string>{key};
}

}  // namespace carom::inline CAROM_PRECISION
