// Packed parameters of the MuJoCo solver after edits: those of plans that were made anew, bit for bit, with no more
// parts packed than the edit changed. On the CPU, and on a GPU where there is one.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "model/derived.h"
#include "solvers/mujoco/plans.h"
#include "tests/backend/on_device.h"
#include "tests/sim/step_scenes.h"

namespace carom {
namespace {

constexpr int kWorlds = 64;
constexpr int kBodies = 3, kJoints = 3, kDofs = 2, kShapes = 3;  // of a world
constexpr int kGlobalShapes = 1;                                 // they come first
constexpr int kEdited = 5;                                       // the world that most edits change
constexpr int kBody = kBodies * kEdited, kJoint = kJoints * kEdited, kDof = kDofs * kEdited;
constexpr int kShape = kGlobalShapes + kShapes * kEdited;

// Two hinged arms with a limit, damping, a tendon and a motor; the second arm carries a ball that is fixed to it.
ModelBuilder arms() {
  ModelBuilder one, builder;
  std::vector<int> joints;
  int parent = -1;
  for (int i = 0; i < 2; ++i) {
    const int arm = one.add_link();
    one.add_shape_capsule(arm, Real(0.05), Real(0.2), {.xform = {{Real(0.25), 0, 0}, step_scenes::along_x()}});
    JointDofConfig axis{.axis = {0, 1, 0}};
    if (i == 0) axis.limit_upper = 1, axis.limit_lower = -1;
    joints.push_back(
        one.add_joint_revolute(parent, arm, axis, {.parent_xform = step_scenes::at(i ? Real(0.5) : Real(0), 0, 1)}));
    parent = arm;
  }
  const int ball = one.add_link();
  one.add_shape_sphere(ball, Real(0.1));
  one.add_joint_fixed(parent, ball, {.parent_xform = step_scenes::at(Real(0.5), 0, 0)});
  one.add_tendon_fixed({{joints[0], 1}, {joints[1], 2}});
  one.add_actuator(joints[1]);
  builder.add_ground_plane();
  builder.replicate(one, kWorlds);
  return builder;
}

struct Packed {
  std::vector<std::vector<Real>> rows;  // of every part
  std::vector<int> link, part;          // of every body
  std::vector<Real> inverse_mass;
};

template <class T>
std::vector<T> values(const Array<T>& array) {
  const Array<T> here = array.on_cpu();
  return {here.begin(), here.end()};
}

Packed packed_by(const MuJoCoPlans& plans) {
  Packed result{{}, values(plans.bodies.link), values(plans.bodies.part), values(plans.bodies.inverse_mass)};
  result.rows.resize(plans.part_count);
  for (const MuJoCoPlan& plan : plans.plans) {
    const std::vector<Real> all = values(plan.params);
    for (std::size_t i = 0; i < plan.archetype.parts.size(); ++i) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(i) * plan.params_stride;
      result.rows[plan.archetype.parts[i].id].assign(first, first + plan.layout.row);
    }
  }
  return result;
}

std::int64_t count_packed(const MuJoCoPlans& plans) {
  std::int64_t sum = 0;
  for (const MuJoCoPlan& plan : plans.plans) sum += plan.packed;
  return sum;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

void expect_same(const Packed& a, const Packed& b) {
  ASSERT_EQ(a.rows.size(), b.rows.size());
  for (std::size_t i = 0; i < a.rows.size(); ++i) EXPECT_TRUE(same_bits(a.rows[i], b.rows[i])) << "part " << i;
  EXPECT_EQ(a.link, b.link);
  EXPECT_EQ(a.part, b.part);
  EXPECT_TRUE(same_bits(a.inverse_mass, b.inverse_mass));
}

class Pack : public testing::OnDevice {
 protected:
  // The plans of the model, kept up with its edits.
  class Kept {
   public:
    explicit Kept(const Model& model) : model_(model), queue_(model.device) { plans.keep_up(model_, queue_); }

    // Rows that were packed for what happened since; the result must be that of new plans.
    std::int64_t keep_up() {
      const std::int64_t before = count_packed(plans);
      plans.keep_up(model_, queue_);
      MuJoCoPlans anew;
      anew.keep_up(model_, queue_);
      expect_same(packed_by(plans), packed_by(anew));
      EXPECT_EQ(plans.plans.size(), anew.plans.size());
      for (std::size_t i = 0; i < plans.plans.size(); ++i) {
        EXPECT_EQ(plans.plans[i].params_stride, anew.plans[i].params_stride);
        EXPECT_EQ(plans.plans[i].rows.forces.damped, anew.plans[i].rows.forces.damped);
      }
      return count_packed(plans) - before;
    }
    // Places in columns of the CPU change those of the device.
    std::int64_t edit(const std::function<void(ModelNumbers&)>& change) {
      model_.edit([&](ModelNumbers& numbers) {
        ModelNumbers here;
        visit_columns([&](const ColumnInfo&, auto get) { get(here) = get(numbers).on_cpu(); });
        here.gravity = numbers.gravity.on_cpu();
        change(here);
        visit_columns([&](const ColumnInfo&, auto get) { get(numbers).assign(get(here)); });
        numbers.gravity.assign(here.gravity);
      });
      return keep_up();
    }

    const Model& model() const { return model_; }

    MuJoCoPlans plans;

   private:
    Model model_;
    Queue queue_;
  };

  Model model() const { return arms().finalize(device()); }
  Model different_worlds() const {
    const Model model = arms().finalize(device());
    model.edit([](ModelNumbers& n) {
      const Array<Real> mass = n.body_mass.on_cpu();
      for (int w = 0; w < kWorlds; ++w) mass[kBodies * w] = 1 + Real(w) / kWorlds;
      n.body_mass.assign(mass);
    });
    return model;
  }
  // Past an edit, which would refuse it.
  template <class T>
  static void write(const Model& model, const Array<T>& column, int row, T value) {
    column.slice(row, row + 1).assign(Array<T>(std::span<const T>(&value, 1)));
    bring_up_to_date(model);
  }
};
CAROM_ON_ALL_DEVICES(Pack);

struct Change {
  std::string name;
  std::function<void(ModelNumbers&)> apply;
};
const Change kNumbers[] = {
    {"mass", [](auto& n) { n.body_mass[kBody + 1] = 3; }},
    {"centre of mass", [](auto& n) { n.body_com[kBody].z = Real(0.1); }},
    {"mass of what is fixed to a link", [](auto& n) { n.body_mass[kBody + 2] = 3; }},
    {"no mass", [](auto& n) { n.body_mass[kBody + 2] = 0, n.body_inertia[kBody + 2] = Mat33{}; }},
    {"gravity", [](auto& n) { n.gravity[kEdited].x = 1; }},
    {"joint frame", [](auto& n) { n.joint_X_p[kJoint + 1].p.x = Real(0.6); }},
    {"axis",
     [](auto& n) {
       n.joint_axis[kDof] = {1, 0, 0};
     }},
    {"limit", [](auto& n) { n.joint_limit_upper[kDof] = 2; }},
    {"limit's reference", [](auto& n) { n.joint_limit_solref[kDof][0] = Real(0.1); }},
    {"armature", [](auto& n) { n.joint_armature[kDof] = 1; }},
    {"stiffness", [](auto& n) { n.joint_stiffness[kDof] = 5; }},
    {"initial coordinate", [](auto& n) { n.joint_q[kDof + 1] = Real(0.3); }},
    {"actuator", [](auto& n) { n.actuator_gain[kEdited] = 2; }},
};

// Proves that an edit of numbers of one world packs one part, whether the worlds had one row for all or rows of their
// own, and that to take it back leaves what was there before.
TEST_P(Pack, OneWorldIsOnePart) {
  for (const bool alike : {true, false})
    for (const Change& change : kNumbers) {
      SCOPED_TRACE(change.name + (alike ? ", worlds alike" : ", worlds differ"));
      Kept kept(alike ? model() : different_worlds());
      EXPECT_EQ(kept.plans.plans[0].params_stride == 0, alike);
      const Packed before = packed_by(kept.plans);
      ModelNumbers old;
      EXPECT_EQ(kept.edit([&](ModelNumbers& n) {
        visit_columns([&](const ColumnInfo&, auto get) { get(old) = get(n).clone(); });
        old.gravity = n.gravity.clone();
        change.apply(n);
      }),
                1);
      EXPECT_FALSE(same_bits(packed_by(kept.plans).rows[kEdited], before.rows[kEdited]));
      EXPECT_EQ(kept.edit([&](ModelNumbers& n) {
        visit_columns([&](const ColumnInfo&, auto get) { get(n).assign(get(old)); });
        n.gravity.assign(old.gravity);
      }),
                1);
      expect_same(packed_by(kept.plans), before);
    }
}

// Proves that several edits count together, that the first world, which the others are compared with, may change, and
// that an edit of all worlds alike leaves one row for all.
TEST_P(Pack, SeveralWorlds) {
  Kept kept(model());
  EXPECT_EQ(kept.edit([](auto& n) {
    for (const int w : {0, 3, 63}) n.body_mass[kBodies * w] = 7;
  }),
            3);
  EXPECT_EQ(kept.edit([](auto& n) {
    for (int w = 0; w < kWorlds; ++w) n.body_mass[kBodies * w] = 7;
  }),
            1);
  EXPECT_EQ(kept.plans.plans[0].params_stride, 0);
  EXPECT_EQ(kept.edit([](auto& n) { n.gravity[0].z = -1; }), 1);
  kept.model().set_gravity({0, 0, -2}, 4);
  kept.model().set_gravity({0, 0, -3}, 9);
  EXPECT_EQ(kept.keep_up(), 2);
  kept.model().set_gravity({0, 0, -4});
  EXPECT_EQ(kept.keep_up(), 1);
  for (int i = 0; i < 20; ++i) kept.model().set_gravity({0, 0, Real(-i)}, i);  // more than a model remembers
  kept.keep_up();
  EXPECT_EQ(count_packed(kept.plans), kWorlds);  // by new plans
}

// Proves that nothing is packed for what rows are not made from.
TEST_P(Pack, OtherColumnsPackNothing) {
  Kept kept(different_worlds());
  EXPECT_EQ(kept.edit([](auto& n) { n.shape_material_mu[kShape] = Real(0.1), n.shape_material_mu[0] = 0; }), 0);
  EXPECT_EQ(kept.edit([](auto& n) { n.joint_qd[kDof] = 1; }), 0);
  EXPECT_EQ(kept.edit([](auto&) {}), 0);
}

// Proves that plans are made again where numbers ask for other rows, also where they no longer do.
TEST_P(Pack, OtherNeedsMakeThePlanAgain) {
  const Change needs[] = {
      {"limit", [](auto& n) { n.joint_limit_upper[kDof + 1] = 1; }},
      {"both ends near each other", [](auto& n) { n.joint_limit_margin[kDof] = 2; }},
      {"damping", [](auto& n) { n.joint_damping[kDof] = 1; }},
      {"tendon's limit", [](auto& n) { n.tendon_limit_upper[kEdited] = 1; }},
      {"tendon's spring", [](auto& n) { n.tendon_stiffness[kEdited] = 1; }},
  };
  for (const Change& change : needs) {
    SCOPED_TRACE(change.name);
    Kept kept(different_worlds());
    const Packed before = packed_by(kept.plans);
    ModelNumbers old;
    EXPECT_EQ(kept.edit([&](ModelNumbers& n) {
      visit_columns([&](const ColumnInfo&, auto get) { get(old) = get(n).clone(); });
      change.apply(n);
    }),
              kWorlds);
    // A second world that needs the same is packed alone.
    EXPECT_EQ(kept.edit([&](ModelNumbers& n) { n.joint_damping[0] = n.joint_damping[kDof]; }),
              change.name == "damping" ? 1 : 0);
    EXPECT_EQ(kept.edit([&](ModelNumbers& n) {
      visit_columns([&](const ColumnInfo&, auto get) { get(n).assign(get(old)); });
    }),
              kWorlds);
    expect_same(packed_by(kept.plans), before);
  }
}

// Proves that a world that becomes another archetype makes all anew.
TEST_P(Pack, OtherArchetypesMakeAllAnew) {
  Kept kept(different_worlds());
  EXPECT_EQ(kept.plans.plans.size(), 1u);
  kept.edit([](auto& n) { n.shape_condim[kShape] = 1; });
  EXPECT_EQ(kept.plans.plans.size(), 2u);
  kept.edit([](auto& n) { n.shape_condim[kShape] = 3; });
  EXPECT_EQ(kept.plans.plans.size(), 1u);
}

// Proves that joints which are switched off in all worlds at once, which leaves the archetypes as they are, are
// refused.
TEST_P(Pack, DisabledJointsAreRefused) {
  Kept kept(model());
  const auto switch_all = [&](int value) {
    return kept.edit([&](auto& n) {
      for (int& enabled : n.joint_enabled) enabled = value;
    });
  };
  EXPECT_THROW(switch_all(0), Error);
  EXPECT_NO_THROW(switch_all(1));
}

// Proves that a world is marked as long as something in it, or in a shape that all share, is not a number, also when it
// is a number of a shape and all worlds had one row.
TEST_P(Pack, NotANumberAndBack) {
  constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();
  for (const bool alike : {true, false}) {
    SCOPED_TRACE(alike ? "worlds alike" : "worlds differ");
    const Model model = alike ? this->model() : different_worlds();
    Kept kept(model);
    const Packed before = packed_by(kept.plans);
    const auto marked = [&] {
      int count = 0;
      for (const std::vector<Real>& row : packed_by(kept.plans).rows) count += row[0] != row[0];
      return count;
    };
    write(model, model.body_mass, kBody + 1, kNan);
    kept.plans.keep_up(model, Queue(model.device));
    EXPECT_EQ(marked(), 1);
    EXPECT_EQ(kept.edit([](auto& n) { n.body_mass[kBody + 1] = n.body_mass[1]; }), 1);
    expect_same(packed_by(kept.plans), before);
    write(model, model.shape_material_mu, kShape, kNan);
    kept.plans.keep_up(model, Queue(model.device));
    EXPECT_EQ(marked(), 1);
    EXPECT_EQ(kept.edit([](auto& n) { n.shape_material_mu[kShape] = n.shape_material_mu[kGlobalShapes]; }), 1);
    expect_same(packed_by(kept.plans), before);
    write(model, model.shape_material_mu, 0, kNan);
    kept.plans.keep_up(model, Queue(model.device));
    EXPECT_EQ(marked(), kWorlds);
    EXPECT_EQ(kept.edit([](auto& n) { n.shape_material_mu[0] = 1; }), alike ? 1 : kWorlds);
    expect_same(packed_by(kept.plans), before);
  }
}

// Proves the same of a model without worlds.
TEST_P(Pack, ModelWithoutWorlds) {
  ModelBuilder builder;
  for (int i = 0; i < 3; ++i) builder.add_shape_sphere(builder.add_body(), Real(0.1));
  Kept kept(builder.finalize(device()));
  EXPECT_EQ(kept.edit([](auto& n) { n.body_mass[2] = 3; }), 1);
  EXPECT_EQ(kept.edit([](auto& n) { n.gravity[0].x = 3; }), 1);
  EXPECT_EQ(kept.edit([](auto& n) { n.shape_material_mu[0] = 3; }), 0);
}

// Proves it of worlds that are taken apart: the parts of the changed world are packed.
TEST(PackParts, LargeWorlds) {
  constexpr int kBalls = 40;
  ModelBuilder one, builder;
  for (int i = 0; i < kBalls; ++i) one.add_shape_sphere(one.add_body(), Real(0.1));
  builder.replicate(one, 3);
  const Model model = builder.finalize();
  const Queue queue;
  MuJoCoPlans plans, anew;
  plans.keep_up(model, queue);
  EXPECT_EQ(plans.part_count, 3 * kBalls);
  EXPECT_EQ(count_packed(plans), 1);  // all alike
  model.edit([](ModelNumbers& n) { n.body_mass[kBalls + 7] = 3; });
  plans.keep_up(model, queue);
  anew.keep_up(model, queue);
  EXPECT_EQ(count_packed(plans), 1 + kBalls);
  expect_same(packed_by(plans), packed_by(anew));
}

// Proves that every tier and any number of threads packs the same bits, of worlds of all kinds.
TEST(PackParts, SameBitsInEveryTier) {
  std::vector<int> numbers(24);
  for (int i = 0; i < 24; ++i) numbers[i] = i;
  const Model model = step_scenes::make_worlds(numbers).model;
  MuJoCoPlans expected;
  expected.keep_up(model, Queue({}, {.threads = 1}));
  testing::for_each_tier([&] {
    MuJoCoPlans plans;
    plans.keep_up(model, Queue({}, {.threads = 3}));
    expect_same(packed_by(plans), packed_by(expected));
  });
}

// Proves that a GPU packs the bits of the CPU.
TEST_P(Pack, SameBitsAsTheCpu) {
  std::vector<int> numbers(24);
  for (int i = 0; i < 24; ++i) numbers[i] = i;
  MuJoCoPlans expected, plans;
  expected.keep_up(step_scenes::make_worlds(numbers).model, Queue(Device{}));
  plans.keep_up(step_scenes::make_worlds(numbers, -1, device()).model, Queue(device()));
  expect_same(packed_by(plans), packed_by(expected));
}

}  // namespace
}  // namespace carom
