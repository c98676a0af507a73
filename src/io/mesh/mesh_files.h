// Triangles from mesh files: OBJ, STL, DAE (COLLADA), and MuJoCo's MSH.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "carom/file_limits.h"
#include "io/doubles.h"

namespace carom::inline CAROM_PRECISION {

struct RawMesh {
  std::vector<Vec3d> vertices;
  std::vector<std::array<int, 3>> faces;
};

// `name` chooses the format by its ending and stands in errors. Throws Error for what is none, and for indices that are
// out of range. What is allocated goes by the size of `content`, but for DAE, whose parts are copied: by the limits.
RawMesh parse_mesh_file(const std::string& content, const std::string& name, const std::string& content_type,
                        const FileLimits& limits = {});
RawMesh parse_obj(const std::string& content, const std::string& name);  // its indices are not checked
RawMesh parse_stl(const std::string& content, const std::string& name);
// In metres and with z up, placed as its scene has it.
RawMesh parse_dae(const std::string& content, const std::string& name, const FileLimits& limits);
// Every index has a vertex, and every number is finite; errors begin with `where`.
void check_mesh(const RawMesh& mesh, const std::string& where);

}  // namespace carom::inline CAROM_PRECISION
