// Misuse of the building interface, as a table. Each case says what to do wrong and which words the message must have:
// the entity that is wrong and what to do about it. python/tests/test_bad_input.py holds the same cases.
#include "tests/model/misuse.h"

namespace carom {
namespace {

std::shared_ptr<const Mesh> box_mesh() { return std::make_shared<const Mesh>(make_box_mesh(1, 1, 1)); }
std::shared_ptr<const Mesh> square_mesh() {
  return std::make_shared<const Mesh>(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}},
                                      std::vector<int>{0, 1, 2, 0, 2, 3});
}
std::shared_ptr<const Mesh> two_sided_square_mesh() {  // closed, but flat
  return std::make_shared<const Mesh>(square_mesh()->vertices, std::vector<int>{0, 1, 2, 0, 2, 3, 0, 2, 1, 0, 3, 2});
}
std::shared_ptr<const SDF> cube_sdf() {
  return std::make_shared<const SDF>(std::vector<Real>{-1, 1, 1, 1, 1, 1, 1, 1}, 2, 2, 2, Vec3{}, Real(1));
}
ModelBuilder one_body() {
  ModelBuilder b;
  b.add_body({.inertia = mat33_identity<Real>(), .mass = 1, .key = "cart"});
  return b;
}
ShapeArgs with(const std::function<void(ShapeConfig&)>& change) {
  ShapeArgs args{.cfg = ShapeConfig{}, .key = "new"};
  change(*args.cfg);
  return args;
}

// A case is one or two lines.
// clang-format off
std::vector<Misuse> world_cases() {
  return {
      {"nested_world", [](auto& b) { b.begin_world("new"); }, {"world 1", "still open", "call end_world()"}},
      {"end_without_begin", [](auto& b) { b.end_world(); }, {"no world is open", "call begin_world()"}, end_world},
      {"unclosed_world", [](auto& b) { b.finalize(); }, {"world 1", "still open", "call end_world()"}},
      {"global_between_worlds",
       [](auto& b) { b.begin_world("new"); },
       {"body 6 'between'", "before the first world or after the last"},
       [](auto& b) {
         b.end_world();
         b.add_link({.mass = 1, .key = "between"});
       }},
      {"world_key_twice", [](auto& b) { b.begin_world("left"); },
       {"'left'", "world 0", "choose another key"}, end_world},
      {"world_gravity_nan", [](auto& b) { b.begin_world("new", Vec3{0, 0, kNan}); },
       {"'new'", "gravity", "give finite numbers"}, end_world},
      {"add_world_with_worlds", [](auto& b) { b.add_world(prepared_builder()); },
       {"add_world", "worlds of its own", "copy a builder without worlds"}, end_world},
      {"add_world_in_a_world", [](auto& b) { b.add_world(one_body()); }, {"world 1", "still open", "call end_world()"}},
      {"add_world_key_twice", [](auto& b) { b.add_world(one_body(), {}, "left"); },
       {"'left'", "world 0", "choose another key"}, end_world},
      {"add_world_of_itself",
       [](auto&) {
         ModelBuilder b = one_body();
         const std::string before = fingerprint(b);
         try {
           b.add_world(b);
         } catch (const Error&) {
           EXPECT_EQ(fingerprint(b), before);
           throw;
         }
       },
       {"add_world", "itself", "second builder"}},
      {"add_builder_with_worlds", [](auto& b) { b.add_builder(prepared_builder()); },
       {"add_builder", "worlds of its own", "copy a builder without worlds"}},
      {"add_builder_key_twice",
       [](auto& b) {
         ModelBuilder other;
         other.add_link({.mass = 1, .key = "first"});
         other.add_builder(one_body());
         b.add_builder(other);
       },
       {"body key 'cart'", "already taken", "give key_prefix"}},
      {"add_builder_not_unit", [](auto& b) { b.add_builder(one_body(), {.xform = {{}, {0, 0, 0, 2}}}); },
       {"add_builder", "quaternion", "normalise it"}},
      {"replicate_negative", [](auto& b) { b.replicate(one_body(), -1); }, {"replicate", "count", "-1"}, end_world},
      {"replicate_spacing_nan", [](auto& b) { b.replicate(one_body(), 2, {kNan, 0, 0}); },
       {"replicate", "spacing", "give finite numbers"}, end_world},
      {"replicate_too_many_bodies", [](auto& b) { b.replicate(one_body(), kMaxInt - 1); },
       {"body", "2^31 - 1", "split the worlds over several models"}, end_world},
      {"replicate_too_many_worlds", [](auto& b) { b.replicate(ModelBuilder(), kMaxInt); },
       {"worlds", "2^31 - 1", "split the worlds over several models"}, end_world},
  };
}

