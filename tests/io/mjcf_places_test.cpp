// What the builder refuses of an MJCF file is said with file, line and element, whatever family the element is of.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "carom/error.h"
#include "carom/mjcf.h"

namespace carom {
namespace {

// Every element stands on a line of its own; one of them has the bad attribute.
constexpr const char* kRobot = R"(<mujoco>
<option timestep=".002"/>
<worldbody>
<body name="a">
<joint name="j" type="slide"/>
<geom name="g" size=".1"/>
<site name="s"/>
<body name="b" pos="0 0 1">
<joint name="k" axis="1 0 0"/>
<joint name="l" axis="0 1 0"/>
<geom name="h" size=".1"/>
<site name="t"/>
</body>
</body>
</worldbody>
<contact>
<pair name="p" geom1="g" geom2="h"/>
</contact>
<tendon>
<fixed name="f"><joint joint="j" coef="1"/></fixed>
<spatial name="u"><site site="s"/><site site="t"/></spatial>
</tendon>
<equality>
<joint name="e" joint1="j"/>
</equality>
<actuator>
<motor name="m" joint="j"/>
<position name="q" tendon="u"/>
</actuator>
</mujoco>
)";

std::string with(const std::string& element, const std::string& attribute) {
  std::string text = kRobot;
  text.insert(text.find(element) + element.size(), " " + attribute);
  return text;
}

std::string error_of(const MjcfSource& source) {
  try {
    load_mjcf(source);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}
std::string error_of(const std::string& text) {
  MjcfSource source;
  source.text = text;
  return error_of(source);
}

struct Refused {
  const char *element, *attribute, *where, *key;
};

// Proves that the errors of the builder begin with the line of the element, and go on with what the builder says.
TEST(MjcfPlaces, BuilderErrorsSayTheLine) {
  ASSERT_EQ(error_of(kRobot), "");
  for (const Refused& bad : {
           Refused{"<option", "impratio='-1'", "MJCF:2: <option>: ", "impratio"},
           {"<joint name=\"j\"", "armature='-1'", "MJCF:5: <joint>: ", "'j'"},
           {"<joint name=\"l\"", "armature='-1'", "MJCF:8: <body>: ", "'k+l'"},  // one joint with two axes
           {"<geom name=\"h\"", "friction='-1'", "MJCF:11: <geom>: ", "'h'"},
           {"<pair name=\"p\"", "friction='-1'", "MJCF:17: <pair>: ", "'p'"},
           {"<fixed name=\"f\"", "damping='-1'", "MJCF:20: <fixed>: ", "'f'"},
           {"<spatial name=\"u\"", "armature='-1'", "MJCF:21: <spatial>: ", "'u'"},
           {"<joint name=\"e\"", "joint2='j'", "MJCF:24: <joint>: ", "couples joint"},
           {"<motor name=\"m\"", "delay='1' nsample='3000000'", "MJCF:27: <motor>: ", "'m'"},
       }) {
    const std::string error = error_of(with(bad.element, bad.attribute));
    EXPECT_EQ(error.find(bad.where), 0u) << bad.element << " " << bad.attribute << ": " << error;
    EXPECT_NE(error.find(bad.key), std::string::npos) << error;
  }
}

// Proves that an element of an included file is said with that file, and what has no line with the file that was read.
TEST(MjcfPlaces, IncludedFilesAreNamed) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "mjcf_places_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "part.xml") << with("<geom name=\"g\"", "friction='-1'");
  std::ofstream(folder / "all.xml") << "<mujoco>\n<include file='part.xml'/></mujoco>";
  MjcfSource source;
  source.path = (folder / "all.xml").string();
  const std::string error = error_of(source);
  EXPECT_NE(error.find("part.xml:6: <geom>: "), std::string::npos) << error;
  EXPECT_EQ(error.find("all.xml"), std::string::npos) << error;
  std::filesystem::remove_all(folder);

  ModelBuilder scene;
  source.path.clear();
  source.text = kRobot;
  add_mjcf(scene, source);
  try {
    add_mjcf(scene, source);
    FAIL() << "keys are taken twice";
  } catch (const Error& twice) {
    EXPECT_EQ(std::string(twice.what()).find("MJCF: add_builder: body key 'a'"), 0u) << twice.what();
  }
}

// Proves that a compiled model without files has no places, and the same errors without them.
TEST(MjcfPlaces, CompiledModelsHaveNone) {
  MjcfSource source;
  source.text = with("<geom name=\"g\"", "friction='-1'");
  const ReadMjcf read = read_mjcf(source);
  const std::string located = error_of(source);
  try {
    import_mjcf(read.model);
    FAIL() << "friction of -1 is taken";
  } catch (const Error& error) {
    EXPECT_EQ("MJCF:6: <geom>: " + std::string(error.what()), located);
  }
}

}  // namespace
}  // namespace carom
