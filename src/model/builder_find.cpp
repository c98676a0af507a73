// ModelBuilder: rows by their keys.
#include <string_view>

#include "base/fail.h"
#include "base/near_names.h"
#include "carom/builder.h"
#include "model/entities.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// '*' stands for any letters. After the last star that matched so far, one more letter is given to it and the rest is
// tried again.
bool matches(std::string_view pattern, std::string_view key) {
  std::size_t p = 0, k = 0, star = std::string_view::npos, tried = 0;
  while (k < key.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      tried = k;
    } else if (p < pattern.size() && pattern[p] == key[k]) {
      ++p, ++k;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      k = ++tried;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace

std::vector<int> ModelBuilder::find(Entity entity, const std::string& pattern) const {
  const std::vector<int>* ids = key_column(data_.columns, entity);
  const std::vector<int>* worlds = world_column(data_.columns, entity);
  if (!ids || !worlds) fail(entity_name(entity), "s have no keys");
  const bool one = pattern.find('*') == std::string::npos;
  std::vector<int> found;
  std::vector<std::string> keys;
  for (int i = 0; i < count(entity); ++i) {
    const int world = (*worlds)[i];
    if ((*ids)[i] < 0 || (world >= 0 && world != current_world_)) continue;
    keys.push_back(data_.keys.name((*ids)[i]));
    if (!matches(pattern, keys.back())) continue;
    // A world may have a key that something global has, too.
    if (one && !found.empty() && world < 0) continue;
    if (one) found.clear();
    found.push_back(i);
  }
  if (!found.empty()) return found;
  const std::string where = current_world_ >= 0 ? text(" in world ", current_world_, " or global") : "";
  fail("there is no ", entity_name(entity), " '", pattern, "'", where,
       keys.empty() ? "; none has a key" : "; near are " + near_names(keys, pattern));
}

}  // namespace carom::inline CAROM_PRECISION
