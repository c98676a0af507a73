// A shape as kernels see it, in its own frame: its type, its sizes and, for shapes made of shared geometry, a view of
// that geometry with the shape's scale applied. Plain data; the arrays are owned by GeometryTable.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "carom/geometry.h"

namespace carom::inline CAROM_PRECISION {

// -- Convex hulls. Faces are polygons: neighbouring triangles in one plane are one face.

struct HullFace {
  Vec3 normal;       // unit, outwards
  Real offset;       // normal . p = offset for the points of the face [m]
  int first, count;  // corners: face_vertex[first ... first + count), counter-clockwise seen from outside
};
struct HullEdge {
  int tail, head;   // vertices, tail < head
  int left, right;  // faces: `left` passes the edge from tail to head
};
// The same numbers side by side, for the searches that look at all of them: one row per coordinate. Rows are filled up
// to a multiple of kHullRow with copies of their first entry.
inline constexpr int kHullRow = 8;
constexpr std::size_t hull_row_stride(std::size_t entries) { return (entries + kHullRow - 1) / kHullRow * kHullRow; }

struct HullRows {
  const Real* vertex;              // x, y, z
  const Real* face;                // normal (x, y, z), offset
  int vertex_stride, face_stride;  // from row to row
};

// Up to so many vertices, looking at each of them finds the farthest one soonest.
inline constexpr int kHullScanLimit = 48;

// Vertices that may be the farthest along a direction, by its cell (hull_directions.h): cells are numbered row by row
// on the faces -x, +x, -y, +y, -z, +z of a cube, along the next axis and then the one after it. The entries of each are
// filled up to a multiple of kHullRow with copies of the first one.
struct HullDirections {
  int side;            // cells along an edge of the cube; 0: none, the hull is small
  const int* start;    // first entry of each cell, and the end of the last
  const int* id;       // vertex, ascending in a cell
  const Real* vertex;  // of the cell: all x, all y, all z
};

// What the search for the axis of two hulls wants to know of an edge.
struct HullEdgeParts {
  Vec3 tail;         // [m]
  Vec3 direction;    // unit, from tail to head
  Vec3 left, right;  // normals of the two faces
};
inline constexpr int kHullEdgeNumbers = 12;

// A set of edges, by bit, of hulls that have no more.
struct HullEdgeSet {
  static constexpr int kWords = 3, kMost = 64 * kWords;
  std::uint64_t word[kWords];
};

struct HullView {
  const Vec3* vertex;
  const HullFace* face;
  const int* face_vertex;
  const HullEdge* edge;  // each once
  const HullEdgeParts* edge_parts;
  const HullEdgeSet* face_edges;  // of each face; none where there are more than HullEdgeSet::kMost
  const int* neighbor_start;      // vertex_count + 1 entries: vertices joined to vertex v by an edge are
  const int* neighbor;            // neighbor[neighbor_start[v] ... neighbor_start[v + 1]), ascending
  int vertex_count, face_count, edge_count;
  Vec3 center;        // strictly inside [m]
  Real inner_radius;  // of a ball about the centre that is inside [m]
  Real outer_radius;  // of one that all is inside of [m]
  Real face_rise;     // by which the plane of a face is above its corners at most [m]
  Real half_cosine;   // of half the greatest angle between normals of neighbouring faces
  HullRows rows;
  HullDirections directions;
};

// -- Triangle meshes, with a tree of boxes over the triangles.

// Inner nodes have count = 0 and their children at `first` and `first + 1`; leaves hold the triangles
// bvh_triangle[first ... first + count).
struct BvhNode {
  Vec3 lower, upper;
  int first, count;
};
// Bits of triangle_flags: side k (from corner k to corner k + 1) is convex: seen from outside, the surface bends away
// there, so that contacts may push along directions between the two faces. Sides without a neighbour count as convex;
// flat and concave ones do not.
enum TriangleFlag : std::int32_t { kConvexSide0 = 1, kConvexSide1 = 2, kConvexSide2 = 4 };

struct MeshView {
  const Vec3* vertex;
  const std::array<std::int32_t, 3>* triangle;  // counter-clockwise seen from outside
  const int* triangle_flags;
  const BvhNode* node;  // node 0 is the root
  const int* bvh_triangle;
  int vertex_count, triangle_count, node_count;
  bool closed;  // has an inside
};

// -- Fields.

struct HeightfieldView {
  const Real* height;  // [m], row by row
  int nrow, ncol;
  Real hx, hy;        // half extents [m]
  Real min_z, max_z;  // [m]
};
struct SdfView {
  const Real* value;  // [m], x runs fastest
  int nx, ny, nz;
  Vec3 origin;   // of node (0, 0, 0) [m]
  Real spacing;  // [m]
};

// The one that belongs to the type of the shape is filled.
struct GeometryView {
  HullView hull;
  MeshView mesh;
  HeightfieldView heightfield;
  SdfView sdf;
};

struct ShapeView {
  ShapeType type;
  Vec3 scale;                    // sizes, as in carom/geometry.h; of no meaning where there is geometry
  const GeometryView* geometry;  // nullptr for shapes without one; of a box, its hull, where the model has hulls
};

}  // namespace carom::inline CAROM_PRECISION
