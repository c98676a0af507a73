// What the tables of misuse share: a builder that is prepared for them, and what a case must do.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "carom/builder.h"
#include "io/native/model_format.h"

namespace carom {
namespace {

constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();
constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
constexpr int kMaxInt = std::numeric_limits<int>::max();

// bodies     0 'stage' | 1 'base', 2 'arm' | 3 'cart', 4 'ball', 5 'loose'
// joints               | 0 'hinge', 1 'elbow' | 2 'rail', 3 (free, of the ball)
// shapes     0 'ground', 1 'deck' | 2 'foot', 3 'hand' | 4 'bump', 5 (ball), 6 (loose)
// particles            | 0 | 1, 2, 3 at the corners of a triangle, 4 above it, 5 in line with 1 and 2
// Bars part the global entities, world 0 'left' and world 1 'right', which is still open.
inline ModelBuilder prepared_builder() {
  ModelBuilder b;
  b.add_ground_plane(0, {.key = "ground"});
  b.add_shape_box(b.add_link({.key = "stage", .is_kinematic = true}), 1, 1, Real(0.1), {.key = "deck"});

  b.begin_world("left");
  b.add_shape_sphere(b.add_link({.key = "base"}), Real(0.1), {.key = "foot"});
  b.add_shape_box(b.add_link({.key = "arm"}), Real(0.1), Real(0.1), Real(0.3), {.key = "hand"});
  b.add_joint_revolute(-1, 1, {}, {.key = "hinge"});
  b.add_joint_revolute(1, 2, {}, {.key = "elbow"});
  b.add_articulation({0, 1}, "robot");
  b.add_particle({0, 0, 1}, {}, 1);
  b.end_world();

  b.begin_world("right");
  b.add_shape_sphere(b.add_link({.key = "cart"}), Real(0.1), {.key = "bump"});
  b.add_joint_prismatic(-1, 3, {}, {.key = "rail"});
  b.add_articulation({2}, "track");
  b.add_shape_sphere(b.add_body({.key = "ball"}), Real(0.2));
  b.add_shape_sphere(b.add_link({.key = "loose"}), Real(0.2));
  for (const Vec3 pos : {Vec3{}, Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}, Vec3{2, 0, 0}})
    b.add_particle(pos, {}, 1);
  return b;
}

// Everything that can be seen of a builder, now and later: what the model file of its model holds after one entity of
// each kind was added with the key that the cases use. A case that had left something behind, even a key that is
// taken or a world that is open, would change it.
inline std::string fingerprint(ModelBuilder b) {
  const int link = b.add_link({.inertia = mat33_identity<Real>(), .mass = 1, .key = "new"});
  const int joint = b.add_joint_revolute(-1, link, {}, {.key = "new"});
  b.add_articulation({joint}, "new");
  b.add_shape_sphere(link, 1, {.key = "new"});
  b.add_equality_constraint_connect(link, -1, {}, {.key = "new"});
  b.add_particle({}, {}, 1, 1, kParticleActive, "new");
  b.add_tendon_fixed({{.joint = joint, .coef = 1}}, {}, "new");
  b.add_actuator(joint, {}, "new");
  b.add_sensor(SensorType::kClock, {}, {}, {}, "new");
  if (b.current_world() >= 0) b.end_world();
  return encode_model(b.finalize());
}

struct Misuse {
  std::string name;
  std::function<void(ModelBuilder&)> act;  // what is wrong
  std::vector<std::string> words;          // that the message must have
  std::function<void(ModelBuilder&)> prepare = [](ModelBuilder&) {};
};

inline void end_world(ModelBuilder& b) { b.end_world(); }

inline void PrintTo(const Misuse& misuse, std::ostream* out) { *out << misuse.name; }
inline std::string case_name(const testing::TestParamInfo<Misuse>& info) { return info.param.name; }

// Throws an Error that names the entity and the way out, and changes nothing in the builder.
inline void expect_error(const Misuse& misuse) {
  ModelBuilder builder = prepared_builder();
  misuse.prepare(builder);
  const std::string before = fingerprint(builder);
  const int world = builder.current_world();
  try {
    misuse.act(builder);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    for (const std::string& word : misuse.words)
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
          << "'" << word << "' is not in: " << error.what();
  }
  EXPECT_EQ(builder.current_world(), world);
  EXPECT_TRUE(fingerprint(builder) == before) << "the builder has changed";
}

}  // namespace
}  // namespace carom
