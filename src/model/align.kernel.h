// The two sides of a state, joint coordinates and body poses, in line with each other. What was written is what differs
// from the rows as they were when both sides were last in line.
#pragma once

#include "model/fk.kernel.h"
#include "model/ik.kernel.h"

namespace carom::inline CAROM_PRECISION {

// A world of an archetype: all rows are read, and bodies and joints moved only when one of them, or the frame of a
// joint, has changed. Where bodies were written, one thread goes from joint to joint.
struct AlignWorlds {
  static constexpr int kCudaTeam = 8;

  EvalFk fk;
  EvalIk ik;
  bool always;           // moves bodies whatever has changed
  bool joints_alone;     // worlds where a body was written stay as they are
  int world_count;       // where the globals stand in `status`
  std::int32_t* status;  // per world, then of the globals: 0 or kStatusPoseNotKept; nullptr: not wanted

  template <class Team>
  CAROM_HD void operator()(Team team, int i) const {
    const int world = fk.worlds[i];
    const bool kept = align_world(team, world);
    if (status != nullptr)
      team.each(1, [&](int) { status[world < 0 ? world_count : world] = kept ? 0 : kStatusPoseNotKept; });
  }

  // False when a body is not where it was written to; the first thread knows.
  template <class Team>
  CAROM_HD bool align_world(Team team, int world) const {
    const bool joints = always || joints_changed(team, world), bodies = bodies_written(team, world);
    if (bodies ? joints_alone : !joints) return true;
    bool kept = true;
    if (bodies) {
      team.each(1, [&](int) {
        for (const TreeJoint& joint : fk.tree) kept = align_joint(world, joint) && kept;
      });
    } else {
      fk.place_all(team, world);
    }
    fk.keep_world(team, world);
    return kept;
  }

 private:
  template <class Team>
  CAROM_HD bool joints_changed(Team team, int world) const {
    const auto changed = [&](const JointRows& rows) CAROM_HD_LAMBDA {
      return fk.aligned.joints_written(team, rows) || fk.aligned.frames_changed(team, rows);
    };
    if (!fk.global) return changed(fk.joint_rows(world));
    for (const TreeJoint& joint : fk.tree)
      if (changed(fk.joint_rows(world, joint))) return true;
    return false;
  }
  template <class Team>
  CAROM_HD bool bodies_written(Team team, int world) const {
    if (!fk.global) return fk.aligned.bodies_written(team, fk.first_body(world), fk.body_count);
    for (const TreeJoint& joint : fk.tree)
      if (fk.aligned.bodies_written(team, joint.child, 1)) return true;
    for (const int body : fk.loose_bodies)
      if (fk.aligned.bodies_written(team, body, 1)) return true;
    return false;
  }

  // Its parent is in its place: a joint follows its body as seen from there.
  CAROM_HD bool align_joint(int world, const TreeJoint& joint) const {
    const JointRows row = fk.joint_rows(world, joint);
    const int child = fk.first_body(world) + joint.child;
    const bool written = fk.aligned.bodies_written(Solo{}, child, 1);
    const Transform X = fk.body_q[child];
    const SpatialVector V = fk.body_qd[child];
    if (written && !fk.aligned.joints_written(Solo{}, row)) ik(row.joint);
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
