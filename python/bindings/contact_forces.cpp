// ContactForces: what contacts do to bodies, shapes and pairs of bodies. The GIL is released while it adds up.
#include "carom/contact_forces.h"

#include <nanobind/stl/pair.h>

#include "array.h"
#include "bindings.h"
#include "model.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

using Keys = std::pair<std::optional<std::string>, std::optional<std::string>>;  // none: fixed to the world

ContactForces make(const ModelHandle& model, const std::string& of, const std::optional<std::vector<Keys>>& pairs,
                   const Queue* queue) {
  if (!pairs) return ContactForces(model.model, parse_contact_side(of), queue);
  std::vector<BodyPair> named;
  for (const auto& [first, second] : *pairs) named.push_back({first.value_or(""), second.value_or("")});
  return ContactForces(model.model, named, queue);
}

// As (worlds, columns), without worlds as (columns,).
template <class T>
ArrayHandle table(const ContactForces& forces, const Array<T>& values) {
  ArrayHandle handle(values);
  handle.shape[0] = forces.columns();
  if (forces.model().world_count > 0) handle.shape.insert(handle.shape.begin(), forces.rows());
  return handle;
}

}  // namespace

void bind_contact_forces(nb::module_& m) {
  nb::class_<ContactForces>(
      m, "ContactForces",
      "What all contacts of a world do together to each body (of=\"bodies\"), each shape (of=\"shapes\"), or between "
      "two bodies (pairs=[(key, key), ...], None = what is fixed to the world): arrays with a row for each world. "
      "Columns are the bodies or shapes of the world, then the global ones and, of bodies, one for all that is fixed "
      "to "
      "the world; of pairs, one for each.")
      .def(
          "__init__",
          [](ContactForces* self, const ModelHandle& model, const std::string& of,
             const std::optional<std::vector<Keys>>& pairs,
             const Queue* queue) { new (self) ContactForces(make(model, of, pairs, queue)); },
          nb::arg("model"), nb::arg("of") = contact_side_name(ContactSide::kBodies), nb::kw_only(),
          nb::arg("pairs") = nb::none(), nb::arg("queue") = nb::none())
      .def(
          "update",
          [](ContactForces& self, const Contacts& contacts) {
            nb::gil_scoped_release unlocked;
            self.update(contacts);
          },
          nb::arg("contacts"),
          "Adds up the forces that the last solver wrote into contacts of the model, into the same arrays.")
      .def_prop_ro(
          "force", [](const ContactForces& self) { return table(self, self.force()); },
          "On the body or shape of the column, of a pair on its second body; world frame [N].")
      .def_prop_ro(
          "count", [](const ContactForces& self) { return table(self, self.count()); },
          "Contacts; those that are near and do not push yet count, too.")
      .def("column", &ContactForces::column, nb::arg("key"), nb::arg("world") = 0,
           "The column of the body or shape with this key, of the world or global.");
}

}  // namespace carom::inline CAROM_PRECISION::python
