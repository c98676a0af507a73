// Springs, triangles, bending edges and tetrahedra as measures that are zero at rest (energy_projection.kernel.h). The
// energies are those of dynamics/particles, of a sub-step's length h:
//
//   spring       l - rest                    ke                        stretch
//   bending      theta - rest                ke l_rest                 dihedral angle
//   triangle     s1 - s2, s1 s2 - 1          ke A, ka A                s: singular values of F. |F|^2 - 2 - 2 (J - 1)
//                                                                      is (s1 - s2)^2, so the energy is the same
//   tetrahedron  |dev(F^T F)| / sqrt(2),     3/4 k_mu V,               equal to second order in the strain: the shear
//                J - 1                       (k_lambda - k_mu / 8) V   and bulk moduli are the same
#pragma once

#include "carom/math/trig.h"
#include "solvers/xpbd/energy_projection.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// The elements of one kind in a world, colour by colour. Those of a colour share no particle.
struct ColouredRows {
  const int* corner;  // columns of `count` particles
  int count;
  const Real* row;  // numbers of each
  Lambdas lambdas;
};

// -- Springs: rest length [m], K, D.

struct ProjectSprings {
  ParticleRows particles;
  ColouredRows springs;

  template <class F>
  CAROM_HD void operator()(const LaneRows<F>& rows) const {
    Stencil<F, 2> s(particles, springs.corner, springs.count, rows);
    F m[kSpringRow];
    load_lane_rows<kSpringRow>(springs.row, rows, m);
    const Vec3T<F> apart = s.between(0, 1), axis = normalize(apart);
    const F stretch = dot(axis, apart) - m[0];
    project(s, {{-axis, axis}}, Resistance<F>{m[1], m[2], m[1] * stretch}, springs.lambdas, rows);
    s.store(particles);
  }
};

// -- Bending edges: rest angle [rad], K, D.

struct ProjectBending {
  ParticleRows particles;
  ColouredRows edges;

  // Corners o0, o1, v1, v2 of the triangles (o0, v1, v2) and (o1, v2, v1), as in bending.kernel.h.
  template <class F>
  CAROM_HD void operator()(const LaneRows<F>& rows) const {
    Stencil<F, 4> s(particles, edges.corner, edges.count, rows);
    F m[kBendingRow];
    load_lane_rows<kBendingRow>(edges.row, rows, m);
    const Vec3T<F> edge = s.between(2, 3), from_0 = s.between(0, 2), to_1 = s.between(3, 1);
    const Vec3T<F> N0 = cross(from_0, edge), N1 = cross(to_1, edge);
    const F n0 = dot(N0, N0), n1 = dot(N1, N1), e2 = dot(edge, edge);
    constexpr Real kFlat = Real(1e-12);  // square of height over length
    const auto bends = min(n0, n1) > F(kFlat) * e2 * e2;
    const F e = sqrt(select(bends, e2, F(1))), by_e = F(1) / e;
    const Vec3T<F> axis = edge * by_e;
    const Vec3T<F> u0 = N0 * (F(1) / select(bends, n0, F(1))), u1 = N1 * (F(1) / select(bends, n1, F(1)));
    const F theta = atan2(dot(cross(N0, N1), axis), dot(N0, N1));

    // How far along the edge the opposite corners are from its ends.
    const F to_end_0 = dot(from_0 + edge, axis), to_end_1 = -dot(to_1, axis);
    const F to_start_0 = -dot(from_0, axis), to_start_1 = dot(to_1 + edge, axis);
    const F angle = turn_between(m[0], theta);
    const F K = select(bends, m[1], F(0)), D = select(bends, m[2], F(0));
    project(s, {{u0 * -e, u1 * -e, fma(u0, to_end_0, u1 * to_end_1), fma(u0, to_start_0, u1 * to_start_1)}},
            Resistance<F>{K, D, K * angle}, edges.lambdas, rows);
    s.store(particles);
  }

 private:
  template <class F>
  CAROM_HD static F turn_between(F from, F to) {
    constexpr Real kPi = Real(3.14159265358979323846);
    const F a = to - from;
    return select(a > F(kPi), a - F(2 * kPi), select(a < F(-kPi), a + F(2 * kPi), a));
  }
};

// -- Triangles: inverse of the rest shape, K and D of s1 - s2, K and D of the area, force of the activation; then what
// the air does (air.kernel.h).

inline constexpr int kTriangleNumbers = 9;

struct ProjectTriangles {
  ParticleRows particles;
  ColouredRows triangles;

