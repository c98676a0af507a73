// Balls, cones, tori and the patches that tactile sensors are made of.
#include "io/mjcf/builtin_meshes.h"

#include <cmath>
#include <map>
#include <numbers>

namespace carom::inline CAROM_PRECISION {

namespace {

using Face = std::array<int, 3>;

int count_of(const RawMesh& mesh) { return static_cast<int>(mesh.vertices.size()); }

Vec3d unit(Vec3d v) { return v * (1 / length(v)); }
Vec3d rounded(Vec3d v) { return {double(float(v.x)), double(float(v.y)), double(float(v.z))}; }

// The icosahedron: twelve corners of three golden rectangles.
RawMesh icosahedron() {
  const double golden = (1 + std::sqrt(5.0)) / 2;
  RawMesh mesh;
  for (int axis = 0; axis < 3; ++axis)
    for (const double across : {golden, -golden})
      for (const double along : {-1.0, 1.0}) {
        const Vec3d corner = axis == 0   ? Vec3d{along, across, 0}
                             : axis == 1 ? Vec3d{0, along, across}
                                         : Vec3d{across, 0, along};
        mesh.vertices.push_back(rounded(unit(corner)));
      }
  mesh.faces = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
  return mesh;
}

// In single precision, as MuJoCo has it: the next level goes on from there.
Vec3d middle_on_ball(Vec3d a, Vec3d b) {
  const float x = float(a.x) + float(b.x), y = float(a.y) + float(b.y), z = float(a.z) + float(b.z);
  const float reach = std::sqrt(x * x + y * y + z * z);
  return {x / reach, y / reach, z / reach};
}

// Each face becomes four, with the middles of its edges on the ball.
void subdivide(RawMesh& mesh) {
  std::map<std::array<int, 2>, int> middles;
  const auto middle = [&](int a, int b) {
    const auto [found, is_new] = middles.try_emplace({std::min(a, b), std::max(a, b)}, count_of(mesh));
    const auto ends = std::array{static_cast<std::size_t>(a), static_cast<std::size_t>(b)};
    if (is_new) mesh.vertices.push_back(middle_on_ball(mesh.vertices[ends[0]], mesh.vertices[ends[1]]));
    return found->second;
  };
  std::vector<Face> faces;
  for (const auto& [a, b, c] : mesh.faces) {
    const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
    faces.insert(faces.end(), {{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}});
  }
  mesh.faces = std::move(faces);
}

RawMesh sphere(const BuiltinParams& params) {
  params.expect(1, 1);
  RawMesh mesh = icosahedron();
  for (int i = params.integer(0, 0, 4); i > 0; --i) subdivide(mesh);
  return mesh;
}

// Half of an octahedron whose edges are cut, blown up: ring i below the pole has 4 i vertices.
RawMesh hemisphere(const BuiltinParams& params) {
  params.expect(1, 1);
  const int rings = params.integer(0, 0, 10) + 1;
  RawMesh mesh;
  mesh.vertices.push_back({0, 0, 1});
  for (int ring = 1; ring <= rings; ++ring)
    for (int quarter = 0; quarter < 4; ++quarter)
      for (int k = 0; k < ring; ++k) {
        Vec3d v = unit({double(ring - k), double(k), double(rings - ring)});
        for (int turn = 0; turn < quarter; ++turn) v = {-v.y, v.x, v.z};
        mesh.vertices.push_back(v);
      }
  mesh.vertices.push_back({0, 0, 0});
  const auto vertex = [](int ring, int place) {
    return ring == 0 ? 0 : 1 + 2 * ring * (ring - 1) + place % (4 * ring);
  };
  for (int ring = 0; ring < rings; ++ring)
    for (int quarter = 0, in = 0, out = 0; quarter < 4; ++quarter)
      for (int k = 0; k <= ring; ++k) {
        mesh.faces.push_back({vertex(ring, in), vertex(ring + 1, out), vertex(ring + 1, out + 1)});
        ++out;
        if (k == ring) break;
        mesh.faces.push_back({vertex(ring, in), vertex(ring + 1, out), vertex(ring, in + 1)});
        ++in;
      }
  for (int k = 0; k < 4 * rings; ++k)
    mesh.faces.push_back({vertex(rings, k), count_of(mesh) - 1, vertex(rings, k + 1)});
  return mesh;
}

RawMesh cone(const BuiltinParams& params) {
  params.expect(2, 2);
  const int corners = params.integer(0, 3, kMostBuiltinPoints / 2);
  const double radius = params.number(1, 0, 1);
  RawMesh mesh;
  const auto add = [&](double r, double z) {
    for (int i = 0; i < corners; ++i) {
      const double angle = 2 * std::numbers::pi * i / corners;
      mesh.vertices.push_back({r * std::cos(angle), r * std::sin(angle), z});
    }
  };
  add(1, -1);
  if (radius > 0) add(radius, 1);
  else mesh.vertices.push_back({0, 0, 1});
  return mesh;
}

double signed_power(double x, double exponent) { return std::copysign(std::pow(std::abs(x), exponent), x); }

// Two rows of `count` vertices around an axis, from their first vertices on.
void add_band(RawMesh& mesh, int first, int second, int count) {
  for (int i = 0; i < count; ++i) {
    const int next = (i + 1) % count;
    mesh.faces.push_back({first + i, first + next, second + i});
    mesh.faces.push_back({first + next, second + next, second + i});
  }
}

RawMesh supersphere(const BuiltinParams& params) {
  params.expect(3, 3);
  const int count = params.integer(0, 3, 2048);
  const double east = params.number(1, 0, 1e6), north = params.number(2, 0, 1e6);
  RawMesh mesh;
  mesh.vertices.push_back({0, 0, -1});
  for (int ring = 1; ring < count; ++ring) {
    const double latitude = std::numbers::pi * ring / count - std::numbers::pi / 2;
    const double radius = signed_power(std::cos(latitude), north), z = signed_power(std::sin(latitude), north);
    for (int i = 0; i < count; ++i) {
      const double longitude = 2 * std::numbers::pi * i / count - std::numbers::pi;
      mesh.vertices.push_back(
          {radius * signed_power(std::cos(longitude), east), radius * signed_power(std::sin(longitude), east), z});
    }
  }
  mesh.vertices.push_back({0, 0, 1});
  const int top = count_of(mesh) - 1, last = top - count;
  for (int i = 0; i < count; ++i) mesh.faces.push_back({0, 1 + (i + 1) % count, 1 + i});
  for (int ring = 0; ring + 2 < count; ++ring) add_band(mesh, 1 + ring * count, 1 + (ring + 1) * count, count);
  for (int i = 0; i < count; ++i) mesh.faces.push_back({last + i, last + (i + 1) % count, top});
  return mesh;
}

RawMesh supertorus(const BuiltinParams& params) {
  params.expect(4, 4);
  constexpr double kLeast = 1e-9;  // more than 0
  const int count = params.integer(0, 3, 2048);
  const double radius = params.number(1, kLeast, 1), minor = params.number(2, kLeast, 1e6);
  const double major = params.number(3, kLeast, 1e6);
  RawMesh mesh;
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j) {
      const double around = 2 * std::numbers::pi * i / count, inside = 2 * std::numbers::pi * j / count;
      const double reach = 1 + radius * signed_power(std::cos(inside), minor);
      mesh.vertices.push_back({reach * signed_power(std::cos(around), major),
                               reach * signed_power(std::sin(around), major),
                               radius * signed_power(std::sin(inside), minor)});
    }
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j) {
      const int next = (i + 1) % count * count, here = i * count, up = (j + 1) % count;
      mesh.faces.push_back({here + j, next + j, here + up});
      mesh.faces.push_back({next + j, next + up, here + up});
    }
  return mesh;
}

