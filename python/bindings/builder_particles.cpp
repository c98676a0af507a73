// ModelBuilder: particles, springs, cloth and soft bodies. Numbers that are None come from the builder's defaults.
#include "builder.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

TriangleConfig triangle(TriangleConfig cfg, const Number& ke, const Number& ka, const Number& kd, const Number& drag,
                        const Number& lift) {
  override_default(cfg.ke, ke);
  override_default(cfg.ka, ka);
  override_default(cfg.kd, kd);
  override_default(cfg.drag, drag);
  override_default(cfg.lift, lift);
  return cfg;
}

EdgeConfig edge(EdgeConfig cfg, const Number& ke, const Number& kd) {
  override_default(cfg.ke, ke);
  override_default(cfg.kd, kd);
  return cfg;
}

SpringConfig spring(SpringConfig cfg, const Number& ke, const Number& kd, const Number& control = {}) {
  override_default(cfg.ke, ke);
  override_default(cfg.kd, kd);
  override_default(cfg.control, control);
  return cfg;
}

TetrahedronConfig tetrahedron(TetrahedronConfig cfg, const Number& k_mu, const Number& k_lambda, const Number& k_damp) {
  override_default(cfg.k_mu, k_mu);
  override_default(cfg.k_lambda, k_lambda);
  override_default(cfg.k_damp, k_damp);
  return cfg;
}

void def_elements(BuilderClass& cls) {
  cls.def(
      "add_particle",
      [](ModelBuilder& self, const Given<Vec3>& pos, const Given<Vec3>& vel, Real mass, const Number& radius, int flags,
         const Key& key, int collision_group) {
        return self.add_particle(read(pos, "pos"), read(vel, "vel"), mass, radius.value_or(kNotSet), flags, key.text,
                                 collision_group);
      },
      nb::arg("pos"), nb::arg("vel"), nb::arg("mass"), nb::arg("radius") = nb::none(),
      nb::arg("flags") = int(kParticleActive), nb::arg("key") = nb::none(), nb::arg("collision_group") = 1,
      "A particle: position [m], velocity [m/s], mass [kg] (0 = fixed), radius [m] (None: default_particle_radius). "
      "collision_group: 0 collides with nothing, > 0 with its own and negative groups, < 0 with all but itself.");
  cls.def(
      "add_spring",
      [](ModelBuilder& self, int i, int j, const Number& ke, const Number& kd, const Number& control) {
        return self.add_spring(i, j, spring(self.default_spring, ke, kd, control));
      },
      nb::arg("i"), nb::arg("j"), nb::arg("ke") = nb::none(), nb::arg("kd") = nb::none(),
      nb::arg("control") = nb::none(), "A spring between two particles: stiffness ke [N/m], damping kd [N s/m].");
  cls.def(
      "add_triangle",
      [](ModelBuilder& self, int i, int j, int k, const Number& tri_ke, const Number& tri_ka, const Number& tri_kd,
         const Number& tri_drag, const Number& tri_lift) {
        return self.add_triangle(i, j, k, triangle(self.default_tri, tri_ke, tri_ka, tri_kd, tri_drag, tri_lift));
      },
      nb::arg("i"), nb::arg("j"), nb::arg("k"), nb::arg("tri_ke") = nb::none(), nb::arg("tri_ka") = nb::none(),
      nb::arg("tri_kd") = nb::none(), nb::arg("tri_drag") = nb::none(), nb::arg("tri_lift") = nb::none(),
      "A triangle of cloth between three particles.");
  cls.def(
      "add_edge",
      [](ModelBuilder& self, int o0, int o1, int v1, int v2, const Number& rest, const Number& edge_ke,
         const Number& edge_kd) {
        return self.add_edge(o0, o1, v1, v2, edge(self.default_edge, edge_ke, edge_kd), rest.value_or(kNotSet));
      },
      nb::arg("o0"), nb::arg("o1"), nb::arg("v1"), nb::arg("v2"), nb::arg("rest") = nb::none(),
      nb::arg("edge_ke") = nb::none(), nb::arg("edge_kd") = nb::none(),
      "Bending between two triangles with the common edge v1 v2 and the opposite particles o0, o1 (-1 = none). rest: "
      "angle [rad], None = the angle they have now.");
  cls.def(
      "add_tetrahedron",
      [](ModelBuilder& self, int i, int j, int k, int l, const Number& k_mu, const Number& k_lambda,
         const Number& k_damp) {
        return self.add_tetrahedron(i, j, k, l, tetrahedron(self.default_tet, k_mu, k_lambda, k_damp));
      },
      nb::arg("i"), nb::arg("j"), nb::arg("k"), nb::arg("l"), nb::arg("k_mu") = nb::none(),
      nb::arg("k_lambda") = nb::none(), nb::arg("k_damp") = nb::none(),
      "A tetrahedron of a soft body between four particles; Lame parameters [Pa].");
}

void add_cloth_grid(ModelBuilder& self, const Given<Vec3>& pos, const Given<Quat>& rot, const Given<Vec3>& vel,
                    int dim_x, int dim_y, Real cell_x, Real cell_y, Real mass, bool reverse_winding, bool fix_left,
                    bool fix_right, bool fix_top, bool fix_bottom, const Number& tri_ke, const Number& tri_ka,
                    const Number& tri_kd, const Number& tri_drag, const Number& tri_lift, const Number& edge_ke,
                    const Number& edge_kd, bool add_springs, const Number& spring_ke, const Number& spring_kd,
                    const Number& particle_radius) {
  self.add_cloth_grid({.pos = read(pos, "pos"),
                       .rot = read(rot, "rot"),
                       .vel = read(vel, "vel"),
                       .dim_x = dim_x,
                       .dim_y = dim_y,
                       .cell_x = cell_x,
                       .cell_y = cell_y,
                       .mass = mass,
                       .reverse_winding = reverse_winding,
                       .fix = {fix_left, fix_right, fix_top, fix_bottom},
                       .tri = triangle(self.default_tri, tri_ke, tri_ka, tri_kd, tri_drag, tri_lift),
                       .edge = edge(self.default_edge, edge_ke, edge_kd),
                       .add_springs = add_springs,
                       .spring = spring(self.default_spring, spring_ke, spring_kd),
                       .particle_radius = particle_radius.value_or(kNotSet)});
}

