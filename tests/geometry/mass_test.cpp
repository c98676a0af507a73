// Mass properties of every shape, against textbook formulas and against polyhedra of many faces.
#include <cmath>

#include "geometry/expect.h"

namespace carom::inline CAROM_PRECISION {
namespace {

constexpr Real kDensity = 700;

InertiaT<double> diagonal(double mass, Vec3T<double> com, Vec3T<double> inertia) {
  return {mass, com, mat33_diagonal(inertia)};
}

// A closed mesh: the profile (radius, z), from the lowest point to the highest, turned about the z axis.
Mesh lathe(const std::vector<Vec2>& profile, int segments) {
  std::vector<Vec3> vertices;
  std::vector<int> indices;
  for (const Vec2 p : profile) {
    for (int s = 0; s < segments; ++s) {
      const double angle = 2 * kPi * s / segments;
      vertices.push_back({Real(p.x * std::cos(angle)), Real(p.x * std::sin(angle)), p.y});
    }
  }
  for (int ring = 0; ring + 1 < int(profile.size()); ++ring) {
    for (int s = 0; s < segments; ++s) {
      const int a = ring * segments + s, b = ring * segments + (s + 1) % segments;
      indices.insert(indices.end(), {a, b, b + segments, a, b + segments, a + segments});
    }
  }
  return Mesh(vertices, indices);
}

// Half the outline of a capsule, each cap in `steps` pieces.
std::vector<Vec2> capsule_profile(double r, double h, int steps) {
  std::vector<Vec2> profile;
  for (int i = 0; i <= steps; ++i) {
    const double angle = kPi / 2 * i / steps;
    profile.push_back({Real(i == 0 ? 0 : r * std::sin(angle)), Real(-h - r * std::cos(angle))});
  }
  for (int i = steps; i >= 0; --i) profile.push_back({profile[i].x, -profile[i].y});
  return profile;
}

Inertia inertia_of(ShapeType type, Vec3 scale) { return shape_inertia(type, scale, kDensity); }
Inertia shell_of(ShapeType type, Vec3 scale, Real thickness) {
  return shape_inertia(type, scale, kDensity, nullptr, nullptr, false, thickness);
}

// Proves that a solid sphere has the mass 4/3 pi r^3 rho and the inertia 2/5 m r^2.
TEST(Mass, SphereIsTheTextbooks) {
  const double r = Real(0.3), m = kDensity * 4 / 3 * kPi * r * r * r, i = 0.4 * m * r * r;
  expect_inertia(inertia_of(ShapeType::kSphere, {Real(0.3), 0, 0}), diagonal(m, {}, {i, i, i}), r, kRounding);
}

// Proves that a solid box has the inertia m/12 (b^2 + c^2) over full edges.
TEST(Mass, BoxIsTheTextbooks) {
  const double m = kDensity * 8 * 0.25 * 0.5 * 1.5;
  const Vec3T<double> i = {m / 12 * (1.0 + 9.0), m / 12 * (0.25 + 9.0), m / 12 * (0.25 + 1.0)};
  expect_inertia(inertia_of(ShapeType::kBox, {Real(0.25), Real(0.5), Real(1.5)}), diagonal(m, {}, i), 1.5, kRounding);
}

// Proves that a solid ellipsoid has the inertia m/5 (b^2 + c^2).
TEST(Mass, EllipsoidIsTheTextbooks) {
  const double a = 0.5, b = 1, c = 2, m = kDensity * 4 / 3 * kPi * a * b * c;
  const Vec3T<double> i = {m / 5 * (b * b + c * c), m / 5 * (a * a + c * c), m / 5 * (a * a + b * b)};
  expect_inertia(inertia_of(ShapeType::kEllipsoid, {Real(a), Real(b), Real(c)}), diagonal(m, {}, i), 2, kRounding);
}

// Proves that a solid cylinder has the inertia m/12 (3 r^2 + H^2) across and m r^2 / 2 along its axis.
TEST(Mass, CylinderIsTheTextbooks) {
  const double r = 0.25, H = 1.5, m = kDensity * kPi * r * r * H;
  const double across = m / 12 * (3 * r * r + H * H);
  expect_inertia(inertia_of(ShapeType::kCylinder, {Real(r), Real(H / 2), 0}),
                 diagonal(m, {}, {across, across, m * r * r / 2}), H, kRounding);
}

// Proves that a capsule is a cylinder and two half balls moved to its ends by the parallel axes theorem.
TEST(Mass, CapsuleIsTheTextbooks) {
  const double r = 0.25, h = 0.75, cylinder = kDensity * kPi * r * r * 2 * h, half = kDensity * 2 / 3 * kPi * r * r * r;
  const double along = cylinder * r * r / 2 + 2 * half * 0.4 * r * r;
  // A half ball across an axis through its own centre of mass: 83/320 m r^2.
  const double offset = h + 3 * r / 8;
  const double across = cylinder / 12 * (3 * r * r + 4 * h * h) + 2 * half * (83.0 / 320 * r * r + offset * offset);
  expect_inertia(inertia_of(ShapeType::kCapsule, {Real(r), Real(h), 0}),
                 diagonal(cylinder + 2 * half, {}, {across, across, along}), h + r, kRounding);
}

// Proves that a cone's centre of mass is a quarter of its height above the base, with the textbook inertia there.
TEST(Mass, ConeIsTheTextbooks) {
  const double r = 0.25, H = 1.5, m = kDensity * kPi * r * r * H / 3;
  const double across = m * (3.0 / 20 * r * r + 3.0 / 80 * H * H);
  expect_inertia(inertia_of(ShapeType::kCone, {Real(r), Real(H / 2), 0}),
                 diagonal(m, {0, 0, -H / 2 + H / 4}, {across, across, 0.3 * m * r * r}), H, kRounding);
}

// Proves the closed forms a second time: polyhedra of many faces approach them as their facets shrink.
TEST(Mass, PrimitivesMatchFineMeshes) {
  const int n = 512;
  const double facets = 2 * kPi * kPi / n / n;  // an n-gon lacks a third of this of its circle's area
  const Real r = Real(0.4), h = Real(0.7);
  const auto check = [&](ShapeType type, Vec3 scale, const Mesh& mesh, Vec3 mesh_scale, double size) {
    SCOPED_TRACE(shape_type_name(type));
    const Inertia exact = inertia_of(type, scale);
    expect_inertia(shape_inertia(ShapeType::kMesh, mesh_scale, kDensity, &mesh), to_double(exact), size, 3 * facets);
  };
  check(ShapeType::kCylinder, {r, h, 0}, lathe({{0, -h}, {r, -h}, {r, h}, {0, h}}, n), {1, 1, 1}, 1);
  check(ShapeType::kCone, {r, h, 0}, lathe({{0, -h}, {r, -h}, {0, h}}, n), {1, 1, 1}, 1);
  check(ShapeType::kCapsule, {r, h, 0}, lathe(capsule_profile(r, h, n / 4), n), {1, 1, 1}, 1);
  check(ShapeType::kSphere, {r, 0, 0}, lathe(capsule_profile(r, 0, n / 4), n), {1, 1, 1}, 0.4);
  check(ShapeType::kEllipsoid, {r, h, 1}, lathe(capsule_profile(1, 0, n / 4), n), {r, h, 1}, 1);
  check(ShapeType::kBox, {r, h, 1}, make_box_mesh(1, 1, 1), {r, h, 1}, 1);
}

// Proves that planes, heightfields and shapes of density zero have no mass.
TEST(Mass, StaticShapesHaveNone) {
  EXPECT_EQ(inertia_of(ShapeType::kPlane, {}).mass, 0);
  EXPECT_EQ(inertia_of(ShapeType::kHeightfield, {1, 1, 1}).mass, 0);
  EXPECT_EQ(shape_inertia(ShapeType::kBox, {1, 1, 1}, 0).mass, 0);
}

// -- Shells

// Proves that a thick spherical shell is 2/5 m (R^5 - r^5) / (R^3 - r^3).
TEST(Mass, ThickSphericalShell) {
  const double R = 1, r = 0.75, volume = 4.0 / 3 * kPi * (1 - r * r * r), m = kDensity * volume;
  const double i = 0.4 * m * (R - std::pow(r, 5)) / (1 - std::pow(r, 3));
  expect_inertia(shell_of(ShapeType::kSphere, {1, 0, 0}, Real(0.25)), diagonal(m, {}, {i, i, i}), R, kRounding);
}

// Proves that a hollow box is the outer box minus the inner one.
TEST(Mass, HollowBoxIsADifference) {
  const InertiaT<double> outer = to_double(inertia_of(ShapeType::kBox, {1, 2, 3}));
  const InertiaT<double> inner = to_double(inertia_of(ShapeType::kBox, {Real(0.75), Real(1.75), Real(2.75)}));
  const InertiaT<double> expected = {outer.mass - inner.mass, {}, outer.inertia - inner.inertia};
  expect_inertia(shell_of(ShapeType::kBox, {1, 2, 3}, Real(0.25)), expected, 3, 3 * kRounding);
}

// Proves that the walls have the thickness everywhere: a thin shell's mass is its surface times thickness.
TEST(Mass, ThinShellsAreSurfaceTimesThickness) {
  const double r = 0.4, h = 0.7, t = 1e-4;
  const auto check = [&](ShapeType type, double area) {
    SCOPED_TRACE(shape_type_name(type));
    EXPECT_NEAR(shell_of(type, {Real(r), Real(h), 0}, Real(t)).mass / (kDensity * area * t), 1, 2e-3);
  };
  check(ShapeType::kSphere, 4 * kPi * r * r);
  check(ShapeType::kCylinder, 2 * kPi * r * r + 4 * kPi * r * h);
  check(ShapeType::kCapsule, 4 * kPi * r * r + 4 * kPi * r * h);
  check(ShapeType::kCone, kPi * r * r + kPi * r * std::sqrt(r * r + 4 * h * h));
}

// Proves that a cone's shell keeps its wall: the surface integral of a fine mesh gives the same com and inertia.
TEST(Mass, ThinConeMatchesItsSurface) {
  const Real r = Real(0.4), h = Real(0.7), t = Real(1e-4);
  const Mesh mesh = lathe({{0, -h}, {r, -h}, {0, h}}, 512);
  const Inertia surface = shape_inertia(ShapeType::kMesh, {1, 1, 1}, kDensity, &mesh, nullptr, false, t);
  expect_inertia(surface, to_double(shell_of(ShapeType::kCone, {r, h, 0}, t)), 1, 2e-3);
}

// Proves that a wall thicker than the shape leaves a solid.
TEST(Mass, WallsThickerThanTheShapeMakeASolid) {
  for (const ShapeType type : {ShapeType::kSphere, ShapeType::kCapsule, ShapeType::kEllipsoid, ShapeType::kCylinder,
                               ShapeType::kBox, ShapeType::kCone}) {
    EXPECT_EQ(shell_of(type, {1, 2, 3}, 5).mass, inertia_of(type, {1, 2, 3}).mass) << shape_type_name(type);
  }
}

// Proves that a mesh shell has exact second moments: a cube's surface has the inertia 5/18 m a^2 (edge a).
TEST(Mass, MeshShellOfACube) {
  const Mesh cube = make_box_mesh(Real(0.5), Real(0.5), Real(0.5));
  const double t = 0.0078125, m = kDensity * 6 * t, i = 5.0 / 18 * m;
  expect_inertia(shape_inertia(ShapeType::kMesh, {1, 1, 1}, kDensity, &cube, nullptr, false, Real(t)),
                 diagonal(m, {}, {i, i, i}), 1, kRounding);
}

// -- Meshes

// Proves the polyhedral integrals on the corner tetrahedron, whose moments are elementary.
TEST(Mass, CornerTetrahedron) {
  const Mesh mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3});
  const double m = kDensity / 6.0, on = m * 6 / 80, off = m / 80;
  const InertiaT<double> expected = {m, {0.25, 0.25, 0.25}, {{on, off, off}, {off, on, off}, {off, off, on}}};
  expect_inertia(shape_inertia(ShapeType::kMesh, {1, 1, 1}, kDensity, &mesh), expected, 1, kRounding);
}

