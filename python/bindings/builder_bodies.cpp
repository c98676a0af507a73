// ModelBuilder: bodies, joints, articulations, equality constraints.
#include <nanobind/stl/vector.h>

#include "builder.h"
#include "config_fields.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

using Frame = MaybeGiven<Transform>;

JointFrames joint_frames(const Frame& parent_xform, const Frame& child_xform, const Key& key, bool enabled) {
  return {read(parent_xform, "parent_xform"), read(child_xform, "child_xform"), key.text, enabled};
}

void def_bodies(BuilderClass& cls) {
  using Add = int (ModelBuilder::*)(const BodyArgs&);
  const auto def = [&](const char* name, Add add, const char* doc) {
    const BodyArgs defaults;
    cls.def(
        name,
        [add](ModelBuilder& self, const MaybeGiven<Transform>& xform, const MaybeGiven<Vec3>& com,
              const MaybeGiven<Mat33>& inertia, Real mass, const Key& key, bool lock_inertia, bool is_kinematic) {
          return (self.*add)({read(xform, "xform"), read(com, "com"), read(inertia, "inertia"), mass, key.text,
                              lock_inertia, is_kinematic});
        },
        nb::arg("xform") = nb::none(), nb::arg("com") = nb::none(), nb::arg("inertia") = nb::none(),
        nb::arg("mass") = defaults.mass, nb::arg("key") = nb::none(), nb::arg("lock_inertia") = defaults.lock_inertia,
        nb::arg("is_kinematic") = defaults.is_kinematic, doc);
  };
  def("add_body", &ModelBuilder::add_body,
      "A body with a free joint and an articulation of its own. xform: initial pose X_WB. com: centre of mass in the "
      "body frame [m]. inertia: 3 x 3 about the centre of mass, body axes [kg m^2]. mass [kg]; shapes with a density "
      "add to it unless lock_inertia. is_kinematic: moved by the user alone.");
  def("add_link", &ModelBuilder::add_link, "A body without a joint; arguments as for add_body().");
}

using AddJoint = int (ModelBuilder::*)(int, int, const JointDofConfig&, const JointFrames&);

// Every number of the degree of freedom is an argument; those that are None come from default_joint_cfg.
template <class... Fields>
void def_axis_joint(BuilderClass& cls, const char* name, AddJoint add, const char* doc, const Fields&... fields) {
  cls.def(
      name,
      [add, fields...](ModelBuilder& self, int parent, int child, const Frame& parent_xform, const Frame& child_xform,
                       const MaybeGiven<Vec3>& axis, const std::optional<typename Fields::Argument>&... numbers,
                       const Key& key, bool enabled) {
        JointDofConfig dof = self.default_joint_cfg;
        dof.axis = read(axis, "axis", dof.axis);
        ((numbers ? fields.set(dof, *numbers) : void()), ...);
        return (self.*add)(parent, child, dof, joint_frames(parent_xform, child_xform, key, enabled));
      },
      nb::arg("parent"), nb::arg("child"), nb::arg("parent_xform") = nb::none(), nb::arg("child_xform") = nb::none(),
      nb::arg("axis") = nb::none(), (nb::arg(fields.name) = nb::none())..., nb::arg("key") = nb::none(),
      nb::arg("enabled") = JointFrames{}.enabled, doc);
}

// As above without an axis: the three axes of a ball joint share the numbers.
template <class... Fields>
void def_ball_joint(BuilderClass& cls, const Fields&... fields) {
  cls.def(
      "add_joint_ball",
      [fields...](ModelBuilder& self, int parent, int child, const Frame& parent_xform, const Frame& child_xform,
                  const std::optional<typename Fields::Argument>&... numbers, const Key& key, bool enabled) {
        JointDofConfig dof = self.default_joint_cfg;
        ((numbers ? fields.set(dof, *numbers) : void()), ...);
        return self.add_joint_ball(parent, child, dof, joint_frames(parent_xform, child_xform, key, enabled));
      },
      nb::arg("parent"), nb::arg("child"), nb::arg("parent_xform") = nb::none(), nb::arg("child_xform") = nb::none(),
      (nb::arg(fields.name) = nb::none())..., nb::arg("key") = nb::none(), nb::arg("enabled") = JointFrames{}.enabled,
      "A joint that leaves all rotations free. The numbers hold for each of its three axes.");
}

