// The native model file: what is saved comes back, in both precisions, and nothing that is wrong with a file goes
// unnoticed. The tests take files apart and put them together by the description in model_format.h, not by its code.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>

#include "base/hash.h"
#include "carom/builder.h"
#include "io/native/model_format.h"
#include "model/contact_options.h"

namespace carom {
namespace {

namespace fs = std::filesystem;

Model small_model() {
  ModelBuilder b;
  b.begin_world("only");
  b.add_shape_sphere(b.add_body({.key = "ball"}), Real(0.1));
  b.end_world();
  return b.finalize();
}

std::vector<Real> wavy_heights() { return {0, Real(0.1), Real(0.3), Real(0.2), Real(0.7), Real(0.1)}; }

// Something of every kind: entities, geometries, keys, gravities, global entities at the front and at the back.
Model full_model() {
  ModelBuilder robot;
  const auto box = std::make_shared<const Mesh>(make_box_mesh(Real(0.1), Real(0.2), Real(0.3)));
  const int base = robot.add_link({.xform = {{0, 0, 1}, {}}, .key = "base"});
  const int arm = robot.add_link({.key = "arm"});
  robot.add_shape_mesh(base, box, {1, 1, 2}, {.key = "trunk"});
  robot.add_shape_convex_hull(arm, box);
  robot.add_shape_sdf(arm, std::make_shared<const SDF>(sdf_from_mesh(*box, Real(0.1), Real(0.1))));
  robot.add_joint_free(base);
  robot.add_joint_revolute(base, arm, {.axis = {0, 1, 1}, .limit_lower = Real(-0.1), .armature = Real(0.3)},
                           {.key = "elbow"});
  robot.add_articulation({0, 1}, "robot");
  robot.add_shape_collision_filter_pair(0, 2);
  robot.add_equality_constraint_connect(base, -1, {1, 2, 3}, {.key = "rope"});
  robot.add_equality_constraint_weld(base, arm, {}, Real(0.5));
  robot.add_equality_constraint_joint(1, -1, {Real(0.1), 0, 0, 0, 0});
  robot.add_tendon_fixed({{.joint = 1, .coef = Real(0.4)}}, {.limit_upper = Real(0.7)}, "string");
  robot.add_tendon_spatial({{.body = -1, .xform = {{1, 2, 3}, {}}},
                            {.type = TendonPointType::kSphere, .body = base, .radius = Real(0.2), .has_side = true},
                            {.body = arm}},
                           {}, "band");
  robot.add_actuator(1, {.gear = 3, .bias = {0, -1, 0}}, "motor");
  robot.add_actuator_site({arm, {{0, 0, 1}, {}}}, BodyPose{base, {}}, {.wrench = {{1, 2, 3}, {4, 5, 6}}}, "push");
  robot.add_actuator(1, {.law = ActuatorLaw::kMuscle, .dynamics = ActuatorDynamics::kMuscle}, "muscle");
  ActuatorConfig motor{.law = ActuatorLaw::kDcMotor, .inputs = kInputVelocity | kInputVoltage};
  motor.controller.slew_max = 2, motor.motor.current_time = 3, motor.delay = 4, motor.delay_samples = 5;
  robot.add_actuator(1, motor, "motor with a current");
  robot.add_contact_pair(0, 1, {.condim = 4, .friction = {Real(0.5), Real(0.1), 0}, .key = "pair"});
  robot.add_sensor_contact({.type = SensorObject::kSubtree, .index = base}, {.type = SensorObject::kShape, .index = 1},
                           {.data = kContactForce, .reduce = ContactReduce::kMaxForce, .num = 3}, "felt");
  robot.add_sensor(SensorType::kGyro, {.type = SensorObject::kFrame, .index = arm, .xform = {{1, 2, 3}, {}}}, {},
                   {.noise = Real(0.1), .delay = Real(0.2), .samples = 4}, "turns");

  ModelBuilder b;
  b.add_ground_plane(0, {.key = "ground"});
  b.add_shape_heightfield(
      std::make_shared<const Heightfield>(wavy_heights(), 2, 3, Real(1), Real(2), Real(0.1), Real(0.3)));
  b.add_world(robot, {.xform = {{1, 0, 0}, {0, 0, Real(0.6), Real(0.8)}}}, "left");
  b.add_world(robot);
  b.begin_world("soft", Vec3{0, 0, Real(-1.62)});
  b.add_cloth_grid({.dim_x = 2, .dim_y = 3, .add_springs = true});
  b.add_soft_grid({.pos = {0, 0, 1}, .dim_x = 2});
  b.end_world();
  b.gravity = {0, Real(0.1), 0};
  b.add_site(-1, {{1, 2, 3}, {}}, ShapeType::kBox, {1, 2, 3}, "mark");
  return b.finalize();
}

// -- Files taken apart

struct Column {
  std::string name;
  std::uint32_t type = 0, width = 0;
  std::uint64_t rows = 0;
  std::string values;
};

template <class T>
T number_at(const std::string& file, std::size_t offset) {
  T value;
  std::memcpy(&value, file.data() + offset, sizeof(T));
  return value;
}
template <class T>
std::string bytes_of(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(T));
}
template <class T>
void set_number(std::string& bytes, std::size_t offset, T value) {
  bytes.replace(offset, sizeof(T), bytes_of(value));
}
void fill_up(std::string& bytes, std::size_t multiple) {
  while (bytes.size() % multiple != 0) bytes += '\0';
}
void sign(std::string& file) {  // writes the checksum that belongs to the changed bytes
  Hash hash;
  hash.add_bytes(file.data(), file.size() - 8);
  set_number(file, file.size() - 8, hash.value());
}

std::vector<Column> take_apart(const std::string& file) {
  std::vector<Column> columns(number_at<std::uint32_t>(file, 16));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::size_t entry = 64 + 96 * i;
    columns[i] = {file.data() + entry, number_at<std::uint32_t>(file, entry + 64),
                  number_at<std::uint32_t>(file, entry + 68), number_at<std::uint64_t>(file, entry + 72),
                  file.substr(number_at<std::uint64_t>(file, entry + 80), number_at<std::uint64_t>(file, entry + 88))};
  }
  return columns;
}