std::vector<Misuse> body_cases() {
  const auto link = [](const std::function<void(BodyArgs&)>& change) {
    return [=](ModelBuilder& b) {
      BodyArgs args{.inertia = mat33_identity<Real>(), .mass = 1, .key = "new"};
      change(args);
      b.add_link(args);
    };
  };
  return {
      {"negative_mass", link([](auto& a) { a.mass = -1; }), {"body 6 'new'", "mass must not be negative", "-1"}},
      {"mass_nan", link([](auto& a) { a.mass = kNan; }), {"body 6 'new'", "mass", "give a finite number"}},
      {"com_infinite", link([](auto& a) { a.com.y = kInfinity; }), {"body 6 'new'", "com", "give finite numbers"}},
      {"position_nan", link([](auto& a) { a.xform.p.x = kNan; }), {"body 6 'new'", "xform", "give finite numbers"}},
      {"zero_quaternion", link([](auto& a) { a.xform.q.w = 0; }), {"body 6 'new'", "quaternion", "normalise it"}},
      {"long_quaternion", link([](auto& a) { a.xform.q.x = 1; }), {"body 6 'new'", "quaternion", "normalise it"}},
      {"quaternion_nan", link([](auto& a) { a.xform.q.z = kNan; }), {"body 6 'new'", "quaternion", "normalise it"}},
      {"inertia_nan", link([](auto& a) { a.inertia[1][1] = kNan; }), {"body 6 'new'", "inertia", "finite"}},
      {"inertia_negative", link([](auto& a) { a.inertia[2][2] = -1; }),
       {"body 6 'new'", "inertia", "must not be negative"}},
      {"inertia_not_symmetric", link([](auto& a) { a.inertia[0][1] = Real(0.5); }),
       {"body 6 'new'", "inertia must be symmetric"}},
      {"inertia_impossible", link([](auto& a) { a.inertia[0][0] = 3; }),
       {"body 6 'new'", "larger than the sum of the other two"}},
      {"inertia_without_mass", link([](auto& a) { a.mass = 0; }), {"body 6 'new'", "no mass", "give a mass"}},
      {"body_key_twice", link([](auto& a) { a.key = "cart"; }), {"body key 'cart'", "world 1", "choose another key"}},
  };
}

