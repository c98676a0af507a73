// Meshes that are described by a name and a few numbers: <mesh builtin="..." params="...">.
#pragma once

#include "io/mesh/mesh_files.h"
#include "io/mjcf/spec.h"

namespace carom::inline CAROM_PRECISION {

// Without faces where the mesh is the hull of its vertices. Changes `inertia` of what has no volume to that of a shell.
// Throws Error for numbers that are out of range, before anything is made of them.
RawMesh builtin_mesh(MeshSpec& spec);

// -- The numbers of a mesh, as MuJoCo takes them: fractions of integers are cut off

struct BuiltinParams {
  const MeshSpec& spec;

  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    fail(at_place(spec.place, "mesh", "params"), spec.builtin, ": ", parts...);
  }
  void expect(std::size_t least, std::size_t most) const;
  double number(std::size_t place, double least, double most) const;
  int integer(std::size_t place, int least, int most) const { return static_cast<int>(number(place, least, most)); }
};

inline constexpr int kMostBuiltinPoints = 1 << 22;

// Grids of count and spacing along three axes, and what they are bent to.
RawMesh builtin_grid(const BuiltinParams& params);
bool is_builtin_grid(const std::string& kind);
// Of a grid without volume.
bool is_builtin_surface(const MeshSpec& spec);

}  // namespace carom::inline CAROM_PRECISION
