// Writing one world of a model as URDF: links, joints, transmissions, and a list of what it cannot say.
//
// A link of URDF has its frame where the joint is that moves it, so bodies whose joint is elsewhere have another frame
// in the file (link_frame). A joint of several axes is a chain of joints with massless links between them.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "carom/urdf.h"
#include "io/doubles.h"
#include "io/xml/write_xml.h"

namespace carom::inline CAROM_PRECISION {

// What is lost, by kind, with the names of what loses it.
class UrdfLosses {
 public:
  void add(const std::string& kind, const std::string& name = "");
  std::vector<std::string> lines() const;

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> kinds_;
  std::map<std::string, std::size_t> place_;
};

// Bodies have places in the lists: their number + 1, so that the world is 0.
struct UrdfWriting {
  Model m;  // on the CPU
  int world = 0;
  std::string mesh_folder;
  std::vector<int> bodies{}, shapes{}, joints{};  // rows of the world
  std::vector<std::vector<int>> shapes_of{};      // of bodies
  std::vector<std::string> link_name{};           // of bodies
  std::vector<Transformd> link_frame{};           // of bodies: X_BL
  std::vector<std::string> dof_name{};            // of degrees of freedom: their joints in the file; "": there is none
  std::vector<int> leader{};                      // of degrees of freedom: whom they follow; -1: nobody
  std::vector<std::array<double, 2>> follows{};   // by offset and multiplier
  std::set<std::string> links{"world"}, joint_names{};
  std::map<int, std::string> mesh_files{};  // by source
  XmlElement root{"robot"};
  std::vector<UrdfMeshFile> meshes{};
  UrdfLosses lost{};

  std::size_t place(int body) const { return static_cast<std::size_t>(body) + 1; }
  std::string called(Entity entity, int row) const { return "'" + m.key(entity, row) + "'"; }
};

std::string free_name(std::set<std::string>& used, const std::string& wanted);
bool is_written_collision(const UrdfWriting& w, int shape);

// In the order of their calls.
void plan_urdf_links(UrdfWriting& w);  // names and frames
void plan_urdf_mimics(UrdfWriting& w);
void write_urdf_links(UrdfWriting& w);
void write_urdf_joints(UrdfWriting& w);
void write_urdf_transmissions(UrdfWriting& w);
void list_urdf_losses(UrdfWriting& w);  // of what has no place in URDF at all

XmlElement& add_named(XmlElement& parent, const char* tag, const std::string& name);
void set_origin(XmlElement& element, const Transformd& X);

}  // namespace carom::inline CAROM_PRECISION