std::string put_together(const std::vector<Column>& columns) {
  std::string file = "carom model\n" + bytes_of(std::uint32_t{15}) + bytes_of(std::uint32_t(columns.size()));
  fill_up(file, 64);
  std::size_t offset = (file.size() + 96 * columns.size() + 63) / 64 * 64;
  for (const Column& c : columns) {
    file += c.name + std::string(64 - c.name.size(), '\0') + bytes_of(c.type) + bytes_of(c.width) + bytes_of(c.rows) +
            bytes_of(std::uint64_t(offset)) + bytes_of(std::uint64_t(c.values.size()));
    offset = (offset + c.values.size() + 63) / 64 * 64;
  }
  for (const Column& c : columns) {
    fill_up(file, 64);
    file += c.values;
  }
  fill_up(file, 64);
  file += std::string(8, '\0');
  sign(file);
  return file;
}

Column& column(std::vector<Column>& columns, const std::string& name) {
  return *std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
}

// The same file as the build of the other precision would write it.
std::string in_other_precision(const std::string& file) {
  std::vector<Column> columns = take_apart(file);
  for (Column& c : columns) {
    if (c.type != 2 && c.type != 3) continue;
    std::string values;
    for (std::size_t i = 0; i < c.rows * c.width; ++i) {
      if (c.type == 2) values += bytes_of(double(number_at<float>(c.values, 4 * i)));
      if (c.type == 3) values += bytes_of(float(number_at<double>(c.values, 8 * i)));
    }
    c.values = values;
    c.type = 5 - c.type;
  }
  return put_together(columns);
}

