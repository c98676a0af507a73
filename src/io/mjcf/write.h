// Writing one world of a model as MJCF. Each family of elements has a file; what refers to bodies is written first and
// asks for the names and sites that it needs, bodies come last.
#pragma once

#include <array>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/fail.h"
#include "carom/model.h"
#include "io/mjcf/rows.h"
#include "io/xml/write_xml.h"

namespace carom::inline CAROM_PRECISION {

void set_pose(XmlElement& element, const Transformd& X);

// -- What is known while a model is written

enum class WrittenKind { kBody, kJoint, kGeom, kSite, kTendon, kActuator, kSensor, kCamera, kMesh };
inline constexpr int kWrittenKinds = 9;

struct WrittenSite {
  std::string name;
  Transformd X;  // in its body
};

// Bodies have places in the lists: their number + 1, so that the world is 0.
struct MjcfWriting {
  Model m;  // on the CPU
  // Rows of the world.
  std::vector<int> bodies{}, shapes{}, joints{}, tendons{}, actuators{}, equalities{}, pairs{}, sensors{};
  std::vector<std::vector<int>> children{};  // of bodies, in their order
  std::vector<int> parent{};                 // of bodies, past links that are folded; -1 = the world
  std::vector<std::vector<int>> chain{};     // of bodies: the joints that move them against their parents
  std::vector<char> folded{};                // bodies: a massless link between the joints of another body
  std::vector<std::string> body_name{}, shape_name{}, tendon_name{}, actuator_name{}, dof_name{};
  std::vector<std::vector<WrittenSite>> sites{};   // of bodies, asked for by what refers to them
  std::vector<std::vector<XmlElement>> wraps{};    // of bodies: geoms that tendons pass
  std::vector<std::vector<XmlElement>> cameras{};  // of bodies: what sensors look through
  std::array<std::set<std::string>, kWrittenKinds> used{};
  std::set<int> sensed_sites{};  // that a sensor names already
  XmlElement asset{"asset"};
  bool contacts = true;  // false: nothing collides, whatever masks say, as a flag has it

  std::size_t place(int body) const { return static_cast<std::size_t>(body) + 1; }
};

template <class T>
T at_row(const Array<T>& column, int row) {
  return column[row];
}

// A name that is not in use, and is from now on.
std::string claim_name(MjcfWriting& w, WrittenKind kind, const std::string& wanted);
const std::string& named_body(MjcfWriting& w, int body);
const std::string& named_shape(MjcfWriting& w, int shape);
const std::string& named_site(MjcfWriting& w, int shape);
const std::string& named_tendon(MjcfWriting& w, int tendon);
const std::string& named_actuator(MjcfWriting& w, int actuator);
const std::string& named_dof(MjcfWriting& w, int joint, int axis);
std::string add_written_site(MjcfWriting& w, int body, const Transformd& X, const std::string& wanted);
// "body 'torso'", or its number.
std::string called(const MjcfWriting& w, Entity entity, int row);

inline constexpr const char* kWrittenInterpolations[] = {"zoh", "linear", "cubic"};  // by Interpolation

// A pair of limits: whether there is one, and both ends.
inline bool is_limit(Real lower, Real upper) { return lower > -kUnlimited || upper < kUnlimited; }

// -- The parts, in the order of their use

void plan_bodies(MjcfWriting& w);
void plan_names(MjcfWriting& w);
XmlElement written_options(const MjcfWriting& w, int world, bool filters_parents);
XmlElement written_sensors(MjcfWriting& w);
XmlElement written_tendons(MjcfWriting& w);
// At the initial state; 0 for none (-1).
double initial_coordinate(const MjcfWriting& w, int joint, int axis);
double initial_length(const MjcfWriting& w, int tendon);
XmlElement written_equalities(MjcfWriting& w);
XmlElement written_actuators(MjcfWriting& w);
void write_controller(const MjcfWriting& w, int i, XmlElement& element);  // of an actuator with several inputs
// Pairs and excludes; whether bodies touch the parents of theirs.
XmlElement written_contacts(MjcfWriting& w, bool& filters_parents);
XmlElement written_bodies(MjcfWriting& w);
void write_joints(MjcfWriting& w, int body, XmlElement& into);
Transformd written_pose(const MjcfWriting& w, int body);  // in its parent, at the initial coordinates
void write_shape(MjcfWriting& w, int shape, XmlElement& into);

}  // namespace carom::inline CAROM_PRECISION
