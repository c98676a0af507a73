// Looking into a ShapeSource: the mesh, heightfield or sdf it holds, or nullptr.
#pragma once

#include "carom/model.h"

namespace carom::inline CAROM_PRECISION {

template <class Geometry>
const Geometry* geometry_of(const ShapeSource& source) {
  const auto* held = std::get_if<std::shared_ptr<const Geometry>>(&source);
  return held ? held->get() : nullptr;
}

inline const Mesh* mesh_of(const ShapeSource& source) { return geometry_of<Mesh>(source); }
inline const Heightfield* heightfield_of(const ShapeSource& source) { return geometry_of<Heightfield>(source); }
inline const SDF* sdf_of(const ShapeSource& source) { return geometry_of<SDF>(source); }

}  // namespace carom::inline CAROM_PRECISION
