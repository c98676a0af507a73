// MJCF becomes models without MuJoCo: texts, files and what they include, through the C++ door; and what is wrong with
// them is said with its place. (python/tests holds the numbers against MuJoCo's compiler.)
#include "carom/mjcf.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "carom/error.h"

namespace carom {
namespace {

constexpr const char* kPendulum =
    "<mujoco model=\"swing\"><worldbody><body name=\"arm\" pos=\"0 0 1\"><joint name=\"pivot\" axis=\"0 1 0\"/>"
    "<geom type=\"capsule\" size=\".1\" fromto=\"0 0 0 0 0 -1\" mass=\"2\"/></body></worldbody>"
    "<actuator><motor joint=\"pivot\" gear=\"3\"/></actuator></mujoco>";

CompiledMjcf read(const std::string& mjcf) {
  MjcfSource source;
  source.text = mjcf;
  return read_mjcf(source).model;
}

std::string error_of(const MjcfSource& source) {
  try {
    read_mjcf(source);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Proves that a text becomes the rows of a compiled model, and these a builder.
TEST(Mjcf, TextIsCompiled) {
  const CompiledMjcf m = read(kPendulum);
  EXPECT_EQ(m.model_name, "swing");
  EXPECT_EQ(m.name_body, (std::vector<std::string>{"world", "arm"}));
  EXPECT_EQ(m.body_mass, (std::vector<double>{0, 2}));
  EXPECT_EQ(m.jnt_axis, (std::vector<double>{0, 1, 0}));
  EXPECT_DOUBLE_EQ(m.body_ipos[5], -0.5);
  EXPECT_DOUBLE_EQ(m.geom_size[1], 0.5);
  EXPECT_EQ(m.actuator_gear[0], 3);
  const ModelBuilder builder = import_mjcf(m).builder;
  EXPECT_EQ(builder.count(Entity::kBody), 1);
}

// Proves that load_mjcf() reads a file with what it includes, relative to its folder, into one world.
TEST(Mjcf, FilesIncludeFiles) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "mjcf_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "part.xml") << kPendulum;
  std::ofstream(folder / "all.xml") << "<mujoco><include file=\"part.xml\"/></mujoco>";
  const Model model = load_mjcf((folder / "all.xml").string());
  EXPECT_EQ(model.world_count, 1);
  std::filesystem::remove_all(folder);
}

// Proves that limits end what is too large, and that errors say the line, the element and the attribute.
TEST(Mjcf, ErrorsSayWhere) {
  MjcfSource source;
  source.text = "<mujoco>\n<worldbody>\n<geom sise='1'/></worldbody></mujoco>";
  EXPECT_NE(error_of(source).find("MJCF:3: <geom>: attribute 'sise'"), std::string::npos) << error_of(source);
  source.text = kPendulum;
  source.limits.depth = 2;
  EXPECT_NE(error_of(source).find("limits.depth"), std::string::npos);
  source.limits = {};
  source.limits.elements = 3;
  EXPECT_NE(error_of(source).find("limits.elements"), std::string::npos);
  source.limits = {};
  source.limits.bytes = 10;
  EXPECT_NE(error_of(source).find("limits.bytes"), std::string::npos);
}

// Proves that sensors of plugins, which move nothing, are a warning with their line.
TEST(Mjcf, WhatMovesNothingIsAWarning) {
  MjcfSource source;
  source.text = "<mujoco><sensor>\n<plugin/></sensor></mujoco>";
  const ReadMjcf result = read_mjcf(source);
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_NE(result.warnings[0].find("MJCF:2: <plugin>"), std::string::npos);
}

// Proves that a model of a file comes with the warnings, to whoever takes them or to the standard error, and that
// numbers which the builder refuses are said with the file.
TEST(Mjcf, ModelsAreNotSilent) {
  MjcfSource source;
  source.text = "<mujoco>\n<sensor><user name='mine' dim='3'/></sensor></mujoco>";
  std::vector<std::string> warnings;
  testing::internal::CaptureStderr();
  load_mjcf(source, {}, &warnings);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  ASSERT_EQ(warnings.size(), 1u);
  testing::internal::CaptureStderr();
  load_mjcf(source);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "warning: " + warnings[0] + "\n");
  source.text = "<mujoco><option timestep='-1'/></mujoco>";
  try {
    load_mjcf(source);
    FAIL() << "a timestep of -1 is taken";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), "MJCF:1: <option>: options: timestep must be positive, is -1");
  }
}

}  // namespace
}  // namespace carom
