// Geoms and sites: sizes, frames, masses.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "io/mjcf/compile.h"
#include "io/mjcf/mujoco_enums.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// A distance field is made of a mesh, and what moves it as well.
bool is_mesh(const GeomSpec& geom) { return geom.type == mj::kMesh || geom.type == mj::kSdf; }

int size_count(int type) {
  switch (type) {
    case mj::kSphere: return 1;
    case mj::kCapsule:
    case mj::kCylinder: return 2;
    case mj::kPlane:
    case mj::kEllipsoid:
    case mj::kBox: return 3;
    default: return 0;
  }
}

void check_size(int type, const Doubles3& sizes, const XmlPlace& place, const char* element) {
  for (int k = 0; k < size_count(type); ++k) {
    const double size = sizes[static_cast<std::size_t>(k)];
    const bool plane = type == mj::kPlane;
    if (plane ? size < 0 : size <= 0)
      fail_compile(place, element, "size ", k, plane ? " is negative: " : " must be positive, is ", size);
  }
}

double volume_of(int type, Vec3d s) {
  switch (type) {
    case mj::kSphere: return 4 * std::numbers::pi / 3 * s.x * s.x * s.x;
    case mj::kCapsule: return std::numbers::pi * s.x * s.x * (2 * s.y + 4 * s.x / 3);
    case mj::kCylinder: return std::numbers::pi * s.x * s.x * 2 * s.y;
    case mj::kEllipsoid: return 4 * std::numbers::pi / 3 * s.x * s.y * s.z;
    case mj::kBox: return 8 * s.x * s.y * s.z;
    default: return 0;
  }
}

// A cylinder and two half balls, whose centres of mass are 3/8 of the radius away from it.
Vec3d capsule_inertia(double mass, double r, double half) {
  const double h = 2 * half;
  const double ball = mass * 4 * r / (4 * r + 3 * h), tube = mass - ball;
  const double along = tube * r * r / 2 + ball * 2 * r * r / 5;
  const double across = tube * (3 * r * r + h * h) / 12 + ball * (2 * r * r / 5 + h * (3 * r / 8 + h / 4));
  return {across, across, along};
}

Vec3d inertia_of(int type, Vec3d s, double mass) {
  const double xx = s.x * s.x, yy = s.y * s.y, zz = s.z * s.z;
  switch (type) {
    case mj::kSphere: return Vec3d{1, 1, 1} * (2 * mass * xx / 5);
    case mj::kCapsule: return capsule_inertia(mass, s.x, s.y);
    case mj::kCylinder: {
      const double across = mass * (3 * xx + 4 * yy) / 12;
      return {across, across, mass * xx / 2};
    }
    case mj::kEllipsoid: return Vec3d{yy + zz, xx + zz, xx + yy} * (mass / 5);
    case mj::kBox: return Vec3d{yy + zz, xx + zz, xx + yy} * (mass / 3);
    default: return {};
  }
}

void check_geom(const GeomSpec& geom) {
  if (geom.type == mj::kHfield && geom.hfield.empty()) fail_compile(geom.place, "geom", "names no hfield");
  if (is_mesh(geom) && geom.mesh.empty()) fail_compile(geom.place, "geom", "names no mesh");
  if (is_mesh(geom) && geom.shell) fail_compile(geom.place, "geom", "shellinertia of meshes is said by <mesh inertia>");
  if (geom.mass < 0 || geom.density < 0) fail_compile(geom.place, "geom", "mass or density is negative");
}

// What a geom has from the mesh or heightfield that it shows.
struct GeomData {
  int id = -1;
  MjcfPose X{};
  Doubles3 size{};
};

GeomData geom_data(const Compiling& c, const GeomSpec& geom) {
  GeomData data{-1, geom.pose, geom.size};
  if (geom.type == mj::kHfield) {
    data.id = find_name(c.heightfields, geom.hfield, geom.place, "geom", "hfield");
    const double* size = row(c.out.hfield_size, data.id, 4);
    data.size = {size[0], size[1], 0.25 * size[2] + 0.5 * size[3]};
  } else if (!geom.mesh.empty()) {
    const int id = find_name(c.meshes, geom.mesh, geom.place, "geom", "mesh");
    const CompiledMesh& mesh = c.compiled_meshes[static_cast<std::size_t>(id)];
    if (is_mesh(geom)) data = {id, geom.pose * mesh.X, {mesh.reach.x, mesh.reach.y, mesh.reach.z}};
    else fit_to_mesh(geom, mesh, data.X, data.size);
  }
  check_size(geom.type, data.size, geom.place, "geom");
  return data;
}

// A velocity and a turn, seen from the frame that a mesh was moved to.
std::array<double, 6> surface_velocity(const GeomSpec& geom, const MjcfPose& X) {
  const MjcfPose moved = inverse(geom.pose) * X;
  const Vec3d given = vec3(geom.surface_velocity.data()), turn = vec3(geom.surface_velocity.data() + 3);
  const Vec3d v = rotate_inverse(moved.q, given + cross(turn, moved.p)), w = rotate_inverse(moved.q, turn);
  return {v.x, v.y, v.z, w.x, w.y, w.z};
}

