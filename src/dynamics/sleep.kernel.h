// Sleep. A tree that is slow for ten steps falls asleep, together with all that it touches by then: it is not stepped,
// and makes no rows, until something wakes it: forces, velocities and coordinates that the user writes, or contacts
// with what is awake. With the velocities v that the step began with, and lengths l of what turns, slow is
//
//   max_i l_i |v_i| < sleep_tolerance,   l_i = 1 of slides
//
// Parts (dynamics/parts.h) sleep as a whole. Trees that sleep together follow each other in a circle, so that whoever
// wakes one finds the others.
#pragma once

#include "carom/state.h"
#include "dynamics/touches.kernel.h"
#include "model/joints/joints.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct SleepTree {
  int part, root;           // root: its body
  int first_joint, joints;  // in SleepView::joint
  int first_body, bodies;   // in SleepView::body
  int may_sleep;
  int is_given;  // moved by the user alone
};
// One with degrees of freedom; rows of the model.
struct SleepJoint {
  int coord, coords, dof, linear, angular;
  int turns, at_com;  // turns_at_once(), velocity_at_com()
  Quat axes;          // of the joint in its body
  Vec3 com;           // of the body, in the joint's frame
  Real length;        // of what turns [m]
};

// What a step does with a body.
enum class SleepPhase : std::int8_t { kAwake, kFallsAsleep, kAsleep };

struct SleepView {
  Span<const int> tree_start, part_start;  // of each world
  const SleepTree* tree;
  const SleepJoint* joint;
  const int* body;
  const int* tree_of_body;  // -1: it does not move
  const int* first_body;    // of each world
  int* value;               // of each tree, as State::body_asleep; of one that sleeps: the next tree
  int* scratch;             // likewise
  int* part_asleep;         // of each part: whether it is left out
  int* world_asleep;        // of each world: whether all of it is
  const int* left_out;      // of each world: whether it takes no part, and stays as it is; nullptr: all do

  CAROM_HD bool is_left_out(int world) const { return left_out && left_out[world]; }
  CAROM_HD bool is_asleep(int t) const { return value[t] >= 0; }
  // Once it is known who falls asleep: with the step, which leaves it where it was, as what slept before.
  CAROM_HD SleepPhase phase(int body) const {
    const int t = tree_of_body[body];
    if (t < 0 || !is_asleep(t)) return SleepPhase::kAwake;
    return part_asleep[tree[t].part] ? SleepPhase::kAsleep : SleepPhase::kFallsAsleep;
  }
};

// What a step begins with.
struct SleepInput {
  const std::int32_t* body_asleep;
  const Real *joint_q, *joint_qd, *asleep_q, *joint_f;
  const SpatialVector* body_f;

  CAROM_HD bool is_pushed(const SleepView& s, const SleepTree& tree) const {
    bool pushed = false;
    for (int j = tree.first_joint; j < tree.first_joint + tree.joints; ++j)
      for (int i = 0; i < s.joint[j].linear + s.joint[j].angular; ++i)
        pushed = pushed || joint_f[s.joint[j].dof + i] != 0;
    for (int b = tree.first_body; b < tree.first_body + tree.bodies; ++b) {
      const SpatialVector& f = body_f[s.body[b]];
      for (int i = 0; i < 3; ++i) pushed = pushed || f.linear[i] != 0 || f.angular[i] != 0;
    }
    return pushed;
  }
  // Since it fell asleep.
  CAROM_HD bool is_moved(const SleepView& s, const SleepTree& tree) const {
    bool moved = false;
    for (int j = tree.first_joint; j < tree.first_joint + tree.joints; ++j) {
      const SleepJoint& joint = s.joint[j];
      for (int i = 0; i < joint.linear + joint.angular; ++i) moved = moved || joint_qd[joint.dof + i] != 0;
      for (int i = joint.coord; i < joint.coord + joint.coords; ++i) moved = moved || joint_q[i] != asleep_q[i];
    }
    return moved;
  }
};

// Before a step, of each world: who sleeps, and goes on sleeping.
struct WakeTrees {
  static constexpr int kItemsTogether = 1;

  SleepView s;
  SleepInput in;
  Touches touches;
  std::int32_t* body_asleep = nullptr;  // of the state, to say who woke

  CAROM_HD void operator()(int world) const {
    if (s.is_left_out(world)) return leave_out(world);
    const int begin = s.tree_start[world], end = s.tree_start[world + 1];
    for (int t = begin; t < end; ++t) s.value[t] = value_of(world, t);
    for (int t = begin; t < end; ++t) {
      const SleepTree& tree = s.tree[t];
      if (s.is_asleep(t) && (!tree.may_sleep || in.is_pushed(s, tree) || in.is_moved(s, tree))) wake(t, kFullyAwake);
    }
    wake_circles(world);
    if (wake_touched(world)) wake_circles(world);
    if (body_asleep) write(world);
    int awake = 0;
    for (int p = s.part_start[world]; p < s.part_start[world + 1]; ++p) awake += !s.part_asleep[p];
    s.world_asleep[world] = awake == 0;
  }