std::vector<Misuse> joint_cases() {
  const JointFrames named{.key = "new"};
  const auto hinge = [=](const std::function<void(JointDofConfig&)>& change) {
    return [=](ModelBuilder& b) {
      JointDofConfig dof;
      change(dof);
      b.add_joint_revolute(3, 5, dof, named);
    };
  };
  return {
      {"unknown_parent", [=](auto& b) { b.add_joint_fixed(77, 5, named); },
       {"joint 4 'new'", "parent", "body 77 does not exist", "use -1 for the world"}},
      {"unknown_child", [=](auto& b) { b.add_joint_fixed(3, -7, named); },
       {"joint 4 'new'", "child", "body -7 does not exist"}},
      {"child_is_the_world", [=](auto& b) { b.add_joint_fixed(3, -1, named); },
       {"joint 4 'new'", "child", "name a body"}},
      {"own_parent", [=](auto& b) { b.add_joint_fixed(5, 5, named); },
       {"joint 4 'new'", "body 5 'loose'", "own parent", "name two bodies"}},
      {"moved_twice", [=](auto& b) { b.add_joint_fixed(5, 3, named); },
       {"joint 4 'new'", "body 3 'cart'", "joint 2 'rail'", "equality constraint"}},
      {"joint_cycle",
       [=](auto& b) { b.add_joint_fixed(6, 5, named); },
       {"joint 5 'new'", "cycle", "body 5 'loose'", "equality constraint"},
       [](auto& b) { b.add_joint_fixed(5, b.add_link({.mass = 1, .key = "next"})); }},
      {"parent_of_another_world", [=](auto& b) { b.add_joint_fixed(1, 5, named); },
       {"joint 4 'new'", "body 1 'base'", "world 0", "between begin_world() and end_world()"}},
      {"child_of_another_world", [=](auto& b) { b.add_joint_fixed(5, 2, named); },
       {"joint 4 'new'", "body 2 'arm'", "world 0", "between begin_world() and end_world()"}},
      {"global_child", [=](auto& b) { b.add_joint_fixed(5, 0, named); },
       {"joint 4 'new'", "body 0 'stage'", "global", "move it with a global joint"}},
      {"axis_zero", hinge([](auto& d) { d.axis = {}; }), {"joint 4 'new'", "axis", "give a direction"}},
      {"axis_nan", hinge([](auto& d) { d.axis.x = kNan; }), {"joint 4 'new'", "axis", "give finite numbers"}},
      {"limits_swapped", hinge([](auto& d) { d.limit_lower = 1, d.limit_upper = -1; }),
       {"joint 4 'new'", "limit_lower", "limit_upper", "swap them"}},
      {"limit_nan", hinge([](auto& d) { d.limit_upper = kNan; }),
       {"joint 4 'new'", "limit_upper", "give a finite number"}},
      {"target_infinite", hinge([](auto& d) { d.target_pos = kInfinity; }),
       {"joint 4 'new'", "target_pos", "give a finite number"}},
      {"negative_armature", hinge([](auto& d) { d.armature = -1; }),
       {"joint 4 'new'", "armature must not be negative", "-1"}},
      {"negative_yield", hinge([](auto& d) { d.spring_yield = -1; }),
       {"joint 4 'new'", "spring_yield must not be negative", "-1"}},
      {"negative_stiffness", hinge([](auto& d) { d.stiffness = -1; }),
       {"joint 4 'new'", "stiffness must not be negative", "-1"}},
      {"spring_ref_nan", hinge([](auto& d) { d.spring_ref = kNan; }),
       {"joint 4 'new'", "spring_ref", "give a finite number"}},
      {"limit_margin_nan", hinge([](auto& d) { d.limit_margin = kNan; }),
       {"joint 4 'new'", "limit_margin", "give a finite number"}},
      {"efforts_swapped", hinge([](auto& d) { d.effort_lower = 2, d.effort_upper = 1; }),
       {"joint 4 'new'", "effort_lower", "effort_upper"}},
      {"limit_solref_nan", hinge([](auto& d) { d.limit_solref[1] = kNan; }),
       {"joint 4 'new'", "limit_solref[1]", "give finite numbers"}},
      {"limit_solimp_infinite", hinge([](auto& d) { d.limit_solimp[4] = kInfinity; }),
       {"joint 4 'new'", "limit_solimp[4]", "give finite numbers"}},
      {"axes_not_perpendicular", [=](auto& b) { b.add_joint_universal(3, 5, {}, {.axis = {1, 1, 0}}, named); },
       {"joint 4 'new'", "axes 0 and 1", "use perpendicular axes"}},
      {"too_many_axes", [=](auto& b) { b.add_joint_d6(3, 5, std::vector<JointDofConfig>(4), {}, named); },
       {"joint 4 'new'", "4 linear axes", "at most 3"}},
      {"distances_swapped", [=](auto& b) { b.add_joint_distance(3, 5, 2, 1, named); },
       {"joint 4 'new'", "min_distance", "max_distance", "swap them"}},
      {"parent_xform_not_unit",
       [=](auto& b) {
         b.add_joint_ball(3, 5, {}, {.parent_xform = {{}, {1, 1, 1, 1}}, .key = "new"});
       },
       {"joint 4 'new'", "parent_xform", "normalise it"}},
      {"joint_key_twice", [](auto& b) { b.add_joint_ball(3, 5, {}, {.key = "rail"}); },
       {"joint key 'rail'", "world 1", "choose another key"}},
      {"articulation_empty", [](auto& b) { b.add_articulation({}, "new"); },
       {"articulation 3 'new'", "no joints", "list the joints"}},
      {"articulation_unknown_joint", [](auto& b) { b.add_articulation({44}, "new"); },
       {"articulation 3 'new'", "joint 44 does not exist", "there are 4"}},
      {"articulation_foreign_joint", [](auto& b) { b.add_articulation({1}, "new"); },
       {"articulation 3 'new'", "joint 1 'elbow'", "world 0", "only joints of one world"}},
      {"articulation_takes_a_joint", [](auto& b) { b.add_articulation({2}, "new"); },
       {"articulation 3 'new'", "joint 2 'rail'", "articulation 1 'track'", "a joint has one articulation"}},
      {"articulation_order",
       [](auto& b) {
         b.add_articulation({5, 4}, "new");
       },
       {"articulation 3 'new'", "joint 4 follows joint 5", "listed in that order"},
       [](auto& b) { b.add_joint_fixed(5, b.add_link({.mass = 1})), b.add_joint_fixed(-1, 5); }},
      {"joint_q_of_an_unknown_joint", [](auto& b) { b.set_joint_q(44, std::vector<Real>{1}); },
       {"set_joint_q", "joint 44 does not exist", "there are 4"}},
      {"joint_q_of_another_size",
       [](auto& b) {
         b.set_joint_q(2, std::vector<Real>{1, 2});
       },
       {"set_joint_q", "joint 2 'rail'", "has 1 coordinates", "2 were given"}},
      {"joint_q_nan", [](auto& b) { b.set_joint_q(2, std::vector<Real>{kNan}); },
       {"set_joint_q", "joint 2 'rail'", "give a finite number"}},
      {"joint_q_not_unit",
       [](auto& b) {
         b.set_joint_q(3, std::vector<Real>{0, 0, 0, 1, 0, 0, 1});
       },
       {"set_joint_q", "joint 3", "normalise it"}},
  };
}

