// ModelBuilder: particles, springs, triangles, bending edges, tetrahedra, and grids made of them.
#include <algorithm>
#include <limits>
#include <map>

#include "carom/builder.h"
#include "model/checks.h"
#include "model/entities.h"

namespace carom::inline CAROM_PRECISION {

int ModelBuilder::add_particle(Vec3 pos, Vec3 vel, Real mass, Real radius, int flags, const std::string& key,
                               int collision_group) {
  const int particle = count(Entity::kParticle);
  const std::string who = key.empty() ? text("particle ", particle) : text("particle ", particle, " '", key, "'");
  check_room(Entity::kParticle, 1);
  check_finite(who, "pos", pos);
  check_finite(who, "vel", vel);
  check_not_negative(who, "mass", mass);
  const Real r = radius == radius ? radius : default_particle_radius;
  check_not_negative(who, "radius", r);
  const int key_id = claim_key(Entity::kParticle, key);
  ModelColumns<Vector>& c = data_.columns;
  c.particle_q.push_back(pos);
  c.particle_qd.push_back(vel);
  c.particle_mass.push_back(mass);
  c.particle_radius.push_back(r);
  c.particle_flags.push_back(flags);
  c.particle_collision_group.push_back(collision_group);
  c.particle_world.push_back(current_world_);
  c.particle_key_id.push_back(key_id);
  return particle;
}

int ModelBuilder::add_spring(int i, int j, std::optional<SpringConfig> cfg) {
  const SpringConfig spring = cfg.value_or(default_spring);
  const std::string who = text("spring ", count(Entity::kSpring));
  check_room(Entity::kSpring, 1);
  check_particles(std::array{i, j}, who);
  check_not_negative(who, "ke", spring.ke);
  check_not_negative(who, "kd", spring.kd);
  check_finite(who, "control", spring.control);
  ModelColumns<Vector>& c = data_.columns;
  c.spring_rest_length.push_back(length(c.particle_q[i] - c.particle_q[j]));
  c.spring_indices.push_back({i, j});
  c.spring_stiffness.push_back(spring.ke);
  c.spring_damping.push_back(spring.kd);
  c.spring_control.push_back(spring.control);
  c.spring_world.push_back(current_world_);
  return count(Entity::kSpring) - 1;
}

// The rest shape is kept as the inverse of the 2 x 2 matrix of its two edges, in axes of the triangle's plane with the
// first axis along i-j.
int ModelBuilder::add_triangle(int i, int j, int k, std::optional<TriangleConfig> cfg) {
  const TriangleConfig tri = cfg.value_or(default_tri);
  const std::string who = text("triangle ", count(Entity::kTriangle));
  check_room(Entity::kTriangle, 1);
  check_particles(std::array{i, j, k}, who);
  for (const Real value : {tri.ke, tri.ka, tri.kd, tri.drag, tri.lift}) check_not_negative(who, "a stiffness", value);
  ModelColumns<Vector>& c = data_.columns;
  const Vec3 edge1 = c.particle_q[j] - c.particle_q[i], edge2 = c.particle_q[k] - c.particle_q[i];
  const Vec3 normal = cross(edge1, edge2);
  const Real area = length(normal) / 2, base = length(edge1);
  if (!(area > 0))
    fail(who, ": particles ", i, ", ", j, ", ", k, " lie on a line, so its area is zero; move them apart");
  const Real along = dot(edge2, edge1) / base, across = 2 * area / base;  // edge2 in the axes of the plane
  c.tri_indices.push_back({i, j, k});
  c.tri_poses.push_back({1 / base, -along / (base * across), 0, 1 / across});
  c.tri_activations.push_back(0);
  c.tri_materials.push_back({tri.ke, tri.ka, tri.kd, tri.drag, tri.lift});
  c.tri_areas.push_back(area);
  c.tri_world.push_back(current_world_);
  return count(Entity::kTriangle) - 1;
}

// Two triangles (o0, v1, v2) and (o1, v2, v1) hinged at the edge v1-v2.
int ModelBuilder::add_edge(int o0, int o1, int v1, int v2, std::optional<EdgeConfig> cfg, Real rest) {
  const EdgeConfig edge = cfg.value_or(default_edge);
  const std::string who = text("edge ", count(Entity::kEdge));
  check_room(Entity::kEdge, 1);
  check_particles(std::array{o0, o1, v1, v2}, who);
  check_not_negative(who, "ke", edge.ke);
  check_not_negative(who, "kd", edge.kd);
  ModelColumns<Vector>& c = data_.columns;
  const Vec3 axis = c.particle_q[v2] - c.particle_q[v1];
  if (rest != rest) {
    const Vec3 n0 = normalize(cross(c.particle_q[v1] - c.particle_q[o0], c.particle_q[v2] - c.particle_q[o0]));
    const Vec3 n1 = normalize(cross(c.particle_q[v2] - c.particle_q[o1], c.particle_q[v1] - c.particle_q[o1]));
    rest = atan2(dot(cross(n0, n1), normalize(axis)), dot(n0, n1));
  }
  check_finite(who, "rest", rest);
  c.edge_indices.push_back({o0, o1, v1, v2});
  c.edge_rest_angle.push_back(rest);
  c.edge_rest_length.push_back(length(axis));
  c.edge_bending_properties.push_back({edge.ke, edge.kd});
  c.edge_world.push_back(current_world_);
  return count(Entity::kEdge) - 1;
}

int ModelBuilder::add_tetrahedron(int i, int j, int k, int l, std::optional<TetrahedronConfig> cfg) {
  const TetrahedronConfig tet = cfg.value_or(default_tet);
  const std::string who = text("tetrahedron ", count(Entity::kTetrahedron));
  check_room(Entity::kTetrahedron, 1);
  check_particles(std::array{i, j, k, l}, who);
  for (const Real value : {tet.k_mu, tet.k_lambda, tet.k_damp}) check_not_negative(who, "a stiffness", value);
  ModelColumns<Vector>& c = data_.columns;
  const Vec3 origin = c.particle_q[i];
  const Mat33 shape = mat33_columns(c.particle_q[j] - origin, c.particle_q[k] - origin, c.particle_q[l] - origin);
  if (!(determinant(shape) > 0))
    fail(who, ": particles ", i, ", ", j, ", ", k, ", ", l,
         determinant(shape) < 0 ? " are inside out; swap two of them" : " lie in a plane; move them apart");
  c.tet_indices.push_back({i, j, k, l});
  c.tet_poses.push_back(inverse(shape));
  c.tet_activations.push_back(0);
  c.tet_materials.push_back({tet.k_mu, tet.k_lambda, tet.k_damp});
  c.tet_world.push_back(current_world_);
  return count(Entity::kTetrahedron) - 1;
}

// -- Grids

namespace {

void check_grid(const char* who, std::initializer_list<int> dims, std::initializer_list<Real> cells) {
  std::int64_t particles = 1;
  for (const int dim : dims) {
    if (dim < 1) fail(who, ": needs at least one cell in every direction, has ", dim);
    particles *= std::int64_t{dim} + 1;
    if (particles > std::numeric_limits<int>::max())
      fail(who, ": has more particles than the 2^31 - 1 that a model can hold; use fewer cells");
  }
  for (const Real cell : cells) check_positive(who, "cell size", cell);
}

// Bending edges between every two of the triangles [first, last) that share two particles.
void add_edges_between(ModelBuilder& builder, int first, int last, std::optional<EdgeConfig> cfg) {
  std::map<std::pair<int, int>, int> opposite;  // directed edge -> third particle of its triangle
  for (int t = first; t < last; ++t) {
    const Index3 tri = builder.columns().tri_indices[t];
    for (int e = 0; e < 3; ++e) opposite[{tri[e], tri[(e + 1) % 3]}] = tri[(e + 2) % 3];
  }
  for (const auto& [edge, o0] : opposite) {
    const auto twin = opposite.find({edge.second, edge.first});
    if (edge.first < edge.second && twin != opposite.end())
      builder.add_edge(o0, twin->second, edge.first, edge.second, cfg);
  }
}

}  // namespace

void ModelBuilder::add_cloth_grid(const ClothGridArgs& args) {
  const char* who = "cloth grid";
  check_grid(who, {args.dim_x, args.dim_y}, {args.cell_x, args.cell_y});
  const Transform X = check_transform(who, "pos and rot", {args.pos, args.rot});
  check_finite(who, "vel", args.vel);
  check_not_negative(who, "mass", args.mass);
  check_room(Entity::kTriangle, std::int64_t{6} * (args.dim_x + 1) * (args.dim_y + 1));  // more than there are edges
  all_or_nothing([&] { append_cloth_grid(args, X); });
}

void ModelBuilder::append_cloth_grid(const ClothGridArgs& args, const Transform& X) {
  const int columns = args.dim_x + 1, rows = args.dim_y + 1;
  const int first_particle = count(Entity::kParticle), first_triangle = count(Entity::kTriangle);

  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      const bool fixed = (args.fix.left && x == 0) || (args.fix.right && x == columns - 1) ||
                         (args.fix.bottom && y == 0) || (args.fix.top && y == rows - 1);
      add_particle(transform_point(X, {x * args.cell_x, y * args.cell_y, 0}), args.vel, fixed ? 0 : args.mass,
                   args.particle_radius);
    }
  const auto particle = [&](int x, int y) { return first_particle + y * columns + x; };
  for (int y = 0; y < args.dim_y; ++y)
    for (int x = 0; x < args.dim_x; ++x) {
      const int a = particle(x, y), b = particle(x + 1, y), c = particle(x + 1, y + 1), d = particle(x, y + 1);
      if (args.reverse_winding) {
        add_triangle(a, c, b, args.tri);
        add_triangle(a, d, c, args.tri);
      } else {
        add_triangle(a, b, c, args.tri);
        add_triangle(a, c, d, args.tri);
      }
    }
  add_edges_between(*this, first_triangle, count(Entity::kTriangle), args.edge);
  if (!args.add_springs) return;
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      if (x + 1 < columns) add_spring(particle(x, y), particle(x + 1, y), args.spring);
      if (y + 1 < rows) add_spring(particle(x, y), particle(x, y + 1), args.spring);
    }
}

