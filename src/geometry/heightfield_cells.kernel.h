// Heightfields as triangles. Cell (row, column) has the corners p00, p10 (next column), p01 (next row) and p11; its
// triangles are (p00, p10, p11) and (p00, p11, p01), with the numbers 2 cell and 2 cell + 1, where cells count row by
// row. Newton and MuJoCo cut cells along the same diagonal.
#pragma once

#include "geometry/mesh_walk.kernel.h"
#include "geometry/shape_view.h"
#include "geometry/triangle.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Exact at both ends, and the same number for all cells that share the node.
CAROM_HD Real column_x(const HeightfieldView& field, int column) {
  return field.hx * (Real(2 * column - (field.ncol - 1)) / Real(field.ncol - 1));
}
CAROM_HD Real row_y(const HeightfieldView& field, int row) {
  return field.hy * (Real(2 * row - (field.nrow - 1)) / Real(field.nrow - 1));
}
CAROM_HD Real node_height(const HeightfieldView& field, int row, int column) {
  return field.height[std::int64_t(row) * field.ncol + column];
}
CAROM_HD Vec3 heightfield_node(const HeightfieldView& field, int row, int column) {
  return {column_x(field, column), row_y(field, row), node_height(field, row, column)};
}

CAROM_HD TriangleCorners cell_triangle(const HeightfieldView& field, int row, int column, int half) {
  const Vec3 p00 = heightfield_node(field, row, column), p11 = heightfield_node(field, row + 1, column + 1);
  if (half == 0) return {{p00, heightfield_node(field, row, column + 1), p11}};
  return {{p00, p11, heightfield_node(field, row + 1, column)}};
}
CAROM_HD TriangleCorners triangle_corners(const HeightfieldView& field, int triangle) {
  const int cell = triangle / 2, row = cell / (field.ncol - 1);
  return cell_triangle(field, row, cell - row * (field.ncol - 1), triangle % 2);
}
CAROM_HD int cell_number(const HeightfieldView& field, int row, int column) { return row * (field.ncol - 1) + column; }

// The cell that holds the coordinate, or the nearest one.
CAROM_HD int cell_along(Real coordinate, Real half_extent, int nodes) {
  const Real u = (coordinate + half_extent) / (half_extent + half_extent) * Real(nodes - 1);
  return int(clamp(u, Real(0), Real(nodes - 2)));
}
CAROM_HD int column_of(const HeightfieldView& field, Real x) { return cell_along(x, field.hx, field.ncol); }
CAROM_HD int row_of(const HeightfieldView& field, Real y) { return cell_along(y, field.hy, field.nrow); }

CAROM_HD bool is_over(const HeightfieldView& field, Vec3 p) { return abs(p.x) <= field.hx && abs(p.y) <= field.hy; }

// Height of the surface at (x, y), which lies over the field [m].
CAROM_HD Real surface_height(const HeightfieldView& field, Real x, Real y) {
  const int row = row_of(field, y), column = column_of(field, x);
  const Vec3 p00 = heightfield_node(field, row, column), p11 = heightfield_node(field, row + 1, column + 1);
  const Real u = (x - p00.x) / (p11.x - p00.x), v = (y - p00.y) / (p11.y - p00.y);
  if (u >= v) {
    const Real h10 = node_height(field, row, column + 1);
    return fma(v, p11.z - h10, fma(u, h10 - p00.z, p00.z));
  }
  const Real h01 = node_height(field, row + 1, column);
  return fma(u, p11.z - h01, fma(v, h01 - p00.z, p00.z));
}

