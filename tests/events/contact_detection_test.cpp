// Contact detection with hysteresis: pair ids and keys, the four dictionaries entry by entry, their life cycles, and
// the functions whose zero crossings are events.
#include "carom/contact_detection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "carom/carom.h"
#include "tests/random.h"

namespace carom {
namespace {

constexpr Real kRadius = 0.5, kEps = 1e-8, kExact = 1e-14;

// Free balls, one shape each, in a model without worlds.
struct Balls {
  Model model;
  State state;

  explicit Balls(const std::vector<Vec3>& centres) {
    ModelBuilder builder;
    builder.default_shape_cfg.restitution = 0.5;
    for (const Vec3& p : centres) {
      const std::string key = "ball" + std::to_string(&p - centres.data());
      builder.add_shape_sphere(builder.add_body({.xform = {p, {}}}), kRadius, {.key = key});
    }
    model = builder.finalize();
    state = model.state();
  }
  void put(int ball, Vec3 p) { state.body_q[ball].p = p; }
};

// A ball at x = 0 and one at its right, d apart.
struct Two : Balls {
  explicit Two(Real d) : Balls({{0, 0, 0}, {1 + d, 0, 0}}) {}
  void set(Real d) { put(1, {1 + d, 0, 0}); }
};

// Proves that ids do not depend on the order of shapes and are taken apart again, up to the largest index.
TEST(PairIds, AreUniqueAndTakenApart) {
  for (const auto& [a, b] : {std::pair{0, 1}, {32767, 0}, {32767, 32768}, {2147483646, 2147483647}}) {
    EXPECT_EQ(pair_id(a, b), pair_id(b, a));
    EXPECT_EQ(shapes_of_pair(pair_id(a, b)), (Index2{std::min(a, b), std::max(a, b)}));
  }
  EXPECT_NE(pair_id(32767, 0), pair_id(0, 1));
}

// Proves that keys are ordered by distance, and by pair where distances are equal.
TEST(PairIds, KeysAreOrderedByDistanceThenPair) {
  EXPECT_LT((PairKey{-1, 9}), (PairKey{0, 1}));
  EXPECT_LT((PairKey{1, 1}), (PairKey{1, 2}));
  EXPECT_EQ((PairKey{1, 2}), (PairKey{1, 2}));
}

// Proves all entries of the dictionaries and of z for four balls whose distances are written out: 0 and 1 overlap by
// 5e-8, 1 and 2 are 0.1 apart, 0 and 2 1.1, and of 3, far above, the boxes are 2 and more apart.
TEST(ContactDetection, EntriesOfAWrittenOutExample) {
  Balls balls({{0, 0, 0}, {1 - 5e-8, 0, 0}, {2.1, 0, 0}, {0, 3, 0}});
  balls.state.body_qd[1].linear = {-2, 0, 0};
  ContactDetection detection(balls.model, -1, {.nz_max = 3});
  detection.initialize(balls.state);
  EXPECT_EQ(detection.pair_count(), 6);

  ASSERT_EQ(detection.contact_dict().size(), 1u);
  const auto& [id, contact] = *detection.contact_dict().begin();
  EXPECT_EQ(id, pair_id(0, 1));
  EXPECT_TRUE(contact.contact);
  EXPECT_NEAR(contact.distance_org, -5e-8, kExact);
  EXPECT_EQ(contact.distance_with_hysteresis, contact.distance_org);
  EXPECT_NEAR(contact.point_a.x, 0.5, kExact);
  EXPECT_NEAR(contact.point_b.x, 0.5 - 5e-8, kExact);
  EXPECT_NEAR(contact.normal.x, 1, kExact);
  EXPECT_NEAR(contact.material.distance_rate, -2, kExact);
  EXPECT_EQ(contact.material.restitution, 0.5);

  ASSERT_EQ(detection.last_contact_dict().size(), 1u);
  EXPECT_EQ(detection.last_contact_dict().at(pair_id(0, 1)).distance_rate, contact.material.distance_rate);

  ASSERT_EQ(detection.distance_dict().size(), 2u);  // nz_max - 1, the nearest
  const std::vector<std::pair<PairID, Real>> nearest{{pair_id(1, 2), 0.1 + 5e-8}, {pair_id(0, 2), 1.1}};
  auto key = detection.distance_dict().begin();
  for (const auto& [pair, d] : nearest) {
    EXPECT_EQ(key->first.pair_id, pair);
    EXPECT_NEAR(key->first.distance_with_hysteresis, d + 2 * kEps, kExact);
    EXPECT_EQ(key->second, key->first.distance_with_hysteresis);
    const NoContactPair& apart = detection.no_contact_dict().at(pair);
    EXPECT_FALSE(apart.contact);
    EXPECT_NEAR(apart.distance_org, d, kExact);
    EXPECT_EQ(apart.distance_with_hysteresis, key->second);
    ++key;
  }
  EXPECT_EQ(detection.no_contact_dict().size(), 2u);

  ASSERT_EQ(detection.z().size(), 3u);
  EXPECT_NEAR(detection.z()[0], -5e-8, kExact);
  EXPECT_NEAR(detection.z()[1], 0.1 + 7e-8, kExact);
  EXPECT_NEAR(detection.z()[2], 1.1 + 2e-8, kExact);
}

// Proves that shapes whose boxes are apart have the distance of these, and that the narrow phase takes over.
TEST(ContactDetection, BoxesWhileTheyAreApart) {
  Balls balls({{0, 0, 0}, {2, 3, 0}});
  ContactDetection detection(balls.model);
  detection.initialize(balls.state);
  const NoContactPair& pair = detection.no_contact_dict().at(pair_id(0, 1));
  EXPECT_NEAR(pair.distance_org, std::sqrt(5.0), kExact);
  EXPECT_NEAR(length(pair.point_b - pair.point_a), pair.distance_org, kExact);
  balls.put(1, {0.9, 0.9, 0});
  detection.find_zero_crossings(balls.state);
  EXPECT_NEAR(detection.no_contact_dict().at(pair_id(0, 1)).distance_org, 0.9 * std::sqrt(2.0) - 1, kExact);
}

// Proves that at the beginning what touches or overlaps by no more than z_eps is no contact, and that z is never zero.
TEST(ContactDetection, TouchingIsNoContactAtTheBeginning) {
  for (const auto& [distance, contact] :
       {std::pair{1e-3, false}, {0.0, false}, {-1e-14, false}, {-9e-9, false}, {-1.1e-8, true}, {-1e-3, true}}) {
    const Two two(distance);
    ContactDetection detection(two.model);
    detection.initialize(two.state);
    EXPECT_EQ(detection.contact_dict().size(), contact ? 1u : 0u) << distance;
    EXPECT_EQ(detection.z()[0] < 0, contact) << distance;
    EXPECT_GE(std::abs(detection.z()[0]), 1e-8 - kExact) << distance;
  }
}

// Proves the hysteresis: a contact begins below -2 z_eps and ends above 0, at events alone.
TEST(ContactDetection, BeginsBelowTwoEpsAndEndsAboveZero) {
  Two two(1e-3);
  ContactDetection detection(two.model);
  detection.initialize(two.state);
  const auto event_at = [&](Real d) {
    two.set(d);
    const bool before = !detection.contact_dict().empty();
    detection.find_zero_crossings(two.state);
    EXPECT_EQ(!detection.contact_dict().empty(), before) << "between events, at " << d;
    const Real z = detection.z()[0];
    EXPECT_NEAR(z, before ? d : d + 2 * kEps, kExact);
    detection.find_at_event(two.state);
    EXPECT_EQ(detection.last_contact_dict().size(), detection.contact_dict().size());
    return !detection.contact_dict().empty();
  };
  EXPECT_FALSE(event_at(-1.5e-8));
  EXPECT_TRUE(event_at(-2.5e-8));
  EXPECT_TRUE(event_at(-1.5e-8));
  EXPECT_TRUE(event_at(-1e-12));
  EXPECT_FALSE(event_at(1e-12));
  EXPECT_FALSE(event_at(-1e-12));
}

// Proves that a contact keeps what was known of it when it began as long as it lasts, and that a new one is new.
TEST(ContactDetection, MaterialIsThatOfTheBeginning) {
  Two two(-1e-6);
  ContactDetection detection(two.model);
  const auto rate_at_event = [&](Real d, Real speed) {
    two.set(d);
    two.state.body_qd[1].linear = {speed, 0, 0};
    detection.find_at_event(two.state);
    return detection.contact_dict().empty() ? Real(0) : detection.contact_dict().begin()->second.material.distance_rate;
  };
  two.state.body_qd[1].linear = {-3, 0, 0};
  detection.initialize(two.state);
  EXPECT_NEAR(rate_at_event(-2e-6, -1), -3, kExact);
  EXPECT_NEAR(rate_at_event(-1e-6, 2), -3, kExact);
  EXPECT_NEAR(rate_at_event(1e-6, 2), 0, kExact);
  EXPECT_NEAR(rate_at_event(-1e-6, -2), -2, kExact);
}

// Proves that update() changes values but neither keys nor z.
TEST(ContactDetection, UpdateKeepsKeys) {
  Balls balls({{0, 0, 0}, {0.9, 0, 0}, {2, 0, 0}, {4, 0, 0}});
  ContactDetection detection(balls.model, -1, {.nz_max = 2});
  detection.initialize(balls.state);
  const std::vector<Real> z = detection.z();
  balls.put(1, {1.5, 0, 0});
  balls.put(3, {2.2, 0, 0});
  detection.update(balls.state);
  EXPECT_EQ(detection.z(), z);
  EXPECT_NEAR(detection.contact_dict().at(pair_id(0, 1)).distance_org, 0.5, kExact);
  ASSERT_EQ(detection.no_contact_dict().size(), 1u);
  EXPECT_NEAR(detection.no_contact_dict().at(pair_id(1, 2)).distance_org, -0.5, kExact);
}

// Proves that too many contacts are an error that names the pairs and their distances, and that all stays as it was.
TEST(ContactDetection, TooManyContactsAreNamed) {
  Balls balls({{0, 0, 0}, {2, 0, 0}, {4, 0, 0}});
  ContactDetection detection(balls.model, -1, {.nz_max = 1});
  detection.initialize(balls.state);
  const std::vector<Real> z = detection.z();
  balls.put(1, {0.75, 0, 0});
  balls.put(2, {1.5, 0, 0});
  try {
    detection.find_at_event(balls.state);
    FAIL();
  } catch (const Error& error) {
    const std::string what = error.what();
    for (const char* part :
         {"2 pairs", "nz_max is 1", "'ball0' and 'ball1' (-0.25 m)", "'ball1' and 'ball2' (-0.25 m)"})
      EXPECT_NE(what.find(part), std::string::npos) << what;
  }
  EXPECT_TRUE(detection.contact_dict().empty());
  EXPECT_EQ(detection.z(), z);
  ContactDetection two(balls.model, -1, {.nz_max = 1, .scheme = DetectionScheme::kTwo});
  two.initialize(balls.state);
  EXPECT_EQ(two.contact_dict().size(), 2u);
}

// Proves for random balls that z holds the contacts and the nearest others, as sorting all pairs does, and that the
// scheme of two functions has the largest distance of the ones and the smallest of the others.
TEST(ContactDetection, RandomBallsAgainstSortingAllPairs) {
  SeededRandom random(1);
  for (int scene = 0; scene < 50; ++scene) {
    std::vector<Vec3> centres(8);
    for (Vec3& p : centres)
      for (int i = 0; i < 3; ++i) p[i] = Real(random.uniform(-1.5, 1.5));
    const Balls balls(centres);
    std::vector<Real> contacts, others;
    ContactDetection all(balls.model), two(balls.model, -1, {.scheme = DetectionScheme::kTwo});
    all.initialize(balls.state);
    two.initialize(balls.state);
    for (int a = 0; a < 8; ++a)
      for (int b = a + 1; b < 8; ++b) {
        const Vec3 d = centres[b] - centres[a], size{abs(d.x), abs(d.y), abs(d.z)};
        const Vec3 gap = max(size - Vec3{1, 1, 1}, Vec3{});
        const Real distance = length_squared(gap) > 0 ? length(gap) : length(d) - 1;
        (distance < -kEps ? contacts : others).push_back(distance < -kEps ? distance : distance + 2 * kEps);
      }
    std::sort(others.begin(), others.end());
    std::vector<Real> z = all.z();
    ASSERT_EQ(z.size(), contacts.size() + others.size());
    for (std::size_t i = 0; i < contacts.size(); ++i) EXPECT_NEAR(z[i], contacts[i], kExact);  // in the order of pairs
    for (std::size_t i = 0; i < others.size(); ++i) EXPECT_NEAR(z[contacts.size() + i], others[i], kExact);
    ASSERT_EQ(two.z().size(), 2u);
    const Real nothing = 1;  // what stands where there is no pair of a kind [m]
    const Real last = contacts.empty() ? -nothing : *std::max_element(contacts.begin(), contacts.end());
    EXPECT_NEAR(two.z()[0], last, kExact);
    EXPECT_NEAR(two.z()[1], others.empty() ? nothing : others.front(), kExact);
  }
}

// Proves that each world has its own pairs, among its shapes and between them and the global ones.
TEST(ContactDetection, WorldsHaveTheirOwnPairs) {
  ModelBuilder builder;
  builder.add_ground_plane();
  for (int w = 0; w < 2; ++w) {
    builder.begin_world();
    for (int i = 0; i <= w; ++i)
      builder.add_shape_sphere(builder.add_body({.xform = {{Real(3 * i), 0, 2}, {}}}), kRadius);
    builder.end_world();
  }
  const Model model = builder.finalize();
  const State state = model.state();
  ContactDetection first(model, 0), second(model, 1);
  first.initialize(state), second.initialize(state);
  EXPECT_EQ(first.pair_count(), 1);
  EXPECT_EQ(second.pair_count(), 3);
  EXPECT_NEAR(first.no_contact_dict().at(pair_id(0, 1)).distance_org, 1.5, kExact);
  EXPECT_TRUE(second.no_contact_dict().contains(pair_id(2, 3)));
}

// Proves that a smoothing radius rounds edges and corners, by the closed form of a ball in a corner, and leaves faces
// where they are; and that it is bounded by a tenth of the smallest dimension.
TEST(ContactDetection, SmoothingRoundsEdgesAndCorners) {
  const Real r = 0.01;
  // How far a shape reaches below the origin of its body, which is on the ground.
  const auto reach = [&](auto add_shape, Quat turn, Real radius) {
    ModelBuilder builder;
    builder.add_ground_plane();
    add_shape(builder, builder.add_body({.xform = {{0, 0, 0}, turn}}));
    const Model model = builder.finalize();
    ContactDetection detection(model, -1, {.smoothing_radius = radius});
    detection.initialize(model.state());
    return -detection.contact_dict().at(pair_id(0, 1)).distance_org;
  };
  const auto box = [](ModelBuilder& b, int body) { b.add_shape_box(body, 0.5, 0.4, 0.3); };
  const auto cylinder = [](ModelBuilder& b, int body) { b.add_shape_cylinder(body, 0.5, 0.4); };
  const auto cone = [](ModelBuilder& b, int body) { b.add_shape_cone(body, 0.3, 0.2); };
  const auto tilt = [](Real angle) { return quat_from_axis_angle(Vec3{1, 0, 0}, angle); };
  const Real a = 0.6, s = std::sin(a), c = std::cos(a);
  EXPECT_NEAR(reach(box, {}, r), 0.3, 1e-12);
  EXPECT_NEAR(reach(box, tilt(a), r), (0.4 - r) * s + (0.3 - r) * c + r, 1e-12);
  EXPECT_NEAR(reach(box, tilt(a), 1), (0.4 - 0.06) * s + (0.3 - 0.06) * c + 0.06, 1e-12);
  EXPECT_NEAR(reach(cylinder, {}, r), 0.4, 1e-12);
  EXPECT_NEAR(reach(cylinder, tilt(a), r), (0.5 - r) * s + (0.4 - r) * c + r, 1e-12);
  EXPECT_NEAR(reach(cone, {}, r), 0.2, 1e-12);
  // On its tip: a ball that touches the mantle, whose lines meet the axis at an angle of sine 0.6.
  EXPECT_NEAR(reach(cone, tilt(std::numbers::pi), r), 0.2 - r / 0.6 + r, 1e-12);
  const Quat on_mantle = tilt(std::numbers::pi / 2 + std::atan2(0.3, 0.4));
  EXPECT_NEAR(reach(cone, on_mantle, r), reach(cone, on_mantle, 0), 1e-12);
}

// Proves that what cannot be is refused by name.
TEST(ContactDetection, BadInputIsNamed) {
  const Two two(1);
  const auto refused = [&](const char* part, auto make) {
    try {
      make();
      ADD_FAILURE() << part;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  refused("nz_max must be positive, is 0", [&] { ContactDetection(two.model, -1, {.nz_max = 0}); });
  refused("z_eps must be positive", [&] { ContactDetection(two.model, -1, {.z_eps = 0}); });
  refused("smoothing_radius", [&] { ContactDetection(two.model, -1, {.smoothing_radius = -1}); });
  refused("world 0 does not exist", [&] { ContactDetection(two.model, 0); });
  refused("there is no scheme 'three'", [&] { parse_detection_scheme("three"); });
  const Balls others({{0, 0, 0}, {3, 0, 0}, {6, 0, 0}});
  refused("initialize: state", [&] { ContactDetection(two.model).initialize(others.state); });
}

}  // namespace
}  // namespace carom
