// What shapes are made of, for contacts that push by elasticity: solids, and what happens between two of them.
//
// The numbers of standard_materials() are those of Modia3D's palettes (solidMaterials.json, contactPairMaterials.json).
#pragma once

#include <string>
#include <vector>

#include "carom/platform.h"

namespace carom::inline CAROM_PRECISION {

struct SolidMaterial {
  std::string name;
  Real youngs_modulus;  // [Pa]
  Real poissons_ratio;
};

// Of two solids, in either order.
struct PairMaterial {
  std::string solid_a, solid_b;
  Real restitution, mu;
  Real rolling_friction;  // of the radius of contact, against turning about any axis
};

struct MaterialPalette {
  std::vector<SolidMaterial> solids;
  std::vector<PairMaterial> pairs;

  // Error, which lists those there are, for a name that is unknown.
  const SolidMaterial& solid(const std::string& name) const;
  // What is not listed is the mean of what each solid does with its like; Error where there is none.
  PairMaterial pair(const std::string& a, const std::string& b) const;
};
// Steel, Aluminium, DryWood, BilliardBall, BilliardTable, BilliardCushion, BilliardCue.
const MaterialPalette& standard_materials();

}  // namespace carom::inline CAROM_PRECISION
