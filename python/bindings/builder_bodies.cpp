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
              const MaybeGiven<Mat33>& inertia, Real mass, const Key& key, bool lock_inertia, bool is_kinematic,
              Real gravcomp, const MaybeGiven<RealN<4>>& fluid_axes, const std::string& sleep) {
          return (self.*add)({read(xform, "xform"), read(com, "com"), read(inertia, "inertia"), mass, key.text,
                              lock_inertia, is_kinematic, gravcomp, read(fluid_axes, "fluid_axes"),
                              parse_sleep_policy(sleep)});
        },
        nb::arg("xform") = nb::none(), nb::arg("com") = nb::none(), nb::arg("inertia") = nb::none(),
        nb::arg("mass") = defaults.mass, nb::arg("key") = nb::none(), nb::arg("lock_inertia") = defaults.lock_inertia,
        nb::arg("is_kinematic") = defaults.is_kinematic, nb::arg("gravcomp") = defaults.gravcomp,
        nb::arg("fluid_axes") = nb::none(), nb::arg("sleep") = sleep_policy_name(defaults.sleep), doc);
  };
  def("add_body", &ModelBuilder::add_body,
      "A body with a free joint and an articulation of its own. xform: initial pose X_WB. com: centre of mass in the "
      "body frame [m]. inertia: 3 x 3 about the centre of mass, body axes [kg m^2]. mass [kg]; shapes with a density "
      "add to it unless lock_inertia. is_kinematic: moved by the user alone. gravcomp: the share of its weight that "
      "is carried for it. fluid_axes: of its box in a fluid (docs/mujoco_solver.md), a quaternion xyzw; None: the "
      "principal axes of its inertia. sleep: whether the tree that it is the root of sleeps, \"auto\", \"never\", "
      "\"allowed\" or \"init\".");
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
      "A joint that leaves all rotations free. The numbers hold for each of its three axes; limit_upper is the largest "
      "angle of rotation.");
}

template <class... Fields>
void def_free_joint(BuilderClass& cls, const Fields&... fields) {
  cls.def(
      "add_joint_free",
      [fields...](ModelBuilder& self, int child, const Frame& parent_xform, const Frame& child_xform, int parent,
                  const Key& key, bool enabled, const std::optional<typename Fields::Argument>&... numbers) {
        JointDofConfig dof;
        ((numbers ? fields.set(dof, *numbers) : void()), ...);
        return self.add_joint_free(child, parent, joint_frames(parent_xform, child_xform, key, enabled), dof);
      },
      nb::arg("child"), nb::arg("parent_xform") = nb::none(), nb::arg("child_xform") = nb::none(),
      nb::arg("parent") = -1, nb::arg("key") = nb::none(), nb::arg("enabled") = JointFrames{}.enabled,
      (nb::arg(fields.name) = nb::none())...,
      "Six degrees of freedom: seven coordinates (position [m], quaternion xyzw), six velocities. The numbers, which "
      "hold for each of them, are those of a plain JointDofConfig unless they are given.");
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
        def_free_joint(cls, fields...);
      },
      kJointDofFields);
}

void def_other_joints(BuilderClass& cls) {
  const bool enabled = JointFrames{}.enabled;
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
  cls.def(
      "set_joint_qd",
      [](ModelBuilder& self, int joint, const Given<std::vector<Real>>& qd) {
        self.set_joint_qd(joint, read_numbers(qd.value, "qd").values);
      },
      nb::arg("joint"), nb::arg("qd"),
      "Initial velocities of a joint [m/s] or [rad/s], as in State.joint_qd; zero until they are set.");
  cls.def(
      "set_joint_spring_ref",
      [](ModelBuilder& self, int joint, const Given<std::vector<Real>>& spring_ref) {
        self.set_joint_spring_ref(joint, read_numbers(spring_ref.value, "spring_ref").values);
      },
      nb::arg("joint"), nb::arg("spring_ref"),
      "Where the springs of a joint are relaxed, one number for each degree of freedom [m] or [rad]; of free and ball "
      "joints the orientation as a rotation vector.");
}

using Solref = MaybeGiven<RealN<2>>;
using Solimp = MaybeGiven<RealN<5>>;

EqualityArgs equality_args(const Key& key, bool enabled, const Solref& solref, const Solimp& solimp) {
  return {key.text, enabled, read(solref, "solref", kDefaultSolref), read(solimp, "solimp", kDefaultSolimp)};
}

