// Particles that ParticleForces alone moves, step by step, with the contacts that a pipeline finds. Bodies stay where
// they are, and what particles do to them is kept.
#pragma once

#include "carom/carom.h"
#include "dynamics/particles/particle_forces.h"

namespace carom {

struct ParticleWorld {
  Model model;
  Queue queue;
  CollisionPipeline pipeline;
  ParticleForces forces;
  State state;
  Control control;
  Array<SpatialVector> body_push;
  Array<std::int32_t> status;
  Contacts contacts;

  explicit ParticleWorld(const Model& of, const Queue& on = default_queue())
      : model(of),
        queue(on),
        pipeline(of, {.particle_contacts = true}, &queue),
        forces(of),
        state(of.state()),
        control(of.control()),
        body_push(of.body_count, of.device),
        status(of.world_count > 0 ? of.world_count : 1, of.device) {}
  explicit ParticleWorld(const ModelBuilder& builder) : ParticleWorld(builder.finalize()) {}

  void step(Real dt, int n = 1) {
    for (int i = 0; i < n; ++i) step_with(nullptr, dt);
  }
  void step_in_contact(Real dt, int n = 1) {
    for (int i = 0; i < n; ++i) {
      contacts = pipeline.collide(state);
      step_with(&contacts, dt);
    }
  }

  Vec3 q(int i) const { return state.particle_q[i]; }
  Vec3 qd(int i) const { return state.particle_qd[i]; }

 private:
  void step_with(const Contacts* touching, Real dt) {
    body_push = Array<SpatialVector>(model.body_count, model.device);
    forces.send(queue, state, control, touching, dt, body_push);
    forces.send_move(queue, state, state, touching, dt, status);
    queue.finish();
  }
};

inline ModelBuilder without_gravity() {
  ModelBuilder builder;
  builder.gravity = {};
  return builder;
}

}  // namespace carom
