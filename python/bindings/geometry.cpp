// Mesh, Heightfield and SDF: geometry that shapes share. Their numbers are shown as read-only numpy views.
#include "carom/geometry.h"

#include <nanobind/ndarray.h>

#include "bindings.h"
#include "convert.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

// A view of a vector's numbers that keeps `owner` alive.
template <class Scalar>
nb::object view(const void* data, std::initializer_list<std::size_t> shape, nb::handle owner,
                std::initializer_list<std::int64_t> strides = {}) {
  return nb::cast(nb::ndarray<nb::numpy, const Scalar>(data, shape, owner, strides));
}

void new_mesh(Mesh* self, nb::handle vertices, nb::handle indices) {
  const Numbers numbers = read_numbers(vertices, "vertices");
  if (numbers.shape.size() != 2 || numbers.shape[1] != 3) throw Error("vertices: expected an array of n x 3 numbers");
  std::vector<Vec3> points;
  points.reserve(numbers.shape[0]);
  for (std::size_t i = 0; i < numbers.values.size(); i += 3)
    points.push_back({numbers.values[i], numbers.values[i + 1], numbers.values[i + 2]});
  new (self) Mesh(std::move(points), read_integers(indices, "indices"));
}

void new_heightfield(Heightfield* self, nb::handle data, int nrow, int ncol, Real hx, Real hy,
                     std::optional<Real> min_z, std::optional<Real> max_z) {
  const Real not_given = std::numeric_limits<Real>::quiet_NaN();
  new (self) Heightfield(read_numbers(data, "data").values, nrow, ncol, hx, hy, min_z.value_or(not_given),
                         max_z.value_or(not_given));
}

// values[i, j, k] belongs to node (i, j, k); the struct stores x fastest, which is numpy's Fortran order.
void new_sdf(SDF* self, nb::handle values, const Given<Vec3>& origin, Real spacing) {
  nb::object nodes = nb::module_::import_("numpy").attr("transpose")(values);
  Numbers numbers = read_numbers(nodes, "values");
  if (numbers.shape.size() != 3) throw Error("values: expected an array of nx x ny x nz numbers");
  const auto extent = [&](int axis) { return int(numbers.shape[axis]); };
  const int nx = extent(2), ny = extent(1), nz = extent(0);
  new (self) SDF(std::move(numbers.values), nx, ny, nz, read(origin, "origin"), spacing);
}

void bind_mesh(nb::module_& m) {
  nb::class_<Mesh>(m, "Mesh", "A triangle mesh; immutable and shared by the shapes that use it.")
      .def("__init__", &new_mesh, nb::arg("vertices"), nb::arg("indices"),
           nb::sig("def __init__(self, vertices: numpy.typing.ArrayLike, indices: numpy.typing.ArrayLike) -> None"),
           "vertices: n x 3 [m]. indices: three per triangle, counter-clockwise seen from outside.")
      .def_prop_ro(
          "vertices",
          [](nb::pointer_and_handle<Mesh> self) {
            return view<Real>(self.p->vertices.data(), {self.p->vertices.size(), 3}, self.h);
          },
          nb::sig("def vertices(self) -> numpy.typing.NDArray[typing.Any]"), "Vertices, n x 3 [m]; a read-only view.")
      .def_prop_ro(
          "indices",
          [](nb::pointer_and_handle<Mesh> self) {
            return view<int>(self.p->indices.data(), {self.p->indices.size()}, self.h);
          },
          nb::sig("def indices(self) -> numpy.typing.NDArray[typing.Any]"),
          "Vertex indices, three per triangle; a read-only view.")
      .def_prop_ro("triangle_count", &Mesh::triangle_count, "Number of triangles.")
      .def("__repr__", [](const Mesh& self) {
        return "Mesh(" + std::to_string(self.vertices.size()) + " vertices, " + std::to_string(self.triangle_count()) +
               " triangles)";
      });

  m.def("make_box_mesh", &make_box_mesh, nb::arg("hx"), nb::arg("hy"), nb::arg("hz"),
        "A box as triangles; half extents [m].");
  m.def("make_sphere_mesh", &make_sphere_mesh, nb::arg("radius"), nb::arg("subdivisions"),
        "An icosahedron with every triangle split in four `subdivisions` times; radius [m].");
  m.def("convex_hull", &convex_hull, nb::arg("mesh"), nb::call_guard<nb::gil_scoped_release>(),
        "The convex hull of the mesh's vertices.");
  m.def("mesh_is_closed", &mesh_is_closed, nb::arg("mesh"), "True when the triangles have no border.");
  m.def("mesh_volume", &mesh_volume, nb::arg("mesh"), "Signed volume of a closed mesh [m^3].");
}

