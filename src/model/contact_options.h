// The options of contacts: one coefficient from two, and the list of the numbers that are the material of particles,
// which files, checks and messages walk through.
#pragma once

#include "carom/config.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
CAROM_HD F combined(CombineRule rule, F a, F b) {
  switch (rule) {
    case CombineRule::kMax: return max(a, b);
    case CombineRule::kMin: return min(a, b);
    case CombineRule::kGeometricMean: return sqrt(a * b);
    case CombineRule::kAverage: break;
  }
  return (a + b) / F(2);
}

// visit(name, number), of ModelOptions, constant ones too.
template <class Options, class Visit>
void visit_particle_material(Options& o, const Visit& visit) {
  visit("soft_contact_ke", o.soft_contact_ke);
  visit("soft_contact_kd", o.soft_contact_kd);
  visit("soft_contact_kf", o.soft_contact_kf);
  visit("soft_contact_mu", o.soft_contact_mu);
  visit("soft_contact_restitution", o.soft_contact_restitution);
  visit("particle_ke", o.particle_ke);
  visit("particle_kd", o.particle_kd);
  visit("particle_kf", o.particle_kf);
  visit("particle_mu", o.particle_mu);
  visit("particle_cohesion", o.particle_cohesion);
}

}  // namespace carom::inline CAROM_PRECISION