void def_axis_joints(BuilderClass& cls) {
  std::apply(
      [&](const auto&... fields) {
        def_axis_joint(cls, "add_joint_revolute", &ModelBuilder::add_joint_revolute,
                       "A hinge about `axis` of the joint frame; body -1 is the world. Numbers not given come from "
                       "default_joint_cfg; their units are those of JointDofConfig.",
                       fields...);
        def_axis_joint(cls, "add_joint_prismatic", &ModelBuilder::add_joint_prismatic,
                       "A slider along `axis` of the joint frame; arguments as for add_joint_revolute().", fields...);
        def_ball_joint(cls, fields...);
      },
      kJointDofFields);
}

void def_other_joints(BuilderClass& cls) {
  const bool enabled = JointFrames{}.enabled;
  cls.def(
      "add_joint_free",
      [](ModelBuilder& self, int child, const Frame& parent_xform, const Frame& child_xform, int parent, const Key& key,
         bool enabled) {
        return self.add_joint_free(child, parent, joint_frames(parent_xform, child_xform, key, enabled));
      },
      nb::arg("child"), nb::arg("parent_xform") = nb::none(), nb::arg("child_xform") = nb::none(),
      nb::arg("parent") = -1, nb::arg("key") = nb::none(), nb::arg("enabled") = enabled,
      "Six degrees of freedom: seven coordinates (position [m], quaternion xyzw), six velocities.");
  cls.def(
      "add_joint_fixed",
      [](ModelBuilder& self, int parent, int child, const Frame& parent_xform, const Frame& child_xform, const Key& key,
         bool enabled) {
        return self.add_joint_fixed(parent, child, joint_frames(parent_xform, child_xform, key, enabled));
      },
      nb::arg("parent"), nb::arg("child"), nb::arg("parent_xform") = nb::none(), nb::arg("child_xform") = nb::none(),
      nb::arg("key") = nb::none(), nb::arg("enabled") = enabled, "No freedom at all.");
  cls.def(
      "add_joint_distance",
      [](ModelBuilder& self, int parent, int child, const Frame& parent_xform, const Frame& child_xform,
         Real min_distance, Real max_distance, const Key& key, bool enabled) {
        return self.add_joint_distance(parent, child, min_distance, max_distance,
                                       joint_frames(parent_xform, child_xform, key, enabled));
      },
      nb::arg("parent"), nb::arg("child"), nb::arg("parent_xform") = nb::none(), nb::arg("child_xform") = nb::none(),
      nb::arg("min_distance") = Real(-1), nb::arg("max_distance") = Real(1), nb::arg("key") = nb::none(),
      nb::arg("enabled") = enabled, "Keeps two points within a range of distances [m]; a negative one = no limit.");
  cls.def(
      "add_joint_d6",
      [](ModelBuilder& self, int parent, int child, const std::vector<JointDofConfig>& linear_axes,
         const std::vector<JointDofConfig>& angular_axes, const Frame& parent_xform, const Frame& child_xform,
         const Key& key, bool enabled) {
        return self.add_joint_d6(parent, child, linear_axes, angular_axes,
                                 joint_frames(parent_xform, child_xform, key, enabled));
      },
      nb::arg("parent"), nb::arg("child"), nb::arg("linear_axes") = nb::make_tuple(),
      nb::arg("angular_axes") = nb::make_tuple(), nb::arg("parent_xform") = nb::none(),
      nb::arg("child_xform") = nb::none(), nb::arg("key") = nb::none(), nb::arg("enabled") = enabled,
      "Up to three linear and three angular degrees of freedom, each with its axis.");
  cls.def(
      "add_joint_universal",
      [](ModelBuilder& self, int parent, int child, const JointDofConfig& dof0, const JointDofConfig& dof1,
         const Frame& parent_xform, const Frame& child_xform, const Key& key, bool enabled) {
        return self.add_joint_universal(parent, child, dof0, dof1,
                                        joint_frames(parent_xform, child_xform, key, enabled));
      },
      nb::arg("parent"), nb::arg("child"), nb::arg("dof0"), nb::arg("dof1"), nb::arg("parent_xform") = nb::none(),
      nb::arg("child_xform") = nb::none(), nb::arg("key") = nb::none(), nb::arg("enabled") = enabled,
      "Two turns about two axes, the second carried by the first.");
  cls.def(
      "add_articulation",
      [](ModelBuilder& self, const std::vector<int>& joints, const Key& key) {
        return self.add_articulation(joints, key.text);
      },
      nb::arg("joints"), nb::arg("key") = nb::none(), "Joints that belong together, in the order they were added.");
  cls.def(
      "set_joint_q",
      [](ModelBuilder& self, int joint, const Given<std::vector<Real>>& q) {
        self.set_joint_q(joint, read_numbers(q.value, "q").values);
      },
      nb::arg("joint"), nb::arg("q"),
      "Initial coordinates of a joint [m], [rad] or quaternion xyzw. Until they are set they are zero and the "
      "identity, and of a free joint those of its body's xform, which stays as it was given.");
}

