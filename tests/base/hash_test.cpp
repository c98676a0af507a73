#include "base/hash.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace carom {
namespace {

std::uint64_t hash_of_text(const std::string& text) {
  Hash hash;
  hash.add_bytes(text.data(), text.size());
  return hash.value();
}

// Proves that this is FNV-1a with 64 bits: the test vectors of the IETF draft.
TEST(Hash, GivesPublishedValues) {
  EXPECT_EQ(hash_of_text(""), 0xcbf29ce484222325u);
  EXPECT_EQ(hash_of_text("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(hash_of_text("foobar"), 0x85944171f73967e8u);
}

// Proves that one different bit, another order and another border between arrays each change the hash.
TEST(Hash, SeesEveryDifference) {
  const std::vector<double> values{0.0, 1.0, 2.0};
  EXPECT_EQ(hash_of(values), hash_of(std::vector<double>{0.0, 1.0, 2.0}));
  EXPECT_NE(hash_of(values), hash_of(std::vector<double>{-0.0, 1.0, 2.0}));
  EXPECT_NE(hash_of(values), hash_of(std::vector<double>{1.0, 0.0, 2.0}));
  EXPECT_NE(hash_of(std::vector<int>{}), hash_of(std::vector<int>{0}));

  const std::vector<int> one{7}, two{7, 7};
  Hash one_two, two_one;
  one_two.add_all<int>(one);
  one_two.add_all<int>(two);
  two_one.add_all<int>(two);
  two_one.add_all<int>(one);
  EXPECT_NE(one_two.value(), two_one.value());
}

}  // namespace
}  // namespace carom