std::string why_not(const std::string& file) {
  try {
    decode_model(file, {});
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

// -- What comes back

template <class Values>
std::string bits(const Values& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(*values.data()));
}

void expect_same_model(const Model& a, const Model& b) {
  visit_columns([&](const ColumnInfo& info, auto get) { EXPECT_TRUE(bits(get(a)) == bits(get(b))) << info.name; });
  EXPECT_EQ(a.world_count, b.world_count);
  EXPECT_EQ(bits(a.gravity), bits(b.gravity));
  EXPECT_EQ(bits(a.shape_collision_filter_pairs), bits(b.shape_collision_filter_pairs));
  EXPECT_EQ(bits(a.joint_dof_world_start), bits(b.joint_dof_world_start));
  EXPECT_EQ(bits(a.body_inv_inertia), bits(b.body_inv_inertia));
  EXPECT_EQ(bits(a.shape_collision_aabb_upper), bits(b.shape_collision_aabb_upper));
  EXPECT_EQ(a.archetypes.size(), b.archetypes.size());
  for (int world = 0; world < a.world_count; ++world) EXPECT_EQ(a.world_key(world), b.world_key(world));
  for (int shape = 0; shape < a.shape_count; ++shape) {
    EXPECT_EQ(a.key(Entity::kShape, shape), b.key(Entity::kShape, shape));
  }
}

// Every column, key, gravity, filter pair and derived array of a saved model is the same after loading.
TEST(ModelFile, LoadGivesBackWhatWasSaved) {
  const Model model = full_model();
  visit_columns([&](const ColumnInfo& info, auto get) { ASSERT_GT(get(model).size(), 0) << info.name; });
  const std::string path = testing::TempDir() + "round_trip.carom";
  model.save(path);
  const Model loaded = load(path);
  expect_same_model(model, loaded);
  EXPECT_EQ(loaded.find_body("arm", 1), model.find_body("arm", 1));
  fs::remove(path);
}

// How a model is stepped is part of its file: every number of the material of particles comes back, each its own.
TEST(ModelFile, LoadGivesBackOptions) {
  ModelBuilder scene;
  scene.options.combine = CombineRule::kGeometricMean;
  scene.options.contact_keep_distance = Real(0.25);
  Real next = Real(0.5);
  visit_particle_material(scene.options, [&](const char*, Real& number) { number = next *= 2; });
  const ModelOptions options = decode_model(encode_model(scene.finalize()), {}).options;
  EXPECT_EQ(options, scene.options);
  EXPECT_EQ(options.particle_cohesion, 512);
}

// Meshes, heightfields and sdfs come back with the same numbers, and shapes that shared one still do.
TEST(ModelFile, LoadGivesBackGeometry) {
  const Model model = full_model(), loaded = decode_model(encode_model(model), {});
  ASSERT_EQ(loaded.shape_sources.size(), model.shape_sources.size());
  int kinds[4] = {};
  for (std::size_t i = 0; i < model.shape_sources.size(); ++i) {
    const ShapeSource &a = model.shape_sources[i], &b = loaded.shape_sources[i];
    ASSERT_EQ(a.index(), b.index());
    ++kinds[a.index()];
    if (const auto* mesh = std::get_if<std::shared_ptr<const Mesh>>(&a)) {
      EXPECT_EQ(bits((*mesh)->vertices), bits(std::get<1>(b)->vertices));
      EXPECT_EQ((*mesh)->indices, std::get<1>(b)->indices);
    } else if (const auto* field = std::get_if<std::shared_ptr<const Heightfield>>(&a)) {
      const Heightfield& other = *std::get<2>(b);
      EXPECT_EQ((*field)->data, other.data);
      EXPECT_EQ(
          std::tuple((*field)->nrow, (*field)->ncol, (*field)->hx, (*field)->hy, (*field)->min_z, (*field)->max_z),
          std::tuple(other.nrow, other.ncol, other.hx, other.hy, other.min_z, other.max_z));
    } else if (const auto* sdf = std::get_if<std::shared_ptr<const SDF>>(&a)) {
      const SDF& other = *std::get<3>(b);
      EXPECT_EQ((*sdf)->values, other.values);
      EXPECT_EQ(std::tuple((*sdf)->nx, (*sdf)->ny, (*sdf)->nz, (*sdf)->spacing),
                std::tuple(other.nx, other.ny, other.nz, other.spacing));
      EXPECT_TRUE((*sdf)->origin == other.origin);
    }
  }
  EXPECT_TRUE(kinds[1] && kinds[2] && kinds[3]);
}

// Saving is a function of the model alone: the file of a loaded model is the file it was loaded from.
TEST(ModelFile, SavingALoadedModelGivesTheSameFile) {
  const std::string file = encode_model(full_model());
  EXPECT_TRUE(encode_model(decode_model(file, {})) == file);
}

// The description of the format is complete: a file put together by it alone is the file that was saved.
TEST(ModelFile, FormatIsAsDescribed) {
  const std::string file = encode_model(full_model());
  EXPECT_TRUE(put_together(take_apart(file)) == file);
  for (std::size_t i = 0; i < take_apart(file).size(); ++i) {
    EXPECT_EQ(number_at<std::uint64_t>(file, 64 + 96 * i + 80) % 64, 0u);
  }
}

// A file of the other precision loads, and every number in it is rounded once or kept.
TEST(ModelFile, ConvertsPrecision) {
  const std::string other = in_other_precision(encode_model(full_model()));
  const std::string back = encode_model(decode_model(other, {}));
  EXPECT_TRUE(in_other_precision(back) == other);
  EXPECT_TRUE(sizeof(Real) == 8 || back == encode_model(full_model()));
}

// A number of a double-precision file is the nearest Real, and one that float cannot hold is an error, not infinity.
TEST(ModelFile, ConvertsNumbers) {
  std::vector<Column> columns = take_apart(encode_model(small_model()));
  Column& mass = column(columns, "body_mass");
  mass.type = 3;
  mass.values = bytes_of(0.1);
  EXPECT_EQ(decode_model(put_together(columns), {}).body_mass[0], Real(0.1));
  mass.values = bytes_of(1e300);
  const std::string problem = why_not(put_together(columns));
  EXPECT_EQ(problem.find("column body_mass, row 0: 1e+300 is too large") != std::string::npos, sizeof(Real) == 4);
}

// -- What is wrong with a file

// A file that ends anywhere before its end is an Error that says so.
TEST(ModelFile, EveryTruncationIsAnError) {
  const std::string file = encode_model(small_model());
  for (std::size_t size = 0; size < file.size(); ++size) {
    const std::string problem = why_not(file.substr(0, size));
    ASSERT_TRUE(problem.starts_with("truncated: ")) << size << ": " << problem;
  }
}

// The message about a truncated file names the column that is not all there.
TEST(ModelFile, TruncationNamesTheColumn) {
  const std::string file = encode_model(full_model());
  std::size_t entry = 64;
  while (std::string(file.data() + entry) != "tet_poses") entry += 96;
  const std::uint64_t begin = number_at<std::uint64_t>(file, entry + 80),
                      bytes = number_at<std::uint64_t>(file, entry + 88);
  const std::string problem = why_not(file.substr(0, begin + bytes - 1));
  EXPECT_NE(problem.find("column tet_poses needs " + std::to_string(bytes) + " bytes"), std::string::npos) << problem;
  EXPECT_NE(problem.find("file ends after " + std::to_string(begin + bytes - 1)), std::string::npos) << problem;
}

// No single bit of a file can change without an Error.
TEST(ModelFile, EveryFlippedByteIsAnError) {
  std::string file = encode_model(small_model());
  for (std::size_t i = 0; i < file.size(); ++i) {
    const char good = file[i];
    file[i] = static_cast<char>(good ^ (1 << i % 8));
    ASSERT_NE(why_not(file), "") << "byte " << i;
    file[i] = good;
  }
  EXPECT_EQ(why_not(file), "");
}

struct Damage {
  std::string name;
  std::function<void(std::vector<Column>&)> change;
  std::vector<std::string> words;
};

std::function<void(std::vector<Column>&)> set_int(const std::string& name, int row, int value) {
  return [=](auto& columns) { set_number(column(columns, name).values, 4 * row, value); };
}

void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.name; }

