// Actuators of what is scaled. Their gains are forces by what they take as input: a position or speed of what they
// drive, a pressure, or a number without a dimension.
#include <algorithm>
#include <cmath>

#include "io/mjcf/mujoco_enums.h"
#include "io/mjcf/scale.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// A free joint or a site: gears without a part along the axes turn it, and others turn it as far as they move it.
ScaledCoordinate six_gears(ActuatorSpec& a, const MjcfUnits& units) {
  if (a.gear[0] == 0 && a.gear[1] == 0 && a.gear[2] == 0) return {units, 1, true};
  for (std::size_t k = 3; k < 6; ++k) a.gear[k] *= units.length;
  return {units, units.length};
}

ScaledCoordinate crank(ActuatorSpec& a, const ScalesByName& scales) {
  const MjcfUnits units = mean(scale_of(scales.sites, a.target).units, scale_of(scales.sites, a.other).units);
  a.crank_length *= units.length;
  return {units, units.length};
}

// What it drives.
ScaledCoordinate drive(ActuatorSpec& a, const ScalesByName& scales) {
  switch (a.transmission) {
    case mj::kTrnJoint:
    case mj::kTrnJointInParent: {
      const auto found = scales.joints.find(a.target);
      if (found == scales.joints.end()) return {};  // said later
      const JointSpec& joint = *found->second;
      return joint.type == mj::kFree ? six_gears(a, joint.scale.units) : coordinate_of(joint);
    }
    case mj::kTrnTendon: {
      const auto found = scales.tendons.find(a.target);
      return found == scales.tendons.end() ? ScaledCoordinate{} : found->second;
    }
    case mj::kTrnBody: {
      const MjcfUnits& units = scale_of(scales.bodies, a.target).units;
      return {units, units.length};
    }
    case mj::kTrnSliderCrank: return crank(a, scales);
    default: return six_gears(a, scale_of(scales.sites, a.target).units);
  }
}

bool has_plain_gain(const ActuatorSpec& a) { return a.gain == mj::kGainFixed || a.gain == mj::kGainAffine; }

double pressure(const MjcfUnits& units) { return units.force_mass / units.force_length; }

// The unit of the one input that fixed and affine gains have, and the same as far as forces follow.
struct InputUnit {
  double all = 1, with_forces = 1;
};
InputUnit input_unit(const ActuatorSpec& a, const ScaledCoordinate& c) {
  if (!has_plain_gain(a)) return {};
  if (a.input == mj::kInputPosition || a.input == mj::kInputVelocity) return {c.length, c.force_length()};
  if (a.input == mj::kInputPressure) return {pressure(c.units), pressure(c.units)};
  return {};
}

// Position and velocity gains below a constant; a positive number in the last place is a ratio of damping.
void scale_affine(std::array<double, 10>& numbers, const ScaledCoordinate& c, double force) {
  numbers[0] *= force;
  numbers[1] *= force / c.force_length();
  if (numbers[2] < 0) numbers[2] *= force / c.force_length();
}

void scale_plain(ActuatorSpec& a, const ScaledCoordinate& c) {
  const InputUnit input = input_unit(a, c);
  const double force = c.force() / input.with_forces;
  a.gainprm[0] *= force;
  if (a.gain == mj::kGainAffine)
    for (std::size_t k = 1; k < 3; ++k) a.gainprm[k] *= force / c.force_length();
  if (a.bias == mj::kBiasAffine) scale_affine(a.biasprm, c, c.force());
  multiply(a.ctrl_range, input.all);
  if (a.dynamics != mj::kDynMuscle) multiply(a.act_range, input.all);
}

// The largest force, unless it follows from the model.
void scale_muscle(ActuatorSpec& a, const ScaledCoordinate& c) {
  for (std::array<double, 10>* numbers : {&a.gainprm, &a.biasprm})
    if ((numbers == &a.gainprm || a.bias == mj::kBiasMuscle) && (*numbers)[2] > 0) (*numbers)[2] *= c.force();
}

