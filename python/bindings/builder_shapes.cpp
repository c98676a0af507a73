// ModelBuilder: shapes and sites. Body -1 is the world.
#include <nanobind/stl/shared_ptr.h>

#include "builder.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

using Pose = MaybeGiven<Transform>;
using Config = std::optional<ShapeConfig>;

ShapeArgs shape_args(const Pose& xform, const Config& cfg, const Key& key) {
  return {read(xform, "xform"), cfg, key.text};
}

// cls.def of a method that ends with the arguments all shapes have.
template <class Method, class... Args>
void def_shape(BuilderClass& cls, const char* name, Method method, const char* doc, const Args&... args) {
  cls.def(name, method, args..., nb::arg("xform") = nb::none(), nb::arg("cfg") = nb::none(),
          nb::arg("key") = nb::none(), doc);
}

void def_planes(BuilderClass& cls) {
  cls.def(
      "add_ground_plane",
      [](ModelBuilder& self, Real height, const Config& cfg, const Key& key) {
        return self.add_ground_plane(height, shape_args({}, cfg, key));
      },
      nb::arg("height") = Real(0), nb::arg("cfg") = nb::none(), nb::arg("key") = nb::none(),
      "An infinite plane on body -1, `height` [m] above the origin; its normal points up.");
  def_shape(
      cls, "add_shape_plane",
      [](ModelBuilder& self, Real width, Real length, int body, const Pose& xform, const Config& cfg, const Key& key) {
        return self.add_shape_plane(body, width, length, shape_args(xform, cfg, key));
      },
      "A plane with normal +z; width along x and length along y [m], 0 = infinite.", nb::arg("width") = Real(0),
      nb::arg("length") = Real(0), nb::arg("body") = -1);
}

void def_round_shapes(BuilderClass& cls) {
  def_shape(
      cls, "add_shape_sphere",
      [](ModelBuilder& self, int body, Real radius, const Pose& xform, const Config& cfg, const Key& key) {
        return self.add_shape_sphere(body, radius, shape_args(xform, cfg, key));
      },
      "A sphere; radius [m].", nb::arg("body") = -1, nb::arg("radius") = Real(1));

  using Add = int (ModelBuilder::*)(int, Real, Real, const ShapeArgs&);
  const auto def_axial = [&](const char* name, Add add, const char* doc) {
    def_shape(
        cls, name,
        [add](ModelBuilder& self, int body, Real radius, Real half_height, const Pose& xform, const Config& cfg,
              const Key& key) { return (self.*add)(body, radius, half_height, shape_args(xform, cfg, key)); },
        doc, nb::arg("body") = -1, nb::arg("radius") = Real(1), nb::arg("half_height") = Real(0.5));
  };
  def_axial("add_shape_capsule", &ModelBuilder::add_shape_capsule,
            "A capsule along z; radius, half_height of the part without the caps [m].");
  def_axial("add_shape_cylinder", &ModelBuilder::add_shape_cylinder, "A cylinder along z; radius, half_height [m].");
  def_axial("add_shape_cone", &ModelBuilder::add_shape_cone, "A cone with its apex at +z; radius, half_height [m].");
}

void def_sized_shapes(BuilderClass& cls) {
  using Add = int (ModelBuilder::*)(int, Real, Real, Real, const ShapeArgs&);
  const auto def = [&](const char* name, Add add, const char* doc, const auto&... sizes) {
    def_shape(
        cls, name,
        [add](ModelBuilder& self, int body, Real x, Real y, Real z, const Pose& xform, const Config& cfg,
              const Key& key) { return (self.*add)(body, x, y, z, shape_args(xform, cfg, key)); },
        doc, nb::arg("body") = -1, sizes...);
  };
  def("add_shape_ellipsoid", &ModelBuilder::add_shape_ellipsoid, "An ellipsoid; semi-axes [m].",
      nb::arg("rx") = Real(1), nb::arg("ry") = Real(0.75), nb::arg("rz") = Real(0.5));
  def("add_shape_box", &ModelBuilder::add_shape_box, "A box; half extents [m].", nb::arg("hx") = Real(0.5),
      nb::arg("hy") = Real(0.5), nb::arg("hz") = Real(0.5));
}

