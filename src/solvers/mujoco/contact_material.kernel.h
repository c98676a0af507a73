// What MuJoCo's model makes of the two shapes of a contact: the numbers of both combined, contact by contact.
//
//   the shape of the higher priority decides; of equal ones solref and solimp are mixed by solmix, friction and condim
//   are the larger ones, margins and gaps are added; a contact pair has numbers of its own
#pragma once

#include "backend/world_lanes.h"
#include "carom/model.h"
#include "solvers/mujoco/impedance.kernel.h"

namespace carom::inline CAROM_PRECISION {

inline constexpr Real kLeastFriction = Real(1e-5);

template <class F>
struct MaterialNumbers {
  F mu;             // coefficient of friction
  F spin, roll;     // of turning about the normal and about the tangents [m]
  F active_margin;  // the contact pushes below this distance [m]
  F stiffness;      // K of the reference acceleration [1/s^2]; in Discrete negative: it may not be softened
  F damping;        // B [1/s]
  F impedance[5];   // d0, dwidth, width [m], midpoint, power
  F inverse_mass;   // of the two bodies at the initial pose [1/kg]
};
struct ContactMaterial : MaterialNumbers<Real> {
  int condim;   // 1: frictionless, 3: friction, 4: of spinning, too, 6: and of rolling
  int part[2];  // of the world, that carry the shapes; -1 = does not move
  int link[2];  // of these parts, that do
  // What it was combined from. Where things lie still the next step finds the same shapes in the same place.
  int shape[2];
  int stamp;  // 0: nothing yet

  CAROM_HD bool is_of(int a, int b, int stamp_now) const {
    return shape[0] == a && shape[1] == b && stamp == stamp_now;
  }
};

// What a shape brings to its contacts.
template <class F>
struct ShapeNumbers {
  F mu, spin, roll, solmix;
  F margin, gap;
  F inverse_mass;  // of its body; 0: it does not move
  F solref[2], solimp[5];
};
struct ShapeMaterial : ShapeNumbers<Real> {
  int priority, condim, part, link;
};

// Packs the columns of the model, and what the solver knows of its bodies, after an edit: a contact then reads one row
// for each of its shapes.
struct PackShapes {
  Span<const int> list;  // of the shapes
  Span<const int> shape_body, shape_priority, shape_condim;
  Span<const Real> shape_solmix, shape_mu, shape_spin, shape_roll, shape_margin, shape_gap;
  Span<const RealN<2>> shape_solref;
  Span<const RealN<5>> shape_solimp;
  const int *body_part, *body_link;
  const Real* body_inverse_mass;
  ShapeMaterial* out;

  CAROM_HD void operator()(int i) const {
    const int s = list[i], body = shape_body[s];
    ShapeMaterial m{};
    m.mu = shape_mu[s], m.spin = shape_spin[s], m.roll = shape_roll[s], m.solmix = shape_solmix[s];
    m.margin = shape_margin[s], m.gap = shape_gap[s];
    m.inverse_mass = body < 0 ? Real(0) : body_inverse_mass[body];
    for (int i = 0; i < 2; ++i) m.solref[i] = shape_solref[s][i];
    for (int i = 0; i < 5; ++i) m.solimp[i] = shape_solimp[s][i];
    m.priority = shape_priority[s], m.condim = shape_condim[s];
    m.part = body < 0 ? -1 : body_part[body];
    m.link = body < 0 ? -1 : body_link[body];
    out[s] = m;
  }
};

// Pairs of shapes with numbers of their own: those of shape a, the smaller one of both, are start[a] to start[a + 1].
struct PairNumbers {
  int other, condim;
  Real friction[5];  // along both tangents, of spinning, of rolling about both tangents
  Real solref[2], solref_friction[2], solimp[5], margin, gap, adhesion;
};
struct PairTable {
  const int* start = nullptr;  // nullptr: there are none
  const PairNumbers* numbers = nullptr;

  CAROM_HD const PairNumbers* find(int a, int b) const {
    if (!start) return nullptr;
    const int first = a < b ? a : b, second = a < b ? b : a;
    for (int i = start[first]; i < start[first + 1]; ++i)
      if (numbers[i].other == second) return numbers + i;
    return nullptr;
  }
};

// Contacts that come about before the step is over.
struct ContactImpacts {
  const Real *time = nullptr, *speed = nullptr;  // nullptr: there are none [s], [m/s]
  const Real* depth = nullptr;
  Real dt = 0;  // [s]
  bool discrete = false, refsafe = true;

