// The steps of apply_scales(), one family of elements each. A quantity of dimension length^a mass^b time^c is
// multiplied by L^a M^b; with scaling="geometry" those of them that are forces, stiffness, damping or armature stay as
// they are.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "io/mjcf/spec.h"

namespace carom::inline CAROM_PRECISION {

// The coordinate of a joint, tendon or actuator, and its force: lengths have forces, angles torques.
struct ScaledCoordinate {
  MjcfUnits units{};
  double length = 1;  // along it; of an angle 1
  bool angle = false;

  double force() const { return angle ? units.torque() : units.force(); }
  double force_length() const { return angle ? 1 : units.force_length; }  // as far as forces follow
};

// Which scaled frame stands in which, and what the two and all others around give.
struct ScaledFrames {
  std::vector<int> around;       // by frame of the spec; -1: none that scales
  std::vector<MjcfUnits> units;  // of what stands in it

  // The innermost frame that has both in it; -1: there is none.
  int common(int a, int b) const;
};

// By name. What is not in it has no scale.
struct ScalesByName {
  std::map<std::string, const MjcfScale*> bodies{}, geoms{}, sites{}, cameras{};
  std::map<std::string, const JointSpec*> joints{};
  std::map<std::string, ScaledCoordinate> tendons{}, actuators{};

  explicit ScalesByName(const MjcfSpec& spec);
};
const MjcfScale& scale_of(const std::map<std::string, const MjcfScale*>& scales, const std::string& name);
MjcfUnits mean(const MjcfUnits& a, const MjcfUnits& b);
// Of a slide a length along its axis, of hinges and balls an angle, of free joints a length.
ScaledCoordinate coordinate_of(const JointSpec& joint);

// Where a scale maps what is in an element: the places inside a body, and which frames are around it.
ScaledFrames place_scaled(MjcfSpec& spec);
// Sizes, limits, springs and masses of joints, geoms and bodies, by their own scales; assets of several sizes.
void scale_elements(MjcfSpec& spec);
// What names scaled elements. Tendons and actuators note their coordinates in `scales`.
void scale_pairs(MjcfSpec& spec, const ScalesByName& scales);
void scale_tendons(MjcfSpec& spec, ScalesByName& scales, const ScaledFrames& frames);
void scale_equalities(MjcfSpec& spec, const ScalesByName& scales);
void scale_sensors(MjcfSpec& spec, const ScalesByName& scales);
// Returns the coordinates of all of them, in order.
std::vector<ScaledCoordinate> scale_actuators(MjcfSpec& spec, ScalesByName& scales);
// `from`: where the bodies were before they were scaled.
void scale_keyframes(MjcfSpec& spec, const std::vector<ScaledCoordinate>& actuators, const std::vector<Vec3d>& from);
// The units of what an actuator has in `ctrl` and `act`, in order.
std::vector<double> control_units(const ActuatorSpec& actuator, const ScaledCoordinate& coordinate);
std::vector<double> activation_units(const ActuatorSpec& actuator, const ScaledCoordinate& coordinate);

// Forces of a joint or tendon.
void scale_passive(Doubles3& stiffness, Doubles3& damping, double& armature, double& friction, Doubles2& forces,
                   const ScaledCoordinate& coordinate);
// Coefficients of x, x |x|, x^3: each has one more length below.
void multiply_polynomial(Doubles3& numbers, const ScaledCoordinate& coordinate);
template <std::size_t N>
void multiply(std::array<double, N>& numbers, double by) {
  for (double& number : numbers) number *= by;
}

}  // namespace carom::inline CAROM_PRECISION
