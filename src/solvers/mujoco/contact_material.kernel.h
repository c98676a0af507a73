// What MuJoCo's model makes of the two shapes of a contact: the numbers of both combined, contact by contact.
//
//   the shape of the higher priority decides; of equal ones solref and solimp are mixed by solmix, friction and condim
//   are the larger ones, margins and gaps are added
#pragma once

#include "carom/model.h"
#include "solvers/mujoco/impedance.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct ContactMaterial {
  Real mu;             // coefficient of friction
  Real spin, roll;     // of turning about the normal and about the tangents [m]
  Real active_margin;  // the contact pushes below this distance [m]
  Real stiffness;      // K of the reference acceleration [1/s^2]
  Real damping;        // B [1/s]
  Real impedance[5];   // d0, dwidth, width [m], midpoint, power
  Real inverse_mass;   // of the two bodies at the initial pose [1/kg]
  int condim;          // 1: frictionless, 3: friction, 4: of spinning, too, 6: and of rolling
  int part[2];         // of the world, that carry the shapes; -1 = does not move
  int link[2];         // of these parts, that do
};

// Columns of the model, and what the solver knows of its bodies.
struct MaterialColumns {
  Span<const int> shape_body, shape_priority, shape_condim;
  Span<const Real> shape_solmix, shape_mu, shape_spin, shape_roll, shape_margin, shape_gap;
  Span<const RealN<2>> shape_solref;
  Span<const RealN<5>> shape_solimp;
  const int *body_part, *body_link;
  const Real* body_inverse_mass;
};

struct CombineMaterials {
  const int* count;  // of the contacts: a graph that is used again may have room for more
  const int *shape0, *shape1;
  MaterialColumns of;
  Real dt;  // [s]
  ContactMaterial* out;
  Vec3* force;  // 0 until a solver says more [N]

  CAROM_HD void operator()(int c) const {
    if (c >= *count) return;
    const int a = shape0[c], b = shape1[c];
    const int prior = of.shape_priority[a] - of.shape_priority[b];  // > 0: a decides, < 0: b does
    ContactMaterial m{};
    const auto friction = [&](Span<const Real> of_shape) CAROM_HD_LAMBDA {
      const Real mu_a = of_shape[a], mu_b = of_shape[b];
      return max(prior > 0 ? mu_a : prior < 0 ? mu_b : max(mu_a, mu_b), Real(1e-5));
    };
    m.mu = friction(of.shape_mu);
    m.spin = friction(of.shape_spin);
    m.roll = friction(of.shape_roll);
    const int condim_a = of.shape_condim[a], condim_b = of.shape_condim[b];
    m.condim = prior > 0 || (prior == 0 && condim_a > condim_b) ? condim_a : condim_b;
    const Real mix = mix_of(a, b, prior);
    RealN<5> solimp;
    for (int i = 0; i < 5; ++i) solimp[i] = mix * of.shape_solimp[a][i] + (1 - mix) * of.shape_solimp[b][i];
    solimp = bounded_impedance(solimp);
    for (int i = 0; i < 5; ++i) m.impedance[i] = solimp[i];
    const RealN<2> solref = mixed_solref(of.shape_solref[a], of.shape_solref[b], mix);
    const ReferenceNumbers<Real> reference = reference_numbers(solref[0], solref[1], solimp[1], dt);
    m.stiffness = reference.stiffness;
    m.damping = reference.damping;
    m.active_margin = of.shape_margin[a] + of.shape_margin[b] - (of.shape_gap[a] + of.shape_gap[b]);
    m.inverse_mass = inverse_mass(a) + inverse_mass(b);
    m.link[0] = of_body(a, of.body_link);
    m.link[1] = of_body(b, of.body_link);
    m.part[0] = of_body(a, of.body_part);
    m.part[1] = of_body(b, of.body_part);
    out[c] = m;
    force[c] = {};
  }

 private:
  CAROM_HD Real mix_of(int a, int b, int prior) const {
    if (prior != 0) return prior > 0 ? Real(1) : Real(0);
    const Real sum = of.shape_solmix[a] + of.shape_solmix[b];
    return sum > Real(1e-15) ? of.shape_solmix[a] / sum : Real(0.5);
  }
  // Numbers of the direct form (negative) do not mix with time constants: then the smaller ones are taken.
  CAROM_HD static RealN<2> mixed_solref(RealN<2> a, RealN<2> b, Real mix) {
    const bool mixes = (a[0] > 0 && b[0] > 0) || mix == 0 || mix == 1;
    RealN<2> result;
    for (int i = 0; i < 2; ++i) result[i] = mixes ? mix * a[i] + (1 - mix) * b[i] : min(a[i], b[i]);
    return result;
  }
  CAROM_HD Real inverse_mass(int shape) const {
    const int body = of.shape_body[shape];
    return body < 0 ? Real(0) : of.body_inverse_mass[body];
  }
  CAROM_HD int of_body(int shape, const int* column) const {
    const int body = of.shape_body[shape];
    return body < 0 ? -1 : column[body];
  }
};

}  // namespace carom::inline CAROM_PRECISION
