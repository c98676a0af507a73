// A run of rows in a column, as that of a world.
#pragma once

#include "carom/platform.h"

namespace carom::inline CAROM_PRECISION {

struct Rows {
  int begin, end;
  int count() const { return end - begin; }
};

}  // namespace carom::inline CAROM_PRECISION
