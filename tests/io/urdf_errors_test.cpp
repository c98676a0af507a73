// What is wrong with a URDF file is said with its place, and what is hostile ends soon and with an Error.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "carom/error.h"
#include "io/urdf_text.h"

namespace carom {
namespace {

std::string error_of(const UrdfSource& source, const UrdfArgs& args = {}) {
  std::vector<std::string> warnings;
  try {
    load_urdf(source, args, &warnings);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string error_of(const std::string& text) {
  UrdfSource source;
  source.text = text;
  return error_of(source);
}

void expect_part(const std::string& whole, const std::string& part) {
  EXPECT_NE(whole.find(part), std::string::npos) << whole << "\n  has not: " << part;
}

struct BadFile {
  std::string elements, message;
};

std::string sized(const std::string& geometry) {
  return "<link name='a'><collision><geometry>" + geometry + "</geometry></collision></link>";
}
std::string weighing(const std::string& inertial) {
  return "<link name='a'><inertial>" + inertial + "</inertial></link>";
}

const std::string kTwo = link("a") + link("b") + "\n";

const BadFile kBadFiles[] = {
    {"", "URDF:1: <robot>: has no <link>"},
    {"<link/>", "URDF:2: <link>: attribute 'name': is missing"},
    {"<link name=''/>", "URDF:2: <link>: attribute 'name': is empty"},
    {link("a") + "\n" + link("a"), "URDF:3: <link>: the name 'a' is that of the link on line 2"},
    {kTwo, "URDF:2: <link>: link 'b' has no parent, and neither has 'a' on line 2"},
    {kTwo + "<joint name='j' type='hinge'/>",
     "URDF:3: <joint>: attribute 'type': 'hinge' is none of: revolute, continuous"},
    {kTwo + "<joint name='j' type='fixed'><child link='b'/></joint>", "URDF:3: <joint>: has no <parent>"},
    {kTwo + joint("j", "fixed", "a", "bb"), "URDF:3: <joint>: 'j': there is no link 'bb'; near are: 'b', 'a'"},
    {kTwo + joint("j", "fixed", "a", "a"), "URDF:3: <joint>: 'j': link 'a' is its own parent"},
    {kTwo + joint("j", "fixed", "a", "b") + "\n" + joint("k", "fixed", "a", "b"),
     "URDF:4: <joint>: 'k': link 'b' has a parent already, by joint 'j' on line 3"},
    {kTwo + joint("j", "fixed", "a", "b") + "\n" + joint("k", "fixed", "b", "a"),
     "URDF:2: <link>: all links have parents, so joints go round in a circle; one of them is 'k' on line 4"},
    {kTwo + link("c") + joint("j", "fixed", "a", "b") + "\n" + joint("k", "fixed", "b", "a"),
     "URDF:4: <joint>: 'k': link 'a' on line 2 does not hang on the root"},
    {kTwo + joint("j", "fixed", "a", "b") + link("c") + "\n" + joint("j", "fixed", "a", "c"),
     "URDF:4: <joint>: the name 'j' is that of the joint on line 3"},
    {kTwo + joint("j", "revolute", "a", "b", "<axis xyz='0 0 0'/>"),
     "URDF:3: <axis>: attribute 'xyz': has no direction"},
    {kTwo + joint("j", "revolute", "a", "b", "<axis xyz='0 0'/>"),
     "URDF:3: <axis>: attribute 'xyz': expected 3 numbers, has 2"},
    {kTwo + joint("j", "revolute", "a", "b", "<axis xyz='0 0 1 0'/>"),
     "<axis>: attribute 'xyz': expected 3 numbers, has more"},
    {kTwo + joint("j", "revolute", "a", "b", "<origin rpy='0 0 nan'/>"),
     "URDF:3: <origin>: attribute 'rpy': 'nan' is not finite"},
    {kTwo + joint("j", "revolute", "a", "b", "<origin xyz='0 0 1e999'/>"), "attribute 'xyz': '1e999' is not a number"},
    {kTwo + joint("j", "revolute", "a", "b", "<origin xyz='0 0 one'/>"), "attribute 'xyz': 'one' is not a number"},
    {kTwo + joint("j", "revolute", "a", "b", "<limit lower='2' upper='1'/>"),
     "URDF:3: <limit>: attribute 'lower': 2 is above the upper limit 1"},
    {kTwo + joint("j", "revolute", "a", "b", "<limit effort='-1'/>"),
     "attribute 'effort': must not be negative, is -1"},
    {kTwo + joint("j", "revolute", "a", "b", "<dynamics damping='-1'/>"), "attribute 'damping': must not be negative"},
    {kTwo + joint("j", "revolute", "a", "b", "<dynamics/>\n<dynamics/>"),
     "URDF:4: <dynamics>: stands inside <joint> twice, on line 3 too"},
    {kTwo + joint("j", "revolute", "a", "b", "<mimic joint='k'/>"),
     "URDF:3: <mimic>: there is no joint 'k'; near are: 'j'"},
    {kTwo + joint("j", "revolute", "a", "b", "<mimic joint='j'/>"), "URDF:3: <mimic>: joint 'j' follows itself"},
    {kTwo + joint("j", "fixed", "a", "b", "<mimic joint='j'/>"),
     "URDF:3: <mimic>: joint 'j' on line 3 has no single coordinate"},
    {kTwo + joint("j", "fixed", "a", "b") + "\n<transmission><joint name='j'/></transmission>",
     "URDF:4: <transmission>: joint 'j' on line 3 has no single coordinate"},
    {kTwo + joint("j", "revolute", "a", "b") +
         "\n<transmission><joint "
         "name='j'/><actuator>\n<mechanicalReduction>0</mechanicalReduction></actuator></transmission>",
     "URDF:5: <mechanicalReduction>: is 0"},
    {kTwo + joint("j", "revolute", "a", "b") +
         "<transmission><joint "
         "name='j'/><actuator><mechanicalReduction>x</mechanicalReduction></actuator></transmission>",
     "<mechanicalReduction>: 'x' is not one number"},
    {weighing(""), "URDF:2: <inertial>: has no <mass>"},
    {weighing("<mass value='-1'/>"), "URDF:2: <mass>: attribute 'value': must not be negative, is -1"},
    {weighing("<mass value='1'/><inertia ixx='1' iyy='1'/>"), "URDF:2: <inertia>: attribute 'izz': is missing"},
    {weighing("<mass value='1'/><inertia ixx='1' iyy='1' izz='3'/>"),
     "URDF:2: <inertia>: about one axis the inertia is larger than the sum"},
    {weighing("<mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='2'/>"),
     "URDF:2: <inertia>: has an axis about which the inertia is negative"},
    {weighing("<mass value='0'/><inertia ixx='1' iyy='1' izz='1'/>"),
     "URDF:2: <inertia>: there is inertia, but no mass"},
    {sized(""), "URDF:2: <geometry>: has 0 elements, expected one"},
    {sized("<cone/>"), "URDF:2: <cone>: is no geometry of URDF: box, sphere, cylinder, capsule, mesh"},
    {sized("<box size='1 0 1'/>"), "URDF:2: <box>: attribute 'size': must be positive, is 0"},
    {sized("<sphere radius='-1'/>"), "URDF:2: <sphere>: attribute 'radius': must be positive, is -1"},
    {sized("<cylinder radius='1'/>"), "URDF:2: <cylinder>: attribute 'length': is missing"},
    {sized("<mesh filename='none.stl'/>"), "URDF:2: <mesh>: attribute 'filename': file 'none.stl' cannot be opened"},
    {sized("<mesh filename='a.stl' scale='1 0 1'/>"), "URDF:2: <mesh>: attribute 'scale': is zero along axis 1"},
    {sized("<mesh filename='package://none/a.stl'/>"),
     "URDF:2: <mesh>: attribute 'filename': package 'none' is found neither in package_path nor from"},
    {sized("<mesh filename='package://none/../../a.stl'/>"),
     "'package://none/../../a.stl' leads out of package 'none'"},
    {sized("<mesh filename='package://../a.stl'/>"), "'..' is no name of a package"},
    {sized("<mesh filename='http://a/b.stl'/>"), "'http://a/b.stl' is none of package://, model://, file:// or a path"},
    {link("a") + "<link name='b'/>" + joint("j", "revolute", "a", "b"), "URDF:2: <link>: 'b' moves and has no mass"},
    {"<link name='a'>\n<xacro:macro/></link>",
     "URDF:3: <xacro:macro>: this is xacro, from which URDF is made; run xacro first"},
    {"<link name='${name}'/>", "URDF:2: <link>: attribute 'name': '${name}': this is xacro"},
    {sized("<mesh filename='$(find robot)/a.stl'/>"), "this is xacro"},
};

// Proves that each mistake is named with its line, element and attribute, and where there are two places, with both.
TEST(UrdfErrors, SayWhere) {
  for (const BadFile& bad : kBadFiles) expect_part(error_of(robot(bad.elements)), bad.message);
  expect_part(error_of("<mujoco/>"), "URDF:1: <mujoco>: this is MJCF, not URDF: add_mjcf() reads it");
  expect_part(error_of("<sdf/>"), "this is SDF");
  expect_part(error_of("<robot><link name='a'>"), "URDF:1: not XML");
  expect_part(error_of(""), "URDF");
  UrdfSource source;
  source.path = "nowhere.urdf";
  expect_part(error_of(source), "file 'nowhere.urdf' cannot be opened");
  source.path.clear();
  source.text = robot(link("a"));
  UrdfArgs args;
  args.scale = -1;
  expect_part(error_of(source, args), "URDF: scale must be positive, is -1");
}

// Proves that numbers which leave the range of the model are refused with their place, not only those of no file.
TEST(UrdfErrors, NumbersStayFinite) {
  const char* huge = sizeof(Real) == 4 ? "1e200" : "1e308";
  for (const std::string& elements :
       {weighing(text("<mass value='1'/><inertia ixx='", huge, "' iyy='", huge, "' izz='", huge, "'/>")),
        sized(text("<box size='", huge, " ", huge, " ", huge, "'/>")), sized(text("<sphere radius='", huge, "'/>"))})
    expect_part(error_of(robot(elements)), "URDF:2: <");
}

// Proves that a file that asks for too much ends with an Error: depth, elements, bytes, attributes, links on links,
// entities.
TEST(UrdfErrors, HostileFilesEnd) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  expect_part(error_of("<robot>" + deep), "not XML");
  std::string closed = deep;
  for (int i = 0; i < 100'000; ++i) closed += "</a>";
  expect_part(error_of("<robot>" + closed + "</robot>"), "(limits.depth)");
  std::string wide;
  for (int i = 0; i < 2000; ++i) wide += text(" a", i, "='1'");
  expect_part(error_of("<robot" + wide + "/>"), "more than 1000 attributes");
  std::string chain = link("l0");
  for (int i = 1; i < 1500; ++i)
    chain += link(text("l", i)) + joint(text("j", i), "fixed", text("l", i - 1), text("l", i));
  expect_part(error_of(robot(chain)), "more than 1000 links hang on each other (limits.depth)");
  UrdfSource source;
  source.text = robot(link("a") + link("b"));
  source.limits.elements = 3;
  expect_part(error_of(source), "(limits.elements)");
  source.limits = {};
  source.limits.bytes = 10;
  expect_part(error_of(source), "(limits.bytes)");
  // Entities of a document are not expanded, so a billion laughs are none.
  const std::string laughs = "<!DOCTYPE r [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]>";
  EXPECT_EQ(error_of(laughs + robot("<link name='&b;'/>")), "");
}

class UrdfFolder : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string error_with(const std::string& mesh, const std::function<void(UrdfSource&)>& change = {}) {
    UrdfSource source;
    source.text = robot(sized("<mesh filename='" + mesh + "'/>"));
    source.folder = (folder / "robot").string();
    if (change) change(source);
    return error_of(source);
  }

  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "urdf_errors_test";
};

// Proves that no file outside of the root is read, by whatever name, and that files and copies of them are counted.
TEST_F(UrdfFolder, RootsAndLimitsHold) {
  std::filesystem::create_directories(folder / "robot");
  const std::string tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  std::ofstream(folder / "secret.obj") << tetrahedron;
  std::ofstream(folder / "robot" / "part.obj") << tetrahedron;
  std::filesystem::create_symlink(folder / "secret.obj", folder / "robot" / "link.obj");
  const auto rooted = [&](UrdfSource& source) { source.root = source.folder; };
  EXPECT_EQ(error_with("part.obj", rooted), "");
  EXPECT_EQ(error_with("../secret.obj"), "");
  for (const std::string name : {"../secret.obj", "link.obj", "package://urdf_errors_test/secret.obj"})
    EXPECT_NE(error_with(name, rooted), "") << name;
  expect_part(error_with("file://" + (folder / "secret.obj").string(), rooted), "(root)");
  expect_part(error_with("part.obj", [](UrdfSource& source) { source.limits.files = 0; }), "(limits.files)");
  expect_part(error_with("part.obj", [](UrdfSource& source) { source.limits.bytes = source.text.size(); }),
              "(limits.bytes)");
  UrdfSource copies;
  copies.folder = (folder / "robot").string();
  copies.limits.numbers = 100;
  for (int i = 1; i < 40; ++i)
    copies.text += text("<collision><geometry><mesh filename='part.obj' scale='", i, " 1 1'/></geometry></collision>");
  copies.text = robot("<link name='a'>" + copies.text + "</link>");
  expect_part(error_of(copies), "(limits.numbers)");
}

}  // namespace
}  // namespace carom
