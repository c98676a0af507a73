// Transform, and the few functions on poses that building a model needs.
#include <nanobind/operators.h>

#include "bindings.h"
#include "carom/math.h"
#include "convert.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

constexpr int kTransformLength = 7;

Real component(const Transform& X, int i) { return i < 3 ? X.p[i] : X.q[i - 3]; }

nb::tuple to_tuple(const Transform& X) { return nb::make_tuple(X.p.x, X.p.y, X.p.z, X.q.x, X.q.y, X.q.z, X.q.w); }

Real item(const Transform& X, int i) {
  if (i < -kTransformLength || i >= kTransformLength) throw nb::index_error("a Transform has 7 numbers");
  return component(X, i < 0 ? i + kTransformLength : i);
}

nb::object transform_as_array(const Transform& X, nb::handle dtype, nb::handle) {
  const char* real = sizeof(Real) == 4 ? "float32" : "float64";
  return nb::module_::import_("numpy").attr("array")(
      to_tuple(X), nb::arg("dtype") = dtype.is_none() ? nb::object(nb::str(real)) : nb::borrow(dtype));
}

bool equal(const Transform& a, const Transform& b) {
  for (int i = 0; i < kTransformLength; ++i)
    if (component(a, i) != component(b, i)) return false;
  return true;
}

}  // namespace

void bind_math(nb::module_& m) {
  nb::class_<Transform>(m, "Transform",
                        "A rigid transform X_AB: position p [m] and rotation q (quaternion x, y, z, w) of frame B in "
                        "frame A. Reads as the seven numbers px py pz qx qy qz qw.")
      .def(
          "__init__",
          [](Transform* self, const Given<Vec3>& p, const Given<Quat>& q) {
            new (self) Transform{read(p, "p"), read(q, "q")};
          },
          nb::arg("p") = Vec3{}, nb::arg("q") = Quat{})
      .def_prop_ro(
          "p", [](const Transform& self) { return self.p; }, "Position [m].")
      .def_prop_ro(
          "q", [](const Transform& self) { return self.q; }, "Rotation, quaternion x, y, z, w.")
      .def(nb::self * nb::self, nb::sig("def __mul__(self, other: Transform) -> Transform"), "X_AC = X_AB * X_BC.")
      .def("__eq__", &equal, nb::is_operator(), nb::sig("def __eq__(self, other: object) -> bool"))
      .def("__hash__", [](const Transform& self) { return nb::hash(to_tuple(self)); })
      .def("__len__", [](const Transform&) { return kTransformLength; })
      .def("__getitem__", &item, nb::arg("index"))
      .def(
          "__iter__", [](const Transform& self) { return nb::iter(to_tuple(self)); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[float]"))
      .def("__array__", &transform_as_array, nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none(),
           nb::sig("def __array__(self, dtype: typing.Any = None, copy: bool | None = None) -> "
                   "numpy.typing.NDArray[typing.Any]"))
      .def(
          "__repr__",
          [](const Transform& self) { return nb::str("Transform(p={!r}, q={!r})").attr("format")(self.p, self.q); },
          nb::sig("def __repr__(self) -> str"));

  m.def(
      "inverse", [](const Transform& X) { return inverse(X); }, nb::arg("X"), "X_BA of X_AB.");
  m.def(
      "transform_point",
      [](const Given<Transform>& X, const Given<Vec3>& p) { return transform_point(read(X, "X"), read(p, "p")); },
      nb::arg("X"), nb::arg("p"), "The point p_A [m] of a point p_B, with X = X_AB.");
  m.def(
      "transform_vector",
      [](const Given<Transform>& X, const Given<Vec3>& v) { return transform_vector(read(X, "X"), read(v, "v")); },
      nb::arg("X"), nb::arg("v"), "The vector v_A of a vector v_B, with X = X_AB.");
  m.def(
      "quat_from_axis_angle",
      [](const Given<Vec3>& axis, Real angle) { return quat_from_axis_angle(read(axis, "axis"), angle); },
      nb::arg("axis"), nb::arg("angle"), "Quaternion x, y, z, w of a turn by angle [rad] about a unit axis.");
}

}  // namespace carom::inline CAROM_PRECISION::python
