// Heightfields and signed distance fields made ready for kernels: their numbers with the shape's scale applied.
#pragma once

#include <vector>

#include "geometry/shape_view.h"

namespace carom::inline CAROM_PRECISION {

struct HeightfieldArrays {
  std::vector<Real> height;  // [m], row by row
  int nrow, ncol;
  Real hx, hy, min_z, max_z;  // [m]

  // A negative factor mirrors: rows or columns change their order, or heights their sign; solid is what lies below.
  HeightfieldArrays(const Heightfield& field, Vec3 scale);

  HeightfieldView view() const;
};

struct SdfArrays {
  std::vector<Real> value;  // [m], x runs fastest
  int nx, ny, nz;
  Vec3 origin;   // [m]
  Real spacing;  // [m]

  // The factor is positive. Distances grow with the grid.
  SdfArrays(const SDF& sdf, Real scale);

  SdfView view() const;
};

}  // namespace carom::inline CAROM_PRECISION
