#include "collide/soft/soft_phase.h"

#include <limits>

#include "collide/kernels.h"

namespace carom::inline CAROM_PRECISION {

SoftPhase::SoftPhase(const Model& model, const ActiveWorlds& active, bool particle_contacts, Rooms& rooms)
    : segment_count_(model.world_count + 1),
      particle_contacts_(particle_contacts),
      patches_(model, active),
      near_patches_(rooms, "pairs of a group of particles and a shape are near each other"),
      near_particles_(rooms, "pairs of a particle and a shape are near each other"),
      contacts_(rooms, std::numeric_limits<int>::max(), "contacts of particles and shapes"),
      particle_pairs_(rooms) {
  // Of no contacts at all; what a call does not fill stays so.
  for (ShapeRoom& room : shape_room_) room.reserve(0, segment_count_, model.device);
  for (PairRoom& room : particle_room_) room.reserve(0, segment_count_, model.device);
}

void SoftPhase::find(const Queue& queue, const Particles& particles, const SoftShapes& shapes, Real margin,
                     std::int32_t* status, int set) {
  if (particles.count == 0) return;
  patches_.update(queue, particles, status);
  find_shape_contacts(queue, particles, shapes, margin, shape_room_[set]);
  if (particle_contacts_) among_sent_ = particle_pairs_.find(queue, particles, margin, particle_room_[set]).room;
}

void SoftPhase::find_shape_contacts(const Queue& queue, const Particles& particles, const SoftShapes& shapes,
                                    Real margin, ShapeRoom& room) {
  const Count near_patches = near_patches_.find(
      queue, patches_.count(), ShapesNearPatches{shapes, margin, patches_.patches(), patches_.boxes(), {}});
  const Count pairs = near_particles_.find(
      queue, particles.count,
      ShapesNearParticles{particles, shapes, margin, patches_.patch_of_rank(), near_patches_.view(near_patches), {}});
  const PairOutput near = near_particles_.view(pairs);
  grow(point_, pairs.room, queue.device());
  grow(is_contact_, pairs.room, queue.device());
  grow(contact_start_, pairs.room + 1, queue.device());
  launch(queue, pairs, PointsOfSoftPairs{particles, shapes, margin, near.pair, point_.data(), is_contact_.data()});
  const Count contacts = contacts_.sum(pairs, is_contact_.data(), contact_start_.data());
  with_shapes_sent_ = contacts.room;

  room.reserve(contacts.room, segment_count_, queue.device());
  launch(queue, pairs,
         FillSoftContacts{near.pair, point_.data(), is_contact_.data(), contact_start_.data(), contacts.room,
                          room.first.data(), room.second.data(), room.body_pos.data(), room.normal.data(),
                          room.force.data(), room.depth.data()});
  launch(queue, segment_count_ + 1,
         StartOfSoftContacts{particles, near.start, near.room, contact_start_.data(), contacts,
                             room.segment_start.data(), room.count.data()});
}

void SoftPhase::put_into(Contacts& c, int set, bool settled) const {
  const ShapeRoom& with_shapes = shape_room_[set];
  const PairRoom& among = particle_room_[set];
  const int shape_contacts = settled ? contacts_.size() : with_shapes_sent_,
            particle_contacts = settled ? particle_pairs_.size() : among_sent_;
  c.soft_contact_count = with_shapes.count.slice(0, 1);
  c.soft_contact_world_start = with_shapes.segment_start.slice(0, segment_count_ + 1);
  c.soft_contact_particle = with_shapes.first.slice(0, shape_contacts);
  c.soft_contact_shape = with_shapes.second.slice(0, shape_contacts);
  c.soft_contact_body_pos = with_shapes.body_pos.slice(0, shape_contacts);
  c.soft_contact_normal = with_shapes.normal.slice(0, shape_contacts);
  c.soft_contact_depth = with_shapes.depth.slice(0, shape_contacts);
  c.soft_contact_force = with_shapes.force.slice(0, shape_contacts);
  c.particle_contact_count = among.count.slice(0, 1);
  c.particle_contact_world_start = among.segment_start.slice(0, segment_count_ + 1);
  c.particle_contact_particle0 = among.first.slice(0, particle_contacts);
  c.particle_contact_particle1 = among.second.slice(0, particle_contacts);
  c.particle_contact_normal = among.normal.slice(0, particle_contacts);
  c.particle_contact_depth = among.depth.slice(0, particle_contacts);
  c.particle_contact_force = among.force.slice(0, particle_contacts);
}

}  // namespace carom::inline CAROM_PRECISION