// Proves that moving and turning a mesh moves and turns its mass properties.
TEST(Mass, TurnedAndMovedBoxMesh) {
  const Quat q = normalize(Quat{Real(0.1), Real(-0.4), Real(0.3), Real(0.8)});
  const Transform X_WB = {{3, -2, 5}, q};
  Mesh mesh = make_box_mesh(Real(0.25), Real(0.5), Real(1));
  for (Vec3& v : mesh.vertices) v = transform_point(X_WB, v);
  const Inertia expected = transform_inertia(X_WB, inertia_of(ShapeType::kBox, {Real(0.25), Real(0.5), Real(1)}));
  expect_inertia(shape_inertia(ShapeType::kMesh, {1, 1, 1}, kDensity, &mesh), to_double(expected), 1, 20 * kRounding);
}

// Proves that kilometres between a mesh and its origin cost the inertia none of a float's digits.
TEST(Mass, FarAwayMeshKeepsItsInertia) {
  Mesh mesh = make_box_mesh(Real(0.25), Real(0.5), Real(1));
  for (Vec3& v : mesh.vertices) v += {1000, -2000, 3000};
  InertiaT<double> expected = to_double(inertia_of(ShapeType::kBox, {Real(0.25), Real(0.5), Real(1)}));
  expected.com = {1000, -2000, 3000};
  expect_inertia(shape_inertia(ShapeType::kMesh, {1, 1, 1}, kDensity, &mesh), expected, 1,
                 sizeof(Real) == 4 ? 1e-6 : 1e-8);
}

