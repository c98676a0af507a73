// Rows of hulls of 64 bytes: one of AVX-512 register.
#define CAROM_TIER rows_of_64
#define CAROM_TIER_BYTES 64
#include "tests/collide/hull_rows_checks.h"

CAROM_TEST_HULL_ROWS(HullRowsOf64)
