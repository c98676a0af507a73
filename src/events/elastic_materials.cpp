#include "carom/elastic_materials.h"

#include "base/fail.h"
#include "base/near_names.h"

namespace carom::inline CAROM_PRECISION {

namespace {

const PairMaterial* listed(const std::vector<PairMaterial>& pairs, const std::string& a, const std::string& b) {
  for (const PairMaterial& pair : pairs)
    if ((pair.solid_a == a && pair.solid_b == b) || (pair.solid_a == b && pair.solid_b == a)) return &pair;
  return nullptr;
}

}  // namespace

const SolidMaterial& MaterialPalette::solid(const std::string& name) const {
  std::vector<std::string> names;
  for (const SolidMaterial& solid : solids) {
    if (solid.name == name) return solid;
    names.push_back(solid.name);
  }
  fail("there is no material '", name, "'; near it are ", near_names(names, name));
}

PairMaterial MaterialPalette::pair(const std::string& a, const std::string& b) const {
  if (const PairMaterial* const found = listed(pairs, a, b)) return *found;
  const PairMaterial *const of_a = listed(pairs, a, a), *const of_b = listed(pairs, b, b);
  if (!of_a || !of_b)
    fail("materials '", a, "' and '", b, "' have no restitution and friction together, nor has '", of_a ? b : a,
         "' with itself; add the pair to the palette");
  const auto mean = [](Real x, Real y) { return Real(0.5) * (x + y); };
  return {a, b, mean(of_a->restitution, of_b->restitution), mean(of_a->mu, of_b->mu),
          mean(of_a->rolling_friction, of_b->rolling_friction)};
}

const MaterialPalette& standard_materials() {
  static const MaterialPalette palette{{{"Steel", 2.0e11, 0.3},
                                        {"Aluminium", 6.9e10, 0.32},
                                        {"DryWood", 1.1e10, 0.4},
                                        {"BilliardBall", 5.4e9, 0.34},
                                        {"BilliardTable", 1.1e10, 0.4},
                                        {"BilliardCushion", 1.1e10, 0.4},
                                        {"BilliardCue", 1.1e10, 0.4}},
                                       {{"Steel", "Steel", 0.7, 0.5, 0.001},
                                        {"DryWood", "DryWood", 0.6, 0.3, 0.001},
                                        {"Aluminium", "Aluminium", 0.7, 0.5, 0.001},
                                        {"BilliardBall", "BilliardBall", 1, 0, 0},
                                        {"BilliardBall", "BilliardTable", 0, 0.8, 0.01},
                                        {"BilliardBall", "BilliardCushion", 0.98, 0, 0},
                                        {"BilliardBall", "BilliardCue", 0.98, 0, 0},
                                        {"BilliardTable", "BilliardCue", 0, 0.8, 0.01},
                                        {"BilliardCue", "BilliardCue", 0.98, 0, 0}}};
  return palette;
}

}  // namespace carom::inline CAROM_PRECISION