class ForgedModelFile : public testing::TestWithParam<Damage> {};

// Files with a correct checksum are not believed either: each of these is an Error that names what does not fit.
TEST_P(ForgedModelFile, IsAnError) {
  std::vector<Column> columns = take_apart(encode_model(full_model()));
  GetParam().change(columns);
  const std::string problem = why_not(put_together(columns));
  EXPECT_NE(problem, "");
  for (const std::string& word : GetParam().words) {
    EXPECT_NE(problem.find(word), std::string::npos) << "'" << word << "' is not in: " << problem;
  }
}

// A case is one or two lines.
// clang-format off
std::vector<Damage> forgeries() {
  constexpr auto huge = std::numeric_limits<std::uint64_t>::max();
  return {
      {"missing_column", [](auto& c) { c.erase(c.begin() + 2); }, {"column particle_mass is missing", "save it again"}},
      {"unknown_column", [](auto& c) { c.push_back({"body_colour", 1, 1, 0, ""}); },
       {"unknown column body_colour", "version 15"}},
      {"column_twice", [](auto& c) { c.push_back(c[0]); }, {"column particle_q", "twice"}},
      {"column_too_short",
       [](auto& c) {
         column(c, "body_com").rows -= 1;
         column(c, "body_com").values.resize(12 * sizeof(Real) - 3 * sizeof(Real));
       },
       {"column body_com", "3 rows", "4"}},
      {"rows_overflow", [=](auto& c) { column(c, "body_q").rows = huge; }, {"column body_q", "rows"}},
      {"rows_without_bytes", [](auto& c) { column(c, "body_q").rows = 1 << 30; }, {"column body_q"}},
      {"width_overflow", [](auto& c) { column(c, "body_q").width = 1u << 31; }, {"column body_q"}},
      {"other_width", [](auto& c) { column(c, "body_mass").width = 2, column(c, "body_mass").rows /= 2; },
       {"column body_mass", "another kind"}},
      {"unknown_type", [](auto& c) { column(c, "body_mass").type = 9; }, {"column body_mass", "type 9"}},
      {"integers_for_reals",
       [](auto& c) { column(c, "body_mass").type = 1, column(c, "body_mass").width = sizeof(Real) / 4; },
       {"column body_mass", "another kind"}},
      {"unknown_body", set_int("shape_body", 2, 99), {"shape 2", "shape_body is 99"}},
      {"body_of_another_world", set_int("shape_body", 2, 2),
       {"shape 2 'trunk'", "world 0", "body 2 'base'", "world 1"}},
      {"parent_of_another_world", set_int("joint_parent", 1, 2),
       {"joint 1 'elbow'", "world 0", "body 2 'base'", "world 1"}},
      {"joint_of_another_articulation", set_int("joint_articulation", 1, 1),
       {"joint 1 'elbow'", "world 0", "articulation 1"}},
      {"articulation_without_joints",
       [](auto& c) { set_int("joint_articulation", 2, -1)(c), set_int("joint_articulation", 3, -1)(c); },
       {"articulation 1 'robot'", "no joints"}},
      {"unknown_particle", set_int("tet_indices", 3, -1), {"tetrahedron 0", "tet_indices is -1"}},
      {"unknown_source", set_int("shape_source", 2, 17), {"shape 2", "shape_source is 17"}},
      {"other_source", set_int("shape_type", 2, 11), {"shape 2 'trunk'", "geometry"}},
      {"unknown_sensor_type", set_int("sensor_type", 0, 46), {"sensor 0 'felt'", "type 46"}},
      {"sensor_without_room", set_int("sensor_num", 0, 0), {"sensor 0 'felt'", "num"}},
      {"sensor_of_no_shape", set_int("sensor_reference_shape", 0, -1), {"sensor 0 'felt'", "no shape"}},
      {"unknown_shape_type", set_int("shape_type", 0, 12), {"shape 0 'ground'", "type 12"}},
      {"unknown_joint_type", set_int("joint_type", 1, 7), {"joint 1 'elbow'", "type 7"}},
      {"unknown_equality_type", set_int("equality_constraint_type", 0, 4), {"equality_constraint 0 'rope'", "type 4"}},
      {"coupling_without_joint", set_int("equality_constraint_joint1", 2, -1), {"equality_constraint 2", "joint1"}},
      {"unknown_condim", set_int("shape_condim", 0, 2), {"shape 0 'ground'", "condim 2"}},
      {"plane_as_ellipsoid", set_int("shape_fluid_ellipsoid", 0, 1), {"shape 0 'ground'", "no ellipsoid"}},
      {"unknown_tendon", set_int("tendon_joint_tendon", 1, -1), {"tendon_joint 1", "no tendon"}},
      {"coupling_without_tendon", set_int("equality_constraint_type", 2, 3), {"equality_constraint 2", "tendon1"}},
      {"actuator_of_both", set_int("actuator_tendon", 0, 1), {"actuator 0 'motor'", "a joint and pulls a tendon"}},
      {"tendon_of_another_world", set_int("tendon_joint_tendon", 1, 0),
       {"tendon_joint 1", "world 1", "tendon 0 'string'", "world 0"}},
      {"tendon_without_joint", set_int("tendon_joint_joint", 0, -1), {"tendon_joint 0", "no joint"}},
      {"tendon_over_a_free_joint", set_int("tendon_joint_joint", 0, 0), {"tendon_joint 0", "free joint"}},
      {"tendon_axis", set_int("tendon_joint_axis", 0, 5), {"tendon_joint 0", "axis 5"}},
      {"tendon_without_rows",
       [](auto& c) {
         for (Column& made : c)
           if (made.name.starts_with("tendon_joint_")) made.rows /= 2, made.values.resize(made.values.size() / 2);
       },
       {"tendon 2 'string'", "no joints"}},
      {"tendon_of_points_alone", set_int("tendon_point_tendon", 0, 0), {"tendon_point 0", "runs over joints, too"}},
      {"tendon_point_type", set_int("tendon_point_type", 0, 9), {"tendon 1 'band'", "type 9"}},
      {"tendon_that_wraps_at_its_end", set_int("tendon_point_type", 2, 1), {"tendon 1 'band'", "between two points"}},
      {"actuator_target", set_int("actuator_target", 0, 1), {"actuator 0 'motor'", "do not go together"}},
      {"actuator_dynamics", set_int("actuator_dynamics", 0, 9), {"actuator 0 'motor'", "dynamics 9"}},
      {"pair_of_one_shape", set_int("contact_pair_shapes", 0, 3), {"contact_pair 0 'pair'", "two shapes in order"}},
      {"pair_condim", set_int("contact_pair_condim", 0, 2), {"contact_pair 0 'pair'", "condim 2"}},
      {"actuator_without_joint", set_int("actuator_joint", 4, -1), {"actuator 4 'motor'", "no joint"}},
      {"actuator_orientation", set_int("actuator_law", 0, 4), {"actuator 0 'motor'", "turns a ball joint"}},
      {"actuator_inputs", set_int("actuator_inputs", 0, 3), {"actuator 0 'motor'", "that its law does not have"}},
      {"actuator_without_controller", set_int("actuator_law", 0, 2), {"actuator 0 'motor'", "has no controller"}},
      {"controller_of_none", set_int("controller_actuator", 0, 9), {"controller 0", "controller_actuator is 9"}},
      {"ctrl_count", set_int("actuator_inputs", 3, 7), {"inputs, which does not fit"}},
      {"delay_samples", set_int("actuator_delay_samples", 0, -1), {"actuator 0 'motor'", "-1 delay_samples"}},
      {"actuator_axis", set_int("actuator_axis", 0, -1), {"actuator 0 'motor'", "axis -1"}},
      {"too_many_axes", set_int("joint_dof_dim", 2, 9), {"joint 1 'elbow'", "9 linear"}},
      {"moved_twice", set_int("joint_child", 1, 0), {"joint 1 'elbow'", "moved by another joint"}},
      {"cycle", set_int("joint_parent", 0, 1), {"body 0 'base'", "cycle"}},
      {"unknown_world", set_int("body_world", 0, 3), {"body 0", "body_world is 3"}},
      {"worlds_out_of_order", set_int("body_world", 0, 1), {"world 0", "out of order"}},
      {"unknown_key", set_int("body_key_id", 0, 1000), {"body 0", "body_key_id is 1000"}},
      {"unknown_world_key", set_int("world_key_id", 0, 1000), {"world 0", "1000"}},
      {"world_without_gravity",
       [](auto& c) { column(c, "gravity").rows -= 1, column(c, "gravity").values.resize(9 * sizeof(Real)); },
       {"column gravity", "3 rows", "must have 4"}},
      {"key_without_end", set_int("key_size", 0, 1 << 30), {"key 0", "no end"}},
      {"key_negative", set_int("key_size", 0, -1), {"key 0", "no end"}},
      {"letters_left", set_int("key_size", 0, 0), {"letters after the last key"}},
      {"unknown_source_type", set_int("shape_source_type", 0, 4), {"shape_source_0", "unknown type 4"}},
      {"unknown_up_axis", set_int("up_axis", 0, 3), {"up_axis is 3", "0, 1 or 2"}},
      {"unknown_integrator", set_int("option_integrator", 0, 5), {"option_integrator is 5", "0, 1, 2, 3 or 4"}},
      {"unknown_diagexact", set_int("option_diagexact", 0, 2), {"option_diagexact is 2", "0 or 1"}},
      {"unknown_speculative", set_int("option_speculative", 0, -1), {"option_speculative is -1", "0 or 1"}},
      {"negative_keep_distance",
       [](auto& c) { set_number(column(c, "option_contact_keep_distance").values, 0, Real(-1)); },
       {"options: contact_keep_distance must not be negative, is -1"}},
      {"unknown_sleep", set_int("option_sleep", 0, 2), {"option_sleep is 2", "0 or 1"}},
      {"unknown_combine", set_int("option_combine", 0, 4), {"option_combine is 4", "0, 1, 2 or 3"}},
      {"unknown_sleep_policy", set_int("body_sleep", 0, 4), {"body 0", "sleep policy 4 does not exist"}},
      {"unknown_cone", set_int("option_cone", 0, 2), {"option_cone is 2", "0 or 1"}},
      {"unknown_damping", set_int("option_euler_damping", 0, -1), {"option_euler_damping is -1", "0 or 1"}},
      {"mesh_index", set_int("shape_source_1_indices", 5, 8), {"shape_source_1", "mesh triangle 1", "index 8"}},
      {"heightfield_size", set_int("shape_source_0_grid", 0, 1 << 30),
       {"shape_source_0", "heightfield", "nrow * ncol"}},
      {"heightfield_range",
       [](auto& c) { set_number(column(c, "shape_source_0_extent").values, 3 * sizeof(Real), Real(0.2)); },
       {"shape_source_0", "max_z"}},
      {"sdf_size", set_int("shape_source_3_grid", 2, -5), {"shape_source_3", "sdf"}},
      {"two_sdf_frames",
       [](auto& c) {
         column(c, "shape_source_3_frame").rows = 2,
                   column(c, "shape_source_3_frame").values += std::string(4 * sizeof(Real), '\0');
       },
       {"shape_source_3_frame", "2 rows, must have 1"}},
      {"filter_pair", set_int("shape_collision_filter_pairs", 0, 99), {"filter pair (99,"}},
  };
}
// clang-format on
INSTANTIATE_TEST_SUITE_P(All, ForgedModelFile, testing::ValuesIn(forgeries()),
                         [](const auto& info) { return info.param.name; });