 private:
  CAROM_HD void leave_out(int world) const {
    for (int p = s.part_start[world]; p < s.part_start[world + 1]; ++p) s.part_asleep[p] = 1;
    s.world_asleep[world] = 1;
  }

  // Of the state, which anybody may have written.
  CAROM_HD int value_of(int world, int t) const {
    const SleepTree& tree = s.tree[t];
    int value = in.body_asleep[tree.root];
    for (int b = tree.first_body; b < tree.first_body + tree.bodies; ++b) {
      const int other = in.body_asleep[s.body[b]];
      value = other < value ? other : value;
    }
    if (value < 0) return value < kFullyAwake ? kFullyAwake : value;
    const int next =
        value < s.first_body[world + 1] - s.first_body[world] ? s.tree_of_body[s.first_body[world] + value] : -1;
    return next < 0 ? kFullyAwake : next;
  }

  CAROM_HD void write(int world) const {
    for (int t = s.tree_start[world]; t < s.tree_start[world + 1]; ++t)
      for (int b = s.tree[t].first_body; b < s.tree[t].first_body + s.tree[t].bodies && !s.is_asleep(t); ++b)
        body_asleep[s.body[b]] = s.value[t];
  }

  // It and those that sleep with it.
  CAROM_HD void wake(int t, int value) const {
    while (s.is_asleep(t)) {
      const int next = s.value[t];
      s.value[t] = value;
      t = next;
    }
  }

  // A circle that is not whole, or a part of which a tree is awake, wakes.
  CAROM_HD void wake_circles(int world) const {
    const int begin = s.tree_start[world], end = s.tree_start[world + 1];
    bool woke = true;
    while (woke) {
      woke = false;
      for (int p = s.part_start[world]; p < s.part_start[world + 1]; ++p) s.part_asleep[p] = 0;
      for (int t = begin; t < end; ++t) s.part_asleep[s.tree[t].part] = 1;
      for (int t = begin; t < end; ++t)
        if (!s.is_asleep(t)) s.part_asleep[s.tree[t].part] = 0;
      for (int t = begin; t < end; ++t) {
        if (!s.is_asleep(t) || (s.is_asleep(s.value[t]) && s.part_asleep[s.tree[t].part])) continue;
        wake(t, kFullyAwake);
        woke = true;
      }
    }
  }

  // By contacts with what is awake: they become as tired as that is.
  CAROM_HD bool wake_touched(int world) const {
    const int begin = s.tree_start[world], end = s.tree_start[world + 1];
    int* const slept = s.scratch;
    bool any = false, woke = false;
    for (int t = begin; t < end; ++t) {
      slept[t] = s.is_asleep(t);
      any = any || slept[t];
    }
    if (!any) return false;
    for (int c = touches.begin(world); c < touches.end(world); ++c) {
      const int a = tree_of(touches.body(c, 0), begin, end), b = tree_of(touches.body(c, 1), begin, end);
      if (a < 0 || b < 0 || slept[a] == slept[b]) continue;
      const int sleeper = slept[a] ? a : b, other = slept[a] ? b : a;
      const int value = s.tree[other].is_given ? kFullyAwake : s.value[other];
      if (s.is_asleep(sleeper)) {
        wake(sleeper, value);
        woke = true;
      } else if (value < s.value[sleeper]) {
        s.value[sleeper] = value;
      }
    }
    return woke;
  }
  CAROM_HD int tree_of(int body, int begin, int end) const {
    const int t = body < 0 ? -1 : s.tree_of_body[body];
    return t >= begin && t < end ? t : -1;
  }
};

// Over all worlds: the islands of what lies so near that its contact is listed. Who touches a sleeper wakes it, pushing
// or not, so these sleep together or not at all.
struct JoinTouching {
  static constexpr int kItemsTogether = 1;

  SleepView s;
  Touches touches;
  int* root;  // of each part

  CAROM_HD void operator()(int world) const {
    if (s.is_left_out(world)) return;
    const int begin = s.part_start[world], end = s.part_start[world + 1];
    for (int p = begin; p < end; ++p) root[p] = p;
    for (int c = touches.begin(world); c < touches.end(world); ++c) {
      const int p = part_of(touches.body(c, 0), begin, end), q = part_of(touches.body(c, 1), begin, end);
      if (p >= 0 && q >= 0) join_islands(root, p, q);
    }
    for (int p = begin; p < end; ++p) root[p] = root[root[p]];  // what stands above it comes before it
  }

 private:
  // Contacts that somebody wrote down for another world are nobody's.
  CAROM_HD int part_of(int body, int begin, int end) const {
    const int t = body < 0 ? -1 : s.tree_of_body[body], p = t < 0 ? -1 : s.tree[t].part;
    return p >= begin && p < end ? p : -1;
  }
};

// Before a step, of each world, once everybody is awake who has to be: who falls asleep with it.
struct ChooseSleepers {
  static constexpr int kItemsTogether = 1;