// The arguments that all of them have.
template <class Function, class... Arguments>
void def_equality(BuilderClass& cls, const char* name, Function add, const std::string& doc,
                  const Arguments&... arguments) {
  const std::string text = doc + " solref, solimp: how it pulls back; None: MuJoCo's defaults.";
  cls.def(name, add, arguments..., nb::arg("key") = nb::none(), nb::arg("enabled") = true,
          nb::arg("solref") = nb::none(), nb::arg("solimp") = nb::none(), text.c_str());
}

void def_equality_constraints(BuilderClass& cls) {
  def_equality(
      cls, "add_equality_constraint_connect",
      [](ModelBuilder& self, int body1, int body2, const MaybeGiven<Vec3>& anchor, const MaybeGiven<Vec3>& anchor2,
         const Key& key, bool enabled, const Solref& solref, const Solimp& solimp) {
        const Vec3 second = read(anchor2, "anchor2");
        return self.add_equality_constraint_connect(body1, body2, read(anchor, "anchor"),
                                                    equality_args(key, enabled, solref, solimp),
                                                    anchor2 ? std::optional(second) : std::nullopt);
      },
      "Joins two bodies at a point, `anchor` in body1 and `anchor2` in body2 [m]; None: where the anchor is at the "
      "poses "
      "that the bodies have now. Body -1 is the world.",
      nb::arg("body1"), nb::arg("body2"), nb::arg("anchor") = nb::none(), nb::arg("anchor2") = nb::none());
  def_equality(
      cls, "add_equality_constraint_weld",
      [](ModelBuilder& self, int body1, int body2, const MaybeGiven<Vec3>& anchor, Real torquescale,
         const MaybeGiven<Transform>& relpose, const MaybeGiven<RealN<4>>& axes, const Key& key, bool enabled,
         const Solref& solref, const Solimp& solimp) {
        const RealN<4> q = read(axes, "axes", RealN<4>{0, 0, 0, 1});
        return self.add_equality_constraint_weld(body1, body2, read(anchor, "anchor"), torquescale,
                                                 read(relpose, "relpose"), equality_args(key, enabled, solref, solimp),
                                                 {q[0], q[1], q[2], q[3]});
      },
      "Holds body2 at the pose relpose in body1. anchor in body2 [m]; torquescale weighs rotation, measured along "
      "`axes` (a quaternion xyzw in body2; None: those of the body), against translation.",
      nb::arg("body1"), nb::arg("body2"), nb::arg("anchor") = nb::none(), nb::arg("torquescale") = Real(1),
      nb::arg("relpose") = nb::none(), nb::arg("axes") = nb::none());
  const auto polynomial = nb::arg("polycoef") = nb::make_tuple(Real(0), Real(1), Real(0), Real(0), Real(0));
  def_equality(
      cls, "add_equality_constraint_joint",
      [](ModelBuilder& self, int joint1, int joint2, const Given<RealN<5>>& polycoef, int axis1, int axis2,
         const Key& key, bool enabled, const Solref& solref, const Solimp& solimp) {
        return self.add_equality_constraint_joint(joint1, joint2, read(polycoef, "polycoef"),
                                                  equality_args(key, enabled, solref, solimp), axis1, axis2);
      },
      "q1 = c0 + c1 q2 + ... + c4 q2^4; joint2 -1: q1 = c0. axis1, axis2: degrees of freedom inside the joints.",
      nb::arg("joint1"), nb::arg("joint2"), polynomial, nb::arg("axis1") = 0, nb::arg("axis2") = 0);
  def_equality(
      cls, "add_equality_constraint_tendon",
      [](ModelBuilder& self, int tendon1, int tendon2, const Given<RealN<5>>& polycoef, const Key& key, bool enabled,
         const Solref& solref, const Solimp& solimp) {
        return self.add_equality_constraint_tendon(tendon1, tendon2, read(polycoef, "polycoef"),
                                                   equality_args(key, enabled, solref, solimp));
      },
      "As add_equality_constraint_joint(), of the lengths of two tendons.", nb::arg("tendon1"), nb::arg("tendon2"),
      polynomial);
}

}  // namespace

void bind_builder_bodies(BuilderClass& cls) {
  def_bodies(cls);
  def_axis_joints(cls);
  def_other_joints(cls);
  def_equality_constraints(cls);
}

}  // namespace carom::inline CAROM_PRECISION::python
