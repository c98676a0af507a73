// What stands under SolverXPBD, and what falls: stacks, an arch, a house of cards, dominoes, and large worlds.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "carom/carom.h"
#include "scenes/scenes.h"
#include "tests/solvers/penalty_scenes.h"

namespace carom {
namespace {

constexpr double kG = 9.81;

ShapeConfig rough(Real mu) {
  ShapeConfig cfg;
  cfg.mu = mu;
  return cfg;
}
Simulation with_options(const Model& model, Real dt, const std::vector<SolverOption>& options = {},
                        const Queue* queue = nullptr) {
  return Simulation(model, make_solver("xpbd", model, options, queue), dt);
}
double fastest(const Simulation& sim) {
  double most = 0;
  for (const SpatialVector& V : sim.state().body_qd) most = std::max<double>(most, length(V.linear));
  return most;
}
// By which bodies have moved from where they were.
double farthest(const Simulation& sim, const std::vector<Transform>& from) {
  double most = 0;
  for (std::size_t b = 0; b < from.size(); ++b)
    most = std::max<double>(most, length(sim.state().body_q[b].p - from[b].p));
  return most;
}
std::vector<Transform> poses(const Simulation& sim) { return {sim.state().body_q.begin(), sim.state().body_q.end()}; }

// Ten boxes stand still for a minute, and each contact carries what stands on it. Those that keep contacts are hulls.
void stand_for_a_minute(Real keep_distance) {
  ModelBuilder scene;
  scene.options.contact_keep_distance = keep_distance;
  const ShapeConfig cfg = rough(Real(0.6));
  const auto hull = std::make_shared<const Mesh>(make_box_mesh(Real(0.1), Real(0.1), Real(0.1)));
  scene.add_ground_plane(0, {.cfg = cfg});
  for (int k = 0; k < 10; ++k) {
    const int box = scene.add_body({.xform = {{0, 0, Real(0.1 + 0.2 * k)}, {}}});
    if (keep_distance > 0) scene.add_shape_convex_hull(box, hull, {1, 1, 1}, {.cfg = cfg});
    else scene.add_shape_box(box, Real(0.1), Real(0.1), Real(0.1), {.cfg = cfg});
  }
  const Model model = scene.finalize();
  Simulation sim = with_options(model, Real(1) / 240);
  sim.step(240);
  const std::vector<Transform> settled = poses(sim);
  for (int second = 1; second < 60; ++second)
    for (const int status : sim.step(240)) ASSERT_EQ(status, 0);
  EXPECT_LT(farthest(sim, settled), 1e-3);
  EXPECT_LT(fastest(sim), 1e-3);
  EXPECT_NEAR(sim.state().body_q[9].p.z, 1.9, 3e-3);
}
TEST(XpbdPiles, TenBoxesForAMinute) { stand_for_a_minute(0); }
TEST(XpbdPiles, TenBoxesForAMinuteOnKeptContacts) { stand_for_a_minute(Real(1e-3)); }

// Ten times as heavy on top.
TEST(XpbdPiles, HeavyOnLight) {
  ModelBuilder scene;
  ShapeConfig cfg = rough(Real(0.6));
  scene.add_ground_plane(0, {.cfg = cfg});
  for (int k = 0; k < 4; ++k) {
    const int box = scene.add_body({.xform = {{0, 0, Real(0.1 + 0.2 * k)}, {}}});
    cfg.density = k == 3 ? Real(1e4) : Real(1e3);
    scene.add_shape_box(box, Real(0.1), Real(0.1), Real(0.1), {.cfg = cfg});
  }
  const Model model = scene.finalize();
  Simulation sim = with_options(model, Real(1) / 240);
  sim.step(2400);
  EXPECT_NEAR(sim.state().body_q[3].p.z, 0.7, 5e-3);
  EXPECT_LT(fastest(sim), 2e-3);
}

// Voussoirs without mortar: a half circle of eleven stones between springers that do not move.
TEST(XpbdPiles, AnArchStands) {
  const int stones = 11;
  const double inner = 1, outer = 1.35, half_width = 0.15, angle = M_PI / stones;
  ModelBuilder scene;
  const ShapeConfig cfg = rough(Real(0.7));
  scene.add_ground_plane(0, {.cfg = cfg});
  std::vector<Vec3> corners;
  for (const double a : {-angle / 2, angle / 2})
    for (const double r : {inner, outer})
      for (const double y : {-half_width, half_width})
        corners.push_back({Real(r * sin(a)), Real(y), Real(r * cos(a) - (inner + outer) / 2)});
  const std::vector<int> faces{0, 1, 3, 0, 3, 2, 4, 7, 5, 4, 6, 7, 0, 5, 1, 0, 4, 5,
                               2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3};
  const auto stone = std::make_shared<const Mesh>(corners, faces);
  for (int k = 0; k < stones; ++k) {
    const double a = M_PI / 2 - (k + 0.5) * angle, r = (inner + outer) / 2;
    const Quat q = quat_from_rotation_vector(Vec3{0, Real(a), 0});
    const int body = scene.add_body({.xform = {{Real(r * sin(a)), 0, Real(r * cos(a))}, q}});
    scene.add_shape_convex_hull(body, stone, {1, 1, 1}, {.cfg = cfg});
  }
  const Model model = scene.finalize();
  Simulation sim = with_options(model, Real(1) / 240);
  const std::vector<Transform> start = poses(sim);
  sim.step(240 * 10);
  EXPECT_LT(farthest(sim, start), 0.02);
  EXPECT_LT(fastest(sim), 5e-3);
}

// Two leaning pairs of cards, one laid across, and a pair on top.
TEST(XpbdPiles, AHouseOfCardsStands) {
  const double tall = 0.2, thick = 0.002, lean = 20 * M_PI / 180;
  ModelBuilder scene;
  const ShapeConfig cfg = rough(Real(0.8));
  scene.add_ground_plane(0, {.cfg = cfg});
  const auto card = [&](double x, double z, double turn) {
    const int body =
        scene.add_body({.xform = {{Real(x), 0, Real(z)}, quat_from_rotation_vector(Vec3{0, Real(turn), 0})}});
    scene.add_shape_box(body, Real(thick / 2), Real(0.06), Real(tall / 2), {.cfg = cfg});
  };
  // Leaning cards touch the ground with a lower edge, and each other with an upper one.
  const double up = tall / 2 * cos(lean) + thick / 2 * sin(lean), out = tall / 2 * sin(lean) + thick / 2 * cos(lean),
               apart = 2 * out + 0.01;
  const auto pair = [&](double x, double z) {
    card(x - out, z + up, lean);
    card(x + out, z + up, -lean);
  };
  pair(-apart, 0), pair(apart, 0);
  for (const double x : {-apart, apart}) card(x, 2 * up + thick / 2, M_PI / 2);
  const Model model = scene.finalize();
  Simulation sim = with_options(model, Real(1) / 480);
  const std::vector<Transform> start = poses(sim);
  sim.step(480 * 10);
  EXPECT_LT(farthest(sim, start), 0.01);
  EXPECT_LT(fastest(sim), 5e-3);
}

// A row of dominoes falls from the first to the last, one after the other.
TEST(XpbdPiles, DominoesFallInARow) {
  const int count = 12;
  ModelBuilder scene;
  const ShapeConfig cfg = rough(Real(0.5));
  scene.add_ground_plane(0, {.cfg = cfg});
  for (int k = 0; k < count; ++k) {
    const int body = scene.add_body({.xform = {{Real(0.05 * k), 0, Real(0.06)}, {}}});
    scene.add_shape_box(body, Real(0.006), Real(0.03), Real(0.06), {.cfg = cfg});
  }
  const Model model = scene.finalize();
  Simulation sim = with_options(model, Real(1) / 240);
  sim.step(120);
  for (const SpatialVector& V : sim.state().body_qd) ASSERT_LT(length(V.angular), 1e-2);
  sim.state().body_qd[0].angular.y = 8;
  std::vector<double> fell(count, -1);
  for (int n = 0; n < 240 * 5; ++n) {
    sim.step();
    for (int k = 0; k < count; ++k)
      if (fell[k] < 0 && std::abs(rotation_vector(sim.state().body_q[k].q).y) > 0.5) fell[k] = n;
  }
  for (int k = 0; k < count; ++k) EXPECT_GE(fell[k], 0) << "domino " << k << " stands";
  EXPECT_TRUE(std::is_sorted(fell.begin(), fell.end()));
}

// A wall that is thrown onto the ground: one answer, whether one thread has it or several share it, and whether it
// bounces or not. It is large enough that loops over the contacts of a colour are divided.
TEST(XpbdPiles, ThreadsShareAWorld) {
  ShapeConfig cfg = rough(Real(0.5));
  cfg.restitution = Real(0.3);
  const Model model = scenes::pyramid(60, cfg).finalize();
  for (const double bounces : {0, 1}) {
    const auto run = [&](int threads) {
      const Queue queue(Device{}, {.threads = threads});
      Simulation sim = with_options(model, Real(1) / 60, {{"enable_restitution", bounces}}, &queue);
      for (SpatialVector& V : sim.state().body_qd) V.linear.z = -2;
      for (const int status : sim.step(bounces > 0 ? 2 : 8)) EXPECT_EQ(status, 0);
      return poses(sim);
    };
    const std::vector<Transform> alone = run(1);
    for (const int threads : {2, 4}) {
      const std::vector<Transform> shared = run(threads);
      for (std::size_t b = 0; b < alone.size(); ++b)
        ASSERT_EQ(std::memcmp(&alone[b], &shared[b], sizeof(Transform)), 0)
            << "body " << b << ", " << threads << " threads, bounces " << bounces;
    }
  }
}

// A heap of balls and boxes in one world settles, and is the same bit for bit for any number of threads and beside
// other worlds.
TEST(XpbdPiles, LargeWorldsComeToRest) {
  const auto heap = [] {
    ModelBuilder scene;
    for (int k = 0; k < 125; ++k) {
      const int x = k % 5, y = k / 5 % 5, z = k / 25;
      const int body =
          scene.add_body({.xform = {{Real(0.25 * x + 0.02 * (z % 2)), Real(0.25 * y), Real(0.15 + 0.25 * z)}, {}}});
      if (k % 2) scene.add_shape_sphere(body, Real(0.1), {.cfg = rough(Real(0.5))});
      else scene.add_shape_box(body, Real(0.1), Real(0.1), Real(0.1), {.cfg = rough(Real(0.5))});
    }
    return scene;
  };
  const auto run = [&](int worlds, int threads) {
    ModelBuilder all;
    all.add_ground_plane(0, {.cfg = rough(Real(0.5))});
    for (int w = 0; w < worlds; ++w) all.add_world(heap());
    const Model model = all.finalize();
    const Queue queue(Device{}, {.threads = threads});
    Simulation sim = with_options(model, Real(1) / 240, {}, &queue);
    for (const int status : sim.step(240 * 3)) EXPECT_EQ(status, 0);
    return poses(sim);
  };
  const std::vector<Transform> alone = run(1, 1), beside = run(3, 2);
  for (std::size_t b = 0; b < alone.size(); ++b) {
    EXPECT_EQ(std::memcmp(&alone[b], &beside[b + 125], sizeof(Transform)), 0) << "body " << b;
    EXPECT_GT(alone[b].p.z, 0.09);
  }
}

}  // namespace
}  // namespace carom
