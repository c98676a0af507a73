#include "solvers/xpbd/particle_projection.h"

#include <algorithm>
#include <bit>

#include "backend/launch.h"
#include "backend/scratch.h"
#include "backend/send_copy.h"
#include "dynamics/kernels.h"
#include "solvers/xpbd/kernels.h"

namespace carom::inline CAROM_PRECISION {

namespace {

constexpr std::int64_t kBlockUnit = 64;        // [bytes]
constexpr std::int64_t kAlignmentRoom = 1024;  // of all arrays of a block [bytes]

int soft_room_of(const Contacts* c) { return c ? static_cast<int>(c->soft_contact_particle.size()) : 0; }
int pair_room_of(const Contacts* c) { return c ? static_cast<int>(c->particle_contact_particle0.size()) : 0; }

SoftContactView view_of_soft(const Contacts* c) {
  if (soft_room_of(c) == 0) return {};
  return {c->soft_contact_count.data(), c->soft_contact_world_start.data(), c->soft_contact_particle.data(),
          c->soft_contact_shape.data(), c->soft_contact_body_pos.data(),    c->soft_contact_normal.data(),
          c->soft_contact_force.data()};
}

ParticleContactView view_of_pairs(const Contacts* c) {
  if (pair_room_of(c) == 0) return {};
  return {c->particle_contact_count.data(), c->particle_contact_world_start.data(),
          c->particle_contact_particle0.data(), c->particle_contact_particle1.data(), c->particle_contact_force.data()};
}

BodiesOfContacts touched_bodies(const Model& m, const State& in) {
  return {in.body_q.data(),       in.body_qd.data(),         m.body_com.data(),
          m.body_inv_mass.data(), m.body_inv_inertia.data(), m.body_world.data()};
}

ShapesOfContacts touched_shapes(const Model& m) {
  return {m.shape_body.data(),        m.shape_world.data(),
          m.shape_transform.data(),   m.shape_surface_velocity.data(),
          m.shape_thickness.data(),   m.shape_material_ke.data(),
          m.shape_material_kd.data(), m.shape_material_kf.data(),
          m.shape_material_ka.data(), m.shape_material_mu.data()};
}

ParticleColumns particle_columns(const Model& m, const State& in) {
  return {{m.particle_world_start.data(), m.particle_count, m.world_count},
          in.particle_q.data(),
          in.particle_qd.data(),
          in.particle_f.data(),
          m.particle_mass.data(),
          m.particle_radius.data(),
          m.particle_flags.data(),
          m.particle_world.data()};
}

ElementColumns element_columns(const Model& m, const Control& control) {
  return {{m.spring_world_start.data(), m.spring_count, m.world_count},
          {m.tri_world_start.data(), m.tri_count, m.world_count},
          {m.edge_world_start.data(), m.edge_count, m.world_count},
          {m.tet_world_start.data(), m.tet_count, m.world_count},
          m.spring_rest_length.data(),
          m.spring_stiffness.data(),
          m.spring_damping.data(),
          m.spring_control.data(),
          m.tri_poses.data(),
          m.tri_materials.data(),
          control.tri_activations.data(),
          m.edge_rest_angle.data(),
          m.edge_rest_length.data(),
          m.edge_bending_properties.data(),
          m.tet_poses.data(),
          m.tet_materials.data(),
          control.tet_activations.data()};
}

// Of a slot without contacts.
std::int64_t block_bytes(const Model& m, const ParticleStructure& plan, int slot) {
  ProjectedWorld w{};
  w.particles = rows_of_slot(m, Entity::kParticle, m.particle_count, slot).count;
  Arena arena;
  w.take(arena, plan);
  return (arena.used + kAlignmentRoom + kBlockUnit - 1) / kBlockUnit * kBlockUnit;
}

}  // namespace

ParticleProjection::ParticleProjection(const Model& model, const ParticleProjectionConfig& config)
    : model_(model),
      config_(config),
      structures_(model),
      push_(model.particle_count > 0 ? model.body_count : 0, model.device),
      none_(push_.size(), model.device),
      no_status_(std::max(model.world_count, 1), model.device),
      new_q_(model.particle_count, model.device),
      new_qd_(model.particle_count, model.device),
      lost_(model.world_count + 1, model.device),
      frozen_(model.world_count + 1, model.device),
      body_touches_(push_.size(), model.device),
      contacts_of_body_(push_.size(), model.device) {
  const int globals = rows_of_slot(model, Entity::kParticle, model.particle_count, model.world_count).count;
  ghosts_from_ = globals > 0 ? model.world_count : 0;
  std::vector<std::int64_t> start;
  for (int slot = 0; slot <= model.world_count; ++slot) {
    start.push_back(all_fixed_bytes_);
    fixed_bytes_.push_back(block_bytes(model, structures_.of(slot), slot));
    all_fixed_bytes_ += fixed_bytes_.back();
  }
  memory_start_ = Array<std::int64_t>(std::span<const std::int64_t>(start), model.device);
}

void ParticleProjection::add_memory(GraphKey& key) const {
  for (const std::int64_t size : {memory_.size(), body_key_.size(), sort_.temp.size()}) key.add(size);
}

void ParticleProjection::set_active(const ActiveWorlds& active) { left_out_ = active.left_out<int>(model_.device); }

bool ParticleProjection::pushes_bodies(const Contacts* contacts) const {
  return model_.body_count > 0 && soft_room_of(contacts) > 0;
}

void ParticleProjection::send_forces(const Queue& queue, const State& in, const Control& control,
                                     const Contacts* contacts, Real dt, const Array<std::int32_t>& status) {
  if (!any()) return;
  send_copy(queue, no_status_, status);
  send_copy(queue, none_, push_);
  if (pushes_bodies(contacts)) send_meet_bodies(queue, in, *contacts, dt);
  ProjectParticles project = kernel(in, control, contacts, dt);
  send_project(queue, project, contacts);
  if (pushes_bodies(contacts))
    launch(queue, model_.body_count,
           PushBodies{view_of_soft(contacts),
                      {body_key_.data(), body_index_.data(), soft_room_of(contacts)},
                      contacts_of_body_.data(),
                      touched_bodies(model_, in),
                      push_.data()});
}

// Which contacts push each body, and how many of them act.
void ParticleProjection::send_meet_bodies(const Queue& queue, const State& in, const Contacts& contacts, Real dt) {
  const Model& m = model_;
  const int room = soft_room_of(&contacts);
  grow(body_key_, room, m.device);
  grow(body_index_, room, m.device);
  grow(acts_, room, m.device);
  launch(queue, room,
         MeetPushedBodies{view_of_soft(&contacts), touched_shapes(m), touched_bodies(m, in), in.particle_q.data(),
                          in.particle_qd.data(), m.particle_radius.data(), m.particle_world.data(), m.gravity.data(),
                          m.body_count, m.world_count, dt, acts_.data(), body_key_.data(), body_index_.data()});
  const int bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(m.body_count)));
  sort_by_key(queue, {body_key_.data(), room}, {body_index_.data(), room}, sort_, bits);
  launch(
      queue, m.body_count,
      CountBodyTouches{
          {body_key_.data(), body_index_.data(), room}, acts_.data(), contacts_of_body_.data(), body_touches_.data()});
}

