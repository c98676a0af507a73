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
#include "io/mesh/mesh_files.h"
#include "io/mesh/parallel.h"
#include "io/mjcf/builtin_meshes.h"
#include "io/mjcf/compile.h"
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
  std::vector<std::pair<int, int>> pairs;  // a vertex and a neighbour; each edge is met once in either direction
  for (const std::array<int, 3>& face : faces)
    for (std::size_t k = 0; k < 3; ++k) pairs.emplace_back(face[k], face[(k + 1) % 3]);
  std::sort(pairs.begin(), pairs.end());
  std::vector<int> vertices, starts, edges;
  for (const auto& [vertex, other] : pairs) {
    if (vertices.empty() || vertices.back() != vertex) vertices.push_back(vertex);
  }
  const auto local = [&](int vertex) {
    return static_cast<int>(std::lower_bound(vertices.begin(), vertices.end(), vertex) - vertices.begin());
  };
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i == 0 || pairs[i].first != pairs[i - 1].first) {
      if (i > 0) edges.push_back(-1);
      starts.push_back(static_cast<int>(edges.size()));
    }
    edges.push_back(local(pairs[i].second));
  }
  edges.push_back(-1);
  std::vector<int> graph{static_cast<int>(vertices.size()), static_cast<int>(faces.size())};
  for (const std::vector<int>* part : {&starts, &vertices, &edges})
    graph.insert(graph.end(), part->begin(), part->end());
  for (const std::array<int, 3>& face : faces) graph.insert(graph.end(), face.begin(), face.end());
  return graph;
}

// A file that meshes are made of, read and parsed once however many there are.
struct MeshFile {
  std::string path, content_type, content, where;
  RawMesh mesh{};
};

struct MeshFiles {
  std::vector<MeshFile> files;
  std::vector<int> of_mesh;  // by mesh of the spec; -1: it has its numbers in the XML
};

MeshFiles read_mesh_files(Compiling& c) {
  namespace fs = std::filesystem;
  MeshFiles all;
  std::map<std::pair<std::string, std::string>, int> known;
  for (const MeshSpec& spec : c.spec.meshes) {
    all.of_mesh.push_back(-1);
    if (spec.file.empty()) continue;
    const fs::path path = fs::path(spec.folder) / spec.file;
    const auto [entry, added] =
        known.emplace(std::pair(path.string(), spec.content_type), static_cast<int>(all.files.size()));
    all.of_mesh.back() = entry->second;
    if (!added) continue;
    const std::string where = at_place(spec.place, "mesh", "file");
    all.files.push_back({path.string(), spec.content_type, read_text_file(path.string(), c.budget, where), where});
  }
  for_each_on_threads(all.files.size(), [&](std::size_t i) {
    MeshFile& file = all.files[i];
    try {
      file.mesh = parse_mesh_file(file.content, file.path, file.content_type, c.budget.limits);
    } catch (const Error& error) {
      fail(file.where, error.what());
    }
    file.content = {};
  });
  return all;
}

// Of what is in the XML. A builtin one says how its mass is counted, too.
RawMesh inline_mesh(MeshSpec& spec) {
  const std::string where = at_place(spec.place, "mesh");
  RawMesh mesh;
  if (!spec.builtin.empty()) return builtin_mesh(spec);
  if (spec.vertices.empty() || spec.vertices.size() % 3 != 0) fail(where, "needs a file, or vertices of 3 numbers");
  for (std::size_t k = 0; k < spec.vertices.size(); k += 3)
    mesh.vertices.push_back(
        {double(float(spec.vertices[k])), double(float(spec.vertices[k + 1])), double(float(spec.vertices[k + 2]))});
  if (spec.faces.size() % 3 != 0) fail(where, "faces have 3 vertices");
  for (std::size_t k = 0; k < spec.faces.size(); k += 3)
    mesh.faces.push_back({int(spec.faces[k]), int(spec.faces[k + 1]), int(spec.faces[k + 2])});
  return mesh;
}

void move_to_reference(RawMesh& mesh, const MeshSpec& spec) {
  for (Vec3d& v : mesh.vertices) {
    v = rotate_inverse(spec.reference.q, v - spec.reference.p);
    v = spec.stretch * Vec3d{v.x * spec.scale.x, v.y * spec.scale.y, v.z * spec.scale.z};
  }
  check_mesh(mesh, at_place(spec.place, "mesh"));  // a scale may be too much
  if (spec.scale.x * spec.scale.y * spec.scale.z < 0)
    for (std::array<int, 3>& face : mesh.faces) std::swap(face[1], face[2]);
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
  const bool shell = spec.inertia == kShellInertia;
  CompiledMesh result{{moments.centre, principal.q}, moments.volume, shell, principal.values, {}, {}, {}};
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

// All that is worked out for one mesh, apart from the others.
struct PreparedMesh {
  RawMesh mesh{};
  std::vector<std::array<int, 3>> hull{};  // empty: none is needed
  CompiledMesh compiled{};
};

PreparedMesh prepare_mesh(RawMesh mesh, const MeshSpec& spec, bool collides) {
  PreparedMesh prepared{std::move(mesh)};
  RawMesh& own = prepared.mesh;
  move_to_reference(own, spec);
  if (collides || own.faces.empty() || spec.inertia == kConvexInertia) prepared.hull = hull_faces(own, spec);
  if (own.faces.empty()) own.faces = prepared.hull;
  prepared.compiled = place_mesh(own, spec, prepared.hull);
  return prepared;
}

}  // namespace

void compile_meshes(Compiling& c) {
  const std::set<std::string> colliding = colliding_meshes(c.spec);
  std::vector<MeshSpec> specs = c.spec.meshes;
  const MeshFiles files = read_mesh_files(c);
  std::vector<PreparedMesh> prepared(specs.size());
  for_each_on_threads(specs.size(), [&](std::size_t i) {
    const int file = files.of_mesh[i];
    RawMesh mesh = file < 0 ? inline_mesh(specs[i]) : files.files[static_cast<std::size_t>(file)].mesh;
    prepared[i] = prepare_mesh(std::move(mesh), specs[i], colliding.contains(specs[i].name));
  });
  for (std::size_t i = 0; i < specs.size(); ++i) {
    add_name(c.meshes, specs[i].name, static_cast<int>(i), specs[i].place, "mesh");
    c.compiled_meshes.push_back(prepared[i].compiled);
    add_mesh(c.out, prepared[i].mesh, prepared[i].hull);
  }
}

}  // namespace carom::inline CAROM_PRECISION
