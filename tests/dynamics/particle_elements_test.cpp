// The forces of one element: minus the gradient of the energy in its header, nothing as a whole, and nothing against a
// motion of the whole.
#include <gtest/gtest.h>

#include <functional>

#include "dynamics/particles/bending.kernel.h"
#include "dynamics/particles/spring.kernel.h"
#include "dynamics/particles/tetrahedron.kernel.h"
#include "dynamics/particles/triangle.kernel.h"
#include "tests/random.h"

namespace carom {
namespace {

using D3 = Vec3T<double>;

D3 wide(Vec3 v) { return {v.x, v.y, v.z}; }

struct Element {
  std::vector<Vec3> x, v;
  std::function<std::vector<Vec3>(const std::vector<Vec3>& x, const std::vector<Vec3>& v)> force;
  std::function<double(const std::vector<D3>&)> energy;  // in double, of which differences can be taken
};

template <int N>
Corners<N> corners(const std::vector<Vec3>& rows) {
  Corners<N> c;
  for (int k = 0; k < N; ++k) c[k] = rows[k];
  return c;
}
template <int N>
std::vector<Vec3> rows(const Corners<N>& c) {
  return {c.at, c.at + N};
}

Vec3 random_vec(SeededRandom& random) {
  const Real x = random.next(), y = random.next();
  return {x, y, random.next()};
}

std::vector<Vec3> disturbed(std::vector<Vec3> x, Real by, SeededRandom& random) {
  for (Vec3& p : x) p += random_vec(random) * by;
  return x;
}

Element spring(SeededRandom& random) {
  const SpringMaterial m{Real(0.7), 300, 4};
  Element e;
  e.x = disturbed({{0, 0, 0}, {1, 0, 0}}, Real(0.3), random);
  e.force = [m](auto& x, auto& v) {
    const Vec3 f = spring_force(m, x[0], x[1], v[0], v[1]);
    return std::vector<Vec3>{f, -f};
  };
  e.energy = [m](auto& x) { return double(m.ke) / 2 * square(length(x[1] - x[0]) - double(m.rest)); };
  return e;
}

Element triangle(SeededRandom& random, Real ka = 200) {
  const RealN<4> pose{2, Real(-0.7), 0, Real(1.6)};
  const TriangleMaterial m{100, ka, 3, 0, 0, Real(0.2)};
  Element e;
  e.x = disturbed({{0, 0, 0}, {Real(0.5), 0, 0}, {Real(0.2), Real(0.6), 0}}, Real(0.1), random);
  e.force = [=](auto& x, auto& v) { return rows(triangle_forces(m, pose, corners<3>(x), corners<3>(v), {})); };
  e.energy = [=](auto& x) {
    const double A = 0.5 / (double(pose[0]) * pose[3] - double(pose[1]) * pose[2]);
    const D3 F1 = (x[1] - x[0]) * double(pose[0]) + (x[2] - x[0]) * double(pose[2]),
             F2 = (x[1] - x[0]) * double(pose[1]) + (x[2] - x[0]) * double(pose[3]);
    const double I = dot(F1, F1) + dot(F2, F2), J = length(cross(F1, F2));
    return A * (m.ke / 2.0 * (I - 2) - m.ke * (J - 1) + m.ka / 2.0 * square(J - 1 + m.activation));
  };
  return e;
}

Element bending(SeededRandom& random, Real rest = Real(0.4)) {
  const BendingMaterial m{rest, Real(0.9), 5, Real(0.3)};
  Element e;
  e.x = disturbed({{0, 1, 0}, {0, -1, 0}, {Real(-0.5), 0, 0}, {Real(0.5), 0, 0}}, Real(0.2), random);
  e.force = [m](auto& x, auto& v) { return rows(bending_forces(m, corners<4>(x), corners<4>(v))); };
  e.energy = [m](auto& x) {
    const D3 n0 = cross(x[2] - x[0], x[3] - x[0]), n1 = cross(x[3] - x[1], x[2] - x[1]), edge = x[3] - x[2];
    const double theta = atan2(dot(cross(n0, n1), edge) / length(edge), dot(n0, n1));
    return double(m.ke) * m.length / 2 * square(theta - double(m.rest));
  };
  return e;
}

Element tetrahedron(SeededRandom& random) {
  const Mat33 pose{{2, Real(0.1), 0}, {0, Real(1.5), Real(0.2)}, {Real(-0.3), 0, Real(2.5)}};
  const TetrahedronMaterial m{900, 1500, 20, Real(0.1)};
  const Mat33 rest = inverse(pose);
  Element e;
  e.x = {{0, 0, 0}};
  for (int k = 0; k < 3; ++k) e.x.push_back({rest[0][k], rest[1][k], rest[2][k]});
  e.x = disturbed(e.x, Real(0.1), random);
  e.force = [=](auto& x, auto& v) { return rows(tetrahedron_forces(m, pose, corners<4>(x), corners<4>(v))); };
  e.energy = [=](auto& x) {
    D3 F[3];
    for (int k = 0; k < 3; ++k)
      F[k] =
          (x[1] - x[0]) * double(pose[0][k]) + (x[2] - x[0]) * double(pose[1][k]) + (x[3] - x[0]) * double(pose[2][k]);
    const double I = dot(F[0], F[0]) + dot(F[1], F[1]) + dot(F[2], F[2]), J = dot(F[0], cross(F[1], F[2]));
    return (m.k_mu / 2.0 * (I - 3 - log((I + 1) / 4)) - 0.75 * m.k_mu * (J - 1) +
            m.k_lambda / 2.0 * square(J - 1 + m.activation)) /
           (6 * double(determinant(pose)));
  };
  return e;
}

std::vector<Element> elements(std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<Element> all;
  for (int i = 0; i < 5; ++i) {
    all.push_back(spring(random));
    all.push_back(triangle(random));
    all.push_back(triangle(random, 0));
    all.push_back(bending(random));
    all.push_back(tetrahedron(random));
  }
  for (Element& e : all) e.v.assign(e.x.size(), {});
  return all;
}

double size_of(const std::vector<Vec3>& force) {
  double most = 0;
  for (const Vec3& f : force) most = max(most, length(wide(f)));
  return most;
}

constexpr double kEps = sizeof(Real) == 4 ? 1e-6 : 1e-15;

// Proves that the force of every element at rest is minus the gradient of its energy.
TEST(ParticleElements, ForceIsTheGradientOfTheEnergy) {
  for (const Element& e : elements(1)) {
    const std::vector<Vec3> force = e.force(e.x, e.v);
    const std::vector<D3> x = [&] {
      std::vector<D3> all;
      for (const Vec3& p : e.x) all.push_back(wide(p));
      return all;
    }();
    for (std::size_t k = 0; k < x.size(); ++k)
      for (int axis = 0; axis < 3; ++axis) {
        constexpr double kStep = 1e-5;
        auto more = x, less = x;
        more[k][axis] += kStep, less[k][axis] -= kStep;
        const double slope = (e.energy(more) - e.energy(less)) / (2 * kStep);
        EXPECT_NEAR(force[k][axis], -slope, (20 * kEps + 1e-8) * size_of(force)) << x.size() << " corners, " << k;
      }
  }
}

// Proves that forces and torques of an element, damping included, sum up to nothing, whatever moves how.
TEST(ParticleElements, ForcesAndTorquesSumToZero) {
  SeededRandom random(2);
  for (Element& e : elements(3)) {
    e.v = disturbed(e.v, 2, random);
    const std::vector<Vec3> force = e.force(e.x, e.v);
    D3 sum{}, torque{};
    for (std::size_t k = 0; k < force.size(); ++k) sum += wide(force[k]), torque += cross(wide(e.x[k]), wide(force[k]));
    EXPECT_LT(length(sum), 10 * kEps * size_of(force)) << force.size() << " corners";
    EXPECT_LT(length(torque), 10 * kEps * size_of(force)) << force.size() << " corners";
  }
}

// Proves that an element does not damp what moves as a whole, turning included.
TEST(ParticleElements, RigidMotionIsNotDamped) {
  SeededRandom random(4);
  for (const Element& e : elements(5)) {
    const Vec3 v = random_vec(random), w = random_vec(random);
    std::vector<Vec3> moving;
    for (const Vec3& p : e.x) moving.push_back(v + cross(w, p));
    const std::vector<Vec3> still = e.force(e.x, e.v), found = e.force(e.x, moving);
    for (std::size_t k = 0; k < found.size(); ++k)
      EXPECT_LT(length(found[k] - still[k]), 50 * kEps * size_of(still)) << found.size() << " corners";
  }
}

// Proves that damping takes energy out, of any motion that changes the shape.
TEST(ParticleElements, DampingTakesEnergy) {
  SeededRandom random(6);
  for (const Element& e : elements(7)) {
    const std::vector<Vec3> v = disturbed(e.v, 1, random), still = e.force(e.x, e.v), moving = e.force(e.x, v);
    double power = 0;
    for (std::size_t k = 0; k < v.size(); ++k) power += dot(wide(moving[k] - still[k]), wide(v[k]));
    EXPECT_LT(power, 0) << v.size() << " corners";
  }
}

// Proves that an angle past the half turn is compared the short way round: 3 rad and -3 rad are near each other.
TEST(ParticleElements, BendingGoesTheShortWay) {
  EXPECT_NEAR(angle_between(3, -3), 2 * 3.14159265358979 - 6, 1e-5);
  EXPECT_NEAR(angle_between(-3, 3), 6 - 2 * 3.14159265358979, 1e-5);
  EXPECT_NEAR(angle_between(Real(0.5), -1), -1.5, 1e-6);
}

// Proves that elements that have no shape any more make no force that is not finite.
TEST(ParticleElements, CollapsedElementsAreFinite) {
  for (const Element& e : elements(8)) {
    const std::vector<Vec3> heap(e.x.size(), Vec3{1, 2, 3}), line = [&] {
      std::vector<Vec3> all;
      for (std::size_t k = 0; k < e.x.size(); ++k) all.push_back({Real(k), 0, 0});
      return all;
    }();
    for (const auto& x : {heap, line})
      for (const Vec3& f : e.force(x, e.v)) EXPECT_TRUE(is_finite(f)) << e.x.size() << " corners";
  }
}

// Proves that a triangle in the air is dragged by area |n . v| v on each particle, and lifted along its normal.
TEST(ParticleElements, Air) {
  const Vec3 v{3, 0, 4}, n{0, 0, 1};
  const TriangleMaterial drag{0, 0, 0, 2, 0, 0}, lift{0, 0, 0, 0, 2, 0};
  const Vec3 dragged = air_force(drag, v, n, Real(0.5)), lifted = air_force(lift, v, n, Real(0.5));
  EXPECT_NEAR(dragged.x, -2 * 0.5 * 4 * 3, 1e-5);
  EXPECT_NEAR(dragged.z, -2 * 0.5 * 4 * 4, 1e-5);
  EXPECT_NEAR(lifted.z, -2 * 0.5 * 25 * 0.9272952180016122, 1e-4);
  EXPECT_EQ(lifted.x, 0);
}

}  // namespace
}  // namespace carom
