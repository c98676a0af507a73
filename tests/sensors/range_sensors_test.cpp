// Rangefinders and distances between shapes: by hand, against queries of single rays and pairs, and in worlds that
// differ.
#include "sensors/range_sensors.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/backend/on_device.h"
#include "tests/random.h"
#include "tests/sensors/sensor_rig.h"

namespace carom {
namespace {

constexpr Real kNear = sizeof(Real) == 4 ? Real(2e-5) : Real(1e-12);
constexpr int kAllOfRays = (1 << kRayDataBits) - 1;

class RangeSensorsTest : public testing::OnDevice {};

void read(SensorRig& rig) {
  RangeSensors(rig.model, rig.solver.queue()).send(rig.look(), rig.values.data(), rig.value_at.data());
  rig.solver.queue().finish();
}

void expect_near(const std::vector<Real>& told, const std::vector<Real>& expected) {
  ASSERT_EQ(told.size(), expected.size());
  for (std::size_t i = 0; i < told.size(); ++i) EXPECT_NEAR(told[i], expected[i], kNear) << "number " << i;
}

const Transform kDownwards{{0, 0, 0}, {1, 0, 0, 0}};  // z points down

// Proves all fields of a ray, and that it passes the shapes of what carries it; of what the world carries those that
// are fixed.
TEST_P(RangeSensorsTest, RaysTellWhatTheyMeet) {
  ModelBuilder builder;
  builder.add_ground_plane();
  const int body = builder.add_body({.xform = {{1, 2, 3}, {}}});
  builder.add_shape_sphere(body, Real(0.5));
  const SensorConfig all{.data = kAllOfRays};
  builder.add_sensor(SensorType::kRangefinder, sensed_frame(body, kDownwards), {}, all, "down");
  builder.add_sensor(SensorType::kRangefinder, sensed_frame(body), {}, all, "up");
  const Transform above{{1, 2, 5}, {1, 0, 0, 0}};
  builder.add_sensor(SensorType::kRangefinder, sensed_frame(-1, above), {}, {.data = kRayDist | kRayNormal}, "above");
  const Transform beside{{4, 2, 5}, {1, 0, 0, 0}};
  builder.add_sensor(SensorType::kRangefinder, sensed_frame(-1, beside), {}, {}, "beside");
  SensorRig rig(builder.finalize(device()));
  read(rig);
  expect_near(rig.of("down"), {3, 0, 0, -1, 1, 2, 3, 1, 2, 0, 0, 0, 1, 3});
  expect_near(rig.of("up"), {-1, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, -1});
  expect_near(rig.of("above"), {Real(1.5), 0, 0, 1});
  expect_near(rig.of("beside"), {-1});
}

// Proves that a camera sees through the middles of its pixels, from the upper left one on, with depths along its axis.
TEST_P(RangeSensorsTest, CamerasHaveARayForEachPixel) {
  ModelBuilder builder;
  builder.add_ground_plane();
  const int body = builder.add_body({.xform = {{0, 0, 2}, {}}});
  builder.add_shape_sphere(body, Real(0.1));
  builder.add_sensor(SensorType::kRangefinder, sensed_frame(body), {},
                     {.data = kRayDist | kRayPoint | kRayDepth, .camera = {2, 4, 1, 2}, .resolution = {3, 2}},
                     "camera");
  SensorRig rig(builder.finalize(device()));
  read(rig);
  std::vector<Real> expected;
  for (int row = 0; row < 2; ++row)
    for (int column = 0; column < 3; ++column) {
      const Real x = (Real(column) - Real(0.5)) / 2, y = -(Real(row) - Real(1.5)) / 4;
      const Real each[] = {2 * std::sqrt(x * x + y * y + 1), 2 * x, 2 * y, 0, 2};
      expected.insert(expected.end(), std::begin(each), std::end(each));
    }
  expect_near(rig.of("camera"), expected);
}

Quat random_rotation(SeededRandom& random) {
  const Quat q{random.next(), random.next(), random.next(), random.next()};
  return normalize(q);
}

void add_random_shape(ModelBuilder& builder, int body, SeededRandom& random) {
  const auto size = [&] { return Real(random.uniform(0.1, 0.4)); };
  const Vec3 p{Real(random.uniform(-0.2, 0.2)), Real(random.uniform(-0.2, 0.2)), Real(random.uniform(-0.2, 0.2))};
  const ShapeArgs args{.xform = {p, random_rotation(random)}};
  const Real a = size(), b = size(), c = size();
  switch (random.next_bits() % 4) {
    case 0: builder.add_shape_sphere(body, a, args); break;
    case 1: builder.add_shape_box(body, a, b, c, args); break;
    case 2: builder.add_shape_capsule(body, a, b, args); break;
    default: builder.add_shape_ellipsoid(body, a, b, c, args); break;
  }
}

// A world of bodies anywhere, each with rangefinders, and distances between neighbours.
ModelBuilder random_world(int bodies, SeededRandom& random) {
  ModelBuilder builder;
  for (int i = 0; i < bodies; ++i) {
    const Vec3 p{Real(random.uniform(-0.7, 0.7)), Real(random.uniform(-0.7, 0.7)), Real(random.uniform(0, 1.4))};
    const int body = builder.add_body({.xform = {p, random_rotation(random)}});
    const int shapes = 1 + int(random.next_bits() % 3);
    for (int k = 0; k < shapes; ++k) add_random_shape(builder, body, random);
    builder.add_sensor(SensorType::kRangefinder, sensed_frame(body, {{}, random_rotation(random)}), {}, {},
                       "range" + std::to_string(i));
    if (i == 0) continue;
    const std::string key = std::to_string(i);
    for (const auto& [type, name] : {std::pair{SensorType::kDistance, "distance"},
                                     {SensorType::kNormal, "normal"},
                                     {SensorType::kFromTo, "fromto"}})
      builder.add_sensor(type, sensed_body(i - 1), sensed_body(i), {.cutoff = Real(0.7)}, name + key);
  }
  return builder;
}

// Proves, in worlds that differ in all of it, that rays and distances are those of ShapeQuery.
TEST_P(RangeSensorsTest, AreThoseOfQueries) {
  SeededRandom random(3);
  ModelBuilder builder;
  builder.add_ground_plane();
  const int counts[] = {2, 9, 1, 6};
  for (const int bodies : counts) builder.add_world(random_world(bodies, random));
  SensorRig rig(builder.finalize(device()));
  read(rig);
  const Model model = builder.finalize();
  const State state = model.state();
  const ShapeQuery query(model);
  int near = 0, overlapping = 0;
  for (int w = 0; w < 4; ++w)
    for (int i = 0; i < counts[w]; ++i) {
      const int body = model.body_world_start[w] + i, sensor = model.find_sensor("range" + std::to_string(i), w);
      const Transform X_WF = state.body_q[body] * model.sensor_frame[sensor];
      RayCast nearest{-1, kUnbounded, {}, {}};
      // Without the shapes of the body: from behind each hit on them on.
      Vec3 from = X_WF.p;
      const Vec3 along = rotate(X_WF.q, Vec3{0, 0, 1});
      for (;;) {
        nearest = query.ray_cast(state, from, along, kUnbounded, w);
        if (nearest.shape < 0 || model.shape_body[nearest.shape] != body) break;
        from = fma(along, nearest.distance + Real(1e-4), from);
      }
      const Real expected = nearest.shape < 0 ? Real(-1) : dot(nearest.point - X_WF.p, along);
      EXPECT_NEAR(rig.of(sensor)[0], expected, 10 * kNear);
      if (i == 0) continue;
      ShapeDistance best{Real(0.7), {}, {}, {}};
      for (int a = 0; a < model.shape_count; ++a)
        for (int b = 0; b < model.shape_count; ++b) {
          if (model.shape_body[a] != body - 1 || model.shape_body[b] != body) continue;
          const ShapeDistance found = query.distance(state, a, b);
          if (found.distance < best.distance) best = found;
        }
      near += best.distance < Real(0.7), overlapping += best.distance < 0;
      const std::string key = std::to_string(i);
      const Vec3 normal = best.distance < 0 ? -best.normal : best.normal;
      expect_near(rig.of("distance" + key, w), {best.distance});
      expect_near(rig.of("normal" + key, w), {normal.x, normal.y, normal.z});
      expect_near(rig.of("fromto" + key, w),
                  {best.point_a.x, best.point_a.y, best.point_a.z, best.point_b.x, best.point_b.y, best.point_b.z});
    }
  EXPECT_GT(near, overlapping);
  EXPECT_GT(overlapping, 0);
}

// Proves distances by hand, MuJoCo's cutoff, and that normals point from surface to surface.
TEST_P(RangeSensorsTest, DistancesOfSpheres) {
  for (const auto& [apart, cutoff] : {std::pair{Real(0.3), Real(0)},
                                      {Real(0.3), Real(0.05)},
                                      {Real(0.3), Real(1)},
                                      {Real(0.15), Real(0)},
                                      {Real(0.15), Real(1)}}) {
    ModelBuilder builder;
    const int a = builder.add_shape_sphere(builder.add_body(), Real(0.1));
    const int b = builder.add_shape_sphere(builder.add_body({.xform = {{apart, 0, 0}, {}}}), Real(0.1));
    for (const auto& [type, name] : {std::pair{SensorType::kDistance, "distance"},
                                     {SensorType::kNormal, "normal"},
                                     {SensorType::kFromTo, "fromto"}})
      builder.add_sensor(type, sensed_shape(a), sensed_shape(b), {.cutoff = cutoff}, name);
    SensorRig rig(builder.finalize(device()));
    read(rig);
    const Real distance = apart - Real(0.2);
    const bool found = distance < cutoff;
    expect_near(rig.of("distance"), {found ? distance : cutoff});
    expect_near(rig.of("normal"), {found ? (distance < 0 ? Real(-1) : Real(1)) : Real(0), 0, 0});
    expect_near(rig.of("fromto"), {found ? Real(0.1) : Real(0), 0, 0, found ? apart - Real(0.1) : Real(0), 0, 0});
  }
}

// Proves that edits of shapes and of the sensor's own frame count.
TEST_P(RangeSensorsTest, NoticeEdits) {
  ModelBuilder builder;
  builder.add_shape_sphere(-1, 1);
  const int body = builder.add_body({.xform = {{0, 0, 3}, {}}});
  builder.add_shape_sphere(body, Real(0.5));
  builder.add_sensor(SensorType::kRangefinder, sensed_frame(body, kDownwards), {}, {}, "range");
  builder.add_sensor(SensorType::kDistance, sensed_shape(0), sensed_shape(1), {.cutoff = 9}, "distance");
  SensorRig rig(builder.finalize(device()));
  RangeSensors sensors(rig.model, rig.solver.queue());
  const auto read_again = [&] {
    sensors.notice_edits();
    sensors.send(rig.look(), rig.values.data(), rig.value_at.data());
    rig.solver.queue().finish();
  };
  read_again();
  EXPECT_NEAR(rig.first("range"), 2, kNear);
  EXPECT_NEAR(rig.first("distance"), 1.5, kNear);
  rig.model.edit([](ModelNumbers& n) {
    const Array<Vec3> scale = n.shape_scale.to(Device{});
    scale[0] = {Real(0.5), Real(0.5), Real(0.5)};
    n.shape_scale.assign(scale);
    const Array<Transform> frame = n.sensor_frame.to(Device{});
    frame[0].p = {0, 0, -1};
    n.sensor_frame.assign(frame);
  });
  read_again();
  EXPECT_NEAR(rig.first("range"), 1.5, kNear);
  EXPECT_NEAR(rig.first("distance"), 2, kNear);
}

INSTANTIATE_TEST_SUITE_P(, RangeSensorsTest, ::testing::Values("cpu", "cuda"));

}  // namespace
}  // namespace carom
