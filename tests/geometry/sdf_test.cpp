// Signed distance fields: interpolation, distances to meshes, mass.
#include <cmath>
#include <limits>

#include "geometry/expect.h"

namespace carom::inline CAROM_PRECISION {
namespace {

// Distances to a sphere of radius r at the nodes of a cubic grid about it.
SDF sphere_sdf(double r, int n, double half) {
  const double spacing = 2 * half / (n - 1);
  std::vector<Real> values;
  for (int i = 0; i < n * n * n; ++i) {
    const double x = -half + spacing * (i % n), y = -half + spacing * (i / n % n), z = -half + spacing * (i / n / n);
    values.push_back(Real(std::sqrt(x * x + y * y + z * z) - r));
  }
  return SDF(values, n, n, n, {Real(-half), Real(-half), Real(-half)}, Real(spacing));
}

// Exact signed distance to a box about the origin.
double box_distance(Vec3T<double> p, Vec3T<double> h) {
  const Vec3T<double> q = abs(p) - h;
  return length(max(q, Vec3T<double>{})) + std::min(std::max({q.x, q.y, q.z}), 0.0);
}

Vec3T<double> node(const SDF& sdf, int i, int j, int k) {
  return {double(sdf.origin.x) + double(i) * sdf.spacing, double(sdf.origin.y) + double(j) * sdf.spacing,
          double(sdf.origin.z) + double(k) * sdf.spacing};
}

template <class Check>
void for_each_node(const SDF& sdf, Check check) {
  for (int k = 0; k < sdf.nz; ++k) {
    for (int j = 0; j < sdf.ny; ++j) {
      for (int i = 0; i < sdf.nx; ++i) check(node(sdf, i, j, k), double(sdf.value(i, j, k)));
    }
  }
}

// Proves that interpolation reproduces a trilinear function, and adds the distance to the grid outside of it.
TEST(Sdf, InterpolationIsTrilinear) {
  std::vector<Real> values;
  const auto f = [](Real x, Real y, Real z) { return 1 + x + 2 * y - z + x * y * z; };
  for (int i = 0; i < 24; ++i) values.push_back(f(Real(i % 2), Real(i / 2 % 3), Real(i / 6)));
  const SDF sdf(values, 2, 3, 4, {0, 0, 0}, 1);
  EXPECT_EQ(sdf_distance(sdf, {1, 2, 3}), f(1, 2, 3));
  EXPECT_EQ(sdf_distance(sdf, {0, 1, 2}), f(0, 1, 2));
  EXPECT_EQ(sdf_distance(sdf, {Real(0.5), Real(1.25), Real(2.75)}), f(Real(0.5), Real(1.25), Real(2.75)));
  EXPECT_EQ(sdf_distance(sdf, {-3, -4, 1}), f(0, 0, 1) + 5);
  EXPECT_EQ(sdf_distance(sdf, {1, 2, 5}), f(1, 2, 3) + 2);
}

// Proves that distances to a box mesh are exact at every node: inside, outside, beyond edges and corners.
TEST(Sdf, BoxMeshIsExact) {
  const SDF sdf = sdf_from_mesh(make_box_mesh(Real(0.5), Real(0.75), 1), Real(0.125), Real(0.5));
  EXPECT_EQ(sdf.nx, 17);
  EXPECT_EQ(sdf.ny, 21);
  EXPECT_EQ(sdf.nz, 25);
  for_each_node(sdf, [](Vec3T<double> p, double value) {
    EXPECT_NEAR(value, box_distance(p, {0.5, 0.75, 1}), 2 * kRounding);
  });
}

// Proves that a sphere mesh gives the sphere's distances up to the sag of its facets.
TEST(Sdf, SphereMeshIsAccurateToItsFacets) {
  const Mesh mesh = make_sphere_mesh(1, 3);
  double sag = 0;  // greatest distance of a facet's centre from the sphere
  for (std::size_t t = 0; t < mesh.indices.size(); t += 3) {
    const Vec3 sum =
        mesh.vertices[mesh.indices[t]] + mesh.vertices[mesh.indices[t + 1]] + mesh.vertices[mesh.indices[t + 2]];
    sag = std::max(sag, 1 - double(length(sum)) / 3);
  }
  for_each_node(sdf_from_mesh(mesh, Real(0.1), Real(0.3)), [&](Vec3T<double> p, double value) {
    EXPECT_LE(length(p) - 1, value + kRounding);
    EXPECT_LE(value, length(p) - 1 + 1.05 * sag);
  });
}

// Every node of the mesh's field that is not on the surface has the sign that inside(p) tells.
template <class Inside>
void expect_signs(const Mesh& mesh, Real spacing, Inside inside) {
  int inner_nodes = 0;
  for_each_node(sdf_from_mesh(mesh, spacing, Real(0.5)), [&](Vec3T<double> p, double value) {
    if (std::abs(value) < 1e-5) return;
    EXPECT_EQ(value < 0, inside(p)) << p.x << " " << p.y << " " << p.z;
    inner_nodes += value < 0;
  });
  EXPECT_GT(inner_nodes, 100);
}

// Proves that signs are right beyond the tip of a long thin tetrahedron, where the planes of its faces disagree.
TEST(Sdf, SignsAtSharpCorners) {
  const Mesh spike({{0, 0, 4}, {Real(0.2), 0, 0}, {Real(-0.1), Real(0.2), 0}, {Real(-0.1), Real(-0.2), 0}},
                   {0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2});
  const auto vertex = [&](int i) {
    return Vec3T<double>{spike.vertices[i].x, spike.vertices[i].y, spike.vertices[i].z};
  };
  expect_signs(spike, Real(0.03), [&](Vec3T<double> p) {
    for (std::size_t t = 0; t < spike.indices.size(); t += 3) {
      const Vec3T<double> a = vertex(spike.indices[t]);
      const Vec3T<double> normal = cross(vertex(spike.indices[t + 1]) - a, vertex(spike.indices[t + 2]) - a);
      if (dot(normal, p - a) > 0) return false;
    }
    return true;
  });
}

// Proves that signs are right about a concave corner and concave edges: a cube with a pyramid cut out of its top.
TEST(Sdf, SignsInADent) {
  Mesh dented = make_box_mesh(1, 1, 1);
  dented.vertices.push_back({0, 0, Real(-0.5)});
  dented.indices.resize(30);  // the top is last
  dented.indices.insert(dented.indices.end(), {4, 5, 8, 5, 7, 8, 7, 6, 8, 6, 4, 8});
  expect_signs(dented, Real(0.07), [](Vec3T<double> p) {
    const double aside = std::max(std::abs(p.x), std::abs(p.y));
    return aside < 1 && p.z > -1 && p.z < -0.5 + 1.5 * aside;
  });
}

// Proves that the mass of a field approaches the sphere's, four times nearer for half the spacing.
TEST(Sdf, MassConvergesWithTheSpacing) {
  const double exact = 4.0 / 3 * kPi * 0.512 * 100;
  double gap[2];
  for (int fine = 0; fine < 2; ++fine) {
    const SDF sdf = sphere_sdf(0.8, fine ? 41 : 21, 1);
    const Inertia body = shape_inertia(ShapeType::kSdf, {1, 1, 1}, 100, nullptr, &sdf);
    gap[fine] = std::abs(body.mass - exact);
    EXPECT_LT(gap[fine] / exact, fine ? 0.002 : 0.008);
    EXPECT_NEAR(body.inertia.row0.x / (0.4 * exact * 0.64), 1, fine ? 0.004 : 0.015);
    EXPECT_NEAR(length(body.com), 0, 1e-3);
  }
  EXPECT_NEAR(gap[0] / gap[1], 4, 0.5);
}

// Proves that a plane cut through the grid is integrated exactly, and that scale and shells act on fields.
TEST(Sdf, HalfFilledGridIsExact) {
  std::vector<Real> values;
  for (int i = 0; i < 27; ++i) values.push_back(Real(i / 9) * Real(0.5) - Real(0.625));  // z - 0.625 on [0, 1]^3
  const SDF sdf(values, 3, 3, 3, {0, 0, 0}, Real(0.5));
  const Inertia body = shape_inertia(ShapeType::kSdf, {2, 2, 2}, 10, nullptr, &sdf);
  const Inertia box = shape_inertia(ShapeType::kBox, {1, 1, Real(0.625)}, 10);
  InertiaT<double> expected = to_double(box);
  expected.com = {1, 1, 0.625};
  expect_inertia(body, expected, 2, 2 * kRounding);
  const Inertia shell = shape_inertia(ShapeType::kSdf, {2, 2, 2}, 10, nullptr, &sdf, false, Real(0.25));
  EXPECT_NEAR(shell.mass, 10 * 2 * 2 * 0.25, 100 * kRounding);
  EXPECT_NEAR(shell.com.z, 1.25 - 0.125, 10 * kRounding);
}

// Proves that a field without inside has no mass, and that every wrong argument is named.
TEST(Sdf, WrongInputIsRefused) {
  const std::vector<Real> ones(8, 1);
  std::vector<Real> bad = ones;
  bad[5] = std::numeric_limits<Real>::quiet_NaN();
  const SDF empty(ones, 2, 2, 2, {0, 0, 0}, 1);
  Mesh open = make_box_mesh(1, 1, 1);
  open.indices.resize(33);
  expect_error([&] { shape_inertia(ShapeType::kSdf, {1, 1, 1}, 1, nullptr, &empty); }, {"no volume"});
  expect_error([&] { SDF(ones, 2, 2, 1, {0, 0, 0}, 1); }, {"at least 2", "2 x 2 x 1"});
  expect_error([&] { SDF(ones, 2, 2, 3, {0, 0, 0}, 1); }, {"8 values", "12"});
  expect_error([&] { SDF(ones, 2, 2, 2, {0, 0, 0}, 0); }, {"spacing", "0"});
  expect_error([&] { SDF(bad, 2, 2, 2, {0, 0, 0}, 1); }, {"node (1, 0, 1)", "not finite"});
  expect_error([&] { sdf_from_mesh(open, Real(0.1), 0); }, {"open"});
  expect_error([&] { sdf_from_mesh(make_box_mesh(1, 1, 1), 0, 0); }, {"spacing", "0"});
  expect_error([&] { sdf_from_mesh(make_box_mesh(1, 1, 1), 1, -1); }, {"padding", "-1"});
  expect_error([&] { sdf_from_mesh(make_box_mesh(1, 1, 1), Real(1e-4), 0); }, {"nodes", "larger"});
}

}  // namespace
}  // namespace carom::inline CAROM_PRECISION
