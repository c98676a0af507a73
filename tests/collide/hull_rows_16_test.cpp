// Rows of hulls of 16 bytes: the register that every machine has.
#define CAROM_TIER rows_of_16
#define CAROM_TIER_BYTES 16
#include "tests/collide/hull_rows_checks.h"

namespace carom::inline CAROM_PRECISION {

std::vector<Real> hull_axes_in_rows_of_16() { return hull_axes(); }

}  // namespace carom::inline CAROM_PRECISION

CAROM_TEST_HULL_ROWS(HullRowsOf16)
