// Meshes: moved to their centre of mass and turned to their principal axes, as MuJoCo keeps them; their mass, and the
// hulls of those that collide.
//
// Mass is summed over tetrahedra from a point to the faces. "legacy" takes all of them as positive, from the centroid
// of the surface; "exact" with their signs; "convex" those of the hull; "shell" takes the faces alone.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "carom/error.h"
#include "geometry/hull.h"
#include "io/mjcf/builtin_meshes.h"
#include "io/mjcf/compile.h"
#include "io/mjcf/mesh_files.h"
#include "io/mjcf/mujoco_enums.h"

namespace carom::inline CAROM_PRECISION {

namespace {

enum MeshInertia : int { kConvexInertia, kExactInertia, kLegacyInertia, kShellInertia };

struct FaceShape {
  Vec3d centre, normal;
  double area;
};

FaceShape face_shape(const RawMesh& mesh, const std::array<int, 3>& face) {
  const auto corner = [&](std::size_t k) { return mesh.vertices[static_cast<std::size_t>(face[k])]; };
  const Vec3d a = corner(0), b = corner(1), c = corner(2);
  const Vec3d across = cross(b - a, c - a);
  const double twice = length(across);
  return {(a + b + c) * (1.0 / 3), twice > 1e-15 ? across * (1 / twice) : Vec3d{}, twice / 2};
}

Vec3d surface_centroid(const RawMesh& mesh) {
  Vec3d sum{};
  double area = 0;
  for (const std::array<int, 3>& face : mesh.faces) {
    const FaceShape shape = face_shape(mesh, face);
    sum = sum + shape.centre * shape.area;
    area += shape.area;
  }
  return area > 0 ? sum * (1 / area) : sum;
}

// What a face counts for: the volume below it seen from a point, or its area.
double face_weight(const FaceShape& shape, Vec3d from, int mode) {
  if (mode == kShellInertia) return shape.area;
  const double volume = dot(shape.centre - from, shape.normal) * shape.area / 3;
  return mode == kLegacyInertia ? std::abs(volume) : volume;
}

struct MeshMoments {
  double volume = 0;
  Vec3d centre{};
  Mat33d inertia{};  // about the centre, of density 1
};

// Second moments of a face about the origin, seen from there: of a tetrahedron, or of the triangle itself.
Mat33d face_products(const RawMesh& mesh, const std::array<int, 3>& face, double weight, bool shell) {
  Vec3d sum{};
  Mat33d products{};
  for (const int corner : face) {
    const Vec3d v = mesh.vertices[static_cast<std::size_t>(corner)];
    sum = sum + v;
    products = products + outer(v, v);
  }
  return (products + outer(sum, sum)) * (weight / (shell ? 12 : 20));
}

MeshMoments moments_of(RawMesh mesh, int mode) {
  MeshMoments result;
  const bool shell = mode == kShellInertia;
  const Vec3d from = surface_centroid(mesh);
  for (const std::array<int, 3>& face : mesh.faces) {
    const FaceShape shape = face_shape(mesh, face);
    const double weight = face_weight(shape, from, mode);
    result.volume += weight;
    result.centre = result.centre + (shell ? shape.centre : shape.centre * 0.75 + from * 0.25) * weight;
  }
  if (result.volume <= 1e-15) return result;
  result.centre = result.centre * (1 / result.volume);
  for (Vec3d& v : mesh.vertices) v = v - result.centre;
  Mat33d products{};
  result.volume = 0;  // seen from the centre, which is another one where faces are counted as positive
  for (const std::array<int, 3>& face : mesh.faces) {
    const double weight = face_weight(face_shape(mesh, face), {}, mode);
    result.volume += weight;
    products = products + face_products(mesh, face, weight, shell);
  }
  result.inertia = mat33_identity<double>() * trace(products) - products;
  return result;
}

// The hull of a mesh, with the numbers of its vertices.
std::vector<std::array<int, 3>> hull_faces(const RawMesh& mesh, const MeshSpec& spec) {
  std::vector<double> points;
  for (const Vec3d& v : mesh.vertices) append(points, v);
  try {
    return hull_triangles(std::move(points), spec.max_hull_vertices);
  } catch (const Error& error) {
    fail(at_place(spec.place, "mesh"), error.what());
  }
}

// Counts; per vertex its first edge, and its number; neighbours of each vertex, ended by -1; faces.
std::vector<int> hull_graph(const std::vector<std::array<int, 3>>& faces) {
  std::map<int, std::set<int>> neighbours;
  for (const std::array<int, 3>& face : faces)
    for (std::size_t k = 0; k < 3; ++k) {
      neighbours[face[k]].insert(face[(k + 1) % 3]);
      neighbours[face[k]].insert(face[(k + 2) % 3]);
    }
  std::vector<int> graph{static_cast<int>(neighbours.size()), static_cast<int>(faces.size())}, edges;
  std::map<int, int> local;
  for (const auto& [vertex, others] : neighbours) local.emplace(vertex, static_cast<int>(local.size()));
  for (const auto& [vertex, others] : neighbours) {
    graph.push_back(static_cast<int>(edges.size()));
    for (const int other : others) edges.push_back(local.at(other));
    edges.push_back(-1);
  }
  for (const auto& [vertex, others] : neighbours) graph.push_back(vertex);
  graph.insert(graph.end(), edges.begin(), edges.end());
  for (const std::array<int, 3>& face : faces) graph.insert(graph.end(), face.begin(), face.end());
  return graph;
}

RawMesh mesh_of_file(Compiling& c, const MeshSpec& spec) {
  namespace fs = std::filesystem;
  const std::string where = at_place(spec.place, "mesh", "file");
  const fs::path path = fs::path(spec.folder) / spec.file;
  if (!fs::is_regular_file(path)) fail(where, "'", path.string(), "' cannot be opened");
  try {
    return parse_mesh_file(read_text_file(path.string(), c.budget), path.string(), spec.content_type);
  } catch (const Error& error) {
    fail(where, error.what());
  }
}

RawMesh mesh_of_text(const MeshSpec& spec) {
  const std::string where = at_place(spec.place, "mesh");
  RawMesh mesh;
  if (spec.vertices.empty() || spec.vertices.size() % 3 != 0) fail(where, "needs a file, or vertices of 3 numbers");
  for (std::size_t k = 0; k < spec.vertices.size(); k += 3)
    mesh.vertices.push_back(
        {double(float(spec.vertices[k])), double(float(spec.vertices[k + 1])), double(float(spec.vertices[k + 2]))});
  if (spec.faces.size() % 3 != 0) fail(where, "faces have 3 vertices");
  for (std::size_t k = 0; k < spec.faces.size(); k += 3)
    mesh.faces.push_back({int(spec.faces[k]), int(spec.faces[k + 1]), int(spec.faces[k + 2])});
  return mesh;
}

RawMesh raw_mesh(Compiling& c, MeshSpec& spec) {
  const std::string where = at_place(spec.place, "mesh");
  RawMesh mesh = !spec.file.empty()      ? mesh_of_file(c, spec)
                 : !spec.builtin.empty() ? builtin_mesh(spec)
                                         : mesh_of_text(spec);
  for (Vec3d& v : mesh.vertices) {
    v = rotate_inverse(spec.reference.q, v - spec.reference.p);
    v = {v.x * spec.scale.x, v.y * spec.scale.y, v.z * spec.scale.z};
  }
  check_mesh(mesh, where);  // a scale may be too much
  if (spec.scale.x * spec.scale.y * spec.scale.z < 0)
    for (std::array<int, 3>& face : mesh.faces) std::swap(face[1], face[2]);
  return mesh;
}

std::set<std::string> colliding_meshes(const MjcfSpec& spec) {
  std::set<std::string> paired, meshes;
  for (const PairSpec& pair : spec.pairs) paired.insert({pair.geom1, pair.geom2});
  for (const BodySpec& body : spec.bodies)
    for (const GeomSpec& geom : body.geoms)
      if ((geom.type == mj::kMesh || geom.type == mj::kSdf) &&
          (geom.contype || geom.conaffinity || paired.contains(geom.name)))
        meshes.insert(geom.mesh);
  for (const BodySpec& body : spec.bodies)
    for (const SiteSpec& site : body.sites) meshes.insert(site.mesh);
  return meshes;
}

// Neighbours run along their edge in opposite directions, if both are seen from outside.
void check_orientation(const RawMesh& mesh, const MeshSpec& spec) {
  std::set<std::array<int, 2>> edges;
  for (const std::array<int, 3>& face : mesh.faces)
    for (std::size_t k = 0; k < 3; ++k)
      if (!edges.insert({face[k], face[(k + 1) % 3]}).second)
        fail(at_place(spec.place, "mesh"), "'", spec.name, "': two faces run from vertex ", face[k], " to ",
             face[(k + 1) % 3], ", so one of them is turned inside out; inertia=\"exact\" needs them alike");
}

CompiledMesh place_mesh(RawMesh& mesh, const MeshSpec& spec, const std::vector<std::array<int, 3>>& hull) {
  RawMesh surface = mesh;
  if (spec.inertia == kConvexInertia) surface.faces = hull;
  if (spec.inertia == kExactInertia) check_orientation(surface, spec);
  const MeshMoments moments = moments_of(std::move(surface), spec.inertia);
  if (!(moments.volume > 1e-15) || !std::isfinite(moments.volume))
    fail(at_place(spec.place, "mesh"), "'", spec.name, "' has no volume; inertia=\"shell\" takes its surface");
  // With meshes MuJoCo stops at about this share of the largest moment: a turn more, and frames are others by 1e-7.
  constexpr double kTolerance = 1e-7;
  const Mat33d& I = moments.inertia;
  const PrincipalFrame principal = principal_frame(I, kTolerance * std::max({I[0][0], I[1][1], I[2][2]}));
  CompiledMesh result{{moments.centre, principal.q}, moments.volume, principal.values, {}, {}, {}};
  for (Vec3d& v : mesh.vertices) {
    v = rotate_inverse(principal.q, v - moments.centre);
    for (int k = 0; k < 3; ++k) {
      result.low[k] = std::min(result.low[k], v[k]);
      result.high[k] = std::max(result.high[k], v[k]);
      result.reach[k] = std::max(result.reach[k], std::abs(v[k]));
    }
  }
  return result;
}

void add_mesh(CompiledMjcf& m, const RawMesh& mesh, const std::vector<std::array<int, 3>>& hull) {
  m.mesh_vertadr.push_back(static_cast<int>(m.mesh_vert.size() / 3));
  m.mesh_vertnum.push_back(static_cast<int>(mesh.vertices.size()));
  m.mesh_faceadr.push_back(static_cast<int>(m.mesh_face.size() / 3));
  m.mesh_facenum.push_back(static_cast<int>(mesh.faces.size()));
  for (const Vec3d& v : mesh.vertices) m.mesh_vert.insert(m.mesh_vert.end(), {float(v.x), float(v.y), float(v.z)});
  for (const std::array<int, 3>& face : mesh.faces) append(m.mesh_face, face);
  m.mesh_graphadr.push_back(hull.empty() ? -1 : static_cast<int>(m.mesh_graph.size()));
  if (hull.empty()) return;
  const std::vector<int> graph = hull_graph(hull);
  m.mesh_graph.insert(m.mesh_graph.end(), graph.begin(), graph.end());
}

}  // namespace

void compile_meshes(Compiling& c) {
  const std::set<std::string> colliding = colliding_meshes(c.spec);
  for (MeshSpec spec : c.spec.meshes) {
    RawMesh mesh = raw_mesh(c, spec);
    const bool needs_hull = colliding.contains(spec.name) || mesh.faces.empty() || spec.inertia == kConvexInertia;
    const std::vector<std::array<int, 3>> hull =
        needs_hull ? hull_faces(mesh, spec) : std::vector<std::array<int, 3>>{};
    if (mesh.faces.empty()) mesh.faces = hull;
    add_name(c.meshes, spec.name, static_cast<int>(c.compiled_meshes.size()), spec.place, "mesh");
    c.compiled_meshes.push_back(place_mesh(mesh, spec, hull));
    add_mesh(c.out, mesh, hull);
  }
}

}  // namespace carom::inline CAROM_PRECISION
