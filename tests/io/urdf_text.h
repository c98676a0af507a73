// Pieces of URDF for tests: links of mass 1, joints, and the robot around them.
#pragma once

#include <string>

#include "base/fail.h"
#include "carom/urdf.h"

namespace carom {

inline const std::string kRight = "1.5707963267948966";  // a right angle

inline std::string link(const std::string& name, const std::string& more = "") {
  return "<link name='" + name + "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>" + more +
         "</link>";
}

inline std::string joint(const std::string& name, const std::string& type, const std::string& parent,
                         const std::string& child, const std::string& more = "") {
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent + "'/><child link='" + child + "'/>" +
         more + "</joint>";
}

// Its elements begin on the second line.
inline std::string robot(const std::string& elements) { return "<robot name='r'>\n" + elements + "</robot>"; }

inline Model load_robot(const std::string& elements, const UrdfArgs& args = {},
                        std::vector<std::string>* warnings = nullptr) {
  UrdfSource source;
  source.text = robot(elements);
  std::vector<std::string> unseen;
  return load_urdf(source, args, warnings ? warnings : &unseen);
}

}  // namespace carom