std::vector<Misuse> shape_cases() {
  const ShapeArgs named{.key = "new"};
  return {
      {"negative_radius", [=](auto& b) { b.add_shape_sphere(5, -1, named); },
       {"sphere shape 7 'new'", "radius must be positive", "-1"}},
      {"radius_nan", [=](auto& b) { b.add_shape_capsule(5, kNan, 1, named); },
       {"capsule shape 7 'new'", "radius must be"}},
      {"box_without_height", [=](auto& b) { b.add_shape_box(5, 1, 1, 0, named); },
       {"box shape 7 'new'", "hz must be positive", "0"}},
      {"cone_infinite", [=](auto& b) { b.add_shape_cone(5, 1, kInfinity, named); },
       {"cone shape 7 'new'", "half_height must be positive and finite"}},
      {"negative_plane", [=](auto& b) { b.add_shape_plane(-1, -1, 0, named); },
       {"plane shape 7 'new'", "width must be positive, or 0 for a plane without end"}},
      {"ground_height_nan", [=](auto& b) { b.add_ground_plane(kNan, named); },
       {"ground plane", "height", "give a finite number"}},
      {"shape_on_unknown_body", [=](auto& b) { b.add_shape_sphere(66, 1, named); },
       {"sphere shape 7 'new'", "body 66 does not exist", "use -1 for the world"}},
      {"shape_on_another_world", [=](auto& b) { b.add_shape_sphere(1, 1, named); },
       {"sphere shape 7 'new'", "body 1 'base'", "world 0", "between begin_world() and end_world()"}},
      {"shape_pose_nan", [](auto& b) { b.add_shape_sphere(5, 1, {.xform = {{0, kNan, 0}, {}}, .key = "new"}); },
       {"sphere shape 7 'new'", "xform", "give finite numbers"}},
      {"shape_quaternion_zero", [](auto& b) { b.add_shape_sphere(5, 1, {.xform = {{}, {0, 0, 0, 0}}, .key = "new"}); },
       {"sphere shape 7 'new'", "quaternion", "normalise it"}},
      {"negative_density", [](auto& b) { b.add_shape_sphere(5, 1, with([](auto& c) { c.density = -1; })); },
       {"sphere shape 7 'new'", "density must not be negative"}},
      {"friction_nan", [](auto& b) { b.add_shape_sphere(5, 1, with([](auto& c) { c.mu = kNan; })); },
       {"sphere shape 7 'new'", "mu", "give a finite number"}},
      {"restitution_above_one", [](auto& b) { b.add_shape_sphere(5, 1, with([](auto& c) { c.restitution = 2; })); },
       {"sphere shape 7 'new'", "restitution must be at most 1", "2"}},
      {"negative_margin", [](auto& b) { b.add_shape_sphere(5, 1, with([](auto& c) { c.contact_margin = -1; })); },
       {"sphere shape 7 'new'", "contact_margin must not be negative"}},
      {"negative_gap", [](auto& b) { b.add_shape_sphere(5, 1, with([](auto& c) { c.gap = -1; })); },
       {"sphere shape 7 'new'", "gap must not be negative"}},
      {"adhesion_nan", [](auto& b) { b.add_shape_sphere(5, 1, with([](auto& c) { c.adhesion = kNan; })); },
       {"sphere shape 7 'new'", "adhesion", "give a finite number"}},
      {"surface_velocity_nan",
       [](auto& b) { b.add_shape_sphere(5, 1, with([](auto& c) { c.surface_velocity.angular.y = kNan; })); },
       {"sphere shape 7 'new'", "surface_velocity", "give finite numbers"}},
      {"fluid_coef_nan",
       [](auto& b) { b.add_shape_sphere(5, 1, with([](auto& c) { c.fluid_coef[3] = kNan; })); },
       {"sphere shape 7 'new'", "fluid_coef[3]", "give finite numbers"}},
      {"plane_as_ellipsoid",
       [](auto& b) { b.add_shape_plane(5, 1, 1, with([](auto& c) { c.fluid_ellipsoid = true; })); },
       {"plane shape 7 'new'", "cannot push it as an ellipsoid", "set fluid_ellipsoid to false"}},
      {"unknown_condim", [](auto& b) { b.add_shape_sphere(5, 1, with([](auto& c) { c.condim = 2; })); },
       {"sphere shape 7 'new'", "condim must be 1, 3, 4 or 6, is 2"}},
      {"negative_solmix", [](auto& b) { b.add_shape_sphere(5, 1, with([](auto& c) { c.solmix = -1; })); },
       {"sphere shape 7 'new'", "solmix must not be negative"}},
      {"solref_nan", [](auto& b) { b.add_shape_sphere(5, 1, with([](auto& c) { c.solref[1] = kNan; })); },
       {"sphere shape 7 'new'", "solref[1]", "give finite numbers"}},
      {"solimp_nan", [](auto& b) { b.add_shape_sphere(5, 1, with([](auto& c) { c.solimp[3] = kNan; })); },
       {"sphere shape 7 'new'", "solimp[3]", "give finite numbers"}},
      {"mass_too_large",
       [](auto& b) { b.add_shape_sphere(5, 100, with([](auto& c) { c.density = std::numeric_limits<Real>::max(); })); },
       {"sphere shape 7 'new'", "mass is too large", "check its size and density"}},
      {"shape_key_twice", [](auto& b) { b.add_shape_sphere(5, 1, {.key = "bump"}); },
       {"shape key 'bump'", "world 1", "choose another key"}},
      {"mesh_index_out_of_range", [](auto&) { Mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {0, 1, 3}); },
       {"mesh triangle 0", "index 3", "from 0 to 2"}},
      {"mesh_index_negative", [](auto&) { Mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {0, 1, -1}); },
       {"mesh triangle 0", "index -1", "from 0 to 2"}},
      {"mesh_half_a_triangle", [](auto&) { Mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {0, 1}); },
       {"mesh has 2 indices", "three per triangle"}},
      {"mesh_vertex_nan", [](auto&) { Mesh({{0, 0, 0}, {kNan, 0, 0}, {0, 1, 0}}, {0, 1, 2}); },
       {"mesh vertex 1", "not finite"}},
      {"mesh_without_vertices", [](auto&) { Mesh({}, {}); }, {"mesh has no vertices", "give it"}},
      {"mesh_without_triangles",
       [=](auto& b) {
         b.add_shape_mesh(5, std::make_shared<const Mesh>(square_mesh()->vertices, std::vector<int>{}), {1, 1, 1},
                          named);
       },
       {"mesh shape 7 'new'", "no triangles", "convex_hull"}},
      {"mesh_open", [=](auto& b) { b.add_shape_mesh(5, square_mesh(), {1, 1, 1}, named); },
       {"mesh shape 7 'new'", "open", "mass"}},
      {"mesh_without_volume", [=](auto& b) { b.add_shape_mesh(5, two_sided_square_mesh(), {1, 1, 1}, named); },
       {"mesh shape 7 'new'", "no volume", "mass"}},
      {"mesh_scale_zero", [=](auto& b) { b.add_shape_mesh(5, box_mesh(), {1, 0, 1}, named); },
       {"mesh shape 7 'new'", "scale.y must be positive"}},
      {"mesh_missing", [=](auto& b) { b.add_shape_mesh(5, nullptr, {1, 1, 1}, named); },
       {"mesh shape 7 'new'", "no mesh", "give"}},
      {"hull_flat", [=](auto& b) { b.add_shape_convex_hull(5, square_mesh(), {1, 1, 1}, named); },
       {"convex_hull shape 7 'new'", "no volume"}},
      {"heightfield_size", [](auto&) { Heightfield({0, 0, 0}, 2, 2, 1, 1); },
       {"heightfield", "3 values", "nrow * ncol"}},
      {"heightfield_nan", [](auto&) { Heightfield({0, 0, 0, kNan}, 2, 2, 1, 1); },
       {"heightfield", "not finite", "row 1, column 1"}},
      {"heightfield_flat_extent", [](auto&) { Heightfield({0, 0, 0, 0}, 2, 2, 0, 1); },
       {"heightfield hx must be positive"}},
      {"heightfield_half_range", [](auto&) { Heightfield({0, 0, 0, 0}, 2, 2, 1, 1, 0); },
       {"heightfield", "only min_z", "give both"}},
      {"sdf_size", [](auto&) { SDF({0, 0, 0}, 2, 2, 2, {}, 1); }, {"sdf has 3 values", "nx * ny * nz"}},
      {"sdf_spacing", [](auto&) { SDF(std::vector<Real>(8), 2, 2, 2, {}, -1); }, {"sdf spacing must be positive"}},
      {"sdf_stretched", [=](auto& b) { b.add_shape_sdf(5, cube_sdf(), {1, 2, 1}, named); },
       {"sdf shape 7 'new'", "scale must be the same"}},
      {"site_of_a_mesh", [](auto& b) { b.add_site(5, {}, ShapeType::kMesh, {1, 1, 1}, "new"); },
       {"site mesh shape 7 'new'", "use a sphere"}},
      {"filter_unknown_shape", [](auto& b) { b.add_shape_collision_filter_pair(0, 70); },
       {"collision filter pair", "shape 70 does not exist", "there are 7"}},
      {"filter_one_shape", [](auto& b) { b.add_shape_collision_filter_pair(3, 3); },
       {"collision filter pair", "shape 3 twice", "name two shapes"}},
  };
}

