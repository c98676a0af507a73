// What a URDF file says, as plain numbers with their places: read from XML, and imported from here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "carom/urdf.h"
#include "io/doubles.h"
#include "io/xml/xml.h"

namespace carom::inline CAROM_PRECISION {

enum class UrdfGeometry { kBox, kCylinder, kSphere, kCapsule, kMesh };

struct UrdfShape {
  XmlPlace place;
  std::string name;
  Transformd X_LS{};  // in the link
  UrdfGeometry geometry{};
  Vec3d size{};        // full sizes of a box; radius and length; factors of a mesh
  std::string file{};  // of a mesh, as it is named
};

struct UrdfInertial {
  XmlPlace place;
  Transformd X_LI{};  // its origin is the centre of mass
  double mass = 0;
  Mat33d inertia{};  // in its own axes
};

struct UrdfLink {
  XmlPlace place;
  std::string name;
  std::optional<UrdfInertial> inertial{};
  std::vector<UrdfShape> collisions{}, visuals{};
};

enum class UrdfJointType { kRevolute, kContinuous, kPrismatic, kFixed, kFloating, kPlanar };

struct UrdfMimic {
  XmlPlace place;
  std::string joint;
  int leader = -1;
  double multiplier = 1, offset = 0;
};

struct UrdfJoint {
  XmlPlace place;
  std::string name;
  UrdfJointType type{};
  std::string parent_name{}, child_name{};
  int parent = -1, child = -1;  // links
  Transformd X_PJ{};            // which is the child's frame at zero
  Vec3d axis{1, 0, 0};
  std::optional<double> lower{}, upper{}, effort{}, damping{}, friction{};
  std::optional<UrdfMimic> mimic{};
};

// Of one joint and one actuator.
struct UrdfTransmission {
  XmlPlace place;
  std::string actuator, joint;
  double reduction = 1;
};

struct UrdfSpec {
  std::shared_ptr<const std::string> file;  // its name in messages
  std::string folder;                       // of the files that it names
  std::string name;
  std::vector<UrdfLink> links{};
  std::vector<UrdfJoint> joints{};
  std::vector<UrdfTransmission> transmissions{};
  // The tree, in depth-first order of the file: links, each behind its parent, and the joint that moves each one.
  std::vector<int> order{};
  std::vector<int> joint_of{};  // by link; -1: the root
};

// What does not change the motion and is not understood, once for each kind.
class UrdfWarnings {
 public:
  void add(const std::string& line) { lines_.push_back({line, line, 1}); }
  // An element, or an attribute of it. Further ones of the same kind are counted.
  void add_unread(const XmlNode& node, const std::string& parent, const std::string& attribute = "");
  std::vector<std::string> lines() const;

 private:
  struct Line {
    std::string kind, text;
    int times;
  };
  std::vector<Line> lines_;
  int more_ = 0;  // beyond the most kinds that are told apart
};

struct UrdfReading {
  XmlBudget& budget;
  UrdfWarnings& warnings;
  UrdfSpec spec{};
};

inline constexpr const char* kUrdfWorld = "world";  // a root of this name is no body

// The whole file, checked: numbers are finite, names are known, and joints make a tree.
UrdfSpec read_urdf(const UrdfSource& source, XmlBudget& budget, UrdfWarnings& warnings);
UrdfLink read_urdf_link(UrdfReading& in, const XmlNode& node);
UrdfJoint read_urdf_joint(UrdfReading& in, const XmlNode& node);
void read_urdf_transmission(UrdfReading& in, const XmlNode& node);
// Links of joints, the order, and that it is one tree; joints that others follow.
void connect_urdf(UrdfReading& in);
void scale_urdf(UrdfSpec& spec, double factor);

}  // namespace carom::inline CAROM_PRECISION