void bind_heightfield(nb::module_& m) {
  nb::class_<Heightfield>(m, "Heightfield",
                          "Elevations over the rectangle [-hx, hx] x [-hy, hy]: rows along y, columns along x.")
      .def("__init__", &new_heightfield, nb::arg("data"), nb::arg("nrow"), nb::arg("ncol"), nb::kw_only(),
           nb::arg("hx"), nb::arg("hy"), nb::arg("min_z") = nb::none(), nb::arg("max_z") = nb::none(),
           nb::sig("def __init__(self, data: numpy.typing.ArrayLike, nrow: int, ncol: int, *, hx: float, hy: float, "
                   "min_z: float | None = None, max_z: float | None = None) -> None"),
           "data: nrow x ncol heights [m]. hx, hy: half extents [m]. min_z, max_z: the data are stretched to this "
           "range [m]; with neither, they are heights already.")
      .def_prop_ro(
          "data",
          [](nb::pointer_and_handle<Heightfield> self) {
            return view<Real>(self.p->data.data(), {std::size_t(self.p->nrow), std::size_t(self.p->ncol)}, self.h);
          },
          nb::sig("def data(self) -> numpy.typing.NDArray[typing.Any]"), "Heights [m], nrow x ncol; a read-only view.")
      .def_ro("nrow", &Heightfield::nrow, "Rows, along y.")
      .def_ro("ncol", &Heightfield::ncol, "Columns, along x.")
      .def_ro("hx", &Heightfield::hx, "Half extent along x [m].")
      .def_ro("hy", &Heightfield::hy, "Half extent along y [m].")
      .def_ro("min_z", &Heightfield::min_z, "Lowest height [m].")
      .def_ro("max_z", &Heightfield::max_z, "Greatest height [m].");
}

void bind_sdf(nb::module_& m) {
  nb::class_<SDF>(m, "SDF", "Signed distances to a surface at the nodes of a regular grid, negative inside [m].")
      .def("__init__", &new_sdf, nb::arg("values"), nb::kw_only(), nb::arg("origin"), nb::arg("spacing"),
           nb::sig("def __init__(self, values: numpy.typing.ArrayLike, *, origin: numpy.typing.ArrayLike, "
                   "spacing: float) -> None"),
           "values: nx x ny x nz distances [m]; values[i, j, k] is that of the node at origin + spacing (i, j, k).")
      .def_static(
          "from_mesh",
          [](const Mesh& mesh, Real spacing, std::optional<Real> padding) {
            nb::gil_scoped_release unlocked;
            return sdf_from_mesh(mesh, spacing, padding.value_or(2 * spacing));
          },
          nb::arg("mesh"), nb::arg("spacing"), nb::arg("padding") = nb::none(),
          "Distances to a closed mesh on a grid with this spacing [m] that reaches padding [m] beyond the mesh; "
          "None: two cells.")
      .def_prop_ro(
          "values",
          [](nb::pointer_and_handle<SDF> self) {
            const std::int64_t nx = self.p->nx, ny = self.p->ny, nz = self.p->nz;
            return view<Real>(self.p->values.data(), {std::size_t(nx), std::size_t(ny), std::size_t(nz)}, self.h,
                              {1, nx, nx * ny});
          },
          nb::sig("def values(self) -> numpy.typing.NDArray[typing.Any]"),
          "Distances [m], nx x ny x nz; a read-only view.")
      .def_ro("origin", &SDF::origin, "Node (0, 0, 0) [m].")
      .def_ro("spacing", &SDF::spacing, "Distance of neighbouring nodes [m].");

  m.def(
      "sdf_distance", [](const SDF& sdf, const Given<Vec3>& p) { return sdf_distance(sdf, read(p, "p")); },
      nb::arg("sdf"), nb::arg("p"), "Signed distance at a point p [m], trilinear between the nodes [m].");
}

}  // namespace

void bind_geometry(nb::module_& m) {
  nb::enum_<ShapeType>(m, "ShapeType", nb::is_arithmetic(), "Values of Model.shape_type.")
      .value("NONE", ShapeType::kNone)
      .value("PLANE", ShapeType::kPlane)
      .value("HEIGHTFIELD", ShapeType::kHeightfield)
      .value("SPHERE", ShapeType::kSphere)
      .value("CAPSULE", ShapeType::kCapsule)
      .value("ELLIPSOID", ShapeType::kEllipsoid)
      .value("CYLINDER", ShapeType::kCylinder)
      .value("BOX", ShapeType::kBox)
      .value("MESH", ShapeType::kMesh)
      .value("CONE", ShapeType::kCone)
      .value("CONVEX_HULL", ShapeType::kConvexHull)
      .value("SDF", ShapeType::kSdf);
  bind_mesh(m);
  bind_heightfield(m);
  bind_sdf(m);
}

}  // namespace carom::inline CAROM_PRECISION::python