  SleepView s;
  SleepInput in;
  Real tolerance;
  const int* root;       // of the island of each part
  int *is_ready, *last;  // of each part, to work with

  CAROM_HD void operator()(int world) const {
    if (s.is_left_out(world)) return;
    for (int t = s.tree_start[world]; t < s.tree_start[world + 1]; ++t)
      if (!s.is_asleep(t)) s.value[t] = counted(t);
    close_circles(world);
  }

 private:
  CAROM_HD int counted(int t) const {
    const SleepTree& tree = s.tree[t];
    if (!tree.may_sleep || in.is_pushed(s, tree) || !is_slow(tree)) return kFullyAwake;
    return s.value[t] < -1 ? s.value[t] + 1 : -1;
  }
  CAROM_HD bool is_slow(const SleepTree& tree) const {
    Real most = 0;
    for (int j = tree.first_joint; j < tree.first_joint + tree.joints; ++j) {
      const Real speed = speed_of(s.joint[j]);
      most = speed > most ? speed : most;
    }
    return tolerance > 0 ? most < tolerance : most == 0;
  }
  // As MuJoCo has it: a free body's velocity is that of its origin, and what turns does so about the axes of its body.
  CAROM_HD Real speed_of(const SleepJoint& joint) const {
    const Real* const v = in.joint_qd + joint.dof;
    Real linear = 0, angular = 0;
    const auto largest = [](Real a, Real b) CAROM_HD_LAMBDA { return abs(b) > a ? abs(b) : a; };
    if (!joint.turns) {
      for (int i = 0; i < joint.linear; ++i) linear = largest(linear, v[i]);
      for (int i = 0; i < joint.angular; ++i) angular = largest(angular, v[joint.linear + i]);
    } else {
      const Real* const q = in.joint_q + joint.coord;
      const Vec3 omega{v[joint.linear], v[joint.linear + 1], v[joint.linear + 2]};
      const Vec3 own = rotate(joint.axes * conjugate(BallJoint::turn(q + joint.linear)), omega);
      Vec3 velocity{};
      for (int i = 0; i < joint.linear; ++i) velocity[i] = v[i];
      if (joint.at_com) velocity = velocity - cross(omega, FreeJoint::com_from_origin(q, joint.com));
      for (int i = 0; i < 3; ++i) linear = largest(linear, velocity[i]), angular = largest(angular, own[i]);
    }
    const Real turning = angular * joint.length;
    return linear > turning ? linear : turning;
  }

  // Islands all of whose trees are ready.
  CAROM_HD void close_circles(int world) const {
    const int begin = s.tree_start[world], end = s.tree_start[world + 1];
    int* const first = s.scratch;  // of the circle of a tree that ends one; -1: it ends none
    for (int p = s.part_start[world]; p < s.part_start[world + 1]; ++p) is_ready[p] = 1, last[p] = -1;
    for (int t = begin; t < end; ++t) {
      first[t] = -1;
      if (!s.tree[t].is_given && s.value[t] < -1) is_ready[root[s.tree[t].part]] = 0;
    }
    for (int t = begin; t < end; ++t) {
      const int island = root[s.tree[t].part];
      if (s.tree[t].is_given || s.is_asleep(t) || !is_ready[island]) continue;
      const int before = last[island];
      first[t] = before < 0 ? t : first[before];
      if (before >= 0) s.value[before] = t, first[before] = -1;
      last[island] = t;
    }
    for (int t = begin; t < end; ++t)
      if (first[t] >= 0) s.value[t] = first[t];
  }
};

// After the step, of each world: writes down who sleeps, and that it is at rest.
struct PutToSleep {
  static constexpr int kItemsTogether = 1;

  SleepView s;
  const std::int32_t* status;  // of each world
  const Real* rest_q;          // where they are
  std::int32_t* body_asleep;
  Real *joint_q, *joint_qd, *joint_qdd, *asleep_q;

  CAROM_HD void operator()(int world) const {
    if (s.is_left_out(world) || (status[world] & kStatusNotFinite)) return;  // the world stays as it was
    for (int t = s.tree_start[world]; t < s.tree_start[world + 1]; ++t) {
      const int value = s.is_asleep(t) ? s.tree[s.value[t]].root - s.first_body[world] : s.value[t];
      for (int b = s.tree[t].first_body; b < s.tree[t].first_body + s.tree[t].bodies; ++b)
        body_asleep[s.body[b]] = value;
      if (s.is_asleep(t)) rest(s.tree[t]);
    }
  }

 private:
  CAROM_HD void rest(const SleepTree& tree) const {
    for (int j = tree.first_joint; j < tree.first_joint + tree.joints; ++j) {
      const SleepJoint& joint = s.joint[j];
      for (int i = joint.coord; i < joint.coord + joint.coords; ++i) joint_q[i] = asleep_q[i] = rest_q[i];
      for (int i = joint.dof; i < joint.dof + joint.linear + joint.angular; ++i) joint_qd[i] = joint_qdd[i] = 0;
    }
  }
};

}  // namespace carom::inline CAROM_PRECISION