  CAROM_HD bool is_ahead(int c) const { return speed && speed[c] > 0; }
};

namespace material {

// prior: > 0: a decides, < 0: b does
template <class F>
CAROM_HD F mix_of(const ShapeNumbers<F>& a, const ShapeNumbers<F>& b, F prior) {
  const F sum = a.solmix + b.solmix;
  const auto mixes = sum > F(1e-15);
  const F share = select(mixes, a.solmix / select(mixes, sum, F(1)), F(0.5));
  return select(prior > F(0), F(1), select(prior < F(0), F(0), share));
}

CAROM_HD int condim_of(const ShapeMaterial& a, const ShapeMaterial& b) {
  const int prior = a.priority - b.priority;
  return prior > 0 || (prior == 0 && a.condim > b.condim) ? a.condim : b.condim;
}

template <class F>
CAROM_HD MaterialNumbers<F> combined(const ShapeNumbers<F>& a, const ShapeNumbers<F>& b, F prior, F least_time,
                                     bool marks_direct) {
  MaterialNumbers<F> m;
  const auto friction = [&](F of_a, F of_b) CAROM_HD_LAMBDA {
    const F decided = select(prior > F(0), of_a, select(prior < F(0), of_b, max(of_a, of_b)));
    return max(decided, F(kLeastFriction));
  };
  m.mu = friction(a.mu, b.mu);
  m.spin = friction(a.spin, b.spin);
  m.roll = friction(a.roll, b.roll);
  m.active_margin = a.margin + b.margin - (a.gap + b.gap);
  m.inverse_mass = a.inverse_mass + b.inverse_mass;
  const F mix = mix_of(a, b, prior);
  const auto mixed = [&](F of_a, F of_b) CAROM_HD_LAMBDA { return mix * of_a + (F(1) - mix) * of_b; };
  for (int i = 0; i < 5; ++i) m.impedance[i] = mixed(a.solimp[i], b.solimp[i]);
  bound_impedance(m.impedance);
  // Numbers of the direct form (negative) do not mix with time constants: then the smaller ones are taken.
  const auto mixes = (a.solref[0] > F(0) && b.solref[0] > F(0)) || mix == F(0) || mix == F(1);
  F solref[2];
  for (int i = 0; i < 2; ++i) solref[i] = select(mixes, mixed(a.solref[i], b.solref[i]), min(a.solref[i], b.solref[i]));
  const ReferenceNumbers<F> reference = reference_numbers(solref[0], solref[1], m.impedance[1], least_time);
  m.stiffness = reference.stiffness;
  if (marks_direct) m.stiffness = select(is_direct(solref), -m.stiffness, m.stiffness);
  m.damping = reference.damping;
  return m;
}

// In place of what both shapes bring.
CAROM_HD void take_pair(const PairNumbers& pair, Real least_time, bool marks_direct, ContactMaterial& m) {
  m.condim = pair.condim;
  const auto friction = [](Real given) CAROM_HD_LAMBDA { return max(given, kLeastFriction); };
  m.mu = friction(pair.friction[0]), m.spin = friction(pair.friction[2]), m.roll = friction(pair.friction[3]);
  m.active_margin = pair.margin;
  for (int i = 0; i < 5; ++i) m.impedance[i] = pair.solimp[i];
  bound_impedance(m.impedance);
  const ReferenceNumbers<Real> reference =
      reference_numbers(pair.solref[0], pair.solref[1], m.impedance[1], least_time);
  m.stiffness = reference.stiffness, m.damping = reference.damping;
  if (marks_direct && is_direct(pair.solref)) m.stiffness = -m.stiffness;
}

// A contact that is ahead leaves of the speed s what brings the surfaces together at the end of the step: after it the
// shapes approach with t s, t = time / dt. MuJoCo takes the depth r of a contact of now that would do so,
//
//   d a_ref dt = d (B s + K d r) dt = (1 - t) s    d: impedance at full depth
//
// which may be far below or above the surface. Here it is r = s dt, with the impedance of MuJoCo's depth, and K
// follows.
CAROM_HD void take_explicit_impact(const ContactImpacts& impacts, int c, ContactMaterial& m) {
  const Real dt = impacts.dt, d = m.impedance[1], depth = impacts.speed[c] * dt;
  const Real missing = (1 - impacts.time[c] / dt - m.damping * d * dt) / (d * d * dt * dt);
  const Real soft = m.stiffness > 0 ? impedance(m.impedance, missing / m.stiffness * depth) : d;
  m.impedance[0] = m.impedance[1] = soft;
  m.active_margin = depth - impacts.depth[c];
  m.stiffness = missing;
}

// In the discrete integrator the spring and the damper of a contact act at the end of the step, with which
//
//   d (B s + K d (r + s dt)) dt = (1 - t) s (1 + d (B dt + K d dt^2))
//
// has MuJoCo's depth r for a solution; where that is above the surface, a damper alone does it.
CAROM_HD void take_discrete_impact(const ContactImpacts& impacts, int c, ContactMaterial& m) {
  const Real dt = impacts.dt, d = m.impedance[1], depth = impacts.speed[c] * dt, t = impacts.time[c] / dt;
  Real K = abs(m.stiffness), B = m.damping;
  if (impacts.refsafe && m.stiffness * d * dt * dt > 1) {  // as the rows soften it
    B *= sqrt(1 / (dt * dt * d * K));
    K = 1 / (dt * dt * d);
  }
  const Real spring = K * d * d * dt * dt, missing = 1 - t - t * (B * d * dt + spring);
  if (missing > 0 && spring > 0) {
    m.active_margin = missing / spring * depth - impacts.depth[c];
    return;
  }
  m.impedance[0] = d;
  m.active_margin = depth - impacts.depth[c];
  m.stiffness = 0;
  m.damping = (1 - t) / (t * dt * d);
}

CAROM_HD void take_impact(const ContactImpacts& impacts, int c, ContactMaterial& m) {
  if (impacts.discrete) take_discrete_impact(impacts, c, m);
  else take_explicit_impact(impacts, c, m);
  m.stamp = 0;
}

}  // namespace material

// Combines those that are not known from the step before.
struct CombineMaterials {
  const int* count;  // of the contacts: a graph that is used again may have room for more
  const int *shape0, *shape1;
  const ShapeMaterial* of_shape;
  Real least_time;  // of solref [s]
  ContactMaterial* out;
  Vec3* force;    // 0 until a solver says more [N]
  int stamp = 1;  // of the numbers of the shapes and of least_time: another one when they change
  PairTable pairs{};
  bool marks_direct = false;  // of Discrete, see MaterialNumbers
  ContactImpacts impacts{};
  Vec3* torque = nullptr;  // 0 until a solver says more [N m]; nullptr: no contact resists turning

