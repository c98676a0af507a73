// The longest step for which the elements of a model are stable under symplectic Euler with explicit damping.
//
//   x'' = -M^-1 (K x + C x')  is stable  where  dt^2 k + 2 dt c < 4,   k, c: largest eigenvalues of M^-1 K, M^-1 C
//
// They are at most those of any one element whose particles have the part of their mass that is the element's (B.
// Irons, "Applications of a theorem on eigenvalues to finite element problems", 1970), here in proportion to its
// stiffness.
#pragma once

#include "carom/model.h"

namespace carom::inline CAROM_PRECISION {

Real find_stable_step(const Model& model);  // [s]; infinite where nothing swings

}  // namespace carom::inline CAROM_PRECISION
