#include "geometry/field_arrays.h"

#include <algorithm>

namespace carom::inline CAROM_PRECISION {

HeightfieldArrays::HeightfieldArrays(const Heightfield& field, Vec3 scale)
    : nrow(field.nrow), ncol(field.ncol), hx(field.hx * abs(scale.x)), hy(field.hy * abs(scale.y)) {
  height.reserve(field.data.size());
  for (int row = 0; row < nrow; ++row) {
    const int from_row = scale.y < 0 ? nrow - 1 - row : row;
    for (int column = 0; column < ncol; ++column) {
      const int from_column = scale.x < 0 ? ncol - 1 - column : column;
      height.push_back(field.data[std::size_t(from_row) * ncol + from_column] * scale.z);
    }
  }
  const auto [least, greatest] = std::minmax_element(height.begin(), height.end());
  min_z = *least;
  max_z = *greatest;
}

HeightfieldView HeightfieldArrays::view() const { return {height.data(), nrow, ncol, hx, hy, min_z, max_z}; }

SdfArrays::SdfArrays(const SDF& sdf, Real scale)
    : value(sdf.values), nx(sdf.nx), ny(sdf.ny), nz(sdf.nz), origin(sdf.origin * scale), spacing(sdf.spacing * scale) {
  for (Real& v : value) v *= scale;
}

SdfView SdfArrays::view() const { return {value.data(), nx, ny, nz, origin, spacing}; }

}  // namespace carom::inline CAROM_PRECISION
