// The two sides of a state, and as they were when they were last in line: telling them apart, and keeping them anew.
#pragma once

#include "carom/model.h"

namespace carom::inline CAROM_PRECISION {

namespace rows {

// By their bits. The CPU has faster ways than a loop.
template <class T>
CAROM_HD bool differ(const T* a, const T* b, int count) {
#if defined(__CUDA_ARCH__)
  const auto* const x = reinterpret_cast<const std::uint32_t*>(a);
  const auto* const y = reinterpret_cast<const std::uint32_t*>(b);
  for (int i = 0; i < count * static_cast<int>(sizeof(T) / sizeof(std::uint32_t)); ++i)
    if (x[i] != y[i]) return true;
  return false;
#else
  return count > 0 && __builtin_memcmp(a, b, count * sizeof(T)) != 0;
#endif
}

template <class T>
CAROM_HD void copy(T* to, const T* from, int count) {
#if defined(__CUDA_ARCH__)
  for (int i = 0; i < count; ++i) to[i] = from[i];
#else
  if (count > 0) __builtin_memcpy(to, from, count * sizeof(T));
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

  CAROM_HD bool joints_written(const JointRows& r) const {
    return rows::differ(joint_q + r.coord, aligned_q + r.coord, r.coords) ||
           rows::differ(joint_qd + r.dof, aligned_qd + r.dof, r.dofs);
  }
  CAROM_HD bool frames_changed(const JointRows& r) const {
    return rows::differ(joint_frames + r.joint, aligned_frames + r.joint, r.joints);
  }
  CAROM_HD bool bodies_written(int body, int count) const {
    return rows::differ(body_q + body, aligned_X + body, count) ||
           rows::differ(body_qd + body, aligned_V + body, count);
  }
  CAROM_HD void keep_joints(const JointRows& r) const {
    rows::copy(aligned_q + r.coord, joint_q + r.coord, r.coords);
    rows::copy(aligned_qd + r.dof, joint_qd + r.dof, r.dofs);
    rows::copy(aligned_frames + r.joint, joint_frames + r.joint, r.joints);
  }
  CAROM_HD void keep_bodies(int body, int count) const {
    rows::copy(aligned_X + body, body_q + body, count);
    rows::copy(aligned_V + body, body_qd + body, count);
  }
};

}  // namespace carom::inline CAROM_PRECISION
