// The rules that ModelBuilder keeps, for the rows of a finished model that an edit has changed.
#pragma once

#include "carom/model.h"

namespace carom::inline CAROM_PRECISION {

// was, now: the numbers of the model before and after, on the CPU. Brings quaternions and axes in `now` to length 1, as
// the builder does. Throws Error naming column, row and key of the first row that does not fit. Rows that are as they
// were are not looked at.
void check_numbers(const Model& model, const ModelNumbers& was, const ModelNumbers& now);

}  // namespace carom::inline CAROM_PRECISION
