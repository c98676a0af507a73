// Every type of joint through model/joints: velocity, axes and integration are the derivatives of its pose, coordinates
// are the inverse of it, and lanes have the bits of plain numbers.
#include "model/joints/joints.kernel.h"

#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "math/lanes.h"
#include "model/entities.h"
#include "tests/random.h"

namespace carom {
namespace {

constexpr bool kDouble = sizeof(Real) == 8;
constexpr Real kStep = kDouble ? Real(1e-5) : Real(0x1p-8);      // of finite differences [s]
constexpr Real kDifference = kDouble ? Real(1e-8) : Real(1e-3);  // what they agree to
constexpr Real kRounding = kDouble ? Real(1e-12) : Real(5e-5);   // of what is computed in closed form

struct Sample {
  JointType type;
  JointDofs n;
  int coords, constraints;
};
constexpr Sample kSamples[] = {
    {JointType::kPrismatic, {1, 0}, 1, 5}, {JointType::kRevolute, {0, 1}, 1, 5}, {JointType::kBall, {0, 3}, 4, 3},
    {JointType::kFixed, {0, 0}, 0, 6},     {JointType::kFree, {3, 3}, 7, 0},     {JointType::kDistance, {3, 3}, 7, 1},
    {JointType::kD6, {0, 1}, 1, 5},        {JointType::kD6, {0, 2}, 2, 4},       {JointType::kD6, {0, 3}, 3, 3},
    {JointType::kD6, {2, 1}, 3, 3},        {JointType::kD6, {3, 3}, 6, 0},
};
std::string name_of(const Sample& s) {
  return std::string(joint_type_name(s.type)) + " " + std::to_string(s.n.linear) + " " + std::to_string(s.n.angular);
}

// A joint of this type with random axes, coordinates and velocities.
template <class F>
struct Joint {
  JointType type;
  JointDofs n;
  Vec3T<F> axes[6];
  F q[7], qd[6];

