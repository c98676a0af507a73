#include "dynamics/particles/particle_forces.h"

#include <algorithm>
#include <bit>

#include "backend/launch.h"
#include "backend/scratch.h"
#include "dynamics/kernels.h"
#include "dynamics/particles/stable_step.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Where the corners of each kind of element begin.
struct CornerRows {
  int triangles, edges, tetrahedra, end;

  explicit CornerRows(const Model& m)
      : triangles(2 * m.spring_count),
        edges(triangles + 3 * m.tri_count),
        tetrahedra(edges + 4 * m.edge_count),
        end(tetrahedra + 4 * m.tet_count) {}
};

// visit(particle, row) for every corner, element after element.
template <class Visit>
void visit_corners(const Model& model, const Visit& visit) {
  int row = 0;
  const auto of_kind = [&](const auto& column) {
    const auto indices = column.on_cpu();
    for (const auto& element : indices)
      for (const int particle : element) visit(particle, row++);
  };
  of_kind(model.spring_indices);
  of_kind(model.tri_indices);
  of_kind(model.edge_indices);
  of_kind(model.tet_indices);
}

SoftContactView soft_view(const Contacts* c) {
  if (!c || c->soft_contact_particle.empty()) return {};
  return {c->soft_contact_count.data(), c->soft_contact_world_start.data(), c->soft_contact_particle.data(),
          c->soft_contact_shape.data(), c->soft_contact_body_pos.data(),    c->soft_contact_normal.data(),
          c->soft_contact_force.data()};
}

ParticleContactView pair_view(const Contacts* c) {
  if (!c || c->particle_contact_particle0.empty()) return {};
  return {c->particle_contact_count.data(), c->particle_contact_world_start.data(),
          c->particle_contact_particle0.data(), c->particle_contact_particle1.data(), c->particle_contact_force.data()};
}

int soft_room(const Contacts& c) { return static_cast<int>(c.soft_contact_particle.size()); }
int pair_room(const Contacts& c) { return static_cast<int>(c.particle_contact_particle0.size()); }
bool any_contacts(const Contacts* c) { return c && soft_room(*c) + pair_room(*c) > 0; }

}  // namespace

ParticleForces::ParticleForces(const Model& model) : model_(model) {
  const int n = model.particle_count;
  const Device device = model.device;
  world_lost_ = Array<int>(model.world_count + 1, device);
  if (n == 0) return;
  const CornerRows rows(model);
  std::vector<int> start(n + 1, 0), corner(rows.end);
  visit_corners(model, [&](int particle, int) { ++start[particle + 1]; });
  for (int i = 0; i < n; ++i) start[i + 1] += start[i];
  std::vector<int> next(start.begin(), start.end() - 1);
  visit_corners(model, [&](int particle, int row) { corner[next[particle]++] = row; });
  corner_start_ = Array<int>(std::span<const int>(start), device);
  corner_ = Array<int>(std::span<const int>(corner), device);
  corner_force_ = Array<Vec3>(rows.end, device);
  for (Array<Vec3>* column : {&free_qd_, &new_q_, &new_qd_}) *column = Array<Vec3>(n, device);
  share_ = Array<Real>(n, device);
  contacts_of_particle_ = Array<ContactsOfParticle>(n, device);
  contacts_of_body_ = Array<RowRange>(model.body_count, device);
  body_touches_ = Array<int>(model.body_count, device);
  particle_lost_ = Array<int>(n, device);
  lost_before_ = Array<int>(n + 1, device);
}

MovedParticles ParticleForces::particles(const State& in) const {
  return {
      in.particle_q.data(),         in.particle_qd.data(),        in.particle_f.data(),  model_.particle_mass.data(),
      model_.particle_flags.data(), model_.particle_world.data(), model_.particle_count, model_.world_count};
}