// Proves that the scale of a mesh acts per axis.
TEST(Mass, MeshScaleActsPerAxis) {
  const Mesh cube = make_box_mesh(1, 1, 1);
  const Inertia expected = inertia_of(ShapeType::kBox, {Real(0.5), 2, 3});
  expect_inertia(shape_inertia(ShapeType::kConvexHull, {Real(0.5), 2, 3}, kDensity, &cube), to_double(expected), 3,
                 kRounding);
}

// Proves the parallel axes theorem: two half boxes glued together are the box.
TEST(Mass, TwoHalvesMakeTheWhole) {
  const Inertia half = inertia_of(ShapeType::kBox, {Real(0.5), Real(0.25), Real(1)});
  Inertia left = half, right = half;
  left.com = {Real(-0.5), 0, 0};
  right.com = {Real(0.5), 0, 0};
  const Inertia whole = inertia_of(ShapeType::kBox, {1, Real(0.25), 1});
  expect_inertia(combine_inertia(left, right), to_double(whole), 1, kRounding);
}

// -- Errors

// Proves that an open mesh, an inside-out mesh and a flat mesh are refused with the way out.
TEST(Mass, MeshesThatBoundNoSolidAreRefused) {
  const Mesh cube = make_box_mesh(1, 1, 1);
  Mesh open = cube;
  open.indices.resize(33);
  Mesh inside_out = cube;
  for (std::size_t t = 0; t < inside_out.indices.size(); t += 3)
    std::swap(inside_out.indices[t], inside_out.indices[t + 1]);
  const Mesh flat({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {0, 1, 2, 0, 2, 1});
  const Mesh points({{0, 0, 0}, {1, 0, 0}}, {});
  const auto solid = [](const Mesh& mesh) {
    return [&mesh] { shape_inertia(ShapeType::kMesh, {1, 1, 1}, kDensity, &mesh); };
  };
  expect_error(solid(open), {"open", "explicit mass", "is_solid = false"});
  expect_error(solid(inside_out), {"negative volume -8", "clockwise"});
  expect_error(solid(flat), {"no volume", "explicit mass"});
  expect_error(solid(points), {"no triangles"});
  EXPECT_GT(shape_inertia(ShapeType::kMesh, {1, 1, 1}, kDensity, &open, nullptr, false, Real(0.01)).mass, 0);
}

// Proves that wrong sizes, densities and thicknesses are named.
TEST(Mass, WrongNumbersAreNamed) {
  expect_error([] { shape_inertia(ShapeType::kSphere, {-1, 0, 0}, 1); }, {"sphere", "radius", "-1"});
  expect_error([] { shape_inertia(ShapeType::kBox, {1, 1, 1}, -2); }, {"box", "density", "-2"});
  expect_error([] { shell_of(ShapeType::kBox, {1, 1, 1}, 0); }, {"box", "thickness", "0"});
  expect_error([] { shape_inertia(ShapeType::kMesh, {1, 1, 1}, 1); }, {"mesh", "no mesh"});
  expect_error([] { shape_inertia(ShapeType::kSdf, {1, 1, 1}, 1); }, {"no SDF"});
}

}  // namespace
}  // namespace carom::inline CAROM_PRECISION
