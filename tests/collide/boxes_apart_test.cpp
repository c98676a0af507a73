// Boxes around shapes: closed forms of boxes side by side, and that boxes that are said to be apart are, as far as
// their distance tells.
#include "collide/narrow/boxes_apart.kernel.h"

#include <gtest/gtest.h>

#include "collide/convex_reference.h"

namespace carom {
namespace {

using namespace test;

constexpr Quat kNoTurn{0, 0, 0, 1};

// Proves that the gap along an axis decides, and that the reach is part of it: a box beside another one, with its
// centre away from the shape's origin, seen from both.
TEST(BoxesApart, GapBesideEachOther) {
  const LocalBox a = local_box({-1, -1, -1}, {1, 1, 1}), b = local_box({2, -1, -3}, {4, 5, 3});
  const Transform at_origin{{0, 0, 0}, kNoTurn};
  for (const double gap : {-0.5, 0.1, 0.25, 0.75, 3.0}) {
    const Transform X_WB{{Real(gap - 1), 0, 0}, kNoTurn};  // its lower face is at 1 + gap
    EXPECT_EQ(boxes_apart(a, at_origin, b, X_WB, Real(0.5)), gap > 0.5) << gap;
    EXPECT_EQ(boxes_apart(b, X_WB, a, at_origin, Real(0.5)), gap > 0.5) << gap;
  }
}

// Proves that the axes of both boxes count: an edge that points at a face is apart along the face's normal alone.
TEST(BoxesApart, EdgeBeforeFace) {
  const LocalBox cube = local_box({-1, -1, -1}, {1, 1, 1});
  const Real half_turn = Real(std::sin(std::acos(-1.0) / 8)), other = Real(std::cos(std::acos(-1.0) / 8));
  const Transform upright{{0, 0, 0}, kNoTurn};
  for (const double gap : {-0.1, 0.1}) {
    const Transform on_edge{{Real(1 + std::sqrt(2.0) + gap), 0, 0}, {0, 0, half_turn, other}};
    EXPECT_EQ(boxes_apart(cube, upright, cube, on_edge, 0), gap > 0) << gap;
    EXPECT_EQ(boxes_apart(cube, on_edge, cube, upright, 0), gap > 0) << gap;
  }
}

// Proves that nothing that is near is taken for apart, and that most of what is far is found.
TEST(BoxesApart, NeverNear) {
  RandomShapes random(4711);
  int far = 0, found = 0;
  for (int number = 0; number < 20'000; ++number) {
    RandomShapes::Pair p = random.pair(ShapeType::kBox, ShapeType::kBox, number);
    const double distance = distance_of(p.a, p.b).distance, reach = random.uniform(0, 0.5) * p.scale;
    const Vec3 half_a = p.a.shape.scale, half_b = p.b.shape.scale;
    const bool apart = boxes_apart(local_box(-half_a, half_a), p.a.X, local_box(-half_b, half_b), p.b.X, Real(reach));
    const bool is_far = distance > reach + 0.2 * p.scale;
    far += is_far, found += is_far && apart;
    if (!apart) continue;
    ASSERT_GT(distance, reach - kDistanceError * p.scale) << number;
  }
  EXPECT_GT(far, 1'000);
  EXPECT_GT(found, 0.9 * far);
}

}  // namespace
}  // namespace carom