BodiesOfContacts ParticleForces::bodies(const State& in) const {
  return {in.body_q.data(),
          in.body_qd.data(),
          model_.body_com.data(),
          model_.body_inv_mass.data(),
          model_.body_inv_inertia.data(),
          model_.body_world.data()};
}

ShapesOfContacts ParticleForces::shapes() const {
  const Model& m = model_;
  return {m.shape_body.data(),        m.shape_world.data(),
          m.shape_transform.data(),   m.shape_surface_velocity.data(),
          m.shape_thickness.data(),   m.shape_material_ke.data(),
          m.shape_material_kd.data(), m.shape_material_kf.data(),
          m.shape_material_ka.data(), m.shape_material_mu.data()};
}

void ParticleForces::send(const Queue& queue, const State& in, const Control& control, const Contacts* contacts,
                          Real dt, const Array<SpatialVector>& body_push) {
  if (!any()) return;
  send_elements(queue, in, control);
  launch(queue, model_.particle_count,
         FreeMotion{particles(in), corner_start_.data(), corner_.data(), corner_force_.data(), model_.gravity.data(),
                    dt, free_qd_.data()});
  if (!any_contacts(contacts)) return;
  send_touches(queue, in, *contacts, dt);
  send_soft_contacts(queue, in, *contacts, dt);
  launch(queue, pair_room(*contacts),
         ParticleContactForces{pair_view(contacts), model_.options, in.particle_q.data(), free_qd_.data(),
                               model_.particle_radius.data(), model_.particle_world.data(), pair_acts_.data(),
                               share_.data(), dt});
  if (soft_room(*contacts) == 0) return;
  launch(queue, model_.body_count,
         PushBodies{soft_view(contacts), by_body_.view(soft_room(*contacts)), contacts_of_body_.data(), bodies(in),
                    body_push.data()});
}

void ParticleForces::send_elements(const Queue& queue, const State& in, const Control& control) {
  const Model& m = model_;
  const CornerRows rows(m);
  const Vec3 *const q = in.particle_q.data(), *const qd = in.particle_qd.data();
  Vec3* const force = corner_force_.data();
  launch(queue, m.spring_count,
         SpringForces{q, qd, m.spring_indices.data(), m.spring_rest_length.data(), m.spring_stiffness.data(),
                      m.spring_damping.data(), m.spring_control.data(), force});
  launch(queue, m.tri_count,
         TriangleForces{q, qd, m.tri_indices.data(), m.tri_poses.data(), m.tri_materials.data(),
                        control.tri_activations.data(), m.options.wind, force + rows.triangles});
  launch(queue, m.edge_count,
         BendingForces{q, qd, m.edge_indices.data(), m.edge_rest_angle.data(), m.edge_rest_length.data(),
                       m.edge_bending_properties.data(), force + rows.edges});
  launch(queue, m.tet_count,
         TetrahedronForces{q, qd, m.tet_indices.data(), m.tet_poses.data(), m.tet_materials.data(),
                           control.tet_activations.data(), force + rows.tetrahedra});
}

void ParticleForces::add_memory(GraphKey& key) const {
  for (const std::int64_t size : {depth_.size(), pair_acts_.size()}) key.add(size);
  for (const Order* order : {&by_body_, &by_particle1_}) {
    key.add(order->key.size());
    key.add(order->sort.temp.size());
  }
}

