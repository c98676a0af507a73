// Which way is up: gravity, the ground and the grid of replicate() follow the builder's up_axis; models and files keep
// it.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>

#include "carom/carom.h"

namespace carom {
namespace {

constexpr Axis kAxes[] = {Axis::kX, Axis::kY, Axis::kZ};

// The axes in a ring, so that z comes to stand where `up` stands: exact, and right-handed.
Vec3 turned(Vec3 v, Axis up) {
  if (up == Axis::kX) return {v.z, v.x, v.y};
  if (up == Axis::kY) return {v.y, v.z, v.x};
  return v;
}

std::string error_of(const std::function<void()>& fn) {
  try {
    fn();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(UpAxis, Names) {
  for (const Axis axis : kAxes) EXPECT_EQ(parse_axis(axis_name(axis)), axis);
  EXPECT_EQ(parse_axis("y"), Axis::kY);
  const std::string error = error_of([] { parse_axis("up"); });
  EXPECT_NE(error.find("'up'; use \"X\", \"Y\" or \"Z\""), std::string::npos) << error;
}

// Proves that gravity points down unless it is given, and that the normal of the ground points up, to the bit.
TEST(UpAxis, GravityAndGround) {
  EXPECT_EQ(ModelBuilder().up_axis(), Axis::kZ);
  for (const Axis up : kAxes) {
    ModelBuilder builder(up), light(up, Vec3{1, 2, 3});
    EXPECT_EQ(builder.gravity, turned({0, 0, Real(-9.81)}, up));
    for (int a = 0; a < 3; ++a) EXPECT_TRUE(builder.gravity[a] < 0 || !std::signbit(builder.gravity[a])) << "-0";
    EXPECT_EQ(light.gravity, (Vec3{1, 2, 3}));
    builder.add_ground_plane(Real(0.25));
    builder.begin_world();
    builder.end_world();
    const Model model = builder.finalize();
    EXPECT_EQ(model.up_axis, up);
    EXPECT_EQ(model.gravity[0], builder.gravity);
    EXPECT_EQ(transform_point(model.shape_transform[0], Vec3{}), turned({0, 0, Real(0.25)}, up));
    EXPECT_EQ(transform_vector(model.shape_transform[0], Vec3{0, 0, 1}), turned({0, 0, 1}, up));
  }
  EXPECT_NE(error_of([] { ModelBuilder(Axis::kX, Vec3{0, kNotSet, 0}); }), "");
}

// Proves that replicate() centres its grid on the ground and lets it stand there, whichever way is up.
TEST(UpAxis, GridsStandOnTheGround) {
  for (const Axis up : kAxes) {
    ModelBuilder ball(up), builder(up);
    ball.add_body({.mass = 1});
    builder.replicate(ball, 8, {2, 2, 2});
    Vec3 lowest = builder.columns().body_q[0].p, sum{};
    for (const Transform& X : builder.columns().body_q) {
      for (int a = 0; a < 3; ++a) lowest[a] = std::min(lowest[a], X.p[a]);
      sum += X.p;
    }
    for (int a = 0; a < 3; ++a) {
      const bool is_up = a == static_cast<int>(up);
      EXPECT_EQ(lowest[a], is_up ? 0 : -1) << axis_name(up);
      EXPECT_EQ(sum[a], is_up ? 8 : 0) << axis_name(up);
    }
  }
}

// Proves that builders with different axes are not put together, and that nothing is added then.
TEST(UpAxis, BuildersAgree) {
  ModelBuilder y(Axis::kY), z;
  y.add_body({.mass = 1});
  for (const auto& add : std::initializer_list<std::function<void()>>{
           [&] { z.add_builder(y); }, [&] { z.add_world(y); }, [&] { z.replicate(y, 2); }}) {
    const std::string error = error_of(add);
    EXPECT_NE(error.find("has up_axis Y, this one Z"), std::string::npos) << error;
  }
  EXPECT_EQ(z.count(Entity::kBody), 0);
  EXPECT_EQ(z.world_count(), 0);
  ModelBuilder other(Axis::kY);
  other.add_world(y);
  EXPECT_EQ(ModelBuilder(other).up_axis(), Axis::kY) << "of a copy";
}

// Proves that a file keeps the axis.
TEST(UpAxis, IsSaved) {
  const std::string path = ::testing::TempDir() + "up_axis_" + (sizeof(Real) == 8 ? "f64" : "f32") + ".carom";
  ModelBuilder builder(Axis::kX);
  builder.add_body({.mass = 1});
  builder.finalize().save(path);
  EXPECT_EQ(load(path).up_axis, Axis::kX);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace carom
