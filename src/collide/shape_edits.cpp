#include "collide/shape_edits.h"

#include <algorithm>

namespace carom::inline CAROM_PRECISION {

bool shapes_were_edited(const Model& model, std::int64_t since) {
  const std::optional<std::vector<ColumnChange>> changes = model.changes_since(since);
  if (!changes) return true;
  return std::any_of(changes->begin(), changes->end(), [](const ColumnChange& change) {
    return !change.column.starts_with("body_") && !change.column.starts_with("joint_") && change.column != "gravity";
  });
}

}  // namespace carom::inline CAROM_PRECISION
