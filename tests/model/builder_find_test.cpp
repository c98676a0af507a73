// Rows of a builder by their keys: patterns, worlds, and what is said where nothing matches.
#include <gtest/gtest.h>

#include "carom/builder.h"
#include "carom/error.h"

namespace carom {
namespace {

ModelBuilder with_bodies(const std::vector<std::string>& keys) {
  ModelBuilder builder;
  for (const std::string& key : keys) {
    BodyArgs args;
    args.key = key;
    builder.add_link(args);
  }
  return builder;
}

std::string error_of(const ModelBuilder& builder, const std::string& pattern) {
  try {
    builder.find(Entity::kBody, pattern);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

using Rows = std::vector<int>;

// Proves that a star stands for any letters, none as well, however many stars there are.
TEST(BuilderFind, Patterns) {
  const ModelBuilder builder = with_bodies({"left_foot", "right_foot", "", "foot", "hand", "ababac"});
  EXPECT_EQ(builder.find(Entity::kBody, "*foot"), (Rows{0, 1, 3}));
  EXPECT_EQ(builder.find(Entity::kBody, "*_foot"), (Rows{0, 1}));
  EXPECT_EQ(builder.find(Entity::kBody, "l*o*t"), (Rows{0}));
  EXPECT_EQ(builder.find(Entity::kBody, "*"), (Rows{0, 1, 3, 4, 5}));  // one without a key has no name to match
  EXPECT_EQ(builder.find(Entity::kBody, "h**d*"), (Rows{4}));
  EXPECT_EQ(builder.find(Entity::kBody, "a*bac"), (Rows{5}));  // the first "ba" is not the last one
  EXPECT_EQ(builder.find(Entity::kBody, "foot"), (Rows{3}));
  EXPECT_NE(error_of(builder, "foo"), "");
  EXPECT_NE(error_of(builder, "*bab"), "");
}

// Proves that rows of the open world and global ones are found, those of other worlds are not, and that the world's own
// comes before a global one of the same key.
TEST(BuilderFind, Worlds) {
  ModelBuilder builder;
  const auto add = [&](const char* key) {
    ShapeArgs args;
    args.key = key;
    return builder.add_shape_sphere(-1, 1, args);
  };
  const int floor = add("floor");
  builder.begin_world();
  const int own = add("floor");
  const int other = add("wall");
  EXPECT_EQ(builder.find(Entity::kShape, "floor"), Rows{own});
  EXPECT_EQ(builder.find(Entity::kShape, "*l*"), (Rows{floor, own, other}));
  builder.end_world();
  EXPECT_EQ(builder.find(Entity::kShape, "*"), Rows{floor});
  builder.begin_world();
  EXPECT_EQ(builder.find(Entity::kShape, "floor"), Rows{floor});
  EXPECT_THROW(builder.find(Entity::kShape, "wall"), Error);
}

// Proves what is said where nothing matches.
TEST(BuilderFind, Errors) {
  EXPECT_EQ(error_of(with_bodies({"hand", "foot"}), "fot"), "there is no body 'fot'; near are 'foot', 'hand'");
  EXPECT_EQ(error_of(with_bodies({""}), "fot"), "there is no body 'fot'; none has a key");
  EXPECT_THROW(with_bodies({}).find(Entity::kTendonPoint, "x"), Error);
}

}  // namespace
}  // namespace carom
