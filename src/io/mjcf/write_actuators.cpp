// Actuators, all of them as <general>.
#include "io/mjcf/write.h"

namespace carom::inline CAROM_PRECISION {

namespace {

RealN<6> gear_of(const SpatialVector& wrench) {
  return {wrench.linear.x, wrench.linear.y, wrench.linear.z, wrench.angular.x, wrench.angular.y, wrench.angular.z};
}

void write_driven_joint(MjcfWriting& w, int i, XmlElement& element) {
  const Model& m = w.m;
  const int joint = m.actuator_joint[i];
  const auto type = static_cast<JointType>(m.joint_type[joint]);
  if (type != JointType::kBall && type != JointType::kFree) {
    element.set("joint", named_dof(w, joint, m.actuator_axis[i]));
    element.set("gear", m.actuator_gear[i]);
    return;
  }
  const SpatialVector wrench = m.actuator_wrench[i];
  if (static_cast<ActuatorLaw>(m.actuator_law[i]) == ActuatorLaw::kOrientation) {
    element.set("joint", named_dof(w, joint, 0));
    return;
  }
  element.set(m.actuator_in_parent[i] ? "jointinparent" : "joint", named_dof(w, joint, 0));
  element.set("gear", type == JointType::kFree ? gear_of(wrench) : gear_of({wrench.angular, {}}));
}

// Poses of sites, in their bodies.
void write_driven_sites(MjcfWriting& w, int i, const char* first, const char* second, XmlElement& element) {
  const Model& m = w.m;
  element.set(first,
              add_written_site(w, m.actuator_body[i], to_double(m.actuator_site[i]), text("actuator_", i, "_site")));
  if (!m.actuator_has_reference[i]) return;
  element.set(second, add_written_site(w, m.actuator_reference_body[i], to_double(m.actuator_reference[i]),
                                       text("actuator_", i, "_reference")));
}

void write_driven(MjcfWriting& w, int i, XmlElement& element) {
  const Model& m = w.m;
  switch (static_cast<ActuatorTarget>(m.actuator_target[i])) {
    case ActuatorTarget::kJoint: write_driven_joint(w, i, element); break;
    case ActuatorTarget::kTendon:
      element.set("tendon", named_tendon(w, m.actuator_tendon[i]));
      element.set("gear", m.actuator_gear[i]);
      break;
    case ActuatorTarget::kSite:
      write_driven_sites(w, i, "site", "refsite", element);
      if (static_cast<ActuatorLaw>(m.actuator_law[i]) != ActuatorLaw::kOrientation)
        element.set("gear", gear_of(m.actuator_wrench[i]));
      break;
    case ActuatorTarget::kSliderCrank:
      write_driven_sites(w, i, "cranksite", "slidersite", element);
      element.set("cranklength", m.actuator_rod[i]);
      element.set("gear", m.actuator_gear[i]);
      break;
    case ActuatorTarget::kBody: element.set("body", named_body(w, m.actuator_body[i])); break;
  }
}

void set_actuator_range(const char* limited, const char* range, Real lower, Real upper, XmlElement& element) {
  if (!is_limit(lower, upper)) return;
  element.set(limited, "true");
  element.set(range, RealN<2>{lower, upper});
}

void write_law(const MjcfWriting& w, int i, XmlElement& element) {
  constexpr const char* kDynamics[] = {"none", "integrator", "filter", "filterexact", "muscle"};
  const Model& m = w.m;
  element.set_unless("dyntype", std::string(kDynamics[m.actuator_dynamics[i]]), std::string("none"));
  const bool timed = static_cast<ActuatorDynamics>(m.actuator_dynamics[i]) >= ActuatorDynamics::kFilter;
  if (timed) element.set("dynprm", m.actuator_time[i]);
  if (m.actuator_act_early[i]) element.set("actearly", "true");
  if (static_cast<ActuatorLaw>(m.actuator_law[i]) == ActuatorLaw::kMuscle) {
    const RealN<10> p = m.actuator_muscle[i];
    const RealN<9> curves{p[0], p[1], p[4], 200, p[5], p[6], p[7], p[8], p[9]};  // 200: a scale that nobody reads
    element.set("gaintype", "muscle");
    element.set("biastype", "muscle");
    element.set("gainprm", curves);
    element.set("biasprm", curves);
    element.set("lengthrange", RealN<2>{p[2], p[3]});
    return;
  }
  const RealN<2> slope = m.actuator_gain_slope[i];
  const RealN<3> bias = m.actuator_bias[i];
  if (slope != RealN<2>{}) element.set("gaintype", "affine");
  element.set("gainprm", RealN<3>{m.actuator_gain[i], slope[0], slope[1]});
  if (bias == RealN<3>{}) return;
  element.set("biastype", "affine");
  element.set("biasprm", bias);
}

void write_single_input(const MjcfWriting& w, int i, XmlElement& element) {
  const Model& m = w.m;
  write_law(w, i, element);
  const int ctrl = m.actuator_ctrl_start[i];
  set_actuator_range("ctrllimited", "ctrlrange", m.actuator_ctrl_lower[ctrl], m.actuator_ctrl_upper[ctrl], element);
  set_actuator_range("forcelimited", "forcerange", m.actuator_force_lower[i], m.actuator_force_upper[i], element);
  set_actuator_range("actlimited", "actrange", m.actuator_act_lower[i], m.actuator_act_upper[i], element);
}

}  // namespace

XmlElement written_actuators(MjcfWriting& w) {
  const Model& m = w.m;
  XmlElement all{"actuator"};
  for (const int i : w.actuators) {
    XmlElement element{"general"};
    const std::string& name = w.actuator_name[static_cast<std::size_t>(i)];
    if (!name.empty()) element.set("name", name);
    write_driven(w, i, element);
    if (static_cast<ActuatorLaw>(m.actuator_law[i]) <= ActuatorLaw::kMuscle) write_single_input(w, i, element);
    else write_controller(w, i, element);
    if (m.actuator_delay[i] > 0) {
      element.set("delay", m.actuator_delay[i]);
      element.set("nsample", m.actuator_delay_samples[i]);
      element.set("interp", kWrittenInterpolations[m.actuator_interpolation[i]]);
    }
    all.children.push_back(std::move(element));
  }
  return all;
}

}  // namespace carom::inline CAROM_PRECISION
