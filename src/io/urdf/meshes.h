// The mesh files that a robot names: found, read and made into meshes, each once.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/urdf/spec.h"

namespace carom::inline CAROM_PRECISION {

// Where a name leads: package://NAME/PATH, model://NAME/PATH, file:///PATH, or a path, of the robot's folder if it is
// relative. Packages are looked for in the given folders (which hold it, or are it), and then from the robot's folder
// upwards: a folder of that name, one whose package.xml says it, or one that holds it. `where` begins the errors.
class UrdfPaths {
 public:
  UrdfPaths(std::string folder, std::vector<std::string> package_path, XmlBudget& budget)
      : folder_(std::move(folder)), package_path_(std::move(package_path)), budget_(budget) {}

  std::string find(const std::string& name, const std::string& where);

 private:
  const std::string& find_package(const std::string& package, const std::string& where);
  bool names_package(const std::string& folder, const std::string& package);

  std::string folder_;
  std::vector<std::string> package_path_;
  XmlBudget& budget_;
  std::map<std::string, std::string> packages_{}, said_{};  // folders of packages; what package.xml says, by folder
};

class UrdfMeshes {
 public:
  // Reads what the shapes name; where it cannot be had, optional ones go without, and a warning says it.
  UrdfMeshes(UrdfPaths paths, XmlBudget& budget, UrdfWarnings& warnings)
      : paths_(std::move(paths)), budget_(budget), warnings_(warnings) {}

  void read(const std::vector<const UrdfShape*>& needed, const std::vector<const UrdfShape*>& optional);
  // nullptr: it has none.
  std::shared_ptr<const Mesh> mesh_of(const UrdfShape& shape) const;

 private:
  struct File {
    std::string path, where, content;
    bool needed = false;
    std::map<std::array<double, 3>, std::shared_ptr<const Mesh>> scaled{};
    std::string problem{};
  };
  void note(const UrdfShape& shape, bool needed);

  UrdfPaths paths_;
  XmlBudget& budget_;
  UrdfWarnings& warnings_;
  std::vector<File> files_{};
  std::map<std::string, int> by_name_{};  // of shapes: their files
};

}  // namespace carom::inline CAROM_PRECISION
