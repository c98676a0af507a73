// Rows of hulls of 8 bytes: half of one register.
#define CAROM_TIER rows_of_8
#define CAROM_TIER_BYTES 8
#include "tests/collide/hull_rows_checks.h"

CAROM_TEST_HULL_ROWS(HullRowsOf8)
