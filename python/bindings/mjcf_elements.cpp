// What the reader of MJCF knows and what its limits are, for the page of the docs that shows them.
#include "carom/mjcf_elements.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "carom/mjcf.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

nb::list elements() {
  nb::list list;
  for (const MjcfElementInfo& element : mjcf_elements()) {
    nb::list attributes;
    for (const MjcfAttributeInfo& attribute : element.attributes)
      attributes.append(nb::make_tuple(attribute.name, attribute.use, attribute.values));
    nb::dict entry;
    entry["id"] = element.id;
    entry["tag"] = element.tag;
    entry["use"] = element.use;
    entry["attributes"] = attributes;
    entry["children"] = element.children;
    list.append(entry);
  }
  return list;
}

// Names all fields: one more, and this does not compile until it is shown.
nb::dict limits() {
  const MjcfLimits all;
  const auto& [bytes, depth, elements, files, numbers] = static_cast<const FileLimits&>(all);
  nb::dict entries;
  entries["bytes"] = bytes;
  entries["depth"] = depth;
  entries["elements"] = elements;
  entries["files"] = files;
  entries["numbers"] = numbers;
  entries["steps"] = all.steps;
  return entries;
}

}  // namespace

void bind_mjcf_elements(nb::module_& m) {
  m.def("_mjcf_elements", &elements);
  m.def("_mjcf_limits", &limits);
}

}  // namespace carom::inline CAROM_PRECISION::python