void add_soft_grid(ModelBuilder& self, const Given<Vec3>& pos, const Given<Quat>& rot, const Given<Vec3>& vel,
                   int dim_x, int dim_y, int dim_z, Real cell_x, Real cell_y, Real cell_z, Real density, Real k_mu,
                   Real k_lambda, Real k_damp, bool fix_left, bool fix_right, bool fix_top, bool fix_bottom,
                   const Number& tri_ke, const Number& tri_ka, const Number& tri_kd, const Number& tri_drag,
                   const Number& tri_lift, const Number& particle_radius) {
  // The surface has no stiffness of its own unless it is asked for.
  std::optional<TriangleConfig> surface;
  if (tri_ke || tri_ka || tri_kd || tri_drag || tri_lift)
    surface = triangle({0, 0, 0, 0, 0}, tri_ke, tri_ka, tri_kd, tri_drag, tri_lift);
  self.add_soft_grid({.pos = read(pos, "pos"),
                      .rot = read(rot, "rot"),
                      .vel = read(vel, "vel"),
                      .dim_x = dim_x,
                      .dim_y = dim_y,
                      .dim_z = dim_z,
                      .cell_x = cell_x,
                      .cell_y = cell_y,
                      .cell_z = cell_z,
                      .density = density,
                      .tet = {k_mu, k_lambda, k_damp},
                      .fix = {fix_left, fix_right, fix_top, fix_bottom},
                      .tri = surface,
                      .particle_radius = particle_radius.value_or(kNotSet)});
}

void def_grids(BuilderClass& cls) {
  const ClothGridArgs cloth;
  cls.def("add_cloth_grid", &add_cloth_grid, nb::kw_only(), nb::arg("pos") = cloth.pos, nb::arg("rot") = cloth.rot,
          nb::arg("vel") = cloth.vel, nb::arg("dim_x") = cloth.dim_x, nb::arg("dim_y") = cloth.dim_y,
          nb::arg("cell_x") = shortest(cloth.cell_x), nb::arg("cell_y") = shortest(cloth.cell_y),
          nb::arg("mass") = shortest(cloth.mass), nb::arg("reverse_winding") = cloth.reverse_winding,
          nb::arg("fix_left") = cloth.fix.left, nb::arg("fix_right") = cloth.fix.right,
          nb::arg("fix_top") = cloth.fix.top, nb::arg("fix_bottom") = cloth.fix.bottom, nb::arg("tri_ke") = nb::none(),
          nb::arg("tri_ka") = nb::none(), nb::arg("tri_kd") = nb::none(), nb::arg("tri_drag") = nb::none(),
          nb::arg("tri_lift") = nb::none(), nb::arg("edge_ke") = nb::none(), nb::arg("edge_kd") = nb::none(),
          nb::arg("add_springs") = cloth.add_springs, nb::arg("spring_ke") = nb::none(),
          nb::arg("spring_kd") = nb::none(), nb::arg("particle_radius") = nb::none(),
          "A sheet of dim_x x dim_y cells of cell_x x cell_y [m], its first particle at pos [m], turned by rot, moving "
          "with vel [m/s]; mass of each particle [kg]. fix_*: particles of that side are fixed.");

  const SoftGridArgs soft;
  cls.def("add_soft_grid", &add_soft_grid, nb::kw_only(), nb::arg("pos") = soft.pos, nb::arg("rot") = soft.rot,
          nb::arg("vel") = soft.vel, nb::arg("dim_x") = soft.dim_x, nb::arg("dim_y") = soft.dim_y,
          nb::arg("dim_z") = soft.dim_z, nb::arg("cell_x") = shortest(soft.cell_x),
          nb::arg("cell_y") = shortest(soft.cell_y), nb::arg("cell_z") = shortest(soft.cell_z),
          nb::arg("density") = soft.density, nb::arg("k_mu") = soft.tet.k_mu, nb::arg("k_lambda") = soft.tet.k_lambda,
          nb::arg("k_damp") = soft.tet.k_damp, nb::arg("fix_left") = soft.fix.left,
          nb::arg("fix_right") = soft.fix.right, nb::arg("fix_top") = soft.fix.top,
          nb::arg("fix_bottom") = soft.fix.bottom, nb::arg("tri_ke") = nb::none(), nb::arg("tri_ka") = nb::none(),
          nb::arg("tri_kd") = nb::none(), nb::arg("tri_drag") = nb::none(), nb::arg("tri_lift") = nb::none(),
          nb::arg("particle_radius") = nb::none(),
          "A block of dim_x x dim_y x dim_z cells of cell_x x cell_y x cell_z [m], each split into tetrahedra; density "
          "[kg/m^3], Lame parameters [Pa]. fix_*: particles of that side are fixed.");
}

}  // namespace

void bind_builder_particles(BuilderClass& cls) {
  def_elements(cls);
  def_grids(cls);
}

}  // namespace carom::inline CAROM_PRECISION::python