std::vector<Misuse> particle_cases() {
  return {
      {"particle_mass", [](auto& b) { b.add_particle({}, {}, -1, 1, kParticleActive, "new"); },
       {"particle 6 'new'", "mass must not be negative"}},
      {"particle_position", [](auto& b) { b.add_particle({kNan, 0, 0}, {}, 1); },
       {"particle 6", "pos", "give finite numbers"}},
      {"particle_radius", [](auto& b) { b.add_particle({}, {}, 1, -1); },
       {"particle 6", "radius must not be negative"}},
      {"spring_unknown_particle", [](auto& b) { b.add_spring(1, 60); },
       {"spring 0", "particle 60 does not exist", "there are 6"}},
      {"spring_to_itself", [](auto& b) { b.add_spring(1, 1); }, {"spring 0", "particle 1", "name different particles"}},
      {"spring_between_worlds", [](auto& b) { b.add_spring(0, 1); },
       {"spring 0", "particle 0", "world 0", "name particles of one world"}},
      {"spring_stiffness", [](auto& b) { b.add_spring(1, 2, SpringConfig{.ke = -1}); },
       {"spring 0", "ke must not be negative"}},
      {"triangle_on_a_line", [](auto& b) { b.add_triangle(1, 2, 5); },
       {"triangle 0", "particles 1, 2, 5", "move them apart"}},
      {"edge_nan", [](auto& b) { b.add_edge(1, 4, 2, 3, {}, kInfinity); }, {"edge 0", "rest", "give a finite number"}},
      {"tetrahedron_inside_out", [](auto& b) { b.add_tetrahedron(1, 3, 2, 4); },
       {"tetrahedron 0", "inside out", "swap two"}},
      {"tetrahedron_flat", [](auto& b) { b.add_tetrahedron(1, 2, 3, 5); },
       {"tetrahedron 0", "in a plane", "move them apart"}},
      {"cloth_without_cells", [](auto& b) { b.add_cloth_grid({.dim_x = 0}); }, {"cloth grid", "at least one cell"}},
      {"cloth_cell_nan", [](auto& b) { b.add_cloth_grid({.cell_y = kNan}); },
       {"cloth grid", "cell size", "give a finite number"}},
      {"cloth_stiffness", [](auto& b) { b.add_cloth_grid({.tri = TriangleConfig{.ke = -1}}); },
       {"triangle 0", "must not be negative"}},
      {"cloth_spring", [](auto& b) { b.add_cloth_grid({.add_springs = true, .spring = SpringConfig{.kd = -1}}); },
       {"spring 0", "kd must not be negative"}},
      {"cloth_too_large", [](auto& b) { b.add_cloth_grid({.dim_x = kMaxInt, .dim_y = kMaxInt}); },
       {"cloth grid", "2^31 - 1", "fewer cells"}},
      {"soft_density", [](auto& b) { b.add_soft_grid({.density = 0}); }, {"soft grid", "density must be positive"}},
      {"soft_stiffness", [](auto& b) { b.add_soft_grid({.tet = {.k_mu = kNan}}); },
       {"tetrahedron 0", "give a finite number"}},
      {"soft_too_large", [](auto& b) { b.add_soft_grid({.dim_x = 1 << 22, .dim_y = 1 << 22, .dim_z = 1 << 22}); },
       {"soft grid", "2^31 - 1", "fewer cells"}},
  };
}