  template <class F>
  CAROM_HD void operator()(const LaneRows<F>& rows) const {
    Stencil<F, 3> s(particles, triangles.corner, triangles.count, rows);
    F m[kTriangleNumbers];
    load_lane_rows<kTriangleRow>(triangles.row, rows, m);
    const Vec3T<F> x1 = s.between(0, 1), x2 = s.between(0, 2);
    const Vec3T<F> F1 = fma(x2, m[2], x1 * m[0]), F2 = fma(x2, m[3], x1 * m[1]);
    const Vec3T<F> N = cross(F1, F2), n = normalize(N);
    const F J = dot(n, N);
    const Vec3T<F> turned_2 = cross(F2, n), turned_1 = cross(n, F1);  // dJ/dF1, dJ/dF2

    const Vec3T<F> unequal = F1 - turned_2, along = normalize(unequal);  // its length is s1 - s2
    const F difference = dot(along, unequal);
    const Vec3T<F> across = cross(along, n);
    project(s, gradient(m, along, across), Resistance<F>{m[4], m[5], m[4] * difference},
            gradient(m, turned_2, turned_1), Resistance<F>{m[6], m[7], fma(m[6], J - F(1), m[8])}, triangles.lambdas,
            rows);
    s.store(particles);
  }

 private:
  // By the corners, from that by the columns of F.
  template <class F>
  CAROM_HD static Gradient<F, 3> gradient(const F (&pose)[kTriangleNumbers], Vec3T<F> by_F1, Vec3T<F> by_F2) {
    const Vec3T<F> g1 = fma(by_F2, pose[1], by_F1 * pose[0]), g2 = fma(by_F2, pose[3], by_F1 * pose[2]);
    return {{-(g1 + g2), g1, g2}};
  }
};

// -- Tetrahedra: inverse of the rest shape, K and D of the shear, K and D of the volume, force of the activation.

struct ProjectTetrahedra {
  ParticleRows particles;
  ColouredRows tetrahedra;

  template <class F>
  CAROM_HD void operator()(const LaneRows<F>& rows) const {
    Stencil<F, 4> s(particles, tetrahedra.corner, tetrahedra.count, rows);
    F m[kTetrahedronRow];
    load_lane_rows<kTetrahedronRow>(tetrahedra.row, rows, m);
    const Vec3T<F> x1 = s.between(0, 1), x2 = s.between(0, 2), x3 = s.between(0, 3);
    Vec3T<F> column[3];
    for (int k = 0; k < 3; ++k) column[k] = fma(x3, m[6 + k], fma(x2, m[3 + k], x1 * m[k]));
    const Vec3T<F>&a = column[0], &b = column[1], &c = column[2];
    const Vec3T<F> by_a = cross(b, c), by_b = cross(c, a), by_c = cross(a, b);  // dJ/dF
    const F J = dot(a, by_a);

    // F^T F without its mean; its length over sqrt(2) is the shear.
    const F aa = dot(a, a), bb = dot(b, b), cc = dot(c, c), ab = dot(a, b), ac = dot(a, c), bc = dot(b, c);
    const F mean = (aa + bb + cc) * F(Real(1) / 3);
    const F da = aa - mean, db = bb - mean, dc = cc - mean;
    const F off = fma(ab, ab, fma(ac, ac, bc * bc));
    const F shear = sqrt(fma(F(0.5), fma(da, da, fma(db, db, dc * dc)), off));
    const F inverse = F(1) / select(shear > F(0), shear, F(1));
    const auto times = [&](F x, F y, F z) CAROM_HD_LAMBDA { return fma(c, z, fma(b, y, a * x)) * inverse; };
    project(s, gradient(m, times(da, ab, ac), times(ab, db, bc), times(ac, bc, dc)),
            Resistance<F>{m[9], m[10], m[9] * shear}, gradient(m, by_a, by_b, by_c),
            Resistance<F>{m[11], m[12], fma(m[11], J - F(1), m[13])}, tetrahedra.lambdas, rows);
    s.store(particles);
  }

 private:
  template <class F>
  CAROM_HD static Gradient<F, 4> gradient(const F (&pose)[kTetrahedronRow], Vec3T<F> by_a, Vec3T<F> by_b,
                                          Vec3T<F> by_c) {
    Gradient<F, 4> g;
    for (int k = 0; k < 3; ++k)
      g.at[k + 1] = fma(by_c, pose[3 * k + 2], fma(by_b, pose[3 * k + 1], by_a * pose[3 * k]));
    g.at[0] = -(g.at[1] + g.at[2] + g.at[3]);
    return g;
  }
};

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
