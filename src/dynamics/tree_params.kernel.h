// The numbers of the links and degrees of freedom of a part, from the columns of the model.
#pragma once

#include "dynamics/part_rows.h"
#include "dynamics/tree.h"

namespace carom::inline CAROM_PRECISION {

// Where the numbers come from; structure.
struct TreeOrigin {
  Span<const TreeJoint> joint;          // parents before children
  Span<const int> link_joint;           // the joint that moves each link
  Span<const int> body_link;            // -1 = does not move
  Span<const std::int8_t> fixed_coord;  // 0 or 1 whatever the model says; -1: the model's initial coordinate
};

struct TreeColumns {
  const Real* body_mass;
  const int* body_flags;
  const Vec3* body_com;
  const Mat33* body_inertia;
  const Transform *joint_X_p, *joint_X_c;
  const Vec3* joint_axis;
  const Real *joint_stiffness, *joint_spring_ref, *joint_damping, *joint_armature, *joint_effort_lower,
      *joint_effort_upper, *joint_q;
  const int* bodies;  // Parts::bodies
};

// Initial coordinate of a part, with free joints at the origin: the masses that are taken there do not depend on where
// a tree stands, and parts that were only placed apart share their numbers.
CAROM_HD Real initial_coord(const TreeOrigin& origin, const TreeColumns& c, const PartRows& part, int i) {
  const std::int8_t fixed = origin.fixed_coord[i];
  return fixed < 0 ? c.joint_q[part.begin(Entity::kJointCoord) + i] : Real(fixed);
}

CAROM_HD bool is_kinematic(const TreeColumns& c, int body) { return (c.body_flags[body] & kBodyKinematic) != 0; }

// Pose of every body in its link; of bodies that do not move in the world frame.
template <class Team>
CAROM_HD_STAGE void pose_in_links(Team team, const TreeOrigin& origin, const TreeColumns& c, const PartRows& part,
                                  Transform* X_LB) {
  const int first = part.begin(Entity::kJoint);
  team.each(static_cast<int>(origin.body_link.size), [&](int b) { X_LB[b] = Transform{}; });
  team.each(1, [&](int) {
    for (const TreeJoint& joint : origin.joint) {
      if (joint.linear + joint.angular > 0) continue;
      const Transform X_LP = joint.parent < 0 ? Transform{} : X_LB[joint.parent];
      X_LB[joint.child] = X_LP * c.joint_X_p[first + joint.joint] * inverse(c.joint_X_c[first + joint.joint]);
    }
  });
}

// Inertia of every link: of all bodies that are fixed to it.
template <class Team>
CAROM_HD_STAGE void sum_inertias(Team team, const TreeOrigin& origin, const TreeColumns& c, const PartRows& part,
                                 const Transform* X_LB, Inertia* sum) {
  team.each(static_cast<int>(origin.link_joint.size), [&](int l) { sum[l] = Inertia{}; });
  team.each(1, [&](int) {
    for (int b = 0; b < static_cast<int>(origin.body_link.size); ++b) {
      const int link = origin.body_link[b], row = part.body(b, c.bodies);
      if (link < 0) continue;
      const Inertia own{c.body_mass[row], c.body_com[row], c.body_inertia[row]};
      sum[link] = combine_inertia(sum[link], transform_inertia(X_LB[b], own));
    }
  });
}

// X_LB, inertia: as above.
template <class Team>
CAROM_HD_STAGE void write_links(Team team, const TreeOrigin& origin, const TreeColumns& c, const PartRows& part,
                                const Transform* X_LB, const Inertia* inertia, LinkParams<Real>* out) {
  team.each(static_cast<int>(origin.link_joint.size), [&](int l) {
    const TreeJoint& joint = origin.joint[origin.link_joint[l]];
    const int row = part.begin(Entity::kJoint) + joint.joint;
    const Transform X_LP = joint.parent < 0 ? Transform{} : X_LB[joint.parent];
    const Transform X_JL = inverse(c.joint_X_c[row]);
    const Mat33& m = inertia[l].inertia;
    // The motion of a kinematic body is given, so it needs no mass; its tree needs a centre of mass.
    const bool is_given = is_kinematic(c, part.body(joint.child, c.bodies));
    out[l] = {.X_PJ = X_LP * c.joint_X_p[row],
              .X_JL = X_JL,
              .mass = is_given && !(inertia[l].mass > 0) ? Real(1) : inertia[l].mass,
              .com = inertia[l].com,
              .inertia = {m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]},
              .p_JBcom = transform_point(X_JL, c.body_com[part.body(joint.child, c.bodies)])};
  });
}

template <class Team>
CAROM_HD_STAGE void write_dofs(Team team, const TreeView& tree, const TreeColumns& c, const PartRows& part,
                               DofParams<Real>* out) {
  team.each(tree.dofs(), [&](int i) {
    out[i] = {};
    if (tree.dof_in_part[i] < 0) return;
    const int row = part.begin(Entity::kJointDof) + tree.dof_in_part[i];
    const bool is_given = is_kinematic(c, part.body(tree.link[tree.dof_link[i]].body, c.bodies));
    out[i] = {c.joint_axis[row],
              c.joint_stiffness[row],
              c.joint_spring_ref[row],
              c.joint_damping[row],
              is_given ? kGivenMotion : c.joint_armature[row],
              c.joint_effort_lower[row],
              c.joint_effort_upper[row]};
  });
}

}  // namespace carom::inline CAROM_PRECISION
