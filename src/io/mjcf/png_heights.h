// Heights from a PNG file, by libpng; nothing else sees it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "carom/platform.h"

namespace carom::inline CAROM_PRECISION {

struct Heights {
  std::int64_t rows = 0, columns = 0;
  std::vector<float> numbers;
};

// As MuJoCo reads them: the upper eight bits of the first channel (grey or red), without regard to transparency and
// gamma; the last row of the picture is the first. Errors begin with `where`; pictures with more than `most` pixels are
// refused before they are unpacked.
Heights read_png_heights(const std::string& content, std::int64_t most, const std::string& where);

}  // namespace carom::inline CAROM_PRECISION
