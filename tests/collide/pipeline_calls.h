// Calls of two pipelines that ought to tell the same, side by side: shapes and particles that come nearer and part
// again, so that the numbers of pairs and contacts rise and fall, and stay for some calls.
#pragma once

#include <string>
#include <vector>

#include "alloc_counter.h"
#include "tests/collide/soft_scene.h"
#include "tests/same_contacts.h"

namespace carom::pipeline_calls {

struct Case {
  std::string name;
  ModelBuilder builder;
  CollisionConfig config;
};

// Spheres, capsules and boxes in ragged worlds between two globals: pairs that take little time. Boxes beside capsules
// are pairs whose contacts can be kept.
inline ModelBuilder quick_shapes(std::uint64_t seed, int worlds, int shapes) {
  SeededRandom random(seed);
  ModelBuilder builder;
  const auto add = [&](int count) {
    for (int i = 0; i < count; ++i) {
      const Quat q = normalize(Quat{random.next(), random.next(), random.next(), Real(1.1)});
      const int body = builder.add_body({.xform = {soft_scene::random_vec(random, 1), q}});
      const Real size = soft_scene::random_between(random, 0.1, 0.3);
      if (i % 3 == 0) builder.add_shape_sphere(body, size);
      if (i % 3 == 1) builder.add_shape_capsule(body, size / 2, size);
      if (i % 3 == 2) builder.add_shape_box(body, size, size / 2, size);
    }
  };
  builder.add_ground_plane();
  for (int world = 0; world < worlds; ++world) {
    builder.begin_world();
    add(world == 0 ? shapes : random.below(shapes + 1));
    builder.end_world();
  }
  add(1);
  return builder;
}

// Shapes among globals, particles that touch shapes of all types and each other, a limit of contacts.
inline std::vector<Case> cases() {
  return {{"shapes", quick_shapes(5, 8, 40), {}},
          {"shapes that are followed", quick_shapes(5, 8, 40), {.speculative_time = Real(0.1)}},
          {"shapes that are kept", quick_shapes(5, 8, 40), {.keep_distance = Real(0.01)}},
          {"shapes that are followed and kept",
           quick_shapes(5, 8, 40),
           {.speculative_time = Real(0.1), .keep_distance = Real(0.01)}},
          {"at most 5 kept contacts", quick_shapes(7, 4, 20), {.rigid_contact_max = 5, .keep_distance = Real(0.01)}},
          {"at most 5 contacts", quick_shapes(7, 4, 20), {.rigid_contact_max = 5}},
          {"particles", soft_scene::random_builder(3, 2, 2, 40), {.particle_contacts = true}},
          {"no shapes", soft_scene::random_builder(4, 2, 0, 20), {.particle_contacts = true}},
          {"nothing", ModelBuilder(), {}}};
}

// Everything in the state, `spread` times as far from the origin as at first; bodies fly towards it, and spin.
inline void place(const Model& model, Real spread, State& state) {
  const State start = model.state();
  const Array<Transform> body_q = start.body_q.to(Device{});
  const Array<Vec3> particle_q = start.particle_q.to(Device{});
  const Array<SpatialVector> body_qd = start.body_qd.to(Device{});
  for (std::int64_t b = 0; b < body_q.size(); ++b) {
    body_q[b].p = body_q[b].p * spread;
    body_qd[b] = {body_q[b].p * Real(-5), Vec3{Real(b % 7), Real(b % 5), Real(b % 3)}};
  }
  for (Vec3& p : particle_q) p = p * spread;
  state.body_q.assign(body_q);
  state.body_qd.assign(body_qd);
  state.particle_q.assign(particle_q);
}

inline void expect_same_call(CollisionPipeline& a, CollisionPipeline& b, double spread) {
  State of_a = a.model().state(), of_b = b.model().state();
  place(a.model(), Real(spread), of_a);
  place(b.model(), Real(spread), of_b);
  const Contacts from_a = a.collide(of_a), from_b = b.collide(of_b);
  expect_same_results(a, from_a, b, from_b);
}

inline void expect_same(CollisionPipeline& a, CollisionPipeline& b) {
  struct Call {
    double spread;
    int state;  // of two
    double margin = 0.01;
  };
  const std::vector<Call> calls = {{9, 0},       {9, 0},       {1, 0},       {1, 0}, {1, 0}, {1, 0},
                                   {1, 0},       {1, 0},       {1, 0},       {1, 1}, {1, 0}, {1, 1},
                                   {1.002, 0},   {1.004, 1},   {2, 0},       {2, 0}, {2, 0}, {.3, 0, 0.2},
                                   {.3, 0, 0.2}, {.3, 0, 0.2}, {.3, 0, 0.2}, {9, 1}, {1, 1}};
  State of_a[] = {a.model().state(), a.model().state()}, of_b[] = {b.model().state(), b.model().state()};
  for (std::size_t i = 0; i < calls.size(); ++i) {
    SCOPED_TRACE("call " + std::to_string(i));
    const Call& call = calls[i];
    place(a.model(), Real(call.spread), of_a[call.state]);
    place(b.model(), Real(call.spread), of_b[call.state]);
    const Contacts from_a = a.collide(of_a[call.state], Real(call.margin));
    const Contacts from_b = b.collide(of_b[call.state], Real(call.margin));
    expect_same_results(a, from_a, b, from_b);
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace carom::pipeline_calls
