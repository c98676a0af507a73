// Every shape on every ground, a world for each pair, through the whole step: rests with its weight, stays or slides as
// Coulomb says, stays or topples as its width and height say; and a pile whose ground carries it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "carom/carom.h"

namespace carom {
namespace {

constexpr double kG = 9.81;
// Stricter than usual, since forces are compared (contact_rest_test.cpp).
const SolverMuJoCoConfig kStrict{.tolerance = sizeof(Real) == 8 ? Real(1e-18) : Real(1e-11)};
constexpr Real kDt = Real(0.002), kMass = 2;

struct Subject {
  const char* name;
  std::function<void(ModelBuilder&, int body, const ShapeConfig&)> add;
  Real height;  // of its centre over the ground [m]
  bool slides;  // stands on a face that does not roll
};

std::shared_ptr<const Mesh> box_mesh(Real hx, Real hy, Real hz) {
  return std::make_shared<const Mesh>(make_box_mesh(hx, hy, hz));
}

// Half a width of 0.1 m; those with a flat side stand on it. Points on a signed distance field come from a search and
// wander over a flat side: it rests, but hops a little when it slides (docs/decisions/0010-collide-then-solve.md).
std::vector<Subject> subjects() {
  const Real r = Real(0.1);
  const auto sdf = std::make_shared<const SDF>(sdf_from_mesh(*box_mesh(r, r, r), Real(0.025), Real(0.05)));
  using B = ModelBuilder;
  using C = ShapeConfig;
  return {
      {"sphere", [=](B& b, int body, const C& c) { b.add_shape_sphere(body, r, {.cfg = c}); }, r, false},
      {"ellipsoid", [=](B& b, int i, const C& c) { b.add_shape_ellipsoid(i, 2 * r, 2 * r, r, {.cfg = c}); }, r, false},
      {"capsule",
       [=](B& b, int i, const C& c) {
         const Quat lying{0, sqrt(Real(0.5)), 0, sqrt(Real(0.5))};
         b.add_shape_capsule(i, r, r, {.xform = {{}, lying}, .cfg = c});
       },
       r, false},
      {"box", [=](B& b, int i, const C& c) { b.add_shape_box(i, r, r, r, {.cfg = c}); }, r, true},
      {"cylinder", [=](B& b, int i, const C& c) { b.add_shape_cylinder(i, r, r, {.cfg = c}); }, r, true},
      {"cone", [=](B& b, int i, const C& c) { b.add_shape_cone(i, r, r / 2, {.cfg = c}); }, r / 2, true},
      {"hull",
       [=](B& b, int i, const C& c) {
         b.add_shape_convex_hull(i, box_mesh(r, r, r), {1, 1, 1}, {.cfg = c});
       },
       r, true},
      {"mesh",
       [=](B& b, int i, const C& c) {
         b.add_shape_mesh(i, box_mesh(r, r, r), {1, 1, 1}, {.cfg = c});
       },
       r, true},
      {"sdf",
       [=](B& b, int i, const C& c) {
         b.add_shape_sdf(i, sdf, {1, 1, 1}, {.cfg = c});
       },
       r, false},
  };
}

struct Ground {
  const char* name;
  std::function<void(ModelBuilder&, const ShapeConfig&)> add;  // its top at z = 0
};

std::vector<Ground> grounds() {
  const auto field = std::make_shared<const Heightfield>(std::vector<Real>(81, 0), 9, 9, Real(2), Real(2));
  using B = ModelBuilder;
  using C = ShapeConfig;
  return {
      {"plane", [](B& b, const C& c) { b.add_ground_plane(0, {.cfg = c}); }},
      {"box",
       [](B& b, const C& c) {
         b.add_shape_box(-1, 2, 2, Real(0.5), {.xform = {{0, 0, Real(-0.5)}, {}}, .cfg = c});
       }},
      {"mesh",
       [](B& b, const C& c) {
         b.add_shape_mesh(-1, box_mesh(2, 2, Real(0.5)), {1, 1, 1}, {.xform = {{0, 0, Real(-0.5)}, {}}, .cfg = c});
       }},
      {"heightfield",
       [=](B& b, const C& c) {
         b.add_shape_heightfield(field, {1, 1, 1}, {.cfg = c});
       }},
  };
}

// A world for every pair; `lean`: of gravity from the vertical, towards x [rad].
struct Scene {
  ModelBuilder builder;
  std::vector<std::string> names;
  std::vector<int> bodies;