// A table that places a column where it is not cannot be used to read outside of the file.
TEST(ModelFile, WrongPlacesInTheTableAreErrors) {
  for (const std::uint64_t place :
       {std::uint64_t{0}, std::uint64_t{1} << 40, ~std::uint64_t{0}, ~std::uint64_t{0} - 62}) {
    for (const std::size_t field : {80, 88}) {
      std::string file = encode_model(small_model());
      std::size_t entry = 64;
      while (std::string(file.data() + entry) != "body_q") entry += 96;
      set_number(file, entry + field, place);
      sign(file);
      EXPECT_NE(why_not(file).find("column body_q"), std::string::npos) << why_not(file);
    }
  }
}

// A file of a newer or an older format is refused with both versions; one with too many columns or bytes is refused
// too.
TEST(ModelFile, HeaderIsChecked) {
  std::string newer = encode_model(small_model());
  set_number(newer, 12, std::uint32_t{16});
  sign(newer);
  EXPECT_NE(why_not(newer).find("format version 16 is newer than 15"), std::string::npos) << why_not(newer);
  EXPECT_NE(why_not(newer).find("update carom"), std::string::npos) << why_not(newer);

  std::string older = encode_model(small_model());
  set_number(older, 12, std::uint32_t{3});
  sign(older);
  EXPECT_NE(why_not(older).find("format version 3 is older than 15"), std::string::npos) << why_not(older);

  std::string more = encode_model(small_model());
  set_number(more, 16, ~std::uint32_t{0});
  sign(more);
  EXPECT_NE(why_not(more).find("table of 4294967295 columns"), std::string::npos) << why_not(more);

  EXPECT_NE(why_not(encode_model(small_model()) + "x").find("1 bytes too many"), std::string::npos);
}

