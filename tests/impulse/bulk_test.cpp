// Impulses of arrays of contacts: the bits of single ones on every device, tier and number of threads, and bad rows.
#include <gtest/gtest.h>

#include <cstring>

#include "carom/impulse_bulk.h"
#include "impulse/random_collision.h"
#include "tests/backend/on_device.h"

namespace carom {
namespace {

using namespace test;

using Bulk = testing::OnDevice;
CAROM_ON_ALL_DEVICES(Bulk);

// The columns of many collisions on a device.
struct Columns {
  Array<Vec3> v1, w1, v2, w2, r1, r2, normal, I1, I2;
  Array<Mat33> tensor1, tensor2;
  Array<Euler> self_euler, target_euler;
  Array<Real> m1, m2, e, friction, tangential_restitution, restitution_threshold;

  Columns(const std::vector<Collision>& all, Device device) {
    const auto column = [&]<class T>(Array<T>& to, auto field) {
      std::vector<T> rows;
      for (const Collision& c : all) rows.push_back(field(c));
      to = Array<T>(std::span<const T>(rows), device);
    };
    column(v1, [](auto& c) { return c.v1; });
    column(w1, [](auto& c) { return c.w1; });
    column(v2, [](auto& c) { return c.v2; });
    column(w2, [](auto& c) { return c.w2; });
    column(r1, [](auto& c) { return c.r1; });
    column(r2, [](auto& c) { return c.r2; });
    column(normal, [](auto& c) { return c.normal; });
    column(I1, [](auto& c) { return c.I1.moments(); });
    column(I2, [](auto& c) { return c.I2.moments(); });
    column(tensor1, [](auto& c) { return c.I1.tensor; });
    column(tensor2, [](auto& c) { return c.I2.tensor; });
    column(self_euler, [](auto& c) { return c.self_euler; });
    column(target_euler, [](auto& c) { return c.target_euler; });
    column(m1, [](auto& c) { return c.m1; });
    column(m2, [](auto& c) { return c.m2; });
    column(e, [](auto& c) { return c.e; });
    column(friction, [](auto& c) { return c.friction; });
    column(tangential_restitution, [](auto& c) { return c.tangential_restitution; });
    column(restitution_threshold, [](auto& c) { return c.restitution_threshold; });
  }

