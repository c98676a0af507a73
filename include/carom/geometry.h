// Shapes and the geometry they are made of: triangle meshes, convex hulls, heightfields, signed distance fields,
// and for every shape its mass properties and bounds.
//
// A shape is a type, three sizes (its scale) and, for some types, a shared geometry:
//
//   type          scale                       geometry     frame
//   plane         width, length, -            -            surface z = 0, solid below; 0 = without end
//   heightfield   factors along x, y, z       Heightfield  see Heightfield; solid below
//   sphere        radius, -, -                -            centre
//   capsule       radius, half_height, -      -            axis z; half_height of the part without the caps
//   ellipsoid     rx, ry, rz                  -            centre
//   cylinder      radius, half_height, -      -            axis z
//   box           hx, hy, hz                  -            centre; half extents
//   mesh          factors along x, y, z       Mesh         of the mesh
//   cone          radius, half_height, -      -            axis z; apex at +half_height, base at -half_height
//   convex hull   factors along x, y, z       Mesh         of the mesh, which is the one convex_hull() gives
//   sdf           one factor, three times     SDF          of the grid
//
// Everything here is worked out in double and rounded to Real at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "carom/error.h"
#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

// The numbers are those of Newton's GeoType.
enum class ShapeType : std::int32_t {
  kNone = 0,
  kPlane = 1,
  kHeightfield = 2,
  kSphere = 3,
  kCapsule = 4,
  kEllipsoid = 5,
  kCylinder = 6,
  kBox = 7,
  kMesh = 8,
  kCone = 9,
  kConvexHull = 10,
  kSdf = 11,
};

const char* shape_type_name(ShapeType type);  // "sphere", "convex_hull", ...

// Where bounds say "without end" [m]. Finite, so that arithmetic with bounds stays finite, in float too.
constexpr Real kUnbounded = Real(1e10);

// -- Geometry

// A triangle mesh. Meshes are large and shared: builders hold std::shared_ptr<const Mesh>.
struct Mesh {
  std::vector<Vec3> vertices;  // [m]
  std::vector<int> indices;    // three per triangle, counter-clockwise seen from outside

  // Throws Error for no vertices, a vertex that is not finite, and indices that are out of range or not in threes.
  // No triangles at all is fine: such a mesh is a cloud of points for convex_hull().
  Mesh(std::vector<Vec3> vertices, std::vector<int> indices);

  int triangle_count() const { return int(indices.size() / 3); }
};

// Elevations over the rectangle [-hx, hx] x [-hy, hy]: rows along y, columns along x, the first of each at the
// negative end. Each grid cell is two triangles.
struct Heightfield {
  std::vector<Real> data;  // heights [m], row by row
  int nrow, ncol;
  Real hx, hy;        // half extents [m]
  Real min_z, max_z;  // of the heights [m]

  // With min_z and max_z the data are stretched so that their least value comes to min_z and their greatest to
  // max_z (flat data lie at min_z); with neither, they are heights in metres already.
  Heightfield(std::vector<Real> data, int nrow, int ncol, Real hx, Real hy,
              Real min_z = std::numeric_limits<Real>::quiet_NaN(), Real max_z = std::numeric_limits<Real>::quiet_NaN());
};

// Signed distances to a surface at the nodes of a regular grid, negative inside [m].
struct SDF {
  std::vector<Real> values;  // nx * ny * nz of them, x runs fastest
  int nx, ny, nz;
  Vec3 origin;   // of node (0, 0, 0) [m]
  Real spacing;  // of the nodes, the same along x, y and z [m]

  SDF(std::vector<Real> values, int nx, int ny, int nz, Vec3 origin, Real spacing);

  Real value(int i, int j, int k) const { return values[(std::size_t(k) * ny + j) * nx + i]; }
};

// True when the triangles have no border: every edge is passed as often one way as the other. Vertices at the same
// place count as one, so files that repeat them for each triangle (STL) are closed too.
bool mesh_is_closed(const Mesh& mesh);
// Signed volume [m^3]: negative when the triangles of a closed mesh are clockwise seen from outside.
Real mesh_volume(const Mesh& mesh);

Mesh make_box_mesh(Real hx, Real hy, Real hz);
// An icosahedron with every triangle split in four `subdivisions` times, all vertices on the sphere.
Mesh make_sphere_mesh(Real radius, int subdivisions);

// The convex hull of the vertices, closed, in triangles. Throws Error when they are fewer than four or lie in a plane.
// The result's vertices are those of the input that are corners, in their order; the rest are left out.
Mesh convex_hull(const Mesh& mesh);

// Trilinear between the nodes; outside of the grid, the value at the nearest point of the grid plus the distance to it.
Real sdf_distance(const SDF& sdf, Vec3 p);
// Distances to a closed mesh, on a grid that reaches `padding` [m] beyond its bounds. Throws Error for an open mesh.
SDF sdf_from_mesh(const Mesh& mesh, Real spacing, Real padding);

// -- Shapes. Of the geometries, a function reads the one that belongs to the type; the others may be nullptr.

// Throws Error naming the size that is not finite or not positive.
void validate_shape_scale(ShapeType type, Vec3 scale);

// Mass properties in the shape's frame for a density [kg/m^3]. A shell (is_solid = false) is `thickness` [m] of
// material inwards of the surface; for a mesh or hull it is thin: surface times thickness. Planes and heightfields
// have no mass. Throws Error for a solid mesh that is open, inside out or without volume.
Inertia shape_inertia(ShapeType type, Vec3 scale, Real density, const Mesh* mesh = nullptr, const SDF* sdf = nullptr,
                      bool is_solid = true, Real thickness = 0);

// Box with axes along the shape's frame that holds the shape. As small as can be; for an SDF, up to whole cells.
void shape_local_bounds(ShapeType type, Vec3 scale, const Mesh* mesh, const Heightfield* heightfield, const SDF* sdf,
                        Vec3& lower, Vec3& upper);
// Radius about the origin of the shape's frame that holds the shape [m]; kUnbounded for planes and heightfields.
Real shape_bounding_radius(ShapeType type, Vec3 scale, const Mesh* mesh, const Heightfield* heightfield,
                           const SDF* sdf);

}  // namespace carom::inline CAROM_PRECISION
