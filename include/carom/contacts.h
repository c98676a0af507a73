// Contacts: where shapes touch, for all worlds, sorted by world, shape 0, shape 1 and feature; where particles touch
// shapes, sorted by world, particle and shape; and where particles touch each other, by world, particle 0, particle 1.
#pragma once

#include <memory>

#include "carom/array.h"
#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

struct WorldLayout;

struct Contacts {
  std::shared_ptr<const WorldLayout> layout;  // of the model whose shapes touch; no other takes the contacts

  Array<int> rigid_contact_count;  // one number
  // Where the contacts of each world begin, where those among global shapes do, and the total: world_count + 2 entries.
  Array<int> rigid_contact_world_start;
  Array<int> rigid_contact_shape0, rigid_contact_shape1;  // shape 0 < shape 1
  Array<int> rigid_contact_feature;                       // which parts of the shapes touch
  Array<int> rigid_contact_age;     // for how many calls before this one the same features touched
  Array<Vec3> rigid_contact_point;  // midway between the surfaces, world frame [m]
  Array<Vec3> rigid_contact_point0, rigid_contact_point1;  // on the surface of either shape, in its body's frame [m]
  Array<Vec3> rigid_contact_normal;                        // from shape 0 to shape 1, world frame
  // First direction of friction where the shapes suggest one, as a capsule on a plane does; otherwise zero. World
  // frame.
  Array<Vec3> rigid_contact_tangent;
  Array<Real> rigid_contact_depth;  // positive when they overlap [m]
  // Of contacts that come about within CollisionConfig::speculative_time: when the shapes meet [s], and how fast they
  // come nearer until then [m/s]; 0 and 0 for those that are near now. Without speculative_time both are empty.
  Array<Real> rigid_contact_impact_time, rigid_contact_impact_speed;
  Array<Vec3> rigid_contact_force;   // on shape 1, world frame [N]; shape 0 gets its negative; zero until a solver ran
  Array<Vec3> rigid_contact_torque;  // likewise, about the point: of friction that resists spinning and rolling [N m]

  // Particles and shapes. The world of a contact is that of its particle.
  Array<int> soft_contact_count;        // one number
  Array<int> soft_contact_world_start;  // as rigid_contact_world_start; contacts of global particles come last
  Array<int> soft_contact_particle, soft_contact_shape;
  Array<Vec3> soft_contact_body_pos;  // on the shape's surface, without its thickness, in its body's frame [m]
  Array<Vec3> soft_contact_normal;    // from the shape to the particle, world frame
  Array<Real> soft_contact_depth;     // radius + thickness - distance, positive when they overlap [m]
  Array<Vec3> soft_contact_force;     // on the particle, world frame [N]; the shape's body gets its negative; as above

  // Particles among themselves. One of a world that touches a global one makes a contact of that world.
  Array<int> particle_contact_count;                                  // one number
  Array<int> particle_contact_world_start;                            // as rigid_contact_world_start
  Array<int> particle_contact_particle0, particle_contact_particle1;  // particle 0 < particle 1
  Array<Vec3> particle_contact_normal;                                // from particle 0 to particle 1, world frame
  Array<Real> particle_contact_depth;                                 // sum of radii - distance [m]
  Array<Vec3> particle_contact_force;  // on particle 1, world frame [N]; particle 0 gets its negative; as above
};

}  // namespace carom::inline CAROM_PRECISION
