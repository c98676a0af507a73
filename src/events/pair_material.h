// What the columns of two shapes say of their contact.
#pragma once

#include "carom/contact_detection.h"
#include "model/contact_options.h"

namespace carom::inline CAROM_PRECISION {

// distance_rate: how fast the distance grows where the contact begins [m/s].
inline MaterialContactPair pair_material(const Model& model, Index2 pair, Real distance_rate = 0) {
  const auto both = [&](const Array<Real>& column) {
    return combined(model.options.combine, column[pair[0]], column[pair[1]]);
  };
  return {distance_rate, both(model.shape_material_restitution), both(model.shape_material_mu),
          both(model.shape_material_torsional_friction), both(model.shape_material_rolling_friction)};
}

}  // namespace carom::inline CAROM_PRECISION
