// Names that are near one that nothing has.
#include "base/near_names.h"

#include <gtest/gtest.h>

namespace carom {
namespace {

// Proves the distance of names: letters changed, added, taken away, and that it is the same in both directions.
TEST(NearNames, LettersApart) {
  EXPECT_EQ(letters_apart("foot", "foot"), 0);
  EXPECT_EQ(letters_apart("foot", "food"), 1);
  EXPECT_EQ(letters_apart("foot", "fot"), 1);
  EXPECT_EQ(letters_apart("fot", "foot"), 1);
  EXPECT_EQ(letters_apart("", "foot"), 4);
  EXPECT_EQ(letters_apart("kitten", "sitting"), 3);
}

// Proves that the nearest come first, those that are as near in their order, and a few of them at most.
TEST(NearNames, NearestFirst) {
  EXPECT_EQ(near_names({"hand", "foot_l", "foot_r", "head"}, "foot_l2"), "'foot_l', 'foot_r', 'hand', 'head'");
  EXPECT_EQ(near_names({"aa", "ab", "ac", "ad", "ae", "af"}, "a"), "'aa', 'ab', 'ac', 'ad', 'ae'");
  EXPECT_EQ(near_names({}, "a"), "");
}

}  // namespace
}  // namespace carom
