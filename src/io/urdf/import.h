// What the parts of add_urdf() know and share. Each adds one kind of thing to the builder.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "io/urdf/meshes.h"

namespace carom::inline CAROM_PRECISION {

// How a link hangs on another one, or on the world: what the file says, but for what the user says over it.
struct UrdfMotion {
  UrdfJointType type = UrdfJointType::kFixed;
  int joint = -1;   // of the file; -1: nobody wrote it, the root's own
  int parent = -1;  // link; -1: the world
  Transformd X_PJ{};
};

// The body that a link is, or is a part of; -1: the world.
struct UrdfPlacement {
  int body = -1;
  Transformd X_BL{};
};

struct UrdfCollider {
  int shape, link;
};

struct UrdfImport {
  const UrdfSpec& spec;
  const UrdfArgs& args;
  const UrdfMeshes& meshes;
  ModelBuilder builder;
  // What is being added: errors say where it stands.
  XmlPlace place{};
  const char* element = "robot";
  int world = -1;                            // the link that is no body; -1: none is
  std::vector<UrdfMotion> motion{};          // by link
  std::vector<double> start{};               // by joint: its coordinate at first
  std::vector<UrdfPlacement> placement{};    // by link
  std::vector<int> body_link{}, joint_of{};  // links of bodies; joints of the builder, by joint of the file
  std::vector<UrdfCollider> colliders{};
  std::unordered_set<std::string> shape_keys{}, actuator_keys{};

  void now(const XmlPlace& at, const char* what) { place = at, element = what; }
  const UrdfLink& link(int i) const { return spec.links[static_cast<std::size_t>(i)]; }
  const UrdfMotion& moved(int link) const { return motion[static_cast<std::size_t>(link)]; }
  const UrdfPlacement& placed(int link) const { return placement[static_cast<std::size_t>(link)]; }
  // Mass of a link is that of its shapes.
  bool weighs_shapes(int i) const { return args.ignore_inertial_definitions || !link(i).inertial; }
};

// In the order of their calls.
void plan_urdf_motion(UrdfImport& in);
void add_urdf_bodies(UrdfImport& in);
void add_urdf_shapes(UrdfImport& in);
void check_urdf_masses(UrdfImport& in);
void add_urdf_joints(UrdfImport& in);
void add_urdf_filters(UrdfImport& in);
void add_urdf_actuators(UrdfImport& in);

// The name, or with a number behind it where another thing has it already.
std::string free_key(std::unordered_set<std::string>& used, const std::string& wanted);

// At these coordinates a joint displaces its child so.
Transformd displacement(const UrdfJoint& joint, double coordinate);

}  // namespace carom::inline CAROM_PRECISION
