// Actuators with several inputs and states: pid controllers, DC motors, orientations. Their numbers stand where
// actuators.cpp reads them from.
#include <bit>

#include "io/mjcf/write.h"

namespace carom::inline CAROM_PRECISION {

namespace {

int controller_row(const MjcfWriting& w, int actuator) {
  for (int k = 0; k < w.m.controller_count; ++k)
    if (w.m.controller_actuator[k] == actuator) return k;
  fail("to_mjcf: ", called(w, Entity::kActuator, actuator), " has no controller");
}

std::string input_words(int inputs) {
  constexpr std::pair<int, const char*> kWords[] = {
      {kInputPosition, "pos"}, {kInputVelocity, "vel"}, {kInputForce, "ff"}, {kInputVoltage, "voltage"}};
  std::string words;
  for (const auto& [bit, word] : kWords)
    if (inputs & bit) words += (words.empty() ? "" : " ") + std::string(word);
  return words.empty() ? "none" : words;
}

void set_input_range(const MjcfWriting& w, int i, int ctrl, const char* name, XmlElement& element) {
  const Real lower = w.m.actuator_ctrl_lower[ctrl], upper = w.m.actuator_ctrl_upper[ctrl];
  if (!is_limit(lower, upper)) return;
  if (!(lower < upper)) fail("to_mjcf: ", called(w, Entity::kActuator, i), " has an input without room");
  element.set(name, RealN<2>{lower, upper});
}

// All inputs have one range.
void set_common_range(const MjcfWriting& w, int i, XmlElement& element) {
  const int first = w.m.actuator_ctrl_start[i], end = w.m.actuator_ctrl_start[i + 1];
  for (int ctrl = first; ctrl < end; ++ctrl)
    if (w.m.actuator_ctrl_lower[ctrl] != w.m.actuator_ctrl_lower[first] ||
        w.m.actuator_ctrl_upper[ctrl] != w.m.actuator_ctrl_upper[first])
      fail("to_mjcf: ", called(w, Entity::kActuator, i), " has inputs with several ranges, which MJCF cannot say");
  if (first < end) set_input_range(w, i, first, "ctrlrange", element);
}

void write_pid(const MjcfWriting& w, int i, XmlElement& element) {
  const Model& m = w.m;
  const RealN<5> gains = m.controller_gains[controller_row(w, i)];
  const int inputs = m.actuator_inputs[i], states = std::popcount(static_cast<unsigned>(m.actuator_states[i]));
  element.set("gaintype", "pid");
  element.set("biastype", "affine");
  element.set("gainprm", gains[2]);
  element.set("biasprm", RealN<3>{0, -gains[0], -gains[1]});
  element.set("dynprm", RealN<2>{gains[3], gains[4]});
  if (states > 0) element.set("dyntype", "pid");
  if (states > 1) element.set("actdim", states);
  element.set("input", input_words(inputs));
  int ctrl = m.actuator_ctrl_start[i];
  for (const auto& [bit, name] :
       {std::pair{kInputPosition, "ctrlrange"}, {kInputVelocity, "velrange"}, {kInputForce, "ffrange"}})
    if (inputs & bit) set_input_range(w, i, ctrl++, name, element);
}

void write_dc_motor(const MjcfWriting& w, int i, XmlElement& element) {
  const Model& m = w.m;
  const int k = controller_row(w, i);
  const RealN<5> gains = m.controller_gains[k], winding = m.controller_winding[k], heat = m.controller_heat[k],
                 bristles = m.controller_bristles[k];
  const RealN<3> cogging = m.controller_cogging[k];
  const int states = std::popcount(static_cast<unsigned>(m.actuator_states[i]));
  for (const char* name : {"dyntype", "gaintype", "biastype"}) element.set(name, "dcmotor");
  element.set("gainprm", RealN<8>{winding[0], winding[1], heat[2], heat[3], gains[0], gains[2], gains[1], winding[2]});
  element.set("biasprm", RealN<6>{cogging[0], cogging[1], cogging[2], bristles[2], bristles[3], bristles[4]});
  element.set("dynprm", RealN<9>{winding[3], winding[4], heat[0], heat[1], heat[4], bristles[0], bristles[1], gains[4],
                                 gains[3]});
  element.set("actlimited", "false");
  element.set("actearly", "true");
  if (states > 0) element.set("actdim", states);
  element.set("input", input_words(m.actuator_inputs[i]));
  set_common_range(w, i, element);
}

void write_orientation(const MjcfWriting& w, int i, XmlElement& element) {
  const Model& m = w.m;
  const RealN<3> bias = m.actuator_bias[i];
  const bool integrates = static_cast<ActuatorDynamics>(m.actuator_dynamics[i]) == ActuatorDynamics::kIntegrator;
  element.set("gaintype", "so3");
  element.set("biastype", "so3");
  element.set("gainprm", m.actuator_gain[i]);
  element.set("biasprm", RealN<3>{bias[0], -m.actuator_gain[i], bias[2]});
  if (integrates) {
    element.set("dyntype", "integrator");
    element.set("actdim", 3);
  }
  if (m.actuator_act_early[i]) element.set("actearly", "true");
  if (m.actuator_inputs[i] == kInputQuaternion) element.set("input", "quat");
  set_common_range(w, i, element);
}

}  // namespace

void write_controller(const MjcfWriting& w, int i, XmlElement& element) {
  const auto law = static_cast<ActuatorLaw>(w.m.actuator_law[i]);
  if (law == ActuatorLaw::kPid) write_pid(w, i, element);
  if (law == ActuatorLaw::kDcMotor) write_dc_motor(w, i, element);
  if (law == ActuatorLaw::kOrientation) write_orientation(w, i, element);
  const Real lower = w.m.actuator_force_lower[i], upper = w.m.actuator_force_upper[i];
  if (!is_limit(lower, upper)) return;
  element.set("forcelimited", "true");  // of an orientation it bounds the size of the moment
  element.set("forcerange", RealN<2>{law == ActuatorLaw::kOrientation ? 0 : lower, upper});
}

}  // namespace carom::inline CAROM_PRECISION
