// Identities of vectors, matrices, rotations, transforms and inertias, for plain numbers and for lanes.
#include "carom/math/spatial.h"

#include <gtest/gtest.h>

#include "math/lanes.h"
#include "math/numbers.h"

namespace carom {
namespace {

template <class F>
class SpatialTest : public ::testing::Test {
 protected:
  using T = Element<F>;

  F number(double low, double high) {
    if constexpr (PlainNumber<F>) {
      return random_.between(low, high);
    } else {
      F x;
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) x.set(l, random_.between(low, high));
      return x;
    }
  }
  Vec3T<F> vector() { return {number(-2, 2), number(-2, 2), number(-2, 2)}; }
  QuatT<F> rotation() { return normalize(QuatT<F>{number(-1, 1), number(-1, 1), number(-1, 1), number(0.1, 1)}); }
  TransformT<F> transform() { return {vector(), rotation()}; }
  InertiaT<F> inertia() {
    const Mat33T<F> diagonal = mat33_diagonal(Vec3T<F>{number(1, 2), number(1, 2), number(1, 2)});
    return {number(0.5, 3), vector(), rotate_inertia(rotation(), diagonal)};
  }

  static void expect_near(F a, F b) { EXPECT_TRUE(all(abs(a - b) <= F(T(200) * std::numeric_limits<T>::epsilon()))); }
  static void expect_near(Vec3T<F> a, Vec3T<F> b) {
    for (int i = 0; i < 3; ++i) expect_near(a[i], b[i]);
  }
  static void expect_near(Mat33T<F> a, Mat33T<F> b) {
    for (int i = 0; i < 3; ++i) expect_near(a[i], b[i]);
  }

 private:
  test::RandomNumbers<T> random_;
};

using Numbers = ::testing::Types<Real, Lanes<Real, 1>, Lanes<Real, 4>, Lanes<Real, 8>>;
TYPED_TEST_SUITE(SpatialTest, Numbers);

// Proves that cross and dot products keep their algebra and that normalizing leaves the zero vector alone.
TYPED_TEST(SpatialTest, Vectors) {
  using F = TypeParam;
  for (int i = 0; i < 50; ++i) {
    const auto a = this->vector(), b = this->vector(), c = this->vector();
    this->expect_near(dot(cross(a, b), a), F(0));
    this->expect_near(cross(a, cross(b, c)), b * dot(a, c) - c * dot(a, b));
    this->expect_near(skew(a) * b, cross(a, b));
    this->expect_near(outer(a, b) * c, a * dot(b, c));
    this->expect_near(length(normalize(a)), F(1));
  }
  EXPECT_TRUE(all(normalize(Vec3T<F>{}) == Vec3T<F>{}));
}

// Proves that the inverse undoes a regular matrix, turns a singular one to zeros, and transposes as products do.
TYPED_TEST(SpatialTest, Matrices) {
  using F = TypeParam;
  for (int i = 0; i < 50; ++i) {
    const auto a = this->inertia().inertia, b = this->inertia().inertia;
    this->expect_near(a * inverse(a), mat33_identity<F>());
    this->expect_near(transpose(a * b), transpose(b) * transpose(a));
    this->expect_near(determinant(a * b) / (determinant(a) * determinant(b)), F(1));
  }
  this->expect_near(inverse(Mat33T<F>{}), Mat33T<F>{});
}

// Proves that rotating by a quaternion, by its matrix and by products of both agree, and that angles come back.
TYPED_TEST(SpatialTest, Rotations) {
  using F = TypeParam;
  for (int i = 0; i < 50; ++i) {
    const auto p = this->rotation(), q = this->rotation();
    const auto v = this->vector();
    this->expect_near(rotate(q, v), mat33_from_quat(q) * v);
    EXPECT_TRUE(all(axis_x(q) == rotate(q, Vec3T<F>{F(1), F(0), F(0)})));
    EXPECT_TRUE(all(axis_y(q) == rotate(q, Vec3T<F>{F(0), F(1), F(0)})));
    EXPECT_TRUE(all(axis_z(q) == rotate(q, Vec3T<F>{F(0), F(0), F(1)})));
    this->expect_near(rotate(p * q, v), rotate(p, rotate(q, v)));
    this->expect_near(rotate_inverse(q, rotate(q, v)), v);
    this->expect_near(determinant(mat33_from_quat(q)), F(1));
    const auto axis = normalize(v);
    const F angle = this->number(-3.1, 3.1);
    this->expect_near(twist_angle(quat_from_axis_angle(axis, angle), axis), angle);
    this->expect_near(rotate(quat_from_axis_angle(axis, angle), axis), axis);
  }
}

// Proves that transforms compose as maps of points do and that the inverse undoes them.
TYPED_TEST(SpatialTest, Transforms) {
  for (int i = 0; i < 50; ++i) {
    const auto X_AB = this->transform(), X_BC = this->transform();
    const auto p = this->vector();
    this->expect_near(transform_point(X_AB * X_BC, p), transform_point(X_AB, transform_point(X_BC, p)));
    this->expect_near(transform_point(inverse(X_AB), transform_point(X_AB, p)), p);
    this->expect_near(transform_vector(X_AB, p), transform_point(X_AB, p) - X_AB.p);
  }
}

// Proves that kinetic energy does not depend on the frame and that glued bodies carry the energy of both.
TYPED_TEST(SpatialTest, Inertias) {
  using F = TypeParam;
  const auto energy = [](const InertiaT<F>& body, Vec3T<F> v_origin, Vec3T<F> omega) {
    const Vec3T<F> v = v_origin + cross(omega, body.com);
    return (body.mass * dot(v, v) + dot(omega, body.inertia * omega)) * F(0.0625);
  };
  for (int i = 0; i < 50; ++i) {
    const auto a = this->inertia(), b = this->inertia();
    const auto v = this->vector(), omega = this->vector();
    this->expect_near(energy(combine_inertia(a, b), v, omega), energy(a, v, omega) + energy(b, v, omega));

    const auto X_AB = this->transform();
    const auto omega_A = transform_vector(X_AB, omega);
    const auto v_A = transform_vector(X_AB, v) - cross(omega_A, X_AB.p);
    this->expect_near(energy(transform_inertia(X_AB, a), v_A, omega_A), energy(a, v, omega));
  }
  const auto nothing = combine_inertia(InertiaT<F>{}, InertiaT<F>{});
  EXPECT_TRUE(all(nothing.mass == F(0)));
  EXPECT_TRUE(all(is_finite(nothing.com)));
}

// Proves that an inertia moved by d grows as the theorem of parallel axes says, on a body made of two points.
TYPED_TEST(SpatialTest, ParallelAxes) {
  using F = TypeParam;
  const InertiaT<F> left{F(2), {F(-1), F(0), F(0)}, Mat33T<F>{}}, right{F(2), {F(1), F(0), F(0)}, Mat33T<F>{}};
  const InertiaT<F> both = combine_inertia(left, right);
  this->expect_near(both.com, Vec3T<F>{});
  this->expect_near(both.inertia, mat33_diagonal(Vec3T<F>{F(0), F(4), F(4)}));
}

}  // namespace
}  // namespace carom