// Shapes made of a shared geometry, stretched by scale along its axes.
void def_geometry_shapes(BuilderClass& cls) {
  const nb::tuple one = nb::make_tuple(1.0, 1.0, 1.0);
  using AddMesh = int (ModelBuilder::*)(int, std::shared_ptr<const Mesh>, Vec3, const ShapeArgs&);
  const auto def_mesh = [&](const char* name, AddMesh add, const char* doc) {
    def_shape(
        cls, name,
        [add](ModelBuilder& self, int body, std::shared_ptr<const Mesh> mesh, const Given<Vec3>& scale,
              const Pose& xform, const Config& cfg, const Key& key) {
          return (self.*add)(body, std::move(mesh), read(scale, "scale"), shape_args(xform, cfg, key));
        },
        doc, nb::arg("body") = -1, nb::kw_only(), nb::arg("mesh"), nb::arg("scale") = one);
  };
  def_mesh("add_shape_mesh", &ModelBuilder::add_shape_mesh, "A triangle mesh; scale: factors along x, y, z.");
  def_mesh("add_shape_convex_hull", &ModelBuilder::add_shape_convex_hull, "The convex hull of a mesh's vertices.");
  def_shape(
      cls, "add_shape_heightfield",
      [](ModelBuilder& self, std::shared_ptr<const Heightfield> heightfield, const Given<Vec3>& scale,
         const Pose& xform, const Config& cfg, const Key& key) {
        return self.add_shape_heightfield(std::move(heightfield), read(scale, "scale"), shape_args(xform, cfg, key));
      },
      "A heightfield, always on body -1.", nb::arg("heightfield"), nb::arg("scale") = one);
  def_shape(
      cls, "add_shape_sdf",
      [](ModelBuilder& self, int body, std::shared_ptr<const SDF> sdf, const Given<Vec3>& scale, const Pose& xform,
         const Config& cfg, const Key& key) {
        return self.add_shape_sdf(body, std::move(sdf), read(scale, "scale"), shape_args(xform, cfg, key));
      },
      "A signed distance field; scale: one factor, three times.", nb::arg("body") = -1, nb::kw_only(), nb::arg("sdf"),
      nb::arg("scale") = one);
}

}  // namespace

void bind_builder_shapes(BuilderClass& cls) {
  def_planes(cls);
  def_round_shapes(cls);
  def_sized_shapes(cls);
  def_geometry_shapes(cls);
  cls.def(
      "add_site",
      [](ModelBuilder& self, int body, const Pose& xform, ShapeType type, const Given<Vec3>& scale, const Key& key,
         bool visible, const std::shared_ptr<const Mesh>& mesh) {
        return self.add_site(body, read(xform, "xform"), type, read(scale, "scale"), key.text, visible, mesh);
      },
      nb::arg("body"), nb::arg("xform") = nb::none(), nb::arg("type") = ShapeType::kSphere,
      nb::arg("scale") = nb::make_tuple(0.01, 0.01, 0.01), nb::arg("key") = nb::none(), nb::arg("visible") = false,
      nb::arg("mesh").none() = nb::none(),
      "A place on a body that sensors refer to; it has no mass and touches nothing. scale [m]. mesh: of a "
      "CONVEX_HULL.");
  const ContactPairArgs pair;
  cls.def(
      "add_contact_pair",
      [](ModelBuilder& self, int shape_a, int shape_b, int condim, const Given<RealN<5>>& friction,
         const Given<RealN<2>>& solref, const Given<RealN<2>>& solref_friction, const Given<RealN<5>>& solimp,
         Real margin, Real gap, Real adhesion, const Key& key) {
        return self.add_contact_pair(
            shape_a, shape_b,
            {condim, read(friction, "friction"), read(solref, "solref"), read(solref_friction, "solref_friction"),
             read(solimp, "solimp"), margin, gap, adhesion, key.text});
      },
      nb::arg("shape_a"), nb::arg("shape_b"), nb::arg("condim") = pair.condim, nb::arg("friction") = pair.friction,
      nb::arg("solref") = pair.solref, nb::arg("solref_friction") = pair.solref_friction,
      nb::arg("solimp") = pair.solimp, nb::arg("margin") = pair.margin, nb::arg("gap") = pair.gap,
      nb::arg("adhesion") = pair.adhesion, nb::arg("key") = nb::none(),
      "The two shapes touch whatever groups, masks and filters say, and their contacts have these numbers in place of "
      "the shapes' own. friction: coefficients along both tangents, torsional friction, rolling friction about both "
      "tangents [m]. solref_friction: of friction in an elliptic cone; zeros: solref. margin: contacts make forces "
      "from this distance on, as far as the margins of the shapes reach [m]. gap: they exist from so much more on [m]. "
      "adhesion: what it takes to pull the sides "
      "of a "
      "contact apart [N].");
  cls.def("add_shape_collision_filter_pair", &ModelBuilder::add_shape_collision_filter_pair, nb::arg("shape_a"),
          nb::arg("shape_b"), "These two shapes never touch.");
}

}  // namespace carom::inline CAROM_PRECISION::python
