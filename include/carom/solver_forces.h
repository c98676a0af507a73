// What a solver knows about forces beside those of contacts, for sensors. Arrays that say nothing about a solver are
// empty.
#pragma once

#include "carom/array.h"
#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

struct SolverForces {
  Array<Real> actuator_force;     // by actuator, before the gear [N], [N m]; of an orientation three, where its ctrl is
  Array<Real> joint_limit_force;  // by degree of freedom, towards the inside of the limits [N], [N m]
  Array<Real> tendon_limit_force;  // by tendon, likewise
};

}  // namespace carom::inline CAROM_PRECISION
