// Compiled MuJoCo models become builders: bodies, joints, shapes, tendons, actuators and constraints of a model written
// down by hand, and nothing that is wrong with its numbers goes unnoticed. (python/tests compares with MuJoCo itself.)
#include "carom/compiled_mjcf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

namespace carom {
namespace {

// mjtJoint, mjtGeom, mjtWrap, mjtEq
enum { kFree, kBall, kSlide, kHinge };
enum { kPlane, kHfield, kSphere, kCapsule, kEllipsoid, kCylinder, kBox, kMesh };

template <class Values>
void put(Values& values, std::size_t first, std::initializer_list<typename Values::value_type> row) {
  std::copy(row.begin(), row.end(), values.begin() + static_cast<std::ptrdiff_t>(first * row.size()));
}

int add_body(CompiledMjcf& m, int parent, const std::string& name, std::initializer_list<double> pos = {0, 0, 0}) {
  const int body = static_cast<int>(m.body_parentid.size());
  resize_mjcf_rows(m, MjcfRows::kBody, body + 1);
  m.name_body[body] = name;
  m.body_parentid[body] = std::max(parent, 0);
  m.body_rootid[body] = parent <= 0 ? body : m.body_rootid[parent];
  m.body_weldid[body] = parent < 0 ? 0 : m.body_weldid[parent];
  m.body_mocapid[body] = m.body_jntadr[body] = -1;
  put(m.body_pos, body, pos);
  put(m.body_quat, body, {1, 0, 0, 0});
  put(m.body_iquat, body, {1, 0, 0, 0});
  if (parent >= 0) {
    m.body_mass[body] = 2;
    put(m.body_inertia, body, {0.1, 0.2, 0.25});
  }
  return body;
}

int add_joint(CompiledMjcf& m, int body, int type, const std::string& name, std::initializer_list<double> axis,
              std::initializer_list<double> pos = {0, 0, 0}) {
  const int joint = static_cast<int>(m.jnt_type.size());
  const int q = static_cast<int>(m.qpos0.size()), dof = static_cast<int>(m.dof_damping.size());
  resize_mjcf_rows(m, MjcfRows::kJoint, joint + 1);
  resize_mjcf_rows(m, MjcfRows::kQpos, q + (type == kFree ? 7 : type == kBall ? 4 : 1));
  resize_mjcf_rows(m, MjcfRows::kDof, dof + (type == kFree ? 6 : type == kBall ? 3 : 1));
  m.name_jnt[joint] = name;
  m.jnt_type[joint] = type;
  m.jnt_qposadr[joint] = q;
  m.jnt_dofadr[joint] = dof;
  put(m.jnt_axis, joint, axis);
  put(m.jnt_pos, joint, pos);
  if (type == kFree) {
    for (int i = 0; i < 3; ++i) m.qpos0[q + i] = m.body_pos[3 * body + i];
    m.qpos0[q + 3] = 1;
  }
  if (type == kBall) m.qpos0[q] = 1;
  if (m.body_jntnum[body]++ == 0) m.body_jntadr[body] = joint;
  m.body_weldid[body] = body;
  return joint;
}

int add_geom(CompiledMjcf& m, int body, int type, std::initializer_list<double> size, const std::string& name = "") {
  const int geom = static_cast<int>(m.geom_type.size());
  resize_mjcf_rows(m, MjcfRows::kGeom, geom + 1);
  m.name_geom[geom] = name;
  m.geom_type[geom] = type;
  m.geom_bodyid[geom] = body;
  m.geom_contype[geom] = m.geom_conaffinity[geom] = 1;
  m.geom_condim[geom] = 3;
  m.geom_solmix[geom] = 1;
  m.geom_dataid[geom] = -1;
  put(m.geom_quat, geom, {1, 0, 0, 0});
  put(m.geom_size, geom, size);
  put(m.geom_friction, geom, {0.7, 0.01, 0.002});
  put(m.geom_solref, geom, {0.02, 1});
  put(m.geom_solimp, geom, {0.9, 0.95, 0.001, 0.5, 2});
  return geom;
}

int add_motor(CompiledMjcf& m, int joint, double gear, const std::string& name) {
  const int i = static_cast<int>(m.actuator_trntype.size());
  resize_mjcf_rows(m, MjcfRows::kActuator, i + 1);
  resize_mjcf_rows(m, MjcfRows::kOutput, i + 1);
  resize_mjcf_rows(m, MjcfRows::kCtrl, i + 1);
  m.name_actuator[i] = name;
  put(m.actuator_trnid, i, {joint, -1});
  m.actuator_outadr[i] = m.actuator_ctrladr[i] = i;
  m.actuator_ctrlnum[i] = m.actuator_ctrlspec[i] = 1;
  m.actuator_gainprm[10 * i] = 1;
  m.actuator_gear[6 * i] = gear;
  return i;
}

// A plane; a trunk that floats; an arm on it that slides and turns about two axes; a hand on a hinge.
CompiledMjcf robot() {
  CompiledMjcf m;
  m.model_name = "robot";
  add_body(m, -1, "world");
  add_geom(m, 0, kPlane, {0, 0, 1}, "floor");
  const int trunk = add_body(m, 0, "trunk", {0, 0, 1});
  add_joint(m, trunk, kFree, "float", {0, 0, 1});
  add_geom(m, trunk, kBox, {0.1, 0.2, 0.3}, "chest");
  const int arm = add_body(m, trunk, "arm", {0.1, 0, 0});
  add_joint(m, arm, kSlide, "along", {1, 0, 0});
  add_joint(m, arm, kHinge, "lift", {0, 1, 0}, {0, 0, 0.5});
  add_joint(m, arm, kHinge, "", {0, 0, 1}, {0, 0, 0.5});
  add_geom(m, arm, kCapsule, {0.05, 0.2, 0}, "upper");
  const int hand = add_body(m, arm, "hand", {0.4, 0, 0});
  add_joint(m, hand, kHinge, "wrist", {0, 0, 1});
  add_geom(m, hand, kSphere, {0.06, 0, 0});
  return m;
}

// What import_mjcf() says about a model.
std::string error_of(const CompiledMjcf& m, const MjcfArgs& args = {}) {
  try {
    import_mjcf(m, args);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// -- The fields

// Proves that the visitor passes every field once, with a width and a kind.
TEST(CompiledMjcf, FieldsHaveNamesOfTheirOwn) {
  CompiledMjcf m;
  std::set<std::string> names;
  int count = 0;
  visit_mjcf_fields(m, [&](const MjcfField& field, auto&) {
    names.insert(field.name);
    ++count;
    EXPECT_GE(field.width, 1);
    EXPECT_LT(static_cast<int>(field.rows), kMjcfRowKinds);
  });
  EXPECT_EQ(static_cast<int>(names.size()), count);
  EXPECT_TRUE(names.contains("opt.gravity") && names.contains("name_eq") && names.contains("mesh_vert"));
}

// Proves that a field of a wrong size is named, whichever it is.
TEST(CompiledMjcf, SizesAreChecked) {
  const CompiledMjcf good = robot();
  EXPECT_EQ(error_of(good), "");
  std::vector<std::string> fields;
  visit_mjcf_fields(good, [&](const MjcfField& field, const auto& values) {
    if constexpr (requires { values.capacity(); })
      if (field.rows == MjcfRows::kBody || field.rows == MjcfRows::kGeom || field.rows == MjcfRows::kDof)
        fields.emplace_back(field.name);
  });
  for (const std::string& name : fields) {
    CompiledMjcf bad = good;
    visit_mjcf_fields(bad, [&](const MjcfField& field, auto& values) {
      if constexpr (requires { values.pop_back(); })
        if (name == field.name) values.pop_back();
    });
    const std::string error = error_of(bad);
    EXPECT_NE(error.find("a compiled model: "), std::string::npos) << name << ": " << error;
  }
  EXPECT_EQ(error_of(CompiledMjcf{}), "a compiled model has no world body");
}

// Proves that names may be left out altogether.
TEST(CompiledMjcf, ModelsWithoutNames) {
  CompiledMjcf m = robot();
  m.name_body.clear(), m.name_jnt.clear(), m.name_geom.clear();
  const ModelBuilder b = import_mjcf(m).builder;
  EXPECT_EQ(b.count(Entity::kBody), 3);
  EXPECT_EQ(b.key(Entity::kBody, 0), "");
}

// -- What becomes of what

// Proves that keys, types, frames and numbers arrive, and joints through one point are one.
TEST(CompiledMjcf, BodiesJointsAndShapes) {
  const ModelBuilder b = import_mjcf(robot()).builder;
  EXPECT_EQ(b.count(Entity::kBody), 3);
  EXPECT_EQ(b.key(Entity::kBody, 1), "arm");
  EXPECT_EQ(b.key(Entity::kArticulation, 0), "trunk");
  EXPECT_EQ(b.key(Entity::kShape, 0), "floor");
  EXPECT_EQ(b.key(Entity::kJoint, 1), "along+lift");
  const auto& c = b.columns();
  const std::vector<int> types{static_cast<int>(JointType::kFree), static_cast<int>(JointType::kD6),
                               static_cast<int>(JointType::kRevolute)};
  EXPECT_EQ(std::vector<int>(c.joint_type.begin(), c.joint_type.end()), types);
  EXPECT_NEAR(c.joint_X_p[1].p.x, 0.1, 1e-6);  // where the arm is in the trunk
  EXPECT_NEAR(c.joint_X_p[1].p.z, 0.5, 1e-6);  // and its anchor in the arm
  EXPECT_NEAR(c.body_q[2].p.x, 0.5, 1e-6);
  EXPECT_NEAR(c.body_q[2].p.z, 1, 1e-6);
  EXPECT_NEAR(c.body_mass[0], 2, 1e-6);
  EXPECT_NEAR(c.shape_material_mu[1], 0.7, 1e-6);
  EXPECT_EQ(c.shape_body[3], 2);
  EXPECT_NO_THROW(b.finalize());
}

// Proves that the coordinates of a turned hinge stay those of MuJoCo, which counts from qpos0.
TEST(CompiledMjcf, HingesThatBeginTurned) {
  CompiledMjcf m = robot();
  const int wrist = 4, q = m.jnt_qposadr[wrist];
  m.qpos0[q] = 0.8;
  const ModelBuilder b = import_mjcf(m).builder;
  const auto& c = b.columns();
  EXPECT_NEAR(c.joint_q[q], 0.8, 1e-6);
  EXPECT_NEAR(c.joint_X_c[2].q.z, std::sin(0.4), 1e-6);
  EXPECT_NEAR(c.body_q[2].q.w, 1, 1e-6);  // the pose of the body is the one in the file
}

// Proves that a massless link with a name of its own joins what one joint cannot do.
TEST(CompiledMjcf, JointsThatDoNotFitBecomeLinks) {
  CompiledMjcf m = robot();
  m.jnt_pos[3 * 3] = 0.1;  // the third joint of the arm no longer turns about the point of the second
  const ModelBuilder b = import_mjcf(m).builder;
  EXPECT_EQ(b.count(Entity::kBody), 4);
  EXPECT_EQ(b.key(Entity::kBody, 3), "arm/along");
  EXPECT_EQ(b.columns().body_mass[3], 0);
  EXPECT_EQ(b.columns().joint_child[1], 3);
  EXPECT_EQ(b.columns().joint_parent[2], 3);
  EXPECT_EQ(mjcf_link_counts(m), (std::vector<int>{0, 0, 1, 0}));
  EXPECT_EQ(mjcf_link_counts(robot()), (std::vector<int>{0, 0, 0, 0}));
}

using Pairs = std::set<std::pair<int, int>>;

Pairs filter_pairs(const CompiledMjcf& m, const MjcfArgs& args = {}) {
  const Model model = import_mjcf(m, args).builder.finalize();
  Pairs pairs;
  for (const Index2& pair : model.shape_collision_filter_pairs) pairs.insert({pair[0], pair[1]});
  return pairs;
}

// Proves that relatives, excluded bodies and, if asked for, all moving ones do not touch.
TEST(CompiledMjcf, Filters) {
  CompiledMjcf m = robot();
  EXPECT_EQ(filter_pairs(m), (Pairs{{1, 2}, {2, 3}}));  // parents and children
  EXPECT_EQ(filter_pairs(m, {.enable_self_collisions = false}), (Pairs{{1, 2}, {1, 3}, {2, 3}}));
  m.opt_disableflags = 1 << 10;  // filterparent
  EXPECT_EQ(filter_pairs(m), Pairs{});
  m.exclude_signature = {(1 << 16) + 3};
  EXPECT_EQ(filter_pairs(m), (Pairs{{1, 3}}));
  m.geom_contype[3] = m.geom_conaffinity[3] = 2;  // the masks say so already
  EXPECT_EQ(filter_pairs(m), Pairs{});
}

// Proves that an actuator drives the right axis, and that its rotor is felt there.
TEST(CompiledMjcf, MotorsAndTheirRotors) {
  CompiledMjcf m = robot();
  const int motor = add_motor(m, 4, 3, "turn");
  m.actuator_armature[motor] = 0.5;
  m.actuator_ctrllimited[motor] = 1;
  put(m.actuator_ctrlrange, motor, {-1, 2});
  const ModelBuilder b = import_mjcf(m).builder;
  const auto& c = b.columns();
  EXPECT_EQ(b.key(Entity::kActuator, 0), "turn");
  EXPECT_EQ(c.actuator_joint[0], 2);
  EXPECT_EQ(c.actuator_gear[0], 3);
  EXPECT_EQ(c.actuator_ctrl_upper[0], 2);
  EXPECT_EQ(c.joint_armature.back(), Real(4.5));  // times the square of the gear
}

// Proves that q1 = y0 + p(q2 - x0) holds in coordinates that begin at 0.
TEST(CompiledMjcf, PolynomialsOfEqualJoints) {
  CompiledMjcf m = robot();
  resize_mjcf_rows(m, MjcfRows::kEquality, 1);
  m.eq_type[0] = 2, m.eq_obj1id[0] = 4, m.eq_obj2id[0] = 2, m.eq_active0[0] = 1;
  put(m.eq_solref, 0, {0.02, 1});
  put(m.eq_solimp, 0, {0.9, 0.95, 0.001, 0.5, 2});
  const double p[] = {0.1, 0.2, 0.3, 0.4, 0.5}, y0 = 0.7, x0 = -0.3, x = 0.9;
  std::copy(p, p + 5, m.eq_data.begin());
  m.qpos0[m.jnt_qposadr[4]] = y0;
  m.qpos0[m.jnt_qposadr[2]] = x0;
  const ModelBuilder b = import_mjcf(m).builder;
  const auto& c = b.columns();
  double expected = y0, value = 0;
  for (int k = 0; k < 5; ++k) {
    expected += p[k] * std::pow(x - x0, k);
    value += c.equality_constraint_polycoef[0][k] * std::pow(x, k);
  }
  EXPECT_NEAR(value, expected, 1e-5);
  EXPECT_EQ(c.equality_constraint_axis2[0], 1);
  EXPECT_EQ(import_mjcf(m, {.ignore = {"equality"}}).builder.count(Entity::kEqualityConstraint), 0);
}

// Proves that a colliding mesh is the hull of its graph, and one that is only seen the mesh itself.
TEST(CompiledMjcf, MeshesAndTheirHulls) {
  CompiledMjcf m = robot();
  resize_mjcf_rows(m, MjcfRows::kMesh, 1);
  m.mesh_vert = {0, 0, 0, 9, 9, 9, 1, 0, 0, 0, 1, 0, 0, 0, 1};  // the second one is no corner of the graph below
  m.mesh_face = {0, 3, 2, 0, 2, 4, 0, 4, 3, 2, 3, 4};
  m.mesh_vertnum[0] = 5, m.mesh_facenum[0] = 4;
  m.mesh_graph = {4, 4, /*edges of*/ 0, 0, 0, 0, /*numbers*/ 0, 2, 3, 4};
  m.mesh_graph.insert(m.mesh_graph.end(), 4 + 3 * 4, 0);                            // edges
  m.mesh_graph.insert(m.mesh_graph.end(), m.mesh_face.begin(), m.mesh_face.end());  // faces
  const int hull = add_geom(m, 1, kMesh, {1, 1, 1}), seen = add_geom(m, 1, kMesh, {1, 1, 1});
  m.geom_dataid[hull] = m.geom_dataid[seen] = 0;
  m.geom_contype[seen] = m.geom_conaffinity[seen] = 0;
  const Model model = import_mjcf(m).builder.finalize();
  const auto vertices = [&](int shape) {
    return std::get<std::shared_ptr<const Mesh>>(model.shape_sources[model.shape_source[shape]])->vertices;
  };
  EXPECT_EQ(vertices(hull).size(), 4u);
  EXPECT_EQ(vertices(seen).size(), 5u);

  m.mesh_graph.pop_back();
  EXPECT_NE(error_of(m).find("refers to rows"), std::string::npos);
  m.mesh_graph[0] = std::numeric_limits<int>::max();
  EXPECT_NE(error_of(m).find("refers to rows"), std::string::npos);
}

// -- What is refused

// Proves that all of them are named, with their rows.
TEST(CompiledMjcf, NumbersThatAreNone) {
  CompiledMjcf m = robot();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  m.opt_gravity[2] = m.opt_timestep = m.jnt_axis[3 * 2 + 1] = m.geom_size[0] = nan;
  EXPECT_EQ(error_of(m),
            "from_mujoco: carom cannot express what model 'robot' asks for:\n"
            "  not a number: geom_size, row 0\n"
            "  not a number: jnt_axis, row 2\n"
            "  not a number: opt.gravity, row 2\n"
            "  not a number: opt.timestep");
}

// Proves that indices out of range are errors, not crashes.
TEST(CompiledMjcf, IndicesOutOfRange) {
  const std::vector<std::function<void(CompiledMjcf&)>> mistakes = {
      [](CompiledMjcf& m) { m.body_parentid[2] = 3; },     [](CompiledMjcf& m) { m.body_jntadr[2] = 4; },
      [](CompiledMjcf& m) { m.body_jntnum[3] = 1 << 30; }, [](CompiledMjcf& m) { m.geom_bodyid[1] = 4; },
      [](CompiledMjcf& m) { m.geom_bodyid[1] = -1; },      [](CompiledMjcf& m) { m.body_weldid[1] = 9; },
      [](CompiledMjcf& m) { m.jnt_qposadr[1] = 99; },      [](CompiledMjcf& m) { m.jnt_dofadr[1] = -2; },
      [](CompiledMjcf& m) { m.geom_type[1] = kMesh; },     [](CompiledMjcf& m) { m.geom_type[0] = kHfield; },
      [](CompiledMjcf& m) { m.geom_type[1] = 77; },        [](CompiledMjcf& m) { m.exclude_signature = {9 << 16}; },
      [](CompiledMjcf& m) { m.actuator_trnid[0] = 5; },    [](CompiledMjcf& m) { m.actuator_outadr[0] = 1; },
      [](CompiledMjcf& m) { m.actuator_ctrladr[0] = 7; }};
  for (std::size_t i = 0; i < mistakes.size(); ++i) {
    CompiledMjcf m = robot();
    add_motor(m, 4, 1, "");
    EXPECT_EQ(error_of(m), "");
    mistakes[i](m);
    EXPECT_NE(error_of(m), "") << "mistake " << i;
  }
}

// Proves that errors and warnings have a line for each feature and say what can be left out.
TEST(CompiledMjcf, WhatCannotBeExpressedIsListedAtOnce) {
  CompiledMjcf m = robot();
  m.opt_enableflags = 1 << 6;  // ipc
  m.name_flex = {"cloth"};
  m.dof_damping[1] = 3;
  const std::string lines =
      "\n  enabled flag ipc\n  flex: flex 'cloth'\n  damping that differs between the axes of a joint: joint 'float'";
  EXPECT_EQ(error_of(m, {.ignore = {}, .who = "load_mjcf"}),
            "load_mjcf: carom cannot express what model 'robot' asks for:" + lines +
                "\nwhat can be left out: ignore=['flag', 'flex']");
  m.dof_damping[1] = 0;
  EXPECT_EQ(import_mjcf(m, {.ignore = {"flex", "flag", "noslip"}}).left_out,
            "from_mujoco: left out of model 'robot':\n  enabled flag ipc (the flag has no effect)\n"
            "  flex: flex 'cloth' (no flexes)");
  EXPECT_EQ(import_mjcf(robot(), {.ignore = {"flex"}}).left_out, "");
  EXPECT_NE(error_of(m, {.ignore = {"sensors"}}).find("; unknown: 'sensors'"), std::string::npos);
}

}  // namespace
}  // namespace carom