void def_equality_constraints(BuilderClass& cls) {
  cls.def(
      "add_equality_constraint_connect",
      [](ModelBuilder& self, int body1, int body2, const MaybeGiven<Vec3>& anchor, const Key& key, bool enabled) {
        return self.add_equality_constraint_connect(body1, body2, read(anchor, "anchor"), key.text, enabled);
      },
      nb::arg("body1"), nb::arg("body2"), nb::arg("anchor") = nb::none(), nb::arg("key") = nb::none(),
      nb::arg("enabled") = true, "Joins two bodies at a point, `anchor` in body1 [m]; body -1 is the world.");
  cls.def(
      "add_equality_constraint_weld",
      [](ModelBuilder& self, int body1, int body2, const MaybeGiven<Vec3>& anchor, Real torquescale,
         const MaybeGiven<Transform>& relpose, const Key& key, bool enabled) {
        return self.add_equality_constraint_weld(body1, body2, read(anchor, "anchor"), torquescale,
                                                 read(relpose, "relpose"), key.text, enabled);
      },
      nb::arg("body1"), nb::arg("body2"), nb::arg("anchor") = nb::none(), nb::arg("torquescale") = Real(1),
      nb::arg("relpose") = nb::none(), nb::arg("key") = nb::none(), nb::arg("enabled") = true,
      "Holds body2 at the pose relpose in body1. anchor in body2 [m]; torquescale weighs rotation against "
      "translation.");
  const RealN<5> polycoef{0, 1, 0, 0, 0};
  cls.def(
      "add_equality_constraint_joint",
      [](ModelBuilder& self, int joint1, int joint2, const Given<RealN<5>>& polycoef, const Key& key, bool enabled) {
        return self.add_equality_constraint_joint(joint1, joint2, read(polycoef, "polycoef"), key.text, enabled);
      },
      nb::arg("joint1"), nb::arg("joint2"),
      nb::arg("polycoef") = nb::make_tuple(polycoef[0], polycoef[1], polycoef[2], polycoef[3], polycoef[4]),
      nb::arg("key") = nb::none(), nb::arg("enabled") = true, "q1 = c0 + c1 q2 + ... + c4 q2^4; joint2 -1: q1 = c0.");
}

}  // namespace

void bind_builder_bodies(BuilderClass& cls) {
  def_bodies(cls);
  def_axis_joints(cls);
  def_other_joints(cls);
  def_equality_constraints(cls);
}

}  // namespace carom::inline CAROM_PRECISION::python
