// The narrow phase against the reference on a few poses of every pair of types; `make differential` takes many more.
// What is compared, and with which bounds, is written in differential.h.
#include <gtest/gtest.h>

#include "collide/differential_report.h"

namespace carom {
namespace {

using namespace test;

class DifferentialPair : public ::testing::TestWithParam<int> {};

// Proves for every pair: depths, normals, no overlap missed or invented, no NaN, and that swapping mirrors the result.
TEST_P(DifferentialPair, AgreesWithTheReference) {
  const KindPair kinds = all_pairs()[std::size_t(GetParam())];
  const Promise promise = promise_of(kinds);
  const int poses = promise == Promise::kExact       ? 300
                    : promise == Promise::kSurfaces  ? 500
                    : promise == Promise::kTriangles ? 100
                                                     : 20;
  for (int i = 0; i < poses; ++i) {
    const Outcome o = Differential(GetParam(), i).run();
    EXPECT_TRUE(o.certain);
    EXPECT_FALSE(o.failed) << "pose " << i << ": distance " << o.distance << ", found " << o.found
                           << ", error of depth " << o.depth_error << ", of distance " << o.query_error
                           << ", of normal " << o.normal_error;
  }
}
INSTANTIATE_TEST_SUITE_P(Every, DifferentialPair, ::testing::Range(0, int(all_pairs().size())), [](const auto& info) {
  std::string name = pair_name(all_pairs()[std::size_t(info.param)]);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// Proves that the reference needs no hint: a search that begins anywhere finds the same least depth.
TEST(Differential, ReferenceNeedsNoHint) {
  RandomShapes random(3);
  for (int i = 0; i < 150; ++i) {
    const RandomShapes::Pair p = random.pair(kConvexTypes[i % 8], kConvexTypes[i / 8 % 7], i);
    const double size = std::min(p.a.shape.size(), p.b.shape.size());
    const SignedDistance first = signed_distance(p.a, p.b, size, {});
    const SignedDistance hinted = signed_distance(p.a, p.b, size, {first.normal, {0, 0, 1}, {1, 0, 0}});
    EXPECT_TRUE(first.certain);
    EXPECT_NEAR(first.distance, hinted.distance, 1.1e-7 * std::max(size, std::abs(first.distance)));
    EXPECT_NEAR(separation(p.a, p.b, first.normal), first.distance, 32 * kRounding * p.scale);  // of quaternions
    EXPECT_LT(searched_distance(p.a, p.b, random.random), first.distance + 1.1e-7 * size + 32 * kRounding * p.scale);
  }
}

}  // namespace
}  // namespace carom
