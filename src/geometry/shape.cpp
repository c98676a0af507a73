// What holds for every type of shape: its name, the check of its sizes, its bounds.
#include <algorithm>
#include <cmath>

#include "base/fail.h"
#include "geometry/moments.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Throws unless the first `count` components of scale are positive and finite.
void require_positive(ShapeType type, Vec3 scale, int count, const char* const (&names)[3]) {
  for (int i = 0; i < count; ++i) {
    if (!(scale[i] > 0) || !is_finite(scale[i])) {
      fail(shape_type_name(type), ": ", names[i], " must be positive", scale[i] > 0 ? " and finite" : "", ", is ",
           scale[i]);
    }
  }
}

template <class Geometry>
const Geometry& require_geometry(ShapeType type, const Geometry* geometry) {
  if (!geometry) fail("shape of type ", shape_type_name(type), " has no geometry: give it one");
  return *geometry;
}

// How far the solid reaches beyond the grid: sdf_distance() grows by the distance to the grid out there.
Real sdf_overhang(const SDF& sdf) {
  Real least = 0;
  for (int k = 0; k < sdf.nz; ++k) {
    for (int j = 0; j < sdf.ny; ++j) {
      const bool border_row = k == 0 || j == 0 || k == sdf.nz - 1 || j == sdf.ny - 1;
      for (int i = 0; i < sdf.nx; i += border_row ? 1 : sdf.nx - 1) least = std::min(least, sdf.value(i, j, k));
    }
  }
  return -least;
}

// Bounds of the cells that have a node inside; of the whole grid when there is none.
void sdf_bounds(const SDF& sdf, Real scale, Vec3& lower, Vec3& upper) {
  const int size[3] = {sdf.nx, sdf.ny, sdf.nz};
  int first[3] = {sdf.nx, sdf.ny, sdf.nz}, last[3] = {-1, -1, -1};
  for (int k = 0; k < sdf.nz; ++k) {
    for (int j = 0; j < sdf.ny; ++j) {
      for (int i = 0; i < sdf.nx; ++i) {
        if (!(sdf.value(i, j, k) < 0)) continue;
        const int node[3] = {i, j, k};
        for (int axis = 0; axis < 3; ++axis) {
          first[axis] = std::min(first[axis], node[axis]);
          last[axis] = std::max(last[axis], node[axis]);
        }
      }
    }
  }
  const Real overhang = sdf_overhang(sdf);
  for (int axis = 0; axis < 3; ++axis) {
    const bool empty = last[axis] < 0;
    const int low = empty ? 0 : std::max(first[axis] - 1, 0);
    const int high = empty ? size[axis] - 1 : std::min(last[axis] + 1, size[axis] - 1);
    lower[axis] = (sdf.origin[axis] + Real(low) * sdf.spacing - overhang) * scale;
    upper[axis] = (sdf.origin[axis] + Real(high) * sdf.spacing + overhang) * scale;
  }
}

void mesh_bounds(const Mesh& mesh, Vec3 scale, Vec3& lower, Vec3& upper) {
  const auto scaled = [&](Vec3 v) { return Vec3{v.x * scale.x, v.y * scale.y, v.z * scale.z}; };
  lower = upper = scaled(mesh.vertices.front());
  for (const Vec3 v : mesh.vertices) {
    lower = min(lower, scaled(v));
    upper = max(upper, scaled(v));
  }
}

Vec3 plane_half_extents(Vec3 scale) {
  return {scale.x > 0 ? scale.x / 2 : kUnbounded, scale.y > 0 ? scale.y / 2 : kUnbounded, 0};
}

// The least Real that is not below r.
Real round_up(double r) {
  const Real near = Real(r);
  return double(near) < r ? std::nextafter(near, std::numeric_limits<Real>::infinity()) : near;
}

}  // namespace

const char* shape_type_name(ShapeType type) {
  switch (type) {
    case ShapeType::kNone: return "none";
    case ShapeType::kPlane: return "plane";
    case ShapeType::kHeightfield: return "heightfield";
    case ShapeType::kSphere: return "sphere";
    case ShapeType::kCapsule: return "capsule";
    case ShapeType::kEllipsoid: return "ellipsoid";
    case ShapeType::kCylinder: return "cylinder";
    case ShapeType::kBox: return "box";
    case ShapeType::kMesh: return "mesh";
    case ShapeType::kCone: return "cone";
    case ShapeType::kConvexHull: return "convex_hull";
    case ShapeType::kSdf: return "sdf";
  }
  return "unknown";
}

