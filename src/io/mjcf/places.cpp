// Where the rows of a compiled model stand in their files.
#include "io/mjcf/compile.h"

namespace carom::inline CAROM_PRECISION {

void note_place(Compiling& c, MjcfRows kind, const XmlPlace& place, const std::string& element) {
  c.places.rows[static_cast<std::size_t>(kind)].push_back({place.file, place.line, element});
}

std::string MjcfPlaces::where(MjcfRows kind, int row) const {
  const std::vector<MjcfPlace>& places = rows[static_cast<std::size_t>(kind)];
  if (row >= 0 && static_cast<std::size_t>(row) < places.size()) {
    const MjcfPlace& place = places[static_cast<std::size_t>(row)];
    if (place.file) return at_place({place.file, place.line}, place.element);
  }
  return file.empty() ? "" : file + ": ";
}

}  // namespace carom::inline CAROM_PRECISION
