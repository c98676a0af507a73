// Lanes and plain numbers give the same bits, whatever the neighbours are.
#include "math/lanes.h"

#include <gtest/gtest.h>

#include <vector>

#include "impulse/random_collision.h"

namespace carom {
namespace {

using namespace test;

template <class F>
void put(F& to, int lane, Real value) {
  to.set(lane, value);
}
template <class F>
void put(Vec3T<F>& to, int lane, Vec3 value) {
  for (int i = 0; i < 3; ++i) to[i].set(lane, value[i]);
}
template <class F>
void put(Mat33T<F>& to, int lane, const Mat33& value) {
  for (int i = 0; i < 3; ++i) put(to[i], lane, value[i]);
}
template <class F>
Vec3 lane_of(const Vec3T<F>& from, int lane) {
  return {from.x[lane], from.y[lane], from.z[lane]};
}
// Zeros of different sign differ in their bits.
bool same_bits(Vec3 a, Vec3 b) {
  return to_bits(a.x) == to_bits(b.x) && to_bits(a.y) == to_bits(b.y) && to_bits(a.z) == to_bits(b.z);
}

template <class F>
void put(CollisionT<F>& to, int lane, const Collision& c) {
  put(to.v1, lane, c.v1);
  put(to.w1, lane, c.w1);
  put(to.v2, lane, c.v2);
  put(to.w2, lane, c.w2);
  put(to.r1, lane, c.r1);
  put(to.r2, lane, c.r2);
  put(to.m1, lane, c.m1);
  put(to.m2, lane, c.m2);
  put(to.I1.tensor, lane, c.I1.tensor);
  put(to.I2.tensor, lane, c.I2.tensor);
  put(to.normal, lane, c.normal);
  put(to.e, lane, c.e);
  put(to.friction, lane, c.friction);
  put(to.tangential_restitution, lane, c.tangential_restitution);
  put(to.restitution_threshold, lane, c.restitution_threshold);
  const Euler* from[] = {&c.self_euler, &c.target_euler};
  EulerT<F>* into[] = {&to.self_euler, &to.target_euler};
  for (int i = 0; i < 2; ++i) {
    put(into[i]->phi, lane, from[i]->phi);
    put(into[i]->theta, lane, from[i]->theta);
    put(into[i]->psi, lane, from[i]->psi);
  }
}

template <int W>
void check_collisions(bool full, bool oriented) {
  using F = Lanes<Real, W>;
  RandomCollisions random(W);
  for (int group = 0; group < 2000 / W + 20; ++group) {
    const F zero(Real(0));
    const RotationalInertiaT<F> none(zero, zero, zero);
    CollisionT<F> lanes{{}, {}, {}, {}, {}, {}, {}, {}, zero, zero, none, none, {}, zero, zero, zero, zero, oriented};
    lanes.I1.diagonal = lanes.I2.diagonal = !full;
    std::vector<Collision> one;
    for (int l = 0; l < W; ++l) {
      one.push_back(mixed(random, group * W + l));
      one[l].oriented = oriented;
      one[l].I1.diagonal = one[l].I2.diagonal = !full;
      put(lanes, l, one[l]);
    }
    const Vec3T<F> J = collision_impulse(lanes);
    ArgumentMask<F> mask("");
    check_collision(lanes, mask);
    EXPECT_TRUE(all(mask.good()));
    for (int l = 0; l < W; ++l) ASSERT_TRUE(same_bits(lane_of(J, l), impulse(one[l]))) << "W " << W << " " << group;
  }
}

// Proves that every lane of collision_impulse has the bits of impulse_by_collision.
TEST(ImpulseLanes, Collisions) {
  check_collisions<1>(false, false);
  check_collisions<4>(false, false);
  check_collisions<8>(true, false);
  check_collisions<16>(false, true);
}

// Proves the same for pairs of bodies with several points: lanes stop where a pair alone would stop.
TEST(ImpulseLanes, Pairs) {
  constexpr int W = 8, kPoints = 4;
  using F = Lanes<Real, W>;
  RandomCollisions random(51);
  for (int group = 0; group < 300; ++group) {
    ImpactBodyT<F> a{}, b{};
    PairPointT<F> point[kPoints]{};
    ImpactBody one_a[W], one_b[W];
    PairPoint one[W][kPoints];
    bool converged[W];
    for (int l = 0; l < W; ++l) {
      const Collision c = mixed(random, group * W + l);
      one_a[l] = {c.v1, c.w1, 1 / c.m1, inverse_inertia(c.I1, c.self_euler, Real(1))};
      one_b[l] = {c.v2, c.w2, 1 / c.m2, inverse_inertia(c.I2, c.target_euler, Real(1))};
      const Vec3 n = normalize(random.direction());
      for (int i = 0; i < kPoints; ++i) {
        PairPoint p{};
        p.normal = normalize(n + random.vector(Real(0.2)));
        p.r1 = c.r1 + random.vector(Real(0.5));
        p.r2 = c.r2 + (p.r1 - c.r1);
        p.restitution = c.e;
        p.friction = c.friction;
        p.active = i <= l % kPoints;
        if (!p.active) p.normal = p.r1 = p.r2 = Vec3{1, 1, 1} * std::numeric_limits<Real>::quiet_NaN();
        one[l][i] = p;
        put(point[i].normal, l, p.normal);
        put(point[i].r1, l, p.r1);
        put(point[i].r2, l, p.r2);
        put(point[i].restitution, l, p.restitution);
        put(point[i].friction, l, p.friction);
        point[i].active.set(l, p.active);
      }
      const std::pair<ImpactBodyT<F>*, const ImpactBody*> bodies[] = {{&a, &one_a[l]}, {&b, &one_b[l]}};
      for (const auto& [to, from] : bodies) {
        put(to->velocity, l, from->velocity);
        put(to->angular_velocity, l, from->angular_velocity);
        put(to->inverse_mass, l, from->inverse_mass);
        put(to->inverse_inertia, l, from->inverse_inertia);
      }
      converged[l] = solve_pair(one_a[l], one_b[l], one[l], kPoints);
    }
    const auto done = solve_pair(a, b, point, kPoints);
    for (int l = 0; l < W; ++l) {
      ASSERT_EQ(done[l], converged[l]) << group;
      ASSERT_TRUE(same_bits(lane_of(a.velocity, l), one_a[l].velocity)) << group << " lane " << l;
      ASSERT_TRUE(same_bits(lane_of(b.angular_velocity, l), one_b[l].angular_velocity)) << group << " lane " << l;
      for (int i = 0; i < kPoints; ++i)
        ASSERT_TRUE(same_bits(lane_of(point[i].impulse, l), one[l][i].impulse)) << group << " lane " << l;
      ASSERT_TRUE(is_finite(one_a[l].velocity) && is_finite(one_b[l].angular_velocity)) << group << " lane " << l;
    }
  }
}

}  // namespace
}  // namespace carom
