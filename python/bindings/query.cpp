// ShapeQuery and its answers.
#include "carom/query.h"

#include "convert.h"
#include "model.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

void bind_answers(nb::module_& m) {
  nb::class_<ShapeDistance>(m, "ShapeDistance", "How far two shapes are apart, or how deep they overlap.")
      .def_ro("distance", &ShapeDistance::distance, "between the surfaces, negative when they overlap [m]")
      .def_ro("point_a", &ShapeDistance::point_a, "on the surface of the first shape, world frame [m]")
      .def_ro("point_b", &ShapeDistance::point_b, "on the surface of the second shape, world frame [m]")
      .def_ro("normal", &ShapeDistance::normal, "unit, from the first shape to the second, world frame");
  nb::class_<ClosestPoint>(m, "ClosestPoint", "The point of a shape's surface nearest to a given one.")
      .def_ro("distance", &ClosestPoint::distance, "from the surface, negative inside of the shape [m]")
      .def_ro("point", &ClosestPoint::point, "on the surface, world frame [m]")
      .def_ro("normal", &ClosestPoint::normal, "unit, outwards, world frame");
  nb::class_<RayCast>(m, "RayCast", "What a ray hits first.")
      .def_ro("shape", &RayCast::shape, "-1: nothing was hit")
      .def_ro("distance", &RayCast::distance, "along the ray [m]")
      .def_ro("point", &RayCast::point, "world frame [m]")
      .def_ro("normal", &RayCast::normal, "of the surface, unit, outwards, world frame");
}

}  // namespace

void bind_query(nb::module_& m) {
  bind_answers(m);
  nb::class_<ShapeQuery>(m, "ShapeQuery",
                         "Questions about single shapes of a model on the CPU, where a state has put them. Make a new "
                         "one when shapes or sizes have changed.")
      .def(nb::new_([](const ModelHandle& handle) { return ShapeQuery(handle.model); }), nb::arg("model"))
      .def("distance", &ShapeQuery::distance, nb::arg("state"), nb::arg("shape_a"), nb::arg("shape_b"),
           "Signed distance of two shapes, with the nearest points of their surfaces.")
      .def("overlap", &ShapeQuery::overlap, nb::arg("state"), nb::arg("shape_a"), nb::arg("shape_b"),
           "Whether two shapes overlap.")
      .def(
          "closest_point",
          [](const ShapeQuery& self, const State& state, int shape, const Given<Vec3>& point) {
            return self.closest_point(state, shape, read(point, "point"));
          },
          nb::arg("state"), nb::arg("shape"), nb::arg("point"), "Signed distance of a point [m] from a shape.")
      .def(
          "ray_cast",
          [](const ShapeQuery& self, const State& state, const Given<Vec3>& origin, const Given<Vec3>& direction,
             Real max_distance, int world) {
            return self.ray_cast(state, read(origin, "origin"), read(direction, "direction"), max_distance, world);
          },
          nb::arg("state"), nb::arg("origin"), nb::arg("direction"), nb::arg("max_distance") = kUnbounded,
          nb::arg("world") = -1,
          "The first shape that a ray meets within max_distance [m]: of one world and the globals, or of all (-1). "
          "Rays "
          "meet shapes without their thickness.");
}

}  // namespace carom::inline CAROM_PRECISION::python
