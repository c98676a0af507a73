// How many rows of each sort a part has in this step, before anything is solved: parts with as many are solved side by
// side.
#pragma once

#include "solvers/mujoco/step.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct RowCount {
  int frictionless, frictional;  // contacts
  int limits;                    // that act

  // Contacts of the longest list.
  CAROM_HD int contacts() const { return frictionless > frictional ? frictionless : frictional; }
};

struct CountRows {
  Span<const int> parts;
  MuJoCoStep step;  // of their archetype
  RowCount* count;

  CAROM_HD void operator()(int i) const {
    const int part = parts[i];
    const ContactView& contacts = step.contacts;
    const int begin = contacts.begin(part), end = contacts.end(part);
    int frictional = 0;
    for (int c = begin; c < end; ++c) frictional += contacts.material[contacts.contact(c)].condim != 1;
    count[part] = {end - begin - frictional, frictional, limits_of(part)};
  }

 private:
  CAROM_HD int limits_of(int part) const {
    const Real* const p = step.params + step.starts.params_row[part] * step.params_stride;
    const Real* const q = step.joint_q + step.starts.coord[part];
    const auto* const limit = reinterpret_cast<const LimitParams<Real>*>(p + step.layout.limits);
    int acting = 0;
    for (int s = 0; s < step.rows.limits(); ++s)
      acting += limit_gap(step.rows, s, limit[s], p + step.layout.limit_coefs, q).distance < limit[s].margin;
    return acting;
  }
};

}  // namespace carom::inline CAROM_PRECISION
