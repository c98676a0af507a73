// Rows of hulls of 32 bytes: two of NEON, one of AVX register.
#define CAROM_TIER rows_of_32
#define CAROM_TIER_BYTES 32
#include "tests/collide/hull_rows_checks.h"

CAROM_TEST_HULL_ROWS(HullRowsOf32)