// Virtual masses, which follow from the size, are left to who needs them.
std::array<double, 12> fluid_numbers(const GeomSpec& geom) {
  std::array<double, 12> numbers{};
  if (!geom.fluid_ellipsoid) return numbers;
  numbers[0] = 1;
  std::copy(geom.fluid_coef.begin(), geom.fluid_coef.end(), numbers.begin() + 1);
  return numbers;
}

void add_geom(Compiling& c, const GeomSpec& geom, int body) {
  CompiledMjcf& m = c.out;
  check_geom(geom);
  if (geom.type == mj::kPlane && at(m.body_weldid, body) != 0)
    fail_compile(geom.place, "geom", "planes stand in bodies that do not move");
  add_name(c.geoms, geom.name, static_cast<int>(m.geom_type.size()), geom.place, "geom");
  note_place(c, MjcfRows::kGeom, geom.place, "geom");
  m.name_geom.push_back(geom.name);
  m.geom_type.push_back(geom.type);
  m.geom_bodyid.push_back(body);
  const GeomData of = geom_data(c, geom);
  m.geom_dataid.push_back(of.id);
  m.geom_contype.push_back(geom.contype);
  m.geom_conaffinity.push_back(geom.conaffinity);
  m.geom_condim.push_back(geom.condim);
  m.geom_priority.push_back(geom.priority);
  m.geom_group.push_back(geom.group);
  append(m.geom_pos, of.X.p);
  append(m.geom_quat, normalize(of.X.q));
  append(m.geom_size, of.size);
  m.geom_margin.push_back(geom.margin);
  m.geom_gap.push_back(geom.gap);
  append(m.geom_friction, geom.friction);
  m.geom_solmix.push_back(geom.solmix);
  append(m.geom_solref, geom.solref);
  append(m.geom_solimp, geom.solimp);
  m.geom_adhesion.push_back(geom.adhesion);
  append(m.geom_surfacevel, geom.mesh.empty() ? geom.surface_velocity : surface_velocity(geom, of.X));
  append(m.geom_fluid, fluid_numbers(geom));
}

// A mesh has been moved to the frame of its inertia, and unlike a geom a site stays where it is.
void add_site(Compiling& c, const SiteSpec& site, int body) {
  CompiledMjcf& m = c.out;
  add_name(c.sites, site.name, static_cast<int>(m.site_type.size()), site.place, "site");
  note_place(c, MjcfRows::kSite, site.place, "site");
  const int mesh = site.mesh.empty() ? -1 : find_name(c.meshes, site.mesh, site.place, "site", "mesh");
  Doubles3 size = site.size;
  if (mesh >= 0) {
    const Vec3d reach = c.compiled_meshes[static_cast<std::size_t>(mesh)].reach;
    size = {reach.x, reach.y, reach.z};
  }
  check_size(site.type, size, site.place, "site");
  const MjcfPose X = c.alignment[static_cast<std::size_t>(body)] * site.pose;
  m.name_site.push_back(site.name);
  m.site_type.push_back(site.type);
  m.site_bodyid.push_back(body);
  m.site_dataid.push_back(mesh);
  append(m.site_pos, X.p);
  append(m.site_quat, normalize(X.q));
  append(m.site_size, size);
}

// A scale gives the mass; the size has its own already.
double scaled_density(const GeomSpec& geom, bool shell) {
  const double L = geom.scale.units.length;
  return geom.density * geom.scale.mass / (L * L * (shell ? 1 : L));
}

}  // namespace

GeomMass geom_mass(const Compiling& c, const GeomSpec& geom, const Doubles3& size) {
  if (is_mesh(geom)) {
    const CompiledMesh& mesh = c.compiled_meshes[static_cast<std::size_t>(c.meshes.at(geom.mesh))];
    const double density = std::isnan(geom.mass) ? scaled_density(geom, mesh.shell) : geom.mass / mesh.volume;
    return {density * mesh.volume, mesh.inertia * density};
  }
  const Vec3d s = vec3(size.data());
  const double volume = geom.shell ? shell_area(geom.type, s) : volume_of(geom.type, s);
  const double mass = std::isnan(geom.mass) ? scaled_density(geom, geom.shell) * volume : geom.mass;
  if (volume <= 0) return {};
  return {mass, geom.shell ? shell_inertia(geom.type, s, mass) : inertia_of(geom.type, s, mass)};
}

void compile_geoms(Compiling& c) {
  for (std::size_t body = 0; body < c.spec.bodies.size(); ++body)
    for (const GeomSpec& geom : c.spec.bodies[body].geoms) add_geom(c, geom, static_cast<int>(body));
}

void compile_sites(Compiling& c) {
  for (std::size_t body = 0; body < c.spec.bodies.size(); ++body)
    for (const SiteSpec& site : c.spec.bodies[body].sites) add_site(c, site, static_cast<int>(body));
}

}  // namespace carom::inline CAROM_PRECISION
