#include "collide/soft/soft_phase.h"

#include <utility>

#include "collide/kernels.h"

namespace carom::inline CAROM_PRECISION {

SoftPhase::SoftPhase(const Model& model, bool particle_contacts)
    : segment_count_(model.world_count + 1), particle_contacts_(particle_contacts), patches_(model) {
  // Of no contacts at all; what a call does not fill stays so.
  for (ShapeRoom* room : {&shape_room_, &former_shape_room_}) room->reserve(0, segment_count_, model.device);
  for (PairRoom* room : {&particle_room_, &former_particle_room_}) room->reserve(0, segment_count_, model.device);
}

void SoftPhase::find(const Queue& queue, const Particles& particles, const SoftShapes& shapes, Real margin,
                     std::int32_t* status, Contacts& contacts) {
  if (particles.count == 0) return put_into(contacts, 0, 0);
  patches_.update(queue, particles, status);
  const int with_shapes = find_shape_contacts(queue, particles, shapes, margin);
  int with_particles = 0;
  if (particle_contacts_) {
    std::swap(particle_room_, former_particle_room_);
    with_particles = particle_pairs_.find(queue, particles, margin, particle_room_);
  }
  put_into(contacts, with_shapes, with_particles);
}

int SoftPhase::find_shape_contacts(const Queue& queue, const Particles& particles, const SoftShapes& shapes,
                                   Real margin) {
  near_patches_.find(queue, patches_.count(),
                     ShapesNearPatches{shapes, margin, patches_.patches(), patches_.boxes(), {}},
                     "groups of particles and shapes");
  near_particles_.find(
      queue, particles.count,
      ShapesNearParticles{
          particles, shapes, margin, patches_.patch_of_rank(), near_patches_.start(), near_patches_.pairs(), {}},
      "particles and shapes");
  const int pairs = near_particles_.size();
  grow(point_, pairs, queue.device());
  grow(is_contact_, pairs, queue.device());
  grow(contact_start_, pairs + 1, queue.device());
  launch(queue, pairs,
         PointsOfSoftPairs{particles, shapes, margin, near_particles_.pairs(), point_.data(), is_contact_.data()});
  exclusive_scan(queue, {is_contact_.data(), pairs}, {contact_start_.data(), pairs + 1}, scan_);
  const int total = static_cast<int>(scan_total(queue, scan_));

  std::swap(shape_room_, former_shape_room_);
  ShapeRoom& room = shape_room_;
  room.reserve(total, segment_count_, queue.device());
  launch(queue, pairs,
         FillSoftContacts{near_particles_.pairs(), point_.data(), is_contact_.data(), contact_start_.data(),
                          room.first.data(), room.second.data(), room.body_pos.data(), room.normal.data(),
                          room.depth.data()});
  launch(queue, segment_count_ + 1,
         StartOfSoftContacts{particles, near_particles_.start(), contact_start_.data(), room.segment_start.data(),
                             room.count.data()});
  return total;
}

void SoftPhase::put_into(Contacts& c, int shape_contacts, int particle_contacts) const {
  c.soft_contact_count = shape_room_.count.slice(0, 1);
  c.soft_contact_world_start = shape_room_.segment_start.slice(0, segment_count_ + 1);
  c.soft_contact_particle = shape_room_.first.slice(0, shape_contacts);
  c.soft_contact_shape = shape_room_.second.slice(0, shape_contacts);
  c.soft_contact_body_pos = shape_room_.body_pos.slice(0, shape_contacts);
  c.soft_contact_normal = shape_room_.normal.slice(0, shape_contacts);
  c.soft_contact_depth = shape_room_.depth.slice(0, shape_contacts);
  c.particle_contact_count = particle_room_.count.slice(0, 1);
  c.particle_contact_world_start = particle_room_.segment_start.slice(0, segment_count_ + 1);
  c.particle_contact_particle0 = particle_room_.first.slice(0, particle_contacts);
  c.particle_contact_particle1 = particle_room_.second.slice(0, particle_contacts);
  c.particle_contact_normal = particle_room_.normal.slice(0, particle_contacts);
  c.particle_contact_depth = particle_room_.depth.slice(0, particle_contacts);
}

}  // namespace carom::inline CAROM_PRECISION