// Volts and amperes have no scale, so forces must not have one.
void scale_dc_motor(ActuatorSpec& a, const ScaledCoordinate& c) {
  if (c.units.force_length != 1 || c.units.force_mass != 1)
    fail(at_place(a.place, a.shortcut), "drives what stands in a scaled frame, and a DC motor has no scale; ",
         "with scaling=\"geometry\" the frame leaves it as it is");
  a.biasprm[1] /= c.length;  // teeth by length
  a.biasprm[5] *= c.length;  // Stribeck's speed
  a.dynprm[8] *= c.length;
  if (inputs_of(a) & (mj::kInputPosition | mj::kInputVelocity)) a.dynprm[7] *= c.length;
  if (inputs_of(a) & mj::kInputPosition) multiply(a.ctrl_range, c.length);
}

void scale_pid(ActuatorSpec& a, const ScaledCoordinate& c) {
  a.gainprm[0] *= c.force() / c.force_length();
  for (std::size_t k = 0; k < 2; ++k) a.dynprm[k] *= c.length;
  scale_affine(a.biasprm, c, c.force());
  multiply(a.ctrl_range, c.length);
  multiply(a.velocity_range, c.length);
  multiply(a.feedforward_range, c.force());
}

void scale_orientation(ActuatorSpec& a, const ScaledCoordinate& c) {
  const ScaledCoordinate turn{c.units, 1, true};
  a.gainprm[0] *= turn.force();
  scale_affine(a.biasprm, turn, turn.force());
}

void scale_gains(ActuatorSpec& a, const ScaledCoordinate& c) {
  switch (a.gain) {
    case mj::kGainMuscle: return scale_muscle(a, c);
    case mj::kGainDcMotor: return scale_dc_motor(a, c);
    case mj::kGainPid: return scale_pid(a, c);
    case mj::kGainSo3: return scale_orientation(a, c);
    default: return scale_plain(a, c);
  }
}

ScaledCoordinate scale_actuator(ActuatorSpec& a, const ScalesByName& scales) {
  const ScaledCoordinate c = drive(a, scales);
  multiply(a.force_range, c.force());
  multiply(a.length_range, c.length);
  multiply_polynomial(a.damping, c);
  a.armature *= c.force() / c.force_length();
  scale_gains(a, c);
  return c;
}

}  // namespace

std::vector<double> control_units(const ActuatorSpec& a, const ScaledCoordinate& c) {
  if (has_plain_gain(a)) return {input_unit(a, c).all};
  std::vector<double> units;
  if (a.gain == mj::kGainPid || a.gain == mj::kGainDcMotor) {
    const int inputs = inputs_of(a);
    if (inputs & mj::kInputPosition) units.push_back(c.length);
    if (inputs & mj::kInputVelocity) units.push_back(c.length);
    if (inputs & mj::kInputForce) units.push_back(c.force());
  }
  units.resize(static_cast<std::size_t>(control_count(a)), 1.0);
  return units;
}

std::vector<double> activation_units(const ActuatorSpec& a, const ScaledCoordinate& c) {
  const bool follows_input =
      a.dynamics == mj::kDynIntegrator || a.dynamics == mj::kDynFilter || a.dynamics == mj::kDynFilterExact;
  const double unit = a.gain == mj::kGainPid ? c.length : follows_input ? input_unit(a, c).all : 1;
  return std::vector<double>(static_cast<std::size_t>(activation_count(a)), unit);
}

std::vector<ScaledCoordinate> scale_actuators(MjcfSpec& spec, ScalesByName& scales) {
  std::vector<ScaledCoordinate> coordinates;
  for (ActuatorSpec& actuator : spec.actuators) {
    coordinates.push_back(scale_actuator(actuator, scales));
    scales.actuators.emplace(actuator.name, coordinates.back());
  }
  return coordinates;
}

}  // namespace carom::inline CAROM_PRECISION