// Which contacts act, and what each particle and body has of them.
void ParticleForces::send_touches(const Queue& queue, const State& in, const Contacts& contacts, Real dt) {
  const Model& m = model_;
  const int soft = soft_room(contacts), pairs = pair_room(contacts);
  by_body_.reserve(soft, m.device);
  by_particle1_.reserve(pairs, m.device);
  grow(depth_, soft, m.device);
  grow(soft_acts_, soft, m.device);
  grow(pair_acts_, pairs, m.device);
  const Vec3* const q = in.particle_q.data();
  launch(queue, soft,
         MeetShapes{soft_view(&contacts), shapes(), bodies(in), m.options, q, free_qd_.data(), m.particle_radius.data(),
                    m.particle_world.data(), m.body_count, dt, depth_.data(), soft_acts_.data(), by_body_.key.data(),
                    by_body_.index.data()});
  launch(queue, pairs,
         MeetParticles{pair_view(&contacts), m.options, q, free_qd_.data(), m.particle_radius.data(),
                       m.particle_world.data(), m.particle_count, dt, pair_acts_.data(), by_particle1_.key.data(),
                       by_particle1_.index.data()});
  by_body_.send(queue, soft, m.body_count);
  by_particle1_.send(queue, pairs, m.particle_count);
  launch(queue, m.particle_count,
         FindTouches{particles(in), soft_view(&contacts), m.shape_world.data(), pair_view(&contacts),
                     by_particle1_.view(pairs), soft_acts_.data(), pair_acts_.data(), contacts_of_particle_.data(),
                     share_.data()});
}

void ParticleForces::send_soft_contacts(const Queue& queue, const State& in, const Contacts& contacts, Real dt) {
  const int room = soft_room(contacts);
  if (room == 0) return;
  launch(queue, model_.body_count,
         CountBodyTouches{by_body_.view(room), soft_acts_.data(), contacts_of_body_.data(), body_touches_.data()});
  launch(queue, room,
         SoftContactForces{soft_view(&contacts), shapes(), bodies(in), model_.options, free_qd_.data(),
                           model_.particle_world.data(), depth_.data(), soft_acts_.data(), share_.data(),
                           body_touches_.data(), dt});
}

void ParticleForces::send_motion(const Queue& queue, const State& in, const Contacts* contacts, Real dt) {
  const int n = model_.particle_count;
  if (n == 0) return;
  const bool touch = any_contacts(contacts);
  launch(queue, n,
         MoveParticles{particles(in), soft_view(contacts), model_.shape_world.data(), pair_view(contacts),
                       by_particle1_.view(touch ? pair_room(*contacts) : 0),
                       touch ? contacts_of_particle_.data() : nullptr, free_qd_.data(), dt, new_q_.data(),
                       new_qd_.data(), particle_lost_.data()});
  exclusive_scan(queue, particle_lost_.const_view(), lost_before_.view(), scan_);
  launch(queue, model_.world_count + 1,
         FindLostWorlds{model_.particle_world_start.data(), lost_before_.data(), model_.world_count, n,
                        world_lost_.data()});
}

void ParticleForces::send_take(const Queue& queue, const State& in, const State& out,
                               const Array<int>& is_frozen) const {
  launch(queue, model_.particle_count,
         TakeMotion{particles(in), new_q_.data(), new_qd_.data(), is_frozen.data(), out.particle_q.data(),
                    out.particle_qd.data()});
}

void ParticleForces::send_move(const Queue& queue, const State& in, const State& out, const Contacts* contacts, Real dt,
                               const Array<std::int32_t>& status) {
  send_motion(queue, in, contacts, dt);
  send_take(queue, in, out, world_lost_);
  // Without a slot for what is global its particles are kept all the same.
  launch(queue, static_cast<int>(std::min(status.size(), world_lost_.size())),
         MarkLostWorlds{world_lost_.data(), status.data()});
}

Real ParticleForces::largest_stable_step() const {
  if (stable_generation_ != model_.generation()) {
    stable_step_ = find_stable_step(model_);
    stable_generation_ = model_.generation();
  }
  return stable_step_;
}

void ParticleForces::Order::reserve(std::int64_t room, Device device) {
  grow(key, room, device);
  grow(index, room, device);
}

void ParticleForces::Order::send(const Queue& queue, int room, int groups) {
  if (room == 0) return;
  const int bits = std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(groups))));
  sort_by_key(queue, {key.data(), room}, {index.data(), room}, sort, bits);
}

}  // namespace carom::inline CAROM_PRECISION
