// Joints: those of carom in the frames of MuJoCo, at the initial coordinates q0.
//
// A joint X_p X_J(q) X_c^-1 with slides a_i and hinges h_k is B T_1 ... T_n of joint_runs.cpp: B is its pose at q0, and
// with Q the product of Rot(h_k, q0_k), and D_k that of the hinges behind k, in the axes of the child
//
//     slides: R_c Q^-1 a_i          hinges: R_c D_k^-1 h_k, through the origin of X_c.
//
// Joints of massless links come first in the list of their body, moved by Y = B_2 ... B_n of those behind them: Y^-1.
#include "io/mjcf/write.h"

namespace carom::inline CAROM_PRECISION {

namespace {

bool is_no_turn(Quatd q) { return q.x == 0 && q.y == 0 && q.z == 0; }

JointType type_of(const MjcfWriting& w, int joint) { return static_cast<JointType>(w.m.joint_type[joint]); }
bool turns_at_once(JointType type) { return type == JointType::kBall || type == JointType::kFree; }

// Hinges of a joint at q0, the product of those from `first` on.
Quatd turned_by_hinges(const MjcfWriting& w, int joint, int first) {
  const int dofs = w.m.joint_qd_start[joint], count = w.m.joint_qd_start[joint + 1] - dofs;
  Quatd q{};
  for (int k = first; k < count; ++k) {
    const double angle = double(w.m.joint_q[w.m.joint_q_start[joint] + k]);
    if (angle != 0) q = q * quat_from_axis_angle(to_double(w.m.joint_axis[dofs + k]), angle);
  }
  return q;
}

Quatd initial_turn(const MjcfWriting& w, int joint, int first) {
  const int at = w.m.joint_q_start[joint] + first;
  return {double(w.m.joint_q[at]), double(w.m.joint_q[at + 1]), double(w.m.joint_q[at + 2]),
          double(w.m.joint_q[at + 3])};
}

// X_J at q0. In MJCF a ball counts from there.
Transformd initial_motion(const MjcfWriting& w, int joint) {
  const JointType type = type_of(w, joint);
  const int q = w.m.joint_q_start[joint], dofs = w.m.joint_qd_start[joint];
  Transformd X{};
  if (type == JointType::kBall) {
    X.q = initial_turn(w, joint, 0);
    return X;
  }
  if (type == JointType::kFree) {
    for (int k = 0; k < 3; ++k) X.p[k] = double(w.m.joint_q[q + k]);
    X.q = initial_turn(w, joint, 3);
    return X;
  }
  const int slides = w.m.joint_dof_dim[joint][0];
  for (int i = 0; i < slides; ++i) X.p = X.p + to_double(w.m.joint_axis[dofs + i]) * double(w.m.joint_q[q + i]);
  X.q = turned_by_hinges(w, joint, slides);
  return X;
}

Transformd pose_of_joint(const MjcfWriting& w, int joint) {
  return to_double(w.m.joint_X_p[joint]) * initial_motion(w, joint) * inverse(to_double(w.m.joint_X_c[joint]));
}

// Whether an actuator asks how far the ball that it drives has turned.
bool asks_for_turn(const Model& m, int actuator) {
  return static_cast<ActuatorLaw>(m.actuator_law[actuator]) >= ActuatorLaw::kMuscle || m.actuator_in_parent[actuator] ||
         m.actuator_gain_slope[actuator][0] != 0 || m.actuator_bias[actuator][1] != 0;
}

// What is said by the angle from no rotation: MJCF has it from where the ball begins.
void check_turned_ball(const MjcfWriting& w, int joint, const std::string& who) {
  if (is_no_turn(initial_turn(w, joint, 0))) return;
  const int dof = w.m.joint_qd_start[joint];
  if (is_limit(w.m.joint_limit_lower[dof], w.m.joint_limit_upper[dof]))
    fail(who, " is a ball that is turned at first and has limits, which MJCF counts from there");
  for (const int i : w.actuators)
    if (static_cast<ActuatorTarget>(w.m.actuator_target[i]) == ActuatorTarget::kJoint &&
        w.m.actuator_joint[i] == joint && asks_for_turn(w.m, i))
      fail(who, " is a ball that is turned at first, and ", called(w, Entity::kActuator, i),
           " acts by its turn, which MJCF counts from there");
}

void check_joint(const MjcfWriting& w, int joint) {
  const Model& m = w.m;
  const std::string who = "to_mjcf: " + called(w, Entity::kJoint, joint);
  const JointType type = type_of(w, joint);
  if (!m.joint_enabled[joint]) fail(who, " is disabled, which MJCF cannot say");
  if (type == JointType::kDistance) fail(who, " is a distance joint, which MJCF has not");
  for (int dof = m.joint_qd_start[joint]; dof < m.joint_qd_start[joint + 1]; ++dof)
    if (m.joint_target_ke[dof] != 0 || m.joint_target_kd[dof] != 0)
      fail(who, " has a drive (target_ke, target_kd); MJCF has actuators: add_actuator()");
  if (!turns_at_once(type)) return;
  const Transformd X_p = to_double(m.joint_X_p[joint]), X_c = to_double(m.joint_X_c[joint]);
  const bool placed = !(X_p.p == Vec3d{}) || !is_no_turn(X_p.q) || !(X_c.p == Vec3d{});
  if (type == JointType::kFree && (m.joint_parent[joint] >= 0 || placed || !is_no_turn(X_c.q)))
    fail(who, " is free and has a parent or frames of its own, which MJCF cannot say");
  if (type == JointType::kBall && !is_no_turn(X_c.q))
    fail(who, " is a ball whose child frame is turned: MJCF would count its coordinates in other axes");
  if (type == JointType::kBall) check_turned_ball(w, joint, who);
}

template <class T>
std::array<T, 3> with_polynomial(T linear, std::array<T, 2> rest) {
  return {linear, rest[0], rest[1]};
}

void set_limit(const MjcfWriting& w, int dof, bool ball, XmlElement& element) {
  const Model& m = w.m;
  if (!is_limit(m.joint_limit_lower[dof], m.joint_limit_upper[dof])) return;
  element.set("limited", "true");
  element.set("range", RealN<2>{ball ? Real(0) : m.joint_limit_lower[dof], m.joint_limit_upper[dof]});
  element.set_unless("margin", m.joint_limit_margin[dof], Real(0));
  element.set_unless("solreflimit", m.joint_limit_solref[dof], kDefaultSolref);
  element.set_unless("solimplimit", m.joint_limit_solimp[dof], kDefaultSolimp);
}

// What MuJoCo's joints of all types have.
void set_dof_numbers(const MjcfWriting& w, int dof, XmlElement& element) {
  const Model& m = w.m;
  element.set_unless("damping", with_polynomial(m.joint_damping[dof], m.joint_damping_poly[dof]), RealN<3>{});
  element.set_unless("stiffness", with_polynomial(m.joint_stiffness[dof], m.joint_stiffness_poly[dof]), RealN<3>{});
  element.set_unless("armature", m.joint_armature[dof], Real(0));
  element.set_unless("frictionloss", m.joint_friction[dof], Real(0));
  element.set_unless("solreffriction", m.joint_friction_solref[dof], kDefaultSolref);
  element.set_unless("solimpfriction", m.joint_friction_solimp[dof], kDefaultSolimp);
  element.set_unless("springyield", m.joint_spring_yield[dof], Real(0));
  if (m.joint_gravcomp_by_motor[dof]) element.set("actuatorgravcomp", "true");
}

void set_efforts(const MjcfWriting& w, int dof, const std::string& who, XmlElement& element) {
  const Real lower = w.m.joint_effort_lower[dof], upper = w.m.joint_effort_upper[dof];
  if (!is_limit(lower, upper)) return;
  if (lower == 0 && upper == 0 && w.actuators.empty()) return;  // nobody carries: so it is read back
  if (!(lower < upper)) fail(who, " has no room between its efforts, which MJCF cannot say");
  element.set("actuatorfrclimited", "true");
  element.set("actuatorfrcrange", RealN<2>{lower, upper});
}

void check_spring(const MjcfWriting& w, int joint, const std::string& who) {
  const Model& m = w.m;
  const int first = m.joint_qd_start[joint], q = m.joint_q_start[joint];
  const bool sprung = m.joint_stiffness[first] != 0 || m.joint_stiffness_poly[first] != RealN<2>{};
  if (!sprung) return;
  const bool free = type_of(w, joint) == JointType::kFree;
  const Vec3d turn = rotation_vector(initial_turn(w, joint, free ? 3 : 0));
  constexpr double kSame = 1e-6;
  for (int k = 0; k < (free ? 6 : 3); ++k) {
    const bool linear = free && k < 3;
    const double at_rest = double(m.joint_spring_ref[first + k]);
    const double begins = linear ? double(m.joint_q[q + k]) : turn[free ? k - 3 : k];
    if (abs(at_rest - begins) > kSame) fail(who, " has a spring that rests elsewhere than it begins");
  }
}

void write_turning_joint(const MjcfWriting& w, int joint, const Transformd& Y, XmlElement& into) {
  const std::string who = "to_mjcf: " + called(w, Entity::kJoint, joint);
  const bool free = type_of(w, joint) == JointType::kFree;
  const int dof = w.m.joint_qd_start[joint];
  check_spring(w, joint, who);
  XmlElement& element = into.add("joint");
  const std::string& name = w.dof_name[static_cast<std::size_t>(dof)];
  if (!name.empty()) element.set("name", name);
  element.set("type", free ? "free" : "ball");
  if (!free) {
    element.set_unless("pos", transform_point(inverse(Y), to_double(w.m.joint_X_c[joint].p)), Vec3d{});
    if (!is_no_turn(Y.q)) fail(who, " is a ball that turned joints follow, which MJCF cannot say");
    set_limit(w, dof, true, element);
  }
  set_dof_numbers(w, dof, element);
}

void write_axis(const MjcfWriting& w, int joint, int axis, const Transformd& Y, XmlElement& into) {
  const Model& m = w.m;
  const int dof = m.joint_qd_start[joint] + axis, slides = m.joint_dof_dim[joint][0];
  const bool slide = axis < slides;
  const Transformd X_c = to_double(m.joint_X_c[joint]);
  const Quatd behind = turned_by_hinges(w, joint, slide ? slides : axis + 1);
  const Vec3d in_child = rotate(X_c.q, rotate_inverse(behind, to_double(m.joint_axis[dof])));
  XmlElement& element = into.add("joint");
  const std::string& name = w.dof_name[static_cast<std::size_t>(dof)];
  if (!name.empty()) element.set("name", name);
  element.set("type", slide ? "slide" : "hinge");
  if (!slide) element.set_unless("pos", transform_point(inverse(Y), X_c.p), Vec3d{});
  element.set("axis", rotate_inverse(Y.q, in_child));
  element.set_unless("ref", m.joint_q[m.joint_q_start[joint] + axis], Real(0));
  element.set_unless("springref", m.joint_spring_ref[dof], Real(0));
  set_limit(w, dof, false, element);
  set_dof_numbers(w, dof, element);
  set_efforts(w, dof, "to_mjcf: " + called(w, Entity::kJoint, joint), element);
}

}  // namespace

Transformd written_pose(const MjcfWriting& w, int body) {
  const std::vector<int>& chain = w.chain[static_cast<std::size_t>(body)];
  if (chain.empty()) return to_double(w.m.body_q[body]);  // no joint moves it: it stands where it is
  Transformd X{};
  for (const int joint : chain) X = X * pose_of_joint(w, joint);
  return X;
}

void write_joints(MjcfWriting& w, int body, XmlElement& into) {
  const std::vector<int>& chain = w.chain[static_cast<std::size_t>(body)];
  const bool mocap = (w.m.body_flags[body] & kBodyKinematic) != 0;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const int joint = chain[i];
    check_joint(w, joint);
    if (mocap) continue;
    Transformd Y{};  // from the child of this joint to the body
    for (std::size_t k = i + 1; k < chain.size(); ++k) Y = Y * pose_of_joint(w, chain[k]);
    if (turns_at_once(type_of(w, joint))) {
      write_turning_joint(w, joint, Y, into);
      continue;
    }
    const int count = w.m.joint_qd_start[joint + 1] - w.m.joint_qd_start[joint];
    for (int axis = 0; axis < count; ++axis) write_axis(w, joint, axis, Y, into);
  }
}

}  // namespace carom::inline CAROM_PRECISION