  Scene(double lean, Real mu, bool only_sliding) {
    ShapeConfig cfg;
    cfg.mu = mu;
    cfg.density = 0;
    const Vec3 gravity{Real(kG * std::sin(lean)), 0, Real(-kG * std::cos(lean))};
    for (const Subject& subject : subjects()) {
      if (only_sliding && !subject.slides) continue;
      for (const Ground& ground : grounds()) {
        names.push_back(std::string(subject.name) + " on " + ground.name);
        builder.begin_world(names.back(), gravity);
        ground.add(builder, cfg);
        // Off the lines of the heightfield's grid and of the mesh's triangles.
        bodies.push_back(builder.add_body({.xform = {{Real(0.03), Real(0.11), subject.height}, {}},
                                           .inertia = mat33_identity<Real>() * Real(0.02),
                                           .mass = kMass}));
        subject.add(builder, bodies.back(), cfg);
        builder.end_world();
      }
    }
  }
};

// Force of all contacts on one body.
Vec3 force_on(const Model& model, const Contacts& contacts, int body) {
  Vec3 sum{};
  for (int c = 0; c < contacts.rigid_contact_count[0]; ++c) {
    const Vec3 f = contacts.rigid_contact_force[c];
    if (model.shape_body[contacts.rigid_contact_shape1[c]] == body) sum += f;
    if (model.shape_body[contacts.rigid_contact_shape0[c]] == body) sum -= f;
  }
  return sum;
}

// Proves that every shape comes to rest on every ground, where its weight is carried to a thousandth.
TEST(EveryShape, Rests) {
  const Scene scene(0, Real(0.8), false);
  const Model model = scene.builder.finalize();
  Simulation sim(model, SolverMuJoCo(model, kStrict), kDt);
  const Array<std::int32_t>& status = sim.step(1000);
  for (std::size_t w = 0; w < scene.names.size(); ++w) {
    SCOPED_TRACE(scene.names[w]);
    const int body = scene.bodies[w];
    EXPECT_EQ(status[w], 0);
    const Vec3 f = force_on(model, sim.contacts(), body);
    EXPECT_NEAR(f.z, kMass * kG, 1e-3 * kMass * kG);
    EXPECT_LT(std::hypot(double(f.x), double(f.y)), 1e-3 * kMass * kG);
    EXPECT_LT(length(sim.state().body_qd[body].linear), 1e-3);
    EXPECT_LT(length(sim.state().body_qd[body].angular), 1e-2);
    EXPECT_NEAR(sim.state().body_q[body].p.z, model.body_q[body].p.z, 2e-3);
  }
}

// Proves that shapes with a flat side stay on a slope below the angle of friction but for the creep of soft contacts,
// and slide down one above it with g (sin a - mu cos a).
TEST(EveryShape, StaysOrSlides) {
  const Real mu = Real(0.5);
  for (const double lean : {0.3, 0.6}) {
    const Scene scene(lean, mu, true);
    const Model model = scene.builder.finalize();
    Simulation sim(model, SolverMuJoCo(model, kStrict), kDt);
    sim.step(100);
    const State before = sim.state().clone();
    sim.step(100);
    for (std::size_t w = 0; w < scene.names.size(); ++w) {
      SCOPED_TRACE(scene.names[w] + " at " + std::to_string(lean));
      const int body = scene.bodies[w];
      const double gained = sim.state().body_qd[body].linear.x - before.body_qd[body].linear.x, time = 100 * kDt;
      const double expected = std::max(0.0, kG * (std::sin(lean) - mu * std::cos(lean)));
      EXPECT_NEAR(gained / time, expected, 0.02 * kG);
      EXPECT_EQ(sim.state().body_qd[body].linear.x > 0.3, lean > 0.5);
    }
  }
}

// Proves that all of them rest and slide on a GPU as they do on the CPU, to the bit. Not run where there is no GPU.
TEST(CudaEveryShape, MovesAsOnTheCpu) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "NOT RUN ON CUDA: this build or machine has no CUDA device";
  const auto same = []<class T>(const Array<T>& a, const Array<T>& b) {
    const Array<T> there = b.on_cpu();
    return a.size() == there.size() && std::memcmp(a.data(), there.data(), a.bytes()) == 0;
  };
  for (const double lean : {0.0, 0.3, 0.6}) {
    SCOPED_TRACE(lean);
    const Scene scene(lean, Real(0.5), false);
    const Model model = scene.builder.finalize(), there = scene.builder.finalize(Device::parse("cuda"));
    const SolverMuJoCoConfig config{.max_contacts = 64};
    Simulation cpu(model, SolverMuJoCo(model, config), kDt), gpu(there, SolverMuJoCo(there, config), kDt);
    for (const int steps : {1, 50, 149}) {
      cpu.step(steps);
      gpu.step(steps);
      EXPECT_TRUE(same(cpu.state().body_q, gpu.state().body_q));
      EXPECT_TRUE(same(cpu.state().body_qd, gpu.state().body_qd));
      EXPECT_TRUE(same(cpu.status(), gpu.status()));
    }
  }
}

// Proves that a tower five times as high as wide stands until gravity leans over its edge, and topples then.
TEST(EveryShape, StandsOrTopples) {
  const Real r = Real(0.05), h = Real(0.25);
  using B = ModelBuilder;
  using C = ShapeConfig;
  const std::vector<Subject> towers{
      {"box", [=](B& b, int i, const C& c) { b.add_shape_box(i, r, r, h, {.cfg = c}); }, h, true},
      {"cylinder", [=](B& b, int i, const C& c) { b.add_shape_cylinder(i, r, h, {.cfg = c}); }, h, true},
      {"hull",
       [=](B& b, int i, const C& c) {
         b.add_shape_convex_hull(i, box_mesh(r, r, h), {1, 1, 1}, {.cfg = c});
       },
       h, true},
      {"mesh",
       [=](B& b, int i, const C& c) {
         b.add_shape_mesh(i, box_mesh(r, r, h), {1, 1, 1}, {.cfg = c});
       },
       h, true},
  };
  for (const bool topples : {false, true}) {
    const double lean = std::atan(double(r / h)) * (topples ? 1.3 : 0.7);
    for (const Subject& tower : towers)
      for (const Ground& ground : grounds()) {
        SCOPED_TRACE(std::string(tower.name) + " on " + ground.name);
        ModelBuilder builder;
        builder.gravity = {Real(kG * std::sin(lean)), 0, Real(-kG * std::cos(lean))};
        ShapeConfig cfg;
        cfg.mu = 1;
        ground.add(builder, cfg);
        const int body = builder.add_body({.xform = {{Real(0.03), Real(0.11), h}, {}}});
        tower.add(builder, body, cfg);
        Simulation sim(builder.finalize(), "mujoco", kDt);
        sim.step(400);
        const Vec3 up = rotate(sim.state().body_q[body].q, Vec3{0, 0, 1});
        EXPECT_EQ(up.z < Real(0.5), topples) << up.z;
        EXPECT_TRUE(topples || up.z > Real(0.999)) << up.z;
      }
  }
}

// What carries shapes that do not move [N].
Vec3 force_on_ground(const Model& model, const Contacts& contacts) {
  Vec3 carried{};
  for (int c = 0; c < contacts.rigid_contact_count[0]; ++c) {
    if (model.shape_body[contacts.rigid_contact_shape0[c]] < 0) carried += contacts.rigid_contact_force[c];
    if (model.shape_body[contacts.rigid_contact_shape1[c]] < 0) carried -= contacts.rigid_contact_force[c];
  }
  return carried;
}

// Proves that the ground under a settled pile of all shapes carries its weight to a thousandth, in the mean of a
// second, since points of contact wander and what lies on them trembles; and in every step weight and accelerations
// together.
TEST(EveryShape, GroundCarriesAPile) {
  ModelBuilder builder;
  builder.add_ground_plane();
  const Real wall = Real(0.45);
  for (int side = 0; side < 4; ++side) {
    const Real x = side < 2 ? (side ? wall : -wall) : Real(0), y = side < 2 ? Real(0) : (side == 2 ? wall : -wall);
    builder.add_shape_box(-1, side < 2 ? Real(0.1) : wall, side < 2 ? wall : Real(0.1), 1, {.xform = {{x, y, 1}, {}}});
  }
  ShapeConfig cfg;
  cfg.density = 0;
  int count = 0;
  std::vector<int> bodies;
  for (const Subject& subject : subjects()) {
    const Real x = Real(count % 2) * Real(0.3) - Real(0.15), y = Real(count / 2 % 2) * Real(0.3) - Real(0.15);
    bodies.push_back(builder.add_body({.xform = {{x, y, Real(0.2) + Real(0.3) * Real(count / 4)}, {}},
                                       .inertia = mat33_identity<Real>() * Real(0.02),
                                       .mass = kMass}));
    subject.add(builder, bodies.back(), cfg);
    ++count;
  }
  const Model model = builder.finalize();
  Simulation sim(model, SolverMuJoCo(model, kStrict), kDt);
  sim.step(3000);
  const double weight = count * kMass * kG;
  double mean = 0;
  constexpr int kSteps = 500;
  for (int i = 0; i < kSteps; ++i) {
    sim.step();
    double inertia = 0;
    for (const int body : bodies) inertia += double(kMass) * sim.state().joint_qdd[6 * body + 2];
    const double carried = force_on_ground(model, sim.contacts()).z;
    EXPECT_NEAR(carried, weight + inertia, weight * (sizeof(Real) == 8 ? 1e-9 : 1e-4));
    mean += carried / kSteps;
  }
  EXPECT_NEAR(mean, weight, 1e-3 * weight);
}

}  // namespace
}  // namespace carom