void validate_shape_scale(ShapeType type, Vec3 scale) {
  switch (type) {
    case ShapeType::kNone: return;
    case ShapeType::kPlane:
      for (int i = 0; i < 2; ++i) {
        if (!(scale[i] >= 0) || !is_finite(scale[i])) {
          fail("plane: ", i == 0 ? "width" : "length", " must be positive, or 0 for a plane without end, is ",
               scale[i]);
        }
      }
      return;
    case ShapeType::kSphere: return require_positive(type, scale, 1, {"radius", "", ""});
    case ShapeType::kCapsule:
    case ShapeType::kCylinder:
    case ShapeType::kCone: return require_positive(type, scale, 2, {"radius", "half_height", ""});
    case ShapeType::kEllipsoid: return require_positive(type, scale, 3, {"rx", "ry", "rz"});
    case ShapeType::kBox: return require_positive(type, scale, 3, {"hx", "hy", "hz"});
    case ShapeType::kHeightfield:
    case ShapeType::kMesh:
    case ShapeType::kConvexHull: return require_positive(type, scale, 3, {"scale.x", "scale.y", "scale.z"});
    case ShapeType::kSdf:
      require_positive(type, scale, 3, {"scale.x", "scale.y", "scale.z"});
      if (scale.x != scale.y || scale.x != scale.z) {
        fail("sdf: scale must be the same along x, y and z (distances keep their meaning only then), is (", scale.x,
             ", ", scale.y, ", ", scale.z, ")");
      }
      return;
  }
  fail("shape type ", int(type), " is unknown");
}

void shape_local_bounds(ShapeType type, Vec3 scale, const Mesh* mesh, const Heightfield* heightfield, const SDF* sdf,
                        Vec3& lower, Vec3& upper) {
  switch (type) {
    case ShapeType::kNone: upper = {}; break;
    case ShapeType::kPlane: upper = plane_half_extents(scale); break;
    case ShapeType::kHeightfield: {
      const Heightfield& field = require_geometry(type, heightfield);
      upper = {field.hx * scale.x, field.hy * scale.y, field.max_z * scale.z};
      break;
    }
    case ShapeType::kSphere: upper = {scale.x, scale.x, scale.x}; break;
    case ShapeType::kCapsule: upper = {scale.x, scale.x, scale.y + scale.x}; break;
    case ShapeType::kCylinder:
    case ShapeType::kCone: upper = {scale.x, scale.x, scale.y}; break;
    case ShapeType::kEllipsoid:
    case ShapeType::kBox: upper = scale; break;
    case ShapeType::kMesh:
    case ShapeType::kConvexHull: return mesh_bounds(require_geometry(type, mesh), scale, lower, upper);
    case ShapeType::kSdf: return sdf_bounds(require_geometry(type, sdf), scale.x, lower, upper);
  }
  lower = -upper;
  if (type == ShapeType::kPlane || type == ShapeType::kHeightfield) lower.z = -kUnbounded;  // solid below
}

Real shape_bounding_radius(ShapeType type, Vec3 scale, const Mesh* mesh, const Heightfield* heightfield,
                           const SDF* sdf) {
  const Vec3d s = to_double(scale);
  switch (type) {
    case ShapeType::kPlane:
    case ShapeType::kHeightfield: return kUnbounded;
    case ShapeType::kSphere: return scale.x;
    case ShapeType::kCapsule: return round_up(s.x + s.y);
    case ShapeType::kCylinder:
    case ShapeType::kCone: return round_up(sqrt(s.x * s.x + s.y * s.y));
    case ShapeType::kEllipsoid: return max(scale.x, max(scale.y, scale.z));
    case ShapeType::kMesh:
    case ShapeType::kConvexHull: {
      double greatest = 0;
      for (const Vec3 v : require_geometry(type, mesh).vertices) {
        greatest = max(greatest, length(multiply_each(to_double(v), s)));
      }
      return round_up(greatest);
    }
    default: {  // the farthest corner of the bounds
      Vec3 lower, upper;
      shape_local_bounds(type, scale, mesh, heightfield, sdf, lower, upper);
      return round_up(length(to_double(max(abs(lower), abs(upper)))));
    }
  }
}

}  // namespace carom::inline CAROM_PRECISION
