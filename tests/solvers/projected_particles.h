// Particles that ParticleProjection alone moves, step by step, with the contacts that a pipeline finds. Bodies stay
// where they are, and what particles do to them is kept.
#pragma once

#include "carom/carom.h"
#include "solvers/xpbd/particle_projection.h"

namespace carom {

struct ProjectedParticles {
  Model model;
  Queue queue;
  CollisionPipeline pipeline;
  ParticleProjection projection;
  State state;
  Control control;
  Array<std::int32_t> status;
  Contacts contacts;
  Real soft_contact_margin = Real(0.01);  // [m]

  explicit ProjectedParticles(const Model& of, const ParticleProjectionConfig& config = {},
                              const Queue& on = default_queue())
      : model(of),
        queue(on),
        pipeline(of, {.particle_contacts = true}, &queue),
        projection(of, config),
        state(of.state()),
        control(of.control()),
        status(of.world_count > 0 ? of.world_count : 1, of.device) {}
  explicit ProjectedParticles(const ModelBuilder& builder, const ParticleProjectionConfig& config = {})
      : ProjectedParticles(builder.finalize(), config) {}

  void step(Real dt, int n = 1) {
    for (int i = 0; i < n; ++i) {
      contacts = pipeline.collide(state, soft_contact_margin);
      projection.send_forces(queue, state, control, &contacts, dt, status);
      projection.send_take(queue, state, state, status);
      queue.finish();
    }
  }

  Vec3 q(int i) const { return state.particle_q[i]; }
  Vec3 qd(int i) const { return state.particle_qd[i]; }
  SpatialVector push(int body) const { return reinterpret_cast<const SpatialVector*>(projection.body_push())[body]; }
};

}  // namespace carom