ProjectParticles ParticleProjection::kernel(const State& in, const Control& control, const Contacts* contacts,
                                            Real dt) {
  const Model& m = model_;
  ProjectParticles k{};
  k.columns = particle_columns(m, in);
  k.elements = element_columns(m, control);
  k.shapes = {touched_shapes(m), touched_bodies(m, in), m.shape_material_restitution.data(), body_touches_.data(),
              m.options};
  k.soft = view_of_soft(contacts);
  k.pairs = view_of_pairs(contacts);
  k.structures = structures_.plans();
  k.structure = structures_.of_slot();
  k.gravity = m.gravity.data();
  k.dt = dt;
  k.substeps = config_.substeps;
  k.iterations = config_.iterations;
  k.bounces = config_.enable_restitution;
  k.ghosts_from = ghosts_from_;
  k.memory_start = memory_start_.data();
  k.new_q = new_q_.data();
  k.new_qd = new_qd_.data();
  k.is_lost = lost_.data();
  k.left_out = left_out();
  return k;
}

std::int64_t ParticleProjection::memory_bytes(const Contacts* contacts) const {
  const std::int64_t room = std::int64_t{soft_room_of(contacts)} + pair_room_of(contacts);
  return all_fixed_bytes_ + room * ProjectedWorld::kContactBytes;
}

void ParticleProjection::send_project(const Queue& queue, ProjectParticles& kernel, const Contacts* contacts) {
  const int slots = model_.world_count + 1;
  if (!model_.device.is_cpu()) {
    grow(memory_, memory_bytes(contacts), model_.device);
    kernel.memory = memory_.data();
    launch(queue, slots, kernel);
    return;
  }
  for (int slot = 0; slot < slots; ++slot) {
    const ProjectedWorld w = kernel.world(slot);
    const std::int64_t in_contact = (std::int64_t{w.soft.count} + w.pairs.count) * ProjectedWorld::kContactBytes;
    kernel.bytes = std::max(kernel.bytes, fixed_bytes_[slot] + in_contact);
  }
  static ItemCost cost;
  run_on_threads(queue,
                 {loop_of_tier<ProjectParticles>(AllTiers{}, cpu_tier()), &kernel, slots, 1, &cost, kernel.bytes});
}

void ParticleProjection::send_take(const Queue& queue, const State& in, const State& out,
                                   const Array<std::int32_t>& status) const {
  if (!any()) return;
  launch(queue, static_cast<int>(status.size()), MarkLostWorlds{lost_.data(), status.data(), left_out()});
  launch(queue, static_cast<int>(frozen_.size()),
         JoinFrozen{lost_.data(), status.data(), model_.world_count, frozen_.data(), left_out()});
  const MovedParticles particles{
      in.particle_q.data(),         in.particle_qd.data(),        in.particle_f.data(),  model_.particle_mass.data(),
      model_.particle_flags.data(), model_.particle_world.data(), model_.particle_count, model_.world_count};
  launch(queue, model_.particle_count,
         TakeMotion{particles, new_q_.data(), new_qd_.data(), frozen_.data(), out.particle_q.data(),
                    out.particle_qd.data()});
}

}  // namespace carom::inline CAROM_PRECISION