  ImpulseBatch batch() const {
    ImpulseBatch b;
    b.v1 = v1.const_view();
    b.w1 = w1.const_view();
    b.v2 = v2.const_view();
    b.w2 = w2.const_view();
    b.r1 = r1.const_view();
    b.r2 = r2.const_view();
    b.normal = normal.const_view();
    b.I1 = I1.const_view();
    b.I2 = I2.const_view();
    b.self_euler = self_euler.const_view();
    b.target_euler = target_euler.const_view();
    b.m1 = m1.const_view();
    b.m2 = m2.const_view();
    b.e = e.const_view();
    b.friction = friction.const_view();
    b.tangential_restitution = tangential_restitution.const_view();
    b.restitution_threshold = restitution_threshold.const_view();
    return b;
  }
};

std::vector<Collision> many(int count) {
  RandomCollisions random(61);
  std::vector<Collision> all;
  for (int i = 0; i < count; ++i) all.push_back(mixed(random, i));
  return all;
}

bool same_bits(const Vec3& a, const Vec3& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

void expect_rows(const Array<Vec3>& found, const std::vector<Collision>& all, const char* what) {
  const Array<Vec3> J = found.on_cpu();
  int different = 0;
  for (std::size_t i = 0; i < all.size(); ++i) different += !same_bits(J[i], impulse(all[i]));
  EXPECT_EQ(different, 0) << what;
}

// Proves that every row has the bits of impulse_by_collision, for columns of every kind and counts that fill no group.
TEST_P(Bulk, RowsAreSingleCollisions) {
  const std::vector<Collision> all = many(1003);
  const Columns columns(all, device());
  for (const Queue& queue : queues()) {
    testing::for_each_tier([&] {
      ImpulseBatch batch = columns.batch();
      const Array<Vec3> found(1003, device());
      impulses_by_collision(batch, found.view(), &queue);
      expect_rows(found, all, "moments");

      batch.I1 = columns.tensor1.const_view();
      batch.I2 = RotationalInertia(mat33_diagonal(Vec3{1, 2, 3}));
      batch.target_euler = Euler{1, 2, 3};
      batch.v2 = Vec3{1, 0, -1};
      batch.m1 = Real(2);
      batch.friction = Real(0.25);
      batch.oriented = true;
      impulses_by_collision(batch, found.view(), &queue);
      std::vector<Collision> changed = all;
      for (Collision& c : changed) {
        c.I1.diagonal = false;
        c.I2 = RotationalInertia(mat33_diagonal(Vec3{1, 2, 3}));
        c.target_euler = {1, 2, 3};
        c.v2 = {1, 0, -1};
        c.m1 = 2;
        c.friction = Real(0.25);
        c.oriented = true;
      }
      expect_rows(found, changed, "tensors and single values");
    });
  }
}

// Proves that what is not set makes an immovable target, and that no rows are no work.
TEST_P(Bulk, DefaultsAreAWall) {
  const std::vector<Vec3> v{{10, 10, 10}, {0, 0, -3}};
  const Array<Vec3> v1 = on_device(v), found(2, device());
  ImpulseBatch batch;
  batch.v1 = v1.const_view();
  batch.normal = Vec3{0, 0, 1};
  batch.e = Real(0.5);
  const Queue queue = queues().front();
  impulses_by_collision(batch, found.view(), &queue);
  EXPECT_EQ(on_host(found)[0].z, Real(-15));
  EXPECT_EQ(on_host(found)[1].z, Real(4.5));
  batch.v1 = Vec3{};
  impulses_by_collision(batch, {}, &queue);
}

// Proves that a bad row anywhere is named before anything is written, and that a GPU gives it NaN.
TEST_P(Bulk, BadRows) {
  std::vector<Collision> all = many(700);
  all[531].m1 = -1;
  const Columns columns(all, device());
  for (const Queue& queue : queues()) {
    const Array<Vec3> found(700, device());
    if (device().is_cpu()) {
      try {
        impulses_by_collision(columns.batch(), found.view(), &queue);
        FAIL() << "no error";
      } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "impulse_by_collision: m1 of row 531 must be positive, is -1");
      }
      EXPECT_TRUE((found[0] == Vec3{}));
    } else {
      impulses_by_collision(columns.batch(), found.view(), &queue);
      const std::vector<Vec3> J = on_host(found);
      for (int i = 0; i < 700; ++i) EXPECT_EQ(J[i].x != J[i].x, i == 531) << i;
    }
  }
}

// Proves that two bodies of infinite mass are an error only if they cannot turn either, and that columns must fit.
TEST(BulkBadInput, ImmovableRowsAndSizes) {
  std::vector<Collision> all = many(5);
  for (Collision& c : all) c.m1 = c.m2 = kInf;
  all[3].I1 = all[3].I2 = {kInf, kInf, kInf};
  const Columns columns(all, {});
  const Array<Vec3> found(5);
  const auto error = [&](const ImpulseBatch& batch, std::int64_t rows) -> std::string {
    try {
      impulses_by_collision(batch, {found.data(), rows});
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(error(columns.batch(), 5),
            "impulse_by_collision: m1 and m2 of row 3 are infinite, and no inertia lets the bodies yield");
  EXPECT_EQ(error(columns.batch(), 4), "impulse_by_collision: v1 has 5 rows instead of 4");
  ImpulseBatch light = columns.batch();
  light.m1 = Real(1);
  EXPECT_EQ(error(light, 5), "no error");
}

}  // namespace
}  // namespace carom
