// Custom attributes: JSON objects that rows carry, as Python values.
#include <nanobind/stl/string.h>

#include <unordered_map>

#include "carom/error.h"
#include "model.h"

namespace carom::inline CAROM_PRECISION::python {

Entity custom_entity(const std::string& name) {
  if (name == "body") return Entity::kBody;
  if (name == "shape") return Entity::kShape;
  if (name == "joint") return Entity::kJoint;
  if (name == "articulation") return Entity::kArticulation;
  throw Error("custom attributes: there is no entity '" + name + "'; use body, shape, joint or articulation");
}

nb::dict custom_attributes(const std::string& entity, const std::function<int(Entity)>& count,
                           const std::function<std::string(Entity, int)>& json_of) {
  const Entity kind = custom_entity(entity);
  const int rows = count(kind);
  const nb::object loads = nb::module_::import_("json").attr("loads");
  std::unordered_map<std::string, nb::dict> read;  // many rows have the same text
  nb::dict all;
  for (int row = 0; row < rows; ++row) {
    const std::string json = json_of(kind, row);
    if (json.empty()) continue;
    auto place = read.find(json);
    if (place == read.end()) place = read.emplace(json, nb::cast<nb::dict>(loads(json))).first;
    for (auto [name, value] : place->second) {
      if (!all.contains(name)) all[name] = nb::list(nb::make_tuple(nb::none())) * nb::int_(rows);
      all[name][nb::int_(row)] = value;
    }
  }
  return all;
}

}  // namespace carom::inline CAROM_PRECISION::python