  CAROM_HD void operator()(int c) const {
    if (c >= *count) return;
    force[c] = {};
    if (torque) torque[c] = {};
    if (!is_known(c)) combine<Real>(c);
  }

#if !defined(__CUDACC__)
  CAROM_HD void range(int begin, int end) const {
    constexpr int W = kTierWidth<Real>;
    end = end < *count ? end : *count;
    for (int c = begin; c < end; ++c) force[c] = {};
    for (int c = begin; torque && c < end; ++c) torque[c] = {};
    int c = begin;
    for (; c + W <= end; c += W)
      if (!are_known(c, W)) combine<Lanes<Real, W>>(c);
    for (; c < end; ++c)
      if (!is_known(c)) combine<Real>(c);
  }
#endif

 private:
  CAROM_HD bool is_known(int c) const { return out[c].is_of(shape0[c], shape1[c], stamp) && !impacts.is_ahead(c); }
  CAROM_HD bool are_known(int c, int contacts) const {
    bool all = true;
    for (int l = 0; l < contacts; ++l) all = all && is_known(c + l);
    return all;
  }

  // As many contacts as F has lanes, from c on.
  template <class F>
  CAROM_HD void combine(int c) const {
    constexpr int W = ScalarTraits<F>::kWidth;
    const ShapeMaterial *a[W], *b[W];
    int prior[W];  // > 0: a decides, < 0: b does
    for (int l = 0; l < W; ++l) {
      a[l] = of_shape + shape0[c + l], b[l] = of_shape + shape1[c + l];
      prior[l] = (a[l]->priority > b[l]->priority) - (a[l]->priority < b[l]->priority);
    }
    ContactMaterial* const m = out + c;
    combine_numbers<F>(a, b, prior, m);
    for (int l = 0; l < W; ++l) {
      m[l].condim = material::condim_of(*a[l], *b[l]);
      m[l].part[0] = a[l]->part, m[l].part[1] = b[l]->part;
      m[l].link[0] = a[l]->link, m[l].link[1] = b[l]->link;
      if (const PairNumbers* const pair = pairs.find(shape0[c + l], shape1[c + l]))
        material::take_pair(*pair, least_time, marks_direct, m[l]);
      m[l].shape[0] = shape0[c + l], m[l].shape[1] = shape1[c + l], m[l].stamp = stamp;
      if (impacts.is_ahead(c + l)) material::take_impact(impacts, c + l, m[l]);
    }
  }

  template <class F>
  CAROM_HD void combine_numbers(const ShapeMaterial* const* a, const ShapeMaterial* const* b, const int* prior,
                                MaterialNumbers<Real>* to) const {
    if constexpr (PlainNumber<F>) {
      *to = material::combined<Real>(**a, **b, Real(*prior), least_time, marks_direct);
    } else {
      constexpr int kStride = sizeof(ContactMaterial) / sizeof(Real);
      Real number[ScalarTraits<F>::kWidth];
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) number[l] = Real(prior[l]);
      const MaterialNumbers<F> m =
          material::combined(numbers_of<F>(a), numbers_of<F>(b), F::load(number), F(least_time), marks_direct);
      store_rows(&to->mu, LaneStride{kStride}, reinterpret_cast<const F(&)[sizeof(m) / sizeof(F)]>(m));
    }
  }
  template <class F>
  CAROM_HD ShapeNumbers<F> numbers_of(const ShapeMaterial* const* shape) const {
    Offsets<F> at;
    for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) at.start[l] = &shape[l]->mu - &of_shape->mu;
    ShapeNumbers<F> n;
    load_rows(&of_shape->mu, at, 0, reinterpret_cast<F(&)[sizeof(n) / sizeof(F)]>(n));
    return n;
  }
};

}  // namespace carom::inline CAROM_PRECISION