void ModelBuilder::add_soft_grid(const SoftGridArgs& args) {
  const char* who = "soft grid";
  check_grid(who, {args.dim_x, args.dim_y, args.dim_z}, {args.cell_x, args.cell_y, args.cell_z});
  const Transform X = check_transform(who, "pos and rot", {args.pos, args.rot});
  check_finite(who, "vel", args.vel);
  check_positive(who, "density", args.density);
  check_room(Entity::kTetrahedron, std::int64_t{5} * (args.dim_x + 1) * (args.dim_y + 1) * (args.dim_z + 1));
  all_or_nothing([&] { append_soft_grid(args, X); });
}

// Every cell is cut into five tetrahedra, mirrored from cell to cell so that the diagonals of neighbours match; the
// surface gets triangles.
void ModelBuilder::append_soft_grid(const SoftGridArgs& args, const Transform& X) {
  const int nx = args.dim_x + 1, ny = args.dim_y + 1, nz = args.dim_z + 1;
  const int first_particle = count(Entity::kParticle);
  const auto particle = [&](int x, int y, int z) { return first_particle + (z * ny + y) * nx + x; };

  // Each cell gives an eighth of its mass to each corner.
  const Real share = args.density * args.cell_x * args.cell_y * args.cell_z / 8;
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        const auto sides = [](int i, int n) { return i == 0 || i == n - 1 ? 1 : 2; };
        const bool fixed = (args.fix.left && x == 0) || (args.fix.right && x == nx - 1) ||
                           (args.fix.bottom && y == 0) || (args.fix.top && y == ny - 1);
        const Real mass = fixed ? 0 : share * (sides(x, nx) * sides(y, ny) * sides(z, nz));
        add_particle(transform_point(X, {x * args.cell_x, y * args.cell_y, z * args.cell_z}), args.vel, mass,
                     args.particle_radius);
      }

  std::map<std::array<int, 3>, std::array<int, 3>> surface;  // sorted particles -> outward face, while seen once
  const auto face = [&](int i, int j, int k) {
    std::array<int, 3> sorted{i, j, k};
    std::sort(sorted.begin(), sorted.end());
    if (!surface.erase(sorted)) surface[sorted] = {i, j, k};
  };
  const auto tetrahedron = [&](int i, int j, int k, int l) {
    add_tetrahedron(i, j, k, l, args.tet);
    face(i, k, j);
    face(i, j, l);
    face(j, k, l);
    face(k, i, l);
  };
  for (int z = 0; z < args.dim_z; ++z)
    for (int y = 0; y < args.dim_y; ++y)
      for (int x = 0; x < args.dim_x; ++x) {
        const int v[8] = {
            particle(x, y, z),     particle(x + 1, y, z),     particle(x + 1, y, z + 1),     particle(x, y, z + 1),
            particle(x, y + 1, z), particle(x + 1, y + 1, z), particle(x + 1, y + 1, z + 1), particle(x, y + 1, z + 1)};
        if ((x + y + z) % 2) {
          tetrahedron(v[0], v[1], v[4], v[3]);
          tetrahedron(v[2], v[3], v[6], v[1]);
          tetrahedron(v[5], v[4], v[1], v[6]);
          tetrahedron(v[7], v[6], v[3], v[4]);
          tetrahedron(v[4], v[1], v[6], v[3]);
        } else {
          tetrahedron(v[1], v[2], v[5], v[0]);
          tetrahedron(v[3], v[0], v[7], v[2]);
          tetrahedron(v[4], v[7], v[0], v[5]);
          tetrahedron(v[6], v[5], v[2], v[7]);
          tetrahedron(v[5], v[2], v[7], v[0]);
        }
      }
  const TriangleConfig tri = args.tri.value_or(TriangleConfig{0, 0, 0, 0, 0});
  for (const auto& [sorted, outward] : surface) add_triangle(outward[0], outward[1], outward[2], tri);
}

}  // namespace carom::inline CAROM_PRECISION
