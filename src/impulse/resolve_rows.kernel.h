// What resolve_impulses() computes with: a row of numbers per body and per contact, made from the model, the state and
// the contacts, and the results written back.
//
// Row 0 of each is nothing: a body at rest that nothing moves, a contact without bodies. Body b of a world is row 1 +
// b; in contacts of other worlds (those of a global body) it is row 1 + body_count + b, where it has no mass to move.
#pragma once

#include "carom/array.h"
#include "carom/columns.h"
#include "carom/impulse/impact.h"
#include "model/contact_options.h"

namespace carom::inline CAROM_PRECISION {

struct RowsOfBodies {
  int body_count;
  const Transform* body_q;
  const SpatialVector* body_qd;
  const Real* inverse_mass;
  const Mat33* inverse_inertia;  // body axes
  const std::uint8_t* is_held;   // by a joint that fixes it to the world
  ImpactBody* row;

  CAROM_HD void operator()(int b) const {
    const Mat33 R = mat33_from_quat(body_q[b].q);
    const SpatialVector V = body_qd[b];
    const ImpactBody held{V.linear, V.angular, 0, {}};
    ImpactBody free = held;
    free.inverse_mass = inverse_mass[b];
    free.inverse_inertia = R * inverse_inertia[b] * transpose(R);
    row[1 + b] = is_held[b] ? held : free;
    row[1 + body_count + b] = held;
  }
};

struct RowsOfPoints {
  // Contacts.
  const int* contact_count;
  const int* shape0;
  const int* shape1;
  const Vec3* point;   // world frame [m]
  const Vec3* normal;  // from shape 0 to shape 1
  const Real* depth;

  // The model and the state.
  int body_count;
  Span<const int> shape_body, shape_world, body_world;
  const Real* shape_restitution;
  const Real* shape_mu;
  const Transform* body_q;
  const Vec3* body_com;

  CombineRule restitution_rule, friction_rule;
  Real tangential_restitution, least_depth;

  ImpactPoint* row;
  Index2* bodies;  // rows of the two bodies

  CAROM_HD void operator()(int c) const {
    if (c >= *contact_count) return;
    const int s0 = shape0[c], s1 = shape1[c], b0 = shape_body[s0], b1 = shape_body[s1];
    const int world = shape_world[s0] >= 0 ? shape_world[s0] : shape_world[s1];
    const bool touches = depth[c] >= least_depth;
    bodies[1 + c] = touches ? Index2{row_of_body(b0, world), row_of_body(b1, world)} : Index2{0, 0};
    ImpactPoint& p = row[1 + c];
    p = {};
    p.normal = normal[c];
    p.r1 = arm(b0, point[c]);
    p.r2 = arm(b1, point[c]);
    p.restitution = combined(restitution_rule, shape_restitution[s0], shape_restitution[s1]);
    p.friction = combined(friction_rule, shape_mu[s0], shape_mu[s1]);
    p.tangential_restitution = tangential_restitution;
  }

 private:
  CAROM_HD int row_of_body(int b, int world) const {
    if (b < 0) return 0;
    return 1 + b + (body_world[b] == world ? 0 : body_count);
  }
  CAROM_HD Vec3 arm(int b, Vec3 p) const { return b < 0 ? Vec3{} : p - transform_point(body_q[b], body_com[b]); }
};

struct WriteImpulses {
  const int* contact_count;
  const ImpactPoint* row;
  Vec3* impulse;  // on shape 1

  CAROM_HD void operator()(int c) const { impulse[c] = c < *contact_count ? -row[1 + c].impulse : Vec3{}; }
};

struct WriteVelocities {
  const ImpactBody* row;
  SpatialVector* body_qd;
  SpatialVector* body_jump;  // nullptr: nobody asks

  CAROM_HD void operator()(int b) const {
    const SpatialVector after{row[1 + b].velocity, row[1 + b].angular_velocity};
    if (body_jump) body_jump[b] = body_jump[b] + (after - body_qd[b]);
    body_qd[b] = after;
  }
};

// Free joints to the world: their velocity is that of the centre of mass in the axes of the joint's frame there.
struct WriteJointVelocities {
  const int* free_joint;
  const int* joint_child;
  const int* joint_qd_start;
  const Transform* joint_X_p;
  const ImpactBody* row;
  Real* joint_qd;

  CAROM_HD void operator()(int i) const {
    const int joint = free_joint[i];
    const ImpactBody& body = row[1 + joint_child[joint]];
    const Quat q = joint_X_p[joint].q;
    const Vec3 v = rotate_inverse(q, body.velocity), w = rotate_inverse(q, body.angular_velocity);
    Real* const qd = joint_qd + joint_qd_start[joint];
    qd[0] = v.x, qd[1] = v.y, qd[2] = v.z, qd[3] = w.x, qd[4] = w.y, qd[5] = w.z;
  }
};

}  // namespace carom::inline CAROM_PRECISION
