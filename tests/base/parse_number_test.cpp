#include "base/parse_number.h"

#include <gtest/gtest.h>

namespace carom {
namespace {

// Proves that a number is taken only when the whole text is one that fits an int.
TEST(ParseWholeNumber, TakesWholeTextsOnly) {
  EXPECT_EQ(parse_whole_number("0"), 0);
  EXPECT_EQ(parse_whole_number("-12"), -12);
  EXPECT_EQ(parse_whole_number("2147483647"), 2147483647);
  for (const char* text : {"", " 1", "1 ", "+1", "1.0", "1x", "0x10", "2147483648", "-"}) {
    EXPECT_FALSE(parse_whole_number(text).has_value()) << '"' << text << '"';
  }
}

}  // namespace
}  // namespace carom
