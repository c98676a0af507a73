// Where the numbers of a part of a world stand: its parameters in one row, its rows in the arrays of a model.
#pragma once

#include "carom/array.h"

namespace carom::inline CAROM_PRECISION {

// Where the numbers of a part stand in its row of parameters. A step reads `total` numbers of it.
struct ParamLayout {
  int gravity, links, dofs, joint_rows, joint_coefs, equalities, ties, actuators, actuator_coefs, springs, spring_coefs,
      activations, muscles, paths, path_points, bodies, carried, drives, extras, efforts, joint_yields, tendon_yields,
      fluid, ellipsoids, controllers, delays, total;
  int inverse_masses, row;  // of the bodies; length of a row
};

// Where the rows of each part begin, and which row of its archetype's parameters it reads.
struct PartStarts {
  Span<const int> coord, dof, body, ctrl, act, history, tendon, equality, params_row;
};

}  // namespace carom::inline CAROM_PRECISION
