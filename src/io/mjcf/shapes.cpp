// Geoms as shapes, with the meshes and heightfields that they are made of.
//
// Planes are infinite, shapes have no thickness, colliding meshes are the hulls that MuJoCo made of them, and the base
// of a heightfield is left out.
#include <algorithm>
#include <map>

#include "io/mjcf/mapping.h"
#include "io/mjcf/mujoco_enums.h"

namespace carom::inline CAROM_PRECISION {

namespace {

constexpr int kGroupsShown = 3;  // the groups that MuJoCo's viewers show at first

using MeshesByUse = std::map<std::pair<int, bool>, std::shared_ptr<const Mesh>>;  // (mesh, as a hull)

// What contacts of a geom go by, its own or that of the options.
struct GeomContact {
  double margin;
  std::array<double, 3> friction;
  RealN<2> solref;
  RealN<5> solimp;
};

GeomContact geom_contact(const Mapping& map, int geom) {
  const CompiledMjcf& m = map.m;
  if (!map.has.override_contacts)
    return {at(m.geom_margin, geom), doubles<3>(m.geom_friction, geom), reals<2>(m.geom_solref, geom),
            reals<5>(m.geom_solimp, geom)};
  const std::array<double, 5>& friction = m.opt_o_friction;
  return {m.opt_o_margin / 2,  // margins of two geoms are added
          {friction[0], friction[2], friction[3]},
          to_real(m.opt_o_solref),
          to_real(m.opt_o_solimp)};
}

void set_fluid(ShapeConfig& cfg, const CompiledMjcf& m, int geom) {
  const double* fluid = row(m.geom_fluid, geom, 12);
  const int type = at(m.geom_type, geom);
  cfg.fluid_ellipsoid = fluid[0] > 0 && type != mj::kPlane && type != mj::kHfield;
  for (int i = 0; i < 5; ++i) cfg.fluid_coef[i] = Real(fluid[1 + i]);
}

ShapeConfig shape_config(const Mapping& map, int geom) {
  const CompiledMjcf& m = map.m;
  const GeomContact contact = geom_contact(map, geom);
  const bool paired = map.pair_reach[geom] > kNoPair, masks = m.geom_contype[geom] || m.geom_conaffinity[geom];
  const bool collides = (masks || paired) && map.has.contact;
  double gap = m.geom_gap[geom];
  if (paired) gap = std::max(gap, map.pair_reach[geom] - contact.margin);  // contacts of pairs must be found, too
  const double contact_margin = std::max(contact.margin + gap, 0.0);
  const double* surface = row(m.geom_surfacevel, geom, 6);
  ShapeConfig cfg{.density = 0,
                  .mu = Real(contact.friction[0]),
                  .torsional_friction = Real(contact.friction[1]),
                  .rolling_friction = Real(contact.friction[2]),
                  .thickness = 0,
                  .contact_margin = Real(contact_margin),
                  .collision_group = map.args.collision_group,
                  .collision_filter_parent = false,
                  .has_shape_collision = collides,
                  .has_particle_collision = collides,
                  .is_visible = m.geom_group[geom] < kGroupsShown,
                  .contype = m.geom_contype[geom],
                  .conaffinity = m.geom_conaffinity[geom],
                  .condim = m.geom_condim[geom],
                  .priority = m.geom_priority[geom],
                  .solmix = Real(m.geom_solmix[geom]),
                  .solref = contact.solref,
                  .solimp = contact.solimp,
                  .gap = collides ? Real(contact_margin - contact.margin) : 0,
                  .adhesion = ignores(map.args, "adhesion") ? 0 : Real(m.geom_adhesion[geom])};
  if (!ignores(map.args, "surfacevel")) cfg.surface_velocity = {to_real(vec3(surface)), to_real(vec3(surface + 3))};
  set_fluid(cfg, m, geom);
  return cfg;
}

// The hull that MuJoCo made of a mesh. Its graph: counts of vertices and faces; per vertex its first edge, and its
// number in the mesh; edges; faces, three vertices of the mesh each.
Mesh hull_of_graph(const CompiledMjcf& m, int graph, const std::vector<Vec3>& all) {
  const int* counts = rows_from(m.mesh_graph, graph, 2);
  const std::int64_t vertex_count = counts[0], face_count = counts[1];
  const int* chosen = rows_from(m.mesh_graph, graph + 2 + vertex_count, vertex_count);
  const int* faces = rows_from(m.mesh_graph, graph + 2 + 3 * vertex_count + 3 * face_count, 3 * face_count);
  std::vector<int> new_number(all.size(), -1);
  std::vector<Vec3> vertices(vertex_count);
  for (int i = 0; i < vertex_count; ++i) {
    vertices[i] = at(all, chosen[i]);
    new_number[chosen[i]] = i;
  }
  std::vector<int> triangles(3 * face_count);
  for (int i = 0; i < 3 * face_count; ++i) triangles[i] = at(new_number, faces[i]);
  return {std::move(vertices), std::move(triangles)};
}

void add_mesh_geom(Mapping& map, int geom, const ShapeArgs& args, MeshesByUse& meshes) {
  const int body = map.m.geom_bodyid[geom] - 1;
  const bool hull = args.cfg->has_shape_collision;
  std::shared_ptr<const Mesh>& mesh = meshes[{map.m.geom_dataid[geom], hull}];
  if (!mesh) mesh = make_mesh(map.m, map.m.geom_dataid[geom], hull);
  if (hull) {
    map.builder.add_shape_convex_hull(body, mesh, {1, 1, 1}, args);
  } else {
    map.builder.add_shape_mesh(body, mesh, {1, 1, 1}, args);
  }
}

// At rest, welded to the world.
void add_heightfield_geom(Mapping& map, int geom, ShapeArgs args) {
  const CompiledMjcf& m = map.m;
  const int field = m.geom_dataid[geom], nrow = at(m.hfield_nrow, field), ncol = at(m.hfield_ncol, field);
  const std::array<double, 4> size = doubles<4>(m.hfield_size, field);
  if (nrow < 0 || ncol < 0) fail("heightfield ", field, " of a compiled model has ", nrow, " x ", ncol, " heights");
  const std::int64_t count = std::int64_t(nrow) * ncol;
  const float* data = rows_from(m.hfield_data, at(m.hfield_adr, field), count);
  std::vector<Real> heights(count);
  for (std::int64_t i = 0; i < count; ++i) heights[i] = Real(size[2] * double(data[i]));
  Transformd frame = geom_frame(m, geom);
  for (int body = m.geom_bodyid[geom]; body > 0; body = at(m.body_parentid, body)) frame = body_frame(m, body) * frame;
  args.xform = to_real(frame);
  const auto source = std::make_shared<const Heightfield>(std::move(heights), nrow, ncol, Real(size[0]), Real(size[1]));
  map.builder.add_shape_heightfield(source, {1, 1, 1}, args);
}

void add_geom(Mapping& map, int geom, MeshesByUse& meshes) {
  const CompiledMjcf& m = map.m;
  const RealN<3> size = reals<3>(m.geom_size, geom);
  const int body = m.geom_bodyid[geom] - 1, type = m.geom_type[geom];
  const ShapeArgs args{to_real(geom_frame(m, geom)), shape_config(map, geom), name_at(m.name_geom, geom)};
  switch (type) {
    case mj::kPlane: map.builder.add_shape_plane(body, 0, 0, args); break;
    case mj::kHfield: add_heightfield_geom(map, geom, args); break;
    case mj::kSphere: map.builder.add_shape_sphere(body, size[0], args); break;
    case mj::kCapsule: map.builder.add_shape_capsule(body, size[0], size[1], args); break;
    case mj::kEllipsoid: map.builder.add_shape_ellipsoid(body, size[0], size[1], size[2], args); break;
    case mj::kCylinder: map.builder.add_shape_cylinder(body, size[0], size[1], args); break;
    case mj::kBox: map.builder.add_shape_box(body, size[0], size[1], size[2], args); break;
    case mj::kMesh: add_mesh_geom(map, geom, args, meshes); break;
    default: fail(map.args.who, ": geom ", geom, " has the unknown type ", type);
  }
}

}  // namespace

std::shared_ptr<const Mesh> make_mesh(const CompiledMjcf& m, int mesh, bool hull) {
  const int count = at(m.mesh_vertnum, mesh), faces = at(m.mesh_facenum, mesh), graph = at(m.mesh_graphadr, mesh);
  const float* numbers = rows_from(m.mesh_vert, at(m.mesh_vertadr, mesh), count, 3);
  std::vector<Vec3> vertices(count);
  for (int i = 0; i < count; ++i) vertices[i] = {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
  if (hull && graph >= 0) return std::make_shared<const Mesh>(hull_of_graph(m, graph, vertices));
  const int* indices = rows_from(m.mesh_face, at(m.mesh_faceadr, mesh), faces, 3);
  return std::make_shared<const Mesh>(std::move(vertices), std::vector<int>(indices, indices + std::size_t(3) * faces));
}

void add_shapes(Mapping& map) {
  MeshesByUse meshes;
  for (int geom = 0; geom < static_cast<int>(map.m.geom_type.size()); ++geom) {
    map.now = {MjcfRows::kGeom, geom};
    add_geom(map, geom, meshes);
  }
}

}  // namespace carom::inline CAROM_PRECISION
