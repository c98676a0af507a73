// Triangles from mesh files: OBJ, binary STL, and MuJoCo's MSH.
#pragma once

#include <string>
#include <vector>

#include "io/doubles.h"

namespace carom::inline CAROM_PRECISION {

struct RawMesh {
  std::vector<Vec3d> vertices;
  std::vector<std::array<int, 3>> faces;
};

// `name` chooses the format by its ending and stands in errors. Throws Error for what is none, and for indices that are
// out of range; nothing larger than `content` is ever allocated.
RawMesh parse_mesh_file(const std::string& content, const std::string& name, const std::string& content_type);
RawMesh parse_obj(const std::string& content, const std::string& name);  // its indices are not checked
RawMesh parse_stl(const std::string& content, const std::string& name);
// Every index has a vertex, and every number is finite; errors begin with `where`.
void check_mesh(const RawMesh& mesh, const std::string& where);

}  // namespace carom::inline CAROM_PRECISION
