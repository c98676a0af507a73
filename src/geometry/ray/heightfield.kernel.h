// Rays and heightfields: cell by cell along the ray (J. Amanatides, A. Woo, "A fast voxel traversal algorithm for ray
// tracing", 1987), looking at triangles only where the ray passes between the heights of the cell.
#pragma once

#include "geometry/heightfield_cells.kernel.h"
#include "geometry/ray/triangle.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// Where along one axis the ray leaves the cells, one after the other.
struct CellSteps {
  int cell, step, cells;
  Real half_extent, p, inverse_d;

  CAROM_HD CellSteps(Real p_in, Real d, Real x, Real half_extent_in, int nodes)
      : cell(cell_along(x, half_extent_in, nodes)),
        step(d < 0 ? -1 : 1),
        cells(nodes - 1),
        half_extent(half_extent_in),
        p(p_in),
        inverse_d(abs(d) > 0 ? Real(1) / d : Real(0)) {}
  CAROM_HD Real next() const {
    if (inverse_d == 0) return kRayEnd;
    const int node = step > 0 ? cell + 1 : cell;
    return (half_extent * (Real(2 * node - cells) / Real(cells)) - p) * inverse_d;
  }
  CAROM_HD bool advance() {
    cell += step;
    return cell >= 0 && cell < cells;
  }
};

CAROM_HD void nearer_hit_of_cell(const HeightfieldView& field, const Ray& ray, const ShearedRay& sheared, int row,
                                 int column, RayHit& best) {
  if (row < 0 || row >= field.nrow - 1 || column < 0 || column >= field.ncol - 1) return;
  for (int half = 0; half < 2; ++half) {
    const TriangleCorners corners = cell_triangle(field, row, column, half);
    const Real t = meet_triangle(sheared, corners);
    if (!(t >= 0 && t <= ray.max_t) || (is_hit(best) && t >= best.t)) continue;
    best = {t, 2 * cell_number(field, row, column) + half};
  }
}

// Rounding may put a ray that runs through a node, or begins on a side, into the wrong cell: then `width` = 1, and the
// cells around are looked at, too.
CAROM_HD_LARGE RayHit ray_cells(const HeightfieldView& field, const Ray& ray, const ShearedRay& sheared, int row,
                                int column, int width) {
  RayHit best = no_hit();
  for (int i = -width; i <= width; ++i) {
    for (int j = -width; j <= width; ++j) nearer_hit_of_cell(field, ray, sheared, row + i, column + j, best);
  }
  return best;
}

CAROM_HD_LARGE RayHit ray_heightfield(const HeightfieldView& field, const Ray& ray) {
  constexpr Real kRounding = sizeof(Real) == 4 ? Real(1e-5) : Real(1e-14);
  const Vec3 extent = {max(field.hx, field.hy), max(abs(field.min_z), abs(field.max_z)), length(ray.p)};
  const Real room = kRounding * max(extent.x, max(extent.y, extent.z));
  const Vec3 corner = {field.hx + room, field.hy + room, field.max_z + room};
  const RaySpan span = span_of_box(ray, {inverse_of(ray.d.x), inverse_of(ray.d.y), inverse_of(ray.d.z)},
                                   {-corner.x, -corner.y, field.min_z - room}, corner);
  Real t = max(span.enter, Real(0));
  const Real end = min(span.leave, ray.max_t);
  if (!(t <= end)) return no_hit();

  const ShearedRay sheared(ray);
  const Vec3 start = ray.at(t);
  CellSteps columns(ray.p.x, ray.d.x, start.x, field.hx, field.ncol);
  CellSteps rows(ray.p.y, ray.d.y, start.y, field.hy, field.nrow);
  for (int width = 1;;) {
    const Real next_column = columns.next(), next_row = rows.next(), next = min(min(next_column, next_row), end);
    Real low, high;
    cell_heights(field, rows.cell, columns.cell, low, high);
    const Real z0 = fma(ray.d.z, t, ray.p.z), z1 = fma(ray.d.z, next, ray.p.z);
    if (min(z0, z1) <= high + room && max(z0, z1) >= low - room) {
      const RayHit hit = ray_cells(field, ray, sheared, rows.cell, columns.cell, width);
      if (is_hit(hit)) return hit;
    }
    if (next >= end) return no_hit();
    width = abs(next_column - next_row) <= room ? 1 : 0;
    if (!(next_column <= next_row ? columns : rows).advance()) return no_hit();
    t = max(t, next);
  }
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