// Least and greatest height of the four nodes of a cell.
CAROM_HD void cell_heights(const HeightfieldView& field, int row, int column, Real& low, Real& high) {
  const Real a = node_height(field, row, column), b = node_height(field, row, column + 1);
  const Real c = node_height(field, row + 1, column), d = node_height(field, row + 1, column + 1);
  low = min(min(a, b), min(c, d));
  high = max(max(a, b), max(c, d));
}

}  // namespace carom::inline CAROM_PRECISION

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// Calls visit(triangle, corners) for every triangle whose cell meets the box, row by row; others may be among them.
template <class Visit>
CAROM_HD void triangles_in_box(const HeightfieldView& field, Vec3 lower, Vec3 upper, Visit visit) {
  // One cell more on every side: the division in column_of() may round across a node.
  const int row0 = row_of(field, lower.y) - 1, row1 = row_of(field, upper.y) + 1;
  const int column0 = column_of(field, lower.x) - 1, column1 = column_of(field, upper.x) + 1;
  if (lower.z > field.max_z || upper.z < field.min_z) return;
  for (int row = row0 < 0 ? 0 : row0; row <= row1 && row < field.nrow - 1; ++row) {
    for (int column = column0 < 0 ? 0 : column0; column <= column1 && column < field.ncol - 1; ++column) {
      Real low, high;
      cell_heights(field, row, column, low, high);
      if (low > upper.z || high < lower.z) continue;
      for (int half = 0; half < 2; ++half) {
        visit(2 * cell_number(field, row, column) + half, cell_triangle(field, row, column, half));
      }
    }
  }
}

// Looks for the nearest triangle in square rings of cells about the one below or above p.
struct HeightfieldSearch {
  const HeightfieldView& field;
  Vec3 p;
  NearestTriangle best;

  CAROM_HD bool can_hold_nearer(Vec3 lower, Vec3 upper) const {
    return distance_squared_to_box(p, lower, upper) <= best.at.distance_squared;
  }
  CAROM_HD void visit_cell(int row, int column) {
    if (row < 0 || row >= field.nrow - 1 || column < 0 || column >= field.ncol - 1) return;
    Real low, high;
    cell_heights(field, row, column, low, high);
    const Vec3 lower = {column_x(field, column), row_y(field, row), low};
    if (!can_hold_nearer(lower, {column_x(field, column + 1), row_y(field, row + 1), high})) return;
    for (int half = 0; half < 2; ++half) {
      const int triangle = 2 * cell_number(field, row, column) + half;
      const TrianglePoint at = nearest_of_triangle(cell_triangle(field, row, column, half), p);
      if (is_nearer(p, at, triangle, best.at, best.triangle)) best = {at, triangle};
    }
  }
  // Whether rows [row0, row1) and columns [column0, column1) of cells, cut off at the border, may hold a nearer point.
  CAROM_HD bool strip_is_near(int row0, int row1, int column0, int column1) const {
    row0 = row0 < 0 ? 0 : row0;
    column0 = column0 < 0 ? 0 : column0;
    row1 = row1 > field.nrow - 1 ? field.nrow - 1 : row1;
    column1 = column1 > field.ncol - 1 ? field.ncol - 1 : column1;
    if (row0 >= row1 || column0 >= column1) return false;
    return can_hold_nearer({column_x(field, column0), row_y(field, row0), field.min_z},
                           {column_x(field, column1), row_y(field, row1), field.max_z});
  }
  // The four sides of ring k; returns whether any of them was worth a visit.
  CAROM_HD bool visit_ring(int row, int column, int k) {
    bool near = false;
    for (int side = -1; side <= 1; side += 2) {
      const int r = row + side * k, c = column + side * k;
      if (strip_is_near(r, r + 1, column - k, column + k + 1)) {
        near = true;
        for (int i = column - k; i <= column + k; ++i) visit_cell(r, i);
      }
      if (strip_is_near(row - k + 1, row + k, c, c + 1)) {
        near = true;
        for (int i = row - k + 1; i < row + k; ++i) visit_cell(i, c);
      }
    }
    return near;
  }
};

CAROM_HD_LARGE NearestTriangle nearest_triangle(const HeightfieldView& field, Vec3 p, Real reach) {
  HeightfieldSearch search = {field, p, {{p, reach * reach, kFacePart}, -1}};
  const int row = row_of(field, p.y), column = column_of(field, p.x);
  search.visit_cell(row, column);
  for (int k = 1; search.visit_ring(row, column, k); ++k) {
  }
  return search.best;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