  JointMotion<F> motion() const {
    return visit_joint(type, [&](auto family) { return family.motion(n, axis_of(), q, qd); });
  }
  TransformT<F> pose(QuatT<F> q_WP, Vec3T<F>* axis_W) const {
    return visit_joint(type, [&](auto family) { return family.pose(n, axis_of(), q, q_WP, axis_W); });
  }
  void write_axes(QuatT<F> q_WP, Vec3T<F>* axis_W) const {
    visit_joint(type, [&](auto family) { family.axes(n, axis_of(), q, q_WP, axis_W); });
  }
  Joint integrated(const F* rate, F h) const {
    Joint next = *this;
    visit_joint(type, [&](auto family) {
      family.integrate(
          n, [&](int i) { return rate[i]; }, h, next.q);
    });
    return next;
  }
  auto axis_of() const {
    return [this](int i) { return axes[i]; };
  }
};

Quat random_turn(SeededRandom& random) {
  return normalize(Quat{random.next(), random.next(), random.next(), random.next()});
}

Joint<Real> random_joint(const Sample& s, SeededRandom& random) {
  Joint<Real> joint{s.type, s.n, {}, {}, {}};
  for (Real& q : joint.q) q = random.next();
  for (Real& qd : joint.qd) qd = random.next();
  for (int first = 0; first < 6; first += 3) {
    // Perpendicular, right- or left-handed.
    const Mat33 A = mat33_from_quat(random_turn(random));
    const Real hand = random.one_in(2) ? Real(-1) : Real(1);
    const int at = first == 0 ? 0 : s.n.linear;
    for (int i = 0; i < (first == 0 ? s.n.linear : s.n.angular); ++i) joint.axes[at + i] = A[i] * (i == 2 ? hand : 1);
  }
  if (turns_at_once(s.type)) {
    const Quat turn = random_turn(random);
    for (int i = 0; i < 4; ++i) joint.q[s.coords - 4 + i] = turn[i];
  }
  return joint;
}

template <class Check>
void each_random_joint(Check check) {
  for (const Sample& s : kSamples) {
    SCOPED_TRACE(name_of(s));
    SeededRandom random(static_cast<unsigned>(&s - kSamples));
    for (int i = 0; i < 20; ++i) check(s, random_joint(s, random), random);
  }
}

// Velocity of the frame between two poses.
SpatialVector difference(const Transform& before, const Transform& after, Real time) {
  const Quat turn = after.q * conjugate(before.q);
  return {(after.p - before.p) / time, vector_part(turn) * ((turn.w < 0 ? Real(-2) : Real(2)) / time)};
}

void expect_near(const SpatialVector& a, const SpatialVector& b, Real tolerance) {
  EXPECT_LT(length(a.linear - b.linear), tolerance);
  EXPECT_LT(length(a.angular - b.angular), tolerance);
}

TEST(Joints, CountsFitTheTypes) {
  for (const Sample& s : kSamples) {
    SCOPED_TRACE(name_of(s));
    EXPECT_EQ(joint_coord_count(s.type, s.n), s.coords);
    EXPECT_EQ(joint_constraint_count(s.type, s.n), s.constraints);
    EXPECT_EQ(s.coords - s.n.count(), turns_at_once(s.type) ? 1 : 0);  // a quaternion has one number too many
    EXPECT_TRUE(joint_type_exists(static_cast<int>(s.type), {s.n.linear, s.n.angular}));
    EXPECT_FALSE(joint_type_exists(static_cast<int>(s.type), {4, s.n.angular}));
    EXPECT_EQ(joint_type_exists(static_cast<int>(s.type), {2, 2}), s.type == JointType::kD6);
  }
  EXPECT_FALSE(joint_type_exists(-1, {0, 0}));
  EXPECT_FALSE(joint_type_exists(7, {0, 0}));
}

// motion(): V is the derivative of X while the coordinates are integrated with qd. (The centre of mass of a free body
// is at the joint frame's origin here.)
TEST(Joints, VelocityIsTheDerivativeOfThePose) {
  each_random_joint([](const Sample&, const Joint<Real>& joint, SeededRandom&) {
    const Transform before = joint.integrated(joint.qd, -kStep).motion().X;
    const Transform after = joint.integrated(joint.qd, kStep).motion().X;
    expect_near(difference(before, after, 2 * kStep), joint.motion().V, kDifference);
  });
}

// pose(): the axis of each degree of freedom gives the column of the Jacobian, at a point away from the joint.
TEST(Joints, AxesAreTheDerivativesOfThePose) {
  each_random_joint([](const Sample& s, const Joint<Real>& joint, SeededRandom& random) {
    const Transform X_WP{{random.next(), random.next(), random.next()}, random_turn(random)};
    const Vec3 p_J{random.next(), random.next(), random.next()};
    Vec3 axis_W[6], other[6];
    const auto place = [&](const Joint<Real>& moved, Vec3* axes) {
      const Transform X = X_WP * moved.pose(X_WP.q, axes);
      return Transform{transform_point(X, p_J), X.q};
    };
    const Transform here = place(joint, axis_W);
    const Vec3 arm = here.p - transform_point(X_WP, joint.motion().X.p);
    for (int i = 0; i < s.n.count(); ++i) {
      Real rate[6] = {};
      rate[i] = 1;
      const Transform before = place(joint.integrated(rate, -kStep), other);
      const Transform after = place(joint.integrated(rate, kStep), other);
      const SpatialVector column = i < s.n.linear ? slide_motion(axis_W[i]) : turn_motion(axis_W[i], arm);
      expect_near(difference(before, after, 2 * kStep), column, kDifference);
    }
  });
}

// pose() and motion() are one pose, and the velocity is what the axes say.
TEST(Joints, PoseAndMotionAgree) {
  each_random_joint([](const Sample& s, const Joint<Real>& joint, SeededRandom&) {
    Vec3 axis[6];
    const Transform X = joint.pose({}, axis);
    const JointMotion<Real> motion = joint.motion();
    expect_near(difference(X, motion.X, 1), {}, kRounding);
    SpatialVector sum;
    for (int i = 0; i < s.n.count(); ++i)
      sum = sum + (i < s.n.linear ? slide_motion(axis[i]) : turn_motion(axis[i], Vec3{})) * joint.qd[i];
    expect_near(sum, motion.V, kRounding);
  });
}

// Velocities that stay the same may be integrated in one step or in ten.
TEST(Joints, IntegrationIsExactForConstantVelocities) {
  each_random_joint([](const Sample&, const Joint<Real>& joint, SeededRandom&) {
    Joint<Real> ten = joint;
    for (int i = 0; i < 10; ++i) ten = ten.integrated(joint.qd, Real(0.05));
    expect_near(difference(joint.integrated(joint.qd, Real(0.5)).motion().X, ten.motion().X, 1), {}, kRounding);
  });
}

// A body at rest keeps its coordinates: no axis of no turn is looked for.
TEST(Joints, RestStaysFinite) {
  each_random_joint([](const Sample& s, const Joint<Real>& joint, SeededRandom&) {
    const Real rest[6] = {};
    const Joint<Real> next = joint.integrated(rest, Real(0.1));
    for (int i = 0; i < s.coords; ++i) EXPECT_NEAR(next.q[i], joint.q[i], kRounding);
  });
}

TEST(Joints, CoordinatesUndoMotion) {
  each_random_joint([](const Sample& s, const Joint<Real>& joint, SeededRandom&) {
    const JointMotion<Real> motion = joint.motion();
    Real q[7] = {}, qd[6] = {};
    visit_joint(s.type, [&](auto family) { family.coordinates(s.n, joint.axis_of(), motion.X, motion.V, q, qd); });
    for (int i = 0; i < s.coords; ++i) EXPECT_NEAR(q[i], joint.q[i], 20 * kRounding);
    for (int i = 0; i < s.n.count(); ++i) EXPECT_NEAR(qd[i], joint.qd[i], 20 * kRounding);
  });
}

// -- Bits.

using Lanes4 = Lanes<Real, 4>;

// Lane l of `lanes` has joint l's bits in all their numbers.
template <class One, class Many>
void expect_lane(const One& one, const Many& many, int l) {
  constexpr int kNumbers = sizeof(One) / sizeof(Real);
  const Real* const a = reinterpret_cast<const Real*>(&one);
  const Lanes4* const b = reinterpret_cast<const Lanes4*>(&many);
  for (int i = 0; i < kNumbers; ++i)
    EXPECT_EQ(std::bit_cast<BitsOf<Real>>(a[i]), std::bit_cast<BitsOf<Real>>(Real(b[i][l]))) << "number " << i;
}

TEST(Joints, LanesHaveTheBitsOfPlainNumbers) {
  each_random_joint([](const Sample& s, const Joint<Real>&, SeededRandom& random) {
    Joint<Real> joint[4];
    Quat q_WP[4];
    Joint<Lanes4> lanes{s.type, s.n, {}, {}, {}};
    QuatT<Lanes4> lanes_q_WP;
    for (int l = 0; l < 4; ++l) {
      joint[l] = random_joint(s, random);
      q_WP[l] = random_turn(random);
      for (int i = 0; i < 7; ++i) lanes.q[i].set(l, joint[l].q[i]);
      for (int i = 0; i < 6; ++i) lanes.qd[i].set(l, joint[l].qd[i]);
      for (int i = 0; i < 18; ++i) lanes.axes[i / 3][i % 3].set(l, joint[l].axes[i / 3][i % 3]);
      for (int i = 0; i < 4; ++i) lanes_q_WP[i].set(l, q_WP[l][i]);
    }
    struct Axes {
      Vec3 axis[6];
    };
    struct LaneAxes {
      Vec3T<Lanes4> axis[6];
    };
    const Real h = Real(0.01);
    for (int l = 0; l < 4; ++l) {
      Axes of_pose{}, alone{};
      LaneAxes lanes_of_pose{}, lanes_alone{};
      expect_lane(joint[l].motion(), lanes.motion(), l);
      expect_lane(joint[l].pose(q_WP[l], of_pose.axis), lanes.pose(lanes_q_WP, lanes_of_pose.axis), l);
      joint[l].write_axes(q_WP[l], alone.axis);
      lanes.write_axes(lanes_q_WP, lanes_alone.axis);
      expect_lane(of_pose, lanes_of_pose, l);
      expect_lane(of_pose, lanes_alone, l);
      expect_lane(alone, lanes_alone, l);
      expect_lane(joint[l].integrated(joint[l].qd, h).q, lanes.integrated(lanes.qd, Lanes4(h)).q, l);
    }
  });
}

}  // namespace
}  // namespace carom
