// Particles against shapes: how deep they are now, how they touch, and what that does to both.
//
// The material of the particle (ModelOptions::soft_contact_*) and that of the shape make one by ModelOptions::combine;
// adhesion is the shape's. The body is pushed where the contact is on its surface.
#pragma once

#include "carom/config.h"
#include "dynamics/particles/touch.kernel.h"
#include "model/contact_options.h"

namespace carom::inline CAROM_PRECISION {

// Contacts as the pipeline left them, with room for more.
struct SoftContactView {
  const int *count, *world_start;  // nullptr: there are none
  const int *particle, *shape;
  const Vec3 *body_pos, *normal;
  Vec3* force;  // on the particle

  CAROM_HD int size() const { return count ? *count : 0; }
};

struct ShapesOfContacts {
  const int *body, *world;
  const Transform* X_BS;
  const SpatialVector* surface_velocity;  // in the shape's frame
  const Real *thickness, *ke, *kd, *kf, *ka, *mu;

  CAROM_HD ContactLaw<Real> law(int s, const ModelOptions& o) const {
    return point_law(combined(o.combine, o.soft_contact_ke, ke[s]), combined(o.combine, o.soft_contact_kd, kd[s]),
                     combined(o.combine, o.soft_contact_kf, kf[s]), ka[s],
                     combined(o.combine, o.soft_contact_mu, mu[s]));
  }
};

struct BodiesOfContacts {
  const Transform* q;
  const SpatialVector* qd;
  const Vec3* com;
  const Real* inv_mass;
  const Mat33* inv_inertia;  // body axes
  const int* world;
};

// A point of a shape that moves with a body, or stands still.
struct BodyPoint {
  Vec3 p;         // world frame [m]
  Vec3 v;         // [m/s]
  Vec3 arm;       // from the centre of mass, world axes [m]
  Real inv_mass;  // of the body [1/kg]
  Mat33 inv_inertia;
  Quat R_WB;

  // How much an impulse along a direction changes the velocity along it [1/kg].
  CAROM_HD Real inverse_mass_along(Vec3 direction) const {
    const Vec3 turn = rotate_inverse(R_WB, cross(arm, direction));
    return inv_mass + dot(turn, inv_inertia * turn);
  }
};

CAROM_HD BodyPoint body_point(const BodiesOfContacts& bodies, int body, Vec3 body_pos) {
  if (body < 0) return {body_pos, {}, {}, 0, {}, {}};
  const Transform X_WB = bodies.q[body];
  const SpatialVector V = bodies.qd[body];
  const Vec3 arm = rotate(X_WB.q, body_pos - bodies.com[body]);
  return {transform_point(X_WB, body_pos), V.linear + cross(V.angular, arm), arm,
          bodies.inv_mass[body],           bodies.inv_inertia[body],         X_WB.q};
}

// The same with the motion of the shape's surface against its body, as that of a conveyor belt.
CAROM_HD BodyPoint shape_point(const ShapesOfContacts& shapes, const BodiesOfContacts& bodies, int s, Vec3 body_pos) {
  BodyPoint at = body_point(bodies, shapes.body[s], body_pos);
  const SpatialVector belt = shapes.surface_velocity[s];
  const Transform X_BS = shapes.X_BS[s];
  const Vec3 v_S = belt.linear + cross(belt.angular, transform_point(inverse(X_BS), body_pos));
  at.v += rotate(at.R_WB, rotate(X_BS.q, v_S));
  return at;
}

// How deep each contact is at the poses of the state, whether it acts, and which body it pushes.
struct MeetShapes {
  SoftContactView contacts;
  ShapesOfContacts shapes;
  BodiesOfContacts bodies;
  ModelOptions options;
  const Vec3 *q, *free_qd;
  const Real* radius;
  const int* particle_world;
  int body_count;
  Real dt;
  Real* depth;
  std::uint8_t* acts;
  std::uint64_t* body_key;  // body_count: it pushes none
  int* index;

  CAROM_HD void operator()(int c) const {
    index[c] = c;
    body_key[c] = static_cast<std::uint64_t>(body_count);
    if (c >= contacts.size()) return;
    const int i = contacts.particle[c], s = contacts.shape[c], b = shapes.body[s];
    const BodyPoint at = shape_point(shapes, bodies, s, contacts.body_pos[c]);
    const Vec3 n = contacts.normal[c];
    depth[c] = radius[i] + shapes.thickness[s] - dot(n, q[i] - at.p);
    acts[c] = will_touch(shapes.law(s, options), depth[c], n, free_qd[i] - at.v, dt);
    if (b >= 0 && is_moved_by(bodies.world[b], particle_world[i])) body_key[c] = static_cast<std::uint64_t>(b);
  }
};

// The forces of the contacts that act.
struct SoftContactForces {
  SoftContactView contacts;
  ShapesOfContacts shapes;
  BodiesOfContacts bodies;
  ModelOptions options;
  const Vec3* free_qd;
  const int* particle_world;
  const Real* depth;
  const std::uint8_t* acts;
  const Real* particle_share;  // inverse mass of what a touch has of the particle [1/kg]
  const int* body_touches;     // that act on each body
  Real dt;

  CAROM_HD void operator()(int c) const {
    if (c >= contacts.size()) return;
    contacts.force[c] = {};
    if (!acts[c]) return;
    const int i = contacts.particle[c], s = contacts.shape[c], b = shapes.body[s];
    const BodyPoint at = shape_point(shapes, bodies, s, contacts.body_pos[c]);
    const Vec3 n = contacts.normal[c], v = free_qd[i] - at.v;
    const Vec3 along = normalize(fma(n, -dot(n, v), v));
    const Real own = is_moved_by(particle_world[i], shapes.world[s]) ? particle_share[i] : Real(0);
    const bool pushes = b >= 0 && is_moved_by(bodies.world[b], particle_world[i]);
    const Real touches = pushes ? Real(body_touches[b]) : Real(0);
    const Real w_normal = fma(touches, at.inverse_mass_along(n), own),
               w_slip = fma(touches, at.inverse_mass_along(along), own);
    contacts.force[c] = touch_force(shapes.law(s, options), depth[c], n, v, w_normal, w_slip, dt);
  }
};

}  // namespace carom::inline CAROM_PRECISION