// clang-format on

Model finished_model() {
  ModelBuilder b = prepared_builder();
  b.end_world();
  return b.finalize();
}

std::vector<Misuse> model_cases() {
  return {
      {"margin_negative",
       [](auto& b) {
         ModelBuilder changed = b;
         changed.end_world();
         changed.rigid_contact_margin = -1;
         changed.finalize();
       },
       {"rigid_contact_margin must not be negative"}},
      {"gap_above_the_builders_margin",
       [](auto& b) {
         ModelBuilder changed = b;
         changed.add_shape_sphere(5, 1, with([](auto& cfg) { cfg.gap = Real(0.5); }));
         changed.end_world();
         changed.finalize();
       },
       {"shape 7 'new'", "gap 0.5", "contact_margin 0.005", "give a contact_margin"}},
      {"gravity_nan",
       [](auto& b) {
         ModelBuilder changed = b;
         changed.end_world();
         changed.gravity.z = kNan;
         changed.finalize();
       },
       {"gravity", "give finite numbers"}},
      {"kinematic_child",
       [](auto& b) {
         ModelBuilder changed = b;
         changed.add_joint_fixed(3, changed.add_link({.key = "new", .is_kinematic = true}));
         changed.end_world();
         changed.finalize();
       },
       {"body 6 'new'", "is_kinematic", "body 3 'cart'", "make that one kinematic"}},
      {"unknown_device", [](auto&) { Device::parse("gpu"); }, {"\"gpu\"", "use \"cpu\""}},
      {"missing_device",
       [](auto& b) {
         b.finalize({DeviceType::kCuda, 1000});
       },
       {"cuda:1000", "does not exist"},
       end_world},
      {"unknown_key", [](auto&) { finished_model().find_body("caart"); }, {"body", "'caart'", "near are 'cart'"}},
      {"unknown_world_key", [](auto&) { finished_model().find_world("middle"); }, {"world", "'middle'"}},
      {"key_of_another_world", [](auto&) { finished_model().find_body("base", 1); }, {"body", "'base'", "world 1"}},
      {"world_out_of_range", [](auto&) { finished_model().world(2); }, {"world 2", "there are 2"}},
      {"gravity_of_unknown_world", [](auto&) { finished_model().set_gravity({}, 2); }, {"world 2", "there are 2"}},
      {"key_index_out_of_range", [](auto& b) { b.key(Entity::kBody, 60); }, {"body 60 does not exist", "there are 6"}},
  };
}

class BadInput : public testing::TestWithParam<Misuse> {};

// Proves it for every case.
TEST_P(BadInput, ThrowsAndLeavesTheBuilderAsItWas) { expect_error(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Worlds, BadInput, testing::ValuesIn(world_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Bodies, BadInput, testing::ValuesIn(body_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Joints, BadInput, testing::ValuesIn(joint_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Shapes, BadInput, testing::ValuesIn(shape_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Particles, BadInput, testing::ValuesIn(particle_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Models, BadInput, testing::ValuesIn(model_cases()), case_name);

}  // namespace
}  // namespace carom
