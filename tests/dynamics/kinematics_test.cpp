// Kinematics against closed forms, finite differences and itself: poses, velocities, inverse, Jacobian.
#include <gtest/gtest.h>

#include <cmath>

#include "alloc_counter.h"
#include "carom/carom.h"
#include "scenes/scenes.h"
#include "tests/random.h"

namespace carom {
namespace {

constexpr bool kDouble = sizeof(Real) == 8;
constexpr Real kTight = kDouble ? Real(1e-12) : Real(2e-5);

// Angle-like distance of two rotations; q and -q are the same.
Real distance(Quat a, Quat b) {
  const Real s = dot(a, b) < 0 ? -1 : 1;
  return sqrt(square(a.x - s * b.x) + square(a.y - s * b.y) + square(a.z - s * b.z) + square(a.w - s * b.w));
}

// Random coordinates: positions and angles in [-1, 1], unit quaternions; random velocities.
void randomize(const Model& model, const State& state, unsigned seed) {
  SeededRandom random(seed);
  for (Real& q : state.joint_q) q = Real(random.uniform(-1, 1));
  for (Real& qd : state.joint_qd) qd = Real(random.uniform(-1, 1));
  for (int j = 0; j < model.joint_count; ++j) {
    const JointType type = static_cast<JointType>(model.joint_type[j]);
    const bool free = type == JointType::kFree || type == JointType::kDistance;
    if (!free && type != JointType::kBall) continue;
    Real* q = state.joint_q.data() + model.joint_q_start[j] + (free ? 3 : 0);
    const Quat unit = normalize(Quat{q[0], q[1], q[2], q[3]});
    std::copy_n(&unit.x, 4, q);
  }
}

// A planar chain of hinges hangs at angles that add up: position of link k is the sum of turned segments.
TEST(Kinematics, PlanarChain) {
  ModelBuilder builder;
  int parent = -1;
  for (int i = 0; i < 5; ++i) {
    const int link = builder.add_link({.mass = 1});
    builder.add_joint_revolute(parent, link, {.axis = {0, 1, 0}},
                               {.parent_xform = {{i == 0 ? Real(0) : Real(1), 0, 0}, {}}});
    parent = link;
  }
  const Model model = builder.finalize();
  const State state = model.state();
  double angle = 0, x = 0, z = 0;
  for (int i = 0; i < 5; ++i) state.joint_q[i] = Real(0.3 + 0.1 * i);
  eval_fk(model, state.joint_q, state.joint_qd, state);
  for (int i = 0; i < 5; ++i) {
    EXPECT_NEAR(state.body_q[i].p.x, x, kTight);
    EXPECT_NEAR(state.body_q[i].p.z, z, kTight);
    angle += 0.3 + 0.1 * i;
    x += std::cos(angle);
    z -= std::sin(angle);
  }
}

// A wheel on a slider: v = v_slider + w x r, at the centre of mass.
TEST(Kinematics, VelocityOfTheCentreOfMass) {
  ModelBuilder builder;
  const int cart = builder.add_link({.mass = 1});
  const int wheel = builder.add_link({.com = {0, 0, -2}, .mass = 1});
  builder.add_joint_prismatic(-1, cart, {.axis = {1, 0, 0}});
  builder.add_joint_revolute(cart, wheel, {.axis = {0, 1, 0}});
  const Model model = builder.finalize();
  const State state = model.state();
  state.joint_qd[0] = 3;
  state.joint_qd[1] = 5;
  eval_fk(model, state.joint_q, state.joint_qd, state);
  EXPECT_NEAR(state.body_qd[1].linear.x, 3 - 10, kTight);  // 5 about y moves a point below by -x
  EXPECT_NEAR(state.body_qd[1].angular.y, 5, kTight);
}

#if defined(CAROM_F64)  // finite differences need double precision
// q moved by qd for a small time, quaternions along their own angular velocity.
void advance(const Model& model, const State& state, Real dt) {
  for (int j = 0; j < model.joint_count; ++j) {
    const JointType type = static_cast<JointType>(model.joint_type[j]);
    Real* q = state.joint_q.data() + model.joint_q_start[j];
    const Real* qd = state.joint_qd.data() + model.joint_qd_start[j];
    if (type == JointType::kBall) {
      const Vec3 w{qd[0], qd[1], qd[2]};
      const Quat turned = quat_from_axis_angle(normalize(w), length(w) * dt) * Quat{q[0], q[1], q[2], q[3]};
      std::copy_n(&turned.x, 4, q);
    } else if (type != JointType::kFree && type != JointType::kDistance) {
      for (int i = 0; i < model.joint_dof_dim[j][0] + model.joint_dof_dim[j][1]; ++i) q[i] += qd[i] * dt;
    }
  }
}

// Twists are the time derivatives of poses, for every type of joint but free (whose velocity is given as a twist).
TEST(Kinematics, TwistsAreDerivativesOfPoses) {
  const Model model = scenes::joint_zoo().finalize();
  const State state = model.state();
  for (unsigned seed = 0; seed < 20; ++seed) {
    randomize(model, state, seed);
    // The free base stands still, so that its coordinates need no integration.
    for (int i = 0; i < 6; ++i) state.joint_qd[i] = 0;
    for (int i = 0; i < 6; ++i) state.joint_qd[model.joint_qd_start[7] + i] = 0;
    const Real h = Real(1e-6);
    State before = state.clone(), after = state.clone();
    advance(model, before, -h);
    advance(model, after, h);
    for (const State& s : {state, before, after}) eval_fk(model, s.joint_q, s.joint_qd, s);
    for (int b = 0; b < model.body_count; ++b) {
      const Vec3 p0 = transform_point(before.body_q[b], model.body_com[b]);
      const Vec3 p1 = transform_point(after.body_q[b], model.body_com[b]);
      EXPECT_LT(length((p1 - p0) / (2 * h) - state.body_qd[b].linear), Real(1e-8)) << "body " << b;
      const Quat turn = after.body_q[b].q * conjugate(before.body_q[b].q);
      const Vec3 w = vector_part(turn) * (turn.w < 0 ? Real(-1) : Real(1)) / h;
      EXPECT_LT(length(w - state.body_qd[b].angular), Real(1e-8)) << "body " << b;
    }
  }
}
#endif

// The inverse gives back the coordinates and velocities that went in.
TEST(Kinematics, InverseUndoesForward) {
  const Model model = scenes::joint_zoo().finalize();
  for (unsigned seed = 0; seed < 100; ++seed) {
    const State state = model.state();
    randomize(model, state, seed);
    eval_fk(model, state.joint_q, state.joint_qd, state);
    const Array<Real> q(model.joint_coord_count), qd(model.joint_dof_count);
    eval_ik(model, state, q, qd);
    for (int j = 0; j < model.joint_count; ++j) {
      const JointType type = static_cast<JointType>(model.joint_type[j]);
      const int first = model.joint_q_start[j], last = model.joint_q_start[j + 1];
      const bool has_quat = type == JointType::kFree || type == JointType::kDistance || type == JointType::kBall;
      const int plain_end = has_quat ? last - 4 : last;
      for (int i = first; i < plain_end; ++i) EXPECT_NEAR(q[i], state.joint_q[i], 20 * kTight) << "joint " << j;
      if (!has_quat) continue;
      const Real *a = q.data() + plain_end, *b = state.joint_q.data() + plain_end;
      EXPECT_LT(distance(Quat{a[0], a[1], a[2], a[3]}, Quat{b[0], b[1], b[2], b[3]}), 20 * kTight) << "joint " << j;
    }
    for (int i = 0; i < model.joint_dof_count; ++i) EXPECT_NEAR(qd[i], state.joint_qd[i], 50 * kTight) << "dof " << i;
  }
}

// J qd is the twist of every body, for any velocities.
TEST(Kinematics, JacobianTimesVelocitiesGivesTwists) {
  ModelBuilder builder;
  builder.replicate(scenes::joint_zoo(), 2);
  builder.add_world(scenes::walker());
  builder.add_builder(scenes::joint_zoo());  // globals
  const Model model = builder.finalize();
  const Jacobian jacobian = make_jacobian(model);
  const State state = model.state();
  randomize(model, state, 1);
  eval_fk(model, state.joint_q, state.joint_qd, state);
  eval_jacobian(model, state, jacobian);
  EXPECT_EQ(jacobian.rows, (std::vector<int>{48, 48, 120, 48}));
  for (int world = -1; world < model.world_count; ++world) {
    const int entry = world < 0 ? model.world_count : world;
    const Array<Real> J = jacobian.world(world);
    const auto& body_start = model.layout->start[static_cast<int>(Entity::kBody)];
    const auto& dof_start = model.layout->start[static_cast<int>(Entity::kJointDof)];
    const Real* twist = &state.body_qd[body_start[entry]].linear.x;
    const Real* qd = &state.joint_qd[dof_start[entry]];
    for (int row = 0; row < jacobian.rows[entry]; ++row) {
      Real sum = 0;
      for (int col = 0; col < jacobian.cols[entry]; ++col) sum += J[row * jacobian.cols[entry] + col] * qd[col];
      EXPECT_NEAR(sum, twist[row], 50 * kTight) << "world " << world << " row " << row;
    }
  }
}

// A body without a joint keeps its pose, carries what hangs on it, and a world's joint may hang on a global body.
TEST(Kinematics, LooseAndGlobalParents) {
  ModelBuilder builder;
  const int tower = builder.add_link({.xform = {{10, 0, 0}, {}}, .mass = 1});
  builder.add_joint_prismatic(-1, tower, {.axis = {0, 0, 1}}, {.parent_xform = {{10, 0, 0}, {}}});
  for (int w = 0; w < 3; ++w) {
    builder.begin_world();
    const int shelf = builder.add_link({.xform = {{0, Real(w), 0}, {}}, .mass = 1});
    const int drawer = builder.add_link({.mass = 1}), crane = builder.add_link({.mass = 1});
    builder.add_joint_prismatic(shelf, drawer, {.axis = {1, 0, 0}});
    builder.add_joint_prismatic(tower, crane, {.axis = {0, 1, 0}});
    builder.end_world();
  }
  const Model model = builder.finalize();
  const State state = model.state();
  for (int i = 0; i < model.joint_coord_count; ++i) state.joint_q[i] = state.joint_qd[i] = Real(i + 1);
  eval_fk(model, state.joint_q, state.joint_qd, state);
  EXPECT_EQ(state.body_q[0].p, (Vec3{10, 0, 1}));
  for (int w = 0; w < 3; ++w) {
    EXPECT_EQ(state.body_q[3 * w + 2].p, (Vec3{Real(2 * w + 2), Real(w), 0}));
    EXPECT_EQ(state.body_q[3 * w + 3].p, (Vec3{10, Real(2 * w + 3), 1}));
    EXPECT_EQ(state.body_qd[3 * w + 3].linear, (Vec3{0, Real(2 * w + 3), 1}));
  }
}

// A mask keeps the other worlds' bodies as they were.
TEST(Kinematics, Mask) {
  ModelBuilder builder;
  builder.replicate(scenes::chain(3), 5);
  const Model model = builder.finalize();
  const State state = model.state(), all = model.state();
  randomize(model, state, 3);
  all.assign(state);
  eval_fk(model, all.joint_q, all.joint_qd, all);
  const std::uint8_t mask[] = {0, 1, 0, 0, 1};
  eval_fk(model, state.joint_q, state.joint_qd, state, mask);
  for (int b = 0; b < model.body_count; ++b)
    EXPECT_EQ(state.body_q[b].p, mask[b / 3] ? all.body_q[b].p : model.body_q[b].p) << b;
}

// Stepping through kinematics again and again takes no memory.
TEST(Kinematics, NoAllocationAfterWarmUp) {
  if (!testing::counts_allocations()) GTEST_SKIP() << "allocations cannot be counted under a sanitizer";
  ModelBuilder builder;
  builder.add_ground_plane();
  builder.replicate(scenes::walker(), 100);
  const Model model = builder.finalize();
  const State state = model.state();
  for (const int threads : {1, 2}) {
    const Queue queue({}, {.threads = threads});
    eval_fk(model, state.joint_q, state.joint_qd, state, {}, &queue);
    eval_ik(model, state, state.joint_q, state.joint_qd, {}, &queue);
    EXPECT_EQ(testing::allocations_in([&] {
                for (int i = 0; i < 10; ++i) {
                  eval_fk(model, state.joint_q, state.joint_qd, state, {}, &queue);
                  eval_ik(model, state, state.joint_q, state.joint_qd, {}, &queue);
                }
              }),
              0)
        << threads << " threads";
  }
}

// Wrong sizes are named.
TEST(Kinematics, WrongSizes) {
  const Model model = scenes::chain(2).finalize();
  const State state = model.state();
  EXPECT_THROW(eval_fk(model, Array<Real>(3), state.joint_qd, state), Error);
  const std::uint8_t mask[] = {1, 1, 1};
  EXPECT_THROW(eval_fk(model, state.joint_q, state.joint_qd, state, mask), Error);
}

}  // namespace
}  // namespace carom
