// The two sides of a state, joint coordinates and body poses, in line with each other. What was written is what differs
// from the rows as they were when both sides were last in line.
#pragma once

#include "model/fk.kernel.h"
#include "model/ik.kernel.h"

namespace carom::inline CAROM_PRECISION {

// One thread does a world of an archetype: it reads all rows, and moves bodies and joints only when one of them, or the
// frame of a joint, has changed.
struct AlignWorlds {
  EvalFk fk;
  EvalIk ik;
  bool always;           // moves bodies whatever has changed
  bool joints_alone;     // worlds where a body was written stay as they are
  int world_count;       // where the globals stand in `status`
  std::int32_t* status;  // per world, then of the globals: 0 or kStatusPoseNotKept; nullptr: not wanted

  CAROM_HD void operator()(int i) const {
    const int world = fk.worlds[i];
    const bool kept = align_world(world);
    if (status != nullptr) status[world < 0 ? world_count : world] = kept ? 0 : kStatusPoseNotKept;
  }

  // False when a body is not where it was written to.
  CAROM_HD bool align_world(int world) const {
    const bool joints = always || joints_changed(world);
    if (!joints && joints_alone) return true;
    const bool bodies = (!joints || joints_alone) && bodies_written(world);
    if (joints_alone ? bodies : !joints && !bodies) return true;
    bool kept = true;
    for (const TreeJoint& joint : fk.tree) kept = align_joint(world, joint) && kept;
    fk.keep_world(world);
    return kept;
  }

 private:
  CAROM_HD bool joints_changed(int world) const {
    const auto changed = [&](const JointRows& rows) CAROM_HD_LAMBDA {
      return fk.aligned.joints_written(rows) || fk.aligned.frames_changed(rows);
    };
    if (!fk.global) return changed(fk.joint_rows(world));
    for (const TreeJoint& joint : fk.tree)
      if (changed(fk.joint_rows(world, joint))) return true;
    return false;
  }
  CAROM_HD bool bodies_written(int world) const {
    if (!fk.global) return fk.aligned.bodies_written(fk.first_body(world), fk.body_count);
    for (const TreeJoint& joint : fk.tree)
      if (fk.aligned.bodies_written(joint.child, 1)) return true;
    for (const int body : fk.loose_bodies)
      if (fk.aligned.bodies_written(body, 1)) return true;
    return false;
  }

  // Its parent is in its place: a joint follows its body as seen from there.
  CAROM_HD bool align_joint(int world, const TreeJoint& joint) const {
    const JointRows row = fk.joint_rows(world, joint);
    const int child = fk.first_body(world) + joint.child;
    const bool written = fk.aligned.bodies_written(child, 1);
    const Transform X = fk.body_q[child];
    const SpatialVector V = fk.body_qd[child];
    if (written && !fk.aligned.joints_written(row)) ik(row.joint);
    fk.place_one(world, joint);
    if (!written || !is_finite(X) || !is_finite(V.linear) || !is_finite(V.angular)) return true;  // others report that
    if (!is_near(X, fk.body_q[child]) || !is_near(V, fk.body_qd[child])) return false;
    fk.body_q[child] = X;  // as it was written, to the last bit
    fk.body_qd[child] = V;
    return true;
  }

  // To rounding, and as near as nobody would call another pose.
  static constexpr Real kNear = Real(1e-4);
  CAROM_HD static bool is_near(Vec3 a, Vec3 b) { return length(a - b) <= kNear * (1 + length(a)); }
  CAROM_HD static bool is_near(const SpatialVector& a, const SpatialVector& b) {
    return is_near(a.linear, b.linear) && is_near(a.angular, b.angular);
  }
  CAROM_HD static bool is_near(const Transform& a, const Transform& b) {
    const Vec3 turn = vector_part(conjugate(normalize(a.q)) * b.q);  // sine of half the angle between them
    return is_near(a.p, b.p) && length(turn) <= kNear;
  }
};

// Status bits of align among those of a collision or of impulses.
struct AddStatus {
  const std::int32_t* from;
  std::int32_t* to;

  CAROM_HD void operator()(int world) const { to[world] |= from[world]; }
};

}  // namespace carom::inline CAROM_PRECISION