// -- Files on disk

std::string why_not_load(const fs::path& path) {
  try {
    load(path);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

class ModelFileOnDisk : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "model_file_" + testing::UnitTest::GetInstance()->current_test_info()->name() +
              (sizeof(Real) == 4 ? "_f32" : "_f64");
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path written(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }

  fs::path folder_;
};

// Every message about a file begins with its path and says what is wrong with it.
TEST_F(ModelFileOnDisk, ErrorsNameTheFile) {
  const std::pair<fs::path, std::string> cases[] = {
      {folder_ / "missing.carom", "no such file"},
      {folder_, "not a file"},
      {written("empty.carom", ""), "truncated: the header needs 64 bytes, file ends after 0"},
      {written("short.carom", encode_model(small_model()).substr(0, 1000)), "truncated: the table"},
      {written("foreign.carom", "<mujoco model=\"ant\"/>"), "not a carom model file"},
      {written("zeros.carom", std::string(4096, '\0')), "not a carom model file"},
  };
  for (const auto& [path, words] : cases) {
    const std::string problem = why_not_load(path);
    EXPECT_TRUE(problem.starts_with(path.string() + ": ")) << problem;
    EXPECT_NE(problem.find(words), std::string::npos) << problem;
  }
}

// A Model that nothing has made cannot be saved, and says so.
TEST_F(ModelFileOnDisk, SavingNoModelIsAnError) {
  EXPECT_THROW(Model().save(folder_ / "model.carom"), Error);
  EXPECT_TRUE(fs::is_empty(folder_));
}

// A path that cannot be written is an Error that names it.
TEST_F(ModelFileOnDisk, SavingToAnImpossiblePathIsAnError) {
  for (const fs::path& path : {folder_ / "missing" / "model.carom", folder_}) {
    try {
      small_model().save(path);
      ADD_FAILURE() << path << " was written";
    } catch (const Error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(path.string() + ": ")) << error.what();
    }
  }
}

// When the disk does not take the whole file, the old one stays as it was and nothing else is left behind.
TEST_F(ModelFileOnDisk, FailedSaveKeepsTheOldFile) {
  const fs::path path = folder_ / "model.carom";
  small_model().save(path);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit unlimited;
  getrlimit(RLIMIT_FSIZE, &unlimited);
  const rlimit limited{1000, unlimited.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limited);
  EXPECT_THROW(full_model().save(path), Error);
  setrlimit(RLIMIT_FSIZE, &unlimited);
  std::signal(SIGXFSZ, old_handler);

  expect_same_model(load(path), small_model());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace carom
