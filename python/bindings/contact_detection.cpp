// ContactDetection and its dictionaries, as Python's; in carom.f64 alone.
#include "carom/platform.h"

#if defined(CAROM_F64)
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "carom/contact_detection.h"
#include "convert.h"
#include "model.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

template <class Dict>
nb::dict dict_of(const Dict& dict) {
  nb::dict result;
  for (const auto& [key, value] : dict) result[nb::cast(key)] = nb::cast(value);
  return result;
}

void bind_pair_key(nb::module_& m) {
  m.def("pair_id", &pair_id, nb::arg("shape_a"), nb::arg("shape_b"),
        "The number of a pair of shapes, whatever their order; it keys the dictionaries of ContactDetection.");
  m.def("shapes_of_pair", &shapes_of_pair, nb::arg("pair_id"), "The two shapes of a pair, the smaller one first.");
  nb::class_<PairKey>(m, "PairKey", "Keys of distance_dict: ordered by distance, then by pair.")
      .def(nb::init<Real, PairID>(), nb::arg("distance_with_hysteresis"), nb::arg("pair_id"))
      .def_ro("distance_with_hysteresis", &PairKey::distance_with_hysteresis, "[m]")
      .def_ro("pair_id", &PairKey::pair_id)
      .def(
          "__eq__", [](const PairKey& a, const PairKey& b) { return a == b; }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object) -> bool"))
      .def("__lt__", [](const PairKey& a, const PairKey& b) { return a < b; })
      .def("__hash__",
           [](const PairKey& key) { return nb::hash(nb::make_tuple(key.distance_with_hysteresis, key.pair_id)); })
      .def("__repr__", [](const PairKey& key) {
        return nb::str("PairKey(distance_with_hysteresis={}, pair_id={})")
            .format(key.distance_with_hysteresis, key.pair_id);
      });
}

void bind_entries(nb::module_& m) {
  using M = MaterialContactPair;
  nb::class_<M>(m, "MaterialContactPair", "What stays as it was at the event at which a contact began.")
      .def_ro("distance_rate", &M::distance_rate, "derivative of the distance, negative on approach [m/s]")
      .def_ro("restitution", &M::restitution, "of both shapes, combined by options.combine, as the next ones")
      .def_ro("mu", &M::mu)
      .def_ro("torsional_friction", &M::torsional_friction, "[m]")
      .def_ro("rolling_friction", &M::rolling_friction, "[m]");
  using P = NoContactPair;
  nb::class_<P>(m, "NoContactPair", "A pair that is not in contact.")
      .def_ro("shape_a", &P::shape_a)
      .def_ro("shape_b", &P::shape_b, "greater than shape_a")
      .def_ro("distance_org", &P::distance_org, "of the shapes, or of boxes around them while these are apart [m]")
      .def_ro("distance_with_hysteresis", &P::distance_with_hysteresis, "[m]")
      .def_ro("contact", &P::contact)
      .def_ro("point_a", &P::point_a, "on the surface, or the box, where they are nearest; world frame [m]")
      .def_ro("point_b", &P::point_b, "likewise [m]")
      .def_ro("normal", &P::normal, "unit, from a to b, world frame");
  nb::class_<ContactPair, P>(m, "ContactPair", "A pair in contact.")
      .def_ro("material", &ContactPair::material, "what is known from the event at which it began");
}

}  // namespace

void bind_contact_detection(nb::module_& m) {
  bind_pair_key(m);
  bind_entries(m);
  const ContactDetectionConfig defaults;
  using D = ContactDetection;
  nb::class_<D>(m, "ContactDetection",
                "Which shapes of a world touch and how far the others are apart, with hysteresis: for integrators that "
                "look for the instant at which that changes. See docs/events.md.")
      .def(
          "__init__",
          [](D* self, const ModelHandle& handle, int world, Real z_eps, int nz_max, const std::string& scheme,
             Real smoothing_radius) {
            new (self) D(handle.model, world, {z_eps, nz_max, parse_detection_scheme(scheme), smoothing_radius});
          },
          nb::arg("model"), nb::arg("world") = -1, nb::kw_only(), nb::arg("z_eps") = defaults.z_eps,
          nb::arg("nz_max") = defaults.nz_max, nb::arg("scheme") = detection_scheme_name(defaults.scheme),
          nb::arg("smoothing_radius") = defaults.smoothing_radius,
          "world: -1 is that of a model without worlds. scheme \"pairs\": a function for each of the nz_max nearest "
          "pairs; \"two\": the largest distance in contact and the smallest one apart. smoothing_radius: of the ball "
          "that rounds edges "
          "and corners of boxes, cylinders and cones [m].")
      .def("initialize", &D::initialize, nb::arg("state"),
           "From here on nothing is in contact that does not overlap by more than z_eps.")
      .def("find_at_event", nb::overload_cast<const State&>(&D::find_at_event), nb::arg("state"),
           "At an event: contacts begin and end.")
      .def(
          "find_zero_crossings", [](D& self, const State& state) { return self.find_zero_crossings(state); },
          nb::arg("state"), "The functions z; which pairs are in contact does not change.")
      .def("update", &D::update, nb::arg("state"),
           "Distances, points and normals of the pairs that the dictionaries have; keys and z stay.")
      .def_prop_ro(
          "last_contact_dict", [](const D& d) { return dict_of(d.last_contact_dict()); },
          "MaterialContactPair by pair id, of those in contact at the last event")
      .def_prop_ro(
          "contact_dict", [](const D& d) { return dict_of(d.contact_dict()); },
          "ContactPair by pair id, of those in contact")
      .def_prop_ro(
          "distance_dict", [](const D& d) { return dict_of(d.distance_dict()); },
          "distance by PairKey, of the nearest pairs without contact, in order")
      .def_prop_ro(
          "no_contact_dict", [](const D& d) { return dict_of(d.no_contact_dict()); },
          "NoContactPair by pair id, of the same pairs")
      .def_prop_ro(
          "z", [](const D& d) { return d.z(); }, "those in contact, then the others by distance [m]")
      .def_prop_ro("pair_count", &D::pair_count, "pairs of shapes that may collide");
}

}  // namespace carom::inline CAROM_PRECISION::python
#endif
