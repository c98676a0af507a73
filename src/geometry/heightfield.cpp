// Heightfields: checks, and heights from data of any range.
#include <algorithm>

#include "base/fail.h"

#include "carom/geometry.h"

namespace carom::inline CAROM_PRECISION {

namespace {

void check_heightfield(const Heightfield& field) {
  if (field.nrow < 2) fail("heightfield nrow must be at least 2, is ", field.nrow);
  if (field.ncol < 2) fail("heightfield ncol must be at least 2, is ", field.ncol);
  if (field.data.size() != std::size_t(field.nrow) * field.ncol) {
    fail("heightfield data has ", field.data.size(), " values, but nrow * ncol = ", field.nrow, " * ", field.ncol,
         " = ", std::size_t(field.nrow) * field.ncol);
  }
  for (std::size_t i = 0; i < field.data.size(); ++i) {
    if (!is_finite(field.data[i])) {
      fail("heightfield data is not finite in row ", i / field.ncol, ", column ", i % field.ncol);
    }
  }
  if (!(field.hx > 0) || !is_finite(field.hx)) fail("heightfield hx must be positive and finite, is ", field.hx);
  if (!(field.hy > 0) || !is_finite(field.hy)) fail("heightfield hy must be positive and finite, is ", field.hy);
}

}  // namespace

Heightfield::Heightfield(std::vector<Real> data_in, int nrow_in, int ncol_in, Real hx_in, Real hy_in, Real min_z_in,
                         Real max_z_in)
    : data(std::move(data_in)), nrow(nrow_in), ncol(ncol_in), hx(hx_in), hy(hy_in), min_z(min_z_in), max_z(max_z_in) {
  check_heightfield(*this);
  const auto [least, greatest] = std::minmax_element(data.begin(), data.end());
  const Real low = *least, high = *greatest;
  const bool min_given = min_z == min_z, max_given = max_z == max_z;  // not given is not a number
  if (min_given != max_given) {
    fail("heightfield has only ", min_given ? "min_z" : "max_z", ": give both min_z and max_z, or neither");
  }
  if (!min_given) {
    min_z = low;
    max_z = high;
    return;
  }
  if (!is_finite(min_z) || !is_finite(max_z) || max_z < min_z) {
    fail("heightfield max_z must not be below min_z and both must be finite, are ", max_z, " and ", min_z);
  }
  const double stretch = high > low ? (double(max_z) - min_z) / (double(high) - low) : 0.0;
  for (Real& z : data) z = std::min(Real(min_z + (double(z) - low) * stretch), max_z);
  if (!(high > low)) max_z = min_z;
}

}  // namespace carom::inline CAROM_PRECISION