// Middles of cells between -1 and 1, which are smaller in the middle where gamma is more than 0.
std::vector<double> cell_middles(int count, double gamma) {
  const auto edge = [&](int i) {
    const double x = 2.0 * i / count - 1;
    return gamma * std::pow(x, 5) + (1 - gamma) * x;
  };
  std::vector<double> middles;
  for (int i = 0; i < count; ++i) middles.push_back((edge(i) + edge(i + 1)) / 2);
  return middles;
}

RawMesh wedge(const BuiltinParams& params) {
  params.expect(5, 5);
  constexpr double kLeast = 1e-9;
  const int columns = params.integer(0, 1, 2048), rows = params.integer(1, 1, 2048);
  const double width = params.number(2, kLeast, 180) * std::numbers::pi / 180,
               height = params.number(3, kLeast, 90) * std::numbers::pi / 180;
  const double gamma = params.number(4, 0, 1);
  RawMesh mesh;
  for (const double u : cell_middles(columns, gamma))
    for (const double v : cell_middles(rows, gamma))
      mesh.vertices.push_back({std::sin(u * width) * std::cos(v * height), std::sin(v * height),
                               -std::cos(u * width) * std::cos(v * height)});
  return mesh;
}

RawMesh plate(const BuiltinParams& params) {
  params.expect(2, 2);
  const int columns = params.integer(0, 1, 2048), rows = params.integer(1, 1, 2048);
  RawMesh mesh;
  for (const double x : cell_middles(columns, 0))
    for (const double y : cell_middles(rows, 0)) mesh.vertices.push_back({x, y, -1});
  for (int i = 0; i + 1 < columns; ++i)
    for (int j = 0; j + 1 < rows; ++j) {
      const int a = i * rows + j, b = a + rows;
      mesh.faces.push_back({a, b, a + 1});
      mesh.faces.push_back({b + 1, a + 1, b});
    }
  return mesh;
}

RawMesh make(const BuiltinParams& params) {
  const std::string& kind = params.spec.builtin;
  if (is_builtin_grid(kind)) return builtin_grid(params);
  if (kind == "sphere") return sphere(params);
  if (kind == "hemisphere") return hemisphere(params);
  if (kind == "cone") return cone(params);
  if (kind == "supersphere") return supersphere(params);
  if (kind == "supertorus") return supertorus(params);
  if (kind == "wedge") return wedge(params);
  return plate(params);
}

}  // namespace

void BuiltinParams::expect(std::size_t least, std::size_t most) const {
  if (spec.params.size() < least || spec.params.size() > most)
    refuse("has ", spec.params.size(), " numbers, expected ", least, least == most ? "" : " or one more");
}

double BuiltinParams::number(std::size_t place, double least, double most) const {
  const double value = spec.params[place];
  if (!(value >= least && value <= most))
    refuse("number ", place, " is between ", least, " and ", most, ", not ", value);
  return value;
}

RawMesh builtin_mesh(MeshSpec& spec) {
  RawMesh mesh = make({spec});
  constexpr int kLegacy = 2, kShell = 3;  // of convex, exact, legacy, shell
  if (spec.builtin == "plate" || (spec.inertia == kLegacy && is_builtin_surface(spec))) spec.inertia = kShell;
  for (Vec3d& v : mesh.vertices) v = rounded(v);
  return mesh;
}

}  // namespace carom::inline CAROM_PRECISION
