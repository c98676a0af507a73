#include "dynamics/particles/stable_step.h"

#include <limits>
#include <vector>

#include "dynamics/particles/bending.kernel.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// An element at its rest shape. What it resists is e = sum of its corners' displacements times their gradients, by
// stiffness |e|^2 / 2 at most.
struct RestElement {
  int particle[4];
  Vec3T<double> gradient[4];
  int corners;
  double stiffness, damping;
};

Vec3T<double> wide(Vec3 v) { return {v.x, v.y, v.z}; }

RestElement rest_spring(const ModelColumns<Array>& c, int s) {
  const Index2 at = c.spring_indices[s];
  return {{at[0], at[1]}, {{-1, 0, 0}, {1, 0, 0}}, 2, c.spring_stiffness[s], c.spring_damping[s]};
}

// The largest second derivatives of the energy in triangle.kernel.h at rest are 2 ke (shear) and 2 ka (area).
RestElement rest_triangle(const ModelColumns<Array>& c, int t) {
  const Index3 at = c.tri_indices[t];
  const RealN<4>& pose = c.tri_poses[t];
  const RealN<5>& m = c.tri_materials[t];
  const double area = 0.5 / abs(double(pose[0]) * pose[3] - double(pose[1]) * pose[2]);
  const Vec3T<double> g1{pose[0], pose[1], 0}, g2{pose[2], pose[3], 0};
  return {{at[0], at[1], at[2]}, {-(g1 + g2), g1, g2}, 3, 2 * area * max(m[0], m[1]), 3 * area * m[2]};
}

RestElement rest_edge(const ModelColumns<Array>& c, int e) {
  const Index4 at = c.edge_indices[e];
  const DihedralAngle d = dihedral_angle(corners_of(c.particle_q.data(), at));
  const double l = c.edge_rest_length[e];
  RestElement r{
      {at[0], at[1], at[2], at[3]}, {}, 4, l * c.edge_bending_properties[e][0], l * c.edge_bending_properties[e][1]};
  for (int k = 0; k < 4; ++k) r.gradient[k].x = length(d.gradient[k]);
  return r;
}

// Likewise 3 k_mu / 2 (shear) and 3 k_lambda - 3 k_mu / 8 (volume), tetrahedron.kernel.h.
RestElement rest_tetrahedron(const ModelColumns<Array>& c, int t) {
  const Index4 at = c.tet_indices[t];
  const Mat33& pose = c.tet_poses[t];
  const RealN<3>& m = c.tet_materials[t];
  const double volume = 1 / (6 * abs(double(determinant(pose))));
  const Vec3T<double> g1 = wide(pose[0]), g2 = wide(pose[1]), g3 = wide(pose[2]);
  return {{at[0], at[1], at[2], at[3]},
          {-(g1 + g2 + g3), g1, g2, g3},
          4,
          volume * max(1.5 * m[0], 3 * double(m[1]) - 0.375 * m[0]),
          4 * volume * m[2]};
}

template <class Visit>
void visit_elements(const Model& model, const ModelColumns<Array>& c, const Visit& visit) {
  for (int i = 0; i < model.spring_count; ++i) visit(rest_spring(c, i));
  for (int i = 0; i < model.tri_count; ++i) visit(rest_triangle(c, i));
  for (int i = 0; i < model.edge_count; ++i) visit(rest_edge(c, i));
  for (int i = 0; i < model.tet_count; ++i) visit(rest_tetrahedron(c, i));
}

// Of a symmetric matrix without negative eigenvalues, from above, by 3.5 % at most: the 32nd root of the trace of its
// 32nd power.
double largest_eigenvalue(Mat33T<double> a) {
  constexpr int kSquares = 5;
  const double size = trace(a);
  if (!(size > 0)) return 0;
  a = a * (1 / size);
  for (int i = 0; i < kSquares; ++i) a = a * a;
  double root = trace(a);
  for (int i = 0; i < kSquares; ++i) root = sqrt(root);
  return size * root;
}

// The largest eigenvalue of M^-1 times the sum of what elements have, number(element).
template <class Number>
double bound(const Model& model, const ModelColumns<Array>& c, const Number& number) {
  std::vector<double> sum(model.particle_count, 0);
  visit_elements(model, c, [&](const RestElement& e) {
    for (int k = 0; k < e.corners; ++k) sum[e.particle[k]] += number(e) * dot(e.gradient[k], e.gradient[k]);
  });
  double most = 0;
  visit_elements(model, c, [&](const RestElement& e) {
    const double of_element = number(e);
    if (!(of_element > 0)) return;
    Mat33T<double> a{};
    for (int k = 0; k < e.corners; ++k) {
      const int i = e.particle[k];
      const double own = of_element * dot(e.gradient[k], e.gradient[k]);
      const bool moves = (c.particle_flags[i] & kParticleActive) != 0 && c.particle_mass[i] > 0;
      if (moves && own > 0) a = a + outer(e.gradient[k], e.gradient[k]) * (sum[i] / (own * c.particle_mass[i]));
    }
    most = max(most, of_element * largest_eigenvalue(a));
  });
  return most;
}

}  // namespace

Real find_stable_step(const Model& model) {
  ModelColumns<Array> c;
  visit_columns([&](const ColumnInfo& info, auto get) {
    const std::string_view name = info.name;
    for (const char* needed : {"particle_", "spring_", "tri_", "edge_", "tet_"})
      if (name.starts_with(needed)) get(c) = get(static_cast<const ModelColumns<Array>&>(model)).on_cpu();
  });
  const double k = bound(model, c, [](const RestElement&e) { return e.stiffness; }),
               d = bound(model, c, [](const RestElement&e) { return e.damping; });
  if (k == 0 && d == 0) return std::numeric_limits<Real>::infinity();
  return static_cast<Real>(4 / (d + sqrt(d * d + 4 * k)));
}

}  // namespace carom::inline CAROM_PRECISION
