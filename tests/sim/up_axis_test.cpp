// The same motion whichever way is up.
#include <gtest/gtest.h>

#include <cstring>

#include "carom/carom.h"

namespace carom {
namespace {

// The axes in a ring, so that z comes to stand where `up` stands: exact, and right-handed.
Vec3 turned(Vec3 v, Axis up) {
  if (up == Axis::kX) return {v.z, v.x, v.y};
  if (up == Axis::kY) return {v.y, v.z, v.x};
  return v;
}

// Proves that a ball which falls, lands and rolls does so along the axes as they stand: the same numbers, turned. A sum
// of three squares is rounded in another order, so that they agree to rounding.
TEST(UpAxis, TheSameMotionTurned) {
  const auto positions = [](Axis up) {
    ModelBuilder builder(up);
    builder.add_ground_plane();
    const int ball = builder.add_body({.xform = {turned({0, 0, Real(0.15)}, up), {}}});
    builder.add_shape_sphere(ball, Real(0.1));
    const Model model = builder.finalize();
    Simulation simulation(model, kDefaultSolver, Real(0.005));
    const Vec3 pushed = turned({1, Real(0.5), 0}, up);
    std::memcpy(simulation.state().joint_qd.data(), &pushed, sizeof(pushed));
    simulation.step(100);
    EXPECT_EQ(simulation.contacts().rigid_contact_count[0], 1);
    return simulation.state().body_q[0].p;
  };
  const Vec3 z = positions(Axis::kZ);
  EXPECT_LT(z.z, Real(0.11));
  EXPECT_GT(z.x, Real(0.2));
  for (const Axis up : {Axis::kX, Axis::kY}) {
    const Vec3 apart = positions(up) - turned(z, up);
    EXPECT_LT(length(apart), sizeof(Real) == 8 ? Real(1e-9) : Real(1e-4)) << axis_name(up);
  }
}

}  // namespace
}  // namespace carom
