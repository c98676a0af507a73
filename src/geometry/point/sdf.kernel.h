// Signed distance fields: trilinear between the nodes; outside of the grid the value at the nearest point of the grid
// plus the distance to it, as sdf_distance() does. The normal is the field's gradient there; the point of the surface
// is one step of the distance along it, which is where it belongs as far as the field is a distance.
#pragma once

#include "geometry/point/surface_point.h"
#include "geometry/shape_view.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

struct FieldSample {
  Real value;     // [m]
  Vec3 gradient;  // [1]
};

CAROM_HD_LARGE FieldSample sample_field(const SdfView& sdf, Vec3 p) {
  const int size[3] = {sdf.nx, sdf.ny, sdf.nz};
  int cell[3];
  Vec3 fraction, beyond;  // beyond: from the grid to p [m]
  for (int axis = 0; axis < 3; ++axis) {
    const Real u = (p[axis] - sdf.origin[axis]) / sdf.spacing, in_grid = clamp(u, Real(0), Real(size[axis] - 1));
    cell[axis] = int(min(in_grid, Real(size[axis] - 2)));
    fraction[axis] = in_grid - Real(cell[axis]);
    beyond[axis] = (u - in_grid) * sdf.spacing;
  }
  // Along x in the four rows of the cell, then along y, then along z; d... are differences between neighbouring nodes.
  const auto node = [&](int i, int j, int k) CAROM_HD_LAMBDA {
    return sdf.value[(std::int64_t(cell[2] + k) * sdf.ny + cell[1] + j) * sdf.nx + cell[0] + i];
  };
  Real row[2][2], row_dx[2][2];
  for (int k = 0; k < 2; ++k) {
    for (int j = 0; j < 2; ++j) {
      const Real first = node(0, j, k);
      row_dx[k][j] = node(1, j, k) - first;
      row[k][j] = fma(fraction.x, row_dx[k][j], first);
    }
  }
  Real layer[2], layer_dx[2], layer_dy[2];
  for (int k = 0; k < 2; ++k) {
    layer_dy[k] = row[k][1] - row[k][0];
    layer[k] = fma(fraction.y, layer_dy[k], row[k][0]);
    layer_dx[k] = fma(fraction.y, row_dx[k][1] - row_dx[k][0], row_dx[k][0]);
  }
  const Real outside = length(beyond);
  Vec3 gradient = Vec3{fma(fraction.z, layer_dx[1] - layer_dx[0], layer_dx[0]),
                       fma(fraction.z, layer_dy[1] - layer_dy[0], layer_dy[0]), layer[1] - layer[0]} /
                  sdf.spacing;
  for (int axis = 0; axis < 3; ++axis) {
    if (abs(beyond[axis]) > 0) gradient[axis] = beyond[axis] / (outside > 0 ? outside : Real(1));
  }
  return {fma(fraction.z, layer[1] - layer[0], layer[0]) + outside, gradient};
}

CAROM_HD SurfacePoint surface_point_of_sdf(const SdfView& sdf, Vec3 p) {
  const FieldSample field = sample_field(sdf, p);
  const Vec3 normal = unit_or(field.gradient, {0, 0, 1});
  return {fma(normal, -field.value, p), normal, field.value, 0};
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
