// The two sides of a state, and as they were when they were last in line: telling them apart, and keeping them anew.
#pragma once

#include "backend/team.h"
#include "carom/model.h"

namespace carom::inline CAROM_PRECISION {

namespace rows {

// By their bits. Threads of a team take one word after the other, as memory is read best; the CPU has faster ways than
// a loop.
template <class T, class Team>
CAROM_HD bool differ(Team team, const T* a, const T* b, int count) {
#if defined(__CUDA_ARCH__)
  const auto* const x = reinterpret_cast<const std::uint32_t*>(a);
  const auto* const y = reinterpret_cast<const std::uint32_t*>(b);
  bool found = false;
  for (int i = team.rank(); i < count * static_cast<int>(sizeof(T) / sizeof(std::uint32_t)); i += team.size())
    found = found || x[i] != y[i];
  return team.any(found);
#else
  return team.any(count > 0 && __builtin_memcmp(a, b, count * sizeof(T)) != 0);
#endif
}

template <class T, class Team>
CAROM_HD void copy(Team team, T* to, const T* from, int count) {
#if defined(__CUDA_ARCH__)
  auto* const x = reinterpret_cast<std::uint32_t*>(to);
  const auto* const y = reinterpret_cast<const std::uint32_t*>(from);
  team.each(count * static_cast<int>(sizeof(T) / sizeof(std::uint32_t)), [&](int i) { x[i] = y[i]; });
#else
  team.each(1, [&](int) {
    if (count > 0) __builtin_memcpy(to, from, count * sizeof(T));
  });
#endif
}

}  // namespace rows

// A piece of the rows: joints that follow each other, with their coordinates and degrees of freedom.
struct JointRows {
  int joint, joints, coord, coords, dof, dofs;
};

struct AlignedRows {
  // Now.
  const Real* joint_q;
  const Real* joint_qd;
  const Transform* body_q;
  const SpatialVector* body_qd;
  const std::uint64_t* joint_frames;
  // Then.
  Real* aligned_q;
  Real* aligned_qd;
  Transform* aligned_X;
  SpatialVector* aligned_V;
  std::uint64_t* aligned_frames;

  template <class Team>
  CAROM_HD bool joints_written(Team team, const JointRows& r) const {
    return rows::differ(team, joint_q + r.coord, aligned_q + r.coord, r.coords) ||
           rows::differ(team, joint_qd + r.dof, aligned_qd + r.dof, r.dofs);
  }
  template <class Team>
  CAROM_HD bool frames_changed(Team team, const JointRows& r) const {
    return rows::differ(team, joint_frames + r.joint, aligned_frames + r.joint, r.joints);
  }
  template <class Team>
  CAROM_HD bool bodies_written(Team team, int body, int count) const {
    return rows::differ(team, body_q + body, aligned_X + body, count) ||
           rows::differ(team, body_qd + body, aligned_V + body, count);
  }
  template <class Team>
  CAROM_HD void keep_joints(Team team, const JointRows& r) const {
    rows::copy(team, aligned_q + r.coord, joint_q + r.coord, r.coords);
    rows::copy(team, aligned_qd + r.dof, joint_qd + r.dof, r.dofs);
    rows::copy(team, aligned_frames + r.joint, joint_frames + r.joint, r.joints);
  }
  template <class Team>
  CAROM_HD void keep_bodies(Team team, int body, int count) const {
    rows::copy(team, aligned_X + body, body_q + body, count);
    rows::copy(team, aligned_V + body, body_qd + body, count);
  }
};

}  // namespace carom::inline CAROM_PRECISION
